/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets of time as half-open intervals [start, end) in integer nanoseconds. A set is "united" when
 * its items are sorted and disjoint; every function but push and unite asks for united sets.
 * Pushing in order of start keeps a set united. Empty and negative intervals are dropped.
 *
 * Lengths are exact; one that leaves int64_t says INT64_MAX.
 */
#ifndef WEIR_ANALYSIS_INTERVALS_H
#define WEIR_ANALYSIS_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_interval {
	int64_t start_ns, end_ns;
};

/* {0} is the empty set; release with weir_intervals_release(). */
struct weir_intervals {
	struct weir_interval *items;
	size_t count, capacity;
};

void weir_intervals_release(struct weir_intervals *set);
void weir_intervals_clear(struct weir_intervals *set); /* empty and reusable */

/* Melts into the last item where it touches or overlaps it and does not start before it. */
void weir_intervals_push(struct weir_intervals *set, int64_t start_ns, int64_t end_ns);
/* Makes any set united, in place; sorts only what is unsorted. */
void weir_intervals_unite(struct weir_intervals *set);
/* Gives back memory beyond the items, as after uniting many into few. */
void weir_intervals_trim(struct weir_intervals *set);

int64_t weir_intervals_total(const struct weir_intervals *set);
bool weir_intervals_contains(const struct weir_intervals *set, int64_t at_ns);
/* The item that holds at_ns, else the first behind it; false: none is left. */
bool weir_intervals_find(const struct weir_intervals *set, int64_t at_ns,
                         struct weir_interval *out);
/* [start, end) has time in common with the set; an instant (end <= start) when the set holds it. */
bool weir_intervals_meets(const struct weir_intervals *set, int64_t start_ns, int64_t end_ns);
/* Keeps what lies in [start, end), in place. */
void weir_intervals_clip(struct weir_intervals *set, int64_t start_ns, int64_t end_ns);

/* The result replaces what was in out; out is neither a nor b. */
void weir_intervals_intersect(const struct weir_intervals *a, const struct weir_intervals *b,
                              struct weir_intervals *out);
void weir_intervals_subtract(const struct weir_intervals *a, const struct weir_intervals *b,
                             struct weir_intervals *out); /* a without b */

/* Lengths of the same without building them. */
int64_t weir_intervals_common_ns(const struct weir_intervals *a, const struct weir_intervals *b);
int64_t weir_intervals_outside_ns(const struct weir_intervals *a, const struct weir_intervals *b);

/* How much of an interval lies in a set, in logarithmic time. Borrows the set as it is now. */
struct weir_measure {
	const struct weir_intervals *set;
	int64_t *before_ns; /* length of the set before its item i */
};

void weir_measure_init(struct weir_measure *measure, const struct weir_intervals *set);
void weir_measure_release(struct weir_measure *measure);
int64_t weir_measure_inside(const struct weir_measure *measure, int64_t start_ns, int64_t end_ns);

/* end - start, 0 where that is negative, INT64_MAX where it is more. */
int64_t weir_span_ns(int64_t start_ns, int64_t end_ns);
/* a + b of lengths that are not negative; at most INT64_MAX. */
int64_t weir_add_ns(int64_t a_ns, int64_t b_ns);

#endif
