/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads from the CI system's environment where a job runs and which request it may comment on:
 *   GitHub  GITHUB_TOKEN, GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_EVENT_NAME, GITHUB_EVENT_PATH,
 *           GITHUB_SERVER_URL, GITHUB_RUN_ID, GITHUB_SHA
 *   GitLab  GITLAB_TOKEN, CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID, CI_PIPELINE_URL,
 *           CI_COMMIT_SHA
 * Uses no network.
 */
#ifndef WEIR_CI_COMMENT_CONTEXT_H
#define WEIR_CI_COMMENT_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "ci/comment/api.h"
#include "ci/comment/provider.h"
#include "engine/base/arena.h"
#include "engine/base/error.h"

/* The environment as a function, which tests replace. */
struct weir_ci_environment {
	void *context;
	const char *(*get)(void *context, const char *name); /* NULL: not set */
};

/* Values from the command line, each of them optional. */
struct weir_ci_wish {
	const char *provider; /* NULL: from the environment */
	int64_t number;       /* of the pull request; 0: from the environment */
};

/* The commit of a workflow_run event, by which its pull request is found: the event's own list is
 * empty for forks. All NULL for any other event. */
struct weir_ci_head {
	const char *owner, *branch, *commit;
};

struct weir_ci_context {
	const struct weir_provider *provider;
	const char *url;         /* of the API, checked, without a slash at the end */
	const char *token;       /* NULL: not set */
	struct weir_place place; /* project "": not set; number 0: not known */
	struct weir_ci_head head;
	const char *commit;  /* that was measured, in hexadecimal; NULL: not known */
	const char *run_url; /* page of the job that measured; NULL: not known */
	bool from_fork;      /* a pull_request event of a fork: the token may not write */
};

/*
 * Fills the context; its texts live in the arena. WEIR_E_USAGE: a value is wrong;
 * WEIR_E_NO_PULL_REQUEST: a needed event cannot be read; WEIR_E_NO_TOKEN: nothing identifies the
 * provider. Other missing values are left unset, see weir_ci_context_check().
 */
enum weir_status weir_ci_context_read(const struct weir_ci_environment *environment,
                                      const struct weir_ci_wish *wish, struct weir_arena *arena,
                                      struct weir_ci_context *out, struct weir_error *err);

/* Fails if a comment lacks a token, a project or a pull request, or if the token comes from a fork;
 * each of these has its status. */
enum weir_status weir_ci_context_check(const struct weir_ci_context *context,
                                       struct weir_error *err);

#endif
