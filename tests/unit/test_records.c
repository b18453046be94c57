/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/jsonscan.h"
#include "engine/readers/parts/records.h"

/* Collects the member "n" of every record. */
static bool take(struct weir_slice text, struct weir_jsoncursor *cursor, struct weir_text *seen)
{
	struct weir_slice key, value = {0};

	*cursor = weir_jsoncursor_on(text);
	weir_jsoncursor_enter(cursor, '{');
	while (weir_jsoncursor_key(cursor, &key)) {
		struct weir_slice got = weir_jsoncursor_take(cursor);

		if (weir_slice_equals(key, "n"))
			value = got;
	}
	if (cursor->bad)
		return false;
	weir_text_printf(seen, "%.*s ", (int)value.length, value.data);
	return true;
}

/* Returns the values of "n" of all records of a text, such as "1 2 3 ". */
static void expect_bytes(const char *text, size_t len, const char *expected,
                         struct weir_profile *profile)
{
	struct weir_input *input = weir_profile_add_input(profile, "test");
	struct weir_text seen = {0};
	struct weir_records *records;
	struct weir_record record;
	struct weir_source *source;
	struct weir_error err = {0};

	assert_int_equal(weir_source_open_memory("test", text, len, &source, &err), WEIR_OK);
	assert_int_equal(weir_records_new(source, input, &records, &err), WEIR_OK);
	for (;;) {
		struct weir_jsoncursor cursor;

		assert_int_equal(weir_records_next(records, &record, &err), WEIR_OK);
		if (!record.text.length)
			break;
		assert_int_equal(*record.text.data, '{');
		take(record.text, &cursor, &seen);
		weir_records_done(records, &cursor);
	}
	weir_records_finish(records);
	assert_string_equal(seen.data ? seen.data : "", expected);
	weir_records_free(records);
	weir_source_free(source);
	weir_text_release(&seen);
}

static const struct weir_warning *expect(const char *text, const char *expected,
                                         struct weir_profile *profile)
{
	expect_bytes(text, strlen(text), expected, profile);
	return profile->inputs[profile->input_count - 1].warnings;
}

static void expect_clean(const struct weir_warning *warnings)
{
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		if (warnings[code].count)
			fail_msg("warning %d", code);
}

static void lines_arrays_and_laid_out_objects_are_the_same(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	expect_clean(expect("{\"n\": 1}\n{\"n\": 2}\n{\"n\": 3}\n", "1 2 3 ", profile));
	expect_clean(expect("{\"n\": 1}\n{\"n\": 2}\n{\"n\": 3}", "1 2 3 ", profile));
	expect_clean(expect("\n{\"n\": 1}\r\n\r\n \t{\"n\": 2} \r\n", "1 2 ", profile));
	expect_clean(expect("\xef\xbb\xbf{\"n\": 1}\n", "1 ", profile));
	expect_clean(expect("[{\"n\": 1}, {\"n\": 2}]", "1 2 ", profile));
	expect_clean(expect("[\n  {\n    \"n\": 1\n  },\n  {\n\"n\": 2}\n]\n", "1 2 ", profile));
	expect_clean(expect("{\n  \"n\": 1\n}\n{\n  \"n\": 2\n}\n", "1 2 ", profile));
	expect_clean(expect("", "", profile));
	expect_clean(expect(" \n", "", profile));
	weir_profile_free(profile);
}

static void files_glued_without_a_newline_lose_nothing(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	expect_clean(expect("{\"n\": 1}{\"n\": 2} {\"n\": 3}\n{\"n\": 4}\n", "1 2 3 4 ", profile));
	weir_profile_free(profile);
}

static void a_damaged_line_costs_that_line_alone(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_warning *warnings =
		expect("{\"n\": 1}\n{\"n\": 2, \"a\": {\"b\n{\"n\": 3}\n{\"n\" 4}\nx\n[5]\n"
	               "{\"n\": 6} y\n{\"n\": 7}\n",
	               "1 3 6 7 ", profile);

	(void)state;
	assert_int_equal(warnings[WEIR_WARN_SKIPPED_EVENT].count, 5);
	assert_int_equal(warnings[WEIR_WARN_SKIPPED_EVENT].first_at, 9);
	assert_int_equal(warnings[WEIR_WARN_TRUNCATED].count, 0);
	weir_profile_free(profile);
}

static void stray_quotes_are_repaired(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_warning *warnings =
		expect("{\"n\": 1}\n{\"id\": \"a\"b\", \"n\": 2}\n{\"n\": 3}\n", "1 2 3 ", profile);

	(void)state;
	assert_int_equal(warnings[WEIR_WARN_REPAIRED_TEXT].count, 1);
	assert_int_equal(warnings[WEIR_WARN_REPAIRED_TEXT].first_at, 9);
	assert_int_equal(warnings[WEIR_WARN_SKIPPED_EVENT].count, 0);
	weir_profile_free(profile);
}

static void the_last_line_may_be_cut(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_warning *warnings = expect("{\"n\": 1}\n{\"n\": 2", "1 ", profile);

	(void)state;
	assert_int_equal(warnings[WEIR_WARN_TRUNCATED].count, 1);
	assert_int_equal(warnings[WEIR_WARN_TRUNCATED].first_at, 9);
	assert_int_equal(warnings[WEIR_WARN_SKIPPED_EVENT].count, 0);
	warnings = expect("[{\"n\": 1}, {\"n\": 2", "1 ", profile);
	assert_int_equal(warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
}

/* Longer than a buffer of the source, so that lines lie across its seams. */
static void lines_may_lie_over_the_ends_of_buffers(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0}, expected = {0};

	(void)state;
	for (int i = 0; i < 3000; i++) {
		weir_text_printf(&text, "{\"n\": %d, \"padding\": \"", i);
		weir_text_repeat(&text, "x", (size_t)i);
		weir_text_puts(&text, "\"}\n");
		weir_text_printf(&expected, "%d ", i);
	}
	expect_clean(expect(text.data, expected.data, profile));
	weir_text_release(&text);
	weir_text_release(&expected);
	weir_profile_free(profile);
}

static void a_line_beyond_the_limit_is_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_warning *warnings;
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "{\"n\": 1}\n{\"n\": \"");
	weir_text_repeat(&text, "0123456789abcdef", WEIR_JSONSCAN_MAX_VALUE / 16 + 1);
	weir_text_puts(&text, "\"}\n{\"n\": 3}\n");
	warnings = expect(text.data, "1 3 ", profile);
	assert_int_equal(warnings[WEIR_WARN_SKIPPED_EVENT].count, 1);
	weir_text_release(&text);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_arrays_and_laid_out_objects_are_the_same),
		cmocka_unit_test(files_glued_without_a_newline_lose_nothing),
		cmocka_unit_test(a_damaged_line_costs_that_line_alone),
		cmocka_unit_test(stray_quotes_are_repaired),
		cmocka_unit_test(the_last_line_may_be_cut),
		cmocka_unit_test(lines_may_lie_over_the_ends_of_buffers),
		cmocka_unit_test(a_line_beyond_the_limit_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
