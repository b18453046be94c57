/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/apis.h"
#include "engine/analysis/memory.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

#define HOST_MEMORY 0 /* c10::DeviceType::CPU */

static bool is_on_device(const struct weir_memory_event *event)
{
	return event->device_type != HOST_MEMORY;
}

/* The event of a device at which most memory was allocated; NULL: no event tells totals. */
static const struct weir_memory_event *find_peak(const struct weir_trace *trace)
{
	const struct weir_memory_event *peak = NULL;

	for (size_t i = 0; i < trace->memory_count; i++) {
		const struct weir_memory_event *event = &trace->memory[i];

		if (is_on_device(event) && event->allocated_bytes >= 0 &&
		    (!peak || event->allocated_bytes > peak->allocated_bytes))
			peak = event;
	}
	return peak;
}

static bool is_of(const struct weir_memory_event *event, const struct weir_memory_event *peak)
{
	return event->device_type == peak->device_type && event->device_id == peak->device_id;
}

static double peak_reserved(const struct weir_trace *trace, const struct weir_memory_event *peak)
{
	int64_t reserved = -1;

	for (size_t i = 0; i < trace->memory_count; i++)
		if (is_of(&trace->memory[i], peak) && trace->memory[i].reserved_bytes > reserved)
			reserved = trace->memory[i].reserved_bytes;
	return reserved < 0 ? NAN : (double)reserved;
}

/* Allocators that reserve nothing, and totals that contradict each other, say nothing. */
static double fragmentation_at(const struct weir_memory_event *peak)
{
	if (peak->reserved_bytes <= 0 || peak->allocated_bytes > peak->reserved_bytes)
		return NAN;
	return 1 - (double)peak->allocated_bytes / (double)peak->reserved_bytes;
}

static double share_of_device(const struct weir_trace *trace, const struct weir_memory_event *peak,
                              double bytes)
{
	for (size_t i = 0; i < trace->device_count; i++)
		if (trace->devices[i].id == peak->device_id && trace->devices[i].memory_bytes > 0)
			return bytes / (double)trace->devices[i].memory_bytes;
	return NAN;
}

/* Allocated memory at a time. */
struct level {
	int64_t at_ns;
	size_t order;
	double bytes;
};

static int by_time(const void *left, const void *right)
{
	const struct level *a = left, *b = right;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* The levels of the peak's device in order of time; the caller frees them. */
static struct level *collect_levels(const struct weir_trace *trace,
                                    const struct weir_memory_event *peak, size_t *count)
{
	struct level *levels = weir_alloc((trace->memory_count + 1) * sizeof(*levels));

	*count = 0;
	for (size_t i = 0; i < trace->memory_count; i++) {
		const struct weir_memory_event *event = &trace->memory[i];

		if (is_of(event, peak) && event->allocated_bytes >= 0)
			levels[(*count)++] =
				(struct level){event->at_ns, i, (double)event->allocated_bytes};
	}
	qsort(levels, *count, sizeof(*levels), by_time);
	return levels;
}

/* Median difference of the allocated memory between the ends of neighbouring steps. */
static double leak_per_step(const struct weir_trace *trace, const struct weir_memory_event *peak,
                            const int64_t *step_end_ns, size_t step_count)
{
	double *change = weir_alloc((step_count + 1) * sizeof(*change));
	size_t level_count, at = 0, changes = 0;
	struct level *levels = collect_levels(trace, peak, &level_count);
	double before = NAN, median;

	for (size_t i = 0; i < step_count; i++) {
		double now;

		while (at < level_count && levels[at].at_ns <= step_end_ns[i])
			at++;
		now = at > 0 ? levels[at - 1].bytes : NAN;
		if (!isnan(before))
			change[changes++] = now - before;
		before = now;
	}
	median = changes > 0 ? weir_median(change, changes) : NAN;
	free(levels);
	free(change);
	return median;
}

static double count_allocations(const struct weir_trace *trace,
                                const struct weir_memory_event *peak,
                                const struct weir_intervals *windows)
{
	size_t count = 0;

	for (size_t i = 0; i < trace->memory_count; i++)
		count += is_of(&trace->memory[i], peak) && trace->memory[i].bytes > 0 &&
		         weir_intervals_contains(windows, trace->memory[i].at_ns);
	return (double)count;
}

static double count_slow_allocations(const struct weir_timeline *timeline,
                                     const struct weir_intervals *windows)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	size_t count = 0;

	for (size_t i = 0; i < host->count; i++)
		count += host->kind[i] == WEIR_HOST_API &&
		         timeline->api_class[host->name[i]] == WEIR_API_ALLOC &&
		         weir_span_ns(host->start_ns[i], host->end_ns[i]) >
		                 WEIR_SLOW_ALLOCATION_NS &&
		         weir_intervals_contains(windows, host->start_ns[i]);
	return (double)count;
}

void weir_memory_measure(const struct weir_timeline *timeline, const struct weir_intervals *windows,
                         const int64_t *step_end_ns, size_t step_count,
                         struct weir_memory_usage *out)
{
	const struct weir_trace *trace = timeline->trace;
	const struct weir_memory_event *peak = find_peak(trace);
	struct weir_memory_figures *figures = &out->figures;

	*out = (struct weir_memory_usage){
		.known = peak != NULL,
		.device_id = -1,
		.figures = {NAN, NAN, NAN, NAN, count_slow_allocations(timeline, windows)},
		.allocations_per_step = NAN,
		.peak_share = NAN,
	};
	if (!peak)
		return;
	out->device_id = peak->device_id;
	figures->peak_allocated_bytes = (double)peak->allocated_bytes;
	figures->peak_reserved_bytes = peak_reserved(trace, peak);
	figures->fragmentation = fragmentation_at(peak);
	figures->leak_bytes_per_step = leak_per_step(trace, peak, step_end_ns, step_count);
	if (step_count > 0)
		out->allocations_per_step =
			count_allocations(trace, peak, windows) / (double)step_count;
	out->peak_share = share_of_device(
		trace, peak, fmax(figures->peak_reserved_bytes, figures->peak_allocated_bytes));
}
