/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The requests of a run, analysed: latency, batches, who waited for whom, and where the time at a
 * percentile went. Filled once, read by the report, the features and the run.
 */
#ifndef WEIR_ANALYSIS_SERVING_H
#define WEIR_ANALYSIS_SERVING_H

#include "engine/analysis/requests/serving_band.h"
#include "engine/analysis/requests/serving_batches.h"
#include "engine/analysis/requests/serving_contention.h"
#include "engine/analysis/requests/serving_load.h"
#include "engine/model/finding.h"
#include "engine/model/profile.h"
#include "engine/model/settings.h"

enum weir_serving_band {
	WEIR_AT_P50,
	WEIR_AT_ASKED, /* --percentile, p95 where nobody says otherwise: what the verdict is about
	                */
	WEIR_AT_P99,
	WEIR_AT_COUNT
};

struct weir_serving {
	const struct weir_requests *requests;       /* borrowed from an input, or `merged` */
	struct weir_requests *merged;               /* of several inputs; NULL: one alone */
	const char *kinds[WEIR_MAX_REQUEST_STAGES]; /* of each stage; static */
	enum weir_part_class classes[WEIR_MAX_REQUEST_STAGES];
	size_t order[WEIR_MAX_REQUEST_STAGES]; /* stages from arrival to response, by mean start */
	double total_ns[WEIR_MAX_REQUEST_STAGES + 1]; /* of each stage over all requests; the entry
	                                                 behind the last is time in no stage */
	double *latency_ns, *sorted_ns;               /* one a request: by arrival, by length */
	struct weir_load load;
	struct weir_batch_figures batches;
	struct weir_contention contention;
	bool sampled;       /* stated, or seen by the coverage of batches */
	bool waiting_known; /* what others did meanwhile is in the file */
	double goodput;     /* share of requests within every limit; NAN: no limit */
	struct weir_band band[WEIR_AT_COUNT];
	size_t left_out; /* inputs with requests on another clock or of another side */
};

/* NULL where no input holds requests. A server's own requests come before a client's. settings are
 * borrowed. */
struct weir_serving *weir_serving_new(const struct weir_profile *profile, double percentile,
                                      const struct weir_settings *settings);
void weir_serving_free(struct weir_serving *serving);

/* One request's time by stage; the entry behind the last stage is what no stage holds. */
struct weir_stage_sums {
	double ns[WEIR_MAX_REQUEST_STAGES + 1];
	bool seen[WEIR_MAX_REQUEST_STAGES + 1];
};

void weir_serving_sum(const struct weir_serving *serving, size_t row, struct weir_stage_sums *out);

/* Quantile of latency over one table; NAN without requests. */
double weir_requests_latency(const struct weir_requests *requests, double prob);

/* Requests in flight, mean over time; NAN without a span. */
double weir_serving_concurrency(const struct weir_serving *serving);

/* Sets the features of a run of requests; others stay as they are. */
void weir_serving_features(const struct weir_serving *serving, double *values);

#endif
