/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/analysis/time/instants.h"
#include "engine/base/sort.h"

static int by_time(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

void weir_instants_sort(int64_t *ns, size_t count)
{
	weir_sort(ns, count, sizeof *ns, by_time);
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
