/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Against tests/vectors/quantiles.json, made with NumPy, and against the definition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/base/json.h"
#include "engine/stats/quantile.h"
#include "tests/unit/near.h"

#define MOST 1000

static size_t numbers_of(const cJSON *object, const char *key, double *out)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, key);
	const cJSON *item;
	size_t count = 0;

	cJSON_ArrayForEach (item, list) {
		assert_true(count < MOST && cJSON_IsNumber(item));
		out[count++] = item->valuedouble;
	}
	return count;
}

static void quantiles_equal_the_vectors(void **state)
{
	cJSON *document = NULL;
	struct weir_error err = {0};
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	if (weir_json_read_file("tests/vectors/quantiles.json", &document, &err))
		fail_msg("%s", err.message);
	cJSON_ArrayForEach (one, cJSON_GetObjectItemCaseSensitive(document, "cases")) {
		double values[MOST] = {0}, probs[MOST] = {0}, expected[MOST] = {0},
		       actual[MOST] = {0};
		size_t count = numbers_of(one, "x", values);
		size_t n = numbers_of(one, "p", probs);

		assert_int_equal(numbers_of(one, "type7", expected), n);
		weir_quantiles(values, count, probs, n, actual);
		for (size_t i = 0; i < n; i++)
			assert_near(actual[i], expected[i], 1e-12);
		cases++;
	}
	assert_true(cases > 5);
	cJSON_Delete(document);
}

static void no_values_have_no_quantiles(void **state)
{
	const double probs[] = {0.5, 0.9};
	double out[2] = {1, 1};

	(void)state;
	weir_quantiles(NULL, 0, probs, 2, out);
	assert_near(out[0], NAN, 0);
	assert_near(out[1], NAN, 0);
	assert_near(weir_median(NULL, 0), NAN, 0);
	assert_near(weir_mad(NULL, 0), NAN, 0);
	assert_near(weir_quantile_sorted(out, 0, 0.5), NAN, 0);
}

static void one_value_is_every_quantile(void **state)
{
	const double value = 412;
	const double probs[] = {0, 0.5, 0.99, 1};
	double out[4];

	(void)state;
	weir_quantiles(&value, 1, probs, 4, out);
	for (size_t i = 0; i < 4; i++)
		assert_near(out[i], 412, 0);
	assert_near(weir_mad(&value, 1), 0, 0);
}

static void the_ends_are_the_extremes_and_input_stays(void **state)
{
	const double values[] = {3, 1, 2, 10};
	const double probs[] = {1, 0, 0.5, -4, 7, 1.0 / 3};
	const double expected[] = {10, 1, 2.5, 1, 10, 2};
	double out[6];

	(void)state;
	weir_quantiles(values, 4, probs, 6, out);
	for (size_t i = 0; i < 6; i++)
		assert_near(out[i], expected[i], 1e-15);
	assert_near(values[0], 3, 0);
	assert_near(weir_quantile_sorted(values, 4, NAN), NAN, 0);
}

static void the_median_deviation_is_not_scaled(void **state)
{
	const double odd[] = {1, 1, 2, 2, 4, 6, 9};
	const double even[] = {1, 3, 7, 100};

	(void)state;
	assert_near(weir_median(odd, 7), 2, 0);
	assert_near(weir_mad(odd, 7), 1, 0);
	assert_near(weir_median(even, 4), 5, 0);
	assert_near(weir_mad(even, 4), 3, 0); /* 2, 2, 4, 95 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_equal_the_vectors),
		cmocka_unit_test(no_values_have_no_quantiles),
		cmocka_unit_test(one_value_is_every_quantile),
		cmocka_unit_test(the_ends_are_the_extremes_and_input_stays),
		cmocka_unit_test(the_median_deviation_is_not_scaled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
