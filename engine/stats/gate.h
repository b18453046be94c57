/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The procedure of the gate (docs/statistics.md, sections 2 to 4): runs reduced to natural logs in,
 * one cell a row and subject out. A row is a quantile or `shift`; a subject is an operator, a stage
 * or a per-run metric. Three steps, so that one family of tests may span several tables:
 *
 *     weir_gate_operators(), weir_gate_stages(), weir_gate_outliers()   changes, p-values
 *     weir_gate_adjust(), once a family                                 Holm over all its tables
 *     weir_gate_decide(), weir_gate_power(), with that family's alpha   outcomes; what could be
 * seen
 *
 *     struct weir_gate_family stages = {{{all, rows}, {stage_cells, n}, {metric_cells, m}}, 3};
 *
 * Family (a) is operators x rows, family (b) all-operators rows, stage rows and metric rows.
 * Deterministic: no random numbers, ties in p are broken by the position in the family. Everything
 * is on the log scale (expm1() makes it relative); NAN is unknown, above all in a subject that is
 * absent on one side. The caller owns all arrays.
 */
#ifndef WEIR_STATS_GATE_H
#define WEIR_STATS_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

/* Below this number of operators there is neither a common mode nor shrinkage. */
#define WEIR_GATE_LEAST_OPERATORS 20
/* Degrees of freedom below which a cell is not tested: shrinkage breaks there. */
#define WEIR_GATE_LEAST_DF 4
/* Baseline runs below which a cell is not tested; a new operator joins the family with them. */
#define WEIR_GATE_LEAST_BASELINE 3

struct weir_gate_input {
	size_t rows, subjects;
	size_t baseline_runs, candidate_runs; /* at least 1 of each */
	/* [row][subject][run], baseline runs first: natural logs; NAN: absent in that run. The sign
	 * of a metric where higher is better is already turned. */
	const double *y;
	/* [subject]: timer step in the unit of exp(y), 0 for none. NULL: none at all. */
	const double *tick;
	/* [row][subject]: false is computed, but left out of the family before Holm (too few
	 * samples, or a severity that never judges). NULL: all true. */
	const bool *tested;
	/* [row]: relative (0.03 is 3 %). */
	const double *margins;
	/* [row][subject], relative, where rules differ by subject. NULL: those of the row. */
	const double *subject_margins;
	/* All candidate runs come from one session, the baseline from others: they are collapsed
	 * into their median, and the variance is that of the baseline. */
	bool session_safe;
	/* [row][subject], for weir_gate_outliers() only: standard error of the log ratio from
	 * within the runs (weir_outlier_batch_error()). NULL or NAN: not known. */
	const double *within_error;
};

/* One row of one subject; the all-operators cell of a row has the same shape. */
struct weir_gate_cell {
	size_t baseline_runs, candidate_runs; /* that have the subject */
	double baseline, candidate;           /* mean over runs of y; median where session-safe */
	double change;                        /* D, or G of all operators */
	double relative;    /* change beyond the common mode; change where there is none */
	double low, high;   /* 90 % interval of the change, after weir_gate_decide(); NAN in outlier
	                       mode */
	double df;          /* of the test: d + d0 */
	double residual_df; /* d alone */
	double variance;    /* of one run, shrunken: what the test uses */
	double total_df;    /* of the interval: the common mode's scatter is in it */
	double total_variance; /* of one run, common mode included */
	double width;          /* h: 1/B + 1/C, so that variance * h is that of the change */
	double p, p_faster;    /* one-sided: slower, faster */
	double p_adjusted;     /* after weir_gate_adjust(); NAN outside the family */
	double p_faster_adjusted;
	double superiority; /* share of (candidate, baseline) run pairs, candidate slower */
	double least;       /* least slow candidate run against the baseline's mean */
	double margin;      /* log scale: log1p of the relative one */
	double mde;         /* log scale; after weir_gate_power() */
	/* Candidate runs in all that would show a change of twice the margin; NAN: 20 do not do.
	 * baseline_needed: then so many baseline runs, with at least 5 candidates, would; NAN:
	 * candidates suffice, or the noise is too high for either. */
	double runs_needed, baseline_needed;
	/* The same for proof that nothing changed beyond the margin. */
	double runs_for_no_change, baseline_for_no_change;
	bool every_run; /* the rule that each candidate run is slower by half the margin */
	bool single;    /* candidates count as one run: more of them do not help */
	bool tested;    /* member of the family */
	bool regression, improvement, no_change; /* after weir_gate_decide(); else inconclusive */
};

/*
 * Procedure P. cells is [row][subject], all is [row]: the common mode, tested only in rows with
 * WEIR_GATE_LEAST_OPERATORS operators or more. Rows with fewer get Student's t, as stages do. With
 * one candidate run this is a moderated prediction interval (h = 1 + 1/B). WEIR_E_INTERNAL: a
 * special function failed.
 */
enum weir_status weir_gate_operators(const struct weir_gate_input *in, struct weir_gate_cell *cells,
                                     struct weir_gate_cell *all, struct weir_error *err);

/* Stages and per-run metrics: pooled Student's t, neither common mode nor shrinkage. */
void weir_gate_stages(const struct weir_gate_input *in, struct weir_gate_cell *cells);

/*
 * Too few runs for a variance between runs (B <= 2, d < 4 or 3x1): operators against each other,
 * engine/stats/outlier.h. At most a suspect; a global shift cannot be seen. Rows with fewer than
 * WEIR_GATE_LEAST_OPERATORS operators stay untested. The caller leaves p95 and p99 out of `tested`
 * (with them most unchanged pairs are suspect: bursts) and adjusts at WEIR_OUTLIER_ALPHA.
 */
void weir_gate_outliers(const struct weir_gate_input *in, struct weir_gate_cell *cells);

/* A run of cells, as a part of a family. */
struct weir_gate_part {
	struct weir_gate_cell *cells;
	size_t count;
};

#define WEIR_GATE_PARTS 8

struct weir_gate_family {
	struct weir_gate_part parts[WEIR_GATE_PARTS];
	size_t count;
};

/* Number of tests in a family: cells with `tested` set. */
size_t weir_gate_tests(const struct weir_gate_family *family);

/* Holm over the tested cells of all parts, once for slower and once for faster. */
void weir_gate_adjust(const struct weir_gate_family *family);

/* Outcomes from adjusted p-values at the family's alpha. Works cell by cell: a part of a family
 * that was adjusted whole may be decided alone. */
void weir_gate_decide(const struct weir_gate_family *family, double alpha);

/* mde, runs and baseline needed at 80 % power, with alpha divided by the number of tests. */
void weir_gate_power(const struct weir_gate_family *family, double alpha);

#endif
