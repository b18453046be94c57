/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "ci/comment/provider.h"

#define PAGE_UNKNOWN (-1)

/* Parses the number of a page, counted from 1. */
static int64_t page_number(const char *text, size_t len)
{
	int64_t page;

	return weir_parse_i64(text, len, &page) && page > 0 ? page : PAGE_UNKNOWN;
}

/* Finds the page in "https://host/path?per_page=100&page=2". */
static int64_t page_of_address(const char *address, size_t len)
{
	const char *end = address + len;

	for (const char *at = address; at < end; at++) {
		if ((*at == '?' || *at == '&') && end - at > 6 && memcmp(at + 1, "page=", 5) == 0)
			return page_number(at + 6, strcspn(at + 6, "&>#"));
	}
	return PAGE_UNKNOWN;
}

static bool says_next(const char *parameters, size_t len)
{
	static const char wanted[] = "rel=\"next\"";
	const size_t size = sizeof(wanted) - 1;

	for (size_t i = 0; i + size <= len; i++)
		if (memcmp(parameters + i, wanted, size) == 0)
			return true;
	return false;
}

/* RFC 8288: <ADDRESS>; rel="next", <ADDRESS>; rel="last" */
int64_t weir_link_next_page(const char *link)
{
	const char *at = link;

	while ((at = strchr(at, '<'))) {
		const char *end = strchr(at, '>');
		size_t rest;

		if (!end)
			break;
		rest = strcspn(end, "<");
		if (says_next(end, rest))
			return page_of_address(at + 1, (size_t)(end - at) - 1);
		at = end + rest;
	}
	return 0;
}

static int64_t github_next_page(const struct weir_http_answer *answer)
{
	return weir_link_next_page(weir_http_answer_header(answer, WEIR_HTTP_LINK));
}

/* X-Next-Page is empty on the last page; very long lists lack it. */
static int64_t gitlab_next_page(const struct weir_http_answer *answer)
{
	const struct weir_text *page = &answer->header[WEIR_HTTP_NEXT_PAGE];

	if (!page->data)
		return github_next_page(answer);
	return page->length ? page_number(page->data, page->length) : 0;
}

static void github_list(const struct weir_place *place, int64_t page, struct weir_text *out)
{
	weir_text_printf(out, "/repos/%s/issues/%" PRId64 "/comments?per_page=100&page=%" PRId64,
	                 place->project, place->number, page);
}

static void github_create(const struct weir_place *place, struct weir_text *out)
{
	weir_text_printf(out, "/repos/%s/issues/%" PRId64 "/comments", place->project,
	                 place->number);
}

static void github_comment(const struct weir_place *place, int64_t id, struct weir_text *out)
{
	weir_text_printf(out, "/repos/%s/issues/comments/%" PRId64, place->project, id);
}

static void gitlab_create(const struct weir_place *place, struct weir_text *out)
{
	weir_text_printf(out, "/projects/%s/merge_requests/%" PRId64 "/notes", place->project,
	                 place->number);
}

static void gitlab_list(const struct weir_place *place, int64_t page, struct weir_text *out)
{
	gitlab_create(place, out);
	weir_text_printf(out, "?sort=asc&order_by=created_at&per_page=100&page=%" PRId64, page);
}

static void gitlab_comment(const struct weir_place *place, int64_t id, struct weir_text *out)
{
	gitlab_create(place, out);
	weir_text_printf(out, "/%" PRId64, id);
}

const struct weir_provider weir_provider_github = {
	.name = "github",
	.title = "GitHub",
	.request = "pull request",
	.default_url = "https://api.github.com",
	.url_variable = "GITHUB_API_URL",
	.project_variable = "GITHUB_REPOSITORY",
	.token_variable = "GITHUB_TOKEN",
	.token_header = "Authorization: Bearer ",
	.headers = {"Accept: application/vnd.github+json", "X-GitHub-Api-Version: 2022-11-28"},
	.update_method = "PATCH",
	.author = "user",
	.author_name = "login",
	/* A workflow's token does not permit /user. It writes under this name, which nobody can
         * register. */
	.anonymous = "github-actions[bot]",
	.permission_hint = "the job needs permissions: pull-requests: write; for a pull request "
			   "from a fork let a workflow_run workflow comment "
			   "(ci/github/weir-comment.yml)",
	.max_characters = 65536,
	.list_path = github_list,
	.create_path = github_create,
	.comment_path = github_comment,
	.next_page = github_next_page,
};

const struct weir_provider weir_provider_gitlab = {
	.name = "gitlab",
	.title = "GitLab",
	.request = "merge request",
	.default_url = "https://gitlab.com/api/v4",
	.url_variable = "CI_API_V4_URL",
	.project_variable = "CI_PROJECT_ID",
	.token_variable = "GITLAB_TOKEN",
	.token_header = "PRIVATE-TOKEN: ",
	.headers = {NULL},
	.update_method = "PUT",
	.author = "author",
	.author_name = "username",
	.anonymous = NULL,
	.permission_hint = "GITLAB_TOKEN must be a project access token with the scope api; the "
			   "job token cannot write notes",
	.max_characters = 1000000,
	.list_path = gitlab_list,
	.create_path = gitlab_create,
	.comment_path = gitlab_comment,
	.next_page = gitlab_next_page,
};

const struct weir_provider *const weir_providers[] = {
	&weir_provider_github,
	&weir_provider_gitlab,
	NULL,
};

const struct weir_provider *weir_provider_find(const char *name)
{
	for (size_t i = 0; weir_providers[i]; i++)
		if (strcmp(weir_providers[i]->name, name) == 0)
			return weir_providers[i];
	return NULL;
}
