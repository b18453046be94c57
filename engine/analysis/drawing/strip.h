/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lays out one step as lanes of spans: stages, operators and driver calls of the launching threads,
 * idle time of the devices by cause, work of the streams. It reads the rows of that interval only.
 * The interval reaches from the start of the step, on the host or on a device, to its last end; if
 * the work runs long after its launches, only over the work.
 */
#ifndef WEIR_ANALYSIS_DRAWING_STRIP_H
#define WEIR_ANALYSIS_DRAWING_STRIP_H

#include "engine/analysis/rank/rank.h"
#include "engine/base/arena.h"
#include "engine/model/pictures.h"

/* Returns the strip of a step of the rank, in the arena; NULL if the step has no duration, or one
 * beyond WEIR_LONGEST_NS. */
const struct weir_strip *weir_strip_new(const struct weir_rank *rank, uint32_t step,
                                        struct weir_arena *arena);

#endif
