/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/base/rowmap.h"

void weir_rowmap_release(struct weir_rowmap *map)
{
	free(map->slots);
	*map = (struct weir_rowmap){0};
}

void weir_rowmap_clear(struct weir_rowmap *map)
{
	if (map->count > 0)
		memset(map->slots, 0, map->capacity * sizeof(*map->slots));
	map->count = 0;
}

static void place(struct weir_rowmap *map, struct weir_rowmap_slot slot)
{
	size_t at = slot.hash & (map->capacity - 1);

	while (map->slots[at].row)
		at = (at + 1) & (map->capacity - 1);
	map->slots[at] = slot;
}

/* Keeps at least half of the slots free, so that searches are short. */
void weir_rowmap_reserve(struct weir_rowmap *map, size_t count)
{
	struct weir_rowmap old = *map;
	size_t capacity = old.capacity ? old.capacity : 16;

	while (capacity / 2 < count)
		capacity *= 2;
	if (capacity == old.capacity)
		return;
	map->slots = weir_alloc(capacity * sizeof(*map->slots));
	map->capacity = capacity;
	for (size_t i = 0; i < old.capacity; i++)
		if (old.slots[i].row)
			place(map, old.slots[i]);
	free(old.slots);
}

void weir_rowmap_add(struct weir_rowmap *map, uint32_t hash, uint32_t row)
{
	weir_rowmap_reserve(map, map->count + 1);
	map->count++;
	place(map, (struct weir_rowmap_slot){hash, row + 1});
}
