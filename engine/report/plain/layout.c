/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/plain/layout.h"

#define RESET "\033[0m"

static void colour_of(const struct weir_layout *layout, const char *code, const char *text)
{
	if (layout->colour && *code)
		weir_text_printf(layout->out, "\033[%sm%s" RESET, code, text);
	else
		weir_text_puts(layout->out, text);
}

void weir_layout_styled(const struct weir_layout *layout, enum weir_style style, const char *text)
{
	switch (style) {
	case WEIR_STYLE_PLAIN:
		colour_of(layout, "", text);
		return;
	case WEIR_STYLE_STRONG:
		colour_of(layout, "1", text);
		return;
	case WEIR_STYLE_DIM:
		colour_of(layout, "2", text);
		return;
	}
}

void weir_layout_in_bound(const struct weir_layout *layout, enum weir_bound bound, bool strong,
                          const char *text)
{
	static const char *const codes[WEIR_BOUND_COUNT][2] = {
		[WEIR_BOUND_BATCHING] = {"35", "1;35"},      [WEIR_BOUND_RUNTIME] = {"33", "1;33"},
		[WEIR_BOUND_KERNEL] = {"34", "1;34"},        [WEIR_BOUND_MEMORY] = {"36", "1;36"},
		[WEIR_BOUND_COMMUNICATION] = {"31", "1;31"}, [WEIR_BOUND_HARDWARE] = {"32", "1;32"},
		[WEIR_BOUND_UNDETERMINED] = {"2", "1"},
	};

	colour_of(layout, codes[bound][strong], text);
}

void weir_layout_padded(const struct weir_layout *layout, const char *text, size_t columns,
                        bool right)
{
	size_t used = weir_text_columns(text), missing = columns > used ? columns - used : 0;

	if (right)
		weir_text_repeat(layout->out, " ", missing);
	weir_text_puts(layout->out, text);
	if (!right)
		weir_text_repeat(layout->out, " ", missing);
}

void weir_layout_title(const struct weir_layout *layout, const char *title, size_t columns)
{
	size_t used = weir_text_columns(title);

	weir_layout_styled(layout, WEIR_STYLE_STRONG, title);
	weir_text_repeat(layout->out, " ", columns > used ? columns - used : 0);
}

size_t weir_layout_bar(const struct weir_layout *layout, double share, size_t columns)
{
	static const char *const parts[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	size_t eighths;

	if (!(share > 0))
		return 0;
	eighths = (size_t)fmax(1, round(fmin(share, 1) * (double)columns * 8));
	weir_text_repeat(layout->out, "█", eighths / 8);
	weir_text_puts(layout->out, parts[eighths % 8]);
	return eighths / 8 + (eighths % 8 != 0);
}

void weir_wrap_resume(struct weir_wrap *wrap, const struct weir_layout *layout, size_t column,
                      size_t indent)
{
	*wrap = (struct weir_wrap){.layout = layout, .indent = indent, .column = column};
}

void weir_wrap_begin(struct weir_wrap *wrap, const struct weir_layout *layout, const char *label,
                     size_t indent)
{
	weir_layout_padded(layout, label, indent, false);
	weir_wrap_resume(wrap, layout, indent, indent);
}

void weir_wrap_break(struct weir_wrap *wrap)
{
	if (!wrap->started)
		return;
	weir_text_puts(wrap->layout->out, "\n");
	weir_text_repeat(wrap->layout->out, " ", wrap->indent);
	wrap->column = wrap->indent;
	wrap->started = false;
}

void weir_wrap_end(struct weir_wrap *wrap)
{
	weir_text_puts(wrap->layout->out, "\n");
	wrap->started = false;
}

static void wrap_add(struct weir_wrap *wrap, const char *text, size_t bytes, size_t columns)
{
	weir_text_add(wrap->layout->out, text, bytes);
	wrap->column += columns;
	wrap->started = true;
}

/* Returns the bytes of the unit behind a figure, including the blank: "9.6 ms", "86 %"; 0: none. */
static size_t unit_behind(const char *word, size_t length)
{
	size_t unit;

	if (word[length] != ' ' || word[length - 1] < '0' || word[length - 1] > '9')
		return 0;
	unit = strcspn(word + length + 1, " ");
	return unit >= 1 && unit <= 3 ? unit + 1 : 0;
}

/* Breaks a word that is longer than a line into full lines. */
static void wrap_broken(struct weir_wrap *wrap, const char *word, size_t length)
{
	size_t room = wrap->layout->width > wrap->indent + 1 ? wrap->layout->width - wrap->indent
	                                                     : 2; /* room for one wide character */

	while (length) {
		size_t bytes = weir_text_prefix(word, room);

		bytes = bytes < length ? bytes : length;
		weir_wrap_break(wrap);
		wrap_add(wrap, word, bytes, weir_text_columns_in(word, bytes));
		word += bytes;
		length -= bytes;
	}
}

static void wrap_word(struct weir_wrap *wrap, const char *word, size_t length)
{
	size_t columns = weir_text_columns_in(word, length);
	size_t blank = wrap->started ? 1 : 0;

	if (wrap->indent + columns > wrap->layout->width) {
		wrap_broken(wrap, word, length);
		return;
	}
	if (wrap->column + blank + columns > wrap->layout->width)
		weir_wrap_break(wrap);
	else if (blank)
		wrap_add(wrap, " ", 1, 1);
	wrap_add(wrap, word, length, columns);
}

void weir_wrap_words(struct weir_wrap *wrap, const char *text)
{
	while (*(text += strspn(text, " "))) {
		size_t length = strcspn(text, " ");

		length += unit_behind(text, length);
		wrap_word(wrap, text, length);
		text += length;
	}
}

void weir_wrap_item(struct weir_wrap *wrap, const char *text)
{
	size_t columns = weir_text_columns(text);

	if (wrap->started && wrap->column + 3 + columns <= wrap->layout->width) {
		wrap_add(wrap, " · ", strlen(" · "), 3);
		wrap_add(wrap, text, strlen(text), columns);
		return;
	}
	weir_wrap_break(wrap);
	if (wrap->column + columns <= wrap->layout->width)
		wrap_add(wrap, text, strlen(text), columns);
	else
		weir_wrap_words(wrap, text);
}
