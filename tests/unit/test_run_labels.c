/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The file of labels beside a profile: reading, precedence and refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/pipeline/run_labels.h"

static char folder[64], file[128];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof folder, "/tmp/weir-labels-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(file, sizeof file, "%s/" WEIR_RUN_LABELS, folder);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(file);
	return rmdir(folder);
}

static void write_file(const char *text)
{
	FILE *out = fopen(file, "w");

	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
	assert_int_equal(fclose(out), 0);
}

static void written_labels_are_read_again(void **state)
{
	struct weir_run *written = weir_run_new(), *run = weir_run_new();
	struct weir_error err = {0};

	(void)state;
	weir_run_set_label(written, "gpu", "Example \"GPU\"\n");
	weir_run_set_label(written, "driver", "570");
	assert_int_equal(weir_run_labels_write(written, folder, &err), WEIR_OK);
	assert_int_equal(weir_run_labels_read(run, folder, &err), WEIR_OK);
	assert_int_equal(run->label_count, 2);
	assert_string_equal(weir_run_label(run, "gpu"), "Example \"GPU\"\n");
	assert_string_equal(weir_run_label(run, "driver"), "570");
	weir_run_free(written);
	weir_run_free(run);
}

static void a_label_of_the_profile_counts_first(void **state)
{
	struct weir_run *run = weir_run_new();
	struct weir_error err = {0};

	(void)state;
	weir_run_set_label(run, "gpu", "of the profile");
	write_file("{\"schema\": \"weir.labels/1\", \"labels\": {\"gpu\": \"of the machine\", "
	           "\"host\": \"a\"}}");
	assert_int_equal(weir_run_labels_read(run, folder, &err), WEIR_OK);
	assert_string_equal(weir_run_label(run, "gpu"), "of the profile");
	assert_string_equal(weir_run_label(run, "host"), "a");
	weir_run_free(run);
}

static void a_folder_without_the_file_changes_nothing(void **state)
{
	struct weir_run *run = weir_run_new();
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_run_labels_read(run, folder, &err), WEIR_OK);
	assert_int_equal(weir_run_labels_read(run, "/dev/null", &err), WEIR_OK);
	assert_int_equal(run->label_count, 0);
	weir_run_free(run);
}

static void a_damaged_file_is_named(void **state)
{
	static const char *const texts[] = {
		"",
		"{",
		"[]",
		"{\"labels\": {}}",
		"{\"schema\": \"weir.labels/2\", \"labels\": {}}",
		"{\"schema\": \"weir.labels/1\", \"labels\": [\"gpu\"]}",
		"{\"schema\": \"weir.labels/1\", \"labels\": {\"gpu\": 1}}",
		"{\"schema\": \"weir.labels/1\", \"label\": {}}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct weir_run *run = weir_run_new();
		struct weir_error err = {0};

		write_file(texts[i]);
		assert_int_equal(weir_run_labels_read(run, folder, &err), WEIR_E_FORMAT);
		assert_non_null(strstr(err.message, WEIR_RUN_LABELS));
		weir_run_free(run);
	}
}

/* Writes a file with `count` labels. */
static void write_labels(size_t count)
{
	FILE *out = fopen(file, "w");

	assert_non_null(out);
	fputs("{\"schema\": \"weir.labels/1\", \"labels\": {", out);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s\"k%zu\": \"v\"", i ? ", " : "", i);
	fputs("}}", out);
	assert_int_equal(fclose(out), 0);
}

static void the_number_of_labels_has_a_limit(void **state)
{
	struct weir_run *run = weir_run_new();
	struct weir_error err = {0};

	(void)state;
	write_labels(WEIR_RUN_MAX_LABELS);
	assert_int_equal(weir_run_labels_read(run, folder, &err), WEIR_OK);
	assert_int_equal(run->label_count, WEIR_RUN_MAX_LABELS);
	weir_run_free(run);
	run = weir_run_new();
	write_labels(WEIR_RUN_MAX_LABELS + 1);
	assert_int_equal(weir_run_labels_read(run, folder, &err), WEIR_E_LIMIT);
	weir_run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(written_labels_are_read_again, make_folder,
	                                        remove_folder),
		cmocka_unit_test_setup_teardown(a_label_of_the_profile_counts_first, make_folder,
	                                        remove_folder),
		cmocka_unit_test_setup_teardown(a_damaged_file_is_named, make_folder,
	                                        remove_folder),
		cmocka_unit_test_setup_teardown(the_number_of_labels_has_a_limit, make_folder,
	                                        remove_folder),
		cmocka_unit_test_setup_teardown(a_folder_without_the_file_changes_nothing,
	                                        make_folder, remove_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
