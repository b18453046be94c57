/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets of time as half-open intervals [start, end) in integer nanoseconds. A set is "united" if its
 * items are sorted and disjoint; all functions except push and unite require united sets. Pushing
 * in order of start keeps a set united. Empty and negative intervals are dropped.
 *
 * Lengths are exact; a length beyond int64_t becomes INT64_MAX.
 */
#ifndef WEIR_ANALYSIS_TIME_INTERVALS_H
#define WEIR_ANALYSIS_TIME_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_interval {
	int64_t start_ns, end_ns;
};

/* {0} is the empty set. Release with weir_intervals_release(). */
struct weir_intervals {
	struct weir_interval *items;
	size_t count, capacity;
};

void weir_intervals_release(struct weir_intervals *set);
/* Makes the set empty and keeps its memory. */
void weir_intervals_clear(struct weir_intervals *set);

/* Makes room for `count` items. A long list that does not move while it grows is written once. */
void weir_intervals_reserve(struct weir_intervals *set, size_t count);
/* Adds an interval; extends the last item instead if the interval starts in it or at its end. */
void weir_intervals_push(struct weir_intervals *set, int64_t start_ns, int64_t end_ns);
/* Sorts and merges the items in place; does not sort a set that is in order. */
void weir_intervals_unite(struct weir_intervals *set);
/* Releases the memory beyond the items, for sets that keep few of many pushed intervals. */
void weir_intervals_trim(struct weir_intervals *set);

int64_t weir_intervals_total(const struct weir_intervals *set);
bool weir_intervals_contains(const struct weir_intervals *set, int64_t at_ns);
/* Finds the item that contains at_ns, else the first one after it; false: no item is left. */
bool weir_intervals_find(const struct weir_intervals *set, int64_t at_ns,
                         struct weir_interval *out);
/* Returns true if [start, end) overlaps the set. An instant (end <= start) overlaps it if the set
 * contains it. */
bool weir_intervals_meets(const struct weir_intervals *set, int64_t start_ns, int64_t end_ns);
/* Keeps only the time in [start, end), in place. */
void weir_intervals_clip(struct weir_intervals *set, int64_t start_ns, int64_t end_ns);

/* Replaces the content of `out`, which must be neither a nor b, by a without b. */
void weir_intervals_subtract(const struct weir_intervals *a, const struct weir_intervals *b,
                             struct weir_intervals *out);

/* Return the lengths of the same results without building them. */
int64_t weir_intervals_common_ns(const struct weir_intervals *a, const struct weir_intervals *b);
int64_t weir_intervals_outside_ns(const struct weir_intervals *a, const struct weir_intervals *b);

/* Measures how much of an interval lies in a set, in logarithmic time. Borrows the set, which must
 * not change. */
struct weir_measure {
	const struct weir_intervals *set;
	int64_t *before_ns; /* total length of the items before item i */
};

void weir_measure_init(struct weir_measure *measure, const struct weir_intervals *set);
void weir_measure_release(struct weir_measure *measure);
int64_t weir_measure_inside(const struct weir_measure *measure, int64_t start_ns, int64_t end_ns);

/* Returns end - start; 0 if that is negative, INT64_MAX if it is larger. */
static inline int64_t weir_span_ns(int64_t start_ns, int64_t end_ns)
{
	uint64_t span;

	if (end_ns <= start_ns)
		return 0;
	span = (uint64_t)end_ns -
	       (uint64_t)start_ns; /* unsigned: the true difference may reach 2^64 - 1 */
	return span > INT64_MAX ? INT64_MAX : (int64_t)span;
}

/* Returns a + b for lengths that are not negative, at most INT64_MAX. */
static inline int64_t weir_add_ns(int64_t a_ns, int64_t b_ns)
{
	return a_ns > INT64_MAX - b_ns ? INT64_MAX : a_ns + b_ns;
}

/* Sorts instants (ns) in ascending order, in place. */
void weir_instants_sort(int64_t *ns, size_t count);
/* Returns the first place in [first, end) of sorted instants that is at or behind `at_ns`, in
 * logarithmic time; end: all are before it. */
size_t weir_instants_from(const int64_t *sorted_ns, size_t first, size_t end, int64_t at_ns);
/* Returns the number of sorted instants at or before `at_ns`, in logarithmic time. */
size_t weir_instants_until(const int64_t *sorted_ns, size_t count, int64_t at_ns);

#endif
