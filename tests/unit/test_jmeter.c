/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests lists of results of JMeter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define HEADER "timeStamp,elapsed,label,responseMessage,success,Latency,IdleTime,Connect\n"
#define ONE    "1700000000100,50,A,OK,true,40,0,3\n"
#define TWO    "1700000000000,30,\"B, c\",OK,true,20,0,0\n"
#define FAILED "1700000000200,9,A,ERR,false,8,0,0\n"
#define WHOLE                                                                                      \
	"1700000000000,80,All,\"Number of samples in transaction : 2, number of failing samples "  \
	": 0\",true,60,0,3\n"

static const struct weir_reader *const reader = &weir_reader_jmeter;

static void rows_become_requests_with_their_parts(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, HEADER ONE TWO FAILED WHOLE, profile);
	const struct weir_requests *requests = input->requests;

	(void)state;
	assert_int_equal(requests->count, 2);
	assert_int_equal(requests->failed, 1);
	assert_true(requests->client);
	assert_int_equal(requests->time_base, WEIR_TIME_UNIX);
	assert_true(requests->start_ns[0] == INT64_C(1700000000000000000));
	assert_true(requests->end_ns[1] - requests->start_ns[1] == 50000000);
	reading_expects_parts(requests, 0, "wait_for_response=20000000 receive_response=10000000");
	reading_expects_parts(
		requests, 1,
		"connect=3000000 wait_for_response=37000000 receive_response=10000000");
	reading_expects_stage(input->run, "request@A", 1, (const double[]){50e6});
	reading_expects_stage(input->run, "request@B, c", 1, (const double[]){30e6});
	reading_expects_label(input->run, "request@A/completed", "1");
	reading_expects_label(input->run, "request@A/failed", "1");
	assert_int_equal(input->run->stages.count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 1);
	weir_profile_free(profile);
}

static void transactions_count_where_there_is_nothing_else(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, HEADER WHOLE HEADER WHOLE, profile);

	(void)state;
	assert_int_equal(input->requests->count, 2);
	assert_true(input->requests->end_ns[0] - input->requests->start_ns[0] == 80000000);
	assert_null(input->run);
	weir_profile_free(profile);
}

static void dates_tell_differences_alone(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		HEADER "2026/01/31 10:00:01,50,A,OK,true,0,0,0\n2026/01/31 10:00:00.5,50,A,OK,true,"
		       "60,0,0\n2026/13/01 x,1,A,OK,true,1,0,0\n",
		profile);
	const struct weir_requests *requests = input->requests;

	(void)state;
	assert_int_equal(requests->count, 2);
	assert_int_equal(requests->time_base, WEIR_TIME_MONOTONIC);
	assert_true(requests->start_ns[1] - requests->start_ns[0] == 500000000);
	reading_expects_parts(requests, 1, "");
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	weir_profile_free(profile);
}

static void impossible_rows_are_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		HEADER ONE "1,-5,A,OK,true,1,0,0\n1,99999999999999999,A,OK,true,1,0,0\n"
			   "nan,5,A,OK,true,1,0,0\n1,nan,A,OK,true,1,0,0\n1,5,A,OK,maybe,1,0,0\n"
			   "9223372036000,5,A,OK,true,1,0,0\n1,5,A,OK\n17000000",
		profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_RAGGED_ROW].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 1);
	weir_profile_free(profile);
}

static void damaged_lists_are_read_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(reader, HEADER ONE TWO FAILED WHOLE);
	reading_refuses(reader, HEADER FAILED, WEIR_E_EMPTY, "none of its 1 requests completed");
	reading_refuses(reader, HEADER, WEIR_E_EMPTY, "no request");
	reading_refuses(reader, ONE, WEIR_E_FORMAT, "line 1: expected the column timeStamp");
	reading_refuses(reader, HEADER ONE "timeStamp,elapsed,label\n", WEIR_E_FORMAT,
	                "line 3: expected the column success");
}

static void other_files_of_jmeter_are_refused_by_name(void **state)
{
	static const char *const heads[] = {
		"timeStamp,elapsed,label,responseCode\n1,2,a,200\n",
		"<?xml version=\"1.0\"?>\n<testResults version=\"1.2\">\n<httpSample t=\"1\"/>\n",
		"Label,# Samples,Average,Median,90% Line,Min,Max,Error %\n",
		"Creating summariser <summary>\nCreated the tree successfully using t.jmx\n"
		"summary =     60 in 00:00:03 =   19.8/s Avg:   149 Min:     1 Max:   300 Err:     "
		"0 "
		"(0.00%)\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_error err = {0};

		assert_int_equal(weir_read_memory(profile, "x", heads[i], strlen(heads[i]),
		                                  &(struct weir_read_options){0}, &err),
		                 WEIR_E_FORMAT);
		assert_non_null(strstr(err.message, "JMeter"));
		weir_profile_free(profile);
	}
	assert_string_equal(reading_claims(HEADER ONE), "jmeter");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_become_requests_with_their_parts),
		cmocka_unit_test(transactions_count_where_there_is_nothing_else),
		cmocka_unit_test(dates_tell_differences_alone),
		cmocka_unit_test(impossible_rows_are_counted),
		cmocka_unit_test(damaged_lists_are_read_or_refused),
		cmocka_unit_test(other_files_of_jmeter_are_refused_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
