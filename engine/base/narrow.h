/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A column of integers that takes as few whole bytes a value as their range needs, without loss: a
 * value is kept as its distance from the least one. A column of equal values takes none. Values can
 * be read in any order, and cannot be changed.
 */
#ifndef WEIR_BASE_NARROW_H
#define WEIR_BASE_NARROW_H

#include <stddef.h>
#include <stdint.h>

/* {0} is a column of zeros of any length; release with weir_narrow_release(). */
struct weir_narrow {
	uint8_t *bytes; /* little-endian, and seven more; NULL if width is 0 */
	int64_t least;
	unsigned width; /* bytes a value, 0 to 8 */
};

void weir_narrow_init(struct weir_narrow *column, const int64_t *values, size_t count);
void weir_narrow_release(struct weir_narrow *column);

/* Returns a value; `index` must be below the count. */
static inline int64_t weir_narrow_at(const struct weir_narrow *column, size_t index)
{
	const uint8_t *from;
	uint64_t value;

	if (column->width == 0)
		return column->least;
	from = column->bytes + index * column->width;
	value = (uint64_t)from[0] | (uint64_t)from[1] << 8 | (uint64_t)from[2] << 16 |
	        (uint64_t)from[3] << 24 | (uint64_t)from[4] << 32 | (uint64_t)from[5] << 40 |
	        (uint64_t)from[6] << 48 | (uint64_t)from[7] << 56;
	value &= UINT64_MAX >> (64 - 8 * column->width);
	return (int64_t)((uint64_t)column->least + value);
}

#endif
