/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows that are taken by a list of positions, where a slice is a view. */
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

/* Windows of trials that are taken by positions, and the call that reads them. */
struct windows {
	const char *positions, *shape; /* sizes, and those of the positions in the result */
	const char *reader, *read;
	const char *before; /* an operator that runs before; NULL: none */
	int64_t uploaded;   /* bytes; 0: none */
};

static double saved_us(const struct windows *windows)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	if (windows->uploaded > 0)
		advice_step_copy_bytes(step, "Memcpy HtoD (Pinned -> Device)", 5,
		                       windows->uploaded);
	if (windows->before)
		advice_step_op(step, windows->before, "[[8192]]", ONE, STREAMING, 5);
	advice_step_begin(step, "aten::index", "[[96, 8192, 384], []]", "[" BF16 ", \"\"]", NULL);
	advice_step_view(step, "aten::reshape", windows->positions,
	                 "[\"long int\", \"ScalarList\"]", windows->shape);
	advice_step_kernel(step, "index_elementwise_kernel", 1096, 1000);
	advice_step_end(step);
	advice_step_op(step, windows->reader, windows->read, TWO, "nvjet_gemm", 183);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_avoid_copies, &result);
	return result.found ? result.before_us - result.after_us : 0;
}

#define POSITIONS "[[6144], []]"
#define SHAPE     "[\"\", \"[1, 6144, 1]\"]"
#define READER    "aten::bmm", "[[96, 6144, 384], [96, 384, 48]]"

static void a_range_of_rows_is_a_view_for_a_product(void **state)
{
	static const struct windows range = {POSITIONS, SHAPE, READER, "aten::abs", 24576},
				    half = {"[[4096], []]", "[\"\", \"[1, 4096, 1]\"]",
	                                    "aten::bmm",    "[[96, 4096, 384], [96, 384, 48]]",
	                                    NULL,           0};

	(void)state;
	assert_near(saved_us(&range), 1096, 0.01);
	assert_near(saved_us(&half), 1096, 0.01);
}

static void other_rows_are_gathered(void **state)
{
	static const struct windows others[] = {
		/* The first dimension, few rows, positions in two dimensions. */
		{POSITIONS, "[\"\", \"[6144, 1, 1]\"]", READER, NULL, 0},
		{"[[4095], []]", "[\"\", \"[1, 4095, 1]\"]", "aten::bmm",
	         "[[96, 4095, 384], [96, 384, 48]]", NULL, 0},
		{"[[1, 6144], []]", SHAPE, READER, NULL, 0},
		{POSITIONS, NULL, READER, NULL, 0},
		/* Chosen by the step, or sent to it. */
		{POSITIONS, SHAPE, READER, "aten::sort", 0},
		{POSITIONS, SHAPE, READER, NULL, 49152},
		/* A single matrix has one stride. */
		{POSITIONS, SHAPE, "aten::mm", "[[589824, 384], [384, 48]]", NULL, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (saved_us(&others[i]) != 0)
			fail_msg("case %zu", i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_range_of_rows_is_a_view_for_a_product),
		cmocka_unit_test(other_rows_are_gathered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
