/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a driver or runtime call does to the calling thread and to the device, by its name. One
 * table serves the CUDA runtime ("cudaMemcpyAsync"), the CUDA driver ("cuMemcpyHtoDAsync_v2") and
 * HIP ("hipMemcpyWithStream").
 */
#ifndef WEIR_ANALYSIS_APIS_H
#define WEIR_ANALYSIS_APIS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/names.h"

enum weir_api_class {
	WEIR_API_OTHER,         /* also every name that is no driver or runtime call */
	WEIR_API_LAUNCH,        /* starts one kernel */
	WEIR_API_GRAPH_LAUNCH,  /* replays a graph */
	WEIR_API_SYNC,          /* the thread waits for a stream, a device, a context or an event */
	WEIR_API_COPY_BLOCKING, /* a copy that returns when it is done */
	WEIR_API_COPY_ASYNC,
	WEIR_API_SET,
	WEIR_API_ALLOC,       /* allocates, frees, maps or pins; may wait for the device */
	WEIR_API_ALLOC_ASYNC, /* in stream order, from a pool */
	WEIR_API_MODULE,      /* loads or links device code, or makes a graph ready to run */
	WEIR_API_CAPTURE,     /* records or builds a graph, or asks whether one is recorded */
	WEIR_API_EVENT,       /* records or creates one; nobody waits */
	WEIR_API_STREAM_WAIT, /* the stream waits, for an event, a value or the host; the thread
	                         does not */
	WEIR_API_QUERY,       /* asks and returns */
	WEIR_API_SYSTEM, /* a call of the operating system or of HSA: part of what its caller does
	                  */
	WEIR_API_SYSTEM_FILE, /* one that reads a file */
	WEIR_API_SYSTEM_WAIT, /* one that waits: for another thread, a socket, a clock */
	WEIR_API_CLASS_COUNT
};

/* Names without a prefix are system calls, calls of HSA or of a run-time compiler, or nothing.
 * Prefixes (cuda, cu, hip) and suffixes (_v2, _v11060, _ptsz, _ptds, _spt) do not matter. */
enum weir_api_class weir_api_class(const char *name);

static inline bool weir_api_is_system(enum weir_api_class class)
{
	return class == WEIR_API_SYSTEM || class == WEIR_API_SYSTEM_FILE ||
	       class == WEIR_API_SYSTEM_WAIT;
}

/* The class of every text in the table, one byte an id, for loops over rows; free() it. */
uint8_t *weir_api_class_of_names(const struct weir_names *names);

#endif
