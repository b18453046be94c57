/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside a stage: renamed, fused and split kernels make single operators grow while others shrink
 * or go, and the device time of the stage stays. Such rows are cost shifts, not regressions. Of a
 * stage that did get slower, the operators that account for it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare_impl.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

/* What shrank makes up for what grew where it is at least this share of it. */
#define SHIFT_BALANCE     0.8
#define SHIFT_NAMED       3  /* counterparts named in a note */
#define MAX_CONTRIBUTIONS 20 /* of one stage */

/* How the device time of a stage came out; the shift row speaks for all of its quantiles. */
static bool device_unchanged(const struct weir_gate_result *result, const char *stage,
                             enum weir_metric metric)
{
	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (row->kind == WEIR_SCOPE_DEVICE && strcmp(row->stage, stage) == 0 &&
		    (row->metric == metric || row->metric == WEIR_METRIC_SHIFT) &&
		    row->outcome == WEIR_OUTCOME_NO_CHANGE)
			return true;
	}
	return false;
}

/* Is this an operator's row of the stage that says how much time it takes, once an operator? */
static bool speaks_for_operator(const struct weir_row *row, const char *stage)
{
	return row->kind == WEIR_SCOPE_OPERATOR && row->metric == WEIR_METRIC_P50 && row->stage &&
	       strcmp(row->stage, stage) == 0 && !isnan(row->contributed_ns);
}

struct balance {
	double grown_ns, shrunk_ns; /* both positive */
};

static struct balance balance_of(const struct weir_gate_result *result, const char *stage)
{
	struct balance balance = {0, 0};

	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (!speaks_for_operator(row, stage))
			continue;
		if (row->contributed_ns > 0)
			balance.grown_ns += row->contributed_ns;
		else
			balance.shrunk_ns -= row->contributed_ns;
	}
	return balance;
}

static int by_delta(const void *left, const void *right)
{
	const struct weir_row *a = *(const struct weir_row *const *)left,
			      *b = *(const struct weir_row *const *)right;

	if (a->contributed_ns != b->contributed_ns)
		return a->contributed_ns < b->contributed_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Operator rows of a stage by what they added, the most negative first. The caller frees the list.
 */
static const struct weir_row **rows_by_delta(const struct weir_gate_result *result,
                                             const char *stage, size_t *count)
{
	const struct weir_row **rows = weir_alloc((result->row_count + 1) * sizeof *rows);

	*count = 0;
	for (size_t i = 0; i < result->row_count; i++)
		if (speaks_for_operator(&result->rows[i], stage))
			rows[(*count)++] = &result->rows[i];
	qsort(rows, *count, sizeof *rows, by_delta);
	return rows;
}

static const char *note_of_shift(struct weir_gate_result *result, const char *stage, bool grew)
{
	struct weir_text text = {0};
	size_t count, named = 0;
	const struct weir_row **rows = rows_by_delta(result, stage, &count);
	const char *note;

	weir_text_puts(&text, grew ? "moved from" : "moved to");
	for (size_t i = 0; i < count && named < SHIFT_NAMED; i++) {
		const struct weir_row *row = rows[grew ? i : count - 1 - i];

		if (grew ? row->contributed_ns >= 0 : row->contributed_ns <= 0)
			break;
		weir_text_puts(&text, named++ > 0 ? ", " : " ");
		weir_text_puts(&text, row->name);
		weir_text_puts(&text, row->contributed_ns > 0 ? " (+" : " (-");
		weir_text_duration(&text, fabs(row->contributed_ns));
		weir_text_puts(&text, ")");
	}
	note = weir_arena_copy(result->arena, text.data, text.length);
	weir_text_release(&text);
	free(rows);
	return note;
}

static void mark_moved(struct weir_gate_result *result)
{
	for (size_t i = 0; i < result->row_count; i++) {
		struct weir_row *row = &result->rows[i];
		struct balance balance;
		bool grew = row->outcome == WEIR_OUTCOME_REGRESSION ||
		            row->outcome == WEIR_OUTCOME_SUSPECT;

		if (row->kind != WEIR_SCOPE_OPERATOR || !row->stage ||
		    (!grew && row->outcome != WEIR_OUTCOME_IMPROVEMENT) ||
		    !device_unchanged(result, row->stage, row->metric))
			continue;
		balance = balance_of(result, row->stage);
		if (fmin(balance.grown_ns, balance.shrunk_ns) <
		    SHIFT_BALANCE * fmax(balance.grown_ns, balance.shrunk_ns))
			continue;
		row->outcome = WEIR_OUTCOME_MOVED;
		row->note = note_of_shift(result, row->stage, grew);
	}
}

static bool stage_is_slower(const struct weir_gate_result *result, const char *stage)
{
	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if ((row->kind == WEIR_SCOPE_STAGE || row->kind == WEIR_SCOPE_DEVICE) &&
		    strcmp(row->stage, stage) == 0 &&
		    (row->outcome == WEIR_OUTCOME_REGRESSION ||
		     row->outcome == WEIR_OUTCOME_SUSPECT))
			return true;
	}
	return false;
}

static void list_contributions(struct weir_gate_result *result, const char *stage)
{
	size_t count, listed = 0;
	const struct weir_row **rows = rows_by_delta(result, stage, &count);

	for (size_t i = count; i-- > 0 && listed < MAX_CONTRIBUTIONS && rows[i]->contributed_ns > 0;
	     listed++)
		result->contributions[result->contribution_count++] = (struct weir_contribution){
			.stage = stage,
			.operator= rows[i]->name,
			.delta_ns = rows[i]->contributed_ns,
			.baseline_calls = rows[i]->baseline_calls,
			.candidate_calls = rows[i]->candidate_calls,
		};
	free(rows);
}

void weir_compare_shifts(struct weir_comparing *comparing)
{
	struct weir_gate_result *result = comparing->result;
	size_t stages = comparing->stages.count + comparing->devices.count;

	mark_moved(result);
	result->contributions = weir_arena_alloc(
		result->arena, (stages * MAX_CONTRIBUTIONS + 1) * sizeof *result->contributions);
	for (size_t i = 0; i < comparing->stages.count; i++)
		if (stage_is_slower(result, comparing->stages.items[i].name))
			list_contributions(result, comparing->stages.items[i].name);
}
