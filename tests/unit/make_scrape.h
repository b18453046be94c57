/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics pages from texts, and their samples by name. */
#ifndef WEIR_TESTS_MAKE_SCRAPE_H
#define WEIR_TESTS_MAKE_SCRAPE_H

#include "engine/model/profile.h"
#include "engine/readers/reader.h"

/* A text through one reader, as a new input of the profile. */
enum weir_status read_scrape(const struct weir_reader *reader, struct weir_profile *profile,
                             const char *text, size_t len, struct weir_error *err);
/* The scrape of a text that must be read. */
const struct weir_scrape *scrape_of(const struct weir_reader *reader, struct weir_profile *profile,
                                    const char *text);
/* The text must be refused with this in the message. */
void expect_scrape_refused(const struct weir_reader *reader, const char *text, const char *message);
/* The only series of a family, or the one whose label has this value (label NULL: the only). The
 * test fails where there is none. */
uint32_t find_scrape_series(const struct weir_scrape *scrape, const char *family, const char *label,
                            const char *value);
/* One part of the only series of a family; bound 0 where the part has none. NAN: no such sample. */
double scrape_part(const struct weir_scrape *scrape, const char *family, enum weir_scrape_part part,
                   double bound);

#endif
