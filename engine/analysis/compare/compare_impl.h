/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to engine/analysis/compare*.c. */
#ifndef WEIR_ANALYSIS_COMPARE_IMPL_H
#define WEIR_ANALYSIS_COMPARE_IMPL_H

#include "engine/analysis/compare/compare.h"
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
	size_t baseline_present, candidate_present;
	uint64_t baseline_samples, candidate_samples; /* fewest of the runs that have it */
	double baseline_calls, candidate_calls;       /* mean of the run medians; NAN: unknown */
	/* Mean over runs of the p50, where an operator that rests counts 0; NAN: absent, no time */
	double baseline_ns, candidate_ns;
	enum weir_method method; /* what the runs that have it allow */
};

/* Everything of one kind, by name. */
struct weir_compared_set {
	struct weir_compared *items;
	size_t count;
	size_t rows;                  /* WEIR_COMPARE_ROWS or 1 */
	double *y;                    /* [row][item][run] */
	double *ticks;                /* [item] */
	bool *tested;                 /* [row][item] */
	const char **notes;           /* [row][item]: why it is not tested; NULL */
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
	size_t all_rows;                       /* 0: too few runs for a common mode */
	bool few_operators[WEIR_COMPARE_ROWS]; /* too few are tested for the row of all */
};

/*
 * The p95 and p99 of a stage in a single candidate run. One burst of the host moves them, so they
 * are only ever suspected, and only for a change of WEIR_TAIL_MARGINS margins: docs/statistics.md,
 * the ladder.
 */
#define WEIR_TAIL_MARGINS 3.0
bool weir_compared_is_tail_of_one(const struct weir_compared *item, enum weir_metric metric);

enum weir_metric weir_compared_metric(const struct weir_compared_set *set, size_t row);

/* compare.c: pairs the subjects of all runs and reduces the runs; release with
 * weir_comparing_release(), after a failure as well. */
enum weir_status weir_comparing_init(struct weir_comparing *comparing,
                                     const struct weir_compare_input *input,
                                     struct weir_gate_result *result, struct weir_error *err);
void weir_comparing_release(struct weir_comparing *comparing);

/* compare_subjects.c. Samples of a time behind the warm-up; values of a per-run figure. */
size_t weir_compared_kept(const struct weir_comparing *comparing, const struct weir_compared *item,
                          size_t run);
/* Pairs one kind by name; items are sorted by it. */
enum weir_status weir_compare_pair(struct weir_comparing *comparing, struct weir_compared_set *set,
                                   enum weir_scope_kind kind, struct weir_error *err);
/* The item of that name, of length bytes; NULL: none. */
const struct weir_compared *weir_compared_find(const struct weir_compared_set *set,
                                               const char *name, size_t length);
/* compare_reduce.c. Runs to logs; which rows are tested. Pairing and method come first. */
void weir_compare_reduce(struct weir_comparing *comparing, struct weir_compared_set *set);

/* compare_shifts.c. Turns cost shifts inside stages into WEIR_OUTCOME_MOVED, and lists what
 * operators add to regressed stages. */
void weir_compare_shifts(struct weir_comparing *comparing);

#endif
