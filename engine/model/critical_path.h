/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path: one chain of host and device work that covers every nanosecond of the analysed
 * time. engine/analysis/path/critical_path.h describes how it is found. */
#ifndef WEIR_MODEL_CRITICAL_PATH_H
#define WEIR_MODEL_CRITICAL_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/enums.h"

enum weir_path_kind {
	WEIR_PATH_HOST_OP,       /* an operator's self time, and the program between operators */
	WEIR_PATH_HOST_API,      /* driver and runtime calls, and the return of a wait */
	WEIR_PATH_LAUNCH,        /* from a launch call to the start of its work */
	WEIR_PATH_KERNEL_GAP,    /* the device's own gap between two queued pieces of work */
	WEIR_PATH_COMPUTE,       /* kernels, including those with an unknown limit */
	WEIR_PATH_MEMORY,        /* kernels limited by memory bandwidth */
	WEIR_PATH_MEMCPY,        /* copies and memsets */
	WEIR_PATH_COMMUNICATION, /* collectives, after all members have arrived */
	WEIR_PATH_INPUT,         /* data loading, tokenization */
	WEIR_PATH_IDLE,          /* no activity in the trace */
	WEIR_PATH_KIND_COUNT
};

/* An operator, call or kernel on the path: the sum of its pieces of one kind. */
struct weir_path_item {
	enum weir_path_kind kind;
	const char *name;
	int64_t ns;
	uint64_t count; /* number of pieces */
};

/* The part of the path inside one stage. */
struct weir_path_stage {
	const char *name;
	int64_t total_ns; /* sum of ns[], exactly */
	int64_t ns[WEIR_PATH_KIND_COUNT];
};

#define WEIR_PATH_ITEMS 20 /* smaller items are left out */

struct weir_critical_path {
	int64_t span_ns;  /* analysed time: the sum of ns[], exactly */
	bool approximate; /* the trace does not record what synchronisation calls waited for */
	const char
		*class_name; /* the dominant class; WEIR_PATH_MIXED: no class dominates; static */
	int64_t ns[WEIR_PATH_KIND_COUNT];
	struct weir_path_item *items; /* by time, largest first */
	size_t item_count;
	struct weir_path_stage *stages; /* stages that hold any time, in the order of the report */
	size_t stage_count;
};

#define WEIR_PATH_MIXED "mixed"

WEIR_ENUM_DECLARE(weir_path_kind); /* "kernel_gap" */
/* Names the class of a path: "host", "compute", "memory", "communication", "gaps" or "idle" if that
 * class holds at least half of the path and 15 points more than the next one, else WEIR_PATH_MIXED.
 * It describes the path and is not a verdict. nsys-ai's critical path has the same limits. */
const char *weir_path_class(const int64_t ns[WEIR_PATH_KIND_COUNT]);
/* Returns the static text of a class; NULL: no such class. */
const char *weir_path_class_parse(const char *name);

#endif
