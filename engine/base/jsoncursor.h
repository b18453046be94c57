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
#include "engine/base/jsonmeasure.h"
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

static inline bool weir_jsoncursor_fail(struct weir_jsoncursor *cursor)
{
	cursor->bad = true;
	cursor->at = cursor->end;
	return false;
}

/* The byte the cursor stands on; 0 at the end. */
static inline char weir_jsoncursor_peek(const struct weir_jsoncursor *cursor)
{
	return cursor->at < cursor->end ? *cursor->at : '\0';
}

static inline void weir_jsoncursor_skip_blanks(struct weir_jsoncursor *cursor)
{
	while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\n' ||
	                                    *cursor->at == '\r' || *cursor->at == '\t'))
		cursor->at++;
}

/* The text without quotes, escapes as written; decode it where it may hold a backslash. */
static inline struct weir_slice weir_jsoncursor_text(struct weir_jsoncursor *cursor)
{
	const char *start = cursor->at + 1, *at;

	if (weir_jsoncursor_peek(cursor) != '"') {
		weir_jsoncursor_fail(cursor);
		return (struct weir_slice){0};
	}
	for (at = weir_jsonblock_quote(start, cursor->end); at < cursor->end && *at != '"';)
		at = weir_jsonblock_quote(at + 2,
		                          cursor->end); /* past what the backslash escapes */
	if (at >= cursor->end) {
		weir_jsoncursor_fail(cursor);
		return (struct weir_slice){0};
	}
	cursor->at = at + 1;
	return (struct weir_slice){start, (size_t)(at - start)};
}

/* A number or a literal. */
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

/* Passes over the array or object and gives it as it stands. */
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

/* The value whatever it is: a text without its quotes, else as it stands. */
static inline struct weir_slice weir_jsoncursor_take(struct weir_jsoncursor *cursor)
{
	char first = weir_jsoncursor_peek(cursor);

	if (first == '"')
		return weir_jsoncursor_text(cursor);
	return first == '{' || first == '[' ? weir_jsoncursor_container(cursor)
	                                    : weir_jsoncursor_word(cursor);
}

/* The same; empty for arrays and objects, which are passed over. */
struct weir_slice weir_jsoncursor_scalar(struct weir_jsoncursor *cursor);

/* Steps into an object ('{') or array ('['); false, with the value passed over, where it is
 * something else. */
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

/* The less usual ways from one member to the next: none, several or missing commas, the closing
 * bracket. */
bool weir_jsoncursor_separate(struct weir_jsoncursor *cursor, char close);

/* The next key of the object, the cursor on its value; false behind the object's end. */
static inline bool weir_jsoncursor_key(struct weir_jsoncursor *cursor, struct weir_slice *key)
{
	const char *at = cursor->at;

	if (at + 2 < cursor->end && at[0] == ',' && at[1] == ' ' && at[2] == '"')
		cursor->at += 2;
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

/* Whether the array goes on, the cursor on its next element; false behind the array's end. */
static inline bool weir_jsoncursor_item(struct weir_jsoncursor *cursor)
{
	return weir_jsoncursor_separate(cursor, ']');
}

/*
 * A text as it is meant: escapes resolved, surrogate pairs joined, lone ones and NUL as U+FFFD.
 * Borrows from raw, or from scratch, which is overwritten. *odd (may be NULL) is set where a
 * backslash escaped nothing, or a NUL was replaced.
 */
struct weir_slice weir_jsoncursor_decode(struct weir_slice raw, struct weir_text *scratch,
                                         bool *odd);

#endif
