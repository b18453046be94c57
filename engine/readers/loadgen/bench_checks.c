/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a benchmark's result says against itself. */
#include <math.h>
#include <string.h>

#include "engine/readers/loadgen/bench.h"
#include "engine/readers/loadgen/client_summary.h"

static void contradict(struct bench_reader *reader, const char *what)
{
	weir_input_warn(reader->input, WEIR_WARN_INCONSISTENT, UINT64_MAX, what);
}

/* An endpoint that does not stream: answers of several tokens, each of them all at once. */
static bool answers_are_whole(const struct bench_reader *reader, size_t requests)
{
	const struct bench_list *outputs = &reader->lists[BENCH_OUTPUTS];
	const struct bench_list *ttfts = &reader->lists[BENCH_TTFTS];
	size_t whole = 0;

	if (!outputs->given || !ttfts->given)
		return false;
	for (size_t i = 0; i < requests; i++) {
		if (weir_bench_has_failed(reader, i) || outputs->value[i] <= 1)
			continue;
		if (ttfts->value[i] <= 0 || weir_bench_decode_time(reader, i) != 0)
			return false;
		whole++;
	}
	return whole > 0;
}

/* Whether the median gap is far below the mean one; sorts nothing, for there may be millions. */
static bool gaps_are_of_chunks(const struct bench_list *gaps)
{
	double sum = 0, mean;
	size_t count = 0, low = 0;

	for (size_t i = 0; i < gaps->count; i++)
		if (gaps->value[i] >= 0) {
			sum += (double)gaps->value[i];
			count++;
		}
	mean = count ? sum / (double)count : 0;
	for (size_t i = 0; i < gaps->count; i++)
		low += gaps->value[i] >= 0 && weir_client_coalesced((double)gaps->value[i], mean);
	return low > count / 2;
}

/* Sent requests a second, by when the first and the last were sent. */
static double sending_rate(const struct bench_list *starts)
{
	int64_t first = INT64_MAX, last = -1;
	size_t count = 0;

	for (size_t i = 0; i < starts->count; i++) {
		if (starts->value[i] < 0)
			continue;
		first = starts->value[i] < first ? starts->value[i] : first;
		last = starts->value[i] > last ? starts->value[i] : last;
		count++;
	}
	return count > 1 && last > first ? (double)(count - 1) / ((double)(last - first) / 1e9)
	                                 : NAN;
}

/* All were sent by the time that the longest request began, at the latest: at most so many a
 * second, and twice the spread of random gaps on top. */
static double highest_rate(const struct bench_reader *reader, size_t requests)
{
	double longest_s = 0, window_s;

	for (size_t i = 0; i < requests; i++) {
		int64_t decode_ns = weir_bench_decode_time(reader, i);
		double s;

		if (weir_bench_has_failed(reader, i))
			continue;
		if (decode_ns < 0 || !reader->lists[BENCH_TTFTS].given)
			return NAN;
		s = (double)(reader->lists[BENCH_TTFTS].value[i] + decode_ns) / 1e9;
		longest_s = s > longest_s ? s : longest_s;
	}
	window_s = reader->duration_s - longest_s;
	return window_s > 0 ? ((double)requests + 2 * sqrt((double)requests)) / window_s : NAN;
}

static void check_load(struct bench_reader *reader, size_t requests)
{
	double rate = reader->lists[BENCH_STARTS].given ? sending_rate(&reader->lists[BENCH_STARTS])
	                                                : highest_rate(reader, requests);

	if (weir_client_missed_load(reader->requested_per_s, rate))
		weir_input_warn(reader->input, WEIR_WARN_LOAD_NOT_REACHED, UINT64_MAX, NULL);
}

void weir_bench_check_lists(struct bench_reader *reader, size_t requests)
{
	if (!requests)
		return;
	reader->whole = answers_are_whole(reader, requests);
	if (reader->whole)
		contradict(reader, "ttfts: they are those of whole answers");
	reader->chunked = gaps_are_of_chunks(&reader->lists[BENCH_GAPS]);
	if (reader->chunked)
		contradict(reader, "itls: chunks hold several tokens");
	check_load(reader, requests);
}

static struct bench_scalar *find_scalar(struct bench_reader *reader, const char *name)
{
	for (size_t i = 0; i < reader->scalar_count; i++)
		if (strcmp(reader->scalars[i].name, name) == 0)
			return &reader->scalars[i];
	return NULL;
}

static double scalar_value(struct bench_reader *reader, const char *name)
{
	const struct bench_scalar *scalar = find_scalar(reader, name);

	return scalar ? scalar->value : NAN;
}

/* Leaves out the figures about a stage, but for the one named `kept` (NULL: none). */
static void drop_scalars(struct bench_reader *reader, const char *stage, const char *kept)
{
	size_t left = 0;

	for (size_t i = 0; i < reader->scalar_count; i++) {
		const struct bench_scalar *scalar = &reader->scalars[i];

		if (strcmp(scalar->stage, stage) != 0 || (kept && strcmp(scalar->name, kept) == 0))
			reader->scalars[left++] = *scalar;
	}
	reader->scalar_count = left;
}

/* The mean of the samples in milliseconds; NAN where there are none. */
static double sample_mean_ms(const struct bench_reader *reader, const char *stage)
{
	const struct weir_series *series = weir_series_find(&reader->run->stages, stage);
	double sum = 0;

	for (size_t i = 0; series && i < series->count; i++)
		sum += series->value[i];
	return series ? sum / (double)series->count / 1e6 : NAN;
}

static void check_tpot(struct bench_reader *reader, double e2e, double ttft, double tokens)
{
	struct bench_scalar *stated = find_scalar(reader, "mean_tpot_ms");
	double computed = sample_mean_ms(reader, "tpot");

	if (isnan(computed))
		computed = weir_client_tpot(e2e, ttft, tokens);
	if (!stated || !weir_client_differs(stated->value, computed))
		return;
	contradict(reader, "mean_tpot_ms: the other times say otherwise");
	stated->value = computed;
	drop_scalars(reader, "tpot", "mean_tpot_ms");
}

void weir_bench_check_figures(struct bench_reader *reader)
{
	double e2e = scalar_value(reader, "mean_e2el_ms"),
	       ttft = scalar_value(reader, "mean_ttft_ms");
	double tokens = reader->output_tokens / reader->completed;

	if (isnan(e2e))
		e2e = scalar_value(reader, "mean_e2e_latency_ms");
	if (!reader->whole && weir_client_is_whole(ttft, e2e, tokens)) {
		reader->whole = true;
		contradict(reader, "mean_ttft_ms: it is that of whole answers");
	}
	if (reader->whole) {
		drop_scalars(reader, "ttft", NULL);
		drop_scalars(reader, "tpot", NULL);
		drop_scalars(reader, "itl", NULL);
		return;
	}
	check_tpot(reader, e2e, ttft, tokens);
	if (!reader->chunked && weir_client_coalesced(scalar_value(reader, "median_itl_ms"),
	                                              scalar_value(reader, "mean_itl_ms"))) {
		reader->chunked = true;
		contradict(reader, "median_itl_ms: chunks hold several tokens");
	}
	if (reader->chunked)
		drop_scalars(reader, "itl", NULL);
}
