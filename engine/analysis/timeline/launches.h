/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How work reaches the devices of one trace: calls that launch it, how long they take, how long
 * work then waits, and how often the launching threads wait for a device. A kernel and a launch
 * belong to the windows when they start in them, a wait when it has any time in them. Windows are
 * those of all devices.
 */
#ifndef WEIR_ANALYSIS_LAUNCHES_H
#define WEIR_ANALYSIS_LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/model/report.h"

/* Nanoseconds; NAN without samples. Negative values are kept: clocks and early starts make them. */
struct weir_delay {
	struct weir_launch_quantiles quantiles;
	uint64_t count, negative;
};

struct weir_launch_figures {
	uint64_t kernels;        /* executed */
	uint64_t launches;       /* calls with device work of any kind; a graph's launch is one */
	uint64_t graph_launches; /* calls that replay a graph */
	double kernel_p50_ns;    /* duration; NAN without kernels */

	/* Of linked kernels that no graph replayed. */
	struct weir_delay api; /* the call itself */
	struct weir_delay raw; /* from the call's return to the kernel's start */
	struct weir_delay
		queue; /* from the return, or the end of the work before it on the stream */
	struct weir_delay
		unqueued; /* raw, of kernels whose stream was empty when the call returned */

	double graph_share;       /* of device busy time, in graph replays; NAN: never busy */
	double launch_call_share; /* time in launch calls (threads added) over device busy time */

	/* Of the threads that launch. */
	uint64_t syncs, blocking_copies; /* calls that wait for a device */
	int64_t wait_thread_ns;          /* time in them: the union of each thread, added */
	int64_t wait_ns;                 /* the union over threads: at most the windows */
	uint64_t scalar_reads; /* copies of less than 64 bytes to the host and the wait for them */
};

/* How one piece of device work was launched. */
struct weir_launch_delay {
	int64_t call_ns;  /* the call itself */
	int64_t raw_ns;   /* from its return to the start of the work; negative where it begins
	                     earlier */
	int64_t queue_ns; /* the same, but not before the work ahead on the stream ended */
	bool unqueued;    /* the stream was empty when the call returned */
};

/* stream_end_ns: when the work before it on its stream ended; INT64_MIN: there was none. False for
 * work whose launch is unknown, or that a graph replayed. */
bool weir_launch_delay_of(const struct weir_timeline *timeline, size_t row, int64_t stream_end_ns,
                          struct weir_launch_delay *out);

/* Per device row the latest end of the rows before it on its stream; INT64_MIN: none. The caller
 * frees it. */
int64_t *weir_stream_ends(const struct weir_trace *trace);

/* Windows are united. */
void weir_launches_measure(const struct weir_timeline *timeline,
                           const struct weir_intervals *windows, struct weir_launch_figures *out);

#endif
