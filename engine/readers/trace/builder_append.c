/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the events of one builder to another. Rows refer to names, threads, devices, streams and
 * shapes by number; a table for each gives the numbers in the other builder. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/trace/builder_impl.h"

/* The numbers of the appended builder's rows in the other one; owned. */
struct numbers {
	uint32_t *names, *threads, *devices, *streams, *shapes;
};

static bool fits(const struct weir_builder *to, const struct weir_builder *from)
{
	const struct weir_trace *a = to->trace, *b = from->trace;

	return !to->limit && !from->limit &&
	       a->thread_count + b->thread_count <= WEIR_MAX_THREADS &&
	       a->device_count + b->device_count <= WEIR_MAX_DEVICES &&
	       a->stream_count + b->stream_count <= WEIR_MAX_STREAMS &&
	       a->host.count + b->host.count <= WEIR_MAX_ROWS &&
	       a->device.count + b->device.count <= WEIR_MAX_ROWS &&
	       a->collective_count + b->collective_count <= WEIR_MAX_ROWS &&
	       a->memory_count + b->memory_count <= WEIR_MAX_ROWS &&
	       a->sync_count + b->sync_count <= WEIR_MAX_ROWS &&
	       a->flow_count + b->flow_count <= WEIR_MAX_ROWS &&
	       to->flows.count + from->flows.count <= WEIR_MAX_ROWS &&
	       to->thread_name_count + from->thread_name_count <= WEIR_MAX_THREADS;
}

static struct weir_slice text_of(const struct weir_names *names, uint32_t id)
{
	return (struct weir_slice){weir_names_text(names, id), weir_names_length(names, id)};
}

static uint32_t *new_numbers(size_t count)
{
	return weir_realloc(NULL, (count + 1) * sizeof(uint32_t));
}

/* Adds the names and places in the order in which the appended builder met them: the order of
 * the events. */
static void number(struct weir_builder *to, const struct weir_builder *from, struct numbers *out)
{
	const struct weir_trace *trace = from->trace;
	size_t names = weir_names_count(trace->names);

	out->names = new_numbers(names);
	for (uint32_t i = 0; i < names; i++)
		out->names[i] = weir_builder_name(to, text_of(trace->names, i));
	out->threads = new_numbers(trace->thread_count);
	for (size_t i = 0; i < trace->thread_count; i++)
		out->threads[i] =
			weir_builder_thread_row(to, trace->threads[i].pid, trace->threads[i].tid);
	out->devices = new_numbers(trace->device_count);
	for (size_t i = 0; i < trace->device_count; i++)
		out->devices[i] = weir_builder_device_row(to, trace->devices[i].id);
	out->streams = new_numbers(trace->stream_count);
	for (size_t i = 0; i < trace->stream_count; i++)
		out->streams[i] = weir_builder_stream_row(
			to, out->devices[trace->streams[i].device], trace->streams[i].id);
	out->shapes = new_numbers(trace->shape_count);
	for (size_t i = 0; i < trace->shape_count; i++) {
		const struct weir_shape *shape = &trace->shapes[i];

		out->shapes[i] =
			weir_builder_shape_row(to, &(struct shape_texts){
							   text_of(trace->names, shape->dims),
							   text_of(trace->names, shape->types),
							   text_of(trace->names, shape->scalars),
							   text_of(trace->names, shape->strides),
						   });
	}
}

static void release(struct numbers *numbers)
{
	free(numbers->names);
	free(numbers->threads);
	free(numbers->devices);
	free(numbers->streams);
	free(numbers->shapes);
}

static void renumber(uint32_t *to, const uint32_t *from, size_t count, const uint32_t *numbers)
{
	for (size_t i = 0; i < count; i++)
		to[i] = numbers[from[i]];
}

#define COPY(to, from, column, row)                                                                \
	memcpy((to)->column + (row), (from)->column, (from)->count * sizeof(*(from)->column))

static void append_host(struct weir_host_columns *to, const struct weir_host_columns *from,
                        const struct numbers *numbers)
{
	size_t row = to->count, count = from->count;

	if (!count)
		return;
	weir_host_columns_reserve(to, row + count);
	COPY(to, from, start_ns, row);
	COPY(to, from, end_ns, row);
	COPY(to, from, correlation, row);
	COPY(to, from, external, row);
	COPY(to, from, kind, row);
	renumber(to->name + row, from->name, count, numbers->names);
	renumber(to->thread + row, from->thread, count, numbers->threads);
	renumber(to->shape + row, from->shape, count, numbers->shapes);
	to->count += count;
}

static void append_device(struct weir_device_columns *to, const struct weir_device_columns *from,
                          const struct numbers *numbers)
{
	size_t row = to->count, count = from->count;

	if (!count)
		return;
	weir_device_columns_reserve(to, row + count);
	COPY(to, from, start_ns, row);
	COPY(to, from, end_ns, row);
	COPY(to, from, launch, row); /* WEIR_NONE before the traces are joined */
	COPY(to, from, correlation, row);
	COPY(to, from, external, row);
	COPY(to, from, graph_node, row);
	COPY(to, from, bytes, row);
	COPY(to, from, blocks, row);
	COPY(to, from, threads_per_block, row);
	COPY(to, from, kind, row);
	COPY(to, from, flags, row);
	renumber(to->name + row, from->name, count, numbers->names);
	renumber(to->stream + row, from->stream, count, numbers->streams);
	for (size_t i = 0; i < count; i++)
		to->device[row + i] = (uint16_t)numbers->devices[from->device[i]];
	to->count += count;
}

static void append_collectives(struct weir_trace *to, const struct weir_trace *from,
                               const struct numbers *numbers, size_t first_row)
{
	size_t count = to->collective_count + from->collective_count;

	to->collectives = weir_grow(to->collectives, &to->collective_capacity, count,
	                            sizeof(*to->collectives));
	for (size_t i = 0; i < from->collective_count; i++) {
		struct weir_collective *out = &to->collectives[to->collective_count++];

		*out = from->collectives[i];
		if (out->device_row != WEIR_NONE)
			out->device_row += (uint32_t)first_row;
		out->name = numbers->names[out->name];
		out->group = numbers->names[out->group];
		out->members = numbers->names[out->members];
		out->dtype = numbers->names[out->dtype];
	}
}

static void append_records(struct weir_trace *to, const struct weir_trace *from,
                           const struct numbers *numbers)
{
	to->memory = weir_grow(to->memory, &to->memory_capacity,
	                       to->memory_count + from->memory_count, sizeof(*to->memory));
	for (size_t i = 0; i < from->memory_count; i++)
		to->memory[to->memory_count++] = from->memory[i];
	to->syncs = weir_grow(to->syncs, &to->sync_capacity, to->sync_count + from->sync_count,
	                      sizeof(*to->syncs));
	for (size_t i = 0; i < from->sync_count; i++) {
		to->syncs[to->sync_count] = from->syncs[i];
		to->syncs[to->sync_count++].kind_name = numbers->names[from->syncs[i].kind_name];
	}
	to->flows = weir_grow(to->flows, &to->flow_capacity, to->flow_count + from->flow_count,
	                      sizeof(*to->flows));
	for (size_t i = 0; i < from->flow_count; i++) {
		to->flows[to->flow_count] = from->flows[i];
		to->flows[to->flow_count++].thread = numbers->threads[from->flows[i].thread];
	}
}

static void append_notes(struct weir_builder *to, const struct weir_builder *from,
                         const struct numbers *numbers)
{
	for (size_t i = 0; i < from->flows.count; i++)
		weir_flows_add(&to->flows, weir_flows_at(&from->flows, i));
	to->thread_names = weir_grow(to->thread_names, &to->thread_name_capacity,
	                             to->thread_name_count + from->thread_name_count,
	                             sizeof(*to->thread_names));
	for (size_t i = 0; i < from->thread_name_count; i++) {
		to->thread_names[to->thread_name_count] = from->thread_names[i];
		to->thread_names[to->thread_name_count++].name =
			numbers->names[from->thread_names[i].name];
	}
}

bool weir_builder_append(struct weir_builder *builder, const struct weir_builder *from)
{
	size_t first_row = builder->trace->device.count;
	struct numbers numbers;

	if (!fits(builder, from))
		return false;
	number(builder, from, &numbers);
	append_host(&builder->trace->host, &from->trace->host, &numbers);
	append_device(&builder->trace->device, &from->trace->device, &numbers);
	append_collectives(builder->trace, from->trace, &numbers, first_row);
	append_records(builder->trace, from->trace, &numbers);
	append_notes(builder, from, &numbers);
	release(&numbers);
	return true;
}
