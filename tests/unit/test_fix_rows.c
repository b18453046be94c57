/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows and tensors that are copied beside each other or in another order: sums of stacked tensors,
 * windows of a series, blocks with their neighbours, rows turned around, and rows of zeros. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define HALF      "\"c10::Half\""
#define ONE       "[" HALF "]"
#define TWO       "[" HALF ", " HALF "]"
#define STREAMING "vectorized_elementwise_kernel"
#define JOIN_US   900.0

static struct advice_result result_of(struct advice_step *step)
{
	struct advice_result result;

	advice_step_wait(step);
	advice_step_apply(step, weir_fix_avoid_copies, &result);
	return result;
}

static double saved_us(struct advice_step *step)
{
	struct advice_result result = result_of(step);

	return result.found ? result.before_us - result.after_us : 0;
}

/* ---- stacks ---- */

/* A call that reads four tensors of 32768 x 1024 values, which are joined like this. */
struct stacked {
	const char *joined, *dim; /* sizes of each tensor; arguments of cat() */
	const char *op, *dims, *types, *scalars;
	double us;
};

static double stacked_us(const struct stacked *stacked, const char *then)
{
	struct advice_step *step = advice_step_new();
	char list[160];

	snprintf(list, sizeof list, "[[%s, %s, %s, %s], []]", stacked->joined, stacked->joined,
	         stacked->joined, stacked->joined);
	advice_step_begin(step, "aten::stack", NULL, NULL, NULL);
	advice_step_begin(step, "aten::cat", list, "[\"TensorList\", \"Scalar\"]", stacked->dim);
	advice_step_kernel(step, "CatArrayBatchedCopy", JOIN_US, 1000);
	advice_step_end(step);
	advice_step_end(step);
	advice_step_begin(step, stacked->op, stacked->dims, stacked->types, stacked->scalars);
	advice_step_kernel(step, "reading_kernel", stacked->us, 1000);
	advice_step_end(step);
	if (then)
		advice_step_op(step, then, stacked->dims, stacked->types, STREAMING, 100);
	return saved_us(step);
}

#define TENSOR "[32768, 1024, 1]"
#define LAST   "[\"\", \"-1\"]"
#define ROWS   "[[33554432, 4], [4]]"
#define STACK  "[[32768, 1024, 4], [], []]"
#define SUM    "[" HALF ", \"ScalarList\", \"Scalar\"]"
/* A tensor has 67 MB: 22.3 us at 3.0 TB/s. */
#define PASS_US 22.3

static void stacked_tensors_are_added_one_after_another(void **state)
{
	static const struct stacked weighed = {TENSOR, LAST, "aten::mv", ROWS, TWO, NULL, 200};
	static const struct stacked summed = {
		TENSOR, LAST, "aten::sum", STACK, SUM, "[\"\", \"[-1]\", \"False\"]", 200};

	(void)state;
	/* Each sum of two reads both and writes one; the first tensor is scaled. Three operators
	 * more take the host 6 us each. */
	assert_near(stacked_us(&weighed, NULL), JOIN_US + 200 - (2 + 3 * 3) * PASS_US - 3 * 6,
	            0.01);
	assert_near(stacked_us(&summed, NULL), JOIN_US + 200 - 3 * 3 * PASS_US - 3 * 6, 0.01);
	assert_true(stacked_us(&summed, "aten::abs") == 0);
}

static void other_readers_need_the_stack(void **state)
{
	static const struct stacked others[] = {
		/* along another dimension, of other sizes, with several results */
		{TENSOR, LAST, "aten::sum", STACK, SUM, "[\"\", \"[1]\", \"False\"]", 200},
		{TENSOR, LAST, "aten::sum", STACK, SUM, "[\"\", \"[1, 2]\", \"False\"]", 200},
		{TENSOR, LAST, "aten::cumsum", STACK, SUM, "[\"\", \"-1\", \"\"]", 200},
		{TENSOR, "[\"\", \"1\"]", "aten::mv", ROWS, TWO, NULL, 200},
		{"[32768, 512, 2]", LAST, "aten::mv", ROWS, TWO, NULL, 200},
		{TENSOR, LAST, "aten::mm", "[[33554432, 4], [4, 2]]", TWO, NULL, 200},
		{TENSOR, NULL, "aten::mv", ROWS, TWO, NULL, 200},
	};

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_true(stacked_us(&others[i], NULL) == 0);
}

/* Texts of a step live as long as it does. */
struct texts {
	char dims[64], scalars[64];
};

/* Takes a slice of a tensor along a dimension. */
static void sliced(struct advice_step *step, const char *tensor, int dim, int start,
                   struct texts *texts)
{
	snprintf(texts->dims, sizeof texts->dims, "[%s, [], [], [], []]", tensor);
	snprintf(texts->scalars, sizeof texts->scalars, "[\"\", \"%d\", \"%d\", \"-1\", \"1\"]",
	         dim, start);
	advice_step_view(step, "aten::slice", texts->dims,
	                 "[" HALF ", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]",
	                 texts->scalars);
}

/* Stacks four slices of a series that begin at these places, for a product of this name. */
static double windows_us(const int starts[4], int dim, const char *product)
{
	static const char list[] =
		"[[[512, 65536, 1], [512, 65536, 1], [512, 65536, 1], [512, 65536, 1]], []]";
	struct advice_step *step = advice_step_new();
	struct texts texts[4];

	for (int i = 0; i < 4; i++)
		sliced(step, "[512, 65550]", dim, starts[i], &texts[i]);
	advice_step_begin(step, "aten::cat", list, "[\"TensorList\", \"Scalar\"]", LAST);
	advice_step_kernel(step, "CatArrayBatchedCopy", JOIN_US, 1000);
	advice_step_end(step);
	if (product)
		advice_step_op(step, "aten::addmm", "[[8], [33554432, 4], [4, 8]]",
		               "[" HALF ", " HALF ", " HALF "]", "nvjet_gemm", 400);
	else
		advice_step_op(step, "aten::mm", "[[33554432, 4], [4, 8]]", TWO, "nvjet_gemm", 400);
	return saved_us(step);
}

static void a_product_with_windows_of_a_series_is_a_convolution(void **state)
{
	static const int each[] = {0, 1, 2, 3}, third[] = {0, 3, 6, 9}, uneven[] = {0, 1, 2, 4},
			 back[] = {3, 2, 1, 0}, same[] = {1, 1, 1, 1};

	(void)state;
	assert_near(windows_us(each, 1, NULL), JOIN_US, 0.01);
	assert_near(windows_us(third, 1, NULL), JOIN_US, 0.01);
	/* The bias is added by index to 268 million values, 0.343 a ps. */
	assert_near(windows_us(each, 1, "addmm"), JOIN_US - 782, 0.1);
	assert_true(windows_us(uneven, 1, NULL) == 0);
	assert_true(windows_us(back, 1, NULL) == 0);
	assert_true(windows_us(same, 1, NULL) == 0);
	assert_true(windows_us(each, 0, NULL) == 0);
}

/* Joins each of 1024 blocks with its neighbours along this dimension, for a reader. */
static double blocks_us(const int starts[3], const char *dim, const char *reader)
{
	static const char list[] =
		"[[[1024, 128, 8, 64], [1024, 128, 8, 64], [1024, 128, 8, 64]], []]";
	struct advice_step *step = advice_step_new();
	struct texts texts[3];

	for (int i = 0; i < 3; i++)
		sliced(step, "[1026, 128, 8, 64]", 0, starts[i], &texts[i]);
	advice_step_begin(step, "aten::cat", list, "[\"TensorList\", \"Scalar\"]", dim);
	advice_step_kernel(step, "CatArrayBatchedCopy", JOIN_US, 1000);
	advice_step_end(step);
	advice_step_op(step, reader, "[[1024, 8, 128, 64], [1024, 8, 384, 64], [1024, 8, 384, 64]]",
	               "[" HALF ", " HALF ", " HALF "]", "reading_kernel", 700);
	return saved_us(step);
}

static void attention_reads_blocks_with_their_neighbours_by_strides(void **state)
{
	static const char attention[] = "aten::_scaled_dot_product_cudnn_attention";
	static const int next[] = {0, 1, 2}, second[] = {0, 2, 4};

	(void)state;
	assert_near(blocks_us(next, "[\"\", \"1\"]", attention), JOIN_US, 0.01);
	assert_near(blocks_us(next, "[\"\", \"-3\"]", attention), JOIN_US, 0.01);
	assert_true(blocks_us(second, "[\"\", \"1\"]", attention) == 0);
	assert_true(blocks_us(next, "[\"\", \"2\"]", attention) == 0);
	assert_true(blocks_us(next, "[\"\", \"0\"]", attention) == 0);
	assert_true(blocks_us(next, "[\"\", \"1\"]", "aten::cumsum") == 0);
}

/* ---- rows in another order ---- */

/* Rows that are turned around, an operator on them, and the way back. */
struct turned {
	const char *op, *there, *back; /* flip or roll, and its arguments */
	const char *between, *dims, *types;
	const char *result; /* rows behind it */
};

static void turn(struct advice_step *step, const struct turned *turned, const char *rows,
                 const char *scalars, struct texts *texts)
{
	snprintf(texts->dims, sizeof texts->dims, "[%s, [], []]", rows);
	advice_step_begin(step, turned->op, texts->dims,
	                  "[" HALF ", \"ScalarList\", \"ScalarList\"]", scalars);
	advice_step_kernel(step, "index_elementwise_kernel", 280, 1000);
	advice_step_end(step);
}

static double turned_us(const struct turned *turned, const char *also, const char *kernel)
{
	struct advice_step *step = advice_step_new();
	struct texts texts[2];

	turn(step, turned, "[96, 2048, 512]", turned->there, &texts[0]);
	advice_step_op(step, turned->between, turned->dims, turned->types, STREAMING, 200);
	if (also)
		advice_step_op(step, also, "[[96, 2048, 512]]", ONE, kernel, 200);
	turn(step, turned, turned->result, turned->back, &texts[1]);
	advice_step_op(step, "aten::abs", "[[96, 2048, 256]]", ONE, STREAMING, 100);
	return saved_us(step);
}

#define PRODUCT "aten::mm", "[[196608, 512], [512, 256]]", TWO, "[96, 2048, 256]"
#define FLIP    "[\"\", \"[1]\"]"

static void rows_that_are_taken_alone_need_no_other_order(void **state)
{
	static const struct turned flip = {"aten::flip", FLIP, FLIP, PRODUCT};
	static const struct turned roll = {"aten::roll", "[\"\", \"[3]\", \"[1]\"]",
	                                   "[\"\", \"[-3]\", \"[1]\"]", PRODUCT};
	static const struct turned add = {
		"aten::flip",     FLIP, FLIP, "aten::add", "[[96, 2048, 512], [512]]", TWO,
		"[96, 2048, 512]"};

	(void)state;
	assert_near(turned_us(&flip, NULL, NULL), 2 * 280, 0.01);
	assert_near(turned_us(&flip, "aten::silu", STREAMING), 2 * 280, 0.01);
	assert_near(turned_us(&roll, NULL, NULL), 2 * 280, 0.01);
	assert_near(turned_us(&add, NULL, NULL), 2 * 280, 0.01);
	/* Something reads the rows in their order. */
	assert_true(turned_us(&flip, "aten::cumsum", "scan_kernel") == 0);
}

/* Shifts rows of a picture. */
static void shift(struct advice_step *step, const char *scalars)
{
	advice_step_begin(step, "aten::roll", "[[96, 64, 32, 512], [], []]",
	                  "[" HALF ", \"ScalarList\", \"ScalarList\"]", scalars);
	advice_step_kernel(step, "roll_cuda_kernel", 280, 1000);
	advice_step_end(step);
}

#define SHIFT(by, dim) "[\"\", \"[" by "]\", \"[" dim "]\"]"

/* Two layers that shift in two dimensions, one call each as roll() does, compute and shift back;
 * returns what is saved of 8 shifts. */
static double shifted_us(const char *down, const char *right)
{
	struct advice_step *step = advice_step_new();

	for (int layer = 0; layer < 2; layer++) {
		shift(step, SHIFT("3", "1"));
		shift(step, SHIFT("5", "2"));
		advice_step_op(step, "aten::silu", "[[96, 64, 32, 512]]", ONE, STREAMING, 200);
		shift(step, down);
		shift(step, right);
	}
	advice_step_op(step, "aten::abs", "[[96, 64, 32, 512]]", ONE, STREAMING, 100);
	return saved_us(step);
}

static void shifts_in_two_dimensions_undo_each_other(void **state)
{
	(void)state;
	assert_near(shifted_us(SHIFT("-3", "1"), SHIFT("-5", "2")), 8 * 280, 0.01);
	assert_true(shifted_us(SHIFT("-5", "1"), SHIFT("-3", "2")) == 0);
	assert_true(shifted_us(SHIFT("-3", "1"), SHIFT("5", "2")) == 0);
	assert_true(shifted_us(SHIFT("-3", "1"), SHIFT("-4", "2")) == 0);
}

static void rows_that_meet_others_keep_their_order(void **state)
{
	static const char both[] = "[[96, 2048, 512], [96, 2048, 512]]";
	static const struct turned others[] = {
		{"aten::flip", FLIP, "[\"\", \"[0]\"]", PRODUCT},
		{"aten::flip", "[\"\", \"[2]\"]", "[\"\", \"[2]\"]", PRODUCT},
		{"aten::flip", "[\"\", \"[-1]\"]", "[\"\", \"[-1]\"]", PRODUCT},
		{"aten::roll", "[\"\", \"[3]\", \"[1]\"]", "[\"\", \"[3]\", \"[1]\"]", PRODUCT},
		{"aten::roll", "[\"\", \"[3]\", \"[1]\"]", "[\"\", \"[-2]\", \"[1]\"]", PRODUCT},
		{"aten::flip", FLIP, FLIP, "aten::add", both, TWO, "[96, 2048, 512]"},
		{"aten::flip", FLIP, FLIP, "aten::add", "[[96, 2048, 512], [2048, 1]]", TWO,
	         "[96, 2048, 512]"},
		{"aten::flip", FLIP, FLIP, "aten::mm", "[[512, 196608], [196608, 256]]", TWO,
	         "[96, 2048, 256]"},
		{"aten::flip", FLIP, FLIP, "aten::sum", "[[96, 1048576]]", ONE, "[96, 2048, 512]"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_true(turned_us(&others[i], NULL, NULL) == 0);
}

/* ---- rows of zeros ---- */

/* Adds rows of zeros for a product, and cuts its result. */
struct padded {
	const char *widths; /* of constant_pad_nd */
	const char *op, *dims;
	const char *cut; /* arguments of slice(); NULL: nothing is cut */
};

static double padded_us(const struct padded *padded)
{
	struct advice_step *step = advice_step_new();

	advice_step_begin(step, "aten::constant_pad_nd", "[[380003, 512], [], []]",
	                  "[" HALF ", \"ScalarList\", \"Scalar\"]", padded->widths);
	advice_step_op(step, "aten::fill_", "[[380160, 512]]", ONE, STREAMING, 120);
	advice_step_op(step, "aten::copy_", "[[380003, 512], [380003, 512], []]", TWO,
	               "elementwise_kernel", 260);
	advice_step_end(step);
	advice_step_op(step, padded->op, padded->dims, TWO, "nvjet_gemm", 160);
	if (padded->cut)
		advice_step_view(step, "aten::slice", "[[380160, 96], [], [], [], []]",
		                 "[" HALF ", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]",
		                 padded->cut);
	advice_step_op(step, "aten::abs", "[[380003, 96]]", ONE, STREAMING, 50);
	return saved_us(step);
}

#define BEHIND "[\"\", \"[0, 0, 0, 157]\", \"0.\"]"
#define ALL    "[[380160, 512], [512, 96]]"
#define CUT    "[\"\", \"0\", \"0\", \"380003\", \"1\"]"

static void a_product_takes_any_number_of_rows(void **state)
{
	static const struct padded padded = {BEHIND, "aten::mm", ALL, CUT};
	static const struct padded others[] = {
		{BEHIND, "aten::mm", ALL, NULL}, /* the rows of zeros may be used */
		{BEHIND, "aten::mm", ALL, "[\"\", \"0\", \"0\", \"380004\", \"1\"]"},
		{BEHIND, "aten::mm", ALL, "[\"\", \"0\", \"1\", \"380003\", \"1\"]"},
		{BEHIND, "aten::mm", ALL, "[\"\", \"1\", \"0\", \"380003\", \"1\"]"},
		{"[\"\", \"[0, 0, 157, 0]\", \"0.\"]", "aten::mm", ALL, CUT},
		{"[\"\", \"[0, 0, 0, 157]\", \"1.\"]", "aten::mm", ALL, CUT},
		{"[\"\", \"[0, 0, 0, -157]\", \"0.\"]", "aten::mm", ALL, CUT},
		{"[\"\", \"[0, 0, 0, 0]\", \"0.\"]", "aten::mm", ALL, CUT},
		{"[\"\", \"[0, 8, 0, 157]\", \"0.\"]", "aten::mm", ALL, CUT},
		{BEHIND, "aten::mm", "[[512, 380160], [380160, 96]]", CUT},
		{BEHIND, "aten::cumsum", ALL, CUT},
	};

	(void)state;
	assert_near(padded_us(&padded), 120 + 260, 0.01);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_true(padded_us(&others[i]) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacked_tensors_are_added_one_after_another),
		cmocka_unit_test(other_readers_need_the_stack),
		cmocka_unit_test(a_product_with_windows_of_a_series_is_a_convolution),
		cmocka_unit_test(attention_reads_blocks_with_their_neighbours_by_strides),
		cmocka_unit_test(rows_that_are_taken_alone_need_no_other_order),
		cmocka_unit_test(shifts_in_two_dimensions_undo_each_other),
		cmocka_unit_test(rows_that_meet_others_keep_their_order),
		cmocka_unit_test(a_product_takes_any_number_of_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
