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

#define SAMPLE "samples/aiperf/docs_records.jsonl"

#define METADATA                                                                                   \
	"{\"metadata\": {\"session_num\": 1, \"x_request_id\": \"private\", "                      \
	"\"request_start_ns\": 1767225600000000100, \"request_ack_ns\": null, "                    \
	"\"request_end_ns\": 1767225600300000100, \"benchmark_phase\": \"profiling\", "            \
	"\"was_cancelled\": false}, "
#define METRICS                                                                                    \
	"\"metrics\": {\"input_sequence_length\": {\"value\": 550, \"unit\": \"tokens\"}, "        \
	"\"time_to_first_token\": {\"value\": 255.886568, \"unit\": \"ms\"}, "                     \
	"\"request_latency\": {\"unit\": \"ms\", \"value\": 297.525228}, "                         \
	"\"inter_chunk_latency\": {\"value\": [4.898437, 5.316006, 0.0], \"unit\": \"ms\"}, "      \
	"\"output_sequence_length\": {\"value\": 9, \"unit\": \"tokens\"}}, "
#define RECORD METADATA METRICS "\"error\": null}\n"

/* Reads a text, which must succeed. The input is valid until the next call; the profile frees it.
 */
static const struct weir_input *input_of(const char *text, struct weir_profile *profile)
{
	return reading_of(&weir_reader_aiperf, text, profile);
}

static void expect_gaps(const struct weir_input *input, size_t count, const double *ns)
{
	const struct weir_series *gaps =
		weir_series_find(&input->run->stages, "inter_token_latency");

	assert_non_null(gaps);
	assert_int_equal(gaps->count, count);
	for (size_t i = 0; i < count; i++)
		assert_true(gaps->value[i] == ns[i]);
}

static void a_record_is_a_request_at_the_client(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(RECORD, profile);
	const struct weir_requests *requests = input->requests;

	(void)state;
	assert_true(requests->client);
	assert_int_equal(requests->time_base, WEIR_TIME_UNIX);
	assert_int_equal(requests->count, 1);
	assert_true(requests->start_ns[0] == 1767225600000000100);
	assert_int_equal(requests->end_ns[0] - requests->start_ns[0], 297525228);
	assert_int_equal(requests->first_token_ns[0], 255886568);
	assert_int_equal(requests->part_ns[1], 297525228 - 255886568);
	assert_int_equal(requests->tokens[0], 550);
	assert_int_equal(requests->output_tokens[0], 9);
	expect_gaps(input, 2, (double[]){4898437, 5316006});
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		assert_int_equal(input->warnings[code].count, 0);
	weir_profile_free(profile);
}

static void a_request_without_a_latency_ends_with_its_metadata(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_requests *requests =
		input_of(METADATA "\"metrics\": {}, \"error\": null}", profile)->requests;

	(void)state;
	assert_int_equal(requests->end_ns[0] - requests->start_ns[0], 300000000);
	assert_int_equal(requests->first_token_ns[0], WEIR_UNKNOWN_COUNT);
	assert_int_equal(requests->part_count[0], 0);
	weir_profile_free(profile);
}

static void the_first_of_repeated_metrics_counts(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(
		METADATA "\"metrics\": {\"time_to_first_token\": {\"value\": 7, \"unit\": \"us\"}, "
			 "\"time_to_first_token\": {\"value\": 9, \"unit\": \"us\"}}}",
		profile);

	(void)state;
	assert_int_equal(input->requests->first_token_ns[0], 7000);
	assert_int_equal(input->warnings[WEIR_WARN_DUPLICATE].count, 1);
	weir_profile_free(profile);
}

static void values_are_read_in_their_stated_unit(void **state)
{
	static const struct {
		const char *value, *unit;
		int64_t ns;
	} cases[] = {
		{"1.5", "s", 1500000000},
		{"1.5", "ms", 1500000},
		{"1.5", "us", 1500},
		{"150", "ns", 150},
		{"5", "hours", -1},
		{"null", "ms", -1},
		{"-1", "ms", -1},
		{"\"x\"", "ms", -1},
		{"NaN", "ms", -1},
		{"1e300", "s", -1},
		{"[1]", "ms", WEIR_UNKNOWN_COUNT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		const struct weir_input *input;
		bool given = strcmp(cases[i].value, "null") != 0;

		weir_text_printf(&text,
		                 "{\"metadata\": {\"request_start_ns\": 5, \"request_end_ns\": "
		                 "9000000005}, \"metrics\": {\"time_to_first_token\": {\"value\": "
		                 "%s, \"unit\": \"%s\"}}}",
		                 cases[i].value, cases[i].unit);
		input = input_of(text.data, profile);
		assert_int_equal(input->requests->first_token_ns[0], cases[i].ns);
		assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count,
		                 given && cases[i].ns < 0);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void failed_and_cancelled_requests_are_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(
		RECORD METADATA "\"metrics\": null, \"error\": {\"code\": 500}}\n"
				"{\"metadata\": {\"request_start_ns\": 5, \"was_cancelled\": "
				"true}, \"metrics\": {}, \"error\": null}\n",
		profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	assert_int_equal(input->requests->failed, 2);
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 2);
	weir_profile_free(profile);
}

static void warm_up_requests_are_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(
		"{\"metadata\": {\"request_start_ns\": 5, \"request_end_ns\": 9, "
		"\"benchmark_phase\": \"warmup\"}, \"metrics\": {}, \"error\": {}}\n" RECORD,
		profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	assert_int_equal(input->requests->failed, 0);
	assert_int_equal(input->events, 2);
	weir_profile_free(profile);
}

static void a_request_without_an_end_is_unfinished(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(
		"{\"metadata\": {\"request_start_ns\": 5}, \"metrics\": {}}\n" RECORD, profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_UNFINISHED].count, 1);
	weir_profile_free(profile);
}

static void malformed_gaps_are_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(
		METADATA "\"metrics\": {\"inter_chunk_latency\": {\"value\": [1, null, \"x\", "
			 "[2], 3], \"unit\": \"ms\"}}}",
		profile);

	(void)state;
	expect_gaps(input, 2, (double[]){1000000, 3000000});
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 3);
	weir_profile_free(profile);
}

static void a_metric_without_a_value_is_not_given(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		input_of(METADATA "\"metrics\": {\"inter_chunk_latency\": {\"unit\": \"ms\"}, "
	                          "\"request_latency\": {}, \"time_to_first_token\": null}}",
	                 profile);

	(void)state;
	assert_null(input->run);
	assert_int_equal(input->requests->end_ns[0] - input->requests->start_ns[0], 300000000);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
}

static void a_file_cut_anywhere_reads_or_fails_in_one_line(void **state)
{
	static const char whole[] = RECORD RECORD;

	(void)state;
	for (size_t len = 0; len < sizeof whole; len++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_error err = {0};
		size_t rows = (len >= sizeof RECORD - 2 ? 1u : 0u) + (len >= sizeof whole - 2);

		assert_int_equal(reading_try(&weir_reader_aiperf, whole, len, profile, &err),
		                 rows ? WEIR_OK : WEIR_E_EMPTY);
		assert_null(strchr(err.message, '\n'));
		if (rows)
			assert_int_equal(profile->inputs[0].requests->count, rows);
		weir_profile_free(profile);
	}
}

static void records_are_known_by_their_keys(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(RECORD), "aiperf");
	assert_string_equal(reading_claims("[" RECORD), "aiperf");
	assert_string_equal(reading_claims("{\"metadata\": {}, \"metrics\": {}, \"error\": null}"),
	                    "none");
	assert_string_equal(reading_claims("{\"metrics\": {\"request_start_ns\": 1}}"), "none");
}

/* The published records: an answered request with a repeated key, and a cancelled one. */
static void the_published_records_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_sample(SAMPLE, &weir_reader_aiperf, NULL, profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	assert_int_equal(input->requests->failed, 1);
	assert_int_equal(input->requests->end_ns[0] - input->requests->start_ns[0], 297525228);
	assert_int_equal(input->requests->first_token_ns[0], 255886568);
	assert_int_equal(input->warnings[WEIR_WARN_DUPLICATE].count, 1);
	expect_gaps(
		input, 8,
		(double[]){4898437, 5316006, 4801489, 5674918, 4811467, 5097998, 5504797, 5533548});
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_is_a_request_at_the_client),
		cmocka_unit_test(a_request_without_a_latency_ends_with_its_metadata),
		cmocka_unit_test(the_first_of_repeated_metrics_counts),
		cmocka_unit_test(values_are_read_in_their_stated_unit),
		cmocka_unit_test(failed_and_cancelled_requests_are_counted),
		cmocka_unit_test(warm_up_requests_are_left_out),
		cmocka_unit_test(a_request_without_an_end_is_unfinished),
		cmocka_unit_test(malformed_gaps_are_counted),
		cmocka_unit_test(a_metric_without_a_value_is_not_given),
		cmocka_unit_test(a_file_cut_anywhere_reads_or_fails_in_one_line),
		cmocka_unit_test(records_are_known_by_their_keys),
		cmocka_unit_test(the_published_records_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
