/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two sets of runs to rows: pairs subjects by name, reduces each run to logs of its quantiles, and
 * lets engine/stats decide (docs/statistics.md). The unit is the run, never the iteration.
 */
#ifndef WEIR_ANALYSIS_COMPARE_H
#define WEIR_ANALYSIS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/model/comparison.h"
#include "engine/model/run.h"

#define WEIR_COMPARE_MOST_NAMES 100000 /* of one kind, over all runs */

/* What the configuration wants of a row. */
enum weir_treatment {
	WEIR_TREAT_JUDGE,
	WEIR_TREAT_REPORT, /* computed, outside the family, never red */
	WEIR_TREAT_SKIP,   /* the same: ci/gate drops the row once it has checked patterns */
};

struct weir_compare_policy {
	const void *context;
	double (*margin)(const void *context, const char *scope, enum weir_metric metric);
	enum weir_treatment (*treatment)(const void *context, const char *scope,
	                                 enum weir_metric metric);
	double alpha_operators, alpha_stages;
	int warmup; /* leading iterations dropped of every run alike; negative: none */
};

struct weir_compare_input {
	const struct weir_run *const *baseline;
	const struct weir_run *const *candidate;
	size_t baseline_count, candidate_count;
	const struct weir_compare_policy *policy;
	bool session_safe;   /* candidates of one session, the baseline of at least five others */
	bool cap_at_suspect; /* each side one session of its own: nothing can separate the two */
};

/* Fewest samples of a run that a row is judged with. */
uint64_t weir_compare_least_samples(enum weir_metric metric);

/*
 * Fills method, rows (unsorted) and contributions of the result. Rows carry the statistics'
 * outcome: waivers, ceilings and the verdict are ci/gate's. At least one run on either side.
 * WEIR_E_LIMIT: more names of one kind than WEIR_COMPARE_MOST_NAMES; WEIR_E_INTERNAL: a special
 * function failed.
 */
enum weir_status weir_compare(const struct weir_compare_input *input,
                              struct weir_gate_result *result, struct weir_error *err);

#endif
