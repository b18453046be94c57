/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compilation and allocation of steps whose shapes are new. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/advice_run.h"
#include "tests/unit/near.h"

#define STEPS    8
#define LAUNCHES 20
#define MS       INT64_C(1000000)
#define US       INT64_C(1000)
#define DEVICE   "NVIDIA H100 80GB HBM3"

/* Adds launches 20 us apart; returns when the next one would begin. */
static int64_t add_launches(struct make_trace *make, int64_t at_ns)
{
	for (int k = 0; k < LAUNCHES; k++, at_ns += 20 * US) {
		make_host(make, WEIR_HOST_OP, 0, "aten::mm", at_ns, at_ns + 15 * US);
		make_launch(make, at_ns + 5 * US, at_ns + 10 * US, at_ns + 12 * US,
		            at_ns + 18 * US);
	}
	return at_ns;
}

/* Every step compiles for 50 ms, and allocates for 0.5 ms behind it. */
static void init(struct advice_run *run)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	int64_t at = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at, from_ns = add_launches(make, at + 10 * US) + 10 * US;

		make_host(make, WEIR_HOST_PYTHON, 0, "triton/compiler/compiler.py(226): compile",
		          from_ns, from_ns + 50 * MS);
		at = from_ns + 50 * MS + 10 * US;
		make_call(make, 0, "cudaMalloc", at, at + 500 * US, 0);
		at = add_launches(make, at + 510 * US);
		advice_make_step(make, i, start, at);
	}
	trace = make_trace_finish(make);
	advice_run_init(run, &trace, 1, DEVICE);
}

static void memory_for_known_shapes_is_in_the_cache(void **state)
{
	struct advice_run run;
	size_t allocations = 0;
	double before_ns;

	(void)state;
	init(&run);
	before_ns = advice_run_step_ns(&run);
	assert_true(advice_run_apply(&run, weir_fix_warm_shapes));
	assert_true(before_ns - advice_run_step_ns(&run) >= 50.5 * (double)MS);
	for (size_t i = 0; i < run.draft.program.issue_count; i++) {
		const struct weir_issue *issue = &run.draft.program.issues[i];

		if (issue->kind != WEIR_ISSUE_ALLOC)
			continue;
		allocations++;
		assert_near(issue->call_ns, 0, 0);
	}
	assert_int_equal(allocations, 1);
	advice_run_release(&run);
}

/* Gives each long convolution another shape, and all short ones the same. */
static void give_shapes(struct weir_trace *trace)
{
	advice_give_shape(trace, "aten::conv2d", "[[64, 64]]", "[\"float\"]");
	for (size_t row = 0, n = 0; row < trace->host.count; row++) {
		char dims[32];

		if (trace->host.shape[row] == 0 ||
		    trace->host.end_ns[row] - trace->host.start_ns[row] < MS)
			continue;
		snprintf(dims, sizeof dims, "[[%zu, 64]]", 65 + n++);
		advice_give_shape(trace, "", dims, "[\"float\"]");
		trace->host.shape[row] = (uint32_t)trace->shape_count - 1;
	}
}

/* Each step has a convolution with a new shape, which compiles for 5 ms, waits for `waits` trials
 * of 52 us and launches its own kernel of 30 us, and one with a known shape, which takes the host
 * 20 us. The host takes `late_us` from the launch of the own kernel to the end of the operator.
 * Returns the device time that stays, without the other launches. */
static double kept_ns(int waits, int64_t late_us)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct advice_run run;
	double ns = -2 * LAUNCHES * 6 * (double)US;
	int64_t at = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at, from;

		from = at = add_launches(make, at + 10 * US);
		make_call(make, 0, "cuModuleLoadData", at + 10 * US, at + 5 * MS, 0);
		at += 5 * MS + 10 * US;
		for (int w = 0; w < waits; w++, at += 100 * US) {
			make_launch(make, at, at + 5 * US, at + 8 * US, at + 60 * US);
			make_call(make, 0, "cudaEventSynchronize", at + 10 * US, at + 62 * US, 0);
		}
		make_launch(make, at, at + 5 * US, at + 8 * US, at + 38 * US);
		make_host(make, WEIR_HOST_OP, 0, "aten::conv2d", from, at + late_us * US);
		at += late_us * US + 10 * US;
		make_host(make, WEIR_HOST_OP, 0, "aten::conv2d", at, at + 20 * US);
		make_launch(make, at + 5 * US, at + 10 * US, at + 50 * US, at + 80 * US);
		at = add_launches(make, at + 90 * US);
		advice_make_step(make, i, start, at);
	}
	trace = make_trace_finish(make);
	give_shapes(trace);
	advice_run_init(&run, &trace, 1, DEVICE);
	assert_true(advice_run_apply(&run, weir_fix_warm_shapes));
	for (size_t j = 0; j < run.draft.program.job_count; j++)
		ns += run.draft.program.jobs[j].ns;
	advice_run_release(&run);
	return ns;
}

/* The first launch behind the trials is slower than those of known shapes. */
static void the_own_kernel_behind_trials_stays_however_late_its_operator_ends(void **state)
{
	(void)state;
	assert_near(kept_ns(4, 15), 60 * US, 0.001);
	assert_near(kept_ns(4, 100), 60 * US, 0.001);
	/* Without trials, the end of the operator is its usual work. */
	assert_near(kept_ns(3, 15), 60 * US, 0.001);
	assert_near(kept_ns(3, 100), 30 * US, 0.001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_own_kernel_behind_trials_stays_however_late_its_operator_ends),
		cmocka_unit_test(memory_for_known_shapes_is_in_the_cache),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
