/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/compare.h"
#include "engine/analysis/compare/compared.h"
#include "engine/analysis/compare/sessions.h"
#include "engine/analysis/compare/single_run.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/stats/outlier.h"

#define ALL_OPERATORS "all-operators"
/* Growth and shrinkage are balanced if the smaller is at least this share of the larger. */
#define SHIFT_BALANCE      0.8
#define SHIFT_NAMED        3    /* operators named in a note */
#define MAX_CONTRIBUTIONS  20   /* per stage */
#define LEAST_CONTRIBUTION 0.01 /* of the largest of the stage */

/* Number of tests that each row of a subject counts for; their inverses add up to 1. See
 * weir_gate_adjust(). */
static const double counts_as[WEIR_COMPARE_ROWS] = {10, 10, 10, 10, 5.0 / 3};

static struct weir_gate_input input_of(const struct weir_comparing *comparing,
                                       const struct weir_compared_set *set)
{
	return (struct weir_gate_input){
		.rows = set->rows,
		.subjects = set->count,
		.baseline_runs = comparing->baseline_columns,
		.candidate_runs = comparing->columns - comparing->baseline_columns,
		.y = set->y,
		.tick = set->rows == 1 ? NULL : set->ticks,
		.tested = set->tested,
		.margins = set->margins, /* unused: subject_margins overrides it */
		.subject_margins = set->margins,
		.blocks = comparing->result->sessions.design == WEIR_SESSIONS_BLOCKS
	                          ? &comparing->sessions
	                          : NULL,
		.errors = set->errors,
		.pooled = set->rows > 1, /* per-run figures have nothing in common */
		.within_error = set->within,
		.tail = set->tail,
		.tail_floor = set->tail_floor,
		.counts_as = set->rows == 1 || comparing->method == WEIR_METHOD_OUTLIER ? NULL
	                                                                                : counts_as,
	};
}

/* Finds the margins of the common mode. The general margin of each row applies, as rules name
 * single operators. */
static void all_operators_margins(const struct weir_comparing *comparing,
                                  double margins[WEIR_COMPARE_ROWS])
{
	const struct weir_compare_policy *policy = comparing->input->policy;

	for (size_t k = 0; k < WEIR_COMPARE_ROWS; k++)
		margins[k] = policy->margin(policy->context, ALL_OPERATORS,
		                            weir_compared_metric(&comparing->operators, k));
}

/* Excludes rows of the common mode that have too few tested operators or are not to be judged. */
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
	weir_single_run_limit(comparing);
}

/* Returns the outcome of a row: the result of the test, limited to what the number of runs allows
 * (the ladder of docs/statistics.md). */
static enum weir_outcome outcome_of(const struct weir_gate_cell *cell, enum weir_metric metric,
                                    enum weir_method method)
{
	bool unproven = method == WEIR_METHOD_OUTLIER;
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

static bool is_decided(enum weir_outcome outcome)
{
	return outcome != WEIR_OUTCOME_INCONCLUSIVE && outcome != WEIR_OUTCOME_INFORMATIONAL;
}

/*
 * Sets outcome and reason of a row. A row that the runs alone would decide is undecided if sessions
 * may differ by as much, or if each side is one session. by_run: the cell as if runs were
 * independent; NULL: sessions do not matter. Operators that are compared with each other in one run
 * do not depend on sessions.
 */
static void judge_row(const struct weir_comparing *comparing, struct weir_row *row,
                      const struct weir_gate_cell *cell, const struct weir_gate_cell *by_run,
                      enum weir_method method)
{
	bool confounded = comparing->result->sessions.design == WEIR_SESSIONS_CONFOUNDED;
	enum weir_outcome alone;

	row->outcome = outcome_of(cell, row->metric, method);
	if (!by_run || method == WEIR_METHOD_OUTLIER)
		return;
	alone = outcome_of(by_run, row->metric, method);
	if (confounded && is_decided(row->outcome))
		row->outcome = WEIR_OUTCOME_INCONCLUSIVE;
	if ((confounded || is_decided(alone)) && cell->tested && !is_decided(row->outcome)) {
		row->outcome = WEIR_OUTCOME_INCONCLUSIVE;
		row->reason = WEIR_REASON_SESSIONS;
	}
	row->runs_needed = NAN; /* sessions are needed, not runs */
}

/* Converts logarithms to relative changes; the sign was reversed for figures that are better when
 * higher. */
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

/* Returns the slowest over the fastest run, or session, of the baseline, minus 1; NAN: fewer than
 * two of them. */
static double spread_of(const struct weir_comparing *comparing, const struct weir_compared_set *set,
                        size_t index, size_t k)
{
	const double *y = &set->y[(k * set->count + index) * comparing->columns];
	double low = INFINITY, high = -INFINITY;
	size_t runs = 0;

	for (size_t r = 0; r < comparing->baseline_columns; r++) {
		if (isnan(y[r]))
			continue;
		low = fmin(low, y[r]);
		high = fmax(high, y[r]);
		runs++;
	}
	return runs > 1 ? expm1(high - low) : NAN;
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
		.spread = spread_of(comparing, set, index, k),
		.renamed = item->renamed,
		.family = item->family,
	};

	fill_change(&row, cell, item->higher_is_better);
	if (row.mde < row.margin)
		row.mde = row.margin; /* the same, but for the rounding of logarithms */
	judge_row(comparing, &row, cell, set->by_run ? &set->by_run[k * set->count + index] : NULL,
	          item->method);
	if (row.outcome == WEIR_OUTCOME_IMPROVEMENT) {
		row.p = cell->p_faster;
		row.p_adjusted = cell->p_faster_adjusted;
	}
	/* Neither improvement nor unchanged is proven. */
	if (weir_compared_is_tail_of_one(item, row.metric) && row.outcome != WEIR_OUTCOME_SUSPECT)
		row.outcome = WEIR_OUTCOME_INFORMATIONAL;
	if (row.metric == WEIR_METRIC_P50)
		row.contributed_ns = item->candidate_ns - item->baseline_ns;
	else if (item->kind != WEIR_SCOPE_METRIC)
		row.contributed_ns = row.candidate - row.baseline;
	if (row.outcome == WEIR_OUTCOME_INFORMATIONAL) {
		row.note = cell->tested ? "the tail latency of a single run is at most suspect, "
		                          "beyond three margins"
		                        : set->notes[k * set->count + index];
		row.mde = row.runs_needed =
			NAN; /* nothing is judged, so nothing could be detected */
	}
	return row;
}

/* Returns the single row of a subject that only one side has. */
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
			.spread = NAN,
		};

		if (isnan(cell->p))
			continue;
		fill_change(&row, cell, false);
		row.baseline = row.candidate = NAN;
		judge_row(comparing, &row, cell,
		          comparing->stages.by_run ? &comparing->all_by_run[k] : NULL,
		          comparing->method);
		if (row.outcome == WEIR_OUTCOME_REGRESSION || row.outcome == WEIR_OUTCOME_SUSPECT)
			row.note = "all operators changed together: check the machine first";
		if (comparing->few_operators[k])
			row.note = "too few operators have enough samples to judge it";
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

/* ---- cost shifts ---- */

/*
 * Cost shifts within a stage: when kernels are renamed, fused or split, some operators grow while
 * others shrink or disappear, and the device time of the stage stays. Such rows are marked as
 * moved, not as regressions. For a stage that did get slower, this section lists the operators that
 * account for it.
 */

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

/* Tells whether the device time of the stage changed. The mean of the log deciles also decides for
 * the median and p90, but not for the tail. */
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

/* Rows of a stage's operators at one metric, including operators of one side only, sorted by the
 * time they added, the most negative first. */
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

/* True for a change that can explain others: an operator that appeared, disappeared or changed by
 * its margin. Small random changes would otherwise balance anything. */
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

/* True if a cost shift could explain the row. */
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

/* Handles metrics for which the runs prove nothing about the stage: an operator whose median moved
 * is taken to have moved at this metric as well, unless it grew by more there. */
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

/* Sorts by absolute change of the stage's time, the largest first. */
static int by_size(const void *left, const void *right)
{
	const struct weir_contribution *a = left, *b = right;
	int order;

	if (fabs(a->delta_ns) != fabs(b->delta_ns))
		return fabs(a->delta_ns) > fabs(b->delta_ns) ? -1 : 1;
	order = strcmp(a->stage, b->stage);
	return order ? order : strcmp(a->operator, b->operator);
}

/* Lists also the operators that shrank or disappeared: if a fused kernel is replaced, the stage
 * grew only by the difference to the kernels that took over. */
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
			.renamed = row->renamed,
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

static void explain_changes(struct weir_comparing *comparing)
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

/* ---- all together ---- */

static enum weir_status test_all(struct weir_comparing *comparing, struct weir_error *err)
{
	enum weir_status status = test_operators(comparing, err);

	if (status)
		return status;
	test_set(comparing, &comparing->stages);
	test_set(comparing, &comparing->devices);
	test_set(comparing, &comparing->metrics);
	decide(comparing);
	return WEIR_OK;
}

/* Tests the runs, and then their sessions if these are the unit. */
static enum weir_status test_with_sessions(struct weir_comparing *comparing, struct weir_error *err)
{
	enum weir_session_design design = comparing->result->sessions.design;
	enum weir_status status = test_all(comparing, err);

	if (status || comparing->method == WEIR_METHOD_OUTLIER)
		return status;
	if (design == WEIR_SESSIONS_CONFOUNDED)
		weir_comparing_keep_by_run(comparing);
	if (design != WEIR_SESSIONS_NESTED)
		return WEIR_OK;
	weir_comparing_reduce_sessions(comparing);
	return test_all(comparing, err);
}

enum weir_status weir_compare_keep(const struct weir_compare_input *input,
                                   struct weir_gate_result *result, struct weir_comparing **out,
                                   struct weir_error *err)
{
	struct weir_comparing *comparing = weir_alloc(sizeof(*comparing));
	enum weir_status status = weir_comparing_init(comparing, input, result, err);

	result->method = comparing->method;
	result->alpha_operators = comparing->method == WEIR_METHOD_OUTLIER
	                                  ? WEIR_OUTLIER_ALPHA
	                                  : input->policy->alpha_operators;
	result->alpha_stages = input->policy->alpha_stages;
	if (!status) {
		weir_comparing_find_sessions(comparing);
		status = test_with_sessions(comparing, err);
	}
	if (!status) {
		push_rows(comparing);
		explain_changes(comparing);
	}
	*out = status ? NULL : comparing;
	if (status)
		weir_comparing_free(comparing);
	return status;
}

void weir_comparing_free(struct weir_comparing *comparing)
{
	if (comparing)
		weir_comparing_release(comparing);
	free(comparing);
}

enum weir_status weir_compare(const struct weir_compare_input *input,
                              struct weir_gate_result *result, struct weir_error *err)
{
	struct weir_comparing *comparing;
	enum weir_status status = weir_compare_keep(input, result, &comparing, err);

	weir_comparing_free(comparing);
	return status;
}
