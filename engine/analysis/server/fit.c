/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/server/steps.h"
#include "engine/stats/quantile.h"

static int by_x(const void *left, const void *right)
{
	const struct weir_point *a = left, *b = right;

	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	return (a->y > b->y) - (a->y < b->y);
}

struct weir_line weir_line_fit(struct weir_point *points, size_t count, struct weir_arena *arena)
{
	size_t kept = count < WEIR_FIT_POINTS ? count : WEIR_FIT_POINTS, slopes = 0;
	struct weir_point *some = weir_arena_alloc(arena, (kept + 1) * sizeof *some);
	double *values = weir_arena_alloc(arena, (kept * kept / 2 + 1) * sizeof *values);
	struct weir_line line = {NAN, NAN};

	if (count)
		qsort(points, count, sizeof *points, by_x);
	for (size_t i = 0; i < kept; i++)
		some[i] = points[kept > 1 ? i * (count - 1) / (kept - 1) : 0];
	for (size_t i = 0; i < kept; i++)
		for (size_t j = i + 1; j < kept; j++)
			if (some[j].x > some[i].x)
				values[slopes++] =
					(some[j].y - some[i].y) / (some[j].x - some[i].x);
	if (slopes < WEIR_LEAST_ROWS)
		return line;
	line.slope = weir_quantile_select(values, slopes, 0.5);
	for (size_t i = 0; i < kept; i++)
		values[i] = some[i].y - line.slope * some[i].x;
	line.intercept = weir_quantile_select(values, kept, 0.5);
	return line;
}

double weir_growth_of(struct weir_point *points, size_t count, struct weir_arena *arena)
{
	double *low = weir_arena_alloc(arena, (count + 1) * sizeof *low);
	double *high = weir_arena_alloc(arena, (count + 1) * sizeof *high);
	double most, low_x = 0, high_x = 0;
	size_t lows = 0, highs = 0;

	if (count == 0)
		return NAN;
	qsort(points, count, sizeof *points, by_x);
	most = points[(count - 1) * 95 / 100].x;
	for (size_t i = 0; i < count; i++) {
		if (points[i].x <= most / 2) {
			low[lows++] = points[i].y;
			low_x += points[i].x;
		} else if (points[i].x >= most * 2 / 3) {
			high[highs++] = points[i].y;
			high_x += points[i].x;
		}
	}
	if (lows < WEIR_LEAST_ROWS || highs < WEIR_LEAST_ROWS || !(low_x > 0))
		return NAN;
	return pow(weir_quantile_select(high, highs, 0.5) / weir_quantile_select(low, lows, 0.5),
	           1 / log2(high_x / (double)highs / (low_x / (double)lows)));
}
