/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where finished text goes: standard output, or files that appear whole or not at all (written
 * beside their place and renamed). A full disk or a closed pipe is an error, never silence.
 */
#ifndef WEIR_CLI_OUTPUT_H
#define WEIR_CLI_OUTPUT_H

#include "engine/base/error.h"
#include "engine/base/text.h"

/* path NULL or "-": standard output. Failures are WEIR_E_USAGE: the place was the user's choice.
 * What is no regular file (a pipe, /dev/null) is written in place. */
enum weir_status weir_output_write(const char *path, const struct weir_text *text,
                                   struct weir_error *err);

/* Starts the trace of phases that WEIR_TRACE asks for; says so if its file cannot be written. */
void weir_trace_start(void);
/* Ends the trace; says so if a line of it is missing. Called again, it does nothing. */
void weir_trace_finish(void);

/* "weir: REMARK" on standard error, in one line whatever file names and inputs put into it: control
 * bytes become "?". */
void weir_say(const char *remark);

#endif
