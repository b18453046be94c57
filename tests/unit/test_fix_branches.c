/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops with a branch, and loops that cut windows out: what they become at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define FLOAT     "\"float\""
#define ONE       "[" FLOAT "]"
#define TWO       "[" FLOAT ", " FLOAT "]"
#define POINTWISE "vectorized_elementwise_kernel"

static struct advice_result result_of(struct advice_step *step)
{
	struct advice_result result;

	advice_step_wait(step);
	advice_step_apply(step, weir_fix_vectorise, &result);
	return result;
}

static void select_of(struct advice_step *step, int i)
{
	static char scalars[64][32];

	snprintf(scalars[i], sizeof scalars[i], "[\"\", \"0\", \"%d\"]", i);
	advice_step_view(step, "aten::select", "[[64, 4096], [], []]",
	                 "[" FLOAT ", \"Scalar\", \"Scalar\"]", scalars[i]);
}

/* ---- branches ---- */

/* Rows, each computed by two operators of 3 us; a turn with an "x" calls `calls` absolute values of
 * `dims` between them. */
static struct advice_step *rows_with(const char *turns, int calls, const char *dims)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; turns[i]; i++) {
		select_of(step, i);
		advice_step_op(step, "aten::mul", "[[4096], []]", ONE, POINTWISE, 3);
		for (int k = 0; turns[i] == 'x' && k < calls; k++)
			advice_step_op(step, "aten::abs", dims, ONE, POINTWISE, 3);
		advice_step_op(step, "aten::neg", "[[4096]]", ONE, POINTWISE, 3);
	}
	return step;
}

static double after_us(const char *turns, int calls)
{
	struct advice_result result = result_of(rows_with(turns, calls, "[[4096]]"));

	return result.found ? result.after_us : result.before_us;
}

static void a_branch_of_some_turns_is_computed_for_all_of_them(void **state)
{
	double without = after_us("................", 1);
	double with = without + 2 * WEIR_DISPATCH_NS / 1e3 + 3;

	(void)state;
	/* The operator and a choice between its result and the row as it was; its kernel takes 3
	 * us. */
	assert_near(after_us("..xx.x..x.xx..x.", 1), with, 0.01);
	assert_near(after_us("x.xx.x..x.xx..xx", 1), with, 0.01);
	assert_near(after_us("..xx.x..x.xx..x.", 2), with + WEIR_DISPATCH_NS / 1e3, 0.01);
	/* Three calls are more than a branch has. */
	assert_true(after_us("..xx.x..x.xx..x.", 3) > 2 * without);
}

/* Large results: all turns flip, and choose, at the memory's rate. */
static void a_branch_takes_the_bytes_of_all_turns(void **state)
{
	static const char turns[] = "..xx.x..x.xx..x.";
	double small, large;

	(void)state;
	small = result_of(rows_with(turns, 1, "[[4096]]")).after_us;
	large = result_of(rows_with(turns, 1, "[[1000000]]")).after_us;
	/* Sixteen times 8 MB and 12 MB at 3,015 GB/s; the host is the limit without them. */
	assert_in_range((int)(large - small), 90, (int)(16 * 20 / 3.015));
}

static void turns_that_differ_in_order_or_once_have_no_branch(void **state)
{
	double without = after_us("................", 1);
	double with = without + 2 * WEIR_DISPATCH_NS / 1e3 + 3;

	(void)state;
	/* Two turns at least take it, and two do not; the last one does not say. */
	assert_near(after_us("...x.....x......", 1), with, 0.01);
	assert_true(after_us("...x............", 1) > 1.2 * with);
	assert_near(after_us("xxxx.xxxxx.xxxxx", 1), with, 0.01);
	assert_true(after_us("xxxx.xxxxxxxxxxx", 1) > 1.2 * with);
	/* An eighth of them do not. */
	assert_near(after_us("xxxx.xxxxx.xxxxxx", 1), with, 0.01);
	assert_true(after_us("xxxx.xxxxx.xxxxxxx", 1) > 1.2 * with);
	/* Every second turn: a longer turn, which is the same each time. */
	assert_false(after_us("x.x.x.x.x.x.x.x.", 1) == with);
}

/* Rows of which some call an operator that a branch does not hold. */
static double held_us(void (*call)(struct advice_step *step))
{
	static const char turns[] = "..xx.x..x.xx..x.";
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	for (int i = 0; turns[i]; i++) {
		select_of(step, i);
		advice_step_op(step, "aten::mul", "[[4096], []]", ONE, POINTWISE, 3);
		if (turns[i] == 'x')
			call(step);
		advice_step_op(step, "aten::neg", "[[4096]]", ONE, POINTWISE, 3);
	}
	result = result_of(step);
	return result.found ? result.after_us : result.before_us;
}

static void take_absolute(struct advice_step *step)
{
	advice_step_op(step, "aten::abs", "[[4096]]", ONE, POINTWISE, 3);
}

static void multiply(struct advice_step *step)
{
	advice_step_op(step, "aten::mm", "[[8, 512], [512, 8]]", TWO, "nvjet_gemm", 3);
}

static void fetch(struct advice_step *step)
{
	advice_step_begin(step, "aten::_local_scalar_dense", "[[]]", ONE, NULL);
	advice_step_copy(step, "Memcpy DtoH (Device -> Pinned)", 1);
	advice_step_end(step);
}

static void products_and_waits_are_no_part_of_a_branch(void **state)
{
	double with = after_us("..xx.x..x.xx..x.", 1);

	(void)state;
	assert_near(held_us(take_absolute), with, 0.01);
	assert_true(held_us(multiply) > 1.2 * with);
	assert_true(held_us(fetch) > 1.2 * with);
}

/* ---- windows ---- */

/* Rows of which each turn takes a window; `start`: its place in turn i. */
static double windows_us(const char *op, const char *format, const int *starts)
{
	static char scalars[16][48];
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 16; i++) {
		select_of(step, i);
		snprintf(scalars[i], sizeof scalars[i], format, starts[i], starts[i] + 1024);
		advice_step_view(step, op, "[[4096], [], [], []]",
		                 "[" FLOAT ", \"Scalar\", \"Scalar\", \"Scalar\"]", scalars[i]);
		advice_step_op(step, "aten::mul", "[[1024], []]", ONE, POINTWISE, 3);
		advice_step_op(step, "aten::neg", "[[1024]]", ONE, POINTWISE, 3);
	}
	return result_of(step).after_us;
}

static void windows_at_places_of_their_own_are_gathered(void **state)
{
	static const char slice[] = "[\"\", \"0\", \"%d\", \"%d\", \"1\"]";
	static const char narrow[] = "[\"\", \"0\", \"%d\", \"1024\"]";
	static const int fixed[16] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
	int equal[16], own[16];
	double without;

	(void)state;
	for (int i = 0; i < 16; i++) {
		equal[i] = 5 * i;
		own[i] = i * i % 11;
	}
	without = windows_us("aten::slice", slice, fixed);
	assert_near(windows_us("aten::slice", slice, equal), without, 3);
	/* Four operators more; the first one waits for the device's work of the step before. */
	assert_true(windows_us("aten::slice", slice, own) >= without + 4 * WEIR_DISPATCH_NS / 1e3);
	assert_true(windows_us("aten::narrow", narrow, own) >=
	            without + 4 * WEIR_DISPATCH_NS / 1e3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_branch_of_some_turns_is_computed_for_all_of_them),
		cmocka_unit_test(a_branch_takes_the_bytes_of_all_turns),
		cmocka_unit_test(turns_that_differ_in_order_or_once_have_no_branch),
		cmocka_unit_test(products_and_waits_are_no_part_of_a_branch),
		cmocka_unit_test(windows_at_places_of_their_own_are_gathered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
