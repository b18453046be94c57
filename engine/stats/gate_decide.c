/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/stats/gate.h"
#include "engine/stats/multiple.h"
#include "engine/stats/power.h"
#include "engine/stats/special.h"

/* Share of run pairs with the candidate slower that a regression needs; 1 pair of 20 may differ. */
#define LEAST_SUPERIORITY (0.95 - 1e-9)
/* Each side of the 90 % interval: two one-sided tests at 5 % are a proof of equivalence. */
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

/* The tested cells in order; the caller frees. */
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

void weir_gate_adjust(const struct weir_gate_family *family)
{
	size_t tests = weir_gate_tests(family);
	struct weir_gate_cell **cells = tested_cells(family, tests);
	double *p = weir_alloc((tests + 1) * sizeof(*p));

	for (size_t i = 0; i < tests; i++)
		p[i] = cells[i]->p;
	weir_holm(p, tests, p);
	for (size_t i = 0; i < tests; i++) {
		cells[i]->p_adjusted = p[i];
		p[i] = cells[i]->p_faster;
	}
	weir_holm(p, tests, p);
	for (size_t i = 0; i < tests; i++)
		cells[i]->p_faster_adjusted = p[i];
	free(p);
	free(cells);
}

static bool is_regression(const struct weir_gate_cell *cell, double alpha)
{
	return cell->p_adjusted <= alpha && cell->change >= cell->margin &&
	       (!cell->every_run || cell->least >= cell->margin / 2) &&
	       cell->superiority >= LEAST_SUPERIORITY;
}

static void decide_cell(struct weir_gate_cell *cell, double alpha)
{
	double half = weir_t_quantile_upper(INTERVAL_ALPHA, cell->total_df) *
	              sqrt(cell->total_variance * cell->width);

	cell->low = cell->change - half;
	cell->high = cell->change + half;
	cell->regression = cell->tested && is_regression(cell, alpha);
	/* The guards are not asked: an improvement fails no build. */
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

static void fill_power(struct weir_gate_cell *cell, double alpha)
{
	struct weir_power power = {
		.variance = cell->variance,
		.prior_df = cell->df - cell->residual_df,
		.baseline_runs = cell->baseline_runs,
		.candidate_runs = cell->candidate_runs,
		.alpha = alpha,
		.power = WEIR_POWER_DEFAULT,
		.margin = cell->margin,
		.single = cell->single,
	};
	double quantiles = weir_t_quantile_upper(alpha, cell->df) +
	                   weir_t_quantile_upper(1 - WEIR_POWER_DEFAULT, cell->df);
	struct weir_runs_needed needed;

	cell->mde = fmax(cell->margin, quantiles * sqrt(cell->variance * cell->width));
	if (isnan(power.prior_df)) /* outliers: other runs would be another test */
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
				fill_power(cell, alpha / (double)(tests > 0 ? tests : 1));
		}
	}
}
