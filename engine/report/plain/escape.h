/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names from profiles are hostile input. Every function takes any bytes: invalid UTF-8, control
 * characters, bidirectional marks and invisible characters become U+FFFD; tabs and line breaks
 * become blanks. An invisible character separates the first two characters of a command to the
 * runner of a pipeline ("::error::", "##[group]").
 */
#ifndef WEIR_REPORT_PLAIN_ESCAPE_H
#define WEIR_REPORT_PLAIN_ESCAPE_H

#include "engine/base/text.h"

void weir_escape_plain(struct weir_text *out, const char *text);
/* Escapes text for paragraphs, table cells and <code> in GitHub and GitLab Markdown: no markup,
 * link, mention or reference remains. */
void weir_escape_markdown(struct weir_text *out, const char *text);
/* Escapes text for elements and for attributes in double quotes. */
void weir_escape_html(struct weir_text *out, const char *text);

/* Escape a plain text and clear it for the next use. */
void weir_flush_markdown(struct weir_text *out, struct weir_text *plain);
void weir_flush_html(struct weir_text *out, struct weir_text *plain);

/* Appends a name: NULL as "-", an empty one as "(no name)". */
void weir_escape_name(struct weir_text *out, const char *name);

/*
 * Appends at most `columns` columns of a plain text. In a longer text "…" replaces the end of a
 * name with template arguments, which say least, and otherwise the middle: paths and numbered names
 * differ at both ends.
 */
void weir_cut(struct weir_text *out, const char *plain, size_t columns);
/* Appends a name as weir_escape_name() does, cut to `columns` columns. */
void weir_cut_name(struct weir_text *out, const char *name, size_t columns);

#endif
