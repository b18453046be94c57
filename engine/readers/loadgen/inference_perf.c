/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of inference-perf: stage_N_lifecycle_metrics.json and summary_lifecycle_metrics.json as
 * per-run figures, per_request_lifecycle_metrics.json as requests. Everything in them is in
 * seconds.
 */
#include <math.h>

#include "engine/readers/loadgen/client_report.h"
#include "engine/readers/loadgen/inference_perf.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

static const char *const report_keys[] = {"load_summary", "successes", "failures", NULL};
static const char *const load_keys[] = {"count", "schedule_delay", "send_duration",
                                        "requested_rate", NULL};
static const char *const request_keys[] = {"start_time", "end_time", "request",
                                           "response",   "info",     NULL};

/* The server's metrics that the same program saves look alike, but say nothing of the load. */
static int sniff_report(const char *head, size_t len)
{
	unsigned found = weir_sniff_keys(head, len, report_keys), load;
	const char *summary;
	size_t left;

	if ((found & 3) != 3)
		return 0;
	summary = weir_sniff_member(head, len, "load_summary", &left);
	load = summary ? weir_sniff_keys(summary, left, load_keys) : 0;
	return load ? weir_sniff_bits(found, report_keys) + weir_sniff_bits(load, load_keys) : 0;
}

static int sniff(const char *head, size_t len)
{
	unsigned found;

	if (weir_sniff_first(head, len) == '{')
		return sniff_report(head, len);
	if (weir_sniff_first(head, len) != '[')
		return 0;
	found = weir_sniff_keys(head, len, request_keys);
	return (found & 7) == 7 ? weir_sniff_bits(found, request_keys) : 0;
}

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
	WEIR_CLIENT_NUMBER(output_tokens, "successes/output_len/mean"),
	{0},
};

/* Runs under different load are not one population; weir.json can make any label a condition. */
static const struct weir_client_label labels[] = {
	{"load_summary/count", "num_prompts"},
	{"load_summary/requested_rate", "request_rate"},
	{0},
};

static enum weir_status check_load(const struct weir_client_summary *summary,
                                   struct weir_error *err)
{
	if (!isnan(summary->sent))
		return WEIR_OK;
	return weir_fail(err, WEIR_E_FORMAT,
	                 "it says nothing of the load: server metrics as inference-perf saves them "
	                 "cover other times than its requests; pass *_lifecycle_metrics.json");
}

static enum weir_status read_inference_perf(struct weir_source *source, struct weir_input *input,
                                            struct weir_error *err)
{
	static const struct weir_client_report report = {
		.rows = rows,
		.labels = labels,
		.expected = "successes.latency or successes.throughput",
		.check = check_load,
		.read_requests = weir_inference_perf_requests,
	};

	return weir_client_report_read(&report, source, input, err);
}

const struct weir_reader weir_reader_inference_perf = {
	.name = "inference-perf",
	.title = "reports of inference-perf: a stage, a summary, or one record a request",
	.gives = "native run, requests",
	.sniff = sniff,
	.read = read_inference_perf,
};
