/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of metrics pages: what Go's ParseFloat takes, which wrote the format's first readers. */
#include <math.h>
#include <strings.h>

#include "engine/base/text.h"
#include "engine/readers/scrape/scrape_line.h"

static const struct {
	const char *text;
	double value;
} words[] = {
	{"nan", NAN},
	{"inf", INFINITY},
	{"+inf", INFINITY},
	{"-inf", -INFINITY},
	{"infinity", INFINITY},
	{"+infinity", INFINITY},
	{"-infinity", -INFINITY},
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#define EXPONENT_LIMIT 100000 /* far beyond any double; keeps sums within int */

/* "0x1.8p3", signed; the exponent is mandatory. Digits beyond a double's 53 bits round by
 * addition. */
static bool parse_hexadecimal(struct weir_slice text, double *out)
{
	const char *at = text.data, *end = at + text.length;
	bool negative = at < end && *at == '-', fraction = false;
	double value = 0;
	int64_t exponent;
	int digits = 0, places = 0;

	if (at < end && (*at == '-' || *at == '+'))
		at++;
	if (end - at < 3 || at[0] != '0' || (at[1] | 0x20) != 'x')
		return false;
	for (at += 2; at < end && digits < EXPONENT_LIMIT; at++) {
		if (*at == '.' && !fraction) {
			fraction = true;
			continue;
		}
		if (hex_digit(*at) < 0)
			break;
		value = value * 16 + hex_digit(*at);
		places += fraction ? 4 : 0;
		digits++;
	}
	if (!digits || at == end || (*at | 0x20) != 'p')
		return false;
	at++;
	if (!weir_parse_i64(at, (size_t)(end - at), &exponent) || exponent > EXPONENT_LIMIT ||
	    exponent < -EXPONENT_LIMIT)
		return false;
	value = ldexp(value, (int)exponent - places);
	*out = negative ? -value : value;
	return isfinite(value);
}

bool weir_scrape_number_parse(struct weir_slice text, enum scrape_grammar grammar, double *out)
{
	if (weir_parse_double(text.data, text.length, out))
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strlen(words[i].text) != text.length ||
		    strncasecmp(words[i].text, text.data, text.length) != 0)
			continue;
		*out = words[i].value;
		return true;
	}
	return grammar == SCRAPE_PROMETHEUS && parse_hexadecimal(text, out);
}
