/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces with copies and without kernels. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/rows/rows.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

static void add_copy(struct make_trace *make, uint64_t correlation)
{
	make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_COPY,
	                                            .name = "Memcpy HtoD (Host -> Device)",
	                                            .start_ns = 100,
	                                            .end_ns = 120,
	                                            .correlation = correlation});
}

/* Returns whether the kernels of a trace with one copy and a call are unrecorded. `call`: NULL for
 * a trace without calls. */
static bool are_unrecorded(enum weir_host_kind kind, const char *call, uint64_t kernels)
{
	const struct weir_ledger total = {.total_ns = 100, .kernels = kernels, .works = 1};
	struct make_trace *make = make_trace_new();
	struct weir_rank rank = {0};
	struct weir_analysis analysis = {.ranks = &rank, .rank_count = 1};
	struct weir_trace *trace;
	bool unrecorded;

	add_copy(make, 0);
	if (call)
		make_host(make, kind, 0, call, 90, 95);
	trace = make_trace_finish(make);
	rank.trace = trace;
	weir_timeline_init(&rank.timeline, trace);
	unrecorded = weir_kernels_unrecorded(&analysis, &total);
	weir_timeline_release(&rank.timeline);
	weir_trace_free(trace);
	return unrecorded;
}

static void copies_without_calls_do_not_show_that_no_kernel_ran(void **state)
{
	(void)state;
	assert_true(are_unrecorded(WEIR_HOST_API, NULL, 0));
	assert_true(are_unrecorded(WEIR_HOST_ANNOTATION, "step", 0));
	assert_true(are_unrecorded(WEIR_HOST_API, "hsa_signal_wait_scacquire", 0));
	assert_true(are_unrecorded(WEIR_HOST_API, "poll", 0));
	assert_false(are_unrecorded(WEIR_HOST_API, NULL, 1));
}

static void calls_tell_whether_a_kernel_ran(void **state)
{
	(void)state;
	assert_false(are_unrecorded(WEIR_HOST_API, "cudaMemcpyAsync", 0));
	assert_false(are_unrecorded(WEIR_HOST_API, "hipDeviceSynchronize", 0));
	assert_true(are_unrecorded(WEIR_HOST_API, "hipLaunchKernel", 0));
	assert_true(are_unrecorded(WEIR_HOST_API, "cudaGraphLaunch", 0));
}

static void a_trace_without_device_work_lacks_no_kernels(void **state)
{
	const struct weir_ledger total = {.total_ns = 100};
	const struct weir_analysis analysis = {0};

	(void)state;
	assert_false(weir_kernels_unrecorded(&analysis, &total));
}

static void idle_time_becomes_unknown_and_copies_stay(void **state)
{
	struct weir_report *report = weir_report_new(NULL);
	double values[WEIR_F_COUNT] = {0};

	(void)state;
	report->has_gpu = true;
	report->gpu.idle = 0.98;
	assert_false(weir_report_lacks_kernels(report));
	report->gpu.memcpy = 0.02;
	report->gpu.idle_share[WEIR_IDLE_UNLINKED] = 0.98;
	weir_withdraw_idle(report);
	assert_true(weir_report_lacks_kernels(report));
	assert_true(isnan(report->gpu.active));
	assert_true(isnan(report->gpu.idle_share[WEIR_IDLE_UNLINKED]));
	assert_near(report->gpu.memcpy, 0.02, 1e-12);
	values[WEIR_F_DEVICE_WORKS] = 4;
	weir_withdraw_idle_features(report, values);
	assert_true(isnan(values[WEIR_F_GPU_IDLE]));
	assert_true(isnan(values[WEIR_F_SHARE_MEMORY]));
	assert_near(values[WEIR_F_COPIES], 0.02, 1e-12);
	assert_near(values[WEIR_F_DEVICE_WORKS], 4, 0);
	assert_near(values[WEIR_F_KERNELS_UNRECORDED], 1, 0);
	report->gpu.kernels = 1;
	assert_false(weir_report_lacks_kernels(report));
	weir_report_free(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_without_calls_do_not_show_that_no_kernel_ran),
		cmocka_unit_test(calls_tell_whether_a_kernel_ran),
		cmocka_unit_test(a_trace_without_device_work_lacks_no_kernels),
		cmocka_unit_test(idle_time_becomes_unknown_and_copies_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
