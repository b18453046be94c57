/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the log of trtexec. */
#ifndef WEIR_READERS_LOADGEN_TRTEXEC_LOG_H
#define WEIR_READERS_LOADGEN_TRTEXEC_LOG_H

#include "engine/base/slice.h"
#include "engine/base/source.h"
#include "engine/model/profile.h"

/* Adds the time of a layer in one iteration to the operators of the run. Layers of one name are one
 * operator. */
void weir_trtexec_add_layer(struct weir_input *input, struct weir_slice name, double average_ms,
                            uint64_t at);
/* Reads a log: a summary of the queries of each run, and a table of layers. */
enum weir_status weir_trtexec_read_log(struct weir_source *source, struct weir_input *input,
                                       struct weir_error *err);

#endif
