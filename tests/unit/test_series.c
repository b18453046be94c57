/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile as one run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/rows/rows.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

/* The run of the traces, one a rank; the caller frees it. */
static struct weir_run *run_of(struct weir_trace *const *traces, size_t count, bool steady)
{
	struct weir_analysis_options options = {.steady = steady, .percentile = 0.95};
	struct weir_profile *profile = weir_profile_new();
	struct weir_run *run = weir_run_new();
	struct weir_analysis *analysis;
	struct weir_error err;

	for (size_t i = 0; i < count; i++)
		weir_profile_add_input(profile, "trace")->trace = traces[i];
	assert_int_equal(weir_analysis_new(profile, &options, &analysis, &err), WEIR_OK);
	weir_analysis_run(analysis, run);
	weir_analysis_free(analysis);
	weir_profile_free(profile);
	return run;
}

static void assert_series(const struct weir_series_table *table, const char *name,
                          const double *values, size_t count)
{
	const struct weir_series *series = weir_series_find(table, name);

	assert_non_null(series);
	if (!series)
		return;
	assert_int_equal(series->count, count);
	for (size_t i = 0; i < count; i++)
		assert_near(series->value[i], values[i], 0);
}

/* Occurrences of "decode", one kernel of one operator each, of the lengths given. */
static struct weir_trace *decoding(const int64_t *kernel_ns, int64_t count)
{
	struct make_trace *make = make_trace_new();

	for (int64_t i = 0; i < count; i++) {
		int64_t at = i * 1000;

		make_host(make, WEIR_HOST_ANNOTATION, 0, "decode", at, at + 500);
		make_host(make, WEIR_HOST_OP, 0, "aten::mm", at + 10, at + 100);
		make_call(make, 0, "cudaLaunchKernel", at + 20, at + 30, (uint64_t)i + 1);
		make_kernel(make, 0, "gemm", at + 200, at + 200 + kernel_ns[i], (uint64_t)i + 1);
	}
	return make_trace_finish(make);
}

static void each_occurrence_of_a_stage_is_a_value(void **state)
{
	const int64_t kernels[] = {100, 400, 50};
	struct weir_trace *trace = decoding(kernels, 3);
	struct weir_run *run = run_of(&trace, 1, true);

	(void)state;
	/* To the end of its work, where that outlasts the host. */
	assert_series(&run->stages, "decode", (const double[]){500, 600, 500}, 3);
	assert_series(&run->device, "decode", (const double[]){100, 400, 50}, 3);
	assert_series(&run->operators, "decode/aten::mm", (const double[]){100, 400, 50}, 3);
	assert_series(&run->calls, "decode/aten::mm", (const double[]){1, 1, 1}, 3);
	assert_string_equal(weir_run_label(run, "gpu_count"), "1");
	weir_run_free(run);
}

static void the_slowest_rank_speaks_for_an_occurrence(void **state)
{
	const int64_t one[] = {100, 400, 50}, other[] = {300, 20, 60};
	struct weir_trace *traces[] = {decoding(one, 3), decoding(other, 3)};
	struct weir_run *run = run_of(traces, 2, true);

	(void)state;
	assert_series(&run->operators, "decode/aten::mm", (const double[]){300, 400, 60}, 3);
	assert_series(&run->device, "decode", (const double[]){300, 400, 60}, 3);
	assert_string_equal(weir_run_label(run, "gpu_count"), "2");
	weir_run_free(run);
}

static void ranks_with_other_numbers_of_occurrences_leave_the_first_alone(void **state)
{
	const int64_t one[] = {100, 400, 50}, other[] = {300, 20, 60, 70};
	struct weir_trace *traces[] = {decoding(one, 3), decoding(other, 4)};
	struct weir_run *run = run_of(traces, 2, true);

	(void)state;
	assert_series(&run->operators, "decode/aten::mm", (const double[]){100, 400, 50}, 3);
	weir_run_free(run);
}

static void without_stages_the_steps_are_the_stage(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_run *run;

	(void)state;
	for (int64_t i = 0; i < 3; i++) {
		make_host(make, WEIR_HOST_ANNOTATION, 0, "ProfilerStep#1", i * 1000,
		          i * 1000 + 900);
		make_launch(make, i * 1000, i * 1000 + 10, i * 1000 + 100, i * 1000 + 150);
		make_launch(make, i * 1000 + 20, i * 1000 + 30, i * 1000 + 150, i * 1000 + 190);
	}
	trace = make_trace_finish(make);
	run = run_of(&trace, 1, true);
	assert_series(&run->stages, "step", (const double[]){1000, 1000, 900}, 3);
	assert_series(&run->operators, "/kernel", (const double[]){90, 90, 90}, 3);
	assert_series(&run->calls, "/kernel", (const double[]){2, 2, 2}, 3);
	weir_run_free(run);
}

static void steps_that_are_set_apart_are_no_values(void **state)
{
	struct make_trace *make;
	struct weir_trace *trace;
	struct weir_run *run;

	(void)state;
	for (int steady = 0; steady < 2; steady++) {
		int64_t at = 0;

		make = make_trace_new();
		for (int64_t i = 0; i < 10; i++) {
			int64_t period = i == 0 ? 9000 : 1000;

			make_host(make, WEIR_HOST_ANNOTATION, 0, "ProfilerStep#1", at, at + period);
			make_launch(make, at, at + 10, at + 100, at + 150);
			at += period;
		}
		trace = make_trace_finish(make);
		run = run_of(&trace, 1, steady);
		assert_int_equal(weir_series_find(&run->stages, "step")->count, steady ? 9 : 10);
		assert_int_equal(weir_series_find(&run->calls, "/kernel")->count, steady ? 9 : 10);
		weir_run_free(run);
	}
}

static void a_stage_of_the_host_alone_has_no_device_series(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_run *run;

	(void)state;
	make_host(make, WEIR_HOST_ANNOTATION, 0, "tokenize", 0, 700);
	trace = make_trace_finish(make);
	run = run_of(&trace, 1, true);
	assert_series(&run->stages, "tokenize", (const double[]){700}, 1);
	assert_null(weir_series_find(&run->device, "tokenize"));
	assert_int_equal(run->operators.count, 0);
	assert_null(weir_run_label(run, "gpu_count"));
	weir_run_free(run);
}

static void of_thousands_of_operators_the_largest_are_kept(void **state)
{
	enum { KERNELS = 6000 };
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct weir_run *run;
	clock_t begin = clock();

	(void)state;
	make_host(make, WEIR_HOST_ANNOTATION, 0, "decode", 0, 100);
	make_call(make, 0, "cudaGraphLaunch", 10, 20, 1);
	for (int64_t i = 0; i < KERNELS; i++) {
		char name[32];

		snprintf(name, sizeof name, "kernel_%d", (int)i);
		make_kernel(make, 0, name, i * 10000, i * 10000 + i + 1, 1);
	}
	trace = make_trace_finish(make);
	run = run_of(&trace, 1, true);
	assert_true(run->operators.count < KERNELS);
	assert_int_equal(run->operators.count, run->calls.count);
	assert_series(&run->operators, "decode/kernel_5999", (const double[]){6000}, 1);
	assert_null(weir_series_find(&run->operators, "decode/kernel_1"));
	assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 10);
	weir_run_free(run);
}

static void a_native_run_is_taken_over(void **state)
{
	struct weir_analysis_options options = {.steady = true, .percentile = 0.95};
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "run.json");
	struct weir_run *run = weir_run_new();
	struct weir_analysis *analysis;
	struct weir_error err;

	(void)state;
	input->run = weir_run_new();
	weir_series_push(weir_series_get(&input->run->stages, "decode"), 5);
	weir_series_push(weir_series_get(&input->run->metrics, "tokens_per_s"), 7);
	input->run->metrics.items[0].higher_is_better = true;
	weir_run_set_label(input->run, "model", "small");
	assert_int_equal(weir_analysis_new(profile, &options, &analysis, &err), WEIR_OK);
	weir_analysis_run(analysis, run);
	assert_series(&run->stages, "decode", (const double[]){5}, 1);
	assert_true(run->metrics.items[0].higher_is_better);
	assert_string_equal(weir_run_label(run, "model"), "small");
	weir_analysis_free(analysis);
	weir_profile_free(profile);
	weir_run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_occurrence_of_a_stage_is_a_value),
		cmocka_unit_test(the_slowest_rank_speaks_for_an_occurrence),
		cmocka_unit_test(ranks_with_other_numbers_of_occurrences_leave_the_first_alone),
		cmocka_unit_test(without_stages_the_steps_are_the_stage),
		cmocka_unit_test(steps_that_are_set_apart_are_no_values),
		cmocka_unit_test(a_stage_of_the_host_alone_has_no_device_series),
		cmocka_unit_test(of_thousands_of_operators_the_largest_are_kept),
		cmocka_unit_test(a_native_run_is_taken_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
