/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Explains a figure by the labels of its runs: for each label, the share of the variance of the
 * log of the figure between the values of the label (engine/stats/oneway.h), with Holm's adjustment
 * over the labels. It shows what goes together and proves no cause: what changed at the same time
 * as a label is explained by it as well, and successive runs are not independent.
 */
#ifndef WEIR_ANALYSIS_COMPARE_EXPLAIN_H
#define WEIR_ANALYSIS_COMPARE_EXPLAIN_H

#include <stddef.h>

#include "engine/model/run.h"

enum weir_explain_state {
	WEIR_EXPLAIN_TESTED,
	WEIR_EXPLAIN_ONE_VALUE,     /* the label is the same in all runs */
	WEIR_EXPLAIN_VALUE_PER_RUN, /* each run has another value */
	WEIR_EXPLAIN_EQUAL_FIGURES, /* the figure is the same in all runs */
};

/* Labels that divide the runs in the same way, and therefore cannot be distinguished. */
struct weir_explain_group {
	const char **keys; /* owned list, sorted; the texts belong to the runs */
	size_t key_count;
	size_t values; /* of each label; a run without the label counts as one value more */
	enum weir_explain_state state;
	double share, p, p_adjusted; /* NAN unless tested */
};

struct weir_explain {
	size_t runs;                       /* that have the figure */
	struct weir_explain_group *groups; /* owned; largest share first, then those not tested */
	size_t count;
};

/* Explains values[0..count) of as many runs; a value that is NAN or not positive is left out. The
 * caller releases *out with weir_explain_release(); the runs must live as long. */
void weir_explain(const struct weir_run *const *runs, const double *values, size_t count,
                  struct weir_explain *out);
void weir_explain_release(struct weir_explain *explain);

#endif
