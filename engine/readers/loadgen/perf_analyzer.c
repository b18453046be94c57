/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The latency report of perf_analyzer (-f): a row a load, in whole microseconds. Server columns are
 * means of the statistics of the server; what it calls network is what is left of the waiting at
 * the client, and 0 where noise made that less than nothing. Utilisation and power of the
 * devices are left out, for neither more nor less of them is better.
 */
#include "engine/readers/loadgen/load_points.h"
#include "engine/readers/readers.h"

#define MS(header, metric)                                                                         \
	{                                                                                          \
		header, metric, "ms", 1e3, false, WEIR_LOAD_NUMBER                                 \
	}

static const struct weir_load_column columns[] = {
	{"Inferences/Second", "inference_throughput", "inferences/s", 1, true, WEIR_LOAD_NUMBER},
	{"Response Throughput", "response_throughput", "responses/s", 1, true, WEIR_LOAD_NUMBER},
	MS("Client Send", "mean_client_send_ms"),
	MS("Network+Server Send/Recv", "mean_network_ms"),
	MS("Server Queue", "mean_queue_ms"),
	MS("Server Compute Input", "mean_h2d_ms"),
	MS("Server Compute Infer", "mean_compute_ms"),
	MS("Server Compute Output", "mean_d2h_ms"),
	MS("Server Cache Hit", "mean_cache_hit_ms"),
	MS("Server Cache Miss", "mean_cache_miss_ms"),
	MS("Client Recv", "mean_client_recv_ms"),
	MS("Avg latency", "mean_latency_ms"),
	MS("request/response", "mean_request_response_ms"),
	MS("response wait", "mean_response_wait_ms"),
	{"Max GPU Memory Usage", "max_gpu_memory_bytes", "B", 1, false, WEIR_LOAD_MAX_OF_DEVICES},
	{0},
};

static const struct weir_load_key keys[] = {
	{"Concurrency", "concurrency", "concurrency", false},
	{"Request Rate", "request_rate", "request_rate", false},
	{0},
};

static const struct weir_load_table table = {
	.keys = keys,
	.columns = columns,
	.percentile = " latency",
	.percentile_divisor = 1e3,
	.throughput = "Inferences/Second",
	.expected = "Inferences/Second, Server Queue, p95 latency and the like",
};

static int sniff(const char *head, size_t len)
{
	struct weir_slice cells[2];
	int bits = 0;

	if (weir_load_points_header(head, len, cells, 2) < 2 ||
	    !weir_slice_equals(cells[1], table.throughput))
		return 0;
	for (size_t i = 0; keys[i].header; i++)
		if (weir_slice_equals(cells[0], keys[i].header))
			bits = 8 * (int)(cells[0].length + 1 + cells[1].length);
	return bits;
}

static enum weir_status read_report(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	return weir_load_points_read(&table, source, input, err);
}

const struct weir_reader weir_reader_perf_analyzer_csv = {
	.name = "perf_analyzer_csv",
	.title = "latency reports of perf_analyzer (-f FILE), one run of one or more loads",
	.gives = "native run",
	.sniff = sniff,
	.read = read_report,
};
