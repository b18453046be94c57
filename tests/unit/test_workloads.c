/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs with a known bound, and the verdict on each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/workload.h"

#define GEMM  "nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_NNT"
#define SMALL "void at::native::elementwise_kernel<128, 4, int>"
#define STEPS 20

static void begin_step(struct workload *workload, int step)
{
	static char names[64][24];

	snprintf(names[step % 64], sizeof names[0], "ProfilerStep#%d", step);
	workload_begin(workload, "user_annotation", names[step % 64]);
}

static void end_step(struct workload *workload)
{
	workload_end(workload);
	workload_pass(workload, NULL, 5);
}

static void forward(struct workload *workload, int operators, int64_t device_us)
{
	for (int i = 0; i < operators; i++)
		workload_operator(workload, "aten::mm", GEMM, 20, device_us);
}

static void assert_verdict(struct workload *workload, const char *bound, const char *cause)
{
	struct workload_verdict got;

	workload_judge(workload, &got);
	assert_string_equal(got.bound, bound);
	if (cause)
		assert_string_equal(got.cause, cause);
}

static void a_loader_that_the_step_waits_for_is_preprocessing(void **state)
{
	static const char *const frames[] = {
		"torch/utils/data/dataloader.py(700): __next__",
		"<built-in method read of _io.BufferedReader object at 0x7f>",
		"transformers/tokenization_utils_base.py(2900): __call__"};

	(void)state;
	for (size_t f = 0; f < 3; f++) {
		struct workload *workload = workload_new();

		for (int s = 0; s < STEPS; s++) {
			begin_step(workload, s);
			workload_pass(workload, frames[f], 8000);
			workload_copy(workload, "Memcpy HtoD (Pinned -> Device)", 1 << 20, 40, 0);
			forward(workload, 20, 100);
			workload_wait(workload, "cudaStreamSynchronize");
			end_step(workload);
		}
		assert_verdict(workload, "runtime", "host-preprocess");
	}
}

static void compilation_in_every_step_is_compile_load(void **state)
{
	struct workload *workload = workload_new();

	(void)state;
	for (int s = 0; s < STEPS; s++) {
		begin_step(workload, s);
		workload_pass(workload, "torch/_dynamo/convert_frame.py(1365): __call__", 20000);
		forward(workload, 20, 100);
		workload_wait(workload, "cudaStreamSynchronize");
		end_step(workload);
	}
	assert_verdict(workload, "runtime", "compile-load");
}

static void kernels_that_a_compiler_tries_out_are_compile_load(void **state)
{
	struct workload *workload = workload_new();

	(void)state;
	for (int step = 0; step < STEPS; step++) {
		begin_step(workload, step);
		workload_begin(workload, "cpu_op",
		               "CachingAutotuner.benchmark_all_configs (dynamo_timed)");
		for (int i = 0; i < 20; i++)
			workload_operator(workload, "aten::zero_", SMALL, 10, 300);
		workload_wait(workload, "cudaDeviceSynchronize");
		workload_end(workload);
		forward(workload, 4, 100);
		end_step(workload);
	}
	assert_verdict(workload, "runtime", "compile-load");
}

/* cudnn.benchmark: the operator times each kernel. */
static void a_convolution_that_tries_kernels_is_compile_load(void **state)
{
	(void)state;
	for (int waits = 0; waits < 2; waits++) {
		struct workload *workload = workload_new();

		for (int step = 0; step < STEPS; step++) {
			begin_step(workload, step);
			workload_pass(workload, NULL, 5);
			workload_begin(workload, "cpu_op", "aten::cudnn_convolution");
			for (int i = 0; i < 20; i++) {
				workload_launch(workload, GEMM, 10, 10);
				workload_pass(workload, NULL, 300);
				if (waits)
					workload_wait(workload, "cudaEventSynchronize");
			}
			workload_end(workload);
			end_step(workload);
		}
		assert_verdict(workload, "runtime", waits ? "compile-load" : "host-dispatch");
	}
}

static void compiled_code_that_only_runs_is_dispatch(void **state)
{
	struct workload *workload = workload_new();

	(void)state;
	for (int s = 0; s < STEPS; s++) {
		begin_step(workload, s);
		workload_begin(workload, "user_annotation", "## Call CompiledFxGraph fabc ##");
		workload_begin(workload, "python_function",
		               "torch/_inductor/codecache.py(1131): __call__");
		for (int i = 0; i < 100; i++) {
			workload_begin(workload, "python_function",
			               "triton/backends/nvidia/driver.py(701): __call__");
			workload_operator(workload, "triton_poi_fused_add_0",
			                  "triton_poi_fused_add_0", 25, 3);
			workload_pass(workload, NULL, 15);
			workload_end(workload);
		}
		workload_end(workload);
		workload_end(workload);
		workload_wait(workload, "cudaStreamSynchronize");
		end_step(workload);
	}
	assert_verdict(workload, "runtime", "host-dispatch");
}

static void loading_in_the_first_steps_is_warm_up_and_no_verdict(void **state)
{
	struct workload *workload = workload_new();
	struct workload_verdict got;

	(void)state;
	for (int s = 0; s < STEPS; s++) {
		begin_step(workload, s);
		for (int i = 0; s < 2 && i < 10; i++)
			workload_call(workload, "cuLibraryLoadData", 3000);
		forward(workload, 20, 500);
		workload_wait(workload, "cudaStreamSynchronize");
		end_step(workload);
	}
	workload_judge(workload, &got);
	assert_string_equal(got.bound, "kernel");
	assert_string_equal(got.apart, " ProfilerStep#0 ProfilerStep#1 ");
}

static void allocation_in_every_step_is_allocation(void **state)
{
	struct workload *workload = workload_new();

	(void)state;
	for (int s = 0; s < STEPS; s++) {
		begin_step(workload, s);
		workload_call(workload, "cudaMalloc", 4000);
		forward(workload, 6, 100);
		workload_wait(workload, "cudaFree");
		workload_call(workload, "cudaFree", 3000);
		end_step(workload);
	}
	assert_verdict(workload, "memory", "allocation");
}

/* Almost half of the memory in use is free, and still the driver is called. */
static void slow_allocation_with_idle_reserves_is_fragmentation(void **state)
{
	struct workload *workload = workload_new();
	struct workload_verdict got;

	(void)state;
	for (int s = 0; s < STEPS; s++) {
		begin_step(workload, s);
		workload_call(workload, "cudaMalloc", 4000);
		workload_memory(workload, 1 << 20); /* of 3 MiB in use */
		forward(workload, 6, 100);
		workload_wait(workload, "cudaStreamSynchronize");
		workload_memory(workload, -(1 << 20));
		end_step(workload);
	}
	workload_judge(workload, &got);
	assert_string_equal(got.bound, "memory");
	assert_string_equal(got.cause, "fragmentation");
	assert_non_null(strstr(got.advice, " expandable-segments "));
}

static void growth_is_told_beside_the_verdict(void **state)
{
	for (int leaks = 0; leaks < 2; leaks++) {
		struct workload *workload = workload_new();
		struct workload_verdict got;

		(void)state;
		for (int s = 0; s < STEPS; s++) {
			begin_step(workload, s);
			workload_memory(workload, 4 << 20);
			forward(workload, 20, 500);
			if (!leaks)
				workload_memory(workload, -(4 << 20));
			workload_wait(workload, "cudaStreamSynchronize");
			end_step(workload);
		}
		workload_judge(workload, &got);
		assert_string_equal(got.bound, "kernel");
		assert_int_equal(strstr(got.advice, " stop-growth ") != NULL, leaks);
	}
}

static void copies_count_where_nothing_hides_them(void **state)
{
	for (int hidden = 0; hidden < 2; hidden++) {
		struct workload *workload = workload_new();

		(void)state;
		for (int s = 0; s < STEPS; s++) {
			begin_step(workload, s);
			workload_stream(workload, hidden);
			workload_copy(workload,
			              hidden ? "Memcpy HtoD (Pinned -> Device)"
			                     : "Memcpy HtoD (Pageable -> Device)",
			              64 << 20, hidden ? 1300 : 10000, !hidden);
			workload_stream(workload, 0);
			forward(workload, 20, 300);
			end_step(workload);
		}
		if (hidden)
			assert_verdict(workload, "kernel", "compute-roof");
		else
			assert_verdict(workload, "memory", "transfer");
	}
}

static void one_read_a_step_is_dispatch_and_one_an_operator_is_synchronisation(void **state)
{
	for (int every = 1; every <= 30; every += 29) {
		struct workload *workload = workload_new();
		struct workload_verdict got;

		(void)state;
		for (int s = 0; s < STEPS; s++) {
			begin_step(workload, s);
			for (int i = 1; i <= 30; i++) {
				workload_operator(workload, "aten::mul", SMALL, 25, 3);
				if (i % every)
					continue;
				workload_begin(workload, "cpu_op", "aten::_local_scalar_dense");
				workload_copy(workload, "Memcpy DtoH (Device -> Pinned)", 8, 1, 0);
				workload_wait(workload, "cudaStreamSynchronize");
				workload_end(workload);
			}
			end_step(workload);
		}
		workload_judge(workload, &got);
		assert_string_equal(got.bound, "runtime");
		assert_string_equal(got.cause, every == 1 ? "host-sync" : "host-dispatch");
		assert_int_equal(strstr(got.advice, " remove-syncs ") != NULL, every == 1);
	}
}

static void two_streams_that_take_turns_keep_the_device_busy(void **state)
{
	struct workload *workload = workload_new();

	(void)state;
	for (int s = 0; s < STEPS; s++) {
		begin_step(workload, s);
		for (int i = 0; i < 10; i++) {
			workload_stream(workload, i % 2);
			workload_depend(workload, 1 - i % 2);
			workload_operator(workload, "aten::mm", GEMM, 20, 200);
		}
		workload_wait(workload, "cudaStreamSynchronize");
		end_step(workload);
	}
	assert_verdict(workload, "kernel", "compute-roof");
}

static void python_behind_the_device_work_is_postprocessing(void **state)
{
	static const char *const frames[] = {"sampler.py(44): sample", "<built-in function dumps>",
	                                     NULL};

	(void)state;
	for (size_t f = 0; f < 3; f++) {
		struct workload *workload = workload_new();

		for (int s = 0; s < STEPS; s++) {
			begin_step(workload, s);
			forward(workload, 10, 200);
			workload_wait(workload, "cudaStreamSynchronize");
			workload_pass(workload, frames[f], 9000);
			end_step(workload);
		}
		assert_verdict(workload, "runtime", "host-postprocess");
	}
}

/* The thread sleeps in a lock that the trace shows, or in one that it does not show. */
static void a_server_between_requests_is_judged_by_the_rest(void **state)
{
	static const char *const rests[] = {
		NULL, "<built-in method acquire of _thread.lock object at 0x7f>",
		"<built-in method poll of select.epoll object at 0x7f>"};

	(void)state;
	for (size_t r = 0; r < 3; r++) {
		struct workload *workload = workload_new();
		struct workload_verdict got;

		for (int s = 0; s < 3 * STEPS; s++) {
			workload_begin(workload, "user_annotation", "decode");
			forward(workload, 20, 200);
			workload_wait(workload, "cudaStreamSynchronize");
			workload_end(workload);
			workload_pass(workload, rests[r], 5000 + s % 3 * 12000);
		}
		workload_judge(workload, &got);
		assert_string_equal(got.bound, "kernel");
		assert_true(got.host_idle > 0.7);
	}
}

static void a_stage_that_waits_for_another_thread_is_host_work(void **state)
{
	struct workload *workload = workload_new();

	(void)state;
	for (int s = 0; s < STEPS; s++) {
		workload_begin(workload, "user_annotation", "generate");
		workload_pass(workload, "concurrent/futures/_base.py(428): result", 9000);
		forward(workload, 20, 200);
		workload_wait(workload, "cudaStreamSynchronize");
		workload_end(workload);
	}
	assert_verdict(workload, "runtime", "host-preprocess");
}

static void small_kernels_in_a_graph_are_small_kernels(void **state)
{
	struct workload *workload = workload_new();

	(void)state;
	for (int s = 0; s < STEPS; s++) {
		begin_step(workload, s);
		workload_graph(workload, 300, 2);
		workload_pass(workload, NULL, 800);
		end_step(workload);
	}
	assert_verdict(workload, "runtime", "small-kernels");
}

/* A program in C++ without ranges or operators: nothing but launches, too far apart. */
static void bare_launches_that_come_late_are_dispatch(void **state)
{
	struct workload *workload = workload_new();

	(void)state;
	for (int i = 0; i < 2000; i++) {
		workload_graph(workload, 1, 10);
		workload_pass(workload, NULL, 150);
	}
	assert_verdict(workload, "runtime", "host-dispatch");
}

static void garbage_collection_is_known_by_its_event_or_by_its_pauses(void **state)
{
	static const char *const events[] = {"Python GC", "<built-in function collect>"};
	struct workload *workload;

	(void)state;
	for (size_t e = 0; e < 2; e++) {
		workload = workload_new();
		for (int s = 0; s < STEPS; s++) {
			begin_step(workload, s);
			forward(workload, 4, 100);
			workload_pass(workload, events[e], 20000);
			forward(workload, 4, 100);
			end_step(workload);
		}
		assert_verdict(workload, "runtime", "garbage-collection");
	}
	workload = workload_new();
	for (int s = 0; s < STEPS; s++) {
		begin_step(workload, s);
		for (int i = 0; i < 9; i++) {
			forward(workload, 1, 100);
			workload_pass(workload, NULL, i == s % 8 ? 20000 : 10);
		}
		end_step(workload);
	}
	assert_verdict(workload, "runtime", "garbage-collection");
}

static void work_on_data_and_exact_sleeps_are_no_garbage_collection(void **state)
{
	struct workload *workload = workload_new();

	(void)state;
	for (int s = 0; s < STEPS; s++) {
		begin_step(workload, s);
		forward(workload, 8, 100);
		workload_copy(workload, "Memcpy DtoH (Device -> Pinned)", 64, 2, 1);
		workload_pass(workload, NULL, 20000 + 300 * (s % 5));
		end_step(workload);
	}
	assert_verdict(workload, "runtime", "host-postprocess");
	workload = workload_new();
	for (int s = 0; s < STEPS; s++) {
		begin_step(workload, s);
		forward(workload, 8, 100);
		workload_pass(workload, NULL, 20060 + s % 5);
		end_step(workload);
	}
	assert_verdict(workload, "runtime", "host-postprocess");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_loader_that_the_step_waits_for_is_preprocessing),
		cmocka_unit_test(compilation_in_every_step_is_compile_load),
		cmocka_unit_test(kernels_that_a_compiler_tries_out_are_compile_load),
		cmocka_unit_test(a_convolution_that_tries_kernels_is_compile_load),
		cmocka_unit_test(compiled_code_that_only_runs_is_dispatch),
		cmocka_unit_test(loading_in_the_first_steps_is_warm_up_and_no_verdict),
		cmocka_unit_test(allocation_in_every_step_is_allocation),
		cmocka_unit_test(slow_allocation_with_idle_reserves_is_fragmentation),
		cmocka_unit_test(growth_is_told_beside_the_verdict),
		cmocka_unit_test(copies_count_where_nothing_hides_them),
		cmocka_unit_test(
			one_read_a_step_is_dispatch_and_one_an_operator_is_synchronisation),
		cmocka_unit_test(two_streams_that_take_turns_keep_the_device_busy),
		cmocka_unit_test(python_behind_the_device_work_is_postprocessing),
		cmocka_unit_test(a_server_between_requests_is_judged_by_the_rest),
		cmocka_unit_test(a_stage_that_waits_for_another_thread_is_host_work),
		cmocka_unit_test(small_kernels_in_a_graph_are_small_kernels),
		cmocka_unit_test(bare_launches_that_come_late_are_dispatch),
		cmocka_unit_test(garbage_collection_is_known_by_its_event_or_by_its_pauses),
		cmocka_unit_test(work_on_data_and_exact_sleeps_are_no_garbage_collection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
