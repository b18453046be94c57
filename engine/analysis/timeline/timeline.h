/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One trace with the relations that its rows have only implicitly: which host row encloses which,
 * which operator launched which device work, and what kind of work that is. Derived columns,
 * parallel to the trace's own; the trace is borrowed and must outlive the timeline.
 */
#ifndef WEIR_ANALYSIS_TIMELINE_H
#define WEIR_ANALYSIS_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/model/trace.h"

struct weir_timeline {
	const struct weir_trace *trace;

	/* per host row */
	uint32_t *parent;   /* the innermost row of the same thread that encloses it, WEIR_NONE:
	                       outermost */
	uint32_t *inner_op; /* the innermost operator at or above it, WEIR_NONE: none */
	uint32_t *outer_op; /* the outermost one */
	uint64_t misnested; /* rows that overlap an earlier one by more than WEIR_OVERHANG_NS
	                       without nesting */

	/* per device row */
	uint32_t *op;        /* innermost operator row around its launch, WEIR_NONE */
	uint8_t *work;       /* enum weir_work_class */
	uint32_t *first_row; /* per device of the trace: its first row; device_count + 1 entries */

	uint8_t *api_class; /* per name id: enum weir_api_class */
};

/* A child may outlive its parent by this much and still be its child: the clocks of nested events
 * jitter. */
#define WEIR_OVERHANG_NS 1000

void weir_timeline_init(struct weir_timeline *timeline, const struct weir_trace *trace);
void weir_timeline_release(struct weir_timeline *timeline);

/* Row range [*first, *end) of one thread's host rows. */
void weir_timeline_thread_rows(const struct weir_timeline *timeline, uint32_t thread, size_t *first,
                               size_t *end);

/* The innermost row at or above `row` of that kind, WEIR_NONE: none. row may be WEIR_NONE. */
uint32_t weir_timeline_enclosing(const struct weir_timeline *timeline, uint32_t row,
                                 enum weir_host_kind kind);
/* The outermost operator at or above `row`, WEIR_NONE: none. */
uint32_t weir_timeline_outermost_op(const struct weir_timeline *timeline, uint32_t row);
/* The row itself, or the first around it that is no call of the operating system: what such a call
 * is part of. row may be WEIR_NONE. */
uint32_t weir_timeline_caller(const struct weir_timeline *timeline, uint32_t row);

/* Replayed from a graph, by its own flag or by the call that launched it. */
bool weir_timeline_is_replayed(const struct weir_timeline *timeline, size_t device_row);

const char *weir_timeline_host_name(const struct weir_timeline *timeline, uint32_t row);
const char *weir_timeline_device_name(const struct weir_timeline *timeline, uint32_t row);

#endif
