/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Documents that nest their elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "engine/base/jsoncursor.h"
#include "engine/base/jsonscan.h"

static const char *const entered[] = {"outer", "inner", NULL};

static const struct weir_jsonscan_options options = {
	.array = "items", .enter = entered, .first_key = "id"};

/* Formats items as "O key", "M key=value" and "E value", one line per item. */
struct record {
	struct weir_text lines;
	struct weir_jsonscan_fault faults[WEIR_JSONSCAN_FAULTS];
	enum weir_status status;
};

static bool is_json(struct weir_slice value)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(value);
	struct weir_slice key;

	if (weir_jsoncursor_enter(&cursor, '{'))
		while (weir_jsoncursor_key(&cursor, &key))
			weir_jsoncursor_take(&cursor);
	return !cursor.bad && cursor.at == cursor.end;
}

static void put_item(struct weir_text *out, const struct weir_jsonscan_item *item)
{
	if (item->kind == WEIR_JSONSCAN_OBJECT)
		weir_text_printf(out, "O %.*s", (int)item->key.length, item->key.data);
	else if (item->kind == WEIR_JSONSCAN_MEMBER)
		weir_text_printf(out, "M %.*s=", (int)item->key.length, item->key.data);
	else
		weir_text_puts(out, "E ");
	weir_text_add(out, item->text.data, item->text.length);
	weir_text_puts(out, "\n");
}

static enum weir_status take_item(void *context, struct weir_jsonscan *walk,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct record *record = context;

	if (weir_slice_equals(item->key, "stop"))
		return weir_fail(err, WEIR_E_LIMIT, "stopped");
	if (item->kind != WEIR_JSONSCAN_ELEMENT || is_json(item->text))
		put_item(&record->lines, item);
	else
		weir_jsonscan_reject(walk);
	return WEIR_OK;
}

static struct record scan(const char *data, size_t len)
{
	struct record record = {0};
	struct weir_source *source;
	struct weir_jsonscan *walk;

	assert_int_equal(weir_source_open_memory("test", data, len, &source, NULL), WEIR_OK);
	walk = weir_jsonscan_new(source, &options);
	record.status = weir_jsonscan_each(walk, take_item, &record, NULL);
	memcpy(record.faults, weir_jsonscan_faults(walk), sizeof record.faults);
	weir_jsonscan_free(walk);
	weir_source_free(source);
	weir_text_puts(&record.lines, "");
	return record;
}

static void expect(const char *text, const char *lines, enum weir_jsonscan_fault_code code,
                   uint64_t count)
{
	struct record record = scan(text, strlen(text));

	assert_int_equal(record.status, WEIR_OK);
	assert_string_equal(record.lines.data, lines);
	for (int i = 0; i < WEIR_JSONSCAN_FAULTS; i++)
		if (record.faults[i].count != (i == (int)code ? count : 0))
			fail_msg("%d faults of kind %d in %s", (int)record.faults[i].count, i,
			         text);
	weir_text_release(&record.lines);
}

static void expect_whole(const char *text, const char *lines)
{
	expect(text, lines, WEIR_JSONSCAN_TRUNCATED, 0);
}

static void elements_are_found_however_deep_they_lie(void **state)
{
	(void)state;
	expect_whole("{\"items\":[{\"id\":1},{\"id\":2}],\"x\":[3]}",
	             "O \nE {\"id\":1}\nE {\"id\":2}\nM x=[3]\n");
	expect_whole("{\"outer\":[{\"a\":{},\"inner\":[{\"items\":[{\"id\":1}]},{\"items\":[]}],"
	             "\"b\":\"]}\"},{}]}",
	             "O \nO outer\nM a={}\nO inner\nE {\"id\":1}\nO inner\nM b=\"]}\"\nO outer\n");
	expect_whole("{\"outer\":{\"inner\":{\"items\":[{\"id\":1}]}}}",
	             "O \nO outer\nO inner\nE {\"id\":1}\n");
}

static void documents_follow_each_other_in_lines_and_arrays(void **state)
{
	static const char twice[] = "O \nE {\"id\":1}\nO \nE {\"id\":2}\n";

	(void)state;
	expect_whole("{\"items\":[{\"id\":1}]}\n{\"items\":[{\"id\":2}]}\n", twice);
	expect_whole("{\"items\":[{\"id\":1}]}{\"items\":[{\"id\":2}]}", twice);
	expect_whole("[{\"items\":[{\"id\":1}]},\n{\"items\":[{\"id\":2}]}]\n", twice);
}

static void other_values_are_handed_out_whole(void **state)
{
	(void)state;
	expect_whole("{\"outer\":3,\"items\":{\"id\":1},\"inner\":null,\"other\":[{\"items\":[]}]}",
	             "O \nM outer=3\nM items={\"id\":1}\nM inner=null\nM other=[{\"items\":[]}]\n");
	expect("{\"outer\":[1,\"x\",[{\"items\":[]}],{\"items\":[4]}]}", "O \nO outer\nE 4\n",
	       WEIR_JSONSCAN_SKIPPED, 3);
}

static void nesting_beyond_the_limit_is_handed_out_whole(void **state)
{
	struct weir_text text = {0};
	struct record record;

	(void)state;
	weir_text_repeat(&text, "{\"outer\":", 40);
	weir_text_puts(&text, "{}");
	weir_text_repeat(&text, "}", 40);
	record = scan(text.data, text.length);
	assert_int_equal(record.status, WEIR_OK);
	assert_non_null(strstr(record.lines.data, "M outer={\"outer\":{"));
	assert_int_equal(record.faults[WEIR_JSONSCAN_SKIPPED].count, 0);
	weir_text_release(&record.lines);
	weir_text_release(&text);
}

static void a_document_of_any_size_streams(void **state)
{
	struct weir_text text = {0};
	struct record record;
	const char *end;
	size_t found = 0;

	(void)state;
	/* Several buffers of the source, so that elements lie across their seams. */
	weir_text_puts(&text, "{\"outer\":[{\"inner\":[{\"items\":[");
	for (int i = 0; i < 100000; i++)
		weir_text_printf(&text, "%s{\"id\":%d,\"x\":\"abcdefghij\"}", i ? "," : "", i);
	weir_text_puts(&text, "]}]}]}");
	record = scan(text.data, text.length);
	/* Uses memchr(): with sanitizers, strstr() measures the rest of the text each time. */
	end = record.lines.data + record.lines.length;
	for (const char *at = record.lines.data;
	     (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
		found += end - at > 2 && at[1] == 'E' && at[2] == ' ';
	assert_int_equal(found, 100000);
	weir_text_release(&record.lines);
	weir_text_release(&text);
}

static void what_is_cut_off_costs_what_is_missing(void **state)
{
	(void)state;
	expect("{\"outer\":[{\"items\":[{\"id\":1},{\"id\":", "O \nO outer\nE {\"id\":1}\n",
	       WEIR_JSONSCAN_TRUNCATED, 1);
	expect("{\"outer\":[{\"items\":[{\"id\":1}", "O \nO outer\nE {\"id\":1}\n",
	       WEIR_JSONSCAN_TRUNCATED, 1);
	expect("{\"outer\":[{\"ite", "O \nO outer\n", WEIR_JSONSCAN_TRUNCATED, 1);
}

static void a_damaged_line_costs_no_other(void **state)
{
	(void)state;
	expect("{\"outer\":[{x]}\n{\"items\":[{\"id\":2}]}\n", "O \nO outer\nO \nE {\"id\":2}\n",
	       WEIR_JSONSCAN_SKIPPED, 1);
	expect("{\"items\":[{\"id\":1}]}\nrubbish\n{\"items\":[{\"id\":2}]}\n",
	       "O \nE {\"id\":1}\nO \nE {\"id\":2}\n", WEIR_JSONSCAN_TRAILING, 1);
	expect("{\"items\":[{\"id\":1}]}\nrubbish\n", "O \nE {\"id\":1}\n", WEIR_JSONSCAN_TRAILING,
	       1);
}

static void a_damaged_element_costs_no_other(void **state)
{
	(void)state;
	expect("{\"outer\":[{\"items\":[{\"id\":1},{\"id\":2 3 4},{\"id\":3}]}]}",
	       "O \nO outer\nE {\"id\":1}\nE {\"id\":3}\n", WEIR_JSONSCAN_SKIPPED, 1);
	/* A member without a valid value: the scanner resumes at the next element, at any depth. */
	expect("{\"outer\":[{5,\"items\":[{\"id\":1},{\"id\":2}]}]}",
	       "O \nO outer\nE {\"id\":1}\nE {\"id\":2}\n", WEIR_JSONSCAN_SKIPPED, 1);
}

static void brackets_that_do_not_match_lose_no_place(void **state)
{
	(void)state;
	expect("{\"outer\":[{\"items\":[{\"id\":1}]]}\n{\"items\":[{\"id\":2}]}",
	       "O \nO outer\nE {\"id\":1}\nO \nE {\"id\":2}\n", WEIR_JSONSCAN_SKIPPED, 1);
	expect("{}]}{\"items\":[{\"id\":2}]}", "O \nO \nE {\"id\":2}\n", WEIR_JSONSCAN_SKIPPED, 2);
}

/* Texts that never end, nested in each other: the search for the next element is bounded. */
static void hostile_nesting_ends_soon(void **state)
{
	static const char *const patterns[] = {
		"{\"id\":\"", "{\"items\":[{\"id\":", "{ ", "{\"a\":\"\n", "]", "{\"items\":[\""};
	clock_t before = clock();

	(void)state;
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		struct weir_text text = {0};
		struct record record;

		weir_text_puts(&text, "{\"items\":[");
		weir_text_repeat(&text, patterns[i], (2u << 20) / strlen(patterns[i]));
		record = scan(text.data, text.length);
		weir_text_release(&record.lines);
		weir_text_release(&text);
	}
	assert_true((double)(clock() - before) / CLOCKS_PER_SEC < 30);
}

static void only_objects_and_arrays_are_documents(void **state)
{
	struct record record = scan("5", 1);

	(void)state;
	assert_int_equal(record.status, WEIR_E_FORMAT);
	weir_text_release(&record.lines);
}

static void a_taker_that_fails_ends_the_reading(void **state)
{
	static const char text[] = "{\"a\": 1, \"stop\": 2, \"b\": 3}";
	struct record record = scan(text, strlen(text));

	(void)state;
	assert_int_equal(record.status, WEIR_E_LIMIT);
	assert_string_equal(record.lines.data, "O \nM a=1\n");
	weir_text_release(&record.lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_are_found_however_deep_they_lie),
		cmocka_unit_test(documents_follow_each_other_in_lines_and_arrays),
		cmocka_unit_test(other_values_are_handed_out_whole),
		cmocka_unit_test(nesting_beyond_the_limit_is_handed_out_whole),
		cmocka_unit_test(a_document_of_any_size_streams),
		cmocka_unit_test(what_is_cut_off_costs_what_is_missing),
		cmocka_unit_test(a_damaged_line_costs_no_other),
		cmocka_unit_test(a_damaged_element_costs_no_other),
		cmocka_unit_test(brackets_that_do_not_match_lose_no_place),
		cmocka_unit_test(hostile_nesting_ends_soon),
		cmocka_unit_test(only_objects_and_arrays_are_documents),
		cmocka_unit_test(a_taker_that_fails_ends_the_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
