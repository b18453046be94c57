/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The analysed time of one device, cut into stretches that each have one owner: a row of device
 * work, or a cause of being idle. The segments of a device are disjoint, sorted and cover its
 * windows exactly; every share of the report is a sum over them. Where work overlaps, computation
 * comes before communication and communication before copies, so that a segment of communication or
 * copying is exposed; within a class a row owns its time to its end, then the row that began
 * meanwhile and reaches furthest takes over.
 */
#ifndef WEIR_ANALYSIS_SEGMENTS_H
#define WEIR_ANALYSIS_SEGMENTS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/idle_names.h"
#include "engine/analysis/timeline/steps.h"
#include "engine/analysis/timeline/timeline.h"

#define WEIR_SEGMENT_AFTER_SYNC                                                                    \
	1u /* idle: the gap began while the launching thread waited for the device */
#define WEIR_SEGMENT_LATE 2u /* idle: a launch that came after the device ran dry */
#define WEIR_SEGMENT_BEFORE                                                                        \
	4u /* idle: before the middle of its step's device work, else behind it */

#define WEIR_SEGMENT_COMPILER 8u /* busy: a compiler launched it, to try kernels out */

struct weir_segment {
	int64_t start_ns, end_ns;
	uint32_t row;  /* device row that owns it; idle: the row that ends the gap, WEIR_NONE at the
	                  end of a window */
	uint32_t span; /* whose turn it was on the host (idle) or where the work was launched;
	                  WEIR_NONE */
	uint16_t device;
	uint8_t busy; /* 1: work, 0: idle */
	uint8_t work; /* busy: enum weir_work_class */
	uint8_t idle; /* idle: enum weir_idle */
	uint8_t flags;
};

struct weir_segments {
	struct weir_segment *items;
	size_t count, capacity;
	struct weir_idle_names idle_names; /* of the idle ones */
};

void weir_segments_init(struct weir_segments *segments, const struct weir_timeline *timeline,
                        const struct weir_steps *steps);
void weir_segments_release(struct weir_segments *segments);
/* Continues the last segment where only the time differs. */
void weir_segments_push(struct weir_segments *segments, const struct weir_segment *segment);

static inline int64_t weir_segment_ns(const struct weir_segment *segment)
{
	return weir_span_ns(segment->start_ns, segment->end_ns);
}

#endif
