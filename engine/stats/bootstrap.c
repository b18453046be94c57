/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>

#include "engine/base/arena.h"
#include "engine/base/splitmix.h"
#include "engine/stats/bootstrap.h"
#include "engine/stats/moments.h"
#include "engine/stats/quantile.h"
#include "engine/stats/special.h"

uint64_t weir_seed_of(uint64_t seed, const char *row_name)
{
	uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

	for (const char *c = row_name; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	return weir_splitmix64(seed ^ hash);
}

double weir_statistic_mean(double *values, size_t count, const void *context)
{
	(void)context;
	return weir_mean(values, count);
}

double weir_statistic_quantile(double *values, size_t count, const void *context)
{
	return weir_quantile_select(values, count, *(const double *)context);
}

/* Returns the statistic of every resample in ascending order. scratch holds count values. */
static double *resample(const struct weir_bootstrap *how, const double *values, size_t count,
                        double *scratch)
{
	double *found = weir_alloc(how->resamples * sizeof(*found));
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	if (!rng)
		weir_out_of_memory();
	gsl_rng_set(rng, (unsigned long)(how->seed & UINT32_MAX));
	for (size_t i = 0; i < how->resamples; i++) {
		for (size_t j = 0; j < count; j++)
			scratch[j] = values[gsl_rng_uniform_int(rng, (unsigned long)count)];
		found[i] = how->statistic(scratch, count, how->context);
	}
	gsl_rng_free(rng);
	weir_sort_values(found, how->resamples);
	return found;
}

/* Returns the skewness of the statistic's jackknife values: the change of its spread with its
 * size. */
static double acceleration(const struct weir_bootstrap *how, const double *values, size_t count,
                           double *scratch)
{
	double *jackknife = weir_alloc(count * sizeof(*jackknife));
	double squares = 0;
	double cubes = 0;
	double mean;

	for (size_t i = 0; i < count; i++) {
		memcpy(scratch, values, i * sizeof(*scratch));
		memcpy(scratch + i, values + i + 1, (count - i - 1) * sizeof(*scratch));
		jackknife[i] = how->statistic(scratch, count - 1, how->context);
	}
	mean = weir_mean(jackknife, count);
	for (size_t i = 0; i < count; i++) {
		double d = mean - jackknife[i];

		squares += d * d;
		cubes += d * d * d;
	}
	free(jackknife);
	return cubes / (6 * pow(squares, 1.5));
}

/* Returns the standard normal quantile of the share of resamples below the estimate; ties count
 * half. */
static double bias(const double *found, size_t count, double estimate)
{
	double below = 0;

	for (size_t i = 0; i < count; i++) {
		if (found[i] < estimate)
			below += 1;
		else if (found[i] == estimate)
			below += 0.5;
	}
	if (below <= 0 || below >= (double)count)
		return NAN;
	return gsl_cdf_ugaussian_Pinv(below / (double)count);
}

/* Returns the probability at which BCa reads the sorted resamples instead of `prob`. */
static double moved(double prob, double z0, double a)
{
	double z = z0 + gsl_cdf_ugaussian_Pinv(prob);

	return gsl_cdf_ugaussian_P(z0 + z / (1 - a * z));
}

struct weir_bootstrap_intervals weir_bootstrap(const struct weir_bootstrap *how,
                                               const double *values, size_t count)
{
	struct weir_bootstrap_intervals out = {NAN, {NAN, NAN}, {NAN, NAN}};
	double tail = (1 - how->level) / 2;
	double *scratch;
	double *found;
	double z0, a;

	weir_stats_init();
	if (count < 2 || how->resamples == 0)
		return out;
	scratch = weir_alloc(count * sizeof(*scratch));
	memcpy(scratch, values, count * sizeof(*scratch));
	out.estimate = how->statistic(scratch, count, how->context);
	found = resample(how, values, count, scratch);
	z0 = bias(found, how->resamples, out.estimate);
	a = acceleration(how, values, count, scratch);
	out.percentile.low = weir_quantile_sorted(found, how->resamples, tail);
	out.percentile.high = weir_quantile_sorted(found, how->resamples, 1 - tail);
	/* A NAN in z0 or a gives a probability of NAN, whose quantile is NAN. */
	out.bca.low = weir_quantile_sorted(found, how->resamples, moved(tail, z0, a));
	out.bca.high = weir_quantile_sorted(found, how->resamples, moved(1 - tail, z0, a));
	free(scratch);
	free(found);
	return out;
}
