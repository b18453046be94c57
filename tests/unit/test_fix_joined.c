/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies around products and attention: rows in another order, packed heads, joined and repeated
 * rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define BF16     "\"c10::BFloat16\""
#define TWO      "[" BF16 ", " BF16 "]"
#define THREE    "[" BF16 ", " BF16 ", " BF16 "]"
#define DIRECT   "elementwise_kernel direct_copy_kernel_cuda"
#define COPY_US  183.0
#define CLOSE_US 0.2

static struct advice_result avoid(struct advice_step *step)
{
	struct advice_result result;

	advice_step_apply(step, weir_fix_avoid_copies, &result);
	return result;
}

/* Permutes a tensor and copies it; to: the shape of the copy. */
static void permuted(struct advice_step *step, const char *from, const char *order, const char *to,
                     double us)
{
	static char view[96], dims[160];

	snprintf(view, sizeof view, "[%s, []]", from);
	advice_step_view(step, "aten::permute", view, "[" BF16 ", \"ScalarList\"]", order);
	advice_step_begin(step, "aten::contiguous", view, "[" BF16 ", \"Scalar\"]", NULL);
	snprintf(dims, sizeof dims, "[%s, %s, []]", to, to);
	advice_step_op(step, "aten::copy_", dims, "[" BF16 ", " BF16 ", \"Scalar\"]", DIRECT, us);
	advice_step_end(step);
}

/* Queries, keys and values in one tensor, copied with the heads in front; each has `length` rows.
 */
static struct advice_result packed(const char *reader, int length)
{
	struct advice_step *step = advice_step_new();
	static char dims[160];

	permuted(step, "[1024, 64, 3, 16, 64]", "[\"\", \"[2, 0, 3, 1, 4]\"]",
	         "[3, 1024, 16, 64, 64]", 3 * COPY_US);
	snprintf(dims, sizeof dims, "[[1024, 16, %d, 64], [1024, 16, %d, 64], [1024, 16, %d, 64]]",
	         length, length, length);
	advice_step_op(step, reader, dims, THREE, "kernel of the reader", 265);
	advice_step_wait(step);
	return avoid(step);
}

static void attention_takes_packed_heads_without_a_copy(void **state)
{
	struct advice_result result = packed("aten::_cudnn_attention_forward", 64);

	(void)state;
	assert_true(result.found);
	assert_near(result.before_us - result.after_us, 3 * COPY_US, CLOSE_US);
	assert_false(packed("aten::_cudnn_attention_forward", 32).found); /* another tensor */
	assert_false(packed("aten::cumsum", 64).found);
}

/* Puts rows in another order, multiplies them, and calls the reader with parts of the result.
 * Another reader, if any, comes first, and takes the whole result. */
static struct advice_result reordered_for(const char *from, const char *order, const char *first,
                                          const char *reader)
{
	struct advice_step *step = advice_step_new();

	permuted(step, from, order, "[1024, 64, 1024]", COPY_US);
	advice_step_op(step, "aten::mm", "[[65536, 1024], [1024, 3072]]", TWO, "nvjet_gemm", 550);
	if (first)
		advice_step_op(step, first, "[[65536, 3072], [65536, 3072], []]",
		               "[\"float\", " BF16 ", \"Scalar\"]", DIRECT, 180);
	advice_step_op(step, reader, "[[1024, 16, 64, 64], [1024, 16, 64, 64], [1024, 16, 64, 64]]",
	               THREE, "kernel of the reader", 265);
	advice_step_wait(step);
	return avoid(step);
}

static struct advice_result reordered(const char *from, const char *order, const char *reader)
{
	return reordered_for(from, order, NULL, reader);
}

static void a_product_before_attention_takes_rows_in_any_order(void **state)
{
	static const char rows[] = "[64, 1024, 1024]", order[] = "[\"\", \"[1, 0, 2]\"]";
	static const char attention[] = "aten::_cudnn_attention_forward";
	struct advice_result result = reordered(rows, order, attention);

	(void)state;
	assert_true(result.found);
	assert_near(result.before_us - result.after_us, COPY_US, CLOSE_US);
	assert_false(reordered(rows, order, "aten::cumsum").found);
	/* A copy in another type has the rows in their order as well. */
	assert_false(reordered_for(rows, order, "aten::copy_", attention).found);
	/* Each row is put together of several; transposed matrices are multiplied one by one. */
	assert_true(reordered("[1024, 1024, 64]", "[\"\", \"[0, 2, 1]\"]", attention).found);
	assert_false(reordered("[1024, 1024, 64]", "[\"\", \"[1, 2, 0]\"]", attention).found);
}

/* Returns what avoid-copies finds if the transposed copy of a product's result is summed along its
 * rows, which need their elements one behind the other. */
static struct advice_result turned(const char *op, const char *dims, const char *between)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, op, dims, TWO, "nvjet_gemm", 550);
	if (between)
		advice_step_op(step, "aten::between", "[[64, 1024, 2048]]", "[" BF16 "]", between,
		               180);
	permuted(step, "[64, 1024, 2048]", "[\"\", \"[0, 2, 1]\"]", "[64, 2048, 1024]", COPY_US);
	advice_step_op(step, "aten::cumsum", "[[64, 2048, 1024]]", "[" BF16 "]",
	               "kernel of the reader", 180);
	advice_step_wait(step);
	return avoid(step);
}

static void a_product_writes_its_result_transposed(void **state)
{
	static const char product[] = "[[64, 1024, 512], [64, 512, 2048]]";
	struct advice_result result = turned("aten::bmm", product, NULL);

	(void)state;
	assert_true(result.found);
	assert_near(result.before_us - result.after_us, COPY_US, CLOSE_US);
	/* A pointwise operator takes any order, a reader of rows does not. */
	assert_true(turned("aten::bmm", product, "vectorized_elementwise_kernel").found);
	assert_false(turned("aten::bmm", product, "kernel of the reader").found);
	/* The result of no product, and of one with other rows and columns. */
	assert_false(turned("aten::add", "[[64, 1024, 2048], [64, 1024, 2048]]", NULL).found);
	assert_false(turned("aten::bmm", "[[64, 2048, 512], [64, 512, 1024]]", NULL).found);
}

/* Returns true if a product of such factors takes a matrix of [16384, 4096] that is copied
 * transposed before it. */
static bool takes_source(const char *factors)
{
	struct advice_step *step = advice_step_new();

	permuted(step, "[16384, 4096]", "[\"\", \"[1, 0]\"]", "[4096, 16384]", COPY_US);
	advice_step_op(step, "aten::mm", factors, TWO, "nvjet_gemm", 550);
	advice_step_wait(step);
	return avoid(step).found;
}

/* A layer reads its weights exchanged once more. */
static void a_product_takes_a_transposed_matrix_either_way(void **state)
{
	(void)state;
	assert_true(takes_source("[[192, 4096], [4096, 16384]]"));
	assert_true(takes_source("[[192, 16384], [16384, 4096]]"));
	assert_false(takes_source("[[192, 8192], [8192, 8192]]"));
}

/* Copies a permuted tensor of 67 million elements, and adds another one to it, or negates it. */
static struct advice_result added(const char *op, const char *dims, const char *types)
{
	struct advice_step *step = advice_step_new();

	permuted(step, "[1024, 64, 1024]", "[\"\", \"[1, 0, 2]\"]", "[64, 1024, 1024]", COPY_US);
	advice_step_op(step, op, dims, types, "vectorized_elementwise_kernel", 131);
	advice_step_wait(step);
	return avoid(step);
}

static void a_sum_of_two_layouts_computes_each_place(void **state)
{
	struct advice_result sum = added("aten::add", "[[64, 1024, 1024], [64, 1024, 1024]]", TWO);
	struct advice_result one = added("aten::neg", "[[64, 1024, 1024]]", "[" BF16 "]");

	(void)state;
	assert_true(sum.found && one.found);
	/* 67.1 million elements at 132 times 2.6e9 a second take 195.5 us. */
	assert_near(sum.before_us - sum.after_us, COPY_US - (195.5 - 131), CLOSE_US);
	assert_near(one.before_us - one.after_us, COPY_US, CLOSE_US);
}

/* ---- products of joined tensors ---- */

/* Repeats rows in a copy. */
static void repeated(struct advice_step *step, const char *dims, const char *copy)
{
	advice_step_begin(step, "aten::repeat_interleave", dims,
	                  "[" BF16 ", \"Scalar\", \"Scalar\"]", "[\"\", \"200\", \"0\"]");
	advice_step_op(step, "aten::index_select", copy, "[" BF16 ", \"Scalar\", \"long int\"]",
	               "indexSelectLargeIndex", 228);
	advice_step_end(step);
}

/* Joins repeated rows of users with those of items, and multiplies them; `reader` reads as many
 * elements as the repeated rows have. */
static struct advice_result ranked(const char *joined, const char *matrix, const char *reader)
{
	struct advice_step *step = advice_step_new();
	static char dims[96];

	repeated(step, "[[512, 1024], [], []]", "[[512, 1024], [], [102400]]");
	advice_step_op(step, "aten::cat", joined, "[\"TensorList\", \"Scalar\"]",
	               "CatArrayBatchedCopy", 164);
	snprintf(dims, sizeof dims, "[%s, [1152, 512]]", matrix);
	advice_step_op(step, "aten::mm", dims, TWO, "nvjet_gemm", 167);
	if (reader)
		advice_step_op(step, reader, "[[102400, 1024], [102400, 1024]]", TWO,
		               "vectorized_elementwise_kernel", 210);
	advice_step_wait(step);
	return avoid(step);
}

static void the_product_of_repeated_rows_is_repeated_instead(void **state)
{
	static const char joined[] = "[[[102400, 1024], [102400, 128]], []]",
			  matrix[] = "[102400, 1152]";
	struct advice_result result = ranked(joined, matrix, NULL);

	(void)state;
	assert_true(result.found);
	/* The items' product moves 131 MB at 3.015 TB/s in 43.5 us and 3 us around it; the sum of
	 * 52.4 million elements takes 152.8 us, and two short kernels 4 us. */
	assert_near(result.before_us - result.after_us, 228 + 164 + 167 - (46.5 + 152.8 + 4), 0.02);
	/* Something else reads the repeated rows: it takes the source by index, 105 million
	 * elements at 0.343 a ps, and the columns are multiplied apart: 315 MB in 104 us beside 107
	 * GFLOP in 153 us, and 236 MB in 78 us. */
	result = ranked(joined, matrix, "aten::mul");
	assert_near(result.before_us - result.after_us,
	            228 + 210 - 305.5 + 164 + 167 - (161 + 79 + 2 * 3 + 6), 0.03);
	/* No tensor has their size, or the joined tensors are not the columns of the matrix. */
	assert_false(ranked("[[[102400, 1023], [102400, 129]], []]", matrix, NULL).found);
	assert_false(ranked("[[[102400, 1024], [102399, 128]], []]", matrix, NULL).found);
	assert_false(ranked(joined, "[51200, 2304]", NULL).found);
}

/* Joins rows for all pairs, of which one or two tensors repeat those of nodes, and multiplies them.
 */
static struct advice_result paired(const char *joined, const char *strides, const char *matrix)
{
	struct advice_step *step = advice_step_new();
	static char dims[96];

	advice_step_begin(step, "aten::cat", joined, "[\"TensorList\", \"Scalar\"]", NULL);
	advice_step_strides(step, strides);
	advice_step_kernel(step, "CatArrayBatchedCopy", 900, 264);
	advice_step_end(step);
	snprintf(dims, sizeof dims, "[%s, [576, 64]]", matrix);
	advice_step_op(step, "aten::mm", dims, TWO, "nvjet_gemm", 270);
	advice_step_wait(step);
	return avoid(step);
}

static void each_repeated_part_is_a_sum_of_its_own(void **state)
{
	static const char rows[] = "[589824, 576]";
	struct advice_result two =
		paired("[[[768, 768, 256], [768, 768, 256], [768, 768, 64]], []]",
	               "[[[256, 0, 1], [0, 256, 1], [49152, 64, 1]], []]", rows);
	struct advice_result one = paired("[[[768, 768, 512], [768, 768, 64]], []]",
	                                  "[[[512, 0, 1], [49152, 64, 1]], []]", rows);
	struct advice_result all = paired("[[[768, 768, 512], [768, 768, 64]], []]",
	                                  "[[[512, 0, 1], [0, 64, 1]], []]", rows);

	(void)state;
	assert_true(two.found && one.found && all.found);
	/* 37.7 million elements at 132 times 2.6e9 a second take 110 us for each sum; the product
	 * of the rest moves 151 MB, in 50 us and 3 us around it. */
	assert_near(two.after_us - one.after_us, 110, 0.03);
	assert_near(one.after_us - all.after_us, 53, 0.05);
}

/* ---- products of joined columns ---- */

/* Joins the columns of tensors, and multiplies the matrix in `us`; `reader` reads it as well. */
static struct advice_result divided(const char *joined, const char *product, double us,
                                    const char *reader)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, "aten::cat", joined, "[\"TensorList\", \"Scalar\"]",
	               "CatArrayBatchedCopy", 281);
	advice_step_op(step, "aten::addmm", product, THREE, "nvjet_gemm", us);
	if (reader)
		advice_step_op(step, reader, "[[131072, 1536]]", "[" BF16 "]",
		               "vectorized_elementwise_kernel", 150);
	advice_step_wait(step);
	return avoid(step);
}

static void the_product_of_joined_columns_is_divided(void **state)
{
	static const char joined[] = "[[[131072, 512], [131072, 512], [131072, 512]], []]";
	static const char product[] = "[[256], [131072, 1536], [1536, 256]]";
	struct advice_result result = divided(joined, product, 170, NULL);

	(void)state;
	assert_true(result.found);
	/* The first part moves 201 MB in 67 us, the others 269 MB in 89 us, which their 34 GFLOP
	 * lengthen by 5 and 3 us; each takes 3 us more, and the host launches two more operators.
	 */
	assert_near(result.before_us - result.after_us,
	            281 + 170 - (67 + 5 + 2 * (89 + 3) + 3 * 3 + 2 * 6), 0.03);
	/* At best what wrote the tensors writes them beside each other. */
	assert_near(result.after_us - result.low_us, 264 - 170, 0.05);
	/* Another reader needs the matrix. */
	assert_false(divided(joined, product, 170, "aten::relu").found);
	/* The tensors lie below each other, or are parts of another matrix. */
	assert_false(divided("[[[65536, 1536], [65536, 1536]], []]", product, 170, NULL).found);
	assert_false(divided("[[[131072, 512], [131072, 512]], []]", product, 170, NULL).found);
	/* The results of eight parts are read and written more often than that saves. */
	assert_false(
		divided("[[[131072, 192], [131072, 192], [131072, 192], [131072, 192], [131072,"
	                " 192], [131072, 192], [131072, 192], [131072, 192]], []]",
	                "[[2048], [131072, 1536], [1536, 2048]]", 1300, NULL)
			.found);
	assert_false(divided("[[[131072, 1536]], []]", product, 170, NULL).found);
	/* Rows of 513 and 1023 numbers do not begin at multiples of 16 bytes. */
	assert_false(divided("[[[131072, 513], [131072, 1023]], []]", product, 170, NULL).found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(attention_takes_packed_heads_without_a_copy),
		cmocka_unit_test(a_product_before_attention_takes_rows_in_any_order),
		cmocka_unit_test(a_product_writes_its_result_transposed),
		cmocka_unit_test(a_product_takes_a_transposed_matrix_either_way),
		cmocka_unit_test(a_sum_of_two_layouts_computes_each_place),
		cmocka_unit_test(the_product_of_repeated_rows_is_repeated_instead),
		cmocka_unit_test(each_repeated_part_is_a_sum_of_its_own),
		cmocka_unit_test(the_product_of_joined_columns_is_divided),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
