/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes JSON into a text: begin, members, end, with a stack that checks itself (a wrong order is
 * an assertion). Deterministic: keys in the order of the calls, doubles in the shortest form that
 * reads back equal, "C" locale, NAN and infinities as null. Texts that are not UTF-8 are written
 * with U+FFFD for each bad byte.
 */
#ifndef WEIR_BASE_JSONOUT_H
#define WEIR_BASE_JSONOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/text.h"

#define WEIR_JSONOUT_DEPTH 32

struct weir_jsonout {
	struct weir_text *text; /* borrowed */
	bool pretty;            /* two blanks a level, one member a line */
	int depth;
	char stack[WEIR_JSONOUT_DEPTH]; /* '{' or '[' */
	bool any[WEIR_JSONOUT_DEPTH];   /* a member was written at this level */
	bool inline_level[WEIR_JSONOUT_DEPTH];
};

void weir_jsonout_init(struct weir_jsonout *out, struct weir_text *text, bool pretty);

/* key is NULL inside an array and at the top. _inline keeps the whole value on one line in pretty
 * output. */
void weir_jsonout_begin_object(struct weir_jsonout *out, const char *key);
void weir_jsonout_begin_object_inline(struct weir_jsonout *out, const char *key);
void weir_jsonout_begin_array(struct weir_jsonout *out, const char *key);
void weir_jsonout_begin_array_inline(struct weir_jsonout *out, const char *key);
void weir_jsonout_end(struct weir_jsonout *out);

void weir_jsonout_text(struct weir_jsonout *out, const char *key,
                       const char *value); /* NULL: null */
void weir_jsonout_int(struct weir_jsonout *out, const char *key, int64_t value);
void weir_jsonout_double(struct weir_jsonout *out, const char *key,
                         double value); /* shortest; NAN: null */
/* Shares and ratios: at most six decimals, trailing zeros dropped; NAN: null. */
void weir_jsonout_share(struct weir_jsonout *out, const char *key, double value);
/* A double that holds whole nanoseconds or bytes, rounded to the nearest integer; NAN: null. */
void weir_jsonout_rounded(struct weir_jsonout *out, const char *key, double value);
void weir_jsonout_bool(struct weir_jsonout *out, const char *key, bool value);
void weir_jsonout_null(struct weir_jsonout *out, const char *key);

#endif
