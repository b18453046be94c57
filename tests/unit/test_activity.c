/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of a device against sets of intervals that are built class by class. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/timeline/activity.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

#define MAX_ROWS 40

static int64_t below(uint64_t *state, uint64_t limit)
{
	return (int64_t)(next_number(state) % limit);
}

static struct weir_trace *random_trace(uint64_t *state)
{
	struct make_trace *make = make_trace_new();
	int64_t count = below(state, MAX_ROWS);

	for (int64_t i = 0; i < count; i++) {
		int64_t start = 1712195495000000000 + below(state, 1000);

		make_kernel(make, (uint32_t)below(state, 3), "kernel", start,
		            start + below(state, 90) - 5, 0);
	}
	return make_trace_finish(make);
}

static void random_windows(struct weir_intervals *windows, uint64_t *state)
{
	for (int64_t count = below(state, 4); count >= 0; count--) {
		int64_t start = 1712195495000000000 + below(state, 900);

		weir_intervals_push(windows, start, start + below(state, 500));
	}
	weir_intervals_unite(windows);
}

/* One set of intervals per class, and "all" last; the sum of durations inside the windows. */
static int64_t build_sets(const struct weir_trace *trace, const uint8_t *work,
                          const struct weir_intervals *windows, struct weir_intervals *sets)
{
	int64_t sum = 0;

	for (size_t i = 0; i < trace->device.count; i++) {
		struct weir_intervals row = {0};

		weir_intervals_push(&row, trace->device.start_ns[i], trace->device.end_ns[i]);
		sum += weir_intervals_common_ns(&row, windows);
		weir_intervals_release(&row);
		weir_intervals_push(&sets[work[i]], trace->device.start_ns[i],
		                    trace->device.end_ns[i]);
		weir_intervals_push(&sets[WEIR_WORK_COUNT], trace->device.start_ns[i],
		                    trace->device.end_ns[i]);
	}
	for (size_t s = 0; s <= WEIR_WORK_COUNT; s++) {
		struct weir_intervals outside = {0}, inside = {0};

		weir_intervals_unite(&sets[s]);
		weir_intervals_subtract(&sets[s], windows, &outside);
		weir_intervals_subtract(&sets[s], &outside, &inside);
		weir_intervals_release(&outside);
		weir_intervals_release(&sets[s]);
		sets[s] = inside;
	}
	return sum;
}

static void assert_agrees(const struct weir_activity *got, const struct weir_intervals *sets,
                          const struct weir_intervals *windows)
{
	const struct weir_intervals *compute = &sets[WEIR_WORK_COMPUTE];
	const struct weir_intervals *comm = &sets[WEIR_WORK_COMM], *copy = &sets[WEIR_WORK_COPY];
	struct weir_intervals alone = {0};

	assert_int_equal(got->window_ns, weir_intervals_total(windows));
	assert_int_equal(got->active_ns, weir_intervals_total(&sets[WEIR_WORK_COUNT]));
	assert_int_equal(got->compute_ns, weir_intervals_total(compute));
	assert_int_equal(got->communication_ns, weir_intervals_total(comm));
	assert_int_equal(got->copy_ns, weir_intervals_total(copy));
	assert_int_equal(got->exposed_communication_ns, weir_intervals_outside_ns(comm, compute));
	weir_intervals_subtract(copy, compute, &alone);
	assert_int_equal(got->exposed_copy_ns, weir_intervals_outside_ns(&alone, comm));
	assert_int_equal(got->compute_ns + got->exposed_communication_ns + got->exposed_copy_ns +
	                         got->idle_ns,
	                 got->window_ns);
	weir_intervals_release(&alone);
}

static void random_timelines_agree_with_sets_of_intervals(void **unused)
{
	uint64_t state = 11;

	(void)unused;
	for (int round = 0; round < 3000; round++) {
		struct weir_intervals sets[WEIR_WORK_COUNT + 1] = {{0}}, windows = {0};
		struct weir_trace *trace = random_trace(&state);
		uint8_t work[MAX_ROWS];
		struct weir_activity got;
		int64_t sum;

		for (size_t i = 0; i < MAX_ROWS; i++)
			work[i] = (uint8_t)below(&state, WEIR_WORK_COUNT);
		random_windows(&windows, &state);
		sum = build_sets(trace, work, &windows, sets);
		weir_activity_measure(trace, 0, trace->device.count, work, &windows, &got);
		assert_agrees(&got, sets, &windows);
		assert_int_equal(got.sum_ns, sum);
		for (size_t s = 0; s <= WEIR_WORK_COUNT; s++)
			weir_intervals_release(&sets[s]);
		weir_intervals_release(&windows);
		weir_trace_free(trace);
	}
}

static struct make_device_row grid_row(int64_t start_ns, int64_t end_ns, uint32_t blocks)
{
	return (struct make_device_row){.kind = WEIR_DEVICE_KERNEL,
	                                .name = "kernel",
	                                .start_ns = start_ns,
	                                .end_ns = end_ns,
	                                .bytes = -1,
	                                .blocks = blocks};
}

static void occupied_sms_follow_the_grid_up_to_the_whole_device(void **unused)
{
	struct make_trace *make = make_trace_new();
	struct make_device_row half = grid_row(0, 1000, 50), full = grid_row(2000, 3000, 4000);
	struct weir_intervals windows = {0};
	uint8_t work[2] = {WEIR_WORK_COMPUTE, WEIR_WORK_COMPUTE};
	struct weir_activity got;
	struct weir_trace *trace;

	(void)unused;
	make_device(make, &half);
	make_device(make, &full);
	trace = make_trace_finish(make);
	weir_intervals_push(&windows, 0, 2500); /* cuts the second kernel in half */
	weir_activity_measure(trace, 0, 2, work, &windows, &got);
	assert_near(got.occupied_sm_ns, 0.5 * 1000 + 1.0 * 500, 1e-12);
	trace->devices[0].sms = 0;
	weir_activity_measure(trace, 0, 2, work, &windows, &got);
	assert_near(got.occupied_sm_ns, NAN, 0);
	weir_intervals_release(&windows);
	weir_trace_free(trace);
}

static void an_overlap_counts_on_one_stream_only(void **unused)
{
	struct make_trace *make = make_trace_new();
	struct weir_intervals windows = {0};
	uint8_t work[4] = {0};
	struct weir_activity got;
	struct weir_trace *trace;

	(void)unused;
	make_kernel(make, 0, "a", 0, 100, 0);
	make_kernel(make, 1, "b", 50, 150, 0); /* another stream: may run at the same time */
	make_kernel(make, 0, "c", 99, 200, 0); /* starts before "a" ends */
	make_kernel(make, 0, "d", 200, 300, 0);
	trace = make_trace_finish(make);
	weir_intervals_push(&windows, 0, 300);
	weir_activity_measure(trace, 0, 4, work, &windows, &got);
	assert_int_equal(got.stream_overlaps, 1);
	assert_int_equal(got.rows, 4);
	assert_int_equal(got.active_ns, 300);
	assert_int_equal(got.sum_ns, 100 + 100 + 101 + 100);
	weir_intervals_release(&windows);
	weir_trace_free(trace);
}

static void the_ends_of_time_do_not_overflow(void **unused)
{
	struct make_trace *make = make_trace_new();
	struct weir_intervals windows = {0};
	uint8_t work[2] = {WEIR_WORK_COMPUTE, WEIR_WORK_COMM};
	struct weir_activity got;
	struct weir_trace *trace;

	(void)unused;
	make_kernel(make, 0, "a", INT64_MIN, INT64_MAX, 0);
	make_kernel(make, 0, "b", -5, INT64_MAX, 0);
	trace = make_trace_finish(make);
	weir_intervals_push(&windows, INT64_MIN, INT64_MAX);
	weir_activity_measure(trace, 0, 2, work, &windows, &got);
	assert_int_equal(got.window_ns, INT64_MAX);
	assert_int_equal(got.active_ns, INT64_MAX);
	assert_int_equal(got.idle_ns, 0);
	assert_int_equal(got.exposed_communication_ns, 0);
	weir_intervals_release(&windows);
	weir_trace_free(trace);
}

static void no_rows_and_no_windows_are_idle_and_nothing(void **unused)
{
	struct weir_trace *trace = make_trace_finish(make_trace_new());
	struct weir_intervals windows = {0};
	struct weir_activity got;
	uint8_t work[1] = {0};

	(void)unused;
	weir_activity_measure(trace, 0, 0, work, &windows, &got);
	assert_int_equal(got.window_ns, 0);
	weir_intervals_push(&windows, 10, 20);
	weir_activity_measure(trace, 0, 0, work, &windows, &got);
	assert_int_equal(got.idle_ns, 10);
	assert_int_equal(got.active_ns, 0);
	assert_near(got.occupied_sm_ns, NAN, 0);
	weir_intervals_release(&windows);
	weir_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_timelines_agree_with_sets_of_intervals),
		cmocka_unit_test(occupied_sms_follow_the_grid_up_to_the_whole_device),
		cmocka_unit_test(an_overlap_counts_on_one_stream_only),
		cmocka_unit_test(the_ends_of_time_do_not_overflow),
		cmocka_unit_test(no_rows_and_no_windows_are_idle_and_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
