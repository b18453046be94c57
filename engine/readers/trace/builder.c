/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Collects events into the columns of a trace, in order of arrival. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/trace/builder_impl.h"

struct weir_builder *weir_builder_new(struct weir_input *input)
{
	struct weir_builder *builder = weir_alloc(sizeof(*builder));

	weir_trace_free(input->trace);
	input->trace = weir_trace_new();
	builder->input = input;
	builder->trace = input->trace;
	builder->last_thread = WEIR_NONE;
	builder->last_stream = WEIR_NONE;
	builder->last_device = WEIR_NONE;
	return builder;
}

static size_t expected(size_t count, double times, size_t most)
{
	double all = (double)count * times;

	return all < (double)most ? (size_t)all : most;
}

void weir_builder_expect(struct weir_builder *builder, double times, size_t most)
{
	struct weir_host_columns *host = &builder->trace->host;
	struct weir_device_columns *device = &builder->trace->device;

	weir_host_columns_reserve(host, expected(host->count, times, most));
	weir_device_columns_reserve(device, expected(device->count, times, most));
}

void weir_builder_clear(struct weir_builder *builder)
{
	weir_trace_clear(builder->trace);
	weir_rowmap_clear(&builder->threads);
	weir_rowmap_clear(&builder->streams);
	weir_rowmap_clear(&builder->devices);
	weir_rowmap_clear(&builder->shapes);
	builder->last_thread = builder->last_stream = builder->last_device = WEIR_NONE;
	builder->flows.count = builder->thread_name_count = 0;
	builder->match_by_order = false;
	builder->limit = NULL;
}

void weir_builder_free(struct weir_builder *builder)
{
	if (!builder)
		return;
	weir_rowmap_release(&builder->threads);
	weir_rowmap_release(&builder->streams);
	weir_rowmap_release(&builder->devices);
	weir_rowmap_release(&builder->shapes);
	weir_flows_release(&builder->flows);
	free(builder->thread_names);
	free(builder);
}

uint32_t weir_builder_name(struct weir_builder *builder, struct weir_slice text)
{
	return text.length ? weir_names_add(builder->trace->names, text.data, text.length) : 0;
}

void weir_builder_warn(struct weir_builder *builder, enum weir_warning_code code, uint64_t count,
                       const char *detail)
{
	if (!count)
		return;
	weir_input_warn(builder->input, code, UINT64_MAX, detail);
	builder->input->warnings[code].count += count - 1;
}

/* ---- rows of threads, devices, streams and shapes ---- */

static uint32_t hash_pair(int64_t a, int64_t b)
{
	return weir_rowmap_hash_pair((uint64_t)a, (uint64_t)b);
}

uint32_t weir_builder_find_thread(const struct weir_builder *builder, int64_t pid, int64_t tid)
{
	const struct weir_thread *threads = builder->trace->threads;
	uint32_t row, hash = hash_pair(pid, tid);
	size_t probe = 0;

	while ((row = weir_rowmap_next(&builder->threads, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (threads[row].pid == pid && threads[row].tid == tid)
			return row;
	return WEIR_NONE;
}

static uint32_t add_thread(struct weir_builder *builder, int64_t pid, int64_t tid)
{
	struct weir_trace *trace = builder->trace;
	uint32_t row = (uint32_t)trace->thread_count;

	if (row == WEIR_MAX_THREADS) {
		builder->limit = "threads";
		return WEIR_NONE;
	}
	trace->threads = weir_grow(trace->threads, &trace->thread_capacity, row + 1,
	                           sizeof(*trace->threads));
	trace->threads[row] = (struct weir_thread){.pid = pid, .tid = tid};
	trace->thread_count++;
	weir_rowmap_add(&builder->threads, hash_pair(pid, tid), row);
	return row;
}

uint32_t weir_builder_thread_row(struct weir_builder *builder, int64_t pid, int64_t tid)
{
	uint32_t row = builder->last_thread;

	if (row != WEIR_NONE && builder->trace->threads[row].pid == pid &&
	    builder->trace->threads[row].tid == tid)
		return row;
	row = weir_builder_find_thread(builder, pid, tid);
	if (row == WEIR_NONE)
		row = add_thread(builder, pid, tid);
	builder->last_thread = row;
	return row;
}

uint32_t weir_builder_find_device(const struct weir_builder *builder, int64_t id)
{
	uint32_t row, hash = weir_rowmap_hash((uint64_t)id);
	size_t probe = 0;

	while ((row = weir_rowmap_next(&builder->devices, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (builder->trace->devices[row].id == id)
			return row;
	return WEIR_NONE;
}

static uint32_t add_device(struct weir_builder *builder, const struct weir_trace_device *device)
{
	struct weir_trace *trace = builder->trace;
	size_t row = trace->device_count;

	if (row == WEIR_MAX_DEVICES) {
		builder->limit = "devices";
		return WEIR_NONE;
	}
	trace->devices = weir_grow(trace->devices, &trace->device_capacity, row + 1,
	                           sizeof(*trace->devices));
	trace->devices[row] = *device;
	trace->device_count++;
	weir_rowmap_add(&builder->devices, weir_rowmap_hash((uint64_t)device->id), (uint32_t)row);
	return (uint32_t)row;
}

void weir_builder_match_devices_by_order(struct weir_builder *builder)
{
	builder->match_by_order = true;
}

uint32_t weir_builder_device_row(struct weir_builder *builder, int64_t id)
{
	uint32_t row = builder->last_device;

	if (row != WEIR_NONE && builder->trace->devices[row].id == id)
		return row;
	row = weir_builder_find_device(builder, id);
	if (row == WEIR_NONE)
		row = add_device(builder, &(struct weir_trace_device){.id = id});
	builder->last_device = row;
	return row;
}

void weir_builder_describe_device(struct weir_builder *builder,
                                  const struct weir_trace_device *device)
{
	uint32_t row = weir_builder_find_device(builder, device->id);

	if (row == WEIR_NONE)
		row = add_device(builder, device);
	if (row == WEIR_NONE || builder->trace->devices[row].described)
		return;
	builder->trace->devices[row] = *device;
	builder->trace->devices[row].described = true;
}

uint32_t weir_builder_find_stream(const struct weir_builder *builder, uint32_t device, int64_t id)
{
	const struct weir_stream *streams = builder->trace->streams;
	uint32_t row, hash = hash_pair(device, id);
	size_t probe = 0;

	while ((row = weir_rowmap_next(&builder->streams, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (streams[row].id == id && streams[row].device == device)
			return row;
	return WEIR_NONE;
}

static uint32_t add_stream(struct weir_builder *builder, uint32_t device, int64_t id)
{
	struct weir_trace *trace = builder->trace;
	uint32_t row = (uint32_t)trace->stream_count;

	if (row == WEIR_MAX_STREAMS) {
		builder->limit = "streams";
		return WEIR_NONE;
	}
	trace->streams = weir_grow(trace->streams, &trace->stream_capacity, row + 1,
	                           sizeof(*trace->streams));
	trace->streams[row] = (struct weir_stream){.id = id, .device = (uint16_t)device};
	trace->stream_count++;
	weir_rowmap_add(&builder->streams, hash_pair(device, id), row);
	return row;
}

uint32_t weir_builder_stream_row(struct weir_builder *builder, uint32_t device, int64_t id)
{
	uint32_t row = builder->last_stream;

	if (row != WEIR_NONE && builder->trace->streams[row].id == id &&
	    builder->trace->streams[row].device == device)
		return row;
	row = weir_builder_find_stream(builder, device, id);
	if (row == WEIR_NONE)
		row = add_stream(builder, device, id);
	builder->last_stream = row;
	return row;
}

static bool is_name(const struct weir_names *names, uint32_t id, struct weir_slice text)
{
	return weir_names_length(names, id) == text.length &&
	       (!text.length || !memcmp(weir_names_text(names, id), text.data, text.length));
}

uint32_t weir_builder_shape_row(struct weir_builder *builder, const struct shape_texts *texts)
{
	struct weir_trace *trace = builder->trace;
	struct weir_shape shape;
	uint64_t key;
	uint32_t row, hash;
	size_t probe = 0;

	if (!texts->dims.length && !texts->types.length && !texts->scalars.length)
		return 0;
	key = weir_hash_text(texts->dims.data, texts->dims.length, 0);
	key = weir_hash_text(texts->types.data, texts->types.length, key);
	key = weir_hash_text(texts->strides.data, texts->strides.length, key);
	hash = (uint32_t)(weir_hash_text(texts->scalars.data, texts->scalars.length, key) >> 32);
	while ((row = weir_rowmap_next(&builder->shapes, hash, &probe)) != WEIR_ROWMAP_NONE) {
		shape = trace->shapes[row];
		if (is_name(trace->names, shape.dims, texts->dims) &&
		    is_name(trace->names, shape.types, texts->types) &&
		    is_name(trace->names, shape.scalars, texts->scalars) &&
		    is_name(trace->names, shape.strides, texts->strides))
			return row;
	}
	shape.dims = weir_builder_name(builder, texts->dims);
	shape.types = weir_builder_name(builder, texts->types);
	shape.scalars = weir_builder_name(builder, texts->scalars);
	shape.strides = weir_builder_name(builder, texts->strides);
	row = (uint32_t)trace->shape_count;
	trace->shapes = weir_grow(trace->shapes, &trace->shape_capacity, row + (size_t)1,
	                          sizeof(*trace->shapes));
	trace->shapes[trace->shape_count++] = shape;
	weir_rowmap_add(&builder->shapes, hash, row);
	return row;
}

void weir_builder_name_thread(struct weir_builder *builder, int64_t pid, int64_t tid,
                              struct weir_slice name)
{
	size_t count = builder->thread_name_count;

	while (name.length && name.data[name.length - 1] == ' ') /* "stream 7 " */
		name.length--;
	if (!name.length || count == WEIR_MAX_THREADS)
		return;
	builder->thread_names = weir_grow(builder->thread_names, &builder->thread_name_capacity,
	                                  count + 1, sizeof(*builder->thread_names));
	builder->thread_names[builder->thread_name_count++] =
		(struct thread_name){pid, tid, weir_builder_name(builder, name)};
}

void weir_builder_name_threads(struct weir_builder *builder)
{
	for (size_t i = 0; i < builder->thread_name_count; i++) {
		const struct thread_name *name = &builder->thread_names[i];
		uint32_t row = weir_builder_find_thread(builder, name->pid, name->tid);

		if (row != WEIR_NONE)
			builder->trace->threads[row].name = name->name;
	}
}

void weir_builder_add_label(struct weir_builder *builder, struct weir_slice key,
                            struct weir_slice value)
{
	struct weir_trace *trace = builder->trace;

	if (trace->label_count == WEIR_MAX_LABELS)
		return;
	trace->labels = weir_grow(trace->labels, &trace->label_capacity, trace->label_count + 1,
	                          sizeof(*trace->labels));
	trace->labels[trace->label_count++] = (struct weir_label){
		weir_builder_name(builder, key), weir_builder_name(builder, value)};
}

/* ---- rows of events ---- */

/* Returns true if a column may take another row; else notes the limit that was met. */
static bool has_room(struct weir_builder *builder, size_t count, const char *what)
{
	if (count < WEIR_MAX_ROWS)
		return true;
	builder->limit = what;
	return false;
}

/* Returns true if the difference of any two such times fits int64_t; else counts the event as
 * left out. */
static bool is_time(struct weir_builder *builder, int64_t start_ns, int64_t end_ns, uint64_t at)
{
	if (start_ns > -WEIR_MAX_TIME_NS && end_ns < WEIR_MAX_TIME_NS && start_ns <= end_ns &&
	    end_ns - start_ns <= WEIR_MAX_DURATION_NS)
		return true;
	weir_input_warn(builder->input, WEIR_WARN_NO_TIME, at, "time or duration out of range");
	return false;
}

void weir_builder_add_host(struct weir_builder *builder, const struct weir_host_event *event)
{
	struct weir_host_columns *host = &builder->trace->host;
	size_t row = host->count;
	uint32_t thread;

	if (!is_time(builder, event->start_ns, event->end_ns, event->at))
		return;
	thread = weir_builder_thread_row(builder, event->pid, event->tid);
	if (thread == WEIR_NONE || !has_room(builder, row, "host events"))
		return;
	if (row == host->capacity)
		weir_host_columns_reserve(host, row + 1);
	host->start_ns[row] = event->start_ns;
	host->end_ns[row] = event->end_ns;
	host->name[row] = weir_builder_name(builder, event->name);
	host->thread[row] = thread;
	host->shape[row] = weir_builder_shape_row(
		builder,
		&(struct shape_texts){event->dims, event->types, event->scalars, event->strides});
	host->correlation[row] = event->correlation;
	host->external[row] = event->external;
	host->kind[row] = (uint8_t)event->kind;
	host->count++;
}

bool weir_builder_add_device(struct weir_builder *builder, const struct weir_device_event *event)
{
	struct weir_device_columns *rows = &builder->trace->device;
	size_t row = rows->count;
	uint32_t device, stream;

	if (!is_time(builder, event->start_ns, event->end_ns, event->at))
		return false;
	device = weir_builder_device_row(builder, event->device);
	stream = device == WEIR_NONE ? WEIR_NONE
	                             : weir_builder_stream_row(builder, device, event->stream);
	if (stream == WEIR_NONE || !has_room(builder, row, "device events"))
		return false;
	if (row == rows->capacity)
		weir_device_columns_reserve(rows, row + 1);
	rows->start_ns[row] = event->start_ns;
	rows->end_ns[row] = event->end_ns;
	rows->name[row] = weir_builder_name(builder, event->name);
	rows->launch[row] = WEIR_NONE;
	rows->stream[row] = stream;
	rows->correlation[row] = event->correlation;
	rows->external[row] = event->external;
	rows->graph_node[row] = event->graph_node;
	rows->bytes[row] = event->bytes;
	rows->blocks[row] = event->blocks;
	rows->threads_per_block[row] = event->threads_per_block;
	rows->device[row] = (uint16_t)device;
	rows->kind[row] = (uint8_t)event->kind;
	rows->flags[row] = event->in_graph ? WEIR_DEVICE_IN_GRAPH : 0;
	rows->count++;
	return true;
}

void weir_builder_repeat_host(struct weir_builder *builder, const struct weir_repeated_event *event)
{
	struct weir_host_columns *host = &builder->trace->host;
	size_t row = host->count, from = event->row;

	if (!is_time(builder, event->start_ns, event->end_ns, event->at) ||
	    !has_room(builder, row, "host events"))
		return;
	if (row == host->capacity)
		weir_host_columns_reserve(host, row + 1);
	host->start_ns[row] = event->start_ns;
	host->end_ns[row] = event->end_ns;
	host->name[row] = host->name[from];
	host->thread[row] = host->thread[from];
	host->shape[row] = host->shape[from];
	host->correlation[row] = host->kind[from] == WEIR_HOST_API ? event->correlation : 0;
	host->external[row] = event->external;
	host->kind[row] = host->kind[from];
	host->count++;
}

void weir_builder_repeat_device(struct weir_builder *builder,
                                const struct weir_repeated_event *event)
{
	struct weir_device_columns *rows = &builder->trace->device;
	size_t row = rows->count, from = event->row;

	if (!is_time(builder, event->start_ns, event->end_ns, event->at) ||
	    !has_room(builder, row, "device events"))
		return;
	if (row == rows->capacity)
		weir_device_columns_reserve(rows, row + 1);
	rows->start_ns[row] = event->start_ns;
	rows->end_ns[row] = event->end_ns;
	rows->name[row] = rows->name[from];
	rows->launch[row] = WEIR_NONE;
	rows->stream[row] = rows->stream[from];
	rows->correlation[row] = event->correlation;
	rows->external[row] = event->external;
	rows->graph_node[row] = rows->graph_node[from];
	rows->bytes[row] = rows->bytes[from];
	rows->blocks[row] = rows->blocks[from];
	rows->threads_per_block[row] = rows->threads_per_block[from];
	rows->device[row] = rows->device[from];
	rows->kind[row] = rows->kind[from];
	rows->flags[row] = rows->flags[from];
	rows->count++;
}

static struct weir_collective *add_collective(struct weir_builder *builder,
                                              const struct weir_collective_event *event)
{
	struct weir_trace *trace = builder->trace;
	struct weir_collective *row;

	if (!has_room(builder, trace->collective_count, "collectives"))
		return NULL;
	trace->collectives = weir_grow(trace->collectives, &trace->collective_capacity,
	                               trace->collective_count + 1, sizeof(*trace->collectives));
	row = &trace->collectives[trace->collective_count++];
	*row = (struct weir_collective){
		.device_row = WEIR_NONE,
		.name = weir_builder_name(builder, event->name),
		.group = weir_builder_name(builder, event->group),
		.members = weir_builder_name(builder, event->members),
		.dtype = weir_builder_name(builder, event->dtype),
		.elements_in = event->elements_in,
		.elements_out = event->elements_out,
		.group_size = event->group_size,
		.sequence = event->sequence,
	};
	return row;
}

void weir_builder_add_device_collective(struct weir_builder *builder,
                                        const struct weir_collective_event *event)
{
	const struct weir_device_columns *rows = &builder->trace->device;
	struct weir_collective *collective;

	if (!rows->count)
		return;
	collective = add_collective(builder, event);
	if (!collective)
		return;
	collective->device_row = (uint32_t)(rows->count - 1);
	collective->external = rows->external[rows->count - 1];
}

void weir_builder_add_host_collective(struct weir_builder *builder,
                                      const struct weir_collective_event *event, uint64_t external)
{
	struct weir_collective *collective = add_collective(builder, event);

	if (collective)
		collective->external = external;
}

void weir_builder_add_memory(struct weir_builder *builder, const struct weir_memory_event *event)
{
	struct weir_trace *trace = builder->trace;

	if (!has_room(builder, trace->memory_count, "memory events"))
		return;
	trace->memory = weir_grow(trace->memory, &trace->memory_capacity, trace->memory_count + 1,
	                          sizeof(*event));
	trace->memory[trace->memory_count++] = *event;
}

void weir_builder_add_sync(struct weir_builder *builder, const struct weir_sync_event *event)
{
	struct weir_trace *trace = builder->trace;

	if (!has_room(builder, trace->sync_count, "synchronisation records"))
		return;
	trace->syncs = weir_grow(trace->syncs, &trace->sync_capacity, trace->sync_count + 1,
	                         sizeof(*event));
	trace->syncs[trace->sync_count++] = *event;
}

static void add_backward_flow(struct weir_builder *builder, const struct weir_flow_event *event,
                              uint32_t thread)
{
	struct weir_trace *trace = builder->trace;

	if (thread == WEIR_NONE || !has_room(builder, trace->flow_count, "flows"))
		return;
	trace->flows = weir_grow(trace->flows, &trace->flow_capacity, trace->flow_count + 1,
	                         sizeof(*trace->flows));
	trace->flows[trace->flow_count++] = (struct weir_flow){
		.id = event->id,
		.at_ns = event->at_ns,
		.thread = thread,
		.kind = (uint8_t)event->kind,
		.finish = event->finish,
	};
}

void weir_builder_add_flow(struct weir_builder *builder, const struct weir_flow_event *event)
{
	if (event->kind == WEIR_FLOW_BACKWARD) {
		add_backward_flow(builder, event,
		                  weir_builder_thread_row(builder, event->pid, event->tid));
		return;
	}
	if (has_room(builder, builder->flows.count, "flows"))
		weir_flows_add(&builder->flows, event);
}

size_t weir_builder_launch_flows(const struct weir_builder *builder)
{
	return builder->flows.count;
}

const struct weir_flow_event *weir_builder_last_launch_flow(const struct weir_builder *builder)
{
	return weir_flows_at(&builder->flows, builder->flows.count - 1);
}
