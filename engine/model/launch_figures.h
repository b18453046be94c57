/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Launches of device work and their delays: names behind idle time, depth of the queue, launch
 * calls, waits of the launching threads. NAN is unknown.
 */
#ifndef WEIR_MODEL_LAUNCH_FIGURES_H
#define WEIR_MODEL_LAUNCH_FIGURES_H

#include <stddef.h>
#include <stdint.h>

#include "engine/model/bound.h"

#define WEIR_MAX_IDLE_NAMES  5  /* names listed for one cause */
#define WEIR_MAX_LAUNCH_ROWS 32 /* less frequent kinds of launches are left out */

/* A call, operator or frame of the launching thread during idle time, or the work that it waited
 * for. */
struct weir_idle_name {
	const char *name; /* NULL: the trace names none */
	const char *in;   /* the operator or frame around it; NULL: none */
	uint64_t count;   /* number of idle intervals */
	double share;     /* share of the analysed device time */
};

struct weir_idle_cause {
	struct weir_idle_name names[WEIR_MAX_IDLE_NAMES]; /* by share, largest first */
	size_t name_count;
	int64_t total_ns; /* idle time with this cause, sum over devices */
};

/* Depth of a queue: submitted work that waits or runs, weighted by time, sum over devices; NAN if
 * no work is linked to its launch. */
struct weir_depth {
	double mean, p50, p95, max;
};

struct weir_queue_figures {
	struct weir_depth waiting, in_flight;
	/* Share of the idle time with an empty queue: the host was late. NAN: never idle. */
	double starved_share;
	/*
	 * Launch calls that took at least ten times the median of their name while the queue held
	 * at least 90 % of its observed maximum: they waited for room. The limit of the queue is
	 * inferred, since it depends on the driver.
	 */
	uint64_t launches, full_launches;
};

/* Nanoseconds; NAN without samples. Negative values are kept: they come from clocks and early
 * starts. */
struct weir_delay_figures {
	double p50_ns, p90_ns, p99_ns, max_ns;
};

/* Launches of one class of work by one call, without graph replays. */
struct weir_launch_row {
	const char *api, *work; /* "cudaLaunchKernel"; the family of a kernel, "copy" or "set" */
	uint64_t count;
	uint64_t early;                 /* works that start before their call returns */
	struct weir_delay_figures call; /* duration of the call */
	struct weir_delay_figures
		delay; /* launch latency: from the return of the call to the start of the work */
	struct weir_delay_figures queue; /* from the return of the call, or the end of the previous
	                                    work on the stream, to the start */
};

/* Waits of the launching threads, as shares of the analysed time. */
struct weir_host_waits {
	double sync_share;        /* any thread waits for a device in a synchronising call */
	double launch_call_share; /* time in launch calls, sum over threads, over device busy time
	                           */
	uint64_t syncs, blocking_copies;
	uint64_t
		scalar_reads; /* copies of less than 64 bytes to the host that a thread waits for */
};

#endif
