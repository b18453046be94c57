/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pseudorandom numbers that are the same on every machine, for draws and seeds. */
#ifndef WEIR_BASE_SPLITMIX_H
#define WEIR_BASE_SPLITMIX_H

#include <stdint.h>

/* Takes one step of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014). */
static inline uint64_t weir_splitmix64(uint64_t state)
{
	uint64_t z = state + UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

#endif
