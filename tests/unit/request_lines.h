/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests that a reader makes of a text, as lines that tests compare. */
#ifndef WEIR_TESTS_UNIT_REQUEST_LINES_H
#define WEIR_TESTS_UNIT_REQUEST_LINES_H

#include "engine/base/text.h"
#include "tests/unit/reading.h"

/* 14 November 2023: the origin of times in lines. */
#define LINES_BASE    INT64_C(1700000000000000000)
#define LINES_BASE_US "1700000000000000"

/* One line per request: "0+100 batch=4 tokens=7 padded=9 out=3 first=20: queue@0+20 compute@20+80",
 * in ns from LINES_BASE, without unknown values. Free with reading_free(). */
struct reading {
	struct weir_profile *profile;
	const struct weir_input *input;
	enum weir_status status;
	struct weir_error err;
	struct weir_text lines;
};

struct reading read_bytes(const struct weir_reader *reader, const void *data, size_t len);
struct reading read_file(const struct weir_reader *reader, const char *path);
void reading_free(struct reading *reading);

/* Expects these lines of a text. */
void expect_requests(const struct weir_reader *reader, const char *text, const char *lines);
/* The same with a number of warnings of one kind, and no other warning. */
void expect_requests_warned(const struct weir_reader *reader, const char *text, const char *lines,
                            enum weir_warning_code code, uint64_t count);
/* Expects that each prefix of the text is read, or refused in one line. */
void expect_cuts_survived(const struct weir_reader *reader, const char *text);

#endif
