/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what `go test -bench` prints, one process, anywhere in a log:
 *
 *	pkg: example.com/infer
 *	BenchmarkDecode-2   1094   19300 ns/op   212.23 MB/s   32 B/op
 *
 * A line is the mean of as many iterations as its second word states. Lines of one name
 * (-count) are its samples; few of them become their median. Values with other units (-benchmem,
 * b.SetBytes(), b.ReportMetric()) are metrics, "NAME/B/op". The package comes before a name,
 * because benchmarks of several packages may share names.
 */
#include <math.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/benchmark/benchmark.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/readers.h"

#define BENCHMARK "Benchmark"
#define PER_OP    "ns/op"
#define MAX_WORDS 64 /* of a line that recognition looks at */
#define MAX_UNIT  64 /* bytes; values with longer units are left out */

static const struct weir_csv_options options = {.separator = ' '};

/* Returns true if the words are a name, a number of iterations, and values with their units. Go
 * takes no function for a benchmark whose name goes on with a lower-case letter. */
static bool is_result(const struct weir_slice *words, size_t count)
{
	struct weir_slice name = words[0];
	int64_t iterations;
	double value;

	if (count < 4 || count % 2 || !weir_slice_take(&name, BENCHMARK) ||
	    (name.length && *name.data >= 'a' && *name.data <= 'z') ||
	    !weir_parse_i64(words[1].data, words[1].length, &iterations) || iterations < 1)
		return false;
	return weir_parse_double(words[2].data, words[2].length, &value) && words[3].length &&
	       !weir_parse_double(words[3].data, words[3].length, &value);
}

static int sniff(const char *head, size_t len)
{
	struct weir_slice rest = {head, len}, line, words[MAX_WORDS];

	while (weir_csv_take_line(&rest, &line)) {
		size_t count;

		line = weir_slice_trim(line);
		if (!weir_slice_starts(line, BENCHMARK))
			continue;
		count = weir_csv_split(line, &options, words, MAX_WORDS);
		if (count && is_result(words, count) && weir_slice_holds(words[3], "/"))
			return 8 * (int)(sizeof BENCHMARK - 1 + words[3].length);
	}
	return 0;
}

struct reading {
	struct weir_input *input;
	struct weir_text package, name;
	size_t samples;
};

/* Finds or adds a series; fails at the limits of benchmark.h. */
static enum weir_status find_series(struct weir_series_table *table, const char *name,
                                    struct weir_series **out, struct weir_error *err)
{
	if (!weir_series_find(table, name))
		return weir_benchmark_add(table, name, out, err);
	*out = weir_series_get(table, name);
	return WEIR_OK;
}

/* Adds a value with a unit other than ns/op. Rates are better if higher, costs of an operation are
 * not. */
static enum weir_status take_metric(struct reading *reading, struct weir_slice unit, double value,
                                    struct weir_error *err)
{
	struct weir_text name = {0}, text = {0};
	struct weir_series *series;
	enum weir_status status;

	weir_text_add(&text, unit.data, unit.length);
	weir_text_printf(&name, "%s/%s", reading->name.data, text.data);
	status = find_series(&reading->input->run->metrics, name.data, &series, err);
	if (!status) {
		if (!series->unit)
			series->unit = weir_alloc_text(text.data);
		series->higher_is_better =
			!weir_slice_ends(unit, "/op") &&
			(weir_slice_ends(unit, "/s") || weir_slice_ends(unit, "/sec") ||
		         weir_figure_higher_is_better(text.data));
		weir_series_push(series, value);
	}
	weir_text_release(&name);
	weir_text_release(&text);
	return status;
}

static enum weir_status take_value(struct reading *reading, const struct weir_csv_row *row,
                                   size_t at, struct weir_error *err)
{
	struct weir_slice text = row->cells[at], unit = row->cells[at + 1];
	struct weir_series *series;
	enum weir_status status;
	double value;

	if (!weir_parse_double(text.data, text.length, &value) || !isfinite(value) || value < 0 ||
	    !unit.length || unit.length > MAX_UNIT || memchr(unit.data, '\0', unit.length)) {
		weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, row->at, NULL);
		return WEIR_OK;
	}
	if (reading->samples++ >= WEIR_BENCHMARK_MAX_SAMPLES)
		return weir_fail(err, WEIR_E_LIMIT, "more than %u values: write several files",
		                 WEIR_BENCHMARK_MAX_SAMPLES);
	if (!weir_slice_equals(unit, PER_OP))
		return take_metric(reading, unit, value, err);
	status = find_series(&reading->input->run->stages, reading->name.data, &series, err);
	if (!status)
		weir_benchmark_push(reading->input, series, value);
	return status;
}

/* Returns true for a unit of Go itself: one that a cut line ends with is not cut. */
static bool is_whole_unit(struct weir_slice unit)
{
	static const char *const units[] = {PER_OP, "MB/s", "B/op", "allocs/op"};

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (weir_slice_equals(unit, units[i]))
			return true;
	return false;
}

static enum weir_status take_result(struct reading *reading, const struct weir_csv_row *row,
                                    struct weir_error *err)
{
	size_t count = row->count;
	enum weir_status status = WEIR_OK;

	if (row->cut && !is_whole_unit(row->cells[count - 1])) {
		weir_input_warn(reading->input, WEIR_WARN_TRUNCATED, row->at, NULL);
		count -= 2;
	}
	if (memchr(row->cells[0].data, '\0', row->cells[0].length))
		return weir_fail(err, WEIR_E_FORMAT, "a name with a zero byte");
	weir_text_clear(&reading->name);
	if (reading->package.length)
		weir_text_printf(&reading->name, "%s.", reading->package.data);
	weir_text_add(&reading->name, row->cells[0].data, row->cells[0].length);
	for (size_t at = 2; !status && at + 1 < count; at += 2)
		status = take_value(reading, row, at, err);
	return status;
}

/* Takes a line of the head, such as "cpu: Intel(R) Xeon(R)". Each package repeats them. */
static void take_condition(struct reading *reading, struct weir_slice line)
{
	static const char *const keys[] = {"goos", "goarch", "cpu"};

	if (weir_slice_take(&line, "pkg: ")) {
		weir_text_clear(&reading->package);
		if (line.length <= WEIR_BENCHMARK_MAX_NAME / 2 &&
		    !memchr(line.data, '\0', line.length))
			weir_text_add(&reading->package, line.data, line.length);
		return;
	}
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		struct weir_slice text = line;

		if (weir_slice_take(&text, keys[i]) && weir_slice_take(&text, ": "))
			weir_figure_label(reading->input->run, keys[i], text);
	}
}

static enum weir_status take_row(struct reading *reading, const struct weir_csv_row *row,
                                 struct weir_error *err)
{
	struct weir_slice line = weir_slice_trim(row->line), name = line;

	if (!row->count)
		return WEIR_OK;
	if (is_result(row->cells, row->count)) {
		if (take_result(reading, row, err))
			return weir_fail_in(err, "line %llu", (unsigned long long)row->number);
	} else if (weir_slice_take(&name, "--- FAIL: " BENCHMARK)) {
		weir_input_warn(reading->input, WEIR_WARN_FAILED_MEASUREMENT, row->at, NULL);
	} else {
		take_condition(reading, line);
	}
	return WEIR_OK;
}

static enum weir_status read(struct weir_source *source, struct weir_input *input,
                             struct weir_error *err)
{
	struct weir_csv *csv = weir_csv_new(source, &options);
	struct reading reading = {.input = input};
	const struct weir_csv_row *row;
	enum weir_status status;

	input->run = weir_run_new();
	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		status = take_row(&reading, row, err);
		if (status)
			break;
	}
	weir_csv_free(csv);
	weir_text_release(&reading.package);
	weir_text_release(&reading.name);
	weir_damage_of_source(input, source);
	if (!status)
		status = weir_benchmark_replace_few(input, input->run, err);
	return status ? status : weir_benchmark_finish(input, err);
}

const struct weir_reader weir_reader_go_bench = {
	.name = "go-bench",
	.title = "what go test -bench prints",
	.gives = "native run",
	.tool = "go test",
	.whole_run = true,
	.sniff = sniff,
	.read = read,
};
