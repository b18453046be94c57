/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define HEAD                                                                                       \
	"{\"engine\": {\"model\": \"org/m\", \"engine_dir\": \"None\", \"version\": \"1.1\", "     \
	"\"backend\": \"pytorch\", \"dtype\": \"bfloat16\", \"quantization\": null}, "             \
	"\"machine\": {\"name\": \"Example GPU\", \"memory.total\": 80.0}, "                       \
	"\"world_info\": {\"tp_size\": 2, \"world_size\": 2, \"issue_rate\": 1e9}, "               \
	"\"request_info\": {\"num_requests\": 10, \"avg_output_length\": 101.0}, "
#define PERFORMANCE                                                                                \
	"\"performance\": {\"total_latency_ms\": 5000.0, \"avg_request_latency_ms\": 1100.0, "     \
	"\"request_throughput_req_s\": 2.0, \"system_output_throughput_tok_s\": 202.0, "           \
	"\"system_total_throughput_tok_s\": 402.0, \"output_throughput_per_user_tok_s\": 90.5, "   \
	"\"output_throughput_per_gpu_tok_s\": 101.0, \"request_latency_percentiles_ms\": "         \
	"{\"p50\": 1090.0, \"p90\": 1200.0, \"p95\": 1210.0, \"p99\": 1220.0, \"minimum\": 900, "  \
	"\"maximum\": 1300.0, \"average\": 1100.0}}"
#define STREAMING                                                                                  \
	", \"streaming_metrics\": {\"token_output_speed_tok_s\": 100.0, \"avg_ttft_ms\": 100.0, "  \
	"\"avg_tpot_ms\": 10.0, \"tpot_percentiles\": {\"p50\": 9.9, \"p99\": 12.0}, "             \
	"\"ttft_percentiles\": {\"p50\": 95.0, \"p99\": 130.0}}"
#define REPORT HEAD PERFORMANCE STREAMING "}"
#define RECORD(start, first, end, output)                                                          \
	"{\"id\": 1, \"num_input_tokens\": 20, \"start_timestamp\": " start                        \
	", \"first_token_timestamp\": " first ", \"end_timestamp\": " end                          \
	", \"decode_iteration\": 5, \"num_output_tokens\": " output                                \
	", \"output\": \"secret\", \"output_tokens\": [1, 2]}"

static const struct weir_reader *const reader = &weir_reader_trtllm;

static void a_report_becomes_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, REPORT, profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "mean_e2el_ms", 1100, false, "ms");
	reading_expects_figure(run, "median_e2el_ms", 1090, false, "ms");
	reading_expects_figure(run, "p99_ttft_ms", 130, false, "ms");
	reading_expects_figure(run, "mean_tpot_ms", 10, false, "ms");
	reading_expects_figure(run, "request_throughput", 2, true, "1/s");
	reading_expects_figure(run, "total_token_throughput", 402, true, "tokens/s");
	reading_expects_figure(run, "output_throughput_per_gpu", 101, true, "tokens/s");
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 0);
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

static void labels_name_model_and_machine(void **state)
{
	static const char *const labels[][2] = {
		{"model", "org/m"},    {"gpu", "Example GPU"},  {"gpu_count", "2"},
		{"dtype", "bfloat16"}, {"tensorrt_llm", "1.1"}, {"num_prompts", "10"},
	};
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader, REPORT, profile)->run;

	(void)state;
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++) {
		assert_non_null(weir_run_label(run, labels[i][0]));
		assert_string_equal(weir_run_label(run, labels[i][0]), labels[i][1]);
	}
	assert_null(weir_run_label(run, "quantization"));
	weir_profile_free(profile);
}

static void without_streaming_there_is_no_first_token(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader, HEAD PERFORMANCE "}", profile)->run;

	(void)state;
	assert_null(weir_series_find(&run->metrics, "mean_ttft_ms"));
	assert_null(weir_series_find(&run->metrics, "mean_tpot_ms"));
	weir_profile_free(profile);
}

static void unset_times_of_a_request_are_unknown(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"[" RECORD("9007199254740993", "9007199254741993", "9007199254750993", "11") ", " //
		RECORD("9007199254740995", "-1", "9007199254750995", "3") ", "                    //
		RECORD("9007199254740997", "-1", "-1", "0") "]",
		profile);
	const struct weir_requests *requests = input->requests;

	(void)state;
	assert_int_equal(requests->count, 2);
	assert_int_equal(requests->time_base, WEIR_TIME_MONOTONIC);
	assert_int_equal(requests->start_ns[0],
	                 9007199254740993); /* not representable as a double */
	reading_expects_parts(requests, 0, "time_to_first_token=1000 decode=9000");
	assert_int_equal(requests->output_tokens[0], 11);
	assert_int_equal(requests->first_token_ns[1], WEIR_UNKNOWN_COUNT);
	reading_expects_parts(requests, 1, "");
	assert_int_equal(input->warnings[WEIR_WARN_UNFINISHED].count, 1);
	weir_profile_free(profile);
}

static void times_that_contradict_each_other_are_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   "[" RECORD("1000", "3000", "2000", "3") ", " /* token after the end */
	                   RECORD("1000", "500", "2000", "3") ", "      /* token before the start */
	                   RECORD("1000", "2000", "2000", "3") ", "     /* whole answer at once */
	                   RECORD("2000", "-1", "1000", "3") ", "       /* end before the start */
	                   RECORD("\"x\"", "-1", "1000", "3") "]",      /* not a number */
	                   profile);

	(void)state;
	assert_int_equal(input->requests->count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(input->requests->first_token_ns[i], WEIR_UNKNOWN_COUNT);
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 3);
	assert_int_equal(input->warnings[WEIR_WARN_NEGATIVE_DURATION].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_NO_TIME].count, 1);
	weir_profile_free(profile);
}

static void damage_is_read_around_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(reader, REPORT);
	reading_survives_damage(reader, "[" RECORD("1", "2", "3", "4") ", " //
	                        RECORD("5", "6", "7", "1") "]");
	reading_refuses(reader, HEAD "\"performance\": {}}", WEIR_E_EMPTY, "no timing");
	reading_refuses(reader, REPORT REPORT, WEIR_E_FORMAT, "one input is one run");
	reading_refuses(reader, "[{\"start_timestamp\": 1}]", WEIR_E_EMPTY,
	                "no request with a start");
}

static void reports_are_known_by_their_keys(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(REPORT), reader->name);
	assert_string_equal(reading_claims("[" RECORD("1", "2", "3", "4") "]"), reader->name);
	assert_string_equal(reading_claims("{\"engine\": {}}"), "none");
	assert_string_equal(reading_claims("[{\"start_timestamp\": 1, \"end_timestamp\": 2}]"),
	                    "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_becomes_figures),
		cmocka_unit_test(labels_name_model_and_machine),
		cmocka_unit_test(without_streaming_there_is_no_first_token),
		cmocka_unit_test(unset_times_of_a_request_are_unknown),
		cmocka_unit_test(times_that_contradict_each_other_are_left_out),
		cmocka_unit_test(damage_is_read_around_or_refused),
		cmocka_unit_test(reports_are_known_by_their_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
