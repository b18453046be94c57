/* SPDX-License-Identifier: GPL-3.0-or-later */
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
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define TRACE                                                                                      \
	"{\"schemaVersion\": 1, \"traceEvents\": [{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": " \
	"\"a\", \"pid\": 1, \"tid\": 1, \"ts\": 1, \"dur\": 1}]}"
#define RUN "{\"schema\": \"weir.run/1\", \"unit\": \"ms\", \"stages\": {\"a\": [1]}}"

#define RESULT "{\"avg_latency\": 1, \"latencies\": [1]}"

/* A temporary folder and the files in it. */
struct folder {
	char path[64];
	char files[8][128];
	size_t count;
};

static int set_up(void **state)
{
	struct folder *folder = calloc(1, sizeof(*folder));

	if (!folder)
		return -1;
	memcpy(folder->path, "/tmp/weir_registry_XXXXXX", sizeof("/tmp/weir_registry_XXXXXX"));
	if (!mkdtemp(folder->path))
		return -1;
	*state = folder;
	return 0;
}

static int tear_down(void **state)
{
	struct folder *folder = *state;

	for (size_t i = 0; i < folder->count; i++)
		remove(folder->files[i]);
	rmdir(folder->path);
	free(folder);
	return 0;
}

static const char *put(struct folder *folder, const char *name, const char *data, size_t len)
{
	char *path = folder->files[folder->count++];
	struct weir_text full = {0};
	FILE *file;

	weir_text_printf(&full, "%s/%s", folder->path, name);
	assert_true(full.length < sizeof(folder->files[0]));
	memcpy(path, full.data, full.length + 1);
	weir_text_release(&full);
	file = fopen(path, "wb");
	assert_non_null(file);
	fwrite(data, 1, len, file);
	fclose(file);
	return path;
}

static const char *put_text(struct folder *folder, const char *name, const char *text)
{
	return put(folder, name, text, strlen(text));
}

static const char *chosen(const char *data, size_t len, struct weir_error *err)
{
	const struct weir_reader *reader = NULL;
	struct weir_source *source;
	enum weir_status status;

	assert_int_equal(weir_source_open_memory("test", data, len, &source, err), WEIR_OK);
	status = weir_reader_choose(source, &reader, err);
	weir_source_free(source);
	return status ? NULL : reader->name;
}

static void readers_are_chosen_by_content(void **state)
{
	struct weir_error err = {0};

	(void)state;
	assert_string_equal(chosen(TRACE, strlen(TRACE), &err), "kineto");
	assert_string_equal(chosen(RUN, strlen(RUN), &err), "weir.run");
	assert_string_equal(chosen(RESULT, strlen(RESULT), &err), "bench");
	assert_string_equal(chosen(" \n[{\"ph\": \"X\", \"cat\": \"cpu_op\"}]", 32, &err),
	                    "kineto");
	assert_string_equal(chosen(" \n[{\"ph\": \"X\"}]", 15, &err), "chrome");
}

static void expect_hint(const char *data, size_t len, const char *hint)
{
	struct weir_error err = {0};

	assert_null(chosen(data, len, &err));
	assert_int_equal(err.status, WEIR_E_FORMAT);
	if (!strstr(err.message, hint))
		fail_msg("\"%s\" is not in: %s", hint, err.message);
}

static void what_nobody_reads_is_called_what_it_looks_like(void **state)
{
	(void)state;
	expect_hint("<!DOCTYPE html><html>", 21, "web page");
	expect_hint("\x80\x04\x95xx", 5, "pickle");
	expect_hint("7z\xbc\xaf\x27\x1c", 6, "7z archive: unpack it");
	expect_hint("Rar!\x1a\x07", 6, "rar archive: unpack it");
	expect_hint("SQLite format 3\0xx", 18, "SQLite");
	expect_hint("{\"schema\": \"1.0\", \"nodes\": []}", 30, "execution trace");
	expect_hint("{\"hello\": 1}", 12, "it is JSON");
	expect_hint("hello there", 11, "text that no reader knows");
	expect_hint("time,gpu_share_pct,mem_used_mb\n1,2,3\n", 37, "whose columns no reader knows");
	expect_hint("timestamp,power_share,gpu_co2_kg\n1,2,3\n", 39,
	            "whose columns no reader knows");
	expect_hint("time,gpu_a,gpu_b\n1,2,3\n", 23, "text that no reader knows");
	expect_hint("gpu_part,power\n1,2\n", 19, "text that no reader knows");
	expect_hint("1,gpu_util,mem,power\n", 21, "text that no reader knows");
	expect_hint("\n\x0e\x10\x00\x12\n/host:CPU", 16, "xplane.pb");
	expect_hint("\x01\0\x02\0", 4, "binary data");
}

static void an_empty_input_says_so(void **state)
{
	struct weir_error err = {0};

	(void)state;
	assert_null(chosen("", 0, &err));
	assert_int_equal(err.status, WEIR_E_EMPTY);
}

static void a_mistyped_format_names_the_nearest(void **state)
{
	const struct weir_reader *reader;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_reader_find("kineto", &reader, &err), WEIR_OK);
	assert_ptr_equal(reader, &weir_reader_kineto);
	assert_int_equal(weir_reader_find("kinetto", &reader, &err), WEIR_E_USAGE);
	assert_non_null(strstr(err.message, "did you mean \"kineto\"?"));
}

static void errors_begin_with_the_path(void **state)
{
	struct folder *folder = *state;
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};
	const char *path = put_text(folder, "page.json", "<html>");

	assert_int_equal(weir_read_path(profile, path, NULL, &err), WEIR_E_FORMAT);
	assert_int_equal(strncmp(err.message, path, strlen(path)), 0);
	assert_int_equal(weir_read_path(profile, "/nonexistent/trace.json", NULL, &err), WEIR_E_IO);
	assert_int_equal(strncmp(err.message, "/nonexistent/trace.json: ", 25), 0);
	assert_int_equal(profile->input_count, 0);
	weir_profile_free(profile);
}

static void a_folder_gives_its_profiles_in_order(void **state)
{
	struct folder *folder = *state;
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	put_text(folder, "rank1.json", TRACE);
	put_text(folder, "README.md", "# notes");
	put_text(folder, "rank0.json", RUN);
	put_text(folder, ".hidden.json", TRACE);
	put_text(folder, "empty", "");
	if (weir_read_path(profile, folder->path, NULL, &err))
		fail_msg("%s", err.message);
	assert_int_equal(profile->input_count, 2);
	assert_non_null(strstr(profile->inputs[0].path, "/rank0.json"));
	assert_string_equal(profile->inputs[0].format, "weir.run");
	assert_string_equal(profile->inputs[1].format, "kineto");
	assert_int_equal(profile->inputs[1].bytes, strlen(TRACE));
	assert_int_equal(profile->inputs[1].events, 1);
	weir_profile_free(profile);
}

static void a_folder_without_profiles_is_an_error(void **state)
{
	struct folder *folder = *state;
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	put_text(folder, "README.md", "# notes");
	assert_int_equal(weir_read_path(profile, folder->path, NULL, &err), WEIR_E_FORMAT);
	assert_non_null(strstr(err.message, "no profile in this directory"));
	weir_profile_free(profile);
}

static void a_damaged_profile_in_a_folder_is_not_passed_over(void **state)
{
	struct folder *folder = *state;
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	put_text(folder, "a.json", TRACE);
	put_text(folder, "b.json", "{\"schemaVersion\": 1, \"traceEvents\": []}");
	assert_int_equal(weir_read_path(profile, folder->path, NULL, &err), WEIR_E_EMPTY);
	assert_non_null(strstr(err.message, "/b.json: "));
	weir_profile_free(profile);
}

static void inputs_come_in_the_order_of_their_paths(void **state)
{
	struct folder *folder = *state;
	struct weir_profile *profile = weir_profile_new();
	const struct weir_read_options options = {0};
	struct weir_error err = {0};
	const char *paths[] = {put_text(folder, "c.json", TRACE), put_text(folder, "a.json", RUN),
	                       put_text(folder, "d.json", RESULT),
	                       put_text(folder, "b.json", TRACE)};

	for (size_t round = 0; round < 20; round++) {
		if (weir_read_paths(profile, paths, 4, &options, &err))
			fail_msg("%s", err.message);
		for (size_t i = 0; i < 4; i++)
			assert_string_equal(profile->inputs[4 * round + i].path, paths[i]);
	}
	assert_int_equal(profile->input_count, 80);
	weir_profile_free(profile);
}

static void the_first_path_that_fails_is_the_one_told(void **state)
{
	struct folder *folder = *state;
	const struct weir_read_options options = {0};
	struct weir_error err = {0};
	const char *paths[] = {put_text(folder, "c.json", TRACE),
	                       put_text(folder, "b.json", "<html>"),
	                       put_text(folder, "a.json", RUN), "/nonexistent/trace.json"};

	for (size_t round = 0; round < 20; round++) {
		struct weir_profile *profile = weir_profile_new();

		assert_int_equal(weir_read_paths(profile, paths, 4, &options, &err), WEIR_E_FORMAT);
		assert_int_equal(strncmp(err.message, paths[1], strlen(paths[1])), 0);
		assert_int_equal(profile->input_count, 1);
		weir_profile_free(profile);
	}
}

static void standard_input_is_read_beside_files(void **state)
{
	struct folder *folder = *state;
	struct weir_profile *profile = weir_profile_new();
	const struct weir_read_options options = {0};
	struct weir_error err = {0};
	const char *path = put_text(folder, "a.json", TRACE);
	const char *paths[] = {path, "-", "-"};

	assert_non_null(freopen(path, "rb", stdin));
	assert_int_equal(weir_read_paths(profile, paths, 3, &options, &err), WEIR_E_EMPTY);
	assert_int_equal(profile->input_count, 2); /* the first one reads it to its end */
	weir_profile_free(profile);
}

/* Calls come one at a time and file by file, but from any thread; therefore nothing is asserted
 * here. */
struct told {
	const char *path[4];
	size_t count;
	bool again; /* of a file that was left before */
};

static void note_file(void *context, const char *path, unsigned long long done,
                      unsigned long long total)
{
	struct told *told = context;

	(void)done;
	(void)total;
	if (told->count > 0 && told->path[told->count - 1] == path)
		return;
	for (size_t i = 0; i < told->count; i++)
		told->again = told->again || told->path[i] == path;
	if (told->count < 4)
		told->path[told->count++] = path;
}

static void progress_is_of_one_file_at_a_time(void **state)
{
	struct folder *folder = *state;
	struct weir_profile *profile = weir_profile_new();
	struct told told = {.count = 0};
	const struct weir_progress progress = {note_file, &told, NULL, NULL};
	const struct weir_read_options options = {.progress = &progress};
	const char *path = folder->path;

	put_text(folder, "a.json", TRACE);
	put_text(folder, "b.json", RUN);
	put_text(folder, "c.json", TRACE);
	put_text(folder, "d.json", RESULT);
	assert_int_equal(weir_read_paths(profile, &path, 1, &options, NULL), WEIR_OK);
	assert_in_range(told.count, 1, 4);
	assert_false(told.again);
	weir_profile_free(profile);
}

static void note_progress(void *context, const char *path, unsigned long long done,
                          unsigned long long total)
{
	unsigned long long *last = context;

	assert_non_null(path);
	assert_true(done >= last[0]);
	last[0] = done;
	last[1] = total;
}

static void progress_reaches_the_whole_file(void **state)
{
	struct folder *folder = *state;
	struct weir_profile *profile = weir_profile_new();
	unsigned long long last[2] = {0};
	const struct weir_progress progress = {note_progress, last, NULL, NULL};

	const struct weir_read_options options = {.progress = &progress};
	const char *path = put_text(folder, "a.json", TRACE);

	assert_int_equal(weir_read_paths(profile, &path, 1, &options, NULL), WEIR_OK);
	assert_int_equal(last[0], strlen(TRACE));
	assert_int_equal(last[1], strlen(TRACE));
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readers_are_chosen_by_content),
		cmocka_unit_test(what_nobody_reads_is_called_what_it_looks_like),
		cmocka_unit_test(an_empty_input_says_so),
		cmocka_unit_test(a_mistyped_format_names_the_nearest),
		cmocka_unit_test_setup_teardown(errors_begin_with_the_path, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_folder_gives_its_profiles_in_order, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(a_folder_without_profiles_is_an_error, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(a_damaged_profile_in_a_folder_is_not_passed_over,
	                                        set_up, tear_down),
		cmocka_unit_test_setup_teardown(inputs_come_in_the_order_of_their_paths, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(the_first_path_that_fails_is_the_one_told, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(standard_input_is_read_beside_files, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(progress_is_of_one_file_at_a_time, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(progress_reaches_the_whole_file, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
