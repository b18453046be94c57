/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks of documents for the tests of writers. */
#ifndef WEIR_TESTS_UNIT_DOCUMENT_H
#define WEIR_TESTS_UNIT_DOCUMENT_H

#include <stdbool.h>
#include <string.h>

#include "engine/base/text.h"
#include "tests/unit/near.h"

/* Fail and print the document if it lacks, or contains, the part. */
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

/* Fails unless every row of a Markdown table has as many cells as the row before it. */
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

/* Fails on the first line that is wider, or that ends with blanks. */
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

#define DOCUMENT_MAX_OPEN 32 /* nesting depth of elements */

/* The open elements at a position of the page. */
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

/* Opens or closes the element of a tag; `tag` points behind its "<". */
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

/* Fails unless every element is closed by its own end tag, in order. */
static inline void assert_balanced(const struct weir_text *text)
{
	struct open_elements open = {.count = 0};

	for (const char *at = text->data; (at = strchr(at, '<')); at++)
		walk_tag(&open, at + 1);
	assert_int_equal(open.count, 0);
}

/* Fails unless the page has one script, which is its own: the last element of the body. */
static inline void assert_one_script(const struct weir_text *text)
{
	const char *script = strstr(text->data, "<script");

	assert_non_null(script);
	assert_null(strstr(script + 1, "<script"));
	assert_has(text, "</main>\n<script>/* SPDX-License-Identifier: GPL-3.0-or-later */\n");
	assert_has(text, "</script>\n</body>\n</html>\n");
}

#endif
