/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slow kernels that nothing else explains, and steps that leave nothing to do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/advice/advise.h"
#include "tests/unit/advice_trace.h"
#include "tests/unit/near.h"

#define H100  "NVIDIA H100 80GB HBM3"
#define CLOSE 0.01

#define HALVES "[\"c10::BFloat16\",\"c10::BFloat16\"]"
#define ADD    "void at::native::vectorized_elementwise_kernel<8, CUDAFunctor_add>"
/* Two matrices in, one out: 402.7 MB, which take 133.6 us at the sustained 3.015 TB/s. */
#define SUM     "[[8192,8192],[8192,8192]]"
#define ROOF_NS 133560

/* Returns a run of such sums, one for each duration; 0 ends. */
static struct advice_trace *sums(const int64_t *ns)
{
	struct advice_trace *run = advice_trace_new();

	for (; *ns; ns++) {
		advice_trace_op(run, "aten::add", SUM, HALVES);
		advice_trace_kernel(run, ADD, *ns);
	}
	advice_trace_finish(run, H100);
	return run;
}

static void a_slow_kernel_reaches_60_percent_of_its_roof(void **state)
{
	const int64_t ns[] = {10 * (int64_t)ROOF_NS, 0};
	struct advice_trace *run = sums(ns);

	(void)state;
	assert_true(advice_trace_apply(run, weir_fix_retune_kernel));
	assert_near(run->draft.program.jobs[0].ns, ROOF_NS / 0.6, CLOSE);
	advice_trace_free(run);
}

static void a_kernel_is_slow_below_40_percent_of_its_roof(void **state)
{
	static const struct {
		int64_t ns;
		bool slow;
	} cases[] = {{(int64_t)(ROOF_NS / 0.395), true}, {(int64_t)(ROOF_NS / 0.405), false}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		const int64_t ns[] = {cases[i].ns, 0};
		struct advice_trace *run = sums(ns);

		assert_int_equal(advice_trace_apply(run, weir_fix_retune_kernel), cases[i].slow);
		advice_trace_free(run);
	}
}

/* All sums have one shape, hence one group: its mean decides, so that the slow one has another. */
static void like_kernels_of_the_run_show_what_is_usual(void **state)
{
	struct advice_trace *run = advice_trace_new();

	(void)state;
	for (int i = 0; i < 3; i++) {
		advice_trace_op(run, "aten::add", SUM, HALVES);
		advice_trace_kernel(run, ADD, (int64_t)(ROOF_NS / 0.8));
	}
	advice_trace_op(run, "aten::mul", SUM, HALVES);
	advice_trace_kernel(run, ADD, 5 * (int64_t)ROOF_NS);
	advice_trace_finish(run, H100);
	assert_true(advice_trace_apply(run, weir_fix_retune_kernel));
	assert_near(run->draft.program.jobs[3].ns, ROOF_NS / 0.8, CLOSE);
	assert_near(run->draft.program.jobs[0].ns, ROOF_NS / 0.8, CLOSE);
	advice_trace_free(run);
}

/* 5 MB of each matrix: 5.2 us at the roof. */
/* Its instructions have no model, and take longer than its traffic. */
static void random_numbers_take_their_time(void **state)
{
	struct advice_trace *run = advice_trace_new();

	(void)state;
	advice_trace_op(run, "aten::normal_", "[[8192,8192],[],[],[]]",
	                "[\"c10::BFloat16\",\"Scalar\",\"Scalar\",\"\"]");
	advice_trace_kernel(run, "distribution_elementwise_grid_stride_kernel<float, 4, normal>",
	                    150000);
	advice_trace_finish(run, H100);
	assert_false(advice_trace_apply(run, weir_fix_retune_kernel));
	advice_trace_free(run);
}

static void short_kernels_are_limited_by_launch_and_size(void **state)
{
	static const struct {
		int64_t ns;
		bool slow;
	} cases[] = {{20000, true}, {19999, false}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_trace *run = advice_trace_new();

		advice_trace_op(run, "aten::add", "[[1024,2560],[1024,2560]]", HALVES);
		advice_trace_kernel(run, ADD, cases[i].ns);
		advice_trace_finish(run, H100);
		assert_int_equal(advice_trace_apply(run, weir_fix_retune_kernel), cases[i].slow);
		advice_trace_free(run);
	}
}

static void idle_matrix_units_have_another_fix(void **state)
{
	struct advice_trace *run = advice_trace_new();

	(void)state;
	advice_trace_op(run, "aten::mm", "[[4096,4096],[4096,4096]]", "[\"float\",\"float\"]");
	advice_trace_kernel(run, "ampere_sgemm_128x64_nn", 9000000);
	advice_trace_finish(run, H100);
	assert_false(advice_trace_apply(run, weir_fix_retune_kernel));
	advice_trace_free(run);
}

static void a_product_is_slow_at_twice_the_time_of_its_size(void **state)
{
	/* The model gives 180.8 us. The roofline's share is below 40 % in both cases. */
	static const struct {
		int64_t ns;
		bool slow;
	} cases[] = {{450000, true}, {340000, false}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_trace *run = advice_trace_new();

		advice_trace_op(run, "aten::mm", "[[4096,4096],[4096,4096]]", HALVES);
		advice_trace_kernel(run, "nvjet_sm90_tst_256x128_64x4", cases[i].ns);
		advice_trace_finish(run, H100);
		assert_int_equal(advice_trace_apply(run, weir_fix_retune_kernel), cases[i].slow);
		advice_trace_free(run);
	}
}

/* 67 million threads of 7 bytes at 3.015 TB/s take 155.8 us. The device starts 1.66 blocks a ns. */
static void a_kernel_of_one_warp_blocks_takes_the_time_of_its_bytes(void **state)
{
	static const struct {
		uint32_t blocks, threads;
		int64_t ns;
		double after_ns;
	} cases[] = {{2097152, 32, 1264000, 155800}, {2097152, 32, 2000000, 155800},
	             {2097152, 32, 2200000, NAN}, /* each block has its own work */
	             {2097152, 33, 1264000, NAN},    {2097152, 0, 1264000, NAN}, /* not recorded */
	             {20000, 32, 19999, NAN}}; /* limited by launch and size */

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_trace *run = advice_trace_new();

		advice_trace_op(run, "launch", "[[64]]", "[\"float\"]");
		advice_trace_blocks(run, "_axpby", cases[i].ns, cases[i].blocks, cases[i].threads);
		advice_trace_finish(run, H100);
		assert_int_equal(advice_trace_apply(run, weir_fix_retune_kernel),
		                 !isnan(cases[i].after_ns));
		if (!isnan(cases[i].after_ns))
			assert_near(run->draft.program.jobs[0].ns, cases[i].after_ns, CLOSE);
		advice_trace_free(run);
	}
}

/* Returns whether retune-kernel names a kernel without an operator's model, and checks that it then
 * promises nothing. */
static bool is_named(const char *op, const char *kernel, int64_t ns, uint32_t blocks,
                     uint32_t threads)
{
	struct advice_trace *run = advice_trace_new();
	bool found;

	advice_trace_op(run, op, "[[64]]", "[\"float\"]");
	advice_trace_blocks(run, kernel, ns, blocks, threads);
	advice_trace_finish(run, H100);
	found = advice_trace_apply(run, weir_fix_retune_kernel);
	assert_int_equal(run->draft.unpredicted, found);
	advice_trace_free(run);
	return found;
}

/* 132 multiprocessors hold 4224 blocks. */
static void long_blocks_of_one_warp_are_named_without_a_promise(void **state)
{
	(void)state;
	assert_true(is_named("launch", "norm_kernel", 929000, 24576, 32));
	assert_true(is_named("launch", "norm_kernel", 200000, 42240, 32)); /* 20 us a block */
	assert_false(is_named("launch", "norm_kernel", 199999, 42240, 32));
	assert_true(is_named("launch", "scan", 20000, 64, 32)); /* less than a wave */
	assert_false(is_named("launch", "scan", 19999, 64, 32));
	assert_false(is_named("launch", "norm_kernel", 929000, 24576, 33));
	assert_false(is_named("launch", "norm_kernel", 929000, 24576, 0)); /* not recorded */
}

static void kernels_of_libraries_are_not_named_for_their_blocks(void **state)
{
	(void)state;
	assert_false(is_named("aten::custom", "norm_kernel", 929000, 24576, 32));
	assert_false(is_named("launch", "vector_fft<32>", 929000, 24576, 32));
	assert_false(is_named("launch", "cudnn::winograd", 929000, 24576, 32));
	assert_false(is_named("launch", "ncclDevKernel_AllReduce", 929000, 24576, 32));
}

static void the_gain_of_long_blocks_is_not_known(void **state)
{
	static const struct weir_fix_entry entry = {
		.id = "retune-kernel", .why = "", .effort = WEIR_EFFORT_HIGH, .numerics = "none"};
	const struct weir_fix_catalogue catalogue = {&entry, 1};
	struct advice_trace *run = advice_trace_new();
	struct weir_arena *arena = weir_arena_new();
	struct weir_found_fixes found;

	(void)state;
	advice_trace_op(run, "launch", "[[64]]", "[\"float\"]");
	advice_trace_blocks(run, "norm_kernel", 929000, 24576, 32);
	advice_trace_finish(run, H100);
	weir_advise(run->analysis, &run->report, &catalogue, arena, &found);
	assert_int_equal(found.count, 1);
	assert_true(isnan(found.items[0].speedup) && isnan(found.items[0].step_ns));
	weir_arena_free(arena);
	advice_trace_free(run);
}

/* ---- none ---- */

static void kernels_near_a_roof_leave_nothing_to_do(void **state)
{
	const int64_t ns[] = {(int64_t)(ROOF_NS / 0.95), (int64_t)(ROOF_NS / 0.95), 0};
	struct advice_trace *run = sums(ns);

	(void)state;
	assert_true(advice_trace_apply(run, weir_fix_none));
	assert_non_null(strstr(run->draft.basis.data, "take 100 % of the step"));
	assert_near(run->draft.program.jobs[1].ns, run->advisor.program.jobs[1].ns, 0);
	advice_trace_free(run);
}

static void a_step_that_waits_leaves_something_to_do(void **state)
{
	static const struct {
		int64_t idle_ns;
		bool found;
	} cases[] = {{45000, true}, {60000, false}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_trace *run = advice_trace_new();

		advice_trace_op(run, "aten::add", SUM, HALVES);
		advice_trace_kernel(run, ADD, (int64_t)(ROOF_NS / 0.9));
		advice_trace_op(run, "custom", "[]", "[]");
		advice_trace_kernel(run, "mystery", cases[i].idle_ns);
		advice_trace_finish(run, H100);
		assert_int_equal(advice_trace_apply(run, weir_fix_none), cases[i].found);
		advice_trace_free(run);
	}
}

/* Returns whether kernels near a roof leave nothing to do, of which each takes this time, beside a
 * kernel that nothing is known of. */
static bool leaves_nothing(int64_t near_ns, int64_t other_ns)
{
	struct advice_trace *run = advice_trace_new();
	bool found;

	advice_trace_op(run, "aten::add", SUM, HALVES);
	advice_trace_kernel(run, ADD, near_ns);
	advice_trace_op(run, "custom", "[]", "[]");
	advice_trace_kernel(run, "mystery", other_ns);
	advice_trace_finish(run, H100);
	assert_near(run->advisor.before_ns, (double)(near_ns + other_ns), 0);
	found = advice_trace_apply(run, weir_fix_none);
	advice_trace_free(run);
	return found;
}

static void three_quarters_of_the_step_are_enough(void **state)
{
	(void)state;
	assert_true(leaves_nothing(150000, 50000));
	assert_false(leaves_nothing(150000, 50001));
}

static void none_is_listed_alone_and_saves_nothing(void **state)
{
	static const struct weir_fix_entry entries[] = {
		{.id = "retune-kernel", .why = "", .effort = WEIR_EFFORT_HIGH, .numerics = "none"},
		{.id = WEIR_FIX_NONE, .why = "", .effort = WEIR_EFFORT_HIGH, .numerics = "none"},
	};
	static const struct {
		int64_t ns;
		const char *id;
	} cases[] = {{ROOF_NS, "none"}, {10 * (int64_t)ROOF_NS, "retune-kernel"}};
	const struct weir_fix_catalogue catalogue = {entries, WEIR_COUNT_OF(entries)};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		const int64_t ns[] = {cases[i].ns, 0};
		struct advice_trace *run = sums(ns);
		struct weir_arena *arena = weir_arena_new();
		struct weir_found_fixes found;

		weir_advise(run->analysis, &run->report, &catalogue, arena, &found);
		assert_int_equal(found.count, 1);
		assert_string_equal(found.items[0].entry->id, cases[i].id);
		assert_int_equal(isnan(found.items[0].speedup), i == 0);
		weir_arena_free(arena);
		advice_trace_free(run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_kernel_reaches_60_percent_of_its_roof),
		cmocka_unit_test(a_kernel_is_slow_below_40_percent_of_its_roof),
		cmocka_unit_test(like_kernels_of_the_run_show_what_is_usual),
		cmocka_unit_test(short_kernels_are_limited_by_launch_and_size),
		cmocka_unit_test(random_numbers_take_their_time),
		cmocka_unit_test(idle_matrix_units_have_another_fix),
		cmocka_unit_test(a_product_is_slow_at_twice_the_time_of_its_size),
		cmocka_unit_test(a_kernel_of_one_warp_blocks_takes_the_time_of_its_bytes),
		cmocka_unit_test(long_blocks_of_one_warp_are_named_without_a_promise),
		cmocka_unit_test(kernels_of_libraries_are_not_named_for_their_blocks),
		cmocka_unit_test(the_gain_of_long_blocks_is_not_known),
		cmocka_unit_test(kernels_near_a_roof_leave_nothing_to_do),
		cmocka_unit_test(a_step_that_waits_leaves_something_to_do),
		cmocka_unit_test(three_quarters_of_the_step_are_enough),
		cmocka_unit_test(none_is_listed_alone_and_saves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
