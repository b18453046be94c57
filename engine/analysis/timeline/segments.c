/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/timeline/activity.h"
#include "engine/analysis/timeline/idle.h"
#include "engine/analysis/timeline/segments.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"

/* A stretch of one class of work and the row that owns it. */
struct piece {
	int64_t start_ns, end_ns;
	uint32_t row;
};

struct pieces {
	struct piece *items;
	size_t count, capacity, at; /* at: position of the merge */
};

static const uint8_t precedence[] = {WEIR_WORK_COMPUTE, WEIR_WORK_COMM, WEIR_WORK_COPY};
#define CLASSES (sizeof precedence / sizeof *precedence)
/* Stretches of one length take different times: with several tasks a thread, all threads end at
 * about the same time. A single thread has tasks too: while their segments are joined, each list is
 * freed in turn, which takes less memory than one list that grows by copies. */
#define TASKS_OF_THREAD 32

static void add_piece(struct pieces *pieces, int64_t start_ns, int64_t end_ns, uint32_t row)
{
	if (end_ns <= start_ns)
		return;
	pieces->items = weir_grow(pieces->items, &pieces->capacity, pieces->count + 1,
	                          sizeof *pieces->items);
	pieces->items[pieces->count++] = (struct piece){start_ns, end_ns, row};
}

/* Cuts the time of one class among its rows, which come by start. The owner keeps its time to its
 * end; then the row that ends last takes over. */
static void cut_class(struct pieces *out, const struct weir_timeline *timeline, size_t first,
                      size_t end, uint8_t class)
{
	const struct weir_device_columns *device = &timeline->trace->device;
	uint32_t owner = WEIR_NONE, furthest = WEIR_NONE;
	int64_t from_ns = 0;

	for (size_t i = first; i < end; i++) {
		if (timeline->work[i] != class || device->end_ns[i] <= device->start_ns[i])
			continue;
		while (owner != WEIR_NONE && device->end_ns[owner] <= device->start_ns[i]) {
			add_piece(out, from_ns, device->end_ns[owner], owner);
			from_ns = device->end_ns[owner];
			owner = furthest != WEIR_NONE && device->end_ns[furthest] > from_ns
			                ? furthest
			                : WEIR_NONE;
			furthest = WEIR_NONE;
		}
		if (owner == WEIR_NONE) {
			owner = (uint32_t)i;
			from_ns = device->start_ns[i];
		} else if (furthest == WEIR_NONE || device->end_ns[i] > device->end_ns[furthest]) {
			furthest = (uint32_t)i;
		}
	}
	while (owner != WEIR_NONE) {
		add_piece(out, from_ns, device->end_ns[owner], owner);
		from_ns = device->end_ns[owner];
		owner = furthest != WEIR_NONE && device->end_ns[furthest] > from_ns ? furthest
		                                                                    : WEIR_NONE;
		furthest = WEIR_NONE;
	}
}

/* Returns the class that owns the instant at_ns, and the end of that state; CLASSES: the device is
 * idle. */
static size_t owner_at(struct pieces classes[CLASSES], int64_t at_ns, int64_t *until_ns)
{
	for (size_t c = 0; c < CLASSES; c++) {
		struct pieces *pieces = &classes[c];

		while (pieces->at < pieces->count && pieces->items[pieces->at].end_ns <= at_ns)
			pieces->at++;
		if (pieces->at == pieces->count)
			continue;
		if (pieces->items[pieces->at].start_ns > at_ns) {
			if (pieces->items[pieces->at].start_ns < *until_ns)
				*until_ns = pieces->items[pieces->at].start_ns;
			continue;
		}
		if (pieces->items[pieces->at].end_ns < *until_ns)
			*until_ns = pieces->items[pieces->at].end_ns;
		return c;
	}
	return CLASSES;
}

static void cut_window(struct weir_segments *out, struct weir_idle_finder *idle,
                       struct pieces classes[CLASSES], struct weir_interval window, uint16_t device)
{
	int64_t at_ns = window.start_ns;

	while (at_ns < window.end_ns) {
		int64_t until_ns = window.end_ns;
		size_t c = owner_at(classes, at_ns, &until_ns);

		if (c == CLASSES) {
			weir_idle_explain(idle, device, at_ns, until_ns, out);
		} else {
			uint32_t row = classes[c].items[classes[c].at].row;

			weir_segments_push(out,
			                   &(struct weir_segment){
						   .start_ns = at_ns,
						   .end_ns = until_ns,
						   .row = row,
						   .span = weir_idle_span_of_row(idle, row),
						   .device = device,
						   .busy = 1,
						   .work = precedence[c],
						   .flags = weir_idle_row_is_compilers(idle, row)
			                                            ? WEIR_SEGMENT_COMPILER
			                                            : 0});
		}
		at_ns = until_ns;
	}
}

/* A part of the time of one device, which one thread cuts. */
struct task {
	struct weir_idle_finder *idle;
	struct weir_segments out;
	uint16_t device;
	struct weir_interval part; /* both ends are starts of computation, or unlimited */
	size_t first;              /* position of its first segment among all */
};

/* The work of each device by class, and the tasks in the order of their segments. */
struct cut {
	const struct weir_timeline *timeline;
	const struct weir_steps *steps;
	struct weir_host_activity *activity;
	struct weir_idle_names *idle_names;
	struct weir_idle_finder *idle;
	struct pieces (*classes)[CLASSES]; /* per device */
	struct task *tasks;
	size_t count;
	atomic_size_t most; /* segments of a task that has ended */
	struct weir_segment *joined;
};

/* Makes the finder of idle causes, which takes longest, or divides the work of a class. */
static void make_finder_or_cut(void *context, size_t index)
{
	struct cut *cut = context;
	const uint32_t *first_row = cut->timeline->first_row;
	size_t device, c;

	if (index == 0) {
		cut->idle = weir_idle_finder_new(cut->timeline, cut->steps, cut->activity,
		                                 cut->idle_names);
		return;
	}
	device = (index - 1) / CLASSES;
	c = (index - 1) % CLASSES;
	cut_class(&cut->classes[device][c], cut->timeline, first_row[device], first_row[device + 1],
	          precedence[c]);
}

/* Sets the position of the merge to the first piece that ends after at_ns. */
static void skip_pieces(struct pieces *pieces, int64_t at_ns)
{
	size_t low = 0, high = pieces->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pieces->items[middle].end_ns <= at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	pieces->at = low;
}

/* Notes how many segments a task had. All tasks have about as much work, so that later ones make
 * room for this number at once. */
static void note_count(struct cut *cut, size_t count)
{
	size_t most = atomic_load(&cut->most);

	while (count > most && !atomic_compare_exchange_weak(&cut->most, &most, count))
		;
}

static void run_task(void *context, size_t index)
{
	struct cut *cut = context;
	struct task *task = &cut->tasks[index];
	const struct weir_intervals *windows = &cut->steps->windows[task->device];
	/* On the thread's own stack, and not in the task, beside which other threads write. The
	 * finder borrows the names, and explains nothing after this function. */
	struct weir_segments out = {0};
	struct pieces classes[CLASSES];

	memcpy(classes, cut->classes[task->device], sizeof classes);
	for (size_t c = 0; c < CLASSES; c++)
		skip_pieces(&classes[c], task->part.start_ns);
	task->idle = weir_idle_finder_part(cut->idle, &out.idle_names);
	out.items = weir_grow(NULL, &out.capacity, atomic_load(&cut->most), sizeof *out.items);
	for (size_t w = 0; w < windows->count; w++) {
		struct weir_interval window = windows->items[w];

		if (window.start_ns < task->part.start_ns)
			window.start_ns = task->part.start_ns;
		if (window.end_ns > task->part.end_ns)
			window.end_ns = task->part.end_ns;
		cut_window(&out, task->idle, classes, window, task->device);
	}
	note_count(cut, out.count);
	/* Room that is left in the last huge page of each task adds up to a third of all segments.
	 */
	out.items = weir_realloc(out.items, out.count * sizeof *out.items);
	out.capacity = out.count;
	task->out = out;
}

/* Divides the time of each device into about `parts` tasks. They meet where computation starts:
 * there a segment starts in any case, since no other class takes precedence. */
static void make_tasks(struct cut *cut, size_t parts)
{
	size_t devices = cut->timeline->trace->device_count;

	cut->tasks = weir_alloc(devices * parts * sizeof *cut->tasks);
	cut->count = 0;
	for (size_t d = 0; d < devices; d++) {
		const struct pieces *computation = &cut->classes[d][0];
		int64_t from_ns = INT64_MIN;

		for (size_t p = 1; p <= parts; p++) {
			size_t at = computation->count * p / parts;
			int64_t to_ns = p == parts || at == computation->count
			                        ? INT64_MAX
			                        : computation->items[at].start_ns;

			if (to_ns == INT64_MAX && p < parts)
				continue;
			cut->tasks[cut->count++] =
				(struct task){.device = (uint16_t)d, .part = {from_ns, to_ns}};
			from_ns = to_ns;
		}
	}
}

static void free_tasks(struct cut *cut)
{
	for (size_t i = 0; i < cut->count; i++) {
		weir_idle_finder_free(cut->tasks[i].idle);
		weir_segments_release(&cut->tasks[i].out);
	}
	free(cut->tasks);
}

/* Runs the tasks. Returns false, without any tasks, if they cut late gaps into more pieces
 * together than one finder may: the segments then depend on the division. */
static bool run_tasks(struct cut *cut, size_t parts)
{
	size_t left = weir_idle_finder_left(cut->idle), used = 0;

	make_tasks(cut, parts);
	weir_pool_run(cut->count, weir_pool_width(cut->count), run_task, cut);
	for (size_t i = 0; i < cut->count; i++)
		used += left - weir_idle_finder_left(cut->tasks[i].idle);
	if (used <= left || cut->count <= 1)
		return true;
	free_tasks(cut);
	return false;
}

static void move_segments(void *context, size_t index)
{
	struct cut *cut = context;
	struct weir_segments *part = &cut->tasks[index].out;

	if (part->count > 0)
		memcpy(cut->joined + cut->tasks[index].first, part->items,
		       part->count * sizeof *part->items);
	free(part->items);
	part->items = NULL;
}

/* Joins the segments and names of the tasks in order. Tasks meet where a row of computation starts,
 * so that no segment goes on in the next task. */
static void join_tasks(struct cut *cut, struct weir_segments *out)
{
	size_t count = 0;

	for (size_t i = 0; i < cut->count; i++) {
		struct weir_segments *part = &cut->tasks[i].out;

		for (size_t n = 0; n < part->idle_names.count; n++)
			weir_idle_names_add(&out->idle_names, &part->idle_names.entries[n]);
		cut->tasks[i].first = count;
		count += part->count;
	}
	if (cut->count == 1) {
		weir_segments_take(out, &cut->tasks[0].out);
		return;
	}
	if (count == 0)
		return;
	cut->joined = weir_realloc(NULL, count * sizeof *cut->joined);
	weir_pool_run(cut->count, weir_pool_width(cut->count), move_segments, cut);
	*out = (struct weir_segments){cut->joined, count, count, out->idle_names};
}

/* Cuts all windows by one finder. */
static void cut_in_order(struct cut *cut, struct weir_segments *out)
{
	struct weir_idle_finder *idle = weir_idle_finder_part(cut->idle, &out->idle_names);

	for (size_t d = 0; d < cut->timeline->trace->device_count; d++)
		for (size_t w = 0; w < cut->steps->windows[d].count; w++)
			cut_window(out, idle, cut->classes[d], cut->steps->windows[d].items[w],
			           (uint16_t)d);
	weir_idle_finder_free(idle);
}

/* Frees the work by class, which nothing needs after the tasks. */
static void free_classes(struct cut *cut)
{
	for (size_t d = 0; d < cut->timeline->trace->device_count; d++)
		for (size_t c = 0; c < CLASSES; c++)
			free(cut->classes[d][c].items);
	free(cut->classes);
}

void weir_segments_init(struct weir_segments *segments, const struct weir_timeline *timeline,
                        const struct weir_steps *steps, struct weir_host_activity *activity)
{
	size_t devices = timeline->trace->device_count;
	size_t width = weir_pool_width(WEIR_POOL_MAX_WIDTH);
	size_t tasks = 1 + devices * CLASSES;
	struct cut cut = {.timeline = timeline,
	                  .steps = steps,
	                  .activity = activity,
	                  .idle_names = &segments->idle_names,
	                  .classes = weir_alloc(devices * sizeof *cut.classes)};

	*segments = (struct weir_segments){0};
	weir_pool_run(tasks, weir_pool_width(tasks), make_finder_or_cut, &cut);
	weir_idle_finder_prepare(cut.idle);
	if (run_tasks(&cut, width * TASKS_OF_THREAD)) {
		free_classes(&cut);
		join_tasks(&cut, segments);
		free_tasks(&cut);
	} else {
		cut_in_order(&cut, segments);
		free_classes(&cut);
	}
	weir_idle_finder_free(cut.idle);
}
