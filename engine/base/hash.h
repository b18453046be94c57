/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Hashes for tables, with a key that is drawn at random when the process starts: nobody can choose
 * keys of a file so that they collide. Hashes differ from run to run, so no result may depend on
 * them: neither a value nor an order. weir_hash_stable() is for the few results that do.
 *
 * A word or a pair of words is multiplied to 128 bits, whose halves are combined (the step of
 * wyhash, Wang Yi, public domain).
 */
#ifndef WEIR_BASE_HASH_H
#define WEIR_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Random, set before main(). The second one is odd. */
extern uint64_t weir_hash_key[2];

static inline uint64_t weir_hash_load64(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof word);
	return word;
}

static inline uint64_t weir_hash_load32(const char *text)
{
	uint32_t word;

	memcpy(&word, text, sizeof word);
	return word;
}

static inline uint64_t weir_hash_multiply(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t weir_hash_pair(uint64_t a, uint64_t b)
{
	return weir_hash_multiply(a ^ weir_hash_key[0], b ^ weir_hash_key[1]);
}

static inline uint64_t weir_hash_word(uint64_t word)
{
	return weir_hash_multiply(word ^ weir_hash_key[0], weir_hash_key[1]);
}

/* Hashes a text; seed: a hash of what came before it. The last step reads the last bytes, which may
 * overlap those of the step before. */
static inline uint64_t weir_hash_text(const char *text, size_t length, uint64_t seed)
{
	uint64_t hash = weir_hash_pair(seed, length), first = 0, last = 0;
	size_t left = length;

	for (; left > 16; text += 16, left -= 16)
		hash = weir_hash_multiply(weir_hash_load64(text) ^ weir_hash_key[1],
		                          weir_hash_load64(text + 8) ^ hash);
	if (left >= 8) {
		first = weir_hash_load64(text);
		last = weir_hash_load64(text + left - 8);
	} else if (left >= 4) {
		first = weir_hash_load32(text);
		last = weir_hash_load32(text + left - 4);
	} else if (left > 0) {
		first = (uint64_t)(unsigned char)text[0] << 16 |
		        (uint64_t)(unsigned char)text[left / 2] << 8 |
		        (unsigned char)text[left - 1];
	}
	return weir_hash_multiply(first ^ weir_hash_key[1], last ^ hash);
}

/* Returns the same hash of a text in every process. A file can hold texts that collide, so it must
 * not select places of a table. */
uint64_t weir_hash_stable(const char *text, size_t length, uint64_t seed);

#endif
