/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes JSON into a text. Calls in a wrong order are an assertion. The output is deterministic:
 * keys in the order of the calls, doubles in the shortest form that reads back equal, "C" locale,
 * NAN and infinities as null. A byte that is not UTF-8 becomes U+FFFD.
 */
#ifndef WEIR_BASE_JSONOUT_H
#define WEIR_BASE_JSONOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/text.h"

#define WEIR_JSONOUT_DEPTH 32

struct weir_jsonout {
	struct weir_text *text; /* borrowed */
	bool pretty;            /* indented by two blanks, one member per line */
	int depth;
	char stack[WEIR_JSONOUT_DEPTH]; /* '{' or '[' */
	bool any[WEIR_JSONOUT_DEPTH];   /* a member was written at this level */
	bool inline_level[WEIR_JSONOUT_DEPTH];
};

void weir_jsonout_init(struct weir_jsonout *out, struct weir_text *text, bool pretty);

/* `key` is NULL inside an array and for the outermost value. The _inline functions write the whole
 * value on one line, even in pretty output. */
void weir_jsonout_begin_object(struct weir_jsonout *out, const char *key);
void weir_jsonout_begin_object_inline(struct weir_jsonout *out, const char *key);
void weir_jsonout_begin_array(struct weir_jsonout *out, const char *key);
void weir_jsonout_begin_array_inline(struct weir_jsonout *out, const char *key);
void weir_jsonout_end(struct weir_jsonout *out);

/* Writes a text; NULL as null. */
void weir_jsonout_text(struct weir_jsonout *out, const char *key, const char *value);
void weir_jsonout_int(struct weir_jsonout *out, const char *key, int64_t value);
/* Writes the shortest form that reads back equal; NAN as null. */
void weir_jsonout_double(struct weir_jsonout *out, const char *key, double value);
/* Writes a share or ratio with at most six decimals, without trailing zeros; NAN as null. */
void weir_jsonout_share(struct weir_jsonout *out, const char *key, double value);
/* Writes nanoseconds or bytes, rounded to the nearest integer; NAN as null. */
void weir_jsonout_rounded(struct weir_jsonout *out, const char *key, double value);
void weir_jsonout_bool(struct weir_jsonout *out, const char *key, bool value);
void weir_jsonout_null(struct weir_jsonout *out, const char *key);

#endif
