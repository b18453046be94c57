/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the tables that GuideLLM prints: a row for each load point. */
#ifndef WEIR_READERS_LOADGEN_GUIDELLM_CONSOLE_H
#define WEIR_READERS_LOADGEN_GUIDELLM_CONSOLE_H

#include "engine/base/source.h"
#include "engine/model/profile.h"

/* Gives the input a run with the figures of all load points, named as in a report. */
enum weir_status weir_guidellm_console_read(struct weir_source *source, struct weir_input *input,
                                            struct weir_error *err);

#endif
