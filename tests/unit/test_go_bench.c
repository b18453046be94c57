/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests what go test -bench prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define HEAD "goos: linux\ngoarch: amd64\npkg: example.com/a\ncpu: Example\n"
#define A                                                                                          \
	"BenchmarkA-8   \t    1000\t      2000 ns/op\t 7.5 MB/s\t     512 B/op\t       0 "         \
	"allocs/op\n"
#define B(ns) "BenchmarkB/n=4-8   \t    1000\t      " ns " ns/op\t   12.5 tokens/s\n"
#define NINE  B("1") B("2") B("3") B("4") B("5") B("6") B("7") B("8") B("9")
#define NAME  "example.com/a.BenchmarkA-8"

static const struct weir_reader *const reader = &weir_reader_go_bench;

static void lines_become_medians_and_metrics_with_their_directions(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, HEAD A "BenchmarkA-8 1000 1000 ns/op\nBenchmarkA-8 9 6000 ns/op\nPASS\n",
		profile);

	(void)state;
	reading_expects_figure(input->run, NAME, 2000, false, "ns");
	reading_expects_figure(input->run, NAME "/B/op", 512, false, "B/op");
	reading_expects_figure(input->run, NAME "/allocs/op", 0, false, "allocs/op");
	reading_expects_figure(input->run, NAME "/MB/s", 7.5, true, "MB/s");
	assert_int_equal(input->run->metrics.count, 4);
	reading_expects_label(input->run, NAME "/repetitions", "3");
	reading_expects_label(input->run, NAME "/mean_ns", "3000");
	reading_expects_label(input->run, "goos", "linux");
	reading_expects_label(input->run, "cpu", "Example");
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

static void ten_lines_of_a_name_are_samples(void **state)
{
	static const double ns[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, NINE, profile);

	(void)state;
	reading_expects_figure(input->run, "BenchmarkB/n=4-8", 5, false, "ns");
	assert_int_equal(input->run->stages.count, 0);
	input = reading_of(reader, NINE B("10"), profile);
	reading_expects_stage(input->run, "BenchmarkB/n=4-8", 10, ns);
	assert_int_equal(weir_series_find(&input->run->metrics, "BenchmarkB/n=4-8/tokens/s")->count,
	                 10);
	weir_profile_free(profile);
}

static void benchmarks_of_two_packages_may_share_a_name(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, HEAD A "pkg: b\n--- FAIL: BenchmarkC\nBenchmarkA-8 1 3 ns/op\n", profile);

	(void)state;
	reading_expects_figure(input->run, NAME, 2000, false, "ns");
	reading_expects_figure(input->run, "b.BenchmarkA-8", 3, false, "ns");
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_MEASUREMENT].count, 1);
	weir_profile_free(profile);
}

static void only_lines_of_go_are_claimed(void **state)
{
	(void)state;
	assert_string_equal(reading_claims("x\n" A), "go-bench");
	assert_string_equal(reading_claims("BenchmarkA 1 5 tokens/s\n"), "go-bench");
	assert_string_equal(reading_claims("BenchmarkA 1 5 tokens\n"), "none");
	assert_string_equal(reading_claims("Benchmarks 1 5 ns/op\n"), "none");
	assert_string_equal(reading_claims("BenchmarkA 0 5 ns/op\n"), "none");
	assert_string_equal(reading_claims("BenchmarkA 1 5 ns/op 4\n"), "none");
}

static void a_damaged_log_reads_or_is_refused(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		A "BenchmarkA-8 1 -4 ns/op\nBenchmarkA-8 1 0 ns/op\nBenchmarkA-8 1 nan ns/op\n"
		  "BenchmarkA-8 1 1e999 ns/op\nBenchmarkA-8 1 2000 ns/op 3 toke",
		profile);

	(void)state;
	reading_expects_figure(input->run, "BenchmarkA-8", 2000, false, "ns");
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	assert_true(input->warnings[WEIR_WARN_BAD_NUMBER].count >= 2);
	assert_int_equal(input->run->metrics.count, 4);
	weir_profile_free(profile);
	reading_survives_damage(reader, HEAD A B("4"));
	reading_refuses(reader, HEAD "PASS\n", WEIR_E_EMPTY, "no times");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_become_medians_and_metrics_with_their_directions),
		cmocka_unit_test(ten_lines_of_a_name_are_samples),
		cmocka_unit_test(benchmarks_of_two_packages_may_share_a_name),
		cmocka_unit_test(only_lines_of_go_are_claimed),
		cmocka_unit_test(a_damaged_log_reads_or_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
