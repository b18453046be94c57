/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/stats/moments.h"

double weir_mean(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return count > 0 ? sum / (double)count : NAN;
}

double weir_squares(const double *values, size_t count)
{
	double mean = weir_mean(values, count);
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return count > 0 ? sum : NAN;
}

double weir_variance(const double *values, size_t count)
{
	return count > 1 ? weir_squares(values, count) / (double)(count - 1) : NAN;
}

static double autocovariance(const double *values, size_t count, double mean, size_t lag)
{
	double sum = 0;

	for (size_t i = 0; i + lag < count; i++)
		sum += (values[i] - mean) * (values[i + lag] - mean);
	return sum / (double)count;
}

double weir_autocorrelation(const double *values, size_t count, size_t lag)
{
	double mean = weir_mean(values, count);
	double variance = autocovariance(values, count, mean, 0);

	if (lag >= count || !(variance > 0))
		return NAN;
	return autocovariance(values, count, mean, lag) / variance;
}

double weir_ess(const double *values, size_t count)
{
	double n = (double)count;
	double mean = weir_mean(values, count);
	double variance = count > 0 ? autocovariance(values, count, mean, 0) : 0;
	double before = INFINITY;
	double sum = 0;

	if (!(variance > 0))
		return n;
	for (size_t lag = 1; lag + 1 < count; lag += 2) {
		double pair = (autocovariance(values, count, mean, lag) +
		               autocovariance(values, count, mean, lag + 1)) /
		              variance;

		if (!(pair > 0))
			break;
		before = fmin(before, pair);
		sum += before;
	}
	return fmin(n, n / (1 + 2 * sum));
}
