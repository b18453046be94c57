/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Follows the headings of a text that holds results of programs: a page in Markdown, an issue. The
 * heading of a result is the last title ("## Batch 8", also as a comment of a log, but no "# ..."
 * within a block of code), summary of a fold, or short line before a block of code ("main:").
 */
#ifndef WEIR_READERS_PARTS_HEADING_H
#define WEIR_READERS_PARTS_HEADING_H

#include <stdbool.h>

#include "engine/base/slice.h"

#define WEIR_HEADING 64 /* bytes with the NUL; a longer line is no heading */

/* Starts as zeros. */
struct weir_heading {
	char text[WEIR_HEADING]; /* the heading in force; "": none */
	char line[WEIR_HEADING]; /* the last line of text, before a block of code; "": none */
	bool in_block;
};

/* Takes the next line of the text. */
void weir_heading_take(struct weir_heading *heading, struct weir_slice line);

#endif
