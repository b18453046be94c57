/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/timeline/loading_steps.h"
#include "engine/base/arena.h"
#include "engine/model/bound.h"

/* Returns the time that each step spends on compilation and loading, and lists the waits for it.
 * The caller frees the times. */
static int64_t *loading_times(const struct weir_steps *steps, const struct weir_segments *segments,
                              struct weir_loading_steps *out)
{
	int64_t *times = weir_alloc((steps->step_count + 1) * sizeof *times);
	size_t capacity = 0;

	for (size_t i = 0; i < segments->count; i++) {
		const struct weir_segment *segment = &segments->items[i];
		bool loads = segment->busy ? (segment->flags & WEIR_SEGMENT_COMPILER) != 0
		                           : segment->idle == WEIR_IDLE_COMPILE_LOAD;
		uint32_t step;

		if (loads && !segment->busy) {
			out->segments = weir_grow(out->segments, &capacity, out->segment_count + 1,
			                          sizeof *out->segments);
			out->segments[out->segment_count++] = i;
		}
		if (!loads || segment->row == WEIR_NONE)
			continue;
		step = steps->row_step[segment->row];
		if (step != WEIR_NONE)
			times[step] = weir_add_ns(times[step], weir_segment_ns(segment));
	}
	return times;
}

/* Returns the name id of what may be new in a step: the dimensions of an operator, or the number of
 * a compiled region ("Torch-Compiled Region: 0/2"); 0: neither. */
static uint32_t key_of_row(const struct weir_trace *trace, size_t row)
{
	static const char region[] = "Torch-Compiled Region: ";
	uint32_t shape = trace->host.shape[row];

	if (shape != 0)
		return trace->shapes[shape].dims;
	if (trace->host.kind[row] != WEIR_HOST_OP && trace->host.kind[row] != WEIR_HOST_ANNOTATION)
		return 0;
	return strncmp(weir_names_text(trace->names, trace->host.name[row]), region,
	               sizeof region - 1) == 0
	               ? trace->host.name[row]
	               : 0;
}

/* Marks the steps with a key that no earlier step has; false: no row has a key. */
static bool mark_novel(const struct weir_trace *trace, const struct weir_steps *steps,
                       uint8_t *novel)
{
	size_t names = weir_names_count(trace->names);
	uint32_t *first_step = weir_alloc((names + 1) * sizeof *first_step);
	bool any = false;

	memset(first_step, 0xff, (names + 1) * sizeof *first_step);
	for (size_t i = 0; i < trace->host.count; i++) {
		uint32_t key = key_of_row(trace, i), step;

		if (key == 0)
			continue;
		any = true;
		step = weir_steps_step_at(steps, trace->host.start_ns[i]);
		/* Rows before the first step are known to all steps. */
		if (step == WEIR_NONE && trace->host.start_ns[i] < steps->steps[0].start_ns)
			step = 0;
		if (step < first_step[key])
			first_step[key] = step;
	}
	for (size_t i = 0; i < names; i++)
		if (first_step[i] != WEIR_NONE && first_step[i] > 0)
			novel[first_step[i]] = 1;
	free(first_step);
	return any;
}

void weir_loading_steps_count(const struct weir_timeline *timeline, const struct weir_steps *steps,
                              const struct weir_segments *segments, struct weir_loading_steps *out)
{
	int64_t *times;
	uint8_t *novel;

	*out = (struct weir_loading_steps){0};
	times = loading_times(steps, segments, out);
	for (size_t i = 0; i < steps->step_count; i++)
		out->steps += steps->steps[i].state == WEIR_STEP_STEADY &&
		              times[i] >= WEIR_LOADING_STEP_NS;
	if (out->steps >= WEIR_LOADING_STEPS_FEWEST) {
		novel = weir_alloc(steps->step_count);
		out->comparable = mark_novel(timeline->trace, steps, novel);
		for (size_t i = 0; i < steps->step_count; i++)
			out->novel += steps->steps[i].state == WEIR_STEP_STEADY &&
			              times[i] >= WEIR_LOADING_STEP_NS && novel[i];
		free(novel);
	}
	free(times);
}

void weir_loading_steps_release(struct weir_loading_steps *loading)
{
	free(loading->segments);
	*loading = (struct weir_loading_steps){0};
}
