/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "ci/comment/api.h"
#include "ci/comment/url.h"
#include "engine/base/json.h"
#include "engine/base/jsonout.h"

#define FIRST_WAIT_MS  1000
#define MAX_SAID_BYTES 160 /* of the service's text that a message quotes */

static int64_t system_now_ms(void *context)
{
	struct timespec now = {0};

	(void)context;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void system_sleep_ms(void *context, int64_t ms)
{
	struct timespec left = {.tv_sec = (time_t)(ms / 1000),
	                        .tv_nsec = (long)(ms % 1000) * 1000000};

	(void)context;
	while (nanosleep(&left, &left) != 0) {
		/* a signal interrupted the sleep: continue */
	}
}

static int64_t system_date_s(void *context)
{
	(void)context;
	return (int64_t)time(NULL);
}

struct weir_clock weir_clock_system(void)
{
	return (struct weir_clock){
		.now_ms = system_now_ms, .sleep_ms = system_sleep_ms, .date_s = system_date_s};
}

static int64_t left_ms(const struct weir_api *api)
{
	return api->deadline_ms - api->clock.now_ms(api->clock.context);
}

/* Parses Retry-After in seconds; returns -1 for anything else. It may be a date, but neither
 * service sends one. */
static int64_t asked_wait_ms(const char *retry_after)
{
	int64_t seconds;

	if (!weir_parse_i64(retry_after, strlen(retry_after), &seconds) || seconds < 0)
		return -1;
	return seconds < WEIR_API_MAX_WAIT_MS / 1000 ? seconds * 1000 : WEIR_API_MAX_WAIT_MS;
}

/* Returns true if the body of an answer contains the words. */
static bool says(const struct weir_http_answer *answer, const char *words)
{
	return answer->body.data && strstr(answer->body.data, words);
}

static bool is_used_up(const struct weir_http_answer *answer)
{
	return strcmp(weir_http_answer_header(answer, WEIR_HTTP_RATE_REMAINING), "0") == 0;
}

/* Returns true for a limit on requests that change something in a short time, which GitHub may
 * answer with 403 and without Retry-After. */
static bool is_secondary_limit(const struct weir_http_answer *answer)
{
	return (answer->status == 403 || answer->status == 429) &&
	       says(answer, "secondary rate limit");
}

/* Returns true if the service got too many requests. */
static bool is_rate_limited(const struct weir_http_answer *answer)
{
	return answer->status == 429 ||
	       (answer->status == 403 && (answer->header[WEIR_HTTP_RETRY_AFTER].data ||
	                                  is_used_up(answer) || is_secondary_limit(answer)));
}

/* Returns the time until a used-up rate begins anew; -1: unknown. */
static int64_t reset_wait_ms(const struct weir_api *api, const struct weir_http_answer *answer)
{
	const char *reset = weir_http_answer_header(answer, WEIR_HTTP_RATE_RESET);
	int64_t moment, now = api->clock.date_s(api->clock.context);

	if (!is_rate_limited(answer) || !is_used_up(answer) ||
	    !weir_parse_i64(reset, strlen(reset), &moment) || moment < 0 ||
	    moment > INT64_MAX / 1000 - 1)
		return -1;
	return moment > now ? (moment - now + 1) * 1000 : FIRST_WAIT_MS;
}

bool weir_api_wait(struct weir_api *api, unsigned attempt, const struct weir_http_answer *answer)
{
	int64_t wait_ms = asked_wait_ms(weir_http_answer_header(answer, WEIR_HTTP_RETRY_AFTER));

	if (wait_ms < 0)
		wait_ms = reset_wait_ms(api, answer);
	if (wait_ms < 0 && answer->status == 403 && is_used_up(answer))
		return false; /* until an unknown time */
	if (wait_ms < 0 && is_secondary_limit(answer))
		wait_ms = WEIR_API_LIMIT_MS;
	if (wait_ms < 0)
		wait_ms = (int64_t)FIRST_WAIT_MS << (attempt - 1);
	if (wait_ms >= left_ms(api))
		return false;
	api->clock.sleep_ms(api->clock.context, wait_ms);
	return true;
}

static bool is_redirect(int status)
{
	return status == 301 || status == 302 || status == 307 || status == 308;
}

/* Sends the request and follows redirects, with the same method and body, on the same host only.
 * `url` becomes the last address. */
static enum weir_http_result send_following(struct weir_api *api, struct weir_http_request *request,
                                            struct weir_text *url, struct weir_http_answer *answer)
{
	for (unsigned hop = 0; hop <= WEIR_API_MAX_HOPS; hop++) {
		struct weir_text next = {0};
		enum weir_http_result result;
		const char *location;

		request->url = url->data;
		request->timeout_ms =
			left_ms(api) < api->request_ms ? left_ms(api) : api->request_ms;
		if (request->timeout_ms <= 0)
			request->timeout_ms = 1;
		result = api->transport.send(api->transport.context, request, answer);
		if (result != WEIR_HTTP_ANSWERED || !is_redirect(answer->status))
			return result;
		location = weir_http_answer_header(answer, WEIR_HTTP_LOCATION);
		if (!weir_url_resolve(url->data, location, &next) ||
		    !weir_url_same_origin(api->url, next.data)) {
			weir_text_release(&next);
			answer->reason = "redirected to another host, which does not get the token";
			return WEIR_HTTP_UNFIT;
		}
		weir_text_release(url);
		*url = next;
	}
	answer->reason = "redirected too often";
	return WEIR_HTTP_UNFIT;
}

static enum weir_http_result send_call(struct weir_api *api, const struct weir_api_call *call,
                                       struct weir_http_answer *answer)
{
	struct weir_text url = {0}, token = {0}, body = {0};
	const char *headers[8] = {NULL};
	struct weir_http_request request = {.method = call->method, .headers = headers};
	size_t count = 0;
	enum weir_http_result result;

	weir_text_printf(&url, "%s%s", api->url, call->path);
	weir_text_printf(&token, "%s%s", api->provider->token_header, api->token);
	headers[count++] = token.data;
	for (size_t i = 0; api->provider->headers[i]; i++)
		headers[count++] = api->provider->headers[i];
	if (call->comment) {
		struct weir_jsonout json;

		weir_jsonout_init(&json, &body, false);
		weir_jsonout_begin_object(&json, NULL);
		weir_jsonout_text(&json, "body", call->comment);
		weir_jsonout_end(&json);
		headers[count++] = "Content-Type: application/json";
		request.body = body.data;
	}
	result = send_following(api, &request, &url, answer);
	weir_text_release(&url);
	weir_text_release(&token);
	weir_text_release(&body);
	return result;
}

/* Returns the result of a request in view of its answer's status. */
static enum weir_http_result judge(enum weir_http_result result,
                                   const struct weir_http_answer *answer)
{
	if (result != WEIR_HTTP_ANSWERED || (answer->status >= 200 && answer->status < 300))
		return result;
	if (is_rate_limited(answer))
		return WEIR_HTTP_NOT_DONE;
	return answer->status >= 500 ? WEIR_HTTP_UNSURE : WEIR_HTTP_UNFIT;
}

/* Appends one element of "errors": a text, or an object with "message", or with "field" and
 * "code". */
static void add_fault(const cJSON *fault, struct weir_text *out)
{
	const char *message = NULL, *field = NULL, *code = NULL;

	if (!fault)
		return;
	if (cJSON_IsString(fault))
		message = fault->valuestring;
	else if (cJSON_IsObject(fault)) {
		(void)weir_json_text(fault, "message", &message, NULL);
		(void)weir_json_text(fault, "field", &field, NULL);
		(void)weir_json_text(fault, "code", &code, NULL);
	}
	if (!message && !field && !code)
		return;
	weir_text_puts(out, out->length ? "; " : "");
	if (message)
		weir_text_puts(out, message);
	else
		weir_text_printf(out, "%s%s%s", field ? field : "", field && code ? ": " : "",
		                 code ? code : "");
}

/* Appends "message" (GitHub), which may be an object (GitLab), "error" (GitLab) and "errors". */
static void add_faults(const cJSON *document, struct weir_text *out)
{
	const cJSON *message = cJSON_GetObjectItemCaseSensitive(document, "message"),
		    *errors = cJSON_GetObjectItemCaseSensitive(document, "errors"), *fault;
	char *whole = cJSON_IsObject(message) ? cJSON_PrintUnformatted(message) : NULL;

	if (whole)
		weir_text_puts(out, whole);
	cJSON_free(whole);
	add_fault(message && !whole ? message : NULL, out);
	add_fault(cJSON_GetObjectItemCaseSensitive(document, "error"), out);
	cJSON_ArrayForEach (fault, errors)
		add_fault(fault, out);
}

/* Appends the reasons of an error answer: one line of printable ASCII without the token. */
static void add_said(const struct weir_api *api, const struct weir_http_answer *answer,
                     struct weir_text *out)
{
	struct weir_text said = {0};
	cJSON *document = NULL;

	if (answer->body.length &&
	    weir_json_parse(answer->body.data, answer->body.length, &document, NULL) == WEIR_OK)
		add_faults(document, &said);
	if (said.length && !(*api->token && strstr(said.data, api->token))) {
		weir_text_puts(out, ", saying: ");
		for (size_t i = 0; i < said.length && i < MAX_SAID_BYTES; i++)
			weir_text_add(out,
			              said.data[i] >= ' ' && said.data[i] < 0x7f ? &said.data[i]
			                                                         : "?",
			              1);
	}
	weir_text_release(&said);
	cJSON_Delete(document);
}

/* Says how to get the right to comment. */
static const char *permission_hint(const struct weir_api *api,
                                   const struct weir_http_answer *answer)
{
	if (answer->status == 401)
		return "the token is wrong, expired or revoked: make a new one";
	if (says(answer, "locked"))
		return "the conversation is locked: unlock it, or let a person comment who may";
	return api->provider->permission_hint;
}

/* Returns the status for an HTTP status that is not a success. */
static enum weir_status status_of(int http, bool with_body)
{
	static const struct {
		int http;
		enum weir_status with_body, without;
	} table[] = {
		{400, WEIR_E_REFUSED, WEIR_E_NETWORK},
		{401, WEIR_E_FORBIDDEN, WEIR_E_FORBIDDEN},
		{403, WEIR_E_FORBIDDEN, WEIR_E_FORBIDDEN},
		{404, WEIR_E_FORBIDDEN,
	         WEIR_E_FORBIDDEN}, /* also the answer if the token may not see it */
		{413, WEIR_E_REFUSED, WEIR_E_NETWORK},
		{422, WEIR_E_REFUSED, WEIR_E_NETWORK},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].http == http)
			return with_body ? table[i].with_body : table[i].without;
	return WEIR_E_NETWORK;
}

/* Fails with a message about the last attempt. */
static enum weir_status refuse(const struct weir_api *api, const struct weir_api_call *call,
                               const struct weir_http_answer *answer, struct weir_error *err)
{
	const char *title = api->provider->title;
	struct weir_text said = {0};
	enum weir_status status = status_of(answer->status, call->comment != NULL);

	add_said(api, answer, &said);
	if (answer->reason)
		status = weir_fail(err, WEIR_E_NETWORK, "%s cannot be used: %s", title,
		                   answer->reason);
	else if (is_rate_limited(answer))
		status = weir_fail(err, WEIR_E_NETWORK,
		                   "%s allows no more requests for now (HTTP %d)", title,
		                   answer->status);
	else
		status = weir_fail(err, status, "%s answered HTTP %d to %s%s%s%s", title,
		                   answer->status, call->method, said.data ? said.data : "",
		                   status == WEIR_E_FORBIDDEN ? "; " : "",
		                   status == WEIR_E_FORBIDDEN ? permission_hint(api, answer) : "");
	weir_text_release(&said);
	return status;
}

enum weir_status weir_api_call(struct weir_api *api, const struct weir_api_call *call,
                               struct weir_http_answer *answer, struct weir_error *err)
{
	weir_http_answer_clear(answer);
	for (unsigned attempt = 1;; attempt++) {
		enum weir_http_result result;

		if (left_ms(api) <= 0)
			return weir_fail(err, WEIR_E_NETWORK,
			                 "%s took longer than allowed; --timeout sets how long",
			                 api->provider->title);
		result = judge(send_call(api, call, answer), answer);
		if (result == WEIR_HTTP_ANSWERED)
			return WEIR_OK;
		if (result == WEIR_HTTP_UNSURE && call->once) {
			(void)refuse(api, call, answer, err);
			return WEIR_E_UNSURE;
		}
		if (result == WEIR_HTTP_UNFIT || attempt == WEIR_API_MAX_ATTEMPTS ||
		    !weir_api_wait(api, attempt, answer))
			return refuse(api, call, answer, err);
	}
}
