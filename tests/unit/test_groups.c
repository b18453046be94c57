/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Device work grouped by stage, operator, shape and device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/timeline/activity.h"
#include "engine/base/arena.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"
#include "tests/unit/scene.h"

static void make_op(struct make_trace *make, const char *name, int64_t start_ns,
                    uint64_t correlation)
{
	make_host(make, WEIR_HOST_OP, 0, name, start_ns, start_ns + 50);
	make_call(make, 0, "cudaLaunchKernel", start_ns + 10, start_ns + 20, correlation);
}

static void the_kernels_of_one_run_of_an_operator_are_one_call(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;
	const struct weir_group *group;

	(void)state;
	for (int64_t i = 0; i < 2; i++) {
		make_op(make, "aten::mm", i * 1000, (uint64_t)i + 1);
		make_kernel(make, 0, "splitk", i * 1000 + 100, i * 1000 + 150, (uint64_t)i + 1);
		make_kernel(make, 0, "reduce", i * 1000 + 150, i * 1000 + 160, (uint64_t)i + 1);
	}
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.groups.count, 1);
	group = &scene.groups.items[0];
	assert_int_equal(group->calls, 2);
	assert_int_equal(group->rows, 4);
	assert_int_equal(group->sum_ns, 120);
	assert_int_equal(group->owned_ns, 120);
	assert_string_equal(weir_names_text(scene.trace->names, group->kernel), "splitk");
	assert_string_equal(weir_group_name(group, scene.trace->names), "aten::mm");
	assert_int_equal(scene.groups.calls[0].device_ns, 60);
	scene_release(&scene);
}

/* Returns the number of groups if an operator of that name launches `kernels` kernels per call. */
static size_t groups_of_op(const char *op, int kernels)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;
	size_t count;

	for (int64_t call = 0; call < 2; call++) {
		int64_t at = call * 10000;

		make_host(make, WEIR_HOST_OP, 0, op, at, at + 1000);
		for (int k = 0; k < kernels; k++) {
			char name[16];
			uint64_t correlation = (uint64_t)(call * 100 + k + 1);

			snprintf(name, sizeof name, "k%d", k);
			make_call(make, 0, "cudaLaunchKernel", at + INT64_C(20) * k,
			          at + INT64_C(20) * k + 10, correlation);
			make_kernel(make, 0, name, at + 2000 + INT64_C(100) * k,
			            at + 2050 + INT64_C(100) * k, correlation);
		}
	}
	scene_init(&scene, make_trace_finish(make), true);
	count = scene.groups.count;
	scene_release(&scene);
	return count;
}

static void a_region_of_many_kernels_is_no_operator(void **state)
{
	(void)state;
	assert_int_equal(groups_of_op("Torch-Compiled Region: 0/0", 8), 1);
	assert_int_equal(groups_of_op("Torch-Compiled Region: 0/0", 9), 9);
	assert_int_equal(groups_of_op("aten::sort", 9), 1);
}

static void the_time_of_the_longest_kernel_is_summed_by_name(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	for (int64_t i = 0; i < 2; i++) {
		make_op(make, "aten::mm", i * 1000, (uint64_t)i + 1);
		make_kernel(make, 0, "splitk", i * 1000 + 100, i * 1000 + 150 + i, (uint64_t)i + 1);
		make_kernel(make, 0, "reduce", i * 1000 + 160, i * 1000 + 170, (uint64_t)i + 1);
	}
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.groups.items[0].same_ns, 50 + 51);
	assert_int_equal(scene.groups.items[0].sum_ns, 121);
	scene_release(&scene);
}

/* Makes 3 calls of an operator: a long kernel, and a short one on grids of those sizes. */
static struct weir_group_kernel short_kernel_on(const uint32_t blocks[3], const uint32_t threads[3])
{
	struct make_trace *make = make_trace_new();
	struct weir_group_kernel kernel;
	struct scene scene;

	for (int64_t i = 0; i < 3; i++) {
		make_op(make, "aten::mm", i * 1000, (uint64_t)i + 1);
		make_kernel(make, 0, "long", i * 1000 + 100, i * 1000 + 150, (uint64_t)i + 1);
		make_device(make, &(struct make_device_row){.name = "short",
		                                            .start_ns = i * 1000 + 160,
		                                            .end_ns = i * 1000 + 170,
		                                            .correlation = (uint64_t)i + 1,
		                                            .blocks = blocks[i],
		                                            .threads_per_block = threads[i]});
	}
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.groups.kernel_count, 1);
	kernel = scene.groups.kernels[0];
	scene_release(&scene);
	return kernel;
}

static void the_smallest_grid_and_block_of_another_kernel_are_kept(void **state)
{
	struct weir_group_kernel kernel =
		short_kernel_on((uint32_t[]){30, 20, 40}, (uint32_t[]){64, 128, 32});

	(void)state;
	assert_int_equal(kernel.rows, 3);
	assert_int_equal(kernel.ns, 30);
	assert_int_equal(kernel.blocks, 20);
	assert_int_equal(kernel.threads, 32);
	kernel = short_kernel_on((uint32_t[]){30, 0, 40}, (uint32_t[]){0, 128, 32});
	assert_int_equal(kernel.blocks, 0);
	assert_int_equal(kernel.threads, 0);
}

static void kernels_of_a_graph_are_calls_of_their_own(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_call(make, 0, "cudaGraphLaunch", 0, 10, 1);
	for (int64_t i = 0; i < 6; i++)
		make_device(make, &(struct make_device_row){.name = i % 2 ? "odd" : "even",
		                                            .start_ns = 100 + i * 10,
		                                            .end_ns = 105 + i * 10,
		                                            .correlation = 1,
		                                            .flags = WEIR_DEVICE_IN_GRAPH});
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.groups.count, 2);
	assert_int_equal(scene.groups.items[0].calls, 3);
	assert_int_equal(scene.groups.items[1].graph_rows, 3);
	assert_int_equal(scene.groups.items[1].op_row, WEIR_NONE);
	scene_release(&scene);
}

static void stages_shapes_and_devices_are_told_apart(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_ANNOTATION, 0, "prefill", 0, 1000);
	make_host(make, WEIR_HOST_ANNOTATION, 0, "decode", 1000, 5000);
	for (int64_t i = 0; i < 4; i++) {
		make_op(make, "aten::mm", 100 + i * 1000, (uint64_t)i + 1);
		make_device(make, &(struct make_device_row){.device = i == 3,
		                                            .stream = i == 3,
		                                            .name = "gemm",
		                                            .start_ns = 200 + i * 1000,
		                                            .end_ns = 300 + i * 1000,
		                                            .correlation = (uint64_t)i + 1});
	}
	trace = make_trace_finish(make);
	trace->shapes = weir_grow(trace->shapes, &trace->shape_capacity, 2, sizeof *trace->shapes);
	trace->shapes[1] = trace->shapes[0];
	trace->shape_count = 2;
	for (size_t i = 0, op = 0; i < trace->host.count; i++)
		if (trace->host.kind[i] == WEIR_HOST_OP && op++ == 2)
			trace->host.shape[i] = 1;
	scene_init(&scene, trace, true);
	assert_int_equal(scene.groups.count,
	                 4); /* prefill; decode; another shape; another device */
	assert_int_equal(scene.groups.items[0].stage, scene_stage(&scene, "prefill"));
	assert_int_equal(scene.groups.items[2].shape, 1);
	assert_int_equal(scene.groups.items[3].device, 1);
	scene_release(&scene);
}

static void an_operator_on_two_devices_is_a_call_on_each(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_op(make, "aten::scatter", 0, 1);
	for (int64_t i = 0; i < 4; i++)
		make_device(make, &(struct make_device_row){.device = i % 2 == 1,
		                                            .stream = i % 2 == 1,
		                                            .name = "k",
		                                            .start_ns = 100 + i * 10,
		                                            .end_ns = 110 + i * 10,
		                                            .correlation = 1});
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.groups.count, 2);
	assert_int_equal(scene.groups.items[0].calls, 1);
	assert_int_equal(scene.groups.items[1].calls, 1);
	assert_int_equal(scene.groups.items[1].rows, 2);
	scene_release(&scene);
}

static void an_operator_that_computes_at_all_is_computation(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_op(make, "aten::cat", 0, 1);
	make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_SET,
	                                            .name = "Memset",
	                                            .start_ns = 100,
	                                            .end_ns = 900,
	                                            .correlation = 1});
	make_kernel(make, 0, "cat", 900, 910, 1);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.groups.items[0].work, WEIR_WORK_COMPUTE);
	assert_string_equal(weir_names_text(scene.trace->names, scene.groups.items[0].kernel),
	                    "Memset");
	scene_release(&scene);
}

static void ten_thousand_kernels_become_a_bounded_number_of_groups(void **state)
{
	enum { KERNELS = WEIR_MAX_GROUPS + 2000 };
	struct make_trace *make = make_trace_new();
	const struct weir_group *last;
	struct scene scene;
	uint64_t rows = 0;

	(void)state;
	for (int64_t i = 0; i < KERNELS; i++) {
		char name[32];

		snprintf(name, sizeof name, "kernel_%d", (int)i);
		make_kernel(make, 0, name, i * 10, i * 10 + 10, 0);
	}
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.groups.count, WEIR_MAX_GROUPS + 1);
	last = &scene.groups.items[WEIR_MAX_GROUPS];
	assert_int_equal(last->rows, 2000);
	assert_int_equal(last->owned_ns, 20000);
	assert_string_equal(weir_group_name(last, scene.trace->names), WEIR_OTHER_WORK);
	for (size_t g = 0; g < scene.groups.count; g++)
		rows += scene.groups.items[g].rows;
	assert_int_equal(rows, KERNELS);
	scene_release(&scene);
}

static void hostile_durations_do_not_overflow(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_op(make, "aten::mm", 0, 1);
	for (int64_t i = 0; i < 4; i++)
		make_kernel(make, 0, "k", INT64_MIN + i, INT64_MAX, 1);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.groups.items[0].sum_ns, INT64_MAX);
	assert_int_equal(scene.groups.calls[0].device_ns, INT64_MAX);
	scene_release(&scene);
}

static void assert_consistent(const struct scene *scene)
{
	const struct weir_groups *groups = &scene->groups;
	uint64_t calls = 0, rows = 0, inside = 0;
	int64_t owned_ns = 0, busy_ns = 0;

	for (size_t g = 0; g < groups->count; g++) {
		int64_t sum_ns = 0;

		assert_int_equal(groups->first_call[g], calls);
		for (uint64_t c = 0; c < groups->items[g].calls; c++) {
			const struct weir_group_call *call =
				&groups->calls[groups->calls_by_group[groups->first_call[g] + c]];

			assert_int_equal(call->group, g);
			sum_ns += call->device_ns;
		}
		assert_int_equal(sum_ns, groups->items[g].sum_ns);
		assert_true(groups->items[g].owned_ns <= groups->items[g].sum_ns);
		calls += groups->items[g].calls;
		rows += groups->items[g].rows;
		owned_ns += groups->items[g].owned_ns;
	}
	assert_int_equal(calls, groups->call_count);
	for (size_t i = 0; i < scene->trace->device.count; i++)
		inside += groups->row_call[i] != WEIR_NONE;
	assert_int_equal(rows, inside);
	for (size_t i = 0; i < scene->segments.count; i++)
		busy_ns += scene->segments.items[i].busy
		                   ? weir_segment_ns(&scene->segments.items[i])
		                   : 0;
	assert_true(owned_ns <= busy_ns);
}

static void random_groups_add_up(void **state)
{
	uint64_t seed = 29;

	(void)state;
	for (int round = 0; round < 500; round++) {
		struct scene scene;

		scene_init(&scene, random_trace(&seed), round % 2);
		assert_consistent(&scene);
		scene_release(&scene);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_region_of_many_kernels_is_no_operator),
		cmocka_unit_test(the_time_of_the_longest_kernel_is_summed_by_name),
		cmocka_unit_test(the_kernels_of_one_run_of_an_operator_are_one_call),
		cmocka_unit_test(the_smallest_grid_and_block_of_another_kernel_are_kept),
		cmocka_unit_test(kernels_of_a_graph_are_calls_of_their_own),
		cmocka_unit_test(stages_shapes_and_devices_are_told_apart),
		cmocka_unit_test(an_operator_on_two_devices_is_a_call_on_each),
		cmocka_unit_test(an_operator_that_computes_at_all_is_computation),
		cmocka_unit_test(ten_thousand_kernels_become_a_bounded_number_of_groups),
		cmocka_unit_test(hostile_durations_do_not_overflow),
		cmocka_unit_test(random_groups_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
