/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Explains why a device was idle. For a gap [a, b) before a device row that the host call L
 * launched:
 *
 * - L unknown: `unlinked`, or `inter_kernel` if the gap is short
 * - L starts after a: the launch was late. The activity of the launching thread explains [a, L)
 *   (engine/analysis/timeline/host_activity.h); [L, b) is launch latency, or loading during a cold
 *   call (cold_start.h). A launch that waits for a collective on the host is not late:
 *   `dependency_comm`
 * - a launch latency or a blocking call above WEIR_UNRECORDED_NS, while no device of the trace
 *   works: `unrecorded`
 * - L ends shortly before a: launch latency, if the gap is longer than the device's own gaps
 * - L ends before that: work was queued. `inter_kernel` up to WEIR_INTER_KERNEL_NS; else
 *   `dependency` if a call let the stream wait or another device's work ended just before b
 *   (`dependency_comm`: a collective); else `other`. Other streams of the same device were idle,
 *   too
 *
 * Profiler overhead and driver-side loading have separate rows and are cut out of the launching
 * thread's time. The order of the tests and the limits follow the idle analysis of trace viewers;
 * here each nanosecond has exactly one cause.
 */
#ifndef WEIR_ANALYSIS_TIMELINE_IDLE_H
#define WEIR_ANALYSIS_TIMELINE_IDLE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/analysis/timeline/segment_list.h"
#include "engine/analysis/timeline/steps.h"
#include "engine/analysis/timeline/timeline.h"

/* Gaps of the device itself between two queued kernels are shorter. */
#define WEIR_INTER_KERNEL_NS 10000
/* No launch needs so long to start its work on an idle device, and no synchronisation to return
 * from one: two orders of magnitude more than usual. The device works on something that is not in
 * the trace. */
#define WEIR_UNRECORDED_NS 1000000
/* Work that ended at most this long before a start may have delayed it. */
#define WEIR_DEPENDENCY_NS 5000

struct weir_host_activity;
struct weir_idle_finder;

/* Borrows the timeline, the steps, the complete activity and the names. Free with
 * weir_idle_finder_free(). */
struct weir_idle_finder *weir_idle_finder_new(const struct weir_timeline *timeline,
                                              const struct weir_steps *steps,
                                              struct weir_host_activity *activity,
                                              struct weir_idle_names *names);
void weir_idle_finder_free(struct weir_idle_finder *finder);
/* Computes what finders of parts only read: the activity of threads that launch work. */
void weir_idle_finder_prepare(struct weir_idle_finder *finder);
/* Returns a finder for some of the gaps, which another thread may use. Borrows the prepared finder
 * and the names. */
struct weir_idle_finder *weir_idle_finder_part(const struct weir_idle_finder *whole,
                                               struct weir_idle_names *names);
/* Returns the number of pieces into which late gaps may still be cut; gaps beyond it stay
 * unexplained. */
size_t weir_idle_finder_left(const struct weir_idle_finder *finder);

/* Pushes segments that cover [start, end) exactly, and counts their names. Gaps of one device must
 * come in order of time. */
void weir_idle_explain(struct weir_idle_finder *finder, uint16_t device, int64_t start_ns,
                       int64_t end_ns, struct weir_segments *out);

/* Returns the span in which a device row was launched; WEIR_NONE: in none. */
uint32_t weir_idle_span_of_row(const struct weir_idle_finder *finder, uint32_t row);

/* Returns true if a compiler launched the row, as far as the trace shows. */
bool weir_idle_row_is_compilers(const struct weir_idle_finder *finder, uint32_t row);

#endif
