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

/* Returns the sum of squared deviations from the mean. */
static double squares(const double *values, size_t count)
{
	double mean = weir_mean(values, count);
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sum;
}

double weir_variance(const double *values, size_t count)
{
	return count > 1 ? squares(values, count) / (double)(count - 1) : NAN;
}
