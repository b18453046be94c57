/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/compare/history.h"
#include "tests/unit/near.h"

static void scopes_and_metrics_are_parsed(void **state)
{
	static const struct {
		const char *text;
		enum weir_scope_kind kind;
		const char *name;
		enum weir_metric metric;
	} cases[] = {
		{"stage:decode", WEIR_SCOPE_STAGE, "decode", WEIR_METRIC_P50},
		{"stage:decode:p99", WEIR_SCOPE_STAGE, "decode", WEIR_METRIC_P99},
		{"stage:decode:p98", WEIR_SCOPE_STAGE, "decode:p98", WEIR_METRIC_P50},
		{"stage::p95", WEIR_SCOPE_STAGE, ":p95", WEIR_METRIC_P50},
		{"device:decode:shift", WEIR_SCOPE_DEVICE, "decode", WEIR_METRIC_SHIFT},
		{"operator:decode/aten::mm", WEIR_SCOPE_OPERATOR, "decode/aten::mm",
	         WEIR_METRIC_P50},
		{"operator:decode/aten::mm:p95", WEIR_SCOPE_OPERATOR, "decode/aten::mm",
	         WEIR_METRIC_P95},
		{"metric:tokens_per_s", WEIR_SCOPE_METRIC, "tokens_per_s", WEIR_METRIC_VALUE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weir_history_metric found;

		assert_true(weir_history_parse(cases[i].text, &found));
		assert_int_equal(found.kind, cases[i].kind);
		assert_int_equal(found.metric, cases[i].metric);
		assert_int_equal(found.name_length, strlen(cases[i].name));
		assert_memory_equal(found.name, cases[i].name, found.name_length);
	}
}

static void other_texts_are_refused(void **state)
{
	static const char *const texts[] = {"",       "decode",        "stage:", "stages:decode",
	                                    "metric", "all-operators", ":p50"};
	struct weir_history_metric found;

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_false(weir_history_parse(texts[i], &found));
}

static double value_of(const struct weir_run *run, const char *text)
{
	struct weir_history_metric metric;

	assert_true(weir_history_parse(text, &metric));
	return weir_history_value(run, &metric);
}

static void values_are_quantiles_of_the_run(void **state)
{
	struct weir_run *run = weir_run_new();

	(void)state;
	for (int i = 0; i <= 100; i++) {
		weir_series_push(weir_series_get(&run->stages, "decode"), 1000.0 + 10 * i);
		weir_series_push(weir_series_get(&run->operators, "decode/mm"), 500);
	}
	weir_series_push(weir_series_get(&run->metrics, "tokens_per_s"), 1743);
	assert_near(value_of(run, "stage:decode"), 1500, 1e-12);
	assert_near(value_of(run, "stage:decode:p90"), 1900, 1e-12);
	assert_near(value_of(run, "stage:decode:p99"), 1990, 1e-12);
	assert_near(value_of(run, "operator:decode/mm:shift"), 500, 1e-12);
	assert_near(value_of(run, "metric:tokens_per_s"), 1743, 0);
	assert_near(value_of(run, "stage:decod"), NAN, 0);
	assert_near(value_of(run, "stage:decode_graph"), NAN, 0);
	assert_near(value_of(run, "device:decode"), NAN, 0);
	assert_near(run->stages.items[0].value[100], 2000, 0); /* unchanged order */
	weir_run_free(run);
}

static void an_operator_that_is_mostly_idle_has_no_median(void **state)
{
	struct weir_run *run = weir_run_new();

	(void)state;
	for (int i = 0; i < 10; i++)
		weir_series_push(weir_series_get(&run->operators, "decode/mm"),
		                 i % 5 == 0 ? 500 : 0);
	assert_near(value_of(run, "operator:decode/mm"), NAN, 0);
	assert_near(value_of(run, "operator:decode/mm:p95"), 500, 1e-12);
	weir_run_free(run);
}

/* Fills twelve values around each level, 1 % apart. */
static size_t levels(const double *level, size_t count, double *values)
{
	uint64_t seed = 5;

	for (size_t i = 0; i < 12 * count; i++)
		values[i] = level[i / 12] * (1 + (double)(next_number(&seed) % 100) / 1e4);
	return 12 * count;
}

static void a_new_level_is_found_where_it_begins(void **state)
{
	static const double level[] = {100, 130, 90};
	double values[36];
	size_t cuts[8], count = levels(level, 3, values);

	(void)state;
	assert_int_equal(weir_history_cuts(values, count, cuts, 8), 2);
	assert_int_equal(cuts[0], 12);
	assert_int_equal(cuts[1], 24);
	assert_int_equal(weir_history_cuts(values, count, cuts, 0), 0);
}

static void runs_without_the_value_are_passed_over(void **state)
{
	static const double level[] = {100, 130};
	double values[30], dense[24];
	size_t cuts[8], count = 0;

	(void)state;
	levels(level, 2, dense);
	for (size_t i = 0; i < 24; i++) {
		if (i % 4 == 0)
			values[count++] = i % 8 == 0 ? NAN : 0;
		values[count++] = dense[i];
	}
	assert_int_equal(weir_history_cuts(values, count, cuts, 8), 1);
	assert_int_equal(cuts[0], 16); /* 12 values and 4 gaps before it */
}

static void a_level_series_has_no_cuts(void **state)
{
	static const double level[] = {100, 100};
	double values[24];
	size_t cuts[8];

	(void)state;
	assert_int_equal(weir_history_cuts(values, levels(level, 2, values), cuts, 8), 0);
	assert_int_equal(weir_history_cuts(values, 0, cuts, 8), 0);
	assert_int_equal(weir_history_cuts(values, 1, cuts, 8), 0);
}

static void a_step_is_the_ratio_of_the_means_of_its_levels(void **state)
{
	static const double values[] = {100, NAN, 102, 110, 112, 90, NAN};
	static const size_t cuts[] = {3, 5};

	(void)state;
	assert_near(weir_history_step_at(values, 7, cuts, 2, 3), 111.0 / 101 - 1, 1e-12);
	assert_near(weir_history_step_at(values, 7, cuts, 2, 5), 90.0 / 111 - 1, 1e-12);
	assert_true(isnan(weir_history_step_at(values, 7, cuts, 2, 0)));
}

static void a_rate_of_trials_has_the_interval_of_wilson(void **state)
{
	double low, high;

	(void)state;
	/* The ends are the rates x that the measured one is 1.96 standard errors away from:
	 * (0.75 - x)^2 = 1.96^2 x (1 - x) / 40. */
	weir_trial_interval(0.75, 40, &low, &high);
	assert_true(low < 0.75 && high > 0.75);
	assert_near((0.75 - low) * (0.75 - low), 3.841458820694124 * low * (1 - low) / 40, 1e-9);
	assert_near((0.75 - high) * (0.75 - high), 3.841458820694124 * high * (1 - high) / 40,
	            1e-9);
	weir_trial_interval(0.5, 0, &low, &high);
	assert_true(isnan(low) && isnan(high));
	weir_trial_interval(0.5, 0.25, &low, &high);
	assert_true(low > 0 && high < 1);
}

/* The ends are 0 and 1 but for rounding, which must not lead out of them. */
static void the_interval_of_a_rate_stays_between_0_and_1(void **state)
{
	double low, high;

	(void)state;
	for (int n = 1; n <= 1000; n++) {
		weir_trial_interval(0, n, &low, &high);
		assert_true(low >= 0 && low < 1e-12);
		weir_trial_interval(1, n, &low, &high);
		assert_true(high <= 1 && high > 1 - 1e-12);
	}
}

/* Units that share others with `degree` neighbours, and draws that repeat each other. */
static void trials_that_share_units_count_for_fewer(void **state)
{
	(void)state;
	assert_near(weir_trial_independent(10, 2, 20), 4, 1e-12);
	assert_near(weir_trial_independent(10, 0, 20), 20, 1e-12);
	assert_near(weir_trial_independent(1, 1, 1), 0.5, 1e-12);
	assert_near(weir_trial_independent(0, 2, 20), 0, 0);
	assert_near(weir_trial_independent(10, 2, 0), 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_step_is_the_ratio_of_the_means_of_its_levels),
		cmocka_unit_test(scopes_and_metrics_are_parsed),
		cmocka_unit_test(other_texts_are_refused),
		cmocka_unit_test(values_are_quantiles_of_the_run),
		cmocka_unit_test(an_operator_that_is_mostly_idle_has_no_median),
		cmocka_unit_test(a_new_level_is_found_where_it_begins),
		cmocka_unit_test(runs_without_the_value_are_passed_over),
		cmocka_unit_test(a_level_series_has_no_cuts),
		cmocka_unit_test(a_rate_of_trials_has_the_interval_of_wilson),
		cmocka_unit_test(the_interval_of_a_rate_stays_between_0_and_1),
		cmocka_unit_test(trials_that_share_units_count_for_fewer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
