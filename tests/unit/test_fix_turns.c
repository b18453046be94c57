/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns of a loop: which of them need the result of the turn before, and which do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define FLOAT     "\"float\""
#define BF16      "\"c10::BFloat16\""
#define ONE       "[" FLOAT "]"
#define TWO       "[" FLOAT ", " FLOAT "]"
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

/* Takes a part of a tensor; `format`: its scalars, with the number of the turn. */
static void take(struct advice_step *step, const char *op, const char *dims, const char *format,
                 int turn)
{
	static char scalars[64][48];

	snprintf(scalars[turn], sizeof scalars[turn], format, turn, turn + 1);
	advice_step_view(step, op, dims, "[" FLOAT ", \"Scalar\", \"Scalar\", \"Scalar\"]",
	                 scalars[turn]);
}

/* ---- recurrences ---- */

/* A forecast: each turn takes its part of the known values, joins it with another tensor, and
 * writes 64 values. */
struct forecast {
	const char *part, *scalars, *sizes, *joined;
};

static bool is_loop(const struct forecast *forecast)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < TURNS; i++) {
		take(step, forecast->part, forecast->sizes, forecast->scalars, i);
		advice_step_op(step, "aten::cat", forecast->joined, "[\"TensorList\", \"Scalar\"]",
		               "CatArrayBatchedCopy", 2);
		advice_step_op(step, "aten::mm", "[[64, 17], [17, 256]]", TWO, PRODUCT, 5);
		advice_step_op(step, "aten::relu", "[[64, 256]]", ONE, POINTWISE, 3);
		advice_step_op(step, "aten::mm", "[[64, 256], [256, 1]]", TWO, PRODUCT, 5);
	}
	return result_of(step, weir_fix_vectorise).found;
}

static void a_turn_that_joins_the_result_of_the_one_before_depends_on_it(void **state)
{
	static const char select[] = "[\"\", \"1\", \"%d\"]";
	static const char slice[] = "[\"\", \"1\", \"%d\", \"%d\", \"1\"]";
	static const char from_end[] = "[\"\", \"1\", \"-%2$d\", \"-%1$d\", \"1\"]";
	static const char narrow[] = "[\"\", \"-2\", \"%d\", \"1\"]";
	static const char of_select[] = "[[64, 16, 16], [], []]";
	static const char of_slice[] = "[[64, 16, 16], [], [], [], []]";
	static const char of_narrow[] = "[[64, 16, 16], [], [], []]";
	const struct forecast dependent[] = {
		{"aten::select", select, of_select, "[[[64, 1], [64, 16]], []]"},
		{"aten::slice", slice, of_slice, "[[[64, 1, 1], [64, 1, 16]], []]"},
		{"aten::narrow", narrow, of_narrow, "[[[64, 1, 16], [64, 1, 1]], []]"},
		{"aten::slice", from_end, of_slice, "[[[64, 1, 1], [64, 1, 16]], []]"},
		/* a hidden state of 256 values */
		{"aten::select", select, of_select, "[[[64, 256], [64, 16]], []]"},
	};
	/* No operator writes 2 or 3 values a row. */
	const struct forecast independent[] = {
		{"aten::select", select, of_select, "[[[64, 2], [64, 16]], []]"},
		{"aten::slice", slice, of_slice, "[[[64, 1, 3], [64, 1, 16]], []]"},
		{"aten::narrow", narrow, of_narrow, "[[[64, 1, 16], [64, 1, 2]], []]"},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(dependent); i++)
		assert_false(is_loop(&dependent[i]));
	for (size_t i = 0; i < WEIR_COUNT_OF(independent); i++)
		assert_true(is_loop(&independent[i]));
}

/* Rows whose second operator has its gates in one kernel; or is another one. */
static bool has_cell(const char *op)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < TURNS; i++) {
		take(step, "aten::select", "[[64, 8, 512], [], []]", "[\"\", \"0\", \"%d\"]", i);
		advice_step_op(step, "aten::mm", "[[8, 512], [512, 2048]]", TWO, PRODUCT, 5);
		advice_step_op(step, op, "[[8, 2048], [8, 2048], [8, 512]]",
		               "[" FLOAT ", " FLOAT ", " FLOAT "]", "lstm_cell_forward", 3);
	}
	return !result_of(step, weir_fix_vectorise).found;
}

static void fused_gates_are_those_of_a_recurrent_cell(void **state)
{
	(void)state;
	assert_true(has_cell("aten::_thnn_fused_gru_cell"));
	assert_true(has_cell("aten::_thnn_fused_lstm_cell"));
	assert_false(has_cell("aten::_thnn_fused"));
}

/* ---- runs of a model ---- */

/* Six layers, the first of which makes 2,048 values of 512, and the others as many of them. */
static void add_plain_layers(struct advice_step *step)
{
	for (int k = 0; k < 6; k++) {
		advice_step_op(step, "aten::mm",
		               k > 0 ? "[[1, 2048], [2048, 2048]]" : "[[1, 512], [512, 2048]]", TWO,
		               PRODUCT, 5);
		advice_step_op(step, "aten::relu", "[[1, 2048]]", ONE, POINTWISE, 2);
	}
}

/* Four runs of a model whose first operator reads these tensors, and whose others write 2,048
 * values. */
static bool is_batch(const char *first, const char *dims, const char *types)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	for (int i = 0; i < 4; i++) {
		advice_step_op(step, first, dims, types, "CatArrayBatchedCopy", 2);
		add_plain_layers(step);
	}
	result = result_of(step, weir_fix_batch_more);
	return result.found && result.rows == 0; /* else several steps are one */
}

/* Selects a part of a tensor in 16 bits. */
static void select_half(struct advice_step *step, const char *dims, int turn)
{
	static char scalars[64][32];

	snprintf(scalars[turn], sizeof scalars[turn], "[\"\", \"0\", \"%d\"]", turn);
	advice_step_view(step, "aten::select", dims, "[" BF16 ", \"Scalar\", \"Scalar\"]",
	                 scalars[turn]);
}

#define REST ", [], [], [], [], [], [], []]"

/* Runs of four images of a batch of this size through eight convolutions by kernels of 1,000
 * blocks. */
static struct advice_result convolved(const char *parts, const char *dims)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 4; i++) {
		select_half(step, parts, i);
		for (int k = 0; k < 8; k++) {
			advice_step_begin(step, "aten::cudnn_convolution", dims,
			                  "[" BF16 ", " BF16
			                  ", \"ScalarList\", \"ScalarList\", \"ScalarList\", "
			                  "\"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]",
			                  "[\"\", \"\", \"[1, 1]\", \"[1, 1]\", \"[1, 1]\", \"1\", "
			                  "\"False\", \"False\", \"False\"]");
			advice_step_kernel(step, "sm80_xmma_fprop_implicit_gemm", 20, 1000);
			advice_step_end(step);
		}
		advice_step_op(step, "aten::mm", "[[1, 1280], [1280, 1000]]", TWO, PRODUCT, 4);
	}
	return result_of(step, weir_fix_batch_more);
}

/* 29 MB of weights are read for 64 places in 10 us; four times 144
 * places take as long as they do one by one. */
static void convolutions_with_few_places_are_a_batch(void **state)
{
	struct advice_result few =
		convolved("[[4, 1280, 8, 8], [], []]", "[[1, 1280, 8, 8], [1280, 1280, 3, 3]" REST);

	(void)state;
	assert_true(few.found);
	assert_near(few.after_us, few.before_us / 4, 0.1);
	assert_true(convolved("[[4, 1280, 11, 11], [], []]",
	                      "[[1, 1280, 11, 11], [1280, 1280, 3, 3]" REST)
	                    .found);
	assert_false(convolved("[[4, 1280, 12, 12], [], []]",
	                       "[[1, 1280, 12, 12], [1280, 1280, 3, 3]" REST)
	                     .found);
	/* Few channels: the images are most of the bytes. */
	assert_false(
		convolved("[[4, 16, 8, 8], [], []]", "[[1, 16, 8, 8], [16, 16, 1, 1]" REST).found);
}

/* Runs of 20 images of 14 x 14 places through five convolutions, and what those of all images take.
 */
static void places_of_all_runs_are_one_ordinary_convolution(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	for (int i = 0; i < 20; i++) {
		select_half(step, "[[20, 1024, 14, 14], [], []]", i);
		for (int k = 0; k < 5; k++) {
			advice_step_begin(step, "aten::cudnn_convolution",
			                  "[[1, 1024, 14, 14], [1024, 1024, 3, 3]" REST,
			                  "[" BF16 ", " BF16
			                  ", \"ScalarList\", \"ScalarList\", \"ScalarList\", "
			                  "\"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]",
			                  "[\"\", \"\", \"[1, 1]\", \"[1, 1]\", \"[1, 1]\", \"1\", "
			                  "\"False\", \"False\", \"False\"]");
			advice_step_kernel(step, "sm90_xmma_fprop_implicit_gemm", 19.5, 64);
			advice_step_end(step);
		}
		for (int k = 0; k < 3; k++)
			advice_step_op(step, "aten::relu", "[[1, 1024, 14, 14]]", "[" BF16 "]",
			               POINTWISE, 1);
	}
	result = result_of(step, weir_fix_batch_more);
	assert_true(result.found);
	/* 109 us measured on an H100; the pointwise ones move 16 MB each. */
	assert_near(result.after_us, 5 * 109 + 3 * 5.3, 0.1);
}

/* Runs of 64 rows through eight layers, and what one product of all rows takes. */
static void rows_of_all_runs_are_one_ordinary_product(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	for (int i = 0; i < 16; i++) {
		select_half(step, "[[16, 64, 4096], [], []]", i);
		for (int k = 0; k < 8; k++)
			advice_step_op(step, "aten::mm", "[[64, 4096], [4096, 4096]]",
			               "[" BF16 ", " BF16 "]", PRODUCT, 18);
		advice_step_op(step, "aten::mm", "[[1, 4096], [4096, 1000]]", TWO, PRODUCT, 7);
	}
	result = result_of(step, weir_fix_batch_more);
	assert_true(result.found);
	/* 52.6 us measured on an H100 */
	assert_near(result.after_us, 8 * 52.6, 0.1);
}

static void what_a_list_holds_may_be_the_result_of_the_run_before(void **state)
{
	static const char list[] = "[\"TensorList\", \"Scalar\"]";

	(void)state;
	assert_false(is_batch("aten::cat", "[[[1, 1024], [1, 1024]], []]", list));
	assert_false(is_batch("aten::cat", "[[[1, 2048], [1, 16]], []]", list));
	assert_true(is_batch("aten::neg", "[[1, 2064]]", ONE));
	assert_false(is_batch("aten::neg", "[[1, 2048]]", ONE));
}

/* Four runs that look rows of a table up, as the words of a document, and go on with layers whose
 * kernels leave the device idle. The numbers are parts of a tensor of these sizes. */
static bool runs_of_lookups(const char *numbers, const char *first)
{
	static char scalars[4][48];
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 4; i++) {
		snprintf(scalars[i], sizeof scalars[i], "[\"\", \"0\", \"%d\", \"%d\", \"1\"]", i,
		         i + 1);
		advice_step_view(step, "aten::slice", numbers,
		                 "[\"long int\", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]",
		                 scalars[i]);
		advice_step_begin(step, first, "[[30522, 384], [1, 96], [], [], []]",
		                  "[" BF16 ", \"long int\", \"Scalar\", \"Scalar\", \"Scalar\"]",
		                  NULL);
		advice_step_op(step, "aten::gather", "[[30522, 384], [], [96, 384], [], [96, 384]]",
		               "[" BF16 ", \"Scalar\", \"long int\", \"Scalar\", " BF16 "]",
		               "vectorized_gather_kernel", 2);
		advice_step_end(step);
		for (int k = 0; k < 12; k++) {
			advice_step_begin(step, "aten::mm", "[[96, 384], [384, 384]]",
			                  "[" BF16 ", " BF16 "]", NULL);
			advice_step_kernel(step, PRODUCT, 5, 72);
			advice_step_end(step);
		}
		advice_step_op(step, "aten::native_layer_norm", "[[1, 96, 384], []]", "[" BF16 "]",
		               "vectorized_layer_norm_kernel", 3);
	}
	return result_of(step, weir_fix_batch_more).found;
}

static void runs_that_look_up_their_parts_of_a_tensor_are_independent(void **state)
{
	static const char four[] = "[[4, 96], [], [], [], []]";

	(void)state;
	assert_true(runs_of_lookups(four, "aten::embedding"));
	/* Numbers for three runs of four, and rows of another length. */
	assert_false(runs_of_lookups("[[3, 96], [], [], [], []]", "aten::embedding"));
	assert_false(runs_of_lookups("[[4, 97], [], [], [], []]", "aten::embedding"));
	/* Nothing says that the second argument are numbers of rows. */
	assert_false(runs_of_lookups(four, "aten::index_select"));
}

/* Chunks of a batch: each of four runs takes rows of a tensor, which a plain network of two layers
 * computes on; the host takes `pass_us` between two operators, the device 130 us for a run. */
struct chunks {
	const char *op, *dims, *scalars; /* of the part */
	const char *between, *last;      /* operators without products */
	double pass_us;
};

static bool chunks_are(const struct chunks *chunks, weir_fix_apply *fix)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 4; i++) {
		static char scalars[4][48];

		snprintf(scalars[i], sizeof scalars[i], chunks->scalars, 2048 * i, 2048 * (i + 1));
		advice_step_view(step, chunks->op, chunks->dims,
		                 "[" FLOAT ", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]",
		                 scalars[i]);
		advice_step_op(step, "aten::sin", "[[2048, 256]]", ONE, POINTWISE, 10);
		for (int k = 0; k < 2; k++) {
			advice_step_op(step, "aten::mm", "[[2048, 256], [256, 256]]", TWO, PRODUCT,
			               10);
			for (int n = 0; n < 4; n++) {
				advice_step_pass(step, chunks->pass_us);
				advice_step_op(step, chunks->between, "[[2048, 256]]", ONE,
				               POINTWISE, 10);
			}
		}
		advice_step_op(step, chunks->last, "[[2048, 256], []]", ONE, POINTWISE, 10);
	}
	return result_of(step, fix).found;
}

static bool runs_of_chunks(const struct chunks *chunks)
{
	return chunks_are(chunks, weir_fix_batch_more);
}

static void chunks_of_a_batch_that_the_host_limits_are_one_batch(void **state)
{
	static const char rows[] = "[\"\", \"0\", \"%d\", \"%d\", \"1\"]";
	static const char columns[] = "[\"\", \"1\", \"%d\", \"%d\", \"1\"]";
	static const char one[] = "[\"\", \"0\", \"%d\"]";
	static const char all[] = "[[8192, 256], [], [], [], []]";
	const struct chunks good = {"aten::slice", all, rows, "aten::relu", "aten::neg", 80};
	struct chunks other = good;

	(void)state;
	assert_true(runs_of_chunks(&good));
	other.last = "aten::cumprod"; /* chooses nothing */
	assert_true(runs_of_chunks(&other));
	other.last = "aten::argmax"; /* each chunk chooses for its own rows */
	assert_true(runs_of_chunks(&other));
	other = good;
	other.between = "aten::tanh"; /* a recurrent cell */
	assert_false(runs_of_chunks(&other));
	other = good;
	other.pass_us = 40; /* the device works 480 us of 796 us */
	assert_false(runs_of_chunks(&other));
	/* The same loop has one name. */
	assert_false(chunks_are(&good, weir_fix_vectorise));
	assert_true(chunks_are(&other, weir_fix_vectorise));
	other = good;
	other.scalars = columns; /* of all rows, such as a step in time */
	assert_false(runs_of_chunks(&other));
	other = good;
	other.op = "aten::select";
	other.dims = "[[4, 2048, 256], [], []]";
	other.scalars = one;
	assert_false(runs_of_chunks(&other));
}

/* Four runs whose first operator gathers 128 integers, and whose second one, of these arguments,
 * works on as many values; the others write 2,048 values. */
static bool runs_of_integers(const char *op, const char *dims, const char *types)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	for (int i = 0; i < 4; i++) {
		advice_step_op(step, "aten::gather", "[[1, 512], [], [1, 128], []]",
		               "[\"long int\", \"Scalar\", \"long int\", \"Scalar\"]",
		               "_scatter_gather_elementwise_kernel", 2);
		advice_step_op(step, op, dims, types, POINTWISE, 2);
		add_plain_layers(step);
	}
	result = result_of(step, weir_fix_batch_more);
	return result.found && result.rows == 0;
}

static void a_run_whose_integers_no_other_run_writes_is_independent(void **state)
{
	static const char two[] = "[[1, 128], [1, 128], []]";
	static const char one[] = "[[1, 128]]";

	(void)state;
	/* a mask from integers, and integers from a mask */
	assert_true(runs_of_integers("aten::copy_", two, "[\"bool\", \"long int\", \"Scalar\"]"));
	assert_false(runs_of_integers("aten::copy_", two, "[\"long int\", \"bool\", \"Scalar\"]"));
	assert_true(runs_of_integers("aten::neg", one, "[\"int\"]"));
	assert_false(runs_of_integers("aten::neg", one, "[\"long int\"]"));
	assert_true(runs_of_integers("aten::neg", one, ONE));
	/* not recorded */
	assert_false(runs_of_integers("aten::neg", one, NULL));
	/* the largest value's place is an integer */
	assert_false(runs_of_integers("aten::max", "[[1, 64], [], []]", ONE));
}

/* Four runs of layers of convolutions, each in one kernel of this duration, for batches of four
 * images of 360 x 640 pixels, which one call takes apart. */
static bool runs_of_convolutions(uint32_t blocks, double us)
{
	struct advice_step *step = advice_step_new();

	advice_step_view(step, "aten::unbind", "[[4, 4, 64, 360, 640], []]",
	                 "[\"c10::Half\", \"Scalar\"]", "[\"\", \"0\"]");
	for (int i = 0; i < 4; i++) {
		for (int k = 0; k < 8; k++) {
			advice_step_begin(step, "aten::cudnn_convolution",
			                  "[[4, 64, 360, 640], [64, 64, 3, 3], [], [], [], []]",
			                  "[\"c10::Half\", \"c10::Half\", \"ScalarList\", "
			                  "\"ScalarList\", \"ScalarList\", \"Scalar\"]",
			                  "[\"\", \"\", \"[1, 1]\", \"[1, 1]\", \"[1, 1]\", "
			                  "\"1\"]");
			advice_step_kernel(step, "sm90_xmma_fprop_implicit_gemm_f16f16", us,
			                   blocks);
			advice_step_end(step);
		}
		advice_step_op(step, "aten::relu", "[[4, 64, 360, 640]]", "[\"c10::Half\"]",
		               POINTWISE, 80);
	}
	return result_of(step, weir_fix_batch_more).found;
}

/* 68 GFLOP take 97 us at the rate that large products reach: a kernel of less than twice that keeps
 * the device busy, with one block for each multiprocessor as with many, and so does a long one with
 * a block for more than half of the 132 multiprocessors. */
static void runs_that_keep_the_device_busy_are_no_batch(void **state)
{
	(void)state;
	assert_false(runs_of_convolutions(120, 150));
	assert_false(runs_of_convolutions(1000, 150));
	assert_true(runs_of_convolutions(66, 400));
	assert_false(runs_of_convolutions(67, 400));
	assert_false(runs_of_convolutions(120, 400));
	assert_false(runs_of_convolutions(1000, 400));
}

/* Four runs of a model with layers that work on few values, each of which adds its own row of a
 * table to 256 values with the first operator, convolves a tensor of these sizes with the second
 * one, and ends with an operator that writes 112 values. */
static bool runs_with_rows_of_a_table(const char *convolved, const char *between)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 4; i++) {
		take(step, "aten::select", "[[8, 1, 256], [], []]", "[\"\", \"0\", \"%d\"]", i);
		advice_step_op(step, "aten::add", "[[1, 256], [1, 256]]", TWO, POINTWISE, 2);
		advice_step_op(step, "aten::mish", "[[1, 256]]", ONE, POINTWISE, 2);
		if (between)
			advice_step_op(step, "aten::neg", between, ONE, POINTWISE, 2);
		advice_step_begin(step, "aten::cudnn_convolution", convolved, TWO, NULL);
		advice_step_kernel(step, "sm80_xmma_fprop_implicit_gemm_f32f32", 40, 4);
		advice_step_end(step);
		for (int k = 0; k < 8; k++)
			advice_step_op(step, k % 2 ? "aten::relu" : "aten::neg", "[[1, 128, 16]]",
			               ONE, POINTWISE, 2);
		advice_step_op(step, "aten::add", "[[1, 7, 16], [1, 7, 16]]", TWO, POINTWISE, 2);
	}
	return result_of(step, weir_fix_batch_more).found;
}

/* A diffusion model reads the sample that the run before wrote, beside its own row. */
static void a_run_that_reads_as_much_as_the_last_one_wrote_needs_it(void **state)
{
	(void)state;
	assert_false(runs_with_rows_of_a_table("[[1, 7, 1, 16], [128, 7, 1, 5]]", NULL));
	assert_true(runs_with_rows_of_a_table("[[1, 7, 1, 15], [128, 7, 1, 5]]", NULL));
	assert_true(runs_with_rows_of_a_table("[[1, 7, 1, 17], [128, 7, 1, 5]]", NULL));
	/* a weight of as many elements, a bias, and a tensor */
	assert_true(runs_with_rows_of_a_table("[[1, 7, 1, 15], [16, 7, 1, 1]]", NULL));
	assert_true(runs_with_rows_of_a_table("[[1, 7, 1, 15], [128, 7, 1, 5]]", "[[112]]"));
	assert_false(runs_with_rows_of_a_table("[[1, 7, 1, 15], [128, 7, 1, 5]]", "[[112, 1]]"));
}

/* ---- relations ---- */

/* A graph of 150,000 edges: each turn finds the edges of one relation, takes their nodes,
 * multiplies the rows of these by its own weights, and adds them up. */
static struct advice_result relations(bool same_number, const char *nodes)
{
	static char numbers[TURNS][24], sums[64];
	static const char ints[] = "[\"long int\", \"\"]";
	struct advice_step *step = advice_step_new();

	snprintf(sums, sizeof sums, "[%s, [], [3700], [3700, 128], []]", nodes);
	for (int i = 0; i < TURNS; i++) {
		static char gathered[48];

		snprintf(numbers[i], sizeof numbers[i], "[\"\", \"%d\"]", same_number ? 0 : i);
		snprintf(gathered, sizeof gathered, "[%s, []]", nodes);
		advice_step_begin(step, "aten::eq", "[[150000], []]", ints, numbers[i]);
		advice_step_kernel(step, POINTWISE, 3, 1000);
		advice_step_end(step);
		advice_step_op(step, "aten::index", "[[150000], []]", ints,
		               "index_elementwise_kernel", 3);
		advice_step_op(step, "aten::index", gathered, "[" FLOAT ", \"\"]",
		               "vectorized_gather_kernel", 30);
		take(step, "aten::select", "[[40, 128, 128], [], []]", "[\"\", \"0\", \"%d\"]", i);
		advice_step_op(step, "aten::mm", "[[3700, 128], [128, 128]]", TWO, PRODUCT, 8);
		advice_step_op(step, "aten::index_add_", sums,
		               "[" FLOAT ", \"Scalar\", \"long int\", " FLOAT ", \"Scalar\"]",
		               "indexFuncLargeIndex", 4);
	}
	return result_of(step, weir_fix_group_the_loop);
}

static void relations_of_a_graph_are_grouped(void **state)
{
	struct advice_result nodes = relations(false, "[8000, 128]");
	struct advice_result edges = relations(false, "[150000, 128]");

	(void)state;
	assert_true(nodes.found && edges.found);
	assert_true(nodes.after_us < nodes.before_us / 4);
	/* The rows of nodes belong to several relations and are gathered for all edges. */
	assert_true(nodes.after_us > edges.after_us + 25);
	assert_false(relations(true, "[8000, 128]").found);
}

/* ---- ensembles ---- */

/* Seven networks whose results one operator joins and the next one reduces. */
struct ensemble {
	const char *layer; /* an operator on 200 values a row between the products */
	int products;      /* of a network, the last of which writes 17 values a row */
	const char *list, *behind, *kernel;
};

#define MEMBER "[1, 400, 17]"
#define SIX    MEMBER ", " MEMBER ", " MEMBER ", " MEMBER ", " MEMBER ", " MEMBER

static void add_network(struct advice_step *step, const struct ensemble *ensemble)
{
	advice_step_op(step, "aten::cat", "[[[400, 17], [400, 6]], []]",
	               "[\"TensorList\", \"Scalar\"]", "CatArrayBatchedCopy", 2);
	if (ensemble->products > 1)
		advice_step_op(step, "aten::mm", "[[400, 23], [23, 200]]", TWO, PRODUCT, 5);
	advice_step_op(step, ensemble->layer, "[[400, 200]]", ONE,
	               strstr(ensemble->layer, "norm") ? "vectorized_layer_norm_kernel" : POINTWISE,
	               3);
	advice_step_op(step, "aten::mm", "[[400, 200], [200, 17]]", TWO, PRODUCT, 5);
	advice_step_op(step, "aten::add", "[[400, 17], [400, 17]]", TWO, POINTWISE, 2);
}

static struct advice_result ensemble_of(const struct ensemble *ensemble, int horizon)
{
	struct advice_step *step = advice_step_new();

	for (int t = 0; t < horizon; t++) {
		for (int i = 0; i < 7; i++)
			add_network(step, ensemble);
		advice_step_op(step, "aten::cat", ensemble->list, "[\"TensorList\", \"Scalar\"]",
		               "CatArrayBatchedCopy", 2);
		advice_step_op(step, ensemble->behind, "[[7, 400, 17], []]", ONE, ensemble->kernel,
		               3);
		/* looks like the last operator of a network */
		advice_step_op(step, "aten::add", "[[400], [400]]", TWO, POINTWISE, 2);
	}
	return result_of(step, weir_fix_group_the_loop);
}

static void members_of_an_ensemble_are_independent(void **state)
{
	static const char seven[] = "[[" SIX ", " MEMBER "], []]";
	static const char six[] = "[[" SIX "], []]";
	static const char wide[] = "[[" SIX ", [1, 400, 18]], []]";
	const struct ensemble ensemble = {"aten::relu", 2, seven, "aten::mean", "reduce_kernel"};
	const struct ensemble others[] = {
		{"aten::relu", 1, seven, "aten::mean", "reduce_kernel"}, /* a layer */
		{"aten::layer_norm", 2, seven, "aten::mean", "reduce_kernel"},
		{"aten::relu", 2, six, "aten::mean", "reduce_kernel"},
		{"aten::relu", 2, wide, "aten::mean", "reduce_kernel"},
		{"aten::relu", 2, seven, "aten::relu", POINTWISE}, /* a trajectory */
	};
	struct advice_result one = ensemble_of(&ensemble, 1), three = ensemble_of(&ensemble, 3);

	(void)state;
	assert_true(one.found && three.found);
	assert_true(one.after_us < one.before_us / 2);
	/* the loop behind an operator that looks like its last one as well */
	assert_true(three.after_us < three.before_us / 2);
	for (size_t i = 0; i < WEIR_COUNT_OF(others); i++)
		assert_false(ensemble_of(&others[i], 3).found);
}

/* Sixty rows that are multiplied one by one behind a product of another tensor, with other
 * operators between them. */
static struct advice_step *row_products(const char *op, const char *whole, int between)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, op, whole, "[" FLOAT ", " FLOAT ", " FLOAT "]", PRODUCT, 6);
	for (int i = 0; i < between; i++)
		advice_step_op(step, i % 2 ? "aten::neg" : "aten::abs", "[[64]]", ONE, POINTWISE,
		               2);
	for (int i = 0; i < 60; i++) {
		take(step, "aten::select", "[[60, 2048], [], []]", "[\"\", \"0\", \"%d\"]", i);
		advice_step_op(step, "aten::mm", "[[1, 2048], [2048, 16]]", TWO, PRODUCT, 5);
		advice_step_op(step, "aten::mul", "[[1, 16], []]", ONE, POINTWISE, 1);
		advice_step_op(step, "aten::exp", "[[1, 16]]", ONE, POINTWISE, 1);
	}
	return step;
}

static void rows_that_the_step_multiplies_at_once_need_no_batch(void **state)
{
	static const char mm[] = "aten::mm";
	static const char all[] = "[[60, 2048], [2048, 2048]]";
	static const char others[] = "[[59, 2048], [2048, 2048]]";
	static const char wider[] = "[[30, 4096], [4096, 2048]]";
	static const char biased[] = "[[2048], [60, 2048], [2048, 2048]]";

	(void)state;
	assert_true(result_of(row_products(mm, all, 0), weir_fix_vectorise).found);
	assert_true(result_of(row_products("aten::addmm", biased, 0), weir_fix_vectorise).found);
	assert_true(result_of(row_products(mm, all, 15), weir_fix_vectorise).found);
	assert_false(result_of(row_products(mm, all, 16), weir_fix_vectorise).found);
	assert_false(result_of(row_products(mm, others, 0), weir_fix_vectorise).found);
	assert_false(result_of(row_products(mm, wider, 0), weir_fix_vectorise).found);
	assert_true(result_of(row_products(mm, others, 0), weir_fix_batch_more).found);
}

/* ---- recurrent layers over whole sequences ---- */

/* Eight runs of a recurrent model over one input. */
struct passes {
	const char *state; /* that each run sets to zero */
	const char *other; /* what each run does with the last output */
	int kernels;       /* of the layer */
	uint32_t blocks;   /* of each of them */
};

static struct advice_result passes_of(const struct passes *passes)
{
	static const char rnn_dims[] = "[[72, 8, 12], [[512, 12], [512, 128]], [], [72704], "
				       "[2, 8, 128], [2, 8, 128]]";
	static const char rnn_types[] =
		"[" FLOAT ", \"TensorList\", \"Scalar\", " FLOAT ", " FLOAT ", " FLOAT "]";
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 8; i++) {
		advice_step_op(step, "aten::fill_", passes->state, TWO, POINTWISE, 1);
		advice_step_op(step, "aten::copy_", "[[72, 8, 12], [72, 8, 12]]", TWO, POINTWISE,
		               2);
		advice_step_begin(step, "aten::_cudnn_rnn", rnn_dims, rnn_types, NULL);
		for (int k = 0; k < passes->kernels; k++)
			advice_step_kernel(step, "RNN_blockPersist_fp_LSTM", 100, passes->blocks);
		advice_step_end(step);
		advice_step_op(step, "aten::addmm", "[[24], [8, 128], [128, 24]]",
		               "[" FLOAT ", " FLOAT ", " FLOAT "]", PRODUCT, 3);
		advice_step_op(step, "aten::neg", passes->other, ONE, POINTWISE, 2);
	}
	return result_of(step, weir_fix_batch_more);
}

/* Runs that begin with a new state need none before; the state of the run before makes them a
 * recurrence, and so does a result of the input's size. */
static void passes_over_one_input_are_a_batch_if_each_has_a_new_state(void **state)
{
	static const struct {
		struct passes passes;
		bool found;
	} cases[] = {
		{{"[[2, 8, 128], []]", "[[8, 24]]", 4, 8}, true},
		{{"[[2, 8, 64], []]", "[[8, 24]]", 4, 8}, false},
		{{"[[2, 8, 128], []]", "[[72, 8, 12]]", 4, 8}, false},
		/* eight kernels make a model, seven do not */
		{{"[[2, 8, 128], []]", "[[8, 24]]", 3, 8}, false},
		/* a block for half of the multiprocessors, and one more */
		{{"[[2, 8, 128], []]", "[[8, 24]]", 4, 66}, true},
		{{"[[2, 8, 128], []]", "[[8, 24]]", 4, 67}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (passes_of(&cases[i].passes).found != cases[i].found)
			fail_msg("case %zu", i);
}

/* A multiprocessor runs one block of a recurrent layer: 8 runs of 16 blocks fit into the 132 of
 * the device at once, those of 17 blocks follow each other in two waves. */
static void recurrent_layers_of_all_runs_take_turns_on_multiprocessors(void **state)
{
	struct passes passes = {"[[2, 8, 128], []]", "[[8, 24]]", 4, 16};
	double one_us = passes_of(&passes).after_us;

	(void)state;
	passes.blocks = 17;
	assert_near(passes_of(&passes).after_us - one_us, 400, 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_turn_that_joins_the_result_of_the_one_before_depends_on_it),
		cmocka_unit_test(fused_gates_are_those_of_a_recurrent_cell),
		cmocka_unit_test(convolutions_with_few_places_are_a_batch),
		cmocka_unit_test(places_of_all_runs_are_one_ordinary_convolution),
		cmocka_unit_test(rows_of_all_runs_are_one_ordinary_product),
		cmocka_unit_test(what_a_list_holds_may_be_the_result_of_the_run_before),
		cmocka_unit_test(runs_that_look_up_their_parts_of_a_tensor_are_independent),
		cmocka_unit_test(chunks_of_a_batch_that_the_host_limits_are_one_batch),
		cmocka_unit_test(a_run_whose_integers_no_other_run_writes_is_independent),
		cmocka_unit_test(runs_that_keep_the_device_busy_are_no_batch),
		cmocka_unit_test(a_run_that_reads_as_much_as_the_last_one_wrote_needs_it),
		cmocka_unit_test(relations_of_a_graph_are_grouped),
		cmocka_unit_test(members_of_an_ensemble_are_independent),
		cmocka_unit_test(rows_that_the_step_multiplies_at_once_need_no_batch),
		cmocka_unit_test(passes_over_one_input_are_a_batch_if_each_has_a_new_state),
		cmocka_unit_test(recurrent_layers_of_all_runs_take_turns_on_multiprocessors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
