/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fused chains that shift a tensor, as the stencils of solvers do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define TENSOR    "[8192, 8192]" /* 268 MB */
#define TENSOR_US 89.0           /* at 3.0 TB/s: 90 % of 3.35 */
#define REGION_US 87.0           /* host time to enter the compiled region and launch the kernel */
#define SLOW_US   600.0          /* of each operator, so that any fused kernel is shorter */
#define CLOSE     0.005

static void shift(struct advice_step *step, const char *scalars)
{
	advice_step_begin(step, "aten::roll", "[" TENSOR ", [], []]",
	                  "[\"float\", \"ScalarList\", \"ScalarList\"]", scalars);
	advice_step_kernel(step, "roll_cuda_kernel<float>", SLOW_US, 1000);
	advice_step_end(step);
}

static void pointwise(struct advice_step *step, const char *op)
{
	advice_step_op(step, op, "[" TENSOR "]", "[\"float\"]", "vectorized_elementwise_kernel",
	               SLOW_US);
}

static void add(struct advice_step *step)
{
	advice_step_op(step, "aten::add", "[" TENSOR ", " TENSOR ", []]",
	               "[\"float\", \"float\", \"Scalar\"]", "vectorized_elementwise_kernel",
	               SLOW_US);
}

/* The sum of both neighbours in one dimension. */
static void neighbours(struct advice_step *step)
{
	shift(step, "[\"\", \"[1]\", \"[0]\"]");
	shift(step, "[\"\", \"[-1]\", \"[0]\"]");
	add(step);
}

static struct advice_result fused(struct advice_step *step)
{
	struct advice_result result;

	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	return result;
}

static void the_shifts_of_a_stencil_are_reads_of_one_kernel(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	neighbours(step);
	pointwise(step, "aten::tanh");
	result = fused(step);
	assert_true(result.found);
	assert_near(result.after_us, 2 * TENSOR_US + REGION_US, CLOSE);
}

static void the_same_shift_twice_is_one_of_two_tensors(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	neighbours(step);
	neighbours(step);
	pointwise(step, "aten::tanh");
	result = fused(step);
	assert_near(result.after_us, 3 * TENSOR_US + REGION_US, CLOSE);
}

static void a_step_in_time_writes_what_the_next_one_reads(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	for (int turn = 0; turn < 3; turn++) {
		pointwise(step, "aten::exp");
		neighbours(step);
		neighbours(step);
		pointwise(step, "aten::tanh");
	}
	result = fused(step);
	assert_near(result.after_us, 3 * 4 * TENSOR_US + REGION_US, CLOSE);
}

/* Three calls that repeat may be one expression, so that they are no step in time; see
 * LEAST_SISTER. */
static void few_calls_that_repeat_are_one_chain(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	for (int turn = 0; turn < 2; turn++)
		neighbours(step);
	result = fused(step);
	assert_near(result.after_us, 3 * TENSOR_US + REGION_US, CLOSE);
}

static void shifts_of_unknown_distance_are_of_one_tensor(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	for (int i = 0; i < 4; i++)
		shift(step, NULL);
	pointwise(step, "aten::tanh");
	result = fused(step);
	assert_true(result.found);
	assert_near(result.after_us, 2 * TENSOR_US + REGION_US, CLOSE);
}

static void a_shift_does_not_follow_a_reduction(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	advice_step_op(step, "aten::_softmax", "[" TENSOR ", [], []]",
	               "[\"float\", \"Scalar\", \"Scalar\"]", "cunn_SoftMaxForward", SLOW_US);
	shift(step, "[\"\", \"[1]\", \"[0]\"]");
	result = fused(step);
	assert_false(result.found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_shifts_of_a_stencil_are_reads_of_one_kernel),
		cmocka_unit_test(the_same_shift_twice_is_one_of_two_tensors),
		cmocka_unit_test(a_step_in_time_writes_what_the_next_one_reads),
		cmocka_unit_test(few_calls_that_repeat_are_one_chain),
		cmocka_unit_test(shifts_of_unknown_distance_are_of_one_tensor),
		cmocka_unit_test(a_shift_does_not_follow_a_reduction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
