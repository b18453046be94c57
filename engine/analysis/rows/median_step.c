/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/rows/median_step.h"
#include "engine/base/arena.h"

bool weir_step_is_counted(const struct weir_analysis *analysis, const struct weir_step *step)
{
	return !analysis->options.steady || step->state == WEIR_STEP_STEADY;
}

static const struct weir_rank *rank_with_most_steps(const struct weir_analysis *analysis)
{
	const struct weir_rank *best = NULL;
	size_t most = 0;

	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_steps *steps = &analysis->ranks[r].steps;
		size_t count = 0;

		for (size_t i = 0; i < steps->step_count; i++)
			count += weir_step_is_counted(analysis, &steps->steps[i]);
		if (count > most) {
			most = count;
			best = &analysis->ranks[r];
		}
	}
	return best;
}

static int by_group_and_call(const void *left, const void *right)
{
	const struct weir_median_call *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return (a->call > b->call) - (a->call < b->call);
}

/* Returns the first row of a device that starts at or after an instant. */
static size_t first_row_from(const struct weir_timeline *timeline, size_t device, int64_t at_ns)
{
	size_t low = timeline->first_row[device], high = timeline->first_row[device + 1];

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (timeline->trace->device.start_ns[middle] < at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_call(struct weir_median_step *median, size_t *capacity, size_t row)
{
	const struct weir_groups *groups = &median->rank->groups;
	uint32_t call = groups->row_call[row], op;

	if (call == WEIR_NONE || median->rank->steps.row_step[row] != median->step)
		return;
	op = groups->calls[call].op_row;
	median->calls =
		weir_grow(median->calls, capacity, median->call_count + 1, sizeof *median->calls);
	median->calls[median->call_count++] = (struct weir_median_call){
		.group = groups->calls[call].group,
		.call = call,
		.host_row = op != WEIR_NONE ? op : median->rank->trace->device.launch[row],
	};
}

/* Lists the calls of the step, each once although it may have several rows. */
static void list_calls(struct weir_median_step *median)
{
	const struct weir_rank *rank = median->rank;
	const struct weir_step *step = &rank->steps.steps[median->step];
	size_t capacity = 0, kept = 0;

	for (size_t d = 0; step->device_rows > 0 && d < rank->trace->device_count; d++)
		for (size_t i = first_row_from(&rank->timeline, d, step->device_start_ns);
		     i < rank->timeline.first_row[d + 1] &&
		     rank->trace->device.start_ns[i] <= step->device_end_ns;
		     i++)
			add_call(median, &capacity, i);
	if (median->call_count > 0)
		qsort(median->calls, median->call_count, sizeof *median->calls, by_group_and_call);
	for (size_t i = 0; i < median->call_count; i++)
		if (kept == 0 || median->calls[kept - 1].call != median->calls[i].call)
			median->calls[kept++] = median->calls[i];
	median->call_count = kept;
}

void weir_median_step_find(const struct weir_analysis *analysis, const struct weir_report *report,
                           struct weir_median_step *out)
{
	double nearest_ns = INFINITY;

	*out = (struct weir_median_step){.rank = rank_with_most_steps(analysis)};
	for (uint32_t i = 0; out->rank && i < out->rank->steps.step_count; i++) {
		const struct weir_step *step = &out->rank->steps.steps[i];
		double apart_ns = fabs((double)step->period_ns - report->iteration.p50_ns);

		if (!weir_step_is_counted(analysis, step) || !(apart_ns < nearest_ns))
			continue;
		nearest_ns = apart_ns;
		out->step = i;
	}
	if (!isfinite(nearest_ns))
		out->rank = NULL;
	if (out->rank)
		list_calls(out);
}

void weir_median_step_release(struct weir_median_step *median)
{
	free(median->calls);
	*median = (struct weir_median_step){0};
}
