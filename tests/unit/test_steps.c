/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps and spans: their origin, their content, and the iterations that they number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "engine/analysis/timeline/leaves.h"
#include "engine/base/splitmix.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"
#include "tests/unit/scene.h"

static void annotate(struct make_trace *make, uint32_t thread, const char *name, int64_t start_ns,
                     int64_t end_ns)
{
	make_host(make, WEIR_HOST_ANNOTATION, thread, name, start_ns, end_ns);
}

static const struct weir_span *span_of(const struct scene *scene, const char *annotation)
{
	uint32_t row = scene_row(scene, annotation);

	for (size_t i = 0; i < scene->steps.span_count; i++)
		if (scene->steps.spans[i].host_row == row)
			return &scene->steps.spans[i];
	fail_msg("no span %s", annotation);
	return NULL;
}

static void without_annotations_there_are_no_steps_and_everything_is_analysed(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	make_launch(make, 0, 10, 100, 200);
	make_launch(make, 20, 30, 300, 400);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.steps.step_count, 0);
	assert_int_equal(scene.steps.span_count, 0);
	assert_true(isnan(scene.steps.median_period_ns));
	assert_int_equal(scene.steps.row_step[0], WEIR_NONE);
	assert_int_equal(scene.steps.windows[0].count, 1);
	assert_int_equal(scene.steps.windows[0].items[0].start_ns, 100);
	assert_int_equal(scene.steps.windows[0].items[0].end_ns, 400);
	scene_release(&scene);
}

static void a_step_lasts_until_the_next_one_begins(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	annotate(make, 0, "ProfilerStep#1", 1000, 1800);
	annotate(make, 0, "ProfilerStep#0", 0, 900);
	make_launch(make, 950, 960, 970, 980); /* between the two annotations */
	make_launch(make, 1700, 1710, 2500, 2600);
	make_launch(make, 1900, 1910, 2700, 2800); /* behind the last */
	scene_init(&scene, make_trace_finish(make), true);
	assert_true(scene.steps.explicit_steps);
	assert_int_equal(scene.steps.step_count, 2);
	assert_int_equal(scene.steps.steps[0].end_ns, 1000);
	assert_int_equal(scene.steps.steps[1].end_ns, 1800);
	assert_int_equal(scene.steps.row_step[0], 0);
	assert_int_equal(scene.steps.row_step[1], 1);
	assert_int_equal(scene.steps.row_step[2], WEIR_NONE);
	assert_int_equal(weir_steps_step_at(&scene.steps, -1), WEIR_NONE);
	assert_int_equal(weir_steps_step_at(&scene.steps, 999), 0);
	assert_int_equal(weir_steps_step_at(&scene.steps, 1000), 1);
	assert_int_equal(weir_steps_step_at(&scene.steps, 1800), WEIR_NONE);
	scene_release(&scene);
}

static void work_belongs_to_the_span_that_launched_it_and_to_those_around(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	annotate(make, 0, "generate", 0, 1000);
	annotate(make, 0, "decode_1", 100, 200);
	make_launch(make, 110, 120, 5000, 5100); /* runs long after the span has ended */
	make_launch(make, 130, 140, 5050, 5200); /* overlaps it */
	make_launch(make, 300, 310, 6000, 6010);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(span_of(&scene, "decode_1")->device_rows, 2);
	assert_int_equal(span_of(&scene, "decode_1")->device_ns, 200);
	assert_int_equal(span_of(&scene, "decode_1")->device_start_ns, 5000);
	assert_int_equal(span_of(&scene, "decode_1")->device_end_ns, 5200);
	assert_int_equal(span_of(&scene, "generate")->device_rows, 3);
	assert_int_equal(span_of(&scene, "generate")->device_ns, 210);
	assert_int_equal(scene.steps.spans[scene.steps.row_span[0]].stage,
	                 scene_stage(&scene, "decode"));
	assert_int_equal(scene.steps.spans[scene.steps.row_span[2]].stage,
	                 scene_stage(&scene, "generate"));
	scene_release(&scene);
}

static void spans_that_overlap_without_nesting_keep_their_length(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	annotate(make, 0, "load", 0, 100000);
	annotate(make, 0, "infer", 50000, 150000);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(span_of(&scene, "infer")->end_ns, 150000);
	assert_int_equal(span_of(&scene, "infer")->parent, WEIR_NONE);
	assert_int_equal(weir_steps_span_at(&scene.steps, 0, 40000), 0);
	assert_int_equal(weir_steps_span_at(&scene.steps, 0, 60000), 1);
	assert_int_equal(weir_steps_span_at(&scene.steps, 0, 140000), 1);
	assert_int_equal(weir_steps_span_at(&scene.steps, 0, 150000), WEIR_NONE);
	scene_release(&scene);
}

static void a_thread_without_a_span_of_its_own_works_for_the_main_thread(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	annotate(make, 1, "forward", 0, 100);
	annotate(make, 1, "forward", 200, 300);
	annotate(make, 0, "load", 0, 50);
	make_call(make, 2, "cudaLaunchKernel", 210, 220, 1); /* backward has its own thread */
	make_kernel(make, 0, "k", 400, 500, 1);
	make_call(make, 0, "cudaLaunchKernel", 20, 30, 2);
	make_kernel(make, 0, "k", 40, 50, 2);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.steps.spans[scene.steps.row_span[0]].stage,
	                 scene_stage(&scene, "load"));
	assert_int_equal(scene.steps.spans[scene.steps.row_span[1]].start_ns, 200);
	assert_int_equal(weir_steps_span_at(&scene.steps, 77, 150), WEIR_NONE);
	scene_release(&scene);
}

static void without_step_annotations_the_outermost_stage_that_repeats_is_the_step(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	for (int64_t i = 0; i < 4; i++) {
		annotate(make, 0, "forward", i * 1000, i * 1000 + 500);
		annotate(make, 0, "attention", i * 1000 + 10, i * 1000 + 20);
		annotate(make, 0, "attention", i * 1000 + 30, i * 1000 + 40);
	}
	annotate(make, 0, "save", 9000, 9100);
	scene_init(&scene, make_trace_finish(make), true);
	assert_false(scene.steps.explicit_steps);
	assert_int_equal(scene.steps.step_count, 4);
	assert_int_equal(scene.steps.steps[1].start_ns, 1000);
	scene_release(&scene);
}

static void two_turns_are_no_loop(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	annotate(make, 0, "forward", 0, 100);
	annotate(make, 0, "forward", 200, 300);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.steps.step_count, 0);
	assert_true(weir_steps_span_counts(&scene.steps, &scene.steps.spans[0], true));
	scene_release(&scene);
}

/* Returns the steps of two ranges with these numbers of calls, and of a third one of this name;
 * NULL: none. */
static size_t steps_of_two(int first, int second, const char *third)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;
	size_t steps;

	annotate(make, 0, "forward", 0, 10000);
	annotate(make, 0, "forward", 20000, 30000);
	if (third)
		annotate(make, 0, third, 40000, 50000);
	for (int i = 0; i < first; i++)
		make_launch(make, 100 + 100 * i, 150 + 100 * i, 160 + 100 * i, 170 + 100 * i);
	for (int i = 0; i < second; i++)
		make_launch(make, 20100 + 100 * i, 20150 + 100 * i, 20160 + 100 * i,
		            20170 + 100 * i);
	/* outside of both */
	make_launch(make, 15000, 15010, 15020, 15030);
	scene_init(&scene, make_trace_finish(make), true);
	steps = scene.steps.step_count;
	scene_release(&scene);
	return steps;
}

static void two_turns_with_the_same_work_are_a_loop(void **state)
{
	(void)state;
	assert_int_equal(steps_of_two(16, 16, NULL), 2);
	assert_int_equal(steps_of_two(15, 15, NULL), 0);
	assert_int_equal(steps_of_two(16, 17, NULL), 0);
	assert_int_equal(steps_of_two(17, 16, NULL), 0);
	assert_int_equal(steps_of_two(16, 16, "save"), 0);
	assert_int_equal(steps_of_two(16, 17, "forward"), 3);
}

static void steps_of_a_server_are_stages_at_the_same_time(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	annotate(make, 0, "step[DECODE bs=8 toks=8]", 0, 100);
	annotate(make, 0, "step[EXTEND bs=2 toks=512]", 100, 300);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.steps.step_count, 2);
	assert_int_equal(scene.steps.span_count, 2);
	assert_int_equal(span_of(&scene, "step[DECODE bs=8 toks=8]")->rows, 8);
	assert_string_equal(scene.steps.stages[scene_stage(&scene, "prefill")].kind, "compute");
	scene_release(&scene);
}

static void ten_thousand_names_become_a_bounded_number_of_stages(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;
	size_t held = 0;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		char name[32];

		snprintf(name, sizeof name, "request %dx", i);
		annotate(make, 0, name, INT64_C(10) * i, INT64_C(10) * i + 5);
	}
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.steps.stage_count, WEIR_MAX_STAGES + 1);
	assert_int_equal(scene.steps.spans[9999].stage, scene_stage(&scene, "(other stages)"));
	for (size_t s = 0; s < scene.steps.stage_count; s++)
		for (size_t i = scene.steps.first_span[s]; i < scene.steps.first_span[s + 1]; i++) {
			assert_int_equal(scene.steps.spans[scene.steps.spans_by_stage[i]].stage, s);
			held++;
		}
	assert_int_equal(held, 10000);
	scene_release(&scene);
}

static void spans_nested_too_deeply_leave_their_work_to_the_ones_around(void **state)
{
	const int64_t depth = 20000;
	struct make_trace *make = make_trace_new();
	struct scene scene;
	clock_t begin = clock();

	(void)state;
	for (int64_t i = 0; i < depth; i++)
		annotate(make, 0, i % 2 ? "odd" : "even", i, 10 * depth - i);
	for (int64_t i = 0; i < 500; i++)
		make_launch(make, depth + i * 10, depth + i * 10 + 1, 20 * depth + i * 10,
		            20 * depth + i * 10 + 5);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.steps.row_span[0], WEIR_MAX_SPAN_DEPTH);
	assert_int_equal(scene.steps.spans[0].device_rows, 500);
	assert_int_equal(scene.steps.spans[WEIR_MAX_SPAN_DEPTH].device_ns, 2500);
	assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 5);
	scene_release(&scene);
}

static void the_ends_of_the_clock_do_not_overflow(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	annotate(make, 0, "ProfilerStep#0", INT64_MIN, INT64_MIN + 5);
	annotate(make, 0, "ProfilerStep#1", 0, 10);
	annotate(make, 0, "decode", INT64_MIN, INT64_MAX);
	annotate(make, 0, "prefill", INT64_MAX - 5, INT64_MAX);
	make_launch(make, INT64_MIN, INT64_MIN + 1, INT64_MIN, INT64_MAX);
	make_launch(make, 1, 2, INT64_MIN + 1, INT64_MAX);
	make_launch(make, INT64_MAX - 2, INT64_MAX, INT64_MAX - 1, INT64_MAX);
	scene_init(&scene, make_trace_finish(make), true);
	for (size_t i = 0; i < scene.steps.step_count; i++)
		assert_true(scene.steps.steps[i].period_ns >= 0);
	for (size_t i = 0; i < scene.steps.span_count; i++)
		assert_true(scene.steps.spans[i].device_ns >= 0);
	scene_release(&scene);
}

static void random_spans_hold_the_work_that_is_theirs(void **state)
{
	uint64_t seed = 23;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct scene scene;
		uint32_t *rows;

		scene_init(&scene, random_trace(&seed), round % 2);
		rows = test_calloc(scene.steps.span_count + 1, sizeof *rows);
		for (size_t i = 0; i < scene.trace->device.count; i++)
			for (uint32_t s = scene.steps.row_span[i]; s != WEIR_NONE;
			     s = scene.steps.spans[s].parent)
				rows[s]++;
		for (size_t s = 0; s < scene.steps.span_count; s++) {
			const struct weir_span *span = &scene.steps.spans[s];

			assert_int_equal(span->device_rows, rows[s]);
			assert_true(span->parent == WEIR_NONE || span->parent < s);
			assert_true(s == 0 || span->start_ns >= span[-1].start_ns);
		}
		test_free(rows);
		scene_release(&scene);
	}
}

/* Host rows are sorted by thread, so that a step of a later thread may come first in time. */
static void steps_of_several_threads_are_in_order_of_time(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;

	(void)state;
	annotate(make, 0, "ProfilerStep#1", 1000, 1800);
	annotate(make, 1, "ProfilerStep#0", 0, 900);
	annotate(make, 1, "ProfilerStep#2", 2000, 2800);
	make_launch(make, 1010, 1020, 1030, 1040);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene.steps.step_count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(scene.steps.steps[i].start_ns, 1000 * (int64_t)i);
	assert_int_equal(scene.steps.steps[0].end_ns, 1000);
	assert_int_equal(scene.steps.row_step[0], 1);
	scene_release(&scene);
}

/* The short and the long way to one answer, in an order that jumps back and forth and stays. */
static void answers_near_the_last_one_are_those_of_a_search(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_span_place place = {0};
	struct weir_leaves leaves;
	struct scene scene;
	size_t step = 0, leaf = 0;
	uint64_t seed = 3;

	(void)state;
	for (int64_t s = 0; s < 40; s++) {
		annotate(make, 0, "ProfilerStep#1", s * 1000, s * 1000 + 900 + s % 3 * 50);
		annotate(make, 0, "forward", s * 1000 + 100, s * 1000 + 400);
		annotate(make, (uint32_t)(s % 2), "loss", s * 1000 + 200, s * 1000 + 600);
		make_launch(make, s * 1000 + 120, s * 1000 + 130, s * 1000 + 500, s * 1000 + 700);
	}
	scene_init(&scene, make_trace_finish(make), true);
	weir_leaves_init(&leaves, &scene.timeline, 0);
	for (size_t i = 0; i < 20000; i++) {
		int64_t at_ns = (int64_t)(weir_splitmix64(seed + i / 20) % 42000) - 1000 +
		                (int64_t)(i % 20) * 40;
		uint32_t thread = (uint32_t)(i / 7 % 3);

		assert_int_equal(weir_steps_span_near(&scene.steps, thread, at_ns, &place),
		                 weir_steps_span_at(&scene.steps, thread, at_ns));
		assert_int_equal(weir_steps_step_near(&scene.steps, at_ns, &step),
		                 weir_steps_step_at(&scene.steps, at_ns));
		assert_true(weir_leaves_near(&leaves, at_ns, &leaf) ==
		            weir_leaves_at(&leaves, at_ns));
	}
	weir_leaves_release(&leaves);
	scene_release(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_annotations_there_are_no_steps_and_everything_is_analysed),
		cmocka_unit_test(a_step_lasts_until_the_next_one_begins),
		cmocka_unit_test(work_belongs_to_the_span_that_launched_it_and_to_those_around),
		cmocka_unit_test(spans_that_overlap_without_nesting_keep_their_length),
		cmocka_unit_test(a_thread_without_a_span_of_its_own_works_for_the_main_thread),
		cmocka_unit_test(
			without_step_annotations_the_outermost_stage_that_repeats_is_the_step),
		cmocka_unit_test(two_turns_are_no_loop),
		cmocka_unit_test(two_turns_with_the_same_work_are_a_loop),
		cmocka_unit_test(steps_of_a_server_are_stages_at_the_same_time),
		cmocka_unit_test(ten_thousand_names_become_a_bounded_number_of_stages),
		cmocka_unit_test(spans_nested_too_deeply_leave_their_work_to_the_ones_around),
		cmocka_unit_test(the_ends_of_the_clock_do_not_overflow),
		cmocka_unit_test(answers_near_the_last_one_are_those_of_a_search),
		cmocka_unit_test(random_spans_hold_the_work_that_is_theirs),
		cmocka_unit_test(steps_of_several_threads_are_in_order_of_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
