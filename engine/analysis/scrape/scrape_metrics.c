/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <string.h>

#include "engine/analysis/scrape/scrape_metrics.h"
#include "engine/base/enums.h"

#define S  1e9
#define MS 1e6
#define US 1e3

/* Relabelling may put more in front of a prefix ("kserve_vllm:", "ray_vllm_"): its last occurrence
 * counts. */
static const struct {
	const char *name;
	const char *prefixes[2];
} servers[WEIR_SERVER_COUNT] = {
	[WEIR_SERVER_TRITON] = {"Triton", {"nv_"}},
	[WEIR_SERVER_VLLM] = {"vLLM", {"vllm:", "vllm_"}},
	[WEIR_SERVER_SGLANG] = {"SGLang", {"sglang:", "sglang_"}},
	[WEIR_SERVER_LMDEPLOY] = {"LMDeploy", {"lmdeploy:", "lmdeploy_"}},
	[WEIR_SERVER_TGI] = {"TGI", {"tgi_"}},
	[WEIR_SERVER_TRTLLM] = {"TensorRT-LLM", {"trtllm_", "trtllm:"}},
	[WEIR_SERVER_LLAMACPP] = {"llama.cpp", {"llamacpp:", "llamacpp_"}},
	[WEIR_SERVER_DYNAMO] = {"Dynamo", {"dynamo_frontend_"}},
	[WEIR_SERVER_GENAI] = {"GenAI", {"gen_ai_"}},
	[WEIR_SERVER_NIM] = {"NIM", {""}},
};

#define TOTAL(server_, name_, metric_, scale_)                                                     \
	{                                                                                          \
		.server = WEIR_SERVER_##server_, .name = (name_),                                  \
		.metric = WEIR_SCRAPED_##metric_, .scale = (scale_)                                \
	}
#define STAGE(server_, name_, scale_, stage_, kind_)                                               \
	{                                                                                          \
		.server = WEIR_SERVER_##server_, .name = (name_), .metric = WEIR_SCRAPED_STAGE,    \
		.scale = (scale_), .stage = (stage_), .kind = (kind_)                              \
	}

#define KIND(server_, name_, label_, value_, metric_)                                              \
	{                                                                                          \
		.server = WEIR_SERVER_##server_, .name = (name_), .label = (label_),               \
		.label_value = (value_), .metric = WEIR_SCRAPED_##metric_, .scale = 1              \
	}

#define WAITS(server_, name_, reason_)                                                             \
	{                                                                                          \
		.server = WEIR_SERVER_##server_, .name = (name_), .reason = (reason_),             \
		.metric = WEIR_SCRAPED_WAITING_FOR, .scale = 1                                     \
	}

/* Metrics of each server from arrival to response. If several names mean the same, the first one
 * counts. */
static const struct weir_scraped_row rows[] = {
	/* Triton: docs/user_guide/metrics.md. Counters come before summaries of the same metric. */
	TOTAL(TRITON, "inference_request_success", REQUESTS, 1),
	TOTAL(TRITON, "inference_request_failure", FAILED, 1),
	TOTAL(TRITON, "inference_count", INFERENCES, 1),
	TOTAL(TRITON, "inference_exec_count", EXECUTIONS, 1),
	TOTAL(TRITON, "inference_request_duration_us", REQUEST_NS, US),
	TOTAL(TRITON, "inference_queue_duration_us", QUEUE_NS, US),
	TOTAL(TRITON, "inference_compute_input_duration_us", INPUT_NS, US),
	TOTAL(TRITON, "inference_compute_infer_duration_us", INFER_NS, US),
	TOTAL(TRITON, "inference_compute_output_duration_us", OUTPUT_NS, US),
	TOTAL(TRITON, "inference_pending_request_count", WAITING, 1),
	TOTAL(TRITON, "cache_num_hits_per_model", RESPONSE_HITS, 1),
	/* TensorRT-LLM's backend: README of tensorrtllm_backend, "Triton Metrics". */
	KIND(TRITON, "trt_llm_request_metrics", "request_type", "scheduled", RUNNING),
	KIND(TRITON, "trt_llm_request_metrics", "request_type", "waiting", WAITING),
	KIND(TRITON, "trt_llm_kv_cache_block_metrics", "kv_cache_block_type", "used",
             CACHE_BLOCKS_USED),
	KIND(TRITON, "trt_llm_kv_cache_block_metrics", "kv_cache_block_type", "max", CACHE_BLOCKS),
	KIND(TRITON, "trt_llm_general_metrics", "general_type", "iteration_counter", ENGINE_STEPS),
	KIND(TRITON, "llm_input_token_len", "response_metric_type", "total_input_tokens",
             PROMPT_LENGTH),
	KIND(TRITON, "llm_output_token_len", "response_metric_type", "total_output_tokens",
             ANSWER_LENGTH),
	STAGE(TRITON, "inference_first_response_histogram_ms", MS, "ttft", "other"),
	STAGE(TRITON, "inference_request_summary_us", US, "e2e", "other"),
	STAGE(TRITON, "inference_queue_summary_us", US, "queue", "queue"),
	STAGE(TRITON, "inference_compute_input_summary_us", US, "compute_input", "h2d"),
	STAGE(TRITON, "inference_compute_infer_summary_us", US, "compute_infer", "compute"),
	STAGE(TRITON, "inference_compute_output_summary_us", US, "compute_output", "d2h"),

	/* vLLM: vllm/v1/metrics/loggers.py, and the names of V0. */
	STAGE(VLLM, "request_queue_time_seconds", S, "queue", "queue"),
	STAGE(VLLM, "time_in_queue_requests", S, "queue", "queue"),
	STAGE(VLLM, "request_prefill_time_seconds", S, "prefill", "compute"),
	STAGE(VLLM, "request_decode_time_seconds", S, "decode", "compute"),
	STAGE(VLLM, "request_inference_time_seconds", S, "inference", "compute"),
	STAGE(VLLM, "model_forward_time_milliseconds", MS, "model_forward", "compute"),
	STAGE(VLLM, "model_execute_time_milliseconds", MS, "model_execute", "compute"),
	STAGE(VLLM, "time_to_first_token_seconds", S, "ttft", "other"),
	STAGE(VLLM, "request_time_per_output_token_seconds", S, "tpot", "other"),
	STAGE(VLLM, "inter_token_latency_seconds", S, "itl", "other"),
	STAGE(VLLM, "time_per_output_token_seconds", S, "itl", "other"),
	STAGE(VLLM, "e2e_request_latency_seconds", S, "e2e", "other"),
	TOTAL(VLLM, "iteration_tokens_total", STEP_TOKENS, 1),
	TOTAL(VLLM, "request_success", REQUESTS, 1),
	TOTAL(VLLM, "prompt_tokens", PROMPT_TOKENS, 1),
	TOTAL(VLLM, "generation_tokens", GENERATION_TOKENS, 1),
	TOTAL(VLLM, "num_preemptions", PREEMPTIONS, 1),
	TOTAL(VLLM, "prefix_cache_queries", CACHE_QUERIES, 1),
	TOTAL(VLLM, "prefix_cache_hits", CACHE_HITS, 1),
	TOTAL(VLLM, "gpu_prefix_cache_queries", CACHE_QUERIES, 1),
	TOTAL(VLLM, "gpu_prefix_cache_hits", CACHE_HITS, 1),
	TOTAL(VLLM, "num_requests_running", RUNNING, 1),
	TOTAL(VLLM, "num_requests_waiting", WAITING, 1),
	TOTAL(VLLM, "kv_cache_usage_perc", CACHE_USAGE, 1),
	TOTAL(VLLM, "gpu_cache_usage_perc", CACHE_USAGE, 1),
	TOTAL(VLLM, "num_requests_waiting_by_reason", WAITING_FOR, 1),
	TOTAL(VLLM, "cache_config_info", CACHE_CONFIG, 1),
	TOTAL(VLLM, "spec_decode_num_drafts", DRAFTS, 1),
	TOTAL(VLLM, "spec_decode_num_draft_tokens", DRAFTED, 1),
	TOTAL(VLLM, "spec_decode_num_accepted_tokens", ACCEPTED, 1),
	TOTAL(VLLM, "spec_decode_num_accepted_tokens_per_pos", ACCEPTED_AT, 1),
	TOTAL(VLLM, "nixl_xfer_time_seconds", TRANSFER, S),
	TOTAL(VLLM, "nixl_bytes_transferred", TRANSFER_BYTES, 1),
	TOTAL(VLLM, "nixl_num_failed_transfers", TRANSFERS_FAILED, 1),
	TOTAL(VLLM, "nixl_num_kv_expired_reqs", TRANSFERS_EXPIRED, 1),
	TOTAL(VLLM, "external_prefix_cache_queries", EXTERNAL_QUERIES, 1),
	TOTAL(VLLM, "external_prefix_cache_hits", EXTERNAL_HITS, 1),
	TOTAL(VLLM, "mm_cache_queries", MEDIA_QUERIES, 1),
	TOTAL(VLLM, "mm_cache_hits", MEDIA_HITS, 1),
	TOTAL(VLLM, "avg_generation_throughput_toks_per_s", GENERATION_RATE, 1), /* V0 */
	TOTAL(VLLM, "lora_requests_info", ADAPTERS, 1),
	/* Names of TGI on a page of vLLM: vllm-tgis-adapter. */
	TOTAL(VLLM, "tgi_batch_current_size", RUNNING, 1),
	TOTAL(VLLM, "tgi_queue_size", WAITING, 1),

	/* SGLang: srt/metrics/collector.py. An observed gap between tokens is the mean of several
         * gaps. */
	STAGE(SGLANG, "queue_time_seconds", S, "queue", "queue"),
	STAGE(SGLANG, "waiting_request_latency_seconds", S, "queue", "queue"), /* 2024 */
	{.server = WEIR_SERVER_SGLANG,
         .name = "per_stage_req_latency_seconds",
         .metric = WEIR_SCRAPED_STAGE,
         .scale = S,
         .stage = "stage",
         .stage_label = "stage"},
	STAGE(SGLANG, "time_to_first_token_seconds", S, "ttft", "other"),
	{.server = WEIR_SERVER_SGLANG,
         .name = "inter_token_latency_seconds",
         .metric = WEIR_SCRAPED_STAGE,
         .scale = S,
         .stage = "itl",
         .kind = "other",
         .smoothed = true},
	/* Until mid 2025: each chunk observes the mean since the first token, which is the time per
         * output token up to that chunk. */
	STAGE(SGLANG, "time_per_output_token_seconds", S, "tpot", "other"),
	STAGE(SGLANG, "e2e_request_latency_seconds", S, "e2e", "other"),
	TOTAL(SGLANG, "num_requests", REQUESTS, 1),
	TOTAL(SGLANG, "request_success", REQUESTS, 1),
	TOTAL(SGLANG, "num_aborted_requests", ABORTED, 1),
	TOTAL(SGLANG, "prompt_tokens", PROMPT_TOKENS, 1),
	TOTAL(SGLANG, "generation_tokens", GENERATION_TOKENS, 1),
	TOTAL(SGLANG, "cached_tokens", CACHE_HITS, 1),
	TOTAL(SGLANG, "num_retracted_requests", PREEMPTIONS, 1),
	TOTAL(SGLANG, "num_running_reqs", RUNNING, 1),
	TOTAL(SGLANG, "num_requests_running", RUNNING, 1),
	TOTAL(SGLANG, "num_queue_reqs", WAITING, 1),
	TOTAL(SGLANG, "num_requests_waiting", WAITING, 1),
	TOTAL(SGLANG, "token_usage", CACHE_USAGE, 1),
	TOTAL(SGLANG, "num_used_tokens", CACHE_TOKENS_USED, 1),
	TOTAL(SGLANG, "cache_hit_rate", CACHE_HIT_RATE, 1),
	TOTAL(SGLANG, "gen_throughput", GENERATION_RATE, 1),
	TOTAL(SGLANG, "spec_accept_length", ACCEPT_LENGTH, 1),
	TOTAL(SGLANG, "max_total_num_tokens", CACHE_TOKENS, 1),
	TOTAL(SGLANG, "max_running_requests", MAX_RUNNING, 1),
	TOTAL(SGLANG, "num_decode_transfer_queue_reqs", TRANSFER_WAITING, 1),
	TOTAL(SGLANG, "num_prefill_inflight_queue_reqs", TRANSFER_WAITING, 1),
	WAITS(SGLANG, "num_decode_prealloc_queue_reqs", "room for a KV cache that arrives"),
	WAITS(SGLANG, "num_prefill_prealloc_queue_reqs", "a decode engine"),
	WAITS(SGLANG, "num_prefill_bootstrap_queue_reqs", "a decode engine"),
	WAITS(SGLANG, "num_grammar_queue_reqs", "a grammar"),
	TOTAL(SGLANG, "kv_transfer_latency_ms", TRANSFER, MS),
	TOTAL(SGLANG, "num_transfer_failed_reqs", TRANSFERS_FAILED, 1),

	/* LMDeploy: lmdeploy/metrics/loggers.py. Succeeded and failed requests are gauges that
         * count up. */
	STAGE(LMDEPLOY, "request_queue_time_seconds", S, "queue", "queue"),
	STAGE(LMDEPLOY, "request_prefill_time_seconds", S, "prefill", "compute"),
	STAGE(LMDEPLOY, "request_decode_time_seconds", S, "decode", "compute"),
	STAGE(LMDEPLOY, "request_inference_time_seconds", S, "inference", "compute"),
	STAGE(LMDEPLOY, "time_to_first_token_seconds", S, "ttft", "other"),
	STAGE(LMDEPLOY, "time_per_output_token_seconds", S, "tpot", "other"),
	STAGE(LMDEPLOY, "iter_token_latency", S, "itl", "other"),
	STAGE(LMDEPLOY, "e2e_request_latency_seconds", S, "e2e", "other"),
	TOTAL(LMDEPLOY, "iteration_tokens_total", STEP_TOKENS, 1),
	TOTAL(LMDEPLOY, "num_requests_succeeded", REQUESTS, 1),
	TOTAL(LMDEPLOY, "num_requests_failed", FAILED, 1),
	TOTAL(LMDEPLOY, "prompt_tokens", PROMPT_TOKENS, 1),
	TOTAL(LMDEPLOY, "generation_tokens", GENERATION_TOKENS, 1),
	TOTAL(LMDEPLOY, "num_requests_running", RUNNING, 1),
	TOTAL(LMDEPLOY, "num_requests_waiting", WAITING, 1),
	TOTAL(LMDEPLOY, "gpu_cache_usage_perc", CACHE_USAGE, 1),

	/* TGI: docs/source/reference/metrics.md. Names have no units; all durations are in seconds.
         */
	STAGE(TGI, "request_queue_duration", S, "queue", "queue"),
	STAGE(TGI, "request_validation_duration", S, "tokenize", "preprocess"),
	STAGE(TGI, "request_inference_duration", S, "inference", "compute"),
	STAGE(TGI, "batch_inference_duration", S, "batch_inference", "compute"),
	STAGE(TGI, "batch_forward_duration", S, "batch_forward", "compute"),
	STAGE(TGI, "batch_decode_duration", S, "batch_decode", "postprocess"),
	STAGE(TGI, "batch_filter_duration", S, "batch_filter", "other"),
	STAGE(TGI, "request_mean_time_per_token_duration", S, "tpot", "other"),
	STAGE(TGI, "request_duration", S, "e2e", "other"),
	TOTAL(TGI, "batch_next_size", BATCH_SIZE, 1),
	TOTAL(TGI, "request_success", REQUESTS, 1),
	TOTAL(TGI, "request_failure", FAILED, 1),
	TOTAL(TGI, "batch_current_size", RUNNING, 1),
	TOTAL(TGI, "queue_size", WAITING, 1),

	/* TensorRT-LLM: tensorrt_llm/metrics/collector.py, with return_perf_metrics. A paused
         * request gave its KV cache up. */
	STAGE(TRTLLM, "request_queue_time_seconds", S, "queue", "queue"),
	STAGE(TRTLLM, "request_prefill_time_seconds", S, "prefill", "compute"),
	STAGE(TRTLLM, "request_decode_time_seconds", S, "decode", "compute"),
	STAGE(TRTLLM, "request_inference_time_seconds", S, "inference", "compute"),
	STAGE(TRTLLM, "time_to_first_token_seconds", S, "ttft", "other"),
	STAGE(TRTLLM, "time_per_output_token_seconds", S, "tpot", "other"),
	STAGE(TRTLLM, "e2e_request_latency_seconds", S, "e2e", "other"),
	TOTAL(TRTLLM, "request_success", REQUESTS, 1),
	TOTAL(TRTLLM, "prompt_tokens", PROMPT_TOKENS, 1),
	TOTAL(TRTLLM, "generation_tokens", GENERATION_TOKENS, 1),
	TOTAL(TRTLLM, "num_requests_running", RUNNING, 1),
	TOTAL(TRTLLM, "num_requests_waiting", WAITING, 1),
	TOTAL(TRTLLM, "kv_cache_utilization", CACHE_USAGE, 1),
	WAITS(TRTLLM, "num_paused_requests", "room in the KV cache, after a pause"),

	/* llama.cpp: tools/server/README.md. It has no histograms. */
	TOTAL(LLAMACPP, "prompt_tokens", PROMPT_TOKENS, 1),
	TOTAL(LLAMACPP, "prompt_seconds", PROMPT_NS, S),
	TOTAL(LLAMACPP, "tokens_predicted", GENERATION_TOKENS, 1),
	TOTAL(LLAMACPP, "tokens_predicted_seconds", GENERATION_NS, S),
	TOTAL(LLAMACPP, "requests_processing", RUNNING, 1),
	TOTAL(LLAMACPP, "requests_deferred", WAITING, 1),
	TOTAL(LLAMACPP, "kv_cache_usage_ratio", CACHE_USAGE, 1),
	TOTAL(LLAMACPP, "kv_cache_tokens", CACHE_TOKENS_USED, 1),

	/* Dynamo: docs/observability/metrics.md. Its requests in flight include those that wait. */
	STAGE(DYNAMO, "time_to_first_token_seconds", S, "ttft", "other"),
	STAGE(DYNAMO, "inter_token_latency_seconds", S, "itl", "other"),
	STAGE(DYNAMO, "request_duration_seconds", S, "e2e", "other"),
	TOTAL(DYNAMO, "requests", REQUESTS, 1),
	TOTAL(DYNAMO, "output_tokens", GENERATION_TOKENS, 1),

	/* OpenTelemetry: semantic conventions for generative AI, in the spelling of its exporter.
         */
	STAGE(GENAI, "server_request_duration_seconds", S, "e2e", "other"),
	STAGE(GENAI, "server_time_to_first_token_seconds", S, "ttft", "other"),
	STAGE(GENAI, "server_time_per_output_token_seconds", S, "tpot", "other"),
	STAGE(GENAI, "client_operation_duration_seconds", S, "client", "other"),
	STAGE(GENAI, "client_operation_time_to_first_chunk_seconds", S, "client_ttft", "other"),
	STAGE(GENAI, "client_operation_time_per_output_chunk_seconds", S, "client_itl", "other"),

	/* NIM for language models: the names of vLLM without its prefix. */
	STAGE(NIM, "time_to_first_token_seconds", S, "ttft", "other"),
	STAGE(NIM, "time_per_output_token_seconds", S, "itl", "other"),
	STAGE(NIM, "e2e_request_latency_seconds", S, "e2e", "other"),
	TOTAL(NIM, "request_success", REQUESTS, 1),
	TOTAL(NIM, "request_failure", FAILED, 1),
	TOTAL(NIM, "prompt_tokens", PROMPT_TOKENS, 1),
	TOTAL(NIM, "generation_tokens", GENERATION_TOKENS, 1),
	TOTAL(NIM, "num_requests_running", RUNNING, 1),
	TOTAL(NIM, "num_requests_waiting", WAITING, 1),
	TOTAL(NIM, "num_request_max", MAX_RUNNING, 1),
	TOTAL(NIM, "gpu_cache_usage_perc", CACHE_USAGE, 1),
};

const char *weir_server_name(enum weir_server server)
{
	return server < WEIR_SERVER_COUNT ? servers[server].name : "?";
}

#define NO_PREFIX SIZE_MAX

/* Returns the index behind the last occurrence of the prefix at the start of a word; NO_PREFIX: no
 * occurrence. The empty prefix stands for the whole name. */
static size_t behind_prefix(const char *name, size_t len, const char *prefix)
{
	size_t own = strlen(prefix);

	if (!own)
		return 0;
	for (size_t at = len; at-- > 0;)
		if (len - at > own && !memcmp(name + at, prefix, own) &&
		    (at == 0 || name[at - 1] == '_' || name[at - 1] == ':'))
			return at + own;
	return NO_PREFIX;
}

static const struct weir_scraped_row *find_row(enum weir_server server, const char *name,
                                               size_t len)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].server == server && strlen(rows[i].name) == len &&
		    !memcmp(rows[i].name, name, len))
			return &rows[i];
	return NULL;
}

static const struct weir_scraped_row *next_row(const struct weir_scraped_row *row)
{
	const struct weir_scraped_row *next = row + 1;

	return next < rows + sizeof rows / sizeof *rows && next->server == row->server &&
	                       strcmp(next->name, row->name) == 0
	               ? next
	               : NULL;
}

const struct weir_scraped_row *weir_scraped_find(const char *name, size_t len)
{
	for (int server = 0; server < WEIR_SERVER_COUNT; server++) {
		for (size_t i = 0; i < 2 && servers[server].prefixes[i]; i++) {
			size_t rest = behind_prefix(name, len, servers[server].prefixes[i]);
			const struct weir_scraped_row *row = NULL;

			if (rest != NO_PREFIX)
				row = find_row((enum weir_server)server, name + rest, len - rest);
			if (row)
				return row;
		}
	}
	return NULL;
}

static bool has_any_family(const struct weir_scrape *page, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (weir_scrape_find_family(page, names[i], strlen(names[i])) != WEIR_ROWMAP_NONE)
			return true;
	return false;
}

/* Returns the row of vLLM for a metric with a name of TGI, which vllm-tgis-adapter adds to the
 * pages of vLLM. NULL: the page states the same under a name of vLLM, or vLLM has no such row. A
 * page without vLLM keeps the row. */
static const struct weir_scraped_row *row_beside_vllm(const struct weir_scrape *page,
                                                      const struct weir_scraped_row *row,
                                                      const char *name, size_t len)
{
	static const char *const tokens[] = {"vllm:prompt_tokens_total", "vllm:prompt_tokens",
	                                     "vllm:generation_tokens_total",
	                                     "vllm:generation_tokens"};
	static const char *const states[] = {"vllm:num_requests_running",
	                                     "vllm:num_requests_waiting"};

	if (!row || row->server != WEIR_SERVER_TGI)
		return row;
	if (has_any_family(page, states, WEIR_COUNT_OF(states)))
		return NULL;
	return has_any_family(page, tokens, WEIR_COUNT_OF(tokens))
	               ? find_row(WEIR_SERVER_VLLM, name, len)
	               : row;
}

const struct weir_scraped_row *weir_scraped_of_family(const struct weir_scrape *page,
                                                      uint32_t family)
{
	uint32_t id = page->families[family].name;
	const char *name = weir_names_text(page->names, id);
	size_t whole = weir_names_length(page->names, id);
	size_t base = weir_scrape_base_length(page, family);
	const struct weir_scraped_row *row = weir_scraped_find(name, base);

	if (base == whole || (row && row->metric < WEIR_SCRAPED_TOTALS))
		return row_beside_vllm(page, row, name, base);
	return row_beside_vllm(page, weir_scraped_find(name, whole), name, whole);
}

static bool is_one_of(const char *name, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

/* True for a rank of an engine above the first: each states the requests of all. */
static bool is_further_rank(const struct weir_scrape *page, uint32_t series)
{
	static const char *const labels[] = {"tp_rank", "pp_rank"};

	for (size_t i = 0; i < WEIR_COUNT_OF(labels); i++) {
		const char *rank = weir_scrape_label(page, series, labels[i]);

		if (rank && strcmp(rank, "0") != 0)
			return true;
	}
	return false;
}

/* True if a label divides the requests of an engine: it tells neither engines apart nor kinds of
 * series that the row distinguishes. */
static bool divides_sum(const struct weir_scraped_row *row, const char *label)
{
	static const char *const identities[] = {WEIR_SCRAPED_IDENTITIES};
	const char *const kinds[] = {row->label ? row->label : "",
	                             row->stage_label ? row->stage_label : "",
	                             row->metric == WEIR_SCRAPED_WAITING_FOR ? "reason" : "",
	                             row->metric == WEIR_SCRAPED_ACCEPTED_AT ? "position" : ""};

	return !is_one_of(label, identities, WEIR_COUNT_OF(identities)) &&
	       !is_one_of(label, kinds, WEIR_COUNT_OF(kinds));
}

/* True if another series states the sum over one label of this series, as SGLang does for the
 * priorities of requests. */
static bool is_part_of_sum(const struct weir_scraped_row *row, const struct weir_scrape *page,
                           uint32_t series)
{
	const struct weir_scrape_series *own = &page->series[series];

	for (size_t i = 0; i < own->label_count; i++) {
		uint32_t name = page->labels[own->first_label + i].name;

		if (divides_sum(row, weir_names_text(page->names, name)) &&
		    weir_scrape_without_label(page, series, i) != WEIR_ROWMAP_NONE)
			return true;
	}
	return false;
}

const struct weir_scraped_row *weir_scraped_of_series(const struct weir_scraped_row *family,
                                                      const struct weir_scrape *page,
                                                      uint32_t series)
{
	const struct weir_scraped_row *row = family;

	for (; row && row->label; row = next_row(row)) {
		const char *value = weir_scrape_label(page, series, row->label);

		if (value && strcmp(value, row->label_value) == 0)
			break;
	}
	if (!row || !page->series[series].sample_count || is_further_rank(page, series) ||
	    is_part_of_sum(row, page, series))
		return NULL;
	return row;
}
