/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/counters/counters_join.h"
#include "engine/analysis/names/kernels.h"
#include "engine/base/arena.h"
#include "engine/base/rowmap.h"
#include "engine/base/text.h"

/* Beyond this ratio of durations, kernels with the same grid did different work, such as a longer
 * context or a larger inner dimension. Caches and clocks explain smaller differences. */
#define SAME_WORK 2.0
/* Profilers differ by this in what they include before and after a kernel's work. */
#define LAUNCH_NS 2000.0

/* ---- counted kernels, indexed by what a timeline knows of a kernel ---- */

struct key {
	struct weir_text words, display; /* see kernels.h */
	uint64_t blocks, threads;        /* threads 0: unknown */
	const struct weir_counted_group *group;
};

struct keys {
	struct key *items; /* by blocks */
	size_t count;
};

/* A kernel of a timeline. */
struct wanted {
	const char *name;
	uint32_t blocks, threads; /* 0: unknown */
	double mean_ns;
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

/* True if the durations of all launches are similar, so that they represent another launch. */
static bool is_of_one_kind(const struct weir_counted_group *group)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < group->count; i++) {
		least = fmin(least, group->durations_ns[i]);
		most = fmax(most, group->durations_ns[i]);
	}
	return group->count && most <= SAME_WORK * least + LAUNCH_NS;
}

/* Borrows the counters. Release with keys_release(). */
static void keys_init(struct keys *keys, const struct weir_counted *counted)
{
	keys->count = 0;
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
}

static void keys_release(struct keys *keys)
{
	for (size_t i = 0; i < keys->count; i++)
		release_key(&keys->items[i]);
	free(keys->items);
}

static size_t first_of(const struct keys *keys, uint64_t blocks)
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

/* Reasons to treat two kernels as the same, the best one last. */
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

/* Finds the counters of a kernel; NULL: none, several that differ in figures which the timeline
 * lacks, or different work. */
static const struct weir_counted_group *find_counted(const struct keys *keys,
                                                     const struct wanted *wanted)
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

/* ---- groups of device work ---- */

/* Rows of one group with the same kernel and launch shape. */
struct piece {
	uint32_t group, name, blocks, threads;
	uint64_t rows;
	int64_t sum_ns;
};

struct pieces {
	struct piece *items;
	size_t count, capacity;
	struct weir_rowmap map;
};

static bool same_piece(const struct piece *a, const struct piece *b)
{
	return a->group == b->group && a->name == b->name && a->blocks == b->blocks &&
	       a->threads == b->threads;
}

static uint32_t find_piece(const struct pieces *pieces, const struct piece *wanted, uint32_t hash)
{
	size_t probe = 0;
	uint32_t row;

	while ((row = weir_rowmap_next(&pieces->map, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (same_piece(&pieces->items[row], wanted))
			break;
	return row;
}

static struct piece *piece_of(struct pieces *pieces, const struct piece *wanted)
{
	uint32_t hash = weir_rowmap_hash(((uint64_t)wanted->group * 1009 + wanted->name) *
	                                         UINT64_C(1000003) +
	                                 (uint64_t)wanted->blocks * 31 + wanted->threads);
	uint32_t row = find_piece(pieces, wanted, hash);

	if (row != WEIR_ROWMAP_NONE)
		return &pieces->items[row];
	pieces->items = weir_grow(pieces->items, &pieces->capacity, pieces->count + 1,
	                          sizeof *pieces->items);
	pieces->items[pieces->count] = *wanted;
	weir_rowmap_add(&pieces->map, hash, (uint32_t)pieces->count);
	return &pieces->items[pieces->count++];
}

static void collect(struct pieces *pieces, const struct weir_rank *rank)
{
	const struct weir_device_columns *device = &rank->trace->device;

	for (size_t i = 0; i < device->count; i++) {
		uint32_t call = rank->groups.row_call[i];
		struct piece *piece;

		if (call == WEIR_NONE || device->kind[i] != WEIR_DEVICE_KERNEL)
			continue;
		piece = piece_of(pieces, &(struct piece){
						 .group = rank->groups.calls[call].group,
						 .name = device->name[i],
						 .blocks = device->blocks[i],
						 .threads = device->threads_per_block[i],
					 });
		piece->rows++;
		piece->sum_ns = weir_add_ns(piece->sum_ns,
		                            weir_span_ns(device->start_ns[i], device->end_ns[i]));
	}
}

/* Sums over the counted kernels of a group. */
struct sum {
	double joined_ns, longest_ns;
	double weighted[WEIR_COUNTER_COUNT], weight_ns[WEIR_COUNTER_COUNT]; /* shares */
	double dram_bytes, vector_flops, matrix_flops; /* NAN: unknown for some of them */
	const struct weir_counted_group *longest;
};

static void add_piece(struct sum *sum, const struct piece *piece,
                      const struct weir_counted_group *found)
{
	double ns = (double)piece->sum_ns, rows = (double)piece->rows;

	sum->joined_ns += ns;
	for (int c = 0; c < WEIR_COUNTER_COUNT; c++) {
		if (isnan(found->value[c]))
			continue;
		sum->weighted[c] += found->value[c] * ns;
		sum->weight_ns[c] += ns;
	}
	sum->dram_bytes += rows * found->value[WEIR_COUNTER_DRAM_BYTES];
	sum->vector_flops += rows * found->value[WEIR_COUNTER_VECTOR_FLOPS];
	sum->matrix_flops += rows * found->value[WEIR_COUNTER_MATRIX_FLOPS];
	if (ns > sum->longest_ns) {
		sum->longest_ns = ns;
		sum->longest = found;
	}
}

/* Replaces the judgement of the model by that of the counters. A model that exceeded the device's
 * peak is removed from all sums. */
static void overrule(struct weir_assessment *assessment, const struct weir_group *group,
                     const struct sum *sum)
{
	double value[WEIR_COUNTER_COUNT], calls = (double)group->calls;

	for (int c = 0; c < WEIR_COUNTER_COUNT; c++)
		value[c] = sum->weighted[c] / sum->weight_ns[c];
	/* With several kernels, the longest one decides about occupancy. */
	value[WEIR_COUNTER_WAVES] = sum->longest->value[WEIR_COUNTER_WAVES];
	assessment->counted = (struct weir_counted_work){
		.known = true,
		.modelled = assessment->work.confidence == WEIR_MODEL_NONE
	                            ? WEIR_ROOFLINE_UNKNOWN
	                            : assessment->roofline.roofline,
		.dram_bytes = sum->dram_bytes / calls,
		.vector_flops = sum->vector_flops / calls,
		.matrix_flops = sum->matrix_flops / calls,
		.l2_bytes = value[WEIR_COUNTER_L2_SIZE],
	};
	if (assessment->roofline.roofline == WEIR_ROOFLINE_IMPLAUSIBLE)
		assessment->work = (struct weir_work){.flops = NAN, .bytes = NAN};
	weir_counted_features(value, sum->longest->name, assessment->values);
	assessment->roofline.roofline = weir_counted_class(value, sum->joined_ns / calls);
	assessment->roofline.efficiency = weir_counted_efficiency(value);
}

struct totals {
	double joined_ns, busy_ns, modelled_ns, agreed_ns;
};

static void join_rank(const struct keys *keys, struct weir_rank *rank, struct totals *totals,
                      size_t *joined)
{
	struct sum *sums = weir_alloc((rank->groups.count + 1) * sizeof *sums);
	struct pieces pieces = {0};

	collect(&pieces, rank);
	for (size_t i = 0; i < pieces.count; i++) {
		const struct piece *piece = &pieces.items[i];
		const struct weir_counted_group *found = find_counted(
			keys, &(struct wanted){
				      .name = weir_names_text(rank->trace->names, piece->name),
				      .blocks = piece->blocks,
				      .threads = piece->threads,
				      .mean_ns = (double)piece->sum_ns / (double)piece->rows,
			      });

		if (found)
			add_piece(&sums[piece->group], piece, found);
	}
	for (size_t g = 0; g < rank->groups.count; g++) {
		const struct weir_group *group = &rank->groups.items[g];
		struct weir_assessment *assessment = &rank->assessments[g];
		double owned_ns = (double)group->owned_ns;

		if (!sums[g].longest ||
		    sums[g].joined_ns < WEIR_COUNTED_SHARE * (double)group->sum_ns)
			continue;
		overrule(assessment, group, &sums[g]);
		++*joined;
		totals->joined_ns += owned_ns;
		if (assessment->counted.modelled == WEIR_ROOFLINE_UNKNOWN)
			continue;
		totals->modelled_ns += owned_ns;
		if (assessment->counted.modelled == assessment->roofline.roofline)
			totals->agreed_ns += owned_ns;
	}
	totals->busy_ns += (double)rank->busy_ns;
	weir_rowmap_release(&pieces.map);
	free(pieces.items);
	free(sums);
}

struct weir_counted_join weir_counted_overrule(const struct weir_counted *counted,
                                               struct weir_rank *ranks, size_t rank_count)
{
	struct weir_counted_join join = {.model_share = NAN, .agree_share = NAN};
	struct totals totals = {0};
	struct keys keys;

	if (!counted)
		return join;
	keys_init(&keys, counted);
	for (size_t r = 0; r < rank_count; r++)
		join_rank(&keys, &ranks[r], &totals, &join.groups);
	keys_release(&keys);
	join.share = totals.busy_ns > 0 ? totals.joined_ns / totals.busy_ns : 0;
	if (totals.joined_ns > 0)
		join.model_share = totals.modelled_ns / totals.joined_ns;
	if (totals.modelled_ns > 0)
		join.agree_share = totals.agreed_ns / totals.modelled_ns;
	return join;
}
