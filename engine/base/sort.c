/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/base/sort.h"

void weir_sort(void *items, size_t count, size_t size,
               int (*compare)(const void *left, const void *right))
{
	const char *at = items;

	for (size_t i = 1; i < count; i++, at += size)
		if (compare(at, at + size) > 0) {
			qsort(items, count, size, compare);
			return;
		}
}
