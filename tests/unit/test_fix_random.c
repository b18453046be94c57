/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs drawn at random from phrases of operators, repeated, in any order and of any duration:
 * every fix says the same about each of them as before. See advice_record.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/base/enums.h"
#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define PROGRAMS 60
#define B        "\"c10::BFloat16\""
#define F        "\"float\""
#define S        "\"Scalar\""
#define POINT    "vectorized_elementwise_kernel"
#define SCORES   "[[128, 2048, 2048], [], []]"
#define CONV     "[[16, 128, 64, 64], [128, 128, 3, 3], [], [], [], [], [], [], []]"
#define CONV_T   "[" F ", " F ", \"\", \"\", \"\", \"\", \"\", \"\", \"\"]"
#define CONV_S                                                                                     \
	"[\"\", \"\", \"[1, 1]\", \"[1, 1]\", \"[1, 1]\", \"1\", \"False\", \"False\", \"False\"]"
#define HEADS "[[8, 1024, 16, 128], [], []]"

/* An operator with its kernel or copy; one of them may be missing. */
struct word {
	const char *op, *dims, *types, *scalars;
	const char *kernel, *copy;
	double us; /* of the kernel or copy; without both: of the host */
	uint32_t blocks;
	int64_t bytes;
};

#define MOST_WORDS 6

static const struct word phrases[][MOST_WORDS] = {
	/* products for few and for many rows */
	{{.op = "aten::mm",
          .dims = "[[1, 4096], [4096, 11008]]",
          .types = "[" B ", " B "]",
          .kernel = "nvjet_gemm",
          .us = 33,
          .blocks = 800},
         {.op = "aten::silu",
          .dims = "[[1, 11008]]",
          .types = "[" B "]",
          .kernel = POINT,
          .us = 3,
          .blocks = 6}},
	{{.op = "aten::mm",
          .dims = "[[4096, 4096], [4096, 4096]]",
          .types = "[" F ", " F "]",
          .kernel = "sgemm_128x128",
          .us = 2900,
          .blocks = 1024},
         {.op = "aten::add",
          .dims = "[[4096, 4096], [4096, 4096]]",
          .types = "[" F ", " F "]",
          .kernel = POINT,
          .us = 90,
          .blocks = 16384}},
	{{.op = "aten::addmm",
          .dims = "[[1000], [64, 2047], [2047, 1000]]",
          .types = "[" B ", " B ", " B "]",
          .kernel = "cutlass_80_tensorop_bf16_s16816gemm",
          .us = 30,
          .blocks = 64},
         {.op = "aten::relu",
          .dims = "[[64, 1000]]",
          .types = "[" B "]",
          .kernel = POINT,
          .us = 3,
          .blocks = 63}},
	/* attention without a fused kernel */
	{{.op = "aten::bmm",
          .dims = "[[128, 2048, 64], [128, 64, 2048]]",
          .types = "[" B ", " B "]",
          .kernel = "nvjet_gemm",
          .us = 300,
          .blocks = 4096},
         {.op = "aten::masked_fill_",
          .dims = "[[128, 2048, 2048], [1, 2048, 2048], []]",
          .types = "[" B ", \"bool\", " S "]",
          .kernel = POINT,
          .us = 700,
          .blocks = 9999},
         {.op = "aten::_softmax",
          .dims = SCORES,
          .types = "[" B ", " S ", " S "]",
          .kernel = "softmax_warp_forward",
          .us = 750,
          .blocks = 9999},
         {.op = "aten::bmm",
          .dims = "[[128, 2048, 2048], [128, 2048, 64]]",
          .types = "[" B ", " B "]",
          .kernel = "nvjet_gemm",
          .us = 310,
          .blocks = 4096}},
	/* a chain of pointwise operators */
	{{.op = "aten::mul",
          .dims = "[[64, 1024, 1024], [1024]]",
          .types = "[" B ", " B "]",
          .kernel = POINT,
          .us = 110,
          .blocks = 65536},
         {.op = "aten::add",
          .dims = "[[64, 1024, 1024], [64, 1024, 1024]]",
          .types = "[" B ", " B "]",
          .kernel = POINT,
          .us = 160,
          .blocks = 65536},
         {.op = "aten::native_layer_norm",
          .dims = "[[64, 1024, 1024], [], [1024], [1024], []]",
          .types = "[" B ", \"\", " B ", " B ", " S "]",
          .kernel = "vectorized_layer_norm_kernel",
          .us = 130,
          .blocks = 65536},
         {.op = "aten::gelu",
          .dims = "[[64, 1024, 1024]]",
          .types = "[" B "]",
          .kernel = POINT,
          .us = 105,
          .blocks = 65536}},
	/* layouts */
	{{.op = "aten::cudnn_convolution",
          .dims = CONV,
          .types = CONV_T,
          .scalars = CONV_S,
          .kernel = "sm80_xmma_fprop_implicit_gemm_f32f32_nchwkcrs_nchw",
          .us = 456,
          .blocks = 500},
         {.op = "aten::cudnn_batch_norm",
          .dims = "[[16, 128, 64, 64], [128], [128], [128], [128], [], [], []]",
          .types = "[" F ", " F ", " F ", " F ", " F ", " S ", " S ", " S "]",
          .kernel = "bn_fw_inf_1C11_kernel_NCHW",
          .us = 60,
          .blocks = 2048},
         {.op = "aten::relu",
          .dims = "[[16, 128, 64, 64]]",
          .types = "[" F "]",
          .kernel = POINT,
          .us = 25,
          .blocks = 8192}},
	{{.op = "aten::transpose",
          .dims = HEADS,
          .types = "[" B ", " S ", " S "]",
          .scalars = "[\"\", \"1\", \"2\"]"},
         {.op = "aten::copy_",
          .dims = "[[8, 16, 1024, 128], [8, 16, 1024, 128], []]",
          .types = "[" B ", " B ", " S "]",
          .kernel = "direct_copy_kernel_cuda",
          .us = 40,
          .blocks = 16384},
         {.op = "aten::bmm",
          .dims = "[[128, 1024, 128], [128, 128, 1024]]",
          .types = "[" B ", " B "]",
          .kernel = "nvjet_gemm",
          .us = 120,
          .blocks = 4096}},
	{{.op = "aten::cat",
          .dims = "[[[512, 255, 256], [512, 1, 256]], []]",
          .types = "[\"TensorList\", " S "]",
          .kernel = "CatArrayBatchedCopy",
          .us = 200,
          .blocks = 2000},
         {.op = "aten::sum",
          .dims = "[[512, 256, 256], [], [], []]",
          .types = "[" B "]",
          .kernel = "reduce_kernel<512, 1>",
          .us = 25,
          .blocks = 512}},
	/* sorts of which a part is used */
	{{.op = "aten::sort",
          .dims = "[[64, 128256], [], []]",
          .types = "[" F ", " S ", " S "]",
          .scalars = "[\"\", \"-1\", \"True\"]",
          .kernel = "DeviceRadixSortOnesweepKernel",
          .us = 680,
          .blocks = 1000},
         {.op = "aten::slice",
          .dims = "[[64, 128256], [], [], [], []]",
          .types = "[" F ", " S ", " S ", " S ", " S "]",
          .scalars = "[\"\", \"1\", \"0\", \"50\", \"1\"]"},
         {.op = "aten::_softmax",
          .dims = "[[64, 50], [], []]",
          .types = "[" F ", " S ", " S "]",
          .kernel = "softmax_warp_forward",
          .us = 4,
          .blocks = 8}},
	/* waits and copies */
	{{.op = "aten::nonzero",
          .dims = "[[4096]]",
          .types = "[\"bool\"]",
          .kernel = "DeviceSelectSweepKernel",
          .us = 3,
          .blocks = 4},
         {.op = "aten::copy_",
          .dims = "[[1], [1], []]",
          .types = "[\"int\", \"int\", " S "]",
          .copy = "Memcpy DtoH (Device -> Pinned)",
          .us = 2,
          .bytes = 4},
         {.op = "aten::index",
          .dims = "[[4096, 1024], []]",
          .types = "[" B "]",
          .kernel = "vectorized_gather_kernel",
          .us = 5,
          .blocks = 64},
         {.op = "aten::mm",
          .dims = "[[2048, 1024], [1024, 1024]]",
          .types = "[" B ", " B "]",
          .kernel = "nvjet_gemm",
          .us = 60,
          .blocks = 256}},
	{{.op = "aten::copy_",
          .dims = "[[64, 3, 224, 224], [64, 3, 224, 224], []]",
          .types = "[" F ", " F ", " S "]",
          .copy = "Memcpy HtoD (Pageable -> Device)",
          .us = 3800,
          .bytes = 38535168},
         {.op = "aten::copy_",
          .dims = "[[64, 3, 224, 224], [64, 3, 224, 224], []]",
          .types = "[" B ", " F ", " S "]",
          .kernel = POINT,
          .us = 30,
          .blocks = 9408}},
	{{.op = "aten::argmax",
          .dims = "[[64, 32000], [], []]",
          .types = "[" B ", " S ", " S "]",
          .kernel = "reduce_kernel ArgMaxOps",
          .us = 8,
          .blocks = 64},
         {.op = "aten::copy_",
          .dims = "[[64], [64], []]",
          .types = "[\"long int\", \"long int\", " S "]",
          .copy = "Memcpy DtoH (Device -> Pageable)",
          .us = 3,
          .bytes = 512}},
	{{.op = "aten::copy_",
          .dims = "[[64, 128256], [64, 128256], []]",
          .types = "[" F ", " F ", " S "]",
          .copy = "Memcpy DtoH (Device -> Pageable)",
          .us = 2900,
          .bytes = 32833536},
         {.op = "aten::div", .dims = "[[64, 128256], []]", .types = "[" F ", " S "]", .us = 2500},
         {.op = "aten::argmax",
          .dims = "[[64, 128256], [], []]",
          .types = "[" F ", " S ", " S "]",
          .us = 3000}},
	{{.op = "aten::copy_",
          .dims = "[[256], [256], []]",
          .types = "[" F ", " F ", " S "]",
          .copy = "Memcpy HtoD (Pinned -> Device)",
          .us = 2,
          .bytes = 1024},
         {.op = "aten::add_",
          .dims = "[[64, 256], [256], []]",
          .types = "[" F ", " F ", " S "]",
          .kernel = POINT,
          .us = 3,
          .blocks = 16}},
	/* small kernels of a model */
	{{.op = "aten::mm",
          .dims = "[[8, 512], [512, 2048]]",
          .types = "[" B ", " B "]",
          .kernel = "nvjet_gemm",
          .us = 5,
          .blocks = 32},
         {.op = "aten::sigmoid",
          .dims = "[[8, 1024]]",
          .types = "[" B "]",
          .kernel = POINT,
          .us = 2,
          .blocks = 4},
         {.op = "aten::tanh",
          .dims = "[[8, 512]]",
          .types = "[" B "]",
          .kernel = POINT,
          .us = 2,
          .blocks = 2}},
	{{.op = "aten::embedding",
          .dims = "[[32000, 1024], [8, 512], [], [], []]",
          .types = "[" F ", \"long int\", " S ", " S ", " S "]",
          .kernel = "vectorized_gather_kernel",
          .us = 14,
          .blocks = 4096},
         {.op = "aten::index_add_",
          .dims = "[[4096, 1024], [], [4096], [4096, 1024], []]",
          .types = "[" F ", " S ", \"long int\", " F ", " S "]",
          .kernel = "indexFuncLargeIndex",
          .us = 30,
          .blocks = 1056},
         {.op = "aten::cumsum",
          .dims = "[[64, 4096], []]",
          .types = "[" F ", " S "]",
          .kernel = "tensor_kernel_scan_innermost_dim",
          .us = 30,
          .blocks = 64}},
};

/* Takes another part of a tensor in each turn. */
static void take_part(struct advice_step *step, int turn)
{
	static char scalars[16][32];

	(void)snprintf(scalars[turn], sizeof scalars[turn], "[\"\", \"0\", \"%d\"]", turn);
	advice_step_view(step, "aten::select", "[[16, 8, 512], [], []]", "[" B ", " S ", " S "]",
	                 scalars[turn]);
}

static void add_word(struct advice_step *step, const struct word *word, double factor)
{
	advice_step_begin(step, word->op, word->dims, word->types, word->scalars);
	if (word->kernel)
		advice_step_kernel(step, word->kernel, factor * word->us, word->blocks);
	else if (word->copy)
		advice_step_copy_bytes(step, word->copy, factor * word->us, word->bytes);
	else
		advice_step_pass(step, factor * word->us);
	advice_step_end(step);
}

static void add_phrase(struct advice_step *step, const struct word *words, double factor)
{
	for (size_t w = 0; w < MOST_WORDS && words[w].op; w++)
		add_word(step, &words[w], factor);
}

/* Up to three parts, each of which repeats up to two phrases. */
static struct advice_step *draw(uint64_t *state)
{
	static const double factors[] = {1, 1, 1.3, 0.4, 2.5};
	static const int turns[] = {1, 1, 2, 4, 5, 9};
	struct advice_step *step = advice_step_new();

	for (uint64_t parts = 1 + next_number(state) % 3; parts > 0; parts--) {
		const struct word *first = phrases[next_number(state) % WEIR_COUNT_OF(phrases)];
		const struct word *second = phrases[next_number(state) % WEIR_COUNT_OF(phrases)];
		bool two = next_number(state) % 2, select = next_number(state) % 3 == 0;
		double factor = factors[next_number(state) % WEIR_COUNT_OF(factors)];
		int count = turns[next_number(state) % WEIR_COUNT_OF(turns)];

		for (int turn = 0; turn < count; turn++) {
			if (select)
				take_part(step, turn);
			add_phrase(step, first, factor);
			if (two)
				add_phrase(step, second, factor);
		}
		if (next_number(state) % 3 == 0)
			advice_step_pass(step, (double)(next_number(state) % 900));
		if (next_number(state) % 5 == 0)
			advice_step_graph(step, 12, 8, 40);
	}
	if (next_number(state) % 2)
		advice_step_wait(step);
	return step;
}

static void random_programs_keep_what_every_fix_promises(void **state)
{
	uint64_t seed = 17;

	(void)state;
	for (int i = 0; i < PROGRAMS; i++) {
		struct advice_result result;

		advice_step_apply(draw(&seed), weir_fix_batch_more, &result);
		assert_true(result.before_us > 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_programs_keep_what_every_fix_promises),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
