/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The finished result of `weir classify`: the content of weir.report/1. engine/analysis fills it,
 * the rules complete it, and the writers only read it and compute nothing. NAN is unknown.
 * Everything lives in the report's arena, unless a field is marked as borrowed.
 */
#ifndef WEIR_MODEL_REPORT_H
#define WEIR_MODEL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/model/bound.h"
#include "engine/model/critical_path.h"
#include "engine/model/finding.h"
#include "engine/model/fix.h"
#include "engine/model/job.h"
#include "engine/model/launch_figures.h"
#include "engine/model/memory_figures.h"
#include "engine/model/pictures.h"
#include "engine/model/profile.h"
#include "engine/model/server_figures.h"
#include "engine/model/timeline_detail.h"

/* Nanoseconds as doubles; NAN: too few samples. */
struct weir_distribution {
	uint64_t count;
	double total_ns, p50_ns, p90_ns, p95_ns, p99_ns;
};

/* Nanoseconds of the analysed wall time attributed to each bound; [WEIR_BOUND_UNDETERMINED] is
 * unattributed time. */
struct weir_attribution {
	int64_t ns[WEIR_BOUND_COUNT];
	int64_t total_ns; /* sum of ns[], exactly */
};

struct weir_device_summary {
	const char *name; /* "NVIDIA H200"; NULL: unknown */
	uint32_t count;
};

struct weir_launch_quantiles {
	double p50_ns, p90_ns, p99_ns;
};

/* Shares of the analysed device time: the sum of the windows of all devices. */
struct weir_gpu_figures {
	int64_t window_ns;
	double active, idle, compute, communication, exposed_communication, memcpy, exposed_memcpy;
	double idle_share[WEIR_IDLE_COUNT];
	double kernel_p50_ns;
	uint64_t kernels;
	struct weir_launch_quantiles launch; /* launch latency of kernels that did not queue */
	double graph_share;                  /* share of device busy time */
	double mfu, mbu, modelled_share;
	struct weir_idle_cause idle_cause[WEIR_IDLE_COUNT];
	double inter_kernel_limit_ns; /* longer gaps are not the device's own */
	struct weir_queue_figures queue;
	struct weir_launch_row *launches; /* by count, most frequent first */
	size_t launch_count;
	struct weir_host_waits waits;
};

enum weir_roofline {
	WEIR_ROOFLINE_UNKNOWN,
	WEIR_ROOFLINE_COMPUTE,
	WEIR_ROOFLINE_MEMORY,
	WEIR_ROOFLINE_BALANCED,
	WEIR_ROOFLINE_LATENCY,     /* kernel too short or too small to fill the device */
	WEIR_ROOFLINE_INEFFICIENT, /* far below both roofs, and not short */
	WEIR_ROOFLINE_IMPLAUSIBLE, /* the model exceeds the device's peak: the value is never used
	                            */
};

/* Source of a stage's figures. */
enum weir_stage_view {
	WEIR_VIEW_TIMELINE, /* intervals of a device timeline */
	WEIR_VIEW_REQUEST,  /* a part of every request, in order from arrival to response */
	WEIR_VIEW_SERIES,   /* values of a native run */
	WEIR_VIEW_COUNTED,  /* a server's counters and histograms: quantiles have bounds */
};

/* Interval that contains a quantile. high is INFINITY if only the lower bound is known. */
struct weir_quantile_bounds {
	double low_ns, high_ns;
};

/* Figures of a stage from counters and histograms, without samples. */
struct weir_stage_counted {
	double mean_ns;                                 /* exact */
	struct weir_quantile_bounds p50, p90, p95, p99; /* NAN: only the mean is known */
	bool resolution_limited;                        /* the buckets are too wide to locate p95 */
};

/* Name of the row for request time outside all stages. */
#define WEIR_BETWEEN_STAGES "between stages"

struct weir_stage_row {
	const char *name;
	const char *kind; /* kind of stage: "compute", "preprocess" */
	enum weir_stage_view view;
	struct weir_distribution duration;
	double share; /* share of the analysed wall time inside the stage, including idle time; of a
	                 request stage: share of the time of all requests */
	double p95_share; /* share of the duration of the iterations or requests around the
	                     requested percentile (p95) */
	double p50_share,
		p99_share; /* the same around p50 and p99; NAN unless it is a request stage */
	double cost_usd;   /* mean cost of this stage for one request; NAN: unknown */
	const struct weir_stage_counted *counted; /* NULL: figures come from samples */
	double *duration_ns; /* duration.count samples in order of arrival, one per iteration or
	                        interval */
	struct weir_attribution attribution;
	struct weir_verdict verdict;
	double *features; /* one value per feature */
};

/* Counter measurements of an operator's calls, and the values that its model predicts for them. */
struct weir_operator_counted {
	double share; /* share of its device time covered by counters; 0: none, and the others are
	                 NAN */
	double dram_bytes, vector_flops, matrix_flops, flops; /* per call; flops: the sum of both */
	double intensity;      /* arithmetic intensity: FLOPs over DRAM bytes */
	double expected_bytes; /* DRAM bytes per modelled call: see traffic.h */
	double bytes_ratio;    /* expected over measured bytes of the same calls */
	bool beyond_cache;     /* the tensors of these calls are larger than the cache */
	enum weir_roofline
		modelled; /* class predicted by the model for the largest group; UNKNOWN: none */
};

/* Kernels, shapes and call sites that a row lists; smaller ones are left out. */
#define WEIR_MAX_OPERATOR_PARTS 5

/* A kernel of an operator, over all its instances. */
struct weir_operator_kernel {
	const char *name; /* readable name */
	uint64_t count;   /* launches */
	double total_ns;
};

/* A shape of an operator: dims and types of its arguments as JSON text. */
struct weir_operator_shape {
	const char *dims, *types;
	uint64_t count; /* calls */
	double total_ns;
	enum weir_roofline roofline;
	double efficiency; /* share of the nearer roof */
};

/* The Python frame or range that calls an operator, in the median step. */
struct weir_operator_site {
	const char *frame;
	uint64_t count; /* calls in the step */
	double step_ns; /* device time in the step */
};

struct weir_operator_row {
	const char *name;   /* framework operator that launched the work, else the normalised kernel
	                       name */
	const char *kernel; /* the kernel that holds most of its device time */
	const char *stage;  /* NULL: outside all stages */
	const char *device;
	const char *kind; /* family: "gemm", "attention", "elementwise", "communication" */
	struct weir_distribution call; /* device time per call */
	double share;                  /* share of device busy time */
	double calls_per_iteration;
	double host_self_ns, host_total_ns; /* p50 per call; NAN: no operator is recorded */
	double flops, bytes;                /* modelled, per call */
	double tflops, gbps;                /* achieved */
	enum weir_roofline roofline;
	double efficiency; /* share of the nearer roof */
	struct weir_operator_counted counted;
	struct weir_verdict verdict;
	double *features;
	/* The largest of each, and how many there are in all. */
	struct weir_operator_kernel *kernels;
	size_t kernel_count;
	struct weir_operator_shape *shapes; /* none if shapes are not recorded */
	size_t shape_count;
	struct weir_operator_site *sites; /* none without frames and ranges */
	size_t site_count;
	uint64_t all_kernels, all_shapes, all_sites;
};

/* Smaller graphs are left out, and positions beyond this number in all graphs together. */
#define WEIR_MAX_GRAPH_ROWS          256
#define WEIR_MAX_GRAPH_POSITION_ROWS 16384

/* One kernel, copy or memset of a graph. Its index in `positions` identifies it in every run. */
struct weir_graph_position {
	const char *kernel; /* readable name */
	const char *kind;   /* family: "gemm" */
	const char *op;     /* operator found by matching a run without graphs; NULL: not known */
	uint32_t stream;    /* by number of kernels: 0 holds most of them */
	uint32_t blocks, threads_per_block; /* 0: unknown */
	double offset_ns;                   /* p50 of the time from the start of the replay */
	double gap_ns;                      /* p50 of the idle time before it */
	struct weir_distribution duration;  /* one sample per replay */
	double share;                       /* share of the time of all kernels of the graph */
	/* Modelled for one replay: the operator's figures, scaled by the position's share of the
	 * operator's time. Rates and class are copied from the operator. */
	double flops, bytes, tflops, gbps, efficiency;
	enum weir_roofline roofline;
};

/* A graph over all its replays, see engine/analysis/graphs/graphs.h. */
struct weir_graph_row {
	const char *signature; /* 16 hexadecimal digits, the same in every run */
	const char *stage;     /* the stage that replays it; NULL: none or several */
	const char *source;    /* path of the input with the operators; NULL: none */
	uint64_t replays, nodes, streams;
	uint64_t matched;                /* number of positions with an operator */
	enum weir_confidence confidence; /* confidence of the matches, if there are any */
	double share;                    /* share of device busy time */
	struct weir_distribution span;   /* of one replay: from the first start to the last end */
	struct weir_distribution busy;   /* union of the work of a replay */
	struct weir_distribution idle;   /* span minus busy time */
	double gap_p50_ns; /* p50 of the gaps between works; NAN: the graph has one node */
	/* p50 of the time in gaps that are longer than a device leaves by itself: unrecorded work
	 * or waiting. 0: none; NAN: too few replays. */
	double unrecorded_ns;
	double widest; /* position after the widest gap; NAN: none */
	struct weir_graph_position *positions;
	size_t position_count; /* 0: the positions were left out */
};

/* A rank, or a device of a rank that uses several. */
struct weir_rank_row {
	int64_t rank;
	double active, exposed_communication; /* shares of its analysed time */
	double wait, transfer;                /* shares of its time in matched collectives */
	double straggler_score; /* share of all waiting that this rank alone causes by arriving last
	                         */
	enum weir_late_by late_by;
	double collectives;     /* number of matched collectives; NAN: none */
	double bus_bytes_per_s; /* bus bandwidth during transfers; NAN: sizes are not recorded */
	double link_share;      /* share of the link's bandwidth in one direction */
	double clock_offset_ns; /* added to its clock, so that collectives end together on all ranks
	                         */
	int64_t device; /* id of the device; figures of collectives are NAN. -1: the whole rank */
};

/* A change with its places, its costs and its predicted gain; the members of the JSON. */
struct weir_recommendation {
	const char *id, *title, *why;
	const char *how; /* the flag, call or setting; NULL: the title says it */
	const char *effort;
	const char *numerics; /* what may change in the results; NULL: not stated */
	double low, high;     /* typical speed-up after the cap; NAN: none */
	double limit; /* Amdahl limit 1 / (1 - share): the speed-up if all of the share were saved;
	                 NAN: not known */
	/* Prediction from the timeline: the step after the change, its range, and on what it rests.
	 * NAN: not known. */
	const char *saving_basis; /* NULL: nothing in the profile bears on it */
	double saving_step_ns, saving_low_ns, saving_high_ns, saving_speedup;
	double saving_before_ns; /* the step before the change, without the profiler */
	/* "step", or "trace" if no step of the trace stands for the others: then the times are
	 * those of all analysed work; "row" if those behind the change are of one row of a batch,
	 * each of which took a step. NULL: no prediction. */
	const char *saving_of;
	const struct weir_fix_place *places; /* worst first */
	size_t place_count;
	const struct weir_need *needs;
	size_t need_count;
	const char *instead; /* ids of fixes for the same time, "compile, warm-up"; NULL: none */
};

/* Predicted duration of a stage after a change; NAN: not known. */
struct weir_what_if_stage {
	const char *name;
	double p50_ns, speedup;
};

/* Predicted duration of a step with the time of one class changed; NAN: not known. */
struct weir_what_if {
	const char *class_name;            /* "runtime", "dispatch" */
	double factor;                     /* factor of its time; 0: removed */
	double step_ns, speedup;           /* p50 after the change, and p50 before over p50 after */
	struct weir_what_if_stage *stages; /* stages of the timeline */
	size_t stage_count;
};

/* Overhead of profiling, if an input has unprofiled times. */
struct weir_profiler_cost {
	double inflation;   /* p50 with profiling over p50 without */
	const char *source; /* path of the input with unprofiled times; NULL: none */
};

/* A step or a stage interval that the steady state excludes, and the reason. */
struct weir_set_apart {
	const char *name;   /* "ProfilerStep#4" */
	const char *reason; /* "warm-up: 9.6 ms against a median of 2.9 ms" */
	uint64_t count;
	int64_t duration_ns;
};

/* Batch sizes: requests in one execution, weighted by executions. */
struct weir_batch_sizes {
	double mean, p50, p90, p95, p99, max;
};

/* Cost of serving, in US dollars or in the currency of the billing export. Formulas:
 * engine/analysis/requests/cost.h. NAN is unknown. */
struct weir_cost {
	const char *currency, *source; /* "USD"; "--cost-per-gpu-hour", "weir.json", a file */
	double per_gpu_hour, gpus;
	double total;       /* cost of the analysed window */
	double per_request; /* busy + idle */
	double per_request_busy, per_request_idle;
	double per_request_padding; /* upper limit of the part of busy that computes padding */
	double per_request_gaps;    /* part of busy between kernels: recoverable */
	double per_million_tokens, per_million_input_tokens, per_million_output_tokens;
	double tokens_per_unit, output_tokens_per_unit; /* tokens per unit of currency */
	double scale; /* busy device time over the time in stages; 1: exact */
};

/* Figures of the requests of a run. Shares of waiting refer to the time in queue stages of the
 * requests around the percentile. NAN is unknown. */
struct weir_request_figures {
	uint64_t count, failed;
	bool all_failed; /* no request was answered: `count` and all times are of failed ones */
	bool sampled, client;
	struct weir_distribution latency;     /* from arrival to response */
	double *latency_ns;                   /* one per request, in order of arrival */
	struct weir_distribution first_token; /* count 0: not known */
	/* Bounds of histograms; a quantile beyond the last bucket is known by its bounds only.
	 * NULL: the distributions come from samples. */
	const struct weir_stage_counted *latency_counted, *first_token_counted;
	struct weir_batch_sizes batch;
	double padding_waste;   /* share of computed tokens that are padding */
	double flat_step_ratio; /* the feature of this name */
	double throughput_per_s, requested_per_s;
	double tokens_per_s, output_tokens_per_s;
	double concurrency;  /* mean number of requests in flight */
	double compute_busy; /* share of the time in which any request computes */
	double host_busy;    /* share of the time in which any request is in a host stage */
	double wait_compute; /* share of waiting while the device computed for other requests */
	double wait_copy;    /* share of waiting while data of other requests was copied */
	double wait_host;    /* share of waiting while the host worked for others and the device was
	                        idle */
	double wait_idle;    /* share of waiting while nothing ran, for example to fill a batch */
	double batch_fill; /* size of batches formed while others waited, over the largest batch */
	double goodput_per_s,
		goodput_share; /* requests that met every latency target of the configuration */
	const struct weir_cost *cost; /* NULL: no price is known */
};

/* Traffic of one device on PCIe and NVLink, mean over all samples; NAN: not stated. */
struct weir_transfer_figures {
	double to_host_bytes_per_s, from_host_bytes_per_s;
	double link_sent_bytes_per_s, link_received_bytes_per_s;
};

/* Figures of device monitors in the analysed window. */
/* Means of one device over all its samples. */
struct weir_device_use {
	const char *id;              /* NULL: no such device */
	size_t alike;                /* devices with this use */
	double utilization, power_w; /* NAN: not stated */
};

struct weir_telemetry_figures {
	uint64_t samples, devices;
	const char *device_name; /* distinct names, joined by ", "; NULL: not stated */
	bool mixed_devices;      /* of several names, or some without one */
	int64_t span_ns;         /* 0: no time stamps */
	bool aligned;            /* only samples within the time range of the other inputs */
	double utilization;      /* mean while in use */
	double utilization_all;  /* mean over all samples */
	double power_w, power_max_w, power_limit_w;
	double board_power_w, board_power_max_w; /* of a board with host and device */
	struct weir_device_use busiest, idlest;  /* by utilisation, else by power; NULL ids: one
	                                            device, or neither is stated */
	double sm_clock_mhz, sm_clock_max_mhz;   /* mean while in use; maximum, if stated */
	double temperature_max_c, memory_used_max_bytes;
	double memory_total_bytes; /* of a device; NAN: not stated, or devices differ */
	/* Means over all samples. */
	double power_all_w, sm_clock_all_mhz, memory_clock_all_mhz, memory_activity_all;
	double power_capped, thermal_capped; /* share of the time in use with reduced clocks */
	double sm_active, tensor_active, dram_active; /* mean while in use */
	double engine_active; /* mean over all samples; NAN: not stated beside a utilisation */
	bool has_transfers;
	struct weir_transfer_figures transfers;
};

/* Advice of the counter profiler's own rules about a kernel, in its words. */
struct weir_counter_remark {
	const char *rule, *kind, *text; /* "LaunchConfiguration", "OPT", a sentence */
	enum weir_finding_scope scope;
	double speedup; /* its estimate of the saving, 0 to 1; NAN: not stated */
	uint64_t count; /* launches with this advice; the estimate is their largest */
};

#define WEIR_MAX_COUNTER_ROWS 1024 /* smaller kernels are left out */

/* Counter measurements of a kernel in one launch configuration, mean over its launches. */
struct weir_counter_row {
	const char *kernel;
	uint32_t grid[3], block[3]; /* 0: not known */
	uint64_t count;             /* launches with a duration */
	double mean_ns;
	double value[WEIR_COUNTER_COUNT];
	struct weir_counter_remark *remarks; /* one per rule */
	size_t remark_count;
};

#define WEIR_MAX_HOST_FUNCTION_ROWS 100 /* smaller functions are left out */

/* A function in host profiles, with shares of their total time. */
struct weir_host_function_row {
	const char *function, *file; /* NULL: not known */
	double self, total;          /* self time, and time including callees */
	double calls;                /* 0: not known */
	double largest_sample;       /* share of the heaviest one that ends here; 0: not known */
	uint32_t line;               /* of the definition, if `file` lacks it; 0: not known */
};

/* Figures of host profiles; never device time. */
struct weir_host_figures {
	enum weir_host_unit unit;
	const char *event; /* counted instead of time; NULL: the weights are time */
	uint64_t threads;  /* number of threads in the total; 0: not stated */
	uint64_t samples;  /* number of samples in the total; 0: not stated, or the total */
	bool cycles;       /* the events are cycles of the processor */
	bool occurrences;  /* the events are occurrences of a tracepoint or probe */
	double calls;      /* of all functions; 0: not stated */
	uint64_t profiles;
	double total;                             /* total weight in the unit */
	double idle;                              /* share of total and idle time together */
	struct weir_host_function_row *functions; /* by self time, largest first */
	size_t function_count;
};

/* Code of the note that stages include the time of their work in the device's queue. */
#define WEIR_NOTE_QUEUEING "stage_queueing"
/* Code of the note that verdict and attribution leave out time without submitted work. */
#define WEIR_NOTE_NO_WORK "no_work"

/* Host threads of timelines without device work. Shares refer to the time from the first start to
 * the last end of host rows, summed over the traces. */
struct weir_host_operators {
	uint64_t calls;    /* operators, nested ones included */
	uint64_t threads;  /* threads that ran one */
	uint64_t launches; /* calls that launch device work, which is not in the trace */
	double busy;       /* share of the time in which any thread runs an operator */
	double parallel;   /* mean number of threads that do, in that time; NAN: no operator */
	double loading, communication; /* shares of the time */
	double cold;                   /* share of the time in which code is loaded or compiled */
	double waiting; /* share of the time in which a thread waits for a device in a call */
	/* Share of operators' self time in those below 10 us; NAN: no operator of a framework. */
	double short_operators;
	/* Share of the time in such operators and in gaps below 200 us between operators; NAN: as
	 * above. */
	double dispatch;
	/* Shares of the time between runs of the model, and in a run between its operators; NAN:
	 * fewer than two runs are marked. */
	double between_runs, idle_in_runs;
	/* Share of the time in a run before its first operator and after its last one, in which a
	 * device may work; 0 if all operators ran on the processor. */
	double run_ends;
	bool on_processor; /* every operator states that it ran on the processor */
};

/* A finding from joining the inputs: a contradiction, an assumption, a gap. */
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
	uint64_t iteration_count;           /* number of steady iterations */
	struct weir_distribution iteration; /* period of the steady iterations */
	double percentile;                  /* percentile of the shares: 0.95 */
	int64_t span_ns;                    /* analysed wall time of the rank with the longest */
	bool steady;                        /* false: --window all, or no steps to exclude */

	struct weir_verdict verdict;
	/* Share of the analysed wall time; with requests, of the requests around the percentile. */
	struct weir_attribution attribution;
	struct weir_attribution
		device_attribution; /* attribution of the timeline within the judged time */
	bool has_gpu;
	struct weir_gpu_figures gpu;
	bool has_requests;
	struct weir_request_figures requests;
	bool has_telemetry;
	struct weir_telemetry_figures telemetry;
	const struct weir_server_figures *server; /* NULL: no state of a server is known */
	const char *scraped_server; /* whose metrics pages are analysed: "vLLM"; static; NULL */
	bool served_nothing;        /* the count of requests of that server is 0 */
	bool scraped_once;          /* its counters are since its start */
	bool has_memory;
	struct weir_memory_figures memory;
	struct weir_counter_row *counters; /* by time, largest first */
	size_t counter_count;
	struct weir_host_figures *host;             /* NULL: no host profile */
	struct weir_host_operators *host_operators; /* NULL: device work, or no timeline */
	struct weir_note *notes;
	size_t note_count;

	struct weir_rank_row *ranks; /* NULL: one rank with one device */
	size_t rank_row_count;
	struct weir_job_figures *job; /* NULL: few ranks, and none stands out */
	struct weir_stage_row *stages;
	size_t stage_count;
	struct weir_operator_row *operators; /* by total time, descending */
	size_t operator_count;
	struct weir_graph_row *graphs; /* by time, largest first */
	size_t graph_count;
	struct weir_recommendation *recommendations;
	size_t recommendation_count;
	struct weir_what_if *what_ifs; /* in the order of the options */
	size_t what_if_count;
	struct weir_profiler_cost profiler;
	double unprofiled_step_ns; /* one step without the profiler, estimated from the timeline or
	                              from unprofiled times among the inputs; NAN: not known */
	const struct weir_critical_path *critical_path; /* NULL: no device timeline */
	struct weir_set_apart *set_apart;
	size_t set_apart_count;

	struct weir_pictures *pictures;   /* NULL: nothing to draw beyond the tables */
	const struct weir_detail *detail; /* NULL: not requested, or a stored report */

	const struct weir_feature_table *feature_table; /* borrowed, static */
	double *features;                               /* features of the profile */
};

struct weir_report *weir_report_new(const struct weir_profile *profile);
void weir_report_free(struct weir_report *report);

/* Returns true if the report has a note with this code. */
bool weir_report_has_note(const struct weir_report *report, const char *code);

/* Find the recommendation of a fix, and the one that names the fix as its alternative; NULL: none.
 */
const struct weir_recommendation *weir_recommendation_find(const struct weir_report *report,
                                                           const char *id);
const struct weir_recommendation *weir_recommendation_instead(const struct weir_report *report,
                                                              const char *id);

/* Returns true if the trace holds copies alone and cannot show that no kernel ran: whether the
 * device idles is unknown. */
bool weir_report_lacks_kernels(const struct weir_report *report);

/* Adds a note, up to 32 of them. The code is static, the text is formatted into the report's arena.
 */
void weir_report_note(struct weir_report *report, const char *code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

WEIR_ENUM_DECLARE(weir_roofline);   /* "memory"; unknown: NULL */
WEIR_ENUM_DECLARE(weir_stage_view); /* "request" */
WEIR_ENUM_DECLARE(weir_confidence); /* "high" */

#endif
