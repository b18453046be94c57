/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds the analysed time of one rank to a flame graph, as stacks below two roots:
 *
 *   device   stage, operator, kernel; idle time by cause, below its stage. Segments cover the
 *            windows, so that the root is exactly the analysed time of the rank's devices.
 *   host     thread, then the nested host events: stages, operators, Python frames, calls. Each
 *            instant of a thread inside the windows counts once, for the innermost event, so that
 *            the root is the time during which the threads did anything that the trace shows,
 *            summed over threads.
 *
 * Without device work there are no windows: then the whole trace counts. All steps share one frame,
 * and names of stages have no iteration numbers.
 */
#ifndef WEIR_ANALYSIS_DRAWING_STACKS_H
#define WEIR_ANALYSIS_DRAWING_STACKS_H

#include <stdbool.h>

#include "engine/analysis/drawing/flame.h"
#include "engine/analysis/rank/rank.h"

/* Adds the stacks of one rank. several: put a frame of the rank below each root. aliases: names of
 * stages that the user gave; NULL: none. */
void weir_stacks_add(struct weir_flame_builder *builder, const struct weir_rank *rank, bool several,
                     const struct weir_stage_aliases *aliases);

#endif
