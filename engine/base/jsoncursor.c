/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/jsoncursor.h"

#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

struct weir_slice weir_jsoncursor_scalar(struct weir_jsoncursor *cursor)
{
	char first = weir_jsoncursor_peek(cursor);
	struct weir_slice value = weir_jsoncursor_take(cursor);

	return first == '{' || first == '[' ? (struct weir_slice){0} : value;
}

bool weir_jsoncursor_separate(struct weir_jsoncursor *cursor, char close)
{
	unsigned commas = 0;
	bool first = cursor->first;

	cursor->first = false;
	if (cursor->bad)
		return false;
	weir_jsoncursor_skip_blanks(cursor);
	for (; weir_jsoncursor_peek(cursor) == ','; weir_jsoncursor_skip_blanks(cursor)) {
		cursor->at++;
		commas++;
	}
	if (weir_jsoncursor_peek(cursor) == close) {
		cursor->sloppy |= commas > 0;
		cursor->at++;
		return false;
	}
	cursor->sloppy |= commas > !first;
	return commas || first || weir_jsoncursor_fail(cursor);
}

static uint32_t hex4(const char *at)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	uint32_t value = 0;

	for (int i = 0; i < 4; i++) {
		const char *digit = at[i] ? strchr(digits, at[i]) : NULL;

		if (!digit)
			return UINT32_MAX;
		value = value * 16 + (uint32_t)(digit - digits) - (digit - digits > 15 ? 6 : 0);
	}
	return value;
}

static void add_code_point(struct weir_text *text, uint32_t code)
{
	char bytes[4];
	size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	static const unsigned char lead[] = {0, 0x00, 0xC0, 0xE0, 0xF0};

	for (size_t i = length; i-- > 1; code >>= 6)
		bytes[i] = (char)(0x80 | (code & 0x3F));
	bytes[0] = (char)(lead[length] | code);
	weir_text_add(text, bytes, length);
}

/* Decodes \uXXXX at its u. Returns the number of bytes taken, 0 if it is not an escape. */
static size_t decode_unicode(const char *at, const char *end, struct weir_text *text)
{
	uint32_t low, code = end - at >= 5 ? hex4(at + 1) : UINT32_MAX;

	if (code == UINT32_MAX)
		return 0;
	if (code >= 0xD800 && code < 0xDC00 && end - at >= 11 && at[5] == '\\' && at[6] == 'u') {
		low = hex4(at + 7);
		if (low >= 0xDC00 && low < 0xE000) {
			add_code_point(text, 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00));
			return 11;
		}
	}
	if (!code || (code >= 0xD800 && code < 0xE000))
		weir_text_puts(text, REPLACEMENT);
	else
		add_code_point(text, code);
	return 5;
}

/* Decodes an escape at its backslash; returns the number of bytes taken. A backslash that escapes
 * nothing is kept. */
static size_t decode_escape(const char *at, const char *end, struct weir_text *text, bool *odd)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found = at + 1 < end && at[1] ? strchr(from, at[1]) : NULL;
	size_t taken;

	if (found) {
		weir_text_add(text, &to[found - from], 1);
		return 2;
	}
	taken = at + 1 < end && at[1] == 'u' ? decode_unicode(at + 1, end, text) : 0;
	if (taken)
		return taken + 1;
	weir_text_puts(text, "\\");
	*odd = true;
	return 1;
}

struct weir_slice weir_jsoncursor_decode(struct weir_slice raw, struct weir_text *scratch,
                                         bool *odd)
{
	const char *at = raw.data, *end;
	bool ignored;

	odd = odd ? odd : &ignored;
	if (!raw.length ||
	    (!memchr(raw.data, '\\', raw.length) && !memchr(raw.data, '\0', raw.length)))
		return raw;
	end = at + raw.length;
	weir_text_clear(scratch);
	while (at < end) {
		if (*at == '\\') {
			at += decode_escape(at, end, scratch, odd);
		} else if (*at) {
			weir_text_add(scratch, at++, 1);
		} else {
			weir_text_puts(scratch, REPLACEMENT);
			*odd = true;
			at++;
		}
	}
	return (struct weir_slice){scratch->data, scratch->length};
}
