/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the critical path of the analysed time: walks from the end of a window back to its start,
 * always along the edge that delayed the next event, so that each nanosecond has one cause.
 *
 *   start of device work   the work on which it depends by synchronisation records, the last to
 *                          end (dependency); else its launch call if the stream was empty by then;
 *                          else the previous work on its stream. All work of a graph replay has
 *                          one launch, and the last work of the same replay counts before that of
 *                          the stream. Queued work that starts more than WEIR_INTER_KERNEL_NS after
 *                          that continues with work that holds its device meanwhile
 *   device work            continues at its start. A collective that waits for another rank
 *                          continues at the start of the last member, on that member's rank
 *   host                   the activity of the thread, innermost row first, back from the launch.
 *                          A wait for the device has no weight: the path jumps from its return to
 *                          the end of the last work that it waited for, as recorded or, without a
 *                          record, as launched last before it. An idle thread got its work from
 *                          the main thread
 *
 * An edge leads back to the event that ended last, so without idle pieces no chain of events is
 * longer than the path, which is as long as the window. Without synchronisation records,
 * dependencies are guessed from times, and the path is marked as approximate. If queued work starts
 * more than WEIR_INTER_KERNEL_NS after the previous work on its stream, a dependency on work that
 * ended within WEIR_DEPENDENCY_NS before it is also a guess.
 *
 * The path belongs to the device with the longest windows; sums are exact. Linear in events and
 * edges, apart from the sorting of indices.
 */
#ifndef WEIR_ANALYSIS_PATH_CRITICAL_PATH_H
#define WEIR_ANALYSIS_PATH_CRITICAL_PATH_H

#include "engine/analysis/path/path_sums.h"
#include "engine/analysis/whole/analysis.h"
#include "engine/model/critical_path.h"

/* {0} is empty; release with weir_path_release(). Pieces are in chronological order, disjoint, and
 * cover the windows of the device exactly; they are kept if the analysis wants details. */
struct weir_path {
	struct weir_path_sums sums; /* of all pieces */
	struct weir_path_piece *pieces;
	size_t count, capacity;
	uint32_t rank;   /* owner of the windows; WEIR_NONE: no device has any */
	uint16_t device; /* row of that trace's devices */
	int64_t span_ns;
	bool approximate;
};

/*
 * A search for the path in up to `parts` parts, which different threads may walk at a time. The
 * result does not depend on the number of parts: see the comment about them in critical_path.c.
 * Jobs of several ranks have one part. weir_path_search_end() frees the search.
 */
struct weir_path_search *weir_path_search_new(const struct weir_analysis *analysis, size_t parts);
size_t weir_path_search_parts(const struct weir_path_search *search); /* 0: there is no path */
void weir_path_search_walk(struct weir_path_search *search, size_t part);
void weir_path_search_end(struct weir_path_search *search, struct weir_path *path);
void weir_path_release(struct weir_path *path);

#endif
