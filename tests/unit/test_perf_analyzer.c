/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define HEAD(mode, value)                                                                          \
	"{\"experiments\":[{\"experiment\":{\"mode\":\"" mode "\",\"value\":" value "},"           \
	"\"requests\":["
#define CHUNK "{\"response\":\"data: {\\\"x\\\":\\\"[DONE]\\\"}\\n\\n\"}"
#define DONE  "{\"response\":\"data: [DONE]\\n\\n\"}"
/* Three chunks and the mark of the end. */
#define STREAMED                                                                                   \
	"{\"timestamp\":1767225600000000100,\"request_inputs\":{\"payload\":\"private ]}\"},"      \
	"\"response_timestamps\":[1767225600000000150,1767225600000000170,"                        \
	"1767225600000000200,1767225600000000900],\"response_outputs\":[" CHUNK "," CHUNK          \
	"," CHUNK "," DONE "]}"
#define TAIL(boundaries)                                                                           \
	"],\"window_boundaries\":[" boundaries "]}],\"version\":\"2\",\"service_kind\":"           \
	"\"openai\",\"endpoint\":\"v1\"}"

/* Reads a text, which must succeed. The input is valid until the next call; the profile frees it.
 */
static const struct weir_input *input_of(const char *text, struct weir_profile *profile)
{
	return reading_of(&weir_reader_perf_analyzer, text, profile);
}

static void expect_refused(const char *text, enum weir_status status, const char *message)
{
	reading_refuses(&weir_reader_perf_analyzer, text, status, message);
}

/* Returns the duration of a request with these answers and outputs; -1: it failed. */
static int64_t duration_with(const char *answers, const char *outputs)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_input *input;
	int64_t took = -1;

	weir_text_printf(&text,
	                 HEAD("concurrency", "1") "{\"timestamp\":1,\"response_timestamps\":[1]},"
	                                          "{\"timestamp\":100,"
	                                          "\"response_timestamps\":[%s],"
	                                          "\"response_outputs\":[%s]}" TAIL(""),
	                 answers, outputs);
	input = input_of(text.data, profile);
	assert_int_equal(input->requests->count + input->requests->failed, 2);
	if (input->requests->count == 2)
		took = input->requests->end_ns[1] - 100;
	weir_text_release(&text);
	weir_profile_free(profile);
	return took;
}

static void a_streamed_answer_has_a_first_token_and_gaps(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		input_of(HEAD("concurrency", "8") STREAMED TAIL("1767225600000000000,"
	                                                        "1767225601000000000"),
	                 profile);
	const struct weir_requests *requests = input->requests;
	const struct weir_series *gaps =
		weir_series_find(&input->run->stages, "inter_token_latency");

	(void)state;
	assert_int_equal(requests->count, 1);
	assert_true(requests->client);
	assert_int_equal(requests->time_base, WEIR_TIME_UNIX);
	assert_true(requests->start_ns[0] == 1767225600000000100);
	assert_true(requests->end_ns[0] == 1767225600000000200);
	assert_int_equal(requests->first_token_ns[0], 50);
	assert_int_equal(requests->part_count[0], 2);
	assert_int_equal(requests->part_ns[0], 50);
	assert_int_equal(requests->part_ns[1], 50);
	assert_non_null(gaps);
	assert_int_equal(gaps->count, 2);
	assert_true(gaps->value[0] == 20 && gaps->value[1] == 30);
	assert_string_equal(weir_run_label(input->run, "max_concurrency"), "8");
	assert_true(requests->duration_s == 1);
	assert_true(isnan(requests->requested_per_s));
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		assert_int_equal(input->warnings[code].count, 0);
	weir_profile_free(profile);
}

static void without_streaming_there_is_no_first_token(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		input_of(HEAD("request_rate",
	                      "12.5") "{\"timestamp\":5,\"response_timestamps\":"
	                              "[25],\"response_outputs\":[{\"O\":\"x\"}]}" TAIL("1, 99"),
	                 profile);

	(void)state;
	assert_int_equal(input->requests->end_ns[0], 25);
	assert_int_equal(input->requests->first_token_ns[0], WEIR_UNKNOWN_COUNT);
	assert_int_equal(input->requests->part_count[0], 0);
	assert_true(input->requests->requested_per_s == 12.5);
	assert_null(input->run);
	weir_profile_free(profile);
}

static void one_chunk_among_streams_is_the_first_token(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		input_of(HEAD("request_rate", "0.0") "{\"timestamp\":5,\"response_timestamps\":"
	                                             "[25]}," STREAMED TAIL(""),
	                 profile);

	(void)state;
	assert_int_equal(input->requests->count, 2);
	assert_int_equal(input->requests->first_token_ns[0], 20);
	assert_true(isnan(input->requests->requested_per_s));
	assert_null(weir_run_label(input->run, "request_rate"));
	weir_profile_free(profile);
}

static void the_end_of_a_stream_is_not_an_answer(void **state)
{
	(void)state;
	assert_int_equal(duration_with("110,120,190", CHUNK "," CHUNK "," DONE), 20);
	assert_int_equal(duration_with("110,120,190", CHUNK "," CHUNK ",{\"response\":\"\"}"), 20);
	assert_int_equal(duration_with("110,120,190", CHUNK "," CHUNK ",{\"response\":null}"), 20);
	assert_int_equal(duration_with("110,120,190", CHUNK "," DONE ",{\"response\":\"\\n\"}"),
	                 10);
	assert_int_equal(duration_with("110,120,190", CHUNK "," CHUNK ",\"[DONE]\""), 20);
	assert_int_equal(duration_with("110,120,190", CHUNK "," CHUNK ",{}"), 20);
	assert_int_equal(duration_with("110,120,190", CHUNK "," DONE "," CHUNK), 90);
	assert_int_equal(duration_with("110,120,190", "{},{},{}"), 90);     /* not recorded */
	assert_int_equal(duration_with("110,120,190", CHUNK "," DONE), 90); /* of which answer? */
	assert_int_equal(duration_with("110,120,190", ""), 90);
	assert_int_equal(duration_with("110", "{\"O\":[1,2]}"), 10);
	assert_int_equal(duration_with("", ""), -1);
}

static void only_requests_that_end_in_the_measurement_count(void **state)
{
	static const char text[] =
		HEAD("concurrency",
	             "1") "{\"timestamp\":5,\"response_timestamps\":[99]},"
			  "{\"timestamp\":6,\"response_timestamps\":[100]},"
			  "{\"timestamp\":7,\"response_timestamps\":[]},"
			  "{\"timestamp\":150,\"response_timestamps\":[200]},"
			  "{\"timestamp\":160,\"response_timestamps\":[]},"
			  "{\"timestamp\":170,\"response_timestamps\":[201]}" TAIL("150,100,200");
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(text, profile);

	(void)state;
	assert_int_equal(input->requests->count, 2);
	assert_int_equal(input->requests->start_ns[0], 6);
	assert_int_equal(input->requests->start_ns[1], 150);
	assert_int_equal(input->requests->failed, 1);
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 1);
	assert_int_equal(input->events, 6);
	weir_profile_free(profile);
	expect_refused(HEAD("concurrency", "1") STREAMED TAIL("1,2"), WEIR_E_EMPTY,
	               "ends within window_boundaries");
}

static void keys_come_in_any_order(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(
		"{\"version\":\"2\",\"experiments\":[{\"window_boundaries\":[1,50],\"requests\":["
		"{\"response_outputs\":[{\"r\":\"x\"},{\"r\":\"\"}],\"response_timestamps\":[20,"
		"60],\"timestamp\":5},{\"response_timestamps\":[20,50],\"timestamp\":6}],"
		"\"experiment\":{\"value\":3,\"mode\":\"concurrency\"}}]}",
		profile);

	(void)state;
	assert_int_equal(input->requests->count, 2);
	assert_int_equal(input->requests->end_ns[0], 20);
	assert_string_equal(weir_run_label(input->run, "max_concurrency"), "3");
	weir_profile_free(profile);
}

static void malformed_times_are_left_out_and_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		input_of(HEAD("concurrency",
	                      "1") "{\"timestamp\":\"x\",\"response_timestamps\":[9]},"
	                           "{\"response_timestamps\":[9]},7,"
	                           "{\"timestamp\":5,\"response_timestamps\":[4]},"
	                           "{\"timestamp\":5,\"response_timestamps\":[9,null,-1]}" TAIL(""),
	                 profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_NO_TIME].count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_NEGATIVE_DURATION].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 2);
	weir_profile_free(profile);
}

static void several_experiments_are_several_runs(void **state)
{
	(void)state;
	expect_refused("{\"experiments\":[{\"requests\":[]},{\"requests\":[]}]}", WEIR_E_FORMAT,
	               "several experiments, but one input is one run");
}

static void nothing_to_analyse_is_an_error(void **state)
{
	(void)state;
	expect_refused("{\"experiments\":[]}", WEIR_E_EMPTY, "no request");
	expect_refused(HEAD("concurrency", "1") TAIL("1,2"), WEIR_E_EMPTY, "no request");
	expect_refused(
		HEAD("concurrency", "1") "{\"timestamp\":5,\"response_timestamps\":[]}" TAIL(""),
		WEIR_E_EMPTY, "none of its 1 requests completed");
}

static void a_file_cut_anywhere_reads_or_fails_in_one_line(void **state)
{
	static const char whole[] = HEAD("concurrency", "8") STREAMED "," STREAMED TAIL("");
	static const size_t ends[] = {sizeof HEAD("concurrency", "8") STREAMED - 1,
	                              sizeof HEAD("concurrency", "8") STREAMED "," STREAMED - 1};

	(void)state;
	for (size_t len = 1; len < sizeof whole; len++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_error err = {0};
		size_t rows = 0;

		while (rows < 2 && ends[rows] <= len)
			rows++;
		assert_int_equal(reading_try(&weir_reader_perf_analyzer, whole, len, profile, &err),
		                 rows ? WEIR_OK : WEIR_E_EMPTY);
		assert_null(strchr(err.message, '\n'));
		if (rows) {
			const struct weir_input *input = &profile->inputs[0];

			assert_int_equal(input->requests->count, rows);
			assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count,
			                 len < sizeof whole - 1);
		}
		weir_profile_free(profile);
	}
}

static void exports_are_known_by_their_keys(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(HEAD("concurrency", "8") STREAMED), "perf_analyzer");
	assert_string_equal(reading_claims("{\"experiments\": []}"), "none");
	assert_string_equal(reading_claims("{\"x\": {\"experiments\": [{\"requests\": 1}]}}"),
	                    "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_streamed_answer_has_a_first_token_and_gaps),
		cmocka_unit_test(without_streaming_there_is_no_first_token),
		cmocka_unit_test(one_chunk_among_streams_is_the_first_token),
		cmocka_unit_test(the_end_of_a_stream_is_not_an_answer),
		cmocka_unit_test(only_requests_that_end_in_the_measurement_count),
		cmocka_unit_test(keys_come_in_any_order),
		cmocka_unit_test(malformed_times_are_left_out_and_counted),
		cmocka_unit_test(several_experiments_are_several_runs),
		cmocka_unit_test(nothing_to_analyse_is_an_error),
		cmocka_unit_test(a_file_cut_anywhere_reads_or_fails_in_one_line),
		cmocka_unit_test(exports_are_known_by_their_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
