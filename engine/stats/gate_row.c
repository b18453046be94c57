/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/stats/gate_impl.h"
#include "engine/stats/moments.h"
#include "engine/stats/quantile.h"

void weir_gate_row_init(struct weir_gate_row *row, const struct weir_gate_input *in)
{
	size_t all = in->baseline_runs + in->candidate_runs;
	size_t longest = in->subjects > all ? in->subjects : all;

	*row = (struct weir_gate_row){.in = in, .baseline_runs = in->baseline_runs};
	row->runs = in->session_safe ? in->baseline_runs + 1 : all;
	row->deviations = weir_alloc((in->subjects * row->runs + 1) * sizeof(*row->deviations));
	row->usable = weir_alloc((in->subjects + 1) * sizeof(*row->usable));
	row->column = weir_alloc((longest + 1) * sizeof(*row->column));
}

void weir_gate_row_release(struct weir_gate_row *row)
{
	free(row->deviations);
	free(row->usable);
	free(row->column);
	*row = (struct weir_gate_row){0};
}

const double *weir_gate_row_y(const struct weir_gate_row *row, size_t subject)
{
	const struct weir_gate_input *in = row->in;
	size_t all = in->baseline_runs + in->candidate_runs;

	return in->y + (row->index * in->subjects + subject) * all;
}

struct weir_gate_cell weir_gate_cell_unknown(void)
{
	return (struct weir_gate_cell){
		.baseline = NAN,
		.candidate = NAN,
		.change = NAN,
		.relative = NAN,
		.low = NAN,
		.high = NAN,
		.df = NAN,
		.residual_df = NAN,
		.variance = NAN,
		.total_df = NAN,
		.total_variance = NAN,
		.width = NAN,
		.p = NAN,
		.p_faster = NAN,
		.p_adjusted = NAN,
		.p_faster_adjusted = NAN,
		.superiority = NAN,
		.least = NAN,
		.margin = NAN,
		.mde = NAN,
		.runs_needed = NAN,
		.baseline_needed = NAN,
		.runs_for_no_change = NAN,
		.baseline_for_no_change = NAN,
	};
}

void weir_gate_compare_runs(const double *runs, const struct weir_gate_input *in, double mean,
                            struct weir_gate_cell *cell)
{
	size_t all = in->baseline_runs + in->candidate_runs;
	size_t pairs = 0;
	size_t slower = 0;

	for (size_t c = in->baseline_runs; c < all; c++) {
		if (isnan(runs[c]))
			continue;
		cell->least = fmin(cell->least, runs[c] - mean); /* fmin() passes over a NAN */
		for (size_t b = 0; b < in->baseline_runs; b++) {
			pairs += isnan(runs[b]) ? 0 : 1;
			slower += runs[c] > runs[b];
		}
	}
	if (pairs > 0)
		cell->superiority = (double)slower / (double)pairs;
}

/* The values that are there, gathered in row->column; returns their number. */
static size_t gather(struct weir_gate_row *row, const double *values, size_t count)
{
	size_t present = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isnan(values[i]))
			row->column[present++] = values[i];
	}
	return present;
}

double weir_gate_row_floor(const struct weir_gate_row *row, size_t subject)
{
	const struct weir_gate_input *in = row->in;
	const struct weir_gate_cell *cell = &row->cells[subject];
	const double *y = weir_gate_row_y(row, subject);
	size_t runs = cell->baseline_runs + cell->candidate_runs;
	double sum = 0;
	double share;

	if (!in->tick || !(in->tick[subject] > 0))
		return WEIR_GATE_LEAST_VARIANCE;
	for (size_t i = 0; i < in->baseline_runs + in->candidate_runs; i++)
		sum += isnan(y[i]) ? 0 : y[i];
	/* A value rounded to steps has the variance step^2 / 12 more. */
	share = in->tick[subject] / exp(sum / (double)runs);
	return WEIR_GATE_LEAST_VARIANCE + share * share / 12;
}

static double margin_of(const struct weir_gate_row *row, size_t subject)
{
	const struct weir_gate_input *in = row->in;
	size_t at = row->index * in->subjects + subject;

	return log1p(in->subject_margins ? in->subject_margins[at] : in->margins[row->index]);
}

static void fill_deviations(const struct weir_gate_row *row, size_t subject)
{
	const struct weir_gate_cell *cell = &row->cells[subject];
	const double *y = weir_gate_row_y(row, subject);
	double *deviations = row->deviations + subject * row->runs;

	for (size_t i = 0; i < row->runs; i++)
		deviations[i] = y[i] - (i < row->baseline_runs ? cell->baseline : cell->candidate);
	if (row->in->session_safe) /* the one pseudo-run is its own mean */
		deviations[row->baseline_runs] = cell->candidate_runs > 0 ? 0 : NAN;
}

static void fill_cell(struct weir_gate_row *row, size_t subject)
{
	const struct weir_gate_input *in = row->in;
	const double *y = weir_gate_row_y(row, subject);
	struct weir_gate_cell *cell = &row->cells[subject];
	double counted;

	*cell = weir_gate_cell_unknown();
	cell->margin = margin_of(row, subject);
	cell->every_run = true;
	cell->single = in->session_safe;
	cell->baseline_runs = gather(row, y, in->baseline_runs);
	cell->baseline = weir_mean(row->column, cell->baseline_runs);
	cell->candidate_runs = gather(row, y + in->baseline_runs, in->candidate_runs);
	cell->candidate = in->session_safe ? weir_median(row->column, cell->candidate_runs)
	                                   : weir_mean(row->column, cell->candidate_runs);
	cell->change = cell->candidate - cell->baseline;
	cell->relative = cell->change;
	weir_gate_compare_runs(y, in, cell->baseline, cell);
	fill_deviations(row, subject);
	if (cell->baseline_runs == 0 || cell->candidate_runs == 0)
		return;
	counted = in->session_safe ? 1 : (double)cell->candidate_runs;
	cell->residual_df = (double)cell->baseline_runs + counted - 2;
	cell->width = 1 / (double)cell->baseline_runs + 1 / counted;
}

void weir_gate_row_fill(struct weir_gate_row *row, size_t index, struct weir_gate_cell *cells)
{
	const struct weir_gate_input *in = row->in;

	row->index = index;
	row->cells = cells;
	row->usable_count = 0;
	for (size_t m = 0; m < in->subjects; m++) {
		fill_cell(row, m);
		row->usable[m] = cells[m].baseline_runs >= WEIR_GATE_LEAST_BASELINE &&
		                 cells[m].residual_df >= WEIR_GATE_LEAST_DF;
		row->usable_count += row->usable[m];
	}
}
