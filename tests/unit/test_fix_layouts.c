/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies that change the layout of a tensor or nothing: which go, and which a reader needs. */
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
#define DIRECT    "elementwise_kernel direct_copy_kernel_cuda"
#define STREAM_US 89.0 /* 268 MB at 3.0 TB/s: 90 % of 3.35 */

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

static void copy_of(struct advice_step *step, const char *outer, const char *kernel, double us)
{
	advice_step_begin(step, outer, "[" TENSOR ", []]", "[" BF16 ", \"Scalar\"]", NULL);
	advice_step_op(step, "aten::copy_", "[" TENSOR ", " TENSOR ", []]",
	               "[" BF16 ", " BF16 ", \"Scalar\"]", kernel, us);
	advice_step_end(step);
}

static void transposed(struct advice_step *step, const char *scalars, double us)
{
	advice_step_view(step, "aten::transpose", "[" TENSOR ", [], []]",
	                 "[" BF16 ", \"Scalar\", \"Scalar\"]", scalars);
	copy_of(step, "aten::contiguous", DIRECT, us);
}

static void two_copies_that_undo_each_other_go(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	transposed(step, "[\"\", \"1\", \"2\"]", 400);
	pointwise(step, "aten::silu", STREAM_US);
	transposed(step, "[\"\", \"1\", \"2\"]", 400);
	advice_step_wait(step);
	result = result_of(step, weir_fix_avoid_copies);
	assert_true(result.found);
	assert_near(result.after_us, STREAM_US, 0.15);
}

static void a_product_takes_a_transposed_matrix(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	transposed(step, "[\"\", \"-2\", \"-1\"]", 400);
	advice_step_op(step, "aten::bmm", "[" TENSOR ", " TENSOR "]", TWO, "nvjet_gemm", 300);
	advice_step_wait(step);
	result = result_of(step, weir_fix_avoid_copies);
	assert_true(result.found);
	assert_near(result.after_us, 300, 0.1);
}

/* Returns what avoid-copies finds if a product reads the copy of a permuted tensor. */
static struct advice_result permuted_before_a_product(const char *order)
{
	struct advice_step *step = advice_step_new();

	advice_step_view(step, "aten::permute", "[" TENSOR ", []]", "[" BF16 ", \"ScalarList\"]",
	                 order);
	copy_of(step, "aten::contiguous", DIRECT, 400);
	advice_step_op(step, "aten::bmm", "[" TENSOR ", " TENSOR "]", TWO, "nvjet_gemm", 300);
	advice_step_wait(step);
	return result_of(step, weir_fix_avoid_copies);
}

static void a_product_takes_a_matrix_whose_last_dimensions_are_exchanged(void **state)
{
	(void)state;
	assert_true(permuted_before_a_product("[\"\", \"[0, 2, 1]\"]").found);
	assert_false(permuted_before_a_product("[\"\", \"[2, 0, 1]\"]").found);
}

/* Transposes a tensor and copies it as 32-bit floats; a product reads another tensor of the shape
 * and type of the source. */
static void converted(struct advice_step *step)
{
	advice_step_view(step, "aten::transpose", "[" TENSOR ", [], []]",
	                 "[" BF16 ", \"Scalar\", \"Scalar\"]", "[\"\", \"-2\", \"-1\"]");
	advice_step_begin(step, "aten::contiguous", "[" TENSOR ", []]", "[" BF16 ", \"Scalar\"]",
	                  NULL);
	advice_step_op(step, "aten::copy_", "[" TENSOR ", " TENSOR ", []]",
	               "[\"float\", " BF16 ", \"Scalar\"]", DIRECT, 400);
	advice_step_end(step);
	advice_step_op(step, "aten::bmm", "[" TENSOR ", " TENSOR "]", TWO, "nvjet_gemm", 300);
}

static void a_change_of_type_is_no_layout_copy(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	converted(step);
	advice_step_wait(step);
	assert_false(result_of(step, weir_fix_avoid_copies).found);
}

static void a_change_of_type_stays_where_another_copy_goes(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	transposed(step, "[\"\", \"-2\", \"-1\"]", 400);
	advice_step_op(step, "aten::bmm", "[" TENSOR ", " TENSOR "]", TWO, "nvjet_gemm", 300);
	converted(step);
	advice_step_wait(step);
	result = result_of(step, weir_fix_avoid_copies);
	assert_true(result.found);
	assert_near(result.before_us - result.after_us, 400, 0.05);
}

/* The product makes the copy itself: the program has no call of it to leave out. */
static void a_layout_copy_inside_a_product_is_not_the_programs(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	advice_step_begin(step, "aten::matmul", "[" TENSOR ", " TENSOR "]", TWO, NULL);
	transposed(step, "[\"\", \"-2\", \"-1\"]", 400);
	advice_step_op(step, "aten::bmm", "[" TENSOR ", " TENSOR "]", TWO, "nvjet_gemm", 300);
	advice_step_end(step);
	advice_step_wait(step);
	assert_false(result_of(step, weir_fix_avoid_copies).found);
}

static void a_product_needs_other_dimensions_in_order(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	transposed(step, "[\"\", \"0\", \"2\"]", 400);
	advice_step_op(step, "aten::bmm", "[" TENSOR ", " TENSOR "]", TWO, "nvjet_gemm", 300);
	advice_step_wait(step);
	assert_false(result_of(step, weir_fix_avoid_copies).found);
}

/* Brings the batch in front of the rows in a copy of these dimensions, which a product of matrices
 * reads. */
static struct advice_result batched(const char *order, const char *copy, const char *matrices)
{
	struct advice_step *step = advice_step_new();
	char view[64], dims[128], product[96];

	snprintf(view, sizeof view, "[%s, []]", copy);
	advice_step_view(step, "aten::permute", view, "[" BF16 ", \"ScalarList\"]", order);
	advice_step_begin(step, "aten::contiguous", view, "[" BF16 ", \"Scalar\"]", NULL);
	snprintf(dims, sizeof dims, "[%s, %s, []]", copy, copy);
	advice_step_op(step, "aten::copy_", dims, "[" BF16 ", " BF16 ", \"Scalar\"]", DIRECT, 400);
	advice_step_end(step);
	snprintf(product, sizeof product, "[%s, [16, 1024, 64]]", matrices);
	advice_step_op(step, "aten::bmm", product, TWO, "nvjet_gemm", 300);
	advice_step_wait(step);
	return result_of(step, weir_fix_avoid_copies);
}

static void a_product_takes_any_stride_between_its_matrices(void **state)
{
	static const char three[] = "[16, 4096, 1024]", order[] = "[\"\", \"[1, 0, 2]\"]";
	static const char heads[] = "[\"\", \"[0, 2, 1, 3]\"]";
	struct advice_result result = batched(order, three, three);

	(void)state;
	assert_true(result.found);
	assert_near(result.before_us - result.after_us, 400, 0.05);
	/* Two dimensions in front of the rows have no common stride, unless one has one entry. */
	assert_false(batched(heads, "[4, 4, 4096, 1024]", three).found);
	assert_true(batched(heads, "[1, 16, 4096, 1024]", three).found);
	/* The product reads other rows. */
	assert_false(batched(order, three, "[16, 1024, 4096]").found);
}

/* A product of 16 matrices whose result is copied with the batch behind the rows for an operator
 * that needs the copy. */
static bool result_copied(const char *order, const char *copy)
{
	struct advice_step *step = advice_step_new();
	char dims[128];

	advice_step_op(step, "aten::bmm", "[[16, 4096, 1024], [16, 1024, 512]]", TWO, "nvjet_gemm",
	               300);
	advice_step_view(step, "aten::permute", "[[16, 4096, 512], []]",
	                 "[" BF16 ", \"ScalarList\"]", order);
	advice_step_begin(step, "aten::reshape", "[[16, 4096, 512], []]",
	                  "[" BF16 ", \"ScalarList\"]", NULL);
	snprintf(dims, sizeof dims, "[%s, %s, []]", copy, copy);
	advice_step_op(step, "aten::copy_", dims, "[" BF16 ", " BF16 ", \"Scalar\"]", DIRECT, 400);
	advice_step_end(step);
	advice_step_op(step, "aten::mm", "[[4096, 8192], [8192, 256]]", TWO, "nvjet_gemm", 100);
	advice_step_wait(step);
	return result_of(step, weir_fix_avoid_copies).found;
}

static void a_product_writes_its_matrices_beside_each_other(void **state)
{
	(void)state;
	assert_true(result_copied("[\"\", \"[1, 0, 2]\"]", "[4096, 16, 512]"));
	assert_false(result_copied("[\"\", \"[1, 2, 0]\"]", "[4096, 512, 16]"));
	assert_false(result_copied("[\"\", \"[1, 0, 2]\"]", "[2048, 32, 512]"));
}

/* Copies windows of 64 numbers that begin at every eighth one, for this reader. */
static struct advice_result windows(const char *strides, const char *op, const char *kernel,
                                    double us)
{
	static const char dims[] = "[[96, 16377, 64], [96, 16377, 64], []]";
	struct advice_step *step = advice_step_new();

	advice_step_view(step, "aten::unfold", "[[96, 131072], [], [], []]",
	                 "[\"float\", \"Scalar\", \"Scalar\", \"Scalar\"]",
	                 "[\"\", \"-1\", \"64\", \"8\"]");
	advice_step_begin(step, "aten::contiguous", "[[96, 16377, 64], []]",
	                  "[\"float\", \"Scalar\"]", NULL);
	advice_step_begin(step, "aten::copy_", dims, "[\"float\", \"float\", \"Scalar\"]", NULL);
	advice_step_strides(step, strides);
	advice_step_kernel(step, DIRECT, 250, 1000);
	advice_step_end(step);
	advice_step_end(step);
	advice_step_op(step, op, "[[96, 16377, 64], []]", "[\"float\", \"ScalarList\"]", kernel,
	               us);
	advice_step_wait(step);
	return result_of(step, weir_fix_avoid_copies);
}

static void a_reduction_reads_windows_from_their_source(void **state)
{
	static const char overlap[] = "[[1048128, 64, 1], [131072, 8, 1], []]";
	struct advice_result slow = windows(overlap, "aten::amax", "reduce_kernel", 420), fast;

	(void)state;
	assert_true(slow.found);
	/* 403 MB in 420 us are 0.32 of the bandwidth: something else limits the kernel. */
	assert_near(slow.before_us - slow.after_us, 250, 0.05);
	fast = windows(overlap, "aten::amax", "reduce_kernel", 150);
	assert_near(fast.before_us - fast.after_us, 250 + 0.86 * 150, 0.05);
	/* Operators that need rows, and that would change the source. */
	assert_false(windows(overlap, "aten::_fft_r2c", "regular_fft", 150).found);
	assert_true(windows(overlap, "aten::neg", STREAMING, 270).found);
	assert_false(windows(overlap, "aten::neg_", STREAMING, 270).found);
}

static void a_reduction_takes_any_order_but_a_norm_does_not(void **state)
{
	static const struct {
		const char *op, *kernel;
		bool found;
	} cases[] = {
		{"aten::sum", "reduce_kernel", true},
		{"aten::cumsum", "tensor_kernel_scan_innermost_dim", false},
		{"aten::native_layer_norm", "vectorized_layer_norm_kernel", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct advice_step *step = advice_step_new();

		transposed(step, "[\"\", \"0\", \"1\"]", 400);
		advice_step_op(step, cases[i].op, "[" TENSOR "]", ONE, cases[i].kernel, 100);
		advice_step_wait(step);
		assert_int_equal(result_of(step, weir_fix_avoid_copies).found, cases[i].found);
	}
}

/* An outer product of these operands and an operator on the result, which is copied with its last
 * dimensions exchanged for an operator that needs the copy. */
static struct advice_result outer_product(const char *operands, const char *types,
                                          const char *behind)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, "aten::mul", operands, types, STREAMING, 100);
	advice_step_op(step, "aten::add", behind, TWO, STREAMING, 100);
	transposed(step, "[\"\", \"1\", \"2\"]", 400);
	advice_step_op(step, "aten::index", "[" TENSOR ", []]", "[" BF16 ", \"\"]",
	               "vectorized_gather_kernel", 300);
	advice_step_wait(step);
	return result_of(step, weir_fix_avoid_copies);
}

static void the_operands_of_an_outer_product_are_turned_instead(void **state)
{
	static const char alone[] = "[" TENSOR ", []]";
	static const char eighth[] = "[[8, 1, 1024, 1024], [1, 8, 1, 1]]";
	static const char quarter[] = "[[16, 1, 1024, 1024], [1, 4, 1, 1]]";
	static const char less[] = "[[8, 1, 1024, 1024], [1, 7, 1, 1]]";
	struct advice_result result;

	(void)state;
	/* the larger operand has an eighth of the result, or a quarter */
	result = outer_product(eighth, TWO, alone);
	assert_true(result.found);
	assert_near(result.after_us, 100 + 100 + 50 + 300, 0.1);
	assert_false(outer_product(quarter, TWO, alone).found);
	/* a smaller result; operands of another type; another tensor in the layout of the result */
	assert_false(outer_product(less, TWO, alone).found);
	assert_false(outer_product(eighth, "[\"float\", \"float\"]", alone).found);
	assert_false(outer_product(eighth, TWO, "[" TENSOR ", " TENSOR "]").found);
}

static void the_last_copy_of_a_step_may_be_its_result(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	pointwise(step, "aten::silu", STREAM_US);
	transposed(step, "[\"\", \"1\", \"2\"]", 400);
	advice_step_wait(step);
	assert_false(result_of(step, weir_fix_avoid_copies).found);
}

/* Queries, keys and values with their heads in front of the positions, then attention. */
static struct advice_step *heads_first(const char *reader)
{
	static const char shape[] = "[[8, 16, 1024, 128], [8, 16, 1024, 128], []]";
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 3; i++) {
		advice_step_view(step, "aten::transpose", "[[8, 1024, 16, 128], [], []]",
		                 "[" BF16 ", \"Scalar\", \"Scalar\"]", "[\"\", \"1\", \"2\"]");
		advice_step_begin(step, "aten::contiguous", "[[8, 16, 1024, 128], []]",
		                  "[" BF16 ", \"Scalar\"]", NULL);
		advice_step_op(step, "aten::copy_", shape, "[" BF16 ", " BF16 ", \"Scalar\"]",
		               DIRECT, 40);
		advice_step_end(step);
	}
	advice_step_op(step, reader, shape, TWO, "kernel of the reader", 200);
	advice_step_wait(step);
	return step;
}

static void sister_copies_do_not_undo_each_other(void **state)
{
	struct advice_result result;

	(void)state;
	assert_false(result_of(heads_first("aten::cumsum"), weir_fix_avoid_copies).found);
	result = result_of(heads_first("aten::_scaled_dot_product_attention"),
	                   weir_fix_avoid_copies);
	assert_true(result.found);
	assert_near(result.before_us - result.after_us, 3 * 40, 0.1);
}

/* Adds a copy of a tensor that two dimensions of this view have exchanged. */
static void ordered(struct advice_step *step, const char *view, const char *dims,
                    const char *kernel)
{
	advice_step_view(step, "aten::transpose", view, "[" BF16 ", \"Scalar\", \"Scalar\"]",
	                 "[\"\", \"1\", \"2\"]");
	advice_step_begin(step, "aten::contiguous", view, "[" BF16 ", \"Scalar\"]", NULL);
	advice_step_op(step, "aten::copy_", dims, "[" BF16 ", " BF16 ", \"Scalar\"]", kernel, 40);
	advice_step_end(step);
}

/* Attention whose result is copied to the order of rows, for a product. */
struct attended {
	int copies;         /* of queries, keys and values, to the order of heads */
	const char *kernel; /* of these copies */
	const char *back;   /* dimensions of the copy behind the operator */
	const char *reader, *between;
};

static double saved_by(const struct attended *attended)
{
	static const char shape[] = "[[8, 16, 1024, 128], [8, 16, 1024, 128], []]";
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	for (int i = 0; i < attended->copies; i++)
		ordered(step, "[[8, 1024, 16, 128], [], []]", shape, attended->kernel);
	advice_step_op(step, attended->reader,
	               "[[8, 16, 1024, 128], [8, 16, 1024, 128], [8, 16, 1024, 128]]",
	               "[" BF16 ", " BF16 ", " BF16 "]", "kernel of the reader", 200);
	if (attended->between)
		advice_step_op(step, attended->between, "[[8, 16, 1024, 128]]", ONE, STREAMING, 30);
	ordered(step, "[[8, 16, 1024, 128], [], []]", attended->back, DIRECT);
	advice_step_op(step, "aten::mm", "[[8192, 2048], [2048, 2048]]", TWO, "nvjet_gemm", 150);
	advice_step_wait(step);
	result = result_of(step, weir_fix_avoid_copies);
	return result.found ? result.before_us - result.after_us : 0;
}

static void attention_writes_its_result_in_the_order_of_the_queries(void **state)
{
	static const char rows[] = "[[8, 1024, 16, 128], [8, 1024, 16, 128], []]";
	static const char other[] = "[[8, 128, 16, 1024], [8, 128, 16, 1024], []]";
	static const char attention[] = "aten::_scaled_dot_product_attention";
	const struct attended all = {3, DIRECT, rows, attention, NULL};
	const struct attended two = {2, DIRECT, rows, attention, NULL};
	const struct attended none = {0, DIRECT, rows, attention, NULL};
	const struct attended elsewhere = {3, DIRECT, other, attention, NULL};
	const struct attended behind = {3, DIRECT, rows, attention, "aten::silu"};

	(void)state;
	assert_near(saved_by(&all), 4 * 40, 0.1);
	/* The queries may be in the order of heads. */
	assert_near(saved_by(&two), 2 * 40, 0.1);
	assert_true(saved_by(&none) == 0);
	assert_near(saved_by(&elsewhere), 3 * 40, 0.1);
	assert_near(saved_by(&behind), 3 * 40, 0.1);
}

static struct advice_step *cloned(const char *reader)
{
	struct advice_step *step = advice_step_new();

	pointwise(step, "aten::silu", STREAM_US);
	copy_of(step, "aten::clone", STREAMING, STREAM_US);
	pointwise(step, "aten::abs", STREAM_US);
	pointwise(step, reader, STREAM_US);
	advice_step_wait(step);
	return step;
}

static void a_clone_protects_from_changes_in_place(void **state)
{
	(void)state;
	assert_true(result_of(cloned("aten::neg"), weir_fix_avoid_copies).found);
	assert_false(result_of(cloned("aten::neg_"), weir_fix_avoid_copies).found);
}

/* Clones a tensor for each of several readers; `part`: the last one changes a part of a clone. */
static struct advice_result cloned_for_each(const char *part)
{
	static const char rows[] = "[[65536, 1024], [1024, 64]]";
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 3; i++) {
		copy_of(step, "aten::clone", STREAMING, STREAM_US);
		advice_step_op(step, "aten::mm", rows, TWO, "nvjet_gemm", 60);
	}
	advice_step_view(step, "aten::slice", part ? part : "[[8]]", ONE, NULL);
	advice_step_op(step, "aten::add_", "[[32, 1024, 1024], []]", ONE, STREAMING, 40);
	advice_step_wait(step);
	return result_of(step, weir_fix_avoid_copies);
}

static void clones_for_several_readers_go(void **state)
{
	struct advice_result result = cloned_for_each(NULL);

	(void)state;
	assert_true(result.found);
	assert_near(result.before_us - result.after_us, 3 * STREAM_US, 0.02);
	/* A part of one of them changes: nothing tells of which. */
	assert_false(cloned_for_each("[" TENSOR "]").found);
	assert_true(cloned_for_each("[[64, 1024, 512]]").found);
}

/* Converts a tensor to a memory format, computes on it and converts it again. */
static bool reformatted(const char *there, const char *back)
{
	static const char dims[] = "[[16, 96, 256, 256], [16, 96, 256, 256], []]";
	const char *const formats[] = {there, back};
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 2; i++) {
		advice_step_begin(step, "aten::to", "[[16, 96, 256, 256], [], []]", ONE,
		                  formats[i]);
		advice_step_op(step, "aten::copy_", dims, TWO, DIRECT, 400);
		advice_step_end(step);
		if (i == 0)
			advice_step_op(step, "aten::leaky_relu", "[[16, 96, 256, 256], []]", ONE,
			               STREAMING, 130);
	}
	advice_step_op(step, "aten::cudnn_convolution", "[[16, 96, 256, 256], [96, 96, 3, 3]]", TWO,
	               "implicit_gemm", 330);
	advice_step_wait(step);
	return result_of(step, weir_fix_avoid_copies).found;
}

static void formats_of_memory_that_are_brought_back_need_no_copies(void **state)
{
	static const char contiguous[] = "[\"\", \"False\", \"0\"]";
	static const char last[] = "[\"\", \"False\", \"2\"]";

	(void)state;
	assert_true(reformatted(contiguous, last));
	assert_true(reformatted(last, contiguous));
	assert_false(reformatted(last, last));
	assert_false(reformatted(last, "[\"\", \"False\", \"1\"]"));
	assert_false(reformatted(last, "[\"\", \"False\", \"\"]"));
}

/* Puts the channels of 262144 rows, or of pictures, in another order for this reader. */
struct shuffled {
	const char *order;     /* of the view */
	const char *copy;      /* sizes of the copy */
	const char *op, *dims; /* of the reader */
};

static double shuffled_us(const struct shuffled *shuffled)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;
	char view[64], dims[128];

	snprintf(view, sizeof view, "[%s, []]", shuffled->copy);
	advice_step_view(step, "aten::permute", view, "[" BF16 ", \"ScalarList\"]",
	                 shuffled->order);
	advice_step_begin(step, "aten::reshape", view, "[" BF16 ", \"ScalarList\"]", NULL);
	snprintf(dims, sizeof dims, "[%s, %s, []]", shuffled->copy, shuffled->copy);
	advice_step_op(step, "aten::copy_", dims, "[" BF16 ", " BF16 ", \"Scalar\"]", DIRECT, 470);
	advice_step_end(step);
	advice_step_op(step, shuffled->op, shuffled->dims, TWO, "nvjet_gemm", 190);
	advice_step_wait(step);
	result = result_of(step, weir_fix_avoid_copies);
	return result.found ? result.before_us - result.after_us : 0;
}

#define SHUFFLE  "[\"\", \"[0, 2, 1]\"]"
#define CHANNELS "[262144, 32, 8]"
#define PICTURES "[\"\", \"[0, 2, 1, 3, 4]\"]"

static void weights_are_put_in_the_order_of_columns(void **state)
{
	static const struct shuffled taken[] = {
		{SHUFFLE, CHANNELS, "aten::mm", "[[262144, 256], [256, 96]]"},
		/* two blocks of columns in each row */
		{SHUFFLE, CHANNELS, "aten::mm", "[[131072, 512], [512, 96]]"},
		/* weights with an eighth of the elements */
		{SHUFFLE, CHANNELS, "aten::mm", "[[262144, 256], [256, 32768]]"},
		{PICTURES, "[64, 32, 8, 56, 56]", "aten::cudnn_convolution",
	         "[[64, 256, 56, 56], [128, 256, 1, 1]]"},
	};
	static const struct shuffled needed[] = {
		{SHUFFLE, CHANNELS, "aten::mm", "[[524288, 128], [128, 96]]"},
		{SHUFFLE, CHANNELS, "aten::mm", "[[262144, 256], [256, 32769]]"},
		{"[\"\", \"[1, 0, 2]\"]", "[32, 262144, 8]", "aten::mm",
	         "[[262144, 256], [256, 96]]"},
		{"[\"\", \"[0, 1, 2]\"]", CHANNELS, "aten::mm", "[[262144, 256], [256, 96]]"},
		{SHUFFLE, CHANNELS, "aten::cumsum", "[[262144, 256], []]"},
		/* groups of channels have their own weights */
		{PICTURES, "[64, 32, 8, 56, 56]", "aten::cudnn_convolution",
	         "[[64, 256, 56, 56], [256, 1, 3, 3]]"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		assert_near(shuffled_us(&taken[i]), 470, 0.02);
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		assert_true(shuffled_us(&needed[i]) == 0);
}

/* Selects as many columns by an index for a product. */
static bool columns_selected(const char *index, const char *op, const char *scalars)
{
	struct advice_step *step = advice_step_new();
	char dims[64];

	snprintf(dims, sizeof dims, "[[262144, 256], [], %s]", index);
	advice_step_begin(step, "aten::index_select", dims, "[" BF16 ", \"Scalar\", \"long int\"]",
	                  scalars);
	advice_step_kernel(step, "indexSelectLargeIndex", 300, 1000);
	advice_step_end(step);
	advice_step_op(step, op, "[[262144, 256], [256, 96]]", TWO, "nvjet_gemm", 100);
	advice_step_wait(step);
	return result_of(step, weir_fix_avoid_copies).found;
}

static void weights_are_put_in_the_order_of_an_index(void **state)
{
	(void)state;
	assert_true(columns_selected("[256]", "aten::mm", "[\"\", \"1\", \"\"]"));
	assert_true(columns_selected("[256]", "aten::mm", "[\"\", \"-1\", \"\"]"));
	assert_false(columns_selected("[255]", "aten::mm", "[\"\", \"1\", \"\"]"));
	assert_false(columns_selected("[256]", "aten::mm", "[\"\", \"0\", \"\"]"));
	assert_false(columns_selected("[256]", "aten::abs", "[\"\", \"1\", \"\"]"));
}

/* Transposes matrices of that many rows for a product of all their rows with the same weights. */
static double each_us(int rows, const char *op)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;
	char copy[64], view[96], dims[160], product[96];

	snprintf(copy, sizeof copy, "[384, %d, 256]", rows);
	snprintf(view, sizeof view, "[%s, [], []]", copy);
	advice_step_view(step, "aten::transpose", view, "[" BF16 ", \"Scalar\", \"Scalar\"]",
	                 "[\"\", \"1\", \"2\"]");
	advice_step_begin(step, "aten::contiguous", view, "[" BF16 ", \"Scalar\"]", NULL);
	snprintf(dims, sizeof dims, "[%s, %s, []]", copy, copy);
	advice_step_op(step, "aten::copy_", dims, "[" BF16 ", " BF16 ", \"Scalar\"]", DIRECT, 330);
	advice_step_end(step);
	if (*op == 'a')
		snprintf(product, sizeof product, "[[256], [%d, 256], [256, 256]]", 384 * rows);
	else
		snprintf(product, sizeof product, "[[%d, 256], [256, 256]]", 384 * rows);
	advice_step_op(step, *op == 'a' ? "aten::addmm" : "aten::mm", product,
	               "[" BF16 ", " BF16 ", " BF16 "]", "nvjet_gemm", 78);
	advice_step_wait(step);
	result = result_of(step, weir_fix_avoid_copies);
	return result.found ? result.before_us - result.after_us : 0;
}

static void weights_are_multiplied_with_each_transposed_matrix(void **state)
{
	(void)state;
	assert_near(each_us(512, "mm"), 330, 0.02);
	/* The bias is copied to 50 million values by index, and read as 101 MB. */
	assert_near(each_us(512, "addmm"), 330 - 147 - 33, 0.02);
	assert_near(each_us(64, "mm"), 330, 0.02);
	assert_true(each_us(63, "mm") == 0);
}

/* Repeats frames 64 times for a pointwise operator, or a matrix 14 times for products. */
static struct advice_result repeated_for(const char *op, const char *kernel, const char *dims,
                                         double us)
{
	struct advice_step *step = advice_step_new();

	advice_step_begin(step, "aten::repeat", "[[32768, 512], []]", "[" BF16 ", \"ScalarList\"]",
	                  NULL);
	advice_step_begin(step, "aten::copy_", "[[14, 32768, 512], [14, 32768, 512], []]",
	                  "[" BF16 ", " BF16 ", \"Scalar\"]", NULL);
	advice_step_strides(step, "[[16777216, 512, 1], [0, 512, 1], []]");
	advice_step_kernel(step, DIRECT, 580, 1000);
	advice_step_end(step);
	advice_step_end(step);
	advice_step_op(step, op, dims, TWO, kernel, us);
	advice_step_wait(step);
	return result_of(step, weir_fix_avoid_copies);
}

static void what_reads_elements_once_has_its_other_work(void **state)
{
	static const char pair[] = "[[14, 32768, 512], [14, 32768, 512]]";
	static const char matrices[] = "[[14, 32768, 512], [14, 512, 512]]";
	struct advice_result result = repeated_for("aten::mul", STREAMING, pair, 470);

	(void)state;
	/* 235 million elements by index, 0.343 a ps. */
	assert_near(result.after_us, 684, 0.03);
	/* A kernel that computes places already is no slower. */
	result = repeated_for("aten::mul", "elementwise_kernel", pair, 700);
	assert_near(result.after_us, 684, 0.03);
	result = repeated_for("aten::mul", "elementwise_kernel", pair, 600);
	assert_near(result.after_us, 600, 0.03);
	/* 240 GFLOP take 400 us at 0.6 of 989 TFLOP/s. */
	result = repeated_for("aten::bmm", "nvjet_gemm", matrices, 450);
	assert_true(result.after_us > 300 && result.after_us <= 460);
}

/* Repeats each head of a cache four times, by an index. */
static void repeated_heads_are_read_once(void **state)
{
	static const char cache[] = "[[8, 8, 8192, 128], [], []]";
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	advice_step_begin(step, "aten::repeat_interleave", cache,
	                  "[" BF16 ", \"Scalar\", \"Scalar\"]", "[\"\", \"4\", \"1\"]");
	advice_step_op(step, "aten::index_select", "[[8, 8, 8192, 128], [], [32]]",
	               "[" BF16 ", \"Scalar\", \"long int\"]", "indexSelectLargeIndex", 250);
	advice_step_end(step);
	advice_step_op(step, "aten::sum", "[[8, 32, 8192, 128]]", ONE, "reduce_kernel", 185);
	advice_step_wait(step);
	result = result_of(step, weir_fix_avoid_copies);
	assert_true(result.found);
	/* Three quarters of the 537 MB are not read. */
	assert_near(result.before_us - result.after_us, 250 + 0.75 * 185, 0.05);
}

static void a_copy_into_a_tensor_that_exists_is_no_layout_copy(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	advice_step_op(step, "aten::copy_", "[" TENSOR ", " TENSOR ", []]",
	               "[" BF16 ", " BF16 ", \"Scalar\"]", DIRECT, 400);
	pointwise(step, "aten::silu", STREAM_US);
	advice_step_wait(step);
	assert_false(result_of(step, weir_fix_avoid_copies).found);
}

/* Joins a cache with new rows, for keys and values. */
static struct advice_step *caches(const char *dims)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 2; i++)
		advice_step_op(step, "aten::cat", dims, "[\"TensorList\", \"Scalar\"]",
		               "CatArrayBatchedCopy", 200);
	advice_step_wait(step);
	return step;
}

static void a_cache_that_grows_is_written_in_place(void **state)
{
	struct advice_result result;

	(void)state;
	result = result_of(caches("[[[8, 16, 1023, 128], [8, 16, 1, 128]], []]"),
	                   weir_fix_avoid_copies);
	assert_true(result.found);
	/* The views of the new rows and of all rows take the host 6 us for each cache. */
	assert_near(result.before_us - result.after_us, 2 * (200 - 2) - 2 * 6, 0.005);
}

/* Joins the newest row to a part of the rows before it. */
static bool window_moves(const char *sliced)
{
	struct advice_step *step = advice_step_new();

	advice_step_view(step, "aten::slice", sliced,
	                 "[" BF16 ", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]",
	                 "[\"\", \"1\", \"1\", \"9223372036854775807\", \"1\"]");
	advice_step_op(step, "aten::cat", "[[[512, 255, 256], [512, 1, 256]], []]",
	               "[\"TensorList\", \"Scalar\"]", "CatArrayBatchedCopy", 200);
	advice_step_wait(step);
	return result_of(step, weir_fix_avoid_copies).found;
}

static void one_window_that_moves_is_written_in_place(void **state)
{
	(void)state;
	assert_true(window_moves("[[512, 256, 256], [], [], [], []]"));
	assert_false(window_moves("[[512, 300, 256], [], [], [], []]"));
}

static void two_halves_are_joined_by_need(void **state)
{
	(void)state;
	assert_true(result_of(caches("[[[8, 16, 1024, 128], [8, 16, 128, 128]], []]"),
	                      weir_fix_avoid_copies)
	                    .found);
	assert_false(result_of(caches("[[[8, 16, 1024, 128], [8, 16, 129, 128]], []]"),
	                       weir_fix_avoid_copies)
	                     .found);
	assert_false(result_of(caches("[[[8, 16, 1, 128], [8, 16, 1024, 128]], []]"),
	                       weir_fix_avoid_copies)
	                     .found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_copies_that_undo_each_other_go),
		cmocka_unit_test(a_product_takes_a_transposed_matrix),
		cmocka_unit_test(a_product_takes_a_matrix_whose_last_dimensions_are_exchanged),
		cmocka_unit_test(a_change_of_type_is_no_layout_copy),
		cmocka_unit_test(a_change_of_type_stays_where_another_copy_goes),
		cmocka_unit_test(a_layout_copy_inside_a_product_is_not_the_programs),
		cmocka_unit_test(a_product_needs_other_dimensions_in_order),
		cmocka_unit_test(a_product_takes_any_stride_between_its_matrices),
		cmocka_unit_test(a_product_writes_its_matrices_beside_each_other),
		cmocka_unit_test(a_reduction_reads_windows_from_their_source),
		cmocka_unit_test(a_reduction_takes_any_order_but_a_norm_does_not),
		cmocka_unit_test(the_operands_of_an_outer_product_are_turned_instead),
		cmocka_unit_test(the_last_copy_of_a_step_may_be_its_result),
		cmocka_unit_test(sister_copies_do_not_undo_each_other),
		cmocka_unit_test(attention_writes_its_result_in_the_order_of_the_queries),
		cmocka_unit_test(a_clone_protects_from_changes_in_place),
		cmocka_unit_test(clones_for_several_readers_go),
		cmocka_unit_test(formats_of_memory_that_are_brought_back_need_no_copies),
		cmocka_unit_test(weights_are_put_in_the_order_of_columns),
		cmocka_unit_test(weights_are_put_in_the_order_of_an_index),
		cmocka_unit_test(weights_are_multiplied_with_each_transposed_matrix),
		cmocka_unit_test(what_reads_elements_once_has_its_other_work),
		cmocka_unit_test(repeated_heads_are_read_once),
		cmocka_unit_test(a_copy_into_a_tensor_that_exists_is_no_layout_copy),
		cmocka_unit_test(a_cache_that_grows_is_written_in_place),
		cmocka_unit_test(one_window_that_moves_is_written_in_place),
		cmocka_unit_test(two_halves_are_joined_by_need),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
