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

struct weir_clock weir_clock_system(void)
{
	return (struct weir_clock){.now_ms = system_now_ms, .sleep_ms = system_sleep_ms};
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

bool weir_api_wait(struct weir_api *api, unsigned attempt, const char *retry_after)
{
	int64_t wait_ms = asked_wait_ms(retry_after);

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

/* Returns true if the service got too many requests. GitHub may answer 403 with Retry-After instead
 * of 429. */
static bool is_rate_limited(const struct weir_http_answer *answer)
{
	return answer->status == 429 ||
	       (answer->status == 403 && answer->header[WEIR_HTTP_RETRY_AFTER].data);
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

/* Appends the member "message" of an error answer: one line of printable ASCII without the token.
 */
static void add_said(const struct weir_api *api, const struct weir_http_answer *answer,
                     struct weir_text *out)
{
	const char *said = NULL;
	cJSON *document = NULL;

	if (answer->body.length &&
	    weir_json_parse(answer->body.data, answer->body.length, &document, NULL) == WEIR_OK)
		(void)weir_json_text(document, "message", &said, NULL);
	if (said && *said && !(*api->token && strstr(said, api->token))) {
		weir_text_puts(out, ", saying: ");
		for (size_t i = 0; said[i] && i < MAX_SAID_BYTES; i++)
			weir_text_add(out, said[i] >= ' ' && said[i] < 0x7f ? &said[i] : "?", 1);
	}
	cJSON_Delete(document);
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
	const char *remaining = weir_http_answer_header(answer, WEIR_HTTP_RATE_REMAINING);

	add_said(api, answer, &said);
	if (answer->reason)
		status = weir_fail(err, WEIR_E_NETWORK, "%s cannot be used: %s", title,
		                   answer->reason);
	else if (is_rate_limited(answer) || (answer->status == 403 && strcmp(remaining, "0") == 0))
		status = weir_fail(err, WEIR_E_NETWORK,
		                   "%s allows no more requests for now (HTTP %d)", title,
		                   answer->status);
	else
		status =
			weir_fail(err, status, "%s answered HTTP %d to %s%s%s%s", title,
		                  answer->status, call->method, said.data ? said.data : "",
		                  status == WEIR_E_FORBIDDEN ? "; " : "",
		                  status == WEIR_E_FORBIDDEN ? api->provider->permission_hint : "");
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
		    !weir_api_wait(api, attempt,
		                   weir_http_answer_header(answer, WEIR_HTTP_RETRY_AFTER)))
			return refuse(api, call, answer, err);
	}
}
