/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step as a program of calls and device work, and its replay. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/advice/needs.h"
#include "engine/analysis/advice/replay.h"
#include "engine/analysis/analyze.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

#define STEPS   8
#define US      INT64_C(1000)
#define TYPICAL WEIR_REPLAY_TYPICAL

static const struct weir_host_speed as_recorded = {1, 1, 1};

struct made {
	struct weir_profile *profile;
	struct weir_analysis *analysis;
	struct weir_program program;
	bool known;
};

static void make(struct made *made, struct weir_trace *trace)
{
	const struct weir_analysis_options options = {.steady = true, .percentile = 0.95};
	struct weir_error err;

	made->profile = weir_profile_new();
	weir_profile_add_input(made->profile, "trace")->trace = trace;
	assert_int_equal(weir_analysis_new(made->profile, &options, &made->analysis, &err),
	                 WEIR_OK);
	made->known = weir_program_init(&made->program, made->analysis);
}

static void release(struct made *made)
{
	weir_program_release(&made->program);
	weir_analysis_free(made->analysis);
	weir_profile_free(made->profile);
}

/* Steps of `period` with two launches, `apart` from each other on the host, of kernels of `kernel`
 * ns each. */
static struct weir_trace *two_launches(int64_t period, int64_t apart, int64_t kernel)
{
	struct make_trace *trace = make_trace_new();

	for (int64_t i = 0; i < STEPS; i++) {
		int64_t at = i * period, busy = at + 3 * US;
		uint64_t id = (uint64_t)i * 2 + 1;

		make_host(trace, WEIR_HOST_ANNOTATION, 0, "decode", at, at + period - 10);
		make_call(trace, 0, "cudaLaunchKernel", at + US, at + 2 * US, id);
		make_kernel(trace, 0, "first", busy, busy + kernel, id);
		make_call(trace, 0, "cudaLaunchKernel", at + US + apart, at + 2 * US + apart,
		          id + 1);
		busy = busy + kernel + US > at + 3 * US + apart ? busy + kernel + US
		                                                : at + 3 * US + apart;
		make_kernel(trace, 0, "second", busy, busy + kernel, id + 1);
	}
	return make_trace_finish(trace);
}

static void a_program_replays_to_the_recorded_step(void **state)
{
	struct made late, queued;

	(void)state;
	make(&late, two_launches(100 * US, 40 * US, 5 * US));
	assert_true(late.known && late.program.has_host);
	assert_int_equal(late.program.job_count, 2);
	assert_near(late.program.measured_ns, 100.0 * US, 1e-9);
	assert_near(weir_replay(&late.program, as_recorded, TYPICAL), 100.0 * US, 0.001);
	release(&late);
	make(&queued, two_launches(100 * US, 2 * US, 40 * US));
	assert_near(weir_replay(&queued.program, as_recorded, TYPICAL), 100.0 * US, 0.03);
	release(&queued);
}

static void a_faster_host_shortens_a_step_that_waits_for_it(void **state)
{
	const struct weir_host_speed twice = {0.5, 1, 0};
	struct made late, queued;

	(void)state;
	make(&late, two_launches(100 * US, 40 * US, 5 * US));
	assert_near(weir_replay(&late.program, twice, TYPICAL), 50.0 * US, 0.001);
	release(&late);
	/* Two kernels of 45 us, a gap of 1 us: the device alone needs 91 us and its latency. */
	make(&queued, two_launches(100 * US, 2 * US, 45 * US));
	assert_true(weir_replay(&queued.program, twice, TYPICAL) >= 91.0 * US);
	release(&queued);
}

static void a_long_silence_of_the_host_is_work_that_no_profiler_lengthens(void **state)
{
	struct made shorter, longer;

	(void)state;
	make(&shorter, two_launches(400 * US, 100 * US, 5 * US));
	/* From the second call to the next step's first: 298 us, beyond WEIR_HOST_WORK_NS. */
	assert_near(weir_replay(&shorter.program, (struct weir_host_speed){0, 1, 0}, TYPICAL),
	            298.0 * US, 0.02);
	release(&shorter);
	make(&longer, two_launches(200 * US, 100 * US, 5 * US));
	assert_true(weir_replay(&longer.program, (struct weir_host_speed){0, 1, 0}, TYPICAL) <
	            15.0 * US);
	release(&longer);
}

static void the_unprofiled_host_is_as_fast_as_the_given_duration_says(void **state)
{
	struct weir_host_speed speed;
	struct made made;

	(void)state;
	make(&made, two_launches(100 * US, 40 * US, 5 * US));
	speed = weir_unprofiled_speed(&made.program, NAN);
	assert_near(speed.dispatch, 1 / WEIR_PROFILER_FACTOR, 1e-9);
	/* A step twice as slow as the fastest one is divided by twice as much. */
	assert_near(made.program.slowdown, 1, 1e-9);
	made.program.slowdown = 2;
	speed = weir_unprofiled_speed(&made.program, NAN);
	assert_near(speed.dispatch, 1 / (2 * WEIR_PROFILER_FACTOR), 1e-9);
	made.program.slowdown = 1;
	speed = weir_unprofiled_speed(&made.program, 1.6);
	assert_near(weir_replay(&made.program, speed, TYPICAL), 100.0 * US / 1.6, 0.001);
	/* More than dispatch can explain, without work of the host that could be shorter. */
	speed = weir_unprofiled_speed(&made.program, 10);
	assert_near(speed.dispatch, 1 / WEIR_PROFILER_FACTOR_HIGH, 1e-9);
	release(&made);
}

/* Returns the usual speed of a host that runs this number of operators and of frames a step. */
static double usual_dispatch(int operators, int frames)
{
	struct make_trace *trace = make_trace_new();
	struct made made;
	double dispatch;

	for (int64_t i = 0; i < STEPS; i++) {
		int64_t at = i * 100 * US;

		make_host(trace, WEIR_HOST_ANNOTATION, 0, "decode", at, at + 99 * US);
		make_call(trace, 0, "cudaLaunchKernel", at + US, at + 2 * US, (uint64_t)i + 1);
		make_kernel(trace, 0, "first", at + 4 * US, at + 9 * US, (uint64_t)i + 1);
		for (int64_t n = 0; n < operators; n++)
			make_host(trace, WEIR_HOST_OP, 0, "aten::view", at + (10 + n) * US,
			          at + (11 + n) * US);
		for (int64_t n = 0; n < frames; n++)
			make_host(trace, WEIR_HOST_PYTHON, 0, "model.py(7): forward",
			          at + (20 + n) * US, at + (21 + n) * US);
	}
	make(&made, make_trace_finish(trace));
	dispatch = weir_unprofiled_speed(&made.program, NAN).dispatch;
	release(&made);
	return dispatch;
}

static void frames_of_python_make_the_profiler_slower(void **state)
{
	(void)state;
	assert_near(usual_dispatch(0, 0), 1 / WEIR_PROFILER_FACTOR, 1e-9);
	assert_near(usual_dispatch(0, 1), 1 / WEIR_PROFILER_FACTOR, 1e-9);
	assert_near(usual_dispatch(4, 1), 1 / WEIR_STACKS_FACTOR, 1e-9);
	assert_near(usual_dispatch(5, 1), 1 / WEIR_PROFILER_FACTOR, 1e-9);
}

/* Steps of `period` whose range ends `apart` before the next begins: two calls, 1 us behind the
 * beginning of the range and 30 us before its end, the first in an operator of that name. */
static struct weir_trace *ranges_apart(const char *name, const char *op, int64_t period,
                                       int64_t apart)
{
	struct make_trace *trace = make_trace_new();

	for (int64_t i = 0; i < STEPS; i++) {
		int64_t at = i * period;
		uint64_t id = (uint64_t)i * 2 + 1;

		make_host(trace, WEIR_HOST_ANNOTATION, 0, name, at, at + period - apart);
		make_host(trace, WEIR_HOST_OP, 0, op, at + US, at + 2 * US);
		make_call(trace, 0, "cudaLaunchKernel", at + US, at + 2 * US, id);
		make_kernel(trace, 0, "first", at + 4 * US, at + 9 * US, id);
		make_call(trace, 0, "cudaLaunchKernel", at + period - apart - 31 * US,
		          at + period - apart - 30 * US, id + 1);
		make_kernel(trace, 0, "second", at + period - apart - 28 * US,
		            at + period - apart - 23 * US, id + 1);
	}
	return make_trace_finish(trace);
}

/* Half of 20 us before the mark and as much behind it, but there a call begins 1 us later. */
static void the_profilers_marks_are_no_time_of_the_program(void **state)
{
	const struct weir_host_speed unprofiled = {1, 1, 0};
	struct made marked, named;

	(void)state;
	make(&marked, ranges_apart("ProfilerStep#1", "decode", 100 * US, 20 * US));
	assert_near(weir_replay(&marked.program, as_recorded, TYPICAL), 100.0 * US, 1e-3);
	assert_near(weir_replay(&marked.program, unprofiled, TYPICAL), (100.0 - 10 - 20 - 1) * US,
	            1e-3);
	release(&marked);
	make(&named, ranges_apart("decode", "decode", 100 * US, 20 * US));
	assert_near(weir_replay(&named.program, unprofiled, TYPICAL), 100.0 * US, 1e-3);
	release(&named);
}

/* Operators of PyTorch close and open the ranges of a program: as much before them as between them,
 * and 1 us behind them, up to a call. */
static void ranges_of_pytorch_that_mark_steps_are_the_profilers(void **state)
{
	static const struct {
		int64_t apart;
		double less;
	} cases[] = {{20 * US, 20 + 20 + 1}, {60 * US, 30 + 60 + 1}, {60 * US + 1, 0}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		const struct weir_host_speed unprofiled = {1, 1, 0};
		struct made made;

		make(&made, ranges_apart("decode", "aten::mul", 150 * US, cases[i].apart));
		assert_near(weir_replay(&made.program, unprofiled, TYPICAL),
		            (150.0 - cases[i].less) * US, 1e-3);
		release(&made);
	}
}

/* Steps of 200 us whose ranges frames of this name close and open: 20 us before the end of a range,
 * and 10 us behind the start of the next one, 70 us later. The first call is 15 us behind it. */
static struct weir_trace *ranges_with_frames(const char *exit, const char *enter)
{
	struct make_trace *trace = make_trace_new();

	for (int64_t i = 0; i < STEPS; i++) {
		int64_t at = i * 200 * US, end = at + 130 * US;
		uint64_t id = (uint64_t)i + 1;

		make_host(trace, WEIR_HOST_ANNOTATION, 0, "decode", at, end);
		make_call(trace, 0, "cudaLaunchKernel", at + 15 * US, at + 16 * US, id);
		make_kernel(trace, 0, "first", at + 18 * US, at + 23 * US, id);
		make_host(trace, WEIR_HOST_PYTHON, 0, exit, end - 20 * US, end + 20 * US);
		make_host(trace, WEIR_HOST_PYTHON, 0, enter, at + 190 * US, at + 210 * US);
	}
	return make_trace_finish(trace);
}

/* Frames of PyTorch's profiler show where it closes and opens ranges, however long that takes. */
static void frames_that_close_and_open_ranges_are_the_profilers(void **state)
{
	static const char exit[] = "torch/autograd/profiler.py(860): __exit__",
			  enter[] = "torch/autograd/profiler.py(854): __enter__";
	static const struct {
		const char *exit, *enter;
		double less;
	} cases[] = {
		{exit, enter, 20 + 70 + 10},
		{"torch/autograd/grad_mode.py(88): __exit__", enter, 0},
		{exit, "torch/autograd/grad_mode.py(84): __enter__", 0},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		const struct weir_host_speed unprofiled = {1, 1, 0};
		struct made made;

		make(&made, ranges_with_frames(cases[i].exit, cases[i].enter));
		assert_near(weir_replay(&made.program, unprofiled, TYPICAL),
		            (200.0 - cases[i].less) * US, 1e-3);
		release(&made);
	}
}

/* Steps of 100 us: a kernel of 20 us, a wait for it, then a second kernel. */
static struct weir_trace *a_wait_in_the_step(void)
{
	struct make_trace *trace = make_trace_new();

	for (int64_t i = 0; i < STEPS; i++) {
		int64_t at = i * 100 * US;
		uint64_t id = (uint64_t)i * 2 + 1;

		make_host(trace, WEIR_HOST_ANNOTATION, 0, "decode", at, at + 100 * US - 10);
		make_call(trace, 0, "cudaLaunchKernel", at + US, at + 2 * US, id);
		make_kernel(trace, 0, "first", at + 4 * US, at + 24 * US, id);
		make_call(trace, 0, "cudaStreamSynchronize", at + 3 * US, at + 26 * US, 0);
		make_call(trace, 0, "cudaLaunchKernel", at + 50 * US, at + 51 * US, id + 1);
		make_kernel(trace, 0, "second", at + 53 * US, at + 63 * US, id + 1);
	}
	return make_trace_finish(trace);
}

static void a_wait_holds_the_host_until_its_job_has_ended(void **state)
{
	const struct weir_host_speed no_dispatch = {0, 1, 0};
	struct made made;
	size_t waits = 0;

	(void)state;
	make(&made, a_wait_in_the_step());
	for (size_t i = 0; i < made.program.issue_count; i++) {
		const struct weir_issue *issue = &made.program.issues[i];

		if (issue->until == WEIR_NONE)
			continue;
		waits++;
		assert_int_equal(issue->kind, WEIR_ISSUE_WAIT);
		assert_int_equal(issue->until, 0);
		assert_near(issue->return_ns, 2.0 * US, 1e-9);
	}
	assert_int_equal(waits, 1);
	/* Latency 3 us, first kernel 20 us, return 2 us, then latency and the second kernel: the
	 * next step begins behind the wait, beside the second kernel. */
	assert_true(weir_replay(&made.program, no_dispatch, TYPICAL) >= 30.0 * US);
	release(&made);
}

/* Steps with two launches, `usual` ns of silence apart, but `least` in one of them. The last `odd`
 * steps have one event more. */
static struct weir_trace *silences(int64_t usual, int64_t least, int odd)
{
	struct make_trace *trace = make_trace_new();
	int64_t at = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at;

		make_launch(trace, at + US, at + 2 * US, at + 3 * US, at + 5 * US);
		at += 2 * US + (i == 1 ? least : usual);
		make_launch(trace, at, at + US, at + 3 * US, at + 5 * US);
		if (i >= STEPS - odd)
			make_host(trace, WEIR_HOST_OP, 0, "aten::empty", at + 2 * US, at + 3 * US);
		at += 10 * US;
		make_host(trace, WEIR_HOST_ANNOTATION, 0, "decode", start, at - 10);
	}
	return make_trace_finish(trace);
}

static void a_silence_that_is_short_in_some_step_is_a_delay(void **state)
{
	static const struct {
		int64_t usual, least;
		int odd;
		bool delay;
	} cases[] = {{300, 100, 0, true},   {300, 101, 0, false}, {1000, 100, 0, true},
	             {1001, 100, 0, false}, {300, 100, 4, true},  {300, 100, 5, false}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t usual = cases[i].usual * US, least = cases[i].least * US;
		const struct weir_issue *issue;
		struct made made;

		make(&made, silences(usual, least, cases[i].odd));
		issue = &made.program.issues[1];
		assert_near(issue->work_ns, cases[i].delay ? 0 : (double)usual, 0.001);
		assert_near(issue->dispatch_ns, cases[i].delay ? (double)least : 0, 0.001);
		assert_near(issue->profiler_ns, cases[i].delay ? (double)(usual - least) : 0,
		            0.001);
		release(&made);
	}
}

/* Steps whose kernels of 100 us follow each other, far behind the host; the host is `slow` ns late
 * in steps 2, 3 and 4. */
static struct weir_trace *run_ahead(int64_t slow)
{
	struct make_trace *trace = make_trace_new();
	int64_t at = 0, busy = 500 * US;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at;

		at += 40 * US + (i >= 2 && i <= 4 ? slow : 0);
		make_call(trace, 0, "cudaLaunchKernel", at, at + US, (uint64_t)i + 1);
		/* The periods of the slow steps are in the middle. */
		make_kernel(trace, 0, "gemm", busy,
		            busy + (i < 2   ? 100
		                    : i < 5 ? 101
		                            : 102) *
		                            US,
		            (uint64_t)i + 1);
		busy += (i < 2 ? 100 : i < 5 ? 101 : 102) * US;
		at += 10 * US;
		make_host(trace, WEIR_HOST_ANNOTATION, 0, "decode", start, at - 10);
	}
	return make_trace_finish(trace);
}

static void a_host_that_was_slow_behind_a_busy_device_is_not_typical(void **state)
{
	struct made even, hidden;

	(void)state;
	make(&even, run_ahead(0));
	assert_near(even.program.measured_ns, 101.0 * US, 0.001);
	release(&even);
	make(&hidden, run_ahead(100 * US));
	assert_near(hidden.program.measured_ns, 102.0 * US, 0.001);
	assert_near(weir_replay(&hidden.program, as_recorded, TYPICAL), 102.0 * US, 0.001);
	release(&hidden);
}

/* Steps with one launch, whose call takes `usual` ns, but `least` in one of them. */
static double launch_call_ns(int64_t usual, int64_t least)
{
	struct make_trace *trace = make_trace_new();
	struct made made;
	double ns;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = (int64_t)i * 1000 * US, end = at + US + (i == 1 ? least : usual);

		make_host(trace, WEIR_HOST_ANNOTATION, 0, "decode", at, at + 1000 * US - 10);
		make_launch(trace, at + US, end, end + US, end + 2 * US);
	}
	make(&made, make_trace_finish(trace));
	ns = made.program.issues[0].call_ns;
	release(&made);
	return ns;
}

static void a_launch_that_is_short_in_other_steps_is_delayed(void **state)
{
	(void)state;
	assert_near(launch_call_ns(400 * US, 100 * US), 100 * US, 1e-9);
	assert_near(launch_call_ns(400 * US, 101 * US), 400 * US, 1e-9);
	assert_near(launch_call_ns(100 * US, 7 * US), 100 * US, 1e-9);
	assert_near(launch_call_ns(101 * US, 7 * US), 7 * US, 1e-9);
}

static void a_graph_needs_a_step_without_waits_and_with_equal_kernels(void **state)
{
	struct weir_advisor advisor = {0};
	struct made made;

	(void)state;
	make(&made, a_wait_in_the_step());
	advisor.program = made.program;
	assert_int_equal(weir_need_check(&advisor, "no-syncs"), WEIR_NEED_NOT_MET);
	assert_int_equal(weir_need_check(&advisor, "same-kernels"), WEIR_NEED_MET);
	release(&made);
	make(&made, two_launches(100 * US, 40 * US, 5 * US));
	advisor.program = made.program;
	assert_int_equal(weir_need_check(&advisor, "no-syncs"), WEIR_NEED_MET);
	assert_int_equal(weir_need_check(&advisor, NULL), WEIR_NEED_UNKNOWN);
	assert_false(weir_need_exists("no-such-check"));
	release(&made);
}

static void a_trace_without_device_work_has_no_program(void **state)
{
	struct make_trace *trace = make_trace_new();
	struct made made;

	(void)state;
	make_host(trace, WEIR_HOST_OP, 0, "aten::mm", 0, 1000);
	make_host(trace, WEIR_HOST_OP, 0, "aten::mm", 2000, 3000);
	make(&made, make_trace_finish(trace));
	assert_false(made.known);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_replays_to_the_recorded_step),
		cmocka_unit_test(a_faster_host_shortens_a_step_that_waits_for_it),
		cmocka_unit_test(a_long_silence_of_the_host_is_work_that_no_profiler_lengthens),
		cmocka_unit_test(the_unprofiled_host_is_as_fast_as_the_given_duration_says),
		cmocka_unit_test(frames_of_python_make_the_profiler_slower),
		cmocka_unit_test(the_profilers_marks_are_no_time_of_the_program),
		cmocka_unit_test(ranges_of_pytorch_that_mark_steps_are_the_profilers),
		cmocka_unit_test(frames_that_close_and_open_ranges_are_the_profilers),
		cmocka_unit_test(a_launch_that_is_short_in_other_steps_is_delayed),
		cmocka_unit_test(a_wait_holds_the_host_until_its_job_has_ended),
		cmocka_unit_test(a_silence_that_is_short_in_some_step_is_a_delay),
		cmocka_unit_test(a_host_that_was_slow_behind_a_busy_device_is_not_typical),
		cmocka_unit_test(a_graph_needs_a_step_without_waits_and_with_equal_kernels),
		cmocka_unit_test(a_trace_without_device_work_has_no_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
