/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line about work that takes long: on a terminal only, from the first half second on, erased at
 * the end. The stream is the caller's and outlives it.
 */
#ifndef WEIR_CLI_PROGRESS_H
#define WEIR_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WEIR_PROGRESS_DELAY_NS    500000000 /* nothing is shown before */
#define WEIR_PROGRESS_INTERVAL_NS 100000000 /* between two updates */

struct weir_progress_line {
	FILE *stream; /* NULL: nothing is shown */
	int columns;  /* of its terminal */
	int64_t started_ns, shown_ns;
	bool visible;
};

/* Shows nothing unless `stream` is a terminal that can rewrite its line, and not quiet. */
void weir_progress_start(struct weir_progress_line *line, FILE *stream, bool quiet);
/* Fits struct weir_progress of engine/readers/reader.h; context is the line. total 0: unknown. */
void weir_progress_report(void *context, const char *path, unsigned long long done,
                          unsigned long long total);
/* Erases the line until the next report, so that something else can be printed. */
void weir_progress_clear(struct weir_progress_line *line);
void weir_progress_end(struct weir_progress_line *line);

/* The same with the time given (ns of any steady clock), for tests. */
void weir_progress_report_at(struct weir_progress_line *line, int64_t now_ns, const char *path,
                             unsigned long long done, unsigned long long total);

#endif
