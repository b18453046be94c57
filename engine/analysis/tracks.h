/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When what happened, as spans: steps with their state, stages (on the host, one track a thread),
 * gaps of each device by cause, waits in collectives, and the device's work (one track a stream).
 * All of the trace but the gaps, which the analysed windows hold. Ranks are on the clock of the
 * first one, as far as that is known.
 */
#ifndef WEIR_ANALYSIS_TRACKS_H
#define WEIR_ANALYSIS_TRACKS_H

#include "engine/analysis/analysis_impl.h"
#include "engine/model/detail.h"

/* Fills the tracks and spans of detail; texts are copied to the arena. */
void weir_tracks_fill(const struct weir_analysis *analysis, const struct weir_stage_merges *merges,
                      struct weir_arena *arena, struct weir_detail *detail);

#endif
