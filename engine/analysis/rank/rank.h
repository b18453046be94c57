/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Derives everything from one trace, in this order: relations, steps, segments, groups of device
 * work with their rooflines, figures of launches and memory. Ranks share no data that is written
 * to.
 */
#ifndef WEIR_ANALYSIS_RANK_RANK_H
#define WEIR_ANALYSIS_RANK_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/graphs/graph_captures.h"
#include "engine/analysis/graphs/graphs.h"
#include "engine/analysis/rank/features.h"
#include "engine/analysis/rank/ledger.h"
#include "engine/analysis/roofline/devices.h"
#include "engine/analysis/roofline/roofline.h"
#include "engine/analysis/roofline/shapes.h"
#include "engine/analysis/roofline/work.h"
#include "engine/analysis/timeline/activity.h"
#include "engine/analysis/timeline/groups.h"
#include "engine/analysis/timeline/launches.h"
#include "engine/analysis/timeline/loading_steps.h"
#include "engine/analysis/timeline/memory.h"
#include "engine/analysis/timeline/queue.h"
#include "engine/analysis/timeline/segments.h"
#include "engine/analysis/timeline/steps.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/model/report.h"

/* Figures of hardware counters for a group, per call, and the class that they overruled. */
struct weir_counted_work {
	bool known;
	enum weir_roofline modelled;                   /* class by the model; UNKNOWN: no model */
	double dram_bytes, vector_flops, matrix_flops; /* NAN: not measured */
	double l2_bytes;                               /* size of the cache; NAN: not stated */
};

/* The assessment of a group of device work, by shapes, names and the device table, and the verdict
 * of the rules on it. */
struct weir_assessment {
	struct weir_work work; /* of one call */
	struct weir_roofline_result roofline;
	double values[WEIR_F_COUNT];
	struct weir_verdict verdict;      /* set by the caller; UNDETERMINED until then */
	struct weir_counted_work counted; /* if known, class and roofs come from counters */
	/* Bytes of one call by its model, even if counters overrule it; NAN: no model. */
	double tensor_bytes;  /* each tensor once */
	double traffic_bytes; /* expected DRAM traffic: traffic.h */
};

/* A device of the trace; peaks is empty if the device table does not have it. */
struct weir_rank_device {
	bool known;
	struct weir_device peaks;
	uint32_t sms; /* multiprocessors; 0: not known */
	/* Blocks that fill the device, one for each multiprocessor; for an unknown device as many
	 * as fill any known one. */
	uint32_t fill_blocks;
};

/* The straggler of a collective: the member that begins it last. */
struct weir_last_member {
	uint32_t rank; /* index of the rank */
	uint32_t row;  /* its device row */
};

/* The rank's collectives compared with those of other ranks; filled by weir_ranks_compare(). */
struct weir_waits {
	/* Collectives that are matched in all members and lie in steady steps of all. */
	uint64_t matched;
	int64_t collective_ns, wait_ns, transfer_ns; /* of these */
	double straggler_score, bus_bytes_per_s, link_share;
	enum weir_late_by late_by;
	bool aligned;      /* its clock was compared with that of another rank */
	int64_t offset_ns; /* correction added to its clock */
	/* Per device row: end of its wait; INT64_MIN: not matched. NULL: no row is matched. */
	int64_t *until_ns;
	uint8_t *by;                   /* per device row: enum weir_late_by of the straggler */
	struct weir_last_member *last; /* per device row: the straggler, if until_ns is known */
	bool *longest; /* per device row: the first to arrive, which waits longest */
};

/* The work of a position of a graph, by the shape of its operator. */
struct weir_graph_work {
	/* The operator's work times this kernel's share of its time; empty if the model is
	 * implausible. */
	struct weir_work work;
	struct weir_roofline_result roofline; /* of the operator's run with all its kernels */
};

/* The queues of the devices, and the launches by call and class of work. */
struct weir_rank_launching {
	struct weir_queue_figures queue;
	struct weir_queue_parts parts;
	struct weir_launch_row *rows; /* names are borrowed from the trace */
	size_t row_count;
};

struct weir_rank {
	const struct weir_trace *trace; /* borrowed */
	int64_t rank;                   /* as stated, else its index among the inputs */
	struct weir_timeline timeline;
	struct weir_steps steps;
	struct weir_segments segments;
	struct weir_groups groups;
	struct weir_graphs graphs;
	/* One per position of the graphs; NULL: no kernel ran without a graph. See
	 * graph_operators.h. */
	struct weir_graph_op *graph_ops;
	struct weir_graph_work *graph_works;
	const struct weir_rank *graph_source; /* the rank whose host rows graph_ops refers to */
	struct weir_assessment *assessments;  /* one per group */
	struct weir_rank_device *devices;     /* one per device of the trace */
	struct weir_activity *activity;       /* one per device of the trace */
	struct weir_launch_figures launches;
	struct weir_rank_launching *launching; /* NULL: not asked for */
	struct weir_loading_steps loading;
	struct weir_memory_usage memory;
	int64_t busy_ns; /* sum over devices */
	/* Per thread of the trace, those of threads that launch work; NULL: not asked for. The
	 * search for the critical path empties the lists, since it is the last to need them. */
	struct weir_leaves *leaves;
	struct weir_waits waits;
};

struct weir_rank_options {
	bool steady;
	bool launching;                        /* fill rank->launching */
	bool leaves;                           /* fill rank->leaves */
	const char *device_name;               /* replaces the trace's device names; NULL: none */
	const struct weir_device_table *table; /* borrowed */
	const struct weir_stage_aliases *aliases; /* the user's names for stages; NULL: none */
};

void weir_rank_init(struct weir_rank *rank, const struct weir_trace *trace,
                    const struct weir_rank_options *options);
void weir_rank_release(struct weir_rank *rank);

/* Assesses a group again for another amount of work per call. */
void weir_rank_assess(struct weir_rank *rank, size_t group, const struct weir_work *work);

/* Fills the recorded arguments of an operator's run, borrowed from the trace; false: not
 * recorded. */
bool weir_call_of_op(const struct weir_trace *trace, uint32_t op_row, const char *kernel,
                     struct weir_call *call);

/* Returns true if the copy moves data between host and device or between devices. */
bool weir_rank_row_transfers(const struct weir_rank *rank, uint32_t device_row);

#endif
