/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the analysed time of one rank lies, as stacks. Two roots:
 *
 *   device   stage, operator, kernel, and below their stage the gaps by cause. The segments cover
 *            the windows, so that the root is the analysed time of the rank's devices, exactly.
 *   host     thread, then the rows around the innermost one: stages, operators, Python frames,
 *            calls. Each instant of a thread inside the windows counts once, so that the root is
 *            the time in which the threads did anything that the trace shows, threads added.
 *
 * Without device work the windows hold nothing, and the whole of every thread counts. Steps share
 * one frame, and names of stages are without their counters.
 */
#ifndef WEIR_ANALYSIS_DRAWING_STACKS_H
#define WEIR_ANALYSIS_DRAWING_STACKS_H

#include <stdbool.h>

#include "engine/analysis/drawing/flame.h"
#include "engine/analysis/rank/rank.h"

/* several: frames of the rank between the roots and the rest. aliases: the user's names of stages;
 * NULL: none. */
void weir_stacks_add(struct weir_flame_builder *builder, const struct weir_rank *rank, bool several,
                     const struct weir_stage_aliases *aliases);

#endif
