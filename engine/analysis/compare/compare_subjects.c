/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs what the runs hold by name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/compare_impl.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* The tables of a run. */
enum part {
	PART_STAGES,
	PART_DEVICE,
	PART_OPERATORS,
	PART_CALLS,
	PART_METRICS,
};

static const struct weir_series_table *table_of(const struct weir_run *run, enum part part)
{
	const struct weir_series_table *const tables[] = {
		[PART_STAGES] = &run->stages,       [PART_DEVICE] = &run->device,
		[PART_OPERATORS] = &run->operators, [PART_CALLS] = &run->calls,
		[PART_METRICS] = &run->metrics,
	};

	return tables[part];
}

static const enum part part_of[] = {
	[WEIR_SCOPE_STAGE] = PART_STAGES,
	[WEIR_SCOPE_DEVICE] = PART_DEVICE,
	[WEIR_SCOPE_OPERATOR] = PART_OPERATORS,
	[WEIR_SCOPE_METRIC] = PART_METRICS,
};

/* A series and the run that holds it. */
struct occurrence {
	const struct weir_series *series;
	size_t run;
};

static int by_name(const void *left, const void *right)
{
	const struct occurrence *a = left, *b = right;
	int order = strcmp(a->series->name, b->series->name);

	return order != 0 ? order : (a->run > b->run) - (a->run < b->run);
}

/* Every series with values, sorted by name, then by run. The caller frees the list. */
static struct occurrence *collect(const struct weir_comparing *comparing, enum part part,
                                  size_t *count)
{
	struct occurrence *all = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t r = 0; r < comparing->run_count; r++) {
		const struct weir_series_table *table = table_of(comparing->runs[r], part);

		for (size_t i = 0; i < table->count; i++) {
			if (table->items[i].count == 0)
				continue;
			all = weir_grow(all, &capacity, *count + 1, sizeof *all);
			all[(*count)++] = (struct occurrence){&table->items[i], r};
		}
	}
	if (*count > 1)
		qsort(all, *count, sizeof *all, by_name);
	return all;
}

/* First of the list behind those of the name at `from`. */
static size_t name_end(const struct occurrence *all, size_t count, size_t from)
{
	size_t end = from + 1;

	while (end < count && strcmp(all[end].series->name, all[from].series->name) == 0)
		end++;
	return end;
}

size_t weir_compared_kept(const struct weir_comparing *comparing, const struct weir_compared *item,
                          size_t run)
{
	const struct weir_series *series = item->series[run];
	int dropped = item->kind == WEIR_SCOPE_METRIC ? 0 : comparing->input->policy->warmup;
	size_t warmup = dropped > 0 ? (size_t)dropped : 0;

	return series && series->count > warmup ? series->count - warmup : 0;
}

const struct weir_compared *weir_compared_find(const struct weir_compared_set *set,
                                               const char *name, size_t length)
{
	size_t low = 0, high = set->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const char *other = set->items[middle].name;
		int order = strncmp(other, name, length);

		if (order == 0 && other[length] == '\0')
			return &set->items[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Length of the stage in "STAGE/OPERATOR": the longest that is a stage, for either may hold a
 * slash; 0: there is none. */
static size_t stage_length(const struct weir_comparing *comparing, const char *name)
{
	const char *first = strchr(name, '/');

	for (size_t i = first ? strlen(name) : 0; i-- > 0;)
		if (name[i] == '/' && (weir_compared_find(&comparing->stages, name, i) ||
		                       weir_compared_find(&comparing->devices, name, i)))
			return i;
	return first ? (size_t)(first - name) : 0;
}

static void name_subject(struct weir_comparing *comparing, struct weir_compared *item,
                         const char *name)
{
	struct weir_arena *arena = comparing->result->arena;
	size_t length;

	item->name = weir_arena_copy(arena, name, strlen(name));
	item->scope = weir_arena_format(arena, "%s%s", weir_scope_word(item->kind), name);
	if (item->kind == WEIR_SCOPE_STAGE || item->kind == WEIR_SCOPE_DEVICE)
		item->stage = item->name;
	if (item->kind != WEIR_SCOPE_OPERATOR)
		return;
	length = stage_length(comparing, name);
	if (length > 0) {
		item->stage = weir_arena_copy(arena, name, length);
		item->name += length + 1;
	}
}

static void count_samples(const struct weir_comparing *comparing, struct weir_compared *item)
{
	uint64_t least[2] = {UINT64_MAX, UINT64_MAX};
	size_t present[2] = {0, 0};

	for (size_t r = 0; r < comparing->run_count; r++) {
		int side = r >= comparing->input->baseline_count;
		size_t kept = weir_compared_kept(comparing, item, r);

		if (!item->series[r])
			continue;
		present[side]++;
		least[side] = kept < least[side] ? kept : least[side];
	}
	item->baseline_present = present[0];
	item->candidate_present = present[1];
	item->baseline_samples = present[0] ? least[0] : 0;
	item->candidate_samples = present[1] ? least[1] : 0;
}

static void fill_subject(struct weir_comparing *comparing, struct weir_compared *item,
                         const struct occurrence *all, size_t count)
{
	const struct weir_series *first = all->series;

	item->series = weir_alloc(comparing->run_count * sizeof *item->series);
	for (size_t i = 0; i < count; i++)
		item->series[all[i].run] = all[i].series;
	item->baseline_calls = item->candidate_calls = NAN;
	item->baseline_ns = item->candidate_ns = NAN;
	name_subject(comparing, item, first->name);
	item->higher_is_better = first->higher_is_better;
	if (item->kind == WEIR_SCOPE_METRIC && first->unit)
		item->unit =
			weir_arena_copy(comparing->result->arena, first->unit, strlen(first->unit));
	count_samples(comparing, item);
}

/* Mean over the runs of one side of the median number of calls. */
static double mean_calls(const struct occurrence *calls, size_t count, size_t first, size_t end)
{
	double sum = 0;
	size_t runs = 0;

	for (size_t i = 0; i < count; i++)
		if (calls[i].run >= first && calls[i].run < end) {
			sum += weir_median(calls[i].series->value, calls[i].series->count);
			runs++;
		}
	return runs > 0 ? sum / (double)runs : NAN;
}

/* Both lists are sorted by the same names. */
static void pair_calls(struct weir_comparing *comparing, struct weir_compared_set *set)
{
	size_t count, split = comparing->input->baseline_count, item = 0;
	struct occurrence *all = collect(comparing, PART_CALLS, &count);

	for (size_t i = 0, end; i < count; i = end) {
		int order = -1;

		end = name_end(all, count, i);
		while (item < set->count &&
		       (order = strcmp(set->items[item].scope +
		                               strlen(weir_scope_word(set->items->kind)),
		                       all[i].series->name)) < 0)
			item++;
		if (order != 0)
			continue;
		set->items[item].baseline_calls = mean_calls(all + i, end - i, 0, split);
		set->items[item].candidate_calls =
			mean_calls(all + i, end - i, split, comparing->run_count);
	}
	free(all);
}

enum weir_status weir_compare_pair(struct weir_comparing *comparing, struct weir_compared_set *set,
                                   enum weir_scope_kind kind, struct weir_error *err)
{
	size_t count, names = 0;
	struct occurrence *all = collect(comparing, part_of[kind], &count);

	set->rows = kind == WEIR_SCOPE_METRIC ? 1 : WEIR_COMPARE_ROWS;
	for (size_t i = 0; i < count; i = name_end(all, count, i))
		names++;
	if (names > WEIR_COMPARE_MOST_NAMES) {
		free(all);
		return weir_fail(err, WEIR_E_LIMIT, "%zu names that begin with \"%s\", at most %d",
		                 names, weir_scope_word(kind), WEIR_COMPARE_MOST_NAMES);
	}
	set->items = weir_alloc((names + 1) * sizeof *set->items);
	for (size_t i = 0, end; i < count; i = end) {
		end = name_end(all, count, i);
		set->items[set->count].kind = kind;
		fill_subject(comparing, &set->items[set->count++], &all[i], end - i);
	}
	free(all);
	if (kind == WEIR_SCOPE_OPERATOR)
		pair_calls(comparing, set);
	return WEIR_OK;
}
