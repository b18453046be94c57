/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks and tracks of all ranks for outputs that draw them. */
#ifndef WEIR_ANALYSIS_DETAIL_H
#define WEIR_ANALYSIS_DETAIL_H

#include "engine/analysis/path/critical_path.h"
#include "engine/analysis/rows/analysis_impl.h"

/* Sets report->detail; report->stages are in their places. */
void weir_fill_detail(const struct weir_analysis *analysis, const struct weir_stage_merges *merges,
                      const struct weir_path *path, struct weir_report *report);

#endif
