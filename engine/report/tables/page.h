/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every HTML page of ours has in common: its frame, and texts inside it. A page needs nothing
 * but itself: no scripts, no other files; its policy forbids both. Nothing here allocates but
 * `out`.
 */
#ifndef WEIR_REPORT_PAGE_H
#define WEIR_REPORT_PAGE_H

#include "engine/base/text.h"
#include "engine/report/words/phrases.h"

/* Everything up to the page's content; the title is plain and is cleared. */
void weir_page_open(struct weir_text *title, struct weir_text *out);
/* Everything behind the content; the inside of the footer stands before it. */
void weir_page_close(struct weir_text *out);

/* Appends a plain text as code, cut where it is long, and clears it: a name out of a profile. */
void weir_page_name(struct weir_text *plain, struct weir_text *out);
/* " · " between two, a new line where an item starts one or all of them do; clears the items. */
void weir_page_items(struct weir_items *items, bool one_a_line, struct weir_text *out);

#endif
