/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cuts the analysed time of each device into segments that each have one owner: a row of device
 * work, or a cause of idle time. The segments of a device are disjoint, sorted, and cover its
 * windows exactly; every share in the report is a sum over them. If work overlaps, computation
 * takes the time before communication, and communication before copies, so that segments of
 * communication and copies are exposed time. Within a class, a row owns its time to its end; then
 * the row that began meanwhile and ends last takes over.
 */
#ifndef WEIR_ANALYSIS_TIMELINE_SEGMENTS_H
#define WEIR_ANALYSIS_TIMELINE_SEGMENTS_H

#include "engine/analysis/timeline/segment_list.h"
#include "engine/analysis/timeline/steps.h"
#include "engine/analysis/timeline/timeline.h"

struct weir_host_activity;

/* Needs the complete activity of the host, see host_activity.h. */
void weir_segments_init(struct weir_segments *segments, const struct weir_timeline *timeline,
                        const struct weir_steps *steps, struct weir_host_activity *activity);

#endif
