/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what perf_analyzer and perf_client print: a block for each load. */
#ifndef WEIR_READERS_LOADGEN_PERF_CONSOLE_H
#define WEIR_READERS_LOADGEN_PERF_CONSOLE_H

#include "engine/base/source.h"
#include "engine/model/profile.h"
#include "engine/readers/parts/sniff.h"

/* The text with at least one block. */
extern const struct weir_mark weir_perf_console_mark;

/* Gives the input a run with the figures of all loads, named as in the tables that perf_analyzer
 * writes with -f. */
enum weir_status weir_perf_console_read(struct weir_source *source, struct weir_input *input,
                                        struct weir_error *err);

#endif
