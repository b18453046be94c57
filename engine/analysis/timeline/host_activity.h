/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classifies each instant of a host thread, to explain why its next launch was late. The innermost
 * host row decides, together with the rows around it:
 *
 * - a driver or runtime call: synchronisation, allocation, loading; any other call is dispatch
 * - inside a data loader, a compiler, Python's garbage collector or a collective on the host:
 * input, loading, garbage collection, waiting for the collective
 * - a system call is a part of its caller; one that reads a file is input, one that waits counts as
 *   a frame that waits
 * - a frame that waits: no work. Inside a stage that this thread has opened, another thread works
 *   for that stage: Python
 * - an operator: dispatch; host work if it lasts WEIR_HOST_OPERATOR_NS and never touches a device
 * - a Python frame or annotated range: Python
 * - no row: no work; Python if the thread's system calls are recorded, since it then runs user code
 *
 * A second pass looks at each stretch without operators and driver calls. If it lasts
 * WEIR_HOST_WORK_NS, its Python is host work; if it is shorter, its "no work" is Python, since no
 * thread sleeps and wakes that fast for new work. A third pass finds waits for collectives of other
 * threads (collective_waits.h), silences that are likely waits for Python's interpreter lock
 * (lock_waits.h), and silent pauses that are likely garbage collection (pauses.h).
 */
#ifndef WEIR_ANALYSIS_TIMELINE_HOST_ACTIVITY_H
#define WEIR_ANALYSIS_TIMELINE_HOST_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/timeline/leaves.h"
#include "engine/analysis/timeline/steps.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/model/bound.h"

/* Framework code between two operators takes less, even under the profiler. */
#define WEIR_HOST_WORK_NS 200000
/* Shorter operators on host tensors are not worth a name. */
#define WEIR_HOST_OPERATOR_NS 100000

struct weir_thread_activity {
	struct weir_leaves leaves;
	uint8_t *idle; /* per leaf: the enum weir_idle of a device that waits meanwhile */
};

struct weir_host_activity;

/* Returns an activity that weir_host_activity_search() must complete. Borrows the timeline and the
 * steps. Free with weir_host_activity_free(). */
struct weir_host_activity *weir_host_activity_new(const struct weir_timeline *timeline,
                                                  const struct weir_steps *steps);
/* Completes one part of the activity. Call it once for each index below WEIR_HOST_SEARCHES; calls
 * may run in parallel. */
#define WEIR_HOST_SEARCHES 4
void weir_host_activity_search(struct weir_host_activity *activity, size_t index);
void weir_host_activity_free(struct weir_host_activity *activity);
/* Moves the leaves of the threads that launch work to `leaves`, which has one empty list per
 * thread; afterwards the activity may only be freed. */
void weir_host_activity_take_leaves(struct weir_host_activity *activity,
                                    struct weir_leaves *leaves);

/* Returns the activity of one thread, computed on first use and owned by `activity`. */
const struct weir_thread_activity *weir_host_activity_of_thread(struct weir_host_activity *activity,
                                                                uint32_t thread);

/* Returns true if the host row lies inside a compiler, which tries kernels or folds constants. */
bool weir_host_activity_compiles(const struct weir_host_activity *activity, uint32_t row);

/* Returns the interval in which some thread compiles at at_ns, or the next one; false: no thread
 * compiles later. */
bool weir_host_activity_compilation(const struct weir_host_activity *activity, int64_t at_ns,
                                    struct weir_interval *out);

/* Returns true if the call loads code or sets up a context, by its length: cold_start.h. */
bool weir_host_activity_is_cold(const struct weir_host_activity *activity, uint32_t row);

/* Name ids of a host row and of what it is a part of; 0: no name. */
struct weir_activity_label {
	uint32_t name, in;
};

/* Returns the names under which idle time during a leaf is listed. row: WEIR_NONE gives {0, 0}. */
struct weir_activity_label weir_host_activity_label(const struct weir_host_activity *activity,
                                                    uint32_t row);

#endif
