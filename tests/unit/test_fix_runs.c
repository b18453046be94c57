/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of a model in one step: which of them take their parts of a tensor, and what of the host's
 * work and of recurrent layers a batch of them leaves. */
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
#define THREE     "[" BF16 ", " BF16 ", " BF16 "]"
#define PRODUCT   "nvjet_gemm"
#define POINTWISE "vectorized_elementwise_kernel"
#define RUNS      4

static struct advice_result result_of(struct advice_step *step)
{
	struct advice_result result;

	advice_step_wait(step);
	advice_step_apply(step, weir_fix_batch_more, &result);
	return result;
}

/* ---- parts ---- */

/* Twelve layers for the rows of one run, whose result has as many elements as the input. */
static void add_layers(struct advice_step *step, double pass_us)
{
	for (int k = 0; k < 12; k++) {
		advice_step_pass(step, k > 0 ? pass_us : 0);
		advice_step_begin(step, "aten::mm", "[[24, 384], [384, 384]]", TWO, NULL);
		advice_step_kernel(step, PRODUCT, 5, 24);
		advice_step_end(step);
		advice_step_op(step, "aten::native_layer_norm", "[[24, 384], []]", ONE,
		               "vectorized_layer_norm_kernel", 3);
	}
}

/* Runs of rows that one operator takes apart. */
static bool taken_apart(const char *op, const char *dims, const char *scalars)
{
	struct advice_step *step = advice_step_new();

	advice_step_view(step, op, dims, "[" BF16 ", \"Scalar\", \"Scalar\"]", scalars);
	for (int i = 0; i < RUNS; i++)
		add_layers(step, 0);
	return result_of(step).found;
}

static void chunks_that_one_operator_takes_apart_are_independent(void **state)
{
	static const char rows[] = "[[96, 384], [], []]";

	(void)state;
	assert_true(taken_apart("aten::split", rows, "[\"\", \"24\", \"0\"]"));
	assert_true(taken_apart("aten::split", rows, "[\"\", \"24\", \"-2\"]"));
	assert_true(taken_apart("aten::chunk", rows, "[\"\", \"4\", \"0\"]"));
	/* three or five chunks */
	assert_false(taken_apart("aten::split", rows, "[\"\", \"32\", \"0\"]"));
	assert_false(taken_apart("aten::split", rows, "[\"\", \"20\", \"0\"]"));
	assert_false(taken_apart("aten::chunk", rows, "[\"\", \"3\", \"0\"]"));
	/* gates or heads of each row */
	assert_false(taken_apart("aten::chunk", "[[24, 1536], [], []]", "[\"\", \"4\", \"1\"]"));
	/* chunks of another size than what the runs read */
	assert_false(taken_apart("aten::chunk", "[[96, 385], [], []]", "[\"\", \"4\", \"0\"]"));
	/* sizes that no tensor has */
	assert_false(taken_apart("aten::split", rows, "[\"\", \"0\", \"0\"]"));
	assert_false(taken_apart("aten::split", rows, "[\"\", \"9223372036854775807\", \"0\"]"));
	assert_false(taken_apart("aten::split", rows, "[\"\", \"24\", \"2\"]"));
	assert_false(taken_apart("aten::split", NULL, NULL));
}

/* Runs that slice one row of a tensor of this size, whose first operator has these arguments, and
 * whose last one writes as many elements as a row has. */
static bool sliced(const char *whole, const char *first, const char *dims, const char *types)
{
	static char scalars[RUNS][48];
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < RUNS; i++) {
		snprintf(scalars[i], sizeof scalars[i], "[\"\", \"0\", \"%d\", \"%d\", \"1\"]", i,
		         i + 1);
		advice_step_view(step, "aten::slice", whole,
		                 "[" BF16 ", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]",
		                 scalars[i]);
		advice_step_op(step, first, dims, types, POINTWISE, 2);
		add_layers(step, 0);
		advice_step_op(step, "aten::neg", "[[1, 40]]", ONE, POINTWISE, 2);
	}
	return result_of(step).found;
}

static void a_row_that_gets_another_dimension_is_a_part(void **state)
{
	static const char dims[] = "[[1, 40, 1], [40, 384]]";

	(void)state;
	assert_true(sliced("[[4, 40], [], [], [], []]", "aten::mul", dims, TWO));
	/* rows of another length, and too few of them */
	assert_false(sliced("[[4, 41], [], [], [], []]", "aten::mul", dims, TWO));
	assert_false(sliced("[[3, 40], [], [], [], []]", "aten::mul", dims, TWO));
}

static void the_input_of_a_product_stands_behind_its_bias(void **state)
{
	static const char dims[] = "[[9216], [1, 40], [40, 9216]]";

	(void)state;
	assert_true(sliced("[[4, 40], [], [], [], []]", "aten::addmm", dims, THREE));
	assert_false(sliced("[[4, 41], [], [], [], []]", "aten::addmm", dims, THREE));
}

/* Runs that begin with a scalar from a table, as the steps of a sampler, and multiply a tensor of
 * these sizes; the last operator writes 192 x 57 elements. */
static bool sampled(const char *product)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < RUNS; i++) {
		static char scalars[RUNS][24];

		snprintf(scalars[i], sizeof scalars[i], "[\"\", \"0\", \"%d\"]", i);
		advice_step_view(step, "aten::select", "[[17], [], []]",
		                 "[" BF16 ", \"Scalar\", \"Scalar\"]", scalars[i]);
		advice_step_op(step, "aten::mul", "[[], []]", ONE, POINTWISE, 2);
		advice_step_op(step, "aten::mm", product, TWO, PRODUCT, 5);
		add_layers(step, 0);
		advice_step_op(step, "aten::add", "[[192, 57], [192, 57]]", TWO, POINTWISE, 2);
	}
	return result_of(step).found;
}

/* Runs of a network for one set of 200 points, which ends with a product of `last` columns. */
static bool networks(const char *weights, const char *last)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < RUNS; i++) {
		advice_step_begin(step, "aten::cudnn_convolution", weights,
		                  "[" BF16 ", " BF16 ", \"\", \"\", \"\", \"Scalar\"]",
		                  "[\"\", \"\", \"[0]\", \"[1]\", \"[1]\", \"1\"]");
		advice_step_kernel(step, "cudnn_conv", 4, 24);
		advice_step_end(step);
		for (int k = 0; k < 9; k++) {
			advice_step_begin(step, "aten::native_layer_norm",
			                  "[[1, 64, 200], [], [64], [64]]",
			                  "[" BF16 ", \"\", " BF16 ", " BF16 "]", NULL);
			advice_step_kernel(step, "vectorized_layer_norm_kernel", 3, 24);
			advice_step_end(step);
		}
		advice_step_op(step, "aten::amax", "[[1, 64, 200], [], []]", ONE, "reduce_kernel",
		               3);
		advice_step_op(step, "aten::mm", last, TWO, PRODUCT, 5);
	}
	return result_of(step).found;
}

static void weights_of_the_first_layer_are_no_result_of_the_run_before(void **state)
{
	static const char points[] = "[[1, 4, 200], [64, 4, 1], [], [], [], []]";

	(void)state;
	assert_true(networks(points, "[[1, 64], [64, 96]]"));
	/* as many as the weights of the convolution, and as its input */
	assert_true(networks(points, "[[1, 64], [64, 256]]"));
	assert_false(networks(points, "[[1, 64], [64, 800]]"));
}

static void a_scalar_of_each_run_does_not_make_it_independent(void **state)
{
	(void)state;
	assert_false(sampled("[[192, 57], [57, 48]]"));
	assert_true(sampled("[[192, 58], [58, 48]]"));
}

/* ---- the host's work in a run ---- */

/* Four runs of rows that one operator takes apart, with a pause of the host between the layers of
 * each, and in the third run alone; `copies`: each run fetches a result, and the host works behind
 * it. Returns the step behind the fix. */
static double with_work(double pass_us, double pause_us, bool copies, double behind_us)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_view(step, "aten::split", "[[96, 384], [], []]",
	                 "[" BF16 ", \"Scalar\", \"Scalar\"]", "[\"\", \"24\", \"0\"]");
	for (int i = 0; i < RUNS; i++) {
		add_layers(step, pass_us);
		advice_step_pass(step, i == 2 ? pause_us : 0);
		advice_step_op(step, "aten::relu", "[[24, 384]]", ONE, POINTWISE, 2);
		if (copies) {
			advice_step_begin(step, "aten::copy_", "[[24, 384], [24, 384], []]",
			                  "[" BF16 ", " BF16 ", \"Scalar\"]", NULL);
			advice_step_copy(step, "Memcpy DtoH (Device -> Pageable)", 2);
			advice_step_end(step);
			advice_step_pass(step, behind_us);
		}
	}
	result = result_of(step);
	assert_true(result.found);
	return result.after_us;
}

/* 300 us between two layers are longer than dispatch, and still code of the model. */
static void the_hosts_work_in_a_run_is_done_once_for_all(void **state)
{
	double none_us = with_work(0, 0, false, 0);

	(void)state;
	assert_near(with_work(300, 0, false, 0) - none_us, 11 * 300, 0.1);
	/* A long pause of one run alone is no code of the model; spells of a busy machine go. */
	assert_near(with_work(0, 2000, false, 0) - none_us, 2000, 0.1);
	assert_near(with_work(0, 1001, false, 0) - none_us, 1001, 0.1);
	assert_near(with_work(0, 999, false, 0) - none_us, 0, 0.1);
}

/* Each run may compute with what it has fetched, but not between its layers. */
static void the_hosts_work_behind_a_result_stays(void **state)
{
	double none_us = with_work(0, 0, true, 0);

	(void)state;
	assert_near(with_work(300, 0, true, 0) - none_us, 11 * 300, 1);
	assert_near(with_work(0, 0, true, 300) - none_us, 4 * 300, 1);
}

/* Runs of a model that the host limits, each on its part of a tensor; returns the step of one run.
 */
static double runs_us(const char *whole, int runs)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_view(step, "aten::split", whole, "[" BF16 ", \"Scalar\", \"Scalar\"]",
	                 "[\"\", \"24\", \"0\"]");
	for (int i = 0; i < runs; i++)
		add_layers(step, 40);
	result = result_of(step);
	assert_true(result.found);
	return result.after_us;
}

static void one_run_behind_many_is_not_dispatched_from_the_caches(void **state)
{
	/* 144 and 168 calls less */
	double few_us = runs_us("[[168, 384], [], []]", 7);
	double more_us = runs_us("[[192, 384], [], []]", 8);

	(void)state;
	assert_near(runs_us("[[144, 384], [], []]", 6) / few_us, 1, 0.05);
	assert_in_range(1000 * more_us / few_us, 1100, 1300);
	assert_near(runs_us("[[216, 384], [], []]", 9) / more_us, 1, 0.05);
}

/* ---- recurrent layers ---- */

/* Eight runs of a recurrent model over 72 steps, each in these kernels. */
static double recurrent(int kernels, double us, uint32_t blocks, double last_us)
{
	static const char dims[] = "[[72, 8, 12], [[512, 12], [512, 128]], [], [72704], "
				   "[2, 8, 128], [2, 8, 128]]";
	static const char types[] =
		"[" BF16 ", \"TensorList\", \"Scalar\", " BF16 ", " BF16 ", " BF16 "]";
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	for (int i = 0; i < 8; i++) {
		advice_step_op(step, "aten::fill_", "[[2, 8, 128], []]", TWO, POINTWISE, 1);
		advice_step_begin(step, "aten::_cudnn_rnn", dims, types, NULL);
		for (int k = 0; k < kernels; k++)
			advice_step_kernel(step, PRODUCT, k ? us : last_us, blocks);
		advice_step_end(step);
		advice_step_op(step, "aten::addmm", "[[24], [8, 128], [128, 24]]", THREE, PRODUCT,
		               3);
	}
	result = result_of(step);
	assert_true(result.found);
	return result.after_us;
}

/* 144 kernels of 5 us are products of one time step each, which take more rows at once, however
 * many blocks they have; one kernel that runs for a sixteenth of all of them keeps its weights, and
 * the 384 blocks of eight runs follow each other in three waves. */
static void products_of_each_time_step_read_their_weights_once_for_all_runs(void **state)
{
	double one_us = recurrent(144, 5, 16, 5);

	(void)state;
	assert_near(recurrent(144, 5, 48, 5), one_us, 0.01);
	assert_true(recurrent(144, 5, 48, 48) > 2 * one_us);
	assert_true(recurrent(144, 5, 48, 47) < 1.2 * one_us);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_that_one_operator_takes_apart_are_independent),
		cmocka_unit_test(a_row_that_gets_another_dimension_is_a_part),
		cmocka_unit_test(the_input_of_a_product_stands_behind_its_bias),
		cmocka_unit_test(weights_of_the_first_layer_are_no_result_of_the_run_before),
		cmocka_unit_test(a_scalar_of_each_run_does_not_make_it_independent),
		cmocka_unit_test(the_hosts_work_in_a_run_is_done_once_for_all),
		cmocka_unit_test(the_hosts_work_behind_a_result_stays),
		cmocka_unit_test(one_run_behind_many_is_not_dispatched_from_the_caches),
		cmocka_unit_test(products_of_each_time_step_read_their_weights_once_for_all_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
