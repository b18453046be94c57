/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds rows of a table by a hash of their key. The map stores hashes and row numbers; the caller
 * compares the keys:
 *
 *	size_t probe = 0;
 *	while ((row = weir_rowmap_next(&map, hash, &probe)) != WEIR_ROWMAP_NONE)
 *		if (table[row] is it) return row;
 *	weir_rowmap_add(&map, hash, new_row);
 */
#ifndef WEIR_BASE_ROWMAP_H
#define WEIR_BASE_ROWMAP_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/hash.h"

#define WEIR_ROWMAP_NONE UINT32_MAX

struct weir_rowmap_slot {
	uint32_t hash, row; /* row is the row's number + 1; 0: free */
};

/* {0} is an empty map; release with weir_rowmap_release(). */
struct weir_rowmap {
	struct weir_rowmap_slot *slots;
	size_t capacity, count; /* capacity is a power of two, or 0 */
};

void weir_rowmap_release(struct weir_rowmap *map);
/* Removes all rows and keeps the memory. */
void weir_rowmap_clear(struct weir_rowmap *map);
/* Makes room for `count` rows. */
void weir_rowmap_reserve(struct weir_rowmap *map, size_t count);
void weir_rowmap_add(struct weir_rowmap *map, uint32_t hash, uint32_t row);

/* Hashes of keys: of one number, of two, of a text. */
static inline uint32_t weir_rowmap_hash(uint64_t key)
{
	return (uint32_t)(weir_hash_word(key) >> 32);
}

static inline uint32_t weir_rowmap_hash_pair(uint64_t a, uint64_t b)
{
	return (uint32_t)(weir_hash_pair(a, b) >> 32);
}

/* Returns the next row with the hash, WEIR_ROWMAP_NONE after the last. *probe is 0 before the first
 * call of a search. */
static inline uint32_t weir_rowmap_next(const struct weir_rowmap *map, uint32_t hash, size_t *probe)
{
	while (map->capacity) {
		const struct weir_rowmap_slot *slot =
			&map->slots[(hash + *probe) & (map->capacity - 1)];

		if (!slot->row)
			break;
		++*probe;
		if (slot->hash == hash)
			return slot->row - 1;
	}
	return WEIR_ROWMAP_NONE;
}

#endif
