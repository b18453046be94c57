/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of llama.cpp's llama-bench: JSON, JSON lines, CSV, and the Markdown table that it
 * prints by default, several tables in a log included. A result is one test, such as the prompt of
 * 512 tokens ("pp512"), 128 generated tokens ("tg128"), both ("pp512+tg128"), or one of these
 * behind a context of 4,096 tokens ("tg128@d4096"). llama-benchy prints the same table for a
 * server, with columns of latencies, "ttfr (ms)", and of the peak, "peak t/s", that become figures,
 * and with tests of the context alone, "ctx_pp @ d4096".
 * Its repetitions are the samples of a stage; its tokens per second are a figure. CSV and Markdown
 * state only the mean of the repetitions, and their standard deviation, which becomes a label of
 * the test ("pp512/stddev_tokens_per_s"). Lines of a table may have a prefix, as wrappers of the
 * program write it. Lines that say that the program failed are warnings.
 *
 * Conditions that all tests of the file share are labels. Others are in the names of the tests that
 * they distinguish ("flash_attn@0/pp512"), and tests under equal conditions have a number
 * ("pp512#2") unless headings of the text distinguish them ("heading@GPU 0/pp512"): they are never
 * pooled, because a log does not show what else was changed.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/names.h"
#include "engine/base/text.h"
#include "engine/readers/benchmark/llama_tests.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/heading.h"
#include "engine/readers/parts/records.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_TESTS 1024u /* of a file: their names and conditions stay in memory */
#define TEST_TEXT 64    /* bytes of the name of a test */

enum { JSON, CSV, TABLE };

static const struct weir_mark marks[] = {
	[JSON] = {.first = "{[", .keys = {{"n_prompt", "n_gen", "avg_ns", "avg_ts"}, .all = 4}},
	[CSV] = {.first = "", .cells = {{"n_prompt", "n_gen", "avg_ns", "avg_ts"}, .all = 4}},
	[TABLE] = {.first = "", .texts = {{"| model ", " test |", " t/s |"}, .all = 3}},
	/* llama-benchy with several concurrent requests */
	{.first = "", .texts = {{"| model ", " test |", " t/s (total) |"}, .all = 3}},
	{0},
};

/* ---- tests ---- */

static void init_test(struct weir_llama_test *test)
{
	*test = (struct weir_llama_test){.prompt = NAN,
	                                 .generated = NAN,
	                                 .depth = NAN,
	                                 .mean_ns = NAN,
	                                 .tokens_per_s = NAN,
	                                 .stddev_ns = NAN,
	                                 .stddev_tokens_per_s = NAN};
}

static void release_test(struct weir_llama_test *test)
{
	free(test->samples);
	weir_text_release(&test->prefix);
}

/* Numbers of a test by their keys in JSON and CSV. */
static const struct {
	const char *key;
	size_t slot; /* offsetof() in struct weir_llama_test */
} numbers[] = {
	{"n_prompt", offsetof(struct weir_llama_test, prompt)},
	{"n_gen", offsetof(struct weir_llama_test, generated)},
	{"n_depth", offsetof(struct weir_llama_test, depth)},
	{"avg_ns", offsetof(struct weir_llama_test, mean_ns)},
	{"avg_ts", offsetof(struct weir_llama_test, tokens_per_s)},
	{"stddev_ns", offsetof(struct weir_llama_test, stddev_ns)},
	{"stddev_ts", offsetof(struct weir_llama_test, stddev_tokens_per_s)},
};

/* Keys that are neither numbers of ours nor conditions. */
static const char *const passed_over[] = {"samples_ts", "test_time",   "test",
                                          "t/s",        "t/s (total)", ""};

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
	return key.length > WEIR_LLAMA_MAX_PART;
}

/* Returns the index of the condition; WEIR_LLAMA_MAX_KEYS if there are too many. */
static size_t find_key(struct weir_llama_tests *reading, struct weir_slice key)
{
	uint32_t id;

	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (weir_slice_equals(key, labels[i].key))
			key = weir_slice_of(labels[i].label);
	id = weir_names_add(reading->texts, key.data, key.length);
	for (size_t i = 0; i < reading->key_count; i++)
		if (reading->keys[i] == id)
			return i;
	if (reading->key_count == WEIR_LLAMA_MAX_KEYS)
		return WEIR_LLAMA_MAX_KEYS;
	reading->keys[reading->key_count] = id;
	return reading->key_count++;
}

static void take_condition(struct weir_llama_tests *reading, struct weir_llama_test *test,
                           struct weir_slice key, struct weir_slice value)
{
	size_t at;

	if (is_passed_over(key) || !value.length || value.length > WEIR_FIGURE_LABEL_TEXT)
		return;
	at = find_key(reading, key);
	if (at < WEIR_LLAMA_MAX_KEYS)
		test->values[at] = weir_names_add(reading->texts, value.data, value.length);
}

/* Takes a member of JSON or a cell of CSV. */
static void take_value(struct weir_llama_tests *reading, struct weir_llama_test *test,
                       struct weir_slice key, struct weir_slice value, uint64_t at)
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
static bool name_by_tokens(struct weir_llama_tests *reading, struct weir_llama_test *test)
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
static enum weir_status add_test(struct weir_llama_tests *reading, struct weir_llama_test *test,
                                 uint64_t at, struct weir_error *err)
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

static void take_samples(struct weir_llama_tests *reading, struct weir_llama_test *test,
                         struct weir_slice list, uint64_t at)
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

static void take_members(struct weir_llama_tests *reading, struct weir_jsoncursor *cursor,
                         struct weir_llama_test *test, uint64_t at)
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

static enum weir_status read_json(struct weir_llama_tests *reading, struct weir_source *source,
                                  struct weir_error *err)
{
	struct weir_records *records;
	struct weir_record record;
	enum weir_status status = weir_records_new(source, reading->input, &records, err);

	if (status)
		return status;
	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
		struct weir_jsoncursor cursor = weir_jsoncursor_on(record.text);
		struct weir_llama_test test;

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
	size_t first;                /* column of a table behind the prefix of its lines */
	struct weir_heading heading; /* of the line */
	char of_table[WEIR_HEADING]; /* the heading above the table */
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
	       (weir_csv_find(row, "t/s") != WEIR_CSV_NO_COLUMN ||
	        weir_csv_find(row, "t/s (total)") != WEIR_CSV_NO_COLUMN);
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

static enum weir_status take_csv_row(struct weir_llama_tests *reading, struct header *header,
                                     const struct weir_csv_row *row, struct weir_error *err)
{
	struct weir_llama_test test;

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

/* Takes "pp512", "tg128" or "pp512+tg128" off the text. */
static bool take_tokens(struct weir_slice *text)
{
	bool prompt = weir_slice_take(text, "pp");

	if (prompt && !take_digits(text))
		return false;
	if (!prompt || weir_slice_starts(*text, "+"))
		return weir_slice_take(text, prompt ? "+tg" : "tg") && take_digits(text);
	return true;
}

/* True for the tokens of a test, also with "@d4096", and for the tests of llama-benchy that read a
 * context, "ctx_pp@d4096", or answer behind it, "ctx_tg@d4096". */
static bool is_test(struct weir_slice text)
{
	bool context = weir_slice_take(&text, "ctx_pp") || weir_slice_take(&text, "ctx_tg");

	if (!context && !take_tokens(&text))
		return false;
	if (!context && !text.length)
		return true;
	return weir_slice_take(&text, "@d") && take_digits(&text) && !text.length;
}

/* Takes " (c4)", the concurrent requests of a test of llama-benchy, off the end of a cell, as a
 * condition. */
static void take_concurrency(struct weir_llama_tests *reading, struct weir_llama_test *test,
                             struct weir_slice *cell)
{
	static const struct weir_slice key = {"concurrency", sizeof("concurrency") - 1};
	struct weir_slice rest, number;
	size_t at = cell->length;

	while (at && cell->data[at - 1] != '(')
		at--;
	rest = (struct weir_slice){cell->data + at, cell->length - at};
	if (!at || !weir_slice_take(&rest, "c"))
		return;
	number.data = rest.data;
	if (!take_digits(&rest) || !weir_slice_equals(rest, ")"))
		return;
	number.length = (size_t)(rest.data - number.data);
	take_condition(reading, test, key, number);
	cell->length = at - 1;
}

/* Names the test as the table does, without blanks: "pp 512", "pp512 @ d4096". */
static bool name_by_cell(struct weir_llama_tests *reading, struct weir_llama_test *test,
                         struct weir_slice cell)
{
	char name[TEST_TEXT];
	size_t length = 0;

	take_concurrency(reading, test, &cell);
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

/* Parses the standard deviation of "490.97 ± 2.27"; NAN: the cell states none. */
static double read_deviation(struct weir_slice cell)
{
	static const char *const signs[] = {"\xc2\xb1", "+/-"};
	double value;

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		const char *found = weir_slice_find(cell, signs[i]);
		struct weir_slice rest;

		if (!found)
			continue;
		found += strlen(signs[i]);
		rest = weir_slice_trim(
			(struct weir_slice){found, (size_t)(cell.data + cell.length - found)});
		if (weir_parse_double(rest.data, rest.length, &value))
			return value;
	}
	return NAN;
}

/* Ends of the names of columns that hold figures, and of the names of these. */
static const struct {
	const char *column, *figure;
	bool alone; /* the end alone is such a name as well */
} endings[] = {
	{" (ms)", "_ms", false},
	{" t/s", "_tokens_per_s", false},
	{"t/s (req)", "_tokens_per_s_per_request", true},
};

/* Returns the end of the name of a figure, "_ttfr_ms" for a column "ttfr (ms)" and
 * "_peak_tokens_per_s" for "peak t/s", as an id; 0: the column is no such figure. */
static uint32_t suffix_of(struct weir_llama_tests *reading, struct weir_slice column)
{
	struct weir_text *text = &reading->scratch;
	size_t i = 0;

	while (i < sizeof(endings) / sizeof(endings[0]) &&
	       !weir_slice_ends(column, endings[i].column))
		i++;
	if (i == sizeof(endings) / sizeof(endings[0]))
		return 0;
	column.length -= strlen(endings[i].column);
	column = weir_slice_trim(column);
	if (!column.length && !endings[i].alone)
		return 0;
	weir_text_clear(text);
	weir_text_puts(text, column.length ? "_" : "");
	for (size_t c = 0; c < column.length && c < WEIR_LLAMA_MAX_PART; c++)
		weir_text_add(text, (unsigned char)column.data[c] <= ' ' ? "_" : &column.data[c],
		              1);
	weir_text_puts(text, endings[i].figure);
	return weir_names_add(reading->texts, text->data, text->length);
}

/* Takes a cell of a column of figures; 0 stands for a figure that the test does not have. False:
 * the column holds none. */
static bool take_more(struct weir_llama_tests *reading, struct weir_llama_test *test,
                      struct weir_slice column, const struct weir_csv_row *row,
                      struct weir_slice cell)
{
	uint32_t suffix = suffix_of(reading, column);
	double value = read_rate(cell);

	if (!suffix)
		return false;
	if (!(value > 0) || test->more_count == WEIR_LLAMA_MAX_MORE) {
		if (cell.length && value != 0)
			weir_input_warn(reading->input, WEIR_WARN_BAD_NUMBER, row->at, NULL);
		return true;
	}
	test->more[test->more_count].suffix = suffix;
	test->more[test->more_count].stddev = read_deviation(cell);
	test->more[test->more_count++].value = value;
	return true;
}

/* Takes "build: 34ce48d97 (7356)", the line behind a table, for tests without a build. */
static void take_build(struct weir_llama_tests *reading, struct weir_slice line)
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

		if (at == WEIR_LLAMA_MAX_KEYS || reading->tests[i - 1].values[at])
			return;
		take_condition(reading, &reading->tests[i - 1], key, commit);
	}
}

/* Returns the length of the whole words at the start of a text that a warning has room for. */
static size_t length_of_words(struct weir_slice text)
{
	size_t length = text.length;

	if (length <= WEIR_LLAMA_MAX_PART)
		return length;
	length = WEIR_LLAMA_MAX_PART;
	while (length && text.data[length] != ' ')
		length--;
	return length ? length : WEIR_LLAMA_MAX_PART;
}

/* Warns of a line that says that the program ended with an error, which ends its tests. */
static void warn_of_failure(struct weir_llama_tests *reading, const struct weir_csv_row *row)
{
	static const char *const signs[] = {
		"Memory access fault by GPU",
		"caught signal ",
		"Segmentation fault",
		"GGML_ASSERT(",
		"terminate called",
		"CUDA error:",
		"ROCm error:",
		"core dumped",
		"ErrorDeviceLost",
		"main: error:",
	};
	struct weir_slice line = weir_slice_trim(row->line);
	struct weir_text text = {0};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		const char *found = weir_slice_find(line, signs[i]);
		size_t length;

		if (!found)
			continue;
		weir_text_printf(&text, "line %llu: ", (unsigned long long)row->number);
		length = length_of_words(
			(struct weir_slice){found, (size_t)(line.data + line.length - found)});
		for (size_t c = 0; c < length; c++)
			weir_text_add(&text, (unsigned char)found[c] < ' ' ? "?" : &found[c], 1);
		weir_input_warn(reading->input, WEIR_WARN_PROGRAM_FAILED, UINT64_MAX, text.data);
		break;
	}
	weir_text_release(&text);
}

/* Returns true if the row is one of a test: behind the prefix of the header's line, if it has one,
 * and not the rule below the header. */
static bool is_test_row(const struct header *header, const struct weir_csv_row *row)
{
	struct weir_slice cell = weir_csv_cell(row, header->first);

	if (!header->count || weir_slice_starts(cell, "--") || weir_slice_starts(cell, ":-"))
		return false;
	return header->first > 1 || weir_slice_starts(weir_slice_trim(row->line), "|");
}

/* Takes the cells of a test. Returns false for a row that is of no test. */
static bool take_cells(struct weir_llama_tests *reading, const struct header *header,
                       const struct weir_csv_row *row, struct weir_llama_test *test)
{
	for (size_t i = header->first; i < row->count; i++) {
		struct weir_slice column = column_of(header, i);

		if (weir_slice_equals(column, "t/s") || weir_slice_equals(column, "t/s (total)")) {
			test->tokens_per_s = read_rate(row->cells[i]);
			test->stddev_tokens_per_s = read_deviation(row->cells[i]);
		} else if (take_more(reading, test, column, row, row->cells[i])) {
			continue;
		} else if (!weir_slice_equals(column, "test")) {
			take_condition(reading, test, column, row->cells[i]);
		} else if (!name_by_cell(reading, test, row->cells[i])) {
			return false;
		}
	}
	return true;
}

/* Takes a line of a log. Rows may have other lines between them, which the program writes to the
 * console while it measures. A row that is of no test ends the table. */
static enum weir_status take_line(struct weir_llama_tests *reading, struct header *header,
                                  const struct weir_csv_row *row, struct weir_error *err)
{
	struct weir_llama_test test;

	weir_heading_take(&header->heading, row->line);
	take_build(reading, weir_slice_trim(row->line));
	warn_of_failure(reading, row);
	if (row->count < 3)
		return WEIR_OK;
	if (is_table_header(row)) {
		size_t model = weir_csv_find(row, "model");

		keep_header(header, row);
		memcpy(header->of_table, header->heading.text, sizeof(header->of_table));
		header->first = model == WEIR_CSV_NO_COLUMN ? 1 : model;
		return WEIR_OK;
	}
	if (!is_test_row(header, row))
		return WEIR_OK;
	if (row->count != header->count) {
		weir_input_warn(reading->input, WEIR_WARN_RAGGED_ROW, row->at, NULL);
		return WEIR_OK;
	}
	init_test(&test);
	if (!take_cells(reading, header, row, &test)) {
		header->count = 0;
		return WEIR_OK;
	}
	take_condition(reading, &test, weir_slice_of(WEIR_LLAMA_HEADING),
	               weir_slice_of(header->of_table));
	return add_test(reading, &test, row->at, err);
}

static enum weir_status read_lines(struct weir_llama_tests *reading, struct weir_source *source,
                                   int form, struct weir_error *err)
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

/* ---- the reader ---- */

static enum weir_status read_llama_bench(struct weir_source *source, struct weir_input *input,
                                         struct weir_error *err)
{
	struct weir_llama_tests reading = {.input = input};
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
		status = weir_llama_tests_finish(&reading, err);
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
	.tool = "llama-bench",
	.whole_run = true,
	.marks = marks,
	.read = read_llama_bench,
};
