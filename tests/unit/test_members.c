/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/reader.h"
#include "tests/unit/make_archive.h"

#define RUN    "{\"schema\": \"weir.run/1\", \"unit\": \"ms\", \"stages\": {\"a\": [1]}}"
#define RESULT "{\"avg_latency\": 1, \"latencies\": [1]}"
#define BROKEN "{\"schema\": \"weir.run/1\", \"unit\": \"ms\", \"stages\": {\"a\": [\"x\"]}}"

static const struct archive_form tar = {"gnutar", "none", NULL};

/* Reads an archive in memory by the name "a.tar", and frees it. */
static enum weir_status read_bytes(struct bytes bytes, struct weir_profile *profile,
                                   struct weir_error *err)
{
	const struct weir_read_options options = {0};
	enum weir_status status =
		weir_read_memory(profile, "a.tar", bytes.data, bytes.len, &options, err);

	free(bytes.data);
	return status;
}

/* Expects the paths of the inputs, joined by blanks, and frees the profile. */
static void expect(struct bytes bytes, const char *paths)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	struct weir_error err = {0};

	if (read_bytes(bytes, profile, &err))
		fail_msg("%s", err.message);
	for (size_t i = 0; i < profile->input_count; i++) {
		weir_text_printf(&text, "%s%s", i ? " " : "", profile->inputs[i].path);
		assert_true(profile->inputs[i].elsewhere);
	}
	assert_string_equal(text.data, paths);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void expect_error(struct bytes bytes, enum weir_status status, const char *message)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	assert_int_equal(read_bytes(bytes, profile, &err), status);
	assert_string_equal(err.message, message);
	assert_int_equal(profile->input_count, 0);
	weir_profile_free(profile);
}

static void members_are_read_as_the_files_of_a_folder(void **state)
{
	static const struct archive_part parts[] = {
		{.name = "r/rank10.json", .data = RUN}, {.name = "r/rank9.json", .data = RESULT},
		{.name = "notes.txt", .data = "notes"}, {.name = ".hidden.json", .data = RUN},
		{.name = "r/.git/x.json", .data = RUN}, {.name = "__MACOSX/r.json", .data = RUN},
		{.name = "empty", .data = NULL},        {.name = NULL}};

	(void)state;
	expect(archive_of(parts, tar), "a.tar/r/rank9.json a.tar/r/rank10.json");
}

static void a_compressed_file_keeps_its_path(void **state)
{
	(void)state;
	expect(stream_of(RUN, sizeof RUN - 1, "xz"), "a.tar");
	expect(stream_of(RUN, sizeof RUN - 1, "bzip2"), "a.tar");
	expect_error(
		stream_of("notes", 5, "xz"), WEIR_E_FORMAT,
		"a.tar: not a profile: it is text that no reader knows: weir formats lists the "
		"formats, --input-format NAME reads it as one of them");
}

static void an_archive_without_profiles_says_what_it_holds(void **state)
{
	static const struct archive_part parts[] = {{.name = "notes.txt", .data = "notes"},
	                                            {.name = "more.txt", .data = "notes"},
	                                            {.name = "link", .kind = PART_LINK},
	                                            {.name = NULL}};
	static const struct archive_part none[] = {{.name = "folder", .kind = PART_FOLDER},
	                                           {.name = NULL}};

	(void)state;
	expect_error(archive_of(parts, tar), WEIR_E_FORMAT,
	             "a.tar: no profile in this archive (3 files checked): link (a link), more.txt "
	             "and 1 more (it is text that no reader knows)");
	expect_error(archive_of(none, tar), WEIR_E_FORMAT, "a.tar: the archive holds no files");
}

static void a_bad_member_that_a_reader_claims_is_an_error(void **state)
{
	static const struct archive_part parts[] = {{.name = "a.json", .data = RUN},
	                                            {.name = "b/bad.json", .data = BROKEN},
	                                            {.name = NULL}};
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(read_bytes(archive_of(parts, tar), profile, &err), WEIR_E_FORMAT);
	assert_int_equal(strncmp(err.message, "a.tar: b/bad.json: ", 19), 0);
	assert_int_equal(profile->input_count, 0);
	weir_profile_free(profile);
}

/* Wraps an archive into others, `times` times. */
static struct bytes wrapped(struct bytes inner, unsigned times)
{
	while (times-- > 0) {
		const struct archive_part parts[] = {
			{.name = "in.zip", .data = (const char *)inner.data, .len = inner.len},
			{.name = NULL}};
		struct bytes outer = archive_of(parts, tar);

		free(inner.data);
		inner = outer;
	}
	return inner;
}

static void archives_in_archives_are_read_to_a_depth(void **state)
{
	static const struct archive_part parts[] = {{.name = "a.json", .data = RUN},
	                                            {.name = NULL}};

	(void)state;
	expect(wrapped(archive_of(parts, tar), 1), "a.tar/in.zip/a.json");
	expect(wrapped(archive_of(parts, tar), 2), "a.tar/in.zip/in.zip/a.json");
	expect_error(wrapped(archive_of(parts, tar), 3), WEIR_E_FORMAT,
	             "a.tar: no profile in this archive (1 file checked): in.zip/in.zip/in.zip (an "
	             "archive in 2 others: unpack the outer ones)");
}

static void members_may_be_compressed(void **state)
{
	struct bytes packed = gzip_bytes(RUN, sizeof RUN - 1);
	struct bytes stream = stream_of(RUN, sizeof RUN - 1, "xz");
	const struct archive_part parts[] = {
		{.name = "a.json.gz", .data = (const char *)packed.data, .len = packed.len},
		{.name = "b.json.xz", .data = (const char *)stream.data, .len = stream.len},
		{.name = NULL}};

	(void)state;
	expect(archive_of(parts, tar), "a.tar/a.json.gz a.tar/b.json.xz");
	free(packed.data);
	free(stream.data);
}

static void an_archive_that_ends_early_warns(void **state)
{
	static const struct archive_part parts[] = {{.name = "a.json", .data = RESULT},
	                                            {.name = "b.json", .data = RESULT},
	                                            {.name = NULL}};
	struct bytes bytes = archive_of(parts, tar);
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	(void)state;
	bytes.len = 1030; /* inside the header of the second member */
	if (read_bytes(bytes, profile, &err))
		fail_msg("%s", err.message);
	assert_int_equal(profile->input_count, 1);
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_TRUNCATED].count, 1);
	assert_non_null(strstr(profile->inputs[0].warnings[WEIR_WARN_TRUNCATED].detail,
	                       "the archive is damaged or cut off here"));
	weir_profile_free(profile);
}

static void a_format_that_was_chosen_is_that_of_every_member(void **state)
{
	static const struct archive_part parts[] = {{.name = "notes.txt", .data = "notes"},
	                                            {.name = NULL}};
	const struct weir_read_options options = {.format = "weir.run"};
	struct bytes bytes = archive_of(parts, tar);
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_read_memory(profile, "a.tar", bytes.data, bytes.len, &options, &err),
	                 WEIR_E_FORMAT);
	assert_int_equal(strncmp(err.message, "a.tar: notes.txt: ", 18), 0);
	weir_profile_free(profile);
	free(bytes.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_read_as_the_files_of_a_folder),
		cmocka_unit_test(a_compressed_file_keeps_its_path),
		cmocka_unit_test(an_archive_without_profiles_says_what_it_holds),
		cmocka_unit_test(a_bad_member_that_a_reader_claims_is_an_error),
		cmocka_unit_test(archives_in_archives_are_read_to_a_depth),
		cmocka_unit_test(members_may_be_compressed),
		cmocka_unit_test(an_archive_that_ends_early_warns),
		cmocka_unit_test(a_format_that_was_chosen_is_that_of_every_member),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
