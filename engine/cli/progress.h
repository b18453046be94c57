/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows the progress of reading in one line of a terminal: the file, how many files are done, the
 * bytes and the time that is left. The line appears after half a second and is erased at the end.
 * The stream is borrowed.
 */
#ifndef WEIR_CLI_PROGRESS_H
#define WEIR_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/readers/reader.h"

#define WEIR_PROGRESS_DELAY_NS    500000000  /* time from the start to the first line */
#define WEIR_PROGRESS_INTERVAL_NS 100000000  /* time between two updates */
#define WEIR_PROGRESS_LEFT_NS     2000000000 /* time before the first estimate of the time left */

struct weir_progress_line {
	FILE *stream; /* NULL: nothing is shown */
	int columns;  /* width of the terminal */
	int64_t started_ns, shown_ns;
	struct weir_progress_whole whole; /* files 0: not known */
	int64_t whole_ns;                 /* time at which the first of these files was begun */
	bool visible;
	bool quiet; /* tells nothing either */
};

/* Starts the line; it stays empty if quiet, or if `stream` is not a terminal that can rewrite a
 * line. */
void weir_progress_start(struct weir_progress_line *line, FILE *stream, bool quiet);
/* Returns the callbacks of reading: they update the line, and print a remark about each folder and
 * archive unless quiet. */
struct weir_progress weir_progress_of(struct weir_progress_line *line);
/* Updates the line; a callback for struct weir_progress of engine/readers/reader.h. context is the
 * line; total 0: unknown size. */
void weir_progress_report(void *context, const char *path, unsigned long long done,
                          unsigned long long total);
/* Erases the line until the next update, so that a remark can be printed. */
void weir_progress_clear(struct weir_progress_line *line);
void weir_progress_end(struct weir_progress_line *line);

/* Keeps the progress over all files for the next update, at a given time. */
void weir_progress_whole_at(struct weir_progress_line *line, int64_t now_ns,
                            const struct weir_progress_whole *whole);
/* Updates the line at a given time (nanoseconds of a monotonic clock), for tests. */
void weir_progress_report_at(struct weir_progress_line *line, int64_t now_ns, const char *path,
                             unsigned long long done, unsigned long long total);

#endif
