/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often and how long host threads were inside driver and runtime calls of some classes. */
#ifndef WEIR_ANALYSIS_CALLS_H
#define WEIR_ANALYSIS_CALLS_H

#include <stdint.h>

#include "engine/analysis/names/apis.h"
#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/timeline.h"

#define WEIR_API_BIT(class) (1u << (class))

#define WEIR_API_LAUNCHES (WEIR_API_BIT(WEIR_API_LAUNCH) | WEIR_API_BIT(WEIR_API_GRAPH_LAUNCH))
#define WEIR_API_WAITS    (WEIR_API_BIT(WEIR_API_SYNC) | WEIR_API_BIT(WEIR_API_COPY_BLOCKING))
/* Each call of these puts work on a device. */
#define WEIR_API_STARTS_WORK                                                                       \
	(WEIR_API_LAUNCHES | WEIR_API_BIT(WEIR_API_COPY_BLOCKING) |                                \
	 WEIR_API_BIT(WEIR_API_COPY_ASYNC) | WEIR_API_BIT(WEIR_API_SET))

struct weir_call_time {
	uint64_t count[WEIR_API_CLASS_COUNT]; /* calls with any time inside the windows */
	int64_t thread_ns; /* the union of each thread inside the windows, threads added */
	int64_t any_ns;    /* the union over all threads: at most the windows */
};

/*
 * Calls of the classes in the set of WEIR_API_BITs; nested calls count their time once. threads
 * holds one byte a thread, 0: leave it out; NULL: every thread. Windows are united.
 */
void weir_call_time_measure(const struct weir_timeline *timeline,
                            const struct weir_intervals *windows, unsigned classes,
                            const uint8_t *threads, struct weir_call_time *out);

/*
 * One byte a thread: it made a call that started work on a device. Where no work is linked to any
 * call, every thread may have. free() it.
 */
uint8_t *weir_launching_threads(const struct weir_trace *trace);

#endif
