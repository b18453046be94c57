/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nesting of the spans (occurrences of stages) on host threads, and the innermost one at any
 * time. */
#ifndef WEIR_ANALYSIS_TIMELINE_SPAN_TRACKS_H
#define WEIR_ANALYSIS_TIMELINE_SPAN_TRACKS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/time/intervals.h"
#include "engine/model/trace.h"

/* Work launched in a span below this depth belongs to the enclosing span of this depth. */
#define WEIR_MAX_SPAN_DEPTH 32

/* One occurrence of a stage. Device times refer to the work launched in it or in a span
 * inside it. */
struct weir_span {
	uint32_t host_row;
	uint32_t stage;           /* index into the steps' `stages` */
	uint32_t step;            /* index into the steps' `steps`; WEIR_NONE: outside every step */
	uint32_t parent;          /* enclosing span; WEIR_NONE: outermost */
	uint32_t depth;           /* number of enclosing spans */
	int64_t start_ns, end_ns; /* on the host */
	int64_t device_start_ns, device_end_ns; /* INT64_MAX, INT64_MIN: no work */
	int64_t device_ns;     /* union of that work on each device, summed over devices */
	int64_t busy_until_ns; /* scratch for that union */
	uint32_t device_rows;
	int64_t rows, padded_rows; /* of the batch, from the annotation; -1: not stated */
};

/* The innermost span of one thread: span[i] from time_ns[i] on. */
struct weir_span_track {
	uint32_t thread;
	size_t count, capacity;
	int64_t *time_ns; /* ascending */
	uint32_t *span;   /* index; WEIR_NONE: no span is open */
};

struct weir_span_tracks {
	struct weir_span_track *items; /* one for each thread with spans, in order of threads */
	size_t count, capacity;
	size_t main; /* the track with most spans, the first of several */
};

/*
 * Builds the tracks of spans that are sorted by start, longer spans first. Sets parent and depth of
 * every span and cuts the end of one that outlives its parent by clock jitter. Release with
 * weir_span_tracks_release().
 */
void weir_span_tracks_init(struct weir_span_tracks *tracks, struct weir_span *spans, size_t count,
                           const struct weir_trace *trace);
void weir_span_tracks_release(struct weir_span_tracks *tracks);

/* Returns the innermost span that is open on the thread, else on the main track; WEIR_NONE: none.
 */
uint32_t weir_span_tracks_at(const struct weir_span_tracks *tracks, uint32_t thread, int64_t at_ns);

/* The span at a time of a thread, and the time around it in which the answer is the same. {0}: no
 * answer. */
struct weir_span_place {
	const struct weir_span_tracks *tracks;
	uint32_t thread, span;
	struct weir_interval same;
};

/* Does the same as weir_span_tracks_at(), and searches only where the last answer does not hold:
 * most callers go through time in order, and spans last much longer than rows. */
uint32_t weir_span_tracks_near(const struct weir_span_tracks *tracks, uint32_t thread,
                               int64_t at_ns, struct weir_span_place *last);
/* Returns the next time after at_ns at which the innermost span of the main track changes;
 * INT64_MAX: none. */
int64_t weir_span_tracks_next_change(const struct weir_span_tracks *tracks, int64_t at_ns);

#endif
