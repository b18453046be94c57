/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdlib.h>

#include "engine/analysis/names/frames.h"
#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/activity.h"
#include "engine/analysis/timeline/host_activity.h"
#include "engine/analysis/timeline/host_time.h"
#include "engine/analysis/timeline/idle.h"
#include "engine/analysis/timeline/leaves.h"
#include "engine/base/arena.h"
#include "engine/model/bound.h"
#include "engine/model/what_if.h"

/* Limits the pieces that late gaps are cut into, per row of the trace: late gaps of several devices
 * are each explained by the same threads. Gaps beyond the limit stay unexplained. */
#define PIECES_PER_ROW 16
#define FEWEST_PIECES  ((size_t)1 << 20)

#define LOOK_BACK 64 /* rows before a launch that are searched for a wait of its stream */

/* Recorded overhead of one kind: its time, and its rows in order of start. */
struct overhead {
	struct weir_intervals set;
	int64_t *start_ns;
	uint32_t *name;
	size_t count, capacity, name_capacity;
};

struct weir_idle_finder {
	const struct weir_timeline *timeline;
	const struct weir_steps *steps;
	struct weir_host_activity *activity;
	struct weir_idle_names *names; /* borrowed */
	struct overhead loading;       /* by the driver */
	struct overhead profiling;     /* by the profiler */
	size_t pieces_left;            /* see PIECES_PER_ROW */
	uint8_t *has_work;             /* per host row: it put work on a device that is recorded */
	int64_t *middle_ns;            /* per step: launch of the row at half of its computation */
	uint32_t *next_row; /* per device: first row that may start at or after the end of the next
	                       gap */
	/* Answers that hold for a while, since gaps come in order. */
	struct weir_span_place span;
	size_t step, leaf;
	struct weir_interval undisturbed; /* no overhead lies in it */
	bool is_part;                     /* borrows all but next_row and the answers */
};

/* Adds an overhead row. Rows of one thread come in order of start; rows of further threads add
 * time, but no name if they start before the last one. */
static void overhead_push(struct overhead *overhead, const struct weir_host_columns *host,
                          size_t row)
{
	weir_intervals_push(&overhead->set, host->start_ns[row], host->end_ns[row]);
	if (overhead->count > 0 && overhead->start_ns[overhead->count - 1] > host->start_ns[row])
		return;
	overhead->start_ns = weir_grow(overhead->start_ns, &overhead->capacity, overhead->count + 1,
	                               sizeof *overhead->start_ns);
	overhead->name = weir_grow(overhead->name, &overhead->name_capacity, overhead->count + 1,
	                           sizeof *overhead->name);
	overhead->start_ns[overhead->count] = host->start_ns[row];
	overhead->name[overhead->count++] = host->name[row];
}

static void overhead_release(struct overhead *overhead)
{
	weir_intervals_release(&overhead->set);
	free(overhead->start_ns);
	free(overhead->name);
}

/* Returns the name of the last row that began at or before at_ns; 0: no row did. */
static uint32_t overhead_name(const struct overhead *overhead, int64_t at_ns)
{
	size_t begun = weir_instants_until(overhead->start_ns, overhead->count, at_ns);

	return begun > 0 ? overhead->name[begun - 1] : 0;
}

static void collect_overhead(struct weir_idle_finder *finder)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;

	for (size_t i = 0; i < host->count; i++)
		if (host->kind[i] == WEIR_HOST_OVERHEAD)
			overhead_push(weir_overhead_is_loading(weir_timeline_host_name(
					      finder->timeline, (uint32_t)i))
			                      ? &finder->loading
			                      : &finder->profiling,
			              host, i);
	weir_intervals_unite(&finder->loading.set);
	weir_intervals_unite(&finder->profiling.set);
}

/* The time of a step's kernels on the first device with work of the step; of its copies if it has
 * no kernels. Copies bring inputs and results, which host work surrounds: a checkpoint that copies
 * for longer than the step computes still follows its computation. */
struct step_work {
	bool any, has_kernels;
	uint16_t device;
	int64_t left_ns; /* at first all of it, then the part after the current row */
};

/* Returns false for a copy beside kernels, and for work of another device. */
static bool counts(const struct step_work *work, const struct weir_device_columns *device,
                   size_t row)
{
	return work->device == device->device[row] &&
	       (!work->has_kernels || device->kind[row] == WEIR_DEVICE_KERNEL);
}

static struct step_work *sum_step_work(const struct weir_steps *steps,
                                       const struct weir_device_columns *device)
{
	struct step_work *work = weir_alloc(steps->step_count * sizeof *work);

	for (size_t i = 0; i < device->count; i++) {
		struct step_work *sum;

		if (steps->row_step[i] == WEIR_NONE)
			continue;
		sum = &work[steps->row_step[i]];
		if (!sum->any)
			sum->device = device->device[i];
		sum->any = true;
		if (sum->device == device->device[i] && device->kind[i] == WEIR_DEVICE_KERNEL &&
		    !sum->has_kernels) {
			sum->has_kernels = true;
			sum->left_ns = 0;
		}
		if (counts(sum, device, i))
			sum->left_ns = weir_add_ns(
				sum->left_ns, weir_span_ns(device->start_ns[i], device->end_ns[i]));
	}
	return work;
}

/* Finds the middle of each step: the launch of the row at half of the time that counts, in order of
 * the device's clock. */
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

		if (step == WEIR_NONE || !counts(&work[step], device, i) ||
		    finder->middle_ns[step] != INT64_MAX)
			continue;
		work[step].left_ns -= weir_span_ns(device->start_ns[i], device->end_ns[i]);
		if (work[step].left_ns <= 0)
			finder->middle_ns[step] = trace->host.start_ns[from];
	}
	free(work);
}

static void begin_rows(struct weir_idle_finder *finder)
{
	size_t devices = finder->timeline->trace->device_count;

	finder->next_row = weir_alloc(devices * sizeof *finder->next_row);
	for (size_t d = 0; d < devices; d++)
		finder->next_row[d] = finder->timeline->first_row[d];
}

struct weir_idle_finder *weir_idle_finder_part(const struct weir_idle_finder *whole,
                                               struct weir_idle_names *names)
{
	struct weir_idle_finder *finder = weir_alloc(sizeof *finder);

	*finder = *whole;
	finder->names = names;
	finder->is_part = true;
	begin_rows(finder);
	return finder;
}

void weir_idle_finder_prepare(struct weir_idle_finder *finder)
{
	const struct weir_trace *trace = finder->timeline->trace;

	for (size_t i = 0; i < trace->device.count; i++)
		if (trace->device.launch[i] != WEIR_NONE)
			weir_host_activity_of_thread(finder->activity,
			                             trace->host.thread[trace->device.launch[i]]);
}

size_t weir_idle_finder_left(const struct weir_idle_finder *finder)
{
	return finder->pieces_left;
}

struct weir_idle_finder *weir_idle_finder_new(const struct weir_timeline *timeline,
                                              const struct weir_steps *steps,
                                              struct weir_host_activity *activity,
                                              struct weir_idle_names *names)
{
	struct weir_idle_finder *finder = weir_alloc(sizeof *finder);
	const struct weir_trace *trace = timeline->trace;

	finder->timeline = timeline;
	finder->steps = steps;
	finder->names = names;
	finder->activity = activity;
	begin_rows(finder);
	finder->pieces_left =
		FEWEST_PIECES + PIECES_PER_ROW * (trace->host.count + trace->device.count);
	collect_overhead(finder);
	find_middles(finder);
	finder->has_work = weir_alloc(trace->host.count);
	for (size_t i = 0; i < trace->device.count; i++)
		if (trace->device.launch[i] != WEIR_NONE)
			finder->has_work[trace->device.launch[i]] = 1;
	return finder;
}

void weir_idle_finder_free(struct weir_idle_finder *finder)
{
	free(finder->next_row);
	if (!finder->is_part) {
		overhead_release(&finder->profiling);
		overhead_release(&finder->loading);
		free(finder->has_work);
		free(finder->middle_ns);
	}
	free(finder);
}

uint32_t weir_idle_span_of_row(const struct weir_idle_finder *finder, uint32_t row)
{
	return row == WEIR_NONE ? WEIR_NONE : finder->steps->row_span[row];
}

bool weir_idle_row_is_compilers(const struct weir_idle_finder *finder, uint32_t row)
{
	uint32_t launch = finder->timeline->trace->device.launch[row];

	return launch != WEIR_NONE && weir_host_activity_compiles(finder->activity, launch);
}

/* Returns the longest row of the device that starts at the end of the gap; WEIR_NONE: none does.
 * Gaps come in order, so that the search only moves forward. */
static uint32_t row_after(struct weir_idle_finder *finder, uint16_t device, int64_t end_ns)
{
	const struct weir_device_columns *columns = &finder->timeline->trace->device;
	uint32_t *at = &finder->next_row[device];
	uint32_t last = finder->timeline->first_row[device + 1];

	while (*at < last && columns->start_ns[*at] < end_ns)
		(*at)++;
	return *at < last && columns->start_ns[*at] == end_ns ? *at : WEIR_NONE;
}

static uint8_t position_flag(struct weir_idle_finder *finder, int64_t at_ns)
{
	uint32_t step = weir_steps_step_near(finder->steps, at_ns, &finder->step);

	if (step == WEIR_NONE)
		return WEIR_SEGMENT_BEFORE;
	return at_ns < finder->middle_ns[step] ? WEIR_SEGMENT_BEFORE : 0;
}

static void push_named(struct weir_idle_finder *finder, const struct weir_segment *segment,
                       struct weir_activity_label name, struct weir_segments *out)
{
	weir_segments_push(out, segment);
	weir_idle_names_add(finder->names,
	                    &(struct weir_idle_entry){.name = name.name,
	                                              .in = name.in,
	                                              .idle = segment->idle,
	                                              .count = 1,
	                                              .ns = weir_segment_ns(segment)});
}

/* Returns true if neither the profiler nor driver-side loading worked in the segment. */
static bool is_undisturbed(struct weir_idle_finder *finder, const struct weir_segment *segment)
{
	const struct overhead *const overheads[] = {&finder->loading, &finder->profiling};
	struct weir_interval *known = &finder->undisturbed;

	if (segment->start_ns < known->start_ns || segment->end_ns > known->end_ns) {
		*known = (struct weir_interval){segment->start_ns, INT64_MAX};
		for (size_t i = 0; i < 2; i++) {
			struct weir_interval next;

			if (weir_intervals_find(&overheads[i]->set, segment->start_ns, &next) &&
			    next.start_ns < known->end_ns)
				known->end_ns = next.start_ns;
		}
	}
	return segment->end_ns <= known->end_ns;
}

/* Ends the segment where overhead begins or ends. Overhead becomes its cause and its name. */
static void cut_at_overhead(const struct weir_idle_finder *finder, struct weir_segment *segment,
                            struct weir_activity_label *name)
{
	struct {
		const struct overhead *overhead;
		enum weir_idle idle;
	} const cuts[] = {{&finder->loading, WEIR_IDLE_COMPILE_LOAD},
	                  {&finder->profiling, WEIR_IDLE_PROFILER}};

	for (size_t t = 0; t < 2; t++) {
		struct weir_interval cut = {INT64_MAX, INT64_MAX};

		weir_intervals_find(&cuts[t].overhead->set, segment->start_ns, &cut);
		if (cut.start_ns <= segment->start_ns) {
			segment->idle = (uint8_t)cuts[t].idle;
			segment->end_ns =
				cut.end_ns < segment->end_ns ? cut.end_ns : segment->end_ns;
			name->name = overhead_name(cuts[t].overhead, segment->start_ns);
			return;
		}
		if (cut.start_ns < segment->end_ns)
			segment->end_ns = cut.start_ns;
	}
}

/* Pushes a gap in which the profiler or driver-side loading worked at times: those parts have their
 * own cause. */
static void push_parts(struct weir_idle_finder *finder, const struct weir_segment *gap,
                       struct weir_activity_label own_name, struct weir_segments *out)
{
	struct weir_segment segment = *gap;

	while (segment.start_ns < gap->end_ns) {
		struct weir_activity_label name = own_name;

		segment.end_ns = gap->end_ns;
		segment.idle = gap->idle;
		segment.flags = gap->flags;
		if (!is_undisturbed(finder, &segment))
			cut_at_overhead(finder, &segment, &name);
		if (segment.idle == WEIR_IDLE_PROFILER) {
			segment.flags = 0; /* there would be no delay without the profiler */
			name.in = 0;
		}
		push_named(finder, &segment, name, out);
		segment.start_ns = segment.end_ns;
	}
}

/* Pushes a gap as one cause, except for the parts in which the profiler or driver-side loading
 * worked. */
static void push_cut(struct weir_idle_finder *finder, const struct weir_segment *gap,
                     struct weir_activity_label name, struct weir_segments *out)
{
	if (gap->idle != WEIR_IDLE_PROFILER && is_undisturbed(finder, gap))
		push_named(finder, gap, name, out);
	else
		push_parts(finder, gap, name, out);
}

/* Pushes a gap under the name of the work that ends it. */
static void push_whole(struct weir_idle_finder *finder, struct weir_segment *gap,
                       enum weir_idle idle, struct weir_segments *out)
{
	const struct weir_timeline *timeline = finder->timeline;
	struct weir_activity_label name = {0, 0};

	if (gap->row != WEIR_NONE) {
		name.name = timeline->trace->device.name[gap->row];
		if (timeline->op[gap->row] != WEIR_NONE)
			name.in = timeline->trace->host.name[timeline->op[gap->row]];
	}
	gap->idle = (uint8_t)idle;
	push_cut(finder, gap, name, out);
}

/* Cuts a gap of an idle thread at the next change of stage; true: a rest remains. A thread with
 * nothing to do during a stage of the main thread waits for that stage, which is host work. */
static bool cut_at_stage(const struct weir_idle_finder *finder, struct weir_segment *gap)
{
	const struct weir_steps *steps = finder->steps;
	int64_t change_ns = weir_steps_next_change(steps, gap->start_ns);
	uint32_t span = weir_steps_span_at(steps, UINT32_MAX, gap->start_ns);

	if (span != WEIR_NONE && !steps->stages[steps->spans[span].stage].waits_for_requests)
		gap->idle = WEIR_IDLE_HOST_WORK;
	if (change_ns >= gap->end_ns)
		return false;
	gap->end_ns = change_ns;
	return true;
}

/* Cuts a gap of an idle thread where another thread begins or ends to compile; true: a rest
 * remains. The threads with which XLA launches work are idle while the program's thread compiles
 * the next function. */
static bool cut_at_compilation(const struct weir_idle_finder *finder, struct weir_segment *gap)
{
	struct weir_interval next;
	int64_t end_ns;

	if (!weir_host_activity_compilation(finder->activity, gap->start_ns, &next))
		return false;
	if (next.start_ns <= gap->start_ns) {
		gap->idle = WEIR_IDLE_COMPILE_LOAD;
		end_ns = next.end_ns;
	} else {
		end_ns = next.start_ns;
	}
	if (end_ns >= gap->end_ns)
		return false;
	gap->end_ns = end_ns;
	return true;
}

/* Returns true if another device than the gap's works at the end of the gap, as far as the trace
 * shows. */
static bool others_work(const struct weir_idle_finder *finder, const struct weir_segment *gap)
{
	const struct weir_trace *trace = finder->timeline->trace;

	for (size_t d = 0; d < trace->device_count; d++) {
		size_t first = finder->timeline->first_row[d],
		       end = finder->timeline->first_row[d + 1];
		size_t row = weir_instants_until(trace->device.start_ns + first, end - first,
		                                 gap->end_ns - 1);

		if (d != gap->device && row > 0 &&
		    trace->device.end_ns[first + row - 1] > gap->start_ns)
			return true;
	}
	return false;
}

/* Returns true if the host is blocked for device work that the trace does not hold: no device of
 * the trace works, the call itself put no recorded work on one, and it takes longer than a call
 * needs that finds the device done. */
static bool waits_for_unrecorded(const struct weir_idle_finder *finder,
                                 const struct weir_segment *gap, uint32_t row)
{
	uint32_t call = weir_timeline_caller(finder->timeline, row);

	return gap->idle == WEIR_IDLE_HOST_SYNC && call != WEIR_NONE && !finder->has_work[call] &&
	       weir_segment_ns(gap) > WEIR_UNRECORDED_NS && !others_work(finder, gap);
}

/* Returns true if the program waits for a batch to fill: its stage has such a name, and the thread
 * runs no operator and no call in it. The name explains a silence better than a conjecture. */
static bool is_batch_window(const struct weir_idle_finder *finder, const struct weir_segment *gap)
{
	const unsigned silent = WEIR_IDLE_BIT(WEIR_IDLE_PYTHON) |
	                        WEIR_IDLE_BIT(WEIR_IDLE_HOST_WORK) |
	                        WEIR_IDLE_BIT(WEIR_IDLE_HOST_IDLE) | WEIR_IDLE_BIT(WEIR_IDLE_LOCK) |
	                        WEIR_IDLE_BIT(WEIR_IDLE_LIKELY_GARBAGE);
	const struct weir_steps *steps = finder->steps;

	return gap->span != WEIR_NONE && WEIR_IDLE_BIT(gap->idle) & silent &&
	       steps->stages[steps->spans[gap->span].stage].is_batch_window;
}

/* Explains [start, end), in which the launching thread had not yet launched the next work. */
static void explain_late(struct weir_idle_finder *finder, struct weir_segment gap,
                         struct weir_segments *out)
{
	const struct weir_host_columns *host = &finder->timeline->trace->host;
	uint32_t thread = host->thread[finder->timeline->trace->device.launch[gap.row]];
	const struct weir_thread_activity *activity =
		weir_host_activity_of_thread(finder->activity, thread);
	const struct weir_leaves *leaves = &activity->leaves;
	const int64_t end_ns = gap.end_ns;
	const uint8_t flags = (uint8_t)(gap.flags & ~WEIR_SEGMENT_BEFORE);
	size_t i = weir_leaves_near(leaves, gap.start_ns, &finder->leaf);

	for (; gap.start_ns < end_ns && finder->pieces_left > 0; finder->pieces_left--) {
		size_t next = i == SIZE_MAX ? 0 : i + 1;

		gap.end_ns = next < leaves->count && leaves->time_ns[next] < end_ns
		                     ? leaves->time_ns[next]
		                     : end_ns;
		gap.idle = i == SIZE_MAX ? WEIR_IDLE_HOST_IDLE : activity->idle[i];
		if (gap.idle == WEIR_IDLE_HOST_IDLE && cut_at_compilation(finder, &gap))
			next = i; /* the rest of this leaf comes next */
		if (gap.idle == WEIR_IDLE_HOST_IDLE && cut_at_stage(finder, &gap))
			next = i;
		gap.flags = (uint8_t)(flags | position_flag(finder, gap.start_ns));
		if (i != SIZE_MAX && waits_for_unrecorded(finder, &gap, leaves->row[i])) {
			gap.idle = WEIR_IDLE_UNRECORDED;
			gap.flags = 0; /* the launch was late because the device was busy */
		}
		if (gap.idle == WEIR_IDLE_DEPENDENCY_COMM)
			gap.flags = 0; /* the launch was late because other ranks were */
		gap.span = weir_steps_span_near(finder->steps, thread, gap.start_ns, &finder->span);
		if (is_batch_window(finder, &gap)) {
			gap.idle = WEIR_IDLE_BATCH_WINDOW;
			gap.flags = 0; /* the program launches late by intention */
		}
		push_cut(finder, &gap,
		         weir_host_activity_label(finder->activity,
		                                  i == SIZE_MAX ? WEIR_NONE : leaves->row[i]),
		         out);
		gap.start_ns = gap.end_ns;
		i = next;
	}
	gap.end_ns = end_ns;
	gap.flags = 0;
	push_whole(finder, &gap, WEIR_IDLE_OTHER, out);
}

/* Returns true if the thread was waiting for the device. Copies of pageable memory wait inside
 * their own call. */
static bool waited_at(struct weir_idle_finder *finder, uint32_t thread, int64_t at_ns)
{
	const struct weir_leaves *leaves =
		&weir_host_activity_of_thread(finder->activity, thread)->leaves;
	const struct weir_host_columns *host = &finder->timeline->trace->host;
	size_t i = weir_leaves_near(leaves, at_ns, &finder->leaf);
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

/* Returns true if the host let the stream wait after the previous launch of this thread and before
 * this one. */
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

/* Returns the cause of a gap before work that was queued: a long gap depends on the wait of its
 * stream or on work of another device that ended just before. */
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
			continue; /* the device was idle, so that the work must have waited for
			             another one */
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

/* Explains a gap during or after the launch call of the work that ends it: a cold call loads code
 * until it returns, and the rest is launch latency. */
static void explain_launching(struct weir_idle_finder *finder, struct weir_segment gap,
                              uint32_t launch, struct weir_segments *out)
{
	const int64_t end_ns = gap.end_ns;
	int64_t returned_ns = finder->timeline->trace->host.end_ns[launch];

	if (weir_host_activity_is_cold(finder->activity, launch) && returned_ns > gap.start_ns) {
		gap.end_ns = returned_ns < end_ns ? returned_ns : end_ns;
		push_whole(finder, &gap, WEIR_IDLE_COMPILE_LOAD, out);
		gap.start_ns = gap.end_ns;
		gap.end_ns = end_ns;
	}
	if (gap.start_ns >= end_ns)
		return;
	if (weir_segment_ns(&gap) > WEIR_UNRECORDED_NS) {
		gap.flags = 0;
		push_whole(finder, &gap, WEIR_IDLE_UNRECORDED, out);
		return;
	}
	push_whole(finder, &gap, WEIR_IDLE_LAUNCH_LATENCY, out);
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

		if (!just_launched) {
			push_whole(finder, &gap, queued_cause(finder, &gap), out);
			return;
		}
		if (weir_host_activity_is_cold(finder->activity, launch))
			gap.flags = WEIR_SEGMENT_LATE;
		explain_launching(finder, gap, launch, out);
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
	explain_launching(finder, gap, launch, out);
}
