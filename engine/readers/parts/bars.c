/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <string.h>

#include "engine/readers/parts/bars.h"

/* Returns the bytes of a line between columns at the start of the text, 0 for other text. */
static size_t bar_length(const char *text, size_t length)
{
	if (length && *text == '|')
		return 1;
	return length >= 3 && (!memcmp(text, "\xe2\x94\x82", 3) || !memcmp(text, "\xe2\x94\x83", 3))
	               ? 3
	               : 0;
}

size_t weir_bars_split(struct weir_slice row, struct weir_slice *cells, size_t max)
{
	size_t count = 0, start = 0, bar;
	bool open = false;

	for (size_t i = 0; i < row.length; i += bar ? bar : 1) {
		bar = bar_length(row.data + i, row.length - i);
		if (!bar)
			continue;
		if (open && count < max)
			cells[count++] =
				weir_slice_trim((struct weir_slice){row.data + start, i - start});
		open = true;
		start = i + bar;
	}
	return count;
}
