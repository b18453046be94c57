/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mann-Whitney, Kolmogorov-Smirnov and Brunner-Munzel against tests/vectors, made with SciPy. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/stats/descriptive.h"
#include "tests/unit/near.h"
#include "tests/unit/vectors.h"

static double side(struct weir_p_values p, const char *alternative)
{
	if (strcmp(alternative, "greater") == 0)
		return p.greater;
	return strcmp(alternative, "less") == 0 ? p.less : p.two_sided;
}

struct groups {
	struct weir_group baseline, candidate;
	double *b, *c;
};

static struct groups groups_of(const cJSON *one)
{
	struct groups groups;

	groups.b = numbers(one, "baseline", &groups.baseline.count);
	groups.c = numbers(one, "candidate", &groups.candidate.count);
	groups.baseline.values = groups.b;
	groups.candidate.values = groups.c;
	return groups;
}

static void groups_release(struct groups *groups)
{
	free(groups->b);
	free(groups->c);
}

static void mann_whitney_equals_the_vectors(void **state)
{
	cJSON *document = read_vectors("mann_whitney");
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "cases")) {
		struct groups groups = groups_of(one);
		struct weir_mann_whitney test =
			weir_mann_whitney_test(groups.baseline, groups.candidate);
		bool exact = strcmp(text(one, "method"), "exact") == 0;

		assert_near(test.u, number(one, "U"), 0);
		assert_near(side(exact ? test.exact : test.asymptotic, text(one, "alternative")),
		            number(one, "p"), exact ? 1e-12 : 1e-9);
		groups_release(&groups);
		cases++;
	}
	assert_int_equal(cases, 30);
	cJSON_Delete(document);
}

static void kolmogorov_smirnov_equals_the_vectors(void **state)
{
	cJSON *document = read_vectors("ks_2samp");
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "cases")) {
		struct groups groups = groups_of(one);
		struct weir_ks test = weir_ks_test(groups.baseline, groups.candidate);

		assert_near(test.d, number(one, "D"), 1e-12);
		assert_near(test.p_limit, number(one, "p_kolmogorov_limit"), 1e-10);
		assert_near(test.p_asymptotic, number(one, "p_asymp_scipy"), 1e-9);
		if (!isnan(test.p_exact)) /* not beyond WEIR_EXACT_PAIRS */
			assert_near(test.p_exact, number(one, "p_exact"), 1e-9);
		groups_release(&groups);
		cases += isnan(test.p_exact) ? 0 : 1;
	}
	assert_true(cases >= 6);
	cJSON_Delete(document);
}

static void brunner_munzel_equals_the_vectors(void **state)
{
	cJSON *document = read_vectors("brunner_munzel");
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "cases")) {
		struct groups groups = groups_of(one);
		struct weir_brunner_munzel test =
			weir_brunner_munzel_test(groups.baseline, groups.candidate);

		assert_near(test.w, number(one, "W"), 1e-10);
		assert_near(test.p.two_sided, number(one, "p_two"), 1e-10);
		assert_near(test.p.greater, number(one, "p_candidate_larger"), 1e-10);
		assert_near(test.probability, number(one, "phat"), 1e-10);
		assert_false(test.separated);
		groups_release(&groups);
		cases++;
	}
	assert_int_equal(cases, 4);
	cJSON_Delete(document);
}

static void separated_groups_get_the_exact_p(void **state)
{
	const double low[] = {1, 2, 3, 4};
	const double high[] = {5, 6, 7};
	struct weir_brunner_munzel test =
		weir_brunner_munzel_test((struct weir_group){low, 4}, (struct weir_group){high, 3});
	struct weir_mann_whitney exact =
		weir_mann_whitney_test((struct weir_group){low, 4}, (struct weir_group){high, 3});

	(void)state;
	assert_true(test.separated);
	assert_near(test.w, NAN, 0);
	assert_near(test.probability, 1, 0);
	assert_near(test.p.greater, 1.0 / 35, 1e-12);
	assert_near(test.p.greater, exact.exact.greater, 1e-12);
	assert_near(test.p.less, 1, 0);
	assert_near(test.p.two_sided, 2.0 / 35, 1e-12);
	test = weir_brunner_munzel_test((struct weir_group){high, 3}, (struct weir_group){low, 4});
	assert_near(test.p.less, 1.0 / 35, 1e-12);
	assert_near(test.p.greater, 1, 0);
	assert_near(test.p.two_sided, 2.0 / 35, 1e-12);
}

static void equal_values_are_no_difference(void **state)
{
	const double same[] = {5, 5, 5, 5};
	struct weir_group group = {same, 4};

	(void)state;
	assert_near(weir_brunner_munzel_test(group, group).p.two_sided, 1, 0);
	assert_near(weir_mann_whitney_test(group, group).asymptotic.two_sided, 1, 0);
	assert_near(weir_mann_whitney_test(group, group).exact.greater, NAN, 0);
	assert_near(weir_ks_test(group, group).p_exact, 1, 0);
}

static void empty_groups_have_no_size(void **state)
{
	const double value = 1;
	struct weir_group none = {NULL, 0};
	struct weir_group one = {&value, 1};

	(void)state;
	assert_near(weir_mann_whitney_test(none, one).u, NAN, 0);
	assert_near(weir_ks_test(one, none).d, NAN, 0);
	assert_near(weir_brunner_munzel_test(one, one).w, NAN, 0);
}

static void large_groups_fall_back_to_the_limits(void **state)
{
	double *values = malloc(4000 * sizeof(*values));
	struct weir_group baseline = {values, 2000};
	struct weir_group candidate = {values + 2000, 2000};
	struct weir_ks test;

	(void)state;
	assert_non_null(values);
	for (size_t i = 0; i < 2000; i++) {
		values[i] = (double)i;
		values[2000 + i] = (double)i + 100.5;
	}
	test = weir_ks_test(baseline, candidate);
	assert_near(test.d, 101.0 / 2000, 1e-12);
	assert_near(test.p_exact, NAN, 0);
	assert_near(test.p_asymptotic, test.p_limit, 0);
	assert_true(test.p_limit > 0.01 && test.p_limit < 0.02);
	free(values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mann_whitney_equals_the_vectors),
		cmocka_unit_test(kolmogorov_smirnov_equals_the_vectors),
		cmocka_unit_test(brunner_munzel_equals_the_vectors),
		cmocka_unit_test(separated_groups_get_the_exact_p),
		cmocka_unit_test(equal_values_are_no_difference),
		cmocka_unit_test(empty_groups_have_no_size),
		cmocka_unit_test(large_groups_fall_back_to_the_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
