/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One figure of each recorded run, in order of recording, and where it changes its level. */
#ifndef WEIR_ANALYSIS_HISTORY_H
#define WEIR_ANALYSIS_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/model/comparison.h"
#include "engine/model/run.h"

/* What is followed: "stage:decode" at p50, "operator:decode/aten::mm" at p95,
 * "metric:tokens_per_s". */
struct weir_history_metric {
	enum weir_scope_kind kind;
	const char *name; /* borrowed from the text that was parsed */
	size_t name_length;
	enum weir_metric metric;
};

/* SCOPE or SCOPE:METRIC; false: no scope. p50 where no metric is named, the value of a per-run
 * figure. */
bool weir_history_parse(const char *text, struct weir_history_metric *out);

/* Of one run: the quantile in ns, the geometric mean of the deciles for shift, or the figure; NAN:
 * the run lacks it. */
double weir_history_value(const struct weir_run *run, const struct weir_history_metric *metric);

/* Indices at which a new level begins, ascending, at most `most`. Values are logs' arguments:
 * positive; NAN is passed over. */
size_t weir_history_cuts(const double *values, size_t count, size_t *cuts, size_t most);

#endif
