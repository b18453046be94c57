/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chains of several terms: each reads its own tensors, and a later call combines them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define ONE       "[[67108864], []]" /* 268 MB in fp32 */
#define TWO       "[[67108864], [67108864]]"
#define TENSOR_US 89.0  /* at 3.0 TB/s: 90 % of 3.35 */
#define REGION_US 87.0  /* host time to enter the compiled region and launch the kernel */
#define SLOW_US   900.0 /* of each operator, so that any fused kernel is shorter */
#define CLOSE     0.02

static void on(struct advice_step *step, const char *op, const char *dims)
{
	advice_step_op(step, op, dims, "[\"float\", \"float\"]", "vectorized_elementwise_kernel",
	               SLOW_US);
}

/* Casts a tensor from fp16, so that it is not one of the fp32 results. */
static void cast(struct advice_step *step)
{
	advice_step_op(step, "aten::copy_", TWO, "[\"float\", \"c10::Half\"]",
	               "unrolled_elementwise_kernel", SLOW_US);
}

/* Casts a tensor and computes a function of it by this number of operators in all. */
static void term(struct advice_step *step, int calls)
{
	cast(step);
	for (int i = 1; i < calls; i++)
		on(step, "aten::neg", ONE);
}

static void expect_tensors(struct advice_step *step, double tensors)
{
	struct advice_result result;

	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	assert_true(result.found);
	assert_near(result.after_us, tensors * TENSOR_US + REGION_US, CLOSE);
}

/* Combines two terms, or computes something else of the second one. */
static struct advice_step *two_terms(int first, int second, const char *op, const char *dims)
{
	struct advice_step *step = advice_step_new();

	term(step, first);
	term(step, second);
	on(step, op, dims);
	return step;
}

/* Two halves are read and a result written; apart, each chain writes one. */
static void terms_that_are_combined_are_one_kernel(void **state)
{
	(void)state;
	expect_tensors(two_terms(3, 2, "aten::mul", TWO), 2);
	expect_tensors(two_terms(3, 2, "aten::neg", ONE), 3);
	expect_tensors(two_terms(3, 2, "aten::mul", "[[67108864], [1]]"), 3);
}

static void sisters_that_are_combined_are_terms(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	for (int i = 0; i < 3; i++)
		term(step, 4);
	on(step, "aten::add", TWO);
	on(step, "aten::mul", TWO);
	expect_tensors(step, 1.5 + 1);

	step = advice_step_new();
	for (int i = 0; i < 3; i++)
		term(step, 4);
	on(step, "aten::add", TWO);
	on(step, "aten::neg", ONE);
	expect_tensors(step, 1.5 + 2); /* the first one is apart */
}

/* The combination is the call 32 or 33 behind the first of the second term. */
static void a_term_of_32_calls_is_the_longest(void **state)
{
	(void)state;
	expect_tensors(two_terms(3, 32, "aten::mul", TWO), 2);
	expect_tensors(two_terms(3, 33, "aten::mul", TWO), 3);
}

/* Sums four channels, and combines the sum with another term of its size, or does not. */
static double behind_a_sum_us(const char *op, const char *dims)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_op(step, "aten::abs", "[[4, 67108864]]", "[\"float\"]", "elementwise_kernel",
	               SLOW_US);
	advice_step_begin(step, "aten::sum", "[[4, 67108864], [], []]",
	                  "[\"float\", \"ScalarList\", \"Scalar\"]", "[\"\", \"[0]\", \"False\"]");
	advice_step_kernel(step, "reduce_kernel<512, 1, float>", SLOW_US, 1000);
	advice_step_end(step);
	on(step, "aten::neg", ONE);
	cast(step);
	on(step, op, dims);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	assert_true(result.found);
	return result.after_us;
}

/* Apart, the sum is written as well. */
static void a_term_may_be_as_large_as_the_last_result(void **state)
{
	double together = behind_a_sum_us("aten::add", TWO);

	(void)state;
	assert_true(behind_a_sum_us("aten::neg", ONE) > together + TENSOR_US);
}

static void terms_do_not_meet_across_a_wait(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	term(step, 3);
	advice_step_wait(step);
	term(step, 3);
	on(step, "aten::mul", TWO);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	assert_true(result.found);
	assert_true(result.after_us > 3 * TENSOR_US + 1.9 * REGION_US);
}

/* Adds the products of rows of a tensor, the second of which may be the first one again. */
static struct advice_step *rows(const char *again)
{
	static const char whole[] = "[[3, 67108864], [], []]";
	struct advice_step *step = advice_step_new();

	advice_step_view(step, "aten::select", whole, "[\"float\"]", "[\"\", \"0\", \"0\"]");
	on(step, "aten::mul", ONE);
	advice_step_view(step, "aten::select", whole, "[\"float\"]", "[\"\", \"0\", \"1\"]");
	on(step, "aten::mul", ONE);
	on(step, "aten::add", TWO);
	advice_step_view(step, "aten::select", whole, "[\"float\"]", again);
	on(step, "aten::mul", ONE);
	on(step, "aten::add", TWO);
	return step;
}

static void a_row_that_is_selected_again_is_read_once(void **state)
{
	(void)state;
	expect_tensors(rows("[\"\", \"0\", \"2\"]"), 4);
	expect_tensors(rows("[\"\", \"0\", \"0\"]"), 3);
}

/* A base that is a value, and the tensor for the result: pow(0.6, x) as PyTorch records it. */
static void a_tensor_for_the_result_is_no_operand(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	on(step, "aten::neg", ONE);
	advice_step_op(step, "aten::pow", "[[], [67108864], [67108864]]",
	               "[\"double\", \"float\", \"float\"]", "elementwise_kernel", SLOW_US);
	on(step, "aten::neg", ONE);
	expect_tensors(step, 2.15); /* 77 instructions take longer than two tensors */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(terms_that_are_combined_are_one_kernel),
		cmocka_unit_test(sisters_that_are_combined_are_terms),
		cmocka_unit_test(a_term_of_32_calls_is_the_longest),
		cmocka_unit_test(a_term_may_be_as_large_as_the_last_result),
		cmocka_unit_test(terms_do_not_meet_across_a_wait),
		cmocka_unit_test(a_row_that_is_selected_again_is_read_once),
		cmocka_unit_test(a_tensor_for_the_result_is_no_operand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
