/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ranks, nodes and groups that stand out in a job. Texts and arrays belong to the report's
 * arena. */
#ifndef WEIR_MODEL_JOB_H
#define WEIR_MODEL_JOB_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/enums.h"

/* Rows of struct weir_job_figures; the counts say how many there are in all. */
#define WEIR_MAX_WORST 32
/* Differences of one row. */
#define WEIR_MAX_RANK_DIFFERENCES 3

/* Why a rank reaches collectives after the others. */
enum weir_late_by {
	WEIR_LATE_BY_UNKNOWN, /* also if it is not late */
	WEIR_LATE_BY_DEVICE,  /* its device had more work before the collective */
	WEIR_LATE_BY_HOST,    /* its device was idle because the host launched late */
	WEIR_LATE_BY_COUNT
};

enum weir_worst_kind {
	WEIR_WORST_RANK,    /* a rank that is late in its collectives */
	WEIR_WORST_NODE,    /* a node with most of its ranks late */
	WEIR_WORST_GROUP,   /* ranks whose collectives take longer than those of like groups */
	WEIR_WORST_EXPERTS, /* a rank whose experts receive more tokens than those of other ranks */
	WEIR_WORST_COUNT
};

/* Time of one operator, or of one cause of idle time, in a step. */
struct weir_rank_difference {
	const char *name;
	double slow_ns, fast_ns; /* of the slow rank and of the one it is compared with */
};

struct weir_worst_row {
	enum weir_worst_kind kind;
	enum weir_late_by late_by; /* of a rank or node */
	const char *name;          /* "rank 17", "node n2", "ranks 8, 16" */
	const char *node;          /* of the rank, or the nodes of the group; NULL: not stated */
	uint64_t ranks;            /* in the node or group; 1 for a rank */
	double share; /* what it adds over the analysed time; of a node: of its median rank */
	double votes; /* of a rank: engine/analysis/ranks/worst.h; NAN: of a node or group */
	/* Duration of a group's collectives over that of the median group; tokens of experts over
	 * the mean of their group; NAN. */
	double factor;
	const char *collective;                   /* of a group; NULL */
	int64_t fast_rank;                        /* the rank it is compared with; -1: none */
	struct weir_rank_difference *differences; /* the largest first */
	size_t difference_count;
};

struct weir_job_figures {
	uint64_t ranks, detailed;                     /* in the run; analysed in detail */
	uint64_t slow_nodes, slow_ranks, slow_groups; /* that stand out, also those without a row */
	struct weir_worst_row *rows;                  /* by share, the largest first */
	size_t row_count;
};

WEIR_ENUM_DECLARE(weir_late_by);    /* "host"; unknown: NULL */
WEIR_ENUM_DECLARE(weir_worst_kind); /* "node" */

#endif
