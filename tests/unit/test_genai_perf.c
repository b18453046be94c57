/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/shelf.h"
#include "tests/unit/summaries.h"

#define SAMPLE "samples/perf_analyzer/genai_perf_expected_streaming.csv"

#define TABLES                                                                                     \
	"Metric,avg,min,max,p99,p95,p90,p75,p50,p25\r\n"                                           \
	"Time To First Token (ms),8.00,7.00,9.00,8.98,8.90,8.80,8.50,8.10,7.50\r\n"                \
	"Request Latency (ms),\"1,605.00\",4.00,6.00,\"12,345.98\",5.90,5.80,5.50,5.00,4.50\r\n"   \
	"Inter Token Latency (ms),11.00,None,N/A,,nan,-,11.50,11.00,10.50\r\n"                     \
	"Output Sequence Length (tokens),146.20,1.00,3.00,2.98,2.90,2.80,2.50,2.00,1.50\r\n"       \
	"\r\n"                                                                                     \
	"Metric,Value\r\n"                                                                         \
	"Output Token Throughput (tokens/sec),\"1,456.00\"\r\n"                                    \
	"Request Throughput (per sec),123.00\r\n"                                                  \
	"Request Count (count),3.00\r\n"

#define OBJECT                                                                                     \
	"{\"request_throughput\": {\"unit\": \"requests/sec\", \"avg\": 9.9}, "                    \
	"\"request_latency\": {\"unit\": \"ms\", \"avg\": 1604.3, \"p50\": 1588.0, \"p1\": 5, "    \
	"\"p99\": 2104.1, \"std\": 201.4}, \"request_count\": {\"unit\": \"requests\", "           \
	"\"avg\": 594}"

static const struct weir_reader *const genai = &weir_reader_genai_perf;

static void tables_become_figures(void **state)
{
	struct summary_case summary = summary_new(genai);

	(void)state;
	summary_read(&summary, TABLES);
	summary_expect(&summary, "mean_ttft_ms", 8, "ms");
	summary_expect(&summary, "median_ttft_ms", 8.1, "ms");
	summary_expect(&summary, "p75_ttft_ms", 8.5, "ms");
	summary_expect(&summary, "p99_ttft_ms", 8.98, "ms");
	summary_expect(&summary, "request_throughput", 123, "1/s");
	assert_int_equal(summary.input->run->stages.count, 0); /* means are not samples */
	summary_expect_warning(&summary, WEIR_WARN_MEANS_ONLY, 1);
	summary_expect_warning(&summary, WEIR_WARN_BAD_NUMBER, 0);
	summary_free(&summary);
}

static void thousands_have_separators(void **state)
{
	struct summary_case summary = summary_new(genai);

	(void)state;
	summary_read(&summary, TABLES);
	summary_expect(&summary, "mean_e2el_ms", 1605, "ms");
	summary_expect(&summary, "p99_e2el_ms", 12345.98, "ms");
	summary_expect(&summary, "output_throughput", 1456, "tokens/s");
	summary_free(&summary);
}

static void statistics_without_a_value_are_left_out(void **state)
{
	struct summary_case summary = summary_new(genai);

	(void)state;
	summary_read(&summary, TABLES);
	summary_expect(&summary, "mean_tpot_ms", 11, "ms");
	summary_expect(&summary, "p99_tpot_ms", 0, NULL);
	summary_expect(&summary, "p95_tpot_ms", 0, NULL);
	summary_expect(&summary, "p90_tpot_ms", 0, NULL);
	summary_free(&summary);
}

static void a_negative_goodput_is_left_out(void **state)
{
	struct summary_case summary = summary_new(genai);

	(void)state;
	summary_read(&summary, TABLES "Request Goodput (per sec),-1.00\r\n");
	summary_expect(&summary, "request_goodput", 0, NULL);
	summary_expect_warning(&summary, WEIR_WARN_BAD_NUMBER, 1);
	summary_free(&summary);
}

static void tables_of_telemetry_are_not_read(void **state)
{
	struct summary_case summary = summary_new(genai);

	(void)state;
	summary_read(&summary,
	             TABLES "\r\nMetric,GPU,avg,p99\r\nRequest Latency (ms),gpu0,99,99\r\n"
	                    "\r\nEndpoint,Metric,avg\r\nTime To First Token (ms),1,1\r\n");
	summary_expect(&summary, "mean_e2el_ms", 1605, "ms");
	summary_expect_warning(&summary, WEIR_WARN_DUPLICATE, 0);
	summary_free(&summary);
}

static void malformed_rows_and_numbers_are_counted(void **state)
{
	struct summary_case summary = summary_new(genai);

	(void)state;
	summary_read(&summary, TABLES "\n\nMetric,avg,p99,p90\nTime to Second Token (ms),1,2\n"
	                              "Inter Chunk Latency (ms),1.5,many,2.5\n"
	                              "Inter Chunk Latency (parsecs),1.5,1.5,1.5\n");
	summary_expect_warning(&summary, WEIR_WARN_RAGGED_ROW, 1);
	summary_expect_warning(&summary, WEIR_WARN_BAD_NUMBER, 1 + 3);
	summary_expect(&summary, "mean_itl_ms", 1.5, "ms");
	summary_expect(&summary, "p99_itl_ms", 0, NULL);
	summary_free(&summary);
}

static void objects_become_figures(void **state)
{
	struct summary_case summary = summary_new(genai);

	(void)state;
	summary_read(&summary, OBJECT "}");
	summary_expect(&summary, "mean_e2el_ms", 1604.3, "ms");
	summary_expect(&summary, "median_e2el_ms", 1588, "ms");
	summary_expect(&summary, "p99_e2el_ms", 2104.1, "ms");
	summary_expect(&summary, "request_throughput", 9.9, "1/s");
	assert_int_equal(summary.input->run->metrics.count, 4);
	summary_free(&summary);
}

static void lengths_that_miss_the_wanted_one_are_labels(void **state)
{
	struct summary_case summary = summary_new(genai);

	(void)state;
	summary_read(&summary,
	             OBJECT ", \"osl_mismatch_count\": {\"unit\": \"requests\", \"avg\": 90.0}, "
	                    "\"osl_mismatch_diff_pct\": {\"unit\": \"%\", \"avg\": -73.5}}");
	assert_string_equal(weir_run_label(summary.input->run, "output_length_missed"), "90");
	assert_string_equal(weir_run_label(summary.input->run, "output_length_difference_pct"),
	                    "-73.5");
	summary_expect_warning(&summary, WEIR_WARN_BAD_NUMBER, 0);
	summary_read(&summary, "Metric,avg,min,max\nOSL Mismatch Diff % (%),-73.5,-98,-20\n"
	                       "Request Latency (ms),5,4,6\n\nMetric,Value\n"
	                       "OSL Mismatch Count,96.00\nRequest Count,96.00\n");
	assert_string_equal(weir_run_label(summary.input->run, "output_length_missed"), "96");
	assert_string_equal(weir_run_label(summary.input->run, "output_length_difference_pct"),
	                    "-73.5");
	summary_free(&summary);
}

static void values_are_read_in_their_stated_unit(void **state)
{
	struct summary_case summary = summary_new(genai);

	(void)state;
	summary_read(&summary,
	             OBJECT ", \"time_to_first_token\": {\"avg\": 0.5, \"p99\": 1.25, \"unit\": "
	                    "\"s\"}, \"inter_token_latency\": {\"unit\": \"us\", \"avg\": 12250}, "
	                    "\"inter_chunk_latency\": {\"unit\": \"ns\", \"avg\": 12400000}, "
	                    "\"time_to_second_token\": {\"avg\": 5}, \"output_token_throughput\": "
	                    "{\"unit\": \"tokens/min\", \"avg\": 5}}");
	summary_expect(&summary, "mean_ttft_ms", 500, "ms");
	summary_expect(&summary, "p99_ttft_ms", 1250, "ms");
	summary_expect(&summary, "mean_tpot_ms", 12.25, "ms");
	summary_expect(&summary, "mean_itl_ms", 12.4, "ms");
	summary_expect(&summary, "mean_ttst_ms", 0, NULL);
	summary_expect(&summary, "output_throughput", 0, NULL);
	summary_expect_warning(&summary, WEIR_WARN_BAD_NUMBER, 2);
	summary_free(&summary);
}

static void the_first_of_equal_keys_counts(void **state)
{
	struct summary_case summary = summary_new(genai);

	(void)state;
	summary_read(&summary, OBJECT ", \"request_latency\": {\"unit\": \"ms\", \"avg\": 4.9}, "
	                              "\"request_goodput\": null}");
	summary_expect(&summary, "mean_e2el_ms", 1604.3, "ms");
	summary_expect_warning(&summary, WEIR_WARN_DUPLICATE, 1);
	summary_free(&summary);
}

static void labels_hold_the_load_and_no_secret(void **state)
{
	struct summary_case summary = summary_new(genai);
	const struct weir_run *run;

	(void)state;
	summary_read(&summary,
	             OBJECT ", \"input_config\": {\"endpoint\": {\"model_names\": [\"m\"], "
	                    "\"type\": \"chat\", \"api_key\": \"k\", \"streaming\": true}, "
	                    "\"loadgen\": {\"concurrency\": 16, \"request_rate\": null}}, "
	                    "\"was_cancelled\": false}");
	run = summary.input->run;
	assert_string_equal(weir_run_label(run, "concurrency"), "16");
	assert_string_equal(weir_run_label(run, "endpoint_type"), "chat");
	assert_string_equal(weir_run_label(run, "streaming"), "true");
	assert_string_equal(weir_run_label(run, "completed"), "594");
	assert_int_equal(run->label_count, 4);
	summary_free(&summary);
	summary = summary_new(genai);
	summary_read(&summary, OBJECT ", \"was_cancelled\": true}");
	assert_string_equal(weir_run_label(summary.input->run, "was_cancelled"), "true");
	summary_free(&summary);
}

static void failures_are_counted_once(void **state)
{
	struct summary_case summary = summary_new(genai);

	(void)state;
	summary_read(&summary,
	             OBJECT ", \"error_summary\": [{\"error_details\": {\"code\": 503}, \"count\": "
	                    "4}, {\"count\": 2}, 7], \"error_request_count\": {\"avg\": 6}}");
	summary_expect_warning(&summary, WEIR_WARN_FAILED_REQUEST, 6);
	summary_free(&summary);
}

/* Expects a number of contradictions in an object of AIPerf with these members. */
static void expect_contradictions(const char *members, uint64_t count)
{
	struct summary_case summary = summary_new(genai);
	struct weir_text text = {0};

	weir_text_printf(&text,
	                 "{\"request_latency\": {\"unit\": \"ms\", \"avg\": 1000}, "
	                 "\"request_count\": {\"avg\": 40}, %s}",
	                 members);
	summary_read(&summary, text.data);
	summary_expect_warning(&summary, WEIR_WARN_CONTRADICTION, count);
	weir_text_release(&text);
	summary_free(&summary);
}

#define SECONDS_10         "\"benchmark_duration\": {\"unit\": \"sec\", \"avg\": 10}"
#define RATE(name, value)  "\"" name "\": {\"unit\": \"1/sec\", \"avg\": " value "}"
#define COUNT(name, value) "\"" name "\": {\"avg\": " value "}"

static void totals_of_aiperf_are_checked(void **state)
{
	(void)state;
	expect_contradictions(SECONDS_10 "," RATE("request_throughput", "4.19"), 0);
	expect_contradictions(SECONDS_10 "," RATE("request_throughput", "4.21"), 1);
	expect_contradictions("\"benchmark_duration\": {\"unit\": \"ms\", \"avg\": 10000}," RATE(
				      "request_throughput", "3.81"),
	                      0);
	expect_contradictions(SECONDS_10 "," COUNT("total_osl", "4000") "," RATE(
				      "output_token_throughput", "419"),
	                      0);
	expect_contradictions(SECONDS_10 "," COUNT("total_osl", "4000") "," RATE(
				      "output_token_throughput", "421"),
	                      1);
	expect_contradictions(
		SECONDS_10 "," COUNT("total_isl", "6000") "," COUNT("total_osl", "4000") "," RATE(
			"total_token_throughput", "1051"),
		1);
	expect_contradictions(COUNT("good_request_count", "40"), 0);
	expect_contradictions(COUNT("good_request_count", "41"), 1);
	expect_contradictions(
		SECONDS_10 "," COUNT("good_request_count", "20") "," RATE("goodput", "2.11"), 1);
	/* 40 requests of 1 s in 10 s are at least 4 at a time. */
	expect_contradictions(SECONDS_10 ", \"input_config\": {\"loadgen\": {\"concurrency\": 4}}",
	                      0);
	expect_contradictions(SECONDS_10 ", \"input_config\": {\"loadgen\": {\"concurrency\": 3}}",
	                      1);
	expect_contradictions(
		SECONDS_10 ", \"input_config\": {\"loadgen\": {\"concurrency\": null}}", 0);
}

static void totals_of_genai_perf_are_checked_without_a_duration(void **state)
{
	struct summary_case summary = summary_new(genai);

	(void)state;
	expect_contradictions(COUNT("output_sequence_length",
	                            "100") "," RATE("request_throughput",
	                                            "4") "," RATE("output_token_throughput", "419"),
	                      0);
	expect_contradictions(COUNT("output_sequence_length",
	                            "100") "," RATE("request_throughput",
	                                            "4") "," RATE("output_token_throughput", "421"),
	                      1);
	/* Tables have two decimals: 0.01 requests/s may be 0.0149. */
	summary_read(&summary, "Metric,avg,p99,p95\nRequest Latency (ms),5,6,7\n"
	                       "Output Sequence Length (tokens),100,1,1\n\nMetric,Value\n"
	                       "Output Token Throughput (per sec),1.49\n"
	                       "Request Throughput (per sec),0.01\n");
	summary_expect_warning(&summary, WEIR_WARN_CONTRADICTION, 0);
	summary_free(&summary);
}

static void first_tokens_of_whole_answers_are_no_figures(void **state)
{
	struct summary_case summary = summary_new(genai);

	(void)state;
	summary_read(&summary, OBJECT
	             ", \"output_sequence_length\": {\"unit\": \"tokens\", \"avg\": 100}, "
	             "\"time_to_first_token\": {\"unit\": \"ms\", \"avg\": 1604.2, \"p99\": 2}, "
	             "\"time_to_second_token\": {\"unit\": \"ms\", \"avg\": 0.1}, "
	             "\"inter_token_latency\": {\"unit\": \"ms\", \"avg\": 0.001}}");
	summary_expect(&summary, "mean_e2el_ms", 1604.3, "ms");
	summary_expect(&summary, "mean_ttft_ms", 0, NULL);
	summary_expect(&summary, "p99_ttft_ms", 0, NULL);
	summary_expect(&summary, "mean_ttst_ms", 0, NULL);
	summary_expect(&summary, "mean_tpot_ms", 0, NULL);
	summary_expect_warning(&summary, WEIR_WARN_INCONSISTENT, 1);
	summary_free(&summary);
}

/* 100 tokens in 1000 ms cannot all take 6 ms or less. */
static void times_per_token_that_do_not_fit_are_computed_again(void **state)
{
	struct summary_case summary = summary_new(genai);

	(void)state;
	summary_read(&summary, OBJECT
	             ", \"output_sequence_length\": {\"unit\": \"tokens\", \"avg\": 101}, "
	             "\"time_to_first_token\": {\"unit\": \"ms\", \"avg\": 604.3}, "
	             "\"inter_token_latency\": {\"unit\": \"ms\", \"avg\": 5, \"p99\": 6}, "
	             "\"inter_chunk_latency\": {\"unit\": \"ms\", \"avg\": 20, \"p50\": 1}}");
	summary_expect(&summary, "mean_tpot_ms", 10, "ms");
	summary_expect(&summary, "p99_tpot_ms", 0, NULL);
	summary_expect(&summary, "mean_ttft_ms", 604.3, "ms");
	summary_expect(&summary, "mean_itl_ms", 0, NULL); /* chunks of several tokens */
	summary_expect_warning(&summary, WEIR_WARN_INCONSISTENT, 2);
	summary_free(&summary);
}

static void summaries_without_figures_are_refused(void **state)
{
	(void)state;
	reading_refuses(genai, "{\"request_latency\": {}, \"request_count\": {\"avg\": 0}}",
	                WEIR_E_FORMAT, "no request completed");
	reading_refuses(genai, "{\"request_latency\": {}}", WEIR_E_EMPTY, "no timing");
	reading_refuses(genai, "Metric,avg,min,max\r\n", WEIR_E_EMPTY, "no timing");
	reading_refuses(genai, "", WEIR_E_EMPTY, "no timing");
	reading_refuses(genai, "[{\"request_latency\": {}}]", WEIR_E_FORMAT, "a list");
	reading_refuses(genai, OBJECT "}" OBJECT "}", WEIR_E_FORMAT, "one input is one run");
	reading_refuses(genai, OBJECT, WEIR_E_FORMAT, "ends in the middle");
}

static int bits(const char *text)
{
	return weir_sniff_reader(genai, text, strlen(text));
}

static void summaries_are_known_by_their_keys(void **state)
{
	(void)state;
	assert_int_equal(bits(OBJECT "}"), 8 * (15 + 18 + 13));
	assert_int_equal(bits("{\"request_throughput\": 1, \"completed\": 3}"), 0);
	assert_int_equal(bits("{\"request_latency\": {}}"), 0);
	assert_int_equal(bits("Metric,avg,min,max\r\n"), 8 * (6 + 4 + 4 + 4));
	assert_int_equal(bits("Metric,Value\r\n"), 0);
	assert_int_equal(bits(""), 0);
}

static void every_prefix_reads_or_is_refused_with_a_reason(void **state)
{
	(void)state;
	summary_cut_everywhere(genai, TABLES);
	summary_cut_everywhere(genai, OBJECT ", \"error_summary\": [{\"count\": 2}]}");
}

static void the_published_table_reads(void **state)
{
	const char *path = shelf_need(SAMPLE);
	struct weir_profile *profile = weir_profile_new();
	struct summary_case summary = {.reader = genai, .profile = profile};
	struct weir_error err = {0};

	(void)state;
	if (weir_read_path(profile, path, NULL, &err))
		fail_msg("%s", err.message);
	summary.input = &profile->inputs[0];
	assert_string_equal(summary.input->format, "genai_perf");
	/* Its made-up first token comes after 8 ms of requests that take 5 ms. */
	summary_expect(&summary, "mean_ttft_ms", 0, NULL);
	summary_expect_warning(&summary, WEIR_WARN_INCONSISTENT, 1);
	summary_expect(&summary, "p95_e2el_ms", 5.9, "ms");
	summary_expect(&summary, "output_throughput", 456, "tokens/s");
	summary_expect(&summary, "output_throughput_per_user", 5, "tokens/s");
	assert_int_equal(summary.input->run->metrics.count, 6 + 3);
	weir_profile_free(profile);
}

/* AIPerf of 2026 adds a column of sums, and may add others. */
static void other_columns_of_a_table_do_not_matter(void **state)
{
	static const char table[] =
		"Metric,avg,sum,min,max,p10,slope,p50,p90,p99,std\n"
		"Request Latency (ms),17.50,8561.00,1.77,119.65,3.95,7.70,16.40,33.35,54.34,12.40\n"
		"\nMetric,Value\nRequest Throughput (requests/sec),3400.22\n";
	struct summary_case summary = summary_new(genai);

	(void)state;
	assert_true(weir_sniff_reader(genai, table, sizeof table - 1) > 0);
	summary_read(&summary, table);
	summary_expect(&summary, "mean_e2el_ms", 17.5, "ms");
	summary_expect(&summary, "median_e2el_ms", 16.4, "ms");
	summary_expect(&summary, "p99_e2el_ms", 54.34, "ms");
	summary_expect(&summary, "request_throughput", 3400.22, "1/s");
	summary_expect(&summary, "p10_e2el_ms", 0, NULL);
	summary_expect_warning(&summary, WEIR_WARN_BAD_NUMBER, 0);
	summary_free(&summary);
}

static void tables_of_the_servers_metrics_are_refused_by_name(void **state)
{
	static const char table[] = "# AIPerf Server Metrics Export (CSV)\n# schema_version: 1.0\n"
				    "#\nEndpoint,Type,Metric,Unit,avg\n";
	const char *refusal = weir_sniff_refusal(genai, table, sizeof table - 1);

	(void)state;
	assert_int_equal(weir_sniff_reader(genai, table, sizeof table - 1), 0);
	assert_non_null(refusal);
	assert_non_null(strstr(refusal, "profile_export_aiperf.csv"));
}

static void the_table_of_analyze_is_refused_by_name(void **state)
{
	static const char table[] = "Config Name,Concurrency,ISL,p99 Request Latency (ms)\n"
				    "gpt2_run_config_0,32,200,3346.72\n";
	const char *refusal = weir_sniff_refusal(genai, table, sizeof table - 1);

	(void)state;
	assert_int_equal(weir_sniff_reader(genai, table, sizeof table - 1), 0);
	assert_non_null(refusal);
	assert_non_null(strstr(refusal, "profile_export_genai_perf.json"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_become_figures),
		cmocka_unit_test(thousands_have_separators),
		cmocka_unit_test(statistics_without_a_value_are_left_out),
		cmocka_unit_test(a_negative_goodput_is_left_out),
		cmocka_unit_test(tables_of_telemetry_are_not_read),
		cmocka_unit_test(malformed_rows_and_numbers_are_counted),
		cmocka_unit_test(objects_become_figures),
		cmocka_unit_test(lengths_that_miss_the_wanted_one_are_labels),
		cmocka_unit_test(values_are_read_in_their_stated_unit),
		cmocka_unit_test(the_first_of_equal_keys_counts),
		cmocka_unit_test(labels_hold_the_load_and_no_secret),
		cmocka_unit_test(failures_are_counted_once),
		cmocka_unit_test(totals_of_aiperf_are_checked),
		cmocka_unit_test(totals_of_genai_perf_are_checked_without_a_duration),
		cmocka_unit_test(first_tokens_of_whole_answers_are_no_figures),
		cmocka_unit_test(times_per_token_that_do_not_fit_are_computed_again),
		cmocka_unit_test(summaries_without_figures_are_refused),
		cmocka_unit_test(summaries_are_known_by_their_keys),
		cmocka_unit_test(every_prefix_reads_or_is_refused_with_a_reason),
		cmocka_unit_test(the_published_table_reads),
		cmocka_unit_test(other_columns_of_a_table_do_not_matter),
		cmocka_unit_test(tables_of_the_servers_metrics_are_refused_by_name),
		cmocka_unit_test(the_table_of_analyze_is_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
