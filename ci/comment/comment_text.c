/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "ci/comment/comment_text.h"
#include "ci/comment/url.h"

static const char *const verdict_lines[] = {
	[WEIR_COMMENT_PASS] = "<!-- weir:verdict pass -->",
	[WEIR_COMMENT_FAIL] = "<!-- weir:verdict fail -->",
};

/* Appends the key encoded as in a URL, and the second of two dashes as well: HTML comments of old
 * parsers end at "--". */
static void add_key(const char *key, struct weir_text *out)
{
	struct weir_text encoded = {0};

	weir_url_encode(key, &encoded);
	for (size_t i = 0; i < encoded.length; i++) {
		if (encoded.data[i] == '-' && i > 0 && encoded.data[i - 1] == '-')
			weir_text_puts(out, "%2D");
		else
			weir_text_add(out, &encoded.data[i], 1);
	}
	weir_text_release(&encoded);
}

void weir_comment_marker(const char *key, struct weir_text *out)
{
	weir_text_puts(out, "<!-- weir:gate key=");
	add_key(key, out);
	weir_text_puts(out, " v1 -->");
}

void weir_comment_compose(const char *key, enum weir_comment_verdict verdict, const char *markdown,
                          struct weir_text *out)
{
	weir_comment_marker(key, out);
	weir_text_puts(out, "\n");
	if (verdict != WEIR_COMMENT_UNKNOWN)
		weir_text_printf(out, "%s\n", verdict_lines[verdict]);
	weir_text_puts(out, markdown);
}

static size_t length_without_blanks(const char *text, size_t len)
{
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	return len;
}

/* Returns true if the line that begins at `text` is `wanted`, but for trailing blanks. */
static bool line_is(const char *text, const char *wanted)
{
	size_t len = length_without_blanks(text, strcspn(text, "\n"));

	return len == strlen(wanted) && memcmp(text, wanted, len) == 0;
}

bool weir_comment_is_marked(const char *body, const char *marker)
{
	return line_is(body, marker);
}

enum weir_comment_verdict weir_comment_verdict_of(const char *body)
{
	const char *second = strchr(body, '\n');

	if (second && line_is(second + 1, verdict_lines[WEIR_COMMENT_PASS]))
		return WEIR_COMMENT_PASS;
	if (second && line_is(second + 1, verdict_lines[WEIR_COMMENT_FAIL]))
		return WEIR_COMMENT_FAIL;
	return WEIR_COMMENT_UNKNOWN;
}

static const char *skip_returns(const char *at)
{
	while (*at == '\r')
		at++;
	return at;
}

bool weir_comment_same(const char *a, const char *b)
{
	const char *a_end = a + length_without_blanks(a, strlen(a));
	const char *b_end = b + length_without_blanks(b, strlen(b));

	for (a = skip_returns(a), b = skip_returns(b); a < a_end && b < b_end && *a == *b;
	     a = skip_returns(a + 1), b = skip_returns(b + 1)) {
		/* equal so far */
	}
	return a >= a_end && b >= b_end;
}

size_t weir_comment_characters(const char *utf8)
{
	size_t count = 0;

	for (; *utf8; utf8++)
		count += ((unsigned char)*utf8 & 0xc0) != 0x80;
	return count;
}

void weir_comment_announce(const char *key, enum weir_comment_verdict verdict,
                           struct weir_text *out)
{
	weir_text_puts(out, "weir: `");
	add_key(key, out);
	weir_text_puts(out, verdict == WEIR_COMMENT_FAIL ? "` passed before and **fails now**. "
	                                                 : "` failed before and **passes now**. ");
	weir_text_puts(out, "The comment above was updated.\n");
}
