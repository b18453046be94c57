/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures how work reaches the devices of one trace: launch calls, their duration, the launch
 * latency of their work, and the waits of the launching threads. A kernel or launch counts if it
 * starts in the windows, a wait if it has any time in them. The windows are the union over all
 * devices.
 */
#ifndef WEIR_ANALYSIS_TIMELINE_LAUNCHES_H
#define WEIR_ANALYSIS_TIMELINE_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/model/report.h"

/* Fewer launches do not show whether launch calls block. */
#define WEIR_BLOCKING_FEWEST 50

/* Nanoseconds; NAN without samples. Clock errors and early starts make negative values, which are
 * kept, except in `unqueued`. */
struct weir_delay {
	struct weir_launch_quantiles quantiles;
	uint64_t count, negative;
};

struct weir_launch_figures {
	uint64_t launches;       /* calls with device work of any kind; a graph's launch is one */
	uint64_t graph_launches; /* calls that replay a graph */
	/* Launch calls of the whole trace, and those without recorded work; 0 if no work of the
	 * trace is linked to a call. */
	uint64_t calls, unrecorded;
	/* Launch calls of single kernels in the whole trace, and those that returned when their
	 * kernel had ended. */
	uint64_t single, blocking;

	uint64_t kernels;     /* executed */
	double kernel_p50_ns; /* median duration; NAN without kernels */
	/* Delays of linked kernels that were not replayed from a graph. */
	struct weir_delay api;   /* duration of the call */
	struct weir_delay raw;   /* from the return of the call to the start of the kernel */
	struct weir_delay queue; /* the same, from the end of the previous work on the stream if
	                            that is later */
	/* The launch latency: raw, of kernels whose stream was empty when the call returned. A
	 * kernel that starts before its call returns has none: it counts as 0. */
	struct weir_delay unqueued;

	double graph_share;       /* share of device busy time in graph replays; NAN: never busy */
	double launch_call_share; /* time in launch calls (threads summed) over device busy time */

	/* Waits of the threads that launch work. */
	uint64_t syncs, blocking_copies; /* calls that wait for a device */
	int64_t wait_thread_ns;          /* time in them: union per thread, summed */
	int64_t wait_ns;                 /* the same, union over all threads: at most the windows */
	/* Copies of less than 64 bytes to the host that the host waits for. */
	uint64_t scalar_reads;
};

/* The launch of one piece of device work. */
struct weir_launch_delay {
	int64_t call_ns; /* duration of the call */
	/* From its return to the start of the work; negative if the work starts earlier. */
	int64_t raw_ns;
	int64_t queue_ns; /* the same, from the end of the previous work on the stream if that is
	                     later */
	bool unqueued;    /* the stream was empty when the call returned */
};

/* Computes the launch of one row. stream_end_ns: end of the previous work on its stream, INT64_MIN
 * if there was none. False: the launch is unknown, or a graph replayed the work. */
bool weir_launch_delay_of(const struct weir_timeline *timeline, size_t row, int64_t stream_end_ns,
                          struct weir_launch_delay *out);

/* Returns for every device row the latest end of the rows before it on its stream; INT64_MIN: it
 * is the first. The caller frees it. */
int64_t *weir_stream_ends(const struct weir_trace *trace);

/* Sets the number of kernels, their median and the delays; windows are united. */
void weir_launch_delays_measure(const struct weir_timeline *timeline,
                                const struct weir_intervals *windows,
                                struct weir_launch_figures *out);
/* Sets all other figures; windows are united. Both may run at the same time. */
void weir_launches_measure(const struct weir_timeline *timeline,
                           const struct weir_intervals *windows, struct weir_launch_figures *out);

#endif
