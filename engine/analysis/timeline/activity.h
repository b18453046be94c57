/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures the busy time of one device by kind of work, in exact integer nanoseconds inside the
 * analysed windows. Work of several kinds at the same time counts in the union of each kind.
 * Exposed time is not hidden behind better work: computation ranks before communication before
 * copies, so that
 *
 *	compute + exposed communication + exposed copy + idle == window
 */
#ifndef WEIR_ANALYSIS_TIMELINE_ACTIVITY_H
#define WEIR_ANALYSIS_TIMELINE_ACTIVITY_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/time/intervals.h"
#include "engine/model/trace.h"

enum weir_work_class {
	WEIR_WORK_COMPUTE,
	WEIR_WORK_COMM, /* collectives and point-to-point transfers */
	WEIR_WORK_COPY, /* copies and memory sets */
	WEIR_WORK_COUNT
};

struct weir_activity {
	int64_t window_ns;
	int64_t active_ns, idle_ns;                    /* active: work of any kind */
	int64_t compute_ns, communication_ns, copy_ns; /* union of each kind */
	int64_t exposed_communication_ns;              /* without computation */
	int64_t exposed_copy_ns;                       /* without computation and communication */
	int64_t sum_ns;           /* sum of durations: more than active_ns if work overlaps */
	uint64_t rows;            /* rows with any time inside the windows */
	uint64_t stream_overlaps; /* rows that start before the previous row of their stream ends */
	double occupied_sm_ns;    /* sum of duration * min(1, blocks / SMs); NAN: not known */
};

/* Measures the rows [first, last), which must be all rows of one device in the order of the
 * columns. work: enum weir_work_class of every device row of the trace. windows: united. */
void weir_activity_measure(const struct weir_trace *trace, size_t first, size_t last,
                           const uint8_t *work, const struct weir_intervals *windows,
                           struct weir_activity *out);

#endif
