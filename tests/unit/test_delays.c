/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The least duration that a stretch of host time has in all steps of the same calls. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/analysis/advice/delays.h"
#include "engine/analysis/rank/rank.h"
#include "engine/base/enums.h"
#include "tests/unit/advice_run.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

#define US     INT64_C(1000)
#define STEP   (100 * US)
#define STEPS  130
#define THREAD 0

struct desk {
	struct weir_trace *trace;
	struct weir_rank rank;
	struct weir_delays delays;
};

/* Steps with an operator from 10 to 20 us, one inside it, and a second one, which begins at 50 us
 * and `more` of the step; the first `longer` steps have a third one. */
static void desk_open(struct desk *desk, int steps, int longer, int64_t (*more)(int step))
{
	static struct weir_device_table table;
	const struct weir_rank_options options = {.table = &table};
	struct make_trace *make = make_trace_new();

	for (int i = 0; i < steps; i++) {
		int64_t at = i * STEP, second = at + 50 * US + more(i);

		advice_make_step(make, i, at, at + STEP);
		make_host(make, WEIR_HOST_OP, THREAD, "a", at + 10 * US, at + 20 * US);
		make_host(make, WEIR_HOST_OP, THREAD, "inside", at + 12 * US, at + 14 * US);
		make_call(make, THREAD, "cudaLaunchKernel", second, second + US, (uint64_t)i + 1);
		make_kernel(make, 0, "kernel", second + 2 * US, second + 3 * US, (uint64_t)i + 1);
		if (i < longer)
			make_host(make, WEIR_HOST_OP, THREAD, "c", at + 90 * US, at + 91 * US);
	}
	desk->trace = make_trace_finish(make);
	weir_rank_init(&desk->rank, desk->trace, &options);
	weir_delays_init(&desk->delays, &desk->rank, THREAD);
}

static void desk_close(struct desk *desk)
{
	weir_delays_release(&desk->delays);
	weir_rank_release(&desk->rank);
	weir_trace_free(desk->trace);
}

/* Returns the least duration of the stretch between the operators of a step. */
static double between(struct desk *desk, int step)
{
	return weir_delays_least_ns(&desk->delays, step * STEP + 20 * US, step * STEP + 50 * US);
}

static int64_t no_more(int step)
{
	(void)step;
	return 0;
}

static int64_t less_in_step_three(int step)
{
	return step == 3 ? -7 * US : step * US / 10;
}

static void the_step_that_is_fastest_decides(void **state)
{
	struct desk desk;

	(void)state;
	desk_open(&desk, 20, 0, less_in_step_three);
	assert_near(between(&desk, 0), 23 * US, 0);
	assert_near(between(&desk, 19), 23 * US, 0);
	/* before the first operator, and behind the one inside it */
	assert_near(weir_delays_least_ns(&desk.delays, 0, 10 * US), 10 * US, 0);
	assert_near(weir_delays_least_ns(&desk.delays, 14 * US, 20 * US), 6 * US, 0);
	desk_close(&desk);
}

static void a_stretch_ends_with_its_step(void **state)
{
	struct desk desk;

	(void)state;
	desk_open(&desk, 20, 0, no_more);
	assert_near(weir_delays_least_ns(&desk.delays, 20 * US, STEP), 30 * US, 0);
	assert_near(weir_delays_least_ns(&desk.delays, 20 * US, STEP + 1), NAN, 0);
	/* no edge follows the last one, and no step holds the time */
	assert_near(weir_delays_least_ns(&desk.delays, 60 * US, STEP), NAN, 0);
	assert_near(weir_delays_least_ns(&desk.delays, 20 * STEP + US, 20 * STEP + 2 * US), NAN, 0);
	desk_close(&desk);
}

static void few_steps_say_nothing(void **state)
{
	static const struct {
		int steps, longer;
		bool known, known_longer; /* in the last step, and in the first */
	} cases[] = {
		{WEIR_DELAY_LEAST_STEPS - 1, 0, false, false},
		{WEIR_DELAY_LEAST_STEPS, 0, true, true},
		{2 * WEIR_DELAY_LEAST_STEPS, WEIR_DELAY_LEAST_STEPS, true, true},
		{2 * WEIR_DELAY_LEAST_STEPS, WEIR_DELAY_LEAST_STEPS - 1, true, false},
		{2 * WEIR_DELAY_LEAST_STEPS, WEIR_DELAY_LEAST_STEPS + 1, false, true},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct desk desk;

		desk_open(&desk, cases[i].steps, cases[i].longer, no_more);
		assert_int_equal(!isnan(between(&desk, cases[i].steps - 1)), cases[i].known);
		assert_int_equal(!isnan(between(&desk, 0)), cases[i].known_longer);
		desk_close(&desk);
	}
}

static void thirty_two_steps_around_the_first_question_are_compared(void **state)
{
	static const struct {
		int first, least, most;
	} cases[] = {{0, 0, 31}, {11, 0, 31}, {16, 0, 31}, {17, 1, 32}, {90, 74, 105}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct desk desk;

		desk_open(&desk, STEPS, 0, no_more);
		assert_near(between(&desk, cases[i].first), 30 * US, 0);
		assert_near(between(&desk, cases[i].least), 30 * US, 0);
		assert_near(between(&desk, cases[i].most), 30 * US, 0);
		assert_near(between(&desk, cases[i].most + 1), NAN, 0);
		if (cases[i].least > 0)
			assert_near(between(&desk, cases[i].least - 1), NAN, 0);
		desk_close(&desk);
	}
}

/* A step reaches from its first edge, at 0, to its last one, the end of the call at 51 us. */
static void a_busy_machine_slows_the_short_stretches_of_a_step(void **state)
{
	struct desk desk;

	(void)state;
	desk_open(&desk, 20, 0, less_in_step_three);
	assert_near(weir_delays_slowdown(&desk.delays, 0), 51.0 / 44, 1e-9);
	assert_near(weir_delays_slowdown(&desk.delays, 19), 52.9 / 44, 1e-9);
	assert_near(weir_delays_slowdown(&desk.delays, 3), 1, 1e-9);
	desk_close(&desk);
	desk_open(&desk, WEIR_DELAY_LEAST_STEPS, 0, less_in_step_three);
	assert_near(weir_delays_slowdown(&desk.delays, 0), 51.0 / 44, 1e-9);
	desk_close(&desk);
	desk_open(&desk, WEIR_DELAY_LEAST_STEPS - 1, 0, less_in_step_three);
	assert_near(weir_delays_slowdown(&desk.delays, 0), 1, 1e-9);
	desk_close(&desk);
}

/* Two operators that are `apart` of the step from each other, and twice that in the first step. */
static void stretch_open(struct desk *desk, int64_t apart)
{
	static struct weir_device_table table;
	const struct weir_rank_options options = {.table = &table};
	struct make_trace *make = make_trace_new();

	for (int i = 0; i < WEIR_DELAY_LEAST_STEPS; i++) {
		int64_t at = (int64_t)i * 10 * STEP,
			second = at + 10 * US + (i == 0 ? 2 : 1) * apart;

		advice_make_step(make, i, at, at + 10 * STEP);
		make_host(make, WEIR_HOST_OP, THREAD, "a", at, at + 10 * US);
		make_call(make, THREAD, "cudaLaunchKernel", second, second + 10 * US,
		          (uint64_t)i + 1);
		make_kernel(make, 0, "kernel", second + 2 * US, second + 3 * US, (uint64_t)i + 1);
	}
	desk->trace = make_trace_finish(make);
	weir_rank_init(&desk->rank, desk->trace, &options);
	weir_delays_init(&desk->delays, &desk->rank, THREAD);
}

static void work_between_events_is_no_dispatch_that_is_slowed(void **state)
{
	struct desk desk;

	(void)state;
	stretch_open(&desk, WEIR_SHORT_STRETCH_NS / 2);
	assert_near(weir_delays_slowdown(&desk.delays, 0), 120.0 / 70, 1e-9);
	desk_close(&desk);
	stretch_open(&desk, WEIR_SHORT_STRETCH_NS / 2 + 1);
	assert_near(weir_delays_slowdown(&desk.delays, 0), 1, 1e-9);
	desk_close(&desk);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_step_that_is_fastest_decides),
		cmocka_unit_test(a_stretch_ends_with_its_step),
		cmocka_unit_test(few_steps_say_nothing),
		cmocka_unit_test(thirty_two_steps_around_the_first_question_are_compared),
		cmocka_unit_test(a_busy_machine_slows_the_short_stretches_of_a_step),
		cmocka_unit_test(work_between_events_is_no_dispatch_that_is_slowed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
