/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads logs of TensorRT-LLM: the iteration log of its PyTorch backend (print_iter_log), the
 * statistics of the C++ executor that Triton and benchmarks print, and iteration statistics as JSON
 * (enable_iter_perf_stats). All are rows of steps. A JSON document may hold several records in a
 * line.
 */
#include <math.h>
#include <string.h>

#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/serverlog/lines.h"

#define FETCHED "currank_total_requests"
#define COUNTER "Iteration Counter"
#define LATENCY "iterLatencyMS"

/* "num_generation_tokens" may include padding of CUDA graphs. */
static const struct weir_serverlog_field iteration_fields[] = {
	{"global_rank", WEIR_SERVERLOG_ENGINE, 0},
	{"host_step_time", WEIR_SERVERLOG_DURATION, 6},
	{"elapsed_time", WEIR_SERVERLOG_DURATION, 9},
	{"timestamp", WEIR_SERVERLOG_TIME, 0},
	{"num_scheduled_requests", WEIR_SERVERLOG_RUNNING, 0},
	{"num_active", WEIR_SERVERLOG_ACTIVE, 0},
	{"kv_cache_util", WEIR_SERVERLOG_KV_USAGE, 0},
	{"num_ctx_requests", WEIR_SERVERLOG_PREFILL_REQUESTS, 0},
	{"num_ctx_tokens", WEIR_SERVERLOG_PREFILL_TOKENS, 0},
	{"num_generation_tokens", WEIR_SERVERLOG_DECODE_TOKENS, 0},
	{0},
};

static const struct weir_serverlog_field counter_fields[] = {
	{"Active Request Count", WEIR_SERVERLOG_ACTIVE, 0},
	{"Max Request Count", WEIR_SERVERLOG_MAX_RUNNING, 0},
	{"Scheduled Requests", WEIR_SERVERLOG_RUNNING, 0},
	{"Context Requests", WEIR_SERVERLOG_PREFILL_REQUESTS, 0},
	{"Generation Requests", WEIR_SERVERLOG_DECODE_REQUESTS, 0},
	{"Total Context Tokens", WEIR_SERVERLOG_PREFILL_TOKENS, 0},
	{"Paused Requests", WEIR_SERVERLOG_PREEMPTED, 0},
	{"Used KV cache blocks", WEIR_SERVERLOG_USED_BLOCKS, 0},
	{"Max KV cache blocks", WEIR_SERVERLOG_MAX_BLOCKS, 0},
	{"Tokens per KV cache block", WEIR_SERVERLOG_BLOCK_TOKENS, 0},
	{"Timestamp", WEIR_SERVERLOG_TIME, 0},
	{0},
};

/* With overlapped scheduling, iterLatencyMS spans two steps and hostStepTimeMS one. */
static const struct weir_serverlog_field record_fields[] = {
	{"iterLatencyMS", WEIR_SERVERLOG_DURATION, 6},
	{"hostStepTimeMS", WEIR_SERVERLOG_DURATION_BEST, 6},
	{"attentionDpRank", WEIR_SERVERLOG_ENGINE, 0},
	{"numActiveRequests", WEIR_SERVERLOG_ACTIVE, 0},
	{"numQueuedRequests", WEIR_SERVERLOG_WAITING, 0},
	{"maxBatchSizeRuntime", WEIR_SERVERLOG_MAX_RUNNING, 0},
	{"maxNumTokensRuntime", WEIR_SERVERLOG_MAX_STEP_TOKENS, 0},
	{"numScheduledRequests", WEIR_SERVERLOG_RUNNING, 0},
	{"numContextRequests", WEIR_SERVERLOG_PREFILL_REQUESTS, 0},
	{"numGenRequests", WEIR_SERVERLOG_DECODE_REQUESTS, 0},
	{"numCtxTokens", WEIR_SERVERLOG_PREFILL_TOKENS, 0},
	{"numPausedRequests", WEIR_SERVERLOG_PREEMPTED, 0},
	{"usedNumBlocks", WEIR_SERVERLOG_USED_BLOCKS, 0},
	{"maxNumBlocks", WEIR_SERVERLOG_MAX_BLOCKS, 0},
	{"tokensPerBlock", WEIR_SERVERLOG_BLOCK_TOKENS, 0},
	{"cacheHitRate", WEIR_SERVERLOG_HIT_RATE, 0},
	{"numDraftTokens", WEIR_SERVERLOG_DRAFTED, 0},
	{"numAcceptedTokens", WEIR_SERVERLOG_ACCEPTED, 0},
	{"acceptanceLength", WEIR_SERVERLOG_ACCEPT_LENGTH, 0},
	{"timestamp", WEIR_SERVERLOG_TIME, 0},
	{0},
};

static const struct weir_serverlog_setting settings[] = {
	{"max_batch_size", WEIR_SERVERLOG_SET_MAX_RUNNING},
	{"max_num_requests", WEIR_SERVERLOG_SET_MAX_RUNNING},
	{"max_num_tokens", WEIR_SERVERLOG_SET_STEP_TOKENS},
	{"enable_chunked_prefill", WEIR_SERVERLOG_SET_CHUNKED},
	{"free_gpu_memory_fraction", WEIR_SERVERLOG_SET_SHARE},
	{"kv_cache_free_gpu_memory_fraction", WEIR_SERVERLOG_SET_SHARE},
	{"max_draft_len", WEIR_SERVERLOG_SET_DRAFT_TOKENS},
	{0},
};

static const char *const setting_lines[] = {
	"trtllm-serve", "LLM Args", "LlmArgs(", "max_num_requests=", NULL,
};

static uint32_t engine_of(struct weir_serverlog *reading,
                          const struct weir_serverlog_values *values)
{
	double number = values->number[WEIR_SERVERLOG_ENGINE];
	struct weir_text name = {0};
	uint32_t engine;

	if (isnan(number))
		return weir_server_log_engine(reading->log, "", 0);
	if (number < 10) {
		char digit = (char)('0' + (int)number);

		return weir_server_log_engine(reading->log, &digit, 1);
	}
	weir_text_printf(&name, "%.0f", number);
	engine = weir_server_log_engine(reading->log, name.data, name.length);
	weir_text_release(&name);
	return engine;
}

static void set_count(int64_t *to, double value)
{
	if (value > 0)
		*to = (int64_t)value;
}

static void take_step(struct weir_serverlog *reading, struct weir_slice message,
                      const struct weir_serverlog_field *fields)
{
	struct weir_server_settings *to = &reading->log->settings;
	struct weir_serverlog_values values;
	double *number = values.number;

	weir_serverlog_take_fields(reading, message, fields, &values);
	if (isnan(number[WEIR_SERVERLOG_DECODE_REQUESTS]) &&
	    number[WEIR_SERVERLOG_RUNNING] >= number[WEIR_SERVERLOG_PREFILL_REQUESTS])
		number[WEIR_SERVERLOG_DECODE_REQUESTS] =
			number[WEIR_SERVERLOG_RUNNING] - number[WEIR_SERVERLOG_PREFILL_REQUESTS];
	if (values.duration_ns == 0)
		values.duration_ns = -1; /* the first record has no time yet */
	set_count(&to->max_running, number[WEIR_SERVERLOG_MAX_RUNNING]);
	set_count(&to->max_step_tokens, number[WEIR_SERVERLOG_MAX_STEP_TOKENS]);
	set_count(&to->kv_tokens,
	          number[WEIR_SERVERLOG_MAX_BLOCKS] * number[WEIR_SERVERLOG_BLOCK_TOKENS]);
	weir_serverlog_add(reading, &values, WEIR_SERVER_STEP, engine_of(reading, &values));
}

/* Takes each outermost object of a line. */
static void take_records(struct weir_serverlog *reading, struct weir_slice line)
{
	const char *start = line.data;
	size_t depth = 0;

	for (size_t i = 0; i < line.length; i++) {
		struct weir_slice record;

		if (line.data[i] == '{' && !depth++)
			start = line.data + i + 1;
		if (line.data[i] != '}' || !depth || --depth)
			continue;
		record = (struct weir_slice){start, (size_t)(line.data + i - start)};
		if (weir_slice_holds(record, LATENCY))
			take_step(reading, record, record_fields);
	}
}

static void take_other(struct weir_serverlog *reading, struct weir_slice line)
{
	int64_t tokens = weir_serverlog_number_behind(line, "max tokens in paged KV cache (");

	if (tokens > 0)
		reading->log->settings.kv_tokens = tokens;
	if (weir_slice_holds(line, "TensorRT-LLM version:"))
		weir_serverlog_start(reading);
	weir_serverlog_take_settings(reading, line, setting_lines, settings);
}

static void take(struct weir_serverlog *reading, struct weir_slice line)
{
	const char *end = line.data + line.length, *at;

	if (weir_slice_holds(line, FETCHED) && (at = weir_slice_find(line, "iter = ")) != NULL)
		take_step(reading, (struct weir_slice){at, (size_t)(end - at)}, iteration_fields);
	else if (weir_slice_holds(line, COUNTER) && (at = memchr(line.data, '{', line.length)))
		take_step(reading, (struct weir_slice){at + 1, (size_t)(end - at - 1)},
		          counter_fields);
	else if (weir_slice_holds(line, LATENCY))
		take_records(reading, line);
	else
		take_other(reading, line);
}

static enum weir_status read_trtllm(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_serverlog_format format = {
		.product = WEIR_PRODUCT_TRTLLM,
		.take = take,
		.missing = "set print_iter_log: true (PyTorch backend), or store the answers of "
			   "/metrics with enable_iter_perf_stats: true",
	};

	return weir_serverlog_read(&format, source, input, err);
}

static int sniff(const char *head, size_t len)
{
	static const char *const texts[] = {"currank_total_requests = ",
	                                    "Active Request Count",
	                                    COUNTER,
	                                    "TensorRT-LLM version:",
	                                    "trtllm-serve",
	                                    "max tokens in paged KV cache (",
	                                    NULL};
	static const char *const keys[] = {LATENCY, "inflightBatchingStats", "kvCacheStats", NULL};
	unsigned found = weir_sniff_keys(head, len, keys);

	if (weir_sniff_is_json(head, len) && found & 1)
		return weir_sniff_bits(found, keys);
	if (weir_sniff_is_json(head, len) && weir_sniff_contains(head, len, "\"" COUNTER "\""))
		return 8 * (int)strlen(COUNTER);
	return weir_serverlog_sniff(head, len, texts);
}

const struct weir_reader weir_reader_trtllm_log = {
	.name = "trtllm-log",
	.title = "logs of TensorRT-LLM: iterations (print_iter_log), statistics as JSON",
	.gives = "server log",
	.sniff = sniff,
	.read = read_trtllm,
};
