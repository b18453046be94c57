/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/roofline/shapes.h"
#include "tests/unit/near.h"

#define BF16  "c10::BFloat16"
#define EXACT 1e-15

static struct weir_work work_of(const char *op, const char *dims, const char *types,
                                const char *scalars)
{
	const struct weir_call call = {.op = op, .dims = dims, .types = types, .scalars = scalars};

	return weir_work_of_call(&call);
}

struct expected {
	const char *op, *dims, *types, *scalars;
	double flops, bytes;
};

static void check(const struct expected *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct weir_work work =
			work_of(rows[i].op, rows[i].dims, rows[i].types, rows[i].scalars);

		if (work.flops != rows[i].flops || work.bytes != rows[i].bytes)
			print_error("%s %s\n", rows[i].op, rows[i].dims);
		assert_near(work.flops, rows[i].flops, EXACT);
		assert_near(work.bytes, rows[i].bytes, EXACT);
		assert_int_not_equal(work.confidence, WEIR_MODEL_NONE);
	}
}

#define CHECK(rows) check(rows, sizeof(rows) / sizeof((rows)[0]))
#define TWO         "[\"" BF16 "\", \"" BF16 "\"]"
#define THREE       "[\"" BF16 "\", \"" BF16 "\", \"" BF16 "\", \"Scalar\", \"Scalar\"]"

static void a_matrix_product_costs_two_m_n_k(void **state)
{
	static const struct expected rows[] = {
		{"aten::mm", "[[64, 32], [32, 16]]", TWO, NULL, 2. * 64 * 32 * 16,
	         2. * (64 * 32 + 32 * 16 + 64 * 16)},
		{"aten::mm", "[[64, 32], [32, 16]]", "[\"float\", \"float\"]", NULL,
	         2. * 64 * 32 * 16, 4. * (64 * 32 + 32 * 16 + 64 * 16)},
		{"aten::bmm", "[[8, 64, 32], [8, 32, 16]]", TWO, NULL, 8 * 2. * 64 * 32 * 16,
	         8 * 2. * (64 * 32 + 32 * 16 + 64 * 16)},
		/* The bias is counted by its own size, and adds one operation an element of the
	           result. */
		{"aten::addmm", "[[16], [64, 32], [32, 16], [], []]", THREE, NULL,
	         2. * 64 * 32 * 16 + 64 * 16, 2. * (16 + 64 * 32 + 32 * 16 + 64 * 16)},
		{"aten::addmm", "[[64, 16], [64, 32], [32, 16], [], []]", THREE, NULL,
	         2. * 64 * 32 * 16 + 64 * 16, 2. * (64 * 16 + 64 * 32 + 32 * 16 + 64 * 16)},
		{"aten::_addmm_activation", "[[16], [64, 32], [32, 16], [], []]", THREE, NULL,
	         2. * 64 * 32 * 16 + 2 * 64 * 16, 2. * (16 + 64 * 32 + 32 * 16 + 64 * 16)},
		{"aten::linear", "[[2, 3, 32], [16, 32], []]", "[\"" BF16 "\", \"" BF16 "\", \"\"]",
	         NULL, 2. * 6 * 32 * 16, 2. * (6 * 32 + 16 * 32 + 6 * 16)},
		{"aten::matmul", "[[5, 1, 4, 8], [7, 8, 2]]", TWO, NULL, 35 * 2. * 4 * 8 * 2,
	         2. * (5 * 4 * 8 + 7 * 8 * 2 + 35 * 4 * 2)},
		{"aten::matmul", "[[8], [8, 2]]", TWO, NULL, 2. * 8 * 2, 2. * (8 + 16 + 2)},
		{"aten::mv", "[[64, 32], [32]]", TWO, NULL, 2. * 64 * 32, 2. * (64 * 32 + 32 + 64)},
		{"aten::_int_mm", "[[8, 4], [4, 2]]", "[\"signed char\", \"signed char\"]", NULL,
	         2. * 8 * 4 * 2, 8 * 4 + 4 * 2 + 4. * 8 * 2},
	};

	(void)state;
	CHECK(rows);
}

static void a_scaled_product_takes_its_width_from_the_recorded_type(void **state)
{
	static const char dims[] = "[[16, 64], [64, 32], [], [], [], [], [], []]";
	static const char types[] = "[\"c10::Float8_e4m3fn\", \"c10::Float8_e4m3fn\", \"float\", "
				    "\"float\", \"\", \"\", \"Scalar\", \"Scalar\"]";
	struct weir_work fp32 = work_of("aten::_scaled_mm", dims, types,
	                                "[\"\", \"\", \"\", \"\", \"\", \"\", \"6\", \"False\"]");
	struct weir_work unknown = work_of("aten::_scaled_mm", dims, types, NULL);

	(void)state;
	assert_near(fp32.flops, 2. * 16 * 64 * 32, EXACT);
	assert_near(fp32.bytes, 16. * 64 + 64 * 32 + 4 * 16 * 32, EXACT);
	assert_int_equal(fp32.dtype, WEIR_DTYPE_FP8);
	assert_near(unknown.bytes, 16. * 64 + 64 * 32 + 2 * 16 * 32, EXACT);
	assert_int_equal(unknown.confidence, WEIR_MODEL_MEDIUM);
}

#define CONV_TYPES "[\"float\", \"float\", \"float\", \"\", \"\", \"\", \"\", \"\", \"\"]"
#define CONV(stride, padding, dilation, transposed, extra, groups)                                 \
	"[\"\", \"\", \"\", \"" stride "\", \"" padding "\", \"" dilation "\", \"" transposed      \
	"\", \"" extra "\", \"" groups "\"]"

static void a_convolution_is_a_product_over_its_window(void **state)
{
	static const struct expected rows[] = {
		/* The first layer of ResNet-50: 7 x 7, stride 2, 224 -> 112. */
		{"aten::convolution",
	         "[[1, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], []]",
	         "[\"float\", \"float\", \"\", \"\", \"\", \"\", \"\", \"\", \"\"]",
	         CONV("[2, 2]", "[3, 3]", "[1, 1]", "False", "[0, 0]", "1"),
	         2. * 64 * 112 * 112 * 3 * 49, 4. * (3 * 224 * 224 + 64 * 3 * 49 + 64 * 112 * 112)},
		/* A 1 x 1 convolution is a matrix product. */
		{"aten::convolution", "[[2, 16, 5, 5], [8, 16, 1, 1], [8], [], [], [], [], [], []]",
	         CONV_TYPES, CONV("[1, 1]", "[0, 0]", "[1, 1]", "False", "[0, 0]", "1"),
	         2. * 8 * 16 * 50 + 8 * 50, 4. * (2 * 16 * 25 + 8 * 16 + 2 * 8 * 25 + 8)},
		/* One group a channel. */
		{"aten::convolution", "[[1, 32, 10], [32, 1, 3], [], [], [], [], [], [], []]",
	         "[\"float\", \"float\", \"\", \"\", \"\", \"\", \"\", \"\", \"\"]",
	         CONV("[1]", "[2]", "[2]", "False", "[0]", "32"), 2. * 32 * 10 * 3,
	         4. * (320 + 96 + 320)},
		/* Transposed: 4 -> (4 - 1) 2 - 2 + 2 + 1 + 1 = 8. */
		{"aten::convolution", "[[1, 6, 4, 4], [6, 5, 3, 3], [], [], [], [], [], [], []]",
	         "[\"float\", \"float\", \"\", \"\", \"\", \"\", \"\", \"\", \"\"]",
	         CONV("[2, 2]", "[1, 1]", "[1, 1]", "True", "[1, 1]", "1"), 2. * 6 * 16 * 5 * 9,
	         4. * (6 * 16 + 6 * 5 * 9 + 5 * 64)},
		{"aten::cudnn_convolution", "[[1, 4, 6, 6, 6], [8, 4, 3, 3, 3], [], [], [], []]",
	         "[\"float\", \"float\", \"\", \"\", \"\", \"\"]",
	         "[\"\", \"\", \"[1, 1, 1]\", \"[1, 1, 1]\", \"[1, 1, 1]\", \"1\"]",
	         2. * 8 * 216 * 4 * 27, 4. * (4 * 216 + 8 * 4 * 27 + 8 * 216)},
	};

	(void)state;
	CHECK(rows);
}

static void a_convolution_without_its_strides_is_unknown(void **state)
{
	struct weir_work work = work_of(
		"aten::convolution",
		"[[1, 3, 224, 224], [64, 3, 7, 7], [], [], [], [], [], [], []]", CONV_TYPES, NULL);

	(void)state;
	assert_int_equal(work.confidence, WEIR_MODEL_NONE);
}

static void pointwise_operators_read_their_tensors_and_write_one(void **state)
{
	static const struct expected rows[] = {
		{"aten::neg", "[[10, 20]]", "[\"float\"]", NULL, 200, 2 * 800},
		{"aten::add", "[[10, 20], [20], []]", "[\"float\", \"float\", \"Scalar\"]", NULL,
	         200, 800 + 80 + 800},
		{"aten::add", "[[10, 1], [20], []]", "[\"float\", \"float\", \"Scalar\"]", NULL,
	         200, 40 + 80 + 800},
		{"aten::mul", "[[10, 20], []]", "[\"" BF16 "\", \"double\"]", NULL, 200, 2 * 400},
		{"aten::mul", "[[10, 20], [10, 20]]", "[\"" BF16 "\", \"float\"]", NULL, 200,
	         400 + 800 + 800},
		{"aten::add_", "[[10, 20], [10, 20], []]", "[\"" BF16 "\", \"float\", \"Scalar\"]",
	         NULL, 200, 400 + 800 + 400},
		/* An output that is given is not a third operand. */
		{"aten::add.out", "[[10], [10], [], [10]]",
	         "[\"float\", \"float\", \"Scalar\", \"float\"]", NULL, 10, 120},
		{"aten::gt", "[[10, 20], []]", "[\"float\", \"Scalar\"]", NULL, 200, 800 + 200},
		{"aten::where", "[[10, 1], [], [10, 20]]", "[\"bool\", \"float\", \"float\"]", NULL,
	         200, 10 + 800 + 800},
		{"aten::addcmul_", "[[100], [100], [100], []]",
	         "[\"float\", \"float\", \"float\", \"Scalar\"]", NULL, 300, 1600},
		{"aten::copy_", "[[100], [100], []]", "[\"" BF16 "\", \"float\", \"Scalar\"]", NULL,
	         0, 200 + 400},
		{"aten::_to_copy", "[[100], [], []]", "[\"float\", \"Scalar\", \"\"]",
	         "[\"\", \"15\", \"\"]", 0, 400 + 200},
		{"aten::clone", "[[100], []]", "[\"float\", \"\"]", NULL, 0, 800},
		{"aten::fill_", "[[100], []]", "[\"long int\", \"Scalar\"]", NULL, 0, 800},
		{"aten::zero_", "[[]]", "[\"float\"]", NULL, 0, 4},
		{"_C::silu_and_mul", "[[5, 8], [5, 16]]", TWO, NULL, 8 * 40, 2 * (40 + 80)},
	};

	(void)state;
	CHECK(rows);
}

static void indexing_is_charged_with_what_it_touches(void **state)
{
	static const struct expected rows[] = {
		{"aten::embedding", "[[32000, 64], [2, 5], [], [], []]",
	         "[\"" BF16 "\", \"long int\", \"Scalar\", \"Scalar\", \"Scalar\"]", NULL, 0,
	         2. * 2 * 64 * 10 + 80},
		{"aten::index_select", "[[100, 7], [], [20]]", "[\"float\", \"Scalar\", \"int\"]",
	         "[\"\", \"0\", \"\"]", 0, 2. * 4 * 7 * 20 + 80},
		{"aten::index_select", "[[100, 7], [], [3]]", "[\"float\", \"Scalar\", \"int\"]",
	         "[\"\", \"-1\", \"\"]", 0, 2. * 4 * 100 * 3 + 12},
		/* Two rows in all: they are read once, however often they are picked. */
		{"aten::embedding", "[[2, 64], [1000]]", "[\"float\", \"int\"]", NULL, 0,
	         4. * 64 * 1000 + 4 * 128 + 4000},
		{"aten::gather", "[[50, 60], [], [50, 3], []]",
	         "[\"float\", \"Scalar\", \"long int\", \"Scalar\"]", NULL, 0,
	         2. * 4 * 150 + 8 * 150},
		{"aten::index_copy_", "[[1, 16, 1024, 128], [], [1], [1, 16, 1, 128]]",
	         "[\"" BF16 "\", \"Scalar\", \"long int\", \"" BF16 "\"]", NULL, 0,
	         2. * 2 * 2048 + 8},
		{"aten::index", "[[30, 4], [[5]]]", "[\"float\", \"TensorList\"]", NULL, 0,
	         2. * 4 * 4 * 5 + 40},
		{"aten::cat", "[[2, 3], [2, 5], [], []]",
	         "[\"float\", \"float\", \"TensorList\", \"Scalar\"]", NULL, 0, 2. * 4 * 16},
	};

	(void)state;
	CHECK(rows);
}

static void a_list_of_tensors_takes_its_type_from_the_kernel(void **state)
{
	struct weir_call call = {
		.op = "aten::cat",
		.dims = "[[[2, 3], [2, 5]], []]",
		.types = "[\"TensorList\", \"Scalar\"]",
	};
	struct weir_work untyped = weir_work_of_call(&call), typed;

	(void)state;
	call.kernel =
		"void at::native::(anonymous namespace)::CatArrayBatchedCopy_contig<"
		"at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 2, 128, 1>(...)";
	typed = weir_work_of_call(&call);
	assert_int_equal(untyped.confidence, WEIR_MODEL_NONE);
	assert_near(typed.bytes, 2. * 2 * 16, EXACT);
}

static void rows_are_normalised_in_one_pass(void **state)
{
	static const struct expected rows[] = {
		{"aten::native_layer_norm", "[[4, 768], [], [768], [768], []]",
	         "[\"" BF16 "\", \"ScalarList\", \"" BF16 "\", \"" BF16 "\", \"Scalar\"]", NULL,
	         8. * 3072, 2. * (2 * 3072 + 2 * 768)},
		{"aten::native_layer_norm", "[[4, 768], [], [], [], []]",
	         "[\"" BF16 "\", \"ScalarList\", \"\", \"\", \"Scalar\"]", NULL, 5. * 3072,
	         2. * 2 * 3072},
		{"aten::_fused_rms_norm", "[[4, 2048], [], [2048], []]",
	         "[\"" BF16 "\", \"ScalarList\", \"" BF16 "\", \"\"]", NULL, 4. * 8192,
	         2. * (2 * 8192 + 2048)},
		{"_C::fused_add_rms_norm", "[[4, 64], [4, 64], [64], []]", THREE, NULL, 5. * 256,
	         2. * (4 * 256 + 64)},
		{"aten::_softmax", "[[4, 64], [], []]", "[\"" BF16 "\", \"Scalar\", \"Scalar\"]",
	         "[\"\", \"-1\", \"False\"]", 5. * 256, 2. * 2 * 256},
		{"aten::_softmax", "[[4, 64], [], []]", "[\"" BF16 "\", \"Scalar\", \"Scalar\"]",
	         "[\"\", \"-1\", \"True\"]", 5. * 256, (2. + 4) * 256},
	};

	(void)state;
	CHECK(rows);
}

static void a_reduction_writes_what_is_left(void **state)
{
	static const struct expected rows[] = {
		{"aten::sum", "[[10, 20], [], []]", "[\"float\", \"ScalarList\", \"Scalar\"]",
	         "[\"\", \"[1]\", \"False\"]", 200, 800 + 40},
		{"aten::sum", "[[10, 20], []]", "[\"float\", \"\"]", "[\"\", \"\"]", 200, 800 + 4},
		{"aten::mean", "[[10, 20, 30], [], []]", "[\"float\", \"ScalarList\", \"Scalar\"]",
	         "[\"\", \"[0, -1]\", \"False\"]", 6000, 24000 + 80},
		{"aten::argmax", "[[10, 20], [], []]", "[\"" BF16 "\", \"Scalar\", \"Scalar\"]",
	         "[\"\", \"-1\", \"False\"]", 200, 400 + 80},
		{"aten::max", "[[10, 20], [], []]", "[\"" BF16 "\", \"Scalar\", \"Scalar\"]",
	         "[\"\", \"1\", \"False\"]", 200, 400 + 10 * 10},
		{"aten::max", "[[10, 20], [10, 20]]", TWO, "[\"\", \"\"]", 200, 3 * 400},
	};

	(void)state;
	CHECK(rows);
}

static void what_has_no_model_is_unknown_and_never_zero(void **state)
{
	static const struct expected rows[] = {
		{"aten::einsum", "[[], [[2, 3], [3, 4]]]", "[\"\", \"TensorList\"]", NULL, 0, 0},
		{"aten::mm", "", "", NULL, 0, 0},
		{"aten::mm", NULL, NULL, NULL, 0, 0},
		{"aten::mm", "[]", "[]", NULL, 0, 0},
		{"aten::mm", "[[2, 3], [4, 5]]", "[\"float\", \"float\"]", NULL, 0, 0},
		{"aten::mm", "[[2, 3], [3, 5]]", "[\"\", \"\"]", NULL, 0, 0},
		{"aten::mm", "[[2, 3]]", "[\"float\"]", NULL, 0, 0},
		{"aten::add", "[[2, 3], [4], []]", "[\"float\", \"float\", \"Scalar\"]", NULL, 0,
	         0},
		{"", "[[2]]", "[\"float\"]", NULL, 0, 0},
		{NULL, "[[2]]", "[\"float\"]", NULL, 0, 0},
		{"aten::", "[[2]]", "[\"float\"]", NULL, 0, 0},
		{"aten::_", "[[2]]", "[\"float\"]", NULL, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct weir_work work =
			work_of(rows[i].op, rows[i].dims, rows[i].types, rows[i].scalars);

		assert_int_equal(work.confidence, WEIR_MODEL_NONE);
		assert_true(isnan(work.flops) && isnan(work.bytes));
	}
}

#define FIVE "[1], [1], [1], [1], [1]"
/* One more argument than a call may have. */
#define TWENTY_FIVE "[" FIVE ", " FIVE ", " FIVE ", " FIVE ", " FIVE "]"

static void hostile_shapes_are_refused(void **state)
{
	static const char *const dims[] = {
		"[[99999999999999999999, 2]]",
		"[[1099511627776, 1099511627776]]",
		"[[1099511627777]]",
		"[[-1]]",
		"[[1.5]]",
		"[[2, ]]",
		"[[2",
		"[[2]",
		"[[[[2]]]]",
		"[[1,1,1,1,1,1,1,1,1]]",
		TWENTY_FIVE,
		"{\"a\": 1}",
		"[[\"2\"]]",
		"null",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(dims) / sizeof(dims[0]); i++) {
		struct weir_work work = work_of("aten::neg", dims[i], "[\"float\"]", NULL);

		if (work.confidence != WEIR_MODEL_NONE)
			print_error("%s\n", dims[i]);
		assert_int_equal(work.confidence, WEIR_MODEL_NONE);
	}
	assert_int_equal(work_of("aten::neg", "[[2]]", "[\"float", NULL).confidence,
	                 WEIR_MODEL_NONE);
	assert_int_equal(work_of("aten::neg", "[[2]]", "[\"float\\", NULL).confidence,
	                 WEIR_MODEL_NONE);
}

static void damaged_scalars_count_as_missing_ones(void **state)
{
	struct weir_work work =
		work_of("aten::sum", "[[10, 20], []]", "[\"float\", \"\"]", "[\"\", \"[0");

	(void)state;
	assert_near(work.bytes, 804, EXACT);
	assert_int_equal(work.confidence, WEIR_MODEL_MEDIUM);
}

static void the_kernel_settles_which_units_an_fp32_product_ran_on(void **state)
{
	struct weir_call call = {
		.op = "aten::mm",
		.dims = "[[64, 32], [32, 16]]",
		.types = "[\"float\", \"float\"]",
	};
	struct weir_work work = weir_work_of_call(&call);

	(void)state;
	assert_int_equal(work.engine, WEIR_ENGINE_VECTOR);
	assert_int_equal(work.confidence, WEIR_MODEL_LOW);
	call.kernel = "ampere_sgemm_32x32_sliced1x4_tn";
	work = weir_work_of_call(&call);
	assert_int_equal(work.engine, WEIR_ENGINE_VECTOR);
	assert_int_equal(work.confidence, WEIR_MODEL_HIGH);
	call.kernel =
		"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_tn_align1>(...)";
	work = weir_work_of_call(&call);
	assert_int_equal(work.engine, WEIR_ENGINE_TENSOR);
	assert_int_equal(work.dtype, WEIR_DTYPE_TF32);
	/* AMD's matrix instructions take fp32 as it is. */
	call.kernel = "Cijk_Alik_Bljk_SB_Bias_AS_SAV_UserArgs_MT64x16x32_MI16x16x1_SN";
	work = weir_work_of_call(&call);
	assert_int_equal(work.engine, WEIR_ENGINE_TENSOR);
	assert_int_equal(work.dtype, WEIR_DTYPE_FP32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_matrix_product_costs_two_m_n_k),
		cmocka_unit_test(a_scaled_product_takes_its_width_from_the_recorded_type),
		cmocka_unit_test(a_convolution_is_a_product_over_its_window),
		cmocka_unit_test(a_convolution_without_its_strides_is_unknown),
		cmocka_unit_test(pointwise_operators_read_their_tensors_and_write_one),
		cmocka_unit_test(indexing_is_charged_with_what_it_touches),
		cmocka_unit_test(a_list_of_tensors_takes_its_type_from_the_kernel),
		cmocka_unit_test(rows_are_normalised_in_one_pass),
		cmocka_unit_test(a_reduction_writes_what_is_left),
		cmocka_unit_test(what_has_no_model_is_unknown_and_never_zero),
		cmocka_unit_test(hostile_shapes_are_refused),
		cmocka_unit_test(damaged_scalars_count_as_missing_ones),
		cmocka_unit_test(the_kernel_settles_which_units_an_fp32_product_ran_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
