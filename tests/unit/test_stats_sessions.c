/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variance components of sessions: against values of an independent least-squares fit with one
 * indicator per session, and of quadratic forms written as matrices (numpy 1.24). */
#include <math.h>
#include <stdlib.h>

#include "engine/stats/gate.h"
#include "engine/stats/moderated.h"
#include "engine/stats/sessions.h"
#include "tests/unit/near.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const double blocked[] = {1.02, 0.98, 1.11, 1.35, 1.29, 1.08, 1.21, 1.16, 1.44, 0.90};
static const size_t blocks[] = {0, 0, 1, 2, 2, 0, 1, 1, 2, 3};

static double mean(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return sum / (double)count;
}

static double squares(const double *values, size_t count)
{
	double centre = mean(values, count), sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (values[i] - centre) * (values[i] - centre);
	return sum;
}

static void blocks_give_the_least_squares_fit(void **state)
{
	const struct weir_session_layout layout = {COUNT(blocked), 5, 4, blocks};
	double aligned[COUNT(blocked)];
	struct weir_block_fit fit;

	(void)state;
	weir_block_align(&layout, blocked, aligned, &fit);
	assert_near(mean(aligned + 5, 5) - mean(aligned, 5), 0.09166666666666717, 1e-12);
	assert_near(squares(aligned, 5) + squares(aligned + 5, 5), 0.004661111111111116, 1e-12);
	assert_near(fit.width, 0.5, 1e-12);
	assert_int_equal(fit.lost, 3);
	assert_near(mean(aligned, COUNT(blocked)), mean(blocked, COUNT(blocked)), 1e-12);
	/* The grand mean stays. */
	assert_near(mean(aligned, COUNT(blocked)) - (mean(aligned + 5, 5) - mean(aligned, 5)) / 2,
	            mean(aligned, 5), 1e-12);
}

static void an_absent_run_leaves_the_fit_of_the_others(void **state)
{
	double y[COUNT(blocked) + 1], aligned[COUNT(blocked) + 1], all[COUNT(blocked)];
	size_t session[COUNT(blocked) + 1];
	struct weir_session_layout layout = {COUNT(blocked), 5, 4, blocks};
	struct weir_block_fit fit, without;

	(void)state;
	weir_block_align(&layout, blocked, all, &without);
	for (size_t i = 0; i < COUNT(blocked); i++) {
		y[i] = blocked[i];
		session[i] = blocks[i];
	}
	y[COUNT(blocked)] = NAN;
	session[COUNT(blocked)] = 0;
	layout = (struct weir_session_layout){COUNT(blocked) + 1, 5, 4, session};
	weir_block_align(&layout, y, aligned, &fit);
	assert_near(fit.width, without.width, 1e-12);
	for (size_t i = 0; i < COUNT(blocked); i++)
		assert_near(aligned[i], all[i], 1e-12);
	assert_true(isnan(aligned[COUNT(blocked)]));
}

/* The last of five sessions has no run. */
static void an_empty_session_leaves_the_fit_of_the_others(void **state)
{
	const struct weir_session_layout four = {COUNT(blocked), 5, 4, blocks};
	const struct weir_session_layout five = {COUNT(blocked), 5, 5, blocks};
	double aligned[COUNT(blocked)], all[COUNT(blocked)];
	struct weir_block_fit fit, without;

	(void)state;
	weir_block_align(&four, blocked, all, &without);
	weir_block_align(&five, blocked, aligned, &fit);
	assert_near(fit.width, without.width, 0);
	assert_int_equal(fit.lost, without.lost);
	for (size_t i = 0; i < COUNT(blocked); i++)
		assert_near(aligned[i], all[i], 0);
}

static void without_a_shared_block_there_is_no_change(void **state)
{
	static const double y[] = {1, 2, 3, 4};
	static const size_t session[] = {0, 0, 1, 1};
	const struct weir_session_layout layout = {4, 2, 2, session};
	double aligned[4];
	struct weir_block_fit fit;

	(void)state;
	weir_block_align(&layout, y, aligned, &fit);
	assert_true(isnan(fit.width));
	assert_true(isnan(aligned[0]));
}

static const double nested[] = {1.02, 0.98, 1.04, 1.11, 1.13, 1.35, 1.29,
                                1.31, 1.36, 1.20, 1.25, 1.21, 1.16, 1.44};
static const size_t sessions[] = {0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 4, 4, 4, 5};

static void sessions_of_unequal_size_have_their_components(void **state)
{
	static const double means[] = {1.0133333333333332, 1.12, 1.3275000000000001, 1.2,
	                               1.2066666666666666, 1.44};
	const struct weir_session_layout layout = {COUNT(nested), 10, 6, sessions};
	double found[6], variance = 0.01997026909722223, df = 4;
	struct weir_session_error error;

	(void)state;
	weir_session_reduce(&layout, nested, found, &error);
	for (size_t i = 0; i < 6; i++)
		assert_near(found[i], means[i], 1e-12);
	assert_near(error.variance, 0.0011760416666666681, 1e-12);
	assert_near(error.df, 8, 0);
	assert_near(error.excess, 0.045572916666666574, 1e-12);
	assert_near((squares(found, 4) + squares(found + 4, 2)) / 4, variance, 1e-12);
	weir_session_combine(&error, 0.75, &variance, &df);
	assert_near(variance, 0.020041729962384267, 1e-12);
	assert_near(df, 4.028652327162364, 1e-9);
}

/* The same runs with one that is absent, and with a session that has no run. */
static void absent_runs_and_sessions_leave_the_components_of_the_others(void **state)
{
	double y[COUNT(nested) + 1], found[7], all[6];
	size_t session[COUNT(nested) + 1];
	const struct weir_session_layout layout = {COUNT(nested), 10, 6, sessions};
	const struct weir_session_layout more = {COUNT(nested) + 1, 10, 7, session};
	struct weir_session_error error, without;

	(void)state;
	for (size_t i = 0; i < COUNT(nested); i++) {
		y[i] = nested[i];
		session[i] = sessions[i];
	}
	y[COUNT(nested)] = NAN;
	session[COUNT(nested)] = 5;
	weir_session_reduce(&layout, nested, all, &without);
	weir_session_reduce(&more, y, found, &error);
	for (size_t i = 0; i < 6; i++)
		assert_near(found[i], all[i], 0);
	assert_near(found[6], NAN, 0);
	assert_near(error.variance, without.variance, 0);
	assert_near(error.df, without.df, 0);
	assert_near(error.excess, without.excess, 0);
}

static void without_excess_the_variance_stays(void **state)
{
	const struct weir_session_error none = {.variance = NAN, .df = 0, .excess = 0};
	const struct weir_session_error equal = {.variance = 0, .df = 0, .excess = 0.1};
	double variance = 0.5, df = 2;

	(void)state;
	weir_session_combine(&none, 0.75, &variance, &df);
	weir_session_combine(&equal, 0.75, &variance, &df);
	assert_near(variance, 0.5, 0);
	assert_near(df, 2, 0);
}

/* Equal numbers of runs: the t test on session means is exact. */
static void sessions_of_equal_size_need_no_more_than_their_means(void **state)
{
	static const double y[] = {1, 1.2, 2, 2.2, 3, 3.2, 4, 4.4};
	static const size_t session[] = {0, 0, 1, 1, 2, 2, 3, 3};
	const struct weir_session_layout layout = {8, 6, 4, session};
	double means[4], variance = 0.5, df = 2;
	struct weir_session_error error;

	(void)state;
	weir_session_reduce(&layout, y, means, &error);
	assert_near(error.excess, 0, 0);
	weir_session_combine(&error, 4.0 / 3, &variance, &df);
	assert_near(variance, 0.5, 0);
	assert_near(df, 2, 0);
}

/* Subjects that move together know no more about the variance than one of them. */
static void only_independent_subjects_moderate_each_other(void **state)
{
	static const double together[] = {1, -1, 2, -2, 3, -3, 2, -2, 4, -4, 6, -6};
	static const double apart[] = {1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1, 1};
	double variances[3] = {1, 4, 9}, df[3] = {3, 3, 3};
	struct weir_variance_pool pool = {together, 2, 6, variances, df};

	(void)state;
	assert_near(weir_pool_independent(&pool), 1, 1e-12);
	weir_pool_moderate(&pool);
	assert_near(variances[0], 1, 0);
	assert_near(df[0], 3, 0);
	pool = (struct weir_variance_pool){apart, 3, 4, variances, df};
	assert_near(weir_pool_independent(&pool), 3, 1e-12);
	weir_pool_moderate(&pool);
	/* Half of (3 - 1) x 3 prior degrees of freedom; a variance rises, and never falls. */
	assert_near(df[0], 6, 1e-12);
	assert_true(variances[0] > 1);
	assert_near(variances[2], 9, 0);
}

/* Squared correlations: 1/2 of the first two, 0 and 1/10 with the third. */
static const double related[] = {1, -1, 2, -2, 1, 0, 2, 0, 1, 1, 0, 0};

static double independent_of(size_t subjects, double df)
{
	double variances[3] = {1, 4, 9}, each[3] = {df, df, df};
	struct weir_variance_pool pool = {related, subjects, 4, variances, each};

	return weir_pool_independent(&pool);
}

static void independent_subjects_follow_their_formula(void **state)
{
	(void)state;
	assert_near(independent_of(1, 3), 1, 0);
	assert_near(independent_of(2, 3), 2 / 1.25, 1e-12); /* (1/2 - 1/3) / (1 - 1/3) = 1/4 */
	assert_near(independent_of(2, 2), 2, 1e-12);        /* as much as chance */
	assert_near(independent_of(2, 1.5), 2, 1e-12);
	assert_near(independent_of(2, 1), 1, 0);
	assert_near(independent_of(3, 9), 3 / 1.2, 1e-12); /* (1/5 - 1/9) / (1 - 1/9) = 1/10 */
}

static void subjects_that_do_not_scatter_count_as_one_with_others(void **state)
{
	static const double still[] = {1, -1, 2, -2, 0, 0, 0, 0};
	static const double gaps[] = {1, NAN, 2, -1, -2, 1, -7, 2, 4, NAN};
	double variances[2] = {1, 4}, df[2] = {3, 3};
	struct weir_variance_pool pool = {still, 2, 4, variances, df};

	(void)state;
	assert_near(weir_pool_independent(&pool), 1, 1e-12);
	/* Over the columns that both have: (1, 2, -1) and (1, 2, 4), 1/14 x 1/21. */
	pool.deviations = gaps;
	pool.columns = 5;
	assert_near(weir_pool_independent(&pool), 2, 1e-12);
	variances[1] = 0;
	pool.deviations = related;
	pool.columns = 4;
	assert_near(weir_pool_independent(&pool), 1, 0);
}

/* Twelve runs of four jobs against three of another: the t test has 3 degrees of freedom. */
static void the_gate_counts_sessions_and_not_runs(void **state)
{
	static const double y[] = {0.00, 0.01, 0.02, 0.03, 0.10};
	static const double margins[] = {0.03};
	static const struct weir_session_error error = {.variance = 1, .df = 10};
	const struct weir_gate_input in = {.rows = 1,
	                                   .subjects = 1,
	                                   .baseline_runs = 4,
	                                   .candidate_runs = 1,
	                                   .y = y,
	                                   .margins = margins,
	                                   .errors = &error};
	struct weir_gate_cell cell;

	(void)state;
	weir_gate_stages(&in, &cell);
	assert_true(cell.tested);
	assert_near(cell.df, 3, 0);
	assert_near(cell.variance, 0.0005 / 3, 1e-12);
	assert_near(cell.width, 1.25, 1e-12);
	assert_true(cell.single);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_give_the_least_squares_fit),
		cmocka_unit_test(an_absent_run_leaves_the_fit_of_the_others),
		cmocka_unit_test(an_empty_session_leaves_the_fit_of_the_others),
		cmocka_unit_test(without_a_shared_block_there_is_no_change),
		cmocka_unit_test(sessions_of_unequal_size_have_their_components),
		cmocka_unit_test(absent_runs_and_sessions_leave_the_components_of_the_others),
		cmocka_unit_test(without_excess_the_variance_stays),
		cmocka_unit_test(sessions_of_equal_size_need_no_more_than_their_means),
		cmocka_unit_test(only_independent_subjects_moderate_each_other),
		cmocka_unit_test(independent_subjects_follow_their_formula),
		cmocka_unit_test(subjects_that_do_not_scatter_count_as_one_with_others),
		cmocka_unit_test(the_gate_counts_sessions_and_not_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
