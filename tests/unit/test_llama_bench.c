/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA "tests/data/benchmarks/"

/* A test as JSON; `more` follows the other members. */
#define TEST(prompt, generated, more)                                                              \
	"{\"build_commit\": \"1a2b\", \"gpu_info\": \"Example\", \"model_type\": \"m 1B\", "       \
	"\"n_prompt\": " prompt ", \"n_gen\": " generated more "}"
#define TIMES ", \"avg_ns\": 2000000, \"avg_ts\": 50.5, \"samples_ns\": [ 1000000, 3000000 ]"

#define HEADER              "| model | fa | test | t/s |\n| ----- | -: | ---: | --: |\n"
#define ROW(fa, test, rate) "| m 1B | " fa " | " test " | " rate " |\n"

static const struct weir_reader *const reader = &weir_reader_llama_bench;

static void repetitions_are_samples_and_tokens_per_second_a_figure(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, "[" TEST("512", "0", ", \"n_depth\": 0" TIMES) "]", profile);

	(void)state;
	reading_expects_stage(input->run, "pp512", 2, (const double[]){1e6, 3e6});
	reading_expects_figure(input->run, "pp512_tokens_per_s", 50.5, true, "tokens/s");
	assert_int_equal(input->run->metrics.count, 1);
	assert_string_equal(weir_run_label(input->run, "model"), "m 1B");
	assert_string_equal(weir_run_label(input->run, "gpu"), "Example");
	assert_string_equal(weir_run_label(input->run, "build_commit"), "1a2b");
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 0);
	weir_profile_free(profile);
}

static void a_test_is_named_by_its_tokens(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(reader, DATA "llama_bench.json", profile)->run;

	(void)state;
	assert_int_equal(run->stages.count, 4);
	assert_non_null(weir_series_find(&run->stages, "pp512"));
	assert_non_null(weir_series_find(&run->stages, "tg128"));
	assert_non_null(weir_series_find(&run->stages, "tg128@d4096"));
	assert_non_null(weir_series_find(&run->stages, "pp512+tg128"));
	weir_profile_free(profile);
}

static void json_lines_are_read_and_conditions_that_differ_are_in_the_names(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(reader, DATA "llama_bench.jsonl", profile)->run;

	(void)state;
	reading_expects_stage(run, "n_gpu_layers@0/pp512", 2, (const double[]){5e7, 5.1e7});
	reading_expects_stage(run, "n_gpu_layers@99/pp512", 2, (const double[]){2e7, 2.1e7});
	assert_null(weir_run_label(run, "n_gpu_layers"));
	assert_string_equal(weir_run_label(run, "n_batch"), "2048");
	weir_profile_free(profile);
}

static void csv_has_means_alone(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "llama_bench.csv", profile);

	(void)state;
	assert_int_equal(input->run->stages.count, 0);
	reading_expects_figure(input->run, "pp512_mean_ms", 50.29, false, "ms");
	reading_expects_figure(input->run, "tg128@d4096_tokens_per_s", 141.907222, true,
	                       "tokens/s");
	assert_int_equal(input->run->metrics.count, 6);
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

static void columns_of_latencies_and_peaks_are_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "llama_benchy.md", profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "pp2048_tokens_per_s", 5800.5, true, "tokens/s");
	reading_expects_figure(run, "pp2048_ttfr_ms", 463, false, "ms");
	reading_expects_figure(run, "pp2048_e2e_ttft_ms", 470.25, false, "ms");
	reading_expects_figure(run, "tg128_peak_tokens_per_s", 92.5, true, "tokens/s");
	reading_expects_figure(run, "pp2048@d4096_e2e_ttft_ms", 1237.25, false, "ms");
	assert_int_equal(run->metrics.count, 3 + 1 + 3);
	assert_int_equal(run->label_count, 1 + 7); /* the model, and deviations */
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	weir_profile_free(profile);
}

static void a_latency_of_0_is_not_given(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader,
	                                            "| model | test | t/s | ttfr (ms) |\n"
	                                            "|:--|--:|--:|--:|\n"
	                                            "| m | pp8 | 5.5 | 0.25 |\n"
	                                            "| m | tg8 | 7.5 | 0 |\n",
	                                            profile);

	(void)state;
	reading_expects_figure(input->run, "pp8_ttfr_ms", 0.25, false, "ms");
	assert_null(weir_series_find(&input->run->metrics, "tg8_ttfr_ms"));
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
}

static void tables_in_a_log_are_read_with_the_builds_behind_them(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "llama_bench.log", profile);
	const struct weir_run *run = input->run;

	(void)state;
	assert_int_equal(run->metrics.count, 5);
	reading_expects_figure(run, "fa@0/build_commit@1a2b3c4d/pp512_tokens_per_s", 10180.5, true,
	                       "tokens/s");
	reading_expects_figure(run, "fa@0/build_commit@2b3c4d5e/pp512_tokens_per_s", 10000.75, true,
	                       "tokens/s");
	reading_expects_figure(run, "fa@1/build_commit@1a2b3c4d/tg128@d4096_tokens_per_s", 141.96,
	                       true, "tokens/s");
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

static void equal_tests_get_numbers_and_are_not_pooled(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader,
	                                        HEADER ROW("0", "pp 512", "10.00 ± 1.00")
	                                                HEADER ROW("0", "pp512", "20.00 ± 1.00"),
	                                        profile)
	                                     ->run;

	(void)state;
	reading_expects_figure(run, "pp512_tokens_per_s", 10, true, "tokens/s");
	reading_expects_figure(run, "pp512#2_tokens_per_s", 20, true, "tokens/s");
	assert_string_equal(weir_run_label(run, "fa"), "0");
	weir_profile_free(profile);
}

static void headings_name_tables_that_nothing_else_distinguishes(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   "### GPU 0 ONLY ###\n" HEADER ROW(
				   "0", "pp512",
				   "10.00 ± 1.00") "\n### BOTH ###\n" HEADER ROW("0", "pp512",
	                                                                         "20.00 ± 1.00"),
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "heading@GPU 0 ONLY/pp512_tokens_per_s", 10, true, "tokens/s");
	reading_expects_figure(run, "heading@BOTH/pp512_tokens_per_s", 20, true, "tokens/s");
	weir_profile_free(profile);
	profile = weir_profile_new();
	run = reading_of(reader,
	                 "# A\n" HEADER ROW("0", "pp512", "1.0 ± 0.1") "# B\n" HEADER ROW(
				 "1", "pp512", "2.0 ± 0.1"),
	                 profile)
	              ->run;
	reading_expects_figure(run, "fa@1/pp512_tokens_per_s", 2, true, "tokens/s");
	assert_null(weir_run_label(run, "heading"));
	weir_profile_free(profile);
}

static void deviations_of_means_are_labels(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   HEADER ROW("0", "pp512", "100.00 ± 2.50") ROW("1", "pp512", "90 +/- 1"),
	                   profile)
			->run;

	(void)state;
	reading_expects_label(run, "fa@0/pp512/stddev_tokens_per_s", "2.5");
	reading_expects_label(run, "fa@1/pp512/stddev_tokens_per_s", "1");
	weir_profile_free(profile);
	profile = weir_profile_new();
	run = reading_of(
		      reader,
		      "n_prompt,n_gen,avg_ns,stddev_ns,avg_ts,stddev_ts\n8,0,2000000,500000,4,1\n",
		      profile)
	              ->run;
	reading_expects_label(run, "pp8/stddev_ms", "0.5");
	reading_expects_label(run, "pp8/stddev_tokens_per_s", "1");
	weir_profile_free(profile);
}

/* llama-benchy reads a context, and answers behind it, apart from the tests. */
static void tests_of_a_context_are_tests(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "llama_benchy.log", profile);

	(void)state;
	reading_expects_figure(input->run, "ctx_pp@d4096_tokens_per_s", 1600.5, true, "tokens/s");
	reading_expects_figure(input->run, "ctx_pp@d4096_ttfr_ms", 2559.25, false, "ms");
	reading_expects_figure(input->run, "ctx_tg@d4096_peak_tokens_per_s", 44.5, true,
	                       "tokens/s");
	reading_expects_figure(input->run, "tg32@d4096_tokens_per_s", 38.75, true, "tokens/s");
	reading_expects_label(input->run, "ctx_pp@d4096/stddev_ttfr_ms", "20.5");
	reading_expects_label(input->run, "model", "example/model-27B");
	assert_int_equal(input->warnings[WEIR_WARN_RAGGED_ROW].count, 0);
	weir_profile_free(profile);
}

static void concurrent_requests_are_a_condition(void **state)
{
	static const char table[] =
		"| model | test | t/s (total) | t/s (req) | peak t/s | peak t/s (req) |\n"
		"|:--|--:|--:|--:|--:|--:|\n"
		"| m | tg8 @ d16 (c1) | 5.5 ± 0.5 | 5.5 ± 0.5 | 6 | 6 |\n"
		"| m | tg8 @ d16 (c4) | 16.5 ± 0.5 | 4.5 ± 0.5 | 20 | 5 |\n";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader, table, profile)->run;

	(void)state;
	reading_expects_figure(run, "concurrency@4/tg8@d16_tokens_per_s", 16.5, true, "tokens/s");
	reading_expects_figure(run, "concurrency@4/tg8@d16_tokens_per_s_per_request", 4.5, true,
	                       "tokens/s");
	reading_expects_figure(run, "concurrency@4/tg8@d16_peak_tokens_per_s_per_request", 5, true,
	                       "tokens/s");
	reading_expects_figure(run, "concurrency@1/tg8@d16_peak_tokens_per_s", 6, true, "tokens/s");
	weir_profile_free(profile);
	assert_string_equal(reading_claims(table), "llama-bench");
}

static void lines_may_have_a_prefix_and_failures_are_warnings(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(reader, DATA "llama_bench_failed.log", profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 1);
	reading_expects_figure(input->run, "pp512_tokens_per_s", 1050.25, true, "tokens/s");
	reading_expects_label(input->run, "backend", "ROCm");
	reading_expects_label(input->run, "INFO", NULL);
	assert_int_equal(input->warnings[WEIR_WARN_PROGRAM_FAILED].count, 2);
	assert_non_null(strstr(input->warnings[WEIR_WARN_PROGRAM_FAILED].detail,
	                       "line 6: Memory access fault by GPU"));
	weir_profile_free(profile);
}

/* A model has several keys: one of them is enough to tell two apart. */
static void models_are_told_apart_by_one_condition(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   "{\"model_filename\": \"a\", \"model_type\": \"A\", \"n_prompt\": 1, "
	                   "\"n_gen\": 0, \"avg_ns\": 5, \"avg_ts\": 5}\n"
	                   "{\"model_filename\": \"b\", \"model_type\": \"B\", \"n_prompt\": 1, "
	                   "\"n_gen\": 0, \"avg_ns\": 5, \"avg_ts\": 6}\n",
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "model@A/pp1_tokens_per_s", 5, true, "tokens/s");
	reading_expects_figure(run, "model@B/pp1_tokens_per_s", 6, true, "tokens/s");
	weir_profile_free(profile);
}

static void rows_of_other_tables_are_passed_over(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"| a | b | c | d |\n| 1 | 2 | pp1 | 3 |\n" HEADER ROW(
			"0", "tg1",
			"5.00 ± 0.00") "| p | q | test |\n| 1 | 2 | r | s |\n" ROW("0", "tg2", "6"),
		profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 1);
	reading_expects_figure(input->run, "tg1_tokens_per_s", 5, true, "tokens/s");
	assert_int_equal(input->warnings[WEIR_WARN_RAGGED_ROW].count, 1);
	weir_profile_free(profile);
}

static void names_of_tests_are_checked(void **state)
{
	static const char *const bad[] = {
		"pp",     "tg",  "pp5+", "pp5+tg",  "pp5tg5", "pp5@d", "pp5@d5x", "xx5",
		"pp5 @x", "@d5", "pp-5", "pp5+pp5", "ctx_pp", "pp5(c", "ctx_tg5", "pp5 (c4"};
	static const char *const good[] = {"pp5",         "tg5",          "pp5+tg6",
	                                   "pp5@d7",      "tg5 @ d7",     "pp5+tg6 @ d7",
	                                   "ctx_pp @ d7", "pp5 @ d7 (c4)"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct weir_text text = {0};

		weir_text_printf(&text, HEADER ROW("0", "%s", "5.00"), bad[i]);
		reading_refuses(reader, text.data, WEIR_E_EMPTY, "no test with a time");
		weir_text_release(&text);
	}
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};

		weir_text_printf(&text, HEADER ROW("0", "%s", "5.00"), good[i]);
		assert_int_equal(reading_of(reader, text.data, profile)->run->metrics.count, 1);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void tests_without_tokens_or_times_are_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"[" TEST("0", "0", TIMES) "," TEST("-1", "0", TIMES) "," TEST(
			"0.5", "0",
			TIMES) "," TEST("1", "0",
	                                ", \"avg_ns\": 0, \"avg_ts\": 0, \"samples_ns\": "
	                                "[]") "," TEST("2", "0",
	                                               ", \"avg_ns\": null, \"avg_ts\": "
	                                               "\"x\", \"samples_ns\": [0, -1, "
	                                               "\"y\", 7]") "]",
		profile);

	(void)state;
	reading_expects_stage(input->run, "pp2", 1, (const double[]){7});
	assert_int_equal(input->run->metrics.count, 0);
	assert_int_equal(input->run->stages.count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 4);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 4);
	weir_profile_free(profile);
	reading_refuses(reader, "[" TEST("0", "0", TIMES) "]", WEIR_E_EMPTY, "no test with a time");
	reading_refuses(reader, "n_prompt,n_gen,avg_ns,avg_ts\n", WEIR_E_EMPTY,
	                "no test with a time");
}

static void rows_of_csv_must_match_their_header(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"n_prompt,n_gen,avg_ns,avg_ts\n\"1\",\"0\",\"2000000\",\"5\"\n1,0,2000000\n"
		"n_prompt,n_gen,n_depth,avg_ns,avg_ts\n1,0,3,4000000,6\n",
		profile);

	(void)state;
	reading_expects_figure(input->run, "pp1_mean_ms", 2, false, "ms");
	reading_expects_figure(input->run, "pp1@d3_mean_ms", 4, false, "ms");
	assert_int_equal(input->run->metrics.count, 4);
	assert_int_equal(input->warnings[WEIR_WARN_RAGGED_ROW].count, 1);
	weir_profile_free(profile);
}

static void tests_of_a_file_are_limited(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "n_prompt,n_gen,avg_ns,avg_ts\n");
	for (int i = 1; i <= 1024; i++)
		weir_text_printf(&text, "%d,0,1000,5\n", i);
	assert_int_equal(reading_of(reader, text.data, profile)->run->metrics.count, 2048);
	weir_profile_free(profile);
	weir_text_puts(&text, "1,0,1000,5\n");
	reading_refuses(reader, text.data, WEIR_E_LIMIT, "more than 1024 tests");
	weir_text_release(&text);
}

static void long_and_odd_conditions_do_not_break_names(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_run *run;

	(void)state;
	for (int i = 0; i < 2; i++) {
		weir_text_printf(&text, "{\"a\": \"%d\\n", i);
		weir_text_repeat(&text, "x", 100);
		weir_text_puts(&text, "\", \"b\": \"");
		weir_text_repeat(&text, "y", i ? 257 : 256);
		weir_text_puts(&text, "\", \"n_prompt\": 1, \"n_gen\": 0, \"avg_ns\": 1, "
		                      "\"avg_ts\": 1}\n");
	}
	run = reading_of(reader, text.data, profile)->run;
	assert_int_equal(run->metrics.count, 4);
	for (size_t i = 0; i < 4; i++) {
		assert_null(strchr(run->metrics.items[i].name, '\n'));
		assert_true(strlen(run->metrics.items[i].name) < 100);
	}
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void only_this_reader_claims_the_forms(void **state)
{
	(void)state;
	assert_string_equal(reading_claims("[" TEST("512", "0", TIMES) "]"), "llama-bench");
	assert_string_equal(reading_claims(TEST("512", "0", TIMES) "\n"), "llama-bench");
	assert_string_equal(reading_claims("n_prompt,n_gen,test_time,avg_ns,avg_ts\n"),
	                    "llama-bench");
	assert_string_equal(reading_claims("x\n" HEADER ROW("0", "pp1", "5 ± 1")), "llama-bench");
	assert_string_equal(reading_claims("| model | test | s |\n"), "none");
	assert_string_equal(reading_claims("{\"n_prompt\": 1, \"n_gen\": 2}"), "none");
}

static void damaged_files_are_read_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(reader, "[" TEST("512", "0", TIMES) ", " TEST("0", "1", TIMES) "]");
	reading_survives_damage(reader, "n_prompt,n_gen,avg_ns,avg_ts\n\"1\",\"0\",\"2\",\"5\"\n");
	reading_survives_damage(reader,
	                        "x\n" HEADER ROW("0", "pp1 @ d2", "5 ± 1") "\nbuild: a (1)\n");
	reading_survives_damage(reader, "I |-> | model | test | t/s (total) | t/s (req) |\n"
	                                "I |-> | m | ctx_pp @ d2 (c1) | 5 ± 1 | 4 +/- 1 |\n"
	                                "I |-> CUDA error: out of memory\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repetitions_are_samples_and_tokens_per_second_a_figure),
		cmocka_unit_test(a_test_is_named_by_its_tokens),
		cmocka_unit_test(json_lines_are_read_and_conditions_that_differ_are_in_the_names),
		cmocka_unit_test(csv_has_means_alone),
		cmocka_unit_test(columns_of_latencies_and_peaks_are_figures),
		cmocka_unit_test(a_latency_of_0_is_not_given),
		cmocka_unit_test(tables_in_a_log_are_read_with_the_builds_behind_them),
		cmocka_unit_test(equal_tests_get_numbers_and_are_not_pooled),
		cmocka_unit_test(headings_name_tables_that_nothing_else_distinguishes),
		cmocka_unit_test(deviations_of_means_are_labels),
		cmocka_unit_test(tests_of_a_context_are_tests),
		cmocka_unit_test(concurrent_requests_are_a_condition),
		cmocka_unit_test(lines_may_have_a_prefix_and_failures_are_warnings),
		cmocka_unit_test(models_are_told_apart_by_one_condition),
		cmocka_unit_test(rows_of_other_tables_are_passed_over),
		cmocka_unit_test(names_of_tests_are_checked),
		cmocka_unit_test(tests_without_tokens_or_times_are_left_out),
		cmocka_unit_test(rows_of_csv_must_match_their_header),
		cmocka_unit_test(tests_of_a_file_are_limited),
		cmocka_unit_test(long_and_odd_conditions_do_not_break_names),
		cmocka_unit_test(only_this_reader_claims_the_forms),
		cmocka_unit_test(damaged_files_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
