/* SPDX-License-Identifier: GPL-3.0-or-later */
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

#define SAMPLES "samples/triton/"

#define AT(id, name, ns)        "{\"id\":" #id ",\"timestamps\":[{\"name\":\"" name "\",\"ns\":" #ns "}]},"
#define HANDLER(id, start, end) AT(id, "REQUEST_START", start) AT(id, "REQUEST_END", end)
#define COMPUTE(id, start, in, out, end)                                                           \
	AT(id, "COMPUTE_START", start)                                                             \
	AT(id, "COMPUTE_INPUT_END", in)                                                            \
	AT(id, "COMPUTE_OUTPUT_START", out) AT(id, "COMPUTE_END", end)
#define HTTP(id, start, received, send, end)                                                       \
	AT(id, "HTTP_RECV_START", start)                                                           \
	AT(id, "HTTP_RECV_END", received)                                                          \
	AT(id, "HTTP_SEND_START", send) AT(id, "HTTP_SEND_END", end)
/* Queue 20, input 5, infer 50, output 5, overheads 10 and 10. */
#define WHOLE(id)                                                                                  \
	HANDLER(id, 1000, 1100) AT(id, "QUEUE_START", 1010) COMPUTE(id, 1030, 1035, 1085, 1090)
#define STEP(id, parent)                                                                           \
	"{\"id\":" #id ",\"model_name\":\"s\",\"model_version\":1,\"parent_id\":" #parent "},"
#define END "{}]"

/* The sample of Triton's documentation, which also states its durations. */
static const char sample[] =
	"[{\"id\":1,\"model_name\":\"resnet\",\"model_version\":1,\"request_id\":\"r-1\"}," AT(
		1, "REQUEST_START", 9007199254741100) AT(1, "QUEUE_START", 9007199254741200)
		AT(1, "COMPUTE_START",
                   9007199254751200) AT(1, "COMPUTE_INPUT_END",
                                        9007199254753200) AT(1, "COMPUTE_OUTPUT_START",
                                                             9007199254793200) AT(1, "COMPUTE_END",
                                                                                  9007199254794200)
			AT(1, "REQUEST_END", 9007199254794300) AT(
				1, "HTTP_RECV_START", 9007199254740992) AT(1, "HTTP_RECV_END",
                                                                           9007199254741042)
				AT(1, "HTTP_SEND_START",
                                   9007199254794400) "{\"id\":1,\"timestamps\":[{\"name\":\"HTTP_"
						     "SEND_END\",\"ns\":9007199254794500}]}]";

/* Reads a text, which must succeed. The input is valid until the next call; the profile frees it.
 */
static const struct weir_input *input_of(const char *text, struct weir_profile *profile)
{
	return reading_of(&weir_reader_triton, text, profile);
}

static void expect_refused(const char *text, enum weir_status status, const char *message)
{
	reading_refuses(&weir_reader_triton, text, status, message);
}

/* Lists the parts of a request: "queue 10+20" starts 10 ns after the request and lasts 20 ns. */
static void expect_parts(const struct weir_requests *requests, size_t row, const char *expected)
{
	struct weir_text text = {0};
	uint64_t first = requests->part_first[row];

	for (uint64_t i = first; i < first + requests->part_count[row]; i++)
		weir_text_printf(&text, "%s%s %lld+%lld", i > first ? ", " : "",
		                 weir_requests_stage_name(requests, requests->part_stage[i]),
		                 (long long)requests->part_offset_ns[i],
		                 (long long)requests->part_ns[i]);
	assert_string_equal(text.data ? text.data : "", expected);
	weir_text_release(&text);
}

/* Expects one request with this duration and these parts, and no warning. */
static void expect_one(const char *text, int64_t duration_ns, const char *parts)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(text, profile);

	assert_int_equal(input->requests->count, 1);
	assert_int_equal(input->requests->end_ns[0] - input->requests->start_ns[0], duration_ns);
	expect_parts(input->requests, 0, parts);
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		if (input->warnings[code].count && code != WEIR_WARN_SKIPPED_EVENT)
			fail_msg("warning %d", code);
	weir_profile_free(profile);
}

/* Expects this number of requests, and this warning for the dropped ones. */
static void expect_left(const char *text, size_t requests, enum weir_warning_code code,
                        uint64_t count)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = input_of(text, profile);

	assert_int_equal(input->requests->count, requests);
	assert_int_equal(input->warnings[code].count, count);
	weir_profile_free(profile);
}

static void the_published_sample_splits_as_published(void **state)
{
	(void)state;
	expect_one(sample, 53508,
	           "queue 208+10000, h2d 10208+2000, compute 12208+40000, d2h 52208+1000, "
	           "handler_overhead 108+100, handler_overhead 53208+100, preprocess 0+50, "
	           "http_overhead 50+58, http_overhead 53308+100, postprocess 53408+100");
}

static void times_keep_every_nanosecond(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_requests *requests = input_of(sample, profile)->requests;

	(void)state;
	assert_true(requests->start_ns[0] == INT64_C(9007199254740992));
	assert_true(requests->end_ns[0] == INT64_C(9007199254794500));
	assert_int_equal(requests->time_base, WEIR_TIME_MONOTONIC);
	assert_true(requests->sampled);
	weir_profile_free(profile);
}

#define WHOLE_PARTS                                                                                \
	"queue 10+20, h2d 30+5, compute 35+50, d2h 85+5, handler_overhead 0+10, "                  \
	"handler_overhead 90+10"

static void fragments_lie_in_any_order(void **state)
{
	(void)state;
	expect_one("[" COMPUTE(7, 1030, 1035, 1085, 1090) AT(7, "REQUEST_END", 1100)
	                   AT(7, "QUEUE_START", 1010) AT(7, "REQUEST_START", 1000) END,
	           100, WHOLE_PARTS);
	/* Many times in one fragment, as older servers write them, and the id last. */
	expect_one("[{\"timestamps\":[{\"name\":\"REQUEST_START\",\"ns\":1000},{\"ns\":1010,"
	           "\"name\":\"QUEUE_START\"},{\"name\":\"REQUEST_END\",\"ns\":1100}],\"id\":7}," //
	           COMPUTE(7, 1030, 1035, 1085, 1090) END,
	           100, WHOLE_PARTS);
	expect_one("[" AT(7, "QUEUE_START", 1010)
	                   HANDLER(7, 1000, 1100) "{\"id\":8,\"timestamps\":[]}," COMPUTE(
				   7, 1030, 1035, 1085, 1090) END,
	           100, WHOLE_PARTS);
}

static void ids_use_all_of_64_bits(void **state)
{
	(void)state;
	expect_left("[" WHOLE(18446744073709551615) WHOLE(18446744073709551614) END, 2,
	            WEIR_WARN_DUPLICATE, 0);
	expect_left("[" WHOLE(1) WHOLE(18446744073709551616) END, 1, WEIR_WARN_SKIPPED_EVENT, 8);
}

static void waiting_for_a_call_is_not_part_of_the_call(void **state)
{
	(void)state;
	expect_one("[" AT(1, "GRPC_WAITREAD_START", 5) AT(1, "GRPC_WAITREAD_END", 990)
	                   AT(1, "GRPC_SEND_START", 1110) AT(1, "GRPC_SEND_END", 1130) WHOLE(1) END,
	           140,
	           "queue 20+20, h2d 40+5, compute 45+50, d2h 95+5, handler_overhead 10+10, "
	           "handler_overhead 100+10, http_overhead 0+10, http_overhead 110+10, "
	           "postprocess 120+20");
}

static void timestamps_of_backends_are_ignored(void **state)
{
	(void)state;
	expect_one("[" AT(1, "TOKENIZE_START", 1) AT(1, "CUSTOM_ACTIVITY", 9999)
	                   AT(1, "INFER_RESPONSE_COMPLETE", 1095) WHOLE(1) END,
	           100, WHOLE_PARTS);
}

static void steps_of_an_ensemble_are_parts_of_its_request(void **state)
{
	(void)state;
	/* A step before its parent, two steps that overlap, and the scheduler between them. */
	expect_one("[" STEP(2, 1) HANDLER(2, 20, 40) COMPUTE(2, 20, 22, 38, 40) //
	           HTTP(1, 0, 5, 95, 100) HANDLER(1, 10, 90) AT(1, "QUEUE_START", 11) STEP(3, 1)
	                   HANDLER(3, 50, 80) COMPUTE(3, 50, 52, 78, 80) //
	           STEP(4, 1) HANDLER(4, 60, 85) COMPUTE(4, 60, 60, 85, 85) END,
	           100,
	           "ensemble_scheduler 10+10, ensemble_scheduler 40+10, ensemble_scheduler 85+5, "
	           "h2d 20+2, compute 22+16, d2h 38+2, h2d 50+2, compute 52+26, d2h 78+2, "
	           "h2d 60+0, compute 60+25, d2h 85+0, preprocess 0+5, http_overhead 5+5, "
	           "http_overhead 90+5, postprocess 95+5");
}

static void ensembles_may_contain_ensembles(void **state)
{
	(void)state;
	expect_one("[" HANDLER(1, 0, 100) STEP(2, 1) HANDLER(2, 10, 90) STEP(3, 2)
	                   HANDLER(3, 20, 80) COMPUTE(3, 20, 20, 80, 80) END,
	           100,
	           "ensemble_scheduler 0+10, ensemble_scheduler 90+10, ensemble_scheduler 10+10, "
	           "ensemble_scheduler 80+10, h2d 20+0, compute 20+60, d2h 80+0");
}

/* Business logic that calls other models from its own execution. */
static void compute_of_a_caller_excludes_its_calls(void **state)
{
	(void)state;
	expect_one("[" HANDLER(1, 0, 100) COMPUTE(1, 10, 10, 90, 90) STEP(2, 1) HANDLER(2, 30, 60)
	                   AT(2, "QUEUE_START", 30) COMPUTE(2, 40, 40, 60, 60) END,
	           100,
	           "h2d 10+0, compute 10+20, compute 60+30, d2h 90+0, handler_overhead 0+10, "
	           "handler_overhead 90+10, queue 30+10, h2d 40+0, compute 40+20, d2h 60+0");
}

static void work_after_the_answer_is_cut_off(void **state)
{
	(void)state;
	expect_one("[" HTTP(1, 990, 1000, 1040, 1087) WHOLE(1) END, 97,
	           "queue 20+20, h2d 40+5, compute 45+50, d2h 95+2, handler_overhead 10+10, "
	           "preprocess 0+10, postprocess 50+47");
}

static void an_answer_in_parts_is_sent_from_first_to_last(void **state)
{
	(void)state;
	expect_one("[" HTTP(1, 990, 1000, 1102, 1104) WHOLE(1) AT(1, "HTTP_SEND_START", 1110)
	                   AT(1, "HTTP_SEND_END", 1120) END,
	           130,
	           "queue 20+20, h2d 40+5, compute 45+50, d2h 95+5, handler_overhead 10+10, "
	           "handler_overhead 100+10, preprocess 0+10, http_overhead 110+2, "
	           "postprocess 112+18");
}

static void an_answer_from_the_cache_has_no_compute(void **state)
{
	(void)state;
	expect_one("[" HTTP(1, 0, 5, 25, 30) HANDLER(1, 10, 20) END, 30,
	           "handler_overhead 10+10, preprocess 0+5, http_overhead 5+5, http_overhead 20+5, "
	           "postprocess 25+5");
}

static void cancelled_requests_are_counted(void **state)
{
	(void)state;
	expect_left("[" WHOLE(1) AT(2, "HTTP_RECV_START", 5) AT(2, "HTTP_RECV_END", 6) END, 1,
	            WEIR_WARN_UNFINISHED, 1);
	expect_left("[" WHOLE(1) AT(2, "HTTP_RECV_START", 5) AT(2, "HTTP_RECV_END", 6)
	                    HANDLER(2, 7, 8) HANDLER(3, 7, 8) AT(4, "GRPC_WAITREAD_START", 8) END,
	            1, WEIR_WARN_UNFINISHED, 3);
	/* A step without an end drops its request. */
	expect_left("[" WHOLE(1) HANDLER(2, 7, 90) STEP(3, 2) AT(3, "REQUEST_START", 8) END, 1,
	            WEIR_WARN_UNFINISHED, 1);
}

static void times_without_their_partner_drop_the_request(void **state)
{
	(void)state;
	expect_left("[" WHOLE(1) HANDLER(2, 5, 90) AT(2, "COMPUTE_START", 6) END, 1,
	            WEIR_WARN_NO_TIME, 1);
	expect_left("[" WHOLE(1) WHOLE(2) AT(2, "GRPC_SEND_END", 1200)
	                    AT(2, "GRPC_SEND_START", 1190) END,
	            1, WEIR_WARN_NO_TIME, 1);
	expect_left("[" WHOLE(1) AT(3, "REQUEST_END", 9) COMPUTE(3, 5, 6, 7, 8) END, 1,
	            WEIR_WARN_NO_TIME, 1);
}

static void times_that_run_backwards_drop_the_request(void **state)
{
	(void)state;
	expect_left("[" WHOLE(1) HANDLER(2, 10, 90) COMPUTE(2, 20, 30, 25, 40) END, 1,
	            WEIR_WARN_NEGATIVE_DURATION, 1);
	expect_left("[" WHOLE(1) WHOLE(2) HTTP(2, 980, 970, 1110, 1120) END, 1,
	            WEIR_WARN_NEGATIVE_DURATION, 1);
}

static void malformed_times_are_counted(void **state)
{
	(void)state;
	expect_left("[" WHOLE(1) AT(1, "QUEUE_START", 9223372036854775808) AT(1, "QUEUE_START", -1)
	                    AT(1, "QUEUE_START", 1.5) END,
	            1, WEIR_WARN_BAD_NUMBER, 3);
}

static void a_time_given_twice_is_counted(void **state)
{
	(void)state;
	expect_left("[" WHOLE(1) AT(1, "REQUEST_END", 1100) END, 1, WEIR_WARN_DUPLICATE, 1);
}

static void steps_without_a_parent_become_requests(void **state)
{
	(void)state;
	expect_left("[" WHOLE(1) STEP(2, 99) WHOLE(2) END, 2, WEIR_WARN_ORPHAN_SPAN, 1);
}

static void traces_in_a_circle_are_left_out(void **state)
{
	(void)state;
	expect_left("[" WHOLE(1) STEP(2, 3) WHOLE(2) STEP(3, 2) WHOLE(3) STEP(4, 4) WHOLE(4) END, 1,
	            WEIR_WARN_INCONSISTENT, 3);
}

static void an_array_without_its_end_is_read(void **state)
{
	(void)state;
	expect_left("[" WHOLE(1) WHOLE(2), 2, WEIR_WARN_TRUNCATED, 1);
	expect_left("[" WHOLE(1) WHOLE(2) "{\"id\":3,\"timest", 2, WEIR_WARN_TRUNCATED, 1);
}

static void names_with_quotes_and_backslashes_are_read(void **state)
{
	(void)state;
	expect_left(
		"[{\"id\":1,\"model_name\":\"m\",\"model_version\":1,\"request_id\":\"a\"b\"}"
		"," WHOLE(1) "{\"id\":2,\"model_name\":\"m\",\"model_version\":-1,\"request_id\":"
			     "\"c\\\"}," WHOLE(2) "{\"id\":3,\"model_name\":\"m\nn\"}," WHOLE(
				     3) "{\"id\":4,\"activity\":\"TENSOR_QUEUE_INPUT\",\"tensor\":{"
					"\"name\":\"s\","
					"\"data\":\"\"male\",\"fe\\male\"\",\"shape\":\"1,2\","
					"\"dtype\":\"BYTES\"}}," WHOLE(4) END,
		4, WEIR_WARN_SKIPPED_EVENT, 1);
}

static void an_element_beyond_repair_costs_no_other(void **state)
{
	(void)state;
	expect_left("[" WHOLE(1) "{\"id\":2,:::}," WHOLE(3) "{\"id\":2,\"timestamps\":]}," WHOLE(4)
	                    END,
	            3, WEIR_WARN_TRUNCATED, 0);
}

static void arrays_after_each_other_are_read(void **state)
{
	(void)state;
	expect_left("[" WHOLE(1) END "\n[" WHOLE(2) END, 2, WEIR_WARN_TRAILING, 0);
	/* From two servers, which both count from 1. */
	expect_left("[" WHOLE(1) HANDLER(2, 0, 9) STEP(3, 2) WHOLE(3) END //
	            "[" WHOLE(1) HANDLER(2, 0, 9) STEP(3, 2) WHOLE(3) END,
	            4, WEIR_WARN_DUPLICATE, 0);
}

static void a_trace_cut_in_two_by_arrays_is_one(void **state)
{
	(void)state;
	expect_one("[" HANDLER(7, 1000, 1100) END "[" AT(7, "QUEUE_START", 1010)
	                   COMPUTE(7, 1030, 1035, 1085, 1090) END,
	           100, WHOLE_PARTS);
	expect_one("[" HANDLER(1, 0, 100) END "[" STEP(2, 1) HANDLER(2, 10, 90) END //
	           "[" COMPUTE(2, 10, 10, 90, 90) END,
	           100,
	           "ensemble_scheduler 0+10, ensemble_scheduler 90+10, h2d 10+0, compute 10+80, "
	           "d2h 90+0");
}

static void a_missing_comma_is_not_damage(void **state)
{
	(void)state;
	expect_left("[{\"id\": 1 \"model_name\": \"m\"}," WHOLE(1) END, 1, WEIR_WARN_REPAIRED_TEXT,
	            0);
}

static void a_file_without_traces_is_not_an_error(void **state)
{
	static const char *const texts[] = {"", "\n", "[]", "[ ]\n", "[][]"};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct weir_profile *profile = weir_profile_new();

		assert_int_equal(input_of(texts[i], profile)->requests->count, 0);
		weir_profile_free(profile);
	}
}

static void files_without_requests_are_refused(void **state)
{
	(void)state;
	expect_refused("{\"id\": 1}", WEIR_E_FORMAT, "an object, expected the array");
	expect_refused("[1, 2]", WEIR_E_FORMAT, "no element of this array");
	expect_refused("[{\"id\":1,\"activity\":\"TENSOR_QUEUE_INPUT\",\"tensor\":{}}]",
	               WEIR_E_EMPTY, "tensors only");
	expect_refused("[{\"id\":1,\"model_name\":\"m\"}]", WEIR_E_EMPTY, "level=TIMESTAMPS");
	expect_refused("[" AT(1, "HTTP_RECV_START", 5) "{}]", WEIR_E_EMPTY, "no complete request");
}

static int sniff(const char *text)
{
	return weir_sniff_reader(&weir_reader_triton, text, strlen(text));
}

static void traces_are_known_by_their_keys(void **state)
{
	(void)state;
	assert_int_equal(sniff(sample), 8 * (2 + 10 + 13));
	assert_int_equal(sniff("[" WHOLE(1)), 8 * (2 + 10));
	assert_int_equal(sniff(" [ {\"id\":1,\"activity\":\"TENSOR"), 8 * (2 + 8));
	assert_int_equal(sniff("[]"), 0);
	assert_int_equal(sniff(""), 0);
	assert_int_equal(sniff("[{\"id\":1,\"traceId\":\"a\",\"timestamp\":5}]"), 0);
	assert_int_equal(sniff("{\"id\":1,\"timestamps\":[]}"), 0);
}

/* A cut file is read up to the cut, or refused in one line. */
static void every_prefix_reads_or_is_refused_with_a_reason(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof sample; len++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_error err = {0};
		enum weir_status status =
			reading_try(&weir_reader_triton, sample, len, profile, &err);

		assert_int_equal(!status, !err.message[0]);
		if (!status)
			assert_true(profile->inputs[0].requests->count <= 1);
		weir_profile_free(profile);
	}
}

static void the_documented_example_is_one_request(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_sample(SAMPLES "docs_example_2.json", &weir_reader_triton, NULL, profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	expect_parts(input->requests, 0,
	             "queue 204073+95681, h2d 299754+2265710, compute 2565464+344855, "
	             "d2h 2910319+43226, handler_overhead 198419+5654, "
	             "handler_overhead 2953545+102175, preprocess 0+44864, "
	             "http_overhead 44864+153555, http_overhead 3055720+38414, "
	             "postprocess 3094134+31413");
	weir_profile_free(profile);
}

static void the_documented_tensors_have_no_time(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	reading_sample(SAMPLES "docs_example_3.json", NULL, "tensors only", profile);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_sample_splits_as_published),
		cmocka_unit_test(times_keep_every_nanosecond),
		cmocka_unit_test(fragments_lie_in_any_order),
		cmocka_unit_test(ids_use_all_of_64_bits),
		cmocka_unit_test(waiting_for_a_call_is_not_part_of_the_call),
		cmocka_unit_test(timestamps_of_backends_are_ignored),
		cmocka_unit_test(steps_of_an_ensemble_are_parts_of_its_request),
		cmocka_unit_test(ensembles_may_contain_ensembles),
		cmocka_unit_test(compute_of_a_caller_excludes_its_calls),
		cmocka_unit_test(work_after_the_answer_is_cut_off),
		cmocka_unit_test(an_answer_in_parts_is_sent_from_first_to_last),
		cmocka_unit_test(an_answer_from_the_cache_has_no_compute),
		cmocka_unit_test(cancelled_requests_are_counted),
		cmocka_unit_test(times_without_their_partner_drop_the_request),
		cmocka_unit_test(times_that_run_backwards_drop_the_request),
		cmocka_unit_test(malformed_times_are_counted),
		cmocka_unit_test(a_time_given_twice_is_counted),
		cmocka_unit_test(steps_without_a_parent_become_requests),
		cmocka_unit_test(traces_in_a_circle_are_left_out),
		cmocka_unit_test(an_array_without_its_end_is_read),
		cmocka_unit_test(names_with_quotes_and_backslashes_are_read),
		cmocka_unit_test(an_element_beyond_repair_costs_no_other),
		cmocka_unit_test(arrays_after_each_other_are_read),
		cmocka_unit_test(a_trace_cut_in_two_by_arrays_is_one),
		cmocka_unit_test(a_missing_comma_is_not_damage),
		cmocka_unit_test(a_file_without_traces_is_not_an_error),
		cmocka_unit_test(files_without_requests_are_refused),
		cmocka_unit_test(traces_are_known_by_their_keys),
		cmocka_unit_test(every_prefix_reads_or_is_refused_with_a_reason),
		cmocka_unit_test(the_documented_example_is_one_request),
		cmocka_unit_test(the_documented_tensors_have_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
