/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs of one kind each, whose sizes, types and numbers of turns are drawn from both sides of
 * the limits that fixes have: every fix says the same about each as before, see advice_record.h. No
 * two sizes of a tensor are alike, so that none can stand for another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/enums.h"
#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define PROGRAMS 30 /* of a kind */
#define POINT    "vectorized_elementwise_kernel"
#define COPIES   "elementwise_kernel direct_copy_kernel_cuda"
#define PRODUCT  "nvjet_gemm"
#define BF16     "\"c10::BFloat16\""
#define SCALAR   "\"Scalar\""

/* A program in the making. Texts live until the next program. */
struct writing {
	struct advice_step *step;
	uint64_t program, ops; /* numbers of the program, and of its operators so far */
	char texts[512][160];
	size_t count;
};

/* Returns a number that depends on nothing but the program, the operator and the place in the
 * source, as compilers evaluate arguments in any order. */
static uint64_t number(const struct writing *to, int place)
{
	uint64_t state = (to->program * 1000 + to->ops) * 1000 + (uint64_t)place;

	return next_number(&state);
}

static int draw(const struct writing *to, int place, const int *list, size_t count)
{
	return list[number(to, place) % count];
}

static const char *word(const struct writing *to, int place, const char *const *list, size_t count)
{
	return list[number(to, place) % count];
}

#define DRAW(to, ...)                                                                              \
	draw(to, __COUNTER__, (const int[]){__VA_ARGS__},                                          \
	     sizeof((const int[]){__VA_ARGS__}) / sizeof(int))
#define WORD(to, ...)                                                                              \
	word(to, __COUNTER__, (const char *const[]){__VA_ARGS__},                                  \
	     sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

__attribute__((format(printf, 2, 3))) static const char *text(struct writing *to,
                                                              const char *format, ...)
{
	char *out = to->texts[to->count++];
	va_list args;

	assert_true(to->count <= WEIR_COUNT_OF(to->texts));
	va_start(args, format);
	assert_true(vsnprintf(out, sizeof to->texts[0], format, args) < (int)sizeof to->texts[0]);
	va_end(args);
	return out;
}

/* Returns a list of types for a list of sizes: `type` for tensors, and that of scalars for others.
 */
static const char *types_for(struct writing *to, const char *dims, const char *type)
{
	char out[160] = "[";
	size_t length = 1;

	for (const char *at = strchr(dims + 1, '['); at; at = strchr(at + 1, '['))
		length += (size_t)snprintf(out + length, sizeof out - length, "%s%s",
		                           length > 1 ? ", " : "", at[1] == ']' ? SCALAR : type);
	return text(to, "%s]", out);
}

static const char *type_of(struct writing *to)
{
	return WORD(to, BF16, BF16, "\"c10::Half\"", "\"float\"", "\"double\"");
}

/* Returns a list of types as it is, and one for the sizes if it is one type. */
static const char *types_or(struct writing *to, const char *dims, const char *type)
{
	return type[0] == '[' ? type : types_for(to, dims, type);
}

/* Opens an operator; type: of all tensors, or a list. */
static void begin(struct writing *to, const char *name, const char *dims, const char *type,
                  const char *scalars)
{
	advice_step_begin(to->step, name, dims, types_or(to, dims, type), scalars);
	to->ops++;
}

static void view(struct writing *to, const char *name, const char *dims, const char *type,
                 const char *scalars)
{
	begin(to, name, dims, type, scalars);
	advice_step_end(to->step);
}

static void op(struct writing *to, const char *name, const char *dims, const char *type,
               const char *kernel, double us)
{
	begin(to, name, dims, type, NULL);
	advice_step_kernel(to->step, kernel, us, (uint32_t)DRAW(to, 0, 8, 132, 133, 4096));
	advice_step_end(to->step);
}

/* ---- attention ---- */

static void attention(struct writing *to)
{
	int heads = DRAW(to, 1, 16), batch = heads * DRAW(to, 1, 8);
	int queries = DRAW(to, 2, 48, 1024, 2048), keys = DRAW(to, 80, 1024, 2048);
	int depth = DRAW(to, 64, 64, 128, 256, 257), wide = DRAW(to, 32, 64, 192, 256, 260);
	const char *type = type_of(to);
	double us = 8 + (double)batch * queries * keys / 3e5;
	int copied = DRAW(to, 0, 0, 1, 2, 3);

	for (int i = 0; i < copied; i++)
		op(to, "aten::copy_",
		   text(to, "[[%d, %d, %d], [%d, %d, %d]]", batch, i ? keys : queries,
		        i == 2 ? wide : depth, batch, i ? keys : queries, i == 2 ? wide : depth),
		   type, COPIES, 12);
	op(to, "aten::bmm",
	   text(to, "[[%d, %d, %d], [%d, %d, %d]]", batch, queries, depth, batch, depth, keys),
	   type, PRODUCT, us);
	if (DRAW(to, 0, 1))
		op(to, WORD(to, "aten::masked_fill_", "aten::add", "aten::where"),
		   text(to, WORD(to, "[[%d, %d, %d], [%d, %d]]", "[[%d, %d, %d], [1, %d, %d]]"),
		        batch, queries, keys, queries, keys),
		   type, POINT, us / 2);
	op(to,
	   WORD(to, "aten::_softmax", "aten::_softmax", "aten::_softmax", "aten::exp",
	        "aten::relu"),
	   text(to, "[[%d, %d, %d], [], []]", batch, queries, keys), type, "softmax_warp_forward",
	   us);
	op(to, "aten::bmm",
	   DRAW(to, 0, 1) ? text(to, "[[%d, %d, %d], [%d, %d, %d]]", batch, queries, keys, batch,
	                         keys, wide)
	                  : text(to, "[[%d, %d, %d], [%d, %d, %d]]", batch, wide, keys, batch, keys,
	                         queries),
	   type, PRODUCT, us);
	op(to, "aten::copy_",
	   text(to, "[[%d, %d, %d, %d], [%d, %d, %d, %d]]", batch / heads, queries, heads, wide,
	        batch / heads, queries, heads, wide),
	   type, COPIES, 9);
}

/* ---- copies on the device ---- */

/* A copy of a view, a pointwise operator, and a reader of the copy. */
static void layout(struct writing *to)
{
	int a = DRAW(to, 4, 8), b = DRAW(to, 48, 512), c = DRAW(to, 48, 640);
	const char *type = type_of(to);
	const char *plain = text(to, "[[%d, %d, %d], [], []]", a, b, c);
	const char *exchanged = text(to, "[[%d, %d, %d], [%d, %d, %d], []]", a, c, b, a, c, b);

	view(to, WORD(to, "aten::transpose", "aten::transpose", "aten::t", "aten::permute"), plain,
	     type,
	     WORD(to, "[\"\", \"1\", \"2\"]", "[\"\", \"-1\", \"-2\"]", "[\"\", \"0\", \"1\"]",
	          "[\"\", \"[0, 2, 1]\"]", "[\"\", \"[2, 0, 1]\"]", NULL));
	begin(to, WORD(to, "aten::contiguous", "aten::clone", "aten::reshape", "aten::add"), plain,
	      type, NULL);
	op(to, "aten::copy_", exchanged, type,
	   WORD(to, COPIES, COPIES, "vectorized_elementwise_kernel"), DRAW(to, 30, 90));
	advice_step_end(to->step);
	if (DRAW(to, 0, 1))
		op(to, WORD(to, "aten::relu", "aten::add_", "aten::mul"),
		   text(to, "[[%d, %d, %d], [%d]]", a, c, b, b), type, POINT, 20);
	if (DRAW(to, 0, 1)) {
		if (DRAW(to, 0, 1))
			view(to, WORD(to, "aten::transpose", "aten::permute"), exchanged, type,
			     WORD(to, "[\"\", \"1\", \"2\"]", "[\"\", \"[0, 2, 1]\"]",
			          "[\"\", \"0\", \"1\"]"));
		begin(to, "aten::contiguous", exchanged, type, NULL);
		op(to, "aten::copy_",
		   text(to, "[[%d, %d, %d], [%d, %d, %d], []]", a, b, c, a, b, c), type, COPIES,
		   25);
		advice_step_end(to->step);
	}
	op(to, WORD(to, "aten::bmm", "aten::_scaled_dot_product_flash_attention", "aten::sum"),
	   text(to, "[[%d, %d, %d], [%d, %d, %d]]", a, c, b, a, b, c), type,
	   WORD(to, PRODUCT, "flash_fwd_kernel", "reduce_kernel<512, 1>"), 60);
}

static void repeated(struct writing *to)
{
	int rows = DRAW(to, 8, 64), length = DRAW(to, 511, 1024), times = DRAW(to, 1, 2, 3, 4);
	const char *type = type_of(to);

	begin(to, WORD(to, "aten::repeat_interleave", "aten::repeat"),
	      text(to, "[[%d, %d, 128], [], []]", rows, length), type,
	      text(to, "[\"\", \"%d\", \"1\"]", times));
	op(to, WORD(to, "aten::index_select", "aten::index_select", "aten::gather"),
	   text(to, "[[%d, %d, 128], [], [%d]]", rows, length, times * length),
	   text(to, "[%s, " SCALAR ", \"long int\"]", type), "indexSelectLargeIndex", 150);
	advice_step_end(to->step);
	op(to, WORD(to, "aten::sum", "aten::mul", "aten::bmm"),
	   text(to, "[[%d, %d, 128], [%d, 128, 96]]", rows, times * length, rows), type,
	   "reduce_kernel<512, 1>", DRAW(to, 50, 110));
}

static void caches(struct writing *to)
{
	int old = DRAW(to, 7, 8, 9, 255), parts = DRAW(to, 1, 2, 3), rank = DRAW(to, 2, 3, 3);
	bool window = DRAW(to, 0, 0, 1);

	for (int i = 0; i < parts; i++) {
		if (window)
			view(to, "aten::slice",
			     text(to, "[[512, %d, 256], [], [], [], []]", old + 1),
			     "[" BF16 ", " SCALAR ", " SCALAR ", " SCALAR ", " SCALAR "]",
			     WORD(to, "[\"\", \"1\", \"1\", \"99\", \"1\"]",
			          "[\"\", \"1\", \"0\", \"99\", \"1\"]"));
		op(to, "aten::cat",
		   rank == 2 ? text(to, "[[[%d, 256], [1, 256]], []]", old)
		             : text(to, "[[[512, %d, 256], [512, 1, %d]], []]", old,
		                    DRAW(to, 256, 256, 128)),
		   "[\"TensorList\", " SCALAR "]", "CatArrayBatchedCopy", DRAW(to, 2, 3, 120));
	}
	op(to, "aten::sum", text(to, "[[512, %d, 256], [], []]", old + 1), BF16,
	   "reduce_kernel<512, 1>", 40);
}

/* ---- chains ---- */

static void chain(struct writing *to)
{
	int rows = DRAW(to, 16, 512, 8192), row = DRAW(to, 512, 16384, 65536, 65537);
	int count = DRAW(to, 1, 2, 3, 4, 5, 7);
	const char *type = type_of(to), *name;

	for (int i = 0; i < count; i++) {
		name = WORD(to, "aten::mul", "aten::add", "aten::gelu", "aten::_softmax",
		            "aten::native_layer_norm", "aten::sum", "aten::copy_", "aten::mean");
		op(to, name,
		   text(to,
		        WORD(to, "[[%d, %d], [%d, %d]]", "[[%d, %d], [1, %d]]", "[[%d, %d], []]"),
		        rows, row, rows, row),
		   name[6] == 'c' ? text(to, "[%s, \"float\"]", type) : type,
		   WORD(to, POINT, POINT, "reduce_kernel<512, 1>", "elementwise_kernel"),
		   3 + (double)rows * row / 7e5);
	}
	if (DRAW(to, 0, 1))
		op(to, "aten::mm", text(to, "[[%d, %d], [%d, 96]]", rows, row, row), type, PRODUCT,
		   50);
}

/* Halves of a vector, or more parts of it, that are negated and joined again, once or for sisters.
 */
static void joined(struct writing *to)
{
	int rows = DRAW(to, 512, 8192), row = DRAW(to, 96, 128), parts = DRAW(to, 2, 3, 4, 5);
	int sisters = DRAW(to, 1, 2), layer = DRAW(to, 0, 1, 1);
	const char *part = text(to, "[[%d, 64, %d], []]", rows, row / 2);
	const char *whole = text(to, "[[%d, 64, %d], [%d]]", rows, row, row);
	char list[160];
	int length = 0;

	for (int i = 0; i < parts; i++)
		length += snprintf(list + length, sizeof list - (size_t)length, "%s[%d, 64, %d]",
		                   i ? ", " : "", rows, row / parts);
	if (layer)
		op(to, WORD(to, "aten::cudnn_batch_norm", "aten::mm", "aten::native_layer_norm"),
		   whole, BF16, "bn_fw_inf_1C11_kernel_NCHW", 60);
	for (int i = 0; i < sisters; i++) {
		op(to, "aten::mul", whole, BF16, POINT, 30);
		op(to, "aten::neg", part, BF16, POINT, 16);
		op(to, "aten::cat", text(to, "[[%s], []]", list), "[\"TensorList\", " SCALAR "]",
		   "CatArrayBatchedCopy", 32);
		if (DRAW(to, 0, 1))
			op(to, "aten::mul", whole, BF16, POINT, 31);
		op(to, WORD(to, "aten::add", "aten::add_", "aten::sub"),
		   text(to, "[[%d, 64, %d], [%d, 64, %d]]", rows, row, rows, row), BF16, POINT, 45);
	}
}

static void sorts(struct writing *to)
{
	int rows = DRAW(to, 1, 48), row = DRAW(to, 4096, 4097, 32000, 128256);
	int kept = DRAW(to, 1, row / 8, row / 8 + 1, row);
	const char *type = WORD(to, "\"float\"", "\"long int\"", BF16, "\"int\"");

	begin(to, WORD(to, "aten::sort", "aten::argsort", "aten::topk"),
	      text(to, "[[%d, %d], [], []]", rows, row), type,
	      WORD(to, "[\"\", \"-1\", \"True\"]", "[\"\", \"0\", \"False\"]",
	           "[\"\", \"1\", \"True\"]"));
	advice_step_kernel(to->step, "DeviceRadixSortOnesweepKernel", DRAW(to, 30, 680), 1000);
	advice_step_end(to->step);
	if (DRAW(to, 0, 1, 1))
		view(to, "aten::slice", text(to, "[[%d, %d], [], [], [], []]", rows, row),
		     text(to, "[%s, " SCALAR ", " SCALAR ", " SCALAR ", " SCALAR "]", type),
		     text(to, "[\"\", \"1\", \"%d\", \"%d\", \"1\"]", DRAW(to, 0, 1), kept));
	else
		view(to, WORD(to, "aten::select", "aten::narrow"),
		     text(to, "[[%d, %d], [], []]", rows, row), type, "[\"\", \"1\", \"3\"]");
	op(to, WORD(to, "aten::gather", "aten::_softmax", "aten::cumsum", "aten::scatter_"),
	   text(to, "[[%d, %d], [], [%d, %d]]", rows, row, rows, kept),
	   text(to, "[%s, " SCALAR ", \"long int\"]", type), "_scatter_gather_elementwise_kernel",
	   9);
	op(to, "aten::lt", text(to, "[[%d, %d], [%d, 1]]", rows, row, rows), type, POINT, 11);
}

/* ---- products ---- */

static void products(struct writing *to)
{
	static const char *const kernels[] = {"nvjet_gemm",
	                                      "ampere_sgemm_128x64_nt",
	                                      "cutlass_80_tensorop_s1688gemm_tf32_nn_align4",
	                                      "sm90_xmma_gemm_e4m3",
	                                      "gemv2T_kernel_val",
	                                      "cutlass_80_wmma_tensorop_f16_nt_align1"};
	const char *type = type_of(to);

	for (int i = DRAW(to, 1, 2, 4); i > 0; i--) {
		int m = DRAW(to, 1, 16, 63, 64, 65, 512, 2000), n = DRAW(to, 1000, 4096, 11008),
		    k = DRAW(to, 1023, 1024, 2056, 4097);
		double us = 2 + (double)m * n * k / DRAW(to, 50, 200, 300) / 1e6;

		op(to, WORD(to, "aten::mm", "aten::mm", "aten::addmm", "aten::linear"),
		   text(to, "[[%d, %d], [%d, %d], [%d]]", m, k, k, n, n), type,
		   word(to, __COUNTER__, kernels, WEIR_COUNT_OF(kernels)), us);
		if (DRAW(to, 0, 1))
			op(to, WORD(to, "aten::relu", "aten::copy_", "aten::embedding"),
			   text(to, "[[%d, %d], [%d]]", m, n, m),
			   WORD(to, "[\"float\", \"float\"]", "[\"c10::BFloat16\", \"float\"]",
			        "[\"float\", \"long int\"]"),
			   WORD(to, POINT, "reduce_kernel<512, 1>", "indexSelectSmallIndex"),
			   DRAW(to, 3, 40));
	}
}

static void convolutions(struct writing *to)
{
	int in = DRAW(to, 3, 16, 127, 128), out = DRAW(to, 15, 64, 130), side = DRAW(to, 28, 56);
	const char *type = type_of(to);

	if (DRAW(to, 0, 1))
		op(to, "aten::copy_",
		   text(to, "[[8, %d, %d, %d], [8, %d, %d, %d]]", in, side, side, in, side, side),
		   type, WORD(to, "nchwToNhwcKernel", COPIES), 30);
	begin(to, "aten::cudnn_convolution",
	      text(to, "[[8, %d, %d, %d], [%d, %d, 3, 3], [], [], [], [], [], [], []]", in, side,
	           side, out, in),
	      text(to, "[%s, %s, \"\", \"\", \"\", \"\", \"\", \"\", \"\"]", type, type),
	      "[\"\", \"\", \"[1, 1]\", \"[1, 1]\", \"[1, 1]\", \"1\", \"False\", \"False\", "
	      "\"False\"]");
	if (DRAW(to, 0, 1))
		advice_step_kernel(to->step, "nchwToNhwcKernel", 60, 1000);
	advice_step_kernel(to->step,
	                   WORD(to, "sm80_xmma_fprop_implicit_gemm_f32f32_nchwkcrs_nchw",
	                        "sm90_xmma_fprop_implicit_gemm_bf16bf16_nhwckrsc_nhwc",
	                        "implicit_convolve_sgemm", "cudnn_infer_winograd"),
	                   DRAW(to, 40, 456), 500);
	if (DRAW(to, 0, 1))
		advice_step_kernel(to->step, "nhwcToNchwKernel", 50, 1000);
	advice_step_end(to->step);
	op(to, WORD(to, "aten::upsample_nearest2d", "aten::cudnn_batch_norm", "aten::relu"),
	   text(to, "[[8, %d, %d, %d], []]", out, side, side), type,
	   WORD(to, "upsample_nearest2d_out_frame", "bn_fw_inf_1C11_kernel_NCHW", POINT), 45);
}

/* ---- loops ---- */

static void loop(struct writing *to)
{
	int turns = DRAW(to, 3, 4, 5, 8), rows = DRAW(to, 1, 2, 64, 129),
	    width = DRAW(to, 256, 1000);
	int parts = DRAW(to, 3, 8, 16);
	bool weights = DRAW(to, 0, 1), search = DRAW(to, 0, 0, 1), collect = DRAW(to, 0, 1);
	const char *last =
		WORD(to, "aten::_softmax", "aten::exp", "aten::index_add_", "aten::index_put_",
	             "aten::tanh", "aten::addmm", "aten::native_layer_norm");
	const char *name = WORD(to, "aten::select", "aten::slice", "aten::narrow");

	for (int turn = 0; turn < turns; turn++) {
		if (search) {
			begin(to, "aten::eq", "[[512], []]", "[\"long int\", " SCALAR "]",
			      text(to, "[\"\", \"%d\"]", turn));
			advice_step_kernel(to->step, POINT, 2, 4);
			advice_step_end(to->step);
			op(to, "aten::nonzero", "[[512]]", "[\"bool\"]", "DeviceSelectSweepKernel",
			   2);
			advice_step_copy(to->step, "Memcpy DtoH (Device -> Pinned)", 1);
		} else {
			view(to, name, text(to, "[[%d, %d, %d], [], []]", parts, rows, width), BF16,
			     text(to, "[\"\", \"0\", \"%d\"]", turn));
		}
		if (weights)
			view(to, "aten::select", text(to, "[[16, %d, 96], [], []]", width), BF16,
			     text(to, "[\"\", \"0\", \"%d\"]", turn));
		op(to, "aten::mm", text(to, "[[%d, %d], [%d, 96]]", rows, width, width), BF16,
		   PRODUCT, 9);
		op(to, last, text(to, "[[%d, 96], [], [%d], [%d, 96]]", rows, rows, rows),
		   text(to, "[" BF16 ", " SCALAR ", \"long int\", " BF16 "]"), POINT, 4);
	}
	if (collect)
		op(to, WORD(to, "aten::cat", "aten::stack"), "[[], []]",
		   "[\"TensorList\", " SCALAR "]", "CatArrayBatchedCopy", 3);
}

/* Runs of a model for some rows each, up to 512 of them in all. */
static void models(struct writing *to)
{
	int runs = DRAW(to, 3, 4, 8), rows = DRAW(to, 1, 64, 65, 128, 129),
	    layers = DRAW(to, 3, 4, 6);
	int width = DRAW(to, 384, 2048), out = DRAW(to, 100, 100, 384, 2048);
	int wide = DRAW(to, 1, 2, 3);
	double us = DRAW(to, 3, 7);

	for (int run = 0; run < runs; run++) {
		op(to, "aten::mm",
		   text(to, "[[%d, %d], [%d, %d]]", rows, wide * width, wide * width, width), BF16,
		   PRODUCT, us);
		for (int layer = 0; layer < layers; layer++) {
			op(to, "aten::mm",
			   text(to, "[[%d, %d], [%d, %d]]", rows, width, width, width), BF16,
			   PRODUCT, us);
			op(to, layer % 2 ? "aten::relu" : "aten::native_layer_norm",
			   text(to, "[[%d, %d], []]", rows, width), BF16, POINT, 2);
		}
		op(to, "aten::mm", text(to, "[[%d, %d], [%d, %d]]", rows, width, width, out), BF16,
		   PRODUCT, us);
	}
	if (DRAW(to, 0, 0, 1))
		op(to, "aten::argmax", text(to, "[[%d, %d]]", rows, out), BF16,
		   "reduce_kernel ArgMaxOps", 3);
}

/* ---- copies between host and device ---- */

static void uploads(struct writing *to)
{
	int rows = DRAW(to, 64, 255, 4096), width = DRAW(to, 64, 1024, 1025);
	int64_t bytes = (int64_t)rows * width * 4;
	double us = (double)bytes / DRAW(to, 8, 25, 50) / 1e3 + 1;

	if (DRAW(to, 0, 1)) {
		begin(to, WORD(to, "aten::div", "aten::index", "aten::cat"),
		      text(to, "[[%d, %d], []]", rows, width), "[\"float\", " SCALAR "]", NULL);
		advice_step_pass(to->step, DRAW(to, 49, 51, 900, 4000));
		advice_step_end(to->step);
	}
	begin(to, "aten::copy_", text(to, "[[%d, %d], [%d, %d], []]", rows, width, rows, width),
	      "[\"float\", \"float\", " SCALAR "]", NULL);
	advice_step_copy_bytes(
		to->step,
		WORD(to, "Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pinned -> Device)"), us,
		DRAW(to, 0, 1) ? bytes : 0);
	advice_step_end(to->step);
	op(to, WORD(to, "aten::embedding", "aten::index_select", "aten::copy_", "aten::mul"),
	   text(to, "[[%d, %d], [%d]]", rows, width, DRAW(to, 16, rows / 2, rows)),
	   WORD(to, "[\"float\", \"long int\"]", "[\"c10::BFloat16\", \"float\"]"),
	   "vectorized_gather_kernel", 8);
	op(to, "aten::mm", "[[64, 2048], [2048, 2000]]", BF16, PRODUCT, 100);
}

/* An upload of which the operators behind it take a part. */
static void pieces(struct writing *to)
{
	int a = DRAW(to, 4, 48), b = DRAW(to, 65, 512), c = DRAW(to, 96, 1000);
	int64_t bytes = (int64_t)a * b * c * 4;
	const char *dims = text(to, "[[%d, %d, %d], [], [], [], []]", a, b, c);
	const char *type = "[\"float\", " SCALAR ", " SCALAR ", " SCALAR ", " SCALAR "]";

	begin(to, "aten::copy_", text(to, "[[%d, %d, %d], [%d, %d, %d], []]", a, b, c, a, b, c),
	      "[\"float\", \"float\", " SCALAR "]", NULL);
	advice_step_copy_bytes(
		to->step,
		WORD(to, "Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pinned -> Device)"),
		(double)bytes / 12e3 + 1, bytes);
	advice_step_end(to->step);
	if (DRAW(to, 0, 0, 1)) {
		op(to, "aten::index_select",
		   text(to, "[[%d, %d, %d], [], [%d]]", a, b, c, DRAW(to, 1, a / 2, a)),
		   "[\"float\", " SCALAR ", \"long int\"]", "indexSelectSmallIndex", 6);
	} else {
		for (int i = DRAW(to, 1, 1, 2); i > 0; i--)
			view(to, WORD(to, "aten::slice", "aten::slice", "aten::select"), dims, type,
			     text(to, "[\"\", \"%d\", \"%d\", \"%d\", \"%d\"]",
			          DRAW(to, 0, 1, 2, -1), DRAW(to, 0, 1), DRAW(to, 2, 24, 33),
			          DRAW(to, 1, 1, 2)));
	}
	if (DRAW(to, 0, 0, 1))
		op(to, WORD(to, "aten::mul", "aten::size", "aten::isnan"), dims, type, POINT, 40);
	op(to, "aten::mm", "[[64, 2048], [2048, 2000]]", BF16, PRODUCT, 100);
}

/* Small copies one behind the other, of tensors of one shape or of several, and what joins them. */
static void packs(struct writing *to)
{
	int count = DRAW(to, 3, 4, 7, 8, 16), rows = DRAW(to, 1, 16, 1024),
	    grows = DRAW(to, 0, 0, 1);
	const char *copy =
		WORD(to, "Memcpy HtoD (Pinned -> Device)", "Memcpy HtoD (Pageable -> Device)",
	             "Memcpy DtoH (Device -> Pinned)");
	double us = DRAW(to, 1, 3, 9);

	for (int i = 0; i < count; i++, rows += grows) {
		begin(to, "aten::copy_", text(to, "[[%d, 16], [%d, 16]]", rows, rows), "\"float\"",
		      NULL);
		advice_step_copy_bytes(to->step, copy, us, (int64_t)rows * 64);
		advice_step_end(to->step);
		advice_step_pass(to->step, DRAW(to, 0, 0, 3, 30));
	}
	if (DRAW(to, 0, 1))
		op(to, WORD(to, "aten::stack", "aten::cat", "aten::add"), "[[], []]",
		   "[\"TensorList\", " SCALAR "]", "CatArrayBatchedCopy", 3);
	op(to, "aten::mm", "[[64, 2048], [2048, 2000]]", BF16, PRODUCT, DRAW(to, 20, 100));
}

static void downloads(struct writing *to)
{
	int rows = DRAW(to, 1, 16, 64), width = DRAW(to, 1000, 16384, 16385, 128256);
	int64_t bytes = (int64_t)rows * width * 4;
	const char *dims = text(to, "[[%d, %d], [%d, %d], []]", rows, width, rows, width);

	op(to, "aten::mm", text(to, "[[%d, 2048], [2048, %d]]", rows, width), "\"float\"", PRODUCT,
	   100);
	advice_step_returns(to->step, DRAW(to, 1, 30, 300));
	begin(to, "aten::copy_", dims, "[\"float\", \"float\", " SCALAR "]", NULL);
	advice_step_copy_bytes(
		to->step,
		WORD(to, "Memcpy DtoH (Device -> Pageable)", "Memcpy DtoH (Device -> Pinned)"),
		(double)bytes / DRAW(to, 2, 12, 50) / 1e3 + 1, bytes);
	advice_step_end(to->step);
	advice_step_pass(to->step, DRAW(to, 0, 90, 110, 700));
	if (DRAW(to, 0, 1))
		view(to, WORD(to, "aten::select", "aten::narrow"), dims, "\"float\"",
		     "[\"\", \"0\", \"1\"]");
	begin(to,
	      WORD(to, "aten::argmax", "aten::topk", "aten::div", "aten::softmax", "aten::max",
	           "torchvision::nms"),
	      text(to, "[[%d, %d], []]", rows, DRAW(to, width, 1)), "[\"float\", " SCALAR "]",
	      NULL);
	advice_step_pass(to->step, DRAW(to, 40, 60, 1100, 3000));
	advice_step_end(to->step);
}

/* A download of which the host takes parts, or with which it computes. */
static void picks(struct writing *to)
{
	int rows = DRAW(to, 48, 512), width = DRAW(to, 1000, 16384, 40000);
	int64_t bytes = (int64_t)rows * width * 4;
	const char *dims = text(to, "[[%d, %d], [], [], [], []]", rows, width);
	const char *type = "[\"float\", " SCALAR ", " SCALAR ", " SCALAR ", " SCALAR "]";

	op(to, WORD(to, "aten::copy_", "aten::mm"),
	   text(to, "[[%d, %d], [%d, %d], []]", rows, width, rows, width),
	   "[\"float\", " BF16 ", " SCALAR "]", POINT, DRAW(to, 2, 40));
	begin(to, "aten::copy_", text(to, "[[%d, %d], [%d, %d], []]", rows, width, rows, width),
	      "[\"float\", \"float\", " SCALAR "]", NULL);
	advice_step_copy_bytes(
		to->step,
		WORD(to, "Memcpy DtoH (Device -> Pageable)", "Memcpy DtoH (Device -> Pinned)"),
		(double)bytes / 12e3 + 1, bytes);
	advice_step_end(to->step);
	for (int i = DRAW(to, 0, 1, 1, 2); i > 0; i--)
		view(to,
		     WORD(to, "aten::slice", "aten::slice", "aten::select", "aten::view",
		          "aten::index_select"),
		     dims, type,
		     text(to, "[\"\", \"%d\", \"%d\", \"%d\", \"%d\"]", DRAW(to, 0, 1, -1, 2),
		          DRAW(to, 0, 0, 5, -3), DRAW(to, 2, 12, 13, 40000, -1),
		          DRAW(to, 1, 1, 2, 0)));
	if (DRAW(to, 0, 1)) {
		begin(to, WORD(to, "aten::div", "aten::sort", "aten::log_softmax", "aten::max"),
		      text(to, "[[%d, %d], []]", rows, width), "[\"float\", " SCALAR "]", NULL);
		advice_step_pass(to->step, DRAW(to, 49, 50, 51, 900));
		advice_step_end(to->step);
	}
	op(to, "aten::mm", "[[64, 2048], [2048, 2000]]", BF16, PRODUCT, 100);
}

/* An upload of which the device picks rows or columns. */
static void gathers(struct writing *to)
{
	int rows = DRAW(to, 16, 4096), width = DRAW(to, 96, 1024), dim = DRAW(to, 0, 0, 1, -1);
	int kept = DRAW(to, 1, rows / 4, rows / 2, rows);
	int64_t bytes = (int64_t)rows * width * 4;

	begin(to, "aten::copy_", text(to, "[[%d, %d], [%d, %d], []]", rows, width, rows, width),
	      "[\"float\", \"float\", " SCALAR "]", NULL);
	advice_step_copy_bytes(
		to->step,
		WORD(to, "Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pinned -> Device)"),
		(double)bytes / 12e3 + 1, bytes);
	advice_step_end(to->step);
	if (DRAW(to, 0, 1)) {
		begin(to, "aten::index_select", text(to, "[[%d, %d], [], [%d]]", rows, width, kept),
		      "[\"float\", " SCALAR ", \"long int\"]",
		      text(to, "[\"\", \"%d\", \"\"]", dim));
		advice_step_kernel(to->step, "indexSelectSmallIndex", 6, 64);
		advice_step_end(to->step);
	} else {
		op(to, WORD(to, "aten::embedding", "aten::embedding", "aten::gather"),
		   text(to, "[[%d, %d], [%d], []]", rows, width, kept),
		   "[\"float\", \"long int\", " SCALAR "]", "vectorized_gather_kernel", 6);
	}
	op(to, "aten::mm", "[[64, 2048], [2048, 2000]]", BF16, PRODUCT, 100);
}

/* ---- norms ---- */

/* Norms over rows, groups and batches among pointwise operators, and parts that are joined. */
static void norms(struct writing *to)
{
	int batch = DRAW(to, 8, 16), channels = DRAW(to, 32, 128), side = DRAW(to, 56, 64);
	const char *plain = text(to, "[[%d, %d, %d, %d], []]", batch, channels, side, side);
	const char *dims = text(to, "[[%d, %d, %d, %d], [%d], [%d], [], [], [], [], []]", batch,
	                        channels, side, side, channels, channels);
	const char *name = WORD(to, "aten::native_group_norm", "aten::native_group_norm",
	                        "aten::cudnn_batch_norm", "aten::native_batch_norm",
	                        "aten::native_layer_norm_backward", "aten::_softmax");
	double us = (double)batch * channels * side * side / 7e5 + 3;
	char list[160];
	int length = 0, parts = DRAW(to, 0, 1, 2, 4, 5);

	op(to, "aten::mul", plain, BF16, POINT, us);
	begin(to, name, dims, BF16,
	      WORD(to, NULL,
	           text(to, "[\"\", \"\", \"\", \"%d\", \"%d\", \"%d\", \"%d\", \"1e-05\"]", batch,
	                channels, side * side, DRAW(to, 0, 1, 8, 32)),
	           "[\"\", \"\", \"\", \"\", \"\", \"True\", \"0.1\", \"1e-05\"]",
	           "[\"\", \"\", \"\", \"\", \"\", \"False\", \"0.1\", \"1e-05\"]"));
	advice_step_kernel(to->step, "RowwiseMomentsCUDAKernel", us, 4096);
	advice_step_end(to->step);
	op(to, WORD(to, "aten::relu", "aten::silu", "aten::copy_"), plain, BF16, POINT, us);
	for (int i = 0; i < parts; i++)
		length +=
			snprintf(list + length, sizeof list - (size_t)length, "%s[%d, %d, %d, %d]",
		                 i ? ", " : "", batch, channels / parts, side, side);
	if (parts)
		op(to, "aten::cat", text(to, "[[%s], []]", list), "[\"TensorList\", " SCALAR "]",
		   "CatArrayBatchedCopy", us);
	op(to, WORD(to, "aten::add", "aten::sigmoid"), plain, BF16, POINT, us);
}

/* ---- the record ---- */

static void (*const kinds[])(struct writing *to) = {
	attention, layout, repeated, caches, chain, joined,    sorts, products, convolutions,
	loop,      models, uploads,  pieces, packs, downloads, picks, gathers,  norms};

static void programs_of_drawn_sizes_keep_what_every_fix_promises(void **state)
{
	static struct writing to;

	(void)state;
	for (size_t i = 0; i < PROGRAMS * WEIR_COUNT_OF(kinds); i++) {
		struct advice_result result;

		to.step = advice_step_new();
		to.program = i;
		to.ops = to.count = 0;
		kinds[i % WEIR_COUNT_OF(kinds)](&to);
		if (DRAW(&to, 0, 1))
			advice_step_wait(to.step);
		advice_step_apply(to.step, weir_fix_batch_more, &result);
		assert_true(result.before_us > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(programs_of_drawn_sizes_keep_what_every_fix_promises),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
