/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads benchmarks.csv of GuideLLM 0.5 and later: three rows with the group, the name and the unit
 * or statistic of each column, then one row for each load point. Each cell becomes the leaf of the
 * JSON report that holds the same value.
 */
#ifndef WEIR_READERS_LOADGEN_GUIDELLM_CSV_H
#define WEIR_READERS_LOADGEN_GUIDELLM_CSV_H

#include "engine/base/source.h"
#include "engine/model/profile.h"
#include "engine/readers/parts/jsonleaves.h"

/* Both functions get the context. Their failure ends the reading. */
struct weir_guidellm_rows {
	enum weir_status (*begin)(void *context, struct weir_error *err); /* a load point */
	enum weir_status (*leaf)(void *context, const struct weir_jsonleaf *leaf,
	                         struct weir_error *err);
	void *context;
};

enum weir_status weir_guidellm_csv_read(const struct weir_guidellm_rows *rows,
                                        struct weir_source *source, struct weir_input *input,
                                        struct weir_error *err);

#endif
