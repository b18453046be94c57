/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detectable effects and runs needed: against the formula, and against each other. */
#include <math.h>
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

/* Computes the minimum detectable effect by its formula. */
static double effect_of(const struct weir_power *power)
{
	double b = (double)power->baseline_runs;
	double c = power->single ? 1 : (double)power->candidate_runs;
	double df = b + c - 2 + power->prior_df;

	return fmax(power->margin, (weir_t_quantile_upper(power->alpha, df) +
	                            weir_t_quantile_upper(1 - power->power, df)) *
	                                   sqrt(power->variance * (1 / b + 1 / c)));
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
	assert_true(effect_of(&power) <= effect);
	power.candidate_runs--;
	assert_true(effect_of(&power) > effect);
}

static void the_runs_needed_are_exact_at_every_size(void **state)
{
	struct weir_power power = five_by_three();

	(void)state;
	for (size_t runs = 3; runs <= WEIR_POWER_CANDIDATES; runs++) {
		double effect;

		power.candidate_runs = runs;
		effect = effect_of(&power) * (1 + 1e-9);
		power.candidate_runs = 3;
		assert_int_equal(weir_power_runs(&power, effect).candidates, runs);
	}
	for (size_t runs = 6; runs <= WEIR_POWER_BASELINES; runs++) {
		double effect;

		power.candidate_runs = 7;
		power.baseline_runs = runs;
		effect = effect_of(&power) * (1 + 1e-9);
		power.baseline_runs = 5;
		if (weir_power_runs(&power, effect).candidates > 0)
			continue;
		assert_int_equal(weir_power_runs(&power, effect).baselines, runs);
	}
}

static void no_effect_below_the_margin_is_detected(void **state)
{
	struct weir_power power = five_by_three();

	(void)state;
	power.variance = 1e-8;
	power.margin = 0.5;
	assert_int_equal(weir_power_runs(&power, 0.5).candidates, 3);
	assert_int_equal(weir_power_runs(&power, 0.499).candidates, 0);
	assert_int_equal(weir_power_runs(&power, 0.499).baselines, 0);
}

static void the_slack_below_the_margin_is_limited(void **state)
{
	struct weir_power power = five_by_three();
	/* t(0.8) of 10 degrees (prior 4) is 0.8791; the standard error of 5 against 3 is 0.0073. */
	double likely = 0.8791 * sqrt(1e-4 * 8 / 15);

	(void)state;
	power.alpha = 0.4; /* so that the margin decides */
	power.margin = 0.05;
	assert_int_equal(weir_power_runs(&power, 0.045 + likely + 1e-5).candidates, 3);
	assert_true(weir_power_runs(&power, 0.045 + likely - 1e-5).candidates > 3);
	power.margin = 0.07; /* a tenth of it is more than the standard errors */
	assert_int_equal(weir_power_runs(&power, 0.07).candidates, 3);
	power.leads = true;
	power.margin = 0.025; /* t(0.85) is 1.0931, more than 15 % of the margin */
	assert_int_equal(weir_power_runs(&power, 0.02125 + likely + 1e-5).candidates, 3);
	assert_true(weir_power_runs(&power, 0.02125 + likely - 1e-5).candidates > 3);
	power.margin = 0.07; /* nothing below the margin is promised */
	assert_int_equal(weir_power_runs(&power, 0.07).candidates, 3);
	assert_int_equal(weir_power_runs(&power, 0.0699).candidates, 0);
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
	assert_true(effect_of(&power) <= effect);
	power.baseline_runs--;
	assert_true(effect_of(&power) > effect);
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
	double effect;

	(void)state;
	power.single = true;
	power.baseline_runs = 10;
	effect = (weir_t_quantile_upper(1e-5, 13) + weir_t_quantile_upper(0.2, 13)) *
	         sqrt(1e-4 * 1.1);
	assert_int_equal(weir_power_runs(&power, effect * (1 + 1e-9)).candidates, 3);
	assert_int_equal(weir_power_runs(&power, effect * (1 - 1e-9)).candidates, 0);
	assert_int_equal(weir_power_runs(&power, effect * (1 - 1e-9)).baselines, 11);
}

static void without_a_variance_nothing_is_said(void **state)
{
	struct weir_power power = five_by_three();

	(void)state;
	power.variance = NAN;
	assert_int_equal(weir_power_runs(&power, 1).candidates, 0);
	assert_int_equal(weir_power_runs(&power, 1).baselines, 0);
	power = five_by_three();
	power.baseline_runs = 0;
	assert_int_equal(weir_power_runs(&power, 1).candidates, 0);
	assert_int_equal(weir_power_runs(&power, 1).baselines, 0);
}

static void two_runs_have_no_scatter_of_their_own(void **state)
{
	struct weir_power power = five_by_three();

	(void)state;
	power.single = true;
	power.baseline_runs = 1;
	assert_int_equal(weir_power_runs(&power, 10).candidates, 0);
	assert_int_equal(weir_power_runs(&power, 10).baselines, 2);
}

static void the_slack_is_a_share_of_the_margin_and_of_the_error(void **state)
{
	double by_error = weir_t_quantile_upper(0.2, 7), leading = weir_t_quantile_upper(0.15, 7);

	(void)state;
	assert_near(weir_power_slack(false, 0.03, 1e-3, 7), by_error * 1e-3, 1e-12);
	assert_near(weir_power_slack(true, 0.03, 1e-3, 7), leading * 1e-3, 1e-12);
	assert_near(weir_power_slack(false, 0.03, 1, 7), 0.003, 1e-12);
	assert_near(weir_power_slack(true, 0.03, 1, 7), 0.0045, 1e-12);
	assert_near(weir_power_slack(false, 0.03, 0, 7), 0, 0);
	assert_near(weir_power_slack(true, 0.03, NAN, 7), 0, 0);
}

/* A single candidate must pass the margin by what its error explains, without slack. */
static void a_single_candidate_has_no_slack(void **state)
{
	struct weir_power power = five_by_three();
	double likely;

	(void)state;
	power.alpha = 0.4;
	power.margin = 0.03;
	power.single = true;
	likely = weir_t_quantile_upper(1 - power.power, 8) * sqrt(power.variance * (1.0 / 5 + 1));
	assert_int_equal(weir_power_runs(&power, (0.03 + likely) * (1 + 1e-9)).candidates, 3);
	assert_int_equal(weir_power_runs(&power, (0.03 + likely) * (1 - 1e-9)).candidates, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_more_run_than_needed_was_one_too_many),
		cmocka_unit_test(the_runs_needed_are_exact_at_every_size),
		cmocka_unit_test(no_effect_below_the_margin_is_detected),
		cmocka_unit_test(the_slack_below_the_margin_is_limited),
		cmocka_unit_test(baseline_runs_help_where_candidates_do_not),
		cmocka_unit_test(noise_may_be_too_high_for_any_number),
		cmocka_unit_test(enough_is_three_candidates_not_fewer),
		cmocka_unit_test(more_candidates_of_one_session_do_not_help),
		cmocka_unit_test(without_a_variance_nothing_is_said),
		cmocka_unit_test(two_runs_have_no_scatter_of_their_own),
		cmocka_unit_test(the_slack_is_a_share_of_the_margin_and_of_the_error),
		cmocka_unit_test(a_single_candidate_has_no_slack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
