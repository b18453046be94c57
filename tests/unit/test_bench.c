/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/pipeline/several_runs.h"
#include "engine/readers/loadgen/client_summary.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define SERVE                                                                                      \
	"{\"date\": \"20260101-120000\", \"endpoint_type\": \"openai\", \"model_id\": \"org/m\", " \
	"\"tokenizer_id\": \"org/m\", \"num_prompts\": 3, \"request_rate\": \"inf\", "             \
	"\"max_concurrency\": null, \"duration\": 1.5, \"completed\": 2, \"failed\": 1, "          \
	"\"total_input_tokens\": 300, \"request_throughput\": 1.25, \"request_goodput:\": null, "  \
	"\"output_throughput\": 4.0, \"total_token_throughput\": 204.0"
#define DETAIL                                                                                     \
	", \"input_lens\": [100, 100, 200], \"output_lens\": [3, 0, 4], \"ttfts\": [0.05, 0.0, "   \
	"0.08000000049999999], \"itls\": [[0.01, 4.2e-05], [], [0.011, 0.0, 0.013]], "             \
	"\"generated_texts\": [\"a\", \"\", \"b ]}\"], \"errors\": [\"\", \"Traceback\\n\", "      \
	"\"\"], \"mean_ttft_ms\": 65.0"

/* Reads a text, which must succeed. The profile frees the run. */
static const struct weir_run *run_of(const char *text, struct weir_profile *profile)
{
	return reading_of(&weir_reader_bench, text, profile)->run;
}

static void expect_refused(const char *text, enum weir_status status, const char *message)
{
	reading_refuses(&weir_reader_bench, text, status, message);
}

static const struct weir_series *find(const struct weir_series_table *table, const char *name)
{
	const struct weir_series *series = weir_series_find(table, name);

	if (!series)
		fail_msg("no series %s", name);
	return series;
}

static void expect_values(const struct weir_series *series, size_t count, const double *values)
{
	assert_int_equal(series->count, count);
	for (size_t i = 0; i < count; i++)
		if (series->value[i] != values[i])
			fail_msg("%s[%zu] is %.17g, expected %.17g", series->name, i,
			         series->value[i], values[i]);
}

static void expect_metric(const struct weir_run *run, const char *name, double value, bool higher,
                          const char *unit)
{
	const struct weir_series *series = find(&run->metrics, name);

	expect_values(series, 1, &value);
	assert_int_equal(series->higher_is_better, higher);
	assert_string_equal(series->unit, unit);
}

static void requests_become_samples_in_whole_nanoseconds(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = run_of(SERVE DETAIL "}", profile);

	(void)state;
	expect_values(find(&run->stages, "ttft"), 2, (double[]){50000000, 80000000});
	expect_values(find(&run->stages, "tpot"), 2, (double[]){5021000, 8000000});
	expect_values(find(&run->stages, "itl"), 4,
	              (double[]){10000000, 42000, 11000000, 13000000});
	expect_values(find(&run->stages, "e2e"), 2, (double[]){60042000, 104000000});
	assert_int_equal(run->stages.count, 4);
	assert_null(weir_series_find(&run->metrics, "mean_ttft_ms")); /* there are samples */
	weir_profile_free(profile);
}

#define ANSWERED(outputs, errors)                                                                  \
	SERVE ", \"output_lens\": " outputs ", \"ttfts\": [0.05, 0.0, 0.08], \"itls\": [[0.01], "  \
	      "[], [0.02]]" errors "}"

static void answers_without_a_token_are_counted(void **state)
{
	static const struct {
		const char *text;
		uint64_t empty, failed;
		const char *label;
	} cases[] = {
		{ANSWERED("[2, 0, 2]", ", \"errors\": [\"\", \"\", \"\"]"), 1, 0, "0"},
		{ANSWERED("[2, 1, 2]", ", \"errors\": [\"\", \"\", \"\"]"), 0, 0, "0"},
		{ANSWERED("[2, 0, 2]", ", \"errors\": [\"\", \"refused\", \"\"]"), 0, 1, "1"},
		/* Without errors, only a lack of output tells of failure. */
		{ANSWERED("[2, 0, 2]", ""), 0, 1, "1"},
		/* All requests completed: the one without output did as well. */
		{"{\"backend\": \"vllm\", \"num_prompts\": 3, \"duration\": 1.5, \"completed\": 3, "
	         "\"request_throughput\": 2, \"output_throughput\": 4, \"output_lens\": [2, 0, 2], "
	         "\"ttfts\": [0.05, 0.0, 0.08], \"itls\": [[0.01], [], [0.02]]}",
	         1, 0, "0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input =
			reading_of(&weir_reader_bench, cases[i].text, profile);
		const char *failed = weir_run_label(input->run, "failed");

		assert_int_equal(input->warnings[WEIR_WARN_EMPTY_ANSWER].count, cases[i].empty);
		assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, cases[i].failed);
		assert_int_equal(find(&input->run->stages, "ttft")->count, 2);
		assert_string_equal(failed ? failed : "none",
		                    cases[i].label ? cases[i].label : "none");
		weir_profile_free(profile);
	}
}

static void rates_are_better_where_higher(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = run_of(SERVE DETAIL "}", profile);

	(void)state;
	expect_metric(run, "request_throughput", 1.25, true, "1/s");
	expect_metric(run, "output_throughput", 4, true, "tokens/s");
	expect_metric(run, "total_token_throughput", 204, true, "tokens/s");
	assert_int_equal(run->metrics.count, 3);
	weir_profile_free(profile);
}

static void failed_requests_are_left_out_and_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	run_of(SERVE DETAIL "}", profile);
	run_of(SERVE "}", profile);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(profile->inputs[i].warnings[WEIR_WARN_FAILED_REQUEST].count, 1);
	weir_profile_free(profile);
}

static void a_request_without_output_has_failed(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		run_of("{\"output_lens\": [0, 2], \"ttfts\": [0.5, 0.25]}", profile);

	(void)state;
	expect_values(find(&run->stages, "ttft"), 1, (double[]){250000000});
	assert_null(weir_series_find(&run->stages, "e2e"));
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_FAILED_REQUEST].count, 1);
	weir_profile_free(profile);
}

static void labels_hold_the_load_and_the_metadata(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = run_of(
		SERVE ", \"gpu\": \"H\\u00e9\", \"a key that is far longer than any label of a run "
		      "needs to be, is it not\": \"x\"}",
		profile);
	static const char *const labels[][2] = {
		{"backend", "openai"},  {"model", "org/m"},   {"request_rate", "inf"},
		{"num_prompts", "3"},   {"gpu", "H\xc3\xa9"}, {"date", "20260101-120000"},
		{"tokenizer", "org/m"}, {"failed", "1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		assert_non_null(weir_run_label(run, labels[i][0]));
		assert_string_equal(weir_run_label(run, labels[i][0]), labels[i][1]);
	}
	assert_null(weir_run_label(run, "max_concurrency"));
	assert_null(weir_run_label(run, "duration"));
	assert_non_null(weir_run_label(run, "total_input_tokens"));
	assert_int_equal(run->label_count, 12);
	weir_profile_free(profile);
}

static void without_samples_means_and_percentiles_are_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = run_of(
		SERVE ", \"mean_ttft_ms\": 65.0, \"median_ttft_ms\": 64.5, \"std_ttft_ms\": 15.0, "
		      "\"p99.9_ttft_ms\": 79.7, \"p99_e2el_ms\": 9, \"p99x_itl_ms\": 1}",
		profile);

	(void)state;
	expect_metric(run, "mean_ttft_ms", 65, false, "ms");
	expect_metric(run, "median_ttft_ms", 64.5, false, "ms");
	expect_metric(run, "p99.9_ttft_ms", 79.7, false, "ms");
	expect_metric(run, "p99_e2el_ms", 9, false, "ms");
	assert_int_equal(run->metrics.count, 7);
	assert_int_equal(run->stages.count, 0);
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

static void results_of_sglang_have_the_same_names(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = run_of(
		"{\"backend\": \"sglang\", \"request_rate\": Infinity, \"server_info\": {\"a\": "
		"[1, {}], \"model_path\": \"org/m\"}, \"completed\": 4, \"request_throughput\": "
		"2.5, \"total_throughput\": 288.5, \"mean_e2e_latency_ms\": 140.5, "
		"\"p99_itl_ms\": NaN, \"accept_length\": null}\n",
		profile);

	(void)state;
	assert_string_equal(weir_run_label(run, "backend"), "sglang");
	assert_string_equal(weir_run_label(run, "model"), "org/m");
	assert_string_equal(weir_run_label(run, "request_rate"), "inf");
	expect_metric(run, "total_token_throughput", 288.5, true, "tokens/s");
	expect_metric(run, "mean_e2el_ms", 140.5, false, "ms");
	assert_int_equal(run->metrics.count, 3);
	weir_profile_free(profile);
}

static void latency_and_throughput_results_are_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = run_of("{\"avg_latency\": 0.15, \"latencies\": [0.151, 0.149],"
	                                    " \"percentiles\": {\"50\": 0.15}}",
	                                    profile);

	(void)state;
	expect_values(find(&run->stages, "latency"), 2, (double[]){151000000, 149000000});
	assert_int_equal(run->metrics.count, 0);
	run = run_of("{\"avg_latency\": 0.15, \"latencies\": [], \"percentiles\": {\"50\": 0.25, "
	             "\"x\": 1, \"99\": null}}",
	             profile);
	expect_metric(run, "mean_latency_ms", 150, false, "ms");
	expect_metric(run, "p50_latency_ms", 250, false, "ms");
	assert_int_equal(run->metrics.count, 2);
	run = run_of("{\"elapsed_time\": 2.5, \"num_requests\": 50, \"requests_per_second\": 20.0, "
	             "\"tokens_per_second\": 4800.0}",
	             profile);
	expect_metric(run, "request_throughput", 20, true, "1/s");
	expect_metric(run, "total_token_throughput", 4800, true, "tokens/s");
	weir_profile_free(profile);
}

static void means_of_llmperf_are_figures_and_labels(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = run_of(
		"{\"results_ttft_s_mean\": 0.25, \"results_end_to_end_latency_s_mean\": 1.25, "
		"\"results_number_input_tokens_mean\": 260.5, "
		"\"results_number_output_tokens_mean\": 101, \"results_num_requests_started\": 52, "
		"\"results_num_completed_requests\": 50, "
		"\"results_request_output_throughput_token_per_s_mean\": 85.5}",
		profile);

	(void)state;
	expect_metric(run, "mean_tpot_ms", 10, false, "ms");
	expect_metric(run, "output_throughput_per_user", 85.5, true, "tokens/s");
	assert_string_equal(weir_run_label(run, "num_prompts"), "52");
	assert_string_equal(weir_run_label(run, "mean_input_tokens"), "260.5");
	assert_string_equal(weir_run_label(run, "mean_output_tokens"), "101");
	assert_string_equal(weir_run_label(run, "benchmark"), "llmperf");
	weir_profile_free(profile);
}

static void unknown_values_are_left_out_and_never_zero(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		run_of("{\"request_throughput\": 0, \"output_throughput\": NaN, "
	               "\"total_throughput\": -Infinity, \"mean_ttft_ms\": 0.0, \"ttfts\": [NaN, "
	               "null, 0.5, 0], \"itls\": [[0.1], [0.1], [0.1, NaN], [0.1]], "
	               "\"output_lens\": [2, 2, 3, 2]}",
	               profile);

	(void)state;
	assert_int_equal(run->metrics.count, 0);
	expect_values(find(&run->stages, "ttft"), 1, (double[]){500000000});
	assert_int_equal(find(&run->stages, "tpot")->count, 3);
	assert_null(weir_series_find(&run->stages, "e2e")); /* each has an unknown part */
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
}

static void malformed_numbers_are_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = run_of(
		"{\"request_throughput\": \"2\", \"output_throughput\": [], \"mean_tpot_ms\": "
		"1e999, \"ttfts\": [\"0.5\", -1, 1e300, [1], {}, true, 0.5], \"output_lens\": [1, "
		"2.5, -1, null, 99999999999999999999, 1, 1], \"itls\": [[[1]], [], [\"x\"], [{}], "
		"[1e9], "
		"[9e6, 9e6], []]}",
		profile);

	(void)state;
	assert_int_equal(run->metrics.count, 0);
	assert_int_equal(find(&run->stages, "ttft")->count, 1);
	assert_true(profile->inputs[0].warnings[WEIR_WARN_BAD_NUMBER].count >= 12);
	weir_profile_free(profile);
}

static void results_without_timing_are_refused(void **state)
{
	(void)state;
	expect_refused("{\"completed\": 0, \"failed\": 4, \"request_throughput\": 0.0, "
	               "\"mean_ttft_ms\": 0.0}",
	               WEIR_E_FORMAT, "no request completed");
	expect_refused("{}", WEIR_E_FORMAT, "no timing in this result");
	expect_refused("{\"completed\": 3, \"ttfts\": [], \"itls\": []}", WEIR_E_FORMAT,
	               "no timing in this result");
	expect_refused("[]", WEIR_E_FORMAT, "no timing");
	expect_refused("[{\"completed\": 3}]", WEIR_E_FORMAT, "no timing");
	expect_refused("hello", WEIR_E_FORMAT, "expected a JSON object");
}

static void lists_of_other_types_or_lengths_are_refused(void **state)
{
	(void)state;
	expect_refused("{\"ttfts\": 1}", WEIR_E_FORMAT, "ttfts: expected a list");
	expect_refused("{\"ttfts\": {\"a\": [1]}}", WEIR_E_FORMAT, "ttfts: expected a list");
	expect_refused("{\"itls\": 1}", WEIR_E_FORMAT, "itls: expected a list of lists");
	expect_refused("{\"itls\": [1]}", WEIR_E_FORMAT, "itls[0]: expected a list");
	expect_refused("{\"ttfts\": [1], \"ttfts\": [1]}", WEIR_E_FORMAT, "ttfts: given twice");
	expect_refused("{\"ttfts\": [1, 2], \"errors\": [\"\"]}", WEIR_E_FORMAT,
	               "errors: 1 requests, but ttfts holds 2");
	expect_refused("{\"ttfts\": [1], \"itls\": [[], []]}", WEIR_E_FORMAT, "itls: 2 requests");
}

static void the_first_of_repeated_figures_counts(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = run_of(SERVE ", \"mean_itl_ms\": 2, \"mean_itl_ms\": 1, "
	                                          "\"p99.9_itl_ms\": 4, \"p99.9_itl_ms\": 3, "
	                                          "\"median_itl_ms\": 5, \"p50_itl_ms\": 5, "
	                                          "\"median_ttft_ms\": 5, \"p50_ttft_ms\": 6}",
	                                    profile);

	(void)state;
	expect_metric(run, "mean_itl_ms", 2, false, "ms");
	expect_metric(run, "p99.9_itl_ms", 4, false, "ms");
	assert_null(weir_series_find(&run->metrics, "p50_itl_ms")); /* the median again */
	expect_metric(run, "p50_ttft_ms", 6, false, "ms");
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_DUPLICATE].count, 2);
	weir_profile_free(profile);
}

#define AT(rate, more)                                                                             \
	"{\"date\": \"20260101-0000" rate "\", \"model_id\": \"m\", \"completed\": 4, "            \
	"\"request_rate\": " rate ", \"request_throughput\": " rate more "}\n"

static void speculation_and_totals_are_kept(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(&weir_reader_bench,
	                   "{\"backend\": \"vllm\", \"completed\": 8, \"duration\": 32.5, "
	                   "\"request_throughput\": 0.25, \"mean_ttft_ms\": 620, "
	                   "\"spec_decode_acceptance_rate\": 72.5, "
	                   "\"spec_decode_acceptance_length\": 3.25}",
	                   profile)
			->run;

	(void)state;
	expect_metric(run, "acceptance_rate", 72.5, true, "%");
	expect_metric(run, "acceptance_length", 3.25, true, "tokens");
	assert_string_equal(weir_run_label(run, "completed"), "8");
	assert_string_equal(weir_run_label(run, "duration_s"), "32.5");
	weir_profile_free(profile);
}

static void several_results_in_one_file_are_one_run_with_names(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		run_of(AT("1", "") AT("2", ", \"ttfts\": [0.5, 0.25]") AT("2", ""), profile);

	(void)state;
	expect_metric(run, "request_rate@1/request_throughput", 1, true, "1/s");
	expect_metric(run, "request_rate@2/request_throughput", 2, true, "1/s");
	expect_metric(run, "request_rate@2#2/request_throughput", 2, true, "1/s");
	expect_values(find(&run->stages, "request_rate@2/ttft"), 2,
	              (double[]){500000000, 250000000});
	assert_string_equal(weir_run_label(run, "model"), "m");
	assert_null(weir_run_label(run, "request_rate"));
	assert_null(weir_run_label(run, "date"));
	weir_profile_free(profile);
}

#define UNLIMITED(x)                                                                               \
	"{\"completed\": 4, \"request_rate\": \"inf\", \"request_throughput\": 5, \"x\": \"" x "\"}"

static void labels_tell_results_of_the_same_load_apart(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = run_of(
		AT("1", ", \"max_concurrency\": 8, \"framework\": \"a\", \"n\": \"1\"")
			AT("1", ", \"max_concurrency\": 8, \"framework\": \"b\", \"n\": \"2\"")
				AT("4", ", \"framework\": \"b\""),
		profile);

	(void)state;
	expect_metric(run, "request_rate@1/concurrency@8/framework@a/request_throughput", 1, true,
	              "1/s");
	expect_metric(run, "request_rate@1/concurrency@8/framework@b/request_throughput", 1, true,
	              "1/s");
	expect_metric(run, "request_rate@4/framework@b/request_throughput", 4, true, "1/s");
	run = run_of(UNLIMITED("1") UNLIMITED("2"), profile);
	expect_metric(run, "request_rate@inf/x@1/request_throughput", 5, true, "1/s");
	weir_profile_free(profile);
}

static void a_result_without_an_answer_is_left_out_beside_others(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		run_of("{\"completed\": 0, \"failed\": 7, \"request_throughput\": 0}" AT("1", ""),
	               profile);

	(void)state;
	expect_metric(run, "request_throughput", 1, true, "1/s");
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_FAILED_REQUEST].count, 7);
	expect_refused("{\"completed\": 0, \"request_throughput\": 0}\n"
	               "{\"completed\": 0, \"request_throughput\": 0}",
	               WEIR_E_FORMAT, "no request completed");
	weir_profile_free(profile);
}

static void damage_after_a_result_is_refused(void **state)
{
	(void)state;
	expect_refused(SERVE "} x", WEIR_E_FORMAT, "one input is one run");
	expect_refused(SERVE "}" SERVE, WEIR_E_FORMAT, "ends in the middle");
	expect_refused(SERVE "}" SERVE ", \"itls\": 5}", WEIR_E_FORMAT, "itls");
}

/* SGLang's bench_serving of early 2025. */
static void a_result_without_a_rate_of_requests_is_recognised(void **state)
{
	static const char text[] =
		"{\"backend\": \"sglang\", \"dataset_name\": \"random\", \"request_rate\": "
		"Infinity, \"max_concurrency\": null, \"total_input_tokens\": 100, "
		"\"total_output_tokens\": 50, \"total_output_tokens_retokenized\": 49, "
		"\"mean_e2e_latency_ms\": 300.5, \"median_e2e_latency_ms\": 299.5, "
		"\"median_ttft_ms\": 20.5, \"median_itl_ms\": 5.5, \"output_throughput\": 25.0, "
		"\"duration\": 2.0, \"completed\": 5}";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = run_of(text, profile);

	(void)state;
	assert_string_equal(reading_claims(text), "bench");
	expect_metric(run, "mean_e2el_ms", 300.5, false, "ms");
	expect_metric(run, "median_ttft_ms", 20.5, false, "ms");
	expect_metric(run, "median_itl_ms", 5.5, false, "ms");
	expect_metric(run, "request_throughput", 2.5, true, "1/s");
	weir_profile_free(profile);
}

static void a_result_cut_short_at_any_byte_is_refused(void **state)
{
	static const char text[] = SERVE DETAIL "}";

	(void)state;
	for (size_t len = 0; len < sizeof(text) - 1; len++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_error err = {0};
		char *copy = test_malloc(len + 1); /* a separate block shows reads beyond its end */

		memcpy(copy, text, len);
		if (reading_try(&weir_reader_bench, copy, len, profile, &err) != WEIR_E_FORMAT ||
		    !err.message[0])
			fail_msg("cut at %zu: %s", len, err.message);
		test_free(copy);
		weir_profile_free(profile);
	}
}

static void hostile_depth_is_refused_without_a_stack(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "{\"ttfts\": [0.5], \"x\": ");
	weir_text_repeat(&text, "[", 200000);
	weir_text_repeat(&text, "]", 200000);
	weir_text_puts(&text, "}");
	expect_refused(text.data, WEIR_E_FORMAT, "not valid JSON");
	weir_text_clear(&text);
	weir_text_puts(&text, "{\"itls\": [");
	weir_text_repeat(&text, "[", 200000);
	expect_refused(text.data, WEIR_E_FORMAT, "");
	weir_text_release(&text);
}

static void too_many_figures_meet_a_limit(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "{\"a\": 1");
	for (int i = 0; i <= WEIR_CLIENT_MAX_PERCENTILES; i++)
		weir_text_printf(&text, ", \"p0.%d_ttft_ms\": 1", i);
	weir_text_puts(&text, "}");
	expect_refused(text.data, WEIR_E_LIMIT, "more than 128");
	weir_text_release(&text);
}

static void texts_beyond_the_limit_are_not_labels(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "{\"request_throughput\": 1");
	for (int i = 0; i < 1000; i++)
		weir_text_printf(&text, ", \"k%d\": \"v\"", i);
	weir_text_puts(&text, "}");
	assert_int_equal(run_of(text.data, profile)->label_count, WEIR_FIGURE_MAX_LABELS);
	weir_text_release(&text);
	weir_profile_free(profile);
}

/* Reads twice the limit of gaps, alternately 2 s and 1 s: half of the kept ones must be of each. */
static void gaps_beyond_the_limit_are_thinned_without_a_rhythm(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_series *gaps;
	struct weir_text text = {0};
	size_t ones = 0;

	(void)state;
	weir_text_puts(&text, "{\"ttfts\": [1], \"itls\": [[1");
	weir_text_repeat(&text, ",2,1", WEIR_CLIENT_MAX_GAPS);
	weir_text_puts(&text, "]]}");
	gaps = find(&run_of(text.data, profile)->stages, "itl");
	assert_true(gaps->count > WEIR_CLIENT_MAX_GAPS / 2);
	assert_true(gaps->count <= WEIR_CLIENT_MAX_GAPS);
	for (size_t i = 0; i < gaps->count; i++)
		ones += gaps->value[i] == 1e9;
	assert_near((double)ones / (double)gaps->count, 0.5, 0.01);
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_THINNED].count, 1);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void results_are_known_by_their_keys(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(SERVE "}"), "bench");
	assert_string_equal(reading_claims(SERVE DETAIL), "bench");
	assert_string_equal(reading_claims("{\"avg_latency\": 1, \"latencies\": [1]}"), "bench");
	assert_string_equal(reading_claims("{\"elapsed_time\": 1, \"requests_per_second\": 2}"),
	                    "bench");
	assert_string_equal(reading_claims("{\"completed\": 1}"), "none");
	assert_string_equal(reading_claims("{\"latencies\": [1]}"), "none");
	assert_string_equal(reading_claims("[" SERVE "}]"), "bench");
	assert_string_equal(reading_claims("{\"x\": " SERVE "}}"), "none");
}

/* Reads results of a made-up benchmark in one file: each has a rate, and its number as its
 * throughput. */
static struct weir_input *read_rates(const char *rates, struct weir_profile *profile)
{
	struct weir_text text = {0};
	struct weir_input *input;

	for (size_t i = 0; rates[i]; i++)
		weir_text_printf(&text,
		                 "{\"backend\": \"vllm\", \"date\": \"20260101-12000%zu\", "
		                 "\"request_rate\": %c, \"duration\": 1, \"completed\": 2, "
		                 "\"total_input_tokens\": 3, \"request_throughput\": %zu}\n",
		                 i, rates[i], i + 1);
	reading_of(&weir_reader_bench, text.data, profile);
	weir_text_release(&text);
	input = &profile->inputs[profile->input_count - 1];
	return input;
}

static size_t count_repeats(const struct weir_input *input)
{
	size_t count = 0;

	for (const struct weir_run *run = input->repeats; run; run = run->next)
		count++;
	return count;
}

static void a_result_that_is_repeated_is_a_run_each_time(void **state)
{
	static const struct {
		const char *rates;
		size_t repeats;
	} cases[] = {{"1", 0},    {"12", 0},   {"11", 2}, {"111", 3},
	             {"1212", 2}, {"1122", 2}, {"112", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weir_profile *profile = weir_profile_new();

		assert_int_equal(count_repeats(read_rates(cases[i].rates, profile)),
		                 cases[i].repeats);
		weir_profile_free(profile);
	}
}

static void repeats_keep_the_order_of_the_file(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = read_rates("444", profile);
	const struct weir_run *run = input->repeats;

	(void)state;
	for (size_t i = 0; i < 3; i++, run = run->next)
		expect_metric(run, "request_throughput", (double)i + 1, true, "1/s");
	assert_string_equal(weir_run_label(input->repeats->next, "date"), "20260101-120001");
	expect_metric(input->run, "request_rate@4#3/request_throughput", 3, true, "1/s");
	input = read_rates("4884", profile);
	expect_metric(input->repeats, "request_rate@4/request_throughput", 1, true, "1/s");
	expect_metric(input->repeats, "request_rate@8/request_throughput", 2, true, "1/s");
	expect_metric(input->repeats->next, "request_rate@4/request_throughput", 4, true, "1/s");
	expect_metric(input->repeats->next, "request_rate@8/request_throughput", 3, true, "1/s");
	weir_profile_free(profile);
}

static void repeats_are_runs_of_a_baseline_and_one_report(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_run *further = NULL;
	struct weir_error err = {0};

	(void)state;
	read_rates("444", profile);
	assert_int_equal(weir_several_runs_choose(profile, 0, &err), WEIR_OK);
	assert_non_null(weir_series_find(&profile->inputs[0].run->metrics,
	                                 "request_rate@4#2/request_throughput"));
	assert_int_equal(weir_several_runs_choose(profile, 4, &err), WEIR_E_USAGE);
	weir_profile_free(profile);
	profile = weir_profile_new();
	read_rates("444", profile);
	assert_int_equal(weir_several_runs_choose(profile, 2, &err), WEIR_OK);
	expect_metric(profile->inputs[0].run, "request_throughput", 2, true, "1/s");
	weir_profile_free(profile);
	profile = weir_profile_new();
	read_rates("444", profile);
	assert_int_equal(weir_several_runs_take(profile, &further, &err), WEIR_OK);
	expect_metric(profile->inputs[0].run, "request_throughput", 1, true, "1/s");
	expect_metric(further->next, "request_throughput", 3, true, "1/s");
	weir_run_free(further);
	weir_profile_free(profile);
}

/* Scripts keep the times of a result and drop its totals. */
static void times_without_totals_are_read(void **state)
{
	static const char text[] =
		"{\"backend\": \"vllm\", \"num_prompts\": 200, \"request_rate\": 1.0, "
		"\"mean_ttft_ms\": 111.25, \"median_ttft_ms\": 103.5, \"std_ttft_ms\": 45.1, "
		"\"p99_ttft_ms\": 165.5, \"mean_itl_ms\": 40.25}";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run;

	(void)state;
	assert_true(weir_sniff_reader(&weir_reader_bench, text, sizeof text - 1) > 0);
	run = run_of(text, profile);
	expect_metric(run, "mean_ttft_ms", 111.25, false, "ms");
	expect_metric(run, "median_ttft_ms", 103.5, false, "ms");
	expect_metric(run, "mean_itl_ms", 40.25, false, "ms");
	assert_null(weir_series_find(&run->metrics, "request_throughput"));
	assert_string_equal(weir_run_label(run, "num_prompts"), "200");
	weir_profile_free(profile);
}

/* Its inter-token latency is the time of a request over all its tokens. */
static void llmperfs_summary_is_read(void **state)
{
	static const char text[] =
		"{\"version\": \"2023-08-31\", \"model\": \"org/m\", \"num_concurrent_requests\": "
		"5, "
		"\"results_inter_token_latency_s_quantiles_p99\": 0.0625, "
		"\"results_inter_token_latency_s_mean\": 0.03125, "
		"\"results_ttft_s_quantiles_p25\": 0.1, \"results_ttft_s_quantiles_p50\": 0.25, "
		"\"results_ttft_s_mean\": 0.5, \"results_ttft_s_stddev\": 0.1, "
		"\"results_end_to_end_latency_s_quantiles_p95\": 2, "
		"\"results_number_input_tokens_mean\": \"256.0\", "
		"\"results_num_completed_requests\": 10, \"results_number_errors\": 2, "
		"\"results_num_completed_requests_per_min\": 120, "
		"\"results_mean_output_throughput_token_per_s\": 335.5}";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input;

	(void)state;
	assert_true(weir_sniff_reader(&weir_reader_bench, text, sizeof text - 1) > 0);
	input = reading_of(&weir_reader_bench, text, profile);
	expect_metric(input->run, "p99_ntpot_ms", 62.5, false, "ms");
	expect_metric(input->run, "mean_ntpot_ms", 31.25, false, "ms");
	expect_metric(input->run, "median_ttft_ms", 250, false, "ms");
	expect_metric(input->run, "mean_ttft_ms", 500, false, "ms");
	expect_metric(input->run, "p95_e2el_ms", 2000, false, "ms");
	expect_metric(input->run, "request_throughput", 2, true, "1/s");
	expect_metric(input->run, "output_throughput", 335.5, true, "tokens/s");
	assert_int_equal(input->run->metrics.count, 7);
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 2);
	assert_string_equal(weir_run_label(input->run, "max_concurrency"), "5");
	weir_profile_free(profile);
}

/* A file of arguments is called so only without a word of a result. */
static void arguments_alone_are_refused_as_such(void **state)
{
	static const char arguments[] = "{\"backend\": \"vllm\", \"dataset_name\": \"random\", "
					"\"endpoint\": \"/v1\", \"request_rate\": 4}";
	static const char *const others[] = {
		"{\"backend\": \"vllm\", \"dataset_name\": \"random\"}",
		"{\"backend\": \"vllm\", \"dataset_name\": \"a\", \"endpoint\": \"/\", "
		"\"run_ms\": 4}"};
	const char *refusal = weir_sniff_refusal(&weir_reader_bench, arguments, strlen(arguments));

	(void)state;
	assert_non_null(refusal);
	assert_non_null(strstr(refusal, "arguments of a benchmark and no result"));
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_null(weir_sniff_refusal(&weir_reader_bench, others[i], strlen(others[i])));
}

static void a_list_of_results_is_several_loads(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		&weir_reader_bench,
		"[{\"completed\": 8, \"request_throughput\": 2.5, \"max_concurrency\": 2, "
		"\"max_num_seqs\": 8, \"mean_ttft_ms\": 40, \"run_number\": 0}, "
		"{\"completed\": 8, \"request_throughput\": 3.5, \"max_concurrency\": 2, "
		"\"max_num_seqs\": 16, \"mean_ttft_ms\": 30, \"run_number\": 0}]",
		profile);

	(void)state;
	reading_expects_figure(input->run, "concurrency@2/max_num_seqs@8/mean_ttft_ms", 40, false,
	                       "ms");
	reading_expects_figure(input->run, "concurrency@2/max_num_seqs@16/request_throughput", 3.5,
	                       true, "1/s");
	weir_profile_free(profile);
}

static void a_batch_without_a_server_is_named(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_bench,
	                   "{\"avg_latency\": 1.5, \"percentiles\": {\"50\": 1.4}}", profile);

	(void)state;
	assert_string_equal(input->tool, "vllm bench latency");
	reading_expects_figure(input->run, "mean_latency_ms", 1500, false, "ms");
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_become_samples_in_whole_nanoseconds),
		cmocka_unit_test(answers_without_a_token_are_counted),
		cmocka_unit_test(rates_are_better_where_higher),
		cmocka_unit_test(failed_requests_are_left_out_and_counted),
		cmocka_unit_test(a_request_without_output_has_failed),
		cmocka_unit_test(labels_hold_the_load_and_the_metadata),
		cmocka_unit_test(without_samples_means_and_percentiles_are_figures),
		cmocka_unit_test(results_of_sglang_have_the_same_names),
		cmocka_unit_test(latency_and_throughput_results_are_read),
		cmocka_unit_test(means_of_llmperf_are_figures_and_labels),
		cmocka_unit_test(unknown_values_are_left_out_and_never_zero),
		cmocka_unit_test(malformed_numbers_are_counted),
		cmocka_unit_test(results_without_timing_are_refused),
		cmocka_unit_test(a_list_of_results_is_several_loads),
		cmocka_unit_test(a_batch_without_a_server_is_named),
		cmocka_unit_test(lists_of_other_types_or_lengths_are_refused),
		cmocka_unit_test(the_first_of_repeated_figures_counts),
		cmocka_unit_test(speculation_and_totals_are_kept),
		cmocka_unit_test(several_results_in_one_file_are_one_run_with_names),
		cmocka_unit_test(labels_tell_results_of_the_same_load_apart),
		cmocka_unit_test(a_result_without_an_answer_is_left_out_beside_others),
		cmocka_unit_test(damage_after_a_result_is_refused),
		cmocka_unit_test(a_result_without_a_rate_of_requests_is_recognised),
		cmocka_unit_test(a_result_cut_short_at_any_byte_is_refused),
		cmocka_unit_test(hostile_depth_is_refused_without_a_stack),
		cmocka_unit_test(too_many_figures_meet_a_limit),
		cmocka_unit_test(texts_beyond_the_limit_are_not_labels),
		cmocka_unit_test(gaps_beyond_the_limit_are_thinned_without_a_rhythm),
		cmocka_unit_test(results_are_known_by_their_keys),
		cmocka_unit_test(a_result_that_is_repeated_is_a_run_each_time),
		cmocka_unit_test(repeats_keep_the_order_of_the_file),
		cmocka_unit_test(repeats_are_runs_of_a_baseline_and_one_report),
		cmocka_unit_test(times_without_totals_are_read),
		cmocka_unit_test(llmperfs_summary_is_read),
		cmocka_unit_test(arguments_alone_are_refused_as_such),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
