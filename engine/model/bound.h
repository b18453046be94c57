/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bounds of a verdict and the causes of idle time: the vocabulary of rules, attribution and
 * reports. */
#ifndef WEIR_MODEL_BOUND_H
#define WEIR_MODEL_BOUND_H

#include "engine/base/enums.h"

enum weir_bound {
	WEIR_BOUND_BATCHING,
	WEIR_BOUND_RUNTIME,
	WEIR_BOUND_KERNEL,
	WEIR_BOUND_MEMORY,
	WEIR_BOUND_COMMUNICATION,
	WEIR_BOUND_HARDWARE,
	WEIR_BOUND_UNDETERMINED, /* in an attribution: unattributed time */
	WEIR_BOUND_COUNT
};

/* Causes of idle device time; engine/analysis/timeline/idle.h defines them. */
enum weir_idle {
	WEIR_IDLE_DISPATCH,  /* framework overhead: the launching thread was inside an operator or a
	                        launch call */
	WEIR_IDLE_PYTHON,    /* a short stretch of the program's own code between two operators */
	WEIR_IDLE_HOST_WORK, /* a long stretch of host code: tokenization, parsing, operators on
	                        host tensors */
	WEIR_IDLE_INPUT,     /* a data loader */
	WEIR_IDLE_HOST_SYNC, /* the launching thread waited for the device */
	WEIR_IDLE_ALLOCATOR, /* cudaMalloc, cudaFree and similar calls */
	WEIR_IDLE_COMPILE_LOAD,   /* module loading, compilation */
	WEIR_IDLE_GARBAGE,        /* Python's garbage collection, recorded */
	WEIR_IDLE_LIKELY_GARBAGE, /* the same, conjectured from silent pauses */
	WEIR_IDLE_LOCK, /* Python's interpreter lock, which another thread holds, conjectured */
	WEIR_IDLE_BATCH_WINDOW, /* the program waits for a batch to fill, as a stage's name says */
	WEIR_IDLE_HOST_IDLE, /* the launching thread did nothing that the trace shows: there was no
	                        work */
	WEIR_IDLE_LAUNCH_LATENCY, /* time from the launch call to the start of its work */
	WEIR_IDLE_INTER_KERNEL, /* the device's own gap between two kernels while work was queued */
	WEIR_IDLE_DEPENDENCY,   /* queued work waited for another stream */
	WEIR_IDLE_DEPENDENCY_COMM, /* queued work waited for a collective, or the launching thread
	                              was in one that runs on the host, or waited for it */
	WEIR_IDLE_PROFILER,
	WEIR_IDLE_UNRECORDED, /* the host or the next work waited for device work that is not in
	                         the trace */
	WEIR_IDLE_UNLINKED,   /* the next work has no launch call in the trace */
	WEIR_IDLE_OTHER,
	WEIR_IDLE_COUNT
};

WEIR_ENUM_DECLARE(weir_bound); /* "runtime", "undetermined" */
WEIR_ENUM_DECLARE(weir_idle);  /* "host_sync" */

#endif
