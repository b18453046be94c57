/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of a tensor that are copied, multiplied by the same weights, and joined again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define BF16      "\"c10::BFloat16\""
#define ONE       "[" BF16 "]"
#define TWO       "[" BF16 ", " BF16 "]"
#define STREAMING "vectorized_elementwise_kernel"

/* Two levels of a pyramid. */
struct levels {
	const char *strides[2]; /* of each copy and its source */
	const char *products[2], *dims[2];
	const char *joined;
	const char *between; /* an operator on each product's result; NULL: none */
};

static void level(struct advice_step *step, const struct levels *levels, int i)
{
	static const char *const copied[] = {"[[16, 3000, 256], [16, 3000, 256], []]",
	                                     "[[16, 1000, 256], [16, 1000, 256], []]"};
	static const char *const results[] = {"[[16, 3000, 128]]", "[[16, 1000, 128]]"};

	advice_step_begin(step, "aten::contiguous", NULL, NULL, NULL);
	advice_step_begin(step, "aten::copy_", copied[i], TWO, NULL);
	advice_step_strides(step, levels->strides[i]);
	advice_step_kernel(step, "elementwise_kernel", i == 0 ? 90 : 30, 1000);
	advice_step_end(step);
	advice_step_end(step);
	advice_step_op(step, levels->products[i], levels->dims[i], TWO, "nvjet_gemm",
	               i == 0 ? 60 : 20);
	if (levels->between)
		advice_step_op(step, levels->between, results[i], ONE,
		               levels->between[6] == 'g' ? STREAMING : "scan_kernel", 10);
}

static double saved_us(const struct levels *levels)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	for (int i = 0; i < 2; i++)
		level(step, levels, i);
	advice_step_op(step, "aten::cat", levels->joined, "[\"TensorList\", \"Scalar\"]",
	               "CatArrayBatchedCopy", 50);
	advice_step_op(step, "aten::abs", "[[16, 4000, 128]]", ONE, STREAMING, 40);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_avoid_copies, &result);
	return result.found ? result.before_us - result.after_us : 0;
}

#define LARGE  "[[768000, 256, 1], [1024000, 256, 1], []]"
#define SMALL  "[[256000, 256, 1], [1024000, 256, 1], []]"
#define FIRST  "[[48000, 256], [256, 128]]"
#define SECOND "[[16000, 256], [256, 128]]"
#define JOINED "[[[16, 3000, 128], [16, 1000, 128]], []]"

static void parts_that_are_joined_again_are_computed_on_at_once(void **state)
{
	static const struct levels levels = {
		{LARGE, SMALL}, {"aten::mm", "aten::mm"}, {FIRST, SECOND}, JOINED, NULL};
	static const struct levels more = {
		{LARGE, SMALL}, {"aten::mm", "aten::mm"}, {FIRST, SECOND}, JOINED, "aten::gelu"};

	(void)state;
	assert_near(saved_us(&levels), 90 + 30 + 50, 0.02);
	assert_near(saved_us(&more), 90 + 30 + 50, 0.02);
}

static void other_parts_stay_apart(void **state)
{
	static const struct levels others[] = {
		/* The second source is another tensor, or has no gaps. */
		{{LARGE, "[[256000, 256, 1], [512000, 256, 1], []]"},
	         {"aten::mm", "aten::mm"},
	         {FIRST, SECOND},
	         JOINED,
	         NULL},
		{{LARGE, "[[256000, 256, 1], [256000, 256, 1], []]"},
	         {"aten::mm", "aten::mm"},
	         {FIRST, SECOND},
	         JOINED,
	         NULL},
		/* The products differ. */
		{{LARGE, SMALL}, {"aten::mm", "aten::bmm"}, {FIRST, SECOND}, JOINED, NULL},
		{{LARGE, SMALL},
	         {"aten::mm", "aten::mm"},
	         {FIRST, "[[16000, 256], [256, 64]]"},
	         JOINED,
	         NULL},
		/* They are joined by columns, or one of them alone. */
		{{LARGE, SMALL},
	         {"aten::mm", "aten::mm"},
	         {FIRST, SECOND},
	         "[[[16, 3000, 128], [16, 3000, 64]], []]",
	         NULL},
		{{LARGE, SMALL},
	         {"aten::mm", "aten::mm"},
	         {FIRST, SECOND},
	         "[[[16, 1000, 128]], []]",
	         NULL},
		/* Rows are not taken alone. */
		{{LARGE, SMALL}, {"aten::mm", "aten::mm"}, {FIRST, SECOND}, JOINED, "aten::cumsum"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (saved_us(&others[i]) > 100)
			fail_msg("case %zu", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_that_are_joined_again_are_computed_on_at_once),
		cmocka_unit_test(other_parts_stay_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
