/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ci/comment/comment.h"
#include "ci/comment/comment_list.h"
#include "tests/unit/scripted_api.h"

#define MARKER      "<!-- weir:gate key=main v1 -->"
#define OLD         MARKER "\\n<!-- weir:verdict pass -->\\nold"
#define NEW         MARKER "\n<!-- weir:verdict fail -->\nnew"
#define NEW_IN_JSON MARKER "\\n<!-- weir:verdict fail -->\\nnew"

#define BY(id, login, body)                                                                        \
	"{\"id\":" id ",\"user\":{\"login\":\"" login "\"},\"body\":\"" body "\"}"
#define ME "{\"login\":\"me\"}"

#define OK(expect, body)                                                                           \
	{                                                                                          \
		expect, WEIR_HTTP_ANSWERED, 200, NULL, body, NULL                                  \
	}
#define STATUS(expect, status)                                                                     \
	{                                                                                          \
		expect, WEIR_HTTP_ANSWERED, status, NULL, "{}", NULL                               \
	}
#define LOST(expect)                                                                               \
	{                                                                                          \
		expect, WEIR_HTTP_UNSURE, 0, NULL, "", "Timeout was reached"                       \
	}
#define END                                                                                        \
	{                                                                                          \
		NULL, WEIR_HTTP_ANSWERED, 0, NULL, NULL, NULL                                      \
	}

static const struct weir_comment new_comment = {"main", WEIR_COMMENT_FAIL, NEW};

struct posted {
	enum weir_status status;
	struct weir_comment_done done;
	struct weir_error err;
	int64_t waited_ms;
};

static struct posted post(const struct script_step *steps, const struct weir_comment *comment)
{
	const struct weir_place place = {"o/r", 7};
	struct posted posted = {0};
	struct script script;
	struct weir_api api;

	script_init(&script, steps);
	api = script_api(&script, &weir_provider_github);
	posted.status = weir_comment_post(&api, &place, comment, &posted.done, &posted.err);
	posted.waited_ms = script.waited_ms;
	if (posted.status == WEIR_OK)
		assert_string_equal(posted.err.message, "");
	else
		assert_string_not_equal(posted.err.message, "");
	script_end(&script);
	return posted;
}

static void a_comment_is_created_once(void **state)
{
	const struct script_step steps[] = {
		OK("GET /user", ME),
		OK("GET /repos/o/r/issues/7/comments", "[" BY("1", "other", "hello") "]"),
		OK("POST /repos/o/r/issues/7/comments", BY("2", "me", NEW_IN_JSON)),
		OK("GET /repos/o/r/issues/7/comments",
	           "[" BY("1", "other", "hello") "," BY("2", "me", NEW_IN_JSON) "]"),
		END,
	};
	struct posted posted = post(steps, &new_comment);

	(void)state;
	assert_int_equal(posted.status, WEIR_OK);
	assert_int_equal(posted.done.action, WEIR_COMMENT_CREATED);
	assert_int_equal(posted.done.id, 2);
}

/* Lists of comments may lag behind: the answer to the POST has the number. */
static void a_created_comment_has_its_number_before_it_is_listed(void **state)
{
	const struct script_step steps[] = {
		OK("GET /user", ME),
		OK("GET comments", "[]"),
		OK("POST comments", BY("2", "me", NEW_IN_JSON)),
		OK("GET comments", "[]"),
		END,
	};
	struct posted posted = post(steps, &new_comment);

	(void)state;
	assert_int_equal(posted.status, WEIR_OK);
	assert_int_equal(posted.done.action, WEIR_COMMENT_CREATED);
	assert_int_equal(posted.done.id, 2);
}

static void an_unchanged_comment_is_left_alone(void **state)
{
	const struct script_step steps[] = {
		OK("GET /user", ME),
		OK("GET comments",
	           "[" BY("2", "Me", MARKER "\\r\\n<!-- weir:verdict fail -->\\r\\nnew\\n") "]"),
		END,
	};
	struct posted posted = post(steps, &new_comment);

	(void)state;
	assert_int_equal(posted.status, WEIR_OK);
	assert_int_equal(posted.done.action, WEIR_COMMENT_UNCHANGED);
}

static void a_change_of_the_verdict_is_announced_once(void **state)
{
	const struct script_step steps[] = {
		OK("GET /user", ME),
		OK("GET comments", "[" BY("2", "me", OLD) "]"),
		OK("PATCH /repos/o/r/issues/comments/2", "{}"),
		OK("POST /repos/o/r/issues/7/comments", "{}"),
		END,
	};
	struct posted posted = post(steps, &new_comment);

	(void)state;
	assert_int_equal(posted.done.action, WEIR_COMMENT_UPDATED);
	assert_true(posted.done.announced);
}

static void the_same_verdict_is_not_announced(void **state)
{
	const struct script_step steps[] = {
		OK("GET /user", ME),
		OK("GET comments",
	           "[" BY("2", "me", MARKER "\\n<!-- weir:verdict fail -->\\nbefore") "]"),
		OK("PATCH comments/2", "{}"),
		END,
	};
	struct posted posted = post(steps, &new_comment);

	(void)state;
	assert_int_equal(posted.done.action, WEIR_COMMENT_UPDATED);
	assert_false(posted.done.announced);
}

static void a_failed_announcement_fails_nothing(void **state)
{
	const struct script_step steps[] = {
		OK("GET /user", ME),
		OK("GET comments", "[" BY("2", "me", OLD) "]"),
		OK("PATCH comments/2", "{}"),
		LOST("POST comments"),
		END,
	};
	struct posted posted = post(steps, &new_comment);

	(void)state;
	assert_int_equal(posted.status, WEIR_OK);
	assert_true(posted.done.not_announced);
}

static void somebody_elses_comment_is_never_touched(void **state)
{
	const struct script_step steps[] = {
		OK("GET /user", ME),
		OK("GET comments",
	           "[" BY("1", "mallory", OLD) "," BY(
			   "2", "me",
			   "quoting\\n" MARKER) ","
	                                        "{\"id\":3,\"body\":\"" MARKER "\"},"
	                                        "{\"id\":4,\"user\":null,\"body\":\"" MARKER "\"},"
	                                        "{\"id\":5,\"user\":{\"login\":7},\"body\":"
	                                        "\"" MARKER "\"},"
	                                        "{\"id\":-1,\"user\":{\"login\":\"me\"},\"body\":"
	                                        "\"" MARKER "\"},"
	                                        "{\"id\":\"9/../"
	                                        "8\",\"user\":{\"login\":\"me\"},\"body\":\"" MARKER
	                                        "\"},"
	                                        "{\"id\":7,\"user\":{\"login\":\"me\"},\"body\":"
	                                        "null}, null, 5]"),
		OK("POST comments", BY("6", "me", NEW_IN_JSON)),
		OK("GET comments", "[" BY("1", "mallory", OLD) "," BY("6", "me", NEW_IN_JSON) "]"),
		END,
	};

	(void)state;
	assert_int_equal(post(steps, &new_comment).done.id, 6);
}

static void all_pages_are_read(void **state)
{
	const struct script_step steps[] = {
		OK("GET /user", ME),
		{"GET page=1", WEIR_HTTP_ANSWERED, 200,
	         "Link: <https://evil.example/x?page=2>; rel=\"next\"\r\n", "[]", NULL},
		{"GET https://api.example.org/v3/repos/o/r/issues/7/comments?per_page=100&page=2",
	         WEIR_HTTP_ANSWERED, 200, NULL, "[" BY("2", "me", NEW_IN_JSON) "]", NULL},
		END,
	};

	(void)state;
	assert_int_equal(post(steps, &new_comment).done.action, WEIR_COMMENT_UNCHANGED);
}

static void of_two_jobs_the_oldest_comment_stays(void **state)
{
	const struct script_step steps[] = {
		OK("GET /user", ME),
		OK("GET comments", "[]"),
		OK("POST comments", BY("9", "me", NEW_IN_JSON)),
		OK("GET comments", "[" BY("9", "me", NEW_IN_JSON) "," BY("8", "me", OLD) "]"),
		STATUS("DELETE comments/9", 404), /* the other job was quicker */
		OK("PATCH comments/8", "{}"),
		END,
	};
	struct posted posted = post(steps, &new_comment);

	(void)state;
	assert_int_equal(posted.status, WEIR_OK);
	assert_int_equal(posted.done.id, 8);
}

static void a_lost_creation_is_looked_for_before_it_is_repeated(void **state)
{
	const struct script_step there[] = {
		OK("GET /user", ME),
		OK("GET comments", "[]"),
		LOST("POST comments"),
		OK("GET comments", "[" BY("9", "me", NEW_IN_JSON) "]"),
		OK("GET comments", "[" BY("9", "me", NEW_IN_JSON) "]"),
		END,
	};
	const struct script_step not_there[] = {
		OK("GET /user", ME),
		OK("GET comments", "[]"),
		STATUS("POST comments", 500),
		OK("GET comments", "[]"),
		OK("POST comments", BY("9", "me", NEW_IN_JSON)),
		OK("GET comments", "[" BY("9", "me", NEW_IN_JSON) "]"),
		END,
	};

	(void)state;
	assert_int_equal(post(there, &new_comment).done.id, 9);
	assert_int_equal(post(not_there, &new_comment).done.id, 9);
}

static void creation_is_given_up_after_a_few_attempts(void **state)
{
	const struct script_step steps[] = {
		OK("GET /user", ME),   OK("GET comments", "[]"),
		LOST("POST comments"), OK("GET comments", "[]"),
		LOST("POST comments"), OK("GET comments", "[]"),
		LOST("POST comments"), END,
	};
	struct posted posted = post(steps, &new_comment);

	(void)state;
	assert_int_equal(posted.status, WEIR_E_NETWORK);
	assert_int_equal(posted.waited_ms, 1000 + 2000);
}

static void a_token_that_may_not_ask_who_it_is_is_that_of_a_workflow(void **state)
{
	const struct script_step steps[] = {
		STATUS("GET /user", 403),
		OK("GET comments", "[" BY("2", "github-actions[bot]", NEW_IN_JSON) "]"),
		END,
	};

	(void)state;
	assert_int_equal(post(steps, &new_comment).done.action, WEIR_COMMENT_UNCHANGED);
}

static void an_application_learns_its_name_from_its_own_comment(void **state)
{
	const struct script_step steps[] = {
		STATUS("GET /user", 403),
		OK("GET comments", "[" BY("2", "app[bot]", OLD) "]"),
		OK("POST comments", BY("3", "app[bot]", NEW_IN_JSON)),
		OK("GET comments",
	           "[" BY("2", "app[bot]", OLD) "," BY("3", "app[bot]", NEW_IN_JSON) "]"),
		OK("DELETE comments/3", ""),
		OK("PATCH comments/2", "{}"),
		END,
	};
	struct posted posted = post(steps, &new_comment);

	(void)state;
	assert_int_equal(posted.done.id, 2);
	assert_int_equal(posted.done.removed, 1);
}

static void a_comment_deleted_meanwhile_is_created_again(void **state)
{
	const struct script_step steps[] = {
		OK("GET /user", ME),
		OK("GET comments", "[" BY("2", "me", OLD) "]"),
		STATUS("PATCH comments/2", 404),
		OK("GET comments", "[]"),
		OK("POST comments", BY("3", "me", NEW_IN_JSON)),
		OK("GET comments", "[" BY("3", "me", NEW_IN_JSON) "]"),
		END,
	};

	(void)state;
	assert_int_equal(post(steps, &new_comment).done.action, WEIR_COMMENT_CREATED);
}

static void refusals_end_at_once(void **state)
{
	const struct script_step wrong_token[] = {STATUS("GET /user", 401), END};
	const struct script_step hidden[] = {OK("GET /user", ME), STATUS("GET comments", 404), END};
	const struct script_step no_list[] = {OK("GET /user", ME), OK("GET comments", "{}"), END};
	const struct script_step too_long[] = {OK("GET /user", ME), OK("GET comments", "[]"),
	                                       STATUS("POST comments", 422), END};

	(void)state;
	assert_int_equal(post(wrong_token, &new_comment).status, WEIR_E_FORBIDDEN);
	assert_int_equal(post(hidden, &new_comment).status, WEIR_E_FORBIDDEN);
	assert_int_equal(post(no_list, &new_comment).status, WEIR_E_NETWORK);
	assert_int_equal(post(too_long, &new_comment).status, WEIR_E_REFUSED);
}

static void a_body_above_the_limit_is_not_sent(void **state)
{
	const struct script_step steps[] = {END};
	struct weir_text text = {0};
	struct weir_comment comment = {"main", WEIR_COMMENT_PASS, NULL};

	(void)state;
	weir_text_repeat(&text, "\xc3\xa9", 65537);
	comment.body = text.data;
	assert_int_equal(post(steps, &comment).status, WEIR_E_REFUSED);
	assert_int_equal(weir_comment_characters(text.data + 2), 65536);
	weir_text_release(&text);
}

static void a_key_cannot_leave_its_hidden_line(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_comment_marker("a--> <b>\n@x", &text);
	assert_string_equal(text.data, "<!-- weir:gate key=a-%2D%3E%20%3Cb%3E%0A%40x v1 -->");
	weir_text_release(&text);
}

static void the_verdict_is_read_back(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_comment_compose("k", WEIR_COMMENT_PASS, "body", &text);
	assert_int_equal(weir_comment_verdict_of(text.data), WEIR_COMMENT_PASS);
	assert_true(weir_comment_is_marked(text.data, "<!-- weir:gate key=k v1 -->"));
	assert_false(weir_comment_is_marked(text.data, "<!-- weir:gate key=kk v1 -->"));
	assert_int_equal(weir_comment_verdict_of("x\n<!-- weir:verdict fail -->\r\ny"),
	                 WEIR_COMMENT_FAIL);
	assert_int_equal(weir_comment_verdict_of("x"), WEIR_COMMENT_UNKNOWN);
	assert_int_equal(weir_comment_verdict_of("x\n"), WEIR_COMMENT_UNKNOWN);
	weir_text_release(&text);
}

static void only_ends_of_lines_may_differ(void **state)
{
	(void)state;
	assert_true(weir_comment_same("a\r\nb\n", "a\nb"));
	assert_true(weir_comment_same("", "\n "));
	assert_false(weir_comment_same("a", "a b"));
	assert_false(weir_comment_same("a\nb", "a b"));
	assert_false(weir_comment_same("ab", "a"));
}

static enum weir_status find_pull(const struct script_step *steps, int64_t *number)
{
	const struct weir_ci_head head = {"fork er", "feat/x", "c0ffee"};
	struct weir_place place = {"o/r", 0};
	struct weir_error err = {0};
	struct script script;
	struct weir_api api;
	enum weir_status status;

	script_init(&script, steps);
	api = script_api(&script, &weir_provider_github);
	status = weir_comment_find_pull(&api, &head, &place, &err);
	script_end(&script);
	*number = place.number;
	return status;
}

static void a_pull_request_is_found_by_its_very_head(void **state)
{
	const struct script_step found[] = {
		OK("GET /repos/o/r/pulls?state=open&per_page=100&head=fork%20er:feat%2Fx",
	           "[{\"number\":4,\"head\":{\"sha\":\"beef\"}},{\"number\":5,\"head\":{\"sha\":"
	           "\"c0ffee\"}},{\"number\":6}]"),
		END,
	};
	const struct script_step moved_on[] = {
		OK("GET /repos/o/r/pulls", "[{\"number\":4,\"head\":{\"sha\":\"beef\"}}]"), END};
	int64_t number;

	(void)state;
	assert_int_equal(find_pull(found, &number), WEIR_OK);
	assert_int_equal(number, 5);
	assert_int_equal(find_pull(moved_on, &number), WEIR_E_NO_PULL_REQUEST);
}

/* Returns the user that an answer names. */
static void expect_user(const char *json, const char *expected)
{
	struct weir_text name = {0};

	weir_comment_user(&weir_provider_github, json, strlen(json), &name);
	assert_string_equal(name.data, expected);
	weir_text_release(&name);
}

static void a_name_does_not_end_at_an_escaped_nul(void **state)
{
	(void)state;
	expect_user("{\"login\": \"me\"}", "me");
	expect_user("{\"login\": \"me\\u0000x\"}", "me\xEF\xBF\xBDx");
	expect_user("{\"login\": \"me\\\\u0000\"}", "me\\u0000"); /* an escaped backslash */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_does_not_end_at_an_escaped_nul),
		cmocka_unit_test(a_comment_is_created_once),
		cmocka_unit_test(a_created_comment_has_its_number_before_it_is_listed),
		cmocka_unit_test(an_unchanged_comment_is_left_alone),
		cmocka_unit_test(a_change_of_the_verdict_is_announced_once),
		cmocka_unit_test(the_same_verdict_is_not_announced),
		cmocka_unit_test(a_failed_announcement_fails_nothing),
		cmocka_unit_test(somebody_elses_comment_is_never_touched),
		cmocka_unit_test(all_pages_are_read),
		cmocka_unit_test(of_two_jobs_the_oldest_comment_stays),
		cmocka_unit_test(a_lost_creation_is_looked_for_before_it_is_repeated),
		cmocka_unit_test(creation_is_given_up_after_a_few_attempts),
		cmocka_unit_test(a_token_that_may_not_ask_who_it_is_is_that_of_a_workflow),
		cmocka_unit_test(an_application_learns_its_name_from_its_own_comment),
		cmocka_unit_test(a_comment_deleted_meanwhile_is_created_again),
		cmocka_unit_test(refusals_end_at_once),
		cmocka_unit_test(a_body_above_the_limit_is_not_sent),
		cmocka_unit_test(a_key_cannot_leave_its_hidden_line),
		cmocka_unit_test(the_verdict_is_read_back),
		cmocka_unit_test(only_ends_of_lines_may_differ),
		cmocka_unit_test(a_pull_request_is_found_by_its_very_head),
	};

	return cmocka_run_group_tests_name("comment", tests, NULL, NULL);
}
