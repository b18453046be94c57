/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/history.h"
#include "engine/base/arena.h"
#include "engine/pipeline/doctor.h"
#include "engine/pipeline/gating.h"

#define FEWEST_CANDIDATES 3 /* runs on the candidate side, unless given */
#define FEWEST_RUNS       6 /* 3 against 3 is the smallest full test: docs/statistics.md */

/* The units that a draw exchanges: runs, or sessions of runs. */
struct units {
	size_t *unit; /* owned; [run] */
	size_t *size; /* owned; [unit]: number of runs */
	size_t count;
	bool sessions;
	size_t newest; /* unit of the newest run */
};

static void units_release(struct units *units)
{
	free(units->unit);
	free(units->size);
}

static const char *session_of(const struct weir_baseline *baseline, size_t run)
{
	return weir_run_label(baseline->runs[run].run, WEIR_RUN_SESSION);
}

/* Numbers the runs by session. Returns false if a run names none. */
static bool number_sessions(const struct weir_baseline *baseline, struct units *units)
{
	units->count = 0;
	for (size_t i = 0; i < baseline->count; i++) {
		const char *own = session_of(baseline, i);
		size_t other = 0;

		if (!own)
			return false;
		while (other < i && strcmp(session_of(baseline, other), own) != 0)
			other++;
		units->unit[i] = other < i ? units->unit[other] : units->count++;
	}
	return true;
}

static void units_init(struct units *units, const struct weir_baseline *baseline)
{
	*units = (struct units){0};
	units->unit = weir_alloc((baseline->count + 1) * sizeof(*units->unit));
	units->size = weir_alloc((baseline->count + 1) * sizeof(*units->size));
	units->sessions = number_sessions(baseline, units) && units->count > 1;
	for (size_t i = 0; !units->sessions && i < baseline->count; i++)
		units->unit[i] = i;
	if (!units->sessions)
		units->count = baseline->count;
	for (size_t i = 0; i < baseline->count; i++)
		units->size[units->unit[i]]++;
	units->newest = baseline->count > 0 ? units->unit[baseline->count - 1] : 0;
}

/* Sets the sizes of both sides. Returns false if there are too few runs for a full test. */
static bool choose_split(const struct units *units, const struct weir_doctor_sizes *sizes,
                         struct weir_doctor_trial *trial)
{
	size_t candidates = units->sessions ? units->size[units->newest] : FEWEST_CANDIDATES;

	if (sizes->candidate_runs > 0)
		candidates = sizes->candidate_runs;
	if (trial->runs < FEWEST_RUNS || candidates >= trial->runs)
		return false;
	trial->candidate_runs = candidates;
	trial->baseline_runs = trial->runs - candidates;
	if (sizes->baseline_runs > 0 && sizes->baseline_runs < trial->baseline_runs)
		trial->baseline_runs = sizes->baseline_runs;
	return true;
}

/* Adds the runs of units order[*at], ... until the side has `least` runs or no unit is left, and
 * advances *at. */
static void fill_side(const struct weir_baseline *baseline, const struct units *units,
                      const size_t *order, size_t *at, size_t least, struct weir_gating_side *side)
{
	*side = (struct weir_gating_side){0};
	side->runs = weir_alloc((baseline->count + 1) * sizeof(*side->runs));
	for (; side->count < least && *at < units->count; ++*at)
		for (size_t i = 0; i < baseline->count; i++)
			if (units->unit[i] == order[*at])
				side->runs[side->count++] = baseline->runs[i].run;
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

/* Keeps remarks about the configuration, which hold for each draw. */
static void keep_remarks(struct weir_doctor_trial *trial, const struct weir_gate_result *result)
{
	for (size_t i = 0; i < result->remark_count; i++)
		if (strncmp(result->remarks[i], WEIR_GATING_UNDECIDED,
		            strlen(WEIR_GATING_UNDECIDED)) != 0)
			weir_text_printf(&trial->faults, "%s\n", result->remarks[i]);
}

static void count_draw(struct weir_doctor_trial *trial, const struct weir_gate_result *result)
{
	if (result->counts.regressions > 0)
		trial->red++;
	else if (result->counts.suspect > 0)
		trial->suspect++;
	else if (result->verdict == WEIR_GATE_INCONCLUSIVE)
		trial->inconclusive++;
	note_effects(trial, result);
	if (trial->draws++ == 0)
		keep_remarks(trial, result);
}

/* A baseline whose units are drawn in a random order. */
struct drawing {
	const struct weir_baseline *baseline;
	const struct units *units;
	const size_t *order;
	size_t degree; /* most units that a draw used */
};

static enum weir_status draw_once(struct drawing *drawing, const struct weir_gate_terms *terms,
                                  struct weir_doctor_trial *trial, struct weir_error *err)
{
	struct weir_gate_result *result = weir_gate_result_new();
	struct weir_gating_side before, after;
	enum weir_status status = WEIR_OK;
	size_t at = 0;

	fill_side(drawing->baseline, drawing->units, drawing->order, &at, trial->candidate_runs,
	          &after);
	fill_side(drawing->baseline, drawing->units, drawing->order, &at, trial->baseline_runs,
	          &before);
	drawing->degree = at > drawing->degree ? at : drawing->degree;
	if (before.count > 0) {
		status = weir_gating_compare(result, terms, &before, &after, err);
		if (!status)
			count_draw(trial, result);
	}
	weir_gating_side_release(&before);
	weir_gating_side_release(&after);
	weir_gate_result_free(result);
	return status;
}

enum weir_status weir_doctor_try(const struct weir_baseline *baseline,
                                 const struct weir_policy *policy,
                                 const struct weir_doctor_sizes *sizes,
                                 struct weir_doctor_trial *out, struct weir_error *err)
{
	const struct weir_gate_terms terms = {.policy = policy};
	size_t *order = weir_alloc((baseline->count + 1) * sizeof(*order));
	size_t size = strlen(baseline->name) + 1;
	enum weir_status status = WEIR_OK;
	struct units units;
	struct drawing drawing = {baseline, &units, order, 0};

	units_init(&units, baseline);
	*out = (struct weir_doctor_trial){.runs = baseline->count};
	out->name = memcpy(weir_alloc(size), baseline->name, size);
	out->sessions = units.sessions ? units.count : 0;
	if (choose_split(&units, sizes, out))
		for (size_t i = 0; !status && i < WEIR_DOCTOR_DRAWS; i++) {
			weir_trial_draw(WEIR_DOCTOR_SEED, i, units.count, order);
			status = draw_once(&drawing, &terms, out, err);
		}
	out->independent = weir_trial_independent(units.count, drawing.degree, out->draws);
	weir_trial_interval(out->draws > 0 ? (double)out->red / (double)out->draws : NAN,
	                    out->independent, &out->low, &out->high);
	units_release(&units);
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
