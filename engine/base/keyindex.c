/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>

#include "engine/base/keyindex.h"

void weir_keyindex_init(struct weir_keyindex *index, const struct weir_keyindex_entry *entries)
{
	*index = (struct weir_keyindex){.entries = entries};
	for (unsigned i = 0; entries[i].key; i++) {
		size_t length = strlen(entries[i].key);
		char padded[UINT8_MAX + 8] = {0};
		unsigned at;

		assert(i < WEIR_KEYINDEX_MAX && length <= UINT8_MAX);
		memcpy(padded, entries[i].key, length);
		index->prints[i] = weir_keyindex_print(padded, length);
		at = weir_keyindex_hash(index->prints[i], length);
		while (index->slots[at % WEIR_KEYINDEX_SLOTS])
			at++;
		index->slots[at % WEIR_KEYINDEX_SLOTS] = (uint8_t)(i + 1);
		index->lengths[i] = (uint8_t)length;
	}
}
