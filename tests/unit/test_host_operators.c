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

/* Fills the figures of one trace; the caller frees the report and the trace. */
static struct weir_report *report_of(struct weir_trace *trace)
{
	struct weir_report *report = weir_report_new(NULL);
	struct weir_rank rank = {.trace = trace};
	struct weir_analysis analysis = {.ranks = &rank, .rank_count = 1};

	weir_timeline_init(&rank.timeline, trace);
	weir_fill_host_operators(&analysis, report);
	weir_timeline_release(&rank.timeline);
	return report;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operators_of_two_threads_overlap_and_add_up),
		cmocka_unit_test(a_driver_call_inside_a_launch_is_no_second_launch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
