/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to engine/analysis/ranks_*.c: collectives of one key in two lanes. */
#ifndef WEIR_ANALYSIS_RANKS_PAIR_H
#define WEIR_ANALYSIS_RANKS_PAIR_H

#include "engine/analysis/ranks/ranks_match.h"

/* Items of one key in a lane. */
struct weir_run {
	const struct weir_arrival *items;
	size_t count;
	size_t first; /* index in the lane of items[0] */
};

/* The run that begins at item `first` of a sorted lane; empty behind the last. */
struct weir_run weir_run_at(const struct weir_lane *lane, size_t first);
bool weir_run_is_numbered(const struct weir_run *run);
/* Median distance between the ends of neighbours; 0: fewer than two. */
int64_t weir_run_spacing(const struct weir_run *run);

/*
 * For each item of a its partner in b, counted from the start of b's run, UINT32_MAX: none; the
 * number of pairs. offset_ns is added to the times of b.
 */
size_t weir_run_pair(const struct weir_run *a, const struct weir_run *b, int64_t offset_ns,
                     uint32_t *partner);

#endif
