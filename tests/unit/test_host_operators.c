/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of timelines without device work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/rows/rows.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)

/* Fills the figures of one trace of a reader; the caller frees the report and the trace. */
static struct weir_report *report_by(const char *format, struct weir_trace *trace)
{
	struct weir_report *report = weir_report_new(NULL);
	struct weir_profile *profile = weir_profile_new();
	struct weir_rank rank = {.trace = trace};
	struct weir_analysis analysis = {.ranks = &rank, .rank_count = 1, .profile = profile};

	weir_profile_add_input(profile, "trace.json")->format = format;
	report->attribution.total_ns = 1000;
	report->attribution.ns[WEIR_BOUND_UNDETERMINED] = 1000;

	weir_timeline_init(&rank.timeline, trace);
	weir_fill_host_operators(&analysis, report);
	weir_timeline_release(&rank.timeline);
	weir_profile_free(profile);
	return report;
}

static struct weir_report *report_of(struct weir_trace *trace)
{
	return report_by("kineto", trace);
}

static void operators_of_two_threads_overlap_and_add_up(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_report *report;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "aten::conv2d", 0, 40);
	make_host(make, WEIR_HOST_OP, 0, "aten::mkldnn_convolution", 10, 30);
	make_host(make, WEIR_HOST_OP, 1, "aten::mm", 20, 60);
	make_host(make, WEIR_HOST_ANNOTATION, 0, "gloo:all_reduce", 60, 80);
	make_host(make, WEIR_HOST_ANNOTATION, 0,
	          "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 80, 100);
	trace = make_trace_finish(make);
	report = report_of(trace);
	assert_non_null(report->host_operators);
	assert_int_equal(report->host_operators->calls, 3);
	assert_int_equal(report->host_operators->threads, 2);
	assert_int_equal(report->host_operators->launches, 0);
	assert_near(report->host_operators->busy, 0.6, 1e-12);
	assert_near(report->host_operators->parallel, 80.0 / 60, 1e-12);
	assert_near(report->host_operators->communication, 0.2, 1e-12);
	assert_near(report->host_operators->loading, 0.2, 1e-12);
	weir_report_free(report);
	weir_trace_free(trace);
}

static void a_driver_call_inside_a_launch_is_no_second_launch(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_report *report;

	(void)state;
	make_call(make, 0, "cudaLaunchKernel", 0, 30, 1);
	make_call(make, 0, "cuLaunchKernel", 5, 25, 2);
	make_call(make, 0, "cudaLaunchKernel", 40, 50, 3);
	trace = make_trace_finish(make);
	report = report_of(trace);
	assert_int_equal(report->host_operators->launches, 2);
	assert_int_equal(report->host_operators->calls, 0);
	weir_report_free(report);
	weir_trace_free(trace);
}

static void a_first_copy_before_any_work_sets_up_the_runtime(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_report *report;

	(void)state;
	make_call(make, 0, "hipMemcpy", 0, 300 * MS, 1);
	make_call(make, 0, "hipLaunchKernel", 300 * MS, 300 * MS + 5 * US, 2);
	make_call(make, 0, "hipMemcpy", 301 * MS, 303 * MS, 3);
	make_host(make, WEIR_HOST_ANNOTATION, 0, "rest", 303 * MS, 400 * MS);
	trace = make_trace_finish(make);
	report = report_of(trace);
	assert_near(report->host_operators->waiting, 2.0 / 400, 1e-12);
	assert_near(report->host_operators->cold, 300.0 / 400, 1e-12);
	weir_report_free(report);
	weir_trace_free(trace);
}

/* A long upload is no set-up if other copies are long, and it waits for no kernel. */
static void copies_before_any_work_wait_for_nothing(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_report *report;

	(void)state;
	make_call(make, 0, "hipMemcpy", 0, 100 * MS, 1);
	make_call(make, 0, "hipMemcpy", 100 * MS, 190 * MS, 2);
	make_call(make, 0, "hipLaunchKernel", 190 * MS, 190 * MS + 5 * US, 3);
	make_call(make, 0, "hipDeviceSynchronize", 191 * MS, 200 * MS, 4);
	trace = make_trace_finish(make);
	report = report_of(trace);
	assert_near(report->host_operators->waiting, 9.0 / 200, 1e-12);
	assert_near(report->host_operators->cold, 0, 0);
	weir_report_free(report);
	weir_trace_free(trace);
}

/* Makes two operators of `first` and `second` ns with `gap` ns between them. */
static struct weir_trace *two_operators(int64_t first, int64_t gap, int64_t second)
{
	struct make_trace *make = make_trace_new();

	make_host(make, WEIR_HOST_OP, 0, "aten::mul", 0, first);
	make_host(make, WEIR_HOST_OP, 0, "aten::mm", first + gap, first + gap + second);
	return make_trace_finish(make);
}

static void operators_below_ten_microseconds_and_short_gaps_are_dispatch(void **state)
{
	static const struct {
		int64_t first, gap, second; /* ns */
		double short_operators, dispatch;
	} cases[] = {
		{9999, 0, 10001, 9999.0 / 20000, 9999.0 / 20000},
		{10000, 0, 10000, 0, 0},
		{10000, 199 * US, 10000, 0, 199.0 / 219},
		{10000, 200 * US, 10000, 0, 0},
		{5000, 10000, 5000, 1, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weir_trace *trace =
			two_operators(cases[i].first, cases[i].gap, cases[i].second);
		struct weir_report *report = report_of(trace);

		assert_near(report->host_operators->short_operators, cases[i].short_operators,
		            1e-12);
		assert_near(report->host_operators->dispatch, cases[i].dispatch, 1e-12);
		assert_int_equal(report->attribution.ns[WEIR_BOUND_RUNTIME],
		                 (int64_t)(1000 * report->host_operators->dispatch));
		assert_int_equal(report->attribution.ns[WEIR_BOUND_RUNTIME] +
		                         report->attribution.ns[WEIR_BOUND_UNDETERMINED],
		                 1000);
		weir_report_free(report);
		weir_trace_free(trace);
	}
}

static void only_self_time_makes_an_operator_long(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_report *report;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "aten::linear", 0, 25 * US);
	make_host(make, WEIR_HOST_OP, 0, "aten::addmm", 5 * US, 25 * US);
	trace = make_trace_finish(make);
	report = report_of(trace);
	assert_near(report->host_operators->short_operators, 0.2, 1e-12);
	weir_report_free(report);
	weir_trace_free(trace);
}

static void loading_between_operators_is_no_dispatch(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_report *report;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 0, 20 * US);
	make_host(make, WEIR_HOST_ANNOTATION, 0,
	          "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 20 * US, 60 * US);
	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 80 * US, 100 * US);
	trace = make_trace_finish(make);
	report = report_of(trace);
	assert_near(report->host_operators->dispatch, 0.2, 1e-12);
	/* No device hides the loading. */
	assert_int_equal(report->attribution.ns[WEIR_BOUND_RUNTIME], 400);
	weir_report_free(report);
	weir_trace_free(trace);
}

static void ranges_of_other_tracers_are_not_dispatched(void **state)
{
	struct weir_trace *trace = two_operators(5000, 1000, 5000);
	struct weir_report *report = report_by("chrome", trace);

	(void)state;
	assert_true(isnan(report->host_operators->short_operators));
	assert_true(isnan(report->host_operators->dispatch));
	assert_int_equal(report->attribution.ns[WEIR_BOUND_RUNTIME], 0);
	weir_report_free(report);
	weir_trace_free(trace);
}

static void first_calls_without_device_rows_are_a_cold_start(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_report *report;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "aten::cudnn_convolution", 0, 600 * MS);
	make_call(make, 0, "cudaLaunchKernel", 500 * MS, 500 * MS + 5 * US, 1);
	for (int64_t i = 0; i < 20; i++) {
		int64_t at_ns = (600 + 20 * i) * MS;

		make_host(make, WEIR_HOST_OP, 0, "aten::cudnn_convolution", at_ns, at_ns + 20 * US);
		make_call(make, 0, "cudaLaunchKernel", at_ns, at_ns + 5 * US, (uint64_t)(2 + i));
	}
	make_host(make, WEIR_HOST_OP, 0, "aten::relu", 999 * MS, 1000 * MS);
	trace = make_trace_finish(make);
	report = report_of(trace);
	assert_int_equal(report->host_operators->launches, 21);
	assert_near(report->host_operators->cold, 0.6, 1e-9);
	assert_int_equal(report->attribution.ns[WEIR_BOUND_RUNTIME], 600);
	weir_report_free(report);
	weir_trace_free(trace);
}

/* A question for the memory of the device may wait for many things. */
static void a_question_alone_is_no_cold_start(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_report *report;

	(void)state;
	make_call(make, 0, "cudaMemGetInfo", 0, 10000 * MS, 5);
	trace = make_trace_finish(make);
	report = report_of(trace);
	assert_false(report->host_operators->cold > 0);
	assert_int_equal(report->attribution.ns[WEIR_BOUND_RUNTIME], 0);
	weir_report_free(report);
	weir_trace_free(trace);
}

/* The trace loads the model for 100 us, then runs it at [100, 200) and [250, 300). */
static struct weir_report *report_of_runs(bool both, struct weir_trace **trace)
{
	struct make_trace *make = make_trace_new();

	make_host(make, WEIR_HOST_ANNOTATION, 0, "session_initialization", 0, 100 * US);
	make_host(make, WEIR_HOST_ANNOTATION, 0, "model_run", 100 * US, 200 * US);
	make_host(make, WEIR_HOST_OP, 0, "Conv", 100 * US, 190 * US);
	if (both)
		make_host(make, WEIR_HOST_ANNOTATION, 0, "model_run", 250 * US, 300 * US);
	make_host(make, WEIR_HOST_OP, 0, "Conv", 250 * US, 300 * US);
	*trace = make_trace_finish(make);
	return report_by("onnxruntime", *trace);
}

static void time_from_the_first_run_on_is_in_nodes_or_between_them_or_between_runs(void **state)
{
	struct weir_trace *trace;
	struct weir_report *report = report_of_runs(true, &trace);

	(void)state;
	assert_near(report->host_operators->busy, 0.7, 1e-12);
	assert_near(report->host_operators->between_runs, 0.25, 1e-12);
	assert_near(report->host_operators->idle_in_runs, 0.05, 1e-12);
	weir_report_free(report);
	weir_trace_free(trace);
}

static void one_run_has_no_time_between_runs(void **state)
{
	struct weir_trace *trace;
	struct weir_report *report = report_of_runs(false, &trace);

	(void)state;
	assert_near(report->host_operators->busy, 140.0 / 300, 1e-12);
	assert_true(isnan(report->host_operators->between_runs));
	assert_true(isnan(report->host_operators->idle_in_runs));
	weir_report_free(report);
	weir_trace_free(trace);
}

static void calls_that_wait_for_the_device_count_once(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_report *report;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 0, 100 * US);
	make_host(make, WEIR_HOST_API, 0, "cudaLaunchKernel", 10 * US, 20 * US);
	make_host(make, WEIR_HOST_API, 0, "cudaStreamSynchronize", 100 * US, 150 * US);
	make_host(make, WEIR_HOST_API, 0, "cudaEventQuery", 150 * US, 160 * US);
	make_host(make, WEIR_HOST_API, 1, "cudaDeviceSynchronize", 140 * US, 170 * US);
	make_host(make, WEIR_HOST_OP, 0, "aten::add", 170 * US, 200 * US);
	trace = make_trace_finish(make);
	report = report_by("kineto", trace);
	assert_near(report->host_operators->waiting, 0.35, 1e-12);
	weir_report_free(report);
	weir_trace_free(trace);
}

/* DirectML: the session prepares [0, 70), submits nodes [70, 100), and waits [100, 230). */
static void a_session_may_wait_outside_its_operators(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_report *report;

	(void)state;
	make_host(make, WEIR_HOST_ANNOTATION, 0, "model_run", 0, 230 * US);
	make_host(make, WEIR_HOST_OP, 0, "DmlFusedNode_0", 70 * US, 80 * US);
	make_host(make, WEIR_HOST_OP, 0, "DmlFusedNode_1", 85 * US, 100 * US);
	trace = make_trace_finish(make);
	report = report_by("onnxruntime", trace);
	assert_near(report->host_operators->run_ends, 200.0 / 230, 1e-12);
	weir_report_free(report);
	weir_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operators_of_two_threads_overlap_and_add_up),
		cmocka_unit_test(a_driver_call_inside_a_launch_is_no_second_launch),
		cmocka_unit_test(a_first_copy_before_any_work_sets_up_the_runtime),
		cmocka_unit_test(copies_before_any_work_wait_for_nothing),
		cmocka_unit_test(operators_below_ten_microseconds_and_short_gaps_are_dispatch),
		cmocka_unit_test(only_self_time_makes_an_operator_long),
		cmocka_unit_test(loading_between_operators_is_no_dispatch),
		cmocka_unit_test(ranges_of_other_tracers_are_not_dispatched),
		cmocka_unit_test(first_calls_without_device_rows_are_a_cold_start),
		cmocka_unit_test(a_question_alone_is_no_cold_start),
		cmocka_unit_test(
			time_from_the_first_run_on_is_in_nodes_or_between_them_or_between_runs),
		cmocka_unit_test(calls_that_wait_for_the_device_count_once),
		cmocka_unit_test(one_run_has_no_time_between_runs),
		cmocka_unit_test(a_session_may_wait_outside_its_operators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
