/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A list of flows that grows without moving: a trace may have millions of them. Each chunk but the
 * first holds as many as all before it.
 */
#ifndef WEIR_READERS_TRACE_FLOW_LIST_H
#define WEIR_READERS_TRACE_FLOW_LIST_H

#include <stddef.h>

#include "engine/readers/trace/builder.h"

#define WEIR_FLOWS_FIRST  1024 /* of the first chunk */
#define WEIR_FLOWS_CHUNKS 23   /* hold 2^32 flows */

/* {0} is empty. */
struct weir_flows {
	struct weir_flow_event *chunks[WEIR_FLOWS_CHUNKS];
	size_t count;
};

struct weir_flow_place {
	size_t chunk, at;
};

static inline struct weir_flow_place weir_flows_place(size_t index)
{
	unsigned chunk;

	if (index < WEIR_FLOWS_FIRST)
		return (struct weir_flow_place){0, index};
	chunk = 64 - (unsigned)__builtin_clzll(index / WEIR_FLOWS_FIRST);
	return (struct weir_flow_place){chunk, index - ((size_t)WEIR_FLOWS_FIRST << (chunk - 1))};
}

static inline struct weir_flow_event *weir_flows_at(const struct weir_flows *flows, size_t index)
{
	struct weir_flow_place place = weir_flows_place(index);

	return &flows->chunks[place.chunk][place.at];
}

void weir_flows_add(struct weir_flows *flows, const struct weir_flow_event *event);
void weir_flows_release(struct weir_flows *flows);

#endif
