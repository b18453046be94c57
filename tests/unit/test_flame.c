/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trees of frames, the stacks of whole traces, and the tracks beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/drawing/flame.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"

struct desk {
	struct weir_profile *profile;
	struct weir_analysis *analysis;
	struct weir_report *report;
};

static void desk_open(struct desk *desk, struct weir_trace *const *traces, size_t count,
                      bool detail)
{
	struct weir_analysis_options options = {
		.steady = true, .percentile = 0.95, .detail = detail};
	struct weir_error err;

	desk->profile = weir_profile_new();
	for (size_t i = 0; i < count; i++)
		weir_profile_add_input(desk->profile, "trace")->trace = traces[i];
	assert_int_equal(weir_analysis_new(desk->profile, &options, &desk->analysis, &err),
	                 WEIR_OK);
	desk->report = weir_report_new(desk->profile);
	weir_analysis_report(desk->analysis, desk->report);
}

static void desk_close(struct desk *desk)
{
	weir_report_free(desk->report);
	weir_analysis_free(desk->analysis);
	weir_profile_free(desk->profile);
}

static const struct weir_flame_frame *frame_named(const struct weir_flame *flame, const char *name)
{
	for (size_t i = 0; i < flame->count; i++)
		if (strcmp(flame->frames[i].name, name) == 0)
			return &flame->frames[i];
	fail_msg("no frame %s", name);
	return NULL;
}

/* Order, depths, and totals that are self and children, exactly. */
static void assert_whole(const struct weir_flame *flame)
{
	for (size_t i = 0; i < flame->count; i++) {
		const struct weir_flame_frame *frame = &flame->frames[i];
		int64_t sum_ns = frame->self_ns, before_ns = INT64_MAX;

		assert_true(frame->total_ns > 0);
		assert_true(frame->depth < WEIR_FLAME_MAX_DEPTH);
		for (size_t c = i + 1; c < flame->count; c++) {
			const struct weir_flame_frame *child = &flame->frames[c];

			if (child->depth <= frame->depth)
				break;
			if (child->depth > frame->depth + 1)
				continue;
			assert_int_equal(child->parent, i);
			assert_true(child->total_ns <= before_ns);
			before_ns = child->total_ns;
			sum_ns += child->total_ns;
		}
		assert_int_equal(sum_ns, frame->total_ns);
	}
}

static struct weir_trace *decoding(void)
{
	struct make_trace *make = make_trace_new();

	for (int64_t i = 0; i < 5; i++) {
		int64_t at = i * 100000;
		uint64_t id = (uint64_t)i + 1;

		make_host(make, WEIR_HOST_ANNOTATION, 0, "decode[bs=3/4 tok=3]", at, at + 50000);
		make_host(make, WEIR_HOST_OP, 0, "aten::mm", at + 1000, at + 10000);
		make_call(make, 0, "cudaLaunchKernel", at + 2000, at + 3000, id);
		make_kernel(make, 0, "gemm", at + 20000, at + 50000, id);
	}
	return make_trace_finish(make);
}

static void nothing_is_drawn_unless_asked_for(void **state)
{
	struct weir_trace *trace = decoding();
	struct desk desk;

	(void)state;
	desk_open(&desk, &trace, 1, false);
	assert_null(desk.report->detail);
	desk_close(&desk);
}

static void stacks_name_stage_operator_and_kernel(void **state)
{
	struct weir_trace *trace = decoding();
	const struct weir_flame_frame *kernel, *call;
	const struct weir_flame *flame;
	struct desk desk;

	(void)state;
	desk_open(&desk, &trace, 1, true);
	flame = &desk.report->detail->flame;
	assert_whole(flame);
	assert_string_equal(flame->frames[0].name, "device");
	assert_int_equal(flame->frames[0].total_ns, desk.report->gpu.window_ns);
	kernel = frame_named(flame, "gemm");
	assert_int_equal(kernel->self_ns, 5 * 30000);
	assert_string_equal(flame->frames[kernel->parent].name, "aten::mm");
	assert_string_equal(flame->frames[flame->frames[kernel->parent].parent].name, "decode");
	call = frame_named(flame, "cudaLaunchKernel");
	assert_int_equal(call->kind, WEIR_FLAME_CALL);
	assert_string_equal(flame->frames[call->parent].name, "aten::mm");
	assert_string_equal(flame->frames[flame->frames[call->parent].parent].name, "decode");
	desk_close(&desk);
}

static void stacks_of_any_trace_add_up_to_the_analysed_time(void **state)
{
	uint64_t seed = 20;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct weir_trace *traces[2];
		const struct weir_flame *flame;
		struct desk desk;

		for (size_t i = 0; i < 2; i++)
			traces[i] = random_trace(&seed);
		desk_open(&desk, traces, 2, true);
		flame = &desk.report->detail->flame;
		assert_whole(flame);
		if (desk.report->gpu.window_ns > 0) {
			assert_string_equal(flame->frames[0].name, "device");
			assert_int_equal(flame->frames[0].total_ns, desk.report->gpu.window_ns);
		}
		desk_close(&desk);
	}
}

static void without_device_work_all_host_time_counts(void **state)
{
	struct make_trace *make = make_trace_new();
	const struct weir_flame *flame;
	struct weir_trace *trace;
	struct desk desk;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "parent", 0, 1000);
	make_host(make, WEIR_HOST_OP, 0, "child", 100, 400);
	make_host(make, WEIR_HOST_PYTHON, 1, "loader", 5000, 5600);
	trace = make_trace_finish(make);
	desk_open(&desk, &trace, 1, true);
	flame = &desk.report->detail->flame;
	assert_whole(flame);
	assert_string_equal(flame->frames[0].name, "host");
	assert_int_equal(flame->frames[0].total_ns, 1600);
	assert_int_equal(frame_named(flame, "parent")->self_ns, 700);
	assert_int_equal(frame_named(flame, "child")->self_ns, 300);
	assert_int_equal(frame_named(flame, "loader")->kind, WEIR_FLAME_PYTHON);
	desk_close(&desk);
}

static void folders_of_python_files_are_left_out(void **state)
{
	struct make_trace *make = make_trace_new();
	const struct weir_flame *flame;
	struct weir_trace *trace;
	struct desk desk;

	(void)state;
	make_host(make, WEIR_HOST_PYTHON, 0, "/home/alice/run.py(12): main", 0, 100);
	make_host(make, WEIR_HOST_PYTHON, 0, "C:\\Users\\alice\\go.py(3): go", 200, 300);
	make_host(make, WEIR_HOST_PYTHON, 0, "torch/nn/linear.py(1): forward", 400, 500);
	make_host(make, WEIR_HOST_PYTHON, 0, "/", 600, 700);
	trace = make_trace_finish(make);
	desk_open(&desk, &trace, 1, true);
	flame = &desk.report->detail->flame;
	frame_named(flame, "run.py(12): main");
	frame_named(flame, "go.py(3): go");
	frame_named(flame, "torch/nn/linear.py(1): forward");
	frame_named(flame, "");
	desk_close(&desk);
}

static void too_many_frames_share_a_rest_that_keeps_their_time(void **state)
{
	struct weir_flame_builder *builder = weir_flame_builder_new();
	struct weir_arena *arena = weir_arena_new();
	struct weir_flame flame = {0};
	uint32_t other = weir_flame_child(builder, WEIR_FLAME_NOBODY, WEIR_FLAME_ROOT, "device");
	uint32_t root = weir_flame_child(builder, WEIR_FLAME_NOBODY, WEIR_FLAME_ROOT, "host");
	char name[24];

	(void)state;
	weir_flame_add(builder, other, 1);
	for (int i = 0; i < 2 * WEIR_FLAME_MAX_FRAMES; i++) {
		snprintf(name, sizeof name, "f%d", i);
		weir_flame_add(builder, weir_flame_child(builder, root, WEIR_FLAME_OPERATOR, name),
		               3);
	}
	weir_flame_add(builder, weir_flame_child(builder, root, WEIR_FLAME_OPERATOR, "f0"), 7);
	weir_flame_finish(builder, arena, &flame);
	/* 16 frames are kept free for roots and their rests: one of them is used. */
	assert_int_equal(flame.count, WEIR_FLAME_MAX_FRAMES - 16 + 1);
	assert_int_equal(flame.frames[0].total_ns, 1);
	assert_int_equal(flame.frames[1].total_ns, 6 * WEIR_FLAME_MAX_FRAMES + 7);
	assert_int_equal(frame_named(&flame, "f0")->total_ns, 10);
	assert_int_equal(frame_named(&flame, WEIR_FLAME_REST)->total_ns,
	                 3 * (WEIR_FLAME_MAX_FRAMES + 16 + 2));
	assert_int_equal(frame_named(&flame, WEIR_FLAME_REST)->parent, 1);
	weir_flame_builder_free(builder);
	weir_arena_free(arena);
}

static void what_is_nested_too_deeply_counts_for_what_encloses_it(void **state)
{
	struct weir_flame_builder *builder = weir_flame_builder_new();
	struct weir_arena *arena = weir_arena_new();
	struct weir_flame flame = {0};
	uint32_t frame = weir_flame_child(builder, WEIR_FLAME_NOBODY, WEIR_FLAME_ROOT, "host");

	(void)state;
	for (int i = 0; i < 3 * WEIR_FLAME_MAX_DEPTH; i++) {
		frame = weir_flame_child(builder, frame, WEIR_FLAME_PYTHON, "again");
		weir_flame_add(builder, frame, 1);
	}
	weir_flame_finish(builder, arena, &flame);
	assert_whole(&flame);
	assert_int_equal(flame.count, WEIR_FLAME_MAX_DEPTH);
	assert_int_equal(flame.frames[0].total_ns, 3 * WEIR_FLAME_MAX_DEPTH);
	weir_flame_builder_free(builder);
	weir_arena_free(arena);
}

static int64_t sum_of_kind(const struct weir_detail *detail, enum weir_detail_kind kind,
                           size_t *count)
{
	int64_t sum_ns = 0;

	*count = 0;
	for (size_t i = 0; i < detail->span_count; i++) {
		const struct weir_detail_span *span = &detail->spans[i];

		if (detail->tracks[span->track].kind != kind)
			continue;
		sum_ns += span->end_ns - span->start_ns;
		++*count;
	}
	return sum_ns;
}

static void tracks_hold_steps_stages_gaps_and_work(void **state)
{
	struct weir_trace *trace = decoding();
	const struct weir_detail *detail;
	int64_t idle_ns;
	struct desk desk;
	size_t count;

	(void)state;
	desk_open(&desk, &trace, 1, true);
	detail = desk.report->detail;
	assert_int_equal(sum_of_kind(detail, WEIR_DETAIL_WORK, &count), 5 * 30000);
	assert_int_equal(count, 5);
	sum_of_kind(detail, WEIR_DETAIL_STAGES, &count);
	assert_int_equal(count, 5);
	idle_ns = sum_of_kind(detail, WEIR_DETAIL_IDLE, &count);
	assert_near((double)idle_ns, desk.report->gpu.idle * (double)desk.report->gpu.window_ns, 1);
	sum_of_kind(detail, WEIR_DETAIL_WAITS, &count);
	assert_int_equal(count, 0);
	for (size_t i = 0; i < detail->span_count; i++)
		if (detail->tracks[detail->spans[i].track].kind == WEIR_DETAIL_STAGES)
			assert_string_equal(desk.report->stages[detail->spans[i].stage].name,
			                    detail->spans[i].name);
	assert_int_equal(detail->left_out, 0);
	desk_close(&desk);
}

static void too_many_tracks_are_counted(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct desk desk;

	(void)state;
	for (int64_t i = 0; i < 600; i++)
		make_kernel(make, (uint32_t)i, "gemm", i * 100, i * 100 + 50, 0);
	trace = make_trace_finish(make);
	desk_open(&desk, &trace, 1, true);
	assert_int_equal(desk.report->detail->track_count, WEIR_DETAIL_MAX_TRACKS);
	assert_true(desk.report->detail->left_out >= 600 - WEIR_DETAIL_MAX_TRACKS);
	desk_close(&desk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_drawn_unless_asked_for),
		cmocka_unit_test(stacks_name_stage_operator_and_kernel),
		cmocka_unit_test(stacks_of_any_trace_add_up_to_the_analysed_time),
		cmocka_unit_test(without_device_work_all_host_time_counts),
		cmocka_unit_test(folders_of_python_files_are_left_out),
		cmocka_unit_test(too_many_frames_share_a_rest_that_keeps_their_time),
		cmocka_unit_test(what_is_nested_too_deeply_counts_for_what_encloses_it),
		cmocka_unit_test(tracks_hold_steps_stages_gaps_and_work),
		cmocka_unit_test(too_many_tracks_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
