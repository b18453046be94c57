/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adjusted p-values against tests/vectors/multiplicity.json, made with R. */
#include <stdlib.h>

#include "engine/stats/multiple.h"
#include "tests/unit/near.h"
#include "tests/unit/vectors.h"

static void compare(const cJSON *one, const char *key)
{
	size_t count, expected_count;
	double *p = numbers(one, "p", &count);
	double *expected = numbers(one, key, &expected_count);

	assert_int_equal(count, expected_count);
	weir_holm(p, count, p);
	for (size_t i = 0; i < count; i++)
		assert_near(p[i], expected[i], 1e-12);
	free(p);
	free(expected);
}

static void adjusted_values_equal_the_vectors(void **state)
{
	cJSON *document = read_vectors("multiplicity");
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "cases")) {
		compare(one, "holm");
		cases++;
	}
	assert_int_equal(cases, 7);
	cJSON_Delete(document);
}

static void what_was_not_tested_is_not_counted(void **state)
{
	const double with[] = {NAN, 0.01, NAN, 0.04, 0.03};
	const double without[] = {0.01, 0.04, 0.03};
	double actual[5], expected[3];

	(void)state;
	weir_holm(with, 5, actual);
	weir_holm(without, 3, expected);
	assert_near(actual[0], NAN, 0);
	assert_near(actual[1], expected[0], 0);
	assert_near(actual[2], NAN, 0);
	assert_near(actual[3], expected[1], 0);
	assert_near(actual[4], expected[2], 0);
}

static void holm_is_monotone_and_at_most_one(void **state)
{
	const double p[] = {0.6, 0.001, 0.4, 0.0011, 1};
	double adjusted[5];

	(void)state;
	weir_holm(p, 5, adjusted);
	assert_near(adjusted[1], 0.005, 1e-12);
	assert_near(adjusted[3], 0.005, 1e-12); /* 4 x 0.0011 would be less */
	assert_near(adjusted[2], 1, 0);
	assert_near(adjusted[4], 1, 0);
}

static void no_tests_are_no_trouble(void **state)
{
	double none = NAN;

	(void)state;
	weir_holm(NULL, 0, NULL);
	weir_holm(&none, 1, &none);
	assert_near(none, NAN, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adjusted_values_equal_the_vectors),
		cmocka_unit_test(what_was_not_tested_is_not_counted),
		cmocka_unit_test(holm_is_monotone_and_at_most_one),
		cmocka_unit_test(no_tests_are_no_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
