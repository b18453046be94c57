/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/report/plain/escape.h"

#define REPLACEMENT "\xEF\xBF\xBD"
#define WORD_JOINER                                                                                \
	"\xE2\x81\xA0" /* parts "@" from a name and "#" from a number, and shows nothing */
#define ELLIPSIS "\xE2\x80\xA6"

/* Code points that control, reorder or hide; sorted. */
static const struct {
	uint32_t first, last;
} unsafe_ranges[] = {
	{0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x34f, 0x34f},     {0x61c, 0x61c},
	{0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f},   {0x2028, 0x202e},
	{0x2060, 0x206f}, {0x3164, 0x3164}, {0xd800, 0xdfff}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
	{0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe0fff},
};

static bool is_unsafe(uint32_t code)
{
	for (size_t i = 0; i < sizeof(unsafe_ranges) / sizeof(unsafe_ranges[0]); i++) {
		if (code <= unsafe_ranges[i].last)
			return code >= unsafe_ranges[i].first;
	}
	return code > 0x10ffff;
}

/* Bytes of the character that starts with this byte, 0: none does. */
static size_t sequence_length(unsigned char lead)
{
	if (lead < 0x80)
		return 1;
	if (lead >= 0xc2 && lead < 0xe0)
		return 2;
	if (lead >= 0xe0 && lead < 0xf0)
		return 3;
	return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

/* Bytes of the well-formed character at text (not its end), 0: the first byte starts none. */
static size_t decode(const char *text, uint32_t *code)
{
	static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
	static const unsigned char lead_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	size_t length = sequence_length((unsigned char)text[0]);

	if (!length)
		return 0;
	*code = (unsigned char)text[0] & lead_bits[length];
	for (size_t i = 1; i < length; i++) {
		unsigned char byte = (unsigned char)text[i];

		if ((byte & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (byte & 0x3fu);
	}
	return *code >= smallest[length] ? length : 0;
}

/*
 * Appends what stands for the character at text where it cannot stay as it is, and says how many
 * bytes it replaced; 0: it may stay, and *length tells its size.
 */
static size_t replace_unsafe(struct weir_text *out, const char *text, size_t *length)
{
	uint32_t code = 0;

	*length = decode(text, &code);
	if (*length && !is_unsafe(code))
		return 0;
	weir_text_puts(out, code == '\t' || code == '\n' || code == '\r' ? " " : REPLACEMENT);
	return *length ? *length : 1;
}

void weir_escape_plain(struct weir_text *out, const char *text)
{
	size_t length, replaced;

	for (; *text; text += length) {
		replaced = replace_unsafe(out, text, &length);
		if (replaced)
			length = replaced;
		else
			weir_text_add(out, text, length);
	}
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (unsigned char)c >= 0x80;
}

/* "www." and "://" turn into links on their own. */
static bool starts_link(const char *text)
{
	return !strncmp(text, "://", 3) ||
	       ((*text == 'w' || *text == 'W') && (text[1] == 'w' || text[1] == 'W'));
}

static bool needs_markdown_entity(const char *text, char before)
{
	if (*text == '_') /* between two words it is no emphasis, and names are full of it */
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

/* Bytes that the first `columns` columns take. */
static size_t prefix_bytes(const char *plain, size_t columns)
{
	size_t bytes = 0;

	while (plain[bytes]) {
		if (((unsigned char)plain[bytes] & 0xc0) != 0x80 && columns-- == 0)
			break;
		bytes++;
	}
	return bytes;
}

void weir_cut(struct weir_text *out, const char *plain, size_t columns)
{
	size_t total = weir_text_columns(plain), tail, head;

	if (total <= columns) {
		weir_text_puts(out, plain);
		return;
	}
	if (!columns)
		return;
	tail = (columns - 1) / 3;
	head = prefix_bytes(plain, columns - 1 - tail);
	if (columns < 12 || memchr(plain, '<', head)) {
		tail = 0;
		head = prefix_bytes(plain, columns - 1);
	}
	weir_text_add(out, plain, head);
	weir_text_puts(out, ELLIPSIS);
	weir_text_puts(out, plain + prefix_bytes(plain, total - tail));
}
