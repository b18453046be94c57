/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts of JSON values, checked piece by piece. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/jsoncheck.h"

/* Checks the first `length` bytes of a text, at most `step` more of them at a time. */
static bool check_in_steps(const char *text, size_t length, size_t step)
{
	struct weir_jsoncheck check;
	bool good = true;

	weir_jsoncheck_start(&check);
	for (size_t size = 0; size < length;) {
		char *copy;

		size = length - size > step ? size + step : length;
		copy = malloc(size); /* nothing after the bytes may be read */
		assert_non_null(copy);
		memcpy(copy, text, size);
		good = weir_jsoncheck_feed(&check, (struct weir_slice){copy, size});
		free(copy);
	}
	return good;
}

/* Checks that a text is good up to `bad`, the offset of the byte that damages it, and not after. */
static void expect_bad_at(const char *text, size_t bad)
{
	static const size_t steps[] = {1, 2, 3, 7, 20, 1000};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		for (size_t length = 1; length <= strlen(text); length++)
			assert_int_equal(check_in_steps(text, length, steps[i]), length <= bad);
}

static void expect_good(const char *text)
{
	expect_bad_at(text, strlen(text) - 1); /* the last bracket ends the value */
}

static void every_prefix_of_json_is_good(void **state)
{
	(void)state;
	expect_good("{}");
	expect_good("[]");
	expect_good("{\"a\": 1, \"b\": [1, -2.5e3 , null], \"c\": {\"d\": \"e\"}, \"f\": []}");
	expect_good("[[], {}, [{}], \"x\", \"\", true,\n\t\"[{,:}]\"]");
	expect_good("{\"a \\\" quote and \\\\\": \"\\\\\", \"\": \"\\u00e9\\\"\"}");
	expect_good("{\"a text of more than sixteen bytes, and of\\nmore than thirty-two\":1}");
}

static void brackets_and_separators_must_fit(void **state)
{
	(void)state;
	expect_bad_at("{\"a\": 1]", 7);
	expect_bad_at("[1}", 2);
	expect_bad_at("{\"a\": 1, {\"b\": 2}}", 9);
	expect_bad_at("{\"a\" 1}", 5);
	expect_bad_at("{\"a\"}", 4);
	expect_bad_at("{\"a\":}", 5);
	expect_bad_at("{\"a\": , ", 6);
	expect_bad_at("{\"a\": 1,}", 8);
	expect_bad_at("{\"a\": 1,,", 8);
	expect_bad_at("[1 2]", 3);
	expect_bad_at("[:", 1);
	expect_bad_at("[[] []]", 4);
	expect_bad_at("{a", 1);
}

static void stray_quotes_are_noticed(void **state)
{
	(void)state;
	expect_bad_at("{\"name\": \"f(\"cpu\")\", \"pid\": 1}", 13);
	expect_bad_at("{\"name\": \"a\"\", \"pid\": 1}", 12);
	expect_bad_at("{\"path\": \"C:\\\", \"pid\": 1}", 17);
	expect_bad_at("[\"a\" \"b\"]", 5);
}

static void nesting_has_a_limit(void **state)
{
	char text[WEIR_JSON_MAX_DEPTH + 1];

	(void)state;
	memset(text, '[', sizeof(text));
	assert_true(check_in_steps(text, WEIR_JSON_MAX_DEPTH, 100));
	assert_false(check_in_steps(text, sizeof(text), 100));
}

/* Bytes after the damage cannot make the start good again. */
static void a_bad_start_stays_bad(void **state)
{
	static const char text[] = "[1, 2 \"x\", 3, [], 4";
	struct weir_jsoncheck check;

	(void)state;
	weir_jsoncheck_start(&check);
	assert_true(weir_jsoncheck_feed(&check, (struct weir_slice){text, 6}));
	for (size_t length = 7; length < sizeof(text); length++)
		assert_false(weir_jsoncheck_feed(&check, (struct weir_slice){text, length}));
	weir_jsoncheck_start(&check);
	assert_true(weir_jsoncheck_feed(&check, (struct weir_slice){text, 6}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_prefix_of_json_is_good),
		cmocka_unit_test(brackets_and_separators_must_fit),
		cmocka_unit_test(stray_quotes_are_noticed),
		cmocka_unit_test(nesting_has_a_limit),
		cmocka_unit_test(a_bad_start_stays_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
