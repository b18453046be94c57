/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/model/report.h"
#include "engine/report/json/serving_keys.h"

#define SIZES(name)                                                                                \
	{                                                                                          \
#name, offsetof(struct weir_batch_sizes, name), WEIR_FIGURE_SHARE                  \
	}
#define REQUESTS(name)                                                                             \
	{                                                                                          \
#name, offsetof(struct weir_request_figures, name), WEIR_FIGURE_SHARE              \
	}
#define COST(name)                                                                                 \
	{                                                                                          \
#name, offsetof(struct weir_cost, name), WEIR_FIGURE_DOUBLE                        \
	}
#define SEEN(name)                                                                                 \
	{                                                                                          \
#name, offsetof(struct weir_telemetry_figures, name), WEIR_FIGURE_SHARE            \
	}
#define QUANTILE(key, name)                                                                        \
	{                                                                                          \
		key, offsetof(struct weir_distribution, name), WEIR_FIGURE_WHOLE                   \
	}

const struct weir_figure_key weir_batch_size_keys[] = {
	SIZES(mean), SIZES(p50), SIZES(p90), SIZES(p95), SIZES(p99), SIZES(max), {NULL, 0, 0}};

const struct weir_figure_key weir_wait_keys[] = {
	{"idle", offsetof(struct weir_request_figures, wait_idle), WEIR_FIGURE_SHARE},
	{"compute", offsetof(struct weir_request_figures, wait_compute), WEIR_FIGURE_SHARE},
	{"copy", offsetof(struct weir_request_figures, wait_copy), WEIR_FIGURE_SHARE},
	{"host", offsetof(struct weir_request_figures, wait_host), WEIR_FIGURE_SHARE},
	{NULL, 0, 0},
};

const struct weir_figure_key weir_request_keys[] = {
	REQUESTS(requested_per_s),
	REQUESTS(tokens_per_s),
	REQUESTS(output_tokens_per_s),
	REQUESTS(concurrency),
	REQUESTS(compute_busy),
	REQUESTS(host_busy),
	REQUESTS(batch_fill),
	REQUESTS(flat_step_ratio),
	REQUESTS(goodput_per_s),
	REQUESTS(goodput_share),
	{NULL, 0, 0},
};

const struct weir_figure_key weir_cost_keys[] = {
	COST(per_gpu_hour),
	COST(gpus),
	COST(total),
	COST(per_request),
	COST(per_request_busy),
	COST(per_request_idle),
	COST(per_request_padding),
	COST(per_million_tokens),
	COST(per_million_input_tokens),
	COST(per_million_output_tokens),
	COST(tokens_per_unit),
	COST(output_tokens_per_unit),
	COST(scale),
	{NULL, 0, 0},
};

const struct weir_figure_key weir_telemetry_keys[] = {
	SEEN(utilization),
	SEEN(utilization_all),
	SEEN(power_w),
	SEEN(power_max_w),
	SEEN(power_limit_w),
	SEEN(sm_clock_mhz),
	SEEN(sm_clock_max_mhz),
	SEEN(temperature_max_c),
	{"memory_used_max_bytes", offsetof(struct weir_telemetry_figures, memory_used_max_bytes),
         WEIR_FIGURE_WHOLE},
	SEEN(power_capped),
	SEEN(thermal_capped),
	SEEN(sm_active),
	SEEN(tensor_active),
	SEEN(dram_active),
	{NULL, 0, 0},
};

const struct weir_figure_key weir_quantile_keys[] = {QUANTILE("p50", p50_ns),
                                                     QUANTILE("p90", p90_ns),
                                                     QUANTILE("p95", p95_ns),
                                                     QUANTILE("p99", p99_ns),
                                                     {NULL, 0, 0}};
