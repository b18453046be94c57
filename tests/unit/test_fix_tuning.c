/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that tune kernels or trace networks to TorchScript in each step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/advice_run.h"
#include "tests/unit/near.h"

#define STEPS  8
#define LAYERS 20
#define MS     INT64_C(1000000)
#define US     INT64_C(1000)
#define DEVICE "NVIDIA H100 80GB HBM3"

static uint64_t correlations;

/* Adds a launch of 5 us and its kernel of `ns`; returns the end of the call. */
static int64_t add_kernel(struct make_trace *make, const char *name, int64_t at_ns, int64_t ns)
{
	correlations++;
	make_call(make, 0, "cudaLaunchKernel", at_ns, at_ns + 5 * US, correlations);
	make_kernel(make, 0, name, at_ns + 6 * US, at_ns + 6 * US + ns, correlations);
	return at_ns + 5 * US;
}

static int64_t add_layers(struct make_trace *make, int64_t at_ns)
{
	for (int k = 0; k < LAYERS; k++, at_ns += 20 * US) {
		make_host(make, WEIR_HOST_OP, 0, "aten::mm", at_ns, at_ns + 15 * US);
		add_kernel(make, k % 2 ? "gemm" : "tail", at_ns + 5 * US, 6 * US);
	}
	return at_ns;
}

static void init(struct advice_run *run, struct make_trace *make)
{
	struct weir_trace *trace = make_trace_finish(make);

	advice_run_init(run, &trace, 1, DEVICE);
}

/* ---- tuning ---- */

struct tuner {
	int timed, waits; /* trials between records of events; waits for them */
	bool launches;    /* what it chose */
	bool other;       /* another kernel runs between the trials */
	unsigned steps;   /* bits of the steps in which it tunes */
};

/* Adds a first run of a kernel and trials of 100 us, each behind a fill. */
static int64_t add_trials(struct make_trace *make, const struct tuner *tuner, int64_t at)
{
	add_kernel(make, "tuned", at, 100 * US);
	at += 200 * US;
	for (int w = 0; w < tuner->waits; w++) {
		for (int t = w; t < tuner->timed; t += tuner->waits, at += 200 * US) {
			add_kernel(make, "elementwise_kernel<FillFunctor<int>>", at, 80 * US);
			make_call(make, 0, "cudaEventRecordWithFlags", at + 10 * US, at + 12 * US,
			          0);
			add_kernel(make, "tuned", at + 90 * US, 100 * US);
			make_call(make, 0, "cudaEventRecordWithFlags", at + 96 * US, at + 98 * US,
			          0);
			if (tuner->other)
				add_kernel(make, "other", at + 100 * US, 10 * US);
		}
		make_call(make, 0, "cudaDeviceSynchronize", at, at + 20 * US, 0);
		at += 30 * US;
	}
	if (tuner->launches)
		at = add_kernel(make, "tuned", at, 10 * US);
	return at + 20 * US;
}

static void init_tuned(struct advice_run *run, const struct tuner *tuner)
{
	struct make_trace *make = make_trace_new();
	int64_t at = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at;

		at = add_layers(make, at + 10 * US);
		if (tuner->steps >> i & 1)
			at = add_trials(make, tuner, at);
		at = add_layers(make, at);
		advice_make_step(make, i, start, at);
	}
	init(run, make);
}

/* Returns the device time that stays after `fix`; 0: it is not found. */
static double kept_ns(const struct tuner *tuner, weir_fix_apply *fix)
{
	struct advice_run run;
	double ns = 0;

	init_tuned(&run, tuner);
	if (advice_run_apply(&run, fix))
		for (size_t j = 0; j < run.draft.program.job_count; j++)
			ns += run.draft.program.jobs[j].ns;
	advice_run_release(&run);
	return ns;
}

#define ALL 0xff

/* 40 kernels of 6 us and the tuned one of 10 us stay. */
static void trials_of_a_tuner_are_no_part_of_the_step(void **state)
{
	(void)state;
	assert_near(kept_ns(&(struct tuner){6, 2, true, false, ALL}, weir_fix_warm_shapes),
	            250 * US, 0.001);
	assert_near(kept_ns(&(struct tuner){20, 4, true, false, ALL}, weir_fix_warm_shapes),
	            250 * US, 0.001);
	assert_true(kept_ns(&(struct tuner){6, 2, true, false, ALL}, weir_fix_warm_up) == 0);
}

static void what_is_timed_rarely_is_not_tuned(void **state)
{
	(void)state;
	assert_true(kept_ns(&(struct tuner){5, 2, true, false, ALL}, weir_fix_warm_shapes) == 0);
	assert_true(kept_ns(&(struct tuner){6, 1, true, false, ALL}, weir_fix_warm_shapes) == 0);
}

/* A benchmark of the kernel is the work itself, and so are kernels in turns. */
static void a_benchmark_is_not_tuned(void **state)
{
	(void)state;
	assert_true(kept_ns(&(struct tuner){20, 4, false, false, ALL}, weir_fix_warm_shapes) == 0);
	assert_true(kept_ns(&(struct tuner){20, 4, true, true, ALL}, weir_fix_warm_shapes) == 0);
}

static void tuning_in_few_steps_is_no_matter_of_shapes(void **state)
{
	(void)state;
	assert_true(kept_ns(&(struct tuner){6, 2, true, false, 0x3f}, weir_fix_warm_shapes) > 0);
	assert_true(kept_ns(&(struct tuner){6, 2, true, false, 0x07}, weir_fix_warm_shapes) == 0);
}

/* ---- tracing to TorchScript ---- */

struct network {
	int layers;
	int64_t silent_ns; /* behind its first run */
	const char *range; /* around its second run */
	bool same;         /* both runs start the same kernels */
};

static int64_t add_network(struct make_trace *make, int layers, bool same, int64_t at)
{
	for (int k = 0; k < layers; k++, at += 30 * US) {
		make_host(make, WEIR_HOST_OP, 0, "aten::silu", at, at + 20 * US);
		add_kernel(make, k % 3 ? "silu" : same ? "conv" : "fft", at + 5 * US, 3 * US);
	}
	return at;
}

/* Each step prepares for 5 ms, runs the network, is silent, and runs it in the range. */
static double retraced_ns(const struct network *network, weir_fix_apply *fix)
{
	struct make_trace *make = make_trace_new();
	struct advice_run run;
	int64_t at = 0;
	double ns = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at, from;

		at = add_network(make, network->layers, true, at + 5 * MS) + network->silent_ns;
		from = at - 5 * US;
		at = add_network(make, network->layers, network->same, at) + 10 * US;
		make_host(make, WEIR_HOST_OP, 0, network->range, from, at);
		advice_make_step(make, i, start, at + 10 * US);
		at += 10 * US;
	}
	init(&run, make);
	ns = advice_run_step_ns(&run);
	if (advice_run_apply(&run, fix))
		ns -= advice_run_step_ns(&run);
	else
		ns = 0;
	advice_run_release(&run);
	return ns;
}

static void a_network_that_is_traced_in_each_step_is_traced_before(void **state)
{
	(void)state;
	assert_near(retraced_ns(&(struct network){8, 2 * MS, "forward", true}, weir_fix_warm_up),
	            7 * MS + 150 * US, 0.03);
	/* It serves all sizes. */
	assert_true(retraced_ns(&(struct network){8, 2 * MS, "forward", true},
	                        weir_fix_warm_shapes) == 0);
}

static void a_network_that_runs_twice_is_not_traced(void **state)
{
	(void)state;
	assert_true(retraced_ns(&(struct network){7, 2 * MS, "forward", true}, weir_fix_warm_up) ==
	            0);
	assert_true(retraced_ns(&(struct network){8, 2 * MS, "forward", false}, weir_fix_warm_up) ==
	            0);
	assert_true(retraced_ns(&(struct network){8, 2 * MS, "aten::conv", true},
	                        weir_fix_warm_up) == 0);
	assert_true(retraced_ns(&(struct network){8, 900 * US, "forward", true},
	                        weir_fix_warm_up) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trials_of_a_tuner_are_no_part_of_the_step),
		cmocka_unit_test(what_is_timed_rarely_is_not_tuned),
		cmocka_unit_test(a_benchmark_is_not_tuned),
		cmocka_unit_test(tuning_in_few_steps_is_no_matter_of_shapes),
		cmocka_unit_test(a_network_that_is_traced_in_each_step_is_traced_before),
		cmocka_unit_test(a_network_that_runs_twice_is_not_traced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
