/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/pipeline/worktree.h"

#define MOST_WORDS   16
#define OPEN_FOLDERS 16 /* folders that nftw() keeps open */

const char *const weir_worktree_settings[] = {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", NULL};

static enum weir_status fail_git(const char *const *words, const struct weir_child_end *end,
                                 struct weir_error *err)
{
	const char *line = weir_child_last_lines(&end->errors, 1);

	return weir_fail(err, WEIR_E_USAGE, "git %s failed: %.*s", words[0],
	                 (int)strcspn(line, "\n"), *line ? line : "no message");
}

enum weir_status weir_git(struct weir_signals *signals, const char *folder,
                          const char *const *words, struct weir_text *out, struct weir_error *err)
{
	const char *all[MOST_WORDS + 4] = {"git", "-c", "core.hooksPath=/dev/null"};
	struct weir_child_end end;
	enum weir_status status;

	for (size_t i = 0; i < MOST_WORDS && words[i]; i++)
		all[i + 3] = words[i];
	status = weir_child_run(&(struct weir_child){.words = all,
	                                             .folder = folder,
	                                             .settings = weir_worktree_settings,
	                                             .to_the_end = true,
	                                             .apart = true},
	                        signals, &end, err);
	if (!status && end.code != 0)
		status = fail_git(words, &end, err);
	while (end.output.length > 0 && end.output.data[end.output.length - 1] == '\n')
		end.output.data[--end.output.length] = '\0';
	if (!status && out && end.output.length)
		weir_text_add(out, end.output.data, end.output.length);
	weir_child_end_release(&end);
	return status;
}

static enum weir_status make_folders(struct weir_worktree *worktree, struct weir_error *err)
{
	const char *parent = getenv("TMPDIR");
	struct weir_text template = {0};
	char *full;

	weir_text_printf(&template, "%s/weir-bisect-XXXXXX", parent && *parent ? parent : "/tmp");
	full = mkdtemp(template.data) ? realpath(template.data, NULL) : NULL;
	if (full)
		weir_text_puts(&worktree->folder, full);
	else
		weir_fail(err, WEIR_E_USAGE,
		          "cannot make %s: %s; set TMPDIR to a folder with space", template.data,
		          strerror(errno));
	free(full);
	weir_text_release(&template);
	if (!worktree->folder.length)
		return WEIR_E_USAGE;
	weir_text_printf(&worktree->tree, "%s/tree", worktree->folder.data);
	weir_text_printf(&worktree->runs, "%s/runs", worktree->folder.data);
	if (mkdir(worktree->runs.data, 0777) != 0)
		return weir_fail(err, WEIR_E_USAGE, "cannot make %s: %s", worktree->runs.data,
		                 strerror(errno));
	return WEIR_OK;
}

enum weir_status weir_worktree_open(struct weir_worktree *worktree, struct weir_signals *signals,
                                    const char *commit, struct weir_error *err)
{
	enum weir_status status;

	*worktree = (struct weir_worktree){.signals = signals};
	status = make_folders(worktree, err);
	if (status)
		return status;
	worktree->added = true; /* also if it fails half-way */
	return weir_git(signals, NULL,
	                (const char *const[]){"worktree", "add", "--quiet", "--detach",
	                                      worktree->tree.data, commit, NULL},
	                NULL, err);
}

enum weir_status weir_worktree_visit(const struct weir_worktree *worktree, const char *commit,
                                     struct weir_error *err)
{
	return weir_git(
		worktree->signals, worktree->tree.data,
		(const char *const[]){"checkout", "--quiet", "--force", "--detach", commit, NULL},
		NULL, err);
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
	(void)info;
	(void)kind;
	(void)place;
	return remove(path);
}

enum weir_status weir_worktree_close(struct weir_worktree *worktree, struct weir_error *err)
{
	enum weir_status status = WEIR_OK;
	struct weir_error ignored = {0};

	if (worktree->added)
		weir_git(worktree->signals, NULL,
		         (const char *const[]){"worktree", "remove", "--force", "--force",
		                               worktree->tree.data, NULL},
		         NULL, &ignored);
	if (worktree->folder.length &&
	    nftw(worktree->folder.data, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS) != 0)
		status = weir_fail(err, WEIR_E_IO, "cannot remove %s: %s; remove it by hand",
		                   worktree->folder.data, strerror(errno));
	if (worktree->added && ignored.status)
		weir_git(worktree->signals, NULL, (const char *const[]){"worktree", "prune", NULL},
		         NULL, &ignored);
	weir_text_release(&worktree->folder);
	weir_text_release(&worktree->tree);
	weir_text_release(&worktree->runs);
	return status;
}
