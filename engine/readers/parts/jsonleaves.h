/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Visits the texts and numbers of a JSON report, each with its path of keys such as "latency/p99",
 * so that a reader can be a table of paths. Skips arrays (unless `lists` is set), values nested
 * deeper than WEIR_JSONLEAF_DEPTH and values with a path longer than WEIR_JSONLEAF_PATH.
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
	struct weir_slice text; /* without quotes, escapes unresolved */
	bool quoted;
	uint64_t at; /* byte of the outermost member around it */
};

struct weir_jsonleaves {
	/* Takes a leaf; any status other than WEIR_OK ends the walk and is returned. */
	enum weir_status (*leaf)(void *context, const struct weir_jsonleaf *leaf,
	                         struct weir_error *err);
	void *context;
	bool lists; /* visit arrays as well, each as one leaf */
};

/* Walks one complete value; WEIR_JSONSCAN_PADDING bytes after it must be readable. Every path
 * begins with the prefix ({0}: without one). Fails if the value is not JSON. */
enum weir_status weir_jsonleaves_walk(const struct weir_jsonleaves *leaves,
                                      struct weir_slice prefix, struct weir_slice value,
                                      uint64_t at, struct weir_error *err);

/* Walks a whole report. Fails if it is damaged in any way (engine/readers/parts/wholejson.h). */
enum weir_status weir_jsonleaves_read(const struct weir_jsonleaves *leaves,
                                      struct weir_source *source, struct weir_error *err);

/* Returns the number of a leaf; NAN if it is null, NaN, Infinity or not a number. Sets *odd, which
 * may be NULL, if it is not a number. */
double weir_jsonleaf_number(const struct weir_jsonleaf *leaf, bool *odd);

#endif
