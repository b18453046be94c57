/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/model/trace.h"

/* Location of an array's pointer in a struct of columns, and the size of an element. */
struct column {
	size_t offset, size;
};

#define COLUMN(table, member)                                                                      \
	{                                                                                          \
		offsetof(struct table, member), sizeof(*((struct table *)0)->member)               \
	}

static const struct column host_columns[] = {
	COLUMN(weir_host_columns, start_ns), COLUMN(weir_host_columns, end_ns),
	COLUMN(weir_host_columns, name),     COLUMN(weir_host_columns, thread),
	COLUMN(weir_host_columns, shape),    COLUMN(weir_host_columns, correlation),
	COLUMN(weir_host_columns, external), COLUMN(weir_host_columns, kind),
};

static const struct column device_columns[] = {
	COLUMN(weir_device_columns, start_ns), COLUMN(weir_device_columns, end_ns),
	COLUMN(weir_device_columns, name),     COLUMN(weir_device_columns, launch),
	COLUMN(weir_device_columns, stream),   COLUMN(weir_device_columns, correlation),
	COLUMN(weir_device_columns, external), COLUMN(weir_device_columns, bytes),
	COLUMN(weir_device_columns, blocks),   COLUMN(weir_device_columns, threads_per_block),
	COLUMN(weir_device_columns, device),   COLUMN(weir_device_columns, kind),
	COLUMN(weir_device_columns, flags),    COLUMN(weir_device_columns, graph_node),
};

/* Pointers have different types, so they are copied as bytes. */
static void *column_data(const void *table, const struct column *column)
{
	void *data;

	memcpy(&data, (const char *)table + column->offset, sizeof(data));
	return data;
}

/* All columns of a table have the same capacity. */
static size_t grow_columns(void *table, size_t capacity, size_t need, const struct column *columns,
                           size_t count)
{
	size_t grown = capacity;

	for (size_t i = 0; i < count; i++) {
		void *data = column_data(table, &columns[i]);

		grown = capacity;
		data = weir_grow(data, &grown, need, columns[i].size);
		memcpy((char *)table + columns[i].offset, &data, sizeof(data));
	}
	return grown;
}

static void free_columns(const void *table, const struct column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(column_data(table, &columns[i]));
}

void weir_host_columns_reserve(struct weir_host_columns *columns, size_t need)
{
	columns->capacity = grow_columns(columns, columns->capacity, need, host_columns,
	                                 WEIR_COUNT_OF(host_columns));
}

void weir_device_columns_reserve(struct weir_device_columns *columns, size_t need)
{
	columns->capacity = grow_columns(columns, columns->capacity, need, device_columns,
	                                 WEIR_COUNT_OF(device_columns));
}

/* Cuts each column to `rows` rows, which are at most as many as it has room for. */
static void trim_columns(void *table, size_t rows, const struct column *columns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		void *data =
			weir_trim_block(column_data(table, &columns[i]), rows * columns[i].size);

		memcpy((char *)table + columns[i].offset, &data, sizeof(data));
	}
}

void weir_trace_trim(struct weir_trace *trace)
{
	struct weir_host_columns *host = &trace->host;
	struct weir_device_columns *device = &trace->device;

	trim_columns(host, host->count, host_columns, WEIR_COUNT_OF(host_columns));
	trim_columns(device, device->count, device_columns, WEIR_COUNT_OF(device_columns));
	/* The least that all columns have room for. */
	host->capacity = host->count;
	device->capacity = device->count;
}

struct weir_trace *weir_trace_new(void)
{
	struct weir_trace *trace = weir_alloc(sizeof(*trace));

	trace->names = weir_names_new();
	trace->shapes = weir_grow(NULL, &trace->shape_capacity, 1, sizeof(*trace->shapes));
	trace->shapes[trace->shape_count++] = (struct weir_shape){0}; /* empty names */
	trace->rank = -1;
	return trace;
}

void weir_trace_clear(struct weir_trace *trace)
{
	weir_names_clear(trace->names);
	trace->host.count = trace->device.count = 0;
	trace->thread_count = trace->stream_count = trace->device_count = 0;
	trace->collective_count = trace->memory_count = trace->sync_count = 0;
	trace->flow_count = trace->label_count = 0;
	trace->shape_count = 1; /* the empty one */
	trace->base_ns = trace->world_size = 0;
	trace->rank = -1;
	trace->has_shapes = trace->has_stacks = trace->has_memory = false;
}

void weir_trace_free(struct weir_trace *trace)
{
	if (!trace)
		return;
	free_columns(&trace->host, host_columns, WEIR_COUNT_OF(host_columns));
	free_columns(&trace->device, device_columns, WEIR_COUNT_OF(device_columns));
	free(trace->threads);
	free(trace->streams);
	free(trace->devices);
	free(trace->shapes);
	free(trace->collectives);
	free(trace->memory);
	free(trace->syncs);
	free(trace->flows);
	free(trace->labels);
	weir_names_free(trace->names);
	free(trace);
}
