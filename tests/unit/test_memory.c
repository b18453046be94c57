/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/memory.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

static const int64_t ends[] = {100, 200, 300, 400};

static struct weir_memory_usage measure_trace(struct weir_trace *trace, size_t steps)
{
	struct weir_intervals windows = {0};
	struct weir_memory_usage got;
	struct weir_timeline timeline;

	weir_timeline_init(&timeline, trace);
	weir_intervals_push(&windows, 0, 100000000);
	weir_memory_measure(&timeline, &windows, ends, steps, &got);
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
	assert_true(got.known);
	assert_near(got.figures.peak_allocated_bytes, 600, 0);
	assert_near(got.figures.peak_reserved_bytes, 900, 0);
	assert_near(got.figures.fragmentation, 0.25, 1e-12);
	assert_near(got.peak_share, 900.0 / 1000000.0, 1e-12);
	assert_near(got.figures.leak_bytes_per_step, NAN, 0);
	assert_near(got.allocations_per_step, NAN, 0);
}

static void growth_is_the_median_change_between_ends_of_steps(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_memory_usage got;

	(void)state;
	make_memory(make, 390, 8, 5060, 6000); /* out of order, as threads write them */
	make_memory(make, 90, 10, 1000, 6000);
	make_memory(make, 200, 10, 1050, 6000);  /* at the end of its step */
	make_memory(make, 150, 200, 1200, 6000); /* freed before its step ends */
	make_memory(make, 290, 10, 5010, 6000);  /* one large change does not move the median */
	got = measure(make, 4);
	assert_near(got.figures.leak_bytes_per_step, 50, 0); /* of 50, 3960, 50 */
	assert_near(got.allocations_per_step, 5.0 / 4.0, 0);
}

static void growth_is_that_of_one_device(void **state)
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
	assert_near(got.figures.leak_bytes_per_step, 50, 0);
	assert_near(got.allocations_per_step, 1, 0);
}

static void the_device_with_the_largest_peak_is_told(void **state)
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
	assert_int_equal(got.device_id, 3);
	assert_near(got.figures.peak_allocated_bytes, 700, 0);
	assert_near(got.figures.peak_reserved_bytes, NAN, 0);
	assert_near(got.figures.fragmentation, NAN, 0);
	assert_near(got.peak_share, NAN, 0); /* the trace does not describe device 3 */
}

static void only_driver_calls_above_a_millisecond_are_slow(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_memory_usage got;

	(void)state;
	make_call(make, 0, "cudaMalloc", 0, 1000000, 0);
	make_call(make, 0, "cudaMalloc", 2000000, 3000001, 0);
	make_call(make, 0, "hipFree", 4000000, 6000000, 0);
	make_call(make, 0, "cudaLaunchKernel", 7000000, 9000000, 0);
	make_host(make, WEIR_HOST_OP, 0, "cudaMalloc", 10000000, 19000000);
	make_call(make, 0, "cudaMalloc", 100000000, 105000000, 0); /* too late */
	got = measure(make, 0);
	assert_false(got.known);
	assert_near(got.figures.slow_allocations, 2, 0);
	assert_near(got.figures.peak_allocated_bytes, NAN, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(peaks_and_fragmentation_are_those_at_the_peak),
		cmocka_unit_test(growth_is_the_median_change_between_ends_of_steps),
		cmocka_unit_test(growth_is_that_of_one_device),
		cmocka_unit_test(the_device_with_the_largest_peak_is_told),
		cmocka_unit_test(only_driver_calls_above_a_millisecond_are_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
