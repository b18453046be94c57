/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels, shapes and call sites of an operator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/rows/operator_parts.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

struct work {
	struct weir_trace *trace;
	struct weir_device_table table;
	struct weir_rank rank;
	struct weir_arena *arena;
	struct weir_operator_row row;
};

/* Adds a call of aten::mm in a line of the program, with a kernel of 3 us and `extra` of 1 us. */
static void add_call(struct make_trace *make, int64_t at_ns, const char *frame, const char *kernel,
                     int64_t extra)
{
	uint64_t id = (uint64_t)at_ns;

	make_host(make, WEIR_HOST_PYTHON, 0, frame, at_ns, at_ns + 9000);
	make_host(make, WEIR_HOST_PYTHON, 0, "torch/nn/modules/linear.py(125): forward", at_ns + 1,
	          at_ns + 8999);
	make_host(make, WEIR_HOST_PYTHON, 0, "<built-in function linear>", at_ns + 2, at_ns + 8998);
	make_host(make, WEIR_HOST_OP, 0, "aten::mm", at_ns + 3, at_ns + 8997);
	for (int64_t i = 0; i <= extra; i++) {
		make_call(make, 0, "cudaLaunchKernel", at_ns + 10 + i * 10, at_ns + 15 + i * 10,
		          id + (uint64_t)i);
		make_kernel(make, 7, i == 0 ? kernel : "reduce", at_ns + 1000 + i * 3000,
		            at_ns + (i == 0 ? 4000 : 2000 + i * 3000), id + (uint64_t)i);
	}
}

/* Makes three steps of 100 us with three calls each, the first of which has a second kernel. */
static struct weir_trace *make_steps(void)
{
	struct make_trace *make = make_trace_new();

	for (int64_t step = 0; step < 3; step++) {
		int64_t at_ns = 100000 * (step + 1);

		make_host(make, WEIR_HOST_ANNOTATION, 0, step ? "ProfilerStep#2" : "ProfilerStep#1",
		          at_ns, at_ns + 100000);
		add_call(make, at_ns + 10000, "model.py(12): block", "gemm", 1);
		add_call(make, at_ns + 30000, "model.py(12): block", "gemm", 0);
		add_call(make, at_ns + 50000, "/home/me/model.py(40): head", "gemm_wide", 0);
	}
	return make_trace_finish(make);
}

static void work_init(struct work *work, struct weir_trace *trace)
{
	*work = (struct work){.trace = trace, .arena = weir_arena_new()};
	weir_rank_init(&work->rank, trace,
	               &(struct weir_rank_options){.steady = false, .table = &work->table});
}

static void work_fill(struct work *work, const struct weir_median_step *median)
{
	struct weir_row_group groups[8];

	assert_in_range(work->rank.groups.count, 1, 8);
	for (uint32_t g = 0; g < work->rank.groups.count; g++)
		groups[g] = (struct weir_row_group){&work->rank, g};
	weir_operator_parts_fill(&work->row, groups, work->rank.groups.count, median, work->arena);
}

static void work_release(struct work *work)
{
	weir_rank_release(&work->rank);
	weir_trace_free(work->trace);
	weir_arena_free(work->arena);
}

static void kernels_hold_all_of_the_time(void **state)
{
	static const struct weir_median_step none = {0};
	struct work work;

	(void)state;
	work_init(&work, make_steps());
	work_fill(&work, &none);
	assert_int_equal(work.row.kernel_count, 3);
	assert_int_equal(work.row.all_kernels, 3);
	assert_string_equal(work.row.kernels[0].name, "gemm");
	assert_int_equal(work.row.kernels[0].count, 6);
	assert_near(work.row.kernels[0].total_ns, 18000, 0);
	assert_string_equal(work.row.kernels[1].name, "gemm_wide");
	assert_near(work.row.kernels[1].total_ns, 9000, 0);
	assert_string_equal(work.row.kernels[2].name, "reduce");
	assert_int_equal(work.row.kernels[2].count, 3);
	assert_near(work.row.kernels[2].total_ns, 3000, 0);
	assert_int_equal(work.row.site_count, 0); /* there is no median step */
	assert_int_equal(work.row.shape_count, 0);
	work_release(&work);
}

static void call_sites_are_lines_of_the_program_in_the_median_step(void **state)
{
	struct weir_median_call calls[3];
	struct weir_median_step median = {.step = 1, .calls = calls};
	struct work work;

	(void)state;
	work_init(&work, make_steps());
	median.rank = &work.rank;
	for (uint32_t c = 0; c < work.rank.groups.call_count; c++)
		if (work.rank.groups.calls[c].step == 1)
			calls[median.call_count++] =
				(struct weir_median_call){work.rank.groups.calls[c].group, c,
			                                  work.rank.groups.calls[c].op_row};
	assert_int_equal(median.call_count, 3);
	work_fill(&work, &median);
	assert_int_equal(work.row.site_count, 2);
	assert_string_equal(work.row.sites[0].frame, "model.py(12): block");
	assert_int_equal(work.row.sites[0].count, 2);
	assert_near(work.row.sites[0].step_ns, 7000, 0);
	assert_string_equal(work.row.sites[1].frame, "model.py(40): head");
	assert_int_equal(work.row.sites[1].count, 1);
	work_release(&work);
}

/* Gives the calls of aten::mm shapes in turn; with two more than a row lists. */
static void only_the_largest_parts_are_listed(void **state)
{
	static const struct weir_median_step none = {0};
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct work work;

	(void)state;
	for (int64_t i = 0; i < WEIR_MAX_OPERATOR_PARTS + 2; i++) {
		make_host(make, WEIR_HOST_OP, 0, "aten::mm", 10000 * i, 10000 * i + 9000);
		make_call(make, 0, "cudaLaunchKernel", 10000 * i + 1, 10000 * i + 2,
		          (uint64_t)i + 9);
		make_kernel(make, 7, "gemm", 10000 * i + 100, 10000 * i + 200 + i, (uint64_t)i + 9);
	}
	trace = make_trace_finish(make);
	trace->shapes = weir_grow(trace->shapes, &trace->shape_capacity,
	                          WEIR_MAX_OPERATOR_PARTS + 3, sizeof *trace->shapes);
	trace->shape_count = WEIR_MAX_OPERATOR_PARTS + 3;
	for (size_t i = 0; i < trace->shape_count; i++)
		trace->shapes[i] = (struct weir_shape){0};
	for (uint32_t i = 0, op = 0; i < trace->host.count; i++) {
		char dims[32];
		int length = snprintf(dims, sizeof dims, "[[%u]]", op + 1);

		if (trace->host.kind[i] != WEIR_HOST_OP)
			continue;
		trace->host.shape[i] = ++op;
		trace->shapes[op].dims = weir_names_add(trace->names, dims, (size_t)length);
	}
	work_init(&work, trace);
	work_fill(&work, &none);
	assert_int_equal(work.row.all_shapes, WEIR_MAX_OPERATOR_PARTS + 2);
	assert_int_equal(work.row.shape_count, WEIR_MAX_OPERATOR_PARTS);
	assert_string_equal(work.row.shapes[0].dims, "[[7]]");
	assert_near(work.row.shapes[0].total_ns, 106, 0);
	assert_null(work.row.shapes[0].types);
	assert_string_equal(work.row.shapes[WEIR_MAX_OPERATOR_PARTS - 1].dims, "[[3]]");
	work_release(&work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_hold_all_of_the_time),
		cmocka_unit_test(call_sites_are_lines_of_the_program_in_the_median_step),
		cmocka_unit_test(only_the_largest_parts_are_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
