/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads reports of inference-perf: stage_N_lifecycle_metrics.json and
 * summary_lifecycle_metrics.json give figures of a run, per_request_lifecycle_metrics.json gives
 * requests. All times are in seconds, those of requests on one clock. The texts of requests and
 * responses are private and not read.
 */
#include <math.h>
#include <string.h>

#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define OF_SERVER                                                                                  \
	"it is a report of inference-perf on the server's own metrics, which need not cover the "  \
	"same time as its requests and do not state their load: pass *_lifecycle_metrics.json, "   \
	"and scrapes of the server's metrics page"

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"load_summary", "successes", "failures"}, .all = 2},
         .within = "load_summary",
         .inside = {{"count", "schedule_delay", "send_duration", "requested_rate"}, .any = 4}},
	{.first = "[",
         .keys = {{"start_time", "end_time", "request", "response", "info"}, .all = 3}},
	/* The server metrics that the same program saves; they do not describe the load. */
	{.first = "{[",
         .keys = {{"load_summary", "successes", "failures"}, .all = 3},
         .within = "successes",
         .inside = {{"rate", "queue_len", "request_latency", "kv_cache_usage_percentage",
                     "prefix_cache_hit_percent"},
                    .all = 1,
                    .any = 4},
         .refusal = OF_SERVER},
	{0},
};

static const struct weir_client_row rows[] = {
	WEIR_CLIENT_TIMES(queue, "load_summary/schedule_delay", 1e3),
	WEIR_CLIENT_NUMBER(sent, "load_summary/count"),
	WEIR_CLIENT_NUMBER(requested_per_s, "load_summary/requested_rate"),
	WEIR_CLIENT_NUMBER(achieved_per_s, "load_summary/achieved_rate"),
	WEIR_CLIENT_NUMBER(completed, "successes/count"),
	WEIR_CLIENT_NUMBER(failed, "failures/count"),
	WEIR_CLIENT_TIMES(e2e, "successes/latency/request_latency", 1e3),
	WEIR_CLIENT_TIMES(ntpot, "successes/latency/normalized_time_per_output_token", 1e3),
	WEIR_CLIENT_TIMES(tpot, "successes/latency/time_per_output_token", 1e3),
	WEIR_CLIENT_TIMES(ttft, "successes/latency/time_to_first_token", 1e3),
	WEIR_CLIENT_TIMES(itl, "successes/latency/inter_token_latency", 1e3),
	WEIR_CLIENT_NUMBER(input_throughput, "successes/throughput/input_tokens_per_sec"),
	WEIR_CLIENT_NUMBER(output_throughput, "successes/throughput/output_tokens_per_sec"),
	WEIR_CLIENT_NUMBER(total_throughput, "successes/throughput/total_tokens_per_sec"),
	WEIR_CLIENT_NUMBER(request_throughput, "successes/throughput/requests_per_sec"),
	WEIR_CLIENT_NUMBER(input_tokens, "successes/prompt_len/mean"),
	WEIR_CLIENT_NUMBER(output_tokens, "successes/output_len/mean"),
	{0},
};

/* The load: runs under different loads are not one population, and weir.json can make any label a
 * condition. */
static const struct weir_client_label labels[] = {
	{"load_summary/count", "num_prompts"},
	{"load_summary/requested_rate", "request_rate"},
	{"load_summary/achieved_rate", "achieved_rate"},
	{0},
};

static enum weir_status check_load(const struct weir_client_summary *summary,
                                   struct weir_error *err)
{
	if (!isnan(summary->sent))
		return WEIR_OK;
	if (!isnan(summary->completed))
		return weir_fail(err, WEIR_E_FORMAT, OF_SERVER);
	return weir_fail(err, WEIR_E_FORMAT,
	                 "no \"load_summary\" with a \"count\": expected a report of "
	                 "inference-perf, *_lifecycle_metrics.json");
}

static const struct weir_client_field fields[] = {
	WEIR_CLIENT_SECONDS(due_ns, "scheduled_time"),
	WEIR_CLIENT_SECONDS(sent_ns, "start_time"),
	WEIR_CLIENT_SECONDS(end_ns, "end_time"),
	WEIR_CLIENT_WHOLE(input_tokens, "info/input_tokens"),
	WEIR_CLIENT_WHOLE(input_tokens, "info/request_metrics/text/input_tokens"),
	WEIR_CLIENT_WHOLE(output_tokens, "info/output_tokens"),
	WEIR_CLIENT_WHOLE(output_tokens, "info/response_metrics/output_tokens"),
	{0},
};

static const char *const output_times[] = {"info/output_token_times",
                                           "info/response_metrics/output_token_times"};

/* Takes the first and the last time of a list. Outputs are chunks, and a chunk may hold several
 * tokens; newer versions put what concerns the response below a separate key. */
static void take_outputs(struct weir_client_reading *reading, const struct weir_jsonleaf *leaf)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(leaf->text);
	struct weir_slice first = {0}, last = {0};

	if (!weir_jsoncursor_enter(&cursor, '['))
		return;
	while (weir_jsoncursor_item(&cursor)) {
		last = weir_jsoncursor_scalar(&cursor);
		first = first.data ? first : last;
	}
	if (!first.data)
		return;
	reading->request.first_token_ns =
		weir_client_time(reading->client.input, first, 9, leaf->at);
	reading->request.last_token_ns = weir_client_time(reading->client.input, last, 9, leaf->at);
}

static void take_request_leaf(struct weir_client_reading *reading, const struct weir_jsonleaf *leaf)
{
	for (size_t i = 0; i < sizeof(output_times) / sizeof(output_times[0]); i++)
		if (strcmp(leaf->path, output_times[i]) == 0)
			take_outputs(reading, leaf);
	if (!strncmp(leaf->path, "error", 5) && (!leaf->path[5] || leaf->path[5] == '/') &&
	    (leaf->quoted || !weir_slice_equals(leaf->text, "null")))
		reading->failed = true;
}

static enum weir_status read_inference_perf(struct weir_source *source, struct weir_input *input,
                                            struct weir_error *err)
{
	static const struct weir_client_format requests = {.fields = fields,
	                                                   .leaf = take_request_leaf};
	static const struct weir_client_report report = {
		.rows = rows,
		.labels = labels,
		.expected = "successes.latency or successes.throughput",
		.check = check_load,
		.requests = &requests,
	};

	return weir_client_report_read(&report, source, input, err);
}

const struct weir_reader weir_reader_inference_perf = {
	.name = "inference-perf",
	.title = "reports of inference-perf: a stage, a summary, or one record per request",
	.gives = "native run, requests",
	.tool = "inference-perf",
	.marks = marks,
	.read = read_inference_perf,
};
