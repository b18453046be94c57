/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdlib.h>

#include "engine/analysis/names/frames.h"
#include "engine/analysis/time/instants.h"
#include "engine/analysis/timeline/activity.h"
#include "engine/analysis/timeline/calls.h"
#include "engine/analysis/timeline/idle.h"
#include "engine/analysis/timeline/leaves.h"
#include "engine/analysis/timeline/story.h"
#include "engine/base/arena.h"
#include "engine/model/bound.h"

/* Late gaps of several devices are each explained by the same threads: the pieces of all of them
 * are at most so many a row of the trace, what is left then stays unexplained. */
#define PIECES_PER_ROW 16
#define FEWEST_PIECES  ((size_t)1 << 20)

#define LOOK_BACK 64 /* rows before a launch among which a wait of its stream is looked for */

/* Overhead of one kind, on a track of its own: its time, and its rows in order of their start. */
struct track {
	struct weir_intervals set;
	int64_t *start_ns;
	uint32_t *name;
	size_t count, capacity, name_capacity;
};

struct weir_idle_finder {
	const struct weir_timeline *timeline;
	const struct weir_steps *steps;
	struct weir_stories *stories;
	struct weir_idle_names *names; /* borrowed */
	struct track loading;          /* by the driver, recorded as overhead */
	struct track profiling;        /* the profiler's own work */
	size_t pieces_left;            /* see PIECES_PER_ROW */
	int64_t *middle_ns;            /* per step: launch of the row at half of its device time */
	uint32_t
		*next_row; /* per device: first row that may start at or after the next gap's end */
};

/* Rows of a thread come by their start; of several threads, the first that has any names them. */
static void track_push(struct track *track, const struct weir_host_columns *host, size_t row)
{
	weir_intervals_push(&track->set, host->start_ns[row], host->end_ns[row]);
	if (track->count > 0 && track->start_ns[track->count - 1] > host->start_ns[row])
		return;
	track->start_ns = weir_grow(track->start_ns, &track->capacity, track->count + 1,
	                            sizeof *track->start_ns);
	track->name = weir_grow(track->name, &track->name_capacity, track->count + 1,
	                        sizeof *track->name);
	track->start_ns[track->count] = host->start_ns[row];
	track->name[track->count++] = host->name[row];
}

static void track_release(struct track *track)
{
	weir_intervals_release(&track->set);
	free(track->start_ns);
	free(track->name);
}

/* The name of the last row that had begun; 0: none. */
static uint32_t track_name(const struct track *track, int64_t at_ns)
{
	size_t begun = weir_instants_until(track->start_ns, track->count, at_ns);

	return begun > 0 ? track->name[begun - 1] : 0;
}

static void collect_overhead(struct weir_idle_finder *finder)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;

	for (size_t i = 0; i < host->count; i++)
		if (host->kind[i] == WEIR_HOST_OVERHEAD)
			track_push(weir_overhead_is_loading(
					   weir_timeline_host_name(finder->timeline, (uint32_t)i))
			                   ? &finder->loading
			                   : &finder->profiling,
			           host, i);
	weir_intervals_unite(&finder->loading.set);
	weir_intervals_unite(&finder->profiling.set);
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

struct weir_idle_finder *weir_idle_finder_new(const struct weir_timeline *timeline,
                                              const struct weir_steps *steps,
                                              struct weir_idle_names *names)
{
	struct weir_idle_finder *finder = weir_alloc(sizeof *finder);
	const struct weir_trace *trace = timeline->trace;

	finder->timeline = timeline;
	finder->steps = steps;
	finder->names = names;
	finder->stories = weir_stories_new(timeline, steps);
	finder->next_row = weir_alloc(trace->device_count * sizeof *finder->next_row);
	for (size_t d = 0; d < trace->device_count; d++)
		finder->next_row[d] = timeline->first_row[d];
	finder->pieces_left =
		FEWEST_PIECES + PIECES_PER_ROW * (trace->host.count + trace->device.count);
	collect_overhead(finder);
	find_middles(finder);
	return finder;
}

void weir_idle_finder_free(struct weir_idle_finder *finder)
{
	weir_stories_free(finder->stories);
	track_release(&finder->profiling);
	track_release(&finder->loading);
	free(finder->middle_ns);
	free(finder->next_row);
	free(finder);
}

uint32_t weir_idle_span_of_row(const struct weir_idle_finder *finder, uint32_t row)
{
	return row == WEIR_NONE ? WEIR_NONE : finder->steps->row_span[row];
}

bool weir_idle_row_is_compilers(const struct weir_idle_finder *finder, uint32_t row)
{
	uint32_t launch = finder->timeline->trace->device.launch[row];

	return launch != WEIR_NONE && weir_story_compiles(finder->stories, launch);
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

static uint8_t position_flag(const struct weir_idle_finder *finder, int64_t at_ns)
{
	uint32_t step = weir_steps_step_at(finder->steps, at_ns);

	if (step == WEIR_NONE)
		return WEIR_SEGMENT_BEFORE;
	return at_ns < finder->middle_ns[step] ? WEIR_SEGMENT_BEFORE : 0;
}

static void push_named(struct weir_idle_finder *finder, const struct weir_segment *segment,
                       struct weir_story_name name, struct weir_segments *out)
{
	weir_segments_push(out, segment);
	weir_idle_names_add(finder->names,
	                    &(struct weir_idle_entry){.name = name.name,
	                                              .in = name.in,
	                                              .idle = segment->idle,
	                                              .count = 1,
	                                              .ns = weir_segment_ns(segment)});
}

/* Pushes [start, end) as one cause, but for what profiler and driver-side loading took of it. */
static void push_cut(struct weir_idle_finder *finder, struct weir_segment segment,
                     struct weir_story_name own_name, struct weir_segments *out)
{
	struct {
		const struct track *track;
		enum weir_idle idle;
	} const cuts[] = {{&finder->loading, WEIR_IDLE_COMPILE_LOAD},
	                  {&finder->profiling, WEIR_IDLE_PROFILER}};
	const int64_t end_ns = segment.end_ns;
	const uint8_t own = segment.idle, flags = segment.flags;

	while (segment.start_ns < end_ns) {
		struct weir_story_name name = own_name;

		segment.end_ns = end_ns;
		segment.idle = own;
		segment.flags = flags;
		for (size_t t = 0; t < 2; t++) {
			struct weir_interval cut = {INT64_MAX, INT64_MAX};

			weir_intervals_find(&cuts[t].track->set, segment.start_ns, &cut);
			if (cut.start_ns <= segment.start_ns) {
				segment.idle = (uint8_t)cuts[t].idle;
				segment.end_ns =
					cut.end_ns < segment.end_ns ? cut.end_ns : segment.end_ns;
				name.name = track_name(cuts[t].track, segment.start_ns);
				name.in = own_name.in;
				break;
			}
			if (cut.start_ns < segment.end_ns)
				segment.end_ns = cut.start_ns;
		}
		if (segment.idle == WEIR_IDLE_PROFILER) {
			segment.flags = 0; /* without the profiler there would be no delay */
			name.in = 0;
		}
		push_named(finder, &segment, name, out);
		segment.start_ns = segment.end_ns;
	}
}

/* The work that ends a gap gives it its name. */
static void push_whole(struct weir_idle_finder *finder, struct weir_segment *gap,
                       enum weir_idle idle, struct weir_segments *out)
{
	const struct weir_timeline *timeline = finder->timeline;
	struct weir_story_name name = {0, 0};

	if (gap->row != WEIR_NONE) {
		name.name = timeline->trace->device.name[gap->row];
		if (timeline->op[gap->row] != WEIR_NONE)
			name.in = timeline->trace->host.name[timeline->op[gap->row]];
	}
	gap->idle = (uint8_t)idle;
	push_cut(finder, *gap, name, out);
}

/*
 * A thread without anything to do may wait for a stage of the main thread: that is host work. Cuts
 * the gap where the stage changes; true where something is left.
 */
static bool cut_at_stage(const struct weir_idle_finder *finder, struct weir_segment *gap)
{
	int64_t change_ns = weir_steps_next_change(finder->steps, gap->start_ns);

	if (weir_steps_span_at(finder->steps, UINT32_MAX, gap->start_ns) != WEIR_NONE)
		gap->idle = WEIR_IDLE_HOST_WORK;
	if (change_ns >= gap->end_ns)
		return false;
	gap->end_ns = change_ns;
	return true;
}

/* Explains [start, end), a time in which the launching thread had not launched the next work yet.
 */
static void explain_late(struct weir_idle_finder *finder, struct weir_segment gap,
                         struct weir_segments *out)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;
	uint32_t thread = host->thread[finder->timeline->trace->device.launch[gap.row]];
	const struct weir_story *story = weir_story_of(finder->stories, thread);
	const struct weir_leaves *leaves = &story->leaves;
	const int64_t end_ns = gap.end_ns;
	size_t i = weir_leaves_at(leaves, gap.start_ns);

	for (; gap.start_ns < end_ns && finder->pieces_left > 0; finder->pieces_left--) {
		size_t next = i == SIZE_MAX ? 0 : i + 1;

		gap.end_ns = next < leaves->count && leaves->time_ns[next] < end_ns
		                     ? leaves->time_ns[next]
		                     : end_ns;
		gap.idle = i == SIZE_MAX ? WEIR_IDLE_HOST_IDLE : story->idle[i];
		if (gap.idle == WEIR_IDLE_HOST_IDLE && cut_at_stage(finder, &gap))
			next = i; /* the rest of the leaf comes next */
		gap.flags = (uint8_t)((gap.flags & ~WEIR_SEGMENT_BEFORE) |
		                      position_flag(finder, gap.start_ns));
		gap.span = weir_steps_span_at(finder->steps, thread, gap.start_ns);
		push_cut(finder, gap,
		         weir_story_name(finder->stories,
		                         i == SIZE_MAX ? WEIR_NONE : leaves->row[i]),
		         out);
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
	const struct weir_leaves *leaves = &weir_story_of(finder->stories, thread)->leaves;
	const struct weir_host_columns *host = &finder->timeline->trace->host;
	size_t i = weir_leaves_at(leaves, at_ns);
	uint32_t row =
		weir_timeline_caller(finder->timeline, i == SIZE_MAX ? WEIR_NONE : leaves->row[i]);
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

/* Between the launch and the one before it on its thread, the stream was told to wait. What is
 * nested in a row counts with it. */
static bool is_held_back(const struct weir_idle_finder *finder, uint32_t launch)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;
	const uint8_t *classes = finder->timeline->api_class;

	for (uint32_t i = launch; i > 0 && launch - i < LOOK_BACK; i--) {
		uint8_t class = classes[host->name[i - 1]];

		if (host->thread[i - 1] != host->thread[launch])
			return false;
		if (host->kind[i - 1] != WEIR_HOST_API)
			continue;
		if (class == WEIR_API_STREAM_WAIT)
			return true;
		if (WEIR_API_BIT(class) & WEIR_API_STARTS_WORK)
			return false;
	}
	return false;
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
	if (is_held_back(finder, trace->device.launch[gap->row]))
		cause = WEIR_IDLE_DEPENDENCY;
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
