/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/cli/options.h"

static const char *const sizes[] = {"small", "large", NULL};

static const struct weir_option options[] = {
	{.name = "output",
         .letter = 'o',
         .kind = WEIR_OPTION_FILE,
         .value = "FILE",
         .repeatable = true,
         .help = "x"},
	{.name = "size",
         .kind = WEIR_OPTION_CHOICE,
         .value = "SIZE",
         .choices = sizes,
         .help = "x"},
	{.name = "top", .letter = 't', .kind = WEIR_OPTION_COUNT, .value = "N", .help = "x"},
	{.name = "percentile", .kind = WEIR_OPTION_PERCENTILE, .value = "P", .help = "x"},
	{.name = "price", .kind = WEIR_OPTION_PRICE, .value = "USD", .help = "x"},
	{.name = "all", .letter = 'a', .kind = WEIR_OPTION_FLAG, .help = "x"},
	{.name = "secret", .kind = WEIR_OPTION_FLAG, .hidden = true, .help = "x"},
	{.name = NULL},
};

#define MAX_WORDS 8

struct fixture {
	struct weir_arguments *arguments;
	struct weir_error err;
	enum weir_status status;
};

/* Parses a NULL-terminated list of words. */
static struct fixture parse(const char *const *words)
{
	struct fixture fixture = {0};
	char *argv[MAX_WORDS + 1] = {NULL};
	int argc = 0;

	for (; words[argc]; argc++) {
		assert_true(argc < MAX_WORDS);
		argv[argc] = (char *)(uintptr_t)words[argc];
	}
	fixture.status = weir_arguments_parse("classify", options, argc, argv, &fixture.arguments,
	                                      &fixture.err);
	return fixture;
}

#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})

static void refuses(struct fixture fixture, const char *message)
{
	assert_int_equal(fixture.status, WEIR_E_USAGE);
	assert_string_equal(fixture.err.message, message);
	assert_null(fixture.arguments);
}

static void a_value_follows_with_a_blank_or_an_equals_sign(void **state)
{
	struct fixture spaced = PARSE("--output", "a.json");
	struct fixture equals = PARSE("--output=a.json");
	struct fixture letter = PARSE("-o", "a.json");
	struct fixture joined = PARSE("-oa.json");

	(void)state;
	assert_string_equal(weir_option_text(spaced.arguments, "output"), "a.json");
	assert_string_equal(weir_option_text(equals.arguments, "output"), "a.json");
	assert_string_equal(weir_option_text(letter.arguments, "output"), "a.json");
	assert_string_equal(weir_option_text(joined.arguments, "output"), "a.json");
	weir_arguments_free(spaced.arguments);
	weir_arguments_free(equals.arguments);
	weir_arguments_free(letter.arguments);
	weir_arguments_free(joined.arguments);
}

static void letters_without_values_join_and_the_last_may_take_one(void **state)
{
	struct fixture fixture = PARSE("-aqt7", "in");

	(void)state;
	assert_int_equal(fixture.status, WEIR_OK);
	assert_true(weir_option_given(fixture.arguments, "all"));
	assert_true(weir_option_given(fixture.arguments, "quiet"));
	assert_int_equal(weir_option_count(fixture.arguments, "top", 10), 7);
	assert_int_equal(weir_arguments_count(fixture.arguments), 1);
	weir_arguments_free(fixture.arguments);
}

static void options_and_arguments_mix_and_keep_their_order(void **state)
{
	struct fixture fixture = PARSE("one", "-o", "a", "two", "-o", "b", "-");

	(void)state;
	assert_int_equal(weir_arguments_count(fixture.arguments), 3);
	assert_string_equal(weir_arguments_at(fixture.arguments, 0), "one");
	assert_string_equal(weir_arguments_at(fixture.arguments, 1), "two");
	assert_string_equal(weir_arguments_at(fixture.arguments, 2), "-");
	assert_null(weir_arguments_at(fixture.arguments, 3));
	assert_null(weir_arguments_list(fixture.arguments)[3]);
	assert_string_equal(weir_option_each(fixture.arguments, "output", 0), "a");
	assert_string_equal(weir_option_each(fixture.arguments, "output", 1), "b");
	assert_null(weir_option_each(fixture.arguments, "output", 2));
	weir_arguments_free(fixture.arguments);
}

static void two_dashes_end_the_options(void **state)
{
	struct fixture fixture = PARSE("-a", "--", "--top", "-o");

	(void)state;
	assert_int_equal(fixture.status, WEIR_OK);
	assert_int_equal(weir_arguments_count(fixture.arguments), 2);
	assert_string_equal(weir_arguments_at(fixture.arguments, 0), "--top");
	assert_false(weir_option_given(fixture.arguments, "top"));
	weir_arguments_free(fixture.arguments);
}

static void what_is_not_given_is_not_there(void **state)
{
	struct fixture fixture = parse((const char *const[]){NULL});

	(void)state;
	assert_null(weir_option_text(fixture.arguments, "size"));
	assert_int_equal(weir_option_count(fixture.arguments, "top", 10), 10);
	assert_int_equal(weir_arguments_count(fixture.arguments), 0);
	assert_null(weir_arguments_list(fixture.arguments)[0]);
	weir_arguments_free(fixture.arguments);
}

static void the_last_of_a_repeated_option_counts(void **state)
{
	struct fixture fixture =
		PARSE("--top", "3", "--top=5", "--color", "never", "--percentile", "99.5");

	(void)state;
	assert_int_equal(weir_option_count(fixture.arguments, "top", 10), 5);
	assert_string_equal(weir_option_text(fixture.arguments, "color"), "never");
	assert_true(weir_option_number(fixture.arguments, "percentile", 0) == 99.5);
	weir_arguments_free(fixture.arguments);
}

static void a_mistyped_option_names_the_nearest(void **state)
{
	(void)state;
	refuses(PARSE("--outptu=x"),
	        "unknown option --outptu=x; did you mean --output? (see: weir help classify)");
	refuses(PARSE("--verbos"),
	        "unknown option --verbos; did you mean --verbose? (see: weir help classify)");
	refuses(PARSE("--nothing-like-it"),
	        "unknown option --nothing-like-it (see: weir help classify)");
	refuses(PARSE("-ax"), "unknown option -ax (see: weir help classify)");
}

static void a_hidden_option_is_never_suggested(void **state)
{
	struct fixture fixture = PARSE("--secret");

	(void)state;
	assert_int_equal(fixture.status, WEIR_OK);
	weir_arguments_free(fixture.arguments);
	refuses(PARSE("--secre"), "unknown option --secre (see: weir help classify)");
}

static void a_wrong_value_is_told_with_what_it_takes(void **state)
{
	(void)state;
	refuses(PARSE("--size", "smal"),
	        "--size is \"smal\"; did you mean small? (expected: small, large)");
	refuses(PARSE("--size=tremendous"), "--size is \"tremendous\"; expected: small, large");
	refuses(PARSE("--top", "0"), "--top is \"0\"; expected a whole number from 1 to 1000000");
	refuses(PARSE("--top=5x"), "--top is \"5x\"; expected a whole number from 1 to 1000000");
	refuses(PARSE("--top=99999999999999999999"), "--top is \"99999999999999999999\"; expected "
	                                             "a whole number from 1 to 1000000");
	refuses(PARSE("--top"), "--top needs a value: --top N");
	refuses(PARSE("-o"), "-o needs a value: -o FILE");
	refuses(PARSE("--output="), "--output is empty; expected FILE");
	refuses(PARSE("--percentile=100"),
	        "--percentile is \"100\"; expected a number above 0 and below 100");
	refuses(PARSE("--percentile=nan"),
	        "--percentile is \"nan\"; expected a number above 0 and below 100");
	refuses(PARSE("--price", "0"), "--price is \"0\"; expected a price above 0, such as 3.2");
	refuses(PARSE("--price=-1"), "--price is \"-1\"; expected a price above 0, such as 3.2");
	refuses(PARSE("--price=inf"), "--price is \"inf\"; expected a price above 0, such as 3.2");
	refuses(PARSE("--price=nan"), "--price is \"nan\"; expected a price above 0, such as 3.2");
	refuses(PARSE("--price=3,2"), "--price is \"3,2\"; expected a price above 0, such as 3.2");
	refuses(PARSE("--price="), "--price is \"\"; expected a price above 0, such as 3.2");
	refuses(PARSE("--all=yes"), "--all takes no value; remove \"=yes\"");
}

static int find(const char *const *words)
{
	char *argv[MAX_WORDS + 1] = {NULL};
	int argc = 0;

	for (; words[argc]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc];
	return weir_arguments_find_command(argc, argv);
}

#define FIND(...) find((const char *const[]){__VA_ARGS__, NULL})

static void common_options_may_stand_before_the_command(void **state)
{
	(void)state;
	assert_int_equal(FIND("classify", "x"), 0);
	assert_int_equal(FIND("-q", "classify", "x"), 1);
	assert_int_equal(FIND("--color", "never", "classify"), 2);
	assert_int_equal(FIND("--color=never", "classify"), 1);
	assert_int_equal(FIND("--help"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_follows_with_a_blank_or_an_equals_sign),
		cmocka_unit_test(letters_without_values_join_and_the_last_may_take_one),
		cmocka_unit_test(options_and_arguments_mix_and_keep_their_order),
		cmocka_unit_test(two_dashes_end_the_options),
		cmocka_unit_test(what_is_not_given_is_not_there),
		cmocka_unit_test(the_last_of_a_repeated_option_counts),
		cmocka_unit_test(a_mistyped_option_names_the_nearest),
		cmocka_unit_test(a_hidden_option_is_never_suggested),
		cmocka_unit_test(a_wrong_value_is_told_with_what_it_takes),
		cmocka_unit_test(common_options_may_stand_before_the_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
