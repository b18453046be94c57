/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of pytest-benchmark (--benchmark-json, --benchmark-save): one process. Times are
 * seconds of one iteration. `data` holds a time per round; results saved without
 * --benchmark-save-data lack it, and then the median is a figure and the other statistics are
 * labels. So they are in the table that pytest prints, whose names lack the path of the test.
 */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/benchmark/benchmark.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define SECOND_NS 1e9

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"machine_info", "benchmarks", "commit_info", "datetime"}, .all = 2}},
	{.first = "",
         .texts = {{"Name (time in ", "Median", "Mean", "Min ", "Max ", "Rounds", "StdDev", "IQR"},
                   .all = 1,
                   .any = 7}},
	{0},
};

static void read_statistics(struct weir_input *input, const char *name, const cJSON *stats)
{
	static const struct {
		const char *key, *label;
		double scale;
	} statistics[] = {
		{"mean", "mean_ns", SECOND_NS},  {"min", "min_ns", SECOND_NS},
		{"max", "max_ns", SECOND_NS},    {"stddev", "stddev_ns", SECOND_NS},
		{"iqr", "iqr_ns", SECOND_NS},    {"rounds", "rounds", 1},
		{"iterations", "iterations", 1},
	};

	for (size_t i = 0; i < sizeof(statistics) / sizeof(statistics[0]); i++) {
		const cJSON *value = cJSON_GetObjectItemCaseSensitive(stats, statistics[i].key);

		if (cJSON_IsNumber(value))
			weir_benchmark_statistic(input, name, statistics[i].label,
			                         value->valuedouble * statistics[i].scale);
	}
}

static enum weir_status read_median(struct weir_input *input, const char *name, const cJSON *stats,
                                    struct weir_error *err)
{
	double median;

	if (weir_json_number(stats, "median", &median, err))
		return weir_fail_in(err, "stats");
	if (!(median > 0))
		return weir_fail(err, WEIR_E_FORMAT, "stats.median: expected a time above 0");
	if (weir_benchmark_figure(input, name, median * SECOND_NS, err))
		return err->status;
	read_statistics(input, name, stats);
	return WEIR_OK;
}

static enum weir_status read_rounds(struct weir_input *input, const char *name, const cJSON *data,
                                    struct weir_error *err)
{
	struct weir_series *series;
	enum weir_status status = weir_benchmark_add(&input->run->stages, name, &series, err);

	if (status)
		return status;
	if (weir_benchmark_push_list(input, series, data, SECOND_NS, err))
		return weir_fail_in(err, "stats.data");
	return WEIR_OK;
}

static enum weir_status read_benchmark(struct weir_input *input, const cJSON *benchmark,
                                       struct weir_error *err)
{
	const cJSON *stats, *data;
	const char *name;
	enum weir_status status = weir_json_text(benchmark, "fullname", &name, err);

	if (!status && !name)
		status = weir_json_text(benchmark, "name", &name, err);
	if (!status)
		status = weir_json_object(benchmark, "stats", &stats, err);
	if (status)
		return status;
	if (!stats)
		return weir_fail(err, WEIR_E_FORMAT, "stats: missing, expected an object");
	if (weir_json_array(stats, "data", &data, err))
		return weir_fail_in(err, "stats");
	return data ? read_rounds(input, name, data, err) : read_median(input, name, stats, err);
}

static void read_labels(struct weir_run *run, const cJSON *document)
{
	const cJSON *machine = cJSON_GetObjectItemCaseSensitive(document, "machine_info");
	const cJSON *cpu = cJSON_GetObjectItemCaseSensitive(machine, "cpu");

	weir_benchmark_label(run, "pytest_benchmark", document, "version");
	weir_benchmark_label(run, "host", machine, "node");
	weir_benchmark_label(run, "python", machine, "python_version");
	weir_benchmark_label(run, "cpu", cpu, "brand");
	weir_benchmark_label(run, "cpu", cpu, "brand_raw");
	weir_benchmark_label(run, "commit",
	                     cJSON_GetObjectItemCaseSensitive(document, "commit_info"), "id");
}

/*
 * ---- text ----
 *
 * A table for each group of tests, anywhere in the output of pytest. Behind a value stands its
 * ratio to the smallest of the column, unless the group has one test:
 *
 *	Name (time in ms)         Min                 Max  ...     OPS (Kops/s)     Rounds
 *	test_tokens[16]        2.5042 (1.0)     1,003.0001 (4.55)   ...
 *
 * The columns are chosen by --benchmark-columns. Their names are one word each, but for the unit of
 * OPS.
 */

#define MAX_WORDS   64
#define MAX_COLUMNS 16
#define TITLE       "Name (time in "

static const struct weir_csv_options by_blanks = {.separator = ' '};

struct text_table {
	struct weir_input *input;
	double unit_ns;                /* 0: no table yet */
	char columns[MAX_COLUMNS][16]; /* in lower case: "median" */
	size_t column_count;
	size_t rows, without_median;
};

/* Reads the header of a table. Returns false if the line is not one. */
static bool read_text_header(struct text_table *table, struct weir_slice line)
{
	struct weir_slice words[MAX_WORDS], unit;
	const char *title = weir_slice_find(line, TITLE);
	size_t length = 0, count;

	if (!title)
		return false;
	line = (struct weir_slice){title + strlen(TITLE),
	                           line.length - (size_t)(title + strlen(TITLE) - line.data)};
	while (length < line.length && line.data[length] != ')')
		length++;
	unit = (struct weir_slice){line.data, length};
	table->unit_ns = weir_benchmark_unit_ns(unit);
	table->column_count = 0;
	if (length == line.length || table->unit_ns <= 0)
		return false;
	line = (struct weir_slice){line.data + length + 1, line.length - length - 1};
	count = weir_csv_split(line, &by_blanks, words, MAX_WORDS);
	for (size_t i = 0; i < count && table->column_count < MAX_COLUMNS; i++) {
		char *name = table->columns[table->column_count];

		if (*words[i].data == '(') /* the unit of OPS */
			continue;
		memset(name, 0, sizeof(table->columns[0]));
		for (size_t at = 0; at < words[i].length && at < sizeof(table->columns[0]) - 1;
		     at++)
			name[at] = (char)(words[i].data[at] | 0x20);
		table->column_count++;
	}
	return table->column_count > 0;
}

/* Parses "1,003.0001". NAN: it is no number. */
static double text_number(struct weir_slice word)
{
	char digits[32];
	size_t length = 0;
	double value;

	for (size_t i = 0; i < word.length; i++) {
		if (word.data[i] == ',')
			continue;
		if (length == sizeof(digits))
			return NAN;
		digits[length++] = word.data[i];
	}
	return weir_parse_double(digits, length, &value) && isfinite(value) ? value : NAN;
}

/* Splits a row into the values of its columns, from the right, and its name. Returns false if the
 * line has too few words, or its first value is no number: it is not a row. */
static bool split_text_row(const struct text_table *table, struct weir_slice line,
                           struct weir_slice *name, struct weir_slice *values)
{
	struct weir_slice words[MAX_WORDS];
	size_t count = weir_csv_split(line, &by_blanks, words, MAX_WORDS);
	size_t left = table->column_count;

	if (count == MAX_WORDS)
		return false;
	while (left && count) {
		struct weir_slice word = words[--count];

		if (*word.data != '(') /* a ratio */
			values[--left] = word;
	}
	if (left || !count || isnan(text_number(values[0])))
		return false;
	*name = (struct weir_slice){
		words[0].data,
		(size_t)(words[count - 1].data + words[count - 1].length - words[0].data)};
	return name->length <= WEIR_BENCHMARK_MAX_NAME;
}

static void take_text_statistics(struct text_table *table, const char *name,
                                 const struct weir_slice *values)
{
	static const struct {
		const char *column, *label;
		bool is_time;
	} statistics[] = {
		{"mean", "mean_ns", true},
		{"min", "min_ns", true},
		{"max", "max_ns", true},
		{"stddev", "stddev_ns", true},
		{"iqr", "iqr_ns", true},
		{"rounds", "rounds", false},
		{"iterations", "iterations", false},
	};

	for (size_t i = 0; i < table->column_count; i++)
		for (size_t j = 0; j < sizeof(statistics) / sizeof(statistics[0]); j++)
			if (strcmp(table->columns[i], statistics[j].column) == 0)
				weir_benchmark_statistic(
					table->input, name, statistics[j].label,
					text_number(values[i]) *
						(statistics[j].is_time ? table->unit_ns : 1));
}

/* Takes a row. The first of several rows with one name counts: tests of several files share it. */
static enum weir_status take_text_row(struct text_table *table, const struct weir_csv_row *row,
                                      struct weir_slice cell, const struct weir_slice *values,
                                      struct weir_error *err)
{
	struct weir_text name = {0};
	enum weir_status status = WEIR_OK;
	double median = NAN;

	table->rows++;
	for (size_t i = 0; i < table->column_count; i++)
		if (strcmp(table->columns[i], "median") == 0)
			median = text_number(values[i]);
	weir_text_add(&name, cell.data, cell.length);
	if (isnan(median)) {
		table->without_median++;
	} else if (!(median > 0)) {
		weir_input_warn(table->input, WEIR_WARN_BAD_NUMBER, row->at, name.data);
	} else if (weir_series_find(&table->input->run->metrics, name.data)) {
		weir_input_warn(table->input, WEIR_WARN_DUPLICATE, row->at, name.data);
	} else {
		status = weir_benchmark_figure(table->input, name.data, median * table->unit_ns,
		                               err);
		if (!status)
			take_text_statistics(table, name.data, values);
	}
	weir_text_release(&name);
	return status;
}

static enum weir_status take_text_line(struct text_table *table, const struct weir_csv_row *row,
                                       struct weir_error *err)
{
	struct weir_slice values[MAX_COLUMNS], name;

	if (read_text_header(table, row->line))
		return WEIR_OK;
	if (!row->count) /* the end of a table */
		table->column_count = 0;
	if (!table->column_count || !split_text_row(table, row->line, &name, values))
		return WEIR_OK;
	if (row->cut) { /* its last number may be cut */
		weir_input_warn(table->input, WEIR_WARN_TRUNCATED, row->at, NULL);
		return WEIR_OK;
	}
	return take_text_row(table, row, name, values, err);
}

static enum weir_status read_text(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	static const struct weir_csv_options whole_lines = {.separator = '\0'};
	struct text_table table = {.input = input};
	struct weir_csv *csv = weir_csv_new(source, &whole_lines);
	const struct weir_csv_row *row;
	enum weir_status status;

	input->run = weir_run_new();
	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		status = take_text_line(&table, row, err);
		if (status)
			break;
	}
	weir_csv_free(csv);
	weir_damage_of_source(input, source);
	if (status)
		return status;
	if (table.without_median && !input->run->metrics.count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "a table of pytest-benchmark without the column Median: pass the "
		                 "file that --benchmark-json=FILE writes");
	if (input->run->metrics.count)
		weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	return weir_benchmark_finish(input, err);
}

/* ---- any of the two ---- */

static enum weir_status read_json(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status = weir_json_read(source, &document, err);

	if (status)
		return status;
	input->run = weir_run_new();
	status = weir_benchmark_each(document, "benchmarks", read_benchmark, input, err);
	if (!status) {
		read_labels(input->run, document);
		if (input->run->metrics.count)
			weir_input_warn(input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
		status = weir_benchmark_finish(input, err);
	}
	cJSON_Delete(document);
	return status;
}

static enum weir_status read_pytest(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	return weir_sniff_is_json(head, len) ? read_json(source, input, err)
	                                     : read_text(source, input, err);
}

const struct weir_reader weir_reader_pytest_benchmark = {
	.name = "pytest-benchmark",
	.title = "results of pytest-benchmark (--benchmark-json, the printed table)",
	.gives = "native run",
	.tool = "pytest-benchmark",
	.whole_run = true,
	.marks = marks,
	.read = read_pytest,
};
