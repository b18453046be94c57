/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Activities of launching threads while a device was idle, and their names. Each scene has one gap,
 * from GAP_NS on, before one kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/timeline/host_activity.h"
#include "engine/analysis/timeline/idle.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"
#include "tests/unit/scene.h"

#define GAP_NS  INT64_C(1000000)
#define LONG_NS WEIR_HOST_WORK_NS

static struct make_trace *before_gap(void)
{
	struct make_trace *make = make_trace_new();

	make_launch(make, 0, 10, 1000, GAP_NS);
	return make;
}

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

static void call(struct make_trace *make, const char *name, int64_t start_ns, int64_t end_ns)
{
	make_call(make, 0, name, GAP_NS + start_ns, GAP_NS + end_ns, 0);
}

static int64_t idle_of(struct make_trace *make, enum weir_idle idle)
{
	struct scene scene;
	int64_t ns;

	scene_init(&scene, make_trace_finish(make), true);
	ns = scene_idle_ns(&scene, idle);
	scene_release(&scene);
	return ns;
}

/* Returns the time under that name; NULL matches no name. */
static int64_t named_ns(const struct scene *scene, enum weir_idle idle, const char *name,
                        const char *in)
{
	const struct weir_idle_names *names = &scene->segments.idle_names;
	const struct weir_names *texts = scene->trace->names;
	int64_t ns = 0;

	for (size_t i = 0; i < names->count; i++)
		if (names->entries[i].idle == idle &&
		    !strcmp(weir_names_text(texts, names->entries[i].name), name ? name : "") &&
		    !strcmp(weir_names_text(texts, names->entries[i].in), in ? in : ""))
			ns += names->entries[i].ns;
	return ns;
}

static void a_short_rest_is_glue_and_a_long_one_is_lack_of_work(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	call(make, "cudaEventRecord", -10, 0);
	end_gap(make, LONG_NS - 1, LONG_NS + 3000);
	assert_int_equal(idle_of(make, WEIR_IDLE_PYTHON), LONG_NS - 1);
	make = before_gap();
	call(make, "cudaEventRecord", -10, 0);
	end_gap(make, LONG_NS, LONG_NS + 3000);
	assert_int_equal(idle_of(make, WEIR_IDLE_HOST_IDLE), LONG_NS);
}

/* Leaves are classified in pieces, by several threads. The frames of one stretch of code fall on
 * either side of a piece's end, wherever it lies among them. */
static void code_across_the_ends_of_pieces_is_judged_as_a_whole(void **state)
{
	const int64_t third_ns = LONG_NS / 3;

	(void)state;
	for (int calls = 32764; calls <= 32770; calls++) {
		for (int64_t less_ns = 0; less_ns < 2; less_ns++) {
			struct make_trace *make = before_gap();
			int64_t end_ns = 3 * third_ns + LONG_NS % 3 - less_ns;

			for (int i = 0; i < calls; i++)
				call(make, "cudaEventRecord", 2 * i - 900000, 2 * i + 1 - 900000);
			call(make, "cudaEventRecord", -10, 0);
			host(make, WEIR_HOST_PYTHON, "a.py(1): f", 0, third_ns);
			host(make, WEIR_HOST_PYTHON, "a.py(2): g", third_ns, 2 * third_ns);
			host(make, WEIR_HOST_PYTHON, "a.py(3): h", 2 * third_ns, end_ns);
			end_gap(make, end_ns, end_ns + 3000);
			assert_int_equal(
				idle_of(make, less_ns > 0 ? WEIR_IDLE_PYTHON : WEIR_IDLE_HOST_WORK),
				end_ns);
		}
	}
}

/* A program that trains waits for no requests. */
static void silence_of_a_program_that_trains_is_its_own_code(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct make_trace *make = before_gap();

		if (i > 0)
			host(make, WEIR_HOST_OP, "torch::autograd::AccumulateGrad", 0, 0);
		end_gap(make, LONG_NS, LONG_NS);
		assert_int_equal(idle_of(make, i > 0 ? WEIR_IDLE_HOST_WORK : WEIR_IDLE_HOST_IDLE),
		                 LONG_NS);
	}
}

static void a_thread_outside_its_recorded_system_calls_runs(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	call(make, "write", -10, 0);
	end_gap(make, LONG_NS, LONG_NS + 3000);
	assert_int_equal(idle_of(make, WEIR_IDLE_HOST_WORK), LONG_NS);
}

static void a_system_call_that_waits_is_lack_of_work(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	call(make, "epoll_wait", 0, LONG_NS);
	end_gap(make, LONG_NS, LONG_NS + 3000);
	assert_int_equal(idle_of(make, WEIR_IDLE_HOST_IDLE), LONG_NS);
}

static void a_wait_below_a_driver_call_is_the_calls(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	call(make, "cudaFree", 0, LONG_NS);
	call(make, "ioctl", 10, LONG_NS - 10);
	call(make, "poll", 20, LONG_NS - 20);
	end_gap(make, LONG_NS, LONG_NS + 3000);
	assert_int_equal(idle_of(make, WEIR_IDLE_ALLOCATOR), LONG_NS);
}

static void a_file_that_is_read_is_input_wherever_no_driver_reads_it(void **state)
{
	struct make_trace *make = before_gap();
	struct scene scene;

	(void)state;
	call(make, "pread64", 0, 30000);
	call(make, "cuModuleLoadData", 30000, 90000);
	call(make, "read", 40000, 80000);
	end_gap(make, 90000, 93000);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_INPUT), 30000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_COMPILE_LOAD), 60000);
	scene_release(&scene);
}

static struct make_trace *waiting(const char *stage, const char *around)
{
	struct make_trace *make = before_gap();

	if (stage)
		host(make, WEIR_HOST_ANNOTATION, stage, 0, LONG_NS + 5000);
	if (around)
		host(make, WEIR_HOST_PYTHON, around, 0, LONG_NS);
	host(make, WEIR_HOST_PYTHON, "queue.py(154): get", 0, LONG_NS);
	host(make, WEIR_HOST_PYTHON, "<built-in method acquire of _thread.lock object at 0x7>", 0,
	     LONG_NS);
	end_gap(make, LONG_NS, LONG_NS + 3000);
	return make;
}

static void waiting_outside_every_stage_is_lack_of_work(void **state)
{
	(void)state;
	assert_int_equal(idle_of(waiting(NULL, NULL), WEIR_IDLE_HOST_IDLE), LONG_NS);
}

static void waiting_inside_a_stage_is_for_another_thread_at_work(void **state)
{
	(void)state;
	assert_int_equal(idle_of(waiting("decode", NULL), WEIR_IDLE_HOST_WORK), LONG_NS);
}

static void waiting_inside_a_loader_or_a_compiler_is_theirs(void **state)
{
	(void)state;
	assert_int_equal(
		idle_of(waiting(NULL, "torch/utils/data/dataloader.py(7): next"), WEIR_IDLE_INPUT),
		LONG_NS);
	assert_int_equal(idle_of(waiting(NULL, "torch/_inductor/async_compile.py(9): wait"),
	                         WEIR_IDLE_COMPILE_LOAD),
	                 LONG_NS);
}

static void inside_a_collective_on_the_host_the_device_waits_for_other_ranks(void **state)
{
	static const struct {
		const char *name;
		enum weir_idle idle;
	} cases[] = {
		{"gloo:all_reduce", WEIR_IDLE_DEPENDENCY_COMM},
		{"mpi:broadcast", WEIR_IDLE_DEPENDENCY_COMM},
		{"nccl:all_reduce", WEIR_IDLE_HOST_WORK}, /* it only queues work */
		{"my gloo:all_reduce", WEIR_IDLE_HOST_WORK},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct make_trace *make = before_gap();

		host(make, WEIR_HOST_ANNOTATION, cases[i].name, 0, LONG_NS + 5000);
		end_gap(make, LONG_NS, LONG_NS + 3000);
		assert_int_equal(idle_of(make, cases[i].idle), LONG_NS);
	}
}

static void calls_inside_a_collective_keep_their_cause(void **state)
{
	struct make_trace *make = before_gap();
	struct scene scene;

	(void)state;
	host(make, WEIR_HOST_ANNOTATION, "gloo:all_reduce", 0, 405000);
	call(make, "cudaStreamSynchronize", 0, 100000);
	host(make, WEIR_HOST_PYTHON, "queue.py(154): get", 100000, 300000);
	call(make, "cudaMalloc", 300000, 400000);
	end_gap(make, 400000, 403000);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_HOST_SYNC), 100000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_DEPENDENCY_COMM), 200000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_ALLOCATOR), 100000);
	scene_release(&scene);
}

static void a_launch_behind_a_collective_is_not_late(void **state)
{
	struct make_trace *make = before_gap();
	struct scene scene;
	size_t found = 0;

	(void)state;
	host(make, WEIR_HOST_ANNOTATION, "gloo:all_reduce", 0, 300000);
	end_gap(make, 400000, 403000);
	scene_init(&scene, make_trace_finish(make), true);
	for (size_t i = 0; i < scene.segments.count; i++) {
		const struct weir_segment *segment = &scene.segments.items[i];

		if (segment->busy || segment->start_ns < GAP_NS)
			continue;
		found += segment->idle == WEIR_IDLE_DEPENDENCY_COMM;
		assert_int_equal((segment->flags & WEIR_SEGMENT_LATE) != 0,
		                 segment->idle != WEIR_IDLE_DEPENDENCY_COMM);
	}
	assert_int_equal(found, 1);
	scene_release(&scene);
}

/* Returns the idle time for collectives if the launching thread is silent for `silent_ns`, while
 * another thread is in one from begin_ns to end_ns. */
static int64_t waiting_for_collective_ns(int64_t silent_ns, int64_t begin_ns, int64_t end_ns)
{
	struct make_trace *make = before_gap();

	call(make, "cudaEventRecord", -10, 0);
	make_host(make, WEIR_HOST_ANNOTATION, 1, "gloo:all_reduce", GAP_NS + begin_ns,
	          GAP_NS + end_ns);
	end_gap(make, silent_ns, silent_ns + 3000);
	return idle_of(make, WEIR_IDLE_DEPENDENCY_COMM);
}

static void a_silence_that_ends_with_a_collective_is_a_wait_for_it(void **state)
{
	const int64_t ns = INT64_C(10) * LONG_NS;

	(void)state;
	assert_int_equal(waiting_for_collective_ns(ns, 0, ns), ns);
	assert_int_equal(waiting_for_collective_ns(ns, ns / 10, ns), ns);
	assert_int_equal(waiting_for_collective_ns(ns, ns / 10 + 1, ns), 0);
	assert_int_equal(waiting_for_collective_ns(ns, 0, ns - ns / 10), ns);
	assert_int_equal(waiting_for_collective_ns(ns, 0, ns - ns / 10 - 1), 0);
	/* A thread that works beside a collective stops at another time. */
	assert_int_equal(waiting_for_collective_ns(ns, 0, ns + 1), 0);
	assert_int_equal(waiting_for_collective_ns(LONG_NS, 0, LONG_NS), LONG_NS);
	assert_int_equal(waiting_for_collective_ns(LONG_NS - 1, 0, LONG_NS - 1), 0);
}

static void several_collectives_fill_one_wait(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	call(make, "cudaEventRecord", -10, 0);
	make_host(make, WEIR_HOST_ANNOTATION, 1, "gloo:all_reduce", GAP_NS, GAP_NS + 600000);
	make_host(make, WEIR_HOST_ANNOTATION, 2, "gloo:all_reduce", GAP_NS + 500000,
	          GAP_NS + 1000000);
	end_gap(make, 1000000, 1003000);
	assert_int_equal(idle_of(make, WEIR_IDLE_DEPENDENCY_COMM), 1000000);
}

static void silence_in_a_batching_window_is_a_wait_for_a_batch(void **state)
{
	struct make_trace *make = before_gap();
	struct scene scene;
	size_t late = 0;

	(void)state;
	host(make, WEIR_HOST_ANNOTATION, "batch_window", 0, 1000000);
	host(make, WEIR_HOST_PYTHON, "queue.py(154): get", 300000, 500000);
	host(make, WEIR_HOST_OP, "aten::stack", 600000, 650000);
	end_gap(make, 1000000, 1003000);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_BATCH_WINDOW), 950000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_DISPATCH), 50000);
	for (size_t i = 0; i < scene.segments.count; i++)
		late += scene.segments.items[i].idle == WEIR_IDLE_BATCH_WINDOW &&
		        scene.segments.items[i].flags & WEIR_SEGMENT_LATE;
	assert_int_equal(late, 0);
	scene_release(&scene);
}

static void a_thread_without_rows_waits_for_the_window_of_the_main_thread(void **state)
{
	struct make_trace *make = before_gap();
	struct scene scene;

	(void)state;
	call(make, "cudaEventRecord", -10, 0);
	make_host(make, WEIR_HOST_ANNOTATION, 1, "batch_window", GAP_NS + 100000, GAP_NS + 400000);
	end_gap(make, 500000, 503000);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_BATCH_WINDOW), 300000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_HOST_IDLE), 200000);
	scene_release(&scene);
}

/* The main thread is the one with most stages; it tokenizes while the launching thread has nothing.
 */
static void a_stage_of_the_main_thread_is_what_an_idle_one_waits_for(void **state)
{
	struct make_trace *make = before_gap();
	struct scene scene;

	(void)state;
	call(make, "cudaEventRecord", -10, 0);
	make_host(make, WEIR_HOST_ANNOTATION, 1, "tokenize", GAP_NS + 100000, GAP_NS + 400000);
	end_gap(make, 500000, 503000);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_HOST_WORK), 300000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_HOST_IDLE), 200000);
	scene_release(&scene);
}

/* An operator in the range of a server that waits still runs. */
static void a_server_that_waits_for_requests_does_nothing(void **state)
{
	struct make_trace *make = before_gap();
	struct scene scene;

	(void)state;
	host(make, WEIR_HOST_ANNOTATION, "wait_request", 0, 1000000);
	host(make, WEIR_HOST_PYTHON, "queue.py(154): get", 300000, 500000);
	host(make, WEIR_HOST_OP, "aten::stack", 600000, 650000);
	end_gap(make, 1000000, 1003000);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_HOST_IDLE), 950000);
	assert_int_equal(scene_idle_ns(&scene, WEIR_IDLE_DISPATCH), 50000);
	scene_release(&scene);
}

static void making_a_graph_ready_is_loading(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	call(make, "cudaStreamIsCapturing", 0, 1000);
	call(make, "cudaGraphInstantiateWithFlags", 1000, 91000);
	end_gap(make, 91000, 93000);
	assert_int_equal(idle_of(make, WEIR_IDLE_COMPILE_LOAD), 90000);
}

static void launchers_of_compiled_code_dispatch(void **state)
{
	struct make_trace *make = before_gap();

	(void)state;
	host(make, WEIR_HOST_OP, "aten::add", -1000, 0);
	host(make, WEIR_HOST_ANNOTATION, "## Call CompiledFxGraph fabc ##", 0, 95000);
	host(make, WEIR_HOST_PYTHON, "torch/_inductor/codecache.py(1131): __call__", 0, 95000);
	host(make, WEIR_HOST_PYTHON, "triton/backends/nvidia/driver.py(701): __call__", 0, 95000);
	end_gap(make, 80000, 83000);
	assert_int_equal(idle_of(make, WEIR_IDLE_PYTHON), 80000);
}

static void a_stream_that_was_told_to_wait_depends_on_that(void **state)
{
	static const char *const waits[] = {"cudaStreamWaitEvent", "cudaLaunchHostFunc",
	                                    "cudaEventRecord"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct make_trace *make = before_gap();

		call(make, waits[i], -70000, -65000);
		end_gap(make, -60000, 50000);
		assert_int_equal(idle_of(make, i < 2 ? WEIR_IDLE_DEPENDENCY : WEIR_IDLE_OTHER),
		                 50000);
		make = before_gap(); /* the wait was for the previous launch */
		call(make, waits[i], -90000, -85000);
		call(make, "cudaLaunchKernel", -80000, -75000);
		end_gap(make, -60000, 50000);
		assert_int_equal(idle_of(make, WEIR_IDLE_OTHER), 50000);
	}
}

static void idle_time_has_the_name_of_what_ran_and_of_what_is_around(void **state)
{
	struct make_trace *make = before_gap();
	struct scene scene;

	(void)state;
	host(make, WEIR_HOST_OP, "aten::add", -1000, 0);
	host(make, WEIR_HOST_PYTHON, "model.py(1): forward", 0, 90000);
	host(make, WEIR_HOST_OP, "aten::linear", 10000, 80000);
	host(make, WEIR_HOST_OP, "aten::addmm", 20000, 80000);
	call(make, "cudaMalloc", 30000, 45000);
	make_host(make, WEIR_HOST_OVERHEAD, 1, "Lazy Function Loading", GAP_NS + 50000,
	          GAP_NS + 54000);
	end_gap(make, 70000, 73000);
	scene_init(&scene, make_trace_finish(make), true);
	assert_int_equal(named_ns(&scene, WEIR_IDLE_PYTHON, "model.py(1): forward", NULL), 10000);
	assert_int_equal(named_ns(&scene, WEIR_IDLE_DISPATCH, "aten::linear", NULL), 10000);
	assert_int_equal(named_ns(&scene, WEIR_IDLE_DISPATCH, "aten::addmm", "aten::linear"),
	                 10000 + 5000 + 16000);
	assert_int_equal(named_ns(&scene, WEIR_IDLE_ALLOCATOR, "cudaMalloc", "aten::addmm"), 15000);
	assert_int_equal(
		named_ns(&scene, WEIR_IDLE_COMPILE_LOAD, "Lazy Function Loading", "aten::linear"),
		4000);
	assert_int_equal(named_ns(&scene, WEIR_IDLE_LAUNCH_LATENCY, "behind", "aten::addmm"), 3000);
	scene_release(&scene);
}

/* Invariants of any trace: causes add up to the idle time of the windows, names to their cause. */
static void causes_and_names_add_up_to_the_idle_time(void **state)
{
	uint64_t random = 11;

	(void)state;
	for (size_t round = 0; round < 150; round++) {
		struct scene scene;
		int64_t by_cause[WEIR_IDLE_COUNT] = {0}, by_name[WEIR_IDLE_COUNT] = {0}, idle = 0;

		scene_init(&scene, random_trace(&random), round % 2);
		for (size_t d = 0; d < scene.trace->device_count; d++) {
			const struct weir_intervals *windows = &scene.steps.windows[d];

			for (size_t w = 0; w < windows->count; w++)
				idle += weir_span_ns(windows->items[w].start_ns,
				                     windows->items[w].end_ns);
		}
		for (size_t i = 0; i < scene.segments.count; i++) {
			const struct weir_segment *segment = &scene.segments.items[i];

			if (segment->busy)
				idle -= weir_segment_ns(segment);
			else
				by_cause[segment->idle] += weir_segment_ns(segment);
		}
		for (size_t i = 0; i < scene.segments.idle_names.count; i++)
			by_name[scene.segments.idle_names.entries[i].idle] +=
				scene.segments.idle_names.entries[i].ns;
		for (size_t c = 0; c < WEIR_IDLE_COUNT; c++) {
			assert_int_equal(by_name[c], by_cause[c]);
			idle -= by_cause[c];
		}
		assert_int_equal(idle, 0);
		scene_release(&scene);
	}
}

enum three_way { HOST_WAIT, KERNEL_WAIT, OTHER_WAIT };

/*
 * The rule of Holistic Trace Analysis for a gap of one stream: launched behind the end of the work
 * before, the host is late; a gap below 30 us is between kernels; the rest has another cause.
 */
static enum three_way rule_of_three(const struct weir_trace *trace, const struct weir_segment *gap,
                                    int64_t gap_start_ns)
{
	int64_t launch_ns = trace->host.start_ns[trace->device.launch[gap->row]];

	if (launch_ns > gap_start_ns)
		return HOST_WAIT;
	return trace->device.start_ns[gap->row] - gap_start_ns < 30000 ? KERNEL_WAIT : OTHER_WAIT;
}

static void assert_agrees(enum weir_idle idle, enum three_way rule, int64_t gap_ns)
{
	bool queued = idle == WEIR_IDLE_INTER_KERNEL || idle == WEIR_IDLE_DEPENDENCY ||
	              idle == WEIR_IDLE_DEPENDENCY_COMM || idle == WEIR_IDLE_OTHER;

	if (idle == WEIR_IDLE_PROFILER || idle == WEIR_IDLE_COMPILE_LOAD)
		return; /* separate tracks, which that rule does not consider */
	if (rule == HOST_WAIT)
		assert_false(queued);
	else
		assert_true(queued || idle == WEIR_IDLE_LAUNCH_LATENCY);
	if (idle == WEIR_IDLE_INTER_KERNEL)
		assert_int_equal(rule, KERNEL_WAIT); /* the stricter limit is 10 us */
	if (rule == OTHER_WAIT)
		assert_true(gap_ns > WEIR_INTER_KERNEL_NS);
}

static void on_one_stream_the_rule_of_three_agrees(void **state)
{
	uint64_t random = 3;
	size_t gaps[3] = {0};

	(void)state;
	for (size_t round = 0; round < 100; round++) {
		struct make_trace *make = make_trace_new();
		struct scene scene;
		int64_t host_ns = 0, free_ns = 0, gap_start_ns = 0;
		uint32_t row = WEIR_NONE;

		for (size_t i = 0; i < 60; i++) {
			int64_t start_ns;

			host_ns += (int64_t)(next_number(&random) % (i % 8 ? 20000 : 900000));
			start_ns = (free_ns > host_ns ? free_ns : host_ns) +
			           (int64_t)(next_number(&random) % 60000);
			make_host(make, WEIR_HOST_OP, 0, "aten::mul", host_ns - 1, host_ns + 1000);
			make_launch(make, host_ns, host_ns + 500, start_ns, start_ns + 30000);
			free_ns = start_ns + 30000;
			host_ns += 1000;
		}
		scene_init(&scene, make_trace_finish(make), false);
		for (size_t i = 0; i < scene.segments.count; i++) {
			const struct weir_segment *segment = &scene.segments.items[i];
			enum three_way rule;

			if (segment->busy || segment->row == WEIR_NONE)
				continue;
			if (segment->row != row)
				gap_start_ns = segment->start_ns;
			row = segment->row;
			rule = rule_of_three(scene.trace, segment, gap_start_ns);
			gaps[rule]++;
			assert_agrees((enum weir_idle)segment->idle, rule,
			              scene.trace->device.start_ns[row] - gap_start_ns);
		}
		scene_release(&scene);
	}
	for (size_t i = 0; i < 3; i++)
		assert_true(gaps[i] > 50); /* all three cases occurred */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_short_rest_is_glue_and_a_long_one_is_lack_of_work),
		cmocka_unit_test(code_across_the_ends_of_pieces_is_judged_as_a_whole),
		cmocka_unit_test(silence_of_a_program_that_trains_is_its_own_code),
		cmocka_unit_test(a_thread_outside_its_recorded_system_calls_runs),
		cmocka_unit_test(a_system_call_that_waits_is_lack_of_work),
		cmocka_unit_test(a_wait_below_a_driver_call_is_the_calls),
		cmocka_unit_test(a_file_that_is_read_is_input_wherever_no_driver_reads_it),
		cmocka_unit_test(waiting_outside_every_stage_is_lack_of_work),
		cmocka_unit_test(waiting_inside_a_stage_is_for_another_thread_at_work),
		cmocka_unit_test(waiting_inside_a_loader_or_a_compiler_is_theirs),
		cmocka_unit_test(inside_a_collective_on_the_host_the_device_waits_for_other_ranks),
		cmocka_unit_test(calls_inside_a_collective_keep_their_cause),
		cmocka_unit_test(a_launch_behind_a_collective_is_not_late),
		cmocka_unit_test(a_silence_that_ends_with_a_collective_is_a_wait_for_it),
		cmocka_unit_test(several_collectives_fill_one_wait),
		cmocka_unit_test(silence_in_a_batching_window_is_a_wait_for_a_batch),
		cmocka_unit_test(a_thread_without_rows_waits_for_the_window_of_the_main_thread),
		cmocka_unit_test(a_stage_of_the_main_thread_is_what_an_idle_one_waits_for),
		cmocka_unit_test(a_server_that_waits_for_requests_does_nothing),
		cmocka_unit_test(making_a_graph_ready_is_loading),
		cmocka_unit_test(launchers_of_compiled_code_dispatch),
		cmocka_unit_test(a_stream_that_was_told_to_wait_depends_on_that),
		cmocka_unit_test(idle_time_has_the_name_of_what_ran_and_of_what_is_around),
		cmocka_unit_test(causes_and_names_add_up_to_the_idle_time),
		cmocka_unit_test(on_one_stream_the_rule_of_three_agrees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
