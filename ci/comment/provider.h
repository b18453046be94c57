/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What differs between the services that weir comments on, as one table: how a request says who it
 * is from, how the comments of a change are listed, created and updated, how pages go on. GitHub
 * Enterprise is GitHub at another address.
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
	const char *project; /* as it stands in a path: "owner/name", "42", "group%2Fname" */
	int64_t number;
};

struct weir_provider {
	const char *name;                 /* for --provider: "github" */
	const char *title;                /* "GitHub" */
	const char *request;              /* what it calls a change: "pull request" */
	const char *default_url;          /* of the API, without a slash at the end */
	const char *url_variable;         /* "GITHUB_API_URL" */
	const char *project_variable;     /* "GITHUB_REPOSITORY" */
	const char *token_variable;       /* "GITHUB_TOKEN" */
	const char *token_header;         /* what stands before the token in its header */
	const char *headers[4];           /* with every request; ends with NULL */
	const char *update_method;        /* "PATCH" */
	const char *author, *author_name; /* keys of a comment's author: "user", "login" */
	/* Who the token is where the API does not tell; NULL: nobody is known then. */
	const char *anonymous;
	const char *permission_hint; /* what to do about a refusal */
	size_t max_characters;       /* of a comment */
	/* Append paths below the API's address. Pages count from 1. */
	void (*list_path)(const struct weir_place *place, int64_t page, struct weir_text *out);
	void (*create_path)(const struct weir_place *place, struct weir_text *out);
	void (*comment_path)(const struct weir_place *place, int64_t id, struct weir_text *out);
	/* The number of the page that follows, 0 for the last; -1: it goes on in a way that is not
	 * known here. */
	int64_t (*next_page)(const struct weir_http_answer *answer);
};

extern const struct weir_provider weir_provider_github, weir_provider_gitlab;

extern const struct weir_provider *const weir_providers[]; /* ends with NULL */

const struct weir_provider *weir_provider_find(const char *name); /* NULL: no such provider */

/*
 * The page that a Link header calls "next": 0 where there is none, -1 where its address names no
 * page. Only the number is taken: where a request goes is never up to an answer.
 */
int64_t weir_link_next_page(const char *link);

#endif
