/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/drawing/pictures.h"
#include "engine/analysis/drawing/rank_map.h"
#include "engine/analysis/drawing/roofs.h"
#include "engine/analysis/drawing/step_points.h"
#include "engine/analysis/drawing/strip.h"
#include "engine/base/arena.h"

static enum weir_step_mark mark_of(const struct weir_analysis *analysis,
                                   const struct weir_step *step)
{
	if (weir_step_is_counted(analysis, step))
		return WEIR_MARK_STEADY;
	switch (step->state) {
	case WEIR_STEP_WARM_UP:
		return WEIR_MARK_WARM_UP;
	case WEIR_STEP_INCOMPLETE:
		return WEIR_MARK_INCOMPLETE;
	case WEIR_STEP_ONE_OFF:
		return WEIR_MARK_ONE_OFF;
	case WEIR_STEP_STEADY:
		break;
	}
	return WEIR_MARK_STEADY;
}

static void fill_step_times(const struct weir_analysis *analysis, const struct weir_rank *rank,
                            struct weir_report *report)
{
	size_t count = rank->steps.step_count;
	double *duration_ns = weir_alloc(count * sizeof *duration_ns);
	uint8_t *marks = weir_alloc(count);
	struct weir_step_times *times = weir_arena_alloc(report->arena, sizeof *times);

	for (size_t i = 0; i < count; i++) {
		duration_ns[i] = (double)rank->steps.steps[i].period_ns;
		marks[i] = (uint8_t)mark_of(analysis, &rank->steps.steps[i]);
	}
	times->rank = rank->rank;
	times->p50_ns = report->iteration.p50_ns;
	times->p95_ns = report->iteration.p95_ns;
	weir_step_points(duration_ns, marks, count, report->arena, times);
	weir_report_pictures(report)->step_times = times;
	free(duration_ns);
	free(marks);
}

/* Draws the values of a native run: the stage with most time, the first of several. */
static void fill_series(struct weir_report *report)
{
	const struct weir_stage_row *best = NULL;
	struct weir_step_times *times;
	uint8_t *marks;

	for (size_t i = 0; i < report->stage_count; i++) {
		const struct weir_stage_row *stage = &report->stages[i];

		if (stage->view == WEIR_VIEW_SERIES && stage->duration.count > 0 &&
		    (!best || stage->duration.total_ns > best->duration.total_ns))
			best = stage;
	}
	if (!best)
		return;
	times = weir_arena_alloc(report->arena, sizeof *times);
	marks = weir_alloc(best->duration.count);
	*times = (struct weir_step_times){.name = best->name,
	                                  .rank = -1,
	                                  .p50_ns = best->duration.p50_ns,
	                                  .p95_ns = best->duration.p95_ns};
	weir_step_points(best->duration_ns, marks, best->duration.count, report->arena, times);
	weir_report_pictures(report)->step_times = times;
	free(marks);
}

void weir_fill_pictures(const struct weir_analysis *analysis, const struct weir_median_step *median,
                        struct weir_report *report)
{
	const struct weir_roofs *roofs = weir_roofs_of(analysis, report->arena);
	const struct weir_rank_map *rank_map = weir_rank_map_new(analysis, report->arena);
	const struct weir_strip *strip;

	if (roofs)
		weir_report_pictures(report)->roofs = roofs;
	if (rank_map)
		weir_report_pictures(report)->rank_map = rank_map;
	if (!median->rank) {
		fill_series(report);
		return;
	}
	strip = weir_strip_new(median->rank, median->step, report->arena);
	if (strip)
		weir_report_pictures(report)->strip = strip;
	fill_step_times(analysis, median->rank, report);
}
