/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recorded arguments, one at a time. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/roofline/args.h"
#include "tests/unit/near.h"

/* Arguments behind the last one may hold what an earlier operator left there. */
static void arguments_beyond_the_last_one_are_absent(void **state)
{
	struct weir_args args;
	int64_t list[WEIR_MAX_INTS], number;
	size_t count;
	unsigned bits;
	bool flag;

	(void)state;
	assert_true(weir_args_parse(&args, "[[2, 3], [2, 3]]", "[\"float\", \"float\"]",
	                            "[\"True\", \"True\"]"));
	args.items[1].scalar = "1";
	args.items[1].scalar_len = 1;
	assert_non_null(weir_args_at(&args, 1));
	assert_non_null(weir_args_tensor(&args, 1));
	assert_true(weir_args_int(&args, 1, &number) && number == 1);
	assert_true(weir_args_ints(&args, 1, list, &count) && count == 1 && list[0] == 1);
	assert_true(weir_args_bool(&args, 0, &flag) && flag);
	args.count = 1;
	assert_null(weir_args_at(&args, 1));
	assert_null(weir_args_tensor(&args, 1));
	assert_false(weir_args_int(&args, 1, &number));
	assert_false(weir_args_ints(&args, 1, list, &count));
	assert_non_null(weir_args_tensor(&args, 0));
	args.items[1].scalar = "True";
	args.items[1].scalar_len = 4;
	assert_false(weir_args_bool(&args, 1, &flag));
	args.items[1].scalar = "[True, False]";
	args.items[1].scalar_len = 13;
	assert_false(weir_args_flags(&args, 1, &bits));
	args.count = 2;
	assert_true(weir_args_flags(&args, 1, &bits) && bits == 1);
}

static void scalars_are_no_tensors_and_have_no_bytes(void **state)
{
	struct weir_args args;

	(void)state;
	assert_true(weir_args_parse(&args, "[[], [4]]", "[\"float\", \"float\"]", NULL));
	assert_null(weir_args_tensor(&args, 0));
	assert_near(weir_arg_bytes(weir_args_at(&args, 0)), 0, 0);
	assert_near(weir_arg_bytes(weir_args_tensor(&args, 1)), 16, 0);
	assert_near(weir_arg_bytes(NULL), 0, 0);
}

static void codes_of_types_have_two_ends(void **state)
{
	(void)state;
	assert_int_equal(weir_element_of_code(15).dtype, WEIR_DTYPE_BF16);
	assert_int_equal(weir_element_of_code(45).dtype, WEIR_DTYPE_FP4);
	assert_near(weir_element_of_code(-1).width, 0, 0);
	assert_near(weir_element_of_code(1000).width, 0, 0);
	assert_near(weir_element_of_code(46).width, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_beyond_the_last_one_are_absent),
		cmocka_unit_test(scalars_are_no_tensors_and_have_no_bytes),
		cmocka_unit_test(codes_of_types_have_two_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
