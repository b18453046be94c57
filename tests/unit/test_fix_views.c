/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chains whose operators read slices and rows, store results in rows, convert values on the way,
 * and read one tensor twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define TENSOR    "[67108864]" /* 268 MB */
#define TENSOR_US 89.0         /* at 3.0 TB/s: 90 % of 3.35 */
#define REGION_US 87.0         /* host time to enter the compiled region and launch the kernel */
#define SLOW_US   900.0        /* of each operator, so that any fused kernel is shorter */
#define CLOSE     0.02

static void on_us(struct advice_step *step, const char *op, const char *dims, double us)
{
	advice_step_op(step, op, dims, "[\"float\", \"float\"]", "vectorized_elementwise_kernel",
	               us);
}

static void on(struct advice_step *step, const char *op, const char *dims)
{
	on_us(step, op, dims, SLOW_US);
}

static void expect_tensors(struct advice_step *step, double tensors)
{
	struct advice_result result;

	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	assert_true(result.found);
	assert_near(result.after_us, tensors * TENSOR_US + REGION_US, CLOSE);
}

/* Takes a third of a result. */
static struct advice_step *third(const char *view)
{
	static const char whole[] = "[[1065220, 63], [], [], [], []]";
	struct advice_step *step = advice_step_new();

	on(step, "aten::exp", "[[1065220, 63]]");
	on(step, "aten::neg", "[[1065220, 63]]");
	if (view)
		advice_step_view(step, view, whole, "[\"float\"]",
		                 "[\"\", \"-1\", \"0\", \"21\", \"1\"]");
	on(step, "aten::neg", "[[1065220, 21]]");
	on(step, "aten::abs", "[[1065220, 21]]");
	return step;
}

/* The tensor is read and a third written; another chain reads the third and the first one writes
 * all. */
static void a_slice_of_a_result_continues_the_chain(void **state)
{
	(void)state;
	expect_tensors(third("aten::slice"), 1 + 1.0 / 3);
	expect_tensors(third(NULL), 2 + 2.0 / 3);
	expect_tensors(third("aten::view"), 2 + 2.0 / 3);
}

/* Reads the fourth or the fifth part of a result. */
static struct advice_step *part(const char *part_dims, const char *whole)
{
	struct advice_step *step = advice_step_new();

	on(step, "aten::exp", whole);
	on(step, "aten::neg", whole);
	advice_step_view(step, "aten::slice", whole, "[\"float\"]", NULL);
	on(step, "aten::neg", part_dims);
	on(step, "aten::abs", part_dims);
	return step;
}

static void a_slice_is_at_least_a_quarter(void **state)
{
	(void)state;
	expect_tensors(part("[[16777216]]", "[[67108864]]"), 1.25);
	expect_tensors(part("[[13421773]]", "[[67108865]]"), 2.4);
}

/* Adds three rows of a tensor that is reduced as a whole, of which one is selected twice, and
 * stores the result in a row of another one. */
static struct advice_step *lattice(const char *first, const char *second)
{
	static const char whole[] = "[[4, 16777216], [], []]";
	static const char row[] = "[[16777216], [16777216]]";
	struct advice_step *step = advice_step_new();

	advice_step_begin(step, "aten::sum", whole, "[\"float\", \"ScalarList\"]",
	                  "[\"\", \"[0]\", \"False\"]");
	advice_step_kernel(step, "reduce_kernel<512, 1, float>", SLOW_US, 1000);
	advice_step_end(step);
	advice_step_view(step, "aten::select", whole, "[\"float\"]", first);
	advice_step_view(step, "aten::select", whole, "[\"float\"]", second);
	on(step, "aten::sub", row);
	on(step, "aten::exp", "[[16777216]]");
	advice_step_view(step, "aten::select", whole, "[\"float\"]", first);
	on(step, "aten::copy_", row);
	return step;
}

/* All rows are read once; the stored result is written. */
static void rows_of_a_tensor_that_is_read_as_a_whole_are_not_read_again(void **state)
{
	(void)state;
	expect_tensors(lattice("[\"\", \"0\", \"1\"]", "[\"\", \"0\", \"1\"]"), 1.25);
}

/* With both operands from rows, the sum has no reader and is written as well. */
static void one_row_selected_twice_is_one_operand(void **state)
{
	(void)state;
	expect_tensors(lattice("[\"\", \"0\", \"1\"]", "[\"\", \"0\", \"2\"]"), 1.5);
}

/* A copy inside of an operator, such as contiguous(), and one of another tensor end the chain. */
static void only_results_that_the_program_stores_stay_in_the_chain(void **state)
{
	static const char row[] = "[" TENSOR ", " TENSOR "]";
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	on(step, "aten::exp", "[" TENSOR "]");
	on(step, "aten::copy_", row);
	on(step, "aten::neg", "[" TENSOR "]");
	expect_tensors(step, 2 + 1);

	step = advice_step_new();
	on(step, "aten::exp", "[" TENSOR "]");
	advice_step_begin(step, "aten::clone", "[" TENSOR "]", "[\"float\"]", NULL);
	on(step, "aten::copy_", row);
	advice_step_end(step);
	on(step, "aten::neg", "[" TENSOR "]");
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	assert_false(result.found);
}

/* A value that is set for an operator, as in where(mask, x, 0.0), is no work of the device. */
static void a_value_that_is_set_stays_in_the_chain(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	on(step, "aten::exp", "[" TENSOR "]");
	advice_step_op(step, "aten::fill_", "[[], []]", "[\"float\", \"Scalar\"]",
	               "vectorized_elementwise_kernel<FillFunctor<float>>", 1);
	on(step, "aten::neg", "[" TENSOR "]");
	expect_tensors(step, 2);
}

/* sum() of flags converts them to integers first. */
static void values_that_an_operator_converts_are_not_read_twice(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	on(step, "aten::gt", "[[262144, 256]]");
	advice_step_begin(step, "aten::sum", "[[262144, 256], []]", "[\"bool\", \"ScalarList\"]",
	                  "[\"\", \"[-1]\"]");
	advice_step_op(step, "aten::copy_", "[[262144, 256], [262144, 256]]",
	               "[\"long int\", \"bool\"]", "unrolled_elementwise_kernel", SLOW_US);
	advice_step_kernel(step, "reduce_kernel<512, 1, long>", SLOW_US, 1000);
	advice_step_end(step);
	expect_tensors(step, 1);
}

/* Returns the time of a product of two tensors, which takes so long, and what follows. */
static double product_us(double us)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	on_us(step, "aten::mul", "[" TENSOR ", " TENSOR "]", us);
	for (int i = 0; i < 3; i++)
		on(step, "aten::neg", "[" TENSOR "]");
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	assert_true(result.found);
	return result.after_us - REGION_US;
}

/* Three tensors of 268 MB take 240 us at the 3.35 TB/s of the datasheet. */
static void operands_are_one_tensor_if_two_would_be_too_fast(void **state)
{
	(void)state;
	assert_true(product_us(239) < 2.2 * TENSOR_US);
	assert_true(product_us(242) > 2.6 * TENSOR_US);
}

/* Squares two tensors and adds them. */
static void a_sum_of_two_squares_reads_two_tensors(void **state)
{
	static const char two[] = "[" TENSOR ", " TENSOR "]";
	struct advice_step *step = advice_step_new();

	(void)state;
	on_us(step, "aten::mul", two, 200);
	on_us(step, "aten::mul", two, 200);
	on(step, "aten::add", two);
	on(step, "aten::neg", "[" TENSOR "]");
	expect_tensors(step, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slice_of_a_result_continues_the_chain),
		cmocka_unit_test(a_slice_is_at_least_a_quarter),
		cmocka_unit_test(rows_of_a_tensor_that_is_read_as_a_whole_are_not_read_again),
		cmocka_unit_test(one_row_selected_twice_is_one_operand),
		cmocka_unit_test(only_results_that_the_program_stores_stay_in_the_chain),
		cmocka_unit_test(a_value_that_is_set_stays_in_the_chain),
		cmocka_unit_test(values_that_an_operator_converts_are_not_read_twice),
		cmocka_unit_test(operands_are_one_tensor_if_two_would_be_too_fast),
		cmocka_unit_test(a_sum_of_two_squares_reads_two_tensors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
