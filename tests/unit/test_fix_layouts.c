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
		cmocka_unit_test(repeated_heads_are_read_once),
		cmocka_unit_test(a_copy_into_a_tensor_that_exists_is_no_layout_copy),
		cmocka_unit_test(a_cache_that_grows_is_written_in_place),
		cmocka_unit_test(one_window_that_moves_is_written_in_place),
		cmocka_unit_test(two_halves_are_joined_by_need),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
