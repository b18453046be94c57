/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins device work with the calls that launched it: by correlation ids, else by flows. */
#include "engine/base/pool.h"
#include "engine/readers/trace/builder_impl.h"

#define PIECES 16 /* of the device table; threads take one after the other */

static size_t count_calls(const struct weir_host_columns *host)
{
	size_t count = 0;

	for (size_t i = 0; i < host->count; i++)
		count += host->kind[i] == WEIR_HOST_API && host->correlation[i];
	return count;
}

void weir_builder_index_launches(struct weir_builder *builder, struct weir_rowmap *map)
{
	const struct weir_host_columns *host = &builder->trace->host;
	uint64_t duplicates = 0;

	weir_rowmap_reserve(map, count_calls(host));
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

/* Hashes a thread or a stream and a time on it. */
static uint32_t hash_place(uint32_t place, int64_t at_ns)
{
	return weir_rowmap_hash_pair((uint64_t)at_ns, place);
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
		if (weir_flows_at(&builder->flows, row)->id == id)
			return weir_flows_at(&builder->flows, row);
	return NULL;
}

static void index_starts(const struct weir_builder *builder, struct weir_rowmap *starts)
{
	for (size_t i = 0; i < builder->flows.count; i++) {
		const struct weir_flow_event *flow = weir_flows_at(&builder->flows, i);

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

/* Indexes device rows without a correlation id by stream and start. If several start at the same
 * time on one stream, the first that arrived counts. */
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

/* Returns the device row at which a flow ends; WEIR_NONE if no row starts there. */
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

/* Joins device work without a correlation id to its launch through flow events, the arrows that
 * viewers draw. */
static void join_by_flow(struct weir_builder *builder)
{
	struct weir_rowmap calls = {0}, starts = {0}, unjoined = {0};

	index_unjoined(&builder->trace->device, &unjoined);
	if (unjoined.count && builder->flows.count) {
		index_calls(&builder->trace->host, &calls);
		index_starts(builder, &starts);
		for (size_t i = 0; i < builder->flows.count; i++) {
			const struct weir_flow_event *start;
			const struct weir_flow_event *flow = weir_flows_at(&builder->flows, i);
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

/* The work of one device table, which several threads join piece by piece. */
struct join {
	struct weir_trace *trace;
	const struct weir_rowmap *launches;
	bool lacks_id[PIECES]; /* a row of the piece has no correlation id */
};

static void join_piece(void *context, size_t piece)
{
	struct join *join = context;
	struct weir_device_columns *device = &join->trace->device;
	size_t end = device->count * (piece + 1) / PIECES;

	for (size_t i = device->count * piece / PIECES; i < end; i++) {
		uint64_t id = device->correlation[i];

		if (id)
			device->launch[i] = find_launch(&join->trace->host, join->launches, id);
		else
			join->lacks_id[piece] = true;
	}
}

void weir_builder_join_launches(struct weir_builder *builder, const struct weir_rowmap *launches)
{
	struct join join = {.trace = builder->trace, .launches = launches};
	bool lacks_id = false;

	weir_pool_run(PIECES, weir_pool_width(PIECES), join_piece, &join);
	for (size_t i = 0; i < PIECES; i++)
		lacks_id |= join.lacks_id[i];
	if (lacks_id)
		join_by_flow(builder);
}
