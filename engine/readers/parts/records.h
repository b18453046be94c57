/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON objects of one kind, one after another, in a file of any size: JSON lines (one a line, where
 * a damaged line costs that line and no other), one array of them, or objects that are laid out
 * over several lines each. Which of these it is shows in the head.
 *
 *	while (!(status = weir_records_next(records, &record, err)) && record.text.length) {
 *		cursor = weir_jsoncursor_on(record.text);
 *		... walk it to its end ...
 *		weir_records_done(records, &cursor);
 *	}
 *
 * What cannot be read is repaired or left out, and counted in the input's warnings. Memory is
 * bounded by the largest object, at most WEIR_JSONSCAN_MAX_VALUE.
 */
#ifndef WEIR_READERS_PARTS_RECORDS_H
#define WEIR_READERS_PARTS_RECORDS_H

#include "engine/base/jsoncursor.h"
#include "engine/base/source.h"
#include "engine/model/profile.h"

struct weir_records;

/* Borrowed until the next call; what follows the text may be read, not used, for
 * WEIR_JSONSCAN_PADDING bytes. */
struct weir_record {
	struct weir_slice text; /* begins with a brace; empty: the end */
	uint64_t at;            /* its byte after decompression */
};

/* Borrows source and input until weir_records_free(). Fails where the source fails. */
enum weir_status weir_records_new(struct weir_source *source, struct weir_input *input,
                                  struct weir_records **out, struct weir_error *err);
void weir_records_free(struct weir_records *records);

enum weir_status weir_records_next(struct weir_records *records, struct weir_record *record,
                                   struct weir_error *err);
/* The last record was walked to its end. Where it was no JSON it comes back repaired, or not at
 * all: forget what was taken from it. */
void weir_records_done(struct weir_records *records, const struct weir_jsoncursor *cursor);

/* Once, behind the last record: counts what the scanner and the source found damaged. */
void weir_records_finish(struct weir_records *records);

#endif
