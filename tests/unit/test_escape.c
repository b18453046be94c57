/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/report/plain/escape.h"

#define JOINER "\xE2\x81\xA0"

static void assert_plain(const char *text, const char *expected)
{
	struct weir_text out = {0};

	weir_escape_plain(&out, text);
	assert_string_equal(out.data, expected);
	weir_text_release(&out);
}

static void a_name_is_no_command_to_a_runner(void **state)
{
	(void)state;
	assert_plain("::error::x", ":" JOINER ":error::x");
	assert_plain("  ::error::x", "  :" JOINER ":error::x");
	assert_plain("a\n::error::x", "a :" JOINER ":error::x");
	assert_plain("x ::set-output", "x :" JOINER ":set-output"); /* a line may break there */
	assert_plain("a##[group]", "a#" JOINER "#[group]");
	assert_plain("##vso[task]", "#" JOINER "#vso[task]");
	assert_plain("###[x]", "##" JOINER "#[x]");
}

static void names_of_code_stay_as_they_are(void **state)
{
	static const char *const names[] = {
		"at::native::add", "a##b", "std::vector<int>", "# 1", "## title",
		"ratio 1:2",       "größe"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_plain(names[i], names[i]);
}

static void unprintable_characters_are_replaced(void **state)
{
	(void)state;
	assert_plain("a\x1b[31m", "a\xEF\xBF\xBD[31m");
	assert_plain("a\xE2\x80\xAE", "a\xEF\xBF\xBD"); /* U+202E, right-to-left override */
	assert_plain("a\tb\r\nc", "a b  c");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_no_command_to_a_runner),
		cmocka_unit_test(names_of_code_stay_as_they_are),
		cmocka_unit_test(unprintable_characters_are_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
