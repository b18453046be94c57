/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "engine/analysis/requests/cost.h"
#include "engine/analysis/requests/joining.h"
#include "engine/analysis/requests/serving_cost.h"

#define COVERED_ENOUGH 0.999 /* of the window, by the charges of a bill */

static bool names(const struct weir_serving *serving, size_t stage, const char *word)
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
	if (names(serving, stage, "prefill"))
		return WEIR_COST_PREFILL;
	if (names(serving, stage, "decode") || names(serving, stage, "generat"))
		return WEIR_COST_DECODE;
	return WEIR_COST_COMPUTE;
}

/* Device seconds of all requests by stage. A batch that nobody states counts as one request: then
 * the scale makes up for it. */
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

/* Share of the window in which any request computes or copies. */
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
	in.cached_tokens = 0; /* no format of requests counts what a prefix cache saved */
	in.gpu_busy = device_busy(serving, window_ns);
	in.padding_waste = serving->batches.padding_waste;
	in.stages = stages;
	in.stage_count = requests->stage_count;
	if (isnan(in.output_tokens))
		in.output_tokens = 0; /* what is counted is all that is known of */
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
		for (size_t d = 0; input->trace && input->trace->device.count > 0 &&
		                   d < input->trace->device_count;
		     d++)
			traced += input->trace->devices[d].described ||
			          input->trace->device_count == 1;
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
		                 "nobody says how many devices serve: the cost is that of one");
	if (price->covered < COVERED_ENOUGH)
		weir_report_note(
			report, "cost",
			"the charges cover %.0f %% of the time of the requests: the rest is "
			"taken to cost as much",
			100 * price->covered);
	if (!isnan(serving->batches.sizes.mean) &&
	    (cost->scale < WEIR_COST_SCALE_LOW || cost->scale > WEIR_COST_SCALE_HIGH))
		weir_report_note(report, "cost",
		                 "stages account for the time the device was busy divided by %.2f: "
		                 "their costs are scaled to it",
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
