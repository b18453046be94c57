/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators that touch every element: types of results, broadcasts, fused kernels, and the calls
 * without a model. */
#include <stdlib.h>

#include "tests/unit/near.h"
#include "tests/unit/operators.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

static void results_have_the_wider_type(void **state)
{
	static const struct operator_figures rows[] = {
		/* Floats before integers, then the wider one. */
		{CALL("aten::add", "[[5], [5], []]", "hlS"), 5, 5. * (2 + 8 + 2), WEIR_MODEL_HIGH},
		{CALL("aten::add", "[[5], [5], []]", "lhS"), 5, 5. * (2 + 8 + 2), WEIR_MODEL_HIGH},
		{CALL("aten::add", "[[5], [5], []]", "chS"), 5, 5. * (1 + 2 + 2), WEIR_MODEL_HIGH},
		{CALL("aten::add", "[[5], [5], []]", "hcS"), 5, 5. * (1 + 2 + 2), WEIR_MODEL_HIGH},
		{CALL("aten::add", "[[5], [5], []]", "ilS"), 5, 5. * (4 + 8 + 8), WEIR_MODEL_HIGH},
		{CALL("aten::add", "[[5], [5], []]", "fhS"), 5, 5. * (4 + 2 + 4), WEIR_MODEL_HIGH},
		{CALL("aten::add", "[[5], [5], []]", "hhS"), 5, 5. * (2 + 2 + 2), WEIR_MODEL_HIGH},
		/* A tensor without dimensions changes no type; alone, it is the type. */
		{CALL("aten::mul", "[[5], []]", "hd"), 5, 5. * (2 + 2), WEIR_MODEL_HIGH},
		{CALL("aten::sub", "[[], [5], []]", "dfS"), 5, 5. * (4 + 4), WEIR_MODEL_HIGH},
		{CALL("aten::mul", "[[], [5], [5]]", "lhh"), 5, 5. * (2 + 2), WEIR_MODEL_HIGH},
		{CALL("aten::mul", "[[], []]", "dh"), 1, 8, WEIR_MODEL_HIGH},
		{CALL("aten::add_", "[[5], [5], []]", "hfS"), 5, 5. * (2 + 4 + 2), WEIR_MODEL_HIGH},
		{CALL("aten::eq", "[[5], [5]]", "hf"), 5, 5. * (2 + 4 + 1), WEIR_MODEL_HIGH},
		{CALL("aten::eq_", "[[5], [5]]", "hf"), 5, 5. * (2 + 4 + 2), WEIR_MODEL_HIGH},
		{CALL("aten::isnan", "[[5]]", "h"), 5, 5. * (2 + 1), WEIR_MODEL_HIGH},
		{CALL("aten::where", "[[5], [5], [5]]", "bhf"), 5, 5. * (1 + 2 + 4 + 4),
	         WEIR_MODEL_HIGH},
		{CALL("aten::where", "[[5], [], []]", "bhh"), 5, 5. * (1 + 2), WEIR_MODEL_HIGH},
		{CALL("aten::copy_", "[[5], []]", "hd"), 0, 5. * 2 + 8, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::clone", "[[5], []]", "h-", "[\"\", \"6\"]"), 0, 5. * 4,
	         WEIR_MODEL_HIGH},
		{CALL_WITH("aten::to", "[[5], []]", "hS", "[\"\", \"6\"]"), 0, 5. * (2 + 4),
	         WEIR_MODEL_HIGH},
		{CALL_WITH("aten::to", "[[5], []]", "hS", "[\"\", \"16\"]"), 0, 5. * 4,
	         WEIR_MODEL_HIGH},
		{CALL_WITH("aten::to", "[[5], []]", "hS", "[\"\", \"\"]"), 0, 5. * 4,
	         WEIR_MODEL_HIGH},
		{CALL("aten::to", "[[5], []]", "hS"), 0, 5. * 4, WEIR_MODEL_LOW},
		{CALL("aten::uniform_", "[[5], []]", "fS"), 5. * 8, 5. * 4, WEIR_MODEL_HIGH},
		{CALL("aten::fill_", "[[], []]", "fS"), 0, 4, WEIR_MODEL_HIGH},
		{CALL("_C::silu_and_mul", "[[5], [10]]", "hf"), 5. * 8, 5. * 2 + 10 * 4,
	         WEIR_MODEL_HIGH},
		{CALL("_C::static_scaled_fp8_quant", "[[5], [5], []]", "8h-"), 10, 5. * (1 + 2),
	         WEIR_MODEL_HIGH},
		{CALL("aten::asin", "[[5]]", "h"), 5. * 8, 5. * (2 + 2), WEIR_MODEL_HIGH},
		{CALL("aten::tan_", "[[5]]", "f"), 5. * 4, 5. * (4 + 4), WEIR_MODEL_HIGH},
		{CALL("aten::addcdiv", "[[5], [5], [5]]", "fff"), 20, 4. * 4 * 5, WEIR_MODEL_HIGH},
		{CALL("aten::lgamma", "[[5]]", "f"), 5. * 8, 5. * (4 + 4), WEIR_MODEL_HIGH},
		{CALL("aten::special_i1e", "[[5]]", "d"), 5. * 8, 5. * (8 + 8), WEIR_MODEL_HIGH},
		{CALL("aten::hypot", "[[5], [5]]", "ff"), 5. * 4, 5. * 12, WEIR_MODEL_HIGH},
		{CALL("aten::__and__", "[[5], [5]]", "bb"), 5, 5. * 3, WEIR_MODEL_HIGH},
		{CALL("aten::__rshift__", "[[5], [5]]", "ll"), 5, 5. * 24, WEIR_MODEL_HIGH},
	};

	(void)state;
	check_operators(rows, COUNT(rows));
}

static void operands_broadcast_from_their_last_dimension(void **state)
{
	static const struct operator_figures rows[] = {
		{CALL("aten::add", "[[4, 1], [3], []]", "ffS"), 12, 4. * (4 + 3 + 12),
	         WEIR_MODEL_HIGH},
		{CALL("aten::add", "[[3], [4, 1], []]", "ffS"), 12, 4. * (4 + 3 + 12),
	         WEIR_MODEL_HIGH},
		{CALL("aten::add", "[[2, 1, 3], [4, 1], []]", "ffS"), 24, 4. * (6 + 4 + 24),
	         WEIR_MODEL_HIGH},
		{CALL("aten::where", "[[4, 1], [3], [1]]", "bff"), 12, 4 + 4. * (3 + 1 + 12),
	         WEIR_MODEL_HIGH},
	};
	static const struct operator_call refused[] = {
		CALL("aten::add", "[[4], [3], []]", "ffS"),
		CALL("aten::add", "[[4, 3], [2, 3], []]", "ffS"),
		CALL("aten::add", "[[[4]], [4], []]", "ffS"),
		CALL("aten::neg", "[[5]]", "-"),
		CALL("aten::mul", "[[], [5]]", "Sf"),
		CALL("aten::eq", "[[4], [3]]", "ff"),
		CALL("aten::eq", "[[], [3]]", "Sf"),
		CALL("aten::where", "[[], [3], [3]]", "-ff"),
		CALL("aten::where", "[[[3]], [3], [3]]", "bff"),
		CALL("aten::where", "[[3], [], [3]]", "b-f"),
		CALL("aten::where", "[[3], [3], []]", "bf-"),
		CALL("aten::where", "[[3], [[3]], [3]]", "bff"),
		CALL("aten::where", "[[3], [2], [3]]", "bff"),
		CALL("aten::where", "[[2], [3], [3]]", "bff"),
		CALL("aten::where", "[[], [], []]", "bff"),
		CALL("aten::copy_", "[[], [5]]", "-f"),
		CALL("aten::copy_", "[[5], []]", "f-"),
		CALL("aten::copy_", "[[[5]], [5]]", "ff"),
		CALL("aten::copy_", "[[5], [[5]]]", "ff"),
		CALL("aten::clone", "[[], []]", "f-"),
		CALL("aten::fill_", "[[], []]", "-S"),
		CALL("aten::fill_", "[[[5]], []]", "fS"),
		CALL("_C::silu_and_mul", "[[], [10]]", "hh"),
		CALL("_C::silu_and_mul", "[[5], []]", "hh"),
		CALL("_C::silu_and_mul", "[[5], [9]]", "hh"),
		CALL("_C::static_scaled_fp8_quant", "[[], [5], [1]]", "8hf"),
		CALL("_C::static_scaled_fp8_quant", "[[5], [], [1]]", "8hf"),
		CALL("_C::static_scaled_fp8_quant", "[[5], [6], [1]]", "8hf"),
		CALL("triton_poi_fused_add_0", "[[], []]", "SS"),
		CALL("triton_poi_fused_add_0", "[[0]]", "f"),
	};

	(void)state;
	check_operators(rows, COUNT(rows));
	check_refused(refused, COUNT(refused));
}

static void fused_kernels_count_the_words_that_compute(void **state)
{
	static const struct operator_figures rows[] = {
		{CALL("triton_poi_fused_add_0", "[[5], []]", "fS"), 5, 20, WEIR_MODEL_LOW},
		{CALL("triton_poi_fused_view_add_t_exp_12", "[[5]]", "f"), 10, 20, WEIR_MODEL_LOW},
		{CALL("triton_poi_fused__to_copy__add_9", "[[5], [2]]", "hf"), 5, 18,
	         WEIR_MODEL_LOW},
		{CALL("triton_poi_fused_9to_90", "[[5]]", "f"), 0, 20, WEIR_MODEL_LOW},
		{CALL("triton_poi_fused_ad", "[[5]]", "f"), 5, 20, WEIR_MODEL_LOW},
		{CALL("triton_red_5", "[[5]]", "f"), 0, 20, WEIR_MODEL_LOW},
	};
	struct weir_work work = operator_work(
		&(struct operator_call)CALL("triton_poi_fused_add_0", "[[2], [5], [5]]", "fdf"));

	(void)state;
	check_operators(rows, COUNT(rows));
	/* The largest tensor, and of equal ones the first, has the type of the arithmetic. */
	assert_int_equal(work.dtype, WEIR_DTYPE_FP64);
	work = operator_work(
		&(struct operator_call)CALL("triton_poi_fused_add_0", "[[5], [5]]", "fd"));
	assert_int_equal(work.dtype, WEIR_DTYPE_FP32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results_have_the_wider_type),
		cmocka_unit_test(operands_broadcast_from_their_last_dimension),
		cmocka_unit_test(fused_kernels_count_the_words_that_compute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
