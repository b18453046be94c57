/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdlib.h>

#include "engine/analysis/activity.h"
#include "engine/analysis/apis.h"
#include "engine/analysis/frames.h"
#include "engine/analysis/idle.h"
#include "engine/analysis/leaves.h"
#include "engine/base/arena.h"
#include "engine/model/bound.h"

struct weir_idle_finder {
	const struct weir_timeline *timeline;
	const struct weir_steps *steps;
	struct weir_leaves *leaves; /* per thread; built when first asked for */
	uint8_t *leaves_built;      /* per thread */
	uint8_t *reaches_device;    /* per host row: a call below it is device business */
	uint8_t *frame_class;       /* per name id: enum weir_frame_class, for Python frames and
	                               annotations */
	struct weir_intervals profiling; /* the profiler's own work */
	struct weir_intervals
		loading;    /* driver-side loading and compilation, recorded as overhead */
	int64_t *middle_ns; /* per step: launch of the row at half of its device time */
	uint32_t
		*next_row; /* per device: first row that may start at or after the next gap's end */
};

static void mark_device_business(struct weir_idle_finder *finder)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;

	finder->reaches_device = weir_alloc(host->count);
	for (size_t i = 0; i < host->count; i++) {
		uint8_t class = finder->timeline->api_class[host->name[i]];

		if (host->kind[i] != WEIR_HOST_API || class == WEIR_API_QUERY ||
		    class == WEIR_API_OTHER)
			continue;
		for (uint32_t up = (uint32_t)i; up != WEIR_NONE && !finder->reaches_device[up];
		     up = finder->timeline->parent[up])
			finder->reaches_device[up] = 1;
	}
}

static void collect_overhead(struct weir_idle_finder *finder)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;

	for (size_t i = 0; i < host->count; i++) {
		const char *name = weir_timeline_host_name(finder->timeline, (uint32_t)i);

		if (host->kind[i] != WEIR_HOST_OVERHEAD)
			continue;
		weir_intervals_push(weir_overhead_is_loading(name) ? &finder->loading
		                                                   : &finder->profiling,
		                    host->start_ns[i], host->end_ns[i]);
	}
	weir_intervals_unite(&finder->loading);
	weir_intervals_unite(&finder->profiling);
}

/* Rows are summed in order of the device's clock; a step's middle is the launch at half of its sum.
 */
static void find_middles(struct weir_idle_finder *finder)
{
	const struct weir_device_columns *device = &finder->timeline->trace->device;
	const struct weir_steps *steps = finder->steps;
	int64_t *left_ns = weir_alloc((steps->step_count + 1) * sizeof *left_ns);

	finder->middle_ns = weir_alloc((steps->step_count + 1) * sizeof *finder->middle_ns);
	for (size_t i = 0; i < steps->step_count; i++)
		finder->middle_ns[i] = INT64_MAX;
	for (size_t i = 0; i < device->count; i++)
		if (steps->row_step[i] != WEIR_NONE)
			left_ns[steps->row_step[i]] += device->end_ns[i] - device->start_ns[i];
	for (size_t i = 0; i < steps->step_count; i++)
		left_ns[i] = left_ns[i] / 2;
	for (size_t i = 0; i < device->count; i++) {
		uint32_t step = steps->row_step[i], launch = device->launch[i];

		if (step == WEIR_NONE || launch == WEIR_NONE ||
		    finder->middle_ns[step] != INT64_MAX)
			continue;
		left_ns[step] -= device->end_ns[i] - device->start_ns[i];
		if (left_ns[step] <= 0)
			finder->middle_ns[step] = finder->timeline->trace->host.start_ns[launch];
	}
	free(left_ns);
}

struct weir_idle_finder *weir_idle_finder_new(const struct weir_timeline *timeline,
                                              const struct weir_steps *steps)
{
	struct weir_idle_finder *finder = weir_alloc(sizeof *finder);
	const struct weir_trace *trace = timeline->trace;

	finder->timeline = timeline;
	finder->steps = steps;
	finder->leaves = weir_alloc(trace->thread_count * sizeof *finder->leaves);
	finder->leaves_built = weir_alloc(trace->thread_count);
	finder->next_row = weir_alloc(trace->device_count * sizeof *finder->next_row);
	for (size_t d = 0; d < trace->device_count; d++)
		finder->next_row[d] = timeline->first_row[d];
	finder->frame_class = weir_frame_class_of_names(trace->names);
	mark_device_business(finder);
	collect_overhead(finder);
	find_middles(finder);
	return finder;
}

void weir_idle_finder_free(struct weir_idle_finder *finder)
{
	for (size_t t = 0; t < finder->timeline->trace->thread_count; t++)
		weir_leaves_release(&finder->leaves[t]);
	weir_intervals_release(&finder->profiling);
	weir_intervals_release(&finder->loading);
	free(finder->leaves);
	free(finder->leaves_built);
	free(finder->reaches_device);
	free(finder->frame_class);
	free(finder->middle_ns);
	free(finder->next_row);
	free(finder);
}

uint32_t weir_idle_span_of_row(const struct weir_idle_finder *finder, uint32_t row)
{
	return row == WEIR_NONE ? WEIR_NONE : finder->steps->row_span[row];
}

/* The longest of the rows of the device that start at the end of the gap; gaps come in order, so
 * the search only moves on. */
static uint32_t row_after(struct weir_idle_finder *finder, uint16_t device, int64_t end_ns)
{
	const struct weir_device_columns *columns = &finder->timeline->trace->device;
	uint32_t *at = &finder->next_row[device];
	uint32_t last = finder->timeline->first_row[device + 1];

	while (*at < last && columns->start_ns[*at] < end_ns)
		(*at)++;
	return *at < last && columns->start_ns[*at] == end_ns ? *at : WEIR_NONE;
}

static const struct weir_leaves *leaves_of(struct weir_idle_finder *finder, uint32_t thread)
{
	if (!finder->leaves_built[thread]) {
		weir_leaves_init(&finder->leaves[thread], finder->timeline, thread);
		finder->leaves_built[thread] = 1;
	}
	return &finder->leaves[thread];
}

static enum weir_idle idle_of_api(enum weir_api_class class)
{
	static const uint8_t by_class[WEIR_API_CLASS_COUNT] = {
		[WEIR_API_SYNC] = WEIR_IDLE_HOST_SYNC,
		[WEIR_API_COPY_BLOCKING] = WEIR_IDLE_HOST_SYNC,
		[WEIR_API_ALLOC] = WEIR_IDLE_ALLOCATOR,
		[WEIR_API_ALLOC_ASYNC] = WEIR_IDLE_ALLOCATOR,
		[WEIR_API_MODULE] = WEIR_IDLE_COMPILE_LOAD, /* the others: WEIR_IDLE_DISPATCH is 0
	                                                     */
	};

	return (enum weir_idle)by_class[class];
}

static enum weir_idle idle_of_frame(enum weir_frame_class class)
{
	switch (class) {
	case WEIR_FRAME_INPUT:
		return WEIR_IDLE_INPUT;
	case WEIR_FRAME_COMPILE:
		return WEIR_IDLE_COMPILE_LOAD;
	case WEIR_FRAME_PLAIN:
		return WEIR_IDLE_PYTHON;
	}
	return WEIR_IDLE_PYTHON;
}

/* A range, frame or operator anywhere around the row may say that this is a data loader or a
 * compiler. */
static enum weir_idle idle_of_surroundings(const struct weir_idle_finder *finder, uint32_t row)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;

	for (; row != WEIR_NONE; row = finder->timeline->parent[row])
		if (host->kind[row] != WEIR_HOST_API) {
			enum weir_idle idle = idle_of_frame(finder->frame_class[host->name[row]]);

			if (idle != WEIR_IDLE_PYTHON)
				return idle;
		}
	return WEIR_IDLE_PYTHON;
}

static enum weir_idle idle_of_operator(const struct weir_idle_finder *finder, uint32_t row)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;
	uint32_t outermost = weir_timeline_outermost_op(finder->timeline, row);

	if (!finder->reaches_device[outermost] &&
	    host->end_ns[outermost] - host->start_ns[outermost] >= WEIR_HOST_OPERATOR_NS)
		return WEIR_IDLE_HOST_WORK;
	return WEIR_IDLE_DISPATCH;
}

static enum weir_idle idle_of_leaf(const struct weir_idle_finder *finder, uint32_t row)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;
	enum weir_idle around;

	if (row == WEIR_NONE)
		return WEIR_IDLE_HOST_IDLE;
	if (host->kind[row] == WEIR_HOST_API) {
		enum weir_idle idle = idle_of_api(
			(enum weir_api_class)finder->timeline->api_class[host->name[row]]);

		if (idle != WEIR_IDLE_DISPATCH)
			return idle;
	}
	around = idle_of_surroundings(finder, row);
	if (around != WEIR_IDLE_PYTHON)
		return around;
	switch ((enum weir_host_kind)host->kind[row]) {
	case WEIR_HOST_OP:
		return idle_of_operator(finder, row);
	case WEIR_HOST_API:
		return WEIR_IDLE_DISPATCH;
	case WEIR_HOST_OVERHEAD:
		return WEIR_IDLE_PROFILER;
	case WEIR_HOST_ANNOTATION:
	case WEIR_HOST_PYTHON:
		return WEIR_IDLE_PYTHON;
	}
	return WEIR_IDLE_PYTHON;
}

static bool is_glue(const struct weir_idle_finder *finder, uint32_t row)
{
	uint8_t kind;

	if (row == WEIR_NONE)
		return true;
	kind = finder->timeline->trace->host.kind[row];
	return kind == WEIR_HOST_ANNOTATION || kind == WEIR_HOST_PYTHON;
}

/* How long the thread ran no operator and no call around entry i of its leaves. */
static int64_t glue_length(const struct weir_idle_finder *finder, const struct weir_leaves *leaves,
                           size_t i)
{
	size_t first = i, end = i + 1;

	while (first > 0 && is_glue(finder, leaves->row[first - 1]) &&
	       leaves->time_ns[i] - leaves->time_ns[first] < WEIR_HOST_WORK_NS)
		first--;
	while (end < leaves->count && is_glue(finder, leaves->row[end]) &&
	       leaves->time_ns[end] - leaves->time_ns[i] < WEIR_HOST_WORK_NS)
		end++;
	return end < leaves->count ? leaves->time_ns[end] - leaves->time_ns[first] : 0;
}

static uint8_t position_flag(const struct weir_idle_finder *finder, int64_t at_ns)
{
	uint32_t step = weir_steps_step_at(finder->steps, at_ns);

	if (step == WEIR_NONE)
		return WEIR_SEGMENT_BEFORE;
	return at_ns < finder->middle_ns[step] ? WEIR_SEGMENT_BEFORE : 0;
}

/* Pushes [start, end) as one cause, but for what profiler and driver-side loading took of it. */
static void push_cut(struct weir_idle_finder *finder, struct weir_segment segment,
                     struct weir_segments *out)
{
	struct {
		const struct weir_intervals *set;
		enum weir_idle idle;
	} const tracks[] = {{&finder->loading, WEIR_IDLE_COMPILE_LOAD},
	                    {&finder->profiling, WEIR_IDLE_PROFILER}};
	const int64_t end_ns = segment.end_ns;
	const uint8_t own = segment.idle;

	while (segment.start_ns < end_ns) {
		segment.end_ns = end_ns;
		segment.idle = own;
		for (size_t t = 0; t < 2; t++) {
			struct weir_interval cut = {INT64_MAX, INT64_MAX};

			weir_intervals_find(tracks[t].set, segment.start_ns, &cut);
			if (cut.start_ns <= segment.start_ns) {
				segment.idle = (uint8_t)tracks[t].idle;
				segment.end_ns = cut.end_ns < end_ns ? cut.end_ns : end_ns;
				break;
			}
			if (cut.start_ns < segment.end_ns)
				segment.end_ns = cut.start_ns;
		}
		weir_segments_push(out, &segment);
		segment.start_ns = segment.end_ns;
	}
}

/* Explains [start, end), a time in which the launching thread had not launched the next work yet.
 */
static void explain_late(struct weir_idle_finder *finder, struct weir_segment gap,
                         struct weir_segments *out)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;
	uint32_t thread = host->thread[finder->timeline->trace->device.launch[gap.row]];
	const struct weir_leaves *leaves = leaves_of(finder, thread);
	const int64_t end_ns = gap.end_ns;
	size_t i = weir_leaves_at(leaves, gap.start_ns);

	while (gap.start_ns < end_ns) {
		uint32_t row = i == SIZE_MAX ? WEIR_NONE : leaves->row[i];
		size_t next = i == SIZE_MAX ? 0 : i + 1;
		enum weir_idle idle = idle_of_leaf(finder, row);

		gap.end_ns = next < leaves->count && leaves->time_ns[next] < end_ns
		                     ? leaves->time_ns[next]
		                     : end_ns;
		if (idle == WEIR_IDLE_PYTHON && glue_length(finder, leaves, i) >= WEIR_HOST_WORK_NS)
			idle = WEIR_IDLE_HOST_WORK;
		gap.idle = (uint8_t)idle;
		gap.flags = (uint8_t)((gap.flags & ~WEIR_SEGMENT_BEFORE) |
		                      position_flag(finder, gap.start_ns));
		gap.span = weir_steps_span_at(finder->steps, thread, gap.start_ns);
		push_cut(finder, gap, out);
		gap.start_ns = gap.end_ns;
		i = next;
	}
}

/* Was the thread waiting for the device at that time? Copies of pageable memory wait inside their
 * own call. */
static bool waited_at(struct weir_idle_finder *finder, uint32_t thread, int64_t at_ns)
{
	const struct weir_leaves *leaves = leaves_of(finder, thread);
	const struct weir_host_columns *host = &finder->timeline->trace->host;
	size_t i = weir_leaves_at(leaves, at_ns);
	uint32_t row = i == SIZE_MAX ? WEIR_NONE : leaves->row[i];
	enum weir_api_class class;

	if (row == WEIR_NONE || host->kind[row] != WEIR_HOST_API)
		return false;
	class = (enum weir_api_class)finder->timeline->api_class[host->name[row]];
	return class == WEIR_API_SYNC || class == WEIR_API_COPY_BLOCKING ||
	       class == WEIR_API_COPY_ASYNC;
}

/* Did other work than the gap's own predecessor end just before the gap's end? The gap is longer
 * than the limit. */
static enum weir_idle queued_cause(const struct weir_idle_finder *finder,
                                   const struct weir_segment *gap)
{
	const struct weir_trace *trace = finder->timeline->trace;
	enum weir_idle cause = WEIR_IDLE_OTHER;

	if (gap->end_ns - gap->start_ns <= WEIR_INTER_KERNEL_NS)
		return WEIR_IDLE_INTER_KERNEL;
	for (size_t d = 0; d < trace->device_count; d++) {
		size_t low = finder->timeline->first_row[d],
		       high = finder->timeline->first_row[d + 1];

		if (d == gap->device)
			continue; /* the device was idle: what held the work back ran elsewhere */
		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (trace->device.start_ns[middle] < gap->end_ns)
				low = middle + 1;
			else
				high = middle;
		}
		if (low == finder->timeline->first_row[d] ||
		    llabs(trace->device.end_ns[low - 1] - gap->end_ns) > WEIR_DEPENDENCY_NS)
			continue;
		cause = finder->timeline->work[low - 1] == WEIR_WORK_COMM
		                ? WEIR_IDLE_DEPENDENCY_COMM
		                : WEIR_IDLE_DEPENDENCY;
	}
	return cause;
}

static void push_whole(struct weir_idle_finder *finder, struct weir_segment *gap,
                       enum weir_idle idle, struct weir_segments *out)
{
	gap->idle = (uint8_t)idle;
	push_cut(finder, *gap, out);
}

void weir_idle_explain(struct weir_idle_finder *finder, uint16_t device, int64_t start_ns,
                       int64_t end_ns, struct weir_segments *out)
{
	const struct weir_trace *trace = finder->timeline->trace;
	struct weir_segment gap = {.start_ns = start_ns, .end_ns = end_ns, .device = device};
	uint32_t launch;

	gap.row = row_after(finder, device, end_ns);
	gap.span = weir_idle_span_of_row(finder, gap.row);
	launch = gap.row == WEIR_NONE ? WEIR_NONE : trace->device.launch[gap.row];
	if (launch == WEIR_NONE) {
		push_whole(finder, &gap,
		           end_ns - start_ns <= WEIR_INTER_KERNEL_NS ? WEIR_IDLE_INTER_KERNEL
		                                                     : WEIR_IDLE_UNLINKED,
		           out);
		return;
	}
	if (trace->host.start_ns[launch] < start_ns) {
		bool just_launched = trace->host.end_ns[launch] + WEIR_INTER_KERNEL_NS > start_ns &&
		                     end_ns - start_ns > WEIR_INTER_KERNEL_NS;

		push_whole(finder, &gap,
		           just_launched ? WEIR_IDLE_LAUNCH_LATENCY : queued_cause(finder, &gap),
		           out);
		return;
	}
	gap.flags = WEIR_SEGMENT_LATE;
	if (waited_at(finder, trace->host.thread[launch], start_ns))
		gap.flags |= WEIR_SEGMENT_AFTER_SYNC;
	if (trace->host.start_ns[launch] < end_ns)
		gap.end_ns = trace->host.start_ns[launch];
	explain_late(finder, gap, out);
	gap.start_ns = gap.end_ns;
	gap.end_ns = end_ns;
	push_whole(finder, &gap, WEIR_IDLE_LAUNCH_LATENCY, out);
}
