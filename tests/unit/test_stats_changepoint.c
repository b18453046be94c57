/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Series whose changes are known. */
#include <stdlib.h>

#include "engine/stats/changepoint.h"
#include "tests/unit/near.h"

static const struct weir_changepoint_rule rule = {
	.least_segment = 4, .permutations = 199, .alpha = 0.01, .seed = 7};

static double noise(uint64_t *seed)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)(next_number(seed) >> 11) * 0x1p-53;
	return sum - 6;
}

static void two_steps_are_found_where_they_are(void **state)
{
	struct weir_changepoint found[8];
	double values[60];
	uint64_t seed = 5;

	(void)state;
	for (size_t i = 0; i < 60; i++)
		values[i] = (i < 20 ? 10 : i < 40 ? 12 : 9) + 0.2 * noise(&seed);
	assert_int_equal(weir_changepoints(values, 60, &rule, found, 8), 2);
	assert_int_equal(found[0].at, 20);
	assert_int_equal(found[1].at, 40);
	assert_true(found[0].p <= 0.01 && found[0].size > 0);
	assert_int_equal(weir_changepoints(values, 60, &rule, found, 1), 1);
}

static void a_change_of_spread_is_a_change(void **state)
{
	struct weir_changepoint found[8];
	double values[200];
	uint64_t seed = 5;

	(void)state;
	for (size_t i = 0; i < 200; i++)
		values[i] = (i < 100 ? 0.1 : 3) * noise(&seed);
	assert_true(weir_changepoints(values, 200, &rule, found, 8) >= 1);
	assert_true(found[0].at > 90 && found[0].at < 110);
}

/* The sums that are updated equal those over all pairs. */
static void the_size_is_the_energy_distance(void **state)
{
	static const double values[] = {1, 3, 2, 2, 3, 1, 9, 7, 8, 8, 9, 7};
	struct weir_changepoint found[8];
	double across = 0, left = 0, right = 0;

	(void)state;
	for (size_t i = 0; i < 12; i++)
		for (size_t j = 0; j < i; j++)
			*(i < 6    ? &left
			  : j >= 6 ? &right
			           : &across) += values[i] > values[j] ? values[i] - values[j]
			                                               : values[j] - values[i];
	assert_int_equal(weir_changepoints(values, 12, &rule, found, 8), 1);
	assert_int_equal(found[0].at, 6);
	assert_near(found[0].size, 36.0 / 12 * (2 * across / 36 - left / 15 - right / 15), 1e-12);
}

static void a_long_series_is_searched_too(void **state)
{
	struct weir_changepoint found[8];
	static double values[20000];
	uint64_t seed = 3;

	(void)state;
	for (size_t i = 0; i < 20000; i++)
		values[i] = (i < 15000 ? 10 : 10.3) + 0.2 * noise(&seed);
	assert_int_equal(weir_changepoints(values, 20000, &rule, found, 1), 1);
	assert_in_range(found[0].at, 14980, 15020);
}

static void level_noise_has_no_change(void **state)
{
	struct weir_changepoint found[8];
	double values[40];
	uint64_t seed = 9;
	size_t false_points = 0;

	(void)state;
	for (size_t repeat = 0; repeat < 50; repeat++) {
		for (size_t i = 0; i < 40; i++)
			values[i] = noise(&seed);
		false_points += weir_changepoints(values, 40, &rule, found, 8) > 0;
	}
	assert_true(false_points <= 4); /* 1 % of 50 */
}

static void constant_and_short_series_have_none(void **state)
{
	struct weir_changepoint found[2];
	double values[20] = {0};
	struct weir_changepoint_rule short_rule = rule;

	(void)state;
	assert_int_equal(weir_changepoints(values, 20, &rule, found, 2), 0);
	assert_int_equal(weir_changepoints(values, 7, &rule, found, 2), 0);
	assert_int_equal(weir_changepoints(NULL, 0, &rule, found, 2), 0);
	short_rule.least_segment = 1;
	assert_int_equal(weir_changepoints(values, 20, &short_rule, found, 2), 0);
}

static void the_same_seed_gives_the_same_p(void **state)
{
	struct weir_changepoint one, two;
	double values[24];
	uint64_t seed = 2;

	(void)state;
	for (size_t i = 0; i < 24; i++)
		values[i] = (i < 12 ? 0 : 2) + 0.5 * noise(&seed);
	assert_int_equal(weir_changepoints(values, 24, &rule, &one, 1), 1);
	assert_int_equal(weir_changepoints(values, 24, &rule, &two, 1), 1);
	assert_int_equal(one.at, 12);
	assert_near(one.p, two.p, 0);
	assert_near(one.p, 1.0 / 200, 1e-12); /* no permutation is as good */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_steps_are_found_where_they_are),
		cmocka_unit_test(a_change_of_spread_is_a_change),
		cmocka_unit_test(the_size_is_the_energy_distance),
		cmocka_unit_test(a_long_series_is_searched_too),
		cmocka_unit_test(level_noise_has_no_change),
		cmocka_unit_test(constant_and_short_series_have_none),
		cmocka_unit_test(the_same_seed_gives_the_same_p),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
