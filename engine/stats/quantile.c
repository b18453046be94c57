/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

#include "engine/base/arena.h"
#include "engine/stats/quantile.h"
#include "engine/stats/special.h"

static int by_value(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

void weir_sort_values(double *values, size_t count)
{
	if (count > 1)
		qsort(values, count, sizeof *values, by_value);
}

double weir_quantile_sorted(const double *sorted, size_t count, double prob)
{
	if (count == 0 || isnan(prob))
		return NAN;
	return gsl_stats_quantile_from_sorted_data(sorted, 1, count, fmin(fmax(prob, 0), 1));
}

/* Returns a copy, or NULL if there are no values. The caller frees it. */
static double *copy_values(const double *values, size_t count)
{
	double *copy;

	if (count == 0)
		return NULL;
	copy = weir_realloc(NULL, count * sizeof(*copy));
	memcpy(copy, values, count * sizeof(*copy));
	return copy;
}

/* The position of a quantile: between the order statistics low and low + 1. */
struct place {
	size_t low;
	double delta;
};

static struct place place_of(size_t count, double prob)
{
	double at = fmin(fmax(prob, 0), 1) * (double)(count - 1);
	size_t low = (size_t)at;

	return (struct place){low, at - (double)low};
}

/* Interpolates exactly as gsl_stats_quantile_from_sorted_data() does. */
static double between(double lower, double upper, double delta)
{
	return (1 - delta) * lower + delta * upper;
}

/*
 * Moves the order statistics at ascending ranks within low..high to their places by selection, the
 * middle one first, which halves the range for the others. This takes linear time; sorting all
 * kernels of a trace would take longer than reading it.
 */
static void select_ranks(double *values, size_t low, size_t high, const size_t *ranks, size_t count)
{
	size_t middle = count / 2;
	size_t rank;

	if (count == 0)
		return;
	rank = ranks[middle];
	gsl_stats_select(values + low, 1, high - low, rank - low);
	select_ranks(values, low, rank, ranks, middle);
	select_ranks(values, rank + 1, high, ranks + middle + 1, count - middle - 1);
}

/* Returns a quantile whose lower order statistic is in its place, as are all values before it and
 * from `end` on. The upper one is the least of those between. */
static double placed_quantile(const double *values, struct place place, size_t end)
{
	double upper = values[place.low];

	if (place.low + 1 < end)
		upper = gsl_stats_min(values + place.low + 1, 1, end - place.low - 1);
	return between(values[place.low], upper, place.delta);
}

double weir_quantile_select(double *values, size_t count, double prob)
{
	struct place place;

	if (count == 0 || isnan(prob))
		return NAN;
	place = place_of(count, prob);
	select_ranks(values, 0, count, &place.low, 1);
	return placed_quantile(values, place, count);
}

double weir_order_select(double *values, size_t count, size_t rank)
{
	select_ranks(values, 0, count, &rank, 1);
	return values[rank];
}

static int by_rank(const void *left, const void *right)
{
	const size_t a = *(const size_t *)left, b = *(const size_t *)right;

	return (a > b) - (a < b);
}

/* Sorts the ranks and removes duplicates; returns their number. */
static size_t order_ranks(size_t *ranks, size_t count)
{
	size_t kept = 0;

	qsort(ranks, count, sizeof *ranks, by_rank);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || ranks[i] > ranks[kept - 1])
			ranks[kept++] = ranks[i];
	return kept;
}

void weir_quantiles_select(double *values, size_t count, const double *probs, size_t n, double *out)
{
	size_t *ranks = weir_alloc((n + 1) * sizeof *ranks);
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (count > 0 && !isnan(probs[i]))
			ranks[known++] = place_of(count, probs[i]).low;
	known = order_ranks(ranks, known);
	select_ranks(values, 0, count, ranks, known);
	for (size_t i = 0; i < n; i++) {
		struct place place;
		size_t next = 0;

		out[i] = NAN;
		if (count == 0 || isnan(probs[i]))
			continue;
		place = place_of(count, probs[i]);
		while (next < known && ranks[next] <= place.low)
			next++;
		out[i] = placed_quantile(values, place, next < known ? ranks[next] + 1 : count);
	}
	free(ranks);
}

void weir_quantiles(const double *values, size_t count, const double *probs, size_t n, double *out)
{
	double *copy = copy_values(values, count);

	weir_quantiles_select(copy, count, probs, n, out);
	free(copy);
}

double weir_median(const double *values, size_t count)
{
	const double half = 0.5;
	double median;

	weir_quantiles(values, count, &half, 1, &median);
	return median;
}

double weir_mad(const double *values, size_t count)
{
	double median = weir_median(values, count);
	double *deviations = copy_values(values, count);
	double mad;

	for (size_t i = 0; i < count; i++)
		deviations[i] = fabs(deviations[i] - median);
	mad = weir_median(deviations, count);
	free(deviations);
	return mad;
}

/* Probabilities of the gate's rows in ascending order: the deciles, then the tail. */
static const double row_probs[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99};

enum {
	DECILES = 9,
	AT_P50 = 4,
	AT_P90 = 8,
	AT_P95,
	AT_P99,
	PROBS,
};

void weir_log_rows(double *values, size_t count, double tick, double rows[WEIR_LOG_ROWS])
{
	double quantiles[PROBS], logs[PROBS];
	double sum = 0;

	weir_quantiles_select(values, count, row_probs, PROBS, quantiles);
	for (size_t i = 0; i < PROBS; i++) {
		double value = quantiles[i] < tick ? tick : quantiles[i];

		logs[i] = value > 0 ? log(value) : NAN;
		sum += i < DECILES ? logs[i] : 0;
	}
	rows[0] = logs[AT_P50];
	rows[1] = logs[AT_P90];
	rows[2] = logs[AT_P95];
	rows[3] = logs[AT_P99];
	rows[4] = sum / DECILES;
}

static double binomial_below(size_t rank, double prob, size_t count)
{
	return rank > 0 ? gsl_cdf_binomial_P((unsigned)(rank - 1), prob, (unsigned)count) : 0;
}

/* Returns the least rank in 1..count + 1 with P(X <= rank - 1) at or above the level, or strictly
 * above. */
static size_t first_rank(size_t count, double prob, double level, bool strictly)
{
	size_t low = 1;
	size_t high = count + 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		double below = binomial_below(middle, prob, count);

		if (strictly ? below > level : below >= level)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct weir_rank_interval weir_rank_interval(size_t count, double prob, double alpha)
{
	struct weir_rank_interval interval = {.coverage = NAN};

	weir_stats_init();
	if (count == 0 || count >= UINT_MAX || !(prob > 0 && prob < 1) || !(alpha > 0 && alpha < 1))
		return interval;
	interval.low = first_rank(count, prob, alpha / 2, true) - 1;
	interval.high = first_rank(count, prob, 1 - alpha / 2, false);
	interval.coverage = binomial_below(interval.high, prob, count) -
	                    binomial_below(interval.low, prob, count);
	if (interval.high > count) {
		interval.high = 0;
		interval.coverage = 1 - binomial_below(interval.low, prob, count);
	}
	return interval;
}

double weir_tail_share(const double *values, size_t count, double limit)
{
	size_t beyond = 0;

	if (count == 0)
		return NAN;
	for (size_t i = 0; i < count; i++)
		beyond += values[i] > limit;
	return 2 * asin(sqrt(((double)beyond + 3.0 / 8) / ((double)count + 3.0 / 4)));
}
