/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moves the rows of a trace: sorted, or without those that do not belong to its time range. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/trace/builder_impl.h"

/* A time stamp of 0 is missing where the others lie further away than this. */
#define FAR_OFF_NS (INT64_C(7) * 24 * 3600 * 1000000000)

/* rows[i] is the row that comes to i. */
struct move {
	const uint32_t *rows;
	size_t count;
	void *scratch; /* 8 bytes a row */
};

static void move64(const struct move *move, void *column)
{
	const uint64_t *from = column;
	uint64_t *to = move->scratch;

	for (size_t i = 0; i < move->count; i++)
		to[i] = from[move->rows[i]];
	memcpy(column, to, move->count * sizeof(*to));
}

static void move32(const struct move *move, uint32_t *column)
{
	uint32_t *to = move->scratch;

	for (size_t i = 0; i < move->count; i++)
		to[i] = column[move->rows[i]];
	memcpy(column, to, move->count * sizeof(*to));
}

static void move16(const struct move *move, uint16_t *column)
{
	uint16_t *to = move->scratch;

	for (size_t i = 0; i < move->count; i++)
		to[i] = column[move->rows[i]];
	memcpy(column, to, move->count * sizeof(*to));
}

static void move8(const struct move *move, uint8_t *column)
{
	uint8_t *to = move->scratch;

	for (size_t i = 0; i < move->count; i++)
		to[i] = column[move->rows[i]];
	memcpy(column, to, move->count * sizeof(*to));
}

/* Where each of `before` rows went; WEIR_NONE: nowhere. The caller frees it. */
static uint32_t *invert(const struct move *move, size_t before)
{
	uint32_t *places = weir_realloc(NULL, (before ? before : 1) * sizeof(*places));

	memset(places, 0xff, before * sizeof(*places));
	for (size_t i = 0; i < move->count; i++)
		places[move->rows[i]] = (uint32_t)i;
	return places;
}

static void follow_host(struct weir_trace *trace, const struct move *move, size_t before)
{
	uint32_t *places = invert(move, before);

	for (size_t i = 0; i < trace->device.count; i++)
		if (trace->device.launch[i] != WEIR_NONE)
			trace->device.launch[i] = places[trace->device.launch[i]];
	free(places);
}

/* Takes rows, which it frees. */
static void move_host(struct weir_trace *trace, uint32_t *rows, size_t count)
{
	struct weir_host_columns *host = &trace->host;
	struct move move = {rows, count, weir_realloc(NULL, (count ? count : 1) * sizeof(int64_t))};

	follow_host(trace, &move, host->count);
	move64(&move, host->start_ns);
	move64(&move, host->end_ns);
	move32(&move, host->name);
	move32(&move, host->thread);
	move32(&move, host->shape);
	move64(&move, host->correlation);
	move64(&move, host->external);
	move8(&move, host->kind);
	host->count = count;
	free(move.scratch);
	free(rows);
}

static void follow_device(struct weir_trace *trace, const struct move *move, size_t before)
{
	uint32_t *places = invert(move, before);
	size_t kept = 0;

	for (size_t i = 0; i < trace->collective_count; i++) {
		struct weir_collective *collective = &trace->collectives[i];
		bool own = collective->device_row != WEIR_NONE;

		if (own)
			collective->device_row = places[collective->device_row];
		if (!own || collective->device_row != WEIR_NONE)
			trace->collectives[kept++] = *collective;
	}
	trace->collective_count = kept;
	free(places);
}

static void move_device(struct weir_trace *trace, uint32_t *rows, size_t count)
{
	struct weir_device_columns *device = &trace->device;
	struct move move = {rows, count, weir_realloc(NULL, (count ? count : 1) * sizeof(int64_t))};

	follow_device(trace, &move, device->count);
	move64(&move, device->start_ns);
	move64(&move, device->end_ns);
	move32(&move, device->name);
	move32(&move, device->launch);
	move32(&move, device->stream);
	move64(&move, device->correlation);
	move64(&move, device->external);
	move64(&move, device->graph_node);
	move64(&move, device->bytes);
	move32(&move, device->blocks);
	move32(&move, device->threads_per_block);
	move16(&move, device->device);
	move8(&move, device->kind);
	move8(&move, device->flags);
	device->count = count;
	free(move.scratch);
	free(rows);
}

void weir_builder_sort_host(struct weir_builder *builder)
{
	struct weir_host_columns *host = &builder->trace->host;
	struct weir_builder_keys keys = {
		.group = host->thread,
		.start_ns = host->start_ns,
		.end_ns = host->end_ns,
		.count = host->count,
		.groups = builder->trace->thread_count,
	};
	uint32_t *rows = weir_builder_order(&keys);

	if (rows)
		move_host(builder->trace, rows, host->count);
}

void weir_builder_sort_device(struct weir_builder *builder)
{
	struct weir_device_columns *device = &builder->trace->device;
	uint32_t *rows, *groups = weir_realloc(NULL, (device->count + 1) * sizeof(*groups));
	struct weir_builder_keys keys = {
		.group = groups,
		.start_ns = device->start_ns,
		.end_ns = device->end_ns,
		.count = device->count,
		.groups = builder->trace->device_count,
	};

	for (size_t i = 0; i < device->count; i++)
		groups[i] = device->device[i];
	rows = weir_builder_order(&keys);
	free(groups);
	if (rows)
		move_device(builder->trace, rows, device->count);
}

/* The rows that do not start at 0; NULL where there are none that do. */
static uint32_t *rows_with_time(const int64_t *start_ns, size_t count, size_t *kept)
{
	uint32_t *rows = NULL;
	size_t first = 0;

	while (first < count && start_ns[first])
		first++;
	if (first == count)
		return NULL;
	rows = weir_realloc(NULL, count * sizeof(*rows));
	*kept = 0;
	for (size_t i = 0; i < count; i++)
		if (start_ns[i])
			rows[(*kept)++] = (uint32_t)i;
	return rows;
}

static int64_t earliest_after_zero(const int64_t *start_ns, size_t count, int64_t earliest)
{
	for (size_t i = 0; i < count; i++)
		if (start_ns[i] && start_ns[i] < earliest)
			earliest = start_ns[i];
	return earliest;
}

/* Records that the profiler never finished carry ts 0, years before the others. */
void weir_builder_drop_far_off(struct weir_builder *builder)
{
	struct weir_trace *trace = builder->trace;
	int64_t earliest = earliest_after_zero(trace->host.start_ns, trace->host.count, INT64_MAX);
	size_t kept, dropped = 0;
	uint32_t *rows;

	earliest = earliest_after_zero(trace->device.start_ns, trace->device.count, earliest);
	if (earliest == INT64_MAX || earliest < FAR_OFF_NS)
		return;
	rows = rows_with_time(trace->host.start_ns, trace->host.count, &kept);
	if (rows) {
		dropped += trace->host.count - kept;
		move_host(trace, rows, kept);
	}
	rows = rows_with_time(trace->device.start_ns, trace->device.count, &kept);
	if (rows) {
		dropped += trace->device.count - kept;
		move_device(trace, rows, kept);
	}
	weir_builder_warn(builder, WEIR_WARN_NO_TIME, dropped,
	                  "time stamp 0 among others far away");
}
