/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define SAMPLES "samples/inference_perf/batch_size_"

#define TIMES(mean, median, p95)                                                                   \
	"{\"mean\": " mean ", \"min\": 0, \"median\": " median ", \"p95\": " p95                   \
	", \"p99.9\": 9, \"max\": 10}"
#define DELAY TIMES("0.25", "0.2", "0.5")
#define LOAD                                                                                       \
	"\"load_summary\": {\"count\": 40, \"schedule_delay\": " DELAY                             \
	", \"send_duration\": 10.0, \"requested_rate\": 8.0, \"achieved_rate\": 4.0}"
#define E2E    TIMES("1.0", "0.9", "1.5")
#define TPOT   TIMES("0.004", "0.004", "0.005")
#define TTFT   TIMES("0.2", "0.2", "0.3")
#define LENGTH TIMES("101", "100", "110")
#define REPORT                                                                                     \
	"{" LOAD ", \"successes\": {\"count\": 38, \"latency\": {\"request_latency\": " E2E        \
	", \"normalized_time_per_output_token\": null, \"time_per_output_token\": " TPOT           \
	", \"time_to_first_token\": " TTFT "}, \"throughput\": {\"output_tokens_per_sec\": "       \
	"380.5, \"requests_per_sec\": 3.8}, \"output_len\": " LENGTH                               \
	"}, \"failures\": {\"count\": 2, \"request_latency\": null}}"
/* Answers of `shortest` to 101 tokens with a mean of 101. */
#define MIXED(shortest)                                                                            \
	"{" LOAD ", \"successes\": {\"count\": 40, \"latency\": {\"request_latency\": " E2E        \
	", \"time_per_output_token\": " TIMES(                                                     \
		"0.010", "0.006", "0.020") ", \"time_to_first_token\": " TTFT                      \
					   "}, \"output_len\": {\"mean\": 101, \"min\": " shortest \
					   ", \"max\": 101}}, \"failures\": {\"count\": 0}}"
#define SERVER                                                                                     \
	"{\"load_summary\": {}, \"successes\": {\"count\": 26580, \"rate\": 195.4, "               \
	"\"queue_len\": {\"mean\": 213}}, \"failures\": {}}"
#define OTHER                                                                                      \
	"{\"load_summary\": {}, \"successes\": {\"count\": 3, \"latency\": {}}, \"failures\": {}}"
#define REQUESTS                                                                                   \
	"[{\"start_time\": 100.5, \"end_time\": 101.0, \"request\": \"{\\\"prompt\\\": "           \
	"\\\"secret\\\"}\", \"response\": \"...\", \"info\": {\"input_tokens\": 5, "               \
	"\"output_tokens\": 3, \"output_token_times\": [100.6, 100.7, 100.9]}, \"error\": null}, " \
	"{\"start_time\": 100.25, \"end_time\": 100.75, \"request\": \"\", \"response\": \"\", "   \
	"\"info\": {}, \"error\": {\"error_type\": \"timeout\"}}, "                                \
	"{\"scheduled_time\": 100.0, \"start_time\": 100.1, \"end_time\": 100.3, "                 \
	"\"request\": \"\", \"response\": \"\", \"info\": {\"request_metrics\": {\"text\": "       \
	"{\"input_tokens\": 7}}, \"response_metrics\": {\"output_tokens\": 2, "                    \
	"\"output_token_times\": []}}, \"error\": null}]"

static const struct weir_reader *const reader = &weir_reader_inference_perf;

static void a_stage_becomes_figures_in_milliseconds(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, REPORT, profile);

	(void)state;
	reading_expects_figure(input->run, "mean_e2el_ms", 1000, false, "ms");
	reading_expects_figure(input->run, "median_e2el_ms", 900, false, "ms");
	reading_expects_figure(input->run, "p95_ttft_ms", 300, false, "ms");
	reading_expects_figure(input->run, "output_throughput", 380.5, true, "tokens/s");
	reading_expects_figure(input->run, "request_throughput", 3.8, true, "1/s");
	assert_null(weir_series_find(&input->run->metrics, "mean_ntpot_ms"));
	assert_string_equal(weir_run_label(input->run, "request_rate"), "8.0");
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 2);
	weir_profile_free(profile);
}

/* The tool counts chunks of two tokens. */
static void times_by_chunks_are_computed_again_by_tokens(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, REPORT, profile);

	(void)state;
	reading_expects_figure(input->run, "mean_tpot_ms", 8, false, "ms");
	assert_null(weir_series_find(&input->run->metrics, "median_tpot_ms"));
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 1);
	weir_profile_free(profile);
}

/* The mean of the requests' times is not the ratio of their means if answers differ in length. */
static void a_time_per_token_of_answers_of_many_lengths_is_kept_as_stated(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, MIXED("20"), profile);

	(void)state;
	reading_expects_figure(input->run, "mean_tpot_ms", 10, false, "ms");
	reading_expects_figure(input->run, "median_tpot_ms", 6, false, "ms");
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 0);
	weir_profile_free(profile);
}

static void a_time_per_token_of_answers_of_one_length_is_their_ratio(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, MIXED("101"), profile);

	(void)state;
	reading_expects_figure(input->run, "mean_tpot_ms", 8, false, "ms");
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 1);
	weir_profile_free(profile);
}

static void the_backlog_at_the_client_is_a_figure_and_a_warning(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, REPORT, profile);

	(void)state;
	reading_expects_figure(input->run, "mean_client_queue_ms", 250, false, "ms");
	assert_int_equal(input->warnings[WEIR_WARN_LOAD_NOT_REACHED].count, 1);
	weir_profile_free(profile);
}

static void metrics_of_the_server_without_times_are_refused_with_the_reason(void **state)
{
	(void)state;
	reading_refuses(reader, SERVER, WEIR_E_FORMAT, "the server's own metrics");
	/* Other files are not called so. */
	reading_refuses(reader, "{}", WEIR_E_FORMAT, "no \"load_summary\" with a \"count\"");
	assert_null(weir_sniff_refusal(reader, OTHER, strlen(OTHER)));
}

static void metrics_of_the_server_with_times_are_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(reader, "tests/data/inference_perf/server.json", profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "request_throughput", 10, true, "1/s");
	reading_expects_figure(run, "input_throughput", 1000, true, "tokens/s");
	reading_expects_figure(run, "output_throughput", 1010, true, "tokens/s");
	reading_expects_figure(run, "p99_ttft_ms", 1500, false, "ms");
	reading_expects_figure(run, "mean_tpot_ms", 20, false, "ms");
	reading_expects_figure(run, "median_e2el_ms", 2250, false, "ms");
	reading_expects_figure(run, "mean_kv_cache_usage_pct", 25, false, "%");
	reading_expects_figure(run, "prefix_cache_hit_pct", 12.5, true, "%");
	reading_expects_figure(run, "mean_waiting_requests", 3.5, false, "requests");
	assert_string_equal(weir_run_label(run, "measured_by"), "server");
	assert_string_equal(weir_run_label(run, "completed"), "6000");
	assert_null(weir_run_label(run, "failed"));
	/* 900 tokens of a prompt and 100 by the rates */
	assert_int_equal(input->warnings[WEIR_WARN_CONTRADICTION].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 0);
	weir_profile_free(profile);
}

static void records_become_requests_without_their_texts(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, REQUESTS, profile);
	const struct weir_requests *requests = input->requests;

	(void)state;
	assert_int_equal(requests->count, 2);
	assert_true(requests->client);
	assert_int_equal(requests->time_base, WEIR_TIME_MONOTONIC);
	assert_int_equal(requests->failed, 1);
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 1);
	reading_expects_parts(requests, 0, "client_queue=100000000");
	assert_int_equal(requests->start_ns[0], 100000000000);
	assert_int_equal(requests->tokens[0], 7);
	reading_expects_parts(requests, 1,
	                      "time_to_first_token=100000000 decode=300000000 tail=100000000");
	assert_int_equal(requests->first_token_ns[1], 100000000);
	assert_int_equal(requests->output_tokens[1], 3);
	for (uint32_t i = 0; i < (uint32_t)weir_names_count(requests->names); i++)
		assert_null(strstr(weir_names_text(requests->names, i), "secret"));
	weir_profile_free(profile);
}

static void damage_is_read_around_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(reader, REPORT);
	reading_survives_damage(reader, REQUESTS);
	reading_refuses(reader, "{" LOAD ", \"successes\": {\"count\": 0}}", WEIR_E_FORMAT,
	                "no request completed");
	reading_refuses(reader, "{\"load_summary\": {\"count\": 3}}", WEIR_E_EMPTY,
	                "no timing in this report");
	reading_refuses(reader, "[]", WEIR_E_EMPTY, "no request with a start and an end");
}

static void reports_are_known_by_their_keys(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(REPORT), reader->name);
	assert_string_equal(reading_claims(REQUESTS), reader->name);
	assert_string_equal(reading_claims("{\"successes\": {\"count\": 1}}"), "none");
	assert_string_equal(reading_claims("[{\"start_time\": 1, \"end_time\": 2}]"), "none");
}

/* Another program computed these figures from the same files. */
static void real_stages_give_the_figures_computed_by_hand(void **state)
{
	static const struct {
		const char *path;
		double tpot_ms, queue_ms;
		bool missed;
	} stages[] = {
		{SAMPLES "stage_0_lifecycle_metrics.json", 7.33, 0.414, false},
		{SAMPLES "stage_3_lifecycle_metrics.json", 25.11, 0.179, false},
		{SAMPLES "stage_6_lifecycle_metrics.json", 25.82, 25867, true},
		{SAMPLES "summary_lifecycle_metrics.json", 23.79, 12570, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input =
			reading_sample(stages[i].path, reader, NULL, profile);
		const struct weir_series_table *metrics = &input->run->metrics;

		assert_near(weir_series_find(metrics, "mean_tpot_ms")->value[0], stages[i].tpot_ms,
		            1e-3);
		assert_near(weir_series_find(metrics, "mean_client_queue_ms")->value[0],
		            stages[i].queue_ms, 1e-2);
		assert_int_equal(input->warnings[WEIR_WARN_LOAD_NOT_REACHED].count,
		                 stages[i].missed);
		assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 1);
		weir_profile_free(profile);
	}
}

static void real_metrics_of_the_server_are_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_sample(SAMPLES "stage_0_prometheus_metrics.json", reader, NULL, profile)
			->run;

	(void)state;
	reading_expects_figure(run, "request_throughput", 14.430483, true, "1/s");
	reading_expects_figure(run, "median_e2el_ms", 3079.515, false, "ms");
	reading_expects_figure(run, "p99_ttft_ms", 4860.404, false, "ms");
	/* The report states 0 for what the server does not export. */
	assert_null(weir_series_find(&run->metrics, "mean_kv_cache_usage_pct"));
	assert_null(weir_series_find(&run->metrics, "prefix_cache_hit_pct"));
	weir_profile_free(profile);
	profile = weir_profile_new();
	reading_sample("samples/inference_perf/golden_vllm_queries.txt", NULL, "not a profile",
	               profile);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stage_becomes_figures_in_milliseconds),
		cmocka_unit_test(times_by_chunks_are_computed_again_by_tokens),
		cmocka_unit_test(a_time_per_token_of_answers_of_many_lengths_is_kept_as_stated),
		cmocka_unit_test(a_time_per_token_of_answers_of_one_length_is_their_ratio),
		cmocka_unit_test(the_backlog_at_the_client_is_a_figure_and_a_warning),
		cmocka_unit_test(metrics_of_the_server_without_times_are_refused_with_the_reason),
		cmocka_unit_test(metrics_of_the_server_with_times_are_figures),
		cmocka_unit_test(records_become_requests_without_their_texts),
		cmocka_unit_test(damage_is_read_around_or_refused),
		cmocka_unit_test(reports_are_known_by_their_keys),
		cmocka_unit_test(real_stages_give_the_figures_computed_by_hand),
		cmocka_unit_test(real_metrics_of_the_server_are_figures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
