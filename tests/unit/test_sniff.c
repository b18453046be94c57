/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks: required, alternative and optional names, in each place where they are looked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/parts/sniff.h"
#include "engine/readers/reader.h"

static void expect_bits(const struct weir_mark *mark, const char *head, int bits)
{
	int found = weir_mark_bits(mark, head, strlen(head));

	if (found != bits)
		fail_msg("%d bits, expected %d: %s", found, bits, head);
}

static void required_keys_must_all_be_there(void **state)
{
	static const struct weir_mark mark = {.first = "{",
	                                      .keys = {{"one", "two", "three"}, .all = 2}};

	(void)state;
	expect_bits(&mark, "{\"one\": 1, \"two\": 2}", 8 * 6);
	expect_bits(&mark, " \n{\"three\": 3, \"two\": 2, \"one\": 1}", 8 * 11);
	expect_bits(&mark, "{\"one\": 1, \"three\": 3}", 0);
	expect_bits(&mark, "{\"one\": 1, \"other\": {\"two\": 2}}", 0);
	expect_bits(&mark, "{\"one\": 1, \"other\": \"two\"}", 0);
	expect_bits(&mark, "[{\"one\": 1, \"two\": 2}]", 0);
	expect_bits(&mark, "", 0);
}

static void one_of_the_alternatives_must_be_there(void **state)
{
	static const struct weir_mark mark = {
		.first = "{[", .keys = {{"id", "aa", "bbb", "more"}, .all = 1, .any = 2}};

	(void)state;
	expect_bits(&mark, "[{\"id\": 1, \"bbb\": 2}]", 8 * 5);
	expect_bits(&mark, "{\"id\": 1, \"aa\": 1, \"bbb\": 2}", 8 * 7);
	expect_bits(&mark, "{\"id\": 1, \"more\": 1}", 0);
	expect_bits(&mark, "{\"aa\": 1, \"bbb\": 2}", 0);
	expect_bits(&mark, "[1, {\"x\": 1}, {\"id\": 1, \"aa\": 2}]", 0);
}

static void keys_inside_a_member_are_found(void **state)
{
	static const struct weir_mark mark = {.first = "{",
	                                      .keys = {{"list"}, .all = 1},
	                                      .within = "list",
	                                      .inside = {{"start", "end"}, .all = 1}};

	(void)state;
	expect_bits(&mark, "{\"list\": [{\"start\": 1}]}", 8 * 9);
	expect_bits(&mark, "{\"a\": {\"start\": 1}, \"list\": {\"start\": 1, \"end\": 2}}", 8 * 12);
	expect_bits(&mark, "{\"list\": [], \"start\": 1}", 0);
	expect_bits(&mark, "{\"list\": 5}", 0);
}

static void cells_of_the_first_line_are_found(void **state)
{
	static const struct weir_mark mark = {.first = "", .cells = {{"Name", "Time"}, .all = 2}};

	(void)state;
	expect_bits(&mark, "\n\"Name\", Time ,x\r\n", 8 * 8);
	expect_bits(&mark, "x\nName,Time\n", 0);
	expect_bits(&mark, "Name,Times\n", 0);
	expect_bits(&mark, "", 0);
}

static void texts_are_found_anywhere(void **state)
{
	static const struct weir_mark mark = {.first = "",
	                                      .texts = {{"[I] a", "[I] bb"}, .any = 2}};

	(void)state;
	expect_bits(&mark, "x\ny [I] bb", 8 * 6);
	expect_bits(&mark, "x\ny [I] b", 0);
}

static int sniff_hash(const char *head, size_t len)
{
	return len && *head == '#' ? 8 : 0;
}

static const char *refuse_bang(const char *head, size_t len)
{
	return len && *head == '!' ? "bang" : NULL;
}

static void a_reader_is_as_sure_as_its_best_mark(void **state)
{
	static const struct weir_mark marks[] = {
		{.first = "{", .keys = {{"a"}, .all = 1}},
		{.first = "{", .keys = {{"a", "bb"}, .all = 2}},
		{.first = "{", .keys = {{"a", "bb", "ccc"}, .all = 3}, .refusal = "refused"},
		{0},
	};
	const struct weir_reader reader = {
		.marks = marks, .sniff = sniff_hash, .refuse = refuse_bang};
	const struct weir_reader plain = {.sniff = sniff_hash};
	static const char three[] = "{\"a\": 1, \"bb\": 2, \"ccc\": 3}";

	(void)state;
	assert_int_equal(weir_sniff_reader(&reader, "{\"a\": 1}", 8), 8);
	assert_int_equal(weir_sniff_reader(&reader, three, strlen(three)), 24);
	assert_int_equal(weir_sniff_reader(&reader, "#", 1), 8);
	assert_int_equal(weir_sniff_reader(&reader, "x", 1), 0);
	assert_int_equal(weir_sniff_reader(&plain, "{\"a\": 1}", 8), 0);
	assert_string_equal(weir_sniff_refusal(&reader, three, strlen(three)), "refused");
	assert_string_equal(weir_sniff_refusal(&reader, "!", 1), "bang");
	assert_null(weir_sniff_refusal(&reader, "{\"a\": 1}", 8));
	assert_null(weir_sniff_refusal(&plain, three, strlen(three)));
}

static void lines_of_a_log_are_no_json(void **state)
{
	static const char *const logs[] = {"[E] Error", "[6] Invalid node", "[2026-01-02 03:04] x",
	                                   "[INFO] x",  "[TRT] x",          "[WARN] x",
	                                   "[-] x",     "[2026] x"};
	static const char *const documents[] = {"[1, 2]", "[-1.5e3]", " [6]\n", "[", "[{", "[]"};

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++)
		assert_false(weir_sniff_is_json(logs[i], strlen(logs[i])));
	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++)
		assert_true(weir_sniff_is_json(documents[i], strlen(documents[i])));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_a_log_are_no_json),
		cmocka_unit_test(required_keys_must_all_be_there),
		cmocka_unit_test(one_of_the_alternatives_must_be_there),
		cmocka_unit_test(keys_inside_a_member_are_found),
		cmocka_unit_test(cells_of_the_first_line_are_found),
		cmocka_unit_test(texts_are_found_anywhere),
		cmocka_unit_test(a_reader_is_as_sure_as_its_best_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
