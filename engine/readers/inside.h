/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a file in which the output of a tool stands inside other text
 * (engine/readers/parts/excerpt.h). */
#ifndef WEIR_READERS_INSIDE_H
#define WEIR_READERS_INSIDE_H

#include <stdbool.h>

#include "engine/readers/reader.h"

#define WEIR_INSIDE_MAX_PAGE ((uint64_t)16 << 20) /* bytes of a page that is searched */

/* Reads one file that a reader claims into the profile. Fails as readers do. */
typedef enum weir_status weir_inside_read(void *context, struct weir_source *source,
                                          const struct weir_reader *reader, struct weir_error *err);

/* Holds the source, if it is a plain file of text whose lines all begin with a margin; returns
 * false otherwise, or if the page is too large. Call it before the source is read. */
bool weir_inside_has_margin(struct weir_source *source);

/*
 * Searches the page of a source that was not read, or is held, for the output of a tool, and reads
 * the first one that a reader reads; the input counts the lines and blocks that are left out.
 * `whole`: only the page without its margin is tried, since a reader claimed the page and failed.
 * Returns false if no part of the page is read, also of a file that is not text; the profile is as
 * it was then.
 */
bool weir_inside_find(struct weir_source *source, bool whole, weir_inside_read *read, void *context,
                      struct weir_profile *profile);

#endif
