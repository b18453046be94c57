/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means, variances and autocorrelation. Variances take two passes, so that large values with little
 * scatter keep their precision. */
#ifndef WEIR_STATS_MOMENTS_H
#define WEIR_STATS_MOMENTS_H

#include <stddef.h>

/* NAN if there are no values. */
double weir_mean(const double *values, size_t count);
/* Sum of squared deviations from the mean; 0 for one value, NAN for none. */
double weir_squares(const double *values, size_t count);
/* Divisor count - 1; NAN for fewer than two values. */
double weir_variance(const double *values, size_t count);

/* Biased (divisor n) autocorrelation; NAN without scatter or for a lag beyond the series. */
double weir_autocorrelation(const double *values, size_t count, size_t lag);

/*
 * Returns the effective sample size min(n, n / (1 + 2 S)): S sums pairs of autocorrelations (1,2),
 * (3,4) ... while they are positive, each limited to the one before (after C. J. Geyer, Statistical
 * Science 7, 1992, there from lag 0). Without scatter: n; without values: 0. Quadratic time at
 * worst; stops at the first pair that is not positive.
 */
double weir_ess(const double *values, size_t count);

#endif
