/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences of a report that must agree with its figures. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/rank/features.h"
#include "engine/base/arena.h"
#include "engine/pipeline/first_advice.h"
#include "engine/pipeline/headline.h"

struct bench {
	struct weir_profile *profile;
	struct weir_report *report;
	double features[WEIR_F_COUNT];
};

static int open_bench(void **state)
{
	static struct bench bench;

	bench = (struct bench){.profile = weir_profile_new()};
	bench.report = weir_report_new(bench.profile);
	bench.report->feature_table = &weir_features;
	bench.report->features = bench.features;
	bench.report->attribution.total_ns = 1000;
	bench.report->has_gpu = true;
	weir_features_clear(bench.features);
	*state = &bench;
	return 0;
}

static int close_bench(void **state)
{
	struct bench *bench = *state;

	weir_report_free(bench->report);
	weir_profile_free(bench->profile);
	return 0;
}

/* Gives the runtime `ns` of the 1,000 ns, and another bound the rest; returns the headline. */
static const char *headline(struct bench *bench, int64_t ns, enum weir_bound rest)
{
	struct weir_verdict *verdict = &bench->report->verdict;

	memset(bench->report->attribution.ns, 0, sizeof bench->report->attribution.ns);
	bench->report->attribution.ns[rest] = 1000 - ns;
	bench->report->attribution.ns[WEIR_BOUND_RUNTIME] = ns;
	bench->features[WEIR_F_IDLE_LATE] = 0.86;
	*verdict = (struct weir_verdict){.bound = WEIR_BOUND_RUNTIME,
	                                 .rule = "r",
	                                 .share = 0.3,
	                                 .headline = "it waits {idle_late} of the time"};
	weir_complete_headline(bench->report);
	return verdict->headline;
}

static void a_headline_names_the_attributed_share(void **state)
{
	struct bench *bench = *state;

	assert_string_equal(headline(bench, 930, WEIR_BOUND_MEMORY),
	                    "it waits {idle_late} of the time; runtime holds 93 % in all");
	assert_true(bench->report->verdict.share == 0.93);
	assert_string_equal(headline(bench, 860, WEIR_BOUND_MEMORY),
	                    "it waits {idle_late} of the time");
	assert_string_equal(headline(bench, 6, WEIR_BOUND_RUNTIME),
	                    "it waits {idle_late} of the time; runtime holds 0.6 % in all");
}

static void a_longer_bar_is_explained(void **state)
{
	struct bench *bench = *state;

	assert_non_null(strstr(headline(bench, 400, WEIR_BOUND_HARDWARE),
	                       "; hardware holds more (60 %), but is the last to change"));
	assert_non_null(strstr(headline(bench, 400, WEIR_BOUND_COMMUNICATION),
	                       "; communication holds more (60 %), but is dearer to change"));
	assert_non_null(strstr(headline(bench, 400, WEIR_BOUND_BATCHING),
	                       "; batching holds more (60 %), but no one cause of it stands out"));
	assert_non_null(
		strstr(headline(bench, 400, WEIR_BOUND_UNDETERMINED), "; 60 % is unattributed"));
	assert_null(strstr(headline(bench, 500, WEIR_BOUND_HARDWARE), "holds more"));
}

/* A bound without a bar is a place to look, and the time that it is about is not attributed. */
static void an_unknown_limit_and_unattributed_time_are_one(void **state)
{
	struct bench *bench = *state;
	struct weir_verdict *verdict = &bench->report->verdict;

	bench->report->attribution.ns[WEIR_BOUND_UNDETERMINED] = 1000;
	*verdict = (struct weir_verdict){.bound = WEIR_BOUND_KERNEL,
	                                 .headline = "the trace does not show its limit"};
	weir_complete_headline(bench->report);
	assert_string_equal(verdict->headline, "the trace does not show its limit; until that is "
	                                       "known, 100 % is unattributed");
	verdict->headline = "it waits";
	weir_complete_headline(bench->report);
	assert_string_equal(verdict->headline, "it waits; 100 % is unattributed");
	bench->report->attribution.ns[WEIR_BOUND_UNDETERMINED] = 900;
	bench->report->attribution.ns[WEIR_BOUND_KERNEL] = 100;
	verdict->headline = "it does not show";
	weir_complete_headline(bench->report);
	assert_non_null(strstr(verdict->headline, "; 90 % is unattributed"));
}

static void an_abstention_says_which_evidence_is_missing(void **state)
{
	struct bench *bench = *state;
	struct weir_verdict *verdict = &bench->report->verdict;
	struct weir_operator_row row = {.kind = "convolution", .share = 0.65};

	*verdict = (struct weir_verdict){.bound = WEIR_BOUND_UNDETERMINED, .next = "features"};
	bench->features[WEIR_F_UNMODELLED] = 0.6;
	bench->report->operators = &row;
	bench->report->operator_count = 1;
	row.verdict.bound = WEIR_BOUND_UNDETERMINED;
	weir_explain_abstention(bench->report);
	assert_string_equal(verdict->headline,
	                    "65 % of device time is convolutions without a model");
	assert_non_null(strstr(verdict->next, "shapes"));
	weir_explain_abstention(bench->report); /* a headline stays */
	assert_non_null(strstr(verdict->headline, "convolutions"));

	verdict->headline = NULL;
	bench->report->has_gpu = false;
	weir_explain_abstention(bench->report);
	assert_non_null(strstr(verdict->headline, "no device work is recorded"));

	verdict->headline = NULL;
	bench->report->has_gpu = true;
	bench->features[WEIR_F_UNMODELLED] = 0.1;
	bench->report->attribution.ns[WEIR_BOUND_MEMORY] = 320;
	bench->report->attribution.ns[WEIR_BOUND_RUNTIME] = 310;
	weir_explain_abstention(bench->report);
	assert_string_equal(verdict->headline, "no layer stands out: memory 32 %, runtime 31 %");
}

static void a_stage_longer_than_a_step_is_explained(void **state)
{
	struct bench *bench = *state;
	struct weir_stage_row rows[] = {
		{.name = "decode",
	         .view = WEIR_VIEW_TIMELINE,
	         .duration = {.count = 30, .p50_ns = 2030}},
		{.name = "load",
	         .view = WEIR_VIEW_TIMELINE,
	         .duration = {.count = 1, .p50_ns = 9000}},
		{.name = "step",
	         .view = WEIR_VIEW_SERIES,
	         .duration = {.count = 30, .p50_ns = 9000}},
	};

	bench->report->stages = rows;
	bench->report->stage_count = 3;
	bench->report->iteration_count = 30;
	bench->report->iteration.p50_ns = 2000;
	weir_note_long_stages(bench->report);
	assert_int_equal(bench->report->note_count, 1);
	assert_non_null(
		strstr(bench->report->notes[0].text, "longer than a step: load (9.00 us)."));
	rows[0].duration.p50_ns = 2050;
	bench->report->note_count = 0;
	weir_note_long_stages(bench->report);
	assert_int_equal(bench->report->note_count, 2);
	assert_true(weir_report_has_note(bench->report, WEIR_NOTE_QUEUEING));
	assert_non_null(
		strstr(bench->report->notes[0].text, "longer than a step: decode (2.05 us)."));
}

/* Gives the report one recommendation, and returns the next step of a verdict of rule "r". */
static const char *next_step(struct bench *bench, const char *id, double speedup)
{
	static struct weir_recommendation first;
	static const struct weir_advice advice[] = {{.id = "cuda-graph", .rule = "r"},
	                                            {.id = "fp8", .rule = "another"}};

	first = (struct weir_recommendation){.id = id,
	                                     .title = "Group the products",
	                                     .saving_basis = "a loop",
	                                     .saving_step_ns = 2000,
	                                     .saving_speedup = speedup};
	bench->report->recommendations = &first;
	bench->report->recommendation_count = 1;
	bench->report->verdict.next = "the rule's";
	weir_follow_first_advice(bench->report, advice, 2);
	return bench->report->verdict.next;
}

static void the_next_step_is_the_first_recommendation(void **state)
{
	struct bench *bench = *state;
	struct weir_verdict *verdict = &bench->report->verdict;

	*verdict = (struct weir_verdict){.bound = WEIR_BOUND_RUNTIME, .rule = "r"};
	assert_string_equal(next_step(bench, "group-the-loop", WEIR_FIRST_ADVICE_SPEEDUP),
	                    "group the products: predicted 1.1x faster");
	assert_string_equal(next_step(bench, "fp8", 8.5),
	                    "group the products: predicted 8.5x faster");
	assert_string_equal(next_step(bench, "group-the-loop", WEIR_FIRST_ADVICE_SPEEDUP - 0.001),
	                    "the rule's");
	assert_string_equal(next_step(bench, "cuda-graph", 8.5), "the rule's");
}

static void a_rule_that_predictions_do_not_cover_keeps_its_next_step(void **state)
{
	struct bench *bench = *state;
	struct weir_verdict *verdict = &bench->report->verdict;

	*verdict = (struct weir_verdict){
		.bound = WEIR_BOUND_RUNTIME, .rule = "r", .cause = "launch-blocking"};
	assert_string_equal(next_step(bench, "group-the-loop", 8.5), "the rule's");
	*verdict = (struct weir_verdict){.bound = WEIR_BOUND_UNDETERMINED, .rule = "r"};
	assert_string_equal(next_step(bench, "group-the-loop", 8.5), "the rule's");
	*verdict = (struct weir_verdict){.bound = WEIR_BOUND_RUNTIME, .rule = "r"};
	bench->report->has_requests = true;
	assert_string_equal(next_step(bench, "group-the-loop", 8.5), "the rule's");
	bench->report->has_requests = false;
}

#define BENCH_TEST(name) cmocka_unit_test_setup_teardown(name, open_bench, close_bench)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BENCH_TEST(a_headline_names_the_attributed_share),
		BENCH_TEST(a_longer_bar_is_explained),
		BENCH_TEST(an_unknown_limit_and_unattributed_time_are_one),
		BENCH_TEST(an_abstention_says_which_evidence_is_missing),
		BENCH_TEST(the_next_step_is_the_first_recommendation),
		BENCH_TEST(a_rule_that_predictions_do_not_cover_keeps_its_next_step),
		BENCH_TEST(a_stage_longer_than_a_step_is_explained),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
