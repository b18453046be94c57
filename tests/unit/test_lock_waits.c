/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Silences are likely waits for Python's interpreter lock, or are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/analysis/timeline/lock_waits.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/scene.h"

#define MS    INT64_C(1000000)
#define WAITS 20

/* A program that launches work, and is silent before each of its operators in turn. */
struct program {
	const char *prefix; /* of the names of operators */
	int places;         /* operators by turns; 0: the same one, as a step of the profiler */
	int waits;
	int64_t wait_ns;
	int others; /* silences of other_ns, behind one more operator */
	int64_t other_ns;
	bool inside; /* the waits lie inside the operators */
};

static const struct program locked = {
	.prefix = "aten::", .places = 4, .waits = WAITS, .wait_ns = 5 * MS + 100000};

static int64_t put_operator(struct make_trace *make, const char *name, int64_t at_ns, int64_t ns)
{
	make_host(make, WEIR_HOST_OP, 0, name, at_ns, at_ns + ns + 30000);
	make_launch(make, at_ns + ns + 10000, at_ns + ns + 15000, at_ns + ns + 16000,
	            at_ns + ns + 20000);
	return at_ns + ns + 30000;
}

/* Returns the time of waits for the lock when the program has run. */
static int64_t lock_ns(const struct program *program)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;
	int64_t at_ns, ns;
	char name[32];

	snprintf(name, sizeof name, "%sfirst", program->prefix);
	at_ns = put_operator(make, name, 0, 0);
	for (int i = 0; i < program->waits; i++) {
		int64_t wait_ns = program->wait_ns;

		if (program->places == 0)
			snprintf(name, sizeof name, "%sstep#%d", program->prefix, i);
		else
			snprintf(name, sizeof name, "%s%c", program->prefix,
			         'a' + i % program->places);
		if (!program->inside)
			at_ns += wait_ns;
		at_ns = put_operator(make, name, at_ns, program->inside ? wait_ns : 0);
	}
	snprintf(name, sizeof name, "%sother", program->prefix);
	for (int i = 0; i < program->others; i++)
		at_ns = put_operator(make, name, at_ns + program->other_ns, 0);
	scene_init(&scene, make_trace_finish(make), false);
	ns = scene_idle_ns(&scene, WEIR_IDLE_LOCK);
	scene_release(&scene);
	return ns;
}

static void assert_waits(const struct program *program, bool expected)
{
	int64_t ns = lock_ns(program), all_ns = program->waits * program->wait_ns;

	if (!expected)
		assert_int_equal(ns, 0);
	else if (program->inside) /* the part of an operator before its launch */
		assert_in_range(ns, all_ns, all_ns + program->waits * INT64_C(10000));
	else
		assert_int_equal(ns, all_ns);
}

static void silences_of_the_switch_interval_at_many_places_wait_for_the_lock(void **state)
{
	struct program program = locked;

	(void)state;
	assert_waits(&program, true);
	program.inside = true; /* an operator gives the lock up and takes it again */
	assert_waits(&program, true);
	program.inside = false;
	program.waits = WEIR_LOCK_WAITS_FEWEST;
	assert_waits(&program, true);
	program.waits--;
	assert_waits(&program, false);
}

static void a_wait_lasts_a_multiple_of_the_switch_interval(void **state)
{
	static const struct {
		int64_t ns;
		bool waits;
	} cases[] = {{5 * MS - 1, false},  {5 * MS, true},
	             {6 * MS - 1, true},   {6 * MS, false},
	             {10 * MS - 1, false}, {10 * MS, true},
	             {11 * MS - 1, true},  {11 * MS, false},
	             {36 * MS - 1, true},  {WEIR_LOCK_WAIT_END_NS, false}};
	struct program program = locked;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		program.wait_ns = cases[i].ns;
		assert_waits(&program, cases[i].waits);
	}
}

static void a_place_that_holds_more_than_half_of_the_waits_sleeps(void **state)
{
	struct program program = locked;

	(void)state;
	program.places = 1;
	assert_waits(&program, false);
	program.places = 0; /* numbers in names make no places */
	assert_waits(&program, false);
	program.places = 3;
	assert_waits(&program, true);
}

static void waits_hold_half_of_the_silent_time(void **state)
{
	struct program program = locked;

	(void)state;
	program.others = WAITS;
	program.other_ns = program.wait_ns + 2 * MS;
	assert_waits(&program, false);
	program.other_ns = 3 * MS;
	assert_waits(&program, true);
	program.others = WAITS * 5;
	program.other_ns = WEIR_PAUSE_LEAST_NS - 1; /* code, not silence */
	assert_waits(&program, true);
	program.other_ns = 2 * MS;
	assert_waits(&program, false);
}

static void a_program_without_python_has_no_interpreter_lock(void **state)
{
	struct program program = locked;

	(void)state;
	program.prefix = "run_";
	assert_waits(&program, false);
	program.prefix = "run.py(7): ";
	assert_waits(&program, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(silences_of_the_switch_interval_at_many_places_wait_for_the_lock),
		cmocka_unit_test(a_wait_lasts_a_multiple_of_the_switch_interval),
		cmocka_unit_test(a_place_that_holds_more_than_half_of_the_waits_sleeps),
		cmocka_unit_test(waits_hold_half_of_the_silent_time),
		cmocka_unit_test(a_program_without_python_has_no_interpreter_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
