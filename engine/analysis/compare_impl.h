/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to engine/analysis/compare*.c. */
#ifndef WEIR_ANALYSIS_COMPARE_IMPL_H
#define WEIR_ANALYSIS_COMPARE_IMPL_H

#include "engine/analysis/compare.h"
#include "engine/stats/gate.h"

/* The rows of a time, in this order; per-run figures have one. */
#define WEIR_COMPARE_ROWS 5

/* One thing that is compared, over all runs: baseline runs first. */
struct weir_compared {
	enum weir_scope_kind kind;
	const char *scope, *stage, *name; /* in the result's arena */
	const char *unit;                 /* NULL: ns */
	bool higher_is_better;
	const struct weir_series **series; /* one a run; NULL: absent */
	const struct weir_series **calls;  /* operators; entries may be NULL */
	size_t baseline_present, candidate_present;
	uint64_t baseline_samples, candidate_samples; /* fewest of the runs that have it */
	double tick;
};

/* Everything of one kind, by name. */
struct weir_compared_set {
	struct weir_compared *items;
	size_t count;
	size_t rows;                  /* WEIR_COMPARE_ROWS or 1 */
	double *y;                    /* [row][item][run] */
	double *ticks;                /* [item] */
	bool *tested;                 /* [row][item] */
	double *margins;              /* [row][item] */
	double *within;               /* [row][item]; outlier mode only, else NULL */
	struct weir_gate_cell *cells; /* [row][item] */
};

struct weir_comparing {
	const struct weir_compare_input *input;
	struct weir_gate_result *result;
	const struct weir_run **runs; /* baseline first */
	size_t run_count;
	enum weir_method method;
	struct weir_compared_set stages, devices, operators, metrics;
	struct weir_gate_cell all[WEIR_COMPARE_ROWS];
};

enum weir_metric weir_compared_metric(const struct weir_compared_set *set, size_t row);

/* Pairs the subjects of all runs and reduces the runs; release with weir_comparing_release(). */
void weir_comparing_init(struct weir_comparing *comparing, const struct weir_compare_input *input,
                         struct weir_gate_result *result);
void weir_comparing_release(struct weir_comparing *comparing);

/* Turns cost shifts inside stages into WEIR_OUTCOME_MOVED, and lists what operators add to
 * regressed stages. */
void weir_compare_shifts(struct weir_comparing *comparing);

#endif
