/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What steps and stages would take after the changes that were asked about. */
#ifndef WEIR_ANALYSIS_ROWS_WHAT_IF_H
#define WEIR_ANALYSIS_ROWS_WHAT_IF_H

#include "engine/analysis/rows/stage_rows.h"
#include "engine/model/report.h"
#include "engine/model/what_if.h"

/*
 * Fills report->what_ifs, one a change, each by itself (see retime.h). A step is p50 of the
 * steady periods, of the slowest rank; without steps it is the analysed window of the longest rank.
 * Unknown without a timeline, and for batching, which is not a stretch of a timeline. Needs the
 * verdicts of the groups. Where the time without the profiler is known (report->profiler), all of
 * it is of a run without: the host's idle time is first taken down by the one factor that makes the
 * profiled step as long as an unprofiled one, as a profiler slows the host and hardly the device.
 *
 * Some parts of the time do not go, they are done meanwhile: without waits for the device
 * (late_sync) the step keeps what its host does outside of them; work hidden behind other work
 * (late_before, late_after, exposed_communication) takes as long as it took. Without waiting for
 * other ranks (exposed_wait) all have the mean of their work, or are as prompt as the first
 * (exposed_wait_host).
 */
void weir_fill_what_ifs(const struct weir_analysis *analysis,
                        const struct weir_stage_merges *merges, struct weir_report *report);

/*
 * Asks what the step would take after one change, against what it takes now. The verdicts of the
 * subjects are set and the report is filled; both are borrowed.
 */
struct weir_retimer;
struct weir_retimer *weir_retimer_new(const struct weir_analysis *analysis,
                                      const struct weir_report *report);
void weir_retimer_free(struct weir_retimer *retimer);
/* Leaves the stages out. Unknown without a timeline, and if the median step stands for few of them:
 * it is less than half of the mean, or most steps lack their work. */
void weir_retimer_ask(struct weir_retimer *retimer, const struct weir_change *change,
                      struct weir_what_if *out);

#endif
