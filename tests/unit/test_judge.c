/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From figures of a report to its verdict and recommendations: what the pipeline adds to the rules.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/rank/features.h"
#include "engine/base/arena.h"
#include "engine/pipeline/judge.h"
#include "engine/pipeline/recommend.h"

#define SEE_AND_EXAMPLES(feature)                                                                  \
	"\"see\":[\"s\"],\"examples\":[{\"" feature "\":1,\"expect\":\"true\"},{\"" feature        \
	"\":0,\"expect\":\"false\"},{\"expect\":\"unknown\"}]}"

/* One rule each about requests, about the device and about stages. */
static const char rules_text[] =
	"{\"rules\":[{\"id\":\"requests/full\",\"about\":\"requests\",\"bound\":\"hardware\","
	"\"cause\":\"saturated\",\"title\":\"t\",\"when\":[\"path_compute >= 0.5\"],"
	"\"share\":\"path_compute\",\"of_compute\":true,\"descend\":true,\"headline\":\"full\","
	"\"next\":\"add devices\",\"recommend\":[{\"id\":\"add\",\"title\":\"t\",\"why\":\"w\","
	"\"effort\":\"high\"}]," SEE_AND_EXAMPLES(
		"path_compute") ","
				"{\"id\":\"runtime/"
				"late\",\"about\":[\"profile\",\"stage\"],\"bound\":\"runtime\","
				"\"cause\":\"host\",\"title\":\"t\",\"when\":[\"idle_late >= "
				"0.5\"],"
				"\"share\":\"idle_late\",\"headline\":\"it "
				"waits\",\"next\":\"capture\","
				"\"recommend\":[{\"id\":\"graphs\",\"title\":\"t\",\"why\":\"w\","
				"\"effort\":\"low\"}]," SEE_AND_EXAMPLES("idle_late") "]}";

struct bench {
	struct weir_ruleset *rules;
	struct weir_profile *profile;
	struct weir_report *report;
	struct weir_conclusion conclusion;
	double features[WEIR_F_COUNT], latencies[1];
};

static int open_bench(void **state)
{
	static struct bench bench;
	struct weir_error err = {0};

	bench = (struct bench){.profile = weir_profile_new()};
	if (weir_ruleset_load_text(&weir_features, "rules", rules_text, strlen(rules_text),
	                           &bench.rules, &err))
		fail_msg("%s", err.message);
	bench.report = weir_report_new(bench.profile);
	bench.report->feature_table = &weir_features;
	bench.report->features = bench.features;
	weir_features_clear(bench.features);
	*state = &bench;
	return 0;
}

static int close_bench(void **state)
{
	struct bench *bench = *state;

	weir_conclusion_release(&bench->conclusion);
	weir_report_free(bench->report);
	weir_profile_free(bench->profile);
	weir_ruleset_free(bench->rules);
	return 0;
}

static const struct weir_verdict *judge(struct bench *bench)
{
	weir_conclusion_release(&bench->conclusion);
	weir_judge_profile(bench->report, bench->rules, &bench->conclusion);
	return &bench->report->verdict;
}

/* Adds `count` requests that each spend `compute` seconds in computation. */
static void serve(struct bench *bench, uint64_t count, double compute)
{
	bench->report->has_requests = true;
	bench->report->requests.count = count;
	bench->report->requests.latency_ns = bench->latencies;
	bench->report->attribution.total_ns = 100;
	bench->report->attribution.ns[WEIR_BOUND_UNDETERMINED] = 100;
	bench->features[WEIR_F_PATH_COMPUTE] = compute;
}

/* A timeline whose device waits for the host during the share `late` of the time. */
static void show_timeline(struct bench *bench, double late)
{
	bench->report->has_gpu = true;
	bench->report->device_attribution.total_ns = 1000;
	bench->report->device_attribution.ns[WEIR_BOUND_RUNTIME] = (int64_t)(1000 * late);
	bench->features[WEIR_F_IDLE_LATE] = late;
}

/* ---- requests and device ---- */

static void without_requests_the_device_decides(void **state)
{
	struct bench *bench = *state;
	const struct weir_verdict *verdict;

	show_timeline(bench, 0.5);
	verdict = judge(bench);
	assert_int_equal(verdict->bound, WEIR_BOUND_RUNTIME);
	assert_true(verdict->share == 0.5);
	assert_false(bench->conclusion.about_requests);
	assert_int_equal(bench->conclusion.advice.count, 1);
	show_timeline(bench, 0.4999);
	assert_int_equal(judge(bench)->bound, WEIR_BOUND_UNDETERMINED);
}

static void requests_decide_if_no_timeline_shows_their_computation(void **state)
{
	struct bench *bench = *state;
	const struct weir_verdict *verdict;

	serve(bench, 100, 0.8);
	verdict = judge(bench);
	assert_int_equal(verdict->bound, WEIR_BOUND_HARDWARE);
	assert_string_equal(verdict->cause, "saturated");
	assert_string_equal(verdict->headline, "full");
	assert_true(verdict->share == 0.8);
	assert_true(bench->conclusion.about_requests);
	assert_false(bench->conclusion.descends);
}

static void a_timeline_names_the_bound_of_the_computation(void **state)
{
	struct bench *bench = *state;
	const struct weir_verdict *verdict;

	serve(bench, 100, 0.8);
	show_timeline(bench, 0.5);
	verdict = judge(bench);
	assert_true(bench->conclusion.descends);
	assert_int_equal(verdict->bound, WEIR_BOUND_RUNTIME);
	assert_true(verdict->share == 0.5 * 0.8);         /* of the requests' time */
	assert_string_equal(verdict->cause, "saturated"); /* a full device stays the cause */
	assert_int_equal(verdict->evidence_count, 2);     /* of both rules, requests first */
	assert_string_equal(verdict->evidence[0].clause, "path_compute >= 0.5");
	assert_string_equal(verdict->evidence[1].clause, "idle_late >= 0.5");
	assert_non_null(strstr(verdict->headline, "and there it waits"));
	assert_string_equal(bench->conclusion.advice.items[0].id, "add");
	assert_string_equal(bench->conclusion.advice.items[1].id, "graphs");
}

static void a_timeline_that_shows_nothing_leaves_the_verdict(void **state)
{
	struct bench *bench = *state;

	serve(bench, 100, 0.8);
	show_timeline(bench, 0.1);
	assert_int_equal(judge(bench)->bound, WEIR_BOUND_HARDWARE);
	assert_false(bench->conclusion.descends);
}

/* The rule about requests does not hold: nothing leads to the device. */
static void requests_that_wait_elsewhere_do_not_lead_to_the_device(void **state)
{
	struct bench *bench = *state;

	serve(bench, 100, 0.4999);
	show_timeline(bench, 0.9);
	assert_int_equal(judge(bench)->bound, WEIR_BOUND_UNDETERMINED);
	assert_false(bench->conclusion.descends);
}

static void few_requests_give_low_confidence(void **state)
{
	struct bench *bench = *state;

	serve(bench, WEIR_FEW_REQUESTS, 1);
	assert_int_not_equal(judge(bench)->confidence, WEIR_CONFIDENCE_LOW);
	serve(bench, WEIR_FEW_REQUESTS - 1, 1);
	assert_int_equal(judge(bench)->confidence, WEIR_CONFIDENCE_LOW);
}

static void stages_are_judged_by_their_own_figures(void **state)
{
	struct bench *bench = *state;
	double values[2][WEIR_F_COUNT];
	struct weir_stage_row stages[2] = {{.name = "prefill", .features = values[0]},
	                                   {.name = "decode", .features = values[1]}};

	weir_features_clear(values[0]);
	weir_features_clear(values[1]);
	values[0][WEIR_F_IDLE_LATE] = 0.49;
	values[1][WEIR_F_IDLE_LATE] = 0.51;
	bench->report->stages = stages;
	bench->report->stage_count = 2;
	weir_judge_stages(bench->report, bench->rules);
	assert_int_equal(stages[0].verdict.bound, WEIR_BOUND_UNDETERMINED);
	assert_int_equal(stages[1].verdict.bound, WEIR_BOUND_RUNTIME);
}

/* ---- counters, and inputs without a verdict ---- */

static struct weir_operator_row kernel_with(enum weir_bound bound, double *features)
{
	weir_features_clear(features);
	features[WEIR_F_OPERATOR_SHARE] = 0.75;
	return (struct weir_operator_row){.name = "gemm",
	                                  .share = 0.75,
	                                  .verdict = {.bound = bound, .cause = "bandwidth"},
	                                  .features = features};
}

static void counters_alone_give_the_verdict_of_the_largest_kernel(void **state)
{
	struct bench *bench = *state;
	double features[WEIR_F_COUNT];
	struct weir_operator_row kernel = kernel_with(WEIR_BOUND_MEMORY, features);
	struct weir_counter_row counter = {0};
	const struct weir_verdict *verdict;

	bench->report->operators = &kernel;
	bench->report->operator_count = 1;
	assert_int_equal(judge(bench)->bound, WEIR_BOUND_UNDETERMINED); /* nothing was counted */
	bench->report->counters = &counter;
	bench->report->counter_count = 1;
	verdict = judge(bench);
	assert_int_equal(verdict->bound, WEIR_BOUND_MEMORY);
	assert_true(verdict->share == 0.75);
	assert_int_equal(verdict->confidence, WEIR_CONFIDENCE_MEDIUM);
	assert_non_null(strstr(verdict->headline, "(75 %)"));
	kernel.verdict.bound = WEIR_BOUND_UNDETERMINED;
	assert_int_equal(judge(bench)->confidence, WEIR_CONFIDENCE_LOW);
}

/* Fewer blocks than a quarter of the multiprocessors, or threads than a warp has. */
static void a_small_launch_is_named_in_place_of_the_kernel(void **state)
{
	static const struct {
		uint32_t blocks, threads;
		double sms;
		enum weir_bound bound;
		const char *headline, *next; /* parts; NULL: those of the kernel */
	} cases[] = {
		{1, 1, NAN, WEIR_BOUND_KERNEL,
	         "launched as 1 block of 1 thread on a device of many multiprocessors",
	         "at least one block for each multiprocessor, and blocks of 128 to 256"},
		{26, 256, 108, WEIR_BOUND_KERNEL,
	         "launched as 26 blocks of 256 threads on a device of 108 multiprocessors",
	         "at least one block for each multiprocessor, so that"},
		{27, 256, 108, WEIR_BOUND_KERNEL, NULL, NULL},
		{2, 256, NAN, WEIR_BOUND_KERNEL, NULL, NULL},
		{500, 31, 108, WEIR_BOUND_KERNEL, "launched as 500 blocks of 31 threads",
	         "with blocks of 128 to 256 threads"},
		{500, 32, 108, WEIR_BOUND_KERNEL, NULL, NULL},
		{0, 0, NAN, WEIR_BOUND_KERNEL, NULL, NULL},
		{1, 1, 108, WEIR_BOUND_MEMORY, NULL, NULL},
	};
	struct bench *bench = *state;
	double features[WEIR_F_COUNT];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_operator_row kernel = kernel_with(cases[i].bound, features);
		struct weir_counter_row counter = {.grid = {cases[i].blocks, 1, 1},
		                                   .block = {cases[i].threads, 1, 1},
		                                   .count = 1,
		                                   .mean_ns = 500};
		const struct weir_verdict *verdict;

		counter.value[WEIR_COUNTER_SMS] = cases[i].sms;
		kernel.call.total_ns = 1000;
		bench->report->operators = &kernel;
		bench->report->operator_count = 1;
		bench->report->counters = &counter;
		bench->report->counter_count = 1;
		verdict = judge(bench);
		if (cases[i].headline) {
			assert_non_null(strstr(verdict->headline, cases[i].headline));
			assert_non_null(strstr(verdict->next, cases[i].next));
		} else {
			assert_null(strstr(verdict->headline, "launched"));
		}
		counter.mean_ns = 499; /* less than half of the operator's time */
		assert_null(strstr(judge(bench)->headline, "launched"));
	}
}

static void a_rule_of_the_profiler_that_disagrees_is_noted(void **state)
{
	static const struct {
		const char *rule, *text;
		enum weir_bound bound;
		bool noted;
	} cases[] = {
		{"SOLBottleneck", "below 60.0% typically indicate latency issues.",
	         WEIR_BOUND_MEMORY, true},
		{"SOLBottleneck", "This grid is too small to fill the device", WEIR_BOUND_KERNEL,
	         true},
		{"SOLBottleneck", "below 60.0% typically indicate latency issues.",
	         WEIR_BOUND_RUNTIME, false},
		{"SOLBottleneck", "Memory is more heavily utilized", WEIR_BOUND_MEMORY, false},
		{"Occupancy", "typically indicate latency issues", WEIR_BOUND_MEMORY, false},
	};
	struct bench *bench = *state;
	double features[WEIR_F_COUNT];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_operator_row kernel = kernel_with(cases[i].bound, features);
		struct weir_counter_remark remark = {.rule = cases[i].rule, .text = cases[i].text};
		struct weir_counter_row counter = {.remarks = &remark, .remark_count = 1};
		size_t noted = 0;

		bench->report->note_count = 0;
		bench->report->operators = &kernel;
		bench->report->operator_count = 1;
		bench->report->counters = &counter;
		bench->report->counter_count = 1;
		judge(bench);
		for (size_t n = 0; n < bench->report->note_count; n++)
			noted += strcmp(bench->report->notes[n].code, "counters_rule") == 0;
		assert_int_equal(noted, cases[i].noted);
	}
}

static void beside_a_timeline_counters_do_not_decide(void **state)
{
	struct bench *bench = *state;
	double features[WEIR_F_COUNT];
	struct weir_operator_row kernel = kernel_with(WEIR_BOUND_MEMORY, features);
	struct weir_counter_row counter = {0};

	bench->report->operators = &kernel;
	bench->report->operator_count = 1;
	bench->report->counters = &counter;
	bench->report->counter_count = 1;
	weir_profile_add_input(bench->profile, "trace.json")->trace = weir_trace_new();
	show_timeline(bench, 0.6);
	assert_int_equal(judge(bench)->bound, WEIR_BOUND_RUNTIME);
}

/* From the kind of input that says most to that which says least. */
static void what_is_missing_depends_on_what_is_there(void **state)
{
	struct bench *bench = *state;
	struct weir_stage_row stage = {.name = "decode", .view = WEIR_VIEW_COUNTED};
	struct weir_host_figures host = {.total = 1};

	assert_non_null(strstr(judge(bench)->headline, "metrics of a run alone"));
	bench->report->host = &host;
	assert_non_null(strstr(judge(bench)->headline, "host profile"));
	bench->report->has_telemetry = true;
	bench->report->telemetry.utilization_all = 0;
	assert_non_null(strstr(judge(bench)->headline, "idle in every sample"));
	bench->report->telemetry.utilization_all = 0.01;
	assert_non_null(strstr(judge(bench)->headline, "a monitor does not show"));
	stage.view = WEIR_VIEW_SERIES;
	bench->report->stages = &stage;
	bench->report->stage_count = 1;
	assert_non_null(strstr(judge(bench)->headline, "durations alone"));
	stage.view = WEIR_VIEW_COUNTED;
	assert_non_null(strstr(judge(bench)->headline, "how long stages take"));
	assert_non_null(strstr(bench->report->verdict.next, "timeline of the device"));
}

/* A timeline of `reader` without device work. */
static void show_host(struct bench *bench, const char *reader, struct weir_host_operators *host)
{
	struct weir_input *input = weir_profile_add_input(bench->profile, "trace.json");

	input->trace = weir_trace_new();
	input->format = reader;
	bench->report->host_operators = host;
}

static void a_cpu_profile_names_its_largest_operator(void **state)
{
	struct bench *bench = *state;
	struct weir_host_operators host = {.calls = 9, .threads = 3, .busy = 0.9, .parallel = 2};
	struct weir_operator_row row = {.name = "aten::{mm}", .share = 0.62};

	show_host(bench, "kineto", &host);
	bench->report->operators = &row;
	bench->report->operator_count = 1;
	assert_string_equal(judge(bench)->headline,
	                    "a CPU profile: aten::{{mm}} holds 62 % of operator time on 3 threads");
	host.threads = 1;
	assert_non_null(strstr(judge(bench)->headline, "on 1 thread"));
	bench->profile->inputs[0].format = "onnxruntime";
	assert_non_null(strstr(judge(bench)->headline, "a timeline of the host: "));
	assert_non_null(strstr(bench->report->verdict.next, "around the same run"));
	host.on_processor = true;
	assert_non_null(strstr(judge(bench)->headline, "a CPU profile: "));
	assert_false(bench->report->verdict.next &&
	             strstr(bench->report->verdict.next, "around the same run"));
	bench->profile->inputs[0].warnings[WEIR_WARN_UNKNOWN_CATEGORY].count = 2893;
	assert_non_null(strstr(judge(bench)->headline, "2,893 events of unknown categories"));
}

static void missing_device_work_is_recorded_with_the_tool_that_wrote_the_trace(void **state)
{
	static const struct {
		const char *reader, *part;
	} cases[] = {
		{"kineto", "ProfilerActivity.CUDA"},
		{"nsys", "nsys profile -t cuda"},
		{"rocprof", "--kernel-trace"},
		{"chrome", "pass a timeline of the device"},
	};
	struct bench *bench = *state;
	struct weir_host_operators host = {.launches = 260};

	show_host(bench, "kineto", &host);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bench->profile->inputs[0].format = cases[i].reader;
		assert_non_null(strstr(judge(bench)->next, cases[i].part));
		assert_null(strstr(bench->report->verdict.next, "before the profiler starts"));
	}
}

static void a_cold_start_without_device_work_asks_for_iterations_before_it(void **state)
{
	struct bench *bench = *state;
	struct weir_host_operators host = {.launches = 260, .cold = 0.19};

	show_host(bench, "kineto", &host);
	assert_null(strstr(judge(bench)->next, "before the profiler starts"));
	host.cold = 0.2;
	assert_non_null(strstr(judge(bench)->next, "before the profiler starts, and record"));
}

static void metrics_alone_are_listed_and_the_tool_decides_the_advice(void **state)
{
	struct bench *bench = *state;
	struct weir_input *input = weir_profile_add_input(bench->profile, "serve.json");

	input->run = weir_run_new();
	input->format = "bench";
	weir_series_push(weir_series_get(&input->run->metrics, "mean_ttft_ms"), 44.25);
	assert_non_null(strstr(judge(bench)->next, "bench serve --profile"));
	assert_int_equal(bench->report->note_count, 1);
	assert_string_equal(bench->report->notes[0].text, "the file states mean_ttft_ms 44.25");
}

static void the_server_decides_the_advice(void **state)
{
	static const struct {
		const char *reader, *label, *value, *part;
	} cases[] = {
		{"bench-console", "backend", "tgi", "/metrics"},
		{"bench", "backend", "tensorrt-llm", "nsys profile"},
		{"bench-table", "backend", "lmdeploy", "nsys profile"},
		{"bench", "tensorrt_llm", "1.0", "nsys profile"},
		{"bench", "backend", "vllm", "bench serve --profile"},
		{"rocprof", "rocprof", "1", "results.json (rocprof --hip-trace --hsa-trace)"},
		{"rocprof", "host", "1", "*_kernel_trace.csv"},
	};
	struct bench *bench = *state;
	struct weir_input *input = weir_profile_add_input(bench->profile, "serve.json");

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		weir_run_free(input->run);
		input->run = weir_run_new();
		input->format = cases[i].reader;
		weir_series_push(weir_series_get(&input->run->metrics, "mean_ttft_ms"), 44.25);
		weir_run_set_label(input->run, cases[i].label, cases[i].value);
		assert_non_null(strstr(judge(bench)->next, cases[i].part));
	}
}

/* A load may be named by a number, or by several conditions. */
static void figures_of_several_loads_are_listed_as_ranges(void **state)
{
	static const char *const loads[][3] = {
		{"concurrency@1/mean_ttft_ms", "concurrency@2/mean_ttft_ms", "2 loads of the file"},
		{"load/mean_ttft_ms", "load#2/mean_ttft_ms", "2 results of the file"},
		{"load/row@1/mean_ttft_ms", "load/row@2/mean_ttft_ms",
	         "2 results of the file (row: 1, 2)"},
		{"concurrency@1/gpu@a/mean_ttft_ms", "concurrency@1/gpu@b/mean_ttft_ms",
	         "2 configurations of the file (gpu: a, b)"},
		{"m/c/batch@1/concurrency@1/mean_ttft_ms", "m/c/batch@1/concurrency@2/mean_ttft_ms",
	         "2 configurations of the file"},
	};
	struct weir_text expected = {0};
	struct bench *bench = *state;
	struct weir_input *input = weir_profile_add_input(bench->profile, "serve.json");

	input->format = "bench";
	for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
		weir_run_free(input->run);
		input->run = weir_run_new();
		weir_series_push(weir_series_get(&input->run->metrics, loads[i][0]), 44.25);
		weir_series_push(weir_series_get(&input->run->metrics, loads[i][1]), 12);
		judge(bench);
		weir_text_clear(&expected);
		weir_text_printf(
			&expected,
			"over the %s: mean time to first token 12 to 44.25 ms (weir convert "
			"prints all)",
			loads[i][2]);
		assert_string_equal(bench->report->notes[bench->report->note_count - 1].text,
		                    expected.data);
	}
	assert_int_equal(bench->report->note_count, sizeof loads / sizeof *loads);
	weir_text_release(&expected);
}

static void figures_of_loads_from_1000_on_are_whole_numbers(void **state)
{
	struct bench *bench = *state;
	struct weir_input *input = weir_profile_add_input(bench->profile, "serve.json");

	input->run = weir_run_new();
	weir_series_push(weir_series_get(&input->run->metrics, "c@1/mean_ttft_ms"), 999.5);
	weir_series_push(weir_series_get(&input->run->metrics, "c@2/mean_ttft_ms"), 31000);
	judge(bench);
	assert_string_equal(bench->report->notes[bench->report->note_count - 1].text,
	                    "over the 2 configurations of the file (c: 1, 2): mean time to "
	                    "first token 999.5 to 31000 ms (weir convert prints all)");
}

static void a_table_of_copies_alone_names_them(void **state)
{
	struct bench *bench = *state;
	struct weir_input *input = weir_profile_add_input(bench->profile, "stats.txt");
	struct weir_series_table *metrics;

	input->run = weir_run_new();
	metrics = &input->run->metrics;
	weir_series_push(weir_series_get(metrics, "copies/total_ns"), 8e6);
	weir_series_push(weir_series_get(metrics, "copies/[CUDA memcpy HtoD]/total_ns"), 6e6);
	weir_series_push(weir_series_get(metrics, "memsets/total_ns"), 2e6);
	weir_series_push(weir_series_get(metrics, "memsets/[CUDA memset]/total_ns"), 2e6);
	judge(bench);
	assert_string_equal(
		bench->report->verdict.headline,
		"[CUDA memcpy HtoD] holds 60 % of the 10.0 ms of copies and memsets; totals do not "
		"show what limits it, nor what the device waits for");
	assert_true(weir_report_has_note(bench->report, "totals"));
}

static void kinds_of_requests_are_no_loads(void **state)
{
	struct bench *bench = *state;
	struct weir_input *input = weir_profile_add_input(bench->profile, "run_stats.csv");

	input->run = weir_run_new();
	weir_series_push(weir_series_get(&input->run->metrics, "request@GET a/median_latency_ms"),
	                 12);
	weir_series_push(weir_series_get(&input->run->metrics, "request@GET b/median_latency_ms"),
	                 14);
	judge(bench);
	for (size_t i = 0; i < bench->report->note_count; i++)
		assert_string_not_equal(bench->report->notes[i].code, "loads");
}

static void a_runtime_bound_is_noted_to_be_of_a_profiled_run(void **state)
{
	struct bench *bench = *state;

	show_timeline(bench, 0.6);
	judge(bench);
	weir_note_profiler(bench->report);
	assert_int_equal(bench->report->note_count, 1);
	assert_string_equal(bench->report->notes[0].code, "profiler");
	bench->report->note_count = 0;
	bench->report->profiler.source = "durations.json"; /* it is known how much slower */
	weir_note_profiler(bench->report);
	bench->report->profiler.source = NULL;
	bench->report->verdict.bound = WEIR_BOUND_MEMORY; /* profilers slow the host */
	weir_note_profiler(bench->report);
	bench->report->verdict.bound = WEIR_BOUND_RUNTIME;
	bench->report->has_gpu = false;
	weir_note_profiler(bench->report);
	assert_int_equal(bench->report->note_count, 0);
}

/* ---- recommendations ---- */

static const struct weir_recommendation *recommend(struct bench *bench, double share, double low,
                                                   double high)
{
	const struct weir_advice advice = {.id = "graphs",
	                                   .title = "at {idle_late:share}",
	                                   .why = "w",
	                                   .effort = "low",
	                                   .low = low,
	                                   .high = high,
	                                   .share = share};

	assert_int_equal(weir_recommend(NULL, bench->report, &advice, 1, &(struct weir_error){0}),
	                 WEIR_OK);
	return bench->report->recommendation_count == 1 ? bench->report->recommendations : NULL;
}

static void a_share_caps_the_speedup(void **state)
{
	struct bench *bench = *state;
	const struct weir_recommendation *got;

	bench->features[WEIR_F_IDLE_LATE] = 0.25;
	got = recommend(bench, 0.5, 1.5, 3); /* at most twice as fast */
	assert_true(got->limit == 2 && got->low == 1.5 && got->high == 2);
	assert_string_equal(got->title, "at 25 %");
	got = recommend(bench, 0.2, 1.5, 3);
	assert_true(got->limit == 1.25 && got->low == 1.25 && got->high == 1.25);
	got = recommend(bench, 0.03, 1.5, 3);
	assert_true(got->limit == 1 / 0.97 && got->high == got->limit);
	got = recommend(bench, 1, 1.5, 3); /* all of the time: no cap */
	assert_true(isinf(got->limit) && got->low == 1.5 && got->high == 3);
}

static void advice_that_saves_less_than_three_percent_is_left_out(void **state)
{
	struct bench *bench = *state;

	assert_null(recommend(bench, 0, 1.5, 3));
	assert_null(recommend(bench, 0.029, 1.5, 3));
	assert_non_null(recommend(bench, 0.03, 1.5, 3));
}

static void a_sentence_leaves_out_what_was_not_measured(void **state)
{
	struct bench *bench = *state;
	const struct weir_advice advice = {
		.id = "graphs",
		.title = "{kernels_per_step} kernels",
		.why = "{kernels_per_step} kernels a step; a graph is one call (not {idle_late})",
		.share = NAN};

	assert_int_equal(weir_recommend(NULL, bench->report, &advice, 1, &(struct weir_error){0}),
	                 WEIR_OK);
	assert_string_equal(bench->report->recommendations->why, "a graph is one call");
	assert_string_equal(bench->report->recommendations->title, "");
}

static void without_a_share_the_literature_stands(void **state)
{
	struct bench *bench = *state;
	const struct weir_recommendation *got = recommend(bench, NAN, 1.5, 3);

	assert_true(isnan(got->limit) && got->low == 1.5 && got->high == 3);
	got = recommend(bench, -0.1, 1.5, 3); /* no share of anything */
	assert_true(isnan(got->limit) && got->high == 3);
	got = recommend(bench, 0.5, NAN, NAN); /* nothing is stated: nothing is made up */
	assert_true(got->limit == 2 && isnan(got->low) && isnan(got->high));
	assert_null(got->saving_basis); /* no timeline was asked */
	assert_true(isnan(got->saving_step_ns));
}

#define BENCH_TEST(name) cmocka_unit_test_setup_teardown(name, open_bench, close_bench)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(without_requests_the_device_decides),
		BENCH_TEST(requests_decide_if_no_timeline_shows_their_computation),
		BENCH_TEST(a_timeline_names_the_bound_of_the_computation),
		BENCH_TEST(a_timeline_that_shows_nothing_leaves_the_verdict),
		BENCH_TEST(requests_that_wait_elsewhere_do_not_lead_to_the_device),
		BENCH_TEST(few_requests_give_low_confidence),
		BENCH_TEST(stages_are_judged_by_their_own_figures),
		BENCH_TEST(counters_alone_give_the_verdict_of_the_largest_kernel),
		BENCH_TEST(a_small_launch_is_named_in_place_of_the_kernel),
		BENCH_TEST(a_rule_of_the_profiler_that_disagrees_is_noted),
		BENCH_TEST(the_server_decides_the_advice),
		BENCH_TEST(beside_a_timeline_counters_do_not_decide),
		BENCH_TEST(what_is_missing_depends_on_what_is_there),
		BENCH_TEST(a_cpu_profile_names_its_largest_operator),
		BENCH_TEST(missing_device_work_is_recorded_with_the_tool_that_wrote_the_trace),
		BENCH_TEST(a_cold_start_without_device_work_asks_for_iterations_before_it),
		BENCH_TEST(metrics_alone_are_listed_and_the_tool_decides_the_advice),
		BENCH_TEST(figures_of_several_loads_are_listed_as_ranges),
		BENCH_TEST(figures_of_loads_from_1000_on_are_whole_numbers),
		BENCH_TEST(a_table_of_copies_alone_names_them),
		BENCH_TEST(kinds_of_requests_are_no_loads),
		BENCH_TEST(a_runtime_bound_is_noted_to_be_of_a_profiled_run),
		BENCH_TEST(a_share_caps_the_speedup),
		BENCH_TEST(advice_that_saves_less_than_three_percent_is_left_out),
		BENCH_TEST(a_sentence_leaves_out_what_was_not_measured),
		BENCH_TEST(without_a_share_the_literature_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
