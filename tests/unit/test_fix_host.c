/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits of the host, and its work before and behind that of the device, which other processes can
 * do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/advice_run.h"
#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define STEPS 8
#define US    INT64_C(1000)

/* A step: the host loads data, of which it first collects garbage, runs a kernel of 1 ms, waits
 * for it unless `ahead`, and writes results. */
struct host {
	int64_t load_us, garbage_us, window_us, write_us;
	bool ahead;
	const char *frame; /* of Python, around the loading; NULL: not recorded */
	int64_t op_us;     /* of an operator that begins the loading */
};

static void init(struct advice_run *run, const struct host *host)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	int64_t at = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at;

		if (host->garbage_us > 0)
			make_host(make, WEIR_HOST_ANNOTATION, 0, "gc.collect", at + US,
			          at + US + host->garbage_us * US);
		if (host->window_us > 0)
			make_host(make, WEIR_HOST_ANNOTATION, 0, "batch_window", at + US,
			          at + US + host->window_us * US);
		if (host->frame)
			make_host(make, WEIR_HOST_PYTHON, 0, host->frame, at + US,
			          at + US + host->load_us * US);
		if (host->op_us > 0)
			make_host(make, WEIR_HOST_OP, 0, "aten::div", at + US,
			          at + US + host->op_us * US);
		at += US + host->load_us * US;
		make_launch(make, at, at + US, at + 3 * US, at + 1003 * US);
		at += US;
		if (!host->ahead) {
			make_call(make, 0, "cudaDeviceSynchronize", at, at + 1005 * US, 0);
			at += 1005 * US;
		}
		at += host->write_us * US;
		advice_make_step(make, i, start, at);
		at += US;
	}
	trace = make_trace_finish(make);
	advice_run_init(run, &trace, 1, NULL);
}

static double work_ns(const struct weir_program *program, enum weir_issue_kind kind)
{
	double ns = 0;

	for (size_t i = 0; i < program->issue_count; i++)
		if (program->issues[i].kind == kind)
			ns += program->issues[i].work_ns;
	return ns;
}

/* Steps of two copies to the host, for each of which it waits. */
static void init_waits(struct advice_run *run)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * (1000 * US);

		advice_make_step(make, i, at, at + 999 * US);
		for (int c = 0; c < 2; c++, at += 400 * US)
			advice_make_copy(make, &(struct advice_copy){
						       .name = "Memcpy DtoH (Device -> Pageable)",
						       .call_ns = at + 10 * US,
						       .return_ns = at + 320 * US,
						       .start_ns = at + 20 * US,
						       .end_ns = at + 319 * US,
						       .bytes = 100000,
						       .correlation = (uint64_t)(2 * i + c + 1)});
	}
	trace = make_trace_finish(make);
	advice_run_init(run, &trace, 1, NULL);
}

/* The last wait ends the step, and stays. */
static void a_decision_on_the_device_takes_two_operators(void **state)
{
	const struct weir_issue *before, *after;
	struct advice_run run;

	(void)state;
	init_waits(&run);
	before = run.advisor.program.issues;
	assert_int_equal(before[0].until, 0);
	assert_int_equal(before[1].until, 1);
	assert_near(run.advisor.speed.dispatch, 1 / WEIR_PROFILER_FACTOR, 0);
	assert_true(advice_run_apply(&run, weir_fix_remove_syncs));
	after = run.draft.program.issues;
	assert_int_equal(after[0].until, WEIR_NONE);
	assert_int_equal(after[1].until, 1);
	assert_near(after[0].dispatch_ns - before[0].dispatch_ns,
	            2 * run.advisor.operator_ns * WEIR_PROFILER_FACTOR, 1e-9);
	assert_near(after[1].dispatch_ns, before[1].dispatch_ns, 0);
	assert_non_null(strstr(run.draft.basis.data, "in place of 1 waits, and dispatches 2 "));
	advice_run_release(&run);
}

#define SINGLE "[\"c10::BFloat16\"]"
#define PAIR   "[\"c10::BFloat16\", \"c10::BFloat16\"]"

/* Returns the step after the fix of four values that the host reads one by one, each behind a
 * kernel of this operator, between two products. */
static struct advice_result values_read(const char *op, const char *kernel, const char *reader)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_op(step, "aten::mm", "[[64, 64], [64, 64]]", PAIR, "nvjet_gemm", 10);
	for (int i = 0; i < 4; i++) {
		advice_step_op(step, op, "[[4096, 64]]", SINGLE, kernel, 3);
		advice_step_begin(step, reader, "[[]]", SINGLE, NULL);
		advice_step_copy(step, "Memcpy DtoH (Device -> Pinned)", 1);
		advice_step_end(step);
	}
	advice_step_op(step, "aten::mm", "[[64, 64], [64, 64]]", PAIR, "nvjet_gemm", 10);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_remove_syncs, &result);
	return result;
}

/* An operator of 6 us stands for each value that may decide what comes next, and two for a tensor.
 */
static void values_of_a_list_are_no_decisions(void **state)
{
	static const char item[] = "aten::_local_scalar_dense",
			  reduce[] = "void at::native::reduce_kernel<512, 1>";
	struct advice_result list = values_read("aten::prod", reduce, item),
			     changes = values_read("aten::add_", "vectorized_elementwise_kernel",
	                                           item),
			     tensors = values_read("aten::prod", reduce, "aten::copy_");

	(void)state;
	assert_true(list.found && changes.found && tensors.found);
	assert_true(changes.after_us - list.after_us > 2 * 6);
	assert_true(changes.after_us - list.after_us < 3 * 6);
	/* The calls that fetch the tensors stay. */
	assert_true(tensors.after_us - changes.after_us > 4 * 6);
	assert_true(tensors.after_us - changes.after_us < 4 * 6 + 4 * 5);
}

/* ---- tests of a tensor ---- */

#define WIDE   "[[4096, 64]]"
#define WIDER  "[[4096, 64], [4096, 64]]"
#define SCALED "[[4096, 64], []]"

/* Operators behind each of four products, the last of which gives a value that the host fetches. */
struct test {
	struct {
		const char *op, *dims;
	} ops[3];
};

static double tested_us(const struct test *test)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	for (int i = 0; i < 4; i++) {
		advice_step_op(step, "aten::mm", "[[64, 64], [64, 64]]", PAIR, "nvjet_gemm", 1);
		for (size_t o = 0; o < WEIR_COUNT_OF(test->ops); o++)
			advice_step_op(step, test->ops[o].op, test->ops[o].dims, PAIR,
			               "vectorized_elementwise_kernel", 1);
		advice_step_begin(step, "aten::_local_scalar_dense", "[[]]", SINGLE, NULL);
		advice_step_copy(step, "Memcpy DtoH (Device -> Pinned)", 1);
		advice_step_end(step);
	}
	advice_step_op(step, "aten::mm", "[[64, 64], [64, 64]]", PAIR, "nvjet_gemm", 1);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_remove_syncs, &result);
	return result.found ? result.after_us : result.before_us;
}

static void the_device_decides_without_what_only_a_test_needs(void **state)
{
	static const struct {
		struct test test;
		int operators, calls; /* added, and removed beside that of the fetch */
	} cases[] = {
		{{{{"aten::sub", WIDER}, {"aten::mul", SCALED}, {"aten::prod", WIDE}}}, 1, 0},
		{{{{"aten::sub", WIDER}, {"aten::lt", SCALED}, {"aten::any", WIDE}}}, 1, 1},
		{{{{"aten::sub", WIDER}, {"aten::lt", SCALED}, {"aten::all", WIDE}}}, 1, 1},
		{{{{"aten::sub", WIDER}, {"aten::ne", WIDER}, {"aten::any", WIDE}}}, 0, 2},
		{{{{"aten::sub", WIDER}, {"aten::ne", WIDER}, {"aten::sum", WIDE}}}, 0, 2},
		{{{{"aten::sub", WIDER}, {"aten::ne", SCALED}, {"aten::sum", WIDE}}}, 1, 0},
		{{{{"aten::sub", WIDER}, {"aten::abs", WIDE}, {"aten::max", WIDE}}}, 0, 2},
		{{{{"aten::mul", WIDER}, {"aten::abs", WIDE}, {"aten::max", WIDE}}}, 3, 0},
		{{{{"aten::mul", WIDER}, {"aten::sub", WIDER}, {"aten::norm", WIDE}}}, 0, 1},
		{{{{"aten::sub", WIDER}, {"aten::mul", WIDER}, {"aten::norm", WIDE}}}, 3, 0},
		{{{{"aten::sub", WIDER}, {"aten::mul", WIDER}, {"aten::max", WIDE}}}, 1, 0},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++)
		/* An operator that is added takes 6 us, one that is removed 3 us. */
		assert_near(tested_us(&cases[i].test) - tested_us(&cases[0].test),
		            4 * (6 * (cases[i].operators - 1) - 3 * cases[i].calls), 0.001);
}

/* ---- results beside an answer ---- */

/* Returns the step after the fix of four turns that copy the result of a product to the host, and
 * then fetch a value by `question`, behind `between` if it is not NULL. */
static double listed_us(const char *question, const char *between)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	for (int i = 0; i < 4; i++) {
		advice_step_op(step, "aten::mm", "[[64, 64], [64, 64]]", PAIR, "nvjet_gemm", 1);
		advice_step_begin(step, "aten::copy_", "[[64], [64], []]", PAIR, NULL);
		advice_step_copy(step, "Memcpy DtoH (Device -> Pageable)", 1);
		advice_step_end(step);
		if (between)
			advice_step_op(step, between, WIDE, SINGLE, "vectorized_elementwise_kernel",
			               1);
		advice_step_op(step, question, WIDE, SINGLE,
		               "void at::native::reduce_kernel<512, 1>", 1);
		advice_step_begin(step, "aten::_local_scalar_dense", "[[]]", SINGLE, NULL);
		advice_step_copy(step, "Memcpy DtoH (Device -> Pinned)", 1);
		advice_step_end(step);
	}
	advice_step_op(step, "aten::mm", "[[64, 64], [64, 64]]", PAIR, "nvjet_gemm", 1);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_remove_syncs, &result);
	assert_true(result.found);
	return result.after_us;
}

/* Beside the answer to a question, the host decides nothing by the copy, which is made once behind
 * the turns: two operators of 6 us and the call of 3 us less in each turn. */
static void results_beside_an_answer_are_fetched_once(void **state)
{
	double data = listed_us("aten::prod", NULL);

	(void)state;
	assert_true(data - listed_us("aten::all", NULL) > 4 * 6);
	assert_true(listed_us("aten::all", "aten::neg") > listed_us("aten::all", NULL) + 4 * 6);
}

/* Returns the step after the fix of `checks` checks of a tensor: this operator, a comparison inside
 * it, a reduction unless it is NULL, and the value that the host reads. A product follows each; the
 * last one is left out if not `goes_on`. */
static struct advice_result checked(const char *op, const char *reduction, int checks, bool goes_on)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	for (int i = 0; i < checks; i++) {
		advice_step_op(step, "aten::mm", "[[64, 64], [64, 64]]", PAIR, "nvjet_gemm", 10);
		advice_step_begin(step, op, "[[4096, 64]]", SINGLE, NULL);
		advice_step_op(step, "aten::ne", "[[4096, 64], [4096, 64]]", PAIR,
		               "vectorized_elementwise_kernel", 3);
		advice_step_end(step);
		if (reduction)
			advice_step_op(step, reduction, "[[4096, 64]]", "[\"bool\"]",
			               "void at::native::reduce_kernel<512, 1>", 4);
		advice_step_begin(step, "aten::_local_scalar_dense", "[[]]", "[\"bool\"]", NULL);
		advice_step_copy(step, "Memcpy DtoH (Device -> Pinned)", 1);
		advice_step_end(step);
	}
	if (goes_on)
		advice_step_op(step, "aten::mm", "[[64, 64], [64, 64]]", PAIR, "nvjet_gemm", 10);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_remove_syncs, &result);
	return result;
}

/* Behind other values the device, which is the limit here, still reduces the tensor in 4 us. */
static void one_operator_stands_for_a_check_for_infinities_or_nan(void **state)
{
	static const char *const names[] = {"aten::isnan", "aten::isinf", "aten::isfinite"};
	struct advice_result decides = checked("aten::lt", "aten::prod", 4, true);

	(void)state;
	assert_true(decides.found);
	for (size_t i = 0; i < WEIR_COUNT_OF(names); i++) {
		struct advice_result checks = checked(names[i], "aten::all", 4, true);

		assert_true(checks.found);
		assert_near(decides.after_us - checks.after_us, 4 * 4, 0.001);
	}
	/* A value that is read itself decides; so does one behind another reduction. */
	assert_near(checked("aten::isnan", NULL, 4, true).after_us,
	            checked("aten::lt", NULL, 4, true).after_us, 1e-9);
	assert_near(checked("aten::isnan", "aten::sum", 4, true).after_us,
	            checked("aten::lt", "aten::sum", 4, true).after_us, 1e-9);
}

static void the_check_behind_all_work_stays(void **state)
{
	(void)state;
	assert_true(checked("aten::isnan", "aten::any", 1, true).found);
	assert_false(checked("aten::isnan", "aten::any", 1, false).found);
}

/* Half of the dispatch of such a step without the profiler: 4.4 us in the trace. */
#define LOCKED_US (0.5 * 4.4 / WEIR_PROFILER_FACTOR)

/* Asserts the limit of a step with this work, and the end of its range. */
static void assert_limit(const struct host *host, weir_fix_apply *fix, double floor_us,
                         double high_us)
{
	struct advice_run run;

	init(&run, host);
	assert_true(advice_run_apply(&run, fix));
	assert_near(run.draft.floor_ns, floor_us * US, 0.002);
	assert_near(run.draft.floor_low_ns, 0, 0);
	assert_near(run.draft.floor_high_ns, high_us * US, 0.002);
	advice_run_release(&run);
}

/* The rest of the step takes 1.006 ms. One thread saves as much, four workers three quarters of the
 * work and the rest: five times as much for 5.37 ms. */
static void one_thread_loads_data_if_it_gives_a_fifth_of_what_four_workers_give(void **state)
{
	static const struct host least = {.load_us = 500}, below = {.load_us = 5260},
				 above = {.load_us = 5470};

	(void)state;
	assert_limit(&least, weir_fix_overlap_input, 500 + LOCKED_US, 650);
	assert_limit(&below, weir_fix_overlap_input, 5260 + LOCKED_US, 5260 * 1.3);
	assert_limit(&above, weir_fix_overlap_input, 5470 / 4.0, 5470);
}

/* The time for which the thread waits for Python's lock is not saved: a microsecond of it decides
 * here.
 */
static void several_workers_load_data_where_one_thread_waits_for_the_lock(void **state)
{
	static const struct host waits = {.load_us = 5363, .frame = "loader.py(12): load"},
				 runs = {.load_us = 5363, .frame = "<built-in function decode>"};

	(void)state;
	assert_limit(&waits, weir_fix_overlap_input, 5363 / 4.0, 5363);
	assert_limit(&runs, weir_fix_overlap_input, 5363, 5363 * 1.3);
}

/* Work up to 4.02 ms is hidden by four workers: they save twice as much as one for 2.01 ms. */
static void one_thread_runs_operators_if_it_gives_half_of_what_four_workers_give(void **state)
{
	static const struct host below = {.load_us = 1900, .op_us = 1000},
				 above = {.load_us = 2070, .op_us = 1040},
				 code = {.load_us = 2070, .op_us = 1030};

	(void)state;
	/* Operators give Python's lock back: only the rest of the work waits for it. */
	assert_limit(&below, weir_fix_overlap_input, 1900 + LOCKED_US * 900 / 1900, 1900 * 1.3);
	assert_limit(&above, weir_fix_overlap_input, 2070 / 4.0, 2070);
	assert_limit(&code, weir_fix_overlap_input, 2070 + LOCKED_US * 1040 / 2070, 2070 * 1.3);
}

/* Two writers, each 1.2 times slower, save 0.4 of the work and the rest of the step: five times as
 * much as one thread for 10 times the rest. */
static void one_thread_writes_results_if_it_gives_a_fifth_of_what_two_writers_give(void **state)
{
	static const struct host below = {.write_us = 9800}, above = {.write_us = 10300};

	(void)state;
	assert_limit(&below, weir_fix_overlap_output, 9800 + LOCKED_US, 9800 * 1.3);
	assert_limit(&above, weir_fix_overlap_output, 10300 * 0.6, 10300);
}

/* Returns how much longer the work of 900 us takes beside the dispatch, in times of that. */
static double locked_share(const char *frame)
{
	const struct host host = {.load_us = 900, .frame = frame};
	const struct weir_program *program;
	struct advice_run run;
	double dispatch_ns = 0, out;

	init(&run, &host);
	assert_true(advice_run_apply(&run, weir_fix_overlap_input));
	program = &run.draft.program;
	for (size_t i = 0; i < program->issue_count; i++)
		dispatch_ns += program->issues[i].dispatch_ns +
		               (program->issues[i].job_count > 0 ? program->issues[i].call_ns : 0);
	out = run.draft.floor_ns -
	      work_ns(&run.advisor.program, WEIR_ISSUE_INPUT) * run.advisor.speed.work;
	out /= dispatch_ns * run.advisor.speed.dispatch;
	advice_run_release(&run);
	return out;
}

static void code_of_python_waits_for_the_thread_that_launches(void **state)
{
	(void)state;
	assert_near(locked_share("loader.py(12): load"), 1, 0.1);
	assert_near(locked_share("<built-in method join of str object>"), 1, 0.1);
	assert_near(locked_share("<built-in function decompress>"), 0, 0.1);
	assert_near(locked_share(NULL), 0.5, 0.1);
}

static void only_the_work_before_the_step_is_input(void **state)
{
	const struct host host = {.load_us = 4000, .write_us = 2000};
	struct advice_run run;

	(void)state;
	init(&run, &host);
	assert_true(advice_run_apply(&run, weir_fix_overlap_input));
	assert_non_null(strstr(run.draft.basis.data, "4.00 ms of host work in one thread "));
	assert_near(work_ns(&run.draft.program, WEIR_ISSUE_INPUT), 0, 0);
	assert_near(work_ns(&run.draft.program, WEIR_ISSUE_OUTPUT), 2000.0 * US, 0.002);
	advice_run_release(&run);
}

static void only_the_work_behind_the_results_is_output(void **state)
{
	const struct host host = {.load_us = 4000, .write_us = 2000};
	struct advice_run run;

	(void)state;
	init(&run, &host);
	assert_true(advice_run_apply(&run, weir_fix_overlap_output));
	assert_near(work_ns(&run.draft.program, WEIR_ISSUE_OUTPUT), 0, 0);
	assert_near(work_ns(&run.draft.program, WEIR_ISSUE_INPUT), 4000.0 * US, 0.002);
	advice_run_release(&run);
}

static void other_processes_take_over_neither_garbage_nor_a_batching_window(void **state)
{
	static const struct {
		struct host host;
		double floor_us; /* 0: not found */
	} cases[] = {
		{{.load_us = 1900, .garbage_us = 0}, 1900},
		{{.load_us = 2000, .garbage_us = 1000}, 1000},
		{{.load_us = 2000, .garbage_us = 1790}, 210},
		{{.load_us = 2000, .garbage_us = 1810}, 0}, /* the rest is no work */
		{{.load_us = 2000, .garbage_us = 2000}, 0},
		{{.load_us = 190, .garbage_us = 0}, 0},
		/* Nobody else ends a wait for a batch. */
		{{.load_us = 2000, .window_us = 1000}, 1000},
		{{.load_us = 2000, .window_us = 1810}, 0},
		{{.load_us = 2000, .garbage_us = 1000, .window_us = 1000}, 1000},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_run run;

		init(&run, &cases[i].host);
		assert_int_equal(advice_run_apply(&run, weir_fix_overlap_input),
		                 cases[i].floor_us > 0);
		assert_near(run.draft.floor_ns, cases[i].floor_us * US, 0.03);
		advice_run_release(&run);
	}
}

static void only_results_that_the_host_waits_for_are_in_its_way(void **state)
{
	const struct host host = {.load_us = 1000, .write_us = 2000, .ahead = true};
	struct advice_run run;

	(void)state;
	init(&run, &host);
	assert_false(advice_run_apply(&run, weir_fix_overlap_output));
	assert_true(advice_run_apply(&run, weir_fix_overlap_input));
	advice_run_release(&run);
}

/* Steps that fetch their result, work on it for `write_us`, and synchronise. The next kernel
 * ends `busy_us` behind the copy; 0: there is no kernel. */
static void init_synchronised(struct advice_run *run, int64_t write_us, int64_t busy_us)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	int64_t at = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at, done = at + 321 * US + busy_us * US;

		advice_make_copy(make,
		                 &(struct advice_copy){.name = "Memcpy DtoH (Device -> Pageable)",
		                                       .call_ns = at + 10 * US,
		                                       .return_ns = at + 320 * US,
		                                       .start_ns = at + 20 * US,
		                                       .end_ns = at + 319 * US,
		                                       .bytes = 100000,
		                                       .correlation = (uint64_t)(2 * i + 1)});
		if (busy_us > 0)
			make_launch(make, at + 320 * US, at + 321 * US, at + 323 * US, done);
		at += 321 * US + write_us * US;
		make_call(make, 0, "cudaDeviceSynchronize", at, (at > done ? at : done) + 10 * US,
		          0);
		at = (at > done ? at : done) + 11 * US;
		advice_make_step(make, i, start, at);
		at += US;
	}
	trace = make_trace_finish(make);
	advice_run_init(run, &trace, 1, NULL);
}

/* A wait for which the device had finished does not hide that the host works behind the result. */
static void a_wait_for_nothing_ends_no_work_of_the_device(void **state)
{
	static const struct {
		int64_t write_us, busy_us;
		bool found;
		double floor;     /* of the work: two workers, or one */
		double locked_us; /* half of the dispatch */
	} cases[] = {
		{4000, 0, true, 0.6, 0}, {2000, 0, true, 1, 7},    {201, 0, true, 1, 7},
		{198, 0, false, 0, 0},   {2000, 1999, true, 1, 7}, {2000, 2001, false, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_run run;

		init_synchronised(&run, cases[i].write_us, cases[i].busy_us);
		assert_int_equal(advice_run_apply(&run, weir_fix_overlap_output), cases[i].found);
		assert_near(run.draft.floor_ns,
		            cases[i].floor * (double)(cases[i].write_us * US) +
		                    cases[i].locked_us * US,
		            0.01);
		advice_run_release(&run);
	}
}

/* ---- a window without steps ---- */

/* Turns that copy an input to the device, run a kernel, and fetch a result. */
struct turns {
	uint64_t count;
	int64_t prepare_us;    /* before the input of each turn but the first */
	int64_t input, result; /* bytes */
};

static int64_t add_copy(struct make_trace *make, const char *name, int64_t at, int64_t bytes,
                        uint64_t correlation)
{
	advice_make_copy(make, &(struct advice_copy){.name = name,
	                                             .call_ns = at,
	                                             .return_ns = at + 30 * US,
	                                             .start_ns = at + 5 * US,
	                                             .end_ns = at + 29 * US,
	                                             .bytes = bytes,
	                                             .correlation = correlation});
	return at + 31 * US;
}

/* Returns the work in front of inputs that the fix moves. */
static double window_moved_us(const struct turns *turns)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct advice_run run;
	int64_t at = 10 * US;
	bool found;
	double us;

	for (uint64_t id = 0; id < 2 * turns->count; id += 2) {
		at = add_copy(make, "Memcpy HtoD (Pageable -> Device)", at, turns->input, id + 1);
		make_launch(make, at, at + US, at + 3 * US, at + 503 * US);
		at = add_copy(make, "Memcpy DtoH (Device -> Pageable)", at + 500 * US,
		              turns->result, id + 2);
		at += turns->prepare_us * US;
	}
	trace = make_trace_finish(make);
	advice_run_init(&run, &trace, 1, NULL);
	assert_int_equal(run.advisor.program.step, WEIR_NONE);
	found = advice_run_apply(&run, weir_fix_overlap_input);
	us = found ? run.draft.places[0].ns / (double)US : 0;
	assert_int_equal(found, us > 0);
	advice_run_release(&run);
	return us;
}

static void an_input_larger_than_the_results_before_it_is_prepared_ahead(void **state)
{
	static const struct {
		struct turns turns;
		double moved_us; /* 0: not found */
	} cases[] = {
		{{4, 2007, 100000, 99999}, 6000},
		/* The input may be computed from the results. */
		{{4, 2007, 100000, 100000}, 0},
		/* Two inputs are no loop. */
		{{3, 2007, 100000, 100}, 0},
		/* 200 ns a byte are no preparation, nor is a short stretch work. */
		{{4, 2007, 10000, 100}, 6000},
		{{4, 2007, 9999, 100}, 0},
		{{4, 206, 100000, 100}, 0},
		{{4, 207, 100000, 100}, 600},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++)
		assert_near(window_moved_us(&cases[i].turns), cases[i].moved_us, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_decision_on_the_device_takes_two_operators),
		cmocka_unit_test(values_of_a_list_are_no_decisions),
		cmocka_unit_test(the_device_decides_without_what_only_a_test_needs),
		cmocka_unit_test(results_beside_an_answer_are_fetched_once),
		cmocka_unit_test(one_operator_stands_for_a_check_for_infinities_or_nan),
		cmocka_unit_test(the_check_behind_all_work_stays),
		cmocka_unit_test(
			one_thread_loads_data_if_it_gives_a_fifth_of_what_four_workers_give),
		cmocka_unit_test(several_workers_load_data_where_one_thread_waits_for_the_lock),
		cmocka_unit_test(
			one_thread_runs_operators_if_it_gives_half_of_what_four_workers_give),
		cmocka_unit_test(
			one_thread_writes_results_if_it_gives_a_fifth_of_what_two_writers_give),
		cmocka_unit_test(code_of_python_waits_for_the_thread_that_launches),
		cmocka_unit_test(only_the_work_before_the_step_is_input),
		cmocka_unit_test(only_the_work_behind_the_results_is_output),
		cmocka_unit_test(other_processes_take_over_neither_garbage_nor_a_batching_window),
		cmocka_unit_test(only_results_that_the_host_waits_for_are_in_its_way),
		cmocka_unit_test(a_wait_for_nothing_ends_no_work_of_the_device),
		cmocka_unit_test(an_input_larger_than_the_results_before_it_is_prepared_ahead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
