/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the host time of a cold start in a trace: calls that load device code or set up a context
 * although their names say something else, operators whose libraries set themselves up or try
 * kernels, the capture of graphs, and silences in which the program compiles its own kernels.
 *
 * The first launch of a kernel loads its module if loading is lazy (the default since CUDA 11.7,
 * and in HIP), and the first call of any kind creates the context. Such a call takes milliseconds
 * where the usual launch takes microseconds. A launch also takes long while the queue of the device
 * is full, but then the device is busy: ask about instants at which it is idle.
 *
 * The first call of an operator may load a library, create its handle or time several kernels, and
 * few of the calls that it makes meanwhile are recorded. It then takes a hundred times as long as
 * later calls.
 */
#ifndef WEIR_ANALYSIS_TIMELINE_COLD_START_H
#define WEIR_ANALYSIS_TIMELINE_COLD_START_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/timeline.h"

/* A call is cold if it takes this many times the median launch call of the trace... */
#define WEIR_COLD_FACTOR 100
/* ...and at least this long, below which a thread may just have been descheduled. */
#define WEIR_COLD_LEAST_NS 1000000
/* With fewer launches the least length above decides: most of them may be cold, so that their
 * median is not the usual launch of 10 us, and so few cannot fill the queue. */
#define WEIR_COLD_FEW 10
/* Any call of at least this length is cold even if the median is long: most launches may be cold.
 */
#define WEIR_COLD_MOST_NS 20000000
/* An operator that starts device work is cold if its own time, without that of calls and operators
 * inside it, takes WEIR_COLD_FACTOR times as long as a short call of the operator, the first
 * quartile, and WEIR_COLD_LEAST_NS. It must have this many calls on any thread... */
#define WEIR_COLD_CALLS 2
/* ...and be one of its first: this share of the calls of its thread up to it was cold. A thread
 * that is descheduled delays calls at any place... */
#define WEIR_COLD_OF_FIRST 0.25
/* ...or belong to an operator that sets itself up again and again, as for each new shape: it has
 * this number of long calls, or that number of calls of WEIR_COLD_MOST_NS, which a thread that is
 * descheduled hardly loses three times in one operator; and this share of the time that all
 * operators spend in long calls which are not among the first. */
#define WEIR_COLD_AGAIN       4
#define WEIR_COLD_AGAIN_LONG  3
#define WEIR_COLD_AGAIN_SHARE 0.75

/* A compiler inside the process, such as Triton's, leaves no row. It shows by a silence of the
 * launching thread that ends with a launch outside all operators, through the driver, of code that
 * the driver has just loaded. Most time between the load and the launch (0.2 ms measured): */
#define WEIR_JUST_IN_TIME_LOAD_NS 1000000
/* Least length of the silence. 140 to 420 ms were measured for a variant of a Triton kernel; a
 * shorter silence may prepare arguments. */
#define WEIR_JUST_IN_TIME_LEAST_NS 10000000

struct weir_cold_start {
	uint8_t *cold; /* per host row: 1 for a cold call or operator */
	/* Per thread: time in which it captures a graph or compiles a kernel. */
	struct weir_intervals *builds;
	size_t thread_count;
};

/* Release with weir_cold_start_release(). */
void weir_cold_start_init(struct weir_cold_start *out, const struct weir_timeline *timeline);
void weir_cold_start_release(struct weir_cold_start *cold);

#endif
