/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of JMH, the benchmark harness for Java: JSON (-rf json), and the table that it
 * prints at its end, anywhere in a log:
 *
 *	Benchmark        (size)   Mode  Cnt    Score   Error   Units
 *	Codec.decode         16  thrpt   25  123.456 ± 1.234  ops/us
 *	Codec.encode         16   avgt   25    0.456 ± 0.012   ms/op
 *
 * JSON has the score of each iteration, a sample. Its forks are processes: if all benchmarks have
 * as many, more than one, each fork is a repeat of the run. Scores of the mode thrpt are rates,
 * "ops/us", which are better if higher, and metrics. Scores of the other modes are times of an
 * operation, "ms/op": stages or, if there are few, their median. The table has the mean over all
 * iterations, a figure.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/benchmark/benchmark.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_FORKS 1000u
#define PER_OP    "/op"
#define RATE      "ops/"
#define PLUS      "\xc2\xb1" /* the sign plus-minus in UTF-8 */

static const struct weir_mark marks[] = {
	{.first = "[", .keys = {{"jmhVersion", "benchmark", "mode", "primaryMetric"}, .all = 3}},
	{.first = "[", .keys = {{"benchmark", "mode", "primaryMetric", "forks"}, .all = 4}},
	{.first = "", .texts = {{"\nBenchmark ", " Mode ", " Score ", " Units\n"}, .all = 4}},
	{.first = "B", .texts = {{"Benchmark ", " Mode ", " Score ", " Units\n"}, .all = 4}},
	{.first = "",
         .texts = {{"\"Benchmark\",\"Mode\",\"Threads\",\"Samples\",\"Score\""}, .all = 1},
         .refusal = "it is a table of JMH (-rf csv) without the scores of its iterations: run it "
                    "with -rf json and pass that file"},
	{0},
};

/* ---- units ---- */

/* A unit of scores. */
struct unit {
	double ns; /* of a time of an operation; 0: it is no time */
	bool rate; /* operations per time */
	struct weir_slice text;
};

/* Parses "ms/op" and "ops/ms"; false for other units. */
static bool parse_unit(struct weir_slice text, struct unit *unit)
{
	struct weir_slice part = text;

	*unit = (struct unit){.text = text};
	unit->rate = weir_slice_take(&part, RATE);
	if (unit->rate)
		return weir_benchmark_unit_ns(part) > 0 || weir_slice_equals(part, "min");
	if (!weir_slice_ends(part, PER_OP))
		return false;
	part.length -= sizeof PER_OP - 1;
	unit->ns = weir_benchmark_unit_ns(part);
	if (weir_slice_equals(part, "min"))
		unit->ns = 60e9;
	return unit->ns > 0;
}

static bool is_possible(struct weir_input *input, double value)
{
	if (isfinite(value) && value > 0)
		return true;
	weir_input_warn(input, WEIR_WARN_BAD_NUMBER, UINT64_MAX, NULL);
	return false;
}

/* Adds a rate to a series of metrics. */
static void push_rate(struct weir_series *series, const struct unit *unit, double value)
{
	struct weir_text text = {0};

	if (!series->unit) {
		weir_text_add(&text, unit->text.data, unit->text.length);
		series->unit = weir_alloc_text(text.data);
		weir_text_release(&text);
	}
	series->higher_is_better = true;
	weir_series_push(series, value);
}

/* ---- JSON ---- */

struct document {
	struct weir_input *input;
	size_t samples;        /* of the file */
	size_t results, forks; /* number of forks of the first result */
	bool even;             /* all results have as many forks */
};

/* The scores of a benchmark: of all forks, and of the one that is being read. */
struct scores {
	const char *name;
	struct unit unit;
	struct weir_series *all, *fork;
};

static enum weir_status push(struct document *document, struct scores *scores, double value,
                             struct weir_error *err)
{
	struct weir_series *targets[] = {scores->all, scores->fork};

	if (document->samples++ >= WEIR_BENCHMARK_MAX_SAMPLES)
		return weir_fail(err, WEIR_E_LIMIT, "more than %u samples: write several files",
		                 WEIR_BENCHMARK_MAX_SAMPLES);
	if (!is_possible(document->input, value))
		return WEIR_OK;
	for (size_t i = 0; i < 2; i++) {
		if (!targets[i])
			continue;
		if (scores->unit.rate)
			push_rate(targets[i], &scores->unit, value);
		else
			weir_series_push(targets[i], value * scores->unit.ns);
	}
	return WEIR_OK;
}

/* Adds the scores of an iteration: a number or, in the mode sample, a list of times and how often
 * each was met. */
static enum weir_status take_iteration(struct document *document, struct scores *scores,
                                       const cJSON *iteration, struct weir_error *err)
{
	const cJSON *bin;
	enum weir_status status = WEIR_OK;

	if (cJSON_IsNumber(iteration))
		return push(document, scores, iteration->valuedouble, err);
	if (!cJSON_IsArray(iteration))
		return weir_fail(err, WEIR_E_FORMAT, "expected a score");
	cJSON_ArrayForEach (bin, iteration) {
		const cJSON *value = cJSON_IsArray(bin) ? bin->child : NULL;
		const cJSON *times = value ? value->next : NULL;

		if (!value || !times || !cJSON_IsNumber(value) || !cJSON_IsNumber(times) ||
		    !(times->valuedouble >= 0) || times->valuedouble > WEIR_BENCHMARK_MAX_SAMPLES)
			return weir_fail(err, WEIR_E_FORMAT,
			                 "expected a time and how often it was met");
		for (double i = 1; !status && i <= times->valuedouble; i++)
			status = push(document, scores, value->valuedouble, err);
		if (status)
			return status;
	}
	return WEIR_OK;
}

static struct weir_series_table *table_of(struct weir_run *run, const struct unit *unit)
{
	return unit->rate ? &run->metrics : &run->stages;
}

static enum weir_status take_forks(struct document *document, struct scores *scores,
                                   const cJSON *forks, struct weir_error *err)
{
	struct weir_run **at = &document->input->repeats;
	const cJSON *fork, *iteration;
	size_t number = 0;

	cJSON_ArrayForEach (fork, forks) {
		struct weir_run *run;
		enum weir_status status;

		if (number == MAX_FORKS)
			return weir_fail(err, WEIR_E_LIMIT, "more than %u forks", MAX_FORKS);
		if (!cJSON_IsArray(fork))
			return weir_fail(err, WEIR_E_FORMAT,
			                 "expected the scores of a fork as a list");
		run = weir_benchmark_run_at(at, ++number);
		status = weir_benchmark_add(table_of(run, &scores->unit), scores->name,
		                            &scores->fork, err);
		cJSON_ArrayForEach (iteration, fork)
			if (!status)
				status = take_iteration(document, scores, iteration, err);
		if (status)
			return status;
		at = &run->next;
	}
	document->even &= document->results == 0 || number == document->forks;
	document->forks = number;
	return WEIR_OK;
}

/* Adds the score of a result without its iterations. */
static enum weir_status take_score(struct document *document, struct scores *scores,
                                   const cJSON *metric, struct weir_error *err)
{
	double score;

	document->even = false;
	if (weir_json_number(metric, "score", &score, err))
		return err->status;
	return push(document, scores, score, err);
}

static enum weir_status take_metric(struct document *document, struct scores *scores,
                                    const cJSON *metric, struct weir_error *err)
{
	const cJSON *forks;
	const char *unit;

	if (weir_json_text(metric, "scoreUnit", &unit, err))
		return err->status;
	if (!unit || !parse_unit(weir_slice_of(unit), &scores->unit))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "scoreUnit: expected a unit such as ops/s or ms/op, not \"%.40s\"",
		                 unit ? unit : "");
	if (weir_json_array(metric, "rawData", &forks, err) ||
	    (!forks && weir_json_array(metric, "rawDataHistogram", &forks, err)) ||
	    weir_benchmark_add(table_of(document->input->run, &scores->unit), scores->name,
	                       &scores->all, err))
		return err->status;
	return forks && forks->child ? take_forks(document, scores, forks, err)
	                             : take_score(document, scores, metric, err);
}

/* Adds a result. Its name has the parameters and the mode, which distinguish results of one
 * benchmark. */
static enum weir_status take_result(struct document *document, const cJSON *entry,
                                    struct weir_error *err)
{
	const cJSON *params = cJSON_GetObjectItemCaseSensitive(entry, "params"), *param, *metric;
	const char *benchmark, *mode;
	struct scores scores = {0};
	struct weir_text name = {0};
	enum weir_status status;

	if (weir_json_text(entry, "benchmark", &benchmark, err) ||
	    weir_json_text(entry, "mode", &mode, err) ||
	    weir_json_object(entry, "primaryMetric", &metric, err))
		return err->status;
	if (!benchmark || !mode || !metric)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "expected the members benchmark, mode and primaryMetric");
	weir_text_puts(&name, benchmark);
	cJSON_ArrayForEach (param, params)
		if (cJSON_IsString(param))
			weir_text_printf(&name, ":%s=%s", param->string, param->valuestring);
	weir_text_printf(&name, "/%s", mode);
	scores.name = name.data;
	status = take_metric(document, &scores, metric, err);
	weir_text_release(&name);
	document->results++;
	return status ? weir_fail_in(err, "primaryMetric") : WEIR_OK;
}

static void label(struct weir_run *run, const cJSON *result)
{
	weir_benchmark_label(run, "jmh", result, "jmhVersion");
	weir_benchmark_label(run, "jvm", result, "vmName");
	weir_benchmark_label(run, "jdk", result, "jdkVersion");
}

/* Keeps the forks if each of them has all benchmarks. */
static enum weir_status settle_forks(struct document *document, const cJSON *first,
                                     struct weir_error *err)
{
	struct weir_run *forks = document->input->repeats;
	enum weir_status status = WEIR_OK;

	if (!document->even || document->forks < 2) {
		weir_run_free(forks);
		document->input->repeats = NULL;
		return WEIR_OK;
	}
	for (struct weir_run *run = forks; !status && run; run = run->next) {
		label(run, first);
		status = weir_benchmark_replace_few(document->input, run, err);
	}
	return status;
}

static enum weir_status read_results(struct weir_input *input, const cJSON *list,
                                     struct weir_error *err)
{
	struct document document = {.input = input, .even = true};
	const cJSON *entry;
	size_t at = 0;

	cJSON_ArrayForEach (entry, list) {
		enum weir_status status =
			cJSON_IsObject(entry) ? take_result(&document, entry, err)
					      : weir_fail(err, WEIR_E_FORMAT, "expected an object");

		if (status)
			return weir_fail_in(err, "[%zu]", at);
		at++;
	}
	label(input->run, list->child);
	return settle_forks(&document, list->child, err);
}

static enum weir_status read_json(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status = weir_json_read(source, &document, err);

	if (!status)
		status = read_results(input, document, err);
	cJSON_Delete(document);
	return status;
}

/* ---- the table ---- */

/* A line of the table. NAN: not stated. */
struct line {
	struct weir_slice name; /* with its parameters; blanks between them */
	struct weir_slice mode;
	struct unit unit;
	double score, error;
};

/* Parses a number with a point or, as some locales have it, a comma. JMH does not group digits. */
static bool parse_number(struct weir_slice text, double *value)
{
	char digits[64];

	if (!text.length || text.length >= sizeof digits)
		return false;
	for (size_t i = 0; i < text.length; i++)
		digits[i] = (char)(text.data[i] == ',' ? '.' : text.data[i]);
	return weir_parse_double(digits, text.length, value) && isfinite(*value) && *value >= 0;
}

static bool is_mode(struct weir_slice word)
{
	static const char *const modes[] = {"thrpt", "avgt", "sample", "ss"};

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (weir_slice_equals(word, modes[i]))
			return true;
	return false;
}

/* Parses a row: name, parameters, mode, [count], score, [error], unit. False for a score too
 * small for its digits, which JMH rounds to a power of ten. */
static bool parse_row(const struct weir_csv_row *row, struct line *line)
{
	size_t mode = row->count, last = row->count - 1, score;
	int64_t count;

	while (mode > 0 && !is_mode(row->cells[mode - 1]))
		mode--;
	if (mode < 2 || mode >= last || !parse_unit(row->cells[last], &line->unit))
		return false;
	line->mode = row->cells[mode - 1];
	line->name = row->cells[0];
	line->name.length = (size_t)(row->cells[mode - 2].data + row->cells[mode - 2].length -
	                             row->cells[0].data);
	score = mode;
	if (score + 1 < last && !weir_slice_equals(row->cells[score + 1], PLUS) &&
	    weir_parse_i64(row->cells[score].data, row->cells[score].length, &count))
		score++;
	line->error = NAN;
	if (score + 2 < last && weir_slice_equals(row->cells[score + 1], PLUS) &&
	    !parse_number(row->cells[score + 2], &line->error))
		line->error = NAN;
	return parse_number(row->cells[score], &line->score) && line->score > 0;
}

static enum weir_status add_line(struct weir_input *input, const struct line *line,
                                 struct weir_error *err)
{
	struct weir_series *series;
	struct weir_text name = {0};
	bool was_word = false;
	enum weir_status status;

	for (size_t i = 0; i < line->name.length; i++) {
		bool blank = line->name.data[i] == ' ' || line->name.data[i] == '\t';

		if (!blank)
			weir_text_add(&name, line->name.data + i, 1);
		else if (was_word)
			weir_text_puts(&name, ":");
		was_word = !blank;
	}
	weir_text_puts(&name, "/");
	weir_text_add(&name, line->mode.data, line->mode.length);
	if (memchr(name.data, '\0', name.length))
		status = weir_fail(err, WEIR_E_FORMAT, "a name with a zero byte");
	else if (!line->unit.rate)
		status = weir_benchmark_figure(input, name.data, line->score * line->unit.ns, err);
	else
		status = weir_benchmark_add(&input->run->metrics, name.data, &series, err);
	if (!status && line->unit.rate)
		push_rate(series, &line->unit, line->score);
	if (!status)
		weir_benchmark_statistic(input, name.data, line->unit.rate ? "error" : "error_ns",
		                         line->unit.rate ? line->error
		                                         : line->error * line->unit.ns);
	weir_text_release(&name);
	return status;
}

static bool is_header(const struct weir_csv_row *row)
{
	return row->count >= 4 && weir_slice_equals(row->cells[0], "Benchmark") &&
	       weir_slice_equals(row->cells[row->count - 1], "Units");
}

static enum weir_status read_table(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	static const struct weir_csv_options options = {.separator = ' '};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	bool in_table = false;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		struct line line = {.score = NAN};

		in_table = row->count && (in_table || is_header(row));
		if (!in_table || is_header(row))
			continue;
		if (row->cut && !weir_slice_ends(row->line, PER_OP)) {
			weir_input_warn(input, WEIR_WARN_TRUNCATED, row->at, NULL);
		} else if (!parse_row(row, &line)) {
			weir_input_warn(input, WEIR_WARN_BAD_NUMBER, row->at, NULL);
		} else if (add_line(input, &line, err)) {
			status = weir_fail_in(err, "line %llu", (unsigned long long)row->number);
			break;
		}
	}
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	return status;
}

/* ---- the reader ---- */

static enum weir_status read(struct weir_source *source, struct weir_input *input,
                             struct weir_error *err)
{
	char first;
	enum weir_status status = weir_sniff_source(source, &first, err);

	input->run = weir_run_new();
	if (!status && first == '[')
		status = read_json(source, input, err);
	else if (!status)
		status = read_table(source, input, err);
	if (!status)
		status = weir_benchmark_replace_few(input, input->run, err);
	return status ? status : weir_benchmark_finish(input, err);
}

const struct weir_reader weir_reader_jmh = {
	.name = "jmh",
	.title = "results of JMH (-rf json, or the table that it prints)",
	.gives = "native run",
	.tool = "JMH",
	.whole_run = true,
	.marks = marks,
	.read = read,
};
