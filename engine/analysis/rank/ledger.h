/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums of segments: the analysed time of a profile or of one stage, by what happened in it. All
 * time features of a subject are quotients of two of these sums. Sums beyond int64_t (bad clocks)
 * stay at INT64_MAX.
 */
#ifndef WEIR_ANALYSIS_RANK_LEDGER_H
#define WEIR_ANALYSIS_RANK_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/analysis/timeline/activity.h"
#include "engine/analysis/timeline/segments.h"
#include "engine/model/bound.h"
#include "engine/model/report.h"

/* Classes of idle time before late launches. They are disjoint and add up to the late time. */
enum weir_late {
	/* Operators, driver calls, the code between them, and the launch latency after them. */
	WEIR_LATE_DISPATCH,
	/* The host waited for the device, and then the device for the host. */
	WEIR_LATE_SYNC,
	/* Host work before the device work of its step: data loading, tokenization. */
	WEIR_LATE_BEFORE,
	WEIR_LATE_AFTER,   /* host work after it: detokenization, serialization */
	WEIR_LATE_LOAD,    /* module loading, compilation */
	WEIR_LATE_GARBAGE, /* Python's garbage collection, recorded or conjectured */
	WEIR_LATE_ALLOCATOR,
	WEIR_LATE_NO_WORK, /* the launching thread did nothing */
	WEIR_LATE_COUNT
};

enum weir_copy_kind {
	WEIR_COPY_TRANSFER, /* between host and device, or between devices across a link */
	WEIR_COPY_LOCAL,    /* within the device; memory sets */
	WEIR_COPY_KINDS
};

struct weir_ledger {
	int64_t total_ns, busy_ns;
	int64_t work_ns[WEIR_WORK_COUNT]; /* communication and copies are exposed time */
	int64_t copy_ns[WEIR_COPY_KINDS];
	int64_t idle_ns[WEIR_IDLE_COUNT];
	/* Idle time before late launches, without the profiler's. */
	int64_t late_ns[WEIR_LATE_COUNT];
	int64_t bound_ns[WEIR_BOUND_COUNT];
	/* Computation without a roofline, neither from shapes nor from its kernel's family. */
	int64_t unmodelled_ns;
	int64_t likely_compute_ns; /* the part of it in families that arithmetic usually limits */
	int64_t roof_ns;      /* computation near the compute roof of the fastest suitable unit */
	int64_t bandwidth_ns; /* computation limited by memory bandwidth */
	int64_t short_ns;     /* computation in kernels too short or too small to fill the device */
	int64_t slow_ns;      /* computation far below both roofs, without short kernels */
	int64_t vector_ns;    /* the part of it in products that leave the matrix units idle */
	int64_t named_vector_ns; /* the part of that which only names of kernels show */
	int64_t matched_ns; /* exposed communication in collectives that are matched across ranks */
	int64_t wait_ns[WEIR_LATE_BY_COUNT]; /* the part of it spent waiting, by the reason why the
	                                        last rank is late */
	/* The part of waiting for a late host that falls on the rank that waits longest. The late
	 * rank spends that time more than that rank before it arrives. */
	int64_t longest_ns;
	/* Device work that a compiler launched, which counts as the runtime's. */
	int64_t compiler_ns;
	uint64_t kernels;
	uint64_t works; /* kernels, copies and memory sets */
	uint64_t steps;
};

/*
 * Returns the class of a late segment. Host work in preprocessing and postprocessing stages belongs
 * to them wherever it lies; otherwise its position in the step decides. stage_kind: NULL outside
 * stages.
 */
enum weir_late weir_late_class(const struct weir_segment *segment, const char *stage_kind);
/* Returns true if the kind of a stage matters to weir_late_class(). */
bool weir_late_by_stage(const char *stage_kind);

void weir_ledger_add(struct weir_ledger *to, const struct weir_ledger *from);

/* Subtracts `ns` of time in which device and host were both idle. */
void weir_ledger_drop_no_work(struct weir_ledger *ledger, int64_t ns);

#endif
