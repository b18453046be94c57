/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/compare.h"
#include "engine/analysis/compare_impl.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

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
		margins[k] = policy->margin(policy->context, "all-operators",
		                            weir_compared_metric(&comparing->operators, k));
}

static enum weir_status test_operators(struct weir_comparing *comparing, struct weir_error *err)
{
	struct weir_gate_input in = input_of(comparing, &comparing->operators);
	double margins[WEIR_COMPARE_ROWS];

	for (size_t k = 0; k < WEIR_COMPARE_ROWS; k++)
		comparing->all[k] =
			(struct weir_gate_cell){.p = NAN, .p_adjusted = NAN, .change = NAN};
	if (comparing->operators.count == 0 || comparing->method == WEIR_METHOD_NONE)
		return WEIR_OK;
	if (comparing->method == WEIR_METHOD_OUTLIER) {
		weir_gate_outliers(&in, comparing->operators.cells);
		return WEIR_OK;
	}
	all_operators_margins(comparing, margins);
	in.margins = margins;
	return weir_gate_operators(&in, comparing->operators.cells, comparing->all, err);
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
	struct weir_gate_family stages = {{{comparing->all, WEIR_COMPARE_ROWS},
	                                   {s->cells, s->rows * s->count},
	                                   {d->cells, d->rows * d->count},
	                                   {m->cells, m->rows * m->count}},
	                                  4};

	weir_gate_adjust(&operators);
	weir_gate_adjust(&stages);
	weir_gate_decide(&operators, policy->alpha_operators);
	weir_gate_decide(&stages, policy->alpha_stages);
	weir_gate_power(&operators, policy->alpha_operators);
	weir_gate_power(&stages, policy->alpha_stages);
}

/* What the statistics found, held to what the ladder allows to be said with so few runs. */
static enum weir_outcome outcome_of(const struct weir_comparing *comparing,
                                    const struct weir_gate_cell *cell, enum weir_metric metric)
{
	bool few = comparing->method == WEIR_METHOD_SINGLE_RUN ||
	           comparing->method == WEIR_METHOD_OUTLIER || comparing->input->cap_at_suspect ||
	           (comparing->method == WEIR_METHOD_TWO_RUN && metric == WEIR_METRIC_P99);
	bool no_proof =
		comparing->method == WEIR_METHOD_OUTLIER || comparing->input->cap_at_suspect;

	if (!cell->tested)
		return WEIR_OUTCOME_INFORMATIONAL;
	if (cell->regression)
		return few ? WEIR_OUTCOME_SUSPECT : WEIR_OUTCOME_REGRESSION;
	if (cell->improvement)
		return few ? WEIR_OUTCOME_INCONCLUSIVE : WEIR_OUTCOME_IMPROVEMENT;
	if (cell->no_change && !no_proof)
		return WEIR_OUTCOME_NO_CHANGE;
	return WEIR_OUTCOME_INCONCLUSIVE;
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

static double mean_calls(const struct weir_comparing *comparing, const struct weir_compared *item,
                         size_t first, size_t end)
{
	double sum = 0;
	size_t runs = 0;

	for (size_t r = first; r < end; r++)
		if (item->calls[r] && item->calls[r]->count > 0) {
			sum += weir_median(item->calls[r]->value, item->calls[r]->count);
			runs++;
		}
	(void)comparing;
	return runs > 0 ? sum / (double)runs : NAN;
}

static const char *few_samples_note(struct weir_comparing *comparing,
                                    const struct weir_compared *item, enum weir_metric metric)
{
	uint64_t least = weir_compare_least_samples(metric);
	uint64_t have = item->baseline_samples < item->candidate_samples ? item->baseline_samples
	                                                                 : item->candidate_samples;

	if (have >= least)
		return NULL;
	return weir_arena_format(comparing->result->arena,
	                         "%llu samples a run, %llu needed to judge it",
	                         (unsigned long long)have, (unsigned long long)least);
}

static struct weir_row row_of(struct weir_comparing *comparing, const struct weir_compared_set *set,
                              size_t index, size_t k)
{
	const struct weir_compared *item = &set->items[index];
	const struct weir_gate_cell *cell = &set->cells[k * set->count + index];
	size_t split = comparing->input->baseline_count;
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
		.baseline_calls = mean_calls(comparing, item, 0, split),
		.candidate_calls = mean_calls(comparing, item, split, comparing->run_count),
	};

	fill_change(&row, cell, item->higher_is_better);
	row.outcome = outcome_of(comparing, cell, row.metric);
	if (item->kind != WEIR_SCOPE_METRIC)
		row.contributed_ns = row.candidate - row.baseline;
	if (row.outcome == WEIR_OUTCOME_INFORMATIONAL)
		row.note = few_samples_note(comparing, item, row.metric);
	return row;
}

/* A subject of one side only: one row that says so. */
static struct weir_row one_sided_row(struct weir_comparing *comparing,
                                     const struct weir_compared_set *set, size_t index)
{
	struct weir_row row = row_of(comparing, set, index, 0);
	bool missing = set->items[index].candidate_present == 0;
	const double *y = &set->y[index * comparing->run_count];
	size_t first = missing ? 0 : comparing->input->baseline_count;
	size_t end = missing ? comparing->input->baseline_count : comparing->run_count;
	double sum = 0, value;
	size_t runs = 0;

	for (size_t r = first; r < end; r++)
		if (!isnan(y[r])) {
			sum += y[r];
			runs++;
		}
	value = runs > 0 ? exp((set->items[index].higher_is_better ? -1 : 1) * sum / (double)runs)
	                 : NAN;
	row.outcome = missing ? WEIR_OUTCOME_MISSING : WEIR_OUTCOME_NEW;
	row.baseline = missing ? value : NAN;
	row.candidate = missing ? NAN : value;
	row.change = row.low = row.high = row.p = row.p_adjusted = row.mde = row.runs_needed = NAN;
	row.contributed_ns = set->rows == 1 ? NAN : missing ? -value : value;
	row.note = NULL;
	return row;
}

static void push_row(struct weir_comparing *comparing, const struct weir_row *row)
{
	const struct weir_compare_policy *policy = comparing->input->policy;
	struct weir_gate_result *result = comparing->result;

	if (policy->treatment(policy->context, row->scope, row->metric) != WEIR_TREAT_SKIP)
		result->rows[result->row_count++] = *row;
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
	for (size_t k = 0; k < WEIR_COMPARE_ROWS; k++) {
		const struct weir_gate_cell *cell = &comparing->all[k];
		struct weir_row row = {
			.kind = WEIR_SCOPE_ALL_OPERATORS,
			.scope = "all-operators",
			.name = "all-operators",
			.metric = weir_compared_metric(&comparing->operators, k),
			.margin = margins[k],
			.contributed_ns = NAN,
			.baseline_calls = NAN,
			.candidate_calls = NAN,
		};

		if (!cell->tested)
			continue;
		fill_change(&row, cell, false);
		row.baseline = row.candidate = NAN;
		row.outcome = outcome_of(comparing, cell, row.metric);
		if (row.outcome == WEIR_OUTCOME_REGRESSION || row.outcome == WEIR_OUTCOME_SUSPECT)
			row.note = "all operators moved together: look at the machine first";
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

enum weir_status weir_compare(const struct weir_compare_input *input,
                              struct weir_gate_result *result, struct weir_error *err)
{
	struct weir_comparing comparing;
	enum weir_status status;

	weir_comparing_init(&comparing, input, result);
	result->method = comparing.method;
	result->alpha_operators = input->policy->alpha_operators;
	result->alpha_stages = input->policy->alpha_stages;
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
