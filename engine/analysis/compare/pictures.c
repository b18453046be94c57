/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of a gate: the figure of each run, and the distributions of both sides. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/compared.h"
#include "engine/analysis/compare/stage_parts.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

#define OTHER_ROWS   4 /* rows to draw if there is no finding */
#define LEAST_OF_ODD 4 /* runs of a side in which one can be odd */
#define Z_OF_ODD     3.5
#define NORMAL_MAD   0.6745 /* 0.75 quantile of the normal distribution */
#define ODD_MARGINS  0.5    /* smaller distances are of no consequence */

struct drawing {
	const struct weir_comparing *comparing;
	const struct weir_gate_result *result;
	struct weir_gate_pictures *pictures;
	size_t *run; /* index in the comparison of each drawn run */
};

/* ---- runs ---- */

/* Lists the runs to draw: the newest of each side. */
static void choose_runs(struct drawing *drawing)
{
	const struct weir_comparing *comparing = drawing->comparing;
	size_t split = comparing->input->baseline_count, all = comparing->run_count;
	size_t skip[] = {split > WEIR_DRAWN_RUNS ? split - WEIR_DRAWN_RUNS : 0,
	                 all - split > WEIR_DRAWN_RUNS ? all - split - WEIR_DRAWN_RUNS : 0};
	struct weir_gate_pictures *pictures = drawing->pictures;

	pictures->older_baseline = skip[0];
	pictures->older_candidate = skip[1];
	pictures->runs = weir_arena_alloc(drawing->result->arena,
	                                  (all + 1 - skip[0] - skip[1]) * sizeof *pictures->runs);
	drawing->run = weir_alloc((all + 1) * sizeof *drawing->run);
	for (size_t r = skip[0]; r < all; r++) {
		if (r >= split && r < split + skip[1])
			continue;
		drawing->run[pictures->run_count] = r;
		pictures->runs[pictures->run_count++].candidate = r >= split;
	}
}

static const char *session_of(const struct drawing *drawing, size_t drawn)
{
	return weir_run_label(drawing->comparing->runs[drawing->run[drawn]], WEIR_RUN_SESSION);
}

/* Numbers the sessions of the drawn runs by first appearance. */
static void number_sessions(const struct drawing *drawing)
{
	struct weir_drawn_run *runs = drawing->pictures->runs;
	uint64_t sessions = 0;

	for (size_t i = 0; i < drawing->pictures->run_count; i++) {
		const char *own = session_of(drawing, i);

		if (drawing->comparing->input->one_session)
			runs[i].session = 1;
		for (size_t other = 0; own && other < i && runs[i].session == 0; other++)
			if (runs[other].session > 0 && strcmp(session_of(drawing, other), own) == 0)
				runs[i].session = runs[other].session;
		if (own && runs[i].session == 0)
			runs[i].session = ++sessions;
	}
}

/* ---- rows ---- */

static const struct weir_compared_set *set_of(const struct weir_comparing *comparing,
                                              enum weir_scope_kind kind)
{
	switch (kind) {
	case WEIR_SCOPE_STAGE:
		return &comparing->stages;
	case WEIR_SCOPE_DEVICE:
		return &comparing->devices;
	case WEIR_SCOPE_OPERATOR:
		return &comparing->operators;
	case WEIR_SCOPE_METRIC:
		return &comparing->metrics;
	case WEIR_SCOPE_ALL_OPERATORS:
		return NULL;
	}
	return NULL;
}

/* Finds the subject of a row; false: the row has no figure of single runs. */
static bool find_subject(const struct weir_comparing *comparing, const struct weir_row *row,
                         struct weir_subject *out)
{
	const struct weir_compared_set *set = set_of(comparing, row->kind);

	if (!set || row->metric >= WEIR_METRIC_RUN_COUNT)
		return false;
	for (size_t i = 0; i < set->count; i++)
		if (strcmp(set->items[i].scope, row->scope) == 0) {
			*out = (struct weir_subject){comparing, set, i};
			return true;
		}
	return false;
}

/* Returns the figure of a run in the unit of the row; NAN: the run lacks it. */
static double figure_of(const struct weir_subject *subject, enum weir_metric metric, size_t run)
{
	static const double probs[WEIR_METRIC_RUN_COUNT] = {[WEIR_METRIC_P50] = 0.50,
	                                                    [WEIR_METRIC_P90] = 0.90,
	                                                    [WEIR_METRIC_P95] = 0.95,
	                                                    [WEIR_METRIC_P99] = 0.99};
	const struct weir_series *series = subject->set->items[subject->index].series[run];
	double rows[WEIR_COMPARE_ROWS], value;

	if (!series)
		return NAN;
	if (metric == WEIR_METRIC_VALUE)
		return weir_median(series->value, series->count);
	if (metric == WEIR_METRIC_SHIFT) {
		weir_subject_rows(subject, run, rows);
		return exp(rows[metric]);
	}
	weir_subject_quantiles(subject, run, &probs[metric], 1, &value);
	return value;
}

/* Lists the runs of one side that lie far from the others, in logarithms. */
static void find_odd(const struct drawing *drawing, bool candidate, double margin,
                     struct weir_drawn_row *row)
{
	const struct weir_gate_pictures *pictures = drawing->pictures;
	double *logs = weir_alloc((pictures->run_count + 1) * sizeof *logs);
	double middle, scatter;
	size_t known = 0;

	for (size_t i = 0; i < pictures->run_count; i++)
		if (pictures->runs[i].candidate == candidate && row->values[i] > 0)
			logs[known++] = log(row->values[i]);
	middle = weir_median(logs, known);
	scatter = weir_mad(logs, known);
	free(logs);
	for (size_t i = 0; known >= LEAST_OF_ODD && i < pictures->run_count; i++) {
		double away = fabs(log(row->values[i]) - middle);

		if (pictures->runs[i].candidate == candidate && row->values[i] > 0 &&
		    away > ODD_MARGINS * log1p(margin) && NORMAL_MAD * away > Z_OF_ODD * scatter)
			row->odd[row->odd_count++] = i;
	}
}

static bool is_drawn(const struct drawing *drawing, const char *scope)
{
	for (size_t i = 0; i < drawing->pictures->row_count; i++)
		if (strcmp(drawing->result->rows[drawing->pictures->rows[i].row].scope, scope) == 0)
			return true;
	return false;
}

/* Draws a row if single runs have its figure and its subject is not drawn yet. Returns true if its
 * subject is drawn now. */
static bool add_row(struct drawing *drawing, size_t index)
{
	const struct weir_row *row = &drawing->result->rows[index];
	struct weir_gate_pictures *pictures = drawing->pictures;
	size_t runs = pictures->run_count;
	struct weir_drawn_row drawn = {.row = index, .value_count = runs};
	struct weir_subject subject;

	if (is_drawn(drawing, row->scope))
		return true;
	if (pictures->row_count == WEIR_DRAWN_ROWS ||
	    !find_subject(drawing->comparing, row, &subject))
		return false;
	drawn.values = weir_arena_alloc(drawing->result->arena, (runs + 1) * sizeof(double));
	drawn.odd = weir_arena_alloc(drawing->result->arena, (runs + 1) * sizeof(uint64_t));
	for (size_t i = 0; i < runs; i++)
		drawn.values[i] = figure_of(&subject, row->metric, drawing->run[i]);
	find_odd(drawing, false, row->margin, &drawn);
	find_odd(drawing, true, row->margin, &drawn);
	pictures->rows[pictures->row_count++] = drawn;
	return true;
}

static bool is_judged(const struct weir_row *row)
{
	switch (row->outcome) {
	case WEIR_OUTCOME_REGRESSION:
	case WEIR_OUTCOME_IMPROVEMENT:
	case WEIR_OUTCOME_NO_CHANGE:
	case WEIR_OUTCOME_INCONCLUSIVE:
	case WEIR_OUTCOME_SUSPECT:
	case WEIR_OUTCOME_MOVED:
	case WEIR_OUTCOME_WAIVED:
		return true;
	case WEIR_OUTCOME_INFORMATIONAL:
	case WEIR_OUTCOME_MISSING:
	case WEIR_OUTCOME_NEW:
	case WEIR_OUTCOME_COUNT:
		return false;
	}
	return false;
}

/* Chooses the first row of each finding that single runs have; without findings the first
 * improvements, then the first judged rows, and then any of both sides. */
static void choose_rows(struct drawing *drawing)
{
	const struct weir_gate_result *result = drawing->result;
	struct weir_gate_pictures *pictures = drawing->pictures;

	pictures->rows =
		weir_arena_alloc(result->arena, (WEIR_DRAWN_ROWS + 1) * sizeof *pictures->rows);
	for (size_t f = 0; f < result->finding_count; f++)
		for (size_t i = 0; i < result->findings[f].row_count; i++)
			if (add_row(drawing, (size_t)result->findings[f].rows[i]))
				break;
	for (int pass = 0; pass < 3 && result->finding_count == 0; pass++)
		for (size_t i = 0; i < result->row_count && pictures->row_count < OTHER_ROWS; i++) {
			const struct weir_row *row = &result->rows[i];

			if (!isnan(row->change) &&
			    (pass == 0 ? row->outcome == WEIR_OUTCOME_IMPROVEMENT
			               : pass == 2 || is_judged(row)))
				add_row(drawing, i);
		}
}

/* ---- distributions ---- */

static const uint64_t percents[WEIR_DRAWN_PERCENTS] = {5,  10, 15, 20, 25, 30, 35, 40, 45, 50, 55,
                                                       60, 65, 70, 75, 80, 85, 90, 95, 97, 99};

/* Returns true if a run of that many samples has at least one beyond the percentile. */
static bool is_inside(uint64_t percent, uint64_t samples)
{
	return samples * percent >= 100 && samples * (100 - percent) >= 100;
}

/* Sets the mean and the range of a percentile over the runs of one side. */
static void sum_up(const double *values, size_t count, double *mean, double *low, double *high)
{
	double sum = 0, least = INFINITY, most = -INFINITY;
	size_t known = 0;

	for (size_t i = 0; i < count; i++) {
		if (!(values[i] > 0))
			continue;
		sum += log(values[i]);
		least = fmin(least, values[i]);
		most = fmax(most, values[i]);
		known++;
	}
	/* Rounding must not lead out of the range. */
	*mean = known ? fmin(fmax(exp(sum / (double)known), least), most) : NAN;
	*low = known ? least : NAN;
	*high = known ? most : NAN;
}

static void add_curve(struct drawing *drawing, const struct weir_row *row)
{
	const struct weir_comparing *comparing = drawing->comparing;
	size_t runs = comparing->run_count, split = comparing->input->baseline_count;
	struct weir_gate_pictures *pictures = drawing->pictures;
	uint64_t samples = row->baseline_samples < row->candidate_samples ? row->baseline_samples
	                                                                  : row->candidate_samples;
	struct weir_drawn_curve curve = {.scope = row->scope};
	double probs[WEIR_DRAWN_PERCENTS], *values, each[WEIR_DRAWN_PERCENTS];
	struct weir_subject subject;

	if (row->kind == WEIR_SCOPE_METRIC || !find_subject(comparing, row, &subject))
		return;
	curve.points = weir_arena_alloc(drawing->result->arena,
	                                WEIR_DRAWN_PERCENTS * sizeof *curve.points);
	for (size_t p = 0; p < WEIR_DRAWN_PERCENTS; p++)
		if (is_inside(percents[p], samples)) {
			probs[curve.point_count] = (double)percents[p] / 100;
			curve.points[curve.point_count++].percent = percents[p];
		}
	if (curve.point_count < 2)
		return;
	values = weir_alloc(curve.point_count * runs * sizeof *values);
	for (size_t r = 0; r < runs; r++) {
		weir_subject_quantiles(&subject, r, probs, curve.point_count, each);
		for (size_t p = 0; p < curve.point_count; p++)
			values[p * runs + r] = each[p];
	}
	for (size_t p = 0; p < curve.point_count; p++) {
		struct weir_drawn_percentile *point = &curve.points[p];

		sum_up(values + p * runs, split, &point->baseline, &point->baseline_low,
		       &point->baseline_high);
		sum_up(values + p * runs + split, runs - split, &point->candidate,
		       &point->candidate_low, &point->candidate_high);
	}
	free(values);
	pictures->curves[pictures->curve_count++] = curve;
}

struct weir_gate_pictures *weir_compare_draw(const struct weir_comparing *comparing,
                                             const struct weir_gate_result *result)
{
	struct weir_gate_pictures *pictures = weir_arena_alloc(result->arena, sizeof(*pictures));
	struct drawing drawing = {comparing, result, pictures, NULL};

	choose_runs(&drawing);
	number_sessions(&drawing);
	choose_rows(&drawing);
	pictures->curves =
		weir_arena_alloc(result->arena, (WEIR_DRAWN_ROWS + 1) * sizeof *pictures->curves);
	for (size_t i = 0; i < pictures->row_count; i++)
		add_curve(&drawing, &result->rows[pictures->rows[i].row]);
	weir_stage_parts(comparing, result, pictures);
	free(drawing.run);
	return pictures;
}
