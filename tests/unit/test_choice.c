/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/choice.h"

static void expect(struct weir_choice *choice, const char *line)
{
	struct weir_text text = {0};

	weir_choice_describe(choice, &text);
	assert_string_equal(text.data, line);
	weir_text_release(&text);
	weir_choice_release(choice);
}

static void a_choice_counts_files_by_format_and_reason(void **state)
{
	struct weir_choice choice = {0}, other = {0};

	(void)state;
	weir_choice_take(&choice, "kineto");
	weir_choice_take(&choice, "kineto");
	weir_choice_take(&other, "smi");
	weir_choice_leave(&choice, 1, "f/notes.txt", "text");
	weir_choice_leave(&other, 2, "f/a.txt", "text");
	weir_choice_leave(&other, 1, "f/b.bin", "binary");
	weir_choice_leave(&other, 0, "f/none", "nothing");
	weir_choice_add(&choice, &other);
	weir_choice_shorten(&choice, "f");
	weir_choice_release(&other);
	assert_int_equal(weir_choice_taken(&choice), 3);
	assert_int_equal(weir_choice_left(&choice), 4);
	expect(&choice, "3 of 7 files read (kineto 2, smi 1); left out: a.txt and 2 more (text), "
	                "b.bin (binary)");
}

static void all_files_that_were_read_need_no_reasons(void **state)
{
	struct weir_choice choice = {0};

	(void)state;
	weir_choice_take(&choice, "kineto");
	expect(&choice, "1 file read (kineto 1)");
	weir_choice_take(&choice, "kineto");
	weir_choice_take(&choice, "kineto");
	expect(&choice, "2 files read (kineto 2)");
	expect(&choice, "0 files read");
}

static void the_order_of_the_files_does_not_show(void **state)
{
	static const char *const names[] = {"rank10.txt", "rank9.txt", "a.bin", "rank2.txt"};
	static const char *const reasons[] = {"text", "text", "binary", "text"};

	(void)state;
	for (size_t turn = 0; turn < 4; turn++) {
		struct weir_choice choice = {0};

		for (size_t i = 0; i < 4; i++)
			weir_choice_leave(&choice, 1, names[(i + turn) % 4],
			                  reasons[(i + turn) % 4]);
		expect(&choice, "0 of 4 files read; left out: a.bin (binary), rank2.txt and 2 more "
		                "(text)");
	}
}

static void many_reasons_are_cut_off(void **state)
{
	static const char *const reasons[] = {"1", "2", "3", "4", "5", "6"};
	struct weir_choice choice = {0};

	(void)state;
	for (size_t i = 0; i < 4; i++)
		weir_choice_leave(&choice, 1, reasons[i], reasons[i]);
	expect(&choice, "0 of 4 files read; left out: 1 (1), 2 (2), 3 (3), 4 (4)");
	for (size_t i = 0; i < 6; i++)
		weir_choice_leave(&choice, i + 1, reasons[i], reasons[i]);
	expect(&choice, "0 of 21 files read; left out: 1 (1), 2 and 1 more (2), 3 and 2 more (3), "
	                "4 and 3 more (4), and 11 for other reasons");
}

static void names_are_shortened_to_what_lies_below_the_folder(void **state)
{
	struct weir_choice choice = {0};

	(void)state;
	weir_choice_leave(&choice, 1, "f/a", "1");
	weir_choice_leave(&choice, 1, "f", "2");
	weir_choice_leave(&choice, 1, "g/f/b", "3");
	weir_choice_shorten(&choice, "f");
	expect(&choice, "0 of 3 files read; left out: a (1), f (2), g/f/b (3)");
	weir_choice_leave(&choice, 1, "f/a", "1");
	weir_choice_shorten(&choice, "f/");
	expect(&choice, "0 of 1 files read; left out: a (1)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_choice_counts_files_by_format_and_reason),
		cmocka_unit_test(all_files_that_were_read_need_no_reasons),
		cmocka_unit_test(the_order_of_the_files_does_not_show),
		cmocka_unit_test(many_reasons_are_cut_off),
		cmocka_unit_test(names_are_shortened_to_what_lies_below_the_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
