/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of a provider's API: redirects within the same host, repeats with growing waits where the
 * service is busy, a deadline over all of it, and a verdict in words about an answer that is no
 * success. The token is sent to the API's own host and appears nowhere else.
 */
#ifndef WEIR_CI_COMMENT_API_H
#define WEIR_CI_COMMENT_API_H

#include <stdbool.h>
#include <stdint.h>

#include "ci/comment/http.h"
#include "ci/comment/provider.h"
#include "engine/base/error.h"

/* How an attempt to comment ended; engine/cli gives each its exit code. */
enum weir_ci_outcome {
	WEIR_CI_DONE = 0,
	WEIR_CI_USAGE,           /* a flag or a variable is wrong */
	WEIR_CI_NO_TOKEN,        /* the variable with the token is not set */
	WEIR_CI_FORBIDDEN,       /* the token may not do this */
	WEIR_CI_NETWORK,         /* no answer, or one that makes no sense */
	WEIR_CI_NO_PULL_REQUEST, /* there is nothing to comment on */
	WEIR_CI_REFUSED,         /* the service does not take the body */
	WEIR_CI_UNSURE, /* of a request that is not repeated: it may have been carried out */
};

/* Sets the message and returns the outcome: weir_fail() for this enum. err may be NULL. */
enum weir_ci_outcome weir_ci_fail(struct weir_error *err, enum weir_ci_outcome outcome,
                                  const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Time, so that tests need not wait. */
struct weir_clock {
	void *context;
	int64_t (*now_ms)(void *context); /* never runs backwards */
	void (*sleep_ms)(void *context, int64_t ms);
};

struct weir_clock weir_clock_system(void);

#define WEIR_API_MAX_ATTEMPTS 5
#define WEIR_API_MAX_WAIT_MS  60000 /* the longest Retry-After that is honoured whole */
#define WEIR_API_MAX_HOPS     3     /* redirects of one request */

/* Borrows everything. */
struct weir_api {
	const struct weir_provider *provider;
	const char *url; /* of the API, without a slash at the end */
	const char *token;
	struct weir_transport transport;
	struct weir_clock clock;
	int64_t deadline_ms; /* on the clock; nothing starts or waits past it */
	int64_t request_ms;  /* longest time of one request */
};

struct weir_api_call {
	const char *method;
	const char *path;    /* below the API's address: "/user" */
	const char *comment; /* sent as {"body": comment}; NULL: nothing is sent */
	/* Not sent again unless it certainly was not carried out: WEIR_CI_UNSURE then. */
	bool once;
};

/*
 * WEIR_CI_DONE: the answer is a success (2xx) and its body is there. Else err says what happened,
 * and answer->status which status came, 0 for none. The answer is cleared first and released by
 * the caller.
 */
enum weir_ci_outcome weir_api_call(struct weir_api *api, const struct weir_api_call *call,
                                   struct weir_http_answer *answer, struct weir_error *err);

/* Waits before attempt + 1 (attempt counts from 1); false, without a wait, where the deadline
 * would pass. */
bool weir_api_wait(struct weir_api *api, unsigned attempt, const char *retry_after);

#endif
