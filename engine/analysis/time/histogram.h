/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts durations in bins whose edges are 4, 5, 6 and 7 times a power of two: exact integers, so
 * that the same durations give the same bins on every machine, and at most a quarter wide.
 */
#ifndef WEIR_ANALYSIS_TIME_HISTOGRAM_H
#define WEIR_ANALYSIS_TIME_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/model/bound.h"
#include "engine/model/pictures.h"

/* {0} is empty. */
struct weir_bins {
	uint64_t count[WEIR_HISTOGRAM_BINS];
	int64_t total_ns[WEIR_HISTOGRAM_BINS];
};

/* Returns the bin of a duration; a negative one counts as 0, a longer one as WEIR_LONGEST_NS. */
size_t weir_bin_of(int64_t ns);
/* Returns the smallest duration of a bin; INT64_MAX behind the last one. */
int64_t weir_bin_start(size_t bin);

void weir_bins_add(struct weir_bins *bins, int64_t ns);
/* Returns the bins that are not empty, in the arena; NULL: all are. */
struct weir_histogram *weir_bins_finish(const struct weir_bins *bins, struct weir_arena *arena);

/* Gaps of devices. {0} is empty; the segments of a device come in order of time. */
struct weir_gaps {
	struct weir_bins bins;
	int64_t cause_ns[WEIR_HISTOGRAM_BINS][WEIR_IDLE_COUNT];
	int64_t open_ns[WEIR_IDLE_COUNT]; /* of the gap that may go on */
	int64_t end_ns;
	uint32_t device;
	bool is_open;
};

/* Adds idle time of one cause; extends the gap if it goes on from the last idle time. */
void weir_gaps_add(struct weir_gaps *gaps, uint32_t device, int64_t start_ns, int64_t end_ns,
                   enum weir_idle cause);
/* Counts the open gap. */
void weir_gaps_close(struct weir_gaps *gaps);
/* Returns the bins that are not empty with their causes, in the arena; NULL: all are. */
struct weir_histogram *weir_gaps_finish(struct weir_gaps *gaps, struct weir_arena *arena);

#endif
