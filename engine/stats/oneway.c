/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "engine/base/arena.h"
#include "engine/stats/moments.h"
#include "engine/stats/oneway.h"
#include "engine/stats/special.h"

struct squares {
	double between, within;
};

/* Adds up squared deviations in two passes, so that large values keep their precision. */
static struct squares squares_of(const double *values, const size_t *group, size_t count,
                                 size_t groups)
{
	double *sum = weir_alloc(groups * sizeof *sum), *size = weir_alloc(groups * sizeof *size);
	double mean = weir_mean(values, count);
	struct squares squares = {0};

	for (size_t i = 0; i < count; i++) {
		sum[group[i]] += values[i] - mean;
		size[group[i]]++;
	}
	for (size_t g = 0; g < groups; g++)
		squares.between += sum[g] * sum[g] / size[g];
	for (size_t i = 0; i < count; i++) {
		double off = values[i] - mean - sum[group[i]] / size[group[i]];

		squares.within += off * off;
	}
	free(sum);
	free(size);
	return squares;
}

/* Returns the sum of squares that rounding alone can cause. */
static double noise_of(const double *values, size_t count)
{
	double largest = 0;

	for (size_t i = 0; i < count; i++)
		largest = fmax(largest, fabs(values[i]));
	largest *= 4 * DBL_EPSILON;
	return (double)count * largest * largest;
}

struct weir_oneway weir_oneway(const double *values, const size_t *group, size_t count,
                               size_t groups)
{
	struct weir_oneway result = {NAN, NAN, NAN};
	double among = (double)groups - 1, left = (double)count - (double)groups, noise;
	struct squares squares;

	if (groups < 2 || groups >= count)
		return result;
	weir_stats_init();
	squares = squares_of(values, group, count, groups);
	noise = noise_of(values, count);
	if (squares.between + squares.within <= noise)
		return result;
	if (squares.within <= noise)
		return (struct weir_oneway){1, INFINITY, 0};
	result.f = squares.between / among / (squares.within / left);
	result.share = (squares.between - among * squares.within / left) /
	               (squares.between + squares.within + squares.within / left);
	result.share = fmax(result.share, 0);
	result.p = gsl_cdf_fdist_Q(result.f, among, left);
	return result;
}
