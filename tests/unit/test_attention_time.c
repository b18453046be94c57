/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times of fused attention kernels against measured ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/advice/attention.h"
#include "engine/analysis/advice/products.h"
#include "tests/unit/near.h"

/* Sustained rates of an H100 SXM5, FLOP per us. */
#define NARROW 791e6
#define WIDE   54e6

static struct weir_product attention(double heads, double rows, double depth, enum weir_mask mask)
{
	return (struct weir_product){.kind = WEIR_PRODUCT_ATTENTION,
	                             .flops = 4 * heads * rows * rows * depth,
	                             .m = rows,
	                             .n = rows,
	                             .batch = heads,
	                             .depth = depth,
	                             .mask = mask};
}

/* PyTorch 2.11, CUDA 13, scaled_dot_product_attention on an H100 SXM5. */
static void measured_calls_are_within_a_quarter(void **state)
{
	static const struct {
		bool wide;
		double heads, rows, depth;
		enum weir_mask mask;
		double us;
	} calls[] = {
		{false, 65536, 42, 8, WEIR_MASK_NONE, 1065.7},
		{false, 16384, 64, 64, WEIR_MASK_NONE, 290.8},
		{false, 16384, 256, 32, WEIR_MASK_NONE, 788.1},
		{false, 4096, 512, 64, WEIR_MASK_NONE, 691.4},
		{false, 256, 2048, 64, WEIR_MASK_NONE, 614.3},
		{false, 256, 4096, 128, WEIR_MASK_NONE, 3358.8},
		{false, 256, 4096, 64, WEIR_MASK_CAUSAL, 1267.7},
		{false, 1024, 1024, 128, WEIR_MASK_CAUSAL, 629.7},
		{false, 16384, 64, 32, WEIR_MASK_ANY, 470.8},
		{false, 1024, 1024, 64, WEIR_MASK_ANY, 1162.7},
		{false, 4096, 256, 64, WEIR_MASK_ANY, 365.8},
		{true, 16384, 42, 8, WEIR_MASK_NONE, 512.1},
		{true, 1024, 512, 64, WEIR_MASK_NONE, 2289.8},
		{true, 64, 2048, 128, WEIR_MASK_NONE, 3009.5},
		{true, 1024, 512, 64, WEIR_MASK_CAUSAL, 1406.0},
		{true, 4096, 256, 32, WEIR_MASK_ANY, 2199.4},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(calls); i++) {
		struct weir_product p =
			attention(calls[i].heads, calls[i].rows, calls[i].depth, calls[i].mask);

		assert_near(weir_attention_busy_flops(&p, calls[i].wide) /
		                    (calls[i].wide ? WIDE : NARROW),
		            calls[i].us, 0.25);
	}
}

static void a_tile_is_computed_whole(void **state)
{
	static const double tiles[] = {128, 64};

	(void)state;
	for (int wide = 0; wide < 2; wide++) {
		double tile = tiles[wide];
		struct weir_product one = attention(1024, 1, 64, WEIR_MASK_NONE),
				    full = attention(1024, tile, 64, WEIR_MASK_NONE),
				    over = attention(1024, tile + 1, 64, WEIR_MASK_NONE);
		double full_flops = weir_attention_busy_flops(&full, wide);

		assert_near(weir_attention_busy_flops(&one, wide), full_flops, 1e-9);
		assert_true(weir_attention_busy_flops(&over, wide) > 2 * full_flops);
	}
}

static void small_heads_are_no_faster(void **state)
{
	static const double least[] = {64, 32};

	(void)state;
	for (int wide = 0; wide < 2; wide++) {
		struct weir_product tiny = attention(64, 1024, 8, WEIR_MASK_NONE),
				    small = attention(64, 1024, least[wide], WEIR_MASK_NONE),
				    larger = attention(64, 1024, 2 * least[wide], WEIR_MASK_NONE);
		double flops = weir_attention_busy_flops(&small, wide);

		assert_near(weir_attention_busy_flops(&tiny, wide), flops, 1e-9);
		assert_true(weir_attention_busy_flops(&larger, wide) > 1.1 * flops);
	}
}

static void without_sizes_only_the_head_matters(void **state)
{
	struct weir_product p = {.kind = WEIR_PRODUCT_ATTENTION, .flops = 1e9, .depth = 128},
			    unknown = {.kind = WEIR_PRODUCT_ATTENTION, .flops = 1e9},
			    usual = {.kind = WEIR_PRODUCT_ATTENTION, .flops = 1e9, .depth = 64};

	(void)state;
	assert_near(weir_attention_busy_flops(&p, false), 1e9 / 0.88, 1e-9);
	assert_near(weir_attention_busy_flops(&unknown, false),
	            weir_attention_busy_flops(&usual, false), 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(measured_calls_are_within_a_quarter),
		cmocka_unit_test(a_tile_is_computed_whole),
		cmocka_unit_test(small_heads_are_no_faster),
		cmocka_unit_test(without_sizes_only_the_head_matters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
