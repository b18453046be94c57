/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The subjects of a comparison: everything that the runs of both sides share by name, each run
 * reduced to logarithms, and the rows that can be tested. Used by compare.c, which tests them. */
#ifndef WEIR_ANALYSIS_COMPARE_COMPARED_H
#define WEIR_ANALYSIS_COMPARE_COMPARED_H

#include "engine/analysis/compare/compare.h"
#include "engine/stats/gate.h"
#include "engine/stats/sessions.h"

/* Rows of a duration: p50, p90, p95, p99, shift. A per-run figure has one row. */
#define WEIR_COMPARE_ROWS 5

/* One subject over all runs, baseline runs first. */
struct weir_compared {
	enum weir_scope_kind kind;
	const char *scope, *stage, *name; /* in the result's arena */
	const char *unit;                 /* NULL: ns */
	bool higher_is_better;
	const struct weir_series **series; /* one per run; NULL: absent */
	size_t baseline_present, candidate_present;
	uint64_t baseline_samples, candidate_samples; /* fewest in any run that has the subject */
	double baseline_calls, candidate_calls;       /* mean of the run medians; NAN: unknown */
	/* Mean over runs of the p50, 0 for an idle operator; NAN: absent, or not a time. */
	double baseline_ns, candidate_ns;
	enum weir_method method; /* allowed by the runs that have the subject */
	const char *renamed;     /* name in the candidate; NULL: the same */
	const char *family;      /* "2 -> 3 kernels": a sum over a family; NULL: one operator */
};

/* All subjects of one kind, sorted by name. */
struct weir_compared_set {
	struct weir_compared *items;
	size_t count;
	size_t rows;                  /* WEIR_COMPARE_ROWS or 1 */
	double *y;                    /* [row][item][run] */
	double *ticks;                /* [item] */
	bool *tested;                 /* [row][item] */
	const char **notes;           /* [row][item]: objection to testing it; NULL: none */
	double *margins;              /* [row][item] */
	double *within;               /* [row][item]; only for outliers, else NULL */
	double *tail;                 /* [row][item][run]: see weir_gate_input; or NULL */
	double *tail_floor;           /* [row][item]; or NULL */
	struct weir_gate_cell *cells; /* [row][item] */
	/* Set by engine/analysis/compare/sessions.h, else NULL. */
	struct weir_session_error *errors; /* [row][item]: the columns of y are sessions */
	struct weir_gate_cell *by_run;     /* [row][item]: decided as if runs were independent */
};

struct weir_comparing {
	const struct weir_compare_input *input;
	struct weir_gate_result *result;
	const struct weir_run **runs; /* baseline first */
	size_t run_count;
	size_t columns, baseline_columns; /* of y and tail: runs, or sessions */
	size_t *session;                  /* [run_count]; NULL: not known */
	struct weir_session_layout sessions;
	enum weir_method method;
	struct weir_compared_set stages, devices, operators, metrics;
	struct weir_gate_cell all[WEIR_COMPARE_ROWS], all_by_run[WEIR_COMPARE_ROWS];
	size_t all_rows;                       /* 0: too few runs for a common mode */
	bool few_operators[WEIR_COMPARE_ROWS]; /* too few tested operators for the common mode */
	struct weir_series **made;             /* sums of families, owned */
	size_t made_count, made_capacity;
};

/*
 * True for the p95 and p99 of a stage with a single candidate run. One burst of host activity moves
 * them, so they are only ever suspect, and only after a change of WEIR_TAIL_MARGINS margins: see
 * the ladder in docs/statistics.md.
 */
#define WEIR_TAIL_MARGINS 3.0
bool weir_compared_is_tail_of_one(const struct weir_compared *item, enum weir_metric metric);

enum weir_metric weir_compared_metric(const struct weir_compared_set *set, size_t row);

/* Pairs the subjects of all runs and reduces the runs. Call weir_comparing_release() afterwards,
 * even after a failure. */
enum weir_status weir_comparing_init(struct weir_comparing *comparing,
                                     const struct weir_compare_input *input,
                                     struct weir_gate_result *result, struct weir_error *err);
void weir_comparing_release(struct weir_comparing *comparing);

/* One subject of a comparison. */
struct weir_subject {
	const struct weir_comparing *comparing;
	const struct weir_compared_set *set;
	size_t index; /* in the set */
};

/* Reduces one run of a duration to its rows, as the comparison does: natural logs; NAN: unknown. */
void weir_subject_rows(const struct weir_subject *subject, size_t run,
                       double rows[WEIR_COMPARE_ROWS]);
/* Computes n quantiles of the samples of a run that are compared, in ns and at least the step of
 * the timer; NAN: the run lacks the subject. */
void weir_subject_quantiles(const struct weir_subject *subject, size_t run, const double *probs,
                            size_t n, double *out);

/* Returns the item named by `length` bytes of `name`; NULL: no such item. */
const struct weir_compared *weir_compared_find(const struct weir_compared_set *set,
                                               const char *name, size_t length);

#endif
