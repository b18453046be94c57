/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nesting of host rows, launches of operators, and classes of device work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "engine/analysis/timeline/activity.h"
#include "engine/analysis/timeline/nesting.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/base/arena.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"

struct scene {
	struct weir_trace *trace;
	struct weir_timeline timeline;
};

static void scene_init(struct scene *scene, struct weir_trace *trace)
{
	scene->trace = trace;
	weir_timeline_init(&scene->timeline, trace);
}

static void scene_release(struct scene *scene)
{
	weir_timeline_release(&scene->timeline);
	weir_trace_free(scene->trace);
}

static uint32_t row_named(const struct scene *scene, const char *name)
{
	for (uint32_t i = 0; i < scene->trace->host.count; i++)
		if (strcmp(weir_timeline_host_name(&scene->timeline, i), name) == 0)
			return i;
	fail_msg("no row %s", name);
	return WEIR_NONE;
}

static void assert_parent(const struct scene *scene, const char *child, const char *parent)
{
	uint32_t expected = parent ? row_named(scene, parent) : WEIR_NONE;

	assert_int_equal(scene->timeline.parent[row_named(scene, child)], expected);
}

static void the_innermost_row_that_encloses_another_is_its_parent(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "outer", 0, 100000);
	make_host(make, WEIR_HOST_OP, 0, "first", 10000, 40000);
	make_host(make, WEIR_HOST_OP, 0, "leaf", 20000, 30000);
	make_host(make, WEIR_HOST_OP, 0, "second", 40000, 50000); /* begins where first ends */
	make_host(make, WEIR_HOST_OP, 1, "elsewhere", 20000, 30000);
	scene_init(&scene, make_trace_finish(make));
	assert_parent(&scene, "outer", NULL);
	assert_parent(&scene, "first", "outer");
	assert_parent(&scene, "leaf", "first");
	assert_parent(&scene, "second", "outer");
	assert_parent(&scene, "elsewhere", NULL);
	assert_int_equal(scene.timeline.misnested, 0);
	scene_release(&scene);
}

static void a_call_of_the_system_is_part_of_what_made_it(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "aten::item", 0, 100);
	make_call(make, 0, "poll", 10, 90, 0);
	make_call(make, 0, "read", 20, 30, 0);
	make_call(make, 0, "ioctl", 40, 50, 0);
	make_call(make, 0, "futex", 200, 300, 0);
	scene_init(&scene, make_trace_finish(make));
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(weir_timeline_caller(&scene.timeline, i), 0);
	assert_int_equal(weir_timeline_caller(&scene.timeline, 4), WEIR_NONE);
	assert_int_equal(weir_timeline_caller(&scene.timeline, WEIR_NONE), WEIR_NONE);
	scene_release(&scene);
}

static void a_child_may_outlive_its_parent_by_jitter_and_no_more(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "a", 0, 10000);
	make_host(make, WEIR_HOST_OP, 0, "child", 5000, 10000 + WEIR_OVERHANG_NS);
	make_host(make, WEIR_HOST_OP, 0, "b", 20000, 30000);
	make_host(make, WEIR_HOST_OP, 0, "sibling", 25000, 30001 + WEIR_OVERHANG_NS);
	scene_init(&scene, make_trace_finish(make));
	assert_parent(&scene, "child", "a");
	assert_parent(&scene, "sibling", NULL);
	assert_int_equal(scene.timeline.misnested, 1);
	scene_release(&scene);
}

static void a_row_that_outlives_several_counts_once(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "a", 0, 100000);
	make_host(make, WEIR_HOST_OP, 0, "b", 1000, 90000);
	make_host(make, WEIR_HOST_OP, 0, "c", 2000, 200000);
	scene_init(&scene, make_trace_finish(make));
	assert_parent(&scene, "c", NULL);
	assert_int_equal(scene.timeline.misnested, 1);
	scene_release(&scene);
}

static void a_row_without_length_encloses_nothing(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "instant", 10, 10);
	make_host(make, WEIR_HOST_OP, 0, "other", 10, 10);
	scene_init(&scene, make_trace_finish(make));
	assert_parent(&scene, "instant", NULL);
	assert_parent(&scene, "other", NULL);
	scene_release(&scene);
}

static void work_belongs_to_the_innermost_operator_around_its_launch(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "aten::linear", 0, 100);
	make_host(make, WEIR_HOST_OP, 0, "aten::addmm", 10, 90);
	make_host(make, WEIR_HOST_PYTHON, 0, "frame", 15, 80);
	make_call(make, 0, "cudaLaunchKernel", 20, 30, 1);
	make_kernel(make, 0, "gemm", 40, 50, 1);
	make_kernel(make, 0, "lost", 60, 70, 0);
	scene_init(&scene, make_trace_finish(make));
	assert_int_equal(scene.timeline.op[0], row_named(&scene, "aten::addmm"));
	assert_int_equal(scene.timeline.op[1], WEIR_NONE);
	assert_int_equal(
		weir_timeline_outermost_op(&scene.timeline, row_named(&scene, "cudaLaunchKernel")),
		row_named(&scene, "aten::linear"));
	assert_int_equal(weir_timeline_outermost_op(&scene.timeline, WEIR_NONE), WEIR_NONE);
	scene_release(&scene);
}

/* The operators of a graph's work ran when it was captured. */
static void the_operator_that_launches_a_graph_is_not_that_of_its_work(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "command_buffer::execute", 0, 100);
	make_call(make, 0, "cudaGraphLaunch", 20, 30, 1);
	make_kernel(make, 0, "gemm", 40, 50, 1);
	scene_init(&scene, make_trace_finish(make));
	assert_int_equal(scene.timeline.op[0], WEIR_NONE);
	scene_release(&scene);
}

static void work_without_a_launch_finds_its_operator_by_external_id(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "aten::mm", 0, 10);
	make_host(make, WEIR_HOST_OP, 0, "aten::add", 20, 30);
	make_kernel(make, 0, "gemm", 40, 50, 0);
	make_kernel(make, 0, "other", 60, 70, 0);
	trace = make_trace_finish(make);
	trace->host.external[0] = 5;
	trace->host.external[1] = 7;
	trace->device.external[0] = 7;
	trace->device.external[1] = 6; /* no operator */
	scene_init(&scene, trace);
	assert_int_equal(scene.timeline.op[0], row_named(&scene, "aten::add"));
	assert_int_equal(scene.timeline.op[1], WEIR_NONE);
	scene_release(&scene);
}

static void
work_is_told_apart_by_kind_by_kernel_and_by_the_operators_around_its_launch(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "vllm::all_reduce", 0, 100);
	make_host(make, WEIR_HOST_OP, 0, "aten::empty", 5, 90);
	make_call(make, 0, "cudaLaunchKernel", 10, 20, 1);
	make_call(make, 0, "cudaMemcpyAsync", 30, 40, 2);
	make_kernel(make, 0, "custom_sum", 100, 110, 1);
	make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_COPY,
	                                            .name = "Memcpy HtoD",
	                                            .start_ns = 120,
	                                            .end_ns = 130,
	                                            .correlation = 2});
	make_kernel(make, 0, "ncclDevKernel_AllGather_RING_LL", 140, 150, 0);
	make_kernel(make, 0, "reduce_kernel", 160, 170, 0);
	scene_init(&scene, make_trace_finish(make));
	assert_int_equal(scene.timeline.work[0], WEIR_WORK_COMM);
	assert_int_equal(scene.timeline.work[1], WEIR_WORK_COPY);
	assert_int_equal(scene.timeline.work[2], WEIR_WORK_COMM);
	assert_int_equal(scene.timeline.work[3], WEIR_WORK_COMPUTE);
	scene_release(&scene);
}

static void rows_are_found_by_device_and_by_thread(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;
	size_t first, end;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "a", 0, 1);
	make_host(make, WEIR_HOST_OP, 2, "b", 0, 1);
	make_host(make, WEIR_HOST_OP, 2, "c", 2, 3);
	make_kernel(make, 0, "k", 0, 1, 0);
	make_device(make,
	            &(struct make_device_row){.device = 2, .stream = 1, .name = "k", .end_ns = 1});
	scene_init(&scene, make_trace_finish(make));
	weir_timeline_thread_rows(&scene.timeline, 2, &first, &end);
	assert_int_equal(first, 1);
	assert_int_equal(end, 3);
	weir_timeline_thread_rows(&scene.timeline, 1, &first, &end);
	assert_int_equal(first, end);
	assert_int_equal(scene.timeline.first_row[1], 1);
	assert_int_equal(scene.timeline.first_row[2], 1);
	assert_int_equal(scene.timeline.first_row[3], 2);
	scene_release(&scene);
}

static void the_ends_of_the_clock_do_not_overflow(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "all", INT64_MIN, INT64_MAX);
	make_host(make, WEIR_HOST_OP, 0, "late", INT64_MAX - 10, INT64_MAX);
	make_host(make, WEIR_HOST_OP, 0, "early", INT64_MIN, INT64_MIN + 10);
	scene_init(&scene, make_trace_finish(make));
	assert_parent(&scene, "late", "all");
	assert_parent(&scene, "early", "all");
	scene_release(&scene);
}

/* A walk up the nesting for each row would take minutes. */
static void a_hundred_thousand_nested_rows_take_no_time(void **state)
{
	const int64_t depth = 100000;
	struct make_trace *make = make_trace_new();
	struct scene scene;
	clock_t begin;

	(void)state;
	for (int64_t i = 0; i < depth; i++)
		make_host(make, i == 0 ? WEIR_HOST_OP : WEIR_HOST_PYTHON, 0,
		          i == 0 ? "aten::mm" : "frame", i, 3 * depth - i);
	make_call(make, 0, "cudaLaunchKernel", depth, depth + 1, 1);
	make_kernel(make, 0, "k", depth, depth + 2, 1);
	scene_init(&scene, make_trace_finish(make));
	weir_timeline_release(&scene.timeline);
	scene.trace->device.count = 1;
	begin = clock();
	weir_device_columns_reserve(&scene.trace->device, (size_t)depth);
	for (uint32_t i = 1; i < depth; i++) {
		struct weir_device_columns *device = &scene.trace->device;

		device->start_ns[i] = depth + 2 * (int64_t)i;
		device->end_ns[i] = device->start_ns[i] + 1;
		device->name[i] = device->name[0];
		device->launch[i] = device->launch[0];
		device->stream[i] = device->device[i] = 0;
		device->external[i] = 0;
		device->flags[i] = 0;
		device->kind[i] = WEIR_DEVICE_KERNEL;
		device->count++;
	}
	weir_timeline_init(&scene.timeline, scene.trace);
	assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 5);
	for (uint32_t i = 0; i < depth; i++)
		assert_int_equal(scene.timeline.op[i], 0);
	scene_release(&scene);
}

/* A walk from a row to the outermost one takes a bounded number of turns. */
static void rows_nest_to_a_bounded_depth(void **state)
{
	const int64_t depth = INT64_C(3) * WEIR_MAX_NESTING;
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	for (int64_t i = 0; i < depth; i++)
		make_host(make, WEIR_HOST_OP, 0, "aten::op", i, 3 * depth - i);
	scene_init(&scene, make_trace_finish(make));
	for (uint32_t i = 0; i < depth; i++) {
		uint32_t expected = i == 0 ? WEIR_NONE : i - 1;

		if (i > WEIR_MAX_NESTING)
			expected = WEIR_MAX_NESTING - 1;
		assert_int_equal(scene.timeline.parent[i], expected);
	}
	scene_release(&scene);
}

static void random_rows_lie_in_their_parents(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct scene scene;
		const struct weir_host_columns *host;

		scene_init(&scene, random_trace(&seed));
		host = &scene.trace->host;
		for (size_t i = 0; i < host->count; i++) {
			uint32_t parent = scene.timeline.parent[i];

			if (parent == WEIR_NONE)
				continue;
			assert_true(parent < i);
			assert_int_equal(host->thread[parent], host->thread[i]);
			assert_true(host->start_ns[parent] <= host->start_ns[i]);
			assert_true(host->end_ns[parent] > host->start_ns[i]);
			assert_true(host->end_ns[i] <= host->end_ns[parent] + WEIR_OVERHANG_NS);
		}
		scene_release(&scene);
	}
}

/* The rows are nested alike however many parts they are divided into, also where rows from before a
 * part lie around it. */
static void rows_nest_alike_in_any_number_of_parts(void **state)
{
	uint64_t seed = 17, misnested = 0;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct scene scene;
		struct weir_timeline parted;
		size_t rows, bytes;

		scene_init(&scene, random_trace(&seed));
		rows = scene.trace->host.count;
		bytes = rows * sizeof(uint32_t);
		parted = (struct weir_timeline){.trace = scene.trace,
		                                .parent = weir_alloc(bytes),
		                                .inner_op = weir_alloc(bytes),
		                                .outer_op = weir_alloc(bytes)};
		for (size_t parts = 1; parts < 10; parts++) {
			parted.misnested = 0;
			weir_nest_rows(&parted, parts);
			assert_int_equal(parted.misnested, scene.timeline.misnested);
			assert_memory_equal(parted.parent, scene.timeline.parent, bytes);
			assert_memory_equal(parted.inner_op, scene.timeline.inner_op, bytes);
			assert_memory_equal(parted.outer_op, scene.timeline.outer_op, bytes);
		}
		misnested += parted.misnested;
		weir_timeline_release(&parted);
		scene_release(&scene);
	}
	assert_true(misnested > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_innermost_row_that_encloses_another_is_its_parent),
		cmocka_unit_test(a_call_of_the_system_is_part_of_what_made_it),
		cmocka_unit_test(a_child_may_outlive_its_parent_by_jitter_and_no_more),
		cmocka_unit_test(a_row_that_outlives_several_counts_once),
		cmocka_unit_test(a_row_without_length_encloses_nothing),
		cmocka_unit_test(work_belongs_to_the_innermost_operator_around_its_launch),
		cmocka_unit_test(the_operator_that_launches_a_graph_is_not_that_of_its_work),
		cmocka_unit_test(work_without_a_launch_finds_its_operator_by_external_id),
		cmocka_unit_test(
			work_is_told_apart_by_kind_by_kernel_and_by_the_operators_around_its_launch),
		cmocka_unit_test(rows_are_found_by_device_and_by_thread),
		cmocka_unit_test(the_ends_of_the_clock_do_not_overflow),
		cmocka_unit_test(a_hundred_thousand_nested_rows_take_no_time),
		cmocka_unit_test(rows_nest_to_a_bounded_depth),
		cmocka_unit_test(random_rows_lie_in_their_parents),
		cmocka_unit_test(rows_nest_alike_in_any_number_of_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
