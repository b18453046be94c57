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
#include "engine/analysis/ranks/summary.h"
#include "engine/model/report.h"

/* The collectives of a job, matched among its ranks; opaque. */
struct weir_meetings;

/* A collective with all its members, for weir_meetings_each(). */
struct weir_meeting_view {
	/* Group, members and name of the collective, by line; the name of the kernel if the trace
	 * states no group. */
	const char *key;
	size_t members;
	int64_t shortest_ns; /* duration of its shortest member: the transfer */
};

/* The part of one rank in a collective. */
struct weir_meeting_member {
	size_t rank;       /* index of its summary */
	uint32_t step;     /* of the rank, or WEIR_NONE */
	int64_t start_ns;  /* of its arrival, on the common clock */
	int64_t wait_ns;   /* for the last member */
	double link_bytes; /* bytes that cross the link of each device; NAN: unknown */
	int64_t received;  /* elements that it receives; -1: unknown */
};

/* The time of one rank from the end of the previous collective of the same group and name to the
 * start of this one, without the collectives in between. NAN: there is no previous one. */
struct weir_own_time {
	size_t rank; /* index of its summary */
	double ns;
	double busy_ns, late_ns; /* with work, and idle until the host launched */
};

/* Matches the collectives of all ranks and fills `waits` of each summary. Takes the collectives out
 * of the summaries. The caller frees the result with weir_meetings_free(). */
struct weir_meetings *weir_meetings_new(struct weir_rank_summary *summaries, size_t count);
void weir_meetings_free(struct weir_meetings *meetings);
/* Frees the collectives when they have been read, since those of a large job take most of its
 * memory. Their keys stay; their number becomes 0. */
void weir_meetings_drop(struct weir_meetings *meetings);

/* Fills the waits of a rank with the figures of its summary and, per device row, its waiting. */
void weir_meetings_rows(const struct weir_meetings *meetings, size_t rank,
                        const struct weir_rank_summary *summary, struct weir_rank *out);

/* Return the number of matched collectives that count, one of them, one of its members, and the
 * time of that member before it. */
size_t weir_meetings_count(const struct weir_meetings *meetings);
void weir_meetings_view(const struct weir_meetings *meetings, size_t index,
                        struct weir_meeting_view *out);
void weir_meetings_member(const struct weir_meetings *meetings, size_t index, size_t member,
                          struct weir_meeting_member *out);
void weir_meetings_own(const struct weir_meetings *meetings, size_t index, size_t member,
                       struct weir_own_time *out);

/* Compares ranks that are all in memory: fills `waits` of each; unknown figures stay NAN, 0 and
 * NULL. */
void weir_ranks_compare(struct weir_rank *ranks, size_t count);

/* True if enough collectives of the rank are matched for a waiting time. */
bool weir_waits_known(const struct weir_waits *waits);

/* Adds notes on missing or unmatched ranks and on clock offsets to the report. */
void weir_ranks_note(const struct weir_rank_summary *summaries, size_t count,
                     struct weir_report *report);

#endif
