/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums over segments: the analysed time of a profile or of one stage, by what happened in it.
 * Everything that the features of a subject say about time is a quotient of two of these numbers.
 * Sums beyond int64_t (hostile clocks) stay at INT64_MAX.
 */
#ifndef WEIR_ANALYSIS_LEDGER_H
#define WEIR_ANALYSIS_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/analysis/timeline/activity.h"
#include "engine/analysis/timeline/segments.h"
#include "engine/model/bound.h"
#include "engine/model/report.h"

/* Where late host time lies: the classes are disjoint and add up to late_ns. */
enum weir_late {
	WEIR_LATE_DISPATCH, /* operators, calls and the glue between them, launch latency behind
	                       them */
	WEIR_LATE_SYNC, /* the host waited for the device, and the device for the host after that */
	WEIR_LATE_BEFORE, /* host work before the device work of its step: data loading,
	                     tokenization */
	WEIR_LATE_AFTER,  /* host work behind it: detokenization, serialization */
	WEIR_LATE_LOAD,   /* module loading, compilation */
	WEIR_LATE_ALLOCATOR,
	WEIR_LATE_NO_WORK, /* the launching thread did nothing */
	WEIR_LATE_COUNT
};

enum weir_copy_kind {
	WEIR_COPY_TRANSFER, /* host to device, device to host, device to device across a link */
	WEIR_COPY_LOCAL,    /* within the device, and sets */
	WEIR_COPY_KINDS
};

struct weir_ledger {
	int64_t total_ns, busy_ns;
	int64_t work_ns[WEIR_WORK_COUNT]; /* owned: communication and copies are exposed ones */
	int64_t copy_ns[WEIR_COPY_KINDS];
	int64_t idle_ns[WEIR_IDLE_COUNT];
	int64_t late_ns[WEIR_LATE_COUNT]; /* idle time before a launch that came late, without the
	                                     profiler's */
	int64_t bound_ns[WEIR_BOUND_COUNT];
	int64_t unmodelled_ns; /* computation without a roofline, by shapes or by its kernel's
	                          family */
	int64_t roof_ns;       /* computation near the roof of the fastest unit for it */
	int64_t bandwidth_ns;  /* computation limited by bandwidth */
	int64_t short_ns; /* computation in kernels too short or too small to fill the device */
	int64_t slow_ns;  /* computation far below both roofs and not short */
	int64_t met_ns;   /* exposed communication in collectives matched across ranks */
	int64_t wait_ns[WEIR_LATE_BY_COUNT]; /* of that: waiting, by why the last rank is late */
	int64_t longest_ns;  /* of waiting for a late host: in the rank that waits longest. The late
	                        one spends as much more than that rank before it comes */
	int64_t compiler_ns; /* device work that a compiler launched: the runtime's */
	uint64_t kernels;
	uint64_t steps;
};

/* Host work of a stage of these kinds is pre- or postprocessing wherever it lies; other kinds go by
 * its position. */
enum weir_late weir_late_class(const struct weir_segment *segment, const char *stage_kind);

void weir_ledger_add(struct weir_ledger *to, const struct weir_ledger *from);

/* Without so much of the time in which no work was there (idle, the host as well). */
void weir_ledger_drop_no_work(struct weir_ledger *ledger, int64_t ns);

#endif
