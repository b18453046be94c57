/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sends one request and keeps its answer. Requests go through a struct weir_transport, which tests
 * replace; the real one is libcurl, used only by http.c and url.c.
 *
 * A transport follows no redirect, checks certificates, and keeps only the body and the headers
 * named here.
 */
#ifndef WEIR_CI_COMMENT_HTTP_H
#define WEIR_CI_COMMENT_HTTP_H

#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/text.h"

#define WEIR_HTTP_MAX_BODY   (32u << 20) /* bytes of an answer; a longer one is refused */
#define WEIR_HTTP_MAX_HEADER 8192u       /* bytes of a header's value; a longer one is cut */

struct weir_http_request {
	const char *method; /* "GET" */
	const char *url;
	const char *const *headers; /* "Name: value", NULL-terminated */
	const char *body;           /* NULL: none */
	int64_t timeout_ms;         /* for the whole request, with connecting */
};

enum weir_http_header {
	WEIR_HTTP_LINK,
	WEIR_HTTP_LOCATION,
	WEIR_HTTP_NEXT_PAGE,      /* X-Next-Page */
	WEIR_HTTP_RATE_REMAINING, /* X-RateLimit-Remaining */
	WEIR_HTTP_RATE_RESET,     /* X-RateLimit-Reset: seconds since 1970 */
	WEIR_HTTP_RETRY_AFTER,
	WEIR_HTTP_HEADER_COUNT
};

/* {0} is an empty answer; release with weir_http_answer_release(). */
struct weir_http_answer {
	int status;                                      /* 200; 0: there was no answer */
	struct weir_text header[WEIR_HTTP_HEADER_COUNT]; /* data NULL: not sent */
	struct weir_text body;
	const char *reason; /* static; why there was no answer */
};

/* Result of a request, by its meaning for a repeat. */
enum weir_http_result {
	WEIR_HTTP_ANSWERED, /* from a transport: with any HTTP status */
	WEIR_HTTP_NOT_DONE, /* the service did not carry it out: it may be repeated */
	WEIR_HTTP_UNSURE,   /* without a complete answer: it may have been carried out */
	WEIR_HTTP_UNFIT,    /* a repeat would fail too: certificate, address, size */
};

struct weir_transport {
	void *context;
	/* Clears the answer first. */
	enum weir_http_result (*send)(void *context, const struct weir_http_request *request,
	                              struct weir_http_answer *answer);
};

void weir_http_answer_clear(struct weir_http_answer *answer);
void weir_http_answer_release(struct weir_http_answer *answer);
/* Returns the header's value, borrowed; "" if it was not sent. */
const char *weir_http_answer_header(const struct weir_http_answer *answer,
                                    enum weir_http_header header);

/* Adds one line of a head, with its line end ("Link: <...>\r\n"). A status line discards the
 * headers before it: only the last of several heads counts. */
void weir_http_answer_head_line(struct weir_http_answer *answer, const char *line, size_t len);

struct weir_http; /* opaque; reuses its connection */

/* Loads libcurl, without which every URL is refused. Fails with WEIR_E_IO. */
enum weir_status weir_http_check(struct weir_error *err);
struct weir_http *weir_http_new(void); /* NULL if libcurl cannot be used */
void weir_http_free(struct weir_http *http);
/* Returns a transport that borrows http. */
struct weir_transport weir_http_transport(struct weir_http *http);

#endif
