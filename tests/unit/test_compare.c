/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conclusions from two sets of runs: the ladder and the minimum number of samples
 * (docs/statistics.md). */
#include <math.h>
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

/* Compares runs of one stage, with enough samples for every row and a candidate slower by `factor`.
 */
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

static void one_run_makes_suspects_of_tails_only_from_three_margins(void **state)
{
	const enum weir_outcome outcomes[] = {WEIR_OUTCOME_SUSPECT, WEIR_OUTCOME_SUSPECT,
	                                      WEIR_OUTCOME_INFORMATIONAL,
	                                      WEIR_OUTCOME_INFORMATIONAL, WEIR_OUTCOME_SUSPECT};
	const enum weir_outcome far[] = {WEIR_OUTCOME_SUSPECT, WEIR_OUTCOME_SUSPECT,
	                                 WEIR_OUTCOME_SUSPECT, WEIR_OUTCOME_SUSPECT,
	                                 WEIR_OUTCOME_SUSPECT};
	struct weir_gate_result *result = stage_with(8, 1, 1.12);

	(void)state;
	expect_outcomes(result, "stage:decode", outcomes);
	assert_non_null(strstr(row_of(result, "stage:decode", WEIR_METRIC_P99)->note, "margins"));
	assert_true(fabs(row_of(result, "stage:decode", WEIR_METRIC_P99)->margin - 0.30) < 1e-9);
	weir_gate_result_free(result);
	result = stage_with(8, 1, 1.5);
	expect_outcomes(result, "stage:decode", far);
	weir_gate_result_free(result);
	result = stage_with(8, 1, 0.7); /* a single run cannot prove an improvement either */
	assert_int_equal(row_of(result, "stage:decode", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_INCONCLUSIVE);
	weir_gate_result_free(result);
	result = stage_with(8, 1, 1); /* but it can prove that nothing changed */
	assert_int_equal(row_of(result, "stage:decode", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_NO_CHANGE);
	weir_gate_result_free(result);
}

/* Doubles the first iterations of a run's only stage. */
static void double_first(struct weir_run *run, size_t count)
{
	struct weir_series *series = weir_series_get(&run->stages, "decode");

	for (size_t i = 0; i < count; i++)
		series->value[i] *= 2;
}

/* Ten runs whose tails differ, and one run with a tail of `candidate` of 300 iterations. */
static struct weir_gate_result *tails_with(size_t candidate)
{
	static const size_t tails[10] = {1, 20, 5, 3, 14, 4, 12, 6, 2, 10};
	struct weir_gate_result *result;
	struct runs runs;

	runs_init(&runs, 10, 1, 7);
	add_stage(&runs, "decode", (struct shape){.count = 300});
	for (size_t r = 0; r < 10; r++)
		double_first(runs.base[r], tails[r]);
	double_first(runs.head[0], candidate);
	result = compare_runs(&runs);
	runs_release(&runs);
	return result;
}

/* The rate of a tail varies from run to run. In one run of many it reaches the last decile. */
static void a_tail_that_reaches_p90_in_one_run_is_no_suspect(void **state)
{
	struct weir_gate_result *result = tails_with(33);

	(void)state;
	assert_true(row_of(result, "stage:decode", WEIR_METRIC_P90)->change > 0.5);
	assert_true(row_of(result, "stage:decode", WEIR_METRIC_SHIFT)->change > 0.06);
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_SUSPECT), 0);
	weir_gate_result_free(result);
	result = tails_with(100); /* a third of the iterations is no chance */
	assert_int_equal(row_of(result, "stage:decode", WEIR_METRIC_P90)->outcome,
	                 WEIR_OUTCOME_SUSPECT);
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

static void without_a_test_the_figures_are_still_reported(void **state)
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
			                    "249 samples per run, 250 needed to judge it");
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
	} cases[] = {{25, 300, true, true},
	             {25, 40, true, false},
	             {20, 300, true, true},
	             {19, 300, false, false}};

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

/* Compares five runs with three of a slower stage, in sessions named by one letter a run, baseline
 * first. */
static struct weir_gate_result *sessions_with(double factor, const char *sessions)
{
	struct weir_compare_input input;
	struct weir_gate_result *result;
	struct runs runs;

	runs_init(&runs, 5, 3, 1);
	add_stage(&runs, "a", (struct shape){.factor = factor});
	for (size_t i = 0; i < 8; i++)
		weir_run_set_label(i < 5 ? runs.base[i] : runs.head[i - 5], "session",
		                   (const char[]){sessions[i], '\0'});
	input = input_of_runs(&runs);
	result = compare_with(&input);
	runs_release(&runs);
	return result;
}

static void one_session_a_side_decides_nothing_and_says_why(void **state)
{
	static const double factors[] = {1.3, 1, 0.7};

	(void)state;
	for (size_t f = 0; f < 3; f++) {
		struct weir_gate_result *result = sessions_with(factors[f], "aaaaazzz");
		const struct weir_row *row = row_of(result, "stage:a", WEIR_METRIC_P50);

		assert_int_equal(result->sessions.design, WEIR_SESSIONS_CONFOUNDED);
		assert_int_equal(row->outcome, WEIR_OUTCOME_INCONCLUSIVE);
		assert_string_equal(row->reason, WEIR_REASON_SESSIONS);
		assert_true(isnan(row->runs_needed));
		weir_gate_result_free(result);
	}
}

static void expect_design(const char *sessions, enum weir_session_design design, unsigned baseline,
                          unsigned candidate, unsigned shared)
{
	struct weir_gate_result *result = sessions_with(1.3, sessions);

	assert_int_equal(result->sessions.design, design);
	assert_int_equal(result->sessions.baseline, baseline);
	assert_int_equal(result->sessions.candidate, candidate);
	assert_int_equal(result->sessions.shared, shared);
	weir_gate_result_free(result);
}

static void the_design_goes_by_the_sessions_of_both_sides(void **state)
{
	(void)state;
	expect_design("aaaaaaaa", WEIR_SESSIONS_ONE, 1, 1, 1);
	expect_design("aaaaazzz", WEIR_SESSIONS_CONFOUNDED, 1, 1, 0);
	expect_design("aaabbzzz", WEIR_SESSIONS_NESTED, 2, 1, 0);
	expect_design("aaaaayzz", WEIR_SESSIONS_NESTED, 1, 2, 0);
	expect_design("abcdeabc", WEIR_SESSIONS_BLOCKS, 5, 3, 3);
	expect_design("abcdezzz", WEIR_SESSIONS_NESTED, 5, 1, 0);
	/* No degree of freedom is left for blocks: the shared session counts on both sides. */
	expect_design("abcdeafg", WEIR_SESSIONS_NESTED, 5, 3, 1);
	expect_design("abcdeaaf", WEIR_SESSIONS_BLOCKS, 5, 2, 1);
}

static void both_sides_in_one_session_have_full_power(void **state)
{
	struct weir_gate_result *same = sessions_with(1.3, "aaaaaaaa");
	struct weir_gate_result *blocks = sessions_with(1.3, "aabbcabc");

	(void)state;
	assert_int_equal(row_of(same, "stage:a", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_REGRESSION);
	assert_int_equal(row_of(blocks, "stage:a", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_REGRESSION);
	assert_null(row_of(blocks, "stage:a", WEIR_METRIC_P50)->reason);
	weir_gate_result_free(same);
	weir_gate_result_free(blocks);
}

/* Returns the outcome of p95 for five runs whose tails differ, and three with tails of about this
 * number of 300 iterations, each run in a session. */
static enum weir_outcome tail_of_sessions(size_t candidate)
{
	static const size_t tails[5] = {3, 14, 1, 13, 8};
	struct weir_gate_result *result;
	enum weir_outcome outcome;
	struct runs runs;

	runs_init(&runs, 5, 3, 7);
	add_stage(&runs, "decode", (struct shape){.count = 300});
	for (size_t i = 0; i < 8; i++) {
		struct weir_run *run = i < 5 ? runs.base[i] : runs.head[i - 5];

		double_first(run, i < 5 ? tails[i] : candidate + i - 6);
		weir_run_set_label(run, "session", (const char[]){(char)('a' + i), '\0'});
	}
	result = compare_runs(&runs);
	assert_int_equal(result->sessions.design, WEIR_SESSIONS_NESTED);
	outcome = row_of(result, "stage:decode", WEIR_METRIC_P95)->outcome;
	weir_gate_result_free(result);
	runs_release(&runs);
	return outcome;
}

/* Tails of 17 reach p95 where those of 14 do not, although the share hardly differs. */
static void a_tail_that_reaches_p95_in_a_session_is_no_regression(void **state)
{
	(void)state;
	assert_int_not_equal(tail_of_sessions(17), WEIR_OUTCOME_REGRESSION);
	assert_int_equal(tail_of_sessions(100), WEIR_OUTCOME_REGRESSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ladder_goes_by_numbers_of_runs),
		cmocka_unit_test(a_slower_stage_regresses_in_every_row),
		cmocka_unit_test(a_faster_stage_improves),
		cmocka_unit_test(two_runs_leave_p99_a_suspect),
		cmocka_unit_test(one_run_makes_suspects_of_tails_only_from_three_margins),
		cmocka_unit_test(a_tail_that_reaches_p90_in_one_run_is_no_suspect),
		cmocka_unit_test(one_against_one_finds_the_operator_that_stands_out),
		cmocka_unit_test(without_a_test_the_figures_are_still_reported),
		cmocka_unit_test(a_row_needs_samples),
		cmocka_unit_test(rows_without_samples_cost_the_others_nothing),
		cmocka_unit_test(all_operators_need_operators_that_are_judged),
		cmocka_unit_test(a_row_that_is_only_reported_is_outside_the_family),
		cmocka_unit_test(one_session_a_side_decides_nothing_and_says_why),
		cmocka_unit_test(the_design_goes_by_the_sessions_of_both_sides),
		cmocka_unit_test(both_sides_in_one_session_have_full_power),
		cmocka_unit_test(a_tail_that_reaches_p95_in_a_session_is_no_regression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
