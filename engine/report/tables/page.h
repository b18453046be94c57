/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frame of an HTML page, and texts inside it. A page is one file that loads nothing. Its policy
 * permits one script, by its hash; the page is complete without it. Only `out` is allocated.
 */
#ifndef WEIR_REPORT_TABLES_PAGE_H
#define WEIR_REPORT_TABLES_PAGE_H

#include "engine/base/text.h"
#include "engine/report/plain/items.h"

/* Writes everything before the content. The title is a plain text, which is cleared. */
void weir_page_open(struct weir_text *title, struct weir_text *out);
/* Writes everything after the content, which ends with an open footer. */
void weir_page_close(struct weir_text *out);

/* Appends a plain text from a profile as code, cut if it is long, and clears it. */
void weir_page_name(struct weir_text *plain, struct weir_text *out);
/* Appends items with " · " between two, or on new lines if `one_a_line` is set or an item begins a
 * line. Clears the items. */
void weir_page_items(struct weir_items *items, bool one_a_line, struct weir_text *out);

#endif
