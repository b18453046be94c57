/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile's analysis, in two halves with the rules between them: what was found gives subjects
 * (groups of device work) that the rules judge; with their verdicts set, the time is attributed and
 * the report filled, whose stages and profile the rules judge then. The analysis borrows the
 * profile.
 */
#ifndef WEIR_ANALYSIS_ANALYZE_H
#define WEIR_ANALYSIS_ANALYZE_H

#include <stddef.h>

#include "engine/analysis/whole/analysis.h"
#include "engine/base/error.h"
#include "engine/model/finding.h"
#include "engine/model/report.h"

/* Groups beyond the largest so many stay without a verdict: their time is unattributed. */
#define WEIR_MAX_SUBJECTS 2048

/* WEIR_E_EMPTY: the inputs hold no timing. WEIR_E_USAGE: no such device in the table. */
enum weir_status weir_analysis_new(const struct weir_profile *profile,
                                   const struct weir_analysis_options *options,
                                   struct weir_analysis **out, struct weir_error *err);
void weir_analysis_free(struct weir_analysis *analysis);

/* Groups of device work, largest first. */
size_t weir_analysis_subject_count(const struct weir_analysis *analysis);
void weir_analysis_subject(const struct weir_analysis *analysis, size_t index,
                           struct weir_subject *out);
void weir_analysis_set_verdict(struct weir_analysis *analysis, size_t index,
                               const struct weir_verdict *verdict);

/* Fills everything but the verdicts of stages and profile and the recommendations. */
void weir_analysis_report(const struct weir_analysis *analysis, struct weir_report *report);

/* With the verdicts about requests and device: completes the attribution and the verdicts of the
 * stages of requests. device: NULL where no timeline decides. Nothing to do without requests. */
void weir_analysis_settle(const struct weir_analysis *analysis, const struct weir_verdict *requests,
                          const struct weir_verdict *device, struct weir_report *report);

#endif
