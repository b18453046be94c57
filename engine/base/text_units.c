/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats numbers for people: three significant digits in a suitable unit. */
#include <math.h>
#include <stdio.h>

#include "engine/base/text.h"

struct scale {
	double from; /* smallest magnitude in this unit, including those that round up to it */
	double unit;
	const char *name;
};

static const struct scale durations[] = {
	{7200e9, 3600e9, "h"}, {600e9, 60e9, "min"},  {0.9995e9, 1e9, "s"},
	{0.9995e6, 1e6, "ms"}, {0.9995e3, 1e3, "us"}, {0, 1, "ns"},
};

#define KIB 1024.0

static const struct scale sizes[] = {
	{1023.5 * KIB * KIB * KIB, KIB *KIB *KIB *KIB, "TiB"},
	{1023.5 * KIB * KIB, KIB *KIB *KIB, "GiB"},
	{1023.5 * KIB, KIB *KIB, "MiB"},
	{1023.5, KIB, "KiB"},
	{0, 1, "B"},
};

/* Appends a scaled value. Whole numbers of the smallest unit have no decimals: they were counted,
 * not measured. */
static void add_scaled(struct weir_text *text, double value, const struct scale *scale, bool exact)
{
	double magnitude = fabs(value);
	double scaled;
	int decimals;

	while (magnitude < scale->from)
		scale++;
	scaled = magnitude / scale->unit;
	decimals = scaled >= 99.95 ? 0 : scaled >= 9.995 ? 1 : 2;
	if ((exact || scale->from == 0) && scaled == floor(scaled))
		decimals = 0;
	weir_text_printf(text, "%s%.*f %s", value < 0 ? "-" : "", decimals, scaled, scale->name);
}

void weir_text_duration(struct weir_text *text, double ns)
{
	if (!isfinite(ns))
		weir_text_puts(text, "-");
	else
		add_scaled(text, ns, durations, false);
}

void weir_text_bytes(struct weir_text *text, double bytes)
{
	if (!isfinite(bytes))
		weir_text_puts(text, "-");
	else
		add_scaled(text, bytes, sizes, true);
}

void weir_text_count(struct weir_text *text, uint64_t count)
{
	char groups[32]; /* 20 digits and 6 commas, filled from the end */
	size_t at = sizeof(groups);
	unsigned digits = 0;

	do {
		if (digits && digits % 3 == 0)
			groups[--at] = ',';
		groups[--at] = (char)('0' + count % 10);
		count /= 10;
		digits++;
	} while (count);
	weir_text_add(text, groups + at, sizeof(groups) - at);
}

void weir_text_share(struct weir_text *text, double share)
{
	double percent = fabs(share) * 100;

	if (!isfinite(share)) {
		weir_text_puts(text, "-");
		return;
	}
	if (percent > 0 && percent < 0.05) {
		weir_text_puts(text, share < 0 ? ">-0.1 %" : "<0.1 %");
		return;
	}
	weir_text_printf(text, "%s%.*f %%", share < 0 ? "-" : "",
	                 percent > 0 && percent < 0.95 ? 1 : 0, percent);
}

void weir_text_rounded(struct weir_text *text, double number)
{
	if (!isfinite(number))
		weir_text_puts(text, "-");
	else if (number >= 999.5 && number < 1e15)
		weir_text_count(text, (uint64_t)llround(number));
	else
		weir_text_printf(text, "%.3g", number);
}

void weir_text_part(struct weir_text *text, double share)
{
	if (share >= 0.995)
		weir_text_puts(text, share < 1 ? "nearly all" : "all");
	else
		weir_text_share(text, share);
}
