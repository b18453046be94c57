/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/leaves.h"
#include "engine/base/arena.h"

#define LOOK_AHEAD 32 /* leaves that are tried before a search */

static void mark(struct weir_leaves *leaves, int64_t time_ns, uint32_t row)
{
	if (leaves->count > 0 && leaves->time_ns[leaves->count - 1] >= time_ns) {
		leaves->row[leaves->count - 1] = row; /* replaces an entry without duration; jitter
		                                         must not go back in time */
		return;
	}
	leaves->time_ns[leaves->count] = time_ns;
	leaves->row[leaves->count++] = row;
}

/* Makes room for the leaves; pages that are not written take no memory. */
static void reserve(struct weir_leaves *leaves, size_t count)
{
	size_t capacity = 0;

	leaves->time_ns = weir_grow(NULL, &leaves->capacity, count, sizeof *leaves->time_ns);
	leaves->row = weir_grow(NULL, &capacity, count, sizeof *leaves->row);
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
	reserve(leaves, 2 * (end - first)); /* a row begins once and ends once */
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

size_t weir_leaves_near(const struct weir_leaves *leaves, int64_t at_ns, size_t *last)
{
	size_t next = *last + 1, end = *last + LOOK_AHEAD;

	if (*last >= leaves->count || leaves->time_ns[*last] > at_ns)
		next = end;
	while (next < end && next < leaves->count && leaves->time_ns[next] <= at_ns)
		next++;
	if (next == end)
		next = weir_instants_until(leaves->time_ns, leaves->count, at_ns);
	if (next == 0)
		return SIZE_MAX;
	*last = next - 1;
	return *last;
}
