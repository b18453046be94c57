/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/counters/counters_find.h"
#include "engine/analysis/names/kernels.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

/* A kernel that takes longer or shorter by more than this did other work in the same grid: a longer
 * context, a larger inner dimension. Caches and clocks explain less. */
#define SAME_WORK 2.0
/* What profilers count of a launch before and behind a kernel's work differs by as much. */
#define LAUNCH_NS 2000.0

struct key {
	struct weir_text words, display; /* kernels.h */
	uint64_t blocks, threads;        /* threads 0: not known */
	const struct weir_counted_group *group;
};

struct weir_counter_keys {
	struct key *items; /* by blocks */
	size_t count;
};

static int by_blocks(const void *left, const void *right)
{
	const struct key *a = left, *b = right;

	if (a->blocks != b->blocks)
		return a->blocks < b->blocks ? -1 : 1;
	return (a->group > b->group) - (a->group < b->group);
}

static void name_key(struct key *key, const char *name)
{
	weir_kernel_key(name, &key->words);
	weir_kernel_display(name, &key->display);
	weir_text_add(&key->words, "", 0);
	weir_text_add(&key->display, "", 0);
}

static void release_key(struct key *key)
{
	weir_text_release(&key->words);
	weir_text_release(&key->display);
}

/* Launches that differ as other work does are no measure of another launch. */
static bool is_of_one_kind(const struct weir_counted_group *group)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < group->count; i++) {
		least = fmin(least, group->durations_ns[i]);
		most = fmax(most, group->durations_ns[i]);
	}
	return group->count && most <= SAME_WORK * least + LAUNCH_NS;
}

struct weir_counter_keys *weir_counter_keys_new(const struct weir_counted *counted)
{
	struct weir_counter_keys *keys = weir_alloc(sizeof *keys);

	keys->items = weir_alloc((counted->count + 1) * sizeof *keys->items);
	for (size_t i = 0; i < counted->count; i++) {
		const struct weir_counted_group *group = &counted->items[i];
		double blocks = group->value[WEIR_COUNTER_BLOCKS];
		double threads = group->value[WEIR_COUNTER_THREADS_PER_BLOCK];
		struct key *key = &keys->items[keys->count];

		if (!(blocks >= 1 && blocks <= UINT32_MAX) || !is_of_one_kind(group) ||
		    group->roofline == WEIR_ROOFLINE_UNKNOWN)
			continue;
		*key = (struct key){
			.blocks = (uint64_t)blocks,
			.threads = threads >= 1 && threads <= UINT32_MAX ? (uint64_t)threads : 0,
			.group = group,
		};
		name_key(key, group->name);
		keys->count++;
	}
	qsort(keys->items, keys->count, sizeof *keys->items, by_blocks);
	return keys;
}

void weir_counter_keys_free(struct weir_counter_keys *keys)
{
	for (size_t i = 0; i < keys->count; i++)
		release_key(&keys->items[i]);
	free(keys->items);
	free(keys);
}

static size_t first_of(const struct weir_counter_keys *keys, uint64_t blocks)
{
	size_t low = 0, high = keys->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (keys->items[middle].blocks < blocks)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool same_text(const struct weir_text *a, const struct weir_text *b)
{
	return a->length == b->length && !memcmp(a->data, b->data, a->length);
}

/* Why two kernels are taken for one, the best reason last. */
enum likeness { OTHER, SHOWN_ALIKE, SAME_WORDS, SAME_NAME };

static enum likeness compare(const struct key *key, const struct key *wanted, const char *name)
{
	if (key->threads && wanted->threads && key->threads != wanted->threads)
		return OTHER;
	if (!strcmp(key->group->name, name))
		return SAME_NAME;
	if (same_text(&key->words, &wanted->words))
		return SAME_WORDS;
	return same_text(&key->display, &wanted->display) ? SHOWN_ALIKE : OTHER;
}

static bool is_same_work(const struct weir_counted_group *group, double mean_ns)
{
	double there = group->sum_ns / (double)group->count;

	return mean_ns <= SAME_WORK * there + LAUNCH_NS && there <= SAME_WORK * mean_ns + LAUNCH_NS;
}

const struct weir_counted_group *weir_counter_keys_find(const struct weir_counter_keys *keys,
                                                        const struct weir_counter_wanted *wanted)
{
	struct key key = {.blocks = wanted->blocks, .threads = wanted->threads};
	const struct weir_counted_group *found = NULL;
	enum likeness best = OTHER;
	size_t same = 0;

	if (!wanted->blocks)
		return NULL;
	name_key(&key, wanted->name);
	for (size_t i = first_of(keys, key.blocks);
	     i < keys->count && keys->items[i].blocks == key.blocks; i++) {
		enum likeness likeness = compare(&keys->items[i], &key, wanted->name);

		if (likeness == OTHER || likeness < best)
			continue;
		same = likeness > best ? 1 : same + 1;
		best = likeness;
		found = keys->items[i].group;
	}
	release_key(&key);
	return same == 1 && is_same_work(found, wanted->mean_ns) ? found : NULL;
}
