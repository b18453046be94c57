/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Status codes and error messages.
 *
 * Every function that can fail returns an enum weir_status and writes the reason into a
 * caller-owned struct weir_error ({0} is valid, it owns no memory). Each layer adds its context
 * with weir_fail_in(), so that a finished message reads "trace.json: events[41].dur: expected a
 * number". Only engine/cli prints it.
 */
#ifndef WEIR_BASE_ERROR_H
#define WEIR_BASE_ERROR_H

#include <stdint.h>

enum weir_status {
	WEIR_OK = 0,
	WEIR_E_USAGE,        /* a flag, a configuration, a rule or a schema is wrong */
	WEIR_E_IO,           /* an input cannot be opened or read */
	WEIR_E_FORMAT,       /* an input is not a profile, or is damaged beyond use */
	WEIR_E_EMPTY,        /* an input holds no timing */
	WEIR_E_LIMIT,        /* an input exceeds a stated limit */
	WEIR_E_STORE,        /* the baseline store cannot be used */
	WEIR_E_NO_BASELINE,  /* no such baseline, or it holds no run */
	WEIR_E_OTHER_DEVICE, /* the sides of a comparison ran on different devices */
	WEIR_E_NOT_COMPARED, /* one side of a comparison lacks what is compared */
	WEIR_E_INTERNAL,     /* a defect in weir */
	/* ci/comment only: */
	WEIR_E_NO_TOKEN,        /* the variable with the token is not set */
	WEIR_E_FORBIDDEN,       /* the token does not permit the request */
	WEIR_E_NETWORK,         /* the service did not answer, or its answer is unusable */
	WEIR_E_UNSURE,          /* a request that must not be repeated may have been carried out */
	WEIR_E_NO_PULL_REQUEST, /* there is no pull or merge request to comment on */
	WEIR_E_REFUSED,         /* the service rejects the comment's text */
};

#define WEIR_ERROR_TEXT 512

struct weir_error {
	enum weir_status status;
	char message[WEIR_ERROR_TEXT];
};

/* Sets status and message. Unprintable characters become "?", and a long message is cut. Returns
 * the status, for `return weir_fail(...)`. err may be NULL. */
enum weir_status weir_fail(struct weir_error *err, enum weir_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "context: " before the message of err and returns its status; WEIR_E_INTERNAL if err is
 * NULL.
 */
enum weir_status weir_fail_in(struct weir_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#ifdef __clang_analyzer__
/* The analyser sees one file at a time; these macros show it that a failure never returns WEIR_OK.
 */
/* NOLINTBEGIN(readability-identifier-naming) */
#define weir_fail(err, status, ...) (weir_fail(err, status, __VA_ARGS__), (status))
#define weir_fail_in(err, ...)      (weir_fail_in(err, __VA_ARGS__), WEIR_E_INTERNAL)
/* NOLINTEND(readability-identifier-naming) */
#endif

#endif
