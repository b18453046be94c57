/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses numbers with the grammar of JSON, and accepts a leading "+", ".5" and "5." as well. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"

/* A decimal number: `whole` digits, `fraction` digits after a point, times 10^exponent. */
struct decimal {
	const char *digits; /* first digit, or the point */
	size_t whole, fraction;
	int64_t exponent; /* clamped to EXPONENT_LIMIT */
	bool negative;
};

/* Larger than any text is long, so that clamping to it changes no result. */
#define EXPONENT_LIMIT (INT64_MAX / 4)

static bool is_digit(char c)
{
	return (unsigned)c - '0' < 10;
}

static size_t count_digits(const char *text, const char *end)
{
	const char *at = text;

	while (at < end && is_digit(*at))
		at++;
	return (size_t)(at - text);
}

/* Parses "e+12" up to the end. */
static bool parse_exponent(const char *at, const char *end, int64_t *out)
{
	bool negative;
	int64_t value = 0;

	at++; /* the e */
	negative = at < end && *at == '-';
	if (at < end && (*at == '-' || *at == '+'))
		at++;
	if (at == end || count_digits(at, end) != (size_t)(end - at))
		return false;
	for (; at < end; at++) {
		if (value < EXPONENT_LIMIT / 16)
			value = value * 10 + (*at - '0');
	}
	*out = negative ? -value : value;
	return true;
}

static bool split_decimal(const char *text, size_t len, struct decimal *out)
{
	const char *at = text, *end;

	*out = (struct decimal){0};
	if (!len) /* an empty text may be NULL */
		return false;
	end = text + len;
	if (at < end && (*at == '-' || *at == '+'))
		out->negative = *at++ == '-';
	out->digits = at;
	out->whole = count_digits(at, end);
	at += out->whole;
	if (at < end && *at == '.') {
		at++;
		out->fraction = count_digits(at, end);
		at += out->fraction;
	}
	if (out->whole + out->fraction == 0)
		return false;
	if (at < end && (*at == 'e' || *at == 'E'))
		return parse_exponent(at, end, &out->exponent);
	return at == end;
}

/* Returns digit i of the number, without counting the point. */
static unsigned digit_at(const struct decimal *number, size_t i)
{
	return (unsigned)(number->digits[i < number->whole ? i : i + 1] - '0');
}

/* Appends a digit; false if the value would exceed the limit. */
static bool append_digit(uint64_t *value, unsigned digit, uint64_t limit)
{
	if (*value > (limit - digit) / 10)
		return false;
	*value = *value * 10 + digit;
	return true;
}

static uint64_t magnitude_limit(bool negative)
{
	return (uint64_t)INT64_MAX + (negative ? 1 : 0);
}

static int64_t with_sign(uint64_t magnitude, bool negative)
{
	if (negative)
		return magnitude ? -(int64_t)(magnitude - 1) - 1 : 0;
	return (int64_t)magnitude;
}

static bool parse_i64_slowly(const char *text, size_t len, int64_t *out)
{
	struct decimal number;
	uint64_t value = 0;

	if (!split_decimal(text, len, &number))
		return false;
	if (number.digits + number.whole != text + len)
		return false;
	for (size_t i = 0; i < number.whole; i++) {
		if (!append_digit(&value, digit_at(&number, i), magnitude_limit(number.negative)))
			return false;
	}
	*out = with_sign(value, number.negative);
	return true;
}

/* Returns the first `keep` digits as an integer, padded with zeros. */
static bool leading_digits(const struct decimal *number, int64_t keep, uint64_t *out)
{
	uint64_t limit = magnitude_limit(number->negative);
	int64_t count = (int64_t)(number->whole + number->fraction);
	uint64_t value = 0;

	for (int64_t i = 0; i < keep; i++) {
		if (i >= count && value == 0)
			break;
		if (!append_digit(&value, i < count ? digit_at(number, (size_t)i) : 0, limit))
			return false;
	}
	*out = value;
	return true;
}

/* Shifts the digits by the exponent and rounds them half away from zero to the unit. */
bool weir_parse_scaled(const char *text, size_t len, int places, int64_t *out)
{
	struct decimal number;
	uint64_t value;
	int64_t keep; /* digits down to the unit */

	if (len > INT64_MAX / 4 || !split_decimal(text, len, &number))
		return false;
	keep = (int64_t)number.whole + places + number.exponent;
	if (!leading_digits(&number, keep, &value))
		return false;
	if (keep >= 0 && keep < (int64_t)(number.whole + number.fraction) &&
	    digit_at(&number, (size_t)keep) >= 5) {
		if (value == magnitude_limit(number.negative))
			return false;
		value++;
	}
	*out = with_sign(value, number.negative);
	return true;
}

static bool parse_us_slowly(const char *text, size_t len, int64_t *out_ns)
{
	return weir_parse_scaled(text, len, 3, out_ns);
}

bool weir_parse_s_as_ns(const char *text, size_t len, int64_t *out_ns)
{
	return weir_parse_scaled(text, len, 9, out_ns);
}

/* Loads eight bytes in little-endian order; compilers turn this form into one load. */
static uint64_t load_bytes(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 |
	       (uint64_t)at[3] << 24 | (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 |
	       (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}

/* Returns true if all eight bytes are '0' to '9': the high half of each is 3, and stays 3 if 6 is
 * added to the low half. */
static bool are_digits(uint64_t word)
{
	return ((word & 0xf0f0f0f0f0f0f0f0u) |
	        ((word + 0x0606060606060606u) & 0xf0f0f0f0f0f0f0f0u) >> 4) == 0x3333333333333333u;
}

/* Computes the value of eight digits at once: of pairs, of fours, of all (L. Lamport, Multiple byte
 * processing, CACM 18(8), 1975). */
static uint64_t value_of_digits(uint64_t word)
{
	word = (word & 0x0f0f0f0f0f0f0f0fu) * (10 * (1u << 8) + 1) >> 8;
	word = (word & 0x00ff00ff00ff00ffu) * (100 * (1u << 16) + 1) >> 16;
	return (word & 0x0000ffff0000ffffu) * (10000 * (UINT64_C(1) << 32) + 1) >> 32;
}

/* Returns the value of the *count digits at the start of the text; wraps if there are too many. */
static uint64_t leading_value(const char *text, size_t len, size_t *count)
{
	uint64_t value = 0;
	uint64_t word;
	unsigned digit;
	size_t at = 0;

	for (; len - at >= 8 && are_digits(word = load_bytes(text + at)); at += 8)
		value = value * 100000000 + value_of_digits(word);
	for (; at < len && (digit = (unsigned)text[at] - '0') < 10; at++)
		value = value * 10 + digit;
	*count = at;
	return value;
}

#define FAST_WHOLE_DIGITS 16

/* Handles numbers of up to 16 digits without a sign fast. */
bool weir_parse_i64(const char *text, size_t len, int64_t *out)
{
	size_t digits = 0;
	uint64_t value;

	if (!len || len > FAST_WHOLE_DIGITS)
		return parse_i64_slowly(text, len, out);
	value = leading_value(text, len, &digits);
	if (digits != len)
		return parse_i64_slowly(text, len, out);
	*out = (int64_t)value;
	return true;
}

/*
 * Handles nearly all numbers of a trace fast: without a sign, with at most 16 whole digits and at
 * most three decimals. All others are parsed again slowly.
 */
bool weir_parse_us_as_ns(const char *text, size_t len, int64_t *out_ns)
{
	size_t whole;
	uint64_t value = leading_value(text, len, &whole);
	size_t at = whole + (whole < len && text[whole] == '.');

	if (whole == 0 || whole > FAST_WHOLE_DIGITS || value > INT64_MAX / 1000 - 1)
		return parse_us_slowly(text, len, out_ns);
	if (len - at > 3 || (at == whole && at < len))
		return parse_us_slowly(text, len, out_ns);
	for (size_t i = 0; i < 3; i++) {
		unsigned digit = at + i < len ? (unsigned)text[at + i] - '0' : 0;

		if (digit >= 10)
			return parse_us_slowly(text, len, out_ns);
		value = value * 10 + digit;
	}
	*out_ns = (int64_t)value;
	return true;
}

/* Calls strtod() in the "C" locale with a NUL-terminated copy, whose grammar is already checked. */
static double parse_with_strtod(const char *text, size_t len)
{
	struct weir_text copy = {0};
	locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t before = plain ? uselocale(plain) : (locale_t)0;
	double value;

	weir_text_add(&copy, text, len);
	value = strtod(copy.data, NULL);
	weir_text_release(&copy);
	if (plain) {
		uselocale(before);
		freelocale(plain);
	}
	return value;
}

/*
 * Up to 15 digits and powers of ten up to 10^22 are exact as doubles, so that one division rounds
 * correctly (W. D. Clinger, How to read floating point numbers accurately, PLDI 1990). All other
 * numbers are left to strtod().
 */
bool weir_parse_double(const char *text, size_t len, double *out)
{
	static const double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
	                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	struct decimal number;
	uint64_t digits = 0;
	double value;

	if (!split_decimal(text, len, &number))
		return false;
	if (number.exponent != 0 || number.whole > 15 || number.fraction > 15 - number.whole) {
		value = parse_with_strtod(text, len);
	} else {
		for (size_t i = 0; i < number.whole + number.fraction; i++)
			digits = digits * 10 + digit_at(&number, i);
		value = (double)digits / powers[number.fraction];
		value = number.negative ? -value : value;
	}
	if (!isfinite(value))
		return false;
	*out = value;
	return true;
}

/* Units of sizes. */
static const struct {
	const char *name;
	double bytes;
} units[] = {
	{"B", 1},     {"kB", 1e3},      {"KB", 1e3},      {"MB", 1e6},      {"GB", 1e9},
	{"TB", 1e12}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
};

bool weir_parse_bytes(const char *text, uint64_t *out)
{
	size_t length = strspn(text, "0123456789.");
	const char *unit = text + length + (text[length] == ' ');
	double number;

	if (!weir_parse_double(text, length, &number))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(units[i].name, unit) == 0) {
			number *= units[i].bytes;
			*out = number >= 1 && number < 0x1p53 ? (uint64_t)number : 0;
			return *out > 0;
		}
	return false;
}
