/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixes of cold steps, allocation in the step and pauses for garbage collection. A step of 10 ms
 * has 20 launches of kernels and ends with them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/advice/pauses.h"
#include "tests/unit/advice_run.h"
#include "tests/unit/near.h"

#define STEPS    8
#define LAUNCHES 20
#define MS       INT64_C(1000000)
#define US       INT64_C(1000)
#define STEP     (100 * MS)
#define DEVICE   "NVIDIA H100 80GB HBM3"

/* Adds the launches of a step from at_ns on, 20 us apart; returns the end of the last kernel. */
static int64_t add_launches(struct make_trace *make, int64_t at_ns)
{
	for (int k = 0; k < LAUNCHES; k++, at_ns += 20 * US) {
		make_host(make, WEIR_HOST_OP, 0, "aten::mm", at_ns, at_ns + 15 * US);
		make_launch(make, at_ns + 5 * US, at_ns + 10 * US, at_ns + 12 * US,
		            at_ns + 18 * US);
	}
	return at_ns;
}

static void init(struct advice_run *run, struct make_trace *make)
{
	struct weir_trace *trace = make_trace_finish(make);

	advice_run_init(run, &trace, 1, DEVICE);
}

/* ---- warm-up, warm-shapes ---- */

/* Every step whose bit is set in `cold` compiles for 50 ms before its second half. */
static void init_cold(struct advice_run *run, unsigned cold)
{
	struct make_trace *make = make_trace_new();
	int64_t at = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at;

		at = add_launches(make, at + 10 * US);
		if (cold >> i & 1) {
			make_host(make, WEIR_HOST_PYTHON, 0,
			          "triton/compiler/compiler.py(226): compile", at + 10 * US,
			          at + 50 * MS);
			at += 50 * MS + 10 * US;
		}
		at = add_launches(make, at);
		advice_make_step(make, i, start, at);
	}
	init(run, make);
}

static void compilation_in_most_steps_is_due_to_their_shapes(void **state)
{
	struct advice_run run;
	double before_ns;

	(void)state;
	init_cold(&run, 0xff);
	before_ns = advice_run_step_ns(&run);
	assert_false(advice_run_apply(&run, weir_fix_warm_up));
	assert_true(advice_run_apply(&run, weir_fix_warm_shapes));
	assert_near(before_ns - advice_run_step_ns(&run), 50 * MS, 0.02);
	advice_run_release(&run);
}

static void warm_steps_are_promised_nothing(void **state)
{
	struct advice_run run;

	(void)state;
	init_cold(&run, 0);
	assert_false(advice_run_apply(&run, weir_fix_warm_up));
	assert_false(advice_run_apply(&run, weir_fix_warm_shapes));
	assert_false(advice_run_apply(&run, weir_fix_keep_the_cache));
	assert_false(advice_run_apply(&run, weir_fix_collect_garbage_later));
	advice_run_release(&run);
}

/* A run without steps whose first launch loads code for 40 ms. */
static void a_first_launch_in_the_window_is_warmed_up(void **state)
{
	struct make_trace *make = make_trace_new();
	struct advice_run run;
	int64_t at;

	(void)state;
	at = add_launches(make, 0);
	make_call(make, 0, "cudaLaunchKernel", at, at + 40 * MS, 1);
	make_kernel(make, 0, "cold", at + 40 * MS, at + 41 * MS, 1);
	add_launches(make, at + 42 * MS);
	init(&run, make);
	assert_true(advice_run_apply(&run, weir_fix_warm_up));
	assert_near(run.draft.program.issues[LAUNCHES].call_ns, 0, 0.001);
	advice_run_release(&run);
}

/* Each step has an operator with a new shape, which takes `ns`, and one that takes `usual_ns`: with
 * the same shape in all steps, or with the new shape once more if `again`. */
static void init_shapes(struct advice_run *run, int steps, int64_t ns, int64_t usual_ns, bool again)
{
	static const char *const names[] = {"aten::linear"};
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	int64_t at = 0;

	for (int i = 0; i < steps; i++) {
		int64_t start = at;

		at = add_launches(make, at + 10 * US);
		make_host(make, WEIR_HOST_OP, 0, names[0], at, at + ns);
		make_launch(make, at + ns - 50 * US, at + ns - 45 * US, at + ns - 40 * US,
		            at + ns - 35 * US);
		at += ns + 10 * US;
		make_host(make, WEIR_HOST_OP, 0, names[0], at, at + usual_ns);
		make_launch(make, at + 5 * US, at + 10 * US, at + 12 * US, at + 20 * US);
		at = add_launches(make, at + usual_ns + 10 * US);
		advice_make_step(make, i, start, at);
	}
	trace = make_trace_finish(make);
	advice_give_shape(trace, names[0], "[[64, 64]]", "[\"float\"]");
	for (size_t row = 0, n = 0; row < trace->host.count; row++) {
		char dims[32];
		int64_t row_ns = trace->host.end_ns[row] - trace->host.start_ns[row];

		if (trace->host.shape[row] == 0 || (row_ns != ns && !again))
			continue;
		if (row_ns == ns) {
			snprintf(dims, sizeof dims, "[[%zu, 64]]", 65 + n++);
			advice_give_shape(trace, "", dims, "[\"float\"]");
		}
		trace->host.shape[row] = (uint32_t)trace->shape_count - 1;
	}
	advice_run_init(run, &trace, 1, DEVICE);
}

static void operators_with_new_shapes_become_as_fast_as_the_others(void **state)
{
	static const struct {
		int64_t ns, usual_ns;
		bool again, found;
	} cases[] = {
		{1 * MS, 100 * US, false, true},
		{1 * MS - 1, 90 * US, false, false},
		{1 * MS, 101 * US, false, false},
		{1 * MS, 100 * US, true, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct advice_run run;
		double before_ns;

		init_shapes(&run, STEPS, cases[i].ns, cases[i].usual_ns, cases[i].again);
		before_ns = advice_run_step_ns(&run);
		assert_int_equal(advice_run_apply(&run, weir_fix_warm_shapes), cases[i].found);
		if (cases[i].found)
			assert_near(before_ns - advice_run_step_ns(&run),
			            (double)(cases[i].ns - cases[i].usual_ns), 0.02);
		advice_run_release(&run);
	}
}

static void three_steps_with_new_shapes_are_enough(void **state)
{
	(void)state;
	for (int steps = 2; steps <= 3; steps++) {
		struct advice_run run;

		init_shapes(&run, steps, 1 * MS, 100 * US, false);
		assert_int_equal(advice_run_apply(&run, weir_fix_warm_shapes), steps == 3);
		advice_run_release(&run);
	}
}

/* A Fourier transform of 64 rows with another length in each step, which plans for 2 ms. */
struct transform {
	const char *kernel;
	int64_t us;
	bool copies; /* the plan, in a call that is not recorded */
};

static void add_transform(struct make_trace *make, const struct transform *transform, int64_t at_ns,
                          uint64_t correlation)
{
	int64_t own_ns = at_ns + 2 * MS;

	if (transform->copies)
		make_device(make, &(struct make_device_row){
					  .kind = WEIR_DEVICE_COPY,
					  .name = "Memcpy HtoD (Pageable -> Device)",
					  .start_ns = own_ns - 50 * US,
					  .end_ns = own_ns - 45 * US,
					  .bytes = 64,
				  });
	make_host(make, WEIR_HOST_OP, 0, "aten::_fft_c2r", at_ns, own_ns + 20 * US);
	make_call(make, 0, "cuLaunchKernel", own_ns, own_ns + 5 * US, correlation);
	make_device(make, &(struct make_device_row){.name = transform->kernel,
	                                            .start_ns = own_ns + 8 * US,
	                                            .end_ns = own_ns + (8 + transform->us) * US,
	                                            .bytes = -1,
	                                            .correlation = correlation});
}

/* Returns the time of the step's device work with warm shapes, and of the gaps before it. */
static double transformed_ns(const struct transform *transform)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct advice_run run;
	size_t shapes = 0;
	int64_t at = 0;
	double device_ns = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at;

		at = add_launches(make, at + 10 * US);
		add_transform(make, transform, at, (uint64_t)i + 1);
		at = add_launches(make, at + 2 * MS + (30 + transform->us) * US);
		advice_make_step(make, i, start, at);
	}
	trace = make_trace_finish(make);
	for (size_t row = 0; row < trace->host.count; row++) {
		char dims[32];

		if (trace->host.end_ns[row] - trace->host.start_ns[row] != 2 * MS + 20 * US)
			continue;
		snprintf(dims, sizeof dims, "[[64, %zu]]", 65001 + shapes++);
		advice_give_shape(trace, "", dims, "[\"c10::complex<float>\"]");
		trace->host.shape[row] = (uint32_t)trace->shape_count - 1;
	}
	advice_run_init(&run, &trace, 1, DEVICE);
	assert_true(advice_run_apply(&run, weir_fix_warm_shapes));
	for (size_t j = 0; j < run.draft.program.job_count; j++)
		device_ns += run.draft.program.jobs[j].ns + run.draft.program.jobs[j].gap_ns;
	advice_run_release(&run);
	return device_ns;
}

/* 64 rows of 65,000 complex values, 33 MB, which two passes read and write at 2.7 to 3 TB/s. */
static void transforms_are_padded_to_lengths_of_small_factors(void **state)
{
	static const char *const bluestein = "void multi_bluestein_fft<125u, EPT<5u>, 32u>";
	double short_ns = transformed_ns(&(struct transform){bluestein, 10, false});

	(void)state;
	assert_near(transformed_ns(&(struct transform){bluestein, 1000, false}) - short_ns, 37 * US,
	            0.15);
	assert_near(transformed_ns(&(struct transform){"void regular_fft<512u>", 1000, false}) -
	                    short_ns,
	            990 * US, 0.01);
}

/* The device waits for the copy while the host plans: that time goes with the plan. */
static void a_copy_of_a_plan_leaves_no_gap(void **state)
{
	struct transform transform = {"void regular_fft<512u>", 100, false};
	double without_ns = transformed_ns(&transform);

	(void)state;
	transform.copies = true;
	assert_near(transformed_ns(&transform), without_ns, 0.01);
}

/* An operator with another shape in each step, which starts a kernel after `silent_us` without a
 * call, twice, launches its own kernel, and then waits or not. */
static bool plans(const char *name, int64_t silent_us, bool waits, double *saved_ns)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct advice_run run;
	size_t shapes = 0;
	int64_t at = 0;
	bool found;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at, from = add_launches(make, at + 10 * US);

		at = from + silent_us * US;
		make_launch(make, at, at + 5 * US, at + 8 * US, at + 28 * US);
		at += (silent_us + 5) * US;
		make_launch(make, at, at + 5 * US, at + 8 * US, at + 11 * US);
		if (waits)
			make_call(make, 0, "cudaStreamSynchronize", at + 6 * US, at + 12 * US, 0);
		make_host(make, WEIR_HOST_OP, 0, name, from, at + 15 * US);
		at = add_launches(make, at + 20 * US);
		advice_make_step(make, i, start, at);
	}
	trace = make_trace_finish(make);
	for (size_t row = 0; row < trace->host.count; row++) {
		char dims[32];

		if (trace->host.end_ns[row] - trace->host.start_ns[row] !=
		            (2 * silent_us + 20) * US ||
		    trace->host.kind[row] != WEIR_HOST_OP)
			continue;
		snprintf(dims, sizeof dims, "[[%zu, 64]]", 65 + shapes++);
		advice_give_shape(trace, "", dims, "[\"float\"]");
		trace->host.shape[row] = (uint32_t)trace->shape_count - 1;
	}
	advice_run_init(&run, &trace, 1, DEVICE);
	*saved_ns = advice_run_step_ns(&run);
	found = advice_run_apply(&run, weir_fix_warm_shapes);
	*saved_ns -= found ? advice_run_step_ns(&run) : *saved_ns;
	advice_run_release(&run);
	return found;
}

static void an_operator_that_is_silent_before_its_launches_plans(void **state)
{
	double saved_ns;

	(void)state;
	assert_true(plans("aten::_fft_r2c", 500, false, &saved_ns));
	assert_near(saved_ns, 1000 * US, 0.02);
	assert_false(plans("aten::_fft_r2c", 499, false, &saved_ns));
	assert_false(plans("aten::linalg_svd", 500, true, &saved_ns));
	assert_false(plans("mine::search", 500, false, &saved_ns));
}

/* Each step waits for the device, captures an operator, and instantiates and launches the graph:
 * 1 ms of preparation, which a later call is no part of. The operator has the same shape in all
 * steps, or another one in each. */
static void init_captured(struct advice_run *run, bool same)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	size_t captured = 0;
	int64_t at = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at;
		uint64_t correlation = 100000 + (uint64_t)i;

		at = add_launches(make, at + 10 * US);
		make_call(make, 0, "cudaDeviceSynchronize", at, at + 20 * US, 0);
		make_call(make, 0, "cudaStreamBeginCapture", at + 50 * US, at + 52 * US, 0);
		make_host(make, WEIR_HOST_OP, 0, "aten::linear", at + 60 * US, at + 160 * US);
		make_call(make, 0, "cudaStreamEndCapture", at + 170 * US, at + 172 * US, 0);
		make_call(make, 0, "cudaGraphInstantiate", at + 180 * US, at + 1000 * US, 0);
		make_call(make, 0, "cudaMemGetInfo", at + 1002 * US, at + 1008 * US, 0);
		at += 1010 * US;
		make_call(make, 0, "cudaGraphLaunch", at, at + 10 * US, correlation);
		make_kernel(make, 0, "gemm", at + 12 * US, at + 15 * US, correlation);
		at = add_launches(make, at + 20 * US);
		advice_make_step(make, i, start, at);
	}
	trace = make_trace_finish(make);
	advice_give_shape(trace, "aten::linear", "[[64, 64]]", "[\"float\"]");
	for (size_t row = 0; row < trace->host.count && !same; row++) {
		char dims[32];

		if (trace->host.shape[row] == 0)
			continue;
		snprintf(dims, sizeof dims, "[[%zu, 64]]", 65 + captured++);
		advice_give_shape(trace, "", dims, "[\"float\"]");
		trace->host.shape[row] = (uint32_t)trace->shape_count - 1;
	}
	advice_run_init(run, &trace, 1, DEVICE);
}

static void a_graph_that_is_captured_in_each_step_is_only_replayed(void **state)
{
	(void)state;
	for (int same = 0; same < 2; same++) {
		weir_fix_apply *right = same ? weir_fix_warm_up : weir_fix_warm_shapes;
		struct advice_run run;
		double before_ns;

		init_captured(&run, same);
		before_ns = advice_run_step_ns(&run);
		assert_false(
			advice_run_apply(&run, same ? weir_fix_warm_shapes : weir_fix_warm_up));
		assert_true(advice_run_apply(&run, right));
		assert_near(before_ns - advice_run_step_ns(&run), 1000 * US, 0.05);
		advice_run_release(&run);
	}
}

/* Each step runs an operator for 200 us, and then captures aten::linear in 1 ms, as above. Another
 * operator comes in between while the capture is prepared. Returns the time that warming up saves.
 */
static double warmed_ns(const char *name, bool same)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct advice_run run;
	int64_t at = 0;
	double saved_ns;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at;
		uint64_t correlation = 100000 + (uint64_t)i;

		at = add_launches(make, at + 10 * US);
		make_host(make, WEIR_HOST_OP, 0, name, at, at + 190 * US);
		make_launch(make, at + 20 * US, at + 25 * US, at + 30 * US, at + 35 * US);
		at += 200 * US;
		make_call(make, 0, "cudaDeviceSynchronize", at, at + 20 * US, 0);
		make_host(make, WEIR_HOST_OP, 0, "aten::fill_", at + 30 * US, at + 40 * US);
		make_call(make, 0, "cudaStreamBeginCapture", at + 50 * US, at + 52 * US, 0);
		make_host(make, WEIR_HOST_OP, 0, "aten::linear", at + 60 * US, at + 160 * US);
		make_call(make, 0, "cudaStreamEndCapture", at + 170 * US, at + 172 * US, 0);
		make_call(make, 0, "cudaGraphInstantiate", at + 180 * US, at + 1000 * US, 0);
		at += 1010 * US;
		make_call(make, 0, "cudaGraphLaunch", at, at + 10 * US, correlation);
		make_kernel(make, 0, "gemm", at + 12 * US, at + 15 * US, correlation);
		at = add_launches(make, at + 20 * US);
		advice_make_step(make, i, start, at);
	}
	trace = make_trace_finish(make);
	advice_give_shape(trace, "aten::linear", "[[64, 64]]", "[\"float\"]");
	advice_give_shape(trace, "", "[[64, 65]]", "[\"float\"]");
	for (size_t row = 0, linear = 0; row < trace->host.count; row++)
		if (trace->host.shape[row] != 0 && linear++ % 2 == 0 && !same)
			trace->host.shape[row] = (uint32_t)trace->shape_count - 1;
	advice_run_init(&run, &trace, 1, DEVICE);
	saved_ns = advice_run_step_ns(&run);
	assert_true(advice_run_apply(&run, weir_fix_warm_up));
	saved_ns -= advice_run_step_ns(&run);
	advice_run_release(&run);
	return saved_ns;
}

static void runs_that_prepare_a_capture_go_away_with_it(void **state)
{
	(void)state;
	assert_near(warmed_ns("aten::linear", true), 1200 * US, 0.05);
	/* They compute something else. */
	assert_near(warmed_ns("aten::linear", false), 1000 * US, 0.05);
	assert_near(warmed_ns("aten::mm", true), 1000 * US, 0.05);
}

/* An operator that compiles for 5 ms in each step, times kernels, waits `waits` times, and launches
 * its own one. */
static double tuned_ns(int waits)
{
	struct make_trace *make = make_trace_new();
	struct advice_run run;
	int64_t at = 0;
	double kept_ns = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at, from;

		from = at = add_launches(make, at + 10 * US);
		make_call(make, 0, "cuModuleLoadData", at + 10 * US, at + 5 * MS, 0);
		at += 5 * MS + 10 * US;
		for (int w = 0; w < waits; w++, at += 100 * US) {
			make_launch(make, at, at + 5 * US, at + 8 * US, at + 60 * US);
			make_call(make, 0, "cudaEventSynchronize", at + 10 * US, at + 62 * US, 0);
		}
		make_launch(make, at, at + 5 * US, at + 8 * US, at + 11 * US);
		make_host(make, WEIR_HOST_OP, 0, "aten::conv2d", from, at + 10 * US);
		at = add_launches(make, at + 20 * US);
		advice_make_step(make, i, start, at);
	}
	init(&run, make);
	assert_true(advice_run_apply(&run, weir_fix_warm_shapes));
	for (size_t j = 0; j < run.draft.program.job_count; j++)
		kept_ns += run.draft.program.jobs[j].ns;
	advice_run_release(&run);
	return kept_ns;
}

/* 40 launches of 6 us and the operator's own kernel of 3 us stay, and each trial takes 52 us. */
static void kernels_that_are_tried_out_are_not_part_of_the_step(void **state)
{
	(void)state;
	assert_near(tuned_ns(4), 243 * US, 0.001);
	assert_near(tuned_ns(3), (243 + 3 * 52) * US, 0.001);
}

/* ---- keep-the-cache ---- */

static void allocation_in_each_step_is_removed(void **state)
{
	struct make_trace *make = make_trace_new();
	struct advice_run run;
	int64_t at = 0;
	double before_ns;

	(void)state;
	for (int i = 0; i < STEPS; i++) {
		int64_t start = at;

		at = add_launches(make, at + 10 * US);
		make_call(make, 0, "cudaMalloc", at, at + 500 * US, 0);
		at = add_launches(make, at + 510 * US);
		make_call(make, 0, "cudaDeviceSynchronize", at, at + 20 * US, 0);
		make_call(make, 0, "cudaFree", at + 30 * US, at + 430 * US, 0);
		at += 440 * US;
		advice_make_step(make, i, start, at);
	}
	init(&run, make);
	before_ns = advice_run_step_ns(&run);
	assert_true(advice_run_apply(&run, weir_fix_keep_the_cache));
	assert_near(before_ns - advice_run_step_ns(&run), 900 * US, 0.05);
	advice_run_release(&run);
}

/* Without steps, `count` allocations at the start and as many frees at the end. */
static void a_start_that_allocates_is_no_churn(void **state)
{
	static const struct {
		int count;
		bool found;
	} cases[] = {{3, false}, {4, true}};

	(void)state;
	for (size_t c = 0; c < 2; c++) {
		struct make_trace *make = make_trace_new();
		struct advice_run run;
		int64_t at = add_launches(make, 0);

		for (int i = 0; i < cases[c].count; i++, at += 200 * US)
			make_call(make, 0, "hipMalloc", at, at + 100 * US, 0);
		at = add_launches(make, at);
		for (int i = 0; i < cases[c].count; i++, at += 200 * US)
			make_call(make, 0, "hipFree", at, at + 100 * US, 0);
		add_launches(make, at);
		init(&run, make);
		assert_int_equal(advice_run_apply(&run, weir_fix_keep_the_cache), cases[c].found);
		advice_run_release(&run);
	}
}

/* ---- collect-garbage-later ---- */

/* Initialises the run; list: shape of the tensors whose values are listed; NULL: none. */
static void init_listing(struct advice_run *run, struct make_trace *make, const char *list)
{
	struct weir_trace *trace = make_trace_finish(make);

	if (list)
		advice_give_shape(trace, "aten::resolve_conj", list, "[\"float\"]");
	advice_run_init(run, &trace, 1, DEVICE);
}

/* A pause behind the launches of each step. */
struct pause {
	const char *in; /* range around the pause alone; NULL: only the step */
	int64_t ns;
	int64_t spread_ns; /* each further step pauses for so much longer */
	const char *copy;  /* name of a copy at the beginning of each step; NULL: none */
	bool at_end;       /* the copy is at the end of the launches */
	int64_t bytes;     /* of the copy; 0: 64 */
	const char *list;  /* shape of a tensor whose values are listed behind it; NULL: none */
};

static void init_paused(struct advice_run *run, const struct pause *pause)
{
	struct make_trace *make = make_trace_new();
	int64_t at = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at, ns = pause->ns + i * pause->spread_ns;
		struct advice_copy copy = {pause->copy,  at + 5 * US, at + 8 * US,    at + 9 * US,
		                           at + 10 * US, 64,          (uint64_t)i + 1};

		if (pause->bytes)
			copy.bytes = pause->bytes;
		if (pause->copy && !pause->at_end)
			advice_make_copy(make, &copy);
		at = add_launches(make, at + 20 * US);
		if (pause->copy && pause->at_end) {
			copy.call_ns = at + 5 * US;
			copy.return_ns = at + 12 * US;
			copy.start_ns = at + 9 * US;
			copy.end_ns = at + 10 * US;
			advice_make_copy(make, &copy);
			at += 20 * US;
		}
		if (pause->list) {
			make_host(make, WEIR_HOST_OP, 0, "aten::resolve_conj", at, at + US);
			at += 2 * US;
		}
		if (pause->in)
			make_host(make, WEIR_HOST_ANNOTATION, 0, pause->in, at, at + ns);
		at += ns;
		advice_make_step(make, i, start, at);
		at += 10 * US;
	}
	init_listing(run, make, pause->list);
}

enum found { NOT_FOUND, DOUBTFUL, LIKELY };

static enum found collects(const struct pause *pause)
{
	struct advice_run run;
	enum found found = NOT_FOUND;

	init_paused(&run, pause);
	if (advice_run_apply(&run, weir_fix_collect_garbage_later))
		found = run.draft.doubt > 0 ? DOUBTFUL : LIKELY;
	advice_run_release(&run);
	return found;
}

static void a_silent_regular_pause_is_likely_garbage_collection(void **state)
{
	struct advice_run run;
	double before_ns;

	(void)state;
	init_paused(&run, &(struct pause){.ns = 20 * MS, .spread_ns = 200 * US});
	before_ns = advice_run_step_ns(&run);
	assert_true(advice_run_apply(&run, weir_fix_collect_garbage_later));
	assert_near(before_ns - advice_run_step_ns(&run), 20 * MS, 0.05);
	assert_non_null(strstr(run.draft.basis.data, "likely"));
	assert_false(advice_run_apply(&run, weir_fix_overlap_output));
	advice_run_release(&run);
}

static void a_recorded_collection_needs_no_pattern(void **state)
{
	struct advice_run run;

	(void)state;
	init_paused(&run, &(struct pause){.in = "gc.collect", .ns = 20 * MS});
	assert_true(advice_run_apply(&run, weir_fix_collect_garbage_later));
	assert_null(strstr(run.draft.basis.data, "likely"));
	advice_run_release(&run);
}

/* Each step collects garbage for 20 ms, launches kernels in between or not, and gives memory back,
 * which it takes again: 400 and 500 us. */
static double cleaned_ns(bool between)
{
	struct make_trace *make = make_trace_new();
	struct advice_run run;
	double saved_ns;
	int64_t at = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at;

		at = add_launches(make, at + 10 * US);
		make_host(make, WEIR_HOST_ANNOTATION, 0, "gc.collect", at, at + 20 * MS);
		at += 20 * MS;
		at = between ? add_launches(make, at + 20 * US) : at;
		make_call(make, 0, "cudaFree", at + 20 * US, at + 420 * US, 0);
		at = add_launches(make, at + 440 * US);
		make_call(make, 0, "cudaMalloc", at, at + 500 * US, 0);
		at = add_launches(make, at + 510 * US);
		advice_make_step(make, i, start, at);
	}
	init(&run, make);
	saved_ns = advice_run_step_ns(&run);
	assert_true(advice_run_apply(&run, weir_fix_collect_garbage_later));
	saved_ns -= advice_run_step_ns(&run);
	advice_run_release(&run);
	return saved_ns;
}

static void a_clean_up_collects_and_gives_memory_back(void **state)
{
	(void)state;
	assert_near(cleaned_ns(false), 20900 * US, 0.005);
	assert_near(cleaned_ns(true), 20000 * US, 0.005);
}

static void other_pauses_are_not_garbage_collection(void **state)
{
	static const struct {
		struct pause pause;
		enum found found;
	} cases[] = {
		{{.ns = 2 * MS, .spread_ns = 100 * US}, LIKELY},
		/* too short */
		{{.ns = 300 * US, .spread_ns = 90 * US}, NOT_FOUND},
		/* named work */
		{{.in = "tokenize", .ns = 2 * MS, .spread_ns = 100 * US}, NOT_FOUND},
		{{.in = "write results", .ns = 2 * MS, .spread_ns = 100 * US}, NOT_FOUND},
		/* as exact as a timer */
		{{.ns = 20 * MS}, NOT_FOUND},
		/* lengths without a pattern */
		{{.ns = 2 * MS, .spread_ns = 5 * MS}, NOT_FOUND},
		/* the next step begins with an input */
		{{.ns = 2 * MS,
	          .spread_ns = 100 * US,
	          .copy = "Memcpy HtoD (Pageable -> Device)",
	          .bytes = 20000},
	         NOT_FOUND},
		/* the step ends with a result */
		{{.ns = 2 * MS,
	          .spread_ns = 100 * US,
	          .copy = "Memcpy DtoH (Device -> Pageable)",
	          .at_end = true,
	          .bytes = 20000},
	         NOT_FOUND},
		/* a copy elsewhere in the step explains nothing */
		{{.ns = 2 * MS, .spread_ns = 100 * US, .copy = "Memcpy DtoH (Device -> Pageable)"},
	         LIKELY},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (collects(&cases[i].pause) != cases[i].found)
			fail_msg("case %zu", i);
}

/* Python takes at most 50 us for a value and array code 50 ns for a byte, and hardly a program more
 * than 5 us for a listed value or 200 ns for another byte. Steps pause for a tenth of a millisecond
 * more than the ones before; the program is the step in the middle. */
static void a_pause_too_long_for_its_result_is_likely_garbage_collection(void **state)
{
	static const struct {
		struct pause pause;
		enum found found;
	} cases[] = {
		/* each byte may be a value: 128 of them for 6.4 ms */
		{{.ns = 6 * MS, .bytes = 128}, DOUBTFUL},
		{{.ns = 7 * MS, .bytes = 128}, LIKELY},
		/* 30000 bytes for 6 ms */
		{{.ns = 5 * MS, .bytes = 30000}, NOT_FOUND},
		{{.ns = 6 * MS, .bytes = 30000}, DOUBTFUL},
		/* 48 values of 400 kB: 2.4 ms, and 20 ms of array code; 0.24 and 20 ms */
		{{.ns = 19 * MS, .bytes = 400000, .list = "[[48]]"}, NOT_FOUND},
		{{.ns = 20 * MS, .bytes = 400000, .list = "[[48]]"}, DOUBTFUL},
		{{.ns = 22 * MS, .bytes = 400000, .list = "[[48]]"}, DOUBTFUL},
		{{.ns = 23 * MS, .bytes = 400000, .list = "[[48]]"}, LIKELY},
		{{.ns = 23 * MS, .bytes = 400000}, NOT_FOUND},
		/* a size that is not recorded explains any pause */
		{{.ns = 25 * MS, .bytes = -1}, NOT_FOUND},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct pause pause = cases[i].pause;

		pause.spread_ns = 100 * US;
		pause.copy = "Memcpy DtoH (Device -> Pageable)";
		pause.at_end = true;
		if (collects(&pause) != cases[i].found)
			fail_msg("case %zu", i);
	}
}

static void a_pause_too_long_for_the_next_input_is_likely_garbage_collection(void **state)
{
	struct pause pause = {.ns = 6 * MS,
	                      .spread_ns = 100 * US,
	                      .copy = "Memcpy HtoD (Pageable -> Device)",
	                      .bytes = 128};

	(void)state;
	assert_int_equal(collects(&pause), DOUBTFUL);
	pause.ns = 7 * MS;
	assert_int_equal(collects(&pause), LIKELY);
}

/* A doubtful collection may be the processing of a result, which another thread can do. */
static void doubtful_collections_are_work_that_can_be_hidden(void **state)
{
	struct advice_run run;

	(void)state;
	init_paused(&run, &(struct pause){.ns = 6 * MS,
	                                  .spread_ns = 100 * US,
	                                  .copy = "Memcpy DtoH (Device -> Pageable)",
	                                  .at_end = true,
	                                  .bytes = 128});
	assert_true(advice_run_apply(&run, weir_fix_collect_garbage_later));
	assert_non_null(strstr(run.draft.basis.data, "if the program does not compute there"));
	assert_true(advice_run_apply(&run, weir_fix_overlap_output));
	advice_run_release(&run);
}

/* A launch of 2 us on a thread. */
static void add_launch(struct make_trace *make, uint32_t thread, int64_t at_ns,
                       uint64_t correlation)
{
	make_host(make, WEIR_HOST_OP, thread, "aten::mm", at_ns, at_ns + 10 * US);
	make_call(make, thread, "cudaLaunchKernel", at_ns + 2 * US, at_ns + 5 * US, correlation);
	make_device(make, &(struct make_device_row){.name = "gemm",
	                                            .start_ns = at_ns + 7 * US,
	                                            .end_ns = at_ns + 9 * US,
	                                            .bytes = -1,
	                                            .correlation = correlation});
}

/* A backward pass launches most work on its own thread, while the program collects on another. */
static void a_collection_is_found_on_any_launching_thread(void **state)
{
	struct make_trace *make = make_trace_new();
	struct advice_run run;
	int64_t at = 0;
	uint64_t correlation = 1;

	(void)state;
	for (int i = 0; i < STEPS; i++) {
		int64_t start = at;

		for (int k = 0; k < 6; k++, at += 20 * US)
			add_launch(make, k < 2 ? 0 : 1, at + 10 * US, correlation++);
		make_host(make, WEIR_HOST_PYTHON, 0, "<built-in function collect>", at,
		          at + 20 * MS);
		at += 20 * MS;
		advice_make_step(make, i, start, at);
	}
	init(&run, make);
	assert_true(advice_run_apply(&run, weir_fix_collect_garbage_later));
	assert_null(strstr(run.draft.basis.data, "likely"));
	advice_run_release(&run);
}

/* ---- overlap-output ---- */

static void results_are_processed_by_two_workers(void **state)
{
	struct advice_run run;

	(void)state;
	init_paused(&run, &(struct pause){.in = "write results",
	                                  .ns = 20 * MS,
	                                  .copy = "Memcpy DtoH (Device -> Pinned)",
	                                  .at_end = true});
	assert_true(advice_run_apply(&run, weir_fix_overlap_output));
	/* each at 1.2 times the time that it takes alone */
	assert_near(run.draft.floor_ns, 12 * MS, 0.01);
	assert_near(run.draft.floor_high_ns, 20 * MS, 0.01);
	advice_run_release(&run);
}

static void a_host_that_fetches_nothing_works_beside_the_device_already(void **state)
{
	struct advice_run run;

	(void)state;
	init_paused(&run, &(struct pause){.in = "parse the next request", .ns = 20 * MS});
	assert_false(advice_run_apply(&run, weir_fix_overlap_output));
	advice_run_release(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compilation_in_most_steps_is_due_to_their_shapes),
		cmocka_unit_test(warm_steps_are_promised_nothing),
		cmocka_unit_test(a_first_launch_in_the_window_is_warmed_up),
		cmocka_unit_test(operators_with_new_shapes_become_as_fast_as_the_others),
		cmocka_unit_test(an_operator_that_is_silent_before_its_launches_plans),
		cmocka_unit_test(transforms_are_padded_to_lengths_of_small_factors),
		cmocka_unit_test(a_copy_of_a_plan_leaves_no_gap),
		cmocka_unit_test(a_graph_that_is_captured_in_each_step_is_only_replayed),
		cmocka_unit_test(runs_that_prepare_a_capture_go_away_with_it),
		cmocka_unit_test(three_steps_with_new_shapes_are_enough),
		cmocka_unit_test(kernels_that_are_tried_out_are_not_part_of_the_step),
		cmocka_unit_test(results_are_processed_by_two_workers),
		cmocka_unit_test(a_host_that_fetches_nothing_works_beside_the_device_already),
		cmocka_unit_test(allocation_in_each_step_is_removed),
		cmocka_unit_test(a_start_that_allocates_is_no_churn),
		cmocka_unit_test(a_silent_regular_pause_is_likely_garbage_collection),
		cmocka_unit_test(a_recorded_collection_needs_no_pattern),
		cmocka_unit_test(a_clean_up_collects_and_gives_memory_back),
		cmocka_unit_test(other_pauses_are_not_garbage_collection),
		cmocka_unit_test(a_pause_too_long_for_its_result_is_likely_garbage_collection),
		cmocka_unit_test(a_pause_too_long_for_the_next_input_is_likely_garbage_collection),
		cmocka_unit_test(doubtful_collections_are_work_that_can_be_hidden),
		cmocka_unit_test(a_collection_is_found_on_any_launching_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
