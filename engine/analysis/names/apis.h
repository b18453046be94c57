/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classifies driver, runtime and system calls by their effect on the calling thread and the device.
 * One table serves the CUDA runtime ("cudaMemcpyAsync"), the CUDA driver ("cuMemcpyHtoDAsync_v2")
 * and HIP ("hipMemcpyWithStream").
 */
#ifndef WEIR_ANALYSIS_NAMES_APIS_H
#define WEIR_ANALYSIS_NAMES_APIS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/names.h"

enum weir_api_class {
	WEIR_API_OTHER,         /* also names that are no driver or runtime call */
	WEIR_API_LAUNCH,        /* starts one kernel */
	WEIR_API_GRAPH_LAUNCH,  /* replays a graph */
	WEIR_API_SYNC,          /* the thread waits for a stream, a device, a context or an event */
	WEIR_API_COPY_BLOCKING, /* a copy that returns when it is done */
	WEIR_API_COPY_ASYNC,
	WEIR_API_SET,
	WEIR_API_ALLOC,       /* allocates, frees, maps or pins; may wait for the device */
	WEIR_API_ALLOC_ASYNC, /* stream-ordered, from a pool */
	WEIR_API_MODULE,      /* loads or links device code, or instantiates a graph */
	WEIR_API_CAPTURE,     /* records or builds a graph, or asks whether a stream is capturing */
	WEIR_API_CAPTURE_BEGIN, /* the stream records a graph from here on */
	WEIR_API_CAPTURE_END,
	WEIR_API_EVENT, /* records or creates an event; no thread waits */
	/* The stream waits for an event, a value or the host; the thread does not. */
	WEIR_API_STREAM_WAIT,
	WEIR_API_QUERY, /* returns at once with an answer */
	/* A call of the operating system or of HSA, which is a part of its caller's work. */
	WEIR_API_SYSTEM,
	WEIR_API_SYSTEM_FILE, /* a system call that reads a file */
	/* A system call that waits for another thread, a socket or a clock. */
	WEIR_API_SYSTEM_WAIT,
	WEIR_API_CLASS_COUNT
};

/*
 * Returns the class of a call. Prefixes (cuda, cu, hip) and suffixes (_v2, _v11060, _ptsz, _ptds,
 * _spt) do not matter. A name without a prefix may be a system call or a call of HSA or of a
 * run-time compiler; any other is WEIR_API_OTHER.
 */
enum weir_api_class weir_api_class(const char *name);

static inline bool weir_api_is_system(enum weir_api_class class)
{
	return class == WEIR_API_SYSTEM || class == WEIR_API_SYSTEM_FILE ||
	       class == WEIR_API_SYSTEM_WAIT;
}

/* Returns the class of every name in the table, one byte per id, for loops over rows. The caller
 * frees it. */
uint8_t *weir_api_class_of_names(const struct weir_names *names);

#endif
