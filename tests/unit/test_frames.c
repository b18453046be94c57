/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/names/frames.h"

struct row {
	const char *name;
	enum weir_frame_class class;
};

static void assert_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (weir_frame_class(rows[i].name) != rows[i].class)
			fail_msg("%s: class %d, expected %d", rows[i].name,
			         weir_frame_class(rows[i].name), rows[i].class);
}

static void what_runs_at_compile_time_is_compilation(void **state)
{
	static const struct row rows[] = {
		{"torch/_dynamo/convert_frame.py(1365): __call__", WEIR_FRAME_COMPILE},
		{"torch/_inductor/compile_fx.py(1500): compile_fx", WEIR_FRAME_COMPILE},
		{"torch/_inductor/codecache.py(2807): load", WEIR_FRAME_COMPILE},
		{"torch/_inductor/runtime/triton_heuristics.py(260): precompile",
	         WEIR_FRAME_COMPILE},
		{"triton/compiler/compiler.py(226): compile", WEIR_FRAME_COMPILE},
		{"triton/compiler/compiler.py(380): _init_handles", WEIR_FRAME_COMPILE},
		{"triton/runtime/autotuner.py(133): _bench", WEIR_FRAME_COMPILE},
		{"_compile.compile_inner (dynamo_timed)", WEIR_FRAME_COMPILE},
		{"jax/_src/compiler.py(330): compile_or_get_cached", WEIR_FRAME_COMPILE},
		{"trace_to_jaxpr_dynamic", WEIR_FRAME_COMPILE},
		{"lower_sharding_computation", WEIR_FRAME_COMPILE},
		{"backend_compile_and_load", WEIR_FRAME_COMPILE},
		{"PjRtCApiClient::CompileAndLoad(jit_step)", WEIR_FRAME_COMPILE},
		{"PjRtStreamExecutorClient::CompileInternal", WEIR_FRAME_COMPILE},
		{"PJRT_Client_Compile", WEIR_FRAME_COMPILE},
		{"OptimizeHloModule", WEIR_FRAME_COMPILE},
		{"CompileToBackendResult", WEIR_FRAME_COMPILE},
		{"CompileModuleToLlvmIr", WEIR_FRAME_COMPILE},
		{"CompileSingleModule", WEIR_FRAME_COMPILE},
		{"PTX->CUBIN", WEIR_FRAME_COMPILE},
		{"<frozen importlib._bootstrap>(1165): _find_and_load", WEIR_FRAME_COMPILE},
	};

	(void)state;
	assert_rows(rows, sizeof rows / sizeof *rows);
}

static void what_runs_in_every_step_of_a_compiled_program_is_not(void **state)
{
	static const struct row rows[] = {
		{"## Call CompiledFxGraph fal4xpiah2v6blbf ##", WEIR_FRAME_PLAIN},
		{"Torch-Compiled Region: 0/0", WEIR_FRAME_PLAIN},
		{"PjitFunction(step)", WEIR_FRAME_PLAIN},
		{"PjRtCApiLoadedExecutable::Execute", WEIR_FRAME_PLAIN},
		{"ExecuteReplicated.__call__", WEIR_FRAME_PLAIN},
		{"TorchDynamo Cache Lookup", WEIR_FRAME_PLAIN},
		{"torch/_dynamo/eval_frame.py(1039): _fn", WEIR_FRAME_PLAIN},
		{"torch/_inductor/codecache.py(1131): __call__", WEIR_FRAME_PLAIN},
		{"torch/_inductor/compile_fx.py(900): run", WEIR_FRAME_PLAIN},
		{"torch/_inductor/runtime/triton_heuristics.py(1000): run", WEIR_FRAME_PLAIN},
		{"triton/runtime/jit.py(708): run", WEIR_FRAME_PLAIN},
		{"triton/backends/compiler.py(81): get_arg_specialization", WEIR_FRAME_PLAIN},
		{"triton/backends/nvidia/driver.py(701): allocate_scratch", WEIR_FRAME_PLAIN},
		{"triton/compiler/compiler.py(470): launch_metadata", WEIR_FRAME_PLAIN},
	};

	(void)state;
	assert_rows(rows, sizeof rows / sizeof *rows);
}

static void loaders_tokenizers_and_files_are_input(void **state)
{
	static const struct row rows[] = {
		{"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", WEIR_FRAME_INPUT},
		{"transformers/tokenization_utils_base.py(2900): __call__", WEIR_FRAME_INPUT},
		{"<built-in method encode_batch of tokenizers.Tokenizer object at 0x7f1>",
	         WEIR_FRAME_INPUT},
		{"<built-in method read of _io.BufferedReader object at 0x7f1>", WEIR_FRAME_INPUT},
		{"PIL/Image.py(3465): open", WEIR_FRAME_INPUT},
		{"transformers/models/clip/image_processing_clip.py(9): preprocess",
	         WEIR_FRAME_INPUT},
		{"model.py(10): load", WEIR_FRAME_PLAIN},
	};

	(void)state;
	assert_rows(rows, sizeof rows / sizeof *rows);
}

static void a_thread_that_waits_for_another_says_so(void **state)
{
	static const struct row rows[] = {
		{"<built-in method acquire of _thread.lock object at 0x7f1>", WEIR_FRAME_WAIT},
		{"<built-in method poll of select.epoll object at 0x7f1>", WEIR_FRAME_WAIT},
		{"<built-in function sleep>", WEIR_FRAME_WAIT},
		{"queue.py(154): get", WEIR_FRAME_WAIT},
		{"threading.py(323): wait", WEIR_FRAME_WAIT},
		{"concurrent/futures/_base.py(428): result", WEIR_FRAME_WAIT},
		{"threading.py(1016): run", WEIR_FRAME_PLAIN},
		{"queue.py(122): put", WEIR_FRAME_PLAIN},
	};

	(void)state;
	assert_rows(rows, sizeof rows / sizeof *rows);
}

static void the_garbage_collector_is_known_by_its_frames_and_ranges(void **state)
{
	static const struct row rows[] = {
		{"Python GC", WEIR_FRAME_GARBAGE}, /* PyTorch's profiler */
		{"<built-in function collect>", WEIR_FRAME_GARBAGE},
		{"<built-in method gc.collect>", WEIR_FRAME_GARBAGE},
		{"{built-in method gc.collect}", WEIR_FRAME_GARBAGE},
		{"gc_collect_main", WEIR_FRAME_GARBAGE},
		{"gc", WEIR_FRAME_GARBAGE},
		{"gc.collect()", WEIR_FRAME_GARBAGE},
		{"GC gen2", WEIR_FRAME_GARBAGE},
		{"gc (generation 2)", WEIR_FRAME_GARBAGE},
		{"garbage collection", WEIR_FRAME_GARBAGE},
		{"", WEIR_FRAME_PLAIN},
		{"2", WEIR_FRAME_PLAIN},
		{"collect", WEIR_FRAME_PLAIN},
		{"python full", WEIR_FRAME_PLAIN},
		{"gc_content", WEIR_FRAME_PLAIN},
		{"gcn_layer", WEIR_FRAME_PLAIN},
		{"gc.freeze", WEIR_FRAME_PLAIN},
		{"experience.py(9): collect", WEIR_FRAME_PLAIN},
	};

	(void)state;
	assert_rows(rows, sizeof rows / sizeof *rows);
}

static void ranges_in_which_a_server_waits_for_work_are_known(void **state)
{
	static const struct row rows[] = {
		{"wait_request", WEIR_FRAME_NO_WORK},
		{"Waiting for requests", WEIR_FRAME_NO_WORK},
		{"poll clients", WEIR_FRAME_NO_WORK},
		{"await next job 7", WEIR_FRAME_NO_WORK},
		{"idle", WEIR_FRAME_NO_WORK},
		{"server.idle", WEIR_FRAME_NO_WORK},
		{"time.sleep", WEIR_FRAME_NO_WORK},
		{"wait", WEIR_FRAME_PLAIN},
		{"request", WEIR_FRAME_PLAIN},
		{"wait_for_batch", WEIR_FRAME_PLAIN},
		{"wait for data of the request", WEIR_FRAME_PLAIN},
		{"cudaEventQuery idle", WEIR_FRAME_PLAIN},
		{"loop", WEIR_FRAME_PLAIN},
	};

	(void)state;
	assert_rows(rows, sizeof rows / sizeof *rows);
}

/* Programs choose the names of their files: "capture_32" is a range, "capture_all.py" is not. */
static void files_of_the_program_are_no_ranges_of_a_framework(void **state)
{
	static const struct row rows[] = {
		{"capture_32", WEIR_FRAME_COMPILE},
		{"capture_all.py(96): <module>", WEIR_FRAME_PLAIN},
		{"capture_all.py(59): capture_32", WEIR_FRAME_PLAIN},
		{"model_loading_uri", WEIR_FRAME_COMPILE},
		{"model_loading_bench.py(9): main", WEIR_FRAME_PLAIN},
		{"backend_compile.py(3): serve", WEIR_FRAME_PLAIN},
		{"gc_collect_main", WEIR_FRAME_GARBAGE},
		{"gc_collect_pages.py(9): main", WEIR_FRAME_PLAIN},
		{"gloo:all_reduce", WEIR_FRAME_COLLECTIVE},
	};

	(void)state;
	assert_rows(rows, sizeof rows / sizeof *rows);
}

static void numpy_computes_in_its_frames_and_methods(void **state)
{
	static const struct {
		const char *name;
		bool computes;
	} rows[] = {
		{"<built-in method partition of numpy.ndarray object at 0x7f>", true},
		{"<built-in method reduce of numpy.ufunc object at 0x7f>", true},
		{"numpy/lib/_function_base_impl.py(4726): _quantile", true},
		{"/usr/lib/numpy/fft/_pocketfft.py(50): _raw_fft", true},
		{"numpy/lib/_npyio_impl.py(310): load", false},
		{"numpy/lib/format.py(770): read_array", false},
		{"numpy/_core/memmap.py(220): __new__", false},
		{"<built-in method tofile of numpy.ndarray object at 0x7f>", false},
		{"<built-in method tolist of numpy.ndarray object at 0x7f>", false},
		{"<built-in method numpy of Tensor object at 0x7f>", false},
		{"use_numpy.py(3): main", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (weir_frame_is_array_code(rows[i].name) != rows[i].computes)
			fail_msg("%s", rows[i].name);
}

static void lines_of_the_program_are_told_from_those_of_pytorch(void **state)
{
	(void)state;
	assert_true(weir_frame_is_program("model.py(12): forward"));
	assert_true(weir_frame_is_program("/home/me/model.py(12): forward"));
	assert_true(weir_frame_is_program("transformers/models/llama.py(9): forward"));
	assert_false(weir_frame_is_program("torch/nn/modules/linear.py(125): forward"));
	assert_false(weir_frame_is_program("/usr/lib/torch/utils/_contextlib.py(120): wrapper"));
	assert_false(weir_frame_is_program("<built-in function linear>"));
	assert_false(weir_frame_is_program("nn.Module: Linear_1"));
}

static void frames_are_shown_without_the_folders_of_their_file(void **state)
{
	static const struct {
		const char *name, *expected;
	} rows[] = {
		{"/home/me/model.py(12): forward", "model.py(12): forward"},
		{"/model.py(12): a/b", "model.py(12): a/b"},
		{"C:\\me\\model.py(3): run", "model.py(3): run"},
		{"C:/me/model.py(3): run", "model.py(3): run"},
		{"C:model.py(3): a/b", "C:model.py(3): a/b"}, /* a drive without a folder */
		{"C:", "C:"},
		{"/usr/bin/python", "python"},
		{"/", ""},
		{"models/llama.py(9): forward", "models/llama.py(9): forward"},
		{"a", "a"},
		{"", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *name = strdup(rows[i].name);

		assert_non_null(name);
		assert_string_equal(weir_frame_without_folders(name), rows[i].expected);
		free(name);
	}
}

static void records_of_loading_are_known_by_any_of_their_names(void **state)
{
	(void)state;
	assert_true(weir_overhead_is_loading("Lazy Function Loading"));
	assert_false(weir_overhead_is_loading("Activity Buffer Request"));
	assert_false(weir_overhead_is_loading(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_runs_at_compile_time_is_compilation),
		cmocka_unit_test(what_runs_in_every_step_of_a_compiled_program_is_not),
		cmocka_unit_test(loaders_tokenizers_and_files_are_input),
		cmocka_unit_test(a_thread_that_waits_for_another_says_so),
		cmocka_unit_test(ranges_in_which_a_server_waits_for_work_are_known),
		cmocka_unit_test(the_garbage_collector_is_known_by_its_frames_and_ranges),
		cmocka_unit_test(files_of_the_program_are_no_ranges_of_a_framework),
		cmocka_unit_test(numpy_computes_in_its_frames_and_methods),
		cmocka_unit_test(lines_of_the_program_are_told_from_those_of_pytorch),
		cmocka_unit_test(frames_are_shown_without_the_folders_of_their_file),
		cmocka_unit_test(records_of_loading_are_known_by_any_of_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
