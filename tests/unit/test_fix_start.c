/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings of a start: leading steps that load, which the steady state sets apart. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/advice/advise.h"
#include "engine/base/arena.h"
#include "tests/unit/advice_run.h"
#include "tests/unit/near.h"

#define STEPS    8
#define LAUNCHES 20
#define US       INT64_C(1000)

/* Steps of 400 us. The first one loads code in two calls for `load_us`, and then has no events. */
static void init_start(struct advice_run *run, int64_t load_us, int64_t silent_us, int steps)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	int64_t at = 0;

	for (int i = 0; i < steps; i++) {
		int64_t start = at;

		for (int k = 0; k < LAUNCHES; k++, at += 20 * US)
			make_launch(make, at + 5 * US, at + 10 * US, at + 12 * US, at + 18 * US);
		for (int c = 0; c < 2 && i == 0; c++) {
			make_call(make, 0, "cudaFuncGetAttributes", at, at + load_us / 2 * US, 0);
			at += load_us / 2 * US;
		}
		at += i == 0 ? silent_us * US : 0;
		advice_make_step(make, i, start, at);
	}
	trace = make_trace_finish(make);
	advice_run_init(run, &trace, 1, "NVIDIA H100 80GB HBM3");
}

/* The first step takes more than all others, half of it to load. A later step does not change. */
static void a_recording_of_a_start_is_warmed_up(void **state)
{
	static const struct {
		int64_t load_us, silent_us;
		int steps;
		double start_us; /* 0: not found */
	} cases[] = {
		{2420, 0, 8, 2420},    {2380, 0, 8, 0}, /* 7 other steps, 2800 us in all */
		{2420, 2380, 8, 4800}, {2380, 2420, 8, 0}, {20000, 0, 6, 20000}, {0, 20000, 8, 0},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_run run;

		init_start(&run, cases[i].load_us, cases[i].silent_us, cases[i].steps);
		assert_int_equal(advice_run_apply(&run, weir_fix_warm_up), cases[i].start_us > 0);
		assert_near(advice_run_step_ns(&run), 400.0 * US, 1e-9);
		assert_near(run.draft.start_ns, cases[i].start_us * 1e3, 0.01);
		advice_run_release(&run);
	}
}

/* It goes before a graph, which saves less of the recorded time, and says nothing of a step. */
static void a_start_is_named_first_without_a_prediction(void **state)
{
	static const struct weir_fix_entry entries[] = {
		{.id = "cuda-graph", .why = "", .effort = WEIR_EFFORT_LOW, .numerics = "none"},
		{.id = "warm-up", .why = "", .effort = WEIR_EFFORT_LOW, .numerics = "none"},
	};
	const struct weir_fix_catalogue catalogue = {entries, 2};
	struct weir_arena *arena = weir_arena_new();
	struct weir_found_fixes found;
	struct advice_run run;

	(void)state;
	init_start(&run, 2420, 0, STEPS);
	weir_advise(run.analysis, &run.report, &catalogue, arena, &found);
	assert_int_equal(found.count, 2);
	assert_string_equal(found.items[0].entry->id, "warm-up");
	assert_true(isnan(found.items[0].speedup) && isnan(found.items[0].step_ns));
	assert_near(found.items[0].places_ns, 2420.0 * US, 1e-6);
	assert_true(found.items[1].speedup > 1);
	weir_arena_free(arena);
	advice_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recording_of_a_start_is_warmed_up),
		cmocka_unit_test(a_start_is_named_first_without_a_prediction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
