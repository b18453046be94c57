/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <archive.h>
#include <archive_entry.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/make_archive.h"

#define ROOM (1u << 20)

static struct archive *begin(const char *format, const char *filter, const char *options,
                             struct bytes *out)
{
	struct archive *handle = archive_write_new();

	assert_non_null(handle);
	assert_int_equal(archive_write_set_format_by_name(handle, format), ARCHIVE_OK);
	if (strcmp(filter, "none") != 0)
		assert_int_equal(archive_write_add_filter_by_name(handle, filter), ARCHIVE_OK);
	if (options)
		assert_int_equal(archive_write_set_options(handle, options), ARCHIVE_OK);
	archive_write_set_passphrase(handle, "secret");
	out->data = malloc(ROOM);
	assert_non_null(out->data);
	assert_int_equal(archive_write_open_memory(handle, out->data, ROOM, &out->len), ARCHIVE_OK);
	return handle;
}

static void add(struct archive *handle, const struct archive_part *part)
{
	struct archive_entry *entry = archive_entry_new();
	size_t len = part->len > 0 || !part->data ? part->len : strlen(part->data);
	static const unsigned types[] = {[PART_FILE] = AE_IFREG,
	                                 [PART_FOLDER] = AE_IFDIR,
	                                 [PART_LINK] = AE_IFLNK,
	                                 [PART_HARD_LINK] = AE_IFREG,
	                                 [PART_PIPE] = AE_IFIFO};

	archive_entry_set_pathname(entry, part->name);
	archive_entry_set_filetype(entry, types[part->kind]);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, part->kind == PART_FILE ? (la_int64_t)len : 0);
	if (part->kind == PART_LINK)
		archive_entry_set_symlink(entry, "/etc/passwd");
	if (part->kind == PART_HARD_LINK)
		archive_entry_set_hardlink(entry, "a.txt");
	assert_int_equal(archive_write_header(handle, entry), ARCHIVE_OK);
	if (part->kind == PART_FILE && len > 0)
		assert_int_equal(archive_write_data(handle, part->data, len), len);
	archive_entry_free(entry);
}

struct bytes archive_of(const struct archive_part *parts, struct archive_form form)
{
	struct bytes out = {0};
	struct archive *handle = begin(form.format, form.filter, form.options, &out);

	for (; parts->name; parts++)
		add(handle, parts);
	assert_int_equal(archive_write_close(handle), ARCHIVE_OK);
	archive_write_free(handle);
	return out;
}

struct bytes stream_of(const void *data, size_t len, const char *filter)
{
	const struct archive_part part = {.name = "data", .data = data, .len = len};
	struct bytes out = {0};
	struct archive *handle = begin("raw", filter, NULL, &out);

	add(handle, &part);
	assert_int_equal(archive_write_close(handle), ARCHIVE_OK);
	archive_write_free(handle);
	return out;
}
