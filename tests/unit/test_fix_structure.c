/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixes of chains and sorts: where they apply, what they promise, and where not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define TENSOR    "[64, 1024, 1024]" /* 134 MB in bf16 */
#define BF16      "\"c10::BFloat16\""
#define ONE       "[" BF16 "]"
#define TWO       "[" BF16 ", " BF16 "]"
#define STREAMING "vectorized_elementwise_kernel"
#define STREAM_US 89.0 /* 268 MB at 3.0 TB/s: 90 % of 3.35 */
#define TENSOR_US 44.5 /* half of it */

static struct advice_result result_of(struct advice_step *step, weir_fix_apply *apply)
{
	struct advice_result result;

	advice_step_apply(step, apply, &result);
	return result;
}

static void pointwise(struct advice_step *step, const char *op, double us)
{
	advice_step_op(step, op, "[" TENSOR "]", ONE, STREAMING, us);
}

/* ---- compile-pointwise ---- */

static void a_chain_of_pointwise_kernels_reads_and_writes_once(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	for (int i = 0; i < 5; i++)
		pointwise(step, "aten::abs", STREAM_US);
	advice_step_wait(step);
	result = result_of(step, weir_fix_compile_pointwise);
	assert_true(result.found);
	/* Entering the region takes 80 us of the host before the kernel. */
	assert_near(result.after_us, STREAM_US + 80, 0.1);
	assert_true(result.low_us <= result.after_us && result.after_us <= result.high_us);
}

static void a_gate_is_another_tensor_than_its_factor(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	pointwise(step, "aten::silu", 5 * STREAM_US);
	advice_step_op(step, "aten::mul", "[" TENSOR ", " TENSOR "]", TWO, STREAMING,
	               5 * STREAM_US);
	advice_step_wait(step);
	result = result_of(step, weir_fix_compile_pointwise);
	assert_true(result.found);
	assert_near(result.after_us, 3 * TENSOR_US + 80, 0.1);
}

/* x * cos + cat(-x[half:], x[:half]) * sin */
static void rotated_halves_are_part_of_a_chain(void **state)
{
	static const char halves[] = "[[[64, 1024, 512], [64, 1024, 512]], []]";
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	advice_step_op(step, "aten::mul", "[" TENSOR ", [1024, 1024]]", TWO, STREAMING, STREAM_US);
	advice_step_op(step, "aten::neg", "[[64, 1024, 512]]", ONE, STREAMING, STREAM_US);
	advice_step_op(step, "aten::cat", halves, "[\"TensorList\", \"Scalar\"]",
	               "CatArrayBatchedCopy<c10::BFloat16>", STREAM_US);
	advice_step_op(step, "aten::mul", "[" TENSOR ", [1024, 1024]]", TWO, STREAMING, STREAM_US);
	advice_step_op(step, "aten::add", "[" TENSOR ", " TENSOR "]", TWO, STREAMING,
	               2 * STREAM_US);
	advice_step_wait(step);
	result = result_of(step, weir_fix_compile_pointwise);
	assert_true(result.found);
	assert_near(result.after_us, STREAM_US + 80, 0.1);
}

/* A function of one tensor, with its parameter prepared in its middle. */
static void a_parameter_is_prepared_inside_a_chain(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	pointwise(step, "aten::silu", 5 * STREAM_US);
	advice_step_op(step, "aten::neg", "[[1024]]", ONE, STREAMING, 3);
	advice_step_op(step, "aten::mul", "[" TENSOR ", [1024]]", TWO, STREAMING, 5 * STREAM_US);
	advice_step_wait(step);
	result = result_of(step, weir_fix_compile_pointwise);
	assert_true(result.found);
	assert_near(result.after_us, STREAM_US + 80, 0.1);
}

/* A parameter of two operators: of a row, and of one value, which is a tensor without dimensions.
 */
static void a_parameter_of_several_operators_is_prepared_inside_a_chain(void **state)
{
	static const struct {
		const char *dims, *used;
	} cases[] = {{"[[1024]]", "[" TENSOR ", [1024]]"}, {"[[]]", "[" TENSOR ", []]"}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct advice_step *step = advice_step_new();
		struct advice_result result;

		pointwise(step, "aten::silu", 5 * STREAM_US);
		advice_step_op(step, "aten::neg", cases[i].dims, ONE, STREAMING, 3);
		advice_step_op(step, "aten::sqrt", cases[i].dims, ONE, STREAMING, 3);
		advice_step_op(step, "aten::mul", cases[i].used, TWO, STREAMING, 5 * STREAM_US);
		advice_step_wait(step);
		result = result_of(step, weir_fix_compile_pointwise);
		assert_true(result.found);
		assert_near(result.after_us, STREAM_US + 80, 0.1);
	}
}

/* Applies the same function of `calls` operators to two tensors. */
static struct advice_step *sisters(int calls)
{
	static const char *const ops[] = {"aten::silu", "aten::neg", "aten::abs", "aten::relu"};
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 2 * calls; i++)
		pointwise(step, ops[i % calls], 5 * STREAM_US);
	advice_step_wait(step);
	return step;
}

static void a_function_of_two_tensors_is_two_chains(void **state)
{
	struct advice_result one, two;

	(void)state;
	one = result_of(sisters(3), weir_fix_compile_pointwise);
	two = result_of(sisters(4), weir_fix_compile_pointwise);
	assert_near(one.after_us, STREAM_US + 80, 0.1);
	assert_near(two.after_us, 2 * STREAM_US + 80, 0.1);
}

static void a_product_ends_a_chain(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	pointwise(step, "aten::silu", STREAM_US);
	advice_step_op(step, "aten::bmm", "[" TENSOR ", " TENSOR "]", TWO, "nvjet_gemm", 400);
	pointwise(step, "aten::silu", STREAM_US);
	advice_step_wait(step);
	assert_false(result_of(step, weir_fix_compile_pointwise).found);
}

/* Normalises a tensor of 134 MB and cuts it off at 0, twice. */
static struct advice_step *normalised(const char *op, const char *dims, const char *scalars)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 2; i++) {
		advice_step_begin(step, op, dims,
		                  "[" BF16 ", " BF16 ", " BF16
		                  ", \"\", \"\", \"Scalar\", \"Scalar\"]",
		                  scalars);
		advice_step_kernel(step, "batch_norm_transform_input", 3 * STREAM_US, 1000);
		advice_step_end(step);
		advice_step_op(step, "aten::relu", dims, ONE, STREAMING, 3 * STREAM_US);
	}
	advice_step_wait(step);
	return step;
}

static void statistics_of_a_batch_end_a_chain(void **state)
{
	static const char dims[] = "[[64, 256, 64, 64], [256], [256], [], [], [], []]";
	static const char none[] = "[\"\", \"\", \"\", \"\", \"\", \"False\", \"0.1\"]";
	static const char some[] = "[\"\", \"\", \"\", \"\", \"\", \"True\", \"0.1\"]";

	(void)state;
	assert_true(result_of(normalised("aten::native_batch_norm", dims, none),
	                      weir_fix_compile_pointwise)
	                    .found);
	assert_false(result_of(normalised("aten::native_batch_norm", dims, some),
	                       weir_fix_compile_pointwise)
	                     .found);
}

/* Applies a function of `calls` operators to a normalised tensor of 134 MB, behind three products
 * of a microsecond. */
static struct advice_result behind_a_layer(int calls)
{
	static const char dims[] = "[[64, 256, 64, 64], [256], [256], [], [], [], []]";
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 3; i++)
		advice_step_op(step, "aten::bmm", "[" TENSOR ", " TENSOR "]", TWO, "nvjet_gemm", 1);
	advice_step_begin(step, "aten::native_batch_norm", dims,
	                  "[" BF16 ", " BF16 ", " BF16 ", \"\", \"\", \"Scalar\", \"Scalar\"]",
	                  "[\"\", \"\", \"\", \"\", \"\", \"False\", \"0.1\"]");
	advice_step_kernel(step, "batch_norm_transform_input", 3 * STREAM_US, 1000);
	advice_step_end(step);
	for (int i = 0; i < calls; i++)
		advice_step_op(step, "aten::abs", dims, ONE, STREAMING, 3 * STREAM_US);
	advice_step_wait(step);
	return result_of(step, weir_fix_compile_pointwise);
}

static void a_function_of_three_calls_is_fused_without_its_layer(void **state)
{
	(void)state;
	assert_near(behind_a_layer(2).after_us, STREAM_US + 80, 0.1);
	/* The device works on the layer while the host enters the region. */
	assert_near(behind_a_layer(3).after_us, (3 + 1) * STREAM_US, 0.05);
}

/* Takes the softmax of rows of 134 MB and cuts it off. */
static struct advice_result softmax_of(const char *dims)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, "aten::_softmax", dims, ONE, "softmax_warp_forward", 3 * STREAM_US);
	advice_step_op(step, "aten::relu", dims, ONE, STREAMING, 3 * STREAM_US);
	advice_step_wait(step);
	return result_of(step, weir_fix_compile_pointwise);
}

static void rows_longer_than_a_block_keeps_are_read_again(void **state)
{
	/* 65,536 and 65,537 elements of two bytes */
	struct advice_result kept = softmax_of("[[1024, 65536], [], []]");
	struct advice_result again = softmax_of("[[1024, 65537], [], []]");

	(void)state;
	assert_true(kept.found && again.found);
	/* Kept rows are read again from the cache, twice as fast: the second pass takes as long as
	 * its 14 instructions for an element, of 33.5e12 a second at 80 %. */
	assert_near(again.after_us - kept.after_us, TENSOR_US - 14 * 67108864 / 26.8e6, 0.1);
}

static void tensors_of_other_sizes_are_no_chain(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	pointwise(step, "aten::silu", STREAM_US);
	advice_step_op(step, "aten::silu", "[[64, 1024, 640]]", ONE, STREAMING, STREAM_US);
	advice_step_wait(step);
	assert_false(result_of(step, weir_fix_compile_pointwise).found);
}

/* Rows that are selected from a larger tensor do not depend on the row before. */
static void rows_of_a_tensor_are_no_chain(void **state)
{
	static const char *const rows[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
	char scalars[8][32];
	struct advice_result result;

	(void)state;
	for (int both = 0; both < 2; both++) {
		struct advice_step *step = advice_step_new();

		for (int i = 0; i < 8; i++) {
			snprintf(scalars[i], sizeof scalars[i], "[\"\", \"0\", \"%s\"]", rows[i]);
			advice_step_view(step, "aten::select", "[[8, 16777216], [], []]",
			                 "[\"float\", \"Scalar\", \"Scalar\"]", scalars[i]);
			advice_step_op(step, "aten::exp", "[[16777216]]", "[\"float\"]", STREAMING,
			               50);
			if (both)
				advice_step_op(step, "aten::neg", "[[16777216]]", "[\"float\"]",
				               STREAMING, 50);
		}
		result = result_of(step, weir_fix_compile_pointwise);
		assert_int_equal(result.found, both);
	}
	/* Each row is read and written once. */
	assert_near(result.before_us - result.after_us, 8 * 50, 0.1);
}

static void operators_without_shapes_promise_nothing(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	for (int i = 0; i < 5; i++)
		advice_step_op(step, "aten::silu", NULL, NULL, STREAMING, STREAM_US);
	advice_step_wait(step);
	assert_false(result_of(step, weir_fix_compile_pointwise).found);
}

/* Short kernels with a wait after each two: the compiler enters a region for every pair. */
static void each_wait_starts_another_region(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	for (int i = 0; i < 8; i++) {
		advice_step_op(step, "aten::abs", "[[64, 2048]]", ONE, STREAMING, 3);
		advice_step_op(step, "aten::neg", "[[64, 2048]]", ONE, STREAMING, 3);
		advice_step_wait(step);
	}
	result = result_of(step, weir_fix_compile_pointwise);
	assert_true(result.after_us > result.before_us);
}

/* ---- select-not-sort ---- */

static struct advice_step *sorted(const char *dims, const char *type, double us)
{
	struct advice_step *step = advice_step_new();

	advice_step_begin(step, "aten::sort", dims, type, "[\"\", \"-1\", \"True\"]");
	advice_step_kernel(step, "DeviceRadixSort", us, 1000);
	advice_step_end(step);
	return step;
}

static void slice(struct advice_step *step, const char *end)
{
	static char scalars[64];

	snprintf(scalars, sizeof scalars, "[\"\", \"1\", \"0\", \"%s\", \"1\"]", end);
	advice_step_view(step, "aten::slice", "[[64, 128256], [], [], [], []]",
	                 "[\"float\", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]", scalars);
	advice_step_wait(step);
}

static void the_first_elements_of_a_sort_need_a_select(void **state)
{
	struct advice_step *step =
		sorted("[[64, 128256], [], []]", "[\"float\", \"Scalar\", \"Scalar\"]", 680);
	struct advice_result result;

	(void)state;
	slice(step, "50");
	result = result_of(step, weir_fix_select_not_sort);
	assert_true(result.found);
	/* 6 passes over 32.8 MB at 62 % of 3.0 TB/s, and 20 kernels of 2.8 us */
	assert_near(result.before_us - result.after_us, 680 - (106 + 56), 0.02);
}

/* A sort of this many kernels, of which the first 50 columns are used. */
static struct advice_result sort_of(int kernels)
{
	struct advice_step *step = advice_step_new();

	advice_step_begin(step, "aten::sort", "[[64, 128256], [], []]",
	                  "[\"float\", \"Scalar\", \"Scalar\"]", "[\"\", \"-1\", \"True\"]");
	for (int k = 0; k < kernels; k++)
		advice_step_kernel(step, "DeviceRadixSort", 680.0 / kernels, 1000);
	advice_step_end(step);
	slice(step, "50");
	return result_of(step, weir_fix_select_not_sort);
}

/* A select has 6 passes and 20 short kernels: the host no longer launches what a sort has beyond.
 */
static void a_select_needs_no_launches_for_each_row(void **state)
{
	double few_us = sort_of(26).after_us, more_us = sort_of(27).after_us;

	(void)state;
	assert_true(sort_of(2000).before_us > 2 * sort_of(26).before_us);
	assert_near(more_us, few_us, 0.03);
	assert_near(sort_of(2000).after_us, few_us, 0.05);
}

static void a_sort_that_is_used_as_a_whole_stays(void **state)
{
	struct advice_step *step =
		sorted("[[64, 128256], [], []]", "[\"float\", \"Scalar\", \"Scalar\"]", 680);

	(void)state;
	slice(step, "16033"); /* more than an eighth */
	assert_false(result_of(step, weir_fix_select_not_sort).found);
}

/* A running sum over sorted scores counts the labels up to each place; with a softmax over them it
 * is the threshold of a sampler. */
static void a_running_sum_alone_needs_the_whole_order(void **state)
{
	static const struct {
		const char *op;
		bool found;
	} cases[] = {{"aten::cumsum", false}, {"aten::_softmax", true}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_step *step = sorted("[[64, 128256], [], []]",
		                                  "[\"float\", \"Scalar\", \"Scalar\"]", 680);

		advice_step_op(step, cases[i].op, "[[64, 128256], [], []]",
		               "[\"float\", \"Scalar\", \"Scalar\"]", "tensor_kernel_scan", 30);
		assert_int_equal(result_of(step, weir_fix_select_not_sort).found, cases[i].found);
	}
}

/* Sorts the columns of a matrix, and keeps rows [0, end) of them. */
static bool needs_no_sort_of_columns(const char *end)
{
	struct advice_step *step = advice_step_new();
	static char scalars[64];

	advice_step_begin(step, "aten::sort", "[[128256, 64], [], []]",
	                  "[\"float\", \"Scalar\", \"Scalar\"]", "[\"\", \"0\", \"True\"]");
	advice_step_kernel(step, "DeviceRadixSort", 680, 1000);
	advice_step_end(step);
	snprintf(scalars, sizeof scalars, "[\"\", \"0\", \"0\", \"%s\", \"1\"]", end);
	advice_step_view(step, "aten::slice", "[[128256, 64], [], [], [], []]",
	                 "[\"float\", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]", scalars);
	advice_step_wait(step);
	return result_of(step, weir_fix_select_not_sort).found;
}

static void the_first_rows_of_sorted_columns_need_a_select(void **state)
{
	(void)state;
	assert_true(needs_no_sort_of_columns("16032")); /* an eighth */
	assert_false(needs_no_sort_of_columns("16033"));
}

/* Gathers `columns` elements of each sorted row. */
static void gather(struct advice_step *step, const char *columns)
{
	static char dims[64];

	snprintf(dims, sizeof dims, "[[64, 128256], [], [64, %s], []]", columns);
	advice_step_begin(step, "aten::gather", dims,
	                  "[\"float\", \"Scalar\", \"long int\", \"Scalar\"]",
	                  "[\"\", \"-1\", \"\", \"False\"]");
	advice_step_kernel(step, "_scatter_gather_elementwise_kernel", 2, 4);
	advice_step_end(step);
	advice_step_wait(step);
}

static void gathered_columns_of_a_sort_need_a_select(void **state)
{
	struct advice_step *few = sorted("[[64, 128256], [], []]",
	                                 "[\"float\", \"Scalar\", \"Scalar\"]", 680),
			   *many = sorted("[[64, 128256], [], []]",
	                                  "[\"float\", \"Scalar\", \"Scalar\"]", 680);

	(void)state;
	gather(few, "16032"); /* an eighth */
	assert_true(result_of(few, weir_fix_select_not_sort).found);
	gather(many, "16033");
	assert_false(result_of(many, weir_fix_select_not_sort).found);
}

/* A quantile that sorts, looks for NaN, and gathers its element; wanted: the quantiles' dimensions.
 */
static struct advice_step *quantile(const char *dims, const char *scalars)
{
	struct advice_step *step = advice_step_new();

	advice_step_begin(step, "aten::quantile", dims, "[\"float\", \"float\", \"Scalar\"]",
	                  scalars);
	advice_step_begin(step, "aten::sort", "[[64, 128256], [], []]",
	                  "[\"float\", \"Scalar\", \"Scalar\"]", "[\"\", \"-1\", \"False\"]");
	advice_step_kernel(step, "DeviceRadixSort", 680, 1000);
	advice_step_end(step);
	advice_step_op(step, "aten::ne", "[[64, 128256], [64, 128256]]", "[\"float\", \"float\"]",
	               "vectorized_elementwise_kernel", 24.6); /* at 3.0 TB/s */
	gather(step, "1");
	advice_step_end(step);
	return step;
}

static void a_quantile_is_a_select(void **state)
{
	struct advice_result one = result_of(
				     quantile("[[64, 128256], [], []]", "[\"\", \"0.98\", \"1\"]"),
				     weir_fix_select_not_sort),
			     two = result_of(
				     quantile("[[64, 128256], [2], []]", "[\"\", \"\", \"1\"]"),
				     weir_fix_select_not_sort);

	(void)state;
	assert_true(one.found);
	/* As above; the search for NaN goes as well, with the time to launch it. */
	assert_near(one.before_us - one.after_us, 680 + 24.6 - (106 + 56), 0.05);
	assert_true(two.found);
	assert_near(two.after_us - one.after_us, 106 + 56, 0.05);
}

/* Draws from sorted logits: probabilities, their sum, and a choice; `behind` follows the sum, and
 * `last` is the last operator. */
static struct advice_result sampled(const char *behind, const char *last, const char *last_rows)
{
	static const char rows[] = "[[64, 128256], []]";
	struct advice_step *step =
		sorted("[[64, 128256], [], []]", "[\"float\", \"Scalar\", \"Scalar\"]", 680);
	struct advice_result result;

	advice_step_op(step, "aten::_softmax", rows, "[\"float\", \"Scalar\"]", STREAMING, 60);
	advice_step_op(step, "aten::cumsum", rows, "[\"float\", \"Scalar\"]", STREAMING, 240);
	advice_step_op(step, behind, rows, "[\"float\", \"Scalar\"]", STREAMING, 40);
	advice_step_op(step, last, last_rows, "[\"float\", \"Scalar\"]", STREAMING, 40);
	advice_step_wait(step);
	result = result_of(step, weir_fix_select_not_sort);
	assert_true(result.found);
	return result;
}

static double sampled_us(const char *behind)
{
	struct advice_result result = sampled(behind, "aten::div", "[[64, 128256], []]");

	return result.before_us - result.after_us;
}

/* All but one pass for the probabilities works on the candidates, until they go back to their
 * places. */
static void samplers_work_on_the_candidates(void **state)
{
	const double sort_us = 680 - (106 + 56);

	(void)state;
	assert_near(sampled_us("aten::sub"), sort_us + 238 + 38 + 38, 0.05);
	assert_near(sampled_us("aten::scatter"), sort_us + 238, 0.05);
}

/* A mask that is shifted by an element of each row works on the rows; half of a row does not. */
static void masks_of_samplers_may_be_shifted(void **state)
{
	struct advice_result whole, shifted, half;

	(void)state;
	whole = sampled("aten::sub", "aten::clone", "[[64, 128256], []]");
	shifted = sampled("aten::sub", "aten::clone", "[[64, 128255], []]");
	half = sampled("aten::sub", "aten::clone", "[[64, 64128], []]");
	assert_near(shifted.after_us, whole.after_us, 0.01);
	assert_near(half.after_us, whole.after_us + 38, 0.01);
}

/* Rows that are written back for a draw need not be whole: the draw may take the candidates. Where
 * the step does not draw, they do. */
static void a_draw_from_rows_written_back_may_take_the_candidates(void **state)
{
	static const char rows[] = "[[64, 128256], []]";
	struct advice_result drawn, kept, drawn_few;

	(void)state;
	drawn = sampled("aten::scatter", "aten::multinomial", rows);
	kept = sampled("aten::scatter", "aten::div", rows);
	drawn_few = sampled("aten::scatter", "aten::multinomial", "[[64, 256], []]");
	assert_near(drawn.after_us, kept.after_us, 0.01);
	assert_near(kept.low_us - drawn.low_us, 2 * 38, 0.01);
	assert_near(drawn_few.low_us, kept.low_us, 0.01);
}

/* Takes the element at a position of each sorted row. */
static struct advice_step *element(const char *at, const char *type)
{
	static char scalars[64];
	struct advice_step *step = sorted("[[4096, 8192], [], []]", type, 3000);

	snprintf(scalars, sizeof scalars, "[\"\", \"1\", \"%s\"]", at);
	advice_step_view(step, "aten::select", "[[4096, 8192], [], []]",
	                 "[\"float\", \"Scalar\", \"Scalar\"]", scalars);
	/* Compares the unsorted rows, which are as large. */
	advice_step_op(step, "aten::gt", "[[4096, 8192], [4096, 1]]", "[\"float\", \"float\"]",
	               STREAMING, 93);
	advice_step_wait(step);
	return step;
}

static void an_element_in_the_middle_of_a_row_takes_a_block_for_the_row(void **state)
{
	static const struct {
		const char *at;
		double select_us;
	} cases[] = {
		{"4096", 762},  /* 33.6 million elements, 3 ns each on one of 132 multiprocessors */
		{"1024", 762},  /* the element behind the first eighth */
		{"1023", 489},  /* 6 passes over 134 MB at 62 % of 3.0 TB/s, and 56 us */
		{"-1024", 489}, /* as far from the other end */
		{"-1025", 762},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct advice_result result =
			result_of(element(cases[i].at, "[\"float\", \"Scalar\", \"Scalar\"]"),
		                  weir_fix_select_not_sort);

		assert_true(result.found);
		assert_near(result.before_us - result.after_us, 3000 - cases[i].select_us, 0.01);
	}
}

/* 2 passes over 16 bits and 2 more, as long as over 134 MB of 32 bits, and 14 short kernels. */
static void narrow_keys_are_counted_no_faster(void **state)
{
	struct advice_result result =
		result_of(element("0", "[\"c10::BFloat16\", \"Scalar\", \"Scalar\"]"),
	                  weir_fix_select_not_sort);

	(void)state;
	assert_true(result.found);
	assert_near(result.before_us - result.after_us, 3000 - (289 + 39), 0.01);
}

static void a_sort_of_integers_orders_things(void **state)
{
	struct advice_step *step =
		sorted("[[64, 128256], [], []]", "[\"long int\", \"Scalar\", \"Scalar\"]", 680);

	(void)state;
	slice(step, "50");
	assert_false(result_of(step, weir_fix_select_not_sort).found);
}

static void a_fast_sort_stays(void **state)
{
	struct advice_step *step =
		sorted("[[64, 128256], [], []]", "[\"float\", \"Scalar\", \"Scalar\"]", 160);

	(void)state;
	slice(step, "50");
	assert_false(result_of(step, weir_fix_select_not_sort).found);
}

/* Rows of 4096 elements are sorted by one block. */
static void rows_that_one_block_sorts_stay(void **state)
{
	static const struct {
		const char *dims;
		const char *scalars; /* of the slice */
		bool found;
	} cases[] = {
		{"[[8192, 4097], [], []]", "[\"\", \"1\", \"0\", \"20\", \"1\"]", true},
		{"[[8192, 4096], [], []]", "[\"\", \"1\", \"0\", \"20\", \"1\"]", false},
		{"[[8192, 4097], [], []]", "[\"\", \"-1\", \"-20\", \"4097\", \"1\"]", true},
		{"[[8192, 4097], [], []]", "[\"\", \"0\", \"0\", \"20\", \"1\"]", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char view[64];
		struct advice_step *step =
			sorted(cases[i].dims, "[\"float\", \"Scalar\", \"Scalar\"]", 5000);

		snprintf(view, sizeof view, "%.13s, [], [], [], []]", cases[i].dims);
		advice_step_view(step, "aten::slice", view,
		                 "[\"float\", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]",
		                 cases[i].scalars);
		advice_step_wait(step);
		if (result_of(step, weir_fix_select_not_sort).found != cases[i].found)
			fail_msg("case %zu", i);
	}
}

/* Looks the place of one element of each row up in the order of a sort, and does something else
 * with a tensor. */
struct place {
	const char *order, *types, *compared; /* of the comparison */
	const char *op, *dims;                /* behind it; NULL: nothing */
};

static struct advice_result place_of(const struct place *place)
{
	static const char copy[] = "[[64, 128256], [64, 128256], []]";
	static char dims[128];
	struct advice_step *step =
		sorted("[[64, 128256], [], []]", "[\"float\", \"Scalar\", \"Scalar\"]", 680);

	snprintf(dims, sizeof dims, "[%s, %s]", place->order, place->compared);
	advice_step_op(step, "aten::eq", dims, place->types, "elementwise_kernel", 40);
	advice_step_op(step, "aten::copy_", copy, "[\"float\", \"bool\", \"Scalar\"]",
	               "elementwise_kernel", 30);
	advice_step_op(step, "aten::argmax", "[[64, 128256], [], []]",
	               "[\"float\", \"Scalar\", \"Scalar\"]", "reduce_kernel", 20);
	if (place->op)
		advice_step_op(step, place->op, place->dims, "[\"float\", \"\"]", "gather", 20);
	advice_step_wait(step);
	return result_of(step, weir_fix_select_not_sort);
}

#define ORDER    "[64, 128256]"
#define INTEGERS "[\"long int\", \"long int\"]"

/* The place of an element needs no order if nothing else reads it. */
static void the_place_of_an_element_needs_no_sort(void **state)
{
	static const struct {
		struct place place;
		bool found;
	} cases[] = {
		{{ORDER, INTEGERS, "[64, 1]", NULL, NULL}, true},
		{{ORDER, "[\"long int\", \"Scalar\"]", "[]", NULL, NULL}, true},
		{{ORDER, INTEGERS, "[1, 128256]", NULL, NULL}, false},
		{{ORDER, INTEGERS, ORDER, NULL, NULL}, false},
		{{ORDER, "[\"float\", \"float\"]", "[64, 1]", NULL, NULL}, false},
		{{"[64, 128255]", INTEGERS, "[64, 1]", NULL, NULL}, false},
		/* a table of labels in the order */
		{{ORDER, INTEGERS, "[64, 1]", "aten::index", "[[128256], []]"}, false},
		{{ORDER, INTEGERS, "[64, 1]", "aten::index", "[[128255], []]"}, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (place_of(&cases[i].place).found != cases[i].found)
			fail_msg("case %zu", i);
}

/* 32.8 MB are read and 8.2 MB written, behind a gather; the reduction stays. */
static void a_pass_that_compares_takes_the_time_of_its_bytes(void **state)
{
	struct advice_result result =
		place_of(&(struct place){ORDER, INTEGERS, "[64, 1]", NULL, NULL});

	(void)state;
	assert_near(result.before_us - result.after_us, 680 + 40 + 30 - (2 + 41.04 / 3.015), 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_chain_of_pointwise_kernels_reads_and_writes_once),
		cmocka_unit_test(a_gate_is_another_tensor_than_its_factor),
		cmocka_unit_test(rotated_halves_are_part_of_a_chain),
		cmocka_unit_test(a_parameter_is_prepared_inside_a_chain),
		cmocka_unit_test(a_parameter_of_several_operators_is_prepared_inside_a_chain),
		cmocka_unit_test(a_function_of_two_tensors_is_two_chains),
		cmocka_unit_test(a_product_ends_a_chain),
		cmocka_unit_test(statistics_of_a_batch_end_a_chain),
		cmocka_unit_test(a_function_of_three_calls_is_fused_without_its_layer),
		cmocka_unit_test(rows_longer_than_a_block_keeps_are_read_again),
		cmocka_unit_test(tensors_of_other_sizes_are_no_chain),
		cmocka_unit_test(rows_of_a_tensor_are_no_chain),
		cmocka_unit_test(operators_without_shapes_promise_nothing),
		cmocka_unit_test(each_wait_starts_another_region),
		cmocka_unit_test(the_first_elements_of_a_sort_need_a_select),
		cmocka_unit_test(a_select_needs_no_launches_for_each_row),
		cmocka_unit_test(a_sort_that_is_used_as_a_whole_stays),
		cmocka_unit_test(a_running_sum_alone_needs_the_whole_order),
		cmocka_unit_test(the_first_rows_of_sorted_columns_need_a_select),
		cmocka_unit_test(gathered_columns_of_a_sort_need_a_select),
		cmocka_unit_test(a_quantile_is_a_select),
		cmocka_unit_test(samplers_work_on_the_candidates),
		cmocka_unit_test(masks_of_samplers_may_be_shifted),
		cmocka_unit_test(a_draw_from_rows_written_back_may_take_the_candidates),
		cmocka_unit_test(an_element_in_the_middle_of_a_row_takes_a_block_for_the_row),
		cmocka_unit_test(narrow_keys_are_counted_no_faster),
		cmocka_unit_test(a_sort_of_integers_orders_things),
		cmocka_unit_test(the_place_of_an_element_needs_no_sort),
		cmocka_unit_test(a_pass_that_compares_takes_the_time_of_its_bytes),
		cmocka_unit_test(a_fast_sort_stays),
		cmocka_unit_test(rows_that_one_block_sorts_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
