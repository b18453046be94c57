/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Answers the questions of a walk back through one rank: the activity of a thread at an instant,
 * the previous work on a stream, the work that ended last, and the synchronisation records. Made
 * once per rank, in linear time apart from sorting. Also converts between the clocks of ranks.
 */
#ifndef WEIR_ANALYSIS_PATH_PATH_INDEX_H
#define WEIR_ANALYSIS_PATH_PATH_INDEX_H

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
	uint32_t *before; /* per device row: the previous row on its stream; WEIR_NONE */
	uint32_t *by_end; /* device rows by their end, then by row */
	uint8_t *input;   /* per host row: true if it or an enclosing row loads or prepares input */
	struct weir_leaves *leaves; /* per thread, see weir_path_leaves() */
	struct weir_sync_key *host_waits, *stream_waits;
	size_t host_wait_count, stream_wait_count;
};

void weir_path_index_init(struct weir_path_index *index, const struct weir_rank *rank);
void weir_path_index_release(struct weir_path_index *index);

/* Returns the activity of a thread that launches work, or of the main thread; none of others. */
const struct weir_leaves *weir_path_leaves(const struct weir_path_index *index, uint32_t thread);

/* Returns the number of entries of by_end that end at at_ns or earlier. */
size_t weir_path_ended(const struct weir_path_index *index, int64_t at_ns);

/* Returns the record of the call's wait; NULL: no record. */
const struct weir_sync_event *weir_path_host_wait(const struct weir_path_index *index,
                                                  uint32_t host_row);
/* Returns the last recorded wait of the row's stream between the previous row and this one; NULL:
 * none is recorded. */
const struct weir_sync_event *weir_path_stream_wait(const struct weir_path_index *index,
                                                    uint32_t device_row);

/* True if the row was submitted to that stream (-1: any) before the call of that correlation (0:
 * any). */
bool weir_path_precedes(const struct weir_path_index *index, uint32_t device_row, int64_t stream,
                        uint64_t correlation);

/* Return the name of a device row on the path (name id of the operator that launched it, else its
 * own) and the kind of the work; they need the verdicts of the groups. */
uint32_t weir_path_work_name(const struct weir_rank *rank, uint32_t row);
enum weir_path_kind weir_path_work_kind(const struct weir_rank *rank, uint32_t row);

/* Returns the offset from the clock of rank r to that of the first rank, from the bases that the
 * traces state and from their collectives; 0 if nothing is known. */
int64_t weir_clock_shift(const struct weir_rank *ranks, size_t r);

/* Returns at_ns + by_ns, limited to the range of the clock. */
int64_t weir_clock_shifted(int64_t at_ns, int64_t by_ns);

#endif
