/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/timeline/host_time.h"
#include "engine/analysis/timeline/memory.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

#define HOST_MEMORY 0 /* c10::DeviceType::CPU */
#define ALLOCATIONS (WEIR_API_BIT(WEIR_API_ALLOC) | WEIR_API_BIT(WEIR_API_ALLOC_ASYNC))
#define ALONE       2 /* times the second largest change: a single shift of the level */

/* Allocated memory of one device at one instant. */
struct level {
	int64_t at_ns;
	size_t order;
	double bytes;
};

static bool is_of(const struct weir_memory_event *event, const struct weir_memory_event *other)
{
	return event->device_type == other->device_type && event->device_id == other->device_id;
}

/* Finds the event with the most allocated memory of each device; returns the number of devices. */
static size_t find_peaks(const struct weir_trace *trace, const struct weir_memory_event **peaks)
{
	size_t count = 0, d;

	for (size_t i = 0; i < trace->memory_count; i++) {
		const struct weir_memory_event *event = &trace->memory[i];

		if (event->device_type == HOST_MEMORY || event->allocated_bytes < 0)
			continue;
		for (d = 0; d < count && !is_of(event, peaks[d]);)
			d++;
		if (d == WEIR_MAX_MEMORY_DEVICES)
			continue;
		if (d == count)
			peaks[count++] = event;
		else if (event->allocated_bytes > peaks[d]->allocated_bytes)
			peaks[d] = event;
	}
	return count;
}

static int by_peak(const void *left, const void *right)
{
	const struct weir_memory_event *a = *(const struct weir_memory_event *const *)left;
	const struct weir_memory_event *b = *(const struct weir_memory_event *const *)right;

	if (a->allocated_bytes != b->allocated_bytes)
		return a->allocated_bytes > b->allocated_bytes ? -1 : 1;
	if (a->device_type != b->device_type)
		return a->device_type < b->device_type ? -1 : 1;
	return (a->device_id > b->device_id) - (a->device_id < b->device_id);
}

static double peak_reserved(const struct weir_trace *trace, const struct weir_memory_event *peak)
{
	int64_t reserved = -1;

	for (size_t i = 0; i < trace->memory_count; i++)
		if (is_of(&trace->memory[i], peak) && trace->memory[i].reserved_bytes > reserved)
			reserved = trace->memory[i].reserved_bytes;
	return reserved < 0 ? NAN : (double)reserved;
}

/* Returns NAN for allocators that reserve nothing and for totals that contradict each other. */
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

static int by_time(const void *left, const void *right)
{
	const struct level *a = left, *b = right;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/* Returns the levels of the peak's device in order of time. The caller frees them. */
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

static double steps_between(const uint32_t *number, size_t from, size_t to)
{
	return number ? (double)number[to] - (double)number[from] : (double)(to - from);
}

/* Reduces the one change that is larger than ALONE times any other to the median change. */
static void undo_shift(double *level, const uint32_t *number, size_t count)
{
	double *change = weir_alloc(count * sizeof(*change));
	double median, largest = 0, second = 0, shift = 0;
	size_t at = count;

	for (size_t i = 1; i < count; i++)
		change[i - 1] =
			(level[i] - level[i - 1]) / fmax(steps_between(number, i - 1, i), 1);
	median = weir_median(change, count - 1);
	for (size_t i = 1; i < count; i++) {
		double off = level[i] - level[i - 1] - median * steps_between(number, i - 1, i);

		if (fabs(off) > largest) {
			second = largest;
			largest = fabs(off);
			shift = off;
			at = i;
		} else if (fabs(off) > second) {
			second = fabs(off);
		}
	}
	for (size_t i = at; count > 3 && largest > ALONE * second && i < count; i++)
		level[i] -= shift;
	free(change);
}

double weir_memory_growth(const double *level, const uint32_t *number, size_t count)
{
	size_t stride = count / WEIR_MAX_LEAK_STEPS + 1, kept = 0, pairs = 0;
	double *smooth = weir_alloc((count + 1) * sizeof(*smooth)), *slope, growth;

	if (count < 2) {
		free(smooth);
		return NAN;
	}
	for (size_t i = 0; i < count; i++)
		smooth[i] = level[i];
	undo_shift(smooth, number, count);
	kept = (count - 1) / stride + 1;
	slope = weir_alloc((kept * (kept - 1) / 2 + 1) * sizeof(*slope));
	for (size_t i = 0; i < kept; i++)
		for (size_t j = i + 1; j < kept; j++) {
			size_t a = i * stride, b = j * stride;
			double steps = steps_between(number, a, b);

			if (steps > 0)
				slope[pairs++] = (smooth[b] - smooth[a]) / steps;
		}
	growth = weir_median(slope, pairs);
	free(slope);
	free(smooth);
	return growth;
}

/* Returns the growth per step; leaves out steps that end before the first event. */
static double leak_per_step(const struct weir_trace *trace, const struct weir_memory_event *peak,
                            const struct weir_step_ends *steps)
{
	double *level = weir_alloc((steps->count + 1) * sizeof(*level)), growth;
	uint32_t *number = weir_alloc((steps->count + 1) * sizeof(*number));
	size_t level_count, at = 0, known = 0;
	struct level *levels = collect_levels(trace, peak, &level_count);

	for (size_t i = 0; i < steps->count; i++) {
		while (at < level_count && levels[at].at_ns <= steps->end_ns[i])
			at++;
		if (at == 0)
			continue;
		level[known] = levels[at - 1].bytes;
		number[known++] = steps->number ? steps->number[i] : (uint32_t)i;
	}
	growth = weir_memory_growth(level, number, known);
	free(levels);
	free(level);
	free(number);
	return growth;
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

static bool is_allocation(const struct weir_timeline *timeline, size_t row)
{
	const struct weir_host_columns *host = &timeline->trace->host;

	return host->kind[row] == WEIR_HOST_API &&
	       (ALLOCATIONS & WEIR_API_BIT(timeline->api_class[host->name[row]]));
}

/* Returns true for an allocation that is not inside another one: cudaMalloc with its cuMemAlloc is
 * one allocation. */
static bool is_counted(const struct weir_timeline *timeline, size_t row,
                       const struct weir_intervals *windows)
{
	uint32_t parent = timeline->parent[row];

	return is_allocation(timeline, row) &&
	       !(parent != WEIR_NONE && is_allocation(timeline, parent)) &&
	       weir_intervals_contains(windows, timeline->trace->host.start_ns[row]);
}

static void measure_calls(const struct weir_timeline *timeline,
                          const struct weir_intervals *windows, struct weir_allocator_time *out)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	uint8_t *threads = weir_launching_threads(timeline->trace);
	struct weir_call_time time;

	*out = (struct weir_allocator_time){0};
	for (size_t i = 0; i < host->count; i++) {
		int64_t ns = weir_span_ns(host->start_ns[i], host->end_ns[i]);

		out->known = out->known || (host->kind[i] == WEIR_HOST_API &&
		                            timeline->api_class[host->name[i]] != WEIR_API_OTHER);
		if (!is_counted(timeline, i, windows))
			continue;
		out->calls++;
		if (ns <= WEIR_SLOW_ALLOCATION_NS)
			continue;
		out->slow_calls++;
		out->slow_ns = weir_add_ns(out->slow_ns, ns);
	}
	weir_call_time_measure(timeline, windows, ALLOCATIONS, threads, &time);
	out->any_ns = time.any_ns;
	for (size_t w = 0; w < windows->count; w++)
		out->window_ns =
			weir_add_ns(out->window_ns, weir_span_ns(windows->items[w].start_ns,
		                                                 windows->items[w].end_ns));
	free(threads);
}

void weir_memory_measure(const struct weir_timeline *timeline, const struct weir_intervals *windows,
                         const struct weir_step_ends *steps, struct weir_memory_usage *out)
{
	const struct weir_trace *trace = timeline->trace;
	const struct weir_memory_event *peaks[WEIR_MAX_MEMORY_DEVICES];

	*out = (struct weir_memory_usage){.device_count = find_peaks(trace, peaks)};
	qsort(peaks, out->device_count, sizeof(*peaks), by_peak);
	for (size_t d = 0; d < out->device_count; d++) {
		struct weir_memory_device *device = &out->devices[d];
		double reserved = peak_reserved(trace, peaks[d]);
		double allocated = (double)peaks[d]->allocated_bytes;

		*device = (struct weir_memory_device){
			.rank = trace->rank,
			.device_id = peaks[d]->device_id,
			.peak_allocated_bytes = allocated,
			.peak_reserved_bytes = reserved,
			.fragmentation = fragmentation_at(peaks[d]),
			.leak_bytes_per_step = leak_per_step(trace, peaks[d], steps),
			.allocations_per_step = NAN,
			.used_share = share_of_device(trace, peaks[d], fmax(reserved, allocated)),
		};
		if (steps->count > 0)
			device->allocations_per_step =
				count_allocations(trace, peaks[d], windows) / (double)steps->count;
	}
	measure_calls(timeline, windows, &out->allocator);
}
