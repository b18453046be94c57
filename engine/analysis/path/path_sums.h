/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums the pieces of a critical path by kind, by name and by stage. A long path has more pieces
 * than its trace has events; its sums are few. Lengths above INT64_MAX become INT64_MAX, so that
 * the sums do not depend on the order of the pieces.
 */
#ifndef WEIR_ANALYSIS_PATH_PATH_SUMS_H
#define WEIR_ANALYSIS_PATH_PATH_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/whole/analysis.h"
#include "engine/model/critical_path.h"

/* A stretch of the path with one cause. */
struct weir_path_piece {
	int64_t start_ns, end_ns; /* on the clock of the path's rank */
	uint32_t rank;            /* index of the rank where it happened */
	uint32_t name;            /* name id of that rank's trace; 0: none */
	uint32_t span;            /* of that rank's steps; WEIR_NONE: outside the stages */
	uint8_t kind;             /* enum weir_path_kind */
};

/* The pieces with one name and kind on one rank. */
struct weir_path_sum {
	uint32_t rank, name; /* as in a piece */
	uint32_t next;       /* index of the next sum with this name and rank; UINT32_MAX: none */
	uint8_t kind;        /* enum weir_path_kind */
	int64_t ns;
	uint64_t count;
};

/* {0} is empty; release with weir_path_sums_release(). */
struct weir_path_sums {
	int64_t ns[WEIR_PATH_KIND_COUNT];
	uint64_t pieces;
	struct weir_path_sum *items; /* in order of their first pieces */
	size_t count, capacity;
	size_t rank_count;
	uint32_t **first; /* [rank][name]: index of its first sum; NULL: the rank has no piece */
	/* [rank][stage]; NULL: the rank has no piece. */
	int64_t (**stages)[WEIR_PATH_KIND_COUNT];
};

void weir_path_sums_add(struct weir_path_sums *sums, const struct weir_analysis *analysis,
                        const struct weir_path_piece *piece);
/* Adds the sums of other pieces, which come behind those of `sums`. */
void weir_path_sums_join(struct weir_path_sums *sums, const struct weir_path_sums *more,
                         const struct weir_analysis *analysis);
void weir_path_sums_release(struct weir_path_sums *sums);

#endif
