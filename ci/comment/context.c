/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "ci/comment/context.h"
#include "ci/comment/url.h"
#include "engine/base/json.h"

#define MAX_NUMBER 1000000000 /* of a pull request; far above any */

/* What reading needs at hand. */
struct reading {
	const struct weir_ci_environment *environment;
	const struct weir_ci_wish *wish;
	struct weir_arena *arena;
	struct weir_ci_context *out;
	struct weir_error *err;
};

/* An empty variable counts as one that is not set: CI systems set variables to nothing. */
static const char *variable(const struct reading *reading, const char *name)
{
	const char *value = reading->environment->get(reading->environment->context, name);

	return value && *value ? value : NULL;
}

static const char *keep(const struct reading *reading, const char *text)
{
	return text ? weir_arena_copy(reading->arena, text, strlen(text)) : NULL;
}

/* Which services' variables are there, as bits. */
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

/* By what a job of the service has; outside of one by the token. */
static enum sign whose_environment(const struct reading *reading)
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

static enum weir_ci_outcome choose_provider(struct reading *reading)
{
	const char *name = reading->wish->provider;

	if (name) {
		reading->out->provider = weir_provider_find(name);
		if (!reading->out->provider)
			return weir_ci_fail(reading->err, WEIR_CI_USAGE, "no provider %s", name);
		return WEIR_CI_DONE;
	}
	switch (whose_environment(reading)) {
	case SIGN_GITHUB:
		reading->out->provider = &weir_provider_github;
		return WEIR_CI_DONE;
	case SIGN_GITLAB:
		reading->out->provider = &weir_provider_gitlab;
		return WEIR_CI_DONE;
	case SIGN_BOTH:
		return weir_ci_fail(reading->err, WEIR_CI_USAGE,
		                    "the environment is that of GitHub and of GitLab; say which: "
		                    "--provider github or --provider gitlab");
	case SIGN_NONE:
		break;
	}
	return weir_ci_fail(reading->err, WEIR_CI_NO_TOKEN,
	                    "neither GITHUB_TOKEN nor GITLAB_TOKEN is set, and the environment is "
	                    "that of neither service; --dry-run prints the comment");
}

/* The value is not repeated in a message: an address may hold a password. */
static enum weir_ci_outcome read_url(struct reading *reading)
{
	const struct weir_provider *provider = reading->out->provider;
	const char *url = variable(reading, provider->url_variable);
	struct weir_url parts;
	size_t len;

	if (!url)
		url = provider->default_url;
	if (!weir_url_split(url, &parts) || strpbrk(parts.rest.data, "?#"))
		return weir_ci_fail(reading->err, WEIR_CI_USAGE,
		                    "%s is no address of an API: expected https://HOST/PATH "
		                    "without user name, password and query",
		                    provider->url_variable);
	len = strlen(url);
	while (len > 0 && url[len - 1] == '/')
		len--;
	reading->out->url = weir_arena_copy(reading->arena, url, len);
	return WEIR_CI_DONE;
}

/* A token is one word of visible ASCII: anything else could begin a header of its own. */
static enum weir_ci_outcome read_token(struct reading *reading)
{
	const char *name = reading->out->provider->token_variable;
	const char *token = variable(reading, name);

	for (const char *at = token; at && *at; at++)
		if (*at <= ' ' || *at >= 0x7f)
			return weir_ci_fail(reading->err, WEIR_CI_USAGE,
			                    "%s holds a blank, a line end or a byte that is in no "
			                    "token",
			                    name);
	reading->out->token = keep(reading, token);
	return WEIR_CI_DONE;
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

static enum weir_ci_outcome read_project(struct reading *reading)
{
	const struct weir_provider *provider = reading->out->provider;
	const char *project = variable(reading, provider->project_variable);
	struct weir_text encoded = {0};

	reading->out->place.project = "";
	if (!project)
		return WEIR_CI_DONE;
	if (provider == &weir_provider_github) {
		if (!is_repository(project))
			return weir_ci_fail(reading->err, WEIR_CI_USAGE,
			                    "%s: expected OWNER/NAME, found %.100s",
			                    provider->project_variable, project);
		reading->out->place.project = keep(reading, project);
		return WEIR_CI_DONE;
	}
	weir_url_encode(project, &encoded);
	reading->out->place.project = keep(reading, encoded.data);
	weir_text_release(&encoded);
	return WEIR_CI_DONE;
}

/* Members of members; NULL where one is missing or of another type. */
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
	/* A fork that was deleted since has no head.repo. */
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
	struct weir_url parts;

	if (url && weir_url_split(url, &parts))
		reading->out->run_url = keep(reading, url);
}

/* Of a workflow_run event the run that it is about, else this run. */
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

static enum weir_ci_outcome read_event(struct reading *reading)
{
	const char *path = variable(reading, "GITHUB_EVENT_PATH");
	cJSON *event = NULL;

	if (!path) {
		read_github_run(reading, NULL);
		return WEIR_CI_DONE;
	}
	if (weir_json_read_file(path, &event, reading->err)) {
		struct weir_error why = *reading->err;

		*reading->err = (struct weir_error){WEIR_OK, ""};
		if (reading->wish->number)
			return WEIR_CI_DONE; /* the event is not needed */
		return weir_ci_fail(reading->err, WEIR_CI_NO_PULL_REQUEST,
		                    "the event that names it cannot be read, %s", why.message);
	}
	take_pull_request(reading, event);
	take_workflow_run(reading, event);
	read_github_run(reading, event);
	cJSON_Delete(event);
	return WEIR_CI_DONE;
}

static enum weir_ci_outcome read_merge_request(struct reading *reading)
{
	const char *text = variable(reading, "CI_MERGE_REQUEST_IID");
	int64_t number;

	keep_run_url(reading, variable(reading, "CI_PIPELINE_URL"));
	if (!text)
		return WEIR_CI_DONE;
	if (!weir_parse_i64(text, strlen(text), &number) || number < 1 || number > MAX_NUMBER)
		return weir_ci_fail(reading->err, WEIR_CI_USAGE,
		                    "CI_MERGE_REQUEST_IID: expected a number, found %.40s", text);
	reading->out->place.number = number;
	return WEIR_CI_DONE;
}

enum weir_ci_outcome weir_ci_context_read(const struct weir_ci_environment *environment,
                                          const struct weir_ci_wish *wish, struct weir_arena *arena,
                                          struct weir_ci_context *out, struct weir_error *err)
{
	struct weir_error own = {0};
	struct reading reading = {environment, wish, arena, out, err ? err : &own};
	enum weir_ci_outcome outcome;

	*out = (struct weir_ci_context){.place.project = ""};
	outcome = choose_provider(&reading);
	if (!outcome)
		outcome = read_url(&reading);
	if (!outcome)
		outcome = read_token(&reading);
	if (!outcome)
		outcome = read_project(&reading);
	if (!outcome)
		outcome = out->provider == &weir_provider_github ? read_event(&reading)
		                                                 : read_merge_request(&reading);
	if (wish->number) {
		out->place.number = wish->number;
		out->head = (struct weir_ci_head){NULL, NULL, NULL};
	}
	return outcome;
}

enum weir_ci_outcome weir_ci_context_check(const struct weir_ci_context *context,
                                           struct weir_error *err)
{
	const struct weir_provider *provider = context->provider;

	if (context->from_fork)
		return weir_ci_fail(err, WEIR_CI_FORBIDDEN,
		                    "this pull request comes from a fork, whose jobs get a token "
		                    "that cannot write: upload the result and let a workflow_run "
		                    "workflow comment (ci/github/weir-comment.yml)");
	if (!context->token)
		return weir_ci_fail(
			err, WEIR_CI_NO_TOKEN, "%s is not set; %s", provider->token_variable,
			provider == &weir_provider_github
				? "pass it to the step: GITHUB_TOKEN: ${{ github.token }}"
				: "a merge request from a fork has none; else it is a "
				  "masked variable of the project");
	if (!*context->place.project)
		return weir_ci_fail(err, WEIR_CI_USAGE, "%s is not set",
		                    provider->project_variable);
	if (!context->place.number && !context->head.commit)
		return weir_ci_fail(err, WEIR_CI_NO_PULL_REQUEST,
		                    "this job belongs to no %s; --pr N names one",
		                    provider->request);
	return WEIR_CI_DONE;
}
