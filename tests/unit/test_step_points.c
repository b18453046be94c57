/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Durations of many steps as few points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/drawing/step_points.h"
#include "tests/unit/near.h"

struct run {
	double *duration_ns;
	uint8_t *marks;
	size_t count;
	struct weir_arena *arena;
	struct weir_step_times times;
};

/* Makes steps of 1, 2, 3, ... ns, all of which count. */
static void run_init(struct run *run, size_t count)
{
	*run = (struct run){.duration_ns = weir_alloc(count * sizeof(double)),
	                    .marks = weir_alloc(count),
	                    .count = count,
	                    .arena = weir_arena_new()};
	for (size_t i = 0; i < count; i++)
		run->duration_ns[i] = (double)(i + 1);
}

static void run_join(struct run *run)
{
	weir_step_points(run->duration_ns, run->marks, run->count, run->arena, &run->times);
}

static void run_release(struct run *run)
{
	free(run->duration_ns);
	free(run->marks);
	weir_arena_free(run->arena);
}

static void few_steps_have_their_own_points(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, WEIR_STEP_MAX_POINTS);
	run_join(&run);
	assert_int_equal(run.times.steps, WEIR_STEP_MAX_POINTS);
	assert_int_equal(run.times.point_count, WEIR_STEP_MAX_POINTS);
	assert_int_equal(run.times.points[7].first, 7);
	assert_int_equal(run.times.points[7].count, 1);
	assert_near(run.times.points[7].p50_ns, 8, 0);
	run_release(&run);
}

static void one_step_more_makes_points_of_two(void **state)
{
	struct run run;

	(void)state;
	run_init(&run, WEIR_STEP_MAX_POINTS + 1);
	run_join(&run);
	assert_int_equal(run.times.point_count, WEIR_STEP_MAX_POINTS / 2 + 1);
	assert_int_equal(run.times.points[1].first, 2);
	assert_int_equal(run.times.points[1].count, 2);
	assert_near(run.times.points[1].low_ns, 3, 0);
	assert_near(run.times.points[1].p50_ns, 3.5, 0);
	assert_near(run.times.points[1].high_ns, 4, 0);
	run_release(&run);
}

static void a_step_that_is_set_apart_has_its_own_point(void **state)
{
	struct run run;
	size_t p = 0;

	(void)state;
	run_init(&run, 8000);
	run.marks[41] = WEIR_MARK_ONE_OFF;
	run_join(&run);
	while (run.times.points[p].first != 41)
		p++;
	assert_int_equal(run.times.points[p].count, 1);
	assert_int_equal(run.times.points[p].mark, WEIR_MARK_ONE_OFF);
	assert_int_equal(run.times.points[p - 1].mark, WEIR_MARK_STEADY);
	run_release(&run);
}

static void marks_that_change_all_the_time_still_fit(void **state)
{
	struct run run;
	uint64_t steps = 0;

	(void)state;
	run_init(&run, 5000);
	for (size_t i = 0; i < run.count; i += 2)
		run.marks[i] = WEIR_MARK_INCOMPLETE;
	run_join(&run);
	assert_in_range(run.times.point_count, 1, WEIR_STEP_MAX_POINTS);
	for (size_t p = 0; p < run.times.point_count; p++)
		steps += run.times.points[p].count;
	assert_int_equal(steps, 5000);
	run_release(&run);
}

/* Joins `single` steps of alternating marks, and then `groups` of `length` steps whose marks
 * alternate as well. */
static void join_groups(struct run *run, size_t single, size_t groups, size_t length)
{
	run_init(run, single + groups * length);
	for (size_t i = 0; i < run->count; i++) {
		size_t group = i < single ? i : single + (i - single) / length;

		run->marks[i] = group % 2 ? WEIR_MARK_ONE_OFF : WEIR_MARK_STEADY;
	}
	run_join(run);
}

static void marks_share_a_point_only_if_they_change_too_often(void **state)
{
	struct run run;

	(void)state;
	/* 700 steps are two a point. */
	join_groups(&run, 100, 300, 2);
	assert_int_equal(run.times.point_count, WEIR_STEP_MAX_POINTS);
	assert_int_equal(run.times.points[99].count, 1);
	assert_int_equal(run.times.points[100].count, 2);
	run_release(&run);
	/* One more point is too many: then four share one. */
	join_groups(&run, 102, 299, 2);
	assert_int_equal(run.times.point_count, 175);
	assert_int_equal(run.times.points[0].count, 4);
	run_release(&run);
	/* Groups of three are two points each, and one if four steps may share a point. */
	join_groups(&run, 100, 200, 3);
	assert_int_equal(run.times.point_count, 300);
	assert_int_equal(run.times.points[100].count, 3);
	assert_int_equal(run.times.points[299].count, 3);
	run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_steps_have_their_own_points),
		cmocka_unit_test(one_step_more_makes_points_of_two),
		cmocka_unit_test(a_step_that_is_set_apart_has_its_own_point),
		cmocka_unit_test(marks_that_change_all_the_time_still_fit),
		cmocka_unit_test(marks_share_a_point_only_if_they_change_too_often),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
