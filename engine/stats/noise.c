/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/stats/noise.h"
#include "engine/stats/special.h"

#define ALPHA 0.05

/* Sum of squares of one side, and its degrees of freedom. */
struct scatter {
	double squares, df;
};

/* Adds up the deviations of the columns [first, end). */
static struct scatter scatter_of(const double *deviations, size_t first, size_t end)
{
	struct scatter scatter = {.df = -1};

	for (size_t i = first; i < end; i++) {
		if (isnan(deviations[i]))
			continue;
		scatter.squares += deviations[i] * deviations[i];
		scatter.df++;
	}
	return scatter;
}

/* Adds a side in units of the subject's variance; a scatter below the least variance counts as the
 * least. */
static void add(struct scatter *sum, struct scatter side, double variance, double least)
{
	sum->squares += fmax(side.squares, side.df * least) / variance;
	sum->df += side.df;
}

double weir_noise_ratio(const struct weir_noise_pool *pool)
{
	struct scatter baseline = {0}, candidate = {0};
	double ratio, share, subjects = 0;

	for (size_t m = 0; m < pool->subjects; m++) {
		const double *deviations = pool->deviations + m * pool->columns;
		struct scatter before, after;
		double variance;

		if (!pool->used[m])
			continue;
		before = scatter_of(deviations, 0, pool->baselines);
		after = scatter_of(deviations, pool->baselines, pool->columns);
		if (before.df < 1 || after.df < 1)
			continue;
		variance = fmax((before.squares + after.squares) / (before.df + after.df),
		                pool->least);
		add(&baseline, before, variance, pool->least);
		add(&candidate, after, variance, pool->least);
		subjects++;
	}
	if (subjects == 0)
		return 1;
	ratio = candidate.squares / candidate.df / (baseline.squares / baseline.df);
	share = fmin(pool->independent / subjects, 1);
	if (!(ratio > 1) || weir_f_upper(ratio, share * candidate.df, share * baseline.df) > ALPHA)
		return 1;
	return ratio;
}
