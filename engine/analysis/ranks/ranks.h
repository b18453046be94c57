/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares the ranks of one job: how long each waits inside collectives, and which rank is the
 * straggler. For every collective that all members have in a steady step, on clocks that the
 * collectives themselves align:
 *
 *   wait             of a member: from its own start to that of the last member, at most its
 *                    duration
 *   transfer         the shortest duration of any member
 *   straggler score  of a rank: the waiting that it alone adds (if it arrives last, its start less
 *                    the second last start), over the longest wait of every collective it is in
 *   late by          cause, for a rank that makes others wait at least a tenth of the time in its
 *                    collectives: the extra time that the last member spent since the previous
 *                    collective, compared with the first member, on device work or on idling until
 *                    the host launched; unknown if neither explains half of it
 *   bus bandwidth    bytes over transfer time, times 2 (n - 1) / n for all-reduce, (n - 1) / n for
 *                    all-gather, reduce-scatter and all-to-all, 1 otherwise: the load of one link,
 *                    independent of the number of members (definition of NVIDIA's nccl-tests)
 *
 * The first collective of a rank is excluded if it lasts more than five times as long as any later
 * one: the profilers of the ranks then started at different times.
 */
#ifndef WEIR_ANALYSIS_RANKS_RANKS_H
#define WEIR_ANALYSIS_RANKS_RANKS_H

#include "engine/analysis/rank/rank.h"

/* Fills `waits` of each rank; unknown figures stay NAN, 0 and NULL. */
void weir_ranks_compare(struct weir_rank *ranks, size_t count);

/* True if enough collectives of the rank are matched for a waiting time. */
bool weir_waits_known(const struct weir_waits *waits);

/* Adds notes on missing or unmatched ranks and on clock offsets to the report. */
void weir_ranks_note(const struct weir_rank *ranks, size_t count, struct weir_report *report);

#endif
