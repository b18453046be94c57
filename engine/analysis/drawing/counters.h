/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills the counters of a drawing: of each device the share of time in which it worked, and the
 * mean number of launches that waited for it, over equal windows of the trace. */
#ifndef WEIR_ANALYSIS_DRAWING_COUNTERS_H
#define WEIR_ANALYSIS_DRAWING_COUNTERS_H

#include "engine/analysis/rank/rank.h"
#include "engine/base/arena.h"
#include "engine/model/timeline_detail.h"

/* Adds the counters of one rank. shift_ns: added to its times. Devices beyond
 * WEIR_DETAIL_MAX_COUNTERS have none. */
void weir_draw_counters(const struct weir_rank *rank, int64_t shift_ns, struct weir_arena *arena,
                        struct weir_detail *detail);

#endif
