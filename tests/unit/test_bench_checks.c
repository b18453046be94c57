/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests results that contradict themselves, and results inside logs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define LOG_BEGIN "<<<RESULT_START>>>"
#define LOG_END   "<<<RESULT_END>>>"
#define RESULT                                                                                     \
	"{\"completed\": 4, \"request_throughput\": 2.0, \"total_output_tokens\": 404, "           \
	"\"duration\": 2.0, \"request_rate\": 2.0"
#define MEANS(ttft, tpot, e2e)                                                                     \
	", \"mean_ttft_ms\": " ttft ", \"median_ttft_ms\": " ttft ", \"mean_tpot_ms\": " tpot      \
	", \"p99_tpot_ms\": " tpot ", \"mean_e2el_ms\": " e2e

static const struct weir_reader *const reader = &weir_reader_bench;

static uint64_t warned(const struct weir_input *input, enum weir_warning_code code)
{
	return input->warnings[code].count;
}

static void means_that_contradict_each_other_are_computed_again(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, RESULT MEANS("100", "5.0", "1100") "}", profile);

	(void)state;
	reading_expects_figure(input->run, "mean_tpot_ms", 10, false, "ms");
	assert_null(weir_series_find(&input->run->metrics, "p99_tpot_ms"));
	assert_int_equal(warned(input, WEIR_WARN_INCONSISTENT), 1);
	input = reading_of(reader, RESULT MEANS("100", "10.9", "1100") "}", profile);
	reading_expects_figure(input->run, "mean_tpot_ms", 10.9, false, "ms");
	reading_expects_figure(input->run, "p99_tpot_ms", 10.9, false, "ms");
	assert_int_equal(warned(input, WEIR_WARN_INCONSISTENT), 0);
	weir_profile_free(profile);
}

static void totals_that_contradict_each_other_are_kept(void **state)
{
	static const struct {
		const char *members, *detail; /* NULL: no contradiction */
	} cases[] = {
		{", \"num_prompts\": 4}", NULL},
		{", \"num_prompts\": 3}", "4 requests completed, 3 were to be sent"},
		{", \"num_prompts\": -1}", NULL}, /* all of a data set */
		{", \"output_throughput\": 202}", NULL},
		{", \"output_throughput\": 404}",
	         "output throughput: stated 404/s, 202/s by 404 tokens in 2.00 s"},
		{", \"total_input_tokens\": 96, \"total_token_throughput\": 250}", NULL},
		{", \"total_input_tokens\": 96, \"total_token_throughput\": 202}",
	         "total throughput: stated 202/s, 250/s by 500 tokens in 2.00 s"},
		{", \"max_concurrency\": 1, \"mean_e2el_ms\": 500}", NULL},
		{", \"max_concurrency\": null, \"mean_e2el_ms\": 5000}", NULL},
		{", \"max_concurrency\": 1, \"ttfts\": [0.1, 0.2], \"output_lens\": [2, 2], "
	         "\"itls\": [[0.5], [0.6]]}",
	         "4 requests of 700 ms take 2.80 s, more than 1 at a time in 2.00 s"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		const struct weir_warning *warning;

		weir_text_printf(&text, RESULT "%s", cases[i].members);
		warning =
			&reading_of(reader, text.data, profile)->warnings[WEIR_WARN_CONTRADICTION];
		assert_int_equal(warning->count, cases[i].detail ? 1 : 0);
		if (cases[i].detail)
			assert_string_equal(warning->detail, cases[i].detail);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void samples_decide_about_a_stated_mean(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		RESULT ", \"mean_tpot_ms\": 5.0, \"ttfts\": [0.1, 0.1], \"output_lens\": [3, "
		       "3], \"itls\": [[0.01, 0.01], [0.01, 0.01]]}",
		profile);

	(void)state;
	reading_expects_stage(input->run, "tpot", 2, (double[]){10000000, 10000000});
	assert_null(weir_series_find(&input->run->metrics, "mean_tpot_ms"));
	assert_int_equal(warned(input, WEIR_WARN_INCONSISTENT), 1);
	weir_profile_free(profile);
}

static void an_endpoint_that_does_not_stream_has_no_first_token(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   RESULT ", \"mean_ttft_ms\": 500, \"mean_itl_ms\": 0.1, \"ttfts\": [0.5, "
	                          "0.25], \"output_lens\": [3, 3], \"itls\": [[], []]}",
	                   profile);

	(void)state;
	reading_expects_stage(input->run, "e2e", 2, (double[]){500000000, 250000000});
	assert_int_equal(input->run->stages.count, 1);
	assert_int_equal(input->run->metrics.count, 1); /* the rate */
	assert_int_equal(warned(input, WEIR_WARN_INCONSISTENT), 1);
	input = reading_of(reader, RESULT MEANS("1100", "0.01", "1100") "}", profile);
	assert_null(weir_series_find(&input->run->metrics, "mean_ttft_ms"));
	assert_null(weir_series_find(&input->run->metrics, "mean_tpot_ms"));
	assert_int_equal(warned(input, WEIR_WARN_INCONSISTENT), 1);
	weir_profile_free(profile);
}

/* An answer of one token consists of its first token. */
static void answers_of_one_token_prove_nothing(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, RESULT ", \"ttfts\": [0.5], \"output_lens\": [1], \"itls\": [[]]}",
		profile);

	(void)state;
	reading_expects_stage(input->run, "ttft", 1, (double[]){500000000});
	assert_int_equal(warned(input, WEIR_WARN_INCONSISTENT), 0);
	weir_profile_free(profile);
}

static void gaps_between_chunks_are_not_gaps_between_tokens(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   RESULT ", \"median_itl_ms\": 0.05, \"ttfts\": [0.1], \"output_lens\": "
	                          "[6], \"itls\": [[0.04, 0.00005, 0.00004, 0.04, 0.00005]]}",
	                   profile);

	(void)state;
	assert_null(weir_series_find(&input->run->stages, "itl"));
	assert_null(weir_series_find(&input->run->metrics, "median_itl_ms"));
	assert_int_equal(weir_series_find(&input->run->stages, "tpot")->count, 1);
	assert_int_equal(warned(input, WEIR_WARN_INCONSISTENT), 1);
	input = reading_of(reader, RESULT ", \"median_itl_ms\": 0.05, \"mean_itl_ms\": 12}",
	                   profile);
	assert_null(weir_series_find(&input->run->metrics, "mean_itl_ms"));
	assert_int_equal(warned(input, WEIR_WARN_INCONSISTENT), 1);
	weir_profile_free(profile);
}

static void a_load_that_was_not_reached_is_a_warning(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	/* By the times of sending: 2 per second, 4 were requested. */
	assert_int_equal(warned(reading_of(reader,
	                                   "{\"request_rate\": 4, \"ttfts\": [1, 1, 1], "
	                                   "\"start_times\": [7.5, 8.5, 8.0]}",
	                                   profile),
	                        WEIR_WARN_LOAD_NOT_REACHED),
	                 1);
	assert_int_equal(warned(reading_of(reader,
	                                   "{\"request_rate\": 2, \"ttfts\": [1, 1, 1], "
	                                   "\"start_times\": [7.5, 8.5, 8.0]}",
	                                   profile),
	                        WEIR_WARN_LOAD_NOT_REACHED),
	                 0);
	/* By the duration: 4 requests of 1 s in 101 s are less than one per second. */
	assert_int_equal(warned(reading_of(reader,
	                                   "{\"request_rate\": \"1.0\", \"duration\": 101, "
	                                   "\"ttfts\": [1, 1, 1, 1], \"itls\": [[], [], [], []]}",
	                                   profile),
	                        WEIR_WARN_LOAD_NOT_REACHED),
	                 1);
	/* One long answer explains the duration. */
	assert_int_equal(warned(reading_of(reader,
	                                   "{\"request_rate\": 1, \"duration\": 101, \"ttfts\": "
	                                   "[1, 97, 1, 1], \"itls\": [[], [], [], []]}",
	                                   profile),
	                        WEIR_WARN_LOAD_NOT_REACHED),
	                 0);
	assert_int_equal(warned(reading_of(reader,
	                                   "{\"request_rate\": \"inf\", \"duration\": 101, "
	                                   "\"ttfts\": [1], \"itls\": [[]]}",
	                                   profile),
	                        WEIR_WARN_LOAD_NOT_REACHED),
	                 0);
	weir_profile_free(profile);
}

static void a_result_in_a_log_is_found_between_its_markers(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader,
	                                            "[INFO] starting <<<<RESULT\n<<<" LOG_BEGIN
	                                            "\n" RESULT "}\n" LOG_END "\n[INFO] done\n",
	                                            profile);

	(void)state;
	reading_expects_figure(input->run, "request_throughput", 2, true, "1/s");
	assert_string_equal(reading_claims("[INFO] x\n" LOG_BEGIN " " RESULT "} " LOG_END "\n"),
	                    reader->name);
	weir_profile_free(profile);
}

static void a_result_far_down_a_log_is_found_if_the_format_is_named(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};

	(void)state;
	weir_text_repeat(&text, "2026-01-01 a line of a log\n", 10000);
	weir_text_puts(&text, LOG_BEGIN RESULT "}" LOG_END);
	reading_expects_figure(reading_of(reader, text.data, profile)->run, "request_throughput", 2,
	                       true, "1/s");
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void several_results_in_a_log_are_one_run_with_names(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   "a log\n" LOG_BEGIN RESULT "}" LOG_END "\nmore\n" LOG_BEGIN
	                   "{\"completed\": 4, \"request_throughput\": 8.0, \"request_rate\": "
	                   "8}" LOG_END,
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "request_rate@2/request_throughput", 2, true, "1/s");
	reading_expects_figure(run, "request_rate@8/request_throughput", 8, true, "1/s");
	weir_profile_free(profile);
}

static void a_log_without_one_whole_result_is_refused(void **state)
{
	(void)state;
	reading_refuses(reader, "hello", WEIR_E_FORMAT, "expected a JSON object, or one between");
	reading_refuses(reader, LOG_BEGIN RESULT "}", WEIR_E_FORMAT, "ends in the middle");
	reading_refuses(reader, LOG_BEGIN LOG_END, WEIR_E_FORMAT, "");
	reading_refuses(reader, LOG_BEGIN RESULT "}" LOG_END LOG_BEGIN RESULT "}", WEIR_E_FORMAT,
	                "ends in the middle");
	reading_survives_damage(reader,
	                        "log\n" LOG_BEGIN RESULT MEANS("1", "2", "3") "}" LOG_END "\n");
}

static void records_of_a_dashboard_are_refused_by_name(void **state)
{
	static const char text[] = "[{\"benchmark\": {\"name\": \"vLLM benchmark\"}, \"model\": "
				   "{\"name\": \"m\"}, \"metric\": {\"name\": \"x\"}}]";
	const struct weir_reader *chosen;
	struct weir_source *source;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_source_open_memory("test", text, strlen(text), &source, &err),
	                 WEIR_OK);
	assert_int_equal(weir_reader_choose(source, &chosen, &err), WEIR_E_FORMAT);
	assert_non_null(strstr(err.message, "pass the result beside it"));
	weir_source_free(source);
}

static void the_list_of_a_sweep_is_read_as_its_results(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   "[{\"date\": \"x\", \"completed\": 8, \"request_throughput\": 5.8, "
	                   "\"max_concurrency\": 2, \"run_number\": 0}, {\"completed\": 8, "
	                   "\"request_throughput\": 6.5, \"max_concurrency\": 2, "
	                   "\"run_number\": 1}]",
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "concurrency@2/request_throughput", 5.8, true, "1/s");
	reading_expects_figure(run, "concurrency@2#2/request_throughput", 6.5, true, "1/s");
	weir_profile_free(profile);
}

/* Two answers: 1000 tokens at 10 ms each and 2 tokens at 100 ms each. */
static void a_mean_of_ratios_is_kept(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"{\"completed\": 2, \"request_throughput\": 0.2, \"total_output_tokens\": 1002, "
		"\"mean_ttft_ms\": 100, \"mean_tpot_ms\": 55, \"median_tpot_ms\": 55, "
		"\"p99_tpot_ms\": 100, \"mean_itl_ms\": 10.09, \"mean_e2el_ms\": 5145}",
		profile);

	(void)state;
	reading_expects_figure(input->run, "mean_tpot_ms", 55, false, "ms");
	reading_expects_figure(input->run, "median_tpot_ms", 55, false, "ms");
	reading_expects_figure(input->run, "p99_tpot_ms", 100, false, "ms");
	assert_int_equal(warned(input, WEIR_WARN_INCONSISTENT), 0);
	weir_profile_free(profile);
}

#define SHORT(ratio, completed, tokens, more)                                                      \
	"{\"dataset_name\": \"random\", \"random_output_len\": 100, "                              \
	"\"random_range_ratio\": " ratio ", \"completed\": " completed                             \
	", \"total_output_tokens\": " tokens                                                       \
	", \"request_throughput\": 1, \"total_input_tokens\": 9, \"mean_ttft_ms\": 5" more "}"

static void expect_contradictions(const char *result, uint64_t expected)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(&weir_reader_bench, result, profile);

	assert_int_equal(input->warnings[WEIR_WARN_CONTRADICTION].count, expected);
	weir_profile_free(profile);
}

static void far_less_output_than_was_asked_for_is_a_warning(void **state)
{
	(void)state;
	expect_contradictions(SHORT("1.0", "40", "1999", ""), 1);
	expect_contradictions(SHORT("1.0", "40", "2000", ""), 0);
	/* lengths from 0 to 100: 50 on average, any of few requests */
	expect_contradictions(SHORT("0.0", "40", "999", ""), 1);
	expect_contradictions(SHORT("0.0", "40", "1000", ""), 0);
	expect_contradictions(SHORT("0.0", "20", "20", ""), 0);
	expect_contradictions(SHORT("0.5", "20", "499", ""), 1);
	expect_contradictions(SHORT("0.5", "20", "500", ""), 0);
	expect_contradictions(SHORT("null", "40", "999", ""), 0);
	expect_contradictions(
		SHORT("0.0", "40", "3000", ", \"total_output_tokens_retokenized\": 39"), 1);
	expect_contradictions(
		SHORT("0.0", "40", "3000", ", \"total_output_tokens_retokenized\": 40"), 0);
}

static void answers_in_one_piece_have_no_time_per_token(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_bench,
	                   SHORT("1.0", "40", "4000",
	                         ", \"mean_e2e_latency_ms\": 50, \"mean_tpot_ms\": 0.5, "
	                         "\"mean_itl_ms\": 0.0"),
	                   profile);

	(void)state;
	assert_null(weir_series_find(&input->run->metrics, "mean_tpot_ms"));
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 1);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(means_that_contradict_each_other_are_computed_again),
		cmocka_unit_test(totals_that_contradict_each_other_are_kept),
		cmocka_unit_test(samples_decide_about_a_stated_mean),
		cmocka_unit_test(an_endpoint_that_does_not_stream_has_no_first_token),
		cmocka_unit_test(answers_of_one_token_prove_nothing),
		cmocka_unit_test(gaps_between_chunks_are_not_gaps_between_tokens),
		cmocka_unit_test(a_load_that_was_not_reached_is_a_warning),
		cmocka_unit_test(a_result_in_a_log_is_found_between_its_markers),
		cmocka_unit_test(a_result_far_down_a_log_is_found_if_the_format_is_named),
		cmocka_unit_test(several_results_in_a_log_are_one_run_with_names),
		cmocka_unit_test(a_log_without_one_whole_result_is_refused),
		cmocka_unit_test(records_of_a_dashboard_are_refused_by_name),
		cmocka_unit_test(the_list_of_a_sweep_is_read_as_its_results),
		cmocka_unit_test(a_mean_of_ratios_is_kept),
		cmocka_unit_test(far_less_output_than_was_asked_for_is_a_warning),
		cmocka_unit_test(answers_in_one_piece_have_no_time_per_token),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
