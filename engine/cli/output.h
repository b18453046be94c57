/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes finished text to standard output or to files, and remarks to standard error. A file is
 * written as engine/cli/new_file.h describes, so that it appears complete or not at all. A full
 * disk or a closed pipe is reported as an error.
 */
#ifndef WEIR_CLI_OUTPUT_H
#define WEIR_CLI_OUTPUT_H

#include <stdbool.h>

#include "engine/base/error.h"
#include "engine/base/text.h"

/* Checks that a file can be written, before the work whose result it gets: its folder is there and
 * may be written to. NULL and "-" always can. Fails with WEIR_E_USAGE. */
enum weir_status weir_output_check(const char *path, struct weir_error *err);

/* Writes text to a file, or to standard output if path is NULL or "-". Pipes and devices are
 * written in place. Failures are WEIR_E_USAGE, because the user chose the path. */
enum weir_status weir_output_write(const char *path, const struct weir_text *text,
                                   struct weir_error *err);

/* An output that is written in pieces. */
struct weir_output;

/* Opens a file, or standard output as weir_output_write() does. On success the caller ends *out
 * with weir_output_close(). */
enum weir_status weir_output_open(const char *path, struct weir_output **out,
                                  struct weir_error *err);
enum weir_status weir_output_add(struct weir_output *output, const struct weir_text *text,
                                 struct weir_error *err);
/* Returns true if nobody reads the output any more, such as after `| head`. */
bool weir_output_stops(const struct weir_output *output);
/* Closes the output. A file gets its name if `complete`, otherwise it is discarded. */
enum weir_status weir_output_close(struct weir_output *output, bool complete,
                                   struct weir_error *err);

/* Starts the trace of phases if WEIR_TRACE names a file; remarks if it cannot be written. */
void weir_trace_start(void);
/* Ends the trace; remarks if a line of it is missing. Further calls do nothing. */
void weir_trace_finish(void);

/* Prints "weir: REMARK" in one line on standard error; control bytes become "?". */
void weir_say(const char *remark);

#endif
