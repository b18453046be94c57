/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Describes in one table how the supported services differ: header of the token, paths to list,
 * create and update comments, and paging. GitHub Enterprise is GitHub at another address.
 *
 * Sources: docs.github.com, REST API, "Issue comments"; docs.gitlab.com, REST API, "Notes".
 */
#ifndef WEIR_CI_COMMENT_PROVIDER_H
#define WEIR_CI_COMMENT_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ci/comment/http.h"
#include "engine/base/text.h"

/* The pull or merge request that is commented on. */
struct weir_place {
	const char *project; /* encoded for a path: "owner/name", "42", "group%2Fname" */
	int64_t number;
};

struct weir_provider {
	const char *name;                 /* for --provider: "github" */
	const char *title;                /* "GitHub" */
	const char *request;              /* the service's term: "pull request" */
	const char *default_url;          /* of the API, without a slash at the end */
	const char *url_variable;         /* "GITHUB_API_URL" */
	const char *project_variable;     /* "GITHUB_REPOSITORY" */
	const char *token_variable;       /* "GITHUB_TOKEN" */
	const char *token_header;         /* the header up to the token */
	const char *headers[4];           /* of every request; ends with NULL */
	const char *update_method;        /* "PATCH" */
	const char *author, *author_name; /* keys of a comment's author: "user", "login" */
	/* The user of a token that does not permit /user; NULL: unknown. */
	const char *anonymous;
	const char *permission_hint; /* how to get the permission, for a message */
	size_t max_characters;       /* of a comment */
	/* Append paths below the API's address. Pages count from 1. */
	void (*list_path)(const struct weir_place *place, int64_t page, struct weir_text *out);
	void (*create_path)(const struct weir_place *place, struct weir_text *out);
	void (*comment_path)(const struct weir_place *place, int64_t id, struct weir_text *out);
	/* Returns the number of the next page, 0 after the last; -1: the answer names the next page
	 * in an unknown form. */
	int64_t (*next_page)(const struct weir_http_answer *answer);
};

extern const struct weir_provider weir_provider_github, weir_provider_gitlab;

extern const struct weir_provider *const weir_providers[]; /* ends with NULL */

const struct weir_provider *weir_provider_find(const char *name); /* NULL: no such provider */

/*
 * Returns the number of the page that a Link header calls "next": 0 without such a page, -1 if its
 * address has no page number. Only the number is used: an answer must not choose where a request
 * with the token goes.
 */
int64_t weir_link_next_page(const char *link);

#endif
