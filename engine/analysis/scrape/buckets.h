/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histograms of servers: cumulative counts of observations up to each bucket bound, at one moment,
 * between two moments, or added over replicas; and quantiles estimated from them.
 *
 * The point estimate follows PromQL (histogram_quantile): linear interpolation inside the bucket.
 * The interval around it is certain: the observation of nearest rank ceil(q N) lies in the first
 * bucket whose cumulative count reaches that rank, and the sum of all observations narrows the
 * interval if the other buckets leave little room. Both assume that no observation is negative,
 * unless the lowest bound is.
 */
#ifndef WEIR_ANALYSIS_SCRAPE_BUCKETS_H
#define WEIR_ANALYSIS_SCRAPE_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/model/scrape.h"

/* Bounds ascend and end with INFINITY. {0} is empty; release with weir_buckets_release(). */
struct weir_buckets {
	size_t count;
	double *bound, *cumulative;
	double sum, observations; /* from _sum and _count; NAN: not given */
	double rounding;          /* possible error of `sum`, a difference of larger sums */
	bool repaired;            /* counts decreased along the bounds and were raised */
};

/* Findings about the difference between two pages. */
struct weir_counting {
	bool reset;         /* a counter decreased: only the later page counts */
	bool unaligned;     /* no common finite bound: only sum and count are known */
	double largest_dip; /* largest decrease of counts along the bounds; 0: none */
};

struct weir_quantile_estimate {
	double estimate;  /* if `beyond`, the last bound, which is too low */
	bool beyond;      /* the observation is above the last finite bound */
	double low, high; /* NAN: nothing is known; high INFINITY: beyond the last bound */
};

/* Reads one series of a finished scrape. A missing bucket of infinity is made from the count.
 * Without either, count is 0. */
void weir_buckets_read(struct weir_buckets *buckets, const struct weir_scrape *scrape,
                       uint32_t series);
void weir_buckets_release(struct weir_buckets *buckets);

/*
 * Turns the counts at `after` into those since `before`, on their common bounds. `restarted`: other
 * evidence shows a new process. before NULL: since its start.
 */
void weir_buckets_subtract(struct weir_buckets *after, const struct weir_buckets *before,
                           bool restarted, struct weir_counting *out);
/* Adds another series of the same kind, on their common bounds. An empty `into` becomes a copy. */
void weir_buckets_add(struct weir_buckets *into, const struct weir_buckets *other);

/* Returns the number of observations, from the last bucket so that it agrees with the others; NAN:
 * unknown. */
double weir_buckets_total(const struct weir_buckets *buckets);
/* True if the sum of all observations is possible for these buckets, or if there is nothing to
 * compare. */
bool weir_buckets_consistent(const struct weir_buckets *buckets);
void weir_buckets_quantile(const struct weir_buckets *buckets, double q,
                           struct weir_quantile_estimate *out);

/* The part of durations that a few long ones add. */
struct weir_stalls {
	/* The highest possible mean of the observations in the bucket of the median, which the sum
	 * of all observations limits; NAN: unknown. */
	double usual;
	/* The least share of the sum beyond the usual duration: of all observations together, or of
	 * those in buckets from twice the usual duration on; NAN: unknown. */
	double share;
	size_t occupied; /* number of buckets with observations */
};

void weir_buckets_stalls(const struct weir_buckets *buckets, struct weir_stalls *out);

#endif
