/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Results of Triton's Model Analyzer: a row a configuration of a model and load (inference), or
 * that and a device (gpu). One search is one run. Rows are sorted by what was searched for, best
 * first; of configurations that the table does not tell apart (those of the models that a
 * composition is made of) the first counts. Utilisation and power are left out, for neither more
 * nor less of them is better.
 */
#include "engine/readers/loadgen/load_points.h"
#include "engine/readers/readers.h"

#define MS(header, metric)                                                                         \
	{                                                                                          \
		header, metric, "ms", 1, false, WEIR_LOAD_NUMBER                                   \
	}

static const struct weir_load_column columns[] = {
	{"Throughput (infer/sec)", "inference_throughput", "inferences/s", 1, true,
         WEIR_LOAD_NUMBER},
	MS("Avg Latency (ms)", "mean_latency_ms"),
	MS("Request/Response (ms)", "mean_request_response_ms"),
	MS("Response Wait Time (ms)", "mean_response_wait_ms"),
	MS("Server Queue time (ms)", "mean_queue_ms"),
	MS("Server Compute Input time (ms)", "mean_h2d_ms"),
	MS("Server Compute Infer time (ms)", "mean_compute_ms"),
	MS("Server Compute Output time (ms)", "mean_d2h_ms"),
	{"GPU Memory Usage (MB)", "gpu_memory_mb", "MB", 1, false, WEIR_LOAD_NUMBER},
	{"RAM Usage (MB)", "host_memory_mb", "MB", 1, false, WEIR_LOAD_NUMBER},
	{0},
};

static const struct weir_load_key keys[] = {
	{"Model", NULL, "model", false},
	{"Model Config Path", NULL, "model_config", false},
	{"Batch", "batch", "batch_size", false},
	{"Concurrency", "concurrency", "concurrency", false},
	{"Request Rate", "request_rate", "request_rate", false},
	{"GPU UUID", "gpu", NULL, true},
	{0},
};

static const struct weir_load_table table = {
	.keys = keys,
	.columns = columns,
	.percentile = " Latency (ms)",
	.percentile_divisor = 1,
	.throughput = "Throughput (infer/sec)",
	.expected = "Throughput (infer/sec), p99 Latency (ms), GPU Memory Usage (MB) and the like",
};

/* The model comes first; which of the other columns there are is configured. */
static int sniff(const char *head, size_t len)
{
	struct weir_slice cells[32];
	size_t count = weir_load_points_header(head, len, cells, 32);
	int bits = 0;

	if (!count || !weir_slice_equals(cells[0], keys[0].header))
		return 0;
	for (size_t i = 1; i < count; i++)
		if (weir_slice_equals(cells[i], "Model Config Path") ||
		    weir_slice_equals(cells[i], "GPU UUID"))
			bits += 8 * (int)(cells[0].length + 1 + cells[i].length);
	return bits;
}

static enum weir_status read_result(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	return weir_load_points_read(&table, source, input, err);
}

const struct weir_reader weir_reader_model_analyzer = {
	.name = "model_analyzer",
	.title = "results of Triton's Model Analyzer (CSV), one run of many configurations",
	.gives = "native run",
	.sniff = sniff,
	.read = read_result,
};
