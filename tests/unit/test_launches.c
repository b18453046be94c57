/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/timeline/launches.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

/* A trace, its relations and one window, measured together. */
struct scene {
	struct weir_trace *trace;
	struct weir_timeline timeline;
	struct weir_intervals windows;
	struct weir_launch_figures got;
};

static void scene_measure(struct scene *scene, struct make_trace *make, int64_t start_ns,
                          int64_t end_ns)
{
	*scene = (struct scene){.trace = make_trace_finish(make)};
	weir_timeline_init(&scene->timeline, scene->trace);
	weir_intervals_push(&scene->windows, start_ns, end_ns);
	weir_launch_delays_measure(&scene->timeline, &scene->windows, &scene->got);
	weir_launches_measure(&scene->timeline, &scene->windows, &scene->got);
}

static void scene_release(struct scene *scene)
{
	weir_timeline_release(&scene->timeline);
	weir_intervals_release(&scene->windows);
	weir_trace_free(scene->trace);
}

static void make_copy(struct make_trace *make, const char *name, int64_t start_ns, int64_t bytes,
                      uint64_t correlation)
{
	make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_COPY,
	                                            .name = name,
	                                            .start_ns = start_ns,
	                                            .end_ns = start_ns + 2,
	                                            .bytes = bytes,
	                                            .correlation = correlation});
}

static void the_delay_of_a_kernel_that_waited_behind_others_is_not_a_launch_delay(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_launch(make, 0, 10, 15, 100);     /* empty stream: 5 */
	make_launch(make, 20, 30, 103, 200);   /* waits for the first until 100: raw 73, queue 3 */
	make_launch(make, 300, 310, 317, 400); /* empty again: 7 */
	scene_measure(&scene, make, 0, 1000);
	assert_int_equal(scene.got.kernels, 3);
	assert_int_equal(scene.got.launches, 3);
	assert_int_equal(scene.got.unqueued.count, 2);
	assert_near(scene.got.unqueued.quantiles.p50_ns, 6, 0);
	assert_near(scene.got.raw.quantiles.p50_ns, 7, 0);
	assert_near(scene.got.queue.quantiles.p50_ns, 5, 0);
	assert_near(scene.got.api.quantiles.p50_ns, 10, 0);
	assert_near(scene.got.kernel_p50_ns, 85, 0);
	scene_release(&scene);
}

static void a_kernel_that_starts_before_its_call_returns_is_kept_and_counted(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_launch(make, 0, 10, 6, 9);
	scene_measure(&scene, make, 0, 100);
	assert_int_equal(scene.got.raw.negative, 1);
	assert_int_equal(scene.got.queue.negative, 1);
	assert_near(scene.got.raw.quantiles.p50_ns, -4, 0);
	scene_release(&scene);
}

/* A latency is a time that passed: the queue was empty, and the call returned at 10. */
static void a_launch_latency_is_never_negative(void **state)
{
	static const struct {
		int64_t start_ns;
		double latency_ns;
	} cases[] = {{6, 0}, {9, 0}, {10, 0}, {11, 1}, {-5, 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct make_trace *make = make_trace_new();
		struct scene scene;

		make_launch(make, 0, 10, cases[i].start_ns, 20);
		scene_measure(&scene, make, -10, 100);
		assert_int_equal(scene.got.unqueued.count, 1);
		assert_near(scene.got.unqueued.quantiles.p50_ns, cases[i].latency_ns, 0);
		scene_release(&scene);
	}
}

static void what_starts_outside_the_windows_does_not_count(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_launch(make, 0, 10, 12, 20);
	make_launch(make, 90, 95, 110, 120); /* called before the window, runs in it */
	make_launch(make, 130, 140, 142, 150);
	scene_measure(&scene, make, 100, 200);
	assert_int_equal(scene.got.kernels, 2);
	assert_int_equal(scene.got.launches, 1);
	scene_release(&scene);
}

static void a_graph_is_one_launch_and_its_kernels_have_no_launch_delay(void **state)
{
	struct make_trace *make = make_trace_new();
	struct make_device_row node = {.kind = WEIR_DEVICE_KERNEL,
	                               .name = "node",
	                               .bytes = -1,
	                               .correlation = 5,
	                               .flags = WEIR_DEVICE_IN_GRAPH};
	struct scene scene;

	(void)state;
	make_call(make, 0, "cudaGraphLaunch", 0, 10, 5);
	for (int64_t i = 0; i < 3; i++) {
		node.start_ns = 20 + 100 * i;
		node.end_ns = node.start_ns + 100;
		make_device(make, &node);
	}
	make_launch(make, 330, 340, 350, 450);
	scene_measure(&scene, make, 0, 1000);
	assert_int_equal(scene.got.kernels, 4);
	assert_int_equal(scene.got.launches, 2);
	assert_int_equal(scene.got.graph_launches, 1);
	assert_int_equal(scene.got.raw.count, 1);
	assert_near(scene.got.graph_share, 0.75, 0);
	assert_near(scene.got.launch_call_share, 20.0 / 400.0, 1e-12);
	scene_release(&scene);
}

static void waits_count_on_threads_that_launch_and_nested_ones_once(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_launch(make, 0, 10, 12, 50);
	make_call(make, 0, "cudaStreamSynchronize", 20, 60, 0);
	make_call(make, 0, "cuStreamSynchronize", 25, 55, 0); /* inside the other */
	make_call(make, 0, "cudaMemcpy", 70, 80, 0);
	make_call(make, 1, "cudaDeviceSynchronize", 0, 90, 0); /* launches nothing */
	scene_measure(&scene, make, 0, 100);
	assert_int_equal(scene.got.syncs, 2);
	assert_int_equal(scene.got.blocking_copies, 1);
	assert_int_equal(scene.got.wait_ns, 50);
	assert_int_equal(scene.got.wait_thread_ns, 50);
	scene_release(&scene);
}

static void a_wait_that_began_before_the_window_counts(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_launch(make, 0, 10, 12, 90);
	make_call(make, 0, "cudaDeviceSynchronize", 20, 95, 0);
	make_call(make, 0, "cudaDeviceSynchronize", 200, 210, 0);
	scene_measure(&scene, make, 50, 100);
	assert_int_equal(scene.got.syncs, 1);
	assert_int_equal(scene.got.wait_ns, 45);
	scene_release(&scene);
}

static void waits_of_two_launching_threads_add_up_and_cover_together(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_launch(make, 0, 10, 12, 20);
	make_call(make, 0, "cudaStreamSynchronize", 40, 70, 0);
	make_call(make, 1, "cudaLaunchKernel", 0, 10, 3);
	make_kernel(make, 1, "kernel", 12, 20, 3);
	make_call(make, 1, "cudaStreamSynchronize", 30, 60, 0);
	scene_measure(&scene, make, 0, 65); /* cuts the first wait */
	assert_int_equal(scene.got.wait_thread_ns, 25 + 30);
	assert_int_equal(scene.got.wait_ns, 35);
	scene_release(&scene);
}

/* One aten::item: the copy of `bytes` at `at`, then the call `next` inside or after the operator.
 */
static void make_item(struct make_trace *make, int64_t at, int64_t bytes, const char *next,
                      int64_t next_ns)
{
	uint64_t correlation = (uint64_t)at + 1;

	make_host(make, WEIR_HOST_OP, 0, "aten::item", at, at + 50);
	make_host(make, WEIR_HOST_OP, 0, "aten::_local_scalar_dense", at + 1, at + 49);
	make_call(make, 0, "cudaMemcpyAsync", at + 2, at + 9, correlation);
	make_call(make, 0, "cudaStreamIsCapturing", at + 10, at + 11, 0);
	make_call(make, 0, next, next_ns, next_ns + 5, 0);
	make_copy(make, "Memcpy DtoH (Device -> Pageable)", at + 12, bytes, correlation);
}

static void a_scalar_read_is_a_small_copy_and_its_wait_in_one_operator(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_item(make, 1000, 4, "cudaStreamSynchronize", 1020);    /* this one */
	make_item(make, 2000, 64, "cudaStreamSynchronize", 2020);   /* too large */
	make_item(make, 3000, 4, "cudaStreamSynchronize", 3060);    /* after the operator */
	make_item(make, 4000, 4, "cudaLaunchKernel", 4020);         /* no wait */
	make_item(make, 5000, -1, "cudaStreamSynchronize", 5020);   /* size unknown */
	make_call(make, 0, "cudaStreamSynchronize", 4030, 4040, 0); /* for the launch */
	make_host(make, WEIR_HOST_ANNOTATION, 0, "cudaStreamSynchronize", 4012, 4014);
	make_call(make, 0, "hipMemcpyWithStream", 6000, 6009, 77); /* waits itself */
	make_copy(make, "CopyDeviceToHost", 6002, 8, 77);
	make_call(make, 0, "hipMemcpyWithStream", 7000, 7009, 78);
	make_copy(make, "CopyHostToDevice", 7002, 8, 78);
	scene_measure(&scene, make, 0, 10000);
	assert_int_equal(scene.got.scalar_reads, 2);
	scene_release(&scene);
}

static void launch_calls_without_recorded_work_are_counted(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_launch(make, 0, 10, 15, 100);
	make_call(make, 0, "cudaLaunchKernel", 200, 210, 901); /* a graph is being captured */
	make_call(make, 0, "cudaLaunchKernel", 300, 330, 902); /* its driver call has the work */
	make_call(make, 0, "cuLaunchKernel", 305, 325, 903);
	make_kernel(make, 0, "k", 340, 350, 903);
	make_call(make, 0, "cudaMemcpyAsync", 400, 410, 904); /* launches no kernel */
	scene_measure(&scene, make, 0, 1000);
	assert_int_equal(scene.got.calls, 3);
	assert_int_equal(scene.got.unrecorded, 1);
	scene_release(&scene);
}

static void without_linked_work_no_launch_call_counts_as_unrecorded(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_call(make, 0, "cudaLaunchKernel", 200, 210, 901);
	make_kernel(make, 0, "k", 340, 350, 0);
	scene_measure(&scene, make, 0, 1000);
	assert_int_equal(scene.got.calls, 0);
	assert_int_equal(scene.got.unrecorded, 0);
	scene_release(&scene);
}

static void without_work_nothing_is_claimed(void **state)
{
	struct scene scene;

	(void)state;
	scene_measure(&scene, make_trace_new(), 0, 100);
	assert_int_equal(scene.got.kernels, 0);
	assert_near(scene.got.kernel_p50_ns, NAN, 0);
	assert_near(scene.got.unqueued.quantiles.p99_ns, NAN, 0);
	assert_near(scene.got.graph_share, NAN, 0);
	assert_near(scene.got.launch_call_share, NAN, 0);
	scene_release(&scene);
}

static void the_ends_of_time_do_not_overflow(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_launch(make, INT64_MIN, INT64_MIN, INT64_MAX - 1, INT64_MAX);
	make_launch(make, INT64_MAX - 1, INT64_MAX, INT64_MIN, INT64_MIN + 1);
	scene_measure(&scene, make, INT64_MIN, INT64_MAX);
	assert_int_equal(scene.got.raw.count, 2);
	assert_int_equal(scene.got.raw.negative, 1);
	scene_release(&scene);
}

/* The first kernel ends at 100; the call of the second returns around that time. */
static void a_stream_that_empties_as_the_call_returns_is_empty(void **state)
{
	(void)state;
	for (int64_t returned = 99; returned <= 101; returned++) {
		struct make_trace *make = make_trace_new();
		struct scene scene;

		make_launch(make, 0, 10, 15, 100);
		make_launch(make, 20, returned, 110, 200);
		scene_measure(&scene, make, 0, 1000);
		assert_int_equal(scene.got.unqueued.count, returned >= 100 ? 2 : 1);
		scene_release(&scene);
	}
}

static void a_launch_that_lasts_until_its_kernel_ends_blocks(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_launch(make, 0, 10, 5, 10);   /* blocks: returns when its kernel ends */
	make_launch(make, 20, 29, 25, 30); /* returns before */
	make_launch(make, 40, 45, 50, 60); /* the usual case */
	make_call(make, 0, "cudaLaunchKernel", 70, 90, 0);
	make_call(make, 0, "cuLaunchKernel", 71, 75, 7); /* a part of the call above */
	make_kernel(make, 0, "kernel", 76, 88, 7);
	make_call(make, 0, "cudaGraphLaunch", 100, 200, 8);
	make_kernel(make, 0, "kernel", 110, 120, 8); /* a replay is no launch of one kernel */
	scene_measure(&scene, make, 0, 1000);
	assert_int_equal(scene.got.single, 4);
	assert_int_equal(scene.got.blocking, 2);
	scene_release(&scene);
}

static void a_row_knows_the_latest_end_before_it_on_its_stream(void **state)
{
	static const int64_t ends[] = {INT64_MIN, 30, INT64_MIN, 30, 30};
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	int64_t *found;

	(void)state;
	make_kernel(make, 0, "kernel", 10, 30, 1);
	make_kernel(make, 0, "kernel", 15, 20, 2); /* ends before the first */
	make_kernel(make, 1, "kernel", 16, 17, 3);
	make_kernel(make, 0, "kernel", 18, 30, 4);
	make_kernel(make, 0, "kernel", 19, 40, 5);
	trace = make_trace_finish(make);
	found = weir_stream_ends(trace);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(found[i], ends[i]);
	free(found);
	weir_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launch_calls_without_recorded_work_are_counted),
		cmocka_unit_test(without_linked_work_no_launch_call_counts_as_unrecorded),
		cmocka_unit_test(
			the_delay_of_a_kernel_that_waited_behind_others_is_not_a_launch_delay),
		cmocka_unit_test(a_kernel_that_starts_before_its_call_returns_is_kept_and_counted),
		cmocka_unit_test(a_launch_latency_is_never_negative),
		cmocka_unit_test(what_starts_outside_the_windows_does_not_count),
		cmocka_unit_test(a_graph_is_one_launch_and_its_kernels_have_no_launch_delay),
		cmocka_unit_test(waits_count_on_threads_that_launch_and_nested_ones_once),
		cmocka_unit_test(a_wait_that_began_before_the_window_counts),
		cmocka_unit_test(waits_of_two_launching_threads_add_up_and_cover_together),
		cmocka_unit_test(a_scalar_read_is_a_small_copy_and_its_wait_in_one_operator),
		cmocka_unit_test(without_work_nothing_is_claimed),
		cmocka_unit_test(the_ends_of_time_do_not_overflow),
		cmocka_unit_test(a_stream_that_empties_as_the_call_returns_is_empty),
		cmocka_unit_test(a_launch_that_lasts_until_its_kernel_ends_blocks),
		cmocka_unit_test(a_row_knows_the_latest_end_before_it_on_its_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
