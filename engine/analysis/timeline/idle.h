/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why a device was idle. For a gap [a, b) before the device row n, launched by the host call L:
 *
 * - L unknown: `unlinked`, or `inter_kernel` where the gap is short
 * - L starts after a: the launch was late. [a, L) is explained by what the launching thread did
 *   (engine/analysis/timeline/story.h), [L, b) is launch latency
 * - L ends about at a: the call had just been made. Launch latency, where the gap is longer than
 *   the device's own
 * - L ends before a: work was queued. `inter_kernel` up to WEIR_INTER_KERNEL_NS; else `dependency`
 *   where another device's work ended just before b (`dependency_comm`: a collective); else
 *   `other`. Other streams of the same device did nothing either: the gap is the device's
 *
 * Profiler overhead and driver-side loading are recorded on a track of their own and cut out of the
 * launching thread's time. The order and the limits follow the idle analysis of trace viewers, made
 * exact: each nanosecond has one cause.
 */
#ifndef WEIR_ANALYSIS_IDLE_H
#define WEIR_ANALYSIS_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/analysis/timeline/idle_names.h"
#include "engine/analysis/timeline/segments.h"
#include "engine/analysis/timeline/steps.h"
#include "engine/analysis/timeline/timeline.h"

#define WEIR_INTER_KERNEL_NS                                                                       \
	10000                   /* the device's own gap between two queued kernels is shorter      \
	                         */
#define WEIR_DEPENDENCY_NS 5000 /* what ended this shortly before a start may have held it back */

struct weir_idle_finder; /* borrows the timeline, the steps and the names */

struct weir_idle_finder *weir_idle_finder_new(const struct weir_timeline *timeline,
                                              const struct weir_steps *steps,
                                              struct weir_idle_names *names);
void weir_idle_finder_free(struct weir_idle_finder *finder);

/* Pushes segments that cover [start, end) exactly, and adds to the names. Gaps of one device come
 * in order of time. */
void weir_idle_explain(struct weir_idle_finder *finder, uint16_t device, int64_t start_ns,
                       int64_t end_ns, struct weir_segments *out);

/* The span in which a device row was launched; WEIR_NONE: none. */
uint32_t weir_idle_span_of_row(const struct weir_idle_finder *finder, uint32_t row);

/* Whether a compiler launched the row, as far as the trace tells. */
bool weir_idle_row_is_compilers(const struct weir_idle_finder *finder, uint32_t row);

#endif
