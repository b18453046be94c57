/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/timeline/calls.h"
#include "engine/base/arena.h"

static bool is_wanted(const struct weir_timeline *timeline, size_t row, unsigned classes,
                      const uint8_t *threads)
{
	const struct weir_host_columns *host = &timeline->trace->host;

	return host->kind[row] == WEIR_HOST_API && (!threads || threads[host->thread[row]]) &&
	       (classes & WEIR_API_BIT(timeline->api_class[host->name[row]]));
}

void weir_call_time_measure(const struct weir_timeline *timeline,
                            const struct weir_intervals *windows, unsigned classes,
                            const uint8_t *threads, struct weir_call_time *out)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	struct weir_intervals thread = {0}, all = {0};

	*out = (struct weir_call_time){0};
	for (size_t i = 0; i < host->count; i++) {
		if (i > 0 && host->thread[i] != host->thread[i - 1]) {
			out->thread_ns = weir_add_ns(out->thread_ns,
			                             weir_intervals_common_ns(&thread, windows));
			weir_intervals_clear(&thread);
		}
		if (!is_wanted(timeline, i, classes, threads))
			continue;
		weir_intervals_push(&thread, host->start_ns[i], host->end_ns[i]);
		weir_intervals_push(&all, host->start_ns[i], host->end_ns[i]);
		if (weir_intervals_meets(windows, host->start_ns[i], host->end_ns[i]))
			out->count[timeline->api_class[host->name[i]]]++;
	}
	out->thread_ns = weir_add_ns(out->thread_ns, weir_intervals_common_ns(&thread, windows));
	weir_intervals_unite(&all);
	out->any_ns = weir_intervals_common_ns(&all, windows);
	weir_intervals_release(&thread);
	weir_intervals_release(&all);
}

uint8_t *weir_launching_threads(const struct weir_trace *trace)
{
	uint8_t *threads = weir_alloc(trace->thread_count + 1);
	bool any = false;

	for (size_t i = 0; i < trace->device.count; i++) {
		if (trace->device.launch[i] == WEIR_NONE)
			continue;
		threads[trace->host.thread[trace->device.launch[i]]] = 1;
		any = true;
	}
	if (!any)
		memset(threads, 1, trace->thread_count);
	return threads;
}
