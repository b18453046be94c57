/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of SGLang's bench_one_batch (bench_latency before 2025), which runs the prefill and
 * the decode steps of one batch without a server. It prints, anywhere in a log:
 *
 *	Warmup ...
 *	Prefill. latency: 0.37 s, throughput:  21943.23 token/s
 *	...
 *	Benchmark ...
 *	Prefill. latency: 0.25 s, throughput:  32671.13 token/s
 *	Decode 0. Batch size: 32, latency: 0.010 s, throughput:   3151.69 token/s
 *	Decode.  median latency: 0.0097 s, median throughput:   3289.81 token/s
 *	Total. latency:  0.553 s, throughput:  16665.96 token/s
 *
 * or writes the same numbers as JSON lines (--result-filename). The result in front of "Benchmark
 * ..." is the warm-up: its times are labels. The throughput of the total counts input and output.
 * Several results become one run with their conditions or numbers in the names (load_join.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/readers/loadgen/load_join.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/records.h"
#include "engine/readers/parts/scan.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define PREFILL "Prefill. latency:"
#define MEDIAN  "Decode.  median latency:"
#define TOTAL   "Total. latency:"

static const struct weir_mark marks[] = {
	{.first = "", .texts = {{PREFILL, TOTAL, " token/s", "Benchmark ...", MEDIAN}, .all = 3}},
	{.first = "{[",
         .keys = {{"prefill_latency", "prefill_throughput", "total_latency", "overall_throughput",
                   "median_decode_latency", "batch_size"},
                  .all = 4}},
	{0},
};

struct log {
	struct weir_input *input;
	struct weir_run *command; /* labels of the last command line; owned */
	struct weir_run *run;     /* of the result that is being read or comes next; owned */
	struct weir_run *ended;   /* the last result, which may be a warm-up; NULL: none; owned */
	struct weir_run *warm_up; /* the last warm-up; NULL: none; owned */
	size_t warm_ups;
	bool warming;   /* the warm-up began, and the benchmark did not */
	bool continues; /* the command line goes on in the next line */
	struct weir_load_join join;
};

/* ---- conditions ---- */

/* Options of the command and their labels. argparse accepts the beginnings of names. */
static const struct {
	const char *option, *label;
} options[] = {
	{"--model-path", "model"},          {"--model", "model"},
	{"--batch-size", "batch_size"},     {"--batch", "batch_size"},
	{"--input-len", "input_len"},       {"--input", "input_len"},
	{"--output-len", "output_len"},     {"--output", "output_len"},
	{"--tp-size", "tp_size"},           {"--tp", "tp_size"},
	{"--quantization", "quantization"}, {"--dtype", "dtype"},
};

static const char *label_of(struct weir_slice option)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (weir_slice_equals(option, options[i].option))
			return options[i].label;
	return NULL;
}

/* True for a word that ends the values of the option before it. */
static bool ends_values(struct weir_slice word)
{
	static const char *const starts[] = {"--", "\\", "|", ">", "2>", "&"};

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (weir_slice_starts(word, starts[i]))
			return true;
	return false;
}

/* Takes the values of an option off the line. Returns the first one, and their number. */
static struct weir_slice take_values(struct weir_slice *line, size_t *count)
{
	struct weir_slice first = {"", 0}, rest = *line, word;

	*count = 0;
	while (weir_scan_word(&rest, &word) && !ends_values(word)) {
		if ((*count)++ == 0)
			first = word;
		*line = rest;
	}
	return first;
}

/* Takes the options of a command with one value each. Several values, such as "--batch-size 1 8",
 * are of several results. */
static void take_options(struct log *log, struct weir_slice line)
{
	struct weir_slice option;

	while (weir_scan_word(&line, &option)) {
		const char *equals = memchr(option.data, '=', option.length);
		struct weir_slice value = {"", 0};
		const char *label;
		size_t count = 1;

		if (!weir_slice_starts(option, "--"))
			continue;
		if (equals) {
			size_t length = (size_t)(equals - option.data);

			value = (struct weir_slice){equals + 1, option.length - length - 1};
			option.length = length;
		} else {
			value = take_values(&line, &count);
		}
		label = label_of(option);
		if (label && count == 1)
			weir_figure_label(log->command, label, value);
	}
}

/* Takes a line of the command that starts the benchmark. */
static void take_command(struct log *log, struct weir_slice line)
{
	bool starts = weir_slice_holds(line, "bench_one_batch") ||
	              weir_slice_holds(line, "bench_latency");

	if (starts && !log->continues) {
		weir_run_free(log->command);
		log->command = weir_run_new();
	}
	if (starts || log->continues)
		take_options(log, line);
	log->continues = (starts || log->continues) && weir_slice_ends(line, "\\");
}

/* ---- results ---- */

/* Adds a latency in seconds and a throughput to the result. */
static void add_times(struct weir_run *run, const char *latency, double s, const char *throughput,
                      double rate)
{
	if (s > 0)
		weir_figure_add(run, latency, "ms", false, s * 1e3);
	if (rate > 0)
		weir_figure_add(run, throughput, "tokens/s", true, rate);
}

static void take_labels(struct weir_run *to, const struct weir_run *from)
{
	for (size_t i = 0; i < from->label_count; i++)
		if (!weir_run_label(to, from->labels[i].key))
			weir_run_set_label(to, from->labels[i].key, from->labels[i].value);
}

/* Makes the last result the warm-up. */
static void begin_benchmark(struct log *log)
{
	log->warming = false;
	if (!log->ended)
		return;
	weir_run_free(log->warm_up);
	log->warm_up = log->ended;
	log->ended = NULL;
	log->warm_ups++;
}

/* Adds the last result. A result of the warm-up is the warm-up, also where the line that begins
 * the benchmark is missing. */
static enum weir_status add_ended(struct log *log, struct weir_error *err)
{
	struct weir_run *run;

	if (log->warming && log->ended)
		begin_benchmark(log);
	run = log->ended;
	log->ended = NULL;
	if (!run)
		return WEIR_OK;
	return weir_load_join_add(&log->join, run, err);
}

/* Begins a result; one before it without a total is left out. */
static enum weir_status begin_result(struct log *log, uint64_t at, struct weir_error *err)
{
	if (log->run->metrics.count) {
		weir_input_warn(log->input, WEIR_WARN_SKIPPED_EVENT, at,
		                "a result without its total");
		weir_run_free(log->run);
		log->run = weir_run_new();
	}
	return add_ended(log, err);
}

/* Ends the result at its total. The one before it is added, also if this one lacks its first line.
 */
static enum weir_status end_result(struct log *log, struct weir_error *err)
{
	enum weir_status status = add_ended(log, err);

	take_labels(log->run, log->command);
	log->ended = log->run;
	log->run = weir_run_new();
	return status;
}

/* ---- lines ---- */

/* Takes a number off the text. */
static bool take_number(struct weir_slice *rest, double *value)
{
	struct weir_slice word;

	if (!weir_scan_word(rest, &word))
		return false;
	if (weir_slice_ends(word, ","))
		word.length--;
	return weir_parse_double(word.data, word.length, value) && isfinite(*value) && *value > 0;
}

/* Takes "0.25 s, throughput:  32671.13 token/s" behind a mark. Returns false without the mark or
 * with other texts behind it. */
static bool take_times(struct weir_slice line, const char *mark, double *s, double *rate)
{
	struct weir_slice rest;

	return weir_scan_behind(line, mark, &rest) && take_number(&rest, s) &&
	       weir_slice_starts(rest, " s,") && weir_scan_behind(rest, "throughput:", &rest) &&
	       take_number(&rest, rate) && weir_slice_starts(rest, " token/s");
}

/* Takes the size of the batch in a line of a decode step. */
static void take_step(struct log *log, struct weir_slice line)
{
	struct weir_slice rest, word;

	if (!weir_slice_starts(line, "Decode ") ||
	    !weir_scan_behind(line, ". Batch size: ", &rest) || !weir_scan_word(&rest, &word) ||
	    !weir_slice_ends(word, ","))
		return;
	word.length--;
	weir_figure_label(log->run, "batch_size", word);
}

static enum weir_status take_line(struct log *log, const struct weir_csv_row *row,
                                  struct weir_error *err)
{
	struct weir_slice line = weir_slice_trim(row->line);
	enum weir_status status = WEIR_OK;
	double s, rate;

	take_command(log, line);
	take_step(log, line);
	if (weir_slice_ends(line, "Warmup ...")) {
		status = begin_result(log, row->at, err);
		log->warming = true;
	} else if (weir_slice_ends(line, "Benchmark ...")) {
		begin_benchmark(log);
	} else if (take_times(line, PREFILL, &s, &rate)) {
		status = begin_result(log, row->at, err);
		add_times(log->run, "prefill_latency_ms", s, "prefill_throughput", rate);
	} else if (take_times(line, MEDIAN, &s, &rate)) {
		add_times(log->run, "median_decode_latency_ms", s, "median_decode_throughput",
		          rate);
	} else if (take_times(line, TOTAL, &s, &rate) && log->run->metrics.count) {
		add_times(log->run, "total_latency_ms", s, "total_token_throughput", rate);
		status = end_result(log, err);
	}
	return status;
}

static enum weir_status read_lines(struct log *log, struct weir_source *source,
                                   struct weir_error *err)
{
	static const struct weir_csv_options lines = {.separator = '\n'};
	struct weir_csv *csv = weir_csv_new(source, &lines);
	const struct weir_csv_row *row;
	uint64_t at = 0;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		at = row->at;
		status = take_line(log, row, err);
		if (status)
			break;
	}
	weir_csv_free(csv);
	weir_damage_of_source(log->input, source);
	if (status)
		return status;
	return begin_result(log, at, err);
}

/* ---- JSON ---- */

/* Members of a result. Times are in seconds. */
static const struct {
	const char *key, *figure, *unit;
	double scale;
} members[] = {
	{"prefill_latency", "prefill_latency_ms", "ms", 1e3},
	{"prefill_throughput", "prefill_throughput", "tokens/s", 1},
	{"median_decode_latency", "median_decode_latency_ms", "ms", 1e3},
	{"median_decode_throughput", "median_decode_throughput", "tokens/s", 1},
	{"total_latency", "total_latency_ms", "ms", 1e3},
	{"overall_throughput", "total_token_throughput", "tokens/s", 1},
};

static const char *const conditions[] = {"run_name", "batch_size", "input_len", "output_len"};

static void take_member(struct log *log, struct weir_slice key, struct weir_slice value,
                        uint64_t at)
{
	double number;

	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
		if (weir_slice_equals(key, conditions[i]))
			weir_figure_label(log->run, conditions[i], value);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		if (!weir_slice_equals(key, members[i].key))
			continue;
		if (weir_parse_double(value.data, value.length, &number) && isfinite(number) &&
		    number > 0)
			weir_figure_add(log->run, members[i].figure, members[i].unit,
			                members[i].unit[0] == 't', number * members[i].scale);
		else
			weir_input_warn(log->input, WEIR_WARN_BAD_NUMBER, at, members[i].key);
	}
}

static void take_members(struct log *log, struct weir_jsoncursor *cursor, uint64_t at)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		char first = weir_jsoncursor_peek(cursor);

		if (first == '[' || first == '{')
			weir_jsoncursor_take(cursor);
		else
			take_member(log, key, weir_jsoncursor_scalar(cursor), at);
	}
}

static enum weir_status read_json(struct log *log, struct weir_source *source,
                                  struct weir_error *err)
{
	struct weir_records *records;
	struct weir_record record;
	enum weir_status status = weir_records_new(source, log->input, &records, err);

	if (status)
		return status;
	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
		struct weir_jsoncursor cursor = weir_jsoncursor_on(record.text);

		take_members(log, &cursor, record.at);
		weir_records_done(records, &cursor);
		if (!cursor.bad && log->run->metrics.count) {
			status = weir_load_join_add(&log->join, log->run, err);
		} else {
			weir_run_free(log->run);
		}
		log->run = weir_run_new();
		if (status)
			break;
	}
	if (!status)
		weir_records_finish(records);
	weir_records_free(records);
	return status;
}

/* ---- the reader ---- */

/* Labels the run with the times of its warm-up, if there was one. */
static void label_warm_up(const struct log *log)
{
	static const char *const figures[] = {"prefill_latency_ms", "median_decode_latency_ms",
	                                      "total_latency_ms"};
	char key[64], value[32];

	for (size_t i = 0; log->warm_ups == 1 && i < sizeof(figures) / sizeof(figures[0]); i++) {
		const struct weir_series *series =
			weir_series_find(&log->warm_up->metrics, figures[i]);

		if (!series)
			continue;
		snprintf(key, sizeof(key), "warmup_%s", figures[i]);
		snprintf(value, sizeof(value), "%.9g", series->value[0]);
		weir_run_set_label(log->input->run, key, value);
	}
}

static enum weir_status conclude(struct log *log, struct weir_error *err)
{
	enum weir_status status;

	if (!log->join.count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no result of bench_one_batch%s: expected the lines \"" PREFILL
		                 "\" and \"" TOTAL "\" behind \"Benchmark ...\"; did it end early?",
		                 log->warm_ups ? " but that of the warm-up" : "");
	weir_load_join_number(&log->join);
	status = weir_load_join_finish_figures(&log->join, log->input, err);
	if (!status)
		label_warm_up(log);
	return status;
}

static enum weir_status read_one_batch(struct weir_source *source, struct weir_input *input,
                                       struct weir_error *err)
{
	struct log log = {.input = input, .run = weir_run_new(), .command = weir_run_new()};
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (!status)
		status = weir_sniff_is_json(head, len) ? read_json(&log, source, err)
		                                       : read_lines(&log, source, err);
	if (!status)
		status = conclude(&log, err);
	weir_run_free(log.run);
	weir_run_free(log.command);
	weir_run_free(log.ended);
	weir_run_free(log.warm_up);
	weir_load_join_release(&log.join);
	return status;
}

const struct weir_reader weir_reader_one_batch = {
	.name = "sglang-one-batch",
	.title = "results of SGLang's bench_one_batch and bench_latency: console log, JSON lines",
	.gives = "native run",
	.tool = "SGLang's bench_one_batch",
	.whole_run = true,
	.marks = marks,
	.read = read_one_batch,
};
