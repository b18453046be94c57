/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/readers/trace/builder.h"
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

void weir_builder_free(struct weir_builder *builder)
{
	if (!builder)
		return;
	weir_rowmap_release(&builder->threads);
	weir_rowmap_release(&builder->streams);
	weir_rowmap_release(&builder->devices);
	weir_rowmap_release(&builder->shapes);
	free(builder->flows);
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

/* One more row of a column; false once there are too many. */
static bool has_room(struct weir_builder *builder, size_t count, const char *what)
{
	if (count < WEIR_MAX_ROWS)
		return true;
	builder->limit = what;
	return false;
}

/* Keeps differences of any two times in range; what is left out is counted. */
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
	thread = weir_builder_thread(builder, event->pid, event->tid);
	if (thread == WEIR_NONE || !has_room(builder, row, "host events"))
		return;
	if (row == host->capacity)
		weir_host_columns_reserve(host, row + 1);
	host->start_ns[row] = event->start_ns;
	host->end_ns[row] = event->end_ns;
	host->name[row] = weir_builder_name(builder, event->name);
	host->thread[row] = thread;
	host->shape[row] = weir_builder_shape(builder, event);
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
	device = weir_builder_device(builder, event->device);
	stream = device == WEIR_NONE ? WEIR_NONE
	                             : weir_builder_stream(builder, device, event->stream);
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
		                  weir_builder_thread(builder, event->pid, event->tid));
		return;
	}
	if (!has_room(builder, builder->flow_count, "flows"))
		return;
	builder->flows = weir_grow(builder->flows, &builder->flow_capacity, builder->flow_count + 1,
	                           sizeof(*builder->flows));
	builder->flows[builder->flow_count++] = *event;
}

enum weir_status weir_builder_finish(struct weir_builder *builder, struct weir_error *err)
{
	if (builder->limit)
		return weir_fail(err, WEIR_E_LIMIT,
		                 "too many %s: a trace may hold %u rows, %u threads, %u streams "
		                 "and %u devices",
		                 builder->limit, WEIR_MAX_ROWS, WEIR_MAX_THREADS, WEIR_MAX_STREAMS,
		                 WEIR_MAX_DEVICES);
	weir_builder_drop_far_off(builder);
	weir_builder_join_launches(builder);
	weir_builder_name_threads(builder);
	weir_builder_sort_host(builder);
	weir_builder_order_devices(builder);
	weir_builder_sort_device(builder);
	weir_builder_join_collectives(builder);
	weir_builder_check(builder);
	return WEIR_OK;
}
