/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/parts/csv.h"
#include "tests/unit/packed.h"

static const struct weir_csv_options plain = {.separator = ','};
static const struct weir_csv_options quoted = {.separator = ',', .quotes = true};
static const struct weir_csv_options spaced = {.separator = ',', .quotes = true, .trim = true};
static const struct weir_csv_options blanks = {.separator = ' '};

/* Formats the rows of a text: cells in brackets, a line per row, with flags if any is set. */
static void write_rows(const void *data, size_t len, const struct weir_csv_options *options,
                       struct weir_text *out)
{
	const struct weir_csv_row *row;
	struct weir_source *source;
	struct weir_error err = {0};
	struct weir_csv *csv;

	assert_int_equal(weir_source_open_memory("test", data, len, &source, &err), WEIR_OK);
	csv = weir_csv_new(source, options);
	while (!weir_csv_next(csv, &row, &err) && row) {
		weir_text_printf(out, "%llu:", (unsigned long long)row->number);
		for (size_t i = 0; i < row->count; i++) {
			weir_text_puts(out, "[");
			weir_text_add(out, row->cells[i].data, row->cells[i].length);
			weir_text_puts(out, "]");
		}
		weir_text_printf(out, "%s%s%s\n", row->cut ? " cut" : "", row->odd ? " odd" : "",
		                 row->excess ? " excess" : "");
	}
	assert_string_equal(err.message, "");
	weir_csv_free(csv);
	weir_source_free(source);
}

static void expect_rows(const char *text, const struct weir_csv_options *options,
                        const char *expected)
{
	struct weir_text out = {0};

	write_rows(text, strlen(text), options, &out);
	assert_string_equal(out.data ? out.data : "", expected);
	weir_text_release(&out);
}

static void cells_are_what_separators_leave(void **state)
{
	(void)state;
	expect_rows("a,b\n,\n, x ,\n", &plain, "1:[a][b]\n2:[][]\n3:[][ x ][]\n");
	expect_rows("a\tb c\n", &(struct weir_csv_options){.separator = '\t'}, "1:[a][b c]\n");
	expect_rows("a;b,c\n", &(struct weir_csv_options){.separator = ';'}, "1:[a][b,c]\n");
}

static void lines_end_with_either_break(void **state)
{
	(void)state;
	expect_rows("a,b\r\nc\n", &plain, "1:[a][b]\n2:[c]\n");
	expect_rows("a,\"b\"\r\n\"c\"\r\n", &quoted, "1:[a][b]\n2:[c]\n");
}

static void a_blank_line_has_no_cells(void **state)
{
	(void)state;
	expect_rows("a\n\n \r\nb\n", &spaced, "1:[a]\n2:\n3:\n4:[b]\n");
	expect_rows("", &plain, "");
	expect_rows("\t\n\t\t\n", &(struct weir_csv_options){.separator = '\t', .trim = true},
	            "1:[][]\n2:[][][]\n");
}

static void a_last_line_without_break_is_marked(void **state)
{
	(void)state;
	expect_rows("a,b\nc,d", &plain, "1:[a][b]\n2:[c][d] cut\n");
	expect_rows("a,b\nc,d\r", &plain, "1:[a][b]\n2:[c][d] cut\n");
}

static void quotes_hold_separators_and_line_breaks(void **state)
{
	(void)state;
	expect_rows("\"a,1\",\"b\nc\",d\ne\n", &quoted, "1:[a,1][b\nc][d]\n3:[e]\n");
	expect_rows("\"a,1\",b\n", &plain, "1:[\"a][1\"][b]\n");
}

static void doubled_quotes_are_one(void **state)
{
	(void)state;
	expect_rows("\"a \"\"b\"\"\",\"\"\"\",\"\",c\"\"d\n", &quoted,
	            "1:[a \"b\"][\"][][c\"\"d]\n");
}

static void blanks_around_a_cell_are_trimmed_but_not_those_in_quotes(void **state)
{
	(void)state;
	expect_rows(" a ,\t\" b \" ,c d\n", &spaced, "1:[a][ b ][c d]\n");
	expect_rows(" \"a\"\n", &quoted, "1:[ \"a\"]\n");
}

static void text_behind_a_closing_quote_stays_and_is_odd(void **state)
{
	(void)state;
	expect_rows("\"a,b\"c,d\n", &quoted, "1:[\"a,b\"c][d] odd\n");
	expect_rows("\"a\" \"b,c\n", &spaced, "1:[\"a\" \"b][c] odd\n");
}

static void a_quote_that_is_never_closed_costs_one_line(void **state)
{
	(void)state;
	expect_rows("a\n\"b,c\nd,e\n", &quoted, "1:[a]\n2:[\"b][c] odd\n3:[d][e]\n");
	expect_rows("\"", &quoted, "1:[\"] cut odd\n");
}

static void an_open_quote_does_not_swallow_a_large_file(void **state)
{
	struct weir_text text = {0}, out = {0};

	(void)state;
	weir_text_puts(&text, "a,\"b\n");
	weir_text_repeat(&text, "c,d\n", WEIR_CSV_MAX_LINE / 2);
	write_rows(text.data, text.length, &quoted, &out);
	assert_memory_equal(out.data, "1:[a][\"b] odd\n2:[c][d]\n",
	                    strlen("1:[a][\"b] odd\n2:[c][d]\n"));
	assert_non_null(strstr(out.data, "\n524289:[c][d]\n"));
	weir_text_release(&text);
	weir_text_release(&out);
}

static void runs_of_blanks_separate(void **state)
{
	(void)state;
	expect_rows("  0  12\t 3 \n\n -\n", &blanks, "1:[0][12][3]\n2:\n3:[-]\n");
}

/* A row, a line of three times the limit, a row. */
static void expect_left_out(const void *data, size_t len)
{
	const struct weir_csv_row *row;
	struct weir_source *source;
	struct weir_csv *csv;

	assert_int_equal(weir_source_open_memory("test", data, len, &source, NULL), WEIR_OK);
	csv = weir_csv_new(source, &quoted);
	assert_int_equal(weir_csv_next(csv, &row, NULL), WEIR_OK);
	assert_int_equal(weir_csv_next(csv, &row, NULL), WEIR_OK);
	assert_true(weir_slice_equals(row->cells[0], "b"));
	assert_int_equal(row->number, 3);
	assert_int_equal(row->at, 3 + 3 * WEIR_CSV_MAX_LINE);
	assert_int_equal(weir_csv_skipped(csv)->count, 1);
	assert_int_equal(weir_csv_skipped(csv)->first_at, 2);
	assert_int_equal(weir_csv_next(csv, &row, NULL), WEIR_OK);
	assert_null(row);
	weir_csv_free(csv);
	weir_source_free(source);
}

static void a_line_beyond_the_limit_is_left_out_and_counted(void **state)
{
	struct weir_text text = {0};
	struct bytes packed;

	(void)state;
	weir_text_puts(&text, "a\n");
	weir_text_repeat(&text, "x", (size_t)3 * WEIR_CSV_MAX_LINE);
	weir_text_puts(&text, "\nb\n");
	expect_left_out(text.data, text.length);
	packed = gzip_bytes(text.data, text.length);
	expect_left_out(packed.data, packed.len);
	free(packed.data);
	weir_text_release(&text);
}

static void expect_cells(size_t separators, size_t expected, bool excess)
{
	const struct weir_csv_row *row;
	struct weir_text text = {0};
	struct weir_source *source;
	struct weir_csv *csv;

	weir_text_repeat(&text, ",", separators);
	weir_text_puts(&text, "\n");
	assert_int_equal(weir_source_open_memory("test", text.data, text.length, &source, NULL),
	                 WEIR_OK);
	csv = weir_csv_new(source, &plain);
	assert_int_equal(weir_csv_next(csv, &row, NULL), WEIR_OK);
	assert_int_equal(row->count, expected);
	assert_int_equal(row->excess, excess);
	weir_csv_free(csv);
	weir_source_free(source);
	weir_text_release(&text);
}

static void cells_beyond_the_limit_are_left_out_and_told(void **state)
{
	(void)state;
	expect_cells(200, 201, false);
	expect_cells(WEIR_CSV_MAX_CELLS - 1, WEIR_CSV_MAX_CELLS, false);
	expect_cells(WEIR_CSV_MAX_CELLS, WEIR_CSV_MAX_CELLS, true);
	expect_cells((size_t)5 * WEIR_CSV_MAX_CELLS, WEIR_CSV_MAX_CELLS, true);
}

static void expect_same(const struct weir_text *actual, const struct weir_text *expected)
{
	size_t i = 0;

	while (i < expected->length && i < actual->length && actual->data[i] == expected->data[i])
		i++;
	if (i < expected->length || i < actual->length)
		fail_msg("differs at byte %zu: \"%.60s\", expected \"%.60s\"", i, actual->data + i,
		         expected->data + i);
}

/* Rows over every kind of seam between two stretches of a source, packed and not. */
static void rows_do_not_depend_on_how_bytes_come(void **state)
{
	struct weir_text text = {0}, expected = {0}, out = {0};
	struct bytes packed;

	(void)state;
	for (unsigned i = 0; i < 40000; i++) {
		weir_text_printf(&text, "%u,\"q%u \"\"%u\"\"\",", i, i, i);
		weir_text_repeat(&text, "z", i % 97);
		weir_text_puts(&text, "\n");
		weir_text_printf(&expected, "%u:[%u][q%u \"%u\"][", i + 1, i, i, i);
		weir_text_repeat(&expected, "z", i % 97);
		weir_text_puts(&expected, "]\n");
	}
	write_rows(text.data, text.length, &quoted, &out);
	expect_same(&out, &expected);
	weir_text_clear(&out);
	packed = gzip_bytes(text.data, text.length);
	write_rows(packed.data, packed.len, &quoted, &out);
	expect_same(&out, &expected);
	free(packed.data);
	weir_text_release(&text);
	weir_text_release(&expected);
	weir_text_release(&out);
}

static void rows_say_where_they_are(void **state)
{
	static const char text[] = "a\n\"b\nc\"\nd";
	static const uint64_t at[] = {0, 2, 8};
	const struct weir_csv_row *row;
	struct weir_source *source;
	struct weir_csv *csv;

	(void)state;
	assert_int_equal(weir_source_open_memory("test", text, strlen(text), &source, NULL),
	                 WEIR_OK);
	csv = weir_csv_new(source, &quoted);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(weir_csv_next(csv, &row, NULL), WEIR_OK);
		assert_int_equal(row->at, at[i]);
	}
	weir_csv_free(csv);
	weir_source_free(source);
}

static void columns_are_found_by_name(void **state)
{
	struct weir_slice cells[] = {{"name", 4}, {"x", 1}, {"name", 4}};
	const struct weir_csv_row row = {.cells = cells, .count = 3};

	(void)state;
	assert_int_equal(weir_csv_find(&row, "name"), 0);
	assert_int_equal(weir_csv_find(&row, "x"), 1);
	assert_true(weir_csv_find(&row, "nam") == WEIR_CSV_NO_COLUMN);
	assert_int_equal(weir_csv_cell(&row, weir_csv_find(&row, "nam")).length, 0);
	assert_int_equal(weir_csv_cell(&row, 3).length, 0);
	assert_true(weir_slice_equals(weir_csv_cell(&row, 1), "x"));
}

static void a_head_is_taken_apart_line_by_line(void **state)
{
	struct weir_slice rest = weir_slice_of("a, b\r\n\n\"c\"\"d\",e"), line, cells[2];

	(void)state;
	assert_true(weir_csv_take_line(&rest, &line));
	assert_int_equal(weir_csv_split(line, &spaced, cells, 2), 2);
	assert_true(weir_slice_equals(cells[1], "b"));
	assert_true(weir_csv_take_line(&rest, &line));
	assert_int_equal(weir_csv_split(line, &spaced, cells, 2), 0);
	assert_true(weir_csv_take_line(&rest, &line));
	assert_int_equal(weir_csv_split(line, &spaced, cells, 1), 1);
	assert_true(weir_slice_equals(cells[0], "c\"\"d"));
	assert_false(weir_csv_take_line(&rest, &line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_are_what_separators_leave),
		cmocka_unit_test(lines_end_with_either_break),
		cmocka_unit_test(a_blank_line_has_no_cells),
		cmocka_unit_test(a_last_line_without_break_is_marked),
		cmocka_unit_test(quotes_hold_separators_and_line_breaks),
		cmocka_unit_test(doubled_quotes_are_one),
		cmocka_unit_test(blanks_around_a_cell_are_trimmed_but_not_those_in_quotes),
		cmocka_unit_test(text_behind_a_closing_quote_stays_and_is_odd),
		cmocka_unit_test(a_quote_that_is_never_closed_costs_one_line),
		cmocka_unit_test(an_open_quote_does_not_swallow_a_large_file),
		cmocka_unit_test(runs_of_blanks_separate),
		cmocka_unit_test(a_line_beyond_the_limit_is_left_out_and_counted),
		cmocka_unit_test(cells_beyond_the_limit_are_left_out_and_told),
		cmocka_unit_test(rows_do_not_depend_on_how_bytes_come),
		cmocka_unit_test(rows_say_where_they_are),
		cmocka_unit_test(columns_are_found_by_name),
		cmocka_unit_test(a_head_is_taken_apart_line_by_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
