/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output of a tool inside other text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/parts/excerpt.h"
#include "engine/readers/reader.h"

static void expect_text(struct weir_slice text, const char *expected)
{
	assert_int_equal(text.length, strlen(expected));
	assert_memory_equal(text.data, expected, text.length);
}

static void expect_block(const char *page, size_t index, const char *text, uint64_t left_out)
{
	struct weir_excerpt block;

	assert_true(weir_excerpt_block(weir_slice_of(page), index, &block));
	expect_text(block.text, text);
	assert_int_equal(block.left_out, left_out);
}

static void blocks_of_code_are_found_in_their_order(void **state)
{
	static const char page[] = "title\n\n```\na\nb\n```\ntext\n  ~~~ csv\nc\n  ~~~\n";
	struct weir_excerpt block;

	(void)state;
	expect_block(page, 0, "a\nb\n", 7);
	expect_block(page, 1, "c\n", 8);
	assert_false(weir_excerpt_block(weir_slice_of(page), 2, &block));
	expect_block("```\na\n", 0, "a\n", 1); /* without an end */
	expect_block("```\n```\n", 0, "", 2);
	expect_block("```", 0, "", 1);
	assert_false(weir_excerpt_block(weir_slice_of("a\nb\n"), 0, &block));
	assert_false(weir_excerpt_block(weir_slice_of(""), 0, &block));
}

static void expect_behind(const char *page, size_t lines, const char *text, uint64_t left_out)
{
	struct weir_excerpt behind;

	assert_true(weir_excerpt_behind(weir_slice_of(page), lines, &behind));
	expect_text(behind.text, text);
	assert_int_equal(behind.left_out, left_out);
}

static void a_command_and_the_next_prompt_are_left_out(void **state)
{
	struct weir_excerpt behind;

	(void)state;
	expect_behind("$ tool\na\nb\n", 1, "a\nb\n", 1);
	expect_behind("\nme@box:~# tool\n\na\nme@box:~# \n\n", 1, "\na\n", 2);
	expect_behind("$ tool\na\nb $\n", 1, "a\nb $\n", 1);
	expect_behind("note\nb\na\nnote\n", 2, "a\nnote\n", 2);
	assert_false(weir_excerpt_behind(weir_slice_of("$ tool\n$ \n"), 1, &behind));
	assert_false(weir_excerpt_behind(weir_slice_of("a\nb\n"), 2, &behind));
	assert_false(weir_excerpt_behind(weir_slice_of("a\n"), 2, &behind));
}

static void expect_margin(const char *page, size_t margin, const char *text)
{
	struct weir_text cut = {0};

	assert_int_equal(weir_excerpt_margin(weir_slice_of(page)), margin);
	weir_excerpt_cut(weir_slice_of(page), margin, &cut);
	assert_string_equal(cut.data, text);
	weir_text_release(&cut);
}

static void a_margin_is_what_every_line_begins_with(void **state)
{
	(void)state;
	expect_margin("  a\n\n    b\n", 2, "a\n\n  b\n");
	expect_margin("> a\n>  b\n", 2, "a\n b\n");
	expect_margin("web-1  | a\nweb-1  | b\n", 9, "a\nb\n");
	expect_margin("a, b\na, c\n", 0, "a, b\na, c\n");
	expect_margin("| a |\n| b |\n", 0, "| a |\n| b |\n"); /* a table in Markdown */
	expect_margin("web-1  | a\n", 0, "web-1  | a\n");
	expect_margin("   a b\n", 3, "a b\n");
	expect_margin("  a\nb\n", 0, "  a\nb\n");
}

#define TABLE                                                                                      \
	"\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"\n"                    \
	"\"gemm\",2,600,300,60\n"                                                                  \
	"\"norm\",4,400,100,40\n"

static const struct weir_input *read_page(struct weir_profile *profile, const char *page)
{
	const struct weir_read_options options = {0};
	struct weir_error err = {0};

	if (weir_read_memory(profile, "page", page, strlen(page), &options, &err))
		fail_msg("%s", err.message);
	assert_string_equal(err.message, "");
	assert_int_equal(profile->input_count, 1);
	return &profile->inputs[0];
}

static void expect_page(const char *page, uint64_t left_out, uint64_t others)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = read_page(profile, page);

	assert_string_equal(input->format, "rocprof");
	assert_int_equal(input->warnings[WEIR_WARN_OTHER_TEXT].count, left_out);
	assert_int_equal(input->warnings[WEIR_WARN_OTHER_TABLE].count, others);
	weir_profile_free(profile);
}

static void output_inside_a_page_is_read_and_the_rest_counted(void **state)
{
	(void)state;
	expect_page(TABLE, 0, 0);
	expect_page("Title\n```\nmake\n```\n```\n" TABLE "```\n", 6, 0);
	expect_page("Title\n```\n" TABLE "```\ntext\n```\n" TABLE "```\n", 9, 1);
	expect_page("$ cat a.csv\n" TABLE "$ \n", 2, 0);
	expect_page("- item:\n  ~~~\n  \"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\","
	            "\"Percentage\"\n  \"gemm\",2,600,300,60\n  ~~~\n",
	            3, 0);
}

static void a_page_without_output_is_refused_as_before(void **state)
{
	static const char page[] = "# Notes\n\n```\nmake test\n```\n";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_read_options options = {0};
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_read_memory(profile, "page", page, strlen(page), &options, &err),
	                 WEIR_E_FORMAT);
	assert_non_null(strstr(err.message, "text that no reader knows"));
	assert_int_equal(profile->input_count, 0);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_of_code_are_found_in_their_order),
		cmocka_unit_test(a_command_and_the_next_prompt_are_left_out),
		cmocka_unit_test(a_margin_is_what_every_line_begins_with),
		cmocka_unit_test(output_inside_a_page_is_read_and_the_rest_counted),
		cmocka_unit_test(a_page_without_output_is_refused_as_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
