/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One request and its answer. Whoever talks to an API does so through a struct weir_transport, so
 * that tests can answer in its place; the real one is libcurl, which ci/comment/http.c alone knows.
 *
 * A transport follows no redirect, checks certificates, and keeps no more of an answer than the
 * body and the headers named here.
 */
#ifndef WEIR_CI_COMMENT_HTTP_H
#define WEIR_CI_COMMENT_HTTP_H

#include <stdint.h>

#include "engine/base/text.h"

#define WEIR_HTTP_MAX_BODY   (32u << 20) /* bytes of an answer; a longer one is refused */
#define WEIR_HTTP_MAX_HEADER 8192u       /* bytes of a header's value; a longer one is cut */

struct weir_http_request {
	const char *method; /* "GET" */
	const char *url;
	const char *const *headers; /* "Name: value", NULL-terminated */
	const char *body;           /* NULL: none */
	int64_t timeout_ms;         /* for all of it, connecting included */
};

enum weir_http_header {
	WEIR_HTTP_LINK,
	WEIR_HTTP_LOCATION,
	WEIR_HTTP_NEXT_PAGE,      /* X-Next-Page */
	WEIR_HTTP_RATE_REMAINING, /* X-RateLimit-Remaining */
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

enum weir_http_result {
	WEIR_HTTP_ANSWERED,  /* with whatever status */
	WEIR_HTTP_UNREACHED, /* nothing was sent: it may be repeated */
	WEIR_HTTP_LOST,      /* no whole answer in time: it may have been carried out */
	WEIR_HTTP_UNFIT,     /* repeating it is of no use: certificate, address, size */
};

struct weir_transport {
	void *context;
	/* Clears the answer first. */
	enum weir_http_result (*send)(void *context, const struct weir_http_request *request,
	                              struct weir_http_answer *answer);
};

void weir_http_answer_clear(struct weir_http_answer *answer);
void weir_http_answer_release(struct weir_http_answer *answer);
/* The header's value, "" where it was not sent; borrowed. */
const char *weir_http_answer_header(const struct weir_http_answer *answer,
                                    enum weir_http_header header);

/*
 * Takes one line of a head as it came ("Link: <...>\r\n"). A status line forgets what came before
 * it: the head of the last answer counts.
 */
void weir_http_answer_head_line(struct weir_http_answer *answer, const char *line, size_t len);

struct weir_http; /* opaque; keeps the connection between requests */

struct weir_http *weir_http_new(void); /* NULL: libcurl cannot be used */
void weir_http_free(struct weir_http *http);
/* Borrows http. */
struct weir_transport weir_http_transport(struct weir_http *http);

#endif
