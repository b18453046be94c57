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

#define A                                                                                          \
	"{\"request_id\": \"a\", \"start_ns\": 1767225600000000100, \"end_ns\": "                  \
	"1767225600007000100, \"batch_size\": 3, \"tokens\": 181, \"padded_tokens\": 256, "        \
	"\"stages_us\": {\"tokenize\": 71.2, \"queue\": 3932.0004, \"compute\": 2937.1235}}\n"
#define B                                                                                          \
	"{\"request_id\": \"b\", \"start_ns\": 1767225600000000050, \"end_ns\": "                  \
	"1767225600004000050, \"output_tokens\": 9, \"first_token_us\": 1500.25, \"stages_us\": "  \
	"{\"queue\": 5, \"compute\": 2e3}}\n"

/* Reads a text, which must succeed. The input is valid until the next call; the profile frees it.
 */
static const struct weir_input *input_of(const char *text, struct weir_profile *profile)
{
	return reading_of(&weir_reader_requests, text, profile);
}

static void expect_refused(const char *text, const char *message)
{
	reading_refuses(&weir_reader_requests, text, WEIR_E_EMPTY, message);
}

/* Expects the parts of a request: "tokenize 71200, queue 3932000". */
static void expect_parts(const struct weir_requests *requests, size_t row, const char *expected)
{
	struct weir_text text = {0};

	for (size_t i = 0; i < requests->part_count[row]; i++) {
		size_t part = requests->part_first[row] + i;

		weir_text_printf(&text, "%s%s %lld", i ? ", " : "",
		                 weir_requests_stage_name(requests, requests->part_stage[part]),
		                 (long long)requests->part_ns[part]);
	}
	weir_text_puts(&text, "");
	assert_string_equal(text.length ? text.data : "", expected);
	weir_text_release(&text);
}

static void expect_times(const struct weir_requests *requests, size_t row, int64_t start_ns,
                         int64_t end_ns)
{
	assert_true(row < requests->count);
	assert_true(requests->start_ns[row] == start_ns);
	assert_true(requests->end_ns[row] == end_ns);
}

/* Expects all warnings: "code count, ...". */
static void expect_warnings(const struct weir_input *input, size_t codes, ...)
{
	uint64_t expected[WEIR_WARN_COUNT] = {0};
	va_list args;

	va_start(args, codes);
	for (size_t i = 0; i < codes; i++)
		expected[va_arg(args, int)]++;
	va_end(args);
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		if (input->warnings[code].count != expected[code])
			fail_msg("warning %d counts %llu, expected %llu", code,
			         (unsigned long long)input->warnings[code].count,
			         (unsigned long long)expected[code]);
}

static void requests_are_sorted_with_their_parts_to_the_nanosecond(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(A B, profile);
	const struct weir_requests *requests = input->requests;

	(void)state;
	assert_int_equal(requests->count, 2);
	assert_int_equal(requests->time_base, WEIR_TIME_UNIX);
	assert_false(requests->client);
	assert_false(requests->sampled);
	assert_null(requests->part_offset_ns);
	expect_times(requests, 0, 1767225600000000050, 1767225600004000050);
	expect_times(requests, 1, 1767225600000000100, 1767225600007000100);
	expect_parts(requests, 0, "queue 5000, compute 2000000");
	expect_parts(requests, 1, "tokenize 71200, queue 3932000, compute 2937124");
	assert_int_equal(input->events, 2);
	expect_warnings(input, 0);
	weir_profile_free(profile);
}

static void counts_that_are_not_given_are_unknown(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_requests *requests = input_of(A B, profile)->requests;

	(void)state;
	assert_int_equal(requests->batch_size[1], 3);
	assert_int_equal(requests->tokens[1], 181);
	assert_int_equal(requests->padded_tokens[1], 256);
	assert_int_equal(requests->output_tokens[1], WEIR_UNKNOWN_COUNT);
	assert_int_equal(requests->first_token_ns[1], WEIR_UNKNOWN_COUNT);
	assert_int_equal(requests->batch_size[0], WEIR_UNKNOWN_COUNT);
	assert_int_equal(requests->tokens[0], WEIR_UNKNOWN_COUNT);
	assert_int_equal(requests->padded_tokens[0], WEIR_UNKNOWN_COUNT);
	assert_int_equal(requests->output_tokens[0], 9);
	assert_int_equal(requests->first_token_ns[0], 1500250);
	weir_profile_free(profile);
}

static void a_missing_start_or_end_follows_from_the_stages(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_requests *requests =
		input_of("{\"start_ns\": 10, \"stages_us\": {\"a\": 1, \"b\": 2}}\n"
	                 "{\"end_ns\": 5000, \"stages_ns\": {\"a\": 1, \"b\": 2}}\n",
	                 profile)
			->requests;

	(void)state;
	assert_int_equal(requests->time_base, WEIR_TIME_MONOTONIC);
	expect_times(requests, 0, 10, 3010);
	expect_times(requests, 1, 4997, 5000);
	weir_profile_free(profile);
}

static void requests_without_any_time_are_durations(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		input_of("{\"stages_ms\": {\"a\": 1.5}}\n{\"stages_us\": {\"a\": 2}}\n", profile);

	(void)state;
	assert_int_equal(input->requests->time_base, WEIR_TIME_NONE);
	expect_times(input->requests, 0, 0, 2000);
	expect_times(input->requests, 1, 0, 1500000);
	expect_warnings(input, 0);
	weir_profile_free(profile);
}

static void a_request_without_a_time_among_others_is_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(A "{\"stages_us\": {\"a\": 2}}\n", profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	expect_warnings(input, 1, WEIR_WARN_NO_TIME);
	weir_profile_free(profile);
}

static void malformed_values_are_unknown_and_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(
		"{\"start_ns\": 1, \"end_ns\": 9, \"tokens\": -4, \"padded_tokens\": null, "
		"\"batch_size\": 0, \"output_tokens\": \"x\", \"stages_ns\": {\"a\": null, "
		"\"b\": -1, \"c\": NaN, \"d\": 3, \"e\": {\"f\": 1}, \"g\": 2e99}}\n",
		profile);

	(void)state;
	assert_int_equal(input->requests->tokens[0], WEIR_UNKNOWN_COUNT);
	assert_int_equal(input->requests->padded_tokens[0], WEIR_UNKNOWN_COUNT);
	assert_int_equal(input->requests->batch_size[0], WEIR_UNKNOWN_COUNT);
	expect_parts(input->requests, 0, "d 3");
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 8);
	weir_profile_free(profile);
}

static void numbers_may_have_fractions_exponents_and_quotes(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(
		"{\"start_ns\": \"1767225600000000100\", \"end_ns\": 1.7672256000000002e18, "
		"\"tokens\": 17.0, \"stages_ms\": {\"a\": 1e-4, \"b\": \"0.5\"}}\n",
		profile);

	(void)state;
	expect_times(input->requests, 0, 1767225600000000100, 1767225600000000200);
	assert_int_equal(input->requests->tokens[0], 17);
	expect_parts(input->requests, 0, "a 100, b 500000");
	expect_warnings(input, 0);
	weir_profile_free(profile);
}

static void an_end_before_the_start_is_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(
		"{\"start_ns\": 9, \"end_ns\": 8, \"stages_ns\": {\"a\": 1}}\n" B, profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	expect_parts(input->requests, 0, "queue 5000, compute 2000000");
	expect_warnings(input, 1, WEIR_WARN_NEGATIVE_DURATION);
	weir_profile_free(profile);
}

static void a_first_token_after_the_end_is_a_contradiction(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		input_of("{\"start_ns\": 1, \"end_ns\": 1001, \"first_token_us\": 1}\n"
	                 "{\"start_ns\": 2, \"end_ns\": 1001, \"first_token_us\": 1}\n",
	                 profile);

	(void)state;
	assert_int_equal(input->requests->first_token_ns[0], 1000);
	assert_int_equal(input->requests->first_token_ns[1], WEIR_UNKNOWN_COUNT);
	expect_warnings(input, 1, WEIR_WARN_INCONSISTENT);
	weir_profile_free(profile);
}

static void keys_given_twice_count_once(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		input_of("{\"start_ns\": 1, \"start_ns\": 5, \"end_ns\": 9, "
	                 "\"stages_ns\": {\"a\": 1, \"a\": 2}}\n",
	                 profile);

	(void)state;
	expect_times(input->requests, 0, 1, 9);
	expect_parts(input->requests, 0, "a 1");
	expect_warnings(input, 2, WEIR_WARN_DUPLICATE, WEIR_WARN_DUPLICATE);
	weir_profile_free(profile);
}

static void lines_without_a_request_are_skipped(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(
		"{\"start_ns\": 1}\n{\"end_ns\": 1, \"stages_us\": null}\n{}\n" A, profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	expect_warnings(input, 3, WEIR_WARN_SKIPPED_EVENT, WEIR_WARN_SKIPPED_EVENT,
	                WEIR_WARN_SKIPPED_EVENT);
	weir_profile_free(profile);
}

static void stages_keep_their_rows_in_any_order(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_requests *requests =
		input_of("{\"start_ns\": 1, \"stages_ns\": {\"a\": 1, \"b\": 2}}\n"
	                 "{\"start_ns\": 2, \"stages_ns\": {\"b\": 3, \"\\u0061\": 4, \"\": 5}}\n"
	                 "{\"start_ns\": 3, \"stages_ns\": {\"a\": 6, \"b\": 7}}\n",
	                 profile)
			->requests;

	(void)state;
	assert_int_equal(requests->stage_count, 3);
	expect_parts(requests, 0, "a 1, b 2");
	expect_parts(requests, 1, "b 3, a 4, unnamed 5");
	expect_parts(requests, 2, "a 6, b 7");
	weir_profile_free(profile);
}

static void stages_beyond_the_limit_share_a_row(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_input *input;

	(void)state;
	weir_text_puts(&text, "{\"start_ns\": 1, \"stages_ns\": {");
	for (int i = 0; i < WEIR_MAX_REQUEST_PARTS + 2; i++)
		weir_text_printf(&text, "%s\"s%d\": 2", i ? ", " : "", i);
	weir_text_puts(&text, "}}\n");
	input = input_of(text.data, profile);
	assert_int_equal(input->requests->stage_count, WEIR_MAX_REQUEST_STAGES);
	assert_int_equal(input->requests->part_count[0], WEIR_MAX_REQUEST_PARTS);
	expect_times(input->requests, 0, 1, 1 + 2 * WEIR_MAX_REQUEST_PARTS);
	expect_warnings(input, 2, WEIR_WARN_SKIPPED_EVENT, WEIR_WARN_SKIPPED_EVENT);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void times_beyond_the_clock_are_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(
		"{\"start_ns\": 9223372036854775807, \"stages_ns\": {\"a\": 1}}\n" A, profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	expect_warnings(input, 1, WEIR_WARN_BAD_NUMBER);
	weir_profile_free(profile);
}

static void nothing_to_analyse_is_an_error(void **state)
{
	(void)state;
	expect_refused("", "no complete request");
	expect_refused("{\"request_id\": \"a\", \"start", "no complete request");
	expect_refused("{\"request_id\": \"a\", \"start_ns\": 5}\n", "no request has a time");
}

static void a_file_cut_anywhere_reads_or_fails_in_one_line(void **state)
{
	static const char whole[] = A B A;
	static const size_t ends[] = {sizeof A - 2, sizeof A B - 2, sizeof whole - 2};

	(void)state;
	for (size_t len = 0; len < sizeof whole; len++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_error err = {0};
		size_t rows = 0;

		/* At the end of an object; the newline after it is not needed. */
		while (rows < 3 && ends[rows] <= len)
			rows++;
		assert_int_equal(reading_try(&weir_reader_requests, whole, len, profile, &err),
		                 rows ? WEIR_OK : WEIR_E_EMPTY);
		assert_null(strchr(err.message, '\n'));
		if (rows) {
			const struct weir_input *input = &profile->inputs[0];

			assert_int_equal(input->requests->count, rows);
			assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count,
			                 len > ends[rows - 1] + 1);
		}
		weir_profile_free(profile);
	}
}

static void requests_are_known_by_their_keys(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(A), "weir.requests");
	assert_string_equal(reading_claims("[" A), "weir.requests");
	assert_string_equal(reading_claims("{\"request_id\": 1, \"stages_ms\": {}}"),
	                    "weir.requests");
	assert_string_equal(reading_claims("{\"request_id\": 1, \"start_ns\": 1, \"end_ns\": 2}"),
	                    "weir.requests");
	assert_string_equal(reading_claims("{\"start_ns\": 1, \"end_ns\": 2}"), "none");
	assert_string_equal(reading_claims("{\"request_id\": 1, \"a\": {\"start_ns\": 1}}"),
	                    "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_sorted_with_their_parts_to_the_nanosecond),
		cmocka_unit_test(counts_that_are_not_given_are_unknown),
		cmocka_unit_test(a_missing_start_or_end_follows_from_the_stages),
		cmocka_unit_test(requests_without_any_time_are_durations),
		cmocka_unit_test(a_request_without_a_time_among_others_is_left_out),
		cmocka_unit_test(malformed_values_are_unknown_and_counted),
		cmocka_unit_test(numbers_may_have_fractions_exponents_and_quotes),
		cmocka_unit_test(an_end_before_the_start_is_left_out),
		cmocka_unit_test(a_first_token_after_the_end_is_a_contradiction),
		cmocka_unit_test(keys_given_twice_count_once),
		cmocka_unit_test(lines_without_a_request_are_skipped),
		cmocka_unit_test(stages_keep_their_rows_in_any_order),
		cmocka_unit_test(stages_beyond_the_limit_share_a_row),
		cmocka_unit_test(times_beyond_the_clock_are_left_out),
		cmocka_unit_test(nothing_to_analyse_is_an_error),
		cmocka_unit_test(a_file_cut_anywhere_reads_or_fails_in_one_line),
		cmocka_unit_test(requests_are_known_by_their_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
