/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/counters/counters_find.h"
#include "engine/analysis/counters/counters_join.h"
#include "engine/base/arena.h"
#include "engine/base/rowmap.h"

/* Rows of one kernel in one launch shape that belong to one group. */
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

/* What the counted kernels of a group add up to. */
struct sum {
	double joined_ns, longest_ns;
	double weighted[WEIR_COUNTER_COUNT], weight_ns[WEIR_COUNTER_COUNT]; /* shares */
	double dram_bytes, vector_flops, matrix_flops;                      /* NAN: not of all */
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

/* A model that said more than the device can do stays out of all sums. */
static void overrule(struct weir_assessment *assessment, const struct weir_group *group,
                     const struct sum *sum)
{
	double value[WEIR_COUNTER_COUNT], calls = (double)group->calls;

	for (int c = 0; c < WEIR_COUNTER_COUNT; c++)
		value[c] = sum->weighted[c] / sum->weight_ns[c];
	/* Of several kernels, how the longest fills the device. */
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

static void join_rank(const struct weir_counter_keys *keys, struct weir_rank *rank,
                      struct totals *totals, size_t *joined)
{
	struct sum *sums = weir_alloc((rank->groups.count + 1) * sizeof *sums);
	struct pieces pieces = {0};

	collect(&pieces, rank);
	for (size_t i = 0; i < pieces.count; i++) {
		const struct piece *piece = &pieces.items[i];
		const struct weir_counted_group *found = weir_counter_keys_find(
			keys, &(struct weir_counter_wanted){
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
	struct weir_counter_keys *keys;

	if (!counted)
		return join;
	keys = weir_counter_keys_new(counted);
	for (size_t r = 0; r < rank_count; r++)
		join_rank(keys, &ranks[r], &totals, &join.groups);
	weir_counter_keys_free(keys);
	join.share = totals.busy_ns > 0 ? totals.joined_ns / totals.busy_ns : 0;
	if (totals.joined_ns > 0)
		join.model_share = totals.modelled_ns / totals.joined_ns;
	if (totals.modelled_ns > 0)
		join.agree_share = totals.agreed_ns / totals.modelled_ns;
	return join;
}
