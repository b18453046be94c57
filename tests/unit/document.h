/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests of writers ask of a document. */
#ifndef WEIR_TESTS_DOCUMENT_H
#define WEIR_TESTS_DOCUMENT_H

#include <stdbool.h>
#include <string.h>

#include "engine/base/text.h"
#include "tests/unit/near.h"

/* Fail with the document where it does not hold, or holds, the part. */
static inline void assert_has(const struct weir_text *text, const char *part)
{
	if (strstr(text->data, part))
		return;
	print_error("no \"%s\" in:\n%s\n", part, text->data);
	fail();
}

static inline void assert_has_not(const struct weir_text *text, const char *part)
{
	if (!strstr(text->data, part))
		return;
	print_error("\"%s\" is in:\n%s\n", part, text->data);
	fail();
}

static inline size_t bars_in(const char *line)
{
	size_t bars = 0;

	for (; *line && *line != '\n'; line++)
		bars += *line == '|';
	return bars;
}

/* Every row of a Markdown table has as many cells as the line before it, or it is the first of its
 * table. */
static inline void assert_tables_are_whole(const char *document)
{
	size_t before = 0;

	for (const char *line = document; *line;
	     line += line[strcspn(line, "\n")] ? strcspn(line, "\n") + 1 : 0) {
		size_t bars = line[0] == '|' ? bars_in(line) : 0;

		if (bars && before)
			assert_int_equal(bars, before);
		before = bars;
	}
}

/* Fails on the first line that is wider, and on blanks at the end of one. */
static inline void assert_fits(const struct weir_text *text, size_t width)
{
	char line[4096];

	for (const char *at = text->data; *at;) {
		size_t length = strcspn(at, "\n");

		assert_true(length < sizeof(line));
		memcpy(line, at, length);
		line[length] = '\0';
		if (weir_text_columns(line) > width || (length && line[length - 1] == ' ')) {
			print_error("%zu columns, at most %zu, no blank at the end: \"%s\"\n",
			            weir_text_columns(line), width, line);
			fail();
		}
		at += length + (at[length] == '\n');
	}
}

#define DOCUMENT_MAX_OPEN 32 /* elements inside one another */

/* The elements that are open while the page is walked. */
struct open_elements {
	char name[DOCUMENT_MAX_OPEN][16];
	size_t count;
};

static inline bool is_void(const char *name)
{
	static const char *const names[] = {"meta", "br", "!doctype", NULL};

	for (size_t i = 0; names[i]; i++) {
		if (!strcmp(name, names[i]))
			return true;
	}
	return false;
}

/* `tag` is behind a "<": opens or closes one element. */
static inline void walk_tag(struct open_elements *open, const char *tag)
{
	char name[16] = "";
	bool closes = *tag == '/';
	size_t length;

	tag += closes;
	length = strcspn(tag, " >");
	assert_true(length > 0 && length < sizeof(name));
	memcpy(name, tag, length);
	if (closes) {
		assert_true(open->count > 0);
		assert_string_equal(open->name[--open->count], name);
	} else if (!is_void(name)) {
		assert_true(open->count < DOCUMENT_MAX_OPEN);
		memcpy(open->name[open->count++], name, sizeof(name));
	}
}

/* Every element is closed by its own end tag, in order. */
static inline void assert_balanced(const struct weir_text *text)
{
	struct open_elements open = {.count = 0};

	for (const char *at = text->data; (at = strchr(at, '<')); at++)
		walk_tag(&open, at + 1);
	assert_int_equal(open.count, 0);
}

#endif
