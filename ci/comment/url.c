/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>
#include <strings.h>

#include "ci/comment/url.h"
#include "engine/base/arena.h"
#include "engine/base/curl_calls.h"

/* Returns true if text holds visible ASCII only, without the characters that RFC 3986 excludes. */
static bool is_plain(const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at; at++)
		if (*at <= ' ' || *at >= 0x7f || strchr("\\\"<>^`{|}", *at))
			return false;
	return true;
}

/* Checks HOST[:PORT]. libcurl would also take one slash or three before it, user names, an encoded
 * host and an empty port. */
static bool is_authority(const char *text)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_:[]";
	size_t len = strcspn(text, "/?#");

	return len > 0 && strspn(text, allowed) == len && text[len - 1] != ':';
}

/* Returns a handle for free_parsed(), or NULL if the URL is invalid. */
static CURLU *parse(const char *url)
{
	const char *authority = strstr(url, "://");
	CURLU *parsed;

	if (weir_libcurl_load(NULL) || !is_plain(url) || !authority || !is_authority(authority + 3))
		return NULL;
	if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
		return NULL;
	parsed = curl_url();
	if (!parsed)
		weir_out_of_memory();
	if (curl_url_set(parsed, CURLUPART_URL, url, CURLU_DISALLOW_USER) == CURLUE_OK)
		return parsed;
	curl_url_cleanup(parsed);
	return NULL;
}

static void free_parsed(CURLU *parsed)
{
	if (parsed)
		curl_url_cleanup(parsed);
}

bool weir_url_is_valid(const char *url)
{
	CURLU *parsed = parse(url);

	free_parsed(parsed);
	return parsed != NULL;
}

/* Returns true for "localhost", 127.x.y.z and [::1]. */
static bool is_loopback(const char *host)
{
	size_t length = strlen(host);

	return strcasecmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0 ||
	       (strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == length);
}

bool weir_url_is_exposed(const char *url)
{
	CURLU *parsed = parse(url);
	char *scheme = NULL, *host = NULL;
	bool exposed = parsed && curl_url_get(parsed, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
	               curl_url_get(parsed, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
	               strcasecmp(scheme, "http") == 0 && !is_loopback(host);

	curl_free(scheme);
	curl_free(host);
	free_parsed(parsed);
	return exposed;
}

static bool same_part(CURLU *a, CURLU *b, CURLUPart part)
{
	char *left = NULL, *right = NULL;
	bool same = curl_url_get(a, part, &left, CURLU_DEFAULT_PORT) == CURLUE_OK &&
	            curl_url_get(b, part, &right, CURLU_DEFAULT_PORT) == CURLUE_OK &&
	            strcasecmp(left, right) == 0;

	curl_free(left);
	curl_free(right);
	return same;
}

bool weir_url_same_origin(const char *a, const char *b)
{
	CURLU *left = parse(a), *right = parse(b);
	bool same = left && right && same_part(left, right, CURLUPART_SCHEME) &&
	            same_part(left, right, CURLUPART_HOST) &&
	            same_part(left, right, CURLUPART_PORT);

	free_parsed(left);
	free_parsed(right);
	return same;
}

bool weir_url_resolve(const char *url, const char *location, struct weir_text *out)
{
	CURLU *parsed;
	char *resolved = NULL;
	bool done;

	if (weir_url_is_valid(location)) {
		weir_text_puts(out, location);
		return true;
	}
	if (location[0] != '/' || location[1] == '/' || !is_plain(location))
		return false;
	parsed = parse(url);
	done = parsed && curl_url_set(parsed, CURLUPART_URL, location, 0) == CURLUE_OK &&
	       curl_url_get(parsed, CURLUPART_URL, &resolved, 0) == CURLUE_OK;
	if (done)
		weir_text_puts(out, resolved);
	if (resolved)
		curl_free(resolved);
	free_parsed(parsed);
	return done;
}

void weir_url_encode(const char *text, struct weir_text *out)
{
	weir_text_percent(out, text, "-._~");
}
