/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/model/report.h"

#define MAX_NOTES 32

WEIR_ENUM_TEXTS(weir_roofline, [WEIR_ROOFLINE_UNKNOWN] = NULL, [WEIR_ROOFLINE_COMPUTE] = "compute",
                [WEIR_ROOFLINE_MEMORY] = "memory", [WEIR_ROOFLINE_BALANCED] = "balanced",
                [WEIR_ROOFLINE_LATENCY] = "latency", [WEIR_ROOFLINE_INEFFICIENT] = "inefficient",
                [WEIR_ROOFLINE_IMPLAUSIBLE] = "implausible")

WEIR_ENUM_TEXTS(weir_stage_view, [WEIR_VIEW_TIMELINE] = "timeline", [WEIR_VIEW_REQUEST] = "request",
                [WEIR_VIEW_SERIES] = "series", [WEIR_VIEW_COUNTED] = "counted")

WEIR_ENUM_TEXTS(weir_confidence, [WEIR_CONFIDENCE_LOW] = "low", [WEIR_CONFIDENCE_MEDIUM] = "medium",
                [WEIR_CONFIDENCE_HIGH] = "high")

static const struct weir_distribution unknown_distribution = {
	.total_ns = NAN, .p50_ns = NAN, .p90_ns = NAN, .p95_ns = NAN, .p99_ns = NAN};

static const struct weir_memory_figures unknown_memory = {
	.largest = {.rank = -1,
                    .device_id = -1,
                    .peak_allocated_bytes = NAN,
                    .peak_reserved_bytes = NAN,
                    .fragmentation = NAN,
                    .leak_bytes_per_step = NAN,
                    .allocations_per_step = NAN,
                    .used_share = NAN},
	.allocator_calls = NAN,
	.allocator_share = NAN,
	.allocator_of_late = NAN,
	.slow_allocations = NAN,
	.slow_allocation_ns = NAN,
	.slow_share = NAN,
};

static const struct weir_queue_figures unknown_queue = {
	.waiting = {NAN, NAN, NAN, NAN}, .in_flight = {NAN, NAN, NAN, NAN}, .starved_share = NAN};

static const struct weir_verdict no_verdict = {.bound = WEIR_BOUND_UNDETERMINED,
                                               .share = NAN,
                                               .runner_up = WEIR_BOUND_UNDETERMINED,
                                               .runner_up_share = NAN};

static const struct weir_request_figures unknown_requests = {
	.latency = {.total_ns = NAN, .p50_ns = NAN, .p90_ns = NAN, .p95_ns = NAN, .p99_ns = NAN},
	.first_token =
		{.total_ns = NAN, .p50_ns = NAN, .p90_ns = NAN, .p95_ns = NAN, .p99_ns = NAN},
	.batch = {NAN, NAN, NAN, NAN, NAN, NAN},
	.padding_waste = NAN,
	.flat_step_ratio = NAN,
	.throughput_per_s = NAN,
	.requested_per_s = NAN,
	.tokens_per_s = NAN,
	.output_tokens_per_s = NAN,
	.concurrency = NAN,
	.compute_busy = NAN,
	.host_busy = NAN,
	.wait_compute = NAN,
	.wait_copy = NAN,
	.wait_host = NAN,
	.wait_idle = NAN,
	.batch_fill = NAN,
	.goodput_per_s = NAN,
	.goodput_share = NAN,
};

static const struct weir_telemetry_figures unknown_telemetry = {
	.utilization = NAN,
	.utilization_all = NAN,
	.power_w = NAN,
	.power_max_w = NAN,
	.power_limit_w = NAN,
	.board_power_w = NAN,
	.board_power_max_w = NAN,
	.busiest = {.utilization = NAN, .power_w = NAN},
	.idlest = {.utilization = NAN, .power_w = NAN},
	.sm_clock_mhz = NAN,
	.sm_clock_max_mhz = NAN,
	.temperature_max_c = NAN,
	.memory_used_max_bytes = NAN,
	.memory_total_bytes = NAN,
	.power_all_w = NAN,
	.sm_clock_all_mhz = NAN,
	.memory_clock_all_mhz = NAN,
	.memory_activity_all = NAN,
	.power_capped = NAN,
	.thermal_capped = NAN,
	.sm_active = NAN,
	.tensor_active = NAN,
	.dram_active = NAN,
	.engine_active = NAN,
};

static struct weir_gpu_figures unknown_gpu(void)
{
	struct weir_gpu_figures gpu = {
		.active = NAN,
		.idle = NAN,
		.compute = NAN,
		.communication = NAN,
		.exposed_communication = NAN,
		.memcpy = NAN,
		.exposed_memcpy = NAN,
		.kernel_p50_ns = NAN,
		.launch = {NAN, NAN, NAN},
		.graph_share = NAN,
		.mfu = NAN,
		.mbu = NAN,
		.modelled_share = NAN,
		.inter_kernel_limit_ns = NAN,
		.queue = unknown_queue,
		.waits = {.sync_share = NAN, .launch_call_share = NAN},
	};

	for (unsigned i = 0; i < WEIR_IDLE_COUNT; i++)
		gpu.idle_share[i] = NAN;
	return gpu;
}

/* All counts are 0, all figures unknown. The report lives in its own arena. */
struct weir_report *weir_report_new(const struct weir_profile *profile)
{
	struct weir_arena *arena = weir_arena_new();
	struct weir_report *report = weir_arena_alloc(arena, sizeof(*report));

	report->arena = arena;
	report->profile = profile;
	report->iteration = unknown_distribution;
	report->percentile = NAN;
	report->verdict = no_verdict;
	report->gpu = unknown_gpu();
	report->memory = unknown_memory;
	report->requests = unknown_requests;
	report->telemetry = unknown_telemetry;
	report->profiler.inflation = NAN;
	report->unprofiled_step_ns = NAN;
	return report;
}

void weir_report_free(struct weir_report *report)
{
	if (report)
		weir_arena_free(report->arena);
}

bool weir_report_has_note(const struct weir_report *report, const char *code)
{
	for (size_t i = 0; i < report->note_count; i++)
		if (strcmp(report->notes[i].code, code) == 0)
			return true;
	return false;
}

bool weir_report_lacks_kernels(const struct weir_report *report)
{
	return report->has_gpu && report->gpu.kernels == 0 && isnan(report->gpu.idle);
}

void weir_report_note(struct weir_report *report, const char *code, const char *format, ...)
{
	struct weir_text text = {0};
	va_list args;

	if (!report->notes)
		report->notes = weir_arena_alloc(report->arena, MAX_NOTES * sizeof *report->notes);
	if (report->note_count == MAX_NOTES)
		return;
	va_start(args, format);
	weir_text_vprintf(&text, format, args);
	va_end(args);
	report->notes[report->note_count++] = (struct weir_note){
		code, weir_arena_copy(report->arena, text.data ? text.data : "", text.length)};
	weir_text_release(&text);
}

const struct weir_recommendation *weir_recommendation_find(const struct weir_report *report,
                                                           const char *id)
{
	for (size_t i = 0; i < report->recommendation_count; i++)
		if (report->recommendations[i].id && strcmp(report->recommendations[i].id, id) == 0)
			return &report->recommendations[i];
	return NULL;
}

/* True if the list "compile, warm-up" has the id. */
static bool lists(const char *list, const char *id)
{
	size_t length = strlen(id);

	while (list && *list) {
		size_t word = strcspn(list, ",");

		if (word == length && strncmp(list, id, length) == 0)
			return true;
		list += word;
		list += strspn(list, ", ");
	}
	return false;
}

const struct weir_recommendation *weir_recommendation_instead(const struct weir_report *report,
                                                              const char *id)
{
	for (size_t i = 0; i < report->recommendation_count; i++)
		if (lists(report->recommendations[i].instead, id))
			return &report->recommendations[i];
	return NULL;
}
