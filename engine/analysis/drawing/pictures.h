/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills the data of the pictures of a report (engine/model/pictures.h) that no other part of the
 * analysis measures in passing. */
#ifndef WEIR_ANALYSIS_DRAWING_PICTURES_H
#define WEIR_ANALYSIS_DRAWING_PICTURES_H

#include "engine/analysis/rows/median_step.h"
#include "engine/analysis/whole/analysis.h"
#include "engine/model/report.h"

/* Fills report->pictures. Needs the distribution of steps and the stages. */
void weir_fill_pictures(const struct weir_analysis *analysis, const struct weir_median_step *median,
                        struct weir_report *report);

#endif
