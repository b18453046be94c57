/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares what two readings of the same bytes gave: every column, name and warning. */
#ifndef WEIR_TESTS_FUZZ_SAME_INPUT_H
#define WEIR_TESTS_FUZZ_SAME_INPUT_H

#include <string.h>

#include "engine/model/profile.h"

#define SAME_BYTES(a, b, size) ((size) == 0 || memcmp(a, b, size) == 0)
#define SAME_COLUMN(a, b, column)                                                                  \
	SAME_BYTES((a)->column, (b)->column, (a)->count * sizeof *(a)->column)
#define SAME_ITEMS(a, b, items, count)                                                             \
	((a)->count == (b)->count &&                                                               \
	 SAME_BYTES((a)->items, (b)->items, (a)->count * sizeof *(a)->items))

static inline bool same_names(const struct weir_names *a, const struct weir_names *b)
{
	if (weir_names_count(a) != weir_names_count(b))
		return false;
	for (uint32_t i = 0; i < weir_names_count(a); i++)
		if (weir_names_length(a, i) != weir_names_length(b, i) ||
		    memcmp(weir_names_text(a, i), weir_names_text(b, i), weir_names_length(a, i)) !=
		            0)
			return false;
	return true;
}

static inline bool same_host(const struct weir_host_columns *a, const struct weir_host_columns *b)
{
	return a->count == b->count && SAME_COLUMN(a, b, start_ns) && SAME_COLUMN(a, b, end_ns) &&
	       SAME_COLUMN(a, b, name) && SAME_COLUMN(a, b, thread) && SAME_COLUMN(a, b, shape) &&
	       SAME_COLUMN(a, b, correlation) && SAME_COLUMN(a, b, external) &&
	       SAME_COLUMN(a, b, kind);
}

static inline bool same_device(const struct weir_device_columns *a,
                               const struct weir_device_columns *b)
{
	return a->count == b->count && SAME_COLUMN(a, b, start_ns) && SAME_COLUMN(a, b, end_ns) &&
	       SAME_COLUMN(a, b, name) && SAME_COLUMN(a, b, launch) && SAME_COLUMN(a, b, stream) &&
	       SAME_COLUMN(a, b, correlation) && SAME_COLUMN(a, b, external) &&
	       SAME_COLUMN(a, b, graph_node) && SAME_COLUMN(a, b, bytes) &&
	       SAME_COLUMN(a, b, blocks) && SAME_COLUMN(a, b, threads_per_block) &&
	       SAME_COLUMN(a, b, device) && SAME_COLUMN(a, b, kind) && SAME_COLUMN(a, b, flags);
}

/* Compares structs with gaps between their members one member at a time. */
static inline bool same_places(const struct weir_trace *a, const struct weir_trace *b)
{
	if (a->thread_count != b->thread_count || a->stream_count != b->stream_count ||
	    a->device_count != b->device_count)
		return false;
	for (size_t i = 0; i < a->thread_count; i++)
		if (a->threads[i].pid != b->threads[i].pid ||
		    a->threads[i].tid != b->threads[i].tid ||
		    a->threads[i].name != b->threads[i].name)
			return false;
	for (size_t i = 0; i < a->stream_count; i++)
		if (a->streams[i].id != b->streams[i].id ||
		    a->streams[i].device != b->streams[i].device)
			return false;
	for (size_t i = 0; i < a->device_count; i++)
		if (a->devices[i].id != b->devices[i].id ||
		    a->devices[i].name != b->devices[i].name ||
		    a->devices[i].memory_bytes != b->devices[i].memory_bytes ||
		    a->devices[i].sms != b->devices[i].sms ||
		    a->devices[i].described != b->devices[i].described)
			return false;
	return true;
}

static inline bool same_records(const struct weir_trace *a, const struct weir_trace *b)
{
	if (a->sync_count != b->sync_count || a->flow_count != b->flow_count)
		return false;
	for (size_t i = 0; i < a->sync_count; i++)
		if (a->syncs[i].start_ns != b->syncs[i].start_ns ||
		    a->syncs[i].end_ns != b->syncs[i].end_ns ||
		    a->syncs[i].kind_name != b->syncs[i].kind_name ||
		    a->syncs[i].stream != b->syncs[i].stream ||
		    a->syncs[i].wait_on_stream != b->syncs[i].wait_on_stream ||
		    a->syncs[i].correlation != b->syncs[i].correlation ||
		    a->syncs[i].wait_on_correlation != b->syncs[i].wait_on_correlation)
			return false;
	for (size_t i = 0; i < a->flow_count; i++)
		if (a->flows[i].id != b->flows[i].id || a->flows[i].at_ns != b->flows[i].at_ns ||
		    a->flows[i].thread != b->flows[i].thread ||
		    a->flows[i].kind != b->flows[i].kind ||
		    a->flows[i].finish != b->flows[i].finish)
			return false;
	return SAME_ITEMS(a, b, memory, memory_count) && SAME_ITEMS(a, b, shapes, shape_count) &&
	       SAME_ITEMS(a, b, labels, label_count);
}

static inline bool same_collectives(const struct weir_trace *a, const struct weir_trace *b)
{
	if (a->collective_count != b->collective_count)
		return false;
	for (size_t i = 0; i < a->collective_count; i++) {
		const struct weir_collective *x = &a->collectives[i], *y = &b->collectives[i];

		if (x->device_row != y->device_row || x->external != y->external ||
		    x->name != y->name || x->group != y->group || x->members != y->members ||
		    x->dtype != y->dtype || x->elements_in != y->elements_in ||
		    x->elements_out != y->elements_out || x->group_size != y->group_size ||
		    x->sequence != y->sequence)
			return false;
	}
	return true;
}

static inline bool same_warnings(const struct weir_input *a, const struct weir_input *b)
{
	for (int i = 0; i < WEIR_WARN_COUNT; i++)
		if (a->warnings[i].count != b->warnings[i].count ||
		    a->warnings[i].first_at != b->warnings[i].first_at ||
		    strcmp(a->warnings[i].detail, b->warnings[i].detail) != 0)
			return false;
	return true;
}

/* Returns the name of a part that differs, NULL if no part does. Both inputs have a trace. */
static inline const char *different_part(const struct weir_input *a, const struct weir_input *b)
{
	const struct weir_trace *x = a->trace, *y = b->trace;

	if (a->events != b->events)
		return "events";
	if (!same_warnings(a, b))
		return "warnings";
	if (!same_names(x->names, y->names))
		return "names";
	if (!same_places(x, y))
		return "threads, streams or devices";
	if (!same_host(&x->host, &y->host))
		return "host rows";
	if (!same_device(&x->device, &y->device))
		return "device rows";
	if (!same_collectives(x, y))
		return "collectives";
	if (!same_records(x, y))
		return "other records";
	if (x->base_ns != y->base_ns || x->rank != y->rank || x->world_size != y->world_size ||
	    x->has_shapes != y->has_shapes || x->has_stacks != y->has_stacks ||
	    x->has_memory != y->has_memory)
		return "figures of the trace";
	return NULL;
}

#endif
