/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps a key to a number, for tables of up to 120 fixed keys: a small hash of the length and the
 * first and last bytes. */
#ifndef WEIR_BASE_KEYINDEX_H
#define WEIR_BASE_KEYINDEX_H

#include <stdint.h>
#include <string.h>

#include "engine/base/slice.h"

#define WEIR_KEYINDEX_SLOTS 256
#define WEIR_KEYINDEX_MAX   120

struct weir_keyindex_entry {
	const char *key;
	int value; /* several keys may have the same value */
};

/* The first and the last eight bytes of a key, which are the whole key up to 16 bytes. */
struct weir_keyindex_print {
	uint64_t head, tail;
};

struct weir_keyindex {
	const struct weir_keyindex_entry *entries;
	uint8_t slots[WEIR_KEYINDEX_SLOTS]; /* index of the entry + 1; 0: free */
	uint8_t lengths[WEIR_KEYINDEX_MAX];
	struct weir_keyindex_print prints[WEIR_KEYINDEX_MAX];
};

/* Borrows the entries, which end with a NULL key. Keys are unique and shorter than 256 bytes. */
void weir_keyindex_init(struct weir_keyindex *index, const struct weir_keyindex_entry *entries);

/* Compilers evaluate it at compile time. */
static inline bool weir_keyindex_is_big_endian(void)
{
	const uint16_t one = 1;
	unsigned char first;

	memcpy(&first, &one, 1);
	return !first;
}

/* Reads at least eight bytes and ignores those after the key. */
static inline struct weir_keyindex_print weir_keyindex_print(const char *key, size_t length)
{
	struct weir_keyindex_print print = {0};
	unsigned surplus = length < 8 ? 8 * (8 - (unsigned)length) : 0;

	memcpy(&print.head, key, 8);
	if (length >= 8)
		memcpy(&print.tail, key + length - 8, 8);
	else if (!length)
		print.head = 0;
	else
		print.head = weir_keyindex_is_big_endian() ? print.head >> surplus
		                                           : print.head << surplus;
	return print;
}

static inline unsigned weir_keyindex_hash(struct weir_keyindex_print print, size_t length)
{
	return (unsigned)(((print.head ^ print.tail << 1 ^ length) *
	                   UINT64_C(0x9fb21c651e98df25)) >>
	                  56);
}

/* Returns the key's value, -1 if it is not in the table. Eight bytes from the key's start must be
 * readable, even if it is shorter. */
static inline int weir_keyindex_find(const struct weir_keyindex *index, struct weir_slice key)
{
	struct weir_keyindex_print print = weir_keyindex_print(key.data, key.length);
	unsigned at = weir_keyindex_hash(print, key.length);

	for (;; at++) {
		unsigned entry = index->slots[at % WEIR_KEYINDEX_SLOTS];

		if (!entry)
			return -1;
		entry--;
		if (index->lengths[entry] == key.length &&
		    index->prints[entry].head == print.head &&
		    index->prints[entry].tail == print.tail &&
		    (key.length <= 16 || !memcmp(index->entries[entry].key, key.data, key.length)))
			return index->entries[entry].value;
	}
}

#endif
