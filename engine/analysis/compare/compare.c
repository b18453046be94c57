/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/compare/compare.h"
#include "engine/analysis/compare/compare_impl.h"
#include "engine/base/arena.h"
#include "engine/stats/outlier.h"

#define ALL_OPERATORS "all-operators"

static struct weir_gate_input input_of(const struct weir_comparing *comparing,
                                       const struct weir_compared_set *set)
{
	return (struct weir_gate_input){
		.rows = set->rows,
		.subjects = set->count,
		.baseline_runs = comparing->input->baseline_count,
		.candidate_runs = comparing->input->candidate_count,
		.y = set->y,
		.tick = set->rows == 1 ? NULL : set->ticks,
		.tested = set->tested,
		.margins = set->margins, /* by row; subject_margins are what counts */
		.subject_margins = set->margins,
		.session_safe = comparing->input->session_safe,
		.within_error = set->within,
	};
}

/* The common mode is judged by the general margin of its row: no rule names a single operator
 * there. */
static void all_operators_margins(const struct weir_comparing *comparing,
                                  double margins[WEIR_COMPARE_ROWS])
{
	const struct weir_compare_policy *policy = comparing->input->policy;

	for (size_t k = 0; k < WEIR_COMPARE_ROWS; k++)
		margins[k] = policy->margin(policy->context, ALL_OPERATORS,
		                            weir_compared_metric(&comparing->operators, k));
}

/* The common mode of a row stands for its operators: it is judged where enough of them are. */
static void choose_all_operators(struct weir_comparing *comparing)
{
	const struct weir_compare_policy *policy = comparing->input->policy;
	const struct weir_compared_set *set = &comparing->operators;

	for (size_t k = 0; k < WEIR_COMPARE_ROWS; k++) {
		size_t tested = 0;

		for (size_t i = 0; i < set->count; i++)
			tested += set->tested[k * set->count + i];
		comparing->few_operators[k] = tested < WEIR_GATE_LEAST_OPERATORS;
		if (comparing->few_operators[k] ||
		    policy->treatment(policy->context, ALL_OPERATORS,
		                      weir_compared_metric(set, k)) != WEIR_TREAT_JUDGE)
			comparing->all[k].tested = false;
	}
}

static enum weir_status test_operators(struct weir_comparing *comparing, struct weir_error *err)
{
	struct weir_gate_input in = input_of(comparing, &comparing->operators);
	double margins[WEIR_COMPARE_ROWS];
	enum weir_status status;

	if (comparing->operators.count == 0)
		return WEIR_OK;
	if (comparing->method == WEIR_METHOD_OUTLIER) {
		weir_gate_outliers(&in, comparing->operators.cells);
		return WEIR_OK;
	}
	all_operators_margins(comparing, margins);
	in.margins = margins;
	status = weir_gate_operators(&in, comparing->operators.cells, comparing->all, err);
	comparing->all_rows = WEIR_COMPARE_ROWS;
	choose_all_operators(comparing);
	return status;
}

static void test_set(struct weir_comparing *comparing, struct weir_compared_set *set)
{
	struct weir_gate_input in = input_of(comparing, set);

	if (set->count > 0)
		weir_gate_stages(&in, set->cells);
}

static void decide(struct weir_comparing *comparing)
{
	const struct weir_compare_policy *policy = comparing->input->policy;
	struct weir_compared_set *o = &comparing->operators, *s = &comparing->stages,
				 *d = &comparing->devices, *m = &comparing->metrics;
	struct weir_gate_family operators = {{{o->cells, o->rows * o->count}}, 1};
	struct weir_gate_family stages = {{{comparing->all, comparing->all_rows},
	                                   {s->cells, s->rows * s->count},
	                                   {d->cells, d->rows * d->count},
	                                   {m->cells, m->rows * m->count}},
	                                  4};

	weir_gate_adjust(&operators);
	weir_gate_adjust(&stages);
	weir_gate_decide(&operators, comparing->result->alpha_operators);
	weir_gate_decide(&stages, policy->alpha_stages);
	weir_gate_power(&operators, comparing->result->alpha_operators);
	weir_gate_power(&stages, policy->alpha_stages);
}

/* What the statistics found, held to what the ladder allows to be said with so few runs. */
static enum weir_outcome outcome_of(const struct weir_comparing *comparing,
                                    const struct weir_gate_cell *cell, enum weir_metric metric,
                                    enum weir_method method)
{
	bool unproven = method == WEIR_METHOD_OUTLIER || comparing->input->cap_at_suspect;
	bool few = unproven || method == WEIR_METHOD_SINGLE_RUN ||
	           (method == WEIR_METHOD_TWO_RUN && metric == WEIR_METRIC_P99);

	if (!cell->tested)
		return WEIR_OUTCOME_INFORMATIONAL;
	if (cell->regression)
		return few ? WEIR_OUTCOME_SUSPECT : WEIR_OUTCOME_REGRESSION;
	if (cell->improvement)
		return few ? WEIR_OUTCOME_INCONCLUSIVE : WEIR_OUTCOME_IMPROVEMENT;
	return cell->no_change && !unproven ? WEIR_OUTCOME_NO_CHANGE : WEIR_OUTCOME_INCONCLUSIVE;
}

/* Logs to relative changes; a figure where higher is better was tested with its sign turned. */
static void fill_change(struct weir_row *row, const struct weir_gate_cell *cell,
                        bool higher_is_better)
{
	double sign = higher_is_better ? -1 : 1;

	row->baseline = exp(sign * cell->baseline);
	row->candidate = exp(sign * cell->candidate);
	row->change = expm1(sign * cell->change);
	row->low = expm1(higher_is_better ? -cell->high : cell->low);
	row->high = expm1(higher_is_better ? -cell->low : cell->high);
	row->p = cell->p;
	row->p_adjusted = cell->p_adjusted;
	row->mde = expm1(cell->mde);
	row->runs_needed = cell->runs_needed;
}

static struct weir_row row_of(struct weir_comparing *comparing, const struct weir_compared_set *set,
                              size_t index, size_t k)
{
	const struct weir_compared *item = &set->items[index];
	const struct weir_gate_cell *cell = &set->cells[k * set->count + index];
	struct weir_row row = {
		.kind = item->kind,
		.scope = item->scope,
		.stage = item->stage,
		.name = item->name,
		.metric = weir_compared_metric(set, k),
		.unit = item->kind == WEIR_SCOPE_METRIC ? item->unit : "ns",
		.margin = set->margins[k * set->count + index],
		.baseline_samples = item->baseline_samples,
		.candidate_samples = item->candidate_samples,
		.contributed_ns = NAN,
		.baseline_calls = item->baseline_calls,
		.candidate_calls = item->candidate_calls,
	};

	fill_change(&row, cell, item->higher_is_better);
	row.outcome = outcome_of(comparing, cell, row.metric, item->method);
	if (weir_compared_is_tail_of_one(item, row.metric) && row.outcome != WEIR_OUTCOME_SUSPECT)
		row.outcome = WEIR_OUTCOME_INFORMATIONAL; /* no proof of either */
	if (row.metric == WEIR_METRIC_P50)
		row.contributed_ns = item->candidate_ns - item->baseline_ns;
	else if (item->kind != WEIR_SCOPE_METRIC)
		row.contributed_ns = row.candidate - row.baseline;
	if (row.outcome == WEIR_OUTCOME_INFORMATIONAL) {
		row.note = cell->tested
		                   ? "a tail in one run is only suspected, from three margins on"
		                   : set->notes[k * set->count + index];
		row.mde = row.runs_needed = NAN; /* nothing is judged, so nothing would be seen */
	}
	return row;
}

/* A subject of one side only: one row that says so. */
static struct weir_row one_sided_row(struct weir_comparing *comparing,
                                     const struct weir_compared_set *set, size_t index)
{
	const struct weir_compared *item = &set->items[index];
	struct weir_row row = row_of(comparing, set, index, 0);
	bool missing = item->candidate_present == 0;

	row.outcome = missing ? WEIR_OUTCOME_MISSING : WEIR_OUTCOME_NEW;
	row.change = row.low = row.high = row.p = row.p_adjusted = row.mde = row.runs_needed = NAN;
	row.contributed_ns = missing ? -item->baseline_ns : item->candidate_ns;
	row.note = NULL;
	return row;
}

static void push_row(struct weir_comparing *comparing, const struct weir_row *row)
{
	comparing->result->rows[comparing->result->row_count++] = *row;
}

static void push_set(struct weir_comparing *comparing, const struct weir_compared_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct weir_row row;

		if (set->items[i].candidate_present == 0 || set->items[i].baseline_present == 0) {
			row = one_sided_row(comparing, set, i);
			push_row(comparing, &row);
			continue;
		}
		for (size_t k = 0; k < set->rows; k++) {
			row = row_of(comparing, set, i, k);
			push_row(comparing, &row);
		}
	}
}

static void push_all_operators(struct weir_comparing *comparing)
{
	double margins[WEIR_COMPARE_ROWS];

	all_operators_margins(comparing, margins);
	for (size_t k = 0; k < comparing->all_rows; k++) {
		const struct weir_gate_cell *cell = &comparing->all[k];
		struct weir_row row = {
			.kind = WEIR_SCOPE_ALL_OPERATORS,
			.scope = ALL_OPERATORS,
			.name = ALL_OPERATORS,
			.metric = weir_compared_metric(&comparing->operators, k),
			.margin = margins[k],
			.contributed_ns = NAN,
			.baseline_calls = NAN,
			.candidate_calls = NAN,
		};

		if (isnan(cell->p))
			continue;
		fill_change(&row, cell, false);
		row.baseline = row.candidate = NAN;
		row.outcome = outcome_of(comparing, cell, row.metric, comparing->method);
		if (row.outcome == WEIR_OUTCOME_REGRESSION || row.outcome == WEIR_OUTCOME_SUSPECT)
			row.note = "all operators moved together: look at the machine first";
		if (comparing->few_operators[k])
			row.note = "too few operators with samples enough to judge it";
		push_row(comparing, &row);
	}
}

static void push_rows(struct weir_comparing *comparing)
{
	const struct weir_compared_set *sets[] = {&comparing->stages, &comparing->devices,
	                                          &comparing->operators, &comparing->metrics};
	size_t most = WEIR_COMPARE_ROWS;

	for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
		most += sets[s]->count * sets[s]->rows;
	comparing->result->rows =
		weir_arena_alloc(comparing->result->arena, most * sizeof *comparing->result->rows);
	for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
		push_set(comparing, sets[s]);
	push_all_operators(comparing);
}

/* The ladder of docs/statistics.md, as far as it goes without other operators to compare with. */
static enum weir_method method_of_runs(size_t baseline, size_t candidate)
{
	if (baseline >= WEIR_GATE_LEAST_BASELINE && candidate >= 3 &&
	    baseline + candidate >= 2 + WEIR_GATE_LEAST_DF)
		return WEIR_METHOD_FULL;
	if (candidate == 2 && baseline >= 4)
		return WEIR_METHOD_TWO_RUN;
	if (candidate == 1 && baseline >= 5)
		return WEIR_METHOD_SINGLE_RUN;
	return WEIR_METHOD_NONE;
}

static void choose_method(struct weir_comparing *comparing)
{
	const struct weir_compared_set *operators = &comparing->operators;
	size_t shared = 0;

	for (size_t i = 0; i < operators->count; i++)
		shared += operators->items[i].baseline_present > 0 &&
		          operators->items[i].candidate_present > 0;
	comparing->method =
		method_of_runs(comparing->input->baseline_count, comparing->input->candidate_count);
	if (comparing->method == WEIR_METHOD_NONE && shared >= WEIR_GATE_LEAST_OPERATORS)
		comparing->method = WEIR_METHOD_OUTLIER;
}

/* A subject that some runs lack is judged as those runs allow that have it. */
static void choose_methods(struct weir_comparing *comparing, struct weir_compared_set *set)
{
	for (size_t i = 0; i < set->count; i++) {
		struct weir_compared *item = &set->items[i];

		item->method = method_of_runs(item->baseline_present, item->candidate_present);
		if (comparing->method == WEIR_METHOD_OUTLIER && item->kind == WEIR_SCOPE_OPERATOR)
			item->method = WEIR_METHOD_OUTLIER;
	}
}

enum weir_status weir_comparing_init(struct weir_comparing *comparing,
                                     const struct weir_compare_input *input,
                                     struct weir_gate_result *result, struct weir_error *err)
{
	/* Stages first: they tell where the name of an operator begins. */
	struct weir_compared_set *sets[] = {&comparing->stages, &comparing->devices,
	                                    &comparing->operators, &comparing->metrics};
	static const enum weir_scope_kind kinds[] = {WEIR_SCOPE_STAGE, WEIR_SCOPE_DEVICE,
	                                             WEIR_SCOPE_OPERATOR, WEIR_SCOPE_METRIC};
	enum weir_status status = WEIR_OK;

	*comparing = (struct weir_comparing){.input = input, .result = result};
	comparing->run_count = input->baseline_count + input->candidate_count;
	comparing->runs = weir_alloc(comparing->run_count * sizeof(const struct weir_run *));
	for (size_t r = 0; r < comparing->run_count; r++)
		comparing->runs[r] = r < input->baseline_count
		                             ? input->baseline[r]
		                             : input->candidate[r - input->baseline_count];
	for (size_t s = 0; !status && s < sizeof sets / sizeof *sets; s++)
		status = weir_compare_pair(comparing, sets[s], kinds[s], err);
	if (status)
		return status;
	choose_method(comparing);
	for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
		choose_methods(comparing, sets[s]);
		weir_compare_reduce(comparing, sets[s]);
	}
	return WEIR_OK;
}

static void release_set(struct weir_compared_set *set)
{
	for (size_t i = 0; i < set->count; i++)
		free(set->items[i].series);
	free(set->items);
	free(set->y);
	free(set->ticks);
	free(set->tested);
	free(set->notes);
	free(set->margins);
	free(set->within);
	free(set->cells);
}

void weir_comparing_release(struct weir_comparing *comparing)
{
	release_set(&comparing->stages);
	release_set(&comparing->devices);
	release_set(&comparing->operators);
	release_set(&comparing->metrics);
	free(comparing->runs);
}

enum weir_status weir_compare(const struct weir_compare_input *input,
                              struct weir_gate_result *result, struct weir_error *err)
{
	struct weir_comparing comparing;
	enum weir_status status = weir_comparing_init(&comparing, input, result, err);

	result->method = comparing.method;
	result->alpha_operators = comparing.method == WEIR_METHOD_OUTLIER
	                                  ? WEIR_OUTLIER_ALPHA
	                                  : input->policy->alpha_operators;
	result->alpha_stages = input->policy->alpha_stages;
	if (!status)
		status = test_operators(&comparing, err);
	if (!status) {
		test_set(&comparing, &comparing.stages);
		test_set(&comparing, &comparing.devices);
		test_set(&comparing, &comparing.metrics);
		decide(&comparing);
		push_rows(&comparing);
		weir_compare_shifts(&comparing);
	}
	weir_comparing_release(&comparing);
	return status;
}
