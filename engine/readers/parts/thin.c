/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/base/splitmix.h"
#include "engine/readers/parts/thin.h"

void weir_thin_init(struct weir_thin *thin, size_t most)
{
	*thin = (struct weir_thin){.most = most, .stretch = 1};
}

void weir_thin_release(struct weir_thin *thin)
{
	free(thin->value);
	*thin = (struct weir_thin){0};
}

/* Joins stretches in pairs, and keeps one sample of each pair. */
static void halve(struct weir_thin *thin)
{
	for (size_t i = 0; i < thin->count / 2; i++)
		thin->value[i] = thin->value[2 * i + (size_t)(weir_splitmix64(thin->seen + i) & 1)];
	thin->count /= 2;
	thin->stretch *= 2;
}

void weir_thin_add(struct weir_thin *thin, int64_t value)
{
	if (!thin->filled && thin->count == thin->most)
		halve(thin);
	if (!thin->filled) {
		thin->drawn = weir_splitmix64(thin->seen) & (thin->stretch - 1);
		thin->value = weir_grow(thin->value, &thin->capacity, thin->count + 1,
		                        sizeof *thin->value);
	}
	/* Keep the first sample until the drawn one arrives, as the last stretch may end before it.
	 */
	if (!thin->filled || thin->filled == thin->drawn)
		thin->value[thin->count] = value;
	thin->seen++;
	thin->filled = (thin->filled + 1) & (thin->stretch - 1);
	thin->count += !thin->filled;
}

void weir_thin_finish(struct weir_thin *thin, struct weir_series *series)
{
	thin->count += thin->filled > 0;
	thin->filled = 0;
	for (size_t i = 0; i < thin->count; i++)
		weir_series_push(series, (double)thin->value[i]);
}

bool weir_thin_dropped(const struct weir_thin *thin)
{
	return thin->stretch > 1;
}
