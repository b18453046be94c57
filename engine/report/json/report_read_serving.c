/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a stored weir.report/1 about requests and monitors. */
#include <math.h>
#include <string.h>

#include "engine/report/json/report_read_impl.h"
#include "engine/report/json/serving_keys.h"

static void take_figures(struct weir_result_reader *reader, const cJSON *object,
                         const struct weir_figure_key *keys, void *base)
{
	for (; keys->key && !reader->status; keys++) {
		double value = weir_report_take_figure(reader, object, keys->key);

		memcpy((char *)base + keys->offset, &value, sizeof value);
	}
}

static void take_object(struct weir_result_reader *reader, const cJSON *object, const char *name,
                        const struct weir_figure_key *keys, void *base)
{
	take_figures(reader, weir_result_take_object(reader, object, name), keys, base);
	weir_result_in(reader, "%s", name);
}

static void read_cost(struct weir_result_reader *reader, const cJSON *object)
{
	const cJSON *document = weir_result_take_object(reader, object, "cost");
	struct weir_cost *cost;

	if (!document)
		return;
	cost = weir_arena_alloc(reader->arena, sizeof *cost);
	cost->currency = weir_result_take_text(reader, document, "currency");
	cost->source = weir_result_take_text(reader, document, "source");
	take_figures(reader, document, weir_cost_keys, cost);
	reader->report->requests.cost = cost;
	weir_result_in(reader, "cost");
}

void weir_report_read_requests(struct weir_result_reader *reader, const cJSON *document)
{
	const cJSON *object = weir_result_take_object(reader, document, "requests");
	struct weir_request_figures *requests = &reader->report->requests;

	if (!object)
		return;
	reader->report->has_requests = true;
	requests->count = weir_result_take_count(reader, object, "count");
	requests->latency.count = requests->count;
	take_object(reader, object, "latency_ns", weir_quantile_keys, &requests->latency);
	take_object(reader, object, "batch_size", weir_batch_size_keys, &requests->batch);
	requests->padding_waste = weir_report_take_figure(reader, object, "padding_waste");
	requests->throughput_per_s = weir_report_take_figure(reader, object, "throughput_per_s");
	read_cost(reader, object);
	requests->failed = weir_result_take_count(reader, object, "failed");
	requests->sampled = weir_result_take_bool(reader, object, "sampled");
	requests->client = weir_result_take_bool(reader, object, "client");
	take_object(reader, object, "wait", weir_wait_keys, requests);
	if (weir_result_take_object(reader, object, "first_token_ns")) {
		take_object(reader, object, "first_token_ns", weir_quantile_keys,
		            &requests->first_token);
		requests->first_token.count = requests->count;
	}
	take_figures(reader, object, weir_request_keys, requests);
	weir_result_in(reader, "requests");
}

void weir_report_read_telemetry(struct weir_result_reader *reader, const cJSON *document)
{
	const cJSON *object = weir_result_take_object(reader, document, "telemetry");
	struct weir_telemetry_figures *telemetry = &reader->report->telemetry;

	if (!object)
		return;
	reader->report->has_telemetry = true;
	telemetry->samples = weir_result_take_count(reader, object, "samples");
	telemetry->devices = weir_result_take_count(reader, object, "devices");
	telemetry->device_name = weir_result_take_text(reader, object, "device_name");
	telemetry->span_ns = (int64_t)weir_result_take_count(reader, object, "span_ns");
	telemetry->aligned = weir_result_take_bool(reader, object, "aligned");
	take_figures(reader, object, weir_telemetry_keys, telemetry);
	weir_result_in(reader, "telemetry");
}

static void read_note(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	struct weir_note *note = row;

	note->code = weir_result_take_text(reader, item, "code");
	note->text = weir_result_take_text(reader, item, "text");
	if (!note->text)
		weir_result_fail(reader, WEIR_E_FORMAT, "text", "a text");
}

void weir_report_read_notes(struct weir_result_reader *reader, const cJSON *run)
{
	static const struct weir_report_list list = {"notes", WEIR_REPORT_MAX_ROWS,
	                                             sizeof(struct weir_note), read_note};

	reader->report->notes =
		weir_report_take_list(reader, run, &list, &reader->report->note_count);
}

/* [low, high]; high null is open. */
static struct weir_quantile_bounds read_bounds(struct weir_result_reader *reader,
                                               const cJSON *object, const char *key)
{
	struct weir_quantile_bounds bounds = {NAN, NAN};
	const cJSON *list = weir_result_take(reader, object, key);
	const cJSON *low = cJSON_GetArrayItem(list, 0), *high = cJSON_GetArrayItem(list, 1);

	if (!list || cJSON_IsNull(list))
		return bounds;
	if (!cJSON_IsArray(list) || !cJSON_IsNumber(low)) {
		weir_result_fail(reader, WEIR_E_FORMAT, key, "two numbers");
		return bounds;
	}
	bounds.low_ns = weir_result_number_of(reader, key, low);
	bounds.high_ns = cJSON_IsNumber(high) ? weir_result_number_of(reader, key, high) : INFINITY;
	return bounds;
}

void weir_report_read_stage_more(struct weir_result_reader *reader, const cJSON *item,
                                 struct weir_stage_row *stage)
{
	const cJSON *object = weir_result_take_object(reader, item, "counted");
	const char *view = weir_result_take_text(reader, item, "view");
	struct weir_stage_counted *counted;

	if (view && !weir_stage_view_parse(view, &stage->view))
		weir_result_fail(reader, WEIR_E_FORMAT, "view", "where the stage's figures are of");
	stage->p50_share = weir_report_take_figure(reader, item, "p50_share");
	stage->p99_share = weir_report_take_figure(reader, item, "p99_share");
	stage->cost_usd = weir_report_take_figure(reader, item, "cost");
	if (!object)
		return;
	counted = weir_arena_alloc(reader->arena, sizeof *counted);
	counted->mean_ns = weir_report_take_figure(reader, object, "mean_ns");
	counted->p50 = read_bounds(reader, object, "p50");
	counted->p90 = read_bounds(reader, object, "p90");
	counted->p95 = read_bounds(reader, object, "p95");
	counted->p99 = read_bounds(reader, object, "p99");
	counted->resolution_limited = weir_result_take_bool(reader, object, "resolution_limited");
	stage->counted = counted;
	weir_result_in(reader, "counted");
}
