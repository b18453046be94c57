/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests what the benchmark programs of inference runtimes print. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define TFLITE(model, mean)                                                                        \
	"INFO: Num threads: [4]\nINFO: Graph: [" model "]\nINFO: Loaded model " model "\n"         \
	"INFO: Initialized session in 1.5ms.\nINFO: count=9 first=7 curr=5 min=4 max=99 avg=6 "    \
	"std=1\n\nINFO: count=50 first=5000 curr=5000 min=4000 max=8000 avg=6 std=100 p5=4100 "    \
	"median=4900 p95=7000\n\nINFO: Inference timings in us: Init: 1500, First inference: "     \
	"7000, Warmup (avg): 6000.5, Inference (avg): " mean "\nINFO: Memory footprint delta "     \
	"from the start of the tool (MB): init=1.5 overall=5.25\n"
#define ORT(mean)                                                                                  \
	"Session creation time cost: 0.5 s\nFirst inference time cost: 9 ms\nTotal inference "     \
	"time cost: 4 s\nTotal inference requests: 800\nAverage inference time cost: " mean        \
	" ms\nTotal inference run time: 4.5 s\nNumber of inferences per second: 178\nAvg CPU "     \
	"usage: 48 %\nPeak working set size: 1000 bytes\nMin Latency: 0.004 s\nP50 Latency: "      \
	"0.005 s\nP999 Latency: 0.0625 s\n"
#define NCNN "loop_count = 8\nnum_threads = 4\npowersave = 0\ngpu_device = -1\n"
#define NET  "          squeezenet  min =    2.50  max =    2.75  avg =    2.625\n"

static void tflite_gives_the_statistics_of_the_benchmark_and_not_of_its_warm_up(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_tflite, TFLITE("a.tflite", "5000.5"), profile);

	(void)state;
	reading_expects_figure(input->run, "init_ms", 1.5, false, "ms");
	reading_expects_figure(input->run, "min_latency_ms", 4, false, "ms");
	reading_expects_figure(input->run, "max_latency_ms", 8, false, "ms");
	reading_expects_figure(input->run, "median_latency_ms", 4.9, false, "ms");
	reading_expects_figure(input->run, "p95_latency_ms", 7, false, "ms");
	reading_expects_figure(input->run, "first_inference_ms", 7, false, "ms");
	reading_expects_figure(input->run, "mean_latency_ms", 5.0005, false, "ms");
	reading_expects_figure(input->run, "memory_growth_mb", 5.25, false, "MB");
	reading_expects_label(input->run, "model", "a.tflite");
	reading_expects_label(input->run, "inferences", "50");
	reading_expects_label(input->run, "stddev_latency_ms", "0.1");
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

static void results_of_a_log_are_told_apart(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_tflite,
	                   TFLITE("a.tflite", "5000") TFLITE("b.tflite", "6000"), profile);

	(void)state;
	reading_expects_figure(input->run, "load/model@a.tflite/mean_latency_ms", 5, false, "ms");
	reading_expects_figure(input->run, "load/model@b.tflite/mean_latency_ms", 6, false, "ms");
	input = reading_of(&weir_reader_onnxruntime_perf, ORT("5") ORT("7"), profile);
	reading_expects_figure(input->run, "load/result@1/mean_latency_ms", 5, false, "ms");
	reading_expects_figure(input->run, "load/result@2/mean_latency_ms", 7, false, "ms");
	weir_profile_free(profile);
}

static void onnxruntime_states_seconds_and_milliseconds(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_onnxruntime_perf, ORT("5.5"), profile);

	(void)state;
	reading_expects_figure(input->run, "session_creation_s", 0.5, false, "s");
	reading_expects_figure(input->run, "first_inference_ms", 9, false, "ms");
	reading_expects_figure(input->run, "mean_latency_ms", 5.5, false, "ms");
	reading_expects_figure(input->run, "inferences_per_s", 178, true, "1/s");
	reading_expects_figure(input->run, "min_latency_ms", 4, false, "ms");
	reading_expects_figure(input->run, "median_latency_ms", 5, false, "ms");
	reading_expects_figure(input->run, "p99.9_latency_ms", 62.5, false, "ms");
	reading_expects_label(input->run, "completed", "800");
	reading_expects_label(input->run, "duration_s", "4.5");
	reading_expects_label(input->run, "cpu_usage_pct", "48");
	assert_int_equal(input->run->metrics.count, 8);
	weir_profile_free(profile);
}

static void ncnn_gives_a_result_for_each_model(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(&weir_reader_ncnn, NCNN NET, profile);

	(void)state;
	reading_expects_figure(input->run, "mean_latency_ms", 2.625, false, "ms");
	reading_expects_label(input->run, "model", "squeezenet");
	reading_expects_label(input->run, "threads", "4");
	input = reading_of(&weir_reader_ncnn, NCNN NET "  vgg16  min = 9  max = 9.5  avg = 9.25\n",
	                   profile);
	reading_expects_figure(input->run, "load/model@squeezenet/max_latency_ms", 2.75, false,
	                       "ms");
	reading_expects_figure(input->run, "load/model@vgg16/min_latency_ms", 9, false, "ms");
	reading_expects_label(input->run, "threads", "4");
	weir_profile_free(profile);
}

static void numbers_that_are_none_or_have_other_units_are_passed_over(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		&weir_reader_onnxruntime_perf,
		"Average inference time cost: 5 ms\nMin Latency: 4 ms\nMax Latency: -1 s\n"
		"P50 Latency: nan s\nP90 Latency: 1e999 s\nP95 Latency: s\nP99 Latency: 0.0",
		profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
}

static void damaged_logs_are_read_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(&weir_reader_tflite, TFLITE("a.tflite", "5000"));
	reading_survives_damage(&weir_reader_onnxruntime_perf, ORT("5"));
	reading_survives_damage(&weir_reader_ncnn, NCNN NET);
	reading_refuses(&weir_reader_ncnn, NCNN, WEIR_E_EMPTY, "no result");
	reading_refuses(&weir_reader_tflite, "Graph: [a]\nLoaded model a\n", WEIR_E_EMPTY,
	                "no result");
	assert_string_equal(reading_claims(TFLITE("a.tflite", "5000")), "tflite");
	assert_string_equal(reading_claims(ORT("5")), "onnxruntime-perf");
	assert_string_equal(reading_claims(NCNN NET), "ncnn");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			tflite_gives_the_statistics_of_the_benchmark_and_not_of_its_warm_up),
		cmocka_unit_test(results_of_a_log_are_told_apart),
		cmocka_unit_test(onnxruntime_states_seconds_and_milliseconds),
		cmocka_unit_test(ncnn_gives_a_result_for_each_model),
		cmocka_unit_test(numbers_that_are_none_or_have_other_units_are_passed_over),
		cmocka_unit_test(damaged_logs_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
