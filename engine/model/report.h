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
#include "engine/model/critical_path.h"
#include "engine/model/detail.h"
#include "engine/model/finding.h"
#include "engine/model/launching.h"
#include "engine/model/memory.h"
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
	struct weir_idle_cause idle_cause[WEIR_IDLE_COUNT];
	double inter_kernel_limit_ns; /* a longer gap is not the device's own */
	struct weir_queue_figures queue;
	struct weir_launch_row *launches; /* by count, the most frequent first */
	size_t launch_count;
	struct weir_host_waits waits;
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

/* Where the figures of a stage come from. */
enum weir_stage_view {
	WEIR_VIEW_TIMELINE, /* occurrences in a device timeline */
	WEIR_VIEW_REQUEST,  /* a part of every request, in order from arrival to response */
	WEIR_VIEW_SERIES,   /* values of a native run */
	WEIR_VIEW_COUNTED,  /* counters and histograms of a server: quantiles have bounds */
};

/* Where a quantile certainly lies; high is INFINITY where it is only known to be at least low. */
struct weir_quantile_bounds {
	double low_ns, high_ns;
};

/* What counters and histograms say of a stage instead of samples. */
struct weir_stage_counted {
	double mean_ns;                                 /* exact */
	struct weir_quantile_bounds p50, p90, p95, p99; /* NAN: only the mean is known */
	bool resolution_limited; /* the buckets are too wide to say where p95 lies */
};

/* The row of a request's time that no stage holds. */
#define WEIR_BETWEEN_STAGES "between stages"

struct weir_stage_row {
	const char *name;
	const char *kind; /* "compute", "preprocess", ...: spec of stage kinds */
	enum weir_stage_view view;
	struct weir_distribution duration;
	double share; /* of the analysed wall time that passes in this stage, idle time included; of
	                 a request stage: of the time of all requests */
	double p95_share; /* of the duration of the iterations or requests around the percentile
	                     that was asked for (p95) */
	double p50_share,
		p99_share; /* the same around p50 and p99; request stages only, else NAN */
	double cost_usd;   /* of this stage for one request, mean; NAN: unknown */
	const struct weir_stage_counted *counted; /* NULL: from samples */
	double *duration_ns; /* samples in order of arrival, one an iteration or occurrence:
	                        duration.count of them */
	struct weir_attribution attribution;
	struct weir_verdict verdict;
	double *features; /* one a feature */
};

/* What counters measured of an operator's calls, and what its model expected of them. */
struct weir_operator_counted {
	double share; /* of its device time that counters judge; 0: none, the rest is NAN */
	double dram_bytes, vector_flops, matrix_flops, flops; /* per call; flops: both */
	double intensity;                                     /* operations a byte of the memory */
	double expected_bytes;       /* at the memory, per call that has a model: see traffic.h */
	double bytes_ratio;          /* expected over measured, of the same calls */
	bool beyond_cache;           /* the tensors of these are larger than the cache */
	enum weir_roofline modelled; /* what the model called the largest group; UNKNOWN: none */
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
	struct weir_operator_counted counted;
	struct weir_verdict verdict;
	double *features;
};

/* Graphs beyond the largest so many are left out, and positions beyond so many of all of them. */
#define WEIR_MAX_GRAPH_ROWS          256
#define WEIR_MAX_GRAPH_POSITION_ROWS 16384

/* One kernel, copy or fill of a graph. Its place in `positions` is its identity, in every run. */
struct weir_graph_position {
	const char *kernel; /* as people read it */
	const char *kind;   /* family: "gemm" */
	const char *op;     /* taken over from the same work op by op; NULL: not known */
	uint32_t stream;    /* by weight: 0 holds most kernels */
	uint32_t blocks, threads_per_block; /* 0: unknown */
	double offset_ns;                   /* p50, behind the start of the replay */
	double gap_ns;                      /* p50, idle before it */
	struct weir_distribution duration;  /* one a replay */
	double share;                       /* of the time of all kernels of the graph */
	/* Modelled, of one replay: of its operator's the part that it has of its time. Rates and
	 * class are those of the operator. */
	double flops, bytes, tflops, gbps, efficiency;
	enum weir_roofline roofline;
};

/* A graph over all its replays, see engine/analysis/graphs/graphs.h. */
struct weir_graph_row {
	const char *signature; /* 16 hexadecimal digits, the same in every run */
	const char *stage;     /* in which it is replayed; NULL: in none, or in several */
	const char *source;    /* path of the input that operators come from; NULL: none */
	uint64_t replays, nodes, streams;
	uint64_t matched;                /* positions with an operator */
	enum weir_confidence confidence; /* of these, where there are any */
	double share;                    /* of device busy time */
	struct weir_distribution span;   /* of a replay: first start to last end */
	struct weir_distribution busy;   /* the union of its work in it */
	struct weir_distribution idle;   /* the rest of the span */
	double gap_p50_ns;               /* of the gaps between its work; NAN: one node */
	/* p50 of the time in gaps that no device leaves by itself: work or waiting that is not
	 * recorded. 0: no sign of it; NAN: too few replays to say. */
	double unrecorded_ns;
	double widest; /* position behind the widest gap; NAN: none */
	struct weir_graph_position *positions;
	size_t position_count; /* 0: left out */
};

/* Why a rank reaches collectives behind the others. */
enum weir_late_by {
	WEIR_LATE_BY_UNKNOWN, /* also: it is not late */
	WEIR_LATE_BY_DEVICE,  /* its device had more work before the collective */
	WEIR_LATE_BY_HOST,    /* its device idled until the host launched */
	WEIR_LATE_BY_COUNT
};

struct weir_rank_row {
	int64_t rank;
	double active, exposed_communication; /* shares of its analysed time */
	double wait, transfer;                /* shares of its time in matched collectives */
	double straggler_score; /* share of all waiting that it alone causes, by arriving last */
	enum weir_late_by late_by;
	double collectives;     /* matched ones; NAN: none */
	double bus_bytes_per_s; /* during transfers; NAN: sizes are not recorded */
	double link_share;      /* of what the link carries in one direction */
	double clock_offset_ns; /* added to its clock so that collectives end together */
};

struct weir_recommendation {
	const char *id, *title, *why, *effort;
	double low, high; /* speed-up after the cap; NAN: none */
	double limit; /* the cap by its share of the time: the speed-up if all that it can save were
	                 saved; NAN: not known */
	/* The cap by the timeline: what a step would take with the class times the factor. */
	const char *saving_class; /* NULL: no timeline says */
	double saving_factor, saving_step_ns, saving_speedup;
};

/* What a stage would take after a change; NAN: not known. */
struct weir_what_if_stage {
	const char *name;
	double p50_ns, speedup;
};

/* What a step would take with the time of one class changed; NAN: not known. */
struct weir_what_if {
	const char *class_name;            /* "runtime", "dispatch" */
	double factor;                     /* of its time; 0: removed */
	double step_ns, speedup;           /* p50 after, p50 before over that */
	struct weir_what_if_stage *stages; /* those of the timeline */
	size_t stage_count;
};

/* What profiling cost, where an input tells the time without it. */
struct weir_profiler_cost {
	double inflation;   /* profiled over unprofiled time, p50 */
	const char *source; /* path of the input that tells; NULL: none does */
};

/* A step or stage occurrence that the steady state leaves out, and why. */
struct weir_set_apart {
	const char *name;   /* "ProfilerStep#4" */
	const char *reason; /* "warm-up: 9.6 ms against a median of 2.9 ms" */
	uint64_t count;
	int64_t duration_ns;
};

/* Sizes of batches: requests in one execution, weighted by executions. */
struct weir_batch_sizes {
	double mean, p50, p90, p95, p99, max;
};

/* What serving costs, in US dollars or the currency that the billing export names. Formulas:
 * engine/analysis/requests/cost.h. NAN is unknown. */
struct weir_cost {
	const char *currency, *source; /* "USD"; "--cost-per-gpu-hour", "weir.json", a file */
	double per_gpu_hour, gpus;
	double total;       /* of the analysed window */
	double per_request; /* busy + idle */
	double per_request_busy, per_request_idle;
	double per_request_padding; /* the part of busy that computes padding, at most */
	double per_request_gaps;    /* the part of busy between kernels: recoverable */
	double per_million_tokens, per_million_input_tokens, per_million_output_tokens;
	double tokens_per_unit, output_tokens_per_unit; /* for one dollar */
	double scale; /* busy device time over the time that stages account for; 1 is exact */
};

/* How the requests of a run were served. Shares of waiting are of the time in queue stages of the
 * requests around the percentile; NAN is unknown. */
struct weir_request_figures {
	uint64_t count, failed;
	bool sampled, client;
	struct weir_distribution latency;     /* arrival to response */
	double *latency_ns;                   /* one a request, by arrival */
	struct weir_distribution first_token; /* count 0: not known */
	struct weir_batch_sizes batch;
	double padding_waste;   /* computed tokens that are padding */
	double flat_step_ratio; /* see the feature of this name */
	double throughput_per_s, requested_per_s;
	double tokens_per_s, output_tokens_per_s;
	double concurrency;  /* requests in flight, mean over time */
	double compute_busy; /* share of the time in which any request computes */
	double host_busy;    /* share of it in which any request is in a host stage */
	double wait_compute; /* waiting while the device computed for others */
	double wait_copy;    /* waiting while data of others were copied */
	double wait_host;    /* waiting while the host worked for others, device idle */
	double wait_idle;    /* waiting while nothing worked: for a batch to fill */
	double batch_fill;   /* batches formed while others waited, of the largest batch */
	double goodput_per_s, goodput_share; /* requests within every limit of the configuration */
	const struct weir_cost *cost;        /* NULL: no price known */
};

/* What monitors of the devices say of the analysed window. */
struct weir_telemetry_figures {
	uint64_t samples, devices;
	const char *device_name; /* NULL: not given */
	int64_t span_ns;         /* 0: no times */
	bool aligned;            /* only samples within the time of the other inputs */
	double utilization;      /* mean while in use */
	double utilization_all;  /* mean over all samples */
	double power_w, power_max_w, power_limit_w;
	double sm_clock_mhz, sm_clock_max_mhz; /* mean while in use; highest seen or stated */
	double temperature_max_c, memory_used_max_bytes;
	double power_capped, thermal_capped; /* share of the time in use with clocks held down */
	double sm_active, tensor_active, dram_active; /* mean while in use */
};

/* What a rule of the counter profiler itself says of a kernel, in its words. */
struct weir_counter_remark {
	const char *rule, *kind, *text; /* "LaunchConfiguration", "OPT", a sentence */
	enum weir_finding_scope scope;
	double speedup; /* its estimate of what can be saved, 0 to 1; NAN: none stated */
	uint64_t count; /* launches that it is said of; the estimate is the largest */
};

#define WEIR_MAX_COUNTER_ROWS 1024 /* kernels beyond the largest so many are left out */

/* A kernel in one shape as counters measured it, mean over its launches. */
struct weir_counter_row {
	const char *kernel;
	uint32_t grid[3], block[3]; /* 0: not known */
	uint64_t count;             /* launches with a duration */
	double mean_ns;
	double value[WEIR_COUNTER_COUNT];
	struct weir_counter_remark *remarks; /* one a rule */
	size_t remark_count;
};

#define WEIR_MAX_HOST_FUNCTION_ROWS 100 /* functions beyond the largest so many are left out */

/* A function in profiles of the host; shares of all their time. */
struct weir_host_function_row {
	const char *function, *file; /* NULL: not known */
	double self, total;          /* own, and with what it calls */
};

/* What profiles of the host say; never time of the device. */
struct weir_host_figures {
	enum weir_host_unit unit;
	uint64_t profiles;
	double total;                             /* in the unit */
	double idle;                              /* of total and idle time together */
	struct weir_host_function_row *functions; /* by own time, the largest first */
	size_t function_count;
};

/* What joining the inputs showed: a contradiction, an assumption, a gap. */
struct weir_note {
	const char *code; /* "contradiction", "clock_offset" */
	const char *text; /* one sentence */
};

struct weir_report {
	struct weir_arena *arena;
	const struct weir_profile *profile; /* borrowed: inputs and their warnings */

	struct weir_device_summary *devices;
	size_t device_count;
	uint64_t rank_count;                /* traces with device work */
	uint64_t iteration_count;           /* steady ones */
	struct weir_distribution iteration; /* period of the steady iterations */
	double percentile;                  /* at which shares are read: 0.95 */
	int64_t span_ns;                    /* analysed wall time of one rank (the longest) */
	bool steady;                        /* false: --window all, or nothing to set apart by */

	struct weir_verdict verdict;
	/* Of the analysed wall time; with requests, of the time of those around the percentile. */
	struct weir_attribution attribution;
	struct weir_attribution
		device_attribution; /* of the timeline, in the time that is judged */
	bool has_gpu;
	struct weir_gpu_figures gpu;
	bool has_requests;
	struct weir_request_figures requests;
	bool has_telemetry;
	struct weir_telemetry_figures telemetry;
	bool has_memory;
	struct weir_memory_figures memory;
	struct weir_counter_row *counters; /* by time, the largest first */
	size_t counter_count;
	struct weir_host_figures *host; /* NULL: no profile of the host */
	struct weir_note *notes;
	size_t note_count;

	struct weir_rank_row *ranks; /* NULL with one rank */
	size_t rank_row_count;
	struct weir_stage_row *stages;
	size_t stage_count;
	struct weir_operator_row *operators; /* sorted by total, descending */
	size_t operator_count;
	struct weir_graph_row *graphs; /* by time, the largest first */
	size_t graph_count;
	struct weir_recommendation *recommendations;
	size_t recommendation_count;
	struct weir_what_if *what_ifs; /* in the order in which they were asked */
	size_t what_if_count;
	struct weir_profiler_cost profiler;
	const struct weir_critical_path *critical_path; /* NULL: no timeline of a device */
	struct weir_set_apart *set_apart;
	size_t set_apart_count;

	const struct weir_detail *detail; /* NULL: not asked for, or a stored report */

	const struct weir_feature_table *feature_table; /* borrowed, static */
	double *features;                               /* of the profile */
};

struct weir_report *weir_report_new(const struct weir_profile *profile);
void weir_report_free(struct weir_report *report);

const char *
weir_roofline_name(enum weir_roofline roofline); /* "memory"; UNKNOWN: NULL (JSON null) */
bool weir_roofline_parse(const char *name, enum weir_roofline *out);
const char *weir_stage_view_name(enum weir_stage_view view); /* "request" */
bool weir_stage_view_parse(const char *name, enum weir_stage_view *out);
const char *weir_late_by_name(enum weir_late_by late_by); /* "host"; NULL: unknown */
bool weir_late_by_parse(const char *name, enum weir_late_by *out);
const char *weir_confidence_name(enum weir_confidence confidence); /* "high" */
bool weir_confidence_parse(const char *name, enum weir_confidence *out);

#endif
