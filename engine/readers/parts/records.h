/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads a sequence of JSON objects from a file of any size. It may be JSON lines (a damaged line
 * does not affect others), one array, or objects of several lines each; the head of the file shows
 * which.
 *
 *	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
 *		cursor = weir_jsoncursor_on(record.text);
 *		... walk it to its end ...
 *		weir_records_done(records, &cursor);
 *	}
 *
 * Damaged objects are repaired or left out, and counted in the input's warnings. Memory is bounded
 * by the largest object, at most WEIR_JSONSCAN_MAX_VALUE.
 */
#ifndef WEIR_READERS_PARTS_RECORDS_H
#define WEIR_READERS_PARTS_RECORDS_H

#include "engine/base/jsoncursor.h"
#include "engine/base/source.h"
#include "engine/model/profile.h"

struct weir_records;

/* Borrowed until the next call. WEIR_JSONSCAN_PADDING bytes after the text are readable, but must
 * not be used. */
struct weir_record {
	struct weir_slice text; /* begins with a brace; empty: end of the input */
	uint64_t at;            /* its byte after decompression */
};

/* Borrows source and input until weir_records_free(). Fails if the source fails. */
enum weir_status weir_records_new(struct weir_source *source, struct weir_input *input,
                                  struct weir_records **out, struct weir_error *err);
void weir_records_free(struct weir_records *records);

enum weir_status weir_records_next(struct weir_records *records, struct weir_record *record,
                                   struct weir_error *err);
/* States that the cursor has walked the last record. If the cursor found damage, the caller must
 * discard what it took from the record, which is repaired and returned again, or left out. */
void weir_records_done(struct weir_records *records, const struct weir_jsoncursor *cursor);

/* Reports damage as warnings of the input. Call it once, after the last record. */
void weir_records_finish(struct weir_records *records);

/* Calls take() with the context for each record of the source, and reports damage. take() walks the
 * cursor to the end of the record, which begins at byte `at`. Fails if the source fails. */
enum weir_status weir_records_each(struct weir_source *source, struct weir_input *input,
                                   void (*take)(void *context, struct weir_jsoncursor *cursor,
                                                uint64_t at),
                                   void *context, struct weir_error *err);

#endif
