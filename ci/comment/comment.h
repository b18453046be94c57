/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One comment a suite on a pull or merge request: found by its hidden first line and its author
 * among all pages, created once, edited in place, left alone where nothing changed. A comment of
 * anybody else is never touched, whatever stands in it.
 *
 * Two jobs at once may both find nothing and both create: each looks again after creating, the
 * oldest stays, and the younger ones go.
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
	const char *key; /* of the suite */
	enum weir_comment_verdict verdict;
	const char *body; /* whole, as weir_comment_compose() writes it */
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
	bool announced;     /* the verdict changed and a short comment says so */
	bool not_announced; /* it changed, but that comment could not be posted */
};

/*
 * Fills place->number from the head of a workflow_run event: the open pull request whose head is
 * that very commit. WEIR_CI_NO_PULL_REQUEST where there is none (it was closed, or has moved on).
 */
enum weir_ci_outcome weir_comment_find_pull(struct weir_api *api, const struct weir_ci_head *head,
                                            struct weir_place *place, struct weir_error *err);

enum weir_ci_outcome weir_comment_post(struct weir_api *api, const struct weir_place *place,
                                       const struct weir_comment *comment,
                                       struct weir_comment_done *done, struct weir_error *err);

#endif
