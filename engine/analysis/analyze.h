/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Analyses a profile in two halves, between which the rules run. The first half,
 * weir_analysis_new(), measures and forms subjects (groups of device work). The caller judges each
 * subject by the rules and stores its verdict. The second half, weir_analysis_report(), attributes
 * the time by those verdicts and fills the report, whose stages and profile the caller judges next.
 * The analysis borrows the profile, which must outlive it.
 */
#ifndef WEIR_ANALYSIS_ANALYZE_H
#define WEIR_ANALYSIS_ANALYZE_H

#include <stddef.h>

#include "engine/analysis/whole/analysis.h"
#include "engine/base/error.h"
#include "engine/model/finding.h"
#include "engine/model/report.h"

/* Most subjects of one kind that are judged. Smaller groups get no verdict: their time is
 * unattributed. */
#define WEIR_MAX_SUBJECTS 2048

/* Creates an analysis; the caller frees it with weir_analysis_free(). WEIR_E_EMPTY: no input holds
 * timing. WEIR_E_USAGE: the device table lacks options->device_name. */
enum weir_status weir_analysis_new(const struct weir_profile *profile,
                                   const struct weir_analysis_options *options,
                                   struct weir_analysis **out, struct weir_error *err);
void weir_analysis_free(struct weir_analysis *analysis);

/* Returns the number of subjects: groups of device work, largest first, then counted kernels. */
size_t weir_analysis_subject_count(const struct weir_analysis *analysis);
void weir_analysis_subject(const struct weir_analysis *analysis, size_t index,
                           struct weir_subject *out);
void weir_analysis_set_verdict(struct weir_analysis *analysis, size_t index,
                               const struct weir_verdict *verdict);

/* Fills the report, except for the verdicts of stages and profile and the recommendations. */
void weir_analysis_report(const struct weir_analysis *analysis, struct weir_report *report);
/* Frees the collectives of a job, which only the report needs. */
void weir_analysis_drop_collectives(struct weir_analysis *analysis);

/* Completes the attribution and the verdicts of the stages of requests, from the verdict about the
 * requests and that about the device. device: NULL if no timeline decides. Does nothing without
 * requests. */
void weir_analysis_settle(const struct weir_analysis *analysis, const struct weir_verdict *requests,
                          const struct weir_verdict *device, struct weir_report *report);

#endif
