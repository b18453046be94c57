/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A temporary worktree of the git repository in the current folder, in which versions are measured.
 * The checkout of the user with its changes is not touched. Runs git, without a shell and without
 * the hooks of the repository.
 */
#ifndef WEIR_PIPELINE_WORKTREE_H
#define WEIR_PIPELINE_WORKTREE_H

#include <stdbool.h>

#include "engine/base/child.h"
#include "engine/base/error.h"
#include "engine/base/text.h"

struct weir_worktree {
	struct weir_signals *signals;
	struct weir_text folder; /* temporary folder that holds the others */
	struct weir_text tree;   /* the checked-out files */
	struct weir_text runs;   /* folder for the files of runs */
	bool added;              /* git knows the tree */
};

/* Variables for programs that run in the tree: none of them leads git back to another checkout. */
extern const char *const weir_worktree_settings[];

/* Runs `git WORDS` in a folder (NULL: the current one) to its end, and returns its output without
 * the last line break; out may be NULL. WEIR_E_USAGE with git's message if it fails. */
enum weir_status weir_git(struct weir_signals *signals, const char *folder,
                          const char *const *words, struct weir_text *out, struct weir_error *err);

/* Makes the worktree with a commit checked out. Close it even after a failure. */
enum weir_status weir_worktree_open(struct weir_worktree *worktree, struct weir_signals *signals,
                                    const char *commit, struct weir_error *err);
/* Checks out another commit. Files that git does not track stay, so that builds are incremental. */
enum weir_status weir_worktree_visit(const struct weir_worktree *worktree, const char *commit,
                                     struct weir_error *err);
/* Removes the worktree and its folder, also after a signal. */
enum weir_status weir_worktree_close(struct weir_worktree *worktree, struct weir_error *err);

#endif
