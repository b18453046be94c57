/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdlib.h>

#include "engine/analysis/timeline/segment_list.h"
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

static bool continues(const struct weir_segment *last, const struct weir_segment *next)
{
	return last->end_ns == next->start_ns && last->device == next->device &&
	       last->row == next->row && last->span == next->span && last->busy == next->busy &&
	       last->work == next->work && last->idle == next->idle && last->flags == next->flags;
}

void weir_segments_take(struct weir_segments *segments, struct weir_segments *from)
{
	free(segments->items);
	segments->items = from->items;
	segments->count = from->count;
	segments->capacity = from->capacity;
	from->items = NULL;
	from->count = from->capacity = 0;
}

void weir_segments_push(struct weir_segments *segments, const struct weir_segment *segment)
{
	struct weir_segment *last =
		segments->count > 0 ? &segments->items[segments->count - 1] : NULL;

	if (segment->end_ns <= segment->start_ns)
		return;
	if (last && continues(last, segment)) {
		last->end_ns = segment->end_ns;
		return;
	}
	segments->items = weir_grow(segments->items, &segments->capacity, segments->count + 1,
	                            sizeof *segments->items);
	segments->items[segments->count++] = *segment;
}

size_t weir_segments_after(const struct weir_segments *segments, size_t device, int64_t time_ns)
{
	size_t low = 0, high = segments->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct weir_segment *segment = &segments->items[middle];

		if (segment->device < device ||
		    (segment->device == device && segment->end_ns <= time_ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void weir_segments_release(struct weir_segments *segments)
{
	free(segments->items);
	weir_idle_names_release(&segments->idle_names);
	*segments = (struct weir_segments){0};
}
