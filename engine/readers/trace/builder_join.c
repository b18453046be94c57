/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The joins between what the host asked for and what the device did. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/trace/builder_impl.h"

/* Host calls by correlation id; of several with one id the first that arrived counts. */
static void index_launches(struct weir_builder *builder, struct weir_rowmap *map)
{
	const struct weir_host_columns *host = &builder->trace->host;
	uint64_t duplicates = 0;

	for (size_t i = 0; i < host->count; i++) {
		uint64_t id = host->correlation[i];
		uint32_t row, hash;
		size_t probe = 0;

		if (!id || host->kind[i] != WEIR_HOST_API)
			continue;
		hash = weir_rowmap_hash(id);
		while ((row = weir_rowmap_next(map, hash, &probe)) != WEIR_ROWMAP_NONE)
			if (host->correlation[row] == id)
				break;
		if (row == WEIR_ROWMAP_NONE)
			weir_rowmap_add(map, hash, (uint32_t)i);
		else
			duplicates++;
	}
	weir_builder_warn(builder, WEIR_WARN_DUPLICATE_LAUNCH, duplicates, NULL);
}

static uint32_t find_launch(const struct weir_host_columns *host, const struct weir_rowmap *map,
                            uint64_t id)
{
	uint32_t row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(map, weir_rowmap_hash(id), &probe)) != WEIR_ROWMAP_NONE)
		if (host->correlation[row] == id)
			return row;
	return WEIR_NONE;
}

/* Where something happened: a thread or a stream, and when. */
static uint32_t hash_place(uint32_t place, int64_t at_ns)
{
	return weir_rowmap_hash(((uint64_t)at_ns * UINT64_C(0x9fb21c651e98df25)) ^ place);
}

static uint32_t find_call(const struct weir_host_columns *host, const struct weir_rowmap *calls,
                          uint32_t thread, int64_t at_ns)
{
	uint32_t row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(calls, hash_place(thread, at_ns), &probe)) !=
	       WEIR_ROWMAP_NONE)
		if (host->thread[row] == thread && host->start_ns[row] == at_ns)
			return row;
	return WEIR_NONE;
}

static void index_calls(const struct weir_host_columns *host, struct weir_rowmap *calls)
{
	for (size_t i = 0; i < host->count; i++) {
		uint32_t thread = host->thread[i];
		int64_t at_ns = host->start_ns[i];

		if (host->kind[i] == WEIR_HOST_API &&
		    find_call(host, calls, thread, at_ns) == WEIR_NONE)
			weir_rowmap_add(calls, hash_place(thread, at_ns), (uint32_t)i);
	}
}

static const struct weir_flow_event *find_flow(const struct weir_builder *builder,
                                               const struct weir_rowmap *starts, uint64_t id)
{
	uint32_t row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(starts, weir_rowmap_hash(id), &probe)) != WEIR_ROWMAP_NONE)
		if (builder->flows[row].id == id)
			return &builder->flows[row];
	return NULL;
}

static void index_starts(const struct weir_builder *builder, struct weir_rowmap *starts)
{
	for (size_t i = 0; i < builder->flow_count; i++) {
		const struct weir_flow_event *flow = &builder->flows[i];

		if (!flow->finish && !find_flow(builder, starts, flow->id))
			weir_rowmap_add(starts, weir_rowmap_hash(flow->id), (uint32_t)i);
	}
}

static uint32_t find_work(const struct weir_device_columns *device,
                          const struct weir_rowmap *unjoined, uint32_t stream, int64_t at_ns)
{
	uint32_t row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(unjoined, hash_place(stream, at_ns), &probe)) !=
	       WEIR_ROWMAP_NONE)
		if (device->stream[row] == stream && device->start_ns[row] == at_ns)
			return row;
	return WEIR_NONE;
}

/* Device rows without a correlation id; of several that start at once on one stream the first. */
static void index_unjoined(const struct weir_device_columns *device, struct weir_rowmap *unjoined)
{
	for (size_t i = 0; i < device->count; i++) {
		uint32_t stream = device->stream[i];
		int64_t at_ns = device->start_ns[i];

		if (!device->correlation[i] &&
		    find_work(device, unjoined, stream, at_ns) == WEIR_NONE)
			weir_rowmap_add(unjoined, hash_place(stream, at_ns), (uint32_t)i);
	}
}

/* The device row that a flow ends at. */
static uint32_t find_finish(const struct weir_builder *builder, const struct weir_rowmap *unjoined,
                            const struct weir_flow_event *flow)
{
	uint32_t stream, device = weir_builder_find_device(builder, flow->pid);

	if (device == WEIR_NONE)
		return WEIR_NONE;
	stream = weir_builder_find_stream(builder, device, flow->tid);
	return find_work(&builder->trace->device, unjoined, stream, flow->at_ns);
}

static void join_flow(struct weir_builder *builder, const struct weir_flow_event *start,
                      const struct weir_rowmap *calls, uint32_t work)
{
	struct weir_trace *trace = builder->trace;
	uint32_t thread = weir_builder_find_thread(builder, start->pid, start->tid);

	if (thread != WEIR_NONE)
		trace->device.launch[work] = find_call(&trace->host, calls, thread, start->at_ns);
}

/* Work whose arguments name no launch is joined through the arrows that viewers draw, where the
 * trace has them. */
static void join_by_flow(struct weir_builder *builder)
{
	struct weir_rowmap calls = {0}, starts = {0}, unjoined = {0};

	index_unjoined(&builder->trace->device, &unjoined);
	if (unjoined.count && builder->flow_count) {
		index_calls(&builder->trace->host, &calls);
		index_starts(builder, &starts);
		for (size_t i = 0; i < builder->flow_count; i++) {
			const struct weir_flow_event *start, *flow = &builder->flows[i];
			uint32_t work =
				flow->finish ? find_finish(builder, &unjoined, flow) : WEIR_NONE;

			start = work == WEIR_NONE ? NULL : find_flow(builder, &starts, flow->id);
			if (start)
				join_flow(builder, start, &calls, work);
		}
	}
	weir_rowmap_release(&calls);
	weir_rowmap_release(&starts);
	weir_rowmap_release(&unjoined);
}

void weir_builder_join_launches(struct weir_builder *builder)
{
	struct weir_device_columns *device = &builder->trace->device;
	struct weir_rowmap map = {0};

	index_launches(builder, &map);
	for (size_t i = 0; i < device->count; i++)
		if (device->correlation[i])
			device->launch[i] =
				find_launch(&builder->trace->host, &map, device->correlation[i]);
	weir_rowmap_release(&map);
	join_by_flow(builder);
}

static bool is_communication(const struct weir_trace *trace, uint32_t row)
{
	const char *name = weir_names_text(trace->names, trace->device.name[row]);

	return strstr(name, "nccl") || strstr(name, "rccl") || strstr(name, "Nccl") ||
	       strstr(name, "NCCL");
}

static uint32_t find_collective(const struct weir_trace *trace, const struct weir_rowmap *map,
                                uint64_t external)
{
	uint32_t row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(map, weir_rowmap_hash(external), &probe)) !=
	       WEIR_ROWMAP_NONE)
		if (trace->collectives[row].external == external)
			return row;
	return WEIR_NONE;
}

/* Records by external id: those of kernels or those of the host. */
static void index_collectives(const struct weir_trace *trace, bool of_device,
                              struct weir_rowmap *map)
{
	for (size_t i = 0; i < trace->collective_count; i++)
		if ((trace->collectives[i].device_row != WEIR_NONE) == of_device &&
		    trace->collectives[i].external &&
		    find_collective(trace, map, trace->collectives[i].external) == WEIR_NONE)
			weir_rowmap_add(map, weir_rowmap_hash(trace->collectives[i].external),
			                (uint32_t)i);
}

/* What only the record on the host says: sequence numbers are written there first. */
static void complete(struct weir_collective *own, const struct weir_collective *host)
{
	if (own->sequence < 0)
		own->sequence = host->sequence;
	if (own->members == 0)
		own->members = host->members;
	if (own->group_size <= 0)
		own->group_size = host->group_size;
}

/* Leaves out host records that say again what a kernel's own arguments say. */
static void drop_repeated(struct weir_trace *trace)
{
	bool *repeated = weir_alloc(trace->collective_count * sizeof(*repeated));
	struct weir_rowmap own = {0};
	size_t kept = 0;

	index_collectives(trace, true, &own);
	for (size_t i = 0; i < trace->collective_count; i++) {
		uint32_t kernel = WEIR_NONE;

		if (trace->collectives[i].device_row == WEIR_NONE)
			kernel = find_collective(trace, &own, trace->collectives[i].external);
		repeated[i] = kernel != WEIR_NONE;
		if (repeated[i])
			complete(&trace->collectives[kernel], &trace->collectives[i]);
	}
	for (size_t i = 0; i < trace->collective_count; i++)
		if (!repeated[i])
			trace->collectives[kept++] = trace->collectives[i];
	trace->collective_count = kept;
	weir_rowmap_release(&own);
	free(repeated);
}

void weir_builder_join_collectives(struct weir_builder *builder)
{
	struct weir_trace *trace = builder->trace;
	struct weir_rowmap hosts = {0};

	if (!trace->collective_count)
		return;
	drop_repeated(trace);
	index_collectives(trace, false, &hosts);
	for (size_t i = 0; hosts.count && i < trace->device.count; i++) {
		uint32_t record;

		if (!trace->device.external[i] || !is_communication(trace, (uint32_t)i))
			continue;
		record = find_collective(trace, &hosts, trace->device.external[i]);
		if (record != WEIR_NONE && trace->collectives[record].device_row == WEIR_NONE)
			trace->collectives[record].device_row = (uint32_t)i;
	}
	weir_rowmap_release(&hosts);
}
