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

/* What a thread did, and what that means where a launch is late. */
struct story {
	bool told;
	struct weir_leaves leaves;
	uint8_t *idle; /* per leaf: enum weir_idle */
};

/* Late gaps of several devices are each explained by the same threads: the pieces of all of them
 * are at most so many a row of the trace, what is left then stays unexplained. */
#define PIECES_PER_ROW 16
#define FEWEST_PIECES  ((size_t)1 << 20)

struct weir_idle_finder {
	const struct weir_timeline *timeline;
	const struct weir_steps *steps;
	struct story *stories;   /* per thread; told when first asked for */
	uint8_t *reaches_device; /* per host row: a call below it is device business */
	uint8_t *surroundings;   /* per host row: enum weir_frame_class of the innermost range,
	                            frame or operator at or above it that is not plain */
	struct weir_intervals profiling; /* the profiler's own work */
	struct weir_intervals
		loading;    /* driver-side loading and compilation, recorded as overhead */
	size_t pieces_left; /* see PIECES_PER_ROW */
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
		    class == WEIR_API_OTHER || class == WEIR_API_SYSTEM)
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

/* The device time of a step on the first device that works for it. */
struct step_work {
	bool any;
	uint16_t device;
	int64_t left_ns; /* first all of it, then what lies behind the row at hand */
};

static struct step_work *sum_step_work(const struct weir_steps *steps,
                                       const struct weir_device_columns *device)
{
	struct step_work *work = weir_alloc(steps->step_count * sizeof *work);

	for (size_t i = 0; i < device->count; i++) {
		struct step_work *of_step;

		if (steps->row_step[i] == WEIR_NONE)
			continue;
		of_step = &work[steps->row_step[i]];
		if (!of_step->any)
			of_step->device = device->device[i];
		of_step->any = true;
		if (of_step->device == device->device[i])
			of_step->left_ns =
				weir_add_ns(of_step->left_ns,
			                    weir_span_ns(device->start_ns[i], device->end_ns[i]));
	}
	return work;
}

/* Rows are summed in order of the device's clock; a step's middle is the launch at half of its sum.
 */
static void find_middles(struct weir_idle_finder *finder)
{
	const struct weir_trace *trace = finder->timeline->trace;
	const struct weir_device_columns *device = &trace->device;
	const struct weir_steps *steps = finder->steps;
	struct step_work *work = sum_step_work(steps, device);

	finder->middle_ns = weir_alloc(steps->step_count * sizeof *finder->middle_ns);
	for (size_t i = 0; i < steps->step_count; i++) {
		finder->middle_ns[i] = INT64_MAX;
		work[i].left_ns /= 2;
	}
	for (size_t i = 0; i < device->count; i++) {
		uint32_t step = steps->row_step[i];
		uint32_t from = device->launch[i] != WEIR_NONE ? device->launch[i]
		                                               : finder->timeline->op[i];

		if (step == WEIR_NONE || work[step].device != device->device[i] ||
		    finder->middle_ns[step] != INT64_MAX)
			continue;
		work[step].left_ns -= weir_span_ns(device->start_ns[i], device->end_ns[i]);
		if (work[step].left_ns <= 0)
			finder->middle_ns[step] = trace->host.start_ns[from];
	}
	free(work);
}

/* A range, frame or operator anywhere around a row may say that this is a data loader or a
 * compiler. A row comes behind its parent. */
static void find_surroundings(struct weir_idle_finder *finder)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;
	uint8_t *by_name = weir_frame_class_of_names(finder->timeline->trace->names);

	finder->surroundings = weir_alloc(host->count);
	for (size_t i = 0; i < host->count; i++) {
		uint32_t parent = finder->timeline->parent[i];
		uint8_t own =
			host->kind[i] != WEIR_HOST_API ? by_name[host->name[i]] : WEIR_FRAME_PLAIN;

		if (own == WEIR_FRAME_PLAIN && parent != WEIR_NONE)
			own = finder->surroundings[parent];
		finder->surroundings[i] = own;
	}
	free(by_name);
}

struct weir_idle_finder *weir_idle_finder_new(const struct weir_timeline *timeline,
                                              const struct weir_steps *steps)
{
	struct weir_idle_finder *finder = weir_alloc(sizeof *finder);
	const struct weir_trace *trace = timeline->trace;

	finder->timeline = timeline;
	finder->steps = steps;
	finder->stories = weir_alloc(trace->thread_count * sizeof *finder->stories);
	finder->next_row = weir_alloc(trace->device_count * sizeof *finder->next_row);
	for (size_t d = 0; d < trace->device_count; d++)
		finder->next_row[d] = timeline->first_row[d];
	finder->pieces_left =
		FEWEST_PIECES + PIECES_PER_ROW * (trace->host.count + trace->device.count);
	find_surroundings(finder);
	mark_device_business(finder);
	collect_overhead(finder);
	find_middles(finder);
	return finder;
}

void weir_idle_finder_free(struct weir_idle_finder *finder)
{
	for (size_t t = 0; t < finder->timeline->trace->thread_count; t++) {
		weir_leaves_release(&finder->stories[t].leaves);
		free(finder->stories[t].idle);
	}
	weir_intervals_release(&finder->profiling);
	weir_intervals_release(&finder->loading);
	free(finder->stories);
	free(finder->reaches_device);
	free(finder->surroundings);
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

/* What a call of the operating system is part of: a driver call, an operator, the program. */
static uint32_t without_system_calls(const struct weir_idle_finder *finder, uint32_t row)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;

	while (row != WEIR_NONE && host->kind[row] == WEIR_HOST_API &&
	       finder->timeline->api_class[host->name[row]] == WEIR_API_SYSTEM)
		row = finder->timeline->parent[row];
	return row;
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

static enum weir_idle idle_of_operator(const struct weir_idle_finder *finder, uint32_t row)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;
	uint32_t outermost = weir_timeline_outermost_op(finder->timeline, row);

	if (!finder->reaches_device[outermost] &&
	    weir_span_ns(host->start_ns[outermost], host->end_ns[outermost]) >=
	            WEIR_HOST_OPERATOR_NS)
		return WEIR_IDLE_HOST_WORK;
	return WEIR_IDLE_DISPATCH;
}

static enum weir_idle idle_of_leaf(const struct weir_idle_finder *finder, uint32_t row)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;
	enum weir_idle around;

	row = without_system_calls(finder, row);
	if (row == WEIR_NONE)
		return WEIR_IDLE_HOST_IDLE;
	if (host->kind[row] == WEIR_HOST_API) {
		enum weir_idle idle = idle_of_api(
			(enum weir_api_class)finder->timeline->api_class[host->name[row]]);

		if (idle != WEIR_IDLE_DISPATCH)
			return idle;
	}
	around = idle_of_frame((enum weir_frame_class)finder->surroundings[row]);
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

	row = without_system_calls(finder, row);
	if (row == WEIR_NONE)
		return true;
	kind = finder->timeline->trace->host.kind[row];
	return kind == WEIR_HOST_ANNOTATION || kind == WEIR_HOST_PYTHON;
}

/* Entries [first, end) of the leaves ran no operator and no call: a long stretch is work of its
 * own.
 */
static void judge_glue(struct story *story, size_t first, size_t end)
{
	const struct weir_leaves *leaves = &story->leaves;
	size_t last = end < leaves->count ? end : leaves->count - 1;

	if (weir_span_ns(leaves->time_ns[first], leaves->time_ns[last]) < WEIR_HOST_WORK_NS)
		return;
	for (size_t i = first; i < end; i++)
		if (story->idle[i] == WEIR_IDLE_PYTHON)
			story->idle[i] = WEIR_IDLE_HOST_WORK;
}

static const struct story *story_of(struct weir_idle_finder *finder, uint32_t thread)
{
	struct story *story = &finder->stories[thread];
	const struct weir_leaves *leaves = &story->leaves;

	if (story->told)
		return story;
	story->told = true;
	weir_leaves_init(&story->leaves, finder->timeline, thread);
	story->idle = weir_alloc(leaves->count);
	for (size_t i = 0; i < leaves->count; i++)
		story->idle[i] = (uint8_t)idle_of_leaf(finder, leaves->row[i]);
	for (size_t i = 0, end; i < leaves->count; i = end) {
		for (end = i; end < leaves->count && is_glue(finder, leaves->row[end]);)
			end++;
		if (end > i)
			judge_glue(story, i, end);
		else
			end++;
	}
	return story;
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
	const uint8_t own = segment.idle, flags = segment.flags;

	while (segment.start_ns < end_ns) {
		segment.end_ns = end_ns;
		segment.idle = own;
		segment.flags = flags;
		for (size_t t = 0; t < 2; t++) {
			struct weir_interval cut = {INT64_MAX, INT64_MAX};

			weir_intervals_find(tracks[t].set, segment.start_ns, &cut);
			if (cut.start_ns <= segment.start_ns) {
				segment.idle = (uint8_t)tracks[t].idle;
				segment.end_ns =
					cut.end_ns < segment.end_ns ? cut.end_ns : segment.end_ns;
				break;
			}
			if (cut.start_ns < segment.end_ns)
				segment.end_ns = cut.start_ns;
		}
		if (segment.idle == WEIR_IDLE_PROFILER)
			segment.flags = 0; /* without the profiler there would be no delay */
		weir_segments_push(out, &segment);
		segment.start_ns = segment.end_ns;
	}
}

static void push_whole(struct weir_idle_finder *finder, struct weir_segment *gap,
                       enum weir_idle idle, struct weir_segments *out)
{
	gap->idle = (uint8_t)idle;
	push_cut(finder, *gap, out);
}

/* Explains [start, end), a time in which the launching thread had not launched the next work yet.
 */
static void explain_late(struct weir_idle_finder *finder, struct weir_segment gap,
                         struct weir_segments *out)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;
	uint32_t thread = host->thread[finder->timeline->trace->device.launch[gap.row]];
	const struct story *story = story_of(finder, thread);
	const struct weir_leaves *leaves = &story->leaves;
	const int64_t end_ns = gap.end_ns;
	size_t i = weir_leaves_at(leaves, gap.start_ns);

	for (; gap.start_ns < end_ns && finder->pieces_left > 0; finder->pieces_left--) {
		size_t next = i == SIZE_MAX ? 0 : i + 1;

		gap.end_ns = next < leaves->count && leaves->time_ns[next] < end_ns
		                     ? leaves->time_ns[next]
		                     : end_ns;
		gap.idle = i == SIZE_MAX ? WEIR_IDLE_HOST_IDLE : story->idle[i];
		gap.flags = (uint8_t)((gap.flags & ~WEIR_SEGMENT_BEFORE) |
		                      position_flag(finder, gap.start_ns));
		gap.span = weir_steps_span_at(finder->steps, thread, gap.start_ns);
		push_cut(finder, gap, out);
		gap.start_ns = gap.end_ns;
		i = next;
	}
	gap.end_ns = end_ns;
	gap.flags = 0;
	push_whole(finder, &gap, WEIR_IDLE_OTHER, out);
}

/* Was the thread waiting for the device at that time? Copies of pageable memory wait inside their
 * own call. */
static bool waited_at(struct weir_idle_finder *finder, uint32_t thread, int64_t at_ns)
{
	const struct weir_leaves *leaves = &story_of(finder, thread)->leaves;
	const struct weir_host_columns *host = &finder->timeline->trace->host;
	size_t i = weir_leaves_at(leaves, at_ns);
	uint32_t row = without_system_calls(finder, i == SIZE_MAX ? WEIR_NONE : leaves->row[i]);
	enum weir_api_class class;

	if (row == WEIR_NONE || host->kind[row] != WEIR_HOST_API)
		return false;
	class = (enum weir_api_class)finder->timeline->api_class[host->name[row]];
	return class == WEIR_API_SYNC || class == WEIR_API_COPY_BLOCKING ||
	       class == WEIR_API_COPY_ASYNC;
}

static bool is_near(int64_t a_ns, int64_t b_ns, int64_t limit_ns)
{
	return weir_span_ns(a_ns, b_ns) <= limit_ns && weir_span_ns(b_ns, a_ns) <= limit_ns;
}

/* Did other work than the gap's own predecessor end just before the gap's end? The gap is longer
 * than the limit. */
static enum weir_idle queued_cause(const struct weir_idle_finder *finder,
                                   const struct weir_segment *gap)
{
	const struct weir_trace *trace = finder->timeline->trace;
	enum weir_idle cause = WEIR_IDLE_OTHER;

	if (weir_segment_ns(gap) <= WEIR_INTER_KERNEL_NS)
		return WEIR_IDLE_INTER_KERNEL;
	for (size_t d = 0; d < trace->device_count && cause != WEIR_IDLE_DEPENDENCY_COMM; d++) {
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
		    !is_near(trace->device.end_ns[low - 1], gap->end_ns, WEIR_DEPENDENCY_NS))
			continue;
		cause = finder->timeline->work[low - 1] == WEIR_WORK_COMM
		                ? WEIR_IDLE_DEPENDENCY_COMM
		                : WEIR_IDLE_DEPENDENCY;
	}
	return cause;
}

void weir_idle_explain(struct weir_idle_finder *finder, uint16_t device, int64_t start_ns,
                       int64_t end_ns, struct weir_segments *out)
{
	const struct weir_trace *trace = finder->timeline->trace;
	struct weir_segment gap = {.start_ns = start_ns, .end_ns = end_ns, .device = device};
	bool is_long = weir_segment_ns(&gap) > WEIR_INTER_KERNEL_NS;
	uint32_t launch;

	gap.row = row_after(finder, device, end_ns);
	gap.span = weir_idle_span_of_row(finder, gap.row);
	launch = gap.row == WEIR_NONE ? WEIR_NONE : trace->device.launch[gap.row];
	if (launch == WEIR_NONE) {
		push_whole(finder, &gap, is_long ? WEIR_IDLE_UNLINKED : WEIR_IDLE_INTER_KERNEL,
		           out);
		return;
	}
	if (trace->host.start_ns[launch] < start_ns) {
		bool just_launched = is_long && weir_span_ns(trace->host.end_ns[launch], start_ns) <
		                                        WEIR_INTER_KERNEL_NS;

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
