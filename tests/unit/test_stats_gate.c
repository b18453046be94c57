/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole gates against tests/vectors/gate_cases.json, and further promises of docs/statistics.md. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/stats/gate.h"
#include "engine/stats/quantile.h"
#include "engine/stats/special.h"
#include "tests/unit/near.h"
#include "tests/unit/vectors.h"

#define ROWS 5

static const double margins[ROWS] = {0.03, 0.05, 0.05, 0.10, 0.03};

/* A gate with its cells, judged with both alphas 0.01. */
struct gate {
	struct weir_gate_input in;
	struct weir_gate_cell *cells, *all;
	double *ticks; /* [row][subject]; NULL: in.tick for all rows */
};

/* Returns the input of one row with its own steps of the timer. */
static struct weir_gate_input row_of(const struct weir_gate_input *in, const double *ticks,
                                     size_t row)
{
	struct weir_gate_input one = *in;
	size_t runs = in->baseline_runs + in->candidate_runs;

	one.rows = 1;
	one.y += row * in->subjects * runs;
	one.margins += row;
	one.tested = in->tested ? in->tested + row * in->subjects : NULL;
	one.tick = ticks + row * in->subjects;
	return one;
}

static void judge(struct gate *gate)
{
	size_t count = gate->in.rows * gate->in.subjects;
	struct weir_gate_family operators = {{{gate->cells, count}}, 1};
	struct weir_gate_family stages = {{{gate->all, gate->in.rows}}, 1};
	struct weir_error err = {0};

	if (!gate->ticks && weir_gate_operators(&gate->in, gate->cells, gate->all, &err))
		fail_msg("%s", err.message);
	for (size_t k = 0; gate->ticks && k < gate->in.rows; k++) {
		struct weir_gate_input row = row_of(&gate->in, gate->ticks, k);

		if (weir_gate_operators(&row, gate->cells + k * row.subjects, &gate->all[k], &err))
			fail_msg("%s", err.message);
	}
	weir_gate_adjust(&operators);
	weir_gate_decide(&operators, 0.01);
	weir_gate_power(&operators, 0.01);
	weir_gate_adjust(&stages);
	weir_gate_decide(&stages, 0.01);
	weir_gate_power(&stages, 0.01);
}

static void gate_init(struct gate *gate, size_t rows, size_t subjects)
{
	*gate = (struct gate){.in = {.rows = rows, .subjects = subjects, .margins = margins}};
	gate->cells = weir_alloc(rows * subjects * sizeof(*gate->cells));
	gate->all = weir_alloc(rows * sizeof(*gate->all));
}

static void gate_release(struct gate *gate)
{
	free(gate->cells);
	free(gate->all);
	free(gate->ticks);
}

static double change_of(const struct weir_gate_cell *cell)
{
	return cell->change;
}

static double variance_of(const struct weir_gate_cell *cell)
{
	return cell->variance;
}

static double df_of(const struct weir_gate_cell *cell)
{
	return cell->df;
}

static double p_of(const struct weir_gate_cell *cell)
{
	return cell->p;
}

static double p_adjusted_of(const struct weir_gate_cell *cell)
{
	return cell->p_adjusted;
}

static double superiority_of(const struct weir_gate_cell *cell)
{
	return cell->superiority;
}

static double low_of(const struct weir_gate_cell *cell)
{
	return cell->low;
}

static double high_of(const struct weir_gate_cell *cell)
{
	return cell->high;
}

static double regression_of(const struct weir_gate_cell *cell)
{
	return cell->regression;
}

static double improvement_of(const struct weir_gate_cell *cell)
{
	return cell->improvement;
}

static double no_change_of(const struct weir_gate_cell *cell)
{
	return cell->no_change;
}

struct expectation {
	const char *key;
	double (*actual)(const struct weir_gate_cell *cell);
	double relative;
};

static const struct expectation of_cells[] = {
	{"D", change_of, 1e-6},
	{"v_op", variance_of, 1e-6},
	{"df_op", df_of, 1e-6},
	{"p_op", p_of, 1e-5},
	{"p_op_holm", p_adjusted_of, 1e-5},
	{"superiority", superiority_of, 1e-12},
	{"ci90_lo", low_of, 1e-6},
	{"ci90_hi", high_of, 1e-6},
	{"regression", regression_of, 0},
	{"improvement", improvement_of, 0},
	{"nochange", no_change_of, 0},
};

static const struct expectation of_all[] = {
	{"G", change_of, 1e-6},
	{"p_G", p_of, 1e-5},
	{"superiority_global", superiority_of, 1e-12},
	{"global_regression", regression_of, 0},
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static void compare(const cJSON *one, const struct expectation *expectation,
                    const struct weir_gate_cell *cells, size_t count)
{
	size_t expected_count;
	double *expected = numbers(one, expectation->key, &expected_count);

	assert_int_equal(expected_count, count);
	for (size_t i = 0; i < count; i++) {
		double actual = expectation->actual(&cells[i]);
		/* A change of 1e-17 is one of 0. */
		double allowed = expectation->relative * fabs(expected[i]) + 1e-12;

		if (!(fabs(actual - expected[i]) <= allowed))
			fail_msg("%s %s[%zu] is %.17g, expected %.17g", text(one, "name"),
			         expectation->key, i, actual, expected[i]);
	}
	free(expected);
}

static double mean_of(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

/*
 * Replaces the candidate runs by their median, as the reference of the vectors does for candidates
 * of one session. The reference relates the timer's step to the mean over all runs, therefore the
 * steps change with the mean: ticks is [row][subject].
 */
static void count_candidates_as_one(struct weir_gate_input *in, double *y, double *ticks)
{
	size_t from = in->baseline_runs + in->candidate_runs, to = in->baseline_runs + 1;

	for (size_t at = 0; at < in->rows * in->subjects; at++) {
		double *old = y + at * from, *new = y + at *to;
		double level = mean_of(old, from);
		double one = weir_median(old + in->baseline_runs, in->candidate_runs);

		memmove(new, old, in->baseline_runs * sizeof(*old));
		new[in->baseline_runs] = one;
		ticks[at] = in->tick[at % in->subjects] * exp(mean_of(new, to) - level);
	}
	in->candidate_runs = 1;
}

/* True for a figure that the reference counts over runs, where the gate has their median alone. */
static bool counts_runs(const struct gate *gate, const char *key)
{
	return gate->ticks && strncmp(key, "superiority", 11) == 0;
}

static void compare_case(const cJSON *one)
{
	size_t rows_and_all = 0;
	struct gate gate;
	double *tick = numbers(one, "tick", NULL);
	double *y = numbers(one, "Y", &rows_and_all);

	gate_init(&gate, ROWS, (size_t)number(one, "M"));
	gate.in.baseline_runs = (size_t)number(one, "B");
	gate.in.candidate_runs = (size_t)number(one, "C");
	gate.in.y = y;
	gate.in.tick = tick;
	if (number(one, "session_safe") > 0) {
		gate.ticks = weir_alloc(ROWS * gate.in.subjects * sizeof(*gate.ticks));
		count_candidates_as_one(&gate.in, y, gate.ticks);
	}
	judge(&gate);
	for (size_t i = 0; i < COUNT(of_cells); i++)
		if (!counts_runs(&gate, of_cells[i].key))
			compare(one, &of_cells[i], gate.cells, ROWS * gate.in.subjects);
	assert_near(gate.cells[0].residual_df, number(one, "d"), 0);
	assert_near(gate.cells[0].width, number(one, "h"), 1e-12);
	assert_int_equal(gate.all[0].tested, gate.in.subjects >= WEIR_GATE_LEAST_OPERATORS);
	for (size_t i = 0; gate.all[0].tested && i < COUNT(of_all); i++)
		if (!counts_runs(&gate, of_all[i].key))
			compare(one, &of_all[i], gate.all, ROWS);
	free(tick);
	free(y);
	gate_release(&gate);
}

static void whole_gates_equal_the_vectors(void **state)
{
	cJSON *document = read_vectors("gate_cases");
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "cases")) {
		compare_case(one);
		cases++;
	}
	assert_int_equal(cases, 6);
	cJSON_Delete(document);
}

/* A gate with one row and little noise: 1 % common and 0.5 % specific. */
#define SUBJECTS  40
#define MOST_RUNS 13

struct calm {
	struct gate gate;
	double y[SUBJECTS * MOST_RUNS];
	size_t runs;
};

static double noise(uint64_t *seed)
{
	double sum = 0;

	for (int i = 0; i < 12; i++) /* nearly normal, variance 1 */
		sum += (double)(next_number(seed) >> 11) * 0x1p-53;
	return sum - 6;
}

static void calm_init(struct calm *calm, size_t subjects, size_t baseline, size_t candidate)
{
	double common[MOST_RUNS];
	uint64_t seed = 11;

	gate_init(&calm->gate, 1, subjects);
	calm->runs = baseline + candidate;
	calm->gate.in.baseline_runs = baseline;
	calm->gate.in.candidate_runs = candidate;
	calm->gate.in.y = calm->y;
	for (size_t r = 0; r < calm->runs; r++)
		common[r] = 0.01 * noise(&seed);
	for (size_t m = 0; m < subjects; m++) {
		for (size_t r = 0; r < calm->runs; r++)
			calm->y[m * calm->runs + r] =
				5 + 0.1 * (double)m + common[r] + 0.005 * noise(&seed);
	}
}

static void slow(struct calm *calm, size_t subject, double by)
{
	for (size_t r = calm->gate.in.baseline_runs; r < calm->runs; r++)
		calm->y[subject * calm->runs + r] += log1p(by);
}

static void one_slow_operator_is_the_only_regression(void **state)
{
	struct calm calm;

	(void)state;
	calm_init(&calm, SUBJECTS, 5, 3);
	slow(&calm, 7, 0.15);
	judge(&calm.gate);
	for (size_t m = 0; m < SUBJECTS; m++)
		assert_int_equal(calm.gate.cells[m].regression, m == 7);
	assert_false(calm.gate.all[0].regression);
	gate_release(&calm.gate);
}

static void a_faster_operator_is_an_improvement(void **state)
{
	struct calm calm;

	(void)state;
	calm_init(&calm, SUBJECTS, 5, 3);
	slow(&calm, 3, -0.15);
	judge(&calm.gate);
	assert_true(calm.gate.cells[3].improvement);
	assert_false(calm.gate.cells[3].regression || calm.gate.cells[3].no_change);
	gate_release(&calm.gate);
}

static void all_operators_slower_is_one_finding(void **state)
{
	struct calm calm;

	(void)state;
	calm_init(&calm, SUBJECTS, 5, 3);
	for (size_t m = 0; m < SUBJECTS; m++)
		slow(&calm, m, 0.10);
	judge(&calm.gate);
	assert_true(calm.gate.all[0].regression);
	assert_near(expm1(calm.gate.all[0].change), 0.10, 0.2);
	for (size_t m = 0; m < SUBJECTS; m++)
		assert_false(calm.gate.cells[m].regression);
	gate_release(&calm.gate);
}

static void one_candidate_run_gives_a_prediction_interval(void **state)
{
	struct calm calm;

	(void)state;
	calm_init(&calm, SUBJECTS, 5, 1);
	slow(&calm, 7, 0.30);
	judge(&calm.gate);
	assert_near(calm.gate.cells[7].width, 1 + 1.0 / 5, 1e-15);
	assert_near(calm.gate.cells[7].residual_df, 4, 0);
	assert_true(calm.gate.cells[7].regression);
	assert_false(calm.gate.cells[8].regression);
	gate_release(&calm.gate);
}

static void two_candidate_runs_need_four_baseline_runs(void **state)
{
	struct calm calm;

	(void)state;
	calm_init(&calm, SUBJECTS, 4, 2);
	judge(&calm.gate);
	assert_true(calm.gate.cells[0].tested && calm.gate.all[0].tested);
	gate_release(&calm.gate);
	calm_init(&calm, SUBJECTS, 3, 2);
	judge(&calm.gate);
	assert_false(calm.gate.cells[0].tested || calm.gate.all[0].tested);
	assert_near(calm.gate.cells[0].p, NAN, 0);
	assert_true(isfinite(calm.gate.cells[0].change));
	gate_release(&calm.gate);
}

static void a_masked_cell_is_computed_but_not_counted(void **state)
{
	bool tested[SUBJECTS];
	struct calm calm;
	struct weir_gate_family family;

	(void)state;
	calm_init(&calm, SUBJECTS, 5, 3);
	slow(&calm, 7, 0.15);
	for (size_t m = 0; m < SUBJECTS; m++)
		tested[m] = m != 7;
	calm.gate.in.tested = tested;
	judge(&calm.gate);
	family = (struct weir_gate_family){{{calm.gate.cells, SUBJECTS}}, 1};
	assert_int_equal(weir_gate_tests(&family), SUBJECTS - 1);
	assert_true(calm.gate.cells[7].p < 1e-6);
	assert_near(calm.gate.cells[7].p_adjusted, NAN, 0);
	assert_true(isfinite(calm.gate.cells[7].low));
	assert_false(calm.gate.cells[7].regression);
	gate_release(&calm.gate);
}

static void absent_runs_change_only_their_own_operator(void **state)
{
	struct calm calm;
	const struct weir_gate_cell *cells;

	(void)state;
	calm_init(&calm, SUBJECTS, 6, 3);
	slow(&calm, 2, 0.20);
	calm.y[2 * calm.runs + 1] = NAN; /* one baseline run less */
	calm.y[2 * calm.runs + 8] = NAN; /* and one candidate run */
	for (size_t r = 6; r < 9; r++)
		calm.y[4 * calm.runs + r] = NAN; /* gone */
	for (size_t r = 0; r < 6; r++)
		calm.y[5 * calm.runs + r] = NAN; /* new */
	judge(&calm.gate);
	cells = calm.gate.cells;
	assert_int_equal(cells[2].baseline_runs, 5);
	assert_int_equal(cells[2].candidate_runs, 2);
	assert_near(cells[2].residual_df, 5, 0);
	assert_near(cells[2].width, 1.0 / 5 + 1.0 / 2, 1e-15);
	assert_near(cells[2].df - cells[2].residual_df, cells[3].df - cells[3].residual_df, 1e-12);
	assert_true(cells[2].regression);
	assert_false(cells[4].tested || cells[5].tested);
	assert_near(cells[4].change, NAN, 0);
	assert_near(cells[5].change, NAN, 0);
	assert_true(isfinite(cells[4].baseline) && isfinite(cells[5].candidate));
	gate_release(&calm.gate);
}

static void a_new_operator_joins_with_three_baseline_runs(void **state)
{
	struct calm calm;

	(void)state;
	calm_init(&calm, SUBJECTS, 5, 3);
	calm.y[0] = calm.y[1] = NAN;
	calm.y[calm.runs] = calm.y[calm.runs + 1] = calm.y[calm.runs + 2] = NAN;
	judge(&calm.gate);
	assert_true(calm.gate.cells[0].tested);
	assert_false(calm.gate.cells[1].tested);
	gate_release(&calm.gate);
}

static void equal_constants_are_no_change(void **state)
{
	struct calm calm;

	(void)state;
	calm_init(&calm, 6, 5, 3);
	for (size_t i = 0; i < 6 * calm.runs; i++)
		calm.y[i] = 3;
	judge(&calm.gate);
	assert_near(calm.gate.cells[0].change, 0, 0);
	assert_near(calm.gate.cells[0].p, 0.5, 1e-12);
	assert_true(calm.gate.cells[0].no_change);
	gate_release(&calm.gate);
}

/* A cell that is a regression until a test removes the reason. */
static struct weir_gate_cell clear_regression(void)
{
	return (struct weir_gate_cell){.tested = true,
	                               .change = 0.2,
	                               .margin = 0.05,
	                               .baseline_runs = 5,
	                               .candidate_runs = 3,
	                               .df = 6,
	                               .p_rank = 1.0 / 56,
	                               .p_rank_least = 1.0 / 56,
	                               .p_adjusted = 0.001,
	                               .p_faster_adjusted = 1,
	                               .variance = 1e-4,
	                               .total_variance = 1e-4,
	                               .total_df = 6,
	                               .width = 0.5};
}

static bool is_red(struct weir_gate_cell cell)
{
	struct weir_gate_family family = {{{&cell, 1}}, 1};

	weir_gate_decide(&family, 0.01);
	return cell.regression;
}

static void every_condition_can_stop_a_regression(void **state)
{
	struct weir_gate_cell cell = clear_regression();

	(void)state;
	assert_true(is_red(cell));
	cell.p_adjusted = 0.01;
	assert_true(is_red(cell));
	cell.p_adjusted = 0.0101;
	assert_false(is_red(cell));
	cell = clear_regression();
	cell.tested = false;
	assert_false(is_red(cell));
	cell = clear_regression();
	cell.p_rank = NAN;
	assert_false(is_red(cell));
}

static void ranks_must_agree_as_far_as_the_runs_allow(void **state)
{
	struct weir_gate_cell cell = clear_regression();

	(void)state;
	cell.p_rank_least = 1.0 / 3003; /* 10 against 5 */
	cell.p_rank = 0.01;
	assert_true(is_red(cell));
	cell.p_rank = 0.0101;
	assert_false(is_red(cell));
	cell.p_rank_least = 1.0 / 20; /* 3 against 3 reach no less */
	cell.p_rank = 1.0 / 20;
	assert_true(is_red(cell));
	cell.p_rank = 2.0 / 20;
	assert_false(is_red(cell));
}

static void a_change_may_miss_its_margin_by_what_chance_explains(void **state)
{
	struct weir_gate_cell cell = clear_regression();
	/* t(0.8) of 6 degrees is 0.9057, and the standard error sqrt(1e-5 x 0.5). */
	double slack = 0.9057 * 0.00223607;

	(void)state;
	cell.variance = 1e-5;
	cell.change = cell.margin - slack + 1e-5;
	assert_true(is_red(cell));
	cell.change = cell.margin - slack - 1e-5;
	assert_false(is_red(cell));
	cell.variance = 1; /* a tenth of the margin at most */
	cell.change = 0.9 * cell.margin - 1e-5;
	assert_false(is_red(cell));
	cell.change = 0.9 * cell.margin + 1e-5;
	assert_true(is_red(cell));
	cell.candidate_runs = 1; /* the change itself must reach it */
	cell.change = cell.margin - 1e-5;
	assert_false(is_red(cell));
	cell.change = cell.margin + 1e-5;
	assert_true(is_red(cell));
	cell.candidate_runs = 3;
	cell.single = true;
	cell.change = cell.margin - 1e-5;
	assert_false(is_red(cell));
}

static void the_leading_row_may_miss_its_margin_by_more(void **state)
{
	struct weir_gate_cell cell = clear_regression();
	double slack = 1.13416 * 0.00223607; /* t(0.85) of 6 degrees */

	(void)state;
	cell.counts_as = 5.0 / 3;
	cell.variance = 1e-5;
	cell.change = cell.margin - slack + 1e-5;
	assert_true(is_red(cell));
	cell.change = cell.margin - slack - 1e-5;
	assert_false(is_red(cell));
	cell.variance = 1; /* 15 % of the margin at most */
	cell.change = 0.85 * cell.margin + 1e-5;
	assert_true(is_red(cell));
	cell.change = 0.85 * cell.margin - 1e-5;
	assert_false(is_red(cell));
	cell.change = 0.9 * cell.margin + 1e-5;
	cell.counts_as = 2; /* half of the level leads no more */
	assert_true(is_red(cell));
	cell.change = 0.9 * cell.margin - 1e-5;
	assert_false(is_red(cell));
}

static struct weir_gate_cell weighted(double p, double counts_as, bool tested)
{
	return (struct weir_gate_cell){.tested = tested,
	                               .p = p,
	                               .p_faster = 1 - p,
	                               .p_adjusted = NAN,
	                               .rows = 2,
	                               .counts_as = counts_as};
}

static void a_row_counts_as_the_tests_that_the_caller_says(void **state)
{
	/* Row 1 of three subjects, then row 2. */
	struct weir_gate_cell cells[] = {weighted(0.001, 1, true), weighted(0.5, 1, true),
	                                 weighted(0.1, 1, false),  weighted(0.001, 5, true),
	                                 weighted(0.9, 5, true),   weighted(0.1, 5, false)};
	struct weir_gate_cell figure = {.tested = true, .p = 0.01, .p_faster = 0.99};
	struct weir_gate_family family = {{{cells, 6}, {&figure, 1}}, 2};

	(void)state;
	weir_gate_adjust(&family);
	/* Two tested subjects of the table and the figure. */
	assert_near(cells[0].p_adjusted, 0.003, 1e-12);
	assert_near(cells[3].p_adjusted, 0.015, 1e-12);
	assert_near(cells[1].p_faster_adjusted, 1, 0);
	assert_near(cells[4].p_adjusted, 1, 0);
	assert_near(cells[2].p_adjusted, NAN, 0);
	assert_near(figure.p_adjusted, 0.03, 1e-12);
	assert_near(cells[3].tests, 15, 0);
}

static void a_tail_needs_more_iterations_as_well(void **state)
{
	double tail[8], floor = 1.0 / 300;
	struct calm calm;

	(void)state;
	calm_init(&calm, 1, 5, 3);
	slow(&calm, 0, 0.3);
	calm.gate.in.tail = tail;
	calm.gate.in.tail_floor = &floor;
	for (size_t r = 0; r < 8; r++)
		tail[r] = r < 5 ? 0.2 : 0.21;
	judge(&calm.gate);
	/* 0.01 / sqrt(8/15 / 300) is 0.237 standard errors. */
	assert_near(calm.gate.cells[0].p, 0.4063, 1e-3);
	assert_false(calm.gate.cells[0].regression);
	for (size_t r = 5; r < 8; r++)
		tail[r] = 0.4;
	weir_gate_stages(&calm.gate.in, calm.gate.cells);
	/* 4.74 standard errors, yet the t test of the quantile has the larger p. */
	assert_near(calm.gate.cells[0].p_tail, 1.06e-6, 0.02);
	gate_release(&calm.gate);
}

/* Returns the cell of one stage whose candidate runs lie at +5 % and `apart` around that. */
static struct weir_gate_cell scattered_by(double apart)
{
	struct weir_gate_cell cell;
	struct calm calm;

	calm_init(&calm, 1, 8, 3);
	for (size_t r = 0; r < calm.runs; r++)
		calm.y[r] = r < 8 ? (r % 2 ? 0.01 : -0.01) : 0.05 + apart * ((double)r - 9);
	weir_gate_stages(&calm.gate.in, calm.gate.cells);
	cell = calm.gate.cells[0];
	gate_release(&calm.gate);
	return cell;
}

static void a_noisier_candidate_widens_its_test(void **state)
{
	/* Variances of 1e-4 * 8/7 and of `apart` squared. */
	struct weir_gate_cell equal = scattered_by(0.01), noisy = scattered_by(0.03);
	double ratio = 9e-4 / (1e-4 * 8 / 7);

	(void)state;
	assert_near(equal.width, 1.0 / 8 + 1.0 / 3, 1e-12);
	assert_near(equal.noise, 0, 0);
	assert_near(noisy.width, 1.0 / 8 + ratio / 3, 1e-12);
	assert_near(noisy.noise, noisy.width / equal.width, 1e-12);
	assert_near(noisy.variance, 1e-4 * 8 / 7, 1e-9);
	assert_near(noisy.p, weir_t_upper(0.05 / sqrt(noisy.variance * noisy.width), 9), 1e-9);
}

/* One candidate run cannot tell that the baseline's shares scatter less than they would in more
 * runs. */
static void a_tail_of_one_run_is_held_against_a_t_distribution(void **state)
{
	double tail[10], floor = 1.0 / 300;
	double deviation = 0.1 * sqrt(8.0 / 7); /* four of eight to each side */
	struct calm calm;

	(void)state;
	calm_init(&calm, 1, 8, 1);
	slow(&calm, 0, 0.3);
	calm.gate.in.tail = tail;
	calm.gate.in.tail_floor = &floor;
	for (size_t r = 0; r < 8; r++)
		tail[r] = r % 2 ? 0.2 : 0.4;
	tail[8] = 0.8;
	weir_gate_stages(&calm.gate.in, calm.gate.cells);
	assert_near(calm.gate.cells[0].p_tail, weir_t_upper(0.5 / (deviation * sqrt(9.0 / 8)), 7),
	            1e-9);
	/* Scatter that chance explains is known. */
	for (size_t r = 0; r < 8; r++)
		tail[r] = 0.3;
	weir_gate_stages(&calm.gate.in, calm.gate.cells);
	assert_near(calm.gate.cells[0].p_tail, weir_t_upper(0.5 / sqrt(9.0 / 8 / 300), INFINITY),
	            1e-9);
	gate_release(&calm.gate);
}

/* Deviations of each subject from the means of its sides: independent ones, and the same for all.
 */
static void stages_know_of_each_other_as_far_as_they_are_independent(void **state)
{
	struct weir_gate_cell alone[4];
	const struct weir_gate_cell *cells;
	struct calm calm;
	uint64_t seed = 3;

	(void)state;
	calm_init(&calm, 4, 5, 3);
	for (size_t i = 0; i < 4 * calm.runs; i++)
		calm.y[i] = 5 + 0.01 * noise(&seed);
	cells = calm.gate.cells;
	weir_gate_stages(&calm.gate.in, calm.gate.cells);
	memcpy(alone, cells, sizeof alone);
	calm.gate.in.pooled = true;
	weir_gate_stages(&calm.gate.in, calm.gate.cells);
	for (size_t m = 0; m < 4; m++) {
		assert_near(alone[m].df, 6, 0);
		assert_true(cells[m].df > 7 && cells[m].df <= 6 + 9); /* 0.5 (4 - 1) 6 */
		assert_true(cells[m].variance >= alone[m].variance);
	}
	for (size_t i = calm.runs; i < 4 * calm.runs; i++)
		calm.y[i] = calm.y[i % calm.runs];
	weir_gate_stages(&calm.gate.in, calm.gate.cells);
	assert_near(cells[0].df, 6, 1e-9);
	gate_release(&calm.gate);
}

/* A row that is not judged has too few samples: its variance is another one. */
static void rows_that_are_not_judged_stay_out_of_the_pool(void **state)
{
	static const bool tested[] = {true, false};
	struct calm calm;
	uint64_t seed = 3;

	(void)state;
	calm_init(&calm, 2, 5, 3);
	for (size_t i = 0; i < 2 * calm.runs; i++)
		calm.y[i] = 5 + 0.01 * noise(&seed);
	calm.gate.in.pooled = true;
	calm.gate.in.tested = tested;
	weir_gate_stages(&calm.gate.in, calm.gate.cells);
	assert_near(calm.gate.cells[0].df, 6, 0);
	gate_release(&calm.gate);
}

static void a_family_spans_tables(void **state)
{
	struct weir_gate_cell one = {.tested = true, .p = 0.01, .p_faster = 0.99};
	struct weir_gate_cell two[] = {
		{.tested = true, .p = 0.02, .p_faster = 0.98},
		{.tested = false, .p = 1e-9, .p_faster = 1, .p_adjusted = NAN},
		{.tested = true, .p = 0.9, .p_faster = 0.1},
	};
	struct weir_gate_family family = {{{&one, 1}, {two, 3}}, 2};

	(void)state;
	weir_gate_adjust(&family);
	assert_int_equal(weir_gate_tests(&family), 3);
	assert_near(one.p_adjusted, 0.03, 1e-12);
	assert_near(two[0].p_adjusted, 0.04, 1e-12);
	assert_near(two[1].p_adjusted, NAN, 0);
	assert_near(two[2].p_adjusted, 0.9, 1e-12);
	assert_near(two[2].p_faster_adjusted, 0.3, 1e-12);
}

static void rules_of_one_subject_replace_the_margin_of_the_row(void **state)
{
	double own[SUBJECTS];
	struct calm calm;

	(void)state;
	calm_init(&calm, SUBJECTS, 5, 3);
	slow(&calm, 7, 0.15);
	for (size_t m = 0; m < SUBJECTS; m++)
		own[m] = 0.25;
	calm.gate.in.subject_margins = own;
	judge(&calm.gate);
	assert_near(calm.gate.cells[7].margin, log(1.25), 1e-12);
	assert_false(calm.gate.cells[7].regression);
	gate_release(&calm.gate);
}

static void what_could_be_seen_is_said(void **state)
{
	struct calm calm;
	const struct weir_gate_cell *cell;

	(void)state;
	calm_init(&calm, 6, 5, 3);
	for (size_t i = 0; i < calm.runs; i++) /* 5 % between runs */
		calm.y[i] += i % 2 ? 0.05 : -0.05;
	judge(&calm.gate);
	cell = &calm.gate.cells[0];
	assert_true(cell->mde > log(1.06));
	assert_true(cell->runs_needed > 3 || cell->baseline_needed > 5 ||
	            (isnan(cell->runs_needed) && isnan(cell->baseline_needed)));
	assert_true(calm.gate.cells[1].mde >= log(1.03));
	assert_true(calm.gate.cells[1].mde < cell->mde);
	gate_release(&calm.gate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_gates_equal_the_vectors),
		cmocka_unit_test(one_slow_operator_is_the_only_regression),
		cmocka_unit_test(a_faster_operator_is_an_improvement),
		cmocka_unit_test(all_operators_slower_is_one_finding),
		cmocka_unit_test(one_candidate_run_gives_a_prediction_interval),
		cmocka_unit_test(two_candidate_runs_need_four_baseline_runs),
		cmocka_unit_test(a_masked_cell_is_computed_but_not_counted),
		cmocka_unit_test(absent_runs_change_only_their_own_operator),
		cmocka_unit_test(a_new_operator_joins_with_three_baseline_runs),
		cmocka_unit_test(equal_constants_are_no_change),
		cmocka_unit_test(every_condition_can_stop_a_regression),
		cmocka_unit_test(ranks_must_agree_as_far_as_the_runs_allow),
		cmocka_unit_test(a_change_may_miss_its_margin_by_what_chance_explains),
		cmocka_unit_test(the_leading_row_may_miss_its_margin_by_more),
		cmocka_unit_test(a_row_counts_as_the_tests_that_the_caller_says),
		cmocka_unit_test(a_tail_needs_more_iterations_as_well),
		cmocka_unit_test(a_tail_of_one_run_is_held_against_a_t_distribution),
		cmocka_unit_test(a_noisier_candidate_widens_its_test),
		cmocka_unit_test(stages_know_of_each_other_as_far_as_they_are_independent),
		cmocka_unit_test(rows_that_are_not_judged_stay_out_of_the_pool),
		cmocka_unit_test(a_family_spans_tables),
		cmocka_unit_test(rules_of_one_subject_replace_the_margin_of_the_row),
		cmocka_unit_test(what_could_be_seen_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
