/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The device timeline of one process, in columns: host activity (operators, annotations, Python
 * frames, driver and runtime calls), device work, and the links between them. Readers fill it and
 * judge nothing.
 *
 * Times are int64 nanoseconds on the trace's own clock; add base_ns for Unix time. Intervals are
 * half-open [start, end). Row numbers are uint32_t, WEIR_NONE means "no row". Texts are ids into
 * `names`. A trace owns its columns and its names; traces share nothing, so they can be built and
 * analysed in parallel.
 */
#ifndef WEIR_MODEL_TRACE_H
#define WEIR_MODEL_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/names.h"

#define WEIR_NONE UINT32_MAX

/* Times further from 0 than 146 years and durations above 104 days count as damage: the
 * difference of any two times fits int64_t. */
#define WEIR_MAX_TIME_NS     (INT64_C(1) << 62)
#define WEIR_MAX_DURATION_NS (INT64_C(1) << 53)

enum weir_host_kind {
	WEIR_HOST_OP,         /* a framework operator: aten::mm, c10d::allreduce_ */
	WEIR_HOST_ANNOTATION, /* a named range of the program: record_function, NVTX, ProfilerStep#N
	                       */
	WEIR_HOST_PYTHON,     /* a Python frame or nn.Module */
	WEIR_HOST_API,        /* a driver or runtime call: cudaLaunchKernel, hipMemcpyAsync */
	WEIR_HOST_OVERHEAD,   /* the profiler's own work */
};

enum weir_device_kind {
	WEIR_DEVICE_KERNEL,
	WEIR_DEVICE_COPY, /* memcpy, and copies executed as kernels */
	WEIR_DEVICE_SET,  /* memset */
};

/* Host rows; after weir_builder_finish() sorted by (thread, start, end descending, order of
 * arrival). */
struct weir_host_columns {
	size_t count, capacity;
	int64_t *start_ns, *end_ns;
	uint32_t *name;
	uint32_t *thread;      /* row of `threads` */
	uint32_t *shape;       /* row of `shapes`: dims, types and scalars of an operator; 0: none
	                          recorded */
	uint64_t *correlation; /* API rows; 0: none */
	uint64_t *external;    /* "External id"; 0: none */
	uint8_t *kind;         /* enum weir_host_kind */
};

/* Device rows; after weir_builder_finish() sorted by (device, start, end descending, order of
 * arrival). */
struct weir_device_columns {
	size_t count, capacity;
	int64_t *start_ns, *end_ns;
	uint32_t *name;
	uint32_t *launch;      /* host row (kind API) that launched it; several rows may share one
	                          (graphs). WEIR_NONE: not linked */
	uint32_t *stream;      /* row of `streams` */
	uint64_t *correlation; /* 0: none */
	uint64_t *external;
	uint64_t *graph_node; /* id of a replayed graph and of its node, 32 bits each; 0: not stated
	                       */
	int64_t *bytes;       /* bytes of a copy or memset; -1: unknown */
	uint32_t *blocks;     /* product of the grid's dimensions; 0: unknown */
	uint32_t *threads_per_block;
	uint16_t *device; /* row of `devices` */
	uint8_t *kind;    /* enum weir_device_kind */
	uint8_t *flags;   /* WEIR_DEVICE_IN_GRAPH */
};

#define WEIR_DEVICE_IN_GRAPH 1u /* replayed from a CUDA or HIP graph */

struct weir_thread {
	int64_t pid, tid;
	uint32_t name; /* name id of the thread's name; 0: unnamed */
};

struct weir_stream {
	int64_t id;
	uint16_t device;
};

/* A device as the trace describes it; 0 or an empty name means unknown. */
struct weir_trace_device {
	int64_t id; /* id used by the events */
	uint32_t name;
	uint64_t memory_bytes;
	uint32_t sms;
	uint32_t compute_major, compute_minor;
	uint32_t warp_size;
	bool described; /* false: the device occurs in events only */
};

/* Dims, types and scalar values of one operator call, as JSON text in `names`; equal shapes share a
 * row. Row 0 is empty. Strides are kept if one of them is 0: such a tensor is smaller than its dims
 * suggest. */
struct weir_shape {
	uint32_t dims, types, scalars, strides;
};

/* Arguments of one collective, from its kernel or from the host record around its launch. */
struct weir_collective {
	uint32_t device_row; /* WEIR_NONE until joined; host-side records join by external id */
	uint64_t external;
	uint32_t name;    /* "allreduce" */
	uint32_t group;   /* process group name */
	uint32_t members; /* ranks of the group, as the trace lists them; 0: not stated */
	uint32_t dtype;
	int64_t elements_in, elements_out; /* -1: unknown */
	int64_t group_size;                /* 0: unknown */
	int64_t sequence;                  /* -1: unknown */
};

/* One allocation (+) or free (-). */
struct weir_memory_event {
	int64_t at_ns;
	int64_t bytes;
	int64_t allocated_bytes, reserved_bytes; /* totals after the event; -1: unknown */
	int32_t device_id;
	int32_t device_type; /* c10::DeviceType: 0 host, 1 CUDA, 6 HIP */
};

/* An explicit synchronisation record ("cuda_sync"). */
struct weir_sync_event {
	int64_t start_ns, end_ns;
	uint32_t kind_name;
	int64_t stream, wait_on_stream; /* -1: unknown */
	uint64_t correlation, wait_on_correlation;
};

enum weir_flow_kind {
	WEIR_FLOW_LAUNCH,   /* host call to device work */
	WEIR_FLOW_BACKWARD, /* forward operator to backward operator */
};

struct weir_flow {
	uint64_t id;
	int64_t at_ns;
	uint32_t thread;
	uint8_t kind;   /* enum weir_flow_kind */
	uint8_t finish; /* 0: start, 1: finish */
};

enum weir_warning_code {
	WEIR_WARN_TRUNCATED,     /* the file ends inside an event or inside its compressed stream */
	WEIR_WARN_REPAIRED_TEXT, /* control bytes, stray quotes or backslashes inside texts */
	WEIR_WARN_BAD_NUMBER,    /* NaN, inf or N/A in place of a number */
	WEIR_WARN_SKIPPED_EVENT, /* an element that is not an event, or cannot be read */
	WEIR_WARN_TOO_DEEP,      /* nesting beyond the limit; skipped */
	WEIR_WARN_TRAILING,      /* bytes after the end of the document */
	WEIR_WARN_NO_TIME, /* an event without a usable time stamp, or with ts 0 far from all others
	                    */
	WEIR_WARN_NEGATIVE_DURATION,
	WEIR_WARN_UNLINKED, /* device work without a launch call in the trace */
	WEIR_WARN_LAUNCH_WITHOUT_WORK,
	WEIR_WARN_STREAM_OVERLAP,    /* work that overlaps the previous work of its stream */
	WEIR_WARN_BEFORE_LAUNCH,     /* device work that starts more than 1 ms before its launch */
	WEIR_WARN_DUPLICATE_LAUNCH,  /* a correlation id of two host calls; the first one is used */
	WEIR_WARN_UNKNOWN_CATEGORY,  /* events of a category that weir does not read */
	WEIR_WARN_MISNESTED,         /* host ranges that overlap without nesting */
	WEIR_WARN_GRAPH_HIDDEN,      /* more than half of the device time is graph replay, without
	                                operator names */
	WEIR_WARN_PROFILER_OVERHEAD, /* profiler overhead above 5 % of the trace */
	WEIR_WARN_CLOCKS,            /* traces of one job without a common clock base */
	WEIR_WARN_FRACTION_PADDING,  /* fractions of time stamps may lack leading zeros (writers of
	                                early 2024) */
	WEIR_WARN_MERGED_STEPS,      /* steps excluded from the steady state, see set_apart */
	WEIR_WARN_FAILED_REQUEST,    /* a request without a response */
	WEIR_WARN_THINNED,           /* too many samples; a subset is kept */
	WEIR_WARN_DUPLICATE,         /* a repeated element; one of them is used */
	WEIR_WARN_ORPHAN_SPAN,       /* a span whose parent is missing */
	WEIR_WARN_CLOCK_SKEW,        /* a span outside its parent, on another host */
	WEIR_WARN_FAILED_MEASUREMENT, /* a time of a benchmark or command that failed */
	WEIR_WARN_COUNTER_RESET,      /* a counter that decreased */
	WEIR_WARN_NEW_SERIES,         /* a series without an earlier value */
	WEIR_WARN_FORCED_MONOTONIC,   /* cumulative counts that decrease */
	WEIR_WARN_RESOLUTION_LIMITED, /* buckets too wide for their percentiles */
	WEIR_WARN_ONE_SCRAPE,         /* counters without an earlier scrape */
	WEIR_WARN_MEANS_ONLY,         /* summaries without samples */
	WEIR_WARN_INCONSISTENT,       /* a figure that contradicts others of the same file */
	WEIR_WARN_CONTRADICTION,      /* two figures that cannot both be true; both are kept */
	WEIR_WARN_LOAD_NOT_REACHED,   /* less load than requested */
	WEIR_WARN_RAGGED_ROW,         /* a row whose columns differ from the header's */
	WEIR_WARN_DEVICE_ERROR,       /* a monitor that failed to query a device */
	WEIR_WARN_CLOCK_BACKWARDS,    /* local time that goes backwards */
	WEIR_WARN_UNFINISHED,         /* a request without an end */
	/* New codes follow here, because parts hold the codes in this order. */
	WEIR_WARN_OF_TOOL,         /* a warning by the program that wrote the file */
	WEIR_WARN_UNNAMED_DEVICES, /* rows with one time that do not name their device */
	WEIR_WARN_ZERO_TIME,       /* a time of 0: too short for the tool to measure */
	WEIR_WARN_EMPTY_ANSWER,    /* a request that was answered without a token */
	WEIR_WARN_JOINED_SPANS,    /* a trace without its root; its spans are one request */
	WEIR_WARN_SHARED_TRACE,    /* a trace with several roots that are requests each */
	WEIR_WARN_UNKNOWN_COLUMN,  /* a column of a script's table; left out */
	WEIR_WARN_UNTYPED_METRIC,  /* a histogram or summary without a TYPE line */
	WEIR_WARN_ASYNCHRONOUS,    /* an asynchronous event beside ranges of threads; left out */
	WEIR_WARN_ASSUMED_DATE,    /* dates whose day may be their month, with the day first */
	WEIR_WARN_OTHER_PROCESS,   /* tables of further processes in one file; left out */
	WEIR_WARN_CUT_VALUE,       /* a number whose end an ellipsis replaces; left out */
	WEIR_WARN_OTHER_TABLE,     /* a further table in one file; left out */
	WEIR_WARN_OTHER_TEXT,      /* a line around the output of a tool; left out */
	WEIR_WARN_MISSING_ROWS,    /* a table without some of its rows */
	WEIR_WARN_PROGRAM_FAILED,  /* a line of a log that says that a program failed */
	WEIR_WARN_FAILED_COUNTED,  /* failed requests, as a summary counts them */
	WEIR_WARN_OTHER_SAMPLES,   /* samples of another event of a host profile; left out */
	WEIR_WARN_FRAGMENT,        /* a part of a list, whose brackets are missing */
	WEIR_WARN_COUNT
};

struct weir_warning {
	uint64_t count;      /* 0: the warning does not occur */
	uint64_t first_at;   /* byte offset of the first one after decompression, if that has a
	                        meaning */
	char detail[256];    /* detail of the first one, or of several; "": none */
	const char *message; /* whole sentence from a stored report; borrowed; NULL: made from the
	                        other fields */
};

/* A key and a value from the head of the trace: "cuda_runtime_version" "13000". */
struct weir_label {
	uint32_t key, value;
};

/* The label of a trace whose recorded environment makes launch calls wait for their kernel. */
#define WEIR_LABEL_LAUNCH_BLOCKING "launch_blocking"
/* The label of a trace in which every operator states that it ran on the processor. */
#define WEIR_LABEL_ON_PROCESSOR "operators_on_processor"

struct weir_trace {
	struct weir_names *names;
	struct weir_host_columns host;
	struct weir_device_columns device;
	struct weir_thread *threads;
	size_t thread_count, thread_capacity;
	struct weir_stream *streams;
	size_t stream_count, stream_capacity;
	struct weir_trace_device *devices; /* devices with rows first, then by id in the head */
	size_t device_count, device_capacity;
	struct weir_shape *shapes;
	size_t shape_count, shape_capacity;
	struct weir_collective *collectives;
	size_t collective_count, collective_capacity;
	struct weir_memory_event *memory;
	size_t memory_count, memory_capacity;
	struct weir_sync_event *syncs;
	size_t sync_count, sync_capacity;
	struct weir_flow *flows;
	size_t flow_count, flow_capacity;
	struct weir_label *labels;
	size_t label_count, label_capacity;

	int64_t base_ns;    /* Unix time of time 0; 0: not stated */
	int64_t rank;       /* -1: not stated */
	int64_t world_size; /* 0: not stated */
	bool has_shapes, has_stacks, has_memory;
};

struct weir_trace *weir_trace_new(void);
void weir_trace_free(struct weir_trace *trace);
/* Removes all rows, names and figures, and keeps the memory. */
void weir_trace_clear(struct weir_trace *trace);

/* Makes room for `need` rows in every column; new rows are not initialised. */
void weir_host_columns_reserve(struct weir_host_columns *columns, size_t need);
void weir_device_columns_reserve(struct weir_device_columns *columns, size_t need);
/* Returns the memory behind the last rows to the system, once all rows are known. */
void weir_trace_trim(struct weir_trace *trace);

#endif
