/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/host_time.h"
#include "engine/base/arena.h"

/* What a row holds of its thread's time: [its own from, until), given away up to `given` so far. */
struct share {
	int64_t until_ns, given_ns;
};

/* The part of row i that its parent, or the thread, has not given to an earlier row. */
static struct weir_interval take_share(struct share *from, const struct weir_host_columns *host,
                                       size_t i)
{
	struct weir_interval own = {host->start_ns[i], host->end_ns[i]};

	if (own.start_ns < from->given_ns)
		own.start_ns = from->given_ns;
	if (own.end_ns > from->until_ns)
		own.end_ns = from->until_ns;
	if (own.end_ns < own.start_ns)
		own.end_ns = own.start_ns;
	else
		from->given_ns = own.end_ns;
	return own;
}

void weir_host_time_init(struct weir_host_time *times, const struct weir_timeline *timeline)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	struct share *shares = weir_alloc(host->count * sizeof *shares);
	struct share thread = {INT64_MAX, INT64_MIN};

	times->timeline = timeline;
	times->self_ns = weir_alloc(host->count * sizeof *times->self_ns);
	for (size_t i = 0; i < host->count; i++) {
		uint32_t parent = timeline->parent[i];
		struct weir_interval own;

		if (i > 0 && host->thread[i] != host->thread[i - 1])
			thread.given_ns = INT64_MIN;
		own = take_share(parent == WEIR_NONE ? &thread : &shares[parent], host, i);
		shares[i] = (struct share){own.end_ns, own.start_ns};
		times->self_ns[i] = weir_span_ns(own.start_ns, own.end_ns);
		if (parent != WEIR_NONE)
			times->self_ns[parent] -= times->self_ns[i];
	}
	free(shares);
}

void weir_host_time_release(struct weir_host_time *times)
{
	free(times->self_ns);
	*times = (struct weir_host_time){0};
}

int64_t weir_host_time_total(const struct weir_host_time *times, uint32_t row)
{
	const struct weir_host_columns *host = &times->timeline->trace->host;

	return weir_span_ns(host->start_ns[row], host->end_ns[row]);
}

int64_t weir_host_time_self(const struct weir_host_time *times, uint32_t row)
{
	return times->self_ns[row];
}
