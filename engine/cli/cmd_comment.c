/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ci/comment/comment.h"
#include "ci/comment/url.h"
#include "ci/policy/causes.h"
#include "engine/base/source.h"
#include "engine/cli/command.h"
#include "engine/cli/output.h"
#include "engine/report/json/stored.h"
#include "engine/report/writer.h"

#define DEFAULT_TIMEOUT_S  120
#define MIN_REQUEST_MS     1000 /* a request may take a quarter of the timeout, within limits */
#define MAX_REQUEST_MS     15000
#define KEY_OF_NO_BASELINE "default"

static const char *const providers[] = {"github", "gitlab", NULL};

static const struct weir_option options[] = {
	{.name = "provider",
         .kind = WEIR_OPTION_CHOICE,
         .value = "NAME",
         .choices = providers,
         .help = "github or gitlab (default: detected from the environment)"},
	{.name = "pr",
         .kind = WEIR_OPTION_COUNT,
         .value = "N",
         .help = "number of the pull or merge request (default: that of the job)"},
	{.name = "suite",
         .kind = WEIR_OPTION_TEXT,
         .value = "ID",
         .help = "name of the comment: each ID has its own (default: name of the baseline)"},
	{.name = "dry-run",
         .kind = WEIR_OPTION_FLAG,
         .help = "print the comment and where it would be posted; make no request"},
	{.name = "page",
         .kind = WEIR_OPTION_TEXT,
         .value = "URL",
         .help = "link to this page in the comment, as an HTML artifact of the job"},
	{.name = "timeout",
         .kind = WEIR_OPTION_COUNT,
         .value = "SECONDS",
         .help = "give up after this many seconds, including delays (default 120)"},
	{.name = NULL},
};

static const char *from_process(void *context, const char *name)
{
	(void)context;
	return getenv(name);
}

/* Reads the result of a gate. The caller frees *out. */
static enum weir_status read_result(const char *path, struct weir_gate_result **out,
                                    struct weir_error *err)
{
	enum weir_result_kind kind = WEIR_RESULT_GATE;
	struct weir_source *source = NULL;
	enum weir_status status = weir_source_open(path, &source, err);

	if (status)
		return weir_fail_in(err, "%s", path);
	status = weir_gate_read(source, &kind, out, err);
	if (!status && kind != WEIR_RESULT_GATE)
		status = weir_fail(err, WEIR_E_USAGE,
		                   "%s: found a report of weir classify; expected a result of weir "
		                   "gate or weir compare",
		                   weir_source_name(source));
	else if (!status)
		weir_gate_complete_causes(*out);
	weir_source_free(source);
	return status;
}

/* Comment before it is posted. */
struct draft {
	const char *key; /* name of the suite; borrowed */
	enum weir_comment_verdict verdict;
	struct weir_text body;
};

static enum weir_status write_draft(const struct weir_arguments *arguments,
                                    const struct weir_gate_result *result,
                                    const struct weir_ci_context *context, struct draft *draft,
                                    struct weir_error *err)
{
	const struct weir_write_options how = {
		.link = context->run_url,
		.page = weir_option_text(arguments, "page"),
		.commit = context->commit,
	};
	const char *suite = weir_option_text(arguments, "suite");
	struct weir_text markdown = {0};

	draft->key = suite ? suite : result->baseline_name;
	if (!draft->key || !*draft->key)
		draft->key = KEY_OF_NO_BASELINE;
	if (strlen(draft->key) > WEIR_COMMENT_MAX_KEY)
		return weir_fail(err, WEIR_E_USAGE,
		                 "the name of the suite has %zu bytes; expected at most %d: set "
		                 "--suite",
		                 strlen(draft->key), WEIR_COMMENT_MAX_KEY);
	draft->verdict =
		result->exit_code == WEIR_EXIT_PASS ? WEIR_COMMENT_PASS : WEIR_COMMENT_FAIL;
	weir_write_gate_markdown(result, &how, &markdown);
	weir_comment_compose(draft->key, draft->verdict, markdown.data ? markdown.data : "",
	                     &draft->body);
	weir_text_release(&markdown);
	return WEIR_OK;
}

static void name_place(const struct weir_ci_context *context, struct weir_text *out)
{
	weir_text_printf(out, "%s ", context->provider->request);
	if (context->place.number)
		weir_text_printf(out, "%" PRId64, context->place.number);
	else
		weir_text_printf(out, "with the head %.40s", context->head.commit);
	weir_text_printf(out, " of %s", context->place.project);
}

/* Prints what the command would do without --dry-run, or why it would fail. */
static void say_plan(const struct weir_ci_context *context, const struct draft *draft,
                     enum weir_status status, struct weir_error *err)
{
	struct weir_text text = {0}, marker = {0};

	if (!status)
		status = weir_ci_context_check(context, err);
	if (status) {
		weir_text_printf(&text, "without --dry-run, the exit code would be %d: %s",
		                 (int)weir_exit_of(status), err->message);
	} else {
		weir_comment_marker(draft->key, &marker);
		weir_text_puts(&text, "would create or update the comment ");
		weir_text_puts(&text, marker.data);
		weir_text_puts(&text, " on ");
		name_place(context, &text);
	}
	weir_say(text.data);
	*err = (struct weir_error){WEIR_OK, ""};
	weir_text_release(&text);
	weir_text_release(&marker);
}

static enum weir_exit print_text(struct weir_text *text, struct weir_error *err)
{
	enum weir_status status;

	weir_text_puts(text, "\n");
	status = weir_output_write(NULL, text, err);
	weir_text_release(text);
	return weir_exit_of(status);
}

static enum weir_exit tell(const struct weir_ci_context *context,
                           const struct weir_comment_done *done, struct weir_error *err)
{
	static const char *const words[] = {
		[WEIR_COMMENT_UNCHANGED] = "left unchanged",
		[WEIR_COMMENT_UPDATED] = "updated",
		[WEIR_COMMENT_CREATED] = "created",
	};
	struct weir_text text = {0};

	if (done->id)
		weir_text_printf(&text, "comment %" PRId64 " on ", done->id);
	else
		weir_text_puts(&text, "comment on "); /* the service did not tell its number */
	name_place(context, &text);
	weir_text_printf(&text, " %s", words[done->action]);
	if (done->removed)
		weir_text_printf(&text, ", %zu younger %s removed", done->removed,
		                 done->removed == 1 ? "duplicate" : "duplicates");
	if (done->announced)
		weir_text_puts(&text, ", change of the verdict announced");
	if (done->not_announced)
		weir_say("the comment is up to date, but the change of its verdict could not be "
		         "announced");
	return print_text(&text, err);
}

static struct weir_api api_of(const struct weir_ci_context *context, struct weir_http *http,
                              size_t timeout_s)
{
	const struct weir_clock clock = weir_clock_system();
	const int64_t timeout_ms = (int64_t)timeout_s * 1000;
	int64_t request_ms = timeout_ms / 4;

	if (request_ms > MAX_REQUEST_MS)
		request_ms = MAX_REQUEST_MS;
	if (request_ms < MIN_REQUEST_MS)
		request_ms = MIN_REQUEST_MS;
	return (struct weir_api){
		.provider = context->provider,
		.url = context->url,
		.token = context->token,
		.transport = weir_http_transport(http),
		.clock = clock,
		.deadline_ms = clock.now_ms(clock.context) + timeout_ms,
		.request_ms = request_ms,
	};
}

static enum weir_exit post(struct weir_ci_context *context, const struct draft *draft,
                           size_t timeout_s, struct weir_error *err)
{
	const struct weir_comment comment = {draft->key, draft->verdict, draft->body.data};
	struct weir_comment_done done = {0};
	struct weir_http *http;
	struct weir_api api;
	enum weir_status status = weir_ci_context_check(context, err);

	if (status)
		return weir_exit_of(status);
	if (weir_url_is_exposed(context->url))
		weir_say("the token is sent without encryption, because the address of the API "
		         "begins with http://: use https://");
	http = weir_http_new();
	if (!http)
		return weir_exit_of(
			weir_fail(err, WEIR_E_INTERNAL, "libcurl cannot be initialised"));
	api = api_of(context, http, timeout_s);
	if (!context->place.number)
		status = weir_comment_find_pull(&api, &context->head, &context->place, err);
	if (!status)
		status = weir_comment_post(&api, &context->place, &comment, &done, err);
	weir_http_free(http);
	return status ? weir_exit_of(status) : tell(context, &done, err);
}

/* Writes and posts the comment, or prints it for --dry-run. */
static enum weir_exit comment_on(const struct weir_arguments *arguments,
                                 const struct weir_gate_result *result, struct weir_arena *arena,
                                 struct weir_error *err)
{
	const struct weir_ci_environment environment = {.get = from_process};
	const struct weir_ci_wish wish = {
		.provider = weir_option_text(arguments, "provider"),
		.number = (int64_t)weir_option_count(arguments, "pr", 0),
	};
	struct weir_ci_context context;
	struct draft draft = {0};
	struct weir_error why = {0};
	enum weir_status status = weir_http_check(err);
	enum weir_exit code;

	if (status)
		return weir_exit_of(status);
	status = weir_ci_context_read(&environment, &wish, arena, &context, &why);
	code = weir_exit_of(write_draft(arguments, result, &context, &draft, err));
	if (!code && weir_option_given(arguments, "dry-run")) {
		say_plan(&context, &draft, status, &why);
		code = weir_exit_of(weir_output_write(NULL, &draft.body, err));
	} else if (!code && status) {
		*err = why;
		code = weir_exit_of(status);
	} else if (!code) {
		code = post(&context, &draft,
		            weir_option_count(arguments, "timeout", DEFAULT_TIMEOUT_S), err);
	}
	weir_text_release(&draft.body);
	return code;
}

static enum weir_exit run(const struct weir_arguments *arguments, struct weir_error *err)
{
	struct weir_gate_result *result = NULL;
	struct weir_arena *arena;
	enum weir_status status;
	enum weir_exit code;

	if (weir_arguments_count(arguments) != 1)
		return weir_exit_of(weir_fail(
			err, WEIR_E_USAGE, "comment needs one result: weir comment result.json"));
	status = read_result(weir_arguments_at(arguments, 0), &result, err);
	if (status)
		return weir_exit_of(status);
	arena = weir_arena_new();
	code = comment_on(arguments, result, arena, err);
	weir_arena_free(arena);
	weir_gate_result_free(result);
	return code;
}

const struct weir_command weir_command_comment = {
	.name = "comment",
	.summary = "post or update one comment on a pull or merge request",
	.arguments = "RESULT.json",
	.description = "Posts the result of weir gate (weir.gate/1) as a comment on the pull or "
		       "merge request of the job. The comment is created once, then edited in "
		       "place, and left alone if nothing changed. Only a comment of the token's "
		       "own user that begins with weir's hidden marker is edited. No other command "
		       "uses the network.\n\n"
		       "On GitHub, it reads GITHUB_TOKEN, GITHUB_API_URL, GITHUB_REPOSITORY and "
		       "GITHUB_EVENT_PATH; on GitLab GITLAB_TOKEN, CI_API_V4_URL, CI_PROJECT_ID "
		       "and CI_MERGE_REQUEST_IID. For a workflow_run event, it finds the pull "
		       "request whose head is the commit of the event.\n\n"
		       "If the service is busy, the request is repeated with growing delays. The "
		       "exit code says only whether the comment was posted: it is 0 even if the "
		       "result is a regression.",
	.options = options,
	.completes = WEIR_COMPLETES_FILES,
	.exits = WEIR_ENDS(WEIR_EXIT_INPUT) | WEIR_ENDS(WEIR_EXIT_NO_TOKEN) |
                 WEIR_ENDS(WEIR_EXIT_FORBIDDEN) | WEIR_ENDS(WEIR_EXIT_NETWORK) |
                 WEIR_ENDS(WEIR_EXIT_NO_PULL_REQUEST) | WEIR_ENDS(WEIR_EXIT_REFUSED),
	.example = "weir comment result.json --dry-run",
	.example_shows = "prints the comment, and where it would be posted",
	.run = run,
};
