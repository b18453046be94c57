/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much submitted work waited for the devices of a trace. Work enters the queue of its device
 * when its launch call starts and leaves it when it starts (waiting) or ends (in flight); a graph's
 * launch enters all its work at once. Work without a launch in the trace has no known entry and is
 * left out.
 */
#ifndef WEIR_ANALYSIS_QUEUE_H
#define WEIR_ANALYSIS_QUEUE_H

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/model/launching.h"

/* Windows are united. */
void weir_queue_measure(const struct weir_timeline *timeline, const struct weir_intervals *windows,
                        struct weir_queue_figures *out);

#endif
