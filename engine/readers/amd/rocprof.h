/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the readers of AMD's rocprof: tables (rocprof_csv.c), their rows (rocprof_rows.c), what
 * belongs together (rocprof_join.c). */
#ifndef WEIR_READERS_AMD_ROCPROF_H
#define WEIR_READERS_AMD_ROCPROF_H

#include "engine/model/profile.h"
#include "engine/readers/parts/csv.h"
#include "engine/readers/trace/builder.h"

/* What columns hold, under whichever name of the versions. */
enum rocprof_column {
	COLUMN_KERNEL,
	COLUMN_FUNCTION,
	COLUMN_DOMAIN,
	COLUMN_DIRECTION,
	COLUMN_OPERATION,
	COLUMN_NAME,
	COLUMN_CALLS,
	COLUMN_TOTAL,
	COLUMN_START,
	COLUMN_END,
	COLUMN_PROCESS,
	COLUMN_THREAD,
	COLUMN_CORRELATION,
	COLUMN_AGENT,
	COLUMN_SOURCE,
	COLUMN_DESTINATION,
	COLUMN_QUEUE,
	COLUMN_STREAM,
	COLUMN_SIZE,
	COLUMN_GRID,
	COLUMN_GRID_X,
	COLUMN_GRID_Y,
	COLUMN_GRID_Z,
	COLUMN_GROUP,
	COLUMN_GROUP_X,
	COLUMN_GROUP_Y,
	COLUMN_GROUP_Z,
	COLUMN_NODE,
	COLUMN_AGENT_TYPE,
	COLUMN_PRODUCT,
	COLUMN_UNITS,
	COLUMN_WAVE,
	ROCPROF_COLUMNS
};

enum rocprof_table {
	ROCPROF_NONE,
	ROCPROF_KERNELS,
	ROCPROF_CALLS, /* of the runtime, of markers, of RCCL */
	ROCPROF_COPIES,
	ROCPROF_ALLOCATIONS,
	ROCPROF_TOTALS, /* by name: the *_stats files */
	ROCPROF_AGENTS, /* what the machine has; nothing that it did */
};

struct rocprof_columns {
	enum rocprof_table table;
	size_t count;                   /* of cells in the header */
	size_t column[ROCPROF_COLUMNS]; /* WEIR_CSV_NO_COLUMN: not there */
};

/* Takes a header apart; ROCPROF_NONE where it is no table that is read. Returns the bits it
 * verified. */
int weir_rocprof_columns(struct rocprof_columns *columns, const struct weir_slice *cells,
                         size_t count);

struct rocprof_reader {
	struct weir_input *input;
	struct weir_builder *builder; /* NULL: totals */
	struct rocprof_columns columns;
	uint64_t timed;
	char first_problem[160];
};

/* One row below a header. */
void weir_rocprof_row(struct rocprof_reader *reader, const struct weir_csv_row *row);

/*
 * Makes one timeline of the tables that one process left: those of one folder whose names differ in
 * what they hold only ("123_kernel_trace.csv", "123_hip_api_trace.csv"). The first input with a row
 * of work keeps it, the others keep their counts and lose their timelines. "123_agent_info.csv"
 * names the devices of it; alone it fails.
 */
enum weir_status weir_rocprof_join(struct weir_profile *profile, struct weir_error *err);

#endif
