/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/host_time.h"
#include "engine/base/arena.h"

void weir_host_time_init(struct weir_host_time *times, const struct weir_timeline *timeline)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	int64_t *covered_until_ns = weir_alloc(host->count * sizeof *covered_until_ns);

	times->timeline = timeline;
	times->nested_ns = weir_alloc(host->count * sizeof *times->nested_ns);
	for (size_t i = 0; i < host->count; i++)
		covered_until_ns[i] = host->start_ns[i];
	for (size_t i = 0; i < host->count; i++) {
		uint32_t parent = timeline->parent[i];
		int64_t from_ns, end_ns;

		if (parent == WEIR_NONE)
			continue;
		/* Siblings come by start; clock jitter may let one reach into the next or beyond
		 * the parent. */
		from_ns = host->start_ns[i] > covered_until_ns[parent] ? host->start_ns[i]
		                                                       : covered_until_ns[parent];
		end_ns = host->end_ns[i] < host->end_ns[parent] ? host->end_ns[i]
		                                                : host->end_ns[parent];
		if (end_ns <= from_ns)
			continue;
		times->nested_ns[parent] += end_ns - from_ns;
		covered_until_ns[parent] = end_ns;
	}
	free(covered_until_ns);
}

void weir_host_time_release(struct weir_host_time *times)
{
	free(times->nested_ns);
	*times = (struct weir_host_time){0};
}

int64_t weir_host_time_total(const struct weir_host_time *times, uint32_t row)
{
	return times->timeline->trace->host.end_ns[row] -
	       times->timeline->trace->host.start_ns[row];
}

int64_t weir_host_time_self(const struct weir_host_time *times, uint32_t row)
{
	return weir_host_time_total(times, row) - times->nested_ns[row];
}
