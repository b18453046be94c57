/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the analysed time waited for, instant by instant: one chain of host and device work that
 * holds every nanosecond of it. How it is found: engine/analysis/path/critical_path.h. */
#ifndef WEIR_MODEL_CRITICAL_PATH_H
#define WEIR_MODEL_CRITICAL_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_path_kind {
	WEIR_PATH_HOST_OP,       /* an operator's own time, the program between operators */
	WEIR_PATH_HOST_API,      /* calls of the driver and the runtime, the return of a wait */
	WEIR_PATH_LAUNCH,        /* from a launch call to the start of its work */
	WEIR_PATH_KERNEL_GAP,    /* the device's own gap between two pieces of queued work */
	WEIR_PATH_COMPUTE,       /* kernels, also those whose limit is not known */
	WEIR_PATH_MEMORY,        /* kernels limited by bandwidth */
	WEIR_PATH_MEMCPY,        /* copies and sets */
	WEIR_PATH_COMMUNICATION, /* collectives, once all members are there */
	WEIR_PATH_INPUT,         /* data loading, tokenization */
	WEIR_PATH_IDLE,          /* nothing that the trace shows */
	WEIR_PATH_KIND_COUNT
};

/* An operator, a call or a kernel on the path, all its pieces of one kind. */
struct weir_path_item {
	enum weir_path_kind kind;
	const char *name;
	int64_t ns;
	uint64_t count; /* pieces of it */
};

/* The part of the path that belongs to one stage. */
struct weir_path_stage {
	const char *name;
	int64_t total_ns; /* the sum of ns[], exactly */
	int64_t ns[WEIR_PATH_KIND_COUNT];
};

#define WEIR_PATH_ITEMS 20 /* items beyond the largest so many are left out */

struct weir_critical_path {
	int64_t span_ns;        /* the analysed time; the sum of ns[], exactly */
	bool approximate;       /* no record says what waits waited for */
	const char *class_name; /* what most of it is, WEIR_PATH_MIXED: no one thing; static */
	int64_t ns[WEIR_PATH_KIND_COUNT];
	struct weir_path_item *items; /* by time, the largest first */
	size_t item_count;
	struct weir_path_stage *stages; /* in the order of the report's; those with any time */
	size_t stage_count;
};

#define WEIR_PATH_MIXED "mixed"

const char *weir_path_kind_name(enum weir_path_kind kind); /* "kernel_gap" */
bool weir_path_kind_parse(const char *name, enum weir_path_kind *out);
/* By ns[]: "host", "compute", "memory", "communication", "gaps" or "idle", where that holds at
 * least half of the path and 15 points more than the next; else WEIR_PATH_MIXED. A description, no
 * verdict. The limits are those of nsys-ai's critical path. */
const char *weir_path_class(const int64_t ns[WEIR_PATH_KIND_COUNT]);
/* The same text, static; NULL: no such class. */
const char *weir_path_class_parse(const char *name);

#endif
