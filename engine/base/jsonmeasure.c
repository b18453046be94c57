/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/jsonblock.h"
#include "engine/base/jsonmeasure.h"

/* Bytes that an unescaped backslash stands before; carries over the end of the block in
 * measure->escaped. */
static uint64_t find_escaped(struct weir_jsonmeasure *measure, uint64_t backslash, unsigned size)
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

/* Walks the brackets of one block; the offset after the last closing one, 0: the value goes on. */
static unsigned walk_brackets(struct weir_jsonmeasure *measure, uint64_t open, uint64_t close)
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

/* The first `size` bytes of a block; the offset after the value's end, 0: it goes on. */
static inline unsigned feed_block(struct weir_jsonmeasure *measure, const char *at, unsigned size)
{
	const struct weir_jsonblock block = weir_jsonblock_load(at);
	uint64_t valid = UINT64_MAX >> (64 - size);
	uint64_t text, open, close, quote = block.quote & valid;
	unsigned closes;

	if ((block.backslash & valid) | measure->escaped)
		quote &= ~find_escaped(measure, block.backslash & valid, size);
	text = weir_bits_parity(quote) ^ measure->in_text;
	measure->in_text = 0 - (text >> 63);
	open = block.open & ~text & valid;
	close = block.close & ~text & valid;
	measure->control |= block.control & text & valid;
	closes = weir_bits_count(close);
	if (closes >= measure->depth)
		return walk_brackets(measure, open, close);
	measure->depth += weir_bits_count(open);
	measure->depth -= closes;
	measure->too_deep |= measure->depth > WEIR_JSON_MAX_DEPTH;
	return 0;
}

static inline const char *feed_blocks(struct weir_jsonmeasure *measure, const char **at,
                                      const char *end)
{
	for (; end - *at >= WEIR_JSONBLOCK_SIZE; *at += WEIR_JSONBLOCK_SIZE) {
		unsigned found = feed_block(measure, *at, WEIR_JSONBLOCK_SIZE);

		if (found)
			return *at + found;
	}
	return NULL;
}

const char *weir_jsonmeasure_feed(struct weir_jsonmeasure *measure, const char *at, const char *end)
{
	struct weir_jsonmeasure now = *measure; /* in registers, not in memory */
	char rest[WEIR_JSONBLOCK_SIZE] = {0};
	const char *found = feed_blocks(&now, &at, end);
	unsigned offset;

	if (!found && at < end) {
		memcpy(rest, at, (size_t)(end - at));
		offset = feed_block(&now, rest, (unsigned)(end - at));
		found = offset ? at + offset : NULL;
	}
	*measure = now;
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
