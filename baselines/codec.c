/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/codec.h"
#include "engine/base/arena.h"
#include "engine/base/pack.h"

#define PATTERNS      255 /* the format of series without a tick */
#define MAX_DECIMALS  6
#define HEADER_BYTES  9
#define VARINT_BYTES  10                 /* most bytes that 64 bits take */
#define EXACT_TICKS   9007199254740992.0 /* 2^53: every whole number below it is a double */
#define PATTERN_BYTES 8

static const double ticks_per_unit[MAX_DECIMALS + 1] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};

static uint64_t pattern_of(double value)
{
	uint64_t pattern;

	memcpy(&pattern, &value, sizeof(pattern));
	return pattern;
}

static double value_of(uint64_t pattern)
{
	double value;

	memcpy(&value, &pattern, sizeof(value));
	return value;
}

/* Hashes every bit of the values in order, with the multiplier of weir_hash_stable(). */
static uint64_t hash_values(const double *values, size_t count, uint64_t salt)
{
	uint64_t hash = count ^ salt;

	for (size_t i = 0; i < count; i++) {
		hash = (hash ^ pattern_of(values[i])) * UINT64_C(0x9fb21c651e98df25);
		hash ^= hash >> 32;
	}
	return hash;
}

/* --- encoding --- */

static bool as_ticks(double value, unsigned decimals, int64_t *out)
{
	double ticks = rint(value * ticks_per_unit[decimals]);

	if (!(fabs(ticks) < EXACT_TICKS))
		return false;
	*out = (int64_t)ticks; /* drops the sign of -0, which the comparison below then finds */
	return pattern_of((double)*out / ticks_per_unit[decimals]) == pattern_of(value);
}

/* Returns the fewest decimals that represent every value, otherwise PATTERNS. */
static unsigned find_format(const double *values, size_t count)
{
	unsigned decimals = 0;
	int64_t ticks;

	for (size_t i = 0; i < count && decimals <= MAX_DECIMALS; i++)
		while (decimals <= MAX_DECIMALS && !as_ticks(values[i], decimals, &ticks))
			decimals++;
	/* An earlier value may be too large for more decimals. */
	for (size_t i = 0; i < count && decimals <= MAX_DECIMALS; i++)
		if (!as_ticks(values[i], decimals, &ticks))
			return PATTERNS;
	return decimals <= MAX_DECIMALS ? decimals : PATTERNS;
}

static void add_varint(struct weir_text *out, uint64_t number)
{
	char bytes[VARINT_BYTES];
	size_t len = 0;

	do {
		bytes[len++] = (char)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
		number >>= 7;
	} while (number);
	weir_text_add(out, bytes, len);
}

static void add_ticks(struct weir_text *out, const double *values, size_t count, unsigned decimals)
{
	int64_t last = 0, ticks = 0;

	for (size_t i = 0; i < count; i++) {
		as_ticks(values[i], decimals, &ticks);
		int64_t step = ticks - last;

		add_varint(out, (uint64_t)step << 1 ^ (step < 0 ? UINT64_MAX : 0));
		last = ticks;
	}
}

static void add_patterns(struct weir_text *out, const double *values, size_t count)
{
	char *planes = weir_alloc(count * PATTERN_BYTES + 1);

	for (size_t i = 0; i < count; i++) {
		uint64_t pattern = pattern_of(values[i]);

		for (unsigned plane = 0; plane < PATTERN_BYTES; plane++)
			planes[plane * count + i] = (char)(pattern >> (8 * plane) & 0xff);
	}
	weir_text_add(out, planes, count * PATTERN_BYTES);
	free(planes);
}

enum weir_status weir_codec_encode(const double *values, size_t count, uint64_t salt,
                                   struct weir_text *blob, struct weir_error *err)
{
	struct weir_text plain = {0};
	char header[HEADER_BYTES];
	unsigned format;
	uint64_t hash;

	if (count > WEIR_CODEC_MAX_VALUES)
		return weir_fail(err, WEIR_E_LIMIT, "%zu values, at most %u", count,
		                 WEIR_CODEC_MAX_VALUES);
	format = find_format(values, count);
	hash = hash_values(values, count, salt);
	header[0] = (char)(unsigned char)format;
	for (unsigned i = 0; i < 8; i++)
		header[1 + i] = (char)(hash >> (8 * i) & 0xff);
	weir_text_add(&plain, header, sizeof(header));
	if (format == PATTERNS)
		add_patterns(&plain, values, count);
	else
		add_ticks(&plain, values, count, format);
	weir_pack(plain.data, plain.length, blob);
	weir_text_release(&plain);
	return WEIR_OK;
}

/* --- decoding --- */

/* Unread bytes. */
struct rest {
	const uint8_t *at;
	size_t length;
};

static bool take_varint(struct rest *rest, uint64_t *out)
{
	uint64_t number = 0;

	for (unsigned shift = 0; shift < 64 && rest->length > 0; shift += 7) {
		uint8_t byte = *rest->at++;

		rest->length--;
		number |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*out = number;
			return true;
		}
	}
	return false;
}

static bool take_ticks(struct rest *rest, double *values, size_t count, unsigned decimals)
{
	uint64_t ticks = 0, step; /* unsigned, so that damaged steps may wrap */

	for (size_t i = 0; i < count; i++) {
		if (!take_varint(rest, &step))
			return false;
		ticks += step >> 1 ^ (step & 1 ? UINT64_MAX : 0);
		if (ticks >> 63)
			values[i] = -(double)(UINT64_MAX - ticks + 1) / ticks_per_unit[decimals];
		else
			values[i] = (double)ticks / ticks_per_unit[decimals];
	}
	return rest->length == 0;
}

static bool take_patterns(const struct rest *rest, double *values, size_t count)
{
	if (rest->length != count * PATTERN_BYTES)
		return false;
	for (size_t i = 0; i < count; i++) {
		uint64_t pattern = 0;

		for (unsigned plane = 0; plane < PATTERN_BYTES; plane++)
			pattern |= (uint64_t)rest->at[plane * count + i] << (8 * plane);
		values[i] = value_of(pattern);
	}
	return true;
}

static bool take_values(struct rest *rest, uint64_t salt, double *values, size_t count)
{
	uint64_t hash = 0;
	unsigned format;

	if (rest->length < HEADER_BYTES)
		return false;
	format = rest->at[0];
	for (unsigned i = 0; i < 8; i++)
		hash |= (uint64_t)rest->at[1 + i] << (8 * i);
	rest->at += HEADER_BYTES;
	rest->length -= HEADER_BYTES;
	if (format == PATTERNS ? !take_patterns(rest, values, count)
	                       : format > MAX_DECIMALS || !take_ticks(rest, values, count, format))
		return false;
	return hash == hash_values(values, count, salt);
}

enum weir_status weir_codec_decode(const void *blob, size_t size, uint64_t salt, double *values,
                                   size_t count, struct weir_error *err)
{
	struct weir_text plain = {0};
	enum weir_status status;
	struct rest rest;

	if (count > WEIR_CODEC_MAX_VALUES)
		return weir_fail(err, WEIR_E_FORMAT, "%zu values, at most %u", count,
		                 WEIR_CODEC_MAX_VALUES);
	status = weir_unpack(blob, size, HEADER_BYTES + count * VARINT_BYTES, &plain, err);
	if (status) {
		status = weir_fail(err, WEIR_E_FORMAT, "its samples are damaged");
	} else {
		rest = (struct rest){(const uint8_t *)plain.data, plain.length};
		if (!take_values(&rest, salt, values, count))
			status = weir_fail(err, WEIR_E_FORMAT, "its samples are damaged or not %zu",
			                   count);
	}
	weir_text_release(&plain);
	return status;
}
