/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The 64 bytes at a time under the JSON scanner: which of them are quotes, backslashes, brackets or
 * control bytes, one bit a byte, lowest bit first. SSE2 where the compiler targets it, plain C
 * everywhere else; both give the same bits. The idea of working on such masks is Langdale and
 * Lemire, "Parsing Gigabytes of JSON per Second", 2019.
 */
#ifndef WEIR_BASE_JSONBLOCK_H
#define WEIR_BASE_JSONBLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define WEIR_JSONBLOCK_SIZE 64

struct weir_jsonblock {
	uint64_t quote, backslash;
	uint64_t open, close; /* brackets and braces alike */
	uint64_t control;     /* below 0x20 */
};

#ifdef __SSE2__

static inline uint64_t weir_jsonblock_bits(__m128i match)
{
	return (uint64_t)(uint32_t)_mm_movemask_epi8(match);
}

/* Reads exactly 64 bytes. */
static inline struct weir_jsonblock weir_jsonblock_load(const char *at)
{
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
	const __m128i open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}');
	const __m128i lower = _mm_set1_epi8(0x20), control = _mm_set1_epi8(0x1f);
	struct weir_jsonblock block = {0};

	for (unsigned i = 0; i < 4; i++) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(at + i * 16));
		__m128i folded = _mm_or_si128(bytes, lower); /* '[' to '{', ']' to '}' */
		unsigned shift = i * 16;

		block.quote |= weir_jsonblock_bits(_mm_cmpeq_epi8(bytes, quote)) << shift;
		block.backslash |= weir_jsonblock_bits(_mm_cmpeq_epi8(bytes, backslash)) << shift;
		block.open |= weir_jsonblock_bits(_mm_cmpeq_epi8(folded, open)) << shift;
		block.close |= weir_jsonblock_bits(_mm_cmpeq_epi8(folded, close)) << shift;
		block.control |=
			weir_jsonblock_bits(_mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes))
			<< shift;
	}
	return block;
}

#else

static inline struct weir_jsonblock weir_jsonblock_load(const char *at)
{
	struct weir_jsonblock block = {0};

	for (unsigned i = 0; i < WEIR_JSONBLOCK_SIZE; i++) {
		unsigned char byte = (unsigned char)at[i];
		uint64_t bit = (uint64_t)1 << i;

		block.quote |= byte == '"' ? bit : 0;
		block.backslash |= byte == '\\' ? bit : 0;
		block.open |= (byte | 0x20) == '{' ? bit : 0;
		block.close |= (byte | 0x20) == '}' ? bit : 0;
		block.control |= byte < 0x20 ? bit : 0;
	}
	return block;
}

#endif

/* Number of the lowest set bit; bits is not 0. De Bruijn sequence after Leiserson, Prokop, Randall,
 * 1998. */
static inline unsigned weir_bits_first(uint64_t bits)
{
	static const uint8_t place[64] = {
		0,  1,  2,  53, 3,  7,  54, 27, 4,  38, 41, 8,  34, 55, 48, 28,
		62, 5,  39, 46, 44, 42, 22, 9,  24, 35, 59, 56, 49, 18, 29, 11,
		63, 52, 6,  26, 37, 40, 33, 47, 61, 45, 43, 21, 23, 58, 17, 10,
		51, 25, 36, 32, 60, 20, 57, 16, 50, 31, 19, 15, 30, 14, 13, 12,
	};

	return place[((bits & (~bits + 1)) * UINT64_C(0x022fdd63cc95386d)) >> 58];
}

static inline unsigned weir_bits_count(uint64_t bits)
{
	bits -= (bits >> 1) & UINT64_C(0x5555555555555555);
	bits = (bits & UINT64_C(0x3333333333333333)) + ((bits >> 2) & UINT64_C(0x3333333333333333));
	bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)((bits * UINT64_C(0x0101010101010101)) >> 56);
}

/* Bit i: the parity of bits 0 to i. */
static inline uint64_t weir_bits_parity(uint64_t bits)
{
	for (unsigned shift = 1; shift < 64; shift *= 2)
		bits ^= bits << shift;
	return bits;
}

/*
 * The first quote or backslash at or after `at`, or some byte at or after end. May read up to 16
 * bytes past end.
 */
static inline const char *weir_jsonblock_quote(const char *at, const char *end)
{
#ifdef __SSE2__
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');

	for (; at < end; at += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
		uint64_t found = weir_jsonblock_bits(_mm_or_si128(
			_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));

		if (found)
			return at + weir_bits_first(found);
	}
	return at;
#else
	while (at < end && *at != '"' && *at != '\\')
		at++;
	return at;
#endif
}

#endif
