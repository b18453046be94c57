/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Repairs a damaged array or object. A quote ends a text only if the next bytes can follow a text
 * there: in `"name": "f({"device": "cpu"})", "pid":` the text ends at the quote before `, "pid":`.
 */
#ifndef WEIR_BASE_JSONREPAIR_H
#define WEIR_BASE_JSONREPAIR_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/slice.h"
#include "engine/base/text.h"

enum weir_jsonrepair {
	WEIR_JSONREPAIR_DONE, /* the first *used bytes are a value; `out` is that value as valid
	                         JSON */
	WEIR_JSONREPAIR_MORE, /* the value continues after the input */
	WEIR_JSONREPAIR_BAD,  /* beyond repair; the first *used bytes could be read */
};

/* Repairs the value at the start of `in`. at_end: no byte follows the input. `out` is cleared
 * first. */
enum weir_jsonrepair weir_jsonrepair(struct weir_slice in, bool at_end, struct weir_text *out,
                                     size_t *used);

#endif
