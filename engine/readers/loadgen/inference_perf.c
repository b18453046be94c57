/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads reports of inference-perf: stage_N_lifecycle_metrics.json and
 * summary_lifecycle_metrics.json give figures of a run, per_request_lifecycle_metrics.json gives
 * requests. The summary of the server's own metrics, which the tool asks Prometheus for, gives
 * figures as well, with the label "measured_by". All times are in seconds, those of requests on one
 * clock. The texts of requests and responses are private and not read.
 */
#include <math.h>
#include <string.h>

#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define OF_SERVER                                                                                  \
	"it is a report of inference-perf on the server's own metrics, which states no times of "  \
	"requests: pass *_lifecycle_metrics.json, or scrapes of the server's metrics page"

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"load_summary", "successes", "failures"}, .all = 2},
         .within = "load_summary",
         .inside = {{"count", "schedule_delay", "send_duration", "requested_rate"}, .any = 4}},
	{.first = "[",
         .keys = {{"start_time", "end_time", "request", "response", "info"}, .all = 3}},
	/* The server metrics that the same program saves. */
	{.first = "{",
         .keys = {{"load_summary", "successes", "failures"}, .all = 3},
         .within = "successes",
         .inside = {{"rate", "queue_len", "request_latency", "kv_cache_usage_percentage",
                     "prefix_cache_hit_percent"},
                    .all = 1,
                    .any = 4}},
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
	WEIR_CLIENT_NUMBER(shortest_output, "successes/output_len/min"),
	WEIR_CLIENT_NUMBER(longest_output, "successes/output_len/max"),
	/* the server's own metrics */
	WEIR_CLIENT_NUMBER(request_throughput, "successes/rate"),
	WEIR_CLIENT_NUMBER(input_throughput, "successes/prompt_len/rate"),
	WEIR_CLIENT_NUMBER(output_throughput, "successes/output_len/rate"),
	WEIR_CLIENT_TIMES(e2e, "successes/request_latency", 1e3),
	WEIR_CLIENT_TIMES(ttft, "successes/time_to_first_token", 1e3),
	WEIR_CLIENT_TIMES(tpot, "successes/time_per_output_token", 1e3),
	WEIR_CLIENT_TIMES(itl, "successes/inter_token_latency", 1e3),
	{0},
};

/* Figures of the server's own metrics. The cache's use is a share from 0 to 1, its hits are
 * percent. */
#define CACHE_USE "successes/kv_cache_usage_percentage/"
static const struct weir_client_figure figures[] = {
	{"successes/queue_len/mean", "mean_waiting_requests", "requests", 1, false},
	{CACHE_USE "mean", "mean_kv_cache_usage_pct", "%", 100, false},
	{CACHE_USE "median", "median_kv_cache_usage_pct", "%", 100, false},
	{CACHE_USE "p90", "p90_kv_cache_usage_pct", "%", 100, false},
	{CACHE_USE "p99", "p99_kv_cache_usage_pct", "%", 100, false},
	{"successes/prefix_cache_hit_percent/mean", "prefix_cache_hit_pct", "%", 1, true},
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

/* Accepts a report of a load, and the server's own metrics if they state a count and times of
 * requests. The means of tokens of the latter are of another window than their times, which they do
 * not correct. */
static enum weir_status check_load(struct weir_client_summary *summary, struct weir_error *err)
{
	summary->tpot_by_request = true;
	summary->counts_chunks = !isnan(summary->sent);
	if (summary->counts_chunks)
		return WEIR_OK;
	if (isnan(summary->completed))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "no \"load_summary\" with a \"count\": expected a report of "
		                 "inference-perf, *_lifecycle_metrics.json");
	if (!(summary->e2e.mean > 0 || summary->ttft.mean > 0 || summary->tpot.mean > 0))
		return weir_fail(err, WEIR_E_FORMAT, OF_SERVER);
	return WEIR_OK;
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
		.figures = figures,
		.expected = "successes.latency or successes.throughput",
		.check = check_load,
		.requests = &requests,
	};
	enum weir_status status = weir_client_report_read(&report, source, input, err);

	if (!status && input->run && !weir_run_label(input->run, "num_prompts"))
		weir_run_set_label(input->run, "measured_by", "server");
	return status;
}

const struct weir_reader weir_reader_inference_perf = {
	.name = "inference-perf",
	.title = "reports of inference-perf: a stage, a summary, or one record per request",
	.gives = "native run, requests",
	.tool = "inference-perf",
	.marks = marks,
	.read = read_inference_perf,
};
