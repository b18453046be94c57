/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/plain/cost_text.h"
#include "engine/report/plain/escape.h"

#define CENT         0.01 /* smaller costs are shown per 1,000 or per million requests */
#define NAME_COLUMNS 8    /* columns of a currency */
#define MAX_DECIMALS 8

struct weir_cost_text_scale weir_cost_text_scale(const struct weir_cost *cost)
{
	static const struct weir_cost_text_scale scales[] = {
		{1, "per request", "request"},
		{1e3, "per 1,000 requests", "1k req"},
		{1e6, "per million requests", "1M req"},
	};
	double amount = cost ? cost->per_request : NAN;

	if (isnan(amount) || amount == 0)
		return scales[1];
	for (size_t i = 0; i < 2; i++)
		if (amount * scales[i].requests >= CENT)
			return scales[i];
	return scales[2];
}

void weir_cost_text_sign(const struct weir_cost *cost, struct weir_text *out)
{
	static const char *const signs[][2] = {{"USD", "$"}, {"EUR", "€"}, {"GBP", "£"}};
	const char *currency = cost && cost->currency ? cost->currency : "USD";

	for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
		if (strcmp(currency, signs[i][0]) != 0)
			continue;
		weir_text_puts(out, signs[i][1]);
		return;
	}
	weir_cut_name(out, currency, NAME_COLUMNS);
	weir_text_puts(out, " ");
}

static int decimals_of(double amount)
{
	double magnitude = fabs(amount);

	if (!isfinite(amount) || amount == 0 || magnitude >= 1)
		return 2;
	return (int)fmin(2 - floor(log10(magnitude)), MAX_DECIMALS);
}

void weir_cost_text_number(double amount, double like, struct weir_text *out)
{
	int decimals = decimals_of(isfinite(like) && like != 0 ? like : amount);
	double least = pow(10, -decimals);

	if (!isfinite(amount)) {
		weir_text_puts(out, "-");
	} else if (amount == 0) {
		weir_text_puts(out, "0");
	} else if (amount > 0 && amount < least / 2) {
		weir_text_printf(out, "<%.*f", decimals, least);
	} else if (amount >= 999.995 && amount < 1e15) {
		weir_text_count(out, (uint64_t)llround(amount));
	} else {
		weir_text_printf(out, fabs(amount) < 1e15 ? "%.*f" : "%.*g", decimals, amount);
	}
}

void weir_cost_text(const struct weir_cost *cost, double amount, double like, struct weir_text *out)
{
	if (isfinite(amount))
		weir_cost_text_sign(cost, out);
	weir_cost_text_number(amount, like, out);
}
