/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops whose turns look for their rows: which of them are loops, and what remains of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define BF16      "\"c10::BFloat16\""
#define ONE       "[" BF16 "]"
#define TWO       "[" BF16 ", " BF16 "]"
#define POINTWISE "vectorized_elementwise_kernel"
#define TURNS     16

static struct advice_result result_of(struct advice_step *step, weir_fix_apply *apply)
{
	struct advice_result result;

	advice_step_wait(step);
	advice_step_apply(step, apply, &result);
	return result;
}

/* Compares a tensor of these sizes with the turn's number, and counts the rows that are equal. */
static void find_rows(struct advice_step *step, const char *eq, const char *mask, int turn)
{
	static char scalars[64][32];

	snprintf(scalars[turn], sizeof scalars[turn], "[\"\", \"%d\"]", turn);
	advice_step_begin(step, "aten::eq", eq, "[\"long int\", \"Scalar\"]", scalars[turn]);
	advice_step_kernel(step, POINTWISE, 2, 1000);
	advice_step_end(step);
	advice_step_begin(step, "aten::nonzero", mask, "[\"bool\"]", NULL);
	advice_step_kernel(step, "DeviceSelectSweepKernel", 2, 1);
	advice_step_copy(step, "Memcpy DtoH (Device -> Pinned)", 1);
	advice_step_end(step);
}

/* ---- picked rows ---- */

/* Means of the rows that belong to each number; `same`: to one number in all turns. `write`: an
 * operator at the end of each turn that writes to all rows; NULL: none. */
static struct advice_step *means(int turns, bool same, const char *write)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < turns; i++) {
		find_rows(step, "[[512], []]", "[[512]]", same ? 0 : i);
		advice_step_op(step, "aten::index", "[[512, 1024], []]", ONE,
		               "vectorized_gather_kernel", 2);
		advice_step_op(step, "aten::mean", "[[32, 1024], [], [], []]", ONE,
		               "reduce_kernel<512, 1, MeanOps>", 3);
		if (write)
			advice_step_op(step, write, "[[512, 1024], [], [32], [1, 1024]]",
			               "[" BF16 ", \"Scalar\", \"long int\", " BF16 "]",
			               "index_elementwise_kernel", 3);
	}
	return step;
}

static void rows_that_belong_to_each_number_are_reduced_at_once(void **state)
{
	struct advice_result result;

	(void)state;
	result = result_of(means(TURNS, false, NULL), weir_fix_vectorise);
	assert_true(result.found);
	/* A mean remains, with two operators around it, and no search. */
	assert_near(result.before_us, 295, 0.001);
	assert_near(result.after_us, 2 * WEIR_DISPATCH_NS / 1e3 + 12, 0.001);
	assert_false(result_of(means(TURNS, false, NULL), weir_fix_group_the_loop).found);
}

static void rows_of_one_number_or_of_few_are_no_loop(void **state)
{
	(void)state;
	assert_true(result_of(means(4, false, NULL), weir_fix_vectorise).found);
	assert_false(result_of(means(3, false, NULL), weir_fix_vectorise).found);
	assert_false(result_of(means(TURNS, true, NULL), weir_fix_vectorise).found);
}

/* Recorders leave out the shapes of lists from this length on. */
#define LISTED 31

/* Operators on the rows that belong to each number, whose results a list takes or not. */
static struct advice_result picked(const char *op, bool joined)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < LISTED; i++) {
		find_rows(step, "[[512], []]", "[[512]]", i);
		advice_step_op(step, "aten::index", "[[512], []]", "[\"float\"]",
		               "vectorized_gather_kernel", 2);
		advice_step_op(step, op, "[[32], []]", "[\"float\"]", POINTWISE, 3);
	}
	if (joined)
		advice_step_op(step, "aten::cat", "[[], []]", "[\"TensorList\", \"Scalar\"]",
		               "CatArrayBatchedCopy", 3);
	return result_of(step, weir_fix_vectorise);
}

/* A softmax of all groups takes 8 operators more than one of a group, their order takes 9. */
static void groups_of_a_list_are_computed_at_once(void **state)
{
	struct advice_result relu, softmax, sort;

	(void)state;
	assert_false(picked("aten::_softmax", false).found);
	relu = picked("aten::relu", true);
	softmax = picked("aten::_softmax", true);
	sort = picked("aten::sort", true);
	assert_true(relu.found && softmax.found && sort.found);
	assert_near(softmax.after_us - relu.after_us, 8 * WEIR_DISPATCH_NS / 1e3, 0.1);
	assert_near(sort.after_us - softmax.after_us, WEIR_DISPATCH_NS / 1e3, 0.1);
}

/* ---- slices by their order ---- */

static void slice_at(struct advice_step *step, const char *dims, int at)
{
	static char scalars[TURNS + 1][32];

	snprintf(scalars[at], sizeof scalars[at], "[\"\", \"0\", \"%d\"]", at);
	advice_step_view(step, "aten::select", dims, "[" BF16 ", \"Scalar\", \"Scalar\"]",
	                 scalars[at]);
}

/* Turns of `y[i] += x[i] @ a[i]`, whose y and x have the same sizes: the slice that takes the sum
 * lies behind the last kernel of its turn. `still`: all turns multiply by the same matrix and add
 * the same row. */
static struct advice_step *adapters(bool still)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, "aten::mm", "[[256, 64], [64, 64]]", TWO, "nvjet_gemm", 4);
	for (int i = 0; i < TURNS; i++) {
		slice_at(step, "[[16, 16, 64], [], []]", still ? 0 : i);
		slice_at(step, "[[16, 16, 64], [], []]", still ? 0 : i);
		slice_at(step, "[[16, 64, 64], [], []]", still ? 0 : i);
		advice_step_op(step, "aten::mm", "[[16, 64], [64, 64]]", TWO, "nvjet_gemm_few", 4);
		advice_step_op(step, "aten::add_", "[[16, 64], [16, 64], []]", TWO, POINTWISE, 2);
		slice_at(step, "[[16, 16, 64], [], []]", still ? 0 : i);
	}
	return step;
}

static void a_sum_that_is_written_back_varies_like_its_turn(void **state)
{
	(void)state;
	assert_true(result_of(adapters(false), weir_fix_group_the_loop).found);
	assert_false(result_of(adapters(true), weir_fix_group_the_loop).found);
}

/* Turns of `tanh(x[:, i] @ a[i]) @ b`, each with a row of the input if `rows`, and with a matrix
 * that is its alone if `matrices`. */
static bool bands_are_a_loop(bool rows, bool matrices)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, "aten::mm", "[[256, 64], [64, 64]]", TWO, "nvjet_gemm", 4);
	for (int i = 0; i < TURNS; i++) {
		slice_at(step, "[[16, 4096, 64], [], []]", rows ? i : 0);
		slice_at(step, "[[16, 64, 64], [], []]", matrices ? i : 0);
		advice_step_op(step, "aten::mm", "[[4096, 64], [64, 64]]", TWO, "nvjet_gemm_few",
		               4);
		advice_step_op(step, "aten::tanh", "[[4096, 64]]", ONE, POINTWISE, 2);
	}
	return result_of(step, weir_fix_group_the_loop).found;
}

/* A recurrent cell multiplies by the same matrix in each turn, and a layer takes no row of an
 * input. */
static void rows_with_a_matrix_for_each_are_no_cell(void **state)
{
	(void)state;
	assert_true(bands_are_a_loop(true, true));
	assert_false(bands_are_a_loop(true, false));
	assert_false(bands_are_a_loop(false, true));
}

/* ---- messages along the edges of a graph ---- */

/* Layers that add messages to nodes of a graph; add: sizes of the sum, product: of its product. */
static struct advice_step *messages(const char *add, const char *product)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < TURNS; i++) {
		advice_step_op(step, "aten::index", "[[512, 1024], []]", ONE,
		               "vectorized_gather_kernel", 4);
		advice_step_op(step, "aten::mm", product, TWO, "nvjet_gemm", 8);
		advice_step_op(step, "aten::index_add_", add,
		               "[" BF16 ", \"Scalar\", \"long int\", " BF16 "]",
		               "index_elementwise_kernel", 4);
	}
	return step;
}

static void layers_that_pass_messages_to_all_nodes_are_no_loop(void **state)
{
	(void)state;
	assert_false(result_of(messages("[[512, 1024], [], [512], [512, 1024]]",
	                                "[[512, 1024], [1024, 1024]]"),
	                       weir_fix_group_the_loop)
	                     .found);
	assert_true(result_of(messages("[[512, 1024], [], [511], [511, 1024]]",
	                               "[[511, 1024], [1024, 1024]]"),
	                      weir_fix_group_the_loop)
	                    .found);
}

/* ---- rows of several turns ---- */

/* Experts whose rows are found in a mask of these sizes, and whose results are added. `weights`
 * gathers from another tensor lie in front of that of the rows, and one behind their product if
 * `behind`. */
static struct advice_step *experts(const char *eq, const char *mask, int weights, bool behind)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < TURNS; i++) {
		find_rows(step, eq, mask, i);
		for (int w = 0; w < weights; w++)
			advice_step_op(step, "aten::index", "[[512, 2, 1], []]", ONE,
			               "index_elementwise_kernel", 2);
		advice_step_op(step, "aten::index", "[[512, 1024], []]", ONE,
		               "vectorized_gather_kernel", 2);
		advice_step_op(step, "aten::mm", "[[32, 1024], [1024, 1024]]", TWO, "nvjet_gemm",
		               4);
		if (behind)
			advice_step_op(step, "aten::index", "[[512, 2, 1], []]", ONE,
			               "index_elementwise_kernel", 2);
		advice_step_op(step, "aten::index_add_", "[[512, 1024], [], [32], [32, 1024]]",
		               "[" BF16 ", \"Scalar\", \"long int\", " BF16 "]",
		               "index_elementwise_kernel", 4);
	}
	return step;
}

static void rows_of_several_experts_are_sorted_gathered_and_added(void **state)
{
	struct advice_result one, several;

	(void)state;
	one = result_of(experts("[[512], []]", "[[512]]", 0, false), weir_fix_group_the_loop);
	several = result_of(experts("[[512, 2], []]", "[[512, 2]]", 0, false),
	                    weir_fix_group_the_loop);
	assert_true(one.found && several.found);
	assert_near(one.before_us, 360, 0.001);
	assert_near(several.before_us, 360, 0.001);
	/* The device limits the one, which reads 16 weights with their rows; 8 operators to route
	 * the rows make the host the limit of the other, where the gather and the sum remain as
	 * well. */
	assert_near(one.after_us, 9 + 16 * (2.097152 + 2 * 0.065536) / 3.015, 0.001);
	assert_near(several.after_us, 8 * WEIR_DISPATCH_NS / 1e3 + 19, 0.001);
}

static bool weighted(int weights, bool behind)
{
	return result_of(experts("[[512, 2], []]", "[[512, 2]]", weights, behind),
	                 weir_fix_group_the_loop)
	        .found;
}

/* The place at which a turn gathers the weights of its rows says nothing about the rows, which one
 * of the first four gathers takes. */
static void rows_with_a_weight_for_each_are_grouped(void **state)
{
	(void)state;
	assert_true(weighted(0, true));
	assert_true(weighted(1, true));
	assert_true(weighted(3, false));
	assert_false(weighted(4, false));
}

/* ---- lookups in several tables ---- */

/* 40 lookups of 10 us with this number of blocks, each in its own table, and a list of their
 * results or not. Recorders leave out the shapes of such a list. */
static struct advice_step *lookups(const char *op, uint32_t blocks, bool joined)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 40; i++) {
		advice_step_begin(step, op, "[[20000, 32], [4096], [], [], []]",
		                  "[" BF16 ", \"long int\", \"Scalar\", \"\", \"\"]", NULL);
		advice_step_begin(step, "aten::gather", "[[20000, 32], [], [4096, 32], []]",
		                  "[" BF16 ", \"Scalar\", \"long int\", \"\"]", NULL);
		advice_step_kernel(step, "vectorized_gather_kernel", 10, blocks);
		advice_step_end(step);
		advice_step_end(step);
	}
	if (joined)
		advice_step_op(step, "aten::cat", "[[], []]", "[\"TensorList\", \"Scalar\"]",
		               "CatArrayBatchedCopy", 30);
	return step;
}

static double looked_up_us(uint32_t blocks)
{
	struct advice_result result =
		result_of(lookups("aten::embedding", blocks, true), weir_fix_vectorise);

	assert_true(result.found);
	return result.after_us;
}

static void lookups_in_several_tables_are_one(void **state)
{
	(void)state;
	assert_true(result_of(lookups("aten::embedding", 1000, true), weir_fix_vectorise).found);
	/* no list takes the results */
	assert_false(result_of(lookups("aten::embedding", 1000, false), weir_fix_vectorise).found);
	/* rows of any tensor, such as neighbours of a node */
	assert_false(result_of(lookups("aten::index", 1000, true), weir_fix_vectorise).found);
}

/* Lookups with more than two blocks for each of the 132 multiprocessors take 8 us each, beside the
 * 2 us of any kernel; with fewer, one lookup takes as long as one of the 40. */
static void lookups_that_fill_the_device_take_their_sum(void **state)
{
	(void)state;
	assert_near(looked_up_us(265) - looked_up_us(264), 40 * 8 - 10, 0.05);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_that_belong_to_each_number_are_reduced_at_once),
		cmocka_unit_test(rows_of_one_number_or_of_few_are_no_loop),
		cmocka_unit_test(groups_of_a_list_are_computed_at_once),
		cmocka_unit_test(a_sum_that_is_written_back_varies_like_its_turn),
		cmocka_unit_test(rows_with_a_matrix_for_each_are_no_cell),
		cmocka_unit_test(layers_that_pass_messages_to_all_nodes_are_no_loop),
		cmocka_unit_test(rows_of_several_experts_are_sorted_gathered_and_added),
		cmocka_unit_test(rows_with_a_weight_for_each_are_grouped),
		cmocka_unit_test(lookups_in_several_tables_are_one),
		cmocka_unit_test(lookups_that_fill_the_device_take_their_sum),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
