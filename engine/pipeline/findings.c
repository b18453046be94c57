/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/pipeline/findings.h"
#include "engine/report/gate/gate_findings.h"

#define SHORT      0.8 /* part of the median length; shorter runs are named */
#define MOST_SHORT 3   /* if more are short, the lengths differ on purpose */

/* True if the fix was found for a row of the finding. */
static bool undoes(const struct weir_gate_result *result, const struct weir_undo *undo,
                   const struct weir_gate_finding *finding)
{
	for (size_t i = 0; undo->scope && i < finding->row_count; i++)
		if (strcmp(result->rows[finding->rows[i]].scope, undo->scope) == 0)
			return true;
	return false;
}

void weir_word_findings(struct weir_gate_result *result)
{
	for (size_t i = 0; i < result->finding_count; i++) {
		struct weir_gate_finding *finding = &result->findings[i];
		struct weir_text text = {0};

		weir_gate_phrase_finding(result, finding, &text);
		finding->sentence = weir_arena_copy(result->arena, text.data, text.length);
		weir_text_release(&text);
		for (size_t j = 0; j < result->undo_count && !finding->fix; j++)
			if (undoes(result, &result->undos[j], finding))
				finding->fix = result->undos[j].fix;
	}
}

/* Returns the iterations of a run: those of its longest time series. */
static size_t iterations_of(const struct weir_run *run)
{
	const struct weir_series_table *const tables[] = {&run->stages, &run->device,
	                                                  &run->operators};
	size_t most = 0;

	for (size_t t = 0; t < WEIR_COUNT_OF(tables); t++)
		for (size_t i = 0; i < tables[t]->count; i++)
			if (tables[t]->items[i].count > most)
				most = tables[t]->items[i].count;
	return most;
}

static int by_size(const void *left, const void *right)
{
	const size_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static const char *file_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash && slash[1] ? slash + 1 : path;
}

void weir_remark_short_runs(struct weir_gate_result *result, const struct weir_gating_side *side,
                            const char *const *paths)
{
	size_t *lengths = weir_alloc((side->count + 1) * sizeof *lengths);
	size_t middle, few = 0;

	for (size_t i = 0; i < side->count; i++)
		lengths[i] = iterations_of(side->runs[i]);
	qsort(lengths, side->count, sizeof *lengths, by_size);
	middle = lengths[side->count / 2];
	free(lengths);
	for (size_t i = 0; i < side->count; i++)
		few += (double)iterations_of(side->runs[i]) < SHORT * (double)middle;
	for (size_t i = 0; i < side->count && few <= MOST_SHORT && 2 * few < side->count; i++) {
		size_t own = iterations_of(side->runs[i]);

		if (!((double)own < SHORT * (double)middle))
			continue;
		if (paths && paths[i])
			weir_gate_remark(result,
			                 "%s has %zu iterations, the others %zu: leave it out",
			                 file_of(paths[i]), own, middle);
		else
			weir_gate_remark(result,
			                 "run %zu of the baseline has %zu iterations, the others "
			                 "%zu: leave it out",
			                 i + 1, own, middle);
	}
}
