/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes of idle time. Each test has one gap, from 1,000,000 ns on, before one kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "engine/analysis/timeline/cold_start.h"
#include "engine/analysis/timeline/host_activity.h"
#include "engine/analysis/timeline/idle.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/scene.h"

#define GAP_NS INT64_C(1000000)

/* Adds a kernel that ends where the gap begins. */
static struct make_trace *before_gap(void)
{
	struct make_trace *make = make_trace_new();

	make_launch(make, 0, 10, 1000, GAP_NS);
	return make;
}

/* Adds the kernel behind the gap; the times are the limits of the gap. */
static void end_gap(struct make_trace *make, int64_t launch_ns, int64_t start_ns)
{
	make_call(make, 0, "cudaLaunchKernel", GAP_NS + launch_ns, GAP_NS + launch_ns + 1000, 77);
	make_kernel(make, 0, "behind", GAP_NS + start_ns, GAP_NS + start_ns + 1000, 77);
}

static void host(struct make_trace *make, enum weir_host_kind kind, const char *name,
                 int64_t start_ns, int64_t end_ns)
{
	make_host(make, kind, 0, name, GAP_NS + start_ns, GAP_NS + end_ns);
}

static void assert_idle(struct make_trace *make, enum weir_idle idle, int64_t ns)
{
	struct scene scene;

	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene_idle_ns(&scene, idle), ns);
	scene_release(&scene);
}

static void a_short_gap_with_queued_work_is_the_devices_own(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	end_gap(make, -50000, WEIR_INTER_KERNEL_NS);
	assert_idle(make, WEIR_IDLE_INTER_KERNEL, WEIR_INTER_KERNEL_NS);
}

static void a_long_gap_with_queued_work_has_no_known_cause(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	end_gap(make, -50000, WEIR_INTER_KERNEL_NS + 1);
	assert_idle(make, WEIR_IDLE_OTHER, WEIR_INTER_KERNEL_NS + 1);
}

static void a_call_made_just_before_the_device_ran_dry_is_launch_latency(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	end_gap(make, -2000, 20000);
	assert_idle(make, WEIR_IDLE_LAUNCH_LATENCY, 20000);
}

/* Adds 20 launches of 1 us before the gap, whose median decides which calls are cold. */
static struct make_trace *after_usual_launches(void)
{
	struct make_trace *make = before_gap();

	for (int i = 0; i < 20; i++)
		make_launch(make, 20000 + i * 2000, 21000 + i * 2000, 22000 + i * 2000,
		            22500 + i * 2000);
	return make;
}

static void a_launch_of_a_hundred_usual_ones_loads_code(void **state)
{
	static const struct {
		int64_t call_ns;
		enum weir_idle idle;
	} cases[] = {{WEIR_COLD_LEAST_NS - 1, WEIR_IDLE_LAUNCH_LATENCY},
	             {WEIR_COLD_LEAST_NS, WEIR_IDLE_COMPILE_LOAD}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct make_trace *make = after_usual_launches();

		make_call(make, 0, "cudaLaunchKernel", GAP_NS, GAP_NS + cases[i].call_ns, 77);
		make_kernel(make, 0, "first", GAP_NS + cases[i].call_ns,
		            GAP_NS + cases[i].call_ns + 1000, 77);
		assert_idle(make, cases[i].idle, cases[i].call_ns);
	}
}

/* Nine launches of 1 ms have no usual one among them; the median of ten is that. */
static void few_launches_may_all_be_cold(void **state)
{
	(void)state;
	for (int launches = WEIR_COLD_FEW - 1; launches <= WEIR_COLD_FEW; launches++) {
		struct make_trace *make = make_trace_new();
		int64_t at_ns = 0, ns = WEIR_COLD_LEAST_NS;
		struct scene scene;

		for (int i = 0; i < launches; i++, at_ns += ns + 5000)
			make_launch(make, at_ns, at_ns + ns, at_ns + ns + 1000, at_ns + ns + 4000);
		scene_init(&scene, make_trace_finish(make), true);
		assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_COMPILE_LOAD),
		                 launches < WEIR_COLD_FEW ? (launches - 1) * ns : 0);
		scene_release(&scene);
	}
}

#define SHORT_NS 8000 /* 10 us with the launch of 2 us inside it, a hundredth of a cold call */

/* Adds an operator with its own time, then a launch inside it and a kernel of 1 us behind it.
 * Returns the end of the kernel. */
static int64_t add_operator(struct make_trace *make, const char *name, int64_t at_ns,
                            int64_t own_ns, uint64_t id)
{
	int64_t end_ns = at_ns + own_ns + 2000;

	make_host(make, WEIR_HOST_OP, 0, name, at_ns, end_ns);
	make_call(make, 0, "cudaLaunchKernel", end_ns - 2000, end_ns, id);
	make_kernel(make, 0, "kernel", end_ns + 1000, end_ns + 2000, id);
	return end_ns + 2000;
}

/* Returns the own time of a call: L and M are long, m takes a tenth of that. */
static int64_t own_ns_of(char call, int64_t long_ns)
{
	if (call == 'L' || call == 'M')
		return long_ns;
	return call == 'm' ? long_ns / 10 : SHORT_NS;
}

/* Runs short (s) and long (L) calls of one operator, or of another (t, M, m), and returns the idle
 * time of cold starts. */
static int64_t loading_ns(const char *calls, int64_t long_ns)
{
	struct make_trace *make = make_trace_new();
	int64_t at_ns = 10000, ns;
	struct scene scene;
	uint64_t id = 1;

	make_kernel(make, 0, "begin", 0, 1000, 0);
	for (const char *call = calls; *call; call++)
		at_ns = add_operator(make, *call == 's' || *call == 'L' ? "aten::mm" : "aten::add",
		                     at_ns, own_ns_of(*call, long_ns), id++);
	scene_init(&scene, make_trace_finish(make), true);
	ns = scene_idle_ns(&scene, WEIR_IDLE_COMPILE_LOAD);
	scene_release(&scene);
	return ns;
}

static void a_first_call_of_a_hundred_later_ones_sets_a_library_up(void **state)
{
	static const int64_t ns = WEIR_COLD_LEAST_NS;

	(void)state;
	assert_int_equal(loading_ns("Lsss", ns), ns);
	assert_int_equal(loading_ns("Lsss", ns - 1), 0);
	assert_int_equal(loading_ns("Ls", ns), ns);
	assert_int_equal(loading_ns("L", ns), 0); /* nothing shows how long it usually takes */
	/* A fourth call may be the first of its size; a later one was delayed. */
	assert_int_equal(loading_ns("sssLss", ns), ns);
	assert_int_equal(loading_ns("ssssLs", ns), 0);
	assert_int_equal(loading_ns("LLsssssL", ns), 3 * ns);
	assert_int_equal(loading_ns("LLssssssssssssL", ns), 2 * ns);
}

static void an_operator_that_sets_itself_up_again_has_nearly_all_long_calls(void **state)
{
	static const int64_t ns = WEIR_COLD_LEAST_NS;

	(void)state;
	assert_int_equal(loading_ns("ssssssLssssssLssssssLssssssL", ns), 4 * ns);
	assert_int_equal(loading_ns("ssssssLssssssLssssssL", ns), 0);
	assert_int_equal(loading_ns("ttttttMssssssLssssssLssssssLssssssL", ns), 4 * ns);
	assert_int_equal(loading_ns("ttttttMtttMssssssLssssssLssssssLssssssL", ns), 0);
	/* First calls of another operator explain themselves. */
	assert_int_equal(loading_ns("MMMttttttssssssLssssssLssssssLssssssL", ns), 7 * ns);
}

static void three_very_long_calls_of_an_operator_set_it_up_again(void **state)
{
	static const int64_t ns = WEIR_COLD_MOST_NS;

	(void)state;
	assert_int_equal(loading_ns("ssssssLssssssLssssssL", ns), 3 * ns);
	assert_int_equal(loading_ns("ssssssLssssssLssssssL", ns - 1), 0);
	assert_int_equal(loading_ns("ssssssLssssssL", ns), 0);
}

static void the_time_of_long_calls_decides_and_not_their_number(void **state)
{
	static const int64_t ns = WEIR_COLD_MOST_NS;

	(void)state;
#define OTHERS "tttttttttttttttttttttttttttttttttttttttttttttt"
	assert_int_equal(loading_ns(OTHERS "mmmmmmmmmmssssssLssssssLssssssL", ns), 3 * ns);
	assert_int_equal(loading_ns(OTHERS "mmmmmmmmmmmssssssLssssssLssssssL", ns), 0);
#undef OTHERS
}

static void a_long_operator_without_device_work_is_no_cold_start(void **state)
{
	struct make_trace *make = make_trace_new();
	int64_t at_ns = 10000;
	struct scene scene;

	(void)state;
	make_kernel(make, 0, "begin", 0, 1000, 0);
	for (int i = 0; i < 4; i++) {
		int64_t ns = i == 0 ? WEIR_COLD_MOST_NS : SHORT_NS;

		make_host(make, WEIR_HOST_OP, 0, "aten::copy_", at_ns, at_ns + ns);
		at_ns = add_operator(make, "aten::mm", at_ns + ns, SHORT_NS, (uint64_t)i + 1);
	}
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_COMPILE_LOAD), 0);
	scene_release(&scene);
}

static void the_rest_of_a_cold_launch_is_launch_latency(void **state)
{
	struct make_trace *make = after_usual_launches();

	(void)state;
	make_call(make, 0, "hipLaunchKernel", GAP_NS + 500, GAP_NS + 5000500, 77);
	make_kernel(make, 0, "first", GAP_NS + 5004500, GAP_NS + 5005500, 77);
	assert_idle(make, WEIR_IDLE_LAUNCH_LATENCY, 4000);
}

static void any_prompt_call_may_be_cold_but_a_copy_may_wait(void **state)
{
	static const struct {
		const char *name;
		enum weir_idle idle;
	} cases[] = {{"cudaStreamCreateWithPriority", WEIR_IDLE_COMPILE_LOAD},
	             {"cudaEventCreateWithFlags", WEIR_IDLE_COMPILE_LOAD},
	             {"cudaFree", WEIR_IDLE_COMPILE_LOAD}, /* the first one creates the context */
	             {"cuInit", WEIR_IDLE_COMPILE_LOAD},
	             {"cudnnConvolutionForward", WEIR_IDLE_DISPATCH},
	             {"cuProfilerStart", WEIR_IDLE_DISPATCH},
	             {"cudaMemcpyAsync", WEIR_IDLE_DISPATCH}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct make_trace *make = after_usual_launches();

		make_call(make, 0, cases[i].name, GAP_NS, GAP_NS + WEIR_COLD_MOST_NS, 0);
		end_gap(make, WEIR_COLD_MOST_NS, WEIR_COLD_MOST_NS + 1000);
		assert_idle(make, cases[i].idle, WEIR_COLD_MOST_NS);
	}
}

static void a_later_allocation_is_the_allocators(void **state)
{
	struct make_trace *make = after_usual_launches();

	(void)state;
	make_call(make, 0, "cudaMalloc", 10, 20, 0);
	make_call(make, 0, "cudaFree", GAP_NS, GAP_NS + WEIR_COLD_MOST_NS, 0);
	end_gap(make, WEIR_COLD_MOST_NS, WEIR_COLD_MOST_NS + 1000);
	assert_idle(make, WEIR_IDLE_ALLOCATOR, WEIR_COLD_MOST_NS);
}

static void the_capture_of_a_graph_is_compilation(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	make_call(make, 0, "cudaStreamBeginCapture", GAP_NS, GAP_NS + 1000, 0);
	host(make, WEIR_HOST_OP, "aten::mm", 2000, 300000);
	make_call(make, 0, "cudaStreamEndCapture", GAP_NS + 399000, GAP_NS + 400000, 0);
	host(make, WEIR_HOST_OP, "aten::add", 400000, 450000);
	end_gap(make, 450000, 451000);
	assert_idle(make, WEIR_IDLE_COMPILE_LOAD, 400000);
}

static void a_capture_that_does_not_end_is_none(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	make_call(make, 0, "cudaStreamBeginCapture", GAP_NS, GAP_NS + 1000, 0);
	host(make, WEIR_HOST_OP, "aten::mm", 2000, 300000);
	end_gap(make, 300000, 301000);
	assert_idle(make, WEIR_IDLE_COMPILE_LOAD, 0);
}

static void a_host_that_waits_for_an_idle_device_waits_for_unrecorded_work(void **state)
{
	static const struct {
		int64_t wait_ns;
		enum weir_idle idle;
	} cases[] = {{WEIR_UNRECORDED_NS, WEIR_IDLE_HOST_SYNC},
	             {WEIR_UNRECORDED_NS + 1, WEIR_IDLE_UNRECORDED}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct make_trace *make = before_gap();

		make_call(make, 0, "cudaStreamSynchronize", GAP_NS, GAP_NS + cases[i].wait_ns, 0);
		end_gap(make, cases[i].wait_ns, cases[i].wait_ns + 1000);
		assert_idle(make, cases[i].idle, cases[i].wait_ns);
	}
}

static void a_host_that_waits_for_another_device_is_explained_by_it(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	make_device(make, &(struct make_device_row){.device = 1,
	                                            .stream = 1,
	                                            .name = "gemm",
	                                            .start_ns = GAP_NS,
	                                            .end_ns = GAP_NS + 5000000});
	make_call(make, 0, "cudaDeviceSynchronize", GAP_NS, GAP_NS + 5000000, 0);
	end_gap(make, 5000000, 5001000);
	assert_idle(make, WEIR_IDLE_HOST_SYNC, 5000000);
}

static void no_launch_latency_is_longer_than_a_millisecond(void **state)
{
	static const struct {
		int64_t ns;
		enum weir_idle idle;
	} cases[] = {{WEIR_UNRECORDED_NS, WEIR_IDLE_LAUNCH_LATENCY},
	             {WEIR_UNRECORDED_NS + 1, WEIR_IDLE_UNRECORDED}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct make_trace *make = before_gap();

		end_gap(make, 0, cases[i].ns);
		assert_idle(make, cases[i].idle, cases[i].ns);
	}
}

static void work_without_a_launch_is_unlinked(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	make_kernel(make, 0, "orphan", GAP_NS + 30000, GAP_NS + 31000, 0);
	assert_idle(make, WEIR_IDLE_UNLINKED, 30000);
}

static void a_short_gap_before_work_without_a_launch_is_the_devices_own(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	make_kernel(make, 0, "orphan", GAP_NS + WEIR_INTER_KERNEL_NS, GAP_NS + 31000, 0);
	assert_idle(make, WEIR_IDLE_INTER_KERNEL, WEIR_INTER_KERNEL_NS);
}

static void other_devices_work_may_hold_queued_work_back(void **state)
{
	static const struct {
		const char *name;
		enum weir_idle idle;
	} others[] = {{"gemm", WEIR_IDLE_DEPENDENCY},
	              {"ncclDevKernel_AllReduce", WEIR_IDLE_DEPENDENCY_COMM}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct make_trace *make = before_gap();

		end_gap(make, -50000, 40000);
		for (uint16_t d = 1; d < 3; d++) /* the last device always computes */
			make_device(make, &(struct make_device_row){
						  .device = d,
						  .stream = d,
						  .name = d == 1 ? others[i].name : "gemm",
						  .start_ns = GAP_NS,
						  .end_ns = GAP_NS + 40000 - WEIR_DEPENDENCY_NS});
		assert_idle(make, others[i].idle, 40000);
	}
}

static void each_nanosecond_before_a_late_launch_is_what_the_thread_did(void **state)
{
	struct make_trace *make = before_gap();
	struct scene scene;

	(void)state;
	host(make, WEIR_HOST_OP, "aten::add", -1000, 0);
	host(make, WEIR_HOST_PYTHON, "model.py(1): forward", 0, 100000);
	host(make, WEIR_HOST_OP, "aten::mm", 10000, 100000);
	make_call(make, 0, "cudaMalloc", GAP_NS + 20000, GAP_NS + 30000, 0);
	make_call(make, 0, "cudaStreamSynchronize", GAP_NS + 30000, GAP_NS + 45000, 0);
	make_call(make, 0, "cuModuleLoadData", GAP_NS + 50000, GAP_NS + 57000, 0);
	end_gap(make, 90000, 93000);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_PYTHON), 10000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_ALLOCATOR), 10000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_HOST_SYNC), 15000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_COMPILE_LOAD), 7000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_DISPATCH), 90000 - 42000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_LAUNCH_LATENCY), 3000);
	scene_release(&scene);
}

static void a_system_call_is_part_of_what_made_it(void **state)
{
	struct make_trace *make = before_gap();
	struct scene scene;

	(void)state;
	host(make, WEIR_HOST_OP, "aten::add", -1000, 0);
	make_call(make, 0, "cudaMalloc", GAP_NS, GAP_NS + 30000, 0);
	make_call(make, 0, "ioctl", GAP_NS + 1000, GAP_NS + 29000, 0);
	host(make, WEIR_HOST_ANNOTATION, "decode", 30000, 90000);
	make_call(make, 0, "fwrite", GAP_NS + 30000, GAP_NS + 50000, 0);
	make_call(make, 0, "poll", GAP_NS + 90000, GAP_NS + 95000, 0);
	end_gap(make, 100000, 103000);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_ALLOCATOR), 30000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_PYTHON), 70000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_DISPATCH), 0);
	scene_release(&scene);
}

static void a_thread_that_does_nothing_had_no_work(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	end_gap(make, 500000, 503000);
	assert_idle(make, WEIR_IDLE_HOST_IDLE, 500000);
}

static void an_idle_thread_waits_for_what_another_one_compiles(void **state)
{
	struct make_trace *make = before_gap();
	struct scene scene;

	(void)state;
	make_host(make, WEIR_HOST_ANNOTATION, 1, "backend_compile_and_load", GAP_NS + 100000,
	          GAP_NS + 400000);
	make_host(make, WEIR_HOST_ANNOTATION, 1, "PJRT_Client_Compile", GAP_NS + 110000,
	          GAP_NS + 390000);
	end_gap(make, 500000, 503000);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_COMPILE_LOAD), 300000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_HOST_IDLE), 200000);
	scene_release(&scene);
}

static void a_long_stretch_without_operators_is_host_work(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	host(make, WEIR_HOST_PYTHON, "serve.py(9): parse", 0, WEIR_HOST_WORK_NS / 2);
	host(make, WEIR_HOST_PYTHON, "serve.py(12): join", WEIR_HOST_WORK_NS / 2,
	     WEIR_HOST_WORK_NS);
	end_gap(make, WEIR_HOST_WORK_NS, WEIR_HOST_WORK_NS + 3000);
	assert_idle(make, WEIR_IDLE_HOST_WORK, WEIR_HOST_WORK_NS);
}

static void a_shorter_stretch_is_the_programs_glue(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	host(make, WEIR_HOST_OP, "aten::add", 0, 1);
	host(make, WEIR_HOST_PYTHON, "serve.py(9): parse", 1, WEIR_HOST_WORK_NS);
	end_gap(make, WEIR_HOST_WORK_NS, WEIR_HOST_WORK_NS + 3000);
	assert_idle(make, WEIR_IDLE_PYTHON, WEIR_HOST_WORK_NS - 1);
}

static void a_long_operator_that_never_reaches_the_device_is_host_work(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	host(make, WEIR_HOST_OP, "aten::sort", 0, WEIR_HOST_OPERATOR_NS);
	end_gap(make, WEIR_HOST_OPERATOR_NS, WEIR_HOST_OPERATOR_NS + 3000);
	assert_idle(make, WEIR_IDLE_HOST_WORK, WEIR_HOST_OPERATOR_NS);
}

static void an_operator_that_reaches_the_device_later_dispatches(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	host(make, WEIR_HOST_OP, "aten::sort", 0, 300000);
	end_gap(make, 250000, 253000);
	assert_idle(make, WEIR_IDLE_DISPATCH, 250000);
}

static void a_data_loader_anywhere_around_is_input(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	host(make, WEIR_HOST_PYTHON, "torch/utils/data/dataloader.py(7): next", 0, 80000);
	host(make, WEIR_HOST_PYTHON, "numpy/core.py(3): stack", 0, 80000);
	host(make, WEIR_HOST_OP, "aten::stack", 20000, 60000);
	end_gap(make, 80000, 83000);
	assert_idle(make, WEIR_IDLE_INPUT, 80000);
}

static void the_profilers_own_time_and_driver_loading_are_cut_out(void **state)
{
	struct make_trace *make = before_gap();
	struct scene scene;

	(void)state;
	host(make, WEIR_HOST_OP, "aten::mm", 0, 90000);
	make_host(make, WEIR_HOST_OVERHEAD, 1, "Activity Buffer Request", GAP_NS + 10000,
	          GAP_NS + 40000);
	make_host(make, WEIR_HOST_OVERHEAD, 1, "Lazy Function Loading", GAP_NS + 20000,
	          GAP_NS + 25000);
	end_gap(make, 80000, 83000);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_PROFILER), 25000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_COMPILE_LOAD), 5000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_DISPATCH), 50000);
	for (size_t i = 0; i < scene.segments.count; i++)
		if (!scene.segments.items[i].busy &&
		    scene.segments.items[i].idle == WEIR_IDLE_PROFILER)
			assert_int_equal(scene.segments.items[i].flags & WEIR_SEGMENT_LATE, 0);
	scene_release(&scene);
}

static void a_gap_that_begins_while_the_host_waits_says_so(void **state)
{
	static const char *const calls[] = {"cudaStreamSynchronize", "cudaMemcpyAsync",
	                                    "cudaEventRecord"};

	(void)state;
	for (size_t c = 0; c < 3; c++) {
		struct make_trace *make = before_gap();
		struct scene scene;

		make_call(make, 0, calls[c], GAP_NS - 5000, GAP_NS + 5000, 0);
		end_gap(make, 20000, 23000);
		scene_init(&scene, make_trace_finish(make), true);
		for (size_t i = 0; i < scene.segments.count; i++)
			if (!scene.segments.items[i].busy)
				assert_int_equal(scene.segments.items[i].flags &
				                         WEIR_SEGMENT_AFTER_SYNC,
				                 c < 2 ? WEIR_SEGMENT_AFTER_SYNC : 0);
		scene_release(&scene);
	}
}

static void host_work_before_the_middle_of_its_steps_device_work_says_so(void **state)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;
	int before = 0, behind = 0;

	(void)state;
	make_host(make, WEIR_HOST_ANNOTATION, 0, "ProfilerStep#0", 0, 5000000);
	make_launch(make, 0, 10, 100, 200);
	make_host(make, WEIR_HOST_PYTHON, 0, "load", 1000, 901000);
	make_launch(make, 1000000, 1000010, 1000100, 1400000); /* the middle */
	make_host(make, WEIR_HOST_PYTHON, 0, "detokenize", 1500000, 2500000);
	make_launch(make, 2600000, 2600010, 2600100, 2700000);
	scene_init(&scene, make_trace_finish(make), true);
	for (size_t i = 0; i < scene.segments.count; i++) {
		const struct weir_segment *segment = &scene.segments.items[i];

		if (segment->busy || segment->idle != WEIR_IDLE_HOST_WORK)
			continue;
		before += segment->start_ns < 1000000 && segment->flags & WEIR_SEGMENT_BEFORE;
		behind += segment->start_ns >= 1400000 && !(segment->flags & WEIR_SEGMENT_BEFORE);
	}
	assert_int_equal(before, 1);
	assert_int_equal(behind, 1);
	scene_release(&scene);
}

/* Returns the flag of the host work between a short kernel and a copy of a millisecond. */
static int flag_before_copy(bool has_kernel)
{
	struct make_trace *make = make_trace_new();
	struct scene scene;
	int flag = -1;

	make_host(make, WEIR_HOST_ANNOTATION, 0, "ProfilerStep#0", 0, 5000000);
	if (has_kernel) {
		make_launch(make, 0, 10, 100, 200);
	} else {
		make_call(make, 0, "cudaMemcpyAsync", 0, 10, 1);
		make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_COPY,
		                                            .name = "Memcpy HtoD",
		                                            .start_ns = 100,
		                                            .end_ns = 200,
		                                            .correlation = 1});
	}
	make_host(make, WEIR_HOST_PYTHON, 0, "serialize", 1000, 901000);
	make_call(make, 0, "cudaMemcpyAsync", 1000000, 1000010, 2);
	make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_COPY,
	                                            .name = "Memcpy DtoH",
	                                            .start_ns = 1000100,
	                                            .end_ns = 2000100,
	                                            .correlation = 2});
	scene_init(&scene, make_trace_finish(make), true);
	for (size_t i = 0; i < scene.segments.count; i++)
		if (scene.segments.items[i].idle == WEIR_IDLE_HOST_WORK &&
		    !scene.segments.items[i].busy)
			flag = scene.segments.items[i].flags & WEIR_SEGMENT_BEFORE;
	scene_release(&scene);
	return flag;
}

static void copies_do_not_move_the_middle_of_a_step_with_kernels(void **state)
{
	(void)state;
	assert_int_equal(flag_before_copy(true), 0);
	assert_int_equal(flag_before_copy(false), WEIR_SEGMENT_BEFORE);
}

static void work_that_starts_before_its_own_launch_is_explained_to_its_start(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	host(make, WEIR_HOST_OP, "aten::mm", 0, 90000);
	end_gap(make, 50000, 40000);
	assert_idle(make, WEIR_IDLE_DISPATCH, 40000);
}

static void kernels_of_one_graph_launch_are_queued_behind_the_first(void **state)
{
	struct make_trace *make = before_gap();
	struct scene scene;

	(void)state;
	make_call(make, 0, "cudaGraphLaunch", GAP_NS + 5000, GAP_NS + 9000, 5);
	for (int64_t i = 0; i < 3; i++)
		make_kernel(make, 0, "node", GAP_NS + 20000 + i * 2000, GAP_NS + 21000 + i * 2000,
		            5);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_LAUNCH_LATENCY), 15000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_INTER_KERNEL), 2000);
	scene_release(&scene);
}

/* A walk up the nesting, or over all neighbours, for each leaf would take minutes. */
static void very_deep_and_very_long_host_time_takes_no_time(void **state)
{
	const int64_t rows = 60000;
	struct make_trace *make = before_gap();
	clock_t begin = clock();

	(void)state;
	for (int64_t i = 0; i < rows; i++)
		host(make, WEIR_HOST_PYTHON, "deep", i, 4 * rows - i);
	for (int64_t i = 0; i < rows; i++)
		host(make, WEIR_HOST_PYTHON, "short", rows + i, rows + i + 1);
	end_gap(make, 4 * rows + 10, 4 * rows + 3000);
	assert_idle(make, WEIR_IDLE_HOST_WORK, 4 * rows);
	assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 5);
}

/* One thread would explain the gaps of each device again, instant by instant. */
static void many_devices_behind_one_busy_thread_are_explained_up_to_a_bound(void **state)
{
	const int64_t leaves = 6000, gap_ns = 4 * leaves;
	struct make_trace *make = make_trace_new();
	struct scene scene;
	int64_t idle_ns = 0;

	(void)state;
	for (int64_t i = 0; i < leaves; i++)
		host(make, i % 2 ? WEIR_HOST_OP : WEIR_HOST_PYTHON, "row", 4 * i, 4 * i + 2);
	make_call(make, 0, "cudaLaunchKernel", GAP_NS + gap_ns, GAP_NS + gap_ns + 1, 5);
	for (uint16_t d = 0; d < 200; d++)
		for (int64_t behind = 0; behind < 2; behind++)
			make_device(make, &(struct make_device_row){
						  .device = d,
						  .stream = d,
						  .name = "k",
						  .start_ns = GAP_NS - 1 + behind * (gap_ns + 1),
						  .end_ns = GAP_NS + behind * (gap_ns + 1),
						  .correlation = behind ? 5 : 0});
	scene_init(&scene, make_trace_finish(make), true);
	assert_true(scene.segments.count < 1500000);
	assert_true(scene_idle_ns(&scene, WEIR_IDLE_OTHER) > 0);
	for (size_t i = 0; i < scene.segments.count; i++)
		idle_ns += scene.segments.items[i].busy ? 0
		                                        : weir_segment_ns(&scene.segments.items[i]);
	assert_int_equal(idle_ns, 200 * gap_ns);
	scene_release(&scene);
}

/* Another device works from start_ns to end_ns, while the host waits for two milliseconds. */
static void assert_wait(int64_t start_ns, int64_t end_ns, enum weir_idle idle)
{
	struct make_trace *make = before_gap();

	make_device(make, &(struct make_device_row){.device = 1,
	                                            .stream = 1,
	                                            .name = "gemm",
	                                            .start_ns = GAP_NS + start_ns,
	                                            .end_ns = GAP_NS + end_ns});
	make_call(make, 0, "cudaDeviceSynchronize", GAP_NS, GAP_NS + 2000000, 0);
	end_gap(make, 2000000, 2001000);
	assert_idle(make, idle, 2000000);
}

static void another_device_explains_a_wait_only_by_work_inside_it(void **state)
{
	(void)state;
	assert_wait(-500, 0, WEIR_IDLE_UNRECORDED); /* ends where the wait begins */
	assert_wait(-500, 1, WEIR_IDLE_HOST_SYNC);
	assert_wait(1000, 2000, WEIR_IDLE_HOST_SYNC);
	assert_wait(1999999, 2000900, WEIR_IDLE_HOST_SYNC);
	assert_wait(2000000, 2000900, WEIR_IDLE_UNRECORDED); /* begins where it ends */
	assert_wait(3000000, 4000000, WEIR_IDLE_UNRECORDED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_gap_with_queued_work_is_the_devices_own),
		cmocka_unit_test(a_long_gap_with_queued_work_has_no_known_cause),
		cmocka_unit_test(a_call_made_just_before_the_device_ran_dry_is_launch_latency),
		cmocka_unit_test(a_launch_of_a_hundred_usual_ones_loads_code),
		cmocka_unit_test(few_launches_may_all_be_cold),
		cmocka_unit_test(a_first_call_of_a_hundred_later_ones_sets_a_library_up),
		cmocka_unit_test(an_operator_that_sets_itself_up_again_has_nearly_all_long_calls),
		cmocka_unit_test(three_very_long_calls_of_an_operator_set_it_up_again),
		cmocka_unit_test(the_time_of_long_calls_decides_and_not_their_number),
		cmocka_unit_test(a_long_operator_without_device_work_is_no_cold_start),
		cmocka_unit_test(the_rest_of_a_cold_launch_is_launch_latency),
		cmocka_unit_test(any_prompt_call_may_be_cold_but_a_copy_may_wait),
		cmocka_unit_test(a_later_allocation_is_the_allocators),
		cmocka_unit_test(the_capture_of_a_graph_is_compilation),
		cmocka_unit_test(a_capture_that_does_not_end_is_none),
		cmocka_unit_test(a_host_that_waits_for_an_idle_device_waits_for_unrecorded_work),
		cmocka_unit_test(a_host_that_waits_for_another_device_is_explained_by_it),
		cmocka_unit_test(no_launch_latency_is_longer_than_a_millisecond),
		cmocka_unit_test(work_without_a_launch_is_unlinked),
		cmocka_unit_test(a_short_gap_before_work_without_a_launch_is_the_devices_own),
		cmocka_unit_test(other_devices_work_may_hold_queued_work_back),
		cmocka_unit_test(each_nanosecond_before_a_late_launch_is_what_the_thread_did),
		cmocka_unit_test(a_system_call_is_part_of_what_made_it),
		cmocka_unit_test(a_thread_that_does_nothing_had_no_work),
		cmocka_unit_test(an_idle_thread_waits_for_what_another_one_compiles),
		cmocka_unit_test(a_long_stretch_without_operators_is_host_work),
		cmocka_unit_test(a_shorter_stretch_is_the_programs_glue),
		cmocka_unit_test(a_long_operator_that_never_reaches_the_device_is_host_work),
		cmocka_unit_test(an_operator_that_reaches_the_device_later_dispatches),
		cmocka_unit_test(a_data_loader_anywhere_around_is_input),
		cmocka_unit_test(the_profilers_own_time_and_driver_loading_are_cut_out),
		cmocka_unit_test(a_gap_that_begins_while_the_host_waits_says_so),
		cmocka_unit_test(host_work_before_the_middle_of_its_steps_device_work_says_so),
		cmocka_unit_test(copies_do_not_move_the_middle_of_a_step_with_kernels),
		cmocka_unit_test(work_that_starts_before_its_own_launch_is_explained_to_its_start),
		cmocka_unit_test(kernels_of_one_graph_launch_are_queued_behind_the_first),
		cmocka_unit_test(very_deep_and_very_long_host_time_takes_no_time),
		cmocka_unit_test(many_devices_behind_one_busy_thread_are_explained_up_to_a_bound),
		cmocka_unit_test(another_device_explains_a_wait_only_by_work_inside_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
