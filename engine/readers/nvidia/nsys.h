/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by the files of the reader of Nsight Systems' exports: nsys.c opens the database and goes
 * over its tables; nsys_head.c, nsys_host.c, nsys_device.c and nsys_metrics.c take their rows;
 * nsys_places.c knows names, processes and devices.
 */
#ifndef WEIR_READERS_NVIDIA_NSYS_H
#define WEIR_READERS_NVIDIA_NSYS_H

#include "engine/base/rowmap.h"
#include "engine/readers/sql/sqlindex.h"
#include "engine/readers/trace/allocations.h"
#include "engine/readers/trace/builder.h"

#define NSYS_KINDS 16 /* values of an enumeration that mean something here */

/* A process's ordinal of a device and the device it stands for. */
struct nsys_device {
	int64_t pid, ordinal, gpu;
};

struct nsys_reader {
	struct weir_input *input;
	struct weir_builder *builder;
	struct weir_sqldb *db;
	struct weir_sqlnames names; /* StringIds */
	struct weir_error *err;     /* why `status` is not WEIR_OK */
	enum weir_status status;    /* of looking up names */
	int64_t *processes;         /* global ids without their thread, in order of appearance */
	size_t process_count, process_capacity;
	struct weir_rowmap by_process;
	size_t last_process; /* that was looked up */
	bool apart;          /* calls name their process */
	struct nsys_device *devices;
	size_t device_count, device_capacity;
	struct weir_rowmap by_ordinal;
	/* What the numbers of this file mean; NULL: nothing that is known. */
	const char *copy_kinds[NSYS_KINDS], *memory_kinds[NSYS_KINDS], *sync_kinds[NSYS_KINDS],
		*memory_operations[NSYS_KINDS];
	struct weir_allocations allocations;
	struct nsys_metrics *metrics; /* NULL: none whose meaning is known */
	uint64_t timed;               /* rows that had their times */
	uint64_t diagnosed;           /* warnings and errors of the profiler itself */
};

/* One table of the export: what is asked of it, and what becomes of each row. */
struct nsys_table {
	const char *name;
	const char *const *columns;
	void (*take)(struct nsys_reader *reader, const struct weir_sqlscan *row);
	bool events; /* its rows are what the trace consists of */
};

extern const struct nsys_table weir_nsys_gpus, weir_nsys_ordinals, weir_nsys_start,
	weir_nsys_export, weir_nsys_system, weir_nsys_diagnostics, weir_nsys_threads;
extern const struct nsys_table weir_nsys_copy_kinds, weir_nsys_memory_kinds, weir_nsys_sync_kinds,
	weir_nsys_memory_operations;
extern const struct nsys_table weir_nsys_calls, weir_nsys_ranges, weir_nsys_system_calls,
	weir_nsys_overhead, weir_nsys_cupti_overhead, weir_nsys_syncs;
extern const struct nsys_table weir_nsys_kernels, weir_nsys_copies, weir_nsys_sets,
	weir_nsys_graphs, weir_nsys_memory;
extern const struct nsys_table weir_nsys_metric_names, weir_nsys_metrics;

/* The meanings that numbers have where the file does not say. */
void weir_nsys_kinds_init(struct nsys_reader *reader);

/* One row that cannot be used as it is. */
void weir_nsys_warn(struct nsys_reader *reader, const struct weir_sqlscan *row,
                    enum weir_warning_code code, const char *what);
/* Start and end in two columns; false: left out, counted. An end before its start is the start. */
bool weir_nsys_times(struct nsys_reader *reader, const struct weir_sqlscan *row, int start_column,
                     int64_t *start_ns, int64_t *end_ns);

/* The text whose number the column holds; empty: none. Borrowed until the trace ends. */
struct weir_slice weir_nsys_name(struct nsys_reader *reader, const struct weir_sqlscan *row,
                                 int column);

/* The same of a text that is not to be kept as it stands: borrowed until the next name or text. */
struct weir_slice weir_nsys_text(struct nsys_reader *reader, const struct weir_sqlscan *row,
                                 int column);

/* Of "globalTid" and "globalPid": <hardware:8><virtual machine:8><process:24><thread:24>. */
static inline int64_t weir_nsys_pid(int64_t global)
{
	return (int64_t)((uint64_t)global >> 24 & 0xffffff);
}

static inline int64_t weir_nsys_tid(int64_t global)
{
	return (int64_t)((uint64_t)global & 0xffffff);
}

/* The same call has one id in its process alone: the process's place in the file makes it one of
 * the trace. 0: none. global NULL: the row does not say which process. */
uint64_t weir_nsys_correlation(struct nsys_reader *reader, const int64_t *global, int64_t id);
/* The same of streams. */
int64_t weir_nsys_stream(struct nsys_reader *reader, const int64_t *global, int64_t id);

void weir_nsys_add_device(struct nsys_reader *reader, const struct nsys_device *device);
/* A device's number in the trace, from what the process calls it. */
int64_t weir_nsys_device(struct nsys_reader *reader, const int64_t *global, int64_t ordinal);

/* Behind the last row of the metrics. */
void weir_nsys_metrics_finish(struct nsys_reader *reader);
void weir_nsys_metrics_release(struct nsys_reader *reader);

void weir_nsys_release(struct nsys_reader *reader);

#endif
