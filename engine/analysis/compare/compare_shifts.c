/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside a stage: renamed, fused and split kernels make single operators grow while others shrink
 * or go, and the device time of the stage stays. Such rows are cost shifts, not regressions. Of a
 * stage that did get slower, the operators that account for it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/compare_impl.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

/* What shrank makes up for what grew where it is at least this share of it, and the reverse. */
#define SHIFT_BALANCE      0.8
#define SHIFT_NAMED        3    /* counterparts named in a note */
#define MAX_CONTRIBUTIONS  20   /* of one stage */
#define LEAST_CONTRIBUTION 0.01 /* of the largest of the stage */

static bool is_bad(const struct weir_row *row)
{
	return row->outcome == WEIR_OUTCOME_REGRESSION || row->outcome == WEIR_OUTCOME_SUSPECT;
}

static bool is_one_sided(const struct weir_row *row)
{
	return row->outcome == WEIR_OUTCOME_MISSING || row->outcome == WEIR_OUTCOME_NEW;
}

enum device_time {
	DEVICE_UNCHANGED,
	DEVICE_UNKNOWN,
	DEVICE_SLOWER,
};

/* Is the device time of the stage what it was? The mean of the log deciles speaks for the median
 * and the upper decile as well, but for no tail. */
static enum device_time device_time_of(const struct weir_gate_result *result, const char *stage,
                                       enum weir_metric metric)
{
	enum device_time found = DEVICE_UNKNOWN;

	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];
		bool speaks = row->metric == metric ||
		              (row->metric == WEIR_METRIC_SHIFT &&
		               (metric == WEIR_METRIC_P50 || metric == WEIR_METRIC_P90));

		if (row->kind != WEIR_SCOPE_DEVICE || !speaks || strcmp(row->stage, stage) != 0)
			continue;
		if (is_bad(row))
			return DEVICE_SLOWER;
		if (row->outcome == WEIR_OUTCOME_NO_CHANGE)
			found = DEVICE_UNCHANGED;
	}
	return found;
}

/* Operator rows of a stage at one metric, those of one side included, by what they added, the most
 * negative first. */
struct changes {
	const struct weir_row **rows;
	size_t count;
};

static int by_delta(const void *left, const void *right)
{
	const struct weir_row *a = *(const struct weir_row *const *)left,
			      *b = *(const struct weir_row *const *)right;

	if (a->contributed_ns != b->contributed_ns)
		return a->contributed_ns < b->contributed_ns ? -1 : 1;
	return strcmp(a->name, b->name);
}

static struct changes changes_of(const struct weir_gate_result *result, const char *stage,
                                 enum weir_metric metric)
{
	struct changes changes = {weir_alloc((result->row_count + 1) * sizeof(struct weir_row *)),
	                          0};

	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (row->kind == WEIR_SCOPE_OPERATOR && row->stage &&
		    (row->metric == metric || is_one_sided(row)) &&
		    strcmp(row->stage, stage) == 0 && !isnan(row->contributed_ns))
			changes.rows[changes.count++] = row;
	}
	qsort(changes.rows, changes.count, sizeof *changes.rows, by_delta);
	return changes;
}

/* A change to reckon with: an operator that came or went, or is beyond its margin. The rest of a
 * stage always sways, and would make up for anything. */
static bool is_material(const struct weir_row *row)
{
	return is_one_sided(row) || fabs(row->change) >= row->margin / (1 + row->margin);
}

static bool balanced(const struct changes *changes)
{
	double grown = 0, shrunk = 0;

	for (size_t i = 0; i < changes->count; i++) {
		double delta = changes->rows[i]->contributed_ns;

		if (!is_material(changes->rows[i]))
			continue;
		grown += fmax(delta, 0);
		shrunk -= fmin(delta, 0);
	}
	return grown > 0 && shrunk > 0 &&
	       fmin(grown, shrunk) >= SHIFT_BALANCE * fmax(grown, shrunk);
}

static const char *note_of_shift(struct weir_gate_result *result, const struct changes *changes,
                                 bool grew)
{
	struct weir_text text = {0};
	size_t named = 0;
	const char *note;

	weir_text_puts(&text, grew ? "moved from" : "moved to");
	for (size_t i = 0; i < changes->count && named < SHIFT_NAMED; i++) {
		const struct weir_row *row = changes->rows[grew ? i : changes->count - 1 - i];

		if (grew ? row->contributed_ns >= 0 : row->contributed_ns <= 0)
			break;
		if (!is_material(row))
			continue;
		weir_text_puts(&text, named++ > 0 ? ", " : " ");
		weir_text_puts(&text, row->name);
		weir_text_puts(&text, row->contributed_ns > 0 ? " (+" : " (-");
		weir_text_duration(&text, fabs(row->contributed_ns));
		weir_text_puts(&text, ")");
	}
	note = weir_arena_copy(result->arena, text.data, text.length);
	weir_text_release(&text);
	return note;
}

/* A row of the stage that a cost shift would explain. */
static bool may_have_moved(const struct weir_row *row, const char *stage, enum weir_metric metric)
{
	return row->kind == WEIR_SCOPE_OPERATOR && row->metric == metric && row->stage &&
	       (is_bad(row) || row->outcome == WEIR_OUTCOME_IMPROVEMENT) &&
	       strcmp(row->stage, stage) == 0;
}

static void mark_moved(struct weir_gate_result *result, const char *stage, enum weir_metric metric)
{
	struct changes changes = changes_of(result, stage, metric);
	const char *from = NULL, *to = NULL;

	if (balanced(&changes)) {
		from = note_of_shift(result, &changes, true);
		to = note_of_shift(result, &changes, false);
	}
	for (size_t i = 0; from && i < result->row_count; i++) {
		struct weir_row *row = &result->rows[i];

		if (!may_have_moved(row, stage, metric))
			continue;
		row->note = is_bad(row) ? from : to;
		row->outcome = WEIR_OUTCOME_MOVED;
	}
	free(changes.rows);
}

/* Where the runs cannot tell of the stage at this metric, an operator whose median moved has moved
 * with all of its distribution, unless this part of it grew by more. */
static void follow_median(struct weir_gate_result *result, const char *stage,
                          enum weir_metric metric)
{
	for (size_t i = 0; i < result->row_count; i++) {
		struct weir_row *row = &result->rows[i];
		const struct weir_row *median;

		if (!may_have_moved(row, stage, metric))
			continue;
		median = row - (int)metric; /* the rows of a subject are in the order of metrics */
		if (median->outcome != WEIR_OUTCOME_MOVED ||
		    row->change > median->change + row->margin)
			continue;
		row->note = median->note;
		row->outcome = WEIR_OUTCOME_MOVED;
	}
}

static void explain_stage(struct weir_gate_result *result, const char *stage)
{
	for (int k = 0; k < WEIR_COMPARE_ROWS; k++) {
		enum weir_metric metric = (enum weir_metric)k;

		switch (device_time_of(result, stage, metric)) {
		case DEVICE_UNCHANGED:
			mark_moved(result, stage, metric);
			break;
		case DEVICE_UNKNOWN:
			follow_median(result, stage, metric);
			break;
		case DEVICE_SLOWER:
			break;
		}
	}
}

static bool stage_is_slower(const struct weir_gate_result *result, const char *stage)
{
	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if ((row->kind == WEIR_SCOPE_STAGE || row->kind == WEIR_SCOPE_DEVICE) &&
		    is_bad(row) && strcmp(row->stage, stage) == 0)
			return true;
	}
	return false;
}

/* By how much they changed the stage, the largest first, whichever way. */
static int by_size(const void *left, const void *right)
{
	const struct weir_contribution *a = left, *b = right;
	int order;

	if (fabs(a->delta_ns) != fabs(b->delta_ns))
		return fabs(a->delta_ns) > fabs(b->delta_ns) ? -1 : 1;
	order = strcmp(a->stage, b->stage);
	return order ? order : strcmp(a->operator, b->operator);
}

/* What shrank or went is listed as well: a stage whose fused kernel is gone grew by the difference
 * to the kernels that took over, not by them. */
static void list_contributions(struct weir_gate_result *result, const char *stage)
{
	struct changes changes = changes_of(result, stage, WEIR_METRIC_P50);
	struct weir_contribution *parts =
		weir_alloc((changes.count + 1) * sizeof(struct weir_contribution));

	for (size_t i = 0; i < changes.count; i++) {
		const struct weir_row *row = changes.rows[i];

		parts[i] = (struct weir_contribution){
			.stage = stage,
			.operator= row->name,
			.delta_ns = row->contributed_ns,
			.baseline_calls = row->baseline_calls,
			.candidate_calls = row->candidate_calls,
		};
	}
	qsort(parts, changes.count, sizeof *parts, by_size);
	for (size_t i = 0; i < changes.count && i < MAX_CONTRIBUTIONS; i++) {
		if (parts[i].delta_ns == 0 ||
		    fabs(parts[i].delta_ns) < LEAST_CONTRIBUTION * fabs(parts[0].delta_ns))
			break;
		result->contributions[result->contribution_count++] = parts[i];
	}
	free(parts);
	free(changes.rows);
}

void weir_compare_shifts(struct weir_comparing *comparing)
{
	struct weir_gate_result *result = comparing->result;
	const struct weir_compared_set *stages = &comparing->stages, *devices = &comparing->devices;

	for (size_t i = 0; i < devices->count; i++)
		explain_stage(result, devices->items[i].name);
	result->contributions = weir_arena_alloc(
		result->arena, ((stages->count + devices->count) * MAX_CONTRIBUTIONS + 1) *
				       sizeof *result->contributions);
	for (size_t i = 0; i < stages->count; i++)
		if (stage_is_slower(result, stages->items[i].name))
			list_contributions(result, stages->items[i].name);
	for (size_t i = 0; i < devices->count; i++) {
		const char *name = devices->items[i].name;

		if (!weir_compared_find(stages, name, strlen(name)) &&
		    stage_is_slower(result, name))
			list_contributions(result, name);
	}
	qsort(result->contributions, result->contribution_count, sizeof *result->contributions,
	      by_size);
}
