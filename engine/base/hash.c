/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sys/random.h>
#include <time.h>

#include "engine/base/hash.h"

uint64_t weir_hash_key[2] = {UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0x9fb21c651e98df25)};

/* Draws the key. Without random numbers of the system, it takes the time and an address. */
__attribute__((constructor)) static void draw_key(void)
{
	uint64_t key[2];

	if (getrandom(key, sizeof key, GRND_NONBLOCK) != (ssize_t)sizeof key) {
		struct timespec now = {0};

		clock_gettime(CLOCK_MONOTONIC, &now);
		key[0] = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec;
		key[1] = (uint64_t)(uintptr_t)&now;
	}
	weir_hash_key[0] ^= key[0];
	weir_hash_key[1] = (weir_hash_key[1] ^ key[1]) | 1;
}

uint64_t weir_hash_stable(const char *text, size_t length, uint64_t seed)
{
	uint64_t word, hash = seed ^ (length * UINT64_C(0x9e3779b97f4a7c15));

	for (; length >= 8; text += 8, length -= 8) {
		hash = (hash ^ weir_hash_load64(text)) * UINT64_C(0x9fb21c651e98df25);
		hash ^= hash >> 32;
	}
	word = 0;
	if (length)
		memcpy(&word, text, length);
	hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
	return hash ^ (hash >> 29);
}
