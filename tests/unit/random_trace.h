/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces that look random but are not: steps, stages, operators, calls and device work on several
 * threads and devices, with everything that a hostile file may hold: ranges that do not nest, rows
 * without length, work without a launch, launches without work, graphs, copies and collectives, and
 * the profiler's own time.
 */
#ifndef TESTS_UNIT_RANDOM_TRACE_H
#define TESTS_UNIT_RANDOM_TRACE_H

#include "engine/model/trace.h"

/* *state is the generator's, see next_number() in near.h. */
struct weir_trace *random_trace(uint64_t *state);

#endif
