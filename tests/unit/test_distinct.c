/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/report/plain/distinct.h"

#define MOST 200

/* Expects the cuts of the names, which fit the columns. */
static void expect(const char *const *names, size_t count, size_t columns, const char *const *cuts)
{
	struct weir_text cut[MOST] = {{0}};

	weir_cut_distinct(names, count, columns, cut);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(cut[i].data ? cut[i].data : "", cuts[i]);
		assert_true(weir_text_columns(cuts[i]) <= columns);
		weir_text_release(&cut[i]);
	}
}

static void names_that_differ_are_cut_as_usual(void **state)
{
	static const char *const names[] = {"short", "a name that is much too long to show",
	                                    "another name that is too long"};
	static const char *const cuts[] = {"short", "a name that i\xE2\x80\xA6o show",
	                                   "another name \xE2\x80\xA6o long"};

	(void)state;
	expect(names, 3, 20, cuts);
}

static void names_with_equal_ends_show_where_they_differ(void **state)
{
	static const char *const names[] = {"sm80_xmma_gemm_f32f32_tn_n_tilesize128x64_kernel",
	                                    "sm80_xmma_gemm_f32f32_tn_n_tilesize256x64_kernel",
	                                    "sm80_xmma_gemm_f32f32_tn_n_tilesize256x64_kernel"};
	static const char *const cuts[] = {"sm80\xE2\x80\xA6"
	                                   "128x64_k\xE2\x80\xA6rnel",
	                                   "sm80\xE2\x80\xA6"
	                                   "256x64_k\xE2\x80\xA6rnel",
	                                   "sm80\xE2\x80\xA6"
	                                   "256x64_k\xE2\x80\xA6rnel"};

	(void)state;
	expect(names, 3, 18, cuts);
}

/* The place begins with the word or bracket that it is in, if that is near. */
static void a_difference_is_shown_with_its_word(void **state)
{
	static const char *const names[] = {
		"tests/test_norm.py::test_benchmark[Norm-shape0-float32]",
		"tests/test_norm.py::test_benchmark[Norm2-shape0-float32]"};
	static const char *const cuts[] = {"tests/te\xE2\x80\xA6[Norm-shape0-float32]",
	                                   "tests/te\xE2\x80\xA6[Norm2-shape0-float32]"};

	(void)state;
	expect(names, 2, 36, cuts);
}

static void names_are_escaped_before_they_are_cut(void **state)
{
	const struct weir_slice names[] = {{"gemm\tfor_rows_of_128", 20}, {"", 0}, {"xy", 1}};
	static const char *const cuts[] = {("gemm for_r\xE2\x80\xA6"
	                                    "f_128"),
	                                   "(no name)", "x"};
	struct weir_text cut[3] = {{0}};

	(void)state;
	weir_cut_names_distinct(names, 3, 16, cut);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(cut[i].data, cuts[i]);
		weir_text_release(&cut[i]);
	}
}

static void templates_that_differ_at_the_end_show_the_end(void **state)
{
	static const char *const names[] = {
		"void at::native::kernel<4, Functor<float>, Array<char*, 2>>(int, float)",
		"void at::native::kernel<4, Functor<float>, Array<char*, 3>>(int, float)",
		"void at::native::kernel<4, Functor<float>, Array<char*, 3>>(int, double)"};
	struct weir_text cut[3] = {{0}};

	(void)state;
	weir_cut_distinct(names, 3, 20, cut);
	for (size_t i = 0; i < 3; i++) {
		assert_in_range(weir_text_columns(cut[i].data), 10, 20);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(cut[i].data, cut[j].data);
	}
	for (size_t i = 0; i < 3; i++)
		weir_text_release(&cut[i]);
}

/* Makes names that share their ends and differ in many places between them. */
static void fill(char names[MOST][128], const char *pointers[MOST])
{
	for (size_t i = 0; i < MOST; i++) {
		snprintf(names[i], sizeof names[i],
		         "ampere_%c_gemm_kernel_with_a_long_name_%c_and_then_some_more_%c_before_"
		         "%c_the_end_of_all",
		         (int)('a' + i % 3), (int)('a' + i / 3 % 4), (int)('a' + i / 12 % 5),
		         (int)('a' + i / 60 % 4));
		pointers[i] = names[i];
	}
}

static void any_names_stay_distinct_at_any_width(void **state)
{
	static char names[MOST][128];
	const char *pointers[MOST];

	(void)state;
	fill(names, pointers);
	for (size_t columns = 12; columns <= 90; columns++) {
		struct weir_text cut[MOST] = {{0}};

		weir_cut_distinct(pointers, MOST, columns, cut);
		for (size_t i = 0; i < MOST; i++) {
			assert_true(weir_text_columns(cut[i].data) <= columns);
			for (size_t j = 0; j < i; j++)
				if (strcmp(cut[i].data, cut[j].data) == 0)
					fail_msg("%zu columns: %s is %s and %s", columns,
					         cut[i].data, names[i], names[j]);
		}
		for (size_t i = 0; i < MOST; i++)
			weir_text_release(&cut[i]);
	}
}

static void the_order_of_the_names_does_not_matter(void **state)
{
	static char names[MOST][128];
	const char *pointers[MOST], *turned[MOST];
	struct weir_text one[MOST] = {{0}}, other[MOST] = {{0}};

	(void)state;
	fill(names, pointers);
	for (size_t i = 0; i < MOST; i++)
		turned[i] = pointers[MOST - 1 - i];
	weir_cut_distinct(pointers, MOST, 20, one);
	weir_cut_distinct(turned, MOST, 20, other);
	for (size_t i = 0; i < MOST; i++)
		assert_string_equal(one[i].data, other[MOST - 1 - i].data);
	for (size_t i = 0; i < MOST; i++) {
		weir_text_release(&one[i]);
		weir_text_release(&other[i]);
	}
}

static void characters_of_several_bytes_stay_whole(void **state)
{
	static const char *const names[] = {
		"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9"
		"\xC3\xA9\xC3\xA8\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9",
		"\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9"
		"\xC3\xA9\xC3\xA7\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9"};
	static const char *const cuts[] = {
		"\xC3\xA9\xC3\xA9\xE2\x80\xA6\xC3\xA8\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xE2"
		"\x80\xA6\xC3\xA9\xC3\xA9",
		"\xC3\xA9\xC3\xA9\xE2\x80\xA6\xC3\xA7\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xE2"
		"\x80\xA6\xC3\xA9\xC3\xA9"};

	(void)state;
	expect(names, 2, 12, cuts);
}

static void there_may_be_no_room_at_all(void **state)
{
	static const char *const names[] = {"abcdefgh", "abcdefgi"};
	struct weir_text cut[2] = {{0}};

	(void)state;
	for (size_t columns = 0; columns < 9; columns++)
		for (size_t count = 0; count <= 2; count++) {
			weir_cut_distinct(names, count, columns, cut);
			weir_text_release(&cut[0]);
			weir_text_release(&cut[1]);
			cut[0] = cut[1] = (struct weir_text){0};
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_differ_are_cut_as_usual),
		cmocka_unit_test(names_with_equal_ends_show_where_they_differ),
		cmocka_unit_test(a_difference_is_shown_with_its_word),
		cmocka_unit_test(names_are_escaped_before_they_are_cut),
		cmocka_unit_test(templates_that_differ_at_the_end_show_the_end),
		cmocka_unit_test(any_names_stay_distinct_at_any_width),
		cmocka_unit_test(the_order_of_the_names_does_not_matter),
		cmocka_unit_test(characters_of_several_bytes_stay_whole),
		cmocka_unit_test(there_may_be_no_room_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
