/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/stats/gate.h"
#include "engine/stats/moderated.h"
#include "engine/stats/moments.h"
#include "engine/stats/multiple.h"
#include "engine/stats/noise.h"
#include "engine/stats/outlier.h"
#include "engine/stats/quantile.h"
#include "engine/stats/ranks.h"
#include "engine/stats/special.h"

/* Square of 0.2 %, the smallest standard deviation between runs that the gate assumes. */
#define LEAST_VARIANCE 4e-6

/* A row of the input during its computation. All rows share the scratch memory; release with
 * row_release(). */
struct row_work {
	const struct weir_gate_input *in;
	size_t index;
	size_t runs;
	size_t baseline_runs;         /* number of baseline runs, which come first */
	struct weir_gate_cell *cells; /* [subject] */
	double *deviations; /* [subject][runs]: y minus the mean of the group; NAN: absent */
	double *aligned;    /* [subject][runs]: y without the effects of blocks; NULL: no blocks */
	double *column_of_runs;            /* [runs]: scratch for a tail */
	struct weir_block_fit *fits, full; /* [subject]; full: all runs present */
	bool *usable;                      /* [subject]: enough runs for a test */
	size_t usable_count;
	double *column; /* [max(subjects, all runs)]: scratch for medians */
};

static void row_init(struct row_work *row, const struct weir_gate_input *in)
{
	size_t all = in->baseline_runs + in->candidate_runs;
	size_t longest = in->subjects > all ? in->subjects : all;

	*row = (struct row_work){.in = in, .baseline_runs = in->baseline_runs};
	row->runs = all;
	row->deviations = weir_alloc((in->subjects * row->runs + 1) * sizeof(*row->deviations));
	row->usable = weir_alloc((in->subjects + 1) * sizeof(*row->usable));
	row->column = weir_alloc((longest + 1) * sizeof(*row->column));
	if (!in->blocks)
		return;
	row->aligned = weir_alloc((in->subjects * all + 1) * sizeof(*row->aligned));
	row->fits = weir_alloc((in->subjects + 1) * sizeof(*row->fits));
	row->column_of_runs = weir_alloc((2 * all + 1) * sizeof(*row->column_of_runs));
	weir_block_align(in->blocks, row->column_of_runs, row->column_of_runs + all, &row->full);
}

static void row_release(struct row_work *row)
{
	free(row->aligned);
	free(row->fits);
	free(row->column_of_runs);
	free(row->deviations);
	free(row->usable);
	free(row->column);
	*row = (struct row_work){0};
}

/* Returns the values of a subject, without the effects of blocks. */
static const double *row_y(const struct row_work *row, size_t subject)
{
	const struct weir_gate_input *in = row->in;

	if (row->aligned)
		return row->aligned + subject * row->runs;
	return in->y + (row->index * in->subjects + subject) * row->runs;
}

static void align_row(struct row_work *row)
{
	const struct weir_gate_input *in = row->in;

	for (size_t m = 0; row->aligned && m < in->subjects; m++)
		weir_block_align(in->blocks, in->y + (row->index * in->subjects + m) * row->runs,
		                 row->aligned + m * row->runs, &row->fits[m]);
}

static struct weir_gate_cell cell_unknown(void)
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
		.p_rank = NAN,
		.p_rank_least = NAN,
		.p_tail = NAN,
		.margin = NAN,
		.mde = NAN,
		.runs_needed = NAN,
		.baseline_needed = NAN,
		.runs_for_no_change = NAN,
		.baseline_for_no_change = NAN,
	};
}

/* Counts the pairs of runs with the candidate slower. */
static void compare_runs(const double *runs, const struct weir_gate_input *in,
                         struct weir_gate_cell *cell)
{
	size_t all = in->baseline_runs + in->candidate_runs;
	size_t baselines = 0, candidates = 0, slower = 0;

	for (size_t c = in->baseline_runs; c < all; c++)
		candidates += isnan(runs[c]) ? 0 : 1;
	for (size_t b = 0; b < in->baseline_runs; b++) {
		if (isnan(runs[b]))
			continue;
		baselines++;
		for (size_t c = in->baseline_runs; c < all; c++)
			slower += runs[c] > runs[b];
	}
	if (baselines == 0 || candidates == 0)
		return;
	cell->superiority = (double)slower / (double)(baselines * candidates);
	cell->p_rank = weir_rank_upper(slower, baselines, candidates);
	cell->p_rank_least = weir_rank_upper(baselines * candidates, baselines, candidates);
}

/* Copies the values that are not NAN to row->column; returns their number. */
static size_t gather(struct row_work *row, const double *values, size_t count)
{
	size_t present = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isnan(values[i]))
			row->column[present++] = values[i];
	}
	return present;
}

static double row_floor(const struct row_work *row, size_t subject)
{
	const struct weir_gate_input *in = row->in;
	const struct weir_gate_cell *cell = &row->cells[subject];
	const double *y = row_y(row, subject);
	size_t runs = cell->baseline_runs + cell->candidate_runs;
	double sum = 0;
	double share;

	if (!in->tick || !(in->tick[subject] > 0))
		return LEAST_VARIANCE;
	for (size_t i = 0; i < in->baseline_runs + in->candidate_runs; i++)
		sum += isnan(y[i]) ? 0 : y[i];
	/* Rounding to steps adds a variance of step^2 / 12. */
	share = in->tick[subject] / exp(sum / (double)runs);
	return LEAST_VARIANCE + share * share / 12;
}

static double margin_of(const struct row_work *row, size_t subject)
{
	const struct weir_gate_input *in = row->in;
	size_t at = row->index * in->subjects + subject;

	return log1p(in->subject_margins ? in->subject_margins[at] : in->margins[row->index]);
}

static void fill_deviations(const struct row_work *row, size_t subject)
{
	const struct weir_gate_cell *cell = &row->cells[subject];
	const double *y = row_y(row, subject);
	double *deviations = row->deviations + subject * row->runs;

	for (size_t i = 0; i < row->runs; i++)
		deviations[i] = y[i] - (i < row->baseline_runs ? cell->baseline : cell->candidate);
}

static void weigh(const struct weir_gate_input *in, size_t row, struct weir_gate_cell *cell)
{
	cell->rows = in->counts_as ? in->rows : 0;
	cell->counts_as = in->counts_as ? in->counts_as[row] : 0;
}

/* Sets degrees of freedom and width by the numbers of runs. fit: of blocks; NULL: no blocks. */
static void fill_width(const struct weir_block_fit *fit, struct weir_gate_cell *cell)
{
	double runs = (double)(cell->baseline_runs + cell->candidate_runs);

	cell->residual_df = runs - 2 - (fit ? (double)fit->lost : 0);
	cell->width = fit ? fit->width
	                  : 1 / (double)cell->baseline_runs + 1 / (double)cell->candidate_runs;
}

static void fill_cell(struct row_work *row, size_t subject)
{
	const struct weir_gate_input *in = row->in;
	const double *y = row_y(row, subject);
	struct weir_gate_cell *cell = &row->cells[subject];

	*cell = cell_unknown();
	cell->margin = margin_of(row, subject);
	weigh(in, row->index, cell);
	cell->single = in->errors && in->candidate_runs == 1;
	cell->baseline_runs = gather(row, y, in->baseline_runs);
	cell->baseline = weir_mean(row->column, cell->baseline_runs);
	cell->candidate_runs = gather(row, y + in->baseline_runs, in->candidate_runs);
	cell->candidate = weir_mean(row->column, cell->candidate_runs);
	cell->change = cell->candidate - cell->baseline;
	cell->relative = cell->change;
	compare_runs(y, in, cell);
	fill_deviations(row, subject);
	if (cell->baseline_runs == 0 || cell->candidate_runs == 0)
		return;
	fill_width(row->aligned ? &row->fits[subject] : NULL, cell);
}

/* Returns the one-sided p of a difference of the mean transformed shares of two sides. variance: of
 * one run; df: its degrees of freedom. */
static double tail_p(const struct weir_gate_input *in, double difference, double variance,
                     double floor, double df, double width)
{
	/* The variance that chance explains is known, so that no degrees of freedom are lost to
	 * it. With one candidate run, nothing corrects a variance that the baseline shows too small
	 * by chance. */
	bool known = in->candidate_runs > 1 || in->errors || in->blocks || variance <= floor;

	return weir_t_upper(difference / sqrt(fmax(variance, floor) * width),
	                    known ? INFINITY : df);
}

/*
 * Tests whether more iterations of the candidate lie in the tail, by the difference of the mean
 * transformed shares. The variance between runs is at least that of independent iterations.
 */
static double tail_test(struct row_work *row, size_t subject)
{
	const struct weir_gate_input *in = row->in;
	size_t at = row->index * in->subjects + subject;
	const double *tail = in->tail + at * row->runs;
	struct weir_block_fit unused;
	size_t baselines, candidates;
	double before, after, variance, squares, df;

	if (row->aligned) {
		weir_block_align(in->blocks, tail, row->column_of_runs, &unused);
		tail = row->column_of_runs;
	}
	baselines = gather(row, tail, in->baseline_runs);
	before = weir_mean(row->column, baselines);
	squares =
		baselines > 1 ? weir_variance(row->column, baselines) * (double)(baselines - 1) : 0;
	candidates = gather(row, tail + in->baseline_runs, in->candidate_runs);
	after = weir_mean(row->column, candidates);
	if (baselines == 0 || candidates == 0)
		return NAN;
	if (candidates > 1)
		squares += weir_variance(row->column, candidates) * (double)(candidates - 1);
	df = (double)(baselines + candidates) - 2;
	variance = df > 0 ? squares / df : 0;
	return tail_p(in, after - before, variance, in->tail_floor[at], df,
	              row->cells[subject].width);
}

/* Returns true if there are enough runs, or enough sessions, for a test. */
static bool is_usable(const struct weir_gate_input *in, const struct weir_gate_cell *cell)
{
	if (isnan(cell->width))
		return false;
	if (in->errors || in->blocks)
		return cell->residual_df >= 1;
	return cell->baseline_runs >= WEIR_GATE_LEAST_BASELINE &&
	       cell->residual_df >= WEIR_GATE_LEAST_DF;
}

static void row_fill(struct row_work *row, size_t index, struct weir_gate_cell *cells)
{
	const struct weir_gate_input *in = row->in;

	row->index = index;
	row->cells = cells;
	row->usable_count = 0;
	align_row(row);
	for (size_t m = 0; m < in->subjects; m++) {
		fill_cell(row, m);
		if (in->tail && !isnan(in->tail_floor[index * in->subjects + m]))
			cells[m].p_tail = tail_test(row, m);
		row->usable[m] = is_usable(in, &cells[m]);
		row->usable_count += row->usable[m];
	}
}

/* One-sided p-value of the common mode above which the relative test suffices. */
#define SWITCH_P 0.10

/* The common mode of a row: the part of the changes that all operators share in a run. */
struct mode {
	double *of_run; /* g: [row->runs]; NAN: a run without operators */
	double df;
	struct weir_gate_cell *cell;
};

static bool in_family(const struct row_work *row, size_t subject)
{
	const struct weir_gate_input *in = row->in;

	return row->usable[subject] &&
	       (!in->tested || in->tested[row->index * in->subjects + subject]);
}

/* Returns the median over usable subjects of values that lie `stride` apart, without those that are
 * NAN. */
static double median_over(struct row_work *row, const double *values, size_t stride)
{
	size_t count = 0;

	for (size_t m = 0; m < row->in->subjects; m++) {
		if (row->usable[m] && !isnan(values[m * stride]))
			row->column[count++] = values[m * stride];
	}
	return weir_median(row->column, count);
}

/* Subtracts the mean of the values that are not NAN; returns their number. */
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

/* Computes the ranks of the mode of each run: the median over m of y(m, r) - mb(m). */
static void compare_modes(struct row_work *row, struct weir_gate_cell *cell)
{
	const struct weir_gate_input *in = row->in;
	size_t all = in->baseline_runs + in->candidate_runs;
	double *modes = weir_alloc((all + 1) * sizeof(*modes));
	double *shifted = weir_alloc((in->subjects + 1) * sizeof(*shifted));

	for (size_t r = 0; r < all; r++) {
		for (size_t m = 0; m < in->subjects; m++)
			shifted[m] = row_y(row, m)[r] - row->cells[m].baseline;
		modes[r] = median_over(row, shifted, 1);
	}
	compare_runs(modes, in, cell);
	free(modes);
	free(shifted);
}

/* Adds the scatter of runs within sessions to the variance of the mode: that of the median subject,
 * which is too much rather than too little. */
static void combine_mode(struct row_work *row, struct weir_gate_cell *cell)
{
	const struct weir_gate_input *in = row->in;
	const struct weir_session_error *errors = in->errors + row->index * in->subjects;
	struct weir_session_error median = {.df = INFINITY, .excess = 1};
	size_t count = 0;

	for (size_t m = 0; m < in->subjects; m++) {
		if (!row->usable[m] || !(errors[m].excess > 0))
			continue;
		row->column[count++] = errors[m].excess * errors[m].variance;
		median.df = fmin(median.df, errors[m].df);
	}
	median.variance = count > 0 ? weir_median(row->column, count) : 0;
	weir_session_combine(&median, cell->width, &cell->variance, &cell->df);
}

/* Computes g of each run, G and their variance, and tests whether all operators moved. */
static void find_mode(struct row_work *row, struct mode *mode)
{
	struct weir_gate_cell *cell = mode->cell;
	double *changes = weir_alloc((row->in->subjects + 1) * sizeof(*changes));
	double squares = 0;

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
	fill_width(row->aligned ? &row->full : NULL, cell);
	cell->df = cell->residual_df;
	cell->variance = fmax(squares / cell->df, LEAST_VARIANCE);
	if (row->in->errors)
		combine_mode(row, cell);
	mode->df = cell->total_df = cell->df;
	cell->total_variance = cell->variance;
	cell->tested =
		cell->residual_df >= (row->in->errors || row->in->blocks ? 1 : WEIR_GATE_LEAST_DF);
	weir_t_tails(cell->change / sqrt(cell->variance * cell->width), mode->df, &cell->p,
	             &cell->p_faster);
	compare_modes(row, cell);
	free(changes);
}

/* Returns the variance of a subject's residuals after subtracting the common mode. */
static double residual_variance(const struct row_work *row, const double *of_run, size_t subject)
{
	const double *deviations = row->deviations + subject * row->runs;
	double sum = 0;

	for (size_t r = 0; r < row->runs; r++) {
		double residual = deviations[r] - (of_run ? of_run[r] : 0);

		sum += isnan(residual) ? 0 : residual * residual;
	}
	return fmax(sum / row->cells[subject].residual_df, row_floor(row, subject));
}

/*
 * Tests an operator's change relative to the common mode. If the common mode moved the other way,
 * "slower than the others" does not mean "slower than before"; then the total effect must be
 * significant, too.
 */
static void test_operator(const struct mode *mode, struct weir_gate_cell *cell)
{
	const struct weir_gate_cell *all = mode->cell;
	double shared = all->variance;
	double total = shared + cell->variance;
	double p, p_faster;

	cell->total_variance = total;
	/* Satterthwaite's degrees of freedom for a sum of two variances. */
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

/* Adds the scatter of runs within sessions to the variance of a subject. */
static void combine_errors(const struct row_work *row, size_t subject)
{
	struct weir_gate_cell *cell = &row->cells[subject];
	const struct weir_gate_input *in = row->in;

	if (in->errors)
		weir_session_combine(&in->errors[row->index * in->subjects + subject], cell->width,
		                     &cell->variance, &cell->df);
}

/* Stores the shrunken variances of the usable subjects in their cells. */
static enum weir_status shrink_row(struct row_work *row, const double *of_run,
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
		combine_errors(row, m);
	}
	free(variances);
	return status;
}

static enum weir_status moderate_row(struct row_work *row, struct weir_gate_cell *all,
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
		row->cells[m].p = fmax(row->cells[m].p, row->cells[m].p_tail);
		row->cells[m].tested = in_family(row, m);
	}
	free(mode.of_run);
	return status;
}

/* Moderates the variances of few runs or sessions over the subjects of the row. */
static void moderate_stages(struct row_work *row)
{
	size_t subjects = row->in->subjects;
	double *variances = weir_alloc((2 * subjects + 1) * sizeof(*variances));
	double *df = variances + subjects;
	const struct weir_variance_pool pool = {row->deviations, subjects, row->runs, variances,
	                                        df};

	for (size_t m = 0; m < subjects; m++) {
		variances[m] = row->usable[m] && in_family(row, m) ? row->cells[m].variance : NAN;
		df[m] = row->cells[m].df;
	}
	weir_pool_moderate(&pool);
	for (size_t m = 0; m < subjects; m++) {
		if (!row->usable[m])
			continue;
		if (in_family(row, m))
			row->cells[m].variance = variances[m];
		row->cells[m].df = df[m];
		combine_errors(row, m);
	}
	free(variances);
}

/* Returns how many of the used subjects are independent in effect. */
static double independent_subjects(const struct row_work *row, const bool *used)
{
	size_t subjects = row->in->subjects;
	double *variances = weir_alloc((2 * subjects + 1) * sizeof(*variances));
	const struct weir_variance_pool pool = {row->deviations, subjects, row->runs, variances,
	                                        variances + subjects};
	double independent;

	for (size_t m = 0; m < subjects; m++) {
		variances[m] = used[m] ? residual_variance(row, NULL, m) : NAN;
		variances[subjects + m] = row->cells[m].residual_df;
	}
	independent = weir_pool_independent(&pool);
	free(variances);
	return independent;
}

/* Widens the tests of a candidate whose runs scatter more than the baseline's, and brings its
 * deviations to the scale of the baseline's. Tests of sessions and blocks stay as they are. */
static void even_out_noise(struct row_work *row)
{
	struct weir_noise_pool pool = {
		.deviations = row->deviations,
		.used = row->usable,
		.subjects = row->in->subjects,
		.columns = row->runs,
		.baselines = row->baseline_runs,
		.least = LEAST_VARIANCE,
	};
	double ratio;

	if (row->in->errors || row->in->blocks || row->usable_count == 0)
		return;
	pool.independent = independent_subjects(row, row->usable);
	ratio = weir_noise_ratio(&pool);
	if (ratio == 1)
		return;
	for (size_t m = 0; m < row->in->subjects; m++) {
		struct weir_gate_cell *cell = &row->cells[m];
		double equal = cell->width;

		if (!row->usable[m])
			continue;
		cell->width =
			1 / (double)cell->baseline_runs + ratio / (double)cell->candidate_runs;
		cell->noise = cell->width / equal;
		for (size_t r = row->baseline_runs; r < row->runs; r++)
			row->deviations[m * row->runs + r] /= sqrt(ratio);
	}
}

static void student_row(struct row_work *row)
{
	for (size_t m = 0; m < row->in->subjects; m++) {
		if (!row->usable[m])
			continue;
		row->cells[m].df = row->cells[m].residual_df;
		row->cells[m].variance = residual_variance(row, NULL, m);
	}
	if (row->in->pooled || row->in->errors)
		moderate_stages(row);
	for (size_t m = 0; m < row->in->subjects; m++) {
		struct weir_gate_cell *cell = &row->cells[m];

		if (!row->usable[m])
			continue;
		cell->total_df = cell->df;
		cell->total_variance = cell->variance;
		weir_t_tails(cell->change / sqrt(cell->variance * cell->width), cell->df, &cell->p,
		             &cell->p_faster);
		cell->p = fmax(cell->p, cell->p_tail); /* fmax() ignores a NAN */
		cell->tested = in_family(row, m);
	}
}

enum weir_status weir_gate_operators(const struct weir_gate_input *in, struct weir_gate_cell *cells,
                                     struct weir_gate_cell *all, struct weir_error *err)
{
	enum weir_status status = WEIR_OK;
	struct row_work row;

	row_init(&row, in);
	for (size_t k = 0; k < in->rows && status == WEIR_OK; k++) {
		all[k] = cell_unknown();
		all[k].margin = log1p(in->margins[k]);
		weigh(in, k, &all[k]);
		all[k].single = in->errors && in->candidate_runs == 1;
		row_fill(&row, k, cells + k * in->subjects);
		if (row.usable_count >= WEIR_GATE_LEAST_OPERATORS)
			status = moderate_row(&row, &all[k], err);
		else
			student_row(&row);
	}
	row_release(&row);
	return status;
}

void weir_gate_stages(const struct weir_gate_input *in, struct weir_gate_cell *cells)
{
	struct row_work row;

	row_init(&row, in);
	for (size_t k = 0; k < in->rows; k++) {
		row_fill(&row, k, cells + k * in->subjects);
		even_out_noise(&row);
		student_row(&row);
	}
	row_release(&row);
}

/* Columns of one row, [subject] each, for the subjects that both sides have. */
struct columns {
	double *ratio, *error, *floor;
	size_t *subject;
	struct weir_outlier_cell *cells;
	size_t count;
};

static void columns_init(struct columns *columns, size_t subjects)
{
	columns->ratio = weir_alloc((3 * subjects + 1) * sizeof(double));
	columns->error = columns->ratio + subjects;
	columns->floor = columns->error + subjects;
	columns->subject = weir_alloc((subjects + 1) * sizeof(*columns->subject));
	columns->cells = weir_alloc((subjects + 1) * sizeof(*columns->cells));
}

static void columns_release(struct columns *columns)
{
	free(columns->ratio);
	free(columns->subject);
	free(columns->cells);
}

static void collect(const struct row_work *row, struct columns *columns)
{
	const struct weir_gate_input *in = row->in;

	columns->count = 0;
	for (size_t m = 0; m < in->subjects; m++) {
		const struct weir_gate_cell *cell = &row->cells[m];
		size_t at = columns->count;

		if (isnan(cell->change))
			continue;
		columns->ratio[at] = cell->change;
		columns->error[at] =
			in->within_error ? in->within_error[row->index * in->subjects + m] : NAN;
		columns->floor[at] = cell->width * row_floor(row, m);
		columns->subject[at] = m;
		columns->count++;
	}
}

static void judge(const struct row_work *row, const struct columns *columns, double df)
{
	const struct weir_gate_input *in = row->in;

	for (size_t i = 0; i < columns->count; i++) {
		struct weir_gate_cell *cell = &row->cells[columns->subject[i]];
		const struct weir_outlier_cell *found = &columns->cells[i];
		size_t at = row->index * in->subjects + columns->subject[i];

		cell->relative = found->relative;
		cell->df = df;
		cell->variance = found->scale * found->scale / cell->width;
		cell->p = found->p;
		cell->p_faster = found->p_faster;
		cell->tested = columns->count >= WEIR_GATE_LEAST_OPERATORS &&
		               (!in->tested || in->tested[at]);
	}
}

void weir_gate_outliers(const struct weir_gate_input *in, struct weir_gate_cell *cells)
{
	bool one = in->baseline_runs == 1 && in->candidate_runs == 1;
	double df = one ? WEIR_OUTLIER_DF_ONE : WEIR_OUTLIER_DF_FEW;
	struct row_work row;
	struct columns columns = {0};

	row_init(&row, in);
	columns_init(&columns, in->subjects);
	for (size_t k = 0; k < in->rows; k++) {
		struct weir_outlier_input outliers;

		row_fill(&row, k, cells + k * in->subjects);
		collect(&row, &columns);
		outliers = (struct weir_outlier_input){columns.ratio, columns.error, columns.floor,
		                                       columns.count, df};
		weir_outlier_test(&outliers, columns.cells);
		judge(&row, &columns, df);
		/* No variance between runs is involved, so that other numbers of runs cannot be
		 * proposed. */
		for (size_t m = 0; m < in->subjects; m++)
			cells[k * in->subjects + m].residual_df = NAN;
	}
	columns_release(&columns);
	row_release(&row);
}
