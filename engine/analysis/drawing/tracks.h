/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fills the drawing of a report: a flame graph, and a timeline of spans on tracks. Tracks are steps
 * with their state, stages (one track per host thread), the critical path, idle time of each device
 * by cause, waits in collectives, device work (one track per stream), and the operators and calls
 * of each host thread. They cover the whole trace; path and idle time cover the analysed windows.
 * All ranks use the clock of the first one, as far as its offset is known.
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
 * Moves spans that overlap without nesting to additional tracks of the same kind, at most
 * WEIR_TRACK_LANES per track, and truncates spans that fit on none of them: viewers draw a slice
 * inside the open one, and drop a slice that outlives it. Spans are sorted by track and time,
 * before and after. Additional tracks follow all others.
 */
#define WEIR_TRACK_LANES 8
void weir_tracks_part(struct weir_arena *arena, struct weir_detail *detail);

#endif
