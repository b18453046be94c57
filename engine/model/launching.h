/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How work reaches the devices and what keeps them waiting: names behind idle time, depth of the
 * queue, launch calls, waits of the launching threads. NAN is unknown.
 */
#ifndef WEIR_MODEL_LAUNCHING_H
#define WEIR_MODEL_LAUNCHING_H

#include <stddef.h>
#include <stdint.h>

#include "engine/model/bound.h"

#define WEIR_MAX_IDLE_NAMES 5 /* of one cause that are listed */
#define WEIR_MAX_LAUNCH_ROWS                                                                       \
	32 /* kinds of launches beyond the most frequent so many are left out */

/* A call, operator or frame of the launching thread that idle time passed in, or the work that was
 * waited for. */
struct weir_idle_name {
	const char *name; /* NULL: the trace names nothing */
	const char *in;   /* the operator or frame around it; NULL: none */
	uint64_t count;   /* stretches of idle time */
	double share;     /* of the analysed device time */
};

struct weir_idle_cause {
	struct weir_idle_name names[WEIR_MAX_IDLE_NAMES]; /* by share, the largest first */
	size_t name_count;
	int64_t total_ns; /* idle time of the cause, devices added */
};

/* Submitted work that waits or runs, weighted by time, devices added; NAN where no work is linked.
 */
struct weir_depth {
	double mean, p50, p95, max;
};

struct weir_queue_figures {
	struct weir_depth waiting, in_flight;
	/* Of the devices' idle time, with nothing submitted: the host was late. NAN: never idle. */
	double starved_share;
	/*
	 * Launch calls that took ten times the median of their name or longer while the queue held
	 * 90 % of the most it ever held: they waited for room. The limit is the driver's and not
	 * assumed.
	 */
	uint64_t launches, full_launches;
};

/* Nanoseconds; NAN without samples. Negative values are kept: clocks and early starts make them. */
struct weir_delay_figures {
	double p50_ns, p90_ns, p99_ns, max_ns;
};

/* Launches of one class of work by one call, none of them replayed from a graph. */
struct weir_launch_row {
	const char *api, *work; /* "cudaLaunchKernel"; a kernel's family, "copy" or "set" */
	uint64_t count;
	uint64_t early;                  /* work that starts before its call returns */
	struct weir_delay_figures call;  /* the call itself */
	struct weir_delay_figures delay; /* from its return to the start of the work */
	struct weir_delay_figures queue; /* from its return, or the end of the work before it on the
	                                    stream, to the start */
};

/* What the launching threads wait for; shares of the analysed time. */
struct weir_host_waits {
	double sync_share;        /* any thread waits for a device, in a call that says so */
	double launch_call_share; /* time in launch calls, threads added, over device busy time */
	uint64_t syncs, blocking_copies;
	uint64_t scalar_reads; /* copies of less than 64 bytes to the host and the wait for them */
};

#endif
