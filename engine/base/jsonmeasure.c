/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/jsonblock_avx2.h"
#include "engine/base/jsonmeasure.h"

/* A block takes about forty instructions. A call, or state in memory, would double the cost. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Returns a mask of the escaped bytes; measure->escaped carries an escape into the next block. */
ALWAYS_INLINE uint64_t find_escaped(struct weir_jsonmeasure *measure, uint64_t backslash,
                                    unsigned size)
{
	uint64_t escaped = measure->escaped;

	measure->escaped = 0;
	measure->escapes |= backslash;
	backslash &= ~escaped;
	while (backslash) {
		unsigned at = weir_bits_first(backslash);

		if (at + 1 == size) {
			measure->escaped = 1;
			break;
		}
		escaped |= (uint64_t)2 << at;
		backslash &= ~((uint64_t)3 << at);
	}
	return escaped;
}

/* Walks the brackets of one block. Returns the offset after the value's end, 0 if the value
 * continues. */
ALWAYS_INLINE unsigned walk_brackets(struct weir_jsonmeasure *measure, uint64_t open,
                                     uint64_t close)
{
	for (uint64_t bits = open | close; bits; bits &= bits - 1) {
		uint64_t bit = bits & (~bits + 1);

		if (bit & open)
			measure->depth++;
		else if (!measure->depth || !--measure->depth)
			return weir_bits_first(bit) + 1;
	}
	return 0;
}

/* Returns a mask of the quotes that open or close a text. */
ALWAYS_INLINE uint64_t find_quotes(struct weir_jsonmeasure *measure,
                                   const struct weir_jsonblock *block, unsigned size)
{
	uint64_t valid = UINT64_MAX >> (64 - size);
	uint64_t quote = block->quote & valid;

	if ((block->backslash & valid) | measure->escaped)
		quote &= ~find_escaped(measure, block->backslash & valid, size);
	return quote;
}

/* Takes the first `size` bytes of a block, given the parity of its quotes. Returns the offset after
 * the value's end, 0 if the value continues. */
ALWAYS_INLINE unsigned take_block(struct weir_jsonmeasure *measure,
                                  const struct weir_jsonblock *block, uint64_t parity,
                                  unsigned size)
{
	uint64_t valid = UINT64_MAX >> (64 - size), text = parity ^ measure->in_text;
	uint64_t open = block->open & ~text & valid, close = block->close & ~text & valid;
	unsigned closes = weir_bits_count(close);

	measure->in_text = 0 - (text >> 63);
	measure->control |= block->control & text & valid;
	if (closes >= measure->depth)
		return walk_brackets(measure, open, close);
	measure->depth += weir_bits_count(open);
	measure->depth -= closes;
	measure->too_deep |= measure->depth > WEIR_JSON_MAX_DEPTH;
	return 0;
}

ALWAYS_INLINE unsigned feed_block(struct weir_jsonmeasure *measure, const char *at, unsigned size)
{
	const struct weir_jsonblock block = weir_jsonblock_load(at);

	return take_block(measure, &block, weir_bits_parity(find_quotes(measure, &block, size)),
	                  size);
}

static const char *feed_blocks_plain(struct weir_jsonmeasure *measure, const char **from,
                                     const char *end)
{
	struct weir_jsonmeasure now = *measure;
	const char *at = *from;
	unsigned found = 0;

	while (end - at >= WEIR_JSONBLOCK_SIZE) {
		found = feed_block(&now, at, WEIR_JSONBLOCK_SIZE);
		if (found)
			break;
		at += WEIR_JSONBLOCK_SIZE;
	}
	*measure = now;
	*from = at;
	return found ? at + found : NULL;
}

#ifdef WEIR_JSONBLOCK_AVX2

static WEIR_JSONBLOCK_AVX2 const char *feed_blocks_avx2(struct weir_jsonmeasure *measure,
                                                        const char **from, const char *end)
{
	struct weir_jsonmeasure now = *measure;
	const char *at = *from;
	unsigned found = 0;

	while (end - at >= WEIR_JSONBLOCK_SIZE) {
		const struct weir_jsonblock block = weir_jsonblock_load_avx2(at);
		uint64_t quotes = find_quotes(&now, &block, WEIR_JSONBLOCK_SIZE);

		found = take_block(&now, &block, weir_bits_parity_avx2(quotes),
		                   WEIR_JSONBLOCK_SIZE);
		if (found)
			break;
		at += WEIR_JSONBLOCK_SIZE;
	}
	_mm256_zeroupper(); /* SSE2 code follows */
	*measure = now;
	*from = at;
	return found ? at + found : NULL;
}

static const char *feed_blocks(struct weir_jsonmeasure *measure, const char **at, const char *end)
{
	return weir_jsonblock_has_avx2() ? feed_blocks_avx2(measure, at, end)
	                                 : feed_blocks_plain(measure, at, end);
}

#else
/* NOLINTBEGIN(readability-identifier-naming): it stands for a function */
#define feed_blocks feed_blocks_plain
/* NOLINTEND(readability-identifier-naming) */
#endif

const char *weir_jsonmeasure_feed(struct weir_jsonmeasure *measure, const char *at, const char *end)
{
	char rest[WEIR_JSONBLOCK_SIZE] = {0};
	const char *found = feed_blocks(measure, &at, end);
	unsigned offset;

	if (!found && at < end) {
		memcpy(rest, at, (size_t)(end - at));
		offset = feed_block(measure, rest, (unsigned)(end - at));
		found = offset ? at + offset : NULL;
	}
	return found;
}

const char *weir_jsonmeasure_value(const char *at, const char *end)
{
	struct weir_jsonmeasure measure = {0};
	const char *found = feed_blocks(&measure, &at, end);
	unsigned offset;

	if (found || at == end)
		return found;
	offset = feed_block(&measure, at, (unsigned)(end - at));
	return offset ? at + offset : NULL;
}
