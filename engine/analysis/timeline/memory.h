/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the memory events of one trace and its allocation calls say. NAN is unknown throughout. */
#ifndef WEIR_ANALYSIS_MEMORY_H
#define WEIR_ANALYSIS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/model/memory.h"

#define WEIR_SLOW_ALLOCATION_NS 1000000 /* 1 ms: the driver waited or mapped fresh memory */
#define WEIR_MAX_MEMORY_DEVICES 64      /* devices of further ids are left out */
#define WEIR_MAX_LEAK_STEPS     512     /* of more steps, so many at equal distances count */

/* Calls of the driver that allocate or free, with any time inside the windows. A call inside
 * another one is part of it. */
struct weir_allocator_time {
	bool known; /* the trace has calls of a driver or runtime */
	uint64_t calls, slow_calls;
	int64_t slow_ns;   /* in slow ones, threads added */
	int64_t any_ns;    /* any launching thread is in one */
	int64_t window_ns; /* the windows */
};

struct weir_memory_usage {
	/* Those with memory events that tell totals, the largest peak first. */
	struct weir_memory_device devices[WEIR_MAX_MEMORY_DEVICES];
	size_t device_count;
	struct weir_allocator_time allocator;
};

/* Ends of the analysed steps, ascending, and their places among all steps; number NULL: 0, 1, 2. */
struct weir_step_ends {
	const int64_t *end_ns;
	const uint32_t *number;
	size_t count;
};

/*
 * Growth for each step of what is allocated when steps end: the median slope of all pairs of steps
 * (P. K. Sen, Estimates of the regression coefficient based on Kendall's tau, JASA 63, 1968), so
 * that memory that comes and goes does not count, and a leak in every fourth step does. One step
 * that changes by more than twice as much as any other, from the median, is taken as a level that
 * shifts once: a cache that fills is no leak.
 */
double weir_memory_growth(const double *level, const uint32_t *number, size_t count);

/* Windows are united. */
void weir_memory_measure(const struct weir_timeline *timeline, const struct weir_intervals *windows,
                         const struct weir_step_ends *steps, struct weir_memory_usage *out);

#endif
