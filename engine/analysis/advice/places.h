/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes the places of a draft in the terms of the trace: operator, shapes, kernel, stage and
 * the Python frame or range around them. */
#ifndef WEIR_ANALYSIS_ADVICE_PLACES_H
#define WEIR_ANALYSIS_ADVICE_PLACES_H

#include "engine/analysis/advice/draft.h"
#include "engine/base/arena.h"
#include "engine/model/fix.h"

/* Fills the places of the fix, worst first, and their sums; texts belong to the arena. */
void weir_places_fill(struct weir_draft *draft, struct weir_arena *arena,
                      struct weir_found_fix *fix);

#endif
