/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes finished text to standard output or to files, and remarks to standard error. A file is
 * written under a temporary name and renamed, so that it appears complete or not at all. A full
 * disk or a closed pipe is reported as an error.
 */
#ifndef WEIR_CLI_OUTPUT_H
#define WEIR_CLI_OUTPUT_H

#include "engine/base/error.h"
#include "engine/base/text.h"

/* Writes text to a file, or to standard output if path is NULL or "-". Pipes and devices are
 * written in place. Failures are WEIR_E_USAGE, because the user chose the path. */
enum weir_status weir_output_write(const char *path, const struct weir_text *text,
                                   struct weir_error *err);

/* Starts the trace of phases if WEIR_TRACE names a file; remarks if it cannot be written. */
void weir_trace_start(void);
/* Ends the trace; remarks if a line of it is missing. Further calls do nothing. */
void weir_trace_finish(void);

/* Prints "weir: REMARK" in one line on standard error; control bytes become "?". */
void weir_say(const char *remark);

#endif
