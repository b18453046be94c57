/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/drawing/flame.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/hash.h"
#include "engine/base/names.h"

#define SLOTS ((size_t)2 * WEIR_FLAME_MAX_FRAMES) /* a power of two, never more than half full */

/* Slots kept free for roots and their WEIR_FLAME_REST frames. */
#define RESERVE   16
#define MAX_NODES (WEIR_FLAME_MAX_FRAMES - RESERVE)

struct node {
	uint32_t parent, name, depth;
	enum weir_flame_kind kind;
	int64_t self_ns;
};

struct weir_flame_builder {
	struct weir_names *names;
	struct node *nodes;
	size_t count, capacity;
	uint32_t slots[SLOTS]; /* node + 1; 0: free */
};

struct weir_flame_builder *weir_flame_builder_new(void)
{
	struct weir_flame_builder *builder = weir_alloc(sizeof *builder);

	builder->names = weir_names_new();
	return builder;
}

void weir_flame_builder_free(struct weir_flame_builder *builder)
{
	if (!builder)
		return;
	weir_names_free(builder->names);
	free(builder->nodes);
	free(builder);
}

static uint32_t *find_slot(struct weir_flame_builder *builder, const struct node *key)
{
	uint64_t parent_and_name = (uint64_t)key->parent << 32 | key->name;
	size_t at = weir_hash_pair(parent_and_name, (uint64_t)key->kind) >> 32;

	for (;; at++) {
		uint32_t *slot = &builder->slots[at % SLOTS];
		const struct node *node = *slot ? &builder->nodes[*slot - 1] : NULL;

		if (!node || (node->parent == key->parent && node->name == key->name &&
		              node->kind == key->kind))
			return slot;
	}
}

static uint32_t find_or_make(struct weir_flame_builder *builder, const struct node *key)
{
	uint32_t *slot = find_slot(builder, key);

	if (*slot)
		return *slot - 1;
	builder->nodes = weir_grow(builder->nodes, &builder->capacity, builder->count + 1,
	                           sizeof *builder->nodes);
	builder->nodes[builder->count++] = *key;
	*slot = (uint32_t)builder->count;
	return *slot - 1;
}

static uint32_t rest_of(struct weir_flame_builder *builder, uint32_t frame)
{
	struct node key = {.depth = 1, .kind = WEIR_FLAME_OTHER};

	while (builder->nodes[frame].parent != WEIR_FLAME_NOBODY)
		frame = builder->nodes[frame].parent;
	key.parent = frame;
	key.name = weir_names_add(builder->names, WEIR_FLAME_REST, strlen(WEIR_FLAME_REST));
	return find_or_make(builder, &key);
}

uint32_t weir_flame_child(struct weir_flame_builder *builder, uint32_t parent,
                          enum weir_flame_kind kind, const char *name)
{
	struct node key = {.parent = parent, .kind = kind};

	if (parent != WEIR_FLAME_NOBODY) {
		const struct node *above = &builder->nodes[parent];

		if (above->depth + 1 >= WEIR_FLAME_MAX_DEPTH || above->kind == WEIR_FLAME_OTHER)
			return parent;
		key.depth = above->depth + 1;
	}
	if (builder->count < MAX_NODES || parent == WEIR_FLAME_NOBODY) {
		key.name = weir_names_add(builder->names, name, strlen(name));
		return find_or_make(builder, &key);
	}
	key.name = weir_names_find(builder->names, name, strlen(name));
	if (key.name != UINT32_MAX && *find_slot(builder, &key))
		return *find_slot(builder, &key) - 1;
	return rest_of(builder, parent);
}

void weir_flame_add(struct weir_flame_builder *builder, uint32_t frame, int64_t ns)
{
	builder->nodes[frame].self_ns = weir_add_ns(builder->nodes[frame].self_ns, ns);
}

/* A node with its sort keys. */
struct place {
	uint32_t index, parent, frames; /* frames: nodes of its subtree that have time */
	int64_t total_ns;
	const char *name;
};

/* Groups the children of one parent, in order of creation of the parents: a parent gets its place
 * before its children. */
static int by_parent_and_time(const void *left, const void *right)
{
	const struct place *a = left, *b = right;
	uint32_t x = a->parent + 1, y = b->parent + 1; /* roots first */

	if (x != y)
		return x < y ? -1 : 1;
	if (a->parent == WEIR_FLAME_NOBODY)
		return (a->index > b->index) - (a->index < b->index);
	if (a->total_ns != b->total_ns)
		return a->total_ns > b->total_ns ? -1 : 1;
	if (strcmp(a->name, b->name) != 0)
		return strcmp(a->name, b->name);
	return (a->index > b->index) - (a->index < b->index);
}

static struct place *measure(const struct weir_flame_builder *builder)
{
	struct place *places = weir_alloc((builder->count + 1) * sizeof *places);

	for (size_t i = builder->count; i-- > 0;) {
		const struct node *node = &builder->nodes[i];
		struct place *place = &places[i];

		place->index = (uint32_t)i;
		place->parent = node->parent;
		place->name = weir_names_text(builder->names, node->name);
		place->total_ns = weir_add_ns(place->total_ns, node->self_ns);
		place->frames += place->total_ns > 0;
		if (node->parent == WEIR_FLAME_NOBODY)
			continue;
		places[node->parent].total_ns =
			weir_add_ns(places[node->parent].total_ns, place->total_ns);
		places[node->parent].frames += place->frames;
	}
	return places;
}

void weir_flame_finish(const struct weir_flame_builder *builder, struct weir_arena *arena,
                       struct weir_flame *out)
{
	struct place *places = measure(builder);
	/* By node: index of its frame, and frame index for its next child. */
	uint32_t *at = weir_alloc((builder->count + 1) * sizeof *at);
	uint32_t *next = weir_alloc((builder->count + 1) * sizeof *next);
	uint32_t next_root = 0;

	out->frames = weir_arena_alloc(arena, (builder->count + 1) * sizeof *out->frames);
	qsort(places, builder->count, sizeof *places, by_parent_and_time);
	for (size_t i = 0; i < builder->count; i++) {
		const struct place *place = &places[i];
		const struct node *node = &builder->nodes[place->index];
		bool is_root = place->parent == WEIR_FLAME_NOBODY;
		uint32_t *from = is_root ? &next_root : &next[place->parent];

		if (place->total_ns == 0)
			continue;
		at[place->index] = *from;
		next[place->index] = *from + 1;
		*from += place->frames;
		out->frames[at[place->index]] = (struct weir_flame_frame){
			.name = weir_arena_copy(arena, place->name, strlen(place->name)),
			.parent = is_root ? WEIR_FLAME_NOBODY : at[place->parent],
			.depth = node->depth,
			.kind = node->kind,
			.total_ns = place->total_ns,
			.self_ns = node->self_ns,
		};
		out->count++;
	}
	free(next);
	free(at);
	free(places);
}
