/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/analysis/drawing/step_points.h"
#include "engine/stats/quantile.h"

/* Returns the number of steps from `first` on that share a point. */
static size_t steps_of_point(const uint8_t *marks, size_t first, size_t count, size_t most,
                             bool mixed)
{
	size_t end = first + 1;

	while (end < count && end - first < most && (mixed || marks[end] == marks[first]))
		end++;
	return end - first;
}

static size_t count_points(const uint8_t *marks, size_t count, size_t most, bool mixed)
{
	size_t points = 0;

	for (size_t i = 0; i < count; i += steps_of_point(marks, i, count, most, mixed))
		points++;
	return points;
}

static struct weir_step_point point_of(const double *duration_ns, size_t first, size_t count)
{
	struct weir_step_point point = {.first = first,
	                                .count = count,
	                                .low_ns = INFINITY,
	                                .high_ns = -INFINITY,
	                                .p50_ns = weir_median(duration_ns + first, count)};

	for (size_t i = first; i < first + count; i++) {
		point.low_ns = fmin(point.low_ns, duration_ns[i]);
		point.high_ns = fmax(point.high_ns, duration_ns[i]);
	}
	return point;
}

void weir_step_points(const double *duration_ns, const uint8_t *marks, size_t count,
                      struct weir_arena *arena, struct weir_step_times *out)
{
	size_t most = (count + WEIR_STEP_MAX_POINTS - 1) / WEIR_STEP_MAX_POINTS, taken;
	bool mixed = false;

	/* Twice as many steps a point leave room for changes of the mark. */
	if (count_points(marks, count, most, mixed) > WEIR_STEP_MAX_POINTS)
		most *= 2;
	mixed = count_points(marks, count, most, mixed) > WEIR_STEP_MAX_POINTS;
	out->steps = count;
	out->point_count = count_points(marks, count, most, mixed);
	out->points = weir_arena_alloc(arena, (out->point_count + 1) * sizeof *out->points);
	for (size_t i = 0, p = 0; i < count; i += taken, p++) {
		taken = steps_of_point(marks, i, count, most, mixed);
		out->points[p] = point_of(duration_ns, i, taken);
		out->points[p].mark = (enum weir_step_mark)marks[i];
	}
}
