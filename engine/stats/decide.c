/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adjusts the p-values of a family, and decides outcomes and power from them. */
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/stats/gate.h"
#include "engine/stats/multiple.h"
#include "engine/stats/power.h"
#include "engine/stats/special.h"

/* Level of the test of ranks: that of the gate. Fewer runs than reach it must all be slower. */
#define RANK_ALPHA 0.01
/* Level of each side of the 90 % interval: two one-sided tests at 5 % prove equivalence. */
#define INTERVAL_ALPHA 0.05

size_t weir_gate_tests(const struct weir_gate_family *family)
{
	size_t tests = 0;

	for (size_t i = 0; i < family->count; i++) {
		for (size_t j = 0; j < family->parts[i].count; j++)
			tests += family->parts[i].cells[j].tested;
	}
	return tests;
}

/* Returns the tested cells in order. The caller frees it. */
static struct weir_gate_cell **tested_cells(const struct weir_gate_family *family, size_t tests)
{
	struct weir_gate_cell **cells = weir_alloc((tests + 1) * sizeof(struct weir_gate_cell *));
	size_t at = 0;

	for (size_t i = 0; i < family->count; i++) {
		for (size_t j = 0; j < family->parts[i].count; j++) {
			if (family->parts[i].cells[j].tested)
				cells[at++] = &family->parts[i].cells[j];
		}
	}
	return cells;
}

/* Returns the number of rows of a part; all its cells are of one table. */
static size_t rows_of(const struct weir_gate_part *part)
{
	return part->count > 0 && part->cells->rows > 0 ? part->cells->rows : 1;
}

/* Returns the number of subjects of a part that have a tested row. */
static size_t subjects_of(const struct weir_gate_part *part)
{
	size_t rows = rows_of(part), subjects = part->count / rows, found = 0;

	for (size_t m = 0; m < subjects; m++) {
		bool tested = false;

		for (size_t k = 0; k < rows; k++)
			tested = tested || part->cells[k * subjects + m].tested;
		found += tested;
	}
	return found;
}

static void adjust_weighted(const struct weir_gate_family *family)
{
	size_t tests = weir_gate_tests(family), subjects = 0;
	struct weir_gate_cell **cells = tested_cells(family, tests);

	for (size_t i = 0; i < family->count; i++)
		subjects += subjects_of(&family->parts[i]);
	for (size_t i = 0; i < tests; i++) {
		struct weir_gate_cell *cell = cells[i];

		cell->tests = (double)subjects * fmax(cell->counts_as, 1);
		cell->p_adjusted = fmin(1, cell->p * cell->tests);
		cell->p_faster_adjusted = fmin(1, cell->p_faster * cell->tests);
	}
	free(cells);
}

static void adjust_holm(const struct weir_gate_family *family)
{
	size_t tests = weir_gate_tests(family);
	struct weir_gate_cell **cells = tested_cells(family, tests);
	double *p = weir_alloc((tests + 1) * sizeof(*p));

	for (size_t i = 0; i < tests; i++)
		p[i] = cells[i]->p;
	weir_holm(p, tests, p);
	for (size_t i = 0; i < tests; i++) {
		cells[i]->p_adjusted = p[i];
		cells[i]->tests = (double)tests;
		p[i] = cells[i]->p_faster;
	}
	weir_holm(p, tests, p);
	for (size_t i = 0; i < tests; i++)
		cells[i]->p_faster_adjusted = p[i];
	free(p);
	free(cells);
}

void weir_gate_adjust(const struct weir_gate_family *family)
{
	for (size_t i = 0; i < family->count; i++) {
		if (family->parts[i].count > 0 && family->parts[i].cells->rows > 0) {
			adjust_weighted(family);
			return;
		}
	}
	adjust_holm(family);
}

/* Returns true for the row that has more than half of the level of its subject: see
 * weir_gate_adjust(). */
static bool leads(const struct weir_gate_cell *cell)
{
	return cell->counts_as > 0 && cell->counts_as < 2;
}

/* Returns by how much a change may miss its margin: see weir_gate_decide(). */
static double slack(const struct weir_gate_cell *cell)
{
	if (cell->single || cell->candidate_runs == 1)
		return 0;
	return weir_power_slack(leads(cell), cell->margin, sqrt(cell->variance * cell->width),
	                        cell->df);
}

static bool is_regression(const struct weir_gate_cell *cell, double alpha)
{
	return cell->p_adjusted <= alpha && cell->change + slack(cell) >= cell->margin &&
	       cell->p_rank <= fmax(RANK_ALPHA, cell->p_rank_least);
}

static void decide_cell(struct weir_gate_cell *cell, double alpha)
{
	double half = weir_t_quantile_upper(INTERVAL_ALPHA, cell->total_df) *
	              sqrt(cell->total_variance * cell->width);

	cell->low = cell->change - half;
	cell->high = cell->change + half;
	cell->regression = cell->tested && is_regression(cell, alpha);
	/* No condition on ranks and no slack, since an improvement fails no build. */
	cell->improvement =
		cell->tested && cell->p_faster_adjusted <= alpha && cell->change <= -cell->margin;
	cell->no_change = cell->tested && !cell->regression && !cell->improvement &&
	                  cell->high < cell->margin && cell->low > -cell->margin;
}

void weir_gate_decide(const struct weir_gate_family *family, double alpha)
{
	for (size_t i = 0; i < family->count; i++) {
		for (size_t j = 0; j < family->parts[i].count; j++)
			decide_cell(&family->parts[i].cells[j], alpha);
	}
}

static double or_nan(size_t runs)
{
	return runs > 0 ? (double)runs : NAN;
}

/*
 * Returns the variance that the true one exceeds in every other case. A scaled chi-square has its
 * median below its mean (E. B. Wilson and M. M. Hilferty, The distribution of chi-square, PNAS 17,
 * 1931): from 6 degrees of freedom, a plan by the variance itself is too small more often than not.
 */
static double planned_variance(const struct weir_gate_cell *cell)
{
	double ratio = 1 - 2 / (9 * cell->df);

	return cell->variance / (ratio * ratio * ratio);
}

static void fill_power(struct weir_gate_cell *cell, double alpha)
{
	struct weir_power power = {
		.variance = planned_variance(cell) * fmax(cell->noise, 1),
		.prior_df = cell->df - cell->residual_df,
		.baseline_runs = cell->baseline_runs,
		.candidate_runs = cell->candidate_runs,
		.alpha = alpha,
		.power = WEIR_POWER_DEFAULT,
		.margin = cell->margin,
		.leads = leads(cell),
		.single = cell->single,
	};
	double error = sqrt(cell->variance * cell->width);
	double likely = weir_t_quantile_upper(1 - WEIR_POWER_DEFAULT, cell->df) * error;
	struct weir_runs_needed needed;

	if (power.prior_df < 0) /* two variances may have fewer degrees of freedom than one */
		power.prior_df = 0;
	cell->mde = fmax(cell->margin + likely - slack(cell),
	                 weir_t_quantile_upper(alpha, cell->df) * error + likely);
	if (cell->mde < cell->margin) /* false for a NAN */
		cell->mde = cell->margin;
	if (isnan(power.prior_df)) /* outlier mode: other numbers of runs would need another test */
		return;
	needed = weir_power_runs(&power, log1p(2 * expm1(cell->margin)));
	cell->runs_needed = or_nan(needed.candidates);
	cell->baseline_needed = or_nan(needed.baselines);
	power.alpha = INTERVAL_ALPHA;
	power.margin = 0;
	needed = weir_power_runs(&power, cell->margin);
	cell->runs_for_no_change = or_nan(needed.candidates);
	cell->baseline_for_no_change = or_nan(needed.baselines);
}

void weir_gate_power(const struct weir_gate_family *family, double alpha)
{
	size_t tests = weir_gate_tests(family);

	for (size_t i = 0; i < family->count; i++) {
		for (size_t j = 0; j < family->parts[i].count; j++) {
			struct weir_gate_cell *cell = &family->parts[i].cells[j];

			if (!isnan(cell->df))
				fill_power(cell, alpha / (cell->tests > 0 ? cell->tests
				                          : tests > 0     ? (double)tests
				                                          : 1));
		}
	}
}
