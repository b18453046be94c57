/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cost shifts within a stage, the operators that account for a slower stage, and invariants of any
 * comparison. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/compare/pairing.h"
#include "tests/unit/make_runs.h"
#include "tests/unit/near.h"

static const struct weir_contribution *contribution_of(const struct weir_gate_result *result,
                                                       const char *name)
{
	for (size_t i = 0; i < result->contribution_count; i++)
		if (strcmp(result->contributions[i].operator, name) == 0)
			return &result->contributions[i];
	return NULL;
}

/* Adds "decode" with eight operators, and one that the candidate calls otherwise. */
static void add_rename(struct runs *runs, const char *before, const char *after, double factor)
{
	add_stage(runs, "decode", (struct shape){.count = 300});
	add_device(runs, "decode", (struct shape){.count = 300});
	add_operators(runs, "decode", 8, (struct shape){.count = 300});
	add_operator_to(runs, false, before, (struct shape){.level = 4e5, .count = 300});
	add_operator_to(runs, true, after, (struct shape){.level = 4e5 * factor, .count = 300});
}

static void a_renamed_operator_is_compared_with_itself(void **state)
{
	struct weir_gate_result *result;
	struct runs runs;

	(void)state;
	runs_init(&runs, 5, 3, 21);
	add_rename(&runs, "decode/gemm_v1", "decode/triton_gemm", 1.1);
	result = compare_runs(&runs);
	assert_int_equal(row_of(result, "operator:decode/gemm_v1", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_REGRESSION);
	assert_string_equal(row_of(result, "operator:decode/gemm_v1", WEIR_METRIC_P50)->renamed,
	                    "triton_gemm");
	assert_null(find_row(result, "operator:decode/triton_gemm", WEIR_METRIC_P50));
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_MISSING), 0);
	weir_gate_result_free(result);
	runs_release(&runs);
}

static void an_operator_of_another_size_is_a_stranger(void **state)
{
	static const double factors[] = {1.22, 1.28, 0.82, 0.78}; /* around the ratio of 1.25 */

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct weir_gate_result *result;
		struct runs runs;

		runs_init(&runs, 5, 3, 21);
		add_rename(&runs, "decode/gemm_v1", "decode/triton_gemm", factors[i]);
		result = compare_runs(&runs);
		assert_int_equal(count_outcomes(result, WEIR_OUTCOME_MISSING), i % 2);
		assert_int_equal(count_outcomes(result, WEIR_OUTCOME_NEW), i % 2);
		weir_gate_result_free(result);
		runs_release(&runs);
	}
}

static void names_without_a_common_word_need_equal_calls(void **state)
{
	struct weir_gate_result *result;
	struct runs runs;

	(void)state;
	runs_init(&runs, 5, 3, 21);
	add_rename(&runs, "decode/aten::bmm", "decode/fmha", 1);
	result = compare_runs(&runs);
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_MISSING), 1);
	weir_gate_result_free(result);
	for (size_t i = 0; i < 5; i++)
		weir_series_push(weir_series_get(&runs.base[i]->calls, "decode/aten::bmm"), 28);
	for (size_t i = 0; i < 3; i++)
		weir_series_push(weir_series_get(&runs.head[i]->calls, "decode/fmha"), 28);
	result = compare_runs(&runs);
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_MISSING), 0);
	weir_gate_result_free(result);
	weir_series_get(&runs.head[2]->calls, "decode/fmha")->value[0] = 31; /* mean of 29 */
	result = compare_runs(&runs);
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_MISSING), 1);
	weir_gate_result_free(result);
	runs_release(&runs);
}

static void an_ambiguous_match_is_none(void **state)
{
	struct weir_gate_result *result;
	struct runs runs;

	(void)state;
	runs_init(&runs, 5, 3, 21);
	add_rename(&runs, "decode/gemm_v1", "decode/triton_gemm", 1);
	add_operator_to(&runs, true, "decode/gemm_other",
	                (struct shape){.level = 4e5, .count = 300});
	result = compare_runs(&runs);
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_MISSING), 1);
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_NEW), 2);
	weir_gate_result_free(result);
	runs_release(&runs);
}

/* The candidate chose other tiles: one kernel became two, which take 10 % longer together. */
static void a_family_of_kernels_is_compared_as_a_sum(void **state)
{
	static const char scope[] = "operator:decode/nvjet_sm90_tst_*_*_*_v_bz_TNT";
	static const double levels[] = {3e5, 1.4e5};
	static const char *const names[] = {"decode/nvjet_sm90_tst_128x8_64x12_4x1_v_bz_TNT",
	                                    "decode/nvjet_sm90_tst_64x8_64x16_2x1_v_bz_TNT"};
	struct weir_gate_result *result;
	struct runs runs;

	(void)state;
	runs_init(&runs, 5, 3, 22);
	add_rename(&runs, "decode/nvjet_sm90_tst_192x8_64x8_1x1_v_bz_TNT", names[0], 0.75);
	add_operator_to(&runs, true, names[1], (struct shape){.level = levels[1], .count = 300});
	result = compare_runs(&runs);
	assert_int_equal(row_of(result, scope, WEIR_METRIC_P50)->outcome, WEIR_OUTCOME_REGRESSION);
	assert_near(row_of(result, scope, WEIR_METRIC_P50)->change,
	            (levels[0] + levels[1]) / 4e5 - 1, 0.1);
	assert_string_equal(row_of(result, scope, WEIR_METRIC_P50)->family, "1 -> 2 kernels");
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_NEW), 0);
	weir_gate_result_free(result);
	runs_release(&runs);
}

static void assert_family(const char *name, const char *expected)
{
	struct weir_text family = {0};
	bool tiled = weir_pairing_family(name, &family);

	assert_string_equal(tiled ? family.data : "", expected);
	weir_text_release(&family);
}

static void tile_sizes_make_a_family(void **state)
{
	(void)state;
	assert_family("ampere_sgemm_128x64_tn", "ampere_sgemm_*_tn");
	assert_family("cutlass_80_tensorop_f16_s16816gemm_f16_256x128_32x3_nn_align8",
	              "cutlass_80_tensorop_f16_s16816gemm_f16_*_*_nn_align*");
	assert_family("sm80_xmma_gemm_f16f16_tilesize128x128x32_stage4_warpsize2x2x1_kernel",
	              "sm80_xmma_gemm_f16f16_tilesize*_stage*_warpsize*_kernel");
	assert_family("Kernel<GemmShape<128, 256, 64>, 4>", "Kernel<GemmShape<*>, 4>");
	assert_family("vectorized_elementwise_kernel<4, add>", "");
	assert_family("layer_norm_fp32", "");
	assert_family("x64", "");
	assert_true(weir_pairing_share_word("aten::mm", "triton_mm"));
	assert_true(weir_pairing_share_word("aten::silu", "triton_poi_fused_SiLU_0"));
	assert_false(weir_pairing_share_word("aten::mm", "triton_bmm"));
	assert_false(weir_pairing_share_word("void at::kernel", "void at::native::kernel"));
}

/* A fused kernel: one operator takes over from another, which disappears. */
static void add_fusion(struct runs *runs, double device_factor)
{
	add_device(runs, "decode", (struct shape){.factor = device_factor, .count = 300});
	add_operators(runs, "decode", 8, (struct shape){.count = 300});
	add_operator(runs, "decode/fused", (struct shape){.level = 2e5, .factor = 2, .count = 300});
	add_operator_to(runs, false, "decode/add", (struct shape){.level = 2e5, .count = 300});
}

static void a_fused_operator_is_moved_and_names_where_from(void **state)
{
	struct weir_gate_result *result;
	const struct weir_row *row;
	struct runs runs;

	(void)state;
	runs_init(&runs, 5, 3, 22);
	add_stage(&runs, "decode", (struct shape){.count = 300});
	add_fusion(&runs, 1);
	result = compare_runs(&runs);
	for (int k = 0; k < 5; k++) {
		row = row_of(result, "operator:decode/fused", (enum weir_metric)k);
		assert_int_equal(row->outcome, WEIR_OUTCOME_MOVED);
		assert_non_null(strstr(row->note, "moved from add (-2"));
	}
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_REGRESSION), 0);
	weir_gate_result_free(result);
	runs_release(&runs);
}

static void an_operator_that_shrank_for_another_moved_as_well(void **state)
{
	struct weir_gate_result *result;
	const struct weir_row *row;
	struct runs runs;

	(void)state;
	runs_init(&runs, 5, 3, 23);
	add_device(&runs, "decode", (struct shape){0});
	add_operators(&runs, "decode", 8, (struct shape){0});
	add_operator(&runs, "decode/grew", (struct shape){.level = 4e5, .factor = 1.5});
	add_operator(&runs, "decode/shrank", (struct shape){.level = 4e5, .factor = 0.5});
	result = compare_runs(&runs);
	row = row_of(result, "operator:decode/shrank", WEIR_METRIC_P50);
	assert_int_equal(row->outcome, WEIR_OUTCOME_MOVED);
	assert_non_null(strstr(row->note, "moved to grew (+"));
	row = row_of(result, "operator:decode/grew", WEIR_METRIC_P50);
	assert_int_equal(row->outcome, WEIR_OUTCOME_MOVED);
	assert_non_null(strstr(row->note, "moved from shrank (-"));
	weir_gate_result_free(result);
	runs_release(&runs);
}

static void nothing_moved_where_the_device_got_slower(void **state)
{
	struct weir_gate_result *result;
	struct runs runs;

	(void)state;
	runs_init(&runs, 5, 3, 24);
	add_fusion(&runs, 1.2);
	result = compare_runs(&runs);
	assert_int_equal(row_of(result, "device:decode", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_REGRESSION);
	assert_int_equal(row_of(result, "operator:decode/fused", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_REGRESSION);
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_MOVED), 0);
	weir_gate_result_free(result);
	runs_release(&runs);
}

/* A small part of the stage grows by half. The random changes of the others add up to more, each
 * below its margin, so that growth and shrinkage look balanced in some of these gates. */
static void small_random_changes_balance_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct weir_gate_result *result;
		struct runs runs;

		runs_init(&runs, 5, 3, seed);
		add_device(&runs, "decode", (struct shape){.level = 2e7});
		add_operators(&runs, "decode", 60, (struct shape){.spread = 0.008});
		add_operator(&runs, "decode/small", (struct shape){.level = 1e4, .factor = 1.5});
		result = compare_runs(&runs);
		assert_int_equal(row_of(result, "device:decode", WEIR_METRIC_SHIFT)->outcome,
		                 WEIR_OUTCOME_NO_CHANGE);
		assert_int_equal(row_of(result, "operator:decode/small", WEIR_METRIC_P50)->outcome,
		                 WEIR_OUTCOME_REGRESSION);
		assert_int_equal(count_outcomes(result, WEIR_OUTCOME_MOVED), 0);
		weir_gate_result_free(result);
		runs_release(&runs);
	}
}

/* Multiplies every twentieth value by `factor`. */
static void stretch_tail(struct weir_series *series, double factor)
{
	for (size_t i = 0; i < series->count; i += 20)
		series->value[i] *= factor;
}

static void a_slower_tail_has_not_moved_from_anywhere(void **state)
{
	struct weir_gate_result *result;
	struct runs runs;

	(void)state;
	runs_init(&runs, 5, 3, 26);
	add_device(&runs, "decode", (struct shape){.count = 400});
	add_operators(&runs, "decode", 8, (struct shape){.count = 400});
	add_operator(&runs, "decode/tail", (struct shape){.count = 400});
	for (size_t r = 0; r < 3; r++) {
		stretch_tail(weir_series_get(&runs.head[r]->operators, "decode/tail"), 2);
		stretch_tail(weir_series_get(&runs.head[r]->device, "decode"), 2);
	}
	result = compare_runs(&runs);
	assert_int_equal(row_of(result, "device:decode", WEIR_METRIC_SHIFT)->outcome,
	                 WEIR_OUTCOME_NO_CHANGE);
	assert_int_equal(row_of(result, "device:decode", WEIR_METRIC_P99)->outcome,
	                 WEIR_OUTCOME_REGRESSION);
	assert_int_equal(row_of(result, "operator:decode/tail", WEIR_METRIC_P99)->outcome,
	                 WEIR_OUTCOME_REGRESSION);
	assert_int_equal(count_outcomes(result, WEIR_OUTCOME_MOVED), 0);
	weir_gate_result_free(result);
	runs_release(&runs);
}

/* Multiplies three values in twenty by `factor`. */
static void stretch_top(struct weir_series *series, double factor)
{
	for (size_t i = 0; i < series->count; i++)
		if (i % 20 < 3)
			series->value[i] *= factor;
}

static void an_operator_moved_only_where_the_device_time_stayed(void **state)
{
	struct weir_gate_result *result;
	struct runs runs;

	(void)state;
	runs_init(&runs, 5, 3, 22);
	add_fusion(&runs, 1);
	for (size_t r = 0; r < 3; r++)
		stretch_top(weir_series_get(&runs.head[r]->device, "decode"), 1.15);
	result = compare_runs(&runs);
	assert_int_equal(row_of(result, "device:decode", WEIR_METRIC_SHIFT)->outcome,
	                 WEIR_OUTCOME_NO_CHANGE);
	assert_int_equal(row_of(result, "device:decode", WEIR_METRIC_P90)->outcome,
	                 WEIR_OUTCOME_REGRESSION);
	assert_int_equal(row_of(result, "operator:decode/fused", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_MOVED);
	assert_int_equal(row_of(result, "operator:decode/fused", WEIR_METRIC_P90)->outcome,
	                 WEIR_OUTCOME_REGRESSION);
	weir_gate_result_free(result);
	runs_release(&runs);
}

/* Spreads the tail of the stage between runs until nothing can be concluded about it. */
static void blur_tail(struct runs *runs)
{
	for (size_t r = 0; r < 5; r++)
		stretch_tail(weir_series_get(&runs->base[r]->device, "decode"),
		             1 + 0.3 * (double)r);
	for (size_t r = 0; r < 3; r++)
		stretch_tail(weir_series_get(&runs->head[r]->device, "decode"),
		             1 + 0.5 * (double)r);
}

static void a_tail_moves_with_its_median_and_no_further(void **state)
{
	static const double factors[] = {1, 1.04, 1.11, 3};
	static const enum weir_outcome outcomes[] = {WEIR_OUTCOME_MOVED, WEIR_OUTCOME_MOVED,
	                                             WEIR_OUTCOME_REGRESSION,
	                                             WEIR_OUTCOME_REGRESSION};

	(void)state;
	for (size_t f = 0; f < 4; f++) {
		struct weir_gate_result *result;
		struct runs runs;

		runs_init(&runs, 5, 3, 22);
		add_fusion(&runs, 1);
		blur_tail(&runs);
		for (size_t r = 0; r < 3; r++)
			stretch_tail(weir_series_get(&runs.head[r]->operators, "decode/fused"),
			             factors[f]);
		result = compare_runs(&runs);
		assert_int_equal(row_of(result, "device:decode", WEIR_METRIC_P99)->outcome,
		                 WEIR_OUTCOME_INCONCLUSIVE);
		assert_int_equal(row_of(result, "operator:decode/fused", WEIR_METRIC_P50)->outcome,
		                 WEIR_OUTCOME_MOVED);
		assert_int_equal(row_of(result, "operator:decode/fused", WEIR_METRIC_P99)->outcome,
		                 outcomes[f]);
		weir_gate_result_free(result);
		runs_release(&runs);
	}
}

static void a_slower_stage_names_what_grew_and_what_shrank_largest_first(void **state)
{
	struct weir_gate_result *result;
	const struct weir_contribution *found;
	struct runs runs;

	(void)state;
	runs_init(&runs, 5, 3, 27);
	add_stage(&runs, "decode", (struct shape){.factor = 1.3});
	add_device(&runs, "decode", (struct shape){.factor = 1.3});
	add_operators(&runs, "decode", 4, (struct shape){.within = 0.001, .spread = 0.0001});
	add_operator(&runs, "decode/copy_", (struct shape){.level = 2e5, .factor = 1.5});
	add_operator(&runs, "decode/mm", (struct shape){.level = 4e5, .factor = 1.5});
	add_operator(&runs, "decode/less", (struct shape){.level = 3e5, .factor = 0.5});
	add_operator_to(&runs, true, "decode/came", (struct shape){.level = 5e4});
	add_operator_to(&runs, false, "decode/went", (struct shape){.level = 2e4});
	add_operator(&runs, "prefill/mm", (struct shape){.level = 4e5, .factor = 1.5});
	for (size_t r = 0; r < 5; r++)
		weir_series_push(weir_series_get(&runs.base[r]->calls, "decode/copy_"), 26);
	for (size_t r = 0; r < 3; r++)
		weir_series_push(weir_series_get(&runs.head[r]->calls, "decode/copy_"), 58);
	result = compare_runs(&runs);
	assert_int_equal(row_of(result, "device:decode", WEIR_METRIC_P50)->outcome,
	                 WEIR_OUTCOME_REGRESSION);
	assert_int_equal(result->contribution_count, 5);
	assert_string_equal(result->contributions[0].operator, "mm");
	assert_string_equal(result->contributions[0].stage, "decode");
	assert_near(result->contributions[0].delta_ns, 2e5, 0.1);
	assert_string_equal(result->contributions[1].operator, "less");
	assert_near(result->contributions[1].delta_ns, -1.5e5, 0.1);
	assert_string_equal(result->contributions[4].operator, "went");
	assert_near(result->contributions[4].delta_ns, -2e4, 0.1);
	found = contribution_of(result, "copy_");
	assert_near(found->delta_ns, 1e5, 0.1);
	assert_near(found->baseline_calls, 26, 0);
	assert_near(found->candidate_calls, 58, 0);
	assert_near(contribution_of(result, "came")->delta_ns, 5e4, 0.1);
	weir_gate_result_free(result);
	runs_release(&runs);
}

static void a_stage_name_may_hold_a_slash(void **state)
{
	struct weir_gate_result *result;
	const struct weir_row *row;
	struct runs runs;

	(void)state;
	runs_init(&runs, 3, 3, 28);
	add_stage(&runs, "model", (struct shape){0});
	add_device(&runs, "model/decoder", (struct shape){.factor = 1.5});
	add_operator(&runs, "model/decoder/f(a/b)", (struct shape){.factor = 1.5});
	add_operator(&runs, "model/mm", (struct shape){0});
	add_operator(&runs, "other/x/y", (struct shape){0});
	result = compare_runs(&runs);
	row = row_of(result, "operator:model/decoder/f(a/b)", WEIR_METRIC_P50);
	assert_string_equal(row->stage, "model/decoder");
	assert_string_equal(row->name, "f(a/b)");
	row = row_of(result, "operator:model/mm", WEIR_METRIC_P50);
	assert_string_equal(row->stage, "model");
	row = row_of(result, "operator:other/x/y", WEIR_METRIC_P50);
	assert_string_equal(row->stage, "other");
	assert_string_equal(row->name, "x/y");
	assert_non_null(contribution_of(result, "f(a/b)"));
	weir_gate_result_free(result);
	runs_release(&runs);
}

/* --- invariants of any comparison --- */

static void add_everything(struct runs *runs, double factor)
{
	add_stage(runs, "prefill", (struct shape){.factor = factor, .count = 260});
	add_stage(runs, "decode", (struct shape){.factor = factor, .count = 260});
	add_device(runs, "decode", (struct shape){.factor = factor, .count = 260});
	add_operators(runs, "decode", 30, (struct shape){.factor = factor, .count = 260});
	add_metric(runs, "peak_memory", false, (struct shape){.factor = factor});
}

static void expect_same_rows(const struct weir_gate_result *a, const struct weir_gate_result *b)
{
	assert_int_equal(a->row_count, b->row_count);
	for (size_t i = 0; i < a->row_count; i++) {
		const struct weir_row *one = &a->rows[i];
		const struct weir_row *other = row_of(b, one->scope, one->metric);

		/* Sums of floating-point numbers depend on their order in the last digits. */
		assert_near(other->change, one->change, 1e-9);
		assert_near(other->p, one->p, 1e-7);
		assert_near(other->p_adjusted, one->p_adjusted, 1e-7);
		assert_int_equal(other->outcome, one->outcome);
		assert_int_equal(other->baseline_samples, one->baseline_samples);
	}
}

static void the_order_of_runs_and_names_changes_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct weir_gate_result *before, *after;
		struct runs runs;

		runs_init(&runs, 5, 3, seed);
		add_everything(&runs, 1.04);
		before = compare_runs(&runs);
		for (size_t r = 0; r < 2; r++) {
			struct weir_run *run = runs.base[r];

			runs.base[r] = runs.base[4 - r];
			runs.base[4 - r] = run;
		}
		for (size_t i = 0; i < 15; i++) { /* in one run only */
			struct weir_series *items = runs.base[1]->operators.items;
			struct weir_series item = items[i];

			items[i] = items[29 - i];
			items[29 - i] = item;
		}
		after = compare_runs(&runs);
		expect_same_rows(before, after);
		weir_gate_result_free(before);
		weir_gate_result_free(after);
		runs_release(&runs);
	}
}

static void identical_sides_never_regress(void **state)
{
	static const size_t sides[][2] = {{3, 3}, {6, 6}, {5, 1}, {4, 2}, {1, 1}, {2, 2}};

	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++)
		for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
			struct weir_gate_result *result;
			struct weir_compare_input input;
			struct runs runs;

			runs_init(&runs, sides[i][0], 0, seed);
			add_everything(&runs, 1);
			input = input_of_runs(&runs);
			input.candidate = input.baseline;
			input.candidate_count = sides[i][1];
			result = compare_with(&input);
			assert_int_equal(count_outcomes(result, WEIR_OUTCOME_REGRESSION), 0);
			if (sides[i][0] == sides[i][1])
				assert_int_equal(count_outcomes(result, WEIR_OUTCOME_SUSPECT), 0);
			weir_gate_result_free(result);
			runs_release(&runs);
		}
}

static void unchanged_programs_are_hardly_ever_red(void **state)
{
	size_t red = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct weir_gate_result *result;
		struct runs runs;

		runs_init(&runs, 5, 3, seed * 7919);
		add_everything(&runs, 1);
		result = compare_runs(&runs);
		red += count_outcomes(result, WEIR_OUTCOME_REGRESSION) > 0;
		weir_gate_result_free(result);
		runs_release(&runs);
	}
	assert_true(red <= 2);
}

static void a_fifth_more_time_is_always_found(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 10; seed++) {
		struct weir_gate_result *result;
		struct runs runs;

		runs_init(&runs, 5, 3, seed);
		add_everything(&runs, 1.2);
		result = compare_runs(&runs);
		assert_int_equal(row_of(result, "stage:decode", WEIR_METRIC_P50)->outcome,
		                 WEIR_OUTCOME_REGRESSION);
		assert_int_equal(row_of(result, "device:decode", WEIR_METRIC_SHIFT)->outcome,
		                 WEIR_OUTCOME_REGRESSION);
		assert_int_equal(row_of(result, "metric:peak_memory", WEIR_METRIC_VALUE)->outcome,
		                 WEIR_OUTCOME_REGRESSION);
		assert_int_equal(row_of(result, "all-operators", WEIR_METRIC_P50)->outcome,
		                 WEIR_OUTCOME_REGRESSION);
		assert_non_null(strstr(row_of(result, "all-operators", WEIR_METRIC_P50)->note,
		                       "check the machine first"));
		weir_gate_result_free(result);
		runs_release(&runs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_renamed_operator_is_compared_with_itself),
		cmocka_unit_test(an_operator_of_another_size_is_a_stranger),
		cmocka_unit_test(names_without_a_common_word_need_equal_calls),
		cmocka_unit_test(an_ambiguous_match_is_none),
		cmocka_unit_test(a_family_of_kernels_is_compared_as_a_sum),
		cmocka_unit_test(tile_sizes_make_a_family),
		cmocka_unit_test(a_fused_operator_is_moved_and_names_where_from),
		cmocka_unit_test(an_operator_that_shrank_for_another_moved_as_well),
		cmocka_unit_test(nothing_moved_where_the_device_got_slower),
		cmocka_unit_test(small_random_changes_balance_nothing),
		cmocka_unit_test(a_slower_tail_has_not_moved_from_anywhere),
		cmocka_unit_test(an_operator_moved_only_where_the_device_time_stayed),
		cmocka_unit_test(a_tail_moves_with_its_median_and_no_further),
		cmocka_unit_test(a_slower_stage_names_what_grew_and_what_shrank_largest_first),
		cmocka_unit_test(a_stage_name_may_hold_a_slash),
		cmocka_unit_test(the_order_of_runs_and_names_changes_nothing),
		cmocka_unit_test(identical_sides_never_regress),
		cmocka_unit_test(unchanged_programs_are_hardly_ever_red),
		cmocka_unit_test(a_fifth_more_time_is_always_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
