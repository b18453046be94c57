/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Encodes a series of numbers as a blob, and decodes it bit for bit. Measured times are whole
 * nanoseconds and figures have few decimals, so values that all are multiples of one decimal tick
 * (1, 0.1, ... 0.000001) are stored as differences of whole ticks, zig-zag and base 128; other
 * series as their 64-bit patterns, byte plane by byte plane. Both are then one zstd frame.
 *
 * Inside the frame: format (1 byte: the tick's decimals, or 255 for patterns), a hash of the values
 * and of a salt that the caller derives from the table and name of the series (8 bytes), the
 * payload. Integers are little-endian. The number of values is stored beside the blob.
 */
#ifndef WEIR_BASELINES_CODEC_H
#define WEIR_BASELINES_CODEC_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/text.h"

#define WEIR_CODEC_MAX_VALUES (1u << 22) /* values of one series */

/* Appends the blob. Values may be any doubles; WEIR_E_LIMIT: there are too many. */
enum weir_status weir_codec_encode(const double *values, size_t count, uint64_t salt,
                                   struct weir_text *blob, struct weir_error *err);

/* Fills values[0..count). WEIR_E_FORMAT: the blob is damaged, holds another number of values,
 * or was made with another salt. */
enum weir_status weir_codec_decode(const void *blob, size_t size, uint64_t salt, double *values,
                                   size_t count, struct weir_error *err);

#endif
