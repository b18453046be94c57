/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/sha256.h"

#define BLOCK_SIZE 64

/* FIPS 180-4, 4.2.2: the fractions of the cube roots of the first 64 primes. */
static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate(uint32_t word, unsigned bits)
{
	return word >> bits | word << (32 - bits);
}

static uint32_t read_word(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       (uint32_t)bytes[3];
}

/* Expands the message schedule (6.2.2, step 1). */
static void expand(const uint8_t *block, uint32_t words[64])
{
	for (size_t i = 0; i < 16; i++)
		words[i] = read_word(block + 4 * i);
	for (size_t i = 16; i < 64; i++) {
		uint32_t a = words[i - 15], b = words[i - 2];

		words[i] = words[i - 16] + words[i - 7] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
		           (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

/* Computes Sigma1(e) + Ch(e, f, g) of 4.1.2. */
static uint32_t mix_e(uint32_t e, uint32_t f, uint32_t g)
{
	return (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + (g ^ (e & (f ^ g)));
}

/* Computes Sigma0(a) + Maj(a, b, c) of 4.1.2. */
static uint32_t mix_a(uint32_t a, uint32_t b, uint32_t c)
{
	return (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) | (c & (a | b)));
}

/* Adds one block (6.2.2, steps 2 to 4, with the letters of the standard). Plain variables stay in
 * registers, an array would not. */
static void add_block(uint32_t state[8], const uint8_t *block)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
	uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
	uint32_t words[64];

	expand(block, words);
	for (size_t i = 0; i < 64; i++) {
		uint32_t t1 = h + mix_e(e, f, g) + constants[i] + words[i];
		uint32_t t2 = mix_a(a, b, c);

		h = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
	state[4] += e;
	state[5] += f;
	state[6] += g;
	state[7] += h;
}

void weir_sha256_init(struct weir_sha256 *hash)
{
	/* 5.3.3: the fractions of the square roots of the first 8 primes */
	*hash = (struct weir_sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
	                                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void weir_sha256_add(struct weir_sha256 *hash, const void *data, size_t len)
{
	const uint8_t *bytes = data;

	while (len > 0) {
		size_t filled = hash->length % BLOCK_SIZE;
		size_t part = len < BLOCK_SIZE - filled ? len : BLOCK_SIZE - filled;

		memcpy(hash->block + filled, bytes, part);
		hash->length += part;
		bytes += part;
		len -= part;
		if (filled + part == BLOCK_SIZE)
			add_block(hash->state, hash->block);
	}
}

void weir_sha256_end(struct weir_sha256 *hash, uint8_t digest[WEIR_SHA256_SIZE])
{
	const uint64_t bits = hash->length * 8;
	uint8_t tail[BLOCK_SIZE + 8] = {0x80};
	size_t zeros = (BLOCK_SIZE + 56 - hash->length % BLOCK_SIZE - 1) % BLOCK_SIZE;

	for (unsigned i = 0; i < 8; i++)
		tail[1 + zeros + i] = (uint8_t)(bits >> (56 - 8 * i));
	weir_sha256_add(hash, tail, 1 + zeros + 8);
	for (size_t i = 0; i < WEIR_SHA256_SIZE; i++)
		digest[i] = (uint8_t)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}
