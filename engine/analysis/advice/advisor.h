/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * All that transformations know about a run: its program, the device's rates, and the rates that
 * kernels of this very run reach. Filled once; transformations only read it.
 */
#ifndef WEIR_ANALYSIS_ADVICE_ADVISOR_H
#define WEIR_ANALYSIS_ADVICE_ADVISOR_H

#include <pthread.h>
#include <stdbool.h>

#include "engine/analysis/advice/program.h"
#include "engine/analysis/advice/replay.h"
#include "engine/analysis/names/kernels.h"
#include "engine/analysis/roofline/args.h"
#include "engine/model/report.h"

/* The words in which a fix is put. */
enum weir_framework {
	WEIR_FRAMEWORK_OTHER,
	WEIR_FRAMEWORK_OTHER_ROCM,
	WEIR_FRAMEWORK_PYTORCH_CUDA,
	WEIR_FRAMEWORK_PYTORCH_ROCM,
	WEIR_FRAMEWORK_JAX,
	WEIR_FRAMEWORK_COUNT
};

WEIR_ENUM_DECLARE(weir_framework); /* "pytorch-cuda" */

struct weir_advisor;

/* Searches of the whole run whose results several transformations read. */
enum weir_memo {
	WEIR_MEMO_CALLS,    /* struct weir_op_calls */
	WEIR_MEMO_BRANCHES, /* struct weir_branches */
	WEIR_MEMO_VACANT,   /* struct weir_branches, as vacant.h has it */
	WEIR_MEMO_COLLECTIONS,
	WEIR_MEMO_CAPTURES,
	WEIR_MEMO_TRIALS, /* struct weir_trials */
	WEIR_MEMO_COUNT
};

/* Makes and releases one of them; value: zeroed memory of `size` bytes. */
struct weir_memo_type {
	enum weir_memo memo;
	size_t size;
	void (*fill)(void *value, const struct weir_advisor *advisor);
	void (*release)(void *value);
};

struct weir_advisor_memo {
	pthread_mutex_t lock; /* of the search: transformations run on several threads */
	void *value;          /* NULL: not searched yet */
	void (*release)(void *value);
};

struct weir_advisor {
	struct weir_program program;
	const struct weir_report *report; /* borrowed */
	const struct weir_device *peaks;  /* NULL: the device table does not have the device */
	enum weir_framework framework;
	struct weir_host_speed speed, fast, slow; /* of an unprofiled host, and its range */
	bool speed_known;                         /* the unprofiled duration is part of the run */
	double before_ns;                         /* the unprofiled step before any fix */
	/* Host time of an operator that a fix adds, without the profiler: see WEIR_DISPATCH_NS. */
	double operator_ns;
	/* Bytes/s that streaming kernels of this run reach; else the device's sustained rate; NAN:
	 * not known. */
	double bandwidth;
	bool bandwidth_seen;             /* from kernels of this run */
	struct weir_advisor_memo *memos; /* WEIR_MEMO_COUNT; filled on first use */
	uint8_t *families; /* per name of the trace: enum weir_family, for kernels of the program */
};

/* Returns false if the analysis has no program. Release in either case. */
bool weir_advisor_init(struct weir_advisor *advisor, const struct weir_analysis *analysis,
                       const struct weir_report *report);
void weir_advisor_release(struct weir_advisor *advisor);

/* Returns the result of a search, made on the first call; it belongs to the advisor. A search may
 * recall others, but not in a circle. */
const void *weir_advisor_recall(const struct weir_advisor *advisor,
                                const struct weir_memo_type *type);

/* Return the kernel of a job, or its copy; the text is borrowed from the trace. */
const char *weir_advisor_kernel(const struct weir_advisor *advisor, const struct weir_job *job);
/* The innermost operator; "": none. */
const char *weir_advisor_op(const struct weir_advisor *advisor, const struct weir_job *job);
enum weir_family weir_advisor_family(const struct weir_advisor *advisor,
                                     const struct weir_job *job);
/* Returns the assessment of the job's group, whose figures describe one call with all its kernels;
 * NULL: it has none. */
const struct weir_assessment *weir_advisor_assessment(const struct weir_advisor *advisor,
                                                      const struct weir_job *job);
/* Fills the recorded arguments of an operator (host row); false: not recorded. */
bool weir_advisor_args(const struct weir_advisor *advisor, uint32_t op, struct weir_args *args);
/* Returns the recorded call of the job's operator; false: not recorded. */
bool weir_advisor_call(const struct weir_advisor *advisor, const struct weir_job *job,
                       struct weir_call *call);
/* True if the job is a copy between host and device. */
bool weir_advisor_transfers(const struct weir_advisor *advisor, const struct weir_job *job);

/*
 * Returns the time of a kernel by the roofline at rates that such kernels sustain: the larger of
 * its FLOPs and its bytes, and no less than WEIR_SHORTEST_KERNEL_NS. NAN: a rate is not known.
 * efficiency: share of the sustained FLOP rate that is reached.
 */
double weir_advisor_kernel_ns(const struct weir_advisor *advisor, double flops,
                              enum weir_engine engine, enum weir_dtype dtype, double bytes,
                              double efficiency);

/* No kernel is shorter: launch, a wave of blocks and their end. */
#define WEIR_SHORTEST_KERNEL_NS 2000.0
/* Host time to dispatch one operator of an eager framework without the profiler: PyTorch 2 needs 4
 * to 10 us on a fast host. An operator that a fix adds takes as long as those of the run do, if
 * that is more, up to WEIR_SLOWEST_DISPATCH_NS: 15 to 30 us on a slow or busy host. */
#define WEIR_DISPATCH_NS         6000.0
#define WEIR_SLOWEST_DISPATCH_NS 30000.0
/* With fewer launches nothing shows how fast the host is. */
#define WEIR_LEAST_DISPATCHED 16

#endif
