/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies that another operator makes needless: unfolded windows in front of a product, borders in
 * front of a convolution, and caches of attention in another order of their rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define HALF "\"c10::Half\""

static struct advice_result result_of(struct advice_step *step)
{
	struct advice_result result;

	advice_step_wait(step);
	advice_step_apply(step, weir_fix_avoid_copies, &result);
	return result;
}

/* ---- windows ---- */

#define MATRIX    "[32, 1600, 3136]" /* of 5 x 5 windows with stride 2 and padding 2 */
#define UNFOLD_US 500.0
#define COPY_US   34.1 /* of 51 MB to and fro at 3.0 TB/s */

struct windows {
	const char *scalars; /* of the unfolding */
	const char *reader;  /* NULL: none between it and the product */
	const char *matrix;  /* that the product reads */
	const char *kernel;  /* of the product */
};

static struct advice_result unfolded(const struct windows *windows)
{
	struct advice_step *step = advice_step_new();
	char dims[96];

	advice_step_begin(step, "aten::im2col", "[[32, 64, 112, 112], [], [], [], []]",
	                  "[" HALF
	                  ", \"ScalarList\", \"ScalarList\", \"ScalarList\", \"ScalarList\"]",
	                  windows->scalars);
	for (int sample = 0; sample < 4; sample++)
		advice_step_kernel(step, "void at::native::im2col_kernel<c10::Half>", UNFOLD_US / 4,
		                   196);
	advice_step_end(step);
	if (windows->reader)
		advice_step_op(step, windows->reader, "[" MATRIX "]", "[" HALF "]",
		               "vectorized_elementwise_kernel", 200);
	snprintf(dims, sizeof dims, "[%s, [32, 1600, 384]]", windows->matrix);
	advice_step_op(step, "aten::bmm", dims, "[" HALF ", " HALF "]", windows->kernel, 190);
	return result_of(step);
}

#define FIVES "[\"\", \"[5, 5]\", \"[1, 1]\", \"[2, 2]\", \"[2, 2]\"]"

static void a_product_with_unfolded_windows_is_a_convolution(void **state)
{
	static const struct windows turned = {FIVES, NULL, "[32, 3136, 1600]", "nvjet_gemm"},
				    joined = {FIVES, NULL, "[100352, 1600]", "nvjet_gemm"},
				    straight = {FIVES, NULL, MATRIX, "nvjet_gemm"};
	struct advice_result result = unfolded(&turned);

	(void)state;
	assert_true(result.found);
	assert_near(result.before_us - result.after_us, UNFOLD_US - COPY_US, 0.05);
	assert_near(result.high_us - result.after_us, 95, 0.1);
	assert_true(unfolded(&joined).found);
	assert_true(unfolded(&straight).found);
}

static void windows_that_others_read_stay_unfolded(void **state)
{
	static const struct windows cases[] = {
		{FIVES, "aten::amax", "[32, 3136, 1600]", "nvjet_gemm"},
		{FIVES, NULL, "[32, 3136, 1599]", "nvjet_gemm"},
		{FIVES, NULL, "[32, 3136, 1600]", "vectorized_elementwise_kernel"},
		{"[\"\", \"[5, 5]\", \"[1, 1]\", \"[2, 2]\", \"[0, 2]\"]", NULL, "[32, 3136, 1600]",
	         "nvjet_gemm"},
		{NULL, NULL, "[32, 3136, 1600]", "nvjet_gemm"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_false(unfolded(&cases[i]).found);
}

/* ---- borders ---- */

/* Copies a tensor with a border for a reader of these dimensions; `then` reads the copy as well. */
static struct advice_result padded(const char *scalars, const char *op, const char *read,
                                   const char *then)
{
	static const char inside[] = "[[32, 64, 256, 256], [32, 64, 256, 256], []]";
	struct advice_step *step = advice_step_new();
	char dims[96];

	advice_step_begin(step, "aten::constant_pad_nd", "[[32, 64, 256, 256], [], []]",
	                  "[" HALF ", \"ScalarList\", \"Scalar\"]", scalars);
	advice_step_op(step, "aten::fill_", "[[32, 64, 258, 258], []]", "[" HALF ", \"Scalar\"]",
	               "vectorized_elementwise_kernel", 82);
	advice_step_op(step, "aten::copy_", inside, "[" HALF ", " HALF ", \"Scalar\"]",
	               "elementwise_kernel", 356);
	advice_step_end(step);
	snprintf(dims, sizeof dims, "[%s, [64, 64, 3, 3]]", read);
	advice_step_op(step, op, dims, "[" HALF ", " HALF "]", "implicit_gemm", 327);
	if (then)
		advice_step_op(step, then, "[[32, 64, 258, 258]]", "[" HALF "]",
		               "vectorized_elementwise_kernel", 180);
	return result_of(step);
}

#define CONVOLUTION "aten::cudnn_convolution"
#define BORDERED    "[32, 64, 258, 258]"

static void a_convolution_pads_its_input_itself(void **state)
{
	static const char ones[] = "[\"\", \"[1, 1, 1, 1]\", \"0.\"]";
	struct advice_result result = padded(ones, CONVOLUTION, BORDERED, NULL);

	(void)state;
	assert_true(result.found);
	assert_near(result.before_us - result.after_us, 82 + 356, 0.02);
	assert_false(padded(ones, CONVOLUTION, "[32, 64, 257, 258]", NULL).found);
	assert_false(padded(ones, "aten::cudnn_convolution_transpose", BORDERED, NULL).found);
	assert_false(padded(ones, "aten::max_pool2d_with_indices", BORDERED, NULL).found);
	assert_false(padded(ones, CONVOLUTION, BORDERED, "aten::relu").found);
}

static void a_convolution_has_no_other_borders(void **state)
{
	static const char *const scalars[] = {
		"[\"\", \"[1, 1, 1, 1]\", \"1.\"]",       "[\"\", \"[2, 0, 1, 1]\", \"0.\"]",
		"[\"\", \"[1, 1, 1]\", \"0.\"]",          "[\"\", \"[-1, -1, 1, 1]\", \"0.\"]",
		"[\"\", \"[1, 1, 1, 1, 1, 1]\", \"0.\"]", "[\"\", \"[0, 0]\", \"0.\"]",
		"[\"\", \"[1, 1, 1, 1\", \"0.\"]",        NULL,
	};

	(void)state;
	for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
		assert_false(padded(scalars[i], CONVOLUTION, BORDERED, NULL).found);
}

/* ---- caches ---- */

#define GATHER_US 600.0

struct caches {
	int count;
	const char *index;    /* of index_select */
	const char *attended; /* keys */
	const char *reader;
};

/* Reads caches in another order of their rows, after rows of the dimensions `written` were copied
 * to one of them; NULL: none were. */
static struct advice_result reordered_after(const struct caches *caches, const char *written)
{
	struct advice_step *step = advice_step_new();
	char moved[96], read[96];

	if (written)
		advice_step_op(step, "aten::copy_", written, "[" HALF ", " HALF ", \"Scalar\"]",
		               "elementwise_kernel", 2);
	snprintf(moved, sizeof moved, "[[64, 16, 8256, 64], [], %s]", caches->index);
	for (int i = 0; i < caches->count; i++) {
		advice_step_begin(step, "aten::index_select", moved,
		                  "[" HALF ", \"Scalar\", \"long int\"]", "[\"\", \"0\", \"\"]");
		advice_step_kernel(step, "indexSelectLargeIndex<c10::Half>", GATHER_US, 4096);
		advice_step_end(step);
	}
	snprintf(read, sizeof read, "[[64, 16, 1, 64], %s, %s]", caches->attended,
	         caches->attended);
	advice_step_op(step, caches->reader, read, "[" HALF ", " HALF ", " HALF "]",
	               "reading_kernel", 700);
	return result_of(step);
}

#define ROWS "[[64, 16, 64], [64, 16, 64], []]"

static struct advice_result reordered(const struct caches *caches)
{
	return reordered_after(caches, ROWS);
}

#define ATTENTION "aten::_scaled_dot_product_cudnn_attention"

static void caches_in_another_order_are_not_copied(void **state)
{
	static const struct caches most = {2, "[64]", "[64, 16, 8225, 64]", ATTENTION},
				   half = {2, "[64]", "[64, 16, 4128, 64]", ATTENTION};
	struct advice_result result = reordered(&most);

	(void)state;
	assert_true(result.found);
	assert_near(result.before_us - result.after_us, 2 * (GATHER_US - 2), 0.01);
	assert_near(result.high_us - result.after_us, 2 * (GATHER_US / 4 - 2), 0.02);
	assert_true(reordered(&half).found);
}

static void caches_that_are_only_read_keep_their_order(void **state)
{
	static const struct caches caches = {2, "[64]", "[64, 16, 8256, 64]", ATTENTION};
	struct advice_result result = reordered_after(&caches, NULL);

	(void)state;
	assert_true(result.found);
	/* Two operators of 6 us reorder the queries and the results. */
	assert_near(result.before_us - result.after_us, 2 * GATHER_US - 2 * 6, 0.002);
	assert_near(result.high_us, result.after_us, 0.2);
	/* A step that writes to other tensors changes no cache. */
	result = reordered_after(&caches, "[[32, 16, 64], [32, 16, 64], []]");
	assert_near(result.before_us - result.after_us, 2 * GATHER_US - 2 * 6, 0.002);
	result = reordered_after(&caches, ROWS);
	assert_near(result.before_us - result.after_us, 2 * (GATHER_US - 2), 0.002);
}

static void other_rows_are_copied(void **state)
{
	static const struct caches cases[] = {
		{1, "[64]", "[64, 16, 8225, 64]", ATTENTION},
		{2, "[63]", "[64, 16, 8225, 64]", ATTENTION},
		{2, "[64]", "[64, 16, 4127, 64]", ATTENTION},
		{2, "[64]", "[32, 16, 8225, 64]", ATTENTION},
		{2, "[64]", "[64, 16, 8225, 64]", "aten::cdist"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_false(reordered(&cases[i]).found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_product_with_unfolded_windows_is_a_convolution),
		cmocka_unit_test(windows_that_others_read_stay_unfolded),
		cmocka_unit_test(a_convolution_pads_its_input_itself),
		cmocka_unit_test(a_convolution_has_no_other_borders),
		cmocka_unit_test(caches_in_another_order_are_not_copied),
		cmocka_unit_test(caches_that_are_only_read_keep_their_order),
		cmocka_unit_test(other_rows_are_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
