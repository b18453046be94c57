/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes that reach DRAM more than once, and bytes that do not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/roofline/shapes.h"
#include "engine/analysis/roofline/traffic.h"
#include "tests/unit/near.h"

#define BF16 "c10::BFloat16"
#define TWO  "[\"" BF16 "\", \"" BF16 "\"]"
#define MB   1e6

/* 100 multiprocessors and 60 MB of cache. */
static const struct weir_device device = {.sms = 100, .l2_bytes = 60 * MB};

static double traffic_of(const char *op, const char *dims, const char *types,
                         const struct weir_launch_shape *launch)
{
	const struct weir_call call = {
		.op = op, .dims = dims, .types = types, .kernel = launch->kernel};
	struct weir_work work = weir_work_of_call(&call);

	return weir_traffic_bytes(&work, launch, &device);
}

static void a_product_that_fits_the_cache_moves_each_matrix_once(void **state)
{
	const struct weir_launch_shape launch = {"nvjet_sm90_tst_128x256_64x4", 100, 384};

	(void)state;
	assert_near(traffic_of("aten::mm", "[[2048, 2048], [2048, 2048]]", TWO, &launch),
	            2. * 3 * 2048 * 2048, 1e-12);
}

static void a_product_beyond_the_cache_reads_its_matrices_again(void **state)
{
	const struct weir_launch_shape launch = {"nvjet_sm90_tst_128x128_64x4", 100, 384};
	/* 100 tiles of 128 x 128: a region of 960 x 960, so 8000 / 960 reads of either matrix. */
	double side = 0.75 * 1280, once = 2. * 8000 * 8000;

	(void)state;
	assert_near(traffic_of("aten::mm", "[[8000, 8000], [8000, 8000]]", TWO, &launch),
	            once + 2 * once * 8000 / side, 1e-12);
	/* Few rows leave the region long: all rows, and of the columns 960^2 / 480. The first
	 * matrix would be read 8000 / 1920 times, but with 7.7 MB it stays in the cache. */
	assert_near(traffic_of("aten::mm", "[[480, 8000], [8000, 8000]]", TWO, &launch),
	            2. * (480 * 8000 + 8000 * 8000 + 480 * 8000), 1e-12);
}

static void one_block_a_tile_makes_regions_as_wide_as_the_result(void **state)
{
	/* 32 by 64 tiles of 256 columns and 128 rows. */
	const struct weir_launch_shape plain = {"sm80_xmma_gemm_tilesize256x128x8_stage3", 2048,
	                                        256};
	const struct weir_launch_shape other = {"sm80_xmma_gemm_tilesize256x128x8_stage3", 2047,
	                                        256};
	double once = 2. * 8192 * 8192, rows = 100. * 128 * 256 / 8192;

	(void)state;
	assert_near(traffic_of("aten::mm", "[[8192, 8192], [8192, 8192]]", TWO, &plain),
	            once + once + once * 8192 / rows, 1e-12);
	assert_near(traffic_of("aten::mm", "[[8192, 8192], [8192, 8192]]", TWO, &other),
	            once + 2 * once * 8192 / (0.75 * sqrt(100. * 256 * 128)), 1e-12);
}

static void rows_are_looked_at_twice_where_the_cache_loses_them(void **state)
{
	static const char types[] = "[\"" BF16 "\", \"\", \"" BF16 "\", \"" BF16 "\", \"Scalar\"]";
	const struct weir_launch_shape twice = {"vectorized_layer_norm_kernel<c10::BFloat16>", 8192,
	                                        128};
	const struct weir_launch_shape once = {"layer_norm_kernel_in_registers", 8192, 128};
	/* 100 SMs x 16 blocks x 16 KB are 26.2 MB: 0.437 of the cache, 0.373 of the way between. */
	double bytes = 2. * 2 * 8192 * 8192 + 2. * 2 * 8192;
	double lost = (16384. * 1600 / 60e6 - 0.25) / 0.5;

	(void)state;
	assert_near(traffic_of("aten::native_layer_norm", "[[8192, 8192], [], [8192], [8192], []]",
	                       types, &twice),
	            bytes + lost * 2 * 8192 * 8192, 1e-12);
	assert_near(traffic_of("aten::native_layer_norm", "[[8192, 8192], [], [8192], [8192], []]",
	                       types, &once),
	            bytes, 1e-12);
	/* Rows of 4 KB stay, those of 32 KB never do. */
	assert_near(traffic_of("aten::native_layer_norm", "[[32768, 2048], [], [2048], [2048], []]",
	                       types, &twice),
	            2. * 2 * 8192 * 8192 + 2. * 2 * 2048, 1e-12);
	assert_near(traffic_of("aten::native_layer_norm",
	                       "[[4096, 16384], [], [16384], [16384], []]", types, &twice),
	            3. * 2 * 8192 * 8192 + 2. * 2 * 16384, 1e-12);
}

static void a_second_kernel_reads_again_what_is_larger_than_the_cache(void **state)
{
	static const char types[] = "[\"float\", \"\", \"\", \"Scalar\"]";
	const struct weir_launch_shape launch = {"elementwise", 100, 128};

	(void)state;
	assert_near(traffic_of("aten::native_group_norm", "[[16, 64, 128, 128], [], [], []]", types,
	                       &launch),
	            3. * 4 * 16 * 64 * 128 * 128, 1e-12);
	assert_near(traffic_of("aten::native_group_norm", "[[1, 64, 128, 128], [], [], []]", types,
	                       &launch),
	            2. * 4 * 64 * 128 * 128, 1e-12);
}

static void single_elements_are_read_with_the_sectors_that_they_lie_in(void **state)
{
	const struct weir_launch_shape launch = {"_scatter_gather_elementwise_kernel", 100, 128};
	/* 1024 picks in 2^20 sectors: hardly two in one. */
	double sectors = 4. * 8388608 / 32, read = 4 * 8388608. * (1 - exp(-1024 / sectors));

	(void)state;
	assert_near(traffic_of("aten::gather", "[[8388608], [], [1024], []]",
	                       "[\"float\", \"Scalar\", \"long int\", \"\"]", &launch),
	            4. * 1024 + 8. * 1024 + read, 1e-12);
	assert_near(read, 32. * 1024, 1e-3);
}

static void without_a_device_or_a_model_nothing_is_added(void **state)
{
	const struct weir_launch_shape launch = {"nvjet_sm90_tst_128x128_64x4", 100, 384};
	const struct weir_call call = {
		.op = "aten::mm", .dims = "[[8000, 8000], [8000, 8000]]", .types = TWO};
	const struct weir_work none = {.flops = NAN, .bytes = NAN};
	const struct weir_device no_cache = {.sms = 100, .l2_bytes = NAN};
	struct weir_work work = weir_work_of_call(&call);

	(void)state;
	assert_near(weir_traffic_bytes(&work, &launch, NULL), work.bytes, 0);
	assert_near(weir_traffic_bytes(&work, &launch, &no_cache), work.bytes, 0);
	assert_true(isnan(weir_traffic_bytes(&none, &launch, &device)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_product_that_fits_the_cache_moves_each_matrix_once),
		cmocka_unit_test(a_product_beyond_the_cache_reads_its_matrices_again),
		cmocka_unit_test(one_block_a_tile_makes_regions_as_wide_as_the_result),
		cmocka_unit_test(rows_are_looked_at_twice_where_the_cache_loses_them),
		cmocka_unit_test(a_second_kernel_reads_again_what_is_larger_than_the_cache),
		cmocka_unit_test(single_elements_are_read_with_the_sectors_that_they_lie_in),
		cmocka_unit_test(without_a_device_or_a_model_nothing_is_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
