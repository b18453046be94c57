/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/base/jsonout.h"

void weir_jsonout_init(struct weir_jsonout *out, struct weir_text *text, bool pretty)
{
	*out = (struct weir_jsonout){.text = text, .pretty = pretty};
}

/* Returns the size in bytes of the UTF-8 character at `text`, 0 if it is malformed (RFC 3629,
 * section 4). */
static size_t utf8_length(const unsigned char *text, const unsigned char *end)
{
	unsigned char first = text[0];
	size_t len = first < 0x80   ? 1
	             : first < 0xc2 ? 0
	             : first < 0xe0 ? 2
	             : first < 0xf0 ? 3
	             : first < 0xf5 ? 4
	                            : 0;

	if (len == 0 || len > (size_t)(end - text))
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((first == 0xe0 && text[1] < 0xa0) ||
	    (first == 0xed && text[1] > 0x9f)) /* overlong; surrogates */
		return 0;
	if ((first == 0xf0 && text[1] < 0x90) ||
	    (first == 0xf4 && text[1] > 0x8f)) /* overlong; above U+10FFFF */
		return 0;
	return len;
}

/* Writes an ASCII character that must be escaped in a JSON text. */
static bool add_escape(struct weir_text *text, unsigned char c)
{
	static const char from[] = "\"\\\b\f\n\r\t";
	static const char to[] = "\"\\bfnrt";
	const char *found = c ? strchr(from, c) : NULL;

	if (found) {
		char escape[2] = {'\\', to[found - from]};

		weir_text_add(text, escape, sizeof(escape));
		return true;
	}
	if (c < 0x20 || c == 0x7f) {
		weir_text_printf(text, "\\u%04x", c);
		return true;
	}
	return false;
}

/* Returns true at "##[" and "##vso[", which runners of pipelines obey anywhere in a line. */
static bool starts_command(const unsigned char *at, const unsigned char *end)
{
	return end - at > 2 && at[0] == '#' && at[1] == '#' && (at[2] == '[' || at[2] == 'v');
}

static void add_quoted(struct weir_text *text, const char *value)
{
	const unsigned char *at = (const unsigned char *)value;
	const unsigned char *end = at + strlen(value);

	weir_text_puts(text, "\"");
	while (at < end) {
		size_t len = utf8_length(at, end);

		if (len == 0)
			weir_text_puts(text, "\xef\xbf\xbd"); /* U+FFFD */
		else if (starts_command(at, end))
			weir_text_puts(text, "\\u0023");
		else if (len > 1 || !add_escape(text, *at))
			weir_text_add(text, (const char *)at, len);
		at += len ? len : 1;
	}
	weir_text_puts(text, "\"");
}

static bool is_inline(const struct weir_jsonout *out)
{
	return !out->pretty || (out->depth > 0 && out->inline_level[out->depth - 1]);
}

static void add_line_break(struct weir_jsonout *out)
{
	weir_text_puts(out->text, "\n");
	weir_text_repeat(out->text, "  ", (size_t)out->depth);
}

/* Writes the comma, line break and key before a value. */
static void begin_value(struct weir_jsonout *out, const char *key)
{
	int level = out->depth - 1;

	assert((key != NULL) == (out->depth > 0 && out->stack[level] == '{'));
	if (out->depth > 0) {
		if (out->any[level])
			weir_text_puts(out->text, ",");
		if (!is_inline(out))
			add_line_break(out);
		else if (out->pretty && out->any[level])
			weir_text_puts(out->text, " ");
		out->any[level] = true;
	}
	if (key) {
		add_quoted(out->text, key);
		weir_text_puts(out->text, out->pretty ? ": " : ":");
	}
}

static void begin_level(struct weir_jsonout *out, const char *key, char bracket, bool on_one_line)
{
	bool inherited;

	begin_value(out, key);
	inherited = is_inline(out);
	assert(out->depth < WEIR_JSONOUT_DEPTH);
	out->stack[out->depth] = bracket;
	out->any[out->depth] = false;
	out->inline_level[out->depth] = on_one_line || inherited;
	out->depth++;
	weir_text_add(out->text, &bracket, 1);
}

void weir_jsonout_begin_object(struct weir_jsonout *out, const char *key)
{
	begin_level(out, key, '{', false);
}

void weir_jsonout_begin_object_inline(struct weir_jsonout *out, const char *key)
{
	begin_level(out, key, '{', true);
}

void weir_jsonout_begin_array(struct weir_jsonout *out, const char *key)
{
	begin_level(out, key, '[', false);
}

void weir_jsonout_begin_array_inline(struct weir_jsonout *out, const char *key)
{
	begin_level(out, key, '[', true);
}

void weir_jsonout_end(struct weir_jsonout *out)
{
	bool broken;

	assert(out->depth > 0);
	broken = !is_inline(out) && out->any[out->depth - 1];
	out->depth--;
	if (broken)
		add_line_break(out);
	weir_text_puts(out->text, out->stack[out->depth] == '{' ? "}" : "]");
}

void weir_jsonout_null(struct weir_jsonout *out, const char *key)
{
	begin_value(out, key);
	weir_text_puts(out->text, "null");
}

void weir_jsonout_text(struct weir_jsonout *out, const char *key, const char *value)
{
	if (!value) {
		weir_jsonout_null(out, key);
		return;
	}
	begin_value(out, key);
	add_quoted(out->text, value);
}

void weir_jsonout_int(struct weir_jsonout *out, const char *key, int64_t value)
{
	begin_value(out, key);
	weir_text_printf(out->text, "%" PRId64, value);
}

/*
 * If 15 digits read back equal, they are the shortest form, because %g drops trailing zeros; 17
 * digits always read back equal. Subnormal numbers have fewer digits.
 */
static void add_shortest(struct weir_text *text, double value)
{
	size_t start = text->length;
	bool equal = false;

	for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17 && !equal; digits++) {
		double back;

		text->length = start;
		weir_text_printf(text, "%.*g", digits, value);
		equal = weir_parse_double(text->data + start, text->length - start, &back) &&
		        back == value;
	}
}

void weir_jsonout_double(struct weir_jsonout *out, const char *key, double value)
{
	if (!isfinite(value)) {
		weir_jsonout_null(out, key);
		return;
	}
	begin_value(out, key);
	add_shortest(out->text, value);
}

void weir_jsonout_share(struct weir_jsonout *out, const char *key, double value)
{
	struct weir_text *text = out->text;
	size_t start;

	if (!isfinite(value)) {
		weir_jsonout_null(out, key);
		return;
	}
	begin_value(out, key);
	start = text->length;
	weir_text_printf(text, "%.6f", value);
	while (text->data[text->length - 1] == '0')
		text->length--;
	if (text->data[text->length - 1] == '.')
		text->length--;
	text->data[text->length] = '\0';
	if (strcmp(text->data + start, "-0") == 0) {
		text->length = start;
		weir_text_puts(text, "0");
	}
}

void weir_jsonout_rounded(struct weir_jsonout *out, const char *key, double value)
{
	if (!isfinite(value)) {
		weir_jsonout_null(out, key);
		return;
	}
	begin_value(out, key);
	weir_text_printf(out->text, "%.0f", round(value) + 0.0); /* + 0.0 makes -0 a 0 */
}

void weir_jsonout_bool(struct weir_jsonout *out, const char *key, bool value)
{
	begin_value(out, key);
	weir_text_puts(out->text, value ? "true" : "false");
}
