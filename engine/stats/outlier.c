/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/stats/moments.h"
#include "engine/stats/outlier.h"
#include "engine/stats/quantile.h"
#include "engine/stats/special.h"

/* Standard deviation over median absolute deviation of a normal distribution. */
#define MAD_TO_SD     1.4826022185056018
#define BATCHES_LEAST 2
#define BATCH_LEAST   2

static double squared_error(const struct weir_outlier_input *in, size_t i)
{
	return in->error && !isnan(in->error[i]) ? in->error[i] * in->error[i] : 0;
}

static double median_squared_error(const struct weir_outlier_input *in)
{
	double *squares = weir_alloc((in->count + 1) * sizeof(*squares));
	double median;

	for (size_t i = 0; i < in->count; i++)
		squares[i] = squared_error(in, i);
	median = weir_median(squares, in->count);
	free(squares);
	return median;
}

void weir_outlier_test(const struct weir_outlier_input *in, struct weir_outlier_cell *out)
{
	double median = weir_median(in->ratio, in->count);
	double spread = MAD_TO_SD * weir_mad(in->ratio, in->count);
	double unexplained = fmax(0, spread * spread - median_squared_error(in));

	for (size_t i = 0; i < in->count; i++) {
		double variance = fmax(spread * spread, unexplained + squared_error(in, i));

		out[i].relative = in->ratio[i] - median;
		out[i].scale = sqrt(variance + in->floor[i]);
		weir_t_tails(out[i].relative / out[i].scale, in->df, &out[i].p, &out[i].p_faster);
	}
}

double weir_outlier_batch_error(const double *values, size_t count, double prob, size_t batches)
{
	size_t length = batches > 0 ? count / batches : 0;
	double error = NAN;
	double *logs;

	if (batches < BATCHES_LEAST || length < BATCH_LEAST)
		return NAN;
	logs = weir_alloc(batches * sizeof(*logs));
	for (size_t i = 0; i < batches; i++) {
		double quantile;

		weir_quantiles(values + i * length, length, &prob, 1, &quantile);
		logs[i] = quantile > 0 ? log(quantile) : NAN;
	}
	error = sqrt(weir_variance(logs, batches) / (double)batches);
	free(logs);
	return error;
}
