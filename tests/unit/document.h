/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests of writers ask of a document. */
#ifndef WEIR_TESTS_DOCUMENT_H
#define WEIR_TESTS_DOCUMENT_H

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

#endif
