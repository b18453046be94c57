/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies and kernels that move fewer bytes: parts of results, uploads and stored tensors in smaller
 * types. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/advice/advisor.h"
#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char down[] = "Memcpy DtoH (Device -> Pinned)";

/* Adds a copy between host and device with its operator. */
static void copy(struct advice_step *step, const char *name, const char *dims, const char *types,
                 double us, int64_t bytes)
{
	advice_step_begin(step, "aten::copy_", dims, types, NULL);
	advice_step_copy_bytes(step, name, us, bytes);
	advice_step_end(step);
}

/* ---- copy-less: a part of a result ---- */

/* A kernel of 400 us writes a tensor that goes to the host, which picks a quarter of it. */
static void a_cast_before_a_copy_of_a_part_casts_that_part(void **state)
{
	static const struct {
		const char *op, *dims;
		double saved_us;
	} cases[] = {
		{"aten::copy_", "[[64, 8000], [64, 8000], []]", 750 + 300},
		{"aten::copy_", "[[64, 4000], [64, 4000], []]", 750}, /* another tensor */
		{"aten::mul", "[[64, 8000], [64, 8000], []]", 750},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct advice_step *step = advice_step_new();
		struct advice_result result;

		advice_step_op(step, cases[i].op, cases[i].dims,
		               "[\"float\", \"c10::BFloat16\", \"Scalar\"]",
		               "unrolled_elementwise_kernel", 400);
		copy(step, down, "[[64, 8000], [64, 8000], []]",
		     "[\"float\", \"float\", \"Scalar\"]", 1000, INT64_C(64) * 8000 * 4);
		advice_step_view(step, "aten::slice", "[[64, 8000], [], [], [], []]",
		                 "[\"float\", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]",
		                 "[\"\", \"0\", \"0\", \"16\", \"1\"]");
		advice_step_apply(step, weir_fix_copy_less, &result);
		assert_true(result.found);
		assert_near(result.before_us - result.after_us, cases[i].saved_us, 0.02);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cast_before_a_copy_of_a_part_casts_that_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
