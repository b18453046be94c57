/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of a model in one step, and turns of a loop, that are independent of each other by what they
 * read from the host, choose, gather, or slice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define BF16      "\"c10::BFloat16\""
#define ONE       "[" BF16 "]"
#define TWO       "[" BF16 ", " BF16 "]"
#define PRODUCT   "nvjet_gemm"
#define POINTWISE "vectorized_elementwise_kernel"
#define GATHER    "vectorized_gather_kernel"
#define TURNS     6

static struct advice_result result_of(struct advice_step *step, weir_fix_apply *fix)
{
	struct advice_result result;

	advice_step_wait(step);
	advice_step_apply(step, fix, &result);
	return result;
}

static bool found(struct advice_step *step, weir_fix_apply *fix)
{
	struct advice_result result = result_of(step, fix);

	return result.found && result.rows == 0;
}

/* ---- inputs from the host ---- */

/* A run that copies 64 x 96 values from the host, normalises, convolves them in layers of one size,
 * and fetches a result. */
struct upload {
	int64_t up_bytes, down_bytes;
	const char *state; /* that a call behind the first layers reads and writes */
};

static bool uploads(const struct upload *upload)
{
	static const char pair[] = "[[64, 96], [64, 96], []]";
	static const char types[] = "[" BF16 ", " BF16 ", \"Scalar\"]";
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < TURNS; i++) {
		advice_step_begin(step, "aten::copy_", pair, types, NULL);
		advice_step_copy_bytes(step, "Memcpy HtoD (Pageable -> Device)", 2,
		                       upload->up_bytes);
		advice_step_end(step);
		advice_step_op(step, "aten::native_layer_norm", "[[64, 96], []]", ONE,
		               "vectorized_layer_norm_kernel", 3);
		for (int k = 0; k < 4; k++) {
			advice_step_begin(step, "aten::cudnn_convolution",
			                  "[[64, 96], [96, 96, 3]]", TWO, NULL);
			advice_step_kernel(step, "sm80_xmma_fprop_implicit_gemm_f32f32", 8, 4);
			advice_step_end(step);
			advice_step_op(step, "aten::add_", "[[64, 90], [90]]", TWO, POINTWISE, 2);
		}
		advice_step_op(step, "aten::relu", upload->state, ONE, POINTWISE, 2);
		advice_step_begin(step, "aten::copy_", "[[2], [2], []]", types, NULL);
		advice_step_copy_bytes(step, "Memcpy DtoH (Device -> Pageable)", 2,
		                       upload->down_bytes);
		advice_step_end(step);
	}
	return found(step, weir_fix_batch_more);
}

static void runs_that_read_the_host_are_independent(void **state)
{
	struct upload upload = {12288, 4, "[[64, 90]]"};

	(void)state;
	assert_true(uploads(&upload));
	/* The host may compute the next input from as many bytes. */
	upload.down_bytes = 12287;
	assert_true(uploads(&upload));
	upload.down_bytes = 12288;
	assert_false(uploads(&upload));
	/* a state that a run finds and leaves */
	upload = (struct upload){12288, 4, "[[64, 91]]"};
	assert_false(uploads(&upload));
	/* not recorded */
	upload = (struct upload){-1, 4, "[[64, 90]]"};
	assert_false(uploads(&upload));
}

/* ---- choices ---- */

/* Runs that take 30 rows of a table, and choose the best of 512 values in each of these rows. */
struct choice {
	const char *op, *dims, *scalars;
	const char *rows; /* that the call behind the table reads */
};

static bool chooses(const struct choice *choice)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < TURNS; i++) {
		advice_step_op(step, "aten::index", "[[1000, 256], []]", "[" BF16 ", \"\"]", GATHER,
		               3);
		advice_step_op(step, "aten::native_layer_norm", choice->rows, ONE,
		               "vectorized_layer_norm_kernel", 3);
		for (int k = 0; k < 6; k++)
			advice_step_op(step, "aten::mm", "[[30, 256], [256, 255]]", TWO, PRODUCT,
			               6);
		advice_step_begin(step, choice->op, choice->dims,
		                  "[" BF16 ", \"Scalar\", \"Scalar\"]", choice->scalars);
		advice_step_kernel(step, "sort ArgMax", 4, 4);
		advice_step_end(step);
	}
	return found(step, weir_fix_batch_more);
}

static void a_choice_of_other_sizes_than_the_input_goes_to_the_host(void **state)
{
	static const char one[] = "[[1, 512], [], []]", all[] = "[[30, 512], [], []]";
	struct choice choice = {"aten::topk", one, "[\"\", \"10\", \"-1\"]", "[[1, 30, 256], []]"};

	(void)state;
	assert_true(chooses(&choice));
	choice.scalars = "[\"\", \"30\", \"-1\"]";
	assert_false(chooses(&choice));
	choice.scalars = "[\"\", \"31\", \"-1\"]";
	assert_true(chooses(&choice));
	choice.scalars = NULL;
	assert_false(chooses(&choice));
	/* the best of each row, or of each column, or of all */
	choice = (struct choice){"aten::argmax", all, "[\"\", \"-1\", \"False\"]",
	                         "[[1, 30, 256], []]"};
	assert_false(chooses(&choice));
	choice.scalars = "[\"\", \"0\", \"False\"]";
	assert_true(chooses(&choice));
	choice.scalars = "[\"\", \"\", \"False\"]";
	assert_true(chooses(&choice));
	choice.scalars = "[\"\", \"7\", \"False\"]"; /* no dimension */
	assert_false(chooses(&choice));
	choice = (struct choice){"aten::sort", one, "[\"\", \"-1\", \"False\"]",
	                         "[[1, 30, 256], []]"};
	assert_true(chooses(&choice));
	choice.rows = "[[512, 256], []]";
	assert_false(chooses(&choice));
	/* a way to choose that is not known */
	choice = (struct choice){"aten::sampled", one, "[\"\", \"10\", \"-1\"]",
	                         "[[1, 30, 256], []]"};
	assert_false(chooses(&choice));
}

/* ---- loops ---- */

/* Groups of rows whose places the host copies to the device: their rows become rows of another
 * tensor. `longer`: rows that the last group has more than the others. */
static struct advice_result groups_of(const char *to, int longer)
{
	static char last[64];
	struct advice_step *step = advice_step_new();

	snprintf(last, sizeof last, "[[%d, 512], [512, 64]]", 100 + longer);

	for (int i = 0; i < TURNS; i++) {
		advice_step_begin(step, "aten::copy_", "[[100], [100], []]",
		                  "[\"long int\", \"long int\", \"Scalar\"]", NULL);
		advice_step_copy_bytes(step, "Memcpy HtoD (Pageable -> Device)", 2, 800);
		advice_step_end(step);
		advice_step_op(step, "aten::index", "[[2048, 512], []]", ONE, GATHER, 3);
		advice_step_op(step, "aten::mm", i + 1 < TURNS ? "[[100, 512], [512, 64]]" : last,
		               TWO, PRODUCT, 6);
		advice_step_op(step, "aten::index_put_", to, "[" BF16 ", \"\", " BF16 "]",
		               "index_elementwise_kernel", 4);
	}
	return result_of(step, weir_fix_group_the_loop);
}

static bool groups(const char *to)
{
	return groups_of(to, 0).found;
}

static void rows_may_become_rows_of_another_length(void **state)
{
	(void)state;
	assert_true(groups("[[2048, 64], [], [100, 64]]"));
	assert_false(groups("[[2047, 64], [], [100, 64]]"));
	assert_false(groups("[[2048], [], [100]]"));
}

/* Groups of one length are a batch of products. Those of several lengths are ordered, which takes
 * six operators: a sort, which is as long as four, and two that tell where the groups end; the
 * device computes for 4 us of them. */
static void listed_groups_of_several_lengths_are_ordered(void **state)
{
	static const char to[] = "[[2048, 64], [], [100, 64]]";

	(void)state;
	assert_near(groups_of(to, 1).after_us - groups_of(to, 0).after_us,
	            6 * WEIR_DISPATCH_NS / 1e3 - 4, 0.02);
}

/* Offsets of a sparse convolution: each looks for the neighbours that it has, and multiplies them
 * by its own weights. */
struct offsets {
	const char *weights, *looks;
	int rows;           /* that each of them multiplies */
	const char *places; /* types of the list whose elements it gathers */
};

static struct advice_result offsets_of(const struct offsets *offsets)
{
	static char scalars[TURNS][24], product[64], sums[64];
	struct advice_step *step = advice_step_new();

	snprintf(product, sizeof product, "[[%d, 64], [64, 64]]", offsets->rows);
	snprintf(sums, sizeof sums, "[[2000, 64], [], [%d], [%d, 64], []]", offsets->rows,
	         offsets->rows);
	for (int i = 0; i < TURNS; i++) {
		advice_step_op(step, "aten::add", "[[2000], [], []]",
		               "[\"long int\", \"long int\", \"Scalar\"]", POINTWISE, 2);
		advice_step_op(step, "aten::index", "[[9000], []]", offsets->places, GATHER, 3);
		advice_step_op(step, offsets->looks, "[[2000]]", "[\"bool\"]",
		               "DeviceSelectSweepKernel", 3);
		advice_step_op(step, "aten::index", "[[2000, 64], []]", "[" BF16 ", \"\"]", GATHER,
		               3);
		snprintf(scalars[i], sizeof scalars[i], "[\"\", \"0\", \"%d\"]", i);
		advice_step_view(step, "aten::select", offsets->weights,
		                 "[" BF16 ", \"Scalar\", \"Scalar\"]", scalars[i]);
		advice_step_op(step, "aten::mm", product, TWO, PRODUCT, 6);
		advice_step_op(step, "aten::index_add_", sums,
		               "[" BF16 ", \"Scalar\", \"long int\", " BF16 ", \"Scalar\"]",
		               "indexFuncLargeIndex", 4);
	}
	return result_of(step, weir_fix_group_the_loop);
}

#define PLACES  "[\"long int\", \"\"]"
#define WEIGHTS "[\"float\", \"\"]"
#define OWN     "[[6, 64, 64], [], []]"

static void offsets_of_a_sparse_convolution_are_grouped(void **state)
{
	const struct offsets own = {OWN, "aten::nonzero", 700, PLACES};
	const struct offsets shared = {"[[6, 2], [], []]", "aten::nonzero", 700, PLACES};
	const struct offsets blind = {OWN, "aten::neg", 700, PLACES};

	(void)state;
	assert_true(offsets_of(&own).found);
	assert_false(offsets_of(&shared).found);
	assert_false(offsets_of(&blind).found);
}

/* Six turns that multiply 333 of 2000 rows each may all take others; with 334, some row belongs to
 * two of them, so that the rows are gathered and added for each. */
static void turns_that_multiply_more_rows_than_there_are_share_some(void **state)
{
	const struct offsets apart = {OWN, "aten::nonzero", 333, PLACES};
	const struct offsets shared = {OWN, "aten::nonzero", 334, PLACES};

	(void)state;
	assert_true(offsets_of(&shared).after_us > offsets_of(&apart).after_us + 6);
}

/* Rows at other places than those that the mask finds are gathered in any case, so that the turns
 * do not compute all rows in place of them. */
static void rows_at_listed_places_are_not_computed_in_all_turns(void **state)
{
	const struct offsets places = {OWN, "aten::nonzero", 333, PLACES};
	const struct offsets weights = {OWN, "aten::nonzero", 333, WEIGHTS};
	double more_us = offsets_of(&places).after_us - offsets_of(&weights).after_us;

	(void)state;
	/* 8 operators route the rows, 3 compute all. */
	assert_near(more_us, 5 * WEIR_DISPATCH_NS / 1e3, 0.5);
}

/* Attention with gates over stretches of rows of a tensor. */
struct segments {
	const char *whole, *scalars;
	const char *first; /* an operator of the turn */
	const char *between;
};

static bool segments_are(const struct segments *segments)
{
	static char scalars[TURNS][48];
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < TURNS; i++) {
		snprintf(scalars[i], sizeof scalars[i], segments->scalars, 30 * i, 30 * i + 30);
		advice_step_view(step, "aten::slice", segments->whole,
		                 "[" BF16 ", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]",
		                 scalars[i]);
		advice_step_op(step, segments->first, "[[30, 512], [512, 128]]", TWO, POINTWISE, 3);
		advice_step_op(step, "aten::mm", "[[30, 512], [512, 128]]", TWO, PRODUCT, 5);
		advice_step_op(step, segments->between, "[[30, 128]]", ONE, POINTWISE, 2);
		advice_step_op(step, "aten::mm", "[[30, 512], [512, 128]]", TWO, PRODUCT, 5);
		advice_step_op(step, "aten::sigmoid", "[[30, 128]]", ONE, POINTWISE, 2);
	}
	return found(step, weir_fix_vectorise);
}

static void gates_of_attention_over_stretches_are_no_recurrent_cell(void **state)
{
	static const char all[] = "[[180, 512], [], [], [], []]";
	struct segments segments = {all, "[\"\", \"0\", \"%d\", \"%d\", \"1\"]", "aten::mul",
	                            "aten::tanh"};

	(void)state;
	assert_true(segments_are(&segments));
	segments.first = "aten::cat"; /* of rows and a state */
	assert_false(segments_are(&segments));
	segments.first = "aten::mm"; /* of a state, before that of the rows */
	assert_false(segments_are(&segments));
	/* steps in time of each row */
	segments = (struct segments){all, "[\"\", \"1\", \"%d\", \"%d\", \"1\"]", "aten::mul",
	                             "aten::tanh"};
	assert_false(segments_are(&segments));
}

/* Networks with tanh between their layers, whose results one operator joins and the next reduces:
 * members of an ensemble, unless a turn may read the state of the one before. */
static bool members(const char *input, const char *first)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < TURNS; i++) {
		advice_step_op(step, "aten::mm", input, TWO, PRODUCT, 5);
		advice_step_op(step, first, "[[320, 256], [256, 256]]", TWO, POINTWISE, 5);
		advice_step_op(step, "aten::tanh", "[[320, 256]]", ONE, POINTWISE, 2);
		advice_step_op(step, "aten::mm", "[[320, 256], [256, 8]]", TWO, PRODUCT, 5);
	}
	advice_step_op(step, "aten::cat",
	               "[[[1, 320, 8], [1, 320, 8], [1, 320, 8], [1, 320, 8], [1, 320, 8], "
	               "[1, 320, 8]], []]",
	               "[\"TensorList\", \"Scalar\"]", "CatArrayBatchedCopy", 2);
	advice_step_op(step, "aten::mean", "[[6, 320, 8], []]", ONE, "reduce_kernel", 3);
	return found(step, weir_fix_group_the_loop);
}

static void members_with_tanh_are_an_ensemble_and_cells_are_not(void **state)
{
	(void)state;
	assert_true(members("[[320, 48], [48, 256]]", "aten::relu"));
	assert_false(members("[[320, 8], [8, 256]]", "aten::relu"));
	assert_false(members("[[320, 48], [48, 256]]", "aten::mm"));
}

/* Rows of a tensor that pass a network of eight layers one by one, each of which reads its weights
 * again. */
static bool rows_pass(const char *layer, const char *dims, weir_fix_apply *fix)
{
	static char scalars[TURNS][32];
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < TURNS; i++) {
		snprintf(scalars[i], sizeof scalars[i], "[\"\", \"0\", \"%d\"]", i);
		advice_step_view(step, "aten::select", "[[6, 1, 2048], [], []]",
		                 "[" BF16 ", \"Scalar\", \"Scalar\"]", scalars[i]);
		for (int k = 0; k < 8; k++) {
			advice_step_op(step, "aten::mm", dims, TWO, PRODUCT, 9);
			advice_step_op(step, k % 2 ? "aten::relu" : layer, "[[1, 2048]]", ONE,
			               POINTWISE, 2);
		}
		advice_step_op(step, "aten::neg", "[[1, 64]]", ONE, POINTWISE, 2);
	}
	return found(step, fix);
}

static void rows_that_pass_a_network_one_by_one_are_inputs_of_a_batch(void **state)
{
	static const char few[] = "[[1, 2048], [2048, 2048]]";

	(void)state;
	assert_true(rows_pass("aten::sigmoid", few, weir_fix_batch_more));
	assert_false(rows_pass("aten::sigmoid", few, weir_fix_vectorise));
}

/* Nine rows that read one index, between this many other operators. */
static bool rows_read_an_index(int others, weir_fix_apply *fix)
{
	static char scalars[9][32];
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < others; i++)
		advice_step_op(step, "aten::native_layer_norm", "[[9, 1024], []]", ONE,
		               "vectorized_layer_norm_kernel", 3);
	for (int i = 0; i < 9; i++) {
		snprintf(scalars[i], sizeof scalars[i], "[\"\", \"0\", \"%d\"]", i);
		advice_step_view(step, "aten::select", "[[9, 1, 1024], [], []]",
		                 "[" BF16 ", \"Scalar\", \"Scalar\"]", scalars[i]);
		advice_step_op(step, "aten::mm", "[[1, 1024], [1024, 65536]]", TWO, PRODUCT, 60);
	}
	return found(step, fix);
}

static void a_loop_that_is_not_most_of_the_step_is_over_rows_of_a_batch(void **state)
{
	(void)state;
	assert_true(rows_read_an_index(1, weir_fix_batch_more));
	assert_false(rows_read_an_index(1, weir_fix_vectorise));
	assert_false(rows_read_an_index(2, weir_fix_batch_more));
	assert_true(rows_read_an_index(2, weir_fix_vectorise));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_that_read_the_host_are_independent),
		cmocka_unit_test(a_choice_of_other_sizes_than_the_input_goes_to_the_host),
		cmocka_unit_test(rows_may_become_rows_of_another_length),
		cmocka_unit_test(listed_groups_of_several_lengths_are_ordered),
		cmocka_unit_test(offsets_of_a_sparse_convolution_are_grouped),
		cmocka_unit_test(turns_that_multiply_more_rows_than_there_are_share_some),
		cmocka_unit_test(rows_at_listed_places_are_not_computed_in_all_turns),
		cmocka_unit_test(gates_of_attention_over_stretches_are_no_recurrent_cell),
		cmocka_unit_test(members_with_tanh_are_an_ensemble_and_cells_are_not),
		cmocka_unit_test(rows_that_pass_a_network_one_by_one_are_inputs_of_a_batch),
		cmocka_unit_test(a_loop_that_is_not_most_of_the_step_is_over_rows_of_a_batch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
