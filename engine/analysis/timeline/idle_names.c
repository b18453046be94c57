/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/idle_names.h"
#include "engine/base/arena.h"

static uint32_t hash_of(const struct weir_idle_entry *entry)
{
	return weir_rowmap_hash(((uint64_t)entry->name << 32 | entry->in) ^ (uint64_t)entry->idle
	                                                                            << 24);
}

static struct weir_idle_entry *find(struct weir_idle_names *names,
                                    const struct weir_idle_entry *wanted)
{
	uint32_t hash = hash_of(wanted), row;
	size_t probe = 0;

	while (names->entries &&
	       (row = weir_rowmap_next(&names->map, hash, &probe)) != WEIR_ROWMAP_NONE) {
		struct weir_idle_entry *entry = &names->entries[row];

		if (entry->name == wanted->name && entry->in == wanted->in &&
		    entry->idle == wanted->idle)
			return entry;
	}
	return NULL;
}

void weir_idle_names_add(struct weir_idle_names *names, const struct weir_idle_entry *entry)
{
	struct weir_idle_entry *known;

	if (entry->ns <= 0)
		return;
	known = find(names, entry);
	if (known) {
		known->ns = weir_add_ns(known->ns, entry->ns);
		known->count += entry->count;
		return;
	}
	names->entries = weir_grow(names->entries, &names->capacity, names->count + 1,
	                           sizeof *names->entries);
	weir_rowmap_add(&names->map, hash_of(entry), (uint32_t)names->count);
	names->entries[names->count++] = *entry;
}

void weir_idle_names_release(struct weir_idle_names *names)
{
	free(names->entries);
	weir_rowmap_release(&names->map);
	*names = (struct weir_idle_names){0};
}
