/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One process's device timeline as a reader found it, in columns: what the host did (operators,
 * annotations, Python frames, driver and runtime calls), what the device did, and the joins between
 * them. Nothing here is judged.
 *
 * Times are int64 nanoseconds on the trace's own clock; add base_ns for Unix time. Intervals are
 * half-open [start, end). Row numbers are uint32_t, WEIR_NONE says "no row". Texts are ids into
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

/* Host rows: after weir_builder_finish() sorted by (thread, start ascending, end descending, order
 * of arrival). */
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

/* Device rows: after weir_builder_finish() sorted by (device, start, end descending, order of
 * arrival). */
struct weir_device_columns {
	size_t count, capacity;
	int64_t *start_ns, *end_ns;
	uint32_t *name;
	uint32_t *launch; /* host row (kind API) that launched it, WEIR_NONE: unlinked. Several rows
	                     may share one (graphs) */
	uint32_t *stream; /* row of `streams` */
	uint64_t *correlation; /* 0: none */
	uint64_t *external;
	uint64_t *graph_node; /* of a replayed graph: its id and that of the node, 32 bits each; 0:
	                         not stated */
	int64_t *bytes;       /* of a copy or set; -1: unknown */
	uint32_t *blocks;     /* product of the grid; 0: unknown */
	uint32_t *threads_per_block;
	uint16_t *device; /* row of `devices` */
	uint8_t *kind;    /* enum weir_device_kind */
	uint8_t *flags;   /* WEIR_DEVICE_IN_GRAPH */
};

#define WEIR_DEVICE_IN_GRAPH 1u /* replayed from a CUDA or HIP graph */

struct weir_thread {
	int64_t pid, tid;
	uint32_t name; /* as the trace calls it; 0: not named */
};

struct weir_stream {
	int64_t id;
	uint16_t device;
};

/* A device as the trace describes it; 0 or an empty name is unknown. */
struct weir_trace_device {
	int64_t id; /* as in the events */
	uint32_t name;
	uint64_t memory_bytes;
	uint32_t sms;
	uint32_t compute_major, compute_minor;
	uint32_t warp_size;
	bool described; /* false: met in events only */
};

/* Dims, types and scalar values of one operator call, as JSON text in `names`; equal shapes share a
 * row. Row 0 is empty. Strides are kept where one of them is 0: a tensor that is smaller than its
 * dims say. */
struct weir_shape {
	uint32_t dims, types, scalars, strides;
};

/* Arguments of one collective, from its kernel or from the host record around its launch. */
struct weir_collective {
	uint32_t device_row; /* WEIR_NONE until joined; host-side records join by external id */
	uint64_t external;
	uint32_t name;    /* "allreduce" */
	uint32_t group;   /* process group name */
	uint32_t members; /* its ranks, as the trace lists them; 0: not stated */
	uint32_t dtype;
	int64_t elements_in, elements_out; /* -1: unknown */
	int64_t group_size;                /* 0: unknown */
	int64_t sequence;                  /* -1: unknown */
};

/* One allocation (+) or free (-). */
struct weir_memory_event {
	int64_t at_ns;
	int64_t bytes;
	int64_t allocated_bytes, reserved_bytes; /* totals after it; -1: unknown */
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
	WEIR_WARN_BAD_NUMBER,    /* NaN, inf, N/A where a number belongs */
	WEIR_WARN_SKIPPED_EVENT, /* an element that is no event, or cannot be read */
	WEIR_WARN_TOO_DEEP,      /* nesting beyond the limit; skipped */
	WEIR_WARN_TRAILING,      /* bytes after the end of the document */
	WEIR_WARN_NO_TIME, /* an event without a usable time stamp, or ts 0 among others far away */
	WEIR_WARN_NEGATIVE_DURATION,
	WEIR_WARN_UNLINKED, /* device work whose launch is not in the trace */
	WEIR_WARN_LAUNCH_WITHOUT_WORK,
	WEIR_WARN_STREAM_OVERLAP,   /* work that overlaps its predecessor on one stream */
	WEIR_WARN_BEFORE_LAUNCH,    /* device work that starts more than 1 ms before its launch */
	WEIR_WARN_DUPLICATE_LAUNCH, /* a correlation id that two host calls carry; the first counts
	                             */
	WEIR_WARN_UNKNOWN_CATEGORY, /* events of a category that is not read */
	WEIR_WARN_MISNESTED,        /* host ranges that overlap without one holding the other */
	WEIR_WARN_GRAPH_HIDDEN, /* more than half of the device time is graph replay: no operator
	                           names */
	WEIR_WARN_PROFILER_OVERHEAD, /* the profiler's own work holds more than 5 % of the span */
	WEIR_WARN_CLOCKS,            /* traces that claim one job and share no clock base */
	WEIR_WARN_FRACTION_PADDING,  /* fractions of time stamps may lack leading zeros (early 2024
	                                writers) */
	WEIR_WARN_MERGED_STEPS,   /* steps that were left out of the steady state, see set_apart */
	WEIR_WARN_FAILED_REQUEST, /* a benchmark's request without an answer */
	WEIR_WARN_THINNED,        /* more samples than are kept */
	WEIR_WARN_DUPLICATE,      /* the same thing given twice; one counts */
	WEIR_WARN_ORPHAN_SPAN,    /* a span without the parent it names */
	WEIR_WARN_CLOCK_SKEW,     /* a span outside its parent, on another host */
	WEIR_WARN_COUNTER_RESET,  /* a counter that went back */
	WEIR_WARN_NEW_SERIES,     /* a series without a value before */
	WEIR_WARN_FORCED_MONOTONIC,   /* cumulative counts that fall */
	WEIR_WARN_RESOLUTION_LIMITED, /* buckets too wide for their percentiles */
	WEIR_WARN_ONE_SCRAPE,         /* counters without a scrape before */
	WEIR_WARN_MEANS_ONLY,         /* summaries without samples */
	WEIR_WARN_INCONSISTENT,       /* a figure that others of the same file contradict */
	WEIR_WARN_LOAD_NOT_REACHED,   /* less load than asked for */
	WEIR_WARN_RAGGED_ROW,         /* a row with other columns than its header */
	WEIR_WARN_DEVICE_ERROR,       /* a monitor that could not ask a device */
	WEIR_WARN_CLOCK_BACKWARDS,    /* local time that goes back */
	WEIR_WARN_UNFINISHED,         /* a request without an end */
	WEIR_WARN_COUNT
};

struct weir_warning {
	uint64_t count;    /* 0: did not happen */
	uint64_t first_at; /* byte of the first one after decompression, where that is meaningful */
	char detail[96];   /* of the first one; "" where the code says it all */
	const char *message; /* the whole sentence where a stored report gave it; borrowed, NULL: it
	                        is made of the rest */
};

/* A key and a value from the trace's head: "cuda_runtime_version" "13000". */
struct weir_label {
	uint32_t key, value;
};

struct weir_trace {
	struct weir_names *names;
	struct weir_host_columns host;
	struct weir_device_columns device;
	struct weir_thread *threads;
	size_t thread_count, thread_capacity;
	struct weir_stream *streams;
	size_t stream_count, stream_capacity;
	struct weir_trace_device
		*devices; /* those with device rows first come by id order of the head */
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

	int64_t base_ns;    /* Unix time of 0; 0: not stated */
	int64_t rank;       /* -1: not stated */
	int64_t world_size; /* 0: not stated */
	bool has_shapes, has_stacks, has_memory;
};

struct weir_trace *weir_trace_new(void);
void weir_trace_free(struct weir_trace *trace);

/* Makes room for `need` rows in every column; rows from `count` on are not initialised. */
void weir_host_columns_reserve(struct weir_host_columns *columns, size_t need);
void weir_device_columns_reserve(struct weir_device_columns *columns, size_t need);

#endif
