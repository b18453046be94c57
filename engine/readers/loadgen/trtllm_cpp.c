/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what the C++ benchmarks of TensorRT-LLM print, anywhere in a log: gptManagerBenchmark, a
 * line for each number,
 *
 *	[BENCHMARK] num_samples 300
 *	[BENCHMARK] total_latency(ms) 30000.00
 *	[BENCHMARK] token_throughput(token/sec) 1500.00
 *	[BENCHMARK] p99_sequence_latency(ms) 2100.00
 *
 * and gptSessionBenchmark, or benchmark.py, a line for each result:
 *
 *	[BENCHMARK] batch_size 8 input_length 128 output_length 20 latency(ms) 300.00 ...
 *
 * The throughput counts tokens of output. "Inter-token latencies" are means of requests: the time
 * from the first token to the last one over the tokens after the first.
 */
#include <string.h>

#include "engine/readers/loadgen/result_text.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/scan.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MARK     "[BENCHMARK] "
#define ROUNDING 0.005 /* of numbers with two digits */

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct weir_mark marks[] = {
	{.first = "",
         .texts = {{MARK, "total_latency(ms) ", "seq_throughput(seq/sec) ",
                    "token_throughput(token/sec) "},
                   .all = 4}},
	{.first = "",
         .texts = {{MARK, "batch_size ", "input_length ", "output_length ", " latency(ms) "},
                   .all = 5}},
	{0},
};

/* ---- gptManagerBenchmark ---- */

/* Numbers of the summary by the begin of their line. */
static const struct {
	const char *key;
	size_t slot;
	double scale;
} numbers[] = {
	{"num_samples ", WEIR_CLIENT_SLOT(completed), 1},
	{"num_samples(ms) ", WEIR_CLIENT_SLOT(completed), 1}, /* of versions before 0.8 */
	{"num_error_samples ", WEIR_CLIENT_SLOT(failed), 1},
	{"total_latency(ms) ", WEIR_CLIENT_SLOT(duration_s), 1e-3},
	{"seq_throughput(seq/sec) ", WEIR_CLIENT_SLOT(request_throughput), 1},
	{"token_throughput(token/sec) ", WEIR_CLIENT_SLOT(output_throughput), 1},
	{"avg_acceptance_rate(tokens/decoding steps) ", WEIR_CLIENT_SLOT(acceptance_length), 1},
};

/* Times behind "avg_", "p99_" and the like. */
static const struct {
	const char *key;
	size_t slot;
} times[] = {
	{"sequence_latency(ms) ", WEIR_CLIENT_SLOT(e2e)},
	{"time_to_first_token(ms) ", WEIR_CLIENT_SLOT(ttft)},
	{"inter_token_latency(ms) ", WEIR_CLIENT_SLOT(tpot)},
};

#define QUEUE "request_queueing_latency(ms) "

/* Adds the figure of a time in the queue of the server. It has another name than the queue of
 * perf_analyzer, which states the other parts of a request as well. */
static void add_queue(struct weir_run *run, struct weir_slice statistic, double ms)
{
	static const struct {
		const char *statistic, *figure;
	} figures[] = {{"avg", "mean_request_queueing_ms"}, {"p50", "median_request_queueing_ms"},
	               {"p90", "p90_request_queueing_ms"},  {"p99", "p99_request_queueing_ms"},
	               {"min", "min_request_queueing_ms"},  {"max", "max_request_queueing_ms"}};

	for (size_t i = 0; i < COUNT(figures); i++)
		if (weir_slice_equals(statistic, figures[i].statistic))
			weir_figure_add(run, figures[i].figure, "ms", false, ms);
}

/* Takes "p99_sequence_latency(ms) 2100.00". */
static void take_time(struct weir_result_text *text, struct weir_slice rest)
{
	const char *end = memchr(rest.data, '_', rest.length);
	struct weir_slice statistic = {rest.data, end ? (size_t)(end - rest.data) : 0};
	double ms;

	if (!end)
		return;
	rest = (struct weir_slice){end + 1, rest.length - statistic.length - 1};
	for (size_t i = 0; i < COUNT(times); i++)
		if (weir_slice_take(&rest, times[i].key)) {
			if (weir_result_text_number(text, &rest, &ms))
				weir_result_text_time(text, times[i].slot, statistic, ms);
			return;
		}
	if (weir_slice_take(&rest, QUEUE) && weir_result_text_number(text, &rest, &ms))
		add_queue(text->run, statistic, ms);
}

/* Takes a line of one number. The numbers of samples begin a result, and come twice before it. */
static enum weir_status take_number(struct weir_result_text *text, struct weir_slice rest,
                                    struct weir_error *err)
{
	double value;

	if (weir_slice_starts(rest, numbers[0].key) || weir_slice_starts(rest, numbers[1].key)) {
		if (text->summary.duration_s > 0 && weir_result_text_end(text, err))
			return err->status;
	}
	if (!text->begun) {
		weir_result_text_begin(text);
		text->summary.tpot_by_request = true;
		text->summary.rounding = ROUNDING;
	}
	for (size_t i = 0; i < COUNT(numbers); i++)
		if (weir_slice_take(&rest, numbers[i].key)) {
			if (weir_result_text_number(text, &rest, &value))
				weir_client_summary_set(&text->summary, numbers[i].slot,
				                        value * numbers[i].scale);
			return WEIR_OK;
		}
	take_time(text, rest);
	return WEIR_OK;
}

/* ---- gptSessionBenchmark, benchmark.py ---- */

/* Conditions of a result, and its numbers as members of the summary. */
static const struct {
	const char *key, *label;
} conditions[] = {
	{"model_name", "model"},         {"world_size", "world_size"},
	{"precision", "precision"},      {"batch_size", "batch_size"},
	{"beam_width", "beam_width"},    {"input_length", "input_len"},
	{"output_length", "output_len"}, {"quantization", "quantization"},
};

static const struct {
	const char *key;
	size_t slot;
} members[] = {
	{"latency(ms)", WEIR_CLIENT_SLOT(latency.mean)},
	{"percentile95(ms)", WEIR_CLIENT_SLOT(latency.p95)},
	{"percentile99(ms)", WEIR_CLIENT_SLOT(latency.p99)},
	{"tokensPerSec", WEIR_CLIENT_SLOT(output_throughput)},
	{"tokens_per_sec", WEIR_CLIENT_SLOT(output_throughput)},
};

/* Numbers without a member. 0 stands for one that was not measured. */
static const struct {
	const char *key, *figure, *unit;
	bool higher; /* is better */
} figures[] = {
	{"generation_time(ms)", "mean_decode_latency_ms", "ms", false},
	{"generationTime(ms)", "mean_decode_latency_ms", "ms", false},
	{"generation_tokens_per_second", "decode_throughput", "tokens/s", true},
	{"generationTokensPerSec", "decode_throughput", "tokens/s", true},
	{"gpu_peak_mem(gb)", "peak_memory_gb", "GB", false},
};

static void take_pair(struct weir_result_text *text, struct weir_slice key, struct weir_slice value)
{
	double number;

	for (size_t i = 0; i < COUNT(conditions); i++)
		if (weir_slice_equals(key, conditions[i].key))
			weir_figure_label(text->run, conditions[i].label, value);
	for (size_t i = 0; i < COUNT(members); i++)
		if (weir_slice_equals(key, members[i].key) &&
		    weir_result_text_number(text, &value, &number))
			weir_client_summary_set(&text->summary, members[i].slot, number);
	for (size_t i = 0; i < COUNT(figures); i++)
		if (weir_slice_equals(key, figures[i].key) &&
		    weir_result_text_number(text, &value, &number) && number > 0)
			weir_figure_add(text->run, figures[i].figure, figures[i].unit,
			                figures[i].higher, number);
}

/* Takes a line of pairs "KEY VALUE". */
static enum weir_status take_pairs(struct weir_result_text *text, struct weir_slice rest,
                                   struct weir_error *err)
{
	struct weir_slice key, value;

	if (weir_result_text_end(text, err))
		return err->status;
	weir_result_text_begin(text);
	while (weir_scan_word(&rest, &key) && weir_scan_word(&rest, &value))
		take_pair(text, key, value);
	return weir_result_text_end(text, err);
}

/* ---- the reader ---- */

static enum weir_status take_line(struct weir_result_text *text, void *state,
                                  struct weir_slice line, struct weir_error *err)
{
	struct weir_slice rest;

	(void)state;
	if (!weir_scan_behind(line, MARK, &rest))
		return WEIR_OK;
	rest = weir_slice_trim(rest);
	return weir_slice_holds(rest, "batch_size ") && weir_slice_holds(rest, " latency(ms) ")
	               ? take_pairs(text, rest, err)
	               : take_number(text, rest, err);
}

static enum weir_status read_trtllm_cpp(struct weir_source *source, struct weir_input *input,
                                        struct weir_error *err)
{
	static const struct weir_result_form form = {
		.take = take_line,
		.tool = "the C++ benchmarks of TensorRT-LLM",
		.expected = "lines such as \"" MARK "token_throughput(token/sec) 1500.00\"",
	};

	return weir_result_text_read(&form, NULL, source, input, err);
}

const struct weir_reader weir_reader_trtllm_cpp = {
	.name = "trtllm-cpp",
	.title = "lines of TensorRT-LLM's gptManagerBenchmark and gptSessionBenchmark",
	.gives = "native run",
	.tool = "TensorRT-LLM's C++ benchmark",
	.whole_run = true,
	.marks = marks,
	.read = read_trtllm_cpp,
};
