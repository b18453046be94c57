/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trimmed mean and its test. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/stats/trimmed.h"

static void a_fifth_at_each_end_is_left_out(void **state)
{
	double values[] = {3, -1e9, 1, 2, 4, 1e12, 5, 6, 7, 8};
	struct weir_trimmed got = weir_trimmed_test(values, 10);

	(void)state;
	/* Kept: 2 to 7. Winsorized: 2, 2, 2, 3, 4, 5, 6, 7, 7, 7 with variance 42.5 / 9; t = 4.5 /
	 * sqrt(9 * 4.7222 / 30) = 3.7808 with 5 degrees of freedom, whose upper tail is .006440. */
	assert_true(fabs(got.mean - 4.5) < 1e-12);
	assert_true(fabs(got.p - 0.006440) < 5e-6);
}

static void fewer_than_five_values_are_all_kept(void **state)
{
	double four[] = {9, 1, 1, 1}, one[] = {3}, none[1] = {0};

	(void)state;
	assert_true(fabs(weir_trimmed_test(four, 4).mean - 3) < 1e-12);
	assert_true(weir_trimmed_test(one, 1).mean == 3);
	assert_true(weir_trimmed_test(one, 1).p == 1);
	assert_true(isnan(weir_trimmed_test(none, 0).mean));
	assert_true(weir_trimmed_test(none, 0).p == 1);
}

static void equal_values_are_certain(void **state)
{
	double more[] = {2, 2, 2}, half[] = {0.5, 0.5}, nothing[] = {0, 0, 0},
	       less[] = {-2, -2, -2};

	(void)state;
	assert_true(weir_trimmed_test(more, 3).p == 0);
	assert_true(weir_trimmed_test(half, 2).p == 0);
	assert_true(weir_trimmed_test(nothing, 3).p == 1);
	assert_true(weir_trimmed_test(less, 3).p == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fifth_at_each_end_is_left_out),
		cmocka_unit_test(fewer_than_five_values_are_all_kept),
		cmocka_unit_test(equal_values_are_certain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
