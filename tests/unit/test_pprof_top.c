/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of go tool pprof -top: functions of a CPU profile; other profiles are refused by type.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/host_functions_text.h"
#include "tests/unit/reading.h"

#define READER     (&weir_reader_pprof_top)
#define TITLES     "      flat  flat%   sum%        cum   cum%\n"
#define TYPE(type) "File: a\nType: " type "\nTime: now\n"
#define SHOWING    "Showing nodes accounting for 3s, 75% of 4s total\n"
#define F          "     2.50s 62.50% 62.50%      3.00s 75.00%  main.(*T).f\n"
#define G          "     500ms 12.50% 75.00%      500ms 12.50%  h/i.g (inline)\n"
#define ROOT       "         0     0% 75.00%    0.05mins 75.00%  main.main\n"
#define CPU        TYPE("cpu") SHOWING TITLES F G ROOT

static void expect(const char *text, const char *expected)
{
	expect_functions_of(READER, text, expected);
}

static void expect_warned(const char *text, enum weir_warning_code code, unsigned count)
{
	expect_warnings_of(READER, text, code, count);
}

static void flat_time_is_that_of_the_function_itself(void **state)
{
	(void)state;
	expect(CPU, "main.(*T).f [] 2500000000/3000000000\nh/i.g [] 500000000/500000000\n"
	            "main.main [] 0/3000000000\n");
	expect(TYPE("cpu") TITLES "10us 50% 50% 0.01hrs 50% f[int, a.b]\n20ns 50% 50% 20ns 50% g\n",
	       "f[int, a.b] [] 10000/36000000000\ng [] 20/20\n");
}

static void the_stated_time_is_the_whole(void **state)
{
	static const struct {
		const char *text;
		int64_t total;
	} cases[] = {
		{CPU, 4000000000},
		{TYPE("cpu") "Duration: 30s, Total samples = 5s (16%)\n" TITLES F, 5000000000},
		{TYPE("cpu") "Showing nodes accounting for 3s of 6s total (50%)\n" TITLES F,
	         6000000000},
		{TYPE("cpu") TITLES F, 2500000000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();

		assert_int_equal(reading_of(READER, cases[i].text, profile)->host_profile->total,
		                 cases[i].total);
		weir_profile_free(profile);
	}
}

static const char *refusal(const char *text)
{
	assert_string_equal(reading_claims(text), "none");
	return weir_sniff_refusal(READER, text, strlen(text));
}

static void profiles_that_are_no_time_are_refused_by_their_type(void **state)
{
#define BYTES    "   0.17GB  4.01%  4.01%     0.19GB  4.50%  f\n"
#define NEGATIVE "  -0.01GB  0.26%  5.70%     0.24GB  5.70%  g\n"
	static const struct {
		const char *text, *reason;
	} cases[] = {
		{TYPE("alloc_space") TITLES BYTES,
	         "pprof of allocated bytes (Type: alloc_space), not of time: record a CPU"},
		{TYPE("alloc_space") TITLES BYTES NEGATIVE,
	         "not of time, and the difference of two profiles (negative values)"},
		{TYPE("inuse_space") TITLES BYTES, "bytes in use (Type: inuse_space)"},
		{TYPE("delay") TITLES F, "the delay by locks (Type: delay)"},
		{TYPE("of_mine") TITLES F, "another type than cpu"},
		{TITLES F, "without the line \"Type: \""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_non_null(strstr(refusal(cases[i].text), cases[i].reason));
	assert_null(weir_sniff_refusal(READER, "Type: cpu\n", 10));
}

static void a_difference_of_cpu_profiles_is_refused(void **state)
{
	(void)state;
	reading_refuses(READER, TYPE("cpu") TITLES F "    -10ms  1% 1%   10ms 1%  g\n",
	                WEIR_E_FORMAT,
	                "line 6: the table of pprof is the difference of two profiles");
}

static void damaged_text_is_counted_or_refused(void **state)
{
	(void)state;
	expect_warned(TYPE("cpu") TITLES F "1 2 3\n5GB 1% 1% 5GB 1% f\n", WEIR_WARN_RAGGED_ROW, 2);
	expect_warned(TYPE("cpu") TITLES F "1s 1% 1% 1s 1% f", WEIR_WARN_TRUNCATED, 1);
	expect_warned("$ go tool pprof\n" CPU "\n$ ls\na b\n", WEIR_WARN_RAGGED_ROW, 0);
	reading_refuses(READER, TYPE("cpu") TITLES, WEIR_E_EMPTY, "expected rows such as");
	assert_string_equal(reading_claims("$ go tool pprof\n" CPU), "pprof-top");
	reading_survives_damage(READER, CPU);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flat_time_is_that_of_the_function_itself),
		cmocka_unit_test(the_stated_time_is_the_whole),
		cmocka_unit_test(profiles_that_are_no_time_are_refused_by_their_type),
		cmocka_unit_test(a_difference_of_cpu_profiles_is_refused),
		cmocka_unit_test(damaged_text_is_counted_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
