/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters joined to the kernels of a timeline, and compared with models of the same kernels. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/counters/counters_join.h"
#include "engine/analysis/names/kernels.h"
#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define HEADER                                                                                     \
	"\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\","        \
	"\"Stream\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\",\"dram__bytes.sum\","           \
	"\"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed\","                    \
	"\"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed\",\"gpu__time_duration.sum\","   \
	"\"sm__ops_path_tensor_src_fp16.sum\","                                                    \
	"\"sm__throughput.avg.pct_of_peak_sustained_elapsed\"\n"                                   \
	"\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"byte\",\"%\",\"%\",\"ns\","      \
	"\"\",\"%\"\n"

/* One counted launch, at half of the memory bandwidth and a fifth of the peak of the
 * multiprocessors. */
struct launch {
	const char *name;
	uint32_t blocks, threads;
	int64_t ns, dram_bytes, matrix_flops;
};

/* One kernel of the timeline; op NULL: launched without an operator. */
struct run {
	const char *op, *name;
	uint32_t blocks, threads;
	int64_t ns;
};

struct joined {
	struct weir_profile *profile;
	struct weir_counted *counted;
	struct weir_trace *trace;
	struct weir_rank rank;
	struct weir_counted_join join;
};

static void count(struct joined *joined, const struct launch *launches, size_t launch_count)
{
	struct weir_text csv = {0};

	weir_text_puts(&csv, HEADER);
	for (size_t i = 0; i < launch_count; i++)
		weir_text_printf(
			&csv,
			"\"%zu\",\"7\",\"app\",\"host\",\"%s\",\"1\",\"7\",\"(%u, 1, "
			"1)\",\"(%u, 1, 1)\",\"0\",\"9.0\",\"%lld\",\"90\",\"90\",\"%lld\","
			"\"%lld\",\"20\"\n",
			i, launches[i].name, launches[i].threads, launches[i].blocks,
			(long long)launches[i].dram_bytes, (long long)launches[i].ns,
			(long long)launches[i].matrix_flops);
	joined->profile = weir_profile_new();
	reading_of(&weir_reader_ncu, csv.data, joined->profile);
	joined->counted = weir_counted_new(joined->profile);
	weir_text_release(&csv);
}

static void lay_out(struct joined *joined, const struct run *runs, size_t run_count)
{
	static const struct weir_device_table no_devices;
	const struct weir_rank_options options = {.table = &no_devices};
	struct make_trace *make = make_trace_new();
	int64_t at_ns = 1000;

	for (size_t i = 0; i < run_count; i++) {
		if (runs[i].op && (i == 0 || runs[i].op != runs[i - 1].op))
			make_host(make, WEIR_HOST_OP, 0, runs[i].op, at_ns, at_ns + 400);
		make_call(make, 0, "cudaLaunchKernel", at_ns + 10, at_ns + 20, i + 1);
		make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_KERNEL,
		                                            .name = runs[i].name,
		                                            .start_ns = 1000000 + at_ns,
		                                            .end_ns = 1000000 + at_ns + runs[i].ns,
		                                            .correlation = i + 1,
		                                            .blocks = runs[i].blocks,
		                                            .threads_per_block = runs[i].threads});
		at_ns += runs[i].op && i + 1 < run_count && runs[i].op == runs[i + 1].op ? 100
		                                                                         : 1000;
	}
	joined->trace = make_trace_finish(make);
	weir_rank_init(&joined->rank, joined->trace, &options);
}

#define JOIN(joined, launches, runs)                                                               \
	do {                                                                                       \
		count((joined), (launches), sizeof(launches) / sizeof *(launches));                \
		lay_out((joined), (runs), sizeof(runs) / sizeof *(runs));                          \
		(joined)->join = weir_counted_overrule((joined)->counted, &(joined)->rank, 1);     \
	} while (0)

static void release(struct joined *joined)
{
	weir_rank_release(&joined->rank);
	weir_trace_free(joined->trace);
	weir_counted_free(joined->counted);
	weir_profile_free(joined->profile);
}

static const struct weir_counted_work *counted_work(const struct joined *joined, size_t group)
{
	return &joined->rank.assessments[group].counted;
}

static void the_same_kernel_in_the_same_shape_is_judged_by_its_counters(void **state)
{
	static const struct launch launches[] = {{"scale", 100, 128, 20000, 4000, 0}};
	static const struct run runs[] = {{NULL, "scale", 100, 128, 19000}};
	struct joined joined;

	(void)state;
	JOIN(&joined, launches, runs);
	assert_int_equal(joined.join.groups, 1);
	assert_near(joined.join.share, 1, 1e-9);
	assert_true(counted_work(&joined, 0)->known);
	assert_near(counted_work(&joined, 0)->dram_bytes, 4000, 0);
	assert_int_equal(joined.rank.assessments[0].roofline.roofline, WEIR_ROOFLINE_MEMORY);
	assert_near(joined.rank.assessments[0].roofline.efficiency, 0.9, 1e-9);
	release(&joined);
}

static void other_blocks_other_threads_and_other_names_are_other_kernels(void **state)
{
	static const struct launch launches[] = {{"scale", 100, 128, 20000, 4000, 0}};
	static const struct run runs[] = {{NULL, "scale", 101, 128, 20000},
	                                  {NULL, "scale_back", 100, 128, 20000}};
	static const struct run other_threads[] = {{NULL, "scale", 100, 256, 20000}};
	static const struct run no_threads[] = {{NULL, "scale", 100, 0, 20000}};
	struct joined joined;

	(void)state;
	JOIN(&joined, launches, runs);
	assert_int_equal(joined.join.groups, 0);
	assert_near(joined.join.share, 0, 0);
	release(&joined);
	JOIN(&joined, launches, other_threads);
	assert_int_equal(joined.join.groups, 0);
	release(&joined);
	/* A timeline without block sizes is joined by the other figures. */
	JOIN(&joined, launches, no_threads);
	assert_int_equal(joined.join.groups, 1);
	release(&joined);
}

static void threads_distinguish_two_launches_of_one_kernel(void **state)
{
	static const struct launch launches[] = {{"scale", 100, 128, 20000, 4000, 0},
	                                         {"scale", 100, 256, 20000, 9000, 0}};
	static const struct run runs[] = {{NULL, "scale", 100, 256, 20000}};
	static const struct run no_threads[] = {{NULL, "scale", 100, 0, 20000}};
	struct joined joined;

	(void)state;
	JOIN(&joined, launches, runs);
	assert_near(counted_work(&joined, 0)->dram_bytes, 9000, 0);
	release(&joined);
	JOIN(&joined, launches, no_threads);
	assert_int_equal(joined.join.groups, 0);
	release(&joined);
}

static void a_very_different_duration_is_other_work(void **state)
{
	static const struct launch launches[] = {{"scale", 100, 128, 20000, 4000, 0}};
	static const struct run longer[] = {{NULL, "scale", 100, 128, 43000}};
	static const struct launch mixed[] = {{"scale", 100, 128, 20000, 4000, 0},
	                                      {"scale", 100, 128, 60000, 9000, 0}};
	static const struct run between[] = {{NULL, "scale", 100, 128, 40000}};
	/* In short kernels, the launch dominates, and profilers measure it differently. */
	static const struct launch tiny[] = {{"scale", 100, 128, 2100, 4000, 0}};
	static const struct run shorter[] = {{NULL, "scale", 100, 128, 900}};
	struct joined joined;

	(void)state;
	JOIN(&joined, launches, longer);
	assert_int_equal(joined.join.groups, 0);
	release(&joined);
	JOIN(&joined, mixed, between);
	assert_int_equal(joined.join.groups, 0);
	release(&joined);
	JOIN(&joined, tiny, shorter);
	assert_int_equal(joined.join.groups, 1);
	release(&joined);
}

static void an_operator_sums_the_traffic_of_its_kernels(void **state)
{
	static const char mm[] = "aten::mm";
	static const struct launch launches[] = {{"gemm_split", 96, 384, 20000, 8000, 64},
	                                         {"reduce_parts", 64, 512, 4000, 1000, 0}};
	static const struct run runs[] = {{mm, "gemm_split", 96, 384, 20000},
	                                  {mm, "reduce_parts", 64, 512, 4000}};
	static const struct run half[] = {{mm, "gemm_split", 96, 384, 20000},
	                                  {mm, "nobody_counted", 64, 512, 20000}};
	struct joined joined;

	(void)state;
	JOIN(&joined, launches, runs);
	assert_int_equal(joined.rank.groups.count, 1);
	assert_int_equal(joined.join.groups, 1);
	assert_near(counted_work(&joined, 0)->dram_bytes, 9000, 0);
	assert_near(counted_work(&joined, 0)->matrix_flops, 64, 0);
	assert_true(isnan(counted_work(&joined, 0)->vector_flops));
	release(&joined);
	JOIN(&joined, launches, half);
	assert_int_equal(joined.join.groups, 0);
	release(&joined);
}

/* Names of one kernel from a demangler and from Nsight Compute, which abbreviates them. */
static const char *const same[][2] = {
	{"void at::native::vectorized_elementwise_kernel<8, at::native::(anonymous "
         "namespace)::launch_clamp_scalar(at::TensorIteratorBase&, c10::Scalar, c10::Scalar, "
         "at::native::detail::ClampLimits)::{lambda()#1}::operator()() "
         "const::{lambda()#9}::operator()() const::{lambda(c10::BFloat16)#1}, std::array<char*, "
         "2ul> >(int, x)",
         "void vectorized_elementwise_kernel<8, unnamed>::launch_clamp_scalar(TensorIteratorBase "
         "&, Scalar, Scalar, detail::ClampLimits)::[lambda() (instance 1)]::operator ()() "
         "const::[lambda() (instance 9)]::operator ()() const::[lambda(BFloat16) (instance 1)], "
         "array<char *, 2>>(int, T2, T3)"},
	{"void cudnn::fusion::lean_reduction_kernel<false, false, false>(void*, float*)",
         "void cudnn::lean_reduction_kernel<0, 0, 0>(void *, float *)"},
	{"void at::native::(anonymous namespace)::indexSelectSmallIndex<c10::BFloat16, long, "
         "unsigned int, 2, 2, -2>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>)",
         "void at::<unnamed>::indexSelectSmallIndex<c10::BFloat16, long, unsigned int, 2, 2, "
         "(int)-2>(cuda::TensorInfo<T1, T3>)"},
	{"void at::native::elementwise_kernel<128, 4, "
         "at::native::gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<c10::BFloat16> "
         ">(at::TensorIteratorBase&, at::native::CUDAFunctor_add<c10::BFloat16> "
         "const&)::{lambda(int)#1}>(int, f)",
         "void at::elementwise_kernel<128, 4, void "
         "at::gpu_kernel_impl_nocast<at::CUDAFunctor_add<c10::BFloat16>>(at::TensorIteratorBase "
         "&, const T1 &)::[lambda(int) (instance 1)]>(int, T3)"},
};

static void a_kernel_is_found_under_the_names_of_two_profilers(void **state)
{
	struct weir_text left = {0}, right = {0};

	(void)state;
	for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
		struct launch launches[] = {{same[i][1], 100, 128, 20000, 4000, 0},
		                            {same[(i + 1) % 4][1], 100, 128, 20000, 5000, 0}};
		struct run runs[] = {{NULL, same[i][0], 100, 128, 20000}};
		struct joined joined;

		weir_kernel_key(same[i][0], &left);
		weir_kernel_key(same[i][1], &right);
		assert_string_equal(left.data, right.data);
		JOIN(&joined, launches, runs);
		assert_int_equal(joined.join.groups, 1);
		assert_near(counted_work(&joined, 0)->dram_bytes, 4000, 0);
		release(&joined);
	}
	weir_text_release(&left);
	weir_text_release(&right);
}

static void types_and_lambdas_of_a_kernel_are_part_of_its_name(void **state)
{
	static const char *const different[][2] = {
		{"void k<float, 2>(int)", "void k<double, 2>(int)"},
		{"void k<f()::{lambda()#1}>(int)", "void k<f()::{lambda()#2}>(int)"},
		{"void k<f()::{lambda(float)#1}>(int)",
	         "void k<f()::[lambda(long) (instance 1)]>(int)"},
		{"void k<true>(int)", "void k<0>(int)"},
	};
	struct weir_text left = {0}, right = {0};

	(void)state;
	for (size_t i = 0; i < sizeof different / sizeof *different; i++) {
		weir_kernel_key(different[i][0], &left);
		weir_kernel_key(different[i][1], &right);
		assert_string_not_equal(left.data, right.data);
	}
	weir_text_release(&left);
	weir_text_release(&right);
}

/* ---- captures of one device: the same program under both profilers ---- */

struct capture {
	const char *timeline, *counters;
	size_t least_groups; /* groups larger than the cache that are compared */
};

static const struct capture captures[] = {
	{"tests/data/kineto/elementwise_chain.pt.trace.json.gz",
         "tests/data/ncu/h200_elementwise.csv", 3},
	{"tests/data/kineto/large_matmul.pt.trace.json.gz", "tests/data/ncu/h200_gemm.csv", 1},
	{"tests/data/kineto/llm_decode_eager_b1.pt.trace.json.gz", "tests/data/ncu/h200_decode.csv",
         0},
	{"tests/data/kineto/small_matmul_add.pt.trace.json.gz", "tests/data/ncu/h200_small.csv", 0},
	{"tests/data/kineto/large_operators.pt.trace.json.gz",
         "tests/data/ncu/h200_large_operators.csv", 30},
};

static void open_capture(struct joined *joined, struct weir_device_table *table,
                         const struct capture *capture)
{
	struct weir_rank_options options = {.steady = true, .table = table};
	const char *const paths[] = {capture->timeline, capture->counters};
	struct weir_error err = {0};

	joined->trace = NULL;
	joined->profile = weir_profile_new();
	for (size_t i = 0; i < 2; i++)
		if (weir_read_path(joined->profile, paths[i], NULL, &err))
			fail_msg("%s", err.message);
	assert_int_equal(weir_device_table_load(table, &err), WEIR_OK);
	joined->counted = weir_counted_new(joined->profile);
	weir_rank_init(&joined->rank, joined->profile->inputs[0].trace, &options);
	joined->join = weir_counted_overrule(joined->counted, &joined->rank, 1);
}

static double apart(double a, double b)
{
	return a > b ? a / b : b / a;
}

static void modelled_traffic_is_within_a_quarter_of_the_measured(void **state)
{
	double worst = 1;

	(void)state;
	for (size_t c = 0; c < sizeof captures / sizeof *captures; c++) {
		struct weir_device_table table;
		struct joined joined;
		size_t compared = 0;

		open_capture(&joined, &table, &captures[c]);
		for (size_t g = 0; g < joined.rank.groups.count; g++) {
			const struct weir_assessment *a = &joined.rank.assessments[g];
			const char *name = weir_group_name(&joined.rank.groups.items[g],
			                                   joined.rank.trace->names);

			if (!a->counted.known ||
			    !(a->tensor_bytes > joined.rank.devices[0].peaks.l2_bytes))
				continue;
			compared++;
			worst = fmax(worst, apart(a->traffic_bytes, a->counted.dram_bytes));
			if (apart(a->traffic_bytes, a->counted.dram_bytes) > 1.25)
				fail_msg("%s: %s: %.0f bytes modelled, %.0f measured",
				         captures[c].counters, name, a->traffic_bytes,
				         a->counted.dram_bytes);
		}
		assert_true(compared >= captures[c].least_groups);
		release(&joined);
		weir_device_table_release(&table);
	}
	print_message("worst ratio of modelled and measured bytes: %.3f\n", worst);
}

static void models_agree_with_counters_for_nine_tenths_of_the_time(void **state)
{
	(void)state;
	for (size_t c = 0; c < sizeof captures / sizeof *captures; c++) {
		struct weir_device_table table;
		struct joined joined;

		open_capture(&joined, &table, &captures[c]);
		print_message(
			"%s: counters for %.3f of the time, models for %.3f of that, same class "
			"%.3f\n",
			captures[c].counters, joined.join.share, joined.join.model_share,
			joined.join.agree_share);
		assert_true(joined.join.share > 0.8);
		assert_true(joined.join.model_share > 0.9);
		/* Softmax and norms are limited by instructions other than arithmetic, which shapes
		 * do not show. */
		assert_true(joined.join.agree_share >= (captures[c].least_groups < 30 ? 0.9 : 0.8));
		release(&joined);
		weir_device_table_release(&table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_kernel_in_the_same_shape_is_judged_by_its_counters),
		cmocka_unit_test(other_blocks_other_threads_and_other_names_are_other_kernels),
		cmocka_unit_test(threads_distinguish_two_launches_of_one_kernel),
		cmocka_unit_test(a_very_different_duration_is_other_work),
		cmocka_unit_test(an_operator_sums_the_traffic_of_its_kernels),
		cmocka_unit_test(a_kernel_is_found_under_the_names_of_two_profilers),
		cmocka_unit_test(types_and_lambdas_of_a_kernel_are_part_of_its_name),
		cmocka_unit_test(modelled_traffic_is_within_a_quarter_of_the_measured),
		cmocka_unit_test(models_agree_with_counters_for_nine_tenths_of_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
