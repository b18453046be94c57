/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The finished result of `weir classify`: what weir.report/1 says. Filled by engine/analysis,
 * completed by the rules, and only read by the writers, which compute nothing. NAN is unknown.
 * Everything lives in the report's arena, unless a field says borrowed.
 */
#ifndef WEIR_MODEL_REPORT_H
#define WEIR_MODEL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/model/bound.h"
#include "engine/model/finding.h"
#include "engine/model/profile.h"

/* Nanoseconds as doubles; NAN where there are too few samples to say. */
struct weir_distribution {
	uint64_t count;
	double total_ns, p50_ns, p90_ns, p95_ns, p99_ns;
};

/* Nanoseconds of the analysed wall time a bound holds; [WEIR_BOUND_UNDETERMINED] is unattributed.
 */
struct weir_attribution {
	int64_t ns[WEIR_BOUND_COUNT];
	int64_t total_ns; /* the sum of ns[], exactly */
};

struct weir_device_summary {
	const char *name; /* "NVIDIA H200"; NULL: unknown */
	uint32_t count;
};

struct weir_launch_quantiles {
	double p50_ns, p90_ns, p99_ns;
};

/* Shares of the analysed device time: windows of all devices added. */
struct weir_gpu_figures {
	int64_t window_ns;
	double active, idle, compute, communication, exposed_communication, memcpy, exposed_memcpy;
	double idle_share[WEIR_IDLE_COUNT];
	double kernel_p50_ns;
	uint64_t kernels;
	struct weir_launch_quantiles launch; /* from the return of the launch call to the start of
	                                        the kernel, not queued */
	double graph_share;                  /* of device busy time */
	double mfu, mbu, modelled_share;
};

enum weir_roofline {
	WEIR_ROOFLINE_UNKNOWN,
	WEIR_ROOFLINE_COMPUTE,
	WEIR_ROOFLINE_MEMORY,
	WEIR_ROOFLINE_BALANCED,
	WEIR_ROOFLINE_LATENCY,     /* too short or too small to fill the device */
	WEIR_ROOFLINE_INEFFICIENT, /* far below both roofs and not short */
	WEIR_ROOFLINE_IMPLAUSIBLE, /* the model says more than the device can do: never used */
};

struct weir_stage_row {
	const char *name;
	const char *kind; /* "compute", "preprocess", ...: spec of stage kinds */
	struct weir_distribution duration;
	double share; /* of the analysed wall time that passes in this stage, idle time included */
	double p95_share;    /* of the duration of the iterations around p95 */
	double *duration_ns; /* samples in order of arrival, one an iteration or occurrence:
	                        duration.count of them */
	struct weir_attribution attribution;
	struct weir_verdict verdict;
	double *features; /* one a feature */
};

struct weir_operator_row {
	const char *name;   /* framework operator that launched the work, else the normalised kernel
	                       name */
	const char *kernel; /* the kernel that holds most of its device time */
	const char *stage;  /* NULL: outside any stage */
	const char *device;
	const char *kind; /* family: "gemm", "attention", "elementwise", "communication", ... */
	struct weir_distribution call; /* device time per call */
	double share;                  /* of device busy time */
	double calls_per_iteration;
	double host_self_ns, host_total_ns; /* p50 per call; NAN where no operator is recorded */
	double flops, bytes;                /* per call, modelled */
	double tflops, gbps;                /* achieved */
	enum weir_roofline roofline;
	double efficiency; /* of the nearer roof */
	struct weir_verdict verdict;
	double *features;
};

struct weir_rank_row {
	int64_t rank;
	double active, exposed_communication, wait, transfer, straggler_score;
};

struct weir_recommendation {
	const char *id, *title, *why, *effort;
	double low, high; /* speed-up after the cap; NAN: none */
	double limit; /* the cap itself: the speed-up if all that it can save were saved; NAN: not
	                 known */
};

/* A step or stage occurrence that the steady state leaves out, and why. */
struct weir_set_apart {
	const char *name;   /* "ProfilerStep#4" */
	const char *reason; /* "warm-up: 9.6 ms against a median of 2.9 ms" */
	uint64_t count;
	int64_t duration_ns;
};

struct weir_memory_figures {
	double peak_allocated_bytes, peak_reserved_bytes, fragmentation, leak_bytes_per_step;
	double slow_allocations; /* allocation calls above 1 ms */
};

struct weir_report {
	struct weir_arena *arena;
	const struct weir_profile *profile; /* borrowed: inputs and their warnings */

	struct weir_device_summary *devices;
	size_t device_count;
	uint64_t rank_count;                /* traces with device work */
	uint64_t iteration_count;           /* steady ones */
	struct weir_distribution iteration; /* period of the steady iterations */
	int64_t span_ns;                    /* analysed wall time of one rank (the longest) */
	bool steady;                        /* false: --window all, or nothing to set apart by */

	struct weir_verdict verdict;
	struct weir_attribution attribution;
	bool has_gpu;
	struct weir_gpu_figures gpu;
	bool has_memory;
	struct weir_memory_figures memory;

	struct weir_rank_row *ranks; /* NULL with one rank */
	size_t rank_row_count;
	struct weir_stage_row *stages;
	size_t stage_count;
	struct weir_operator_row *operators; /* sorted by total, descending */
	size_t operator_count;
	struct weir_recommendation *recommendations;
	size_t recommendation_count;
	struct weir_set_apart *set_apart;
	size_t set_apart_count;

	const struct weir_feature_table *feature_table; /* borrowed, static */
	double *features;                               /* of the profile */
};

struct weir_report *weir_report_new(const struct weir_profile *profile);
void weir_report_free(struct weir_report *report);

const char *
weir_roofline_name(enum weir_roofline roofline); /* "memory"; UNKNOWN: NULL (JSON null) */
bool weir_roofline_parse(const char *name, enum weir_roofline *out);
const char *weir_confidence_name(enum weir_confidence confidence); /* "high" */
bool weir_confidence_parse(const char *name, enum weir_confidence *out);

#endif
