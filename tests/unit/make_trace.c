/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "tests/unit/make_trace.h"

struct host_row {
	enum weir_host_kind kind;
	uint32_t thread, name;
	int64_t start_ns, end_ns;
	uint64_t correlation;
	size_t order;
};

struct device_row {
	struct make_device_row row;
	uint32_t name;
	size_t order;
};

struct make_trace {
	struct weir_trace *trace;
	struct host_row *host;
	size_t host_count, host_capacity;
	struct device_row *device;
	size_t device_count, device_capacity;
	uint64_t next_correlation;
};

static uint32_t add_name(struct make_trace *make, const char *name)
{
	return weir_names_add(make->trace->names, name, strlen(name));
}

struct make_trace *make_trace_new(void)
{
	struct make_trace *make = weir_alloc(sizeof(*make));

	make->trace = weir_trace_new();
	make->next_correlation = 1000000;
	return make;
}

void make_host(struct make_trace *make, enum weir_host_kind kind, uint32_t thread, const char *name,
               int64_t start_ns, int64_t end_ns)
{
	make->host = weir_grow(make->host, &make->host_capacity, make->host_count + 1,
	                       sizeof(*make->host));
	make->host[make->host_count] = (struct host_row){
		.kind = kind,
		.thread = thread,
		.name = add_name(make, name),
		.start_ns = start_ns,
		.end_ns = end_ns,
		.order = make->host_count,
	};
	make->host_count++;
}

void make_call(struct make_trace *make, uint32_t thread, const char *name, int64_t start_ns,
               int64_t end_ns, uint64_t correlation)
{
	make_host(make, WEIR_HOST_API, thread, name, start_ns, end_ns);
	make->host[make->host_count - 1].correlation = correlation;
}

void make_device(struct make_trace *make, const struct make_device_row *row)
{
	make->device = weir_grow(make->device, &make->device_capacity, make->device_count + 1,
	                         sizeof(*make->device));
	make->device[make->device_count] = (struct device_row){
		.row = *row,
		.name = add_name(make, row->name),
		.order = make->device_count,
	};
	make->device_count++;
}

void make_kernel(struct make_trace *make, uint32_t stream, const char *name, int64_t start_ns,
                 int64_t end_ns, uint64_t correlation)
{
	make_device(make, &(struct make_device_row){
				  .kind = WEIR_DEVICE_KERNEL,
				  .stream = stream,
				  .name = name,
				  .start_ns = start_ns,
				  .end_ns = end_ns,
				  .bytes = -1,
				  .correlation = correlation,
			  });
}

void make_launch(struct make_trace *make, int64_t call_ns, int64_t return_ns, int64_t start_ns,
                 int64_t end_ns)
{
	uint64_t correlation = make->next_correlation++;

	make_call(make, 0, "cudaLaunchKernel", call_ns, return_ns, correlation);
	make_kernel(make, 0, "kernel", start_ns, end_ns, correlation);
}

void make_memory(struct make_trace *make, int64_t at_ns, int64_t bytes, int64_t allocated_bytes,
                 int64_t reserved_bytes)
{
	struct weir_trace *trace = make->trace;

	trace->memory = weir_grow(trace->memory, &trace->memory_capacity, trace->memory_count + 1,
	                          sizeof(*trace->memory));
	trace->memory[trace->memory_count++] = (struct weir_memory_event){
		.at_ns = at_ns,
		.bytes = bytes,
		.allocated_bytes = allocated_bytes,
		.reserved_bytes = reserved_bytes,
		.device_type = 1,
	};
	trace->has_memory = true;
}

static int compare(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int by_host_order(const void *left, const void *right)
{
	const struct host_row *a = left, *b = right;

	if (a->thread != b->thread)
		return compare(a->thread, b->thread);
	if (a->start_ns != b->start_ns)
		return compare(a->start_ns, b->start_ns);
	if (a->end_ns != b->end_ns)
		return compare(b->end_ns, a->end_ns);
	return compare((int64_t)a->order, (int64_t)b->order);
}

static int by_device_order(const void *left, const void *right)
{
	const struct device_row *a = left, *b = right;

	if (a->row.device != b->row.device)
		return compare(a->row.device, b->row.device);
	if (a->row.start_ns != b->row.start_ns)
		return compare(a->row.start_ns, b->row.start_ns);
	if (a->row.end_ns != b->row.end_ns)
		return compare(b->row.end_ns, a->row.end_ns);
	return compare((int64_t)a->order, (int64_t)b->order);
}

static void fill_host(struct make_trace *make)
{
	struct weir_host_columns *host = &make->trace->host;

	if (make->host_count)
		qsort(make->host, make->host_count, sizeof(*make->host), by_host_order);
	weir_host_columns_reserve(host, make->host_count + 1);
	for (size_t i = 0; i < make->host_count; i++) {
		const struct host_row *row = &make->host[i];

		host->start_ns[i] = row->start_ns;
		host->end_ns[i] = row->end_ns;
		host->name[i] = row->name;
		host->thread[i] = row->thread;
		host->shape[i] = 0;
		host->correlation[i] = row->correlation;
		host->external[i] = 0;
		host->kind[i] = (uint8_t)row->kind;
	}
	host->count = make->host_count;
}

static uint32_t call_with(const struct weir_host_columns *host, uint64_t correlation)
{
	for (size_t i = 0; correlation && i < host->count; i++)
		if (host->correlation[i] == correlation && host->kind[i] == WEIR_HOST_API)
			return (uint32_t)i;
	return WEIR_NONE;
}

static void fill_device(struct make_trace *make)
{
	struct weir_device_columns *device = &make->trace->device;

	if (make->device_count)
		qsort(make->device, make->device_count, sizeof(*make->device), by_device_order);
	weir_device_columns_reserve(device, make->device_count + 1);
	for (size_t i = 0; i < make->device_count; i++) {
		const struct make_device_row *row = &make->device[i].row;

		device->start_ns[i] = row->start_ns;
		device->end_ns[i] = row->end_ns;
		device->name[i] = make->device[i].name;
		device->launch[i] = call_with(&make->trace->host, row->correlation);
		device->stream[i] = row->stream;
		device->correlation[i] = row->correlation;
		device->external[i] = 0;
		device->bytes[i] = row->bytes;
		device->blocks[i] = row->blocks;
		device->threads_per_block[i] = row->threads_per_block;
		device->graph_node[i] = row->graph_node;
		device->device[i] = row->device;
		device->kind[i] = (uint8_t)row->kind;
		device->flags[i] = row->flags;
	}
	device->count = make->device_count;
}

/* Adds every thread, stream and device that a row names. */
static void fill_tables(struct make_trace *make)
{
	struct weir_trace *trace = make->trace;

	trace->device_count = 1;
	for (size_t i = 0; i < make->host_count; i++)
		if (make->host[i].thread >= trace->thread_count)
			trace->thread_count = make->host[i].thread + 1;
	for (size_t i = 0; i < make->device_count; i++) {
		const struct make_device_row *row = &make->device[i].row;

		if (row->stream >= trace->stream_count)
			trace->stream_count = row->stream + 1;
		if (row->device >= trace->device_count)
			trace->device_count = (size_t)row->device + 1;
	}
	trace->threads = weir_grow(NULL, &trace->thread_capacity, trace->thread_count + 1,
	                           sizeof(*trace->threads));
	trace->streams = weir_grow(NULL, &trace->stream_capacity, trace->stream_count + 1,
	                           sizeof(*trace->streams));
	trace->devices = weir_grow(NULL, &trace->device_capacity, trace->device_count,
	                           sizeof(*trace->devices));
	for (size_t i = 0; i < trace->thread_count; i++)
		trace->threads[i] = (struct weir_thread){.pid = 1, .tid = (int64_t)i + 1};
	for (size_t i = 0; i < trace->device_count; i++)
		trace->devices[i] = (struct weir_trace_device){
			.id = (int64_t)i, .memory_bytes = 1000000, .sms = 100, .described = true};
	for (size_t i = 0; i < trace->stream_count; i++)
		trace->streams[i] = (struct weir_stream){.id = (int64_t)i};
	for (size_t i = 0; i < make->device_count; i++)
		trace->streams[make->device[i].row.stream].device = make->device[i].row.device;
}

struct weir_trace *make_trace_finish(struct make_trace *make)
{
	struct weir_trace *trace = make->trace;

	fill_host(make);
	fill_device(make);
	fill_tables(make);
	free(make->host);
	free(make->device);
	free(make);
	return trace;
}
