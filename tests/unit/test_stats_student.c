/* SPDX-License-Identifier: GPL-3.0-or-later */
/* t tests against tests/vectors: welch_student.json and prediction_interval.json. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/stats/moments.h"
#include "engine/stats/student.h"
#include "tests/unit/near.h"
#include "tests/unit/vectors.h"

static double *logs_of(double *values, size_t count, bool log_scale)
{
	for (size_t i = 0; log_scale && i < count; i++)
		values[i] = log(values[i]);
	return values;
}

static void both_tests_equal_the_vectors(void **state)
{
	cJSON *document = read_vectors("welch_student");
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "cases")) {
		struct weir_group b, c;
		struct weir_t_test test;
		bool log_scale = number(one, "log") > 0;
		double *vb = numbers(one, "baseline", &b.count);
		double *vc = numbers(one, "candidate", &c.count);

		b.values = logs_of(vb, b.count, log_scale);
		c.values = logs_of(vc, c.count, log_scale);
		test = strcmp(text(one, "test"), "welch") == 0 ? weir_welch_test(b, c)
		                                               : weir_student_test(b, c);
		assert_near(test.t, number(one, "t"), 1e-10);
		assert_near(test.df, number(one, "df"), 1e-10);
		assert_near(test.p_greater, number(one, "p_greater"), 1e-10);
		assert_near(test.p_two, number(one, "p_two"), 1e-10);
		free(vb);
		free(vc);
		cases++;
	}
	assert_int_equal(cases, 24);
	cJSON_Delete(document);
}

static void one_new_run_equals_the_vectors(void **state)
{
	cJSON *document = read_vectors("prediction_interval");
	const cJSON *one;
	size_t cases = 0;

	(void)state;
	cJSON_ArrayForEach (one, member(document, "cases")) {
		struct weir_group b;
		struct weir_t_test test;
		double *values = numbers(one, "baseline", &b.count);

		b.values = logs_of(values, b.count, true);
		test = weir_prediction_test(b, log(number(one, "candidate")));
		assert_near(test.t, number(one, "t"), 1e-10);
		assert_near(test.df, number(one, "df"), 0);
		assert_near(test.p_greater, number(one, "p"), 1e-10);
		assert_near(exp(weir_prediction_limit(b, 0.05)), number(one, "limit95"), 1e-10);
		free(values);
		cases++;
	}
	assert_int_equal(cases, 5);
	cJSON_Delete(document);
}

static void variances_survive_a_large_mean(void **state)
{
	const double values[] = {1e9 + 1, 1e9 + 2, 1e9 + 3};

	(void)state;
	assert_near(weir_variance(values, 3), 1, 1e-12);
	assert_near(weir_mean(values, 3), 1e9 + 2, 0);
	assert_near(weir_variance(values, 1), NAN, 0);
	assert_near(weir_mean(NULL, 0), NAN, 0);
	assert_near(weir_squares(values, 1), 0, 0);
}

static void without_scatter_nothing_is_known(void **state)
{
	const double values[] = {2, 2, 2};
	const struct weir_group same = {values, 3};
	const struct weir_group one = {values, 1};

	(void)state;
	assert_near(weir_student_test(same, same).p_greater, NAN, 0);
	assert_near(weir_welch_test(same, one).p_greater, NAN, 0);
	assert_near(weir_prediction_test(one, 3).p_greater, NAN, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_tests_equal_the_vectors),
		cmocka_unit_test(one_new_run_equals_the_vectors),
		cmocka_unit_test(variances_survive_a_large_mean),
		cmocka_unit_test(without_scatter_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
