/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/places.h"

static int by_time(const void *left, const void *right)
{
	const struct weir_draft_place *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return (a->issue > b->issue) - (a->issue < b->issue);
}

/* Copies a text into the arena; NULL for an empty one. */
static const char *copy(struct weir_arena *arena, const char *text)
{
	return text && *text ? weir_arena_copy(arena, text, strlen(text)) : NULL;
}

static const char *stage_of(const struct weir_program *program, uint32_t device_row)
{
	const struct weir_steps *steps = &program->rank->steps;
	uint32_t span = steps->row_span[device_row];

	return span == WEIR_NONE ? NULL : steps->stages[steps->spans[span].stage].name;
}

static const char *kernel_of(const struct weir_program *program, uint32_t device_row,
                             struct weir_arena *arena)
{
	struct weir_text text = {0};
	const char *out;

	weir_kernel_display(weir_timeline_device_name(&program->rank->timeline, device_row), &text);
	out = copy(arena, text.data);
	weir_text_release(&text);
	return out;
}

static void describe_op(const struct weir_program *program, uint32_t op, struct weir_arena *arena,
                        struct weir_fix_place *out)
{
	struct weir_call call;

	if (op == WEIR_NONE)
		return;
	out->op = copy(arena, weir_timeline_host_name(&program->rank->timeline, op));
	if (!weir_call_of_op(program->rank->trace, op, NULL, &call))
		return;
	out->shapes = copy(arena, call.dims);
	out->types = copy(arena, call.types);
}

/* Returns the operator that is most of the host's work before a call that starts device work;
 * WEIR_NONE: there is no such work, or no operator. */
static uint32_t work_before(const struct weir_program *program, const struct weir_issue *issue)
{
	bool work = issue->job_count > 0 && issue->work_row != WEIR_NONE &&
	            program->rank->trace->host.kind[issue->work_row] == WEIR_HOST_OP;

	return work ? issue->work_row : WEIR_NONE;
}

/* Describes a place of the host by its work before a call, by the call, or by the host row of the
 * work. */
static void describe_issue(const struct weir_program *program, const struct weir_issue *issue,
                           struct weir_arena *arena, struct weir_fix_place *out)
{
	uint32_t row = issue->call != WEIR_NONE ? issue->call : issue->work_row;
	uint32_t work = work_before(program, issue);

	if (work != WEIR_NONE)
		row = work;
	describe_op(program, work != WEIR_NONE ? work : issue->op, arena, out);
	if (row == WEIR_NONE)
		return;
	if (!out->op)
		out->op = copy(arena, weir_timeline_host_name(&program->rank->timeline, row));
	out->frame = copy(arena, weir_timeline_frame(&program->rank->timeline, row));
}

static void describe(const struct weir_program *program, const struct weir_draft_place *place,
                     struct weir_arena *arena, struct weir_fix_place *out)
{
	uint32_t launch;

	*out = (struct weir_fix_place){.ns = place->ns,
	                               .share = place->ns / program->measured_ns,
	                               .count = (double)place->count};
	if (place->job == WEIR_NONE) {
		describe_issue(program, &program->issues[place->issue], arena, out);
		return;
	}
	describe_op(program, program->jobs[place->job].op, arena, out);
	out->kernel = kernel_of(program, program->jobs[place->job].row, arena);
	out->stage = copy(arena, stage_of(program, program->jobs[place->job].row));
	launch = program->rank->trace->device.launch[program->jobs[place->job].row];
	out->frame = copy(arena, weir_timeline_frame(&program->rank->timeline, launch));
}

void weir_places_fill(struct weir_draft *draft, struct weir_arena *arena,
                      struct weir_found_fix *fix)
{
	const struct weir_program *program = &draft->advisor->program;

	if (draft->place_count > 0)
		qsort(draft->places, draft->place_count, sizeof *draft->places, by_time);
	fix->places = weir_arena_alloc(arena, WEIR_MAX_PLACES * sizeof *fix->places);
	for (size_t i = 0; i < draft->place_count; i++) {
		fix->places_ns += draft->places[i].ns;
		fix->calls += (double)draft->places[i].count;
		if (fix->place_count < WEIR_MAX_PLACES)
			describe(program, &draft->places[i], arena,
			         &fix->places[fix->place_count++]);
	}
	/* Calls and the work that they start can be places beside each other. */
	fix->places_ns = fmin(fix->places_ns, program->measured_ns);
}
