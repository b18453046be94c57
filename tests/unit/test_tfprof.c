/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operation views of TensorFlow's profiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define TFPROF (&weir_reader_tfprof)
#define SAMPLE "tests/data/tfprof/ops.txt"
#define HEADER "node name | requested bytes | total execution time | cpu execution time\n"
#define ROW    "Conv2D 1.50KB (100.00%, 75.00%), 3.00sec (100.00%, 75.00%), 2us (100.00%, 50.00%)\n"

static double operator_of(const struct weir_run *run, const char *name)
{
	const struct weir_series *series = weir_series_find(&run->operators, name);

	assert_non_null(series);
	return series->value[0];
}

static void the_second_percentage_is_the_own_share(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(TFPROF, SAMPLE, profile);

	(void)state;
	assert_near(operator_of(input->run, "MatMul"), 8e6, 0);
	assert_near(operator_of(input->run, "Relu"), 900e3, 0);
	assert_near(operator_of(input->run, "scope/mul-0-Transpose"), 500e3, 0);
	reading_expects_figure(input->run, "operators/total_ns", 10e6, false, "ns");
	reading_expects_figure(input->run, "accelerator/MatMul/total_ns", 6e6, false, "ns");
	reading_expects_figure(input->run, "cpu/Relu/total_ns", 600e3, false, "ns");
	reading_expects_figure(input->run, "requested/MatMul/total_bytes", 20e6, false, "B");
	assert_int_equal(input->warnings[WEIR_WARN_MISSING_ROWS].count, 1);
	weir_profile_free(profile);
}

static void columns_are_found_by_their_titles(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(TFPROF,
	                   "node name | total execution time | op occurrence (run|defined)\n"
	                   "MatMul 1.20min (100.00%, 100.00%), 3|4\n",
	                   profile)
			->run;

	(void)state;
	assert_near(operator_of(run, "MatMul"), 72e9, 1e-12);
	assert_null(weir_series_find(&run->metrics, "cpu/MatMul/total_ns"));
	weir_profile_free(profile);
}

static void odd_rows_are_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		TFPROF,
		HEADER ROW "Relu 0B (25.00%, 25.00%), 1.00sec (25.00%, 25.00%)\n"
			   "Tile 0B (25.00%, 0.00%), fast (25.00%, 25.00%), 2us (50.00%, 50.00%)\n"
			   "hello\n" HEADER ROW,
		profile);

	(void)state;
	assert_int_equal(input->warnings[WEIR_WARN_RAGGED_ROW].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_OTHER_TABLE].count, 1);
	assert_int_equal(input->run->operators.count, 1);
	weir_profile_free(profile);
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_refuses(TFPROF, HEADER, WEIR_E_EMPTY, "no row of tfprof");
	assert_string_equal(reading_claims(HEADER ROW), "tfprof");
	assert_string_equal(reading_claims(HEADER), "none");
	reading_survives_damage(TFPROF, HEADER ROW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_second_percentage_is_the_own_share),
		cmocka_unit_test(columns_are_found_by_their_titles),
		cmocka_unit_test(odd_rows_are_counted),
		cmocka_unit_test(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
