/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/readers/thin.h"

/* Finalizer of splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static uint64_t mix(uint64_t value)
{
	value += UINT64_C(0x9e3779b97f4a7c15);
	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

void weir_thin_init(struct weir_thin *thin, size_t most)
{
	*thin = (struct weir_thin){.most = most, .run = 1};
}

void weir_thin_release(struct weir_thin *thin)
{
	free(thin->value);
	*thin = (struct weir_thin){0};
}

/* Two runs become one. */
static void halve(struct weir_thin *thin)
{
	for (size_t i = 0; i < thin->count / 2; i++)
		thin->value[i] = thin->value[2 * i + (size_t)(mix(thin->seen + i) & 1)];
	thin->count /= 2;
	thin->run *= 2;
}

void weir_thin_add(struct weir_thin *thin, int64_t value)
{
	if (!thin->filled && thin->count == thin->most)
		halve(thin);
	if (!thin->filled) {
		thin->drawn = mix(thin->seen) & (thin->run - 1);
		thin->value = weir_grow(thin->value, &thin->capacity, thin->count + 1,
		                        sizeof *thin->value);
	}
	/* The first one stands in until the drawn one comes: the last run may end before. */
	if (!thin->filled || thin->filled == thin->drawn)
		thin->value[thin->count] = value;
	thin->seen++;
	thin->filled = (thin->filled + 1) & (thin->run - 1);
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
	return thin->run > 1;
}
