/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows the share of the variance of a figure that each label explains
 * (engine/analysis/compare/explain.h). */
#ifndef WEIR_CLI_HISTORY_EXPLAIN_H
#define WEIR_CLI_HISTORY_EXPLAIN_H

#include "engine/cli/history_series.h"

/* Write the labels and their shares, as a table or as one object. */
void weir_history_explain_text(struct weir_text *text, const struct weir_history_series *series);
void weir_history_explain_json(struct weir_jsonout *json, const struct weir_history_series *series);

#endif
