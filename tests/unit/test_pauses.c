/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Silent pauses are likely garbage collection, or are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/timeline/pauses.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/scene.h"

#define MS    INT64_C(1000000)
#define STEPS 12

/* A program of steps. In each of the first `paused` steps the thread is silent for a while behind
 * one operator: in turn behind each, or behind the last one. */
struct program {
	const char *op;    /* name of the operator */
	const char *frame; /* of Python, in which the pause lies; NULL: none */
	int operators;     /* in a step */
	int64_t gap_ns;    /* behind every operator */
	int paused;
	int64_t first_ns, growth_ns; /* silent time in the first such step; more of it in each */
	int copies;                  /* to the device, one in each of the first steps */
	bool at_end;                 /* behind the last operator */
	bool outside;                /* the step's range ends before the pause */
};

static const struct program misplaced = {.op = "aten::mm",
                                         .operators = 8,
                                         .gap_ns = 20000,
                                         .paused = STEPS,
                                         .first_ns = 10 * MS,
                                         .growth_ns = MS / 20,
                                         .copies = STEPS};

static const struct program aimless = {.op = "aten::mm",
                                       .operators = 8,
                                       .gap_ns = 20000,
                                       .paused = STEPS,
                                       .first_ns = 10 * MS,
                                       .growth_ns = MS / 20,
                                       .at_end = true};

static int64_t put_operator(struct make_trace *make, const char *name, int64_t at_ns)
{
	make_host(make, WEIR_HOST_OP, 0, name, at_ns, at_ns + 30000);
	make_launch(make, at_ns + 10000, at_ns + 15000, at_ns + 16000, at_ns + 20000);
	return at_ns + 30000;
}

static void put_copy(struct make_trace *make, int64_t at_ns, uint64_t correlation)
{
	make_call(make, 0, "cudaMemcpyAsync", at_ns, at_ns + 3000, correlation);
	make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_COPY,
	                                            .name = "Memcpy HtoD (Pinned -> Device)",
	                                            .start_ns = at_ns + 4000,
	                                            .end_ns = at_ns + 5000,
	                                            .bytes = 64,
	                                            .correlation = correlation});
}

static int64_t put_step(struct make_trace *make, const struct program *program, int step,
                        int64_t at_ns)
{
	int pause_at = program->at_end ? program->operators - 1 : step % (program->operators - 1);
	const int64_t start_ns = at_ns;
	char name[32];

	if (step < program->copies)
		put_copy(make, at_ns + 1000, 1 + (uint64_t)step);
	at_ns += 10000;
	snprintf(name, sizeof name, "ProfilerStep#%d", step);
	for (int i = 0; i < program->operators; i++) {
		int64_t silent_ns = program->gap_ns;

		at_ns = put_operator(make, program->op, at_ns);
		if (i == pause_at && step < program->paused)
			silent_ns = program->first_ns + step * program->growth_ns;
		if (i == program->operators - 1 && program->outside)
			make_host(make, WEIR_HOST_ANNOTATION, 0, name, start_ns, at_ns);
		if (i == pause_at && program->frame)
			make_host(make, WEIR_HOST_PYTHON, 0, program->frame, at_ns,
			          at_ns + silent_ns);
		at_ns += silent_ns;
	}
	if (!program->outside)
		make_host(make, WEIR_HOST_ANNOTATION, 0, name, start_ns, at_ns);
	return at_ns + 1000;
}

/* Returns the time of one cause when the program has run. */
static int64_t idle_of(const struct program *program, enum weir_idle idle)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;
	int64_t at_ns = 0, ns;

	for (int s = 0; s < STEPS; s++)
		at_ns = put_step(make, program, s, at_ns);
	put_operator(make, program->op, at_ns);
	scene_init(&scene, make_trace_finish(make), false);
	ns = scene_idle_ns(&scene, idle);
	scene_release(&scene);
	return ns;
}

static void assert_likely(const struct program *program, bool expected)
{
	int64_t silent_ns = 0;

	for (int s = 0; s < program->paused; s++)
		silent_ns += program->first_ns + s * program->growth_ns;
	assert_int_equal(idle_of(program, WEIR_IDLE_LIKELY_GARBAGE), expected ? silent_ns : 0);
}

static void pauses_that_fall_anywhere_in_a_loop_are_likely_garbage_collection(void **state)
{
	struct program program = misplaced;

	(void)state;
	assert_likely(&program, true);
	program.operators = WEIR_PAUSE_PASSES + 1; /* one place, passed between two operators */
	assert_likely(&program, true);
	program.operators = WEIR_PAUSE_PASSES;
	assert_likely(&program, false);
}

static void aimless_pauses_are_likely_garbage_collection(void **state)
{
	struct program program = aimless;

	(void)state;
	assert_likely(&program, true);
	program.copies = STEPS - 1;
	assert_likely(&program, true);
	program.copies = STEPS; /* each pause may prepare an input */
	assert_likely(&program, false);
	program = aimless;
	program.frame = "scheduler.py(7): schedule";
	assert_likely(&program, false);
	program = aimless;
	program.outside = true;
	assert_likely(&program, false);
}

static void pauses_are_long(void **state)
{
	struct program program = misplaced;

	(void)state;
	program.growth_ns = 0;
	program.first_ns = WEIR_PAUSE_LEAST_NS;
	assert_likely(&program, true);
	program.first_ns = WEIR_PAUSE_LEAST_NS - 1;
	assert_likely(&program, false);
	program.gap_ns = 100000;
	program.first_ns = WEIR_PAUSE_FACTOR * program.gap_ns;
	assert_likely(&program, true);
	program.first_ns--;
	assert_likely(&program, false);
}

static void pauses_are_in_several_steps(void **state)
{
	struct program program = misplaced;

	(void)state;
	program.paused = WEIR_PAUSES_FEWEST;
	assert_likely(&program, true);
	program.paused--;
	assert_likely(&program, false);
	program = aimless;
	program.paused = WEIR_PAUSES_FEWEST;
	program.growth_ns = MS;
	assert_likely(&program, true);
	program.paused--;
	assert_likely(&program, false);
}

/* Five pauses from a to a + 4 d have the quartiles a + d and a + 3 d. */
static void pauses_are_similar(void **state)
{
	struct program program = misplaced;

	(void)state;
	program.paused = 5;
	program.first_ns = 3 * MS;
	program.growth_ns = MS; /* quartiles of 4 and 6 ms; the middle one of 5 ms is the lock's */
	assert_likely(&program, false);
	program.first_ns = 30 * MS;
	program.growth_ns = 10 * MS; /* 40 and 60 */
	assert_likely(&program, true);
	program.first_ns--;
	program.growth_ns += 1;
	assert_likely(&program, false);
}

static void a_pause_as_long_as_the_interpreters_switch_interval_waits_for_its_lock(void **state)
{
	static const struct {
		int64_t ns;
		bool likely;
	} cases[] = {{WEIR_PAUSE_SWITCH_NS - 1, true},
	             {WEIR_PAUSE_SWITCH_NS, false},
	             {WEIR_PAUSE_SWITCH_MOST_NS - 1, false},
	             {WEIR_PAUSE_SWITCH_MOST_NS, true}};
	struct program program = misplaced;

	(void)state;
	program.growth_ns = 0;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		program.first_ns = cases[i].ns;
		assert_likely(&program, cases[i].likely);
	}
}

/* The quartiles of five pauses from a to a + 4 d are 2 d apart. */
static void a_pause_as_exact_as_a_clock_is_a_timer(void **state)
{
	struct program program = aimless;

	(void)state;
	program.paused = 5;
	program.first_ns = 2 * MS;
	program.growth_ns = WEIR_PAUSE_TIMER_NS / 2;
	assert_likely(&program, true);
	program.growth_ns--;
	assert_likely(&program, false);
	program.first_ns = 98 * MS;
	program.growth_ns = MS / 2; /* 1 of 99 ms */
	assert_likely(&program, true);
	program.first_ns = 100 * MS;
	assert_likely(&program, false); /* 1 of 101 ms */
}

static void a_program_without_python_has_no_garbage_collection(void **state)
{
	struct program program = misplaced;

	(void)state;
	program.op = "enqueue";
	assert_likely(&program, false);
	program.op = "run.py(7): mm";
	assert_likely(&program, true);
}

static void a_recorded_collection_is_no_conjecture(void **state)
{
	struct program program = aimless;

	(void)state;
	program.frame = "Python GC";
	assert_int_equal(idle_of(&program, WEIR_IDLE_LIKELY_GARBAGE), 0);
	assert_int_equal(idle_of(&program, WEIR_IDLE_GARBAGE),
	                 STEPS * program.first_ns + STEPS * (STEPS - 1) / 2 * program.growth_ns);
}

/* The rows of a thread follow each other: leaf i is the row of names[i]. */
static uint64_t place_of(const char *const *names, size_t count, size_t leaf)
{
	struct make_trace *make = make_trace_new();
	struct weir_leaves leaves = {0};
	struct weir_pause_thread thread = {.leaves = &leaves};
	struct weir_timeline timeline;
	struct weir_trace *trace;
	uint64_t *keys, place;

	for (size_t i = 0; i < count; i++)
		make_host(make, WEIR_HOST_OP, 0, names[i], (int64_t)i * 100,
		          (int64_t)i * 100 + 100);
	trace = make_trace_finish(make);
	weir_timeline_init(&timeline, trace);
	weir_leaves_init(&leaves, &timeline, 0);
	assert_int_equal(leaves.count, count + 1); /* nothing behind the last row */
	thread.timeline = &timeline;
	keys = weir_pause_name_keys(trace);
	place = weir_pause_place(&thread, keys, leaf);
	free(keys);
	weir_leaves_release(&leaves);
	weir_timeline_release(&timeline);
	weir_trace_free(trace);
	return place;
}

static void a_place_is_a_leaf_and_those_beside_it(void **state)
{
	static const char *const names[] = {"a_1", "b", "c", "d", "e"};
	static const char *const others[] = {"v", "w", "x", "y", "z"};

	(void)state;
	for (size_t leaf = 0; leaf <= 5; leaf++)
		for (size_t other = 0; other < 5; other++) {
			const char *changed[] = {"a_2", "b", "c", "d", "e"};
			bool beside = other + 1 >= leaf && other <= leaf + 1;

			assert_true(place_of(names, 5, leaf) == place_of(changed, 5, leaf));
			changed[other] = others[other];
			assert_int_equal(place_of(names, 5, leaf) != place_of(changed, 5, leaf),
			                 beside);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pauses_that_fall_anywhere_in_a_loop_are_likely_garbage_collection),
		cmocka_unit_test(aimless_pauses_are_likely_garbage_collection),
		cmocka_unit_test(pauses_are_long),
		cmocka_unit_test(pauses_are_in_several_steps),
		cmocka_unit_test(pauses_are_similar),
		cmocka_unit_test(
			a_pause_as_long_as_the_interpreters_switch_interval_waits_for_its_lock),
		cmocka_unit_test(a_pause_as_exact_as_a_clock_is_a_timer),
		cmocka_unit_test(a_program_without_python_has_no_garbage_collection),
		cmocka_unit_test(a_recorded_collection_is_no_conjecture),
		cmocka_unit_test(a_place_is_a_leaf_and_those_beside_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
