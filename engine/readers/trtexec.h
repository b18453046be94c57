/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the reader of trtexec's results: trtexec.c tells them apart and reads the
 * JSON of layers, trtexec_times.c that of queries, trtexec_log.c what is printed. */
#ifndef WEIR_READERS_TRTEXEC_H
#define WEIR_READERS_TRTEXEC_H

#include "engine/model/profile.h"
#include "engine/readers/records.h"

/* --exportTimes: each query with its copies and its compute. */
enum weir_status weir_trtexec_times(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err);
/* The summary in a log. */
enum weir_status weir_trtexec_log(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err);

#endif
