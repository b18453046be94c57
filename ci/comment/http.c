/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ci/comment/http.h"
#include "engine/base/arena.h"
#include "engine/base/curl_calls.h"

static const char *const header_names[WEIR_HTTP_HEADER_COUNT] = {
	[WEIR_HTTP_LINK] = "Link",
	[WEIR_HTTP_LOCATION] = "Location",
	[WEIR_HTTP_NEXT_PAGE] = "X-Next-Page",
	[WEIR_HTTP_RATE_REMAINING] = "X-RateLimit-Remaining",
	[WEIR_HTTP_RATE_RESET] = "X-RateLimit-Reset",
	[WEIR_HTTP_RETRY_AFTER] = "Retry-After",
};

static void clear_head(struct weir_http_answer *answer)
{
	for (size_t i = 0; i < WEIR_HTTP_HEADER_COUNT; i++)
		weir_text_release(&answer->header[i]);
}

void weir_http_answer_clear(struct weir_http_answer *answer)
{
	clear_head(answer);
	weir_text_clear(&answer->body);
	answer->status = 0;
	answer->reason = NULL;
}

void weir_http_answer_release(struct weir_http_answer *answer)
{
	clear_head(answer);
	weir_text_release(&answer->body);
}

const char *weir_http_answer_header(const struct weir_http_answer *answer,
                                    enum weir_http_header header)
{
	return answer->header[header].data ? answer->header[header].data : "";
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void keep_value(struct weir_text *header, const char *value, size_t len)
{
	while (len > 0 && is_blank(*value)) {
		value++;
		len--;
	}
	while (len > 0 && is_blank(value[len - 1]))
		len--;
	weir_text_clear(header);
	weir_text_add(header, value, len < WEIR_HTTP_MAX_HEADER ? len : WEIR_HTTP_MAX_HEADER);
}

void weir_http_answer_head_line(struct weir_http_answer *answer, const char *line, size_t len)
{
	if (len >= 5 && memcmp(line, "HTTP/", 5) == 0) {
		clear_head(answer);
		return;
	}
	for (size_t i = 0; i < WEIR_HTTP_HEADER_COUNT; i++) {
		size_t name = strlen(header_names[i]);

		if (len > name && line[name] == ':' &&
		    strncasecmp(line, header_names[i], name) == 0)
			keep_value(&answer->header[i], line + name + 1, len - name - 1);
	}
}

struct weir_http {
	CURL *curl;
};

enum weir_status weir_http_check(struct weir_error *err)
{
	return weir_libcurl_load(err);
}

struct weir_http *weir_http_new(void)
{
	struct weir_http *http;
	CURL *curl;

	if (weir_libcurl_load(NULL) || curl_global_init(CURL_GLOBAL_DEFAULT))
		return NULL;
	curl = curl_easy_init();
	if (!curl) {
		curl_global_cleanup();
		return NULL;
	}
	http = weir_alloc(sizeof(*http));
	http->curl = curl;
	return http;
}

void weir_http_free(struct weir_http *http)
{
	if (!http)
		return;
	curl_easy_cleanup(http->curl);
	curl_global_cleanup();
	free(http);
}

/* libcurl's callback: any return but size * count stops the transfer. */
static size_t take_body(char *data, size_t size, size_t count, void *context)
{
	struct weir_http_answer *answer = context;
	size_t len = size * count;

	if (len > WEIR_HTTP_MAX_BODY - answer->body.length)
		return len ? 0 : len;
	weir_text_add(&answer->body, data, len);
	return len;
}

static size_t take_head(char *data, size_t size, size_t count, void *context)
{
	weir_http_answer_head_line(context, data, size * count);
	return size * count;
}

static struct curl_slist *list_headers(const char *const *headers)
{
	struct curl_slist *list = NULL;

	for (size_t i = 0; headers && headers[i]; i++) {
		struct curl_slist *longer = curl_slist_append(list, headers[i]);

		if (!longer)
			weir_out_of_memory();
		list = longer;
	}
	return list;
}

/* Translates a code of libcurl by its meaning for a repeat of the request. */
static enum weir_http_result result_of(CURLcode code)
{
	static const struct {
		CURLcode code;
		enum weir_http_result result;
	} table[] = {
		{CURLE_OK, WEIR_HTTP_ANSWERED},
		{CURLE_COULDNT_RESOLVE_PROXY, WEIR_HTTP_NOT_DONE},
		{CURLE_COULDNT_RESOLVE_HOST, WEIR_HTTP_NOT_DONE},
		{CURLE_COULDNT_CONNECT, WEIR_HTTP_NOT_DONE},
		{CURLE_UNSUPPORTED_PROTOCOL, WEIR_HTTP_UNFIT},
		{CURLE_URL_MALFORMAT, WEIR_HTTP_UNFIT},
		{CURLE_WRITE_ERROR, WEIR_HTTP_UNFIT},
		{CURLE_SSL_CONNECT_ERROR, WEIR_HTTP_UNFIT},
		{CURLE_PEER_FAILED_VERIFICATION, WEIR_HTTP_UNFIT},
		{CURLE_SSL_CACERT_BADFILE, WEIR_HTTP_UNFIT},
		{CURLE_SSL_ISSUER_ERROR, WEIR_HTTP_UNFIT},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (table[i].code == code)
			return table[i].result;
	return WEIR_HTTP_UNSURE;
}

static CURLcode set_up(CURL *curl, const struct weir_http_request *request,
                       struct curl_slist *headers, struct weir_http_answer *answer)
{
	CURLcode code = curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");

	/* These are libcurl's defaults, stated because security depends on them. */
	if (!code)
		code = curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
	if (!code)
		code = curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
	if (!code)
		code = curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	if (!code)
		code = curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	if (!code)
		code = curl_easy_setopt(curl, CURLOPT_URL, request->url);
	if (!code)
		code = curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
	if (!code && headers)
		code = curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	if (code)
		return code;
	if (request->body) {
		curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
		                 (curl_off_t)strlen(request->body));
		curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
	}
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)request->timeout_ms);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "weir/" WEIR_VERSION);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, (void *)answer);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_head);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, (void *)answer);
	return CURLE_OK;
}

static enum weir_http_result send_with_curl(void *context, const struct weir_http_request *request,
                                            struct weir_http_answer *answer)
{
	struct weir_http *http = context;
	struct curl_slist *headers = list_headers(request->headers);
	long status = 0;
	CURLcode code;

	weir_http_answer_clear(answer);
	curl_easy_reset(http->curl);
	code = set_up(http->curl, request, headers, answer);
	if (!code)
		code = curl_easy_perform(http->curl);
	curl_slist_free_all(headers);
	if (code) {
		answer->reason = code == CURLE_WRITE_ERROR ? "The answer is too large"
		                                           : curl_easy_strerror(code);
		return result_of(code);
	}
	curl_easy_getinfo(http->curl, CURLINFO_RESPONSE_CODE, &status);
	answer->status = (int)status;
	return WEIR_HTTP_ANSWERED;
}

struct weir_transport weir_http_transport(struct weir_http *http)
{
	return (struct weir_transport){.context = http, .send = send_with_curl};
}
