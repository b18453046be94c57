/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/path/path_sums.h"
#include "engine/base/arena.h"

#define NO_SUM UINT32_MAX

static void begin_rank(struct weir_path_sums *sums, const struct weir_analysis *analysis,
                       uint32_t rank)
{
	const struct weir_rank *of = &analysis->ranks[rank];
	size_t names = weir_names_count(of->trace->names);

	if (!sums->first) {
		sums->rank_count = analysis->rank_count;
		sums->first = weir_alloc(analysis->rank_count * sizeof *sums->first);
		sums->stages = weir_alloc(analysis->rank_count * sizeof *sums->stages);
	}
	if (sums->first[rank])
		return;
	sums->first[rank] = weir_alloc((names + 1) * sizeof **sums->first);
	memset(sums->first[rank], 0xff, (names + 1) * sizeof **sums->first); /* NO_SUM */
	sums->stages[rank] = weir_alloc((of->steps.stage_count + 1) * sizeof **sums->stages);
}

/* Returns the sum of a rank, name and kind. */
static struct weir_path_sum *sum_of(struct weir_path_sums *sums, uint32_t rank, uint32_t name,
                                    uint8_t kind)
{
	uint32_t *first = &sums->first[rank][name];

	for (uint32_t at = *first; at != NO_SUM; at = sums->items[at].next)
		if (sums->items[at].kind == kind)
			return &sums->items[at];
	sums->items = weir_grow(sums->items, &sums->capacity, sums->count + 1, sizeof *sums->items);
	sums->items[sums->count] =
		(struct weir_path_sum){.rank = rank, .name = name, .next = *first, .kind = kind};
	*first = (uint32_t)sums->count;
	return &sums->items[sums->count++];
}

static void add(int64_t *ns, int64_t more_ns)
{
	*ns = weir_add_ns(*ns, more_ns);
}

void weir_path_sums_add(struct weir_path_sums *sums, const struct weir_analysis *analysis,
                        const struct weir_path_piece *piece)
{
	int64_t ns = weir_span_ns(piece->start_ns, piece->end_ns);
	struct weir_path_sum *sum;

	if (!sums->first || !sums->first[piece->rank])
		begin_rank(sums, analysis, piece->rank);
	sum = sum_of(sums, piece->rank, piece->name, piece->kind);
	sum->count++;
	add(&sum->ns, ns);
	add(&sums->ns[piece->kind], ns);
	sums->pieces++;
	if (piece->span != WEIR_NONE) {
		const struct weir_steps *steps = &analysis->ranks[piece->rank].steps;

		add(&sums->stages[piece->rank][steps->spans[piece->span].stage][piece->kind], ns);
	}
}

void weir_path_sums_join(struct weir_path_sums *sums, const struct weir_path_sums *more,
                         const struct weir_analysis *analysis)
{
	for (uint32_t r = 0; r < more->rank_count; r++) {
		if (!more->first[r])
			continue;
		begin_rank(sums, analysis, r);
		for (size_t s = 0; s <= analysis->ranks[r].steps.stage_count; s++)
			for (size_t k = 0; k < WEIR_PATH_KIND_COUNT; k++)
				add(&sums->stages[r][s][k], more->stages[r][s][k]);
	}
	for (size_t i = 0; i < more->count; i++) {
		const struct weir_path_sum *from = &more->items[i];
		struct weir_path_sum *to = sum_of(sums, from->rank, from->name, from->kind);

		to->count += from->count;
		add(&to->ns, from->ns);
	}
	for (size_t k = 0; k < WEIR_PATH_KIND_COUNT; k++)
		add(&sums->ns[k], more->ns[k]);
	sums->pieces += more->pieces;
}

void weir_path_sums_release(struct weir_path_sums *sums)
{
	for (size_t r = 0; r < sums->rank_count; r++) {
		free(sums->first[r]);
		free(sums->stages[r]);
	}
	free(sums->first);
	free(sums->stages);
	free(sums->items);
	*sums = (struct weir_path_sums){0};
}
