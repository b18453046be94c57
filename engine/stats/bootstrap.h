/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Intervals by resampling, for display only: no verdict uses random numbers. The generator is
 * MT19937 with an explicit seed, so that the same input gives the same interval everywhere.
 */
#ifndef WEIR_STATS_BOOTSTRAP_H
#define WEIR_STATS_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

/* Seed of one row: more rows, or another order of them, change no other row's numbers. */
uint64_t weir_seed_of(uint64_t seed, const char *row_name);

/* A statistic of values that it may reorder. */
typedef double (*weir_statistic)(double *values, size_t count, const void *context);

double weir_statistic_mean(double *values, size_t count, const void *context);
/* context: const double *, the probability. Type 7. */
double weir_statistic_quantile(double *values, size_t count, const void *context);

struct weir_bootstrap {
	weir_statistic statistic;
	const void *context;
	size_t resamples;
	double level; /* two-sided: 0.95 */
	uint64_t seed;
};

struct weir_interval {
	double low, high;
};

struct weir_bootstrap_intervals {
	double estimate;
	struct weir_interval percentile;
	/* Bias-corrected and accelerated (B. Efron, JASA 82, 1987). NAN where the statistic is
	 * the same in every resample or without a value on one side. */
	struct weir_interval bca;
};

/* NAN for fewer than two values or no resamples. */
struct weir_bootstrap_intervals weir_bootstrap(const struct weir_bootstrap *how,
                                               const double *values, size_t count);

#endif
