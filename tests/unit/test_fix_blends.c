/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes of fused chains whose operators take several tensors of one shape: blends of two tensors,
 * and updates of parameters with their moving averages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define TENSOR    "[67108864]" /* 268 MB */
#define TENSOR_US 89.0         /* at 3.0 TB/s: 90 % of 3.35 */
#define REGION_US 87.0         /* host time to enter the compiled region and launch the kernel */
#define SLOW_US   600.0        /* of each operator, so that any fused kernel is shorter */
#define CLOSE     0.005

static const char *const names[] = {"aten::mul",   "aten::mul_", "aten::add",      "aten::add_",
                                    "aten::sub",   "aten::div",  "aten::addcmul_", "aten::addcdiv_",
                                    "aten::lerp_", "aten::sqrt", "aten::pow",      "aten::square",
                                    "aten::neg",   "aten::exp",  "aten::tanh",     "aten::silu"};

/* Returns the operator with this name of `letters` letters. */
static const char *name_of(const char *text, size_t letters)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strlen(names[i]) == strlen("aten::") + letters &&
		    strncmp(names[i] + strlen("aten::"), text, letters) == 0)
			return names[i];
	fail_msg("no operator is called %.*s", (int)letters, text);
	return NULL;
}

/* Adds operators: "mul mul add2"; a digit is the number of tensors, and without it there is one. */
static void add_operators(struct advice_step *step, const char *operators)
{
	static const char *const dims[] = {"[" TENSOR ", []]", "[" TENSOR ", " TENSOR ", []]",
	                                   "[" TENSOR ", " TENSOR ", " TENSOR ", []]"};
	static const char *const types[] = {"[\"float\", \"double\"]",
	                                    "[\"float\", \"float\", \"Scalar\"]",
	                                    "[\"float\", \"float\", \"float\", \"Scalar\"]"};

	for (const char *at = operators; *at; at += strspn(at, " ")) {
		size_t letters = strcspn(at, " 23");
		size_t tensors = at[letters] >= '2' ? (size_t)(at[letters] - '0') : 1;

		advice_step_op(step, name_of(at, letters), dims[tensors - 1], types[tensors - 1],
		               "vectorized_elementwise_kernel", SLOW_US);
		at += strcspn(at, " ");
	}
}

static struct advice_result fused(const char *operators)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	add_operators(step, operators);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_compile_pointwise, &result);
	return result;
}

/* Expects a fused kernel that reads and writes this many tensors. */
static void expect_tensors(const char *operators, double tensors)
{
	struct advice_result result = fused(operators);

	assert_true(result.found);
	assert_near(result.after_us, tensors * TENSOR_US + REGION_US, CLOSE);
}

static void a_blend_reads_two_tensors(void **state)
{
	(void)state;
	/* a x + b y, a x - b y, and a x + b y z with a y that is not read before. */
	expect_tensors("mul mul add2", 3);
	expect_tensors("mul div sub2", 3);
	expect_tensors("mul mul mul2 add2", 3.5); /* half of a residual */
	/* One scaled tensor, a product of two, and a function of a scaled value. */
	expect_tensors("mul add2", 3);
	expect_tensors("mul mul mul2", 2);
	expect_tensors("mul mul tanh add", 2);
	expect_tensors("mul neg add2", 2.5);
}

static void a_blend_takes_a_tensor_that_the_chain_has_read(void **state)
{
	(void)state;
	/* A gate reads x and y, and the blend one of them. */
	expect_tensors("silu mul2 mul mul add2", 3);
}

static void a_tensor_that_seems_to_be_read_again_may_be_another(void **state)
{
	struct advice_result once = fused("silu neg mul2 mul2 exp"), more;

	(void)state;
	assert_near(once.after_us, 2 * TENSOR_US + REGION_US, CLOSE);
	assert_near(once.high_us, 4 * TENSOR_US + REGION_US, CLOSE);
	more = fused("silu neg mul2 mul2 mul2 exp");
	assert_near(more.high_us, 5 * TENSOR_US + REGION_US, CLOSE);
}

/* Three operands may be of one tensor; of more, half are others. */
static void operands_beyond_those_of_one_tensor_are_partly_others(void **state)
{
	struct advice_result result = fused("silu neg mul2 mul2 mul2 mul2 mul2 mul2 exp");

	(void)state;
	expect_tensors("silu neg mul2 mul2 mul2 exp", 2);
	expect_tensors("silu neg mul2 mul2 mul2 mul2 exp", 2.5);
	expect_tensors("silu neg mul2 mul2 mul2 mul2 mul2 mul2 exp", 3.5);
	assert_near(result.high_us, 8 * TENSOR_US + REGION_US, CLOSE);
}

/* Returns a function with this number of products. */
static const char *products(size_t count)
{
	static char text[1024];
	size_t at = sizeof "silu neg" - 1;

	memcpy(text, "silu neg", at);
	for (size_t i = 0; i < count; i++, at += sizeof " mul2" - 1)
		memcpy(text + at, " mul2", sizeof " mul2" - 1);
	memcpy(text + at, " exp", sizeof " exp");
	return text;
}

/* One of the ten is read for certain, and the result is written. */
static void a_function_of_64_operators_reads_ten_tensors(void **state)
{
	(void)state;
	expect_tensors(products(14), 2 + 5.5);
	expect_tensors(products(20), 2 + 8.5);
	expect_tensors(products(21), 2 + 9);
	expect_tensors(products(61), 2 + 9);
	expect_tensors(products(125), 2 + 19); /* 128 operators */
}

static void an_update_by_adam_moves_seven_tensors(void **state)
{
	(void)state;
	expect_tensors("mul mul add2 mul mul mul2 add2 div div sqrt add div2 mul sub2", 7);
	expect_tensors("mul mul add2 mul mul2 mul add2 sqrt add div2 mul sub2", 7);
	expect_tensors("mul mul add2 mul pow mul add2 sqrt add div2 mul sub2", 7);
	expect_tensors("lerp_2 mul_ addcmul_3 sqrt div add_ addcdiv_3", 7);
	expect_tensors("mul_ add_2 mul_ addcmul_3 sqrt add_ addcdiv_3", 7);
}

static void an_update_by_the_root_of_squares_moves_five_tensors(void **state)
{
	(void)state;
	expect_tensors("mul mul mul2 add2 sqrt add div2 mul sub2", 5);
	expect_tensors("mul_ addcmul_3 sqrt add_ addcdiv_3", 5);
}

static void a_root_without_averages_is_no_update(void **state)
{
	(void)state;
	/* A norm of two tensors, an average of values, a root that nothing is divided by, and a
	 * division before the root. */
	expect_tensors("mul2 mul2 add2 sqrt add div2", 4);
	expect_tensors("mul mul add2 sqrt add div2", 3);
	expect_tensors("mul mul mul2 add2 sqrt add mul2", 3);
	expect_tensors("mul mul mul2 add2 div2 sqrt add", 3);
	expect_tensors("addcmul_3 sqrt add_ addcdiv_3", 4.5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_blend_reads_two_tensors),
		cmocka_unit_test(a_blend_takes_a_tensor_that_the_chain_has_read),
		cmocka_unit_test(a_tensor_that_seems_to_be_read_again_may_be_another),
		cmocka_unit_test(operands_beyond_those_of_one_tensor_are_partly_others),
		cmocka_unit_test(a_function_of_64_operators_reads_ten_tensors),
		cmocka_unit_test(an_update_by_adam_moves_seven_tensors),
		cmocka_unit_test(an_update_by_the_root_of_squares_moves_five_tensors),
		cmocka_unit_test(a_root_without_averages_is_no_update),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
