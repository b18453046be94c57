/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table that GenAI-Perf and AIPerf print. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define BAR "\xe2\x94\x82"
#define TOP "\xe2\x94\x83"

#define HEADER                                                                                     \
	"  NVIDIA GenAI-Perf | LLM Metrics\n" TOP " Statistic " TOP " avg " TOP " min " TOP        \
	" max " TOP " p99 " TOP " p90 " TOP " p75 " TOP "\n"
#define ROW(name, avg, p99, p90, p75)                                                              \
	BAR " " name " " BAR " " avg " " BAR " 1.00 " BAR " 9,999.00 " BAR " " p99 " " BAR " " p90 \
	    " " BAR " " p75 " " BAR "\n"
#define RATES(rate)                                                                                \
	BAR " Request Throughput (per sec) " BAR " " rate " " BAR " N/A " BAR " N/A " BAR          \
	    " N/A " BAR " N/A " BAR " N/A " BAR "\n"
#define LATENCY ROW("Request Latency (ms)", "1,605.00", "2,100.50", "1,900.00", "1,700.00")
#define BOTTOM  "\xe2\x94\x94\xe2\x94\x80\xe2\x94\x98\n"
#define FILES(load)                                                                                \
	"INFO  Generating artifacts/m-openai-chat-" load "/profile_export_genai_perf.json  e.py\n"

#define BLANKS                                                                                     \
	"NVIDIA GenAI-Perf | LLM Metrics\n"                                                        \
	"Statistic avg min max p99 p90 p75\n"                                                      \
	"Request Latency (ms) 1,605.00 1.00 9,999.00 2,100.50 1,900.00 1,700.00\n"                 \
	"Request Throughput (per sec) 4.50 N/A N/A N/A N/A N/A\n"

static const struct weir_reader *const genai = &weir_reader_genai_perf;

static void expect_latencies(const struct weir_run *run)
{
	reading_expects_figure(run, "mean_e2el_ms", 1605, false, "ms");
	reading_expects_figure(run, "p99_e2el_ms", 2100.5, false, "ms");
	reading_expects_figure(run, "p90_e2el_ms", 1900, false, "ms");
	reading_expects_figure(run, "p75_e2el_ms", 1700, false, "ms");
	reading_expects_figure(run, "request_throughput", 4.5, true, "1/s");
}

static void the_printed_table_is_read_like_its_csv(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(genai, "log line\n" HEADER LATENCY RATES("4.50") BOTTOM, profile);

	(void)state;
	expect_latencies(input->run);
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
}

static void a_table_without_its_lines_is_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(genai, BLANKS, profile);

	(void)state;
	expect_latencies(input->run);
	weir_profile_free(profile);
	profile = weir_profile_new();
	input = reading_of(genai, BLANKS "done in 1 2 3 4 5 6 s\nx\n", profile);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
}

static void a_name_in_two_rows_is_one_name(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		genai,
		HEADER ROW("Time to First Token", "8.00", "9.00", "8.80", "8.50") BAR
		" (ms) " BAR " " BAR " " BAR " " BAR " " BAR " " BAR " " BAR "\n" LATENCY BOTTOM,
		profile);

	(void)state;
	reading_expects_figure(input->run, "mean_ttft_ms", 8, false, "ms");
	reading_expects_figure(input->run, "mean_e2el_ms", 1605, false, "ms");
	weir_profile_free(profile);
}

static void the_path_of_the_files_states_the_load(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		genai, HEADER LATENCY RATES("4.50") BOTTOM FILES("concurrency10"), profile);

	(void)state;
	reading_expects_label(input->run, "concurrency", "10");
	weir_profile_free(profile);
	profile = weir_profile_new();
	input = reading_of(genai, HEADER LATENCY BOTTOM FILES("request_rate2.5"), profile);
	reading_expects_label(input->run, "request_rate", "2.5");
	weir_profile_free(profile);
	profile = weir_profile_new();
	input = reading_of(genai, HEADER LATENCY BOTTOM FILES("concurrency"), profile);
	reading_expects_label(input->run, "concurrency", NULL);
	weir_profile_free(profile);
}

static void several_tables_are_one_run_of_several_loads(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(genai,
	                   HEADER LATENCY RATES("4.50") BOTTOM FILES("concurrency1")
	                           HEADER LATENCY RATES("7.50") BOTTOM FILES("concurrency2"),
	                   profile);

	(void)state;
	reading_expects_figure(input->run, "concurrency@1/request_throughput", 4.5, true, "1/s");
	reading_expects_figure(input->run, "concurrency@2/request_throughput", 7.5, true, "1/s");
	assert_null(input->repeats);
	weir_profile_free(profile);
}

/* Early versions name no file behind the table: the command before it states the load. */
#define COMMAND(load)                                                                              \
	"genai-perf profile -m m --service-kind triton \\\n  --concurrency " load " \\\n"          \
	"[INFO] Running Perf Analyzer : 'perf_analyzer -m m --profile-export-file "                \
	"artifacts/m-triton-vllm-concurrency" load                                                 \
	"/profile_export.json --concurrency-range " load "'\n"
#define PRINTED(tokens, requests)                                                                  \
	"Output token throughput (per sec): " tokens "\nRequest throughput (per sec): " requests   \
	"\n"

static void the_command_before_a_table_states_its_load(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(genai,
	                   COMMAND("8") HEADER LATENCY BOTTOM PRINTED("500.5", "4.5") COMMAND("16")
	                           HEADER LATENCY BOTTOM PRINTED("900.5", "1,007.5"),
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "concurrency@8/mean_e2el_ms", 1605, false, "ms");
	reading_expects_figure(run, "concurrency@8/output_throughput", 500.5, true, "tokens/s");
	reading_expects_figure(run, "concurrency@8/request_throughput", 4.5, true, "1/s");
	reading_expects_figure(run, "concurrency@16/output_throughput", 900.5, true, "tokens/s");
	reading_expects_figure(run, "concurrency@16/request_throughput", 1007.5, true, "1/s");
	reading_expects_label(run, "service_kind", "triton");
	weir_profile_free(profile);
	profile = weir_profile_new();
	run = reading_of(genai,
	                 "genai-perf profile --request-rate=2.5\n" HEADER LATENCY BOTTOM
	                 "genai-perf profile --concurrency 16\n",
	                 profile)
	              ->run;
	reading_expects_label(run, "request_rate", "2.5");
	reading_expects_label(run, "concurrency", NULL);
	weir_profile_free(profile);
	reading_survives_damage(genai, COMMAND("8") HEADER LATENCY BOTTOM PRINTED("500.5", "4.5"));
}

static void a_range_of_loads_and_other_options_state_no_load(void **state)
{
	static const char *const commands[] = {
		"perf_analyzer -m m --concurrency-range 1:8\n", "aiperf profile --concurrency\n",
		"aiperf profile --concurrency-ramp-duration 5\n", "genai-perf profile -m m\n"};

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		const struct weir_run *run;

		weir_text_printf(&text, "%s%s", commands[i], HEADER LATENCY BOTTOM);
		run = reading_of(genai, text.data, profile)->run;
		reading_expects_label(run, "concurrency", NULL);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void the_command_that_aiperf_repeats_is_of_the_table_before_it(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(genai,
	                   HEADER LATENCY RATES("4.50") BOTTOM
	                   "CLI Command: aiperf profile --model m\n--concurrency 4\n"
	                   "Benchmark Duration: 11.5 sec\n" HEADER LATENCY RATES("7.50") BOTTOM
	                   "CLI Command: aiperf profile --concurrency 8\n",
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "concurrency@4/request_throughput", 4.5, true, "1/s");
	reading_expects_figure(run, "concurrency@8/request_throughput", 7.5, true, "1/s");
	weir_profile_free(profile);
}

static void cells_that_an_ellipsis_cuts_have_no_value(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		genai,
		HEADER ROW("Request Latency (ms)", "1,9\xe2\x80\xa6", "2,1...", "1,900.00",
	                   "1\xe2\x80\xa6") ROW("Image Count", "1\xe2\x80\xa6", "2", "3", "4"),
		profile);

	(void)state;
	reading_expects_figure(input->run, "p90_e2el_ms", 1900, false, "ms");
	assert_int_equal(input->run->metrics.count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_CUT_VALUE].count, 3);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
}

static void a_throughput_without_an_end_is_not_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		genai, HEADER LATENCY BOTTOM "Request throughput (per sec): 4.", profile);

	(void)state;
	assert_null(weir_series_find(&input->run->metrics, "request_throughput"));
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
}

static void tables_of_unknown_loads_are_no_repeats(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		genai, HEADER LATENCY RATES("4.50") BOTTOM HEADER LATENCY RATES("7.50") BOTTOM,
		profile);

	(void)state;
	reading_expects_figure(input->run, "load/table@1/request_throughput", 4.5, true, "1/s");
	reading_expects_figure(input->run, "load/table@2/request_throughput", 7.5, true, "1/s");
	assert_null(input->repeats);
	weir_profile_free(profile);
}

static void malformed_and_cut_rows_are_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(genai,
	                   HEADER LATENCY ROW("Time To First Token (ms)", "1,2\xe2\x80\xa6", "x",
	                                      "3.00", "2.00"),
	                   profile);

	(void)state;
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	reading_expects_figure(input->run, "p90_ttft_ms", 3, false, "ms");
	weir_profile_free(profile);
	profile = weir_profile_new();
	input = reading_of(genai, HEADER LATENCY BAR " Request Throughput (per sec) " BAR " 4.",
	                   profile);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	assert_null(weir_series_find(&input->run->metrics, "request_throughput"));
	weir_profile_free(profile);
}

static void only_a_header_and_a_metric_make_the_table(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(HEADER LATENCY), "genai_perf");
	assert_string_equal(reading_claims(BLANKS), "genai_perf");
	assert_string_equal(reading_claims(HEADER), "none");
	assert_string_equal(reading_claims(LATENCY), "none");
	assert_string_equal(reading_claims(HEADER ROW("Colour (ms)", "1", "2", "3", "4")), "none");
	assert_string_equal(reading_claims("Statistic avg min\nRequest Latency (ms) 1 2\n"),
	                    "none");
}

static void a_table_without_a_number_is_refused(void **state)
{
	(void)state;
	reading_refuses(genai, HEADER ROW("Request Latency (ms)", "N/A", "N/A", "N/A", "N/A"),
	                WEIR_E_EMPTY, "profile_export_genai_perf.json");
	reading_refuses(genai,
	                HEADER BAR " Request Count (count) " BAR " 3 " BAR " N/A " BAR " N/A " BAR
	                           " N/A " BAR " N/A " BAR " N/A " BAR "\n",
	                WEIR_E_EMPTY, "no timing in this table");
}

static void the_sample_and_every_damage_of_it(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(genai, "tests/data/genai_perf/console.txt", profile);

	(void)state;
	reading_expects_figure(input->run, "mean_ttft_ms", 90, false, "ms");
	reading_expects_label(input->run, "concurrency", "4");
	weir_profile_free(profile);
	reading_survives_damage(genai, HEADER LATENCY RATES("4.50") BOTTOM FILES("concurrency1"));
	reading_survives_damage(genai, BLANKS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_printed_table_is_read_like_its_csv),
		cmocka_unit_test(a_table_without_its_lines_is_read),
		cmocka_unit_test(a_name_in_two_rows_is_one_name),
		cmocka_unit_test(the_path_of_the_files_states_the_load),
		cmocka_unit_test(several_tables_are_one_run_of_several_loads),
		cmocka_unit_test(the_command_before_a_table_states_its_load),
		cmocka_unit_test(a_range_of_loads_and_other_options_state_no_load),
		cmocka_unit_test(the_command_that_aiperf_repeats_is_of_the_table_before_it),
		cmocka_unit_test(cells_that_an_ellipsis_cuts_have_no_value),
		cmocka_unit_test(a_throughput_without_an_end_is_not_read),
		cmocka_unit_test(tables_of_unknown_loads_are_no_repeats),
		cmocka_unit_test(malformed_and_cut_rows_are_counted),
		cmocka_unit_test(only_a_header_and_a_metric_make_the_table),
		cmocka_unit_test(a_table_without_a_number_is_refused),
		cmocka_unit_test(the_sample_and_every_damage_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
