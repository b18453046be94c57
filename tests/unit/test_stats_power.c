/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detectable effects and runs needed: against the formula, and against each other. */
#include <stdlib.h>

#include "engine/stats/power.h"
#include "engine/stats/special.h"
#include "tests/unit/near.h"

static struct weir_power five_by_three(void)
{
	return (struct weir_power){.variance = 1e-4,
	                           .prior_df = 4,
	                           .baseline_runs = 5,
	                           .candidate_runs = 3,
	                           .alpha = 1e-5,
	                           .power = WEIR_POWER_DEFAULT};
}

static void the_effect_follows_the_formula(void **state)
{
	struct weir_power power = five_by_three();
	double quantiles = weir_t_quantile_upper(1e-5, 10) + weir_t_quantile_upper(0.2, 10);

	(void)state;
	assert_near(weir_power_effect(&power), quantiles * sqrt(1e-4 * (1.0 / 5 + 1.0 / 3)), 1e-12);
	power.margin = 0.5;
	assert_near(weir_power_effect(&power), 0.5, 0);
}

static void one_more_run_than_needed_was_one_too_many(void **state)
{
	struct weir_power power = five_by_three();
	double effect = 0.06;
	struct weir_runs_needed needed = weir_power_runs(&power, effect);

	(void)state;
	assert_true(needed.candidates > 3 && needed.candidates <= WEIR_POWER_CANDIDATES);
	assert_int_equal(needed.baselines, 0);
	power.candidate_runs = needed.candidates;
	assert_true(weir_power_effect(&power) <= effect);
	power.candidate_runs--;
	assert_true(weir_power_effect(&power) > effect);
}

static void baseline_runs_help_where_candidates_do_not(void **state)
{
	struct weir_power power = five_by_three();
	struct weir_runs_needed needed;
	double effect = 0.028;

	(void)state;
	needed = weir_power_runs(&power, effect);
	assert_int_equal(needed.candidates, 0);
	assert_true(needed.baselines > 5 && needed.baselines <= WEIR_POWER_BASELINES);
	power.candidate_runs = 5;
	power.baseline_runs = needed.baselines;
	assert_true(weir_power_effect(&power) <= effect);
	power.baseline_runs--;
	assert_true(weir_power_effect(&power) > effect);
}

static void noise_may_be_too_high_for_any_number(void **state)
{
	struct weir_power power = five_by_three();
	struct weir_runs_needed needed;

	(void)state;
	power.variance = 1;
	needed = weir_power_runs(&power, 0.03);
	assert_int_equal(needed.candidates, 0);
	assert_int_equal(needed.baselines, 0);
}

static void enough_is_three_candidates_not_fewer(void **state)
{
	struct weir_power power = five_by_three();

	(void)state;
	power.variance = 1e-8;
	assert_int_equal(weir_power_runs(&power, 0.03).candidates, 3);
}

static void more_candidates_of_one_session_do_not_help(void **state)
{
	struct weir_power power = five_by_three();
	double before;

	(void)state;
	power.single = true;
	power.baseline_runs = 10;
	before = weir_power_effect(&power);
	power.candidate_runs = 20;
	assert_near(weir_power_effect(&power), before, 0);
	assert_near(before,
	            (weir_t_quantile_upper(1e-5, 13) + weir_t_quantile_upper(0.2, 13)) *
	                    sqrt(1e-4 * 1.1),
	            1e-12);
}

static void without_a_variance_nothing_is_said(void **state)
{
	struct weir_power power = five_by_three();

	(void)state;
	power.variance = NAN;
	assert_near(weir_power_effect(&power), NAN, 0);
	assert_int_equal(weir_power_runs(&power, 1).candidates, 0);
	power = five_by_three();
	power.baseline_runs = power.candidate_runs = 1;
	power.prior_df = 0;
	assert_near(weir_power_effect(&power), NAN, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_effect_follows_the_formula),
		cmocka_unit_test(one_more_run_than_needed_was_one_too_many),
		cmocka_unit_test(baseline_runs_help_where_candidates_do_not),
		cmocka_unit_test(noise_may_be_too_high_for_any_number),
		cmocka_unit_test(enough_is_three_candidates_not_fewer),
		cmocka_unit_test(more_candidates_of_one_session_do_not_help),
		cmocka_unit_test(without_a_variance_nothing_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
