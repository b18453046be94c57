/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/stats/drift.h"
#include "engine/stats/moderated.h"
#include "engine/stats/moments.h"
#include "engine/stats/power.h"
#include "engine/stats/special.h"

/* Square of 0.2 %, the smallest standard deviation between runs that the gate assumes. */
#define LEAST_VARIANCE 4e-6
#define LEAST_DF       4
#define INTERVAL_ALPHA 0.05

static bool is_complete(const double *y, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (isnan(y[i]))
			return false;
	return count > 2;
}

/* Writes the residuals around the straight line; returns their variance. */
static double detrend(const double *y, size_t count, double *residuals)
{
	double centre = ((double)count - 1) / 2, level = weir_mean(y, count);
	double both = 0, squares = 0, slope, sum = 0;

	for (size_t i = 0; i < count; i++) {
		both += ((double)i - centre) * (y[i] - level);
		squares += ((double)i - centre) * ((double)i - centre);
	}
	slope = both / squares;
	for (size_t i = 0; i < count; i++) {
		residuals[i] = y[i] - level - slope * ((double)i - centre);
		sum += residuals[i] * residuals[i];
	}
	return fmax(sum / (double)(count - 2), LEAST_VARIANCE);
}

static void test_subject(const struct weir_drift_input *in, size_t subject, double variance,
                         double tests, struct weir_drift_cell *cell)
{
	double margin = log1p(in->margins[subject]), half, slack;
	double error = sqrt(variance * (1 / (double)in->anchor + 1 / (double)in->newest));

	half = weir_t_quantile_upper(INTERVAL_ALPHA, cell->df) * error;
	slack = weir_power_slack(false, margin, error, cell->df);
	cell->low = cell->change - half;
	cell->high = cell->change + half;
	cell->p = weir_t_upper(cell->change / error, cell->df);
	cell->p_adjusted = fmin(1, cell->p * tests * WEIR_DRIFT_HORIZON / (double)in->new_runs);
	cell->drifts = cell->p_adjusted <= in->alpha && cell->change + slack >= margin;
}

void weir_drift_test(const struct weir_drift_input *in, struct weir_drift_cell *cells)
{
	double *residuals = weir_alloc((in->subjects * in->units + 1) * sizeof(*residuals));
	double *variances = weir_alloc((2 * in->subjects + 1) * sizeof(*variances));
	double *df = variances + in->subjects, tests = 0;
	const struct weir_variance_pool pool = {residuals, in->subjects, in->units, variances, df};

	for (size_t m = 0; m < in->subjects; m++) {
		const double *y = in->y + m * in->units;

		cells[m] = (struct weir_drift_cell){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, false};
		variances[m] = df[m] = NAN;
		if (!is_complete(y, in->units) || in->units < LEAST_DF + 2)
			continue;
		variances[m] = detrend(y, in->units, residuals + m * in->units);
		df[m] = (double)in->units - 2;
		cells[m].anchor = weir_mean(y, in->anchor);
		cells[m].newest = weir_mean(y + in->units - in->newest, in->newest);
		cells[m].change = cells[m].newest - cells[m].anchor;
		tests++;
	}
	if (tests > 0)
		weir_pool_moderate(&pool);
	for (size_t m = 0; m < in->subjects; m++) {
		cells[m].df = df[m];
		if (!isnan(df[m]))
			test_subject(in, m, variances[m], tests, &cells[m]);
	}
	free(residuals);
	free(variances);
}
