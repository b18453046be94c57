/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Draws a trace: where its time lies as a flame graph, and when what happened as spans on tracks.
 * Tracks are steps with their state, stages (one track per host thread), the critical path, gaps of
 * each device by cause, waits in collectives, and device work (one track per stream). They cover
 * the whole trace; path and gaps cover the analysed windows. Ranks are on the clock of the first
 * one, as far as that is known.
 */
#ifndef WEIR_ANALYSIS_DRAWING_TRACKS_H
#define WEIR_ANALYSIS_DRAWING_TRACKS_H

#include "engine/analysis/path/critical_path.h"
#include "engine/analysis/rows/stage_rows.h"
#include "engine/model/report.h"
#include "engine/model/timeline_detail.h"

/* Fills report->detail. Needs the attribution of stages and the critical path. */
void weir_fill_detail(const struct weir_analysis *analysis, const struct weir_stage_merges *merges,
                      const struct weir_path *path, struct weir_report *report);

/*
 * Moves spans that overlap without nesting to further tracks of the same kind, up to
 * WEIR_TRACK_LANES of them, and cuts off what fits on none: viewers draw a slice inside the one
 * that is open, and lose one that outlives it. Spans are sorted by track and time, before and
 * after. Further tracks follow all others.
 */
#define WEIR_TRACK_LANES 8
void weir_tracks_part(struct weir_arena *arena, struct weir_detail *detail);

#endif
