/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time of host threads in rows and in calls.
 *
 * The self time of a row is the part of it that no nested row and no earlier row beside it covers.
 * Rows that overlap without nesting, and children that outlive their parent, therefore do not count
 * an instant twice: the self times of a thread add up to the union of its rows, less the overhangs
 * of children (WEIR_OVERHANG_NS each).
 */
#ifndef WEIR_ANALYSIS_TIMELINE_HOST_TIME_H
#define WEIR_ANALYSIS_TIMELINE_HOST_TIME_H

#include <stdint.h>

#include "engine/analysis/names/apis.h"
#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/timeline.h"

struct weir_host_time {
	const struct weir_timeline *timeline; /* borrowed */
	int64_t *self_ns;                     /* per host row */
};

void weir_host_time_init(struct weir_host_time *times, const struct weir_timeline *timeline);
void weir_host_time_release(struct weir_host_time *times);

int64_t weir_host_time_total(const struct weir_host_time *times, uint32_t row);
int64_t weir_host_time_self(const struct weir_host_time *times, uint32_t row);

#define WEIR_API_BIT(class) (1u << (class))

#define WEIR_API_LAUNCHES (WEIR_API_BIT(WEIR_API_LAUNCH) | WEIR_API_BIT(WEIR_API_GRAPH_LAUNCH))
#define WEIR_API_WAITS    (WEIR_API_BIT(WEIR_API_SYNC) | WEIR_API_BIT(WEIR_API_COPY_BLOCKING))
/* Calls that put work on a device. */
#define WEIR_API_STARTS_WORK                                                                       \
	(WEIR_API_LAUNCHES | WEIR_API_BIT(WEIR_API_COPY_BLOCKING) |                                \
	 WEIR_API_BIT(WEIR_API_COPY_ASYNC) | WEIR_API_BIT(WEIR_API_SET))

struct weir_call_time {
	uint64_t count[WEIR_API_CLASS_COUNT]; /* calls with any time inside the windows */
	int64_t thread_ns; /* time in calls inside the windows: union per thread, summed */
	int64_t any_ns;    /* the same, union over all threads: at most the windows */
};

/* Measures the calls whose classes are in the set of WEIR_API_BITs; nested calls count their time
 * once. threads: one byte per thread, 0 leaves it out; NULL: all threads. windows: united. */
void weir_call_time_measure(const struct weir_timeline *timeline,
                            const struct weir_intervals *windows, unsigned classes,
                            const uint8_t *threads, struct weir_call_time *out);

/* Returns one byte per thread: 1 if it made a call that started work on a device. If no work is
 * linked to a call, all threads count. The caller frees it. */
uint8_t *weir_launching_threads(const struct weir_trace *trace);

#endif
