/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The history of a gate's worst rows: each figure over the recorded runs, with its change points.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/store.h"
#include "engine/analysis/compare/history.h"
#include "engine/base/arena.h"
#include "engine/pipeline/gate_pictures.h"
#include "engine/pipeline/history_changes.h"

#define SHORT_ID   12
#define LEAST_RUNS 3 /* that have the figure; with fewer there is no history */

struct filling {
	const struct weir_gate_request *request;
	struct weir_store *store; /* that holds the baseline */
	const struct weir_gating_side *candidate;
	struct weir_gate_result *result;
};

/* Recorded runs and candidates with one figure, oldest first. */
struct past {
	struct weir_baseline_run *runs; /* owned list; the runs are borrowed */
	double *values;                 /* owned */
	size_t count, recorded;
};

static void past_release(struct past *past)
{
	free(past->runs);
	free(past->values);
}

static const char *keep(struct weir_gate_result *result, const char *text, size_t most)
{
	size_t length = text ? strlen(text) : 0;

	return text ? weir_arena_copy(result->arena, text, length < most ? length : most) : NULL;
}

static enum weir_run_table table_of(enum weir_scope_kind kind)
{
	switch (kind) {
	case WEIR_SCOPE_STAGE:
		return WEIR_RUN_STAGES;
	case WEIR_SCOPE_DEVICE:
		return WEIR_RUN_DEVICE;
	case WEIR_SCOPE_OPERATOR:
		return WEIR_RUN_OPERATORS;
	case WEIR_SCOPE_METRIC:
	case WEIR_SCOPE_ALL_OPERATORS:
		return WEIR_RUN_METRICS;
	}
	return WEIR_RUN_METRICS;
}

/* Returns the figure of a row; the name of an operator that was renamed differs in candidates. */
static struct weir_history_metric figure_of(const struct weir_row *row, const char *name)
{
	struct weir_history_metric figure = {.kind = row->kind,
	                                     .name = name,
	                                     .name_length = strlen(name),
	                                     .metric = row->metric};

	if (row->metric == WEIR_METRIC_DRIFT)
		figure.metric =
			row->kind == WEIR_SCOPE_METRIC ? WEIR_METRIC_VALUE : WEIR_METRIC_P50;
	return figure;
}

/* Lists the runs of the store and the candidates, with the figure of each. */
static struct past gather(const struct filling *filling, const struct weir_row *row,
                          const struct weir_baseline *stored)
{
	const struct weir_gating_side *candidate = filling->candidate;
	const char *name = row->scope + strlen(weir_scope_word(row->kind));
	const char *renamed = row->renamed ? weir_arena_format(filling->result->arena, "%s/%s",
	                                                       row->stage, row->renamed)
	                                   : name;
	const struct weir_history_metric before = figure_of(row, name),
					 after = figure_of(row, renamed);
	size_t count = stored->count + candidate->count;
	struct past past = {.runs = weir_alloc((count + 1) * sizeof(*past.runs)),
	                    .values = weir_alloc((count + 1) * sizeof(*past.values)),
	                    .count = count,
	                    .recorded = stored->count};

	for (size_t i = 0; i < count; i++) {
		bool is_stored = i < stored->count;

		past.runs[i] = is_stored ? stored->runs[i] : *candidate->entries[i - stored->count];
		past.values[i] = weir_history_value(past.runs[i].run, is_stored ? &before : &after);
	}
	return past;
}

static void fill_points(const struct past *past, size_t first, struct weir_gate_result *result,
                        struct weir_drawn_history *history)
{
	history->point_count = past->count - first;
	history->points = weir_arena_alloc(result->arena,
	                                   (history->point_count + 1) * sizeof(*history->points));
	for (size_t i = first; i < past->count; i++) {
		const struct weir_baseline_run *run = &past->runs[i];
		bool candidate = i >= past->recorded;

		history->points[i - first] = (struct weir_drawn_point){
			.name = candidate ? keep(result, run->path, SIZE_MAX)
		                          : keep(result, run->id, SHORT_ID),
			.recorded = candidate ? NULL : keep(result, run->recorded, SIZE_MAX),
			.commit = keep(result, weir_history_commit(run->run), SIZE_MAX),
			.candidate = candidate,
			.value = past->values[i],
		};
	}
}

static const char *labels_at(const struct past *past, const size_t *cuts, size_t cut_count,
                             size_t at, struct weir_gate_result *result)
{
	const struct weir_baseline all = {.runs = past->runs, .count = past->count};
	struct weir_text text = {0};
	struct weir_changes changes;
	const char *labels;

	weir_changes_find(&changes, &all, cuts, cut_count, at);
	weir_changes_text(&changes, "", &text);
	weir_changes_release(&changes);
	labels = text.length ? weir_arena_copy(result->arena, text.data, text.length) : NULL;
	weir_text_release(&text);
	return labels;
}

/* Fills the change points behind the first drawn run. */
static void fill_steps(const struct past *past, size_t first, struct weir_gate_result *result,
                       struct weir_drawn_history *history)
{
	size_t cuts[WEIR_DRAWN_STEPS];
	size_t count = weir_history_cuts(past->values, past->count, cuts, WEIR_DRAWN_STEPS);

	history->steps = weir_arena_alloc(result->arena, (count + 1) * sizeof(*history->steps));
	for (size_t i = 0; i < count; i++) {
		if (cuts[i] <= first)
			continue;
		history->steps[history->step_count++] = (struct weir_drawn_step){
			.point = cuts[i] - first,
			.change = weir_history_step_at(past->values, past->count, cuts, count,
		                                       cuts[i]),
			.labels = labels_at(past, cuts, count, cuts[i], result),
		};
	}
}

static bool has_history(const struct past *past)
{
	size_t known = 0;

	for (size_t i = 0; i < past->recorded; i++)
		known += isnan(past->values[i]) ? 0 : 1;
	return known >= LEAST_RUNS;
}

static bool is_drawn(const struct weir_gate_result *result, const char *scope)
{
	for (size_t i = 0; i < result->pictures->history_count; i++)
		if (strcmp(result->rows[result->pictures->histories[i].row].scope, scope) == 0)
			return true;
	return false;
}

static enum weir_status add_row(const struct filling *filling, uint64_t index,
                                struct weir_error *err)
{
	struct weir_gate_result *result = filling->result;
	const struct weir_row *row = &result->rows[index];
	struct weir_drawn_history history = {.row = index};
	struct weir_store_query query = {.name = filling->request->name, .history = true};
	struct weir_baseline *stored;
	enum weir_status status;
	struct past past;

	if (row->kind == WEIR_SCOPE_ALL_OPERATORS || row->family || is_drawn(result, row->scope) ||
	    result->pictures->history_count == WEIR_DRAWN_HISTORIES)
		return WEIR_OK;
	query.table = table_of(row->kind);
	query.series = row->scope + strlen(weir_scope_word(row->kind));
	status = weir_store_load(filling->store, &query, &stored, err);
	if (status)
		return status;
	past = gather(filling, row, stored);
	if (has_history(&past)) {
		size_t first = past.count > WEIR_DRAWN_POINTS ? past.count - WEIR_DRAWN_POINTS : 0;

		history.older = first;
		fill_points(&past, first, result, &history);
		fill_steps(&past, first, result, &history);
		result->pictures->histories[result->pictures->history_count++] = history;
	}
	past_release(&past);
	weir_baseline_free(stored);
	return WEIR_OK;
}

enum weir_status weir_gate_history_fill(const struct weir_gate_request *request,
                                        struct weir_store *store,
                                        const struct weir_gating_side *candidate,
                                        struct weir_gate_result *result, struct weir_error *err)
{
	const struct filling filling = {request, store, candidate, result};
	enum weir_status status = WEIR_OK;

	result->pictures->histories = weir_arena_alloc(
		result->arena, (WEIR_DRAWN_HISTORIES + 1) * sizeof(*result->pictures->histories));
	for (size_t f = 0; !status && f < result->finding_count; f++)
		status = add_row(&filling, result->findings[f].rows[0], err);
	if (!status && result->finding_count == 0 && result->pictures->row_count > 0)
		status = add_row(&filling, result->pictures->rows[0].row, err);
	return status;
}
