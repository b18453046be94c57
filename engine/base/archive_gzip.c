/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compresses with zlib, by way of libarchive: the output of ISA-L depends on the processor. */
#include <errno.h>

#include "engine/base/archive_calls.h"
#include "engine/base/archive_gzip.h"
#include "engine/base/arena.h"

static la_ssize_t take(struct archive *handle, void *context, const void *bytes, size_t len)
{
	(void)handle;
	weir_text_add(context, bytes, len);
	return (la_ssize_t)len;
}

/* Writes a text as the only member of a stream without an archive format. */
static int write_member(struct archive *handle, const struct weir_text *plain)
{
	struct archive_entry *entry = archive_entry_new();
	int code;

	if (!entry)
		weir_out_of_memory();
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_size(entry, (la_int64_t)plain->length);
	code = archive_write_header(handle, entry);
	archive_entry_free(entry);
	if (code == ARCHIVE_OK && plain->length > 0 &&
	    archive_write_data(handle, plain->data, plain->length) != (la_ssize_t)plain->length)
		return ARCHIVE_FATAL;
	return code;
}

static enum weir_status fail(struct archive *handle, struct weir_error *err)
{
	if (archive_errno(handle) == ENOMEM)
		weir_out_of_memory();
	return weir_fail(err, WEIR_E_INTERNAL, "libarchive cannot compress: %s",
	                 archive_error_string(handle));
}

enum weir_status weir_gzip(const struct weir_text *plain, struct weir_text *out,
                           struct weir_error *err)
{
	enum weir_status status = weir_libarchive_load(err);
	struct archive *handle;

	if (status)
		return status;
	handle = archive_write_new();
	if (!handle)
		weir_out_of_memory();
	if (archive_write_set_format_raw(handle) != ARCHIVE_OK ||
	    archive_write_add_filter_gzip(handle) != ARCHIVE_OK ||
	    archive_write_set_options(handle, "gzip:!timestamp") != ARCHIVE_OK ||
	    archive_write_open(handle, out, NULL, take, NULL) != ARCHIVE_OK ||
	    write_member(handle, plain) != ARCHIVE_OK || archive_write_close(handle) != ARCHIVE_OK)
		status = fail(handle, err);
	archive_write_free(handle);
	return status;
}
