/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bounds of a verdict and the causes of idle time: the vocabulary of rules, attribution and
 * reports. */
#ifndef WEIR_MODEL_BOUND_H
#define WEIR_MODEL_BOUND_H

#include <stdbool.h>

enum weir_bound {
	WEIR_BOUND_BATCHING,
	WEIR_BOUND_RUNTIME,
	WEIR_BOUND_KERNEL,
	WEIR_BOUND_MEMORY,
	WEIR_BOUND_COMMUNICATION,
	WEIR_BOUND_HARDWARE,
	WEIR_BOUND_UNDETERMINED, /* in an attribution: unattributed */
	WEIR_BOUND_COUNT
};

/* Why a device was idle; the definitions are in engine/analysis/timeline/idle.h. */
enum weir_idle {
	WEIR_IDLE_DISPATCH, /* the launching thread was inside an operator or a launch call:
	                       framework overhead */
	WEIR_IDLE_PYTHON, /* between two operators, in the program's own code, for a short while */
	WEIR_IDLE_HOST_WORK,    /* a long stretch of host code: tokenization, parsing, operators on
	                           host tensors */
	WEIR_IDLE_INPUT,        /* a data loader */
	WEIR_IDLE_HOST_SYNC,    /* the launching thread waited for the device */
	WEIR_IDLE_ALLOCATOR,    /* cudaMalloc, cudaFree and their kin */
	WEIR_IDLE_COMPILE_LOAD, /* module loading, compilation */
	WEIR_IDLE_HOST_IDLE, /* the launching thread did nothing that the trace shows: no work was
	                        there */
	WEIR_IDLE_LAUNCH_LATENCY,  /* from the launch call to the start of its work */
	WEIR_IDLE_INTER_KERNEL,    /* work was queued: the device's own gap between two kernels */
	WEIR_IDLE_DEPENDENCY,      /* work was queued and waited for another stream */
	WEIR_IDLE_DEPENDENCY_COMM, /* the same, for a collective */
	WEIR_IDLE_PROFILER,
	WEIR_IDLE_UNLINKED, /* the next work has no launch in the trace */
	WEIR_IDLE_OTHER,
	WEIR_IDLE_COUNT
};

const char *weir_bound_name(enum weir_bound bound); /* "runtime"; UNDETERMINED: "undetermined" */
bool weir_bound_parse(const char *name, enum weir_bound *out);
const char *weir_idle_name(enum weir_idle idle); /* "host_sync" */

#endif
