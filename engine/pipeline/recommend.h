/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Advice of rules to recommendations of a report. */
#ifndef WEIR_PIPELINE_RECOMMEND_H
#define WEIR_PIPELINE_RECOMMEND_H

#include <stddef.h>

#include "engine/analysis/analyze.h"
#include "engine/model/finding.h"
#include "engine/model/report.h"

/*
 * Fills report->recommendations, in the order of the advice. Templates are expanded with the
 * profile's features. Two things cap its typical speed-up: removing a share s of the time is at
 * most 1 / (1 - s), and what the timeline says of the change that the rule names (its "what_if").
 * The report is that of the analysis, filled but for this.
 */
void weir_recommend(const struct weir_analysis *analysis, struct weir_report *report,
                    const struct weir_advice *advice, size_t count);

#endif
