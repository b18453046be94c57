/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests of a run in the report, and in the run that is recorded. */
#ifndef WEIR_ANALYSIS_SERVING_REPORT_H
#define WEIR_ANALYSIS_SERVING_REPORT_H

#include "engine/analysis/requests/serving.h"
#include "engine/model/report.h"
#include "engine/model/run.h"

/* Rows that weir_serving_stages() writes: one a stage, and one for the time between them. */
size_t weir_serving_row_count(const struct weir_serving *serving);
/* Fills rows in order from arrival to response; texts and samples go into the report's arena. */
void weir_serving_rows(const struct weir_serving *serving, struct weir_report *report,
                       struct weir_stage_row *rows);

/* Fills report->requests, and report->attribution with the time of the requests around the
 * percentile. */
void weir_serving_figures(const struct weir_serving *serving, struct weir_report *report);

/*
 * Completes the attribution once the verdict about the requests is there: time in computation goes
 * to the verdict's bound where its rule says so, or as the device's time was attributed where the
 * device decides. Sets the verdicts of the stages of requests by what holds most of their time.
 * device: the verdict about the timeline; NULL: there is none.
 */
void weir_serving_settle(const struct weir_serving *serving, const struct weir_verdict *requests,
                         const struct weir_verdict *device, struct weir_report *report);

/* Stages with a value a request, and the figures of the run; cost: NULL where no price is known. */
void weir_serving_run(const struct weir_serving *serving, const struct weir_cost *cost,
                      struct weir_run *run);

#endif
