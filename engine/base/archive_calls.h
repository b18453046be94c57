/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of libarchive. */
#ifndef WEIR_BASE_ARCHIVE_CALLS_H
#define WEIR_BASE_ARCHIVE_CALLS_H

#include <archive.h>
#include <archive_entry.h>

#include "engine/base/library.h"

/* clang-format off */
#define WEIR_LIBARCHIVE_CALLS(call) \
	call(archive_entry_filetype) \
	call(archive_entry_free) \
	call(archive_entry_hardlink) \
	call(archive_entry_is_data_encrypted) \
	call(archive_entry_new) \
	call(archive_entry_pathname) \
	call(archive_entry_pathname_utf8) \
	call(archive_entry_set_filetype) \
	call(archive_entry_set_size) \
	call(archive_errno) \
	call(archive_error_string) \
	call(archive_format) \
	call(archive_read_data_block) \
	call(archive_read_free) \
	call(archive_read_new) \
	call(archive_read_next_header) \
	call(archive_read_open) \
	call(archive_read_set_seek_callback) \
	call(archive_read_support_filter_bzip2) \
	call(archive_read_support_filter_xz) \
	call(archive_read_support_format_raw) \
	call(archive_read_support_format_tar) \
	call(archive_read_support_format_zip) \
	call(archive_set_error) \
	call(archive_write_add_filter_gzip) \
	call(archive_write_close) \
	call(archive_write_data) \
	call(archive_write_free) \
	call(archive_write_header) \
	call(archive_write_new) \
	call(archive_write_open) \
	call(archive_write_set_format_raw) \
	call(archive_write_set_options)
/* clang-format on */

struct weir_libarchive_calls {
	WEIR_LIBARCHIVE_CALLS(WEIR_CALL_POINTER)
};

/* Loads the library. Fails with WEIR_E_IO. */
enum weir_status weir_libarchive_load(struct weir_error *err);
/* Returns the calls, for the macros below. Valid after weir_libarchive_load() returned WEIR_OK. */
const struct weir_libarchive_calls *weir_libarchive(void);

/* NOLINTBEGIN(readability-identifier-naming): these are the names of the library. */
#define archive_entry_filetype            (weir_libarchive()->archive_entry_filetype)
#define archive_entry_free                (weir_libarchive()->archive_entry_free)
#define archive_entry_hardlink            (weir_libarchive()->archive_entry_hardlink)
#define archive_entry_is_data_encrypted   (weir_libarchive()->archive_entry_is_data_encrypted)
#define archive_entry_new                 (weir_libarchive()->archive_entry_new)
#define archive_entry_pathname            (weir_libarchive()->archive_entry_pathname)
#define archive_entry_pathname_utf8       (weir_libarchive()->archive_entry_pathname_utf8)
#define archive_entry_set_filetype        (weir_libarchive()->archive_entry_set_filetype)
#define archive_entry_set_size            (weir_libarchive()->archive_entry_set_size)
#define archive_errno                     (weir_libarchive()->archive_errno)
#define archive_error_string              (weir_libarchive()->archive_error_string)
#define archive_format                    (weir_libarchive()->archive_format)
#define archive_read_data_block           (weir_libarchive()->archive_read_data_block)
#define archive_read_free                 (weir_libarchive()->archive_read_free)
#define archive_read_new                  (weir_libarchive()->archive_read_new)
#define archive_read_next_header          (weir_libarchive()->archive_read_next_header)
#define archive_read_open                 (weir_libarchive()->archive_read_open)
#define archive_read_set_seek_callback    (weir_libarchive()->archive_read_set_seek_callback)
#define archive_read_support_filter_bzip2 (weir_libarchive()->archive_read_support_filter_bzip2)
#define archive_read_support_filter_xz    (weir_libarchive()->archive_read_support_filter_xz)
#define archive_read_support_format_raw   (weir_libarchive()->archive_read_support_format_raw)
#define archive_read_support_format_tar   (weir_libarchive()->archive_read_support_format_tar)
#define archive_read_support_format_zip   (weir_libarchive()->archive_read_support_format_zip)
#define archive_set_error                 (weir_libarchive()->archive_set_error)
#define archive_write_add_filter_gzip     (weir_libarchive()->archive_write_add_filter_gzip)
#define archive_write_close               (weir_libarchive()->archive_write_close)
#define archive_write_data                (weir_libarchive()->archive_write_data)
#define archive_write_free                (weir_libarchive()->archive_write_free)
#define archive_write_header              (weir_libarchive()->archive_write_header)
#define archive_write_new                 (weir_libarchive()->archive_write_new)
#define archive_write_open                (weir_libarchive()->archive_write_open)
#define archive_write_set_format_raw      (weir_libarchive()->archive_write_set_format_raw)
#define archive_write_set_options         (weir_libarchive()->archive_write_set_options)
/* NOLINTEND(readability-identifier-naming) */

#endif
