/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ci/comment/context.h"

/* Pairs of name and value, ended by NULL. */
static const char *look_up(void *context, const char *name)
{
	const char *const *pair = context;

	for (; *pair; pair += 2)
		if (strcmp(pair[0], name) == 0)
			return pair[1];
	return NULL;
}

struct setting {
	struct weir_arena *arena;
	struct weir_ci_context context;
	struct weir_error err;
	char event[64]; /* path */
};

static int set_up(void **state)
{
	struct setting *setting = weir_alloc(sizeof(*setting));

	setting->arena = weir_arena_new();
	*state = setting;
	return 0;
}

static int tear_down(void **state)
{
	struct setting *setting = *state;

	if (setting->event[0])
		unlink(setting->event);
	weir_arena_free(setting->arena);
	free(setting);
	return 0;
}

static enum weir_status read_with(struct setting *setting, const char **pairs,
                                  struct weir_ci_wish wish)
{
	const struct weir_ci_environment environment = {(void *)pairs, look_up};
	enum weir_status status = weir_ci_context_read(&environment, &wish, setting->arena,
	                                               &setting->context, &setting->err);

	return status ? status : weir_ci_context_check(&setting->context, &setting->err);
}

#define READ(setting, ...) read_with(setting, (const char *[]){__VA_ARGS__, NULL}, no_wish)

static const struct weir_ci_wish no_wish = {NULL, 0};

#define HUB "GITHUB_REPOSITORY", "o/r", "GITHUB_TOKEN", "secret-token"

static const char *write_event(struct setting *setting, const char *json)
{
	FILE *file;
	int handle;

	if (setting->event[0])
		unlink(setting->event);
	snprintf(setting->event, sizeof(setting->event), "/tmp/weir-event-XXXXXX");
	handle = mkstemp(setting->event);
	assert_true(handle >= 0);
	file = fdopen(handle, "w");
	assert_non_null(file);
	assert_true(fputs(json, file) >= 0);
	assert_int_equal(fclose(file), 0);
	return setting->event;
}

static enum weir_status read_event(struct setting *setting, const char *name, const char *json)
{
	const char *path = write_event(setting, json);

	return READ(setting, HUB, "GITHUB_EVENT_NAME", name, "GITHUB_EVENT_PATH", path);
}

static void github_is_read_from_its_event(void **state)
{
	struct setting *setting = *state;
	const char *event = "{\"number\":12,\"pull_request\":{\"number\":12,\"head\":{\"repo\":"
			    "{\"full_name\":\"o/r\"}}},\"repository\":{\"full_name\":\"o/r\"}}";

	assert_int_equal(read_event(setting, "pull_request", event), WEIR_OK);
	assert_ptr_equal(setting->context.provider, &weir_provider_github);
	assert_string_equal(setting->context.url, "https://api.github.com");
	assert_string_equal(setting->context.place.project, "o/r");
	assert_int_equal(setting->context.place.number, 12);
	assert_string_equal(setting->context.token, "secret-token");
}

static void gitlab_is_read_from_its_variables(void **state)
{
	struct setting *setting = *state;

	assert_int_equal(READ(setting, "CI_PROJECT_ID", "group/name", "CI_MERGE_REQUEST_IID", "3",
	                      "GITLAB_TOKEN", "t", "CI_API_V4_URL", "https://lab.example/api/v4/"),
	                 WEIR_OK);
	assert_ptr_equal(setting->context.provider, &weir_provider_gitlab);
	assert_string_equal(setting->context.url, "https://lab.example/api/v4");
	assert_string_equal(setting->context.place.project, "group%2Fname");
	assert_int_equal(setting->context.place.number, 3);
}

static void the_command_line_wins(void **state)
{
	struct setting *setting = *state;
	const char *pairs[] = {HUB, "CI_PROJECT_ID", "1", "GITHUB_EVENT_PATH", "/nowhere", NULL};

	assert_int_equal(read_with(setting, pairs, (struct weir_ci_wish){"github", 77}), WEIR_OK);
	assert_int_equal(setting->context.place.number, 77);
}

static void nothing_is_guessed_between_providers(void **state)
{
	struct setting *setting = *state;

	assert_int_equal(READ(setting, "HOME", "/"), WEIR_E_NO_TOKEN);
	assert_int_equal(READ(setting, "GITHUB_TOKEN", "t", "GITLAB_TOKEN", "t"), WEIR_E_USAGE);
	assert_int_equal(READ(setting, "GITHUB_TOKEN", "t", "CI_PROJECT_ID", "1"), WEIR_E_NO_TOKEN);
	assert_ptr_equal(setting->context.provider, &weir_provider_gitlab);
	assert_int_equal(READ(setting, HUB, "CI_PROJECT_ID", "1"), WEIR_E_USAGE);
	assert_int_equal(READ(setting, HUB, "CI_PROJECT_ID", ""), WEIR_E_NO_PULL_REQUEST);
}

static void each_missing_part_has_its_status(void **state)
{
	struct setting *setting = *state;

	assert_int_equal(READ(setting, "GITHUB_REPOSITORY", "o/r"), WEIR_E_NO_TOKEN);
	assert_int_equal(READ(setting, "GITHUB_REPOSITORY", "o/r", "GITHUB_TOKEN", ""),
	                 WEIR_E_NO_TOKEN);
	assert_int_equal(READ(setting, HUB), WEIR_E_NO_PULL_REQUEST);
	assert_int_equal(READ(setting, HUB, "GITHUB_EVENT_PATH", "/nowhere"),
	                 WEIR_E_NO_PULL_REQUEST);
	assert_int_equal(read_event(setting, "push", "{\"number\":5}"), WEIR_E_NO_PULL_REQUEST);
	assert_int_equal(read_event(setting, "push", "[]"), WEIR_E_NO_PULL_REQUEST);
	assert_int_equal(read_event(setting, "pull_request", "{\"pull_request\":{\"number\":0.5}}"),
	                 WEIR_E_NO_PULL_REQUEST);
	assert_int_equal(READ(setting, "CI_PROJECT_ID", "1", "GITLAB_TOKEN", "t"),
	                 WEIR_E_NO_PULL_REQUEST);
	assert_int_equal(READ(setting, "GITHUB_ACTIONS", "true", "GITHUB_TOKEN", "t"),
	                 WEIR_E_USAGE);
}

static void a_forks_token_is_not_tried(void **state)
{
	struct setting *setting = *state;
	const char *fork = "{\"pull_request\":{\"number\":1,\"head\":{\"repo\":{\"full_name\":"
			   "\"x/r\"}}},\"repository\":{\"full_name\":\"o/r\"}}";
	const char *deleted = "{\"pull_request\":{\"number\":1,\"head\":{\"repo\":null}},"
			      "\"repository\":{\"full_name\":\"o/r\"}}";

	assert_int_equal(read_event(setting, "pull_request", fork), WEIR_E_FORBIDDEN);
	assert_non_null(strstr(setting->err.message, "workflow_run"));
	assert_int_equal(read_event(setting, "pull_request", deleted), WEIR_E_FORBIDDEN);
	assert_int_equal(read_event(setting, "pull_request_target", fork), WEIR_OK);
}

static void a_workflow_run_brings_its_head(void **state)
{
	struct setting *setting = *state;
	const char *event = "{\"workflow_run\":{\"head_sha\":\"c0ffee\",\"head_branch\":\"b\","
			    "\"html_url\":\"https://h/run/1\",\"pull_requests\":[],"
			    "\"head_repository\":{\"owner\":{\"login\":\"x\"}}}}";

	assert_int_equal(read_event(setting, "workflow_run", event), WEIR_OK);
	assert_int_equal(setting->context.place.number, 0);
	assert_string_equal(setting->context.head.commit, "c0ffee");
	assert_string_equal(setting->context.head.owner, "x");
	assert_string_equal(setting->context.head.branch, "b");
	assert_string_equal(setting->context.run_url, "https://h/run/1");
	assert_string_equal(setting->context.commit, "c0ffee"); /* that was measured */
}

static void wrong_values_are_refused_and_not_repeated(void **state)
{
	struct setting *setting = *state;

	assert_int_equal(READ(setting, HUB, "GITHUB_API_URL", "https://u:secret-token@h/"),
	                 WEIR_E_USAGE);
	assert_null(strstr(setting->err.message, "secret-token"));
	assert_int_equal(READ(setting, HUB, "GITHUB_API_URL", "https://h/?t=secret-token"),
	                 WEIR_E_USAGE);
	assert_null(strstr(setting->err.message, "secret-token"));
	assert_int_equal(READ(setting, "GITHUB_REPOSITORY", "o/r", "GITHUB_TOKEN", "a\r\nX: b"),
	                 WEIR_E_USAGE);
	assert_int_equal(READ(setting, "GITHUB_REPOSITORY", "o/../x", "GITHUB_TOKEN", "t"),
	                 WEIR_E_USAGE);
	assert_int_equal(READ(setting, "GITHUB_REPOSITORY", "o/..", "GITHUB_TOKEN", "t"),
	                 WEIR_E_USAGE);
	assert_int_equal(READ(setting, "CI_PROJECT_ID", "1", "GITLAB_TOKEN", "t",
	                      "CI_MERGE_REQUEST_IID", "1/../2"),
	                 WEIR_E_USAGE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(github_is_read_from_its_event),
		TEST(gitlab_is_read_from_its_variables),
		TEST(the_command_line_wins),
		TEST(nothing_is_guessed_between_providers),
		TEST(each_missing_part_has_its_status),
		TEST(a_forks_token_is_not_tried),
		TEST(a_workflow_run_brings_its_head),
		TEST(wrong_values_are_refused_and_not_repeated),
	};

	return cmocka_run_group_tests_name("context", tests, NULL, NULL);
}
