/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/analysis/time/distribution.h"
#include "engine/stats/quantile.h"

struct weir_distribution weir_distribution_of(const double *values, size_t count)
{
	static const double probs[] = {0.50, 0.90, 0.95, 0.99};
	struct weir_distribution out = {.count = count, .total_ns = count > 0 ? 0.0 : NAN};
	double quantiles[4];

	weir_quantiles(values, count, probs, 4, quantiles);
	for (size_t i = 0; i < count; i++)
		out.total_ns += values[i];
	out.p50_ns = quantiles[0];
	out.p90_ns = quantiles[1];
	out.p95_ns = quantiles[2];
	out.p99_ns = quantiles[3];
	return out;
}
