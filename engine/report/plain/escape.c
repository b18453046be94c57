/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/report/plain/escape.h"

#define REPLACEMENT "\xEF\xBF\xBD"
#define WORD_JOINER                                                                                \
	"\xE2\x81\xA0" /* invisible; separates "@" from a name, "#" from a number, and the         \
	                * characters of a runner's command */
#define ELLIPSIS "\xE2\x80\xA6"

/*
 * Appends a replacement for an unprintable character and returns the bytes replaced. Returns 0 for
 * a printable character, whose size is *length.
 */
static size_t replace_unsafe(struct weir_text *out, const char *text, size_t *length)
{
	if (weir_text_is_printable(text, length))
		return 0;
	weir_text_puts(out, strchr("\t\n\r", *text) ? " " : REPLACEMENT);
	return *length;
}

/* Returns true if runners of GitHub or Azure would take the text for a command: "::error::" at the
 * start of a line, which blanks may precede, and "##[" or "##vso[" anywhere. `before` is the
 * character in front of it; 0: none. */
static bool starts_command(const char *text, char before)
{
	if (text[0] == ':' && text[1] == ':')
		return !before || strchr(" \t\r\n", before);
	return !strncmp(text, "##[", 3) || !strncmp(text, "##vso[", 6);
}

void weir_escape_plain(struct weir_text *out, const char *text)
{
	size_t length, replaced;
	char before = 0;

	for (; *text; before = text[0], text += length) {
		replaced = replace_unsafe(out, text, &length);
		if (replaced) {
			length = replaced;
			continue;
		}
		weir_text_add(out, text, length);
		if (starts_command(text, before))
			weir_text_puts(out, WORD_JOINER);
	}
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (unsigned char)c >= 0x80;
}

/* Writers of Markdown turn "www." and "://" into links. */
static bool starts_link(const char *text)
{
	return !strncmp(text, "://", 3) ||
	       ((*text == 'w' || *text == 'W') && (text[1] == 'w' || text[1] == 'W'));
}

static bool needs_markdown_entity(const char *text, char before)
{
	if (*text == '_') /* no emphasis between two word characters, and common in names */
		return !is_word(before) || !is_word(text[1]);
	return strchr("|`@#<>&*~[]\\$", *text) || starts_link(text);
}

void weir_escape_markdown(struct weir_text *out, const char *text)
{
	size_t length, replaced;
	char before = 0;

	for (; *text; before = text[0], text += length) {
		replaced = replace_unsafe(out, text, &length);
		if (replaced)
			length = replaced;
		else if (needs_markdown_entity(text, before))
			weir_text_printf(out, "&#%d;%s", *text,
			                 *text == '@' || *text == '#' ? WORD_JOINER : "");
		else
			weir_text_add(out, text, length);
	}
}

void weir_escape_html(struct weir_text *out, const char *text)
{
	size_t length, replaced;

	for (; *text; text += length) {
		replaced = replace_unsafe(out, text, &length);
		if (replaced)
			length = replaced;
		else if (strchr("&<>\"'", *text))
			weir_text_printf(out, "&#%d;", *text);
		else
			weir_text_add(out, text, length);
	}
}

void weir_flush_markdown(struct weir_text *out, struct weir_text *plain)
{
	if (plain->data)
		weir_escape_markdown(out, plain->data);
	weir_text_clear(plain);
}

void weir_flush_html(struct weir_text *out, struct weir_text *plain)
{
	if (plain->data)
		weir_escape_html(out, plain->data);
	weir_text_clear(plain);
}

void weir_escape_name(struct weir_text *out, const char *name)
{
	weir_escape_plain(out, !name ? "-" : *name ? name : "(no name)");
}

void weir_cut(struct weir_text *out, const char *plain, size_t columns)
{
	size_t tail, head;

	if (weir_text_columns(plain) <= columns) {
		weir_text_puts(out, plain);
		return;
	}
	if (!columns)
		return;
	tail = (columns - 1) / 3;
	head = weir_text_prefix(plain, columns - 1 - tail);
	if (columns < 12 || memchr(plain, '<', head)) {
		tail = 0;
		head = weir_text_prefix(plain, columns - 1);
	}
	weir_text_add(out, plain, head);
	weir_text_puts(out, ELLIPSIS);
	weir_text_puts(out, plain + weir_text_suffix(plain, tail));
}

void weir_cut_name(struct weir_text *out, const char *name, size_t columns)
{
	struct weir_text plain = {0};

	weir_escape_name(&plain, name);
	weir_cut(out, plain.data, columns);
	weir_text_release(&plain);
}
