/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/readers/trace/flow_list.h"

void weir_flows_add(struct weir_flows *flows, const struct weir_flow_event *event)
{
	struct weir_flow_place place = weir_flows_place(flows->count);

	if (!flows->chunks[place.chunk]) {
		size_t size = place.chunk > 0 ? flows->count : WEIR_FLOWS_FIRST;

		flows->chunks[place.chunk] = weir_realloc(NULL, size * sizeof(*event));
	}
	flows->chunks[place.chunk][place.at] = *event;
	flows->count++;
}

void weir_flows_release(struct weir_flows *flows)
{
	for (size_t i = 0; i < WEIR_FLOWS_CHUNKS; i++)
		free(flows->chunks[i]);
	*flows = (struct weir_flows){0};
}
