/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order in which two versions are measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/pipeline/interleave.h"

static void the_order_is_a_b_b_a(void **state)
{
	static const size_t order[] = {0, 1, 1, 0, 0, 1, 1, 0};

	(void)state;
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		assert_int_equal(weir_interleave_side(i), order[i]);
}

/* The mean time of both sides is the same, so that linear drift cancels. */
static void an_even_number_of_runs_cancels_linear_drift(void **state)
{
	(void)state;
	for (size_t runs = 2; runs <= 20; runs += 2) {
		size_t when[2] = {0}, count[2] = {0};

		for (size_t i = 0; i < 2 * runs; i++) {
			when[weir_interleave_side(i)] += i;
			count[weir_interleave_side(i)]++;
		}
		assert_int_equal(count[0], runs);
		assert_int_equal(count[1], runs);
		assert_int_equal(when[0], when[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_is_a_b_b_a),
		cmocka_unit_test(an_even_number_of_runs_cancels_linear_drift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
