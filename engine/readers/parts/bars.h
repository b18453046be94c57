/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Splits rows of tables whose columns are separated by vertical lines: "|" of Markdown and ASCII,
 * and those of Unicode (U+2502, U+2503). */
#ifndef WEIR_READERS_PARTS_BARS_H
#define WEIR_READERS_PARTS_BARS_H

#include <stddef.h>

#include "engine/base/slice.h"

/* Gives the trimmed cells between the lines of a row, at most `max`; text before the first line and
 * behind the last one is left out. Returns their number; 0: the row has no two lines. */
size_t weir_bars_split(struct weir_slice row, struct weir_slice *cells, size_t max);

#endif
