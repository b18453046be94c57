/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the output of a tool inside other text: in a block of code of a page in Markdown, behind
 * the command that printed it, or behind a margin of blanks or of a name in front of every line.
 */
#ifndef WEIR_READERS_PARTS_EXCERPT_H
#define WEIR_READERS_PARTS_EXCERPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/slice.h"
#include "engine/base/text.h"

/* The blocks of code in which a page is searched, and the lines in front of an output. */
#define WEIR_EXCERPT_BLOCKS 32
#define WEIR_EXCERPT_LINES  3

struct weir_excerpt {
	struct weir_slice text; /* borrowed from the page */
	uint64_t left_out;      /* lines of the page around it, without blank ones */
};

/* Gives block `index` of code, without its fences; false: the page has no further one. A block
 * without an end reaches to the end of the page. */
bool weir_excerpt_block(struct weir_slice page, size_t index, struct weir_excerpt *out);

/* Gives the text behind the first `lines` lines that are not blank. If the first one is a prompt
 * with a command, a last line that begins with that prompt is left out as well. False: nothing is
 * left. */
bool weir_excerpt_behind(struct weir_slice page, size_t lines, struct weir_excerpt *out);

/* Returns the bytes at the beginning of every line that is not blank which are no part of it:
 * blanks, marks of a quotation ("> "), or the name of a source with a bar ("server-1  | "). */
size_t weir_excerpt_margin(struct weir_slice page);

/* Appends the page without its margin. */
void weir_excerpt_cut(struct weir_slice page, size_t margin, struct weir_text *out);

#endif
