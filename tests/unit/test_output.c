/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
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

#include "engine/base/text.h"
#include "engine/cli/output.h"
#include "engine/cli/progress.h"
#include "engine/cli/terminal.h"
#include "tests/unit/shelf.h"

/* A separate folder for each test; *state is its path. */
static int make_folder(void **state)
{
	char template[] = "/tmp/weir-output-XXXXXX";

	*state = mkdtemp(template) ? strdup(template) : NULL;
	return *state ? 0 : -1;
}

static int remove_folder(void **state)
{
	DIR *dir = opendir(*state);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(*state);
	free(*state);
	return 0;
}

static size_t files_in(const char *folder)
{
	DIR *dir = opendir(folder);
	size_t count = 0;

	assert_non_null(dir);
	for (const struct dirent *entry; (entry = readdir(dir));)
		count += entry->d_name[0] != '.';
	closedir(dir);
	return count;
}

static enum weir_status write_text(const char *folder, const char *name, const char *content,
                                   struct weir_error *err)
{
	struct weir_text path = {0}, text = {0};
	enum weir_status status;

	weir_text_printf(&path, "%s/%s", folder, name);
	weir_text_puts(&text, content);
	status = weir_output_write(path.data, &text, err);
	weir_text_release(&path);
	weir_text_release(&text);
	return status;
}

static void assert_holds(const char *folder, const char *name, const char *expected)
{
	char path[256], content[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "r");
	assert_non_null(file);
	content[fread(content, 1, sizeof(content) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(content, expected);
}

static void a_written_file_is_whole_and_alone(void **state)
{
	struct weir_error err = {0};

	assert_int_equal(write_text(*state, "r.json", "new", &err), WEIR_OK);
	assert_holds(*state, "r.json", "new");
	assert_int_equal(files_in(*state), 1);
}

static void a_replaced_file_keeps_its_permissions(void **state)
{
	struct weir_error err = {0};
	struct stat info;
	char path[256];

	assert_int_equal(write_text(*state, "r.json", "old and longer", &err), WEIR_OK);
	snprintf(path, sizeof(path), "%s/r.json", (const char *)*state);
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(write_text(*state, "r.json", "new", &err), WEIR_OK);
	assert_holds(*state, "r.json", "new");
	assert_int_equal(stat(path, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0640);
}

static void a_link_stays_a_link(void **state)
{
	struct weir_error err = {0};
	struct stat info;
	char path[256];

	snprintf(path, sizeof(path), "%s/link.json", (const char *)*state);
	assert_int_equal(write_text(*state, "r.json", "old", &err), WEIR_OK);
	assert_int_equal(symlink("r.json", path), 0);
	assert_int_equal(write_text(*state, "link.json", "new", &err), WEIR_OK);
	assert_holds(*state, "r.json", "new");
	assert_int_equal(lstat(path, &info), 0);
	assert_true(S_ISLNK(info.st_mode));
}

static void a_place_that_cannot_be_written_leaves_nothing_behind(void **state)
{
	struct weir_error err = {0};
	char expected[256];

	assert_int_equal(write_text(*state, "none/r.json", "x", &err), WEIR_E_USAGE);
	snprintf(expected, sizeof(expected),
	         "cannot write %s/none/r.json: No such file or directory", (const char *)*state);
	assert_string_equal(err.message, expected);
	assert_int_equal(write_text(*state, ".", "x", &err), WEIR_E_USAGE);
	assert_non_null(strstr(err.message, "it is a folder"));
	assert_int_equal(files_in(*state), 0);
}

static void a_full_disk_is_an_error(void **state)
{
	struct weir_error err = {0};
	struct weir_text text = {0};

	(void)state;
	if (access("/dev/full", W_OK) != 0)
		shelf_skip("no /dev/full");
	weir_text_puts(&text, "x");
	assert_int_equal(weir_output_write("/dev/full", &text, &err), WEIR_E_USAGE);
	assert_string_equal(err.message, "cannot write /dev/full: No space left on device");
	weir_text_release(&text);
}

static void colour_needs_a_capable_terminal_or_a_word(void **state)
{
	const struct weir_terminal good = {.is_terminal = true, .term = "xterm"};
	const struct weir_terminal dumb = {.is_terminal = true, .term = "dumb"};
	const struct weir_terminal pipe_end = {.term = "xterm"};
	const struct weir_terminal refused = {
		.is_terminal = true, .term = "xterm", .no_color = "1"};
	const struct weir_terminal empty = {.is_terminal = true, .term = "xterm", .no_color = ""};

	(void)state;
	assert_true(weir_terminal_color(&good, NULL));
	assert_true(weir_terminal_color(&good, "auto"));
	assert_false(weir_terminal_color(&good, "never"));
	assert_false(weir_terminal_color(&dumb, NULL));
	assert_false(weir_terminal_color(&pipe_end, NULL));
	assert_true(weir_terminal_color(&pipe_end, "always"));
	assert_false(weir_terminal_color(&refused, "auto"));
	assert_true(weir_terminal_color(&refused, "always"));
	assert_true(weir_terminal_color(&empty, NULL));
}

static void columns_come_from_the_variable_then_the_driver(void **state)
{
	const struct weir_terminal both = {.columns = "100", .reported_columns = 132};
	const struct weir_terminal nonsense = {.columns = "wide", .reported_columns = 132};
	const struct weir_terminal zero = {.columns = "0"};

	(void)state;
	assert_int_equal(weir_terminal_columns(&both), 100);
	assert_int_equal(weir_terminal_columns(&nonsense), 132);
	assert_int_equal(weir_terminal_columns(&zero), WEIR_TERMINAL_DEFAULT_COLUMNS);
}

static void progress_waits_then_shows_then_leaves_nothing(void **state)
{
	char shown[512] = "";
	FILE *stream = fmemopen(shown, sizeof(shown), "w");
	struct weir_progress_line line = {.stream = stream, .columns = 80};

	(void)state;
	assert_non_null(stream);
	weir_progress_report_at(&line, WEIR_PROGRESS_DELAY_NS - 1, "a.json", 1, 4);
	assert_false(line.visible);
	weir_progress_report_at(&line, WEIR_PROGRESS_DELAY_NS, "a.json", 2, 4);
	assert_true(line.visible);
	weir_progress_report_at(&line, WEIR_PROGRESS_DELAY_NS + WEIR_PROGRESS_INTERVAL_NS - 1,
	                        "a.json", 3, 4);
	weir_progress_end(&line);
	fclose(stream);
	assert_string_equal(shown, "\r\033[Kweir: reading a.json  50 % of 4 B\r\033[K");
}

static void progress_keeps_to_one_line(void **state)
{
	char shown[512] = "";
	FILE *stream = fmemopen(shown, sizeof(shown), "w");
	struct weir_progress_line line = {.stream = stream, .columns = 36};

	(void)state;
	weir_progress_report_at(&line, WEIR_PROGRESS_DELAY_NS, "a/long/folder/b.json", 2, 4);
	fclose(stream);
	assert_string_equal(shown, "\r\033[Kweir: reading r/b.json  50 % of 4 B");
}

static void progress_gives_a_file_no_control_of_the_terminal(void **state)
{
	char shown[512] = "";
	FILE *stream = fmemopen(shown, sizeof(shown), "w");
	struct weir_progress_line line = {.stream = stream, .columns = 80};

	(void)state;
	weir_progress_report_at(&line, WEIR_PROGRESS_DELAY_NS, "a\033]0;x\007.json", 2, 4);
	fclose(stream);
	assert_string_equal(
		shown, "\r\033[Kweir: reading a\xEF\xBF\xBD]0;x\xEF\xBF\xBD.json  50 % of 4 B");
}

/* Expects the line of a terminal after `after_s` seconds of reading several files. */
static void expect_progress(struct weir_progress_whole whole, int after_s, int columns,
                            const char *wanted)
{
	char shown[512] = "";
	FILE *stream = fmemopen(shown, sizeof(shown), "w");
	struct weir_progress_line line = {.stream = stream, .columns = columns};
	const struct weir_progress_whole begin = {.total = whole.total, .files = whole.files};

	weir_progress_whole_at(&line, 0, &begin);
	weir_progress_whole_at(&line, after_s * INT64_C(1000000000), &whole);
	weir_progress_report_at(&line, after_s * INT64_C(1000000000), "job/rank7.json", 1, 2);
	fclose(stream);
	assert_int_equal(strncmp(shown, "\r\033[K", 4), 0);
	assert_string_equal(shown + 4, wanted);
}

static void progress_shows_files_bytes_and_the_time_left(void **state)
{
	const unsigned long long gib = 1ULL << 30;

	(void)state;
	expect_progress((struct weir_progress_whole){gib, 4 * gib, 12, 64}, 10, 80,
	                "weir: reading job/rank7.json  12 of 64 files, 25 % of 4 GiB, 30 s left");
	expect_progress((struct weir_progress_whole){gib, 64 * gib, 1, 64}, 10, 80,
	                "weir: reading job/rank7.json  1 of 64 files, 2 % of 64 GiB, 10 min left");
	expect_progress((struct weir_progress_whole){gib, 1024 * gib, 1, 64}, 10, 80,
	                "weir: reading job/rank7.json  1 of 64 files, 0.1 % of 1 TiB, 2.8 h left");
	/* Too early for an estimate, and without a total. */
	expect_progress((struct weir_progress_whole){gib, 4 * gib, 12, 64}, 1, 80,
	                "weir: reading job/rank7.json  12 of 64 files, 25 % of 4 GiB");
	expect_progress((struct weir_progress_whole){gib, 0, 12, 64}, 10, 80,
	                "weir: reading job/rank7.json  12 of 64 files, 1 GiB");
	/* Narrow terminals. */
	expect_progress((struct weir_progress_whole){gib, 4 * gib, 12, 64}, 10, 66,
	                "weir: reading ank7.json  12 of 64 files, 25 % of 4 GiB, 30 s left");
	expect_progress((struct weir_progress_whole){gib, 4 * gib, 12, 64}, 10, 31,
	                "weir: reading   12 of 64 files");
	expect_progress((struct weir_progress_whole){gib, 4 * gib, 12, 64}, 10, 1, "");
}

static void the_time_left_is_of_the_run_that_is_read(void **state)
{
	char shown[512] = "";
	FILE *stream = fmemopen(shown, sizeof(shown), "w");
	struct weir_progress_line line = {.stream = stream, .columns = 80};
	const struct weir_progress_whole end = {100, 100, 2, 2}, next = {10, 100, 0, 2};

	(void)state;
	weir_progress_whole_at(&line, 0, &end);
	weir_progress_whole_at(&line, INT64_C(100000000000), &next);
	weir_progress_report_at(&line, INT64_C(101000000000), "a", 1, 2);
	fclose(stream);
	assert_null(strstr(shown, "left"));
}

static void progress_is_silent_where_nobody_watches(void **state)
{
	FILE *file = tmpfile();
	struct weir_progress_line line;

	(void)state;
	weir_progress_start(&line, file, false);
	weir_progress_report_at(&line, line.started_ns + 10 * (int64_t)WEIR_PROGRESS_DELAY_NS,
	                        "a.json", 1, 2);
	weir_progress_end(&line);
	assert_int_equal(ftell(file), 0);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_written_file_is_whole_and_alone, make_folder,
	                                        remove_folder),
		cmocka_unit_test_setup_teardown(a_replaced_file_keeps_its_permissions, make_folder,
	                                        remove_folder),
		cmocka_unit_test_setup_teardown(a_link_stays_a_link, make_folder, remove_folder),
		cmocka_unit_test_setup_teardown(
			a_place_that_cannot_be_written_leaves_nothing_behind, make_folder,
			remove_folder),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(colour_needs_a_capable_terminal_or_a_word),
		cmocka_unit_test(columns_come_from_the_variable_then_the_driver),
		cmocka_unit_test(progress_waits_then_shows_then_leaves_nothing),
		cmocka_unit_test(progress_keeps_to_one_line),
		cmocka_unit_test(progress_gives_a_file_no_control_of_the_terminal),
		cmocka_unit_test(progress_shows_files_bytes_and_the_time_left),
		cmocka_unit_test(the_time_left_is_of_the_run_that_is_read),
		cmocka_unit_test(progress_is_silent_where_nobody_watches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
