/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 (FIPS 180-4), for names of recorded data that depend on its content. */
#ifndef WEIR_BASE_SHA256_H
#define WEIR_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define WEIR_SHA256_SIZE 32 /* bytes of a digest */

struct weir_sha256 {
	uint32_t state[8];
	uint64_t length; /* bytes so far */
	uint8_t block[64];
};

void weir_sha256_init(struct weir_sha256 *hash);
void weir_sha256_add(struct weir_sha256 *hash, const void *data, size_t len);
void weir_sha256_end(struct weir_sha256 *hash, uint8_t digest[WEIR_SHA256_SIZE]);

#endif
