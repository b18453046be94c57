/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Classifies 64 bytes of JSON with AVX2, with the results of jsonblock.h. Is empty if the compiler
 * does not target x86-64. Only the file that walks whole blocks includes it: the compiler's header
 * of all instruction sets takes longer to compile than most files of weir.
 */
#ifndef WEIR_BASE_JSONBLOCK_AVX2_H
#define WEIR_BASE_JSONBLOCK_AVX2_H

#include "engine/base/jsonblock.h"

#ifdef WEIR_JSONBLOCK_SSE2
#include <immintrin.h>

#define WEIR_JSONBLOCK_AVX2 __attribute__((target("avx2,popcnt,pclmul")))

static inline WEIR_JSONBLOCK_AVX2 uint64_t weir_jsonblock_equal_avx2(__m256i low, __m256i high,
                                                                     char wanted)
{
	const __m256i all = _mm256_set1_epi8(wanted);

	return (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, all)) |
	       (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, all)) << 32;
}

/* Does the same as weir_jsonblock_load(); requires AVX2. */
static inline WEIR_JSONBLOCK_AVX2 struct weir_jsonblock weir_jsonblock_load_avx2(const char *at)
{
	const __m256i *from = (const __m256i *)(const void *)at;
	const __m256i low = _mm256_loadu_si256(from), high = _mm256_loadu_si256(from + 1);
	const __m256i lower = _mm256_set1_epi8(0x20), last = _mm256_set1_epi8(0x1f);
	const __m256i folded_low = _mm256_or_si256(low, lower),
		      folded_high = _mm256_or_si256(high, lower);

	return (struct weir_jsonblock){
		.quote = weir_jsonblock_equal_avx2(low, high, '"'),
		.backslash = weir_jsonblock_equal_avx2(low, high, '\\'),
		.open = weir_jsonblock_equal_avx2(folded_low, folded_high, '{'),
		.close = weir_jsonblock_equal_avx2(folded_low, folded_high, '}'),
		.control = weir_jsonblock_equal_avx2(_mm256_subs_epu8(low, last),
	                                             _mm256_subs_epu8(high, last), 0),
	};
}

/* Does the same as weir_bits_parity(). */
static inline WEIR_JSONBLOCK_AVX2 uint64_t weir_bits_parity_avx2(uint64_t bits)
{
	const __m128i product =
		_mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)bits), _mm_set1_epi8(-1), 0);

	return (uint64_t)_mm_cvtsi128_si64(product);
}

static inline bool weir_jsonblock_has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
	       __builtin_cpu_supports("pclmul");
}

#endif
#endif
