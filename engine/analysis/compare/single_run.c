/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/compare/single_run.h"
#include "engine/base/arena.h"
#include "engine/stats/moments.h"
#include "engine/stats/power.h"
#include "engine/stats/special.h"

/* Square of 0.2 %, the smallest standard deviation between runs that the gate assumes. */
#define LEAST_VARIANCE 4e-6

static bool is_tail(const struct weir_compared_set *set, size_t row)
{
	enum weir_metric metric = weir_compared_metric(set, row);

	return metric == WEIR_METRIC_P95 || metric == WEIR_METRIC_P99;
}

static bool all_present(const double *y, size_t count)
{
	for (size_t r = 0; r < count; r++)
		if (isnan(y[r]))
			return false;
	return true;
}

/* Lowers p[run] to the one-sided p of each run against the others. */
static void hold_against_others(const double *y, size_t count, double *p)
{
	double n = (double)count, mean = weir_mean(y, count);
	double squares = weir_variance(y, count) * (n - 1);

	for (size_t r = 0; r < count; r++) {
		double deviation = y[r] - mean;
		/* Mean and squares of the others, by removing this run. */
		double distance = deviation * n / (n - 1);
		double others = (squares - deviation * distance) / (n - 2);
		double error = sqrt(fmax(others, LEAST_VARIANCE) * (1 + 1 / (n - 1)));

		p[r] = fmin(p[r], weir_t_upper(distance / error, n - 2));
	}
}

static void lower_all(const struct weir_comparing *comparing, const struct weir_compared_set *set,
                      bool tails, double *p)
{
	for (size_t k = 0; k < set->rows; k++)
		for (size_t i = 0; i < set->count; i++) {
			size_t at = k * set->count + i;
			const double *y = set->y + at * comparing->columns;

			if (is_tail(set, k) == tails && set->cells[at].tested &&
			    all_present(y, comparing->columns))
				hold_against_others(y, comparing->columns, p);
		}
}

/* Returns true if the most deviating row of the last run lies beyond those of the others. */
static bool stands_out(double *p, size_t count, double alpha)
{
	size_t others = count - 1;
	double b = (double)others;

	for (size_t r = 0; r < count; r++) /* a p of 0 is one below the smallest number */
		p[r] = weir_t_quantile_upper(fmax(p[r], 1e-300), INFINITY);
	return p[others] - weir_mean(p, others) >
	       weir_t_quantile_upper(alpha, b - 1) * sqrt(weir_variance(p, others) * (1 + 1 / b));
}

/* Demands two margins of a cell, also in the change that could be detected. */
static void demand_margins(struct weir_gate_cell *cell)
{
	double least = log1p(WEIR_SINGLE_RUN_MARGINS * expm1(cell->margin));
	double likely = weir_t_quantile_upper(1 - WEIR_POWER_DEFAULT, cell->df) *
	                sqrt(cell->variance * cell->width);

	cell->regression = cell->regression && cell->change >= least;
	cell->mde = fmax(cell->mde, least + likely); /* fmax() ignores a NAN */
}

static void acquit(const struct weir_compared_set *set, bool tails)
{
	for (size_t k = 0; k < set->rows; k++)
		for (size_t i = 0; i < set->count && is_tail(set, k) == tails; i++)
			set->cells[k * set->count + i].regression = false;
}

/* The margins of p95 and p99 are already multiplied: see WEIR_TAIL_MARGINS. */
static void demand_all(const struct weir_compared_set *set)
{
	for (size_t k = 0; k < set->rows; k++)
		for (size_t i = 0; i < set->count && !is_tail(set, k); i++)
			demand_margins(&set->cells[k * set->count + i]);
}

void weir_single_run_limit(struct weir_comparing *comparing)
{
	struct weir_compared_set *sets[] = {&comparing->stages, &comparing->devices,
	                                    &comparing->operators, &comparing->metrics};
	double *p;

	if (comparing->method != WEIR_METHOD_SINGLE_RUN)
		return;
	p = weir_alloc((comparing->columns + 1) * sizeof(*p));
	for (int tails = 0; tails < 2; tails++) {
		for (size_t r = 0; r < comparing->columns; r++)
			p[r] = 1;
		for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
			lower_all(comparing, sets[s], tails, p);
		if (stands_out(p, comparing->columns,
		               tails ? WEIR_SINGLE_RUN_ALPHA_TAILS : WEIR_SINGLE_RUN_ALPHA))
			continue;
		for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
			acquit(sets[s], tails);
		for (size_t k = 0; !tails && k < comparing->all_rows; k++)
			comparing->all[k].regression = false;
	}
	free(p);
	for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
		demand_all(sets[s]);
	for (size_t k = 0; k < comparing->all_rows; k++)
		demand_margins(&comparing->all[k]);
}
