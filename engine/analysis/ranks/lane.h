/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A lane: one device of one rank with the collectives that it took part in. Arrivals are added in
 * any order; weir_lane_settle() then sorts them and packs them into columns of few bytes, since a
 * large job has millions of them.
 */
#ifndef WEIR_ANALYSIS_RANKS_LANE_H
#define WEIR_ANALYSIS_RANKS_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/narrow.h"

/* Later times are rejected, so that sums and differences of the others stay inside int64_t. */
#define WEIR_ARRIVAL_MAX_NS (INT64_MAX / 8)

/* The part of one lane in a collective. */
struct weir_arrival {
	uint32_t key;             /* of group, members and name; the same in all lanes */
	uint32_t row;             /* device row, for the caller */
	int64_t sequence;         /* in its group; -1: not stated */
	int64_t start_ns, end_ns; /* clock of the lane, its base added */
	/* For the caller; matching does not use them. */
	double link_bytes;              /* bytes that cross the link of each device; NAN: unknown */
	int64_t received;               /* elements that the member receives; -1: unknown */
	int64_t busy_ns[2], late_ns[2]; /* work other than collectives, and idle time until the host
	                                   launched, before the start and before the end */
	uint32_t step;                  /* of its rank, or WEIR_NONE */
	bool steady;                    /* lies in a steady step of its rank */
};

/* The packed members of an arrival. */
enum weir_lane_column {
	WEIR_LANE_ROW,
	WEIR_LANE_SEQUENCE,
	WEIR_LANE_START_NS,
	WEIR_LANE_DURATION_NS,
	WEIR_LANE_LINK, /* index into `links` */
	WEIR_LANE_RECEIVED,
	WEIR_LANE_BUSY_NS,        /* before the start */
	WEIR_LANE_BUSY_INSIDE_NS, /* between start and end */
	WEIR_LANE_LATE_NS,
	WEIR_LANE_LATE_INSIDE_NS,
	WEIR_LANE_STEP, /* one more than the step; 0: WEIR_NONE */
	WEIR_LANE_STEADY,
	WEIR_LANE_COLUMNS
};

/* Consecutive arrivals with one key. */
struct weir_lane_run {
	uint32_t key;
	uint32_t first, count; /* arrivals of the settled lane */
};

/* {0} is an empty lane; release with weir_lane_release(). */
struct weir_lane {
	struct weir_arrival *added; /* until the lane is settled; then NULL */
	size_t count, capacity;
	struct weir_narrow columns[WEIR_LANE_COLUMNS]; /* in the order of runs, sequence, start */
	double *links;                                 /* the distinct numbers of bytes */
	struct weir_lane_run *runs;                    /* in the order of their arrivals */
	uint32_t *by_key;                              /* indices of runs, sorted by key */
	size_t run_count;
	bool settled;
	bool based;        /* the clock's base is stated: lanes with one should agree */
	int64_t offset_ns; /* set by weir_lanes_align(): add it to the lane's times */
};

/* Adds an arrival to a lane that is not settled; drops one with impossible times. */
void weir_lane_add(struct weir_lane *lane, const struct weir_arrival *arrival);
/* Sorts and packs the arrivals. Does nothing if the lane is settled. */
void weir_lane_settle(struct weir_lane *lane);
/* Replaces each key of a settled lane by key_of[key], and adds base_ns to its clock. */
void weir_lane_rename(struct weir_lane *lane, const uint32_t *key_of, int64_t base_ns);
void weir_lane_release(struct weir_lane *lane);

/* Returns a member of an arrival of a settled lane. */
static inline int64_t weir_lane_at(const struct weir_lane *lane, enum weir_lane_column column,
                                   size_t item)
{
	return weir_narrow_at(&lane->columns[column], item);
}

/* Return start and end of an arrival of a settled lane, without the lane's offset. */
static inline int64_t weir_lane_start_ns(const struct weir_lane *lane, size_t item)
{
	return weir_lane_at(lane, WEIR_LANE_START_NS, item);
}

static inline int64_t weir_lane_end_ns(const struct weir_lane *lane, size_t item)
{
	return weir_lane_start_ns(lane, item) + weir_lane_at(lane, WEIR_LANE_DURATION_NS, item);
}

/* Returns the run of an arrival of a settled lane. */
const struct weir_lane_run *weir_lane_run_of(const struct weir_lane *lane, size_t item);
/* Unpacks an arrival of a settled lane. */
struct weir_arrival weir_lane_arrival(const struct weir_lane *lane, size_t item);

#endif
