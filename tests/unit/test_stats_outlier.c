/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run against one: operators against each other. */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/stats/gate.h"
#include "engine/stats/outlier.h"
#include "engine/stats/quantile.h"
#include "engine/stats/special.h"
#include "tests/unit/near.h"

#define OPERATORS 200

static double noise(uint64_t *seed)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)(next_number(seed) >> 11) * 0x1p-53;
	return sum - 6;
}

static void the_scale_follows_its_formula(void **state)
{
	const double ratio[] = {-0.02, -0.01, 0, 0.01, 0.30};
	const double error[] = {0.001, 0.001, 0.001, 0.05, NAN};
	const double floor[] = {1e-6, 1e-6, 1e-6, 1e-6, 4e-6};
	const struct weir_outlier_input in = {ratio, error, floor, 5, 4};
	struct weir_outlier_cell cells[5];
	double mad = 1.4826022185056018 * 0.01;
	double unexplained = mad * mad - 1e-6; /* median of the squared errors */

	(void)state;
	weir_outlier_test(&in, cells);
	assert_near(cells[0].scale, sqrt(mad * mad + 1e-6), 1e-12);
	assert_near(cells[3].scale, sqrt(unexplained + 0.05 * 0.05 + 1e-6), 1e-12);
	assert_near(cells[4].scale, sqrt(mad * mad + 4e-6), 1e-12);
	assert_near(cells[4].relative, 0.30, 1e-12);
	assert_near(cells[4].p, weir_t_upper(0.30 / cells[4].scale, 4), 1e-12);
	assert_near(cells[4].p_faster, 1 - cells[4].p, 1e-12);
}

struct pair {
	double y[OPERATORS * 2];
	double error[OPERATORS];
	struct weir_gate_cell cells[OPERATORS];
};

static void judge(struct pair *pair, size_t operators)
{
	const double margin = 0.03;
	struct weir_gate_input in = {.rows = 1,
	                             .subjects = operators,
	                             .baseline_runs = 1,
	                             .candidate_runs = 1,
	                             .y = pair->y,
	                             .margins = &margin,
	                             .within_error = pair->error};
	struct weir_gate_family family = {{{pair->cells, operators}}, 1};

	weir_gate_outliers(&in, pair->cells);
	weir_gate_adjust(&family);
	weir_gate_decide(&family, 0.01);
	weir_gate_power(&family, 0.01);
}

static void draw(struct pair *pair, uint64_t *seed, double shift)
{
	for (size_t m = 0; m < OPERATORS; m++) {
		pair->y[2 * m] = 3 + 0.01 * noise(seed);
		pair->y[2 * m + 1] = 3 + 0.01 * noise(seed) + shift;
		pair->error[m] = NAN;
	}
}

static size_t count_regressions(const struct pair *pair)
{
	size_t count = 0;

	for (size_t m = 0; m < OPERATORS; m++)
		count += pair->cells[m].regression;
	return count;
}

static void one_operator_that_moves_alone_is_seen(void **state)
{
	struct pair pair;
	uint64_t seed = 4;

	(void)state;
	draw(&pair, &seed, 0);
	pair.y[2 * 9 + 1] += log(1.6);
	judge(&pair, OPERATORS);
	assert_true(pair.cells[9].regression);
	assert_int_equal(count_regressions(&pair), 1);
	assert_near(pair.cells[9].df, 4, 0);
	assert_true(pair.cells[9].mde > log(1.05) && pair.cells[9].mde < log(1.6));
	assert_near(pair.cells[9].runs_needed, NAN, 0);
}

static void unchanged_pairs_are_seldom_suspect(void **state)
{
	struct pair pair;
	uint64_t seed = 4;
	size_t red = 0;

	(void)state;
	for (size_t i = 0; i < 200; i++) {
		draw(&pair, &seed, 0);
		judge(&pair, OPERATORS);
		red += count_regressions(&pair) > 0;
	}
	assert_true(red <= 4);
}

static void a_shift_of_all_is_not_seen_and_not_denied(void **state)
{
	struct pair pair;
	uint64_t seed = 4;

	(void)state;
	draw(&pair, &seed, 0.2);
	judge(&pair, OPERATORS);
	assert_int_equal(count_regressions(&pair), 0);
	for (size_t m = 0; m < OPERATORS; m++)
		assert_false(pair.cells[m].no_change);
	assert_near(pair.cells[0].low, NAN, 0);
}

static void few_operators_are_not_tested(void **state)
{
	struct pair pair;
	uint64_t seed = 4;

	(void)state;
	draw(&pair, &seed, 0);
	pair.y[1] += log(2);
	judge(&pair, 19);
	assert_false(pair.cells[0].tested || pair.cells[0].regression);
	assert_true(pair.cells[0].change > 0.6);
}

static void absent_operators_stay_unknown(void **state)
{
	struct pair pair;
	uint64_t seed = 4;

	(void)state;
	draw(&pair, &seed, 0);
	pair.y[0] = NAN;
	pair.y[3] = NAN;
	judge(&pair, OPERATORS);
	assert_false(pair.cells[0].tested || pair.cells[1].tested);
	assert_near(pair.cells[0].p, NAN, 0);
	assert_true(pair.cells[2].tested);
}

static void batches_carry_the_autocorrelation(void **state)
{
	double values[1000], shuffled[1000];
	double level = 0;
	uint64_t seed = 8;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		level = 0.95 * level + 0.3 * noise(&seed);
		values[i] = exp(0.05 * level);
		shuffled[(i * 619) % 1000] = values[i];
	}
	assert_true(weir_outlier_batch_error(values, 1000, 0.5, 10) >
	            1.5 * weir_outlier_batch_error(shuffled, 1000, 0.5, 10));
}

/* Medians 2 and 8, then 2, 4 and 8: logarithms of distance log 2. */
static void the_error_of_batches_follows_its_formula(void **state)
{
	const double two[] = {2, 2, 8, 8}, three[] = {1, 2, 3, 4, 4, 4, 8, 8, 9, 77};

	(void)state;
	assert_near(weir_outlier_batch_error(two, 4, 0.5, 2), log(2), 1e-12);
	assert_near(weir_outlier_batch_error(three, 10, 0.5, 3), log(2) / sqrt(3), 1e-12);
}

static void batches_need_values(void **state)
{
	const double values[] = {1, 2, 3, 4, 0, 0, 0, 0};

	(void)state;
	assert_near(weir_outlier_batch_error(values, 3, 0.5, 2), NAN, 0);
	assert_near(weir_outlier_batch_error(values, 4, 0.5, 1), NAN, 0);
	assert_near(weir_outlier_batch_error(values, 8, 0.5, 2), NAN, 0);
	assert_near(weir_outlier_batch_error(values, 4, 0.5, 0), NAN, 0);
	assert_true(weir_outlier_batch_error(values, 4, 0.5, 2) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_scale_follows_its_formula),
		cmocka_unit_test(one_operator_that_moves_alone_is_seen),
		cmocka_unit_test(unchanged_pairs_are_seldom_suspect),
		cmocka_unit_test(a_shift_of_all_is_not_seen_and_not_denied),
		cmocka_unit_test(few_operators_are_not_tested),
		cmocka_unit_test(absent_operators_stay_unknown),
		cmocka_unit_test(batches_carry_the_autocorrelation),
		cmocka_unit_test(the_error_of_batches_follows_its_formula),
		cmocka_unit_test(batches_need_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
