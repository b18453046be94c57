/* SPDX-License-Identifier: GPL-3.0-or-later */
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

#define SERVE_HEADER                                                                               \
	"backend,dataset_name,sharegpt_output_len,random_input_len,random_output_len,"             \
	"random_range_ratio,request_rate,completed,total_input_tokens,total_output_tokens,"        \
	"duration,request_throughput,input_throughput,output_throughput,mean_e2e_latency_ms,"      \
	"mean_ttft_ms,mean_tpot_ms,mean_itl_ms"
#define SERVE_ROW                                                                                  \
	"lmdeploy,random,,100,16,0.0,inf,40,4000,640,8.0,5.0,500.0,80.0,250.0,100.0,10.0,11.0"
#define OFFLINE                                                                                    \
	"dataset,concurrency,batch,num_promts,completed,total_input_tokens,total_output_tokens,"   \
	"duration,request_throughput,input_throughput,output_throughput,mean_e2e_latency_ms,"      \
	"mean_ttft_ms,mean_tpot_ms,mean_itl_ms\n"                                                  \
	"sharegpt,8,4,10,10,100,200,2.0,5.0,50.0,100.0,-,-,-,-\n"

static const struct weir_reader *const reader = &weir_reader_lmdeploy;

static void a_row_becomes_figures_and_labels(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, SERVE_HEADER "\r\n" SERVE_ROW "\r\n", profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "mean_e2el_ms", 250, false, "ms");
	reading_expects_figure(run, "mean_ttft_ms", 100, false, "ms");
	reading_expects_figure(run, "mean_tpot_ms", 10, false, "ms");
	reading_expects_figure(run, "mean_itl_ms", 11, false, "ms");
	reading_expects_figure(run, "input_throughput", 500, true, "tokens/s");
	reading_expects_figure(run, "request_throughput", 5, true, "1/s");
	assert_int_equal(run->metrics.count, 7);
	assert_string_equal(weir_run_label(run, "backend"), "lmdeploy");
	assert_string_equal(weir_run_label(run, "request_rate"), "inf");
	assert_string_equal(weir_run_label(run, "random_input_len"), "100");
	assert_null(weir_run_label(run, "sharegpt_output_len"));
	assert_null(weir_run_label(run, "completed"));
	assert_null(weir_run_label(run, "duration"));
	weir_profile_free(profile);
}

#define THROUGHPUT(load)                                                                           \
	"concurrency: " load "\nelapsed_time: 39.5s\n\n"                                           \
	"first token latency(s)(min, max, ave): 0.05, 4.0, 0.25\n"                                 \
	"per-token latency(s) percentile(50, 75, 95, 99): [0, 0.095, 0.165, 0.225]\n\n"            \
	"number of prompt tokens: 2000\nnumber of completion tokens: 1000\n"                       \
	"token throughput (completion token): 500.5 token/s\n"                                     \
	"token throughput (prompt + completion token): 1500.5 token/s\n"                           \
	"RPS (request per second): 2.5 req/s\nRPM (request per minute): 150.0 req/min\n"

/* The text of profile_throughput.py of 2023. */
static void a_block_of_text_becomes_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader, THROUGHPUT("8"), profile)->run;

	(void)state;
	assert_string_equal(reading_claims(THROUGHPUT("8")), reader->name);
	reading_expects_figure(run, "mean_ttft_ms", 250, false, "ms");
	reading_expects_figure(run, "p75_itl_ms", 95, false, "ms");
	reading_expects_figure(run, "p99_itl_ms", 225, false, "ms");
	reading_expects_figure(run, "output_throughput", 500.5, true, "tokens/s");
	reading_expects_figure(run, "total_token_throughput", 1500.5, true, "tokens/s");
	reading_expects_figure(run, "request_throughput", 2.5, true, "1/s");
	/* half of the tokens came with those before */
	reading_expects_figure(run, "median_itl_ms", 0, false, "ms");
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_ZERO_TIME].count, 1);
	reading_expects_figure(run, "min_ttft_ms", 50, false, "ms");
	reading_expects_figure(run, "max_ttft_ms", 4000, false, "ms");
	assert_int_equal(run->metrics.count, 10);
	assert_string_equal(weir_run_label(run, "concurrency"), "8");
	assert_string_equal(weir_run_label(run, "duration_s"), "39.5");
	assert_string_equal(weir_run_label(run, "total_input_tokens"), "2000");
	assert_string_equal(weir_run_label(run, "total_output_tokens"), "1000");
	weir_profile_free(profile);
}

/* The text of profile_generation.py; a second load is one more block. */
static void several_blocks_are_one_run_with_names(void **state)
{
	static const char text[] =
		"----------\ntotal time: 5.5s\nconcurrency: 1, test_round: 3\n"
		"input_tokens: 256, output_tokens: 128\n"
		"first_token latency(min, max, ave): 0.045s, 0.055s, 0.05s\n"
		"total_token latency(min, max, ave): 1.75s, 1.95s, 1.85s\n"
		"token_latency percentiles(50%,75%,95%,99%)(s): [0.014, 0.015, 0.02, 0.021]\n"
		"throughput(output): 69.5 token/s\nthroughput(total): 209.5 token/s\n----------\n";
	struct weir_profile *profile = weir_profile_new();
	struct weir_text both = {0};
	const struct weir_run *run = reading_of(reader, text, profile)->run;

	(void)state;
	assert_string_equal(reading_claims(text), reader->name);
	reading_expects_figure(run, "mean_e2el_ms", 1850, false, "ms");
	reading_expects_figure(run, "median_itl_ms", 14, false, "ms");
	reading_expects_figure(run, "output_throughput", 69.5, true, "tokens/s");
	assert_string_equal(weir_run_label(run, "input_tokens"), "256");
	assert_string_equal(weir_run_label(run, "output_tokens"), "128");
	weir_text_printf(&both, "%s%s", THROUGHPUT("8"), THROUGHPUT("16"));
	run = reading_of(reader, both.data, profile)->run;
	reading_expects_figure(run, "concurrency@8/request_throughput", 2.5, true, "1/s");
	reading_expects_figure(run, "concurrency@16/mean_ttft_ms", 250, false, "ms");
	weir_text_release(&both);
	weir_profile_free(profile);
	reading_survives_damage(reader, text);
	reading_survives_damage(reader, THROUGHPUT("8"));
	reading_refuses(reader, "concurrency: 8\nthroughput(output): 0 token/s\n", WEIR_E_EMPTY,
	                "no timing in this report");
}

static void unavailable_values_are_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, OFFLINE, profile);

	(void)state;
	assert_int_equal(input->run->metrics.count, 3);
	assert_string_equal(weir_run_label(input->run, "concurrency"), "8");
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
}

/* The program takes the mean of each request's ratio: 40 answers of 16 tokens imply 10 ms only if
 * all have the same length. */
static void a_time_per_token_is_the_mean_of_ratios(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, SERVE_HEADER "\nlmdeploy,random,,,,,1,40,4000,640,8,5,500,80,250,100,5,5\n",
		profile);

	(void)state;
	reading_expects_figure(input->run, "mean_tpot_ms", 5, false, "ms");
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 0);
	weir_profile_free(profile);
}

static void the_last_number_of_a_cut_line_is_dropped(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, SERVE_HEADER "\n" SERVE_ROW, profile);

	(void)state;
	assert_null(weir_series_find(&input->run->metrics, "mean_itl_ms"));
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
}

static void incomplete_tables_are_refused(void **state)
{
	(void)state;
	reading_refuses(reader, SERVE_HEADER "\nlmdeploy,random\n", WEIR_E_FORMAT,
	                "line 2: 2 columns, but its header has 18");
	reading_refuses(reader, SERVE_HEADER "\n", WEIR_E_EMPTY, "no result after its header");
	reading_refuses(reader, SERVE_ROW "\n", WEIR_E_FORMAT, "line 1: expected a header");
	reading_refuses(reader, SERVE_HEADER "\nx,y,,,,,1,0,0,0,8,0,0,0,0,0,0,0\n", WEIR_E_FORMAT,
	                "no request completed");
}

static void several_results_are_one_run_with_names(void **state)
{
	static const char second[] =
		"lmdeploy,random,,100,16,0.0,4,40,4000,640,9.0,4.5,500,80,260,90,10.0,11.0\n";
	static const char none[] =
		"lmdeploy,random,,100,16,0.0,8,0,4000,640,9.0,4.5,500,80,260,90,10.0,11.0\n";
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_run *run;

	(void)state;
	weir_text_printf(&text, "%s\n%s\n%s%s\n%s", SERVE_HEADER, SERVE_ROW, none, SERVE_HEADER,
	                 second);
	run = reading_of(reader, text.data, profile)->run;
	reading_expects_figure(run, "request_rate@inf/mean_e2el_ms", 250, false, "ms");
	reading_expects_figure(run, "request_rate@4/mean_e2el_ms", 260, false, "ms");
	assert_int_equal(run->metrics.count, 14);
	assert_string_equal(weir_run_label(run, "backend"), "lmdeploy");
	assert_null(weir_run_label(run, "request_rate"));
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void damage_is_read_around_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(reader, SERVE_HEADER "\n" SERVE_ROW "\n");
	reading_survives_damage(reader, OFFLINE);
}

static void tables_are_known_by_their_header(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(SERVE_HEADER "\n" SERVE_ROW "\n"), reader->name);
	assert_string_equal(reading_claims(OFFLINE), reader->name);
	assert_string_equal(reading_claims("completed,mean_ttft_ms\n1,2\n"), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_becomes_figures_and_labels),
		cmocka_unit_test(a_block_of_text_becomes_figures),
		cmocka_unit_test(several_blocks_are_one_run_with_names),
		cmocka_unit_test(unavailable_values_are_left_out),
		cmocka_unit_test(a_time_per_token_is_the_mean_of_ratios),
		cmocka_unit_test(the_last_number_of_a_cut_line_is_dropped),
		cmocka_unit_test(incomplete_tables_are_refused),
		cmocka_unit_test(several_results_are_one_run_with_names),
		cmocka_unit_test(damage_is_read_around_or_refused),
		cmocka_unit_test(tables_are_known_by_their_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
