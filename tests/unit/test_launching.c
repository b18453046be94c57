/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Launches by call and class of work, and the rows of a report on idle time, queue, waits and
 * memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/timeline/launch_groups.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"

struct desk {
	struct weir_profile *profile;
	struct weir_analysis *analysis;
	struct weir_report *report;
};

static void desk_open(struct desk *desk, struct weir_trace *const *traces, size_t count)
{
	struct weir_analysis_options options = {.steady = true, .percentile = 0.95};
	struct weir_error err;

	desk->profile = weir_profile_new();
	for (size_t i = 0; i < count; i++)
		weir_profile_add_input(desk->profile, "trace")->trace = traces[i];
	assert_int_equal(weir_analysis_new(desk->profile, &options, &desk->analysis, &err),
	                 WEIR_OK);
	desk->report = weir_report_new(desk->profile);
	weir_analysis_report(desk->analysis, desk->report);
}

static void desk_close(struct desk *desk)
{
	weir_report_free(desk->report);
	weir_analysis_free(desk->analysis);
	weir_profile_free(desk->profile);
}

static void launches_are_told_by_call_and_class_of_work(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_intervals windows = {0};
	struct weir_timeline timeline;
	struct weir_launch_row *rows;
	struct weir_trace *trace;
	size_t count;

	(void)state;
	for (int64_t i = 0; i < 4; i++) {
		make_call(make, 0, "cudaLaunchKernel", i * 1000, i * 1000 + 10 + i,
		          (uint64_t)i + 1);
		make_kernel(make, 0, "ampere_sgemm_128x64_nn", i * 1000 + 100, i * 1000 + 200,
		            (uint64_t)i + 1);
	}
	make_call(make, 0, "cuLaunchKernel", 5000, 5030, 9);
	make_kernel(make, 0, "ampere_sgemm_128x64_nn", 5020, 5100, 9); /* before the call returns */
	make_call(make, 0, "cudaMemcpyAsync", 6000, 6010, 10);
	make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_COPY,
	                                            .name = "Memcpy HtoD (Pinned -> Device)",
	                                            .start_ns = 6050,
	                                            .end_ns = 6060,
	                                            .correlation = 10});
	make_call(make, 0, "cudaGraphLaunch", 7000, 7010, 11);
	make_kernel(make, 0, "ampere_sgemm_128x64_nn", 7100, 7200,
	            11); /* it launches nothing itself */
	trace = make_trace_finish(make);
	weir_timeline_init(&timeline, trace);
	weir_intervals_push(&windows, 0, 100000);
	rows = weir_launch_rows(&timeline, &windows, &count);
	assert_int_equal(count, 3);
	assert_string_equal(rows[0].api, "cudaLaunchKernel");
	assert_string_equal(rows[0].work, "gemm");
	assert_int_equal(rows[0].count, 4);
	assert_near(rows[0].call.p50_ns, 11.5, 1e-12);
	assert_near(rows[0].call.max_ns, 13, 0);
	assert_near(rows[0].delay.max_ns, 90, 0);
	assert_int_equal(rows[0].early, 0);
	assert_string_equal(rows[1].api, "cuLaunchKernel");
	assert_int_equal(rows[1].early, 1);
	assert_near(rows[1].delay.p50_ns, -10, 0);
	assert_string_equal(rows[2].work, "memcpy");
	free(rows);
	weir_intervals_release(&windows);
	weir_timeline_release(&timeline);
	weir_trace_free(trace);
}

/* Steps whose names differ by their number, in a loop that waits for a lock at another address each
 * time. */
static struct weir_trace *waiting_loop(int64_t steps)
{
	static const char *const locks[] = {
		"<built-in method encode of tokenizers.Tokenizer object at 0x7f01>",
		"<built-in method encode of tokenizers.Tokenizer object at 0x7f02>"};
	struct make_trace *make = make_trace_new();

	for (int64_t i = 0; i < steps; i++) {
		int64_t at = i * 1000000;
		char name[] = "ProfilerStep#0";

		name[sizeof name - 2] = (char)('0' + i);
		make_host(make, WEIR_HOST_ANNOTATION, 0, name, at, at + 900000);
		make_host(make, WEIR_HOST_PYTHON, 0, locks[i % 2], at + 1000, at + 501000);
		make_call(make, 0, "cudaMalloc", at + 501000, at + 601000, 0);
		make_memory(make, at + 601000, 1000, 1000 * (i + 1), 20000);
		make_launch(make, at + 602000, at + 603000, at + 604000, at + 904000);
	}
	return make_trace_finish(make);
}

static void names_of_one_thing_are_one_name_over_steps_and_ranks(void **state)
{
	struct weir_trace *traces[] = {waiting_loop(9), waiting_loop(9)};
	const struct weir_idle_cause *cause;
	struct desk desk;

	(void)state;
	desk_open(&desk, traces, 2);
	cause = &desk.report->gpu.idle_cause[WEIR_IDLE_INPUT];
	assert_int_equal(cause->name_count, 1);
	assert_string_equal(cause->names[0].name,
	                    "<built-in method encode of tokenizers.Tokenizer object>");
	assert_int_equal(cause->names[0].count, 18);
	assert_int_equal(cause->total_ns, 18 * INT64_C(500000));
	assert_near(cause->names[0].share, desk.report->gpu.idle_share[WEIR_IDLE_INPUT], 1e-12);
	cause = &desk.report->gpu.idle_cause[WEIR_IDLE_PYTHON];
	assert_true(cause->name_count >= 1);
	for (size_t i = 0; i < cause->name_count; i++)
		assert_true(!cause->names[i].name || !strcmp(cause->names[i].name, "ProfilerStep"));
	desk_close(&desk);
}

static void memory_of_all_ranks_is_listed_and_allocation_calls_are_shared_out(void **state)
{
	struct weir_trace *traces[] = {waiting_loop(9), waiting_loop(9)};
	const struct weir_memory_figures *memory;
	struct desk desk;

	(void)state;
	traces[1]->memory[8].allocated_bytes = 9500;
	desk_open(&desk, traces, 2);
	memory = &desk.report->memory;
	assert_true(desk.report->has_memory);
	assert_int_equal(memory->device_count, 2);
	assert_near(memory->largest.peak_allocated_bytes, 9500, 0);
	assert_int_equal(memory->largest.rank, 1);
	assert_near(memory->devices[0].leak_bytes_per_step, 1000, 0);
	assert_near(memory->devices[0].used_share, 0.02, 1e-12);
	assert_near(memory->slow_allocations, 0, 0);
	assert_near(memory->allocator_calls, 18, 0);
	assert_near(memory->allocator_share, 0.9 / 8.904, 1e-9);
	/* 500 us of input, 100 of allocation, 2 of glue, 2 until the launch takes effect; there
	 * was no work between two steps. */
	assert_near(memory->allocator_of_late, 100.0 / 604, 1e-9);
	desk_close(&desk);
}

static void without_allocation_calls_or_events_nothing_is_said_of_memory(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct desk desk;

	(void)state;
	make_launch(make, 0, 10, 20, 30);
	trace = make_trace_finish(make);
	desk_open(&desk, &trace, 1);
	assert_false(desk.report->has_memory);
	assert_near(desk.report->memory.largest.peak_allocated_bytes, NAN, 0);
	desk_close(&desk);
}

/* Shares of names never exceed the share of their cause, for any trace. */
static void names_stay_within_their_cause(void **state)
{
	uint64_t random = 5;

	(void)state;
	for (size_t round = 0; round < 40; round++) {
		struct weir_trace *trace = random_trace(&random);
		struct desk desk;

		desk_open(&desk, &trace, 1);
		for (size_t c = 0; desk.report->has_gpu && c < WEIR_IDLE_COUNT; c++) {
			const struct weir_idle_cause *cause = &desk.report->gpu.idle_cause[c];
			double sum = 0;

			for (size_t i = 0; i < cause->name_count; i++)
				sum += cause->names[i].share;
			assert_true(sum <= desk.report->gpu.idle_share[c] + 1e-9);
			assert_true(cause->name_count > 0 || cause->total_ns == 0);
		}
		desk_close(&desk);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launches_are_told_by_call_and_class_of_work),
		cmocka_unit_test(names_of_one_thing_are_one_name_over_steps_and_ranks),
		cmocka_unit_test(memory_of_all_ranks_is_listed_and_allocation_calls_are_shared_out),
		cmocka_unit_test(without_allocation_calls_or_events_nothing_is_said_of_memory),
		cmocka_unit_test(names_stay_within_their_cause),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
