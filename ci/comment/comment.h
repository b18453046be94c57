/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps one comment for each suite on a pull or merge request: finds it on all pages by its hidden
 * first line and its author, creates it once, and edits it only if its text changed. Never touches
 * a comment of another author.
 *
 * Two jobs at once may both find no comment and create one each. Each lists the comments again
 * after creating, keeps the oldest and deletes the others.
 */
#ifndef WEIR_CI_COMMENT_COMMENT_H
#define WEIR_CI_COMMENT_COMMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "ci/comment/api.h"
#include "ci/comment/comment_text.h"
#include "ci/comment/context.h"
#include "engine/base/error.h"

#define WEIR_COMMENT_MAX_PAGES 200 /* of 100 comments */

struct weir_comment {
	const char *key; /* name of the suite */
	enum weir_comment_verdict verdict;
	const char *body; /* as weir_comment_compose() writes it */
};

enum weir_comment_action {
	WEIR_COMMENT_UNCHANGED,
	WEIR_COMMENT_UPDATED,
	WEIR_COMMENT_CREATED,
};

struct weir_comment_done {
	enum weir_comment_action action;
	int64_t id;
	size_t removed;     /* younger duplicates */
	bool announced;     /* the verdict changed, and a short comment about it was posted */
	bool not_announced; /* the verdict changed, but that comment could not be posted */
};

/*
 * Sets place->number to the open pull request whose head is the commit of a workflow_run event.
 * WEIR_E_NO_PULL_REQUEST: no pull request matches; it was closed, or its head has changed.
 */
enum weir_status weir_comment_find_pull(struct weir_api *api, const struct weir_ci_head *head,
                                        struct weir_place *place, struct weir_error *err);

/* Creates or updates the comment. Fills `done`; on a failure with the steps so far. */
enum weir_status weir_comment_post(struct weir_api *api, const struct weir_place *place,
                                   const struct weir_comment *comment,
                                   struct weir_comment_done *done, struct weir_error *err);

#endif
