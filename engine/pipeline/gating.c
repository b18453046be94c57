/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/store.h"
#include "engine/analysis/compare/compare.h"
#include "engine/analysis/compare/drift.h"
#include "engine/base/arena.h"
#include "engine/base/regions.h"
#include "engine/base/text.h"
#include "engine/pipeline/clock.h"
#include "engine/pipeline/exit.h"
#include "engine/pipeline/findings.h"
#include "engine/pipeline/gate_pictures.h"
#include "engine/pipeline/gating.h"
#include "engine/pipeline/next_steps.h"
#include "engine/pipeline/request_counts.h"
#include "engine/pipeline/run_checks.h"
#include "engine/pipeline/undo.h"

void weir_gating_side_init(struct weir_gating_side *side, const struct weir_baseline *baseline)
{
	bool contradicted = false;

	*side = (struct weir_gating_side){0};
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the caller passes an object */
	side->runs = weir_alloc((baseline->count + 1) * sizeof(*side->runs));
	side->entries = weir_alloc((baseline->count + 1) * sizeof(*side->entries));
	for (size_t i = 0; i < baseline->count; i++) {
		const struct weir_baseline_run *run = &baseline->runs[i];
		enum weir_bound bound;

		if (run->left_out)
			continue;
		side->entries[side->count] = run;
		side->runs[side->count++] = run->run;
		if (!run->bound || !weir_bound_parse(run->bound, &bound))
			continue;
		contradicted = contradicted || (side->has_bound && side->bound != bound);
		side->has_bound = true;
		side->bound = bound;
		side->cause = run->cause;
	}
	side->has_bound = side->has_bound && !contradicted;
}

void weir_gating_side_release(struct weir_gating_side *side)
{
	free(side->runs);
	free(side->entries);
	*side = (struct weir_gating_side){0};
}

static double margin_of(const void *context, const char *scope, enum weir_metric metric)
{
	return weir_policy_margin(context, scope, metric);
}

static enum weir_treatment treatment_of(const void *context, const char *scope,
                                        enum weir_metric metric)
{
	const struct weir_policy_rule *rule = weir_policy_rule_for(context, scope, metric);

	if (!rule)
		return WEIR_TREAT_JUDGE;
	switch (rule->severity) {
	case WEIR_SEVERITY_FAIL:
		return WEIR_TREAT_JUDGE;
	case WEIR_SEVERITY_WARN:
		return WEIR_TREAT_REPORT;
	case WEIR_SEVERITY_IGNORE:
		return WEIR_TREAT_SKIP;
	}
	return WEIR_TREAT_JUDGE;
}

struct weir_compare_policy weir_gating_policy(const struct weir_policy *policy)
{
	return (struct weir_compare_policy){
		.context = policy,
		.margin = margin_of,
		.treatment = treatment_of,
		.alpha_operators = policy->alpha_operators,
		.alpha_stages = policy->alpha_stages,
		.warmup = policy->warmup,
	};
}

/* Returns the number of rows that sessions leave undecided. */
static uint64_t count_undecided(const struct weir_gate_result *result)
{
	uint64_t count = 0;

	for (size_t i = 0; i < result->row_count; i++)
		count += result->rows[i].reason &&
		         result->rows[i].outcome == WEIR_OUTCOME_INCONCLUSIVE;
	return count;
}

/* Says why sessions leave rows undecided, and what to do. */
static void remark_sessions(struct weir_gate_result *result)
{
	const struct weir_gate_sessions *sessions = &result->sessions;
	uint64_t count = count_undecided(result);

	if (count == 0)
		return;
	if (result->verdict == WEIR_GATE_INCONCLUSIVE)
		result->reason = WEIR_REASON_SESSIONS;
	weir_gate_remark(
		result,
		WEIR_GATING_UNDECIDED
		"sessions (%llu of the baseline, %llu of the candidate) may differ as much "
		"as %llu row%s: interleave, or measure in another job",
		(unsigned long long)sessions->baseline, (unsigned long long)sessions->candidate,
		(unsigned long long)count, count == 1 ? "" : "s");
}

/* Returns true for the median of a stage or operator that takes no time on one side: no ratio tells
 * how much slower or faster it is. */
static bool is_from_or_to_zero(const struct weir_row *row)
{
	return row->outcome == WEIR_OUTCOME_INFORMATIONAL && row->kind != WEIR_SCOPE_METRIC &&
	       row->metric == WEIR_METRIC_P50 && row->baseline_samples > 0 &&
	       row->candidate_samples > 0 && isnan(row->baseline) != isnan(row->candidate);
}

/* Says which stage or operator has a time on one side alone, since its rows are not judged. */
static void remark_zeros(struct weir_gate_result *result)
{
	const struct weir_row *first = NULL;
	struct weir_text time = {0};
	size_t count = 0;

	for (size_t i = 0; i < result->row_count; i++) {
		if (!is_from_or_to_zero(&result->rows[i]))
			continue;
		first = first ? first : &result->rows[i];
		count++;
	}
	if (!first)
		return;
	weir_text_duration(&time, isnan(first->baseline) ? first->candidate : first->baseline);
	weir_gate_remark(result,
	                 "%s takes %s at p50 in the %s, and none in the %s, so that no ratio can "
	                 "be judged%s: compare %s times by hand",
	                 first->scope, time.data, isnan(first->baseline) ? "candidate" : "baseline",
	                 isnan(first->baseline) ? "baseline" : "candidate",
	                 count > 1 ? " (and others are like it)" : "", count > 1 ? "these" : "its");
	weir_text_release(&time);
}

#define NAMED_CARRIERS 4 /* runs that a row names */
#define SHORT_ID       12

/* Returns "slow drift since the 5 oldest runs (2026-01-05); carried by 3f0c..., 8a41... and 3
 * more", or "...; carried by the candidate". */
static const char *note_of_drift(struct weir_gate_result *result, const struct weir_drift *drift,
                                 const struct weir_drift_figure *figure,
                                 const struct weir_gating_side *baseline)
{
	struct weir_text text = {0};
	const char *note;
	size_t named = 0, stored = 0;

	weir_text_printf(&text, "slow drift since the %zu oldest runs (%.10s); carried by ",
	                 drift->anchor_runs, baseline->entries[0]->recorded);
	for (size_t i = 0; i < figure->carrier_count; i++) {
		if (figure->carriers[i] >= baseline->count)
			continue; /* a run of the candidate has no id yet */
		stored++;
		if (named < NAMED_CARRIERS)
			weir_text_printf(&text, "%s%.*s", named++ > 0 ? ", " : "", SHORT_ID,
			                 baseline->entries[figure->carriers[i]]->id);
	}
	if (stored > named)
		weir_text_printf(&text, " and %zu more", stored - named);
	if (stored < figure->carrier_count)
		weir_text_printf(&text, "%sthe candidate", stored > 0 ? ", and by " : "");
	note = weir_arena_copy(result->arena, text.data, text.length);
	weir_text_release(&text);
	return note;
}

static struct weir_row row_of_drift(struct weir_gate_result *result, const struct weir_drift *drift,
                                    const struct weir_drift_figure *figure,
                                    const struct weir_gating_side *baseline)
{
	const struct weir_drift_cell *cell = &figure->cell;
	double sign = figure->higher_is_better ? -1 : 1;
	const char *scope = weir_arena_copy(result->arena, figure->scope, strlen(figure->scope));
	struct weir_row row = {
		.kind = figure->kind,
		.scope = scope,
		.name = scope + strlen(weir_scope_word(figure->kind)),
		.metric = WEIR_METRIC_DRIFT,
		.baseline = exp(sign * cell->anchor),
		.candidate = exp(sign * cell->newest),
		.unit = figure->kind == WEIR_SCOPE_METRIC ? NULL : "ns",
		.change = expm1(sign * cell->change),
		.low = expm1(sign > 0 ? cell->low : -cell->high),
		.high = expm1(sign > 0 ? cell->high : -cell->low),
		.p = cell->p,
		.p_adjusted = cell->p_adjusted,
		.margin = figure->margin,
		.outcome = WEIR_OUTCOME_REGRESSION,
		.mde = NAN,
		.runs_needed = NAN,
		.baseline_samples = drift->anchor_runs,
		.candidate_samples = drift->newest_runs,
		.contributed_ns = NAN,
		.baseline_calls = NAN,
		.candidate_calls = NAN,
		.note = note_of_drift(result, drift, figure, baseline),
	};

	if (figure->kind != WEIR_SCOPE_METRIC) {
		row.stage = row.name;
		row.contributed_ns = row.candidate - row.baseline;
	}
	return row;
}

/* Returns true if the candidate alone made the scope slower, which is no slow drift. */
static bool is_slower(const struct weir_gate_result *result, const char *scope)
{
	for (size_t i = 0; i < result->row_count; i++)
		if ((result->rows[i].outcome == WEIR_OUTCOME_REGRESSION ||
		     result->rows[i].outcome == WEIR_OUTCOME_SUSPECT) &&
		    strcmp(result->rows[i].scope, scope) == 0)
			return true;
	return false;
}

/* Adds a row for each figure that drifted away from the oldest runs of a stored baseline. */
static void add_drift(struct weir_gate_result *result, const struct weir_compare_policy *policy,
                      const struct weir_gating_side *baseline,
                      const struct weir_gating_side *candidate)
{
	size_t all = baseline->count + candidate->count, count = result->row_count;
	const struct weir_run **runs;
	struct weir_drift drift;
	struct weir_row *rows;
	bool *pinned;

	if (!baseline->entries || baseline->count == 0 || !baseline->entries[0]->id)
		return;
	runs = weir_alloc((all + 1) * sizeof(*runs));
	pinned = weir_alloc((all + 1) * sizeof(*pinned));
	for (size_t i = 0; i < all; i++) {
		bool stored = i < baseline->count;

		runs[i] = stored ? baseline->runs[i] : candidate->runs[i - baseline->count];
		pinned[i] = stored && baseline->entries[i]->pinned;
	}
	weir_drift_find(runs, pinned, all, candidate->count, policy, &drift);
	rows = weir_arena_alloc(result->arena, (count + drift.count + 1) * sizeof(*rows));
	if (count > 0)
		memcpy(rows, result->rows, count * sizeof(*rows));
	for (size_t i = 0; i < drift.count; i++)
		if (drift.figures[i].cell.drifts && !is_slower(result, drift.figures[i].scope))
			rows[count++] = row_of_drift(result, &drift, &drift.figures[i], baseline);
	result->rows = rows;
	result->row_count = count;
	weir_drift_release(&drift);
	free(pinned);
	free(runs);
}

static const char *keep(struct weir_gate_result *result, const char *text)
{
	return text ? weir_arena_copy(result->arena, text, strlen(text)) : NULL;
}

static void fill_bounds(struct weir_gate_result *result, const struct weir_gating_side *baseline,
                        const struct weir_gating_side *candidate)
{
	result->has_baseline_bound = baseline->has_bound;
	result->baseline_bound = baseline->bound;
	result->baseline_cause = keep(result, baseline->cause);
	result->has_candidate_bound = candidate->has_bound;
	result->candidate_bound = candidate->bound;
	result->candidate_cause = keep(result, candidate->cause);
}

/* Compares and judges. Fills the pictures if `draws` is set. */
static enum weir_status compare_and_judge(struct weir_gate_result *result,
                                          const struct weir_gate_terms *terms,
                                          const struct weir_gating_side *baseline,
                                          const struct weir_gating_side *candidate, bool draws,
                                          struct weir_error *err)
{
	const struct weir_compare_policy policy = weir_gating_policy(terms->policy);
	struct weir_compare_input input = {
		.baseline = baseline->runs,
		.candidate = candidate->runs,
		.baseline_count = baseline->count,
		.candidate_count = candidate->count,
		.policy = &policy,
		.one_session = terms->one_session,
	};
	struct weir_comparing *comparing;
	enum weir_status status = weir_compare_keep(&input, result, &comparing, err);

	if (!status) {
		add_drift(result, &policy, baseline, candidate);
		weir_gate_judge(result, terms);
		remark_sessions(result);
		remark_zeros(result);
	}
	if (!status && draws)
		weir_gate_pictures_fill(result, comparing, baseline, candidate);
	weir_comparing_free(comparing);
	return status;
}

/* Compares two sides if their environments allow it. */
static enum weir_status compare_allowed(struct weir_gate_result *result,
                                        const struct weir_gate_terms *terms,
                                        const struct weir_gating_side *baseline,
                                        const struct weir_gating_side *candidate, bool draws,
                                        struct weir_error *err)
{
	bool same_environment;

	fill_bounds(result, baseline, candidate);
	result->alpha_operators = terms->policy->alpha_operators;
	result->alpha_stages = terms->policy->alpha_stages;
	same_environment =
		weir_gate_environment(result, terms->policy, baseline->runs, baseline->count,
	                              candidate->runs, candidate->count);
	if (!same_environment && !terms->never_fail) {
		weir_gate_stop(result, WEIR_GATE_ENVIRONMENT, WEIR_GATE_CODE_ENVIRONMENT);
		return WEIR_OK;
	}
	return compare_and_judge(result, terms, baseline, candidate, draws, err);
}

enum weir_status weir_gating_compare(struct weir_gate_result *result,
                                     const struct weir_gate_terms *terms,
                                     const struct weir_gating_side *baseline,
                                     const struct weir_gating_side *candidate,
                                     struct weir_error *err)
{
	return compare_allowed(result, terms, baseline, candidate, false, err);
}

/* ---- a whole gate ---- */

/* Measured runs of both sides. */
struct sides {
	struct weir_baseline *baseline; /* NULL: not loaded yet */
	struct weir_baseline *candidate;
	struct weir_store *store; /* that the baseline came from, for further questions; or NULL */
};

static enum weir_status measure_sides(const struct weir_gate_request *request, struct sides *sides,
                                      struct weir_error *err)
{
	const struct weir_run_list lists[] = {
		{request->baseline, request->baseline_count, sides->baseline},
		{request->candidate, request->candidate_count, sides->candidate},
	};

	if (request->name)
		return weir_measure_runs(&request->measuring, &lists[1], 1, err);
	return weir_measure_runs(&request->measuring, lists, 2, err);
}

static void fill_recorded(struct weir_gate_result *result, const struct weir_baseline *baseline)
{
	const char *first = NULL, *last = NULL;

	for (size_t i = 0; i < baseline->count; i++) {
		const char *recorded = baseline->runs[i].recorded;

		first = !first || strcmp(recorded, first) < 0 ? recorded : first;
		last = !last || strcmp(recorded, last) > 0 ? recorded : last;
	}
	result->recorded_first = keep(result, first);
	result->recorded_last = keep(result, last);
}

/* Records the candidate as the new baseline. */
static enum weir_status bootstrap(const struct weir_gate_request *request,
                                  struct weir_baseline *candidate, struct weir_gate_result *result,
                                  struct weir_error *err)
{
	struct weir_store_counts counts;
	struct weir_store *store;
	enum weir_status status = weir_store_open(request->db, WEIR_STORE_WRITE, &store, err);

	if (status)
		return status;
	candidate->name = weir_baseline_text(candidate, request->name);
	status = weir_store_record(store, candidate, &counts, err);
	weir_store_free(store);
	if (status)
		return status;
	weir_gate_stop(result, WEIR_GATE_NO_BASELINE, WEIR_GATE_CODE_NO_BASELINE);
	result->exit_code = WEIR_EXIT_PASS;
	weir_gate_remark(result,
	                 counts.added + counts.known == 1 ? "%zu run was recorded as %s"
	                                                  : "%zu runs were recorded as %s",
	                 counts.added + counts.known, request->name);
	return WEIR_OK;
}

static enum weir_status load_baseline(const struct weir_gate_request *request, struct sides *sides,
                                      struct weir_gate_result *result, struct weir_error *err)
{
	const struct weir_store_query query = {.name = request->name};
	struct weir_region region = weir_region_enter("baseline", request->name);
	enum weir_status status = weir_store_open(request->db, WEIR_STORE_READ, &sides->store, err);

	if (status)
		sides->store = NULL;
	else
		status = weir_store_load(sides->store, &query, &sides->baseline, err);
	weir_region_leave(&region, "runs", status ? 0 : sides->baseline->count);
	if (status)
		sides->baseline = NULL;
	else
		fill_recorded(result, sides->baseline);
	return status;
}

/* Records the candidate if the request asks for it. Else the verdict is that there is no baseline;
 * err holds the message of the store, which names similar baselines. */
static enum weir_status go_without_baseline(const struct weir_gate_request *request,
                                            struct sides *sides, struct weir_gate_result *result,
                                            struct weir_error *err)
{
	if (!request->bootstrap) {
		weir_gate_stop(result, WEIR_GATE_NO_BASELINE, WEIR_GATE_CODE_NO_BASELINE);
		weir_gate_remark(result, "%s", err->message);
	}
	*err = (struct weir_error){0};
	if (!request->bootstrap)
		return WEIR_OK;
	weir_store_free(sides->store); /* bootstrap() opens it to write */
	sides->store = NULL;
	return bootstrap(request, sides->candidate, result, err);
}

static enum weir_status compare_sides(const struct weir_gate_request *request,
                                      const struct sides *sides, struct weir_gate_result *result,
                                      struct weir_error *err)
{
	struct weir_region region = weir_region_enter("compare", NULL);
	struct weir_gating_side baseline, candidate;
	enum weir_status status;

	status = weir_run_checks_distinct(sides->baseline, sides->candidate, request->name, err);
	if (status)
		return status;
	weir_run_checks_complete(sides->baseline, sides->candidate, result);
	weir_remark_request_counts(sides->baseline, sides->candidate, result);
	weir_gating_side_init(&baseline, sides->baseline);
	weir_gating_side_init(&candidate, sides->candidate);
	status = compare_allowed(result, &request->terms, &baseline, &candidate, true, err);
	if (!status && request->name && result->pictures)
		status = weir_gate_history_fill(request, sides->store, &candidate, result, err);
	if (!status && result->row_count)
		weir_region_leave(&region, "rows", result->row_count);
	weir_gating_side_release(&baseline);
	weir_gating_side_release(&candidate);
	return status;
}

enum weir_status weir_gate_runs(const struct weir_gate_request *request,
                                struct weir_gate_result *result, struct weir_error *err)
{
	struct sides sides = {.candidate = weir_baseline_new("")};
	enum weir_status status;

	if (request->name)
		result->baseline_name = keep(result, request->name);
	else
		sides.baseline = weir_baseline_new("");
	status = measure_sides(request, &sides, err);
	result->candidate.runs = sides.candidate->count;
	if (status)
		goto out;
	if (request->name)
		status = load_baseline(request, &sides, result, err);
	if (status == WEIR_E_NO_BASELINE)
		status = go_without_baseline(request, &sides, result, err);
	else if (!status)
		status = compare_sides(request, &sides, result, err);
	if (!status)
		weir_name_undoing_fixes(request, result);
	if (!status)
		weir_word_findings(result);
	if (!status)
		weir_next_steps(request, sides.store, sides.candidate, sides.baseline, result);
out:
	weir_store_free(sides.store);
	weir_baseline_free(sides.baseline);
	weir_baseline_free(sides.candidate);
	return status;
}

enum weir_status weir_policy_today(const char *path, struct weir_policy **out,
                                   struct weir_error *err)
{
	enum weir_status status = weir_policy_load(path, out, err);
	char today[WEIR_CLOCK_SIZE];

	if (status)
		return status;
	weir_clock_today(today);
	weir_policy_set_today(*out, today);
	return WEIR_OK;
}
