/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Analyses the ranks of a run. Few ranks are analysed in detail and in memory at once. Of many,
 * each is unpacked, summarized and dropped; the collectives of all are compared; some are chosen
 * for the detail, the stragglers among them; and each of the others is unpacked once more to
 * attribute its time, which needs to know for whom it waits.
 */
#ifndef WEIR_ANALYSIS_JOB_H
#define WEIR_ANALYSIS_JOB_H

#include "engine/analysis/whole/analysis.h"
#include "engine/base/error.h"

/* Fills the ranks and summaries of the analysis. Fails with WEIR_E_USAGE if the traces are not one
 * job, or with WEIR_E_FORMAT if a packed trace is damaged. */
enum weir_status weir_job_init(struct weir_analysis *analysis, struct weir_error *err);
void weir_job_release(struct weir_analysis *analysis);

#endif
