/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrix products: their figures, their tiles, and the calls without a model. */
#include <stdlib.h>

#include "tests/unit/near.h"
#include "tests/unit/operators.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
#define EXACT       1e-15

static void products_move_each_matrix_once(void **state)
{
	static const struct operator_figures rows[] = {
		{CALL("aten::baddbmm", "[[8, 6, 4], [8, 6, 5], [8, 5, 4]]", "hhh"),
	         8 * (2. * 6 * 5 * 4 + 6 * 4), 2. * 8 * (24 + 30 + 20 + 24), WEIR_MODEL_HIGH},
		/* A sum over the batch: one result. */
		{CALL("aten::addbmm", "[[6, 4], [8, 6, 5], [8, 5, 4]]", "hhh"),
	         2. * 6 * 5 * 8 * 4 + 6 * 4, 2. * (24 + 8 * 30 + 8 * 20 + 24), WEIR_MODEL_HIGH},
		{CALL("aten::linear", "[[3, 5], [4, 5], [4]]", "hhh"), 2. * 3 * 5 * 4 + 3 * 4,
	         2. * (15 + 20 + 4 + 12), WEIR_MODEL_HIGH},
		/* A weight of one dimension is one output. */
		{CALL("aten::linear", "[[3, 5], [5], []]", "hh-"), 2. * 3 * 5, 2. * (15 + 5 + 3),
	         WEIR_MODEL_HIGH},
		{CALL("aten::linear", "[[5], [4, 5], []]", "hh-"), 2. * 5 * 4, 2. * (5 + 20 + 4),
	         WEIR_MODEL_HIGH},
		{CALL("aten::matmul", "[[6, 5], [5]]", "hh"), 2. * 6 * 5, 2. * (30 + 5 + 6),
	         WEIR_MODEL_HIGH},
		{CALL("aten::matmul", "[[5], [5]]", "hh"), 2. * 5, 2. * (5 + 5 + 1),
	         WEIR_MODEL_HIGH},
		/* The right operand has more leading dimensions. */
		{CALL("aten::matmul", "[[6, 5], [3, 5, 4]]", "hh"), 3 * 2. * 6 * 5 * 4,
	         2. * (30 + 60 + 3 * 24), WEIR_MODEL_HIGH},
		{CALL("aten::matmul", "[[3, 6, 5], [1, 5, 4]]", "hh"), 3 * 2. * 6 * 5 * 4,
	         2. * (90 + 20 + 3 * 24), WEIR_MODEL_HIGH},
		{CALL("aten::addmv", "[[6], [6, 5], [5]]", "hhh"), 2. * 6 * 5 + 6,
	         2. * (6 + 30 + 5 + 6), WEIR_MODEL_HIGH},
		{CALL("aten::dot", "[[7], [7]]", "hh"), 2. * 7, 2. * 14, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::_scaled_mm", "[[16, 64], [64, 32], [16], [32], [32], [], [], []]",
	                   "88fff-SS", "[\"\", \"\", \"\", \"\", \"\", \"\", \"15\", \"\"]"),
	         2. * 16 * 64 * 32 + 16 * 32, 16. * 64 + 64 * 32 + 4 * (16 + 32 + 32) + 2 * 16 * 32,
	         WEIR_MODEL_HIGH},
		/* A type that is no tensor's leaves two bytes. */
		{CALL_WITH("aten::_scaled_mm", "[[16, 64], [64, 32], [], [], [], [], [], []]",
	                   "88----SS", "[\"\", \"\", \"\", \"\", \"\", \"\", \"99\", \"\"]"),
	         2. * 16 * 64 * 32, 16. * 64 + 64 * 32 + 2 * 16 * 32, WEIR_MODEL_HIGH},
		/* Groups: batched, along rows, and with results of two bytes for fp8. */
		{CALL("aten::_grouped_mm", "[[4, 6, 5], [4, 5, 3], [], [], []]", "hh---"),
	         4 * 2. * 6 * 5 * 3, 2. * 4 * (30 + 15 + 18), WEIR_MODEL_HIGH},
		{CALL("aten::_grouped_mm", "[[4, 6, 5], [5, 3], [4], [], []]", "hhi--"),
	         4 * 2. * 6 * 5 * 3, 2. * (120 + 15 + 4 * 18) + 4 * 4, WEIR_MODEL_HIGH},
		{CALL("aten::_scaled_grouped_mm", "[[6, 5], [4, 5, 3], [6], [4, 3], [4]]", "88ffi"),
	         2. * 6 * 5 * 3, 30. + 60 + 2 * 18 + 4 * 4, WEIR_MODEL_MEDIUM},
	};

	(void)state;
	check_operators(rows, COUNT(rows));
}

/* PyTorch: "If beta is 0, then the content of input will be ignored". */
static void an_added_matrix_with_a_factor_of_zero_is_not_read(void **state)
{
	static const char shapes[] = "[[8, 6, 4], [8, 6, 5], [8, 5, 4], [], []]";
	const double product = 8 * 2. * 6 * 5 * 4, moved = 2. * 8 * (30 + 20 + 24);
	const struct operator_figures rows[] = {
		{CALL_WITH("aten::baddbmm", shapes, "hhhSS", "[\"\",\"\",\"\",\"0\",\"0.158\"]"),
	         product, moved, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::baddbmm", shapes, "hhhSS", "[\"\",\"\",\"\",\"0.\",\"1\"]"),
	         product, moved, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::baddbmm", shapes, "hhhSS", "[\"\",\"\",\"\",\"0.001\",\"0\"]"),
	         product + 8 * 24, moved + 2. * 8 * 24, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::addmm", "[[4], [6, 5], [5, 4], [], []]", "hhhSS",
	                   "[\"\",\"\",\"\",\"0\",\"1\"]"),
	         2. * 6 * 5 * 4, 2. * (30 + 20 + 24), WEIR_MODEL_HIGH},
		{CALL_WITH("aten::addbmm", "[[6, 4], [8, 6, 5], [8, 5, 4], [], []]", "hhhSS",
	                   "[\"\",\"\",\"\",\"0\",\"1\"]"),
	         2. * 6 * 5 * 8 * 4, 2. * (8 * 30 + 8 * 20 + 24), WEIR_MODEL_HIGH},
	};

	(void)state;
	check_operators(rows, COUNT(rows));
}

static void products_that_do_not_fit_are_unknown(void **state)
{
	static const struct operator_call refused[] = {
		CALL("aten::mm", "[[2, 3], [4, 5]]", "hh"),
		CALL("aten::mm", "[[], [3, 5]]", "hh"),
		CALL("aten::mm", "[[2, 3], []]", "hh"),
		CALL("aten::mm", "[[1, 2, 3], [3, 5]]", "hh"),
		CALL("aten::mm", "[[2, 3], [1, 3, 5]]", "hh"),
		CALL("aten::bmm", "[[2, 3], [3, 5]]", "hh"),
		CALL("aten::bmm", "[[2, 2, 3], [4, 3, 5]]", "hh"),
		CALL("aten::addmm", "[[], [2, 3], [3, 5]]", "-hh"),
		CALL("aten::addmm", "[[5], [2, 3], [4, 5]]", "hhh"),
		CALL("aten::addbmm", "[[], [8, 6, 5], [8, 5, 4]]", "-hh"),
		CALL("aten::addbmm", "[[6, 4], [8, 6, 5], [8, 6, 4]]", "hhh"),
		CALL("aten::linear", "[[3, 5], [4, 6], []]", "hh-"),
		CALL("aten::linear", "[[3, 5], [], []]", "hh-"),
		CALL("aten::linear", "[[3, 5], [2, 4, 5], []]", "hh-"),
		CALL("aten::linear", "[[3, 0], [4, 0], []]", "hh-"),
		CALL("aten::matmul", "[[], [5]]", "hh"),
		CALL("aten::matmul", "[[5], []]", "hh"),
		CALL("aten::matmul", "[[6, 5], [4]]", "hh"),
		CALL("aten::matmul", "[[6, 5], [4, 3]]", "hh"),
		CALL("aten::matmul", "[[2, 6, 5], [3, 5, 4]]", "hh"),
		CALL("aten::mv", "[[], [5]]", "hh"),
		CALL("aten::mv", "[[6, 5], []]", "hh"),
		CALL("aten::mv", "[[6, 5], [4]]", "hh"),
		CALL("aten::mv", "[[6, 5], [5, 1]]", "hh"),
		CALL("aten::mv", "[[1, 6, 5], [5]]", "hh"),
		CALL("aten::dot", "[[], [7]]", "hh"),
		CALL("aten::dot", "[[7], []]", "hh"),
		CALL("aten::dot", "[[7], [8]]", "hh"),
		CALL("aten::dot", "[[7, 1], [7]]", "hh"),
		CALL("aten::dot", "[[7], [7, 1]]", "hh"),
		CALL("aten::_scaled_mm", "[[16, 64], [63, 32], [], [], [], [], [], []]",
	             "88----SS"),
		CALL("aten::_grouped_mm", "[[6], [4, 5, 3], [4], [], []]", "hhi--"),
		CALL("aten::_grouped_mm", "[[6, 5], [5], [4], [], []]", "hhi--"),
		CALL("aten::_grouped_mm", "[[1, 4, 6, 5], [4, 5, 3], [4], [], []]", "hhi--"),
		CALL("aten::_grouped_mm", "[[4, 6, 5], [1, 4, 5, 3], [4], [], []]", "hhi--"),
		CALL("aten::_grouped_mm", "[[4, 6, 5], [5, 3], [], [], []]", "hh---"),
	};

	(void)state;
	check_refused(refused, COUNT(refused));
}

#define EXPERTS "vllm::outplace_fused_experts"

static void experts_need_weights_that_fit(void **state)
{
	static const struct operator_figures few[] = {
		/* 40 rows for 3 experts: all of them are read. */
		{CALL(EXPERTS, "[[20, 4], [3, 12, 4], [3, 4, 6], [20, 2], [20, 2]]", "hhhfi"),
	         2. * 40 * 4 * (12 + 6),
	         2 * 2. * 80 + 2. * 40 * 2 * (12 + 6) + 2. * 3 * (48 + 24) + 4. * 40 + 4. * 40,
	         WEIR_MODEL_MEDIUM},
	};
	static const struct operator_call refused[] = {
		CALL(EXPERTS, "[[], [3, 12, 4], [3, 4, 6], [20, 2], [20, 2]]", "hhhfi"),
		CALL(EXPERTS, "[[20, 4], [], [3, 4, 6], [20, 2], [20, 2]]", "hhhfi"),
		CALL(EXPERTS, "[[20, 4], [3, 12, 4], [], [20, 2], [20, 2]]", "hhhfi"),
		CALL(EXPERTS, "[[20, 4], [3, 12, 4], [3, 4, 6], [20, 2], []]", "hhhfi"),
		CALL(EXPERTS, "[[1, 20, 4], [3, 12, 4], [3, 4, 6], [20, 2], [1, 2]]", "hhhfi"),
		CALL(EXPERTS, "[[20, 4], [12, 4], [12, 4, 6], [20, 2], [20, 2]]", "hhhfi"),
		CALL(EXPERTS, "[[20, 4], [3, 12, 4], [3, 4], [20, 2], [20, 2]]", "hhhfi"),
		CALL(EXPERTS, "[[20, 4], [3, 12, 4], [3, 4, 6], [20, 2], [20]]", "hhhfi"),
		CALL(EXPERTS, "[[20, 4], [3, 12, 4], [3, 4, 6], [20, 2], [19, 2]]", "hhhfi"),
		CALL(EXPERTS, "[[20, 4], [3, 12, 4], [4, 4, 6], [20, 2], [20, 2]]", "hhhfi"),
		CALL(EXPERTS, "[[20, 4], [3, 12, 5], [3, 4, 6], [20, 2], [20, 2]]", "hhhfi"),
		CALL(EXPERTS, "[[20, 4], [3, 12, 4], [3, 5, 6], [20, 2], [20, 2]]", "hhhfi"),
	};

	(void)state;
	check_operators(few, COUNT(few));
	check_refused(refused, COUNT(refused));
}

/* The sizes of one product of the batch, from which its traffic is estimated. */
static void tiles_are_those_of_one_product(void **state)
{
	struct operator_call call = CALL("aten::bmm", "[[8, 6, 5], [8, 5, 4]]", "hh");
	struct weir_work work = operator_work(&call);

	(void)state;
	assert_near(work.reuse.m, 6, EXACT);
	assert_near(work.reuse.n, 4, EXACT);
	assert_near(work.reuse.a_bytes, 60, EXACT);
	assert_near(work.reuse.b_bytes, 40, EXACT);
	assert_near(work.reuse.batch, 8, EXACT);
	assert_true(work.product);
	assert_int_equal(work.engine, WEIR_ENGINE_TENSOR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(products_move_each_matrix_once),
		cmocka_unit_test(an_added_matrix_with_a_factor_of_zero_is_not_read),
		cmocka_unit_test(products_that_do_not_fit_are_unknown),
		cmocka_unit_test(experts_need_weights_that_fit),
		cmocka_unit_test(tiles_are_those_of_one_product),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
