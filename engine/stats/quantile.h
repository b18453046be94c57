/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Order statistics of samples. Quantiles are of type 7 (R. J. Hyndman and Y. Fan, Sample quantiles
 * in statistical packages, The American Statistician 50(4), 1996): linear between the order
 * statistics around (n - 1) p, in the unit of the values. Values must not be NAN. Without values,
 * all results are NAN.
 */
#ifndef WEIR_STATS_QUANTILE_H
#define WEIR_STATS_QUANTILE_H

#include <stddef.h>

/* Sorts in ascending order, in place. */
void weir_sort_values(double *values, size_t count);

/* prob is limited to 0..1. */
double weir_quantile_sorted(const double *sorted, size_t count, double prob);

/* Computes n quantiles from a copy; the probabilities may be in any order. */
void weir_quantiles(const double *values, size_t count, const double *probs, size_t n, double *out);

/* Computes one quantile without a copy; reorders the values. */
double weir_quantile_select(double *values, size_t count, double prob);
/* Returns the order statistic of a rank, which is less than `count`, 0 being the least value;
 * reorders the values. */
double weir_order_select(double *values, size_t count, size_t rank);
/* Computes several quantiles without a copy, in any order; reorders the values. */
void weir_quantiles_select(double *values, size_t count, const double *probs, size_t n,
                           double *out);

double weir_median(const double *values, size_t count);
/* Median of the absolute deviations from the median; not scaled to a standard deviation. */
double weir_mad(const double *values, size_t count);

/* The rows of the gate in this order: natural logs of p50, p90, p95, p99, and `shift`, the mean of
 * the logs of the deciles .1 to .9. */
#define WEIR_LOG_ROWS 5

/*
 * Reduces one run to its rows: log(max(quantile, tick)). tick is the timer step in the unit of the
 * values, 0 for none. Works without a copy in linear time, and reorders the values. NAN for
 * quantiles that are not positive and for runs without values.
 */
void weir_log_rows(double *values, size_t count, double tick, double rows[WEIR_LOG_ROWS]);

/*
 * Returns the share of the values above `limit`, transformed to 2 asin(sqrt((k + 3/8) / (n +
 * 3/4))), whose variance is about 1 / n for independent values and any share (F. J. Anscombe, The
 * transformation of Poisson, binomial and negative-binomial data, Biometrika 35, 1948). A quantile
 * in a gap between two modes jumps by the gap if one value more lies beyond it; the share does not.
 */
double weir_tail_share(const double *values, size_t count, double limit);

/* Distribution-free interval of a quantile by order statistics. */
struct weir_rank_interval {
	size_t low, high; /* ranks from 1; 0: no order statistic is low or high enough */
	double coverage;  /* with an open end counted as unbounded; NAN without values */
};

/* Returns the largest low with P(X <= low - 1) <= alpha/2 and the smallest high with P(X <= high -
 * 1) >= 1 - alpha/2 for X binomial in (count, prob): a two-sided interval of level 1 - alpha. */
struct weir_rank_interval weir_rank_interval(size_t count, double prob, double alpha);

#endif
