/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sorting the columns. Writers put out nearly sorted stretches, so rows are first gathered by group
 * and each group is then merged from the runs that are there: linear in sorted input, n log(runs)
 * else, 8 bytes a row of scratch.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/trace/builder_impl.h"

#define SHORT_RUN 24 /* shorter runs are made this long by insertion */

struct order {
	const struct weir_builder_keys *keys;
	uint32_t *rows, *scratch;
	uint32_t *runs; /* starts of the runs of one group, then the group's end */
	size_t run_count, run_capacity;
};

/* Rows of one group. Stable: of equal rows the earlier one is passed first by every caller. */
static inline bool is_after(const struct weir_builder_keys *keys, uint32_t a, uint32_t b)
{
	if (keys->start_ns[a] != keys->start_ns[b])
		return keys->start_ns[a] > keys->start_ns[b];
	return keys->end_ns[a] < keys->end_ns[b];
}

static bool is_sorted(const struct weir_builder_keys *keys)
{
	for (size_t i = 1; i < keys->count; i++) {
		if (keys->group[i] < keys->group[i - 1])
			return false;
		if (keys->group[i] == keys->group[i - 1] &&
		    is_after(keys, (uint32_t)i - 1, (uint32_t)i))
			return false;
	}
	return true;
}

/* Fills order->rows group by group, in order of arrival; returns where each group ends. */
static uint32_t *gather_groups(struct order *order)
{
	const struct weir_builder_keys *keys = order->keys;
	uint32_t *ends = weir_alloc(keys->groups * sizeof(*ends));
	uint32_t total = 0;

	for (size_t i = 0; i < keys->count; i++)
		ends[keys->group[i]]++;
	for (size_t i = 0; i < keys->groups; i++) {
		uint32_t count = ends[i];

		ends[i] = total;
		total += count;
	}
	for (size_t i = 0; i < keys->count; i++)
		order->rows[ends[keys->group[i]]++] = (uint32_t)i;
	return ends;
}

static void insert(struct order *order, uint32_t low, uint32_t high)
{
	uint32_t *rows = order->rows;

	for (uint32_t i = low + 1; i < high; i++) {
		uint32_t row = rows[i], at = i;

		for (; at > low && is_after(order->keys, rows[at - 1], row); at--)
			rows[at] = rows[at - 1];
		rows[at] = row;
	}
}

static void find_runs(struct order *order, uint32_t low, uint32_t high)
{
	order->run_count = 0;
	while (low < high) {
		uint32_t next = low + 1;

		while (next < high &&
		       !is_after(order->keys, order->rows[next - 1], order->rows[next]))
			next++;
		if (next - low < SHORT_RUN && next < high) {
			next = high - low < SHORT_RUN ? high : low + SHORT_RUN;
			insert(order, low, next);
		}
		order->runs = weir_grow(order->runs, &order->run_capacity, order->run_count + 2,
		                        sizeof(*order->runs));
		order->runs[order->run_count++] = low;
		low = next;
	}
	order->runs[order->run_count] = high;
}

/* Two neighbouring runs from rows to scratch. */
static void merge(struct order *order, uint32_t low, uint32_t middle, uint32_t high)
{
	const uint32_t *rows = order->rows;
	uint32_t left = low, right = middle, out = low;

	if (middle == high || !is_after(order->keys, rows[middle - 1], rows[middle])) {
		memcpy(order->scratch + low, rows + low, (high - low) * sizeof(*rows));
		return;
	}
	while (left < middle && right < high)
		order->scratch[out++] = is_after(order->keys, rows[left], rows[right])
		                                ? rows[right++]
		                                : rows[left++];
	memcpy(order->scratch + out, rows + left, (middle - left) * sizeof(*rows));
	out += middle - left;
	memcpy(order->scratch + out, rows + right, (high - right) * sizeof(*rows));
}

/* Halves the number of runs. */
static void merge_runs(struct order *order)
{
	uint32_t low = order->runs[0], high = order->runs[order->run_count];
	size_t kept = 0;

	for (size_t i = 0; i < order->run_count; i += 2) {
		bool pair = i + 1 < order->run_count;

		merge(order, order->runs[i], order->runs[i + 1],
		      pair ? order->runs[i + 2] : order->runs[i + 1]);
		order->runs[kept++] = order->runs[i];
	}
	order->runs[kept] = high;
	order->run_count = kept;
	memcpy(order->rows + low, order->scratch + low, (high - low) * sizeof(*order->rows));
}

uint32_t *weir_builder_order(const struct weir_builder_keys *keys)
{
	struct order order = {.keys = keys};
	uint32_t *ends, low = 0;

	if (is_sorted(keys))
		return NULL;
	order.rows = weir_realloc(NULL, keys->count * sizeof(*order.rows));
	order.scratch = weir_realloc(NULL, keys->count * sizeof(*order.scratch));
	ends = gather_groups(&order);
	for (size_t i = 0; i < keys->groups; i++) {
		if (ends[i] > low) {
			find_runs(&order, low, ends[i]);
			while (order.run_count > 1)
				merge_runs(&order);
		}
		low = ends[i];
	}
	free(ends);
	free(order.runs);
	free(order.scratch);
	return order.rows;
}
