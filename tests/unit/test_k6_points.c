/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points of k6's metrics, as JSON lines and as a table: durations of requests are samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA "tests/data/k6/"
#define POINT(metric, value, tags)                                                                 \
	"{\"metric\":\"" metric                                                                    \
	"\",\"type\":\"Point\",\"data\":{\"time\":\"2026-01-06T10:00:00Z\","                       \
	"\"value\":" value ",\"tags\":{" tags "}}}\n"
#define OK(value)    POINT("http_req_duration", value, "\"expected_response\":\"true\"")
#define HEADER       "metric_name,timestamp,metric_value,error,error_code,expected_response,status\n"
#define ROW(v, tags) "http_req_duration,1767693600," v "," tags "\n"

static const struct weir_reader *const reader = &weir_reader_k6_points;

static void expect_samples(const struct weir_input *input)
{
	static const double ns[] = {12500000, 11250000, 13100000, 12900000, 45004000};

	assert_int_equal(input->run->stages.count, 1);
	reading_expects_stage(input->run, "latency", 5, ns);
	assert_string_equal(weir_run_label(input->run, "completed"), "5");
	assert_string_equal(weir_run_label(input->run, "failed"), "2");
	assert_string_equal(weir_run_label(input->run, "vus"), "3");
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
}

static void durations_of_requests_that_succeeded_are_samples(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	expect_samples(reading_file(reader, DATA "points.jsonl", profile));
	expect_samples(reading_file(reader, DATA "points.csv", profile));
	weir_profile_free(profile);
}

/* Returns the number of requests that failed in a text with one that succeeded. */
static uint64_t failed_in(const char *text)
{
	struct weir_profile *profile = weir_profile_new();
	uint64_t failed =
		reading_of(reader, text, profile)->warnings[WEIR_WARN_FAILED_REQUEST].count;

	weir_profile_free(profile);
	return failed;
}

static void a_tag_tells_which_requests_failed(void **state)
{
	static const struct {
		const char *metric, *tags;
		int failed;
	} cases[] = {
		{"http_req_duration", "\"expected_response\":\"false\",\"status\":\"200\"", 1},
		{"http_req_duration", "\"expected_response\":\"true\",\"status\":\"404\"", 0},
		{"http_req_duration", "\"error_code\":\"1050\"", 1},
		{"http_req_duration", "\"error\":\"timeout\"", 1},
		{"http_req_duration", "\"error\":\"\",\"status\":\"399\"", 0},
		{"http_req_duration", "\"status\":\"400\"", 1},
		{"http_req_duration", "\"status\":\"0\"", 1},
		{"grpc_req_duration", "\"status\":\"0\"", 0},
		{"grpc_req_duration", "\"status\":\"14\"", 1},
		{"http_req_waiting", "\"status\":\"500\"", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_text text = {0};

		weir_text_printf(
			&text,
			OK("1.5") "{\"type\":\"Point\",\"metric\":\"%s\",\"data\":{\"value\":2,"
				  "\"tags\":{%s}}}\n",
			cases[i].metric, cases[i].tags);
		assert_int_equal(failed_in(text.data), cases[i].failed);
		weir_text_release(&text);
	}
	assert_int_equal(failed_in(HEADER ROW("1", ",,true,200") ROW("1", ",,,500")), 1);
}

static void damage_costs_the_line_alone(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	static const double ns[] = {1500000};
	const struct weir_input *input;

	(void)state;
	input = reading_of(reader, OK("1.5") OK("0") OK("-1") OK("\"x\"") OK("1e99"), profile);
	reading_expects_stage(input->run, "latency", 1, ns);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 4);
	input = reading_of(reader, HEADER ROW("1.5", ",,true,200") "http_req_duration,1,7",
	                   profile);
	reading_expects_stage(input->run, "latency", 1, ns);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
	reading_survives_damage(reader, OK("1.5") POINT("vus", "3", "") OK("2"));
	reading_survives_damage(reader, HEADER ROW("1.5", ",,true,200") ROW("1", "\"a\",,,"));
}

static void lists_without_times_of_requests_name_the_summary(void **state)
{
	(void)state;
	reading_refuses(reader, POINT("iteration_duration", "5", ""), WEIR_E_EMPTY,
	                "--summary-export");
	reading_refuses(reader, HEADER, WEIR_E_EMPTY, "--summary-export");
	reading_refuses(reader, POINT("http_req_duration", "5", "\"status\":\"500\""), WEIR_E_EMPTY,
	                "none of the 1 requests");
	assert_string_equal(reading_claims(OK("1")), "k6-points");
	assert_string_equal(reading_claims(HEADER), "k6-points");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_of_requests_that_succeeded_are_samples),
		cmocka_unit_test(a_tag_tells_which_requests_failed),
		cmocka_unit_test(damage_costs_the_line_alone),
		cmocka_unit_test(lists_without_times_of_requests_name_the_summary),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
