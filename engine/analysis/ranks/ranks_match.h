/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Matches the collectives of several lanes (lane.h), and finds the offsets between their clocks.
 * All members of a collective leave it at nearly the same time, however early they arrived.
 *
 * Two arrivals are the same collective if key and sequence number agree. Without sequence numbers,
 * key and end must agree, the end to within half the usual distance between two ends. Timelines may
 * begin and end at different steps, and may lack events.
 */
#ifndef WEIR_ANALYSIS_RANKS_RANKS_MATCH_H
#define WEIR_ANALYSIS_RANKS_RANKS_MATCH_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/ranks/lane.h"

/* Fewer matched collectives prove nothing about clocks or waiting times. */
#define WEIR_FEWEST_MATCHES 8
struct weir_member {
	uint32_t lane, item;
};

/* {0} is empty; release with weir_matches_release(). Match i has the members [first[i], first[i +
 * 1]), by lane; first has count + 1 entries unless count is 0. */
struct weir_matches {
	struct weir_member *members;
	size_t member_count, member_capacity;
	size_t *first;
	size_t count, first_capacity;
};

/*
 * Settles the lanes and finds the offsets: the median difference between the ends of matched
 * collectives, against the first earlier lane that shares enough of them. A lane whose base is
 * stated keeps it (offset 0) unless the ends agree better with the offset.
 */
void weir_lanes_align(struct weir_lane *lanes, size_t count);

/*
 * Matches aligned lanes. The members of a group are the lanes in which at least half of its
 * collectives have a partner; a match has all of them, at least two.
 */
void weir_lanes_match(const struct weir_lane *lanes, size_t count, struct weir_matches *out);
void weir_matches_release(struct weir_matches *matches);

#endif
