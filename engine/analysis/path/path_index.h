/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a walk back through one rank asks for: what a thread did at an instant, what ran before on a
 * stream, what ended last, and what records of synchronisation say. Made once a rank, linear but
 * for sorting.
 */
#ifndef WEIR_ANALYSIS_PATH_INDEX_H
#define WEIR_ANALYSIS_PATH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/rank/rank.h"
#include "engine/analysis/timeline/leaves.h"
#include "engine/model/critical_path.h"

struct weir_sync_key;

/* Borrows the rank. {0} is not made yet; release with weir_path_index_release(). */
struct weir_path_index {
	const struct weir_rank *rank;
	uint32_t *before; /* per device row: the row before it on its stream; WEIR_NONE */
	uint32_t *by_end; /* device rows by their end, then by row */
	uint8_t *input;   /* per host row: it, or what encloses it, loads or prepares input */
	struct weir_leaves *leaves; /* per thread, see weir_path_leaves() */
	bool *told;
	struct weir_sync_key *host_waits, *stream_waits;
	size_t host_wait_count, stream_wait_count;
};

void weir_path_index_init(struct weir_path_index *index, const struct weir_rank *rank);
void weir_path_index_release(struct weir_path_index *index);

const struct weir_leaves *weir_path_leaves(struct weir_path_index *index, uint32_t thread);

/* How many entries of by_end end at the time or before it. */
size_t weir_path_ended(const struct weir_path_index *index, int64_t at_ns);

/* The record of what that call waited for; NULL: there is none. */
const struct weir_sync_event *weir_path_host_wait(const struct weir_path_index *index,
                                                  uint32_t host_row);
/* The last wait that was put on the stream of that row before it, and after the row before; NULL:
 * none is recorded. */
const struct weir_sync_event *weir_path_stream_wait(const struct weir_path_index *index,
                                                    uint32_t device_row);

/* Was the row submitted to that stream (-1: any) before the call of that correlation (0: any)? */
bool weir_path_precedes(const struct weir_path_index *index, uint32_t device_row, int64_t stream,
                        uint64_t correlation);

/* What a device row is on the path: the name id of the operator that launched it, else its own, and
 * its kind; needs the verdicts of the groups. */
uint32_t weir_path_work_name(const struct weir_rank *rank, uint32_t row);
enum weir_path_kind weir_path_work_kind(const struct weir_rank *rank, uint32_t row);

#endif
