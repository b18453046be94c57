/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a damaged array or object the way its writer meant it. A quote ends a text only where what
 * follows can follow a text at that place: `"name": "f({"device": "cpu"})", "pid":` is one text up
 * to the quote before `, "pid":`.
 */
#ifndef WEIR_BASE_JSONREPAIR_H
#define WEIR_BASE_JSONREPAIR_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/slice.h"
#include "engine/base/text.h"

enum weir_jsonrepair {
	WEIR_JSONREPAIR_DONE, /* *used bytes were one value; `out` is that value as proper JSON */
	WEIR_JSONREPAIR_MORE, /* the value goes on after the input */
	WEIR_JSONREPAIR_BAD,  /* no value can be made of it; *used bytes made sense */
};

/* at_end: nothing follows the input. `out` is cleared first. */
enum weir_jsonrepair weir_jsonrepair(struct weir_slice in, bool at_end, struct weir_text *out,
                                     size_t *used);

#endif
