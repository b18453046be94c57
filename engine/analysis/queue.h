/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much submitted work waited for the devices of a trace. Work enters the queue of its device
 * when its launch call starts and leaves it when it starts (waiting) or ends (in flight); a graph's
 * launch enters all its work at once. Work without a launch in the trace has no known entry and is
 * left out.
 */
#ifndef WEIR_ANALYSIS_QUEUE_H
#define WEIR_ANALYSIS_QUEUE_H

#include <stdint.h>

#include "engine/analysis/intervals.h"
#include "engine/analysis/timeline.h"

/* Weighted by time over the windows, devices added; NAN where no work is linked. */
struct weir_depth {
	double mean, p50, p95, max;
};

struct weir_queue_figures {
	struct weir_depth waiting, in_flight;
	/* Of the devices' idle time, with nothing submitted: the host was late. NAN: never idle. */
	double starved_share;
	/*
	 * Launch calls that took ten times the median of their name or longer while the queue held
	 * 90 % of the most it ever held: they waited for room. The limit is the driver's and not
	 * assumed.
	 */
	uint64_t launches, full_launches;
};

/* Windows are united. */
void weir_queue_measure(const struct weir_timeline *timeline, const struct weir_intervals *windows,
                        struct weir_queue_figures *out);

#endif
