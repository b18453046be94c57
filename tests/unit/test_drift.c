/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slow drift: its threshold, its rate of false alarms over whole histories, and the runs that it
 * names. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/drift.h"
#include "engine/base/arena.h"
#include "engine/base/splitmix.h"
#include "engine/stats/special.h"
#include "tests/unit/near.h"

#define STAGES 4
#define RUNS   200

static double normal(uint64_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++) {
		*state = weir_splitmix64(*state);
		sum += (double)(*state >> 11) / 9007199254740992.0;
	}
	return sum;
}

/* A line without drift around which the units scatter by +-1 %; the newest are `change` higher. */
static struct weir_drift_cell cell_with(double change, size_t new_runs)
{
	static const double margins[] = {0.03};
	double y[20];
	struct weir_drift_input in = {1, 20, 5, 5, y, margins, 0.01, new_runs};
	struct weir_drift_cell cell;

	for (size_t i = 0; i < 20; i++)
		y[i] = (i % 2 ? 0.01 : -0.01) + (i >= 15 ? change : 0);
	weir_drift_test(&in, &cell);
	return cell;
}

/* numpy.polyfit of the 20 units and the t test by hand. */
static void the_test_is_that_of_a_detrended_variance(void **state)
{
	struct weir_drift_cell cell = cell_with(0.06, 5);
	double error;

	(void)state;
	assert_near(cell.df, 18, 0);
	assert_near(cell.change, 0.064, 1e-12);
	error = cell.change / weir_t_quantile_upper(cell.p, 18);
	assert_near(error * error / 0.4, 0.00046641604010025064, 1e-9);
	assert_near(cell.p_adjusted, cell.p * 40, 1e-15);
	assert_near(cell.high - cell.change, error * weir_t_quantile_upper(0.05, 18), 1e-12);
}

static void a_level_is_spent_over_two_hundred_runs(void **state)
{
	(void)state;
	assert_near(cell_with(0.06, 1).p_adjusted / cell_with(0.06, 1).p, 200, 1e-9);
	assert_near(cell_with(0.06, 200).p_adjusted, cell_with(0.06, 200).p, 1e-15);
}

static void a_change_has_to_reach_its_margin(void **state)
{
	static const double margins[] = {0.03};
	double y[40];
	struct weir_drift_input in = {1, 40, 15, 15, y, margins, 0.01, 15};
	struct weir_drift_cell cell;

	(void)state;
	for (int beyond = 0; beyond < 2; beyond++) {
		/* A straight line, so that the variance is the least that is assumed. The slack is
		 * t(0.8) standard errors, which is less than a tenth of the margin. */
		double slack = weir_t_quantile_upper(0.2, 38) * 0.002 * sqrt(2.0 / 15);
		double change = log1p(0.03) - slack + (beyond ? 1e-6 : -1e-6);

		for (size_t i = 0; i < 40; i++)
			y[i] = change / 25 * (double)i;
		weir_drift_test(&in, &cell);
		assert_near(cell.change, change, 1e-12);
		assert_true(cell.p_adjusted < 0.01);
		assert_int_equal(cell.drifts, beyond);
	}
}

/* A figure that some run lacks cannot be followed. */
static void a_gap_is_no_drift(void **state)
{
	static const double margins[] = {0.03};
	double y[20];
	struct weir_drift_input in = {1, 20, 5, 5, y, margins, 0.01, 5};
	struct weir_drift_cell cell;

	(void)state;
	for (size_t i = 0; i < 20; i++)
		y[i] = 0.01 * (double)i;
	weir_drift_test(&in, &cell);
	assert_true(cell.drifts);
	y[7] = NAN;
	weir_drift_test(&in, &cell);
	assert_false(cell.drifts);
	assert_true(isnan(cell.p_adjusted));
}

/* Looks at a history after every three runs, as a gate does; returns true if any look is red. */
static bool history_drifts(uint64_t seed, double margin, bool together)
{
	const double margins[STAGES] = {margin, margin, margin, margin};
	static double all[STAGES][RUNS];
	double *y = weir_alloc((size_t)STAGES * RUNS * sizeof(*y));
	struct weir_drift_cell cells[STAGES];
	bool red = false;

	for (size_t i = 0; i < RUNS; i++) {
		double shared = normal(&seed);

		for (size_t m = 0; m < STAGES; m++)
			all[m][i] = 0.01 * (together ? shared : normal(&seed));
	}
	for (size_t units = 13; units <= RUNS && !red; units += 3) {
		const struct weir_drift_input in = {STAGES, units, 5, 5, y, margins, 0.01, 3};

		for (size_t m = 0; m < STAGES; m++)
			memcpy(y + m * units, all[m], units * sizeof(*y));
		weir_drift_test(&in, cells);
		for (size_t m = 0; m < STAGES; m++)
			red = red || cells[m].drifts;
	}
	free(y);
	return red;
}

/* Without the help of a margin: 1 % of the histories, and 1,000 histories show more than 2 % with a
 * probability below 0.001 if 1 % is true. With the margin of 3 %: fewer than 1 %. */
static void unchanged_histories_rarely_drift(void **state)
{
	(void)state;
	for (int together = 0; together < 2; together++) {
		size_t red = 0, beyond = 0;

		for (uint64_t seed = 0; seed < 1000; seed++) {
			red += history_drifts(weir_splitmix64(seed), 0.001, together);
			beyond += history_drifts(weir_splitmix64(seed), 0.03, together);
		}
		print_message("of 1000 histories %zu drift, %zu by the margin\n", red, beyond);
		if (red > 20 || beyond >= 10)
			fail_msg("%zu and %zu of 1000 unchanged histories drift", red, beyond);
	}
}

/* ---- runs ---- */

static double margin(const void *context, const char *scope, enum weir_metric metric)
{
	(void)context;
	(void)scope;
	return metric == WEIR_METRIC_DRIFT ? 0.03 : 10;
}

static enum weir_treatment treatment(const void *context, const char *scope,
                                     enum weir_metric metric)
{
	(void)metric;
	return context && strcmp(scope, context) == 0 ? WEIR_TREAT_REPORT : WEIR_TREAT_JUDGE;
}

static struct weir_run *run_at(double level, const char *session)
{
	struct weir_run *run = weir_run_new();
	struct weir_series *rate;

	for (int i = 0; i < 10; i++)
		weir_series_push(weir_series_get(&run->stages, "decode"), 1000 * level + i);
	rate = weir_series_get(&run->metrics, "rate");
	weir_series_push(rate, 100 / level);
	rate->higher_is_better = true;
	if (session)
		weir_run_set_label(run, "session", session);
	return run;
}

/* Twelve runs at 1, then three at each of +1, +2 ... %: those beyond half of the change carry it.
 */
static void drift_names_the_runs_that_carry_it(void **state)
{
	const struct weir_compare_policy policy = {
		.margin = margin, .treatment = treatment, .alpha_stages = 0.01};
	struct weir_run *runs[27];
	struct weir_drift drift;
	bool pinned[27] = {false};

	(void)state;
	for (size_t i = 0; i < 10; i++)
		pinned[i] = i != 8;
	for (size_t i = 0; i < 27; i++)
		runs[i] = run_at(i < 12 ? 1 + 0.001 * (double)(i % 3)
		                        : 1.01 + 0.01 * floor((double)(i - 12) / 3),
		                 NULL);
	weir_drift_find((const struct weir_run *const *)runs, NULL, 12, 3, &policy, &drift);
	assert_int_equal(drift.count, 0); /* fewer than ten runs before the new ones */
	weir_drift_release(&drift);
	weir_drift_find((const struct weir_run *const *)runs, NULL, 27, 3, &policy, &drift);
	assert_int_equal(drift.count, 2);
	assert_int_equal(drift.anchor_runs, 5);
	assert_int_equal(drift.newest_runs, 5);
	for (size_t f = 0; f < 2; f++) {
		assert_true(drift.figures[f].cell.drifts);
		assert_in_range(drift.figures[f].carriers[0], 15, 20);
		assert_int_equal(drift.figures[f].carriers[drift.figures[f].carrier_count - 1], 26);
	}
	weir_drift_release(&drift);
	/* Runs that are pinned in the store are the anchor, those behind a gap are not. */
	weir_drift_find((const struct weir_run *const *)runs, pinned, 27, 3, &policy, &drift);
	assert_int_equal(drift.anchor_runs, 8);
	weir_drift_release(&drift);
	/* A pinned anchor at the newest level has no drift. */
	for (size_t i = 0; i < 15; i++)
		weir_run_set_label(runs[12 + i], "anchor", "yes");
	weir_drift_find((const struct weir_run *const *)runs + 12, NULL, 15, 3, &policy, &drift);
	assert_int_equal(drift.count, 0);
	weir_drift_release(&drift);
	for (size_t i = 0; i < 27; i++)
		weir_run_free(runs[i]);
}

static void a_session_is_one_unit(void **state)
{
	const struct weir_compare_policy policy = {.context = "metric:rate",
	                                           .margin = margin,
	                                           .treatment = treatment,
	                                           .alpha_stages = 0.01};
	struct weir_run *runs[24];
	struct weir_drift drift;

	(void)state;
	for (size_t i = 0; i < 24; i++)
		runs[i] = run_at(1, (const char[]){(char)('a' + i / 3), '\0'});
	weir_drift_find((const struct weir_run *const *)runs, NULL, 24, 3, &policy, &drift);
	assert_int_equal(drift.count, 1); /* the rate is only reported */
	assert_string_equal(drift.figures[0].scope, "stage:decode");
	assert_int_equal(drift.anchor_runs, 6); /* two whole sessions */
	assert_int_equal(drift.newest_runs, 6);
	assert_near(drift.figures[0].cell.df, 6, 0); /* eight sessions */
	weir_drift_release(&drift);
	for (size_t i = 0; i < 24; i++)
		weir_run_free(runs[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_test_is_that_of_a_detrended_variance),
		cmocka_unit_test(a_level_is_spent_over_two_hundred_runs),
		cmocka_unit_test(a_change_has_to_reach_its_margin),
		cmocka_unit_test(a_gap_is_no_drift),
		cmocka_unit_test(unchanged_histories_rarely_drift),
		cmocka_unit_test(drift_names_the_runs_that_carry_it),
		cmocka_unit_test(a_session_is_one_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
