/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/roofline/roofline.h"
#include "tests/unit/near.h"

/*
 * A device with round numbers: 1000 TFLOP/s on the matrix units (800 sustained), 50 on the vector
 * units, 4 TB/s (3 sustained), 100 multiprocessors and a cache of 50 MB.
 */
static struct weir_device round_device(void)
{
	const struct weir_peak none = {NAN, NAN};
	struct weir_device device = {
		.name = "round", .sms = 100, .memory_bytes = 1e11, .l2_bytes = 5e7};

	for (int engine = 0; engine < WEIR_ENGINE_COUNT; engine++) {
		for (int dtype = 0; dtype < WEIR_DTYPE_COUNT; dtype++)
			device.flops[engine][dtype] = none;
	}
	device.flops[WEIR_ENGINE_TENSOR][WEIR_DTYPE_BF16] = (struct weir_peak){1000e12, 800e12};
	device.flops[WEIR_ENGINE_TENSOR][WEIR_DTYPE_TF32] = (struct weir_peak){500e12, 400e12};
	device.flops[WEIR_ENGINE_VECTOR][WEIR_DTYPE_FP32] = (struct weir_peak){50e12, 40e12};
	device.bytes_per_s = (struct weir_peak){4e12, 3e12};
	device.link_bytes_per_s = none;
	return device;
}

static struct weir_work product(double flops, double bytes)
{
	return (struct weir_work){.flops = flops,
	                          .bytes = bytes,
	                          .engine = WEIR_ENGINE_TENSOR,
	                          .dtype = WEIR_DTYPE_BF16,
	                          .confidence = WEIR_MODEL_HIGH,
	                          .product = true};
}

static struct weir_roofline_result judge(struct weir_work work, double time_ns, uint32_t blocks)
{
	struct weir_device device = round_device();
	struct weir_roofline_result result;

	weir_roofline_judge(&work, time_ns, blocks, &device, &result);
	return result;
}

static void figures_follow_from_the_two_roofs(void **state)
{
	/* 1 TFLOP and 1 GB in 2 ms. */
	struct weir_roofline_result r = judge(product(1e12, 1e9), 2e6, 1000);

	(void)state;
	assert_near(r.compute_ns, 1e6, 1e-12);
	assert_near(r.sustained_compute_ns, 1.25e6, 1e-12);
	assert_near(r.memory_ns, 250e3, 1e-12);
	assert_near(r.sustained_memory_ns, 1e9 / 3e12 * 1e9, 1e-12);
	assert_near(r.efficiency, 0.625, 1e-12);
	assert_near(r.peak_share, 0.5, 1e-12);
	assert_near(r.tflops, 500, 1e-12);
	assert_near(r.gbps, 500, 1e-12);
	assert_false(r.memory_upper_bound);
	assert_false(r.grid_too_small);
}

static void the_class_follows_the_nearer_roof(void **state)
{
	(void)state;
	assert_int_equal(judge(product(1e12, 1e9), 2e6, 1000).roofline, WEIR_ROOFLINE_COMPUTE);
	assert_int_equal(judge(product(1e10, 5e9), 2e6, 1000).roofline, WEIR_ROOFLINE_MEMORY);
	/* 1.25 ms of arithmetic, 1.2 ms of traffic. */
	assert_int_equal(judge(product(1e12, 3.6e9), 2e6, 1000).roofline, WEIR_ROOFLINE_BALANCED);
}

static void near_is_sixty_percent_of_what_each_side_is_measured_against(void **state)
{
	struct weir_work again = product(1e10, 4e9);

	(void)state;
	/* 2.4 of 4 TB/s of the datasheet; 480 of 800 TFLOP/s that are achievable. */
	assert_int_equal(judge(product(1e10, 4.81e9), 2e6, 1000).roofline, WEIR_ROOFLINE_MEMORY);
	assert_int_equal(judge(product(1e10, 4.79e9), 2e6, 1000).roofline,
	                 WEIR_ROOFLINE_INEFFICIENT);
	assert_int_equal(judge(product(9.61e11, 1e9), 2e6, 1000).roofline, WEIR_ROOFLINE_COMPUTE);
	assert_int_equal(judge(product(9.59e11, 1e9), 2e6, 1000).roofline,
	                 WEIR_ROOFLINE_INEFFICIENT);
	/* Repeated reads count as traffic, but not as useful bytes. */
	again.traffic_bytes = 5e9;
	assert_int_equal(judge(again, 2e6, 1000).roofline, WEIR_ROOFLINE_MEMORY);
	assert_near(judge(again, 2e6, 1000).efficiency, 4e9 / 3e12 / 2e-3, 1e-12);
}

static void far_from_both_roofs_length_and_size_decide(void **state)
{
	struct weir_roofline_result shorter =
		judge(product(1e9, 1e8), WEIR_SHORT_NS * 0.99e1, 1000);
	struct weir_roofline_result small = judge(product(1e9, 1e8), WEIR_SHORT_NS * 0.99e1, 50);
	struct weir_roofline_result tiny = judge(product(1e6, 1e4), WEIR_SHORT_NS * 0.99, 50);

	(void)state;
	assert_int_equal(shorter.roofline, WEIR_ROOFLINE_INEFFICIENT);
	assert_int_equal(shorter.side, WEIR_ROOFLINE_MEMORY);
	assert_false(shorter.grid_too_small);
	assert_int_equal(small.roofline, WEIR_ROOFLINE_LATENCY);
	assert_true(small.grid_too_small);
	assert_int_equal(tiny.roofline, WEIR_ROOFLINE_LATENCY);
	assert_true(tiny.grid_too_small);
	assert_false(judge(product(1e6, 1e4), 5000, 0).grid_too_small);
	assert_false(judge(product(1e6, 1e4), 5000, 100).grid_too_small);
}

static void more_than_the_device_can_do_is_never_classified(void **state)
{
	(void)state;
	/* 1 ms at the peak: an excess of 5 % is accepted as measurement error, more is not. */
	assert_int_equal(judge(product(1e12, 1e9), 0.96e6, 1000).roofline, WEIR_ROOFLINE_COMPUTE);
	assert_int_equal(judge(product(1e12, 1e9), 0.95e6, 1000).roofline,
	                 WEIR_ROOFLINE_IMPLAUSIBLE);
	assert_int_equal(judge(product(1e9, 4e9), 0.95e6, 1000).roofline,
	                 WEIR_ROOFLINE_IMPLAUSIBLE);
}

static void a_cache_that_holds_all_data_explains_a_high_rate(void **state)
{
	/* 30 MB in 5 us are 6 TB/s. */
	struct weir_roofline_result cached = judge(product(1e6, 3e7), 5000, 1000);
	struct weir_roofline_result large = judge(product(1e6, 4.1e7), 5000, 1000);

	(void)state;
	assert_true(cached.memory_upper_bound);
	assert_int_equal(cached.roofline, WEIR_ROOFLINE_MEMORY);
	assert_near(cached.efficiency, 1, 1e-12);
	assert_false(large.memory_upper_bound);
	assert_int_equal(large.roofline, WEIR_ROOFLINE_IMPLAUSIBLE);
	/* The cache does not explain more arithmetic than there is. */
	assert_int_equal(judge(product(1e12, 3e7), 5000, 1000).roofline, WEIR_ROOFLINE_IMPLAUSIBLE);
}

static void matrix_units_beside_a_busy_vector_unit_are_idle(void **state)
{
	struct weir_work fp32 = product(1e11, 1e8), weights = product(1e9, 3e9);
	struct weir_roofline_result r;

	(void)state;
	fp32.engine = weights.engine = WEIR_ENGINE_VECTOR;
	fp32.dtype = weights.dtype = WEIR_DTYPE_FP32;
	r = judge(fp32, 2.2e6, 1000);
	assert_int_equal(r.roofline, WEIR_ROOFLINE_COMPUTE);
	assert_true(r.matrix_units_idle);
	/* Limited by memory, other units would not help. */
	assert_false(judge(weights, 2e6, 1000).matrix_units_idle);
	/* Nor for work that is no product. */
	fp32.product = false;
	assert_false(judge(fp32, 2.2e6, 1000).matrix_units_idle);
	assert_false(judge(product(1e12, 1e9), 2e6, 1000).matrix_units_idle);
}

static void what_is_missing_stays_unknown(void **state)
{
	struct weir_work none = {.flops = NAN, .bytes = NAN}, fp8 = product(1e12, 1e9),
			 known = product(1e12, 1e9);
	struct weir_roofline_result r;

	(void)state;
	fp8.dtype = WEIR_DTYPE_FP8; /* this device has no such unit */
	assert_int_equal(judge(none, 1000, 1).roofline, WEIR_ROOFLINE_UNKNOWN);
	assert_true(isnan(judge(none, 1000, 1).tflops));
	assert_int_equal(judge(fp8, 2e6, 1).roofline, WEIR_ROOFLINE_UNKNOWN);
	assert_near(judge(fp8, 2e6, 1).tflops, 500, 1e-12);
	assert_int_equal(judge(known, 0, 1).roofline, WEIR_ROOFLINE_UNKNOWN);
	weir_roofline_judge(&known, 2e6, 1, NULL, &r);
	assert_int_equal(r.roofline, WEIR_ROOFLINE_UNKNOWN);
	assert_true(isnan(r.efficiency));
	assert_near(r.gbps, 500, 1e-12);
}

static void a_copy_has_no_arithmetic_and_still_a_class(void **state)
{
	struct weir_work copy = {.flops = 0, .bytes = 4e9, .confidence = WEIR_MODEL_HIGH};
	struct weir_roofline_result r = judge(copy, 1.4e6, 1000);

	(void)state;
	assert_int_equal(r.roofline, WEIR_ROOFLINE_MEMORY);
	assert_near(r.compute_ns, 0, 0);
	assert_near(r.tflops, 0, 0);
}

static void kernels_name_their_units(void **state)
{
	static const struct {
		const char *kernel;
		enum weir_engine engine;
	} rows[] = {
		{"void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(...)",
	         WEIR_ENGINE_VECTOR},
		{"ampere_sgemm_32x32_sliced1x4_tn", WEIR_ENGINE_VECTOR},
		{"volta_sgemm_64x64_nt", WEIR_ENGINE_VECTOR},
		{"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize64x64x8_stage3_warpsize1x4x1_ffma_"
	         "aligna4_alignc4",
	         WEIR_ENGINE_VECTOR},
		{"void gemv2T_kernel_val<int, int, float, float>(...)", WEIR_ENGINE_VECTOR},
		{"cutlass_80_tensorop_s1688gemm_256x64_16x4_tn_align1", WEIR_ENGINE_TENSOR},
		{"ampere_bf16_s16816gemm_bf16_64x64_sliced1x2", WEIR_ENGINE_TENSOR},
		{"nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT", WEIR_ENGINE_TENSOR},
		{"sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_"
	         "tilesize64x128x32",
	         WEIR_ENGINE_TENSOR},
		{"Cijk_Alik_Bljk_BBS_BH_Bias_MT256x192x64_MI16x16x1_SN", WEIR_ENGINE_TENSOR},
		{"void at::native::vectorized_elementwise_kernel<4, FillFunctor>(...)",
	         WEIR_ENGINE_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(weir_engine_from_kernel(rows[i].kernel).engine, rows[i].engine);
	assert_int_equal(weir_engine_from_kernel(NULL).engine, WEIR_ENGINE_NONE);
}

static void products_on_the_vector_units_are_known_by_name_and_tile(void **state)
{
	static const struct {
		const char *kernel;
		bool is;
	} rows[] = {
		{"void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(Params)",
	         true},
		{"ampere_sgemm_64x64_tn", true},
		{"ampere_sgemm_128x32_tn", false},
		{"ampere_sgemm_32x128_tn", false},
		{"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x64x8_stage3_warpsize2x2x1_ffma_"
	         "aligna4_alignc4_execute_kernel__5x_cublas",
	         true},
		{"sm80_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize128x64x8_stage3", false},
		{"cutlass_80_tensorop_s1688gemm_128x128_16x3_nn_align4", false},
		{"cutlass_80_simt_dgemm_128x128_8x3_nn_align1", false},
		{"ampere_dgemm_128x64_nn", false},
		{"ampere_scudnn_128x64_relu_small_nn_v1", false},
		{"sgemm_largek_lds64", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(weir_kernel_is_vector_product(rows[i].kernel), rows[i].is);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_follow_from_the_two_roofs),
		cmocka_unit_test(the_class_follows_the_nearer_roof),
		cmocka_unit_test(near_is_sixty_percent_of_what_each_side_is_measured_against),
		cmocka_unit_test(far_from_both_roofs_length_and_size_decide),
		cmocka_unit_test(more_than_the_device_can_do_is_never_classified),
		cmocka_unit_test(a_cache_that_holds_all_data_explains_a_high_rate),
		cmocka_unit_test(matrix_units_beside_a_busy_vector_unit_are_idle),
		cmocka_unit_test(what_is_missing_stays_unknown),
		cmocka_unit_test(a_copy_has_no_arithmetic_and_still_a_class),
		cmocka_unit_test(kernels_name_their_units),
		cmocka_unit_test(products_on_the_vector_units_are_known_by_name_and_tile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
