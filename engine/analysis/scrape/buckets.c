/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/scrape/buckets.h"
#include "engine/base/arena.h"

/* Smaller relative decreases are rounding errors (prometheus/promql/quantile.go). */
#define NOISE 1e-12
/* Rounding error of a running sum of many small numbers, relative to the sum. */
#define SUM_ROUNDING 1e-9
/* Observations from this multiple of the usual one on are long. */
#define LONG 2

void weir_buckets_release(struct weir_buckets *buckets)
{
	free(buckets->bound);
	free(buckets->cumulative);
	*buckets = (struct weir_buckets){0};
}

static void reserve(struct weir_buckets *buckets, size_t count)
{
	buckets->bound = weir_alloc((count + 1) * sizeof(double));
	buckets->cumulative = weir_alloc((count + 1) * sizeof(double));
}

static void push(struct weir_buckets *buckets, double bound, double cumulative)
{
	buckets->bound[buckets->count] = bound;
	buckets->cumulative[buckets->count++] = cumulative;
}

static bool usable(double value)
{
	return isfinite(value) && value >= 0;
}

void weir_buckets_read(struct weir_buckets *buckets, const struct weir_scrape *scrape,
                       uint32_t series)
{
	const struct weir_scrape_series *own = &scrape->series[series];

	*buckets = (struct weir_buckets){
		.sum = weir_scrape_value(scrape, series, WEIR_PART_SUM),
		.observations = weir_scrape_value(scrape, series, WEIR_PART_COUNT)};
	if (!isfinite(buckets->sum))
		buckets->sum = NAN;
	if (!usable(buckets->observations))
		buckets->observations = NAN;
	buckets->rounding = SUM_ROUNDING * fabs(buckets->sum);
	reserve(buckets, own->sample_count + 1);
	for (size_t i = own->first_sample; i < own->first_sample + own->sample_count; i++) {
		const struct weir_scrape_sample *sample = &scrape->samples[i];

		if (sample->part == WEIR_PART_BUCKET && usable(sample->value))
			push(buckets, sample->bound, sample->value);
	}
	if (!buckets->count || !isinf(buckets->bound[buckets->count - 1])) {
		if (isnan(buckets->observations))
			buckets->count = 0;
		else
			push(buckets, INFINITY, buckets->observations);
	} else if (isnan(buckets->observations)) {
		buckets->observations = buckets->cumulative[buckets->count - 1];
	}
}

/* Reduces `into` to the bounds that both have, and adds the counts of `other`, times `sign`. */
static void combine(struct weir_buckets *into, const struct weir_buckets *other, double sign)
{
	size_t kept = 0, at = 0;

	for (size_t i = 0; i < into->count; i++) {
		while (at < other->count && other->bound[at] < into->bound[i])
			at++;
		if (at == other->count || other->bound[at] != into->bound[i])
			continue;
		into->bound[kept] = into->bound[i];
		into->cumulative[kept++] = into->cumulative[i] + sign * other->cumulative[at];
	}
	into->count = kept;
	into->sum += sign * other->sum;
	into->observations += sign * other->observations;
	into->rounding += other->rounding;
	into->repaired = into->repaired || other->repaired;
}

static bool decreased(double before, double after)
{
	return after < before && before - after > NOISE * before;
}

/* True if a figure that can only grow decreased. */
static bool is_reset(const struct weir_buckets *after, const struct weir_buckets *before)
{
	bool never_negative = !after->count || after->bound[0] >= 0;

	if (decreased(before->observations, after->observations) ||
	    (never_negative && decreased(before->sum, after->sum)))
		return true;
	for (size_t i = 0, at = 0; i < after->count; i++) {
		while (at < before->count && before->bound[at] < after->bound[i])
			at++;
		if (at < before->count && before->bound[at] == after->bound[i] &&
		    decreased(before->cumulative[at], after->cumulative[i]))
			return true;
	}
	return false;
}

/* Raises counts that decrease along the bounds. Returns the largest decrease. */
static double make_monotonic(struct weir_buckets *buckets)
{
	double largest = 0, highest = 0;

	for (size_t i = 0; i < buckets->count; i++) {
		double dip = highest - buckets->cumulative[i];

		if (dip > NOISE * highest && dip > largest)
			largest = dip;
		highest = fmax(highest, buckets->cumulative[i]);
		buckets->cumulative[i] = highest;
	}
	return largest;
}

void weir_buckets_subtract(struct weir_buckets *after, const struct weir_buckets *before,
                           bool restarted, struct weir_counting *out)
{
	size_t bounds = after->count;

	*out = (struct weir_counting){0};
	out->reset = before && (restarted || is_reset(after, before));
	if (before && !out->reset)
		combine(after, before, -1);
	out->unaligned = bounds > 1 && after->count <= 1;
	out->largest_dip = make_monotonic(after);
	after->repaired = out->largest_dip > 0;
}

void weir_buckets_add(struct weir_buckets *into, const struct weir_buckets *other)
{
	if (into->bound) {
		combine(into, other, 1);
		make_monotonic(
			into); /* only rounding can break the order of a sum of monotonic counts */
		return;
	}
	*into = *other;
	reserve(into, other->count);
	if (other->count) {
		memcpy(into->bound, other->bound, other->count * sizeof(double));
		memcpy(into->cumulative, other->cumulative, other->count * sizeof(double));
	}
}

double weir_buckets_total(const struct weir_buckets *buckets)
{
	return buckets->count ? buckets->cumulative[buckets->count - 1] : buckets->observations;
}

/* Returns the number of observations in bucket i alone. */
static double in_bucket(const struct weir_buckets *buckets, size_t i)
{
	return buckets->cumulative[i] - (i > 0 ? buckets->cumulative[i - 1] : 0);
}

static double lower_bound(const struct weir_buckets *buckets, size_t i)
{
	if (i > 0)
		return buckets->bound[i - 1];
	return buckets->bound[0] > 0 ? 0 : -INFINITY;
}

/* Computes the smallest and the largest possible sum of the observations in all buckets but
 * `excluded`. */
static void sum_others(const struct weir_buckets *buckets, size_t excluded, double *least,
                       double *most)
{
	*least = *most = 0;
	for (size_t i = 0; i < buckets->count; i++) {
		double own = in_bucket(buckets, i);

		if (i == excluded || own <= 0)
			continue;
		*least += own * lower_bound(buckets, i);
		*most += own * buckets->bound[i];
	}
}

bool weir_buckets_consistent(const struct weir_buckets *buckets)
{
	double least, most;

	if (buckets->count < 2 || isnan(buckets->sum))
		return true;
	sum_others(buckets, SIZE_MAX, &least, &most);
	return buckets->sum >= least - buckets->rounding &&
	       buckets->sum <= most + buckets->rounding;
}

/* True if the sum of all observations is about the observations that the buckets count. */
static bool has_sum(const struct weir_buckets *buckets)
{
	return !isnan(buckets->sum) && !buckets->repaired &&
	       buckets->observations == weir_buckets_total(buckets) &&
	       weir_buckets_consistent(buckets);
}

/*
 * Narrows the interval of one observation by the sum of all observations. Of the n observations in
 * bucket j, n - m + 1 are at least as large as the one of rank m, and the others are at least the
 * lower bound. The largest possible sum of the bucket therefore limits it from above; likewise the
 * smallest sum from below.
 */
static void narrow_by_sum(const struct weir_buckets *buckets, size_t j, double rank,
                          struct weir_quantile_estimate *out)
{
	double n = in_bucket(buckets, j), m = rank - (buckets->cumulative[j] - n);
	double low = lower_bound(buckets, j), high = buckets->bound[j];
	double least_others, most_others, least, most;

	if (!(m >= 1) || !has_sum(buckets))
		return;
	sum_others(buckets, j, &least_others, &most_others);
	most = buckets->sum + buckets->rounding - least_others;
	least = buckets->sum - buckets->rounding - most_others;
	if (m > 1)
		most -= (m - 1) * low;
	if (m < n)
		least -= (n - m) * high;
	out->high = fmin(out->high, fmax(most / (n - m + 1), out->low));
	out->low = fmax(out->low, fmin(least / m, out->high));
}

/* Returns ceil(q N); a q N that is a whole number up to rounding errors counts as that number. */
static double nearest_rank(double q, double total)
{
	double exact = q * total, whole = nearbyint(exact);
	double rank = fabs(exact - whole) <= 1e-9 * fmax(1, whole) ? whole : ceil(exact);

	return fmax(rank, 1);
}

/* Returns the first bucket whose cumulative count reaches `rank`. */
static size_t find_bucket(const struct weir_buckets *buckets, double rank)
{
	size_t low = 0, high = buckets->count - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (buckets->cumulative[middle] >= rank)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Estimates the observation of a rank as PromQL does. */
static double interpolate(const struct weir_buckets *buckets, double rank)
{
	size_t j = find_bucket(buckets, rank);
	double low, before;

	if (j == buckets->count - 1)
		return buckets->bound[j - 1];
	if (j == 0 && buckets->bound[0] <= 0)
		return buckets->bound[0];
	low = j > 0 ? buckets->bound[j - 1] : 0;
	before = j > 0 ? buckets->cumulative[j - 1] : 0;
	return low +
	       (buckets->bound[j] - low) * (rank - before) / (buckets->cumulative[j] - before);
}

void weir_buckets_quantile(const struct weir_buckets *buckets, double q,
                           struct weir_quantile_estimate *out)
{
	double total = buckets->count ? weir_buckets_total(buckets) : 0, rank;
	size_t j;

	*out = (struct weir_quantile_estimate){.estimate = NAN, .low = NAN, .high = NAN};
	if (buckets->count < 2 || !(total >= 1) || !(q >= 0 && q <= 1))
		return;
	rank = nearest_rank(q, total);
	j = find_bucket(buckets, rank);
	out->low = lower_bound(buckets, j);
	out->high = buckets->bound[j];
	out->beyond = isinf(out->high);
	narrow_by_sum(buckets, j, rank, out);
	out->estimate = fmin(fmax(interpolate(buckets, q * total), out->low), out->high);
}

/* Returns the highest possible mean of the observations in bucket j. */
static double mean_of_bucket(const struct weir_buckets *buckets, size_t j)
{
	double least, most;

	if (!has_sum(buckets))
		return buckets->bound[j];
	sum_others(buckets, j, &least, &most);
	return fmin(buckets->bound[j],
	            fmax(lower_bound(buckets, j),
	                 (buckets->sum + buckets->rounding - least) / in_bucket(buckets, j)));
}

void weir_buckets_stalls(const struct weir_buckets *buckets, struct weir_stalls *out)
{
	double total = buckets->count ? weir_buckets_total(buckets) : 0, beyond = 0;

	*out = (struct weir_stalls){NAN, NAN, 0};
	if (buckets->count < 2 || !(total >= 1))
		return;
	for (size_t i = 0; i < buckets->count; i++)
		out->occupied += in_bucket(buckets, i) > 0;
	out->usual = mean_of_bucket(buckets, find_bucket(buckets, nearest_rank(0.5, total)));
	if (!(buckets->sum > 0) || !has_sum(buckets))
		return;
	for (size_t i = 0; i < buckets->count; i++)
		if (lower_bound(buckets, i) >= LONG * out->usual)
			beyond += in_bucket(buckets, i) * (lower_bound(buckets, i) - out->usual);
	out->share = fmax(beyond / buckets->sum, fmax(1 - out->usual * total / buckets->sum, 0));
}
