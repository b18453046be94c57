/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/names/kernels.h"
#include "tests/unit/near.h"

#define ELEMENTWISE "void at::native::vectorized_elementwise_kernel<4, at::native::"

static const struct {
	const char *kernel;
	enum weir_family family;
} known[] = {
	{"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
         WEIR_FAMILY_COMMUNICATION},
	{"void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, "
         "16>(c10::BFloat16*)",
         WEIR_FAMILY_COMMUNICATION},
	{"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 2>(...)", WEIR_FAMILY_COMMUNICATION},
	{"void deep_ep::internode_ll::dispatch<true, 3, 10, 7168>(void*)",
         WEIR_FAMILY_COMMUNICATION},
	{"void deep_ep::intranode::combine<__nv_bfloat16, 8, 768>(...)", WEIR_FAMILY_COMMUNICATION},
	{"void dpsk::ep::dispatch<8, 4096>(dpsk::ep::Config)", WEIR_FAMILY_COMMUNICATION},
	{"_ZN4dpsk2ep7combineILi8EEEvPv", WEIR_FAMILY_COMMUNICATION},
	{"void uccl::internode::dispatch<false>(int4*)", WEIR_FAMILY_COMMUNICATION},
	{"void serving::ep::low_latency_combine(void*)", WEIR_FAMILY_COMMUNICATION},
	{"nvshmem_dispatch_kernel(void*)", WEIR_FAMILY_COMMUNICATION},
	{"nvshmemi_proxy_quiet_combine", WEIR_FAMILY_COMMUNICATION},
	{"mori::moe::EpDispatchIntraNodeKernel", WEIR_FAMILY_COMMUNICATION},
	{"void moe::step::dispatch_rows<4>(int*)", WEIR_FAMILY_OTHER},
	{"void deep::dispatch(int*)", WEIR_FAMILY_OTHER},
	{"void serving::ep::swizzle(void*)", WEIR_FAMILY_OTHER},
	{"void dpsk::epilogue_only(void*)", WEIR_FAMILY_OTHER},
	{"void flash::flash_fwd_splitkv_combine_kernel<...>(...)", WEIR_FAMILY_ATTENTION},
	{"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
         "at::native::MeanOps>>(...)",
         WEIR_FAMILY_REDUCE},
	{"__amd_rocclr_copyBuffer", WEIR_FAMILY_COPY},
	{"void tensorTransformGeneric<__half, __half, float, true, false, "
         "false>(cudnnTensorTransformStruct)",
         WEIR_FAMILY_COPY},
	{"Memcpy HtoD (Pageable -> Device)", WEIR_FAMILY_COPY},
	{"nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT", WEIR_FAMILY_GEMM},
	{"Cijk_Alik_Bljk_BBS_BH_Bias_MT256x192x64_MI16x16x1_SN", WEIR_FAMILY_GEMM},
	{"void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(...)",
         WEIR_FAMILY_GEMM},
	{"std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, "
         "float>(...)",
         WEIR_FAMILY_GEMV},
	{"void cublasLt::splitKreduce_kernel<32, 16, int, float>(...)", WEIR_FAMILY_REDUCE},
	{"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_"
         "4x1x1_kernel0_0",
         WEIR_FAMILY_ATTENTION},
	{"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, "
         "128, 128>>(...)",
         WEIR_FAMILY_ATTENTION},
	{"sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc",
         WEIR_FAMILY_CONVOLUTION},
	{"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, "
         "float>(...)",
         WEIR_FAMILY_NORM},
	{"erfc_kernel_vectorized4_kernel", WEIR_FAMILY_ELEMENTWISE},
	{"lgamma_kernel_kernel", WEIR_FAMILY_ELEMENTWISE},
	{"vllm::rms_norm_vectorized4_kernel_of_mine", WEIR_FAMILY_NORM},
	{"std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, "
         "void>::type "
         "vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, long)",
         WEIR_FAMILY_NORM},
	{"void (anonymous namespace)::softmax_warp_forward<float, float, float, 9>(...)",
         WEIR_FAMILY_SOFTMAX},
	{ELEMENTWISE "CUDAFunctor_add<float>, std::array<char*, 3ul> >(...)",
         WEIR_FAMILY_ELEMENTWISE},
	{ELEMENTWISE "FillFunctor<float>, std::array<char*, 1ul> >(...)", WEIR_FAMILY_COPY},
	{ELEMENTWISE "bfloat16_copy_kernel_cuda(at::TensorIteratorBase&)::{lambda(float)#1}>(...)",
         WEIR_FAMILY_COPY},
	{"void at::native::vectorized_gather_kernel<16, long>(...)", WEIR_FAMILY_INDEX},
	{"void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16>(...)",
         WEIR_FAMILY_INDEX},
	{"void cub::DeviceRadixSortOnesweepKernel<...>(...)", WEIR_FAMILY_SORT},
	{"triton_poi_fused__to_copy_1", WEIR_FAMILY_ELEMENTWISE},
	{"loop_add_subtract_fusion_3", WEIR_FAMILY_ELEMENTWISE},
	{"input_reduce_fusion_4", WEIR_FAMILY_REDUCE},
	{"input_concatenate_fusion", WEIR_FAMILY_ELEMENTWISE},
	{"wrapped_convert", WEIR_FAMILY_ELEMENTWISE},
	{"fusion_178", WEIR_FAMILY_OTHER},
	{"triton_red_fused__unsafe_view_add_mean_mul_pow_rsqrt_1", WEIR_FAMILY_NORM},
	{"triton_per_fused__softmax_2", WEIR_FAMILY_SOFTMAX},
	{"cupy_multiply__float32_float32_float32", WEIR_FAMILY_ELEMENTWISE},
	{"cupy_fancy", WEIR_FAMILY_OTHER},
	{"multiply__float32", WEIR_FAMILY_OTHER},
	{"void regular_fft<384u, EPT<8u, 12u>, 8u, 4u>(...)", WEIR_FAMILY_FFT},
	{"void vector_fft<128u, EPT<16u>>(...)", WEIR_FAMILY_FFT},
	{"fft_rtc_fwd_len384_factors_8_6_8", WEIR_FAMILY_FFT},
	{"void dpRadix0064B::kernel1Mem<unsigned int, double>(...)", WEIR_FAMILY_FFT},
	{"void spRadix0128C::kernel3Mem<unsigned int, float>(...)", WEIR_FAMILY_FFT},
	{"void fft2d_r2c_32x32<float, false, 1u>(...)", WEIR_FAMILY_CONVOLUTION},
	{"void shift_left(float*)", WEIR_FAMILY_OTHER},
	{"poly_kernel", WEIR_FAMILY_OTHER},
	{"", WEIR_FAMILY_OTHER},
};

static void families_follow_the_libraries_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (weir_kernel_family(known[i].kernel) != known[i].family)
			print_error("%s\n", known[i].kernel);
		assert_string_equal(weir_family_name(weir_kernel_family(known[i].kernel)),
		                    weir_family_name(known[i].family));
	}
}

static void a_generic_kernel_is_no_collective_whatever_its_functor(void **state)
{
	(void)state;
	assert_false(weir_kernel_is_communication(ELEMENTWISE "all_reduce_gradient<float> >(...)"));
	assert_false(weir_kernel_is_communication(
		"void at::native::reduce_kernel<512, 1, one_shot_op>(...)"));
	assert_false(
		weir_kernel_is_communication("void at::native::block_all_reduce_sum<float>(...)"));
	assert_true(weir_kernel_is_communication(
		"void two_shot_all_reduce_kernel<c10::BFloat16>(...)"));
	assert_true(weir_kernel_is_driver_copy("__amd_rocclr_fillBufferAligned.kd"));
	assert_false(weir_kernel_is_driver_copy("direct_copy_kernel_cuda"));
}

static void assert_display(const char *kernel, const char *shown)
{
	struct weir_text text = {0};

	weir_kernel_display(kernel, &text);
	assert_non_null(text.data);
	assert_string_equal(text.data, shown);
	weir_text_release(&text);
}

static void names_are_shown_as_people_read_them(void **state)
{
	(void)state;
	assert_display("nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT",
	               "nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT");
	assert_display("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
	               "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
	assert_display("Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pageable -> Device)");
	assert_display("void at::native::(anonymous "
	               "namespace)::vectorized_layer_norm_kernel<c10::BFloat16, "
	               "float, true>(int, float, c10::BFloat16 const*)",
	               "vectorized_layer_norm_kernel");
	assert_display("std::enable_if<(((8)>(0)))&&vllm::_typeConvert<c10::BFloat16>::exists, "
	               "void>::type "
	               "vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*, long)",
	               "vllm::fused_add_rms_norm_kernel");
	assert_display("void flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::Mainloop, "
	               "int>>(flash::FlashAttnFwdSm90<flash::Mainloop, int>::Params)",
	               "flash::FlashAttnFwdSm90");
	assert_display("void at::cuda::detail::enable_3x_kernel_for_sm9x<cutlass::gemm::kernel::"
	               "GemmUniversal<int>>(cutlass::gemm::kernel::GemmUniversal<int>::Params)",
	               "cutlass::gemm::kernel::GemmUniversal");
	assert_display("void cutlass::Kernel2<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>("
	               "cutlass_80_simt_sgemm_256x128_8x4_nn_align1::Params)",
	               "cutlass_80_simt_sgemm_256x128_8x4_nn_align1");
	assert_display("_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb1ELb0EEEvPT0_",
	               "aiter::add_rmsnorm_quant_kernel");
	assert_display("void at::<unnamed>::indexSelectSmallIndex<c10::BFloat16, "
	               "long>(cuda::TensorInfo<T1, T3>)",
	               "at::indexSelectSmallIndex");
	assert_display("kernel_0x7f00dead", "kernel");
	assert_display("kernel_1f00dead12ab", "kernel");
	assert_display("triton__0d1d2d3d4d", "triton__0d1d2d3d4d");
}

static void generic_kernels_show_their_functor(void **state)
{
	(void)state;
	assert_display(ELEMENTWISE "FillFunctor<float>, std::array<char*, 1ul> >(int, ...)",
	               "elementwise FillFunctor");
	assert_display(ELEMENTWISE
	               "BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor"
	               "<float> >, std::array<char*, 3ul> >(int, ...)",
	               "elementwise MulFunctor");
	assert_display(
		"void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl_nocast<"
		"at::native::(anonymous "
		"namespace)::silu_kernel(at::TensorIteratorBase&)::{lambda()#1}::"
		"operator()() const::{lambda()#6}> >(int, ...)",
		"elementwise silu_kernel");
	assert_display("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
	               "at::native::MeanOps<"
	               "float, float, float, float>, unsigned int, float, 4> >(...)",
	               "reduce MeanOps");
}

static void a_tile_suffix_is_the_second_level_of_a_name(void **state)
{
	static const struct {
		const char *name;
		uint32_t m, n;
	} rows[] = {
		{"nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT", 64, 8},
		{"cutlass_80_tensorop_f16_s16816gemm_f16_256x128_32x3_nn_align8", 256, 128},
		{"ampere_bf16_s16816gemm_bf16_64x64_sliced1x2_ldg8_f2f_tn", 64, 64},
		{"cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32_void_bf16_128x256x64_2x1x1_"
	         "0_tnn_align8",
	         128, 256},
		{"Cijk_Alik_Bljk_BBS_BH_MT16x32x512_MI16x16x1_SN", 16, 32},
		{"elementwise FillFunctor", 0, 0},
		{"kernel_99999999999999x4", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct weir_tile tile = weir_kernel_tile(rows[i].name);

		assert_int_equal(tile.m, rows[i].m);
		assert_int_equal(tile.n, rows[i].n);
	}
}

static void the_tile_tells_what_limits_a_product(void **state)
{
	static const struct {
		const char *kernel;
		enum weir_family_limit limit;
	} rows[] = {
		{"nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT", WEIR_LIMIT_MEMORY},
		{"nvjet_sm90_tst_8x64_64x16_4x1_v_bz_bias_TNN", WEIR_LIMIT_MEMORY},
		{"nvjet_sm90_tst_144x64_64x8_4x1_v_bz_TNN", WEIR_LIMIT_MEMORY},
		{"nvjet_sm90_tst_64x64_64x13_2x1_v_bz_TNT", WEIR_LIMIT_UNKNOWN},
		{"nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_NNT", WEIR_LIMIT_COMPUTE},
		{"ampere_bf16_s16816gemm_bf16_64x64_sliced1x2", WEIR_LIMIT_UNKNOWN},
		{"some_gemm_without_tile", WEIR_LIMIT_UNKNOWN},
		{"void gemv2T_kernel_val<int, int, float>(...)", WEIR_LIMIT_MEMORY},
		{"void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<128, 64, 128>>(...)",
	         WEIR_LIMIT_MEMORY},
		{"cudnn_generated_fort_native_sdpa_sm80_flash_fprop_wmma_f16_knob_35_16x128x128_"
	         "1x4x1_kernel0_0",
	         WEIR_LIMIT_MEMORY},
		{"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_"
	         "4x1x1_kernel0_0",
	         WEIR_LIMIT_UNKNOWN},
		{ELEMENTWISE "CUDAFunctor_add<float> >(...)", WEIR_LIMIT_MEMORY},
		{"cupy_add__float32_float32_float32", WEIR_LIMIT_MEMORY},
		{"void regular_fft<384u, EPT<8u, 12u>>(...)", WEIR_LIMIT_MEMORY},
		{"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(...)", WEIR_LIMIT_UNKNOWN},
		{"poly_kernel", WEIR_LIMIT_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (weir_kernel_limit(rows[i].kernel) != rows[i].limit)
			print_error("%s\n", rows[i].kernel);
		assert_int_equal(weir_kernel_limit(rows[i].kernel), rows[i].limit);
	}
}

static void limits_of_tiles_are_exact(void **state)
{
	static const struct {
		const char *kernel;
		enum weir_family_limit limit;
		bool streams;
	} rows[] = {
		{"some_gemm_32x32", WEIR_LIMIT_MEMORY, true},
		{"some_gemm_32x4096", WEIR_LIMIT_MEMORY, true},
		{"some_gemm_4096x32", WEIR_LIMIT_MEMORY, true},
		{"some_gemm_33x49", WEIR_LIMIT_UNKNOWN, false},
		{"some_gemm_33x50", WEIR_LIMIT_MEMORY, false},
		{"some_gemm_64x95", WEIR_LIMIT_UNKNOWN, false},
		{"some_gemm_64x96", WEIR_LIMIT_MEMORY, false},
		{"some_gemm_96x64", WEIR_LIMIT_MEMORY, false},
		{"some_gemm_65x126", WEIR_LIMIT_UNKNOWN, false}, /* 8,190, two less than 64 x 128 */
		{"some_gemm_126x65", WEIR_LIMIT_UNKNOWN, false},
		{"some_gemm_64x128", WEIR_LIMIT_MEMORY, false},
		{"some_gemm_128x128", WEIR_LIMIT_COMPUTE, false},
		{"some_gemm_66x125", WEIR_LIMIT_COMPUTE, false}, /* 8,250 */
		{"some_gemm_4096x4096", WEIR_LIMIT_COMPUTE, false},
		{"some_gemm_4097x4096", WEIR_LIMIT_UNKNOWN, false},
		{"some_gemm_128x4097", WEIR_LIMIT_UNKNOWN, false},
		{"flash_fwd_16x128", WEIR_LIMIT_MEMORY, true},
		{"flash_fwd_17x128", WEIR_LIMIT_UNKNOWN, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (weir_kernel_limit(rows[i].kernel) != rows[i].limit)
			print_error("%s\n", rows[i].kernel);
		assert_int_equal(weir_kernel_limit(rows[i].kernel), rows[i].limit);
		assert_int_equal(weir_kernel_streams(rows[i].kernel), rows[i].streams);
	}
}

static void streams_are_elementwise_copies_and_products_of_few_rows(void **state)
{
	static const struct {
		const char *kernel;
		bool streams;
	} rows[] = {
		{"nvjet_sm90_tst_64x8_64x16_4x1_v_bz_TNT", true},
		{"nvjet_sm90_tst_32x128_64x16_4x1_v_bz_TNT", true},
		{"nvjet_sm90_hsh_64x40_64x16_2x4_h_bz_bias_TNT", false},
		{"some_gemm_without_tile", false},
		{"void gemv2T_kernel_val<int, int, float>(...)", true},
		{ELEMENTWISE "CUDAFunctor_add<float> >(...)", true},
		{"cupy_add__float32_float32_float32", true},
		{"void regular_fft<384u, EPT<8u, 12u>>(...)", false},
		{"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>(...)",
	         false},
		{"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(...)", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (weir_kernel_streams(rows[i].kernel) != rows[i].streams)
			print_error("%s\n", rows[i].kernel);
		assert_int_equal(weir_kernel_streams(rows[i].kernel), rows[i].streams);
	}
}

#define WRAPPED "cutlass::Kernel<cutlass::Kernel<cutlass::Kernel<cutlass::Kernel<x>>>>"

/* Brackets without end, lengths beyond the text, and nothing but punctuation. */
static void hostile_names_come_back_as_something(void **state)
{
	static const char *const names[] = {
		"<<<<<<<<",
		">>>>",
		"((((",
		"void ",
		"_Z",
		"_ZN",
		"_ZN99999999999999999999a",
		"_ZN5ab",
		WRAPPED,
		"cutlass::Kernel<",
		"at::native::",
		"elementwise_kernel<>",
		"elementwise_kernel<,,,>",
		"____",
		"0x",
		"_0x",
		"a_0x",
		"(anonymous namespace)::",
		"(anonymous namespace)",
		"<unnamed>::",
		"x<unnamed>::y",
	};
	char deep[4096];

	(void)state;
	memset(deep, '<', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	for (size_t i = 0; i <= sizeof(names) / sizeof(names[0]); i++) {
		const char *name = i < sizeof(names) / sizeof(names[0]) ? names[i] : deep;
		struct weir_text text = {0};

		weir_kernel_display(name, &text);
		assert_true(text.length > 0 && text.length <= strlen(name));
		(void)weir_kernel_limit(name);
		weir_text_release(&text);
	}
}

static void wrappers_show_the_functor_that_they_run(void **state)
{
	(void)state;
	assert_display("void cutlass::device_kernel<cutlass::gemm::Foo<A, B>, int>(P)",
	               "cutlass::gemm::Foo");
	assert_display("void cutlass::device_kernel<1, x::Bar<2, 3>, z>(P)", "x::Bar");
	assert_display("void cutlass::device_kernel<1,  x::Bar >(P)", "x::Bar");
	assert_display("void cutlass::device_kernel<1>(P)", "cutlass::device_kernel");
	assert_display("void cutlass::device_kernel(P)", "cutlass::device_kernel");
	assert_display("void cutlass::Kernels<Foo>(P)", "cutlass::Kernels");
	assert_display("void other::Kernel<Foo>(P)", "other::Kernel");
	/* Four wrappers are opened. */
	assert_display("cutlass::Kernel<cutlass::Kernel<cutlass::Kernel<cutlass::Kernel<Foo<1>>>>>",
	               "Foo");
	assert_display("cutlass::Kernel<cutlass::Kernel<cutlass::Kernel<cutlass::Kernel<"
	               "cutlass::Kernel<Foo<1>>>>>>",
	               "cutlass::Kernel");
}

static void mangled_names_are_read_part_by_part(void **state)
{
	(void)state;
	assert_display("_Z3fooi", "foo");
	assert_display("_Z3foo3bar", "foo"); /* not nested: one identifier */
	assert_display("_ZN1a1bE", "a::b");
	assert_display("_ZN12_GLOBAL__N_13barEv", "bar");
	assert_display("_ZN1a12_GLOBAL__N_13barEv", "a::bar");
	assert_display("_Z", "_Z");
	assert_display("_ZN99fooE", "_ZN99fooE");
	assert_display("_ZN3fooE", "foo");
	assert_display("_ZN4fooE", "fooE");
	assert_display("_ZN5fooE", "_ZN5fooE");
	assert_display("_Z0foo", "_Z0foo");
}

static void hashes_have_eight_digits_at_least(void **state)
{
	(void)state;
	assert_display("kernel_1234abcd", "kernel");
	assert_display("kernel_234abcd", "kernel_234abcd");
	assert_display("kernel_abcdefab", "kernel_abcdefab"); /* a word */
	assert_display("kernel__1234abcd", "kernel__1234abcd");
	assert_display("kernel1234abcd", "kernel1234abcd");
	assert_display("kernel_1234abcg", "kernel_1234abcg");
	assert_display("kernel_0x1", "kernel");
	assert_display("kernel_0xg", "kernel_0xg");
	assert_display("kernel_0x", "kernel_0x");
	assert_display("k_1234abcd", "k");
	assert_display("_1234abcd", "_1234abcd");
	assert_display("void at::native::k<2>(int)", "k");
	assert_display("at::native::", "at::native::");
}

static void remnants_of_unnamed_name_spaces_close_nothing(void **state)
{
	(void)state;
	assert_display("void k<8, unnamed>::Fun, 2>(int)", "k");
	assert_display("void (anonymous namespace)::k<8>(int)", "k");
	assert_display("void a::<unnamed>::k<8>(int)", "a::k");
	assert_display("void k<a<unnamed>::b>(int)", "k");
	assert_display("(no name)", "(no name)");
}

static void assert_key(const char *name, const char *key)
{
	struct weir_text text = {0};

	weir_kernel_key(name, &text);
	assert_string_equal(text.data ? text.data : "", key);
	weir_text_release(&text);
}

static void assert_instance(const char *kernel, const char *shown)
{
	struct weir_text text = {0};

	weir_kernel_instance(kernel, &text);
	assert_string_equal(text.data ? text.data : "", shown);
	weir_text_release(&text);
}

static void instances_keep_their_template_arguments(void **state)
{
	(void)state;
	assert_instance("enable_if<!T7, void>::type kernel<int, float, 0>(T13)",
	                "kernel<int, float, 0>");
	assert_instance("void a::k<(int)2, b<c> >(int)", "a::k<(int)2, b<c> >");
	assert_instance("(anonymous namespace)::k<1>(int)", "(anonymous namespace)::k<1>");
	assert_instance("k", "k");
	assert_instance("", "");
}

static void a_name_that_says_nothing_is_known(void **state)
{
	(void)state;
	assert_true(weir_kernel_is_nameless("kernel"));
	assert_false(weir_kernel_is_nameless("a::kernel"));
	assert_false(weir_kernel_is_nameless("kernel2"));
}

static void keys_hold_the_words_of_a_name_and_its_arguments(void **state)
{
	(void)state;
	assert_key("void ns::foo<3ul, true, false>(int, float)", "foo 3 1 0 ");
	assert_key("foo<(instance 2)>", "foo 2 ");
	assert_key("foo<(int)2>(x)", "foo 2 ");
	assert_key("(anonymous namespace)::bar<<unnamed>::f>", "bar f ");
	assert_key("k<8, unnamed>::f>", "k 8 f ");
	assert_key("k<unnamed>", "k unnamed ");
	assert_key("lambda(int)#1", "lambda int 1 ");
	assert_key("lambda (int)", "lambda ");
	assert_key("lambdas(int)", "lambdas ");
	assert_key("a(b(c)d", "a ");
	assert_key("a(b(c)d)e", "a e ");
	assert_key("12 5uLL 0l ul 7f truest falser", "12 5 0 ul 7f truest falser ");
	assert_key("a:b", "a b ");
	assert_key("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(families_follow_the_libraries_names),
		cmocka_unit_test(a_generic_kernel_is_no_collective_whatever_its_functor),
		cmocka_unit_test(names_are_shown_as_people_read_them),
		cmocka_unit_test(generic_kernels_show_their_functor),
		cmocka_unit_test(a_tile_suffix_is_the_second_level_of_a_name),
		cmocka_unit_test(the_tile_tells_what_limits_a_product),
		cmocka_unit_test(limits_of_tiles_are_exact),
		cmocka_unit_test(streams_are_elementwise_copies_and_products_of_few_rows),
		cmocka_unit_test(hostile_names_come_back_as_something),
		cmocka_unit_test(wrappers_show_the_functor_that_they_run),
		cmocka_unit_test(mangled_names_are_read_part_by_part),
		cmocka_unit_test(hashes_have_eight_digits_at_least),
		cmocka_unit_test(remnants_of_unnamed_name_spaces_close_nothing),
		cmocka_unit_test(instances_keep_their_template_arguments),
		cmocka_unit_test(a_name_that_says_nothing_is_known),
		cmocka_unit_test(keys_hold_the_words_of_a_name_and_its_arguments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
