/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be said of two sets of runs: docs/statistics.md, the ladder and the least samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_runs.h"
#include "tests/unit/near.h"

static enum weir_method method_with(size_t base, size_t head, size_t operators)
{
	struct runs runs;
	struct weir_gate_result *result;
	enum weir_method method;

	runs_init(&runs, base, head, 1);
	add_stage(&runs, "decode", (struct shape){0});
	add_operators(&runs, "decode", operators, (struct shape){.count = 20});
	result = compare_runs(&runs);
	method = result->method;
	weir_gate_result_free(result);
	runs_release(&runs);
	return method;
}

static void the_ladder_goes_by_numbers_of_runs(void **state)
{
	static const struct {
		size_t base, head, operators;
		enum weir_method method;
	} rungs[] = {
		{3, 3, 0, WEIR_METHOD_FULL},         {5, 3, 0, WEIR_METHOD_FULL},
		{3, 8, 0, WEIR_METHOD_FULL},         {4, 2, 0, WEIR_METHOD_TWO_RUN},
		{10, 2, 0, WEIR_METHOD_TWO_RUN},     {5, 1, 0, WEIR_METHOD_SINGLE_RUN},
		{10, 1, 20, WEIR_METHOD_SINGLE_RUN}, {3, 2, 19, WEIR_METHOD_NONE},
		{3, 2, 20, WEIR_METHOD_OUTLIER},     {2, 8, 20, WEIR_METHOD_OUTLIER},
		{2, 8, 19, WEIR_METHOD_NONE},        {3, 1, 20, WEIR_METHOD_OUTLIER},
		{4, 1, 20, WEIR_METHOD_OUTLIER},     {4, 1, 0, WEIR_METHOD_NONE},
		{1, 1, 20, WEIR_METHOD_OUTLIER},     {1, 1, 19, WEIR_METHOD_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++)
		if (method_with(rungs[i].base, rungs[i].head, rungs[i].operators) !=
		    rungs[i].method)
			fail_msg("%zu x %zu runs, %zu operators", rungs[i].base, rungs[i].head,
			         rungs[i].operators);
}

/* One stage with samples enough for every row; the candidate by `factor` slower. */
static struct weir_gate_result *stage_with(size_t base, size_t head, double factor)
{
	struct weir_gate_result *result;
	struct runs runs;

	runs_init(&runs, base, head, 7);
	add_stage(&runs, "decode", (struct shape){.factor = factor, .count = 300});
	result = compare_runs(&runs);
	runs_release(&runs);
	return result;
}

static void expect_outcomes(const struct weir_gate_result *result, const char *scope,
                            const enum weir_outcome outcomes[5])
{
	for (int k = 0; k < 5; k++) {
		const struct weir_row *row = row_of(result, scope, (enum weir_metric)k);

		if (row->outcome != outcomes[k])
			fail_msg("%s %s is %s, not %s", scope, weir_metric_name(row->metric),
			         weir_outcome_name(row->outcome), weir_outcome_name(outcomes[k]));
	}
}

static void a_slower_stage_regresses_in_every_row(void **state)
{
	const enum weir_outcome all[] = {WEIR_OUTCOME_REGRESSION, WEIR_OUTCOME_REGRESSION,
	                                 WEIR_OUTCOME_REGRESSION, WEIR_OUTCOME_REGRESSION,
	                                 WEIR_OUTCOME_REGRESSION};
	struct weir_gate_result *result = stage_with(5, 3, 1.2);
	const struct weir_row *row = row_of(result, "stage:decode", WEIR_METRIC_P50);

	(void)state;
	expect_outcomes(result, "stage:decode", all);
	assert_near(row->change, 0.2, 0.05);
	assert_true(row->low < row->change && row->change < row->high);
	assert_near(row->contributed_ns, 2e5, 0.05);
	assert_near(row->baseline, 1e6, 0.01);
	assert_near(row->candidate, 1.2e6, 0.01);
	assert_string_equal(row->unit, "ns");
	assert_near(row->margin, 0.03, 0);
	assert_true(row->p_adjusted < 0.01 && row->p <= row->p_adjusted);
	assert_true(row->mde >= row->margin);
	assert_int_equal(row->baseline_samples, 300);
	weir_gate_result_free(result);
}

static void a_faster_stage_improves(void **state)
{
	struct weir_gate_result *result = stage_with(5, 3, 0.8);

	(void)state;
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_IMPROVEMENT), 5);
	assert_true(row_of(result, "stage:decode", WEIR_METRIC_P50)->contributed_ns < 0);
	weir_gate_result_free(result);
}

static void two_runs_leave_p99_a_suspect(void **state)
{
	const enum weir_outcome outcomes[] = {WEIR_OUTCOME_REGRESSION, WEIR_OUTCOME_REGRESSION,
	                                      WEIR_OUTCOME_REGRESSION, WEIR_OUTCOME_SUSPECT,
	                                      WEIR_OUTCOME_REGRESSION};
	struct weir_gate_result *result = stage_with(6, 2, 1.3);

	(void)state;
	expect_outcomes(result, "stage:decode", outcomes);
	weir_gate_result_free(result);
}

static void one_run_makes_suspects_and_says_nothing_of_tails(void **state)
{
	const enum weir_outcome outcomes[] = {WEIR_OUTCOME_SUSPECT, WEIR_OUTCOME_SUSPECT,
	                                      WEIR_OUTCOME_INFORMATIONAL,
	                                      WEIR_OUTCOME_INFORMATIONAL, WEIR_OUTCOME_SUSPECT};
	struct weir_gate_result *result = stage_with(8, 1, 1.3);

	(void)state;
	expect_outcomes(result, "stage:decode", outcomes);
	assert_non_null(strstr(row_of(result, "stage:decode", WEIR_METRIC_P99)->note, "runs"));
	weir_gate_result_free(result);
	result = stage_with(8, 1, 0.7); /* an improvement is not proven by one run either */
	assert_int_equal(row_of(result, "stage:decode", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_INCONCLUSIVE);
	weir_gate_result_free(result);
	result = stage_with(8, 1, 1); /* but sameness may be */
	assert_int_equal(row_of(result, "stage:decode", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_NO_CHANGE);
	weir_gate_result_free(result);
}

static void one_against_one_finds_the_operator_that_stands_out(void **state)
{
	struct weir_gate_result *result;
	struct runs runs;

	(void)state;
	runs_init(&runs, 1, 1, 3);
	add_stage(&runs, "decode", (struct shape){.factor = 2});
	add_operators(&runs, "decode", 40, (struct shape){0});
	add_operator(&runs, "decode/slow", (struct shape){.factor = 2});
	result = compare_runs(&runs);
	assert_int_equal(row_of(result, "operator:decode/slow", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_SUSPECT);
	assert_int_equal(row_of(result, "operator:decode/slow", WEIR_METRIC_P95)->outcome,
	                 WEIR_OUTCOME_INFORMATIONAL);
	assert_int_equal(row_of(result, "stage:decode", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_INFORMATIONAL);
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_REGRESSION), 0);
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_NO_CHANGE), 0);
	weir_gate_result_free(result);
	runs_release(&runs);
}

static void with_nothing_to_test_the_figures_are_still_told(void **state)
{
	struct weir_gate_result *result;
	const struct weir_row *row;
	struct runs runs;

	(void)state;
	runs_init(&runs, 1, 1, 3);
	add_stage(&runs, "decode", (struct shape){.factor = 2});
	add_operators(&runs, "decode", 3, (struct shape){.factor = 2});
	result = compare_runs(&runs);
	assert_int_equal(result->method, WEIR_METHOD_NONE);
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_INFORMATIONAL), result->row_count);
	row = row_of(result, "stage:decode", WEIR_METRIC_P50);
	assert_near(row->change, 1, 0.1);
	assert_string_equal(row->note, "too few runs to judge it");
	row = row_of(result, "operator:decode/op00", WEIR_METRIC_P50);
	assert_near(row->change, 1, 0.1);
	assert_near(row->baseline, 1e4, 0.1);
	assert_near(row->p_adjusted, NAN, 0);
	weir_gate_result_free(result);
	runs_release(&runs);
}

static void a_row_needs_samples(void **state)
{
	static const struct {
		size_t count, judged;
	} lengths[] = {{9, 0}, {10, 2}, {29, 2}, {30, 3}, {59, 3}, {60, 4}, {249, 4}, {250, 5}};

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		struct weir_gate_result *result;
		struct runs runs;

		runs_init(&runs, 5, 3, 11);
		add_stage(&runs, "decode",
		          (struct shape){.factor = 1.5, .count = lengths[i].count});
		result = compare_runs(&runs);
		assert_int_equal(result->row_count, 5);
		assert_int_equal(5 - count_outcomes(result, WEIR_OUTCOME_INFORMATIONAL),
		                 lengths[i].judged);
		if (lengths[i].count == 249)
			assert_string_equal(row_of(result, "stage:decode", WEIR_METRIC_P99)->note,
			                    "249 samples a run, 250 needed to judge it");
		weir_gate_result_free(result);
		runs_release(&runs);
	}
}

static void rows_without_samples_cost_the_others_nothing(void **state)
{
	double adjusted[2];

	(void)state;
	for (int more = 0; more < 2; more++) {
		struct weir_gate_result *result;
		const struct weir_row *row;
		struct runs runs;

		runs_init(&runs, 5, 3, 5);
		add_stage(&runs, "a", (struct shape){.factor = 1.04, .count = 300});
		for (int i = 0; more && i < 30; i++) {
			char name[8] = {'x', (char)('a' + i % 26), (char)('a' + i / 26), 0};

			add_stage(&runs, name, (struct shape){.count = 5});
		}
		result = compare_runs(&runs);
		row = row_of(result, "stage:a", WEIR_METRIC_P50);
		adjusted[more] = row->p_adjusted;
		assert_true(row->p < row->p_adjusted);
		if (more)
			assert_near(row_of(result, "stage:xaa", WEIR_METRIC_P50)->p_adjusted, NAN,
			            0);
		weir_gate_result_free(result);
		runs_release(&runs);
	}
	assert_near(adjusted[1], adjusted[0], 0);
}

static void all_operators_need_operators_that_are_judged(void **state)
{
	static const struct {
		size_t operators, count;
		bool p50, p95;
	} cases[] = {{25, 300, true, true}, {25, 40, true, false}, {19, 300, false, false}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct weir_row *p50, *p95;
		struct weir_gate_result *result;
		struct runs runs;

		runs_init(&runs, 5, 3, 2);
		add_operators(&runs, "decode", cases[i].operators,
		              (struct shape){.factor = 1.2, .count = cases[i].count});
		result = compare_runs(&runs);
		p50 = find_row(result, "all-operators", WEIR_METRIC_P50);
		p95 = find_row(result, "all-operators", WEIR_METRIC_P95);
		assert_int_equal(p50 && p50->outcome == WEIR_OUTCOME_REGRESSION, cases[i].p50);
		assert_int_equal(p95 && p95->outcome == WEIR_OUTCOME_REGRESSION, cases[i].p95);
		if (p50)
			assert_near(p50->change, 0.2, 0.1);
		weir_gate_result_free(result);
		runs_release(&runs);
	}
}

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

/* Runs that are all alike: `first` times 1,000 ns, then `rest` times 2,000 ns. */
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
	add_steps(runs.head, 3, 100, 200); /* cut: only the first hundred count */
	assert_near(p50_of(&runs, -1, &candidate), 1000, 1e-9);
	assert_near(candidate, 1000, 1e-9);
	runs_release(&runs);
	runs_init(&runs, 3, 3, 1);
	add_steps(runs.base, 3, 100, 0);
	add_steps(runs.head, 3, 40, 85); /* 1.25 is not above: all of it counts */
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
	assert_near(candidate, NAN, 0); /* nothing is left of it */
	runs_release(&runs);
}

static void warm_up_takes_nothing_from_a_figure(void **state)
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

/* Takes a series out of a run: empty ones are not there. */
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

/* Rounds to a timer's step, and keeps the operator at work in one of `every` iterations. */
static void let_rest(struct weir_series *series, double step, size_t every)
{
	for (size_t i = 0; i < series->count; i++)
		series->value[i] = i % every == 0 ? round(series->value[i] / step) * step : 0;
}

static void an_operator_that_rests_in_some_iterations_is_not_judged(void **state)
{
	static const double steps[] = {1, 5e4}; /* of the timer, in ns: none to speak of, and 5 % */

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
		assert_string_equal(p50->note, "zero in some iterations, so it has no ratio");
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
	static const double steps[] = {1, 1e3}; /* of 20 us: 1 ns is no step, 1 us is 5 % */
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
	/* The floor of 0.2 % alone, then with a step of 5 % over the root of 12 beside it. */
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

static enum weir_treatment warn_of_a(const void *context, const char *scope,
                                     enum weir_metric metric)
{
	(void)context;
	(void)metric;
	return strcmp(scope, "stage:a") == 0 ? WEIR_TREAT_REPORT : WEIR_TREAT_JUDGE;
}

static void a_row_that_is_only_reported_is_outside_the_family(void **state)
{
	struct weir_compare_policy policy = plain_policy;
	struct weir_compare_input input;
	struct weir_gate_result *result;
	struct runs runs;

	(void)state;
	runs_init(&runs, 5, 3, 1);
	add_stage(&runs, "a", (struct shape){.factor = 2});
	add_stage(&runs, "b", (struct shape){.factor = 2});
	policy.treatment = warn_of_a;
	input = input_of_runs(&runs);
	input.policy = &policy;
	result = compare_with(&input);
	assert_int_equal(row_of(result, "stage:a", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_INFORMATIONAL);
	assert_near(row_of(result, "stage:a", WEIR_METRIC_P50)->change, 1, 0.05);
	assert_int_equal(row_of(result, "stage:b", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_REGRESSION);
	weir_gate_result_free(result);
	runs_release(&runs);
}

static void a_baseline_of_one_session_caps_at_suspect(void **state)
{
	static const double factors[] = {1.3, 1, 0.7};
	static const enum weir_outcome outcomes[] = {
		WEIR_OUTCOME_SUSPECT, WEIR_OUTCOME_INCONCLUSIVE, WEIR_OUTCOME_INCONCLUSIVE};

	(void)state;
	for (size_t f = 0; f < 3; f++) {
		struct weir_compare_input input;
		struct weir_gate_result *result;
		struct runs runs;

		runs_init(&runs, 5, 3, 1);
		add_stage(&runs, "a", (struct shape){.factor = factors[f]});
		input = input_of_runs(&runs);
		input.cap_at_suspect = true;
		result = compare_with(&input);
		assert_int_equal(row_of(result, "stage:a", WEIR_METRIC_P50)->outcome, outcomes[f]);
		weir_gate_result_free(result);
		runs_release(&runs);
	}
}

static void candidates_of_one_session_count_as_one(void **state)
{
	double widths[2];

	(void)state;
	for (int safe = 0; safe < 2; safe++) {
		struct weir_compare_input input;
		struct weir_gate_result *result;
		const struct weir_row *row;
		struct runs runs;

		runs_init(&runs, 8, 3, 1);
		add_stage(&runs, "a", (struct shape){.factor = 1.3});
		input = input_of_runs(&runs);
		input.session_safe = safe;
		result = compare_with(&input);
		row = row_of(result, "stage:a", WEIR_METRIC_P50);
		assert_int_equal(row->outcome, WEIR_OUTCOME_REGRESSION);
		widths[safe] = row->high - row->low;
		weir_gate_result_free(result);
		runs_release(&runs);
	}
	assert_true(widths[1] > 1.3 * widths[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ladder_goes_by_numbers_of_runs),
		cmocka_unit_test(a_slower_stage_regresses_in_every_row),
		cmocka_unit_test(a_faster_stage_improves),
		cmocka_unit_test(two_runs_leave_p99_a_suspect),
		cmocka_unit_test(one_run_makes_suspects_and_says_nothing_of_tails),
		cmocka_unit_test(one_against_one_finds_the_operator_that_stands_out),
		cmocka_unit_test(with_nothing_to_test_the_figures_are_still_told),
		cmocka_unit_test(a_row_needs_samples),
		cmocka_unit_test(rows_without_samples_cost_the_others_nothing),
		cmocka_unit_test(all_operators_need_operators_that_are_judged),
		cmocka_unit_test(unequal_lengths_are_cut_to_the_shortest),
		cmocka_unit_test(warm_up_is_dropped_of_every_run_alike),
		cmocka_unit_test(warm_up_takes_nothing_from_a_figure),
		cmocka_unit_test(a_figure_where_more_is_better_regresses_by_falling),
		cmocka_unit_test(a_figure_that_is_zero_has_no_ratio),
		cmocka_unit_test(missing_and_new_subjects_have_one_row_each),
		cmocka_unit_test(a_subject_is_judged_as_the_runs_allow_that_have_it),
		cmocka_unit_test(a_subject_of_too_few_baseline_runs_is_not_judged),
		cmocka_unit_test(an_operator_that_rests_in_some_iterations_is_not_judged),
		cmocka_unit_test(samples_that_are_all_equal_are_no_change),
		cmocka_unit_test(a_coarse_timer_widens_the_interval),
		cmocka_unit_test(calls_are_means_of_run_medians),
		cmocka_unit_test(a_row_that_is_only_reported_is_outside_the_family),
		cmocka_unit_test(a_baseline_of_one_session_caps_at_suspect),
		cmocka_unit_test(candidates_of_one_session_count_as_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
