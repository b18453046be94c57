/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private to the reader of Nsight Systems' exports. nsys.c opens the database, walks its tables and
 * reads those that describe the recording; nsys_events.c reads the tables of host and device
 * events, nsys_metrics.c those of sampled metrics. nsys_places.c maps the ids in rows to names,
 * processes and devices. Times are nanoseconds since the start of the recording.
 */
#ifndef WEIR_READERS_NVIDIA_NSYS_H
#define WEIR_READERS_NVIDIA_NSYS_H

#include "engine/base/rowmap.h"
#include "engine/readers/sql/sqlindex.h"
#include "engine/readers/trace/allocations.h"
#include "engine/readers/trace/builder.h"

#define NSYS_KINDS 16 /* values of an enumeration that the reader knows lie below this */

/* A CUDA ordinal in one process and the id of the GPU that it stands for. */
struct nsys_device {
	int64_t pid, ordinal, gpu;
};

struct nsys_reader {
	struct weir_input *input;
	struct weir_builder *builder;
	struct weir_sqldb *db;
	struct weir_sqlnames names; /* StringIds */
	struct weir_error *err;
	enum weir_status status; /* of the last lookup of a name; `err` has its text */
	int64_t *processes;      /* global ids without the thread, in order of appearance */
	size_t process_count, process_capacity;
	struct weir_rowmap by_process;
	size_t last_process;  /* index of the process that was looked up last */
	bool names_processes; /* rows of calls name their process */
	struct nsys_device *devices;
	size_t device_count, device_capacity;
	struct weir_rowmap by_ordinal;
	/* CUPTI's names for the numbers in this file; NULL: unknown. */
	const char *copy_kinds[NSYS_KINDS], *memory_kinds[NSYS_KINDS], *sync_kinds[NSYS_KINDS],
		*memory_operations[NSYS_KINDS];
	struct weir_allocations allocations;
	struct nsys_metrics *metrics; /* NULL: the file has no known metric */
	uint64_t timed;               /* rows with usable times */
	uint64_t diagnosed;           /* warnings and errors of the profiler itself */
};

/* A table of the export. Both the table and each of its columns may be missing. */
struct nsys_table {
	const char *name;
	const char *const *columns; /* ends with NULL */
	void (*take)(struct nsys_reader *reader, const struct weir_sqlscan *row);
	bool events; /* its rows count as events of the input */
};

extern const struct nsys_table weir_nsys_calls, weir_nsys_ranges, weir_nsys_system_calls,
	weir_nsys_overhead, weir_nsys_cupti_overhead, weir_nsys_syncs;
extern const struct nsys_table weir_nsys_kernels, weir_nsys_copies, weir_nsys_sets,
	weir_nsys_graphs, weir_nsys_memory;
extern const struct nsys_table weir_nsys_metric_names, weir_nsys_metrics;

/* Counts a row that cannot be used unchanged. */
void weir_nsys_warn(struct nsys_reader *reader, const struct weir_sqlscan *row,
                    enum weir_warning_code code, const char *detail);
/* Reads start and end from two adjacent columns. Returns false, and counts the row, if they are
 * missing or out of range. An end before the start becomes the start, and is counted. */
bool weir_nsys_times(struct nsys_reader *reader, const struct weir_sqlscan *row, int start_column,
                     int64_t *start_ns, int64_t *end_ns);

/* Returns the text whose id the column holds, interned in the trace's names; empty if there is
 * none. Valid as long as the trace. Failures go to reader->status. */
struct weir_slice weir_nsys_name(struct nsys_reader *reader, const struct weir_sqlscan *row,
                                 int column);

/* Same, but does not intern the text: it is borrowed until the next lookup. */
struct weir_slice weir_nsys_text(struct nsys_reader *reader, const struct weir_sqlscan *row,
                                 int column);

/* Return the ids in a "globalTid" or "globalPid", whose bits are
 * <hardware:8><virtual machine:8><process:24><thread:24>. */
static inline int64_t weir_nsys_pid(int64_t global)
{
	return (int64_t)((uint64_t)global >> 24 & 0xffffff);
}

static inline int64_t weir_nsys_tid(int64_t global)
{
	return (int64_t)((uint64_t)global & 0xffffff);
}

/* Returns a correlation id that is unique in the trace; 0: unknown. In the file, ids are unique in
 * their process only. global NULL: the row does not name its process. */
uint64_t weir_nsys_correlation(struct nsys_reader *reader, const int64_t *global, int64_t id);
/* Returns a stream id that is unique in the trace; -1: unknown. */
int64_t weir_nsys_stream(struct nsys_reader *reader, const int64_t *global, int64_t id);

void weir_nsys_add_device(struct nsys_reader *reader, const struct nsys_device *device);
/* Returns the id of the GPU that a process addresses by an ordinal; the ordinal if the file does
 * not map it. */
int64_t weir_nsys_device(struct nsys_reader *reader, const int64_t *global, int64_t ordinal);

/* Adds the samples that are still open; call it after the last row of the metrics. */
void weir_nsys_metrics_finish(struct nsys_reader *reader);
void weir_nsys_metrics_release(struct nsys_reader *reader);

#endif
