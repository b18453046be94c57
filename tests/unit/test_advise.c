/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time of a kernel, and whether a replay gives the measured step: known before any fix. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/advice/advise.h"
#include "engine/analysis/analyze.h"
#include "engine/base/arena.h"
#include "tests/unit/advice_run.h"
#include "tests/unit/near.h"

#define STEPS 8
#define US    INT64_C(1000)

/* ---- kernels ---- */

static void a_kernel_takes_the_longer_of_its_flops_and_its_bytes(void **state)
{
	static const struct {
		double flops, bytes, efficiency;
		enum weir_dtype dtype;
		double ns;
	} cases[] = {
		{8e9, 0, 1, WEIR_DTYPE_BF16, 10000},
		{8e9, 0, 0.5, WEIR_DTYPE_BF16, 20000},
		{8e9, 4e7, 1, WEIR_DTYPE_BF16, 20000},
		{8e9, 1e7, 1, WEIR_DTYPE_BF16, 10000},
		{0, 4e7, 0.5, WEIR_DTYPE_BF16, 20000},
		{0, 4e7, 1, WEIR_DTYPE_FP8, 20000}, /* has no rate, which nothing needs */
		{8e9, 4e7, 1, WEIR_DTYPE_FP8, NAN},
		{1.6e9, 0, 1, WEIR_DTYPE_BF16, 2000},
		{1.5e9, 1e6, 1, WEIR_DTYPE_BF16, 2000}, /* no kernel is shorter */
		{0, 0, 1, WEIR_DTYPE_BF16, 2000},
	};
	struct weir_device device = {.sms = 100};
	struct weir_advisor advisor = {.peaks = &device, .bandwidth = 2e12};

	(void)state;
	device.flops[WEIR_ENGINE_TENSOR][WEIR_DTYPE_BF16] = (struct weir_peak){1e15, 8e14};
	device.flops[WEIR_ENGINE_TENSOR][WEIR_DTYPE_FP8] = (struct weir_peak){NAN, NAN};
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++)
		assert_near(weir_advisor_kernel_ns(&advisor, cases[i].flops, WEIR_ENGINE_TENSOR,
		                                   cases[i].dtype, cases[i].bytes,
		                                   cases[i].efficiency),
		            cases[i].ns, 1e-9);
}

static void without_a_rate_no_time_of_a_kernel_is_known(void **state)
{
	struct weir_advisor advisor = {.bandwidth = NAN};

	(void)state;
	assert_near(
		weir_advisor_kernel_ns(&advisor, 0, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16, 4e7, 1),
		NAN, 0);
	advisor.bandwidth = 2e12;
	assert_near(
		weir_advisor_kernel_ns(&advisor, 0, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16, 4e7, 1),
		20000, 1e-9);
	assert_near(
		weir_advisor_kernel_ns(&advisor, 8e9, WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16, 4e7, 1),
		NAN, 0);
}

/* ---- the framework ---- */

/* A call and its kernel in an operator, on a device of this name. */
static enum weir_framework framework(const char *device, const char *call, const char *op)
{
	struct make_trace *make = make_trace_new();
	enum weir_framework found;
	struct weir_trace *trace;
	struct advice_run run;

	make_host(make, WEIR_HOST_OP, 0, op, 0, 10 * US);
	make_call(make, 0, call, US, 2 * US, 1);
	make_kernel(make, 0, "kernel", 3 * US, 5 * US, 1);
	trace = make_trace_finish(make);
	trace->devices[0].name = weir_names_add(trace->names, device, strlen(device));
	advice_run_init(&run, &trace, 1, NULL);
	found = run.advisor.framework;
	advice_run_release(&run);
	return found;
}

static void the_framework_is_known_by_its_names(void **state)
{
	static const struct {
		const char *device, *call, *op;
		enum weir_framework framework;
	} cases[] = {
		{"NVIDIA H200", "cudaLaunchKernel", "aten::mm", WEIR_FRAMEWORK_PYTORCH_CUDA},
		{"AMD MI300X", "x", "aten::mm", WEIR_FRAMEWORK_PYTORCH_ROCM},
		{"Instinct MI300X", "x", "aten::mm", WEIR_FRAMEWORK_PYTORCH_ROCM},
		{"Radeon", "x", "aten::mm", WEIR_FRAMEWORK_PYTORCH_ROCM},
		{"gfx942", "x", "aten::mm", WEIR_FRAMEWORK_PYTORCH_ROCM},
		{"a gfx942", "x", "aten::mm", WEIR_FRAMEWORK_PYTORCH_CUDA},
		{"gf 108", "x", "aten::mm", WEIR_FRAMEWORK_PYTORCH_CUDA},
		{"gfx", "x", "aten::mm", WEIR_FRAMEWORK_PYTORCH_ROCM},
		{"", "hipLaunchKernel", "aten::mm", WEIR_FRAMEWORK_PYTORCH_ROCM},
		{"", "hipModuleLaunchKernel", "aten::mm", WEIR_FRAMEWORK_PYTORCH_ROCM},
		{"", "hipExtModuleLaunchKernel", "aten::mm", WEIR_FRAMEWORK_PYTORCH_ROCM},
		{"", "hipLaunchKernel", "step", WEIR_FRAMEWORK_OTHER_ROCM},
		{"", "cudaLaunchKernel", "jit_step", WEIR_FRAMEWORK_JAX},
		{"gfx942", "x", "XlaModule", WEIR_FRAMEWORK_JAX},
		{"", "cudaLaunchKernel", "a jit_step", WEIR_FRAMEWORK_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++)
		assert_int_equal(framework(cases[i].device, cases[i].call, cases[i].op),
		                 cases[i].framework);
}

/* ---- the step ---- */

/* Steps with two launches, 300 us of silence apart, but 100 us in one of them: 200 us are a delay
 * that the run without the profiler does not have. */
static struct weir_trace *delayed(void)
{
	struct make_trace *make = make_trace_new();
	int64_t at = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at;

		make_launch(make, at + US, at + 2 * US, at + 3 * US, at + 5 * US);
		at += 2 * US + (i == 1 ? 100 : 300) * US;
		make_launch(make, at, at + US, at + 3 * US, at + 5 * US);
		at += 10 * US;
		advice_make_step(make, i, start, at - 10);
	}
	return make_trace_finish(make);
}

static void a_step_with_delays_is_replayed_with_them(void **state)
{
	static const struct weir_fix_catalogue none = {NULL, 0};
	struct weir_trace *trace = delayed();
	struct weir_arena *arena = weir_arena_new();
	struct weir_found_fixes found;
	struct advice_run run;

	(void)state;
	advice_run_init(&run, &trace, 1, NULL);
	weir_advise(run.analysis, &run.report, &none, arena, &found);
	assert_true(found.known);
	/* 110 us of dispatch and of two calls without the part that the profiler takes: it
	 * took between 3/13 and 8/13, and the device is busy for 4 us. */
	assert_near(found.step_ns, 112000 / WEIR_PROFILER_FACTOR, 0.001);
	assert_near(found.least_busy, 4.0 * 1.3 / 112, 0.001);
	assert_near(found.most_busy, 4.0 * 2.6 / 112, 0.001);
	advice_run_release(&run);
	weir_arena_free(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kernel_takes_the_longer_of_its_flops_and_its_bytes),
		cmocka_unit_test(without_a_rate_no_time_of_a_kernel_is_known),
		cmocka_unit_test(the_framework_is_known_by_its_names),
		cmocka_unit_test(a_step_with_delays_is_replayed_with_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
