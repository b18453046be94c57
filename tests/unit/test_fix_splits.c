/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fused chains that reduce few long rows, which compilers divide among many blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define TENSOR_US 89.0  /* of 268 MB at 3.0 TB/s: 90 % of 3.35 */
#define REGION_US 87.0  /* host time to enter the compiled region and launch the kernel */
#define REDUCE_US 200.0 /* of each reduction, slower than memory */
#define SLOW_US   900.0 /* of each other operator, so that any fused kernel is shorter */
#define SPLIT_US  13.3  /* two more launches, and a short kernel that joins what blocks found */
#define CLOSE     0.02

#define TEXTS 16
#define TEXT  96

/* Returns room for a text that a step borrows; a step needs fewer than TEXTS. */
static char *text(void)
{
	static char texts[TEXTS][TEXT];
	static size_t used;

	return texts[used++ % TEXTS];
}

/* Adds an operator on [rows, columns]; `other`: its second argument, with a comma. */
static void on_rows(struct advice_step *step, const char *op, int rows, int columns,
                    const char *other, double us)
{
	char *dims = text();

	(void)snprintf(dims, TEXT, "[[%d, %d]%s]", rows, columns, other);
	advice_step_op(step, op, dims, "[\"float\", \"float\"]", "vectorized_elementwise_kernel",
	               us);
}

static void reduce(struct advice_step *step, const char *op, int rows, int columns,
                   const char *scalars)
{
	char *dims = text();

	(void)snprintf(dims, TEXT, "[[%d, %d], [], []]", rows, columns);
	advice_step_begin(step, op, dims, "[\"float\", \"ScalarList\", \"Scalar\"]", scalars);
	advice_step_kernel(step, "reduce_kernel<512, 1, float>", REDUCE_US, 1000);
	advice_step_end(step);
}

#define EACH_ROW "[\"\", \"[-1]\", \"True\"]"

/* Divides the powers of values by the sum of their row. */
static double shares_us(int rows, int columns)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;
	char sums[48];

	(void)snprintf(sums, sizeof sums, ", [%d, 1]", rows);
	on_rows(step, "aten::exp", rows, columns, "", SLOW_US);
	reduce(step, "aten::sum", rows, columns, EACH_ROW);
	on_rows(step, "aten::div", rows, columns, sums, SLOW_US);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	assert_true(result.found);
	return result.after_us;
}

/* The sum reads the values, at its own pace; another kernel computes the powers and writes them,
 * and the last one reads them and writes the shares. */
static void a_reduction_of_few_long_rows_ends_a_kernel(void **state)
{
	(void)state;
	assert_near(shares_us(128, 524288), REDUCE_US + SPLIT_US + 4 * TENSOR_US + REGION_US,
	            CLOSE);
	/* A block reads its rows of 4,096 again from the cache. */
	assert_near(shares_us(16384, 4096), 2.5 * TENSOR_US + REGION_US, CLOSE);
}

/* Divides the powers of a column of 524,288 by a statistic of each column or row. */
static double matrix_us(const char *of, const char *statistic)
{
	static const char dims[] = "[[524288, 128], [], []]";
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	on_rows(step, "aten::exp", 524288, 128, "", SLOW_US);
	advice_step_begin(step, "aten::sum", dims, "[\"float\", \"ScalarList\", \"Scalar\"]", of);
	advice_step_kernel(step, "reduce_kernel<512, 1, float>", REDUCE_US, 1000);
	advice_step_end(step);
	on_rows(step, "aten::div", 524288, 128, statistic, SLOW_US);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	assert_true(result.found);
	return result.after_us;
}

/* A compiled kernel reads columns at the rate of memory, unlike PyTorch's. */
static void columns_are_reduced_at_the_rate_of_memory(void **state)
{
	double columns = 5 * TENSOR_US + SPLIT_US + REGION_US;

	(void)state;
	assert_near(matrix_us("[\"\", \"[0]\", \"False\"]", ", [128]"), columns, CLOSE);
	assert_near(matrix_us("[\"\", \"[-2]\", \"False\"]", ", [128]"), columns, CLOSE);
	assert_near(matrix_us("[\"\", \"[-1]\", \"True\"]", ", [524288, 1]"),
	            2 * TENSOR_US + REGION_US, CLOSE);
}

static void two_rows_a_multiprocessor_are_many(void **state)
{
	(void)state;
	assert_true(shares_us(263, 262144) > 500);
	assert_true(shares_us(264, 262144) < 500); /* 132 multiprocessors */
}

static void rows_of_8192_elements_are_short(void **state)
{
	(void)state;
	assert_true(shares_us(128, 8192) < REDUCE_US);
	assert_true(shares_us(128, 8193) > REDUCE_US);
}

/* Reduces powers by each operator in turn. */
static double statistics_us(const char *const *ops, const char *scalars)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	on_rows(step, "aten::exp", 200, 335544, "", SLOW_US);
	for (size_t i = 0; ops[i]; i++)
		reduce(step, ops[i], 200, 335544, scalars);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	assert_true(result.found);
	return result.after_us;
}

static void statistics_of_the_same_rows_share_a_kernel(void **state)
{
	static const char *const one[] = {"aten::sum", NULL};
	static const char *const two[] = {"aten::sum", "aten::amax", NULL};

	(void)state;
	assert_near(statistics_us(one, EACH_ROW), REDUCE_US + SPLIT_US + REGION_US, CLOSE);
	assert_near(statistics_us(two, EACH_ROW), REDUCE_US + 2 * SPLIT_US + REGION_US, CLOSE);
}

/* 200 rows give 200 places of 8 bytes, which are not 400 values of 4 bytes. */
static void places_are_wider_than_values(void **state)
{
	static const char *const place[] = {"aten::argmax", NULL};
	static const char *const both[] = {"aten::max", NULL};
	static const char *const flag[] = {"aten::any", NULL};

	(void)state;
	assert_true(statistics_us(place, "[\"\", \"-1\", \"True\"]") > REDUCE_US + REGION_US);
	assert_true(statistics_us(both, "[\"\", \"-1\", \"True\"]") > REDUCE_US + REGION_US);
	assert_true(statistics_us(flag, "[\"\", \"-1\", \"True\"]") > REDUCE_US + REGION_US);
}

/* Scales values and takes the softmax of each row. */
static double softmax_us(int rows, int columns)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;
	char *dims = text();

	(void)snprintf(dims, TEXT, "[[%d, %d], [], []]", rows, columns);
	on_rows(step, "aten::exp", rows, columns, "", SLOW_US);
	advice_step_op(step, "aten::_softmax", dims, "[\"float\", \"Scalar\", \"Scalar\"]",
	               "softmax_warp_forward", SLOW_US);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	assert_true(result.found);
	return result.after_us;
}

static void a_softmax_of_few_long_rows_reads_them_again(void **state)
{
	(void)state;
	assert_true(softmax_us(263, 262144) > softmax_us(264, 262144) + 2 * TENSOR_US);
}

/* Sums the rows of what this number of operators compute. */
static double sum_us(int calls)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	on_rows(step, "aten::abs", 128, 524288, "", SLOW_US);
	for (int i = 1; i < calls; i++)
		on_rows(step, "aten::neg", 128, 524288, "", SLOW_US);
	reduce(step, "aten::sum", 128, 524288, EACH_ROW);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	assert_true(result.found);
	return result.after_us;
}

/* Another kernel computes rows that take more than 15 operators, and writes them. */
static void rows_that_are_long_to_compute_are_written(void **state)
{
	(void)state;
	assert_near(sum_us(15), REDUCE_US + SPLIT_US + REGION_US, CLOSE);
	assert_near(sum_us(16), REDUCE_US + SPLIT_US + 2 * TENSOR_US + REGION_US, CLOSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_reduction_of_few_long_rows_ends_a_kernel),
		cmocka_unit_test(columns_are_reduced_at_the_rate_of_memory),
		cmocka_unit_test(two_rows_a_multiprocessor_are_many),
		cmocka_unit_test(rows_of_8192_elements_are_short),
		cmocka_unit_test(statistics_of_the_same_rows_share_a_kernel),
		cmocka_unit_test(places_are_wider_than_values),
		cmocka_unit_test(rows_that_are_long_to_compute_are_written),
		cmocka_unit_test(a_softmax_of_few_long_rows_reads_them_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
