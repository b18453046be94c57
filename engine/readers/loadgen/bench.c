/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Results of serving benchmarks as a native run: `vllm bench serve` (benchmark_serving.py) with and
 * without --save-detailed, SGLang's bench_serving, `vllm bench latency` and `vllm bench
 * throughput`.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/loadgen/bench.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/parts/wholejson.h"
#include "engine/readers/readers.h"

/* The kinds of results: keys that are all there, then keys that only some versions write. */
static const struct {
	const char *keys[6];
	unsigned needed;
} kinds[] = {
	{{"completed", "request_throughput", "total_input_tokens", "output_throughput",
          "mean_ttft_ms"},
         2},
	{{"avg_latency", "latencies", "percentiles"}, 2},
	{{"elapsed_time", "requests_per_second", "num_requests", "total_num_tokens",
          "tokens_per_second"},
         2},
};

static int sniff_result(const char *head, size_t len)
{
	int best = 0;

	if (weir_sniff_first(head, len) != '{')
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		unsigned found = weir_sniff_keys(head, len, kinds[i].keys);
		unsigned needed = (1u << kinds[i].needed) - 1;
		int bits = weir_sniff_bits(found, kinds[i].keys);

		if ((found & needed) == needed && bits > best)
			best = bits;
	}
	return best;
}

static int sniff(const char *head, size_t len)
{
	int bits = sniff_result(head, len);

	if (!bits && weir_bench_is_log(head, len))
		bits = 8 * (int)strlen(BENCH_LOG_BEGIN);
	return bits;
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	if (weir_jsonscan_is_bare(scan))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "a list, expected one result object: pass the file of "
		                 "--save-result");
	return item->kind == WEIR_JSONSCAN_MEMBER ? weir_bench_member(context, item, err)
	                                          : weir_bench_gaps(context, item, err);
}

/*
 * One input is one run, so a file with several results is refused: --append-result and SGLang put
 * runs under different load into one file, and samples of several runs in one would pass for one
 * run and hide how much runs differ. Damage is refused as well: lists are parallel, and what is
 * lost in one shifts values to the wrong requests.
 */
static enum weir_status check_whole(const struct weir_jsonscan *scan,
                                    const struct weir_source *source, struct weir_error *err)
{
	if (weir_jsonscan_faults(scan)[WEIR_JSONSCAN_TRAILING].count && !weir_source_damage(source))
		return weir_fail(
			err, WEIR_E_FORMAT,
			"more follows the first result (--append-result, JSON lines), but "
			"one input is one run: keep one result a file, as split -l 1 does");
	return weir_wholejson_check(scan, source, err);
}

/* Means and percentiles of stages that have no samples. */
static void add_scalars(struct bench_reader *reader)
{
	for (size_t i = 0; i < reader->scalar_count; i++) {
		const struct bench_scalar *scalar = &reader->scalars[i];
		struct weir_series *series;

		if (weir_series_find(&reader->run->stages, scalar->stage))
			continue;
		series = weir_series_get(&reader->run->metrics, scalar->name);
		series->unit = weir_alloc_text(scalar->unit);
		weir_series_push(series, scalar->value);
	}
}

static uint64_t count_values(const struct weir_series_table *table)
{
	uint64_t count = 0;

	for (size_t i = 0; i < table->count; i++)
		count += table->items[i].count;
	return count;
}

static enum weir_status conclude(struct bench_reader *reader, struct weir_error *err)
{
	struct weir_run *run = reader->run;
	enum weir_status status;

	if (reader->completed <= 0)
		return weir_fail(
			err, WEIR_E_FORMAT,
			"no request completed, so its figures are of nothing: see what the "
			"server said, then run the benchmark again");
	status = weir_bench_stages(reader, err);
	if (status)
		return status;
	weir_bench_check_figures(reader);
	add_scalars(reader);
	if (!run->stages.count && !run->metrics.count)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "no timing in this result: expected ttfts, latencies, "
		                 "mean_ttft_ms, request_throughput or the like; write it with "
		                 "--save-result");
	if (!weir_run_label(run, "backend") && weir_run_label(run, "endpoint_type"))
		weir_run_set_label(run, "backend", weir_run_label(run, "endpoint_type"));
	reader->input->events = count_values(&run->stages) + count_values(&run->metrics);
	return WEIR_OK;
}

static enum weir_status read_result(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const struct weir_jsonscan_options options = {.array = "itls"};
	struct bench_reader *reader = weir_alloc(sizeof(*reader));
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	enum weir_status status;

	reader->input = input;
	reader->run = input->run = weir_run_new();
	reader->completed = reader->failed = NAN;
	reader->output_tokens = reader->duration_s = reader->requested_per_s = NAN;
	status = weir_jsonscan_each(scan, take_item, reader, err);
	if (!status)
		status = check_whole(scan, source, err);
	if (!status)
		status = conclude(reader, err);
	weir_jsonscan_free(scan);
	for (size_t i = 0; i < BENCH_LISTS; i++)
		free(reader->lists[i].value);
	free(reader);
	return status;
}

static enum weir_status read_log(struct weir_source *source, struct weir_input *input,
                                 struct weir_error *err)
{
	struct weir_source *inner = NULL;
	struct weir_text result = {0};
	enum weir_status status = weir_bench_extract(source, &result, err);

	if (!status)
		status = weir_source_open_memory(weir_source_name(source),
		                                 result.data ? result.data : "", result.length,
		                                 &inner, err);
	if (!status)
		status = read_result(inner, input, err);
	weir_source_free(inner);
	weir_text_release(&result);
	return status;
}

static enum weir_status read_bench(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);
	char first;

	if (status)
		return status;
	first = weir_sniff_first(head, len);
	if (sniff_result(head, len) ||
	    ((first == '{' || first == '[') && !weir_bench_is_log(head, len)))
		return read_result(source, input, err);
	return read_log(source, input, err);
}

const struct weir_reader weir_reader_bench = {
	.name = "bench",
	.title = "results of serving benchmarks (vLLM, SGLang), also inside a log",
	.gives = "native run",
	.sniff = sniff,
	.read = read_bench,
};
