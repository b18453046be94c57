/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many independent values a series of dependent ones is worth. */
#ifndef WEIR_STATS_ESS_H
#define WEIR_STATS_ESS_H

#include <stddef.h>

/* Biased (divisor n) autocorrelation; NAN without scatter or for a lag beyond the series. */
double weir_autocorrelation(const double *values, size_t count, size_t lag);

/*
 * min(n, n / (1 + 2 S)): S sums pairs of autocorrelations (1,2), (3,4) ... while they are positive,
 * each at most the one before (after C. J. Geyer, Statistical Science 7, 1992, there from lag 0).
 * No scatter: n. No values: 0. Quadratic at worst; stops at the first pair that is not positive.
 */
double weir_ess(const double *values, size_t count);

#endif
