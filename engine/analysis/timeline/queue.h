/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures how much submitted work waits for the devices of a trace. Work enters its device's queue
 * at the start of its launch call and leaves it at its start (waiting) or end (in flight). The
 * launch of a graph enters all its work at once. Work whose launch is not in the trace is left out.
 */
#ifndef WEIR_ANALYSIS_TIMELINE_QUEUE_H
#define WEIR_ANALYSIS_TIMELINE_QUEUE_H

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/model/launch_figures.h"

/* Windows are united. */
void weir_queue_measure(const struct weir_timeline *timeline, const struct weir_intervals *windows,
                        struct weir_queue_figures *out);

#endif
