/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/history.h"
#include "engine/base/arena.h"
#include "engine/pipeline/doctor.h"
#include "engine/pipeline/gating.h"

#define MOST_BASELINE  5 /* runs on the baseline side of a draw, at most */
#define MOST_CANDIDATE 3 /* runs on the candidate side */
#define FEWEST_RUNS    6 /* 3 against 3 is the smallest full test: docs/statistics.md */

/* Sets the sizes of both sides. Returns false if there are too few runs for a full test. */
static bool choose_split(size_t runs, struct weir_doctor_trial *trial)
{
	if (runs < FEWEST_RUNS)
		return false;
	trial->candidate_runs = MOST_CANDIDATE;
	trial->baseline_runs =
		runs - MOST_CANDIDATE < MOST_BASELINE ? runs - MOST_CANDIDATE : MOST_BASELINE;
	return true;
}

static void side_of_draw(const struct weir_baseline *baseline, const size_t *order, size_t count,
                         struct weir_gating_side *side)
{
	*side = (struct weir_gating_side){.count = count};
	side->runs = weir_alloc((count + 1) * sizeof(*side->runs));
	for (size_t i = 0; i < count; i++)
		side->runs[i] = baseline->runs[order[i]].run;
}

static struct weir_doctor_effect *effect_of(struct weir_doctor_trial *trial,
                                            const struct weir_row *row)
{
	const char *metric = weir_metric_name(row->metric);
	struct weir_doctor_effect *effect;
	size_t size = strlen(row->scope) + 1;

	for (size_t i = 0; i < trial->effect_count; i++)
		if (strcmp(trial->effects[i].scope, row->scope) == 0 &&
		    trial->effects[i].metric == metric)
			return &trial->effects[i];
	trial->effects =
		weir_realloc(trial->effects, (trial->effect_count + 1) * sizeof(*trial->effects));
	effect = &trial->effects[trial->effect_count++];
	*effect = (struct weir_doctor_effect){.scope = memcpy(weir_alloc(size), row->scope, size),
	                                      .metric = metric,
	                                      .effect = NAN,
	                                      .margin = row->margin,
	                                      .stage = row->kind == WEIR_SCOPE_STAGE};
	return effect;
}

/* Keeps the largest minimum detectable effect of each row over all draws. */
static void note_effects(struct weir_doctor_trial *trial, const struct weir_gate_result *result)
{
	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];
		struct weir_doctor_effect *effect;

		if (row->kind == WEIR_SCOPE_OPERATOR || row->kind == WEIR_SCOPE_ALL_OPERATORS ||
		    isnan(row->mde))
			continue;
		effect = effect_of(trial, row);
		effect->effect = isnan(effect->effect) ? row->mde : fmax(effect->effect, row->mde);
		effect->sum += row->mde;
		effect->draws++;
	}
}

bool weir_doctor_is_noisy(const struct weir_doctor_effect *effect)
{
	return effect->stage && effect->draws > 0 &&
	       effect->sum > WEIR_DOCTOR_NOISY * effect->margin * (double)effect->draws;
}

static void keep_remarks(struct weir_doctor_trial *trial, const struct weir_gate_result *result)
{
	for (size_t i = 0; i < result->remark_count; i++)
		weir_text_printf(&trial->faults, "%s\n", result->remarks[i]);
}

static enum weir_status draw_once(const struct weir_baseline *baseline, const size_t *order,
                                  const struct weir_gate_terms *terms,
                                  struct weir_doctor_trial *trial, struct weir_error *err)
{
	struct weir_gate_result *result = weir_gate_result_new();
	struct weir_gating_side before, after;
	enum weir_status status;

	side_of_draw(baseline, order, trial->baseline_runs, &before);
	side_of_draw(baseline, order + trial->baseline_runs, trial->candidate_runs, &after);
	status = weir_gating_compare(result, terms, &before, &after, err);
	if (!status) {
		trial->red += result->counts.regressions > 0;
		note_effects(trial, result);
		if (trial->draws++ == 0)
			keep_remarks(trial, result);
	}
	weir_gating_side_release(&before);
	weir_gating_side_release(&after);
	weir_gate_result_free(result);
	return status;
}

enum weir_status weir_doctor_try(const struct weir_baseline *baseline,
                                 const struct weir_policy *policy, struct weir_doctor_trial *out,
                                 struct weir_error *err)
{
	const struct weir_gate_terms terms = {.policy = policy};
	size_t *order = weir_alloc((baseline->count + 1) * sizeof(*order));
	size_t size = strlen(baseline->name) + 1;
	enum weir_status status = WEIR_OK;

	*out = (struct weir_doctor_trial){.runs = baseline->count, .low = NAN, .high = NAN};
	out->name = memcpy(weir_alloc(size), baseline->name, size);
	if (choose_split(baseline->count, out))
		for (size_t i = 0; !status && i < WEIR_DOCTOR_DRAWS; i++) {
			weir_trial_draw(WEIR_DOCTOR_SEED, i, baseline->count, order);
			status = draw_once(baseline, order, &terms, out, err);
		}
	weir_trial_interval(out->red, out->draws, &out->low, &out->high);
	free(order);
	return status;
}

void weir_doctor_trial_release(struct weir_doctor_trial *trial)
{
	for (size_t i = 0; i < trial->effect_count; i++)
		free(trial->effects[i].scope);
	free(trial->effects);
	free(trial->name);
	weir_text_release(&trial->faults);
	*trial = (struct weir_doctor_trial){0};
}
