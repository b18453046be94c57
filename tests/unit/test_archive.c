/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/archive.h"
#include "engine/base/text.h"
#include "tests/unit/make_archive.h"

static const struct archive_form forms[] = {
	{"gnutar", "none", NULL}, {"pax", "none", NULL},  {"zip", "none", NULL},
	{"gnutar", "xz", NULL},   {"pax", "bzip2", NULL}, {"zip", "none", "zip:compression=store"},
};

static const struct archive_part two_files[] = {{.name = "b/long.txt", .data = "one two"},
                                                {.name = "./a.txt", .data = "three"},
                                                {.name = NULL}};

/* Appends "name=content;" for each member, or "name!reason;". Returns the status. */
static enum weir_status walk(struct weir_source *source, struct weir_archive_budget *budget,
                             struct weir_text *out, struct weir_error *err)
{
	struct weir_archive *archive = NULL;
	struct weir_archive_member member;
	enum weir_status status = weir_archive_open(source, budget, &archive, err);

	while (!status && !(status = weir_archive_next(archive, &member, err)) && member.name) {
		struct weir_source_supply supply = weir_archive_supply(archive);
		struct weir_source *content;
		const char *data;
		size_t len;

		weir_text_puts(out, member.name);
		if (member.unusable) {
			weir_text_printf(out, "!%s;", member.unusable);
			continue;
		}
		weir_text_puts(out, "=");
		status = weir_source_open_supply("member", &supply, &content, err);
		if (status)
			break;
		while (!(status = weir_source_next(content, &data, &len, err)) && len > 0)
			weir_text_add(out, data, len);
		weir_text_puts(out, weir_source_damage(content) ? "~;" : ";");
		weir_source_free(content);
	}
	if (!status && weir_archive_damage(archive))
		weir_text_printf(out, "damage: %s", weir_archive_damage(archive));
	weir_archive_free(archive);
	return status;
}

/* Walks through bytes in memory with a budget; NULL: the usual one. Frees the bytes. */
static enum weir_status walk_bytes(struct bytes bytes, struct weir_archive_budget *budget,
                                   struct weir_text *out, struct weir_error *err)
{
	struct weir_archive_budget usual;
	struct weir_source *source;
	enum weir_status status =
		weir_source_open_memory("archive", bytes.data, bytes.len, &source, err);

	if (!status) {
		usual = weir_archive_budget_of(source);
		if (budget)
			budget->stored = source;
		status = walk(source, budget ? budget : &usual, out, err);
		weir_source_free(source);
	}
	free(bytes.data);
	return status;
}

/* Returns true if the text holds a part. */
static bool holds(const struct weir_text *text, const char *part)
{
	return text->length > 0 && strstr(text->data, part) != NULL;
}

static void expect(struct bytes bytes, const char *members)
{
	struct weir_text text = {0};
	struct weir_error err = {0};

	if (walk_bytes(bytes, NULL, &text, &err))
		fail_msg("%s", err.message);
	assert_string_equal(text.data ? text.data : "", members);
	weir_text_release(&text);
}

static void members_come_in_their_order_in_every_format(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
		expect(archive_of(two_files, forms[i]), "b/long.txt=one two;a.txt=three;");
}

/* Expects the members of an archive in a file; frees the bytes. */
static void expect_file(struct bytes bytes, const char *members)
{
	const char *path = write_file("archive", bytes.data, bytes.len);
	struct weir_archive_budget budget;
	struct weir_text text = {0};
	struct weir_source *source;

	free(bytes.data);
	assert_int_equal(weir_source_open(path, &source, NULL), WEIR_OK);
	assert_true(weir_source_seeks(source));
	budget = weir_archive_budget_of(source);
	assert_int_equal(walk(source, &budget, &text, NULL), WEIR_OK);
	assert_string_equal(text.data, members);
	weir_source_free(source);
	weir_text_release(&text);
}

static void a_file_is_read_as_bytes_in_memory_are(void **state)
{
	(void)state;
	make_folder();
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
		expect_file(archive_of(two_files, forms[i]), "b/long.txt=one two;a.txt=three;");
	remove_folder();
}

static void archives_are_known_by_their_first_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		struct bytes bytes = archive_of(two_files, forms[i]);

		assert_true(weir_archive_begins((const char *)bytes.data, bytes.len));
		assert_false(weir_archive_begins((const char *)bytes.data, 3));
		free(bytes.data);
	}
	assert_false(weir_archive_begins("{\"traceEvents\": []}", 19));
	assert_false(weir_archive_begins("", 0));
	assert_false(weir_archive_begins("BZh9 is no stream", 17));
}

static void a_compressed_stream_is_one_member_without_a_name(void **state)
{
	(void)state;
	expect(stream_of("some text", 9, "xz"), "=some text;");
	expect(stream_of("some text", 9, "bzip2"), "=some text;");
	expect(joined_bytes(stream_of("some ", 5, "xz"), stream_of("text", 4, "xz")),
	       "=some text;");
}

static void only_regular_members_inside_the_archive_are_used(void **state)
{
	static const struct archive_part parts[] = {
		{.name = "folder/", .kind = PART_FOLDER}, {.name = "a.txt", .data = "a"},
		{.name = "link", .kind = PART_LINK},      {.name = "hard", .kind = PART_HARD_LINK},
		{.name = "pipe", .kind = PART_PIPE},      {.name = "/etc/b.txt", .data = "b"},
		{.name = "x/../../c.txt", .data = "c"},   {.name = "..", .data = "d"},
		{.name = "..x/y..", .data = "e"},         {.name = NULL},
	};

	(void)state;
	expect(archive_of(parts, forms[1]), "a.txt=a;link!a link;hard!a link;pipe!a device or pipe;"
	                                    "/etc/b.txt!a path that leads out of the archive;"
	                                    "x/../../c.txt!a path that leads out of the archive;"
	                                    "..!a path that leads out of the archive;..x/y..=e;");
}

static void a_path_has_a_limit(void **state)
{
	char name[WEIR_ARCHIVE_MAX_NAME + 2];
	const struct archive_part parts[] = {{.name = name, .data = "a"}, {.name = NULL}};
	struct weir_text text = {0};

	(void)state;
	memset(name, 'n', sizeof name);
	name[sizeof name - 1] = '\0';
	assert_int_equal(walk_bytes(archive_of(parts, forms[1]), NULL, &text, NULL), WEIR_OK);
	assert_true(holds(&text, "!a path that is too long;"));
	weir_text_clear(&text);
	name[sizeof name - 2] = '\0';
	assert_int_equal(walk_bytes(archive_of(parts, forms[1]), NULL, &text, NULL), WEIR_OK);
	assert_true(holds(&text, "n=a;"));
	weir_text_release(&text);
}

static void an_encrypted_member_is_left_out(void **state)
{
	const struct archive_form form = {"zip", "none", "zip:encryption=traditional"};
	struct bytes bytes = archive_of(two_files, form);

	(void)state;
	make_folder();
	expect_file(bytes, "b/long.txt!encrypted;a.txt!encrypted;");
	remove_folder();
}

static void names_do_not_depend_on_the_locale(void **state)
{
	static const struct archive_part parts[] = {{.name = "\xc3\xa9t\xc3\xa9.json", .data = "a"},
	                                            {.name = "\xff.json", .data = "b"},
	                                            {.name = NULL}};

	(void)state;
	expect(archive_of(parts, forms[0]), "\xc3\xa9t\xc3\xa9.json=a;\xff.json=b;");
}

static struct weir_archive_budget small_budget(void)
{
	return (struct weir_archive_budget){
		.max_bytes = 12, .max_ratio = 1, .ratio_from = 1000000, .max_members = 2};
}

static void expect_limit(struct bytes bytes, struct weir_archive_budget budget, const char *message)
{
	struct weir_text text = {0};
	struct weir_error err = {0};

	assert_int_equal(walk_bytes(bytes, &budget, &text, &err), WEIR_E_LIMIT);
	if (!strstr(err.message, message))
		fail_msg("\"%s\" is not in: %s", message, err.message);
	weir_text_release(&text);
}

static void expect_within(struct bytes bytes, struct weir_archive_budget budget)
{
	struct weir_text text = {0};
	struct weir_error err = {0};

	if (walk_bytes(bytes, &budget, &text, &err))
		fail_msg("%s", err.message);
	weir_text_release(&text);
}

static void unpacked_bytes_have_a_limit(void **state)
{
	struct weir_archive_budget budget = small_budget();

	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		expect_within(archive_of(two_files, forms[i]), budget); /* 7 + 5 bytes */
		budget.max_bytes = 11;
		expect_limit(archive_of(two_files, forms[i]), budget, "more than 11 bytes");
		budget.max_bytes = 12;
	}
}

static void the_number_of_members_has_a_limit(void **state)
{
	struct weir_archive_budget budget = small_budget();

	(void)state;
	expect_within(archive_of(two_files, forms[0]), budget);
	budget.max_members = 1;
	expect_limit(archive_of(two_files, forms[0]), budget, "more than 1 members");
}

static void the_ratio_has_a_limit(void **state)
{
	static char same[200000];
	struct weir_archive_budget budget = small_budget();
	struct bytes packed;
	size_t ratio;

	(void)state;
	memset(same, 'a', sizeof same);
	packed = stream_of(same, sizeof same, "xz");
	ratio = sizeof same / packed.len;
	free(packed.data);
	budget.max_bytes = sizeof same;
	budget.ratio_from = 1;
	budget.max_ratio = ratio + 1;
	expect_within(stream_of(same, sizeof same, "xz"), budget);
	budget.max_ratio = ratio - 1;
	expect_limit(stream_of(same, sizeof same, "xz"), budget, "decompression bomb");
	budget.ratio_from = sizeof same;
	expect_within(stream_of(same, sizeof same, "xz"), budget);
}

static void members_that_are_passed_over_count_too(void **state)
{
	static char zeros[200000];
	const struct archive_part parts[] = {{.name = "/zeros", .data = zeros, .len = sizeof zeros},
	                                     {.name = NULL}};
	struct weir_archive_budget budget = small_budget();

	(void)state;
	budget.max_bytes = sizeof zeros;
	expect_within(archive_of(parts, forms[3]), budget);
	budget.max_bytes = sizeof zeros - 1;
	expect_limit(archive_of(parts, forms[3]), budget, "more than 199999 bytes");
}

/* The header of an xz stream and of a block with one filter, LZMA2, whose property states the
 * dictionary. */
static struct bytes xz_with_window(unsigned char property)
{
	unsigned char head[32] = "\xfd\x37zXZ\0\0\4\xe6\xd6\xb4\x46\2\0\x21\1";

	head[16] = property;
	return plain_bytes(head, sizeof head);
}

static void the_window_of_xz_has_a_limit(void **state)
{
	struct weir_text text = {0};
	struct weir_error err = {0};

	(void)state;
	/* 32: 256 MiB, 33: 384 MiB (section 5.3.1 of the format). */
	assert_int_equal(walk_bytes(xz_with_window(32), NULL, &text, &err), WEIR_E_FORMAT);
	assert_int_equal(walk_bytes(xz_with_window(33), NULL, &text, &err), WEIR_E_LIMIT);
	assert_non_null(strstr(err.message, "402653184 bytes of memory"));
	weir_text_release(&text);
}

static void what_comes_before_the_damage_is_read(void **state)
{
	struct bytes bytes = archive_of(two_files, forms[0]);
	struct weir_text text = {0};
	struct weir_error err = {0};

	(void)state;
	/* The content of the first member begins at 512, the header of the second one at 1024. */
	bytes.len = 515;
	assert_int_equal(walk_bytes(bytes, NULL, &text, &err), WEIR_OK);
	assert_true(holds(&text, "b/long.txt=one~;damage: the archive is damaged or cut"));
	weir_text_clear(&text);
	bytes = archive_of(two_files, forms[0]);
	bytes.len = 1030;
	assert_int_equal(walk_bytes(bytes, NULL, &text, &err), WEIR_OK);
	assert_true(holds(&text, "b/long.txt=one two;damage: "));
	weir_text_release(&text);
}

static void damage_before_the_first_member_is_an_error(void **state)
{
	struct bytes bytes = archive_of(two_files, forms[3]);
	struct weir_text text = {0};
	struct weir_error err = {0};

	(void)state;
	bytes.len = 30;
	assert_int_equal(walk_bytes(bytes, NULL, &text, &err), WEIR_E_FORMAT);
	assert_non_null(strstr(err.message, "the archive is damaged or cut off: "));
	weir_text_release(&text);
}

/* Walks through damaged bytes: any result will do, but an error has a message. */
static void survive(const struct bytes *bytes, size_t len)
{
	struct weir_text text = {0};
	struct weir_error err = {0};
	enum weir_status status = walk_bytes(plain_bytes(bytes->data, len), NULL, &text, &err);

	assert_int_equal(status != WEIR_OK, err.message[0] != '\0');
	assert_null(strchr(err.message, '\n'));
	weir_text_release(&text);
}

static void damage_anywhere_is_survived(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		struct bytes bytes = archive_of(two_files, forms[i]);

		for (size_t at = 0; at < bytes.len; at += at < 700 ? 1 : 37) {
			uint8_t before = bytes.data[at];

			survive(&bytes, at);
			bytes.data[at] = (uint8_t)~before;
			survive(&bytes, bytes.len);
			bytes.data[at] = 0;
			survive(&bytes, bytes.len);
			bytes.data[at] = before;
		}
		free(bytes.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_come_in_their_order_in_every_format),
		cmocka_unit_test(a_file_is_read_as_bytes_in_memory_are),
		cmocka_unit_test(archives_are_known_by_their_first_bytes),
		cmocka_unit_test(a_compressed_stream_is_one_member_without_a_name),
		cmocka_unit_test(only_regular_members_inside_the_archive_are_used),
		cmocka_unit_test(a_path_has_a_limit),
		cmocka_unit_test(an_encrypted_member_is_left_out),
		cmocka_unit_test(names_do_not_depend_on_the_locale),
		cmocka_unit_test(unpacked_bytes_have_a_limit),
		cmocka_unit_test(the_number_of_members_has_a_limit),
		cmocka_unit_test(the_ratio_has_a_limit),
		cmocka_unit_test(members_that_are_passed_over_count_too),
		cmocka_unit_test(the_window_of_xz_has_a_limit),
		cmocka_unit_test(what_comes_before_the_damage_is_read),
		cmocka_unit_test(damage_before_the_first_member_is_an_error),
		cmocka_unit_test(damage_anywhere_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
