/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/error.h"

static void fail_returns_the_status_and_keeps_the_reason(void **state)
{
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_fail(&err, WEIR_E_FORMAT, "dur: %s at %d", "expected a number", 41),
	                 WEIR_E_FORMAT);
	assert_int_equal(err.status, WEIR_E_FORMAT);
	assert_string_equal(err.message, "dur: expected a number at 41");
}

static void fail_in_puts_the_context_first(void **state)
{
	struct weir_error err = {0};

	(void)state;
	weir_fail(&err, WEIR_E_LIMIT, "too large");
	assert_int_equal(weir_fail_in(&err, "events[%d]", 41), WEIR_E_LIMIT);
	assert_int_equal(weir_fail_in(&err, "trace.json"), WEIR_E_LIMIT);
	assert_string_equal(err.message, "trace.json: events[41]: too large");
}

static void a_missing_error_still_fails(void **state)
{
	(void)state;
	assert_int_equal(weir_fail(NULL, WEIR_E_IO, "nobody reads this"), WEIR_E_IO);
	assert_int_not_equal(weir_fail_in(NULL, "nor this"), WEIR_OK);
}

static void a_message_may_quote_the_one_before(void **state)
{
	struct weir_error err = {0};

	(void)state;
	weir_fail(&err, WEIR_E_IO, "first");
	weir_fail(&err, WEIR_E_STORE, "second after %s", err.message);
	assert_string_equal(err.message, "second after first");
}

static void a_long_message_is_cut_and_ends(void **state)
{
	struct weir_error err = {0};
	char long_text[2 * WEIR_ERROR_TEXT];

	(void)state;
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	weir_fail(&err, WEIR_E_IO, "%s", long_text);
	assert_int_equal(strlen(err.message), WEIR_ERROR_TEXT - 1);
	weir_fail_in(&err, "context");
	assert_int_equal(strlen(err.message), WEIR_ERROR_TEXT - 1);
	assert_memory_equal(err.message, "context: x", 10);
}

static void a_message_is_one_line_without_terminal_codes(void **state)
{
	struct weir_error err = {0};

	(void)state;
	weir_fail(&err, WEIR_E_IO, "cannot open %s", "a\nb\033[31m\x7f\xc3\xa9");
	assert_string_equal(err.message, "cannot open a?b?[31m?\xc3\xa9");
}

/* U+009B starts a terminal code as ESC [ does; U+202E reverses what follows it. */
static void a_message_holds_no_c1_control_and_no_hidden_character(void **state)
{
	struct weir_error err = {0};

	(void)state;
	weir_fail(&err, WEIR_E_FORMAT, "%s",
	          "a\xc2\x80"
	          "b\xc2\x9b"
	          "31mc\xc2\x9f"
	          "d\xc2\xa0"
	          "e");
	assert_string_equal(err.message, "a?b?31mc?d\xc2\xa0"
	                                 "e");
	weir_fail(&err, WEIR_E_FORMAT, "%s",
	          "a\xe2\x80\xae"
	          "b\xe2\x80\x8b"
	          "c\x9b"
	          "d\xe5");
	assert_string_equal(err.message, "a?b?c?d?");
	weir_fail_in(&err, "x\xc2\x9b");
	assert_string_equal(err.message, "x?: a?b?c?d?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fail_returns_the_status_and_keeps_the_reason),
		cmocka_unit_test(fail_in_puts_the_context_first),
		cmocka_unit_test(a_missing_error_still_fails),
		cmocka_unit_test(a_message_may_quote_the_one_before),
		cmocka_unit_test(a_long_message_is_cut_and_ends),
		cmocka_unit_test(a_message_is_one_line_without_terminal_codes),
		cmocka_unit_test(a_message_holds_no_c1_control_and_no_hidden_character),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
