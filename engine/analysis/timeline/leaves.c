/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/leaves.h"
#include "engine/base/arena.h"

static void mark(struct weir_leaves *leaves, int64_t time_ns, uint32_t row)
{
	size_t capacity = leaves->capacity;

	if (leaves->count > 0 && leaves->time_ns[leaves->count - 1] >= time_ns) {
		leaves->row[leaves->count - 1] = row; /* replaces an entry without duration; jitter
		                                         must not go back in time */
		return;
	}
	leaves->time_ns = weir_grow(leaves->time_ns, &leaves->capacity, leaves->count + 1,
	                            sizeof *leaves->time_ns);
	leaves->row = weir_grow(leaves->row, &capacity, leaves->count + 1, sizeof *leaves->row);
	leaves->time_ns[leaves->count] = time_ns;
	leaves->row[leaves->count++] = row;
}

static uint32_t close_until(struct weir_leaves *leaves, const struct weir_timeline *timeline,
                            uint32_t open, int64_t until_ns)
{
	const int64_t *end_ns = timeline->trace->host.end_ns;

	while (open != WEIR_NONE && end_ns[open] <= until_ns) {
		mark(leaves, end_ns[open], timeline->parent[open]);
		open = timeline->parent[open];
	}
	return open;
}

void weir_leaves_init(struct weir_leaves *leaves, const struct weir_timeline *timeline,
                      uint32_t thread)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	uint32_t open = WEIR_NONE;
	size_t first, end;

	*leaves = (struct weir_leaves){0};
	weir_timeline_thread_rows(timeline, thread, &first, &end);
	for (size_t i = first; i < end; i++) {
		open = close_until(leaves, timeline, open, host->start_ns[i]);
		while (open != timeline->parent[i] && open != WEIR_NONE)
			open = timeline->parent[open]; /* a sibling that outlives this row is no
			                                  longer the leaf */
		open = (uint32_t)i;
		mark(leaves, host->start_ns[i], open);
	}
	close_until(leaves, timeline, open, INT64_MAX);
}

void weir_leaves_release(struct weir_leaves *leaves)
{
	free(leaves->time_ns);
	free(leaves->row);
	*leaves = (struct weir_leaves){0};
}

size_t weir_leaves_at(const struct weir_leaves *leaves, int64_t at_ns)
{
	size_t begun = weir_instants_until(leaves->time_ns, leaves->count, at_ns);

	return begun == 0 ? SIZE_MAX : begun - 1;
}
