/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chains that read columns and slices of tensors, values that they pick by their numbers,
 * constants, running sums, and products of a column and a row. */
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
#define SLOW_US   900.0 /* of each operator, so that any fused kernel is shorter */
#define VIEWS_US  10.0  /* host time to divide a tensor, in front of the first kernel */
#define CLOSE     0.02

#define COLUMN "[16777216]" /* 67 MB: a quarter of a tensor */
#define FLOATS "[\"float\", \"float\", \"float\"]"

static void on(struct advice_step *step, const char *op, const char *dims, const char *strides)
{
	advice_step_begin(step, op, dims, FLOATS, NULL);
	advice_step_strides(step, strides);
	advice_step_kernel(step, "vectorized_elementwise_kernel", SLOW_US, 1000);
	advice_step_end(step);
}

/* Records a view of these sizes and strides; `offset` is in its list of values. */
static void view(struct advice_step *step, const char *values)
{
	advice_step_view(step, "aten::as_strided", "[[1], [], [], []]",
	                 "[\"float\", \"ScalarList\", \"ScalarList\", \"Scalar\"]", values);
}

/* Divides a tensor of four columns into them. */
static void unbind(struct advice_step *step)
{
	advice_step_begin(step, "aten::unbind", "[[16777216, 4], []]", "[\"float\", \"Scalar\"]",
	                  "[\"\", \"-1\"]");
	view(step, "[\"\", \"[16777216]\", \"[4]\", \"0\"]");
	view(step, "[\"\", \"[16777216]\", \"[4]\", \"1\"]");
	view(step, "[\"\", \"[16777216]\", \"[4]\", \"2\"]");
	view(step, "[\"\", \"[16777216]\", \"[4]\", \"3\"]");
	advice_step_end(step);
}

static double fused_us(struct advice_step *step)
{
	struct advice_result result;

	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	assert_true(result.found);
	return result.after_us;
}

static void expect_tensors(struct advice_step *step, double tensors)
{
	assert_near(fused_us(step), tensors * TENSOR_US + REGION_US, CLOSE);
}

/* ---- columns and slices ---- */

/* Adds columns of one tensor or of two, this many times. */
static struct advice_step *columns(int tensors, int sums)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < tensors; i++)
		unbind(step);
	on(step, "aten::add", "[" COLUMN ", " COLUMN "]", "[[4], [4]]");
	for (int i = 0; i < sums; i++)
		on(step, "aten::add", "[" COLUMN ", " COLUMN "]", "[[1], [4]]");
	return step;
}

/* One column costs the sectors of all four; a second tensor is read if more columns are. */
static void columns_are_read_with_their_tensor(void **state)
{
	(void)state;
	assert_near(fused_us(columns(1, 1)), 1.25 * TENSOR_US + VIEWS_US + REGION_US, CLOSE);
	assert_near(fused_us(columns(1, 6)), 1.25 * TENSOR_US + VIEWS_US + REGION_US, CLOSE);
	assert_near(fused_us(columns(2, 6)), 2.25 * TENSOR_US + 2 * VIEWS_US + REGION_US, CLOSE);
}

/* Without the views, the columns belong to one tensor. */
static void columns_that_were_taken_before_are_of_one_tensor(void **state)
{
	(void)state;
	expect_tensors(columns(0, 6), 1 + 0.25);
}

/* Reads two parts of this form at these places. */
static double slices_us(const char *strides, const char *first, const char *second)
{
	struct advice_step *step = advice_step_new();

	view(step, first);
	view(step, second);
	on(step, "aten::sub", "[[65536, 1023], [65536, 1023]]", strides);
	on(step, "aten::neg", "[[65536, 1023]]", "[[1023, 1]]");
	return fused_us(step);
}

/* Neighbours in a row overlap; planes do not, and dense operands are two tensors. */
static void slices_that_overlap_are_read_once(void **state)
{
	static const char from_0[] = "[\"\", \"[65536, 1023]\", \"[1024, 1]\", \"0\"]";
	static const char from_1[] = "[\"\", \"[65536, 1023]\", \"[1024, 1]\", \"1\"]";
	static const char plane[] = "[\"\", \"[65536, 1023]\", \"[1024, 1]\", \"67108864\"]";
	static const char gaps[] = "[[1024, 1], [1024, 1]]", dense[] = "[[1023, 1], [1023, 1]]";

	(void)state;
	assert_near(slices_us(gaps, from_0, from_1), 2 * TENSOR_US + REGION_US, CLOSE);
	assert_near(slices_us(gaps, from_0, from_0), 2 * TENSOR_US + REGION_US, CLOSE);
	assert_near(slices_us(gaps, from_0, plane), 3 * TENSOR_US + REGION_US, CLOSE);
	assert_near(slices_us(dense, from_0, from_1), 3 * TENSOR_US + REGION_US, CLOSE);
}

/* Takes columns of what the chain has made, of this type. */
static double part_us(const char *op, const char *types)
{
	struct advice_step *step = advice_step_new();

	advice_step_begin(step, op, "[[16777216, 4]]", types, NULL);
	advice_step_kernel(step, "vectorized_elementwise_kernel", SLOW_US, 1000);
	advice_step_end(step);
	on(step, "aten::neg", "[[16777216, 4]]", "[[4, 1]]");
	on(step, "aten::mul", "[" COLUMN ", " COLUMN "]", "[[4], [4]]");
	return fused_us(step);
}

static void a_part_of_a_result_is_not_read_from_outside(void **state)
{
	(void)state;
	assert_near(part_us("aten::exp", "[\"float\"]"), 1.25 * TENSOR_US + REGION_US, CLOSE);
}

/* Four calls on columns of one tensor, and the same of another one; then a call combines them. */
static void the_same_function_of_other_columns_is_a_term(void **state)
{
	static const char two[] = "[" COLUMN ", " COLUMN "]";
	struct advice_step *step = advice_step_new();

	(void)state;
	unbind(step);
	unbind(step);
	for (int i = 0; i < 2; i++) {
		on(step, "aten::div", "[" COLUMN ", []]", "[[4], []]");
		on(step, "aten::sub", two, "[[4], [1]]");
		on(step, "aten::div", "[" COLUMN ", []]", "[[4], []]");
		on(step, "aten::sub", two, "[[4], [1]]");
	}
	on(step, "aten::minimum", two, "[[1], [1]]");
	on(step, "aten::maximum", two, "[[1], [1]]");
	on(step, "aten::maximum", two, "[[1], [1]]");
	assert_near(fused_us(step), 2.25 * TENSOR_US + 2 * VIEWS_US + REGION_US, CLOSE);
}

/* ---- values that are picked ---- */

/* Picks values by one number each, and takes the negative of them; `us`: of the picking. */
static struct advice_step *picked(const char *source, double us)
{
	struct advice_step *step = advice_step_new();
	static char dims[96];

	(void)snprintf(dims, sizeof dims, "[%s, [], [67108864], []]", source);
	advice_step_op(step, "aten::gather", dims, "[\"float\", \"Scalar\", \"int\", \"Scalar\"]",
	               "_scatter_gather_elementwise_kernel", us);
	on(step, "aten::neg", "[[67108864]]", "[[1]]");
	return step;
}

/* The numbers are read and the result is written. The time now stays, less that of the numbers and
 * of the picked values, which are not written. */
static void picked_values_are_read_where_they_are_used(void **state)
{
	(void)state;
	expect_tensors(picked("[67108864]", 3 * TENSOR_US), 3);
	expect_tensors(picked("[1000]", 2 * TENSOR_US), 2);
	expect_tensors(picked("[67108864]", 7 * TENSOR_US), 7);
}

/* index() does not record its numbers, but takes a view with the sizes of its result. */
static void the_result_of_an_index_follows_from_its_view(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	advice_step_begin(step, "aten::index", "[[320, 8], []]", "[\"float\", \"\"]", NULL);
	view(step, "[\"\", \"[8388608, 8]\", \"[0, 1]\", \"\"]");
	advice_step_view(step, "aten::reshape", "[[8388608], []]", "[\"long int\", \"ScalarList\"]",
	                 "[\"\", \"[8388608, 1]\"]");
	advice_step_kernel(step, "index_elementwise_kernel", SLOW_US, 1000);
	advice_step_end(step);
	on(step, "aten::neg", "[[8388608, 8]]", "[[8, 1]]");
	/* The numbers are a quarter of a tensor; both are taken from the time now. */
	assert_near(fused_us(step), SLOW_US - TENSOR_US + TENSOR_US + REGION_US, CLOSE);
}

/* ---- constants, sums and outer products ---- */

/* Chooses between a tensor and a constant that this operator makes. */
static struct advice_step *chosen(const char *maker)
{
	struct advice_step *step = advice_step_new();

	on(step, "aten::exp", "[[67108864]]", "[[1]]");
	advice_step_begin(step, maker, "[[67108864], []]", "[\"float\", \"Scalar\"]", NULL);
	advice_step_op(step, "aten::fill_", "[[67108864], []]", "[\"float\", \"Scalar\"]",
	               "vectorized_elementwise_kernel<FillFunctor<float>>", SLOW_US);
	advice_step_end(step);
	on(step, "aten::maximum", "[[67108864], [67108864]]", "[[1], [1]]");
	on(step, "aten::neg", "[[67108864]]", "[[1]]");
	return step;
}

/* A tensor that the program keeps is set, and read from there. */
static void a_tensor_of_one_value_is_not_written(void **state)
{
	(void)state;
	expect_tensors(chosen("aten::zeros_like"), 2);
	expect_tensors(chosen("aten::full"), 2);
	assert_near(fused_us(chosen("aten::masked_fill")), 2 * SLOW_US + 3 * TENSOR_US, CLOSE);
}

/* True if the running sum of each row is fused with two other operators, to this time. */
static bool fuses_running(int rows, int elements, double us)
{
	struct advice_result result;
	static char dims[48], sums[64];
	struct advice_step *step = advice_step_new();

	(void)snprintf(dims, sizeof dims, "[[%d, %d]]", rows, elements);
	(void)snprintf(sums, sizeof sums, "[[%d, %d], [], []]", rows, elements);
	advice_step_op(step, "aten::neg", dims, "[\"float\"]", "elementwise_kernel", SLOW_US);
	advice_step_begin(step, "aten::cumsum", sums, "[\"float\", \"Scalar\", \"\"]",
	                  "[\"\", \"-1\", \"\"]");
	advice_step_kernel(step, "tensor_kernel_scan_innermost_dim<float>", SLOW_US, 1000);
	advice_step_end(step);
	advice_step_op(step, "aten::abs", dims, "[\"float\"]", "elementwise_kernel", SLOW_US);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	if (result.found && us > 0)
		assert_near(result.after_us, us, CLOSE);
	return result.found;
}

/* A block keeps 1,024 elements. Two rows for each multiprocessor are many, and rows of 8,192 are
 * short; blocks compute fewer and longer ones one after the other, as now. */
static void running_sums_of_many_rows_are_fused(void **state)
{
	(void)state;
	assert_true(fuses_running(65536, 1024, 2 * TENSOR_US + REGION_US));
	assert_true(fuses_running(264, 262144, 0));
	assert_false(fuses_running(263, 262144, 0));
	assert_true(fuses_running(128, 8192, 0));
	assert_false(fuses_running(128, 8193, 0));
}

/* Multiplies what the chain has made of a tensor of this type eight times by itself. */
static struct advice_step *powers(const char *types)
{
	struct advice_step *step = advice_step_new();

	advice_step_begin(step, "aten::copy_", "[[67108864], [67108864]]", types, NULL);
	advice_step_kernel(step, "unrolled_elementwise_kernel", SLOW_US, 1000);
	advice_step_end(step);
	on(step, "aten::neg", "[[67108864]]", "[[1]]");
	for (int i = 0; i < 8; i++)
		on(step, "aten::mul", "[[67108864], [67108864]]", "[[1], [1]]");
	return step;
}

/* An operand that the chain has widened is its own. Of operands with the size of a tensor from
 * outside, half of those beyond the third are taken for other tensors. */
static void operands_as_large_as_none_that_is_read_are_results(void **state)
{
	(void)state;
	expect_tensors(powers("[\"float\", \"c10::Half\"]"), 0.5 + 1);
	expect_tensors(powers("[\"float\", \"int\"]"), 1 + 2.5 + 1);
}

/* A column times a row; then another such product, which a call combines with the first. */
static void a_product_of_a_column_and_a_row_is_as_large_as_its_result(void **state)
{
	static const char outer[] = "[[65536, 1], [1024]]";
	static const char both[] = "[[65536, 1024], [65536, 1024]]";
	struct advice_step *step = advice_step_new();

	(void)state;
	for (int i = 0; i < 3; i++)
		on(step, "aten::mul", outer, "[[1, 1], [1]]");
	on(step, "aten::add", both, "[[1024, 1], [1024, 1]]");
	on(step, "aten::sub", both, "[[1024, 1], [1024, 1]]");
	expect_tensors(step, 1);
}

/* Takes the larger value of two channels, adds the sum of each row to it, and scales both channels
 * by that. */
static double scaled_us(const char *matrix, const char *sums)
{
	static char rows[96], added[96];
	struct advice_step *step = advice_step_new();

	(void)snprintf(rows, sizeof rows, "[%s, [], []]", matrix);
	(void)snprintf(added, sizeof added, "[%s, %s]", matrix, sums);
	advice_step_begin(step, "aten::amax", "[[2, 33554432], [], []]",
	                  "[\"float\", \"ScalarList\", \"Scalar\"]", "[\"\", \"[0]\", \"False\"]");
	advice_step_kernel(step, "reduce_kernel<512, 1, float>", SLOW_US, 1000);
	advice_step_end(step);
	advice_step_begin(step, "aten::sum", rows, "[\"float\", \"ScalarList\", \"Scalar\"]",
	                  "[\"\", \"[-1]\", \"True\"]");
	advice_step_kernel(step, "reduce_kernel<512, 1, float>", SLOW_US, 1000);
	advice_step_end(step);
	on(step, "aten::add", added, NULL);
	on(step, "aten::mul", "[[2, 33554432], [1, 33554432]]", NULL);
	on(step, "aten::neg", "[[2, 33554432]]", NULL);
	return fused_us(step);
}

/* A loop over rows of eight does not go through both channels at once: the scale is written, and
 * another kernel reads it. Fewer values are reduced without a loop. */
static void a_tensor_larger_than_the_reduced_one_is_made_by_another_kernel(void **state)
{
	double one = scaled_us("[8388608, 4]", "[8388608, 1]");

	(void)state;
	assert_near(one, 3 * TENSOR_US + REGION_US, CLOSE);
	assert_true(scaled_us("[4793490, 7]", "[4793490, 1]") < one * 1.01);
	assert_true(scaled_us("[4194304, 8]", "[4194304, 1]") > one + TENSOR_US / 2);
}

/* Joins two results in a list whose type is not recorded, and which has more dimensions than the
 * kernels that name it. */
static struct advice_step *joined(const char *list)
{
	struct advice_step *step = advice_step_new();

	on(step, "aten::exp", "[[8, 64, 32, 64, 32]]", NULL);
	on(step, "aten::neg", "[[8, 64, 32, 64, 32]]", NULL);
	advice_step_op(step, "aten::cat", list, "[\"TensorList\", \"Scalar\"]",
	               "elementwise_kernel<direct_copy>", SLOW_US);
	on(step, "aten::abs", "[[8, 64, 32, 64, 64]]", NULL);
	return step;
}

static void a_list_without_a_type_has_that_of_the_result_before(void **state)
{
	(void)state;
	expect_tensors(joined("[[[8, 64, 32, 64, 32], [8, 64, 32, 64, 32]], []]"), 0.5 + 1);
	/* Another list is not made of the results. */
	assert_true(fused_us(joined("[[[8, 64, 32, 64, 16], [8, 64, 32, 64, 16]], []]")) > SLOW_US);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_read_with_their_tensor),
		cmocka_unit_test(columns_that_were_taken_before_are_of_one_tensor),
		cmocka_unit_test(slices_that_overlap_are_read_once),
		cmocka_unit_test(a_part_of_a_result_is_not_read_from_outside),
		cmocka_unit_test(the_same_function_of_other_columns_is_a_term),
		cmocka_unit_test(picked_values_are_read_where_they_are_used),
		cmocka_unit_test(the_result_of_an_index_follows_from_its_view),
		cmocka_unit_test(a_tensor_of_one_value_is_not_written),
		cmocka_unit_test(operands_as_large_as_none_that_is_read_are_results),
		cmocka_unit_test(a_product_of_a_column_and_a_row_is_as_large_as_its_result),
		cmocka_unit_test(a_tensor_larger_than_the_reduced_one_is_made_by_another_kernel),
		cmocka_unit_test(a_list_without_a_type_has_that_of_the_result_before),
		cmocka_unit_test(running_sums_of_many_rows_are_fused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
