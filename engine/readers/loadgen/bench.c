/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of serving benchmarks as a native run: `vllm bench serve` (benchmark_serving.py)
 * with and without --save-detailed, SGLang's bench_serving, `vllm bench latency` and `vllm bench
 * throughput`, and LLMPerf's summary; also a result that a job printed into its log between two
 * markers, as the container images of vllm-bench do. A result has labels, figures over all
 * requests, and lists with one value per request. Lists become samples of stages. Figures stand
 * only for stages without samples. Several results in one file, also as a list, become one run with
 * the load in the names of figures (load_join.h).
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/text.h"
#include "engine/readers/loadgen/bench_lists.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/parts/wholejson.h"
#include "engine/readers/readers.h"

#define LABEL_KEY 64 /* bytes; a text under a longer key is not a label */
#define MANY_REQUESTS                                                                              \
	30 /* the mean of as many random lengths is far above half of its expectation */

/* One result of the file, and the runs of those before it. */
struct reader {
	struct weir_input *input;
	struct weir_run *run; /* of the result; NULL before the first one. Owned. */
	struct weir_bench_lists lists;
	struct weir_client_summary summary;
	struct weir_load_join join;
	bool no_gaps; /* the result states 0 as its mean time between outputs */
};

static void warn_odd(struct reader *reader, uint64_t at)
{
	weir_input_warn(reader->input, WEIR_WARN_BAD_NUMBER, at, NULL);
}

/* ---- members of the result ---- */

/* The load and other conditions: runs under different loads are not one population, and weir.json
 * can make any label a condition. */
static const struct weir_client_label labels[] = {
	{"model_id", "model"},
	{"tokenizer_id", "tokenizer"},
	{"num_prompts", "num_prompts"},
	{"request_rate", "request_rate"},
	{"burstiness", "burstiness"},
	{"max_concurrency", "max_concurrency"},
	{"sharegpt_output_len", "sharegpt_output_len"},
	{"random_input_len", "random_input_len"},
	{"random_output_len", "random_output_len"},
	{"random_range_ratio", "random_range_ratio"},
	/* what `vllm bench sweep` varies most, as it adds it to each result of a sweep */
	{"max_num_seqs", "max_num_seqs"},
	{"max_num_batched_tokens", "max_num_batched_tokens"},
	{"tensor_parallel_size", "tensor_parallel_size"},
	{"num_concurrent_requests", "max_concurrency"}, /* LLMPerf */
	{"results_num_requests_started", "num_prompts"},
};

/* Numbers of the whole run: the last of several counts. */
static const struct {
	const char *key;
	size_t slot; /* offsetof() in the reader */
} totals[] = {
	{"results_num_completed_requests", offsetof(struct reader, summary.completed)},
	{"results_number_errors", offsetof(struct reader, summary.failed)},
	{"results_number_input_tokens_mean", offsetof(struct reader, summary.input_tokens)},
	{"results_number_output_tokens_mean", offsetof(struct reader, summary.output_tokens)},
	{"completed", offsetof(struct reader, summary.completed)},
	{"failed", offsetof(struct reader, summary.failed)},
	{"duration", offsetof(struct reader, summary.duration_s)},
	{"total_input_tokens", offsetof(struct reader, summary.total_input_tokens)},
	{"total_output_tokens", offsetof(struct reader, summary.total_output_tokens)},
	{"concurrency", offsetof(struct reader, summary.concurrency)}, /* SGLang */
	{"total_output_tokens_retokenized", offsetof(struct reader, summary.retokenized)},
	{"max_concurrent_requests", offsetof(struct reader, summary.peak_concurrency)},
	{"max_output_tokens_per_s", offsetof(struct reader, summary.peak_output_throughput)},
};

static const struct weir_client_row rates[] = {
	WEIR_CLIENT_NUMBER(request_throughput, "request_throughput"),
	WEIR_CLIENT_NUMBER(request_throughput, "requests_per_second"),
	WEIR_CLIENT_NUMBER(request_goodput, "request_goodput"),
	/* Older writers misspelt the key. */
	WEIR_CLIENT_NUMBER(request_goodput, "request_goodput:"),
	WEIR_CLIENT_NUMBER(input_throughput, "input_throughput"),
	WEIR_CLIENT_NUMBER(output_throughput, "output_throughput"),
	WEIR_CLIENT_NUMBER(total_throughput, "total_throughput"),
	WEIR_CLIENT_NUMBER(total_throughput, "total_token_throughput"),
	WEIR_CLIENT_NUMBER(total_throughput, "tokens_per_second"),
	WEIR_CLIENT_NUMBER(acceptance_rate, "spec_decode_acceptance_rate"),
	WEIR_CLIENT_NUMBER(acceptance_length, "spec_decode_acceptance_length"),
	WEIR_CLIENT_NUMBER(acceptance_length, "accept_length"), /* SGLang */
	WEIR_CLIENT_NUMBER(output_throughput, "results_mean_output_throughput_token_per_s"),
	WEIR_CLIENT_NUMBER(output_throughput_per_user,
                           "results_request_output_throughput_token_per_s_mean"),
	{"results_num_completed_requests_per_min", WEIR_CLIENT_SLOT(request_throughput), 1.0 / 60,
         false},
	{0},
};

/* The endings of keys of means and percentiles, and the stages that take their place. */
static const struct subject {
	const char *ending, *stage;
	size_t slot;
} subjects[] = {
	{"_ttft_ms", "ttft", WEIR_CLIENT_SLOT(ttft)},
	{"_tpot_ms", "tpot", WEIR_CLIENT_SLOT(tpot)},
	{"_itl_ms", "itl", WEIR_CLIENT_SLOT(itl)},
	{"_e2el_ms", "e2e", WEIR_CLIENT_SLOT(e2e)},
	{"_e2e_latency_ms", "e2e", WEIR_CLIENT_SLOT(e2e)},
	{"_latency_s", "latency", WEIR_CLIENT_SLOT(latency)}, /* `vllm bench latency` */
};

static double number_of(struct reader *reader, struct weir_slice text, uint64_t at)
{
	const struct weir_jsonleaf leaf = {.text = text};
	bool odd = false;
	double value = weir_jsonleaf_number(&leaf, &odd);

	if (odd)
		warn_odd(reader, at);
	return value;
}

static void take_label(struct reader *reader, const char *key, struct weir_slice text)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(text);
	struct weir_slice value = weir_jsoncursor_scalar(&cursor);

	/* One engine writes the text "inf", the other one the number. */
	if (weir_slice_equals(text, "Infinity"))
		value = weir_slice_of("inf");
	weir_figure_label(reader->run, key, value);
	/* The rate is a number, a number as text (--metadata), or "inf", which is not a rate. */
	if (strcmp(key, "request_rate") == 0 && value.length &&
	    !weir_parse_double(value.data, value.length, &reader->summary.requested_per_s))
		reader->summary.requested_per_s = NAN;
}

/* Takes the model from the arguments of the server, if no other member names it. */
static void take_server(struct reader *reader, const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_slice key;

	if (!weir_jsoncursor_enter(&cursor, '{'))
		return;
	while (weir_jsoncursor_key(&cursor, &key)) {
		bool quoted = weir_jsoncursor_peek(&cursor) == '"';
		struct weir_slice value = weir_jsoncursor_take(&cursor);

		if (quoted && weir_slice_equals(key, "model_path") &&
		    !weir_run_label(reader->run, "model"))
			weir_figure_label(reader->run, "model", value);
	}
}

/* True for "50", "99", "99.9". */
static bool is_rank(struct weir_slice text)
{
	double value;

	for (size_t i = 0; i < text.length; i++)
		if ((text.data[i] < '0' || text.data[i] > '9') && text.data[i] != '.')
			return false;
	return text.length && text.length < WEIR_CLIENT_PERCENTILE - 1 &&
	       weir_parse_double(text.data, text.length, &value) && value <= 100;
}

/* Takes "mean", "median", "p99.9" of a subject. These programs write 0 if they had nothing to take
 * a mean of. p50 is apart from the median because one file may have both, which may differ. */
static enum weir_status take_figure(struct reader *reader, size_t slot, struct weir_slice name,
                                    double ms, struct weir_error *err)
{
	struct weir_client_summary *summary = &reader->summary;
	bool is_new;

	if (slot == WEIR_CLIENT_SLOT(itl) && ms == 0 && weir_slice_equals(name, "mean"))
		reader->no_gaps = true;
	if (!(ms > 0))
		return WEIR_OK;
	if (weir_client_is_statistic(name) && !weir_slice_equals(name, "p50"))
		is_new = weir_client_summary_set_statistic(summary, slot, name, ms);
	else if (summary->other_count == WEIR_CLIENT_MAX_PERCENTILES)
		return weir_fail(err, WEIR_E_LIMIT, "more than %d percentiles",
		                 WEIR_CLIENT_MAX_PERCENTILES);
	else
		is_new = weir_client_summary_add_percentile(summary, slot, name, ms);
	if (!is_new)
		weir_input_warn(reader->input, WEIR_WARN_DUPLICATE, UINT64_MAX, NULL);
	return WEIR_OK;
}

/* Takes {"50": 0.15, "99": 0.2}, seconds. */
static enum weir_status take_latencies(struct reader *reader, const struct weir_jsonscan_item *item,
                                       struct weir_error *err)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_text name = {0};
	struct weir_slice key;
	enum weir_status status = WEIR_OK;

	if (!weir_jsoncursor_enter(&cursor, '{'))
		return WEIR_OK;
	while (!status && weir_jsoncursor_key(&cursor, &key)) {
		struct weir_slice value = weir_jsoncursor_take(&cursor);

		if (cursor.bad || !is_rank(key))
			continue;
		weir_text_clear(&name);
		weir_text_printf(&name, "p%.*s", (int)key.length, key.data);
		status = take_figure(reader, WEIR_CLIENT_SLOT(latency),
		                     (struct weir_slice){name.data, name.length},
		                     number_of(reader, value, item->at) * 1e3, err);
	}
	weir_text_release(&name);
	return status;
}

/* Finds the subject of "mean_ttft_ms", "median_itl_ms", "p99.9_e2el_ms" and its statistic. NULL for
 * other keys, and for a spread (std), which is neither better nor worse. */
static const struct subject *find_subject(struct weir_slice key, struct weir_slice *statistic)
{
	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
		size_t length = strlen(subjects[i].ending);

		*statistic = (struct weir_slice){key.data, key.length - length};
		if (key.length <= length ||
		    memcmp(key.data + statistic->length, subjects[i].ending, length) != 0)
			continue;
		if (weir_slice_equals(*statistic, "mean") ||
		    weir_slice_equals(*statistic, "median") ||
		    (*statistic->data == 'p' &&
		     is_rank((struct weir_slice){statistic->data + 1, statistic->length - 1})))
			return &subjects[i];
	}
	return NULL;
}

/* The times of LLMPerf, in seconds: "results_ttft_s_mean", "results_ttft_s_quantiles_p50". What it
 * calls the inter-token latency is the time of a request over its tokens, the first included. */
static const struct {
	const char *start;
	size_t slot;
} llmperf[] = {
	{"results_ttft_s_", WEIR_CLIENT_SLOT(ttft)},
	{"results_inter_token_latency_s_", WEIR_CLIENT_SLOT(ntpot)},
	{"results_end_to_end_latency_s_", WEIR_CLIENT_SLOT(e2e)},
};

static void take_llmperf(struct reader *reader, const struct weir_jsonscan_item *item)
{
	static const char quantiles[] = "quantiles_";

	weir_run_set_label(reader->run, WEIR_LOAD_BENCHMARK, "llmperf");
	for (size_t i = 0; i < sizeof llmperf / sizeof *llmperf; i++) {
		size_t length = strlen(llmperf[i].start);
		struct weir_slice name = {item->key.data + length, item->key.length - length};

		if (!weir_slice_starts(item->key, llmperf[i].start))
			continue;
		if (weir_slice_starts(name, quantiles))
			name = (struct weir_slice){name.data + sizeof quantiles - 1,
			                           name.length - (sizeof quantiles - 1)};
		if (weir_client_is_statistic(name))
			weir_client_summary_set_statistic(&reader->summary, llmperf[i].slot, name,
			                                  number_of(reader, item->text, item->at) *
			                                          1e3);
	}
}

/* Keeps any other text as a label: --metadata adds texts under any name. */
static void take_text(struct reader *reader, const struct weir_jsonscan_item *item)
{
	struct weir_text scratch = {0}, key = {0};
	struct weir_slice name = weir_jsoncursor_decode(item->key, &scratch, NULL);

	if (item->text.data[0] == '"' && name.length && name.length <= LABEL_KEY) {
		weir_text_add(&key, name.data, name.length);
		take_label(reader, key.data, item->text);
	}
	weir_text_release(&scratch);
	weir_text_release(&key);
}

static bool take_number(struct reader *reader, const struct weir_jsonscan_item *item)
{
	for (size_t i = 0; i < sizeof totals / sizeof *totals; i++)
		if (weir_slice_equals(item->key, totals[i].key)) {
			*(double *)(void *)((char *)reader + totals[i].slot) =
				number_of(reader, item->text, item->at);
			return true;
		}
	for (size_t i = 0; rates[i].path; i++)
		if (weir_slice_equals(item->key, rates[i].path)) {
			weir_client_summary_set(&reader->summary, rates[i].slot,
			                        number_of(reader, item->text, item->at) *
			                                rates[i].scale);
			return true;
		}
	return false;
}

static enum weir_status take_member(struct reader *reader, const struct weir_jsonscan_item *item,
                                    struct weir_error *err)
{
	struct weir_slice key = item->key, statistic;
	const struct subject *subject = find_subject(key, &statistic);
	enum weir_status status;

	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
		if (weir_slice_equals(key, labels[i].path)) {
			take_label(reader, labels[i].key, item->text);
			return WEIR_OK;
		}
	if (weir_bench_lists_take(&reader->lists, item, &status, err))
		return status;
	if (take_number(reader, item))
		return WEIR_OK;
	if (weir_slice_equals(key, "avg_latency"))
		weir_run_set_label(reader->run, WEIR_LOAD_BENCHMARK, WEIR_LOAD_VLLM_LATENCY);
	if (weir_slice_equals(key, "avg_latency"))
		return take_figure(reader, WEIR_CLIENT_SLOT(latency), weir_slice_of("mean"),
		                   number_of(reader, item->text, item->at) * 1e3, err);
	if (weir_slice_equals(key, "percentiles"))
		return take_latencies(reader, item, err);
	if (subject)
		return take_figure(reader, subject->slot, statistic,
		                   number_of(reader, item->text, item->at), err);
	if (weir_slice_equals(key, "server_info"))
		take_server(reader, item);
	else if (weir_slice_starts(key, "results_"))
		take_llmperf(reader, item);
	else
		take_text(reader, item);
	return WEIR_OK;
}

/* ---- the result ---- */

/* Returns the mean of a stage's samples in milliseconds, NAN without samples. */
static double sample_mean_ms(const struct weir_run *run, const char *stage)
{
	const struct weir_series *series = weir_series_find(&run->stages, stage);
	double sum = 0;

	for (size_t i = 0; series && i < series->count; i++)
		sum += series->value[i];
	return series ? sum / (double)series->count / 1e6 : NAN;
}

static uint64_t count_values(const struct weir_series_table *table)
{
	uint64_t count = 0;

	for (size_t i = 0; i < table->count; i++)
		count += table->items[i].count;
	return count;
}

static enum weir_status fail_without_timing(struct weir_error *err)
{
	return weir_fail(err, WEIR_E_FORMAT,
	                 "no timing in this result: expected ttfts, latencies, mean_ttft_ms, "
	                 "request_throughput or the like; write it with --save-result");
}

/* Computes the rate of requests, which results of SGLang of early 2025 do not state. */
static void complete_rate(struct reader *reader)
{
	struct weir_client_summary *summary = &reader->summary;

	if (isnan(summary->request_throughput) && summary->duration_s > 0)
		summary->request_throughput = summary->completed / summary->duration_s;
}

/* Returns the number of output tokens that the completed requests of SGLang's random data asked
 * for; NAN: not known. Lengths are drawn from RATIO * LENGTH to LENGTH. Their mean is expected of
 * many requests, the least length of few. */
static double asked_tokens(const struct weir_run *run, double completed)
{
	const char *dataset = weir_run_label(run, "dataset_name");
	double most = weir_figure_label_number(run, "random_output_len");
	double least = most * weir_figure_label_number(run, "random_range_ratio");

	if (!dataset || strncmp(dataset, "random", strlen("random")) != 0 || !(most > 0) ||
	    !(least >= 0 && least <= most))
		return NAN;
	return completed * (completed >= MANY_REQUESTS ? (least + most) / 2 : least);
}

/* Leaves out the time per token of answers that came in one piece: it is the rest of the request
 * after its only output, divided by its tokens. */
static void check_pieces(struct reader *reader)
{
	struct weir_client_summary *summary = &reader->summary;

	if (!reader->no_gaps || !(summary->tpot.mean > 0) || !(summary->output_tokens > 1) ||
	    weir_series_find(&reader->run->stages, "itl") ||
	    weir_series_find(&reader->run->stages, "tpot"))
		return;
	weir_client_summary_forget(summary, WEIR_CLIENT_SLOT(tpot));
	weir_input_warn(reader->input, WEIR_WARN_INCONSISTENT, UINT64_MAX,
	                "time per output token: answers came in one piece, with no time between "
	                "outputs");
}

static enum weir_status conclude(struct reader *reader, struct weir_error *err)
{
	struct weir_client_summary *summary = &reader->summary;
	struct weir_run *run = reader->run;
	enum weir_status status =
		weir_bench_lists_check(&reader->lists, summary->duration_s, summary, err);

	if (status)
		return status;
	weir_bench_lists_add(&reader->lists, run);
	if (!isnan(summary->total_output_tokens))
		summary->output_tokens = summary->total_output_tokens / summary->completed;
	summary->sampled_tpot = sample_mean_ms(run, "tpot");
	summary->sampled_e2e = sample_mean_ms(run, "e2e");
	summary->max_concurrency = weir_figure_label_number(run, "max_concurrency");
	summary->prompts = weir_figure_label_number(run, "num_prompts");
	summary->asked_tokens = asked_tokens(run, summary->completed);
	status = weir_client_summary_check(summary, reader->input, err);
	if (status)
		return status;
	complete_rate(reader);
	check_pieces(reader);
	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
		if (weir_series_find(&run->stages, subjects[i].stage))
			weir_client_summary_forget(summary, subjects[i].slot);
	weir_client_summary_add(summary, "", run);
	weir_client_summary_label_totals(summary, run);
	if (!run->stages.count && !run->metrics.count)
		return fail_without_timing(err);
	if (!weir_run_label(run, "backend") && weir_run_label(run, "endpoint_type"))
		weir_run_set_label(run, "backend", weir_run_label(run, "endpoint_type"));
	return WEIR_OK;
}

/* Ends the result that is being read, if there is one. A result without a completed request fails
 * only if the file has no other one. */
static enum weir_status end_result(struct reader *reader, struct weir_error *err)
{
	enum weir_status status;
	struct weir_run *run = reader->run;

	if (!run)
		return WEIR_OK;
	status = conclude(reader, err);
	reader->run = NULL;
	weir_bench_lists_release(&reader->lists);
	if (!status)
		return weir_load_join_add(&reader->join, run, err);
	weir_run_free(run);
	if (reader->summary.completed <= 0) {
		weir_load_join_skip(&reader->join, &reader->summary);
		*err = (struct weir_error){0};
		return WEIR_OK;
	}
	return reader->join.count ? weir_fail_in(err, "result %zu", reader->join.count + 1)
	                          : status;
}

static enum weir_status begin_result(struct reader *reader, struct weir_error *err)
{
	enum weir_status status = end_result(reader, err);

	if (status)
		return status;
	reader->run = weir_run_new();
	reader->no_gaps = false;
	reader->lists = (struct weir_bench_lists){.input = reader->input};
	weir_client_summary_init(&reader->summary);
	reader->summary.tpot_by_request = true;
	return WEIR_OK;
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct reader *reader = context;
	enum weir_status status;

	(void)scan;
	if (item->kind == WEIR_JSONSCAN_OBJECT)
		return begin_result(reader, err);
	if (item->kind != WEIR_JSONSCAN_MEMBER)
		return weir_bench_lists_take_gaps(&reader->lists, item, err);
	status = take_member(reader, item, err);
	return status ? weir_fail_in(err, "%.*s", (int)item->key.length, item->key.data) : WEIR_OK;
}

/* Gives the input the run of the results. */
static enum weir_status join_results(struct reader *reader, struct weir_error *err)
{
	struct weir_input *input = reader->input;
	enum weir_status status = end_result(reader, err);

	if (status)
		return status;
	if (!reader->join.count && !reader->join.empty)
		return fail_without_timing(err);
	status = weir_load_join_finish(&reader->join, input, err);
	if (status)
		return status;
	input->events = count_values(&input->run->stages) + count_values(&input->run->metrics);
	if (!input->run->stages.count)
		weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return WEIR_OK;
}

/* Reads one result, or several: one after another, as --append-result and SGLang write them, or a
 * list, as the summary.json of `vllm bench sweep` is. Refuses damage: a value
 * lost from one of the parallel lists would shift the others to the wrong requests. */
static enum weir_status read_result(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	static const char *const entered[] = {NULL};
	static const struct weir_jsonscan_options options = {.array = WEIR_BENCH_GAPS,
	                                                     .enter = entered};
	struct reader *reader = weir_alloc(sizeof(*reader));
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	enum weir_status status;

	reader->input = input;
	status = weir_jsonscan_each(scan, take_item, reader, err);
	if (!status)
		status = weir_wholejson_check(scan, source, err);
	if (!status)
		status = join_results(reader, err);
	weir_jsonscan_free(scan);
	weir_bench_lists_release(&reader->lists);
	weir_run_free(reader->run);
	weir_load_join_release(&reader->join);
	free(reader);
	return status;
}

/* ---- a result in the log of a job ---- */

#define LOG_BEGIN    "<<<RESULT_START>>>"
#define LOG_END      "<<<RESULT_END>>>"
#define MAX_LOG_SIZE ((size_t)256 << 20)

static enum weir_status read_text(struct weir_source *source, struct weir_text *log,
                                  struct weir_error *err)
{
	const char *data;
	size_t len;
	enum weir_status status;

	while (!(status = weir_source_next(source, &data, &len, err)) && len) {
		if (len > MAX_LOG_SIZE - log->length)
			return weir_fail(err, WEIR_E_LIMIT,
			                 "a log of more than %zu MiB: keep what is between %s "
			                 "and %s",
			                 MAX_LOG_SIZE >> 20, LOG_BEGIN, LOG_END);
		weir_text_add(log, data, len);
	}
	if (!status && weir_source_damage(source))
		return weir_fail(err, WEIR_E_FORMAT, "is damaged: %s", weir_source_damage(source));
	return status;
}

/* Adds the results between markers to a text, one after another. Fails without a result, or if one
 * lacks its end. */
static enum weir_status find_results(struct weir_slice log, struct weir_text *results,
                                     struct weir_error *err)
{
	const char *end = log.data + log.length;
	const char *begin, *close;

	while ((begin = weir_slice_find(log, LOG_BEGIN))) {
		begin += strlen(LOG_BEGIN);
		log = (struct weir_slice){begin, (size_t)(end - begin)};
		close = weir_slice_find(log, LOG_END);
		if (!close)
			return weir_fail(
				err, WEIR_E_FORMAT,
				"the result in it ends in the middle: there is no " LOG_END);
		weir_text_add(results, begin, (size_t)(close - begin));
		weir_text_puts(results, "\n");
		log = (struct weir_slice){close, (size_t)(end - close)};
	}
	if (!results->length)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "expected a JSON object, or one between " LOG_BEGIN " and " LOG_END
		                 " in a log");
	return WEIR_OK;
}

static enum weir_status read_log(struct weir_source *source, struct weir_input *input,
                                 struct weir_error *err)
{
	struct weir_source *inner = NULL;
	struct weir_text log = {0}, results = {0};
	enum weir_status status = read_text(source, &log, err);

	if (!status)
		status = find_results((struct weir_slice){log.data ? log.data : "", log.length},
		                      &results, err);
	if (!status)
		status = weir_source_open_memory(weir_source_name(source), results.data,
		                                 results.length, &inner, err);
	if (!status)
		status = read_result(inner, input, err);
	weir_source_free(inner);
	weir_text_release(&log);
	weir_text_release(&results);
	return status;
}

/* ---- the reader ---- */

#define RESULTS 6 /* the first marks */

/* The kinds of results; a log with a result; a file beside results that is not read. */
static const struct weir_mark marks[] = {
	{.first = "{[",
         .keys = {{"completed", "request_throughput", "total_input_tokens", "output_throughput",
                   "mean_ttft_ms"},
                  .all = 2}},
	/* SGLang of early 2025 states no rate of requests and no mean time to first token. */
	{.first = "{[",
         .keys = {{"completed", "total_input_tokens", "total_output_tokens", "output_throughput",
                   "median_ttft_ms", "median_itl_ms", "mean_e2e_latency_ms"},
                  .all = 4,
                  .any = 3}},
	{.first = "{[", .keys = {{"avg_latency", "latencies", "percentiles"}, .all = 2}},
	{.first = "{[",
         .keys = {{"elapsed_time", "requests_per_second", "num_requests", "total_num_tokens",
                   "tokens_per_second"},
                  .all = 2}},
	/* Scripts keep the times alone. */
	{.first = "{[",
         .keys = {{"mean_ttft_ms", "median_ttft_ms", "mean_tpot_ms", "mean_itl_ms", "p99_ttft_ms"},
                  .all = 2,
                  .any = 3}},
	/* LLMPerf's summary. */
	{.first = "{[",
         .keys = {{"results_ttft_s_mean", "results_ttft_s_quantiles_p50",
                   "results_end_to_end_latency_s_mean", "results_inter_token_latency_s_mean"},
                  .any = 4}},
	{.first = "", .texts = {{LOG_BEGIN}, .all = 1}},
	{.first = "{[",
         .keys = {{"benchmark", "model", "metric"}, .all = 3},
         .refusal = "it is a list for the dashboard of a benchmark (*.pytorch.json): pass the "
                    "result beside it"},
	{0},
};

static bool is_result(const char *head, size_t len)
{
	for (size_t i = 0; i < RESULTS; i++)
		if (weir_mark_bits(&marks[i], head, len))
			return true;
	return false;
}

/* Describes a file that holds the arguments of a benchmark and no word of a result. */
static const char *refuse_arguments(const char *head, size_t len)
{
	static const struct weir_mark arguments = {
		.first = "{",
		.keys = {{"backend", "dataset_name", "host_port", "endpoint", "num_prompts",
	                  "request_rate", "request_distribution", "input_token_distribution"},
	                 .all = 2,
	                 .any = 6},
	};
	static const char *const results[] = {"throughput", "latency", "latencies", "duration",
	                                      "ttft",       "_time",   "completed", "per_s",
	                                      "_ms",        "tpot",    "elapsed",   "timestamp"};

	if (!weir_mark_bits(&arguments, head, len))
		return NULL;
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++)
		if (weir_sniff_contains(head, len, results[i]))
			return NULL;
	return "it holds the arguments of a benchmark and no result: pass the file that the "
	       "benchmark writes at its end (vllm bench serve --save-result)";
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
	if (is_result(head, len) ||
	    ((first == '{' || first == '[') && !weir_sniff_contains(head, len, LOG_BEGIN)))
		return read_result(source, input, err);
	return read_log(source, input, err);
}

const struct weir_reader weir_reader_bench = {
	.name = "bench",
	.title = "results of serving benchmarks (vLLM, SGLang, LLMPerf), also inside a log",
	.gives = "native run",
	.tool = "a serving benchmark",
	.whole_run = true,
	.marks = marks,
	.refuse = refuse_arguments,
	.read = read_bench,
};
