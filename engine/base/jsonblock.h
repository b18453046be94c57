/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classifies 64 bytes of JSON at once: masks of the quotes, backslashes, brackets and control
 * bytes, one bit for each byte, the lowest bit first. Finds the ends of texts and words. Uses SSE2
 * if the compiler targets it, and otherwise plain C, with the same results; jsonblock_avx2.h does
 * the same with AVX2. The method of masks is from Langdale and Lemire, "Parsing Gigabytes of JSON
 * per Second", 2019.
 */
#ifndef WEIR_BASE_JSONBLOCK_H
#define WEIR_BASE_JSONBLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__SSE2__) && defined(__x86_64__) && !defined(WEIR_PLAIN_C)
#define WEIR_JSONBLOCK_SSE2
#include <emmintrin.h>
#endif

#define WEIR_JSONBLOCK_SIZE 64

struct weir_jsonblock {
	uint64_t quote, backslash;
	uint64_t open, close; /* brackets and braces */
	uint64_t control;     /* bytes below 0x20 */
};

#ifdef WEIR_JSONBLOCK_SSE2

/* Returns the number of the lowest set bit; bits is not 0. */
static inline unsigned weir_bits_first(uint64_t bits)
{
	return (unsigned)__builtin_ctzll(bits);
}

static inline uint64_t weir_jsonblock_bits(__m128i match)
{
	return (uint64_t)(uint32_t)_mm_movemask_epi8(match);
}

static inline uint64_t weir_jsonblock_join(__m128i a, __m128i b, __m128i c, __m128i d)
{
	return weir_jsonblock_bits(a) | weir_jsonblock_bits(b) << 16 |
	       weir_jsonblock_bits(c) << 32 | weir_jsonblock_bits(d) << 48;
}

static inline uint64_t weir_jsonblock_equal(const __m128i *bytes, __m128i wanted)
{
	return weir_jsonblock_join(
		_mm_cmpeq_epi8(bytes[0], wanted), _mm_cmpeq_epi8(bytes[1], wanted),
		_mm_cmpeq_epi8(bytes[2], wanted), _mm_cmpeq_epi8(bytes[3], wanted));
}

/* Returns a mask of the bytes that are at most `bound`. */
static inline uint64_t weir_jsonblock_below(const __m128i *bytes, __m128i bound)
{
	return weir_jsonblock_join(_mm_cmpeq_epi8(_mm_min_epu8(bytes[0], bound), bytes[0]),
	                           _mm_cmpeq_epi8(_mm_min_epu8(bytes[1], bound), bytes[1]),
	                           _mm_cmpeq_epi8(_mm_min_epu8(bytes[2], bound), bytes[2]),
	                           _mm_cmpeq_epi8(_mm_min_epu8(bytes[3], bound), bytes[3]));
}

/* Reads exactly 64 bytes. */
static inline struct weir_jsonblock weir_jsonblock_load(const char *at)
{
	const __m128i *from = (const __m128i *)(const void *)at;
	const __m128i lower = _mm_set1_epi8(0x20);
	const __m128i bytes[4] = {_mm_loadu_si128(from), _mm_loadu_si128(from + 1),
	                          _mm_loadu_si128(from + 2), _mm_loadu_si128(from + 3)};
	const __m128i folded[4] = {_mm_or_si128(bytes[0], lower), _mm_or_si128(bytes[1], lower),
	                           _mm_or_si128(bytes[2], lower), _mm_or_si128(bytes[3], lower)};

	return (struct weir_jsonblock){
		.quote = weir_jsonblock_equal(bytes, _mm_set1_epi8('"')),
		.backslash = weir_jsonblock_equal(bytes, _mm_set1_epi8('\\')),
		.open = weir_jsonblock_equal(folded,
	                                     _mm_set1_epi8('{')), /* '[' folds to '{', ']' to '}' */
		.close = weir_jsonblock_equal(folded, _mm_set1_epi8('}')),
		.control = weir_jsonblock_below(bytes, _mm_set1_epi8(0x1f)),
	};
}

/* Returns the first quote or backslash in [at, end), otherwise a position at or after end. May read
 * up to 16 bytes after end. */
static inline const char *weir_jsonblock_quote(const char *at, const char *end)
{
	const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');

	for (; at < end; at += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
		uint64_t found = weir_jsonblock_bits(_mm_or_si128(
			_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));

		if (found)
			return at + weir_bits_first(found);
	}
	return at;
}

/* Returns the first comma, closing bracket, blank or control byte in [at, end), otherwise a
 * position at or after end. May read up to 16 bytes after end. */
static inline const char *weir_jsonblock_word(const char *at, const char *end)
{
	const __m128i comma = _mm_set1_epi8(','), close = _mm_set1_epi8('}'),
		      blank = _mm_set1_epi8(0x20);

	for (; at < end; at += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
		__m128i ends = _mm_or_si128(_mm_cmpeq_epi8(bytes, comma),
		                            _mm_cmpeq_epi8(_mm_or_si128(bytes, blank), close));
		uint64_t found = weir_jsonblock_bits(
			_mm_or_si128(ends, _mm_cmpeq_epi8(_mm_min_epu8(bytes, blank), bytes)));

		if (found)
			return at + weir_bits_first(found);
	}
	return at;
}

/* Returns the first byte in [at, end) that is no JSON blank, otherwise a position at or after end.
 * May read up to 16 bytes after end. */
static inline const char *weir_jsonblock_solid(const char *at, const char *end)
{
	const __m128i blank = _mm_set1_epi8(' '), line = _mm_set1_epi8('\n'),
		      carriage = _mm_set1_epi8('\r'), tab = _mm_set1_epi8('\t');

	for (; at < end; at += 16) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
		__m128i blanks = _mm_or_si128(
			_mm_or_si128(_mm_cmpeq_epi8(bytes, blank), _mm_cmpeq_epi8(bytes, line)),
			_mm_or_si128(_mm_cmpeq_epi8(bytes, carriage), _mm_cmpeq_epi8(bytes, tab)));
		uint64_t solid = weir_jsonblock_bits(blanks) ^ 0xffff;

		if (solid)
			return at + weir_bits_first(solid);
	}
	return at;
}

#else

/* Looks up the bit with a De Bruijn sequence (Leiserson, Prokop, Randall, 1998). */
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

static inline struct weir_jsonblock weir_jsonblock_load(const char *at)
{
	struct weir_jsonblock block = {0};

	for (unsigned i = 0; i < WEIR_JSONBLOCK_SIZE; i++) {
		unsigned char byte = (unsigned char)at[i];

		block.quote |= (uint64_t)(byte == '"') << i;
		block.backslash |= (uint64_t)(byte == '\\') << i;
		block.open |= (uint64_t)((byte | 0x20) == '{') << i;
		block.close |= (uint64_t)((byte | 0x20) == '}') << i;
		block.control |= (uint64_t)(byte < 0x20) << i;
	}
	return block;
}

static inline const char *weir_jsonblock_quote(const char *at, const char *end)
{
	while (at < end && *at != '"' && *at != '\\')
		at++;
	return at;
}

static inline const char *weir_jsonblock_solid(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
		at++;
	return at;
}

static inline const char *weir_jsonblock_word(const char *at, const char *end)
{
	while (at < end && *at != ',' && (*at | 0x20) != '}' && (unsigned char)*at > 0x20)
		at++;
	return at;
}

#endif

static inline unsigned weir_bits_count(uint64_t bits)
{
	bits -= (bits >> 1) & UINT64_C(0x5555555555555555);
	bits = (bits & UINT64_C(0x3333333333333333)) + ((bits >> 2) & UINT64_C(0x3333333333333333));
	bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (unsigned)((bits * UINT64_C(0x0101010101010101)) >> 56);
}

/* Returns a word whose bit i is the parity of bits 0 to i. */
static inline uint64_t weir_bits_parity(uint64_t bits)
{
	bits ^= bits << 1;
	bits ^= bits << 2;
	bits ^= bits << 4;
	bits ^= bits << 8;
	bits ^= bits << 16;
	return bits ^ bits << 32;
}

#endif
