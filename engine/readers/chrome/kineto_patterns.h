/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads events that repeat the text of an earlier event except for some numbers: times, ids, and
 * numbers that nobody reads. Programs run loops, so nearly all events do. Such an event is compared
 * with the earlier text instead of being taken apart, and its row repeats the earlier row.
 *
 * A pattern is the text of an event; each number in it that may differ is a hole. The event is
 * predicted from the events before it, and the comparison decides: no result depends on a
 * prediction.
 */
#ifndef WEIR_READERS_CHROME_KINETO_PATTERNS_H
#define WEIR_READERS_CHROME_KINETO_PATTERNS_H

#include "engine/readers/chrome/kineto.h"

/* Readable bytes, all 0, after the text that is read. */
#define KINETO_PATTERNS_PADDING 64

struct kineto_patterns;

struct kineto_patterns *weir_kineto_patterns_new(void);
void weir_kineto_patterns_free(struct kineto_patterns *patterns);

/* Forgets the rows of the builder, which is cleared or replaced; keeps the patterns. */
void weir_kineto_patterns_begin(struct kineto_patterns *patterns);

/*
 * Reads the event at `text`, whose offset in the file is `at`, and adds it to the reader's builder.
 * Returns the byte after the event; NULL, without any other effect, if it repeats no pattern.
 */
const char *weir_kineto_patterns_read(struct kineto_patterns *patterns,
                                      struct kineto_reader *reader, const char *text, uint64_t at);

/* Keeps reader->event, which was read from the item, as a pattern. */
void weir_kineto_patterns_learn(struct kineto_patterns *patterns,
                                const struct kineto_reader *reader,
                                const struct weir_jsonscan_item *item);

/* A set of patterns for each thread that reads blocks of one file. */
struct kineto_pattern_sets;

struct kineto_pattern_sets *weir_kineto_pattern_sets_new(void);
void weir_kineto_pattern_sets_free(struct kineto_pattern_sets *sets);
/* Returns a set that no other thread uses until it is given back, for a cleared builder. */
struct kineto_patterns *weir_kineto_pattern_sets_take(struct kineto_pattern_sets *sets);
void weir_kineto_pattern_sets_give(struct kineto_pattern_sets *sets,
                                   const struct kineto_patterns *patterns);

#endif
