/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Walks a complete JSON value in place, forward only, without allocation. After key() or item() the
 * cursor is at a value, which the caller takes with exactly one of text(), word(), container(),
 * take(), scalar() or enter(). Checks the structure, but not the bytes inside texts. After an error
 * `bad` is set and nothing more can be read. WEIR_JSONSCAN_PADDING bytes after the value must be
 * readable.
 */
#ifndef WEIR_BASE_JSONCURSOR_H
#define WEIR_BASE_JSONCURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/jsonblock.h"
#include "engine/base/jsonmeasure.h"
#include "engine/base/slice.h"
#include "engine/base/text.h"

struct weir_jsoncursor {
	const char *at, *end;
	bool bad;
	bool first;  /* no member of the container entered last was read yet */
	bool sloppy; /* empty members were skipped */
};

static inline struct weir_jsoncursor weir_jsoncursor_on(struct weir_slice value)
{
	const char *at = value.data ? value.data : ""; /* C has no NULL + 0 */

	return (struct weir_jsoncursor){.at = at, .end = at + value.length};
}

static inline bool weir_jsoncursor_fail(struct weir_jsoncursor *cursor)
{
	cursor->bad = true;
	cursor->at = cursor->end;
	return false;
}

/* Returns the byte at the cursor; 0 at the end. */
static inline char weir_jsoncursor_peek(const struct weir_jsoncursor *cursor)
{
	return cursor->at < cursor->end ? *cursor->at : '\0';
}

static inline void weir_jsoncursor_skip_blanks(struct weir_jsoncursor *cursor)
{
	const char *at = cursor->at;

	if (at < cursor->end && *at == ' ') /* one blank is usual, several follow a line break */
		at++;
	if (at < cursor->end && (unsigned char)*at <= ' ') {
		at = weir_jsonblock_solid(at, cursor->end);
		at = at < cursor->end ? at : cursor->end;
	}
	cursor->at = at;
}

/* Takes a text. Returns it without quotes and with its escapes, see weir_jsoncursor_decode(). */
static inline struct weir_slice weir_jsoncursor_text(struct weir_jsoncursor *cursor)
{
	const char *start = cursor->at + 1, *at;

	if (weir_jsoncursor_peek(cursor) != '"') {
		weir_jsoncursor_fail(cursor);
		return (struct weir_slice){0};
	}
	for (at = weir_jsonblock_quote(start, cursor->end); at < cursor->end && *at != '"';)
		at = weir_jsonblock_quote(at + 2, cursor->end); /* skip the escaped byte */
	if (at >= cursor->end) {
		weir_jsoncursor_fail(cursor);
		return (struct weir_slice){0};
	}
	cursor->at = at + 1;
	return (struct weir_slice){start, (size_t)(at - start)};
}

/* Takes a number or a literal. */
static inline struct weir_slice weir_jsoncursor_word(struct weir_jsoncursor *cursor)
{
	const char *start = cursor->at, *at = weir_jsonblock_word(start, cursor->end);

	if (at > cursor->end)
		at = cursor->end;
	if (at == start)
		weir_jsoncursor_fail(cursor);
	else
		cursor->at = at;
	return (struct weir_slice){start, (size_t)(at - start)};
}

/* Takes an array or object as a whole. */
static inline struct weir_slice weir_jsoncursor_container(struct weir_jsoncursor *cursor)
{
	const char *start = cursor->at, *at = weir_jsonmeasure_value(start, cursor->end);

	if (!at) {
		weir_jsoncursor_fail(cursor);
		return (struct weir_slice){0};
	}
	cursor->at = at;
	return (struct weir_slice){start, (size_t)(at - start)};
}

/* Takes any value; returns a text without its quotes. */
static inline struct weir_slice weir_jsoncursor_take(struct weir_jsoncursor *cursor)
{
	char first = weir_jsoncursor_peek(cursor);

	if (first == '"')
		return weir_jsoncursor_text(cursor);
	return first == '{' || first == '[' ? weir_jsoncursor_container(cursor)
	                                    : weir_jsoncursor_word(cursor);
}

/* Takes any value; returns the empty slice for an array or object. */
struct weir_slice weir_jsoncursor_scalar(struct weir_jsoncursor *cursor);

/* Enters an object ('{') or array ('['). Skips any other value and returns false. */
static inline bool weir_jsoncursor_enter(struct weir_jsoncursor *cursor, char bracket)
{
	weir_jsoncursor_skip_blanks(cursor);
	if (weir_jsoncursor_peek(cursor) != bracket) {
		weir_jsoncursor_take(cursor);
		return false;
	}
	cursor->at++;
	cursor->first = true;
	return true;
}

/* Moves to the next member across any separator: no comma, several commas, the closing bracket.
 * Returns false at the end of the container. */
bool weir_jsoncursor_separate(struct weir_jsoncursor *cursor, char close);

/* Takes the next key of the object; the cursor is then at its value. Returns false at the object's
 * end.
 */
static inline bool weir_jsoncursor_key(struct weir_jsoncursor *cursor, struct weir_slice *key)
{
	const char *at = cursor->at;

	if (at + 2 < cursor->end && at[0] == ',' && at[1] == ' ' && at[2] == '"')
		cursor->at += 2;
	else if (at + 2 < cursor->end && at[0] == ',' && at[1] == '\n' &&
	         *(at = weir_jsonblock_solid(at + 2, cursor->end)) == '"' && at < cursor->end)
		cursor->at = at;
	else if (!weir_jsoncursor_separate(cursor, '}'))
		return false;
	*key = weir_jsoncursor_text(cursor);
	weir_jsoncursor_skip_blanks(cursor);
	if (weir_jsoncursor_peek(cursor) != ':')
		return weir_jsoncursor_fail(cursor);
	cursor->at++;
	weir_jsoncursor_skip_blanks(cursor);
	return true;
}

/* Moves to the next element of the array. Returns false at the array's end. */
static inline bool weir_jsoncursor_item(struct weir_jsoncursor *cursor)
{
	return weir_jsoncursor_separate(cursor, ']');
}

/*
 * Decodes a text: resolves escapes, joins surrogate pairs, and replaces lone surrogates and NUL by
 * U+FFFD. Returns `raw`, or a slice of `scratch`, which is overwritten. Sets *odd (may be NULL) if
 * a backslash escaped nothing, or if a NUL was replaced.
 */
struct weir_slice weir_jsoncursor_decode(struct weir_slice raw, struct weir_text *scratch,
                                         bool *odd);

#endif
