/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of cProfile: functions with their times, and the share of the profile that a table has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/rows/host_functions.h"
#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/host_functions_text.h"
#include "tests/unit/reading.h"

#define TEXT (&weir_reader_cprofile_text)
#define CALLS(seconds)                                                                             \
	"Mon Jan  5 10:00:00 2026    a.prof\n\n         9 function calls (7 primitive calls) "     \
	"in " seconds " seconds\n\n   Ordered by: internal time\n\n"
#define COLUMNS              "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
#define TABLE(seconds, rows) CALLS(seconds) COLUMNS rows "\n\n"
#define FORWARD              "     12/3    1.500    0.125    1.750    0.583 /a/model.py:44(forward)\n"
#define LEN                  "        5    0.250    0.000    0.250    0.000 {built-in method len}\n"

static void expect(const char *text, const char *expected)
{
	struct weir_profile *profile = weir_profile_new();

	expect_functions(reading_of(TEXT, text, profile)->host_profile, expected);
	weir_profile_free(profile);
}

static void expect_warned(const char *text, enum weir_warning_code code, unsigned count)
{
	struct weir_profile *profile = weir_profile_new();

	assert_int_equal(reading_of(TEXT, text, profile)->warnings[code].count, count);
	weir_profile_free(profile);
}

static void rows_of_text_are_functions_as_in_the_binary_form(void **state)
{
	(void)state;
	expect(TABLE("2.000", FORWARD LEN), "forward [model.py] 1500000000/1750000000\n"
	                                    "<built-in method len> [] 250000000/250000000\n");
	/* a function that was not called has no time per call */
	expect(TABLE("2.000 CPU",
	             "        0    0.000             0.500          C:\\a.py:1(<module>)\n"),
	       "<module> [a.py] 0/500000000\n");
	/* functions of one name are apart */
	expect(TABLE("1.000", "1 0.1 0.1 0.1 0.1 a.py:1(f)\n1 0.2 0.2 0.2 0.2 a.py:7(f)\n"),
	       "f [a.py] 100000000/100000000\nf [a.py] 200000000/200000000\n");
	expect(TABLE("1.000", "1 0.1 0.1 0.1 0.1 ~:0(g)\n1 0.2 0.2 0.2 0.2 h\n"),
	       "g [] 100000000/100000000\nh [] 200000000/200000000\n");
}

static void tables_of_other_profiles_add_up_and_those_of_one_do_not(void **state)
{
	(void)state;
	expect(TABLE("2.000", FORWARD) TABLE("2.000", LEN FORWARD),
	       "forward [model.py] 1500000000/1750000000\n"
	       "<built-in method len> [] 250000000/250000000\n");
	expect(TABLE("2.000", FORWARD) TABLE("3.000", FORWARD),
	       "forward [model.py] 3000000000/3500000000\n");
}

/* The stated time is the whole, and a note tells which share of it the rows hold. */
static void a_cut_table_says_which_share_it_holds(void **state)
{
	static const struct {
		const char *text;
		int64_t total;
		bool noted;
	} cases[] = {
		{TABLE("1.758", FORWARD LEN), 1758000000, false},
		{TABLE("1.759", FORWARD LEN), 1759000000, true},
		{TABLE("1.000", FORWARD LEN), 1750000000, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_report *report;

		assert_int_equal(reading_of(TEXT, cases[i].text, profile)->host_profile->total,
		                 cases[i].total);
		report = weir_report_new(profile);
		weir_fill_host_functions(profile, report);
		assert_int_equal(report->note_count, cases[i].noted);
		weir_report_free(report);
		weir_profile_free(profile);
	}
}

static void damaged_text_is_counted_or_refused(void **state)
{
	(void)state;
	expect_warned(TABLE("2.000", FORWARD "1/2 1 1 1 1 a.py:1(f)\n1 x 1 1 1 a.py:1(f)\n"
	                                     "1 -1 1 1 1 a.py:1(f)\n1 1 1 1 1\n"),
	              WEIR_WARN_RAGGED_ROW, 4);
	expect_warned(CALLS("2.000") COLUMNS FORWARD "1 0.1 0.1 0.1 0.1 a.py:1(f",
	              WEIR_WARN_TRUNCATED, 1);
	expect_warned(TABLE("2.000", FORWARD) "hello\n", WEIR_WARN_RAGGED_ROW, 0);
	reading_refuses(TEXT, CALLS("2.000") COLUMNS, WEIR_E_EMPTY, "expected rows below");
	reading_refuses(TEXT, COLUMNS FORWARD, WEIR_E_EMPTY, "expected rows below");
	reading_refuses(TEXT, TABLE("0.000", "1 0 0 0 0 a.py:1(f)\n"), WEIR_E_EMPTY, "any time");
	reading_survives_damage(TEXT, TABLE("2.000", FORWARD LEN));
}

/* kernprof prints its lines behind what the program prints, such as a table of cProfile. */
static void a_text_of_line_profiler_behind_the_table_is_named_as_left_out(void **state)
{
#define LINES                                                                                      \
	"Total time: 0.5 s\nFile: a.py\nFunction: f at line 1\n\n"                                 \
	"Line #      Hits         Time  Per Hit   % Time  Line Contents\n"                         \
	"     2         4     500000.0 125000.0    100.0      return g()\n\n"
	(void)state;
	expect_warned(TABLE("2.000", FORWARD) "Timer unit: 1e-06 s\n\n" LINES LINES,
	              WEIR_WARN_OTHER_TABLE, 2);
	expect_warned(TABLE("2.000", FORWARD) "Timer unit: 1e-06 s\n", WEIR_WARN_OTHER_TABLE, 0);
	expect_warned(TABLE("2.000", FORWARD) LINES, WEIR_WARN_OTHER_TABLE, 0);
#undef LINES
}

static void the_text_is_recognised(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(TABLE("2.000", FORWARD)), "cprofile-text");
	assert_string_equal(reading_claims("FIT Profiler Report\n\nProfile stats for: f\n" TABLE(
				    "2.000", FORWARD)),
	                    "none");
}

static void calls_are_those_of_all_depths(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_host_profile *host =
		reading_of(TEXT, TABLE("2.000", FORWARD LEN), profile)->host_profile;

	(void)state;
	assert_int_equal(host->calls, 9);
	assert_int_equal(host->functions[0].calls, 12);
	assert_int_equal(host->functions[1].calls, 5);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_text_are_functions_as_in_the_binary_form),
		cmocka_unit_test(tables_of_other_profiles_add_up_and_those_of_one_do_not),
		cmocka_unit_test(a_cut_table_says_which_share_it_holds),
		cmocka_unit_test(damaged_text_is_counted_or_refused),
		cmocka_unit_test(a_text_of_line_profiler_behind_the_table_is_named_as_left_out),
		cmocka_unit_test(the_text_is_recognised),
		cmocka_unit_test(calls_are_those_of_all_depths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
