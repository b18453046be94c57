/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compilation that comes again is no cold start, and new shapes are one reason for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/timeline/loading_steps.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/scene.h"

#define STEPS 8

/* Steps of which some compile, each in a compiled region. */
struct program {
	int64_t compile_ns;
	int from, until;   /* steps that compile */
	bool same_region;  /* all steps run region 0/0, else each has its own */
	bool without_name; /* no region is recorded */
};

static struct weir_loading_steps count(const struct program *program)
{
	struct make_trace *make = make_trace_new();
	struct weir_loading_steps out;
	struct scene scene;
	int64_t at_ns = 0;

	for (int s = 0; s < STEPS; s++) {
		const int64_t start_ns = at_ns;
		int64_t gap_ns = s >= program->from && s < program->until ? program->compile_ns : 0;
		char step[32], region[48];

		snprintf(step, sizeof step, "ProfilerStep#%d", s);
		snprintf(region, sizeof region, "Torch-Compiled Region: 0/%d",
		         program->same_region ? 0 : s);
		if (gap_ns > 0)
			make_host(make, WEIR_HOST_OP, 0, "_compile.compile_inner (dynamo_timed)",
			          at_ns, at_ns + gap_ns);
		at_ns += gap_ns;
		if (!program->without_name)
			make_host(make, WEIR_HOST_OP, 0, region, at_ns, at_ns + 30000);
		make_launch(make, at_ns + 100, at_ns + 200, at_ns + 300, at_ns + 20000300);
		at_ns += 20000400;
		make_host(make, WEIR_HOST_ANNOTATION, 0, step, start_ns, at_ns);
	}
	scene_init(&scene, make_trace_finish(make), false);
	weir_loading_steps_count(&scene.timeline, &scene.steps, &scene.segments, &out);
	for (size_t i = 0; i < out.segment_count; i++)
		assert_int_equal(scene.segments.items[out.segments[i]].idle,
		                 WEIR_IDLE_COMPILE_LOAD);
	free(out.segments);
	out.segments = NULL;
	scene_release(&scene);
	return out;
}

static void steps_that_compile_a_millisecond_count(void **state)
{
	struct program program = {.compile_ns = WEIR_LOADING_STEP_NS + 1000, .from = 2, .until = 6};
	struct weir_loading_steps got = count(&program);

	(void)state;
	assert_int_equal(got.steps, 4);
	assert_int_equal(got.novel, 4);
	assert_true(got.comparable);
	program.compile_ns = WEIR_LOADING_STEP_NS / 2;
	assert_int_equal(count(&program).steps, 0);
}

static void a_cold_start_is_no_repetition(void **state)
{
	struct program program = {.compile_ns = INT64_C(5) * WEIR_LOADING_STEP_NS, .from = 1};

	(void)state;
	program.until = program.from + WEIR_LOADING_STEPS_FEWEST;
	assert_true(count(&program).comparable);
	program.until--;
	assert_false(count(&program).comparable);
}

static void compilation_without_new_shapes_has_another_reason(void **state)
{
	struct program program = {.compile_ns = INT64_C(5) * WEIR_LOADING_STEP_NS,
	                          .from = 2,
	                          .until = 6,
	                          .same_region = true};
	struct weir_loading_steps got = count(&program);

	(void)state;
	assert_true(got.comparable);
	assert_int_equal(got.novel, 0);
	program.without_name = true;
	got = count(&program);
	assert_int_equal(got.steps, 4);
	assert_false(got.comparable);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_that_compile_a_millisecond_count),
		cmocka_unit_test(a_cold_start_is_no_repetition),
		cmocka_unit_test(compilation_without_new_shapes_has_another_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
