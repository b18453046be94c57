/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/part/planes.h"
#include "engine/part/trace_pack.h"

/* Most rows of a table; keeps row numbers below WEIR_NONE. */
#define MOST_ROWS (1u << 30)

/* ---- tables of structs ---- */

/* An integer member of a struct and how it is predicted. */
struct member {
	size_t offset, width;
	enum weir_predict predict;
};

#define MEMBER(table, name, predict)                                                               \
	{                                                                                          \
		offsetof(struct table, name), sizeof((struct table *)0)->name,                     \
			WEIR_PREDICT_##predict                                                     \
	}

static const struct member thread_members[] = {
	MEMBER(weir_thread, pid, PREVIOUS),
	MEMBER(weir_thread, tid, PREVIOUS),
	MEMBER(weir_thread, name, NOTHING),
};

static const struct member stream_members[] = {
	MEMBER(weir_stream, id, PREVIOUS),
	MEMBER(weir_stream, device, NOTHING),
};

static const struct member device_members[] = {
	MEMBER(weir_trace_device, id, PREVIOUS),
	MEMBER(weir_trace_device, name, NOTHING),
	MEMBER(weir_trace_device, memory_bytes, NOTHING),
	MEMBER(weir_trace_device, sms, NOTHING),
	MEMBER(weir_trace_device, compute_major, NOTHING),
	MEMBER(weir_trace_device, compute_minor, NOTHING),
	MEMBER(weir_trace_device, warp_size, NOTHING),
	MEMBER(weir_trace_device, described, NOTHING),
};

static const struct member shape_members[] = {
	MEMBER(weir_shape, dims, PREVIOUS),
	MEMBER(weir_shape, types, PREVIOUS),
	MEMBER(weir_shape, scalars, PREVIOUS),
	MEMBER(weir_shape, strides, PREVIOUS),
};

static const struct member collective_members[] = {
	MEMBER(weir_collective, device_row, PREVIOUS),
	MEMBER(weir_collective, external, PREVIOUS),
	MEMBER(weir_collective, name, NOTHING),
	MEMBER(weir_collective, group, NOTHING),
	MEMBER(weir_collective, members, NOTHING),
	MEMBER(weir_collective, dtype, NOTHING),
	MEMBER(weir_collective, elements_in, PREVIOUS),
	MEMBER(weir_collective, elements_out, PREVIOUS),
	MEMBER(weir_collective, group_size, NOTHING),
	MEMBER(weir_collective, sequence, PREVIOUS),
};

static const struct member memory_members[] = {
	MEMBER(weir_memory_event, at_ns, PREVIOUS),
	MEMBER(weir_memory_event, bytes, PREVIOUS),
	MEMBER(weir_memory_event, allocated_bytes, PREVIOUS),
	MEMBER(weir_memory_event, reserved_bytes, PREVIOUS),
	MEMBER(weir_memory_event, device_id, NOTHING),
	MEMBER(weir_memory_event, device_type, NOTHING),
};

static const struct member sync_members[] = {
	MEMBER(weir_sync_event, start_ns, PREVIOUS),
	MEMBER(weir_sync_event, end_ns, PREVIOUS),
	MEMBER(weir_sync_event, kind_name, NOTHING),
	MEMBER(weir_sync_event, stream, PREVIOUS),
	MEMBER(weir_sync_event, wait_on_stream, PREVIOUS),
	MEMBER(weir_sync_event, correlation, PREVIOUS),
	MEMBER(weir_sync_event, wait_on_correlation, NONZERO),
};

static const struct member label_members[] = {
	MEMBER(weir_label, key, PREVIOUS),
	MEMBER(weir_label, value, PREVIOUS),
};

static const struct member trace_members[] = {
	MEMBER(weir_trace, base_ns, NOTHING),    MEMBER(weir_trace, rank, NOTHING),
	MEMBER(weir_trace, world_size, NOTHING), MEMBER(weir_trace, has_shapes, NOTHING),
	MEMBER(weir_trace, has_stacks, NOTHING), MEMBER(weir_trace, has_memory, NOTHING),
};

static void pass_members(struct weir_planes *planes, void *items, size_t size, size_t count,
                         const struct member *members, size_t member_count)
{
	for (size_t m = 0; m < member_count; m++)
		weir_planes_integers(planes, (char *)items + members[m].offset, members[m].width,
		                     size, count, members[m].predict);
}

/* Passes a count of rows, each of which takes at least one byte per member. */
static void pass_count(struct weir_planes *planes, size_t *count, size_t members)
{
	weir_planes_count(planes, count, MOST_ROWS, members);
}

/* Passes one of the tables of the trace, and makes room for it. */
#define PASS_TABLE(planes, trace, array, counter, room, members)                                   \
	do {                                                                                       \
		pass_count(planes, &(trace)->counter, WEIR_COUNT_OF(members));                     \
		if (!(planes)->out)                                                                \
			(trace)->array = weir_grow((trace)->array, &(trace)->room,                 \
			                           (trace)->counter + 1, sizeof *(trace)->array);  \
		pass_members(planes, (trace)->array, sizeof *(trace)->array, (trace)->counter,     \
		             members, WEIR_COUNT_OF(members));                                     \
	} while (0)

static void pass_tables(struct weir_planes *planes, struct weir_trace *trace)
{
	pass_members(planes, trace, sizeof *trace, 1, trace_members, WEIR_COUNT_OF(trace_members));
	PASS_TABLE(planes, trace, threads, thread_count, thread_capacity, thread_members);
	PASS_TABLE(planes, trace, streams, stream_count, stream_capacity, stream_members);
	PASS_TABLE(planes, trace, devices, device_count, device_capacity, device_members);
	PASS_TABLE(planes, trace, shapes, shape_count, shape_capacity, shape_members);
	PASS_TABLE(planes, trace, collectives, collective_count, collective_capacity,
	           collective_members);
	PASS_TABLE(planes, trace, memory, memory_count, memory_capacity, memory_members);
	PASS_TABLE(planes, trace, syncs, sync_count, sync_capacity, sync_members);
	PASS_TABLE(planes, trace, labels, label_count, label_capacity, label_members);
}

/* ---- names ---- */

/* Passes all names in the order of their ids, so that they keep them. */
static void pass_names(struct weir_planes *planes, struct weir_trace *trace)
{
	size_t count = weir_names_count(trace->names), length = 0;
	uint32_t *lengths;
	char *texts, *at;

	pass_count(planes, &count, 1);
	lengths = weir_alloc((count + 1) * sizeof *lengths);
	for (uint32_t i = 0; planes->out && i < count; i++)
		length += lengths[i] = (uint32_t)weir_names_length(trace->names, i);
	weir_planes_integers(planes, lengths, sizeof *lengths, sizeof *lengths, count,
	                     WEIR_PREDICT_NOTHING);
	weir_planes_count(planes, &length, SIZE_MAX, 1);
	at = texts = weir_alloc(length + 1);
	for (uint32_t i = 0; planes->out && i < count; at += lengths[i++])
		memcpy(at, weir_names_text(trace->names, i), lengths[i]);
	weir_planes_bytes(planes, texts, length);
	for (uint32_t i = 0; !planes->out && !planes->failed && i < count; at += lengths[i++]) {
		planes->failed = lengths[i] > length - (size_t)(at - texts) ||
		                 memchr(at, 0, lengths[i]) != NULL ||
		                 weir_names_add(trace->names, at, lengths[i]) != i;
		if (planes->failed)
			break;
	}
	free(texts);
	free(lengths);
}

/* ---- rows ---- */

#define PASS_COLUMN(planes, columns, name, predict)                                                \
	weir_planes_integers(planes, (columns)->name, sizeof *(columns)->name,                     \
	                     sizeof *(columns)->name, (columns)->count, WEIR_PREDICT_##predict)

static void pass_host(struct weir_planes *planes, struct weir_host_columns *host)
{
	pass_count(planes, &host->count, 8);
	if (!planes->out)
		weir_host_columns_reserve(host, host->count + 1);
	PASS_COLUMN(planes, host, kind, NOTHING);
	PASS_COLUMN(planes, host, name, NOTHING);
	PASS_COLUMN(planes, host, thread, PREVIOUS);
	PASS_COLUMN(planes, host, shape, NONZERO);
	PASS_COLUMN(planes, host, correlation, NONZERO);
	PASS_COLUMN(planes, host, external, NONZERO);
	PASS_COLUMN(planes, host, start_ns, PREVIOUS);
	weir_planes_from(planes, (uint64_t *)host->end_ns, (const uint64_t *)host->start_ns,
	                 host->count);
}

/* The ids that device rows share with their launch calls. */
struct expected {
	uint64_t *correlation, *external;
};

/* Expects the ids of its launch in each row. Both columns `launch` and `host` are passed before. */
static void expect_ids(const struct weir_trace *trace, struct expected *expected)
{
	for (size_t i = 0; i < trace->device.count; i++) {
		uint32_t launch = trace->device.launch[i];
		bool linked = launch < trace->host.count;

		expected->correlation[i] = linked ? trace->host.correlation[launch] : 0;
		expected->external[i] = linked ? trace->host.external[launch] : 0;
	}
}

static void pass_device(struct weir_planes *planes, struct weir_trace *trace)
{
	struct weir_device_columns *device = &trace->device;
	struct expected expected;

	pass_count(planes, &device->count, 14);
	if (!planes->out)
		weir_device_columns_reserve(device, device->count + 1);
	expected.correlation = weir_alloc((device->count + 1) * sizeof *expected.correlation);
	expected.external = weir_alloc((device->count + 1) * sizeof *expected.external);
	PASS_COLUMN(planes, device, device, NOTHING);
	PASS_COLUMN(planes, device, kind, NOTHING);
	PASS_COLUMN(planes, device, flags, NOTHING);
	PASS_COLUMN(planes, device, name, NOTHING);
	PASS_COLUMN(planes, device, stream, PREVIOUS);
	PASS_COLUMN(planes, device, launch, PREVIOUS);
	PASS_COLUMN(planes, device, graph_node, PREVIOUS);
	PASS_COLUMN(planes, device, bytes, NOTHING);
	PASS_COLUMN(planes, device, blocks, NOTHING);
	PASS_COLUMN(planes, device, threads_per_block, NOTHING);
	expect_ids(trace, &expected);
	weir_planes_from(planes, device->correlation, expected.correlation, device->count);
	weir_planes_from(planes, device->external, expected.external, device->count);
	PASS_COLUMN(planes, device, start_ns, PREVIOUS);
	weir_planes_from(planes, (uint64_t *)device->end_ns, (const uint64_t *)device->start_ns,
	                 device->count);
	free(expected.correlation);
	free(expected.external);
}

static void pass_trace(struct weir_planes *planes, struct weir_trace *trace)
{
	pass_names(planes, trace);
	pass_tables(planes, trace);
	pass_host(planes, &trace->host);
	pass_device(planes, trace);
}

void weir_trace_pack(const struct weir_trace *trace, struct weir_text *out)
{
	struct weir_planes planes = {.out = out};
	struct weir_trace alias = *trace; /* writing changes nothing that it points to */

	pass_trace(&planes, &alias);
}

/* ---- checks of a trace that was read ---- */

/* Returns true if every value of a column is below `end`, or is `none`. */
static bool are_below(const uint32_t *values, size_t count, size_t end, bool or_none)
{
	for (size_t i = 0; i < count; i++)
		if (values[i] >= end && !(or_none && values[i] == WEIR_NONE))
			return false;
	return true;
}

/* Returns true if the times are as those that engine/readers/trace/builder.h lets pass. */
static bool are_spans(const int64_t *starts, const int64_t *ends, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (starts[i] <= -WEIR_MAX_TIME_NS || ends[i] >= WEIR_MAX_TIME_NS ||
		    ends[i] < starts[i] || ends[i] - starts[i] > WEIR_MAX_DURATION_NS)
			return false;
	return true;
}

/* Returns true if row i comes after the row before it in a group: it starts later, or at the same
 * time and ends no later. */
static bool is_after(const int64_t *starts, const int64_t *ends, size_t i)
{
	return starts[i - 1] < starts[i] || (starts[i - 1] == starts[i] && ends[i - 1] >= ends[i]);
}

/* A byte other than 0 and 1 in a bool is undefined behaviour to read as one. */
static bool is_boolean(const bool *value)
{
	uint8_t byte;

	memcpy(&byte, value, sizeof byte);
	return byte <= 1;
}

static bool is_sound_host(const struct weir_trace *trace)
{
	const struct weir_host_columns *host = &trace->host;
	size_t names = weir_names_count(trace->names);

	for (size_t i = 0; i < host->count; i++)
		if (host->kind[i] > WEIR_HOST_OVERHEAD ||
		    (i > 0 && (host->thread[i] < host->thread[i - 1] ||
		               (host->thread[i] == host->thread[i - 1] &&
		                !is_after(host->start_ns, host->end_ns, i)))))
			return false;
	return are_below(host->name, host->count, names, false) &&
	       are_below(host->thread, host->count, trace->thread_count, false) &&
	       are_below(host->shape, host->count, trace->shape_count, false) &&
	       are_spans(host->start_ns, host->end_ns, host->count);
}

static bool is_sound_device(const struct weir_trace *trace)
{
	const struct weir_device_columns *device = &trace->device;
	size_t names = weir_names_count(trace->names);

	if (!are_below(device->name, device->count, names, false) ||
	    !are_below(device->stream, device->count, trace->stream_count, false) ||
	    !are_below(device->launch, device->count, trace->host.count, true))
		return false;
	for (size_t i = 0; i < device->count; i++)
		if (device->kind[i] > WEIR_DEVICE_SET || device->device[i] >= trace->device_count ||
		    trace->streams[device->stream[i]].device != device->device[i] ||
		    (device->launch[i] != WEIR_NONE &&
		     trace->host.kind[device->launch[i]] != WEIR_HOST_API) ||
		    (i > 0 && (device->device[i] < device->device[i - 1] ||
		               (device->device[i] == device->device[i - 1] &&
		                device->start_ns[i] < device->start_ns[i - 1]))))
			return false;
	return are_spans(device->start_ns, device->end_ns, device->count);
}

/* Checks the members of a struct that are ids of names. */
static bool are_names(const struct weir_trace *trace, const uint32_t *ids, size_t count)
{
	return are_below(ids, count, weir_names_count(trace->names), false);
}

static bool are_sound_tables(const struct weir_trace *trace)
{
	bool sound = trace->shape_count > 0 && is_boolean(&trace->has_shapes) &&
	             is_boolean(&trace->has_stacks) && is_boolean(&trace->has_memory);

	for (size_t i = 0; sound && i < trace->thread_count; i++)
		sound = are_names(trace, &trace->threads[i].name, 1);
	for (size_t i = 0; sound && i < trace->stream_count; i++)
		sound = trace->streams[i].device < trace->device_count;
	for (size_t i = 0; sound && i < trace->device_count; i++)
		sound = are_names(trace, &trace->devices[i].name, 1) &&
		        is_boolean(&trace->devices[i].described);
	for (size_t i = 0; sound && i < trace->shape_count; i++)
		sound = are_names(trace, &trace->shapes[i].dims, 4);
	for (size_t i = 0; sound && i < trace->collective_count; i++)
		sound = are_names(trace, &trace->collectives[i].name, 4) &&
		        are_below(&trace->collectives[i].device_row, 1, trace->device.count, true);
	for (size_t i = 0; sound && i < trace->sync_count; i++)
		sound = are_names(trace, &trace->syncs[i].kind_name, 1);
	for (size_t i = 0; sound && i < trace->label_count; i++)
		sound = are_names(trace, &trace->labels[i].key, 2);
	return sound;
}

enum weir_status weir_trace_unpack(const void *data, size_t length, struct weir_trace **out,
                                   struct weir_error *err)
{
	struct weir_planes planes = {.in = data, .left = length};
	struct weir_trace *trace = weir_trace_new();

	pass_trace(&planes, trace);
	if (!planes.failed && planes.left == 0 && are_sound_tables(trace) && is_sound_host(trace) &&
	    is_sound_device(trace)) {
		*out = trace;
		return WEIR_OK;
	}
	weir_trace_free(trace);
	return weir_fail(err, WEIR_E_FORMAT, "the columns of the trace are damaged");
}
