/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/apis.h"
#include "engine/analysis/names/frames.h"
#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/steady.h"
#include "engine/analysis/timeline/steps.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"
#include "engine/base/rowmap.h"

/* The meaning of an annotation's name, parsed once per name. */
struct name_role {
	uint32_t stage;            /* index; WEIR_NONE: not a stage */
	uint8_t role;              /* enum weir_stage_role */
	int64_t rows, padded_rows; /* of the batch; -1: not stated */
	bool known;
};

/* Meanings of all names of a trace, and a map of the stages by name. */
struct roles {
	const struct weir_stage_aliases *own; /* NULL: none */
	struct name_role *of_name;
	struct weir_rowmap stages;
};

static uint32_t stage_index(struct weir_steps *steps, struct roles *roles,
                            const struct weir_stage_name *name)
{
	static const struct weir_stage_name others = {.name = "(other stages)", .kind = "other"};
	uint32_t hash = weir_rowmap_hash(weir_hash_text(name->name, strlen(name->name), 0));
	uint32_t found;
	size_t probe = 0;

	while ((found = weir_rowmap_next(&roles->stages, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (strcmp(steps->stages[found].name, name->name) == 0)
			return found;
	if (steps->stage_count >= WEIR_MAX_STAGES && name != &others)
		return stage_index(steps, roles, &others);
	steps->stages = weir_grow(steps->stages, &steps->stage_capacity, steps->stage_count + 1,
	                          sizeof *steps->stages);
	memcpy(steps->stages[steps->stage_count].name, name->name, sizeof name->name);
	steps->stages[steps->stage_count].kind = name->kind;
	steps->stages[steps->stage_count].is_batch_window = name->is_batch_window;
	steps->stages[steps->stage_count].waits_for_requests =
		weir_frame_class(name->name) == WEIR_FRAME_NO_WORK;
	weir_rowmap_add(&roles->stages, hash, (uint32_t)steps->stage_count);
	return (uint32_t)steps->stage_count++;
}

static const struct name_role *role_of(struct weir_steps *steps, struct roles *roles,
                                       const struct weir_trace *trace, uint32_t name)
{
	struct name_role *role = &roles->of_name[name];
	struct weir_stage_name parsed;

	if (role->known)
		return role;
	weir_stage_name_parse(weir_names_text(trace->names, name), roles->own, &parsed);
	role->known = true;
	role->role = (uint8_t)parsed.role;
	role->rows = parsed.rows;
	role->padded_rows = parsed.padded_rows;
	role->stage = parsed.role == WEIR_ROLE_STAGE || parsed.role == WEIR_ROLE_STEP_STAGE
	                      ? stage_index(steps, roles, &parsed)
	                      : WEIR_NONE;
	return role;
}

static void add_step(struct weir_steps *steps, const struct weir_host_columns *host, uint32_t row)
{
	steps->steps = weir_grow(steps->steps, &steps->step_capacity, steps->step_count + 1,
	                         sizeof *steps->steps);
	steps->steps[steps->step_count++] = (struct weir_step){
		.host_row = row,
		.start_ns = host->start_ns[row],
		.end_ns = host->end_ns[row],
		.device_start_ns = INT64_MAX,
		.device_end_ns = INT64_MIN,
	};
}

static void add_span(struct weir_steps *steps, const struct weir_host_columns *host, uint32_t row,
                     const struct name_role *role)
{
	steps->spans = weir_grow(steps->spans, &steps->span_capacity, steps->span_count + 1,
	                         sizeof *steps->spans);
	steps->spans[steps->span_count++] = (struct weir_span){
		.host_row = row,
		.stage = role->stage,
		.rows = role->rows,
		.padded_rows = role->padded_rows,
		.step = WEIR_NONE,
		.parent = WEIR_NONE,
		.start_ns = host->start_ns[row],
		.end_ns = host->end_ns[row],
		.device_start_ns = INT64_MAX,
		.device_end_ns = INT64_MIN,
	};
}

static void collect_annotations(struct weir_steps *steps, const struct weir_trace *trace,
                                const struct weir_stage_aliases *own)
{
	const struct weir_host_columns *host = &trace->host;
	struct roles roles = {
		.own = own,
		.of_name = weir_alloc(weir_names_count(trace->names) * sizeof *roles.of_name)};
	bool has_steps = false;

	for (size_t i = 0; i < host->count && !has_steps; i++)
		has_steps = host->kind[i] == WEIR_HOST_ANNOTATION &&
		            role_of(steps, &roles, trace, host->name[i])->role == WEIR_ROLE_STEP;
	for (size_t i = 0; i < host->count; i++) {
		const struct name_role *role;

		if (host->kind[i] != WEIR_HOST_ANNOTATION)
			continue;
		role = role_of(steps, &roles, trace, host->name[i]);
		if (role->role == WEIR_ROLE_STEP ||
		    (role->role == WEIR_ROLE_STEP_STAGE && !has_steps))
			add_step(steps, host, (uint32_t)i);
		if (role->stage != WEIR_NONE)
			add_span(steps, host, (uint32_t)i, role);
	}
	steps->explicit_steps = steps->step_count > 0;
	weir_rowmap_release(&roles.stages);
	free(roles.of_name);
}

static int by_step_start(const void *left, const void *right)
{
	const struct weir_step *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->host_row > b->host_row) - (a->host_row < b->host_row);
}

static int by_span_start(const void *left, const void *right)
{
	const struct weir_span *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (a->end_ns != b->end_ns)
		return a->end_ns > b->end_ns ? -1 : 1;
	return (a->host_row > b->host_row) - (a->host_row < b->host_row);
}

static void index_spans(struct weir_steps *steps)
{
	size_t at = 0;

	steps->spans_by_stage = weir_alloc(steps->span_count * sizeof *steps->spans_by_stage);
	steps->first_span = weir_alloc((steps->stage_count + 2) * sizeof *steps->first_span);
	for (size_t i = 0; i < steps->span_count; i++)
		steps->first_span[steps->spans[i].stage + 2]++;
	for (size_t s = 2; s < steps->stage_count + 2; s++) {
		at += steps->first_span[s];
		steps->first_span[s] = at;
	}
	/* Entry s + 1 moves from the beginning of stage s to its end, which is the beginning of s +
	 * 1. */
	for (uint32_t i = 0; i < steps->span_count; i++)
		steps->spans_by_stage[steps->first_span[steps->spans[i].stage + 1]++] = i;
}

/* Two ranges of one name are steps if they hold the same number of operators and calls, and at
 * least this number: equal counts of fewer say little. */
#define TWIN_ROWS 16

/* Returns the operators and calls in the range of a host row. */
static size_t rows_within(const struct weir_host_columns *host, size_t range)
{
	size_t rows = 0;

	for (size_t i = range + 1; i < host->count && host->thread[i] == host->thread[range] &&
	                           host->start_ns[i] < host->end_ns[range];
	     i++)
		rows += host->kind[i] == WEIR_HOST_OP || host->kind[i] == WEIR_HOST_API;
	return rows;
}

/* True if all outermost spans are two of one stage that do the same work: a short recording of a
 * loop. */
static bool are_twins(const struct weir_steps *steps, const struct weir_host_columns *host)
{
	const struct weir_span *twins[2] = {NULL, NULL};
	size_t outermost = 0, rows;

	for (size_t i = 0; i < steps->span_count; i++)
		if (steps->spans[i].parent == WEIR_NONE && outermost++ < 2)
			twins[outermost - 1] = &steps->spans[i];
	if (outermost != 2 || twins[0]->stage != twins[1]->stage)
		return false;
	rows = rows_within(host, twins[0]->host_row);
	return rows >= TWIN_ROWS && rows == rows_within(host, twins[1]->host_row);
}

/* Infers steps: the iterations of the outermost stage that occurs most often, at least three times,
 * or twice with the same work. */
static void infer_steps(struct weir_steps *steps, const struct weir_host_columns *host)
{
	uint32_t *seen = weir_alloc(steps->stage_count * sizeof *seen);
	uint32_t best = WEIR_NONE, most = are_twins(steps, host) ? 1 : 2;

	for (size_t i = 0; i < steps->span_count; i++)
		if (steps->spans[i].parent == WEIR_NONE && ++seen[steps->spans[i].stage] > most) {
			most = seen[steps->spans[i].stage];
			best = steps->spans[i].stage;
		}
	for (size_t i = 0; best != WEIR_NONE && i < steps->span_count; i++)
		if (steps->spans[i].parent == WEIR_NONE && steps->spans[i].stage == best)
			add_step(steps, host, steps->spans[i].host_row);
	free(seen);
}

/* Extends each step to the start of the next one, so that it includes the code between them. */
static void close_steps(struct weir_steps *steps)
{
	qsort(steps->steps, steps->step_count, sizeof *steps->steps, by_step_start);
	for (size_t i = 0; i + 1 < steps->step_count; i++)
		steps->steps[i].end_ns = steps->steps[i + 1].start_ns;
}

static void widen(int64_t *start_ns, int64_t *end_ns, const struct weir_device_columns *device,
                  size_t row)
{
	if (device->start_ns[row] < *start_ns)
		*start_ns = device->start_ns[row];
	if (device->end_ns[row] > *end_ns)
		*end_ns = device->end_ns[row];
}

/* Adds a device row to the span in which it was launched and to all spans around it. Rows of one
 * device come by start: see busy_until_ns. */
static void give_to_spans(struct weir_steps *steps, const struct weir_device_columns *device,
                          size_t row)
{
	for (uint32_t s = steps->row_span[row]; s != WEIR_NONE; s = steps->spans[s].parent) {
		struct weir_span *span = &steps->spans[s];
		int64_t from_ns = device->start_ns[row] > span->busy_until_ns
		                          ? device->start_ns[row]
		                          : span->busy_until_ns;

		widen(&span->device_start_ns, &span->device_end_ns, device, row);
		span->device_rows++;
		if (device->end_ns[row] > from_ns) {
			span->device_ns = weir_add_ns(span->device_ns,
			                              weir_span_ns(from_ns, device->end_ns[row]));
			span->busy_until_ns = device->end_ns[row];
		}
	}
}

static void forget_busy(struct weir_steps *steps)
{
	for (size_t i = 0; i < steps->span_count; i++)
		steps->spans[i].busy_until_ns = INT64_MIN;
}

static void link_rows(struct weir_steps *steps, const struct weir_timeline *timeline)
{
	const struct weir_device_columns *device = &timeline->trace->device;
	const struct weir_host_columns *host = &timeline->trace->host;
	struct weir_span_place place = {0};
	size_t step_before = 0;

	for (size_t i = 0; i < device->count; i++) {
		uint32_t launch =
			device->launch[i] != WEIR_NONE ? device->launch[i] : timeline->op[i];

		if (i == 0 || device->device[i] != device->device[i - 1])
			forget_busy(steps);
		steps->row_span[i] = WEIR_NONE;
		steps->row_step[i] = WEIR_NONE;
		if (launch == WEIR_NONE)
			continue;
		steps->row_span[i] = weir_steps_span_near(steps, host->thread[launch],
		                                          host->start_ns[launch], &place);
		steps->row_step[i] =
			weir_steps_step_near(steps, host->start_ns[launch], &step_before);
		give_to_spans(steps, device, i);
		if (steps->row_step[i] != WEIR_NONE) {
			struct weir_step *step = &steps->steps[steps->row_step[i]];

			widen(&step->device_start_ns, &step->device_end_ns, device, i);
			step->device_rows++;
		}
	}
}

/* Returns per step the launches without a device row, 0 where the trace has no device rows. The
 * caller frees the array. */
static uint32_t *count_missing(const struct weir_steps *steps, const struct weir_timeline *timeline)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	const struct weir_device_columns *device = &timeline->trace->device;
	uint32_t *missing = weir_alloc((steps->step_count + 1) * sizeof *missing);
	uint8_t *worked = weir_alloc(host->count);

	for (size_t i = 0; i < device->count; i++)
		if (device->launch[i] != WEIR_NONE)
			worked[device->launch[i]] = 1;
	for (size_t i = 0; device->count > 0 && i < host->count; i++) {
		uint8_t class = timeline->api_class[host->name[i]];
		uint32_t step;

		if (host->kind[i] != WEIR_HOST_API || worked[i] ||
		    (class != WEIR_API_LAUNCH && class != WEIR_API_GRAPH_LAUNCH))
			continue;
		step = weir_steps_step_at(steps, host->start_ns[i]);
		if (step != WEIR_NONE)
			missing[step]++;
	}
	free(worked);
	return missing;
}

enum { LINK_ROWS, COUNT_MISSING, TASKS };

struct linking {
	struct weir_steps *steps;
	const struct weir_timeline *timeline;
	uint32_t *missing;
};

static void link_or_count(void *context, size_t task)
{
	struct linking *linking = context;

	if (task == LINK_ROWS)
		link_rows(linking->steps, linking->timeline);
	else
		linking->missing = count_missing(linking->steps, linking->timeline);
}

/* Gives device rows to steps and spans, and counts the launches without any. */
static void give_rows(struct weir_steps *steps, const struct weir_timeline *timeline)
{
	struct linking linking = {.steps = steps, .timeline = timeline};

	weir_pool_run(TASKS, weir_pool_width(TASKS), link_or_count, &linking);
	for (size_t i = 0; i < steps->step_count; i++)
		steps->steps[i].missing_rows = linking.missing[i];
	free(linking.missing);
}

void weir_steps_init(struct weir_steps *steps, const struct weir_timeline *timeline,
                     const struct weir_stage_aliases *own, bool steady)
{
	const struct weir_trace *trace = timeline->trace;

	*steps = (struct weir_steps){.median_period_ns = NAN, .device_count = trace->device_count};
	collect_annotations(steps, trace, own);
	if (steps->span_count > 0)
		qsort(steps->spans, steps->span_count, sizeof *steps->spans, by_span_start);
	weir_span_tracks_init(&steps->tracks, steps->spans, steps->span_count, trace);
	index_spans(steps);
	if (steps->step_count == 0)
		infer_steps(steps, &trace->host);
	if (steps->step_count > 0)
		close_steps(steps);
	for (size_t i = 0; i < steps->span_count; i++)
		steps->spans[i].step = weir_steps_step_at(steps, steps->spans[i].start_ns);
	steps->row_span = weir_alloc(trace->device.count * sizeof *steps->row_span);
	steps->row_step = weir_alloc(trace->device.count * sizeof *steps->row_step);
	give_rows(steps, timeline);
	weir_steady_judge(steps);
	weir_steady_windows(steps, timeline, steady);
}

void weir_steps_release(struct weir_steps *steps)
{
	for (size_t d = 0; steps->windows && d < steps->device_count; d++)
		weir_intervals_release(&steps->windows[d]);
	free(steps->windows);
	weir_span_tracks_release(&steps->tracks);
	free(steps->stages);
	free(steps->spans);
	free(steps->spans_by_stage);
	free(steps->first_span);
	free(steps->steps);
	free(steps->row_span);
	free(steps->row_step);
	*steps = (struct weir_steps){0};
}

uint32_t weir_steps_span_at(const struct weir_steps *steps, uint32_t thread, int64_t at_ns)
{
	return weir_span_tracks_at(&steps->tracks, thread, at_ns);
}

uint32_t weir_steps_span_near(const struct weir_steps *steps, uint32_t thread, int64_t at_ns,
                              struct weir_span_place *last)
{
	return weir_span_tracks_near(&steps->tracks, thread, at_ns, last);
}

int64_t weir_steps_next_change(const struct weir_steps *steps, int64_t at_ns)
{
	return weir_span_tracks_next_change(&steps->tracks, at_ns);
}

/* Returns the number of steps that begin at or before at_ns. */
static size_t count_begun(const struct weir_steps *steps, int64_t at_ns)
{
	size_t low = 0, high = steps->step_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (steps->steps[middle].start_ns <= at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t weir_steps_step_near(const struct weir_steps *steps, int64_t at_ns, size_t *last)
{
	const struct weir_step *step = steps->steps + *last;
	size_t begun = *last + 1;

	if (begun > steps->step_count || step->start_ns > at_ns ||
	    (begun < steps->step_count && step[1].start_ns <= at_ns))
		begun = count_begun(steps, at_ns);
	if (begun == 0)
		return WEIR_NONE;
	*last = begun - 1;
	return steps->steps[*last].end_ns <= at_ns ? WEIR_NONE : (uint32_t)*last;
}

uint32_t weir_steps_step_at(const struct weir_steps *steps, int64_t at_ns)
{
	size_t begun = count_begun(steps, at_ns);

	return begun == 0 || steps->steps[begun - 1].end_ns <= at_ns ? WEIR_NONE
	                                                             : (uint32_t)(begun - 1);
}

bool weir_steps_span_counts(const struct weir_steps *steps, const struct weir_span *span,
                            bool steady)
{
	if (!steady)
		return true;
	if (span->step == WEIR_NONE)
		return !steps->explicit_steps;
	return steps->steps[span->step].state == WEIR_STEP_STEADY;
}

const char *weir_step_state_name(enum weir_step_state state)
{
	switch (state) {
	case WEIR_STEP_STEADY:
		return "steady";
	case WEIR_STEP_WARM_UP:
		return "warm-up";
	case WEIR_STEP_INCOMPLETE:
		return "incomplete";
	case WEIR_STEP_ONE_OFF:
		return "one-off";
	}
	return "?";
}
