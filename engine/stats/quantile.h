/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Order statistics of samples. Quantiles are of type 7 (R. J. Hyndman and Y. Fan, Sample quantiles
 * in statistical packages, The American Statistician 50(4), 1996): linear between the order
 * statistics around (n - 1) p. The unit is that of the values. Values must not be NAN. No values:
 * NAN.
 */
#ifndef WEIR_STATS_QUANTILE_H
#define WEIR_STATS_QUANTILE_H

#include <stddef.h>

/* prob is clamped to 0..1. */
double weir_quantile_sorted(const double *sorted, size_t count, double prob);

/* Works on a copy; the n probabilities may come in any order. */
void weir_quantiles(const double *values, size_t count, const double *probs, size_t n, double *out);

double weir_median(const double *values, size_t count);
/* Median of the absolute deviations from the median, not scaled to a standard deviation. */
double weir_mad(const double *values, size_t count);

#endif
