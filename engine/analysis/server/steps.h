/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Step times of a server by phase, and figures that follow from them.
 *
 * Interference: the steps that hold prompts take longer than a step of the same decodes alone,
 * which a robust line (Theil and Sen) of step time over decodes predicts; a step of prompts alone
 * delays running decodes by all of its time. The share is that time over all time in which decodes
 * run.
 *
 * Growth: median step time at 2/3 to all of the largest batch over that at up to half of it, for a
 * doubling of the batch: ratio ^ (1 / log2(batch ratio)). 1: larger batches cost nothing; 2: they
 * gain nothing.
 *
 * Without steps, rates of intervals replace them (rates.c). If a share p * c of the time goes to p
 * prompt tokens a second, the rate of a running decode is (1 - p * c) / step time: a line over p.
 */
#ifndef WEIR_ANALYSIS_SERVER_STEPS_H
#define WEIR_ANALYSIS_SERVER_STEPS_H

#include "engine/analysis/server/engines.h"

struct weir_point {
	double x, y;
};

struct weir_line {
	double slope, intercept; /* NAN: the points do not determine a line */
};

/* Fits a line by the median of the slopes between points (H. Theil 1950, P. K. Sen 1968), of at
 * most WEIR_FIT_POINTS points spread over x. Sorts the points. */
struct weir_line weir_line_fit(struct weir_point *points, size_t count, struct weir_arena *arena);

#define WEIR_FIT_POINTS 200
#define WEIR_LEAST_ROWS 5 /* fewer rows are no sample */

/* Returns the growth of y for a doubling of x, see above; sorts the points; NAN: too few of them,
 * or too little range. */
double weir_growth_of(struct weir_point *points, size_t count, struct weir_arena *arena);

/* Fills phases, whose samples live in `arena`, interference and growth from steps. */
void weir_server_steps(const struct weir_engines *engines, struct weir_arena *scratch,
                       struct weir_arena *arena, struct weir_server_figures *out);
/* Fills interference and growth from intervals, if they are not known: rates.c. */
void weir_server_rates(const struct weir_engines *engines, struct weir_arena *arena,
                       struct weir_server_figures *out);
/* Fills the figures of speculative decoding: speculation.c. */
void weir_server_speculation(const struct weir_engines *engines, struct weir_arena *arena,
                             struct weir_server_figures *out);

#endif
