/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins the durations of many steps to few points. */
#ifndef WEIR_ANALYSIS_DRAWING_STEP_POINTS_H
#define WEIR_ANALYSIS_DRAWING_STEP_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/model/pictures.h"

/*
 * Fills the points of `out`, at most WEIR_STEP_MAX_POINTS, and the number of steps. marks: enum
 * weir_step_mark of each step. Steps with different marks share a point only if they change too
 * often; the point then has the mark of its first step.
 */
void weir_step_points(const double *duration_ns, const uint8_t *marks, size_t count,
                      struct weir_arena *arena, struct weir_step_times *out);

#endif
