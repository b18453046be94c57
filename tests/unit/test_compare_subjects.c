/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The samples of a run that count, and the pairing of runs with different contents. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/compare/compared.h"
#include "tests/unit/make_runs.h"
#include "tests/unit/near.h"

static double p50_of(const struct runs *runs, int warmup, double *candidate)
{
	struct weir_compare_policy policy = plain_policy;
	struct weir_compare_input input = input_of_runs(runs);
	struct weir_gate_result *result;
	double baseline;

	policy.warmup = warmup;
	input.policy = &policy;
	result = compare_with(&input);
	baseline = row_of(result, "stage:a", WEIR_METRIC_P50)->baseline;
	*candidate = row_of(result, "stage:a", WEIR_METRIC_P50)->candidate;
	weir_gate_result_free(result);
	return baseline;
}

/* Adds identical runs: `first` values of 1,000 ns, then `rest` values of 2,000 ns. */
static void add_steps(struct weir_run *const *list, size_t count, size_t first, size_t rest)
{
	for (size_t r = 0; r < count; r++) {
		struct weir_series *series = weir_series_get(&list[r]->stages, "a");

		for (size_t i = 0; i < first + rest; i++)
			weir_series_push(series, i < first ? 1000 : 2000);
	}
}

static void unequal_lengths_are_cut_to_the_shortest(void **state)
{
	double candidate;
	struct runs runs;

	(void)state;
	runs_init(&runs, 3, 3, 1);
	add_steps(runs.base, 3, 100, 0);
	add_steps(runs.head, 3, 100, 200); /* cut: only the first hundred values count */
	assert_near(p50_of(&runs, -1, &candidate), 1000, 1e-9);
	assert_near(candidate, 1000, 1e-9);
	runs_release(&runs);
	runs_init(&runs, 3, 3, 1);
	add_steps(runs.base, 3, 100, 0);
	add_steps(runs.head, 3, 40, 85); /* 1.25 is not above the limit: all values count */
	assert_near(p50_of(&runs, -1, &candidate), 1000, 1e-9);
	assert_near(candidate, 2000, 1e-9);
	runs_release(&runs);
}

static void warm_up_is_dropped_of_every_run_alike(void **state)
{
	double candidate;
	struct runs runs;

	(void)state;
	runs_init(&runs, 3, 3, 1);
	add_steps(runs.base, 3, 10, 11);
	add_steps(runs.head, 3, 10, 9);
	assert_near(p50_of(&runs, -1, &candidate), 2000, 1e-9);
	assert_near(candidate, 1000, 1e-9);
	assert_near(p50_of(&runs, 5, &candidate), 2000, 1e-9);
	assert_near(candidate, 2000, 1e-9);
	assert_near(p50_of(&runs, 19, &candidate), 2000, 1e-9);
	assert_near(candidate, NAN, 0); /* no samples left */
	runs_release(&runs);
}

static void warm_up_does_not_apply_to_per_run_figures(void **state)
{
	struct weir_compare_policy policy = plain_policy;
	struct weir_compare_input input;
	struct weir_gate_result *result;
	struct runs runs;

	(void)state;
	runs_init(&runs, 5, 3, 9);
	add_metric(&runs, "peak_memory", false, (struct shape){.factor = 1.3});
	policy.warmup = 10;
	input = input_of_runs(&runs);
	input.policy = &policy;
	result = compare_with(&input);
	assert_int_equal(result->rows[0].outcome, WEIR_OUTCOME_REGRESSION);
	weir_gate_result_free(result);
	runs_release(&runs);
}

static void a_figure_where_more_is_better_regresses_by_falling(void **state)
{
	static const double factors[] = {0.8, 1.25};
	static const enum weir_outcome outcomes[2][2] = {
		{WEIR_OUTCOME_IMPROVEMENT, WEIR_OUTCOME_REGRESSION},
		{WEIR_OUTCOME_REGRESSION, WEIR_OUTCOME_IMPROVEMENT}};

	(void)state;
	for (int higher = 0; higher < 2; higher++)
		for (int f = 0; f < 2; f++) {
			struct weir_gate_result *result;
			const struct weir_row *row;
			struct runs runs;

			runs_init(&runs, 5, 3, 9);
			add_metric(&runs, "tokens_per_s", higher,
			           (struct shape){.level = 1700, .factor = factors[f]});
			result = compare_runs(&runs);
			assert_int_equal(result->row_count, 1);
			row = row_of(result, "metric:tokens_per_s", WEIR_METRIC_VALUE);
			assert_int_equal(row->outcome, outcomes[higher][f]);
			assert_near(row->change, factors[f] - 1, 0.1);
			assert_true(row->low < row->change && row->change < row->high);
			assert_near(row->baseline, 1700, 0.02);
			assert_near(row->candidate, 1700 * factors[f], 0.02);
			assert_near(row->contributed_ns, NAN, 0);
			weir_gate_result_free(result);
			runs_release(&runs);
		}
}

static void a_figure_that_is_zero_has_no_ratio(void **state)
{
	struct weir_gate_result *result;
	struct runs runs;

	(void)state;
	runs_init(&runs, 5, 3, 9);
	add_metric(&runs, "errors", false, (struct shape){0});
	weir_series_get(&runs.base[2]->metrics, "errors")->value[0] = 0;
	result = compare_runs(&runs);
	assert_int_equal(result->rows[0].outcome, WEIR_OUTCOME_INFORMATIONAL);
	assert_non_null(strstr(result->rows[0].note, "no ratio"));
	weir_gate_result_free(result);
	runs_release(&runs);
}

static void missing_and_new_subjects_have_one_row_each(void **state)
{
	struct weir_gate_result *result;
	const struct weir_row *row;
	struct runs runs;

	(void)state;
	runs_init(&runs, 5, 3, 9);
	add_stage(&runs, "decode", (struct shape){0});
	add_operator_to(&runs, false, "decode/gone", (struct shape){.level = 3e5});
	add_operator_to(&runs, true, "decode/came", (struct shape){.level = 2e5});
	result = compare_runs(&runs);
	assert_int_equal(result->row_count, 7);
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_MISSING), 1);
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_NEW), 1);
	row = row_of(result, "operator:decode/gone", WEIR_METRIC_P50);
	assert_near(row->baseline, 3e5, 0.05);
	assert_near(row->candidate, NAN, 0);
	assert_near(row->contributed_ns, -3e5, 0.05);
	assert_near(row->change, NAN, 0);
	row = row_of(result, "operator:decode/came", WEIR_METRIC_P50);
	assert_near(row->candidate, 2e5, 0.05);
	assert_near(row->baseline, NAN, 0);
	assert_near(row->contributed_ns, 2e5, 0.05);
	assert_string_equal(row->stage, "decode");
	assert_string_equal(row->name, "came");
	weir_gate_result_free(result);
	runs_release(&runs);
}

/* Removes a series from a run; empty series count as absent. */
static void drop_series(struct weir_series_table *table, const char *name)
{
	weir_series_get(table, name)->count = 0;
}

static void a_subject_is_judged_as_the_runs_allow_that_have_it(void **state)
{
	static const enum weir_outcome by_runs[] = {WEIR_OUTCOME_MISSING, WEIR_OUTCOME_SUSPECT,
	                                            WEIR_OUTCOME_REGRESSION,
	                                            WEIR_OUTCOME_REGRESSION};

	(void)state;
	for (size_t have = 0; have < 4; have++) {
		struct weir_gate_result *result;
		struct runs runs;

		runs_init(&runs, 6, 3, 4);
		add_stage(&runs, "a", (struct shape){.factor = 1.3});
		add_stage(&runs, "b", (struct shape){0});
		for (size_t r = have; r < 3; r++)
			drop_series(&runs.head[r]->stages, "a");
		result = compare_runs(&runs);
		assert_int_equal(result->method, WEIR_METHOD_FULL);
		assert_int_equal(row_of(result, "stage:a", WEIR_METRIC_P50)->outcome,
		                 by_runs[have]);
		weir_gate_result_free(result);
		runs_release(&runs);
	}
}

static void a_subject_of_too_few_baseline_runs_is_not_judged(void **state)
{
	struct weir_gate_result *result;
	const struct weir_row *row;
	struct runs runs;

	(void)state;
	runs_init(&runs, 6, 3, 4);
	add_operators(&runs, "decode", 25, (struct shape){0});
	add_operator(&runs, "decode/rare", (struct shape){.factor = 2});
	for (size_t r = 2; r < 6; r++)
		drop_series(&runs.base[r]->operators, "decode/rare");
	result = compare_runs(&runs);
	row = row_of(result, "operator:decode/rare", WEIR_METRIC_P50);
	assert_int_equal(row->outcome, WEIR_OUTCOME_INFORMATIONAL);
	assert_string_equal(row->note, "too few runs to judge it");
	assert_near(row->change, 1, 0.1);
	weir_gate_result_free(result);
	runs_release(&runs);
}

/* Rounds to a timer step, and sets all but one in `every` iterations to 0. */
static void let_rest(struct weir_series *series, double step, size_t every)
{
	for (size_t i = 0; i < series->count; i++)
		series->value[i] = i % every == 0 ? round(series->value[i] / step) * step : 0;
}

static void an_operator_that_is_idle_in_some_iterations_is_not_judged(void **state)
{
	static const double steps[] = {1, 5e4}; /* timer step in ns: negligible, and 5 % */

	(void)state;
	for (size_t s = 0; s < 2; s++) {
		struct weir_gate_result *result;
		const struct weir_row *p50, *p99;
		struct runs runs;

		runs_init(&runs, 5, 3, 6);
		add_operators(&runs, "decode", 25, (struct shape){.count = 300});
		add_operator(&runs, "decode/rests", (struct shape){.within = 0.05, .count = 300});
		for (size_t r = 0; r < 8; r++) {
			struct weir_run *run = r < 5 ? runs.base[r] : runs.head[r - 5];

			let_rest(weir_series_get(&run->operators, "decode/rests"), steps[s],
			         r < 5 ? 3 : 1);
		}
		result = compare_runs(&runs);
		p50 = row_of(result, "operator:decode/rests", WEIR_METRIC_P50);
		p99 = row_of(result, "operator:decode/rests", WEIR_METRIC_P99);
		assert_int_equal(p50->outcome, WEIR_OUTCOME_INFORMATIONAL);
		assert_string_equal(p50->note, "zero in some iterations, so there is no ratio");
		assert_near(p50->baseline, NAN, 0);
		assert_near(p50->contributed_ns, 1e6, 0.1); /* from 0 in most iterations */
		assert_int_not_equal(p99->outcome, WEIR_OUTCOME_INFORMATIONAL);
		assert_near(p99->baseline, 1.1e6, 0.1);
		for (size_t i = 0; i < result->row_count; i++)
			assert_false(fabs(result->rows[i].change) > 1e9);
		weir_gate_result_free(result);
		runs_release(&runs);
	}
}

static void samples_that_are_all_equal_are_no_change(void **state)
{
	struct weir_gate_result *result;
	struct runs runs;

	(void)state;
	runs_init(&runs, 3, 3, 1);
	add_steps(runs.base, 3, 300, 0);
	add_steps(runs.head, 3, 300, 0);
	result = compare_runs(&runs);
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_NO_CHANGE), 5);
	assert_near(row_of(result, "stage:a", WEIR_METRIC_P99)->p, 0.5, 1e-9);
	weir_gate_result_free(result);
	runs_release(&runs);
}

static void a_coarse_timer_widens_the_interval(void **state)
{
	static const double steps[] = {1, 1e3}; /* of 20 us: 1 ns is negligible, 1 us is 5 % */
	double widths[2];

	(void)state;
	for (size_t s = 0; s < 2; s++) {
		struct weir_gate_result *result;
		const struct weir_row *row;
		struct runs runs;

		runs_init(&runs, 3, 3, 1);
		for (size_t r = 0; r < 6; r++)
			for (size_t i = 0; i < 101; i++)
				weir_series_push(weir_series_get(r < 3 ? &runs.base[r]->stages
				                                       : &runs.head[r - 3]->stages,
				                                 "a"),
				                 20e3 + steps[s] * (double)(i % 3));
		result = compare_runs(&runs);
		row = row_of(result, "stage:a", WEIR_METRIC_P50);
		widths[s] = row->high - row->low;
		weir_gate_result_free(result);
		runs_release(&runs);
	}
	/* The floor of 0.2 % alone, then with a step of 5 % divided by the root of 12. */
	assert_near(widths[1] / widths[0], sqrt(1 + pow(1e3 / 21e3, 2) / 12 / 4e-6), 0.03);
}

static void calls_are_means_of_run_medians(void **state)
{
	struct weir_gate_result *result;
	const struct weir_row *row;
	struct runs runs;

	(void)state;
	runs_init(&runs, 3, 3, 1);
	add_operator(&runs, "decode/b", (struct shape){0});
	add_operator(&runs, "decode/c", (struct shape){0});
	for (size_t r = 0; r < 3; r++) {
		struct weir_series *none = weir_series_get(&runs.base[r]->calls, "decode/a");
		struct weir_series *base = weir_series_get(&runs.base[r]->calls, "decode/b");
		struct weir_series *head = weir_series_get(&runs.head[r]->calls, "decode/b");

		weir_series_push(none, 9);
		for (size_t i = 0; i < 3; i++) {
			weir_series_push(base, 100 + (double)r);
			weir_series_push(head, 200);
		}
	}
	result = compare_runs(&runs);
	row = row_of(result, "operator:decode/b", WEIR_METRIC_P50);
	assert_near(row->baseline_calls, 101, 1e-12);
	assert_near(row->candidate_calls, 200, 1e-12);
	row = row_of(result, "operator:decode/c", WEIR_METRIC_P50);
	assert_near(row->baseline_calls, NAN, 0);
	weir_gate_result_free(result);
	runs_release(&runs);
}

/* The length cuts a name out of a longer text; names that begin with it are others. */
static void every_subject_is_found_by_its_whole_name(void **state)
{
	static const char *const names[] = {"a", "ab", "ab/c", "abc", "b", "ba", "bb", "c", "cc"};
	enum { COUNT = sizeof names / sizeof *names };
	struct weir_compared items[COUNT] = {{0}};
	const struct weir_compared_set set = {.items = items, .count = COUNT};

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		items[i].name = names[i];
	for (size_t i = 0; i < COUNT; i++) {
		char text[16];

		(void)snprintf(text, sizeof text, "%s/x", names[i]);
		assert_ptr_equal(weir_compared_find(&set, text, strlen(names[i])), &items[i]);
	}
	assert_null(weir_compared_find(&set, "aa", 2));
	assert_null(weir_compared_find(&set, "ab/", 3));
	assert_null(weir_compared_find(&set, "cd", 2));
	assert_null(weir_compared_find(&set, "", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unequal_lengths_are_cut_to_the_shortest),
		cmocka_unit_test(warm_up_is_dropped_of_every_run_alike),
		cmocka_unit_test(warm_up_does_not_apply_to_per_run_figures),
		cmocka_unit_test(a_figure_where_more_is_better_regresses_by_falling),
		cmocka_unit_test(a_figure_that_is_zero_has_no_ratio),
		cmocka_unit_test(missing_and_new_subjects_have_one_row_each),
		cmocka_unit_test(a_subject_is_judged_as_the_runs_allow_that_have_it),
		cmocka_unit_test(a_subject_of_too_few_baseline_runs_is_not_judged),
		cmocka_unit_test(an_operator_that_is_idle_in_some_iterations_is_not_judged),
		cmocka_unit_test(samples_that_are_all_equal_are_no_change),
		cmocka_unit_test(a_coarse_timer_widens_the_interval),
		cmocka_unit_test(calls_are_means_of_run_medians),
		cmocka_unit_test(every_subject_is_found_by_its_whole_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
