/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lines below the title of a recommendation, shared by text, Markdown and HTML: the reason, the
 * places, how to make the change, what it needs and costs. All are plain texts, safe on a terminal.
 */
#ifndef WEIR_REPORT_WORDS_ADVICE_LINES_H
#define WEIR_REPORT_WORDS_ADVICE_LINES_H

#include "engine/base/text.h"
#include "engine/model/report.h"

#define WEIR_MAX_ADVICE_LINES (WEIR_MAX_PLACES + WEIR_MAX_NEEDS + 5)

struct weir_advice_line {
	const char *label; /* "where"; "" for the reason and for further places */
	struct weir_text text;
};

struct weir_advice_lines {
	struct weir_advice_line items[WEIR_MAX_ADVICE_LINES];
	size_t count;
};

/* Fills the lines; `places` limits the places, worst first. Release with
 * weir_advice_lines_release(). */
void weir_advice_lines_fill(const struct weir_recommendation *recommendation, size_t places,
                            struct weir_advice_lines *out);
void weir_advice_lines_release(struct weir_advice_lines *lines);

#endif
