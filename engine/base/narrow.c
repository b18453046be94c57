/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/base/narrow.h"

/* weir_narrow_at() reads eight bytes from the first one of a value. */
#define PADDING 7

void weir_narrow_init(struct weir_narrow *column, const int64_t *values, size_t count)
{
	int64_t least = count > 0 ? values[0] : 0, most = least;

	for (size_t i = 1; i < count; i++) {
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	*column = (struct weir_narrow){.least = least};
	for (uint64_t range = (uint64_t)most - (uint64_t)least; range > 0; range >>= 8)
		column->width++;
	if (column->width == 0)
		return;
	column->bytes = weir_alloc(count * column->width + PADDING);
	for (size_t i = 0; i < count; i++) {
		uint64_t value = (uint64_t)values[i] - (uint64_t)least;

		for (unsigned b = 0; b < column->width; b++)
			column->bytes[i * column->width + b] = (uint8_t)(value >> (8 * b));
	}
}

void weir_narrow_release(struct weir_narrow *column)
{
	free(column->bytes);
	*column = (struct weir_narrow){0};
}
