/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/readers/listing.h"

/* Each test works in its own folder, so that paths are short. */
static char root[] = "/tmp/weir_listing_XXXXXX";

static int set_up(void **state)
{
	(void)state;
	memcpy(root + sizeof root - 7, "XXXXXX", 6);
	return mkdtemp(root) && chdir(root) == 0 ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *walk)
{
	(void)about;
	(void)kind;
	(void)walk;
	return remove(path);
}

static int tear_down(void **state)
{
	(void)state;
	return chdir("/") == 0 ? nftw(root, remove_entry, 16, FTW_DEPTH | FTW_PHYS) : -1;
}

static void put(const char *path)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs("text", file);
	fclose(file);
}

static void make(const char *path)
{
	assert_int_equal(mkdir(path, 0700), 0);
}

/* Expects the files of a path, joined by blanks. */
static void expect(const char *path, const char *files)
{
	struct weir_listing listing = {0};
	struct weir_text text = {0};

	weir_listing_fill(&listing, &path, 1);
	assert_int_equal(listing.given[0].status, WEIR_OK);
	for (size_t i = 0; i < listing.file_count; i++)
		weir_text_printf(&text, "%s%s", i ? " " : "", listing.files[i].path);
	assert_string_equal(text.length > 0 ? text.data : "", files);
	weir_text_release(&text);
	weir_listing_release(&listing);
}

/* Expects that the search of a folder passes over these. */
static void expect_passed(const char *path, const char *line)
{
	struct weir_listing listing = {0};
	struct weir_text text = {0};

	weir_listing_fill(&listing, &path, 1);
	weir_choice_describe_left(&listing.given[0].passed, &text);
	assert_string_equal(text.length > 0 ? text.data : "", line);
	weir_text_release(&text);
	weir_listing_release(&listing);
}

static void folders_are_searched_below_in_the_order_of_numbers(void **state)
{
	(void)state;
	make("f");
	make("f/rank10");
	make("f/rank9");
	put("f/rank10/a");
	put("f/rank9/b");
	put("f/c");
	expect("f", "f/c f/rank9/b f/rank10/a");
	expect("f/", "f/c f/rank9/b f/rank10/a");
}

static void hidden_files_and_folders_are_passed_over(void **state)
{
	(void)state;
	make("f");
	make("f/.git");
	make("f/__MACOSX");
	put("f/.git/a");
	put("f/.b");
	put("f/__MACOSX/c");
	put("f/d");
	expect("f", "f/d");
	expect_passed("f", "");
}

static void a_link_to_a_file_counts_and_one_to_a_folder_does_not(void **state)
{
	(void)state;
	make("f");
	make("g");
	put("g/a");
	assert_int_equal(symlink("../g/a", "f/file"), 0);
	assert_int_equal(symlink("../g", "f/folder"), 0);
	assert_int_equal(symlink("..", "f/up"), 0);
	assert_int_equal(symlink("nowhere", "f/broken"), 0);
	assert_int_equal(mkfifo("f/pipe", 0600), 0);
	expect("f", "f/file");
	expect_passed("f", "f/broken (a link that leads nowhere), f/folder and 1 more (a link to a "
	                   "folder)");
	assert_int_equal(symlink("g", "given"), 0);
	expect("given", "given/a");
}

static void the_depth_has_a_limit(void **state)
{
	struct weir_text path = {0};

	(void)state;
	weir_text_puts(&path, "f");
	make(path.data);
	for (int depth = 0; depth < WEIR_LISTING_MAX_DEPTH; depth++) {
		weir_text_puts(&path, "/d");
		make(path.data);
	}
	weir_text_puts(&path, "/a");
	put(path.data);
	expect("f", path.data);
	expect_passed("f", "");
	path.data[path.length - 1] = 'e';
	make(path.data);
	weir_text_puts(&path, "/a");
	put(path.data);
	expect("f", "f/d/d/d/d/d/d/d/d/a");
	expect_passed("f", "f/d/d/d/d/d/d/d/d/e (a folder too deep to search)");
	weir_text_release(&path);
}

static void the_number_of_files_has_a_limit(void **state)
{
	const char *path = "f";
	struct weir_listing listing = {0};

	(void)state;
	make("f");
	make("f/g");
	for (int i = 0; i < WEIR_LISTING_MAX_FILES; i++) {
		char name[32];

		snprintf(name, sizeof name, i % 2 ? "f/%d" : "f/g/%d", i);
		put(name);
	}
	weir_listing_fill(&listing, &path, 1);
	assert_int_equal(listing.given[0].status, WEIR_OK);
	assert_int_equal(listing.file_count, WEIR_LISTING_MAX_FILES);
	weir_listing_release(&listing);
	put("f/more");
	weir_listing_fill(&listing, &path, 1);
	assert_int_equal(listing.given[0].status, WEIR_E_LIMIT);
	assert_string_equal(listing.given[0].err.message,
	                    "f: holds more than 10000 files: name the folder of the profiles");
	weir_listing_release(&listing);
}

static void a_file_that_was_given_stands_for_itself(void **state)
{
	static const char *const paths[] = {"missing", "a", "", "-"};
	struct weir_listing listing = {0};

	(void)state;
	put("a");
	weir_listing_fill(&listing, paths, 4);
	assert_int_equal(listing.file_count, 3);
	assert_string_equal(listing.files[0].path, "missing");
	assert_false(listing.files[0].found);
	assert_int_equal(listing.files[1].size, 4);
	assert_int_equal(listing.given[2].status, WEIR_E_USAGE);
	assert_string_equal(listing.files[2].path, "-");
	weir_listing_release(&listing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(folders_are_searched_below_in_the_order_of_numbers,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(hidden_files_and_folders_are_passed_over, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(
			a_link_to_a_file_counts_and_one_to_a_folder_does_not, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_depth_has_a_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_number_of_files_has_a_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_file_that_was_given_stands_for_itself, set_up,
	                                        tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
