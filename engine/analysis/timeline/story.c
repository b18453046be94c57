/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdlib.h>

#include "engine/analysis/names/apis.h"
#include "engine/analysis/names/frames.h"
#include "engine/analysis/timeline/story.h"
#include "engine/base/arena.h"

struct told {
	bool told;
	bool has_system_calls; /* the thread's calls of the operating system are recorded */
	struct weir_story story;
};

struct weir_stories {
	const struct weir_timeline *timeline;
	const struct weir_steps *steps;
	struct told *threads;
	uint8_t *reaches_device; /* per host row: a call below it is device business */
	uint8_t *surroundings;   /* per host row: enum weir_frame_class of the innermost range,
	                            frame or operator at or above it that is not plain */
	uint32_t *around;        /* per host row: what encloses it and is no call; WEIR_NONE */
};

static enum weir_api_class class_of(const struct weir_timeline *timeline, uint32_t row)
{
	return (enum weir_api_class)timeline->api_class[timeline->trace->host.name[row]];
}

static void mark_device_business(struct weir_stories *stories)
{
	const struct weir_host_columns *host = &stories->timeline->trace->host;

	stories->reaches_device = weir_alloc(host->count);
	for (size_t i = 0; i < host->count; i++) {
		enum weir_api_class class = class_of(stories->timeline, (uint32_t)i);

		if (host->kind[i] != WEIR_HOST_API || class == WEIR_API_QUERY ||
		    class == WEIR_API_OTHER || weir_api_is_system(class))
			continue;
		for (uint32_t up = (uint32_t)i; up != WEIR_NONE && !stories->reaches_device[up];
		     up = stories->timeline->parent[up])
			stories->reaches_device[up] = 1;
	}
}

/* A range, frame or operator anywhere around a row may say that this is a data loader or a
 * compiler; who waits inside of one waits for it. A row comes behind its parent. */
static void find_surroundings(struct weir_stories *stories)
{
	const struct weir_host_columns *host = &stories->timeline->trace->host;
	uint8_t *by_name = weir_frame_class_of_names(stories->timeline->trace->names);

	stories->surroundings = weir_alloc(host->count);
	stories->around = weir_alloc(host->count * sizeof *stories->around);
	for (size_t i = 0; i < host->count; i++) {
		uint32_t parent = stories->timeline->parent[i];
		bool is_call = host->kind[i] == WEIR_HOST_API;
		uint8_t own = is_call ? WEIR_FRAME_PLAIN : by_name[host->name[i]];
		uint8_t outer =
			parent == WEIR_NONE ? WEIR_FRAME_PLAIN : stories->surroundings[parent];

		if (own == WEIR_FRAME_PLAIN ||
		    (own == WEIR_FRAME_WAIT && outer != WEIR_FRAME_PLAIN))
			own = outer;
		stories->surroundings[i] = own;
		stories->around[i] = parent == WEIR_NONE || host->kind[parent] != WEIR_HOST_API
		                             ? parent
		                             : stories->around[parent];
	}
	free(by_name);
}

struct weir_stories *weir_stories_new(const struct weir_timeline *timeline,
                                      const struct weir_steps *steps)
{
	struct weir_stories *stories = weir_alloc(sizeof *stories);
	const struct weir_host_columns *host = &timeline->trace->host;

	stories->timeline = timeline;
	stories->steps = steps;
	stories->threads = weir_alloc(timeline->trace->thread_count * sizeof *stories->threads);
	for (size_t i = 0; i < host->count; i++)
		if (host->kind[i] == WEIR_HOST_API &&
		    weir_api_is_system(class_of(timeline, (uint32_t)i)))
			stories->threads[host->thread[i]].has_system_calls = true;
	mark_device_business(stories);
	find_surroundings(stories);
	return stories;
}

void weir_stories_free(struct weir_stories *stories)
{
	for (size_t t = 0; t < stories->timeline->trace->thread_count; t++) {
		weir_leaves_release(&stories->threads[t].story.leaves);
		free(stories->threads[t].story.idle);
	}
	free(stories->threads);
	free(stories->reaches_device);
	free(stories->surroundings);
	free(stories->around);
	free(stories);
}

bool weir_story_compiles(const struct weir_stories *stories, uint32_t row)
{
	return stories->surroundings[row] == WEIR_FRAME_COMPILE;
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

/* Another thread works for a stage that this one has begun; outside of all, nothing may be there.
 */
static enum weir_idle idle_of_waiting(const struct weir_stories *stories, uint32_t thread,
                                      int64_t at_ns)
{
	const struct weir_steps *steps = stories->steps;
	uint32_t span = weir_steps_span_at(steps, thread, at_ns);
	bool is_own = span != WEIR_NONE &&
	              stories->timeline->trace->host.thread[steps->spans[span].host_row] == thread;

	return is_own ? WEIR_IDLE_PYTHON : WEIR_IDLE_HOST_IDLE;
}

static enum weir_idle idle_of_operator(const struct weir_stories *stories, uint32_t row)
{
	const struct weir_host_columns *host = &stories->timeline->trace->host;
	uint32_t outermost = weir_timeline_outermost_op(stories->timeline, row);

	if (!stories->reaches_device[outermost] &&
	    weir_span_ns(host->start_ns[outermost], host->end_ns[outermost]) >=
	            WEIR_HOST_OPERATOR_NS)
		return WEIR_IDLE_HOST_WORK;
	return WEIR_IDLE_DISPATCH;
}

static enum weir_idle idle_of_kind(const struct weir_stories *stories, uint32_t row)
{
	switch ((enum weir_host_kind)stories->timeline->trace->host.kind[row]) {
	case WEIR_HOST_OP:
		return idle_of_operator(stories, row);
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

/* A leaf that no call of a driver and no loader or compiler encloses. */
static enum weir_idle idle_of_plain(const struct weir_stories *stories, uint32_t thread,
                                    uint32_t row, uint32_t caller, int64_t at_ns)
{
	bool waits = caller != WEIR_NONE && stories->surroundings[caller] == WEIR_FRAME_WAIT;

	if (row != caller && class_of(stories->timeline, row) == WEIR_API_SYSTEM_FILE)
		return WEIR_IDLE_INPUT;
	if (row != caller && class_of(stories->timeline, row) == WEIR_API_SYSTEM_WAIT)
		waits = true;
	if (waits &&
	    (caller == WEIR_NONE || stories->timeline->trace->host.kind[caller] != WEIR_HOST_OP))
		return idle_of_waiting(stories, thread, at_ns);
	if (caller == WEIR_NONE)
		return stories->threads[thread].has_system_calls ? WEIR_IDLE_PYTHON
		                                                 : WEIR_IDLE_HOST_IDLE;
	return idle_of_kind(stories, caller);
}

static enum weir_idle idle_of_leaf(const struct weir_stories *stories, uint32_t thread,
                                   uint32_t row, int64_t at_ns)
{
	uint32_t caller = weir_timeline_caller(stories->timeline, row);

	if (caller != WEIR_NONE) {
		bool is_call = stories->timeline->trace->host.kind[caller] == WEIR_HOST_API;
		enum weir_idle idle = is_call ? idle_of_api(class_of(stories->timeline, caller))
		                              : WEIR_IDLE_DISPATCH;

		if (idle != WEIR_IDLE_DISPATCH)
			return idle;
		if (stories->surroundings[caller] == WEIR_FRAME_INPUT)
			return WEIR_IDLE_INPUT;
		if (stories->surroundings[caller] == WEIR_FRAME_COMPILE)
			return WEIR_IDLE_COMPILE_LOAD;
		if (is_call)
			return WEIR_IDLE_DISPATCH;
	}
	return idle_of_plain(stories, thread, row, caller, at_ns);
}

static bool is_glue(const struct weir_stories *stories, uint32_t row)
{
	uint8_t kind;

	row = weir_timeline_caller(stories->timeline, row);
	if (row == WEIR_NONE)
		return true;
	kind = stories->timeline->trace->host.kind[row];
	return kind == WEIR_HOST_ANNOTATION || kind == WEIR_HOST_PYTHON;
}

/* Entries [first, end) of the leaves ran no operator and no call. */
static void judge_glue(struct weir_story *story, size_t first, size_t end)
{
	const struct weir_leaves *leaves = &story->leaves;
	size_t last = end < leaves->count ? end : leaves->count - 1;
	bool is_long =
		weir_span_ns(leaves->time_ns[first], leaves->time_ns[last]) >= WEIR_HOST_WORK_NS;
	uint8_t from = is_long ? WEIR_IDLE_PYTHON : WEIR_IDLE_HOST_IDLE;
	uint8_t to = is_long ? WEIR_IDLE_HOST_WORK : WEIR_IDLE_PYTHON;

	for (size_t i = first; i < end; i++)
		if (story->idle[i] == from)
			story->idle[i] = to;
}

const struct weir_story *weir_story_of(struct weir_stories *stories, uint32_t thread)
{
	struct told *told = &stories->threads[thread];
	struct weir_story *story = &told->story;
	const struct weir_leaves *leaves = &story->leaves;

	if (told->told)
		return story;
	told->told = true;
	weir_leaves_init(&story->leaves, stories->timeline, thread);
	story->idle = weir_alloc(leaves->count);
	for (size_t i = 0; i < leaves->count; i++)
		story->idle[i] =
			(uint8_t)idle_of_leaf(stories, thread, leaves->row[i], leaves->time_ns[i]);
	for (size_t i = 0, end; i < leaves->count; i = end) {
		for (end = i; end < leaves->count && is_glue(stories, leaves->row[end]);)
			end++;
		if (end > i)
			judge_glue(story, i, end);
		else
			end++;
	}
	return story;
}

struct weir_story_name weir_story_name(const struct weir_stories *stories, uint32_t row)
{
	const struct weir_host_columns *host = &stories->timeline->trace->host;
	uint32_t around, outermost;

	if (row == WEIR_NONE)
		return (struct weir_story_name){0, 0};
	around = stories->around[row];
	if (host->kind[row] == WEIR_HOST_OP) {
		outermost = weir_timeline_outermost_op(stories->timeline, row);
		around = outermost == row ? WEIR_NONE : outermost;
	} else if (host->kind[row] == WEIR_HOST_ANNOTATION) {
		around = WEIR_NONE;
	}
	return (struct weir_story_name){host->name[row],
	                                around == WEIR_NONE ? 0 : host->name[around]};
}
