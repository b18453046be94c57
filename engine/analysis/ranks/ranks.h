/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ranks of one job beside each other: who waits for whom inside collectives. Of a collective
 * that all members have in a steady step, on clocks that the collectives themselves align:
 *
 *   wait             of a member: from its own start to that of the last one, at most its duration
 *   transfer         the shortest duration of any member
 *   straggler score  of a rank: what it alone adds to the waiting (its start over the second last,
 *                    where it is last), over the longest wait of every collective it is in
 *   late by          of a rank that makes others wait at least a tenth of the time in its
 *                    collectives: what the last member did more than the first one since the
 *                    collective before. Work on the device, or idling until the host launched;
 *                    unknown where neither is half of it
 *   bus bandwidth    bytes over transfer times 2 (n - 1) / n for an all-reduce, (n - 1) / n for
 *                    all-gather, reduce-scatter and all-to-all, 1 else: what one link carries,
 *                    whatever the number of members (the definition of NVIDIA's nccl-tests)
 *
 * The first collective of a rank that lasts five times as long as any later one is left out: the
 * profiler started at different times.
 */
#ifndef WEIR_ANALYSIS_RANKS_H
#define WEIR_ANALYSIS_RANKS_H

#include "engine/analysis/rank/rank.h"
#include "engine/analysis/ranks/ranks_match.h"

/* Beyond so many devices of a job the rest is not compared. */
#define WEIR_MAX_LANES 512

/* Which device of which rank a lane is. */
struct weir_lane_place {
	uint32_t rank;
	uint16_t device;
};

/* The collectives of every device that has any, in order of ranks and devices. Release each lane,
 * free() both arrays. */
size_t weir_lanes_collect(const struct weir_rank *ranks, size_t count, struct weir_lane **lanes,
                          struct weir_lane_place **places);

/* Fills `waits` of each rank; what cannot be known stays NAN, 0 and NULL. */
void weir_ranks_compare(struct weir_rank *ranks, size_t count);

/* Enough collectives of the rank are matched to say how long it waits. */
bool weir_waits_known(const struct weir_waits *waits);

/* What keeps waiting and transfer apart or together: notes in the report. */
void weir_ranks_note(const struct weir_rank *ranks, size_t count, struct weir_report *report);

#endif
