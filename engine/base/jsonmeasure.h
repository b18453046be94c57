/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where an array or object ends, without reading what is in it: 64 bytes at a time, in pieces as
 * they arrive, at any depth without recursion. Kinds of brackets are not told apart; whoever reads
 * the value sees to that.
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
	uint64_t control; /* not 0: control bytes inside texts */
	uint64_t escapes; /* not 0: backslashes */
	bool too_deep;    /* depth went beyond WEIR_JSON_MAX_DEPTH */
};

/* Feeds [at, end): the byte after the closing bracket, or NULL where that lies further on. */
const char *weir_jsonmeasure_feed(struct weir_jsonmeasure *measure, const char *at,
                                  const char *end);
/* The same for a value that begins at `at`, where 64 bytes after end may be read. */
const char *weir_jsonmeasure_value(const char *at, const char *end);

#endif
