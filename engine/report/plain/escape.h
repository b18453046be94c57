/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names out of profiles are hostile until shown otherwise. Every function takes any bytes: what is
 * no UTF-8, controls a terminal, reorders text (bidirectional marks) or cannot be seen is written
 * as U+FFFD; tabs and line ends as a blank.
 */
#ifndef WEIR_REPORT_ESCAPE_H
#define WEIR_REPORT_ESCAPE_H

#include "engine/base/text.h"

void weir_escape_plain(struct weir_text *out, const char *text);
/* For running text, table cells and <code> in GitHub and GitLab Markdown: no markup, link, mention
 * or reference. */
void weir_escape_markdown(struct weir_text *out, const char *text);
/* For text and for attributes in double quotes. */
void weir_escape_html(struct weir_text *out, const char *text);

/* The same of a plain text that was put together; it is cleared for the next one. */
void weir_flush_markdown(struct weir_text *out, struct weir_text *plain);
void weir_flush_html(struct weir_text *out, struct weir_text *plain);

/* A name: plain, NULL as "-", an empty one as "(no name)". */
void weir_escape_name(struct weir_text *out, const char *name);

/*
 * At most `columns` columns of a plain text. Where it is longer, "…" stands for the end of a name
 * with template arguments (they tell least), else for the middle (paths and numbered names differ
 * at both ends).
 */
void weir_cut(struct weir_text *out, const char *plain, size_t columns);

#endif
