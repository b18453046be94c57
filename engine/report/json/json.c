/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * weir.report/1: for programs, and for report_read.c, which makes the same report of it. Keys in
 * the order of the contract; what the contract does not name stands at the end of its object
 * (run.set_apart, run.iteration_ns, run.steady, run.percentile, run.notes, inputs[].gives,
 * verdict.headline, recommendations[].limit and saving, what_if[].stages, what json_serving.c adds
 * to requests and stages and json_device.c to gpu and memory, telemetry; graphs, critical_path,
 * counters and host where there are any).
 */
#include <math.h>
#include <string.h>

#include "engine/base/jsonout.h"
#include "engine/report/json/json_counters.h"
#include "engine/report/json/json_device.h"
#include "engine/report/json/json_graphs.h"
#include "engine/report/json/json_host.h"
#include "engine/report/json/json_path.h"
#include "engine/report/json/json_serving.h"
#include "engine/report/json/json_what_if.h"
#include "engine/report/words/phrases.h"
#include "engine/report/words/warnings.h"
#include "engine/report/writer.h"

#define MICRO 1000000 /* shares have six decimals */

/* A text that a phrase makes; null where it makes none. */
static void put_phrase(struct weir_jsonout *json, const char *key, const struct weir_report *report,
                       const char *template)
{
	struct weir_text text = {0};

	weir_phrase_expanded(report, template, &text);
	weir_jsonout_text(json, key, text.length ? text.data : NULL);
	weir_text_release(&text);
}

static void put_input(struct weir_jsonout *json, const struct weir_input *input)
{
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "path", input->path);
	weir_jsonout_text(json, "format", input->format);
	weir_jsonout_int(json, "bytes", (int64_t)input->bytes);
	weir_jsonout_int(json, "events", (int64_t)input->events);
	weir_jsonout_begin_array(json, "warnings");
	for (int code = 0; code < WEIR_WARN_COUNT; code++) {
		struct weir_text sentence = {0};

		if (!input->warnings[code].count)
			continue;
		weir_warning_sentence(&input->warnings[code], (enum weir_warning_code)code,
		                      &sentence);
		weir_jsonout_begin_object_inline(json, NULL);
		weir_jsonout_text(json, "code",
		                  weir_warning_code_text((enum weir_warning_code)code));
		weir_jsonout_int(json, "count", (int64_t)input->warnings[code].count);
		weir_jsonout_text(json, "message", sentence.data);
		weir_jsonout_end(json);
		weir_text_release(&sentence);
	}
	weir_jsonout_end(json);
	weir_jsonout_text(json, "gives", input->gives);
	weir_jsonout_end(json);
}

static void put_set_apart(struct weir_jsonout *json, const struct weir_report *report)
{
	weir_jsonout_begin_array(json, "set_apart");
	for (size_t i = 0; i < report->set_apart_count; i++) {
		const struct weir_set_apart *apart = &report->set_apart[i];

		weir_jsonout_begin_object_inline(json, NULL);
		weir_jsonout_text(json, "name", apart->name);
		weir_jsonout_text(json, "reason", apart->reason);
		weir_jsonout_int(json, "count", (int64_t)apart->count);
		weir_jsonout_int(json, "duration_ns", apart->duration_ns);
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
}

static void put_iteration(struct weir_jsonout *json, const struct weir_report *report)
{
	const struct weir_distribution *iteration = &report->iteration;

	if (!report->iteration_count) {
		weir_jsonout_null(json, "iteration_ns");
		return;
	}
	weir_jsonout_begin_object_inline(json, "iteration_ns");
	weir_jsonout_rounded(json, "p50", iteration->p50_ns);
	weir_jsonout_rounded(json, "p90", iteration->p90_ns);
	weir_jsonout_rounded(json, "p95", iteration->p95_ns);
	weir_jsonout_rounded(json, "p99", iteration->p99_ns);
	weir_jsonout_end(json);
}

static void put_run(struct weir_jsonout *json, const struct weir_report *report)
{
	weir_jsonout_begin_object(json, "run");
	weir_jsonout_begin_array(json, "inputs");
	for (size_t i = 0; report->profile && i < report->profile->input_count; i++)
		put_input(json, &report->profile->inputs[i]);
	weir_jsonout_end(json);
	weir_jsonout_begin_array(json, "devices");
	for (size_t i = 0; i < report->device_count; i++) {
		weir_jsonout_begin_object_inline(json, NULL);
		weir_jsonout_text(json, "name", report->devices[i].name);
		weir_jsonout_int(json, "count", report->devices[i].count);
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
	weir_jsonout_int(json, "ranks", (int64_t)report->rank_count);
	weir_jsonout_int(json, "iterations", (int64_t)report->iteration_count);
	weir_jsonout_int(json, "span_ns", report->span_ns);
	put_set_apart(json, report);
	put_iteration(json, report);
	weir_jsonout_bool(json, "steady", report->steady);
	weir_jsonout_share(json, "percentile", report->percentile);
	weir_json_put_notes(json, report);
	weir_jsonout_end(json);
}

static enum weir_unit unit_of(const struct weir_report *report, const char *feature)
{
	for (size_t i = 0; report->feature_table && i < report->feature_table->count; i++) {
		if (!strcmp(report->feature_table->items[i].id, feature))
			return report->feature_table->items[i].unit;
	}
	return WEIR_UNIT_RATIO;
}

static void put_evidence(struct weir_jsonout *json, const struct weir_report *report,
                         const struct weir_evidence *evidence)
{
	weir_jsonout_begin_object_inline(json, NULL);
	weir_jsonout_text(json, "clause", evidence->clause);
	weir_jsonout_begin_object_inline(json, "values");
	for (size_t i = 0; i < evidence->reading_count; i++) {
		const struct weir_reading *reading = &evidence->readings[i];

		if (unit_of(report, reading->feature) == WEIR_UNIT_NS)
			weir_jsonout_rounded(json, reading->feature, reading->value);
		else
			weir_jsonout_share(json, reading->feature, reading->value);
	}
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}

static void put_verdict(struct weir_jsonout *json, const struct weir_report *report)
{
	const struct weir_verdict *verdict = &report->verdict;

	weir_jsonout_begin_object(json, "verdict");
	weir_jsonout_text(json, "bound", weir_bound_name(verdict->bound));
	weir_jsonout_text(json, "cause", verdict->cause);
	weir_jsonout_text(json, "confidence", weir_confidence_name(verdict->confidence));
	weir_jsonout_share(json, "share", verdict->share);
	weir_jsonout_text(json, "rule", verdict->rule);
	weir_jsonout_begin_array(json, "evidence");
	for (size_t i = 0; i < verdict->evidence_count; i++)
		put_evidence(json, report, &verdict->evidence[i]);
	weir_jsonout_end(json);
	if (verdict->has_runner_up) {
		weir_jsonout_begin_object_inline(json, "runner_up");
		weir_jsonout_text(json, "bound", weir_bound_name(verdict->runner_up));
		weir_jsonout_share(json, "share", verdict->runner_up_share);
		weir_jsonout_end(json);
	} else {
		weir_jsonout_null(json, "runner_up");
	}
	put_phrase(json, "next", report, verdict->next);
	put_phrase(json, "headline", report, verdict->headline);
	weir_jsonout_end(json);
}

/* Rounds the running sum instead of each share, so that what is printed adds up to 1 as well. */
static void put_attribution(struct weir_jsonout *json, const struct weir_report *report)
{
	const struct weir_attribution *attribution = &report->attribution;
	int64_t sum = 0;
	double before = 0, after;

	weir_jsonout_begin_object(json, "attribution");
	for (int bound = 0; bound < WEIR_BOUND_COUNT; bound++) {
		sum += attribution->ns[bound];
		after = attribution->total_ns > 0
		                ? round((double)sum / (double)attribution->total_ns * MICRO)
		                : NAN;
		weir_jsonout_share(json, weir_attribution_label((enum weir_bound)bound),
		                   (after - before) / MICRO);
		before = after;
	}
	weir_jsonout_end(json);
}

/* As with the attribution, the running sum is rounded: the causes add up to the idle share. */
static void put_idle_causes(struct weir_jsonout *json, const struct weir_gpu_figures *gpu)
{
	double sum = 0, before = 0;

	weir_jsonout_begin_object(json, "idle_causes");
	for (int idle = 0; idle < WEIR_IDLE_COUNT; idle++) {
		double after;

		sum += gpu->idle_share[idle];
		after = round(sum * MICRO);
		weir_jsonout_share(json, weir_idle_name((enum weir_idle)idle),
		                   (after - before) / MICRO);
		before = after;
	}
	weir_jsonout_end(json);
}

static void put_gpu(struct weir_jsonout *json, const struct weir_report *report)
{
	const struct weir_gpu_figures *gpu = &report->gpu;

	if (!report->has_gpu) {
		weir_jsonout_null(json, "gpu");
		return;
	}
	weir_jsonout_begin_object(json, "gpu");
	weir_jsonout_share(json, "active", gpu->active);
	weir_jsonout_share(json, "idle", gpu->idle);
	weir_jsonout_share(json, "compute", gpu->compute);
	weir_jsonout_share(json, "communication", gpu->communication);
	weir_jsonout_share(json, "exposed_communication", gpu->exposed_communication);
	weir_jsonout_share(json, "memcpy", gpu->memcpy);
	weir_jsonout_share(json, "exposed_memcpy", gpu->exposed_memcpy);
	weir_jsonout_rounded(json, "kernel_p50_ns", gpu->kernel_p50_ns);
	weir_jsonout_int(json, "kernels", (int64_t)gpu->kernels);
	put_idle_causes(json, gpu);
	weir_jsonout_begin_object_inline(json, "launch_ns");
	weir_jsonout_rounded(json, "p50", gpu->launch.p50_ns);
	weir_jsonout_rounded(json, "p90", gpu->launch.p90_ns);
	weir_jsonout_rounded(json, "p99", gpu->launch.p99_ns);
	weir_jsonout_end(json);
	weir_jsonout_share(json, "graph_share", gpu->graph_share);
	weir_jsonout_share(json, "mfu", gpu->mfu);
	weir_jsonout_share(json, "mbu", gpu->mbu);
	weir_jsonout_share(json, "modelled_share", gpu->modelled_share);
	weir_json_put_launching(json, gpu);
	weir_jsonout_end(json);
}

static void put_ranks(struct weir_jsonout *json, const struct weir_report *report)
{
	if (!report->ranks) {
		weir_jsonout_null(json, "ranks");
		return;
	}
	weir_jsonout_begin_array(json, "ranks");
	for (size_t i = 0; i < report->rank_row_count; i++) {
		const struct weir_rank_row *rank = &report->ranks[i];

		weir_jsonout_begin_object_inline(json, NULL);
		if (rank->rank < 0)
			weir_jsonout_null(json, "rank");
		else
			weir_jsonout_int(json, "rank", rank->rank);
		weir_jsonout_share(json, "active", rank->active);
		weir_jsonout_share(json, "exposed_communication", rank->exposed_communication);
		weir_jsonout_share(json, "wait", rank->wait);
		weir_jsonout_share(json, "transfer", rank->transfer);
		weir_jsonout_share(json, "straggler_score", rank->straggler_score);
		weir_jsonout_text(json, "late_by", weir_late_by_name(rank->late_by));
		weir_jsonout_rounded(json, "collectives", rank->collectives);
		weir_jsonout_rounded(json, "bus_bytes_per_s", rank->bus_bytes_per_s);
		weir_jsonout_share(json, "link_share", rank->link_share);
		weir_jsonout_rounded(json, "clock_offset_ns", rank->clock_offset_ns);
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
}

static void put_quantiles(struct weir_jsonout *json, const struct weir_distribution *distribution)
{
	weir_jsonout_rounded(json, "p50_ns", distribution->p50_ns);
	weir_jsonout_rounded(json, "p90_ns", distribution->p90_ns);
	weir_jsonout_rounded(json, "p95_ns", distribution->p95_ns);
	weir_jsonout_rounded(json, "p99_ns", distribution->p99_ns);
}

static void put_stages(struct weir_jsonout *json, const struct weir_report *report)
{
	weir_jsonout_begin_array(json, "stages");
	for (size_t i = 0; i < report->stage_count; i++) {
		const struct weir_stage_row *stage = &report->stages[i];

		weir_jsonout_begin_object(json, NULL);
		weir_jsonout_text(json, "name", stage->name);
		weir_jsonout_text(json, "kind", stage->kind);
		weir_jsonout_int(json, "count", (int64_t)stage->duration.count);
		weir_jsonout_rounded(json, "total_ns", stage->duration.total_ns);
		weir_jsonout_share(json, "share", stage->share);
		put_quantiles(json, &stage->duration);
		weir_jsonout_share(json, "p95_share", stage->p95_share);
		weir_jsonout_text(json, "bound", weir_bound_name(stage->verdict.bound));
		weir_jsonout_text(json, "cause", stage->verdict.cause);
		weir_json_put_stage(json, stage);
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
}

static void put_operator(struct weir_jsonout *json, const struct weir_operator_row *operator)
{
	bool known = operator->verdict.bound != WEIR_BOUND_UNDETERMINED;

	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "name", operator->name);
	weir_jsonout_text(json, "stage", operator->stage);
	weir_jsonout_text(json, "device", operator->device);
	weir_jsonout_text(json, "kind", operator->kind);
	weir_jsonout_int(json, "count", (int64_t) operator->call.count);
	weir_jsonout_rounded(json, "total_ns", operator->call.total_ns);
	weir_jsonout_share(json, "share", operator->share);
	put_quantiles(json, &operator->call);
	weir_jsonout_rounded(json, "flops", operator->flops);
	weir_jsonout_rounded(json, "bytes", operator->bytes);
	weir_jsonout_share(json, "tflops", operator->tflops);
	weir_jsonout_share(json, "gbps", operator->gbps);
	weir_jsonout_text(json, "roofline", weir_roofline_name(operator->roofline));
	weir_jsonout_share(json, "efficiency", operator->efficiency);
	weir_jsonout_text(json, "bound", known ? weir_bound_name(operator->verdict.bound) : NULL);
	weir_json_put_operator_counters(json, operator);
	weir_jsonout_end(json);
}

static void put_operators(struct weir_jsonout *json, const struct weir_report *report)
{
	weir_jsonout_begin_array(json, "operators");
	for (size_t i = 0; i < report->operator_count; i++)
		put_operator(json, &report->operators[i]);
	weir_jsonout_end(json);
}

static void put_recommendations(struct weir_jsonout *json, const struct weir_report *report)
{
	weir_jsonout_begin_array(json, "recommendations");
	for (size_t i = 0; i < report->recommendation_count; i++) {
		const struct weir_recommendation *recommendation = &report->recommendations[i];

		weir_jsonout_begin_object(json, NULL);
		weir_jsonout_text(json, "id", recommendation->id);
		weir_jsonout_text(json, "title", recommendation->title);
		weir_jsonout_text(json, "why", recommendation->why);
		weir_jsonout_text(json, "effort", recommendation->effort);
		if (isnan(recommendation->low) || isnan(recommendation->high)) {
			weir_jsonout_null(json, "speedup");
		} else {
			weir_jsonout_begin_object_inline(json, "speedup");
			weir_jsonout_share(json, "low", recommendation->low);
			weir_jsonout_share(json, "high", recommendation->high);
			weir_jsonout_end(json);
		}
		weir_jsonout_share(json, "limit", recommendation->limit);
		weir_json_put_saving(json, recommendation);
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
}

static void write_json(const struct weir_report *report, const struct weir_write_options *options,
                       struct weir_text *out)
{
	struct weir_jsonout json;

	(void)options; /* programs get everything */
	weir_jsonout_init(&json, out, true);
	weir_jsonout_begin_object(&json, NULL);
	weir_jsonout_text(&json, "schema", "weir.report/1");
	weir_jsonout_text(&json, "weir", WEIR_VERSION);
	put_run(&json, report);
	put_verdict(&json, report);
	put_attribution(&json, report);
	put_gpu(&json, report);
	weir_json_put_requests(&json, report);
	put_ranks(&json, report);
	put_stages(&json, report);
	put_operators(&json, report);
	put_recommendations(&json, report);
	weir_json_put_what_ifs(&json, report);
	weir_json_put_profiler(&json, report);
	weir_json_put_memory(&json, report);
	weir_json_put_telemetry(&json, report);
	weir_json_put_graphs(&json, report);
	weir_json_put_counters(&json, report);
	weir_json_put_host(&json, report);
	weir_json_put_critical_path(&json, report);
	weir_jsonout_end(&json);
	weir_text_puts(out, "\n");
}

const struct weir_writer weir_writer_json = {
	.name = "json",
	.suffix = ".json",
	.title = "weir.report/1, for programs",
	.write = write_json,
};
