/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses answers of an API: our own comments, the author behind a token, the pull requests of a
 * commit. Answers are hostile input; members that do not fit are ignored. */
#ifndef WEIR_CI_COMMENT_COMMENT_LIST_H
#define WEIR_CI_COMMENT_COMMENT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "ci/comment/provider.h"
#include "engine/base/error.h"
#include "engine/base/text.h"

#define WEIR_COMMENT_MAX_FOUND 1000 /* our own comments on one pull request */

struct weir_found_comment {
	int64_t id;
	char *body; /* owned by the list */
};

/* {0} is empty; release with weir_comment_list_release(). */
struct weir_comment_list {
	struct weir_found_comment *comment; /* the oldest first */
	size_t count, capacity;
};

void weir_comment_list_release(struct weir_comment_list *list);

/* Author and first line of the comments to find. */
struct weir_comment_sign {
	const struct weir_provider *provider;
	const char *author; /* logins are compared without regard to case */
	const char *marker;
};

/* Adds the matching comments of one page. WEIR_E_FORMAT: the page is not a list; WEIR_E_LIMIT: too
 * many comments match. */
enum weir_status weir_comment_list_add(struct weir_comment_list *list,
                                       const struct weir_comment_sign *sign, const char *json,
                                       size_t len, struct weir_error *err);

/* Reads a single comment: appends its author's login and returns its number. A missing login
 * appends nothing, a missing number is 0. */
int64_t weir_comment_read(const struct weir_provider *provider, const char *json, size_t len,
                          struct weir_text *author);
/* Reads a single user: appends the login, if there is one. */
void weir_comment_user(const struct weir_provider *provider, const char *json, size_t len,
                       struct weir_text *out);

/* Returns the number of the pull request in a list whose head is the commit: the lowest of several,
 * 0 without a match. */
int64_t weir_pull_of_commit(const char *commit, const char *json, size_t len);

#endif
