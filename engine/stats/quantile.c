/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_statistics_double.h>

#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

double weir_quantile_sorted(const double *sorted, size_t count, double prob)
{
	if (count == 0 || isnan(prob))
		return NAN;
	return gsl_stats_quantile_from_sorted_data(sorted, 1, count, fmin(fmax(prob, 0), 1));
}

/* NULL for no values; the caller frees it. */
static double *copy_values(const double *values, size_t count)
{
	double *copy;

	if (count == 0)
		return NULL;
	copy = weir_realloc(NULL, count * sizeof(*copy));
	memcpy(copy, values, count * sizeof(*copy));
	return copy;
}

/*
 * Type 7 between the two order statistics around (n - 1) p, each found by selection: linear, where
 * a full sort of every kernel of a trace would take longer than reading it. Reorders the values.
 */
static double select_quantile(double *values, size_t count, double prob)
{
	double at = fmin(fmax(prob, 0), 1) * (double)(count - 1);
	size_t low = (size_t)at;
	double delta = at - (double)low;
	double lower = gsl_stats_select(values, 1, count, low);

	if (low + 1 == count)
		return lower;
	/* As gsl_stats_quantile_from_sorted_data() has it, to the last bit. */
	return (1 - delta) * lower + delta * gsl_stats_select(values, 1, count, low + 1);
}

void weir_quantiles(const double *values, size_t count, const double *probs, size_t n, double *out)
{
	double *copy = copy_values(values, count);

	for (size_t i = 0; i < n; i++)
		out[i] = count == 0 || isnan(probs[i]) ? NAN
		                                       : select_quantile(copy, count, probs[i]);
	free(copy);
}

double weir_median(const double *values, size_t count)
{
	const double half = 0.5;
	double median;

	weir_quantiles(values, count, &half, 1, &median);
	return median;
}

double weir_mad(const double *values, size_t count)
{
	double median = weir_median(values, count);
	double *deviations = copy_values(values, count);
	double mad;

	for (size_t i = 0; i < count; i++)
		deviations[i] = fabs(deviations[i] - median);
	mad = weir_median(deviations, count);
	free(deviations);
	return mad;
}
