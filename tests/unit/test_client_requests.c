/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/loadgen/client_requests.h"

#define UNIX INT64_C(1763800000000000000) /* 2025 */

/* One run of a client, with its input. */
struct fixture {
	struct weir_profile *profile;
	struct weir_input *input;
	struct weir_client_requests client;
};

static struct fixture begin(void)
{
	struct fixture fixture = {.profile = weir_profile_new()};

	fixture.input = weir_profile_add_input(fixture.profile, "test");
	weir_client_requests_init(&fixture.client, fixture.input);
	fixture.input->requests = fixture.client.requests;
	return fixture;
}

static void end(struct fixture *fixture)
{
	weir_client_requests_release(&fixture->client);
	weir_profile_free(fixture->profile);
}

/* Adds a request; times are nanoseconds. */
static bool add(struct fixture *fixture, int64_t sent_ns, int64_t end_ns, int64_t first_token_ns)
{
	struct weir_client_request request = weir_client_request_unknown();

	request.sent_ns = sent_ns;
	request.end_ns = end_ns;
	request.first_token_ns = first_token_ns;
	request.input_tokens = 5;
	request.output_tokens = 7;
	return weir_client_requests_add(&fixture->client, &request, 11);
}

static void a_request_is_its_first_token_and_the_rest(void **state)
{
	struct fixture fixture = begin();
	const struct weir_requests *requests = fixture.input->requests;

	(void)state;
	assert_true(add(&fixture, UNIX + 100, UNIX + 190, UNIX + 130));
	assert_int_equal(weir_client_requests_finish(&fixture.client, NULL), WEIR_OK);
	assert_true(requests->client);
	assert_int_equal(requests->time_base, WEIR_TIME_UNIX);
	assert_int_equal(requests->count, 1);
	assert_int_equal(requests->part_count[0], 2);
	assert_string_equal(weir_requests_stage_name(requests, requests->part_stage[0]),
	                    "time_to_first_token");
	assert_string_equal(weir_requests_stage_name(requests, requests->part_stage[1]), "decode");
	assert_int_equal(requests->part_ns[0], 30);
	assert_int_equal(requests->part_ns[1], 60);
	assert_int_equal(requests->first_token_ns[0], 30);
	assert_int_equal(requests->tokens[0], 5);
	assert_int_equal(requests->output_tokens[0], 7);
	assert_int_equal(requests->batch_size[0], WEIR_UNKNOWN_COUNT);
	assert_int_equal(requests->padded_tokens[0], WEIR_UNKNOWN_COUNT);
	assert_null(fixture.input->run);
	end(&fixture);
}

static void an_answer_in_one_piece_has_no_stages(void **state)
{
	struct fixture fixture = begin();

	(void)state;
	assert_true(add(&fixture, 100, 190, WEIR_CLIENT_UNKNOWN));
	assert_int_equal(weir_client_requests_finish(&fixture.client, NULL), WEIR_OK);
	assert_int_equal(fixture.input->requests->count, 1);
	assert_int_equal(fixture.input->requests->part_count[0], 0);
	assert_int_equal(fixture.input->requests->stage_count, 0);
	end(&fixture);
}

static void a_first_token_after_the_end_is_unknown(void **state)
{
	struct fixture fixture = begin();

	(void)state;
	assert_true(add(&fixture, 100, 190, 191));
	assert_true(add(&fixture, 101, 191, 190));
	assert_int_equal(weir_client_requests_finish(&fixture.client, NULL), WEIR_OK);
	assert_int_equal(fixture.input->requests->first_token_ns[0], WEIR_UNKNOWN_COUNT);
	assert_int_equal(fixture.input->requests->first_token_ns[1], 89);
	assert_int_equal(fixture.input->warnings[WEIR_WARN_INCONSISTENT].count, 1);
	end(&fixture);
}

static void impossible_times_are_left_out(void **state)
{
	struct fixture fixture = begin();

	(void)state;
	assert_false(add(&fixture, 100, 99, 1));
	assert_false(add(&fixture, 0, WEIR_CLIENT_MAX_NS + 1, 1));
	assert_false(add(&fixture, WEIR_CLIENT_UNKNOWN, 7, 1));
	assert_false(add(&fixture, 7, WEIR_CLIENT_UNKNOWN, 8));
	assert_true(add(&fixture, 5, 5, WEIR_CLIENT_UNKNOWN));
	assert_int_equal(weir_client_requests_finish(&fixture.client, NULL), WEIR_OK);
	assert_int_equal(fixture.input->requests->count, 1);
	assert_int_equal(fixture.input->warnings[WEIR_WARN_NEGATIVE_DURATION].count, 1);
	assert_int_equal(fixture.input->warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	assert_int_equal(fixture.input->warnings[WEIR_WARN_NO_TIME].count, 1);
	assert_int_equal(fixture.input->warnings[WEIR_WARN_NO_TIME].first_at, 11);
	assert_int_equal(fixture.input->warnings[WEIR_WARN_UNFINISHED].count, 1);
	end(&fixture);
}

static void an_answer_that_came_at_once_has_no_first_token(void **state)
{
	struct fixture fixture = begin();

	(void)state;
	assert_true(add(&fixture, 100, 190, 190));
	assert_int_equal(weir_client_requests_finish(&fixture.client, NULL), WEIR_OK);
	assert_int_equal(fixture.input->requests->first_token_ns[0], WEIR_UNKNOWN_COUNT);
	assert_int_equal(fixture.input->requests->part_count[0], 0);
	assert_int_equal(fixture.input->warnings[WEIR_WARN_INCONSISTENT].count, 1);
	end(&fixture);
}

static void the_wait_at_the_client_is_part_of_the_request(void **state)
{
	struct weir_client_request request = weir_client_request_unknown();
	struct fixture fixture = begin();

	(void)state;
	request.due_ns = 40;
	request.sent_ns = 100;
	request.first_token_ns = 110;
	request.last_token_ns = 150;
	request.end_ns = 190;
	assert_true(weir_client_requests_add(&fixture.client, &request, 0));
	assert_int_equal(weir_client_requests_finish(&fixture.client, NULL), WEIR_OK);
	assert_int_equal(fixture.input->requests->time_base, WEIR_TIME_MONOTONIC);
	assert_int_equal(fixture.input->requests->start_ns[0], 40);
	assert_int_equal(fixture.input->requests->first_token_ns[0], 70);
	assert_int_equal(fixture.input->requests->part_count[0], 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(fixture.input->requests->part_ns[i],
		                 ((const int64_t[]){60, 10, 40, 40})[i]);
	end(&fixture);
}

static void gaps_between_tokens_are_a_stage(void **state)
{
	struct fixture fixture = begin();
	const struct weir_series *gaps;

	(void)state;
	assert_true(add(&fixture, 100, 190, 101));
	weir_client_requests_gap(&fixture.client, 40);
	weir_client_requests_gap(&fixture.client, 0);
	weir_client_requests_gap(&fixture.client, -3);
	weir_client_requests_gap(&fixture.client, 20);
	assert_int_equal(weir_client_requests_finish(&fixture.client, NULL), WEIR_OK);
	gaps = weir_series_find(&fixture.input->run->stages, "inter_token_latency");
	assert_non_null(gaps);
	assert_int_equal(gaps->count, 2);
	assert_true(gaps->value[0] == 40 && gaps->value[1] == 20);
	assert_int_equal(fixture.input->warnings[WEIR_WARN_THINNED].count, 0);
	end(&fixture);
}

static void many_gaps_are_thinned_with_a_warning(void **state)
{
	struct fixture fixture = begin();

	(void)state;
	assert_true(add(&fixture, 100, 190, 101));
	for (size_t i = 0; i <= WEIR_CLIENT_MAX_GAPS; i++)
		weir_client_requests_gap(&fixture.client, 1);
	assert_int_equal(weir_client_requests_finish(&fixture.client, NULL), WEIR_OK);
	assert_int_equal(
		weir_series_find(&fixture.input->run->stages, "inter_token_latency")->count,
		WEIR_CLIENT_MAX_GAPS / 2 + 1);
	assert_int_equal(fixture.input->warnings[WEIR_WARN_THINNED].count, 1);
	end(&fixture);
}

static void failures_are_counted_and_only_failures_are_an_error(void **state)
{
	struct fixture fixture = begin();
	struct weir_error err = {0};

	(void)state;
	weir_client_requests_fail(&fixture.client, 3);
	weir_client_requests_fail(&fixture.client, 4);
	assert_int_equal(weir_client_requests_finish(&fixture.client, &err), WEIR_E_EMPTY);
	assert_non_null(strstr(err.message, "none of its 2 requests completed"));
	assert_true(add(&fixture, 1, 3, 2));
	assert_int_equal(weir_client_requests_finish(&fixture.client, &err), WEIR_OK);
	assert_int_equal(fixture.input->requests->failed, 2);
	assert_int_equal(fixture.input->warnings[WEIR_WARN_FAILED_REQUEST].count, 2);
	end(&fixture);
}

static void no_request_at_all_is_an_error(void **state)
{
	struct fixture fixture = begin();
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_client_requests_finish(&fixture.client, &err), WEIR_E_EMPTY);
	assert_non_null(strstr(err.message, "no request with a start and an end"));
	end(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_is_its_first_token_and_the_rest),
		cmocka_unit_test(an_answer_in_one_piece_has_no_stages),
		cmocka_unit_test(a_first_token_after_the_end_is_unknown),
		cmocka_unit_test(impossible_times_are_left_out),
		cmocka_unit_test(an_answer_that_came_at_once_has_no_first_token),
		cmocka_unit_test(the_wait_at_the_client_is_part_of_the_request),
		cmocka_unit_test(gaps_between_tokens_are_a_stage),
		cmocka_unit_test(many_gaps_are_thinned_with_a_warning),
		cmocka_unit_test(failures_are_counted_and_only_failures_are_an_error),
		cmocka_unit_test(no_request_at_all_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
