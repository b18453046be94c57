/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/stats/gate.h"
#include "engine/stats/gate_impl.h"
#include "engine/stats/moderated.h"
#include "engine/stats/moments.h"
#include "engine/stats/quantile.h"
#include "engine/stats/special.h"

/* One-sided p of the common mode above which the relative test is enough. */
#define SWITCH_P 0.10

/* The common mode of a row: what a run does to all operators at once. */
struct mode {
	double *of_run; /* g: [row->runs]; NAN: a run without operators */
	double df;
	struct weir_gate_cell *cell;
};

static bool in_family(const struct weir_gate_row *row, size_t subject)
{
	const struct weir_gate_input *in = row->in;

	return row->usable[subject] &&
	       (!in->tested || in->tested[row->index * in->subjects + subject]);
}

/* Median over usable subjects of values that lie `stride` apart; those that are NAN are absent. */
static double median_over(struct weir_gate_row *row, const double *values, size_t stride)
{
	size_t count = 0;

	for (size_t m = 0; m < row->in->subjects; m++) {
		if (row->usable[m] && !isnan(values[m * stride]))
			row->column[count++] = values[m * stride];
	}
	return weir_median(row->column, count);
}

/* Makes the mean of the values that are there 0; returns their number. */
static size_t centre(double *values, size_t count)
{
	size_t present = 0;
	double sum = 0;

	for (size_t i = 0; i < count; i++) {
		present += isnan(values[i]) ? 0 : 1;
		sum += isnan(values[i]) ? 0 : values[i];
	}
	for (size_t i = 0; i < count && present > 0; i++)
		values[i] -= sum / (double)present;
	return present;
}

/* Superiority and least slow run of the run-level mode, median over m of y(m, r) - mb(m). */
static void compare_modes(struct weir_gate_row *row, struct weir_gate_cell *cell)
{
	const struct weir_gate_input *in = row->in;
	size_t all = in->baseline_runs + in->candidate_runs;
	double *modes = weir_alloc((all + 1) * sizeof(*modes));
	double *shifted = weir_alloc((in->subjects + 1) * sizeof(*shifted));

	for (size_t r = 0; r < all; r++) {
		for (size_t m = 0; m < in->subjects; m++)
			shifted[m] = weir_gate_row_y(row, m)[r] - row->cells[m].baseline;
		modes[r] = median_over(row, shifted, 1);
	}
	weir_gate_compare_runs(modes, in, 0, cell);
	free(modes);
	free(shifted);
}

/* g per run, G and their variance: tests whether all operators moved. */
static void find_mode(struct weir_gate_row *row, struct mode *mode)
{
	struct weir_gate_cell *cell = mode->cell;
	double *changes = weir_alloc((row->in->subjects + 1) * sizeof(*changes));
	double squares = 0;
	double counted;

	for (size_t r = 0; r < row->runs; r++)
		mode->of_run[r] = median_over(row, row->deviations + r, row->runs);
	cell->baseline_runs = centre(mode->of_run, row->baseline_runs);
	cell->candidate_runs =
		centre(mode->of_run + row->baseline_runs, row->runs - row->baseline_runs);
	for (size_t r = 0; r < row->runs; r++)
		squares += isnan(mode->of_run[r]) ? 0 : mode->of_run[r] * mode->of_run[r];
	for (size_t m = 0; m < row->in->subjects; m++)
		changes[m] = row->cells[m].change;
	cell->change = cell->relative = median_over(row, changes, 1);
	counted = (double)cell->candidate_runs;
	if (row->in->session_safe)
		cell->candidate_runs = row->in->candidate_runs;
	mode->df = (double)cell->baseline_runs + counted - 2;
	cell->df = cell->residual_df = cell->total_df = mode->df;
	cell->width = 1 / (double)cell->baseline_runs + 1 / counted;
	cell->variance = fmax(squares / mode->df, WEIR_GATE_LEAST_VARIANCE);
	cell->total_variance = cell->variance;
	cell->tested = mode->df >= WEIR_GATE_LEAST_DF;
	weir_t_tails(cell->change / sqrt(cell->variance * cell->width), mode->df, &cell->p,
	             &cell->p_faster);
	compare_modes(row, cell);
	free(changes);
}

/* Residual variance of a subject once the common mode is gone. */
static double residual_variance(const struct weir_gate_row *row, const double *of_run,
                                size_t subject)
{
	const double *deviations = row->deviations + subject * row->runs;
	double sum = 0;

	for (size_t r = 0; r < row->runs; r++) {
		double residual = deviations[r] - (of_run ? of_run[r] : 0);

		sum += isnan(residual) ? 0 : residual * residual;
	}
	return fmax(sum / row->cells[subject].residual_df, weir_gate_row_floor(row, subject));
}

/*
 * The relative test, and the total effect beside it: where the common mode moved the other way,
 * "slower than the others" is not "slower than before", and both must be significant.
 */
static void test_operator(const struct mode *mode, struct weir_gate_cell *cell)
{
	const struct weir_gate_cell *all = mode->cell;
	double shared = all->variance;
	double total = shared + cell->variance;
	double p, p_faster;

	cell->total_variance = total;
	/* Satterthwaite's degrees of freedom of a sum of two variances. */
	cell->total_df = total * total /
	                 (shared * shared / mode->df + cell->variance * cell->variance / cell->df);
	cell->relative = cell->change - all->change;
	weir_t_tails(cell->relative / sqrt(cell->variance * cell->width), cell->df, &cell->p,
	             &cell->p_faster);
	if (all->p_faster > SWITCH_P && all->p > SWITCH_P)
		return;
	weir_t_tails(cell->change / sqrt(total * cell->width), cell->total_df, &p, &p_faster);
	if (all->p_faster <= SWITCH_P)
		cell->p = fmax(cell->p, p);
	if (all->p <= SWITCH_P)
		cell->p_faster = fmax(cell->p_faster, p_faster);
}

/* Variances of the usable subjects, shrunken, into their cells. */
static enum weir_status shrink_row(struct weir_gate_row *row, const double *of_run,
                                   struct weir_error *err)
{
	size_t subjects = row->in->subjects;
	double *variances = weir_alloc((2 * subjects + 1) * sizeof(*variances));
	double *df = variances + subjects;
	struct weir_variances in = {variances, df, 0};
	struct weir_shrinkage prior;
	enum weir_status status;
	size_t at = 0;

	for (size_t m = 0; m < subjects; m++) {
		if (!row->usable[m])
			continue;
		variances[in.count] = residual_variance(row, of_run, m);
		df[in.count++] = row->cells[m].residual_df;
	}
	status = weir_shrink(&in, WEIR_SHRINK_MOST_PRIOR_DF, variances, &prior, err);
	for (size_t m = 0; status == WEIR_OK && m < subjects; m++) {
		if (!row->usable[m])
			continue;
		row->cells[m].variance = variances[at++];
		row->cells[m].df = row->cells[m].residual_df + prior.prior_df;
	}
	free(variances);
	return status;
}

static enum weir_status moderate_row(struct weir_gate_row *row, struct weir_gate_cell *all,
                                     struct weir_error *err)
{
	struct mode mode = {.cell = all};
	enum weir_status status;

	mode.of_run = weir_alloc((row->runs + 1) * sizeof(*mode.of_run));
	find_mode(row, &mode);
	status = shrink_row(row, mode.of_run, err);
	for (size_t m = 0; status == WEIR_OK && m < row->in->subjects; m++) {
		if (!row->usable[m])
			continue;
		test_operator(&mode, &row->cells[m]);
		row->cells[m].tested = in_family(row, m);
	}
	free(mode.of_run);
	return status;
}

static void student_row(struct weir_gate_row *row)
{
	for (size_t m = 0; m < row->in->subjects; m++) {
		struct weir_gate_cell *cell = &row->cells[m];

		if (!row->usable[m])
			continue;
		cell->df = cell->total_df = cell->residual_df;
		cell->variance = cell->total_variance = residual_variance(row, NULL, m);
		weir_t_tails(cell->change / sqrt(cell->variance * cell->width), cell->df, &cell->p,
		             &cell->p_faster);
		cell->tested = in_family(row, m);
	}
}

enum weir_status weir_gate_operators(const struct weir_gate_input *in, struct weir_gate_cell *cells,
                                     struct weir_gate_cell *all, struct weir_error *err)
{
	enum weir_status status = WEIR_OK;
	struct weir_gate_row row;

	weir_gate_row_init(&row, in);
	for (size_t k = 0; k < in->rows && status == WEIR_OK; k++) {
		all[k] = weir_gate_cell_unknown();
		all[k].margin = log1p(in->margins[k]);
		all[k].single = in->session_safe;
		weir_gate_row_fill(&row, k, cells + k * in->subjects);
		if (row.usable_count >= WEIR_GATE_LEAST_OPERATORS)
			status = moderate_row(&row, &all[k], err);
		else
			student_row(&row);
	}
	weir_gate_row_release(&row);
	return status;
}

void weir_gate_stages(const struct weir_gate_input *in, struct weir_gate_cell *cells)
{
	struct weir_gate_row row;

	weir_gate_row_init(&row, in);
	for (size_t k = 0; k < in->rows; k++) {
		weir_gate_row_fill(&row, k, cells + k * in->subjects);
		student_row(&row);
	}
	weir_gate_row_release(&row);
}
