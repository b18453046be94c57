/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures how much submitted work waits for the devices of a trace. Work enters its device's queue
 * at the start of its launch call and leaves it at its start (waiting) or end (in flight). The
 * launch of a graph enters all its work at once. Work whose launch is not in the trace is left out.
 */
#ifndef WEIR_ANALYSIS_TIMELINE_QUEUE_H
#define WEIR_ANALYSIS_TIMELINE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/model/launch_figures.h"
#include "engine/model/pictures.h"

/* Sums over parts of the time, for the first device with linked work. {0} is empty. */
struct weir_queue_parts {
	int64_t from_ns, to_ns;
	int64_t device; /* id */
	int64_t analysed_ns[WEIR_QUEUE_BINS];
	int64_t in_flight_ns[WEIR_QUEUE_BINS]; /* time in which any work waits or runs */
	double waiting[WEIR_QUEUE_BINS];       /* number of waiting works times ns */
	size_t most[WEIR_QUEUE_BINS];
	bool known;
};

/* Windows are united. */
void weir_queue_measure(const struct weir_timeline *timeline, const struct weir_intervals *windows,
                        struct weir_queue_figures *out, struct weir_queue_parts *parts);

#endif
