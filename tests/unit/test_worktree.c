/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A temporary worktree: which files it shows, and that none of its files are left. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/pipeline/worktree.h"

static struct weir_signals signals;
static char home[64], before[4096];

/* Runs a script in the current folder and returns the first line of its output. */
static const char *shell(const char *script)
{
	static char line[256];
	struct weir_child_end end;
	struct weir_error err = {0};

	assert_int_equal(
		weir_child_run(&(struct weir_child){.words = (const char *const[]){"sh", "-c",
	                                                                           script, NULL}},
	                       &signals, &end, &err),
		WEIR_OK);
	line[0] = '\0';
	if (end.output.length > 0 && end.output.length < sizeof line)
		memcpy(line, end.output.data, end.output.length + 1);
	line[strcspn(line, "\n")] = '\0';
	weir_child_end_release(&end);
	return line;
}

/* Makes a repository of two commits in its own folder, and a change that is not committed. */
static int make_repository(void **state)
{
	(void)state;
	weir_signals_hold(&signals);
	memcpy(home, "/tmp/weir-worktree-XXXXXX", sizeof "/tmp/weir-worktree-XXXXXX");
	assert_non_null(mkdtemp(home));
	assert_non_null(getcwd(before, sizeof before));
	assert_int_equal(chdir(home), 0);
	setenv("TMPDIR", home, 1);
	setenv("GIT_CONFIG_GLOBAL", "/dev/null", 1);
	shell("git init -q . && git config user.name a && git config user.email a@example.org && "
	      "echo one >file && git add file && git commit -qm one && git tag one && "
	      "echo two >file && git commit -qam two && echo mine >file");
	return 0;
}

static int remove_repository(void **state)
{
	(void)state;
	assert_int_equal(chdir(before), 0);
	shell("rm -rf \"$TMPDIR\"");
	weir_signals_release(&signals);
	return 0;
}

static const char *in_tree(const struct weir_worktree *tree, const char *script)
{
	struct weir_text text = {0};
	const char *line;

	weir_text_printf(&text, "cd %s && %s", tree->tree.data, script);
	line = shell(text.data);
	weir_text_release(&text);
	return line;
}

static void the_worktree_shows_each_commit_and_the_checkout_stays(void **state)
{
	struct weir_worktree tree;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_worktree_open(&tree, &signals, "one", &err), WEIR_OK);
	assert_string_equal(in_tree(&tree, "cat file; echo built >output; echo changed >file"),
	                    "one");
	assert_int_equal(weir_worktree_visit(&tree, "HEAD", &err), WEIR_OK);
	assert_string_equal(in_tree(&tree, "cat output"), "built");
	assert_int_equal(weir_worktree_visit(&tree, "one", &err), WEIR_OK);
	assert_string_equal(in_tree(&tree, "cat file"), "one");
	assert_string_equal(shell("cat file"), "mine");
	assert_int_equal(weir_worktree_close(&tree, &err), WEIR_OK);
	assert_string_equal(shell("git worktree list | wc -l"), "1");
	assert_string_equal(shell("ls"), "file");
	assert_string_equal(shell("cat file"), "mine");
}

static void nothing_is_left_of_a_worktree_that_could_not_be_made(void **state)
{
	struct weir_worktree tree;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_worktree_open(&tree, &signals, "three", &err), WEIR_E_USAGE);
	assert_int_equal(weir_worktree_close(&tree, &err), WEIR_OK);
	assert_string_equal(shell("git worktree list | wc -l"), "1");
	assert_string_equal(shell("ls"), "file");
}

static void a_tree_that_somebody_removed_is_forgotten_too(void **state)
{
	struct weir_worktree tree;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_worktree_open(&tree, &signals, "one", &err), WEIR_OK);
	in_tree(&tree, "rm -rf \"$PWD\"");
	assert_int_equal(weir_worktree_close(&tree, &err), WEIR_OK);
	assert_string_equal(shell("git worktree list | wc -l"), "1");
	assert_string_equal(shell("ls"), "file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worktree_shows_each_commit_and_the_checkout_stays),
		cmocka_unit_test(nothing_is_left_of_a_worktree_that_could_not_be_made),
		cmocka_unit_test(a_tree_that_somebody_removed_is_forgotten_too),
	};

	return cmocka_run_group_tests(tests, make_repository, remove_repository);
}
