/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/names.h"

#define MANY 200000

static void the_empty_text_is_id_0(void **state)
{
	struct weir_names *names = weir_names_new();

	(void)state;
	assert_int_equal(weir_names_add(names, "", 0), 0);
	assert_int_equal(weir_names_add(names, NULL, 0), 0);
	assert_string_equal(weir_names_text(names, 0), "");
	assert_int_equal(weir_names_count(names), 1);
	weir_names_free(names);
}

static void equal_texts_get_equal_ids(void **state)
{
	struct weir_names *names = weir_names_new();
	uint32_t mm = weir_names_add(names, "aten::mm(int)", 8);
	uint32_t bmm = weir_names_add(names, "aten::bmm", 9);

	(void)state;
	assert_int_not_equal(mm, bmm);
	assert_int_equal(weir_names_add(names, "aten::mm", 8), mm);
	assert_string_equal(weir_names_text(names, mm), "aten::mm");
	assert_int_equal(weir_names_length(names, mm), 8);
	assert_int_equal(weir_names_find(names, "aten::bmm", 9), bmm);
	assert_int_equal(weir_names_find(names, "aten::b", 7), UINT32_MAX);
	weir_names_free(names);
}

static void bytes_beyond_ascii_and_long_texts_are_kept(void **state)
{
	struct weir_names *names = weir_names_new();
	char *text = malloc(300000);
	uint32_t id;

	(void)state;
	for (size_t i = 0; i < 300000; i++)
		text[i] = (char)(1 + i % 255);
	for (size_t len = 0; len < 300000; len = len * 2 + 1) {
		id = weir_names_add(names, text, len);
		assert_int_equal(weir_names_length(names, id), len);
		assert_memory_equal(weir_names_text(names, id), text, len);
		assert_int_equal(weir_names_text(names, id)[len], 0);
	}
	id = weir_names_add(names, "after", 5);
	assert_string_equal(weir_names_text(names, id), "after");
	free(text);
	weir_names_free(names);
}

static void many_names_keep_their_ids_while_the_table_grows(void **state)
{
	struct weir_names *names = weir_names_new();
	char text[64];

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < MANY; i++) {
			size_t len =
				(size_t)snprintf(text, sizeof(text), "ampere_sgemm_%u_tn", i * 7u);

			assert_int_equal(weir_names_add(names, text, len), i + 1);
		}
	}
	assert_int_equal(weir_names_count(names), MANY + 1);
	for (uint32_t i = 0; i < MANY; i++) {
		snprintf(text, sizeof(text), "ampere_sgemm_%u_tn", i * 7u);
		assert_string_equal(weir_names_text(names, i + 1), text);
	}
	weir_names_free(names);
}

static void texts_that_differ_in_one_byte_differ(void **state)
{
	struct weir_names *names = weir_names_new();
	char text[40];

	(void)state;
	for (size_t len = 1; len <= sizeof(text); len++) {
		memset(text, 'a', sizeof(text));
		weir_names_add(names, text, len);
		for (size_t i = 0; i < len; i++) {
			text[i] = 'b';
			assert_int_equal(weir_names_find(names, text, len), UINT32_MAX);
			text[i] = 'a';
		}
	}
	assert_int_equal(weir_names_count(names), sizeof(text) + 1);
	weir_names_free(names);
}

static void an_unknown_id_is_the_empty_text(void **state)
{
	struct weir_names *names = weir_names_new();

	(void)state;
	assert_string_equal(weir_names_text(names, UINT32_MAX), "");
	assert_int_equal(weir_names_length(names, 1), 0);
	weir_names_free(names);
	weir_names_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_empty_text_is_id_0),
		cmocka_unit_test(equal_texts_get_equal_ids),
		cmocka_unit_test(bytes_beyond_ascii_and_long_texts_are_kept),
		cmocka_unit_test(many_names_keep_their_ids_while_the_table_grows),
		cmocka_unit_test(texts_that_differ_in_one_byte_differ),
		cmocka_unit_test(an_unknown_id_is_the_empty_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
