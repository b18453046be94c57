/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Confidence intervals by resampling, for display only: no verdict uses random numbers. The
 * generator is MT19937 with an explicit seed, so that equal inputs give equal intervals everywhere.
 */
#ifndef WEIR_STATS_BOOTSTRAP_H
#define WEIR_STATS_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

/* Derives the seed of one row from its name, so that adding or reordering rows does not change the
 * numbers of others. */
uint64_t weir_seed_of(uint64_t seed, const char *row_name);

/* Computes a statistic; may reorder the values. */
typedef double (*weir_statistic)(double *values, size_t count, const void *context);

double weir_statistic_mean(double *values, size_t count, const void *context);
/* A quantile of type 7. context: const double *, the probability. */
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
	/* Bias-corrected and accelerated (B. Efron, JASA 82, 1987). NAN if the statistic is the
	 * same in every resample, or if no resample is below or above the estimate. */
	struct weir_interval bca;
};

/* Returns NAN intervals for fewer than two values or no resamples. */
struct weir_bootstrap_intervals weir_bootstrap(const struct weir_bootstrap *how,
                                               const double *values, size_t count);

#endif
