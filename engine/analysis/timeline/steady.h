/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which steps are steady, by the tests stated in engine/analysis/timeline/steps.h, and which device
 * time is analysed. */
#ifndef WEIR_ANALYSIS_STEADY_H
#define WEIR_ANALYSIS_STEADY_H

#include <stdbool.h>

#include "engine/analysis/timeline/steps.h"

/* Sets period_ns and state of every step, and median_period_ns. Needs device times of the steps. */
void weir_steady_judge(struct weir_steps *steps);

/*
 * Fills `windows`, one set of intervals a device. A step's window reaches from the start of its
 * first device work to that of the next step's (of the last step: to the end of its work). Steady:
 * the windows of steady steps where steps are annotated; where they are inferred, everything but
 * the windows of the steps that were set apart. Without steps, or when nothing would be left,
 * everything from the first to the last device event.
 */
void weir_steady_windows(struct weir_steps *steps, const struct weir_timeline *timeline,
                         bool steady);

#endif
