/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/timeline/memory.h"
#include "engine/base/arena.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

#define MS INT64_C(1000000)

static const int64_t ends[] = {100, 200, 300, 400};

static struct weir_memory_usage measure_trace(struct weir_trace *trace, size_t steps)
{
	struct weir_intervals windows = {0};
	struct weir_memory_usage got;
	struct weir_timeline timeline;

	weir_timeline_init(&timeline, trace);
	weir_intervals_push(&windows, 0, 100 * MS);
	weir_memory_measure(&timeline, &windows, &(struct weir_step_ends){ends, NULL, steps}, &got);
	weir_intervals_release(&windows);
	weir_timeline_release(&timeline);
	weir_trace_free(trace);
	return got;
}

static struct weir_memory_usage measure(struct make_trace *make, size_t steps)
{
	return measure_trace(make_trace_finish(make), steps);
}

static void peaks_and_fragmentation_are_those_at_the_peak(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_memory_usage got;

	(void)state;
	make_memory(make, 10, 300, 300, 400);
	make_memory(make, 20, 300, 600, 800);
	make_memory(make, 30, -500, 100, 900); /* reserves more while little is allocated */
	got = measure(make, 0);
	assert_int_equal(got.device_count, 1);
	assert_near(got.devices[0].peak_allocated_bytes, 600, 0);
	assert_near(got.devices[0].peak_reserved_bytes, 900, 0);
	assert_near(got.devices[0].fragmentation, 0.25, 1e-12);
	assert_near(got.devices[0].used_share, 900.0 / 1000000.0, 1e-12);
	assert_near(got.devices[0].leak_bytes_per_step, NAN, 0);
	assert_near(got.devices[0].allocations_per_step, NAN, 0);
	assert_false(got.allocator.known); /* no call of a driver is recorded */
}

static void growth_is_taken_at_the_ends_of_steps(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_memory_usage got;

	(void)state;
	make_memory(make, 390, 8, 5060, 6000); /* out of order, as threads write them */
	make_memory(make, 90, 10, 1000, 6000);
	make_memory(make, 200, 10, 1050, 6000);  /* at the end of its step */
	make_memory(make, 150, 200, 1200, 6000); /* freed before its step ends */
	make_memory(make, 290, 10, 5010, 6000);  /* one large change is a shift of the level */
	got = measure(make, 4);
	assert_near(got.devices[0].leak_bytes_per_step, 50, 0);
	assert_near(got.devices[0].allocations_per_step, 5.0 / 4.0, 0);
}

static void growth_is_that_of_each_device(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_memory_usage got;
	struct weir_trace *trace;

	(void)state;
	make_memory(make, 90, 10, 1000, 6000);
	make_memory(make, 95, 10, 10, 6000); /* of another device */
	make_memory(make, 190, 10, 1050, 6000);
	make_memory(make, 195, 10, 20, 6000); /* of another device */
	trace = make_trace_finish(make);
	trace->memory[1].device_id = trace->memory[3].device_id = 1;
	got = measure_trace(trace, 2);
	assert_int_equal(got.device_count, 2);
	assert_near(got.devices[0].leak_bytes_per_step, 50, 0);
	assert_near(got.devices[0].allocations_per_step, 1, 0);
	assert_near(got.devices[1].leak_bytes_per_step, 10, 0);
}

static void devices_stand_in_the_order_of_their_peaks(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_memory_usage got;

	(void)state;
	make_memory(make, 10, 100, 100, 5000); /* reserves more, allocates less */
	make_memory(make, 20, 700, 700, -1);
	make_memory(make, 30, 90000, 90000, -1);
	trace = make_trace_finish(make);
	trace->memory[1].device_id = 3;
	trace->memory[1].device_type = 6;
	trace->memory[2].device_type = 0; /* of the host: no device */
	got = measure_trace(trace, 0);
	assert_int_equal(got.device_count, 2);
	assert_int_equal(got.devices[0].device_id, 3);
	assert_near(got.devices[0].peak_allocated_bytes, 700, 0);
	assert_near(got.devices[0].peak_reserved_bytes, NAN, 0);
	assert_near(got.devices[0].fragmentation, NAN, 0);
	assert_near(got.devices[0].used_share, NAN, 0); /* the trace does not describe device 3 */
	assert_near(got.devices[1].peak_reserved_bytes, 5000, 0);
}

static void only_driver_calls_above_a_millisecond_are_slow(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_memory_usage got;

	(void)state;
	make_call(make, 0, "cudaMalloc", 0, MS, 0);
	make_call(make, 0, "cudaMalloc", 2 * MS, 3 * MS + 1, 0);
	make_call(make, 0, "hipFree", 4 * MS, 6 * MS, 0);
	make_call(make, 0, "cudaLaunchKernel", 7 * MS, 9 * MS, 0);
	make_host(make, WEIR_HOST_OP, 0, "cudaMalloc", 10 * MS, 19 * MS);
	make_call(make, 0, "cudaMalloc", 100 * MS, 105 * MS, 0); /* too late */
	got = measure(make, 0);
	assert_int_equal(got.device_count, 0);
	assert_true(got.allocator.known);
	assert_int_equal(got.allocator.calls, 3);
	assert_int_equal(got.allocator.slow_calls, 2);
	assert_int_equal(got.allocator.slow_ns, 3 * MS + 1);
	assert_int_equal(got.allocator.any_ns, 4 * MS + 1);
	assert_int_equal(got.allocator.window_ns, 100 * MS);
}

static void a_driver_call_inside_of_a_runtime_call_is_part_of_it(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_memory_usage got;

	(void)state;
	make_call(make, 0, "cudaMallocAsync", 0, 3 * MS, 0);
	make_call(make, 0, "cuMemAlloc_v2", 1000, 3 * MS - 1000, 0);
	got = measure(make, 0);
	assert_int_equal(got.allocator.calls, 1);
	assert_int_equal(got.allocator.slow_calls, 1);
	assert_int_equal(got.allocator.slow_ns, 3 * MS);
}

/* Sums up the live allocations at each event anew. */
static double brute_peak(const int64_t (*block)[3], size_t blocks, size_t events)
{
	double peak = 0;

	for (size_t at = 0; at < events; at++) {
		double live = 0;

		for (size_t b = 0; b < blocks; b++)
			if (block[b][0] <= (int64_t)at && (int64_t)at < block[b][1])
				live += (double)block[b][2];
		peak = fmax(peak, live);
	}
	return peak;
}

static void the_peak_of_any_order_of_events_is_that_of_brute_force(void **state)
{
	enum { EVENTS = 60 };
	uint64_t random = 7;

	(void)state;
	for (size_t round = 0; round < 200; round++) {
		int64_t block[EVENTS][3], live = 0, total[EVENTS] = {0}, change[EVENTS] = {0};
		struct make_trace *make = make_trace_new();
		size_t blocks = 0;
		struct weir_memory_usage got;

		for (size_t i = 0; i < EVENTS; i++) {
			size_t victim = blocks ? next_number(&random) % blocks : 0;

			if (blocks && next_number(&random) % 2 && block[victim][1] == EVENTS) {
				block[victim][1] = (int64_t)i;
				change[i] = -block[victim][2];
			} else {
				change[i] = 1 + (int64_t)(next_number(&random) % 4096);
				block[blocks][0] = (int64_t)i;
				block[blocks][1] = EVENTS;
				block[blocks++][2] = change[i];
			}
			total[i] = live += change[i];
		}
		for (size_t i = 0; i < EVENTS; i++) { /* 7 and 60 have no common factor */
			size_t at = i * 7 % EVENTS;

			make_memory(make, (int64_t)at, change[at], total[at], total[at] + 10);
		}
		got = measure(make, 0);
		assert_near(got.devices[0].peak_allocated_bytes,
		            brute_peak((const int64_t(*)[3])block, blocks, EVENTS), 0);
	}
}

static double growth_of(double (*level)(size_t), size_t count)
{
	double levels[2000];

	for (size_t i = 0; i < count; i++)
		levels[i] = level(i);
	return weir_memory_growth(levels, NULL, count);
}

static double steady_leak(size_t i)
{
	return 1e9 + 512.0 * (double)i;
}

static double one_cache_that_fills(size_t i)
{
	return i < 9 ? 1000 : 1e9;
}

static double comes_and_goes(size_t i)
{
	return i % 2 ? 5000 : 1000;
}

static double every_fourth_step(size_t i)
{
	size_t leaks = i / 4;

	return 400.0 * (double)leaks;
}

static double leak_and_one_outlier(size_t i)
{
	return 100.0 * (double)i + (i == 7 ? 1e8 : 0);
}

static void growth_tells_leaks_from_levels(void **state)
{
	(void)state;
	assert_near(growth_of(steady_leak, 20), 512, 0);
	assert_near(growth_of(steady_leak, 2000), 512, 1e-12); /* thinned */
	assert_near(growth_of(one_cache_that_fills, 20), 0, 0);
	assert_near(growth_of(comes_and_goes, 20), 0, 0);
	assert_near(growth_of(every_fourth_step, 40), 100, 0.02);
	assert_near(growth_of(leak_and_one_outlier, 20), 100, 1e-9);
	assert_near(growth_of(steady_leak, 2), 512, 0);
	assert_near(growth_of(steady_leak, 1), NAN, 0);
}

static void steps_that_are_set_apart_are_counted_as_time(void **state)
{
	static const double level[] = {0, 100, 400, 500};
	static const uint32_t number[] = {0, 1, 4, 5}; /* 2 and 3 are excluded */

	(void)state;
	assert_near(weir_memory_growth(level, number, 4), 100, 0);
}

static void the_first_event_may_hold_the_largest_reservation(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_memory_usage got;

	(void)state;
	make_memory(make, 10, 300, 300, 900);
	make_memory(make, 20, 300, 600, 800);
	got = measure(make, 0);
	assert_near(got.devices[0].peak_reserved_bytes, 900, 0);
	assert_near(got.devices[0].peak_allocated_bytes, 600, 0);
}

/* A step that frees everything has a level of 0; levels below 0 are damaged. */
static void an_empty_allocator_is_a_level(void **state)
{
	(void)state;
	for (int64_t least = -1; least <= 1; least++) {
		struct make_trace *make = make_trace_new();
		struct weir_memory_usage got;

		make_memory(make, 50, 10, 1000, 6000);
		make_memory(make, 90, -1000, least, 6000);
		make_memory(make, 190, 100, 100, 6000);
		got = measure(make, 2);
		assert_near(got.devices[0].leak_bytes_per_step,
		            least < 0 ? -900 : 100 - (double)least, 0);
	}
}

/* Equal peaks: by type, then by id; of one device, the first event at the peak counts. */
static void equal_peaks_are_ordered_by_device(void **state)
{
	static const struct {
		int32_t type;
		int32_t id;
	} devices[] = {{6, 1}, {1, 2}, {1, 0}, {6, 0}};
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_memory_usage got;

	(void)state;
	for (int i = 0; i < 4; i++)
		make_memory(make, 10 + i, 100, 100, 200);
	make_memory(make, 20, 100, 100, 400); /* the same peak again, in a larger reservation */
	trace = make_trace_finish(make);
	for (int i = 0; i < 4; i++) {
		trace->memory[i].device_type = devices[i].type;
		trace->memory[i].device_id = devices[i].id;
	}
	trace->memory[4].device_type = 1;
	trace->memory[4].device_id = 0;
	got = measure_trace(trace, 0);
	assert_int_equal(got.device_count, 4);
	assert_int_equal(got.devices[0].device_id, 0);
	assert_int_equal(got.devices[1].device_id, 2);
	assert_int_equal(got.devices[2].device_id, 0);
	assert_int_equal(got.devices[3].device_id, 1);
	assert_near(got.devices[0].fragmentation, 0.5, 0);
	assert_near(got.devices[0].peak_reserved_bytes, 400, 0);
}

static void devices_beyond_the_limit_are_left_out(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_memory_usage got;

	(void)state;
	for (int i = 0; i < WEIR_MAX_MEMORY_DEVICES + 2; i++)
		make_memory(make, 10 + i, 100, 100 + i, -1);
	trace = make_trace_finish(make);
	for (int i = 0; i < WEIR_MAX_MEMORY_DEVICES + 2; i++)
		trace->memory[i].device_id = i;
	got = measure_trace(trace, 0);
	assert_int_equal(got.device_count, WEIR_MAX_MEMORY_DEVICES);
	assert_near(got.devices[0].peak_allocated_bytes, 100 + WEIR_MAX_MEMORY_DEVICES - 1, 0);
}

/* Steps that end before the first event have no level; events of one instant keep their order. */
static void levels_begin_with_the_first_event(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_memory_usage got;

	(void)state;
	make_memory(make, 200, 10, 100, -1); /* at the end of the second step */
	make_memory(make, 300, 10, 999, -1);
	make_memory(make, 300, 10, 110, -1); /* the later one of that instant */
	make_memory(make, 399, 10, 120, -1);
	got = measure(make, 4);
	assert_near(got.devices[0].leak_bytes_per_step, 10, 0);
	assert_near(got.devices[0].allocations_per_step, 1, 0);
}

static void a_single_level_has_no_growth(void **state)
{
	static const double level[] = {5, 8, 11, 14};

	(void)state;
	assert_near(weir_memory_growth(level, NULL, 1), NAN, 0);
	assert_near(weir_memory_growth(level, NULL, 2), 3, 0);
	assert_near(weir_memory_growth(level, (const uint32_t[]){1, 3, 5, 7}, 4), 1.5, 0);
}

/* One change may be a shift if at least three others show the trend. */
static void a_single_large_change_is_a_shift(void **state)
{
	static const double four[] = {0, 1, 1001, 1002}, three[] = {0, 1, 1001};
	static const double two[] = {0, 1000, 1001, 2001, 2002};

	(void)state;
	assert_near(weir_memory_growth(four, NULL, 4), 1, 1e-12);
	assert_near(weir_memory_growth(three, NULL, 3), 500.5, 1e-12);
	assert_true(weir_memory_growth(two, NULL, 5) > 300);
}

static int by_value(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Returns the median of a + b over all pairs of multiples of the stride below the count: the slopes
 * of the squares. */
static double median_slope(size_t count, size_t stride)
{
	double *slopes = weir_alloc((count * count + 1) * sizeof *slopes), median;
	size_t pairs = 0;

	for (size_t a = 0; a < count; a += stride)
		for (size_t b = a + stride; b < count; b += stride)
			slopes[pairs++] = (double)(a + b);
	qsort(slopes, pairs, sizeof *slopes, by_value);
	median = (slopes[(pairs - 1) / 2] + slopes[pairs / 2]) / 2;
	free(slopes);
	return median;
}

/* All levels count up to the limit, then every second one. */
static void growth_is_the_median_slope_of_all_pairs(void **state)
{
	static const size_t counts[] = {2, 3, 4, 5, 510, 511, 512, 513, 514};
	double level[514];
	uint32_t number[514];

	(void)state;
	for (uint32_t i = 0; i < 514; i++) {
		level[i] = (double)i * i;
		number[i] = i;
	}
	assert_near(weir_memory_growth(level, number, 1), NAN, 0);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		size_t stride = counts[i] < WEIR_MAX_LEAK_STEPS ? 1 : 2;

		assert_near(weir_memory_growth(level, number, counts[i]),
		            median_slope(counts[i], stride), 1e-12);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(growth_is_the_median_slope_of_all_pairs),
		cmocka_unit_test(peaks_and_fragmentation_are_those_at_the_peak),
		cmocka_unit_test(growth_is_taken_at_the_ends_of_steps),
		cmocka_unit_test(growth_is_that_of_each_device),
		cmocka_unit_test(devices_stand_in_the_order_of_their_peaks),
		cmocka_unit_test(only_driver_calls_above_a_millisecond_are_slow),
		cmocka_unit_test(a_driver_call_inside_of_a_runtime_call_is_part_of_it),
		cmocka_unit_test(the_peak_of_any_order_of_events_is_that_of_brute_force),
		cmocka_unit_test(growth_tells_leaks_from_levels),
		cmocka_unit_test(steps_that_are_set_apart_are_counted_as_time),
		cmocka_unit_test(the_first_event_may_hold_the_largest_reservation),
		cmocka_unit_test(an_empty_allocator_is_a_level),
		cmocka_unit_test(equal_peaks_are_ordered_by_device),
		cmocka_unit_test(devices_beyond_the_limit_are_left_out),
		cmocka_unit_test(levels_begin_with_the_first_event),
		cmocka_unit_test(a_single_level_has_no_growth),
		cmocka_unit_test(a_single_large_change_is_a_shift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
