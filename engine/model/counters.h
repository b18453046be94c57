/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measurements of single kernel launches by a counter profiler (Nsight Compute): one row per
 * launch, in file order; NAN is "not measured". Such profilers run a kernel several times, with
 * caches flushed and clocks locked to base: compare these durations with each other, not with those
 * of a timeline.
 */
#ifndef WEIR_MODEL_COUNTERS_H
#define WEIR_MODEL_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/enums.h"
#include "engine/base/names.h"

/* Shares are 0 to 1 of the unit's peak while the kernel runs; noise may lift them above 1. */
enum weir_counter {
	WEIR_COUNTER_SM,            /* busiest part of the multiprocessors ("speed of light") */
	WEIR_COUNTER_MEMORY,        /* busiest part of the memory system, caches included */
	WEIR_COUNTER_MEMORY_ACCESS, /* the two halves of the memory system, in versions that do not
	                               report the whole */
	WEIR_COUNTER_MEMORY_REQUEST,
	WEIR_COUNTER_DRAM,
	WEIR_COUNTER_L2,
	WEIR_COUNTER_L1,
	WEIR_COUNTER_TENSOR,          /* busiest matrix pipe */
	WEIR_COUNTER_ISSUE,           /* issue slots in which an instruction was issued */
	WEIR_COUNTER_OCCUPANCY,       /* resident warps over the maximum */
	WEIR_COUNTER_OCCUPANCY_LIMIT, /* occupancy that the launch configuration allows */
	WEIR_COUNTER_L1_HITS,
	WEIR_COUNTER_L2_HITS,
	WEIR_COUNTER_DRAM_BYTES,
	WEIR_COUNTER_DRAM_READ_BYTES,
	WEIR_COUNTER_DRAM_WRITE_BYTES,
	WEIR_COUNTER_DRAM_BYTES_PER_S,
	WEIR_COUNTER_L2_BYTES,
	WEIR_COUNTER_BLOCKS, /* thread blocks of the grid */
	WEIR_COUNTER_THREADS_PER_BLOCK,
	WEIR_COUNTER_REGISTERS, /* registers per thread */
	WEIR_COUNTER_WAVES,     /* thread blocks over the blocks that fit on the device at once */
	WEIR_COUNTER_SMS,       /* multiprocessors of the device */
	WEIR_COUNTER_CYCLES,
	WEIR_COUNTER_SM_HZ,
	WEIR_COUNTER_SM_CYCLES,        /* cycles that passed on a multiprocessor, mean */
	WEIR_COUNTER_SM_ACTIVE_CYCLES, /* of them those in which it had a warp */
	WEIR_COUNTER_L2_SIZE,          /* size of the L2 cache in bytes */
	WEIR_COUNTER_VECTOR_FLOPS, /* operations of the vector units: fp32, and fp16 and fp64 where
	                              they are counted */
	WEIR_COUNTER_VECTOR_FLOPS_PER_CYCLE,
	WEIR_COUNTER_MATRIX_FLOPS, /* operations of the matrix units, including the padding of tiles
	                            */
	WEIR_COUNTER_COUNT
};

struct weir_counted_kernel {
	uint32_t name;              /* name id of the demangled kernel name */
	uint32_t device;            /* name id of the device; 0: not stated */
	uint32_t grid[3], block[3]; /* 0: not stated, and for ranges of several kernels */
	int64_t process, launch;    /* identity: two pages about one launch agree in both */
	int64_t duration_ns;        /* -1: not measured */
	bool rounded;               /* values come from the details page, which rounds them */
	uint32_t parts;  /* bit set, defined by the reader: addends of its sums that are present */
	uint32_t absent; /* bit set likewise: addends that the file calls unknown */
	double value[WEIR_COUNTER_COUNT];
};

/* The part of the program that an estimated speed-up refers to. */
enum weir_finding_scope {
	WEIR_FINDING_UNSTATED,
	WEIR_FINDING_LOCAL,  /* the part that the rule examines */
	WEIR_FINDING_GLOBAL, /* the whole kernel */
};

/* The profiler's own advice about a launch, in its words. */
struct weir_counter_finding {
	size_t kernel;             /* row of `kernels` */
	uint32_t rule, kind, text; /* name ids: "SOLBottleneck", "OPT", a sentence */
	enum weir_finding_scope scope;
	double speedup; /* estimated saving, 0 to 1; NAN: not stated */
};

struct weir_counters {
	struct weir_names *names;
	struct weir_counted_kernel *kernels;
	size_t count, capacity;
	struct weir_counter_finding *findings; /* grouped by kernel, in file order */
	size_t finding_count, finding_capacity;
};

#define WEIR_MAX_COUNTED_KERNELS  (1u << 20)
#define WEIR_MAX_COUNTER_FINDINGS (1u << 20)
#define WEIR_MAX_FINDING_TEXT     1024 /* bytes kept of a finding's text */

struct weir_counters *weir_counters_new(void);
void weir_counters_free(struct weir_counters *counters);

/* Appends a row without measurements; valid until the next call. The caller keeps to the limits. */
struct weir_counted_kernel *weir_counters_add(struct weir_counters *counters);
void weir_counters_add_finding(struct weir_counters *counters,
                               const struct weir_counter_finding *finding);

/*
 * Derives missing values: the memory system from its halves, bytes from reads and writes or from
 * rate and duration, cycles of a multiprocessor from those of the device or from clock and
 * duration, operations from their rate and the cycles, blocks and threads from the launch
 * configuration.
 */
void weir_counted_kernel_complete(struct weir_counted_kernel *kernel);

WEIR_ENUM_DECLARE(weir_counter);       /* "dram" */
WEIR_ENUM_DECLARE(weir_finding_scope); /* "global"; unstated: NULL */

#endif
