/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators of graphs, taken over from the same kernels launched op by op. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/graph_captures.h"
#include "engine/base/arena.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/scene.h"

#define OPS     10
#define KERNELS 11 /* one operator has two */
#define SPLIT   4  /* that one */

static const char *const program[OPS] = {
	"aten::embedding", "aten::rms_norm", "aten::mm",   "aten::sdpa", "aten::mm",
	"aten::add",       "aten::rms_norm", "aten::silu", "aten::mul",  "aten::argmax"};

/* A trace that is written from left to right. */
struct script {
	struct make_trace *make;
	int64_t at_ns;
	uint64_t correlation;
	int64_t kernel_ns;  /* of each kernel to come */
	const char *odd_op; /* in place of operator 3; NULL: none */
};

static struct script script_new(void)
{
	return (struct script){make_trace_new(), 1000, 1, 1000, NULL};
}

static void add_kernel(struct script *script, size_t op, size_t part, uint32_t blocks)
{
	char name[32];

	snprintf(name, sizeof name, "k%zu_%zu", op, part);
	script->at_ns += 100;
	make_device(script->make,
	            &(struct make_device_row){.name = name,
	                                      .start_ns = script->at_ns,
	                                      .end_ns = script->at_ns + script->kernel_ns,
	                                      .bytes = -1,
	                                      .correlation = script->correlation,
	                                      .blocks = blocks,
	                                      .threads_per_block = 128});
	script->at_ns += script->kernel_ns;
}

static void run_op_by_op(struct script *script)
{
	for (size_t op = 0; op < OPS; op++) {
		const char *name = op == 3 && script->odd_op ? script->odd_op : program[op];

		make_host(script->make, WEIR_HOST_OP, 0, name, script->at_ns, script->at_ns + 50);
		for (size_t part = 0; part <= (op == SPLIT); part++) {
			script->correlation++;
			make_call(script->make, 0, "cudaLaunchKernel",
			          script->at_ns + 10 - (part ? script->kernel_ns + 90 : 0),
			          script->at_ns + 15 - (part ? script->kernel_ns + 90 : 0),
			          script->correlation);
			add_kernel(script, op, part, 8);
		}
	}
}

/* Its call: false leaves it out, as where the profiler began behind it. */
static void add_replay(struct script *script, size_t times, size_t odd, bool call)
{
	size_t position = 0;

	script->correlation++;
	if (call)
		make_call(script->make, 0, "cudaGraphLaunch", script->at_ns, script->at_ns + 5,
		          script->correlation);
	for (size_t t = 0; t < times; t++)
		for (size_t op = 0; op < OPS; op++)
			for (size_t part = 0; part <= (op == SPLIT); part++)
				add_kernel(script, op, part, position++ == odd ? 9 : 8);
}

/* The whole program `times` over in one replay; the kernel at position `odd` has another grid. */
static void replay(struct script *script, size_t times, size_t odd)
{
	add_replay(script, times, odd, true);
}

#define NO_ODD SIZE_MAX

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
		for (size_t part = 0; part <= (op % OPS == SPLIT) && position < count; part++) {
			const struct weir_graph_op *found = &stage->ops[position++];

			assert_int_not_equal(found->op_row, WEIR_NONE);
			assert_string_equal(
				weir_timeline_host_name(&source->scene.timeline, found->op_row),
				program[op % OPS]);
			assert_true(found->shaped);
			assert_int_equal(found->part, part);
			assert_int_equal(found->parts, op % OPS == SPLIT ? 2 : 1);
			assert_near(found->mean_ns, 1000, 0);
		}
}

static void a_whole_body_is_found_where_it_ran_op_by_op(void **state)
{
	struct script script = script_new();
	struct stage stage;

	(void)state;
	run_op_by_op(&script);
	run_op_by_op(&script);
	replay(&script, 1, NO_ODD);
	replay(&script, 1, NO_ODD);
	stage_init(&stage, &script, NULL);
	assert_int_equal(stage.graphs.body_count, 1);
	assert_int_equal(stage.found, KERNELS);
	assert_program(&stage, &stage, KERNELS);
	stage_release(&stage);
}

static void a_kernel_with_another_grid_is_another_kernel(void **state)
{
	struct script script = script_new();
	struct stage stage;

	(void)state;
	run_op_by_op(&script);
	run_op_by_op(&script);
	replay(&script, 2, 20);
	stage_init(&stage, &script, NULL);
	assert_int_equal(stage.found, 20); /* what is left behind it is too short */
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
	run_op_by_op(&there);
	replay(&here, 1, NO_ODD);
	stage_init(&source, &there, NULL);
	stage_init(&stage, &here, &source);
	assert_int_equal(stage.found, KERNELS);
	assert_program(&stage, &source, KERNELS);
	stage_release(&stage);
	stage_release(&source);
}

static void a_replay_is_no_source(void **state)
{
	struct script script = script_new();
	struct stage stage;

	(void)state;
	make_host(script.make, WEIR_HOST_OP, 0, "compiled", script.at_ns, script.at_ns + 50000);
	replay(&script, 1, NO_ODD);
	replay(&script, 1, NO_ODD);
	stage_init(&stage, &script, NULL);
	assert_int_equal(stage.found, 0);
	stage_release(&stage);
}

/* Work without a call and an operator may be a replay as well: it says nothing. */
static void work_of_unknown_origin_is_no_source(void **state)
{
	struct script script = script_new();
	struct stage stage;

	(void)state;
	add_replay(&script, 1, NO_ODD, false);
	run_op_by_op(&script);
	replay(&script, 1, NO_ODD);
	stage_init(&stage, &script, NULL);
	assert_int_equal(stage.graphs.bodies[0].replay_count, 2);
	assert_int_equal(stage.found, KERNELS);
	stage_release(&stage);
}

/* What it does is then not that of the kernels that are found. */
static void an_operator_with_work_elsewhere_has_no_parts(void **state)
{
	struct script script = script_new();
	struct stage stage;

	(void)state;
	/* Inside the first operator, which run_op_by_op() begins here. */
	make_call(script.make, 0, "cudaLaunchKernel", script.at_ns + 20, script.at_ns + 25, 9999);
	make_device(script.make, &(struct make_device_row){.name = "side",
	                                                   .stream = 1,
	                                                   .start_ns = script.at_ns,
	                                                   .end_ns = script.at_ns + 9,
	                                                   .correlation = 9999});
	run_op_by_op(&script);
	replay(&script, 1, NO_ODD);
	stage_init(&stage, &script, NULL);
	assert_int_equal(stage.found, KERNELS);
	assert_int_equal(stage.ops[0].parts, 0);
	assert_int_equal(stage.ops[1].parts, 1);
	stage_release(&stage);
}

static void what_is_not_always_the_same_operator_is_unknown(void **state)
{
	struct script script = script_new();
	struct stage stage;

	(void)state;
	run_op_by_op(&script);
	script.odd_op = "aten::other";
	run_op_by_op(&script);
	replay(&script, 1, NO_ODD);
	stage_init(&stage, &script, NULL);
	assert_int_equal(stage.found, KERNELS - 1);
	assert_int_equal(stage.ops[3].op_row, WEIR_NONE);
	assert_false(stage.ops[3].shaped);
	stage_release(&stage);
}

/* Gives the runs of operators in order of time the rows that `shape_of` says. */
static void give_shapes(struct weir_trace *trace, const char *const *dims, size_t count,
                        const uint32_t *shape_of, size_t runs)
{
	size_t run = 0;

	trace->shapes =
		weir_grow(trace->shapes, &trace->shape_capacity, count + 1, sizeof *trace->shapes);
	for (size_t i = 0; i < count; i++)
		trace->shapes[i + 1] = (struct weir_shape){
			.dims = weir_names_add(trace->names, dims[i], strlen(dims[i])),
			.types = weir_names_add(trace->names,
		                                "[\"c10::BFloat16\",\"c10::BFloat16\"]", 35),
		};
	trace->shape_count = count + 1;
	for (size_t i = 0; i < trace->host.count; i++)
		if (trace->host.kind[i] == WEIR_HOST_OP)
			trace->host.shape[i] = shape_of[run++ % runs];
}

static const char *const product[] = {"[[8,2048],[2048,6144]]", "[[8,4096],[4096,6144]]"};

static void a_shape_that_is_not_always_the_same_is_unknown(void **state)
{
	static const uint32_t shape_of[2 * OPS] = {[2] = 1, [OPS + 2] = 2, [4] = 1, [OPS + 4] = 1};
	struct script script = script_new();
	struct stage stage;

	(void)state;
	run_op_by_op(&script);
	run_op_by_op(&script);
	replay(&script, 1, NO_ODD);
	scene_init(&stage.scene, make_trace_finish(script.make), true);
	give_shapes(stage.scene.trace, product, 2, shape_of, sizeof shape_of / sizeof *shape_of);
	weir_graphs_init(&stage.graphs, &stage.scene.timeline, &stage.scene.groups);
	stage.ops = weir_alloc(KERNELS * sizeof *stage.ops);
	assert_int_equal(weir_graph_captures_find(&stage.scene.timeline, &stage.graphs,
	                                          &stage.scene.timeline, stage.ops),
	                 KERNELS);
	assert_false(stage.ops[2].shaped);
	assert_true(stage.ops[4].shaped);
	stage_release(&stage);
}

static void a_few_kernels_in_a_row_are_not_looked_for(void **state)
{
	struct script script = script_new();
	struct stage stage;

	(void)state;
	run_op_by_op(&script);
	script.correlation++;
	make_call(script.make, 0, "cudaGraphLaunch", script.at_ns, script.at_ns + 5,
	          script.correlation);
	for (size_t op = 0; op < WEIR_CAPTURE_LEAST - 1; op++)
		add_kernel(&script, op, 0, 8);
	stage_init(&stage, &script, NULL);
	assert_int_equal(stage.graphs.bodies[0].nodes, WEIR_CAPTURE_LEAST - 1);
	assert_int_equal(stage.found, 0);
	stage_release(&stage);
}

/* ---- work ---- */

struct desk {
	struct weir_profile *profile;
	struct weir_analysis *analysis;
	struct weir_report *report;
};

/* The same trace as `ranks` inputs. */
static void desk_open_ranks(struct desk *desk, const struct script *scripts, size_t ranks)
{
	static const uint32_t shape_of[OPS] = {[2] = 1, [SPLIT] = 2};
	struct weir_analysis_options options = {
		.steady = true, .percentile = 0.95, .device_name = "NVIDIA H200"};
	struct weir_error err;

	desk->profile = weir_profile_new();
	for (size_t r = 0; r < ranks; r++) {
		struct weir_trace *trace = make_trace_finish(scripts[r].make);

		give_shapes(trace, product, 2, shape_of, OPS);
		weir_profile_add_input(desk->profile, r ? "another" : "trace")->trace = trace;
	}
	assert_int_equal(weir_analysis_new(desk->profile, &options, &desk->analysis, &err),
	                 WEIR_OK);
	desk->report = weir_report_new(desk->profile);
	weir_analysis_report(desk->analysis, desk->report);
}

static void desk_open(struct desk *desk, const struct script *script)
{
	desk_open_ranks(desk, script, 1);
}

static void desk_close(struct desk *desk)
{
	weir_report_free(desk->report);
	weir_analysis_free(desk->analysis);
	weir_profile_free(desk->profile);
}

static const struct weir_operator_row *row_of(const struct desk *desk, const char *name)
{
	for (size_t i = 0; i < desk->report->operator_count; i++)
		if (strcmp(desk->report->operators[i].name, name) == 0)
			return &desk->report->operators[i];
	fail_msg("no row %s", name);
	return NULL;
}

/* 2 M N K */
#define FLOPS_2     (2.0 * 8 * 2048 * 6144)
#define FLOPS_SPLIT (2.0 * 8 * 4096 * 6144)

static void the_work_of_an_operator_is_split_by_time_and_all_there(void **state)
{
	struct script script = script_new();
	const struct weir_graph_position *positions;
	struct desk desk;

	(void)state;
	script.kernel_ns = 20000;
	run_op_by_op(&script);
	replay(&script, 1, NO_ODD);
	replay(&script, 1, NO_ODD);
	desk_open(&desk, &script);
	assert_int_equal(desk.report->graph_count, 1);
	assert_int_equal(desk.report->graphs[0].matched, KERNELS);
	assert_int_equal(desk.report->graphs[0].confidence, WEIR_CONFIDENCE_HIGH);
	assert_string_equal(desk.report->graphs[0].source, "trace");
	positions = desk.report->graphs[0].positions;
	assert_string_equal(positions[SPLIT + 1].op, "aten::mm");
	assert_near(positions[2].flops, FLOPS_2, 1e-12);
	assert_near(positions[SPLIT].flops + positions[SPLIT + 1].flops, FLOPS_SPLIT, 1e-12);
	assert_near(positions[SPLIT].gbps, positions[SPLIT + 1].gbps, 0);
	assert_near(positions[SPLIT].tflops, FLOPS_SPLIT / 40000 / 1e3, 1e-12);
	assert_near(positions[3].flops, NAN, 0);
	assert_near(row_of(&desk, "k2_0")->flops, FLOPS_2, 1e-12);
	assert_near(row_of(&desk, "k4_1")->flops, FLOPS_SPLIT / 2, 1e-12);
	desk_close(&desk);
}

/* The product at position 13 has another grid than op by op. */
static void a_row_of_which_a_part_is_unknown_is_unknown(void **state)
{
	struct script script = script_new();
	struct desk desk;

	(void)state;
	script.kernel_ns = 20000;
	run_op_by_op(&script);
	run_op_by_op(&script);
	replay(&script, 2, KERNELS + 2);
	desk_open(&desk, &script);
	assert_int_equal(desk.report->graphs[0].matched, 2 * KERNELS - 1);
	assert_int_equal(desk.report->graphs[0].confidence, WEIR_CONFIDENCE_MEDIUM);
	assert_near(desk.report->graphs[0].positions[2].flops, FLOPS_2, 1e-12);
	assert_near(row_of(&desk, "k2_0")->flops, NAN, 0);
	assert_near(row_of(&desk, "k4_0")->flops, FLOPS_SPLIT / 2, 1e-12);
	desk_close(&desk);
}

static void other_work_in_the_same_grid_has_no_shape(void **state)
{
	struct script script = script_new();
	struct desk desk;

	(void)state;
	script.kernel_ns = 20000;
	run_op_by_op(&script);
	script.kernel_ns = 50000;
	replay(&script, 1, NO_ODD);
	desk_open(&desk, &script);
	assert_string_equal(desk.report->graphs[0].positions[2].op, "aten::mm");
	assert_near(desk.report->graphs[0].positions[2].flops, NAN, 0);
	assert_near(row_of(&desk, "k2_0")->flops, NAN, 0);
	desk_close(&desk);
}

/* 25 MB in 1 us */
static void more_than_the_device_can_do_is_said_and_not_used(void **state)
{
	struct script script = script_new();
	struct desk desk;

	(void)state;
	run_op_by_op(&script);
	replay(&script, 1, NO_ODD);
	desk_open(&desk, &script);
	assert_int_equal(desk.report->graphs[0].positions[SPLIT].roofline,
	                 WEIR_ROOFLINE_IMPLAUSIBLE);
	assert_near(desk.report->graphs[0].positions[SPLIT].bytes, NAN, 0);
	assert_near(row_of(&desk, "k4_0")->bytes, NAN, 0);
	desk_close(&desk);
}

/* ---- figures of replays ---- */

static void a_gap_far_beyond_the_others_is_unrecorded_time(void **state)
{
	struct script script = script_new();
	struct desk desk;
	const struct weir_graph_row *graph;

	(void)state;
	for (int i = 0; i < 3; i++) {
		replay(&script, 1, NO_ODD);
		script.at_ns += 40000;
		add_kernel(&script, 0, 7, 8); /* of the same replay */
		script.at_ns += 1000;
	}
	desk_open(&desk, &script);
	graph = &desk.report->graphs[0];
	assert_int_equal(graph->nodes, KERNELS + 1);
	assert_near(graph->gap_p50_ns, 100, 0);
	assert_near(graph->unrecorded_ns, 40100, 0);
	assert_int_equal(graph->widest, KERNELS);
	assert_near(graph->span.p50_ns, 12 * 1000 + 11 * 100 + 40000, 0);
	assert_near(graph->idle.p50_ns, 11 * 100 + 40000, 0);
	assert_near(graph->busy.p50_ns, 12 * 1000, 0);
	assert_near(graph->positions[3].offset_ns, 3 * 1100, 0);
	assert_near(graph->positions[3].share, 1.0 / 12, 1e-12);
	assert_string_equal(desk.report->notes[0].code, "graph_unrecorded");
	desk_close(&desk);
}

static void even_gaps_hide_nothing(void **state)
{
	struct script script = script_new();
	struct desk desk;

	(void)state;
	replay(&script, 1, NO_ODD);
	desk_open(&desk, &script);
	assert_near(desk.report->graphs[0].unrecorded_ns, 0, 0);
	desk_close(&desk);
}

static void shares_of_graphs_are_the_graph_share(void **state)
{
	struct script script = script_new();
	struct desk desk;

	(void)state;
	run_op_by_op(&script);
	replay(&script, 1, NO_ODD);
	replay(&script, 2, NO_ODD);
	desk_open(&desk, &script);
	assert_int_equal(desk.report->graph_count, 2);
	assert_int_equal(desk.report->graphs[0].nodes, 2 * KERNELS);
	assert_near(desk.report->graphs[0].share + desk.report->graphs[1].share,
	            desk.report->gpu.graph_share, 1e-12);
	desk_close(&desk);
}

/* Ranks are analysed on several threads: what one says does not depend on how many there are. */
static void ranks_with_one_body_are_one_graph(void **state)
{
	struct script scripts[4];
	struct desk alone, together;
	const struct weir_graph_row *one, *all;

	(void)state;
	for (size_t r = 0; r < 4; r++) {
		scripts[r] = script_new();
		scripts[r].kernel_ns = 20000;
		run_op_by_op(&scripts[r]);
		replay(&scripts[r], 1, NO_ODD);
		replay(&scripts[r], 2, NO_ODD);
	}
	desk_open(&alone, &scripts[0]);
	scripts[0] = script_new();
	scripts[0].kernel_ns = 20000;
	run_op_by_op(&scripts[0]);
	replay(&scripts[0], 1, NO_ODD);
	replay(&scripts[0], 2, NO_ODD);
	desk_open_ranks(&together, scripts, 4);
	assert_int_equal(together.report->graph_count, alone.report->graph_count);
	for (size_t g = 0; g < alone.report->graph_count; g++) {
		one = &alone.report->graphs[g];
		all = &together.report->graphs[g];
		assert_string_equal(one->signature, all->signature);
		assert_int_equal(all->replays, 4 * one->replays);
		assert_int_equal(all->matched, one->matched);
		assert_near(all->share, one->share, 1e-12);
		for (size_t p = 0; p < one->position_count; p++) {
			assert_string_equal(all->positions[p].op, one->positions[p].op);
			assert_near(all->positions[p].flops, one->positions[p].flops, 0);
			assert_near(all->positions[p].duration.p50_ns,
			            one->positions[p].duration.p50_ns, 0);
		}
	}
	desk_close(&alone);
	desk_close(&together);
}

static void operators_of_another_input_name_it(void **state)
{
	struct script scripts[2] = {script_new(), script_new()};
	struct desk desk;

	(void)state;
	scripts[0].kernel_ns = scripts[1].kernel_ns = 20000;
	replay(&scripts[0], 1, NO_ODD);
	run_op_by_op(&scripts[1]);
	desk_open_ranks(&desk, scripts, 2);
	assert_string_equal(desk.report->graphs[0].source, "another");
	assert_int_equal(desk.report->graphs[0].matched, KERNELS);
	assert_int_equal(desk.report->graphs[0].confidence, WEIR_CONFIDENCE_MEDIUM);
	assert_near(desk.report->graphs[0].positions[2].flops, FLOPS_2, 1e-12);
	desk_close(&desk);
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
		cmocka_unit_test(the_work_of_an_operator_is_split_by_time_and_all_there),
		cmocka_unit_test(a_row_of_which_a_part_is_unknown_is_unknown),
		cmocka_unit_test(other_work_in_the_same_grid_has_no_shape),
		cmocka_unit_test(more_than_the_device_can_do_is_said_and_not_used),
		cmocka_unit_test(a_gap_far_beyond_the_others_is_unrecorded_time),
		cmocka_unit_test(even_gaps_hide_nothing),
		cmocka_unit_test(shares_of_graphs_are_the_graph_share),
		cmocka_unit_test(ranks_with_one_body_are_one_graph),
		cmocka_unit_test(operators_of_another_input_name_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
