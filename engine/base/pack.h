/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compresses bytes into a zstd frame (RFC 8878) with a checksum, and decompresses them. */
#ifndef WEIR_BASE_PACK_H
#define WEIR_BASE_PACK_H

#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/text.h"

/* Appends the frame to `out`. Within one version of zstd, equal bytes give equal frames. */
void weir_pack(const void *data, size_t len, struct weir_text *out);
/* Does the same at a high level: a tenth smaller for columns of integers, and fifty times slower.
 */
void weir_pack_small(const void *data, size_t len, struct weir_text *out);

/* Appends padding before a frame: a skippable frame of `len` bytes, at least WEIR_LEAST_PADDING. */
#define WEIR_LEAST_PADDING 8
void weir_pack_padding(size_t len, struct weir_text *out);

/*
 * Appends the content of one frame to `out`, and skips padding before it. WEIR_E_LIMIT: it has more
 * than `limit` bytes; about as many are decompressed to find out. WEIR_E_FORMAT: the bytes are not
 * one whole frame, or its checksum does not match. On a failure `out` is unchanged.
 */
enum weir_status weir_unpack(const void *packed, size_t len, size_t limit, struct weir_text *out,
                             struct weir_error *err);

#endif
