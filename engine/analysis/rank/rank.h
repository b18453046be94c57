/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything that is derived from one trace, in the order in which it is derived: relations, steps,
 * segments, groups of device work with their rooflines, and the figures of launches and memory.
 * Ranks share nothing that is written to.
 */
#ifndef WEIR_ANALYSIS_RANK_H
#define WEIR_ANALYSIS_RANK_H

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
#include "engine/analysis/timeline/memory.h"
#include "engine/analysis/timeline/segments.h"
#include "engine/analysis/timeline/steps.h"
#include "engine/analysis/timeline/timeline.h"
#include "engine/model/report.h"

/* What counters measured of a group, per call; the model's word before they overruled it. */
struct weir_counted_work {
	bool known;
	enum weir_roofline modelled;                   /* UNKNOWN: no model */
	double dram_bytes, vector_flops, matrix_flops; /* NAN: not measured */
	double l2_bytes;                               /* size of the cache; NAN: not stated */
};

/* A group of device work with what shapes, names and the device table say about it, and the rules'
 * word on it. */
struct weir_assessment {
	struct weir_work work; /* of one call */
	struct weir_roofline_result roofline;
	double values[WEIR_F_COUNT];
	struct weir_verdict verdict;      /* set from outside; UNDETERMINED until then */
	struct weir_counted_work counted; /* known: class and roofs are those of counters */
	/* Of one call by its model, also where counters overrule it; NAN: none. */
	double tensor_bytes;  /* each tensor once */
	double traffic_bytes; /* expected at the memory: traffic.h */
};

/* What is known of a device of the trace; name "" and known false where the table does not have it.
 */
struct weir_rank_device {
	bool known;
	struct weir_device peaks;
};

/* The last member of a collective to begin it. */
struct weir_last_member {
	uint32_t rank; /* index of the rank */
	uint32_t row;  /* its device row */
};

/* The rank's collectives beside those of the other ranks; filled by weir_ranks_compare(). */
struct weir_waits {
	uint64_t matched; /* collectives with a partner in all members, in steady steps of all */
	int64_t collective_ns, wait_ns, transfer_ns; /* of these */
	double straggler_score, bus_bytes_per_s, link_share;
	enum weir_late_by late_by;
	bool aligned;      /* its clock was held against that of another rank */
	int64_t offset_ns; /* added to it */
	int64_t *until_ns; /* per device row: to when it waits, INT64_MIN: not matched; NULL: no
	                      row is */
	uint8_t *by;       /* per device row: enum weir_late_by of the rank that it waits for */
	struct weir_last_member *last; /* per device row: who came last, where until_ns is known */
	bool *longest; /* per device row: the first to come, which waits longest of all */
};

/* What a position of a graph does, as its operator's shape says. */
struct weir_graph_work {
	struct weir_work work; /* of the operator's the part that this kernel has of its time; a
	                          model that says more than the device can do is none */
	struct weir_roofline_result roofline; /* of the operator's run, all its kernels */
};

struct weir_rank {
	const struct weir_trace *trace; /* borrowed */
	int64_t rank;                   /* as stated, else its place among the inputs */
	struct weir_timeline timeline;
	struct weir_steps steps;
	struct weir_segments segments;
	struct weir_groups groups;
	struct weir_graphs graphs;
	/* One a position of the graphs; NULL: nothing ran op by op. See graph_operators.h. */
	struct weir_graph_op *graph_ops;
	struct weir_graph_work *graph_works;
	const struct weir_rank *graph_source; /* whose host rows graph_ops names */
	struct weir_assessment *assessments;  /* one a group */
	struct weir_rank_device *devices;     /* one a device of the trace */
	struct weir_activity *activity;       /* one a device of the trace */
	struct weir_launch_figures launches;
	struct weir_memory_usage memory;
	int64_t busy_ns; /* of all devices */
	struct weir_waits waits;
};

struct weir_rank_options {
	bool steady;
	const char *device_name;                  /* overrides the trace's; NULL: none */
	const struct weir_device_table *table;    /* borrowed */
	const struct weir_stage_aliases *aliases; /* the user's own; NULL: none */
};

void weir_rank_init(struct weir_rank *rank, const struct weir_trace *trace,
                    const struct weir_rank_options *options);
void weir_rank_release(struct weir_rank *rank);

/* Judges a group of device work again by what one call of it does. */
void weir_rank_assess(struct weir_rank *rank, size_t group, const struct weir_work *work);

/* The recorded arguments of an operator's run, borrowed from the trace; false: none. */
bool weir_call_of_op(const struct weir_trace *trace, uint32_t op_row, const char *kernel,
                     struct weir_call *call);

/* Does this copy move data between host and device or between devices? */
bool weir_rank_row_transfers(const struct weir_rank *rank, uint32_t device_row);

#endif
