/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/analysis/names/kernels.h"

/* Longer names are classified by their beginning. */
#define MAX_MATCHED 2048

/* A row of a table whose first match decides. Parts are in lower case and may be anywhere in the
 * name. */
struct family_pattern {
	const char *part;
	const char *and_part; /* must also be in the name; NULL: not needed */
	const char *not_part; /* must not be in the name; NULL: not needed */
	enum weir_family family;
};

#define ANY(text, is)                                                                              \
	{                                                                                          \
		text, NULL, NULL, WEIR_FAMILY_##is                                                 \
	}
#define BOTH(text, other, is)                                                                      \
	{                                                                                          \
		text, other, NULL, WEIR_FAMILY_##is                                                \
	}
#define UNLESS(text, absent, is)                                                                   \
	{                                                                                          \
		text, NULL, absent, WEIR_FAMILY_##is                                               \
	}

/* Not searched in generic kernels of at::native: their functor may be named like a collective. */
static const struct family_pattern communication[] = {
	ANY("nccl", COMMUNICATION),
	ANY("rccl", COMMUNICATION),
	ANY("hccl", COMMUNICATION),
	ANY("oneccl", COMMUNICATION),
	ANY("mscclpp", COMMUNICATION),
	ANY("msccl", COMMUNICATION),
	ANY("nvshmem", COMMUNICATION),
	ANY("rocshmem", COMMUNICATION),
	/* Expert parallelism: tokens are dispatched to experts, and their results combined. */
	ANY("deep_ep", COMMUNICATION),
	ANY("dpsk::ep::", COMMUNICATION),
	ANY("4dpsk2ep", COMMUNICATION), /* mangled */
	BOTH("::ep::", "dispatch", COMMUNICATION),
	BOTH("::ep::", "combine", COMMUNICATION),
	BOTH("internode", "dispatch", COMMUNICATION),
	BOTH("internode", "combine", COMMUNICATION),
	BOTH("intranode", "dispatch", COMMUNICATION),
	BOTH("intranode", "combine", COMMUNICATION),
	ANY("epdispatch", COMMUNICATION), /* MoRI */
	ANY("epcombine", COMMUNICATION),
	ANY("moea2a", COMMUNICATION), /* TensorRT-LLM */
	ANY("multimem_", COMMUNICATION),
	ANY("one_shot_", COMMUNICATION),
	ANY("two_shot_", COMMUNICATION),
	ANY("oneshot", COMMUNICATION),
	ANY("twoshot", COMMUNICATION),
	ANY("cross_device_reduce", COMMUNICATION),
	ANY("custom_ar", COMMUNICATION),
	ANY("lamport", COMMUNICATION),
	UNLESS("allreduce", "blockallreduce", COMMUNICATION),
	UNLESS("all_reduce", "block_all_reduce", COMMUNICATION),
	ANY("allgather", COMMUNICATION),
	ANY("all_gather", COMMUNICATION),
	ANY("reduce_scatter", COMMUNICATION),
	ANY("reducescatter", COMMUNICATION),
	ANY("all_to_all", COMMUNICATION),
	ANY("alltoall", COMMUNICATION),
};

static const char *const generic_kernels[] = {"elementwise_kernel", "at::native::reduce_kernel",
                                              "multi_tensor_apply", NULL};

static const char *const driver_copies[] = {"__amd_rocclr_copybuffer", "__amd_rocclr_fillbuffer",
                                            "__amd_rocclr_copyimage", "__amd_rocclr_fillimage",
                                            NULL};

static const struct family_pattern families[] = {
	/* Copies by the driver, as kernels and as rows of another kind. */
	ANY("__amd_rocclr_", COPY),
	ANY("memcpy", COPY),
	ANY("memset", COPY),
	ANY("copydevicetodevice", COPY),
	/* Kernels of a compiler: the prefix is the family, except for the named patterns. */
	BOTH("triton_", "attention", ATTENTION),
	BOTH("triton_tem", "mm", GEMM),
	BOTH("triton_", "softmax", SOFTMAX),
	BOTH("triton_", "layer_norm", NORM),
	BOTH("triton_", "rms_norm", NORM),
	BOTH("triton_red", "rsqrt", NORM),
	BOTH("triton_per", "rsqrt", NORM),
	ANY("triton_poi", ELEMENTWISE),
	ANY("triton_red", REDUCE),
	ANY("triton_per", REDUCE),
	ANY("triton_tem", GEMM),
	ANY("triton__", ELEMENTWISE),
	/* CuPy: a function of one element at a time has its types behind its name. */
	BOTH("cupy_", "__", ELEMENTWISE),
	/* Generic kernels of at::native, by functor. */
	ANY("index_elementwise", INDEX),
	ANY("scatter_gather_elementwise", INDEX),
	BOTH("elementwise_kernel", "copy_kernel", COPY),
	BOTH("elementwise_kernel", "fillfunctor", COPY),
	ANY("elementwise_kernel", ELEMENTWISE),
	ANY("multi_tensor_apply", ELEMENTWISE),
	ANY("catarraybatched", COPY),
	ANY("softmax", SOFTMAX),
	ANY("at::native::reduce_kernel", REDUCE),
	ANY("compute_cuda_kernel", INDEX),
	/* Attention, before the matrix products that such names also mention. */
	ANY("reshape_and_cache", INDEX),
	ANY("concat_and_cache", INDEX),
	ANY("copy_blocks", INDEX),
	ANY("rotary", ELEMENTWISE),
	ANY("rope_", ELEMENTWISE),
	ANY("_rope", ELEMENTWISE),
	ANY("ropekernel", ELEMENTWISE),
	ANY("attention", ATTENTION),
	ANY("flash_fwd", ATTENTION),
	ANY("flash_bwd", ATTENTION),
	ANY("flashattn", ATTENTION),
	ANY("flash_fprop", ATTENTION),
	ANY("flash_bprop", ATTENTION),
	ANY("flashmla", ATTENTION),
	ANY("flash_mla", ATTENTION),
	ANY("fmha", ATTENTION),
	ANY("sdpa", ATTENTION),
	ANY("attn", ATTENTION),
	ANY("batchdecodewith", ATTENTION),
	ANY("batchprefillwith", ATTENTION),
	ANY("merge_state", ATTENTION),
	/* Helpers of matrix products and convolutions. */
	ANY("splitkreduce", REDUCE),
	ANY("splitk_reduce", REDUCE),
	ANY("reducesplitk", REDUCE),
	ANY("scal_kernel", ELEMENTWISE),
	ANY("finalize", INDEX), /* returns the results of experts to their tokens */
	/* Convolutions, before the matrix products that they consist of. */
	UNLESS("conv", "convert", CONVOLUTION),
	ANY("fprop", CONVOLUTION),
	ANY("dgrad", CONVOLUTION),
	ANY("wgrad", CONVOLUTION),
	ANY("winograd", CONVOLUTION),
	ANY("scudnn", CONVOLUTION),
	ANY("igemm_fwd", CONVOLUTION),
	ANY("igemm_bwd", CONVOLUTION),
	ANY("igemm_wrw", CONVOLUTION),
	ANY("im2col", CONVOLUTION),
	ANY("col2im", CONVOLUTION),
	ANY("fft2d_", CONVOLUTION),
	ANY("miopensp3", CONVOLUTION),
	/* Passes of Fourier transforms: cuFFT, rocFFT, VkFFT. */
	ANY("_fft", FFT),
	ANY("fft_", FFT),
	ANY("dpradix0", FFT),
	ANY("spradix0", FFT),
	/* Layout changes. */
	ANY("nchwtonhwc", COPY),
	ANY("nhwctonchw", COPY),
	ANY("transpose", COPY),
	ANY("permute", COPY),
	ANY("tensortransform", COPY), /* cuDNN; "tensor" and "transform" make a "sort" */
	/* Matrix products. */
	ANY("gemv", GEMV),
	ANY("wvsplitk", GEMV),
	ANY("llmm1", GEMV),
	ANY("skinny", GEMV),
	ANY("dot_kernel", GEMV),
	ANY("reduce_1block_kernel", GEMV), /* second half of cuBLAS's dot */
	UNLESS("gemm", "fbgemm", GEMM),
	ANY("nvjet", GEMM),
	ANY("cijk_", GEMM),
	ANY("matmul_scatter", INDEX),
	ANY("matmul", GEMM),
	ANY("xmma", GEMM),
	ANY("cublas", GEMM),
	ANY("fused_moe_kernel", GEMM),
	ANY("marlin", GEMM),
	ANY("machete", GEMM),
	ANY("exllama", GEMM),
	ANY("bmm_", GEMM),
	ANY("_mm_kernel", GEMM),
	ANY("epilogue::impl", ELEMENTWISE),
	ANY("cutlass::kernel", GEMM),
	ANY("cutlass::device_kernel", GEMM),
	ANY("cutlass::gemm", GEMM),
	ANY("cutlass_", GEMM),
	ANY("cutlass3x", GEMM),
	/* Normalisation. */
	ANY("layernorm", NORM),
	ANY("layer_norm", NORM),
	ANY("rmsnorm", NORM),
	ANY("rms_norm", NORM),
	ANY("batchnorm", NORM),
	ANY("batch_norm", NORM),
	ANY("groupnorm", NORM),
	ANY("group_norm", NORM),
	ANY("rowwisemoments", NORM),
	ANY("gammabeta", NORM),
	ANY("cudnn::bn_", NORM),
	ANY("l2norm", NORM),
	/* Order statistics, scans and sampling. */
	ANY("topk", SORT),
	ANY("radixsort", SORT),
	ANY("radix_sort", SORT),
	ANY("bitonicsort", SORT),
	ANY("sort", SORT),
	ANY("gatherbyrank", SORT),
	ANY("devicescan", SORT),
	ANY("scan_", SORT),
	ANY("scan::", SORT),
	ANY("cumsum", SORT),
	ANY("prefixsum", SORT),
	ANY("sampling", SORT),
	ANY("multinomial", SORT),
	ANY("deviceselect", SORT),
	ANY("devicepartition", SORT),
	ANY("routing", SORT),
	/* Kernels that gather, scatter and add rows. */
	ANY("embedding", INDEX),
	ANY("embs_kernel", INDEX),
	ANY("gather", INDEX),
	ANY("scatter", INDEX),
	ANY("index", INDEX),
	ANY("indices", INDEX),
	ANY("bucketize", INDEX),
	ANY("kvcache", INDEX),
	ANY("kv_cache", INDEX),
	/* All others, by their verb. */
	ANY("act_and_mul", ELEMENTWISE),
	ANY("activation", ELEMENTWISE),
	ANY("silu", ELEMENTWISE),
	ANY("gelu", ELEMENTWISE),
	ANY("swiglu", ELEMENTWISE),
	ANY("dropout", ELEMENTWISE),
	ANY("distribution", ELEMENTWISE),
	ANY("quant", ELEMENTWISE),
	ANY("scaled_fp8", ELEMENTWISE),
	ANY("clamp", ELEMENTWISE),
	ANY("scalepackedtensor", ELEMENTWISE),
	ANY("tensorop", ELEMENTWISE),
	ANY("triu_tril", ELEMENTWISE),
	ANY("pointwise", ELEMENTWISE),
	ANY("elementwise", ELEMENTWISE),
	/* Functions that PyTorch compiles when they are first called
         * ("erfc_kernel_vectorized4_kernel", aten/src/ATen/native/cuda/jit_utils.cpp). */
	ANY("_vectorized2_kernel", ELEMENTWISE),
	ANY("_vectorized4_kernel", ELEMENTWISE),
	ANY("_vectorized8_kernel", ELEMENTWISE),
	ANY("_kernel_kernel", ELEMENTWISE),
	ANY("qparam", REDUCE),
	ANY("rowwise_to_float", ELEMENTWISE),
	ANY("arange", ELEMENTWISE),
	ANY("reduction", REDUCE),
	ANY("reduce", REDUCE),
	ANY("pool", REDUCE),
	ANY("_sum_", REDUCE),
	/* Kernels that XLA makes: a loop over the elements of a result, the same around a reduction
         * or a scatter as input, and single operations (kinds of fusion in XLA's documentation of
         * its GPU backend). Those with another verb in their name are found above. */
	BOTH("loop_", "fusion", ELEMENTWISE),
	BOTH("input_", "fusion", ELEMENTWISE),
	ANY("wrapped_", ELEMENTWISE),
	ANY("copy", COPY),
	ANY("fill", COPY),
	UNLESS("cast", "broadcast", COPY),
};

/* Copies the name in lower case (ASCII), cut to MAX_MATCHED. */
static void lower(char out[MAX_MATCHED], const char *name)
{
	size_t i = 0;

	for (; name[i] && i < MAX_MATCHED - 1; i++)
		out[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
	out[i] = '\0';
}

static bool contains_one(const char *lowered, const char *const *parts)
{
	for (; *parts; parts++) {
		if (strstr(lowered, *parts))
			return true;
	}
	return false;
}

static enum weir_family first_match(const char *lowered, const struct family_pattern *rows,
                                    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strstr(lowered, rows[i].part) &&
		    (!rows[i].and_part || strstr(lowered, rows[i].and_part)) &&
		    (!rows[i].not_part || !strstr(lowered, rows[i].not_part)))
			return rows[i].family;
	}
	return WEIR_FAMILY_OTHER;
}

static enum weir_family communication_family(const char *lowered)
{
	if (contains_one(lowered, generic_kernels))
		return WEIR_FAMILY_OTHER;
	return first_match(lowered, communication,
	                   sizeof(communication) / sizeof(communication[0]));
}

static enum weir_family family_of_lowered(const char *lowered)
{
	enum weir_family family = communication_family(lowered);

	if (family != WEIR_FAMILY_OTHER)
		return family;
	return first_match(lowered, families, sizeof(families) / sizeof(families[0]));
}

enum weir_family weir_kernel_family(const char *name)
{
	char lowered[MAX_MATCHED];

	lower(lowered, name);
	return family_of_lowered(lowered);
}

bool weir_kernel_is_communication(const char *name)
{
	char lowered[MAX_MATCHED];

	lower(lowered, name);
	return communication_family(lowered) == WEIR_FAMILY_COMMUNICATION;
}

bool weir_kernel_is_driver_copy(const char *name)
{
	char lowered[MAX_MATCHED];

	lower(lowered, name);
	return contains_one(lowered, driver_copies);
}

const char *weir_family_name(enum weir_family family)
{
	static const char *const names[WEIR_FAMILY_COUNT] = {
		[WEIR_FAMILY_OTHER] = "other",
		[WEIR_FAMILY_COMMUNICATION] = "communication",
		[WEIR_FAMILY_COPY] = "copy",
		[WEIR_FAMILY_GEMM] = "gemm",
		[WEIR_FAMILY_GEMV] = "gemv",
		[WEIR_FAMILY_ATTENTION] = "attention",
		[WEIR_FAMILY_CONVOLUTION] = "convolution",
		[WEIR_FAMILY_NORM] = "norm",
		[WEIR_FAMILY_SOFTMAX] = "softmax",
		[WEIR_FAMILY_ELEMENTWISE] = "elementwise",
		[WEIR_FAMILY_REDUCE] = "reduce",
		[WEIR_FAMILY_INDEX] = "index",
		[WEIR_FAMILY_SORT] = "sort",
		[WEIR_FAMILY_FFT] = "fft",
	};

	return (unsigned)family < WEIR_FAMILY_COUNT ? names[family] : "other";
}

/*
 * Limits by family and tile. Libraries choose a narrow tile for products with few rows of
 * activations: each weight is then used so rarely that loading it takes longer than the arithmetic.
 * A product of R rows has an arithmetic intensity of R FLOPs per byte in 16-bit types, and the
 * ridge of current devices lies between 150 and 400 (rules/devices.json). A tile that is 32 wide,
 * or 64 wide and clearly longer, therefore stays below the ridge. Larger tiles from 64 by 128 on
 * are chosen for products that fill the device. Tiles of this area that are not memory-bound are
 * more than 64 wide.
 */

#define SKINNY_TILE     32
#define NARROW_TILE     64 /* if the other side is at least half as long again */
#define QUERY_TILE      16 /* rows of queries in decoding: one token per sequence */
#define LARGE_TILE_AREA (64u * 128u)
#define MAX_TILE        4096

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads digits as a tile size; 0: there are no digits, or the number is too large for a tile. */
static uint32_t take_size(const char **at)
{
	uint32_t size = 0;

	for (; is_digit(**at); ++*at) {
		if (size <= MAX_TILE)
			size = size * 10 + (uint32_t)(**at - '0');
	}
	return size > MAX_TILE ? 0 : size;
}

/* Returns true if a tile may start at `at`. Tiles follow an underscore, "MT" (Tensile) or
 * "tilesize"; instruction shapes ("s64x128x16gemm") follow a letter. */
static bool may_start_tile(const char *name, const char *at)
{
	size_t before = (size_t)(at - name);

	if (!is_digit(*at) || !before || is_digit(at[-1]))
		return false;
	return at[-1] == '_' || (before >= 2 && !memcmp(at - 2, "MT", 2)) ||
	       (before >= 8 && !memcmp(at - 8, "tilesize", 8));
}

static const char *find_tile(const char *name, struct weir_tile *tile)
{
	for (const char *at = name; *at; at++) {
		const char *end = at;
		uint32_t m, n;

		if (!may_start_tile(name, at))
			continue;
		m = take_size(&end);
		if (!m || *end != 'x' || !is_digit(end[1]))
			continue;
		end++;
		n = take_size(&end);
		if (!n)
			continue;
		*tile = (struct weir_tile){m, n};
		return at;
	}
	return NULL;
}

struct weir_tile weir_kernel_tile(const char *name)
{
	struct weir_tile tile = {0, 0};

	find_tile(name, &tile);
	return tile;
}

static enum weir_family_limit limit_of_gemm(struct weir_tile tile)
{
	uint32_t narrow, longer;

	if (!tile.m)
		return WEIR_LIMIT_UNKNOWN;
	narrow = tile.m < tile.n ? tile.m : tile.n;
	longer = tile.m < tile.n ? tile.n : tile.m;
	if (narrow <= SKINNY_TILE || (narrow <= NARROW_TILE && 2 * longer >= 3 * narrow))
		return WEIR_LIMIT_MEMORY;
	return tile.m * tile.n >= LARGE_TILE_AREA ? WEIR_LIMIT_COMPUTE : WEIR_LIMIT_UNKNOWN;
}

/* Returns true for attention kernels with one query row per sequence, which read the whole KV cache
 * for it. */
static bool is_decode_attention(const char *name)
{
	static const char *const parts[] = {
		"splitkv",         "split_kv",       "SplitKV",    "decode",    "Decode",  "_3d",
		"paged_attention", "PagedAttention", "Generation", "flash_mla", "combine", NULL};

	for (size_t i = 0; parts[i]; i++) {
		if (strstr(name, parts[i]))
			return true;
	}
	return false;
}

static enum weir_family_limit limit_of_attention(const char *name)
{
	struct weir_tile tile = weir_kernel_tile(name);

	/* The first side of an attention tile counts rows of queries. */
	if (is_decode_attention(name) || (tile.m && tile.m <= QUERY_TILE))
		return WEIR_LIMIT_MEMORY;
	return WEIR_LIMIT_UNKNOWN;
}

enum weir_family_limit weir_kernel_limit(const char *name)
{
	switch (weir_kernel_family(name)) {
	case WEIR_FAMILY_GEMM:
		return limit_of_gemm(weir_kernel_tile(name));
	case WEIR_FAMILY_ATTENTION:
		return limit_of_attention(name);
	case WEIR_FAMILY_GEMV:
	case WEIR_FAMILY_COPY:
	case WEIR_FAMILY_NORM:
	case WEIR_FAMILY_SOFTMAX:
	case WEIR_FAMILY_ELEMENTWISE:
	case WEIR_FAMILY_REDUCE:
	case WEIR_FAMILY_INDEX:
	/* A pass over N points, which fit in shared memory, does 5 log2(N) FLOPs for each point
	 * that it reads and writes: at most 5 FLOPs a byte in fp32 and half as many in fp64. The
	 * ridge of the vector units of server devices is at 17 and 5 or more. */
	case WEIR_FAMILY_FFT:
		return WEIR_LIMIT_MEMORY;
	case WEIR_FAMILY_OTHER:
	case WEIR_FAMILY_COMMUNICATION:
	case WEIR_FAMILY_CONVOLUTION:
	case WEIR_FAMILY_SORT:
	case WEIR_FAMILY_COUNT:
		return WEIR_LIMIT_UNKNOWN;
	}
	return WEIR_LIMIT_UNKNOWN;
}

bool weir_kernel_streams(const char *name)
{
	struct weir_tile tile = weir_kernel_tile(name);

	switch (weir_kernel_family(name)) {
	case WEIR_FAMILY_GEMM:
		return tile.m && (tile.m <= SKINNY_TILE || tile.n <= SKINNY_TILE);
	case WEIR_FAMILY_GEMV:
	case WEIR_FAMILY_COPY:
	case WEIR_FAMILY_ELEMENTWISE:
	case WEIR_FAMILY_ATTENTION:
		return true;
	case WEIR_FAMILY_OTHER:
	case WEIR_FAMILY_COMMUNICATION:
	case WEIR_FAMILY_CONVOLUTION:
	case WEIR_FAMILY_NORM:
	case WEIR_FAMILY_SOFTMAX:
	case WEIR_FAMILY_REDUCE:
	case WEIR_FAMILY_INDEX:
	case WEIR_FAMILY_SORT:
	case WEIR_FAMILY_FFT:
	case WEIR_FAMILY_COUNT:
		return false;
	}
	return false;
}
