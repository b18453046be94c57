/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads reports of TensorRT-LLM's trtllm-bench: --report_json gives figures of a run in
 * milliseconds, --request_json gives requests in nanoseconds of a monotonic clock, -1 for unset
 * times. Its percentiles come from a step function: sorted[int(n * q)].
 */
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"engine", "performance", "world_info", "request_info", "machine",
                   "streaming_metrics"},
                  .all = 2}},
	{.first = "[",
         .keys = {{"start_timestamp", "end_timestamp", "first_token_timestamp", "num_input_tokens"},
                  .all = 3}},
	{0},
};

static const struct weir_client_row rows[] = {
	WEIR_CLIENT_NUMBER(completed, "request_info/num_requests"),
	WEIR_CLIENT_NUMBER(concurrency, "request_info/avg_num_concurrent_requests"),
	WEIR_CLIENT_NUMBER(input_tokens, "request_info/avg_input_length"),
	WEIR_CLIENT_NUMBER(output_tokens, "request_info/avg_output_length"),
	{"performance/total_latency_ms", WEIR_CLIENT_SLOT(duration_s), 1e-3, false},
	WEIR_CLIENT_NUMBER(e2e.mean, "performance/avg_request_latency_ms"),
	WEIR_CLIENT_TIMES(e2e, "performance/request_latency_percentiles_ms", 1),
	WEIR_CLIENT_NUMBER(request_throughput, "performance/request_throughput_req_s"),
	WEIR_CLIENT_NUMBER(output_throughput, "performance/system_output_throughput_tok_s"),
	WEIR_CLIENT_NUMBER(total_throughput, "performance/system_total_throughput_tok_s"),
	WEIR_CLIENT_NUMBER(output_throughput_per_user,
                           "performance/output_throughput_per_user_tok_s"),
	WEIR_CLIENT_NUMBER(output_throughput_per_gpu,
                           "performance/output_throughput_per_gpu_tok_s"),
	WEIR_CLIENT_NUMBER(output_speed_per_user, "streaming_metrics/token_output_speed_tok_s"),
	WEIR_CLIENT_NUMBER(ttft.mean, "streaming_metrics/avg_ttft_ms"),
	WEIR_CLIENT_TIMES(ttft, "streaming_metrics/ttft_percentiles", 1),
	WEIR_CLIENT_NUMBER(tpot.mean, "streaming_metrics/avg_tpot_ms"),
	WEIR_CLIENT_TIMES(tpot, "streaming_metrics/tpot_percentiles", 1),
	{0},
};

static const struct weir_client_label labels[] = {
	{"engine/model", "model"},
	{"engine/backend", "backend"},
	{"engine/version", "tensorrt_llm"},
	{"engine/dtype", "dtype"},
	{"engine/kv_cache_dtype", "kv_cache_dtype"},
	{"engine/quantization", "quantization"},
	{"machine/name", "gpu"},
	{"world_info/world_size", "gpu_count"},
	{"world_info/tp_size", "tp_size"},
	{"world_info/pp_size", "pp_size"},
	{"world_info/ep_size", "ep_size"},
	{"world_info/max_batch_size", "max_batch_size"},
	{"world_info/max_num_tokens", "max_num_tokens"},
	{"world_info/scheduling_policy", "scheduling_policy"},
	{"request_info/num_requests", "num_prompts"},
	{0},
};

static const struct weir_client_field fields[] = {
	WEIR_CLIENT_WHOLE(sent_ns, "start_timestamp"),
	WEIR_CLIENT_WHOLE(first_token_ns, "first_token_timestamp"),
	WEIR_CLIENT_WHOLE(end_ns, "end_timestamp"),
	WEIR_CLIENT_WHOLE(input_tokens, "num_input_tokens"),
	WEIR_CLIENT_WHOLE(output_tokens, "num_output_tokens"),
	{0},
};

static enum weir_status read_trtllm(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_client_format requests = {.fields = fields};
	static const struct weir_client_report report = {
		.rows = rows,
		.labels = labels,
		.expected = "the object \"performance\"",
		.tpot_by_request = true,
		.requests = &requests,
	};

	return weir_client_report_read(&report, source, input, err);
}

const struct weir_reader weir_reader_trtllm = {
	.name = "trtllm-bench",
	.title = "reports of TensorRT-LLM's trtllm-bench (--report_json, --request_json)",
	.gives = "native run, requests",
	.tool = "trtllm-bench",
	.whole_run = true,
	.marks = marks,
	.read = read_trtllm,
};
