/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/stages.h"
#include "engine/analysis/rank/features.h"
#include "engine/analysis/requests/serving.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/stats/quantile.h"

/* If the requests found cover less than this share of the stated batches, the file holds a sample.
 */
#define SAMPLED_COVERAGE 0.5
#define HALF_WIDTH       0.025     /* of a band around a percentile */
#define REQUEST_STAGE    "request" /* the name of the whole request in limits */

/* ---- bands ---- */

static const enum weir_spent spent_of_class[WEIR_PART_CLASSES] = {
	[WEIR_PART_QUEUE] = WEIR_SPENT_WAIT_UNKNOWN, [WEIR_PART_ASSEMBLY] = WEIR_SPENT_ASSEMBLY,
	[WEIR_PART_BEFORE] = WEIR_SPENT_BEFORE,      [WEIR_PART_AFTER] = WEIR_SPENT_AFTER,
	[WEIR_PART_COPY] = WEIR_SPENT_COPY,          [WEIR_PART_COMPUTE] = WEIR_SPENT_COMPUTE,
	[WEIR_PART_OTHER] = WEIR_SPENT_OTHER,
};

/* The inputs of a sum over one band. */
struct tally {
	struct weir_band *band;
	const struct weir_requests *requests;
	const enum weir_part_class *classes;
	const struct weir_load *load;
};

static double parts_ns(const struct weir_requests *requests, size_t row)
{
	struct weir_part_walk walk = weir_part_walk_on(requests, row);
	struct weir_part part;
	double sum_ns = 0;

	while (weir_part_walk_next(&walk, &part))
		sum_ns += (double)weir_span_ns(part.start_ns, part.end_ns);
	return sum_ns;
}

/* Adds computation, and splits off the share that host work adds to it. */
static void add_compute(const struct tally *tally, double *spent_ns, enum weir_spent spent,
                        double ns)
{
	spent_ns[spent] += ns * (1 - tally->band->stolen);
	spent_ns[WEIR_SPENT_STOLEN] += ns * tally->band->stolen;
}

static void add_part(const struct tally *tally, const struct weir_part *part, double scale)
{
	double *spent_ns = tally->band->spent_ns[part->stage];
	enum weir_part_class class = tally->classes[part->stage];
	double ns = (double)weir_span_ns(part->start_ns, part->end_ns) * scale;
	struct weir_wait wait;

	if (class == WEIR_PART_COMPUTE) {
		add_compute(tally, spent_ns, WEIR_SPENT_COMPUTE, ns);
		return;
	}
	if (class != WEIR_PART_QUEUE || !tally->load) {
		spent_ns[spent_of_class[class]] += ns;
		return;
	}
	wait = weir_load_split(tally->load, part->start_ns, part->end_ns);
	add_compute(tally, spent_ns, WEIR_SPENT_WAIT_COMPUTE,
	            (double)wait.behind_ns[WEIR_RESOURCE_COMPUTE] * scale);
	spent_ns[WEIR_SPENT_WAIT_COPY] += (double)wait.behind_ns[WEIR_RESOURCE_COPY] * scale;
	spent_ns[WEIR_SPENT_WAIT_HOST] += (double)wait.behind_ns[WEIR_RESOURCE_HOST] * scale;
	spent_ns[WEIR_SPENT_WAIT_IDLE] += (double)wait.idle_ns * scale;
}

static void add_request(const struct tally *tally, size_t row)
{
	const struct weir_requests *requests = tally->requests;
	struct weir_part_walk walk = weir_part_walk_on(requests, row);
	struct weir_part part;
	double latency_ns = (double)weir_span_ns(requests->start_ns[row], requests->end_ns[row]);
	double sum_ns = parts_ns(requests, row);
	double scale = sum_ns > latency_ns ? latency_ns / sum_ns : 1;

	while (weir_part_walk_next(&walk, &part))
		add_part(tally, &part, scale);
	if (latency_ns > sum_ns)
		tally->band->spent_ns[requests->stage_count][WEIR_SPENT_OTHER] +=
			latency_ns - sum_ns;
	tally->band->total_ns += latency_ns;
	tally->band->requests++;
}

void weir_band_fill(struct weir_band *band, const struct weir_requests *requests,
                    const enum weir_part_class *classes, const struct weir_load *load,
                    const double *sorted_ns)
{
	const struct tally tally = {band, requests, classes, load};
	double p = band->percentile, half = fmin(HALF_WIDTH, (1 - p) / 2);
	double low_ns = weir_quantile_sorted(sorted_ns, requests->count, p - half);
	double high_ns = weir_quantile_sorted(sorted_ns, requests->count, p + half);
	/* With few requests, none may lie within the band; the nearest order statistic always does.
	 */
	double nearest_ns = requests->count
	                            ? sorted_ns[(size_t)lround(p * (double)(requests->count - 1))]
	                            : NAN;

	low_ns = fmin(low_ns, nearest_ns);
	high_ns = fmax(high_ns, nearest_ns);
	for (size_t i = 0; i < requests->count; i++) {
		double latency_ns =
			(double)weir_span_ns(requests->start_ns[i], requests->end_ns[i]);

		if (latency_ns >= low_ns && latency_ns <= high_ns)
			add_request(&tally, i);
	}
}

double weir_band_share(const struct weir_band *band, enum weir_spent spent)
{
	double sum_ns = 0;

	for (size_t s = 0; s <= WEIR_MAX_REQUEST_STAGES; s++)
		sum_ns += band->spent_ns[s][spent];
	return band->total_ns > 0 ? sum_ns / band->total_ns : NAN;
}

double weir_band_stage_share(const struct weir_band *band, size_t stage)
{
	double sum_ns = 0;

	for (int i = 0; i < WEIR_SPENT_COUNT; i++)
		sum_ns += band->spent_ns[stage][i];
	return band->total_ns > 0 ? sum_ns / band->total_ns : NAN;
}

/* ---- the requests of a run ---- */

static bool can_join(const struct weir_requests *requests, const struct weir_requests *like)
{
	return requests && requests->count > 0 && requests->client == like->client &&
	       requests->time_base == like->time_base &&
	       (like->part_offset_ns != NULL) == (requests->part_offset_ns != NULL);
}

/* True if a table is to be analysed rather than another: answered requests before failed ones,
 * those of a server before those of a client, the larger table before the smaller one. */
static bool is_better(const struct weir_requests *each, const struct weir_requests *than)
{
	if (each->all_failed != than->all_failed)
		return than->all_failed;
	if (each->client != than->client)
		return than->client;
	return each->count > than->count;
}

/* Returns the best table; NULL: no input holds requests. */
static const struct weir_requests *choose(const struct weir_profile *profile)
{
	const struct weir_requests *best = NULL;

	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_requests *each = profile->inputs[i].requests;

		if (!each || each->count == 0)
			continue;
		if (!best || is_better(each, best))
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
		fitting += can_join(each, main);
	}
	serving->requests = main;
	serving->left_out = tables - fitting;
	if (fitting < 2)
		return;
	serving->merged = weir_requests_new();
	serving->merged->all_failed = main->all_failed;
	for (size_t i = 0; i < profile->input_count; i++)
		if (can_join(profile->inputs[i].requests, main))
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

/* Orders stages by their mean start in a request; equal ones by first appearance. */
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

/* ---- goodput ---- */

/* The tightest limit of each stage, and in the last entry of the whole request; INFINITY: none. */
struct limits {
	double max_ns[WEIR_MAX_REQUEST_STAGES + 1];
	bool any;
};

static double limit_of(const struct weir_settings *settings, const char *stage)
{
	struct weir_text scope = {0};
	double max_ns = INFINITY;

	weir_text_printf(&scope, "stage:%s", stage);
	for (size_t i = 0; i < settings->slo_count; i++)
		if (weir_scope_matches(settings->slos[i].scope, scope.data))
			max_ns = fmin(max_ns, settings->slos[i].max_ns);
	weir_text_release(&scope);
	return max_ns;
}

static void limits_init(struct limits *limits, const struct weir_serving *serving,
                        const struct weir_settings *settings)
{
	size_t stages = serving->requests->stage_count;

	limits->any = false;
	for (size_t s = 0; s <= stages; s++) {
		limits->max_ns[s] = limit_of(
			settings, s < stages ? weir_requests_stage_name(serving->requests, s)
					     : REQUEST_STAGE);
		limits->any |= isfinite(limits->max_ns[s]);
	}
}

static bool is_good(const struct weir_serving *serving, size_t row, const struct limits *limits)
{
	size_t stages = serving->requests->stage_count;
	struct weir_stage_sums sums;

	if (serving->latency_ns[row] > limits->max_ns[stages])
		return false;
	weir_serving_sum(serving, row, &sums);
	for (size_t s = 0; s < stages; s++)
		if (sums.seen[s] && sums.ns[s] > limits->max_ns[s])
			return false;
	return true;
}

static double goodput_of(const struct weir_serving *serving, const struct weir_settings *settings)
{
	struct limits limits;
	double all = (double)serving->requests->count + (double)serving->requests->failed;
	size_t good = 0;

	limits_init(&limits, serving, settings);
	if (!limits.any)
		return NAN;
	for (size_t i = 0; i < serving->requests->count; i++)
		good += is_good(serving, i, &limits);
	return (double)good / all;
}

/* ---- all together ---- */

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
	serving->goodput = goodput_of(serving, settings);
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

/* ---- features ---- */

/* Returns the share of one cause in the waiting time; 0 if nothing waited. */
static double share_of_waiting(const struct weir_band *band, enum weir_spent spent, double waiting)
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
	values[WEIR_F_WAIT_IDLE] = share_of_waiting(band, WEIR_SPENT_WAIT_IDLE, waiting);
	values[WEIR_F_WAIT_COMPUTE] = share_of_waiting(band, WEIR_SPENT_WAIT_COMPUTE, waiting);
	values[WEIR_F_WAIT_COPY] = share_of_waiting(band, WEIR_SPENT_WAIT_COPY, waiting);
	values[WEIR_F_WAIT_HOST] = share_of_waiting(band, WEIR_SPENT_WAIT_HOST, waiting);
}

/* Returns the share of the host time of all requests that lies after the device work. */
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
