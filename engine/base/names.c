/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/hash.h"
#include "engine/base/names.h"

#define NAMES_CHUNK       (64u << 10)
#define NAMES_FIRST_SLOTS 1024u
#define NAMES_MAX_SLOTS   (1u << 31)

struct name_entry {
	const char *text; /* points into a chunk */
	size_t length;
};

/* Slot of a hash table with linear probing. The tag also selects the first slot to try, so that
 * growing does not read texts. */
struct name_slot {
	uint32_t tag;
	uint32_t id; /* UINT32_MAX: empty */
};

struct name_chunk {
	struct name_chunk *next;
	char data[];
};

struct weir_names {
	struct name_entry *entries;
	size_t count, capacity;
	struct name_slot *slots;
	uint32_t mask; /* number of slots - 1; that number is a power of two */
	struct name_chunk *chunks;
	size_t room; /* free bytes of the first chunk */
	char *free_text;
};

static uint32_t hash_text(const char *text, size_t len)
{
	return (uint32_t)(weir_hash_text(text, len, 0) >> 32);
}

static struct name_slot *new_slots(uint32_t count)
{
	struct name_slot *slots = weir_realloc(NULL, count * sizeof(*slots));

	memset(slots, 0xff, count * sizeof(*slots));
	return slots;
}

struct weir_names *weir_names_new(void)
{
	struct weir_names *names = weir_alloc(sizeof(*names));

	names->slots = new_slots(NAMES_FIRST_SLOTS);
	names->mask = NAMES_FIRST_SLOTS - 1;
	weir_names_add(names, "", 0);
	return names;
}

void weir_names_free(struct weir_names *names)
{
	if (!names)
		return;
	while (names->chunks) {
		struct name_chunk *chunk = names->chunks;

		names->chunks = chunk->next;
		free(chunk);
	}
	free(names->entries);
	free(names->slots);
	free(names);
}

void weir_names_clear(struct weir_names *names)
{
	while (names->chunks && names->chunks->next) {
		struct name_chunk *chunk = names->chunks->next;

		names->chunks->next = chunk->next;
		free(chunk);
	}
	if (names->chunks) {
		names->room += (size_t)(names->free_text - names->chunks->data);
		names->free_text = names->chunks->data;
	}
	memset(names->slots, 0xff, (names->mask + (size_t)1) * sizeof(*names->slots));
	names->count = 0;
	weir_names_add(names, "", 0);
}

/* Returns the slot of the text, or the empty slot to put it into. */
static struct name_slot *find_slot(const struct weir_names *names, uint32_t tag, const char *text,
                                   size_t len)
{
	for (uint32_t at = tag & names->mask;; at = (at + 1) & names->mask) {
		struct name_slot *slot = &names->slots[at];
		const struct name_entry *entry;

		if (slot->id == UINT32_MAX)
			return slot;
		if (slot->tag != tag)
			continue;
		entry = &names->entries[slot->id];
		if (entry->length == len && (!len || memcmp(entry->text, text, len) == 0))
			return slot;
	}
}

/* Makes room for `count` texts in slots of which at most half are taken. */
static void reserve_slots(struct weir_names *names, size_t count)
{
	uint32_t old_count = names->mask + 1, new_count = old_count;
	struct name_slot *old = names->slots;

	while (count * 2 > new_count - 1) {
		if (new_count == NAMES_MAX_SLOTS)
			weir_out_of_memory();
		new_count *= 2;
	}
	if (new_count == old_count)
		return;
	names->slots = new_slots(new_count);
	names->mask = new_count - 1;
	for (uint32_t i = 0; i < old_count; i++) {
		uint32_t at = old[i].tag & names->mask;

		if (old[i].id == UINT32_MAX)
			continue;
		while (names->slots[at].id != UINT32_MAX)
			at = (at + 1) & names->mask;
		names->slots[at] = old[i];
	}
	free(old);
}

/* Allocates room for a text. A long text gets its own chunk, behind the one that is being filled.
 */
static char *take_text(struct weir_names *names, size_t size)
{
	struct name_chunk *chunk;
	char *text;

	if (size <= names->room) {
		text = names->free_text;
		names->free_text += size;
		names->room -= size;
		return text;
	}
	if (size > SIZE_MAX - sizeof(*chunk))
		weir_out_of_memory();
	chunk = weir_realloc(NULL, sizeof(*chunk) + (size > NAMES_CHUNK / 4 ? size : NAMES_CHUNK));
	if (size > NAMES_CHUNK / 4 && names->chunks) {
		chunk->next = names->chunks->next;
		names->chunks->next = chunk;
		return chunk->data;
	}
	chunk->next = names->chunks;
	names->chunks = chunk;
	names->free_text = chunk->data + size;
	names->room = size > NAMES_CHUNK / 4 ? 0 : NAMES_CHUNK - size;
	return chunk->data;
}

static uint32_t add_entry(struct weir_names *names, const char *text, size_t len)
{
	struct name_entry *entry;
	char *copy = take_text(names, len + 1);

	if (len)
		memcpy(copy, text, len);
	copy[len] = '\0';
	names->entries = weir_grow(names->entries, &names->capacity, names->count + 1,
	                           sizeof(*names->entries));
	entry = &names->entries[names->count];
	entry->text = copy;
	entry->length = len;
	return (uint32_t)names->count++;
}

void weir_names_reserve(struct weir_names *names, size_t count)
{
	reserve_slots(names, count);
	names->entries =
		weir_grow(names->entries, &names->capacity, count, sizeof(*names->entries));
}

uint32_t weir_names_add(struct weir_names *names, const char *text, size_t len)
{
	uint32_t tag = hash_text(text, len);
	struct name_slot *slot = find_slot(names, tag, text, len);

	if (slot->id != UINT32_MAX)
		return slot->id;
	if ((names->count + 1) * 2 > names->mask) {
		reserve_slots(names, names->count + 1);
		slot = find_slot(names, tag, text, len);
	}
	slot->tag = tag;
	slot->id = add_entry(names, text, len);
	return slot->id;
}

uint32_t weir_names_find(const struct weir_names *names, const char *text, size_t len)
{
	return find_slot(names, hash_text(text, len), text, len)->id;
}

const char *weir_names_text(const struct weir_names *names, uint32_t id)
{
	return id < names->count ? names->entries[id].text : "";
}

size_t weir_names_length(const struct weir_names *names, uint32_t id)
{
	return id < names->count ? names->entries[id].length : 0;
}

size_t weir_names_count(const struct weir_names *names)
{
	return names->count;
}
