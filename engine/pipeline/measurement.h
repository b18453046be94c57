/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a command of the user that measures one run, for `weir record` and `weir bisect`. The
 * variable WEIR_RUN holds the path of the file or folder that the command has to write. */
#ifndef WEIR_PIPELINE_MEASUREMENT_H
#define WEIR_PIPELINE_MEASUREMENT_H

#include <stdbool.h>

#include "engine/base/child.h"
#include "engine/base/error.h"

#define WEIR_MEASUREMENT_LINES 20  /* lines of output that are shown after a failure */
#define WEIR_MEASUREMENT_SKIP  125 /* exit code of a command that cannot measure this version */

/* Receives one line of text for people, without a line break. */
typedef void weir_say_line(void *context, const char *line);

struct weir_measurement {
	const char *name;         /* in messages: "a/run-02", or the commit */
	const char *const *words; /* the command, ends with NULL; {} in a word becomes the path */
	const char *const *settings; /* further variables: see struct weir_child; NULL: none */
	const char *folder;          /* in which the command runs; NULL: the current one */
	const char *path;            /* of the run, absolute */
	const char *place;      /* folder in which any file counts as written; NULL: only `path` */
	bool may_write_nothing; /* the caller finds the result elsewhere */
	weir_say_line *say;     /* gets the output of a failed command */
	void *context;          /* first argument of say() */
};

/*
 * Runs the command and checks that it wrote its run. WEIR_E_FORMAT: the command failed, or wrote
 * nothing; WEIR_E_IO: it could not be started, or a signal came. skipped: becomes true for the exit
 * code WEIR_MEASUREMENT_SKIP, and then the result is WEIR_OK; NULL: that code is a failure too.
 */
enum weir_status weir_measurement_run(const struct weir_measurement *measurement,
                                      struct weir_signals *signals, bool *skipped,
                                      struct weir_error *err);

#endif
