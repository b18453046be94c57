/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes parts of a run from its inputs, and decides which traces of a run are in memory. */
#ifndef WEIR_PIPELINE_PARTING_H
#define WEIR_PIPELINE_PARTING_H

#include <stddef.h>

#include "engine/base/error.h"
#include "engine/part/part.h"
#include "engine/readers/reader.h"

/*
 * Reads the inputs and puts them into one part; inputs that are parts give it their members. Traces
 * are packed, and other files are kept as they are. node: machine on which the inputs were
 * recorded; NULL: not stated. Of the options, format, progress and failures count. The caller
 * releases *out.
 */
enum weir_status weir_part_make(const char *const *paths, size_t count,
                                const struct weir_read_options *options, const char *node,
                                struct weir_part_file *out, struct weir_error *err);

/* Unpacks the traces of a profile if it has at most `most`; else packs all that are not. */
enum weir_status weir_traces_settle(struct weir_profile *profile, size_t most,
                                    struct weir_error *err);

#endif
