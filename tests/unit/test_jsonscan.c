/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/jsonmeasure.h"
#include "engine/base/jsonscan.h"

/* The items of a scan, one line per item: "M key=value" or "E value". */
struct record {
	struct weir_text lines;
	struct weir_jsonscan_fault faults[WEIR_JSONSCAN_FAULTS];
	bool bare;
};

/* Reads every byte of the value; returns false if it is not JSON. */
static bool is_json(struct weir_slice value)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(value);
	struct weir_slice key;

	if (weir_jsoncursor_enter(&cursor, '{'))
		while (weir_jsoncursor_key(&cursor, &key))
			weir_jsoncursor_take(&cursor);
	return !cursor.bad && cursor.at == cursor.end;
}

static void add_item(struct record *record, const struct weir_jsonscan_item *item)
{
	if (item->kind == WEIR_JSONSCAN_MEMBER)
		weir_text_printf(&record->lines, "M %.*s=", (int)item->key.length, item->key.data);
	else
		weir_text_puts(&record->lines, "E ");
	weir_text_add(&record->lines, item->text.data, item->text.length);
	weir_text_puts(&record->lines, "\n");
}

static struct record scan_options(const char *data, size_t len,
                                  const struct weir_jsonscan_options *options)
{
	struct record record = {0};
	struct weir_source *source;
	struct weir_jsonscan *scan;
	struct weir_jsonscan_item item;

	assert_int_equal(weir_source_open_memory("test", data, len, &source, NULL), WEIR_OK);
	scan = weir_jsonscan_new(source, options);
	while (!weir_jsonscan_next(scan, &item, NULL) && item.kind != WEIR_JSONSCAN_END) {
		if (is_json(item.text))
			add_item(&record, &item);
		else
			weir_jsonscan_reject(scan);
	}
	memcpy(record.faults, weir_jsonscan_faults(scan), sizeof(record.faults));
	record.bare = weir_jsonscan_is_bare(scan);
	weir_jsonscan_free(scan);
	weir_source_free(source);
	if (!record.lines.data)
		weir_text_puts(&record.lines, "");
	return record;
}

static struct record scan_text(const char *text)
{
	static const struct weir_jsonscan_options options = {.array = "e"};

	return scan_options(text, strlen(text), &options);
}

static uint64_t all_faults(const struct record *record)
{
	uint64_t count = 0;

	for (int i = 0; i < WEIR_JSONSCAN_FAULTS; i++)
		count += record->faults[i].count;
	return count;
}

/* Checks that the text scans to these lines, with `count` faults of one kind and no other
 * faults. */
static void expect(const char *text, const char *lines, enum weir_jsonscan_fault_code code,
                   uint64_t count)
{
	struct record record = scan_text(text);

	assert_string_equal(record.lines.data, lines);
	assert_int_equal(record.faults[code].count, count);
	assert_int_equal(all_faults(&record), count);
	weir_text_release(&record.lines);
}

static void members_and_elements_come_in_order(void **state)
{
	(void)state;
	expect("{\"a\": 1, \"e\": [{\"x\": [1, {}]}, {\"y\": \"]}\"}], \"b\": {\"c\": [2]}, \"d\": "
	       "\"t\\\"\"}",
	       "M a=1\nE {\"x\": [1, {}]}\nE {\"y\": \"]}\"}\nM b={\"c\": [2]}\nM d=\"t\\\"\"\n",
	       WEIR_JSONSCAN_TRUNCATED, 0);
}

static void a_bare_array_is_read_and_said_to_be_one(void **state)
{
	struct record record = scan_text("[{\"x\": 1}, {\"x\": 2}]");

	(void)state;
	assert_true(record.bare);
	assert_string_equal(record.lines.data, "E {\"x\": 1}\nE {\"x\": 2}\n");
	weir_text_release(&record.lines);
}

static void documents_in_lines_are_elements(void **state)
{
	static const char text[] = "{\"x\": 1}\n{\"x\": 2}\n\n{\"x\": 3}";
	static const struct weir_jsonscan_options options = {.lines = true};
	struct record record = scan_options(text, sizeof(text) - 1, &options);

	(void)state;
	assert_string_equal(record.lines.data, "E {\"x\": 1}\nE {\"x\": 2}\nE {\"x\": 3}\n");
	assert_int_equal(all_faults(&record), 0);
	weir_text_release(&record.lines);
}

static void arrays_one_after_another_are_one_where_wanted(void **state)
{
	static const char text[] = "[{\"x\": 1}]\n[{\"x\": 2}, [{\"x\": 3}]";
	static const struct weir_jsonscan_options options = {.arrays = true};
	struct record record = scan_options(text, sizeof(text) - 1, &options);

	(void)state;
	assert_string_equal(record.lines.data, "E {\"x\": 1}\nE {\"x\": 2}\nE {\"x\": 3}\n");
	assert_int_equal(record.faults[WEIR_JSONSCAN_TRUNCATED].count, 1); /* the second */
	assert_int_equal(all_faults(&record), 1);
	weir_text_release(&record.lines);
	expect("[{\"x\": 1}][{\"x\": 2}]", "E {\"x\": 1}\n", WEIR_JSONSCAN_TRAILING, 1);
}

static void a_truncated_tail_keeps_the_complete_elements(void **state)
{
	(void)state;
	expect("{\"e\": [{\"x\": 1}, {\"x\": 2}, {\"x\": \"ab", "E {\"x\": 1}\nE {\"x\": 2}\n",
	       WEIR_JSONSCAN_TRUNCATED, 1);
	expect("{\"e\": [{\"x\": 1}", "E {\"x\": 1}\n", WEIR_JSONSCAN_TRUNCATED, 1);
	expect("{\"e\": [{\"x\": 1}, ", "E {\"x\": 1}\n", WEIR_JSONSCAN_TRUNCATED, 1);
	expect("{\"a\": 1, \"e", "M a=1\n", WEIR_JSONSCAN_TRUNCATED, 1);
}

static void quotes_inside_a_text_are_escaped(void **state)
{
	(void)state;
	expect("{\"e\": [{\"n\": \"f({\"d\": \"cpu\", \"k\": 2}) g\", \"x\": 1}, {\"x\": 2}]}",
	       "E {\"n\":\"f({\\\"d\\\": \\\"cpu\\\", \\\"k\\\": 2}) g\",\"x\":1}\nE {\"x\": 2}\n",
	       WEIR_JSONSCAN_REPAIRED, 1);
	expect("{\"e\": [{\"n\": \"say \"hi, there\", \"x\": 1}, {\"x\": 2}]}",
	       "E {\"n\":\"say \\\"hi, there\",\"x\":1}\nE {\"x\": 2}\n", WEIR_JSONSCAN_REPAIRED,
	       1);
}

static void a_backslash_before_the_last_quote_is_one(void **state)
{
	(void)state;
	expect("{\"e\": [{\"n\": \"C:\\dir\\\", \"x\": 1}, {\"x\": 2}]}",
	       "E {\"n\":\"C:\\\\dir\\\\\",\"x\":1}\nE {\"x\": 2}\n", WEIR_JSONSCAN_REPAIRED, 1);
}

static void an_element_beyond_repair_is_left_out_alone(void **state)
{
	(void)state;
	expect("{\"e\": [{\"x\": 1}, {\"x\": 5 6}, {\"x\": 2}], \"b\": 3}",
	       "E {\"x\": 1}\nE {\"x\": 2}\nM b=3\n", WEIR_JSONSCAN_SKIPPED, 1);
	expect("{\"e\": [{\"x\": 1}, garbage here }, {\"x\": 2}]}", "E {\"x\": 1}\nE {\"x\": 2}\n",
	       WEIR_JSONSCAN_SKIPPED, 1);
}

static void control_bytes_inside_texts_are_counted(void **state)
{
	(void)state;
	expect("{\"e\": [{\"n\": \"two\nlines\"},\n\t{\"x\": 2}]}",
	       "E {\"n\": \"two\nlines\"}\nE {\"x\": 2}\n", WEIR_JSONSCAN_REPAIRED, 1);
}

static void bytes_behind_the_document_are_counted(void **state)
{
	(void)state;
	expect("{\"e\": []} \n", "", WEIR_JSONSCAN_TRAILING, 0);
	expect("{\"e\": []} {}", "", WEIR_JSONSCAN_TRAILING, 1);
}

static void a_member_without_a_value_is_passed_over(void **state)
{
	(void)state;
	expect("{\"rank\": , \"a\": 1, \"e\": []}", "M a=1\n", WEIR_JSONSCAN_SKIPPED, 0);
}

static void a_hundred_thousand_levels_are_left_out(void **state)
{
	enum { LEVELS = 100000 };
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "{\"e\": [{\"x\": 1}, {\"d\": ");
	weir_text_repeat(&text, "[", LEVELS);
	weir_text_repeat(&text, "]", LEVELS);
	weir_text_puts(&text, "}, {\"x\": 2}]}");
	expect(text.data, "E {\"x\": 1}\nE {\"x\": 2}\n", WEIR_JSONSCAN_TOO_DEEP, 1);
	weir_text_release(&text);
}

static void an_element_beyond_the_limit_is_left_out(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "{\"e\": [{\"x\": 1}, {\"d\": [");
	weir_text_repeat(&text, "12345678901234567890123456789012345678901234567890123456789012,\n",
	                 (65u << 20) / 64);
	weir_text_puts(&text, "1]}, {\"x\": 2}]}");
	expect(text.data, "E {\"x\": 1}\nE {\"x\": 2}\n", WEIR_JSONSCAN_SKIPPED, 1);
	weir_text_release(&text);
}

/* More bytes than a source returns at once, so that elements lie across every kind of seam. */
static void elements_across_buffers_come_whole(void **state)
{
	static const struct weir_jsonscan_options options = {.array = "e"};
	char path[] = "/tmp/weir_jsonscan_XXXXXX";
	struct weir_source *source;
	struct weir_jsonscan *scan;
	struct weir_jsonscan_item item;
	int descriptor = mkstemp(path);
	FILE *file = fdopen(descriptor, "wb");
	uint64_t count = 0, bytes = 0;

	(void)state;
	assert_non_null(file);
	fprintf(file, "{\"e\": [{\"i\": 0}");
	for (unsigned i = 1; i < 60000; i++)
		fprintf(file, ",\n  {\"i\": %u, \"t\": \"%*s\"}", i, (int)(i % 97), "x");
	fprintf(file, "]}");
	fclose(file);
	assert_int_equal(weir_source_open(path, &source, NULL), WEIR_OK);
	scan = weir_jsonscan_new(source, &options);
	while (!weir_jsonscan_next(scan, &item, NULL) && item.kind != WEIR_JSONSCAN_END) {
		struct weir_jsoncursor cursor = weir_jsoncursor_on(item.text);
		struct weir_slice key, value;
		int64_t number;

		assert_true(weir_jsoncursor_enter(&cursor, '{'));
		assert_true(weir_jsoncursor_key(&cursor, &key));
		value = weir_jsoncursor_scalar(&cursor);
		assert_true(weir_parse_i64(value.data, value.length, &number));
		assert_int_equal(number, count++);
		assert_true(item.at > bytes);
		bytes = item.at;
	}
	assert_int_equal(count, 60000);
	assert_int_equal(weir_jsonscan_faults(scan)[WEIR_JSONSCAN_REPAIRED].count, 0);
	weir_jsonscan_free(scan);
	weir_source_free(source);
	remove(path);
}

/* The scanner searches growing prefixes for a stray quote; the cost stays proportional to the
 * bytes read. */
static void a_long_element_is_no_damage(void **state)
{
	static const struct weir_jsonscan_options options = {.array = "e"};
	char path[] = "/tmp/weir_jsonscan_XXXXXX";
	struct weir_source *source;
	struct weir_jsonscan *scan;
	struct weir_jsonscan_item item;
	int descriptor = mkstemp(path);
	FILE *file = fdopen(descriptor, "wb");

	(void)state;
	assert_non_null(file);
	fprintf(file, "{\"e\": [{\"r\": [{}");
	for (unsigned i = 0; i < 100000; i++)
		fprintf(file, ", {\"i\": %u, \"t\": \"%*s\"}", i, 80, "x");
	fprintf(file, "]}]}");
	fclose(file);
	assert_int_equal(weir_source_open(path, &source, NULL), WEIR_OK);
	scan = weir_jsonscan_new(source, &options);
	assert_int_equal(weir_jsonscan_next(scan, &item, NULL), WEIR_OK);
	assert_int_equal(item.kind, WEIR_JSONSCAN_ELEMENT);
	assert_true(item.text.length > 8u << 20);
	assert_true(is_json(item.text));
	assert_int_equal(weir_jsonscan_next(scan, &item, NULL), WEIR_OK);
	assert_int_equal(item.kind, WEIR_JSONSCAN_END);
	assert_int_equal(weir_jsonscan_faults(scan)[WEIR_JSONSCAN_SKIPPED].count, 0);
	weir_jsonscan_free(scan);
	weir_source_free(source);
	remove(path);
}

/* Checks that every prefix of a document gives a prefix of its items, and never fails. */
static void every_prefix_can_be_scanned(void **state)
{
	static const char text[] =
		"{\"a\": 1, \"e\": [{\"x\": \"q\\\"\"}, {\"y\": [1, 2]}], \"b\": {\"c\": null}}";
	static const struct weir_jsonscan_options options = {.array = "e"};
	struct record whole = scan_options(text, sizeof(text) - 1, &options);

	(void)state;
	for (size_t len = 1; len < sizeof(text) - 1; len++) {
		struct record cut = scan_options(text, len, &options);

		assert_memory_equal(cut.lines.data, whole.lines.data, cut.lines.length);
		assert_int_equal(cut.faults[WEIR_JSONSCAN_TRUNCATED].count, 1);
		weir_text_release(&cut.lines);
	}
	weir_text_release(&whole.lines);
}

static void what_is_no_document_is_refused(void **state)
{
	static const struct weir_jsonscan_options options = {.array = "e"};
	struct weir_source *source;
	struct weir_jsonscan_item item;
	struct weir_error err = {0};
	struct weir_jsonscan *scan;

	(void)state;
	assert_int_equal(weir_source_open_memory("test", "plain text", 10, &source, NULL), WEIR_OK);
	scan = weir_jsonscan_new(source, &options);
	assert_int_equal(weir_jsonscan_next(scan, &item, &err), WEIR_E_FORMAT);
	assert_string_equal(err.message, "expected a JSON object or array");
	weir_jsonscan_free(scan);
	weir_source_free(source);
}

static void expect_decoded(const char *raw, const char *meant, bool is_odd)
{
	struct weir_text scratch = {0};
	bool odd = false;
	struct weir_slice text = weir_jsoncursor_decode(weir_slice_of(raw), &scratch, &odd);

	assert_int_equal(text.length, strlen(meant));
	assert_memory_equal(text.data, meant, text.length);
	assert_int_equal(odd, is_odd);
	weir_text_release(&scratch);
}

static void escapes_become_what_they_mean(void **state)
{
	(void)state;
	expect_decoded("plain", "plain", false);
	expect_decoded("\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t", false);
	expect_decoded("\\u0041\\u00e9\\u20AC", "A\xc3\xa9\xe2\x82\xac", false);
	expect_decoded("\\ud83d\\ude00", "\xf0\x9f\x98\x80", false);
	expect_decoded("\\ud83d.", "\xef\xbf\xbd.", false);
	expect_decoded("\\u0000", "\xef\xbf\xbd", false);
	expect_decoded("C:\\dir\\u12", "C:\\dir\\u12", true);
	expect_decoded("end\\", "end\\", true);
}

/* Compares the measure with a plain reading, at every alignment and length of a block. */
static void a_value_ends_where_its_last_bracket_is(void **state)
{
	static const char value[] = "{\"a\": [1, \"]\\\\\\\"}\", {\"b\\\\\": \"[[[[{{{{\"}], "
				    "\"c\": \"\\\\\", \"d\": [[[[]]]]}";
	char buffer[512];

	(void)state;
	for (size_t pad = 0; pad < 130; pad++) {
		struct weir_jsonmeasure measure = {0};
		const char *start = buffer + pad, *end = start + sizeof(value) - 1;

		memset(buffer, ']', sizeof(buffer));
		memcpy(buffer + pad, value, sizeof(value) - 1);
		assert_ptr_equal(weir_jsonmeasure_value(start, end), end);
		assert_ptr_equal(weir_jsonmeasure_value(start, end + 70), end);
		assert_null(weir_jsonmeasure_value(start, end - 1));
		for (const char *at = start; at < end; at++) {
			const char *found = weir_jsonmeasure_feed(&measure, at, at + 1);

			assert_ptr_equal(found, at + 1 == end ? end : NULL);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_and_elements_come_in_order),
		cmocka_unit_test(a_bare_array_is_read_and_said_to_be_one),
		cmocka_unit_test(documents_in_lines_are_elements),
		cmocka_unit_test(arrays_one_after_another_are_one_where_wanted),
		cmocka_unit_test(a_truncated_tail_keeps_the_complete_elements),
		cmocka_unit_test(quotes_inside_a_text_are_escaped),
		cmocka_unit_test(a_backslash_before_the_last_quote_is_one),
		cmocka_unit_test(an_element_beyond_repair_is_left_out_alone),
		cmocka_unit_test(control_bytes_inside_texts_are_counted),
		cmocka_unit_test(bytes_behind_the_document_are_counted),
		cmocka_unit_test(a_member_without_a_value_is_passed_over),
		cmocka_unit_test(a_hundred_thousand_levels_are_left_out),
		cmocka_unit_test(an_element_beyond_the_limit_is_left_out),
		cmocka_unit_test(elements_across_buffers_come_whole),
		cmocka_unit_test(a_long_element_is_no_damage),
		cmocka_unit_test(every_prefix_can_be_scanned),
		cmocka_unit_test(what_is_no_document_is_refused),
		cmocka_unit_test(escapes_become_what_they_mean),
		cmocka_unit_test(a_value_ends_where_its_last_bracket_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
