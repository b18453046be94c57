/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "engine/analysis/requests/cost.h"
#include "engine/analysis/requests/joining.h"

#define S_PER_HOUR     3600.0
#define MILLION        1e6
#define COVERED_ENOUGH 0.999 /* of the window, by the charges of a bill */

struct weir_cost_inputs weir_cost_unknown(void)
{
	return (struct weir_cost_inputs){
		.per_gpu_hour = NAN,
		.total = NAN,
		.gpus = NAN,
		.window_s = NAN,
		.requests = NAN,
		.input_tokens = NAN,
		.output_tokens = NAN,
		.cached_tokens = NAN,
		.gpu_busy = NAN,
		.padding_waste = NAN,
		.gap_share = NAN,
	};
}

double weir_cost_gpu_s(double stage_s, double gpus, double batch)
{
	return stage_s >= 0 && gpus >= 0 && batch >= 1 ? stage_s * gpus / batch : NAN;
}

/* Returns part / whole; NAN if whole is not positive. */
static double ratio(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

/* Returns the device seconds of one request in the stages of these parts (a set of bits); NAN: one
 * of them is unknown. */
static double gpu_s_of(const struct weir_cost_inputs *in, unsigned parts)
{
	double sum = 0;

	for (size_t i = 0; i < in->stage_count; i++)
		if (parts & 1u << in->stages[i].part)
			sum += in->stages[i].gpu_s;
	return sum;
}

#define PREFILL (1u << WEIR_COST_PREFILL)
#define DECODE  (1u << WEIR_COST_DECODE)
#define COMPUTE (1u << WEIR_COST_COMPUTE | PREFILL | DECODE)
#define ALL     (1u << WEIR_COST_OTHER | COMPUTE)

/* Returns the cost of one device second of a stage for one request. */
static double stage_rate(const struct weir_cost_inputs *in, const struct weir_cost *out)
{
	double per_gpu_s = out->per_gpu_hour / S_PER_HOUR, all = gpu_s_of(in, ALL), rate;

	/* k * C/S without S, which cancels out, so that a bill needs no number of devices. */
	rate = ratio(out->per_request_busy, all);
	if (!isnan(rate))
		return rate;
	rate = ratio(out->per_request, all);
	return rate < per_gpu_s ? rate : per_gpu_s;
}

static double prefill_share(const struct weir_cost_inputs *in)
{
	double prefill = gpu_s_of(in, PREFILL), decode = gpu_s_of(in, DECODE);

	return ratio(prefill, prefill + decode);
}

static void price_tokens(const struct weir_cost_inputs *in, struct weir_cost *out)
{
	double tokens = in->input_tokens + in->output_tokens, share = prefill_share(in);

	out->tokens_per_unit = ratio(tokens, out->total);
	out->output_tokens_per_unit = ratio(in->output_tokens, out->total);
	out->per_million_tokens = ratio(MILLION * out->total, tokens);
	out->per_million_input_tokens =
		ratio(MILLION * out->total * share, in->input_tokens - in->cached_tokens);
	out->per_million_output_tokens =
		ratio(MILLION * out->total * (1 - share), in->output_tokens);
}

/* Returns an upper bound: fused kernels and kernels for variable lengths skip padding. Without
 * stages, all busy time counts as computation. */
static double padding_cost(const struct weir_cost_inputs *in, const struct weir_cost *out,
                           double rate)
{
	double compute = in->stage_count > 0 ? rate * gpu_s_of(in, COMPUTE) : out->per_request_busy;

	return compute * in->padding_waste;
}

void weir_cost_of(const struct weir_cost_inputs *in, struct weir_cost *out, double *stage_cost)
{
	double hours = in->gpus * in->window_s / S_PER_HOUR, rate;
	double busy = in->gpu_busy > 1 ? 1 : in->gpu_busy;
	bool billed = !isnan(in->total);

	*out = (struct weir_cost){.currency = in->currency, .source = in->source};
	out->gpus = in->gpus;
	out->total = billed ? in->total : in->per_gpu_hour * hours;
	out->per_gpu_hour = billed && hours > 0 ? in->total / hours : in->per_gpu_hour;
	out->per_request = ratio(out->total, in->requests);
	out->per_request_busy = out->per_request * busy;
	out->per_request_idle = out->per_request * (1 - busy);
	out->per_request_gaps = out->per_request_busy * in->gap_share;
	out->scale = ratio(busy * in->gpus * in->window_s, in->requests * gpu_s_of(in, ALL));
	rate = stage_rate(in, out);
	out->per_request_padding = padding_cost(in, out, rate);
	price_tokens(in, out);
	for (size_t i = 0; stage_cost && i < in->stage_count; i++)
		stage_cost[i] = rate * in->stages[i].gpu_s;
}

/* ---- the requests of a run ---- */

static bool name_contains(const struct weir_serving *serving, size_t stage, const char *word)
{
	const char *name = weir_requests_stage_name(serving->requests, stage);

	for (; *name; name++)
		if (strncasecmp(name, word, strlen(word)) == 0)
			return true;
	return false;
}

static enum weir_cost_part part_of(const struct weir_serving *serving, size_t stage)
{
	if (serving->classes[stage] != WEIR_PART_COMPUTE)
		return WEIR_COST_OTHER;
	if (name_contains(serving, stage, "prefill"))
		return WEIR_COST_PREFILL;
	if (name_contains(serving, stage, "decode") || name_contains(serving, stage, "generat"))
		return WEIR_COST_DECODE;
	return WEIR_COST_COMPUTE;
}

/* Adds up the device seconds of all requests by stage. A batch of unknown size counts as one
 * request; scaling corrects for it. */
static void add_device_time(const struct weir_serving *serving, double *device_s)
{
	const struct weir_requests *requests = serving->requests;

	for (size_t i = 0; i < requests->count; i++) {
		struct weir_part_walk walk = weir_part_walk_on(requests, i);
		double batch = requests->batch_size[i] > 0 ? requests->batch_size[i] : 1;
		struct weir_part part;

		while (weir_part_walk_next(&walk, &part)) {
			enum weir_part_class class = serving->classes[part.stage];
			double part_s = (double)weir_span_ns(part.start_ns, part.end_ns) / 1e9;

			if (class == WEIR_PART_COMPUTE || class == WEIR_PART_COPY)
				device_s[part.stage] += weir_cost_gpu_s(part_s, 1, batch);
		}
	}
}

/* Returns the share of the window in which any request computes or copies. */
static double device_busy(const struct weir_serving *serving, double window_ns)
{
	const struct weir_intervals *busy = serving->load.busy;
	int64_t compute_ns = weir_intervals_total(&busy[WEIR_RESOURCE_COMPUTE]);
	int64_t copy_ns =
		weir_intervals_outside_ns(&busy[WEIR_RESOURCE_COPY], &busy[WEIR_RESOURCE_COMPUTE]);

	return (double)weir_add_ns(compute_ns, copy_ns) / window_ns;
}

static double sum_tokens(const int64_t *tokens, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		if (tokens[i] < 0)
			return NAN;
		sum += (double)tokens[i];
	}
	return sum;
}

bool weir_serving_cost(const struct weir_serving *serving, const struct weir_price *price,
                       double devices, struct weir_cost *out, double *stage_cost)
{
	const struct weir_requests *requests = serving->requests;
	double window_ns = (double)weir_span_ns(serving->load.start_ns, serving->load.end_ns);
	double device_s[WEIR_MAX_REQUEST_STAGES] = {0};
	struct weir_cost_stage stages[WEIR_MAX_REQUEST_STAGES];
	struct weir_cost_inputs in = weir_cost_unknown();

	if (!price->source || !serving->waiting_known || !(window_ns > 0))
		return false;
	add_device_time(serving, device_s);
	for (size_t s = 0; s < requests->stage_count; s++)
		stages[s] = (struct weir_cost_stage){part_of(serving, s),
		                                     device_s[s] / (double)requests->count};
	in.currency = price->currency;
	in.source = price->source;
	in.per_gpu_hour = price->per_gpu_hour;
	in.total = price->total;
	in.gpus = devices;
	in.window_s = window_ns / 1e9;
	in.requests = (double)requests->count;
	in.input_tokens = sum_tokens(requests->tokens, requests->count);
	in.output_tokens = sum_tokens(requests->output_tokens, requests->count);
	in.cached_tokens = 0; /* no format of requests counts tokens from a prefix cache */
	in.gpu_busy = device_busy(serving, window_ns);
	in.padding_waste = serving->batches.padding_waste;
	in.stages = stages;
	in.stage_count = requests->stage_count;
	if (isnan(in.output_tokens))
		in.output_tokens = 0; /* only the counted tokens are known */
	weir_cost_of(&in, out, stage_cost);
	if (in.output_tokens == 0)
		out->per_million_input_tokens = out->per_million_output_tokens =
			out->output_tokens_per_unit = NAN;
	return true;
}

struct weir_serving_devices weir_serving_devices_of(const struct weir_profile *profile)
{
	size_t seen = 0, traced = 0;

	for (size_t i = 0; i < profile->input_count; i++) {
		const struct weir_input *input = &profile->inputs[i];

		if (input->telemetry && input->telemetry->device_count > seen)
			seen = input->telemetry->device_count;
		traced += weir_input_facts(input).devices;
	}
	if (seen > 0)
		return (struct weir_serving_devices){(double)seen, false};
	if (traced > 0)
		return (struct weir_serving_devices){(double)traced, false};
	return (struct weir_serving_devices){1, true};
}

static void note_price(const struct weir_serving *serving, const struct weir_price *price,
                       bool assumed, const struct weir_cost *cost, struct weir_report *report)
{
	if (assumed)
		weir_report_note(report, "cost",
		                 "no input states the number of devices: the cost assumes one");
	if (price->covered < COVERED_ENOUGH)
		weir_report_note(report, "cost",
		                 "the charges cover %.0f %% of the time of the requests: the rest "
		                 "is assumed to cost as much",
		                 100 * price->covered);
	if (!isnan(serving->batches.sizes.mean) &&
	    (cost->scale < WEIR_COST_SCALE_LOW || cost->scale > WEIR_COST_SCALE_HIGH))
		weir_report_note(report, "cost",
		                 "the busy time of the device is %.2f times what the stages "
		                 "account for: their costs are scaled by it",
		                 cost->scale);
}

void weir_serving_price(const struct weir_serving *serving, const struct weir_profile *profile,
                        const struct weir_settings *settings, struct weir_report *report)
{
	const struct weir_stretch stretch = weir_requests_stretch(serving);
	const struct weir_price_window window = {stretch.start_ns, stretch.end_ns};
	const struct weir_serving_devices devices = weir_serving_devices_of(profile);
	double stage_cost[WEIR_MAX_REQUEST_STAGES];
	struct weir_cost *cost = weir_arena_alloc(report->arena, sizeof *cost);
	struct weir_price price;

	weir_price_of(settings, profile, &window, &price);
	if (price.missing)
		weir_report_note(report, "cost", "%s", price.missing);
	if (!weir_serving_cost(serving, &price, devices.count, cost, stage_cost))
		return;
	report->requests.cost = cost;
	note_price(serving, &price, devices.assumed, cost, report);
	for (size_t i = 0; i < serving->requests->stage_count; i++)
		report->stages[i].cost_usd = stage_cost[serving->order[i]];
}
