/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators of graphs, taken from the same kernels launched op by op. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/graphs/graph_captures.h"
#include "engine/base/arena.h"
#include "tests/unit/graph_script.h"
#include "tests/unit/near.h"
#include "tests/unit/scene.h"

struct stage {
	struct scene scene;
	struct weir_graphs graphs;
	struct weir_graph_op *ops;
	size_t found;
};

/* source: NULL: the same. */
static void stage_init(struct stage *stage, struct script *script, const struct stage *source)
{
	scene_init(&stage->scene, make_trace_finish(script->make), true);
	weir_graphs_init(&stage->graphs, &stage->scene.timeline, &stage->scene.groups);
	stage->ops = weir_alloc((stage->graphs.position_count + 1) * sizeof *stage->ops);
	stage->found = weir_graph_captures_find(
		&stage->scene.timeline, &stage->graphs,
		source ? &source->scene.timeline : &stage->scene.timeline, stage->ops);
}

static void stage_release(struct stage *stage)
{
	free(stage->ops);
	weir_graphs_release(&stage->graphs);
	scene_release(&stage->scene);
}

static void assert_program(const struct stage *stage, const struct stage *source, size_t count)
{
	size_t position = 0;

	for (size_t op = 0; position < count; op++)
		for (size_t part = 0; part <= (op % SCRIPT_OPS == SCRIPT_SPLIT) && position < count;
		     part++) {
			const struct weir_graph_op *found = &stage->ops[position++];

			assert_int_not_equal(found->op_row, WEIR_NONE);
			assert_string_equal(
				weir_timeline_host_name(&source->scene.timeline, found->op_row),
				script_program[op % SCRIPT_OPS]);
			assert_true(found->shaped);
			assert_int_equal(found->part, part);
			assert_int_equal(found->parts, op % SCRIPT_OPS == SCRIPT_SPLIT ? 2 : 1);
			assert_near(found->mean_ns, 1000, 0);
		}
}

static void a_whole_body_is_found_where_it_ran_op_by_op(void **state)
{
	struct script script = script_new();
	struct stage stage;

	(void)state;
	script_run_op_by_op(&script);
	script_run_op_by_op(&script);
	script_replay(&script, 1, SCRIPT_NO_ODD);
	script_replay(&script, 1, SCRIPT_NO_ODD);
	stage_init(&stage, &script, NULL);
	assert_int_equal(stage.graphs.body_count, 1);
	assert_int_equal(stage.found, SCRIPT_KERNELS);
	assert_program(&stage, &stage, SCRIPT_KERNELS);
	stage_release(&stage);
}

static void a_kernel_with_another_grid_is_another_kernel(void **state)
{
	struct script script = script_new();
	struct stage stage;

	(void)state;
	script_run_op_by_op(&script);
	script_run_op_by_op(&script);
	script_replay(&script, 2, 20);
	stage_init(&stage, &script, NULL);
	assert_int_equal(stage.found, 20); /* the rest is too short */
	assert_program(&stage, &stage, 20);
	assert_int_equal(stage.ops[20].op_row, WEIR_NONE);
	assert_int_equal(stage.ops[21].op_row, WEIR_NONE);
	stage_release(&stage);
}

static void operators_come_from_another_input_by_the_texts_of_names(void **state)
{
	struct script there = script_new(), here = script_new();
	struct stage source, stage;

	(void)state;
	make_kernel(there.make, 0, "another", 0, 10, 0); /* ids of names differ */
	script_run_op_by_op(&there);
	script_replay(&here, 1, SCRIPT_NO_ODD);
	stage_init(&source, &there, NULL);
	stage_init(&stage, &here, &source);
	assert_int_equal(stage.found, SCRIPT_KERNELS);
	assert_program(&stage, &source, SCRIPT_KERNELS);
	stage_release(&stage);
	stage_release(&source);
}

static void a_replay_is_no_source(void **state)
{
	struct script script = script_new();
	struct stage stage;

	(void)state;
	make_host(script.make, WEIR_HOST_OP, 0, "compiled", script.at_ns, script.at_ns + 50000);
	script_replay(&script, 1, SCRIPT_NO_ODD);
	script_replay(&script, 1, SCRIPT_NO_ODD);
	stage_init(&stage, &script, NULL);
	assert_int_equal(stage.found, 0);
	stage_release(&stage);
}

/* Work without a call and an operator may be a replay as well; it decides nothing. */
static void work_of_unknown_origin_is_no_source(void **state)
{
	struct script script = script_new();
	struct stage stage;

	(void)state;
	script_add_replay(&script, 1, SCRIPT_NO_ODD, false);
	script_run_op_by_op(&script);
	script_replay(&script, 1, SCRIPT_NO_ODD);
	stage_init(&stage, &script, NULL);
	assert_int_equal(stage.graphs.bodies[0].replay_count, 2);
	assert_int_equal(stage.found, SCRIPT_KERNELS);
	stage_release(&stage);
}

/* Its work is then not the work of the matched kernels. */
static void an_operator_with_work_elsewhere_has_no_parts(void **state)
{
	struct script script = script_new();
	struct stage stage;

	(void)state;
	/* Calls inside the first operator, which script_run_op_by_op() begins here. */
	make_call(script.make, 0, "cudaLaunchKernel", script.at_ns + 20, script.at_ns + 25, 9999);
	make_device(script.make, &(struct make_device_row){.name = "side",
	                                                   .stream = 1,
	                                                   .start_ns = script.at_ns,
	                                                   .end_ns = script.at_ns + 9,
	                                                   .correlation = 9999});
	script_run_op_by_op(&script);
	script_replay(&script, 1, SCRIPT_NO_ODD);
	stage_init(&stage, &script, NULL);
	assert_int_equal(stage.found, SCRIPT_KERNELS);
	assert_int_equal(stage.ops[0].parts, 0);
	assert_int_equal(stage.ops[1].parts, 1);
	stage_release(&stage);
}

static void what_is_not_always_the_same_operator_is_unknown(void **state)
{
	struct script script = script_new();
	struct stage stage;

	(void)state;
	script_run_op_by_op(&script);
	script.odd_op = "aten::other";
	script_run_op_by_op(&script);
	script_replay(&script, 1, SCRIPT_NO_ODD);
	stage_init(&stage, &script, NULL);
	assert_int_equal(stage.found, SCRIPT_KERNELS - 1);
	assert_int_equal(stage.ops[3].op_row, WEIR_NONE);
	assert_false(stage.ops[3].shaped);
	stage_release(&stage);
}

static void a_shape_that_is_not_always_the_same_is_unknown(void **state)
{
	static const uint32_t shape_of[2 * SCRIPT_OPS] = {
		[2] = 1, [SCRIPT_OPS + 2] = 2, [4] = 1, [SCRIPT_OPS + 4] = 1};
	struct script script = script_new();
	struct stage stage;

	(void)state;
	script_run_op_by_op(&script);
	script_run_op_by_op(&script);
	script_replay(&script, 1, SCRIPT_NO_ODD);
	scene_init(&stage.scene, make_trace_finish(script.make), true);
	script_give_shapes(stage.scene.trace, script_products, 2, shape_of,
	                   sizeof shape_of / sizeof *shape_of);
	weir_graphs_init(&stage.graphs, &stage.scene.timeline, &stage.scene.groups);
	stage.ops = weir_alloc(SCRIPT_KERNELS * sizeof *stage.ops);
	assert_int_equal(weir_graph_captures_find(&stage.scene.timeline, &stage.graphs,
	                                          &stage.scene.timeline, stage.ops),
	                 SCRIPT_KERNELS);
	assert_false(stage.ops[2].shaped);
	assert_int_equal(stage.ops[2].parts, 0);
	assert_true(stage.ops[4].shaped);
	stage_release(&stage);
}

static void a_few_kernels_in_a_row_are_not_looked_for(void **state)
{
	struct script script = script_new();
	struct stage stage;

	(void)state;
	script_run_op_by_op(&script);
	script.correlation++;
	make_call(script.make, 0, "cudaGraphLaunch", script.at_ns, script.at_ns + 5,
	          script.correlation);
	for (size_t op = 0; op < WEIR_CAPTURE_LEAST - 1; op++)
		script_add_kernel(&script, op, 0, 8);
	stage_init(&stage, &script, NULL);
	assert_int_equal(stage.graphs.bodies[0].nodes, WEIR_CAPTURE_LEAST - 1);
	assert_int_equal(stage.found, 0);
	stage_release(&stage);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_body_is_found_where_it_ran_op_by_op),
		cmocka_unit_test(a_kernel_with_another_grid_is_another_kernel),
		cmocka_unit_test(operators_come_from_another_input_by_the_texts_of_names),
		cmocka_unit_test(a_replay_is_no_source),
		cmocka_unit_test(work_of_unknown_origin_is_no_source),
		cmocka_unit_test(an_operator_with_work_elsewhere_has_no_parts),
		cmocka_unit_test(what_is_not_always_the_same_operator_is_unknown),
		cmocka_unit_test(a_shape_that_is_not_always_the_same_is_unknown),
		cmocka_unit_test(a_few_kernels_in_a_row_are_not_looked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
