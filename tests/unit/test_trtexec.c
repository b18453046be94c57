/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define SAMPLES "samples/trtexec/"

static const struct weir_reader *const reader = &weir_reader_trtexec;

#define QUERY(start, more)                                                                         \
	"{ \"startComputeMs\" : " start ", \"h2dMs\" : 0.05, \"computeMs\" : 1.2, \"d2hMs\" : "    \
	"1.2e-05, \"latencyMs\" : 1.25" more " }"

static const struct weir_input *read_data(struct weir_profile *profile, const char *path)
{
	struct weir_error err = {0};

	if (weir_read_path(profile, path, NULL, &err))
		fail_msg("%s", err.message);
	assert_string_equal(profile->inputs[0].format, "trtexec");
	return &profile->inputs[0];
}

static void queries_become_requests(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = read_data(profile, "tests/data/trtexec/times.json");
	const struct weir_series *enqueue = weir_series_find(&input->run->stages, "enqueue");

	(void)state;
	assert_int_equal(input->requests->count, 20);
	reading_expects_parts(input->requests, 0, "h2d=50000 compute=1200000 d2h=20000");
	assert_true(input->requests->start_ns[0] == 10000);
	assert_true(input->requests->end_ns[0] == 10000 + 1270000);
	assert_non_null(enqueue);
	assert_int_equal(enqueue->count, 20);
	assert_true(enqueue->value[0] == 150000);
	weir_profile_free(profile);
}

static void numbers_may_be_short_and_have_exponents(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, "[" QUERY("5", "") "]", profile);

	(void)state;
	reading_expects_parts(input->requests, 0, "h2d=50000 compute=1200000 d2h=12");
	weir_profile_free(profile);
}

/* Files with end-to-end times include the warm-up. */
static void queries_of_the_warm_up_are_left_out_where_they_are_known(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   "[" QUERY("5", ", \"endToEndMs\" : 2") "\n, " QUERY(
				   "250", ", \"endToEndMs\" : 2") "]",
	                   profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	assert_true(input->requests->start_ns[0] == INT64_C(250000000));
	assert_int_equal(input->warnings[WEIR_WARN_MERGED_STEPS].count, 1);
	weir_profile_free(profile);
	profile = weir_profile_new();
	input = reading_of(reader, "[" QUERY("5", "") "," QUERY("250", "") "]", profile);
	assert_int_equal(input->requests->count, 2);
	weir_profile_free(profile);
}

/* Versions 7.1 and 7.2 name the two the other way round. */
static void swapped_times_are_swapped_back(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"[{ \"startEnqMs\" : 300, \"endEnqMs\" : 300.5, \"startInMs\" : 299, \"endInMs\" : "
		"299.25, \"startComputeMs\" : 301, \"inMs\" : 0.5, \"computeMs\" : 1, \"outMs\" : "
		"0.5, "
		"\"latencyMs\" : 2, \"endToEndMs\" : 3 }]",
		profile);
	const struct weir_series *enqueue = weir_series_find(&input->run->stages, "enqueue");

	(void)state;
	assert_true(input->requests->start_ns[0] == INT64_C(300000000));
	assert_true(enqueue && enqueue->value[0] == 250000);
	reading_expects_parts(input->requests, 0, "h2d=500000 compute=1000000 d2h=500000");
	weir_profile_free(profile);
}

static void layers_become_operators(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = read_data(profile, "tests/data/trtexec/layers.json");
	const struct weir_series *series = weir_series_find(&input->run->operators, "fc1");

	(void)state;
	assert_int_equal(input->run->operators.count, 3);
	assert_non_null(series);
	assert_int_equal(series->count, 1);
	assert_true(series->value[0] == 15000 + 10000);
	assert_non_null(weir_series_find(&input->run->operators, "copy of \"x\""));
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	assert_string_equal(input->gives, "native run");
	weir_profile_free(profile);
}

static void a_summary_in_a_log_becomes_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = read_data(profile, "tests/data/trtexec/run.log")->run;

	(void)state;
	reading_expects_figure(run, "throughput_qps", 801.5, true, "1/s");
	reading_expects_figure(run, "latency_median_ms", 1.21, false, "ms");
	reading_expects_figure(run, "latency_p95_ms", 1.35, false, "ms");
	reading_expects_figure(run, "enqueue_mean_ms", 0.15, false, "ms");
	reading_expects_figure(run, "gpu_compute_p99_ms", 1.3, false, "ms");
	assert_int_equal(run->metrics.count, 1 + 7 + 5 + 5);
	weir_profile_free(profile);
}

static void warnings_of_the_summary_are_passed_on(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   "[01/02/2025-10:11:02] [W] [TRT] no star before this text\n"
	                   "[01/02/2025-10:11:02] [I] Throughput: 801.5 qps\n"
	                   "[01/02/2025-10:11:02] [W] * GPU compute time is unstable, with "
	                   "coefficient of variance = 25.6%.\n"
	                   "[01/02/2025-10:11:02] [W]   If not already in use, ...\n"
	                   "[01/02/2025-10:11:02] [W] * Throughput may be bound by Enqueue Time.\n",
	                   profile);
	const struct weir_warning *warning = &input->warnings[WEIR_WARN_OF_TOOL];

	(void)state;
	assert_int_equal(warning->count, 2);
	assert_string_equal(warning->detail,
	                    "GPU compute time is unstable, with coefficient of variance = 25.6%; "
	                    "Throughput may be bound by Enqueue Time");
	assert_int_equal(input->run->metrics.count, 1);
	weir_profile_free(profile);
}

#define FIRST7 "load/batch@1/"

/* TensorRT 7 writes blocks. */
static void blocks_in_a_log_become_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = read_data(profile, "tests/data/trtexec/run7.log")->run;

	(void)state;
	reading_expects_figure(run, FIRST7 "throughput_qps", 479.4, true, "1/s");
	reading_expects_figure(run, FIRST7 "latency_mean_ms", 2.05, false, "ms");
	reading_expects_figure(run, FIRST7 "latency_p99_ms", 2.5, false, "ms");
	reading_expects_figure(run, FIRST7 "end_to_end_mean_ms", 2.07, false, "ms");
	reading_expects_figure(run, FIRST7 "end_to_end_p99_ms", 2.6, false, "ms");
	reading_expects_figure(run, FIRST7 "enqueue_median_ms", 1.98, false, "ms");
	reading_expects_figure(run, FIRST7 "gpu_compute_mean_ms", 1.99, false, "ms");
	reading_expects_figure(run, FIRST7 "gpu_compute_p99_ms", 2.47, false, "ms");
	assert_null(weir_series_find(&run->metrics, FIRST7 "enqueue_mean_ms"));
	weir_profile_free(profile);
}

/* Logs hold one or more summaries: also excerpts, without the title or the command. */
static void all_summaries_of_a_log_are_read(void **state)
{
	static const struct {
		const char *text;
		bool several;
	} cases[] = {
		{"[I] === Performance summary ===\n[I] Throughput: 60 qps\n"
	         "[I] Latency: mean = 2 ms\n[I] === Performance summary ===\n"
	         "[I] Throughput: 10 qps\n[I] Enqueue Time: mean = 9 ms\n",
	         true},
		{"[I] Throughput: 60 qps\n[I] Latency: mean = 2 ms\n\ndynamic shapes:\n"
	         "[I] Throughput: 10 qps\n[I] Enqueue Time: mean = 9 ms\n",
	         true},
		/* A line that is there twice begins no run, and neither does a title without
	           figures. */
		{"[I] Throughput: 60 qps\n[I] Throughput: 60 qps\n[I] Latency: mean = 2 ms\n",
	         false},
		{"[I] === Performance summary ===\n[I] === Performance summary ===\n"
	         "[I] Throughput: 60 qps\n[I] Latency: mean = 2 ms\n",
	         false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = reading_of(reader, cases[i].text, profile);
		const struct weir_run *run = input->run;

		reading_expects_figure(
			run, cases[i].several ? "load/latency_mean_ms" : "latency_mean_ms", 2,
			false, "ms");
		if (cases[i].several)
			reading_expects_figure(run, "load#2/throughput_qps", 10, true, "1/s");
		assert_int_equal(run->metrics.count, cases[i].several ? 4 : 2);
		assert_null(input->repeats);
		assert_int_equal(input->warnings[WEIR_WARN_TRAILING].count, 0);
		weir_profile_free(profile);
	}
	reading_survives_damage(reader, cases[0].text);
}

#define RUN(options, qps)                                                                          \
	"&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec " options                        \
	"\n[I] === Performance summary ===\n[I] Throughput: " qps                                  \
	" qps\n[I] Latency: mean = 2 ms\n&&&& PASSED TensorRT.trtexec # trtexec " options "\n"

static void runs_are_named_after_their_commands(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   RUN("--onnx=/home/me/m.onnx --batch=4 --fp16", "60")
	                           RUN("--onnx=/home/me/m.onnx --batch=8 --fp16", "40"),
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "load/batch@4/throughput_qps", 60, true, "1/s");
	reading_expects_figure(run, "load/batch@8/throughput_qps", 40, true, "1/s");
	reading_expects_label(run, "model", "m.onnx");
	reading_expects_label(run, "options", "fp16");
	weir_profile_free(profile);
}

static void runs_of_one_command_are_repeats(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, RUN("--onnx=m --int8", "60") RUN("--onnx=m --int8", "61"), profile);

	(void)state;
	assert_non_null(input->repeats);
	assert_non_null(input->repeats->next);
	weir_profile_free(profile);
}

/* Layers of two engines are not joined. */
static void of_several_runs_with_layers_the_first_is_read(void **state)
{
	static const char second[] = "[I] === Profile (10 iterations ) ===\n"
				     "[I]    Time(ms)     Avg.(ms)   Time(%)   Layer\n"
				     "[I]       2.00       0.2000     100.0   a\n";
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_input *input;

	(void)state;
	weir_text_printf(&text, "%s%s%s", RUN("--onnx=a", "60"), RUN("--onnx=b", "50"), second);
	input = reading_of(reader, text.data, profile);
	reading_expects_figure(input->run, "throughput_qps", 60, true, "1/s");
	assert_int_equal(input->warnings[WEIR_WARN_TRAILING].count, 1);
	assert_non_null(strstr(input->warnings[WEIR_WARN_TRAILING].detail, "holds 2 runs"));
	weir_text_release(&text);
	weir_profile_free(profile);
}

/* People paste the summary without the date and the level of its lines, below headings. */
static void a_pasted_summary_is_read_under_its_heading(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = read_data(profile, "tests/data/trtexec/pasted.md");
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "load/heading@Batch 1/throughput_qps", 800.5, true, "1/s");
	reading_expects_figure(run, "load/heading@Batch 1/h2d_mean_ms", 0, false, "ms");
	reading_expects_figure(run, "load/heading@Batch 4/latency_p99_ms", 3.8, false, "ms");
	reading_expects_label(run, "load/heading@Batch 1/duration_s", "3.001");
	reading_expects_label(run, "load/heading@Batch 1/total_gpu_compute_s", "2.883");
	assert_string_equal(input->warnings[WEIR_WARN_OF_TOOL].detail,
	                    "GPU compute time is unstable, with coefficient of variance = 21.5%");
	reading_survives_damage(reader, "## A\n```\n=== Performance summary ===\n"
	                                "Throughput: 8 qps\nLatency: mean = 2 ms\n```\nb:\n```\n"
	                                "=== Performance summary ===\nThroughput: 7 qps\n"
	                                "Total Host Walltime: 3 s\n");
	weir_profile_free(profile);
}

/* A percentile is one between 0 and 100: both sides of the edges. */
#define OLD_RESULT(date, enqueue, compute)                                                         \
	"[" date "] [I] throughput: 0 qps\n[" date "] [I] walltime: 3.04 s\n[" date                \
	"] [I] Enqueue Time\n[" date "] [I] min: " enqueue " ms\n[" date                           \
	"] [I] GPU Compute\n[" date "] [I] mean: " compute " ms\n"

/* TensorRT 7 prints 0 qps if it did not count. */
static void results_of_version_7_are_apart_without_a_counted_throughput(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"```shell\ntrtexec --onnx=${the model} --fp16\n```\n\nlarge:\n```\n" OLD_RESULT(
			"12/09/2021-15:37:06", "0.5",
			"12.5") "```\nsmall:\n```\n" OLD_RESULT("12/09/2021-15:01:31", "0.2",
	                                                        "1.5") "```\n",
		profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "load/heading@large/gpu_compute_mean_ms", 12.5, false, "ms");
	reading_expects_figure(run, "load/heading@small/gpu_compute_mean_ms", 1.5, false, "ms");
	assert_null(weir_series_find(&run->metrics, "load/heading@small/throughput_qps"));
	assert_null(weir_run_label(run, "model"));
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 2);
	weir_profile_free(profile);
}

/* An article quotes lines of other runs below its result. */
static void a_quoted_line_of_calls_is_no_result(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"## Before\n```bash\n[I] === Performance summary ===\n[I] Throughput: 120 qps\n"
		"[I] GPU Compute Time: min = 6 ms, max = 8 ms, mean = 7 ms\n```\n```bash\n"
		"trtexec --onnx=a.onnx --fp16\n# D2H Latency: percentile(99%) = 0.7 ms\n```\n"
		"```\n[I] Enqueue Time: min = 1 ms, max = 11 ms, mean = 3.5 ms\n```\n",
		profile);

	(void)state;
	reading_expects_figure(input->run, "throughput_qps", 120, true, "1/s");
	assert_null(weir_series_find(&input->run->metrics, "enqueue_mean_ms"));
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 1);
	weir_profile_free(profile);
}

static void a_log_without_inference_is_refused_with_the_reason(void **state)
{
	(void)state;
	reading_refuses(
		reader,
		"[01/02/2026-10:11:12] [I] TensorRT version: 10.16.0\n"
		"[01/02/2026-10:11:15] [I] Engine built in 2.8 sec.\n"
		"[01/02/2026-10:11:15] [I] Skipped inference phase since --skipInference is "
		"added.\n&&&& PASSED TensorRT.trtexec [TensorRT v101600] # trtexec "
		"--onnx=a.onnx --skipInference\n",
		WEIR_E_EMPTY, "run it without --skipInference");
}

static void a_percentile_lies_below_100(void **state)
{
	static const struct {
		const char *percent, *name;
	} cases[] = {{"99.9", "gpu_compute_p99.9_ms"}, {"100", NULL}, {"0", NULL}, {"x", NULL}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input;
		char text[256];

		snprintf(text, sizeof(text),
		         "[d] [I] GPU Compute\n[d] [I] min: 1 ms\n"
		         "[d] [I] percentile: 2 ms at %s%%\n",
		         cases[i].percent);
		input = reading_of(reader, text, profile);
		assert_int_equal(input->run->metrics.count, cases[i].name ? 2 : 1);
		if (cases[i].name)
			assert_non_null(weir_series_find(&input->run->metrics, cases[i].name));
		weir_profile_free(profile);
	}
}

static void expect_layer(const struct weir_run *run, const char *name, double ns)
{
	const struct weir_series *series = weir_series_find(&run->operators, name);

	if (!series) {
		fail_msg("no layer %s", name);
		return;
	}
	assert_int_equal(series->count, 1);
	assert_near(series->value[0], ns, 1e-9);
}

static void layers_in_a_log_are_operators(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = read_data(profile, "tests/data/trtexec/profile.log")->run;

	(void)state;
	assert_int_equal(run->operators.count, 3);
	expect_layer(run, "conv1 + relu1", 125000);
	expect_layer(run, "Reformatting CopyNode for Input Tensor 0 to fc1", 50000);
	expect_layer(run, "fc1: Gemm", 25000);
	reading_expects_figure(run, "throughput_qps", 801.5, true, "1/s");
	weir_profile_free(profile);
}

#define LINE(text) "[01/02/2025-10:11:14] [I] " text "\n"
#define TITLE      LINE("=== Profile (10 iterations ) ===")

/* Up to 8.5 the name comes first, up to 8.2 there is no median; a layer may be called twice. */
static void tables_of_layers_differ_by_version(void **state)
{
	static const char *const tables[] = {
		TITLE LINE("    Layer   Time (ms)   Avg. Time (ms)   Median Time (ms)   Time %")
			LINE("  a 2       1.00           0.1000             0.0900     50.0") LINE(
				"  a 2       1.00           0.1000             0.0900     50.0")
				LINE("  Total       2.00           0.2000             0.1800    "
	                             "100.0"),
		TITLE LINE("    Layer   Time (ms)   Avg. Time (ms)   Time %")
			LINE("  a 2       2.00           0.2000     100.0")
				LINE("  Total       2.00           0.2000    100.0"),
		TITLE LINE("   Time(ms)     Avg.(ms)   Time(%)   Layer")
			LINE("       2.00       0.2000     100.0   a 2")
				LINE("       2.00       0.2000     100.0   Total"),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_run *run = reading_of(reader, tables[i], profile)->run;

		assert_string_equal(reading_claims(tables[i]), "trtexec");
		assert_int_equal(run->operators.count, 1);
		expect_layer(run, "a 2", 200000);
		weir_profile_free(profile);
	}
}

/* The file ends within a row, so that the name of the layer may be incomplete. */
static void a_row_that_is_cut_is_no_layer(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   TITLE LINE("   Time(ms)     Avg.(ms)   Median(ms)   Time(%)   Layer")
	                           LINE("  1.00       0.1000       0.1000     50.0   "
	                                "one") "[01/02/2025-10:11:14] [I]   1.00       "
	                                       "0.1000       0.1000     50.0   tw",
	                   profile);

	(void)state;
	assert_int_equal(input->run->operators.count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
}

static void what_holds_no_time_is_refused(void **state)
{
	(void)state;
	reading_refuses(reader, "[{\"computeMs\" : nan, \"latencyMs\" : 1}]", WEIR_E_EMPTY,
	                "no query: expected");
	reading_refuses(
		reader,
		"[{\"count\" : 3}, {\"name\" : \"a\", \"averageMs\" : nan, \"timeMs\" : 1}]",
		WEIR_E_EMPTY, "no layer has a time");
	reading_refuses(reader, "[d] [I] Host Latency\n[d] [I] min: 1 s\n", WEIR_E_EMPTY,
	                "without a summary");
	reading_refuses(reader, "[01/02/2025-10:11:02] [I] TensorRT version: 8.6.0\n", WEIR_E_EMPTY,
	                "without a summary");
	reading_refuses(
		reader,
		"[d] [I] TensorRT version: 8.6.0\n[d] [I] Timing trace has 30 queries over 3 "
		"s\n[d] [I] Average on 10 runs - GPU latency: 0.5 ms - Host latency: 0.7 ms\n"
		"[d] [I] Average on 10 runs - GPU latency: 1.5 ms - Host latency: 1.7 ms\n",
		WEIR_E_EMPTY,
		"2 averages of 10 runs each (mean of the GPU latency 1 ms) of 30 queries "
		"over 3 s, which state no percentile: pass the log up to its end, or the file "
		"that --exportTimes=FILE writes");
}

static void results_are_known_by_their_keys(void **state)
{
	(void)state;
	assert_string_equal(reading_claims("[" QUERY("1", "") "]"), "trtexec");
	assert_string_equal(
		reading_claims(
			"[{\"count\" : 3}, {\"name\" : \"a\", \"timeMs\" : 1, \"averageMs\" : 1}]"),
		"trtexec");
	assert_string_equal(reading_claims("[01/02/2025-10:11:02] [I] Throughput: 1 qps\n"),
	                    "trtexec");
	assert_string_equal(reading_claims("&&&& RUNNING TensorRT.trtexec # trtexec\n"), "trtexec");
	assert_string_equal(reading_claims("[d] [I] Host Latency\n[d] [I] min: 1 ms\n"), "trtexec");
	assert_string_equal(reading_claims("[{\"count\" : 3}]"), "none");
	assert_string_equal(reading_claims("{\"Layers\": []}"), "none");
	assert_string_equal(reading_claims("{\"Layers\": [], \"Bindings\": []}"), "none");
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damage(reader, "[" QUERY("1", "") "\n, " QUERY("2", "") "]\n");
	reading_survives_damage(
		reader, "[{\"count\" : 3}, {\"name\" : \"a\", \"timeMs\" : 1, \"averageMs\" : 1}]");
	reading_survives_damage(
		reader, "[d] [I] Throughput: 1 qps\n[d] [I] Latency: min = 1 ms, mean = 2 ms\n");
	reading_survives_damage(reader,
	                        "[d] [I] Host Latency\n[d] [I] mean: 2 ms (end to end 3 ms)\n"
	                        "[d] [I] percentile: 2 ms at 99% (end to end 3 ms at 99%)\n");
}

static void samples_are_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_sample(SAMPLES "self_times.json", reader, NULL, profile);

	(void)state;
	assert_int_equal(input->requests->count, 2);
	input = reading_sample(SAMPLES "self_profile.json", reader, NULL, profile);
	assert_int_equal(input->run->operators.count, 2);
	weir_profile_free(profile);
}

/* Pages leave the date out and wrap lines; containers put a time in front. TensorRT 7 prints 0
 * queries a second if it did not count them. */
static void lines_may_lack_a_date_be_wrapped_and_have_a_prefix(void **state)
{
	static const char text[] =
		"[I] === Performance summary ===\n"
		"2026-01-02T03:04:05.6Z stdout F [01/02/2026-03:04:05] [I] Throughput: 1133.5 qps\n"
		"[I] throughput: 0 qps\n"
		"[I] Latency: min = 0.5 ms, max = 0.75 ms,\n"
		"median = 0.625 ms, percentile(90%) = 0.7 ms,\n"
		"percentile(99%) = 0.74 ms\n"
		"[I] GPU Compute Time: min = 0.25 ms, mean = 0.375 ms\n"
		"median = 9 ms\n";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run;

	(void)state;
	assert_true(weir_sniff_reader(reader, text, sizeof text - 1) > 0);
	run = reading_of(reader, text, profile)->run;
	reading_expects_figure(run, "throughput_qps", 1133.5, true, "1/s");
	reading_expects_figure(run, "latency_min_ms", 0.5, false, "ms");
	reading_expects_figure(run, "latency_median_ms", 0.625, false, "ms");
	reading_expects_figure(run, "gpu_compute_mean_ms", 0.375, false, "ms");
	assert_null(weir_series_find(&run->metrics, "gpu_compute_median_ms"));
	weir_profile_free(profile);
	profile = weir_profile_new();
	run = reading_of(reader, "[I] throughput: 0 qps\n[I] GPU Compute\n[I] mean: 2 ms\n",
	                 profile)
	              ->run;
	assert_null(weir_series_find(&run->metrics, "throughput_qps"));
	reading_expects_figure(run, "gpu_compute_mean_ms", 2, false, "ms");
	weir_profile_free(profile);
}

#define MEAN(gpu, host)                                                                            \
	"Average over 10 runs is " gpu " ms (host walltime is " host                               \
	" ms, 99% percentile time is 9).\n"

/* Expects the values of a metric, whose number is 2. */
static void expect_two(const struct weir_run *run, const char *name, double first, double second)
{
	const struct weir_series *series = weir_series_find(&run->metrics, name);

	assert_non_null(series);
	assert_int_equal(series->count, 2);
	assert_true(series->value[0] == first && series->value[1] == second);
}

static void means_of_old_versions_are_values_of_each_result(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"deploy: a/b.prototxt\nbatch: 4\nfp16\n" MEAN("5.5", "6")
			MEAN("5.25", "5.75") "Done.\ndeploy: a/b.prototxt\nbatch: 1\nfp16\n" MEAN(
				"1.5", "2") MEAN("1.25", "1.75") "Done.\n",
		profile);

	(void)state;
	expect_two(input->run, "load/batch@4/gpu_compute_mean_ms", 5.5, 5.25);
	expect_two(input->run, "load/batch@4/host_walltime_mean_ms", 6, 5.75);
	expect_two(input->run, "load/batch@1/gpu_compute_mean_ms", 1.5, 1.25);
	assert_int_equal(input->run->metrics.count, 4);
	assert_string_equal(weir_run_label(input->run, "model"), "b.prototxt");
	assert_string_equal(weir_run_label(input->run, "options"), "fp16");
	assert_string_equal(weir_run_label(input->run, "runs_of_a_mean"), "10");
	weir_profile_free(profile);
}

static void means_may_be_messages_and_lack_the_host(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"&&&& RUNNING TensorRT.trtexec # trtexec --onnx=m.onnx --batch=2\n"
		"[I] onnx: m.onnx\n[I] batch: 2\n"
		"[I] Average over 100 runs is 2.5 ms.\n[I] Average over 100 runs is 3 ms.\n"
		"&&&& PASSED TensorRT.trtexec\n",
		profile);

	(void)state;
	expect_two(input->run, "gpu_compute_mean_ms", 2.5, 3);
	assert_int_equal(input->run->metrics.count, 1);
	assert_string_equal(weir_run_label(input->run, "batch"), "2");
	assert_string_equal(weir_run_label(input->run, "runs_of_a_mean"), "100");
	weir_profile_free(profile);
}

static void results_without_options_end_where_the_tool_says_so(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, MEAN("5.5", "6") "Done.\n" MEAN("1.5", "2") MEAN("1.25", "2") "Done.\n",
		profile);

	(void)state;
	reading_expects_figure(input->run, "load/gpu_compute_mean_ms", 5.5, false, "ms");
	expect_two(input->run, "load#2/gpu_compute_mean_ms", 1.5, 1.25);
	weir_profile_free(profile);
	reading_survives_damage(reader,
	                        "batch: 2\n" MEAN("5.5", "6") "Done.\nbatch: 1\n" MEAN("1.5", "2"));
}

static void a_run_that_failed_is_refused_with_its_errors(void **state)
{
	static const char text[] = "[E] Error[4]: first cause\n"
				   "[01/02/2026-03:04:05] [E] Engine set up failed\n"
				   "&&&& FAILED TensorRT.trtexec [TensorRT v100300] # trtexec\n";

	(void)state;
	assert_string_equal(reading_claims(text), "trtexec");
	reading_refuses(reader, text, WEIR_E_FORMAT,
	                "its last error is \"Engine set up failed\", its first one is "
	                "\"Error[4]: first cause\"");
	reading_refuses(reader, "&&&& FAILED TensorRT.trtexec\n", WEIR_E_FORMAT, "trtexec failed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queries_become_requests),
		cmocka_unit_test(numbers_may_be_short_and_have_exponents),
		cmocka_unit_test(queries_of_the_warm_up_are_left_out_where_they_are_known),
		cmocka_unit_test(swapped_times_are_swapped_back),
		cmocka_unit_test(a_run_that_failed_is_refused_with_its_errors),
		cmocka_unit_test(layers_become_operators),
		cmocka_unit_test(a_summary_in_a_log_becomes_figures),
		cmocka_unit_test(warnings_of_the_summary_are_passed_on),
		cmocka_unit_test(blocks_in_a_log_become_figures),
		cmocka_unit_test(all_summaries_of_a_log_are_read),
		cmocka_unit_test(runs_are_named_after_their_commands),
		cmocka_unit_test(runs_of_one_command_are_repeats),
		cmocka_unit_test(of_several_runs_with_layers_the_first_is_read),
		cmocka_unit_test(a_pasted_summary_is_read_under_its_heading),
		cmocka_unit_test(results_of_version_7_are_apart_without_a_counted_throughput),
		cmocka_unit_test(a_quoted_line_of_calls_is_no_result),
		cmocka_unit_test(a_log_without_inference_is_refused_with_the_reason),
		cmocka_unit_test(a_percentile_lies_below_100),
		cmocka_unit_test(layers_in_a_log_are_operators),
		cmocka_unit_test(tables_of_layers_differ_by_version),
		cmocka_unit_test(a_row_that_is_cut_is_no_layer),
		cmocka_unit_test(what_holds_no_time_is_refused),
		cmocka_unit_test(results_are_known_by_their_keys),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(samples_are_read),
		cmocka_unit_test(lines_may_lack_a_date_be_wrapped_and_have_a_prefix),
		cmocka_unit_test(means_of_old_versions_are_values_of_each_result),
		cmocka_unit_test(means_may_be_messages_and_lack_the_host),
		cmocka_unit_test(results_without_options_end_where_the_tool_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
