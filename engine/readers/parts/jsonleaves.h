/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The texts and numbers of a JSON report, each with the keys that lead to it: "latency/p99". What a
 * report says is then a table of paths. Passed over are arrays, unless asked for, and what is
 * nested deeper than WEIR_JSONLEAF_DEPTH or has a longer path than WEIR_JSONLEAF_PATH.
 */
#ifndef WEIR_READERS_PARTS_JSONLEAVES_H
#define WEIR_READERS_PARTS_JSONLEAVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/slice.h"
#include "engine/base/source.h"

#define WEIR_JSONLEAF_DEPTH 16
#define WEIR_JSONLEAF_PATH  256

/* Borrowed until the callback returns. */
struct weir_jsonleaf {
	const char *path;       /* keys as written, joined by '/' */
	struct weir_slice text; /* without quotes, escapes as written */
	bool quoted;
	uint64_t at; /* byte of the outermost member it is in */
};

struct weir_jsonleaves {
	enum weir_status (*leaf)(void *context, const struct weir_jsonleaf *leaf,
	                         struct weir_error *err);
	void *context;
	bool lists; /* hand out arrays as well, whole */
};

/* Walks one complete value; WEIR_JSONSCAN_PADDING bytes behind it must be readable. prefix ({0}:
 * none) goes before every path. Fails where the value is no JSON. */
enum weir_status weir_jsonleaves_walk(const struct weir_jsonleaves *leaves,
                                      struct weir_slice prefix, struct weir_slice value,
                                      uint64_t at, struct weir_error *err);

/* Walks a report that counts as a whole or not at all (engine/readers/parts/wholejson.h). */
enum weir_status weir_jsonleaves_read(const struct weir_jsonleaves *leaves,
                                      struct weir_source *source, struct weir_error *err);

/* NAN where it is null, NaN, Infinity or no number at all; *odd (may be NULL) is set for the last.
 */
double weir_jsonleaf_number(const struct weir_jsonleaf *leaf, bool *odd);

#endif
