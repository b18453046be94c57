/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of threads, devices, streams and shapes for the ids that events carry. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/trace/builder_impl.h"

static uint32_t hash_pair(int64_t a, int64_t b)
{
	return weir_rowmap_hash(((uint64_t)a * UINT64_C(0xd6e8feb86659fd93)) ^ (uint64_t)b);
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

uint32_t weir_builder_thread(struct weir_builder *builder, int64_t pid, int64_t tid)
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

uint32_t weir_builder_device(struct weir_builder *builder, int64_t id)
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

uint32_t weir_builder_stream(struct weir_builder *builder, uint32_t device, int64_t id)
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

uint32_t weir_builder_shape(struct weir_builder *builder, const struct weir_host_event *event)
{
	struct weir_trace *trace = builder->trace;
	struct weir_shape shape;
	uint64_t key;
	uint32_t row, hash;
	size_t probe = 0;

	if (!event->dims.length && !event->types.length && !event->scalars.length)
		return 0;
	key = weir_rowmap_hash_text(event->dims.data, event->dims.length, 0);
	key = weir_rowmap_hash_text(event->types.data, event->types.length, key);
	key = weir_rowmap_hash_text(event->strides.data, event->strides.length, key);
	hash = weir_rowmap_hash(
		weir_rowmap_hash_text(event->scalars.data, event->scalars.length, key));
	while ((row = weir_rowmap_next(&builder->shapes, hash, &probe)) != WEIR_ROWMAP_NONE) {
		shape = trace->shapes[row];
		if (is_name(trace->names, shape.dims, event->dims) &&
		    is_name(trace->names, shape.types, event->types) &&
		    is_name(trace->names, shape.scalars, event->scalars) &&
		    is_name(trace->names, shape.strides, event->strides))
			return row;
	}
	shape.dims = weir_builder_name(builder, event->dims);
	shape.types = weir_builder_name(builder, event->types);
	shape.scalars = weir_builder_name(builder, event->scalars);
	shape.strides = weir_builder_name(builder, event->strides);
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
