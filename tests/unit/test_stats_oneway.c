/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stddef.h>

#include "engine/base/splitmix.h"
#include "engine/stats/oneway.h"
#include "engine/stats/special.h"
#include "tests/unit/near.h"

/* Dried weights of plants under a control and two treatments: A. J. Dobson, An Introduction to
 * Statistical Modelling, 1983; R has them as PlantGrowth. */
static const double weights[] = {4.17, 5.58, 5.18, 6.11, 4.50, 4.61, 5.17, 4.53, 5.33, 5.14,
                                 4.81, 4.17, 4.41, 3.59, 5.87, 3.83, 6.03, 4.89, 4.32, 4.69,
                                 6.31, 5.12, 5.54, 5.50, 5.37, 5.29, 4.92, 6.15, 5.80, 5.26};

static void published_figures_are_met(void **state)
{
	struct weir_oneway result;
	size_t group[30];

	(void)state;
	for (size_t i = 0; i < 30; i++)
		group[i] = i / 10;
	result = weir_oneway(weights, group, 30, 3);
	/* R: summary(aov(weight ~ group, PlantGrowth)) gives F 4.846 and p 0.0159. */
	assert_near(result.f, 4.846087862, 1e-8);
	assert_near(result.p, 0.01590996, 1e-6);
	/* With two degrees of freedom, the tail is (1 + 2 f / d)^(-d / 2). */
	assert_near(result.p, pow(1 + 2 * result.f / 27, -13.5), 1e-12);
	/* SSB 3.76634, SSW 10.49209 on 27: (3.76634 - 2 x 0.388596) / (14.25843 + 0.388596) */
	assert_near(result.share, 0.2040788, 1e-6);
}

static void two_groups_are_a_t_test(void **state)
{
	const double values[] = {1, 2, 4, 3, 7, 6};
	const size_t group[] = {0, 0, 0, 0, 1, 1};
	/* Means 2.5 and 6.5, SSW 5 + 0.5 on 4, so t = 4 / sqrt(1.375 x 0.75). */
	double t = 4 / sqrt(1.375 * 0.75);
	struct weir_oneway result = weir_oneway(values, group, 6, 2);

	(void)state;
	assert_near(result.f, t * t, 1e-12);
	assert_near(result.p, 2 * weir_t_upper(t, 4), 1e-12);
	/* SSB 4^2 x 8/6: (21.3333 - 1.375) / (26.8333 + 1.375) */
	assert_near(result.share, (64.0 / 3 - 1.375) / (64.0 / 3 + 5.5 + 1.375), 1e-12);
}

static void equal_means_explain_nothing(void **state)
{
	const double values[] = {1, 3, 1, 3};
	const size_t group[] = {0, 0, 1, 1};
	struct weir_oneway result = weir_oneway(values, group, 4, 2);

	(void)state;
	assert_near(result.f, 0, 0);
	assert_near(result.p, 1, 0);
	assert_near(result.share, 0, 0); /* not below */
}

static void values_that_differ_between_groups_only_are_explained_wholly(void **state)
{
	const double values[] = {0.1, 0.1, 0.1, 0.3, 0.3};
	const size_t group[] = {0, 0, 0, 1, 1};
	struct weir_oneway result = weir_oneway(values, group, 5, 2);

	(void)state;
	assert_near(result.share, 1, 0);
	assert_true(isinf(result.f));
	assert_near(result.p, 0, 0);
}

static void nothing_is_tested_without_groups_or_variance(void **state)
{
	const double values[] = {1, 2, 3}, equal[] = {0.1, 0.1, 0.1};
	const size_t one[] = {0, 0, 0}, two[] = {0, 0, 1}, each[] = {0, 1, 2};

	(void)state;
	assert_true(isnan(weir_oneway(values, one, 3, 1).p));
	assert_true(isnan(weir_oneway(values, each, 3, 3).p));
	assert_true(!isnan(weir_oneway(values, two, 3, 2).p));
	assert_true(isnan(weir_oneway(equal, two, 3, 2).p));
	assert_true(isnan(weir_oneway(NULL, NULL, 0, 0).share));
}

static void the_unit_of_the_values_does_not_matter(void **state)
{
	double values[30];
	size_t group[30];

	(void)state;
	for (size_t i = 0; i < 30; i++) {
		group[i] = i / 10;
		values[i] = weights[i] * 1e-18;
	}
	assert_near(weir_oneway(values, group, 30, 3).f, 4.846087862, 1e-8);
	assert_near(weir_oneway(values, group, 30, 3).share, 0.2040788, 1e-6);
}

static void a_large_offset_costs_no_precision(void **state)
{
	double values[30];
	size_t group[30];

	(void)state;
	for (size_t i = 0; i < 30; i++) {
		group[i] = i / 10;
		values[i] = weights[i] + 1e6;
	}
	assert_near(weir_oneway(values, group, 30, 3).f, 4.846087862, 1e-6);
}

/* Sums of uniform numbers, which are close to normal. */
static double draw(uint64_t *state)
{
	double sum = 0;

	for (int i = 0; i < 12; i++) {
		*state = weir_splitmix64(*state);
		sum += (double)(*state >> 11) / 9007199254740992.0;
	}
	return sum - 6;
}

static void random_groups_are_significant_as_often_as_the_level_says(void **state)
{
	uint64_t random = 5;
	size_t found = 0;
	double shares = 0;

	(void)state;
	for (int trial = 0; trial < 4000; trial++) {
		double values[24];
		size_t group[24];
		struct weir_oneway result;

		for (size_t i = 0; i < 24; i++) {
			values[i] = draw(&random);
			group[i] = i % 6;
		}
		result = weir_oneway(values, group, 24, 6);
		found += result.p < 0.05;
		shares += result.share;
	}
	/* 200 expected, standard deviation 14 */
	assert_in_range(found, 150, 250);
	/* Without the adjustment the mean would be 5 / 23 = 0.22. */
	assert_true(shares / 4000 < 0.08);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_figures_are_met),
		cmocka_unit_test(two_groups_are_a_t_test),
		cmocka_unit_test(equal_means_explain_nothing),
		cmocka_unit_test(values_that_differ_between_groups_only_are_explained_wholly),
		cmocka_unit_test(nothing_is_tested_without_groups_or_variance),
		cmocka_unit_test(the_unit_of_the_values_does_not_matter),
		cmocka_unit_test(a_large_offset_costs_no_precision),
		cmocka_unit_test(random_groups_are_significant_as_often_as_the_level_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
