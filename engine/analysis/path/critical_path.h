/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The critical path of the analysed time: from the end of a window back to its start, always along
 * the edge that held the next thing up, so that each nanosecond has one holder.
 *
 *   start of device work   what it waits for on its stream by records, and ran last (dependency);
 *                          else its launch call, where the stream was empty by then; else the work
 *                          before it on its stream. All work of a replay hangs off one launch, and
 *                          what ran last of the same replay goes before its stream
 *   device work            to its start. A collective that waits for another rank: to the start of
 *                          the last member, on that member's rank
 *   host                   what the thread did, innermost row first, back from the launch. A wait
 *                          for the device weighs nothing: from its return to the end of the last
 *                          work that it waited for, by the record of it or, without one, the last
 *                          that was launched before it. A thread that does nothing was given its
 *                          work by the main thread
 *
 * An edge leads back to what ended last, so where no piece is idle no chain of events is longer:
 * it has the length of the window. Without records of synchronisation what was waited for is a
 * guess by time, and the path is called approximate; so are, of queued work that starts more than
 * WEIR_INTER_KERNEL_NS behind the work on its stream, dependencies on what ended within
 * WEIR_DEPENDENCY_NS before it.
 *
 * The path is that of the device with the longest windows; sums are exact. Linear in events and
 * edges, but for the sorting of indices.
 */
#ifndef WEIR_ANALYSIS_CRITICAL_PATH_H
#define WEIR_ANALYSIS_CRITICAL_PATH_H

#include "engine/analysis/rows/analysis_impl.h"
#include "engine/model/critical_path.h"

/* A stretch of the path that one thing holds. */
struct weir_path_piece {
	int64_t start_ns, end_ns; /* on the clock of the path's rank */
	uint32_t rank;            /* on which it happened: index */
	uint32_t name;            /* name id of that rank's trace; 0: none */
	uint32_t span;            /* of that rank's steps; WEIR_NONE: outside of the stages */
	uint8_t kind;             /* enum weir_path_kind */
};

/* {0} is empty; release with weir_path_release(). Pieces are in order of time, disjoint, and cover
 * the windows of the device exactly. */
struct weir_path {
	struct weir_path_piece *pieces;
	size_t count, capacity;
	uint32_t rank;   /* whose windows; WEIR_NONE: no device has any */
	uint16_t device; /* row of that trace's devices */
	int64_t span_ns;
	bool approximate;
};

void weir_path_find(const struct weir_analysis *analysis, struct weir_path *path);
void weir_path_release(struct weir_path *path);

/* What holds the piece: the operator (of device work: that launched it), call or kernel; NULL:
 * nothing has a name. Borrowed from the trace. */
const char *weir_path_piece_name(const struct weir_analysis *analysis,
                                 const struct weir_path_piece *piece);

/* Fills report->critical_path from a path; nothing where no device has windows. */
void weir_fill_critical_path(const struct weir_analysis *analysis,
                             const struct weir_stage_merges *merges, const struct weir_path *path,
                             struct weir_report *report);

#endif
