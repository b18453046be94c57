/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predicts the times of steps and stages after each hypothetical change. */
#ifndef WEIR_ANALYSIS_ROWS_WHAT_IF_H
#define WEIR_ANALYSIS_ROWS_WHAT_IF_H

#include "engine/analysis/rows/stage_rows.h"
#include "engine/model/report.h"
#include "engine/model/what_if.h"

/*
 * Fills report->what_ifs, one answer per change, each for that change alone (see retime.h). The
 * step is the median of the analysed periods of the slowest rank; without steps it is the analysed
 * window of the longest rank. An answer is NAN without a timeline, and for batching, which has no
 * time on a timeline. Needs the verdicts of the groups. If the time without the profiler is known
 * (report->profiler), all answers are for an unprofiled run: the host's idle time is first
 * multiplied by the one factor that makes the profiled step as long as the unprofiled one, because
 * a profiler slows the host and hardly the device.
 *
 * Some times do not vanish but overlap with other time. Without waits for the device (late_sync)
 * the step keeps the time that its host spends outside such waits; work hidden behind other work
 * (late_before, late_after, exposed_communication) keeps its duration. Without waits for other
 * ranks, all ranks take the mean of their times (exposed_wait) or the time of the fastest
 * (exposed_wait_host).
 */
void weir_fill_what_ifs(const struct weir_analysis *analysis,
                        const struct weir_stage_merges *merges, struct weir_report *report);

/* Creates a retimer, which predicts the step after one change. Needs the verdicts of the subjects
 * and the filled report; borrows both. The caller frees it with weir_retimer_free(). */
struct weir_retimer;
struct weir_retimer *weir_retimer_new(const struct weir_analysis *analysis,
                                      const struct weir_report *report);
void weir_retimer_free(struct weir_retimer *retimer);
/* Predicts the step after one change, without stages. The answer is NAN without a timeline, and if
 * the median step represents few of them: it is less than half of the mean, or most steps lack
 * their device work. */
void weir_retimer_ask(struct weir_retimer *retimer, const struct weir_change *change,
                      struct weir_what_if *out);

#endif
