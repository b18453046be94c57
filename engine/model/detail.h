/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What drawings of a timeline show and a report does not hold: where the time lies as a tree of
 * frames, and when what happened as spans on tracks. Filled by engine/analysis only where an output
 * asks for it, and not stored in weir.report/1. Everything lives in the report's arena.
 */
#ifndef WEIR_MODEL_DETAIL_H
#define WEIR_MODEL_DETAIL_H

#include <stddef.h>
#include <stdint.h>

/* Time in further stacks is added to WEIR_FLAME_REST below its root. */
#define WEIR_FLAME_MAX_FRAMES 16384
/* Time in frames nested more deeply counts for the one so deep that encloses them. */
#define WEIR_FLAME_MAX_DEPTH 128
#define WEIR_FLAME_REST      "(other)"
#define WEIR_FLAME_NOBODY    UINT32_MAX /* no parent: a root */

enum weir_flame_kind {
	WEIR_FLAME_ROOT, /* "device": stages, operators, kernels, idle time; "host": threads */
	WEIR_FLAME_RANK, /* with several ranks only */
	WEIR_FLAME_THREAD,
	WEIR_FLAME_STAGE, /* also a step, and a range of the program */
	WEIR_FLAME_OPERATOR,
	WEIR_FLAME_PYTHON,
	WEIR_FLAME_CALL,   /* of the driver or the runtime */
	WEIR_FLAME_KERNEL, /* any work of the device */
	WEIR_FLAME_IDLE,   /* the device idle, by cause */
	WEIR_FLAME_OTHER,
	WEIR_FLAME_KIND_COUNT
};

struct weir_flame_frame {
	const char *name;
	uint32_t parent; /* comes before its children; WEIR_FLAME_NOBODY */
	uint32_t depth;  /* frames around it */
	enum weir_flame_kind kind;
	int64_t total_ns, self_ns; /* total: self and the children's totals, exactly */
};

/* Depth first; roots as they were made, children by time, the largest first, then by name. No frame
 * without time. */
struct weir_flame {
	struct weir_flame_frame *frames;
	size_t count;
};

/* Spans beyond so many are left out of their tracks, and counted. */
#define WEIR_DETAIL_MAX_SPANS  400000
#define WEIR_DETAIL_MAX_TRACKS 512

enum weir_detail_kind {
	WEIR_DETAIL_STEPS,
	WEIR_DETAIL_STAGES,
	WEIR_DETAIL_PATH,  /* what the analysed time waited for */
	WEIR_DETAIL_IDLE,  /* gaps of the device, by cause */
	WEIR_DETAIL_WAITS, /* in collectives, for another rank */
	WEIR_DETAIL_WORK,  /* of the device, one track a stream */
	WEIR_DETAIL_KIND_COUNT
};

struct weir_detail_track {
	enum weir_detail_kind kind;
	int64_t rank;
	uint32_t number;  /* thread, device or stream: rows of the trace */
	const char *name; /* "stages of thread 7" */
};

struct weir_detail_span {
	int64_t start_ns, end_ns; /* on the clock of the first rank */
	const char *name;
	const char *note; /* NULL: none */
	uint32_t track;
	uint32_t stage; /* row of report->stages; UINT32_MAX: none */
};

struct weir_detail {
	struct weir_flame flame;
	struct weir_detail_track *tracks;
	size_t track_count;
	struct weir_detail_span *spans; /* by track, then in order of time, the longest first */
	size_t span_count;
	uint64_t left_out; /* spans beyond WEIR_DETAIL_MAX_SPANS */
};

#endif
