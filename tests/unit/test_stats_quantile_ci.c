/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order-statistic intervals against tests/vectors/quantile_order_ci.json; the rows of a run. */
#include <stdlib.h>
#include <string.h>

#include "engine/stats/quantile.h"
#include "tests/unit/near.h"
#include "tests/unit/vectors.h"

static size_t rank_or_none(const cJSON *one, const char *key)
{
	double rank = number(one, key);

	return isnan(rank) ? 0 : (size_t)rank;
}

static void ranks_equal_the_vectors(void **state)
{
	cJSON *document = read_vectors("quantile_order_ci");
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "cases")) {
		struct weir_rank_interval interval = weir_rank_interval(
			(size_t)number(one, "n"), number(one, "p"), number(one, "alpha"));

		assert_int_equal(interval.low, rank_or_none(one, "l"));
		assert_int_equal(interval.high, rank_or_none(one, "u"));
		assert_near(interval.coverage, number(one, "coverage"), 1e-12);
		cases++;
	}
	assert_int_equal(cases, 36);
	cJSON_Delete(document);
}

static void one_sided_bounds_need_enough_values(void **state)
{
	/* Section 4: a 95 % bound for p50 and p99 exists from 5 and 299 values on. */
	(void)state;
	assert_int_equal(weir_rank_interval(4, 0.5, 0.10).high, 0);
	assert_int_equal(weir_rank_interval(5, 0.5, 0.10).high, 5);
	assert_int_equal(weir_rank_interval(298, 0.99, 0.10).high, 0);
	assert_int_equal(weir_rank_interval(299, 0.99, 0.10).high, 299);
}

static void no_interval_without_values_or_a_probability(void **state)
{
	(void)state;
	assert_near(weir_rank_interval(0, 0.5, 0.05).coverage, NAN, 0);
	assert_near(weir_rank_interval(10, 0, 0.05).coverage, NAN, 0);
	assert_near(weir_rank_interval(10, 0.5, 1).coverage, NAN, 0);
}

/* The definition, by quantiles that are tested elsewhere. */
static void rows_by_definition(const double *values, size_t count, double tick, double *rows)
{
	const double probs[] = {0.5, 0.9, 0.95, 0.99};
	double quantile;

	for (size_t i = 0; i < 4; i++) {
		weir_quantiles(values, count, &probs[i], 1, &quantile);
		rows[i] = log(fmax(quantile, tick));
	}
	rows[4] = 0;
	for (int i = 1; i < 10; i++) {
		double prob = i / 10.0;

		weir_quantiles(values, count, &prob, 1, &quantile);
		rows[4] += log(fmax(quantile, tick)) / 9;
	}
}

static void rows_of_any_length_follow_the_definition(void **state)
{
	double values[300], copy[300], actual[WEIR_LOG_ROWS], expected[WEIR_LOG_ROWS];
	uint64_t seed = 3;

	(void)state;
	for (size_t count = 1; count <= 300; count++) {
		for (size_t i = 0; i < count; i++) /* with ties: a few hundred steps */
			values[i] = 20 + (double)(next_number(&seed) % 200);
		memcpy(copy, values, sizeof(copy));
		weir_log_rows(copy, count, 0, actual);
		rows_by_definition(values, count, 0, expected);
		for (size_t k = 0; k < WEIR_LOG_ROWS; k++)
			assert_near(actual[k], expected[k], 1e-13);
	}
}

static void the_timer_step_is_the_least_quantile(void **state)
{
	double values[] = {0.1, 0.2, 3, 4, 5};
	double rows[WEIR_LOG_ROWS], expected[WEIR_LOG_ROWS];

	(void)state;
	rows_by_definition(values, 5, 1, expected);
	weir_log_rows(values, 5, 1, rows);
	for (size_t k = 0; k < WEIR_LOG_ROWS; k++)
		assert_near(rows[k], expected[k], 1e-13);
}

static void rows_of_nothing_and_of_zero_are_unknown(void **state)
{
	double zeros[] = {0, 0, 0};
	double rows[WEIR_LOG_ROWS];

	(void)state;
	weir_log_rows(NULL, 0, 1, rows);
	assert_near(rows[0], NAN, 0);
	assert_near(rows[4], NAN, 0);
	weir_log_rows(zeros, 3, 0, rows);
	assert_near(rows[0], NAN, 0);
	assert_near(rows[4], NAN, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_equal_the_vectors),
		cmocka_unit_test(one_sided_bounds_need_enough_values),
		cmocka_unit_test(no_interval_without_values_or_a_probability),
		cmocka_unit_test(rows_of_any_length_follow_the_definition),
		cmocka_unit_test(the_timer_step_is_the_least_quantile),
		cmocka_unit_test(rows_of_nothing_and_of_zero_are_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
