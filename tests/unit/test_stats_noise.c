/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/stats/noise.h"
#include "engine/stats/special.h"
#include "tests/unit/near.h"

#define BASELINES  8
#define CANDIDATES 4
#define RUNS       (BASELINES + CANDIDATES)
#define SUBJECTS   40

/* Deviations of +1 and -1 by turns in the baseline, `size` times as much in the candidate. */
struct sides {
	double deviations[SUBJECTS * RUNS];
	bool used[SUBJECTS];
	struct weir_noise_pool pool;
};

static void sides_init(struct sides *sides, size_t subjects, double size)
{
	*sides = (struct sides){.pool = {.subjects = subjects,
	                                 .columns = RUNS,
	                                 .baselines = BASELINES,
	                                 .least = 1e-9,
	                                 .independent = (double)subjects}};
	for (size_t m = 0; m < subjects; m++) {
		sides->used[m] = true;
		for (size_t r = 0; r < RUNS; r++)
			sides->deviations[m * RUNS + r] =
				(r % 2 ? 0.01 : -0.01) * (r < BASELINES ? 1 : size);
	}
	sides->pool.deviations = sides->deviations;
	sides->pool.used = sides->used;
}

/* The variances are 8/7 and 4/3 of the squares. */
static double ratio_of(double size)
{
	return size * size * (4.0 / 3) / (8.0 / 7);
}

static void a_ratio_that_chance_explains_is_1(void **state)
{
	struct sides sides;
	double size = 1;

	(void)state;
	while (weir_f_upper(ratio_of(size), 3, 7) > 0.05)
		size += 0.001;
	assert_true(size > 1.5 && size < 3);
	sides_init(&sides, 1, size - 0.001);
	assert_near(weir_noise_ratio(&sides.pool), 1, 0);
	sides_init(&sides, 1, size);
	assert_near(weir_noise_ratio(&sides.pool), ratio_of(size), 1e-9);
}

static void a_calmer_candidate_is_taken_for_equal(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides, 3, 0.01);
	assert_near(weir_noise_ratio(&sides.pool), 1, 0);
}

static void subjects_that_move_together_count_once(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides, 3, 1.6); /* one subject alone does not show it */
	assert_true(weir_f_upper(ratio_of(1.6), 3, 7) > 0.05);
	assert_true(weir_f_upper(ratio_of(1.6), 9, 21) < 0.05);
	assert_near(weir_noise_ratio(&sides.pool), ratio_of(1.6), 1e-9);
	sides.pool.independent = 1;
	assert_near(weir_noise_ratio(&sides.pool), 1, 0);
}

/* A subject weighs in units of its variance, so that a noisy one does not decide alone. */
static void subjects_of_any_scale_weigh_the_same(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides, 3, 3);
	for (size_t r = 0; r < RUNS; r++)
		sides.deviations[r] *= 50;
	assert_near(weir_noise_ratio(&sides.pool), ratio_of(3), 1e-9);
}

/* Subjects of different scale and ratio: sums of squares in units of the variance of each. */
static void subjects_of_different_noise_add_up(void **state)
{
	static const double sizes[] = {2, 3, 4}, scales[] = {1, 50, 0.1};
	double before = 0, after = 0;
	struct sides sides;

	(void)state;
	sides_init(&sides, 3, 1);
	for (size_t m = 0; m < 3; m++) {
		double variance = (8 + 4 * sizes[m] * sizes[m]) / 10;

		for (size_t r = 0; r < RUNS; r++)
			sides.deviations[m * RUNS + r] *=
				scales[m] * (r < BASELINES ? 1 : sizes[m]);
		before += 8 / variance;
		after += 4 * sizes[m] * sizes[m] / variance;
	}
	assert_near(weir_noise_ratio(&sides.pool), after / 9 / (before / 21), 1e-9);
}

static void two_runs_of_a_side_have_a_scatter(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides, 1, 10);
	sides.deviations[RUNS - 1] = sides.deviations[RUNS - 2] = NAN;
	assert_near(weir_noise_ratio(&sides.pool), 100 * 2 / (8.0 / 7), 1e-9);
	sides.deviations[RUNS - 3] = NAN;
	assert_near(weir_noise_ratio(&sides.pool), 1, 0);
}

static void a_small_ratio_of_many_subjects_is_no_chance(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides, SUBJECTS, 1.2);
	assert_near(weir_noise_ratio(&sides.pool), ratio_of(1.2), 1e-9);
	sides.pool.independent = 2.0 * SUBJECTS; /* not more than there are */
	assert_near(weir_noise_ratio(&sides.pool), ratio_of(1.2), 1e-9);
}

static void what_is_absent_or_unused_does_not_count(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides, 2, 3);
	for (size_t r = 0; r < RUNS; r++)
		sides.deviations[RUNS + r] = 1e9 * (double)r;
	sides.used[1] = false;
	sides.pool.independent = 1;
	assert_near(weir_noise_ratio(&sides.pool), ratio_of(3), 1e-9);
	for (size_t r = BASELINES + 1; r < RUNS; r++) /* one run has no scatter */
		sides.deviations[r] = NAN;
	assert_near(weir_noise_ratio(&sides.pool), 1, 0);
	sides.used[0] = false;
	assert_near(weir_noise_ratio(&sides.pool), 1, 0);
}

/* Runs that are equal to the tick of the clock scatter by the least variance. */
static void a_scatter_below_the_least_is_no_noise(void **state)
{
	struct sides sides;

	(void)state;
	sides_init(&sides, 1, 1);
	for (size_t r = 0; r < BASELINES; r++)
		sides.deviations[r] = 0;
	assert_true(weir_noise_ratio(&sides.pool) > 1);
	sides.pool.least = 4.0 / 3 * 1e-4; /* the candidate's variance */
	assert_near(weir_noise_ratio(&sides.pool), 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ratio_that_chance_explains_is_1),
		cmocka_unit_test(a_calmer_candidate_is_taken_for_equal),
		cmocka_unit_test(subjects_that_move_together_count_once),
		cmocka_unit_test(subjects_of_any_scale_weigh_the_same),
		cmocka_unit_test(subjects_of_different_noise_add_up),
		cmocka_unit_test(two_runs_of_a_side_have_a_scatter),
		cmocka_unit_test(a_small_ratio_of_many_subjects_is_no_chance),
		cmocka_unit_test(what_is_absent_or_unused_does_not_count),
		cmocka_unit_test(a_scatter_below_the_least_is_no_noise),
	};

	weir_stats_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
