/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/json/json_serving.h"
#include "engine/report/json/serving_keys.h"
#include "engine/report/words/phrases.h"

/* Members of an object that is open; base is the struct that the offsets are of. */
static void put_figures(struct weir_jsonout *json, const struct weir_figure_key *keys,
                        const void *base)
{
	for (; keys->key; keys++) {
		double value;

		memcpy(&value, (const char *)base + keys->offset, sizeof value);
		switch (keys->form) {
		case WEIR_FIGURE_SHARE:
			weir_jsonout_share(json, keys->key, value);
			break;
		case WEIR_FIGURE_WHOLE:
			weir_jsonout_rounded(json, keys->key, value);
			break;
		case WEIR_FIGURE_DOUBLE:
			weir_jsonout_double(json, keys->key, value);
			break;
		}
	}
}

static void put_object(struct weir_jsonout *json, const char *name,
                       const struct weir_figure_key *keys, const void *base)
{
	weir_jsonout_begin_object_inline(json, name);
	put_figures(json, keys, base);
	weir_jsonout_end(json);
}

static void put_cost(struct weir_jsonout *json, const struct weir_cost *cost)
{
	if (!cost) {
		weir_jsonout_null(json, "cost");
		return;
	}
	weir_jsonout_begin_object(json, "cost");
	weir_jsonout_text(json, "currency", cost->currency);
	weir_jsonout_text(json, "source", cost->source);
	put_figures(json, weir_cost_keys, cost);
	weir_jsonout_end(json);
}

void weir_json_put_requests(struct weir_jsonout *json, const struct weir_report *report)
{
	const struct weir_request_figures *requests = &report->requests;

	if (!report->has_requests) {
		weir_jsonout_null(json, "requests");
		return;
	}
	weir_jsonout_begin_object(json, "requests");
	weir_jsonout_int(json, "count", (int64_t)requests->count);
	put_object(json, "latency_ns", weir_quantile_keys, &requests->latency);
	put_object(json, "batch_size", weir_batch_size_keys, &requests->batch);
	weir_jsonout_share(json, "padding_waste", requests->padding_waste);
	weir_jsonout_share(json, "throughput_per_s", requests->throughput_per_s);
	put_cost(json, requests->cost);
	weir_jsonout_int(json, "failed", (int64_t)requests->failed);
	weir_jsonout_bool(json, "sampled", requests->sampled);
	weir_jsonout_bool(json, "client", requests->client);
	put_object(json, "wait", weir_wait_keys, requests);
	if (requests->first_token.count)
		put_object(json, "first_token_ns", weir_quantile_keys, &requests->first_token);
	else
		weir_jsonout_null(json, "first_token_ns");
	put_figures(json, weir_request_keys, requests);
	weir_jsonout_end(json);
}

void weir_json_put_telemetry(struct weir_jsonout *json, const struct weir_report *report)
{
	const struct weir_telemetry_figures *telemetry = &report->telemetry;

	if (!report->has_telemetry) {
		weir_jsonout_null(json, "telemetry");
		return;
	}
	weir_jsonout_begin_object(json, "telemetry");
	weir_jsonout_int(json, "samples", (int64_t)telemetry->samples);
	weir_jsonout_int(json, "devices", (int64_t)telemetry->devices);
	weir_jsonout_text(json, "device_name", telemetry->device_name);
	weir_jsonout_int(json, "span_ns", telemetry->span_ns);
	weir_jsonout_bool(json, "aligned", telemetry->aligned);
	put_figures(json, weir_telemetry_keys, telemetry);
	weir_jsonout_end(json);
}

void weir_json_put_notes(struct weir_jsonout *json, const struct weir_report *report)
{
	weir_jsonout_begin_array(json, "notes");
	for (size_t i = 0; i < report->note_count; i++) {
		weir_jsonout_begin_object_inline(json, NULL);
		weir_jsonout_text(json, "code", report->notes[i].code);
		weir_jsonout_text(json, "text", report->notes[i].text);
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
}

static void put_bounds(struct weir_jsonout *json, const char *key,
                       const struct weir_quantile_bounds *bounds)
{
	if (isnan(bounds->low_ns)) {
		weir_jsonout_null(json, key);
		return;
	}
	weir_jsonout_begin_array_inline(json, key);
	weir_jsonout_rounded(json, NULL, bounds->low_ns);
	weir_jsonout_rounded(json, NULL, bounds->high_ns); /* open: null */
	weir_jsonout_end(json);
}

void weir_json_put_stage(struct weir_jsonout *json, const struct weir_stage_row *stage)
{
	const struct weir_stage_counted *counted = stage->counted;

	weir_jsonout_text(json, "view", weir_stage_view_name(stage->view));
	weir_jsonout_share(json, "p50_share", stage->p50_share);
	weir_jsonout_share(json, "p99_share", stage->p99_share);
	weir_jsonout_double(json, "cost", stage->cost_usd);
	if (!counted) {
		weir_jsonout_null(json, "counted");
		return;
	}
	weir_jsonout_begin_object_inline(json, "counted");
	weir_jsonout_rounded(json, "mean_ns", counted->mean_ns);
	put_bounds(json, "p50", &counted->p50);
	put_bounds(json, "p90", &counted->p90);
	put_bounds(json, "p95", &counted->p95);
	put_bounds(json, "p99", &counted->p99);
	weir_jsonout_bool(json, "resolution_limited", counted->resolution_limited);
	weir_jsonout_end(json);
}
