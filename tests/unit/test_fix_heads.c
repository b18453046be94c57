/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Heads that are padded for attention: which copies go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define HALF      "\"c10::Half\""
#define ONE       "[" HALF "]"
#define TWO       "[" HALF ", " HALF "]"
#define STREAMING "vectorized_elementwise_kernel"

static struct advice_result result_of(struct advice_step *step)
{
	struct advice_result result;

	advice_step_wait(step);
	advice_step_apply(step, weir_fix_avoid_copies, &result);
	return result;
}

static double saved_us(struct advice_step *step)
{
	struct advice_result result = result_of(step);

	return result.found ? result.before_us - result.after_us : 0;
}

/* Pads queries, keys and values of 80 columns for attention, and copies its result to the order of
 * rows. */
struct heads {
	const char *widths;  /* of constant_pad_nd */
	int padded;          /* of the three */
	const char *cut;     /* arguments of slice(); NULL: nothing is cut */
	const char *strides; /* of the padded tensor and its source */
};

#define HEADS "[96, 16, 256, 80]"
#define WIDER "[96, 16, 256, 128]"

static void pad_heads(struct advice_step *step, const struct heads *heads)
{
	advice_step_begin(step, "aten::constant_pad_nd", "[" HEADS ", [], []]",
	                  "[" HALF ", \"ScalarList\", \"Scalar\"]", heads->widths);
	advice_step_op(step, "aten::fill_", "[" WIDER "]", ONE, STREAMING, 30);
	advice_step_begin(step, "aten::copy_", "[" HEADS ", " HEADS ", []]", TWO, NULL);
	advice_step_strides(step, heads->strides);
	advice_step_kernel(step, "elementwise_kernel", 95, 1000);
	advice_step_end(step);
	advice_step_end(step);
}

static double padded_heads_us(const struct heads *heads)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < heads->padded; i++)
		pad_heads(step, heads);
	advice_step_op(step, "aten::_cudnn_attention_forward", "[" WIDER ", " WIDER ", " WIDER "]",
	               "[" HALF ", " HALF ", " HALF "]", "flash_fprop", 140);
	if (heads->cut)
		advice_step_view(step, "aten::slice", "[" WIDER ", [], [], [], []]",
		                 "[" HALF ", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]",
		                 heads->cut);
	advice_step_op(step, "aten::copy_", "[[96, 256, 16, 80], [96, 256, 16, 80], []]", TWO,
	               "elementwise_kernel", 93);
	advice_step_op(step, "aten::abs", "[[24576, 1280]]", ONE, STREAMING, 50);
	return saved_us(step);
}

#define CUT     "[\"\", \"3\", \"0\", \"80\", \"1\"]"
#define BY_ROWS "[[524288, 32768, 128, 1], [983040, 80, 3840, 1], []]"
#define BEHIND  "[\"\", \"[0, 48]\", \"0.\"]"

static void attention_takes_heads_without_columns_of_zeros(void **state)
{
	static const struct heads needless = {BEHIND, 3, CUT, BY_ROWS},
				  by_heads = {
					  BEHIND, 3, CUT,
					  "[[524288, 32768, 128, 1], [327680, 20480, 80, 1], []]"};
	static const struct heads others[] = {
		{BEHIND, 2, CUT, BY_ROWS},
		{BEHIND, 3, NULL, BY_ROWS},
		{BEHIND, 3, "[\"\", \"3\", \"0\", \"79\", \"1\"]", BY_ROWS},
		{BEHIND, 3, "[\"\", \"3\", \"1\", \"81\", \"1\"]", BY_ROWS},
		{"[\"\", \"[48, 0]\", \"0.\"]", 3, CUT, BY_ROWS},
		{"[\"\", \"[0, 48]\", \"1.\"]", 3, CUT, BY_ROWS},
		{"[\"\", \"[0, 48, 0, 8]\", \"0.\"]", 3, CUT, BY_ROWS},
		{"[\"\", \"[0, 47]\", \"0.\"]", 3, CUT, BY_ROWS},
		{NULL, 3, CUT, BY_ROWS},
	};

	(void)state;
	/* The result lies in the order of rows if the queries do. */
	assert_near(padded_heads_us(&needless), 3 * (30 + 95) + 93, 0.01);
	assert_near(padded_heads_us(&by_heads), 3 * (30 + 95), 0.01);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (padded_heads_us(&others[i]) > 100)
			fail_msg("case %zu", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attention_takes_heads_without_columns_of_zeros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
