/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of the JSON of operators, and what rows of stages and operators share. */
#ifndef WEIR_REPORT_JSON_OPERATORS_H
#define WEIR_REPORT_JSON_OPERATORS_H

#include "engine/model/finding.h"
#include "engine/report/json/document.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are names of members and types */
#define QUANTILES(field)                                                                           \
	{WHOLE("p50_ns", field.p50_ns)}, {WHOLE("p90_ns", field.p90_ns)},                          \
		{WHOLE("p95_ns", field.p95_ns)},                                                   \
	{                                                                                          \
		WHOLE("p99_ns", field.p99_ns)                                                      \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

extern const struct weir_schema weir_operator_schema; /* struct weir_operator_row */

/* Sets the scores of a row's verdict to unknown: only its bound and cause are stored. */
void weir_row_verdict_complete(struct weir_verdict *verdict);

#endif
