/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a job runs and what it may comment on, out of the CI system's environment:
 *   GitHub  GITHUB_TOKEN, GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_EVENT_NAME, GITHUB_EVENT_PATH,
 *           GITHUB_SERVER_URL, GITHUB_RUN_ID
 *   GitLab  GITLAB_TOKEN, CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID, CI_PIPELINE_URL
 * Nothing here talks to a network.
 */
#ifndef WEIR_CI_COMMENT_CONTEXT_H
#define WEIR_CI_COMMENT_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "ci/comment/api.h"
#include "ci/comment/provider.h"
#include "engine/base/arena.h"
#include "engine/base/error.h"

/* The environment as a function, so that tests bring their own. */
struct weir_ci_environment {
	void *context;
	const char *(*get)(void *context, const char *name); /* NULL: not set */
};

/* What the command line says; each may be missing. */
struct weir_ci_wish {
	const char *provider; /* NULL: by the environment */
	int64_t number;       /* of the pull request; 0: by the environment */
};

/* The commit that a workflow_run event is about. Its pull request is looked up by it: what the
 * event lists is empty for forks. Texts are NULL for any other event. */
struct weir_ci_head {
	const char *owner, *branch, *commit;
};

struct weir_ci_context {
	const struct weir_provider *provider;
	const char *url;         /* of the API, checked, without a slash at the end */
	const char *token;       /* NULL: not set */
	struct weir_place place; /* project "": not set; number 0: not known */
	struct weir_ci_head head;
	const char *run_url; /* page of the job that measured; NULL: not known */
	bool from_fork;      /* a pull_request event of a fork: the token may not write */
};

/*
 * Fills the context; texts live in the arena. What is wrong fails (WEIR_CI_USAGE; an event that
 * cannot be read and is needed: WEIR_CI_NO_PULL_REQUEST; nothing to tell the provider by:
 * WEIR_CI_NO_TOKEN), what else is missing is left out: weir_ci_context_check() tells.
 */
enum weir_ci_outcome weir_ci_context_read(const struct weir_ci_environment *environment,
                                          const struct weir_ci_wish *wish, struct weir_arena *arena,
                                          struct weir_ci_context *out, struct weir_error *err);

/* Whether there is all that a comment needs: no token, a fork's token, no project, no pull request
 * are each the outcome that they lead to. */
enum weir_ci_outcome weir_ci_context_check(const struct weir_ci_context *context,
                                           struct weir_error *err);

#endif
