/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Amounts of money in readable form. */
#ifndef WEIR_REPORT_PLAIN_COST_TEXT_H
#define WEIR_REPORT_PLAIN_COST_TEXT_H

#include "engine/base/text.h"
#include "engine/model/report.h"

/* The number of requests that a cost is given for, so that the amount is readable: 1, 1,000 or a
 * million. */
struct weir_cost_text_scale {
	double requests;
	const char *words; /* "per 1,000 requests" */
	const char *brief; /* "1k req" */
};

/* Chooses the scale of a report, which uses one throughout; 1,000 if the cost is NULL or has no
 * figure. */
struct weir_cost_text_scale weir_cost_text_scale(const struct weir_cost *cost);
/* Appends "$", or "CHF " for a currency without a sign. A cost of NULL is in dollars. */
void weir_cost_text_sign(const struct weir_cost *cost, struct weir_text *out);
/*
 * Appends "12.30", "0.284", "1,204": two decimals, or three significant digits; NAN: "-". With
 * `like`, an amount to compare with, it has the decimals of that amount, and "<0.0001" if they
 * would show 0.
 */
void weir_cost_text_number(double amount, double like, struct weir_text *out);
/* Appends "$12.30"; NAN: "-". */
void weir_cost_text(const struct weir_cost *cost, double amount, double like,
                    struct weir_text *out);

#endif
