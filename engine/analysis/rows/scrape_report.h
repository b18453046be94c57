/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Metrics pages in the report and in the run that is recorded. */
#ifndef WEIR_ANALYSIS_SCRAPE_REPORT_H
#define WEIR_ANALYSIS_SCRAPE_REPORT_H

#include "engine/analysis/analyze.h"

/* Appends the stages that pages tell of, behind those that are there; notes on what was found; the
 * figures of requests where no input holds requests. Nothing without pages. */
void weir_fill_scrapes(const struct weir_analysis *analysis, struct weir_report *report);

/* Adds a figure a stage, its mean, and rates, where the run has none of the name. */
void weir_run_add_scrapes(const struct weir_analysis *analysis, struct weir_run *run);

#endif
