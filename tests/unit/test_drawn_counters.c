/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of a drawing: their windows and their limits. */
#include <stdint.h>

#include "engine/analysis/drawing/counters.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

#define US INT64_C(1000)

struct desk {
	struct weir_trace *trace;
	struct weir_rank rank;
	struct weir_arena *arena;
	struct weir_detail detail;
};

static void desk_draw(struct desk *desk, struct make_trace *make, int64_t shift_ns)
{
	*desk = (struct desk){.trace = make_trace_finish(make), .arena = weir_arena_new()};
	desk->rank.trace = desk->trace;
	desk->rank.rank = 3;
	weir_draw_counters(&desk->rank, shift_ns, desk->arena, &desk->detail);
}

static void desk_close(struct desk *desk)
{
	weir_trace_free(desk->trace);
	weir_arena_free(desk->arena);
}

static void add_kernel(struct make_trace *make, uint16_t device, int64_t start_ns, int64_t end_ns,
                       uint64_t correlation)
{
	make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_KERNEL,
	                                            .device = device,
	                                            .stream = device,
	                                            .name = "gemm",
	                                            .start_ns = start_ns,
	                                            .end_ns = end_ns,
	                                            .correlation = correlation});
}

static void assert_values(const struct weir_detail_counter *counter, size_t first, size_t end,
                          double value)
{
	for (size_t i = first; i < end; i++)
		assert_near(counter->value[i], value, 1e-12);
}

/* Windows of 1 us from 5 us on. Two kernels that overlap cover [6.25, 10.5) us, and the launch at 5
 * us waits until 6.25 us. */
static void windows_hold_the_union_of_work_and_the_launches_that_wait(void **state)
{
	struct make_trace *make = make_trace_new();
	const struct weir_detail_counter *active, *queue;
	struct desk desk;

	(void)state;
	make_call(make, 0, "cudaLaunchKernel", 5 * US, 5 * US + 10, 1);
	add_kernel(make, 0, 6250, 9 * US, 1);
	add_kernel(make, 0, 8 * US, 10500, 0);
	add_kernel(make, 0, 8 * US, 8 * US + 10, 0);
	add_kernel(make, 0, 1004500, 1004600, 0);
	desk_draw(&desk, make, 100);
	if (desk.detail.counter_count != 2 || !desk.detail.counters) {
		fail_msg("%zu counters, expected 2", desk.detail.counter_count);
		return;
	}
	active = &desk.detail.counters[0];
	queue = &desk.detail.counters[1];
	assert_int_equal(active->start_ns, 5 * US + 100);
	assert_int_equal(active->width_ns, US);
	assert_int_equal(active->rank, 3);
	assert_string_equal(active->name, "active share of device 0");
	assert_string_equal(queue->name, "queue depth of device 0");
	assert_values(active, 0, 1, 0);
	assert_values(active, 1, 2, 0.75);
	assert_values(active, 2, 5, 1);
	assert_values(active, 5, 6, 0.5);
	assert_values(active, 6, 999, 0);
	assert_values(active, 999, 1000, 0.1);
	assert_values(queue, 0, 1, 1);
	assert_values(queue, 1, 2, 0.25);
	assert_values(queue, 2, 1000, 0);
	desk_close(&desk);
}

static size_t count_of(int64_t start_ns, int64_t end_ns, int64_t shift_ns)
{
	struct make_trace *make = make_trace_new();
	struct desk desk;
	size_t count;

	add_kernel(make, 0, start_ns, end_ns, 0);
	desk_draw(&desk, make, shift_ns);
	count = desk.detail.counter_count;
	desk_close(&desk);
	return count;
}

static void times_without_length_or_beyond_the_clock_have_no_counters(void **state)
{
	const int64_t start_ns = -WEIR_MAX_TIME_NS / 2;

	(void)state;
	assert_int_equal(count_of(7, 7, 0), 0);
	assert_int_equal(count_of(7, 8, 0), 2);
	assert_int_equal(count_of(start_ns, start_ns + WEIR_MAX_TIME_NS, 0), 2);
	assert_int_equal(count_of(start_ns, start_ns + WEIR_MAX_TIME_NS + 1, 0), 0);
	/* The end of the window behind the last one must be a time: windows of 1 ns. */
	assert_int_equal(count_of(0, 1, INT64_MAX - 1002), 2);
	assert_int_equal(count_of(0, 1, INT64_MAX - 1001), 0);
}

/* Draws the counters of that many devices. */
static size_t count_of_devices(uint16_t devices)
{
	struct make_trace *make = make_trace_new();
	struct desk desk;
	size_t count;

	for (uint16_t d = 0; d < devices; d++)
		add_kernel(make, d, 10, 20, 0);
	desk_draw(&desk, make, 0);
	count = desk.detail.counter_count;
	desk_close(&desk);
	return count;
}

static void devices_beyond_the_limit_have_no_counters(void **state)
{
	(void)state;
	assert_int_equal(count_of_devices(WEIR_DETAIL_MAX_COUNTERS / 2 - 1),
	                 WEIR_DETAIL_MAX_COUNTERS - 2);
	assert_int_equal(count_of_devices(WEIR_DETAIL_MAX_COUNTERS / 2), WEIR_DETAIL_MAX_COUNTERS);
	assert_int_equal(count_of_devices(WEIR_DETAIL_MAX_COUNTERS / 2 + 1),
	                 WEIR_DETAIL_MAX_COUNTERS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_hold_the_union_of_work_and_the_launches_that_wait),
		cmocka_unit_test(times_without_length_or_beyond_the_clock_have_no_counters),
		cmocka_unit_test(devices_beyond_the_limit_have_no_counters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
