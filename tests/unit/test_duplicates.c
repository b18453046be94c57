/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are given twice are refused; files that only look alike are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/pipeline/duplicates.h"

#define SIZE 70000 /* more than one block */

struct folder {
	char one[64], other[64];
};

static void write_file(const char *path, char last)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	for (int i = 1; i < SIZE; i++)
		fputc('x', file);
	fputc(last, file);
	fclose(file);
}

static void folder_open(struct folder *folder, char last)
{
	snprintf(folder->one, sizeof folder->one, "/tmp/weir_duplicates_one_%d", (int)getpid());
	snprintf(folder->other, sizeof folder->other, "/tmp/weir_duplicates_two_%d", (int)getpid());
	write_file(folder->one, 'a');
	write_file(folder->other, last);
}

static void folder_close(const struct folder *folder)
{
	unlink(folder->one);
	unlink(folder->other);
}

/* Returns the status for two inputs. The second has `events`, the first seven. */
static enum weir_status check(const char *one, const char *other, uint64_t events, bool pages,
                              const char *reason)
{
	struct weir_profile *profile = weir_profile_new();
	const char *paths[] = {one, other};
	struct weir_error err = {0};
	enum weir_status status;

	for (size_t i = 0; i < 2; i++) {
		struct weir_input *input = weir_profile_add_input(profile, paths[i]);

		input->format = "kineto";
		input->bytes = SIZE;
		input->events = i ? events : 7;
		if (pages)
			input->scrape = weir_scrape_new();
	}
	status = weir_duplicates_check(profile, &err);
	if (status)
		assert_non_null(strstr(err.message, reason));
	weir_profile_free(profile);
	return status;
}

static void one_file_twice_is_refused(void **state)
{
	struct folder folder;

	(void)state;
	folder_open(&folder, 'b');
	assert_int_equal(check(folder.one, folder.one, 7, false, "given twice"), WEIR_E_USAGE);
	assert_int_equal(check(folder.one, folder.one, 7, true, "given twice"), WEIR_E_USAGE);
	assert_int_equal(check(folder.one, folder.other, 7, false, ""), WEIR_OK);
	folder_close(&folder);
}

static void a_copy_is_refused_but_for_metrics_pages(void **state)
{
	struct folder folder;

	(void)state;
	folder_open(&folder, 'a');
	assert_int_equal(check(folder.one, folder.other, 7, false, "same content"), WEIR_E_USAGE);
	assert_int_equal(check(folder.one, folder.other, 8, false, ""), WEIR_OK);
	assert_int_equal(check(folder.one, folder.other, 7, true, ""), WEIR_OK);
	folder_close(&folder);
	assert_int_equal(check(folder.one, folder.other, 7, false, ""), WEIR_OK);
}

#define MANY 300

/* Two of many files of one size are the same: the pair that comes first is named. */
static void a_copy_among_many_is_named(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};
	char path[64];

	(void)state;
	for (int i = 0; i < MANY; i++) {
		struct weir_input *input;
		FILE *file;

		snprintf(path, sizeof path, "/tmp/weir_duplicates_%d_%d", (int)getpid(), i);
		file = fopen(path, "wb");
		assert_non_null(file);
		/* Files 70 and 90 are like 20, and 250 is like 240. */
		fprintf(file, "%08d", i == 70 || i == 90 ? 20 : i == 250 ? 240 : i);
		fclose(file);
		input = weir_profile_add_input(profile, path);
		input->format = "kineto";
		input->bytes = 8;
	}
	assert_int_equal(weir_duplicates_check(profile, &err), WEIR_E_USAGE);
	for (int i = 0; i < MANY; i++)
		unlink(profile->inputs[i].path);
	snprintf(path, sizeof path, "%d_20 and /tmp/weir_duplicates_%d_70 have", (int)getpid(),
	         (int)getpid());
	assert_non_null(strstr(err.message, path));
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_file_twice_is_refused),
		cmocka_unit_test(a_copy_is_refused_but_for_metrics_pages),
		cmocka_unit_test(a_copy_among_many_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
