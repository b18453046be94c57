/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of MLPerf's load generator for endpoints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA "tests/data/mlperf/endpoints_report.txt"

static const struct weir_reader *const reader = &weir_reader_mlperf_endpoints;

static void rates_and_times_are_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA, profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "samples_per_s", 31.25, true, "1/s");
	reading_expects_figure(run, "tokens_per_s", 4000.5, true, "tokens/s");
	reading_expects_figure(run, "min_ttft_ms", 101.08, false, "ms");
	reading_expects_figure(run, "max_ttft_ms", 3580, false, "ms");
	reading_expects_figure(run, "median_ttft_ms", 205.52, false, "ms");
	reading_expects_figure(run, "mean_ttft_ms", 212.03, false, "ms");
	reading_expects_figure(run, "std_ttft_ms", 99.27, false, "ms");
	reading_expects_figure(run, "p99_ttft_ms", 400, false, "ms");
	assert_int_equal(run->metrics.count, 8);
	assert_string_equal(weir_run_label(run, "completed"), "598");
	assert_string_equal(weir_run_label(run, "duration_s"), "19.20");
	assert_string_equal(weir_run_label(run, "target_qps"), "32.0");
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_COUNTED].count, 1);
	assert_string_equal(input->warnings[WEIR_WARN_FAILED_COUNTED].detail,
	                    "2 of 600 samples failed");
	weir_profile_free(profile);
}

static void odd_lines_are_counted_or_passed_over(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"QPS: 3\nTPS: many\nDuration: x\nTPOT:\n  Min: 4 weeks\n  Max: 5 us\n  P100: 6 ms\n"
		"Output tokens:\n  Min: 7 ms\n",
		profile);

	(void)state;
	reading_expects_figure(input->run, "samples_per_s", 3, true, "1/s");
	reading_expects_figure(input->run, "max_tpot_ms", 0.005, false, "ms");
	assert_int_equal(input->run->metrics.count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 3);
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_COUNTED].count, 0);
	weir_profile_free(profile);
}

static void damaged_reports_are_read_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(reader, "QPS: 3.5\nTTFT:\n  Min: 4.0 ms\n  Std Dev.: 1 ms\n");
	reading_refuses(reader, "Total samples issued: 4\n", WEIR_E_EMPTY, "without a rate");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_and_times_are_figures),
		cmocka_unit_test(odd_lines_are_counted_or_passed_over),
		cmocka_unit_test(damaged_reports_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
