/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operator models by family, against figures by hand; the basic families are in test_shapes.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/roofline/shapes.h"
#include "engine/analysis/roofline/work.h"
#include "tests/unit/near.h"

#define EXACT 1e-15
#define BF16  "\"c10::BFloat16\""
#define LONG  "\"long int\""

static struct weir_work work_of(const char *op, const char *dims, const char *types,
                                const char *scalars)
{
	const struct weir_call call = {.op = op, .dims = dims, .types = types, .scalars = scalars};

	return weir_work_of_call(&call);
}

static void expect(const struct weir_work *work, double flops, double bytes,
                   enum weir_model_confidence confidence)
{
	assert_near(work->flops, flops, EXACT);
	assert_near(work->bytes, bytes, EXACT);
	assert_int_equal(work->confidence, confidence);
}

static void expect_nothing(const struct weir_work *work)
{
	assert_int_equal(work->confidence, WEIR_MODEL_NONE);
	assert_true(isnan(work->flops) && isnan(work->bytes));
}

/* ---- mixtures of experts ---- */

static void grouped_products_touch_as_many_matrices_as_get_rows(void **state)
{
	static const char types[] = "[" BF16 ", " BF16 ", \"int\", \"\", \"\"]";
	struct weir_work few =
		work_of("aten::_grouped_mm", "[[3, 32], [8, 32, 16], [8], [], []]", types, NULL);
	struct weir_work many =
		work_of("aten::_grouped_mm", "[[100, 32], [8, 32, 16], [8], [], []]", types, NULL);
	struct weir_work without =
		work_of("aten::_grouped_mm", "[[3, 32], [8, 32, 16], [], [], []]",
	                "[" BF16 ", " BF16 ", \"\", \"\", \"\"]", NULL);

	(void)state;
	expect(&few, 2. * 3 * 32 * 16, 2. * (3 * 32 + 3 * 32 * 16 + 3 * 16) + 4 * 8,
	       WEIR_MODEL_MEDIUM);
	expect(&many, 2. * 100 * 32 * 16, 2. * (100 * 32 + 8 * 32 * 16 + 100 * 16) + 4 * 8,
	       WEIR_MODEL_MEDIUM);
	expect_nothing(&without);
}

static void groups_along_the_inner_dimension_make_a_matrix_each(void **state)
{
	struct weir_work work = work_of("aten::_grouped_mm", "[[16, 96], [96, 32], [4], [], []]",
	                                "[" BF16 ", " BF16 ", \"int\", \"\", \"\"]", NULL);

	(void)state;
	expect(&work, 2. * 16 * 96 * 32, 2. * (16 * 96 + 96 * 32 + 4 * 16 * 32) + 4 * 4,
	       WEIR_MODEL_HIGH);
}

static void fused_experts_compute_two_products_a_routed_row(void **state)
{
	static const char types[] = "[" BF16 ", " BF16 ", " BF16 ", \"float\", \"int\"]";
	/* 5 tokens to 2 of 64 experts each, 32 wide, 48 inside, gated. */
	struct weir_work work =
		work_of("vllm::inplace_fused_experts",
	                "[[5, 32], [64, 96, 32], [64, 32, 48], [5, 2], [5, 2]]", types, NULL);
	double rows = 10, weights = 2. * 64 * (96 * 32 + 32 * 48);

	(void)state;
	expect(&work, 2 * rows * 32 * (96 + 48),
	       2 * 2. * 5 * 32 + 2 * rows * (2 * 96 + 2 * 48) + weights * 10 / 64 + 4. * 10 +
	               4. * 10,
	       WEIR_MODEL_MEDIUM);
}

/* ---- gradients ---- */

#define CONV_TYPES                                                                                 \
	"[" BF16 ", " BF16 ", " BF16 ", \"\", \"\", \"\", \"\", \"\", \"\", \"Scalar\", \"\"]"
#define CONV_DIMS "[[2, 8, 5, 5], [2, 16, 5, 5], [8, 16, 3, 3], [], [], [], [], [], [], [], []]"
#define CONV_SCALARS(transposed, mask)                                                             \
	"[\"\", \"\", \"\", \"[8]\", \"[1, 1]\", \"[1, 1]\", \"[1, 1]\", \"" transposed            \
	"\", \"[0, 0]\", \"1\", \"" mask "\"]"

static void a_convolution_has_a_product_for_every_gradient_that_is_asked_for(void **state)
{
	double product = 2. * 2 * 8 * 25 * 16 * 9, dy = 2. * 2 * 8 * 25, x = 2. * 2 * 16 * 25,
	       w = 2. * 8 * 16 * 9;
	struct weir_work both = work_of("aten::convolution_backward", CONV_DIMS, CONV_TYPES,
	                                CONV_SCALARS("False", "[True, True, False]"));
	struct weir_work all = work_of("aten::convolution_backward", CONV_DIMS, CONV_TYPES,
	                               CONV_SCALARS("False", "[True, True, True]"));
	struct weir_work weights = work_of("aten::convolution_backward", CONV_DIMS, CONV_TYPES,
	                                   CONV_SCALARS("False", "[False, True, False]"));
	struct weir_work none = work_of("aten::convolution_backward", CONV_DIMS, CONV_TYPES,
	                                CONV_SCALARS("False", "[False, False, False]"));
	struct weir_work unsaid =
		work_of("aten::convolution_backward", CONV_DIMS, CONV_TYPES, NULL);

	(void)state;
	expect(&both, 2 * product, 2 * (dy + x + w), WEIR_MODEL_HIGH);
	expect(&all, 2 * product + 2. * 8 * 25, 2 * (dy + x + w) + dy, WEIR_MODEL_HIGH);
	expect(&weights, product, dy + x + w, WEIR_MODEL_HIGH);
	expect_nothing(&none);
	expect(&unsaid, 2 * product, 2 * (dy + x + w), WEIR_MODEL_MEDIUM);
}

static void a_transposed_convolution_backward_counts_its_input(void **state)
{
	/* w[Cin, Cout, 3, 3] */
	struct weir_work work = work_of(
		"aten::convolution_backward",
		"[[2, 8, 10, 10], [2, 16, 5, 5], [16, 8, 2, 2], [], [], [], [], [], [], [], []]",
		CONV_TYPES, CONV_SCALARS("True", "[True, False, False]"));

	(void)state;
	assert_near(work.flops, 2. * 2 * 16 * 25 * 8 * 4, EXACT);
	assert_near(work.bytes, 2. * (2 * 8 * 100 + 2 * 16 * 25 + 16 * 8 * 4), EXACT);
}

static void norms_backward_read_two_tensors_and_write_one(void **state)
{
	struct weir_work layer = work_of(
		"aten::native_layer_norm_backward",
		"[[64, 32], [64, 32], [], [64, 1], [64, 1], [32], [32], []]",
		"[" BF16 ", " BF16 ", \"\", \"float\", \"float\", " BF16 ", " BF16 ", \"\"]", NULL);
	struct weir_work rms = work_of(
		"aten::_fused_rms_norm_backward", "[[64, 32], [64, 32], [], [64, 1], [32], []]",
		"[" BF16 ", " BF16 ", \"\", \"float\", " BF16 ", \"\"]", NULL);

	(void)state;
	expect(&layer, 2 * 8. * 64 * 32, 3 * 2. * 64 * 32 + 2 * 4. * 64 + 2 * 2 * 2. * 32,
	       WEIR_MODEL_MEDIUM);
	expect(&rms, 2 * 4. * 64 * 32, 3 * 2. * 64 * 32 + 4. * 64 + 2 * 2. * 32, WEIR_MODEL_MEDIUM);
	/* Both kernels look at both tensors, and the first one twice. */
	assert_near(layer.reuse.passes_again_bytes, 2 * 2. * 64 * 32, EXACT);
	assert_near(layer.reuse.rows_again_bytes, 2 * 2. * 64 * 32, EXACT);
}

/* ---- the rest ---- */

static void fused_kernels_move_what_they_were_given(void **state)
{
	static const char types[] = "[" BF16 ", " BF16 ", \"float\", \"Scalar\"]";
	struct weir_work work = work_of("triton_poi_fused__to_copy_add_mul_silu_3",
	                                "[[64, 32], [32], [64, 32], []]", types, NULL);
	struct weir_work product =
		work_of("triton_tem_fused_mm_0", "[[64, 32], [32], [64, 32], []]", types, NULL);

	(void)state;
	/* Three operations an element: add, mul, silu. */
	expect(&work, 3. * 64 * 32, 2. * (64 * 32 + 32) + 4. * 64 * 32, WEIR_MODEL_LOW);
	expect_nothing(&product);
}

static void new_rows_are_all_that_a_cache_moves(void **state)
{
	struct weir_work work = work_of(
		"_C_cache_ops::reshape_and_cache_flash",
		"[[5, 2, 32], [5, 2, 32], [100, 16, 2, 32], [100, 16, 2, 32], [5]]",
		"[" BF16 ", " BF16 ", \"c10::Float8_e4m3fn\", \"c10::Float8_e4m3fn\", " LONG "]",
		NULL);

	(void)state;
	expect(&work, 0, 2 * 2. * 5 * 2 * 32 + 2 * 1. * 5 * 2 * 32 + 8. * 5, WEIR_MODEL_HIGH);
}

static void quantisers_samplers_and_generators_move_each_element(void **state)
{
	struct weir_work quantised =
		work_of("_C::static_scaled_fp8_quant", "[[64, 32], [64, 32], [1]]",
	                "[\"c10::Float8_e4m3fn\", " BF16 ", \"float\"]", NULL);
	struct weir_work random = work_of("aten::normal_", "[[64, 32], [], [], []]",
	                                  "[\"float\", \"Scalar\", \"Scalar\", \"\"]", NULL);
	struct weir_work sampled = work_of("aten::multinomial", "[[64, 1000], [], [], []]",
	                                   "[\"float\", \"Scalar\", \"Scalar\", \"\"]", NULL);

	(void)state;
	expect(&quantised, 2. * 64 * 32, 1. * 64 * 32 + 2. * 64 * 32 + 4, WEIR_MODEL_HIGH);
	assert_near(random.bytes, 4. * 64 * 32, EXACT);
	expect(&sampled, 0, 3 * 2 * 4. * 64 * 1000, WEIR_MODEL_LOW);
}

static void bags_are_known_by_both_their_names(void **state)
{
	static const char types[] = "[" BF16 ", " LONG ", " LONG "]";
	struct weir_work one =
		work_of("aten::_embedding_bag_forward_only", "[[100, 16], [40], [8]]", types, NULL);

	(void)state;
	expect(&one, 40. * 16, 2. * 40 * 16 + 2. * 8 * 16 + 8. * 40 + 8. * 8, WEIR_MODEL_MEDIUM);
}

static void what_is_expanded_is_read_once(void **state)
{
	/* A mask of one head for 32, and a gradient of one number. */
	struct weir_call call = {.op = "aten::add",
	                         .dims = "[[2, 32, 64, 64], [2, 32, 64, 64], []]",
	                         .types = "[\"float\", \"float\", \"Scalar\"]",
	                         .strides = "[[131072, 4096, 64, 1], [4096, 0, 64, 1], []]"};
	struct weir_work expanded = weir_work_of_call(&call), whole, damaged, short_of_one;
	double all = 4. * 2 * 32 * 64 * 64;

	(void)state;
	call.strides = NULL;
	whole = weir_work_of_call(&call);
	call.strides = "[[131072, 4096, 64, 1], [4096, 0, ";
	damaged = weir_work_of_call(&call);
	call.strides = "[[131072, 4096, 64, 1], [0, 64, 1], []]";
	short_of_one = weir_work_of_call(&call);
	expect(&expanded, 2. * 32 * 64 * 64, all + all / 32 + all, WEIR_MODEL_HIGH);
	expect(&whole, 2. * 32 * 64 * 64, 3 * all, WEIR_MODEL_HIGH);
	expect(&damaged, whole.flops, whole.bytes, WEIR_MODEL_HIGH);
	expect(&short_of_one, whole.flops, whole.bytes, WEIR_MODEL_HIGH);
	call = (struct weir_call){.op = "aten::div",
	                          .dims = "[[64, 256], []]",
	                          .types = "[\"float\", \"Scalar\"]",
	                          .strides = "[[0, 0], []]"};
	expanded = weir_work_of_call(&call);
	assert_near(expanded.bytes, 4. + 4. * 64 * 256, EXACT);
}

/* ---- types of four bits ---- */

static void a_byte_of_fp4_holds_two_elements(void **state)
{
	static const char dims[] = "[[16, 64], [64, 32], [], [], [], [], [], []]";
	static const char fp4[] = "[\"c10::Float4_e2m1fn_x2\", \"c10::Float4_e2m1fn_x2\", \"\", "
				  "\"\", \"\", \"\", \"Scalar\", \"Scalar\"]";
	static const char fp8[] = "[\"c10::Float8_e4m3fn\", \"c10::Float8_e4m3fn\", \"\", "
				  "\"\", \"\", \"\", \"Scalar\", \"Scalar\"]";
	struct weir_work packed = work_of("aten::_scaled_mm", dims, fp4, NULL);
	struct weir_work plain = work_of("aten::_scaled_mm", dims, fp8, NULL);

	(void)state;
	assert_int_equal(packed.dtype, WEIR_DTYPE_FP4);
	expect(&packed, 2. * 16 * (2 * 64) * 32, 16. * 64 + 64 * 32 + 2 * 16 * 32,
	       WEIR_MODEL_MEDIUM);
	expect(&plain, 2. * 16 * 64 * 32, 16. * 64 + 64 * 32 + 2 * 16 * 32, WEIR_MODEL_MEDIUM);
}

static void a_product_needs_both_of_its_tensors(void **state)
{
	struct weir_work left = work_of("aten::_grouped_mm", "[[3, 32], [], [8], [], []]",
	                                "[" BF16 ", \"\", \"int\", \"\", \"\"]", NULL);
	struct weir_work right = work_of("aten::_grouped_mm", "[[], [8, 32, 16], [8], [], []]",
	                                 "[\"\", " BF16 ", \"int\", \"\", \"\"]", NULL);
	struct weir_work weight =
		work_of("aten::linear", "[[], [32, 16], []]", "[\"\", " BF16 ", \"\"]", NULL);
	struct weir_work wide = work_of("aten::_grouped_mm", "[[3, 32], [8, 31, 16], [8], [], []]",
	                                "[" BF16 ", " BF16 ", \"int\", \"\", \"\"]", NULL);

	(void)state;
	expect_nothing(&left);
	expect_nothing(&right);
	expect_nothing(&weight);
	expect_nothing(&wide);
}

/* Eight dimensions are the most that a tensor has here. */
static void a_reduction_ignores_dimensions_that_do_not_exist(void **state)
{
	static const char dims[] = "[[2, 1, 1, 1, 1, 1, 1, 5], [], []]";
	static const char types[] = "[\"float\", \"ScalarList\", \"Scalar\"]";
	struct weir_work last = work_of("aten::sum", dims, types, "[\"\", \"[7]\", \"False\"]");
	struct weir_work beyond = work_of("aten::sum", dims, types, "[\"\", \"[8]\", \"False\"]");
	struct weir_work first = work_of("aten::sum", dims, types, "[\"\", \"[-8]\", \"False\"]");
	struct weir_work before = work_of("aten::sum", dims, types, "[\"\", \"[-9]\", \"False\"]");

	(void)state;
	assert_near(last.bytes, 4. * 10 + 4. * 2, EXACT);
	assert_near(beyond.bytes, 4. * 10 + 4. * 10, EXACT);
	assert_near(first.bytes, 4. * 10 + 4. * 5, EXACT);
	assert_near(before.bytes, 4. * 10 + 4. * 10, EXACT);
}

static void one_operation_needs_a_unit(void **state)
{
	struct weir_work work = {0};

	(void)state;
	weir_work_vector(&work, 1, 8, WEIR_DTYPE_FP32);
	assert_int_equal(work.engine, WEIR_ENGINE_VECTOR);
	weir_work_vector(&work, 0, 8, WEIR_DTYPE_FP32);
	assert_int_equal(work.engine, WEIR_ENGINE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_operation_needs_a_unit),
		cmocka_unit_test(grouped_products_touch_as_many_matrices_as_get_rows),
		cmocka_unit_test(groups_along_the_inner_dimension_make_a_matrix_each),
		cmocka_unit_test(fused_experts_compute_two_products_a_routed_row),
		cmocka_unit_test(a_convolution_has_a_product_for_every_gradient_that_is_asked_for),
		cmocka_unit_test(a_transposed_convolution_backward_counts_its_input),
		cmocka_unit_test(norms_backward_read_two_tensors_and_write_one),
		cmocka_unit_test(fused_kernels_move_what_they_were_given),
		cmocka_unit_test(new_rows_are_all_that_a_cache_moves),
		cmocka_unit_test(quantisers_samplers_and_generators_move_each_element),
		cmocka_unit_test(bags_are_known_by_both_their_names),
		cmocka_unit_test(what_is_expanded_is_read_once),
		cmocka_unit_test(a_byte_of_fp4_holds_two_elements),
		cmocka_unit_test(a_product_needs_both_of_its_tensors),
		cmocka_unit_test(a_reduction_ignores_dimensions_that_do_not_exist),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
