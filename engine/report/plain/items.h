/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Short texts that share a line: "active 13 %", "30 steps". Writers join them. All are plain texts,
 * safe on a terminal; Markdown and HTML escape them once more. An unknown figure adds no item.
 */
#ifndef WEIR_REPORT_PLAIN_ITEMS_H
#define WEIR_REPORT_PLAIN_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/text.h"

#define WEIR_MAX_ITEMS    24
#define WEIR_WORTH_SAYING 5e-4 /* smaller shares are left out */
#define WEIR_NAME_COLUMNS 40   /* columns of a name inside a sentence */

/* {0} is empty. */
struct weir_items {
	struct weir_text item[WEIR_MAX_ITEMS];
	bool starts_line[WEIR_MAX_ITEMS]; /* a new topic: begins a line */
	size_t count;
};

void weir_items_release(struct weir_items *items);
/* Returns a new, empty item; if all are used, the last one. */
struct weir_text *weir_items_add(struct weir_items *items);
/* Returns a new item that begins a line. */
struct weir_text *weir_items_add_line(struct weir_items *items);

/* Adds "label 12 %", followed by the text `behind`. Shares below WEIR_WORTH_SAYING are left out. */
void weir_items_share(struct weir_items *items, const char *label, double share,
                      const char *behind);
/* Adds "label 3.35 ms". */
void weir_items_duration(struct weir_items *items, const char *label, double ns);
/* Adds "label 256 MiB". */
void weir_items_bytes(struct weir_items *items, const char *label, double bytes);
/* Appends "1 step", "30 steps" to an item. */
void weir_items_number(struct weir_text *item, uint64_t count, const char *singular);

/* Round a duration and a share as weir.report/1 stores them, so that a stored report renders like
 * the original. */
double weir_as_stored_ns(double ns);
double weir_as_stored_share(double share);

#endif
