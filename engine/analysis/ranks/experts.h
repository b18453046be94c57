/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds groups of ranks whose experts share the tokens unevenly: in their all-to-all collectives
 * some rank receives more elements than the mean of the group, and the others wait for it. The
 * imbalance of a group is the mean, over its collectives, of the most elements of any member over
 * the mean of the members. Traces record the elements for collectives of uneven sizes only.
 */
#ifndef WEIR_ANALYSIS_RANKS_EXPERTS_H
#define WEIR_ANALYSIS_RANKS_EXPERTS_H

#include <stddef.h>

#include "engine/analysis/ranks/ranks.h"

/* Groups with less imbalance are not listed: the tokens of a step vary by as much. */
#define WEIR_EXPERTS_IMBALANCE 1.25
/* Fewer collectives prove nothing about a group. */
#define WEIR_EXPERTS_FEWEST 8

struct weir_experts {
	const char *key; /* of the collective, borrowed from the meetings */
	size_t summary;  /* the rank that receives most over all collectives */
	size_t members, collectives;
	double imbalance; /* at least WEIR_EXPERTS_IMBALANCE */
};

/* The largest imbalance first. {0} is empty; release with weir_experts_release(). */
struct weir_experts_list {
	struct weir_experts *items;
	size_t count, capacity;
};

void weir_experts_find(struct weir_experts_list *list, const struct weir_meetings *meetings);
void weir_experts_release(struct weir_experts_list *list);

#endif
