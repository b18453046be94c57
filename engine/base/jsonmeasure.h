/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the end of an array or object without parsing it: 64 bytes at a time, piece by piece, at
 * any depth without recursion. Does not distinguish brackets from braces; the reader of the value
 * does.
 */
#ifndef WEIR_BASE_JSONMEASURE_H
#define WEIR_BASE_JSONMEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_JSON_MAX_DEPTH 512

/* {0} before the opening bracket. */
struct weir_jsonmeasure {
	uint64_t in_text; /* all ones: the next byte is inside a text */
	uint64_t escaped; /* 1: the next byte follows an unescaped backslash */
	uint64_t depth;
	uint64_t control; /* not 0: texts hold control bytes */
	uint64_t escapes; /* not 0: there are backslashes */
	bool too_deep;    /* the depth exceeded WEIR_JSON_MAX_DEPTH */
};

/* Takes the bytes [at, end). Returns the byte after the closing bracket, NULL if the value
 * continues. */
const char *weir_jsonmeasure_feed(struct weir_jsonmeasure *measure, const char *at,
                                  const char *end);
/* Measures a whole value at `at`, with the same result; 64 bytes after end must be readable. */
const char *weir_jsonmeasure_value(const char *at, const char *end);

#endif
