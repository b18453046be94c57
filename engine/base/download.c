/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/arena.h"
#include "engine/base/curl_calls.h"
#include "engine/base/download.h"

/* ---- addresses ---- */

static bool has_scheme(const char *path, const char *scheme)
{
	size_t length = strlen(scheme);

	return strncasecmp(path, scheme, length) == 0 && strncmp(path + length, "://", 3) == 0;
}

bool weir_download_takes(const char *path)
{
	return has_scheme(path, "http") || has_scheme(path, "https");
}

bool weir_download_is_address(const char *path)
{
	size_t length = strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	                             "0123456789+.-");

	return length > 1 && strncmp(path + length, "://", 3) == 0;
}

/* Appends an address as a word of a shell; "ADDRESS" if that is not simple. */
static void add_word(struct weir_text *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789:/._~%+=@,-";

	if (word[strspn(word, plain)] == '\0')
		weir_text_puts(out, word);
	else if (strchr(word, '\''))
		weir_text_puts(out, "ADDRESS");
	else
		weir_text_printf(out, "'%s'", word);
}

/* Commands that write a file of another store to standard output; "%s" is its address. */
static const struct {
	const char *scheme, *before, *after;
} stores[] = {
	{"s3", "aws s3 cp ", " - | weir classify -"},
	{"gs", "gcloud storage cat ", " | weir classify -"},
	{"hf",
         "name a public file as https://huggingface.co/REPOSITORY/resolve/main/FILE, or pass "
         "the file that hf download REPOSITORY FILE fetches (here ",
         ")"},
	{"ftp", "curl ", " | weir classify -"},
	{"sftp", "curl ", " | weir classify -"},
	{"ssh", "ssh HOST cat FILE | weir classify - (here ", ")"},
	{"file", "name the file without file:// (here ", ")"},
};

enum weir_status weir_download_refuse(const char *path, struct weir_error *err)
{
	const char *before = "fetch the file, or pipe it into weir classify - (here ";
	const char *after = ")";
	struct weir_text line = {0};

	for (size_t i = 0; i < sizeof stores / sizeof stores[0]; i++)
		if (has_scheme(path, stores[i].scheme)) {
			before = stores[i].before;
			after = stores[i].after;
		}
	weir_text_puts(&line, before);
	add_word(&line, path);
	weir_text_puts(&line, after);
	weir_fail(err, WEIR_E_USAGE, "weir fetches only http and https: %s", line.data);
	weir_text_release(&line);
	return WEIR_E_USAGE;
}

void weir_download_label(struct weir_text *out, const char *url)
{
	const char *authority = strstr(url, "://");
	size_t scheme, length, host = 0;

	authority = authority ? authority + 3 : url;
	scheme = (size_t)(authority - url);
	length = strcspn(authority, "?#");
	for (size_t i = 0; i < length && authority[i] != '/'; i++)
		if (authority[i] == '@')
			host = i + 1;
	weir_text_add(out, url, scheme);
	weir_text_add(out, authority + host, length - host);
}

/* Fails for an address with a user or password, which would be stored in reports and logs. */
static enum weir_status check_url(const char *url, struct weir_error *err)
{
	CURLU *parts = curl_url();
	CURLUcode code;
	char *user = NULL;

	if (!parts)
		weir_out_of_memory();
	code = curl_url_set(parts, CURLUPART_URL, url, 0);
	if (!code && curl_url_get(parts, CURLUPART_USER, &user, 0))
		user = NULL;
	curl_url_cleanup(parts);
	if (code)
		return weir_fail(err, WEIR_E_USAGE, "not an address: %s", curl_url_strerror(code));
	if (!user)
		return WEIR_OK;
	curl_free(user);
	return weir_fail(err, WEIR_E_USAGE,
	                 "the address holds a user or a password, which weir does not send: fetch "
	                 "it with curl, and pipe it into weir classify -");
}

/* ---- the transfer ---- */

struct transfer {
	const struct weir_download *request;
	struct weir_spool *spool;
	uint64_t max_bytes;
	enum weir_status status; /* of the spool */
	struct weir_error err;
	CURL *curl;
};

/* libcurl's callback: any return but size * count stops the transfer. */
static size_t take(char *data, size_t size, size_t count, void *context)
{
	struct transfer *transfer = context;
	size_t len = size * count;

	if (len > transfer->max_bytes - transfer->spool->length)
		transfer->status =
			weir_fail(&transfer->err, WEIR_E_LIMIT,
		                  "the file has more than %llu bytes: fetch it, and pass the file",
		                  (unsigned long long)transfer->max_bytes);
	if (!transfer->status)
		transfer->status = weir_spool_add(transfer->spool, data, len, &transfer->err);
	return transfer->status ? 0 : len;
}

static int report(void *context, curl_off_t total, curl_off_t done, curl_off_t up_total,
                  curl_off_t up)
{
	const struct transfer *transfer = context;

	(void)up_total;
	(void)up;
	if (transfer->request->report)
		transfer->request->report(transfer->request->context, (uint64_t)done,
		                          (uint64_t)total);
	return 0;
}

static CURLcode set_safety(CURL *curl, const char *url)
{
	const char *redirects = has_scheme(url, "https") ? "https" : "http,https";
	CURLcode code = curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");

	if (!code)
		code = curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, redirects);
	if (!code)
		code = curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
	if (!code)
		code = curl_easy_setopt(curl, CURLOPT_MAXREDIRS, (long)WEIR_DOWNLOAD_MAX_REDIRECTS);
	/* These are libcurl's defaults, stated because security depends on them. */
	if (!code)
		code = curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 1L);
	if (!code)
		code = curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 2L);
	if (!code)
		code = curl_easy_setopt(curl, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
	return code;
}

static CURLcode set_up(CURL *curl, struct transfer *transfer)
{
	CURLcode code = set_safety(curl, transfer->request->url);

	if (!code)
		code = curl_easy_setopt(curl, CURLOPT_URL, transfer->request->url);
	if (code)
		return code;
	curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "weir/" WEIR_VERSION);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)WEIR_DOWNLOAD_MAX_SECONDS);
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)WEIR_DOWNLOAD_CONNECT_S);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, (long)WEIR_DOWNLOAD_SLOW_BYTES_S);
	curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)WEIR_DOWNLOAD_SLOW_S);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, (void *)transfer);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, report);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, (void *)transfer);
	return CURLE_OK;
}

static enum weir_status fail_transfer(const struct transfer *transfer, CURLcode code,
                                      struct weir_error *err)
{
	long answer = 0;

	if (transfer->status) {
		if (err)
			*err = transfer->err;
		return transfer->status;
	}
	curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &answer);
	if (code == CURLE_HTTP_RETURNED_ERROR && (answer == 401 || answer == 403))
		return weir_fail(err, WEIR_E_IO,
		                 "cannot fetch: the server asks for a sign-in (status %ld), and "
		                 "weir sends no credentials: fetch it with curl, and pipe it into "
		                 "weir classify -",
		                 answer);
	if (code == CURLE_HTTP_RETURNED_ERROR)
		return weir_fail(err, WEIR_E_IO, "cannot fetch: the server answers with status %ld",
		                 answer);
	return weir_fail(err, WEIR_E_IO, "cannot fetch: %s", curl_easy_strerror(code));
}

static void start_curl(void)
{
	(void)curl_global_init(CURL_GLOBAL_DEFAULT); /* else curl_easy_init() fails */
}

enum weir_status weir_download(const struct weir_download *request, struct weir_spool *out,
                               struct weir_error *err)
{
	static pthread_once_t started = PTHREAD_ONCE_INIT;
	struct transfer transfer = {.request = request, .spool = out};
	enum weir_status status;
	CURLcode code;

	status = weir_libcurl_load(err);
	if (status)
		return status;
	pthread_once(&started, start_curl);
	transfer.max_bytes = request->max_bytes ? request->max_bytes : WEIR_DOWNLOAD_MAX_BYTES;
	status = check_url(request->url, err);
	if (status)
		return status;
	transfer.curl = curl_easy_init();
	if (!transfer.curl)
		return weir_fail(err, WEIR_E_INTERNAL, "libcurl cannot be used");
	code = set_up(transfer.curl, &transfer);
	if (!code)
		code = curl_easy_perform(transfer.curl);
	if (code)
		status = fail_transfer(&transfer, code, err);
	curl_easy_cleanup(transfer.curl);
	return status;
}
