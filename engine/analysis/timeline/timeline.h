/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace with the relations between its rows: which host row encloses which, which operator
 * launched which device work, and the kind of that work. Columns are parallel to those of the
 * trace, which is borrowed and must outlive the timeline.
 */
#ifndef WEIR_ANALYSIS_TIMELINE_TIMELINE_H
#define WEIR_ANALYSIS_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/model/trace.h"

/* Rows that a row may have around it. A row in more of them is the child of the last that counts,
 * so that a walk from a row to the outermost one takes bounded time. Programs nest a few hundred
 * rows. */
#define WEIR_MAX_NESTING 512

struct weir_timeline {
	const struct weir_trace *trace;

	/* per host row */
	/* Innermost enclosing row of the same thread, at most the WEIR_MAX_NESTING-th from outside;
	 * WEIR_NONE: none. */
	uint32_t *parent;
	uint32_t *inner_op; /* innermost operator at or above it; WEIR_NONE: none */
	uint32_t *outer_op; /* outermost operator at or above it; WEIR_NONE: none */
	/* Rows that overlap an earlier row by more than WEIR_OVERHANG_NS without nesting. */
	uint64_t misnested;

	/* per device row */
	uint32_t *op;        /* innermost operator around its launch; WEIR_NONE: none */
	uint8_t *work;       /* enum weir_work_class */
	uint32_t *first_row; /* per device of the trace: its first row; device_count + 1 entries */

	uint8_t *api_class; /* per name id: enum weir_api_class */
};

/* A row that outlives the enclosing row by at most this much still is its child: the clocks of
 * nested events jitter. */
#define WEIR_OVERHANG_NS 1000

void weir_timeline_init(struct weir_timeline *timeline, const struct weir_trace *trace);
void weir_timeline_release(struct weir_timeline *timeline);

/* Returns the rows [*first, *end) of one thread. */
void weir_timeline_thread_rows(const struct weir_timeline *timeline, uint32_t thread, size_t *first,
                               size_t *end);

/* Returns the outermost operator at or above `row`; WEIR_NONE: none. row may be WEIR_NONE. */
uint32_t weir_timeline_outermost_op(const struct weir_timeline *timeline, uint32_t row);
/* Returns `row`, or the first row around it that is not a system call, since such a call is a part
 * of its caller. row may be WEIR_NONE. */
uint32_t weir_timeline_caller(const struct weir_timeline *timeline, uint32_t row);

/* Returns the name of the innermost Python frame or range around a host row, without folders; NULL:
 * the trace has none. Ranges of the profiler's steps say nothing. row may be WEIR_NONE. */
const char *weir_timeline_frame(const struct weir_timeline *timeline, uint32_t row);

/* Returns true if the row was replayed from a graph, by its own flag or by its launch call. */
bool weir_timeline_is_replayed(const struct weir_timeline *timeline, size_t device_row);

const char *weir_timeline_host_name(const struct weir_timeline *timeline, uint32_t row);
const char *weir_timeline_device_name(const struct weir_timeline *timeline, uint32_t row);

#endif
