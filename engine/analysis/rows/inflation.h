/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What profiling cost: a profiled run beside durations of the same program without the profiler.
 * The first native run among the inputs that can be compared decides. Stages of the same name are
 * compared, their p50 added on both sides; without any, a run with a single stage is compared with
 * the step, or with the only stage of the timeline where there are no steps.
 */
#ifndef WEIR_ANALYSIS_INFLATION_H
#define WEIR_ANALYSIS_INFLATION_H

#include "engine/analysis/rows/analysis_impl.h"

/* Fills report->profiler; its iterations are there. */
void weir_fill_inflation(const struct weir_analysis *analysis,
                         const struct weir_stage_merges *merges, struct weir_report *report);

#endif
