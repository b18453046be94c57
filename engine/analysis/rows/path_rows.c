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

/* A sum of the path under the name that is shown; after merge() of all ranks. */
struct sum {
	const char *name; /* borrowed from the trace */
	uint8_t kind;
	int64_t ns;
	uint64_t count;
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

/* True if pieces of the kind belong to an operator or call; gaps and idle time do not. */
static bool has_name(uint8_t kind)
{
	return kind != WEIR_PATH_IDLE && kind != WEIR_PATH_KERNEL_GAP;
}

static const char *name_of(const struct weir_analysis *analysis, const struct weir_path_sum *sum)
{
	const struct weir_path_piece piece = {.rank = sum->rank, .name = sum->name};
	const char *name = weir_path_piece_name(analysis, &piece);

	return name ? name : BETWEEN_OPERATORS;
}

/* Returns the sums with a name, largest first. The caller frees them. */
static struct sum *named_sums(const struct weir_analysis *analysis,
                              const struct weir_path_sums *sums, size_t *count)
{
	struct sum *named = weir_alloc((sums->count + 1) * sizeof *named);

	*count = 0;
	for (size_t i = 0; i < sums->count; i++) {
		const struct weir_path_sum *sum = &sums->items[i];

		if (has_name(sum->kind))
			named[(*count)++] = (struct sum){name_of(analysis, sum), sum->kind, sum->ns,
			                                 sum->count};
	}
	*count = merge(named, *count);
	if (*count > 0)
		qsort(named, *count, sizeof *named, by_time);
	return named;
}

static void fill_items(const struct weir_analysis *analysis, const struct weir_path *path,
                       struct weir_arena *arena, struct weir_critical_path *out)
{
	size_t count;
	struct sum *sums = named_sums(analysis, &path->sums, &count);

	out->item_count = count < WEIR_PATH_ITEMS ? count : WEIR_PATH_ITEMS;
	out->items = weir_arena_alloc(arena, (out->item_count + 1) * sizeof *out->items);
	for (size_t i = 0; i < out->item_count; i++)
		out->items[i] = (struct weir_path_item){
			.kind = (enum weir_path_kind)sums[i].kind,
			.name = weir_arena_copy(arena, sums[i].name, strlen(sums[i].name)),
			.ns = sums[i].ns,
			.count = sums[i].count,
		};
	free(sums);
}

/* Adds the stages of one rank to those of the report. */
static void add_stages(struct weir_path_stage *stages, const uint32_t *merge_of,
                       const struct weir_path_sums *sums, const struct weir_analysis *analysis,
                       size_t rank)
{
	if (!sums->first || !sums->first[rank])
		return;
	for (size_t s = 0; s < analysis->ranks[rank].steps.stage_count; s++) {
		struct weir_path_stage *stage = &stages[merge_of[s]];

		for (int kind = 0; kind < WEIR_PATH_KIND_COUNT; kind++) {
			int64_t ns = sums->stages[rank][s][kind];

			stage->ns[kind] = weir_add_ns(stage->ns[kind], ns);
			stage->total_ns = weir_add_ns(stage->total_ns, ns);
		}
	}
}

static void fill_stages(const struct weir_analysis *analysis,
                        const struct weir_stage_merges *merges, const struct weir_path *path,
                        struct weir_arena *arena, struct weir_critical_path *out)
{
	struct weir_path_stage *stages =
		weir_arena_alloc(arena, (merges->count + 1) * sizeof *stages);

	for (size_t r = 0; r < analysis->rank_count; r++) {
		uint32_t *merge_of = weir_stage_merges_of_rank(merges, analysis, r);

		add_stages(stages, merge_of, &path->sums, analysis, r);
		free(merge_of);
	}
	out->stages = stages;
	for (size_t m = 0; m < merges->count; m++) {
		if (stages[m].total_ns == 0)
			continue;
		stages[out->stage_count] = stages[m];
		stages[out->stage_count++].name = weir_arena_copy(arena, merges->items[m].name,
		                                                  strlen(merges->items[m].name));
	}
}

void weir_fill_critical_path(const struct weir_analysis *analysis,
                             const struct weir_stage_merges *merges, const struct weir_path *path,
                             struct weir_report *report)
{
	struct weir_critical_path *out;

	if (path->rank == WEIR_NONE || weir_report_lacks_kernels(report))
		return;
	out = weir_arena_alloc(report->arena, sizeof *out);
	out->span_ns = path->span_ns;
	out->approximate = path->approximate;
	memcpy(out->ns, path->sums.ns, sizeof out->ns);
	out->class_name = weir_path_class(out->ns);
	fill_items(analysis, path, report->arena, out);
	fill_stages(analysis, merges, path, report->arena, out);
	report->critical_path = out;
}
