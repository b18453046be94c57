/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a report about graphs: their replays, and the work of their positions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "tests/unit/graph_script.h"
#include "tests/unit/near.h"

struct desk {
	struct weir_profile *profile;
	struct weir_analysis *analysis;
	struct weir_report *report;
};

/* Returns a profile with the same trace `ranks` times. */
static void desk_open_ranks(struct desk *desk, const struct script *scripts, size_t ranks)
{
	static const uint32_t shape_of[SCRIPT_OPS] = {[2] = 1, [SCRIPT_SPLIT] = 2};
	struct weir_analysis_options options = {
		.steady = true, .percentile = 0.95, .device_name = "NVIDIA H200"};
	struct weir_error err;

	desk->profile = weir_profile_new();
	for (size_t r = 0; r < ranks; r++) {
		struct weir_trace *trace = make_trace_finish(scripts[r].make);

		script_give_shapes(trace, script_products, 2, shape_of, SCRIPT_OPS);
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
	script_run_op_by_op(&script);
	script_replay(&script, 1, SCRIPT_NO_ODD);
	script_replay(&script, 1, SCRIPT_NO_ODD);
	desk_open(&desk, &script);
	assert_int_equal(desk.report->graph_count, 1);
	assert_int_equal(desk.report->graphs[0].matched, SCRIPT_KERNELS);
	assert_int_equal(desk.report->graphs[0].confidence, WEIR_CONFIDENCE_HIGH);
	assert_string_equal(desk.report->graphs[0].source, "trace");
	positions = desk.report->graphs[0].positions;
	assert_string_equal(positions[SCRIPT_SPLIT + 1].op, "aten::mm");
	assert_near(positions[2].flops, FLOPS_2, 1e-12);
	assert_near(positions[SCRIPT_SPLIT].flops + positions[SCRIPT_SPLIT + 1].flops, FLOPS_SPLIT,
	            1e-12);
	assert_near(positions[SCRIPT_SPLIT].gbps, positions[SCRIPT_SPLIT + 1].gbps, 0);
	assert_near(positions[SCRIPT_SPLIT].tflops, FLOPS_SPLIT / 40000 / 1e3, 1e-12);
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
	script_run_op_by_op(&script);
	script_run_op_by_op(&script);
	script_replay(&script, 2, SCRIPT_KERNELS + 2);
	desk_open(&desk, &script);
	assert_int_equal(desk.report->graphs[0].matched, 2 * SCRIPT_KERNELS - 1);
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
	script_run_op_by_op(&script);
	script.kernel_ns = 50000;
	script_replay(&script, 1, SCRIPT_NO_ODD);
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
	script_run_op_by_op(&script);
	script_replay(&script, 1, SCRIPT_NO_ODD);
	desk_open(&desk, &script);
	assert_int_equal(desk.report->graphs[0].positions[SCRIPT_SPLIT].roofline,
	                 WEIR_ROOFLINE_IMPLAUSIBLE);
	assert_near(desk.report->graphs[0].positions[SCRIPT_SPLIT].bytes, NAN, 0);
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
		script_replay(&script, 1, SCRIPT_NO_ODD);
		script.at_ns += 40000;
		script_add_kernel(&script, 0, 7, 8); /* of the same replay */
		script.at_ns += 1000;
	}
	desk_open(&desk, &script);
	graph = &desk.report->graphs[0];
	assert_int_equal(graph->nodes, SCRIPT_KERNELS + 1);
	assert_near(graph->gap_p50_ns, 100, 0);
	assert_near(graph->unrecorded_ns, 40100, 0);
	assert_near(graph->widest, SCRIPT_KERNELS, 0);
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
	for (int i = 0; i < 3; i++)
		script_replay(&script, 1, SCRIPT_NO_ODD);
	desk_open(&desk, &script);
	assert_near(desk.report->graphs[0].unrecorded_ns, 0, 0);
	desk_close(&desk);
}

static void one_replay_does_not_tell_a_stall_from_a_loop(void **state)
{
	struct script script = script_new();
	struct desk desk;

	(void)state;
	script_replay(&script, 1, SCRIPT_NO_ODD);
	script.at_ns += 40000;
	script_add_kernel(&script, 0, 7, 8);
	desk_open(&desk, &script);
	assert_near(desk.report->graphs[0].unrecorded_ns, NAN, 0);
	desk_close(&desk);
}

static void shares_of_graphs_are_the_graph_share(void **state)
{
	struct script script = script_new();
	struct desk desk;

	(void)state;
	script_run_op_by_op(&script);
	script_replay(&script, 1, SCRIPT_NO_ODD);
	script_replay(&script, 2, SCRIPT_NO_ODD);
	desk_open(&desk, &script);
	assert_int_equal(desk.report->graph_count, 2);
	assert_int_equal(desk.report->graphs[0].nodes, 2 * SCRIPT_KERNELS);
	assert_near(desk.report->graphs[0].share + desk.report->graphs[1].share,
	            desk.report->gpu.graph_share, 1e-12);
	desk_close(&desk);
}

/* Ranks are analysed on several threads: the report does not depend on the number of threads. */
static void ranks_with_one_body_are_one_graph(void **state)
{
	struct script scripts[4];
	struct desk alone, together;
	const struct weir_graph_row *one, *all;

	(void)state;
	for (size_t r = 0; r < 4; r++) {
		scripts[r] = script_new();
		scripts[r].kernel_ns = 20000;
		script_run_op_by_op(&scripts[r]);
		script_replay(&scripts[r], 1, SCRIPT_NO_ODD);
		script_replay(&scripts[r], 2, SCRIPT_NO_ODD);
	}
	desk_open(&alone, &scripts[0]);
	scripts[0] = script_new();
	scripts[0].kernel_ns = 20000;
	script_run_op_by_op(&scripts[0]);
	script_replay(&scripts[0], 1, SCRIPT_NO_ODD);
	script_replay(&scripts[0], 2, SCRIPT_NO_ODD);
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
	script_replay(&scripts[0], 1, SCRIPT_NO_ODD);
	script_run_op_by_op(&scripts[1]);
	desk_open_ranks(&desk, scripts, 2);
	assert_string_equal(desk.report->graphs[0].source, "another");
	assert_int_equal(desk.report->graphs[0].matched, SCRIPT_KERNELS);
	assert_int_equal(desk.report->graphs[0].confidence, WEIR_CONFIDENCE_MEDIUM);
	assert_near(desk.report->graphs[0].positions[2].flops, FLOPS_2, 1e-12);
	desk_close(&desk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_work_of_an_operator_is_split_by_time_and_all_there),
		cmocka_unit_test(a_row_of_which_a_part_is_unknown_is_unknown),
		cmocka_unit_test(other_work_in_the_same_grid_has_no_shape),
		cmocka_unit_test(more_than_the_device_can_do_is_said_and_not_used),
		cmocka_unit_test(a_gap_far_beyond_the_others_is_unrecorded_time),
		cmocka_unit_test(even_gaps_hide_nothing),
		cmocka_unit_test(one_replay_does_not_tell_a_stall_from_a_loop),
		cmocka_unit_test(shares_of_graphs_are_the_graph_share),
		cmocka_unit_test(ranks_with_one_body_are_one_graph),
		cmocka_unit_test(operators_of_another_input_name_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
