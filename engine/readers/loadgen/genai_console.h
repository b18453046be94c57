/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table that GenAI-Perf and AIPerf print, anywhere in a console log. */
#ifndef WEIR_READERS_LOADGEN_GENAI_CONSOLE_H
#define WEIR_READERS_LOADGEN_GENAI_CONSOLE_H

#include "engine/readers/reader.h"

/* Returns 8 for each byte of the header of a printed table and of the first name of a metric behind
 * it; 0: there is no such table. */
int weir_genai_console_sniff(const char *head, size_t len);
/* Reads all printed tables of a log as one run. */
enum weir_status weir_genai_console_read(struct weir_input *input, struct weir_source *source,
                                         struct weir_error *err);

#endif
