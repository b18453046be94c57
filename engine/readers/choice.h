/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts the files of a folder or an archive that were read, and those that were left out, with the
 * reasons. */
#ifndef WEIR_READERS_CHOICE_H
#define WEIR_READERS_CHOICE_H

#include <stddef.h>

#include "engine/base/text.h"

/* A name with the number of files it applies to. */
struct weir_choice_row {
	char *name;  /* a format; or the reason why files were left out */
	char *first; /* the first file left out for this reason; NULL for a format */
	size_t count;
};

struct weir_choice_rows {
	struct weir_choice_row *items;
	size_t count, capacity;
};

/* {0} is empty; release with weir_choice_release(). */
struct weir_choice {
	struct weir_choice_rows formats, reasons;
};

void weir_choice_release(struct weir_choice *choice);

/* Counts a file that was read as this format. */
void weir_choice_take(struct weir_choice *choice, const char *format);
/* Counts files that were left out; `first` names one of them. The texts are copied. */
void weir_choice_leave(struct weir_choice *choice, size_t count, const char *first,
                       const char *reason);
/* Adds the counts of another choice. */
void weir_choice_add(struct weir_choice *choice, const struct weir_choice *other);

/* Shortens the names of files that were left out: they become relative to a folder or archive. */
void weir_choice_shorten(struct weir_choice *choice, const char *path);

/* Returns the number of files that were read, or left out. */
size_t weir_choice_taken(const struct weir_choice *choice);
size_t weir_choice_left(const struct weir_choice *choice);

/* Appends a line: "2 of 5 files read (kineto 2); left out: a.txt and 2 more (it is text)". */
void weir_choice_describe(const struct weir_choice *choice, struct weir_text *out);
/* Appends the files that were left out: "a.txt and 2 more (it is text), b.bin (it is a program)".
 */
void weir_choice_describe_left(const struct weir_choice *choice, struct weir_text *out);

#endif
