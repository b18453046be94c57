/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/jsonmeasure.h"
#include "engine/base/jsonrepair.h"

#define TEXT_LIMIT (1 << 20) /* a longer text has lost its closing quote */
#define KEY_LIMIT  128       /* a longer text is not taken for a key */
#define MAX_TRIES  16        /* attempts to end the texts of one value elsewhere */

struct repair {
	const char *at, *end;
	struct weir_text *out;
	bool at_end;
	bool starved;                   /* looking ahead reached the end of the input */
	const char *doubtful;           /* the quote that ended the last text with inner quotes */
	const char *refused[MAX_TRIES]; /* quotes that must not end their texts */
	size_t tries;
	unsigned depth;
	char open[WEIR_JSON_MAX_DEPTH]; /* '{' or '[' for each level */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static bool is_one_of(char c, const char *set)
{
	return c && strchr(set, c);
}

/* Returns the next byte at or after `at` that is not blank; NULL at the end of the input. */
static const char *look(struct repair *repair, const char *at)
{
	while (at < repair->end && is_blank(*at))
		at++;
	if (at < repair->end)
		return at;
	repair->starved = true;
	return NULL;
}

/* Returns true if a key in quotes begins at `at`, with its colon. */
static bool is_key(struct repair *repair, const char *at)
{
	const char *stop = repair->end - at > KEY_LIMIT ? at + KEY_LIMIT : repair->end;
	const char *quote = memchr(at + 1, '"', (size_t)(stop - at - 1));

	if (!quote) {
		repair->starved |= stop == repair->end;
		return false;
	}
	quote = look(repair, quote + 1);
	return quote && *quote == ':';
}

/* Returns true if the byte at `at` may follow a closing bracket. */
static bool is_after_bracket(struct repair *repair, const char *at)
{
	at = look(repair, at);
	return at ? *at == ',' || *at == '}' || *at == ']' : repair->at_end;
}

/* Returns true if the quote before `at` ends a text that is a value, judged by the bytes after it.
 */
static bool ends_value(struct repair *repair, const char *at)
{
	bool in_object = repair->open[repair->depth - 1] == '{';

	at = look(repair, at);
	if (!at)
		return false;
	if (*at == (in_object ? '}' : ']'))
		return is_after_bracket(repair, at + 1);
	if (*at != ',')
		return false;
	if (!in_object)
		return true;
	at = look(repair, at + 1);
	return at && (*at == ',' || *at == '}' || (*at == '"' && is_key(repair, at)));
}

static bool is_refused(const struct repair *repair, const char *quote)
{
	for (size_t i = 0; i < repair->tries; i++)
		if (repair->refused[i] == quote)
			return true;
	return false;
}

static bool ends_key(struct repair *repair, const char *at)
{
	at = look(repair, at);
	return at && *at == ':';
}

static bool is_hex(const char *at, const char *end)
{
	if (end - at < 4)
		return false;
	for (int i = 0; i < 4; i++)
		if (!strchr("0123456789abcdefABCDEF", at[i]) || !at[i])
			return false;
	return true;
}

/* Copies the escape at a backslash; escapes a lone backslash. */
static void copy_escape(struct repair *repair, bool key)
{
	const char *at = repair->at++;
	char next = repair->at < repair->end ? *repair->at : 0;
	bool escape = next == 'u' ? is_hex(at + 2, repair->end) : is_one_of(next, "\"\\/bfnrt");

	if (next == '"' && (key ? ends_key(repair, at + 2) : ends_value(repair, at + 2)))
		escape = false; /* a path that ends in a backslash */
	weir_text_add(repair->out, escape ? at : "\\\\", 2);
	repair->at += escape;
}

static void copy_plain(struct repair *repair)
{
	const char *at = repair->at;

	while (at < repair->end && *at != '"' && *at != '\\')
		at++;
	weir_text_add(repair->out, repair->at, (size_t)(at - repair->at));
	repair->at = at;
}

/* Copies a quote inside a text. Returns true if it ends the text, otherwise escapes it. */
static bool copy_quote(struct repair *repair, bool key, bool *strays)
{
	const char *quote = repair->at++;
	bool ends = key ? ends_key(repair, quote + 1) : ends_value(repair, quote + 1);

	if (ends && *strays && is_refused(repair, quote))
		ends = false;
	if (ends && *strays)
		repair->doubtful = quote;
	*strays = true;
	weir_text_puts(repair->out, ends ? "\"" : "\\\"");
	return ends;
}

/* Copies the text at its opening quote, up to the quote that ends it. */
static enum weir_jsonrepair copy_text(struct repair *repair, bool key)
{
	const char *start = repair->at++;
	bool strays = false;

	weir_text_puts(repair->out, "\"");
	for (;;) {
		copy_plain(repair);
		if (repair->at - start > TEXT_LIMIT) {
			repair->at = start + 1;
			return WEIR_JSONREPAIR_BAD;
		}
		if (repair->at == repair->end)
			return WEIR_JSONREPAIR_MORE;
		if (*repair->at == '\\')
			copy_escape(repair, key);
		else if (copy_quote(repair, key, &strays))
			return WEIR_JSONREPAIR_DONE;
		if (repair->starved && !repair->at_end)
			return WEIR_JSONREPAIR_MORE;
	}
}

/* Copies a number or a literal. A missing value, as in `"rank": ,`, becomes null. */
static enum weir_jsonrepair copy_word(struct repair *repair)
{
	const char *at = repair->at;

	while (at < repair->end && !is_blank(*at) && !is_one_of(*at, ",:[]{}\""))
		at++;
	if (at == repair->end && !repair->at_end)
		return WEIR_JSONREPAIR_MORE;
	if (at == repair->at && (at == repair->end || !is_one_of(*at, ",}]")))
		return WEIR_JSONREPAIR_BAD;
	if (at == repair->at)
		weir_text_puts(repair->out, "null");
	weir_text_add(repair->out, repair->at, (size_t)(at - repair->at));
	repair->at = at;
	return WEIR_JSONREPAIR_DONE;
}

static enum weir_jsonrepair open_container(struct repair *repair)
{
	if (repair->depth == WEIR_JSON_MAX_DEPTH)
		return WEIR_JSONREPAIR_BAD;
	repair->open[repair->depth++] = *repair->at;
	weir_text_add(repair->out, repair->at++, 1);
	return WEIR_JSONREPAIR_DONE;
}

static enum weir_jsonrepair copy_value(struct repair *repair)
{
	const char *at = look(repair, repair->at);

	if (!at)
		return WEIR_JSONREPAIR_MORE;
	repair->at = at;
	if (*at == '"')
		return copy_text(repair, false);
	return *at == '{' || *at == '[' ? open_container(repair) : copy_word(repair);
}

static enum weir_jsonrepair copy_member(struct repair *repair)
{
	enum weir_jsonrepair result;
	const char *at;

	if (*repair->at != '"')
		return WEIR_JSONREPAIR_BAD;
	result = copy_text(repair, true);
	if (result != WEIR_JSONREPAIR_DONE)
		return result;
	at = look(repair, repair->at); /* the colon: a key ends only before one */
	weir_text_puts(repair->out, ":");
	repair->at = at + 1;
	return copy_value(repair);
}

/* Copies a member, an element or a closing bracket of the innermost container. Drops empty members.
 */
static enum weir_jsonrepair copy_next(struct repair *repair, bool *separated)
{
	bool in_object = repair->open[repair->depth - 1] == '{';
	const char *at = look(repair, repair->at);

	if (!at)
		return WEIR_JSONREPAIR_MORE;
	repair->at = at;
	if (*at == (in_object ? '}' : ']')) {
		weir_text_add(repair->out, repair->at++, 1);
		repair->depth--;
		*separated = false;
		return WEIR_JSONREPAIR_DONE;
	}
	if (*at == ',') {
		repair->at++;
		*separated = true;
		return WEIR_JSONREPAIR_DONE;
	}
	if (!strchr("{[", repair->out->data[repair->out->length - 1])) {
		if (!*separated)
			return WEIR_JSONREPAIR_BAD;
		weir_text_puts(repair->out, ",");
	}
	*separated = false;
	return in_object ? copy_member(repair) : copy_value(repair);
}

/* Checks the byte after the value: a separator, the end of its container, or the next document. */
static enum weir_jsonrepair check_end(struct repair *repair)
{
	const char *at = look(repair, repair->at);

	if (!at)
		return repair->at_end ? WEIR_JSONREPAIR_DONE : WEIR_JSONREPAIR_MORE;
	return is_one_of(*at, ",]}{") ? WEIR_JSONREPAIR_DONE : WEIR_JSONREPAIR_BAD;
}

static enum weir_jsonrepair attempt(struct repair *repair, struct weir_slice in)
{
	enum weir_jsonrepair result = WEIR_JSONREPAIR_BAD;
	bool separated = false;

	weir_text_clear(repair->out);
	repair->at = in.data;
	repair->depth = 0;
	repair->starved = false;
	repair->doubtful = NULL;
	if (in.length && (*in.data == '{' || *in.data == '['))
		result = open_container(repair);
	while (result == WEIR_JSONREPAIR_DONE && repair->depth)
		result = copy_next(repair, &separated);
	return result == WEIR_JSONREPAIR_DONE ? check_end(repair) : result;
}

enum weir_jsonrepair weir_jsonrepair(struct weir_slice in, bool at_end, struct weir_text *out,
                                     size_t *used)
{
	struct repair repair = {.end = in.data + in.length, .out = out, .at_end = at_end};
	enum weir_jsonrepair result;

	for (;;) {
		result = attempt(&repair, in);
		if (result == WEIR_JSONREPAIR_DONE || (result == WEIR_JSONREPAIR_MORE && !at_end))
			break;
		if (!repair.doubtful || repair.tries == MAX_TRIES)
			break;
		repair.refused[repair.tries++] = repair.doubtful;
	}
	*used = (size_t)(repair.at - in.data);
	return result;
}
