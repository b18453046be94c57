/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A page of text in fixed columns: styles, lines that wrap with a hanging indent, bars. Widths are
 * in columns. */
#ifndef WEIR_REPORT_LAYOUT_H
#define WEIR_REPORT_LAYOUT_H

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

/* Appends a text in a style; without colour the text alone. */
void weir_layout_styled(const struct weir_layout *layout, enum weir_style style, const char *text);
void weir_layout_in_bound(const struct weir_layout *layout, enum weir_bound bound, bool strong,
                          const char *text);
/* A strong text padded to `columns`. */
void weir_layout_title(const struct weir_layout *layout, const char *title, size_t columns);
/* `text` padded to `columns`, on the left where `right` says so. */
void weir_layout_padded(const struct weir_layout *layout, const char *text, size_t columns,
                        bool right);
/* A bar of share * columns in steps of an eighth of a column; a share above 0 shows at least an
 * eighth. Returns the columns it took. */
size_t weir_layout_bar(const struct weir_layout *layout, double share, size_t columns);

/* A line that goes on below itself, `indent` columns in. */
struct weir_wrap {
	const struct weir_layout *layout; /* borrowed */
	size_t indent, column;
	bool started; /* something stands behind the indent */
};

/* Writes the label and pads it to the indent. */
void weir_wrap_begin(struct weir_wrap *wrap, const struct weir_layout *layout, const char *label,
                     size_t indent);
/* As above where `column` columns are written already. */
void weir_wrap_resume(struct weir_wrap *wrap, const struct weir_layout *layout, size_t column,
                      size_t indent);
/* Words break anywhere, but not between a figure and its unit; a word longer than a line is broken.
 */
void weir_wrap_words(struct weir_wrap *wrap, const char *text);
/* Items stay whole where they can, " · " between two on one line. */
void weir_wrap_item(struct weir_wrap *wrap, const char *text);
/* The next words start a line of their own. */
void weir_wrap_break(struct weir_wrap *wrap);
void weir_wrap_end(struct weir_wrap *wrap);

#endif
