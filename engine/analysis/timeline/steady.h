/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses the steady steps by the tests in engine/analysis/timeline/steps.h, and the device time to
 * analyse. */
#ifndef WEIR_ANALYSIS_TIMELINE_STEADY_H
#define WEIR_ANALYSIS_TIMELINE_STEADY_H

#include <stdbool.h>

#include "engine/analysis/timeline/steps.h"

/* A first collective that lasts more than this many times any later one of its device waits for
 * ranks whose profilers start later. */
#define WEIR_FIRST_WAIT_FACTOR 5

/* Sets period_ns and state of every step, and median_period_ns. The device times of the steps must
 * be set. */
void weir_steady_judge(struct weir_steps *steps);

/*
 * Sets `windows`, one set of intervals per device. The window of a step reaches from the start of
 * its first device work to that of the next step; for the last step to the end of its work. If
 * `steady`, keeps the windows of steady steps; if steps are inferred, everything except the windows
 * of steps that are set apart. The first step of a trace begins where it begins on the host: no
 * other window holds its host time before its first device work, unless that was queued.
 * Annotated steps of which less than a tenth is in the windows are the windows, also without
 * `steady`. Without steps, if nothing remains, or if less than a tenth of the device's time remains
 * and less than a tenth of its rows or fewer than five steps behind a first one that is set apart,
 * a device's window reaches from its first to its last event; the last case sets `sliver`. If
 * `steady`, such a window does without the first collective if it lasts 10 ms and more than five
 * times as long as any later one: it waits for ranks whose profilers start later; sets
 * `first_wait_ns`.
 */
void weir_steady_windows(struct weir_steps *steps, const struct weir_timeline *timeline,
                         bool steady);

#endif
