/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums the waiting and the lateness of each rank by step, over the matched collectives. */
#ifndef WEIR_ANALYSIS_DRAWING_RANK_MAP_H
#define WEIR_ANALYSIS_DRAWING_RANK_MAP_H

#include "engine/analysis/whole/analysis.h"
#include "engine/base/arena.h"
#include "engine/model/pictures.h"

/* Returns the map, in the arena; NULL: no collectives are matched. Of many ranks it has those that
 * stand out, and of the others every n-th. */
const struct weir_rank_map *weir_rank_map_new(const struct weir_analysis *analysis,
                                              struct weir_arena *arena);

#endif
