/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/unit/document.h"
#include "tests/unit/fixture_gate.h"
#include "tests/unit/near.h"

#define LONGEST_MESSAGE 4096

static struct weir_text write_annotations(struct weir_gate_result *result)
{
	struct weir_text text = fixture_gate_write("annotations", result, NULL);

	weir_gate_result_free(result);
	return text;
}

static size_t lines_with(const struct weir_text *text, const char *start)
{
	size_t count = 0;

	for (const char *at = text->data; at && *at; at = strchr(at, '\n') + 1)
		count += strncmp(at, start, strlen(start)) == 0;
	return count;
}

/* Checks that each line is one command with a title; the title contains no ":" or ",", and
 * neither part a bare "%". */
static void assert_commands(const struct weir_text *text)
{
	for (const char *at = text->data; at && *at; at = strchr(at, '\n') + 1) {
		const char *title = strstr(at, " title=");
		size_t length = strcspn(at, "\n");

		assert_memory_equal(at, "::", 2);
		assert_non_null(title);
		title += strlen(" title=");
		assert_memory_equal(title + strcspn(title, ":,\n"), "::", 2);
		assert_true(length < LONGEST_MESSAGE);
		for (size_t i = 0; i < length; i++)
			assert_true(at[i] != '%' || !strncmp(at + i, "%25", 3) ||
			            !strncmp(at + i, "%3A", 3) || !strncmp(at + i, "%2C", 3));
	}
}

static void every_line_is_one_command(void **state)
{
	(void)state;
	for (const fixture_gate_maker *make = fixture_gates; *make; make++) {
		struct weir_text text = write_annotations((*make)());

		assert_commands(&text);
		weir_text_release(&text);
	}
}

static void levels_follow_the_outcomes(void **state)
{
	struct weir_text text = write_annotations(fixture_gate_regression());

	(void)state;
	assert_has(&text, "::error title=decode_graph/aten%3A%3Acopy_ shift +45.8 %25::aten::copy_ "
	                  "in decode_graph takes 45.8 %25 more device time overall (81.2 -> 118 ");
	assert_has(&text, "::notice title=prefill p99 +8.0 %25::");
	assert_int_equal(lines_with(&text, "::error"), 1);
	assert_has_not(&text, " file=");
	assert_int_equal(lines_with(&text, "::warning"), 0);
	weir_text_release(&text);
	text = write_annotations(fixture_gate_suspect());
	assert_int_equal(lines_with(&text, "::warning"), 1);
	weir_text_release(&text);
}

static void the_tenth_says_how_many_more(void **state)
{
	struct weir_text text = write_annotations(fixture_gate_many(5000));

	(void)state;
	assert_int_equal(lines_with(&text, "::error"), 10);
	assert_int_equal(lines_with(&text, "::notice"), 10);
	assert_has(&text, "::error title=weir%3A and 1658 more::1658 more findings that "
	                  "regressed; the summary lists them\n");
	weir_text_release(&text);
	text = write_annotations(fixture_gate_many(28)); /* ten of them regressed */
	assert_int_equal(lines_with(&text, "::error"), 10);
	assert_has_not(&text, "::error title=weir%3A and");
	weir_text_release(&text);
}

static void a_verdict_without_a_row_is_an_error(void **state)
{
	struct weir_text text = write_annotations(fixture_gate_environment());

	(void)state;
	assert_string_equal(
		text.data, "::error title=weir%3A environment::gpu differs: NVIDIA H200 "
			   "in the baseline, NVIDIA A100 in the candidate; nothing was compared\n");
	weir_text_release(&text);
}

static void a_pass_says_nothing(void **state)
{
	struct weir_text text = write_annotations(fixture_gate_pass());

	(void)state;
	assert_int_equal(text.length, 0);
	weir_text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_line_is_one_command),
		cmocka_unit_test(levels_follow_the_outcomes),
		cmocka_unit_test(the_tenth_says_how_many_more),
		cmocka_unit_test(a_verdict_without_a_row_is_an_error),
		cmocka_unit_test(a_pass_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
