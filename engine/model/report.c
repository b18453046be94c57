/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/model/report.h"

static const char *const roofline_names[] = {
	[WEIR_ROOFLINE_UNKNOWN] = NULL,
	[WEIR_ROOFLINE_COMPUTE] = "compute",
	[WEIR_ROOFLINE_MEMORY] = "memory",
	[WEIR_ROOFLINE_BALANCED] = "balanced",
	[WEIR_ROOFLINE_LATENCY] = "latency",
	[WEIR_ROOFLINE_INEFFICIENT] = "inefficient",
	[WEIR_ROOFLINE_IMPLAUSIBLE] = "implausible",
};

static const char *const view_names[] = {
	[WEIR_VIEW_TIMELINE] = "timeline",
	[WEIR_VIEW_REQUEST] = "request",
	[WEIR_VIEW_SERIES] = "series",
	[WEIR_VIEW_COUNTED] = "counted",
};

static const char *const confidence_names[] = {
	[WEIR_CONFIDENCE_LOW] = "low",
	[WEIR_CONFIDENCE_MEDIUM] = "medium",
	[WEIR_CONFIDENCE_HIGH] = "high",
};

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
	.sm_clock_mhz = NAN,
	.sm_clock_max_mhz = NAN,
	.temperature_max_c = NAN,
	.memory_used_max_bytes = NAN,
	.power_capped = NAN,
	.thermal_capped = NAN,
	.sm_active = NAN,
	.tensor_active = NAN,
	.dram_active = NAN,
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

/* Counts start at 0, figures at unknown. The report lives in its own arena. */
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
	return report;
}

void weir_report_free(struct weir_report *report)
{
	if (report)
		weir_arena_free(report->arena);
}

const char *weir_roofline_name(enum weir_roofline roofline)
{
	return (unsigned)roofline <= WEIR_ROOFLINE_IMPLAUSIBLE ? roofline_names[roofline] : NULL;
}

bool weir_roofline_parse(const char *name, enum weir_roofline *out)
{
	for (unsigned i = WEIR_ROOFLINE_COMPUTE; i <= WEIR_ROOFLINE_IMPLAUSIBLE; i++) {
		if (strcmp(name, roofline_names[i]) == 0) {
			*out = (enum weir_roofline)i;
			return true;
		}
	}
	return false;
}

const char *weir_stage_view_name(enum weir_stage_view view)
{
	return (unsigned)view <= WEIR_VIEW_COUNTED ? view_names[view] : "?";
}

bool weir_stage_view_parse(const char *name, enum weir_stage_view *out)
{
	for (unsigned i = 0; i <= WEIR_VIEW_COUNTED; i++) {
		if (strcmp(name, view_names[i]) == 0) {
			*out = (enum weir_stage_view)i;
			return true;
		}
	}
	return false;
}

static const char *const late_by_names[WEIR_LATE_BY_COUNT] = {NULL, "device", "host"};

const char *weir_late_by_name(enum weir_late_by late_by)
{
	return (unsigned)late_by < WEIR_LATE_BY_COUNT ? late_by_names[late_by] : NULL;
}

bool weir_late_by_parse(const char *name, enum weir_late_by *out)
{
	for (unsigned i = 0; i < WEIR_LATE_BY_COUNT; i++) {
		if (late_by_names[i] && strcmp(name, late_by_names[i]) == 0) {
			*out = (enum weir_late_by)i;
			return true;
		}
	}
	return false;
}

const char *weir_confidence_name(enum weir_confidence confidence)
{
	return (unsigned)confidence <= WEIR_CONFIDENCE_HIGH ? confidence_names[confidence] : "?";
}

bool weir_confidence_parse(const char *name, enum weir_confidence *out)
{
	for (unsigned i = 0; i <= WEIR_CONFIDENCE_HIGH; i++) {
		if (strcmp(name, confidence_names[i]) == 0) {
			*out = (enum weir_confidence)i;
			return true;
		}
	}
	return false;
}
