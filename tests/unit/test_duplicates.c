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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_file_twice_is_refused),
		cmocka_unit_test(a_copy_is_refused_but_for_metrics_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
