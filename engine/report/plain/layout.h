/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text in fixed columns: styles, lines that wrap with a hanging indent, bars. Widths are in
 * columns. */
#ifndef WEIR_REPORT_PLAIN_LAYOUT_H
#define WEIR_REPORT_PLAIN_LAYOUT_H

#include "engine/base/text.h"
#include "engine/model/bound.h"

enum weir_style {
	WEIR_STYLE_PLAIN,
	WEIR_STYLE_STRONG,
	WEIR_STYLE_DIM,
};

struct weir_layout {
	struct weir_text *out; /* borrowed */
	size_t width;
	bool colour;
};

/* Appends a text in a style; without colour the plain text. */
void weir_layout_styled(const struct weir_layout *layout, enum weir_style style, const char *text);
void weir_layout_in_bound(const struct weir_layout *layout, enum weir_bound bound, bool strong,
                          const char *text);
/* Appends a strong text, padded to `columns`. */
void weir_layout_title(const struct weir_layout *layout, const char *title, size_t columns);
/* Appends a text padded to `columns`, on the left if `right` is set. */
void weir_layout_padded(const struct weir_layout *layout, const char *text, size_t columns,
                        bool right);
/* Appends a bar of share * columns in steps of 1/8 column; a share above 0 has at least 1/8.
 * Returns the columns used. */
size_t weir_layout_bar(const struct weir_layout *layout, double share, size_t columns);

/* A line that continues below with an indent of `indent` columns. */
struct weir_wrap {
	const struct weir_layout *layout; /* borrowed */
	size_t indent, column;
	bool started; /* the line holds text behind the indent */
};

/* Appends the label, padded to the indent. */
void weir_wrap_begin(struct weir_wrap *wrap, const struct weir_layout *layout, const char *label,
                     size_t indent);
/* Begins at `column`, with that many columns written already. */
void weir_wrap_resume(struct weir_wrap *wrap, const struct weir_layout *layout, size_t column,
                      size_t indent);
/* Adds words. Lines break between words, but not between a figure and its unit; a word longer than
 * a line is broken. */
void weir_wrap_words(struct weir_wrap *wrap, const char *text);
/* Adds an item, with " · " between two on a line. An item breaks only if it is longer than a line.
 */
void weir_wrap_item(struct weir_wrap *wrap, const char *text);
/* Continues on a new line. */
void weir_wrap_break(struct weir_wrap *wrap);
void weir_wrap_end(struct weir_wrap *wrap);

#endif
