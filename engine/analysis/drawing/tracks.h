/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When what happened, as spans: steps with their state, stages (on the host, one track a thread),
 * the critical path, gaps of each device by cause, waits in collectives, and the device's work (one
 * track a stream).
 * All of the trace but path and gaps, which the analysed windows hold. Ranks are on the clock of
 * the first one, as far as that is known.
 */
#ifndef WEIR_ANALYSIS_TRACKS_H
#define WEIR_ANALYSIS_TRACKS_H

#include "engine/analysis/path/critical_path.h"
#include "engine/analysis/rows/analysis_impl.h"
#include "engine/model/detail.h"

/* Fills the tracks and spans of detail; texts are copied to the arena. */
void weir_tracks_fill(const struct weir_analysis *analysis, const struct weir_stage_merges *merges,
                      const struct weir_path *path, struct weir_arena *arena,
                      struct weir_detail *detail);

/*
 * Viewers draw a slice inside the one that is open, and lose one that outlives it: such a span
 * moves to a further track of the same kind, up to WEIR_TRACK_LANES of them, then it is cut off.
 * Spans are sorted by track and time before and after. Further tracks stand behind all others.
 */
#define WEIR_TRACK_LANES 8
void weir_tracks_part(struct weir_arena *arena, struct weir_detail *detail);

#endif
