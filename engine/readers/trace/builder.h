/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collects the events of a timeline, in any order and with borrowed texts, into the sorted and
 * joined columns of a struct weir_trace. Growth, interning, limits and integrity warnings are the
 * same for all formats.
 *
 *	builder = weir_builder_new(input);
 *	... weir_builder_add_host(builder, &event), once for each event ...
 *	status = weir_builder_finish(builder, err);
 *	weir_builder_free(builder);
 *
 * Warnings go to the input. Times are nanoseconds on the trace's clock. The reader must handle (and
 * count) events that end before they start.
 */
#ifndef WEIR_READERS_TRACE_BUILDER_H
#define WEIR_READERS_TRACE_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/slice.h"
#include "engine/model/profile.h"

#define WEIR_MAX_DEVICES 1024
#define WEIR_MAX_STREAMS (1u << 20)
#define WEIR_MAX_THREADS (1u << 20)
/* Rows of one column; keeps row numbers below WEIR_NONE. */
#define WEIR_MAX_ROWS   (1u << 30)
#define WEIR_MAX_LABELS 1024

struct weir_host_event {
	enum weir_host_kind kind;
	int64_t start_ns, end_ns;
	int64_t pid, tid;
	struct weir_slice name;
	uint64_t correlation, external;         /* 0: none */
	struct weir_slice dims, types, scalars; /* JSON texts; empty: not recorded */
	struct weir_slice strides;              /* JSON text; empty if all tensors are dense */
	uint64_t at;                            /* byte of the event in the file, for warnings */
};

struct weir_device_event {
	enum weir_device_kind kind;
	int64_t start_ns, end_ns;
	int64_t device, stream; /* ids as in the events */
	struct weir_slice name;
	uint64_t correlation, external; /* 0: none */
	uint64_t graph_node;            /* as in weir_device_columns */
	int64_t bytes;                  /* -1: unknown */
	uint32_t blocks, threads_per_block;
	bool in_graph;
	uint64_t at;
};

struct weir_collective_event {
	struct weir_slice name, group, members, dtype;
	int64_t elements_in, elements_out; /* -1: unknown */
	int64_t group_size;                /* 0: unknown */
	int64_t sequence;                  /* -1: unknown */
};

struct weir_builder;

/* Gives the input a new trace, which the builder fills. Both are borrowed until
 * weir_builder_free(). */
struct weir_builder *weir_builder_new(struct weir_input *input);
void weir_builder_free(struct weir_builder *builder);
/* Makes room for `times` the rows that the builder has, as a guess, but for at most `most` of each
 * table. */
void weir_builder_expect(struct weir_builder *builder, double times, size_t most);
/* Removes all that was added, and keeps the memory. */
void weir_builder_clear(struct weir_builder *builder);

/* Returns the id of a text in the names of the trace; 0: empty. */
uint32_t weir_builder_name(struct weir_builder *builder, struct weir_slice text);

void weir_builder_add_host(struct weir_builder *builder, const struct weir_host_event *event);
/* Returns false if the event was left out (and counted). */
bool weir_builder_add_device(struct weir_builder *builder, const struct weir_device_event *event);
/* Adds the arguments of the device event that was added last. */
void weir_builder_add_device_collective(struct weir_builder *builder,
                                        const struct weir_collective_event *event);
/* Adds a record of the host, which is joined to the device work with the same external id. */
void weir_builder_add_host_collective(struct weir_builder *builder,
                                      const struct weir_collective_event *event, uint64_t external);
void weir_builder_add_memory(struct weir_builder *builder, const struct weir_memory_event *event);
void weir_builder_add_sync(struct weir_builder *builder, const struct weir_sync_event *event);

/* An event that differs from the one that made `row` in these members alone. */
struct weir_repeated_event {
	uint32_t row;
	int64_t start_ns, end_ns;
	uint64_t correlation, external;
	uint64_t at;
};

/* Do the same as the functions for whole events, without looking up names, places and shapes. The
 * correlation id of a host row counts only if it is a call. */
void weir_builder_repeat_host(struct weir_builder *builder,
                              const struct weir_repeated_event *event);
void weir_builder_repeat_device(struct weir_builder *builder,
                                const struct weir_repeated_event *event);

struct weir_flow_event {
	enum weir_flow_kind kind;
	bool finish;
	uint64_t id;
	int64_t at_ns;
	int64_t pid, tid; /* of the finish of a launch: device and stream */
};

void weir_builder_add_flow(struct weir_builder *builder, const struct weir_flow_event *event);
/* Returns the number of flows of launches. */
size_t weir_builder_launch_flows(const struct weir_builder *builder);
/* Returns the last of them, borrowed until the next one is added; there must be one. */
const struct weir_flow_event *weir_builder_last_launch_flow(const struct weir_builder *builder);

/* Names a thread. May come before or after its events. */
void weir_builder_name_thread(struct weir_builder *builder, int64_t pid, int64_t tid,
                              struct weir_slice name);
/* Describes a device as the head of the trace does; a second description of an id is ignored. */
void weir_builder_describe_device(struct weir_builder *builder,
                                  const struct weir_trace_device *device);
/* States that events number devices differently from the descriptions (HSA agents): the n-th device
 * with events is the n-th description. */
void weir_builder_match_devices_by_order(struct weir_builder *builder);
void weir_builder_add_label(struct weir_builder *builder, struct weir_slice key,
                            struct weir_slice value);

/*
 * Adds all events of another builder after those of this one, as if each had been added here:
 * names, threads, devices, streams and shapes get the same numbers. Devices may not be described in
 * `from`, nor labels added. Returns false, and changes nothing, if a limit above may be exceeded.
 */
bool weir_builder_append(struct weir_builder *builder, const struct weir_builder *from);

/*
 * Sorts, joins and checks the trace; call it once. Fails with WEIR_E_LIMIT if a limit above was
 * met. docs/analyses.md, "Reading a trace", defines the joins and warnings.
 */
enum weir_status weir_builder_finish(struct weir_builder *builder, struct weir_error *err);

#endif
