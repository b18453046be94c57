/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of the devices, and the match between those described and those met in events. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/trace/builder_impl.h"

struct place {
	struct weir_trace_device device;
	uint32_t row; /* before ordering */
	bool works;
};

void weir_builder_match_devices_by_order(struct weir_builder *builder)
{
	builder->match_by_order = true;
}

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->works != b->works)
		return a->works ? -1 : 1;
	if (a->device.id != b->device.id)
		return a->device.id < b->device.id ? -1 : 1;
	return 0;
}

static int compare_ids(const void *left, const void *right)
{
	const struct weir_trace_device *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

/* Gives the n-th working device the n-th description, by id; descriptions left over stay as idle
 * devices behind. */
static size_t match_by_order(struct place *places, size_t works, size_t count)
{
	struct weir_trace_device *described = weir_alloc(count * sizeof(*described));
	size_t total = 0;

	for (size_t i = 0; i < count; i++)
		if (places[i].device.described)
			described[total++] = places[i].device;
	qsort(described, total, sizeof(*described), compare_ids);
	for (size_t i = 0; i < total || i < works; i++) {
		int64_t id = places[i].device.id;

		if (i < total)
			places[i].device = described[i];
		if (i < works)
			places[i].device.id = id;
	}
	free(described);
	return total > works ? total : works;
}

/*
 * HSA agents number host processors too, so that GPU 0 may be agent 2. Some agents may be among the
 * described ids by accident (agents 2 to 5 of four GPUs); one that is not gives it away.
 */
static size_t match_descriptions(const struct weir_builder *builder, struct place *places,
                                 size_t count)
{
	bool all_described = true;
	size_t works = 0;

	for (; works < count && places[works].works; works++)
		all_described &= places[works].device.described;
	if (!builder->match_by_order || all_described)
		return count;
	return match_by_order(places, works, count);
}

/* Rows of devices before ordering become rows after it; those past `count` are gone, and nothing
 * refers to them. */
static void renumber(struct weir_trace *trace, const struct place *places, size_t count)
{
	uint16_t *now = weir_alloc(trace->device_count * sizeof(*now));

	for (size_t i = 0; i < count; i++) {
		now[places[i].row] = (uint16_t)i;
		trace->devices[i] = places[i].device;
	}
	trace->device_count = count;
	for (size_t i = 0; i < trace->device.count; i++)
		trace->device.device[i] = now[trace->device.device[i]];
	for (size_t i = 0; i < trace->stream_count; i++)
		trace->streams[i].device = now[trace->streams[i].device];
	free(now);
}

void weir_builder_order_devices(struct weir_builder *builder)
{
	struct weir_trace *trace = builder->trace;
	size_t count = trace->device_count;
	struct place *places;

	if (!count)
		return;
	places = weir_alloc(count * sizeof(*places));
	for (size_t i = 0; i < count; i++)
		places[i] = (struct place){trace->devices[i], (uint32_t)i, false};
	for (size_t i = 0; i < trace->device.count; i++)
		places[trace->device.device[i]].works = true;
	qsort(places, count, sizeof(*places), compare_places);
	renumber(trace, places, match_descriptions(builder, places, count));
	free(places);
}
