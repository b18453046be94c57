/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Effective sample sizes against tests/vectors/ess.json. */
#include <stdlib.h>

#include "engine/stats/moments.h"
#include "tests/unit/near.h"
#include "tests/unit/vectors.h"

static void sizes_equal_the_vectors(void **state)
{
	cJSON *document = read_vectors("ess");
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "cases")) {
		size_t count;
		double *x = numbers(one, "x", &count);

		assert_near(weir_ess(x, count), number(one, "ess"), 1e-9);
		assert_near(weir_autocorrelation(x, count, 1), number(one, "rho1"), 1e-9);
		free(x);
		cases++;
	}
	assert_int_equal(cases, 5);
	cJSON_Delete(document);
}

static void short_series_are_worth_their_length(void **state)
{
	const double x[] = {1, 2};

	(void)state;
	assert_near(weir_ess(NULL, 0), 0, 0);
	assert_near(weir_ess(x, 1), 1, 0);
	assert_near(weir_ess(x, 2), 2, 0);
	assert_near(weir_autocorrelation(x, 2, 2), NAN, 0);
	assert_near(weir_autocorrelation(x, 2, 0), 1, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_equal_the_vectors),
		cmocka_unit_test(short_series_are_worth_their_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
