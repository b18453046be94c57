/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table that pytest-benchmark prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define RULE "----------------------------------------\n"
#define HEADER(unit)                                                                               \
	"------- benchmark: 2 tests -------\nName (time in " unit                                  \
	")   Min   Max   Mean   StdDev   Median   IQR   Outliers   OPS (Kops/s)   Rounds   "       \
	"Iterations\n" RULE
#define ROW_A                                                                                      \
	"test_a[x-1]   1.5000 (1.0)   1,003.5000 (2.5)   3.0000 (1.0)   0.5000 (1.0)   2.5000 "    \
	"(1.0)   0.2500 (1.0)   1;1   400.0000 (1.0)   5   1\n"
#define ROW_B "test_b   1.0   2.0   1.5   0.1   1.25   0.2   0;0   0.5   7   10\n"

static const struct weir_reader *const reader = &weir_reader_pytest_benchmark;

static void a_row_gives_the_median_and_labels(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, "log\n" HEADER("ms") ROW_A ROW_B RULE, profile);

	(void)state;
	reading_expects_figure(input->run, "test_a[x-1]", 2.5e6, false, "ns");
	reading_expects_label(input->run, "test_a[x-1]/min_ns", "1500000");
	reading_expects_label(input->run, "test_a[x-1]/max_ns", "1.0035e+09");
	reading_expects_label(input->run, "test_a[x-1]/mean_ns", "3000000");
	reading_expects_label(input->run, "test_a[x-1]/stddev_ns", "500000");
	reading_expects_label(input->run, "test_a[x-1]/iqr_ns", "250000");
	reading_expects_label(input->run, "test_a[x-1]/rounds", "5");
	reading_expects_figure(input->run, "test_b", 1.25e6, false, "ns");
	reading_expects_label(input->run, "test_b/iterations", "10");
	assert_int_equal(input->run->metrics.count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

static void each_table_has_its_unit(void **state)
{
	static const struct {
		const char *text;
		double ns;
	} cases[] = {
		{HEADER("s") ROW_B, 1.25e9},
		{HEADER("us") ROW_B, 1250},
		{HEADER("ns") ROW_B, 1.25},
		{HEADER("ms") ROW_A RULE "\n" HEADER("us") ROW_B, 1250},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();

		reading_expects_figure(reading_of(reader, cases[i].text, profile)->run, "test_b",
		                       cases[i].ns, false, "ns");
		weir_profile_free(profile);
	}
}

static void columns_may_be_chosen(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   "Name (time in us)   Median   Rounds\n" RULE "test_c (NOW)   3.5   9\n",
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "test_c (NOW)", 3500, false, "ns");
	reading_expects_label(run, "test_c (NOW)/rounds", "9");
	weir_profile_free(profile);
	reading_refuses(reader, "Name (time in us)   Min   Rounds\ntest_c   3.5   9\n",
	                WEIR_E_EMPTY, "--benchmark-json=FILE");
}

static void the_first_of_equal_names_counts(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, HEADER("ms") ROW_B HEADER("s") ROW_B, profile);

	(void)state;
	reading_expects_figure(input->run, "test_b", 1.25e6, false, "ns");
	assert_int_equal(input->warnings[WEIR_WARN_DUPLICATE].count, 1);
	weir_profile_free(profile);
}

static void other_lines_and_damage_are_no_rows(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		HEADER("ms") ROW_B
		"\nLegend:\n  Outliers: 1 Standard Deviation from Mean; 1.5 IQR from 1st "
		"Quartile and 3rd\ntest_x   1.0   2.0   1.5   0.1   1.25   0.2   0;0   "
		"0.5   7   10\n",
		profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 1); /* the blank line ends the table */
	weir_profile_free(profile);
	profile = weir_profile_new();
	input = reading_of(reader,
	                   HEADER("ms") ROW_B
	                   "test_d   1.0   2.0   1.5   0.1   0   0.2   0;0   0.5   7   10\n"
	                   "test_e   1.0   2.0   1.5   0.1   1.25   0.2   0;0   0.5   7   1",
	                   profile);
	assert_int_equal(input->run->metrics.count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
	reading_refuses(reader, HEADER("weeks") ROW_B, WEIR_E_EMPTY, "no times");
	reading_survives_damage(reader, HEADER("ms") ROW_A ROW_B RULE);
}

static void the_printed_table_is_known(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_file(reader, "tests/data/benchmarks/pytest.txt", profile)->run;

	(void)state;
	reading_expects_figure(run, "test_encode[4096]", 1.0255e9, false, "ns");
	reading_expects_figure(run, "test_hash", 12750, false, "ns");
	assert_int_equal(run->metrics.count, 3);
	weir_profile_free(profile);
	assert_string_equal(reading_claims(HEADER("ms")), "pytest-benchmark");
	assert_string_equal(reading_claims("Name (time in ms)\n"), "none");
	assert_string_equal(reading_claims("Name   Min   Max   Mean   Median\n"), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_gives_the_median_and_labels),
		cmocka_unit_test(each_table_has_its_unit),
		cmocka_unit_test(columns_may_be_chosen),
		cmocka_unit_test(the_first_of_equal_names_counts),
		cmocka_unit_test(other_lines_and_damage_are_no_rows),
		cmocka_unit_test(the_printed_table_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
