/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls a provider's API: follows redirects on the same host, repeats requests with growing waits
 * while the service is busy, keeps a deadline, and turns an answer that is not a success into a
 * status and a message. The token is sent to the API's own host only, and is in no message.
 */
#ifndef WEIR_CI_COMMENT_API_H
#define WEIR_CI_COMMENT_API_H

#include <stdbool.h>
#include <stdint.h>

#include "ci/comment/http.h"
#include "ci/comment/provider.h"
#include "engine/base/error.h"

/* A clock that tests replace, so that they need not wait. */
struct weir_clock {
	void *context;
	int64_t (*now_ms)(void *context); /* never runs backwards */
	void (*sleep_ms)(void *context, int64_t ms);
	int64_t (*date_s)(void *context); /* seconds since 1970, to read X-RateLimit-Reset */
};

struct weir_clock weir_clock_system(void);

#define WEIR_API_MAX_ATTEMPTS 5
#define WEIR_API_MAX_WAIT_MS  60000 /* longer values of Retry-After are cut to this */
#define WEIR_API_LIMIT_MS     60000 /* wait after a secondary limit that names no time */
#define WEIR_API_MAX_HOPS     3     /* redirects of one request */

/* All pointers are borrowed. */
struct weir_api {
	const struct weir_provider *provider;
	const char *url; /* of the API, without a slash at the end */
	const char *token;
	struct weir_transport transport;
	struct weir_clock clock;
	int64_t deadline_ms; /* on the clock; no request starts and no wait ends after it */
	int64_t request_ms;  /* longest time of one request */
};

struct weir_api_call {
	const char *method;
	const char *path;    /* below the API's address: "/user" */
	const char *comment; /* sent as {"body": comment}; NULL: without a body */
	/* Repeat only if the service certainly did not carry it out; else fail with WEIR_E_UNSURE.
	 */
	bool once;
};

/*
 * Makes one call. WEIR_OK: the answer is a success (2xx) with its body. Otherwise err has the
 * reason and answer->status the HTTP status, 0 without an answer. Clears the answer first; the
 * caller releases it.
 */
enum weir_status weir_api_call(struct weir_api *api, const struct weir_api_call *call,
                               struct weir_http_answer *answer, struct weir_error *err);

/* Waits before attempt + 1, as long as the answer asks for; attempts count from 1. Returns false,
 * without a wait, if the deadline would pass. */
bool weir_api_wait(struct weir_api *api, unsigned attempt, const struct weir_http_answer *answer);

#endif
