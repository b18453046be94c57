/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/time/instants.h"

static void instants_are_sorted_over_the_whole_range(void **state)
{
	int64_t ns[] = {5, INT64_MAX, -1, INT64_MIN, 5, 0};
	const int64_t sorted[] = {INT64_MIN, -1, 0, 5, 5, INT64_MAX};

	(void)state;
	weir_instants_sort(ns, 6);
	assert_memory_equal(ns, sorted, sizeof sorted);
	weir_instants_sort(NULL, 0);
}

static void an_instant_at_the_time_counts(void **state)
{
	const int64_t sorted[] = {INT64_MIN, -1, 5, 5, 9};

	(void)state;
	assert_int_equal(weir_instants_until(sorted, 5, INT64_MIN), 1);
	assert_int_equal(weir_instants_until(sorted, 5, -2), 1);
	assert_int_equal(weir_instants_until(sorted, 5, 4), 2);
	assert_int_equal(weir_instants_until(sorted, 5, 5), 4);
	assert_int_equal(weir_instants_until(sorted, 5, INT64_MAX), 5);
	assert_int_equal(weir_instants_until(NULL, 0, 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instants_are_sorted_over_the_whole_range),
		cmocka_unit_test(an_instant_at_the_time_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
