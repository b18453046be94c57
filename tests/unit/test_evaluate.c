/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From rules and figures to one verdict, its confidence, what to measure next, and advice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/model/report.h"
#include "engine/model/template.h"
#include "rules/choice.h"
#include "rules/evaluate.h"
#include "tests/unit/rule_features.h"

/* --- the choice, a pure function --- */

static struct weir_rule_outcome outcome(enum weir_bound bound, enum weir_truth truth, double share)
{
	return (struct weir_rule_outcome){"r", bound, truth, share};
}

static void the_largest_share_wins(void **state)
{
	const struct weir_rule_outcome outcomes[] = {
		outcome(WEIR_BOUND_RUNTIME, WEIR_TRUE, 0.30),
		outcome(WEIR_BOUND_MEMORY, WEIR_TRUE, 0.60),
		outcome(WEIR_BOUND_KERNEL, WEIR_TRUE, 0.50),
	};

	(void)state;
	assert_int_equal(weir_choice_winner(outcomes, 3), 1);
	assert_true(weir_choice_rival(outcomes, 3, 1) == 0.50);
}

static void a_tie_goes_to_the_earlier_rule(void **state)
{
	struct weir_rule_outcome outcomes[] = {
		outcome(WEIR_BOUND_RUNTIME, WEIR_TRUE, 0.50),
		outcome(WEIR_BOUND_MEMORY, WEIR_TRUE, 0.52),
	};

	(void)state;
	assert_int_equal(weir_choice_winner(outcomes, 2), 0);
	outcomes[1].share = 0.5201;
	assert_int_equal(weir_choice_winner(outcomes, 2), 1);
}

static void only_what_holds_can_win(void **state)
{
	const struct weir_rule_outcome outcomes[] = {
		outcome(WEIR_BOUND_RUNTIME, WEIR_FALSE, 0.9),
		outcome(WEIR_BOUND_MEMORY, WEIR_UNKNOWN, 0.8),
		outcome(WEIR_BOUND_KERNEL, WEIR_TRUE, 0.1),
	};

	(void)state;
	assert_int_equal(weir_choice_winner(outcomes, 3), 2);
	assert_true(isnan(weir_choice_rival(outcomes, 3, 2)));
	assert_true(weir_choice_winner(outcomes, 2) == WEIR_CHOICE_NONE);
	assert_true(weir_choice_winner(outcomes, 0) == WEIR_CHOICE_NONE);
}

static void a_share_that_is_no_number_ranks_last(void **state)
{
	struct weir_rule_outcome outcomes[] = {
		outcome(WEIR_BOUND_RUNTIME, WEIR_TRUE, NAN),
		outcome(WEIR_BOUND_KERNEL, WEIR_TRUE, INFINITY),
		outcome(WEIR_BOUND_MEMORY, WEIR_TRUE, 0.01),
	};

	(void)state;
	assert_int_equal(weir_choice_winner(outcomes, 3), 2);
	assert_int_equal(weir_choice_winner(outcomes, 2), 0);
}

static void a_rule_of_the_same_bound_is_no_rival(void **state)
{
	const struct weir_rule_outcome outcomes[] = {
		outcome(WEIR_BOUND_MEMORY, WEIR_TRUE, 0.60),
		outcome(WEIR_BOUND_MEMORY, WEIR_TRUE, 0.59),
		outcome(WEIR_BOUND_KERNEL, WEIR_TRUE, 0.20),
	};

	(void)state;
	assert_true(weir_choice_rival(outcomes, 3, 0) == 0.20);
}

static void the_runner_up_is_another_bound_and_never_the_unattributed(void **state)
{
	const double shares[WEIR_BOUND_COUNT] = {NAN, 0.5, 0.1, 0.2, 0, 0, 0.2};
	const double alone[WEIR_BOUND_COUNT] = {0, 1, 0, 0, 0, 0, 0};
	enum weir_bound bound = WEIR_BOUND_COUNT;
	double share = 0;

	(void)state;
	assert_true(weir_choice_runner_up(shares, WEIR_BOUND_RUNTIME, &bound, &share));
	assert_int_equal(bound, WEIR_BOUND_MEMORY);
	assert_true(share == 0.2);
	assert_true(weir_choice_runner_up(shares, WEIR_BOUND_UNDETERMINED, &bound, &share));
	assert_int_equal(bound, WEIR_BOUND_RUNTIME);
	assert_false(weir_choice_runner_up(alone, WEIR_BOUND_RUNTIME, &bound, &share));
	assert_true(share == 0);
}

static void assert_confidence(double share, double runner_up, double unattributed, double rival,
                              enum weir_confidence expected)
{
	const struct weir_standing standing = {share, runner_up, unattributed, rival};

	assert_int_equal(weir_choice_confidence(&standing), expected);
}

static void confidence_follows_the_lead(void **state)
{
	(void)state;
	assert_confidence(0.80, 0.10, 0.05, NAN, WEIR_CONFIDENCE_HIGH);
	assert_confidence(0.50, 0.20, 0.24, NAN, WEIR_CONFIDENCE_HIGH);
	assert_confidence(0.49, 0.20, 0.05, NAN, WEIR_CONFIDENCE_MEDIUM);
	assert_confidence(0.50, 0.20, 0.25, NAN, WEIR_CONFIDENCE_MEDIUM);
	assert_confidence(0.40, 0.25, 0.05, NAN, WEIR_CONFIDENCE_MEDIUM);
	assert_confidence(0.40, 0.26, 0.05, NAN, WEIR_CONFIDENCE_LOW);
	assert_confidence(0.20, 0.60, 0.05, NAN, WEIR_CONFIDENCE_LOW);
}

static void a_near_rival_lowers_confidence(void **state)
{
	(void)state;
	assert_confidence(0.80, 0.10, 0.05, 0.75, WEIR_CONFIDENCE_LOW);
	assert_confidence(0.80, 0.10, 0.05, 0.82, WEIR_CONFIDENCE_LOW);
	assert_confidence(0.80, 0.10, 0.05, 0.74, WEIR_CONFIDENCE_HIGH);
}

static void unknown_figures_never_raise_confidence(void **state)
{
	(void)state;
	assert_confidence(NAN, 0.10, 0.05, NAN, WEIR_CONFIDENCE_LOW);
	assert_confidence(0.90, NAN, 0.05, NAN, WEIR_CONFIDENCE_LOW);
	assert_confidence(0.90, 0.10, NAN, NAN, WEIR_CONFIDENCE_MEDIUM);
}

static void a_bound_must_exceed_what_is_unattributed(void **state)
{
	const double even[WEIR_BOUND_COUNT] = {
		[WEIR_BOUND_RUNTIME] = 0.5, [WEIR_BOUND_UNDETERMINED] = 0.5};
	const double ahead[WEIR_BOUND_COUNT] = {
		[WEIR_BOUND_RUNTIME] = 0.51, [WEIR_BOUND_UNDETERMINED] = 0.49};
	const double none[WEIR_BOUND_COUNT] = {
		[WEIR_BOUND_RUNTIME] = NAN, [WEIR_BOUND_UNDETERMINED] = NAN};

	(void)state;
	assert_true(weir_choice_is_outweighed(even, WEIR_BOUND_RUNTIME, 0.5));
	assert_false(weir_choice_is_outweighed(ahead, WEIR_BOUND_RUNTIME, 0.51));
	/* The share of a rule may be a part of its bound's time. */
	assert_false(weir_choice_is_outweighed(ahead, WEIR_BOUND_RUNTIME, 0.2));
	/* A rule about the unattributed time itself is not outweighed by it. */
	assert_false(weir_choice_is_outweighed(even, WEIR_BOUND_KERNEL, 0.5));
	assert_true(weir_choice_is_outweighed(even, WEIR_BOUND_KERNEL, 0.2));
	assert_false(weir_choice_is_outweighed(even, WEIR_BOUND_UNDETERMINED, 0.1));
	assert_false(weir_choice_is_outweighed(none, WEIR_BOUND_RUNTIME, 0.5));
}

/* --- rules against a subject --- */

#define EXAMPLES(on, off, open)                                                                    \
	"\"see\":[\"s\"],\"examples\":[{" on ",\"expect\":\"true\"},{" off                         \
	",\"expect\":\"false\"},"                                                                  \
	"{" open "\"expect\":\"unknown\"}]}"

static const char rules[] =
	"{\"rules\":["
	"{\"id\":\"runtime/wait\",\"about\":[\"profile\",\"stage\"],\"bound\":\"runtime\","
	"\"cause\":\"host-dispatch\",\"title\":\"t\",\"when\":[\"idle_host > 0.3\",\"kernels > "
	"10\"],"
	"\"share\":\"idle_host\",\"headline\":\"waits {idle_host}\",\"next\":\"capture\","
	"\"recommend\":[{\"id\":\"graphs\",\"title\":\"t\",\"why\":\"w\",\"effort\":\"low\","
	"\"low\":1.5,"
	"\"high\":2,\"saves\":\"idle_host\"},{\"id\":\"shared\",\"title\":\"from "
	"runtime\",\"why\":\"w\","
	"\"effort\":\"low\"}]," EXAMPLES(
		"\"idle_host\":0.5,\"kernels\":20", "\"idle_host\":0",
		"") ","
		    "{\"id\":\"memory/"
		    "bandwidth\",\"about\":[\"profile\",\"operator\"],\"bound\":\"memory\","
		    "\"cause\":\"bandwidth\",\"title\":\"t\",\"when\":[\"share > 0.4 AND speedup < "
		    "2\"],"
		    "\"share\":\"share\",\"headline\":\"h\",\"next\":\"n\",\"recommend\":[{\"id\":"
		    "\"shared\","
		    "\"title\":\"from memory\",\"why\":\"w\",\"effort\":\"low\"}]," EXAMPLES(
			    "\"share\":0.5,\"speedup\":1", "\"share\":0",
			    "") ","
				"{\"id\":\"hardware/"
				"roof\",\"about\":\"profile\",\"bound\":\"hardware\",\"cause\":"
				"\"compute-roof\","
				"\"title\":\"t\",\"when\":[\"gpu_active > "
				"0.9\"],\"share\":\"gpu_active\",\"last\":true,"
				"\"headline\":\"h\",\"next\":\"n\",\"recommend\":[{\"id\":\"buy\","
				"\"title\":\"t\",\"why\":\"w\","
				"\"effort\":\"high\"}]," EXAMPLES(
					"\"gpu_active\":1", "\"gpu_active\":0",
					"") ","
					    "{\"id\":\"advice/"
					    "padding\",\"about\":\"profile\",\"bound\":null,"
					    "\"title\":\"t\","
					    "\"when\":[\"padding > "
					    "0.1\"],\"share\":\"padding\",\"recommend\":[{\"id\":"
					    "\"buckets\",\"title\":\"t\","
					    "\"why\":\"w\",\"effort\":\"medium\",\"saves\":"
					    "\"padding\"}]," EXAMPLES("\"padding\":1",
                                                                      "\"padding\":0", "") "]}";

struct bench {
	struct weir_ruleset *set;
	struct weir_verdict verdict;
	struct weir_advice_list advice;
	double values[F_COUNT];
};

static int open_bench(void **state)
{
	static struct bench bench;
	struct weir_error err = {0};

	bench = (struct bench){0};
	all_unknown(bench.values);
	if (weir_ruleset_load_text(&rule_features, "x.json", rules, strlen(rules), &bench.set,
	                           &err))
		fail_msg("%s", err.message);
	*state = &bench;
	return 0;
}

static int close_bench(void **state)
{
	struct bench *bench = *state;

	weir_advice_list_release(&bench->advice);
	weir_ruleset_free(bench->set);
	return 0;
}

static void judge_as(struct bench *bench, enum weir_subject_kind kind, const double *shares)
{
	const struct weir_subject subject = {kind, NULL, bench->values};

	weir_ruleset_judge(bench->set, &subject, shares, &bench->verdict, &bench->advice);
}

static void judge(struct bench *bench, const double *shares)
{
	judge_as(bench, WEIR_SUBJECT_PROFILE, shares);
}

static const struct weir_advice *advice_of(const struct bench *bench, const char *id)
{
	for (size_t i = 0; i < bench->advice.count; i++) {
		if (strcmp(bench->advice.items[i].id, id) == 0)
			return &bench->advice.items[i];
	}
	return NULL;
}

static void a_verdict_carries_rule_clauses_and_numbers(void **state)
{
	const double shares[WEIR_BOUND_COUNT] = {0, 0.80, 0.02, 0.12, 0, 0, 0.06};
	struct bench *bench = *state;

	bench->values[F_IDLE_HOST] = 0.8;
	bench->values[F_KERNELS] = 243;
	judge(bench, shares);
	assert_int_equal(bench->verdict.bound, WEIR_BOUND_RUNTIME);
	assert_string_equal(bench->verdict.cause, "host-dispatch");
	assert_string_equal(bench->verdict.rule, "runtime/wait");
	assert_int_equal(bench->verdict.confidence, WEIR_CONFIDENCE_HIGH);
	assert_true(bench->verdict.share == 0.8);
	assert_int_equal(bench->verdict.evidence_count, 2);
	assert_string_equal(bench->verdict.evidence[1].clause, "kernels > 10");
	assert_int_equal(bench->verdict.evidence[1].truth, WEIR_TRUE);
	assert_string_equal(bench->verdict.evidence[1].readings[0].feature, "kernels");
	assert_true(bench->verdict.evidence[1].readings[0].value == 243);
	assert_true(bench->verdict.has_runner_up);
	assert_int_equal(bench->verdict.runner_up, WEIR_BOUND_MEMORY);
	assert_true(bench->verdict.runner_up_share == 0.12);
	assert_string_equal(bench->verdict.headline, "waits {idle_host}");
	assert_string_equal(bench->verdict.next, "capture");
}

static void without_an_attribution_nothing_is_sure(void **state)
{
	struct bench *bench = *state;

	bench->values[F_IDLE_HOST] = 0.8;
	bench->values[F_KERNELS] = 243;
	judge(bench, NULL);
	assert_int_equal(bench->verdict.bound, WEIR_BOUND_RUNTIME);
	assert_int_equal(bench->verdict.confidence, WEIR_CONFIDENCE_LOW);
	assert_false(bench->verdict.has_runner_up);
	assert_true(isnan(bench->verdict.runner_up_share));
}

static void the_last_resort_waits_for_the_others(void **state)
{
	struct bench *bench = *state;

	bench->values[F_GPU_ACTIVE] = 0.99;
	bench->values[F_SHARE] = 0.5;
	bench->values[F_SPEEDUP] = 1;
	judge(bench, NULL);
	assert_string_equal(bench->verdict.rule, "memory/bandwidth");
	assert_null(advice_of(bench, "buy"));
	bench->values[F_SPEEDUP] = 3;
	judge(bench, NULL);
	assert_string_equal(bench->verdict.rule, "hardware/roof");
	assert_non_null(advice_of(bench, "buy"));
}

static void advice_alone_does_not_hold_the_last_resort_back(void **state)
{
	struct bench *bench = *state;

	bench->values[F_GPU_ACTIVE] = 0.99;
	bench->values[F_PADDING] = 0.5;
	judge(bench, NULL);
	assert_string_equal(bench->verdict.rule, "hardware/roof");
	assert_int_equal(bench->advice.count, 2);
}

static void advice_alone_is_no_verdict(void **state)
{
	struct bench *bench = *state;

	bench->values[F_PADDING] = 0.5;
	judge(bench, NULL);
	assert_int_equal(bench->verdict.bound, WEIR_BOUND_UNDETERMINED);
	assert_null(bench->verdict.rule);
	assert_int_equal(bench->advice.count, 1);
	assert_string_equal(bench->advice.items[0].id, "buckets");
	assert_string_equal(bench->advice.items[0].rule, "advice/padding");
	assert_true(bench->advice.items[0].share == 0.5);
	assert_true(isnan(bench->advice.items[0].low));
}

static void rules_see_only_their_own_subjects(void **state)
{
	struct bench *bench = *state;

	bench->values[F_IDLE_HOST] = 0.8;
	bench->values[F_KERNELS] = 243;
	bench->values[F_SHARE] = 0.5;
	bench->values[F_SPEEDUP] = 1;
	judge_as(bench, WEIR_SUBJECT_OPERATOR, NULL);
	assert_string_equal(bench->verdict.rule, "memory/bandwidth");
	judge_as(bench, WEIR_SUBJECT_STAGE, NULL);
	assert_string_equal(bench->verdict.rule, "runtime/wait");
}

static void a_rule_of_another_bound_nearby_lowers_confidence(void **state)
{
	const double shares[WEIR_BOUND_COUNT] = {0, 0.80, 0.02, 0.12, 0, 0, 0.06};
	struct bench *bench = *state;

	bench->values[F_IDLE_HOST] = 0.80;
	bench->values[F_KERNELS] = 243;
	bench->values[F_SHARE] = 0.76;
	bench->values[F_SPEEDUP] = 1;
	judge(bench, shares);
	assert_string_equal(bench->verdict.rule, "runtime/wait");
	assert_int_equal(bench->verdict.confidence, WEIR_CONFIDENCE_LOW);
	bench->values[F_SHARE] = 0.74;
	judge(bench, shares);
	assert_int_equal(bench->verdict.confidence, WEIR_CONFIDENCE_HIGH);
}

static void more_unattributed_time_than_the_verdict_leaves_it_open(void **state)
{
	const double shares[WEIR_BOUND_COUNT] = {0, 0.40, 0, 0, 0, 0, 0.60};
	struct bench *bench = *state;

	bench->values[F_IDLE_HOST] = 0.4;
	bench->values[F_KERNELS] = 243;
	judge(bench, shares);
	assert_int_equal(bench->verdict.bound, WEIR_BOUND_UNDETERMINED);
	assert_null(bench->verdict.rule);
	assert_non_null(strstr(bench->verdict.headline, "more time is unattributed"));
	assert_int_equal(bench->verdict.runner_up, WEIR_BOUND_RUNTIME);
}

#define LIMITING                                                                                   \
	"{\"rules\":[{\"id\":\"runtime/wait\",\"about\":\"profile\",\"bound\":\"runtime\","        \
	"\"cause\":\"host\",\"title\":\"t\",\"when\":[\"idle_host > 0.3\"],\"share\":"             \
	"\"idle_host\",\"headline\":\"h\",\"next\":\"n\"," EXAMPLES(                               \
		"\"idle_host\":1", "\"idle_host\":0",                                              \
		"") ",{\"id\":\"evidence/few\",\"about\":\"profile\",\"bound\":null,"              \
		    "\"confidence\":\"%s\",\"title\":\"t\",\"when\":[\"kernels < 10\"],"           \
		    "\"headline\":\"only {kernels} kernels\","

static void a_rule_about_evidence_limits_the_confidence(void **state)
{
	const double shares[WEIR_BOUND_COUNT] = {0, 0.9, 0, 0, 0, 0, 0.1};
	const enum weir_confidence limits[] = {WEIR_CONFIDENCE_LOW, WEIR_CONFIDENCE_MEDIUM};
	struct bench *bench = *state;
	const struct weir_subject subject = {WEIR_SUBJECT_PROFILE, NULL, bench->values};
	struct weir_error err = {0};

	for (size_t i = 0; i < 2; i++) {
		char text[2048];
		struct weir_ruleset *set = NULL;
		int length = snprintf(text, sizeof text,
		                      LIMITING EXAMPLES("\"kernels\":1", "\"kernels\":10", "") "]}",
		                      weir_confidence_name(limits[i]));

		if (weir_ruleset_load_text(&rule_features, "x", text, (size_t)length, &set, &err))
			fail_msg("%s", err.message);
		bench->values[F_IDLE_HOST] = 0.9;
		bench->values[F_KERNELS] = 9;
		weir_ruleset_judge(set, &subject, shares, &bench->verdict, NULL);
		assert_int_equal(bench->verdict.bound, WEIR_BOUND_RUNTIME);
		assert_int_equal(bench->verdict.confidence, limits[i]);
		assert_string_equal(bench->verdict.doubt, "only {kernels} kernels");
		bench->values[F_KERNELS] = 10;
		weir_ruleset_judge(set, &subject, shares, &bench->verdict, NULL);
		assert_int_equal(bench->verdict.confidence, WEIR_CONFIDENCE_HIGH);
		assert_null(bench->verdict.doubt);
		weir_ruleset_free(set);
	}
}

/* --- what to measure next --- */

static void an_open_verdict_names_what_to_measure(void **state)
{
	const double shares[WEIR_BOUND_COUNT] = {0, 0, 0, 0.2, 0, 0, 0.8};
	struct bench *bench = *state;

	bench->values[F_IDLE_HOST] = 0.8; /* runtime lacks kernels only */
	bench->values[F_SHARE] = 0.1;     /* memory is false whatever speedup is */
	judge(bench, shares);
	assert_int_equal(bench->verdict.bound, WEIR_BOUND_UNDETERMINED);
	assert_null(bench->verdict.rule);
	assert_null(bench->verdict.cause);
	assert_null(bench->verdict.headline);
	assert_true(isnan(bench->verdict.share));
	assert_int_equal(bench->verdict.evidence_count, 0);
	assert_int_equal(bench->verdict.confidence, WEIR_CONFIDENCE_LOW);
	assert_true(bench->verdict.has_runner_up);
	assert_int_equal(bench->verdict.runner_up, WEIR_BOUND_MEMORY);
	assert_string_equal(bench->verdict.next, "to decide, measure: kernels (kernels a step); "
	                                         "gpu_active (share of the time the device works)");
}

static void many_missing_features_are_cut_short(void **state)
{
	struct bench *bench = *state;

	judge(bench, NULL);
	assert_string_equal(
		bench->verdict.next,
		"to decide, measure: idle_host (share of the time the device waits for the host); "
		"kernels (kernels a step); share (share of the time); speedup (speed-up at most); "
		"and more");
}

static void nothing_missing_is_said_too(void **state)
{
	struct bench *bench = *state;

	bench->values[F_IDLE_HOST] = 0;
	bench->values[F_SHARE] = 0;
	bench->values[F_GPU_ACTIVE] = 0.5;
	judge(bench, NULL);
	assert_int_equal(bench->verdict.bound, WEIR_BOUND_UNDETERMINED);
	assert_non_null(strstr(bench->verdict.next, "every feature that they read was measured"));
}

static void what_to_measure_is_a_template_that_holds_no_figure(void **state)
{
	static const char text[] =
		"{\"rules\":[{\"id\":\"batching/padding\",\"about\":\"profile\","
		"\"bound\":\"batching\",\"cause\":\"padding\",\"title\":\"t\","
		"\"when\":[\"padding > 0.1\"],\"share\":\"padding\",\"headline\":\"h\","
		"\"next\":\"n\"," EXAMPLES("\"padding\":1", "\"padding\":0", "") "]}";
	struct bench *bench = *state;
	const struct weir_subject subject = {WEIR_SUBJECT_PROFILE, NULL, bench->values};
	struct weir_ruleset *set = NULL;
	struct weir_text out = {0};

	assert_int_equal(
		weir_ruleset_load_text(&rule_features, "x", text, strlen(text), &set, NULL),
		WEIR_OK);
	weir_ruleset_judge(set, &subject, NULL, &bench->verdict, NULL);
	weir_template_expand(bench->verdict.next, &rule_features, bench->values, &out);
	assert_string_equal(out.data,
	                    "to decide, measure: padding (rows of {nothing} but padding)");
	weir_text_release(&out);
	weir_ruleset_free(set);
}

/* --- advice --- */

static void advice_comes_by_weight_and_once(void **state)
{
	struct bench *bench = *state;

	bench->values[F_IDLE_HOST] = 0.5;
	bench->values[F_KERNELS] = 20;
	bench->values[F_SHARE] = 0.7;
	bench->values[F_SPEEDUP] = 1;
	bench->values[F_PADDING] = 0.6;
	judge(bench, NULL);
	assert_int_equal(bench->advice.count, 3);
	assert_string_equal(bench->advice.items[0].id, "shared");
	assert_string_equal(bench->advice.items[0].title, "from memory");
	assert_string_equal(bench->advice.items[1].id, "buckets");
	assert_string_equal(bench->advice.items[2].id, "graphs");
	assert_true(bench->advice.items[2].share == 0.5);
	assert_true(bench->advice.items[2].weight == 0.5);
	assert_true(bench->advice.items[2].low == 1.5);
	bench->values[F_SHARE] = 0.45;
	judge(bench, NULL);
	assert_int_equal(bench->advice.count, 3);
	assert_string_equal(advice_of(bench, "shared")->title, "from runtime");
	assert_string_equal(bench->advice.items[0].id, "buckets");
	assert_string_equal(bench->advice.items[1].id, "graphs");
	assert_string_equal(bench->advice.items[2].id, "shared");
}

#define WITH_RULES(test) cmocka_unit_test_setup_teardown(test, open_bench, close_bench)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_share_wins),
		cmocka_unit_test(a_tie_goes_to_the_earlier_rule),
		cmocka_unit_test(only_what_holds_can_win),
		cmocka_unit_test(a_share_that_is_no_number_ranks_last),
		cmocka_unit_test(a_rule_of_the_same_bound_is_no_rival),
		cmocka_unit_test(the_runner_up_is_another_bound_and_never_the_unattributed),
		cmocka_unit_test(confidence_follows_the_lead),
		cmocka_unit_test(a_near_rival_lowers_confidence),
		cmocka_unit_test(unknown_figures_never_raise_confidence),
		cmocka_unit_test(a_bound_must_exceed_what_is_unattributed),
		WITH_RULES(a_verdict_carries_rule_clauses_and_numbers),
		WITH_RULES(without_an_attribution_nothing_is_sure),
		WITH_RULES(the_last_resort_waits_for_the_others),
		WITH_RULES(advice_alone_does_not_hold_the_last_resort_back),
		WITH_RULES(advice_alone_is_no_verdict),
		WITH_RULES(rules_see_only_their_own_subjects),
		WITH_RULES(a_rule_of_another_bound_nearby_lowers_confidence),
		WITH_RULES(more_unattributed_time_than_the_verdict_leaves_it_open),
		WITH_RULES(a_rule_about_evidence_limits_the_confidence),
		WITH_RULES(an_open_verdict_names_what_to_measure),
		WITH_RULES(many_missing_features_are_cut_short),
		WITH_RULES(nothing_missing_is_said_too),
		WITH_RULES(what_to_measure_is_a_template_that_holds_no_figure),
		WITH_RULES(advice_comes_by_weight_and_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
