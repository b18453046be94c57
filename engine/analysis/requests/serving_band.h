/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the time of the requests around a percentile of latency went. Shares at a percentile are
 * those of the requests there: the p95 of each stage are of different requests, and their sum is
 * nobody's latency.
 */
#ifndef WEIR_ANALYSIS_SERVING_BAND_H
#define WEIR_ANALYSIS_SERVING_BAND_H

#include "engine/analysis/requests/serving_load.h"
#include "engine/analysis/requests/serving_parts.h"

/* What a nanosecond of a request was spent on. */
enum weir_spent {
	WEIR_SPENT_WAIT_IDLE, /* in a queue while nothing worked */
	WEIR_SPENT_WAIT_COMPUTE,
	WEIR_SPENT_WAIT_COPY,
	WEIR_SPENT_WAIT_HOST,
	WEIR_SPENT_WAIT_UNKNOWN, /* in a queue, and what others did is not known */
	WEIR_SPENT_ASSEMBLY,
	WEIR_SPENT_BEFORE,
	WEIR_SPENT_AFTER,
	WEIR_SPENT_COPY,
	WEIR_SPENT_COMPUTE,
	WEIR_SPENT_STOLEN, /* computation, and waiting for it, beyond what it takes without host
	                      work */
	WEIR_SPENT_OTHER,  /* stages of no known kind, and time between stages */
	WEIR_SPENT_COUNT
};

/* Sums over the requests of the band, in nanoseconds. Row requests->stage_count is the time in no
 * stage. Parts that overlap each other are shortened in proportion, so that a request's time adds
 * up to its latency. */
struct weir_band {
	double percentile;
	double stolen; /* share of computation that host work adds: serving_contention.h */
	uint64_t requests;
	double total_ns;
	double spent_ns[WEIR_MAX_REQUEST_STAGES + 1][WEIR_SPENT_COUNT];
};

/*
 * sorted_ns: the latencies of all requests, sorted. The band reaches 2.5 points to both sides of
 * the percentile, less near the ends (half of what is left above), and holds at least the requests
 * at the percentile itself. load NULL: waiting cannot be told apart.
 */
void weir_band_fill(struct weir_band *band, const struct weir_requests *requests,
                    const enum weir_part_class *classes, const struct weir_load *load,
                    const double *sorted_ns);

/* Sum of one kind over all stages, of the band's time; NAN for an empty band. */
double weir_band_share(const struct weir_band *band, enum weir_spent spent);
/* Everything in one stage, of the band's time. */
double weir_band_stage_share(const struct weir_band *band, size_t stage);

#endif
