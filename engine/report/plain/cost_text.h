/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Amounts of money as people read them. */
#ifndef WEIR_REPORT_COST_TEXT_H
#define WEIR_REPORT_COST_TEXT_H

#include "engine/base/text.h"
#include "engine/model/report.h"

/* As many requests as make their cost an amount that people can compare: one, 1,000 or a million.
 */
struct weir_cost_text_scale {
	double requests;
	const char *words; /* "per 1,000 requests" */
	const char *brief; /* "1k req" */
};

/* cost NULL or without a figure: 1,000. One report uses one scale throughout. */
struct weir_cost_text_scale weir_cost_text_scale(const struct weir_cost *cost);
/* "$"; "CHF " of a currency without a sign; cost NULL: "$". */
void weir_cost_text_sign(const struct weir_cost *cost, struct weir_text *out);
/*
 * "12.30", "0.284", "1,204": two decimals, or three digits that count; NAN: "-". `like` is an
 * amount with which it is compared: it gets the decimals of that one, "<0.0001" where they show
 * nothing of it.
 */
void weir_cost_text_number(double amount, double like, struct weir_text *out);
/* "$12.30"; NAN: "-" */
void weir_cost_text(const struct weir_cost *cost, double amount, double like,
                    struct weir_text *out);

#endif
