/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks piece by piece whether the bytes of an array or object are JSON so far: brackets, quotes,
 * commas and colons are where JSON has them. Looks at each byte once, apart from a text or word
 * that a piece cuts. Does not check numbers, literals and the bytes inside texts.
 */
#ifndef WEIR_BASE_JSONCHECK_H
#define WEIR_BASE_JSONCHECK_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/jsonmeasure.h"
#include "engine/base/slice.h"

struct weir_jsoncheck {
	size_t done;                    /* bytes that were checked */
	unsigned state;                 /* an enum of jsoncheck.c */
	unsigned depth;                 /* open brackets */
	bool bad;                       /* the bytes are not the start of a value */
	char open[WEIR_JSON_MAX_DEPTH]; /* '{' or '[' for each */
};

/* Begins a check before the opening bracket of a value. */
void weir_jsoncheck_start(struct weir_jsoncheck *check);

/* Checks a value from its first byte; `start` begins with the bytes of the call before. Returns
 * false if they are not JSON, are nested too deeply, or hold the end of the value. Once false, it
 * stays false until weir_jsoncheck_start(). */
bool weir_jsoncheck_feed(struct weir_jsoncheck *check, struct weir_slice start);

#endif
