/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/stages.h"
#include "engine/analysis/rank/features.h"
#include "engine/analysis/requests/serving.h"
#include "engine/analysis/requests/serving_goodput.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* Below it the file holds too few of the requests that its batch sizes speak of. */
#define SAMPLED_COVERAGE 0.5

static bool fits(const struct weir_requests *requests, const struct weir_requests *like)
{
	return requests && requests->count > 0 && requests->client == like->client &&
	       requests->time_base == like->time_base &&
	       (like->part_offset_ns != NULL) == (requests->part_offset_ns != NULL);
}

/* The largest table of a server, else of a client. */
static const struct weir_requests *choose(const struct weir_profile *profile)
{
	const struct weir_requests *best = NULL;

	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_requests *each = profile->inputs[i].requests;

		if (!each || each->count == 0)
			continue;
		if (!best || (best->client && !each->client) ||
		    (best->client == each->client && each->count > best->count))
			best = each;
	}
	return best;
}

static void take_requests(struct weir_serving *serving, const struct weir_profile *profile)
{
	const struct weir_requests *main = choose(profile);
	size_t tables = 0, fitting = 0;

	for (size_t i = 0; main && i < profile->input_count; i++) {
		const struct weir_requests *each = profile->inputs[i].requests;

		tables += each && each->count > 0;
		fitting += fits(each, main);
	}
	serving->requests = main;
	serving->left_out = tables - fitting;
	if (fitting < 2)
		return;
	serving->merged = weir_requests_new();
	for (size_t i = 0; i < profile->input_count; i++)
		if (fits(profile->inputs[i].requests, main))
			weir_requests_append(serving->merged, profile->inputs[i].requests);
	weir_requests_finish(serving->merged);
	serving->requests = serving->merged;
}

static void classify_stages(struct weir_serving *serving, const struct weir_stage_aliases *own)
{
	for (size_t s = 0; s < serving->requests->stage_count; s++) {
		serving->kinds[s] =
			weir_stage_kind(weir_requests_stage_name(serving->requests, s), own);
		serving->classes[s] = weir_part_class_of(serving->kinds[s]);
	}
}

/* By the mean of where a stage first begins in a request; of equals by first appearance. */
static void order_stages(struct weir_serving *serving)
{
	const struct weir_requests *requests = serving->requests;
	double sum_ns[WEIR_MAX_REQUEST_STAGES] = {0};
	size_t seen[WEIR_MAX_REQUEST_STAGES] = {0};

	for (size_t i = 0; i < requests->count; i++) {
		struct weir_part_walk walk = weir_part_walk_on(requests, i);
		struct weir_part part;

		while (weir_part_walk_next(&walk, &part)) {
			sum_ns[part.stage] +=
				(double)weir_span_ns(requests->start_ns[i], part.start_ns);
			seen[part.stage]++;
		}
	}
	for (size_t s = 0; s < requests->stage_count; s++) {
		double mean_ns = seen[s] ? sum_ns[s] / (double)seen[s] : INFINITY;
		size_t place = s;

		sum_ns[s] = mean_ns;
		for (; place > 0 && mean_ns < sum_ns[serving->order[place - 1]]; place--)
			serving->order[place] = serving->order[place - 1];
		serving->order[place] = s;
	}
}

static void measure_latency(struct weir_serving *serving)
{
	const struct weir_requests *requests = serving->requests;

	serving->latency_ns = weir_alloc(requests->count * sizeof(double));
	serving->sorted_ns = weir_alloc(requests->count * sizeof(double));
	for (size_t i = 0; i < requests->count; i++)
		serving->latency_ns[i] =
			(double)weir_span_ns(requests->start_ns[i], requests->end_ns[i]);
	memcpy(serving->sorted_ns, serving->latency_ns, requests->count * sizeof(double));
	weir_sort_values(serving->sorted_ns, requests->count);
}

void weir_serving_sum(const struct weir_serving *serving, size_t row, struct weir_stage_sums *out)
{
	const struct weir_requests *requests = serving->requests;
	struct weir_part_walk walk = weir_part_walk_on(requests, row);
	struct weir_part part;
	double rest_ns = serving->latency_ns[row];

	for (size_t s = 0; s <= requests->stage_count; s++) {
		out->ns[s] = 0;
		out->seen[s] = false;
	}
	while (weir_part_walk_next(&walk, &part)) {
		double part_ns = (double)weir_span_ns(part.start_ns, part.end_ns);

		out->ns[part.stage] += part_ns;
		out->seen[part.stage] = true;
		rest_ns -= part_ns;
	}
	if (rest_ns > 0) {
		out->ns[requests->stage_count] = rest_ns;
		out->seen[requests->stage_count] = true;
	}
}

static void add_totals(struct weir_serving *serving)
{
	struct weir_stage_sums sums;

	for (size_t i = 0; i < serving->requests->count; i++) {
		weir_serving_sum(serving, i, &sums);
		for (size_t s = 0; s <= serving->requests->stage_count; s++)
			serving->total_ns[s] += sums.ns[s];
	}
}

static void fill_bands(struct weir_serving *serving, double percentile)
{
	const double at[WEIR_AT_COUNT] = {0.5, percentile, 0.99};

	for (int b = 0; b < WEIR_AT_COUNT; b++) {
		serving->band[b].percentile = at[b];
		serving->band[b].stolen = serving->waiting_known ? serving->contention.stolen : 0;
		weir_band_fill(&serving->band[b], serving->requests, serving->classes,
		               serving->waiting_known ? &serving->load : NULL, serving->sorted_ns);
	}
}

static void measure_executions(struct weir_serving *serving)
{
	const struct weir_requests *requests = serving->requests;
	struct weir_executions executions;
	struct weir_intervals host = {0};

	weir_executions_find(&executions, requests, serving->classes);
	weir_batch_figures(&executions, requests, serving->classes,
	                   weir_intervals_total(&serving->load.busy[WEIR_RESOURCE_COMPUTE]),
	                   &serving->batches);
	serving->contention = (struct weir_contention){NAN, 0};
	if (weir_executions_batch(&executions)) {
		weir_host_time_of(requests, serving->classes, &host);
		serving->contention = weir_contention_measure(&executions, &host);
		weir_intervals_release(&host);
	}
	free(executions.items);
}

struct weir_serving *weir_serving_new(const struct weir_profile *profile, double percentile,
                                      const struct weir_settings *settings)
{
	struct weir_serving *serving = weir_alloc(sizeof *serving);
	const struct weir_requests *requests;

	take_requests(serving, profile);
	requests = serving->requests;
	if (!requests) {
		free(serving);
		return NULL;
	}
	classify_stages(serving, &settings->aliases);
	order_stages(serving);
	measure_latency(serving);
	add_totals(serving);
	weir_load_init(&serving->load, requests, serving->classes);
	measure_executions(serving);
	serving->sampled = requests->sampled || serving->batches.coverage < SAMPLED_COVERAGE;
	serving->waiting_known =
		!serving->sampled && !requests->client && requests->time_base != WEIR_TIME_NONE;
	fill_bands(serving, percentile);
	serving->goodput = weir_serving_goodput(serving, settings);
	return serving;
}

void weir_serving_free(struct weir_serving *serving)
{
	if (!serving)
		return;
	weir_load_release(&serving->load);
	weir_requests_free(serving->merged);
	free(serving->latency_ns);
	free(serving->sorted_ns);
	free(serving);
}

double weir_requests_latency(const struct weir_requests *requests, double prob)
{
	double *values = weir_alloc((requests->count + 1) * sizeof *values), at;

	for (size_t i = 0; i < requests->count; i++)
		values[i] = (double)weir_span_ns(requests->start_ns[i], requests->end_ns[i]);
	at = weir_quantile_select(values, requests->count, prob);
	free(values);
	return at;
}

double weir_serving_concurrency(const struct weir_serving *serving)
{
	double span_ns = (double)weir_span_ns(serving->load.start_ns, serving->load.end_ns);
	double sum_ns = 0;

	if (serving->sampled || serving->requests->time_base == WEIR_TIME_NONE || !(span_ns > 0))
		return NAN;
	for (size_t i = 0; i < serving->requests->count; i++)
		sum_ns += serving->latency_ns[i];
	return sum_ns / span_ns;
}

/* A part of the waiting; of no waiting every part is none. */
static double of_waiting(const struct weir_band *band, enum weir_spent spent, double waiting)
{
	return waiting > 0 ? weir_band_share(band, spent) / waiting : 0;
}

static void set_paths(const struct weir_band *band, double *values)
{
	static const enum weir_feature_id paths[] = {
		WEIR_F_PATH_BATCHING, WEIR_F_PATH_HOST,  WEIR_F_PATH_COPY,
		WEIR_F_PATH_COMPUTE,  WEIR_F_PATH_OTHER, WEIR_F_PATH_UNKNOWN_WAIT,
	};
	double share[WEIR_SPENT_COUNT];

	for (int i = 0; i < WEIR_SPENT_COUNT; i++)
		share[i] = weir_band_share(band, (enum weir_spent)i);
	values[WEIR_F_PATH_BATCHING] = share[WEIR_SPENT_WAIT_IDLE] + share[WEIR_SPENT_ASSEMBLY];
	values[WEIR_F_PATH_ASSEMBLY] = share[WEIR_SPENT_ASSEMBLY];
	values[WEIR_F_PATH_HOST] = share[WEIR_SPENT_BEFORE] + share[WEIR_SPENT_AFTER] +
	                           share[WEIR_SPENT_WAIT_HOST] + share[WEIR_SPENT_STOLEN];
	values[WEIR_F_PATH_COPY] = share[WEIR_SPENT_COPY] + share[WEIR_SPENT_WAIT_COPY];
	values[WEIR_F_PATH_COMPUTE] = share[WEIR_SPENT_COMPUTE] + share[WEIR_SPENT_WAIT_COMPUTE];
	values[WEIR_F_PATH_OTHER] = share[WEIR_SPENT_OTHER];
	values[WEIR_F_PATH_UNKNOWN_WAIT] = share[WEIR_SPENT_WAIT_UNKNOWN];
	values[WEIR_F_PATH_MAX] = 0;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
		values[WEIR_F_PATH_MAX] = fmax(values[WEIR_F_PATH_MAX], values[paths[i]]);
}

static void set_waiting(const struct weir_band *band, bool known, double *values)
{
	double waiting = weir_band_share(band, WEIR_SPENT_WAIT_UNKNOWN);

	for (int i = WEIR_SPENT_WAIT_IDLE; i <= WEIR_SPENT_WAIT_HOST; i++)
		waiting += weir_band_share(band, (enum weir_spent)i);
	values[WEIR_F_QUEUE_SHARE] = waiting;
	if (!known)
		return;
	values[WEIR_F_WAIT_IDLE] = of_waiting(band, WEIR_SPENT_WAIT_IDLE, waiting);
	values[WEIR_F_WAIT_COMPUTE] = of_waiting(band, WEIR_SPENT_WAIT_COMPUTE, waiting);
	values[WEIR_F_WAIT_COPY] = of_waiting(band, WEIR_SPENT_WAIT_COPY, waiting);
	values[WEIR_F_WAIT_HOST] = of_waiting(band, WEIR_SPENT_WAIT_HOST, waiting);
}

/* Of all host time of all requests, what lies behind the device work. */
static double after_of_host(const struct weir_serving *serving)
{
	double before_ns = 0, after_ns = 0;

	for (size_t s = 0; s < serving->requests->stage_count; s++) {
		if (serving->classes[s] == WEIR_PART_BEFORE)
			before_ns += serving->total_ns[s];
		if (serving->classes[s] == WEIR_PART_AFTER)
			after_ns += serving->total_ns[s];
	}
	return before_ns + after_ns > 0 ? after_ns / (before_ns + after_ns) : NAN;
}

void weir_serving_features(const struct weir_serving *serving, double *values)
{
	const struct weir_band *band = &serving->band[WEIR_AT_ASKED];
	const struct weir_batch_figures *batches = &serving->batches;

	set_paths(band, values);
	set_waiting(band, serving->waiting_known, values);
	values[WEIR_F_PERCENTILE] = 100 * band->percentile;
	values[WEIR_F_AFTER_OF_HOST] = after_of_host(serving);
	values[WEIR_F_BATCH_MAX] = batches->sizes.max;
	values[WEIR_F_BATCH_FILL] = batches->fill;
	values[WEIR_F_STEP_TOKENS] = batches->step_tokens;
	values[WEIR_F_FLAT_STEP_RATIO] = batches->flat_step_ratio;
	values[WEIR_F_PADDING_WASTE] = batches->padding_waste;
	values[WEIR_F_PATH_PADDING] = batches->padding_waste * values[WEIR_F_PATH_COMPUTE];
	if (serving->waiting_known) {
		values[WEIR_F_COMPUTE_BUSY] = serving->load.share[WEIR_RESOURCE_COMPUTE];
		values[WEIR_F_HOST_BUSY] = serving->load.share[WEIR_RESOURCE_HOST];
		values[WEIR_F_HOST_SLOWDOWN] = serving->contention.slowdown;
	}
}
