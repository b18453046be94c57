/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of TensorRT-LLM's trtllm-bench: --report_json as per-run figures, --request_json as
 * requests. Milliseconds in the first, nanoseconds in the second. Its percentiles are of a step
 * function: sorted[int(n * q)].
 */
#include "engine/readers/loadgen/client_report.h"
#include "engine/readers/loadgen/trtllm.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

static const char *const report_keys[] = {
	"engine",  "performance",       "world_info", "request_info",
	"machine", "streaming_metrics", NULL};
static const char *const request_keys[] = {"start_timestamp", "end_timestamp",
                                           "first_token_timestamp", "num_input_tokens", NULL};

static int sniff(const char *head, size_t len)
{
	char first = weir_sniff_first(head, len);
	const char *const *keys = first == '[' ? request_keys : report_keys;
	unsigned found = weir_sniff_keys(head, len, keys), needed = first == '[' ? 7 : 3;

	if (first != '{' && first != '[')
		return 0;
	return (found & needed) == needed ? weir_sniff_bits(found, keys) : 0;
}

static const struct weir_client_row rows[] = {
	WEIR_CLIENT_NUMBER(completed, "request_info/num_requests"),
	WEIR_CLIENT_NUMBER(output_tokens, "request_info/avg_output_length"),
	WEIR_CLIENT_NUMBER(e2e.mean, "performance/avg_request_latency_ms"),
	WEIR_CLIENT_TIMES(e2e, "performance/request_latency_percentiles_ms", 1),
	WEIR_CLIENT_NUMBER(request_throughput, "performance/request_throughput_req_s"),
	WEIR_CLIENT_NUMBER(output_throughput, "performance/system_output_throughput_tok_s"),
	WEIR_CLIENT_NUMBER(total_throughput, "performance/system_total_throughput_tok_s"),
	WEIR_CLIENT_NUMBER(output_throughput_per_user,
                           "performance/output_throughput_per_user_tok_s"),
	WEIR_CLIENT_NUMBER(output_throughput_per_gpu,
                           "performance/output_throughput_per_gpu_tok_s"),
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

static enum weir_status read_trtllm(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_client_report report = {
		.rows = rows,
		.labels = labels,
		.expected = "the object \"performance\"",
		.read_requests = weir_trtllm_requests,
	};

	return weir_client_report_read(&report, source, input, err);
}

const struct weir_reader weir_reader_trtllm = {
	.name = "trtllm-bench",
	.title = "reports of TensorRT-LLM's trtllm-bench (--report_json, --request_json)",
	.gives = "native run, requests",
	.sniff = sniff,
	.read = read_trtllm,
};
