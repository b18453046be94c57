/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges stages of all ranks by name, for the tables of stages, features and what-if answers. */
#ifndef WEIR_ANALYSIS_ROWS_STAGE_ROWS_H
#define WEIR_ANALYSIS_ROWS_STAGE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/path/retime.h"
#include "engine/analysis/rank/ledger.h"
#include "engine/analysis/whole/analysis.h"

struct weir_stage_merge {
	const char *name, *kind; /* borrowed from a rank */
	uint32_t *stage; /* by rank: its index of this stage; WEIR_NONE: the rank lacks it */
	struct weir_ledger ledger;
};

struct weir_stage_merges {
	struct weir_stage_merge *items;
	size_t count;
	size_t first_row; /* index in report->stages; rows of requests precede it */
	struct weir_ledger outside, total;
};

/* The time of all ranks by stage, attributed in shares, one by each call of
 * weir_stage_shares_fill() on any thread. */
struct weir_stage_shares {
	const struct weir_analysis *analysis; /* borrowed */
	struct weir_ledger **ledgers; /* per share: the stages of all ranks, then what is outside */
	size_t count, stages;
};

void weir_stage_shares_init(struct weir_stage_shares *shares, const struct weir_analysis *analysis,
                            size_t count);
void weir_stage_shares_fill(struct weir_stage_shares *shares, size_t share);
void weir_stage_shares_release(struct weir_stage_shares *shares);

/* Adds up all shares by the name of the stage; release with weir_stage_merges_release(). */
void weir_stage_merges_init(struct weir_stage_merges *merges,
                            const struct weir_stage_shares *shares);
void weir_stage_merges_release(struct weir_stage_merges *merges);

/* Returns the index of the merge of each stage of rank r. The caller frees the array. */
uint32_t *weir_stage_merges_of_rank(const struct weir_stage_merges *merges,
                                    const struct weir_analysis *analysis, size_t r);

/* Returns the ns from the span's start on the host to the later of its end there and the end of the
 * last device work launched in it. */
int64_t weir_span_duration(const struct weir_span *span);

/*
 * Returns the durations of one stage in ns, one per occurrence, in order. If all ranks have the
 * same number of occurrences, each value comes from the slowest rank; else the values of all ranks
 * follow each other. retimings: one per rank, to get the durations after a change; NULL: as
 * measured. The caller frees the array.
 */
double *weir_stage_durations(const struct weir_analysis *analysis,
                             const struct weir_stage_merge *merge,
                             const struct weir_retiming *retimings, size_t *count);

#endif
