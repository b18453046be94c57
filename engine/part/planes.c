/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/part/planes.h"

/* Most planes of a column, one per byte of its values. */
#define MOST_PLANES 8

/* ---- bytes ---- */

void weir_planes_bytes(struct weir_planes *planes, void *bytes, size_t length)
{
	if (planes->out) {
		weir_text_add(planes->out, bytes, length);
		return;
	}
	if (length > planes->left) {
		planes->failed = true;
		planes->left = 0;
		memset(bytes, 0, length);
		return;
	}
	if (length > 0)
		memcpy(bytes, planes->in, length);
	planes->in += length;
	planes->left -= length;
}

void weir_planes_count(struct weir_planes *planes, size_t *count, size_t most, size_t bytes)
{
	uint8_t digits[MOST_PLANES];

	for (size_t i = 0; i < MOST_PLANES; i++)
		digits[i] = (uint8_t)((uint64_t)*count >> (8 * i));
	weir_planes_bytes(planes, digits, sizeof digits);
	if (planes->out)
		return;
	*count = 0;
	for (size_t i = 0; i < MOST_PLANES; i++)
		*count |= (size_t)digits[i] << (8 * i);
	if (!planes->failed && *count <= most && (bytes == 0 || *count <= planes->left / bytes))
		return;
	planes->failed = true;
	planes->left = 0;
	*count = 0;
}

/* ---- differences ---- */

/* Maps 0, -1, 1, -2, ... to 0, 1, 2, 3, ... The arithmetic is modulo 2^64. */
static uint64_t fold(uint64_t difference)
{
	return (difference << 1) ^ (UINT64_C(0) - (difference >> 63));
}

static uint64_t unfold(uint64_t folded)
{
	return (folded >> 1) ^ (UINT64_C(0) - (folded & 1));
}

/* The difference whose code would be that of a zero. */
#define UNCODED (UINT64_C(1) << 63)

/* Returns true if a value lies so far from the one before it that WEIR_PREDICT_NONZERO has no code
 * for the difference. */
static bool has_uncoded(const uint64_t *values, size_t count)
{
	uint64_t last = 0;

	for (size_t i = 0; i < count; i++) {
		if (values[i] == 0)
			continue;
		if (values[i] - last == UNCODED)
			return true;
		last = values[i];
	}
	return false;
}

static void encode(uint64_t *values, size_t count, enum weir_predict predict)
{
	uint64_t last = 0;

	if (predict == WEIR_PREDICT_NOTHING)
		return;
	for (size_t i = 0; i < count; i++) {
		uint64_t value = values[i];

		if (predict == WEIR_PREDICT_NONZERO && value == 0)
			continue;
		values[i] = fold(value - last) + (predict == WEIR_PREDICT_NONZERO);
		last = value;
	}
}

static void decode(uint64_t *values, size_t count, enum weir_predict predict)
{
	uint64_t last = 0;

	if (predict == WEIR_PREDICT_NOTHING)
		return;
	for (size_t i = 0; i < count; i++) {
		if (predict == WEIR_PREDICT_NONZERO && values[i] == 0)
			continue;
		last += unfold(predict == WEIR_PREDICT_NONZERO ? values[i] - 1 : values[i]);
		values[i] = last;
	}
}

/* ---- planes ---- */

/* Returns the number of planes that hold a value: at least one, so that a column takes as many
 * bytes as it has rows and a count that was read can be checked. */
static uint8_t planes_needed(const uint64_t *values, size_t count)
{
	uint64_t any = 0;
	uint8_t needed = 1;

	for (size_t i = 0; i < count; i++)
		any |= values[i];
	while ((any >>= 8) != 0)
		needed++;
	return needed;
}

static void write_planes(struct weir_planes *planes, const uint64_t *values, size_t count)
{
	uint8_t needed = planes_needed(values, count);
	uint8_t *plane = weir_alloc(count + 1);

	weir_planes_bytes(planes, &needed, 1);
	for (uint8_t p = 0; p < needed; p++) {
		for (size_t i = 0; i < count; i++)
			plane[i] = (uint8_t)(values[i] >> (8 * p));
		weir_planes_bytes(planes, plane, count);
	}
	free(plane);
}

static void read_planes(struct weir_planes *planes, uint64_t *values, size_t count)
{
	uint8_t needed = 0;

	memset(values, 0, count * sizeof *values);
	weir_planes_bytes(planes, &needed, 1);
	if (needed == 0 || needed > MOST_PLANES || count > planes->left / needed) {
		planes->failed = true;
		planes->left = 0;
		return;
	}
	for (uint8_t p = 0; p < needed; p++) {
		for (size_t i = 0; i < count; i++)
			values[i] |= (uint64_t)planes->in[i] << (8 * p);
		planes->in += count;
		planes->left -= count;
	}
}

/* Writes or reads a column that was converted to 64 bits. */
static void pass(struct weir_planes *planes, uint64_t *values, size_t count,
                 enum weir_predict predict)
{
	uint8_t used = (uint8_t)predict;

	if (planes->out && predict == WEIR_PREDICT_NONZERO && has_uncoded(values, count))
		used = WEIR_PREDICT_NOTHING;
	weir_planes_bytes(planes, &used, 1);
	if (used != predict && used != WEIR_PREDICT_NOTHING)
		planes->failed = true;
	if (planes->out) {
		encode(values, count, used);
		write_planes(planes, values, count);
	} else {
		read_planes(planes, values, count);
		decode(values, count, used);
	}
}

/* ---- integers of any width ---- */

static uint64_t load(const void *from, size_t width)
{
	uint16_t two;
	uint32_t four;
	uint64_t eight;

	switch (width) {
	case 1:
		return *(const uint8_t *)from;
	case 2:
		memcpy(&two, from, sizeof two);
		return two;
	case 4:
		memcpy(&four, from, sizeof four);
		return four;
	default:
		memcpy(&eight, from, sizeof eight);
		return eight;
	}
}

static void store(void *to, size_t width, uint64_t value)
{
	uint16_t two = (uint16_t)value;
	uint32_t four = (uint32_t)value;

	switch (width) {
	case 1:
		*(uint8_t *)to = (uint8_t)value;
		break;
	case 2:
		memcpy(to, &two, sizeof two);
		break;
	case 4:
		memcpy(to, &four, sizeof four);
		break;
	default:
		memcpy(to, &value, sizeof value);
	}
}

void weir_planes_integers(struct weir_planes *planes, void *first, size_t width, size_t stride,
                          size_t count, enum weir_predict predict)
{
	uint64_t *wide = weir_alloc((count + 1) * sizeof *wide);
	char *at = first;

	for (size_t i = 0; planes->out && i < count; i++)
		wide[i] = load(at + i * stride, width);
	pass(planes, wide, count, predict);
	for (size_t i = 0; !planes->out && i < count; i++)
		store(at + i * stride, width, wide[i]);
	free(wide);
}

void weir_planes_from(struct weir_planes *planes, uint64_t *values, const uint64_t *from,
                      size_t count)
{
	uint64_t *wide = weir_alloc((count + 1) * sizeof *wide);

	for (size_t i = 0; planes->out && i < count; i++)
		wide[i] = fold(values[i] - from[i]);
	pass(planes, wide, count, WEIR_PREDICT_NOTHING);
	for (size_t i = 0; !planes->out && i < count; i++)
		values[i] = from[i] + unfold(wide[i]);
	free(wide);
}
