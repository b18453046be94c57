/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of SGLang's bench_one_batch: one batch without a server. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA       "tests/data/one_batch/"
#define PREFILL(s) "Prefill. latency: " s " s, throughput:   100.00 token/s\n"
#define DECODE(s)  "Decode.  median latency: " s " s, median throughput:    50.00 token/s\n"
#define TOTAL(s)   "Total. latency:  " s " s, throughput:    90.00 token/s\n"
#define RESULT(s, all)                                                                             \
	PREFILL(s) "Decode.  latency: 0.5 s, throughput: 7 token/s\n" DECODE("0.01") TOTAL(all)

static const struct weir_reader *const reader = &weir_reader_one_batch;

static void the_benchmark_is_told_from_its_warm_up(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(reader, DATA "console.log", profile)->run;

	(void)state;
	assert_int_equal(run->metrics.count, 6);
	reading_expects_figure(run, "prefill_latency_ms", 125, false, "ms");
	reading_expects_figure(run, "prefill_throughput", 4096, true, "tokens/s");
	reading_expects_figure(run, "median_decode_latency_ms", 10, false, "ms");
	reading_expects_figure(run, "median_decode_throughput", 400, true, "tokens/s");
	reading_expects_figure(run, "total_latency_ms", 281, false, "ms");
	reading_expects_figure(run, "total_token_throughput", 2049.82, true, "tokens/s");
	reading_expects_label(run, "warmup_prefill_latency_ms", "250");
	reading_expects_label(run, "warmup_total_latency_ms", "500");
	weir_profile_free(profile);
}

static void options_of_the_command_are_labels(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(reader, DATA "console.log", profile)->run;

	(void)state;
	reading_expects_label(run, "model", "example/model-8B");
	reading_expects_label(run, "batch_size", "4");
	reading_expects_label(run, "input_len", "128");
	reading_expects_label(run, "output_len", "16");
	reading_expects_label(run, "tp_size", "2");
	weir_profile_free(profile);
	profile = weir_profile_new();
	run = reading_of(reader,
	                 "sglang.bench_latency --batch 1 8 --input-len 4 --output 2 4 | tee "
	                 "x\n" RESULT("0.1", "0.2"),
	                 profile)
	              ->run;
	reading_expects_label(run, "batch_size", NULL); /* one of several values */
	reading_expects_label(run, "output_len", NULL);
	reading_expects_label(run, "input_len", "4");
	weir_profile_free(profile);
}

/* A log may begin behind the first line of the warm-up, or hold no warm-up at all. */
static void the_result_before_the_benchmark_is_the_warm_up(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   RESULT("0.1", "0.2") "# Benchmark ...\n" RESULT("0.3", "0.4")
	                           RESULT("0.5", "0.6") "Warmup ...\n" RESULT("0.7", "0.8"),
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "load/result@1/prefill_latency_ms", 300, false, "ms");
	reading_expects_figure(run, "load/result@2/prefill_latency_ms", 500, false, "ms");
	assert_int_equal(run->metrics.count, 12);
	weir_profile_free(profile);
	profile = weir_profile_new();
	run = reading_of(reader, "note\n" RESULT("0.1", "0.2"), profile)->run;
	reading_expects_figure(run, "total_latency_ms", 200, false, "ms");
	weir_profile_free(profile);
	reading_refuses(reader, "Warmup ...\n" RESULT("0.1", "0.2"), WEIR_E_EMPTY,
	                "but that of the warm-up");
}

static void the_size_of_the_batch_is_in_the_lines_of_steps(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(
			reader,
			PREFILL("0.1") "Decode 0. Batch size: 2, latency: 0.1 s, x\n" TOTAL("0.2")
				PREFILL("0.1") "Decode 0. Batch size: 8, latency: 0.1 s, x\n" TOTAL(
					"0.4"),
			profile)
			->run;

	(void)state;
	reading_expects_figure(run, "load/batch_size@2/total_latency_ms", 200, false, "ms");
	reading_expects_figure(run, "load/batch_size@8/total_latency_ms", 400, false, "ms");
	weir_profile_free(profile);
}

static void results_in_json_have_the_same_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(reader, DATA "results.jsonl", profile)->run;

	(void)state;
	assert_int_equal(run->metrics.count, 12);
	reading_expects_figure(run, "load/batch_size@8/prefill_latency_ms", 250, false, "ms");
	reading_expects_figure(run, "load/batch_size@8/median_decode_throughput", 512, true,
	                       "tokens/s");
	reading_expects_label(run, "input_len", "128");
	weir_profile_free(profile);
}

/* The first line of a result and the line between warm-up and benchmark may be cut out of a log. */
static void lines_that_are_missing_lose_no_result(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader,
	                                        RESULT("0.1", "0.2") DECODE("0.02") TOTAL("0.6")
	                                                DECODE("0.02") TOTAL("0.8"),
	                                        profile)
	                                     ->run;

	(void)state;
	reading_expects_figure(run, "load/result@1/total_latency_ms", 200, false, "ms");
	reading_expects_figure(run, "load/result@2/total_latency_ms", 600, false, "ms");
	reading_expects_figure(run, "load/result@3/total_latency_ms", 800, false, "ms");
	weir_profile_free(profile);
	profile = weir_profile_new();
	run = reading_of(reader, "Warmup ...\n" RESULT("0.1", "0.2") RESULT("0.3", "0.4"), profile)
	              ->run;
	reading_expects_label(run, "warmup_total_latency_ms", "200");
	reading_expects_figure(run, "total_latency_ms", 400, false, "ms");
	weir_profile_free(profile);
}

static void a_result_without_its_total_is_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, RESULT("0.1", "0.2") PREFILL("0.3") RESULT("0.5", "0.6") PREFILL("0.7"),
		profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 12);
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 2);
	weir_profile_free(profile);
	reading_refuses(reader, PREFILL("0.1"), WEIR_E_EMPTY, "did it end early?");
}

static void only_this_reader_claims_the_results(void **state)
{
	(void)state;
	assert_string_equal(reading_claims("max_total_num_tokens=9\n" RESULT("0.1", "0.2")),
	                    "sglang-one-batch");
	assert_string_equal(reading_claims("{\"prefill_latency\": 1, \"prefill_throughput\": 1, "
	                                   "\"total_latency\": 1, \"overall_throughput\": 1}\n"),
	                    "sglang-one-batch");
	assert_string_equal(reading_claims(PREFILL("0.1")), "none");
}

static void damaged_files_are_read_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(reader,
	                        "bench_one_batch --batch 2 \\\n--input=4\nWarmup ...\n" RESULT(
					"0.1", "0.2") "Benchmark ...\n" RESULT("0.3", "0.4"));
	reading_survives_damage(reader, "{\"batch_size\": 1, \"prefill_latency\": 1, \"x\": [1], "
	                                "\"prefill_throughput\": 1, \"total_latency\": 1, "
	                                "\"overall_throughput\": 1}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_benchmark_is_told_from_its_warm_up),
		cmocka_unit_test(options_of_the_command_are_labels),
		cmocka_unit_test(the_result_before_the_benchmark_is_the_warm_up),
		cmocka_unit_test(the_size_of_the_batch_is_in_the_lines_of_steps),
		cmocka_unit_test(results_in_json_have_the_same_figures),
		cmocka_unit_test(lines_that_are_missing_lose_no_result),
		cmocka_unit_test(a_result_without_its_total_is_left_out),
		cmocka_unit_test(only_this_reader_claims_the_results),
		cmocka_unit_test(damaged_files_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
