/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA "tests/data/openvino/"
#define STEP "[Step 11/11] Dumping statistics report\n"
#define RESULT(latency, fps)                                                                       \
	STEP "Count:      9 iterations\nDuration:   50.49 ms\nLatency:    " latency                \
	     " ms\nThroughput: " fps " FPS\n"

static const struct weir_reader *const reader = &weir_reader_openvino;

static void statistics_become_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "one.log", profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "median_latency_ms", 85.25, false, "ms");
	reading_expects_figure(run, "mean_latency_ms", 85.5, false, "ms");
	reading_expects_figure(run, "min_latency_ms", 53.5, false, "ms");
	reading_expects_figure(run, "max_latency_ms", 108.75, false, "ms");
	reading_expects_figure(run, "p99_latency_ms", 101.25, false, "ms");
	reading_expects_figure(run, "first_inference_ms", 46.5, false, "ms");
	reading_expects_figure(run, "throughput_fps", 139.88, true, "1/s");
	assert_int_equal(run->metrics.count, 7);
	assert_string_equal(weir_run_label(run, "batch_size"), "1");
	assert_string_equal(weir_run_label(run, "devices"), "CPU");
	assert_string_equal(weir_run_label(run, "inference_requests"), "12");
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

/* They may be of different models, which the log does not name: they are no repeats. */
static void several_results_get_numbers(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "two_models.log", profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "load/result@1/median_latency_ms", 22.25, false, "ms");
	reading_expects_figure(run, "load/result@2/median_latency_ms", 44.5, false, "ms");
	reading_expects_figure(run, "load/result@2/throughput_fps", 22.49, true, "1/s");
	assert_int_equal(run->metrics.count, 4);
	assert_string_equal(weir_run_label(run, "batch_size"), "1");
	assert_null(input->repeats);
	weir_profile_free(profile);
}

static void conditions_distinguish_results(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   "[ INFO ] Model batch size: 1\n" RESULT(
				   "5", "200") "[ INFO ] Model batch size: 8\n" RESULT("20", "400"),
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "load/batch_size@1/throughput_fps", 200, true, "1/s");
	reading_expects_figure(run, "load/batch_size@8/throughput_fps", 400, true, "1/s");
	weir_profile_free(profile);
}

static void counts_and_durations_are_labels(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   "[ INFO ] Compile model took 120.50 ms\n[ INFO ] Execution "
	                   "Devices:['CPU']\n" RESULT("5", "200") "[ INFO ] Compile model took "
	                                                          "80.25 ms\n[ INFO ] Execution "
	                                                          "Devices:['GPU.0', "
	                                                          "'GPU.1']\n" RESULT("2", "500"),
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "load/devices@CPU/throughput_fps", 200, true, "1/s");
	reading_expects_figure(run, "load/devices@GPU.0, GPU.1/throughput_fps", 500, true, "1/s");
	reading_expects_label(run, "iterations", "9");
	reading_expects_label(run, "duration_s", "0.05049");
	reading_expects_label(run, "load/devices@CPU/compile_ms", "120.5");
	reading_expects_label(run, "load/devices@GPU.0, GPU.1/compile_ms", "80.25");
	weir_profile_free(profile);
}

static void statistics_of_2022_are_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   STEP "Count:          9 iterations\nDuration:       50 ms\nLatency: \n"
	                        "    Median:     7.01 ms\n    AVG:        7.25 ms\n"
	                        "    MIN:        6.5 ms\n    MAX:        9 ms\n"
	                        "Throughput: 142.5 FPS\n",
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "median_latency_ms", 7.01, false, "ms");
	reading_expects_figure(run, "mean_latency_ms", 7.25, false, "ms");
	reading_expects_figure(run, "min_latency_ms", 6.5, false, "ms");
	reading_expects_figure(run, "max_latency_ms", 9, false, "ms");
	assert_int_equal(run->metrics.count, 5);
	weir_profile_free(profile);
}

/* A run that ended early leaves no figure to the next one. */
static void a_run_without_statistics_is_passed_over(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(
			reader,
			"[ INFO ] First inference took 9.5 ms\n[ INFO ]    Median:   3 ms\n"
			"[Step 1/11] Parsing and validating input arguments\n"
			"[ INFO ] First inference took 8.5 ms\n" RESULT(
				"5", "200") "[Step 1/11] Parsing and validating input arguments\n"
					    "[ INFO ] First inference took 7.5 ms\n",
			profile)
			->run;

	(void)state;
	reading_expects_figure(run, "first_inference_ms", 8.5, false, "ms");
	reading_expects_figure(run, "median_latency_ms", 5, false, "ms");
	assert_int_equal(run->metrics.count, 3);
	weir_profile_free(profile);
	reading_refuses(reader, STEP "Throughput: FPS\n", WEIR_E_EMPTY, "did it end early?");
}

static void a_result_without_throughput_is_kept(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   STEP "Count: 9 iterations\nLatency: 5 ms\n" RESULT("6", "100") STEP
	                   "Count: 9 iterations\nLatency: 7 ms\n[ INFO ] Throughput: 3",
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "load/result@1/median_latency_ms", 5, false, "ms");
	reading_expects_figure(run, "load/result@2/median_latency_ms", 6, false, "ms");
	reading_expects_figure(run, "load/result@3/median_latency_ms", 7, false, "ms");
	assert_int_equal(run->metrics.count, 4);
	weir_profile_free(profile);
}

static void odd_values_are_passed_over(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   STEP "Count: 9 iterations\nMedian: -1 ms\nAverage: nan ms\nMin: 1 s\n"
	                        "0 percentile: 1 ms\n100 percentile: 1 ms\nx percentile: 1 ms\n"
	                        "99.99999999999 percentile: 1 ms\n99.9 percentile: 2 ms\n"
	                        "Throughput: 5 FPS\n",
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "p99.9_latency_ms", 2, false, "ms");
	reading_expects_figure(run, "throughput_fps", 5, true, "1/s");
	assert_int_equal(run->metrics.count, 2);
	weir_profile_free(profile);
}

static void results_of_a_log_are_limited(void **state)
{
	struct weir_text text = {0};

	(void)state;
	for (int i = 0; i <= 256; i++)
		weir_text_puts(&text, RESULT("5", "200"));
	reading_refuses(reader, text.data, WEIR_E_LIMIT, "more than 256 results");
	weir_text_release(&text);
}

static void only_this_reader_claims_the_logs(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(RESULT("5", "200")), "openvino");
	assert_string_equal(reading_claims("[ INFO ] Count: 5 iterations\nThroughput: 5 FPS\n"),
	                    "openvino");
	assert_string_equal(reading_claims("[Step 11/11] Dumping statistics report\n"), "none");
	assert_string_equal(reading_claims("Count: 5 iterations\nThroughput: 5 qps\n"), "none");
}

static void damaged_logs_are_read_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(
		reader,
		"[ INFO ] Model batch size: 1\n" RESULT(
			"5", "200") "[ INFO ]    99 percentile:     14.0 ms\n" RESULT("6", "300"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statistics_become_figures),
		cmocka_unit_test(several_results_get_numbers),
		cmocka_unit_test(conditions_distinguish_results),
		cmocka_unit_test(counts_and_durations_are_labels),
		cmocka_unit_test(statistics_of_2022_are_read),
		cmocka_unit_test(a_run_without_statistics_is_passed_over),
		cmocka_unit_test(a_result_without_throughput_is_kept),
		cmocka_unit_test(odd_values_are_passed_over),
		cmocka_unit_test(results_of_a_log_are_limited),
		cmocka_unit_test(only_this_reader_claims_the_logs),
		cmocka_unit_test(damaged_logs_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
