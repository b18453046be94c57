/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the trace of a pseudo-random program: a loop whose steps do the same, but for jitter, a
 * slow first step and a slow one in between. A step is a sequence of parts with stages: operators
 * that launch kernels on two streams and two devices, copies, reads of results, waits, graphs,
 * allocations, loading, silence and other threads. Rows nest, and their lengths lie around the
 * limits of the analysis. random_trace.h makes rows that do not nest.
 */
#ifndef WEIR_TESTS_UNIT_RANDOM_PROGRAM_H
#define WEIR_TESTS_UNIT_RANDOM_PROGRAM_H

#include "engine/model/trace.h"

/* state is the state of next_number() in near.h. */
struct weir_trace *random_program(uint64_t *state);

#endif
