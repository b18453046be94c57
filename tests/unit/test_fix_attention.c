/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attention in separate kernels, found by structure and by name. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/advice_trace.h"
#include "tests/unit/near.h"

#define H100  "NVIDIA H100 80GB HBM3"
#define CLOSE 0.01

#define TWO_HALVES "[\"c10::BFloat16\",\"c10::BFloat16\"]"
#define TWO_FLOATS "[\"float\",\"float\"]"
#define GEMM       "nvjet_sm90_tst_128x128_64x4_h_bz_NNT"
#define SOFTMAX    "void softmax_warp_forward<c10::BFloat16>"
#define SCALE      "void at::native::vectorized_elementwise_kernel<8>"
/* 128 heads of 64 and 2048 rows: 137 GFLOP, and 6 % more for the beginnings of tiles, at 59 % of
 * 791 TFLOP/s, and 134 MB, after 5 us. */
#define FUSED_NS 301000

#define QUERIES "[[128,2048,64],[128,64,2048]]"
#define SCORES  "[[128,2048,2048],[]]"
#define VALUES  "[[128,2048,2048],[128,2048,64]]"

struct operators {
	const char *first, *between, *last, *types;
	const char *first_dims, *between_dims, *last_dims;
};

/* Returns a run of a product, scale, softmax (or what stands in its place) and product. */
static struct advice_trace *attention(const struct operators *ops)
{
	struct advice_trace *run = advice_trace_new();

	advice_trace_op(run, ops->first, ops->first_dims, ops->types);
	advice_trace_kernel(run, GEMM, 800000);
	advice_trace_op(run, "aten::mul", ops->between_dims, ops->types);
	advice_trace_kernel(run, SCALE, 700000);
	advice_trace_op(run, ops->between, ops->between_dims, ops->types);
	advice_trace_kernel(run, SOFTMAX, 900000);
	advice_trace_op(run, ops->last, ops->last_dims, ops->types);
	advice_trace_kernel(run, GEMM, 600000);
	advice_trace_finish(run, H100);
	return run;
}

static const struct operators usual = {"aten::bmm", "aten::_softmax", "aten::bmm", TWO_HALVES,
                                       QUERIES,     SCORES,           VALUES};

static void product_scale_softmax_and_product_become_one_kernel(void **state)
{
	struct advice_trace *run = attention(&usual);

	(void)state;
	assert_true(advice_trace_apply(run, weir_fix_fused_attention));
	assert_near(run->draft.program.jobs[0].ns, FUSED_NS, CLOSE);
	for (int j = 1; j < 4; j++)
		assert_near(run->draft.program.jobs[j].ns, 0, 0);
	assert_true(run->draft.program.issues[run->draft.program.jobs[3].issue].removed ||
	            run->draft.program.issues[run->draft.program.jobs[3].issue].call_ns == 0);
	advice_trace_free(run);
}

static void assert_finds(const struct operators *ops, bool found)
{
	struct advice_trace *run = attention(ops);

	assert_int_equal(advice_trace_apply(run, weir_fix_fused_attention), found);
	advice_trace_free(run);
}

#define FILL   "aten::masked_fill_"
#define BIASED "[[8,16,2048,2048],[8,16,2048,2048]]" /* one for each head */

/* A causal mask takes half of the FLOPs, and a tile more for each of 2048 rows; others double the
 * time. */
static void a_mask_of_positions_alone_is_causal(void **state)
{
	static const struct {
		const char *op, *dims;
		double share;
	} cases[] = {{FILL, "[[8,16,2048,2048],[2048,2048]]", 0.564},
	             {FILL, "[[8,16,2048,2048],[1,1,2048,2048]]", 0.564},
	             {FILL, "[[8,16,2048,2048],[8,1,1,2048]]", 1.98},
	             {FILL, "[[8,16,2048,2048],[8,1,2048,2048]]", 1.98},
	             {FILL, "[[8,16,2048,2048],[8,16,2048,1]]", 1},
	             {FILL, "[[8,16,2048,2048],[]]", 1},
	             {"aten::copy_", BIASED, 1},
	             {"aten::mul", BIASED, 1},
	             {"aten::add", BIASED, 1.98},
	             {"aten::add_", BIASED, 1.98},
	             {"aten::masked_fill", BIASED, 1.98},
	             {FILL, BIASED, 1.98},
	             {"aten::where", BIASED, 1.98}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_trace *run = advice_trace_new();

		advice_trace_op(run, "aten::bmm", QUERIES, TWO_HALVES);
		advice_trace_kernel(run, GEMM, 800000);
		advice_trace_op(run, cases[i].op, cases[i].dims, "[\"c10::BFloat16\",\"bool\"]");
		advice_trace_kernel(run, SCALE, 700000);
		advice_trace_op(run, "aten::_softmax", SCORES, TWO_HALVES);
		advice_trace_kernel(run, SOFTMAX, 900000);
		advice_trace_op(run, "aten::bmm", VALUES, TWO_HALVES);
		advice_trace_kernel(run, GEMM, 600000);
		advice_trace_finish(run, H100);
		assert_true(advice_trace_apply(run, weir_fix_fused_attention));
		assert_near(run->draft.program.jobs[0].ns, FUSED_NS * cases[i].share, CLOSE);
		/* At most, a mask of positions is another one, as of a prefix, and an arbitrary
		 * one is slower by FUSED_HIGH. */
		assert_near(run->draft.program.jobs[0].high_ns,
		            FUSED_NS * (cases[i].share < 1 ? 1.98 : 1.9 * cases[i].share), CLOSE);
		advice_trace_free(run);
	}
}

/* PyTorch makes a bias of truth values before it calls the fused kernel: the kernel of 700 us goes
 * over the mask alone then. Of a bias, or a mask that is_causal replaces, nothing is made. */
static void a_mask_of_truth_values_becomes_a_bias(void **state)
{
	static const struct {
		const char *op, *dims, *type;
		double ns;
	} cases[] = {{FILL, "[[8,16,2048,2048],[8,1,2048,2048]]", "bool", 700000.0 / 16},
	             {FILL, "[[8,16,2048,2048],[8,16,2048,2048]]", "bool", 700000},
	             {FILL, "[[8,16,2048,2048],[8,1,1,2048]]", "bool", WEIR_SHORTEST_KERNEL_NS},
	             {FILL, "[[8,16,2048,2048],[2048,2048]]", "bool", 0},
	             {"aten::add", "[[8,16,2048,2048],[8,1,2048,2048]]", "c10::BFloat16", 0}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_trace *run = advice_trace_new();
		char types[64];

		snprintf(types, sizeof types, "[\"c10::BFloat16\",\"%s\"]", cases[i].type);
		advice_trace_op(run, "aten::bmm", QUERIES, TWO_HALVES);
		advice_trace_kernel(run, GEMM, 800000);
		advice_trace_op(run, cases[i].op, cases[i].dims, types);
		advice_trace_kernel(run, SCALE, 700000);
		advice_trace_op(run, "aten::_softmax", SCORES, TWO_HALVES);
		advice_trace_kernel(run, SOFTMAX, 900000);
		advice_trace_op(run, "aten::bmm", VALUES, TWO_HALVES);
		advice_trace_kernel(run, GEMM, 600000);
		advice_trace_finish(run, H100);
		assert_true(advice_trace_apply(run, weir_fix_fused_attention));
		assert_near(run->draft.program.jobs[1].ns, cases[i].ns, CLOSE);
		advice_trace_free(run);
	}
}

static void an_exponential_is_a_softmax_that_is_written_out(void **state)
{
	struct operators ops = usual;

	(void)state;
	ops.between = "aten::exp";
	assert_finds(&ops, true);
	ops.between = "aten::sigmoid";
	assert_finds(&ops, false);
	/* exp(-distance) @ weights, without heads */
	ops = (struct operators){"aten::mm",
	                         "aten::exp",
	                         "aten::mm",
	                         TWO_HALVES,
	                         "[[12288,128],[128,4096]]",
	                         "[[12288,4096],[]]",
	                         "[[12288,4096],[4096,32]]"};
	assert_finds(&ops, false);
	ops.between = "aten::_softmax";
	assert_finds(&ops, true);
}

static void the_transposed_scores_may_come_second(void **state)
{
	struct operators ops = usual;

	(void)state;
	ops.last_dims = "[[128,64,2048],[128,2048,2048]]";
	assert_finds(&ops, true);
}

static void products_of_other_sizes_do_not_read_the_scores(void **state)
{
	struct operators ops = usual;

	(void)state;
	ops.last_dims = "[[128,2048,1024],[128,1024,64]]";
	assert_finds(&ops, false);
	ops.last_dims = "[[64,2048,2048],[64,2048,64]]";
	assert_finds(&ops, false);
	ops = usual;
	ops.between_dims = "[[128,2048,64],[]]"; /* a softmax over something else */
	assert_finds(&ops, false);
}

static void heads_have_up_to_256_elements(void **state)
{
	struct operators ops = usual;

	(void)state;
	ops.first_dims = "[[16,2048,256],[16,256,2048]]";
	ops.between_dims = "[[16,2048,2048],[]]";
	ops.last_dims = "[[16,2048,2048],[16,2048,256]]";
	assert_finds(&ops, true);
	ops.first_dims = "[[16,2048,264],[16,264,2048]]";
	assert_finds(&ops, false);
}

/* A classifier over 2048 classes whose probabilities mix 64 vectors. */
static void a_layer_with_a_bias_gives_no_scores(void **state)
{
	struct advice_trace *run = advice_trace_new();

	(void)state;
	advice_trace_op(run, "aten::addmm", "[[2048],[2048,64],[64,2048]]",
	                "[\"float\",\"float\",\"float\"]");
	advice_trace_kernel(run, "sgemm", 100000);
	advice_trace_op(run, "aten::_softmax", "[[2048,2048]]", "[\"float\"]");
	advice_trace_kernel(run, SOFTMAX, 100000);
	advice_trace_op(run, "aten::mm", "[[2048,2048],[2048,64]]", TWO_FLOATS);
	advice_trace_kernel(run, "sgemm", 100000);
	advice_trace_finish(run, H100);
	assert_false(advice_trace_apply(run, weir_fix_fused_attention));
	advice_trace_free(run);
}

static void kernels_that_are_fast_already_stay(void **state)
{
	struct advice_trace *run = advice_trace_new();

	(void)state;
	advice_trace_op(run, "aten::bmm", "[[16,64,64],[16,64,64]]", TWO_HALVES);
	advice_trace_kernel(run, GEMM, 2000);
	advice_trace_op(run, "aten::_softmax", "[[16,64,64],[]]", TWO_HALVES);
	advice_trace_kernel(run, SOFTMAX, 1400);
	advice_trace_op(run, "aten::bmm", "[[16,64,64],[16,64,64]]", TWO_HALVES);
	advice_trace_kernel(run, GEMM, 1400);
	advice_trace_finish(run, H100);
	assert_false(advice_trace_apply(run, weir_fix_fused_attention));
	advice_trace_free(run);
}

/* The math operator casts 16-bit arguments to fp32; a fused kernel does not. */
static void the_math_operator_takes_the_type_of_its_arguments(void **state)
{
	struct advice_trace *run = advice_trace_new();

	(void)state;
	advice_trace_around(run, "aten::_scaled_dot_product_attention_math",
	                    "[[8,16,2048,64],[8,16,2048,64],[8,16,2048,64]]",
	                    "[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\"]", 3);
	advice_trace_op(run, "aten::bmm", QUERIES, TWO_FLOATS);
	advice_trace_kernel(run, "sgemm", 2050000);
	advice_trace_op(run, "aten::where", "[[128,2048,2048],[128,2048,2048]]", TWO_FLOATS);
	advice_trace_kernel(run, SCALE, 1800000);
	advice_trace_op(run, "aten::bmm", VALUES, TWO_FLOATS);
	advice_trace_kernel(run, "sgemm", 1490000);
	advice_trace_op(run, "aten::add", "[[8,16,2048,64],[]]", TWO_HALVES);
	advice_trace_kernel(run, SCALE, 30000);
	advice_trace_finish(run, H100);
	assert_true(advice_trace_apply(run, weir_fix_fused_attention));
	assert_near(run->draft.program.jobs[0].ns, FUSED_NS, CLOSE);
	assert_near(run->draft.program.jobs[2].ns, 0, 0);
	assert_near(run->draft.program.jobs[3].ns, 30000, 0);
	assert_false(advice_trace_apply(run, weir_fix_lower_precision)); /* the casts go away */
	advice_trace_free(run);
}

#define COPY "void at::native::elementwise_kernel<128, 4, direct_copy_kernel_cuda>"

/* Adds a copy of 20 us, and returns the index of the next job. */
static int copy(struct advice_trace *run, const char *dims, const char *types, int job)
{
	advice_trace_op(run, "aten::copy_", dims, types);
	advice_trace_kernel(run, COPY, 20000);
	return job + 1;
}

static void copies_for_the_products_layouts_go_away(void **state)
{
	static const char heads[] = "[[8,16,2048,64],[8,16,2048,64]]";
	static const char joined[] = "[[8,2048,16,64],[8,2048,16,64]]";
	static const double after[] = {20000, 20000, 0, 0, FUSED_NS, 0, 0, 0, 0, 20000};
	struct advice_trace *run = advice_trace_new();
	int job = 0;

	(void)state;
	job = copy(run, heads, "[\"c10::BFloat16\",\"float\"]", job); /* a cast */
	job = copy(run, "[[8,16,1024,64],[8,16,1024,64]]", TWO_HALVES, job);
	job = copy(run, heads, TWO_HALVES, job);
	job = copy(run, heads, TWO_HALVES, job);
	advice_trace_op(run, "aten::bmm", QUERIES, TWO_HALVES);
	advice_trace_kernel(run, GEMM, 800000);
	advice_trace_op(run, "aten::_softmax", SCORES, TWO_HALVES);
	advice_trace_kernel(run, SOFTMAX, 900000);
	job = copy(run, heads, TWO_HALVES, job + 2);
	advice_trace_op(run, "aten::bmm", VALUES, TWO_HALVES);
	advice_trace_kernel(run, GEMM, 600000);
	job = copy(run, joined, TWO_HALVES, job + 1);
	job = copy(run, joined, TWO_HALVES, job); /* another one, for whatever follows */
	advice_trace_finish(run, H100);
	assert_true(advice_trace_apply(run, weir_fix_fused_attention));
	for (int j = 0; j < job; j++)
		assert_near(run->draft.program.jobs[j].ns, after[j], CLOSE);
	advice_trace_free(run);
}

static void a_result_that_keeps_its_heads_apart_is_still_copied(void **state)
{
	struct advice_trace *run = advice_trace_new();

	(void)state;
	advice_trace_op(run, "aten::bmm", QUERIES, TWO_HALVES);
	advice_trace_kernel(run, GEMM, 800000);
	advice_trace_op(run, "aten::_softmax", SCORES, TWO_HALVES);
	advice_trace_kernel(run, SOFTMAX, 900000);
	advice_trace_op(run, "aten::bmm", VALUES, TWO_HALVES);
	advice_trace_kernel(run, GEMM, 600000);
	copy(run, "[[8,16,2048,64],[8,16,2048,64]]", TWO_HALVES, 3);
	advice_trace_finish(run, H100);
	assert_true(advice_trace_apply(run, weir_fix_fused_attention));
	assert_near(run->draft.program.jobs[3].ns, 20000, 0);
	advice_trace_free(run);
}

/* The kernel writes the layout of q: the heads lie apart if q needed no copy. */
static void a_result_with_the_layout_of_its_queries_is_still_copied(void **state)
{
	static const char heads[] = "[[8,16,2048,64],[8,16,2048,64]]";
	struct advice_trace *run = advice_trace_new();
	int job = 0;

	(void)state;
	job = copy(run, heads, TWO_HALVES, job);
	job = copy(run, heads, TWO_HALVES, job);
	advice_trace_op(run, "aten::bmm", QUERIES, TWO_HALVES);
	advice_trace_kernel(run, GEMM, 800000);
	advice_trace_op(run, "aten::_softmax", SCORES, TWO_HALVES);
	advice_trace_kernel(run, SOFTMAX, 900000);
	advice_trace_op(run, "aten::bmm", VALUES, TWO_HALVES);
	advice_trace_kernel(run, GEMM, 600000);
	copy(run, "[[8,2048,16,64],[8,2048,16,64]]", TWO_HALVES, job + 3);
	advice_trace_finish(run, H100);
	assert_true(advice_trace_apply(run, weir_fix_fused_attention));
	assert_near(run->draft.program.jobs[job].ns, FUSED_NS, CLOSE);
	assert_near(run->draft.program.jobs[job + 3].ns, 20000, 0);
	advice_trace_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(product_scale_softmax_and_product_become_one_kernel),
		cmocka_unit_test(a_mask_of_positions_alone_is_causal),
		cmocka_unit_test(a_mask_of_truth_values_becomes_a_bias),
		cmocka_unit_test(an_exponential_is_a_softmax_that_is_written_out),
		cmocka_unit_test(the_transposed_scores_may_come_second),
		cmocka_unit_test(products_of_other_sizes_do_not_read_the_scores),
		cmocka_unit_test(heads_have_up_to_256_elements),
		cmocka_unit_test(a_layer_with_a_bias_gives_no_scores),
		cmocka_unit_test(kernels_that_are_fast_already_stay),
		cmocka_unit_test(the_math_operator_takes_the_type_of_its_arguments),
		cmocka_unit_test(copies_for_the_products_layouts_go_away),
		cmocka_unit_test(a_result_that_keeps_its_heads_apart_is_still_copied),
		cmocka_unit_test(a_result_with_the_layout_of_its_queries_is_still_copied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
