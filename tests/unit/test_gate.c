/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ci/policy/gate.h"
#include "tests/unit/near.h"

#define MOST_ROWS 8

/* Rows as the statistics return them, a configuration, and the judged result. */
struct gate {
	struct weir_policy *policy;
	struct weir_gate_result *result;
	struct weir_gate_terms terms;
	struct weir_row rows[MOST_ROWS];
};

static void gate_init(struct gate *gate, const char *configuration)
{
	struct weir_error err = {0};

	*gate = (struct gate){0};
	if (weir_policy_parse("weir.json", configuration, strlen(configuration), &gate->policy,
	                      &err))
		fail_msg("%s", err.message);
	weir_policy_set_today(gate->policy, "2026-11-20");
	gate->result = weir_gate_result_new();
	gate->result->rows = gate->rows;
	gate->terms.policy = gate->policy;
}

static void gate_release(struct gate *gate)
{
	weir_policy_free(gate->policy);
	weir_gate_result_free(gate->result);
}

/* A row of 1 ms with a relative change. */
static struct weir_row *add_row(struct gate *gate, const char *scope, enum weir_outcome outcome,
                                double change)
{
	static const struct {
		const char *word;
		enum weir_scope_kind kind;
	} kinds[] = {{"stage:", WEIR_SCOPE_STAGE},
	             {"device:", WEIR_SCOPE_DEVICE},
	             {"operator:", WEIR_SCOPE_OPERATOR},
	             {"metric:", WEIR_SCOPE_METRIC},
	             {"all-", WEIR_SCOPE_ALL_OPERATORS}};
	struct weir_row *row = &gate->rows[gate->result->row_count++];

	*row = (struct weir_row){
		.scope = scope,
		.outcome = outcome,
		.change = change,
		.baseline = 1e6,
		.candidate = 1e6 * (1 + change),
		.contributed_ns = 1e6 * change,
		.metric = WEIR_METRIC_P50,
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strncmp(scope, kinds[i].word, strlen(kinds[i].word)) == 0)
			row->kind = kinds[i].kind;
	return row;
}

static void expect_codes(const struct gate *gate, size_t count, const int *codes)
{
	assert_int_equal(gate->result->code_count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(gate->result->codes[i], codes[i]);
	assert_int_equal(gate->result->exit_code, count > 0 ? codes[0] : 0);
}

static bool has_remark(const struct gate *gate, const char *text)
{
	for (size_t i = 0; i < gate->result->remark_count; i++)
		if (strstr(gate->result->remarks[i], text))
			return true;
	return false;
}

static void no_change_passes(void **state)
{
	struct gate gate;

	(void)state;
	gate_init(&gate, "{}");
	add_row(&gate, "stage:a", WEIR_OUTCOME_NO_CHANGE, 0.01);
	add_row(&gate, "stage:b", WEIR_OUTCOME_INCONCLUSIVE, 0.05);
	weir_gate_judge(gate.result, &gate.terms);
	assert_int_equal(gate.result->verdict, WEIR_GATE_PASS);
	expect_codes(&gate, 0, NULL);
	assert_int_equal(gate.result->counts.judged, 2);
	gate_release(&gate);
}

static void a_regression_is_red_and_a_comparison_never(void **state)
{
	struct gate gate;

	(void)state;
	for (int never = 0; never < 2; never++) {
		gate_init(&gate, "{}");
		add_row(&gate, "stage:a", WEIR_OUTCOME_NO_CHANGE, 0.01);
		add_row(&gate, "stage:b", WEIR_OUTCOME_REGRESSION, 0.2);
		gate.terms.never_fail = never;
		weir_gate_judge(gate.result, &gate.terms);
		assert_int_equal(gate.result->verdict, WEIR_GATE_REGRESSION);
		assert_int_equal(gate.result->codes[0], WEIR_GATE_CODE_REGRESSION);
		assert_int_equal(gate.result->exit_code, never ? 0 : 1);
		assert_string_equal(gate.result->rows[0].scope, "stage:b");
		gate_release(&gate);
	}
}

static void every_outcome_is_counted_once(void **state)
{
	struct gate gate;
	const struct weir_gate_counts *counts;

	(void)state;
	gate_init(&gate, "{}");
	add_row(&gate, "operator:a/1", WEIR_OUTCOME_IMPROVEMENT, -0.2);
	add_row(&gate, "operator:a/2", WEIR_OUTCOME_MISSING, NAN);
	add_row(&gate, "operator:a/3", WEIR_OUTCOME_NEW, NAN);
	add_row(&gate, "operator:a/4", WEIR_OUTCOME_MOVED, 0.3);
	add_row(&gate, "operator:a/5", WEIR_OUTCOME_INFORMATIONAL, 0.3);
	add_row(&gate, "operator:a/6", WEIR_OUTCOME_INCONCLUSIVE, 0.3);
	weir_gate_judge(gate.result, &gate.terms);
	counts = &gate.result->counts;
	assert_int_equal(counts->improvements, 1);
	assert_int_equal(counts->missing, 1);
	assert_int_equal(counts->added, 1);
	assert_int_equal(counts->moved, 1);
	assert_int_equal(counts->informational, 1);
	assert_int_equal(counts->inconclusive, 1);
	assert_int_equal(counts->judged, 3);
	assert_int_equal(gate.result->verdict, WEIR_GATE_IMPROVEMENT);
	expect_codes(&gate, 0, NULL); /* operators come and go */
	gate_release(&gate);
}

static const char waiver[] = "{\"waivers\": [{\"scope\": \"stage:decode\", \"up_to\": 0.12,"
			     "\"reason\": \"fp8 fallback\", \"expires\": \"2027-01-31\"}]}";

static void a_waiver_covers_what_it_names(void **state)
{
	struct gate gate;

	(void)state;
	gate_init(&gate, waiver);
	add_row(&gate, "stage:decode", WEIR_OUTCOME_REGRESSION, 0.11);
	weir_gate_judge(gate.result, &gate.terms);
	assert_int_equal(gate.result->rows[0].outcome, WEIR_OUTCOME_WAIVED);
	assert_string_equal(gate.result->rows[0].waiver->reason, "fp8 fallback");
	assert_int_equal(gate.result->verdict, WEIR_GATE_PASS);
	assert_int_equal(gate.result->counts.waived, 1);
	expect_codes(&gate, 0, NULL);
	gate_release(&gate);
}

static void an_exceeded_waiver_is_void_and_shown(void **state)
{
	struct gate gate;

	(void)state;
	gate_init(&gate, waiver);
	add_row(&gate, "stage:decode", WEIR_OUTCOME_REGRESSION, 0.13);
	weir_gate_judge(gate.result, &gate.terms);
	assert_true(gate.result->rows[0].waiver->exceeded);
	assert_int_equal(gate.result->exit_code, 1);
	gate_release(&gate);
}

static void an_expired_waiver_is_void_and_remarked(void **state)
{
	struct gate gate;

	(void)state;
	gate_init(&gate, waiver);
	weir_policy_set_today(gate.policy, "2027-02-01");
	add_row(&gate, "stage:decode", WEIR_OUTCOME_REGRESSION, 0.05);
	weir_gate_judge(gate.result, &gate.terms);
	assert_true(gate.result->rows[0].waiver->expired);
	assert_int_equal(gate.result->exit_code, 1);
	assert_true(has_remark(&gate, "waivers[0]: \"stage:decode\" expired on 2027-01-31"));
	gate_release(&gate);
}

static void a_waiver_of_a_falling_figure_goes_by_its_fall(void **state)
{
	struct gate gate;

	(void)state;
	gate_init(&gate, "{\"waivers\": [{\"scope\": \"metric:*\", \"up_to\": 0.12, \"reason\": "
	                 "\"r\", \"expires\": \"2027-01-31\"}]}");
	add_row(&gate, "metric:tokens_per_s", WEIR_OUTCOME_REGRESSION, -0.10);
	add_row(&gate, "metric:requests_per_s", WEIR_OUTCOME_REGRESSION, -0.15);
	weir_gate_judge(gate.result, &gate.terms);
	assert_string_equal(gate.result->rows[0].scope, "metric:requests_per_s");
	assert_int_equal(gate.result->rows[0].outcome, WEIR_OUTCOME_REGRESSION);
	assert_int_equal(gate.result->rows[1].outcome, WEIR_OUTCOME_WAIVED);
	gate_release(&gate);
}

/* The operator takes 2 % of the stage and doubled: its waiver goes by the stage's time. */
static void a_waiver_of_a_stage_covers_its_device_time_and_operators(void **state)
{
	static const double sizes[] = {2.0, 6.1}; /* +4 % and +12.2 % of the stage */
	struct gate gate;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct weir_row *row;

		gate_init(&gate, waiver);
		add_row(&gate, "stage:decode", WEIR_OUTCOME_REGRESSION, 0.11);
		row = add_row(&gate, "device:decode", WEIR_OUTCOME_REGRESSION, 0.12);
		row->name = row->stage = "decode";
		row = add_row(&gate, "operator:decode/mm", WEIR_OUTCOME_REGRESSION, sizes[i]);
		row->name = "mm";
		row->stage = "decode";
		row->contributed_ns = 2e4 * sizes[i];
		weir_gate_judge(gate.result, &gate.terms);
		assert_int_equal(gate.result->counts.waived, i ? 2 : 3);
		assert_int_equal(gate.result->exit_code, i ? 1 : 0);
		gate_release(&gate);
	}
}

/* The stage's rows belong to the finding of the operator that explains them. */
static void a_waiver_of_an_operator_covers_its_finding(void **state)
{
	struct gate gate;
	struct weir_row *row;

	(void)state;
	gate_init(&gate, "{\"waivers\": [{\"scope\": \"operator:decode/mm\", \"up_to\": 0.5, "
	                 "\"reason\": \"r\", \"expires\": \"2027-01-31\"}]}");
	add_row(&gate, "stage:decode", WEIR_OUTCOME_REGRESSION, 0.05)->name = "decode";
	add_row(&gate, "stage:other", WEIR_OUTCOME_REGRESSION, 0.05)->name = "other";
	row = add_row(&gate, "operator:decode/mm", WEIR_OUTCOME_REGRESSION, 0.4);
	row->name = "mm";
	row->stage = "decode";
	row->contributed_ns = 4e4;
	weir_gate_judge(gate.result, &gate.terms);
	assert_int_equal(gate.result->counts.waived, 2);
	assert_int_equal(gate.result->counts.regressions, 1);
	assert_int_equal(gate.result->finding_count, 2);
	assert_string_equal(gate.result->findings[0].scope, "stage:other");
	gate_release(&gate);
}

static void an_advised_waiver_lasts_ninety_days(void **state)
{
	struct gate gate;

	(void)state;
	gate_init(&gate, "{}");
	weir_policy_set_today(gate.policy, "2027-12-02");
	add_row(&gate, "stage:decode", WEIR_OUTCOME_REGRESSION, 0.11);
	weir_gate_judge(gate.result, &gate.terms);
	assert_string_equal(gate.result->findings[0].until, "2028-03-01"); /* over a leap day */
	gate_release(&gate);
}

static void a_ceiling_stops_what_no_waiver_covers(void **state)
{
	struct gate gate;

	(void)state;
	gate_init(&gate, "{\"slo\": [{\"scope\": \"stage:*\", \"metric\": \"p50\", \"max_ms\": "
	                 "1.05}], \"waivers\": [{\"scope\": \"stage:b\", \"up_to\": 1, \"reason\": "
	                 "\"r\", \"expires\": \"2027-01-31\"}]}");
	add_row(&gate, "stage:a", WEIR_OUTCOME_NO_CHANGE, 0.04);
	add_row(&gate, "stage:b", WEIR_OUTCOME_REGRESSION, 0.06);
	add_row(&gate, "device:c", WEIR_OUTCOME_NO_CHANGE, 0.06);
	add_row(&gate, "stage:d", WEIR_OUTCOME_IMPROVEMENT, 0.06)->metric = WEIR_METRIC_P90;
	weir_gate_judge(gate.result, &gate.terms);
	assert_int_equal(gate.result->counts.regressions, 1);
	assert_string_equal(gate.result->rows[0].scope, "stage:b");
	assert_non_null(strstr(gate.result->rows[0].note, "ceiling of 1.05 ms"));
	assert_null(gate.result->rows[0].waiver);
	assert_int_equal(gate.result->exit_code, 1);
	gate_release(&gate);
}

static void a_change_below_min_change_ns_is_none(void **state)
{
	struct gate gate;

	(void)state;
	gate_init(&gate,
	          "{\"rules\": [{\"scope\": \"*\", \"min_change_ns\": 50000}]}"); /* 5 % of 1 ms */
	add_row(&gate, "stage:a", WEIR_OUTCOME_REGRESSION, 0.049);
	add_row(&gate, "stage:b", WEIR_OUTCOME_SUSPECT, 0.049);
	weir_gate_judge(gate.result, &gate.terms);
	assert_int_equal(gate.result->counts.no_change, 2);
	assert_non_null(strstr(gate.result->rows[0].note, "min_change_ns"));
	assert_int_equal(gate.result->verdict,
	                 WEIR_GATE_PASS); /* it was judged: no coverage code */
	expect_codes(&gate, 0, NULL);
	gate_release(&gate);
}

static void a_change_above_min_change_ns_stays_red(void **state)
{
	struct gate gate;

	(void)state;
	gate_init(&gate, "{\"rules\": [{\"scope\": \"*\", \"min_change_ns\": 50000}]}");
	add_row(&gate, "stage:a", WEIR_OUTCOME_REGRESSION, 0.051);
	add_row(&gate, "metric:x", WEIR_OUTCOME_REGRESSION, 0.01)->candidate = 1.01;
	weir_gate_judge(gate.result, &gate.terms);
	assert_int_equal(gate.result->counts.regressions, 2); /* figures are no times */
	gate_release(&gate);
}

static void severities_ignore_and_warn(void **state)
{
	struct gate gate;

	(void)state;
	gate_init(&gate, "{\"rules\": [{\"scope\": \"stage:gone\", \"severity\": \"ignore\"},"
	                 "{\"scope\": \"stage:w*\", \"severity\": \"warn\"},"
	                 "{\"scope\": \"stage:typo\", \"severity\": \"ignore\"}]}");
	add_row(&gate, "stage:gone", WEIR_OUTCOME_MISSING, NAN);
	add_row(&gate, "stage:warned", WEIR_OUTCOME_INFORMATIONAL, 0.5);
	add_row(&gate, "stage:went", WEIR_OUTCOME_MISSING, NAN);
	add_row(&gate, "stage:a", WEIR_OUTCOME_NO_CHANGE, 0);
	weir_gate_judge(gate.result, &gate.terms);
	assert_int_equal(gate.result->row_count, 3);
	assert_string_equal(gate.result->rows[2].note, "reported only, as weir.json says");
	assert_false(has_remark(&gate, "stage:gone"));
	assert_true(has_remark(&gate, "weir.json: rules[2]: \"stage:typo\" matches nothing"));
	expect_codes(&gate, 0, NULL);
	gate_release(&gate);
}

static void patterns_that_match_nothing_are_remarked(void **state)
{
	struct gate gate;

	(void)state;
	gate_init(&gate, "{\"rules\": [{\"scope\": \"stage:x\"}, {\"scope\": \"stage:a\"},"
	                 "{\"scope\": \"stage:a\", \"metric\": \"p99\"}],"
	                 "\"slo\": [{\"scope\": \"stage:y\", \"metric\": \"p99\", \"max_ms\": 1}],"
	                 "\"waivers\": [{\"scope\": \"stage:z\", \"up_to\": 1, \"reason\": \"r\","
	                 "\"expires\": \"2020-01-01\"}]}");
	add_row(&gate, "stage:a", WEIR_OUTCOME_NO_CHANGE, 0);
	weir_gate_judge(gate.result, &gate.terms);
	assert_int_equal(gate.result->remark_count, 4);
	assert_true(has_remark(&gate, "rules[0]: \"stage:x\" matches nothing"));
	assert_true(has_remark(&gate, "rules[2]: \"stage:a\" matches nothing"));
	assert_true(has_remark(&gate, "slo[0]: \"stage:y\" matches nothing"));
	assert_true(has_remark(&gate, "waivers[0]: \"stage:z\" matches nothing"));
	gate_release(&gate);
}

static void what_is_gone_is_coverage(void **state)
{
	static const char *const scopes[] = {"stage:a", "device:a", "metric:a"};
	struct gate gate;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		gate_init(&gate, "{}");
		add_row(&gate, "stage:b", WEIR_OUTCOME_NO_CHANGE, 0);
		add_row(&gate, scopes[i], WEIR_OUTCOME_MISSING, NAN);
		weir_gate_judge(gate.result, &gate.terms);
		assert_int_equal(gate.result->verdict, WEIR_GATE_COVERAGE);
		expect_codes(&gate, 1, (const int[]){6});
		gate_release(&gate);
	}
}

static void a_missing_operator_fails_only_where_it_is_required(void **state)
{
	struct gate gate;

	(void)state;
	for (int required = 0; required < 2; required++) {
		gate_init(&gate, "{}");
		add_row(&gate, "stage:b", WEIR_OUTCOME_NO_CHANGE, 0);
		add_row(&gate, "operator:b/x", WEIR_OUTCOME_MISSING, NAN);
		gate.terms.require_operators = required;
		weir_gate_judge(gate.result, &gate.terms);
		assert_int_equal(gate.result->exit_code, required ? 6 : 0);
		gate_release(&gate);
	}
}

static void nothing_judged_is_never_a_pass(void **state)
{
	struct gate gate;

	(void)state;
	for (int rows = 0; rows < 2; rows++) {
		gate_init(&gate, "{}");
		if (rows)
			add_row(&gate, "stage:b", WEIR_OUTCOME_INFORMATIONAL, 0);
		weir_gate_judge(gate.result, &gate.terms);
		assert_int_equal(gate.result->verdict, WEIR_GATE_INCONCLUSIVE);
		expect_codes(&gate, 1, (const int[]){6});
		assert_true(has_remark(&gate, "nothing could be judged"));
		gate_release(&gate);
	}
	gate_init(&gate, "{\"rules\": [{\"scope\": \"*\", \"severity\": \"ignore\"}]}");
	add_row(&gate, "stage:b", WEIR_OUTCOME_REGRESSION, 0.5);
	weir_gate_judge(gate.result, &gate.terms);
	expect_codes(&gate, 1, (const int[]){6});
	gate_release(&gate);
}

static void too_few_runs_say_how_many_more(void **state)
{
	struct gate gate;

	(void)state;
	gate_init(&gate, "{}");
	gate.result->method = WEIR_METHOD_NONE;
	gate.result->baseline.runs = gate.result->candidate.runs = 1;
	add_row(&gate, "stage:b", WEIR_OUTCOME_INFORMATIONAL, 0);
	weir_gate_judge(gate.result, &gate.terms);
	assert_true(has_remark(&gate, "4 more baseline and 2 more candidate"));
	gate_release(&gate);
}

static void strictness_fails_doubt(void **state)
{
	static const enum weir_outcome doubts[] = {WEIR_OUTCOME_SUSPECT, WEIR_OUTCOME_INCONCLUSIVE};
	static const enum weir_gate_verdict verdicts[] = {WEIR_GATE_SUSPECT,
	                                                  WEIR_GATE_INCONCLUSIVE};
	struct gate gate;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		gate_init(&gate, "{}");
		add_row(&gate, "stage:b", doubts[i / 2], 0.1);
		gate.terms.strict = i % 2 == 1;
		weir_gate_judge(gate.result, &gate.terms);
		assert_int_equal(gate.result->verdict, verdicts[i / 2]);
		expect_codes(&gate, i % 2, (const int[]){3});
		gate_release(&gate);
	}
}

static void strictness_fails_what_stays_open_at_p50_or_shift(void **state)
{
	static const struct {
		enum weir_metric metric;
		enum weir_outcome outcome;
		size_t codes;
	} rows[] = {
		{WEIR_METRIC_P50, WEIR_OUTCOME_INCONCLUSIVE, 1},
		{WEIR_METRIC_SHIFT, WEIR_OUTCOME_INCONCLUSIVE, 1},
		{WEIR_METRIC_P90, WEIR_OUTCOME_INCONCLUSIVE, 0},
		{WEIR_METRIC_P99, WEIR_OUTCOME_INCONCLUSIVE, 0},
		{WEIR_METRIC_P99, WEIR_OUTCOME_SUSPECT, 1},
		{WEIR_METRIC_P50, WEIR_OUTCOME_INFORMATIONAL, 0}, /* severity `warn` */
		{WEIR_METRIC_P50, WEIR_OUTCOME_NO_CHANGE, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct gate gate;

		gate_init(&gate, "{}");
		add_row(&gate, "stage:a", WEIR_OUTCOME_NO_CHANGE, 0); /* proven, so a pass */
		add_row(&gate, "stage:b", rows[i].outcome, 0.1)->metric = rows[i].metric;
		gate.terms.strict = true;
		weir_gate_judge(gate.result, &gate.terms);
		expect_codes(&gate, rows[i].codes, (const int[]){3});
		gate_release(&gate);
	}
}

static void all_codes_are_listed_in_their_order(void **state)
{
	struct gate gate;

	(void)state;
	gate_init(&gate, "{}");
	add_row(&gate, "stage:a", WEIR_OUTCOME_SUSPECT, 0.1);
	add_row(&gate, "stage:b", WEIR_OUTCOME_MISSING, NAN);
	add_row(&gate, "stage:c", WEIR_OUTCOME_REGRESSION, 0.1);
	gate.terms.strict = true;
	weir_gate_stop(gate.result, WEIR_GATE_NO_BASELINE, WEIR_GATE_CODE_NO_BASELINE);
	expect_codes(&gate, 1, (const int[]){4});
	weir_gate_stop(gate.result, WEIR_GATE_ENVIRONMENT, WEIR_GATE_CODE_ENVIRONMENT);
	expect_codes(&gate, 2, (const int[]){5, 4});
	weir_gate_judge(gate.result, &gate.terms);
	expect_codes(&gate, 5, (const int[]){1, 6, 5, 4, 3});
	assert_int_equal(gate.result->verdict, WEIR_GATE_REGRESSION);
	for (int i = 0; i < 2; i++) { /* those of other parts of the program, once each */
		weir_gate_stop(gate.result, WEIR_GATE_INCONCLUSIVE, (enum weir_gate_code)7);
		weir_gate_stop(gate.result, WEIR_GATE_INCONCLUSIVE, (enum weir_gate_code)2);
		weir_gate_stop(gate.result, WEIR_GATE_INCONCLUSIVE, (enum weir_gate_code)9);
		weir_gate_stop(gate.result, WEIR_GATE_INCONCLUSIVE, (enum weir_gate_code)8);
	}
	expect_codes(&gate, 9, (const int[]){9, 8, 7, 2, 1, 6, 5, 4, 3});
	gate_release(&gate);
}

static void rows_come_worst_first(void **state)
{
	static const char *const order[] = {"stage:z", "stage:y", "operator:a/x", "metric:v",
	                                    "stage:s", "stage:g", "stage:n"};
	struct gate gate;

	(void)state;
	gate_init(&gate, "{}");
	add_row(&gate, "stage:n", WEIR_OUTCOME_NO_CHANGE, 0);
	add_row(&gate, "metric:v", WEIR_OUTCOME_REGRESSION, 0.9)->contributed_ns = NAN;
	add_row(&gate, "operator:a/x", WEIR_OUTCOME_REGRESSION, 0.8);
	add_row(&gate, "stage:g", WEIR_OUTCOME_MISSING, NAN);
	add_row(&gate, "stage:y", WEIR_OUTCOME_REGRESSION, 0.1);
	add_row(&gate, "stage:s", WEIR_OUTCOME_SUSPECT, 0.1);
	add_row(&gate, "stage:z", WEIR_OUTCOME_REGRESSION, 0.2);
	weir_gate_judge(gate.result, &gate.terms);
	for (size_t i = 0; i < gate.result->row_count; i++)
		assert_string_equal(gate.result->rows[i].scope, order[i]);
	gate_release(&gate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_change_passes),
		cmocka_unit_test(a_regression_is_red_and_a_comparison_never),
		cmocka_unit_test(every_outcome_is_counted_once),
		cmocka_unit_test(a_waiver_covers_what_it_names),
		cmocka_unit_test(a_waiver_of_a_stage_covers_its_device_time_and_operators),
		cmocka_unit_test(a_waiver_of_an_operator_covers_its_finding),
		cmocka_unit_test(an_advised_waiver_lasts_ninety_days),
		cmocka_unit_test(an_exceeded_waiver_is_void_and_shown),
		cmocka_unit_test(an_expired_waiver_is_void_and_remarked),
		cmocka_unit_test(a_waiver_of_a_falling_figure_goes_by_its_fall),
		cmocka_unit_test(a_ceiling_stops_what_no_waiver_covers),
		cmocka_unit_test(a_change_below_min_change_ns_is_none),
		cmocka_unit_test(a_change_above_min_change_ns_stays_red),
		cmocka_unit_test(severities_ignore_and_warn),
		cmocka_unit_test(patterns_that_match_nothing_are_remarked),
		cmocka_unit_test(what_is_gone_is_coverage),
		cmocka_unit_test(a_missing_operator_fails_only_where_it_is_required),
		cmocka_unit_test(nothing_judged_is_never_a_pass),
		cmocka_unit_test(too_few_runs_say_how_many_more),
		cmocka_unit_test(strictness_fails_doubt),
		cmocka_unit_test(strictness_fails_what_stays_open_at_p50_or_shift),
		cmocka_unit_test(all_codes_are_listed_in_their_order),
		cmocka_unit_test(rows_come_worst_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
