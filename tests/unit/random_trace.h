/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes pseudo-random traces: steps, stages, operators, calls and device work on several threads
 * and devices, with everything that a hostile file may contain: ranges that do not nest, rows of
 * length 0, work without a launch, launches without work, graphs, copies and collectives, and
 * overhead of the profiler.
 */
#ifndef WEIR_TESTS_UNIT_RANDOM_TRACE_H
#define WEIR_TESTS_UNIT_RANDOM_TRACE_H

#include "engine/model/trace.h"

/* state is the state of next_number() in near.h. */
struct weir_trace *random_trace(uint64_t *state);
/* All times are multiples of the grid, so that rows begin where others end, and durations are as
 * long as thresholds. */
struct weir_trace *random_trace_on_grid(uint64_t *state, int64_t grid_ns);

#endif
