/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/jsonmeasure.h"

#include <string.h>

#include "engine/base/jsonblock.h"

/* Bytes that an unescaped backslash stands before; carries over the end of the block in
 * measure->escaped. */
static uint64_t find_escaped(struct weir_jsonmeasure *measure, uint64_t backslash, unsigned size)
{
	uint64_t escaped = measure->escaped;

	measure->escaped = 0;
	measure->escapes |= backslash != 0;
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

static unsigned feed_block(struct weir_jsonmeasure *measure, struct weir_jsonblock block,
                           unsigned size)
{
	uint64_t valid = size < 64 ? ((uint64_t)1 << size) - 1 : UINT64_MAX;
	uint64_t text, open, close, quote = block.quote & valid;
	unsigned closes, end = 0;

	if ((block.backslash & valid) | measure->escaped)
		quote &= ~find_escaped(measure, block.backslash & valid, size);
	text = weir_bits_parity(quote) ^ measure->in_text;
	measure->in_text = 0 - (text >> 63);
	open = block.open & ~text & valid;
	close = block.close & ~text & valid;
	measure->control |= (block.control & text & valid) != 0;
	closes = weir_bits_count(close);
	if (closes >= measure->depth) {
		end = walk_brackets(measure, open, close);
	} else {
		measure->depth += weir_bits_count(open);
		measure->depth -= closes;
	}
	measure->too_deep |= measure->depth > WEIR_JSON_MAX_DEPTH;
	return end;
}

const char *weir_jsonmeasure_feed(struct weir_jsonmeasure *measure, const char *at, const char *end)
{
	char rest[WEIR_JSONBLOCK_SIZE] = {0};
	unsigned found;

	for (; end - at >= WEIR_JSONBLOCK_SIZE; at += WEIR_JSONBLOCK_SIZE) {
		found = feed_block(measure, weir_jsonblock_load(at), WEIR_JSONBLOCK_SIZE);
		if (found)
			return at + found;
	}
	if (at == end)
		return NULL;
	memcpy(rest, at, (size_t)(end - at));
	found = feed_block(measure, weir_jsonblock_load(rest), (unsigned)(end - at));
	return found ? at + found : NULL;
}
