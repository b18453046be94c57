/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shrunken variances against tests/vectors/moderated_t.json, made with limma. */
#include <stdlib.h>

#include "engine/stats/moderated.h"
#include "engine/stats/moments.h"
#include "engine/stats/special.h"
#include "tests/unit/near.h"
#include "tests/unit/vectors.h"

#define RELATIVE 1e-7

/* Returns the sum of squared deviations from the mean. */
static double squares(const double *values, size_t count)
{
	return count > 1 ? weir_variance(values, count) * (double)(count - 1) : 0;
}

static void compare(const cJSON *one)
{
	size_t b = (size_t)number(one, "B");
	size_t c = (size_t)number(one, "C");
	size_t count = 0;
	double *delta = numbers(one, "delta", &count);
	double *y = numbers(one, "Y", NULL);
	double *s2 = numbers(one, "s2", NULL);
	double *s2_post = numbers(one, "s2_post", NULL);
	double *t = numbers(one, "t", NULL);
	double *df = malloc(count * sizeof(*df));
	double *variances = malloc(count * sizeof(*variances));
	struct weir_variances in = {variances, df, count};
	struct weir_shrinkage prior;
	struct weir_error err = {0};

	for (size_t m = 0; m < count; m++) {
		const double *runs = y + m * (b + c);

		df[m] = (double)(b + c - 2);
		variances[m] = (squares(runs, b) + squares(runs + b, c)) / df[m];
		assert_near(variances[m], s2[m], RELATIVE);
		assert_near(weir_mean(runs + b, c) - weir_mean(runs, b), delta[m], RELATIVE);
	}
	if (weir_shrink(&in, INFINITY, variances, &prior, &err))
		fail_msg("%s", err.message);
	if (isinf(number(one, "df_prior")))
		assert_true(isinf(prior.prior_df));
	else
		assert_near(prior.prior_df, number(one, "df_prior"), RELATIVE);
	assert_near(prior.prior_variance, number(one, "s2_prior"), RELATIVE);
	for (size_t m = 0; m < count; m++) {
		double width = 1 / (double)b + 1 / (double)c;

		assert_near(variances[m], s2_post[m], RELATIVE);
		assert_near(delta[m] / sqrt(variances[m] * width), t[m], RELATIVE);
	}
	free(delta), free(y), free(s2), free(s2_post), free(t), free(df), free(variances);
}

static void shrinkage_equals_the_vectors(void **state)
{
	cJSON *document = read_vectors("moderated_t");
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "cases")) {
		compare(one);
		cases++;
	}
	assert_int_equal(cases, 7);
	cJSON_Delete(document);
}

/* The tails of what limma calls p_greater, on df_total. */
static void tails_equal_the_vectors(void **state)
{
	cJSON *document = read_vectors("moderated_t");
	const cJSON *one;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "cases")) {
		size_t count = 0;
		double *t = numbers(one, "t", &count);
		double *df = numbers(one, "df_total", NULL);
		double *p = numbers(one, "p_greater", NULL);

		for (size_t m = 0; m < count; m++)
			assert_near(weir_t_upper(t[m], df[m]), p[m], RELATIVE);
		free(t), free(df), free(p);
	}
	cJSON_Delete(document);
}

static void the_ceiling_bounds_the_prior(void **state)
{
	double variances[] = {1, 1.01, 0.99, 1.005, 0.995};
	const double df[] = {6, 6, 6, 6, 6};
	struct weir_variances in = {variances, df, 5};
	struct weir_shrinkage prior;

	(void)state;
	assert_int_equal(weir_shrink(&in, WEIR_SHRINK_MOST_PRIOR_DF, variances, &prior, NULL),
	                 WEIR_OK);
	assert_near(prior.prior_df, 50, 0);
	assert_near(prior.prior_variance, 1, 1e-2);
	assert_near(variances[1], (50 * prior.prior_variance + 6 * 1.01) / 56, 1e-12);
}

static void a_variance_of_zero_is_survived(void **state)
{
	double variances[] = {0, 1, 2, 0.5, 3};
	const double df[] = {6, 6, 6, 6, 6};
	struct weir_variances in = {variances, df, 5};
	struct weir_shrinkage prior;

	(void)state;
	assert_int_equal(weir_shrink(&in, 50, variances, &prior, NULL), WEIR_OK);
	assert_true(variances[0] > 0 && isfinite(variances[0]));
}

static void a_variance_that_is_not_known_is_an_error(void **state)
{
	double variances[] = {NAN, 1, 2};
	const double df[] = {6, 6, 6};
	struct weir_variances in = {variances, df, 3};
	struct weir_shrinkage prior;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_shrink(&in, 50, variances, &prior, &err), WEIR_E_INTERNAL);
	assert_true(err.message[0] != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shrinkage_equals_the_vectors),
		cmocka_unit_test(tails_equal_the_vectors),
		cmocka_unit_test(the_ceiling_bounds_the_prior),
		cmocka_unit_test(a_variance_of_zero_is_survived),
		cmocka_unit_test(a_variance_that_is_not_known_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
