/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixes of products: the time model, smaller types, layouts and sizes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/advice/products.h"
#include "tests/unit/advice_step.h"
#include "tests/unit/advice_trace.h"
#include "tests/unit/near.h"

#define H100  "NVIDIA H100 80GB HBM3"
#define A100  "NVIDIA A100-SXM4-80GB"
#define CLOSE 0.01

#define FLOATS  "[\"float\",\"float\"]"
#define DOUBLES "[\"double\",\"double\"]"
#define HALVES  "[\"c10::BFloat16\",\"c10::BFloat16\"]"

#define SGEMM  "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize256x128x8"
#define NVJET  "nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT"
#define ALIGN1 "cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x1_nn_align1"
#define ADD    "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>"

/* Returns a run of one operator with one kernel. */
static struct advice_trace *one(const char *op, const char *dims, const char *types,
                                const char *kernel, int64_t ns, const char *device)
{
	struct advice_trace *run = advice_trace_new();

	advice_trace_op(run, op, dims, types);
	advice_trace_kernel(run, kernel, ns);
	advice_trace_finish(run, device);
	return run;
}

/* Asserts that the fix gives the only kernel this time; NAN: it finds no place. */
static void assert_gives(struct advice_trace *run, weir_fix_apply *fix, double ns)
{
	assert_int_equal(advice_trace_apply(run, fix), !isnan(ns));
	if (!isnan(ns)) {
		const struct weir_job *job = &run->draft.program.jobs[0];

		assert_near(job->ns, ns, CLOSE);
		assert_true(job->low_ns < job->ns && job->ns < job->high_ns);
		assert_true(run->draft.basis.length > 0);
	}
	advice_trace_free(run);
}

/* ---- the model ---- */

/* Times measured in bf16 on an H100 SXM5. */
static void the_model_is_near_measured_products_of_all_sizes(void **state)
{
	static const struct {
		int m, n, k;
		double us;
	} measured[] = {
		{256, 256, 256, 3.2},      {768, 768, 768, 5.5},       {1024, 1024, 1024, 6.3},
		{2048, 2048, 2048, 24.5},  {4096, 4096, 4096, 175.3},  {8192, 8192, 8192, 1390.9},
		{1, 11008, 4096, 35.6},    {128, 11008, 4096, 37.4},   {256, 11008, 4096, 39.8},
		{512, 11008, 4096, 63.6},  {8192, 11008, 4096, 932.9}, {128, 4096, 4096, 14.6},
		{256, 4096, 4096, 19.8},   {1024, 3072, 768, 10.0},    {8192, 3072, 768, 60.3},
		{8192, 50304, 768, 936.3},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(measured); i++) {
		struct advice_trace *run;
		struct weir_product p;
		char dims[64];

		snprintf(dims, sizeof dims, "[[%d,%d],[%d,%d]]", measured[i].m, measured[i].k,
		         measured[i].k, measured[i].n);
		run = one("aten::mm", dims, HALVES, NVJET, (int64_t)(measured[i].us * 1e3), H100);
		assert_true(weir_product_read(&run->advisor, 0, &p));
		assert_near(weir_product_ns(&run->advisor, &p, p.engine, p.dtype, p.bytes),
		            measured[i].us * 1e3, 0.2);
		advice_trace_free(run);
	}
}

static void attention_has_the_rows_of_its_queries_and_keys(void **state)
{
	static const struct {
		const char *op, *dims;
	} orders[] = {
		{"aten::_scaled_dot_product_flash_attention",
	         "[[8,16,512,128],[8,16,1024,128],[8,16,1024,128]]"},
		{"aten::_flash_attention_forward",
	         "[[8,512,16,128],[8,1024,16,128],[8,1024,16,128]]"},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(orders); i++) {
		struct advice_trace *run =
			one(orders[i].op, orders[i].dims,
		            "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\"]",
		            "flash_fwd_kernel", 500000, H100);
		struct weir_product p;

		assert_true(weir_product_read(&run->advisor, 0, &p));
		assert_int_equal(p.kind, WEIR_PRODUCT_ATTENTION);
		assert_near(p.m, 512, 0);
		assert_near(p.n, 1024, 0);
		assert_near(p.batch, 8 * 16, 0);
		advice_trace_free(run);
	}
}

static void rows_of_other_than_16_bytes_are_slow(void **state)
{
	struct weir_product p = {.kind = WEIR_PRODUCT_MATRIX, .m = 64, .n = 64};

	(void)state;
	p.k = 4096;
	assert_near(weir_product_misaligned(&p, 2), 1, 0);
	p.k = 4095;
	assert_near(weir_product_misaligned(&p, 2), 6, 0);
	p.k = 4098;
	assert_near(weir_product_misaligned(&p, 2), 3, 0);
	p.k = 4100;
	assert_near(weir_product_misaligned(&p, 2), 3, 0);
	assert_near(weir_product_misaligned(&p, 4), 1, 0);
	p.m = 1;
	assert_near(weir_product_misaligned(&p, 2), 1, 0);
}

/* Rows of 64 bytes of channels reach the full rate: 32 channels in 16 bits, 16 in fp32. Channels
 * are padded to 16 bytes. A window of one place and the vector units read other rows. */
static void few_bytes_of_channels_slow_a_convolution(void **state)
{
	static const struct {
		double channels, window;
		enum weir_engine engine;
		enum weir_dtype dtype;
		double pace;
	} cases[] = {{32, 9, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16, 1},
	             {96, 9, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16, 1},
	             {48, 9, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16, 2},
	             {40, 9, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16, 4},
	             {33, 9, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16, 4},
	             {31, 9, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16, 1},
	             {48, 9, WEIR_ENGINE_TENSOR, WEIR_DTYPE_TF32, 1},
	             {40, 9, WEIR_ENGINE_TENSOR, WEIR_DTYPE_TF32, 2},
	             {48, 9, WEIR_ENGINE_VECTOR, WEIR_DTYPE_FP32, 1},
	             {48, 1, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16, 1}};
	struct advice_trace *run =
		one("aten::mm", "[[4096,4096],[4096,4096]]", HALVES, NVJET, 200000, H100);

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		double k = cases[i].channels * cases[i].window, whole_ns, ns;
		struct weir_product p = {.kind = WEIR_PRODUCT_CONVOLUTION,
		                         .m = 1 << 20,
		                         .n = 128,
		                         .k = k,
		                         .batch = 1,
		                         .flops = 2.0 * (1 << 20) * 128 * k};

		whole_ns = weir_product_ns(&run->advisor, &p, cases[i].engine, cases[i].dtype, 0);
		p.channels = cases[i].channels;
		ns = weir_product_ns(&run->advisor, &p, cases[i].engine, cases[i].dtype, 0);
		assert_near((ns - WEIR_PRODUCT_FIXED_NS) / (whole_ns - WEIR_PRODUCT_FIXED_NS),
		            cases[i].pace, 1e-6);
	}
	advice_trace_free(run);
}

/* ---- lower-precision ---- */

#define SQUARE "[[4096,4096],[4096,4096]]"

/* A product of matrices pays nothing for its layout, not even a nanosecond. */
static void an_aligned_product_takes_exactly_the_time_of_the_model(void **state)
{
	struct advice_trace *run =
		one("aten::mm", "[[4096,4096],[4096,4096]]", FLOATS, SGEMM, 3000000, H100);
	struct weir_product p;

	(void)state;
	assert_true(weir_product_read(&run->advisor, 0, &p));
	assert_true(advice_trace_apply(run, weir_fix_lower_precision));
	assert_near(run->draft.program.jobs[0].ns,
	            weir_product_ns(&run->advisor, &p, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16,
	                            p.bytes / 2),
	            1e-9);
	advice_trace_free(run);
}

static void an_fp32_product_takes_the_time_of_bf16(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", SQUARE, FLOATS, SGEMM, 2656000, H100),
	             weir_fix_lower_precision, 180800);
}

static void a_product_in_16_bits_is_low_enough(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", SQUARE, HALVES, NVJET, 180000, H100), weir_fix_lower_precision,
	             NAN);
}

static void an_fp32_product_that_bf16_would_slow_down_stays(void **state)
{
	(void)state;
	/* TF32 pads 4 elements for nothing; bf16 rows of 4100 are not aligned. */
	assert_gives(one("aten::mm", "[[4096,4100],[4100,4096]]", FLOATS,
	                 "cutlass_tf32_tensorop_s1688gemm", 390000, H100),
	             weir_fix_lower_precision, NAN);
}

static void an_unknown_device_predicts_no_type(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", SQUARE, FLOATS, SGEMM, 2656000, NULL),
	             weir_fix_lower_precision, NAN);
}

static void fp32_streams_alone_are_no_model_in_fp32(void **state)
{
	(void)state;
	assert_gives(one("aten::add", "[[8192,8192],[8192,8192]]", FLOATS, ADD, 300000, H100),
	             weir_fix_lower_precision, NAN);
}

static void streams_of_a_model_in_fp32_move_half_the_bytes(void **state)
{
	struct advice_trace *run = advice_trace_new();

	(void)state;
	advice_trace_op(run, "aten::mm", SQUARE, FLOATS);
	advice_trace_kernel(run, SGEMM, 2656000);
	advice_trace_op(run, "aten::add", "[[8192,8192],[8192,8192]]", FLOATS);
	advice_trace_kernel(run, ADD, 302000);
	advice_trace_op(run, "aten::add", "[[8192,8192],[8192,8192]]", HALVES);
	advice_trace_kernel(run, ADD, 150000);
	advice_trace_finish(run, H100);
	assert_true(advice_trace_apply(run, weir_fix_lower_precision));
	assert_near(run->draft.program.jobs[1].ns, 152000, CLOSE);
	assert_near(run->draft.program.jobs[2].ns, 150000, 0);
	advice_trace_free(run);
}

/* Returns the run of a product, an addition and fused attention, which trains parameters if the
 * operator behind them gathers gradients. */
static struct advice_trace *step_with(const char *types, const char *kernel, int64_t ns,
                                      const char *last)
{
	static const char heads[] = "[[8,1024,16,64],[8,1024,16,64],[8,1024,16,64]]";
	struct advice_trace *run = advice_trace_new();

	advice_trace_op(run, "aten::mm", SQUARE, types);
	advice_trace_kernel(run, kernel, ns);
	advice_trace_op(run, "aten::add", "[[8192,8192],[8192,8192]]", FLOATS);
	advice_trace_kernel(run, ADD, 302000);
	advice_trace_op(run, "aten::_efficient_attention_forward", heads,
	                "[\"float\",\"float\",\"float\"]");
	advice_trace_kernel(run, "fmha_cutlassF_f32_aligned_64x64_rf_sm80", 1500000);
	advice_trace_op(run, last, "[[4096,4096]]", "[\"float\"]");
	advice_trace_kernel(run, ADD, 30000);
	advice_trace_finish(run, H100);
	return run;
}

#define GRADIENT "torch::autograd::AccumulateGrad"

static void what_is_trained_stays_in_fp32(void **state)
{
	struct advice_trace *served = step_with(FLOATS, SGEMM, 2656000, "aten::relu"),
			    *trained = step_with(FLOATS, SGEMM, 2656000, GRADIENT);
	const struct weir_job *jobs;

	(void)state;
	assert_true(advice_trace_apply(served, weir_fix_lower_precision));
	jobs = served->draft.program.jobs;
	assert_near(jobs[0].ns, 180800, CLOSE);
	assert_near(jobs[1].ns, 152000, CLOSE);
	assert_true(jobs[2].ns < 500000);
	assert_true(advice_trace_apply(trained, weir_fix_lower_precision));
	jobs = trained->draft.program.jobs;
	/* TF32, and bf16 by autocast at least. */
	assert_near(jobs[0].ns, 377000, CLOSE);
	assert_near(jobs[0].low_ns, 0.85 * 180800, CLOSE);
	assert_true(jobs[0].high_ns > jobs[0].ns);
	assert_near(jobs[1].ns, 302000, 0);
	assert_near(jobs[2].ns, 1500000, 0);
	advice_trace_free(served);
	advice_trace_free(trained);
}

/* x^T x of a step that trains nothing: its result is square and its kernel reads both factors
 * across the inner dimension. Another shape or kernel is a layer's, which bf16 computes. */
static void moments_of_samples_stay_in_fp32(void **state)
{
	static const char nt[] = "cutlass_80_simt_sgemm_256x128_8x4_nt_align1";
	static const struct {
		const char *dims, *kernel;
		bool moments;
	} cases[] = {{SQUARE, nt, true},
	             {"[[4096,4096],[4096,4088]]", nt, false},
	             {SQUARE, "cutlass_80_simt_sgemm_256x128_8x4_nn_align1", false}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_trace *run = advice_trace_new();
		const struct weir_job *jobs;

		advice_trace_op(run, "aten::mm", cases[i].dims, FLOATS);
		advice_trace_kernel(run, cases[i].kernel, 2656000);
		advice_trace_op(run, "aten::add", "[[8192,8192],[8192,8192]]", FLOATS);
		advice_trace_kernel(run, ADD, 302000);
		advice_trace_finish(run, H100);
		assert_true(advice_trace_apply(run, weir_fix_lower_precision));
		jobs = run->draft.program.jobs;
		/* TF32 takes half as long again with both factors across; bf16 is the shortest. */
		assert_near(jobs[0].ns, cases[i].moments ? 564000 : 180800, CLOSE);
		assert_near(jobs[0].low_ns, 0.85 * 180800, CLOSE);
		assert_near(jobs[1].ns, cases[i].moments ? 302000 : 152000, CLOSE);
		advice_trace_free(run);
	}
}

/* From TF32 autocast goes to bf16. */
static void autocast_comes_behind_the_flag(void **state)
{
	struct advice_trace *run =
		step_with(FLOATS, "sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n", 380000, GRADIENT);

	(void)state;
	assert_true(advice_trace_apply(run, weir_fix_lower_precision));
	assert_near(run->draft.program.jobs[0].ns, 180800, CLOSE);
	assert_near(run->draft.program.jobs[1].ns, 302000, 0);
	advice_trace_free(run);
}

static void an_fp64_product_takes_the_time_of_tf32(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", "[[2048,2048],[2048,2048]]", DOUBLES,
	                 "sm80_xmma_gemm_f64f64_f64f64_f64_tn_n_dmma", 285000, H100),
	             weir_fix_lower_precision, 50950);
}

/* TF32 units read along the inner dimension: 1.5 times the time if both lie across it. */
static void an_fp64_product_of_turned_operands_is_slower_in_tf32(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", "[[2048,2048],[2048,2048]]", DOUBLES,
	                 "sm80_xmma_gemm_f64f64_f64f64_f64_nt_n_dmma", 285000, H100),
	             weir_fix_lower_precision, 74900);
}

static void kernels_that_load_single_elements_keep_their_loads(void **state)
{
	static const struct {
		const char *kernel;
		double ns;
	} cases[] = {{"void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add>", 152000},
	             {"void at::native::elementwise_kernel<128, 2, CUDAFunctor_add>", 197000},
	             {"void at::native::reduce_kernel<128, 4, MeanOps>", 197000}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_trace *run = advice_trace_new();

		advice_trace_op(run, "aten::mm", SQUARE, FLOATS);
		advice_trace_kernel(run, SGEMM, 2656000);
		advice_trace_op(run, "aten::add", "[[8192,8192],[1,8192]]", FLOATS);
		advice_trace_kernel(run, cases[i].kernel, 302000);
		advice_trace_finish(run, H100);
		assert_true(advice_trace_apply(run, weir_fix_lower_precision));
		assert_near(run->draft.program.jobs[1].ns, cases[i].ns, CLOSE);
		advice_trace_free(run);
	}
}

/* Kernels of the vector units want channels first, those of the matrix units channels last. */
static void layout_changes_of_fp32_convolutions_go_away_if_the_model_is_channels_last(void **state)
{
	static const struct {
		const char *before, *behind;
		double us;
	} cases[] = {{"cudnn::nhwcToNchwKernel<float>", "cudnn::nchwToNhwcKernel<float>", 30},
	             {"cudnn::nchwToNhwcKernel<float>", "cudnn::nhwcToNchwKernel<float>", 231}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_step *step = advice_step_new();
		struct advice_result result;

		advice_step_begin(step, "aten::cudnn_convolution",
		                  "[[16,128,64,64],[128,128,3,3],[],[],[],[],[],[],[]]",
		                  "[\"float\",\"float\",\"ScalarList\",\"ScalarList\","
		                  "\"ScalarList\",\"Scalar\",\"Scalar\",\"Scalar\",\"Scalar\"]",
		                  "[\"\",\"\",\"[1, 1]\",\"[1, 1]\",\"[1, 1]\",\"1\",\"False\","
		                  "\"False\",\"False\"]");
		advice_step_kernel(step, cases[i].before, 200, 1000);
		advice_step_kernel(step, "sm80_xmma_fprop_implicit_gemm_f32f32_nchwkcrs_nchw", 456,
		                   1000);
		advice_step_kernel(step, cases[i].behind, 200, 1000);
		advice_step_end(step);
		advice_step_apply(step, weir_fix_lower_precision, &result);
		assert_true(result.found);
		assert_near(result.after_us, cases[i].us, 0.1);
	}
}

/* The matrix units want channels last, so that each call changes the layout of its input, weights
 * and result; but a window of one place is a product of matrices. */
static void fp32_convolutions_of_channels_first_get_layout_changes(void **state)
{
	static const struct {
		const char *dims, *kernel;
		double us;
	} cases[] = {
		{"[[16,128,64,64],[128,128,3,3],[],[],[],[],[],[],[]]",
	         "sm80_xmma_fprop_implicit_gemm_f32f32_nchwkcrs_nchw", 72.5},
		{"[[16,128,64,64],[128,128,3,3],[],[],[],[],[],[],[]]",
	         "sm80_xmma_fprop_implicit_gemm_f32f32_nhwckrsc_nhwc", 30},
		{"[[16,128,64,64],[128,128,1,1],[],[],[],[],[],[],[]]",
	         "sm80_xmma_fprop_implicit_gemm_f32f32_nchwkcrs_nchw", 14.2},
		{"[[16,128,64,64],[128,128,3,3],[],[],[],[],[],[],[]]",
	         "cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>", 72.5},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_step *step = advice_step_new();
		struct advice_result result;

		advice_step_begin(
			step, "aten::cudnn_convolution", cases[i].dims,
			"[\"float\",\"float\",\"ScalarList\",\"ScalarList\","
			"\"ScalarList\",\"Scalar\",\"Scalar\",\"Scalar\",\"Scalar\"]",
			i != 2 ? "[\"\",\"\",\"[1, 1]\",\"[1, 1]\",\"[1, 1]\",\"1\",\"False\","
				 "\"False\",\"False\"]"
			       : "[\"\",\"\",\"[0, 0]\",\"[1, 1]\",\"[1, 1]\",\"1\",\"False\","
				 "\"False\",\"False\"]");
		advice_step_kernel(step, cases[i].kernel, 456, 1000);
		advice_step_end(step);
		advice_step_apply(step, weir_fix_lower_precision, &result);
		assert_true(result.found);
		assert_near(result.after_us, cases[i].us, 0.05);
	}
}

/* 137 GFLOP at 0.95 of 396 TFLOP/s. */
static void the_range_of_an_fp32_product_reaches_to_tf32(void **state)
{
	struct advice_trace *run = one("aten::mm", SQUARE, FLOATS, SGEMM, 2600000, H100);
	const struct weir_job *job;

	(void)state;
	assert_true(advice_trace_apply(run, weir_fix_lower_precision));
	job = &run->draft.program.jobs[0];
	assert_true(job->high_ns > 365000 && job->high_ns < 1.5 * 365000);
	advice_trace_free(run);
}

/* ---- fp8 ---- */

#define LARGE "[[8192,8192],[8192,8192]]"

static void a_large_product_in_fp8_and_its_pass_over_the_activations(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", LARGE, HALVES, NVJET, 1390000, H100), weir_fix_fp8, 882000);
}

/* The limit of power slows fp8 products less; see POWER_PACE. */
static void an_fp8_product_gains_from_less_power(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", LARGE, HALVES, NVJET, 1681900, H100), weir_fix_fp8, 963000);
	assert_gives(one("aten::mm", LARGE, HALVES, NVJET, 2224000, H100), weir_fix_fp8, 1197000);
}

static void a_device_without_fp8_units_computes_none(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", LARGE, HALVES, "ampere_bf16_s16816gemm", 4400000, A100),
	             weir_fix_fp8, NAN);
}

static void fp8_is_for_products_near_their_roof(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", LARGE, HALVES, NVJET, 2830000, H100), weir_fix_fp8, NAN);
}

static void fp8_needs_rows_of_16_elements(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", "[[8192,8192],[8192,8200]]", HALVES, NVJET, 1390000, H100),
	             weir_fix_fp8, NAN);
}

static void a_product_that_reads_weights_gains_nothing_in_fp8_units(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", "[[64,4096],[4096,11008]]", HALVES, NVJET, 36000, H100),
	             weir_fix_fp8, NAN);
}

/* ---- smaller-types ---- */

#define FEW "[[8,4096],[4096,11008]]"

static void weights_in_8_bits_take_half_of_their_time(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", FEW, HALVES, NVJET, 36000, H100), weir_fix_smaller_types,
	             19560);
}

static void a_product_with_many_rows_is_not_about_weights(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", "[[64,4096],[4096,11008]]", HALVES, NVJET, 36000, H100),
	             weir_fix_smaller_types, 19650);
	assert_gives(one("aten::mm", "[[65,4096],[4096,11008]]", HALVES, NVJET, 36000, H100),
	             weir_fix_smaller_types, NAN);
}

static void a_kernel_far_below_the_bandwidth_has_another_problem(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", FEW, HALVES, NVJET, 70000, H100), weir_fix_smaller_types, NAN);
}

/* A matrix in fp32 that the cache, 50 MB, does not hold may be stored in 16 bits; in a step that
 * trains it stays. */
static void a_large_matrix_in_fp32_takes_half_of_its_time(void **state)
{
	struct advice_trace *run;

	(void)state;
	assert_gives(one("aten::mm", "[[1,4096],[4096,3052]]", FLOATS, SGEMM, 24000, H100),
	             weir_fix_smaller_types, 13506);
	assert_gives(one("aten::mm", "[[1,4096],[4096,3051]]", FLOATS, SGEMM, 24000, H100),
	             weir_fix_smaller_types, NAN);
	assert_gives(one("aten::mm", "[[1,4096],[4096,3052]]", DOUBLES, SGEMM, 48000, H100),
	             weir_fix_smaller_types, NAN);
	run = advice_trace_new();
	advice_trace_op(run, GRADIENT, "[[4096,3052]]", "[\"float\"]");
	advice_trace_op(run, "aten::mm", "[[1,4096],[4096,3052]]", FLOATS);
	advice_trace_kernel(run, SGEMM, 24000);
	advice_trace_finish(run, H100);
	assert_false(advice_trace_apply(run, weir_fix_smaller_types));
	advice_trace_free(run);
}

static void streams_read_no_weights(void **state)
{
	(void)state;
	assert_gives(one("aten::add", "[[8192,8192],[8192,8192]]", HALVES, ADD, 150000, H100),
	             weir_fix_smaller_types, NAN);
}

/* 65,536 rows of 512 bytes are 33.6 MB: half of them take 5.6 us at 3.0 TB/s, or
 * at most half of the kernel. */
static void lookups_in_a_large_fp32_table_read_half(void **state)
{
	static const char lookup[] = "[\"float\", \"long int\"]";
	static const char half[] = "[\"c10::Half\", \"long int\"]";
	static const char kernel[] = "vectorized_gather_kernel";
	struct advice_trace *run;

	(void)state;
	run = one("aten::embedding", "[[1000000,128],[65536]]", lookup, kernel, 30000, H100);
	assert_true(advice_trace_apply(run, weir_fix_smaller_types));
	assert_true(run->draft.program.jobs[0].ns >= 16000 - 1);
	assert_true(run->draft.program.jobs[0].ns <= 30000 - 5500);
	advice_trace_free(run);
	/* in the cache; short rows; 16 bits already */
	assert_gives(one("aten::embedding", "[[90000,128],[65536]]", lookup, kernel, 30000, H100),
	             weir_fix_smaller_types, NAN);
	assert_gives(one("aten::embedding", "[[1000000,31],[65536]]", lookup, kernel, 30000, H100),
	             weir_fix_smaller_types, NAN);
	assert_gives(one("aten::embedding", "[[1000000,128],[65536]]", half, kernel, 30000, H100),
	             weir_fix_smaller_types, NAN);
}

static void kernels_of_a_graph_are_known_by_their_names(void **state)
{
	static const struct {
		const char *kernel;
		bool found;
	} cases[] = {
		{"nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT", true},
		{"void gemvNSP_kernel<__nv_bfloat16, __nv_bfloat16, float>", true},
		{"gemv8", false}, /* written by hand: the name tells no type */
		{"void gemvNSP_kernel<float, float, float>", false},
		{"nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT", false},
		{"nvjet_sm90_qqtst_64x8_128x6_1x2_h_bz_TNN", false},
		{"void at::native::vectorized_elementwise_kernel<8>", false},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_trace *run = advice_trace_new();

		advice_trace_graph(run, cases[i].kernel, 13000, 4);
		advice_trace_finish(run, H100);
		assert_int_equal(advice_trace_apply(run, weir_fix_smaller_types), cases[i].found);
		if (cases[i].found)
			assert_near(run->draft.program.jobs[3].ns, 8500, CLOSE);
		advice_trace_free(run);
	}
}

/* A graph of one kernel that takes 23 us, and one of another kernel that takes this time. */
static struct advice_trace *graphs_of(const char *kernel, const char *other, int64_t ns)
{
	struct advice_trace *run = advice_trace_new();

	advice_trace_graph(run, kernel, 23000, 4);
	advice_trace_graph(run, other, ns, 4);
	advice_trace_finish(run, H100);
	return run;
}

static void graphs_with_weights_in_fp32_are_known_by_their_names(void **state)
{
	static const char gemv[] = "void gemv2T_kernel_val<int, int, float, float, float, float>";
	static const char add[] = "void at::native::vectorized_elementwise_kernel<4>";
	static const char half[] = "nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT";
	static const char attention[] = "fmha_cutlassF_f32_aligned_64x64_rf_sm80";
	static const struct {
		const char *kernel;
		bool found;
	} cases[] = {
		{"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, float, "
	         "float, float, float>",
	         true},
		{"Cijk_Alik_Bljk_SB_MT16x16x32_MI16x16x1", true},
		{"void gemmSN_TN_kernel<float, 128, 16, 2, 4, 4, 4, true, "
	         "cublasGemvTensorStridedBatched<float const>, "
	         "cublasGemvTensorStridedBatched<float const>>",
	         true},
		{"void gemmSN_TN_kernel<__half, 128, 16, 2, 4, 4, 4, true, "
	         "cublasGemvTensorStridedBatched<__half const>>",
	         false},
		{"void gemvNSP_kernel<__nv_bfloat16, __nv_bfloat16, float>", false},
		{"void gemv2T_kernel_val<int, int, double, double, double, double>", false},
		{"void gemv_kernel<signed char, float, float, float>", false},
		{"gemv8", false}, /* written by hand: the name tells no type */
		{"fmha_cutlassF_f32_aligned_64x64_rf_sm80", false}, /* without products */
	};
	struct advice_trace *run;

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		run = graphs_of(cases[i].kernel, add, 5000);
		assert_int_equal(advice_trace_apply(run, weir_fix_lower_precision), cases[i].found);
		if (cases[i].found)
			assert_near(run->draft.program.jobs[0].ns, 14000, CLOSE);
		advice_trace_free(run);
	}
	run = graphs_of(gemv, attention, 13000);
	assert_true(advice_trace_apply(run, weir_fix_lower_precision));
	assert_near(run->draft.program.jobs[7].ns, 8500, CLOSE);
	advice_trace_free(run);
	/* a model in 16 bits whose router is in fp32 */
	run = graphs_of(gemv, half, 22000);
	assert_true(advice_trace_apply(run, weir_fix_lower_precision));
	advice_trace_free(run);
	run = graphs_of(gemv, half, 24000);
	assert_false(advice_trace_apply(run, weir_fix_lower_precision));
	advice_trace_free(run);
}

/* ---- channels-last ---- */

#define CONV "[[64,256,56,56],[256,256,3,3],[],[],[],[],[],[],[]]"
#define CONV_TYPES                                                                                 \
	"[\"c10::Half\",\"c10::Half\",\"ScalarList\",\"ScalarList\",\"ScalarList\",\"Scalar\","    \
	"\"Scalar\",\"Scalar\",\"Scalar\"]"

static void layout_kernels_around_convolutions_go_away(void **state)
{
	struct advice_trace *run = advice_trace_new();

	(void)state;
	advice_trace_op(run, "aten::cudnn_convolution", CONV, CONV_TYPES);
	advice_trace_kernel(run, "void cudnn::engines_precompiled::nchwToNhwcKernel<__half>",
	                    90000);
	advice_trace_kernel(run, "sm90_xmma_fprop_implicit_gemm_f16f16_nhwckrsc_nhwc", 305000);
	advice_trace_kernel(run, "void cudnn::engines_precompiled::nhwcToNchwKernel<__half>",
	                    95000);
	advice_trace_op(run, "aten::upsample_nearest2d", "[[64,256,56,56],[],[],[]]",
	                "[\"c10::Half\",\"ScalarList\",\"Scalar\",\"Scalar\"]");
	advice_trace_kernel(run, "upsample_nearest2d_out_frame<c10::Half>", 100000);
	advice_trace_finish(run, H100);
	assert_true(advice_trace_apply(run, weir_fix_channels_last));
	assert_near(run->draft.program.jobs[0].ns, 0, 0);
	assert_near(run->draft.program.jobs[1].ns, 305000, 0);
	assert_near(run->draft.program.jobs[2].ns, 0, 0);
	assert_near(run->draft.program.jobs[3].ns, 220000, 0.001); /* slower in this layout */
	advice_trace_free(run);
}

/* The time before the first call of the convolution is its own, that before the last call is not.
 */
static void the_hosts_time_before_a_convolution_stays(void **state)
{
	struct advice_trace *run = advice_trace_new();
	const struct weir_issue *now, *then;

	(void)state;
	advice_trace_op(run, "aten::relu", "[[64,256,56,56]]", "[\"c10::Half\"]");
	advice_trace_kernel(run, "vectorized_elementwise_kernel", 70000);
	advice_trace_op(run, "aten::cudnn_convolution", CONV, CONV_TYPES);
	advice_trace_kernel(run, "void cudnn::engines_precompiled::nchwToNhwcKernel<__half>",
	                    90000);
	advice_trace_kernel(run, "sm90_xmma_fprop_implicit_gemm_f16f16_nhwckrsc_nhwc", 305000);
	advice_trace_kernel(run, "void cudnn::engines_precompiled::nhwcToNchwKernel<__half>",
	                    95000);
	advice_trace_finish(run, H100);
	assert_true(advice_trace_apply(run, weir_fix_channels_last));
	now = run->advisor.program.issues;
	then = run->draft.program.issues;
	assert_true(now[1].dispatch_ns > 0);
	assert_near(then[1].dispatch_ns, now[1].dispatch_ns, 0);
	assert_near(then[1].call_ns, 0, 0);
	assert_true(now[3].dispatch_ns > 0);
	assert_near(then[3].dispatch_ns, 0, 0);
	assert_near(then[3].call_ns, 0, 0);
	advice_trace_free(run);
}

static void a_convolution_in_the_right_layout_stays(void **state)
{
	(void)state;
	assert_gives(one("aten::cudnn_convolution", CONV, CONV_TYPES,
	                 "sm90_xmma_fprop_implicit_gemm_f16f16_nhwckrsc_nhwc", 305000, H100),
	             weir_fix_channels_last, NAN);
}

/* ---- align-sizes ---- */

#define ODD "[[4096,4095],[4095,4096]]"
/* 16.8 million elements: 11 us to fill the padded matrix, 49 to copy them by their index, and two
 * launches */
#define PAD_NS 64000

static void an_odd_product_takes_the_time_of_the_next_multiple_of_8(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", ODD, HALVES, ALIGN1, 1017000, H100), weir_fix_align_sizes,
	             180800 + PAD_NS);
	/* the result alone is odd */
	assert_gives(one("aten::mm", "[[4096,4096],[4096,4095]]", HALVES, ALIGN1, 1017000, H100),
	             weir_fix_align_sizes, 180800);
}

/* Three products of rows of 1,025 values, whose first input is padded alone, and one of other rows.
 */
static void a_result_of_a_padded_product_is_not_padded_again(void **state)
{
	struct advice_trace *run = advice_trace_new();
	const struct weir_job *jobs;

	(void)state;
	for (int i = 0; i < 4; i++) {
		advice_trace_op(run, "aten::mm",
		                i < 3 ? "[[24000,1025],[1025,1025]]" : "[[24001,1025],[1025,1025]]",
		                HALVES);
		advice_trace_kernel(run, ALIGN1, 468000);
	}
	advice_trace_finish(run, H100);
	assert_true(advice_trace_apply(run, weir_fix_align_sizes));
	jobs = run->draft.program.jobs;
	/* 24.6 million elements by their index, and 16 us to fill the padded tensor */
	assert_near(jobs[0].ns - jobs[1].ns, 92000, CLOSE);
	assert_near(jobs[2].ns, jobs[1].ns, CLOSE);
	assert_true(jobs[3].ns - jobs[2].ns > 90000);
	advice_trace_free(run);
}

static void an_odd_product_on_a_fast_kernel_stays(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", ODD, HALVES, ALIGN1, 255000, H100), weir_fix_align_sizes,
	             180800 + PAD_NS);
	assert_gives(one("aten::mm", ODD, HALVES, ALIGN1, 250000, H100), weir_fix_align_sizes, NAN);
}

static void a_slow_product_with_even_sizes_is_aligned(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", SQUARE, HALVES, NVJET, 1017000, H100), weir_fix_align_sizes,
	             NAN);
}

static void fp32_units_load_single_elements(void **state)
{
	(void)state;
	assert_gives(one("aten::mm", ODD, FLOATS, SGEMM, 2656000, H100), weir_fix_align_sizes, NAN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_model_is_near_measured_products_of_all_sizes),
		cmocka_unit_test(attention_has_the_rows_of_its_queries_and_keys),
		cmocka_unit_test(rows_of_other_than_16_bytes_are_slow),
		cmocka_unit_test(few_bytes_of_channels_slow_a_convolution),
		cmocka_unit_test(an_fp32_product_takes_the_time_of_bf16),
		cmocka_unit_test(a_product_in_16_bits_is_low_enough),
		cmocka_unit_test(an_fp32_product_that_bf16_would_slow_down_stays),
		cmocka_unit_test(an_unknown_device_predicts_no_type),
		cmocka_unit_test(fp32_streams_alone_are_no_model_in_fp32),
		cmocka_unit_test(streams_of_a_model_in_fp32_move_half_the_bytes),
		cmocka_unit_test(what_is_trained_stays_in_fp32),
		cmocka_unit_test(moments_of_samples_stay_in_fp32),
		cmocka_unit_test(autocast_comes_behind_the_flag),
		cmocka_unit_test(an_fp64_product_takes_the_time_of_tf32),
		cmocka_unit_test(an_fp64_product_of_turned_operands_is_slower_in_tf32),
		cmocka_unit_test(kernels_that_load_single_elements_keep_their_loads),
		cmocka_unit_test(
			layout_changes_of_fp32_convolutions_go_away_if_the_model_is_channels_last),
		cmocka_unit_test(fp32_convolutions_of_channels_first_get_layout_changes),
		cmocka_unit_test(the_range_of_an_fp32_product_reaches_to_tf32),
		cmocka_unit_test(a_large_product_in_fp8_and_its_pass_over_the_activations),
		cmocka_unit_test(an_fp8_product_gains_from_less_power),
		cmocka_unit_test(a_device_without_fp8_units_computes_none),
		cmocka_unit_test(fp8_is_for_products_near_their_roof),
		cmocka_unit_test(fp8_needs_rows_of_16_elements),
		cmocka_unit_test(a_product_that_reads_weights_gains_nothing_in_fp8_units),
		cmocka_unit_test(weights_in_8_bits_take_half_of_their_time),
		cmocka_unit_test(a_product_with_many_rows_is_not_about_weights),
		cmocka_unit_test(a_kernel_far_below_the_bandwidth_has_another_problem),
		cmocka_unit_test(a_large_matrix_in_fp32_takes_half_of_its_time),
		cmocka_unit_test(streams_read_no_weights),
		cmocka_unit_test(lookups_in_a_large_fp32_table_read_half),
		cmocka_unit_test(kernels_of_a_graph_are_known_by_their_names),
		cmocka_unit_test(graphs_with_weights_in_fp32_are_known_by_their_names),
		cmocka_unit_test(layout_kernels_around_convolutions_go_away),
		cmocka_unit_test(the_hosts_time_before_a_convolution_stays),
		cmocka_unit_test(a_convolution_in_the_right_layout_stays),
		cmocka_unit_test(an_odd_product_takes_the_time_of_the_next_multiple_of_8),
		cmocka_unit_test(a_result_of_a_padded_product_is_not_padded_again),
		cmocka_unit_test(an_odd_product_on_a_fast_kernel_stays),
		cmocka_unit_test(a_slow_product_with_even_sizes_is_aligned),
		cmocka_unit_test(fp32_units_load_single_elements),
		cmocka_unit_test(an_aligned_product_takes_exactly_the_time_of_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
