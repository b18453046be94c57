/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/pipeline/request_counts.h"
#include "engine/readers/parts/figures.h"
#include "tests/unit/near.h"

/* A run that states these numbers of requests; NULL: not stated. */
static struct weir_run *run_of(const char *completed, const char *failed, const char *prompts)
{
	struct weir_run *run = weir_run_new();

	if (completed)
		weir_run_set_label(run, "completed", completed);
	if (failed)
		weir_run_set_label(run, "failed", failed);
	if (prompts)
		weir_run_set_label(run, "num_prompts", prompts);
	return run;
}

static void expect_counts(const char *completed, const char *failed, const char *prompts,
                          double all, double incomplete)
{
	struct weir_run *run = run_of(completed, failed, prompts);
	struct weir_request_counts counts = weir_request_counts_of(run);

	assert_near(counts.all, all, 0);
	assert_near(counts.incomplete, incomplete, 0);
	weir_run_free(run);
}

static void failed_and_missing_requests_are_incomplete(void **state)
{
	(void)state;
	expect_counts("41", NULL, "50", 50, 9);
	expect_counts("41", "9", "50", 50, 9);
	expect_counts("41", "3", "50", 50, 9);
	expect_counts("40", "10", NULL, 50, 10);
	expect_counts("50", NULL, "50", 50, 0);
	expect_counts("50", NULL, NULL, 50, 0);
	expect_counts("60", NULL, "50", 60, 0); /* a contradiction, of which a reader warns */
	expect_counts("0", "5", "5", 5, 5);
}

static void counts_that_are_no_numbers_are_not_stated(void **state)
{
	(void)state;
	expect_counts(NULL, "9", "50", 0, 0);
	expect_counts("many", "9", "50", 0, 0);
	expect_counts("-1", NULL, "50", 0, 0);
	expect_counts("nan", "inf", "50", 0, 0);
	expect_counts("5", "x", "y", 5, 0);
}

/* Adds a request with a prefill of 1 s and a decode of 2 s to an input of this format. */
static void add_request(struct weir_input *input, int64_t prompt, int64_t answer)
{
	struct weir_request request = weir_request_unknown();

	if (!input->requests)
		input->requests = weir_requests_new();
	request.tokens = prompt;
	request.output_tokens = answer;
	request.end_ns = 3000000000;
	weir_requests_add_part(input->requests, weir_requests_stage(input->requests, "prefill", 7),
	                       1000000000);
	weir_requests_add_part(input->requests, weir_requests_stage(input->requests, "decode", 6),
	                       2000000000);
	weir_requests_add(input->requests, &request);
}

static void token_rates_of_llama_logs_are_noted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "llama.log");
	struct weir_report *report = weir_report_new(profile);

	(void)state;
	input->format = "llama-server-log";
	add_request(input, 30, 4);
	add_request(input, 10, 8);
	add_request(input, -1, -1); /* unknown numbers do not count, nor do their times */
	weir_note_token_rates(report);
	assert_int_equal(report->note_count, 1);
	assert_string_equal(report->notes[0].text, "tokens per second of a request: prefill 20 (40 "
	                                           "tokens), decode 3 (12 tokens)");
	input->format = "otlp";
	weir_note_token_rates(report);
	assert_int_equal(report->note_count, 1);
	weir_report_free(report);
	weir_profile_free(profile);
}

/* Expects a remark on sides of one run each; "": no remark. */
static void expect_remark(struct weir_run *before, struct weir_run *after, const char *expected)
{
	struct weir_baseline *baseline = weir_baseline_new("a"),
			     *candidate = weir_baseline_new("b");
	struct weir_gate_result *result = weir_gate_result_new();

	weir_baseline_take(baseline, before, NULL);
	weir_baseline_take(candidate, after, NULL);
	weir_remark_request_counts(baseline, candidate, result);
	assert_int_equal(result->remark_count, *expected ? 1 : 0);
	if (*expected)
		assert_non_null(strstr(result->remarks[0], expected));
	weir_gate_result_free(result);
	weir_baseline_free(baseline);
	weir_baseline_free(candidate);
}

static void a_share_that_differs_by_a_hundredth_is_remarked(void **state)
{
	(void)state;
	expect_remark(run_of("50", NULL, "50"), run_of("41", NULL, "50"),
	              "none of the baseline's and 18 % of the candidate's requests (9 of 50) did "
	              "not complete");
	expect_remark(run_of("90", "10", NULL), run_of("100", NULL, NULL),
	              "10 % of the baseline's requests (10 of 100) and none of the candidate's");
	expect_remark(run_of(NULL, NULL, NULL), run_of("90", "10", NULL),
	              "an unknown number of the baseline's");
	expect_remark(run_of("1000", NULL, NULL), run_of("990", "10", NULL), "1 % of the");
	expect_remark(run_of("1000", NULL, NULL), run_of("991", "9", NULL), "");
	expect_remark(run_of("90", "10", NULL), run_of("180", "20", NULL), "");
	expect_remark(run_of(NULL, NULL, NULL), run_of(NULL, NULL, NULL), "");
}

/* Expects the only note on an input of a format with these labels (key, value, ..., NULL); "": no
 * note. */
static void expect_note(const char *format, const char *const *labels, const char *expected)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "file");
	struct weir_report *report;

	input->format = format;
	input->run = weir_run_new();
	for (; *labels; labels += 2)
		weir_run_set_label(input->run, labels[0], labels[1]);
	report = weir_report_new(profile);
	weir_note_request_counts(report);
	weir_note_results(report);
	assert_int_equal(report->note_count, *expected ? 1 : 0);
	if (*expected)
		assert_string_equal(report->notes[0].text, expected);
	weir_report_free(report);
	weir_profile_free(profile);
}

static void notes_state_what_did_not_complete_or_failed(void **state)
{
	(void)state;
	expect_note("bench", (const char *const[]){"completed", "41", "num_prompts", "50", NULL},
	            "41 of 50 requests completed");
	expect_note("k6", (const char *const[]){"completed", "41", "failed", "9", NULL},
	            "41 of 50 requests succeeded");
	expect_note("bench", (const char *const[]){"completed", "50", "num_prompts", "50", NULL},
	            "");
	expect_note("locust", (const char *const[]){"completed", "41", "failed", "9", NULL}, "");
	expect_note("k6", (const char *const[]){"failed_thresholds", "http_reqs: rate>9", NULL},
	            "thresholds that failed: http_reqs: rate>9");
	expect_note("bench", (const char *const[]){"failed_thresholds", "x", NULL}, "");
	expect_note("mlperf",
	            (const char *const[]){"scenario", "Server", "result", "INVALID", NULL},
	            "scenario Server, result INVALID");
	expect_note("mlperf", (const char *const[]){"scenario", "Offline", NULL},
	            "scenario Offline, result unknown: latencies count from the start of the test, "
	            "at which all samples are sent, and are not those of a request");
	expect_note("mlperf", (const char *const[]){NULL}, "");
}

static void answers_of_another_length_than_asked_for_are_noted(void **state)
{
	(void)state;
	expect_note("genai_perf",
	            (const char *const[]){"completed", "96", "output_length_missed", "90",
	                                  "output_length_difference_pct", "-73.46", NULL},
	            "90 of 96 requests gave another number of output tokens than was asked for; "
	            "over all requests, answers were 73 % shorter on average");
	expect_note("genai_perf",
	            (const char *const[]){"output_length_missed", "3",
	                                  "output_length_difference_pct", "-99.79", NULL},
	            "3 requests gave another number of output tokens than was asked for; over all "
	            "requests, answers were 99.8 % shorter on average");
	expect_note("genai_perf", (const char *const[]){"output_length_missed", "3", NULL},
	            "3 requests gave another number of output tokens than was asked for");
	expect_note("genai_perf", (const char *const[]){"completed", "96", NULL}, "");
}

static void names_of_aiperf_are_explained(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "result.json");
	struct weir_report *report;

	(void)state;
	input->format = "genai_perf";
	input->run = weir_run_new();
	weir_figure_add(input->run, "concurrency@2/mean_tpot_ms", "ms", false, 9);
	weir_figure_add(input->run, "concurrency@2/p99_itl_ms", "ms", false, 90);
	report = weir_report_new(profile);
	weir_note_results(report);
	assert_int_equal(report->note_count, 1);
	assert_string_equal(
		report->notes[0].text,
		"tpot is what the file calls \"Inter Token Latency\", the mean interval "
		"between the tokens of each request; itl is its \"Inter Chunk Latency\", "
		"each interval between two chunks of an answer");
	weir_report_free(report);
	weir_profile_free(profile);
}

static void failed_requests_are_noted_for_each_result(void **state)
{
	(void)state;
	expect_note("bench-console",
	            (const char *const[]){"concurrency@4/completed", "90", "concurrency@4/failed",
	                                  "10", "concurrency@8/completed", "100",
	                                  "concurrency@16/completed", "95", "concurrency@16/failed",
	                                  "5", NULL},
	            "requests that completed: concurrency@4 90 of 100, concurrency@16 95 of 100");
	/* all results have as many failed requests, or none */
	expect_note("bench-console",
	            (const char *const[]){"load/completed", "90", "load#2/completed", "80",
	                                  "failed", "10", NULL},
	            "requests that completed: load 90 of 100, load#2 80 of 90");
	expect_note("bench-console", (const char *const[]){"load/completed", "90", NULL}, "");
	expect_note("locust",
	            (const char *const[]){"request@GET //completed", "9", "request@GET //failed",
	                                  "1", NULL},
	            "");
}

static void expect_invalid(const char *format, const char *result, const char *reason,
                           const char *expected)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "file");
	struct weir_report *report;
	const char *headline;

	input->format = format;
	input->run = weir_run_new();
	if (result)
		weir_run_set_label(input->run, "result", result);
	if (reason)
		weir_run_set_label(input->run, "invalid_because", reason);
	report = weir_report_new(profile);
	headline = weir_describe_invalid_results(report);
	if (expected)
		assert_string_equal(headline, expected);
	else
		assert_null(headline);
	weir_report_free(report);
	weir_profile_free(profile);
}

static void an_invalid_result_of_loadgen_is_the_headline(void **state)
{
	(void)state;
	expect_invalid("mlperf", "INVALID", "Min queries satisfied: NO",
	               "LoadGen calls the result INVALID: Min queries satisfied: NO");
	expect_invalid("mlperf", "INVALID", NULL, "LoadGen calls the result INVALID");
	expect_invalid("mlperf", "VALID", NULL, NULL);
	expect_invalid("mlperf", NULL, NULL, NULL);
	expect_invalid("bench", "INVALID", NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(token_rates_of_llama_logs_are_noted),
		cmocka_unit_test(failed_and_missing_requests_are_incomplete),
		cmocka_unit_test(counts_that_are_no_numbers_are_not_stated),
		cmocka_unit_test(a_share_that_differs_by_a_hundredth_is_remarked),
		cmocka_unit_test(notes_state_what_did_not_complete_or_failed),
		cmocka_unit_test(answers_of_another_length_than_asked_for_are_noted),
		cmocka_unit_test(names_of_aiperf_are_explained),
		cmocka_unit_test(failed_requests_are_noted_for_each_result),
		cmocka_unit_test(an_invalid_result_of_loadgen_is_the_headline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
