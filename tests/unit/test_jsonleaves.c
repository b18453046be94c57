/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/parts/jsonleaves.h"
#include "tests/unit/near.h"

static enum weir_status write_leaf(void *context, const struct weir_jsonleaf *leaf,
                                   struct weir_error *err)
{
	struct weir_text *out = context;

	if (weir_slice_equals(leaf->text, "stop"))
		return weir_fail(err, WEIR_E_LIMIT, "stopped");
	weir_text_printf(out, "%s=%s%.*s%s ", leaf->path, leaf->quoted ? "'" : "",
	                 (int)leaf->text.length, leaf->text.data, leaf->quoted ? "'" : "");
	return WEIR_OK;
}

static enum weir_status leaves_of(const char *text, bool lists, struct weir_text *out,
                                  struct weir_error *err)
{
	const struct weir_jsonleaves leaves = {.leaf = write_leaf, .context = out, .lists = lists};
	struct weir_source *source;
	enum weir_status status;

	weir_text_puts(out, "");
	assert_int_equal(weir_source_open_memory("test", text, strlen(text), &source, err),
	                 WEIR_OK);
	status = weir_jsonleaves_read(&leaves, source, err);
	weir_source_free(source);
	return status;
}

static void expect_leaves(const char *text, bool lists, const char *expected)
{
	struct weir_text out = {0};
	struct weir_error err = {0};

	if (leaves_of(text, lists, &out, &err))
		fail_msg("%s", err.message);
	assert_string_equal(out.data ? out.data : "", expected);
	weir_text_release(&out);
}

static void every_scalar_comes_with_the_keys_that_lead_to_it(void **state)
{
	(void)state;
	expect_leaves("{\"a\": 1, \"b\": {\"c\": \"x\", \"d\": {}, \"e\": {\"f\": null}, \"g\": "
	              "NaN}, \"h\": true}",
	              false, "a=1 b/c='x' b/e/f=null b/g=NaN h=true ");
	expect_leaves("{}", false, "");
}

static void lists_are_passed_over_unless_asked_for(void **state)
{
	(void)state;
	expect_leaves("{\"a\": [1, {\"b\": 2}], \"c\": {\"d\": [3]}, \"e\": 4}", false, "e=4 ");
	expect_leaves("{\"a\": [1, {\"b\": 2}], \"c\": {\"d\": [3]}}", true,
	              "a=[1, {\"b\": 2}] c/d=[3] ");
}

static void what_is_nested_too_deep_or_named_too_long_is_passed_over(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "{\"a\": ");
	weir_text_repeat(&text, "{\"b\": ", WEIR_JSONLEAF_DEPTH);
	weir_text_puts(&text, "{\"c\": 1}");
	weir_text_repeat(&text, "}", WEIR_JSONLEAF_DEPTH);
	weir_text_puts(&text, ", \"");
	weir_text_repeat(&text, "k", WEIR_JSONLEAF_PATH);
	weir_text_puts(&text, "\": {\"x\": 1}, \"y\": 2}");
	expect_leaves(text.data, false, "y=2 ");
	weir_text_release(&text);
}

static void expect_refused(const char *text, const char *message)
{
	struct weir_text out = {0};
	struct weir_error err = {0};

	assert_int_not_equal(leaves_of(text, false, &out, &err), WEIR_OK);
	if (!strstr(err.message, message))
		fail_msg("\"%s\" is not in: %s", message, err.message);
	weir_text_release(&out);
}

static void a_document_that_is_not_whole_is_refused(void **state)
{
	(void)state;
	expect_refused("{\"a\": 1", "ends in the middle");
	expect_refused("{\"a\": 1} {\"a\": 2}", "one input is one run");
	expect_refused("[{\"a\": 1}]", "a list, expected one object");
	expect_refused("{\"a\": {\"b\" 1}}", "is not valid JSON");
	expect_refused("hello", "");
}

static void the_one_who_takes_leaves_can_stop_the_walk(void **state)
{
	(void)state;
	expect_refused("{\"a\": {\"b\": \"stop\", \"c\": 1}}", "stopped");
}

static double number_of(const char *text, bool quoted, bool *odd)
{
	const struct weir_jsonleaf leaf = {
		.path = "a", .text = weir_slice_of(text), .quoted = quoted};

	*odd = false;
	return weir_jsonleaf_number(&leaf, odd);
}

static void what_a_file_says_is_unknown_is_not_odd(void **state)
{
	static const char *const unknown[] = {"null", "NaN", "Infinity", "-Infinity"};
	bool odd;

	(void)state;
	assert_near(number_of("-1.5e3", false, &odd), -1500, 0);
	assert_false(odd);
	for (size_t i = 0; i < 4; i++) {
		assert_true(isnan(number_of(unknown[i], false, &odd)));
		assert_false(odd);
	}
	assert_true(isnan(number_of("1.5", true, &odd)));
	assert_true(odd);
	assert_true(isnan(number_of("true", false, &odd)));
	assert_true(odd);
	assert_true(isnan(number_of("", false, &odd)));
	assert_true(odd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_scalar_comes_with_the_keys_that_lead_to_it),
		cmocka_unit_test(lists_are_passed_over_unless_asked_for),
		cmocka_unit_test(what_is_nested_too_deep_or_named_too_long_is_passed_over),
		cmocka_unit_test(a_document_that_is_not_whole_is_refused),
		cmocka_unit_test(the_one_who_takes_leaves_can_stop_the_walk),
		cmocka_unit_test(what_a_file_says_is_unknown_is_not_odd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
