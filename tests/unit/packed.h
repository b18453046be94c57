/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compressed bytes and small files for tests. */
#ifndef WEIR_TESTS_UNIT_PACKED_H
#define WEIR_TESTS_UNIT_PACKED_H

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
struct bytes joined_bytes(struct bytes a, struct bytes b); /* frees both inputs */

/* Returns text of about this length that looks like events and compresses moderately. */
struct bytes event_text(size_t len);

/* Makes a folder for this test program; remove_folder() deletes it and its files. */
const char *make_folder(void);
void remove_folder(void);
/* Returns the path of a file in the folder; static, valid until the next call. */
const char *path_in_folder(const char *name);
const char *write_file(const char *name, const void *data, size_t len);

#endif
