/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the reader of trtexec's results: trtexec.c tells them apart and reads the
 * JSON of layers, trtexec_times.c that of queries, trtexec_log.c what is printed. */
#ifndef WEIR_READERS_NVIDIA_TRTEXEC_H
#define WEIR_READERS_NVIDIA_TRTEXEC_H

#include "engine/model/profile.h"
#include "engine/readers/parts/records.h"

/* --exportTimes: each query with its copies and its compute. */
enum weir_status weir_trtexec_times(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err);
/* The summary in a log, and its table of layers. */
enum weir_status weir_trtexec_log(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err);
/* A layer's time of one iteration into the operators of the input's run; layers of one name are one
 * operator. A time that is none is counted. */
void weir_trtexec_add_layer(struct weir_input *input, struct weir_slice name, double average_ms,
                            uint64_t at);

#endif
