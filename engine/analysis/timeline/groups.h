/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Groups the device work of one trace by operator, shape and stage. Work without an operator (graph
 * replays, custom launches) is grouped by kernel and stage, and so is the work of regions that hold
 * many kernels, such as compiled code: they are no single operator. A call is one run of the
 * operator with all kernels that it launched, or one kernel. Only work inside the analysed windows
 * is grouped.
 */
#ifndef WEIR_ANALYSIS_TIMELINE_GROUPS_H
#define WEIR_ANALYSIS_TIMELINE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/timeline/segments.h"
#include "engine/analysis/timeline/steps.h"
#include "engine/analysis/timeline/timeline.h"

/* With more groups than this, shapes are merged: traces of servers have a new shape in every
 * step. */
#define WEIR_MAX_SHAPED_GROUPS 4096
/* With more groups than this, new kinds of work join one group per device and class without
 * operator, stage and kernel (name 0): WEIR_OTHER_WORK. */
#define WEIR_MAX_GROUPS 8192
#define WEIR_OTHER_WORK "(other work)"
/* A range outside every name space of operators ("aten::") that launches more kernels per call than
 * this, on average, is a region. Operators with a sort or with layout changes launch up to eight.
 */
#define WEIR_MAX_KERNELS_OF_OP 8

struct weir_group {
	uint32_t stage;    /* index into the steps' stages; WEIR_NONE: outside */
	uint32_t op_name;  /* name id; 0: no operator */
	uint32_t op_row;   /* a host row of that operator with that shape; WEIR_NONE: no operator */
	uint32_t shape;    /* row of the trace's shapes; WEIR_NONE: shapes are merged */
	uint32_t kernel;   /* name id of the longest row */
	int64_t kernel_ns; /* duration of that row */
	int64_t same_ns;   /* sum of the durations of all rows of that name */
	uint64_t same_rows; /* their number */
	uint32_t blocks;    /* of that row; 0: unknown */
	uint32_t threads;   /* of its blocks; 0: unknown */
	uint16_t device;
	uint8_t work; /* enum weir_work_class: computation if any row computes */
	uint64_t calls;
	uint64_t graph_rows;
	uint64_t rows;
	int64_t sum_ns;   /* sum of durations */
	int64_t owned_ns; /* sum over segments: no instant counts twice */
};

struct weir_group_call {
	uint32_t group, span, step, op_row;
	int64_t device_ns; /* sum of durations */
};

/* The rows of a group with another name than that of its longest row. */
struct weir_group_kernel {
	uint32_t group, name;
	uint32_t blocks, threads; /* the smallest grid and block of its rows; 0: one is unknown */
	uint64_t rows;
	int64_t ns; /* sum of durations */
};

/* Rows of further kernels are in the sums of their groups only. */
#define WEIR_MAX_GROUP_KERNELS 16384

struct weir_groups {
	struct weir_group *items;
	size_t count, capacity;
	struct weir_group_call *calls; /* in order of the device's clock, device by device */
	size_t call_count, call_capacity;
	uint32_t *row_call;       /* per device row; WEIR_NONE: outside the windows */
	uint32_t *calls_by_group; /* calls sorted by group, in their order within a group */
	uint64_t *first_call;     /* per group: index of its first call in calls_by_group */
	struct weir_group_kernel *kernels; /* by group */
	size_t kernel_count, kernel_capacity;
	size_t *first_kernel; /* per group, and one more: index of its first kernel */
};

/* Groups the device rows. The time that a group owns is 0 until weir_groups_own(). */
void weir_groups_init(struct weir_groups *groups, const struct weir_timeline *timeline,
                      const struct weir_steps *steps);
/* Adds the time of the segments to the groups of their rows. */
void weir_groups_own(struct weir_groups *groups, const struct weir_segments *segments);
void weir_groups_release(struct weir_groups *groups);

/* Returns the operator, else the kernel's name in the trace, else WEIR_OTHER_WORK; borrowed. */
const char *weir_group_name(const struct weir_group *group, const struct weir_names *names);

#endif
