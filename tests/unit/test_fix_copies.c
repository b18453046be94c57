/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixes of copies between host and device. Each step of 10 ms begins with a copy or several and
 * then runs kernels. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/advice/needs.h"
#include "engine/analysis/advice/replay.h"
#include "tests/unit/advice_run.h"
#include "tests/unit/near.h"

#define STEPS  6
#define COPIES 8 /* as many as have a quarter */
#define MS     INT64_C(1000000)
#define STEP   (10 * MS)
#define DEVICE "NVIDIA H100 80GB HBM3"
#define LINK   47.25 /* GB/s of its pinned copies */

static const char pageable[] = "Memcpy HtoD (Pageable -> Device)";
static const char pinned[] = "Memcpy HtoD (Pinned -> Device)";
static const char results[] = "Memcpy DtoH (Device -> Pageable)";

static void kernel(struct make_trace *make, int64_t call_ns, int64_t start_ns, int64_t end_ns)
{
	make_launch(make, call_ns, call_ns + 5000, start_ns, end_ns);
}

/* ---- pinned-copies ---- */

/* A copy of `bytes` that takes 4 ms, and blocks the host if `blocks`; then a kernel of 4 ms. */
static void init_upload(struct advice_run *run, const char *name, int64_t bytes, bool blocks)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * STEP;

		advice_make_step(make, i, at, at + STEP - 1000);
		advice_make_copy(make, &(struct advice_copy){
					       .name = name,
					       .call_ns = at + 10000,
					       .return_ns = at + (blocks ? 4 * MS + 21000 : 20000),
					       .start_ns = at + 20000,
					       .end_ns = at + 20000 + 4 * MS,
					       .bytes = bytes,
					       .correlation = (uint64_t)i + 1,
				       });
		kernel(make, at + 4 * MS + 100000, at + 4 * MS + 110000, at + 8 * MS + 110000);
		make_call(make, 0, "cudaDeviceSynchronize", at + 5 * MS, at + 8 * MS + 120000, 0);
	}
	trace = make_trace_finish(make);
	advice_run_init(run, &trace, 1, DEVICE);
}

static void pageable_copies_take_the_time_of_the_link(void **state)
{
	struct advice_run run;

	(void)state;
	init_upload(&run, pageable, 47250000, true);
	assert_true(advice_run_apply(&run, weir_fix_pinned_copies));
	assert_near(run.draft.program.jobs[0].ns, 47250000 / LINK, 0.001);
	/* Between 52 and 87 % of the 63 GB/s of its bus. */
	assert_near(run.draft.program.jobs[0].low_ns, 47250000 / 54.81, 1e-6);
	assert_near(run.draft.program.jobs[0].high_ns, 47250000 / 32.76, 1e-6);
	assert_int_equal(run.draft.program.issues[0].until, WEIR_NONE);
	advice_run_release(&run);
}

static void copies_that_the_driver_stages_stay(void **state)
{
	static const struct {
		int64_t bytes;
		bool found;
	} cases[] = {{65536, false}, {65537, true}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct advice_run run;

		init_upload(&run, pageable, cases[i].bytes, true);
		assert_int_equal(advice_run_apply(&run, weir_fix_pinned_copies), cases[i].found);
		advice_run_release(&run);
	}
}

/* Returns the host's work that pinning a copy of 3 ms to the host saves: the step is silent for 5
 * ms behind it. */
static double freed_ns(int64_t bytes)
{
	struct make_trace *make = make_trace_new();
	struct advice_run run;
	struct weir_trace *trace;
	double ns = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * STEP;

		advice_make_step(make, i, at, at + STEP - 1000);
		kernel(make, at + 10000, at + 20000, at + MS);
		advice_make_copy(make, &(struct advice_copy){.name = results,
		                                             .call_ns = at + 30000,
		                                             .return_ns = at + 4 * MS + 30000,
		                                             .start_ns = at + MS,
		                                             .end_ns = at + 4 * MS,
		                                             .bytes = bytes,
		                                             .correlation = (uint64_t)i + 1});
	}
	trace = make_trace_finish(make);
	advice_run_init(&run, &trace, 1, DEVICE);
	assert_true(advice_run_apply(&run, weir_fix_pinned_copies));
	for (size_t i = 0; i < run.draft.program.issue_count; i++)
		ns += run.advisor.program.issues[i].work_ns - run.draft.program.issues[i].work_ns;
	advice_run_release(&run);
	return ns;
}

/* Blocks of more than 32 MiB go back to the system, at 0.06 ns a byte. */
static void a_pinned_buffer_is_kept_where_a_large_block_is_freed(void **state)
{
	(void)state;
	assert_near(freed_ns(67108864), 67108864 * 0.06, 0.001);
	assert_near(freed_ns(33554432), 0, 0);
}

/* A copy to the host whose call returns after `call_ns`, long before the copy is done. */
static double pinned_call_ns(int64_t call_ns)
{
	struct make_trace *make = make_trace_new();
	struct advice_run run;
	struct weir_trace *trace;
	double ns;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * STEP;

		advice_make_step(make, i, at, at + STEP - 1000);
		advice_make_copy(make, &(struct advice_copy){.name = results,
		                                             .call_ns = at + 30000,
		                                             .return_ns = at + 30000 + call_ns,
		                                             .start_ns = at + MS,
		                                             .end_ns = at + 4 * MS,
		                                             .bytes = 30000000,
		                                             .correlation = (uint64_t)i + 1});
	}
	trace = make_trace_finish(make);
	advice_run_init(&run, &trace, 1, DEVICE);
	assert_true(advice_run_apply(&run, weir_fix_pinned_copies));
	ns = run.draft.program.issues[0].call_ns;
	advice_run_release(&run);
	return ns;
}

static void the_call_of_a_pinned_copy_only_enqueues_it(void **state)
{
	(void)state;
	assert_near(pinned_call_ns(500000), 10000, 0);
	assert_near(pinned_call_ns(10001), 10000, 0);
	assert_near(pinned_call_ns(9000), 9000, 0);
}

static void pinned_copies_are_not_pinned_again(void **state)
{
	struct advice_run run;

	(void)state;
	init_upload(&run, pinned, 47250000, true);
	assert_false(advice_run_apply(&run, weir_fix_pinned_copies));
	advice_run_release(&run);
}

static void a_link_of_an_unknown_device_is_not_guessed(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct advice_run run;

	(void)state;
	advice_make_copy(
		make, &(struct advice_copy){pageable, 10000, 5 * MS, 20000, 4 * MS, 47250000, 1});
	kernel(make, 6 * MS, 7 * MS, 8 * MS);
	trace = make_trace_finish(make);
	advice_run_init(&run, &trace, 1, NULL);
	assert_false(advice_run_apply(&run, weir_fix_pinned_copies));
	advice_run_release(&run);
}

/* ---- overlap-copies ---- */

static void copies_hide_behind_the_kernels_of_the_step(void **state)
{
	struct advice_run run;

	(void)state;
	init_upload(&run, pinned, 47250000, false);
	assert_true(advice_run_apply(&run, weir_fix_overlap_copies));
	/* All 4 ms fit behind the kernel, which runs 15 % longer meanwhile. */
	assert_near(run.draft.program.jobs[0].ns, 0.15 * 4 * MS, 0.001);
	assert_near(run.draft.program.jobs[0].low_ns, 0, 0.001);
	assert_near(run.draft.program.jobs[0].high_ns, 2 * MS, 0.001);
	advice_run_release(&run);
}

/* A window without steps, of copies with a kernel behind each. */
static bool alternate(int turns)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct advice_run run;
	bool found;

	for (int i = 0; i < turns; i++) {
		int64_t at = i * STEP;

		advice_make_copy(make,
		                 &(struct advice_copy){pinned, at + 10000, at + 20000, at + 20000,
		                                       at + 4 * MS, 47250000, (uint64_t)i + 1});
		kernel(make, at + 30000, at + 4 * MS, at + 8 * MS);
	}
	trace = make_trace_finish(make);
	advice_run_init(&run, &trace, 1, DEVICE);
	found = advice_run_apply(&run, weir_fix_overlap_copies);
	advice_run_release(&run);
	return found;
}

static void copies_that_alternate_with_kernels_need_no_steps(void **state)
{
	(void)state;
	/* The first copy has no work before it. */
	assert_false(alternate(4));
	assert_true(alternate(5));
}

/* Copies of 4 ms beside a kernel of 3 ms, of which the last `disturbed` take 6 ms. */
static void init_disturbed(struct advice_run *run, int disturbed)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	for (int i = 0; i < COPIES; i++) {
		int64_t at = i * STEP, end = at + 100000 + (i < COPIES - disturbed ? 4 : 6) * MS;

		advice_make_step(make, i, at, at + STEP - 1000);
		advice_make_copy(make,
		                 &(struct advice_copy){pinned, at + 10000, at + 20000, at + 100000,
		                                       end, 47250000, (uint64_t)i + 1});
		kernel(make, at + 50000, end, end + 3 * MS);
	}
	trace = make_trace_finish(make);
	advice_run_init(run, &trace, 1, DEVICE);
}

static void longer_copies_hide_the_slower_kernels(void **state)
{
	struct advice_run run;

	(void)state;
	init_disturbed(&run, 0);
	assert_true(advice_run_apply(&run, weir_fix_overlap_copies));
	/* The copy is the longer of both: 1 ms of it stays, and the kernel runs longer behind it.
	 */
	assert_near(run.draft.program.jobs[0].ns, 1 * MS, 0.001);
	assert_near(run.draft.program.jobs[0].low_ns, 1 * MS, 0.001);
	assert_near(run.draft.program.jobs[0].high_ns, 2.5 * MS, 0.001);
	advice_run_release(&run);
}

static void disturbed_copies_are_taken_as_the_quickest_quarter(void **state)
{
	struct advice_run run;

	(void)state;
	init_disturbed(&run, COPIES - 3);
	assert_true(advice_run_apply(&run, weir_fix_overlap_copies));
	/* 4 of 6 ms are the link's, and 3 of them hide. */
	assert_near(run.draft.program.jobs[0].ns, 1 * MS, 0.001);
	/* All copies are slow but one: 6 ms are the link's. */
	advice_run_release(&run);
	init_disturbed(&run, COPIES - 1);
	assert_true(advice_run_apply(&run, weir_fix_overlap_copies));
	assert_near(run.draft.program.jobs[0].ns, 3 * MS, 0.001);
	advice_run_release(&run);
}

static void only_pinned_copies_can_overlap(void **state)
{
	static const struct {
		const char *name;
		int64_t bytes;
		enum weir_need_state need;
	} cases[] = {
		{pageable, 65537, WEIR_NEED_NOT_MET},
		{pageable, 65536, WEIR_NEED_UNKNOWN}, /* too small to matter */
		{pinned, 65537, WEIR_NEED_MET},
		{"Memcpy HtoD (Host -> Device)", 65537, WEIR_NEED_UNKNOWN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct advice_run run;

		init_upload(&run, cases[i].name, cases[i].bytes, true);
		assert_int_equal(weir_need_check(&run.advisor, "pinned-memory"), cases[i].need);
		advice_run_release(&run);
	}
}

/* Turns of a pinned upload and a kernel of 2 ms each, then a result that is copied to pageable
 * memory in 1 ms. Returns the time of the upload and of the result after the fix, in `after`. */
static enum weir_need_state mixed(int64_t result_bytes, double after[2])
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct advice_run run;
	enum weir_need_state need;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * STEP;

		advice_make_step(make, i, at, at + STEP - 1000);
		advice_make_copy(make, &(struct advice_copy){pinned, at + 10000, at + 20000,
		                                             at + 30000, at + 2 * MS + 30000,
		                                             1000000, 2 * (uint64_t)i + 1});
		kernel(make, at + 30000, at + 2 * MS + 30000, at + 4 * MS + 30000);
		advice_make_copy(make,
		                 &(struct advice_copy){results, at + 40000, at + 5 * MS + 40000,
		                                       at + 4 * MS + 30000, at + 5 * MS + 30000,
		                                       result_bytes, 2 * (uint64_t)i + 2});
	}
	trace = make_trace_finish(make);
	advice_run_init(&run, &trace, 1, DEVICE);
	need = weir_need_check(&run.advisor, "pinned-memory");
	assert_true(advice_run_apply(&run, weir_fix_overlap_copies));
	after[0] = run.draft.program.jobs[0].ns;
	after[1] = run.draft.program.jobs[2].ns;
	advice_run_release(&run);
	return need;
}

static void a_smaller_pageable_result_does_not_hinder_pinned_inputs(void **state)
{
	double after[2];

	(void)state;
	assert_int_equal(mixed(999999, after), WEIR_NEED_MET);
	assert_true(after[0] < 0.5 * MS);
	assert_near(after[1], 1 * MS, 0.001);
	assert_int_equal(mixed(1000000, after), WEIR_NEED_NOT_MET);
	assert_true(after[1] < 0.9 * MS);
}

/* A copy of 4 ms on a second stream beside a kernel of 5 ms that began before it. */
static void hidden_copies_are_not_hidden_again(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct advice_run run;

	(void)state;
	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * STEP;

		advice_make_step(make, i, at, at + STEP - 1000);
		advice_make_copy(make, &(struct advice_copy){pinned, at + 10000, at + 20000,
		                                             at + 100000, at + 4 * MS + 100000,
		                                             47250000, (uint64_t)i + 1});
		kernel(make, at + 50000, at + 60000, at + 5 * MS);
	}
	trace = make_trace_finish(make);
	advice_run_init(&run, &trace, 1, DEVICE);
	assert_false(advice_run_apply(&run, weir_fix_overlap_copies));
	advice_run_release(&run);
}

/* ---- pack-copies ---- */

/* `count` copies of `bytes`, 30 us apart, and a kernel behind them; or one kernel behind each
 * fourth. */
static void init_many(struct advice_run *run, const char *name, int count, int64_t bytes,
                      int kernels_between)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	uint64_t correlation = 1;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * STEP;

		advice_make_step(make, i, at, at + STEP - 1000);
		for (int c = 0; c < count; c++) {
			at += 30000;
			advice_make_copy(make,
			                 &(struct advice_copy){name, at, at + 4000, at + 5000,
			                                       at + 6000, bytes, correlation++});
			make_call(make, 0, "cudaStreamSynchronize", at + 4500, at + 9000, 0);
			for (int k = 0; k < kernels_between; k++, at += 20000)
				kernel(make, at + 12000, at + 18000, at + 19000);
		}
		kernel(make, at + 20000, at + 30000, at + 60000);
	}
	trace = make_trace_finish(make);
	advice_run_init(run, &trace, 1, DEVICE);
}

static void many_small_copies_become_one(void **state)
{
	static const struct {
		int count;
		int64_t bytes;
		bool found;
	} cases[] = {{8, 4096, true}, {7, 4096, false}, {8, 65536, true}, {8, 65537, false}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct advice_run run;

		init_many(&run, pageable, cases[i].count, cases[i].bytes, 0);
		assert_int_equal(advice_run_apply(&run, weir_fix_pack_copies), cases[i].found);
		if (cases[i].found) {
			assert_near(run.draft.program.jobs[0].ns,
			            1000 + 8 * (double)cases[i].bytes / LINK, 0.001);
			assert_near(run.draft.program.jobs[0].low_ns,
			            8 * (double)cases[i].bytes / 54.81, 0.001);
			assert_near(run.draft.program.jobs[0].high_ns,
			            1000 + 8 * (double)cases[i].bytes / (0.5 * 32.76), 0.001);
			for (uint32_t j = 1; j < 8; j++)
				assert_near(run.draft.program.jobs[j].ns, 0, 0.001);
		}
		advice_run_release(&run);
	}
}

static void a_packed_copy_has_one_dispatch_and_no_wait(void **state)
{
	struct advice_run run;
	double host_ns = 0, joined_ns;
	uint32_t first;

	(void)state;
	init_many(&run, pageable, 100, 4096, 0);
	assert_true(advice_run_apply(&run, weir_fix_pack_copies));
	/* The host moves 410 kB to one buffer at 8 GB/s. */
	joined_ns = (run.advisor.operator_ns + 51200) / run.advisor.speed.dispatch;
	assert_non_null(strstr(run.draft.basis.data, "410 kB in 1 instead of 100 copies, "));
	for (size_t i = 0; i < run.draft.program.issue_count; i++) {
		const struct weir_issue *issue = &run.draft.program.issues[i];

		assert_int_equal(issue->until, WEIR_NONE);
		host_ns += issue->kind == WEIR_ISSUE_INPUT ? 0 : issue->dispatch_ns;
	}
	/* of one copy and one kernel, not of a hundred copies */
	assert_true(host_ns < joined_ns + 20000);
	/* The operator that joins the tensors is dispatched before the copy. */
	first = run.draft.program.jobs[0].issue;
	assert_near(run.draft.program.issues[first].dispatch_ns -
	                    run.advisor.program.issues[first].dispatch_ns,
	            joined_ns, 0.001);
	advice_run_release(&run);
}

/* Results are joined on the device: the host moves nothing. */
static void results_are_joined_on_the_device(void **state)
{
	struct advice_run run;
	uint32_t first;

	(void)state;
	init_many(&run, "Memcpy DtoH (Device -> Pageable)", 100, 4096, 0);
	assert_true(advice_run_apply(&run, weir_fix_pack_copies));
	first = run.draft.program.jobs[0].issue;
	assert_near(run.draft.program.issues[first].dispatch_ns -
	                    run.advisor.program.issues[first].dispatch_ns,
	            run.advisor.operator_ns / run.advisor.speed.dispatch, 0.001);
	advice_run_release(&run);
}

/* Returns the unprofiled time of an added operator in a run of `count` operators a step, each
 * `apart` ns behind the one before. */
static double operator_ns(int count, int64_t apart)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct advice_run run;
	int64_t at = 0;
	double ns;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at;

		for (int c = 0; c < count; c++, at += apart) {
			make_host(make, WEIR_HOST_OP, 0, "aten::mul", at + 100, at + apart - 100);
			make_launch(make, at + apart - 2000, at + apart - 1000, at + apart,
			            at + apart + 1000);
		}
		advice_make_step(make, i, start, at);
	}
	trace = make_trace_finish(make);
	advice_run_init(&run, &trace, 1, DEVICE);
	ns = run.advisor.operator_ns;
	advice_run_release(&run);
	return ns;
}

static void an_added_operator_is_as_slow_as_those_of_the_run(void **state)
{
	(void)state;
	/* The time without the profiler, between the limits. */
	assert_near(operator_ns(16, 40000), 40000 / WEIR_PROFILER_FACTOR, 0.01);
	assert_near(operator_ns(15, 40000), WEIR_DISPATCH_NS, 0.01);
	assert_near(operator_ns(16, 10000), WEIR_DISPATCH_NS, 0.01);
	assert_near(operator_ns(16, 61000), WEIR_SLOWEST_DISPATCH_NS, 0.01);
}

static void copies_of_different_stages_stay_apart(void **state)
{
	static const struct {
		int kernels;
		bool found;
	} cases[] = {{16, true}, {17, false}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct advice_run run;

		init_many(&run, pageable, 10, 4096, cases[i].kernels);
		assert_int_equal(advice_run_apply(&run, weir_fix_pack_copies), cases[i].found);
		advice_run_release(&run);
	}
}

static void results_that_are_not_computed_yet_are_not_packed(void **state)
{
	static const struct {
		int kernels;
		bool found;
	} cases[] = {{0, true}, {1, false}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct advice_run run;

		init_many(&run, results, 10, 4096, cases[i].kernels);
		assert_int_equal(advice_run_apply(&run, weir_fix_pack_copies), cases[i].found);
		advice_run_release(&run);
	}
}

/* ---- copy-less ---- */

/* Logits of 64 rows go to the host in 4 ms, where an operator reduces them in 2 ms. */
static void init_logits(struct advice_run *run, const char *operator, const char * dims)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * STEP;

		advice_make_step(make, i, at, at + STEP - 1000);
		kernel(make, at + 10000, at + 20000, at + 1 * MS);
		advice_make_copy(make, &(struct advice_copy){results, at + 30000, at + 5 * MS,
		                                             at + 1 * MS, at + 5 * MS,
		                                             (int64_t)INT64_C(64) * 8000 * 4,
		                                             (uint64_t)i + 1});
		make_host(make, WEIR_HOST_OP, 0, operator, at + 5 * MS + 10000,
		          at + 7 * MS + 10000);
	}
	trace = make_trace_finish(make);
	advice_give_shape(trace, "aten::copy_", "[[64, 8000], [64, 8000], []]",
	                  "[\"float\", \"float\", \"Scalar\"]");
	advice_give_shape(trace, operator, dims, "[\"float\", \"Scalar\", \"Scalar\"]");
	advice_run_init(run, &trace, 1, DEVICE);
}

static void only_the_result_of_a_reduction_is_copied(void **state)
{
	struct advice_run run;
	double before_ns;

	(void)state;
	init_logits(&run, "aten::argmax", "[[64, 8000], [], []]");
	before_ns = advice_run_step_ns(&run);
	assert_true(advice_run_apply(&run, weir_fix_copy_less));
	assert_near(run.draft.program.jobs[1].ns, 2000 + WEIR_SHORTEST_KERNEL_NS, 0.001);
	assert_near(run.draft.program.jobs[1].high_ns, 2 * run.draft.program.jobs[1].ns, 1e-9);
	assert_false(run.draft.copies_stay);
	/* The copy and the host's operator are gone. */
	assert_true(before_ns - advice_run_step_ns(&run) > 5.9 * MS);
	advice_run_release(&run);
}

static void whole_tensors_that_are_used_whole_are_copied(void **state)
{
	static const struct {
		const char *op, *dims;
	} cases[] = {
		{"aten::mul", "[[64, 8000], [], []]"},    /* reduces nothing */
		{"aten::argmax", "[[64, 4000], [], []]"}, /* reduces another tensor */
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct advice_run run;

		init_logits(&run, cases[i].op, cases[i].dims);
		assert_false(advice_run_apply(&run, weir_fix_copy_less));
		advice_run_release(&run);
	}
}

/* A tensor of 64 rows goes to the host in 4 ms, where one operator reads it. */
static bool init_picked(struct advice_run *run, int columns, const char *operator,
                        const char * scalars)
{
	static const char types[] = "[\"float\", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]";
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	char dims[64];

	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * STEP;

		advice_make_step(make, i, at, at + STEP - 1000);
		kernel(make, at + 10000, at + 20000, at + 1 * MS);
		advice_make_copy(make,
		                 &(struct advice_copy){results, at + 30000, at + 5 * MS,
		                                       at + 1 * MS, at + 5 * MS,
		                                       INT64_C(64) * columns * 4, (uint64_t)i + 1});
		make_host(make, WEIR_HOST_OP, 0, operator, at + 5 * MS + 10000,
		          at + 5 * MS + 15000);
	}
	trace = make_trace_finish(make);
	snprintf(dims, sizeof dims, "[[64, %d], [64, %d], []]", columns, columns);
	advice_give_shape(trace, "aten::copy_", dims, "[\"float\", \"float\", \"Scalar\"]");
	snprintf(dims, sizeof dims, "[[64, %d], [], [], [], []]", columns);
	advice_give_shape(trace, operator, dims, types);
	trace->shapes[trace->shape_count - 1].scalars =
		weir_names_add(trace->names, scalars, strlen(scalars));
	advice_run_init(run, &trace, 1, DEVICE);
	return advice_run_apply(run, weir_fix_copy_less);
}

static void elements_that_the_host_picks_are_picked_on_the_device(void **state)
{
	static const struct {
		const char *op, *scalars;
		double part; /* of 4 ms; 0: staged by the driver; NAN: not found */
	} cases[] = {
		{"aten::select", "[\"\", \"1\", \"0\"]", 0},
		{"aten::slice", "[\"\", \"0\", \"-16\", \"9223372036854775807\", \"1\"]", 0.25},
		{"aten::slice", "[\"\", \"0\", \"-17\", \"9223372036854775807\", \"1\"]", NAN},
		{"aten::slice", "[\"\", \"0\", \"0\", \"64\", \"4\"]", 0.25},
		{"aten::slice", "[\"\", \"0\", \"0\", \"64\", \"3\"]", NAN},
		{"aten::view", "[\"\", \"[512000]\"]", NAN},
		{"aten::add", "[\"\", \"1\"]", NAN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct advice_run run;

		assert_int_equal(init_picked(&run, 8000, cases[i].op, cases[i].scalars),
		                 !isnan(cases[i].part));
		if (!isnan(cases[i].part)) {
			const struct weir_job *job = &run.draft.program.jobs[1];

			assert_near(job->ns, 4000 + cases[i].part * 4 * MS, 0.001);
			assert_near(job->low_ns, job->ns, 1e-9);
			assert_near(job->high_ns, 2 * job->ns, 1e-9);
		}
		advice_run_release(&run);
	}
}

/* The host's work behind the copy, 4.9 ms without events, is that on the part, and stays. */
static void a_part_that_the_host_picks_from_logits_leaves_its_work(void **state)
{
	static const struct {
		const char *scalars;
		double part;     /* of 4 ms */
		double saved_ns; /* at least */
		double most_ns;
	} cases[] = {
		{"[\"\", \"0\", \"0\", \"16\", \"1\"]", 0.25, 2.9 * MS, 3.1 * MS},
		/* more than a quarter: a sampler needs one token a row */
		{"[\"\", \"0\", \"0\", \"17\", \"1\"]", NAN, 3.9 * MS, 9 * MS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct advice_run run;
		double saved_ns;

		assert_true(init_picked(&run, 16384, "aten::slice", cases[i].scalars));
		if (!isnan(cases[i].part))
			assert_near(run.draft.program.jobs[1].ns, 4000 + cases[i].part * 4 * MS,
			            0.001);
		saved_ns = weir_replay(&run.advisor.program, (struct weir_host_speed){1, 1, 1},
		                       WEIR_REPLAY_TYPICAL) -
		           advice_run_step_ns(&run);
		assert_true(saved_ns > cases[i].saved_ns && saved_ns < cases[i].most_ns);
		advice_run_release(&run);
	}
}

/* Logits of 16 rows go to the host in 4 ms, where nothing is recorded for `silent_ns`. */
static void init_silent(struct advice_run *run, int64_t vocabulary, int64_t silent_ns)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	char dims[64];

	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * STEP;

		advice_make_step(make, i, at, at + 6 * MS + silent_ns);
		kernel(make, at + 10000, at + 20000, at + 1 * MS);
		advice_make_copy(make, &(struct advice_copy){results, at + 30000, at + 5 * MS,
		                                             at + 1 * MS, at + 5 * MS,
		                                             16 * vocabulary * 4, (uint64_t)i + 1});
		kernel(make, at + 5 * MS + 6000 + silent_ns, at + 5 * MS + 20000 + silent_ns,
		       at + 5 * MS + 40000 + silent_ns);
	}
	trace = make_trace_finish(make);
	snprintf(dims, sizeof dims, "[[16, %d], [16, %d], []]", (int)vocabulary, (int)vocabulary);
	advice_give_shape(trace, "aten::copy_", dims, "[\"float\", \"float\", \"Scalar\"]");
	advice_run_init(run, &trace, 1, DEVICE);
}

static void logits_need_no_recorded_operator(void **state)
{
	static const struct {
		int64_t vocabulary, silent_ns;
		double saved_ns; /* 0: not found */
	} cases[] = {
		{16384, 1 * MS, 5 * MS},
		{16383, 1 * MS, 0},      /* no vocabulary */
		{16384, 100000, 4 * MS}, /* no work, but still a copy of all logits */
		{16384, WEIR_HOST_WORK_NS - 6000, 4 * MS + 200000}, /* the call comes 6 us later */
		{16384, WEIR_HOST_WORK_NS - 6001, 4 * MS},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct advice_run run;
		double before_ns;
		bool found;

		init_silent(&run, cases[i].vocabulary, cases[i].silent_ns);
		before_ns = advice_run_step_ns(&run);
		found = advice_run_apply(&run, weir_fix_copy_less);
		assert_int_equal(found, cases[i].saved_ns > 0);
		if (found)
			assert_near(before_ns - advice_run_step_ns(&run), cases[i].saved_ns, 0.02);
		advice_run_release(&run);
	}
}

/* The host cuts `rows` of 64 from the logits and works on that many for 2 ms; then nothing is
 * recorded to the end of the step. Returns the time that copy-less saves; 0: not found. */
static double saved_on_cut(const char *operator, int rows, int worked)
{
	static const char types[] = "[\"float\", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]";
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct advice_run run;
	double saved_ns = 0;
	char text[64];

	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * STEP;

		advice_make_step(make, i, at, at + STEP - 1000);
		kernel(make, at + 10000, at + 20000, at + 1 * MS);
		advice_make_copy(make, &(struct advice_copy){results, at + 30000, at + 5 * MS,
		                                             at + 1 * MS, at + 5 * MS,
		                                             (int64_t)INT64_C(64) * 8000 * 4,
		                                             (uint64_t)i + 1});
		make_host(make, WEIR_HOST_OP, 0, "aten::slice", at + 5 * MS + 10000,
		          at + 5 * MS + 15000);
		make_host(make, WEIR_HOST_OP, 0, operator, at + 5 * MS + 20000,
		          at + 7 * MS + 20000);
	}
	trace = make_trace_finish(make);
	advice_give_shape(trace, "aten::copy_", "[[64, 8000], [64, 8000], []]",
	                  "[\"float\", \"float\", \"Scalar\"]");
	advice_give_shape(trace, "aten::slice", "[[64, 8000], [], [], [], []]", types);
	snprintf(text, sizeof text, "[\"\", \"0\", \"0\", \"%d\", \"1\"]", rows);
	trace->shapes[trace->shape_count - 1].scalars =
		weir_names_add(trace->names, text, strlen(text));
	snprintf(text, sizeof text, "[[%d, 8000], [], []]", worked);
	advice_give_shape(trace, operator, text, "[\"float\", \"Scalar\", \"Scalar\"]");
	advice_run_init(&run, &trace, 1, DEVICE);
	saved_ns = advice_run_step_ns(&run);
	saved_ns = advice_run_apply(&run, weir_fix_copy_less) ? saved_ns - advice_run_step_ns(&run)
	                                                      : 0;
	advice_run_release(&run);
	return saved_ns;
}

/* 2.048 MB are freed in 0.123 ms. */
static void work_on_a_large_part_goes_with_the_copy(void **state)
{
	double kept_ns = saved_on_cut("aten::argmax", 17, 17);

	(void)state;
	assert_near(kept_ns, 6.1 * MS, 0.01);
	/* An operator on rows that nothing cuts is one on another tensor. */
	assert_near(saved_on_cut("aten::argmax", 17, 18), 0, 0);
	/* The host goes on to work on a quarter. */
	assert_near(saved_on_cut("aten::argmax", 16, 16), 3 * MS, 0.01);
	/* A result of the same size is freed no more. */
	assert_near(saved_on_cut("aten::log_softmax", 17, 17) - kept_ns, 122880, 0.01);
}

/* A window ends with the launch of a copy, and the operator on its result follows. */
static void the_last_copy_of_a_window_has_its_work_behind_it(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct advice_run run;

	(void)state;
	kernel(make, 10000, 20000, 1 * MS);
	advice_make_copy(make, &(struct advice_copy){results, 30000, 5 * MS, 1 * MS, 5 * MS,
	                                             (int64_t)INT64_C(64) * 8000 * 4, 1});
	make_host(make, WEIR_HOST_OP, 0, "aten::argmax", 5 * MS + 10000, 7 * MS);
	trace = make_trace_finish(make);
	advice_give_shape(trace, "aten::copy_", "[[64, 8000], [64, 8000], []]",
	                  "[\"float\", \"float\", \"Scalar\"]");
	advice_give_shape(trace, "aten::argmax", "[[64, 8000], [], []]",
	                  "[\"float\", \"Scalar\", \"Scalar\"]");
	advice_run_init(&run, &trace, 1, DEVICE);
	assert_int_equal(run.advisor.program.step, WEIR_NONE);
	assert_true(run.advisor.program.host_end_ns < 5 * MS + 10000);
	assert_true(advice_run_apply(&run, weir_fix_copy_less));
	assert_near(run.draft.program.jobs[1].ns, 2000 + WEIR_SHORTEST_KERNEL_NS, 0.001);
	advice_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pageable_copies_take_the_time_of_the_link),
		cmocka_unit_test(copies_that_the_driver_stages_stay),
		cmocka_unit_test(a_pinned_buffer_is_kept_where_a_large_block_is_freed),
		cmocka_unit_test(the_call_of_a_pinned_copy_only_enqueues_it),
		cmocka_unit_test(pinned_copies_are_not_pinned_again),
		cmocka_unit_test(a_link_of_an_unknown_device_is_not_guessed),
		cmocka_unit_test(copies_hide_behind_the_kernels_of_the_step),
		cmocka_unit_test(copies_that_alternate_with_kernels_need_no_steps),
		cmocka_unit_test(longer_copies_hide_the_slower_kernels),
		cmocka_unit_test(disturbed_copies_are_taken_as_the_quickest_quarter),
		cmocka_unit_test(only_pinned_copies_can_overlap),
		cmocka_unit_test(a_smaller_pageable_result_does_not_hinder_pinned_inputs),
		cmocka_unit_test(hidden_copies_are_not_hidden_again),
		cmocka_unit_test(many_small_copies_become_one),
		cmocka_unit_test(a_packed_copy_has_one_dispatch_and_no_wait),
		cmocka_unit_test(results_are_joined_on_the_device),
		cmocka_unit_test(an_added_operator_is_as_slow_as_those_of_the_run),
		cmocka_unit_test(copies_of_different_stages_stay_apart),
		cmocka_unit_test(results_that_are_not_computed_yet_are_not_packed),
		cmocka_unit_test(only_the_result_of_a_reduction_is_copied),
		cmocka_unit_test(elements_that_the_host_picks_are_picked_on_the_device),
		cmocka_unit_test(logits_need_no_recorded_operator),
		cmocka_unit_test(a_part_that_the_host_picks_from_logits_leaves_its_work),
		cmocka_unit_test(whole_tensors_that_are_used_whole_are_copied),
		cmocka_unit_test(work_on_a_large_part_goes_with_the_copy),
		cmocka_unit_test(the_last_copy_of_a_window_has_its_work_behind_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
