/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of llama.cpp's llama-bench: JSON, JSON lines, CSV, and the Markdown table that it
 * prints by default, several tables in a log included. A result is one test, such as the prompt of
 * 512 tokens ("pp512"), 128 generated tokens ("tg128"), both ("pp512+tg128"), or one of these
 * behind a context of 4,096 tokens ("tg128@d4096"). llama-benchy prints the same table for a
 * server, with columns of latencies, "ttfr (ms)", and of the peak, "peak t/s", that become figures.
 * Its repetitions are the samples of a stage; its tokens per second are a figure. CSV and Markdown
 * state only the mean of the repetitions.
 *
 * Conditions that all tests of the file share are labels. Others are in the names of the tests that
 * they distinguish ("flash_attn@0/pp512"), and tests under equal conditions have a number
 * ("pp512#2"): they are never pooled, because a log does not show what else was changed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/names.h"
#include "engine/base/text.h"
#include "engine/readers/benchmark/benchmark.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/records.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_TESTS 1024u /* of a file: their names and conditions stay in memory */
#define MAX_KEYS  WEIR_FIGURE_MAX_LABELS
#define MAX_NAME  200 /* bytes of the conditions in a name; further ones are left out */
#define MAX_PART  64  /* bytes of one of them; the rest is cut */
#define TEST_TEXT 64  /* bytes of the name of a test */
#define MAX_MORE  16  /* further figures of a test */

enum { JSON, CSV, TABLE };

static const struct weir_mark marks[] = {
	[JSON] = {.first = "{[", .keys = {{"n_prompt", "n_gen", "avg_ns", "avg_ts"}, .all = 4}},
	[CSV] = {.first = "", .cells = {{"n_prompt", "n_gen", "avg_ns", "avg_ts"}, .all = 4}},
	[TABLE] = {.first = "", .texts = {{"| model ", " test |", " t/s |"}, .all = 3}},
	{0},
};

struct test {
	double prompt, generated, depth; /* tokens; NAN: not stated */
	double mean_ns, tokens_per_s;    /* NAN: unknown */
	uint32_t name;                   /* id of "pp512"; 0 until the test is complete */
	uint32_t values[MAX_KEYS];       /* ids of its conditions, by key; 0: not stated */
	double *samples;                 /* ns, owned */
	size_t count, capacity;
	struct weir_text prefix; /* conditions in front of its name */
	struct {
		uint32_t suffix; /* id of "_ttfr_ms" */
		double value;
	} more[MAX_MORE]; /* further figures, of llama-benchy */
	size_t more_count;
};

struct reading {
	struct weir_input *input;
	struct weir_names *texts;
	uint32_t keys[MAX_KEYS]; /* ids of the names of conditions, in order of appearance */
	size_t key_count;
	struct test *tests;
	size_t count, capacity;
	struct weir_text scratch;
};

/* ---- tests ---- */

static void init_test(struct test *test)
{
	*test = (struct test){
		.prompt = NAN, .generated = NAN, .depth = NAN, .mean_ns = NAN, .tokens_per_s = NAN};
}

static void release_test(struct test *test)
{
	free(test->samples);
	weir_text_release(&test->prefix);
}

/* Numbers of a test by their keys in JSON and CSV. */
static const struct {
	const char *key;
	size_t slot; /* offsetof() in struct test */
} numbers[] = {
	{"n_prompt", offsetof(struct test, prompt)},
	{"n_gen", offsetof(struct test, generated)},
	{"n_depth", offsetof(struct test, depth)},
	{"avg_ns", offsetof(struct test, mean_ns)},
	{"avg_ts", offsetof(struct test, tokens_per_s)},
};

/* Keys that are neither numbers of ours nor conditions. */
static const char *const passed_over[] = {
	"stddev_ns", "stddev_ts", "samples_ts", "test_time", "test", "t/s", ""};

/* Keys of conditions with another name in weir. */
static const struct {
	const char *key, *label;
} labels[] = {
	{"model_type", "model"},
	{"gpu_info", "gpu"},
	{"cpu_info", "cpu"},
};

static bool is_passed_over(struct weir_slice key)
{
	for (size_t i = 0; i < sizeof(passed_over) / sizeof(passed_over[0]); i++)
		if (weir_slice_equals(key, passed_over[i]))
			return true;
	return key.length > MAX_PART;
}

/* Returns the index of the condition; MAX_KEYS if there are too many. */
static size_t find_key(struct reading *reading, struct weir_slice key)
{
	uint32_t id;

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (weir_slice_equals(key, labels[i].key))
			key = weir_slice_of(labels[i].label);
	id = weir_names_add(reading->texts, key.data, key.length);
	for (size_t i = 0; i < reading->key_count; i++)
		if (reading->keys[i] == id)
			return i;
	if (reading->key_count == MAX_KEYS)
		return MAX_KEYS;
	reading->keys[reading->key_count] = id;
	return reading->key_count++;
}

static void take_condition(struct reading *reading, struct test *test, struct weir_slice key,
                           struct weir_slice value)
{
	size_t at;

	if (is_passed_over(key) || !value.length || value.length > WEIR_FIGURE_LABEL_TEXT)
		return;
	at = find_key(reading, key);
	if (at < MAX_KEYS)
		test->values[at] = weir_names_add(reading->texts, value.data, value.length);
}

/* Takes a member of JSON or a cell of CSV. */
static void take_value(struct reading *reading, struct test *test, struct weir_slice key,
                       struct weir_slice value, uint64_t at)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		double *number = (double *)(void *)((char *)test + numbers[i].slot);

		if (!weir_slice_equals(key, numbers[i].key))
			continue;
		if (!weir_parse_double(value.data, value.length, number)) {
			*number = NAN;
			weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, at, numbers[i].key);
		}
		return;
	}
	take_condition(reading, test, key, value);
}

static bool is_count(double value)
{
	return value >= 0 && value <= 1e9 && value == floor(value);
}

/* Names the test by its tokens. Returns false if it has none. */
static bool name_by_tokens(struct reading *reading, struct test *test)
{
	struct weir_text *name = &reading->scratch;
	double depth = isnan(test->depth) ? 0 : test->depth; /* versions before 2025 */

	weir_text_clear(name);
	if (!is_count(test->prompt) || !is_count(test->generated) || !is_count(depth))
		return false;
	if (test->prompt > 0)
		weir_text_printf(name, "pp%.0f", test->prompt);
	if (test->generated > 0)
		weir_text_printf(name, "%stg%.0f", name->length ? "+" : "", test->generated);
	if (!name->length)
		return false;
	if (depth > 0)
		weir_text_printf(name, "@d%.0f", depth);
	test->name = weir_names_add(reading->texts, name->data, name->length);
	return true;
}

/* Adds a test, which the reading owns afterwards; one without any time or without a name is left
 * out with a warning. */
static enum weir_status add_test(struct reading *reading, struct test *test, uint64_t at,
                                 struct weir_error *err)
{
	if (!(test->mean_ns > 0) || !isfinite(test->mean_ns))
		test->mean_ns = NAN;
	if (!(test->tokens_per_s > 0) || !isfinite(test->tokens_per_s))
		test->tokens_per_s = NAN;
	if (!test->name || (isnan(test->mean_ns) && isnan(test->tokens_per_s) && !test->count)) {
		weir_input_warn(reading->input, WEIR_WARN_SKIPPED_EVENT, at,
		                "a test without tokens or without times");
		release_test(test);
		return WEIR_OK;
	}
	if (reading->count == MAX_TESTS) {
		release_test(test);
		return weir_fail(err, WEIR_E_LIMIT, "more than %u tests: write several files",
		                 MAX_TESTS);
	}
	reading->tests = weir_grow(reading->tests, &reading->capacity, reading->count + 1,
	                           sizeof(*reading->tests));
	reading->tests[reading->count++] = *test;
	return WEIR_OK;
}

/* ---- JSON ---- */

static void take_samples(struct reading *reading, struct test *test, struct weir_slice list,
                         uint64_t at)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(list);

	if (!weir_jsoncursor_enter(&cursor, '['))
		return;
	while (weir_jsoncursor_item(&cursor)) {
		struct weir_slice text = weir_jsoncursor_scalar(&cursor);
		double ns;

		if (!weir_parse_double(text.data, text.length, &ns) || !isfinite(ns) || ns <= 0) {
			weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, at, "samples_ns");
			continue;
		}
		test->samples = weir_grow(test->samples, &test->capacity, test->count + 1,
		                          sizeof(*test->samples));
		test->samples[test->count++] = ns;
	}
}

static void take_members(struct reading *reading, struct weir_jsoncursor *cursor, struct test *test,
                         uint64_t at)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		bool list = weir_jsoncursor_peek(cursor) == '[';
		struct weir_slice value;

		if (list && weir_slice_equals(key, "samples_ns") && !test->count) {
			take_samples(reading, test, weir_jsoncursor_take(cursor), at);
			continue;
		}
		value = weir_jsoncursor_scalar(cursor);
		if (list || weir_slice_equals(value, "null"))
			continue;
		value = weir_jsoncursor_decode(value, &reading->scratch, NULL);
		take_value(reading, test, key, value, at);
	}
}

static enum weir_status read_json(struct reading *reading, struct weir_source *source,
                                  struct weir_error *err)
{
	struct weir_records *records;
	struct weir_record record;
	enum weir_status status = weir_records_new(source, reading->input, &records, err);

	if (status)
		return status;
	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
		struct weir_jsoncursor cursor = weir_jsoncursor_on(record.text);
		struct test test;

		init_test(&test);
		take_members(reading, &cursor, &test, record.at);
		weir_records_done(records, &cursor);
		if (cursor.bad) {
			release_test(&test);
			continue;
		}
		name_by_tokens(reading, &test);
		status = add_test(reading, &test, record.at, err);
		if (status)
			break;
	}
	if (!status)
		weir_records_finish(records);
	weir_records_free(records);
	return status;
}

/* ---- CSV ---- */

/* The names of the columns, copied because rows are borrowed. */
struct header {
	struct weir_names *names;
	uint32_t *ids;
	size_t count, capacity;
};

static struct weir_slice column_of(const struct header *header, size_t column)
{
	return (struct weir_slice){weir_names_text(header->names, header->ids[column]),
	                           weir_names_length(header->names, header->ids[column])};
}

static bool is_csv_header(const struct weir_csv_row *row)
{
	return weir_csv_find(row, "n_prompt") != WEIR_CSV_NO_COLUMN &&
	       weir_csv_find(row, "avg_ts") != WEIR_CSV_NO_COLUMN;
}

static bool is_table_header(const struct weir_csv_row *row)
{
	return weir_csv_find(row, "test") != WEIR_CSV_NO_COLUMN &&
	       weir_csv_find(row, "t/s") != WEIR_CSV_NO_COLUMN;
}

static void keep_header(struct header *header, const struct weir_csv_row *row)
{
	header->count = 0;
	for (size_t i = 0; i < row->count; i++) {
		header->ids = weir_grow(header->ids, &header->capacity, header->count + 1,
		                        sizeof(*header->ids));
		header->ids[header->count++] =
			weir_names_add(header->names, row->cells[i].data, row->cells[i].length);
	}
}

static enum weir_status take_csv_row(struct reading *reading, struct header *header,
                                     const struct weir_csv_row *row, struct weir_error *err)
{
	struct test test;

	if (is_csv_header(row)) {
		keep_header(header, row);
		return WEIR_OK;
	}
	if (!row->count)
		return WEIR_OK;
	if (row->count != header->count) {
		weir_input_warn(reading->input, WEIR_WARN_RAGGED_ROW, row->at, NULL);
		return WEIR_OK;
	}
	init_test(&test);
	for (size_t i = 0; i < row->count; i++)
		take_value(reading, &test, column_of(header, i), row->cells[i], row->at);
	name_by_tokens(reading, &test);
	return add_test(reading, &test, row->at, err);
}

/* ---- Markdown ---- */

static bool take_digits(struct weir_slice *rest)
{
	size_t length = 0;

	while (length < rest->length && rest->data[length] >= '0' && rest->data[length] <= '9')
		length++;
	rest->data += length;
	rest->length -= length;
	return length > 0;
}

/* True for "pp512", "tg128" and "pp512+tg128", each also with "@d4096". */
static bool is_test(struct weir_slice text)
{
	bool prompt = weir_slice_take(&text, "pp");

	if (prompt && !take_digits(&text))
		return false;
	if (!prompt || weir_slice_starts(text, "+"))
		if (!weir_slice_take(&text, prompt ? "+tg" : "tg") || !take_digits(&text))
			return false;
	return !text.length || (weir_slice_take(&text, "@d") && take_digits(&text) && !text.length);
}

/* Names the test as the table does, without blanks: "pp 512", "pp512 @ d4096". */
static bool name_by_cell(struct reading *reading, struct test *test, struct weir_slice cell)
{
	char name[TEST_TEXT];
	size_t length = 0;

	for (size_t i = 0; i < cell.length; i++) {
		if (cell.data[i] == ' ')
			continue;
		if (length == sizeof(name))
			return false;
		name[length++] = cell.data[i];
	}
	if (!is_test((struct weir_slice){name, length}))
		return false;
	test->name = weir_names_add(reading->texts, name, length);
	return true;
}

/* Parses the mean of "490.97 ± 2.27". */
static double read_rate(struct weir_slice cell)
{
	const char *blank = cell.length ? memchr(cell.data, ' ', cell.length) : NULL;
	size_t length = blank ? (size_t)(blank - cell.data) : cell.length;
	double value;

	return weir_parse_double(cell.data, length, &value) ? value : NAN;
}

/* Returns the end of the name of a figure, "_ttfr_ms" for a column "ttfr (ms)" and
 * "_peak_tokens_per_s" for "peak t/s", as an id; 0: the column is no such figure. */
static uint32_t suffix_of(struct reading *reading, struct weir_slice column)
{
	static const char time[] = " (ms)", rate[] = " t/s";
	struct weir_text *text = &reading->scratch;
	size_t times = sizeof(time) - 1, rates = sizeof(rate) - 1;
	const char *end = column.data + column.length;
	bool is_time = column.length > times && !memcmp(end - times, time, times);
	bool is_rate = column.length > rates && !memcmp(end - rates, rate, rates);

	if (!is_time && !is_rate)
		return 0;
	column.length -= is_time ? times : rates;
	weir_text_clear(text);
	weir_text_puts(text, "_");
	for (size_t i = 0; i < column.length && i < MAX_PART; i++)
		weir_text_add(text, (unsigned char)column.data[i] <= ' ' ? "_" : &column.data[i],
		              1);
	weir_text_puts(text, is_time ? "_ms" : "_tokens_per_s");
	return weir_names_add(reading->texts, text->data, text->length);
}

/* Takes a cell of a column of figures; 0 stands for a figure that the test does not have. False:
 * the column holds none. */
static bool take_more(struct reading *reading, struct test *test, struct weir_slice column,
                      const struct weir_csv_row *row, struct weir_slice cell)
{
	uint32_t suffix = suffix_of(reading, column);
	double value = read_rate(cell);

	if (!suffix)
		return false;
	if (!(value > 0) || test->more_count == MAX_MORE) {
		if (cell.length && value != 0)
			weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, row->at, NULL);
		return true;
	}
	test->more[test->more_count].suffix = suffix;
	test->more[test->more_count++].value = value;
	return true;
}

/* Takes "build: 34ce48d97 (7356)", the line behind a table, for tests without a build. */
static void take_build(struct reading *reading, struct weir_slice line)
{
	static const struct weir_slice key = {"build_commit", sizeof("build_commit") - 1};
	struct weir_slice rest = line, commit;
	size_t length = 0;

	if (!weir_slice_take(&rest, "build: "))
		return;
	while (length < rest.length && rest.data[length] != ' ')
		length++;
	commit = (struct weir_slice){rest.data, length};
	for (size_t i = reading->count; i; i--) {
		size_t at = find_key(reading, key);

		if (at == MAX_KEYS || reading->tests[i - 1].values[at])
			return;
		take_condition(reading, &reading->tests[i - 1], key, commit);
	}
}

/* Takes a line of a log. Rows may have other lines between them, which the program writes to the
 * console while it measures. A row that is of no test ends the table. */
static enum weir_status take_line(struct reading *reading, struct header *header,
                                  const struct weir_csv_row *row, struct weir_error *err)
{
	struct weir_slice line = weir_slice_trim(row->line);
	struct test test;

	take_build(reading, line);
	if (!weir_slice_starts(line, "|") || row->count < 3)
		return WEIR_OK;
	if (is_table_header(row)) {
		keep_header(header, row);
		return WEIR_OK;
	}
	if (!header->count || weir_slice_starts(row->cells[1], "--") ||
	    weir_slice_starts(row->cells[1], ":-"))
		return WEIR_OK;
	if (row->count != header->count) {
		weir_input_warn(reading->input, WEIR_WARN_RAGGED_ROW, row->at, NULL);
		return WEIR_OK;
	}
	init_test(&test);
	for (size_t i = 0; i < row->count; i++) {
		struct weir_slice column = column_of(header, i);

		if (weir_slice_equals(column, "t/s"))
			test.tokens_per_s = read_rate(row->cells[i]);
		else if (take_more(reading, &test, column, row, row->cells[i]))
			continue;
		else if (!weir_slice_equals(column, "test"))
			take_condition(reading, &test, column, row->cells[i]);
		else if (!name_by_cell(reading, &test, row->cells[i]))
			header->count = 0;
		if (!header->count)
			return WEIR_OK;
	}
	return add_test(reading, &test, row->at, err);
}

static enum weir_status read_lines(struct reading *reading, struct weir_source *source, int form,
                                   struct weir_error *err)
{
	const struct weir_csv_options options = {
		.separator = form == CSV ? ',' : '|', .quotes = form == CSV, .trim = true};
	struct header header = {.names = weir_names_new()};
	struct weir_csv *csv = weir_csv_new(source, &options);
	const struct weir_csv_row *row;
	enum weir_status status;

	while (!(status = weir_csv_next(csv, &row, err)) && row) {
		status = form == CSV ? take_csv_row(reading, &header, row, err)
		                     : take_line(reading, &header, row, err);
		if (status)
			break;
	}
	if (weir_csv_skipped(csv)->count)
		weir_input_warn(reading->input, WEIR_WARN_SKIPPED_EVENT,
		                weir_csv_skipped(csv)->first_at, NULL);
	weir_damage_of_source(reading->input, source);
	weir_csv_free(csv);
	weir_names_free(header.names);
	free(header.ids);
	return status;
}

/* ---- names ---- */

/* Conditions that follow from another one: they distinguish tests that nothing else does. */
static bool is_derived(const char *key)
{
	static const char *const keys[] = {"build_number",   "model_filename", "model_size",
	                                   "model_n_params", "size",           "params"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

/* Returns the id of the whole name of the test. */
static uint32_t name_of(struct reading *reading, struct weir_names *names, const struct test *test)
{
	struct weir_text *name = &reading->scratch;

	weir_text_clear(name);
	weir_text_add(name, test->prefix.data, test->prefix.length);
	weir_text_puts(name, weir_names_text(reading->texts, test->name));
	return weir_names_add(names, name->data, name->length);
}

/* Returns true if tests of one name differ in the condition. */
static bool distinguishes(struct reading *reading, size_t key)
{
	struct weir_names *names = weir_names_new();
	uint32_t *first = weir_alloc((reading->count + 1) * sizeof(*first));
	size_t known = 1;
	bool differ = false;

	for (size_t i = 0; i < reading->count && !differ; i++) {
		const struct test *test = &reading->tests[i];
		uint32_t id = name_of(reading, names, test);

		if (id == known) {
			first[known++] = test->values[key];
			continue;
		}
		differ = first[id] != test->values[key];
	}
	weir_names_free(names);
	free(first);
	return differ;
}

static void add_part(const struct reading *reading, struct test *test, size_t key)
{
	const char *value = weir_names_text(reading->texts, test->values[key]);

	if (!*value || test->prefix.length > MAX_NAME)
		return;
	weir_text_printf(&test->prefix, "%s@", weir_names_text(reading->texts, reading->keys[key]));
	for (size_t i = 0; value[i] && i < MAX_PART; i++)
		weir_text_add(&test->prefix, (unsigned char)value[i] < ' ' ? "?" : &value[i], 1);
	weir_text_puts(&test->prefix, "/");
}

static void name_conditions(struct reading *reading)
{
	for (int derived = 0; derived < 2; derived++)
		for (size_t key = 0; key < reading->key_count; key++) {
			const char *name = weir_names_text(reading->texts, reading->keys[key]);

			if (is_derived(name) != derived || !distinguishes(reading, key))
				continue;
			for (size_t i = 0; i < reading->count; i++)
				add_part(reading, &reading->tests[i], key);
		}
}

/* ---- the run ---- */

static void share_labels(const struct reading *reading)
{
	for (size_t key = 0; key < reading->key_count; key++) {
		uint32_t value = reading->tests[0].values[key];
		bool shared = value != 0;

		for (size_t i = 1; i < reading->count; i++)
			shared &= reading->tests[i].values[key] == value;
		if (shared)
			weir_run_set_label(reading->input->run,
			                   weir_names_text(reading->texts, reading->keys[key]),
			                   weir_names_text(reading->texts, value));
	}
}

static void add_figure(struct weir_run *run, const char *test, const char *suffix, const char *unit,
                       double value)
{
	struct weir_text name = {0};

	weir_text_printf(&name, "%s%s", test, suffix);
	weir_figure_add(run, name.data, unit, unit[0] == 't', value);
	weir_text_release(&name);
}

static enum weir_status add_values(struct weir_run *run, const struct test *test,
                                   const struct weir_names *texts, const char *name,
                                   struct weir_error *err)
{
	struct weir_series *series;

	if (test->count && weir_benchmark_add(&run->stages, name, &series, err))
		return err->status;
	for (size_t i = 0; i < test->count; i++)
		weir_series_push(series, test->samples[i]);
	if (!test->count)
		add_figure(run, name, "_mean_ms", "ms", test->mean_ns / 1e6);
	add_figure(run, name, "_tokens_per_s", "tokens/s", test->tokens_per_s);
	for (size_t i = 0; i < test->more_count; i++) {
		const char *suffix = weir_names_text(texts, test->more[i].suffix);
		size_t length = strlen(suffix);
		bool is_time = length > 3 && strcmp(suffix + length - 3, "_ms") == 0;

		add_figure(run, name, suffix, is_time ? "ms" : "tokens/s", test->more[i].value);
	}
	return WEIR_OK;
}

/* Adds the tests to the run under their names; equal names get a number. */
static enum weir_status add_tests(struct reading *reading, struct weir_error *err)
{
	struct weir_names *names = weir_names_new();
	size_t *same = weir_alloc((reading->count + 1) * sizeof(*same));
	bool means = false;
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; i < reading->count && !status; i++) {
		const struct test *test = &reading->tests[i];
		uint32_t id = name_of(reading, names, test);

		if (++same[id] > 1)
			weir_text_printf(&reading->scratch, "#%zu", same[id]);
		status = add_values(reading->input->run, test, reading->texts,
		                    reading->scratch.data, err);
		means |= !test->count;
	}
	if (means)
		weir_input_warn(reading->input, WEIR_WARN_MEANS_ONLY, UINT64_MAX, NULL);
	weir_names_free(names);
	free(same);
	return status;
}

static enum weir_status make_run(struct reading *reading, struct weir_error *err)
{
	enum weir_status status;

	if (!reading->count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no test with a time: did llama-bench end before its first "
		                 "result?");
	reading->input->run = weir_run_new();
	name_conditions(reading);
	share_labels(reading);
	status = add_tests(reading, err);
	return status ? status : weir_benchmark_finish(reading->input, err);
}

static enum weir_status read_llama_bench(struct weir_source *source, struct weir_input *input,
                                         struct weir_error *err)
{
	struct reading reading = {.input = input};
	const char *head;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	reading.texts = weir_names_new();
	if (weir_sniff_is_json(head, len))
		status = read_json(&reading, source, err);
	else
		status = read_lines(&reading, source,
		                    weir_mark_bits(&marks[CSV], head, len) ? CSV : TABLE, err);
	if (!status)
		status = make_run(&reading, err);
	for (size_t i = 0; i < reading.count; i++)
		release_test(&reading.tests[i]);
	free(reading.tests);
	weir_names_free(reading.texts);
	weir_text_release(&reading.scratch);
	return status;
}

const struct weir_reader weir_reader_llama_bench = {
	.name = "llama-bench",
	.title = "results of llama.cpp's llama-bench: JSON, JSON lines, CSV, its table",
	.gives = "native run",
	.whole_run = true,
	.marks = marks,
	.read = read_llama_bench,
};
