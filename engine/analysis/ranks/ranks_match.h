/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Matches the collectives of several timelines, and finds the offsets between their clocks. A lane
 * is one device of one rank with the collectives that it took part in. All members of a collective
 * leave it at nearly the same time, however early they arrived.
 *
 * Two arrivals are the same collective if key and sequence number agree. Without sequence numbers,
 * key and end must agree, the end to within half the usual distance between two ends. Timelines may
 * begin and end at different steps, and may lack events.
 */
#ifndef WEIR_ANALYSIS_RANKS_RANKS_MATCH_H
#define WEIR_ANALYSIS_RANKS_RANKS_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fewer matched collectives prove nothing about clocks or waiting times. */
#define WEIR_FEWEST_MATCHES 8
/* Later times are rejected, so that sums and differences of the others stay inside int64_t. */
#define WEIR_ARRIVAL_MAX_NS (INT64_MAX / 8)

/* The part of one lane in a collective. */
struct weir_arrival {
	uint32_t key;             /* of group, members and name; the same in all lanes */
	uint32_t row;             /* device row, for the caller */
	int64_t sequence;         /* in its group; -1: not stated */
	int64_t start_ns, end_ns; /* clock of the lane, its base added */
	double link_bytes;        /* bytes that cross the link of each device; NAN: unknown */
	/* For the caller; matching does not use them. */
	int64_t received;               /* elements that the member receives; -1: unknown */
	int64_t busy_ns[2], late_ns[2]; /* work other than collectives, and idle time until the host
	                                   launched, before the start and before the end */
	int64_t wait_ns;   /* how long it waits in this collective for the last member */
	int64_t inside_ns; /* duration of the earlier ones of its device */
	uint32_t meeting;  /* index of the collective among the matched ones, or WEIR_NO_MEETING */
	bool steady;       /* lies in a steady step of its rank */
};

#define WEIR_NO_MEETING UINT32_MAX

/* {0} is an empty lane; release with weir_lane_release(). */
struct weir_lane {
	struct weir_arrival *items;
	size_t count, capacity;
	bool based;        /* the clock's base is stated: lanes with one should agree */
	int64_t offset_ns; /* set by weir_lanes_align(): add it to the lane's times */
};

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

void weir_lane_add(struct weir_lane *lane, const struct weir_arrival *arrival);
void weir_lane_release(struct weir_lane *lane);

/*
 * Sorts the items of every lane by key, sequence and start, and finds the offsets: the median
 * difference between the ends of matched collectives, against the first earlier lane that shares
 * enough of them. A lane whose base is stated keeps it (offset 0) unless the ends agree better with
 * the offset.
 */
void weir_lanes_align(struct weir_lane *lanes, size_t count);

/*
 * Matches aligned lanes. The members of a group are the lanes in which at least half of its
 * collectives have a partner; a match has all of them, at least two.
 */
void weir_lanes_match(const struct weir_lane *lanes, size_t count, struct weir_matches *out);
void weir_matches_release(struct weir_matches *matches);

#endif
