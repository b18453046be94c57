/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/jsonblock.h"
#include "engine/base/jsoncheck.h"

#define OVERREAD 16 /* bytes that weir_jsonblock_quote() may read after the end */

/* The bytes that may follow. */
enum state {
	STATE_VALUE, /* a value */
	STATE_FIRST, /* the first member or element, or the closing bracket */
	STATE_ITEM,  /* a member or element */
	STATE_COLON, /* the colon after a key */
	STATE_NEXT,  /* a comma or the closing bracket */
};

static bool is_in_object(const struct weir_jsoncheck *check)
{
	return check->depth && check->open[check->depth - 1] == '{';
}

static bool takes_key(const struct weir_jsoncheck *check)
{
	return (check->state == STATE_FIRST || check->state == STATE_ITEM) && is_in_object(check);
}

static bool takes_value(const struct weir_jsoncheck *check)
{
	return check->state == STATE_VALUE ||
	       ((check->state == STATE_FIRST || check->state == STATE_ITEM) &&
	        !is_in_object(check));
}

/* Takes a comma or a colon. */
static const char *take_separator(struct weir_jsoncheck *check, const char *at, unsigned from,
                                  unsigned to)
{
	if (check->state != from)
		return NULL;
	check->state = to;
	return at + 1;
}

static const char *take_opening(struct weir_jsoncheck *check, const char *at)
{
	if (!takes_value(check) || check->depth == WEIR_JSON_MAX_DEPTH)
		return NULL;
	check->open[check->depth++] = *at;
	check->state = STATE_FIRST;
	return at + 1;
}

static const char *take_closing(struct weir_jsoncheck *check, const char *at)
{
	bool fits = is_in_object(check) == (*at == '}');

	if (!fits || check->depth < 2 ||
	    (check->state != STATE_FIRST && check->state != STATE_NEXT))
		return NULL;
	check->depth--;
	check->state = STATE_NEXT;
	return at + 1;
}

/* Returns the first quote or backslash in [at, end), otherwise end. */
static const char *find_quote(const char *at, const char *end)
{
	if (end - at > OVERREAD) {
		const char *last = end - OVERREAD;

		at = weir_jsonblock_quote(at, last);
		if (at < last)
			return at;
		at = at < end ? at : end;
	}
	while (at < end && *at != '"' && *at != '\\')
		at++;
	return at;
}

static const char *take_text(struct weir_jsoncheck *check, const char *at, const char *end)
{
	bool key = takes_key(check);

	if (!key && !takes_value(check))
		return NULL;
	for (at = find_quote(at + 1, end); at < end && *at != '"';) {
		if (end - at < 2)
			return end;
		at = find_quote(at + 2, end); /* skips the escaped byte */
	}
	if (at == end)
		return end;
	check->state = key ? STATE_COLON : STATE_NEXT;
	return at + 1;
}

static bool ends_word(char c)
{
	switch (c) {
	case ' ':
	case '\n':
	case '\r':
	case '\t':
	case ',':
	case ':':
	case '"':
	case '[':
	case ']':
	case '{':
	case '}':
		return true;
	}
	return false;
}

static const char *take_word(struct weir_jsoncheck *check, const char *at, const char *end)
{
	if (!takes_value(check))
		return NULL;
	while (at < end && !ends_word(*at))
		at++;
	if (at < end)
		check->state = STATE_NEXT;
	return at;
}

/* Takes the token at `at`. Returns the byte after it, `end` without another state if it may
 * continue there, NULL if it must not be here. */
static const char *take(struct weir_jsoncheck *check, const char *at, const char *end)
{
	switch (*at) {
	case '"':
		return take_text(check, at, end);
	case ',':
		return take_separator(check, at, STATE_NEXT, STATE_ITEM);
	case ':':
		return take_separator(check, at, STATE_COLON, STATE_VALUE);
	case '{':
	case '[':
		return take_opening(check, at);
	case '}':
	case ']':
		return take_closing(check, at);
	}
	return take_word(check, at, end);
}

void weir_jsoncheck_start(struct weir_jsoncheck *check)
{
	check->done = 0;
	check->state = STATE_VALUE;
	check->depth = 0;
	check->bad = false;
}

bool weir_jsoncheck_feed(struct weir_jsoncheck *check, struct weir_slice start)
{
	const char *at = start.data + check->done, *end = start.data + start.length;

	while (at < end && !check->bad) {
		unsigned state = check->state, depth = check->depth;
		const char *next;

		if (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') {
			at++;
			continue;
		}
		next = take(check, at, end);
		check->bad = !next;
		if (!next || (next == end && check->state == state && check->depth == depth))
			break; /* at the end the token may continue */
		at = next;
	}
	check->done = (size_t)(at - start.data);
	return !check->bad;
}
