/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distribution functions against tests/vectors/special.json, and at the ends. */
#include <stdlib.h>

#include "engine/stats/special.h"
#include "tests/unit/near.h"
#include "tests/unit/vectors.h"

#define RELATIVE 1e-8

static void tails_of_t_equal_the_vectors(void **state)
{
	cJSON *document = read_vectors("special");
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "t_sf")) {
		double t = number(one, "t");
		double df = number(one, "df");

		assert_near(weir_t_upper(t, df), number(one, "p"), RELATIVE);
		cases++;
	}
	assert_int_equal(cases, 49);
	cJSON_Delete(document);
}

static void both_tails_add_up_to_one(void **state)
{
	static const double values[] = {-3, -1, -0.5, 0, 0.5, 1, 1.5, 3};

	(void)state;
	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		double upper, lower, t = values[i];

		weir_t_tails(t, 7, &upper, &lower);
		assert_near(upper, weir_t_upper(t, 7), 1e-12);
		assert_near(lower, weir_t_upper(-t, 7), 1e-12);
		assert_near(upper + lower, 1, 1e-12);
		assert_true(t > 0 ? upper < 0.5 : upper >= 0.5);
	}
}

static void ends_of_the_range_have_infinite_quantiles(void **state)
{
	(void)state;
	assert_true(weir_t_quantile_upper(0, 5) == INFINITY);
	assert_true(weir_t_quantile_upper(1, 5) == -INFINITY);
	assert_near(weir_t_quantile_upper(1.0000001, 5), NAN, 0);
	assert_near(weir_t_quantile_upper(-1e-9, 5), NAN, 0);
	assert_near(weir_t_quantile_upper(0.5, 0), NAN, 0);
	assert_near(weir_t_upper(INFINITY, 5), 0, 0);
	assert_near(weir_t_upper(-INFINITY, 5), 1, 0);
}

static void quantiles_of_the_normal_distribution_are_met(void **state)
{
	(void)state;
	assert_near(weir_normal_quantile_upper(0.025), 1.959963984540054, 1e-12);
	assert_near(weir_normal_upper(1.959963984540054), 0.025, 1e-12);
}

/* The derivative is beyond the range of double. */
static void what_the_library_cannot_compute_is_unknown(void **state)
{
	(void)state;
	assert_near(weir_trigamma(1e-200), NAN, 0);
}

static void quantiles_of_t_equal_the_vectors(void **state)
{
	cJSON *document = read_vectors("special");
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "t_isf")) {
		assert_near(weir_t_quantile_upper(number(one, "p"), number(one, "df")),
		            number(one, "t"), RELATIVE);
		cases++;
	}
	assert_int_equal(cases, 20);
	cJSON_Delete(document);
}

static void psi_and_its_derivative_equal_the_vectors(void **state)
{
	cJSON *document = read_vectors("special");
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "psi")) {
		assert_near(weir_digamma(number(one, "x")), number(one, "psi"), RELATIVE);
		assert_near(weir_trigamma(number(one, "x")), number(one, "psi1"), RELATIVE);
		cases++;
	}
	assert_int_equal(cases, 8);
	cJSON_Delete(document);
}

static void the_inverse_of_trigamma_equals_the_vectors(void **state)
{
	cJSON *document = read_vectors("special");
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "trigamma_inverse")) {
		assert_near(weir_trigamma_inverse(number(one, "y")), number(one, "x"), RELATIVE);
		cases++;
	}
	assert_int_equal(cases, 8);
	cJSON_Delete(document);
}

static void the_inverse_of_trigamma_returns_at_both_ends(void **state)
{
	const double values[] = {1e-9, 1e-7, 9e-7, 1.1e-6, 1e-3, 1, 1e3, 9e6, 1.1e7, 1e12};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_near(weir_trigamma(weir_trigamma_inverse(values[i])), values[i], 2e-3);
}

static void far_tails_keep_their_digits(void **state)
{
	double upper, lower;

	(void)state;
	assert_true(weir_t_upper(30, 1e7) > 1e-198 && weir_t_upper(30, 1e7) < 1e-197);
	weir_t_tails(10, 12, &upper, &lower);
	assert_near(upper, 1.7906618438361874e-07, RELATIVE);
	assert_near(lower, 1, 1e-6);
	weir_t_tails(-10, 12, &lower, &upper);
	assert_near(upper, 1.7906618438361874e-07, RELATIVE);
}

static void many_degrees_of_freedom_are_the_normal(void **state)
{
	(void)state;
	assert_near(weir_t_upper(1.959963984540054, INFINITY), 0.025, 1e-12);
	assert_near(weir_t_quantile_upper(0.025, INFINITY), 1.959963984540054, 1e-12);
	assert_near(weir_t_upper(2, 1.1e6), weir_t_upper(2, 9e5), 1e-5);
}

static void outside_the_domain_there_is_no_value(void **state)
{
	(void)state;
	assert_near(weir_t_upper(NAN, 3), NAN, 0);
	assert_near(weir_t_upper(1, 0), NAN, 0);
	assert_near(weir_t_upper(1, -1), NAN, 0);
	assert_near(weir_t_upper(INFINITY, 3), 0, 0);
	assert_near(weir_t_upper(-INFINITY, 3), 1, 0);
	assert_near(weir_t_quantile_upper(1.5, 3), NAN, 0);
	assert_near(weir_t_quantile_upper(NAN, 3), NAN, 0);
	assert_near(weir_digamma(0), NAN, 0);
	assert_near(weir_trigamma(-1), NAN, 0);
	assert_near(weir_trigamma_inverse(0), NAN, 0);
	assert_near(weir_trigamma_inverse(NAN), NAN, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tails_of_t_equal_the_vectors),
		cmocka_unit_test(both_tails_add_up_to_one),
		cmocka_unit_test(ends_of_the_range_have_infinite_quantiles),
		cmocka_unit_test(quantiles_of_the_normal_distribution_are_met),
		cmocka_unit_test(what_the_library_cannot_compute_is_unknown),
		cmocka_unit_test(quantiles_of_t_equal_the_vectors),
		cmocka_unit_test(psi_and_its_derivative_equal_the_vectors),
		cmocka_unit_test(the_inverse_of_trigamma_equals_the_vectors),
		cmocka_unit_test(the_inverse_of_trigamma_returns_at_both_ends),
		cmocka_unit_test(far_tails_keep_their_digits),
		cmocka_unit_test(many_degrees_of_freedom_are_the_normal),
		cmocka_unit_test(outside_the_domain_there_is_no_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
