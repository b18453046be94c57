/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data for drawings of a timeline, beyond the report: time as a tree of frames, and events as spans
 * on tracks. engine/analysis fills it only if an output asks for it; weir.report/1 does not store
 * it. Everything lives in the report's arena.
 */
#ifndef WEIR_MODEL_TIMELINE_DETAIL_H
#define WEIR_MODEL_TIMELINE_DETAIL_H

#include <stddef.h>
#include <stdint.h>

/* The time of further stacks is added to WEIR_FLAME_REST below their root. */
#define WEIR_FLAME_MAX_FRAMES 16384
/* The time of deeper frames is added to the frame at this depth that encloses them. */
#define WEIR_FLAME_MAX_DEPTH 128
#define WEIR_FLAME_REST      "(other)"
#define WEIR_FLAME_NOBODY    UINT32_MAX /* no parent: a root */

enum weir_flame_kind {
	WEIR_FLAME_ROOT, /* "device": stages, operators, kernels, idle time; "host": threads */
	WEIR_FLAME_RANK, /* only with several ranks */
	WEIR_FLAME_THREAD,
	WEIR_FLAME_STAGE, /* also a step or a range of the program */
	WEIR_FLAME_OPERATOR,
	WEIR_FLAME_PYTHON,
	WEIR_FLAME_CALL,   /* driver or runtime call */
	WEIR_FLAME_KERNEL, /* any device work */
	WEIR_FLAME_IDLE,   /* idle device time, by cause */
	WEIR_FLAME_OTHER,
	WEIR_FLAME_KIND_COUNT
};

struct weir_flame_frame {
	const char *name;
	uint32_t parent; /* precedes its children; or WEIR_FLAME_NOBODY */
	uint32_t depth;  /* number of frames around it */
	enum weir_flame_kind kind;
	int64_t total_ns, self_ns; /* total_ns: self_ns and the totals of the children, exactly */
};

/* In depth-first order: roots in order of creation, children by time, largest first, then by name.
 * Every frame has time. */
struct weir_flame {
	struct weir_flame_frame *frames;
	size_t count;
};

/* Further spans are left out of their tracks and counted. */
#define WEIR_DETAIL_MAX_SPANS  400000
#define WEIR_DETAIL_MAX_TRACKS 512

enum weir_detail_kind {
	WEIR_DETAIL_STEPS,
	WEIR_DETAIL_STAGES,
	WEIR_DETAIL_PATH,  /* critical path */
	WEIR_DETAIL_IDLE,  /* idle intervals of a device, by cause */
	WEIR_DETAIL_WAITS, /* waits for another rank in collectives */
	WEIR_DETAIL_WORK,  /* device work, one track per stream */
	WEIR_DETAIL_HOST,  /* operators, annotations and calls of a thread */
	WEIR_DETAIL_KIND_COUNT
};

struct weir_detail_track {
	enum weir_detail_kind kind;
	int64_t rank;
	uint32_t number;  /* row of the trace: a thread, device or stream */
	const char *name; /* "stages of thread 7" */
};

struct weir_detail_span {
	int64_t start_ns, end_ns; /* on the clock of the first rank */
	const char *name;
	const char *note; /* NULL: none */
	uint32_t track;
	uint32_t stage; /* row of report->stages; UINT32_MAX: none */
	/* Number of the launch that this call of the host makes, or of the call that launched this
	 * work; 0: none. Of several pieces of work of one launch, the first has it. */
	uint32_t flow;
};

/* A counter has this many values: means over equal windows of the trace of its rank. */
#define WEIR_DETAIL_WINDOWS      1000
#define WEIR_DETAIL_MAX_COUNTERS 64

struct weir_detail_counter {
	int64_t rank;
	const char *name;           /* "active share of device 0" */
	const char *unit;           /* "share" or "launches" */
	int64_t start_ns, width_ns; /* of the first window, on the clock of the first rank */
	const double *value;        /* WEIR_DETAIL_WINDOWS values */
};

struct weir_detail {
	struct weir_flame flame;
	struct weir_detail_track *tracks;
	size_t track_count;
	struct weir_detail_span *spans; /* by track, then by start, longest first */
	size_t span_count;
	struct weir_detail_counter *counters;
	size_t counter_count;
	uint32_t flow_count; /* largest number of a launch */
	uint64_t left_out;   /* spans beyond WEIR_DETAIL_MAX_SPANS */
};

#endif
