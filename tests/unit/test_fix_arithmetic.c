/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fused kernels that compute more than they move: functions of the mathematical library, rows that
 * a block goes through several times, and reductions of a few values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define ELEMENTS  67108864.0 /* of each tensor: 268 MB */
#define TENSOR_US 89.0       /* at 3.0 TB/s: 90 % of 3.35 */
#define REGION_US 87.0       /* host time to enter the compiled region and launch the kernel */
#define SLOW_US   900.0      /* of each operator, so that any fused kernel is shorter */
#define CLOSE     0.02

/* An instruction for each element: 80 % of 66.9 TFLOP/s, of which each is two. */
#define INSTRUCTION_US (ELEMENTS / (0.8 * 66.9e12 / 2) * 1e6)
#define CHEAP          0.75
#define POWER          76.0
#define SINE           24.0
#define LOGARITHM      27.0
#define EXPONENTIAL    6.0
#define SOFTMAX        14.0

static void on(struct advice_step *step, const char *op, const char *dims, const char *scalars)
{
	const char *types = scalars ? "[\"float\", \"Scalar\"]" : "[\"float\", \"float\"]";

	advice_step_begin(step, op, dims, types, scalars);
	advice_step_kernel(step, "vectorized_elementwise_kernel", SLOW_US, 1000);
	advice_step_end(step);
}

static void function(struct advice_step *step, const char *op)
{
	on(step, op, "[[67108864], []]", NULL);
}

static void reduce(struct advice_step *step, const char *dims, const char *of)
{
	advice_step_begin(step, "aten::sum", dims, "[\"float\", \"ScalarList\", \"Scalar\"]", of);
	advice_step_kernel(step, "reduce_kernel<512, 1, float>", SLOW_US, 1000);
	advice_step_end(step);
}

/* Returns the time of the fused kernel. */
static double fused_us(struct advice_step *step)
{
	struct advice_result result;

	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	assert_true(result.found);
	return result.after_us - REGION_US;
}

/* Returns the time of a function that is applied several times. */
static double times_us(const char *op, int times)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < times; i++)
		function(step, op);
	return fused_us(step);
}

static void sines_take_longer_than_memory_from_the_third_on(void **state)
{
	(void)state;
	assert_near(times_us("aten::neg", 3), 2 * TENSOR_US, CLOSE);
	assert_near(times_us("aten::sin", 2), 2 * TENSOR_US, CLOSE);
	assert_near(times_us("aten::sin", 3), 3 * SINE * INSTRUCTION_US, CLOSE);
	assert_near(times_us("aten::cos", 3), 3 * SINE * INSTRUCTION_US, CLOSE);
	assert_near(times_us("aten::log", 3), 3 * LOGARITHM * INSTRUCTION_US, CLOSE);
	assert_near(times_us("aten::log_", 3), 3 * LOGARITHM * INSTRUCTION_US, CLOSE);
}

/* Raises values to a power, two times. */
static double powers_us(const char *dims, const char *exponent)
{
	struct advice_step *step = advice_step_new();

	on(step, "aten::pow", dims, exponent);
	on(step, "aten::pow", dims, exponent);
	return fused_us(step);
}

static void powers_are_dear_unless_they_are_products_or_roots(void **state)
{
	static const char one[] = "[[67108864], []]";

	(void)state;
	assert_near(powers_us(one, "[\"\", \"2.4\"]"), 2 * POWER * INSTRUCTION_US, CLOSE);
	assert_near(powers_us("[[67108864], [1]]", NULL), 2 * POWER * INSTRUCTION_US, CLOSE);
	assert_near(powers_us(one, "[\"\", \"2\"]"), 2 * TENSOR_US, CLOSE);
	assert_near(powers_us(one, "[\"\", \"3.\"]"), 2 * TENSOR_US, CLOSE);
	assert_near(powers_us(one, "[\"\", \"0.5\"]"), 2 * TENSOR_US, CLOSE);
	assert_near(powers_us(one, "[\"\", \"\"]"), 2 * TENSOR_US, CLOSE); /* not recorded */
}

/* Divides powers by the sum of their row, of [rows, columns]. */
static double shares_us(int rows, int columns)
{
	struct advice_step *step = advice_step_new();
	char matrix[64], both[96];

	(void)snprintf(matrix, sizeof matrix, "[[%d, %d], [], []]", rows, columns);
	(void)snprintf(both, sizeof both, "[[%d, %d], [%d, 1]]", rows, columns, rows);
	on(step, "aten::pow", matrix, "[\"\", \"2.4\"]");
	reduce(step, matrix, "[\"\", \"[-1]\", \"True\"]");
	advice_step_op(step, "aten::mul", both, "[\"float\", \"float\"]",
	               "vectorized_elementwise_kernel", SLOW_US);
	return fused_us(step);
}

/* A block keeps a row of 1,024 elements. It goes twice through a longer one, and computes it twice.
 */
static void rows_that_a_block_does_not_keep_are_computed_again(void **state)
{
	(void)state;
	assert_near(shares_us(65536, 1024), (POWER + 2 * CHEAP) * INSTRUCTION_US, CLOSE);
	assert_near(shares_us(65472, 1025), (2 * POWER + 3 * CHEAP) * INSTRUCTION_US, CLOSE);
}

/* Sums the rows of powers, and then those of the powers or of what the first sum divides. */
static double sums_us(bool dependent)
{
	static const char matrix[] = "[[65472, 1025], [], []]",
			  both[] = "[[65472, 1025], [65472, 1]]";
	struct advice_step *step = advice_step_new();

	on(step, "aten::pow", matrix, "[\"\", \"2.4\"]");
	reduce(step, matrix, "[\"\", \"[-1]\", \"True\"]");
	if (dependent)
		advice_step_op(step, "aten::mul", both, "[\"float\", \"float\"]",
		               "vectorized_elementwise_kernel", SLOW_US);
	else
		on(step, "aten::neg", matrix, NULL);
	reduce(step, matrix, "[\"\", \"[-1]\", \"True\"]");
	return fused_us(step);
}

/* A second pass over the rows is needed for what depends on the first sum alone. */
static void only_what_depends_on_a_reduction_needs_another_pass(void **state)
{
	(void)state;
	assert_near(sums_us(false), (POWER + 3 * CHEAP) * INSTRUCTION_US, CLOSE);
	assert_near(sums_us(true), (2 * POWER + 4 * CHEAP) * INSTRUCTION_US, CLOSE);
}

/* Multiplies the powers of several channels by their sum, or takes the negative of that. */
static double channels_us(const char *channels, const char *behind, bool multiply)
{
	struct advice_step *step = advice_step_new();

	on(step, "aten::pow", channels, "[\"\", \"2.4\"]");
	reduce(step, channels, "[\"\", \"[0]\", \"True\"]");
	advice_step_op(step, multiply ? "aten::mul" : "aten::neg", behind, "[\"float\", \"float\"]",
	               "vectorized_elementwise_kernel", SLOW_US);
	return fused_us(step);
}

/* Seven values are reduced for each value that reads the result, eight once in a loop. */
static void a_reduction_of_a_few_values_is_computed_where_it_is_read(void **state)
{
	(void)state;
	assert_near(channels_us("[[7, 9586981], [], []]", "[[7, 9586981], [1, 9586981]]", true),
	            (POWER + CHEAP + 7 * (POWER + CHEAP)) * INSTRUCTION_US, CLOSE);
	assert_near(channels_us("[[8, 8388608], [], []]", "[[8, 8388608], [1, 8388608]]", true),
	            (POWER + 2 * CHEAP) * INSTRUCTION_US, CLOSE);
	assert_near(channels_us("[[7, 9586981], [], []]", "[[1, 9586981]]", false),
	            (POWER + CHEAP) * INSTRUCTION_US, CLOSE);
}

/* Seven values are averaged, and what follows reads the average alone: it is computed once. */
static void an_average_of_a_few_values_is_computed_once_for_averages(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	on(step, "aten::pow", "[[7, 9586981], [], []]", "[\"\", \"2.4\"]");
	reduce(step, "[[7, 9586981], [], []]", "[\"\", \"[0]\", \"True\"]");
	on(step, "aten::neg", "[[1, 9586981], []]", NULL);
	on(step, "aten::pow", "[[7, 9586981], [], []]", "[\"\", \"2.4\"]");
	assert_near(fused_us(step), (2 * POWER + CHEAP + CHEAP / 7) * INSTRUCTION_US, CLOSE);
}

/* Takes the softmax over this dimension of powers. */
static double softmax_us(const char *dims, const char *dim)
{
	struct advice_step *step = advice_step_new();
	char scalars[48];

	(void)snprintf(scalars, sizeof scalars, "[\"\", \"%s\", \"False\"]", dim);
	on(step, "aten::pow", dims, "[\"\", \"2.4\"]");
	advice_step_begin(step, "aten::_softmax", dims, "[\"float\", \"Scalar\", \"Scalar\"]",
	                  scalars);
	advice_step_kernel(step, "cunn_SpatialSoftMaxForward<float>", SLOW_US, 1000);
	advice_step_end(step);
	return fused_us(step);
}

/* Each of seven values computes the exponentials of all, each of eight its own. */
static void a_softmax_over_a_few_values_computes_them_for_each(void **state)
{
	const double once = POWER + SOFTMAX, seven = once + 7 * (POWER + EXPONENTIAL);

	(void)state;
	assert_near(softmax_us("[[7, 9586981], [], []]", "0"), seven * INSTRUCTION_US, CLOSE);
	assert_near(softmax_us("[[7, 9586981], [], []]", "-2"), seven * INSTRUCTION_US, CLOSE);
	assert_near(softmax_us("[[8, 8388608], [], []]", "0"), once * INSTRUCTION_US, CLOSE);
	assert_near(softmax_us("[[9586981, 7], [], []]", "1"), seven * INSTRUCTION_US, CLOSE);
	assert_near(softmax_us("[[9586981, 7], [], []]", "9"), seven * INSTRUCTION_US, CLOSE);
	assert_near(softmax_us("[[9586981, 7], [], []]", "x"), seven * INSTRUCTION_US, CLOSE);
}

/* Divides a value that is computed of this number of tensors by the sum of its row of 2,048. */
static double rows_us(int tensors)
{
	static const char one[] = "[[32768, 2048], [], []]",
			  two[] = "[[32768, 2048], [32768, 2048]]";
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < tensors; i++) {
		/* Each is cast from another type, so that it is not one of the results. */
		advice_step_op(step, "aten::copy_", two,
		               i % 2 ? "[\"float\", \"c10::Half\"]" : "[\"float\", \"double\"]",
		               "unrolled_elementwise_kernel", SLOW_US);
		if (i > 0)
			on(step, "aten::mul", two, NULL);
	}
	for (int i = 0; i < 8; i++)
		on(step, "aten::pow", one, "[\"\", \"2.4\"]");
	reduce(step, one, "[\"\", \"[-1]\", \"True\"]");
	advice_step_op(step, "aten::mul", "[[32768, 2048], [32768, 1]]", "[\"float\", \"float\"]",
	               "vectorized_elementwise_kernel", SLOW_US);
	return fused_us(step);
}

/* Four tensors are read and computed again, five once: the powers of the second pass go. */
static void rows_of_more_than_four_tensors_are_stored(void **state)
{
	(void)state;
	assert_true(rows_us(4) > 2 * 8 * POWER * INSTRUCTION_US);
	assert_true(rows_us(5) > 8 * POWER * INSTRUCTION_US);
	assert_true(rows_us(5) < 1.2 * 8 * POWER * INSTRUCTION_US);
}

static void passes_of_a_kernel_follow_each_other(void **state)
{
	(void)state;
	/* Five tensors: 8 + 2 + 8 + 2 + 8 bytes are read and 4 stored; then 4 at half the time. */
	assert_near(rows_us(5), (8 * POWER + 10 * CHEAP) * INSTRUCTION_US + 0.5 * TENSOR_US, CLOSE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_average_of_a_few_values_is_computed_once_for_averages),
		cmocka_unit_test(a_softmax_over_a_few_values_computes_them_for_each),
		cmocka_unit_test(rows_of_more_than_four_tensors_are_stored),
		cmocka_unit_test(passes_of_a_kernel_follow_each_other),
		cmocka_unit_test(sines_take_longer_than_memory_from_the_third_on),
		cmocka_unit_test(powers_are_dear_unless_they_are_products_or_roots),
		cmocka_unit_test(rows_that_a_block_does_not_keep_are_computed_again),
		cmocka_unit_test(only_what_depends_on_a_reduction_needs_another_pass),
		cmocka_unit_test(a_reduction_of_a_few_values_is_computed_where_it_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
