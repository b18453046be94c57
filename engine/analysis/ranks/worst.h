/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the few ranks and groups of ranks that slow a job down. All ranks run the same program, so
 * the members of a group should need the same time from one of its collectives to the next, without
 * the time in collectives of other groups in between. A rank that waited for another elsewhere, or
 * for a slow link, is not blamed for what it inherited, and ranks of a slow node, which are equally
 * late among themselves, stand out in the groups that they share with other nodes.
 *
 *   excess    of a rank in a collective: that time, less its mean over the members
 *   lateness  of a rank in a group: the run is cut into as many equal parts as it has steps, from
 *             16 to 64, and the excesses of each are summed; the mean of these sums without the
 *             fifth of them at each end (trimmed.h), times the number of parts. Long pauses
 *             between the steps of a job vary by more than a slow node adds; they fill few parts
 *   p         of a rank in a group: the one-sided test of this mean against 0
 *   votes     of a rank in a group: of the largest excess in each collective, summed, the part that
 *             is its own
 *
 * Of its groups, a rank has the figures of the one in which it is latest.
 *
 * A rank is an outlier if its lateness is WEIR_WORST_DEVIATIONS robust standard deviations (1.4826
 * MAD) above the median of all ranks and WEIR_WORST_SHARE of the analysed time, and if p times the
 * number of tests (Bonferroni) is below WEIR_WORST_ALPHA. A node is an outlier, in place of its
 * ranks, if at least two and half of them are outliers, or if the median of their latenesses meets
 * the same two limits, and their p combined by Stouffer's method (S. A. Stouffer et al., The
 * American Soldier, 1949), times the number of nodes, is below the same level. A group is an
 * outlier if its collectives last WEIR_WORST_FACTOR times as long as those of the same kind, size
 * and number of members in the median group, by as many deviations of the logarithm, and if the
 * difference is WEIR_WORST_SHARE of the time; a collective counts with the duration of its last
 * member, which does not wait.
 */
#ifndef WEIR_ANALYSIS_RANKS_WORST_H
#define WEIR_ANALYSIS_RANKS_WORST_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/ranks/ranks.h"

#define WEIR_WORST_DEVIATIONS 5.0
#define WEIR_WORST_SHARE      0.02
#define WEIR_WORST_FACTOR     1.2
#define WEIR_WORST_ALPHA      0.01
/* Fewer ranks, or groups of one kind, have no distribution to stand out of. */
#define WEIR_WORST_FEWEST 4

struct weir_worst_rank {
	size_t summary;       /* index of the rank */
	double share;         /* lateness over the analysed time */
	double p;             /* of the t test, for one test */
	double votes;         /* 0 to 1 */
	double deviations;    /* robust standard deviations from the median rank */
	enum weir_late_by by; /* what the extra time was spent on */
};

struct weir_worst_node {
	const char *name; /* borrowed from the summaries */
	size_t ranks;
	size_t summary;       /* index of its latest rank */
	double share;         /* median lateness of its ranks, or of those that are outliers */
	enum weir_late_by by; /* of the latest rank */
};

struct weir_worst_group {
	const char *key;     /* of the collective, as in struct weir_meeting_view */
	size_t *summaries;   /* indices of the members, owned */
	size_t member_count; /* of the group */
	size_t collectives;  /* of this kind and size in the group */
	double factor;       /* duration over that of the median group */
	double share;        /* the time that it adds, over the analysed time */
};

/* Sorted by share, the largest first. Ranks of a named node are not named. {0} is empty; release
 * with weir_worst_release(). */
struct weir_worst {
	struct weir_worst_rank *ranks;
	size_t rank_count;
	struct weir_worst_node *nodes;
	size_t node_count;
	struct weir_worst_group *groups;
	size_t group_count, group_capacity;
};

void weir_worst_find(struct weir_worst *worst, const struct weir_meetings *meetings,
                     const struct weir_rank_summary *summaries, size_t count);
void weir_worst_release(struct weir_worst *worst);

#endif
