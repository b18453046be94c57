/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes UTF-8: printable characters and columns on a terminal, independent of the locale. */
#include <string.h>

#include "engine/base/text.h"

struct range {
	uint32_t first, last;
};

/* East Asian Width W and F of Unicode 14.0 (EastAsianWidth.txt), with the unassigned code points
 * between two of them; sorted. */
static const struct range wide[] = {
	{0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},
	{0x23f0, 0x23f0},   {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},
	{0x2648, 0x2653},   {0x267f, 0x267f},   {0x2693, 0x2693},   {0x26a1, 0x26a1},
	{0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},   {0x26ce, 0x26ce},
	{0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
	{0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},
	{0x2728, 0x2728},   {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},
	{0x2757, 0x2757},   {0x2795, 0x2797},   {0x27b0, 0x27b0},   {0x27bf, 0x27bf},
	{0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},   {0x2e80, 0x303e},
	{0x3041, 0x3247},   {0x3250, 0x4dbf},   {0x4e00, 0xa4c6},   {0xa960, 0xa97c},
	{0xac00, 0xd7a3},   {0xf900, 0xfad9},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6b},
	{0xff01, 0xff60},   {0xffe0, 0xffe6},   {0x16fe0, 0x1b2fb}, {0x1f004, 0x1f004},
	{0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320},
	{0x1f32d, 0x1f335}, {0x1f337, 0x1f37c}, {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca},
	{0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4}, {0x1f3f8, 0x1f43e},
	{0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e},
	{0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4},
	{0x1f5fb, 0x1f64f}, {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2},
	{0x1f6d5, 0x1f6df}, {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7f0},
	{0x1f90c, 0x1f93a}, {0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faf6},
	{0x20000, 0x3fffd},
};

/* Marks that combine with a Latin, Japanese or Korean character, and joiners; sorted. Marks of
 * other scripts count as one column. */
static const struct range zero[] = {
	{0x300, 0x36f},   {0x1160, 0x11ff}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},
	{0x20d0, 0x20ff}, {0x302a, 0x302d}, {0x3099, 0x309a}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
};

/* Control, bidirectional and invisible characters, surrogates and noncharacters; sorted. */
static const struct range unprintable[] = {
	{0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x34f, 0x34f},     {0x61c, 0x61c},
	{0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f},   {0x2028, 0x202e},
	{0x2060, 0x206f}, {0x3164, 0x3164}, {0xd800, 0xdfff}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
	{0xffa0, 0xffa0}, {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe0fff},
};

static bool is_in(const struct range *ranges, size_t count, uint32_t code)
{
	size_t low = 0;

	while (low < count) {
		size_t middle = low + (count - low) / 2;

		if (code < ranges[middle].first)
			count = middle;
		else if (code > ranges[middle].last)
			low = middle + 1;
		else
			return true;
	}
	return false;
}

static size_t columns_of(uint32_t code)
{
	if (code < zero[0].first)
		return 1;
	if (is_in(zero, sizeof zero / sizeof *zero, code))
		return 0;
	return is_in(wide, sizeof wide / sizeof *wide, code) ? 2 : 1;
}

/* Returns the size of a character by its first byte; 0 if no character starts with it. */
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

/* Decodes the character at text, which is not its end. Returns its size in bytes, or 0 if no
 * well-formed character starts there. Accepts surrogates. */
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

bool weir_text_is_printable(const char *text, size_t *length)
{
	uint32_t code = 0;
	size_t size = decode(text, &code);

	*length = size ? size : 1;
	return size && code <= 0x10ffff &&
	       !is_in(unprintable, sizeof unprintable / sizeof *unprintable, code);
}

/* Returns the size in bytes of the first character, and its *columns. A malformed byte takes one.
 */
static size_t next_character(const char *utf8, size_t *columns)
{
	uint32_t code = 0;
	size_t length = decode(utf8, &code);

	*columns = length ? columns_of(code) : 1;
	return length ? length : 1;
}

size_t weir_text_columns(const char *utf8)
{
	return weir_text_columns_in(utf8, strlen(utf8));
}

size_t weir_text_columns_in(const char *utf8, size_t len)
{
	size_t columns = 0, more;

	for (size_t at = 0; at < len; columns += more)
		at += next_character(utf8 + at, &more);
	return columns;
}

size_t weir_text_prefix(const char *utf8, size_t columns)
{
	size_t bytes = 0, used = 0;

	while (utf8[bytes]) {
		size_t more, length = next_character(utf8 + bytes, &more);

		if (used + more > columns)
			break;
		used += more;
		bytes += length;
	}
	return bytes;
}

size_t weir_text_suffix(const char *utf8, size_t columns)
{
	size_t start = 0, left = weir_text_columns(utf8);

	while (utf8[start]) {
		size_t more, length = next_character(utf8 + start, &more);

		if (left <= columns && more > 0)
			break; /* marks stay with the character before them */
		start += length;
		left -= more;
	}
	return start;
}
