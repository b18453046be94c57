/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads metrics pages from texts, and finds their samples by name. */
#ifndef WEIR_TESTS_UNIT_MAKE_SCRAPE_H
#define WEIR_TESTS_UNIT_MAKE_SCRAPE_H

#include "engine/model/profile.h"
#include "engine/readers/reader.h"

/* Reads a text with one reader, as a new input of the profile. */
enum weir_status read_scrape(const struct weir_reader *reader, struct weir_profile *profile,
                             const char *text, size_t len, struct weir_error *err);
/* Returns the scrape of a text; fails the test if it is refused. */
const struct weir_scrape *scrape_of(const struct weir_reader *reader, struct weir_profile *profile,
                                    const char *text);
/* Fails the test unless the text is refused with this message. */
void expect_scrape_refused(const struct weir_reader *reader, const char *text, const char *message);
/* Returns the only series of a family, or the one with this label value (label NULL: the only
 * one); fails the test if it does not exist. */
uint32_t find_scrape_series(const struct weir_scrape *scrape, const char *family, const char *label,
                            const char *value);
/* Returns one part of the only series of a family; bound 0 for parts without one. NAN: no such
 * sample. */
double scrape_part(const struct weir_scrape *scrape, const char *family, enum weir_scrape_part part,
                   double bound);

#endif
