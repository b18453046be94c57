/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of InferenceX (InferenceMAX before 2026). An ordinary result is a flat object that
 * its process_result.py makes of a result of `vllm bench serve` or SGLang, and a list of them is
 * what it collects of many jobs (agg_bmk.json):
 *
 *	{"hw": "h200", "conc": 64, "tput_per_gpu": 1400.1, "median_ttft": 0.31, "mean_tpot": ...}
 *
 * Times are seconds and have no unit in their names. A result of an agentic scenario has its times
 * in "request_metrics". Interactivity, the reciprocal of the time per output token, is not read:
 * its percentiles run downwards. Several results become one run with the load and the conditions
 * that differ in the names of figures (load_join.h).
 */
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/records.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MS_OF_S 1e3

static const struct weir_mark marks[] = {
	{.first = "{[",
         .keys = {{"hw", "conc", "tput_per_gpu", "median_ttft", "mean_ttft", "framework",
                   "output_tput_per_gpu", "mean_e2el"},
                  .all = 3}},
	{.first = "{[",
         .keys = {{"hw", "conc", "request_metrics", "num_requests_total", "framework"}, .all = 3}},
	{0},
};

/* The statistics of one time of an ordinary result. */
#define FLAT(statistic, key, member)                                                               \
	{                                                                                          \
		statistic "_" key, WEIR_CLIENT_SLOT(member), MS_OF_S, false                        \
	}
/* NOLINTBEGIN(bugprone-macro-parentheses): the argument is the name of a member */
#define FLAT_TIMES(key, field)                                                                     \
	FLAT("mean", key, field.mean), FLAT("median", key, field.median),                          \
		FLAT("p75", key, field.p75), FLAT("p90", key, field.p90),                          \
		FLAT("p95", key, field.p95), FLAT("p99", key, field.p99)
/* NOLINTEND(bugprone-macro-parentheses) */

#define METRICS "request_metrics/"

static const struct weir_client_row rows[] = {
	FLAT_TIMES("ttft", ttft),
	FLAT_TIMES("tpot", tpot),
	FLAT_TIMES("itl", itl),
	FLAT_TIMES("e2el", e2e),
	WEIR_CLIENT_NUMBER(total_throughput_per_gpu, "tput_per_gpu"),
	WEIR_CLIENT_NUMBER(output_throughput_per_gpu, "output_tput_per_gpu"),
	WEIR_CLIENT_NUMBER(input_throughput_per_gpu, "input_tput_per_gpu"),
	/* of an agentic scenario */
	WEIR_CLIENT_NUMBER(completed, "num_requests_successful"),
	WEIR_CLIENT_TIMES(ttft, METRICS "latency/ttft", MS_OF_S),
	WEIR_CLIENT_TIMES(tpot, METRICS "latency/tpot", MS_OF_S),
	WEIR_CLIENT_TIMES(itl, METRICS "latency/itl", MS_OF_S),
	WEIR_CLIENT_TIMES(e2e, METRICS "latency/e2el", MS_OF_S),
	WEIR_CLIENT_NUMBER(output_tokens, METRICS "tokens/output_actual/mean"),
	WEIR_CLIENT_NUMBER(input_tokens, METRICS "tokens/input/mean"),
	WEIR_CLIENT_NUMBER(request_throughput, METRICS "qps/mean"),
	WEIR_CLIENT_NUMBER(input_throughput, METRICS "throughput/input/tokens_per_second"),
	WEIR_CLIENT_NUMBER(output_throughput, METRICS "throughput/output/tokens_per_second"),
	WEIR_CLIENT_NUMBER(total_throughput, METRICS "throughput/total/tokens_per_second"),
	WEIR_CLIENT_NUMBER(duration_s, METRICS "throughput/duration_seconds"),
	WEIR_CLIENT_NUMBER(total_throughput_per_gpu, METRICS "throughput/per_gpu/total_tput_tps"),
	WEIR_CLIENT_NUMBER(output_throughput_per_gpu, METRICS "throughput/per_gpu/output_tput_tps"),
	WEIR_CLIENT_NUMBER(input_throughput_per_gpu, METRICS "throughput/per_gpu/input_tput_tps"),
	{0},
};

static const struct weir_client_label labels[] = {
	{"hw", "hardware"},
	{"conc", "max_concurrency"},
	{"model", "model"},
	{"framework", "backend"},
	{"precision", "precision"},
	{"image", "image"},
	{"spec_decoding", "spec_decoding"},
	{"disagg", "disagg"},
	{"scenario_type", "scenario"},
	{"num_gpus", "num_gpus"},
	{"tp", "tp"},
	{"ep", "ep"},
	{"pp", "pp"},
	{"dp_attention", "dp_attention"},
	{"isl", "input_len"},
	{"osl", "output_len"},
	{0},
};

struct reading {
	struct weir_input *input;
	struct weir_load_join join;
	struct weir_client_summary summary;
	struct weir_run *run; /* of the result that is being read; owned */
	struct weir_error *err;
	enum weir_status status;
};

/* Warns of records with errors. The file does not say how many of them are of the warm-up, so that
 * they are no count of failed requests. */
static void warn_of_errors(struct weir_input *input, const struct weir_jsonleaf *leaf)
{
	double count = weir_jsonleaf_number(leaf, NULL);
	struct weir_text text = {0};

	if (!(count > 0))
		return;
	weir_text_printf(&text, "%.15g records with an error, those of the warm-up among them",
	                 count);
	weir_input_warn(input, WEIR_WARN_FAILED_COUNTED, leaf->at, text.data);
	weir_text_release(&text);
}

static enum weir_status take_leaf(void *context, const struct weir_jsonleaf *leaf,
                                  struct weir_error *err)
{
	struct reading *reading = context;
	bool odd = false;

	(void)err;
	if (strcmp(leaf->path, "request_accounting/records_error_dropped") == 0)
		warn_of_errors(reading->input, leaf);
	weir_client_summary_take(&reading->summary, rows, leaf, &odd);
	weir_client_summary_label(reading->run, labels, leaf);
	if (odd)
		weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, leaf->at, NULL);
	return WEIR_OK;
}

static void take_result(void *context, struct weir_jsoncursor *cursor, uint64_t at)
{
	struct reading *reading = context;
	const struct weir_jsonleaves leaves = {.leaf = take_leaf, .context = reading};
	struct weir_slice object = weir_jsoncursor_take(cursor);

	if (cursor->bad || reading->status)
		return;
	reading->run = weir_run_new();
	weir_client_summary_init(&reading->summary);
	reading->summary.tpot_by_request = true;
	if (weir_jsonleaves_walk(&leaves, (struct weir_slice){0}, object, at, NULL)) {
		cursor->bad = true;
		weir_run_free(reading->run);
	} else {
		reading->status = weir_load_join_end(&reading->join, &reading->summary,
		                                     reading->run, reading->input, reading->err);
	}
	reading->run = NULL;
}

static enum weir_status read_results(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err)
{
	struct reading reading = {.input = input, .err = err};
	enum weir_status status = weir_records_each(source, input, take_result, &reading, err);

	if (!status)
		status = reading.status;
	if (!status && !reading.join.count && !reading.join.empty)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no result of InferenceX: expected objects with hw, conc, "
		                   "tput_per_gpu, median_ttft and the like");
	if (!status)
		status = weir_load_join_finish_figures(&reading.join, input, err);
	weir_load_join_release(&reading.join);
	return status;
}

const struct weir_reader weir_reader_bench_inferencex = {
	.name = "bench-inferencex",
	.title = "results of InferenceX (InferenceMAX), one or a list",
	.gives = "native run",
	.tool = "InferenceX",
	.whole_run = true,
	.marks = marks,
	.read = read_results,
};
