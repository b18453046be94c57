/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/rows/rows.h"
#include "engine/analysis/time/distribution.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

size_t weir_serving_row_count(const struct weir_serving *serving)
{
	return serving->requests->stage_count + 1;
}

/* By stage (last: between stages): one value per request that has the stage, the sum of its parts
 * there. */
struct samples {
	double *ns[WEIR_MAX_REQUEST_STAGES + 1];
	size_t count[WEIR_MAX_REQUEST_STAGES + 1];
};

/* Collects the samples in two passes: count, then fill. */
static void collect_samples(const struct weir_serving *serving, struct weir_arena *arena,
                            struct samples *out)
{
	struct weir_stage_sums sums;
	size_t stages = serving->requests->stage_count, rows = serving->requests->count;

	*out = (struct samples){.count = {0}};
	for (size_t i = 0; i < rows; i++) {
		weir_serving_sum(serving, i, &sums);
		for (size_t s = 0; s <= stages; s++)
			out->count[s] += sums.seen[s];
	}
	for (size_t s = 0; s <= stages; s++) {
		out->ns[s] = weir_arena_alloc(arena, (out->count[s] + 1) * sizeof(double));
		out->count[s] = 0;
	}
	for (size_t i = 0; i < rows; i++) {
		weir_serving_sum(serving, i, &sums);
		for (size_t s = 0; s <= stages; s++)
			if (sums.seen[s])
				out->ns[s][out->count[s]++] = sums.ns[s];
	}
}

static enum weir_bound bound_of(enum weir_spent spent)
{
	switch (spent) {
	case WEIR_SPENT_WAIT_IDLE:
	case WEIR_SPENT_ASSEMBLY:
		return WEIR_BOUND_BATCHING;
	case WEIR_SPENT_WAIT_HOST:
	case WEIR_SPENT_STOLEN:
	case WEIR_SPENT_BEFORE:
	case WEIR_SPENT_AFTER:
		return WEIR_BOUND_RUNTIME;
	case WEIR_SPENT_WAIT_COPY:
	case WEIR_SPENT_COPY:
		return WEIR_BOUND_MEMORY;
	case WEIR_SPENT_WAIT_COMPUTE:
	case WEIR_SPENT_WAIT_UNKNOWN:
	case WEIR_SPENT_COMPUTE:
	case WEIR_SPENT_OTHER:
	case WEIR_SPENT_COUNT:
		break;
	}
	return WEIR_BOUND_UNDETERMINED;
}

static bool is_compute(enum weir_spent spent)
{
	return spent == WEIR_SPENT_COMPUTE || spent == WEIR_SPENT_WAIT_COMPUTE;
}

static void attribute(const double spent_ns[WEIR_SPENT_COUNT], struct weir_attribution *out)
{
	*out = (struct weir_attribution){.total_ns = 0};
	for (int i = 0; i < WEIR_SPENT_COUNT; i++) {
		int64_t ns = (int64_t)llround(fmin(spent_ns[i], 9e18));
		enum weir_bound bound = bound_of((enum weir_spent)i);

		out->ns[bound] = weir_add_ns(out->ns[bound], ns);
		out->total_ns = weir_add_ns(out->total_ns, ns);
	}
}

static void fill_row(const struct weir_serving *serving, size_t stage,
                     const struct samples *samples, double all_ns, struct weir_stage_row *row)
{
	size_t stages = serving->requests->stage_count;

	row->kind = stage < stages ? serving->kinds[stage] : "other";
	row->view = WEIR_VIEW_REQUEST;
	row->duration_ns = samples->ns[stage];
	row->duration = weir_distribution_of(samples->ns[stage], samples->count[stage]);
	row->share = all_ns > 0 ? row->duration.total_ns / all_ns : NAN;
	row->p50_share = weir_band_stage_share(&serving->band[WEIR_AT_P50], stage);
	row->p95_share = weir_band_stage_share(&serving->band[WEIR_AT_ASKED], stage);
	row->p99_share = weir_band_stage_share(&serving->band[WEIR_AT_P99], stage);
	row->cost_usd = NAN;
	attribute(serving->band[WEIR_AT_ASKED].spent_ns[stage], &row->attribution);
	row->verdict = (struct weir_verdict){
		.bound = WEIR_BOUND_UNDETERMINED, .share = NAN, .runner_up_share = NAN};
}

void weir_serving_rows(const struct weir_serving *serving, struct weir_report *report,
                       struct weir_stage_row *rows)
{
	const struct weir_requests *requests = serving->requests;
	struct samples samples;
	double all_ns = 0;

	collect_samples(serving, report->arena, &samples);
	for (size_t i = 0; i < requests->count; i++)
		all_ns += serving->latency_ns[i];
	for (size_t i = 0; i <= requests->stage_count; i++) {
		size_t stage = i < requests->stage_count ? serving->order[i] : i;
		const char *name = i < requests->stage_count
		                           ? weir_requests_stage_name(requests, stage)
		                           : WEIR_BETWEEN_STAGES;

		fill_row(serving, stage, &samples, all_ns, &rows[i]);
		rows[i].name = weir_arena_copy(report->arena, name, strlen(name));
	}
}

static double per_second(double amount, double span_ns)
{
	return span_ns > 0 ? amount / (span_ns / 1e9) : NAN;
}

/* Returns the sum of the values that are known (not negative); NAN: all are unknown. */
static double sum_known(const int64_t *values, size_t count)
{
	double sum = 0;
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (values[i] < 0)
			continue;
		sum += (double)values[i];
		any = true;
	}
	return any ? sum : NAN;
}

static void fill_rates(const struct weir_serving *serving, struct weir_request_figures *out)
{
	const struct weir_requests *requests = serving->requests;
	double span_ns = (double)weir_span_ns(serving->load.start_ns, serving->load.end_ns);
	double tokens = sum_known(requests->tokens, requests->count);
	double generated = sum_known(requests->output_tokens, requests->count);

	if (serving->sampled || requests->time_base == WEIR_TIME_NONE || requests->all_failed)
		return;
	out->throughput_per_s = per_second((double)requests->count, span_ns);
	out->tokens_per_s =
		per_second(isnan(generated) ? tokens : fmax(tokens, 0) + generated, span_ns);
	out->output_tokens_per_s = per_second(generated, span_ns);
	out->concurrency = weir_serving_concurrency(serving);
	out->goodput_per_s =
		serving->goodput *
		per_second((double)requests->count + (double)requests->failed, span_ns);
}

static void fill_first_token(const struct weir_serving *serving, struct weir_request_figures *out)
{
	const struct weir_requests *requests = serving->requests;
	double *values = weir_alloc((requests->count + 1) * sizeof *values);
	size_t count = 0;

	for (size_t i = 0; i < requests->count; i++)
		if (requests->first_token_ns[i] >= 0)
			values[count++] = (double)requests->first_token_ns[i];
	out->first_token = weir_distribution_of(values, count);
	free(values);
}

static void fill_waiting(const struct weir_serving *serving, struct weir_request_figures *out)
{
	double values[WEIR_F_COUNT];

	weir_features_clear(values);
	weir_serving_features(serving, values);
	out->wait_idle = values[WEIR_F_WAIT_IDLE];
	out->wait_compute = values[WEIR_F_WAIT_COMPUTE];
	out->wait_copy = values[WEIR_F_WAIT_COPY];
	out->wait_host = values[WEIR_F_WAIT_HOST];
	out->compute_busy = values[WEIR_F_COMPUTE_BUSY];
	out->host_busy = values[WEIR_F_HOST_BUSY];
}

void weir_serving_figures(const struct weir_serving *serving, struct weir_report *report)
{
	struct weir_request_figures *out = &report->requests;
	const struct weir_band *band = &serving->band[WEIR_AT_ASKED];
	double spent_ns[WEIR_SPENT_COUNT] = {0};
	size_t count = serving->requests->count;

	report->has_requests = true;
	out->count = count;
	out->all_failed = serving->requests->all_failed;
	out->failed = out->all_failed ? count : serving->requests->failed;
	out->sampled = serving->sampled;
	out->client = serving->requests->client;
	out->latency = weir_distribution_of(serving->latency_ns, count);
	out->latency_ns = weir_arena_alloc(report->arena, (count + 1) * sizeof(double));
	memcpy(out->latency_ns, serving->latency_ns, count * sizeof(double));
	out->batch = serving->batches.sizes;
	out->batch_fill = serving->batches.fill;
	out->flat_step_ratio = serving->batches.flat_step_ratio;
	out->padding_waste = serving->batches.padding_waste;
	out->requested_per_s = serving->requests->requested_per_s;
	out->goodput_share = serving->goodput;
	fill_first_token(serving, out);
	fill_rates(serving, out);
	fill_waiting(serving, out);
	for (size_t s = 0; s <= serving->requests->stage_count; s++)
		for (int i = 0; i < WEIR_SPENT_COUNT; i++)
			spent_ns[i] += band->spent_ns[s][i];
	attribute(spent_ns, &report->attribution);
	if (report->span_ns == 0 && serving->requests->time_base != WEIR_TIME_NONE)
		report->span_ns = weir_span_ns(serving->load.start_ns, serving->load.end_ns);
}

/* Moves up to `ns` from the unattributed time to a bound. */
static void move_ns(struct weir_attribution *attribution, enum weir_bound to, double ns)
{
	int64_t *from = &attribution->ns[WEIR_BOUND_UNDETERMINED];
	int64_t amount = (int64_t)llround(fmin(fmax(ns, 0), (double)*from));

	if (to == WEIR_BOUND_UNDETERMINED)
		return;
	amount = amount > *from ? *from : amount;
	*from -= amount;
	attribution->ns[to] = weir_add_ns(attribution->ns[to], amount);
}

/* Inputs that decide how time in computation is attributed. */
struct settlement {
	const struct weir_verdict *requests, *device;
	const struct weir_attribution *device_ns;
	double share; /* fraction of the computation that goes to the bound of `requests` */
};

static void settle_compute(const struct settlement *settlement,
                           const double spent_ns[WEIR_SPENT_COUNT],
                           struct weir_attribution *attribution)
{
	double compute_ns = spent_ns[WEIR_SPENT_COMPUTE] + spent_ns[WEIR_SPENT_WAIT_COMPUTE];
	double device_ns = settlement->device ? (double)settlement->device_ns->total_ns : 0;

	if (device_ns > 0) {
		for (int b = 0; b < WEIR_BOUND_COUNT; b++)
			move_ns(attribution, (enum weir_bound)b,
			        compute_ns * (double)settlement->device_ns->ns[b] / device_ns);
		return;
	}
	if (settlement->requests->of_compute)
		move_ns(attribution, settlement->requests->bound, compute_ns * settlement->share);
}

/* Returns the cause for a kind of spent time; NULL: unknown. */
static const char *cause_of(enum weir_spent spent, const struct settlement *settlement,
                            bool host_after)
{
	const struct weir_verdict *decided =
		settlement->device ? settlement->device : settlement->requests;

	switch (spent) {
	case WEIR_SPENT_WAIT_IDLE:
		return "batch-window";
	case WEIR_SPENT_ASSEMBLY:
		return "batch-assembly";
	case WEIR_SPENT_BEFORE:
		return "host-preprocess";
	case WEIR_SPENT_AFTER:
		return "host-postprocess";
	case WEIR_SPENT_WAIT_HOST:
	case WEIR_SPENT_STOLEN:
		return host_after ? "host-postprocess" : "host-preprocess";
	case WEIR_SPENT_WAIT_COPY:
	case WEIR_SPENT_COPY:
		return "transfer";
	case WEIR_SPENT_WAIT_COMPUTE:
	case WEIR_SPENT_COMPUTE:
		return settlement->device || settlement->requests->of_compute
		               ? decided->cause
		               : "unprofiled-compute";
	case WEIR_SPENT_WAIT_UNKNOWN:
	case WEIR_SPENT_OTHER:
	case WEIR_SPENT_COUNT:
		break;
	}
	return NULL;
}

/* Sets the verdict of a stage by the kind of time that is largest around the percentile. */
static void judge_row(const struct settlement *settlement, const double spent_ns[WEIR_SPENT_COUNT],
                      bool host_after, struct weir_stage_row *row)
{
	enum weir_spent most = WEIR_SPENT_WAIT_IDLE;
	enum weir_bound bound = WEIR_BOUND_UNDETERMINED;
	double total_ns = (double)row->attribution.total_ns;

	for (int i = 0; i < WEIR_SPENT_COUNT; i++)
		if (spent_ns[i] > spent_ns[most])
			most = (enum weir_spent)i;
	if (!(spent_ns[most] > 0))
		return;
	bound = bound_of(most);
	if (is_compute(most) && settlement->device)
		bound = settlement->device->bound;
	else if (is_compute(most) && settlement->requests->of_compute)
		bound = settlement->requests->bound;
	row->verdict.bound = bound;
	row->verdict.cause = cause_of(most, settlement, host_after);
	row->verdict.share = bound == WEIR_BOUND_UNDETERMINED
	                             ? NAN
	                             : (double)row->attribution.ns[bound] / total_ns;
}

void weir_serving_settle(const struct weir_serving *serving, const struct weir_verdict *requests,
                         const struct weir_verdict *device, struct weir_report *report)
{
	const struct weir_band *band = &serving->band[WEIR_AT_ASKED];
	size_t stages = serving->requests->stage_count;
	struct settlement settlement = {requests, device, &report->device_attribution, 0};
	double spent_ns[WEIR_SPENT_COUNT] = {0}, compute, values[WEIR_F_COUNT];

	weir_features_clear(values);
	weir_serving_features(serving, values);
	compute = values[WEIR_F_PATH_COMPUTE];
	settlement.share = compute > 0 && requests->share > 0 ? requests->share / compute : 0;
	for (size_t i = 0; i <= stages; i++) {
		size_t stage = i < stages ? serving->order[i] : i;
		const double *own_ns = band->spent_ns[stage];

		for (int k = 0; k < WEIR_SPENT_COUNT; k++)
			spent_ns[k] += own_ns[k];
		settle_compute(&settlement, own_ns, &report->stages[i].attribution);
		judge_row(&settlement, own_ns, values[WEIR_F_AFTER_OF_HOST] > 0.5,
		          &report->stages[i]);
	}
	settle_compute(&settlement, spent_ns, &report->attribution);
}

static void add_cost(struct weir_run *run, const struct weir_cost *cost)
{
	const char *currency = cost->currency ? cost->currency : "USD";

	weir_run_add_metric(run, "cost_per_request", cost->per_request, currency, false);
	weir_run_add_metric(run, "cost_per_request_busy", cost->per_request_busy, currency, false);
	weir_run_add_metric(run, "cost_per_million_tokens", cost->per_million_tokens, currency,
	                    false);
}

void weir_serving_run(const struct weir_serving *serving, const struct weir_cost *cost,
                      struct weir_run *run)
{
	const struct weir_requests *requests = serving->requests;
	struct weir_request_figures figures = {.throughput_per_s = NAN,
	                                       .tokens_per_s = NAN,
	                                       .output_tokens_per_s = NAN,
	                                       .concurrency = NAN,
	                                       .goodput_per_s = NAN};
	struct weir_arena *arena;
	struct weir_series *series =
		weir_series_get(&run->stages, requests->all_failed ? "failed_request" : "request");
	struct samples samples;

	for (size_t i = 0; i < requests->count; i++)
		weir_series_push(series, serving->latency_ns[i]);
	if (requests->all_failed)
		return;
	arena = weir_arena_new();
	collect_samples(serving, arena, &samples);
	for (size_t s = 0; s < requests->stage_count; s++) {
		series = weir_series_get(&run->stages, weir_requests_stage_name(requests, s));
		for (size_t i = 0; i < samples.count[s]; i++)
			weir_series_push(series, samples.ns[s][i]);
	}
	weir_arena_free(arena);
	fill_rates(serving, &figures);
	weir_run_add_metric(run, "requests_per_s", figures.throughput_per_s, "1/s", true);
	weir_run_add_metric(run, "tokens_per_s", figures.tokens_per_s, "1/s", true);
	weir_run_add_metric(run, "output_tokens_per_s", figures.output_tokens_per_s, "1/s", true);
	weir_run_add_metric(run, "goodput_per_s", figures.goodput_per_s, "1/s", true);
	weir_run_add_metric(run, "padding_waste", serving->batches.padding_waste, NULL, false);
	weir_run_add_metric(run, "batch_size_mean", serving->batches.sizes.mean, NULL, true);
	if (cost)
		add_cost(run, cost);
}
