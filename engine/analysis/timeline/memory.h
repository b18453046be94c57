/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of the memory events and allocation calls of one trace. NAN is unknown throughout. */
#ifndef WEIR_ANALYSIS_TIMELINE_MEMORY_H
#define WEIR_ANALYSIS_TIMELINE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/model/memory_figures.h"

#define WEIR_SLOW_ALLOCATION_NS 1000000 /* 1 ms: the driver waits or maps fresh memory */
#define WEIR_MAX_MEMORY_DEVICES 64      /* further devices are left out */
#define WEIR_MAX_LEAK_STEPS     512     /* of more steps, this many at equal distances are used */

/* Calls of the driver that allocate or free, with any time inside the windows. A call inside
 * another one is a part of it. */
struct weir_allocator_time {
	bool known; /* the trace has calls of a driver or runtime */
	uint64_t calls, slow_calls;
	int64_t slow_ns;   /* in slow calls, threads summed */
	int64_t any_ns;    /* any launching thread is in one */
	int64_t window_ns; /* total length of the windows */
};

struct weir_memory_usage {
	/* Devices with totals in their memory events, largest peak first. */
	struct weir_memory_device devices[WEIR_MAX_MEMORY_DEVICES];
	size_t device_count;
	struct weir_allocator_time allocator;
};

/* Ends of the analysed steps in ascending order, and their indices among all steps. number: NULL
 * means 0, 1, 2 and so on. */
struct weir_step_ends {
	const int64_t *end_ns;
	const uint32_t *number;
	size_t count;
};

/*
 * Returns the growth per step of the memory that is allocated at step ends: the median slope over
 * all pairs of steps (P. K. Sen, Estimates of the regression coefficient based on Kendall's tau,
 * JASA 63, 1968). Memory that comes and goes does not count; a leak in every fourth step does. If
 * one change deviates from the median more than twice as much as any other, it is treated as a
 * single level shift and excluded, since a cache that fills is no leak. NAN for fewer than two
 * steps.
 */
double weir_memory_growth(const double *level, const uint32_t *number, size_t count);

/* Windows are united. */
void weir_memory_measure(const struct weir_timeline *timeline, const struct weir_intervals *windows,
                         const struct weir_step_ends *steps, struct weir_memory_usage *out);

#endif
