/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Analyses the requests of a run: latency, batches, queueing, goodput, and the split of the latency
 * at a percentile. Filled once; read by the report, the features and the run.
 */
#ifndef WEIR_ANALYSIS_REQUESTS_SERVING_H
#define WEIR_ANALYSIS_REQUESTS_SERVING_H

#include "engine/analysis/requests/executions.h"
#include "engine/analysis/requests/serving_load.h"
#include "engine/model/finding.h"
#include "engine/model/profile.h"
#include "engine/model/settings.h"

/*
 * A band: the requests around a percentile of latency, and the split of their time. Shares at a
 * percentile are shares of the time of these requests. The p95 values of single stages come from
 * different requests, so their sum is the latency of no request.
 */

/* The activity that a nanosecond of a request was spent on. */
enum weir_spent {
	WEIR_SPENT_WAIT_IDLE, /* in a queue while nothing worked */
	WEIR_SPENT_WAIT_COMPUTE,
	WEIR_SPENT_WAIT_COPY,
	WEIR_SPENT_WAIT_HOST,
	WEIR_SPENT_WAIT_UNKNOWN, /* in a queue; the activity of others is unknown */
	WEIR_SPENT_ASSEMBLY,
	WEIR_SPENT_BEFORE,
	WEIR_SPENT_AFTER,
	WEIR_SPENT_COPY,
	WEIR_SPENT_COMPUTE,
	/* Computation, and waiting for it, that contention with host work adds. */
	WEIR_SPENT_STOLEN,
	WEIR_SPENT_OTHER, /* stages of unknown kind, and time between stages */
	WEIR_SPENT_COUNT
};

/* Sums over the requests of the band, in nanoseconds. Row requests->stage_count is the time outside
 * every stage. Overlapping parts of a request are shortened in proportion, so that they add up to
 * its latency. */
struct weir_band {
	double percentile;
	double stolen; /* share of computation that host work adds: see weir_contention */
	uint64_t requests;
	double total_ns;
	double spent_ns[WEIR_MAX_REQUEST_STAGES + 1][WEIR_SPENT_COUNT];
};

/*
 * Fills the band around band->percentile. sorted_ns: the latencies of all requests, sorted. The
 * band reaches 2.5 points to both sides of the percentile, less near 1 (half of the rest), and
 * holds at least the requests at the percentile itself. load NULL: the causes of waiting are
 * unknown.
 */
void weir_band_fill(struct weir_band *band, const struct weir_requests *requests,
                    const enum weir_part_class *classes, const struct weir_load *load,
                    const double *sorted_ns);

/* Returns the share of one activity, over all stages, in the band's time; NAN: empty band. */
double weir_band_share(const struct weir_band *band, enum weir_spent spent);
/* Returns the share of one stage in the band's time; NAN: empty band. */
double weir_band_stage_share(const struct weir_band *band, size_t stage);

enum weir_serving_band {
	WEIR_AT_P50,
	WEIR_AT_ASKED, /* --percentile, by default p95: the verdict is about it */
	WEIR_AT_P99,
	WEIR_AT_COUNT
};

struct weir_serving {
	const struct weir_requests *requests; /* borrowed from an input, or `merged` */
	struct weir_requests *merged; /* the requests of several inputs; NULL: a single input */
	const char *kinds[WEIR_MAX_REQUEST_STAGES]; /* of each stage; static */
	enum weir_part_class classes[WEIR_MAX_REQUEST_STAGES];
	size_t order[WEIR_MAX_REQUEST_STAGES]; /* stages from arrival to response, by mean start */
	/* Per stage over all requests; the last entry is the time outside every stage. */
	double total_ns[WEIR_MAX_REQUEST_STAGES + 1];
	double *latency_ns, *sorted_ns; /* one per request: by arrival; sorted */
	struct weir_load load;
	struct weir_batch_figures batches;
	struct weir_contention contention;
	bool sampled; /* stated, or concluded from the coverage of batches */
	/* The file holds all requests, so it shows the activity of the others. */
	bool waiting_known;
	double goodput; /* share of requests within every latency limit; NAN: no limit */
	struct weir_band band[WEIR_AT_COUNT];
	size_t left_out; /* inputs with requests on another clock, or of a client beside a server */
};

/* Analyses the requests of a profile; NULL: no input holds requests. Requests that a server logged
 * are preferred to those of a client. Borrows the settings. */
struct weir_serving *weir_serving_new(const struct weir_profile *profile, double percentile,
                                      const struct weir_settings *settings);
void weir_serving_free(struct weir_serving *serving);

/* Time of one request by stage; the entry after the last stage is the time outside every stage. */
struct weir_stage_sums {
	double ns[WEIR_MAX_REQUEST_STAGES + 1];
	bool seen[WEIR_MAX_REQUEST_STAGES + 1];
};

void weir_serving_sum(const struct weir_serving *serving, size_t row, struct weir_stage_sums *out);

/* Returns a quantile of latency over one table; NAN: no requests. */
double weir_requests_latency(const struct weir_requests *requests, double prob);

/* Returns the mean number of requests in flight; NAN: the time span is unknown. */
double weir_serving_concurrency(const struct weir_serving *serving);

/* Sets the features of a run of requests; leaves the others unchanged. */
void weir_serving_features(const struct weir_serving *serving, double *values);

#endif
