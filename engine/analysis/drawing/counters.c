/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/analysis/drawing/counters.h"
#include "engine/analysis/path/path_index.h"

/* Time of intervals in each window. `full` holds differences: the number of intervals that cover
 * window i completely is the sum of full[0..i]. */
struct windows {
	int64_t start_ns, width_ns;
	double part_ns[WEIR_DETAIL_WINDOWS];
	double full[WEIR_DETAIL_WINDOWS + 1];
};

/* Adds an interval of the time of the windows in constant time. */
static void add(struct windows *windows, int64_t start_ns, int64_t end_ns)
{
	int64_t width_ns = windows->width_ns;
	int64_t from_ns = start_ns - windows->start_ns, to_ns = end_ns - windows->start_ns;
	int64_t first, last;

	if (to_ns <= from_ns)
		return;
	first = from_ns / width_ns;
	last = (to_ns - 1) / width_ns;
	if (first == last) {
		windows->part_ns[first] += (double)(to_ns - from_ns);
		return;
	}
	windows->part_ns[first] += (double)((first + 1) * width_ns - from_ns);
	windows->part_ns[last] += (double)(to_ns - last * width_ns);
	windows->full[first + 1] += 1;
	windows->full[last] -= 1;
}

static void add_counter(struct weir_arena *arena, struct weir_detail *detail,
                        const struct windows *windows, struct weir_detail_counter counter)
{
	double *value = weir_arena_alloc(arena, WEIR_DETAIL_WINDOWS * sizeof *value);
	double full = 0;

	for (size_t i = 0; i < WEIR_DETAIL_WINDOWS; i++) {
		full += windows->full[i];
		value[i] = full + windows->part_ns[i] / (double)windows->width_ns;
	}
	counter.value = value;
	detail->counters[detail->counter_count++] = counter;
}

/* Sets the windows to the time from the first launch or work of the trace to the last work. Returns
 * false if nothing took time. */
static bool place(const struct weir_trace *trace, struct windows *windows)
{
	int64_t start_ns = INT64_MAX, end_ns = INT64_MIN;

	for (size_t i = 0; i < trace->device.count; i++) {
		uint32_t launch = trace->device.launch[i];

		if (trace->device.start_ns[i] < start_ns)
			start_ns = trace->device.start_ns[i];
		if (launch != WEIR_NONE && trace->host.start_ns[launch] < start_ns)
			start_ns = trace->host.start_ns[launch];
		if (trace->device.end_ns[i] > end_ns)
			end_ns = trace->device.end_ns[i];
	}
	/* The end of the last window must be a time, also on the clock of the first rank. */
	if (end_ns <= start_ns || end_ns - start_ns > WEIR_MAX_TIME_NS)
		return false;
	windows->start_ns = start_ns;
	windows->width_ns = (end_ns - start_ns) / WEIR_DETAIL_WINDOWS + 1;
	return true;
}

/* Counters of one rank that are being filled. */
struct filling {
	const struct weir_rank *rank;
	const struct windows *placed;       /* without time in them */
	struct weir_detail_counter counter; /* members that the counters of the rank share */
	struct weir_arena *arena;
	struct weir_detail *detail;
};

/* Adds both counters of one device, whose rows are [first, end), by start. */
static void fill_device(const struct filling *filling, size_t first, size_t end)
{
	const struct weir_trace *trace = filling->rank->trace;
	const struct weir_device_columns *device = &trace->device;
	struct weir_detail_counter counter = filling->counter;
	int64_t id = trace->devices[device->device[first]].id, until_ns = INT64_MIN;
	struct windows *active = weir_alloc(sizeof *active), *queue = weir_alloc(sizeof *queue);

	*active = *queue = *filling->placed;
	for (size_t i = first; i < end; i++) {
		int64_t start_ns = device->start_ns[i];

		/* The union of the work: only time that no earlier row covers. */
		add(active, start_ns > until_ns ? start_ns : until_ns, device->end_ns[i]);
		if (device->end_ns[i] > until_ns)
			until_ns = device->end_ns[i];
		if (device->launch[i] != WEIR_NONE)
			add(queue, trace->host.start_ns[device->launch[i]], start_ns);
	}
	counter.name = weir_arena_format(filling->arena, "active share of device %" PRId64, id);
	counter.unit = "share";
	add_counter(filling->arena, filling->detail, active, counter);
	counter.name = weir_arena_format(filling->arena, "queue depth of device %" PRId64, id);
	counter.unit = "launches";
	add_counter(filling->arena, filling->detail, queue, counter);
	free(active);
	free(queue);
}

static void fill_devices(const struct filling *filling)
{
	const struct weir_device_columns *device = &filling->rank->trace->device;
	size_t end;

	for (size_t first = 0; first < device->count; first = end) {
		if (filling->detail->counter_count + 2 > WEIR_DETAIL_MAX_COUNTERS)
			return;
		end = first;
		while (end < device->count && device->device[end] == device->device[first])
			end++;
		fill_device(filling, first, end);
	}
}

void weir_draw_counters(const struct weir_rank *rank, int64_t shift_ns, struct weir_arena *arena,
                        struct weir_detail *detail)
{
	struct windows *placed = weir_alloc(sizeof *placed);
	struct filling filling = {rank, placed, {.rank = rank->rank}, arena, detail};

	if (!detail->counters)
		detail->counters = weir_arena_alloc(arena, WEIR_DETAIL_MAX_COUNTERS *
		                                                   sizeof *detail->counters);
	if (place(rank->trace, placed)) {
		filling.counter.width_ns = placed->width_ns;
		filling.counter.start_ns = weir_clock_shifted(placed->start_ns, shift_ns);
		if (filling.counter.start_ns <
		    INT64_MAX - placed->width_ns * (WEIR_DETAIL_WINDOWS + 1))
			fill_devices(&filling);
	}
	free(placed);
}
