/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compressed bytes and small files for tests. */
#ifndef WEIR_TESTS_PACKED_H
#define WEIR_TESTS_PACKED_H

#include <stddef.h>
#include <stdint.h>

/* Owned bytes; free(data). */
struct bytes {
	uint8_t *data;
	size_t len;
};

struct bytes plain_bytes(const void *data, size_t len);
struct bytes gzip_bytes(const void *data, size_t len);
struct bytes zstd_bytes(const void *data, size_t len);     /* with a checksum */
struct bytes joined_bytes(struct bytes a, struct bytes b); /* takes both */

/* Text that looks like events, of about this length: it compresses, but not to nothing. */
struct bytes event_text(size_t len);

/* A folder for one test program; remove_folder() takes it and its files away. */
const char *make_folder(void);
void remove_folder(void);
/* Path of a file in the folder; static, valid until the next call. */
const char *path_in_folder(const char *name);
const char *write_file(const char *name, const void *data, size_t len);

#endif
