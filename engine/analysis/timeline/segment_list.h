/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Segments of device time, and idle time by name. engine/analysis/timeline/segments.h builds
 * them. */
#ifndef WEIR_ANALYSIS_TIMELINE_SEGMENT_LIST_H
#define WEIR_ANALYSIS_TIMELINE_SEGMENT_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/time/intervals.h"
#include "engine/base/rowmap.h"

/*
 * Idle time of one cause under one name: the call, operator or frame in which the launching thread
 * was, or the device work that ended the gap. The entries of a cause add up exactly to its idle
 * time.
 */
struct weir_idle_entry {
	uint32_t name, in; /* ids of the trace's names; 0: none */
	uint8_t idle;      /* enum weir_idle */
	uint64_t count;    /* number of stretches */
	int64_t ns;        /* at most INT64_MAX, which bad clocks can reach */
};

/* {0} is empty. */
struct weir_idle_names {
	struct weir_idle_entry *entries;
	size_t count, capacity;
	struct weir_rowmap map;
};

/* Adds a stretch to the entry of its cause and names; ignores stretches without time. */
void weir_idle_names_add(struct weir_idle_names *names, const struct weir_idle_entry *entry);
void weir_idle_names_release(struct weir_idle_names *names);

/* Flags of idle segments: the gap began while the launching thread waited for the device; the
 * launch came after the device had run out of work; the time lies before the middle of its step's
 * device work (else after it). */
#define WEIR_SEGMENT_AFTER_SYNC 1u
#define WEIR_SEGMENT_LATE       2u
#define WEIR_SEGMENT_BEFORE     4u
/* Flag of busy segments: a compiler launched the work to try kernels. */
#define WEIR_SEGMENT_COMPILER 8u

struct weir_segment {
	int64_t start_ns, end_ns;
	/* Device row that owns the time. Idle: the row that ends the gap; WEIR_NONE at the end of a
	 * window. */
	uint32_t row;
	/* Span in which the work was launched; idle: open span of the launching thread; WEIR_NONE:
	 * none. */
	uint32_t span;
	uint16_t device;
	uint8_t busy; /* 1: work, 0: idle */
	uint8_t work; /* busy: enum weir_work_class */
	uint8_t idle; /* idle: enum weir_idle */
	uint8_t flags;
};

struct weir_segments {
	struct weir_segment *items;
	size_t count, capacity;
	struct weir_idle_names idle_names; /* of the idle segments */
};

void weir_segments_release(struct weir_segments *segments);
/* Moves the segments of `from`, but not its names, to `segments`, which has no segments. */
void weir_segments_take(struct weir_segments *segments, struct weir_segments *from);
/* Adds a segment; extends the last one if they differ only in time. */
void weir_segments_push(struct weir_segments *segments, const struct weir_segment *segment);

/* Returns the index of the device's first segment that ends after the time, or of the next device's
 * first one: segments are sorted by device, then by time. */
size_t weir_segments_after(const struct weir_segments *segments, size_t device, int64_t time_ns);

static inline int64_t weir_segment_ns(const struct weir_segment *segment)
{
	return weir_span_ns(segment->start_ns, segment->end_ns);
}

#endif
