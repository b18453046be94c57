/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "ci/comment/context.h"
#include "ci/comment/url.h"
#include "engine/base/json.h"

#define MAX_NUMBER 1000000000 /* of a pull request; far above any */

/* State of one weir_ci_context_read(). */
struct reading {
	const struct weir_ci_environment *environment;
	const struct weir_ci_wish *wish;
	struct weir_arena *arena;
	struct weir_ci_context *out;
	struct weir_error *err;
};

/* Returns a variable, or NULL if it is not set or empty: CI systems leave variables empty. */
static const char *variable(const struct reading *reading, const char *name)
{
	const char *value = reading->environment->get(reading->environment->context, name);

	return value && *value ? value : NULL;
}

static const char *keep(const struct reading *reading, const char *text)
{
	return text ? weir_arena_copy(reading->arena, text, strlen(text)) : NULL;
}

/* Services whose variables are set, as bits. */
enum sign {
	SIGN_NONE,
	SIGN_GITHUB,
	SIGN_GITLAB,
	SIGN_BOTH,
};

static enum sign sign_of(const struct reading *reading, const char *const *github,
                         const char *const *gitlab)
{
	unsigned signs = SIGN_NONE;

	for (; *github; github++)
		signs |= variable(reading, *github) ? SIGN_GITHUB : SIGN_NONE;
	for (; *gitlab; gitlab++)
		signs |= variable(reading, *gitlab) ? SIGN_GITLAB : SIGN_NONE;
	return (enum sign)signs;
}

/* Finds the service by the variables of its jobs; outside of a job by the token. */
static enum sign service_of(const struct reading *reading)
{
	static const char *const github[] = {"GITHUB_ACTIONS", "GITHUB_REPOSITORY",
	                                     "GITHUB_EVENT_PATH", NULL};
	static const char *const gitlab[] = {"GITLAB_CI", "CI_PROJECT_ID", "CI_MERGE_REQUEST_IID",
	                                     NULL};
	static const char *const github_token[] = {"GITHUB_TOKEN", NULL};
	static const char *const gitlab_token[] = {"GITLAB_TOKEN", NULL};
	enum sign sign = sign_of(reading, github, gitlab);

	return sign ? sign : sign_of(reading, github_token, gitlab_token);
}

static enum weir_status choose_provider(struct reading *reading)
{
	const char *name = reading->wish->provider;

	if (name) {
		reading->out->provider = weir_provider_find(name);
		if (!reading->out->provider)
			return weir_fail(reading->err, WEIR_E_USAGE, "no provider %s", name);
		return WEIR_OK;
	}
	switch (service_of(reading)) {
	case SIGN_GITHUB:
		reading->out->provider = &weir_provider_github;
		return WEIR_OK;
	case SIGN_GITLAB:
		reading->out->provider = &weir_provider_gitlab;
		return WEIR_OK;
	case SIGN_BOTH:
		return weir_fail(reading->err, WEIR_E_USAGE,
		                 "variables of GitHub and of GitLab are set; choose with "
		                 "--provider github or --provider gitlab");
	case SIGN_NONE:
		break;
	}
	return weir_fail(reading->err, WEIR_E_NO_TOKEN,
	                 "neither GITHUB_TOKEN nor GITLAB_TOKEN is set, and the environment is "
	                 "that of neither service; --dry-run prints the comment");
}

/* Checks the address of the API. No message quotes it: it may hold a password. */
static enum weir_status read_url(struct reading *reading)
{
	const struct weir_provider *provider = reading->out->provider;
	const char *url = variable(reading, provider->url_variable);
	size_t len;

	if (!url)
		url = provider->default_url;
	if (!weir_url_is_valid(url) || strpbrk(url, "?#"))
		return weir_fail(reading->err, WEIR_E_USAGE,
		                 "%s is no address of an API: expected https://HOST/PATH "
		                 "without user name, password and query",
		                 provider->url_variable);
	len = strlen(url);
	while (len > 0 && url[len - 1] == '/')
		len--;
	reading->out->url = weir_arena_copy(reading->arena, url, len);
	return WEIR_OK;
}

/* Accepts only visible ASCII as a token: a line end could inject a header. */
static enum weir_status read_token(struct reading *reading)
{
	const char *name = reading->out->provider->token_variable;
	const char *token = variable(reading, name);

	for (const char *at = token; at && *at; at++)
		if (*at <= ' ' || *at >= 0x7f)
			return weir_fail(reading->err, WEIR_E_USAGE,
			                 "%s holds a blank, a line end or a byte that is in no "
			                 "token",
			                 name);
	reading->out->token = keep(reading, token);
	return WEIR_OK;
}

static bool is_repository(const char *text)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._";
	size_t owner = strspn(text, allowed);
	size_t name;

	if (owner == 0 || text[owner] != '/')
		return false;
	name = strspn(text + owner + 1, allowed);
	return name > 0 && text[owner + 1 + name] == '\0' && text[0] != '.' &&
	       strcmp(text + owner + 1, "..") != 0 && strcmp(text + owner + 1, ".") != 0;
}

static enum weir_status read_project(struct reading *reading)
{
	const struct weir_provider *provider = reading->out->provider;
	const char *project = variable(reading, provider->project_variable);
	struct weir_text encoded = {0};

	reading->out->place.project = "";
	if (!project)
		return WEIR_OK;
	if (provider == &weir_provider_github) {
		if (!is_repository(project))
			return weir_fail(reading->err, WEIR_E_USAGE,
			                 "%s: expected OWNER/NAME, found %.100s",
			                 provider->project_variable, project);
		reading->out->place.project = keep(reading, project);
		return WEIR_OK;
	}
	weir_url_encode(project, &encoded);
	reading->out->place.project = keep(reading, encoded.data);
	weir_text_release(&encoded);
	return WEIR_OK;
}

/* Follows a path of members; returns NULL if one is missing or is not an object. */
static const cJSON *member(const cJSON *object, const char *const *path)
{
	for (; object && *path; path++)
		object = cJSON_GetObjectItemCaseSensitive(object, *path);
	return object;
}

#define AT(object, ...) member(object, (const char *const[]){__VA_ARGS__, NULL})

static const char *text_of(const cJSON *item)
{
	return cJSON_IsString(item) && *item->valuestring ? item->valuestring : NULL;
}

static int64_t number_of(const cJSON *item)
{
	double value = cJSON_IsNumber(item) ? item->valuedouble : 0;

	return value >= 1 && value <= MAX_NUMBER && value == floor(value) ? (int64_t)value : 0;
}

static void take_pull_request(struct reading *reading, const cJSON *event)
{
	const char *name = variable(reading, "GITHUB_EVENT_NAME");
	const char *head = text_of(AT(event, "pull_request", "head", "repo", "full_name"));
	const char *base = text_of(AT(event, "repository", "full_name"));

	reading->out->place.number = number_of(AT(event, "pull_request", "number"));
	if (!reading->out->place.number && AT(event, "pull_request"))
		reading->out->place.number = number_of(AT(event, "number"));
	if (!reading->out->place.number && AT(event, "issue", "pull_request"))
		reading->out->place.number = number_of(AT(event, "issue", "number"));
	/* head.repo is null if the fork was deleted. */
	if (name && strcmp(name, "pull_request") == 0 && base)
		reading->out->from_fork = !head || strcmp(head, base) != 0;
}

static void take_workflow_run(struct reading *reading, const cJSON *event)
{
	const char *owner = text_of(AT(event, "workflow_run", "head_repository", "owner", "login"));
	const char *branch = text_of(AT(event, "workflow_run", "head_branch"));
	const char *commit = text_of(AT(event, "workflow_run", "head_sha"));

	if (owner && branch && commit)
		reading->out->head = (struct weir_ci_head){
			.owner = keep(reading, owner),
			.branch = keep(reading, branch),
			.commit = keep(reading, commit),
		};
}

static void keep_run_url(struct reading *reading, const char *url)
{
	if (url && weir_url_is_valid(url))
		reading->out->run_url = keep(reading, url);
}

static void keep_commit(struct reading *reading, const char *commit)
{
	if (commit && *commit && commit[strspn(commit, "0123456789abcdefABCDEF")] == '\0')
		reading->out->commit = keep(reading, commit);
}

/* Stores the commit that was measured: the head of the pull request, as GITHUB_SHA is its merge
 * with the target branch. */
static void read_github_commit(struct reading *reading, const cJSON *event)
{
	const char *run = text_of(AT(event, "workflow_run", "head_sha"));
	const char *head = text_of(AT(event, "pull_request", "head", "sha"));

	keep_commit(reading, run ? run : head ? head : variable(reading, "GITHUB_SHA"));
}

/* Stores the page of the run that a workflow_run event is about, otherwise of this run. */
static void read_github_run(struct reading *reading, const cJSON *event)
{
	const char *measured = text_of(AT(event, "workflow_run", "html_url"));
	const char *server = variable(reading, "GITHUB_SERVER_URL");
	const char *project = variable(reading, "GITHUB_REPOSITORY");
	const char *id = variable(reading, "GITHUB_RUN_ID");

	if (measured)
		keep_run_url(reading, measured);
	else if (server && project && id)
		keep_run_url(reading, weir_arena_format(reading->arena, "%s/%s/actions/runs/%s",
		                                        server, project, id));
}

static enum weir_status read_event(struct reading *reading)
{
	const char *path = variable(reading, "GITHUB_EVENT_PATH");
	cJSON *event = NULL;

	if (!path) {
		read_github_run(reading, NULL);
		read_github_commit(reading, NULL);
		return WEIR_OK;
	}
	if (weir_json_read_file(path, &event, reading->err)) {
		struct weir_error why = *reading->err;

		*reading->err = (struct weir_error){WEIR_OK, ""};
		if (reading->wish->number)
			return WEIR_OK; /* the event is not needed */
		return weir_fail(reading->err, WEIR_E_NO_PULL_REQUEST,
		                 "the event that names it cannot be read, %s", why.message);
	}
	take_pull_request(reading, event);
	take_workflow_run(reading, event);
	read_github_run(reading, event);
	read_github_commit(reading, event);
	cJSON_Delete(event);
	return WEIR_OK;
}

static enum weir_status read_merge_request(struct reading *reading)
{
	const char *text = variable(reading, "CI_MERGE_REQUEST_IID");
	int64_t number;

	keep_run_url(reading, variable(reading, "CI_PIPELINE_URL"));
	keep_commit(reading, variable(reading, "CI_COMMIT_SHA"));
	if (!text)
		return WEIR_OK;
	if (!weir_parse_i64(text, strlen(text), &number) || number < 1 || number > MAX_NUMBER)
		return weir_fail(reading->err, WEIR_E_USAGE,
		                 "CI_MERGE_REQUEST_IID: expected a number, found %.40s", text);
	reading->out->place.number = number;
	return WEIR_OK;
}

enum weir_status weir_ci_context_read(const struct weir_ci_environment *environment,
                                      const struct weir_ci_wish *wish, struct weir_arena *arena,
                                      struct weir_ci_context *out, struct weir_error *err)
{
	struct weir_error own = {0};
	struct reading reading = {environment, wish, arena, out, err ? err : &own};
	enum weir_status status;

	*out = (struct weir_ci_context){.place.project = ""};
	status = choose_provider(&reading);
	if (!status)
		status = read_url(&reading);
	if (!status)
		status = read_token(&reading);
	if (!status)
		status = read_project(&reading);
	if (!status)
		status = out->provider == &weir_provider_github ? read_event(&reading)
		                                                : read_merge_request(&reading);
	if (wish->number) {
		out->place.number = wish->number;
		out->head = (struct weir_ci_head){NULL, NULL, NULL};
	}
	return status;
}

enum weir_status weir_ci_context_check(const struct weir_ci_context *context,
                                       struct weir_error *err)
{
	const struct weir_provider *provider = context->provider;

	if (context->from_fork)
		return weir_fail(err, WEIR_E_FORBIDDEN,
		                 "this pull request comes from a fork, whose jobs get a token "
		                 "that cannot write: upload the result and let a workflow_run "
		                 "workflow comment (ci/github/weir-comment.yml)");
	if (!context->token)
		return weir_fail(err, WEIR_E_NO_TOKEN, "%s is not set; %s",
		                 provider->token_variable,
		                 provider == &weir_provider_github
		                         ? "pass it to the step: GITHUB_TOKEN: ${{ github.token }}"
		                         : "a merge request from a fork has none; else it is a "
		                           "masked variable of the project");
	if (!*context->place.project)
		return weir_fail(err, WEIR_E_USAGE, "%s is not set", provider->project_variable);
	if (!context->place.number && !context->head.commit)
		return weir_fail(err, WEIR_E_NO_PULL_REQUEST,
		                 "this job belongs to no %s; --pr N names one", provider->request);
	return WEIR_OK;
}
