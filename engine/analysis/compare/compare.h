/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares two sets of runs: pairs subjects by name, reduces each run to logarithms of its
 * quantiles, and lets engine/stats decide (docs/statistics.md). The unit of replication is the run,
 * never the iteration.
 */
#ifndef WEIR_ANALYSIS_COMPARE_COMPARE_H
#define WEIR_ANALYSIS_COMPARE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/model/comparison.h"
#include "engine/model/run.h"

#define WEIR_COMPARE_MOST_NAMES 100000 /* of one kind, over all runs */

/* Treatment of a row by the configuration. */
enum weir_treatment {
	WEIR_TREAT_JUDGE,
	WEIR_TREAT_REPORT, /* computed, but outside the family and never red */
	WEIR_TREAT_SKIP,   /* likewise: ci/gate drops the row after checking patterns */
};

struct weir_compare_policy {
	const void *context;
	double (*margin)(const void *context, const char *scope, enum weir_metric metric);
	enum weir_treatment (*treatment)(const void *context, const char *scope,
	                                 enum weir_metric metric);
	double alpha_operators, alpha_stages;
	int warmup; /* leading iterations dropped from every run; negative: none */
};

struct weir_compare_input {
	const struct weir_run *const *baseline;
	const struct weir_run *const *candidate;
	size_t baseline_count, candidate_count;
	const struct weir_compare_policy *policy;
	bool one_session; /* both sides were measured in one session, whatever labels say */
};

/*
 * Fills method, rows (unsorted) and contributions of the result. The outcomes of rows come from the
 * statistics alone; ci/gate applies waivers and ceilings and decides the verdict. Each side needs
 * at least one run. WEIR_E_LIMIT: more names of one kind than WEIR_COMPARE_MOST_NAMES;
 * WEIR_E_INTERNAL: a special function failed.
 */
enum weir_status weir_compare(const struct weir_compare_input *input,
                              struct weir_gate_result *result, struct weir_error *err);

/* The paired runs of a comparison. */
struct weir_comparing;

/* Compares like weir_compare(), and keeps the paired runs for weir_compare_draw(). The input must
 * live as long as *out, which is NULL after a failure and is freed with weir_comparing_free(). */
enum weir_status weir_compare_keep(const struct weir_compare_input *input,
                                   struct weir_gate_result *result, struct weir_comparing **out,
                                   struct weir_error *err);
void weir_comparing_free(struct weir_comparing *comparing); /* NULL is allowed */

/*
 * Returns the pictures of a result, in its arena. The rows must be in their final order, and the
 * findings known: they choose the rows to draw. Names of runs stay unknown.
 */
struct weir_gate_pictures *weir_compare_draw(const struct weir_comparing *comparing,
                                             const struct weir_gate_result *result);

#endif
