/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Histograms of servers: cumulative counts of observations up to each bound, as they stand at one
 * moment, between two, or added over replicas; and what they say of quantiles.
 *
 * The point estimate is that of PromQL (histogram_quantile): linear inside the bucket. The interval
 * around it is certain: the observation of the nearest rank ceil(q N) lies in the first bucket that
 * holds as many, and the sum of all observations narrows it where the other buckets leave little
 * room. Both assume that no observation is negative, unless bounds are.
 */
#ifndef WEIR_ANALYSIS_SCRAPE_DELTA_H
#define WEIR_ANALYSIS_SCRAPE_DELTA_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/model/scrape.h"

/* Bounds ascend and end with INFINITY. {0} is empty; release with weir_buckets_release(). */
struct weir_buckets {
	size_t count;
	double *bound, *cumulative;
	double sum, observations; /* of _sum and _count; NAN: not given */
	double rounding; /* by which the sum may be off: it was a difference of larger sums */
	bool repaired;   /* counts fell along the bounds and were raised */
};

/* What subtracting the page from before found. */
struct weir_counting {
	bool reset;         /* something fell: the later page counts alone */
	bool unaligned;     /* no common finite bound: sum and count only */
	double largest_dip; /* by which counts fell along the bounds; 0: they do not */
};

struct weir_quantile_estimate {
	double estimate, low,
		high; /* NAN: nothing is known; high INFINITY: beyond the last bound */
};

/* Of a series of a finished scrape; a bound of infinity is made from the count where it is missing.
 * Without either, count is 0. */
void weir_buckets_read(struct weir_buckets *buckets, const struct weir_scrape *scrape,
                       uint32_t series);
void weir_buckets_release(struct weir_buckets *buckets);

/*
 * Makes of the counts at `after` those since `before`, on their common bounds. `restarted`: other
 * signs say that the process is a new one. before NULL: since its start.
 */
void weir_buckets_subtract(struct weir_buckets *after, const struct weir_buckets *before,
                           bool restarted, struct weir_counting *out);
/* Adds another series of the same kind, on their common bounds. An empty `into` becomes a copy. */
void weir_buckets_add(struct weir_buckets *into, const struct weir_buckets *other);

/* Observations: of the last bucket, for it cannot be torn from the others; NAN: unknown. */
double weir_buckets_total(const struct weir_buckets *buckets);
/* The sum lies within what the buckets allow. True where there is nothing to compare. */
bool weir_buckets_consistent(const struct weir_buckets *buckets);
void weir_buckets_quantile(const struct weir_buckets *buckets, double q,
                           struct weir_quantile_estimate *out);

#endif
