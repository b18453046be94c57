/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The statistical procedure of the gate (docs/statistics.md, sections 1 to 5). Input: runs, reduced
 * to natural logs. Output: one cell per row and subject. A row is a quantile or `shift`; a subject
 * is an operator, a stage or a per-run metric. There are three steps, so that one family of tests
 * can span several tables:
 *
 *     weir_gate_operators(), weir_gate_stages(), weir_gate_outliers()   changes, p-values
 *     weir_gate_adjust(), once per family                               Holm over all its tables
 *     weir_gate_decide(), weir_gate_power(), with the family's alpha    outcomes, effects
 *
 *     struct weir_gate_family stages = {{{all, rows}, {stage_cells, n}, {metric_cells, m}}, 3};
 *
 * Family (a) is operators x rows; family (b) is the all-operators rows, stage rows and metric rows.
 * The procedure is deterministic: it uses no random numbers, and ties in p are broken by the
 * position in the family. All values are on the log scale (expm1() makes them relative). NAN is
 * unknown, for instance for a subject that is absent on one side. The caller owns all arrays.
 */
#ifndef WEIR_STATS_GATE_H
#define WEIR_STATS_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/stats/sessions.h"

/* With fewer operators there is neither a common mode nor shrinkage. */
#define WEIR_GATE_LEAST_OPERATORS 20
/* Least degrees of freedom of a tested cell: shrinkage fails below. */
#define WEIR_GATE_LEAST_DF 4
/* Least number of baseline runs of a tested cell. A new operator joins the family when it has this
 * many. */
#define WEIR_GATE_LEAST_BASELINE 3

struct weir_gate_input {
	size_t rows, subjects;
	size_t baseline_runs, candidate_runs; /* at least 1 of each */
	/* [row][subject][run], baseline runs first: natural logs; NAN: absent in that run. The sign
	 * of metrics for which higher is better is inverted. */
	const double *y;
	/* [subject]: timer step in the unit of exp(y), 0 for none. NULL: no steps. */
	const double *tick;
	/* [row][subject]: false excludes a computed cell from the family before Holm (too few
	 * samples, or a severity that never judges). NULL: all true. */
	const bool *tested;
	/* [row]: relative (0.03 is 3 %). */
	const double *margins;
	/* [row][subject], relative, if rules differ between subjects. NULL: margins of the row. */
	const double *subject_margins;
	/*
	 * Sessions of the runs, by one of the designs of engine/stats/sessions.h. blocks: the
	 * effect of each session is removed. errors: y holds means of sessions, baseline_runs and
	 * candidate_runs are numbers of sessions, and errors is [row][subject]; two sessions in all
	 * suffice for no variance, three for one. Both NULL: each run stands for itself.
	 */
	const struct weir_session_layout *blocks;
	const struct weir_session_error *errors;
	/* Variances of runs are moderated over the subjects of a row (weir_pool_moderate()); with
	 * `errors` they always are. Leave it out for subjects of different kinds. */
	bool pooled;
	/*
	 * [row][subject][run]: weir_tail_share() of each run, for rows whose quantile may jump (p95
	 * and p99): the row then also needs a larger share of iterations in the tail. NULL: none.
	 * tail_floor is [row][subject]: variance of one run by chance; NAN: not for this row.
	 */
	const double *tail, *tail_floor;
	/* [row]: number of tests that the row of a subject counts for, at least 1: see
	 * weir_gate_adjust(). NULL: every cell is a test by itself. */
	const double *counts_as;
	/* [row][subject], for weir_gate_outliers() only: standard error of the log ratio from
	 * within the runs (weir_outlier_batch_error()). NULL or NAN: not known. */
	const double *within_error;
};

/* One row of one subject; the all-operators cell of a row has the same shape. */
struct weir_gate_cell {
	size_t baseline_runs, candidate_runs; /* number of runs with the subject */
	double baseline, candidate;           /* mean over runs of y */
	double change;                        /* D; G for all operators */
	/* Change beyond the common mode; the change itself without one. */
	double relative;
	/* 90 % interval of the change, set by weir_gate_decide(); NAN in outlier mode. */
	double low, high;
	double df;             /* of the test: d + d0 */
	double residual_df;    /* d alone */
	double variance;       /* of one run, shrunken; used by the test */
	double total_df;       /* of the interval, with the scatter of the common mode */
	double total_variance; /* of one run, with the common mode */
	double width;          /* h = 1/B + 1/C, or that of blocks; variance * h is the variance
	                          of the change */
	double p, p_faster;    /* one-sided: slower, faster */
	double p_adjusted;     /* set by weir_gate_adjust(); NAN outside the family */
	double p_faster_adjusted;
	double superiority;  /* share of (candidate, baseline) pairs of runs with the candidate
	                        slower */
	double p_rank;       /* of the ranks of the runs, one-sided: slower */
	double p_rank_least; /* p_rank if every candidate run is slower than every baseline run */
	double p_tail;       /* of the share of iterations in the tail; p is not below it. NAN: not
	                        tested */
	double margin;       /* log1p of the relative margin */
	double mde;          /* minimum detectable effect (log), set by weir_gate_power() */
	/*
	 * Total candidate runs that would show a change of twice the margin; NAN: 20 do not
	 * suffice. baseline_needed: total baseline runs that would then show it, with at least 5
	 * candidates; NAN: candidates suffice, or the noise is too high for either.
	 */
	double runs_needed, baseline_needed;
	/* The same to prove that nothing changed beyond the margin. */
	double runs_for_no_change, baseline_for_no_change;
	size_t rows;      /* of its table, which is [row][subject]; 0: a separate test */
	double counts_as; /* input's counts_as; 0: none */
	double tests;     /* factor of p_adjusted, set by weir_gate_adjust() */
	double noise;     /* factor of `width` for a noisier candidate, at least 1; 0: 1 */
	/* The candidates are one session and count as one run: more of them do not help. */
	bool single;
	bool tested; /* member of the family */
	/* Set by weir_gate_decide(); all false: inconclusive. */
	bool regression, improvement, no_change;
};

/*
 * Procedure P for operators. cells is [row][subject]; all is [row], the common mode, which is
 * tested only in rows with WEIR_GATE_LEAST_OPERATORS operators or more. Rows with fewer operators
 * use Student's t, as stages do. With one candidate run this is a moderated prediction interval (h
 * = 1 + 1/B). WEIR_E_INTERNAL: a special function failed.
 */
enum weir_status weir_gate_operators(const struct weir_gate_input *in, struct weir_gate_cell *cells,
                                     struct weir_gate_cell *all, struct weir_error *err);

/* Tests stages and per-run metrics with pooled Student's t, without common mode and shrinkage.
 * Where the candidate's runs scatter more (noise.h), the baseline gives the variance, and the
 * width is 1/B + ratio/C. */
void weir_gate_stages(const struct weir_gate_input *in, struct weir_gate_cell *cells);

/*
 * Tests operators against each other if there are too few runs for a variance between runs (B <= 2,
 * d < 4 or 3x1): engine/stats/outlier.h. Yields suspects at most, and cannot see a shift of all
 * operators. Rows with fewer than WEIR_GATE_LEAST_OPERATORS operators stay untested. The caller
 * excludes p95 and p99 from `tested` (bursts make them suspects in most unchanged pairs) and
 * adjusts at WEIR_OUTLIER_ALPHA.
 */
void weir_gate_outliers(const struct weir_gate_input *in, struct weir_gate_cell *cells);

/* An array of cells that is a part of a family. */
struct weir_gate_part {
	struct weir_gate_cell *cells;
	size_t count;
};

#define WEIR_GATE_PARTS 8

struct weir_gate_family {
	struct weir_gate_part parts[WEIR_GATE_PARTS];
	size_t count;
};

/* Returns the number of tests in a family: cells with `tested` set. */
size_t weir_gate_tests(const struct weir_gate_family *family);

/*
 * Adjusts the p-values of the tested cells of all parts, once for slower and once for faster.
 * Without `counts_as`: Holm's method. With it: weighted Bonferroni, p x number of subjects x
 * counts_as of the row (S. Holm, Scandinavian Journal of Statistics 6, 1979, section 4, without the
 * steps). `shift` uses the whole body of the distribution and leads: it has 0.6 of the level of its
 * subject and counts as 5/3 tests; the other four rows have 0.1 each and count as ten. The shares
 * add up to 1, so that the level of the family is alpha at most (Bonferroni's inequality), however
 * the rows of a subject depend on each other. docs/statistics.md has the measured rates.
 */
void weir_gate_adjust(const struct weir_gate_family *family);

/*
 * Sets the outcomes from adjusted p-values at the family's alpha. Cells are independent: parts of
 * an adjusted family may be decided separately. A regression needs all of
 *
 *     p_adjusted <= alpha
 *     change + slack >= margin
 *     p_rank <= max(0.01, p_rank_least)
 *
 * with slack = weir_power_slack() of se^2 = variance x width. The second condition finds a change
 * of exactly the margin with 85 % power in the row that leads where se is small (80 % in others),
 * instead of 50 % at any number of runs. The third costs no power as runs
 * grow; with few runs (5 against 3 reach 1/56) every candidate run must be slower than every
 * baseline run. It rejects changes that come from a few runs in another mode, to which the t test
 * gives too small a p. A single candidate run must reach the margin in full.
 */
void weir_gate_decide(const struct weir_gate_family *family, double alpha);

/* Sets mde and the numbers of runs needed at 80 % power, with the level and the margin that
 * weir_gate_decide() applies. The condition on ranks is left out: where the others hold with 80 %
 * power, the runs overlap in less than 3 % of cases. */
void weir_gate_power(const struct weir_gate_family *family, double alpha);

#endif
