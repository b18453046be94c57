/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the lists of an API say: our own comments, the author behind a token, a commit's pull
 * requests. Answers come from outside: anything may be in them, and what does not fit is passed
 * over. */
#ifndef WEIR_CI_COMMENT_COMMENT_LIST_H
#define WEIR_CI_COMMENT_COMMENT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "ci/comment/provider.h"
#include "engine/base/error.h"
#include "engine/base/text.h"

#define WEIR_COMMENT_MAX_FOUND 1000 /* comments of ours on one pull request */

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

/* Whose comments with which first line. */
struct weir_comment_sign {
	const struct weir_provider *provider;
	const char *author; /* logins are compared without regard to case */
	const char *marker;
};

/* Adds what one page of a list holds of them. WEIR_E_FORMAT: it is no list; WEIR_E_LIMIT: too many.
 */
enum weir_status weir_comment_list_add(struct weir_comment_list *list,
                                       const struct weir_comment_sign *sign, const char *json,
                                       size_t len, struct weir_error *err);

/* Reads a single comment: appends its author's login, if there is one, and returns its number, 0 if
 * there is none. */
int64_t weir_comment_read(const struct weir_provider *provider, const char *json, size_t len,
                          struct weir_text *author);
/* Appends the login of the one user that `json` is, nothing where it does not say. */
void weir_comment_user(const struct weir_provider *provider, const char *json, size_t len,
                       struct weir_text *out);

/* The open pull request of a list whose head is the commit: its number, the lowest where there are
 * several; 0: none. */
int64_t weir_pull_of_commit(const char *commit, const char *json, size_t len);

#endif
