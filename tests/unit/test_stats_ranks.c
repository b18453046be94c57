/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank sums against counts by hand, and the transformed share of a tail. */
#include "engine/stats/quantile.h"
#include "engine/stats/ranks.h"
#include "tests/unit/near.h"

static void small_samples_are_counted_exactly(void **state)
{
	(void)state;
	assert_near(weir_rank_upper(15, 5, 3), 1.0 / 56, 1e-12);
	assert_near(weir_rank_upper(14, 5, 3), 2.0 / 56, 1e-12);
	assert_near(weir_rank_upper(13, 5, 3), 4.0 / 56, 1e-12);
	assert_near(weir_rank_upper(9, 3, 3), 1.0 / 20, 1e-12);
	assert_near(weir_rank_upper(50, 10, 5), 1.0 / 3003, 1e-12);
	assert_near(weir_rank_upper(0, 10, 5), 1, 1e-12);
	assert_near(weir_rank_upper(10, 10, 1), 1.0 / 11, 1e-12);
	assert_near(weir_rank_upper(1, 0, 3), NAN, 0);
}

static void large_samples_are_nearly_normal(void **state)
{
	(void)state;
	assert_near(weir_rank_upper(1201, 40, 50), 0.0525, 0.02); /* exact: 2,000 pairs */
	/* 1,300 of 2,050 pairs: 2.1896 standard errors with the continuity correction. */
	assert_near(weir_rank_upper(1300, 41, 50), 0.01428, 0.001);
	assert_true(weir_rank_upper(9500, 100, 100) < 1e-20);
}

static void a_share_of_a_tail_is_transformed(void **state)
{
	static const double values[] = {1, 2, 3, 4};

	(void)state;
	assert_near(weir_tail_share(values, 4, 3), 2 * asin(sqrt(1.375 / 4.75)), 1e-12);
	assert_near(weir_tail_share(values, 4, 4), 2 * asin(sqrt(0.375 / 4.75)), 1e-12);
	assert_near(weir_tail_share(values, 0, 4), NAN, 0);
}

static void one_value_on_a_side_makes_all_counts_equally_likely(void **state)
{
	(void)state;
	for (size_t greater = 0; greater <= 3; greater++) {
		assert_near(weir_rank_upper(greater, 1, 3), (4 - (double)greater) / 4, 1e-12);
		assert_near(weir_rank_upper(greater, 3, 1), (4 - (double)greater) / 4, 1e-12);
	}
	assert_near(weir_rank_upper(5, 1, 3), 0, 0);
	assert_near(weir_rank_upper(0, 0, 3), NAN, 0);
	assert_near(weir_rank_upper(0, 3, 0), NAN, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_samples_are_counted_exactly),
		cmocka_unit_test(large_samples_are_nearly_normal),
		cmocka_unit_test(a_share_of_a_tail_is_transformed),
		cmocka_unit_test(one_value_on_a_side_makes_all_counts_equally_likely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
