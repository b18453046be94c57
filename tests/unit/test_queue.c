/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/timeline/queue.h"
#include "engine/base/arena.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

#define SPACE 400

static int64_t below(uint64_t *state, uint64_t limit)
{
	return (int64_t)(next_number(state) % limit);
}

static struct weir_queue_figures measure(struct weir_trace *trace, int64_t start_ns, int64_t end_ns)
{
	struct weir_queue_parts parts = {0};
	struct weir_intervals windows = {0};
	struct weir_queue_figures got;
	struct weir_timeline timeline;

	weir_timeline_init(&timeline, trace);
	weir_intervals_push(&windows, start_ns, end_ns);
	weir_queue_measure(&timeline, &windows, &got, &parts);
	weir_intervals_release(&windows);
	weir_timeline_release(&timeline);
	return got;
}

static struct weir_queue_figures measure_made(struct make_trace *make, int64_t end_ns)
{
	struct weir_trace *trace = make_trace_finish(make);
	struct weir_queue_figures got = measure(trace, 0, end_ns);

	weir_trace_free(trace);
	return got;
}

static void depth_is_weighted_by_the_time_it_lasts(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_queue_figures got;

	(void)state;
	make_launch(make, 0, 5, 10, 40);  /* waits 0 to 10 */
	make_launch(make, 6, 9, 40, 100); /* waits 6 to 40 */
	got = measure_made(make, 100);
	assert_near(got.waiting.mean, (10.0 + 34.0) / 100.0, 1e-12);
	assert_near(got.waiting.p50, 0, 0);
	assert_near(got.waiting.p95, 1, 0);
	assert_near(got.waiting.max, 2, 0); /* 6 to 10 */
	assert_near(got.in_flight.mean, (40.0 + 94.0) / 100.0, 1e-12);
	assert_int_equal(got.launches, 2);
}

/* The largest depth is one that lasts, if only for a nanosecond. */
static void a_depth_counts_if_it_lasts(void **state)
{
	(void)state;
	for (int64_t lasts_ns = 0; lasts_ns < 3; lasts_ns++) {
		struct make_trace *make = make_trace_new();
		struct weir_queue_figures got;

		make_launch(make, 0, 5, 10 + lasts_ns, 40);
		make_launch(make, 10, 12, 40, 100);
		got = measure_made(make, 100);
		assert_near(got.waiting.max, lasts_ns > 0 ? 2 : 1, 0);
		assert_near(got.waiting.mean, (40. + (double)lasts_ns) / 100, 1e-12);
	}
}

/* One work waits for `waits` of 100 ns. */
static void quantiles_of_depth_are_exact(void **state)
{
	(void)state;
	for (int64_t waits = 1; waits < 100; waits++) {
		struct make_trace *make = make_trace_new();
		struct weir_queue_figures got;

		make_launch(make, 0, 1, waits, 100);
		got = measure_made(make, 100);
		assert_near(got.waiting.p50, 100 - waits >= 50 ? 0 : 1, 0);
		assert_near(got.waiting.p95, 100 - waits >= 95 ? 0 : 1, 0);
		assert_near(got.waiting.mean, (double)waits / 100, 1e-12);
		assert_near(got.in_flight.mean, 1, 0);
		assert_near(got.in_flight.p50, 1, 0);
	}
}

static void a_graph_enters_with_all_its_work(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_queue_figures got;

	(void)state;
	make_call(make, 0, "cudaGraphLaunch", 0, 10, 5);
	for (int64_t i = 0; i < 8; i++)
		make_kernel(make, 0, "node", 10 + 10 * i, 20 + 10 * i, 5);
	got = measure_made(make, 100);
	assert_near(got.waiting.max, 8, 0);
	assert_int_equal(got.launches, 1);
}

/* Idle 0 to 12 and 20 to 52; submitted work waits 0 to 12 and 50 to 52. */
static void idle_time_with_an_empty_queue_is_the_hosts(void **state)
{
	struct make_trace *make = make_trace_new();

	(void)state;
	make_launch(make, 0, 10, 12, 20);
	make_launch(make, 50, 51, 52, 100);
	assert_near(measure_made(make, 100).starved_share, 30.0 / 44.0, 1e-12);
}

static void a_device_that_is_never_idle_has_no_share(void **state)
{
	struct make_trace *make = make_trace_new();

	(void)state;
	make_launch(make, -20, -10, 0, 100);
	assert_near(measure_made(make, 100).starved_share, NAN, 0);
}

/* 60 launches of 2 ns pile up; one call then blocks for long while 60 wait. */
static struct make_trace *pile_up(int64_t blocked_at)
{
	struct make_trace *make = make_trace_new();

	for (int64_t i = 0; i < 60; i++)
		make_launch(make, 10 * i, 10 * i + 2, 10000 + 100 * i, 10100 + 100 * i);
	make_launch(make, blocked_at, blocked_at + 5000, 20000, 20100);
	return make;
}

static void a_slow_call_is_a_full_queue_only_where_the_queue_is_long(void **state)
{
	(void)state;
	assert_int_equal(measure_made(pile_up(700), 30000).full_launches, 1);
	assert_int_equal(measure_made(pile_up(17000), 30000).full_launches, 0);
}

static void work_without_a_launch_is_left_out(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_queue_figures got;

	(void)state;
	make_kernel(make, 0, "kernel", 10, 20, 0);
	got = measure_made(make, 100);
	assert_near(got.waiting.mean, NAN, 0);
	assert_near(got.in_flight.max, NAN, 0);
	assert_near(got.starved_share, 1, 0); /* nothing known was submitted */
}

/* Compares mean and maximum with a count at every nanosecond. */
static void random_queues_agree_with_counting(void **state)
{
	uint64_t seed = 21;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct make_trace *make = make_trace_new();
		int depth[SPACE] = {0}, largest = 0;
		struct weir_queue_figures got;
		double sum = 0;

		for (int i = 0; i < 20; i++) {
			int64_t call = below(&seed, SPACE - 60);
			int64_t start = call + below(&seed, 50) - 5;

			make_launch(make, call, call + 3, start, start + 4);
			for (int64_t at = call; at < start; at++)
				depth[at]++;
		}
		got = measure_made(make, SPACE);
		for (int at = 0; at < SPACE; at++) {
			sum += depth[at];
			largest = depth[at] > largest ? depth[at] : largest;
		}
		assert_near(got.waiting.mean, sum / SPACE, 1e-12);
		assert_int_equal((int)got.waiting.max, largest);
	}
}

static void the_ends_of_time_do_not_overflow(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	(void)state;
	make_launch(make, INT64_MIN, INT64_MAX, INT64_MAX - 1, INT64_MAX);
	make_launch(make, INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN);
	trace = make_trace_finish(make);
	assert_near(measure(trace, INT64_MIN, INT64_MAX).waiting.max, 1, 0);
	weir_trace_free(trace);
}

static void work_that_starts_with_its_call_never_waits(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_queue_figures got;

	(void)state;
	make_launch(make, 10, 15, 10, 20); /* enters and leaves at 10 */
	make_launch(make, 10, 16, 20, 30); /* enters with it, waits 10 */
	make_launch(make, 20, 25, 20, 40); /* enters as the second leaves */
	got = measure_made(make, 100);
	assert_near(got.waiting.mean, 10.0 / 100.0, 1e-12);
	assert_near(got.waiting.max, 1, 0);
}

/* Calls of 2 ns, whose work waits, and then a call of `long_ns`. */
static uint64_t full_after(int waiting, int64_t short_ns, int64_t long_ns)
{
	struct make_trace *make = make_trace_new();

	for (int i = 0; i < waiting; i++)
		make_launch(make, 10 * (int64_t)i, 10 * (int64_t)i + short_ns,
		            100000 + 100 * (int64_t)i, 100100 + 100 * (int64_t)i);
	make_launch(make, 500, 500 + long_ns, 200000, 200100);
	return measure_made(make, 300000).full_launches;
}

static void a_queue_is_full_from_nine_tenths_of_its_depth_on(void **state)
{
	(void)state;
	assert_int_equal(full_after(9, 2, 20), 1);
	assert_int_equal(full_after(8, 2, 20), 0);
}

/* Five works have come and gone before nine wait; the depth of the queue is nine, not fourteen. */
static void work_that_has_left_adds_nothing_to_the_depth(void **state)
{
	struct make_trace *make = make_trace_new();

	(void)state;
	for (int64_t i = 0; i < 5; i++)
		make_launch(make, 10 * i, 10 * i + 2, 10 * i + 5, 10 * i + 9);
	for (int64_t i = 0; i < 9; i++)
		make_launch(make, 1000 + 10 * i, 1002 + 10 * i, 100000 + 100 * i, 100100 + 100 * i);
	make_launch(make, 1500, 1520, 200000, 200100);
	assert_int_equal(measure_made(make, 300000).full_launches, 1);
}

/* Ten works wait, and an eleventh for lasts_ns; a slow call then finds nine. */
static void a_queue_is_as_deep_as_it_was_for_a_nanosecond(void **state)
{
	(void)state;
	for (int64_t lasts_ns = 0; lasts_ns < 3; lasts_ns++) {
		struct make_trace *make = make_trace_new();

		for (int64_t i = 0; i < 10; i++)
			make_launch(make, 10 * i, 10 * i + 2, 10000 + 100 * i, 10100 + 100 * i);
		make_launch(make, 200, 202, 200 + lasts_ns, 300);
		make_launch(make, 10050, 10070, 200000, 200100);
		assert_int_equal(measure_made(make, 300000).full_launches, lasts_ns == 0);
	}
}

static void a_call_is_slow_from_ten_times_the_median_on(void **state)
{
	(void)state;
	assert_int_equal(full_after(20, 2, 20), 1);
	assert_int_equal(full_after(20, 2, 19), 0);
	/* A median of 0 counts as 1 ns. */
	assert_int_equal(full_after(20, 0, 10), 1);
	assert_int_equal(full_after(20, 0, 9), 0);
}

/* The call is slow, but no work ever waits: each starts as it is submitted. */
static void a_queue_that_is_always_empty_is_never_full(void **state)
{
	struct make_trace *make = make_trace_new();

	(void)state;
	for (int i = 0; i < 20; i++)
		make_launch(make, 1000 * (int64_t)i, 1000 * (int64_t)i + 2, 1000 * (int64_t)i,
		            1000 * (int64_t)i + 10);
	make_launch(make, 50000, 50500, 50000, 50010);
	assert_int_equal(measure_made(make, 60000).full_launches, 0);
}

/* Work that starts at the instant of the call no longer waits, and work of the same instant has
 * not come before. */
static void depth_counts_what_waited_just_before(void **state)
{
	struct make_trace *make = make_trace_new();

	(void)state;
	for (int i = 0; i < 9; i++)
		make_launch(make, 10 * (int64_t)i, 10 * (int64_t)i + 2, 500 + 100 * (int64_t)i,
		            600 + 100 * (int64_t)i);
	make_launch(make, 500, 520, 200000, 200100);
	/* Nine wait just before 500, and nine at most at any time. */
	assert_int_equal(measure_made(make, 300000).full_launches, 1);
}

static void calls_outside_the_windows_are_not_counted(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_queue_figures got;

	(void)state;
	make_launch(make, -10, -5, 20, 30);
	make_launch(make, 0, 5, 40, 50);
	make_launch(make, 99, 105, 110, 120);
	make_launch(make, 100, 105, 120, 130);
	got = measure_made(make, 100);
	assert_int_equal(got.launches, 2);
	assert_near(got.waiting.max, 2, 0);
}

/* Measures two windows, [0, 400) and [600, 1600), so that a part of the time has 10 ns. */
static void measure_parts(struct make_trace *make, struct weir_queue_figures *got,
                          struct weir_queue_parts *parts)
{
	struct weir_trace *trace = make_trace_finish(make);
	struct weir_intervals windows = {0};
	struct weir_timeline timeline;

	weir_timeline_init(&timeline, trace);
	weir_intervals_push(&windows, 0, 400);
	weir_intervals_push(&windows, 600, 1600);
	weir_queue_measure(&timeline, &windows, got, parts);
	weir_intervals_release(&windows);
	weir_timeline_release(&timeline);
	weir_trace_free(trace);
}

static void parts_of_the_time_have_their_own_depth(void **state)
{
	static struct weir_queue_parts parts;
	struct make_trace *make = make_trace_new();
	struct weir_queue_figures got;

	(void)state;
	assert_int_equal(WEIR_QUEUE_BINS, 160);
	make_launch(make, 105, 106, 125, 130);
	make_launch(make, 118, 119, 130, 140);
	make_launch(make, 395, 396, 605, 610); /* waits over the time that is set apart */
	measure_parts(make, &got, &parts);
	assert_true(parts.known);
	assert_int_equal(parts.from_ns, 0);
	assert_int_equal(parts.to_ns, 1600);
	assert_near(parts.waiting[9], 0, 0);
	assert_near(parts.waiting[10], 5, 0);      /* from 105 */
	assert_near(parts.waiting[11], 10 + 2, 0); /* the second from 118 */
	assert_int_equal(parts.most[11], 2);
	assert_near(parts.waiting[12], 5 + 10, 0); /* the first to 125 */
	assert_int_equal(parts.in_flight_ns[13], 10);
	assert_int_equal(parts.in_flight_ns[14], 0);
	assert_int_equal(parts.analysed_ns[39], 10);
	assert_int_equal(parts.analysed_ns[40], 0);
	assert_near(parts.waiting[39], 5, 0);
	assert_near(parts.waiting[50], 0, 0);
	assert_near(parts.waiting[60], 5, 0);
	assert_int_equal(parts.in_flight_ns[60], 10);
}

/* Any depth over time adds up to the depth of the whole. */
static void parts_add_up_to_the_whole(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (int round = 0; round < 50; round++) {
		struct make_trace *make = make_trace_new();
		struct weir_queue_parts *parts = weir_alloc(sizeof *parts);
		struct weir_queue_figures got;
		double waiting = 0;
		int64_t analysed_ns = 0, in_flight_ns = 0;
		size_t most = 0;

		for (int i = 0; i < 30; i++) {
			int64_t call_ns = below(&seed, 1500),
				start_ns = call_ns + below(&seed, 200);

			make_launch(make, call_ns, call_ns + 1, start_ns,
			            start_ns + 1 + below(&seed, 60));
		}
		measure_parts(make, &got, parts);
		for (size_t i = 0; i < WEIR_QUEUE_BINS; i++) {
			waiting += parts->waiting[i];
			analysed_ns += parts->analysed_ns[i];
			in_flight_ns += parts->in_flight_ns[i];
			most = parts->most[i] > most ? parts->most[i] : most;
			assert_true(parts->in_flight_ns[i] <= parts->analysed_ns[i]);
		}
		assert_int_equal(analysed_ns, 1400);
		assert_near(waiting / 1400, got.waiting.mean, 1e-9);
		assert_int_equal(most, got.waiting.max);
		assert_in_range(in_flight_ns, 1, 1400);
		free(parts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(depth_is_weighted_by_the_time_it_lasts),
		cmocka_unit_test(a_depth_counts_if_it_lasts),
		cmocka_unit_test(quantiles_of_depth_are_exact),
		cmocka_unit_test(a_graph_enters_with_all_its_work),
		cmocka_unit_test(idle_time_with_an_empty_queue_is_the_hosts),
		cmocka_unit_test(a_device_that_is_never_idle_has_no_share),
		cmocka_unit_test(a_slow_call_is_a_full_queue_only_where_the_queue_is_long),
		cmocka_unit_test(work_without_a_launch_is_left_out),
		cmocka_unit_test(random_queues_agree_with_counting),
		cmocka_unit_test(the_ends_of_time_do_not_overflow),
		cmocka_unit_test(work_that_starts_with_its_call_never_waits),
		cmocka_unit_test(a_queue_is_full_from_nine_tenths_of_its_depth_on),
		cmocka_unit_test(work_that_has_left_adds_nothing_to_the_depth),
		cmocka_unit_test(a_queue_is_as_deep_as_it_was_for_a_nanosecond),
		cmocka_unit_test(a_call_is_slow_from_ten_times_the_median_on),
		cmocka_unit_test(a_queue_that_is_always_empty_is_never_full),
		cmocka_unit_test(depth_counts_what_waited_just_before),
		cmocka_unit_test(calls_outside_the_windows_are_not_counted),
		cmocka_unit_test(parts_of_the_time_have_their_own_depth),
		cmocka_unit_test(parts_add_up_to_the_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
