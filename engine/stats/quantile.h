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

/* Ascending, in place. */
void weir_sort_values(double *values, size_t count);

/* prob is clamped to 0..1. */
double weir_quantile_sorted(const double *sorted, size_t count, double prob);

/* Works on a copy; the n probabilities may come in any order. */
void weir_quantiles(const double *values, size_t count, const double *probs, size_t n, double *out);

/* The same for one probability, without a copy: reorders the values. */
double weir_quantile_select(double *values, size_t count, double prob);
/* And for several in any order: each narrows the search for the others. */
void weir_quantiles_select(double *values, size_t count, const double *probs, size_t n,
                           double *out);

double weir_median(const double *values, size_t count);
/* Median of the absolute deviations from the median, not scaled to a standard deviation. */
double weir_mad(const double *values, size_t count);

/* The rows of the gate, in this order: natural logs of p50, p90, p95, p99, and `shift`, the mean of
 * the log deciles .1 to .9. */
#define WEIR_LOG_ROWS 5

/*
 * Reduces one run to its rows: log(max(quantile, tick)), tick being the timer step in the unit of
 * the values, 0 for none. Reorders the values, so as to work without a copy: linear in count. NAN
 * where a quantile is not positive, or without values.
 */
void weir_log_rows(double *values, size_t count, double tick, double rows[WEIR_LOG_ROWS]);

/* Distribution-free interval of a quantile by order statistics. */
struct weir_rank_interval {
	size_t low, high; /* ranks from 1; 0: no order statistic is low or high enough */
	double coverage;  /* an open end counts as unbounded; NAN for no values */
};

/* The largest low with P(X <= low - 1) <= alpha/2 and the smallest high with P(X <= high - 1) >= 1
 * - alpha/2, X binomial in (count, prob): the two-sided interval holds 1 - alpha. */
struct weir_rank_interval weir_rank_interval(size_t count, double prob, double alpha);

#endif
