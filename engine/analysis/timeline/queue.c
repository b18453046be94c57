/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/queue.h"
#include "engine/base/arena.h"
#include "engine/base/sort.h"
#include "engine/stats/quantile.h"

#define SLOW_CALL 10 /* times the median duration of the calls with the same name */

/* Time at each queue depth. */
struct histogram {
	int64_t *ns; /* per depth */
	size_t levels;
};

struct call {
	uint32_t row, name;
	uint32_t number; /* of the name among those of the calls */
	int64_t duration_ns;
};

/* The linked work of one device. Each array is sorted separately. */
struct queue {
	int64_t *submit_ns, *begin_ns, *finish_ns;
	size_t count;
	struct call *calls; /* calls that start in the windows, by row */
	size_t call_count;
};

/* Sums over devices. */
struct totals {
	struct histogram waiting, in_flight;
	int64_t idle_ns, starved_ns;
	uint32_t *number; /* per name of the trace: 0; see number_names() */
};

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int by_row(const void *left, const void *right)
{
	const struct call *a = left, *b = right;

	return (a->row > b->row) - (a->row < b->row);
}

/* Keeps one entry of each call, which has one for each work it started. Work is usually in the
 * order of its calls. */
static void keep_each_call_once(struct queue *queue)
{
	size_t kept = 0;

	weir_sort(queue->calls, queue->call_count, sizeof(*queue->calls), by_row);
	for (size_t i = 0; i < queue->call_count; i++)
		if (kept == 0 || queue->calls[kept - 1].row != queue->calls[i].row)
			queue->calls[kept++] = queue->calls[i];
	queue->call_count = kept;
}

static void add_work(struct queue *queue, const struct weir_trace *trace, size_t row,
                     const struct weir_intervals *windows)
{
	uint32_t launch = trace->device.launch[row];
	int64_t submit = trace->host.start_ns[launch];

	/* If clocks say that work started before its launch, it waited for no time. */
	queue->submit_ns[queue->count] = submit;
	queue->begin_ns[queue->count] = later(submit, trace->device.start_ns[row]);
	queue->finish_ns[queue->count] = later(submit, trace->device.end_ns[row]);
	queue->count++;
	if (!weir_intervals_contains(windows, submit))
		return;
	queue->calls[queue->call_count++] =
		(struct call){.row = launch,
	                      .name = trace->host.name[launch],
	                      .duration_ns = weir_span_ns(submit, trace->host.end_ns[launch])};
}

static void queue_init(struct queue *queue, const struct weir_trace *trace, size_t first,
                       size_t last, const struct weir_intervals *windows)
{
	size_t room = last - first + 1;

	queue->submit_ns = weir_realloc(NULL, room * sizeof(*queue->submit_ns));
	queue->begin_ns = weir_realloc(NULL, room * sizeof(*queue->begin_ns));
	queue->finish_ns = weir_realloc(NULL, room * sizeof(*queue->finish_ns));
	queue->calls = weir_realloc(NULL, room * sizeof(*queue->calls));
	queue->count = queue->call_count = 0;
	for (size_t i = first; i < last; i++)
		if (trace->device.launch[i] != WEIR_NONE)
			add_work(queue, trace, i, windows);
	weir_instants_sort(queue->submit_ns, queue->count);
	weir_instants_sort(queue->begin_ns, queue->count);
	weir_instants_sort(queue->finish_ns, queue->count);
	keep_each_call_once(queue);
}

static void queue_release(struct queue *queue)
{
	free(queue->submit_ns);
	free(queue->begin_ns);
	free(queue->finish_ns);
	free(queue->calls);
}

static void histogram_add(struct histogram *histogram, size_t level, int64_t ns)
{
	histogram->ns[level] = weir_add_ns(histogram->ns[level], ns);
	if (ns > 0 && level >= histogram->levels)
		histogram->levels = level + 1;
}

/* ---- parts of the time ---- */

/* Returns where a part begins. Lengths are below 2^53, so that the product fits a double. */
static int64_t part_start(const struct weir_queue_parts *parts, size_t part)
{
	double length = (double)(parts->to_ns - parts->from_ns);

	return part >= WEIR_QUEUE_BINS
	               ? parts->to_ns
	               : parts->from_ns + (int64_t)(length * (double)part / WEIR_QUEUE_BINS);
}

static void parts_init(struct weir_queue_parts *parts, const struct weir_measure *windows,
                       int64_t device)
{
	const struct weir_intervals *set = windows->set;

	if (set->count == 0)
		return;
	parts->from_ns = set->items[0].start_ns;
	parts->to_ns = set->items[set->count - 1].end_ns;
	if (weir_span_ns(parts->from_ns, parts->to_ns) > WEIR_LONGEST_NS)
		return;
	parts->device = device;
	parts->known = true;
	for (size_t i = 0; i < WEIR_QUEUE_BINS; i++)
		parts->analysed_ns[i] = weir_measure_inside(windows, part_start(parts, i),
		                                            part_start(parts, i + 1));
}

/* One sweep over the time in order. */
struct part_cursor {
	struct weir_queue_parts *parts; /* NULL: nothing is kept */
	const struct weir_measure *windows;
	bool waiting; /* counts work that waits; else work in flight */
	size_t part;
};

static void add_to_part(const struct part_cursor *cursor, size_t depth, int64_t ns)
{
	struct weir_queue_parts *parts = cursor->parts;

	if (ns <= 0)
		return;
	if (!cursor->waiting) {
		parts->in_flight_ns[cursor->part] += ns;
		return;
	}
	parts->waiting[cursor->part] += (double)depth * (double)ns;
	if (depth > parts->most[cursor->part])
		parts->most[cursor->part] = depth;
}

/* Adds [now, next) at a depth above 0 to the parts that it meets. `inside` is the analysed time in
 * it. */
static void add_to_parts(struct part_cursor *cursor, size_t depth, int64_t now, int64_t next,
                         int64_t inside)
{
	if (!cursor->parts || depth == 0 || inside <= 0)
		return;
	while (cursor->part + 1 < WEIR_QUEUE_BINS &&
	       part_start(cursor->parts, cursor->part + 1) <= now)
		cursor->part++;
	while (cursor->part + 1 < WEIR_QUEUE_BINS &&
	       part_start(cursor->parts, cursor->part + 1) < next) {
		int64_t end_ns = part_start(cursor->parts, cursor->part + 1);
		int64_t here = weir_measure_inside(cursor->windows, now, end_ns);

		add_to_part(cursor, depth, here);
		inside -= here;
		now = end_ns;
		cursor->part++;
	}
	add_to_part(cursor, depth, inside);
}

/* Adds the time at each depth inside the windows; returns the largest depth that lasted. No work
 * leaves before it enters and both arrays are sorted, so that entered - left is never negative. */
static size_t sweep_depth(const struct queue *queue, const int64_t *leave_ns,
                          const struct weir_measure *windows, struct histogram *histogram,
                          struct part_cursor *cursor)
{
	int64_t now = INT64_MIN, passed = 0;
	size_t entered = 0, left = 0, largest = 0;

	while (left < queue->count) {
		bool enters = entered < queue->count && queue->submit_ns[entered] <= leave_ns[left];
		int64_t next = enters ? queue->submit_ns[entered] : leave_ns[left];
		int64_t inside = weir_measure_inside(windows, now, next);

		histogram_add(histogram, entered - left, inside);
		add_to_parts(cursor, entered - left, now, next, inside);
		passed = weir_add_ns(passed, inside);
		if (inside > 0 && entered - left > largest)
			largest = entered - left;
		now = next;
		if (enters)
			entered++;
		else
			left++;
	}
	histogram_add(histogram, 0, windows->before_ns[windows->set->count] - passed);
	return largest;
}

/* Returns the number of works that waited just before at_ns. */
static size_t depth_before(const struct queue *queue, int64_t at_ns)
{
	if (at_ns == INT64_MIN)
		return 0;
	return weir_instants_until(queue->submit_ns, queue->count, at_ns - 1) -
	       weir_instants_until(queue->begin_ns, queue->count, at_ns - 1);
}

/* Numbers the names of the calls from 0, and returns how many there are. `number` is 0 for each
 * name of the trace. */
static size_t number_names(struct queue *queue, uint32_t *number)
{
	size_t names = 0;

	for (size_t i = 0; i < queue->call_count; i++)
		if (number[queue->calls[i].name] == 0)
			number[queue->calls[i].name] = (uint32_t)++names;
	for (size_t i = 0; i < queue->call_count; i++)
		queue->calls[i].number = number[queue->calls[i].name] - 1;
	for (size_t i = 0; i < queue->call_count; i++)
		number[queue->calls[i].name] = 0;
	return names;
}

/* Returns the median duration of the calls of each of their names, at least 1 ns. The caller frees
 * it. */
static int64_t *find_medians(const struct queue *queue, size_t names)
{
	size_t *end = weir_alloc((names + 1) * sizeof *end), first = 0;
	int64_t *medians = weir_realloc(NULL, names * sizeof *medians);
	double *durations = weir_realloc(NULL, queue->call_count * sizeof *durations);

	for (size_t i = 0; i < queue->call_count; i++)
		end[queue->calls[i].number + 1]++;
	for (size_t n = 1; n <= names; n++)
		end[n] += end[n - 1];
	for (size_t i = 0; i < queue->call_count; i++)
		durations[end[queue->calls[i].number]++] = (double)queue->calls[i].duration_ns;
	for (size_t n = 0; n < names; n++) {
		size_t count = end[n] - first;
		double median = weir_order_select(durations + first, count, count / 2);

		medians[n] = later(1, (int64_t)median);
		first = end[n];
	}
	free(durations);
	free(end);
	return medians;
}

/* Counts the slow calls that found the queue nearly as long as it ever was. */
static uint64_t count_full(struct queue *queue, const struct weir_trace *trace, size_t largest,
                           uint32_t *number)
{
	int64_t *medians;
	uint64_t full = 0;

	if (largest == 0 || queue->call_count == 0)
		return 0;
	medians = find_medians(queue, number_names(queue, number));
	for (size_t i = 0; i < queue->call_count; i++) {
		const struct call *call = &queue->calls[i];

		full += call->duration_ns / SLOW_CALL >= medians[call->number] &&
		        10 * depth_before(queue, trace->host.start_ns[call->row]) >= 9 * largest;
	}
	free(medians);
	return full;
}

/* Adds the idle time of the device, and the part of it without submitted work. */
static void add_starved(const struct weir_trace *trace, size_t first, size_t last,
                        const struct weir_intervals *windows, struct totals *totals)
{
	struct weir_intervals busy = {0};

	weir_intervals_reserve(&busy, 2 * (last - first));
	for (size_t i = first; i < last; i++)
		weir_intervals_push(&busy, trace->device.start_ns[i], trace->device.end_ns[i]);
	totals->idle_ns = weir_add_ns(totals->idle_ns, weir_intervals_outside_ns(windows, &busy));
	for (size_t i = first; i < last; i++)
		if (trace->device.launch[i] != WEIR_NONE)
			weir_intervals_push(&busy, trace->host.start_ns[trace->device.launch[i]],
			                    trace->device.start_ns[i]);
	weir_intervals_unite(&busy);
	totals->starved_ns =
		weir_add_ns(totals->starved_ns, weir_intervals_outside_ns(windows, &busy));
	weir_intervals_release(&busy);
}

static double level_at(const struct histogram *histogram, double total_ns, double share)
{
	double passed = 0;

	for (size_t level = 0; level < histogram->levels; level++) {
		passed += (double)histogram->ns[level];
		if (passed >= share * total_ns)
			return (double)level;
	}
	return NAN;
}

static struct weir_depth summarize(const struct histogram *histogram)
{
	double total = 0, weighted = 0;

	for (size_t level = 0; level < histogram->levels; level++) {
		total += (double)histogram->ns[level];
		weighted += (double)level * (double)histogram->ns[level];
	}
	if (total == 0)
		return (struct weir_depth){NAN, NAN, NAN, NAN};
	return (struct weir_depth){
		.mean = weighted / total,
		.p50 = level_at(histogram, total, 0.50),
		.p95 = level_at(histogram, total, 0.95),
		.max = (double)(histogram->levels - 1),
	};
}

static void measure_device(const struct weir_timeline *timeline, size_t device,
                           const struct weir_measure *windows, struct totals *totals,
                           struct weir_queue_figures *out, struct weir_queue_parts *parts)
{
	const struct weir_trace *trace = timeline->trace;
	size_t first = timeline->first_row[device], last = timeline->first_row[device + 1];
	struct queue queue;
	size_t largest;

	if (first == last)
		return;
	add_starved(trace, first, last, windows->set, totals);
	queue_init(&queue, trace, first, last, windows->set);
	if (queue.count > 0) {
		struct part_cursor waiting = {.windows = windows, .waiting = true};
		struct part_cursor in_flight = {.windows = windows};

		if (!parts->known) {
			parts_init(parts, windows, trace->devices[device].id);
			waiting.parts = in_flight.parts = parts->known ? parts : NULL;
		}
		largest = sweep_depth(&queue, queue.begin_ns, windows, &totals->waiting, &waiting);
		sweep_depth(&queue, queue.finish_ns, windows, &totals->in_flight, &in_flight);
		out->launches += queue.call_count;
		out->full_launches += count_full(&queue, trace, largest, totals->number);
	}
	queue_release(&queue);
}

void weir_queue_measure(const struct weir_timeline *timeline, const struct weir_intervals *windows,
                        struct weir_queue_figures *out, struct weir_queue_parts *parts)
{
	size_t levels = timeline->trace->device.count + 1;
	struct totals totals = {0};
	struct weir_measure measure;

	*out = (struct weir_queue_figures){0};
	totals.waiting.ns = weir_alloc(levels * sizeof(*totals.waiting.ns));
	totals.in_flight.ns = weir_alloc(levels * sizeof(*totals.in_flight.ns));
	totals.number =
		weir_alloc(weir_names_count(timeline->trace->names) * sizeof(*totals.number));
	weir_measure_init(&measure, windows);
	for (size_t device = 0; device < timeline->trace->device_count; device++)
		measure_device(timeline, device, &measure, &totals, out, parts);
	out->waiting = summarize(&totals.waiting);
	out->in_flight = summarize(&totals.in_flight);
	out->starved_share =
		totals.idle_ns > 0 ? (double)totals.starved_ns / (double)totals.idle_ns : NAN;
	weir_measure_release(&measure);
	free(totals.waiting.ns);
	free(totals.in_flight.ns);
	free(totals.number);
}
