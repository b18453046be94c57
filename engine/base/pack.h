/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stretch of bytes compressed into one zstd frame (RFC 8878) with a checksum, and back. */
#ifndef WEIR_BASE_PACK_H
#define WEIR_BASE_PACK_H

#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/text.h"

/* Appends the frame to `out`. The same bytes give the same frame within one version of zstd. */
void weir_pack(const void *data, size_t len, struct weir_text *out);

/*
 * Appends what one frame holds to `out`. WEIR_E_LIMIT where that is more than `limit` bytes (at
 * most limit + 1 are decompressed to find out), WEIR_E_FORMAT where the bytes are no whole frame or
 * its checksum does not match; `out` is then as before.
 */
enum weir_status weir_unpack(const void *packed, size_t len, size_t limit, struct weir_text *out,
                             struct weir_error *err);

#endif
