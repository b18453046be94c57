/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixes of loops, repeated models, and waits: where they apply and what they promise. */
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
#define PRODUCT   "nvjet_gemm"
#define POINTWISE "vectorized_elementwise_kernel"
#define TURNS     16

static struct advice_result result_of(struct advice_step *step, weir_fix_apply *apply)
{
	struct advice_result result;

	advice_step_wait(step);
	advice_step_apply(step, apply, &result);
	return result;
}

/* Selects the i-th part of a tensor; the texts of all turns stay valid. */
static void select_of(struct advice_step *step, const char *dims, int i)
{
	static char scalars[64][32];

	snprintf(scalars[i], sizeof scalars[i], "[\"\", \"0\", \"%d\"]", i);
	advice_step_view(step, "aten::select", dims, "[" BF16 ", \"Scalar\", \"Scalar\"]",
	                 scalars[i]);
}

/* ---- vectorise ---- */

/* Softmax of one row after the other, each of which is selected from all. */
static struct advice_step *rows(int turns, bool same)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < turns; i++) {
		select_of(step, "[[64, 4096], [], []]", same ? 0 : i);
		advice_step_op(step, "aten::mul", "[[4096], []]", ONE, POINTWISE, 3);
		advice_step_op(step, "aten::_softmax", "[[4096], [], []]", ONE,
		               "softmax_warp_forward", 5);
	}
	return step;
}

static void rows_of_a_loop_are_computed_at_once(void **state)
{
	struct advice_result result;

	(void)state;
	result = result_of(rows(TURNS, false), weir_fix_vectorise);
	assert_true(result.found);
	/* The data are small: each operator takes as long as for one row, the host one turn. A
	 * turn takes 8 us, of them 2 us for the slice, and the end of the step 9 us. */
	assert_near(result.before_us, TURNS * 8 + 9, 0.01);
	assert_near(result.after_us, 8 + 9 - 2, 0.01);
	assert_false(result_of(rows(TURNS, false), weir_fix_group_the_loop).found);
}

/* The heads of attention: the slices of queries and keys are the factors of a square product. */
static void heads_of_attention_are_a_loop_of_rows(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	for (int i = 0; i < TURNS; i++) {
		select_of(step, "[[16, 512, 512], [], []]", i);
		advice_step_op(step, "aten::mm", "[[512, 512], [512, 512]]", TWO, PRODUCT, 6);
		advice_step_op(step, "aten::_softmax", "[[512, 512], [], []]", ONE,
		               "softmax_warp_forward", 5);
		advice_step_op(step, "aten::mm", "[[512, 512], [512, 512]]", TWO, PRODUCT, 6);
	}
	assert_true(result_of(step, weir_fix_vectorise).found);
}

/* Rows that one call takes apart before the loop. */
static struct advice_step *unbound(const char *dims)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, "aten::neg", "[[16, 4096]]", ONE, POINTWISE, 3);
	advice_step_view(step, "aten::unbind", dims, "[" BF16 ", \"Scalar\"]", "[\"\", \"0\"]");
	for (int i = 0; i < TURNS; i++) {
		advice_step_op(step, "aten::mul", "[[4096], []]", ONE, POINTWISE, 3);
		advice_step_op(step, "aten::_softmax", "[[4096], [], []]", ONE,
		               "softmax_warp_forward", 5);
	}
	return step;
}

static void rows_that_one_call_takes_apart_are_a_loop(void **state)
{
	(void)state;
	assert_true(result_of(unbound("[[16, 4096], []]"), weir_fix_vectorise).found);
	assert_false(result_of(unbound("[[15, 4096], []]"), weir_fix_vectorise).found);
}

/* Rows whose results a list takes that is joined behind the loop; host time without events behind
 * that, and at the end of the step. */
static double collected_us(double behind_us, double end_us)
{
	struct advice_step *step = rows(64, false);
	struct advice_result result;

	advice_step_op(step, "aten::cat", "[[], []]", "[\"TensorList\", \"Scalar\"]",
	               "CatArrayBatchedCopy", 3);
	advice_step_pass(step, behind_us);
	advice_step_op(step, "aten::relu", "[[64, 4096]]", ONE, POINTWISE, 3);
	advice_step_wait(step);
	advice_step_pass(step, end_us);
	advice_step_apply(step, weir_fix_vectorise, &result);
	return result.after_us;
}

/* The list has 64 tensors: it is freed in 32 to 128 us, and 10 us of the stretch stay. */
static void the_list_of_results_is_not_freed(void **state)
{
	(void)state;
	assert_near(collected_us(100, 0) - collected_us(50, 0), 0, 0.01);
	assert_near(collected_us(150, 0) - collected_us(100, 0), 150 - 128 - 10, 0.01);
	assert_near(collected_us(31, 0) - collected_us(50, 0), 31 - 10, 0.01);
	assert_near(collected_us(32, 0) - collected_us(50, 0), 0, 0.01);
	/* Another name keeps the list to the end of the step. */
	assert_near(collected_us(20, 100) - collected_us(20, 50), 0, 0.01);
	assert_near(collected_us(20, 100) - collected_us(20, 20), 10 - 20, 5);
	assert_near(collected_us(50, 100) - collected_us(50, 0), 100, 0.01);
}

/* Rows whose first operator takes the host so much longer in the first turn. */
static double first_slower_us(double us)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < TURNS; i++) {
		select_of(step, "[[64, 4096], [], []]", i);
		advice_step_begin(step, "aten::mul", "[[4096], []]", ONE, NULL);
		if (i == 0)
			advice_step_pass(step, us);
		advice_step_kernel(step, POINTWISE, 3, 1000);
		advice_step_end(step);
		advice_step_op(step, "aten::_softmax", "[[4096], [], []]", ONE,
		               "softmax_warp_forward", 5);
	}
	return result_of(step, weir_fix_vectorise).after_us;
}

static void the_steps_first_operator_is_as_fast_as_those_of_other_turns(void **state)
{
	(void)state;
	assert_near(first_slower_us(50), first_slower_us(0), 0.01);
}

static void fewer_than_four_turns_are_no_loop(void **state)
{
	(void)state;
	assert_true(result_of(rows(4, false), weir_fix_vectorise).found);
	assert_false(result_of(rows(3, false), weir_fix_vectorise).found);
}

static void the_same_row_each_time_is_an_iteration_that_depends(void **state)
{
	(void)state;
	assert_false(result_of(rows(TURNS, true), weir_fix_vectorise).found);
}

static void gates_of_a_recurrent_cell_depend_on_the_turn_before(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	for (int i = 0; i < TURNS; i++) {
		select_of(step, "[[64, 8, 512], [], []]", i);
		advice_step_op(step, "aten::mm", "[[8, 512], [512, 2048]]", TWO, PRODUCT, 5);
		advice_step_op(step, "aten::sigmoid", "[[8, 1024]]", ONE, POINTWISE, 3);
		advice_step_op(step, "aten::tanh", "[[8, 512]]", ONE, POINTWISE, 3);
	}
	assert_false(result_of(step, weir_fix_vectorise).found);
}

/* A turn of a product and one more operator. */
static struct advice_step *products_and(const char *operator)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < TURNS; i++) {
		select_of(step, "[[64, 8, 512], [], []]", i);
		advice_step_op(step, "aten::mm", "[[8, 512], [512, 2048]]", TWO, PRODUCT, 5);
		advice_step_op(step, operator, "[[8, 2048]]", ONE, POINTWISE, 3);
	}
	return step;
}

static void a_product_and_tanh_are_a_cell_and_tangents_are_not(void **state)
{
	(void)state;
	assert_false(result_of(products_and("aten::tanh"), weir_fix_vectorise).found);
	assert_true(result_of(products_and("aten::tan"), weir_fix_vectorise).found);
}

/* Each turn multiplies by another number, and takes no slice. */
static void a_number_that_changes_is_no_slice(void **state)
{
	static char scalars[TURNS][24];
	struct advice_step *step = advice_step_new();

	(void)state;
	for (int i = 0; i < TURNS; i++) {
		snprintf(scalars[i], sizeof scalars[i], "[\"\", \"%d\"]", i);
		advice_step_begin(step, "aten::mul", "[[4096], []]", "[" BF16 ", \"Scalar\"]",
		                  scalars[i]);
		advice_step_kernel(step, POINTWISE, 3, 1000);
		advice_step_end(step);
		advice_step_op(step, "aten::_softmax", "[[4096], [], []]", ONE,
		               "softmax_warp_forward", 5);
	}
	assert_false(result_of(step, weir_fix_vectorise).found);
}

/* Layers that select their cache from one tensor. */
static void layers_of_a_model_are_no_loop(void **state)
{
	struct advice_step *vectorise = advice_step_new(), *group = advice_step_new();
	struct advice_step *steps[] = {vectorise, group};

	(void)state;
	for (size_t s = 0; s < 2; s++) {
		for (int i = 0; i < TURNS; i++) {
			select_of(steps[s], "[[64, 1024, 128], [], []]", i);
			advice_step_op(steps[s], "aten::rms_norm", "[[1, 2048], [], [2048]]", ONE,
			               "vectorized_layer_norm_kernel", 4);
			advice_step_op(steps[s], "aten::mm", "[[1, 2048], [2048, 6144]]", TWO,
			               PRODUCT, 12);
			advice_step_op(steps[s], "aten::silu", "[[1, 6144]]", ONE, POINTWISE, 3);
			advice_step_op(steps[s], "aten::mm", "[[1, 6144], [6144, 2048]]", TWO,
			               PRODUCT, 12);
		}
	}
	assert_false(result_of(vectorise, weir_fix_vectorise).found);
	assert_false(result_of(group, weir_fix_group_the_loop).found);
}

/* Linear layers without anything else between them. */
static void a_chain_of_products_is_no_loop(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	for (int i = 0; i < TURNS; i++) {
		advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 6);
		advice_step_op(step, "aten::relu", "[[64, 2048]]", ONE, POINTWISE, 2);
	}
	assert_false(result_of(step, weir_fix_vectorise).found);
}

/* ---- group-the-loop ---- */

/* Experts: rows are found, gathered, multiplied, and written back. */
static struct advice_step *experts(void)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < TURNS; i++) {
		advice_step_op(step, "aten::eq", "[[512], []]", "[\"long int\", \"Scalar\"]",
		               POINTWISE, 2);
		advice_step_begin(step, "aten::nonzero", "[[512]]", "[\"bool\"]", NULL);
		advice_step_kernel(step, "DeviceSelectSweepKernel", 2, 1);
		advice_step_copy(step, "Memcpy DtoH (Device -> Pinned)", 1);
		advice_step_end(step);
		advice_step_op(step, "aten::index", "[[512, 1024], []]", ONE,
		               "vectorized_gather_kernel", 2);
		select_of(step, "[[16, 1024, 512], [], []]", i);
		advice_step_op(step, "aten::mm", "[[32, 1024], [1024, 512]]", TWO, PRODUCT, 4);
		advice_step_op(step, "aten::index_put_", "[[512, 1024], [], [32, 1024]]",
		               "[" BF16 ", \"\", " BF16 "]", "index_elementwise_kernel", 4);
	}
	return step;
}

static void experts_become_one_grouped_product_without_waits(void **state)
{
	struct advice_result result;

	(void)state;
	result = result_of(experts(), weir_fix_group_the_loop);
	assert_true(result.found);
	assert_true(result.after_us < result.before_us / 8); /* 3 operators more */
	/* 16 matrices of 1 MB at 3.0 TB/s */
	assert_true(result.after_us > 17.8 / 3.0);
	assert_false(result_of(experts(), weir_fix_vectorise).found);
}

/* Stages that gather rows, and write them over: `dims` of the write. */
static struct advice_step *stages(const char *op, const char *dims)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < TURNS; i++) {
		select_of(step, "[[16, 512], [], []]", i);
		advice_step_op(step, "aten::index", "[[512, 1024], []]", ONE,
		               "vectorized_gather_kernel", 2);
		advice_step_op(step, "aten::mm", "[[32, 1024], [1024, 1024]]", TWO, PRODUCT, 4);
		advice_step_op(step, op, dims, "[" BF16 ", \"Scalar\", \"long int\", " BF16 "]",
		               "index_elementwise_kernel", 4);
	}
	return step;
}

/* 16 turns write 32 of 512 rows each, so that every row is written once; 33 are one too many. */
static void stages_that_write_rows_over_again_depend_on_each_other(void **state)
{
	static const char once[] = "[[512, 1024], [], [32], [32, 1024]]";
	static const char again[] = "[[512, 1024], [], [33], [33, 1024]]";

	(void)state;
	assert_true(result_of(stages("aten::index_copy_", once), weir_fix_group_the_loop).found);
	assert_false(result_of(stages("aten::index_copy_", again), weir_fix_group_the_loop).found);
	assert_false(result_of(stages("aten::index_copy_", again), weir_fix_vectorise).found);
	assert_true(result_of(stages("aten::index_add_", again), weir_fix_group_the_loop).found);
}

/* Rows whose results are put together behind the loop. */
static struct advice_step *joined(const char *lists)
{
	struct advice_step *step = rows(4, false);

	advice_step_op(step, "aten::cat", lists, "[\"TensorList\", \"Scalar\"]",
	               "CatArrayBatchedCopy<c10::BFloat16>", 40);
	return step;
}

static void results_of_a_loop_are_one_tensor_already(void **state)
{
	struct advice_result four, three;

	(void)state;
	four = result_of(joined("[[[4096], [4096], [4096], [4096]], []]"), weir_fix_vectorise);
	three = result_of(joined("[[[4096], [4096], [4096]], []]"), weir_fix_vectorise);
	assert_true(four.found && three.found);
	assert_near(four.before_us, three.before_us, 0.01);
	assert_true(three.after_us - four.after_us > 30);
}

/* Turns that take a scalar of a table each, and a list of results behind them. */
static struct advice_step *scalars(const char *lists)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 4; i++) {
		select_of(step, "[[4, 2], [], []]", i);
		advice_step_op(step, "aten::sub", "[[4096], []]", ONE, POINTWISE, 3);
		advice_step_op(step, "aten::exp", "[[4096]]", ONE, POINTWISE, 3);
	}
	advice_step_op(step, "aten::neg", "[[4096]]", ONE, POINTWISE, 3);
	advice_step_op(step, "aten::cat", lists, "[\"TensorList\", \"Scalar\"]",
	               "CatArrayBatchedCopy<c10::BFloat16>", 4);
	return step;
}

static void turns_that_take_a_scalar_are_a_loop_if_all_results_are_collected(void **state)
{
	(void)state;
	assert_true(result_of(scalars("[[[4096], [4096], [4096], [4096]], []]"), weir_fix_vectorise)
	                    .found);
	assert_false(
		result_of(scalars("[[[4096], [4096], [4096]], []]"), weir_fix_vectorise).found);
}

/* Heads that read the same features, with a list of results behind them: as many as there are
 * heads, or too many to be recorded. */
static struct advice_step *heads(int turns, const char *between, const char *lists)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < turns; i++) {
		advice_step_op(step, "aten::mm", "[[512, 768], [768, 128]]", TWO, PRODUCT, 4);
		advice_step_op(step, between, "[[512, 128]]", ONE, POINTWISE, 2);
		advice_step_op(step, "aten::mm", "[[512, 128], [128, 6]]", TWO, PRODUCT, 3);
	}
	advice_step_op(step, "aten::cat", lists, "[\"TensorList\", \"Scalar\"]",
	               "CatArrayBatchedCopy<c10::BFloat16>", 4);
	return step;
}

static void heads_of_a_model_are_one_grouped_product(void **state)
{
	static const char four[] = "[[[512, 6], [512, 6], [512, 6], [512, 6]], []]";
	static const char relu[] = "aten::relu";

	(void)state;
	assert_true(result_of(heads(4, relu, four), weir_fix_group_the_loop).found);
	assert_true(result_of(heads(40, relu, "[[], []]"), weir_fix_group_the_loop).found);
	assert_false(result_of(heads(5, relu, four), weir_fix_group_the_loop).found);
	assert_false(result_of(heads(20, relu, "[[], []]"), weir_fix_group_the_loop).found);
	/* the next turn may read what this one chose */
	assert_false(result_of(heads(4, "aten::argmax", four), weir_fix_group_the_loop).found);
}

/* The link takes the time of all results that a loop fetches. */
static void results_of_a_loop_are_fetched_one_behind_the_other(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	for (int i = 0; i < 8; i++) {
		select_of(step, "[[64, 4096], [], []]", i);
		advice_step_op(step, "aten::mul", "[[4096], []]", ONE, POINTWISE, 3);
		advice_step_begin(step, "aten::copy_", "[[4096], [4096], []]", TWO, NULL);
		advice_step_copy(step, "Memcpy DtoH (Device -> Pinned)", 400);
		advice_step_end(step);
	}
	result = result_of(step, weir_fix_vectorise);
	assert_true(result.found);
	assert_true(result.after_us > 8 * 398);
}

/* ---- batch-more ---- */

/* Vectors of a tensor that are multiplied with a matrix; the best ones are taken. */
static struct advice_step *queries(const char *matrix, double choice_us)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < TURNS; i++) {
		select_of(step, "[[16, 384], [], []]", i);
		advice_step_op(step, "aten::mv", matrix, TWO, PRODUCT, 260);
		advice_step_op(step, "aten::topk", "[[1000000], []]", ONE, "mbtopk", choice_us);
	}
	return step;
}

static void queries_that_read_one_index_are_a_batch(void **state)
{
	static const char matrix[] = "[[1000000, 384], [384]]";
	struct advice_result result;

	(void)state;
	result = result_of(queries(matrix, 70), weir_fix_batch_more);
	assert_true(result.found);
	/* The index is read once, and the choice takes as long as one of them at least. */
	assert_true(result.after_us > 260 + 70 && result.after_us < 420);
	assert_false(result_of(queries(matrix, 70), weir_fix_vectorise).found);
	/* Most of the time is the choice. */
	assert_false(result_of(queries(matrix, 270), weir_fix_batch_more).found);
	assert_true(result_of(queries(matrix, 270), weir_fix_vectorise).found);
}

static struct advice_step *runs_of_a_graph(int runs, int kernels, uint32_t blocks)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < runs; i++)
		advice_step_graph(step, kernels, 10, blocks);
	return step;
}

static void runs_of_one_graph_read_the_weights_once(void **state)
{
	struct advice_result few, many;

	(void)state;
	few = result_of(runs_of_a_graph(8, 40, 8), weir_fix_batch_more);
	assert_true(few.found);
	assert_near(few.after_us, few.before_us / 8, 0.1);
	/* 8 x 264 blocks are more than the 2 x 132 that run at once: every second kernel, which is
	 * no product, takes eight times as long. */
	many = result_of(runs_of_a_graph(8, 41, 264), weir_fix_batch_more);
	assert_near(many.after_us, 21 * 10 + 20 * 80, 0.1);
}

static void three_runs_and_small_graphs_are_no_batch(void **state)
{
	(void)state;
	assert_true(result_of(runs_of_a_graph(4, 8, 8), weir_fix_batch_more).found);
	assert_false(result_of(runs_of_a_graph(3, 8, 8), weir_fix_batch_more).found);
	assert_false(result_of(runs_of_a_graph(4, 7, 8), weir_fix_batch_more).found);
}

static void a_run_that_reads_the_chosen_token_waits_for_it(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	for (int i = 0; i < 8; i++) {
		advice_step_graph(step, 40, 10, 8);
		advice_step_op(step, "aten::argmax", "[[1, 32000]]", ONE, "reduce_kernel ArgMaxOps",
		               4);
	}
	assert_false(result_of(step, weir_fix_batch_more).found);
}

/* Products with one part of stacked weights after the other: layers, or experts if each of them
 * takes its own rows. */
static struct advice_step *stacked_weights(bool own_rows)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 32; i++) {
		if (own_rows)
			select_of(step, "[[32, 64, 4096], [], []]", i);
		select_of(step, "[[32, 4096, 4096], [], []]", i);
		advice_step_op(step, "aten::mm", "[[64, 4096], [4096, 4096]]", TWO, PRODUCT, 18);
	}
	return step;
}

static void products_with_other_weights_are_no_runs_of_a_model(void **state)
{
	(void)state;
	assert_true(result_of(stacked_weights(false), weir_fix_batch_more).rows > 0);
	assert_false(result_of(stacked_weights(false), weir_fix_group_the_loop).found);
	assert_true(result_of(stacked_weights(true), weir_fix_batch_more).rows > 0);
	assert_true(result_of(stacked_weights(true), weir_fix_group_the_loop).found);
}

/* A model of 16 operators for one input after the other: its result is smaller than its input. */
static struct advice_step *model_runs(const char *inputs, const char *last)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 4; i++) {
		if (inputs)
			select_of(step, inputs, i);
		advice_step_op(step, "aten::mm", "[[1, 4096], [4096, 2048]]", TWO, PRODUCT, 8);
		for (int k = 0; k < 14; k++)
			advice_step_op(step, k % 2 ? "aten::relu" : "aten::mm",
			               k % 2 ? "[[1, 2048]]" : "[[1, 2048], [2048, 2048]]",
			               k % 2 ? ONE : TWO, k % 2 ? POINTWISE : PRODUCT,
			               k % 2 ? 2 : 5);
		advice_step_op(step, "aten::addmm", last, "[" BF16 ", " BF16 ", " BF16 "]", PRODUCT,
		               8);
	}
	return step;
}

static void runs_of_a_model_for_few_rows_become_a_batch(void **state)
{
	struct advice_result result;

	(void)state;
	result = result_of(model_runs(NULL, "[[1000], [1, 2048], [2048, 1000]]"),
	                   weir_fix_batch_more);
	assert_true(result.found);
	assert_near(result.after_us, result.before_us / 4, 0.2);
}

static void a_result_of_the_inputs_size_may_be_the_next_input(void **state)
{
	(void)state;
	assert_false(result_of(model_runs(NULL, "[[4096], [1, 2048], [2048, 4096]]"),
	                       weir_fix_batch_more)
	                     .found);
}

static void runs_that_take_parts_of_one_tensor_are_independent(void **state)
{
	static const char last[] = "[[4096], [1, 2048], [2048, 4096]]";

	(void)state;
	assert_true(
		result_of(model_runs("[[4, 1, 4096], [], []]", last), weir_fix_batch_more).found);
	/* Not enough parts for four runs, as the tensor of a layer is. */
	assert_false(
		result_of(model_runs("[[3, 1, 4096], [], []]", last), weir_fix_batch_more).found);
}

/* Four runs of a model for 512 rows each, which one call takes apart: products of `blocks`, and a
 * layer's other operator. */
static bool many_rows(uint32_t blocks, const char *other)
{
	struct advice_step *step = advice_step_new();

	advice_step_view(step, "aten::unbind", "[[4, 512, 384], []]", "[" BF16 ", \"Scalar\"]",
	                 "[\"\", \"0\"]");
	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < 12; k++) {
			advice_step_begin(step, "aten::mm", "[[512, 384], [384, 384]]", TWO, NULL);
			advice_step_kernel(step, PRODUCT, 5, blocks);
			advice_step_end(step);
		}
		advice_step_op(step, other, "[[512, 384], []]", ONE, POINTWISE, 3);
	}
	return result_of(step, weir_fix_batch_more).found;
}

static void runs_that_leave_multiprocessors_idle_become_a_batch(void **state)
{
	(void)state;
	assert_true(many_rows(24, "aten::native_layer_norm"));
	assert_false(many_rows(400, "aten::native_layer_norm"));
	/* the next turn of a recurrence needs this one */
	assert_false(many_rows(24, "aten::relu"));
}

/* A request: four products with weights of 90 MB, which take 31 us to read, and another operator.
 */
static struct advice_step *request(const char *product, const char *dims, double us)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 4; i++)
		advice_step_op(step, "aten::mm", product, TWO, PRODUCT, 33);
	if (dims)
		advice_step_op(step, "aten::relu", dims, ONE, POINTWISE, us);
	return step;
}

#define ONE_ROW "[[1, 4096], [4096, 11008]]"

static void steps_that_read_weights_for_few_rows_become_a_batch(void **state)
{
	static const struct {
		const char *product;
		double rows;
	} cases[] = {{ONE_ROW, 32},
	             {"[[16, 4096], [4096, 11008]]", 32},
	             {"[[17, 4096], [4096, 11008]]", 30},
	             {"[[64, 4096], [4096, 11008]]", 8},
	             {"[[65, 4096], [4096, 11008]]", 0},
	             /* keys of 32 heads are no weights */
	             {"[[32, 1, 4096], [32, 4096, 344]]", 0}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_result result =
			result_of(request(cases[i].product, NULL, 0), weir_fix_batch_more);

		assert_int_equal(result.found, cases[i].rows > 0);
		assert_near(result.rows, cases[i].rows, 0);
	}
}

static void a_batch_takes_the_time_of_its_weights_and_of_all_rows(void **state)
{
	struct advice_result alone, small, large;

	(void)state;
	alone = result_of(request(ONE_ROW, NULL, 0), weir_fix_batch_more);
	small = result_of(request(ONE_ROW, "[[1, 11008]]", 2), weir_fix_batch_more);
	large = result_of(request(ONE_ROW, "[[16, 1000000]]", 25), weir_fix_batch_more);
	assert_true(alone.after_us < 1.2 * alone.before_us);
	/* 31 more rows of 44 kB take half a microsecond, those of 64 MB 25 us each. */
	assert_near(small.after_us - alone.after_us, 2.5, 0.2);
	assert_near(large.after_us - alone.after_us, 32 * 25, 10);
}

static void steps_with_another_limit_than_their_weights_are_no_batch(void **state)
{
	(void)state;
	assert_true(result_of(request(ONE_ROW, "[[1, 11008]]", 90), weir_fix_batch_more).found);
	assert_false(result_of(request(ONE_ROW, "[[1, 11008]]", 120), weir_fix_batch_more).found);
}

static void steps_that_choose_become_a_batch(void **state)
{
	struct advice_step *step = request(ONE_ROW, NULL, 0);

	(void)state;
	advice_step_op(step, "aten::argmax", "[[1, 11008]]", ONE, "ArgMaxOps", 5);
	assert_true(result_of(step, weir_fix_batch_more).rows > 1);
}

static double copied_us(int64_t bytes)
{
	struct advice_step *step = request(ONE_ROW, NULL, 0);

	advice_step_copy_bytes(step, "Memcpy HtoD (Pinned -> Device)", 3, bytes);
	return result_of(step, weir_fix_batch_more).after_us;
}

static void small_copies_take_their_latency_once(void **state)
{
	(void)state;
	assert_near(copied_us(64) - copied_us(0), -31 * 3, 0.5); /* 0: not recorded */
	/* At the link's rate 41 us; a larger one shows its own rate. */
	assert_near(copied_us(65536) - copied_us(64), 31 * 65536 / 47.25e3, 1);
	assert_near(copied_us(65537) - copied_us(64), 31 * 3, 0.5);
}

/* Ticks of a recurrent cell, 40 of them, each of which takes its part of the input; `last`: an
 * operator at the end of each fifth tick, NULL: none. */
static struct advice_step *ticks(const char *last)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 40; i++) {
		select_of(step, "[[40, 8, 512], [], []]", i);
		advice_step_op(step, "aten::mm", "[[8, 512], [512, 512]]", TWO, PRODUCT, 5);
		advice_step_op(step, "aten::add", "[[8, 512], [8, 512]]", TWO, POINTWISE, 2);
		advice_step_op(step, "aten::mm", "[[8, 512], [512, 512]]", TWO, PRODUCT, 5);
		advice_step_op(step, "aten::relu", "[[8, 512]]", ONE, POINTWISE, 2);
		if (last && i % 5 == 4)
			advice_step_op(step, last, "[[8, 512]]", ONE, POINTWISE, 2);
	}
	return step;
}

static void several_turns_of_a_recurrence_are_no_run_of_a_model(void **state)
{
	(void)state;
	assert_false(result_of(ticks(NULL), weir_fix_batch_more).found);
	assert_true(result_of(ticks("aten::neg"), weir_fix_batch_more).found);
}

/* Four runs of a model behind an operator that prepares its input; `dims` of each run. */
static struct advice_result prepared(const char *op, const char *kernel, const char *const dims[4])
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 4; i++) {
		select_of(step, "[[4, 32, 256, 128], [], []]", i);
		advice_step_op(step, op, dims[i], "[" BF16 ", " BF16 ", " BF16 "]", kernel, 20);
		for (int k = 0; k < 14; k++)
			advice_step_op(step, k % 2 ? "aten::relu" : "aten::mm",
			               k % 2 ? "[[1, 2048]]" : "[[1, 1024], [1024, 2048]]",
			               k % 2 ? ONE : TWO, k % 2 ? POINTWISE : PRODUCT,
			               k % 2 ? 2 : 5);
	}
	return result_of(step, weir_fix_batch_more);
}

static void inputs_of_other_sizes_are_resized_one_by_one(void **state)
{
	static const char *const same[] = {"[[1, 3, 90, 90]]", "[[1, 3, 90, 90]]",
	                                   "[[1, 3, 90, 90]]", "[[1, 3, 90, 90]]"};
	static const char *const other[] = {"[[1, 3, 90, 90]]", "[[1, 3, 90, 92]]",
	                                    "[[1, 3, 90, 94]]", "[[1, 3, 90, 96]]"};
	struct advice_result one, four;

	(void)state;
	one = prepared("aten::upsample_bilinear2d", "upsample_bilinear2d_out_frame", same);
	four = prepared("aten::upsample_bilinear2d", "upsample_bilinear2d_out_frame", other);
	assert_true(one.found && four.found);
	assert_near(four.after_us - one.after_us, 3 * 20, 0.05);
	assert_false(prepared("sample", "TopPSamplingFromProbKernel", same).found);
}

static void keys_and_values_are_no_weights(void **state)
{
	static const char dims[] = "[[1, 32, 1, 128], [1, 32, 256, 128], [1, 32, 256, 128]]";
	static const char *const all[] = {dims, dims, dims, dims};

	(void)state;
	assert_true(prepared("aten::_scaled_dot_product_flash_attention",
	                     "pytorch_flash::flash_fwd_kernel", all)
	                    .found);
}

/* ---- remove-syncs ---- */

/* Counts rows of a mask with these sizes, for which the host waits. */
static void count_rows(struct advice_step *step, const char *mask)
{
	advice_step_begin(step, "aten::nonzero", mask, "[\"bool\"]", NULL);
	advice_step_kernel(step, "DeviceSelectSweepKernel", 2, 4);
	advice_step_copy(step, "Memcpy DtoH (Device -> Pinned)", 1);
	advice_step_end(step);
}

/* Four stages that pick rows of 4096 by a mask; `product` and `write` of the picked ones. */
static struct advice_result masked(const char *product, const char *write)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 4; i++) {
		count_rows(step, "[[4096]]");
		advice_step_op(step, "aten::index", "[[4096, 1024], []]", ONE,
		               "vectorized_gather_kernel", 4);
		advice_step_op(step, "aten::mm", product, TWO, PRODUCT, 100);
		advice_step_op(step, "aten::index_copy_", write,
		               "[" BF16 ", \"Scalar\", \"long int\", " BF16 "]",
		               "index_elementwise_kernel", 12);
	}
	return result_of(step, weir_fix_remove_syncs);
}

static void masks_become_operators_on_all_rows(void **state)
{
	struct advice_result result;

	(void)state;
	result = masked("[[2048, 1024], [1024, 1024]]", "[[4096, 1024], [], [2048], [2048, 1024]]");
	assert_true(result.found);
	/* The product takes twice as long, the write as long as before. */
	assert_near(result.after_us, 4 * (200 + 12), 0.03);
	assert_near(result.high_us, result.after_us, 1e-9);
	assert_near(result.low_us, 4 * (100 + 12), 0.03);
	/* All rows are picked: nothing takes longer. */
	result = masked("[[4096, 1024], [1024, 1024]]", "[[4096, 1024], [], [4096], [4096, 1024]]");
	assert_near(result.after_us, 4 * (100 + 12), 0.03);
	result = masked("[[1024, 1024], [1024, 1024]]", "[[4096, 1024], [], [1024], [1024, 1024]]");
	assert_near(result.after_us, 4 * (400 + 12), 0.03);
	/* A mask that keeps less than a quarter: only the waits go, and the first decision costs
	 * the host 12 us before the device has work. */
	result = masked("[[1023, 1024], [1024, 1024]]", "[[4096, 1024], [], [1023], [1023, 1024]]");
	assert_true(result.found);
	assert_near(result.after_us, 4 * (3 + 4 + 100 + 12) + 12, 0.03);
}

/* Half of 4096 rows are picked, and another mask is counted before the second product on them. */
static double counted_again_us(const char *mask)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	count_rows(step, "[[4096]]");
	advice_step_op(step, "aten::index", "[[4096, 1024], []]", ONE, "vectorized_gather_kernel",
	               4);
	advice_step_op(step, "aten::mm", "[[2048, 1024], [1024, 1024]]", TWO, PRODUCT, 100);
	count_rows(step, mask);
	advice_step_op(step, "aten::mm", "[[2048, 1024], [1024, 1024]]", TWO, PRODUCT, 100);
	result = result_of(step, weir_fix_remove_syncs);
	assert_true(result.found);
	return result.after_us;
}

static void a_count_of_other_rows_ends_what_a_mask_picked(void **state)
{
	double same_us = counted_again_us("[[4096]]");

	(void)state;
	/* The count goes, and both products take twice as long. */
	assert_near(same_us, 400, 0.03);
	/* It stays, without its wait, and the second product has nothing to do with the mask. */
	assert_near(counted_again_us("[[512]]") - same_us, 2 + 1 - 100, 0.01);
}

/* A copy between two products. */
static bool waits_for(const char *copy)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, "aten::mm", "[[64, 64], [64, 64]]", TWO, PRODUCT, 10);
	advice_step_copy(step, copy, 5);
	advice_step_op(step, "aten::mm", "[[64, 64], [64, 64]]", TWO, PRODUCT, 10);
	return result_of(step, weir_fix_remove_syncs).found;
}

static void no_host_waits_for_a_copy_on_the_device(void **state)
{
	(void)state;
	assert_true(waits_for("Memcpy DtoH (Device -> Pageable)"));
	assert_false(waits_for("Memcpy DtoD (Device -> Device)"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_a_loop_are_computed_at_once),
		cmocka_unit_test(heads_of_attention_are_a_loop_of_rows),
		cmocka_unit_test(rows_that_one_call_takes_apart_are_a_loop),
		cmocka_unit_test(the_list_of_results_is_not_freed),
		cmocka_unit_test(the_steps_first_operator_is_as_fast_as_those_of_other_turns),
		cmocka_unit_test(fewer_than_four_turns_are_no_loop),
		cmocka_unit_test(the_same_row_each_time_is_an_iteration_that_depends),
		cmocka_unit_test(gates_of_a_recurrent_cell_depend_on_the_turn_before),
		cmocka_unit_test(a_product_and_tanh_are_a_cell_and_tangents_are_not),
		cmocka_unit_test(a_number_that_changes_is_no_slice),
		cmocka_unit_test(layers_of_a_model_are_no_loop),
		cmocka_unit_test(a_chain_of_products_is_no_loop),
		cmocka_unit_test(experts_become_one_grouped_product_without_waits),
		cmocka_unit_test(stages_that_write_rows_over_again_depend_on_each_other),
		cmocka_unit_test(results_of_a_loop_are_one_tensor_already),
		cmocka_unit_test(runs_that_take_parts_of_one_tensor_are_independent),
		cmocka_unit_test(runs_that_leave_multiprocessors_idle_become_a_batch),
		cmocka_unit_test(several_turns_of_a_recurrence_are_no_run_of_a_model),
		cmocka_unit_test(runs_of_one_graph_read_the_weights_once),
		cmocka_unit_test(three_runs_and_small_graphs_are_no_batch),
		cmocka_unit_test(a_run_that_reads_the_chosen_token_waits_for_it),
		cmocka_unit_test(products_with_other_weights_are_no_runs_of_a_model),
		cmocka_unit_test(runs_of_a_model_for_few_rows_become_a_batch),
		cmocka_unit_test(steps_that_read_weights_for_few_rows_become_a_batch),
		cmocka_unit_test(a_batch_takes_the_time_of_its_weights_and_of_all_rows),
		cmocka_unit_test(steps_with_another_limit_than_their_weights_are_no_batch),
		cmocka_unit_test(steps_that_choose_become_a_batch),
		cmocka_unit_test(small_copies_take_their_latency_once),
		cmocka_unit_test(a_result_of_the_inputs_size_may_be_the_next_input),
		cmocka_unit_test(inputs_of_other_sizes_are_resized_one_by_one),
		cmocka_unit_test(keys_and_values_are_no_weights),
		cmocka_unit_test(masks_become_operators_on_all_rows),
		cmocka_unit_test(a_count_of_other_rows_ends_what_a_mask_picked),
		cmocka_unit_test(no_host_waits_for_a_copy_on_the_device),
		cmocka_unit_test(turns_that_take_a_scalar_are_a_loop_if_all_results_are_collected),
		cmocka_unit_test(heads_of_a_model_are_one_grouped_product),
		cmocka_unit_test(results_of_a_loop_are_fetched_one_behind_the_other),
		cmocka_unit_test(queries_that_read_one_index_are_a_batch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
