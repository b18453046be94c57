/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA  "tests/data/mlperf/"
#define TITLE "MLPerf Results Summary\nScenario : Offline\n"

static const struct weir_reader *const reader = &weir_reader_mlperf;

static void a_server_has_its_rates_and_latencies(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "server.txt", profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "samples_per_s", 100.5, true, "1/s");
	reading_expects_figure(run, "scheduled_samples_per_s", 101.25, true, "1/s");
	reading_expects_figure(run, "min_latency_ms", 2, false, "ms");
	reading_expects_figure(run, "max_latency_ms", 18, false, "ms");
	reading_expects_figure(run, "mean_latency_ms", 6.25, false, "ms");
	reading_expects_figure(run, "p50_latency_ms", 6, false, "ms");
	reading_expects_figure(run, "p99.9_latency_ms", 17, false, "ms");
	assert_int_equal(run->metrics.count, 2 + 3 + 6);
	assert_string_equal(weir_run_label(run, "scenario"), "Server");
	assert_string_equal(weir_run_label(run, "result"), "VALID");
	assert_string_equal(weir_run_label(run, "target_qps"), "100");
	assert_string_equal(weir_run_label(run, "target_latency_ns"), "15000000");
	assert_int_equal(input->warnings[WEIR_WARN_OF_TOOL].count, 0);
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

static void a_result_that_is_not_valid_says_why(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "offline.txt", profile);
	const struct weir_warning *warning = &input->warnings[WEIR_WARN_OF_TOOL];

	(void)state;
	reading_expects_figure(input->run, "samples_per_s", 12.5, true, "1/s");
	reading_expects_figure(input->run, "tokens_per_s", 3200.5, true, "tokens/s");
	assert_string_equal(weir_run_label(input->run, "result"), "INVALID");
	assert_int_equal(warning->count, 3); /* it, and LoadGen's warnings and errors */
	assert_string_equal(warning->detail,
	                    "the result is not valid: Min duration satisfied: NO, Early stopping "
	                    "satisfied: NO");
	weir_profile_free(profile);
}

static void queries_that_early_stopping_lacks_are_a_reason(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   TITLE "Result is : INVALID\n  Min queries satisfied : Yes\n"
	                         "  Early stopping satisfied: NO\nEarly Stopping Result:\n"
	                         " * Only processed 12 queries.\n"
	                         " * Need to process at least 64 queries for early stopping.\n"
	                         "Mean latency (ns) : 5000000\n",
	                   profile);

	(void)state;
	reading_expects_label(input->run, "queries", "12");
	reading_expects_label(input->run, "invalid_because",
	                      "Early stopping satisfied: NO (12 queries, early stopping needs 64)");
	weir_profile_free(profile);
}

static void errors_of_loadgen_are_passed_on(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		TITLE "Result is : VALID\nSamples per second: 5\n\n1 ERROR encountered. See "
		      "detailed log.\n0 warnings encountered. See detailed log.\n",
		profile);

	(void)state;
	assert_int_equal(input->warnings[WEIR_WARN_OF_TOOL].count, 1);
	assert_string_equal(input->warnings[WEIR_WARN_OF_TOOL].detail,
	                    "1 ERROR encountered. See detailed log.");
	weir_profile_free(profile);
}

static void streams_have_times_of_tokens(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(reader, DATA "single_stream.txt", profile)->run;

	(void)state;
	reading_expects_figure(run, "early_stopping_p90_latency_ms", 9.1, false, "ms");
	reading_expects_figure(run, "samples_per_s", 160, true, "1/s");
	reading_expects_figure(run, "tokens_per_s", 1600, true, "tokens/s");
	reading_expects_figure(run, "mean_ttft_ms", 0.625, false, "ms");
	reading_expects_figure(run, "p99_tpot_ms", 0.135, false, "ms");
	assert_int_equal(run->metrics.count, 2 + 3 * (3 + 6) + 3);
	weir_profile_free(profile);
	profile = weir_profile_new();
	run = reading_file(reader, DATA "multi_stream.txt", profile)->run;
	assert_int_equal(run->metrics.count, 3 + 6);
	assert_string_equal(weir_run_label(run, "samples_per_query"), "8");
	weir_profile_free(profile);
}

static void times_per_output_token_are_those_of_tokens(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   TITLE "Min Time per Output Token (ns) : 2000000\n"
	                         "Mean Time per Output Token (ns) : 4000000\n"
	                         "99.00 percentile time to output token (ns) : 5000000\n"
	                         "QPS w/o loadgen overhead : 3\nTPS w/o loadgen overhead : 9\n",
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "min_tpot_ms", 2, false, "ms");
	reading_expects_figure(run, "mean_tpot_ms", 4, false, "ms");
	reading_expects_figure(run, "p99_tpot_ms", 5, false, "ms");
	reading_expects_figure(run, "samples_without_overhead_per_s", 3, true, "1/s");
	reading_expects_figure(run, "tokens_without_overhead_per_s", 9, true, "tokens/s");
	weir_profile_free(profile);
}

static void estimates_of_early_stopping_are_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "early_stopping.txt", profile);

	(void)state;
	reading_expects_figure(input->run, "early_stopping_p90_latency_ms", 16.5, false, "ms");
	reading_expects_figure(input->run, "p90_latency_ms", 16, false, "ms");
	assert_string_equal(weir_run_label(input->run, "queries"), "100");
	assert_int_equal(input->warnings[WEIR_WARN_OF_TOOL].count, 1);
	assert_string_equal(input->warnings[WEIR_WARN_OF_TOOL].detail,
	                    "too few queries for the early stopping estimate of the 99.0th "
	                    "percentile: it needs 662");
	weir_profile_free(profile);
	reading_survives_damage(reader, TITLE "99.0th percentile latency (ns) : 7\n"
	                                      "TTFT Early Stopping Result:\n"
	                                      " * Early stopping 99.0th percentile estimate: 8\n"
	                                      " * Not enough queries processed for 99.0th "
	                                      "percentile\nleast 5 total queries).\n");
}

static void an_estimate_belongs_to_the_times_above_it(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		TITLE "Samples per second : 1\nTTFT Early Stopping Result:\n"
		      " * Early stopping 99.0th percentile estimate: 8000000\n"
		      "TPOT Early Stopping Result:\n * Early stopping x percentile estimate: 8\n"
		      " * Early stopping 99.0th percentile estimate: 9000000\n"
		      " * Not enough queries processed for 99.9th percentile\n",
		profile);

	(void)state;
	reading_expects_figure(input->run, "early_stopping_p99_ttft_ms", 8, false, "ms");
	reading_expects_figure(input->run, "early_stopping_p99_tpot_ms", 9, false, "ms");
	assert_int_equal(input->run->metrics.count, 3);
	assert_string_equal(input->warnings[WEIR_WARN_OF_TOOL].detail,
	                    "too few queries for the early stopping estimate of the 99.9th "
	                    "percentile");
	weir_profile_free(profile);
}

static void all_parameters_of_the_test_are_labels(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   TITLE "max_query_count : 5\nSamples per second : 1\n"
	                         "Test Parameters Used\nmax_duration (ms): 7\nqsl_rng_seed : 9\n"
	                         "WARNING: odd words are no parameter\n"
	                         "): 3\n",
	                   profile)
			->run;

	(void)state;
	assert_null(weir_run_label(run, "max_query_count"));
	assert_string_equal(weir_run_label(run, "max_duration_ms"), "7");
	assert_string_equal(weir_run_label(run, "qsl_rng_seed"), "9");
	assert_int_equal(run->label_count, 3);
	weir_profile_free(profile);
}

static void a_further_summary_is_left_out_with_a_warning(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   "Samples per second: 3\n" TITLE "Samples per second: 5\n" TITLE
	                   "Samples per second: 7\nMean latency (ns) : 5\n",
	                   profile);

	(void)state;
	reading_expects_figure(input->run, "samples_per_s", 5, true, "1/s");
	assert_int_equal(input->run->metrics.count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_TRAILING].count, 1);
	weir_profile_free(profile);
}

/* Half of the times are 8 ms or more and all at least 2 ms: their mean is at least 5 ms. */
static void an_impossible_mean_is_left_out_with_a_warning(void **state)
{
	static const struct {
		const char *mean;
		bool kept;
	} cases[] = {{"5000000", true},
	             {"4990000", false},
	             {"12000000", true},
	             {"12020000", false},
	             {"1000000", false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		const struct weir_input *input;

		weir_text_printf(&text,
		                 TITLE "Min latency (ns) : 2000000\nMax latency (ns) : 12000000\n"
		                       "Mean latency (ns) : %s\n"
		                       "50.00 percentile latency (ns) : 8000000\n",
		                 cases[i].mean);
		input = reading_of(reader, text.data, profile);
		assert_int_equal(input->run->metrics.count, 3 + cases[i].kept);
		assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, !cases[i].kept);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void numbers_that_are_none_are_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		TITLE "Samples per second: 0\nMean latency (ns) : -1\nMax latency (ns) : nan\n"
		      "99.00 percentile latency (ns) : x\n0.00 percentile latency (ns) : 1\n"
		      "100.00 percentile latency (ns) : 1\n99.99 percentile latency (ns) : 1e6\n"
		      "Median latency (ns) : 4\nMin latency (ns) : 12",
		profile);

	(void)state;
	reading_expects_figure(input->run, "samples_per_s", 0, true, "1/s");
	reading_expects_figure(input->run, "p99.99_latency_ms", 1, false, "ms");
	assert_int_equal(input->run->metrics.count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 3);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
}

static void other_files_of_loadgen_are_refused(void **state)
{
	static const char detail[] =
		":::MLLOG {\"key\": \"loadgen_version\", \"value\": \"4.0\"}\n";

	(void)state;
	reading_refuses(reader, TITLE "Result is : VALID\n", WEIR_E_EMPTY, "PerformanceOnly");
	assert_int_equal(weir_sniff_reader(reader, detail, strlen(detail)), 0);
	assert_non_null(strstr(weir_sniff_refusal(reader, detail, strlen(detail)),
	                       "pass mlperf_log_summary.txt"));
	assert_string_equal(reading_claims(TITLE "Samples per second: 5\n"), "mlperf");
	assert_string_equal(reading_claims("MLPerf Results\nScenario : Offline\n"), "none");
}

static void damaged_files_are_read_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(reader, TITLE "Result is : INVALID\n  Min queries satisfied : NO\n"
	                                      "Samples per second: 5\nMean latency (ns) : 55\n"
	                                      "99.00 percentile latency (ns)   : 77\n"
	                                      "1 ERROR encountered. See detailed log.\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_has_its_rates_and_latencies),
		cmocka_unit_test(a_result_that_is_not_valid_says_why),
		cmocka_unit_test(queries_that_early_stopping_lacks_are_a_reason),
		cmocka_unit_test(errors_of_loadgen_are_passed_on),
		cmocka_unit_test(streams_have_times_of_tokens),
		cmocka_unit_test(times_per_output_token_are_those_of_tokens),
		cmocka_unit_test(estimates_of_early_stopping_are_figures),
		cmocka_unit_test(an_estimate_belongs_to_the_times_above_it),
		cmocka_unit_test(all_parameters_of_the_test_are_labels),
		cmocka_unit_test(a_further_summary_is_left_out_with_a_warning),
		cmocka_unit_test(an_impossible_mean_is_left_out_with_a_warning),
		cmocka_unit_test(numbers_that_are_none_are_left_out),
		cmocka_unit_test(other_files_of_loadgen_are_refused),
		cmocka_unit_test(damaged_files_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
