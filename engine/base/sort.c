/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/sort.h"

/* A list that is being sorted: ascending runs are merged from one buffer into the other. */
struct sorter {
	char *from, *to;
	size_t count, size;
	int (*compare)(const void *left, const void *right);
	size_t *ends; /* ends[i]: index after run i */
	size_t run_count, run_capacity;
};

static char *item(char *items, const struct sorter *sorter, size_t index)
{
	return items + index * sorter->size;
}

static void find_runs(struct sorter *sorter)
{
	for (size_t i = 1; i <= sorter->count; i++) {
		if (i < sorter->count && sorter->compare(item(sorter->from, sorter, i - 1),
		                                         item(sorter->from, sorter, i)) <= 0)
			continue;
		sorter->ends = weir_grow(sorter->ends, &sorter->run_capacity, sorter->run_count + 1,
		                         sizeof *sorter->ends);
		sorter->ends[sorter->run_count++] = i;
	}
}

/* Copies [first, end) to the same place of the other buffer, at `to`; returns the place after it.
 */
static char *copy(const struct sorter *sorter, size_t first, size_t end, char *to)
{
	size_t bytes = (end - first) * sorter->size;

	memcpy(to, item(sorter->from, sorter, first), bytes);
	return to + bytes;
}

/* Merges the runs [left, middle) and [middle, end). Items are copied in stretches that one run
 * contributes; of equal items, those of the first run come first. */
static void merge(const struct sorter *sorter, size_t left, size_t middle, size_t end)
{
	char *to = item(sorter->to, sorter, left);
	size_t right = middle;

	while (left < middle && right < end) {
		size_t first = left;

		while (left < middle && sorter->compare(item(sorter->from, sorter, left),
		                                        item(sorter->from, sorter, right)) <= 0)
			left++;
		to = copy(sorter, first, left, to);
		if (left == middle)
			break;
		first = right;
		do
			right++;
		while (right < end && sorter->compare(item(sorter->from, sorter, left),
		                                      item(sorter->from, sorter, right)) > 0);
		to = copy(sorter, first, right, to);
	}
	to = copy(sorter, left, middle, to);
	copy(sorter, right, end, to);
}

/* Merges each pair of neighbouring runs, and swaps the buffers. */
static void merge_pairs(struct sorter *sorter)
{
	char *from = sorter->from;
	size_t first = 0, merged = 0;

	for (size_t i = 0; i < sorter->run_count; i += 2) {
		size_t middle = sorter->ends[i];
		size_t end = i + 1 < sorter->run_count ? sorter->ends[i + 1] : middle;

		merge(sorter, first, middle, end);
		sorter->ends[merged++] = end;
		first = end;
	}
	sorter->run_count = merged;
	sorter->from = sorter->to;
	sorter->to = from;
}

void weir_sort(void *items, size_t count, size_t size,
               int (*compare)(const void *left, const void *right))
{
	struct sorter sorter = {.from = items, .count = count, .size = size, .compare = compare};
	char *buffer = NULL;

	find_runs(&sorter);
	if (sorter.run_count > 1)
		sorter.to = buffer = weir_realloc(NULL, count * size);
	while (sorter.run_count > 1)
		merge_pairs(&sorter);
	if (sorter.from != items)
		memcpy(items, sorter.from, count * size);
	free(buffer);
	free(sorter.ends);
}
