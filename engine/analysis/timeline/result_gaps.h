/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds idle time without events that may be work on results: the gap begins behind a large copy to
 * the host, and array code that records nothing (NumPy) could pass over the copied bytes in that
 * time. Waiting for the next request looks the same if it is as short, so that the time stays
 * without a cause.
 */
#ifndef WEIR_ANALYSIS_TIMELINE_RESULT_GAPS_H
#define WEIR_ANALYSIS_TIMELINE_RESULT_GAPS_H

#include <stdint.h>

#include "engine/analysis/timeline/segment_list.h"
#include "engine/analysis/timeline/timeline.h"

/* Smaller results are processed at once. */
#define WEIR_RESULT_LEAST_BYTES 1048576
/* Bytes/s at which one thread sorts, the slowest pass over an array: a longer gap is no pass. */
#define WEIR_RESULT_SLOWEST_PASS 0.1e9

struct weir_result_gaps {
	int64_t no_work_ns; /* idle time in which the launching thread did nothing */
	int64_t behind_ns;  /* the part of it behind results */
	uint64_t count;     /* gaps behind results */
};

/* Adds the gaps of a rank. segments: sorted by device, then by time. */
void weir_result_gaps_find(const struct weir_timeline *timeline,
                           const struct weir_segments *segments, struct weir_result_gaps *out);

#endif
