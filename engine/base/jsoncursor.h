/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Walks one complete JSON value in place, forward only, without allocation. The caller keeps order:
 * after enter(), key() or item() the cursor stands on a value, which is taken with exactly one of
 * text(), scalar(), span(), skip() or enter(). Strict about structure, lenient about what is inside
 * texts: where `bad` is set nothing more can be read. WEIR_JSONSCAN_PADDING bytes behind the value
 * must be readable.
 */
#ifndef WEIR_BASE_JSONCURSOR_H
#define WEIR_BASE_JSONCURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/jsonblock.h"
#include "engine/base/slice.h"
#include "engine/base/text.h"

struct weir_jsoncursor {
	const char *at, *end;
	bool bad;
	bool first;  /* nothing of the container entered last was read yet */
	bool sloppy; /* empty members were passed over */
};

static inline struct weir_jsoncursor weir_jsoncursor_on(struct weir_slice value)
{
	return (struct weir_jsoncursor){.at = value.data, .end = value.data + value.length};
}

/* Passes over the value and gives it as it stands. */
struct weir_slice weir_jsoncursor_span(struct weir_jsoncursor *cursor);
void weir_jsoncursor_skip(struct weir_jsoncursor *cursor);

/* The text without quotes, escapes as written; decode it where it holds a backslash. */
struct weir_slice weir_jsoncursor_text(struct weir_jsoncursor *cursor);
/* A text without its quotes, a number or a literal as it stands; empty for containers, which are
 * passed over. */
struct weir_slice weir_jsoncursor_scalar(struct weir_jsoncursor *cursor);

/* Steps into an object ('{') or array ('['); false, with the value passed over, where it is
 * something else. */
bool weir_jsoncursor_enter(struct weir_jsoncursor *cursor, char bracket);
/* The next key of the object, the cursor on its value; false behind the object's end. */
bool weir_jsoncursor_key(struct weir_jsoncursor *cursor, struct weir_slice *key);
/* Whether the array goes on, the cursor on its next element; false behind the array's end. */
bool weir_jsoncursor_item(struct weir_jsoncursor *cursor);

/*
 * A text as it is meant: escapes resolved, surrogate pairs joined, lone ones and NUL as U+FFFD.
 * Borrows from raw, or from scratch, which is overwritten. *odd (may be NULL) is set where a
 * backslash escaped nothing, or a NUL was replaced.
 */
struct weir_slice weir_jsoncursor_decode(struct weir_slice raw, struct weir_text *scratch,
                                         bool *odd);

#endif
