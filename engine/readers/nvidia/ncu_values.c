/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/nvidia/ncu.h"

#define MAX_NUMBER 64 /* bytes of a number; longer ones are none */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_absent(struct weir_slice text)
{
	static const char *const words[] = {"",    "n/a",  "N/A", "(!) n/a",
	                                    "nan", "-nan", "inf", "-inf"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (weir_slice_equals(text, words[i]))
			return true;
	return false;
}

/* Groups of three digits behind a first of up to three, then perhaps a fraction. */
static bool is_grouped(struct weir_slice text)
{
	size_t at = text.length && text.data[0] == '-', digits = 0;

	while (at < text.length && is_digit(text.data[at]))
		at++, digits++;
	if (!digits || digits > 3)
		return false;
	while (at < text.length && text.data[at] == ',') {
		for (digits = 0, at++; at < text.length && is_digit(text.data[at]); at++)
			digits++;
		if (digits != 3)
			return false;
	}
	if (at < text.length && text.data[at] == '.')
		for (at++; at < text.length && is_digit(text.data[at]);)
			at++;
	return at == text.length;
}

/* Nothing but digits and what languages put between them; spaces of all kinds, apostrophes. */
static bool is_of_a_language(struct weir_slice text)
{
	static const char between[] = ".,' \xc2\xa0\xe2\x80\xaf\x99";
	size_t digits = 0;

	for (size_t i = text.length && text.data[0] == '-'; i < text.length; i++) {
		digits += is_digit(text.data[i]);
		if (!is_digit(text.data[i]) && !memchr(between, text.data[i], sizeof(between) - 1))
			return false;
	}
	return digits > 0;
}

/* The digits of a grouped number without its commas; false where they are too many. */
static bool without_commas(struct weir_slice text, char *digits, size_t *length)
{
	*length = 0;
	for (size_t i = 0; i < text.length; i++) {
		if (text.data[i] == ',')
			continue;
		if (*length == MAX_NUMBER)
			return false;
		digits[(*length)++] = text.data[i];
	}
	return true;
}

/* The number's own digits, whether grouped or plain. */
static enum weir_ncu_reading plain_number(struct weir_slice text, char digits[MAX_NUMBER],
                                          size_t *length)
{
	double value;

	if (is_absent(text))
		return WEIR_NCU_NOTHING;
	if (is_grouped(text))
		return without_commas(text, digits, length) ? WEIR_NCU_VALUE : WEIR_NCU_BAD;
	if (text.length <= MAX_NUMBER && weir_parse_double(text.data, text.length, &value)) {
		memcpy(digits, text.data, text.length);
		*length = text.length;
		return isfinite(value) ? WEIR_NCU_VALUE : WEIR_NCU_NOTHING;
	}
	return is_of_a_language(text) ? WEIR_NCU_LOCALIZED : WEIR_NCU_BAD;
}

enum weir_ncu_reading weir_ncu_number(struct weir_slice text, double *out)
{
	char digits[MAX_NUMBER];
	size_t length;
	enum weir_ncu_reading reading = plain_number(text, digits, &length);

	if (reading == WEIR_NCU_VALUE && !weir_parse_double(digits, length, out))
		return WEIR_NCU_BAD;
	return reading;
}

static const struct {
	const char *unit;
	int places; /* of ten, in nanoseconds */
} times[] = {
	{"ns", 0}, {"nsecond", 0}, {"us", 3}, {"usecond", 3},
	{"ms", 6}, {"msecond", 6}, {"s", 9},  {"second", 9},
};

static enum weir_ncu_reading take_duration(struct weir_slice text, struct weir_slice unit,
                                           int64_t *out_ns)
{
	char digits[MAX_NUMBER];
	size_t length;
	int64_t ns;
	enum weir_ncu_reading reading = plain_number(text, digits, &length);

	if (reading != WEIR_NCU_VALUE)
		return reading;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		if (!weir_slice_equals(unit, times[i].unit))
			continue;
		if (!weir_parse_scaled(digits, length, times[i].places, &ns) || ns < 0)
			return WEIR_NCU_BAD;
		if (*out_ns < 0)
			*out_ns = ns;
		return WEIR_NCU_VALUE;
	}
	return WEIR_NCU_BAD;
}

/* Units as they are spelled, without the letter for thousands. */
static const struct {
	const char *unit;
	enum weir_ncu_dimension dimension;
	double factor;
} units[] = {
	{"%", WEIR_NCU_SHARE, 0.01},
	{"byte", WEIR_NCU_BYTES, 1},
	{"byte/s", WEIR_NCU_BYTES_PER_S, 1},
	{"byte/second", WEIR_NCU_BYTES_PER_S, 1},
	{"byte/nsecond", WEIR_NCU_BYTES_PER_S, 1e9},
	{"hz", WEIR_NCU_HERTZ, 1},
	{"Hz", WEIR_NCU_HERTZ, 1},
	{"cycle/s", WEIR_NCU_HERTZ, 1},
	{"cycle/second", WEIR_NCU_HERTZ, 1},
	{"cycle/usecond", WEIR_NCU_HERTZ, 1e6},
	{"cycle/nsecond", WEIR_NCU_HERTZ, 1e9},
	{"", WEIR_NCU_NUMBER, 1},
	{"block", WEIR_NCU_NUMBER, 1},
	{"thread", WEIR_NCU_NUMBER, 1},
	{"warp", WEIR_NCU_NUMBER, 1},
	{"cycle", WEIR_NCU_NUMBER, 1},
	{"inst", WEIR_NCU_NUMBER, 1},
	{"inst/cycle", WEIR_NCU_NUMBER, 1},
	{"register/thread", WEIR_NCU_NUMBER, 1},
	{"register", WEIR_NCU_NUMBER, 1},
	{"SM", WEIR_NCU_NUMBER, 1},
	{"wave", WEIR_NCU_NUMBER, 1},
};

/* Thousands, never 1024; 1 for any other letter. */
static double thousands(char letter)
{
	static const char letters[] = "KMGT";
	const char *found = letter ? strchr(letters, letter) : NULL;

	return found ? pow(1000, (double)(found - letters + 1)) : 1;
}

static bool unit_factor(struct weir_slice unit, enum weir_ncu_dimension dimension, double *factor)
{
	double scale = unit.length > 1 ? thousands(unit.data[0]) : 1;

	if (scale > 1) {
		unit.data++;
		unit.length--;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (units[i].dimension != dimension || !weir_slice_equals(unit, units[i].unit))
			continue;
		*factor = scale * units[i].factor;
		return true;
	}
	return false;
}

static void put(const struct weir_ncu_metric *metric, double number,
                struct weir_counted_kernel *kernel)
{
	double *value = &kernel->value[metric->counter];

	switch (metric->use) {
	case WEIR_NCU_FIRST:
		*value = isnan(*value) ? number : *value;
		return;
	case WEIR_NCU_LARGEST:
		*value = fmax(*value, number);
		return;
	case WEIR_NCU_ADDED:
		if (kernel->parts & (metric->part | metric->included))
			return;
		kernel->parts |= metric->part;
		*value = (isnan(*value) ? 0 : *value) + metric->weight * number;
		return;
	}
}

enum weir_ncu_reading weir_ncu_take(const struct weir_ncu_metric *metric, struct weir_slice text,
                                    struct weir_slice unit, struct weir_counted_kernel *kernel)
{
	double number, factor;
	enum weir_ncu_reading reading;

	if (metric->dimension == WEIR_NCU_TIME)
		return take_duration(text, unit, &kernel->duration_ns);
	reading = weir_ncu_number(text, &number);
	if (reading != WEIR_NCU_VALUE)
		return reading;
	if (!unit_factor(unit, metric->dimension, &factor) || number < 0)
		return WEIR_NCU_BAD;
	put(metric, number * factor, kernel);
	return WEIR_NCU_VALUE;
}

/* Passes over anything of `between`. */
static size_t skip(struct weir_slice text, size_t at, const char *between)
{
	while (at < text.length && strchr(between, text.data[at]) && text.data[at])
		at++;
	return at;
}

bool weir_ncu_shape(struct weir_slice text, uint32_t shape[3])
{
	uint32_t read[3];
	size_t at = skip(text, 0, "( ");

	for (int i = 0; i < 3; i++) {
		size_t start = at;
		int64_t number;

		while (at < text.length && is_digit(text.data[at]))
			at++;
		if (!weir_parse_i64(text.data + start, at - start, &number) || number < 0 ||
		    number > UINT32_MAX)
			return false;
		read[i] = (uint32_t)number;
		at = skip(text, at, i < 2 ? ", x" : ") ");
	}
	if (at != text.length)
		return false;
	memcpy(shape, read, sizeof(read));
	return true;
}
