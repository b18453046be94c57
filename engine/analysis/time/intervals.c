/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"
#include "engine/base/sort.h"

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void weir_intervals_release(struct weir_intervals *set)
{
	free(set->items);
	*set = (struct weir_intervals){0};
}

void weir_intervals_clear(struct weir_intervals *set)
{
	set->count = 0;
}

void weir_intervals_reserve(struct weir_intervals *set, size_t count)
{
	set->items = weir_grow(set->items, &set->capacity, count, sizeof(*set->items));
}

void weir_intervals_push(struct weir_intervals *set, int64_t start_ns, int64_t end_ns)
{
	struct weir_interval *last = set->count ? &set->items[set->count - 1] : NULL;

	if (end_ns <= start_ns)
		return;
	if (last && start_ns >= last->start_ns && start_ns <= last->end_ns) {
		last->end_ns = larger(last->end_ns, end_ns);
		return;
	}
	if (set->count == set->capacity)
		set->items =
			weir_grow(set->items, &set->capacity, set->count + 1, sizeof(*set->items));
	set->items[set->count++] = (struct weir_interval){start_ns, end_ns};
}

static int by_start(const void *a, const void *b)
{
	const struct weir_interval *x = a, *y = b;

	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

void weir_intervals_unite(struct weir_intervals *set)
{
	size_t count = set->count;

	weir_sort(set->items, count, sizeof(*set->items), by_start);
	set->count = 0;
	for (size_t i = 0; i < count; i++)
		weir_intervals_push(set, set->items[i].start_ns, set->items[i].end_ns);
}

void weir_intervals_trim(struct weir_intervals *set)
{
	if (set->count == 0) {
		weir_intervals_release(set);
		return;
	}
	set->items = weir_realloc(set->items, set->count * sizeof(*set->items));
	set->capacity = set->count;
}

int64_t weir_intervals_total(const struct weir_intervals *set)
{
	int64_t total = 0;

	for (size_t i = 0; i < set->count; i++)
		total = weir_add_ns(total,
		                    weir_span_ns(set->items[i].start_ns, set->items[i].end_ns));
	return total;
}

/* Returns the index of the first item that ends after at_ns; count: no item does. */
static size_t first_ending_after(const struct weir_intervals *set, int64_t at_ns)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (set->items[middle].end_ns > at_ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

bool weir_intervals_contains(const struct weir_intervals *set, int64_t at_ns)
{
	size_t i = first_ending_after(set, at_ns);

	return i < set->count && set->items[i].start_ns <= at_ns;
}

bool weir_intervals_find(const struct weir_intervals *set, int64_t at_ns, struct weir_interval *out)
{
	size_t i = first_ending_after(set, at_ns);

	if (i == set->count)
		return false;
	*out = set->items[i];
	return true;
}

bool weir_intervals_meets(const struct weir_intervals *set, int64_t start_ns, int64_t end_ns)
{
	size_t i = first_ending_after(set, start_ns);

	return i < set->count &&
	       (set->items[i].start_ns <= start_ns || set->items[i].start_ns < end_ns);
}

void weir_intervals_clip(struct weir_intervals *set, int64_t start_ns, int64_t end_ns)
{
	size_t i = first_ending_after(set, start_ns), count = set->count;

	set->count = 0;
	for (; i < count && set->items[i].start_ns < end_ns; i++)
		weir_intervals_push(set, larger(set->items[i].start_ns, start_ns),
		                    smaller(set->items[i].end_ns, end_ns));
}

/* Receives the intervals of a set without another: as a set, or only their total length. */
struct sink {
	struct weir_intervals *set; /* NULL: only the length is wanted */
	int64_t total_ns;
};

static void sink_add(struct sink *sink, int64_t start_ns, int64_t end_ns)
{
	if (sink->set)
		weir_intervals_push(sink->set, start_ns, end_ns);
	else
		sink->total_ns = weir_add_ns(sink->total_ns, weir_span_ns(start_ns, end_ns));
}

static void walk_outside(const struct weir_intervals *a, const struct weir_intervals *b,
                         struct sink *sink)
{
	size_t j = 0;

	for (size_t i = 0; i < a->count; i++) {
		int64_t from = a->items[i].start_ns, end = a->items[i].end_ns;

		while (j < b->count && b->items[j].end_ns <= from)
			j++;
		while (j < b->count && b->items[j].start_ns < end) {
			sink_add(sink, from, b->items[j].start_ns);
			from = b->items[j].end_ns;
			if (from >= end)
				break; /* this item of b may reach into the next item of a */
			j++;
		}
		sink_add(sink, from, end);
	}
}

void weir_intervals_subtract(const struct weir_intervals *a, const struct weir_intervals *b,
                             struct weir_intervals *out)
{
	weir_intervals_clear(out);
	walk_outside(a, b, &(struct sink){.set = out});
}

int64_t weir_intervals_common_ns(const struct weir_intervals *a, const struct weir_intervals *b)
{
	int64_t total_ns = 0;
	size_t i = 0, j = 0;

	while (i < a->count && j < b->count) {
		const struct weir_interval *x = &a->items[i], *y = &b->items[j];

		total_ns = weir_add_ns(total_ns, weir_span_ns(larger(x->start_ns, y->start_ns),
		                                              smaller(x->end_ns, y->end_ns)));
		if (x->end_ns <= y->end_ns)
			i++;
		else
			j++;
	}
	return total_ns;
}

int64_t weir_intervals_outside_ns(const struct weir_intervals *a, const struct weir_intervals *b)
{
	struct sink sink = {0};

	walk_outside(a, b, &sink);
	return sink.total_ns;
}

void weir_measure_init(struct weir_measure *measure, const struct weir_intervals *set)
{
	int64_t before = 0;

	measure->set = set;
	measure->before_ns = weir_alloc((set->count + 1) * sizeof(*measure->before_ns));
	for (size_t i = 0; i < set->count; i++) {
		measure->before_ns[i] = before;
		before = weir_add_ns(before,
		                     weir_span_ns(set->items[i].start_ns, set->items[i].end_ns));
	}
	measure->before_ns[set->count] = before;
}

void weir_measure_release(struct weir_measure *measure)
{
	free(measure->before_ns);
	*measure = (struct weir_measure){0};
}

/* Returns the length of the part of an item that lies in [start, end). */
static int64_t common_with(const struct weir_interval *item, int64_t start_ns, int64_t end_ns)
{
	return weir_span_ns(larger(item->start_ns, start_ns), smaller(item->end_ns, end_ns));
}

int64_t weir_measure_inside(const struct weir_measure *measure, int64_t start_ns, int64_t end_ns)
{
	const struct weir_intervals *set = measure->set;
	size_t first = first_ending_after(set, start_ns), last;
	int64_t inside;

	if (first == set->count || end_ns <= start_ns)
		return 0;
	last = first_ending_after(set, end_ns);
	inside = common_with(&set->items[first], start_ns, end_ns);
	if (first == last)
		return inside;
	inside = weir_add_ns(inside, measure->before_ns[last] - measure->before_ns[first + 1]);
	if (last < set->count)
		inside = weir_add_ns(inside, common_with(&set->items[last], start_ns, end_ns));
	return inside;
}

static int by_time(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

void weir_instants_sort(int64_t *ns, size_t count)
{
	weir_sort(ns, count, sizeof *ns, by_time);
}

size_t weir_instants_from(const int64_t *sorted_ns, size_t first, size_t end, int64_t at_ns)
{
	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (sorted_ns[middle] < at_ns)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

size_t weir_instants_until(const int64_t *sorted_ns, size_t count, int64_t at_ns)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (sorted_ns[middle] <= at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
