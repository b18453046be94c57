/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/scripted_api.h"

#define ANSWERED WEIR_HTTP_ANSWERED

static const struct weir_api_call get = {"GET", "/user", NULL, false};
static const struct weir_api_call post_once = {"POST", "/x", "text", true};
static const struct weir_api_call patch = {"PATCH", "/x", "text", false};

struct result {
	enum weir_status status;
	struct script script;
	struct weir_error err;
};

static struct result play(const struct script_step *steps, const struct weir_api_call *call)
{
	struct result result = {0};
	struct weir_http_answer answer = {0};
	struct weir_api api;

	script_init(&result.script, steps);
	api = script_api(&result.script, &weir_provider_github);
	result.status = weir_api_call(&api, call, &answer, &result.err);
	weir_http_answer_release(&answer);
	script_end(&result.script);
	assert_null(strstr(result.err.message, SCRIPT_TOKEN));
	return result;
}

static void a_busy_service_is_asked_again_after_what_it_says(void **state)
{
	const struct script_step steps[] = {
		{"GET /user", ANSWERED, 429, "Retry-After: 7\r\n", "", NULL},
		{"GET /user", ANSWERED, 403, "retry-after: 2\r\n", "", NULL},
		{"GET /user", ANSWERED, 200, NULL, "{}", NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};
	struct result result = play(steps, &get);

	(void)state;
	assert_int_equal(result.status, WEIR_OK);
	assert_int_equal(result.script.waited_ms, 9000);
}

static void a_long_retry_after_is_capped(void **state)
{
	const struct script_step steps[] = {
		{"GET /user", ANSWERED, 429, "Retry-After: 86400\r\n", "", NULL},
		{"GET /user", ANSWERED, 200, NULL, "{}", NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};
	struct result result = play(steps, &get);

	(void)state;
	assert_int_equal(result.status, WEIR_OK);
	assert_int_equal(result.script.waited_ms, WEIR_API_MAX_WAIT_MS);
}

static void waits_grow_and_attempts_end(void **state)
{
	const struct script_step steps[] = {
		{"GET /user", ANSWERED, 500, NULL, "", NULL},
		{"GET /user", ANSWERED, 502, NULL, "", NULL},
		{"GET /user", ANSWERED, 503, NULL, "", NULL},
		{"GET /user", WEIR_HTTP_NOT_DONE, 0, NULL, "", "Couldn't connect to server"},
		{"GET /user", ANSWERED, 500, NULL, "", NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};
	struct result result = play(steps, &get);

	(void)state;
	assert_int_equal(result.status, WEIR_E_NETWORK);
	assert_int_equal(result.script.waited_ms, 1000 + 2000 + 4000 + 8000);
	assert_non_null(strstr(result.err.message, "HTTP 500"));
}

static void no_wait_goes_past_the_deadline(void **state)
{
	const struct script_step steps[] = {
		{"GET /user", ANSWERED, 429, "Retry-After: 60\r\n", "", NULL},
		{"GET /user", ANSWERED, 429, "Retry-After: 60\r\n", "", NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};
	struct result result = play(steps, &get);

	(void)state;
	assert_int_equal(result.status, WEIR_E_NETWORK);
	assert_int_equal(result.script.waited_ms, 60000);
}

static void a_request_that_may_have_been_carried_out_is_not_repeated_blindly(void **state)
{
	const struct script_step lost[] = {
		{"POST /x", WEIR_HTTP_UNSURE, 0, NULL, "", "Timeout was reached"},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};
	const struct script_step failed[] = {
		{"POST /x", ANSWERED, 502, NULL, "", NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};
	const struct script_step busy[] = {
		{"POST /x", ANSWERED, 429, NULL, "", NULL},
		{"POST /x", WEIR_HTTP_NOT_DONE, 0, NULL, "", "Couldn't connect to server"},
		{"POST /x", ANSWERED, 201, NULL, "{}", NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};

	(void)state;
	assert_int_equal(play(lost, &post_once).status, WEIR_E_UNSURE);
	assert_int_equal(play(failed, &post_once).status, WEIR_E_UNSURE);
	assert_int_equal(play(busy, &post_once).status, WEIR_OK);
}

static void an_update_that_timed_out_is_repeated(void **state)
{
	const struct script_step steps[] = {
		{"PATCH /x", WEIR_HTTP_UNSURE, 0, NULL, "", "Timeout was reached"},
		{"PATCH /x", ANSWERED, 200, NULL, "{}", NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};

	(void)state;
	assert_int_equal(play(steps, &patch).status, WEIR_OK);
}

static void each_refusal_has_its_status(void **state)
{
	static const struct {
		int http;
		enum weir_status status;
	} table[] = {
		{400, WEIR_E_REFUSED},   {401, WEIR_E_FORBIDDEN}, {403, WEIR_E_FORBIDDEN},
		{404, WEIR_E_FORBIDDEN}, {409, WEIR_E_NETWORK},   {413, WEIR_E_REFUSED},
		{418, WEIR_E_NETWORK},   {422, WEIR_E_REFUSED},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const struct script_step steps[] = {
			{"PATCH /x", ANSWERED, table[i].http, NULL, "{\"message\":\"no\x01\"}",
		         NULL},
			{NULL, ANSWERED, 0, NULL, NULL, NULL},
		};

		assert_int_equal(play(steps, &patch).status, table[i].status);
	}
}

static void what_the_service_says_is_told_without_the_token(void **state)
{
	const struct script_step said[] = {
		{"GET /user", ANSWERED, 401, NULL, "{\"message\":\"Bad\\u001b[31m credentials\"}",
	         NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};
	const struct script_step echoed[] = {
		{"GET /user", ANSWERED, 401, NULL, "{\"message\":\"bad " SCRIPT_TOKEN "\"}", NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};
	struct result result = play(said, &get);

	(void)state;
	assert_non_null(strstr(result.err.message, "saying: Bad?[31m credentials"));
	assert_null(strstr(play(echoed, &get).err.message, "saying"));
}

static void a_used_up_rate_is_no_matter_of_permission(void **state)
{
	const struct script_step steps[] = {
		{"GET /user", ANSWERED, 403, "X-RateLimit-Remaining: 0\r\n", "", NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};

	(void)state;
	assert_int_equal(play(steps, &get).status, WEIR_E_NETWORK);
}

static void a_used_up_rate_is_waited_for_until_its_reset(void **state)
{
	const struct script_step soon[] = {
		{"GET /user", ANSWERED, 403,
	         "X-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 1795000020\r\n", "", NULL},
		{"GET /user", ANSWERED, 200, NULL, "{}", NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};
	const struct script_step late[] = {
		{"GET /user", ANSWERED, 403,
	         "X-RateLimit-Remaining: 0\r\nX-RateLimit-Reset: 1795003600\r\n", "", NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};
	const struct script_step left[] = {
		/* Requests are left: the reset is no matter. */
		{"GET /user", ANSWERED, 429,
	         "X-RateLimit-Remaining: 5\r\nX-RateLimit-Reset: 1795000020\r\n", "", NULL},
		{"GET /user", ANSWERED, 200, NULL, "{}", NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};
	struct result result = play(soon, &get);

	(void)state;
	assert_int_equal(result.status, WEIR_OK);
	assert_int_equal(result.script.waited_ms, 21000);
	result = play(late, &get);
	assert_int_equal(result.status, WEIR_E_NETWORK);
	assert_int_equal(result.script.waited_ms, 0);
	assert_int_equal(play(left, &get).script.waited_ms, 1000);
}

static void a_secondary_limit_is_waited_for_a_minute(void **state)
{
	static const char said[] = "{\"message\":\"You have exceeded a secondary rate limit.\"}";
	const struct script_step steps[] = {
		{"POST /x", ANSWERED, 403, NULL, said, NULL},
		{"POST /x", ANSWERED, 200, NULL, "{}", NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};
	const struct weir_api_call post = {"POST", "/x", "text", true};
	struct result result = play(steps, &post);

	(void)state;
	assert_int_equal(result.status, WEIR_OK);
	assert_int_equal(result.script.waited_ms, WEIR_API_LIMIT_MS);
}

static void each_refusal_has_its_advice(void **state)
{
	static const struct {
		int http;
		const char *body, *says;
	} table[] = {
		{401, "{\"message\":\"Bad credentials\"}", "expired or revoked"},
		{403, "{\"message\":\"Unable to create comment because issue is locked.\"}",
	         "the conversation is locked"},
		{403, "{\"message\":\"Resource not accessible by integration\"}",
	         "pull-requests: write"},
		{422,
	         "{\"message\":\"Validation Failed\",\"errors\":[{\"resource\":\"IssueComment\","
	         "\"code\":\"custom\",\"field\":\"body\",\"message\":\"body is too long\"},"
	         "{\"code\":\"missing_field\",\"field\":\"data\"},\"plain\"]}",
	         "saying: Validation Failed; body is too long; data: missing_field; plain"},
		{400, "{\"message\":{\"note\":[\"is too long\"]}}",
	         "saying: {\"note\":[\"is too long\"]}"},
		{400, "{\"error\":\"note is missing\"}", "saying: note is missing"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		const struct script_step steps[] = {
			{"PATCH /x", ANSWERED, table[i].http, NULL, table[i].body, NULL},
			{NULL, ANSWERED, 0, NULL, NULL, NULL},
		};
		struct result result = play(steps, &patch);

		if (!strstr(result.err.message, table[i].says))
			fail_msg("no \"%s\" in: %s", table[i].says, result.err.message);
	}
}

static void a_redirect_on_the_same_host_keeps_method_and_body(void **state)
{
	const struct script_step steps[] = {
		{"PATCH /x", ANSWERED, 307, "Location: /v3/y\r\n", "", NULL},
		{"PATCH https://api.example.org/v3/y", ANSWERED, 301,
	         "Location: https://API.example.org:443/z\r\n", "", NULL},
		{"PATCH https://API.example.org:443/z", ANSWERED, 200, NULL, "{}", NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};

	(void)state;
	assert_int_equal(play(steps, &patch).status, WEIR_OK);
}

static void no_redirect_takes_the_token_elsewhere(void **state)
{
	static const char *const places[] = {
		"Location: https://evil.example/v3/user\r\n",
		"Location: //evil.example/v3/user\r\n",
		"Location: http://api.example.org/v3/user\r\n",
		"Location: https://api.example.org:8443/v3/user\r\n",
		"Location: https://api.example.org@evil.example/\r\n",
		"Location: https://api.example.org\\@evil.example/\r\n",
		"Location: evil\r\n",
		"Location: file:///etc/passwd\r\n",
		"X-Nothing: 1\r\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		const struct script_step steps[] = {
			{"GET /user", ANSWERED, 302, places[i], "", NULL},
			{NULL, ANSWERED, 0, NULL, NULL, NULL},
		};
		struct result result = play(steps, &get);

		assert_int_equal(result.status, WEIR_E_NETWORK);
		assert_non_null(strstr(result.err.message, "redirected"));
	}
}

static void redirects_in_a_circle_end(void **state)
{
	const struct script_step steps[] = {
		{"GET /user", ANSWERED, 302, "Location: /a\r\n", "", NULL},
		{"GET /a", ANSWERED, 302, "Location: /a\r\n", "", NULL},
		{"GET /a", ANSWERED, 302, "Location: /a\r\n", "", NULL},
		{"GET /a", ANSWERED, 302, "Location: /a\r\n", "", NULL},
		{NULL, ANSWERED, 0, NULL, NULL, NULL},
	};

	(void)state;
	assert_int_equal(play(steps, &get).status, WEIR_E_NETWORK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_busy_service_is_asked_again_after_what_it_says),
		cmocka_unit_test(a_long_retry_after_is_capped),
		cmocka_unit_test(waits_grow_and_attempts_end),
		cmocka_unit_test(no_wait_goes_past_the_deadline),
		cmocka_unit_test(a_request_that_may_have_been_carried_out_is_not_repeated_blindly),
		cmocka_unit_test(an_update_that_timed_out_is_repeated),
		cmocka_unit_test(each_refusal_has_its_status),
		cmocka_unit_test(what_the_service_says_is_told_without_the_token),
		cmocka_unit_test(a_used_up_rate_is_no_matter_of_permission),
		cmocka_unit_test(a_used_up_rate_is_waited_for_until_its_reset),
		cmocka_unit_test(a_secondary_limit_is_waited_for_a_minute),
		cmocka_unit_test(each_refusal_has_its_advice),
		cmocka_unit_test(a_redirect_on_the_same_host_keeps_method_and_body),
		cmocka_unit_test(no_redirect_takes_the_token_elsewhere),
		cmocka_unit_test(redirects_in_a_circle_end),
	};

	return cmocka_run_group_tests_name("api", tests, NULL, NULL);
}
