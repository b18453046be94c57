/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Applies every transformation to a run, times the results, and keeps the fixes that are worth
 * naming, best first: by saved time over effort. A fix is left out if it saves less than 3 % of the
 * step, or if it changes what a better one changes already and saves no more.
 */
#ifndef WEIR_ANALYSIS_ADVICE_ADVISE_H
#define WEIR_ANALYSIS_ADVICE_ADVISE_H

#include "engine/analysis/whole/analysis.h"
#include "engine/base/arena.h"
#include "engine/model/fix.h"
#include "engine/model/report.h"

/* Returns the fixes found; texts and arrays belong to the arena. catalogue: what each fix costs and
 * needs; borrowed. Without a program the list is empty, and
 * out->known is false. */
void weir_advise(const struct weir_analysis *analysis, const struct weir_report *report,
                 const struct weir_fix_catalogue *catalogue, struct weir_arena *arena,
                 struct weir_found_fixes *out);

#endif
