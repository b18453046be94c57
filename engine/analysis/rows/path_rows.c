/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/frames.h"
#include "engine/analysis/path/critical_path.h"
#include "engine/analysis/rows/rows.h"
#include "engine/base/arena.h"

#define BETWEEN_OPERATORS "(between operators)"

const char *weir_path_piece_name(const struct weir_analysis *analysis,
                                 const struct weir_path_piece *piece)
{
	const char *name = weir_names_text(analysis->ranks[piece->rank].trace->names, piece->name);

	if (piece->name == 0)
		return NULL;
	return strstr(name, ".py(") ? weir_frame_without_folders(name) : name;
}

#define NO_SUM UINT32_MAX

/* Sum of the pieces with one name and kind on one rank; after merge() on all ranks. */
struct sum {
	const char *name; /* borrowed from the trace */
	uint32_t rank, name_id;
	uint32_t next; /* index of the next sum with this name and rank but another kind; NO_SUM:
	                  none */
	uint8_t kind;
	int64_t ns;
	uint64_t count;
};

struct sums {
	struct sum *items;
	size_t count, capacity;
	uint32_t **first; /* [rank][name id]: its first sum; NULL: the rank has none yet */
};

static int by_name(const void *left, const void *right)
{
	const struct sum *a = left, *b = right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return strcmp(a->name, b->name);
}

static int by_time(const void *left, const void *right)
{
	const struct sum *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return by_name(left, right);
}

/* Merges sums of several ranks with the same name and kind; returns the new count. */
static size_t merge(struct sum *sums, size_t count)
{
	size_t kept = 0;

	if (count > 0)
		qsort(sums, count, sizeof *sums, by_name);
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && by_name(&sums[kept - 1], &sums[i]) == 0) {
			sums[kept - 1].ns = weir_add_ns(sums[kept - 1].ns, sums[i].ns);
			sums[kept - 1].count += sums[i].count;
		} else {
			sums[kept++] = sums[i];
		}
	}
	return kept;
}

/* True if the piece belongs to an operator or call; gaps and idle time do not. */
static bool has_name(const struct weir_path_piece *piece)
{
	return piece->kind != WEIR_PATH_IDLE && piece->kind != WEIR_PATH_KERNEL_GAP;
}

static const char *name_of(const struct weir_analysis *analysis, const struct sum *sum)
{
	const struct weir_path_piece piece = {.rank = sum->rank, .name = sum->name_id};
	const char *name = weir_path_piece_name(analysis, &piece);

	return name ? name : BETWEEN_OPERATORS;
}

static struct sum *sum_of(struct sums *sums, const struct weir_analysis *analysis,
                          const struct weir_path_piece *piece)
{
	uint32_t **first = &sums->first[piece->rank];
	uint32_t at;

	if (!*first) {
		size_t names = weir_names_count(analysis->ranks[piece->rank].trace->names);

		*first = weir_alloc((names + 1) * sizeof **first);
		memset(*first, 0xff, (names + 1) * sizeof **first); /* NO_SUM */
	}
	for (at = (*first)[piece->name]; at < sums->count; at = sums->items[at].next)
		if (sums->items[at].kind == piece->kind)
			return &sums->items[at];
	sums->items = weir_grow(sums->items, &sums->capacity, sums->count + 1, sizeof *sums->items);
	sums->items[sums->count] = (struct sum){.rank = piece->rank,
	                                        .name_id = piece->name,
	                                        .next = (*first)[piece->name],
	                                        .kind = piece->kind};
	(*first)[piece->name] = (uint32_t)sums->count;
	return &sums->items[sums->count++];
}

static void sum_pieces(const struct weir_analysis *analysis, const struct weir_path *path,
                       struct sums *sums)
{
	sums->first = weir_alloc((analysis->rank_count + 1) * sizeof *sums->first);
	for (size_t i = 0; i < path->count; i++) {
		const struct weir_path_piece *piece = &path->pieces[i];
		struct sum *sum;

		if (!has_name(piece))
			continue;
		sum = sum_of(sums, analysis, piece);
		sum->ns = weir_add_ns(sum->ns, weir_span_ns(piece->start_ns, piece->end_ns));
		sum->count++;
	}
	for (size_t r = 0; r < analysis->rank_count; r++)
		free(sums->first[r]);
	free(sums->first);
	for (size_t i = 0; i < sums->count; i++)
		sums->items[i].name = name_of(analysis, &sums->items[i]);
	sums->count = merge(sums->items, sums->count);
	if (sums->count > 0)
		qsort(sums->items, sums->count, sizeof *sums->items, by_time);
}

static void fill_items(const struct weir_analysis *analysis, const struct weir_path *path,
                       struct weir_arena *arena, struct weir_critical_path *out)
{
	struct sums sums = {0};

	sum_pieces(analysis, path, &sums);
	out->item_count = sums.count < WEIR_PATH_ITEMS ? sums.count : WEIR_PATH_ITEMS;
	out->items = weir_arena_alloc(arena, (out->item_count + 1) * sizeof *out->items);
	for (size_t i = 0; i < out->item_count; i++)
		out->items[i] = (struct weir_path_item){
			.kind = (enum weir_path_kind)sums.items[i].kind,
			.name = weir_arena_copy(arena, sums.items[i].name,
		                                strlen(sums.items[i].name)),
			.ns = sums.items[i].ns,
			.count = sums.items[i].count,
		};
	free(sums.items);
}

static void fill_stages(const struct weir_analysis *analysis,
                        const struct weir_stage_merges *merges, const struct weir_path *path,
                        struct weir_arena *arena, struct weir_critical_path *out)
{
	uint32_t **merge_of = weir_alloc((analysis->rank_count + 1) * sizeof *merge_of);
	struct weir_path_stage *stages =
		weir_arena_alloc(arena, (merges->count + 1) * sizeof *stages);

	for (size_t r = 0; r < analysis->rank_count; r++)
		merge_of[r] = weir_stage_merges_of_rank(merges, analysis, r);
	for (size_t i = 0; i < path->count; i++) {
		const struct weir_path_piece *piece = &path->pieces[i];
		int64_t ns = weir_span_ns(piece->start_ns, piece->end_ns);
		struct weir_path_stage *stage;

		if (piece->span == WEIR_NONE)
			continue;
		stage = &stages[merge_of[piece->rank][analysis->ranks[piece->rank]
		                                              .steps.spans[piece->span]
		                                              .stage]];
		stage->ns[piece->kind] = weir_add_ns(stage->ns[piece->kind], ns);
		stage->total_ns = weir_add_ns(stage->total_ns, ns);
	}
	out->stages = stages;
	for (size_t m = 0; m < merges->count; m++) {
		if (stages[m].total_ns == 0)
			continue;
		stages[out->stage_count] = stages[m];
		stages[out->stage_count++].name = weir_arena_copy(arena, merges->items[m].name,
		                                                  strlen(merges->items[m].name));
	}
	for (size_t r = 0; r < analysis->rank_count; r++)
		free(merge_of[r]);
	free(merge_of);
}

void weir_fill_critical_path(const struct weir_analysis *analysis,
                             const struct weir_stage_merges *merges, const struct weir_path *path,
                             struct weir_report *report)
{
	struct weir_critical_path *out;

	if (path->rank == WEIR_NONE)
		return;
	out = weir_arena_alloc(report->arena, sizeof *out);
	out->span_ns = path->span_ns;
	out->approximate = path->approximate;
	for (size_t i = 0; i < path->count; i++) {
		const struct weir_path_piece *piece = &path->pieces[i];
		int64_t *ns = &out->ns[piece->kind];

		*ns = weir_add_ns(*ns, weir_span_ns(piece->start_ns, piece->end_ns));
	}
	out->class_name = weir_path_class(out->ns);
	fill_items(analysis, path, report->arena, out);
	fill_stages(analysis, merges, path, report->arena, out);
	report->critical_path = out;
}
