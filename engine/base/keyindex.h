/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From a key to a number, for tables of up to 120 fixed keys: a small hash over length, first and
 * last bytes. */
#ifndef WEIR_BASE_KEYINDEX_H
#define WEIR_BASE_KEYINDEX_H

#include <stdint.h>
#include <string.h>

#include "engine/base/slice.h"

#define WEIR_KEYINDEX_SLOTS 256
#define WEIR_KEYINDEX_MAX   120

struct weir_keyindex_entry {
	const char *key;
	int value; /* several keys may share one */
};

struct weir_keyindex {
	const struct weir_keyindex_entry *entries;
	uint8_t slots[WEIR_KEYINDEX_SLOTS]; /* entry + 1; 0: free */
	uint8_t lengths[WEIR_KEYINDEX_MAX];
};

/* Borrows the entries, which end with a NULL key and hold each key once; keys are shorter than 256
 * bytes. */
void weir_keyindex_init(struct weir_keyindex *index, const struct weir_keyindex_entry *entries);

static inline unsigned weir_keyindex_hash(const char *key, size_t length)
{
	uint64_t head = 0, tail = 0;

	if (length >= 8) {
		memcpy(&head, key, 8);
		memcpy(&tail, key + length - 8, 8);
	} else if (length) {
		memcpy(&head, key, length);
	}
	head = (head ^ (tail << 1) ^ length) * UINT64_C(0x9fb21c651e98df25);
	return (unsigned)(head >> 56);
}

/* -1: not in the table. */
static inline int weir_keyindex_find(const struct weir_keyindex *index, struct weir_slice key)
{
	unsigned at = weir_keyindex_hash(key.data, key.length);

	for (;; at++) {
		unsigned entry = index->slots[at % WEIR_KEYINDEX_SLOTS];

		if (!entry)
			return -1;
		entry--;
		if (index->lengths[entry] == key.length &&
		    !memcmp(index->entries[entry].key, key.data, key.length))
			return index->entries[entry].value;
	}
}

#endif
