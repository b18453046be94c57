/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Columns of integers as bytes that compress well. A column is replaced by its differences from a
 * prediction, in which small ones of either sign are near zero, and written as planes: the lowest
 * bytes of all values, then the second lowest, ... Noise then stays in the lowest planes, and the
 * others are runs of zeros.
 *
 * The same calls write and read, so that one function describes a struct in both directions:
 *
 *	weir_planes_integers(planes, names, sizeof *names, sizeof *names, count,
 *	                     WEIR_PREDICT_NOTHING);
 *
 * A reader never trusts the bytes: if they are too few, the call fills zeros and sets `failed`.
 * Values are checked by the caller.
 */
#ifndef WEIR_PART_PLANES_H
#define WEIR_PART_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/text.h"

enum weir_predict {
	WEIR_PREDICT_NOTHING,  /* the value itself */
	WEIR_PREDICT_PREVIOUS, /* the value before it */
	WEIR_PREDICT_NONZERO,  /* the last value that is not 0; a 0 is written as one */
};

/* Where a column is written to (`out` is set) or read from. */
struct weir_planes {
	struct weir_text *out; /* NULL: reading */
	const uint8_t *in;     /* the bytes that are left, borrowed */
	size_t left;
	bool failed; /* reading: the bytes ended early */
};

/* Passes a count. Reading: fails if it is above `most`, or if fewer than count times `bytes` are
 * left, so that a damaged count allocates no more than the bytes that were read. */
void weir_planes_count(struct weir_planes *planes, size_t *count, size_t most, size_t bytes);

/* Passes `count` integers of 1, 2, 4 or 8 bytes that lie `stride` bytes apart: a column, or a
 * member of structs in an array. */
void weir_planes_integers(struct weir_planes *planes, void *first, size_t width, size_t stride,
                          size_t count, enum weir_predict predict);

/* Passes a column of 64-bit values as differences from another one: ends from starts. */
void weir_planes_from(struct weir_planes *planes, uint64_t *values, const uint64_t *from,
                      size_t count);

/* Passes bytes without a change. */
void weir_planes_bytes(struct weir_planes *planes, void *bytes, size_t length);

#endif
