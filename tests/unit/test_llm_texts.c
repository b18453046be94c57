/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results that benchmarks of language models print as tables and lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA "tests/data/llm_texts/"

/* ---- text-generation-benchmark ---- */

#define TGI_HEAD                                                                                   \
	"| Step | Batch Size | Average | Lowest | Highest | p50 | p90 | p99 |\n"                   \
	"|------|------------|---------|--------|---------|-----|-----|-----|\n"
#define TGI_ROW(step, size, ms)                                                                    \
	"| " step " | " size " | " ms " ms | 1.00 ms | 9.00 ms | 5.00 ms | 6.00 ms | 7.00 ms |\n"
#define TGI_RATES "| Step | Batch Size | Average | Lowest | Highest |\n"

static void each_batch_of_tgi_is_a_load(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(&weir_reader_tgi_benchmark, DATA "tgi.md", profile);
	const struct weir_run *run = input->run;

	(void)state;
	assert_int_equal(run->metrics.count, 48);
	reading_expects_figure(run, "load/batch_size@1/mean_prefill_latency_ms", 20, false, "ms");
	reading_expects_figure(run, "load/batch_size@4/p90_prefill_latency_ms", 26.5, false, "ms");
	reading_expects_figure(run, "load/batch_size@4/median_decode_token_latency_ms", 12.5, false,
	                       "ms");
	reading_expects_figure(run, "load/batch_size@4/max_decode_latency_ms", 195, false, "ms");
	reading_expects_figure(run, "load/batch_size@4/decode_throughput", 320, true, "tokens/s");
	reading_expects_figure(run, "load/batch_size@1/min_decode_throughput", 96.15, true,
	                       "tokens/s");
	/* one token for each sequence, not the tokens of the prompts */
	reading_expects_figure(run, "load/batch_size@4/first_token_throughput", 160, true,
	                       "tokens/s");
	reading_expects_label(run, "tokenizer", "example/tokenizer");
	reading_expects_label(run, "model", NULL);
	reading_expects_label(run, "input_len", "64");
	reading_expects_label(run, "output_len", "16");
	reading_expects_label(run, "temperature", NULL);
	assert_int_equal(input->warnings[WEIR_WARN_CONTRADICTION].count, 1);
	weir_profile_free(profile);
}

static void a_row_without_a_step_goes_on_with_the_step_above(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(&weir_reader_tgi_benchmark,
	                   TGI_HEAD TGI_ROW("Decode (token)", "1", "2.00") TGI_ROW("", "2", "3.00")
	                           TGI_ROW("Verify", "1", "4.00") TGI_ROW("", "2", "5.00"),
	                   profile)
			->run;

	(void)state;
	assert_int_equal(run->metrics.count, 12); /* none of the unknown step */
	reading_expects_figure(run, "load/batch_size@2/mean_decode_token_latency_ms", 3, false,
	                       "ms");
	weir_profile_free(profile);
}

static void two_reports_of_tgi_are_told_apart_by_headings(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(&weir_reader_tgi_benchmark,
	                   "# main\n" TGI_HEAD TGI_ROW("Prefill", "1", "2.00") TGI_RATES
	                   "| Decode | 1 | 5.00 tokens/secs | 4.00 tokens/secs | - |\n"
	                   "# fast\n" TGI_HEAD TGI_ROW("Prefill", "1", "3.00"),
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "load/heading@main/mean_prefill_latency_ms", 2, false, "ms");
	reading_expects_figure(run, "load/heading@main/decode_throughput", 5, true, "tokens/s");
	reading_expects_figure(run, "load/heading@fast/mean_prefill_latency_ms", 3, false, "ms");
	weir_profile_free(profile);
	reading_refuses(&weir_reader_tgi_benchmark, TGI_HEAD, WEIR_E_EMPTY, "below \"| Step |");
}

/* ---- C++ benchmarks of TensorRT-LLM ---- */

#define MANAGER(samples, errors, ms, rate)                                                         \
	"[BENCHMARK] num_samples " samples "\n[BENCHMARK] num_error_samples " errors "\n\n"        \
	"[BENCHMARK] num_samples " samples "\n[BENCHMARK] total_latency(ms) " ms "\n"              \
	"[BENCHMARK] seq_throughput(seq/sec) 2.00\n"                                               \
	"[BENCHMARK] token_throughput(token/sec) " rate "\n"

static void the_manager_states_requests_and_their_times(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(&weir_reader_trtllm_cpp, DATA "gpt_manager.log", profile);
	const struct weir_run *run = input->run;

	(void)state;
	assert_int_equal(run->metrics.count, 27);
	reading_expects_figure(run, "mean_e2el_ms", 1040, false, "ms");
	reading_expects_figure(run, "median_e2el_ms", 1010, false, "ms");
	reading_expects_figure(run, "max_e2el_ms", 1500, false, "ms");
	reading_expects_figure(run, "p99_ttft_ms", 88, false, "ms");
	reading_expects_figure(run, "mean_tpot_ms", 10, false, "ms");
	reading_expects_figure(run, "mean_request_queueing_ms", 3, false, "ms");
	reading_expects_figure(run, "output_throughput", 800, true, "tokens/s");
	reading_expects_figure(run, "request_throughput", 8, true, "1/s");
	reading_expects_label(run, "completed", "200"); /* printed twice */
	reading_expects_label(run, "failed", "4");
	reading_expects_label(run, "duration_s", "25"); /* not a latency */
	weir_profile_free(profile);
}

static void each_pair_of_lines_of_a_session_is_a_result(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_file(&weir_reader_trtllm_cpp, DATA "gpt_session.log", profile)->run;

	(void)state;
	assert_int_equal(run->metrics.count, 9);
	reading_expects_figure(run, "load/batch_size@8/mean_latency_ms", 320, false, "ms");
	reading_expects_figure(run, "load/batch_size@8/output_throughput", 500, true, "tokens/s");
	reading_expects_figure(run, "load/batch_size@1/peak_memory_gb", 15.5, false, "GB");
	assert_null(weir_series_find(&run->metrics, "load/batch_size@8/peak_memory_gb"));
	reading_expects_label(run, "input_len", "128");
	weir_profile_free(profile);
}

static void several_results_of_the_manager_are_not_mixed(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		&weir_reader_trtllm_cpp,
		"r: 1\n[TensorRT-LLM][INFO] " MANAGER("10", "0", "5000.00", "100.00")
			MANAGER("20", "1", "10000.00", "200.00") MANAGER("0", "5", "9.00", "nan"),
		profile);

	(void)state;
	reading_expects_figure(input->run, "load/output_throughput", 100, true, "tokens/s");
	reading_expects_figure(input->run, "load#2/output_throughput", 200, true, "tokens/s");
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 6);
	weir_profile_free(profile);
	reading_refuses(&weir_reader_trtllm_cpp, MANAGER("0", "5", "9.00", "nan"), WEIR_E_FORMAT,
	                "no request completed");
}

static void a_number_at_the_end_of_a_cut_log_is_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		&weir_reader_trtllm_cpp,
		MANAGER("10", "0", "5000.00", "100.00") "[BENCHMARK] avg_sequence_latency(ms) 12",
		profile);

	(void)state;
	assert_null(weir_series_find(&input->run->metrics, "mean_e2el_ms"));
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
}

/* ---- inference-benchmarker ---- */

static void the_warm_up_of_the_benchmarker_is_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(&weir_reader_inference_benchmarker,
	                                          DATA "inference_benchmarker.txt", profile)
	                                     ->run;

	(void)state;
	assert_int_equal(run->metrics.count, 12);
	reading_expects_figure(run, "request_rate@4/mean_e2el_ms", 1050, false, "ms");
	reading_expects_figure(run, "request_rate@4/mean_ttft_ms", 60, false, "ms");
	reading_expects_figure(run, "request_rate@4/mean_itl_ms", 10, false, "ms");
	reading_expects_figure(run, "request_rate@4/request_throughput", 3.9, true, "1/s");
	reading_expects_figure(run, "request_rate@inf/output_throughput", 900, true, "tokens/s");
	reading_expects_label(run, "request_rate@4/failed", "2");
	reading_expects_label(run, "request_rate@4/completed", "78");
	reading_expects_label(run, "max_vus", "64");
	reading_expects_label(run, "decode_options", NULL); /* N/A */
	reading_expects_label(run, "tokenizer", "example/model");
	weir_profile_free(profile);
}

static void the_warm_up_alone_is_no_result(void **state)
{
	(void)state;
	reading_refuses(&weir_reader_inference_benchmarker,
	                "| Benchmark | QPS | E2E Latency (avg) |\n"
	                "| warmup | 1.00 req/s | 1.00 sec |\n",
	                WEIR_E_EMPTY, "besides that of the warm-up");
}

/* ---- evalscope perf ---- */

static void lines_of_evalscope_are_seconds(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(&weir_reader_evalscope, DATA "evalscope_lines.md", profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "concurrency@4/mean_e2el_ms", 1150, false, "ms");
	reading_expects_figure(run, "concurrency@4/mean_ttft_ms", 100, false, "ms");
	reading_expects_figure(run, "concurrency@4/p99_ttft_ms", 200, false, "ms");
	reading_expects_figure(run, "concurrency@2/p66_e2el_ms", 1100, false, "ms");
	reading_expects_figure(run, "concurrency@2/output_throughput", 198, true, "tokens/s");
	reading_expects_label(run, "concurrency@2/failed", "1");
	/* its answers were not streamed, and 0.00505 s is one second over the throughput */
	assert_null(weir_series_find(&run->metrics, "concurrency@2/mean_ttft_ms"));
	assert_null(weir_series_find(&run->metrics, "concurrency@2/mean_tpot_ms"));
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 1);
	weir_profile_free(profile);
}

static void tables_of_evalscope_have_percentiles_by_row_or_column(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_file(&weir_reader_evalscope, DATA "evalscope_table.log", profile)->run;

	(void)state;
	assert_int_equal(run->metrics.count, 18);
	reading_expects_figure(run, "mean_tpot_ms", 9, false, "ms");
	reading_expects_figure(run, "median_ttft_ms", 60, false, "ms");
	reading_expects_figure(run, "p99_e2el_ms", 990, false, "ms");
	reading_expects_figure(run, "total_token_throughput", 637, true, "tokens/s");
	weir_profile_free(profile);
	profile = weir_profile_new();
	run = reading_file(&weir_reader_evalscope, DATA "evalscope_units.txt", profile)->run;
	reading_expects_figure(run, "mean_ttft_ms", 100, false, "ms");
	reading_expects_figure(run, "median_ttft_ms", 95, false, "ms");
	reading_expects_figure(run, "p99_e2el_ms", 2400, false, "ms");
	reading_expects_label(run, "completed", "200");
	reading_expects_label(run, "failed", "2");
	reading_expects_label(run, "concurrency", "10");
	reading_expects_label(run, "request_rate", NULL); /* -1: no limit */
	weir_profile_free(profile);
}

static void a_throughput_that_contradicts_its_requests_has_another_name(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_evalscope,
	                   "Benchmarking summary:\n Average QPS: 2.0\n Average latency: 1.0\n"
	                   "- Throughput(average output tokens per second): 400.0\n"
	                   " Average output tokens per request: 100.0\n",
	                   profile);

	(void)state;
	reading_expects_figure(input->run, "stated_output_throughput", 400, true, "tokens/s");
	assert_null(weir_series_find(&input->run->metrics, "output_throughput"));
	assert_int_equal(input->warnings[WEIR_WARN_CONTRADICTION].count, 1);
	weir_profile_free(profile);
}

static void a_table_of_percentiles_alone_is_a_result(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const char *text = "| Percentiles | TTFT (s) | ITL (s) | TPOT (s) | Latency (s) |\n"
			   "|---|---|---|---|---|\n| 90% | 0.1 | 0.02 | nan | 2.0 |\n";
	const struct weir_run *run = reading_of(&weir_reader_evalscope, text, profile)->run;

	(void)state;
	assert_string_equal(reading_claims(text), "evalscope");
	assert_int_equal(run->metrics.count, 3);
	reading_expects_figure(run, "p90_ttft_ms", 100, false, "ms");
	reading_expects_figure(run, "p90_e2el_ms", 2000, false, "ms");
	weir_profile_free(profile);
}

/* ---- MLX LM ---- */

static void averages_of_mlx_are_no_further_trial(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_file(&weir_reader_mlx_lm, DATA "mlx_benchmark.md", profile)->run;

	(void)state;
	assert_int_equal(run->metrics.count, 6);
	reading_expects_figure(run, "load/heading@bf16/prefill_throughput", 1010, true, "tokens/s");
	reading_expects_figure(run, "load/heading@4bit/decode_throughput", 62, true, "tokens/s");
	/* a fence follows without a blank */
	reading_expects_figure(run, "load/heading@4bit/peak_memory_gb", 1.2, false, "GB");
	reading_expects_label(run, "trials", "2");
	reading_expects_label(run, "input_len", "1024");
	reading_expects_label(run, "output_len", "64");
	reading_expects_label(run, "batch_size", "1");
	weir_profile_free(profile);
}

static void trials_without_averages_are_left_out(void **state)
{
	(void)state;
	reading_refuses(&weir_reader_mlx_lm,
	                "Timing with prompt_tokens=8, generation_tokens=4, batch_size=1.\n"
	                "Trial 1:  prompt_tps=1.0, generation_tps=2.0, peak_memory=3.0\n",
	                WEIR_E_EMPTY, "behind the trials");
}

static void mlx_generate_states_tokens_and_rates(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_file(&weir_reader_mlx_lm, DATA "mlx_generate.log", profile)->run;

	(void)state;
	assert_int_equal(run->metrics.count, 3);
	reading_expects_figure(run, "prefill_throughput", 310.5, true, "tokens/s");
	reading_expects_figure(run, "decode_throughput", 45.25, true, "tokens/s");
	reading_expects_figure(run, "peak_memory_gb", 4.375, false, "GB");
	reading_expects_label(run, "total_input_tokens", "24");
	reading_expects_label(run, "total_output_tokens", "100");
	weir_profile_free(profile);
	profile = weir_profile_new();
	run = reading_of(&weir_reader_mlx_lm,
	                 "Prompt: 5.5 tokens-per-sec\nGeneration: 6.5 tokens-per-sec\n"
	                 "Prompt: 7.5 tokens-per-sec\nPeak memory: 1.0 GB\n",
	                 profile)
	              ->run;
	reading_expects_figure(run, "load/prefill_throughput", 5.5, true, "tokens/s");
	reading_expects_figure(run, "load#2/prefill_throughput", 7.5, true, "tokens/s");
	weir_profile_free(profile);
}

/* ---- all ---- */

static void damaged_texts_are_read_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(&weir_reader_tgi_benchmark,
	                        "| Parameter | Value |\n| N Runs | 2 |\n" TGI_HEAD TGI_ROW(
					"Prefill", "1", "2.00") TGI_ROW("", "2", "3.00") TGI_RATES
	                        "| Prefill | 1 | 5.00 tokens/secs | 4.00 tokens/secs | - |\n");
	reading_survives_damage(
		&weir_reader_trtllm_cpp,
		MANAGER("10", "0", "5.00", "1.00")
			MANAGER("9", "1", "6.0",
	                        "2") "[BENCHMARK] p99_inter_token_latency(ms) 3.0\n"
				     "[BENCHMARK] batch_size 1 input_length 2 latency(ms) 3.0 x\n");
	reading_survives_damage(&weir_reader_inference_benchmarker,
	                        "| Parameter | Value |\n| Max VUs | 8 |\n"
	                        "| Benchmark | QPS | TTFT (avg) | Successful Requests |\n"
	                        "| constant@4.0req/s | 3.0 req/s | 9.0 ms | 3/4 |\n");
	reading_survives_damage(&weir_reader_evalscope,
	                        "Benchmarking summary:\n Average QPS: 2.0\n"
	                        " Percentile of request latency:\n p50: 1.0\n"
	                        "| Key | Value |\n| Total / Success / Failed | 3 / 2 / 1 |\n"
	                        "| Request Rate (req/s) | 2.0 |\n| Metric | 50% | 99% |\n"
	                        "| TTFT (ms) | 1.0 | 2.0 |\n| Percentiles | ITL (s) |\n"
	                        "| 50% | 0.1 |\n");
	reading_survives_damage(&weir_reader_mlx_lm,
	                        "Timing with prompt_tokens=8, generation_tokens=4, batch_size=1.\n"
	                        "Trial 1:  prompt_tps=1.0, generation_tps=2.0, peak_memory=3.0\n"
	                        "Averages: prompt_tps=1.0, generation_tps=2.0, peak_memory=3.0\n"
	                        "Prompt: 5 tokens, 5.5 tokens-per-sec\nPeak memory: 1.0 GB\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_batch_of_tgi_is_a_load),
		cmocka_unit_test(a_row_without_a_step_goes_on_with_the_step_above),
		cmocka_unit_test(two_reports_of_tgi_are_told_apart_by_headings),
		cmocka_unit_test(the_manager_states_requests_and_their_times),
		cmocka_unit_test(each_pair_of_lines_of_a_session_is_a_result),
		cmocka_unit_test(several_results_of_the_manager_are_not_mixed),
		cmocka_unit_test(a_number_at_the_end_of_a_cut_log_is_left_out),
		cmocka_unit_test(the_warm_up_of_the_benchmarker_is_left_out),
		cmocka_unit_test(the_warm_up_alone_is_no_result),
		cmocka_unit_test(lines_of_evalscope_are_seconds),
		cmocka_unit_test(tables_of_evalscope_have_percentiles_by_row_or_column),
		cmocka_unit_test(a_throughput_that_contradicts_its_requests_has_another_name),
		cmocka_unit_test(a_table_of_percentiles_alone_is_a_result),
		cmocka_unit_test(averages_of_mlx_are_no_further_trial),
		cmocka_unit_test(trials_without_averages_are_left_out),
		cmocka_unit_test(mlx_generate_states_tokens_and_rates),
		cmocka_unit_test(damaged_texts_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
