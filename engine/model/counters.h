/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a counter profiler (Nsight Compute) measured of single kernel launches. One row a launch, in
 * the order of the file; NAN is "not measured". Such profilers run a kernel several times over,
 * with caches flushed and clocks held at their base: durations compare with each other, not with
 * those of a timeline.
 */
#ifndef WEIR_MODEL_COUNTERS_H
#define WEIR_MODEL_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/names.h"

/* Shares are 0 to 1 of what the unit can sustain while the kernel runs; they may exceed 1 by noise.
 */
enum weir_counter {
	WEIR_COUNTER_SM,            /* busiest part of the multiprocessors ("speed of light") */
	WEIR_COUNTER_MEMORY,        /* busiest part of the memory system, caches included */
	WEIR_COUNTER_MEMORY_ACCESS, /* its two halves, in versions that have no whole */
	WEIR_COUNTER_MEMORY_REQUEST,
	WEIR_COUNTER_DRAM,
	WEIR_COUNTER_L2,
	WEIR_COUNTER_L1,
	WEIR_COUNTER_TENSOR,          /* busiest matrix pipe */
	WEIR_COUNTER_ISSUE,           /* slots in which an instruction was issued */
	WEIR_COUNTER_OCCUPANCY,       /* resident warps, of the most possible */
	WEIR_COUNTER_OCCUPANCY_LIMIT, /* the same that the launch allows */
	WEIR_COUNTER_L1_HITS,
	WEIR_COUNTER_L2_HITS,
	WEIR_COUNTER_DRAM_BYTES,
	WEIR_COUNTER_DRAM_READ_BYTES,
	WEIR_COUNTER_DRAM_WRITE_BYTES,
	WEIR_COUNTER_DRAM_BYTES_PER_S,
	WEIR_COUNTER_L2_BYTES,
	WEIR_COUNTER_BLOCKS, /* of the grid */
	WEIR_COUNTER_THREADS_PER_BLOCK,
	WEIR_COUNTER_REGISTERS, /* a thread */
	WEIR_COUNTER_WAVES,     /* blocks over the blocks that fit the device at once */
	WEIR_COUNTER_SMS,       /* multiprocessors of the device */
	WEIR_COUNTER_CYCLES,
	WEIR_COUNTER_SM_HZ,
	WEIR_COUNTER_SM_CYCLES,    /* that passed on a multiprocessor, their mean */
	WEIR_COUNTER_L2_SIZE,      /* bytes of the second-level cache */
	WEIR_COUNTER_VECTOR_FLOPS, /* executed by the ordinary units: fp32, and fp16 and fp64 where
	                              they are counted */
	WEIR_COUNTER_VECTOR_FLOPS_PER_CYCLE,
	WEIR_COUNTER_MATRIX_FLOPS, /* executed by the matrix units, the padding of tiles included */
	WEIR_COUNTER_COUNT
};

struct weir_counted_kernel {
	uint32_t name;              /* name id, demangled as the profiler has it */
	uint32_t device;            /* name id of its device; 0: not given */
	uint32_t grid[3], block[3]; /* 0: not given, and ranges that hold several kernels */
	int64_t process, launch;    /* who it is: two pages about one launch agree in both */
	int64_t duration_ns;        /* -1: not measured */
	bool rounded;               /* as people read it (the details page) */
	uint32_t parts;             /* of its sums, a bit each: the reader's, which are there */
	double value[WEIR_COUNTER_COUNT];
};

/* How much of the program an estimated speed-up is about. */
enum weir_finding_scope {
	WEIR_FINDING_UNSTATED,
	WEIR_FINDING_LOCAL,  /* of the part that the rule looks at */
	WEIR_FINDING_GLOBAL, /* of the kernel */
};

/* What a rule of the profiler itself says about a launch; texts are its own words. */
struct weir_counter_finding {
	size_t kernel;             /* row of `kernels` */
	uint32_t rule, kind, text; /* name ids: "SOLBottleneck", "OPT", a sentence */
	enum weir_finding_scope scope;
	double speedup; /* estimated saving, 0 to 1; NAN: none stated */
};

struct weir_counters {
	struct weir_names *names;
	struct weir_counted_kernel *kernels;
	size_t count, capacity;
	struct weir_counter_finding *findings; /* by kernel as the file has them */
	size_t finding_count, finding_capacity;
};

#define WEIR_MAX_COUNTED_KERNELS  (1u << 20)
#define WEIR_MAX_COUNTER_FINDINGS (1u << 20)
#define WEIR_MAX_FINDING_TEXT     1024 /* bytes that are kept of a finding's text */

struct weir_counters *weir_counters_new(void);
void weir_counters_free(struct weir_counters *counters);

/* A row with nothing measured, at the end; valid until the next call. The caller keeps the limits.
 */
struct weir_counted_kernel *weir_counters_add(struct weir_counters *counters);
void weir_counters_add_finding(struct weir_counters *counters,
                               const struct weir_counter_finding *finding);

/*
 * Fills what follows from the rest: the whole from its halves, bytes from reads and writes or from
 * rate and duration, operations from their rate and the cycles, blocks and threads from the shape
 * of the launch.
 */
void weir_counted_kernel_complete(struct weir_counted_kernel *kernel);

const char *weir_counter_name(enum weir_counter counter);           /* "dram" */
const char *weir_finding_scope_name(enum weir_finding_scope scope); /* "global"; unstated: NULL */

#endif
