/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the tables of results in console logs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA  "tests/data/console/"
#define TITLE "============ Serving Benchmark Result ============\n"
#define END   "==================================================\n"
#define TABLE(requests, ttft)                                                                      \
	TITLE "Successful requests:     " requests "  \nRequest throughput (req/s):   2.50\n"      \
	      "Mean TTFT (ms):    " ttft "\nP99.9 TTFT (ms):  90.5\nStd TTFT (ms): 3\n"

static const struct weir_reader *const reader = &weir_reader_bench_console;

static void a_table_of_vllm_becomes_figures_and_labels(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "vllm.txt", profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "request_throughput", 3.97, true, "1/s");
	reading_expects_figure(run, "output_throughput", 79.37, true, "tokens/s");
	reading_expects_figure(run, "total_token_throughput", 476.19, true, "tokens/s");
	reading_expects_figure(run, "median_ttft_ms", 47.97, false, "ms");
	reading_expects_figure(run, "mean_tpot_ms", 11.09, false, "ms");
	reading_expects_figure(run, "p99_itl_ms", 11.53, false, "ms");
	assert_int_equal(run->metrics.count, 12);
	assert_string_equal(weir_run_label(run, "model"), "org/m");
	assert_string_equal(weir_run_label(run, "request_rate"), "4.0");
	assert_string_equal(weir_run_label(run, "num_prompts"), "40");
	assert_null(weir_run_label(run, "max_concurrency"));
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 0);
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

static void totals_and_speculation_of_a_table_are_kept(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   TITLE
	                   "Successful requests: 30\nFailed requests: 2\n"
	                   "Maximum request concurrency: 20\nBenchmark duration (s): 130.68\n"
	                   "Total input tokens: 97924\nTotal generated tokens: 7680\n"
	                   "Total generated tokens (retokenized): 7601\n"
	                   "Request throughput (req/s): 0.23\n"
	                   "Output token throughput (tok/s): 58.77\n"
	                   "Peak output token throughput (tok/s): 100.00\n"
	                   "Peak concurrent requests: 23.00\nConcurrency: 15.96\n"
	                   "---------------Speculative Decoding---------------\n"
	                   "Acceptance rate (%): 77.22\nAcceptance length: 2.54\n"
	                   "Drafts: 3018\nPer-position acceptance (%):\n  Position 0: 84.00\n" END,
	                   profile)
			->run;
	static const char *const labels[][2] = {
		{"completed", "30"},
		{"failed", "2"},
		{"max_concurrency", "20"},
		{"duration_s", "130.68"},
		{"total_input_tokens", "97924"},
		{"total_output_tokens", "7680"},
		{"peak_output_throughput", "100"},
		{"peak_concurrency", "23"},
		{"mean_concurrency", "15.96"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
		assert_non_null(weir_run_label(run, labels[i][0]));
		assert_string_equal(weir_run_label(run, labels[i][0]), labels[i][1]);
	}
	reading_expects_figure(run, "output_throughput", 58.77, true, "tokens/s");
	reading_expects_figure(run, "acceptance_rate", 77.22, true, "%");
	reading_expects_figure(run, "acceptance_length", 2.54, true, "tokens");
	run = reading_of(reader,
	                 TITLE "Successful requests: 30\nRequest throughput (req/s): 2\n"
	                       "Accept length: 3.87\n" END,
	                 profile)
	              ->run;
	reading_expects_figure(run, "acceptance_length", 3.87, true, "tokens");
	weir_profile_free(profile);
}

#define LOADED(mean)                                                                               \
	TITLE "Successful requests: 40\nMax request concurrency: 4\n"                              \
	      "Benchmark duration (s): 20.00\nTotal input tokens: 4000\n"                          \
	      "Total generated tokens: 800\nRequest throughput (req/s): 2.00\n"                    \
	      "Output token throughput (tok/s): 40.00\nMean E2E Latency (ms): " mean "\n" END

static void totals_of_a_table_may_contradict_each_other(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, LOADED("2000.00"), profile);

	(void)state;
	assert_int_equal(input->warnings[WEIR_WARN_CONTRADICTION].count, 0);
	input = reading_of(reader, LOADED("2200.00"), profile);
	assert_int_equal(input->warnings[WEIR_WARN_CONTRADICTION].count, 1);
	assert_string_equal(input->warnings[WEIR_WARN_CONTRADICTION].detail,
	                    "40 requests of 2.20 s take 88.0 s, more than 4 at a time in 20.0 s");
	reading_expects_figure(input->run, "mean_e2el_ms", 2200, false, "ms");
	weir_profile_free(profile);
}

static void two_tables_are_one_run_with_names(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(reader, DATA "sglang_two.txt", profile)->run;

	(void)state;
	reading_expects_figure(run, "concurrency@8/mean_e2el_ms", 769.93, false, "ms");
	reading_expects_figure(run, "concurrency@8/p95_itl_ms", 40.5, false, "ms");
	reading_expects_figure(run, "concurrency@16/mean_ttft_ms", 105.5, false, "ms");
	assert_string_equal(weir_run_label(run, "backend"), "sglang");
	assert_string_equal(weir_run_label(run, "random_input_len"), "100");
	weir_profile_free(profile);
}

/* They are not conditions: results that differ in nothing else are repeats. */
static void counts_and_durations_of_each_table_are_labels(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		TABLE("90", "20.5") "Failed requests:  10\nBenchmark duration (s):  36.00\n" END
			TABLE("90", "30.5") "Failed requests:  12\n" END,
		profile);

	(void)state;
	reading_expects_label(input->run, "completed", "90");
	reading_expects_label(input->run, "load/failed", "10");
	reading_expects_label(input->run, "load/duration_s", "36");
	reading_expects_label(input->run, "load#2/failed", "12");
	reading_expects_label(input->run, "load#2/duration_s", NULL);
	assert_non_null(input->repeats);
	weir_profile_free(profile);
}

static void a_table_of_trtllm_bench_becomes_figures_and_labels(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(reader, DATA "trtllm.txt", profile)->run;

	(void)state;
	reading_expects_figure(run, "request_throughput", 10, true, "1/s");
	reading_expects_figure(run, "output_throughput", 110, true, "tokens/s");
	reading_expects_figure(run, "total_token_throughput", 230, true, "tokens/s");
	reading_expects_figure(run, "output_throughput_per_gpu", 55, true, "tokens/s");
	reading_expects_figure(run, "mean_e2el_ms", 750.5, false, "ms");
	reading_expects_figure(run, "p99_e2el_ms", 810.5, false, "ms");
	reading_expects_figure(run, "mean_ttft_ms", 50.5, false, "ms");
	reading_expects_figure(run, "median_tpot_ms", 69.5, false, "ms");
	reading_expects_figure(run, "min_tpot_ms", 60, false, "ms");
	reading_expects_figure(run, "max_e2el_ms", 820, false, "ms");
	assert_string_equal(weir_run_label(run, "mean_concurrency"), "7.5");
	assert_string_equal(weir_run_label(run, "mean_input_tokens"), "12");
	assert_string_equal(weir_run_label(run, "mean_output_tokens"), "11");
	assert_string_equal(weir_run_label(run, "duration_s"), "10");
	assert_string_equal(weir_run_label(run, "model"), "org/m");
	assert_string_equal(weir_run_label(run, "tp_size"), "2");
	assert_null(weir_run_label(run, "ep_size"));
	weir_profile_free(profile);
}

/* trtllm-bench of 0.16 calls the rate of output tokens "Token Throughput". */
static void the_old_token_throughput_is_that_of_output(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader,
	                                        "[07/11/2025-08:01:45] [TRT-LLM] [I] \n"
	                                        "= PERFORMANCE OVERVIEW \n"
	                                        "Number of requests:\t\t7500\n"
	                                        "Token Throughput (tokens/sec):\t3575.5\n"
	                                        "Request Throughput (req/sec):\t27.5\n",
	                                        profile)
	                                     ->run;

	(void)state;
	reading_expects_figure(run, "output_throughput", 3575.5, true, "tokens/s");
	assert_int_equal(run->metrics.count, 2);
	weir_profile_free(profile);
}

/* Its total counts output tokens alone: 100 tokens in 2 s, one request at a time. */
static void the_table_of_a_latency_benchmark_is_read(void **state)
{
	static const char text[] = "===========\n= GENERAL OVERVIEW\n===========\n"
				   "Number of requests:\t\t10\n"
				   "Average Input Length (tokens):\t400.0000\n"
				   "Average Output Length (tokens):\t100.0000\n"
				   "Average request latency (ms):\t2030.5\n"
				   "= THROUGHPUT OVERVIEW\n"
				   "Request Throughput (req/sec):\t\t  0.5000\n"
				   "Total Token Throughput (tokens/sec):\t  50.0000\n"
				   "Generation Token Throughput (tokens/sec): 50.5000\n"
				   "= LATENCY OVERVIEW\n"
				   "Average time-to-first-token (ms): 50.5\n"
				   "Average inter-token latency (ms): 20.0\n"
				   "= GENERATION LATENCY BREAKDOWN\nMIN (ms): 1\nP99 (ms): 3\n";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader, text, profile)->run;

	(void)state;
	assert_string_equal(reading_claims(text), reader->name);
	reading_expects_figure(run, "output_throughput", 50, true, "tokens/s");
	reading_expects_figure(run, "mean_e2el_ms", 2030.5, false, "ms");
	reading_expects_figure(run, "mean_ttft_ms", 50.5, false, "ms");
	reading_expects_figure(run, "mean_tpot_ms", 20, false, "ms");
	assert_int_equal(run->metrics.count, 5);
	weir_profile_free(profile);
}

static void a_table_needs_its_title_or_its_number_of_requests(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader,
	                                        "= PERFORMANCE OVERVIEW\nRequest Throughput "
	                                        "(req/sec):    43.25\n",
	                                        profile)
	                                     ->run;

	(void)state;
	reading_expects_figure(run, "request_throughput", 43.25, true, "1/s");
	reading_refuses(reader, "Request Throughput (req/sec): 43.25\n", WEIR_E_EMPTY,
	                "no table of results");
	weir_profile_free(profile);
}

static void rows_are_found_behind_what_a_log_writes_before_them(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   "(client pid=7) " TITLE "(client pid=7) Successful requests:   4\r\n"
	                   " 99%|#######9 | 3/4\rMean TTFT (ms):   20.5\r\n"
	                   "12:00:00 INFO | P99.9 TTFT (ms):  90.5\n"
	                   "UnSuccessful requests: 9\nPeak output token throughput (tok/s): 7\n" END
	                   "Mean TTFT (ms): 1\n",
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "mean_ttft_ms", 20.5, false, "ms");
	reading_expects_figure(run, "p99.9_ttft_ms", 90.5, false, "ms");
	assert_int_equal(run->metrics.count, 2);
	weir_profile_free(profile);
}

/* The table of benchmark_serving.py of early 2024, and of JetStream. */
static void a_unit_may_stand_behind_the_number(void **state)
{
	static const char text[] =
		"Successful requests: 40\nBenchmark duration: 20.5 s\n"
		"Total generated tokens: 800\nRequest throughput: 2.5 requests/s\n"
		"Input token throughput: 70.25 tokens/s\nMean TTFT: 20.5 ms\n"
		"P99 TTFT: 0.5 s\nMean TPOT: 5 parsecs\nMedian TPOT: x ms\n";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader, text, profile)->run;

	(void)state;
	assert_string_equal(reading_claims(text), reader->name);
	reading_expects_figure(run, "request_throughput", 2.5, true, "1/s");
	reading_expects_figure(run, "input_throughput", 70.25, true, "tokens/s");
	reading_expects_figure(run, "mean_ttft_ms", 20.5, false, "ms");
	reading_expects_figure(run, "p99_ttft_ms", 500, false, "ms");
	assert_null(weir_series_find(&run->metrics, "mean_tpot_ms"));
	assert_null(weir_series_find(&run->metrics, "median_tpot_ms"));
	weir_profile_free(profile);
	reading_survives_damage(reader, text);
}

/* docker and kubectl write a prefix before each line, also before the last one of the table. */
static void a_line_that_ends_a_table_may_have_the_prefix_of_its_title(void **state)
{
	static const struct {
		const char *end;
		bool whole;
	} cases[] = {
		{"bench-1  | " END, true},
		{END, true},
		{"bench-1  | =========\n", false},
		{"bench-1  | x=" END, false},
		{"bench-1  | ==== more " END, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input;
		char text[512];

		snprintf(text, sizeof(text),
		         "bench-1  | " TITLE "bench-1  | Successful requests: 4\n"
		         "bench-1  | Mean TTFT (ms): 20.5\n%s",
		         cases[i].end);
		input = reading_of(reader, text, profile);
		reading_expects_figure(input->run, "mean_ttft_ms", 20.5, false, "ms");
		assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, !cases[i].whole);
		weir_profile_free(profile);
	}
}

static void a_cut_table_is_read_with_a_warning(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, TABLE("4", "20.5") "Median TTFT (ms):   1", profile);

	(void)state;
	reading_expects_figure(input->run, "mean_ttft_ms", 20.5, false, "ms");
	assert_null(weir_series_find(&input->run->metrics, "median_ttft_ms"));
	assert_true(input->warnings[WEIR_WARN_TRUNCATED].count > 0);
	weir_profile_free(profile);
}

static void a_table_without_an_answer_counts_beside_others_only(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader, TABLE("0", "0.00") END TABLE("4", "20.5") END, profile)->run;

	(void)state;
	reading_expects_figure(run, "mean_ttft_ms", 20.5, false, "ms");
	reading_refuses(reader, TABLE("0", "0.00") END, WEIR_E_FORMAT, "no request completed");
	weir_profile_free(profile);
}

static void a_log_without_a_table_is_refused(void **state)
{
	(void)state;
	reading_refuses(reader, "Traffic request rate: inf\nConnectionError\n", WEIR_E_EMPTY,
	                "no table of results");
	reading_refuses(reader, "", WEIR_E_EMPTY, "no table of results");
	reading_refuses(reader,
	                "[TRT-LLM] [I] start\n[TRT-LLM] [E] CUDA out of memory. Tried\n"
	                "RuntimeError: closed\n",
	                WEIR_E_EMPTY, "first error is \"CUDA out of memory. Tried\"");
	reading_refuses(reader, "ValueError: no model\n", WEIR_E_EMPTY,
	                "first error is \"no model\"");
	/* Another program may use the title. */
	reading_refuses(reader, TITLE "Success Rate (Percent): 100\nLatency (ms) avg: 3\n",
	                WEIR_E_EMPTY, "no known row with a number: expected rows such as");
}

static void the_backend_of_a_command_line_is_a_label(void **state)
{
	static const char table[] = "Successful requests:  4\nBenchmark duration (s):  2\n"
				    "Request throughput (req/s):  2\nMean TTFT (ms):  5\n";
	static const struct {
		const char *command, *label;
	} cases[] = {
		{"python benchmark_serving.py --backend tgi --model m\n", "tgi"},
		{"vllm bench serve --backend=openai\n", "openai"},
		{"python benchmark_serving.py --backend\n", NULL},
		{"python benchmark_serving.py --backends tgi\n", NULL},
		{"python -m server --backend nccl\n", NULL},
		{"python benchmark_serving.py --backend "
	         "a-name-that-is-longer-than-any-backend-has\n",
	         NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};

		weir_text_printf(&text, "%s" TITLE "%s", cases[i].command, table);
		reading_expects_label(reading_of(reader, text.data, profile)->run, "backend",
		                      cases[i].label);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void logs_are_recognised_by_content(void **state)
{
	static const char *const logs[] = {
		("x\n" TITLE),
		"[07/11/2025-07:56:42] [TRT-LLM] [I] Preparing to run throughput benchmark...\n",
		"Successful requests:  4\nBenchmark duration (s):  2\n",
		"Namespace(backend='vllm', num_prompts=4, request_rate=inf)\n",
	};
	static const char *const others[] = {
		"{\"text\": \"Serving Benchmark Result\"}",
		"[\"Serving Benchmark Result\"]",
		"<html>Serving Benchmark Result</html>",
		"Successful requests: 4\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++)
		assert_string_equal(reading_claims(logs[i]), reader->name);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_string_equal(reading_claims(others[i]), "none");
	/* A result in JSON has samples. */
	assert_string_equal(reading_claims("<<<RESULT_START>>> " TITLE), "bench");
}

static void a_log_that_begins_with_a_bracket_is_not_json(void **state)
{
	static const char *const json[] = {"[1, 2", "[ -1.5e3]", "[null, 1", "[[", "[{\"a\"",
	                                   "[",     "[\"a",      "[]",       " {"};
	static const char *const text[] = {"[02/21/2021-22:49:52] [I] x",
	                                   "[TensorRT-LLM] x",
	                                   "[I] x",
	                                   "[info] x",
	                                   "[2026-01-01 12:00:00] x",
	                                   "x"};

	(void)state;
	for (size_t i = 0; i < sizeof(json) / sizeof(json[0]); i++)
		assert_true(weir_sniff_is_json(json[i], strlen(json[i])));
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		assert_false(weir_sniff_is_json(text[i], strlen(text[i])));
	assert_string_equal(weir_sniff_hint(text[0], strlen(text[0])),
	                    "it is text that no reader knows: weir formats lists the "
	                    "formats, --input-format NAME reads it as one of them");
}

/* Benchmarks without a server print lines in place of a table. */
static void lines_of_benchmarks_without_a_server_are_results(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(reader, DATA "offline.md", profile)->run;

	(void)state;
	reading_expects_figure(run, "load/backend@vllm/request_throughput", 10.2, true, "1/s");
	reading_expects_figure(run, "load/backend@vllm/total_token_throughput", 6528, true,
	                       "tokens/s");
	reading_expects_figure(run, "load/backend@vllm/output_throughput", 1305.6, true,
	                       "tokens/s");
	reading_expects_label(run, "load/backend@vllm/total_output_tokens", "12800");
	reading_expects_figure(run, "load/mean_latency_ms", 1250, false, "ms");
	reading_expects_figure(run, "load/median_latency_ms", 1240, false, "ms");
	reading_expects_figure(run, "load/p10_latency_ms", 1200, false, "ms");
	reading_expects_figure(run, "load/p99_latency_ms", 1500, false, "ms");
	reading_expects_figure(run, "request_rate@inf/backend@vllm/mean_ttft_ms", 150, false, "ms");
	weir_profile_free(profile);
}

/* Versions before 0.7 print the rate of all tokens alone. */
static void a_throughput_alone_is_a_result(void **state)
{
	static const char text[] = "Throughput: 30.25 requests/s, 19360.00 tokens/s\n";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, text, profile);

	(void)state;
	assert_string_equal(reading_claims(text), "bench-console");
	assert_string_equal(reading_claims("Avg latency: 1.2 seconds\n50% percentile latency: 1.1 "
	                                   "seconds\n"),
	                    "bench-console");
	reading_expects_figure(input->run, "request_throughput", 30.25, true, "1/s");
	reading_expects_figure(input->run, "total_token_throughput", 19360, true, "tokens/s");
	assert_int_equal(input->run->metrics.count, 2);
	weir_profile_free(profile);
}

/* Two of them without their arguments may differ in their options. */
static void throughputs_without_arguments_are_no_repeats(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   "Throughput: 30.25 requests/s, 19360.00 tokens/s\n"
	                   "Throughput: 40.5 requests/s, 25920.00 tokens/s\n",
	                   profile);

	(void)state;
	assert_null(input->repeats);
	reading_expects_figure(input->run, "load/request_throughput", 30.25, true, "1/s");
	reading_expects_figure(input->run, "load#2/request_throughput", 40.5, true, "1/s");
	weir_profile_free(profile);
}

static void arguments_of_other_datasets_are_no_labels(void **state)
{
	static const char text[] = "Namespace(dataset_name='%s', random_input_len=1024, "
				   "sonnet_input_len=550)\n" TABLE("4", "20.5") END;
	char whole[1024];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_run *run;

		snprintf(whole, sizeof(whole), text, i ? "sonnet" : "random");
		run = reading_of(reader, whole, profile)->run;
		reading_expects_label(run, "dataset_name", i ? "sonnet" : "random");
		reading_expects_label(run, "random_input_len", i ? NULL : "1024");
		reading_expects_label(run, "sonnet_input_len", i ? "550" : NULL);
		weir_profile_free(profile);
	}
}

static void headings_of_a_page_name_the_results(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"# Change\n\n```\nbench_serving --x\n```\n**this/change**:\n```\n" TABLE(
			"4", "20.5") "Max ITL (ms): 90.5\nConcurrency: 3.5\n" END
				     "```\nmain\n```\n" TABLE("4", "30.5") "Concurrency: 3.75\n" END
									   "```\n",
		profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "load/heading@this_change/mean_ttft_ms", 20.5, false, "ms");
	reading_expects_figure(run, "load/heading@this_change/max_itl_ms", 90.5, false, "ms");
	reading_expects_figure(run, "load/heading@main/mean_ttft_ms", 30.5, false, "ms");
	reading_expects_label(run, "load/heading@this_change/mean_concurrency", "3.5");
	reading_expects_label(run, "load/heading@main/mean_concurrency", "3.75");
	reading_expects_label(run, "completed", "4");
	assert_null(input->repeats);
	weir_profile_free(profile);
}

/* Headings that only count leave results repeats of each other. */
static void numbers_of_runs_are_no_headings(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, "## Run 1\n" TABLE("4", "20.5") END "## Run 2\n" TABLE("4", "21.5") END,
		profile);

	(void)state;
	assert_non_null(input->repeats);
	reading_expects_figure(input->run, "load#2/mean_ttft_ms", 21.5, false, "ms");
	weir_profile_free(profile);
}

/* A part of the table may name its times in its title alone. */
static void a_title_within_the_table_names_the_times(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(reader,
	                   TITLE "Successful requests: 4\nFailed requests: 0\nTotal output tokens: "
	                         "80\n----- E2E Latency (ms) -----\nMean: 950.5\nP99: "
	                         "1200.5\n----- Other -----\nMedian: 7\n" END,
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "mean_e2el_ms", 950.5, false, "ms");
	reading_expects_figure(run, "p99_e2el_ms", 1200.5, false, "ms");
	assert_int_equal(run->metrics.count, 2);
	reading_expects_label(run, "failed", "0");
	reading_expects_label(run, "total_output_tokens", "80");
	weir_profile_free(profile);
}

static void any_damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damage(reader, "Namespace(dataset_name='a')\nThroughput: 3.5 requests/s, "
	                                "7.5 total tokens/s, 2.5 output tokens/s\n# A\n```\n"
	                                "Avg latency: 1.5 seconds\n9% percentile latency: 1 "
	                                "seconds\n---E2E Latency (ms)---\nMean: 3\n");
	reading_survives_damage(reader, "Namespace(model='m', num_prompts=4)\nModel: m\n" TABLE(
						"4", "20.5") END TABLE("4", "1") END);
	reading_survives_damage(reader, "= ENGINE DETAILS\nModel:\tm\nNumber of requests:\t4\n"
	                                "Request Throughput (req/sec): 2\n[TTFT] P99 : 3\n");
}

static void each_overview_of_trtllm_bench_is_a_result(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA "trtllm_overviews.md", profile);

	(void)state;
	reading_expects_figure(input->run, "load/heading@Low latency/request_throughput", 0.5, true,
	                       "1/s");
	reading_expects_figure(input->run, "load/heading@High throughput/mean_ttft_ms", 1650, false,
	                       "ms");
	assert_int_equal(input->run->metrics.count, 14);
	assert_string_equal(input->tool, "trtllm-bench");
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_of_vllm_becomes_figures_and_labels),
		cmocka_unit_test(totals_and_speculation_of_a_table_are_kept),
		cmocka_unit_test(totals_of_a_table_may_contradict_each_other),
		cmocka_unit_test(two_tables_are_one_run_with_names),
		cmocka_unit_test(counts_and_durations_of_each_table_are_labels),
		cmocka_unit_test(a_table_of_trtllm_bench_becomes_figures_and_labels),
		cmocka_unit_test(the_old_token_throughput_is_that_of_output),
		cmocka_unit_test(the_table_of_a_latency_benchmark_is_read),
		cmocka_unit_test(a_table_needs_its_title_or_its_number_of_requests),
		cmocka_unit_test(rows_are_found_behind_what_a_log_writes_before_them),
		cmocka_unit_test(a_unit_may_stand_behind_the_number),
		cmocka_unit_test(a_line_that_ends_a_table_may_have_the_prefix_of_its_title),
		cmocka_unit_test(a_cut_table_is_read_with_a_warning),
		cmocka_unit_test(a_table_without_an_answer_counts_beside_others_only),
		cmocka_unit_test(a_log_without_a_table_is_refused),
		cmocka_unit_test(the_backend_of_a_command_line_is_a_label),
		cmocka_unit_test(logs_are_recognised_by_content),
		cmocka_unit_test(a_log_that_begins_with_a_bracket_is_not_json),
		cmocka_unit_test(lines_of_benchmarks_without_a_server_are_results),
		cmocka_unit_test(a_throughput_alone_is_a_result),
		cmocka_unit_test(throughputs_without_arguments_are_no_repeats),
		cmocka_unit_test(arguments_of_other_datasets_are_no_labels),
		cmocka_unit_test(headings_of_a_page_name_the_results),
		cmocka_unit_test(numbers_of_runs_are_no_headings),
		cmocka_unit_test(a_title_within_the_table_names_the_times),
		cmocka_unit_test(any_damage_is_survived),
		cmocka_unit_test(each_overview_of_trtllm_bench_is_a_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
